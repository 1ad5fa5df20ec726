"""Whole games by a policy, the choice of one guess, and games played on from a position: compiled, all by one entry.

Opens what the all/none rule proves; when that finds nothing counts, and opens what counting proves; when that finds
nothing either, guesses. The position lies in `codes` alone, so a game that stops because a working space is too small
resumes where it was.

A *weighted* game never loses: at each guess its weight is multiplied by the chance to survive it, and where the layout
has a mine there it is changed into one that has none, or another one is drawn, of those that agree with what is seen
(`solver.kernel.layouts`). Its weight at the end is an unbiased estimate of the chance to win, of far less noise than a
game won or lost.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, from_dtype, int8, int16, int64, types

from solver.board import CLOSED, EXPLODED, KNOWN_MINE, MINE
from solver.kernel.compiler import entry, inlined, stage
from solver.kernel.endgame import rate_ending, solve_ending
from solver.kernel.layouts import (
    count_numbers,
    draw_layout,
    is_uncharted,
    keep_uncharted,
    survive_uncharted,
)
from solver.kernel.lookahead import ROUNDING, look_ahead
from solver.kernel.pipeline import count_all, deduce_all, name_parts
from solver.kernel.splitmix import set_seed
from solver.kernel.workspace import (
    CHOOSE,
    COUNTERS,
    DONE,
    FAST,
    LOST,
    PROVE,
    PROVE_BY_RULE,
    REQUEST,
    ROLLOUT,
    SAMPLE,
    TOO_WIDE,
    WON,
    GameSpace,
)

_OPENED = 102  # cells were proven safe and opened: the position is another one
_NO_CELL = -1


# ---------------------------------------------------------------- opening cells


@stage
def _open_cell(cell, game, work):
    """Open a cell that is no mine, and what its zero opens."""
    codes, truth, near, stack = game.codes, game.truth, work.position.near, work.stack
    codes[cell] = truth[cell]
    stack[0] = cell
    top = 1
    n_opened = 1
    while top:
        top -= 1
        cell = stack[top]
        if truth[cell] != 0:
            continue
        for edge in range(near.start[cell], near.start[cell + 1]):
            other = near.cell[edge]
            if codes[other] == CLOSED:
                codes[other] = truth[other]
                n_opened += 1
                stack[top] = other
                top += 1
    game.counters.n_closed -= n_opened


@stage
def _open_proven(game, work):
    """Open what is proven safe; return whether there was any such cell."""
    proof, counters = work.proof, game.counters
    is_any_safe = False
    for cell in range(proof.size):
        if proof[cell] < 0:
            is_any_safe = True
            if game.codes[cell] == CLOSED:
                counters.n_proven[-proof[cell]] += 1
                _open_cell(cell, game, work)
    return is_any_safe


@inlined
def _prove(game, work):
    """Find what is proven, by the rule and then by counting, and open what is safe, where the job is to play.

    Returns:
        _OPENED; DONE when nothing is proven safe, or nothing was to be opened; or what an analysis could not do.
    """
    job = game.request.job
    status = deduce_all(game.codes, game.table)
    if status != DONE:
        return status
    if job <= ROLLOUT and _open_proven(game, work):
        return _OPENED
    if job == PROVE_BY_RULE:
        return DONE
    status = count_all(game.table)
    if status == DONE and job <= ROLLOUT and _open_proven(game, work):
        return _OPENED
    return status


# ---------------------------------------------------------------- guesses


@stage
def _least_risk(codes, work):
    """The guess: least risk, then most open numbers beside it, then fewest neighbours; -1 when there is none."""
    near, p_mine, proof = work.position.near, work.p_mine, work.proof
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
        for edge in range(near.start[cell], near.start[cell + 1]):
            if codes[near.cell[edge]] >= 0:
                n_open += 1
        n_near = near.start[cell + 1] - near.start[cell]
        if n_open > best_open or (n_open == best_open and n_near < best_near):
            best = cell
            best_open = n_open
            best_near = n_near
    return best


@inlined
def _choose(n_models, game, work, ending):
    """Choose a guess by the policy, of an ending with so many models, or of any other position (0).

    Returns:
        DONE, or what an analysis could not do; the cell; its risk.
    """
    if game.request.policy == FAST:
        cell = np.int64(_least_risk(game.codes, work))
        return DONE, cell, work.p_mine[cell]
    status = DONE
    best = rate_ending(n_models, game, work, ending)
    if best < 0:
        status, best = look_ahead(game, work)
        if status != DONE:
            return status, np.int64(_NO_CELL), 1.0
    game.counters.chosen = best
    return DONE, np.int64(game.candidates.cell[best]), game.candidates.risk[best]


# ---------------------------------------------------------------- weighted games


@stage
def _begin_rollout(layouts, start, game, work):
    """Take the next layout, and the position from which all of these games start."""
    at = game.request.next_game
    mines = game.rollout.mines
    set_seed(game.rollout.random, game.request.seed, at)
    n_closed = 0
    for i in range(start.size):
        mines[i] = layouts[at, i]
        game.codes[i] = start[i]
        n_closed += start[i] in (CLOSED, KNOWN_MINE, MINE, EXPLODED)
    count_numbers(mines, work.position.near, game.truth)
    game.counters.n_closed = n_closed


@stage
def _survive(risk, cell, game, work):
    """Make a guess of a weighted game: open the cell if the layout has no mine there, or can be changed.

    Returns:
        By what to multiply the weight; the cell to be opened once another layout is drawn, -1 if it is open.
    """
    weight = 1.0 - risk
    near, mines = work.position.near, game.rollout.mines
    if is_uncharted(cell, game.codes, near):
        weight = survive_uncharted(game.rollout.random, cell, game.codes, mines, game.truth, near)
    if mines[cell]:
        return weight, cell
    _open_cell(cell, game, work)
    return weight, np.int64(_NO_CELL)


@inlined
def _open_in_another_layout(cell, game, work):
    """Draw layouts until the cell is safe; keep of the old one what can be kept, and open the cell."""
    near = work.position.near
    _, mines, mines_before, random = game.rollout
    for other in range(mines.size):
        mines_before[other] = mines[other]
    while mines[cell]:
        draw_layout(random, work, mines)
    keep_uncharted(random, game.codes, mines_before, mines, near)
    count_numbers(mines, near, game.truth)
    _open_cell(cell, game, work)


@inlined
def _sample_layouts(layouts, game, work):
    """Draw as many layouts as there is room for; return DONE, or TOO_WIDE."""
    if len(work.layers.ways) == 2:
        return TOO_WIDE  # layouts are not drawn from wide numbers
    set_seed(game.rollout.random, game.request.seed, np.int64(-1))
    for at in range(layouts.shape[0]):
        draw_layout(game.rollout.random, work, layouts[at])
    return DONE


# ---------------------------------------------------------------- games


@inlined
def _play_on(layouts, game, work, ending):  # noqa: C901, PLR0911 - what it calls is compiled into it, once each
    """Play until the game ends, or do another job, or none, at the first guess.

    Returns:
        WON, LOST, after the jobs of a position DONE, or what an analysis could not do; and the weight.
    """
    request, counters = game.request, game.counters
    job = request.job
    weight = 1.0
    avoided = np.int64(_NO_CELL)
    if job == ROLLOUT:
        weight, avoided = _survive(game.guessed[0], request.cell, game, work)
    while weight > 0.0 and counters.n_closed > work.summary.n_mines:
        status = _prove(game, work)
        if status == _OPENED:
            continue
        if status != DONE or job in (PROVE_BY_RULE, PROVE):
            return status, weight
        if job == SAMPLE:
            return _sample_layouts(layouts, game, work), weight
        if avoided >= 0:
            if len(work.layers.ways) == 2:
                return TOO_WIDE, weight
            _open_in_another_layout(avoided, game, work)
            avoided = np.int64(_NO_CELL)
            continue
        n_models = solve_ending(request, work, ending)
        if job == ROLLOUT and n_models > 0:
            return WON, weight * (ending.outcome.won / n_models)
        status, cell, risk = _choose(n_models, game, work, ending)
        if status != DONE or job == CHOOSE:
            return status, weight
        if (
            job == ROLLOUT
        ):  # to draw another layout, this position is analysed again: the tables may be another's by now
            factor, avoided = _survive(risk, cell, game, work)
            weight *= factor
            continue
        game.guessed[counters.n_guesses] = risk
        counters.n_guesses += 1
        if game.truth[cell] < 0:
            return LOST, weight
        _open_cell(cell, game, work)
    return WON, weight


@entry(
    int16[::1],
    int16[::1],
    types.Array(from_dtype(COUNTERS), 1, "C"),
    float64[::1],
    types.Array(from_dtype(REQUEST), 1, "C"),
    int8[:, ::1],
    float64[::1],
    int64[::1],
)
def play(truth, codes, counters, guessed, request, layouts, worth, table):
    """Do one of the jobs.

    Args:
        truth: int16, every cell's number; negative for a mine. Working space but for PLAY and what proves.
        codes: int16, what the player sees, without flags; changed in place by the same.
        counters: what was done so far; kept up to date.
        guessed: float64, one a cell: the risks of the guesses made, in their order; of ROLLOUT that of the candidate.
        request: what to do.
        layouts: int8, layouts x cells, 1 for a mine: written by SAMPLE, read by ROLLOUT.
        worth: float64, one a layout: what ROLLOUT finds.
        table: the addresses of the working space; the summary has the mine count and the most states of a cluster.

    Returns:
        WON or LOST after PLAY, WON after ROLLOUT and after proofs that open all, DONE otherwise; or what an analysis
        could not do.
    """
    space = name_parts(table)
    work, ending = space.work, space.ending
    is_rollout = request[0].job == ROLLOUT
    game = GameSpace(
        table=table,
        request=request[0],
        counters=counters[0],
        codes=space.rollout.codes if is_rollout else codes,
        truth=truth,
        guessed=guessed,
        rollout=space.rollout,
        candidates=space.candidates,
    )
    first = game.counters.first
    if first >= 0:
        game.counters.first = _NO_CELL
        if truth[first] < 0:
            return LOST
        if codes[first] == CLOSED:
            _open_cell(first, game, work)
    status = DONE
    while game.request.next_game < game.request.end_game:
        if is_rollout:
            _begin_rollout(layouts, codes, game, work)
        status, weight = _play_on(layouts, game, work, ending)
        if status not in (WON, LOST, DONE):
            return status
        if is_rollout:
            worth[game.request.next_game] = weight
        game.request.next_game += 1
    return status
