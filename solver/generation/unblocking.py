"""What to do where nothing is proven any more: which mines to move so that it goes on.

One open number beside doubtful cells is settled: all its mines move away, or all its doubtful cells become mines. The
other half of the exchange is with uncharted cells, and where they have no room with any other. Whether mines are taken
from the uncharted cells or brought there is decided by where they lie thicker: so they crowd nowhere. And the border
keeps its share: `Ledger` counts how many mines have come to lie on it or have left it, and the next to move make up for
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.board import CLOSED
from solver.topology import box_sum

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

    from solver.generation.position import Position
    from solver.topology import Topology


class Move(NamedTuple):
    """Mines that changed their places.

    Attributes:
        sources, targets: flat indices: where they were, and where they are now; as many.
    """

    sources: list[int]
    targets: list[int]


class Ledger:
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
    ledger: Ledger,
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
    ledger: Ledger,
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
    ledger: Ledger,
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


def _choose(cells: list[int], n: int, ledger: Ledger, *, is_source: bool, rng: random.Random) -> list[int]:
    """Choose cells one by one, as the border's balance asks."""
    left, chosen = cells, []
    for _ in range(n):
        chosen.append(ledger.prefer(left, is_source=is_source, rng=rng))
        left = [cell for cell in left if cell != chosen[-1]]
    return chosen
