"""How a game measures up: the figures of the speed-running community.

| figure | is |
|---|---|
| 3BV | the fewest left clicks that clear the board without flags: openings, and numbers that touch none |
| openings, islands | groups of zeros with their rims; groups of numbers that touch none |
| ZiNi, HZiNi | clicks of two greedy ways to clear the board with flags and chords [2] |
| clicks | left, right and double (chords), useful or not; the effective ones changed the board |
| 3BV/s | 3BV that was solved, by seconds |
| IOE | index of efficiency: solved 3BV by clicks |
| Corr. | correctness: effective clicks by clicks |
| Thrp. | throughput: solved 3BV by effective clicks; IOE is the product of the two |
| RQP | rapport qualité prix: seconds by 3BV/s |

The words are those of [1]. Two sources count effective right clicks in two ways. Here, as in ms_toollib, each mine
that gets a flag counts once; in [1] every click that sets a flag or takes one away is effective. Of a lost game an
opening counts as solved when it is whole.

[1] https://minesweepergame.com/statistics.php
[2] E. Zimmermann, "New benchmark: 3BV for flaggers", 2009, https://minesweepergame.com/forum/viewtopic.php?f=15&t=70:
    the premium of a cell is what a chord there saves. The best cell, top left first, is opened, its mines are flagged,
    and it is chorded on, while that saves something or costs nothing; else the next cell is opened. HZiNi opens all
    openings first and chords on open cells alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bot.reviewing.mouse import CountedButton
from solver.board import Action, GameState
from solver.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from bot.reviewing.replay_files import ReplayStep
    from solver.topology import Cell

_BUTTONS = tuple(CountedButton)


@dataclass(frozen=True)
class Figures:
    """The figures of one game; those that divide by what there is none of are None.

    Attributes:
        seconds: how long it took; None where it is not known.
        bbbv: of the board.
        bbbv_solved: what of it was opened.
        openings, islands, zini, hzini: of the board.
        left, right, double: clicks.
        left_effective, right_effective, double_effective: those that changed the board.
        flags: most flags that stood at once.
    """

    seconds: float | None
    bbbv: int
    bbbv_solved: int
    openings: int
    islands: int
    zini: int
    hzini: int
    left: int
    right: int
    double: int
    left_effective: int
    right_effective: int
    double_effective: int
    flags: int

    @property
    def clicks(self) -> int:
        """All clicks."""
        return self.left + self.right + self.double

    @property
    def effective(self) -> int:
        """All clicks that changed the board."""
        return self.left_effective + self.right_effective + self.double_effective

    @property
    def bbbv_s(self) -> float | None:
        """3BV a second."""
        return _ratio(self.bbbv_solved, self.seconds)

    @property
    def clicks_s(self) -> float | None:
        """Clicks a second."""
        return _ratio(self.clicks, self.seconds)

    @property
    def ioe(self) -> float | None:
        """Index of efficiency."""
        return _ratio(self.bbbv_solved, self.clicks)

    @property
    def corr(self) -> float | None:
        """Correctness."""
        return _ratio(self.effective, self.clicks)

    @property
    def thrp(self) -> float | None:
        """Throughput."""
        return _ratio(self.bbbv_solved, self.effective)

    @property
    def rqp(self) -> float | None:
        """Rapport qualité prix."""
        return None if self.seconds is None or not self.bbbv_s else self.seconds / self.bbbv_s

    def as_json(self) -> dict[str, Any]:
        """All of them by their names."""
        names = ("clicks", "effective", "bbbv_s", "clicks_s", "ioe", "corr", "thrp", "rqp")
        return asdict(self) | {name: getattr(self, name) for name in names}


def _ratio(part: float, whole: float | None) -> float | None:
    return part / whole if whole else None


def measure(layout: Layout, steps: Sequence[ReplayStep], seconds: float | None) -> Figures:
    """Measure a game.

    Args:
        layout: where the mines were.
        steps: all its clicks, and what they did.
        seconds: how long it took by its file; None: to its last click, if it has a time.
    """
    counts = dict.fromkeys(_BUTTONS, 0)
    effective = dict.fromkeys(_BUTTONS, 0)
    flagged: set[tuple[int, ...]] = set()
    standing: set[tuple[int, ...]] = set()
    n_flags = 0
    for step in steps:
        button, cell = step.click.button, step.click.cell
        if step.click.action is Action.FLAG and step.changed:
            standing ^= {cell}
            n_flags = max(n_flags, len(standing))
        if button is None:
            continue
        counts[button] += 1
        if button is CountedButton.RIGHT:
            is_first = step.changed and bool(layout.has_mine[cell]) and cell not in flagged
            flagged |= {cell} if is_first else set()
            effective[button] += is_first
        else:
            effective[button] += bool(step.opened) and not (
                button is CountedButton.LEFT and step.after is GameState.LOST and layout.has_mine[cell]
            )
    ways = Ways(layout)
    return Figures(
        seconds=(steps[-1].click.seconds if steps else None) if seconds is None else seconds,
        bbbv=layout.bbbv,
        bbbv_solved=layout.bbbv_of(_opened_by(layout, steps)),
        openings=ways.n_openings,
        islands=ways.n_islands,
        zini=ways.zini(),
        hzini=ways.hzini(),
        left=counts[CountedButton.LEFT],
        right=counts[CountedButton.RIGHT],
        double=counts[CountedButton.DOUBLE],
        left_effective=effective[CountedButton.LEFT],
        right_effective=effective[CountedButton.RIGHT],
        double_effective=effective[CountedButton.DOUBLE],
        flags=n_flags,
    )


def _opened_by(layout: Layout, steps: Iterable[ReplayStep]) -> NDArray[np.bool_]:
    is_open = np.zeros(layout.shape, dtype=np.bool_)
    for step in steps:
        for cell in step.opened:
            is_open[cell] = True
    is_open[layout.has_mine] = False
    return is_open


class FlagEarnings(NamedTuple):
    """What one flag earned.

    Attributes:
        chords: the numbers of the clicks, from 0, that chorded with it and opened something.
        saved: clicks that it saved against a player without flags; below 0 it cost some.
    """

    chords: tuple[int, ...]
    saved: float


def weigh_flags(layout: Layout, steps: Sequence[ReplayStep]) -> dict[int, FlagEarnings]:
    """Weigh what each flag earned.

    A chord saves the 3BV that it solves, less its own click: a player without flags needs one left click for each. So
    k numbers that touch no opening save k - 1; an opening counts once, when it is whole; the rim of an opening that
    stays closed counts nothing, for the opening's own click opens it too. That is the premium of ZiNi [2]. The flags
    beside the number share it evenly. Each flag costs the click that sets it, and the one that takes it away. All flags
    together saved the 3BV that was solved by chords on them, less these chords and all clicks
    that set flags or took them away. Clicks on question marks are nobody's.

    Args:
        layout: where the mines were.
        steps: all clicks of the game, and what they did.

    Returns:
        By the number of the click, from 0, that set a flag: what that flag earned.
    """
    ways, n_rows = Ways(layout), layout.shape[0]
    is_open: set[int] = set()
    standing: dict[Cell, int] = {}
    chords: dict[int, list[int]] = {}
    saved: dict[int, float] = {}
    for n, step in enumerate(steps):
        cell, opened = step.click.cell, {col * n_rows + row for row, col in step.opened}
        is_open |= opened
        if step.click.action is Action.FLAG and step.changed:
            if cell in standing:
                saved[standing.pop(cell)] -= 1.0
            else:
                standing[cell], chords[n], saved[n] = n, [], -1.0
        elif step.click.action is Action.CHORD and opened:
            beside = [standing[near] for near in layout.topology.neighbours(cell) if near in standing]
            for flag in beside:
                chords[flag].append(n)
                saved[flag] += (ways.solved_by(opened, is_open) - 1) / len(beside)
    return {flag: FlagEarnings(tuple(chords[flag]), saved[flag]) for flag in saved}


class Ways:
    """Ways to clear a board: its openings and islands, and the fewest clicks that greedy players need.

    Cells are numbered column by column here, as the community's programs do: their order decides between equal cells.

    Args:
        layout: where the mines were, on a flat board.

    Attributes:
        near_of: of each cell its neighbours.
        numbers, has_mine: of each cell.
        openings: the cells of each, its rim included.
        in_openings: of each cell the openings it belongs to.
        is_lone: whether a cell is a number that touches no opening: it adds one to the 3BV.
    """

    def __init__(self, layout: Layout) -> None:
        turned = Layout(layout.has_mine.T)
        self.near_of = [tuple(turned.topology.near_of(index)) for index in range(turned.topology.n_cells)]
        self.numbers: list[int] = turned.numbers.ravel().tolist()
        self.has_mine: list[bool] = turned.has_mine.ravel().tolist()
        self.openings: list[set[int]] = []
        self.in_openings: list[list[int]] = [[] for _ in self.numbers]
        for index, number in enumerate(self.numbers):
            if number == 0 and not self.has_mine[index] and not self.in_openings[index]:
                opening = turned.opened_by(index)
                for cell in opening:
                    self.in_openings[cell].append(len(self.openings))
                self.openings.append(opening)
        self.is_lone = [not mine and not of for mine, of in zip(self.has_mine, self.in_openings, strict=True)]

    @property
    def n_openings(self) -> int:
        """How many openings there are."""
        return len(self.openings)

    @cached_property
    def n_islands(self) -> int:
        """How many islands there are: numbers that touch no opening, joined by sides and corners."""
        left = {index for index, is_lone in enumerate(self.is_lone) if is_lone}
        n_islands = 0
        while left:
            n_islands += 1
            waiting = [left.pop()]
            while waiting:
                beside = left.intersection(self.near_of[waiting.pop()])
                left -= beside
                waiting += beside
        return n_islands

    def solved_by(self, opened: Iterable[int], is_open: AbstractSet[int]) -> int:
        """The 3BV that a click solved by opening some cells, where `is_open` is open after it."""
        of_these = {number for cell in opened for number in self.in_openings[cell]}
        return sum(self.is_lone[cell] for cell in opened) + sum(self.openings[n] <= is_open for n in of_these)

    def zini(self) -> int:
        """The clicks of the greedy way."""
        return _Greedy(self).clear()

    def hzini(self) -> int:
        """The clicks of the greedy way of a person, who opens all openings first."""
        greedy = _Greedy(self, is_human=True)
        for opening in self.openings:
            greedy.click(next(cell for cell in opening if self.numbers[cell] == 0))
        return greedy.clear()


_NEVER = -1_000  # the premium of a cell on which nobody chords


class _Greedy:
    """One greedy way through a board: what is open and flagged so far, and what a chord on each cell would save."""

    def __init__(self, ways: Ways, *, is_human: bool = False) -> None:
        self._ways = ways
        self._is_human = is_human
        self._n_clicks = 0
        n_cells = len(ways.numbers)
        self._is_open = [False] * n_cells
        self._is_flagged = [False] * n_cells
        self._n_left = ways.has_mine.count(False)
        self._premium = np.full(n_cells, _NEVER, dtype=np.int64)
        self._weigh(range(n_cells))

    def clear(self) -> int:
        """Go on until every cell is open; the clicks in all."""
        next_cell = 0
        while self._n_left:
            best = int(self._premium.argmax())
            if self._premium[best] >= 0:
                self._solve(best)
                continue
            while not self._is_next(next_cell):
                next_cell += 1
            self.click(next_cell)
        return self._n_clicks

    def click(self, index: int) -> None:
        """Open a cell; a zero opens its opening."""
        self._n_clicks += 1
        self._open(index)

    def _is_next(self, index: int) -> bool:
        """Whether a cell is closed, and its click is 3BV: a zero, or a number that touches none."""
        ways = self._ways
        is_zero = ways.numbers[index] == 0 and not ways.has_mine[index]
        return not self._is_open[index] and (ways.is_lone[index] or is_zero)

    def _solve(self, index: int) -> None:
        """Open a cell, flag its mines and chord on it."""
        if not self._is_open[index]:
            self.click(index)
        touched = {index}
        for near in self._ways.near_of[index]:
            if self._ways.has_mine[near] and not self._is_flagged[near]:
                self._is_flagged[near] = True
                self._n_clicks += 1
                touched.update(self._ways.near_of[near])
        self._n_clicks += 1
        for near in self._ways.near_of[index]:
            if not self._ways.has_mine[near]:
                self._open(near)
        self._weigh(touched)

    def _open(self, index: int) -> None:
        if self._is_open[index]:
            return
        ways = self._ways
        cells = ways.openings[ways.in_openings[index][0]] if ways.numbers[index] == 0 else {index}
        touched: set[int] = set()
        for cell in cells:
            if not self._is_open[cell]:
                self._is_open[cell] = True
                self._n_left -= 1
                touched.add(cell)
                touched.update(ways.near_of[cell])
        self._weigh(touched)

    def _weigh(self, cells: Iterable[int]) -> None:
        """Set what a chord on each of these cells saves."""
        for index in cells:
            is_out = self._ways.has_mine[index] or (self._is_human and not self._is_open[index])
            self._premium[index] = _NEVER if is_out else self._gain(index)

    def _gain(self, index: int) -> int:
        """The 3BV beside a cell that is closed, less flags that lack, the chord, and the cell's own click."""
        ways = self._ways
        gain = -1 - (not self._is_open[index])
        openings: set[int] = set()
        for cell in (index, *ways.near_of[index]):
            if ways.has_mine[cell]:
                gain -= not self._is_flagged[cell]
            elif not self._is_open[cell]:
                gain += ways.is_lone[cell]
                if ways.numbers[cell] == 0:
                    openings.update(ways.in_openings[cell])
        return gain + len(openings)
