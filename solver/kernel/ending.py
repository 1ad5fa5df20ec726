"""Endings: few enough models, and they are listed and solved, exactly or by a plan."""

from __future__ import annotations

import math

from solver.kernel.compiler import stage
from solver.kernel.desk import (
    A_CELLS,
    A_CHOSEN,
    A_FEWEST,
    A_KEYS,
    A_MEMO,
    A_MODELS,
    A_MOST,
    A_NEAR,
    A_TRIED,
    A_VALUE,
    A_WON,
)
from solver.kernel.endgame import solve
from solver.kernel.listing import MOST_CELLS, list_models, log_models, mark_neighbours, order_cells
from solver.kernel.lookahead import find_candidates
from solver.kernel.orders import (
    BY_ENDING,
    BY_PLAN,
    C_CELL,
    C_IS_BOUND,
    C_RISK,
    C_VALUE,
    P_EXACT,
    P_IS_FULL,
    P_MODELS,
    P_STEPS,
    T_CANDIDATES,
    T_KIND,
)
from solver.kernel.pipeline import (
    S_GRID,
    S_INFO,
    S_MODEL_START,
    S_NEAR,
    S_NEAR_START,
    S_P_MINE,
    S_PROOF,
    S_SUMS,
)


@stage
def finish(plan, space, desk):
    """Solve the position, if few enough models are left of it; the tables in `space` stay as they are.

    Args:
        plan: P_MODELS, P_EXACT, P_STEPS and P_IS_FULL are followed.
        space: the arguments of `solver.kernel.pipeline.count_all`, after that was called on the position.
        desk: the models won are written to A_WON, the place of the cell to open to A_CHOSEN.

    Returns:
        The number of models; 0 when there are too many.
    """
    most_models = plan[P_MODELS]
    near_start, near, n_cells = space[S_NEAR_START], space[S_NEAR], space[S_P_MINE].size
    if log_models(space[S_SUMS][4, 0], space[S_INFO]) > math.log(most_models + 0.5):
        return 0
    cells = desk[A_CELLS:A_NEAR]
    fewest, most, tried = desk[A_FEWEST:A_MOST], desk[A_MOST:A_TRIED], desk[A_TRIED:A_VALUE]
    n_unknown = order_cells(n_cells, space[S_GRID], space[S_INFO], space[S_MODEL_START], cells, fewest, most)
    if n_unknown < 0:
        return 0
    models = desk[A_MODELS:A_KEYS]
    n_models = list_models(
        n_unknown, near_start, near, space[S_GRID], space[S_INFO], cells, fewest, most, tried, models, most_models
    )
    if n_models <= 0:
        return 0
    mark_neighbours(n_unknown, near_start, near, cells, desk[A_NEAR:A_FEWEST])
    is_plan, most_steps = n_models > plan[P_EXACT], plan[P_STEPS]
    desk[A_WON] = solve(n_models, n_unknown, desk, is_plan, most_steps, 0)
    if plan[P_IS_FULL] and desk[A_WON] >= 0:
        chosen = desk[A_CHOSEN]  # of cells that win as many, the same one whatever else is asked for
        solve(n_models, n_unknown, desk, is_plan, most_steps, 1)  # if that is too long, what is known so far is right
        desk[A_VALUE + chosen] = desk[A_WON]
        desk[A_CHOSEN] = chosen
    return n_models if desk[A_WON] >= 0 else 0


@stage
def rate_ending(plan, codes, n_models, space, desk, figures, tally):
    """List the candidates of an ending that `finish` solved, with their shares of games won.

    Args:
        plan: as `finish`.
        codes: int16, what the player sees.
        n_models: what `finish` returned.
        space, desk: as `finish` left them.
        figures: the candidates are written there, as `solver.kernel.lookahead` lists them.
        tally: what the values are is written to T_KIND, the number of candidates to T_CANDIDATES.

    Returns:
        The place of the best candidate; -1 when there is none, or `n_models` is 0.
    """
    if n_models == 0:
        return -1
    n_candidates = find_candidates(
        codes, space[S_NEAR_START], space[S_NEAR], space[S_P_MINE], space[S_PROOF], 0.0, MOST_CELLS, figures
    )
    cells, values = desk[A_CELLS:A_NEAR], desk[A_VALUE:A_MEMO]
    best = -1
    for i in range(n_candidates):
        figures[C_VALUE, i] = 1.0 - figures[C_RISK, i]
        figures[C_IS_BOUND, i] = 1.0
        for place in range(cells.size):
            if cells[place] < 0:
                break
            if cells[place] == int(figures[C_CELL, i]) and values[place] >= 0:
                figures[C_VALUE, i] = values[place] / n_models
                figures[C_IS_BOUND, i] = 0.0
                if place == desk[A_CHOSEN]:
                    best = i
                break
    tally[T_KIND] = BY_ENDING if n_models <= plan[P_EXACT] else BY_PLAN
    tally[T_CANDIDATES] = n_candidates
    return best
