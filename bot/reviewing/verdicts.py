"""What each click of a finished game was worth, from what the player could know before it.

A position is analysed exactly as the player saw it; flags are no evidence. Nothing is taken from where the mines turned
out to be. A click is then one of these:

| verdict | the click |
|---|---|
| start | opened the first cell: nothing was known, and most games keep it safe |
| best | opened only what was proven safe |
| forced guess | nothing was proven safe, and no guess was better |
| good, inaccuracy, mistake | a guess that keeps at least 98 %, at least 90 % or less of what the best guess keeps |
| blunder | a guess although a cell was proven safe; that proof is made twice (`solver.confirm`) |

What a guess keeps is its chance to win where the solver knows it (late in a game exactly, or with time to think from
games played on); before that the chance to survive it and the best click after it; of a chord on several cells the
chance to survive it. Of two estimates the difference counts beyond their margin alone. What a blunder keeps is
estimated by games played on from it and from the safe cell, on the same layouts: a guess that has to be made sooner or
later may cost nothing.

The accuracy of a game is the product of what its clicks keep: the share of its chance to win that the player's choices
kept. Luck is counted apart: how many guesses were expected to fail, and how many did. pLuck [1] is the sum, over the
guesses that were survived, of -log10 of the chance to survive each: 1 stands for the luck of one game in ten.

[1] Metasweeper's figure, as https://github.com/eee555/ms_toollib defines it. There it is infinite once a game is lost.

Knows neither files nor pages.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bot.reviewing.figures import Figures, FlagEarnings, measure, weigh_flags
from bot.reviewing.mouse import CountedButton, CountedClick
from bot.reviewing.patterns import name_pattern
from bot.reviewing.replay_files import ReplayStep, iter_steps
from solver.analysis import analyse
from solver.board import CLOSED, FLAG, OPEN_UNKNOWN, Action, Board, GameState, known_risk
from solver.decision import confirm, decide
from solver.explain import Explanation, explain
from solver.prospects import chances_of_number
from solver.strategy import Worth
from solver.strategy.rollouts import Chance, chance_to_win
from solver.words import format_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bot.reviewing.replay_files import Replay
    from solver.analysis import Analysis
    from solver.strategy import RatedGuess, Ratings
    from solver.topology import Cell


class Verdict(Enum):
    """What a click was."""

    START = "start"
    BEST = "best"
    FORCED = "forced guess"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


WORST = (Verdict.BLUNDER, Verdict.MISTAKE, Verdict.INACCURACY)  # verdicts that something better was to be had
_GOOD, _INACCURATE = 0.98, 0.90
"""The least shares of what the best guess keeps that make a guess good, or an inaccuracy."""
_EQUAL = 1e-9
_MOST_BEST = 200  # cells listed as the best choice
_POINTS = 14  # points of the curve of the chance to win, besides those at guesses: more would take longer than a second
_MOST_PLAYOUTS, _FEWEST_PLAYOUTS, _ALL_PLAYOUTS = 96, 16, 3_000
"""Games played on for one chance to win, and for all of an Expert game together: these take a second of a slow core."""
_LEAST_PLAYOUTS = 160  # games played on for all of the largest boards
_EXPERT_CELLS = 480
_STALLS = 5  # stalls that are listed, the longest first


@dataclass(frozen=True, eq=False)
class Judged:
    """One click, and what it was worth.

    Attributes:
        step: the click, and what it did.
        analysis: what was known before it; None on a fresh board.
        verdict: what it was; None for clicks that opened nothing, for flags, and for what somebody else opened.
        proven: what was proven of the cells it opens, or of the one it flags: "safe" where all are, "mine" where one
            is; None where neither.
        p_mine: the chance that it ends the game, or that the flagged cell is a mine; None where nothing was known.
        best: the best choices: all cells that were proven safe, or the best guesses.
        p_mine_best: the risk of these.
        kept: the share of the best choice's prospects that it kept, 0 to 1; 1 where there was nothing to lose.
        ratings: how the guesses compared, where one was needed.
        chance: the chance to win by the best choice, where it was asked for.
        earned: what the flag that it set earned; None where it set none.
    """

    step: ReplayStep
    analysis: Analysis | None
    verdict: Verdict | None = None
    proven: str | None = None
    p_mine: float | None = None
    best: tuple[Cell, ...] = ()
    p_mine_best: float | None = None
    kept: float = 1.0
    ratings: Ratings | None = None
    chance: Chance | None = None
    earned: FlagEarnings | None = None

    @property
    def is_guess(self) -> bool:
        """Whether it could have ended the game, for all that was known."""
        return self.verdict not in (None, Verdict.START, Verdict.BEST)

    @property
    def ended_badly(self) -> bool:
        """Whether it ended the game."""
        return self.step.after is GameState.LOST and bool(self.step.opened)

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        click = self.step.click
        return {
            "t": round(click.seconds, 3),
            "cell": list(click.cell),
            "kind": click.action.value if click.action else "none",
            "effective": self.step.changed,
            "proven": self.proven,
            "p_mine": known_risk(self.p_mine) if self.p_mine is not None else None,
            "best": [list(cell) for cell in self.best],
            "p_mine_best": self.p_mine_best,
            "kept": round(self.kept, 6),
            "verdict": self.verdict.value if self.verdict else None,
            "earned": self.earned._asdict() if self.earned else None,
        }


class Point(NamedTuple):
    """The chance to win before a click.

    Attributes:
        n: the number of the click, from 0; that of the last click and one more for the end.
        seconds: its time.
        chance: by the best play from there on; the margin is 0 where it is exact.
    """

    n: int
    seconds: float
    chance: Chance


class Luck(NamedTuple):
    """The ledger of luck.

    Attributes:
        guesses: how many clicks could have ended the game.
        expected: how many of these were expected to end one.
        lost: how many did: 1 or 0.
        survival: the chance to survive all of them.
        p_luck: the sum of -log10 of the chance to survive, over those that were survived; 0 without any.
    """

    guesses: int
    expected: float
    lost: int
    survival: float
    p_luck: float

    @property
    def balance(self) -> float:
        """Losses that were expected less those that came: above 0 is good luck."""
        return self.expected - self.lost


class Stall(NamedTuple):
    """A time in which nothing was done: before click `n`; how long, in seconds."""

    n: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Review:
    """A game that was reviewed.

    Attributes:
        replay: the game.
        clicks: every click with its verdict.
        figures: how it measures up.
        curve: the chance to win over time.
    """

    replay: Replay
    clicks: tuple[Judged, ...]
    figures: Figures
    curve: tuple[Point, ...]

    @property
    def result(self) -> str:
        """`won`, `lost` or `unfinished`."""
        after = self.clicks[-1].step.after
        return after.value if after in (GameState.WON, GameState.LOST) else "unfinished"

    @cached_property
    def accuracy(self) -> float:
        """The share of the chance to win that the player's choices kept, 0 to 1."""
        return math.prod(judged.kept for judged in self.clicks)

    @cached_property
    def luck(self) -> Luck:
        """How the guesses went."""
        guesses = [judged for judged in self.clicks if judged.is_guess and judged.p_mine is not None]
        risks = [judged.p_mine or 0.0 for judged in guesses]
        lost = sum(judged.ended_badly for judged in guesses)
        p_luck = sum((-math.log10(1.0 - (one.p_mine or 0.0)) for one in guesses if not one.ended_badly), 0.0)
        return Luck(len(guesses), sum(risks), lost, math.prod(1.0 - risk for risk in risks), p_luck)

    @cached_property
    def flags_saved(self) -> int | None:
        """The clicks that all flags saved; below 0 they cost some; None without flags."""
        earned = [judged.earned.saved for judged in self.clicks if judged.earned]
        return round(sum(earned)) if earned else None

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many clicks of each verdict."""
        found = Counter(judged.verdict for judged in self.clicks if judged.verdict)
        return {verdict.value: found[verdict] for verdict in Verdict}

    @cached_property
    def stalls(self) -> tuple[Stall, ...]:
        """The longest times without a click that changed anything."""
        at = [(n, judged.step.click.seconds) for n, judged in enumerate(self.clicks) if judged.step.changed]
        gaps = [Stall(n, s - before_s) for (_, before_s), (n, s) in pairwise(at) if s > before_s >= 0]
        return tuple(sorted(gaps, key=lambda stall: -stall.seconds)[:_STALLS])

    def worst(self, most: int) -> list[int]:
        """The numbers of the clicks that cost most, those alone for which something better was to be had."""
        at = [n for n, judged in enumerate(self.clicks) if judged.verdict in WORST]
        return sorted(at, key=lambda n: (self.clicks[n].kept, n))[:most]

    def as_json(self, *, with_reasons: bool = True) -> dict[str, Any]:
        """The form that `--json` prints."""
        replay, luck = self.replay, self.luck
        clicks = [judged.as_json() for judged in self.clicks]
        if with_reasons:
            for judged, told in zip(self.clicks, clicks, strict=True):
                if judged.verdict in WORST:
                    told["why"] = give_reason(judged)
        return {
            "file": replay.source,
            "program": replay.program,
            "player": replay.player,
            "result": self.result,
            "rows": replay.layout.shape[0],
            "cols": replay.layout.shape[1],
            "mines": replay.layout.n_mines,
            "seconds": self.figures.seconds,
            "figures": self.figures.as_json(),
            "told": dict(replay.told),
            "accuracy": self.accuracy,
            "flags_saved": self.flags_saved,
            "luck": {**luck._asdict(), "balance": luck.balance},
            "verdicts": self.counts,
            "chance_to_win": [
                {
                    "click": point.n,
                    "t": round(point.seconds, 3),
                    "p_win": point.chance.value,
                    "margin": point.chance.margin,
                }
                for point in self.curve
            ],
            "stalls": [stall._asdict() for stall in self.stalls],
            "clicks": clicks,
        }


def review(
    replay: Replay, think_s: float = 0.0, *, show: Callable[[Sequence[ReplayStep]], Iterable[ReplayStep]] = iter
) -> Review:
    """Review a game.

    Args:
        replay: the game.
        think_s: how long to think about each guess, in seconds, by playing on; 0: not at all.
        show: is given the clicks, and gives them back one by one: it can show how far it is.
    """
    steps = list(iter_steps(replay))
    clicks = list(judge_steps(show(steps), think_s))
    shares = _share_out(clicks, replay.layout.has_mine.size)
    earned = weigh_flags(replay.layout, steps)
    valued = tuple(
        _value(one, shares.playouts) if n in shares.blunders else replace(one, earned=earned.get(n))
        for n, one in enumerate(clicks)
    )
    curve = tuple(_draw_curve(valued, shares.places, shares.playouts))
    seconds = None if math.isnan(replay.seconds) else replay.seconds
    return Review(replay, valued, measure(replay.layout, steps, seconds), curve)


def judge_steps(steps: Iterable[ReplayStep], think_s: float = 0.0) -> Iterator[Judged]:
    """Judge clicks in their order; what a blunder keeps is only what it survives, until games are played on from it.

    Args:
        steps: the clicks, and what they did.
        think_s: as for `review`.
    """
    judge = _Judge(think_s)
    return (judge.judge(step) for step in steps)


def judge_cell(board: Board, cell: Cell) -> Judged:
    """Judge the opening of one closed cell, whatever may be below it, as `review` judges a click."""
    click = CountedClick(0.0, CountedButton.LEFT, Action.OPEN, cell)
    (judged,) = judge_steps([ReplayStep(click, board, (cell,), (cell,), changed=True, after=GameState.PLAYING)])
    return _value(judged, _MOST_PLAYOUTS) if judged.verdict is Verdict.BLUNDER else judged


class _Judge:
    """Judges clicks in their order; a position that clicks did not change is analysed once."""

    def __init__(self, think_s: float) -> None:
        self._think_s = think_s
        self._board: Board | None = None
        self._analysis: Analysis | None = None
        self._ratings: Ratings | None = None
        self._is_rated = False

    def judge(self, step: ReplayStep) -> Judged:
        """Judge a click."""
        analysis = self._analyse(step.before)
        click = step.click
        if analysis is None:
            is_start = bool(step.opened) and click.button is not None
            return Judged(step, None, Verdict.START if is_start else None)
        if click.action is Action.FLAG and step.before[click.cell] == CLOSED:
            proven, risk = _proven_of(analysis, (click.cell,)), known_risk(float(analysis.p_mine[click.cell]))
            return Judged(step, analysis, None, proven, risk)
        if not step.opened:
            return Judged(step, analysis)
        proven, risk = _proven_of(analysis, step.targets), joint_risk(analysis, step.targets)
        known = Judged(step, analysis, None, proven, known_risk(risk))
        if click.button is None or math.isnan(risk):  # without the kernel a cluster may be too wide for a risk
            return known
        if analysis.safe:
            return _with_proofs(known, analysis, risk)
        return self._with_guesses(known, analysis, risk)

    def _analyse(self, seen: Board) -> Analysis | None:
        if not (seen.cells >= 0).any():
            return None
        board = Board(np.where(seen.cells == FLAG, CLOSED, seen.cells), seen.mines, seen.wrap)
        if board != self._board:
            self._board, self._analysis, self._is_rated = board, analyse(board), False
        return self._analysis

    def _with_guesses(self, known: Judged, analysis: Analysis, risk: float) -> Judged:
        if not self._is_rated:
            self._ratings, self._is_rated = decide(analysis, self._think_s).ratings, True
        ratings = self._ratings
        best, p_best = _best_guesses(analysis, ratings)
        verdict, kept = judge_guess(analysis, ratings, known.step.targets, risk)
        return replace(known, verdict=verdict, best=best, p_mine_best=p_best, kept=kept, ratings=ratings)


def judge_guess(
    analysis: Analysis, ratings: Ratings | None, cells: Sequence[Cell], risk: float
) -> tuple[Verdict, float]:
    """Judge a guess of a position in which nothing is proven safe.

    Args:
        analysis: the position.
        ratings: how its guesses compare (`decide`); None where the least risk alone decides.
        cells: what the guess opens.
        risk: the chance that one of these is a mine.

    Returns:
        The verdict, and the share of the best guess's prospects that the guess keeps, 0 to 1.
    """
    kept = _kept(analysis, ratings, cells, risk, _best_guesses(analysis, ratings)[1])
    if kept >= 1.0 - _EQUAL:
        return Verdict.FORCED, 1.0
    if kept >= _GOOD:
        return Verdict.GOOD, kept
    return (Verdict.INACCURACY if kept >= _INACCURATE else Verdict.MISTAKE), kept


def _with_proofs(known: Judged, analysis: Analysis, risk: float) -> Judged:
    """Judge a click in a position in which a cell is proven safe."""
    best = analysis.safe[:_MOST_BEST]
    if known.proven == "safe":
        return replace(known, verdict=Verdict.BEST, best=best, p_mine_best=0.0)
    if not confirm(analysis, best[:1]).safe:  # too hard for the second proof: then nobody is blamed
        return replace(known, best=best, p_mine_best=0.0)
    return replace(known, verdict=Verdict.BLUNDER, best=best, p_mine_best=0.0, kept=1.0 - risk)


def _value(blunder: Judged, playouts: int) -> Judged:
    """Find what a blunder kept by games played on; where none can be, it kept what it survived."""
    analysis, targets = blunder.analysis, blunder.step.targets
    assert analysis is not None, "something was proven"
    chance = chance_to_win(analysis, blunder.best[0], playouts)
    made = chance_to_win(analysis, targets[0], playouts) if len(targets) == 1 else None
    if chance is None or made is None or chance.value == 0.0:
        return replace(blunder, chance=chance)
    return replace(blunder, kept=min(1.0, made.value / chance.value), chance=chance)


def _proven_of(analysis: Analysis, cells: Sequence[Cell]) -> str | None:
    if any(analysis.is_forced[cell] and analysis.p_mine[cell] == 1.0 for cell in cells):
        return "mine"
    return "safe" if cells and all(analysis.is_forced[cell] for cell in cells) else None


def joint_risk(analysis: Analysis, cells: Sequence[Cell]) -> float:
    """The chance that one of several cells is a mine: exact where the risks are.

    The chance that all are safe is that of the first, times that of the second where the first is open, and so on.
    """
    board, p_safe = analysis.board, 1.0
    for n, cell in enumerate(cells):
        risk = float(analysis.p_mine[cell])
        if risk == 1.0:
            return 1.0
        p_safe *= 1.0 - risk
        if risk > 0.0 and n + 1 < len(cells):
            board = board.with_cells(cell, OPEN_UNKNOWN)
            analysis = analyse(board)
    return 1.0 - p_safe


def _best_guesses(analysis: Analysis, ratings: Ratings | None) -> tuple[tuple[Cell, ...], float]:
    """The guesses of most worth, the chosen one first, and its risk."""
    if ratings is None:
        is_open = np.isnan(analysis.p_mine) | (analysis.p_mine == 1.0)
        least = float(np.where(is_open, np.inf, analysis.p_mine).min())
        cells = np.argwhere(~is_open & (analysis.p_mine <= least + _EQUAL))
        return tuple(_plain(cell) for cell in cells[:_MOST_BEST]), least
    worth = _worth(ratings.best)
    equal = [one.cell for one in ratings.guesses if one is ratings.best or _is_equal(_worth(one), worth)]
    return tuple(_plain(cell) for cell in equal), ratings.best.p_mine


def _plain(cell: Iterable[int]) -> Cell:
    """A cell in Python's own integers, which JSON takes."""
    return tuple(int(i) for i in cell)


def _worth(guess: RatedGuess) -> float | None:
    return guess.survival if guess.p_win is None else guess.p_win


def _is_equal(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) <= _EQUAL


def _kept(analysis: Analysis, ratings: Ratings | None, targets: Sequence[Cell], risk: float, p_best: float) -> float:
    """The share of the best guess's prospects that a click kept, 0 to 1."""
    by_risk = min(1.0, (1.0 - risk) / (1.0 - p_best)) if p_best < 1.0 else 1.0
    if ratings is None or len(targets) != 1:
        return by_risk
    best = ratings.best
    made = next((one for one in ratings.guesses if one.cell == targets[0]), None)
    if made is best:
        return 1.0
    if made is not None and (made.p_win is None) == (best.p_win is None) and _worth(made) is not None:
        return _share(Chance(_worth(made) or 0.0, made.margin), Chance(_worth(best) or 0.0, best.margin))
    if best.p_win is None:
        survival = _survival_of(analysis, targets[0])
        return by_risk if math.isnan(survival) else _share(Chance(survival, 0.0), Chance(_worth(best) or 0.0, 0.0))
    played_on = chance_to_win(analysis, targets[0])
    return by_risk if played_on is None else _share(played_on, Chance(best.p_win, best.margin))


def _survival_of(analysis: Analysis, cell: Cell) -> float:
    """The chance to survive opening a cell and the best click after it, of a cell that was not rated; or NaN.

    Cost: an analysis and a count for each number that it may show, 1 to 30 ms on Expert.
    """
    chances = chances_of_number(analysis.board, cell)
    survival = 0.0
    for number in np.flatnonzero(chances).tolist():
        after = analyse(analysis.board.with_cells(cell, number))
        survival += float(chances[number]) * (1.0 - float(np.nanmin(after.p_mine)))
    return survival


def _share(made: Chance, best: Chance) -> float:
    """The share that one chance is of another; their margins are given to the player."""
    most = made.value + math.hypot(made.margin, best.margin)
    return min(1.0, most / best.value) if best.value > 0 else 1.0


class _Shares(NamedTuple):
    """How the games that are played on are shared out.

    Attributes:
        blunders: the clicks whose own chance to win is asked, besides that of the best choice.
        places: the clicks before which that of the best choice is asked.
        playouts: the games for each.
    """

    blunders: frozenset[int]
    places: tuple[int, ...]
    playouts: int


def _share_out(clicks: Sequence[Judged], n_cells: int) -> _Shares:
    """Ask for the chance to win at guesses and a few clicks between them; on a large board at fewer of them.

    A game costs the square of the cells: 0.6 ms on Expert, 15 ms on 36x60.
    """
    all_playouts = max(_LEAST_PLAYOUTS, int(_ALL_PLAYOUTS * min(1.0, _EXPERT_CELLS / n_cells) ** 2))
    most = all_playouts // _FEWEST_PLAYOUTS
    opening = [n for n, judged in enumerate(clicks) if judged.step.opened and judged.analysis is not None]
    riskiest = sorted(
        (n for n in opening if clicks[n].verdict is Verdict.BLUNDER), key=lambda n: (-(clicks[n].p_mine or 0.0), n)
    )
    blunders = riskiest[: most // 4]
    wanted = {n for n in opening if clicks[n].is_guess}
    wanted.update(opening[:: max(1, math.ceil(len(opening) / _POINTS))])
    others = sorted(wanted.difference(blunders))
    others = others[:: max(1, math.ceil(len(others) / (most - 2 * len(blunders))))]
    playouts = min(_MOST_PLAYOUTS, all_playouts // max(1, len(others) + 2 * len(blunders)))
    return _Shares(frozenset(blunders), tuple(sorted([*others, *blunders])), playouts)


def _draw_curve(clicks: Sequence[Judged], places: Iterable[int], playouts: int) -> Iterator[Point]:
    """The chance to win at these clicks, and at the end."""
    for n in places:
        chance = _chance_before(clicks[n], playouts)
        if chance is not None:
            yield Point(n, clicks[n].step.click.seconds, chance)
    after = clicks[-1].step.after
    if after in (GameState.WON, GameState.LOST):
        yield Point(len(clicks), clicks[-1].step.click.seconds, Chance(float(after is GameState.WON), 0.0))


def _chance_before(judged: Judged, playouts: int) -> Chance | None:
    """The chance to win before a click, by the best choice."""
    assert judged.analysis is not None, "the caller has looked"
    if judged.chance is not None:
        return judged.chance
    rated = judged.ratings.best if judged.ratings is not None else None
    if rated is not None and rated.p_win is not None:
        return Chance(rated.p_win, rated.margin)
    return chance_to_win(judged.analysis, judged.best[0], playouts) if judged.best else None


_UNITS = {
    Worth.SURVIVAL: "to survive it and the best click after it",
    Worth.ENDGAME: "to win, exactly",
    Worth.PLAN: "to win, by a plan for every layout",
    Worth.BOOK: "to win, by the opening book",
    Worth.ROLLOUT: "to win, by games played on",
}


def give_reason(judged: Judged) -> str:
    """Say in words why a click was what it was: the proof, or how the guesses compared."""
    if judged.verdict is Verdict.START:
        return "The first cell: nothing was known."
    earned = _tell_earned(judged.earned) if judged.earned else ""
    if judged.analysis is None or judged.p_mine is None:
        return earned if judged.step.changed else "It changed nothing on the board."
    board = judged.analysis.board
    if judged.step.click.action is Action.FLAG:
        return f"{explain(board, judged.step.click.cell, analysis=judged.analysis).text}\n{earned}".rstrip()
    targets = judged.step.targets
    name = format_cells(targets[:_MOST_NAMED])
    if judged.verdict in (Verdict.BEST, None):
        return explain(board, targets[0], analysis=judged.analysis).text if judged.proven == "safe" else ""
    risk = "was a proven mine" if judged.p_mine == 1.0 else f"had a risk of {judged.p_mine:.2%}"
    if judged.verdict is Verdict.BLUNDER:
        kept = f"that kept {judged.kept:.0%} of the chance to win"
        return f"{name} {risk}, and no guess was needed; {kept}. {missed(judged).text}"
    return f"Nothing was proven safe. {name} {risk}. {_compare(judged)}"


def _tell_earned(earned: FlagEarnings) -> str:
    did = "saved" if earned.saved >= 0 else "cost"
    return f"Chords that used the flag: {len(earned.chords)}. Clicks that it {did}: {abs(earned.saved):.3g}."


_MOST_NAMED = 3


def missed(judged: Judged) -> Explanation:
    """The proof that a blunder missed: of the first cell that is proven by the easiest means."""
    assert judged.analysis is not None, "nothing is missed where nothing is known"
    order = {"trivial": 0, "sat": 1, "count": 2}
    cell = min(judged.best, key=lambda cell: order[judged.analysis.methods[cell]] if judged.analysis else 0)
    return explain(judged.analysis.board, cell, analysis=judged.analysis)


def _compare(judged: Judged) -> str:
    best = format_cells(judged.best[:_MOST_NAMED]) + (" and others" if len(judged.best) > _MOST_NAMED else "")
    if judged.ratings is None:
        return f"The least risk, {judged.p_mine_best:.2%}, had {best}."
    unit = _UNITS[judged.ratings.worth]
    most = _worth(judged.ratings.best) or 0.0
    if judged.verdict is Verdict.FORCED:
        return f"No guess was better: {most:.2%} {unit}."
    made = next((one for one in judged.ratings.guesses if [one.cell] == list(judged.step.targets)), None)
    worth = None if made is None else _worth(made)
    own = "" if worth is None else f"It had {worth:.2%} {unit}. "
    return f"{own}Best was {best}: risk {judged.p_mine_best:.2%}, {most:.2%} {unit}. It kept {judged.kept:.1%} of that."


def summarise(reviews: Iterable[Review]) -> dict[str, Any]:
    """What many games have in common, as `--json` prints it: results, mean figures, luck, what blunders missed."""
    games = list(reviews)
    verdicts: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    patterns: Counter[str] = Counter()
    for game in games:
        verdicts.update(game.counts)
        for blunder in (one for one in game.clicks if one.verdict is Verdict.BLUNDER):
            proof = missed(blunder)
            rules[proof.rule or ""] += 1
            patterns[name_pattern(blunder.step.before, proof.cell)] += 1
    half = len(games) // 2
    return {
        "games": len(games),
        "won": sum(game.result == "won" for game in games),
        "accuracy": _means(games)["accuracy"],
        "guesses": sum(game.luck.guesses for game in games),
        "losses_expected": sum(game.luck.expected for game in games),
        "losses": sum(game.luck.lost for game in games),
        "verdicts": dict(verdicts),
        "missed_rules": dict(rules.most_common()),
        "missed_patterns": dict(patterns.most_common()),
        "means": _means(games),
        "trend": {"earlier": _means(games[:half]), "later": _means(games[half:])},
    }


def _means(games: Sequence[Review]) -> dict[str, float | None]:
    """Mean figures; None where no game has one."""
    means: dict[str, float | None] = {}
    for name in ("accuracy", "bbbv_s", "ioe", "corr", "thrp"):
        of_each = (game.accuracy if name == "accuracy" else getattr(game.figures, name) for game in games)
        values = [value for value in of_each if value is not None]
        means[name] = sum(values) / len(values) if values else None
    return means
