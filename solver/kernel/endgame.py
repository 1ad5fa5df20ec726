"""The exact endgame: the move that wins most of the models that are left, and how many it wins.

A state is the set of models still possible; nothing else of the past matters. A cell that is no mine in any of them is
opened at once when they differ in its number, since what is learned free cannot harm. Otherwise cells are tried, those
that are safe in most models first: opening one loses the models that have a mine there and splits the others by the
number it shows; its value is the sum of the values of the parts. Not every cell has to be tried:

- One that is safe in no more models than the best so far wins cannot be better.
- One that is safe only where a cell that was tried is safe too cannot be better than that: opened right after it, it
  wins the same models.
- One that shows the same number wherever it is safe can wait: what is opened before it splits the models alike,
  whether it is open or not. When there is no other, no more than one model can be won. Of those to open first such
  cells are tried too: of cells that win as many the safest is the better advice.
- One whose parts so far, with all models of the others, win no more than the best is given up. So a part has to win
  more than some number; that passes on to the parts of a part, as in an alpha-beta search [1]: a state that cannot win
  more is not searched to the end.

An ending of more than `MOST_EXACT` models is played by a plan, unless the best play is asked for: in a state of more
than `SMALL` models only the safest cell is tried, in smaller ones, and at first, every one. What that wins is no more
than the best play, and takes a twentieth of the time with a few thousand models; the cell it opens first is nearly as
good (`solver/strategy/LOG.md`).

The values of states, or what they do not exceed, are kept in a table under the exclusive or of random keys of their
models, and looked up for all parts of a cell before the first is searched. A newer state takes the place of an older
one there, which costs time alone.

[1] D. E. Knuth, R. W. Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6, 1975.

The working space `desk` of endings, an int64 array: where each of its parts begins, and how long it is in all.

Endings: few enough models, and they are listed and solved, exactly or by a plan.
"""

from __future__ import annotations

import math

import numpy as np

from solver.kernel.compiler import inlined, stage
from solver.kernel.drawing import GOLDEN, mix
from solver.kernel.listing import (
    MOST_CELLS,
    MOST_MODELS,
    list_models,
    list_numbers,
    log_models,
    mark_neighbours,
    order_cells,
)
from solver.kernel.lookahead import find_candidates
from solver.kernel.pipeline import S_GRID, S_INFO, S_MODEL_START, S_NEAR, S_NEAR_START, S_P_MINE, S_PROOF, S_SUMS
from solver.kernel.requests import (
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

WIDE = MOST_CELLS + 1
"""Places a row of cells takes: a fixed number, and a multiple of what the processor handles at once."""
LEVELS = MOST_CELLS + 2
"""States of the search that are looked at, each a part of the one before."""
MEMO = 1 << 17
"""Places of the table of known states: with an eighth hard endings take a fifth more time."""
N_FRAME = 16
N_PART = 4

_INT16, _INT8 = 4, 8
"""How many of them an int64 has room for."""

A_MODELS = 0
A_KEYS = A_MODELS + MOST_MODELS
A_CELLS = A_KEYS + MOST_MODELS
A_NEAR = A_CELLS + WIDE
A_FEWEST = A_NEAR + WIDE
A_MOST = A_FEWEST + WIDE
A_TRIED = A_MOST + WIDE
A_VALUE = A_TRIED + WIDE
A_MEMO = A_VALUE + WIDE
A_FRAMES = A_MEMO + 2 * MEMO
A_PARTS = A_FRAMES + LEVELS * N_FRAME
A_SAFE = A_PARTS + LEVELS * WIDE * N_PART
A_LEAST = A_SAFE + LEVELS * WIDE // _INT16
A_GREATEST = A_LEAST + WIDE // _INT8
A_NUMBERS = A_GREATEST + WIDE // _INT8
A_SETS = A_NUMBERS + MOST_MODELS * WIDE // _INT8
A_SIZES = A_SETS + MOST_MODELS * LEVELS
A_SALT = A_SIZES + WIDE
A_RNG = A_SALT + 1
A_WON = A_RNG + 1
A_CHOSEN = A_WON + 1
SIZE = A_CHOSEN + 1


MOST_STEPS = 500_000
"""Of the search: about 0.1 s. Longer ones are left to the lookahead."""
MOST_EXACT = 500
"""Models of an ending that is solved exactly."""
SMALL = 30
"""Models of a state that is solved exactly in a larger ending."""

(
    _FROM,
    _TO,
    _BASE,
    _END,
    _KEY,
    _ENOUGH,
    _BEST,
    _N_TRIED,
    _TRIED,
    _IS_FREE,
    _FREE,
    _CELL,
    _SUM,
    _LEFT,
    _AT,
    _N_PARTS,
) = range(N_FRAME)
"""Places of a frame, one a level of the search. Of the state: its models lie in the sets from _FROM to _TO; its key;
how many it has to win more than, or it does not matter how many; the best value so far; how many cells were tried, and
which, as bits. Of the cell that is tried: whether it is safe in all models; which others are so too and tell models
apart, as bits; its place; what it wins for certain so far, and what the parts not yet searched may win; which of these
is next and how many there are. These parts lie in the sets from _BASE to _END."""
_START, _STOP, _PART_KEY, _BOUND = range(N_PART)
"""Places of a part: its models lie in the sets from _START to _STOP; its key; what it may win at most."""


@inlined
def win_two(numbers, one, other):
    """How many of two models can be won: both, where a cell that is safe in both tells them apart."""
    here, there = np.uint64(one * WIDE), np.uint64(other * WIDE)
    is_apart = np.int8(0)
    for cell in range(WIDE):
        a, b = numbers[here + np.uint64(cell)], numbers[there + np.uint64(cell)]
        is_apart |= np.int8(a >= 0) & np.int8(b >= 0) & np.int8(a != b)
    return 1 + np.int64(is_apart)


@inlined
def find_free(numbers, sets, frames, depth):
    """Take the next of the cells known to be safe in all models in which the models of this state differ."""
    start, end = frames[depth, _FROM], frames[depth, _TO]
    cell = 0
    while frames[depth, _FREE]:
        while not (frames[depth, _FREE] >> cell) & 1:
            cell += 1
        frames[depth, _FREE] ^= np.int64(1) << cell
        number = numbers[sets[start] * WIDE + cell]
        for place in range(start + 1, end):
            if numbers[sets[place] * WIDE + cell] != number:
                frames[depth, _IS_FREE] = 1
                frames[depth, _CELL] = cell
                return True
    return False


@inlined
def look_at(numbers, sets, frames, safe, least, greatest, depth):
    """Begin the state of a frame: find in how many of its models every cell is safe, or a cell that is in all.

    Args:
        numbers: int8, what `list_numbers` wrote; as the uint8 that these are a mine is the greatest of all.
        safe: int16 (LEVELS, WIDE), so of less than 32768 models: of each cell to try in how many it is safe, else 0.
        least, greatest: uint8 and int8, one a cell: working space.

    Returns:
        1 when that is all it can win; -1 when cells have to be tried.
    """
    frames[depth, _BEST] = 0
    frames[depth, _N_TRIED] = 0
    frames[depth, _TRIED] = 0
    frames[depth, _IS_FREE] = 0
    if find_free(numbers, sets, frames, depth):
        return -1
    start, end = frames[depth, _FROM], frames[depth, _TO]
    for cell in range(WIDE):  # one loop each, and no slices: so they become a few instructions
        safe[depth, cell] = 0
    for cell in range(WIDE):
        least[cell] = 255
    for cell in range(WIDE):
        greatest[cell] = -1
    as_unsigned = numbers.view(np.uint8)
    for place in range(start, end):
        row = np.uint64(sets[place] * WIDE)
        for cell in range(WIDE):
            safe[depth, cell] += np.int16(numbers[row + np.uint64(cell)] >= 0)
        for cell in range(WIDE):
            greatest[cell] = max(greatest[cell], numbers[row + np.uint64(cell)])
        for cell in range(WIDE):
            least[cell] = min(least[cell], as_unsigned[row + np.uint64(cell)])
    spread = 0
    for cell in range(WIDE):
        if safe[depth, cell] == end - start and greatest[cell] > least[cell]:
            frames[depth, _FREE] |= np.int64(1) << cell
            if greatest[cell] - least[cell] > spread:
                spread = greatest[cell] - least[cell]
                frames[depth, _CELL] = cell
    if spread > 0:
        frames[depth, _IS_FREE] = 1
        frames[depth, _FREE] ^= np.int64(1) << frames[depth, _CELL]
        return -1
    n_left = 0
    for cell in range(WIDE):
        if safe[depth, cell] == end - start or (greatest[cell] == least[cell] and depth > 0):
            safe[depth, cell] = 0
        n_left += safe[depth, cell] > 0
    return 1 if n_left == 0 else -1


@inlined
def choose_next(models, sets, frames, safe, depth, enough, most, is_full):
    """Choose the cell that is tried next, of a state in which `most` may be; return whether there is any."""
    if frames[depth, _N_TRIED] == (1 if frames[depth, _IS_FREE] else most):
        return False
    if frames[depth, _IS_FREE]:
        return True
    while True:
        cell = 0
        n_safe = safe[depth, 0]
        for other in range(1, WIDE):
            if safe[depth, other] > n_safe:
                cell = other
                n_safe = safe[depth, other]
        if n_safe == 0 or (n_safe <= enough and not is_full):
            return False
        safe[depth, cell] = 0
        covering = frames[depth, _TRIED]  # the cells tried that are safe wherever this one is
        for place in range(frames[depth, _FROM], frames[depth, _TO]):
            model = models[sets[place]]
            if not (model >> cell) & 1:
                covering &= ~model
        if covering == 0 or is_full:
            frames[depth, _CELL] = cell
            frames[depth, _TRIED] |= np.int64(1) << cell
            return True


@inlined
def split(numbers, keys, memo, sets, frames, parts, sizes, depth):
    """Open the chosen cell: sort the models in which it is safe by its number, and list the parts to be searched."""
    start, end, base, cell = frames[depth, _FROM], frames[depth, _TO], frames[depth, _BASE], frames[depth, _CELL]
    for number in range(WIDE):
        sizes[number] = 0
    for place in range(start, end):  # the mines are numbered 0, and sorted to the end
        sizes[numbers[sets[place] * WIDE + cell] + 1] += 1
    stop = base + end - start - sizes[0]
    n_all = 0
    to = base
    number = 1
    while to < stop:
        size = sizes[number]
        sizes[number] = to
        if size > 0:
            parts[depth, n_all, _START] = to
            parts[depth, n_all, _STOP] = to + size
            n_all += 1
        to += size
        number += 1
    sizes[0] = to
    for place in range(start, end):
        model = sets[place]
        number = numbers[model * WIDE + cell] + 1
        sets[sizes[number]] = model
        sizes[number] += 1
    won = 0
    left = 0
    n_parts = 0
    for i in range(n_all):
        begin, stop = parts[depth, i, _START], parts[depth, i, _STOP]
        if stop - begin == 1:
            won += 1
        elif stop - begin == 2:
            won += win_two(numbers, sets[begin], sets[begin + 1])
        else:
            key = np.int64(0)
            for place in range(begin, stop):
                key ^= keys[sets[place]]
            bound = stop - begin
            known = 2 * (key & (MEMO - 1))
            if memo[known] == key:
                bound = memo[known + 1] >> 1
                if memo[known + 1] & 1 == 0:
                    won += bound
                    continue
            left += bound
            parts[depth, n_parts, _START] = begin
            parts[depth, n_parts, _STOP] = stop
            parts[depth, n_parts, _PART_KEY] = key
            parts[depth, n_parts, _BOUND] = bound
            n_parts += 1
    frames[depth, _END] = to
    frames[depth, _SUM] = won
    frames[depth, _LEFT] = left
    frames[depth, _AT] = 0
    frames[depth, _N_PARTS] = n_parts


@stage
def solve(n_models, n_cells, desk, is_plan, most_steps, is_full):
    """Find how many of the listed models can be won by the best play, or by the plan.

    Args:
        n_models, n_cells: of the lists in `desk`.
        desk: working space; what each cell wins when it is opened first is written from `A_VALUE` on: -1 where that was
            not needed. The place of the one to open is written to A_CHOSEN.
        is_plan: whether by the plan.
        most_steps: of the search.
        is_full: whether the value of every cell is wanted, not the best alone: 0 or 1.

    Returns:
        The models won; -1 when the search is too long.
    """
    models, keys, near_bits = desk[A_MODELS:A_KEYS], desk[A_KEYS:A_CELLS], desk[A_NEAR:A_FEWEST]
    memo, sets, values = desk[A_MEMO:A_FRAMES], desk[A_SETS:A_SIZES], desk[A_VALUE:A_MEMO]
    frames = desk[A_FRAMES:A_PARTS].reshape(LEVELS, N_FRAME)
    parts = desk[A_PARTS:A_SAFE].reshape(LEVELS, WIDE, N_PART)
    safe = desk[A_SAFE:A_LEAST].view(np.int16).reshape(LEVELS, WIDE)
    least, greatest = desk[A_LEAST:A_GREATEST].view(np.uint8), desk[A_GREATEST:A_NUMBERS].view(np.int8)
    numbers, sizes = desk[A_NUMBERS:A_SETS].view(np.int8), desk[A_SIZES:A_SALT]
    list_numbers(n_models, n_cells, models, near_bits, WIDE, numbers)
    for i in range(n_models):
        desk[A_SALT] += 1
        keys[i] = mix(desk[A_SALT] * GOLDEN)
        sets[i] = i
    values[:n_cells] = -1
    frames[0, _FROM] = 0
    frames[0, _TO] = n_models
    frames[0, _BASE] = n_models
    frames[0, _KEY] = 0
    frames[0, _FREE] = 0
    frames[0, _ENOUGH] = -1
    for cell in range(n_cells - 1, -1, -1):  # of one that can be won at most, any cell that is safe in it
        for i in range(n_models):
            if not (models[i] >> cell) & 1:
                desk[A_CHOSEN] = cell
    depth = 0
    is_new = True
    won = -1
    for _ in range(most_steps):
        every_cell = is_full and depth == 0
        if is_new:
            won = look_at(numbers, sets, frames, safe, least, greatest, depth)
            is_new = False
            if won > 0 and depth == 0:
                values[desk[A_CHOSEN]] = won
        elif won >= 0:  # a part is known
            frames[depth, _SUM] += won
            won = -1
        if won < 0:
            enough = max(frames[depth, _BEST], frames[depth, _ENOUGH])
            limit = -1 if every_cell else enough
            total, left, at = frames[depth, _SUM], frames[depth, _LEFT], frames[depth, _AT]
            if frames[depth, _N_TRIED] > 0 and total + left > limit:
                if at < frames[depth, _N_PARTS]:
                    left -= parts[depth, at, _BOUND]
                    frames[depth, _LEFT] = left
                    frames[depth, _AT] = at + 1
                    frames[depth + 1, _FROM] = parts[depth, at, _START]
                    frames[depth + 1, _TO] = parts[depth, at, _STOP]
                    frames[depth + 1, _KEY] = parts[depth, at, _PART_KEY]
                    frames[depth + 1, _FREE] = frames[depth, _FREE] if frames[depth, _IS_FREE] else 0
                    frames[depth + 1, _BASE] = frames[depth, _END]
                    frames[depth + 1, _ENOUGH] = -1 if every_cell else enough - total - left
                    depth += 1
                    is_new = True
                    continue
                if depth == 0:
                    values[frames[0, _CELL]] = total
                if total > frames[depth, _BEST]:
                    frames[depth, _BEST] = total
                    enough = max(enough, total)
                    if depth == 0:
                        desk[A_CHOSEN] = frames[0, _CELL]
            is_large = depth > 0 and frames[depth, _TO] - frames[depth, _FROM] > SMALL
            width = 1 if is_plan and is_large else WIDE
            if choose_next(models, sets, frames, safe, depth, enough, width, every_cell):
                frames[depth, _N_TRIED] += 1
                split(numbers, keys, memo, sets, frames, parts, sizes, depth)
                continue
            won = enough
            known = 2 * (frames[depth, _KEY] & (MEMO - 1))
            memo[known] = frames[depth, _KEY]
            memo[known + 1] = 2 * won + (frames[depth, _BEST] <= frames[depth, _ENOUGH])  # odd where it is but a bound
        if depth == 0:
            return won
        depth -= 1
    return -1


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
