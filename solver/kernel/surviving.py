"""How the layout of a weighted game changes when a guess has a mine: as little as possible.

Games from several candidates are played on the same layouts, and what is wanted are the differences. A layout drawn
afresh would have nothing in common with the other games' any more: with as little as possible changed, differences in
the hunt for an opening vary half as much.

*Uncharted* cells, with no number beside them, are all alike: however many mines are among them, every arrangement is as
likely as any other. So a mine there can move, and an arrangement can stay while everything else is drawn anew.
"""

from __future__ import annotations

from solver.board import CLOSED
from solver.kernel.compiler import stage
from solver.kernel.drawing import count_numbers, random


@stage
def is_uncharted(cell, codes, near_start, near):
    """Whether a cell is closed, with no number beside it."""
    if codes[cell] != CLOSED:
        return False
    for edge in range(near_start[cell], near_start[cell + 1]):
        if codes[near[edge]] >= 0:
            return False
    return True


@stage
def survive_uncharted(state, cell, codes, mines, truth, near_start, near):
    """Make an uncharted cell safe: where it has a mine, that moves to one of the others, each as likely.

    Args:
        state: int64 (1), of the random numbers.
        cell: the cell.
        codes: int16, what the player sees.
        mines, truth: int8 and int16, the layout and its numbers; changed in place.
        near_start, near: the neighbour table.

    Returns:
        The chance that the cell has no mine, given how many mines are in the uncharted cells of this layout. Over all
        layouts that is the cell's chance to be safe, and what is left, so weighted, is drawn from all with a safe cell.
        At 0 the layout stays as it was.
    """
    n_cells = 0
    n_mines = 0
    for other in range(codes.size):
        if is_uncharted(other, codes, near_start, near):
            n_cells += 1
            n_mines += mines[other]
    n_safe = n_cells - n_mines
    if mines[cell] and n_safe:
        place = int(random(state) * n_safe)
        for other in range(codes.size):
            if not mines[other] and is_uncharted(other, codes, near_start, near):
                if place == 0:
                    mines[other] = 1
                    break
                place -= 1
        mines[cell] = 0
        count_numbers(mines, near_start, near, truth)
    return n_safe / n_cells


@stage
def keep_uncharted(state, codes, before, mines, near_start, near):
    """Put the uncharted cells of a drawn layout back to what they were before, but for as many mines as were drawn.

    Args:
        state, codes, near_start, near: as `survive_uncharted`.
        before: int8, the layout before.
        mines: int8, the layout drawn; changed in place.
    """
    n_cells = 0
    n_before = 0
    n_drawn = 0
    for cell in range(codes.size):
        if is_uncharted(cell, codes, near_start, near):
            n_cells += 1
            n_before += before[cell]
            n_drawn += mines[cell]
            mines[cell] = before[cell]
    was = 1 if n_before > n_drawn else 0  # cells that were so may change
    n_left = n_before if was else n_cells - n_before
    n_to_change = abs(n_before - n_drawn)
    for cell in range(codes.size):
        if n_to_change > 0 and mines[cell] == was and is_uncharted(cell, codes, near_start, near):
            if random(state) * n_left < n_to_change:
                mines[cell] = 1 - was
                n_to_change -= 1
            n_left -= 1
