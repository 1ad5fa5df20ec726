"""The policy `max`: guesses compared by playing on from each, on layouts drawn at random.

The candidates are those of `strong`, the best by their survival over two clicks, and a few that it does not look at; of
cells that can change places only one. From each, games are played on, on the same layouts, drawn exactly: by `strong`,
in a hurry by the base policy until late. A game never loses, it is weighted by what it survives, and ends where an
ending can be solved (`solver.kernel.playing`). What `strong` thinks counts as much as some games (`PRIOR`): without it
a few dozen games are worse than none. The games are shared out by sequential halving [1]: all candidates get the same
number, then the better half of them, and so on; and one that is clearly behind the best is given up at once.

It begins by the opening book, and leaves to `strong` the endings that it solves; those that it plays by a plan are
solved exactly, if there is time. It can be asked for its best guess at any moment: before the first game that is the
one of `strong`.

[1] Z. Karnin, T. Koren, O. Somekh, Almost optimal exploration in multi-armed bandits, ICML 2013.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

from solver import kernel
from solver.board import CLOSED
from solver.kernel.status import FAST, STRONG
from solver.strategy import strong
from solver.strategy.budget import Budget
from solver.strategy.candidates import find_candidates
from solver.strategy.rating import Ratings, Worth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.moves import Move
    from solver.strategy.rating import RatedGuess

PLAYOUTS = 8000
"""Games a guess that are played where no other budget is given."""
MOST_PLAYOUTS = 1_000_000
"""Games a guess where time alone is the limit: the most that are held in memory."""
PRIOR = 0.012
"""The survival over two clicks counts as much as games that leave this standard error in a comparison of candidates:
some 150 games early on, a dozen late, where games hardly differ."""
_FIRST_PRIOR = 200.0
"""How many games that are, before any were compared."""
LATE = 1 / 3
"""With fewer of the cells closed `strong` plays on even in a hurry."""
_SHARE_FOR_LINKED = 0.1
"""Of a time limit, to find candidates that `strong` does not look at: on boards of many neighbours they are many."""
MOST_MODELS = {FAST: 30, STRONG: 500}
"""Endings of so many models are solved exactly within a game, by who plays it."""
_BATCH = 32
"""Games from each candidate at a time. With a time limit it begins with one, as on a large board that is 0.1 s, and
there are more while all candidates together take less than `_QUICK` of the time."""
_QUICK = 0.01
_EXACT_STEPS = 3_000_000
"""Of the search for the best play where `strong` has a plan: half a second on average, 3 s at most."""
_TO_TRY = 16
"""Part of these steps that is tried first: enough for three of five, and it tells how long all would take here."""
_CHUNK = 512
"""Layouts drawn at a time."""
_FEWEST_TO_JUDGE = 128
_CLEARLY = 3.5
"""A candidate is given up once it is so many standard errors behind the best, game by game."""


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
    budget = Budget(playouts, seconds)
    ratings = strong.rate(analysis, with_book=with_book)
    if ratings is not None and ratings.worth is Worth.PLAN and budget.is_patient:
        return _solve(analysis, budget, with_book=with_book) or ratings
    if ratings is None or ratings.worth is not Worth.SURVIVAL or len(ratings.guesses) == 1:
        return ratings
    search = Search(analysis, ratings, budget)
    while search.is_open:
        search.play_batch()
    return search.ratings()


def _solve(analysis: Analysis, budget: Budget, *, with_book: bool) -> Ratings | None:
    """Solve an ending that `strong` plays by a plan; None where that would take too long."""
    begun_s = budget.elapsed_s()
    for part in (_TO_TRY, 1):
        exact = strong.rate(analysis, with_book=with_book, exact_steps=max(1, _EXACT_STEPS // part))
        if exact is not None and exact.worth is Worth.ENDGAME:
            return exact
        if not budget.has_time(part * (budget.elapsed_s() - begun_s)):
            break
    return None


class Search:
    """Games played on from one position."""

    def __init__(self, analysis: Analysis, ratings: Ratings, budget: Budget) -> None:
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
        self._twins = find_candidates(analysis, ratings, budget.share_s(_SHARE_FOR_LINKED) if is_wide else 0.0)
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
            won = kernel.roll(
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
        drawn = kernel.draw(self._codes, self._topology, self._n_mines, _CHUNK, self._seed + 7919 * chunk)
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
            self._prior = max(1.0, float(np.mean([each.var() for each in behind.values()])) / PRIOR**2)
            self._active = [i for i in self._active if i == best or not _is_clear(behind[i])]
        if len(self._active) > 1 and self._budget.spent(self._n_played) >= (self._n_halvings + 1) / self._most_halvings:
            self._n_halvings += 1
            ranked = sorted(self._active, key=lambda i: -means[i])
            self._active = sorted(ranked[: (len(ranked) + 1) // 2])


def _is_clear(behind: NDArray[np.float64]) -> bool:
    return bool(behind.mean() > _CLEARLY * behind.std() / behind.size**0.5)


def decide_guess(analysis: Analysis, think_s: float = 0.0) -> Ratings | None:
    """Rate guesses by the strongest policy that a time allows.

    Args:
        analysis: the position.
        think_s: how long to think at most, in seconds; 0 for `strong`, which takes a millisecond.

    Returns:
        As `solver.strategy.strong.rate`; None, too, when a cell is proven safe.
    """
    if analysis.safe:
        return None
    return rate(analysis, MOST_PLAYOUTS, think_s) if think_s > 0 else strong.rate(analysis)
