"""Layouts of weighted games: drawn at random from all that agree with a position, and changed as little as possible.

The forward pass of every cluster says in how many ways each state was reached, by the mines placed so far. So a layout
is drawn from the end backwards: the mines in all clusters together; their shares, down the tree of products; in each
cluster the moves from its last state back to the first; and at last which cells of a supercell they are.

Games from several candidates are played on the same layouts, and what is wanted are the differences. A layout drawn
afresh would have nothing in common with the other games' any more: with as little as possible changed, differences in
the hunt for an opening vary half as much.

*Uncharted* cells, with no number beside them, are all alike: however many mines are among them, every arrangement is as
likely as any other. So a mine there can move, and an arrangement can stay while everything else is drawn anew.
"""

from __future__ import annotations

from solver.board import CLOSED
from solver.kernel.clusters import IS_MINE, UNKNOWN
from solver.kernel.compiler import inlined, stage
from solver.kernel.counting import fill_binomials
from solver.kernel.splitmix import draw_below, draw_share


@stage
def draw_layout(state, work, mines):
    """Draw a layout.

    Args:
        state: int64 (1), of the random numbers.
        work: the working space after `solver.kernel.pipeline.count_all`, of plain floats.
        mines: int8, one a cell: 1 for a mine, 0 for any other cell.
    """
    clusters, share = work.clusters, work.shares
    n_clusters = work.summary.n_clusters
    n_left = _share_mines(state, work)
    for c in range(n_clusters):
        n_mines = clusters.fewest[c] + share[n_clusters + c]
        _draw_cluster(state, c, n_mines, clusters, work.supercells, work.layers)
    _place_mines(state, n_left, work, mines)


@inlined
def _share_mines(state, work):
    """Share the mines out to the clusters, down the tree; return how many are left for the uncharted cells.

    What each node has beyond its fewest is written to `shares`.
    """
    start, end, values = work.tree
    share, summary = work.shares, work.summary
    n_clusters = summary.n_clusters
    n_left = summary.n_rest
    for c in range(n_clusters):
        n_left -= work.clusters.fewest[c]
    if n_clusters == 0:
        return n_left
    root = start[1]
    span = end[1] - root
    weights = end[1] if n_clusters > 1 else work.clusters.model_start[n_clusters]
    fill_binomials(values, weights, span, summary.n_uncharted, n_left)
    total = 0.0
    for m in range(span):
        weight = values[0, root + m] * values[0, weights + m]
        total += weight
        if weight > 0.0 and draw_share(state) * total < weight:
            share[1] = m
    n_left -= share[1]
    for node in range(1, n_clusters):
        one, other = start[2 * node], start[2 * node + 1]
        n_one, n_other = end[2 * node] - one, end[2 * node + 1] - other
        total = 0.0
        for m in range(max(0, share[node] - n_other + 1), min(share[node], n_one - 1) + 1):
            weight = values[0, one + m] * values[0, other + share[node] - m]
            total += weight
            if weight > 0.0 and draw_share(state) * total < weight:
                share[2 * node] = m
        share[2 * node + 1] = share[node] - share[2 * node]
    return n_left


@inlined
def _draw_cluster(state, c, n_mines, clusters, supercells, layers):
    """Draw the moves of a cluster with so many mines, from the last state back; write the mines of its supercells."""
    first, span, moves, ways = layers.first, layers.span, layers.moves, layers.ways
    at = layers.start[clusters.order_start[c + 1] + c]
    for i in range(clusters.order_start[c + 1] - 1, clusters.order_start[c] - 1, -1):
        s = clusters.order[i]
        total = 0.0
        source, taken = 0, 0
        for move in range(layers.move_start[i + c], layers.move_start[i + c + 1]):
            if moves[1, move] != at:
                continue
            state_before, k = moves[0, move], moves[2, move]
            place = n_mines - k - span[0, state_before]
            if place < 0 or place > span[1, state_before] - span[0, state_before]:
                continue
            weight = layers.choose[supercells.size[s], k] * ways[0, first[state_before] + place]
            total += weight
            if weight > 0.0 and draw_share(state) * total < weight:
                source, taken = state_before, k
        supercells.n_mines[s] = taken
        at = source
        n_mines -= taken


@inlined
def _place_mines(state, n_left, work, mines):
    """Draw which cells the mines of supercells and uncharted cells are."""
    value, sc_of = work.position.value, work.supercells.of
    size, placed = work.supercells.size, work.supercells.n_mines
    n_uncharted = work.summary.n_uncharted
    for cell in range(mines.size):
        mines[cell] = 0
        if value[cell] == IS_MINE:
            mines[cell] = 1
        elif value[cell] == UNKNOWN:
            s = sc_of[cell]
            if s < 0:
                if n_left == n_uncharted or (n_left > 0 and draw_share(state) * n_uncharted < n_left):
                    mines[cell] = 1
                    n_left -= 1
                n_uncharted -= 1
            else:
                if placed[s] == size[s] or (placed[s] > 0 and draw_share(state) * size[s] < placed[s]):
                    mines[cell] = 1
                    placed[s] -= 1
                size[s] -= 1
    for cell in range(mines.size):  # the sizes as they were
        if value[cell] == UNKNOWN and sc_of[cell] >= 0:
            size[sc_of[cell]] += 1


@stage
def count_numbers(mines, near, truth):
    """Write every cell's number, -1 for a mine."""
    start, beside = near
    truth[:] = 0
    for cell in range(mines.size):
        if mines[cell]:
            for edge in range(start[cell], start[cell + 1]):
                truth[beside[edge]] += 1
    for cell in range(mines.size):
        if mines[cell]:
            truth[cell] = -1


@stage
def is_uncharted(cell, codes, near):
    """Whether a cell is closed, with no number beside it."""
    if codes[cell] != CLOSED:
        return False
    for edge in range(near.start[cell], near.start[cell + 1]):
        if codes[near.cell[edge]] >= 0:
            return False
    return True


@stage
def survive_uncharted(state, cell, codes, mines, truth, near):
    """Make an uncharted cell safe: where it has a mine, that moves to one of the others, each as likely.

    Args:
        state: int64 (1), of the random numbers.
        cell: the cell.
        codes: int16, what the player sees.
        mines, truth: int8 and int16, the layout and its numbers; changed in place.
        near: the neighbour table.

    Returns:
        The chance that the cell has no mine, given how many mines are in the uncharted cells of this layout. Over all
        layouts that is the cell's chance to be safe, and what is left, so weighted, is drawn from all with a safe cell.
        At 0 the layout stays as it was.
    """
    n_cells = 0
    n_mines = 0
    for other in range(codes.size):
        if is_uncharted(other, codes, near):
            n_cells += 1
            n_mines += mines[other]
    n_safe = n_cells - n_mines
    if mines[cell] and n_safe:
        place = draw_below(state, n_safe)
        for other in range(codes.size):
            if not mines[other] and is_uncharted(other, codes, near):
                if place == 0:
                    mines[other] = 1
                    break
                place -= 1
        mines[cell] = 0
        count_numbers(mines, near, truth)
    return n_safe / n_cells


@stage
def keep_uncharted(state, codes, before, mines, near):
    """Put the uncharted cells of a drawn layout back to what they were before, but for as many mines as were drawn.

    Args:
        state, codes, near: as `survive_uncharted`.
        before: int8, the layout before.
        mines: int8, the layout drawn; changed in place.
    """
    n_cells = 0
    n_before = 0
    n_drawn = 0
    for cell in range(codes.size):
        if is_uncharted(cell, codes, near):
            n_cells += 1
            n_before += before[cell]
            n_drawn += mines[cell]
            mines[cell] = before[cell]
    was = 1 if n_before > n_drawn else 0  # cells that were so may change
    n_left = n_before if was else n_cells - n_before
    n_to_change = abs(n_before - n_drawn)
    for cell in range(codes.size):
        if n_to_change > 0 and mines[cell] == was and is_uncharted(cell, codes, near):
            if draw_share(state) * n_left < n_to_change:
                mines[cell] = 1 - was
                n_to_change -= 1
            n_left -= 1
