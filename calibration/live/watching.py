"""One run of learning while a person plays: finds the board, watches games until two agree, makes the skin.

It has eyes only, neither mouse nor keyboard.

A sight counts once it has stood for a while: a cell that is held down looks open, and is up again sooner. That a sight
shows no mine is believed when play went on after it, twice: some clones show a lost board in two steps. Flags are a
person's, right or wrong: they are told from numbers by their rim, which is that of a closed cell.
"""

from __future__ import annotations

import math
import time
from copy import deepcopy
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import Aborted
from bot.learning.label_solver import NUMBERS
from calibration.errors import CalibrationError, RulesError
from calibration.live.cut_board import GONE_S, LONG_STILL_S, MOST_CHANGES, move_lattice, watch_cut
from calibration.live.evidence import is_fresh, prints_of
from calibration.live.locating import locate_board
from calibration.live.memory import Memory
from calibration.live.progress import Enough, in_words, learned_skin
from calibration.live.restart import is_new_game
from skins.skin import CLOSED, EXPLODED, MINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.desktop import Screen
    from bot.models import Pixel
    from bot.playing.control import Control
    from calibration.learning import Learned
    from calibration.live.cut_board import Change, CutObservation, CutView
    from calibration.live.session import LiveOptions

    Pixels = NDArray[np.uint8]


_POLL_S = 0.05
_AN_OPENING = 3  # fewest cells of one appearance that change at once into several others: these were closed


class _Onlooker:
    """Watches one board.

    Args:
        view: looks at it.
        control: the abort key; a pause asks it to finish.
        tell: told what a person should know.
        memory: what was learned before, None for nothing.
    """

    def __init__(
        self, view: CutView, control: Control, tell: Callable[[str], None], memory: Memory | None = None
    ) -> None:
        self._view = view
        self._control = control
        self._tell = tell
        self.memory = memory or Memory()
        self.memory.evidence.has_marks = True
        self._known_before = deepcopy(self.memory)
        self._changes: list[Change] = []
        self._game: list[CutObservation] = []
        """The sights of the game that is on, as long as they tell something."""
        self._went_on: CutObservation | None = None
        self._is_over = False

    def watch_game(self, until_s: float = math.inf) -> bool:
        """Watch until a game is over and was learned from.

        Args:
            until_s: until when at most, as `time.perf_counter` tells.

        Returns:
            False when the person asked to finish, or the time is up: what the game had shown by then is kept too.

        Raises:
            Aborted: the abort key was pressed.
        """
        while True:
            seen = self._next_sight(until_s)
            if seen is None:
                self.keep_unfinished()
                return False
            if self._is_learned_from(seen):
                return True

    def keep_unfinished(self) -> None:
        """Keep the last sight that play surely went on after, if there is one that was not kept."""
        sight, self._went_on = self._went_on, None
        if sight is not None and not self._is_over:
            self._keep(sight, shows_mines=False)

    def set_aside(self) -> None:
        """Keep an unfinished game at once: what it means is worked out when learning goes on."""
        sight, self._went_on = self._went_on, None
        if sight is not None and not self._is_over:
            self.memory.unfinished = self._view.board.sight(sight)

    def _next_sight(self, until_s: float) -> CutObservation | None:
        """The board, once it has stood in its place for a while and is not what it was; None when it is time to end."""
        last = self._game[-1].wide.crop(self._view.grid.region).pixels_bgr if self._game else None
        before, since, seen_at = None, 0.0, time.perf_counter()
        is_told = False
        while self._control.is_running and time.perf_counter() < until_s:
            self._control.wait(_POLL_S)
            seen, now = self._view.look(), time.perf_counter()
            if not seen.is_in_place:
                before = None
                if now - seen_at > GONE_S and not is_told:
                    self._tell("the board is covered, or was moved: it is waited for in its old place")
                    is_told = True
                continue
            board, seen_at = seen.frame.pixels_bgr, now
            if before is None or not np.array_equal(board, before):
                before, since = board, now
            elif now - since >= LONG_STILL_S and (last is None or not np.array_equal(board, last)):
                return seen
        self._control.raise_if_aborted()
        return None

    def _is_learned_from(self, seen: CutObservation) -> bool:
        """Take in another sight; whether a game is over with it."""
        if not self._game:
            self._begin(seen)
            return False
        before = self._game[-1]
        if self._has_moved_lattice(before, seen):
            return False
        evidence, was, now = self.memory.evidence, self._view.board.cells(before), self._view.board.cells(seen)
        if not evidence.closed_cells(was).any():
            self._find_closed(was, now)
        if is_new_game(evidence, was, now):
            is_taught, went_on = not self._is_over, self._went_on
            if is_taught and went_on is not None:
                self._keep(went_on, shows_mines=False)
            self._begin(seen)
            return is_taught and went_on is not None
        return not self._is_over and self._goes_on(was, now, seen)

    def _begin(self, seen: CutObservation) -> None:
        """Another game is on the board."""
        self._game, self._went_on, self._is_over = [seen], None, False
        board = self._view.board.cells(seen)
        if is_fresh(board):
            self.memory.evidence.tell_fresh(board)

    def _goes_on(self, was: Pixels, now: Pixels, seen: CutObservation) -> bool:
        """A later sight of the same game; whether it is lost."""
        evidence = self.memory.evidence
        changed = (was != now).any(axis=(2, 3, 4))
        if any(told is not None and told <= NUMBERS for told in evidence.known_labels(was[changed])):
            return False  # numbers never change: something lies over them
        self._game.append(seen)
        if (evidence.closed_cells(was) & ~evidence.closed_cells(now)).any() and len(self._game) > 2:
            self._went_on = self._game[-3]
            evidence.tell_played_on(self._view.board.cells(self._went_on))
        with self._control.thinking():
            judged = evidence.judge(now)
        if judged is None or not judged.shows_mine:
            return False
        self._is_over = True
        return self._keep(seen, shows_mines=True)

    def _keep(self, sight: CutObservation, *, shows_mines: bool) -> bool:
        """Keep the last sight of a game; whether it fits what is known."""
        try:
            with self._control.thinking():
                self.memory.keep_sight(self._view.board.sight(sight), shows_mines=shows_mines)
        except RulesError as error:
            self._tell(f"{error}: this one is left out")
            return False
        return True

    def _find_closed(self, was: Pixels, now: Pixels) -> None:
        """On a board with open cells closed are those that look as an opening did, and as other cells still do."""
        changed = (was != now).any(axis=(2, 3, 4))
        before, after = set(prints_of(was[changed])), set(prints_of(now[changed]))
        if changed.sum() >= _AN_OPENING and len(before) == 1 < len(after) and before <= set(prints_of(now)):
            self.memory.evidence.tell(was[changed][:1], frozenset({CLOSED}))

    def _has_moved_lattice(self, before: CutObservation, after: CutObservation) -> bool:
        """See by the first changes where cells begin; whether that is elsewhere. Then all is learned anew."""
        if len(self._changes) >= MOST_CHANGES or not self._view.board.can_move_lattice:
            return False
        self._changes.append((before, after))
        if not move_lattice(self._view, self._changes):
            return False
        first = self._game[0]
        self.memory = deepcopy(self._known_before)
        self._begin(first)
        self._game.append(after)
        return True


def learn_by_watching(
    screen: Screen,
    pointer: Callable[[], Pixel],
    control: Control,
    options: LiveOptions,
    tell: Callable[[str], None],
    memory: Memory | None = None,
    keep: Callable[[Memory], None] = lambda _: None,
) -> Learned:
    """Wait for the start key, find the board of an unknown clone, and learn its skin while a person plays.

    It ends when the skin is verified, when the games or minutes are used up, or at the start key.

    Args:
        screen: where pictures come from.
        pointer: says where the pointer is: on the board that is meant.
        control: the hot keys.
        options: what was asked for; consent is not needed, nothing is clicked or typed.
        tell: told what a person should know.
        memory: what was learned before, None for nothing.
        keep: given what is known after each game, and when learning is stopped.

    Raises:
        Aborted: the abort key was pressed.
        CalibrationError: there is no board, it is no Minesweeper's, or too little was learned for a skin.
    """
    control.check()
    frame = screen.grab()
    with control.thinking():
        grid, cutter = locate_board(frame, pointer(), tell, memory)
    onlooker = _Onlooker(watch_cut(screen, control, frame, grid, cutter), control, tell, memory)
    until_s = time.perf_counter() + 60 * options.minutes
    enough, n_games = Enough(), 0
    try:
        while n_games < options.n_games and onlooker.watch_game(until_s):
            n_games += 1
            evidence = onlooker.memory.evidence
            with control.thinking():
                known, is_enough = in_words(evidence), enough.is_reached(evidence, ())
            tell(f"game {n_games}: {known}")
            keep(onlooker.memory)
            if not is_enough:
                continue
            with control.thinking():
                found = learned_skin(options.name, onlooker.memory)
            if found.is_verified and (evidence.knows(MINE) or evidence.knows(EXPLODED)):
                return found
            if found.is_verified:
                tell(f"only mines were not seen yet: lose a game, or press {control.start_name} to end without them")
    except Aborted:
        onlooker.set_aside()
        keep(onlooker.memory)
        raise
    keep(onlooker.memory)
    if onlooker.memory.is_empty:
        raise CalibrationError("no game was seen that teaches: nothing is saved")
    with control.thinking():
        return learned_skin(options.name, onlooker.memory)
