"""From presses of mouse buttons to the clicks that a game counts: the community's rules, one state machine.

Replays hold presses and releases. Clones agree on what these mean: a left button opens where it is released; a right
button flags where it is pressed; both together, or the middle one, chord where the first of them is released [1]. The
left button that is still down after a chord does nothing when it is released. A right press that begins a chord
without setting a flag is no click of its own [2].

[1] https://minesweepergame.com/wiki.php, "Chording" and "1.5 Click"; the events' names are those of RAWVF.
[2] The count of ms_toollib, https://github.com/eee555/ms_toollib; the tests hold all counts against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from solver.board import CLOSED, FLAG, Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.game import Game
    from solver.topology import Cell


class Press(NamedTuple):
    """One event of a mouse.

    Attributes:
        seconds: since the game began; below 0 before that.
        kind: `lc`, `lr` the left button goes down, comes up; `rc`, `rr` and `mc`, `mr` the right and the middle one;
            `sc` the left one with Shift; `cc` both the left and the right one; `pf` a right click in one event; `mt`
            switches question marks.
        cell: where; None beside the board.
    """

    seconds: float
    kind: str
    cell: Cell | None


KINDS = frozenset({"lc", "lr", "rc", "rr", "mc", "mr", "sc", "cc", "pf", "mt"})
"""The kinds of events that mean something; all others (`mv`) are left out by the readers."""


class CountedButton(Enum):
    """By what a click is counted."""

    LEFT = "left"
    RIGHT = "right"
    DOUBLE = "double"


class CountedClick(NamedTuple):
    """One click that a game counts, useful or not.

    Attributes:
        seconds: as in `Press`.
        button: what it is counted as; None: nobody's click is known, but the cell was open by then.
        action: what it asks for: open, flag, chord; None: nothing, as a right click on a number, or one that only takes
            a question mark away.
        cell: where.
    """

    seconds: float
    button: CountedButton | None
    action: Action | None
    cell: Cell


@dataclass
class ReplayedMouse:
    """The buttons of one mouse over one game.

    Attributes:
        game: what the clicks are made on; whoever takes a click from here makes it before taking the next one.
        has_question_marks: whether a second right click makes one of a flag.
        chords_by_left: whether a left click on a number chords.
    """

    game: Game
    has_question_marks: bool = False
    chords_by_left: bool = False
    _left: bool = False
    _right: bool = False
    _middle: bool = False
    _shift: bool = False
    _is_spent: bool = False
    """The left button is still down after a chord."""
    _pending: Cell | None = None
    """The cell that takes no flag on which the right button went down: it may begin a chord yet."""
    _questions: set[Cell] = field(default_factory=set)

    def iter_clicks(self, presses: Iterable[Press]) -> Iterator[CountedClick]:
        """Yield the clicks that these presses make, one by one: the game changes in between."""
        for press in presses:
            if self.game.is_over:
                return
            click = self._take(press)
            if click is not None:
                yield click

    def _take(self, press: Press) -> CountedClick | None:  # noqa: C901, PLR0911 - one table of events
        seconds, kind, cell = press
        if kind in {"lc", "sc"}:
            if not self._middle:
                self._left, self._shift, self._is_spent = True, kind == "sc", False
            return None
        if kind == "rc":
            return None if self._middle else self._press_right(press)
        if kind == "mc":
            self._left = self._right = self._shift = self._is_spent = False
            self._pending, self._middle = None, True
            return None
        if kind == "lr":
            return self._release_left(press)
        if kind == "rr":
            return self._release_right(press)
        if kind == "mr":
            was_down, self._middle = self._middle, False
            return _click(seconds, CountedButton.DOUBLE, Action.CHORD, cell) if was_down else None
        if kind == "cc":
            self._left = self._right = True
            self._is_spent = False
            return None
        if kind == "pf":
            return None if cell is None else self._mark(seconds, cell)
        if kind == "mt":
            self.has_question_marks = not self.has_question_marks
            return None
        raise AssertionError(f"unknown event {kind!r}")

    def _press_right(self, press: Press) -> CountedClick | None:
        self._right, self._shift, self._pending = True, False, None
        if self._left or press.cell is None:
            return None
        if self.game.code(press.cell) in (CLOSED, FLAG):
            return self._mark(press.seconds, press.cell)
        self._pending = press.cell
        return None

    def _release_left(self, press: Press) -> CountedClick | None:
        if not self._left:
            return None
        is_spent, is_shift = self._is_spent, self._shift
        self._left = self._is_spent = self._shift = False
        if self._right:
            self._pending = None
            return _click(press.seconds, CountedButton.DOUBLE, Action.CHORD, press.cell)
        if is_spent or press.cell is None:
            return None
        if is_shift or (self.chords_by_left and self.game.code(press.cell) >= 0):
            return _click(press.seconds, CountedButton.DOUBLE, Action.CHORD, press.cell)
        self._questions.discard(press.cell)
        return _click(press.seconds, CountedButton.LEFT, Action.OPEN, press.cell)

    def _release_right(self, press: Press) -> CountedClick | None:
        if not self._right:
            return None
        pending, self._right, self._pending = self._pending, False, None
        if self._left:
            self._is_spent = True
            return _click(press.seconds, CountedButton.DOUBLE, Action.CHORD, press.cell)
        return _click(press.seconds, CountedButton.RIGHT, None, pending)

    def _mark(self, seconds: float, cell: Cell) -> CountedClick | None:
        """A flag is set or taken away; a question mark comes in between, and is no flag."""
        if cell in self._questions:
            self._questions.discard(cell)
            return CountedClick(seconds, CountedButton.RIGHT, None, cell)
        if self.has_question_marks and self.game.code(cell) == FLAG:
            self._questions.add(cell)
        return CountedClick(seconds, CountedButton.RIGHT, Action.FLAG, cell)


def _click(seconds: float, button: CountedButton, action: Action | None, cell: Cell | None) -> CountedClick | None:
    return None if cell is None else CountedClick(seconds, button, action, cell)
