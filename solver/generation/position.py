"""A game on a layout that may change under it: how far proofs of a level go, and mines that move.

The truth and what is open of it. Everything is proven anew from the open numbers alone, so a mine may move at any time:
the numbers that are open then change with it, and what is open stays open. A board is finished only when it was played
from its first cell to its end without such a change.

The cell that a generated board is begun at.

What to do where nothing is proven any more: which mines to move so that it goes on.

One open number beside doubtful cells is settled: all its mines move away, or all its doubtful cells become mines. The
other half of the exchange is with uncharted cells, and where they have no room with any other. Whether mines are taken
from the uncharted cells or brought there is decided by where they lie thicker: so they crowd nowhere. And the border
keeps its share: `BorderBalance` counts how many mines have come to lie on it or have left it, and the next to move
make up for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver import kernel
from solver.analysis import analyse
from solver.board import CLOSED, Board
from solver.errors import BoardValueError
from solver.layout import Layout
from solver.rules import LEVELS, deduce
from solver.topology import box_sum

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from solver.rules import Level
    from solver.topology import Cell, Topology


def find_hint(layout: Layout) -> Cell:
    """Return the zero nearest the centre, without a zero the safe cell nearest it; of equals the first row by row.

    Raises:
        BoardValueError: every cell is a mine.
    """
    return layout.topology.cell(hint_index(layout.shape, layout.has_mine.ravel(), layout.numbers.ravel()))


def hint_index(shape: tuple[int, ...], has_mine: NDArray[np.bool_], numbers: NDArray[np.int16]) -> int:
    """`find_hint` on flat arrays, row by row.

    Raises:
        BoardValueError: every cell is a mine.
    """
    rank = np.where(has_mine, 2, numbers != 0)
    best = np.lexsort((_distances(shape), rank))[0]
    if has_mine[best]:
        raise BoardValueError("expected a cell without a mine to begin at, got mines only")
    return int(best)


@lru_cache(maxsize=8)
def _distances(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Of every cell the square of twice its distance from the centre: whole numbers, so that equals are equal."""
    from_centre = [2 * along.ravel() - (side - 1) for along, side in zip(np.indices(shape), shape, strict=True)]
    distances: NDArray[np.int64] = np.sum([along.astype(np.int64) ** 2 for along in from_centre], axis=0)
    distances.setflags(write=False)
    return distances


class Position:
    """A layout and what a player has opened of it. All arrays are flat, row by row.

    Attributes:
        topology: the shape, and who neighbours whom.
        n_mines: how many mines; a move changes only where they are.
        has_mine: bool.
        numbers: int16: the mines beside every cell, of mines too.
        codes: int16: what the player sees, codes of `solver.board`.
    """

    def __init__(self, layout: Layout) -> None:
        self.topology = layout.topology
        self.n_mines = layout.n_mines
        self.has_mine = layout.has_mine.ravel().copy()
        self.numbers = layout.numbers.ravel().copy()
        self.codes = np.full(self.has_mine.size, CLOSED, dtype=np.int16)

    @property
    def layout(self) -> Layout:
        """Where the mines are now."""
        return Layout(self.has_mine.reshape(self.topology.shape), self.topology.wrap)

    @property
    def board(self) -> Board:
        """What the player sees."""
        return Board(self.codes.reshape(self.topology.shape), self.n_mines, self.topology.wrap)

    @property
    def n_closed(self) -> int:
        """How many cells are closed."""
        return int((self.codes == CLOSED).sum())

    @property
    def is_solved(self) -> bool:
        """Whether every safe cell is open."""
        return self.n_closed == self.n_mines

    def begin(self, first: int) -> None:
        """Close every cell, and open the first, which has no mine."""
        self.codes.fill(CLOSED)
        self.open([first])

    def open(self, cells: Iterable[int]) -> None:
        """Open cells that have no mine, and what their zeros open."""
        near_of, waiting = self.topology.near_of, list(cells)
        while waiting:
            cell = waiting.pop()
            if self.codes[cell] != CLOSED:
                continue
            self.codes[cell] = self.numbers[cell]
            if self.numbers[cell] == 0:
                waiting.extend(near_of(cell))

    def move_mines(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Move as many mines from cells that have one to cells that have none; open targets are closed again."""
        for cells, change in ((sources, -1), (targets, 1)):
            for cell in cells:
                self.has_mine[cell] = change > 0
                self.numbers[list(self.topology.near_of(cell))] += change
        self.codes[list(targets)] = CLOSED
        is_open = self.codes != CLOSED
        self.codes[is_open] = self.numbers[is_open]

    def play_on(self, level: Level) -> NDArray[np.bool_]:
        """Open what a level proves until it proves no cell safe any more.

        Returns:
            Which closed cells it proves mines, there; nothing is said of a solved board.
        """
        is_fast = kernel.load()
        while True:
            if is_fast:
                self._prove_fast(is_counting=level == "full")
            safe, mines = ((), ()) if self.is_solved else self._deduce(level, is_fast=is_fast)
            if not safe:
                proven = np.zeros(self.codes.size, dtype=np.bool_)
                proven[[self.topology.index(cell) for cell in mines]] = True
                return proven
            self.open(map(self.topology.index, safe))

    def _prove_fast(self, *, is_counting: bool) -> None:
        truth = np.where(self.has_mine, np.int16(-1), self.numbers)
        kernel.prove(truth, self.codes, self.topology, self.n_mines, is_counting=is_counting)

    def _deduce(self, level: Level, *, is_fast: bool) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """What a level proves of the position: safe cells, and mines."""
        if level != "full":
            deduction = deduce(self.board.with_mines(None), level)
            if not deduction.safe:  # near the end rules take a hundred times as long about the mine count
                deduction = deduce(self.board, level)
            return deduction.safe, deduction.mines
        if not is_fast:
            analysis = analyse(self.board)
            return analysis.safe, analysis.mines
        found = kernel.analyse(self.board)
        if isinstance(found, int):  # too wide to be counted: then it is taken for one where nothing is proven
            return (), ()
        return (), [self.topology.cell(index) for index in np.flatnonzero(found.proof > 0).tolist()]


def is_solved_by(layout: Layout, first_cell: Cell, level: Level) -> bool:
    """Whether a level's proofs alone open every safe cell from a first cell, which has no mine."""
    position = Position(layout)
    position.begin(layout.topology.index(first_cell))
    position.play_on(level)
    return position.is_solved


def level_of(layout: Layout, first_cell: Cell) -> Level | None:
    """The weakest level whose proofs alone solve a layout from a first cell, which has no mine; None: it takes a guess.

    Some 0.1 s for an expert board.
    """
    return next((level for level in LEVELS if is_solved_by(layout, first_cell, level)), None)


class Move(NamedTuple):
    """Mines that changed their places.

    Attributes:
        sources, targets: flat indices: where they were, and where they are now; as many.
    """

    sources: list[int]
    targets: list[int]


class BorderBalance:
    """How many mines the border has gained since the layout was drawn, and which cells it is."""

    def __init__(self, topology: Topology) -> None:
        n_near = np.diff(topology.neighbour_table[0])
        self.is_border: NDArray[np.bool_] = n_near < n_near.max()
        self.gained = 0

    def count(self, sources: list[int], targets: list[int]) -> None:
        """Enter mines that were taken away, or put there."""
        self.gained += int(self.is_border[targets].sum()) - int(self.is_border[sources].sum())

    def prefer(self, cells: list[int], *, is_source: bool, rng: random.Random) -> int:
        """Choose one of the cells, on the border or off it as the border's balance asks, and enter it."""
        wants_border = self.gained > 0 if is_source else self.gained < 0
        fitting = [cell for cell in cells if self.is_border[cell] == wants_border]
        chosen = rng.choice(fitting or cells)
        self.count([chosen] if is_source else [], [] if is_source else [chosen])
        return chosen


def unblock(
    position: Position,
    proven: NDArray[np.bool_],
    kept_free: NDArray[np.bool_],
    ledger: BorderBalance,
    rng: random.Random,
) -> Move | None:
    """Move mines so that something is proven that was not.

    Args:
        position: where nothing is proven safe; changed.
        proven: which closed cells are proven mines.
        kept_free: which cells must not get a mine.
        ledger: of the mines moved so far.
        rng: what chooses.

    Returns:
        What was moved; None when nothing can be.
    """
    is_closed = position.codes == CLOSED
    is_doubtful = is_closed & ~proven
    n_doubtful = _beside(position, is_doubtful)
    clues = np.flatnonzero(~is_closed & (n_doubtful > 0)).tolist()
    if not clues:
        move = _break_wall(position, is_doubtful, proven, n_doubtful, ledger, rng)
    else:
        is_uncharted = is_doubtful & (_beside(position, ~is_closed) == 0)
        move = _settle(position, rng.choice(clues), is_doubtful, is_uncharted, kept_free, ledger, rng)
    if move is not None:
        position.move_mines(*move)
    return move


def _beside(position: Position, is_meant: NDArray[np.bool_]) -> NDArray[np.int16]:
    """How many cells beside each cell, itself included, are meant."""
    grid = is_meant.reshape(position.topology.shape).astype(np.int16)
    return box_sum(grid, wrap=position.topology.wrap).ravel()


def _settle(
    position: Position,
    clue: int,
    is_doubtful: NDArray[np.bool_],
    is_uncharted: NDArray[np.bool_],
    kept_free: NDArray[np.bool_],
    ledger: BorderBalance,
    rng: random.Random,
) -> Move | None:
    """Make all doubtful cells beside a number mines, or all safe."""
    cells = [near for near in position.topology.near_of(clue) if is_doubtful[near]]
    mined = [cell for cell in cells if position.has_mine[cell]]
    free = [cell for cell in cells if not position.has_mine[cell]]
    can_fill = not kept_free[free].any() and position.n_closed < position.has_mine.size - 1  # nor wall in the first
    elsewhere = np.ones(is_doubtful.size, dtype=np.bool_)
    elsewhere[cells] = False
    elsewhere[clue] = False
    for pool in (is_uncharted & elsewhere, elsewhere):
        sources = np.flatnonzero(pool & position.has_mine).tolist()
        targets = np.flatnonzero(pool & ~position.has_mine & ~kept_free).tolist()
        may_fill, may_empty = can_fill and len(sources) >= len(free), len(targets) >= len(mined)
        if may_fill and may_empty:
            is_thick = len(sources) * position.has_mine.size > position.n_mines * int(pool.sum())
            may_fill, may_empty = is_thick, not is_thick
        if may_fill:
            ledger.count([], free)
            return Move(_choose(sources, len(free), ledger, is_source=True, rng=rng), free)
        if may_empty:
            ledger.count(mined, [])
            return Move(mined, _choose(targets, len(mined), ledger, is_source=False, rng=rng))
    return None


def _break_wall(
    position: Position,
    is_doubtful: NDArray[np.bool_],
    proven: NDArray[np.bool_],
    n_doubtful: NDArray[np.int16],
    ledger: BorderBalance,
    rng: random.Random,
) -> Move | None:
    """Where proven mines shut off all doubtful cells: move one of them in among those."""
    wall = np.flatnonzero(proven & (n_doubtful > 0)).tolist()
    inside = np.flatnonzero(is_doubtful & ~position.has_mine).tolist()
    if not wall or not inside:
        return None
    source = [rng.choice(wall)]
    ledger.count(source, [])
    return Move(source, _choose(inside, 1, ledger, is_source=False, rng=rng))


def _choose(cells: list[int], n: int, ledger: BorderBalance, *, is_source: bool, rng: random.Random) -> list[int]:
    """Choose cells one by one, as the border's balance asks."""
    left, chosen = cells, []
    for _ in range(n):
        chosen.append(ledger.prefer(left, is_source=is_source, rng=rng))
        left = [cell for cell in left if cell != chosen[-1]]
    return chosen
