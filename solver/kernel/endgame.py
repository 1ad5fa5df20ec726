"""The exact endgame: the move that wins most of the models that are left, and how many it wins.

A state is the set of models still possible; nothing else of the past matters. A cell that is no mine in any of them is
opened at once when they differ in its number, since what is learned free cannot harm. Otherwise every cell is tried,
those that are safe in most models first: opening one loses the models that have a mine there and splits the others by
the number it shows; its value is the sum of the values of the parts. A cell that is safe in no more models than the
best so far wins cannot be better, and neither can one whose parts so far, with all models of the others, win no more.
So a part has to win more than some number, or its cell is given up; that passes on to the parts of a part, as in an
alpha-beta search [1]: a state that cannot win more is not searched to the end.

The values of states, or what they do not exceed, are kept in a table under the exclusive or of random keys of their
models. A newer state takes the place of an older one there, which costs time alone.

[1] D. E. Knuth, R. W. Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6, 1975.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.compiler import stage
from solver.kernel.listing import MOST_CELLS, MOST_MODELS

MOST_STEPS = 600_000
"""Of the search: at most 0.1 s. Longer ones are left to the lookahead; with a tenth of the steps that cost games."""
MEMO = 1 << 17
"""Places of the table of known states: with a sixteenth long searches take twice the time."""

A_MODELS = 0
A_KEYS = A_MODELS + MOST_MODELS
A_CELLS = A_KEYS + MOST_MODELS
A_NEAR = A_CELLS + MOST_CELLS + 1
A_FEWEST = A_NEAR + MOST_CELLS + 1
A_MOST = A_FEWEST + MOST_CELLS + 1
A_TRIED = A_MOST + MOST_CELLS + 1
A_VALUE = A_TRIED + MOST_CELLS + 1
A_MEMO = A_VALUE + MOST_CELLS + 1
A_FRAMES = A_MEMO + 2 * MEMO
N_FRAME = 13
A_TRIES = A_FRAMES + N_FRAME * (MOST_CELLS + 2)
A_SETS = A_TRIES + (MOST_CELLS + 1) * (MOST_CELLS + 2)
A_SALT = A_SETS + MOST_MODELS * (MOST_CELLS + 2)
A_RNG = A_SALT + 1
A_WON = A_RNG + 1
A_CHOSEN = A_WON + 1
SIZE = A_CHOSEN + 1
"""Places of the working space `desk`, an int64 array: where each of its parts begins, and how long it is in all."""

_FROM, _TO, _BASE, _END, _AT, _BEST, _SUM, _LEFT, _TRY, _N_TRIES, _KEY, _CELL, _ENOUGH = range(N_FRAME)
"""Places of a frame: its models lie in the sets from _FROM to _TO, the parts that the cell tried splits them into from
_BASE to _END, the next part at _AT; the best value; of the cell tried, the value so far and the models not yet looked
at (negative: given up); which of its cells is tried (negative: none was yet) and how many there are; the key; the place
of the cell tried; how many the state has to win more than, or it does not matter how many."""


@stage
def mix(word):
    """A well mixed 64-bit integer from another: the finalizer of splitmix64, with its shifts made logical."""
    word = (word ^ ((word >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    word = (word ^ ((word >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return word ^ ((word >> 31) & 0x1FFFFFFFF)


@stage
def count_bits(word):
    """How many bits of a non-negative int64 are set."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


@stage
def mark_neighbours(n_cells, near_start, near, cells, near_bits):
    """For each listed cell, the bits of those beside it."""
    for i in range(n_cells):
        near_bits[i] = 0
        for edge in range(near_start[cells[i]], near_start[cells[i] + 1]):
            for j in range(n_cells):
                if cells[j] == near[edge]:
                    near_bits[i] |= np.int64(1) << j


@stage
def find_free(models, sets, start, end, closed_in_all, n_cells, near_bits):
    """A cell that is safe in all models of a set, which do not agree on its number; -1 when there is none."""
    for i in range(n_cells):
        if (closed_in_all >> i) & 1:
            number = count_bits(models[sets[start]] & near_bits[i])
            for place in range(start + 1, end):
                if count_bits(models[sets[place]] & near_bits[i]) != number:
                    return i
    return -1


@stage
def split(models, sets, start, end, base, cell, near_bits):
    """Write the models of a set in which a cell is safe from `base` on, sorted by its number; return the end."""
    to = base
    lowest, highest = np.int64(MOST_CELLS), np.int64(0)
    for place in range(start, end):
        model = models[sets[place]]
        if not (model >> cell) & 1:
            sets[to] = sets[place]
            to += 1
            number = count_bits(model & near_bits)
            lowest = min(lowest, number)
            highest = max(highest, number)
    sorted_to = base
    for number in range(lowest, highest):
        for place in range(sorted_to, to):
            if count_bits(models[sets[place]] & near_bits) == number:
                sets[place], sets[sorted_to] = sets[sorted_to], sets[place]
                sorted_to += 1
    return to


@stage
def begin(models, keys, near_bits, n_cells, sets, frame, tries, memo):
    """Look at the set of a frame: what it is worth at once, or else which cells to try.

    Returns:
        Its value, or where that does not matter a bound; -1 when cells have to be tried.
    """
    start, end = frame[_FROM], frame[_TO]
    size = end - start
    if size == 1:
        return 1
    every = np.int64(0)
    key = np.int64(0)
    for place in range(start, end):
        every |= models[sets[place]]
        key ^= keys[sets[place]]
    frame[_KEY] = key
    frame[_BEST] = 0
    frame[_TRY] = -1
    free = find_free(models, sets, start, end, ~every, n_cells, near_bits)
    if free >= 0:
        tries[0] = free
        frame[_N_TRIES] = 1
        return -1
    if size == 2:
        return 1
    place = 2 * (key & (MEMO - 1))
    if memo[place] == key and (memo[place + 1] & 1 == 0 or memo[place + 1] >> 1 <= frame[_ENOUGH]):
        return memo[place + 1] >> 1
    n_tries = 0
    for cell in range(n_cells):
        if not (every >> cell) & 1:
            continue
        n_safe = 0
        for at in range(start, end):
            n_safe += 1 - ((models[sets[at]] >> cell) & 1)
        if n_safe == 0:
            continue
        i = n_tries
        while i > 0 and tries[i - 1] >> 8 < n_safe:
            tries[i] = tries[i - 1]
            i -= 1
        tries[i] = (n_safe << 8) | cell
        n_tries += 1
    frame[_N_TRIES] = n_tries
    return -1


@stage
def solve(n_models, n_cells, desk, is_full):
    """Find how many of the listed models can be won.

    Args:
        n_models, n_cells: of the lists in `desk`.
        desk: working space; what each cell wins when it is opened first is written from `A_VALUE` on: -1 where that was
            not needed. The place of the one to open is written to A_CHOSEN.
        is_full: whether the value of every cell is wanted, not the best alone: 0 or 1.

    Returns:
        The models won; -1 when the search is too long.
    """
    models, keys, near_bits = desk[A_MODELS:A_KEYS], desk[A_KEYS:A_CELLS], desk[A_NEAR:A_FEWEST]
    memo, sets, values = desk[A_MEMO:A_FRAMES], desk[A_SETS:A_SALT], desk[A_VALUE:A_MEMO]
    frames, tries = desk[A_FRAMES:A_TRIES], desk[A_TRIES:A_SETS]
    for i in range(n_models):
        desk[A_SALT] += 1
        keys[i] = mix(desk[A_SALT] * -7046029254386353131)
        sets[i] = i
    values[:n_cells] = -1
    frames[_FROM] = 0
    frames[_TO] = n_models
    frames[_BASE] = n_models
    frames[_ENOUGH] = -1
    depth = 0
    n_steps = 0
    won = begin(models, keys, near_bits, n_cells, sets, frames[:N_FRAME], tries, memo)
    if won >= 0:  # one model, or two that nothing tells apart: any cell that is safe in one of them
        for cell in range(n_cells - 1, -1, -1):
            for i in range(n_models):
                if not (models[i] >> cell) & 1:
                    values[cell] = 1
                    desk[A_CHOSEN] = cell
        return won
    while True:
        n_steps += 1
        if n_steps > MOST_STEPS:
            return -1
        frame = frames[depth * N_FRAME : (depth + 1) * N_FRAME]
        cells = tries[depth * (MOST_CELLS + 1) : (depth + 1) * (MOST_CELLS + 1)]
        if won >= 0:  # a part is known
            frame[_SUM] += won
            won = -1
        if frame[_TRY] >= 0:
            must_be_exact = is_full and depth == 0
            enough = -1 if must_be_exact else max(frame[_BEST], frame[_ENOUGH])
            if frame[_SUM] + frame[_LEFT] <= enough:
                frame[_AT] = frame[_END]
                frame[_LEFT] = -1  # given up
            if frame[_AT] < frame[_END]:
                near_here = near_bits[frame[_CELL]]
                start = frame[_AT]
                number = count_bits(models[sets[start]] & near_here)
                end = start + 1
                while end < frame[_END] and count_bits(models[sets[end]] & near_here) == number:
                    end += 1
                frame[_AT] = end
                frame[_LEFT] -= end - start
                if end - start == 1:
                    won = 1
                    continue
                below = frames[(depth + 1) * N_FRAME : (depth + 2) * N_FRAME]
                below[_FROM] = start
                below[_TO] = end
                below[_BASE] = frame[_END]
                below[_ENOUGH] = -1 if must_be_exact else enough - frame[_SUM] - frame[_LEFT]
                under = tries[(depth + 1) * (MOST_CELLS + 1) : (depth + 2) * (MOST_CELLS + 1)]
                won = begin(models, keys, near_bits, n_cells, sets, below, under, memo)
                if won < 0:
                    depth += 1
                continue
            if frame[_LEFT] >= 0:
                if depth == 0:
                    values[frame[_CELL]] = frame[_SUM]
                if frame[_SUM] > frame[_BEST]:
                    frame[_BEST] = frame[_SUM]
                    if depth == 0:
                        desk[A_CHOSEN] = frame[_CELL]
        frame[_TRY] += 1
        at = frame[_TRY]
        is_free = frame[_N_TRIES] == 1 and cells[0] < 256
        enough = max(frame[_BEST], frame[_ENOUGH])
        if at < frame[_N_TRIES] and (is_free or cells[at] >> 8 > enough or (is_full and depth == 0)):
            frame[_CELL] = cells[at] & 255
            near_here = near_bits[frame[_CELL]]
            frame[_AT] = frame[_BASE]
            frame[_END] = split(models, sets, frame[_FROM], frame[_TO], frame[_BASE], frame[_CELL], near_here)
            frame[_LEFT] = frame[_END] - frame[_AT]
            frame[_SUM] = 0
            continue
        won = enough
        if not is_free:
            place = 2 * (frame[_KEY] & (MEMO - 1))
            memo[place] = frame[_KEY]
            memo[place + 1] = 2 * won + (frame[_BEST] <= frame[_ENOUGH])  # odd where it is but a bound
        if depth == 0:
            return won
        depth -= 1
