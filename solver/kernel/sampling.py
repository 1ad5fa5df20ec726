"""Walking at random through the models of clusters too wide to be counted.

Block Gibbs sampling. A step takes a few cells that hang together, lists every way to fill them that leaves all numbers
as they are, and draws one of these by its weight; the rest of the model stays. Each step keeps the distribution of the
weighted models, since neither the choice of the block nor the limits on its listing look at what is inside it. What a
step adds to the sums are the chances it drew from, not the draw alone: that takes half the noise away at no cost.

Not shown is that a walk comes everywhere: models that differ in more cells than a block has may be out of reach. That
is why the results are estimates, and why many walks from far apart are taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import float64, int8, int32, int64

from solver.kernel.compiler import entry, inlined
from solver.kernel.splitmix import draw_below, draw_share, set_seed
from solver.kernel.workspace import IMPOSSIBLE, SEEN_MINE, SEEN_SAFE

if TYPE_CHECKING:
    from solver.kernel.workspace import Bytes, Floats, Ints, Longs

_MOST_CELLS = 24
"""Cells of a block: its fillings are listed as bits of one integer. Half as many, and a quarter more, did worse."""
_MOST_FILLINGS = 1 << 12
_MOST_NODES = 1 << 13
"""Most nodes of the search for the fillings of one block; a block with more of either is left as it is."""

_INTS = int32[::1]
_FLOATS = float64[::1]


class _BlockFormula(NamedTuple):
    """The cells under each constraint, and the constraints over each cell: places of start in lists."""

    con_start: Ints
    con_cell: Ints
    cell_start: Ints
    cell_con: Ints


class _Block(NamedTuple):
    """Working space of a step."""

    cells: Ints
    is_inside: Bytes
    """By cell of the formula: all 0 before and after a block is chosen."""
    needed: Ints
    """By constraint, as the next: all 0 before and after fillings are listed."""
    room: Ints
    tried: Bytes
    fillings: Longs
    """A bit for every cell of the block, set for a mine."""
    weights: Floats
    """By filling."""
    chances: Floats
    """By cell of the block: the weight of the fillings with a mine there."""
    factors: Floats
    """By number of mines in the block: the weight of such a filling, 0 where there is none."""


@inlined
def _choose_block(formula, state, block):
    """Choose a random cell, then others that share a constraint with one before; return how many."""
    cells, is_inside = block.cells, block.is_inside
    cells[0] = draw_below(state, is_inside.size)
    is_inside[cells[0]] = 1
    size = 1
    wanted = 2 + draw_below(state, _MOST_CELLS - 1)
    for _ in range(3 * wanted):
        if size == wanted:
            break
        cell = cells[draw_below(state, size)]
        first = formula.cell_start[cell]
        j = formula.cell_con[first + draw_below(state, formula.cell_start[cell + 1] - first)]
        first = formula.con_start[j]
        other = formula.con_cell[first + draw_below(state, formula.con_start[j + 1] - first)]
        if not is_inside[other]:
            is_inside[other] = 1
            cells[size] = other
            size += 1
    for i in range(size):
        is_inside[cells[i]] = 0
    return size


@inlined
def _list_fillings(size, formula, model, block):
    """List every way to fill a block that leaves all numbers as they are, depth first.

    Returns:
        How many there are (-1: too many), and the nodes of the search.
    """
    cells, tried = block.cells, block.tried
    _empty_block(size, formula, model, block)
    n_fillings = 0
    nodes = 0
    bits = np.int64(0)
    depth = 0
    tried[0] = -1
    while depth >= 0:
        if tried[depth] >= 0:
            bits &= ~(np.int64(tried[depth]) << depth)
            _take_back(cells[depth], tried[depth], formula, block)
        tried[depth] += 1
        if tried[depth] > 1 or nodes > _MOST_NODES or n_fillings == _MOST_FILLINGS:
            depth -= 1
            continue
        nodes += 1
        bits |= np.int64(tried[depth]) << depth
        is_possible = _try(cells[depth], tried[depth], formula, block)
        if is_possible and depth < size - 1:
            depth += 1
            tried[depth] = -1
        elif is_possible:
            block.fillings[n_fillings] = bits
            n_fillings += 1
    for i in range(size):
        for place in range(formula.cell_start[cells[i]], formula.cell_start[cells[i] + 1]):
            block.needed[formula.cell_con[place]] = 0
            block.room[formula.cell_con[place]] = 0
    if nodes > _MOST_NODES or n_fillings == _MOST_FILLINGS:
        return -1, nodes
    return n_fillings, nodes


@inlined
def _empty_block(size, formula, model, block):
    """Say of every constraint over a block how many mines it needs there, and how many cells it has."""
    for i in range(size):
        cell = block.cells[i]
        for place in range(formula.cell_start[cell], formula.cell_start[cell + 1]):
            block.needed[formula.cell_con[place]] += model[cell]
            block.room[formula.cell_con[place]] += 1


@inlined
def _try(cell, is_mine, formula, block):
    """Fill a cell; return whether its constraints can still be met."""
    needed, room = block.needed, block.room
    is_possible = True
    for place in range(formula.cell_start[cell], formula.cell_start[cell + 1]):
        j = formula.cell_con[place]
        needed[j] -= is_mine
        room[j] -= 1
        if needed[j] < 0 or needed[j] > room[j]:
            is_possible = False
    return is_possible


@inlined
def _take_back(cell, was_mine, formula, block):
    """Undo `_try`."""
    for place in range(formula.cell_start[cell], formula.cell_start[cell + 1]):
        block.needed[formula.cell_con[place]] += was_mine
        block.room[formula.cell_con[place]] += 1


@inlined
def _n_mines_of(filling):
    """The number of mines in a filling."""
    n = np.int64(0)
    for i in range(_MOST_CELLS):
        n += (filling >> i) & 1
    return n


@inlined
def _weigh_fillings(size, n_fillings, n_outside, log_weight, block, seen):
    """Weigh the fillings against the heaviest of them, and sum up the chances of a mine in each cell of the block.

    Returns:
        The sum of the weights; the logarithm of the heaviest.
    """
    fillings, weights, chances, factors = block.fillings, block.weights, block.chances, block.factors
    factors[:] = 0.0
    for f in range(n_fillings):
        factors[_n_mines_of(fillings[f])] = 1.0
    heaviest = -np.inf
    for n in range(size + 1):
        if factors[n] > 0.0:
            heaviest = max(heaviest, log_weight[n_outside + n])
    for n in range(size + 1):
        if factors[n] > 0.0:
            factors[n] = np.exp(log_weight[n_outside + n] - heaviest)
    total = 0.0
    chances[:] = 0.0
    mined = safe = np.int64(0)
    for f in range(n_fillings):
        filling = fillings[f]
        n = _n_mines_of(filling)
        if log_weight[n_outside + n] > IMPOSSIBLE:
            mined |= filling
            safe |= ~filling
        weights[f] = factors[n]
        total += factors[n]
        for i in range(_MOST_CELLS):  # a number known to the compiler: several cells at a time
            chances[i] += factors[n] * ((filling >> i) & 1)
    for i in range(size):
        seen[block.cells[i]] |= SEEN_MINE * ((mined >> i) & 1) | SEEN_SAFE * ((safe >> i) & 1)
    return total, heaviest


@inlined
def _draw_filling(n_fillings, total, state, block):
    """Draw a filling by its weight."""
    rest = draw_share(state) * total
    chosen = 0
    while chosen < n_fillings - 1 and rest > block.weights[chosen]:
        rest -= block.weights[chosen]
        chosen += 1
    return block.fillings[chosen]


@entry(
    _INTS,
    _INTS,
    _INTS,
    _INTS,
    _FLOATS,
    int64,
    int64,
    int8[::1],
    _FLOATS,
    _FLOATS,
    _FLOATS,
    int8[::1],
    is_allocating=True,
)
def mcmc_walk(  # noqa: PLR0913, PLR0917 - plain arrays, which are others at each call
    con_start, con_cell, cell_start, cell_con, log_weight, seed, n_nodes, model, mined, drawn, totals, seen
):
    """Walk from one model through others, for a number of search nodes.

    Args:
        con_start, con_cell: int32, the cells of each constraint, one after the other.
        cell_start, cell_con: int32, the constraints of each cell, at least one.
        log_weight: float64, the logarithm of a model's weight by its number of mines.
        seed: int64, of the random numbers.
        n_nodes: nodes of search until the walk ends; the sums begin after a quarter of them.
        model: int8, 1 where a mine is; must meet every constraint. Changed in place.
        mined, drawn: float64, one a cell: the chances of a mine, summed, and how many there are.
        totals: float64, by number of mines: how many steps ended there.
        seen: int8, one a cell: SEEN_SAFE and SEEN_MINE, where a model was met that has it so.
    """
    formula = _BlockFormula(con_start, con_cell, cell_start, cell_con)
    block = _Block(
        cells=np.zeros(_MOST_CELLS, dtype=np.int32),
        is_inside=np.zeros(model.size, dtype=np.int8),
        needed=np.zeros(con_start.size - 1, dtype=np.int32),
        room=np.zeros(con_start.size - 1, dtype=np.int32),
        tried=np.zeros(_MOST_CELLS, dtype=np.int8),
        fillings=np.zeros(_MOST_FILLINGS, dtype=np.int64),
        weights=np.zeros(_MOST_FILLINGS),
        chances=np.zeros(_MOST_CELLS),
        factors=np.zeros(_MOST_CELLS + 1),
    )
    state = np.zeros(1, dtype=np.int64)
    set_seed(state, seed, np.int64(0))
    n_mines = 0
    for cell in range(model.size):
        n_mines += model[cell]
    spent = 0
    while spent < n_nodes:
        size = _choose_block(formula, state, block)
        n_fillings, nodes = _list_fillings(size, formula, model, block)
        spent += nodes + size
        if n_fillings < 0:
            continue
        for i in range(size):
            n_mines -= model[block.cells[i]]
        total, heaviest = _weigh_fillings(size, n_fillings, n_mines, log_weight, block, seen)
        filling = _draw_filling(n_fillings, total, state, block)
        is_summed = 4 * spent > n_nodes and heaviest > IMPOSSIBLE
        for i in range(size):
            cell = block.cells[i]
            model[cell] = (filling >> i) & 1
            n_mines += model[cell]
            if is_summed:
                mined[cell] += block.chances[i] / total
                drawn[cell] += 1.0
        if is_summed:
            totals[n_mines] += 1.0
