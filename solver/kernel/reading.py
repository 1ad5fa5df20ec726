"""From codes to constraints, and what each of them forces alone.

A constraint has no list of cells: they are the unknown neighbours of its clue. So the neighbour table serves as the
list of a constraint's cells and, read from a cell, as the list of the constraints it is under.
"""

from __future__ import annotations

from solver.board import CLOSED, EXPLODED, FLAG, KNOWN_MINE, MINE, UNREADABLE
from solver.kernel.compiler import stage
from solver.kernel.status import FAILED

UNKNOWN, IS_MINE, IS_SAFE = 0, 1, 2
"""What is known of a cell."""
BY_RULE, BY_NUMBERS, BY_COUNT = 1, 2, 3
"""What proved a cell: the all/none rule alone; the numbers together; the numbers and the mine count. A proof that the
cell is safe has the sign turned."""


@stage
def read(codes, near_start, near, value, con_of, clue, need, left):
    """Fill `value` for every cell; make a constraint of every number with an unknown cell beside it.

    Returns:
        The number of constraints, or FAILED; the unknown cells; the mines that are a fact.
    """
    n_cells = codes.size
    n_unknown = 0
    n_known = 0
    for cell in range(n_cells):
        code = codes[cell]
        con_of[cell] = -1
        if code >= 0:
            value[cell] = IS_SAFE
        elif code in (CLOSED, FLAG, UNREADABLE):
            value[cell] = UNKNOWN
            n_unknown += 1
        elif code in (KNOWN_MINE, MINE, EXPLODED):
            value[cell] = IS_MINE
            n_known += 1
        else:
            value[cell] = IS_SAFE
    n_con = 0
    for cell in range(n_cells):
        if codes[cell] < 0:
            continue
        n_left = 0
        n_mines = 0
        for edge in range(near_start[cell], near_start[cell + 1]):
            known = value[near[edge]]
            n_left += known == UNKNOWN  # added, not branched on: no processor foresees the order
            n_mines += known == IS_MINE
        needed = codes[cell] - n_mines
        if needed < 0 or needed > n_left:
            return FAILED, n_unknown, n_known
        if n_left:
            con_of[cell] = n_con
            clue[n_con] = cell
            need[n_con] = needed
            left[n_con] = n_left
            n_con += 1
    return n_con, n_unknown, n_known


@stage
def deduce(n_con, near_start, near, value, con_of, clue, need, left, stack, proof):
    """Apply the all/none rule until nothing changes, by a work stack.

    What is left of a constraint afterwards: no cell at all, or 0 < need < left.

    Returns:
        The mines found and the safe cells found; FAILED twice when a constraint cannot be met.
    """
    n_mines = 0
    n_safe = 0
    top = 0
    for j in range(n_con - 1, -1, -1):
        if need[j] == 0 or need[j] == left[j]:
            stack[top] = j
            top += 1
    while top:
        top -= 1
        j = stack[top]
        if left[j] == 0:
            continue
        is_mine = 1 if need[j] > 0 else 0
        for edge in range(near_start[clue[j]], near_start[clue[j] + 1]):
            cell = near[edge]
            if value[cell] != UNKNOWN:
                continue
            if is_mine:
                value[cell] = IS_MINE
                proof[cell] = BY_RULE
                n_mines += 1
            else:
                value[cell] = IS_SAFE
                proof[cell] = -BY_RULE
                n_safe += 1
            for back in range(near_start[cell], near_start[cell + 1]):
                other = con_of[near[back]]
                if other < 0:
                    continue
                left[other] -= 1
                need[other] -= is_mine
                if need[other] < 0 or need[other] > left[other]:
                    return FAILED, FAILED
                if left[other] and (need[other] == 0 or need[other] == left[other]):
                    stack[top] = other
                    top += 1
    return n_mines, n_safe
