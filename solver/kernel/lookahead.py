"""The candidates of a guess, and two plies ahead: the chance to survive this click and the best one after it.

A click that shows a number after which a cell is proven safe loses nothing more; most numbers are of that kind, and
often the all/none rule alone tells. Only the others are counted: what is lost after them is their chance times the
least risk that is left then. A cell is given up as soon as it has lost so much that it cannot be the best.
"""

from __future__ import annotations

import math

from solver.board import CLOSED
from solver.kernel.clusters import IS_MINE, UNKNOWN
from solver.kernel.compiler import inlined, stage
from solver.kernel.pipeline import count_all, deduce_all
from solver.kernel.workspace import BY_SURVIVAL, DONE, NO_MODEL

_MOST_CANDIDATES = 16
SHARE = 0.85  # least share of the safest cell's survival that a candidate has
ROUNDING = 1.0 + 1e-11  # risks that differ by less are equal
_GAIN = 1.0 + 1e-9  # survivals over two clicks that differ by less are equal: then the order of the candidates decides
_LOG_2 = math.log(2.0)


@stage
def log_models(summary):
    """The natural logarithm of the number of models of a position that was counted."""
    n = summary.n_uncharted
    k = summary.n_uncharted_mines
    logarithm = math.log(summary.total) + summary.power * _LOG_2
    if 0 < k < n:
        logarithm += math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
    return logarithm


@stage
def find_candidates(game, work, share, most):
    """List the cells that may be guessed, the best by the base policy first; return how many there are.

    Args:
        game: the candidates are written there, which has room for one more than are listed.
        work: the working space after `solver.kernel.pipeline.count_all` was called on the position.
        share: of the safest cell's survival: what a candidate must have.
        most: how many are listed at most.
    """
    codes, candidates = game.codes, game.candidates
    near, p_mine, proof = work.position.near, work.p_mine, work.proof
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
        for edge in range(near.start[cell], near.start[cell + 1]):
            n_open += codes[near.cell[edge]] >= 0
        candidates.cell[n] = cell
        candidates.risk[n] = p_mine[cell]
        candidates.n_numbers[n] = n_open
        candidates.n_near[n] = near.start[cell + 1] - near.start[cell]
        i = n
        while i > 0 and _is_before(candidates, i, i - 1):
            for row in candidates:
                row[i], row[i - 1] = row[i - 1], row[i]
            i -= 1
        n = min(n + 1, most)
    return n


@stage
def _is_before(candidates, one, other):
    """Whether a candidate comes before another: less risk, more numbers beside it, fewer neighbours."""
    risk, n_numbers, n_near = candidates.risk, candidates.n_numbers, candidates.n_near
    if risk[one] > risk[other] * ROUNDING:
        return False
    if risk[one] * ROUNDING < risk[other]:
        return True
    if n_numbers[one] != n_numbers[other]:
        return n_numbers[one] > n_numbers[other]
    return n_near[one] < n_near[other]


@stage
def _least_left(codes, p_mine, proof):
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
def _is_any_proven_safe(codes, proof):
    """Whether a closed cell is proven safe."""
    for cell in range(codes.size):
        if proof[cell] < 0 and codes[cell] == CLOSED:
            return True
    return False


@inlined
def look_ahead(game, work):
    """List the candidates with their survival over two clicks.

    The tables of the position itself must be those in `work`; they are overwritten.

    Args:
        game: its request's is_full is followed; candidates and counters are written. What the player sees is unchanged
            at the end, whatever that is.
        work: the working space.

    Returns:
        DONE and the place of the best candidate; or what an analysis could not do, and -1.
    """
    codes, candidates, counters = game.codes, game.candidates, game.counters
    n_candidates = find_candidates(game, work, SHARE, _MOST_CANDIDATES)
    counters.kind = BY_SURVIVAL
    counters.n_candidates = n_candidates
    whole = log_models(work.summary)
    _note_numbers(n_candidates, codes, work.position, candidates)
    best = -1
    best_value = 0.0
    for i in range(n_candidates):
        cell = int(candidates.cell[i])
        code = codes[cell]
        lowest, highest = int(candidates.value[i]), int(candidates.is_bound[i])
        survived = 1.0 - candidates.risk[i]
        is_bound = 0.0
        for number in range(lowest, highest + 1):
            if survived <= best_value * _GAIN and game.request.is_full == 0:
                is_bound = 1.0
                break
            codes[cell] = number
            status = deduce_all(codes, game.table)
            if status == DONE and not _is_any_proven_safe(codes, work.proof):
                status = count_all(game.table)
                if status == DONE:
                    least = _least_left(codes, work.p_mine, work.proof)
                    if least > 0.0:
                        survived -= least * math.exp(log_models(work.summary) - whole)
            codes[cell] = code
            if status not in (DONE, NO_MODEL):
                return status, -1
        candidates.value[i] = survived
        candidates.is_bound[i] = is_bound
        if is_bound == 0.0 and survived > best_value * _GAIN:
            best = i
            best_value = survived
    return DONE, best


@inlined
def _note_numbers(n_candidates, codes, position, candidates):
    """Note the least and the greatest number each candidate may show, in `value` and `is_bound`."""
    near, value = position.near, position.value
    for i in range(n_candidates):
        cell = int(candidates.cell[i])
        n_known, n_unknown, n_closed = 0, 0, 0
        for edge in range(near.start[cell], near.start[cell + 1]):
            other = near.cell[edge]
            n_known += value[other] == IS_MINE
            if value[other] == UNKNOWN:
                n_unknown += 1
                n_closed += codes[other] == CLOSED
        candidates.value[i] = 1 if n_closed > 0 and n_known == 0 else n_known  # after a 0 its neighbours are safe
        candidates.is_bound[i] = n_known + n_unknown
