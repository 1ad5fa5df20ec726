"""A whole game by the base policy (`solver.strategy.least_risk`), compiled.

Opens what the all/none rule proves; when that finds nothing counts, and opens what counting proves; when that finds
nothing either, guesses. The position lies in `codes` alone, so a game that stops because a working space is too small
goes on where it was.
"""

from __future__ import annotations

import math

from numba import float64, int8, int16, int32, int64, types

from solver.board import CLOSED
from solver.kernel.compiler import entry, stage
from solver.kernel.pipeline import count_all, deduce_all
from solver.kernel.status import DONE

WON, LOST = 100, 101
"""How a game ends, beside the statuses of an analysis it could not do."""
T_FIRST, T_CLOSED, T_GUESSES, T_PROVEN, N_TALLY = 0, 1, 2, 2, 6
"""Places of `tally`: the cell to open first (negative: none); closed cells; guesses made; and cells opened because they
were proven, at `T_PROVEN` plus the code of the proof (`solver.kernel.reading`)."""
ROUNDING = 1.0 + 1e-11
"""Risks that differ by less are equal."""


@stage
def open_cell(cell, codes, truth, near_start, near, stack):
    """Open a cell that is no mine, and what its zero opens; return how many cells that were."""
    codes[cell] = truth[cell]
    stack[0] = cell
    top = 1
    n_opened = 1
    while top:
        top -= 1
        cell = stack[top]
        if truth[cell] != 0:
            continue
        for edge in range(near_start[cell], near_start[cell + 1]):
            other = near[edge]
            if codes[other] == CLOSED:
                codes[other] = truth[other]
                n_opened += 1
                stack[top] = other
                top += 1
    return n_opened


@stage
def least_risk(codes, near_start, near, p_mine, proof):
    """The guess: least risk, then most open numbers beside it, then fewest neighbours; -1 when there is none."""
    least = 2.0
    for cell in range(codes.size):
        if codes[cell] == CLOSED and proof[cell] == 0 and not math.isnan(p_mine[cell]):
            least = min(least, p_mine[cell])
    best = -1
    best_open = -1
    best_near = 0
    for cell in range(codes.size):
        if codes[cell] != CLOSED or proof[cell] != 0 or not p_mine[cell] <= least * ROUNDING:
            continue
        n_open = 0
        for edge in range(near_start[cell], near_start[cell + 1]):
            if codes[near[edge]] >= 0:
                n_open += 1
        n_near = near_start[cell + 1] - near_start[cell]
        if n_open > best_open or (n_open == best_open and n_near < best_near):
            best = cell
            best_open = n_open
            best_near = n_near
    return best


@entry(
    types.Array(int16, 1, "C", readonly=True),
    int16[::1],
    int64[::1],
    float64[::1],
    types.Array(int32, 1, "C", readonly=True),
    types.Array(int32, 1, "C", readonly=True),
    int64,
    int64,
    int64[::1],
    float64[:, ::1],
    int32[:, ::1],
    int32[:, ::1],
    int64[::1],
    int64[::1],
    int32[::1],
    int64[::1],
    int64[::1],
    int64[::1],
    int32[:, ::1],
    int32[:, ::1],
    float64[:, ::1],
    float64[:, ::1],
    float64[:, ::1],
    float64[:, ::1],
    int64[::1],
    float64[::1],
    int8[::1],
)
def play(
    truth,
    codes,
    tally,
    guessed,
    near_start,
    near,
    n_mines,
    state_limit,
    con_key,
    choose,
    grid,
    edges,
    sc_key,
    table_turn,
    table_state,
    state_key,
    state_value,
    model_start,
    state_span,
    moves,
    ways,
    onward,
    values,
    sums,
    info,
    p_mine,
    proof,
):
    """Play on until the game ends.

    Args:
        truth: int16, every cell's number; negative for a mine.
        codes: int16, what the player sees; changed in place.
        tally: int64: what was done so far, by the places above; kept up to date.
        guessed: float64, one a cell: the risks of the guesses made, in their order.
        near_start: from here on as `solver.kernel.pipeline.count_all`.

    Returns:
        WON, LOST, or the status of the analysis that could not be done.
    """
    stack = edges[0]
    if tally[T_FIRST] >= 0:
        first = tally[T_FIRST]
        tally[T_FIRST] = -1
        if truth[first] < 0:
            return LOST
        if codes[first] == CLOSED:
            tally[T_CLOSED] -= open_cell(first, codes, truth, near_start, near, stack)
    while tally[T_CLOSED] > n_mines:
        status = deduce_all(codes, near_start, near, n_mines, grid, edges, info, proof)
        if status != DONE:
            return status
        for is_counted in range(2):
            if is_counted:
                status = count_all(
                    near_start,
                    near,
                    n_mines,
                    state_limit,
                    con_key,
                    choose,
                    grid,
                    edges,
                    sc_key,
                    table_turn,
                    table_state,
                    state_key,
                    state_value,
                    model_start,
                    state_span,
                    moves,
                    ways,
                    onward,
                    values,
                    sums,
                    info,
                    p_mine,
                    proof,
                )
                if status != DONE:
                    return status
            is_any_safe = False
            for cell in range(codes.size):
                if proof[cell] < 0:
                    is_any_safe = True
                    if codes[cell] == CLOSED:
                        tally[T_PROVEN - proof[cell]] += 1
                        tally[T_CLOSED] -= open_cell(cell, codes, truth, near_start, near, stack)
            if is_any_safe:
                break
        if not is_any_safe:
            cell = least_risk(codes, near_start, near, p_mine, proof)
            guessed[tally[T_GUESSES]] = p_mine[cell]
            tally[T_GUESSES] += 1
            if truth[cell] < 0:
                return LOST
            tally[T_CLOSED] -= open_cell(cell, codes, truth, near_start, near, stack)
    return WON
