"""The compiled analysis from top to bottom: codes in, risks and proofs out.

`deduce_all` reads the position and applies the all/none rule; `count_all` finds supercells and clusters, orders and
counts them, joins them by the number of mines, and goes back through each for its risks. They are two for the sake of
the clock between them. Every array but the two results is working space, made by `solver.kernel.engine`; it belongs to
one thread, and carries what the first found to the second.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int8, int16, int32, int64, types

from solver.kernel.clusters import (
    BY_COUNT,
    BY_NUMBERS,
    IS_MINE,
    IS_SAFE,
    MAX_STARTS,
    deduce,
    drop_repetitions,
    find_clusters,
    find_supercells,
    link,
    mark_charted,
    order_cluster,
    read,
)
from solver.kernel.compiler import entry
from solver.kernel.counting import RADIX_BITS, backward, combine, forward, plan_slots, plan_tree, plus, risk, scale
from solver.kernel.requests import DONE, FAILED, FULL_SUMS, INEXACT, NO_MODEL

MOST_CELLS = 900
"""Cells of a cluster for plain floats: 2^900 models are still far from the largest one."""

N_ROWS = 33
"""Rows of `grid`."""
I_CONSTRAINTS, I_REST, I_UNCHARTED, I_LARGEST, I_POWER, I_CLUSTERS, N_INFO = 0, 1, 2, 3, 4, 5, 6
"""Places of `info`: constraints; mines left beside the known and the deduced ones; uncharted cells; the mines among
them in the largest binomial; the power of two of the total; clusters."""

S_NEAR_START, S_NEAR, S_N_MINES, S_CHOOSE, S_GRID, S_EDGES = 0, 1, 2, 5, 6, 7
S_STATE_VALUE, S_MODEL_START, S_STATE_SPAN, S_MOVES, S_WAYS, S_VALUES = 12, 13, 14, 15, 16, 18
S_SUMS, S_INFO, S_P_MINE, S_PROOF = 19, 20, 21, 22
"""Places among the arguments of `count_all`: inside the kernel they travel as one tuple, called `space`."""

_GIVEN_CODES = types.Array(int16, 1, "C", readonly=True)
_GIVEN_INTS = types.Array(int32, 1, "C", readonly=True)
_INTS = int32[::1]
_LONGS = int64[::1]
_FLOATS = float64[::1]
_INT_ROWS = int32[:, ::1]
_FLOAT_ROWS = float64[:, ::1]


@entry(_GIVEN_CODES, _GIVEN_INTS, _GIVEN_INTS, int64, _INT_ROWS, _INT_ROWS, _LONGS, int8[::1])
def deduce_all(codes, near_start, near, n_mines, grid, edges, info, proof):
    """Read a position and apply the all/none rule.

    Args:
        codes: int16, the board row by row.
        near_start, near: int32, the neighbour table.
        n_mines: the mine count; negative when not known.
        grid, edges, info: working space.
        proof: int8, one a cell: what proved it, negative where it is safe; 0 where nothing did.

    Returns:
        DONE or NO_MODEL.
    """
    value, con_of, clue, need, left = grid[0], grid[1], grid[3], grid[4], grid[5]
    proof[:] = 0
    n_con, n_unknown, n_known = read(codes, near_start, near, value, con_of, clue, need, left)
    if n_con == FAILED:
        return NO_MODEL
    n_found, n_safe = deduce(n_con, near_start, near, value, con_of, clue, need, left, edges[0], proof)
    if n_found == FAILED:
        return NO_MODEL
    n_rest = n_mines - n_known - n_found
    if n_mines >= 0 and (n_rest < 0 or n_rest > n_unknown - n_found - n_safe):
        return NO_MODEL
    info[I_CONSTRAINTS] = n_con
    info[I_REST] = n_rest
    return DONE


@entry(
    _GIVEN_INTS,
    _GIVEN_INTS,
    int64,
    int64,
    _LONGS,
    _FLOAT_ROWS,
    _INT_ROWS,
    _INT_ROWS,
    _LONGS,
    _LONGS,
    _INTS,
    _LONGS,
    _LONGS,
    _LONGS,
    _INT_ROWS,
    _INT_ROWS,
    _FLOAT_ROWS,
    _FLOAT_ROWS,
    _FLOAT_ROWS,
    _FLOAT_ROWS,
    _LONGS,
    _FLOATS,
    int8[::1],
)
def count_all(
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
    """Count the models of what `deduce_all` left; find every risk, and the cells that counting proves.

    Args:
        near_start, near, n_mines, grid, edges, info, proof: as `deduce_all` left them.
        state_limit: the most states of a cluster.
        con_key: random numbers, one a cell.
        choose: binomial coefficients up to the largest neighbourhood.
        ways, onward, values: polynomials, all of one row or all of two; see `solver.kernel.counting`.
        p_mine: float64, one a cell: the risks are written here (NaN: open or not known).

    Returns:
        One of `solver.kernel.requests`. Only after DONE the results mean anything. Never INEXACT when polynomials have
        two rows.
    """
    value, con_of, sc_of = grid[0], grid[1], grid[2]
    clue, need, left, dropped = grid[3], grid[4], grid[5], grid[6]
    sc_size, is_charted, sc_start, con_start = grid[7], grid[8], grid[9], grid[10]
    met, placed, unplaced, open_now, seen = grid[11], grid[12], grid[13], grid[14], grid[15]
    queue, order, spare, cl_con, cl_start = grid[16], grid[17], grid[18], grid[19], grid[20]
    room, slot, layer_start, move_start, fewest = grid[21], grid[22], grid[23], grid[24], grid[25]
    order_start = grid[26]
    fresh, checks = grid[27:29], grid[29:31]
    node_start, node_end = grid[31], grid[32]
    sc_con, con_sc = edges[1], edges[2]
    n_cells = p_mine.size
    n_con = info[I_CONSTRAINTS]
    n_rest = info[I_REST]
    is_wide = len(ways) == 2

    mark_charted(n_con, near_start, near, value, clue, left, is_charted)
    n_sc, n_uncharted = find_supercells(
        near_start, near, value, is_charted, con_of, con_key, sc_of, sc_size, sc_key, sc_start, sc_con, edges[3]
    )
    link(n_con, n_sc, sc_start, sc_con, con_start, con_sc)
    if drop_repetitions(n_con, n_sc, need, dropped, sc_start, sc_con, con_start, con_sc) == FAILED:
        return NO_MODEL
    n_cl = find_clusters(n_con, dropped, sc_start, sc_con, con_start, con_sc, met, cl_con, cl_start)

    met[:n_con] = 0
    placed[:n_sc] = 0
    seen[: n_con + 1] = 0
    stamp = 1
    n_ordered = 0
    layer = 0
    layer_start[0] = 0
    move_start[0] = 0
    state_value[0] = 0
    model_start[0] = 0
    for c in range(n_cl):
        order_start[c] = n_ordered
        n_steps, _ = order_cluster(
            cl_con[cl_start[c]],
            stamp,
            sc_start,
            sc_con,
            con_start,
            con_sc,
            met,
            placed,
            unplaced,
            open_now,
            seen,
            fresh,
            queue,
            order[n_ordered:],
            spare,
        )
        stamp += MAX_STARTS + 3
        n_cells_here = 0
        for i in range(n_ordered, n_ordered + n_steps):
            n_cells_here += sc_size[order[i]]
        if n_cells_here > MOST_CELLS and not is_wide:
            return INEXACT
        bits, n_slots = plan_slots(cl_start[c], cl_start[c + 1], cl_con, need, left, room, slot)
        status = forward(
            n_ordered,
            n_ordered + n_steps,
            layer,
            n_slots,
            bits,
            state_limit,
            order,
            sc_size,
            sc_start,
            sc_con,
            need,
            room,
            slot,
            checks,
            layer_start,
            move_start,
            state_key,
            state_span,
            state_value,
            moves,
            ways,
            choose,
            table_state,
            table_turn,
        )
        if status != DONE:
            return status
        n_ordered += n_steps
        layer += n_steps
        final = layer_start[layer]
        fewest[c] = state_span[0, final]
        model_start[c + 1] = model_start[c] + state_value[final + 1] - state_value[final]
        layer += 1
    order_start[n_cl] = n_ordered

    # Joining the clusters by the number of mines.
    weights = plan_tree(n_cl, model_start, node_start, node_end)
    if 2 * weights > values.shape[1]:
        return FULL_SUMS
    power = np.int64(0)
    layer = 0
    for c in range(n_cl):
        layer += order_start[c + 1] - order_start[c]
        first = state_value[layer_start[layer]]
        for row in range(len(ways)):
            for i in range(model_start[c + 1] - model_start[c]):
                values[row, model_start[c] + i] = ways[row, first + i]
        n_rest -= fewest[c]
        taken, lost = scale(values, model_start[c], model_start[c + 1])
        if lost:
            return INEXACT
        power += taken
        layer += 1
    p_uncharted = math.nan
    info[I_LARGEST] = 0
    sums[4, 0] = 1.0
    uncharted_proof = 0
    if n_mines < 0:
        for c in range(n_cl):
            total, total_power = 0.0, -math.inf
            for i in range(model_start[c], model_start[c + 1]):
                values[0, weights + i] = 1.0
                if is_wide:
                    values[1, weights + i] = 0.0
                    total, total_power = plus(total, total_power, values[0, i], values[1, i])
                else:
                    total += values[0, i]
            if is_wide:
                power += int(total_power) * RADIX_BITS
            fraction, taken = math.frexp(total)
            sums[4, 0] *= fraction
            power += taken
    else:
        if n_rest < 0:
            return NO_MODEL
        mined, unmined, total, taken, largest = combine(
            n_cl, node_start, node_end, values, weights, n_uncharted, n_rest
        )
        if total < 0.0:
            return INEXACT
        if total == 0.0:
            return NO_MODEL
        power += taken
        sums[4, 0] = total
        info[I_LARGEST] = largest
        if n_uncharted:
            p_uncharted = risk(mined, unmined)
            if mined == 0.0:
                uncharted_proof = -BY_COUNT
            elif unmined == 0.0:
                uncharted_proof = BY_COUNT
    info[I_UNCHARTED] = n_uncharted
    info[I_POWER] = power
    info[I_CLUSTERS] = n_cl

    # Back through every cluster, with the weight of its numbers of mines.
    layer = 0
    for c in range(n_cl):
        backward(
            order_start[c],
            order_start[c + 1],
            layer,
            weights + model_start[c],
            values,
            order,
            sc_size,
            layer_start,
            move_start,
            state_span,
            state_value,
            moves,
            ways,
            onward,
            choose,
            sums[0],
            sums[1],
        )
        is_cut = False
        for i in range(model_start[c], model_start[c + 1]):
            if values[0, i] > 0.0 and values[0, weights + i] == 0.0:
                is_cut = True
            values[0, weights + i] = 1.0
            if is_wide:
                values[1, weights + i] = 0.0
        is_any_forced = False
        for i in range(order_start[c], order_start[c + 1]):
            s = order[i]
            placed[s] = 0
            if sums[0, s] == 0.0:
                placed[s] = -BY_NUMBERS
                is_any_forced = True
            elif sums[1, s] == 0.0:
                placed[s] = BY_NUMBERS
                is_any_forced = True
        if is_cut and is_any_forced:
            # The mine count excludes some models: what would the numbers have forced without it?
            backward(
                order_start[c],
                order_start[c + 1],
                layer,
                weights + model_start[c],
                values,
                order,
                sc_size,
                layer_start,
                move_start,
                state_span,
                state_value,
                moves,
                ways,
                onward,
                choose,
                sums[2],
                sums[3],
            )
            for i in range(order_start[c], order_start[c + 1]):
                s = order[i]
                if placed[s] != 0 and sums[2, s] > 0.0 and sums[3, s] > 0.0:
                    placed[s] = -BY_COUNT if placed[s] < 0 else BY_COUNT
        layer += order_start[c + 1] - order_start[c] + 1

    for s in range(n_sc):
        sums[0, s] = risk(sums[0, s], sums[1, s])
    for cell in range(n_cells):
        if value[cell] == IS_MINE:
            p_mine[cell] = 1.0
        elif value[cell] == IS_SAFE:
            p_mine[cell] = math.nan if proof[cell] == 0 else 0.0
        elif sc_of[cell] >= 0:
            p_mine[cell] = sums[0, sc_of[cell]]
            proof[cell] = placed[sc_of[cell]]
        else:
            p_mine[cell] = p_uncharted
            proof[cell] = uncharted_proof
    return DONE
