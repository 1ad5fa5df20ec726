"""Whole games by a policy, the choice of one guess, and games played on from a position: compiled, all by one entry.

Opens what the all/none rule proves; when that finds nothing counts, and opens what counting proves; when that finds
nothing either, guesses. The position lies in `codes` alone, so a game that stops because a working space is too small
resumes where it was.

A *weighted* game never loses: at each guess its weight is multiplied by the chance to survive it, and where the layout
has a mine there it is changed into one that has none (`solver.kernel.surviving`), or another one is drawn, of those
that agree with what is seen. Its weight at the end is an unbiased estimate of the chance to win, of far less noise than
a game won or lost.

How the layout of a weighted game changes when a guess has a mine: as little as possible.

Games from several candidates are played on the same layouts, and what is wanted are the differences. A layout drawn
afresh would have nothing in common with the other games' any more: with as little as possible changed, differences in
the hunt for an opening vary half as much.

*Uncharted* cells, with no number beside them, are all alike: however many mines are among them, every arrangement is as
likely as any other. So a mine there can move, and an arrangement can stay while everything else is drawn anew.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int8, int16, int32, int64, types

from solver.board import CLOSED, EXPLODED, KNOWN_MINE, MINE
from solver.kernel.compiler import entry, inlined, stage
from solver.kernel.drawing import count_numbers, draw, random, set_seed
from solver.kernel.endgame import A_RNG, A_WON, finish, rate_ending
from solver.kernel.lookahead import ROUNDING, look_ahead
from solver.kernel.pipeline import (
    S_EDGES,
    S_GRID,
    S_INFO,
    S_N_MINES,
    S_NEAR,
    S_NEAR_START,
    S_P_MINE,
    S_PROOF,
    S_WAYS,
    count_all,
    deduce_all,
)
from solver.kernel.requests import (
    C_CELL,
    C_RISK,
    CHOOSE,
    DONE,
    DRAW,
    FAST,
    LOST,
    P_AT,
    P_CELL,
    P_JOB,
    P_POLICY,
    P_SEED,
    P_TO,
    PROVE,
    PROVE_BY_RULE,
    ROLL,
    T_CHOSEN,
    T_CLOSED,
    T_FIRST,
    T_GUESSES,
    T_PROVEN,
    TOO_WIDE,
    WON,
)


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


@stage
def open_proven(codes, truth, near_start, near, stack, tally, proof):
    """Open what is proven safe; return whether there was any such cell."""
    is_any_safe = False
    for cell in range(codes.size):
        if proof[cell] < 0:
            is_any_safe = True
            if codes[cell] == CLOSED:
                tally[T_PROVEN - proof[cell]] += 1
                tally[T_CLOSED] -= open_cell(cell, codes, truth, near_start, near, stack)
    return is_any_safe


@stage
def begin_roll(plan, layouts, codes, truth, mines, seen, tally, near_start, near, state):
    """Take the next layout."""
    set_seed(state, plan[P_SEED], plan[P_AT])
    n_closed = 0
    for i in range(codes.size):
        mines[i] = layouts[plan[P_AT], i]
        seen[i] = codes[i]
        n_closed += codes[i] in (CLOSED, KNOWN_MINE, MINE, EXPLODED)
    count_numbers(mines, near_start, near, truth)
    tally[T_CLOSED] = n_closed


@stage
def survive(risk, cell, codes, truth, mines, tally, near_start, near, stack, state):
    """Make a guess of a weighted game: open the cell if the layout has no mine there, or can be changed.

    Returns:
        By what to multiply the weight; the cell to be opened once another layout is drawn, -1 if it is open.
    """
    weight = 1.0 - risk
    if is_uncharted(cell, codes, near_start, near):
        weight = survive_uncharted(state, cell, codes, mines, truth, near_start, near)
    if mines[cell]:
        return weight, cell
    tally[T_CLOSED] -= open_cell(cell, codes, truth, near_start, near, stack)
    return weight, np.int64(-1)


@inlined
def play_on(plan, layouts, truth, mines, before, codes, tally, guessed, space, desk, figures):
    """Play until the game ends, or do another job, or none, at the first guess.

    Args:
        codes: int16, what the player sees; changed in place.
        mines, before: int8, where they are, and working space; of a weighted game.
        plan, layouts, truth, tally, guessed, space, desk, figures: as `play`.

    Returns:
        WON, LOST, after the jobs of a position DONE, or what an analysis could not do; and the weight.
    """
    near_start, near, n_mines = space[S_NEAR_START], space[S_NEAR], space[S_N_MINES]
    grid, edges, info = space[S_GRID], space[S_EDGES], space[S_INFO]
    p_mine, proof = space[S_P_MINE], space[S_PROOF]
    job = plan[P_JOB]
    status = WON
    weight = 1.0
    avoided = np.int64(-1)
    if job == ROLL:
        weight, avoided = survive(
            guessed[0], plan[P_CELL], codes, truth, mines, tally, near_start, near, edges[0], desk[A_RNG:]
        )
    while status == WON and weight > 0.0 and tally[T_CLOSED] > n_mines:
        status = deduce_all(codes, near_start, near, n_mines, grid, edges, info, proof)
        if status != DONE:
            break
        status = WON
        if job <= ROLL and open_proven(codes, truth, near_start, near, edges[0], tally, proof):
            continue
        if job == PROVE_BY_RULE:
            status = DONE
            break
        status = count_all(*space)
        if status != DONE:
            break
        status = WON
        if job <= ROLL and open_proven(codes, truth, near_start, near, edges[0], tally, proof):
            continue
        if job == PROVE:
            status = DONE
            break
        if job == DRAW:
            status = TOO_WIDE  # layouts are not drawn from wide numbers
            if len(space[S_WAYS]) == 1:
                set_seed(desk[A_RNG:], plan[P_SEED], np.int64(-1))
                for at in range(layouts.shape[0]):
                    draw(desk[A_RNG:], space, layouts[at])
                status = DONE
            break
        if avoided >= 0:
            cell = avoided
            avoided = np.int64(-1)
            if len(space[S_WAYS]) == 2:
                status = TOO_WIDE
                break
            before[:] = mines
            while mines[cell]:
                draw(desk[A_RNG:], space, mines)
            keep_uncharted(desk[A_RNG:], codes, before, mines, near_start, near)
            count_numbers(mines, near_start, near, truth)
            tally[T_CLOSED] -= open_cell(cell, codes, truth, near_start, near, edges[0])
            continue
        n_models = finish(plan, space, desk)
        if job == ROLL and n_models > 0:
            weight *= desk[A_WON] / n_models
            break
        risk = 1.0
        if plan[P_POLICY] == FAST:
            cell = np.int64(least_risk(codes, near_start, near, p_mine, proof))
            risk = p_mine[cell]
        else:
            best = rate_ending(plan, codes, n_models, space, desk, figures, tally)
            if best < 0:
                status, best = look_ahead(plan, codes, space, figures, tally)
                if status != DONE:
                    break
                status = WON
            tally[T_CHOSEN] = best
            cell = np.int64(figures[C_CELL, best])
            risk = figures[C_RISK, best]
        if job == CHOOSE:
            status = DONE
            break
        if job == ROLL:  # to draw another layout, this position is analysed again: the tables may be another's by now
            factor, avoided = survive(risk, cell, codes, truth, mines, tally, near_start, near, edges[0], desk[A_RNG:])
            weight *= factor
            continue
        guessed[tally[T_GUESSES]] = risk
        tally[T_GUESSES] += 1
        if truth[cell] < 0:
            status = LOST
            break
        tally[T_CLOSED] -= open_cell(cell, codes, truth, near_start, near, edges[0])
    return status, weight


@entry(
    int16[::1],
    int16[::1],
    int64[::1],
    float64[::1],
    int64[::1],
    int8[:, ::1],
    float64[::1],
    int64[::1],
    float64[:, ::1],
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
    plan,
    layouts,
    worth,
    desk,
    figures,
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
    """Do one of the jobs.

    Args:
        truth: int16, every cell's number; negative for a mine. Working space but for PLAY and what proves.
        codes: int16, what the player sees, without flags; changed in place by the same.
        tally: int64: what was done so far, by the same places; kept up to date.
        guessed: float64, one a cell: the risks of the guesses made, in their order; of ROLL the risk of the candidate.
        plan: int64: what to do, by the places in `solver.kernel.requests`.
        layouts: int8, layouts x cells, 1 for a mine: written by DRAW, read by ROLL.
        worth: float64, one a layout: what ROLL finds.
        desk, figures: working space of the endgame; the candidates, as `solver.kernel.requests` says them.
        near_start: from here on as `solver.kernel.pipeline.count_all`.

    Returns:
        WON or LOST after PLAY, WON after ROLL and after proofs that open all, DONE otherwise; or what an analysis could
        not do.
    """
    space = (
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
    is_roll = plan[P_JOB] == ROLL
    mines = np.empty(codes.size if is_roll else 0, dtype=np.int8)
    before = np.empty_like(mines)
    seen = np.empty(codes.size, dtype=np.int16) if is_roll else codes
    if tally[T_FIRST] >= 0:
        first = tally[T_FIRST]
        tally[T_FIRST] = -1
        if truth[first] < 0:
            return LOST
        if codes[first] == CLOSED:
            tally[T_CLOSED] -= open_cell(first, codes, truth, near_start, near, edges[0])
    status = DONE
    while plan[P_AT] < plan[P_TO]:
        if is_roll:
            begin_roll(plan, layouts, codes, truth, mines, seen, tally, near_start, near, desk[A_RNG:])
        status, weight = play_on(plan, layouts, truth, mines, before, seen, tally, guessed, space, desk, figures)
        if status not in (WON, LOST, DONE):
            return status
        if is_roll:
            worth[plan[P_AT]] = weight
        plan[P_AT] += 1
    return status
