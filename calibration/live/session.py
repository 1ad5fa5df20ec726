"""One run of learning by playing: finds the board, plays games until two agree, makes the skin."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.playing.focus import FocusWatch
from bot.playing.hand import Hand
from calibration.errors import CalibrationError, NoLatticeError, RulesError
from calibration.grids import find_cuts
from calibration.joint import NUMBERS
from calibration.live.camera import Camera
from calibration.live.evidence import is_fresh, prints_of
from calibration.live.extent import widest
from calibration.live.learner import Ending, Learner
from calibration.live.restart import Restarter
from calibration.live.result import learned
from skins.skin import EXPLODED, FLAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Frame, Pixel
    from bot.playing.control import Control
    from bot.playing.manner import Ports
    from calibration.grids import Cut
    from calibration.joint import Labels
    from calibration.learning import Learned
    from calibration.live.evidence import Evidence

_IN_ORDER = 0.8
_MOST_BROKEN_OFF = 3


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What a run was asked to do.

    Attributes:
        name: what the skin is called.
        n_games: the most games that are played.
        minutes: and for how long.
        has_consent: whether keys and clicks that begin a new game may be tried.
    """

    name: str
    n_games: int = 8
    minutes: float = math.inf
    has_consent: bool = False


def learn_live(ports: Ports, control: Control, options: LiveOptions, tell: Callable[[str], None]) -> Learned:
    """Wait for the start key, find the board of an unknown clone, and learn its look by playing.

    Raises:
        Aborted: the abort key was pressed.
        CalibrationError: there is no board, it is no Minesweeper's, or too little was learned for a skin.
    """
    control.check()
    frame = ports.screen.grab()
    cut = choose_board(frame, find_cuts(frame), ports.mouse.position())
    grid = widest(frame, cut.grid) if is_fresh(cut.cells) else cut.grid
    height, width = cut.cells.shape[2:4]
    tell(f"a board of {grid.rows}x{grid.cols} cells of {width}x{height} px at {tuple(grid.origin)}")
    focus = FocusWatch(ports.programs)
    focus.learn(grid.region.middle)
    hand = Hand(ports.mouse, control, focus, lambda what: tell(f"{what}: paused; the start key goes on"))
    camera = Camera(ports.screen, control, frame, grid)
    restarter = Restarter(ports.keyboard, hand, focus, control, tell, has_consent=options.has_consent)
    learner = Learner(camera, hand, control, tell, lambda: restarter.close_dialog(camera))
    return _Run(learner, camera, restarter, options, tell).to_end()


def choose_board(frame: Frame, cuts: list[Cut], pointer: Pixel) -> Cut:
    """The board to play on: the only one, or of several the one under the pointer.

    Raises:
        NoLatticeError: there is none, or several and none under the pointer.
    """
    found = [cut for cut in cuts if cut.share_alike >= _IN_ORDER]
    if not found:
        height, width = frame.pixels_bgr.shape[:2]
        raise NoLatticeError(f"nothing on the screen ({width}x{height} px) repeats as the cells of a board do")
    pointed_at = [cut for cut in found if cut.grid.region.has_pixel(pointer)]
    if len(found) > 1 and not pointed_at:
        places = ", ".join(f"{cut.grid.rows}x{cut.grid.cols} at {tuple(cut.grid.origin)}" for cut in found)
        raise NoLatticeError(f"several things may be boards: {places}; put the pointer on the one that is meant")
    return (pointed_at or found)[0]


class _Run:
    """Games until enough is known."""

    def __init__(
        self, learner: Learner, camera: Camera, restarter: Restarter, options: LiveOptions, tell: Callable[[str], None]
    ) -> None:
        self._learner = learner
        self._camera = camera
        self._restarter = restarter
        self._options = options
        self._tell = tell
        self._seen: set[Labels] = set()
        self._until_s = time.perf_counter() + 60 * options.minutes

    def to_end(self) -> Learned:
        """Play, and make the skin."""
        n_broken_off = 0
        for n_game in range(1, self._options.n_games + 1):
            ending = self._learner.play(self._until_s)
            evidence = self._learner.evidence
            self._tell(f"game {n_game}: {ending.value}; {_in_words(evidence)}")
            n_broken_off = n_broken_off + 1 if ending is Ending.BROKEN_OFF else 0
            is_late = time.perf_counter() >= self._until_s
            if n_broken_off >= _MOST_BROKEN_OFF and not is_late:
                raise RulesError("game after game fits no rules of Minesweeper: nothing is saved")
            if is_late or n_game == self._options.n_games:
                break
            if evidence.ended and self._is_enough(evidence):
                found = self._result()
                if found.is_verified:
                    return found
            first, last = self._learner.first, self._learner.last
            assert first is not None, "a game was looked at"
            assert last is not None, "and to its end"
            self._restarter.begin(self._camera, evidence, first, last)
        if not self._learner.evidence.ended:
            raise CalibrationError("no game was played to an end that teaches: nothing is saved")
        return self._result()

    def _is_enough(self, evidence: Evidence) -> bool:
        """Whether all that was seen is known, the last game showed nothing new, and play has nothing left to show."""
        _, labels = evidence.all_labelled()
        before, self._seen = self._seen, set(labels)
        if before != self._seen:
            return False
        has_flag = evidence.knows(FLAG) or not self._learner.can_flag
        return has_flag and evidence.knows(EXPLODED) and evidence.knows("0") and all(len(one) == 1 for one in labels)

    def _result(self) -> Learned:
        return learned(
            self._options.name,
            self._learner.evidence,
            self._learner.sights,
            self._camera,
            self._restarter.known,
            has_question_marks=self._learner.has_question_marks,
        )


def _in_words(evidence: Evidence) -> str:
    """What is known so far."""
    if not evidence.ended:
        return "nothing is known yet"
    appearances, labels = evidence.all_labelled()
    assert len(labels) == len(prints_of(appearances.pixels_bgr)), "one set a look"
    numbers = sorted(min(one) for one in labels if len(one) == 1 and one <= NUMBERS)
    open_sets = sorted("/".join(sorted(one)) for one in labels if len(one) > 1)
    text = f"known: {', '.join(dict.fromkeys(numbers))}"
    text += "".join(f", {label}" for label in (FLAG, EXPLODED) if evidence.knows(label))
    return text + (f"; open: {', '.join(open_sets)}" if open_sets else "")
