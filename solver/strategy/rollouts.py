"""The policy `max`: guesses compared by playing on from each, on layouts drawn at random.

The candidates are those of `strong`, the best by their survival over two clicks, and a few that it does not look at; of
cells that can change places only one. From each, games are played on, on the same layouts, drawn exactly: by `strong`,
in a hurry by the base policy until late. A game never loses, it is weighted by what it survives, and ends where an
ending can be solved (`solver.kernel.playing`). What `strong` thinks counts as much as some games (`_PRIOR`): without it
a few dozen games are worse than none. The games are shared out by sequential halving [1]: all candidates get the same
number, then the better half of them, and so on; and one that is clearly behind the best is given up at once.

It begins by the opening book, and leaves to `strong` the endings that it solves; those that it plays by a plan are
solved exactly, if there is time. It can be asked for its best guess at any moment: before the first game that is the
one of `strong`.

[1] Z. Karnin, T. Koren, O. Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013.

How long the policy `max` may think about a guess.

Candidates that `strong` leaves out: cells close to the numbers.

`strong` looks at the 16 safest cells. In the hunt for an opening hundreds are equally safe, far away from all numbers,
and of those it takes the corners, then edges. But an uncharted cell beside the frontier tells something of the frontier
as well, and now and then that makes it the best guess (`solver/strategy/LOG.md`).

The guesses that the policy `max` compares: the best of `strong`, and a few that it does not look at.

Of cells that can change places, as the two of a 50/50, one stands for all.
"""

from __future__ import annotations

import time
import zlib
from dataclasses import replace
from math import ceil, inf, log2
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver import kernel
from solver.analysis import analyse
from solver.board import CLOSED, Board
from solver.kernel import FAST, STRONG
from solver.layout import Layout
from solver.prospects import chances_of_number
from solver.strategy import strong
from solver.strategy.least_risk import RatedGuess, Ratings, Worth

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.board import Move
    from solver.topology import Cell


_PATIENT_S = 4.0
"""Least seconds in which `strong` plays games on; with less the base policy does, until late. `strong` takes
three times as long, but what the base policy makes of two good candidates is 0.3 points off before that, which no
number of games mends."""


class _Budget:
    """How many games a guess may take, and how much time from now on.

    Attributes:
        playouts: the games.
        seconds: the time; None for no limit.
    """

    def __init__(self, playouts: int, seconds: float | None = None) -> None:
        self.playouts, self.seconds = playouts, seconds
        self._begun_at_s = time.monotonic()

    @property
    def is_patient(self) -> bool:
        """Whether there is time for games of `strong`, and to solve an ending."""
        return self.seconds is None or self.seconds >= _PATIENT_S

    def elapsed_s(self) -> float:
        """The time that is spent, in seconds."""
        return time.monotonic() - self._begun_at_s

    def has_time(self, for_s: float = 0.0) -> bool:
        """Whether there is time left for what takes these seconds."""
        return self.seconds is None or self.elapsed_s() + for_s < self.seconds

    def share_s(self, share: float) -> float:
        """A share of the time, in seconds; infinite where there is no limit."""
        return inf if self.seconds is None else share * self.seconds

    def spent(self, n_played: int) -> float:
        """The share that is spent once this number of games is played."""
        by_games = n_played / self.playouts
        return by_games if self.seconds is None else max(by_games, self.elapsed_s() / max(self.seconds, 1e-9))


SHARE = 0.85
"""Share of the safest cell's chance to be safe; what is less safe is no candidate, as in `solver.kernel.lookahead`."""


def _rate_linked(analysis: Analysis, left_out: Collection[Cell], most_s: float = inf) -> list[RatedGuess]:
    """Rate the cells on the frontier and those beside it by their survival over two clicks.

    Args:
        analysis: a position with a mine count, in which nothing is proven safe and all risks are exact.
        left_out: cells that are not wanted.
        most_s: in seconds, how long it may take: then the cells that are not yet rated are left out too, those of more
            risk. On an Expert board 0.06 s on average and 0.15 at most; on one of 10x10x10 it can take ten.

    Returns:
        The best first.
    """
    board = analysis.board
    topology, codes, p_mine = board.topology, board.cells.ravel(), analysis.p_mine.ravel()
    is_closed = ~analysis.is_forced.ravel() & ~np.isnan(p_mine)
    frontier = {near for cell in np.flatnonzero(codes >= 0) for near in topology.neighbour_indices[cell]}
    linked = frontier | {near for cell in frontier if is_closed[cell] for near in topology.neighbour_indices[cell]}
    most_risk = 1.0 - SHARE * (1.0 - float(p_mine[is_closed].min()))
    wanted = [index for index in linked if is_closed[index] and p_mine[index] <= most_risk]
    end_s = time.monotonic() + most_s
    rated = []
    for index in sorted(wanted, key=lambda index: (p_mine[index], index)):
        cell = topology.cell(index)
        if cell not in left_out:
            rated.append((_survival_over_two(board, cell), cell, float(p_mine[index])))
        if time.monotonic() >= end_s:
            break
    rated.sort(reverse=True)
    return [RatedGuess(cell, risk, survival) for survival, cell, risk in rated]


def _survival_over_two(board: Board, cell: Cell) -> float:
    """The chance to survive opening a cell and the safest one after it; arguments and errors as `chances_of_number`."""
    survival = 0.0
    chances = chances_of_number(board, cell)
    for number in np.flatnonzero(chances):
        after = analyse(board.with_cells(cell, int(number)))
        risks = after.p_mine[(after.board.cells < 0) & (after.p_mine < 1.0)]  # none when all that is left is mines
        survival += float(chances[number]) * (1.0 - (float(risks.min()) if risks.size else 0.0))
    return survival


MOST_CANDIDATES = 8
MOST_LINKED = 4  # most candidates of those that `strong` does not look at


def _find_candidates(analysis: Analysis, ratings: Ratings, linked_s: float) -> list[list[RatedGuess]]:
    """The cells to compare, each with its twins: the best of `strong`, and of those that it does not look at.

    Finding the latter takes no longer than `linked_s` seconds; at 0 there are none.
    """
    rated = [guess for guess in ratings.guesses if guess.survival is not None]
    known = {guess.cell for guess in rated}
    more = _rate_linked(analysis, known, linked_s) if linked_s else []
    twins = _group_twins(analysis, [*rated, *more])
    usual = [group for group in twins if group[0].cell in known]
    linked = [group for group in twins if group[0].cell not in known]
    return usual[:MOST_CANDIDATES] + linked[:MOST_LINKED]


def _group_twins(analysis: Analysis, guesses: list[RatedGuess]) -> list[list[RatedGuess]]:
    """Put the cells together that can change places without changing what is known: they are worth the same.

    Such are the two cells of a 50/50, and all that have the same open numbers and the same unknown cells beside them.
    """
    topology, cells = analysis.board.topology, analysis.board.cells.ravel()
    is_told = (cells >= 0) | ~analysis.is_forced.ravel()  # numbers and unknown cells; proven mines tell nothing
    groups: list[tuple[int, frozenset[int], list[RatedGuess]]] = []
    for guess in guesses:
        index = topology.index(guess.cell)
        near = frozenset(other for other in topology.neighbour_indices[index] if is_told[other])
        for other, near_other, group in groups:
            if near - {other} == near_other - {index}:
                group.append(guess)
                break
        else:
            groups.append((index, near, [guess]))
    return [group for _, _, group in groups]


PLAYOUTS = 8000  # games a guess that are played where no other budget is given
MOST_PLAYOUTS = 1_000_000  # games a guess where time alone is the limit: the most that are held in memory
_PRIOR = 0.012
"""Standard error in a comparison of candidates of the games that the survival over two clicks counts as: some 150 games
early on, a dozen late, where games hardly differ."""
_FIRST_PRIOR = 200.0  # number of these games before any candidates were compared
LATE = 1 / 3  # share of closed cells below which `strong` plays on even in a hurry
_SHARE_FOR_LINKED = 0.1
"""Share of a time limit in which candidates are found that `strong` does not look at: on boards of many neighbours they
are many."""
MOST_MODELS = {FAST: 30, STRONG: 500}  # most models of an ending that is solved exactly within a game, by who plays it
_BATCH = 32
"""Games from each candidate at a time. With a time limit it begins with one, as on a large board that is 0.1 s, and
there are more while all candidates together take less than `_QUICK` of the time."""
_QUICK = 0.01
_EXACT_STEPS = 3_000_000
"""Steps of the search for the best play where `strong` has a plan: half a second on average, 3 s at most."""
_TO_TRY = 16
"""Part of these steps that is tried first: enough for three of five, and it tells how long all would take here."""
_CHUNK = 512  # layouts drawn at a time
_FEWEST_TO_JUDGE = 128
_CLEARLY = 3.5  # standard errors behind the best, game by game, at which a candidate is given up


def choose(analysis: Analysis, playouts: int = PLAYOUTS, seconds: float | None = None) -> Move | None:
    """Choose the best move of a position that is already analysed.

    Args:
        analysis: the position.
        playouts: how many games to play for a guess at most.
        seconds: how long to think about a guess at most; None for no limit.

    Returns:
        As `solver.strategy.strong.choose`, which chooses where no games are needed, or none can be played.
    """
    ratings = None if analysis.safe else rate(analysis, playouts, seconds)
    return strong.choose(analysis) if ratings is None else ratings.move


def rate(
    analysis: Analysis, playouts: int = PLAYOUTS, seconds: float | None = None, *, with_book: bool = True
) -> Ratings | None:
    """Rate the guesses of a position in which nothing is proven safe; arguments as `choose` and `strong.rate`.

    Returns:
        As `solver.strategy.strong.rate`.
    """
    if analysis.prior is not None:
        even = rate(analysis.even, playouts, seconds, with_book=with_book)
        return None if even is None else even.under(analysis)
    budget = _Budget(playouts, seconds)
    ratings = strong.rate(analysis, with_book=with_book)
    if ratings is not None and ratings.worth is Worth.PLAN and budget.is_patient:
        return _solve(analysis, budget, with_book=with_book) or ratings
    if ratings is None or ratings.worth is not Worth.SURVIVAL or len(ratings.guesses) == 1:
        return ratings
    search = _RolloutSearch(analysis, ratings, budget)
    while search.is_open:
        search.play_batch()
    return search.ratings()


class Chance(NamedTuple):
    """A chance that was estimated: `value` with half of its 95 % interval, `margin`."""

    value: float
    margin: float


def chance_to_win(analysis: Analysis, cell: Cell, playouts: int = 128) -> Chance | None:
    """Estimate the chance to win by opening a cell, by games played on from it.

    The games are played as in `rate` where there is little time: by the base policy, late by `strong`. Some 0.3 ms a
    game of an Expert board.

    Args:
        analysis: the position; something may be proven safe in it.
        cell: a closed cell.
        playouts: how many games, each weighted by what it survives.

    Returns:
        The chance; None where no games can be played on from the position: as `strong.rate`. Also where the guess may
        open all cells that are proven safe.
    """
    codes = strong.codes_for_play(analysis, is_guess=False)
    board, p_mine = analysis.board, float(analysis.p_mine[cell])
    if codes is None or board.mines is None:
        return None
    if p_mine == 1.0:
        return Chance(0.0, 0.0)
    seed = zlib.crc32(codes.tobytes())
    layouts = kernel.sample_layouts(codes, board.topology, board.mines, playouts, seed)
    if isinstance(layouts, int):
        return None
    if p_mine == 0.0 or not analysis.safe:
        won = _play_on(codes, board, cell, p_mine, layouts)
    else:
        won = _play_after(codes, analysis, cell, layouts)
    return None if won is None else Chance(float(won.mean()), 1.96 * float(won.std()) / playouts**0.5)


def _play_on(
    codes: NDArray[np.int16], board: Board, cell: Cell, p_mine: float, layouts: NDArray[np.int8]
) -> NDArray[np.float64] | None:
    """Play on from a cell that is safe, or from any where none is: the chance to win of each layout."""
    assert board.mines is not None, "the caller has looked"
    policy = STRONG if np.mean(codes == CLOSED) <= LATE else FAST
    won = kernel.play_rollouts(
        codes,
        board.topology,
        board.mines,
        board.topology.index(cell),
        p_mine,
        layouts,
        (0, len(layouts)),
        policy=policy,
        most_models=MOST_MODELS[policy],
        seed=zlib.crc32(codes.tobytes()),
    )
    return None if isinstance(won, int) else won


def _play_after(
    codes: NDArray[np.int16], analysis: Analysis, cell: Cell, layouts: NDArray[np.int8]
) -> NDArray[np.float64] | None:
    """The chances to win after a guess although cells are proven safe: it is made on each layout, then one is opened.

    Weighted games cannot begin with such a guess: another layout would be drawn for it only after what is proven was
    opened, which may prove the cell a mine.
    """
    board = analysis.board
    index, safe = board.topology.index(cell), [board.topology.index(other) for other in analysis.safe]
    won = np.zeros(len(layouts))
    for n, mines in enumerate(layouts):
        layout = Layout(mines.reshape(board.shape).astype(np.bool_), board.wrap)
        if mines[index]:
            continue
        after = codes.copy()
        opened = list(layout.opened_by(index, codes == CLOSED))
        after[opened] = layout.numbers.ravel()[opened]
        left = [other for other in safe if after[other] == CLOSED]
        if not left:  # a zero opened them all; the position is as good as it was before it
            return None
        one = _play_on(after, board, board.topology.cell(left[0]), 0.0, mines[np.newaxis])
        if one is None:
            return None
        won[n] = one[0]
    return won


def _solve(analysis: Analysis, budget: _Budget, *, with_book: bool) -> Ratings | None:
    """Solve an ending that `strong` plays by a plan; None where that would take too long."""
    begun_s = budget.elapsed_s()
    for part in (_TO_TRY, 1):
        exact = strong.rate(analysis, with_book=with_book, exact_steps=max(1, _EXACT_STEPS // part))
        if exact is not None and exact.worth is Worth.ENDGAME:
            return exact
        if not budget.has_time(part * (budget.elapsed_s() - begun_s)):
            break
    return None


class _RolloutSearch:
    """Games played on from one position."""

    def __init__(self, analysis: Analysis, ratings: Ratings, budget: _Budget) -> None:
        """Prepare to play.

        Args:
            analysis: the position; nothing is proven safe.
            ratings: what `strong` thinks of it.
            budget: how long to play; the games are shared out by it.
        """
        codes = strong.codes_for_play(analysis)
        assert codes is not None, "a position that was rated can be played on from"
        assert analysis.board.mines is not None, "the same"
        self._codes, self._n_mines = codes, analysis.board.mines
        self._topology = analysis.board.topology
        self._strong = ratings
        self._budget = budget
        self._seed = zlib.crc32(codes.tobytes())
        self._layouts = np.empty((0, 0), dtype=np.int8)
        self._is_possible = self._draw(0)
        is_wide = budget.is_patient and self._is_possible
        self._twins = _find_candidates(analysis, ratings, budget.share_s(_SHARE_FOR_LINKED) if is_wide else 0.0)
        guesses = [twins[0] for twins in self._twins]
        self._guesses: list[RatedGuess] = guesses
        self._policy = STRONG if budget.is_patient or np.mean(codes == CLOSED) <= LATE else FAST
        self._prior = _FIRST_PRIOR
        self._active = list(range(len(guesses)))
        self._worth: list[list[NDArray[np.float64]]] = [[] for _ in guesses]
        self._sums, self._counts = np.zeros(len(guesses)), np.zeros(len(guesses))
        self._batch = _BATCH if budget.seconds is None else 1
        self._n_rounds = self._n_deep = 0  # batches and games that every active candidate has played
        self._next_look = 0
        self._n_played = 0
        self._n_halvings, self._most_halvings = 0, max(1, ceil(log2(max(2, len(guesses)))))

    @property
    def is_open(self) -> bool:
        """Whether more games could change the choice and may be played."""
        is_undecided = len(self._active) > 1 and self._n_played < self._budget.playouts
        return self._is_possible and is_undecided and self._budget.has_time()

    def play_batch(self) -> None:
        """Play some games from every candidate that is still in the running, and give up those that are behind.

        Candidates are compared game by game: where the time ends in between, none of these games counts.
        """
        chunk, at = divmod(self._n_deep, _CHUNK)
        if at == 0 and chunk > 0:
            self._is_possible = self._draw(chunk)
        if not self._is_possible:
            return
        begun_s = self._budget.elapsed_s()
        n_games = min(self._batch, _CHUNK - at)
        batch: list[NDArray[np.float64]] = []
        for i in self._active:
            if not self._budget.has_time():
                return
            guess = self._guesses[i]
            won = kernel.play_rollouts(
                self._codes,
                self._topology,
                self._n_mines,
                self._topology.index(guess.cell),
                guess.p_mine,
                self._layouts,
                (at, at + n_games),
                policy=self._policy,
                most_models=MOST_MODELS[self._policy],
                seed=self._seed + self._n_rounds,
            )
            if isinstance(won, int):
                self._is_possible = False
                return
            batch.append(won)
        for i, won in zip(self._active, batch, strict=True):
            self._worth[i].append(won)
            self._sums[i] += won.sum()
            self._counts[i] += n_games
            self._n_played += n_games
        self._n_deep += n_games
        self._n_rounds += 1
        self._give_up()
        if self._budget.seconds is not None and self._budget.elapsed_s() - begun_s < _QUICK * self._budget.seconds:
            self._batch = min(_BATCH, 2 * self._batch)

    def ratings(self) -> Ratings:
        """What is known by now."""
        if not self._n_played:
            return self._strong
        means = self._means()
        order = sorted(range(len(self._guesses)), key=lambda i: (i not in self._active, -means[i]))
        guesses = []
        for i in order:
            margin = 1.96 * float(np.std(self._games(i))) / max(1.0, self._games(i).size) ** 0.5
            guesses += [replace(guess, p_win=float(means[i]), margin=margin) for guess in self._twins[i]]
        return Ratings(Worth.ROLLOUT, tuple(guesses), self._n_played)

    def _draw(self, chunk: int) -> bool:
        """Draw the next layouts; return whether that can be done: not where a cluster is very wide."""
        drawn = kernel.sample_layouts(self._codes, self._topology, self._n_mines, _CHUNK, self._seed + 7919 * chunk)
        if isinstance(drawn, int):
            return False
        self._layouts = drawn
        return True

    def _games(self, i: int) -> NDArray[np.float64]:
        return np.concatenate(self._worth[i]) if self._worth[i] else np.zeros(0)

    def _means(self) -> NDArray[np.float64]:
        """The chance to win by each candidate: its games, and its survival as the prior."""
        survivals = np.array([guess.survival for guess in self._guesses], dtype=np.float64)
        scale = float(self._sums.sum() / (self._counts * survivals).sum())
        means: NDArray[np.float64] = (self._sums + self._prior * scale * survivals) / (self._counts + self._prior)
        return means

    def _give_up(self) -> None:
        means = self._means()
        best = max(self._active, key=lambda i: means[i])
        if self._n_deep >= _FEWEST_TO_JUDGE and self._n_rounds >= self._next_look:
            self._next_look = self._n_rounds + 1 + self._n_rounds // 8  # all games are looked at, so not too often
            games = self._games(best)
            behind = {i: games - self._games(i) for i in self._active if i != best}
            self._prior = max(1.0, float(np.mean([each.var() for each in behind.values()])) / _PRIOR**2)
            self._active = [i for i in self._active if i == best or not _is_clear(behind[i])]
        if len(self._active) > 1 and self._budget.spent(self._n_played) >= (self._n_halvings + 1) / self._most_halvings:
            self._n_halvings += 1
            ranked = sorted(self._active, key=lambda i: -means[i])
            self._active = sorted(ranked[: (len(ranked) + 1) // 2])


def _is_clear(behind: NDArray[np.float64]) -> bool:
    return bool(behind.mean() > _CLEARLY * behind.std() / behind.size**0.5)
