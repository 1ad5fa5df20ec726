"""Two plies ahead: the chance to survive this click and the best one after it.

A click that shows a number after which a cell is proven safe loses nothing more; most numbers are of that kind, and
often the all/none rule alone tells. Only the others are counted: what is lost after them is their chance times the
least risk that is left then. A cell is given up as soon as it has lost so much that it cannot be the best.
"""

from __future__ import annotations

import math

from solver.board import CLOSED
from solver.kernel.clusters import IS_MINE, UNKNOWN
from solver.kernel.compiler import inlined, stage
from solver.kernel.listing import log_models
from solver.kernel.pipeline import (
    S_EDGES,
    S_GRID,
    S_INFO,
    S_N_MINES,
    S_NEAR,
    S_NEAR_START,
    S_P_MINE,
    S_PROOF,
    S_SUMS,
    count_all,
    deduce_all,
)
from solver.kernel.requests import (
    BY_SURVIVAL,
    C_CELL,
    C_IS_BOUND,
    C_NEAR,
    C_NUMBERS,
    C_RISK,
    C_VALUE,
    DONE,
    N_FIGURES,
    NO_MODEL,
    P_IS_FULL,
    T_CANDIDATES,
    T_KIND,
)

MOST_CANDIDATES = 16
SHARE = 0.85
"""Of the safest cell's survival; what is less safe is no candidate."""
ROUNDING = 1.0 + 1e-11
"""Risks that differ by less are equal."""
GAIN = 1.0 + 1e-9
"""Survivals over two clicks that differ by less are equal: then the order of the candidates decides."""


@stage
def is_before(figures, one, other):
    """Whether a candidate comes before another: less risk, more numbers beside it, fewer neighbours."""
    if figures[C_RISK, one] > figures[C_RISK, other] * ROUNDING:
        return False
    if figures[C_RISK, one] * ROUNDING < figures[C_RISK, other]:
        return True
    if figures[C_NUMBERS, one] != figures[C_NUMBERS, other]:
        return figures[C_NUMBERS, one] > figures[C_NUMBERS, other]
    return figures[C_NEAR, one] < figures[C_NEAR, other]


@stage
def find_candidates(codes, near_start, near, p_mine, proof, share, most, figures):
    """List the cells that may be guessed, the best by the base policy first; return how many there are.

    Args:
        share: of the safest cell's survival: what a candidate must have.
        most: how many are listed at most.
        figures: float64 (N_FIGURES, most + 1).
    """
    least = 2.0
    for cell in range(codes.size):
        if codes[cell] == CLOSED and proof[cell] == 0 and not math.isnan(p_mine[cell]):
            least = min(least, p_mine[cell])
    highest = max(1.0 - share * (1.0 - least), least * ROUNDING)
    n = 0
    for cell in range(codes.size):
        if codes[cell] != CLOSED or proof[cell] != 0 or not p_mine[cell] <= highest:
            continue
        n_open = 0
        for edge in range(near_start[cell], near_start[cell + 1]):
            n_open += codes[near[edge]] >= 0
        figures[C_CELL, n] = cell
        figures[C_RISK, n] = p_mine[cell]
        figures[C_NUMBERS, n] = n_open
        figures[C_NEAR, n] = near_start[cell + 1] - near_start[cell]
        i = n
        while i > 0 and is_before(figures, i, i - 1):
            for row in range(N_FIGURES):
                figures[row, i], figures[row, i - 1] = figures[row, i - 1], figures[row, i]
            i -= 1
        n = min(n + 1, most)
    return n


@stage
def least_left(codes, p_mine, proof):
    """The least risk of the next click: 0 where a cell is proven safe, or nothing is left to open."""
    least = 2.0
    for cell in range(codes.size):
        if codes[cell] == CLOSED:
            if proof[cell] < 0:
                return 0.0
            if proof[cell] == 0:
                least = min(least, p_mine[cell])
    return 0.0 if least > 1.0 else least


@stage
def is_any_proven_safe(codes, proof):
    """Whether a closed cell is proven safe."""
    for cell in range(codes.size):
        if proof[cell] < 0 and codes[cell] == CLOSED:
            return True
    return False


@inlined
def look_ahead(plan, codes, space, figures, tally):
    """List the candidates with their survival over two clicks.

    The tables of the position itself must be those in `space`; they are overwritten.

    Args:
        plan: P_IS_FULL is followed.
        codes: int16, what the player sees; unchanged at the end, whatever it is.
        space: the arguments of `solver.kernel.pipeline.count_all`.
        figures: the candidates are written there.
        tally: what the values are is written to T_KIND, the number of candidates to T_CANDIDATES.

    Returns:
        DONE and the place of the best candidate; or what an analysis could not do, and -1.
    """
    near_start, near, n_mines = space[S_NEAR_START], space[S_NEAR], space[S_N_MINES]
    grid, edges, sums, info = space[S_GRID], space[S_EDGES], space[S_SUMS], space[S_INFO]
    p_mine, proof = space[S_P_MINE], space[S_PROOF]
    n_candidates = find_candidates(codes, near_start, near, p_mine, proof, SHARE, MOST_CANDIDATES, figures)
    tally[T_KIND] = BY_SURVIVAL
    tally[T_CANDIDATES] = n_candidates
    whole = log_models(sums[4, 0], info)
    value = grid[0]
    for i in range(n_candidates):  # the numbers each may show, while the position's own tables are there
        cell = int(figures[C_CELL, i])
        n_known, n_unknown, n_closed = 0, 0, 0
        for edge in range(near_start[cell], near_start[cell + 1]):
            n_known += value[near[edge]] == IS_MINE
            if value[near[edge]] == UNKNOWN:
                n_unknown += 1
                n_closed += codes[near[edge]] == CLOSED
        figures[C_VALUE, i] = 1 if n_closed > 0 and n_known == 0 else n_known  # after a 0 its neighbours are safe
        figures[C_IS_BOUND, i] = n_known + n_unknown
    best = -1
    best_value = 0.0
    for i in range(n_candidates):
        cell = int(figures[C_CELL, i])
        code = codes[cell]
        lowest, highest = int(figures[C_VALUE, i]), int(figures[C_IS_BOUND, i])
        survived = 1.0 - figures[C_RISK, i]
        is_bound = 0.0
        for number in range(lowest, highest + 1):
            if survived <= best_value * GAIN and plan[P_IS_FULL] == 0:
                is_bound = 1.0
                break
            codes[cell] = number
            status = deduce_all(codes, near_start, near, n_mines, grid, edges, info, proof)
            if status == DONE and not is_any_proven_safe(codes, proof):
                status = count_all(*space)
                if status == DONE:
                    least = least_left(codes, p_mine, proof)
                    if least > 0.0:
                        survived -= least * math.exp(log_models(sums[4, 0], info) - whole)
            codes[cell] = code
            if status not in (DONE, NO_MODEL):
                return status, -1
        figures[C_VALUE, i] = survived
        figures[C_IS_BOUND, i] = is_bound
        if is_bound == 0.0 and survived > best_value * GAIN:
            best = i
            best_value = survived
    return DONE, best
