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
than `_SMALL` models only the safest cell is tried, in smaller ones, and at first, every one. What that wins is no more
than the best play, and takes a twentieth of the time with a few thousand models; the cell it opens first is nearly as
good (`solver/strategy/LOG.md`).

The values of states, or what they do not exceed, are kept in a table under the exclusive or of random keys of their
models, and looked up for all parts of a cell before the first is searched. A newer state takes the place of an older
one there, which costs time alone.

[1] D. E. Knuth, R. W. Moore, An analysis of alpha-beta pruning, Artificial Intelligence 6, 1975.

Before it is solved, its models are listed, each as the bits of one integer: a search cell by cell in the order in which
the clusters were counted, so that a number is complete soon after its first cell. What the clusters can still take of
the mines bounds the search, and few of its branches end without a model.
"""

from __future__ import annotations

import math

import numpy as np

from solver.kernel.clusters import UNKNOWN
from solver.kernel.compiler import inlined, stage
from solver.kernel.lookahead import find_candidates, log_models
from solver.kernel.splitmix import GOLDEN, mix
from solver.kernel.workspace import BY_ENDING, BY_PLAN, MEMO, MOST_CELLS, WIDE

_MOST_NODES = 1 << 18  # most nodes of the search for models: endings with few enough models are listed far below it
_SMALL = 30  # models of a state that is solved exactly in a larger ending


@stage
def solve_ending(request, work, ending):
    """Solve the position, if few enough models are left of it; the tables in `work` stay as they are.

    Args:
        request: most_models, most_exact, most_steps and is_full are followed.
        work: the working space after `solver.kernel.pipeline.count_all` was called on the position.
        ending: the models won and the place of the cell to open are written to its outcome.

    Returns:
        The number of models; 0 when there are too many.
    """
    outcome = ending.outcome
    if log_models(work.summary) > math.log(request.most_models + 0.5):
        return 0
    n_unknown = _order_cells(work, ending)
    if n_unknown < 0:
        return 0
    n_models = _list_models(n_unknown, request.most_models, work.summary.n_rest, work.position, ending)
    if n_models <= 0:
        return 0
    _mark_neighbours(n_unknown, work.position.near, ending)
    is_plan, most_steps = n_models > request.most_exact, request.most_steps
    outcome.won = _search(n_models, n_unknown, ending, is_plan, most_steps, 0)
    if request.is_full and outcome.won >= 0:
        chosen = outcome.chosen  # of cells that win as many, the same one whatever else is asked for
        _search(n_models, n_unknown, ending, is_plan, most_steps, 1)  # if too long, what is known so far is right
        ending.values[chosen] = outcome.won
        outcome.chosen = chosen
    return n_models if outcome.won >= 0 else 0


@stage
def rate_ending(n_models, game, work, ending):
    """List the candidates of an ending that `solve_ending` solved, with their shares of games won.

    Args:
        n_models: what `solve_ending` returned.
        game: its request is followed; candidates and counters are written.
        work, ending: as `solve_ending` left them.

    Returns:
        The place of the best candidate; -1 when there is none, or `n_models` is 0.
    """
    if n_models == 0:
        return -1
    candidates, cells, values = game.candidates, ending.cells, ending.values
    n_candidates = find_candidates(game, work, 0.0, MOST_CELLS)
    best = -1
    for i in range(n_candidates):
        candidates.value[i] = 1.0 - candidates.risk[i]
        candidates.is_bound[i] = 1.0
        for place in range(cells.size):
            if cells[place] < 0:
                break
            if cells[place] == int(candidates.cell[i]) and values[place] >= 0:
                candidates.value[i] = values[place] / n_models
                candidates.is_bound[i] = 0.0
                if place == ending.outcome.chosen:
                    best = i
                break
    game.counters.kind = BY_ENDING if n_models <= game.request.most_exact else BY_PLAN
    game.counters.n_candidates = n_candidates
    return best


# ---------------------------------------------------------------- the models and their numbers


@stage
def _order_cells(work, ending):
    """List the unknown cells, cluster by cluster, the uncharted ones last; bound the mines from each place on.

    Returns:
        How many there are; -1 when there are more than `MOST_CELLS`.
    """
    value, sc_of, clusters, cells = work.position.value, work.supercells.of, work.clusters, ending.cells
    n_unknown = 0
    n_cells = work.p_mine.size
    for cell in range(n_cells):
        n_unknown += value[cell] == UNKNOWN
    if n_unknown > MOST_CELLS:
        return -1
    at = 0
    for i in range(clusters.order_start[work.summary.n_clusters]):
        for cell in range(n_cells):
            if value[cell] == UNKNOWN and sc_of[cell] == clusters.order[i]:
                cells[at] = cell
                at += 1
    first_uncharted = at
    for cell in range(n_cells):
        if value[cell] == UNKNOWN and sc_of[cell] < 0:
            cells[at] = cell
            at += 1
    cells[at] = -1
    _bound_mines(first_uncharted, at, work, ending)
    return at


@inlined
def _bound_mines(first_uncharted, n_unknown, work, ending):
    """Say for each place between which bounds the mines are that lie from there on."""
    sc_of, clusters = work.supercells.of, work.clusters
    fewest_left, most_left = ending.fewest_left, ending.most_left
    low, high = 0, 0
    fewest_left[n_unknown] = 0
    most_left[n_unknown] = 0
    for i in range(n_unknown - 1, first_uncharted - 1, -1):
        high += 1
        fewest_left[i] = 0
        most_left[i] = high
    i = first_uncharted - 1
    for c in range(work.summary.n_clusters - 1, -1, -1):
        inside = 0
        while i >= 0:
            is_here = False
            for place in range(clusters.order_start[c], clusters.order_start[c + 1]):
                if clusters.order[place] == sc_of[ending.cells[i]]:
                    is_here = True
            if not is_here:
                break
            inside += 1
            fewest_left[i] = low
            most_left[i] = high + inside
            i -= 1
        low += clusters.fewest[c]
        high += clusters.fewest[c] + clusters.model_start[c + 1] - clusters.model_start[c] - 1
        fewest_left[i + 1] = low
        most_left[i + 1] = high


@stage
def _list_models(n_unknown, most, remaining, position, ending):
    """List every model of a position over the cells that `_order_cells` listed.

    Args:
        n_unknown: how many cells.
        most: how many models to list at most.
        remaining: the mines in them.
        position: its constraints are changed on the way, and are at the end what they were.
        ending: the models are written there, with a bit for every cell, set for a mine.

    Returns:
        How many there are; -1 when there are more, or the search for them is too long.
    """
    cells, tried = ending.cells, ending.tried
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
                    ending.models[n_models] = bits
                    n_models += 1
            depth -= 1
            continue
        if tried[depth] >= 0:
            bits &= ~(np.int64(1) << depth)
            remaining += tried[depth]
            _take_back(cells[depth], tried[depth], position)
        tried[depth] += 1
        if tried[depth] > 1 or is_full:
            depth -= 1
            continue
        n_nodes += 1
        is_full = is_full or n_nodes > _MOST_NODES
        is_mine = tried[depth]
        bits |= is_mine << depth
        remaining -= is_mine
        is_possible = ending.fewest_left[depth + 1] <= remaining <= ending.most_left[depth + 1]
        if _try(cells[depth], is_mine, position) and is_possible:
            depth += 1
            tried[depth] = -1
    return -1 if is_full else n_models


@inlined
def _try(cell, is_mine, position):
    """Take a cell from what is left of its constraints; return whether all can still be met."""
    near_start, near = position.near
    con_of, need, left = position.con_of, position.need, position.left
    is_possible = True
    for edge in range(near_start[cell], near_start[cell + 1]):
        j = con_of[near[edge]]
        if j >= 0:
            need[j] -= is_mine
            left[j] -= 1
            if need[j] < 0 or need[j] > left[j]:
                is_possible = False
    return is_possible


@inlined
def _take_back(cell, was_mine, position):
    """Undo `_try`."""
    near_start, near = position.near
    con_of = position.con_of
    for edge in range(near_start[cell], near_start[cell + 1]):
        j = con_of[near[edge]]
        if j >= 0:
            position.need[j] += was_mine
            position.left[j] += 1


@stage
def _mark_neighbours(n_unknown, near, ending):
    """For each listed cell, the bits of those beside it."""
    cells, near_bits = ending.cells, ending.near_bits
    for i in range(n_unknown):
        near_bits[i] = 0
        for edge in range(near.start[cells[i]], near.start[cells[i] + 1]):
            for j in range(n_unknown):
                if cells[j] == near.cell[edge]:
                    near_bits[i] |= np.int64(1) << j


@stage
def _list_numbers(n_models, n_unknown, ending):
    """List what every cell shows in every model: its mines among the listed cells; negative for a mine.

    A model takes WIDE places; what lies behind its cells counts as mines.
    """
    models, near_bits, numbers = ending.models, ending.near_bits, ending.numbers
    for i in range(n_models):
        for cell in range(WIDE):
            numbers[i * WIDE + cell] = -1
        for cell in range(n_unknown):
            if not (models[i] >> cell) & 1:
                numbers[i * WIDE + cell] = _count_bits(models[i] & near_bits[cell])


@stage
def _count_bits(word):
    """How many bits of a non-negative int64 are set."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


# ---------------------------------------------------------------- the search for the best play


@stage
def _search(n_models, n_cells, ending, is_plan, most_steps, is_full):  # noqa: C901 - a loop: no recursion is cached
    """Find how many of the listed models can be won by the best play, or by the plan.

    Args:
        n_models, n_cells: of the lists in `ending`.
        ending: what each cell wins when it is opened first is written to its values: -1 where that was not needed. The
            place of the one to open is written to the outcome.
        is_plan: whether by the plan.
        most_steps: of the search.
        is_full: whether the value of every cell is wanted, not the best alone: 0 or 1.

    Returns:
        The models won; -1 when the search is too long.
    """
    frames, values, outcome = ending.frames, ending.values, ending.outcome
    _begin_search(n_models, n_cells, ending)
    depth = 0
    is_new = True
    won = -1
    for _ in range(most_steps):
        every_cell = is_full and depth == 0
        frame = frames[depth]
        if is_new:
            won = _look_at(depth, ending)
            is_new = False
            if won > 0 and depth == 0:
                values[outcome.chosen] = won
        elif won >= 0:  # a part is known
            frame.won += won
            won = -1
        if won < 0:
            enough = max(frame.best, frame.enough)
            limit = -1 if every_cell else enough
            total, left, at = frame.won, frame.left, frame.next_part
            if frame.n_tried > 0 and total + left > limit:
                if at < frame.n_parts:
                    _enter_part(depth, at, limit, ending)
                    depth += 1
                    is_new = True
                    continue
                if depth == 0:
                    values[frame.cell] = total
                if total > frame.best:
                    frame.best = total
                    enough = max(enough, total)
                    if depth == 0:
                        outcome.chosen = frame.cell
            is_large = depth > 0 and frame.stop - frame.start > _SMALL
            width = 1 if is_plan and is_large else WIDE
            if _choose_next(depth, enough, width, every_cell, ending):
                frame.n_tried += 1
                _split(depth, ending)
                continue
            won = enough
            _remember(frame, won, ending.memo)
        if depth == 0:
            return won
        depth -= 1
    return -1


@inlined
def _begin_search(n_models, n_cells, ending):
    """Begin the search with all listed models; choose a cell that is safe in some, in case that no more can be won."""
    models = ending.models
    _list_numbers(n_models, n_cells, ending)
    for i in range(n_models):
        ending.outcome.salt += 1
        ending.keys[i] = mix(ending.outcome.salt * GOLDEN)
        ending.sets[i] = i
    ending.values[:n_cells] = -1
    frame = ending.frames[0]
    frame.start = 0
    frame.stop = n_models
    frame.base = n_models
    frame.key = 0
    frame.free = 0
    frame.enough = -1
    for cell in range(n_cells - 1, -1, -1):  # of one that can be won at most, any cell that is safe in it
        for i in range(n_models):
            if not (models[i] >> cell) & 1:
                ending.outcome.chosen = cell


@inlined
def _enter_part(depth, at, limit, ending):
    """Go down to a part of the models: it has to win what makes its state win more than the limit."""
    frame, part, below = ending.frames[depth], ending.parts[depth, at], ending.frames[depth + 1]
    frame.left -= part.bound
    frame.next_part = at + 1
    below.start = part.start
    below.stop = part.stop
    below.key = part.key
    below.free = frame.free if frame.is_free else 0
    below.base = frame.end
    below.enough = -1 if limit < 0 else limit - frame.won - frame.left


@inlined
def _remember(frame, won, memo):
    """Keep what a state wins."""
    known = memo[frame.key & (MEMO - 1)]
    known.key = frame.key
    known.value = 2 * won + (frame.best <= frame.enough)


@inlined
def _find_free(depth, ending):
    """Take the next of the cells known to be safe in all models in which the models of this state differ."""
    frame, sets, numbers = ending.frames[depth], ending.sets, ending.numbers
    start, stop = frame.start, frame.stop
    cell = 0
    while frame.free:
        while not (frame.free >> cell) & 1:
            cell += 1
        frame.free ^= np.int64(1) << cell
        number = numbers[sets[start] * WIDE + cell]
        for place in range(start + 1, stop):
            if numbers[sets[place] * WIDE + cell] != number:
                frame.is_free = 1
                frame.cell = cell
                return True
    return False


@inlined
def _look_at(depth, ending):
    """Begin the state of a frame: find in how many of its models every cell is safe, or a cell that is in all.

    Returns:
        1 when that is all it can win; -1 when cells have to be tried.
    """
    frame, safe = ending.frames[depth], ending.safe
    least, greatest = ending.least, ending.greatest
    frame.best = 0
    frame.n_tried = 0
    frame.tried = 0
    frame.is_free = 0
    if _find_free(depth, ending):
        return -1
    n_models = frame.stop - frame.start
    _count_safe(depth, frame.start, frame.stop, ending)
    spread = 0
    for cell in range(WIDE):
        if safe[depth, cell] == n_models and greatest[cell] > least[cell]:
            frame.free |= np.int64(1) << cell
            if greatest[cell] - least[cell] > spread:
                spread = greatest[cell] - least[cell]
                frame.cell = cell
    if spread > 0:
        frame.is_free = 1
        frame.free ^= np.int64(1) << frame.cell
        return -1
    n_left = 0
    for cell in range(WIDE):
        if safe[depth, cell] == n_models or (greatest[cell] == least[cell] and depth > 0):
            safe[depth, cell] = 0
        n_left += safe[depth, cell] > 0
    return 1 if n_left == 0 else -1


@inlined
def _count_safe(depth, start, stop, ending):
    """Count in how many models every cell is safe; find its least number and its greatest."""
    safe, least, greatest, numbers, sets = ending.safe, ending.least, ending.greatest, ending.numbers, ending.sets
    for cell in range(WIDE):  # one loop each, and no slices: so they become a few instructions
        safe[depth, cell] = 0
    for cell in range(WIDE):
        least[cell] = 255
    for cell in range(WIDE):
        greatest[cell] = -1
    as_unsigned = numbers.view(np.uint8)  # so a mine is the greatest of all
    for place in range(start, stop):
        row = np.uint64(sets[place] * WIDE)
        for cell in range(WIDE):
            safe[depth, cell] += np.int16(numbers[row + np.uint64(cell)] >= 0)
        for cell in range(WIDE):
            greatest[cell] = max(greatest[cell], numbers[row + np.uint64(cell)])
        for cell in range(WIDE):
            least[cell] = min(least[cell], as_unsigned[row + np.uint64(cell)])


@inlined
def _choose_next(depth, enough, most, is_full, ending):
    """Choose the cell that is tried next, of a state in which `most` may be; return whether there is any."""
    frame, safe, models, sets = ending.frames[depth], ending.safe, ending.models, ending.sets
    if frame.n_tried == (1 if frame.is_free else most):
        return False
    if frame.is_free:
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
        covering = frame.tried  # the cells tried that are safe wherever this one is
        for place in range(frame.start, frame.stop):
            model = models[sets[place]]
            if not (model >> cell) & 1:
                covering &= ~model
        if covering == 0 or is_full:
            frame.cell = cell
            frame.tried |= np.int64(1) << cell
            return True


@inlined
def _split(depth, ending):
    """Open the chosen cell: sort the models in which it is safe by its number, and list the parts to be searched."""
    n_all = _sort_by_number(depth, ending)
    frame, parts, sets = ending.frames[depth], ending.parts, ending.sets
    won = 0
    left = 0
    n_parts = 0
    for i in range(n_all):
        start, stop = parts[depth, i].start, parts[depth, i].stop
        if stop - start == 1:
            won += 1
        elif stop - start == 2:
            won += _win_two(ending.numbers, sets[start], sets[start + 1])
        else:
            key = np.int64(0)
            for place in range(start, stop):
                key ^= ending.keys[sets[place]]
            bound = stop - start
            known = ending.memo[key & (MEMO - 1)]
            if known.key == key:
                bound = known.value >> 1
                if known.value & 1 == 0:
                    won += bound
                    continue
            left += bound
            part = parts[depth, n_parts]
            part.start = start
            part.stop = stop
            part.key = key
            part.bound = bound
            n_parts += 1
    frame.won = won
    frame.left = left
    frame.next_part = 0
    frame.n_parts = n_parts


@inlined
def _sort_by_number(depth, ending):
    """Sort the models of a state by the number of the chosen cell, mines last; return how many numbers there are."""
    frame, parts, sets = ending.frames[depth], ending.parts, ending.sets
    numbers, sizes = ending.numbers, ending.sizes
    start, stop, cell = frame.start, frame.stop, frame.cell
    for number in range(WIDE):
        sizes[number] = 0
    for place in range(start, stop):  # the mines are numbered 0, and sorted to the end
        sizes[numbers[sets[place] * WIDE + cell] + 1] += 1
    to = frame.base
    end = to + stop - start - sizes[0]
    n_parts = 0
    number = 1
    while to < end:
        size = sizes[number]
        sizes[number] = to
        if size > 0:
            parts[depth, n_parts].start = to
            parts[depth, n_parts].stop = to + size
            n_parts += 1
        to += size
        number += 1
    sizes[0] = to
    for place in range(start, stop):
        model = sets[place]
        number = numbers[model * WIDE + cell] + 1
        sets[sizes[number]] = model
        sizes[number] += 1
    frame.end = to
    return n_parts


@inlined
def _win_two(numbers, one, other):
    """How many of two models can be won: both, where a cell that is safe in both tells them apart."""
    here, there = np.uint64(one * WIDE), np.uint64(other * WIDE)
    is_apart = np.int8(0)
    for cell in range(WIDE):
        a, b = numbers[here + np.uint64(cell)], numbers[there + np.uint64(cell)]
        is_apart |= np.int8(a >= 0) & np.int8(b >= 0) & np.int8(a != b)
    return 1 + np.int64(is_apart)
