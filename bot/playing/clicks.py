"""The clicks of one decision, and how fast one clone can be clicked.

The queue knows what is still to be clicked, what is under way and what was lost. A move is under way from its click
until one of the cells it acts on changes. One that is under way for too long is lost, and to be made again. The queue
and the pace are pure: times are given, no clock is asked.

The pace is learned from what a clone does with clicks. A click takes effect after some milliseconds, or it is lost.
From the times of those that had an effect follows when one without must be lost; from the share of the lost, how often
to try before the game is taken for dead. Clones that repaint slowly are clicked ahead: a next cell before the last
one's effect is seen, one cell more after every few clicks without a loss, and less again with one (as the width of a
line is found: Jacobson, Congestion avoidance and control, 1988). From where one was lost it is tried seldom: a late
repaint passes for a loss.

What a click costs is the time from it to the next click: the clone's, the repaint's, and that of looks. A chord costs
more than a click on a cell where a clone repaints slowly, because nothing is clicked ahead of it. By these prices
`decide` finds what opens the proven cells soonest.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.playing.decide import EVEN, Prices
from solver.board import CLOSED, UNREADABLE, Action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Reading
    from bot.playing.decide import Decision
    from solver.board import Move
    from solver.topology import Cell

FIRST_RETRY_S = 0.03  # no click is taken for lost sooner, however quick the clone has been
SLOWEST_RETRY_S = 0.5  # longest pause between two tries, in seconds
DEAD_S = 12.0  # time without any reaction after which a game is taken for dead, in seconds
SURE = 1e-6  # largest chance, by the share of losses seen, that all tries were lost by accident
SLOW_S = 0.015  # a clone whose effects take longer is clicked ahead: looking is quicker than its repaint
MOST_AHEAD = 8
_CLICKS_PER_STEP = 6  # clicks without a loss before one more is made ahead
_CLICKS_PER_TRY = 60
"""Clicks without a loss, after one was lost, before one more is made ahead. Without this way back late repaints alone
came down to one click in a few games."""
_REMEMBERED = 60
_ENOUGH = 20  # number of effects that tell how slow the slowest is
_SLOWEST_SPREAD = 4.0
_DOUBT = 5  # number of chords, or flags, by which it counts as much what they cost as what would be expected
_PRICE_STEP = 0.25  # prices are told in such steps, in clicks: smaller differences are chance


class ClickPace:
    """What is known of one clone's speed.

    Args:
        retry_s: when a click counts as lost on a clone of which nothing is known yet: the skin's.
        most_ahead: how many clicks may be under way at once, however slow the clone.
    """

    def __init__(self, retry_s: float, most_ahead: int = MOST_AHEAD) -> None:
        self._retry_s = retry_s
        self._effects_s: deque[float] = deque(maxlen=_REMEMBERED)
        self._were_lost: deque[bool] = deque(maxlen=_REMEMBERED)
        self._costs_s: dict[Action, deque[float]] = {action: deque(maxlen=_REMEMBERED) for action in Action}
        self._n_since_loss = 0
        self._most_ahead = self._n_safe = most_ahead
        self.n_ahead = 1
        """How many clicks may be under way at once."""
        self.least_retry_s = 0.0
        """How long at least a click has time to show an effect."""

    @property
    def effect_s(self) -> float | None:
        """Median time from a click to the first sight of its effect, None where nothing is known yet."""
        return sorted(self._effects_s)[len(self._effects_s) // 2] if self._effects_s else None

    @property
    def p_lost(self) -> float:
        """How likely the next click is lost, by those before: 0.05 to 0.9."""
        return min(max((sum(self._were_lost) + 0.5) / (len(self._were_lost) + 5), 0.05), 0.9)

    def had_effect(self, after_s: float, n_tries: int) -> None:
        """Note that a cell changed: the time since its last click, and the number of its clicks."""
        self._were_lost.extend([True] * (n_tries - 1) + [False])
        if n_tries > 1:  # whichever click it was
            return
        self._effects_s.append(after_s)
        self._n_since_loss += 1
        n_per_step = _CLICKS_PER_STEP if self.n_ahead < self._n_safe else _CLICKS_PER_TRY
        if self._n_since_loss % n_per_step == 0 and (self.effect_s or 0.0) > SLOW_S:
            self.n_ahead = min(self.n_ahead + 1, self._most_ahead)

    def was_lost(self) -> None:
        """A click had no effect in its time."""
        self._n_since_loss = 0
        if self.n_ahead > 1:
            self._n_safe = self.n_ahead - 1
            self.n_ahead = max(1, self.n_ahead // 2)

    def took(self, action: Action, seconds: float, *, is_again: bool) -> None:
        """Note how long after a click the next one could be made; a click that was made again costs both times."""
        costs_s = self._costs_s[action]
        if is_again and costs_s:
            costs_s[-1] += seconds
        else:
            costs_s.append(seconds)

    @property
    def prices(self) -> Prices:
        """What flags and chords cost here, in clicks that open one cell.

        Of a kind that was hardly seen the usual price is expected: that of a click that is waited for. What took very
        long counts as a stall of the machine, and less.
        """
        effect_s, costs_s = self.effect_s, sorted(self._costs_s[Action.OPEN])
        if not effect_s or not costs_s:
            return EVEN
        most_s = _SLOWEST_SPREAD * max(costs_s[len(costs_s) // 2], effect_s)
        open_s = max(sum(min(cost_s, most_s) for cost_s in costs_s) / len(costs_s), effect_s / MOST_AHEAD)
        usual_s = max(open_s, effect_s)

        def price(action: Action) -> float:
            seen_s = [min(cost_s, most_s) for cost_s in self._costs_s[action]]
            cost_s = (sum(seen_s) + _DOUBT * usual_s) / (len(seen_s) + _DOUBT)
            return max(1.0, _PRICE_STEP * round(cost_s / open_s / _PRICE_STEP))

        return Prices(price(Action.FLAG), price(Action.CHORD))

    def patience_s(self, n_tries: int) -> float:
        """How long after the n-th click a cell's click counts as lost: ever longer, so that no repaint is starved."""
        first = self._retry_s
        if len(self._effects_s) >= _ENOUGH:
            first = min(first, max(FIRST_RETRY_S, _SLOWEST_SPREAD * max(self._effects_s)))
        first = max(first, self.least_retry_s)
        return float(min(first * 2.0 ** min(n_tries - 1, 30), max(SLOWEST_RETRY_S, first)))

    def gives_up(self, n_tries: int, waited_s: float) -> bool:
        """Whether a cell that these clicks and seconds did not change is on a board that takes no clicks."""
        return waited_s >= DEAD_S and self.is_no_accident(n_tries)

    def is_no_accident(self, n_tries: int) -> bool:
        """Whether that many clicks without effect cannot all have been lost, by the share of losses seen."""
        return bool(self.p_lost**n_tries < SURE)


HIDDEN_S = 1.5  # longest time that a clicked cell is unreadable before its click counts as lost, in seconds: animations


@dataclass(slots=True)
class PendingClick:
    """A move to be made.

    Attributes:
        move: which.
        cells: those it acts on, and what they are before it is clicked: its click had an effect when one of them is
            something else.
        n_clicks: how often it was clicked.
        first_s: when it was clicked first.
        clicked_s: when last.
    """

    move: Move
    cells: dict[Cell, int]
    n_clicks: int = 0
    first_s: float = 0.0
    clicked_s: float = 0.0

    def is_done(self, now: Reading) -> bool:
        """Whether one of its cells has become something else that can be read."""
        return len(self._unchanged(now)) < len(self.cells)

    def is_settled_before_its_click(self, now: Reading) -> bool:
        """Whether nothing is left for it to do; cells that changed without it are no longer its own.

        The flags that a chord needs come up before it, and another chord may open part of what it would.
        """
        self.cells = self._unchanged(now)
        return not self.cells

    def is_hidden(self, now: Reading) -> bool:
        """Whether one of its cells cannot be read now: covered, or in the middle of an animation."""
        return any(now.board[cell] == UNREADABLE for cell in self.cells)

    def _unchanged(self, now: Reading) -> dict[Cell, int]:
        return {cell: code for cell, code in self.cells.items() if now.board[cell] in (code, UNREADABLE)}


class ClickQueue:
    """Moves that were decided on together.

    Args:
        moves: in this order.
        decided_on: the reading they follow from.
        pace: told what becomes of clicks.
        alone: cells that surely are numbers: opening one opens no other.
    """

    def __init__(
        self, moves: Sequence[Move], decided_on: Reading, pace: ClickPace, alone: frozenset[Cell] = frozenset()
    ) -> None:
        self._alone = alone
        self._queue = deque(PendingClick(move, _acts_on(move, decided_on)) for move in moves)
        self._under_way: list[PendingClick] = []
        self._pace = pace
        self._clicked: tuple[PendingClick, float] | None = None
        """The last click and its time, until it is told what it cost."""
        self.may_have_flooded = False
        """Whether the last click may have changed other cells than its own: only a whole picture shows them then."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return not self._queue and not self._under_way

    @property
    def is_quiet(self) -> bool:
        """Whether no click is under way."""
        return not self._under_way

    def left(self) -> list[Move]:
        """The moves that were never clicked, or without effect so far."""
        return [task.move for task in (*self._under_way, *self._queue)]

    @property
    def has_clicked_all(self) -> bool:
        """Whether every move that needed a click had one, seen or not."""
        return all(task.n_clicks for task in self._queue)

    def see(self, now: Reading, at_s: float) -> None:
        """Take note of an observation: what has changed is done, what has not for too long is to be clicked again."""
        under_way, self._under_way = self._under_way, []
        lost: list[PendingClick] = []
        for task in under_way:
            if task.is_done(now):
                self._pace.had_effect(at_s - task.clicked_s, task.n_clicks)
            elif task.is_hidden(now) and at_s - task.clicked_s < HIDDEN_S:
                self._under_way.append(task)
            elif at_s - task.clicked_s >= self._pace.patience_s(task.n_clicks):
                self._pace.was_lost()
                lost.append(task)
            else:
                self._under_way.append(task)
        self._queue.extendleft(reversed(lost))
        while self._queue and self._queue[0].is_settled_before_its_click(now):  # a flood, or a person, was there first
            self._queue.popleft()

    def awaits(self, now_s: float) -> tuple[Cell, float]:
        """A cell that is to change next, and how long until its click counts as lost; asked while one is under way."""
        task = self._under_way[0]
        return next(iter(task.cells)), max(0.0, task.clicked_s + self._pace.patience_s(task.n_clicks) - now_s)

    def next(self) -> PendingClick | None:
        """The task to click now, None where something is to be waited for first.

        While clicks are under way the picture is about to change; a cell is opened then only where all of them change
        their own cells and no other: the rest of the picture is not stale.
        """
        if not self._queue or not self._has_room:
            return None
        return self._queue[0] if self.is_quiet or self._queue[0].move.action is Action.OPEN else None

    @property
    def wants_more(self) -> bool:
        """Whether nothing is left to click, though one more cell could be opened now."""
        return not self._queue and self._has_room

    @property
    def _has_room(self) -> bool:
        """Whether one more cell could be opened now: few enough are under way, and surely open no other."""
        return len(self._under_way) < self._pace.n_ahead and all(map(self._is_alone, self._under_way))

    def _is_alone(self, task: PendingClick) -> bool:
        return task.move.action is Action.OPEN and task.move.cell in self._alone

    def add(self, decision: Decision, decided_on: Reading) -> None:
        """Take on what a later observation proves; the moves that it finds under way are."""
        under_way = {task.move.cell for task in self._under_way}
        self._alone |= decision.sure_numbers
        left = (move for move in decision.moves if move.cell not in under_way)
        self._queue.extend(PendingClick(move, _acts_on(move, decided_on)) for move in left)

    def clicked(self, task: PendingClick, at_s: float) -> None:
        """The next task was clicked."""
        assert self._queue[0] is task, "tasks are clicked in their order"
        self._queue.popleft()
        self.note_ready(at_s)
        task.first_s = task.first_s if task.n_clicks else at_s
        task.n_clicks += 1
        task.clicked_s = at_s
        self._under_way.append(task)
        self._clicked = task, at_s
        self.may_have_flooded = not self._is_alone(task)

    def note_ready(self, at_s: float) -> None:
        """Another click is made, or could be: that is what the last one cost."""
        if self._clicked is not None:
            task, clicked_s = self._clicked
            self._pace.took(task.move.action, at_s - clicked_s, is_again=task.n_clicks > 1)
            self._clicked = None


def _acts_on(move: Move, decided_on: Reading) -> dict[Cell, int]:
    board = decided_on.board
    if move.action is Action.CHORD:
        return {cell: CLOSED for cell in board.topology.neighbours(move.cell) if board[cell] == CLOSED}
    return {move.cell: board[move.cell]}
