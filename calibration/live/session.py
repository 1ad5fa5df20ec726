"""One run of learning by playing: finds the board, plays games until two agree, makes the skin."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.errors import Aborted, TimeIsUp
from bot.models import Pixel
from bot.playing.control import FocusWatch, Pointer
from bot.playing.new_game import layer_over
from calibration.errors import CalibrationError, GoneError, RulesError
from calibration.live.cut_board import watch_cut
from calibration.live.learner import Ending, Learner
from calibration.live.locating import locate_board
from calibration.live.progress import Enough, in_words, learned_skin
from calibration.live.restart import Restarter
from skins.skin import EXPLODED, FLAG, NewGame

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.desktop import Desktop
    from bot.playing.control import Control
    from calibration.learning import Learned
    from calibration.live.cut_board import CutObservation
    from calibration.live.memory import Memory


_UNLIT_S = 0.6  # how long cells may take to look like the others once the pointer is off them, in seconds
_MOST_BROKEN_OFF = 3
_LONG_S = 40.0
"""How long to play for what is rare, in seconds: a number that a skin lacks is worked out in play. After it a skin that
is verified is enough."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What a run was asked to do.

    Attributes:
        name: what the skin is called.
        n_games: the most games that are played.
        minutes: the longest time for that.
        has_consent: whether keys and clicks that begin a new game may be tried.
        on_click: called right before every click.
    """

    name: str
    n_games: int = 8
    minutes: float = math.inf
    has_consent: bool = False
    on_click: Callable[[], None] | None = None


def learn_live(
    desktop: Desktop,
    control: Control,
    options: LiveOptions,
    tell: Callable[[str], None],
    memory: Memory | None = None,
    keep: Callable[[Memory], None] = lambda _: None,
) -> Learned:
    """Wait for the start key, find the board of an unknown clone, and learn its skin by playing.

    Args:
        desktop: screen, mouse and keyboard.
        control: start, pause, stop.
        options: what was asked for.
        tell: told what a person should know.
        memory: what was learned before, None for nothing.
        keep: given what is known after each game, and when learning is stopped in the middle of one.

    Raises:
        Aborted: the abort key was pressed.
        CalibrationError: there is no board, it is no Minesweeper's, or too little was learned for a skin.
    """
    control.check()
    control.pause_until(time.perf_counter() + 60 * options.minutes)
    pointed_at = desktop.mouse.position()
    focus = FocusWatch(desktop.programs)
    pointer = Pointer(
        desktop.mouse,
        desktop.keyboard,
        control,
        focus,
        on_taken=lambda what: tell(f"{what}: paused; {control.start_name} goes on"),
        on_held=lambda keys: tell(f"{keys} held down: nothing is clicked until it is let go"),
        on_click=options.on_click,
    )
    frame = desktop.screen.grab()
    if pointer.is_free():  # it may have brought up a hint over the cells, and the one under it looks otherwise
        pointer.move(Pixel(frame.left + frame.region.width - 2, frame.top + frame.region.height // 2))
        control.wait(_UNLIT_S)
        frame = desktop.screen.grab()
    with control.thinking():
        grid, cutter = locate_board(frame, pointed_at, tell, memory)
    focus.learn(grid.region.middle)
    view = watch_cut(desktop.screen, control, frame, grid, cutter)
    known = NewGame() if memory is None else memory.new_game
    restarter = Restarter(
        view, pointer, focus, desktop.screen, control, tell, has_consent=options.has_consent, known=known
    )
    closing = restarter.close_dialog, restarter.close_menu
    learner = Learner(view, pointer, control, tell, *closing, partial(layer_over, view, focus), memory)
    return _Run(learner, restarter, control, options, tell, keep).to_end()


class _Run:
    """Games until enough is known."""

    def __init__(
        self,
        learner: Learner,
        restarter: Restarter,
        control: Control,
        options: LiveOptions,
        tell: Callable[[str], None],
        keep: Callable[[Memory], None],
    ) -> None:
        self._learner = learner
        self._restarter = restarter
        self._control = control
        self._options = options
        self._tell = tell
        self._keep = keep
        self._enough = Enough()
        self._begun_at_s = time.perf_counter()
        self._until_s = self._begun_at_s + 60 * options.minutes

    def to_end(self) -> Learned:
        """Play, and make the skin; what is known is kept also where that is stopped."""
        try:
            return self._play_games()
        except TimeIsUp:  # in a pause
            self._learner.keep_unfinished()
            self._keep_all()
            return self._learned_skin()
        except Aborted:
            self._learner.set_aside()
            self._keep_all()
            raise
        except GoneError:
            self._learner.keep_unfinished()
            self._keep_all()
            raise

    def _keep_all(self) -> None:
        self._learner.memory.new_game = self._restarter.known
        self._keep(self._learner.memory)

    def _learned_skin(self) -> Learned:
        """The skin of what is known.

        Raises:
            CalibrationError: that is too little.
        """
        if self._learner.memory.is_empty:
            raise CalibrationError("no game was played to an end that teaches: nothing is saved")
        with self._control.thinking():
            return learned_skin(self._options.name, self._learner.memory)

    def _play_games(self) -> Learned:
        n_game = n_broken_off = 0
        while True:
            self._restarter.note_beginning()
            ending = self._learner.play(self._until_s)
            self._restarter.note_ending(has_opened=self._learner.has_opened)
            if self._learner.has_opened or not self._options.has_consent:  # else it was none: `Restarter.begin`
                n_game += 1
            memory = self._learner.memory
            memory.new_game = self._restarter.known
            with self._control.thinking():
                known = in_words(memory.evidence)
            self._tell(f"game {n_game}: {ending.value}; {known}")
            n_broken_off = n_broken_off + 1 if ending is Ending.BROKEN_OFF else 0
            is_late = time.perf_counter() >= self._until_s
            if n_broken_off >= _MOST_BROKEN_OFF and not is_late:
                raise RulesError("game after game fits no rules of Minesweeper: nothing is saved")
            self._keep(memory)
            if is_late:
                return self._learned_skin()
            if n_game == self._options.n_games:
                return self._with_fresh_board(self._learned_skin())
            wanted = [EXPLODED] * self._learner.can_lose + [FLAG] * memory.can_flag
            with self._control.thinking():
                has_all = self._enough.is_reached(memory.evidence, wanted)
            is_enough = has_all and memory.evidence.n_showing != 1  # two boards tell the mine count
            is_long = time.perf_counter() - self._begun_at_s >= _LONG_S
            if self._learner.has_opened and (is_enough or is_long) and (found := self._verified_skin()) is not None:
                return self._with_fresh_board(found)
            self._begin_another()

    def _verified_skin(self) -> Learned | None:
        """The skin of what is known, None where it is not verified yet: another game may tell what these do not."""
        try:
            found = self._learned_skin()
        except CalibrationError:
            return None
        return found if found.is_verified else None

    def _with_fresh_board(self, found: Learned) -> Learned:
        """Begin a game for who plays next: some clones paint an ended board so that no skin finds it.

        Returns:
            What was found, with the way that began it: another one than before may have.
        """
        if self._restarter.knows_way:
            with suppress(CalibrationError):  # enough is known without it
                self._begin_another()
                self._begin_another(self._learner.settled())  # where a clone put an ended game back
                self._learner.take_off_kept_flag()
        memory = self._learner.memory
        if memory.new_game == self._restarter.known:
            return found
        memory.new_game = self._restarter.known
        return self._learned_skin()

    def _begin_another(self, ended: CutObservation | None = None) -> None:
        """Begin a game, unless the board is fresh.

        Args:
            ended: the board before it; None for the last sight of the last game.
        """
        first, last = self._learner.first, ended or self._learner.last
        assert first is not None, "a game was looked at"
        assert last is not None, "and to its end"
        self._restarter.begin(self._learner.evidence, first, last)
