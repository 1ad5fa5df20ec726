"""Listing the models of a small ending, each as the bits of one integer, and what their cells would show.

A search cell by cell in the order in which the clusters were counted, so that a number is complete soon after its first
cell. What the clusters can still take of the mines bounds the search, and few of its branches end without a model.
"""

from __future__ import annotations

import math

import numpy as np

from solver.kernel.clusters import UNKNOWN
from solver.kernel.compiler import stage
from solver.kernel.pipeline import I_CLUSTERS, I_LARGEST, I_POWER, I_REST, I_UNCHARTED

MOST_CELLS = 63
"""A model is the bits of one int64, the sign left out."""
MOST_MODELS = 8000
"""Twice as many win hardly more, and take half as long again for all of a game (`solver/strategy/LOG.md`)."""
MOST_NODES = 1 << 18
"""Of the search: endings with fewer models than this allows are listed far below it."""

_LOG_2 = math.log(2.0)


@stage
def log_models(total, info):
    """The natural logarithm of the number of models of a position that was counted; `total` is its `sums[4, 0]`."""
    n = info[I_UNCHARTED]
    k = info[I_LARGEST]
    logarithm = math.log(total) + info[I_POWER] * _LOG_2
    if 0 < k < n:
        logarithm += math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
    return logarithm


@stage
def order_cells(n_cells, grid, info, model_start, cells, fewest_left, most_left):
    """List the unknown cells, cluster by cluster, the uncharted ones last.

    Args:
        n_cells: of the board.
        grid, info, model_start: as `solver.kernel.pipeline.count_all` left them.
        cells: int64: the cells are written here, and -1 behind them.
        fewest_left, most_left: int64: between which bounds the mines are that lie from each place of `cells` on.

    Returns:
        How many there are; -1 when there are more than `MOST_CELLS`.
    """
    value, sc_of, order, fewest, order_start = grid[0], grid[2], grid[17], grid[25], grid[26]
    n_unknown = 0
    for cell in range(n_cells):
        n_unknown += value[cell] == UNKNOWN
    if n_unknown > MOST_CELLS:
        return -1
    at = 0
    for i in range(order_start[info[I_CLUSTERS]]):
        for cell in range(n_cells):
            if value[cell] == UNKNOWN and sc_of[cell] == order[i]:
                cells[at] = cell
                at += 1
    first_uncharted = at
    for cell in range(n_cells):
        if value[cell] == UNKNOWN and sc_of[cell] < 0:
            cells[at] = cell
            at += 1
    cells[at] = -1
    low, high = 0, 0
    fewest_left[at] = 0
    most_left[at] = 0
    for i in range(at - 1, first_uncharted - 1, -1):
        high += 1
        fewest_left[i] = 0
        most_left[i] = high
    i = first_uncharted - 1
    for c in range(info[I_CLUSTERS] - 1, -1, -1):
        inside = 0
        while i >= 0:
            is_here = False
            for place in range(order_start[c], order_start[c + 1]):
                if order[place] == sc_of[cells[i]]:
                    is_here = True
            if not is_here:
                break
            inside += 1
            fewest_left[i] = low
            most_left[i] = high + inside
            i -= 1
        low += fewest[c]
        high += fewest[c] + model_start[c + 1] - model_start[c] - 1
        fewest_left[i + 1] = low
        most_left[i + 1] = high
    return at


@stage
def list_models(n_unknown, near_start, near, grid, info, cells, fewest_left, most_left, tried, models, most):
    """List every model of a position over the cells that `order_cells` listed.

    Args:
        tried: int64, one a cell and one more: working space.
        models: int64: the models are written here, with a bit for every cell, set for a mine.
        most: how many models to list at most.

    Returns:
        How many there are; -1 when there are more, or the search for them is too long.
    """
    con_of, need, left = grid[1], grid[4], grid[5]
    remaining = info[I_REST]
    n_models = 0
    n_nodes = 0
    bits = np.int64(0)
    depth = 0
    tried[0] = -1
    is_full = False
    while depth >= 0:
        if depth == n_unknown:
            if remaining == 0:
                if n_models == most:
                    is_full = True
                else:
                    models[n_models] = bits
                    n_models += 1
            depth -= 1
            continue
        cell = cells[depth]
        if tried[depth] >= 0:  # take back what was tried
            was_mine = tried[depth]
            bits &= ~(np.int64(1) << depth)
            remaining += was_mine
            for edge in range(near_start[cell], near_start[cell + 1]):
                j = con_of[near[edge]]
                if j >= 0:
                    need[j] += was_mine
                    left[j] += 1
        tried[depth] += 1
        if tried[depth] > 1 or is_full:
            depth -= 1
            continue
        n_nodes += 1
        is_full = is_full or n_nodes > MOST_NODES
        is_mine = tried[depth]
        bits |= is_mine << depth
        remaining -= is_mine
        is_possible = fewest_left[depth + 1] <= remaining <= most_left[depth + 1]
        for edge in range(near_start[cell], near_start[cell + 1]):
            j = con_of[near[edge]]
            if j >= 0:
                need[j] -= is_mine
                left[j] -= 1
                if need[j] < 0 or need[j] > left[j]:
                    is_possible = False
        if is_possible:
            depth += 1
            tried[depth] = -1
    return -1 if is_full else n_models


@stage
def count_bits(word):
    """How many bits of a non-negative int64 are set."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


@stage
def mark_neighbours(n_unknown, near_start, near, cells, near_bits):
    """For each listed cell, the bits of those beside it."""
    for i in range(n_unknown):
        near_bits[i] = 0
        for edge in range(near_start[cells[i]], near_start[cells[i] + 1]):
            for j in range(n_unknown):
                if cells[j] == near[edge]:
                    near_bits[i] |= np.int64(1) << j


@stage
def list_numbers(n_models, n_unknown, models, near_bits, width, numbers):
    """List what every cell shows in every model: its mines among the listed cells; negative for a mine.

    Args:
        width: places a model takes in `numbers`; what lies behind its cells counts as mines.
        numbers: int8: they are written here.
    """
    for i in range(n_models):
        for cell in range(width):
            numbers[i * width + cell] = -1
        for cell in range(n_unknown):
            if not (models[i] >> cell) & 1:
                numbers[i * width + cell] = count_bits(models[i] & near_bits[cell])
