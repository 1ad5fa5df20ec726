"""Makes clicks of moves, in a closed loop, and never clicks on a stale picture.

Look at the whole board and what lies around it, click a cell that still is what was decided on, look until it
changes, go on. Right before the click its pixels and the board's border are compared once more: a window may move
while a board is read. A clone that repaints slowly is clicked a few cells ahead: only after cells that surely open by
themselves, so that the rest of the picture stays true, and still with a look before every click. Where all is clicked,
what can be seen by then is decided on again: every number is true, and cells under way are closed. A click that seems
lost is made again after a pause, and only on a cell that still reads as it did. Every click is checked against the
board and the skin's one declared spot first; the person at the mouse comes before the bot.

The queue of clicks knows what is still to be clicked, what is under way and what was lost. A move is under way from
its click until one of the cells it acts on changes. One that is under way for too long is lost, and to be made
again. The queue and the pace are pure: times are given, no clock is asked.

How fast one clone can be clicked is learned from what it does with clicks. A click takes effect after some
milliseconds, or it is lost. From the times of those that had an effect follows when one without must be lost; from
the share of the lost, how often to try before the game is taken for dead. Clones that repaint slowly are clicked
ahead: a next cell before the last one's effect is seen, one cell more after every few clicks without a loss, and
less again with one (as the width of a line is found: Jacobson, Congestion avoidance and control, 1988). From where
one was lost it is tried seldom: a late repaint passes for a loss.

What a click costs is the time from it to the next click: the clone's, the repaint's, and that of looks. A chord costs
more than a click on a cell where a clone repaints slowly, because nothing is clicked ahead of it. By these prices
`decide` finds what opens the proven cells soonest.

The pointer gets to a cell at once, at a pace a person can follow, or as a person's hand would: a speed plans steps
and waits. The human one follows two findings about hands. The time to hit a target grows with the logarithm of
distance over size (Fitts, The information capacity of the human motor system in controlling the amplitude of
movement, 1954). And a reach is a curve of least jerk: slow, fast, slow (Flash and Hogan, The coordination of arm
movements, 1985).
"""

from __future__ import annotations

import functools
import math
import time
from collections import deque
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bot.errors import BotError, UsageError
from bot.models import Button, Pixel, Refusal
from bot.playing.board_view import BecomesWhole
from bot.playing.control import POINTER_PX
from bot.playing.decide import EVEN, Prices
from bot.playing.transitions import is_same_game, is_same_game_in_part
from solver.board import CLOSED, UNREADABLE, Action
from solver.words import counted, name_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bot.models import Reading, Region
    from bot.playing.board_view import GameLook, GameView
    from bot.playing.control import Control, Pointer
    from bot.playing.decide import Decision
    from skins.skin import Skin
    from solver.board import Move
    from solver.topology import Cell

SPEEDS = ("max", "fast", "human")
FAST_S = 0.05  # between two clicks at the speed `fast`: twenty a second, as many as an eye can follow
STEP_S = 0.008  # between two places of the pointer on its way: a usual mouse reports 125 times a second
_SAFE_THOUGHT_S, _GUESS_THOUGHT_S = 0.12, 0.7
"""Median pause of a practised player before a cell that is clear, and before a guess."""
_SPREAD = 0.45
_FITTS_A_S, _FITTS_B_S = 0.05, 0.09
"""Time to hit a target: a + b * log2(distance / size + 1)."""
_BEND = 0.06  # how far a hand strays from the straight line, as a share of the distance


class WayPoint(NamedTuple):
    """A place on the pointer's way, and how long to wait before it is there."""

    wait_s: float
    pixel: Pixel | None


class Speed(Protocol):
    """A way to get to a cell."""

    most_ahead: int
    """How many clicks may be under way at once."""

    def target(self, cell: Region) -> Pixel:
        """Where in a cell to click."""

    def approach(self, start: Pixel, target: Pixel, cell: Region, move: Move) -> Iterator[WayPoint]:
        """The steps from the pointer's place to a click, waits included."""


class _MaxSpeed:
    """A pace as fast as the clone takes it."""

    most_ahead = 8

    def target(self, cell: Region) -> Pixel:
        """The middle."""
        return cell.middle

    def approach(
        self,
        start: Pixel,  # noqa: ARG002 - every speed is asked alike
        target: Pixel,  # noqa: ARG002 - every speed is asked alike
        cell: Region,  # noqa: ARG002 - every speed is asked alike
        move: Move,  # noqa: ARG002 - every speed is asked alike
    ) -> Iterator[WayPoint]:
        """No steps: the click itself takes the pointer there."""
        return iter(())


class _FastSpeed(_MaxSpeed):
    """A steady pace that the eye can follow."""

    most_ahead = 1

    def approach(
        self,
        start: Pixel,  # noqa: ARG002 - every speed is asked alike
        target: Pixel,  # noqa: ARG002 - every speed is asked alike
        cell: Region,  # noqa: ARG002 - every speed is asked alike
        move: Move,  # noqa: ARG002 - every speed is asked alike
    ) -> Iterator[WayPoint]:
        """One wait."""
        yield WayPoint(FAST_S, None)


class _HumanSpeed:
    """The pace of a practised person.

    Args:
        seed: equal seeds are equal hands.
    """

    most_ahead = 1

    def __init__(self, seed: int | None = None) -> None:
        self._rng = Random(seed)

    def target(self, cell: Region) -> Pixel:
        """Somewhere near the middle."""
        x, y = (
            round(self._rng.gauss(first + size / 2, size / 9))
            for first, size in ((cell.left, cell.width), (cell.top, cell.height))
        )
        room_x, room_y = cell.width // 5, cell.height // 5
        return Pixel(
            min(max(x, cell.left + room_x), cell.right - 1 - room_x),
            min(max(y, cell.top + room_y), cell.bottom - 1 - room_y),
        )

    def approach(self, start: Pixel, target: Pixel, cell: Region, move: Move) -> Iterator[WayPoint]:
        """A thought, and a curved way."""
        thought_s = _GUESS_THOUGHT_S if move.is_guess else _SAFE_THOUGHT_S
        yield WayPoint(thought_s * math.exp(self._rng.gauss(0.0, _SPREAD)), None)
        distance = math.dist(start, target)
        if not distance:
            return
        travel_s = _FITTS_A_S + _FITTS_B_S * math.log2(distance / min(cell.width, cell.height) + 1)
        n_steps = max(2, round(travel_s / STEP_S))
        bend = distance * self._rng.gauss(0.0, _BEND)
        across = (-(target.y - start.y) / distance, (target.x - start.x) / distance)
        for n in range(1, n_steps + 1):
            t = n / n_steps
            along = t**3 * (10 - 15 * t + 6 * t**2)  # least jerk
            aside = bend * math.sin(math.pi * along)
            x, y = (round(a + along * (b - a) + aside * side) for a, b, side in zip(start, target, across, strict=True))
            yield WayPoint(travel_s / n_steps, Pixel(x, y))


def speed_named(name: str, seed: int | None = None) -> Speed:
    """A speed by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if name == "max":
        return _MaxSpeed()
    if name == "fast":
        return _FastSpeed()
    if name == "human":
        return _HumanSpeed(seed)
    raise UsageError(f"expected a speed of {', '.join(SPEEDS)}, got {name!r}")


# --- the queue of clicks and its pace

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


class _ClickPace:
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
        return float(min(first * 2.0 ** min(n_tries - 1, 30), max(SLOWEST_RETRY_S, first)))

    def gives_up(self, n_tries: int, waited_s: float) -> bool:
        """Whether a cell that these clicks and seconds did not change is on a board that takes no clicks."""
        return waited_s >= DEAD_S and self.is_no_accident(n_tries)

    def is_no_accident(self, n_tries: int) -> bool:
        """Whether that many clicks without effect cannot all have been lost, by the share of losses seen."""
        return bool(self.p_lost**n_tries < SURE)


HIDDEN_S = 1.5  # longest time that a clicked cell is unreadable before its click counts as lost, in seconds: animations


@dataclass(slots=True)
class _PendingClick:
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


class _ClickQueue:
    """Moves that were decided on together.

    Args:
        moves: in this order.
        decided_on: the reading they follow from.
        pace: told what becomes of clicks.
        alone: cells that surely are numbers: opening one opens no other.
    """

    def __init__(
        self, moves: Sequence[Move], decided_on: Reading, pace: _ClickPace, alone: frozenset[Cell] = frozenset()
    ) -> None:
        self._alone = alone
        self._queue = deque(_PendingClick(move, _acts_on(move, decided_on)) for move in moves)
        self._under_way: list[_PendingClick] = []
        self._pace = pace
        self._clicked: tuple[_PendingClick, float] | None = None
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
        """Take note of a look: what has changed is done, what has not for too long is to be clicked again."""
        under_way, self._under_way = self._under_way, []
        lost: list[_PendingClick] = []
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

    def next(self) -> _PendingClick | None:
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

    def _is_alone(self, task: _PendingClick) -> bool:
        return task.move.action is Action.OPEN and task.move.cell in self._alone

    def add(self, decision: Decision, decided_on: Reading) -> None:
        """Take on what a later look proves; the moves that it finds under way are."""
        under_way = {task.move.cell for task in self._under_way}
        self._alone |= decision.sure_numbers
        left = (move for move in decision.moves if move.cell not in under_way)
        self._queue.extend(_PendingClick(move, _acts_on(move, decided_on)) for move in left)

    def clicked(self, task: _PendingClick, at_s: float) -> None:
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


# --- the hand

_POLL_S = 0.001  # pause between two looks at clicks that are under way: a look costs 0.1 to 0.4 ms

_CHORD_BUTTONS = {"middle": Button.MIDDLE, "both": Button.BOTH, "left": Button.LEFT}


def has_chords(skin: Skin) -> bool:
    """Whether a clone is known to open what is around a number at a click on it."""
    return skin.chord in _CHORD_BUTTONS


class NoEffectError(BotError):
    """The game does not react to clicks."""


class Actuator:
    """The hand: clicks cells of the board that is watched.

    Args:
        pointer: clicks.
        view: looks whether it had an effect.
        control: asked while waiting.
        speed: how the pointer gets to a cell.
    """

    def __init__(self, pointer: Pointer, view: GameView, control: Control, speed: Speed) -> None:
        self._pointer = pointer
        self._control = control
        self._speed = speed
        self._view = view
        self._aim: tuple[_PendingClick, Pixel] | None = None
        self.pace = _ClickPace(view.board.skin.retry_s, speed.most_ahead)
        self.has_chorded_in_vain = False
        """Whether numbers were clicked until it was plain that this opens nothing here."""
        self.has_clicked_all = False
        """Whether every move that was to be made last was clicked, though not all of it may have been seen."""
        self.hides_cells = False
        """Whether cells under the pointer cannot be read: it leaves the board then, to see what a click did."""
        self.n_retries = 0

    @property
    def can_chord(self) -> bool:
        """Whether the skin says how to chord, and no number was clicked in vain."""
        return has_chords(self._view.board.skin) and not self.has_chorded_in_vain

    @property
    def n_clicks(self) -> int:
        """Clicks made so far."""
        return self._pointer.n_clicks

    @property
    def n_stray(self) -> int:
        """Clicks that would have left the board, and were refused."""
        return self._pointer.n_stray

    @property
    def is_covered(self) -> bool:
        """Whether the last click was not made because another window lies where it was to go."""
        return self._pointer.refused is Refusal.COVERED

    def perform(
        self,
        moves: Sequence[Move],
        decided_on: Reading,
        alone: frozenset[Cell] = frozenset(),
        decide_on: Callable[[GameLook], Decision | None] = lambda _: None,
    ) -> list[Move]:
        """Carry out moves, in this order; cells that changed meanwhile are left alone.

        Args:
            moves: what to do.
            decided_on: the reading that the moves follow from: whole.
            alone: cells that surely are numbers: others may be opened while these are under way.
            decide_on: what to open besides, by a whole look while nothing is left to click and clicks are under way,
                whose cells are still closed there; None where that is left for later.

        Returns:
            The moves left over: not empty when play was paused meanwhile, or the board is no longer the one that
            the moves were decided on.

        Raises:
            Aborted: the abort key was pressed.
            NoEffectError: a cell stayed as it was after click upon click.
        """
        queue = _ClickQueue(moves, decided_on, self.pace, alone)
        self._aim = None
        self._pointer.follow_anew()
        while True:
            look = self._look_after(queue)
            if queue.is_over or not _is_fit(look, decided_on, is_quiet=queue.is_quiet):
                break
            pending = queue.next()
            if queue.wants_more and _has_news(look, decided_on):
                decision = decide_on(look)
                if decision is not None:
                    decided_on = look.reading
                    queue.add(decision, decided_on)
                    continue
            if pending is None:
                cell, at_most_s = queue.awaits(time.perf_counter())
                self._view.wait_for_change(cell, look, at_most_s, _POLL_S)
            elif look.is_half_painted or (queue.may_have_flooded and not look.is_whole):
                self._control.wait(_POLL_S)
            elif not self._make(pending, queue, look):
                break
        if queue.is_over:
            queue.note_ready(time.perf_counter())
        self.has_clicked_all = queue.has_clicked_all
        return queue.left()

    def is_over(self, cells: Sequence[Cell]) -> bool:
        """Whether the pointer is over one of these cells, or its picture may be."""
        at = self._pointer.at
        regions = (self._view.grid.cell_region(cell) for cell in cells)
        return any(
            region.left - POINTER_PX < at.x < region.right and region.top - POINTER_PX < at.y < region.bottom
            for region in regions
        )

    def park(self) -> bool:
        """Move the pointer off the board, to the nearest place beside it; False when play was paused meanwhile.

        Raises:
            Aborted: the abort key was pressed.
        """
        return self._pointer.park(self._view.grid.region)

    def _look_after(self, queue: _ClickQueue) -> GameLook:
        """Look what became of the clicks; where none is under way, until the picture is whole."""
        if self.hides_cells and self.is_over(self._view.look().reading.unknown):
            self.park()
        was_quiet = queue.is_quiet
        look = self._view.settled(BecomesWhole()) if was_quiet else self._view.look()
        queue.see(look.reading, time.perf_counter())
        if not was_quiet and queue.is_quiet and not queue.is_over and not look.is_whole:
            look = self._view.settled(BecomesWhole())
            queue.see(look.reading, time.perf_counter())
        return look

    def _make(self, pending: _PendingClick, queue: _ClickQueue, look: GameLook) -> bool:
        """Take the pointer to a cell, or click it if it is there; False when the queue must end."""
        if not self._is_worth_another(pending):
            return False
        region = self._view.grid.region
        if self._aim is None or self._aim[0] is not pending:
            self._aim = pending, self._speed.target(self._view.grid.cell_region(pending.move.cell))
            has_moved = self._approach(pending.move, self._aim[1])
            if has_moved is not False:
                return bool(has_moved)  # what was seen before is stale by now
        is_as_seen = functools.partial(self._view.is_as_seen, seen=look)
        if not self._pointer.click(self._aim[1], self._button_for(pending.move), region, is_as_seen=is_as_seen):
            return False
        self._aim = None
        self.n_retries += pending.n_clicks > 0
        queue.clicked(pending, time.perf_counter())
        return True

    def _is_worth_another(self, pending: _PendingClick) -> bool:
        """Whether to click a cell again that did not change; False where chords do not work here.

        Raises:
            NoEffectError: nothing does.
        """
        if pending.move.action is Action.CHORD and self.pace.is_no_accident(pending.n_clicks):
            self.has_chorded_in_vain = True
            return False
        if pending.n_clicks and self.pace.gives_up(pending.n_clicks, time.perf_counter() - pending.first_s):
            raise NoEffectError(
                f"cell {name_cell(pending.move.cell)} did not change after {counted(pending.n_clicks, 'click')}: "
                "is the game still running?"
            )
        return True

    def _button_for(self, move: Move) -> Button:
        if move.action is Action.CHORD:
            return _CHORD_BUTTONS[self._view.board.skin.chord or "none"]
        return Button.RIGHT if move.action is Action.FLAG else Button.LEFT

    def _approach(self, move: Move, target: Pixel) -> bool | None:
        """Take the pointer to a cell as the speed has it: whether that took time; None when play was paused."""
        start = self._pointer.left_at or self._pointer.at
        steps = self._speed.approach(start, target, self._view.grid.cell_region(move.cell), move)
        has_moved = False
        for step in steps:
            self._control.wait(step.wait_s)
            if not self._pointer.is_free():
                return None
            if step.pixel is not None:
                self._pointer.move(step.pixel)
            has_moved = True
        return has_moved


def _has_news(look: GameLook, decided_on: Reading) -> bool:
    """Whether a whole look shows more than was decided on."""
    return look.is_sure and not np.array_equal(look.reading.board.cells, decided_on.board.cells)


def _is_fit(look: GameLook, decided_on: Reading, *, is_quiet: bool) -> bool:
    """Whether the board still is the one that was decided on, and where it was."""
    if not look.is_in_place:
        return False
    if is_quiet:
        return is_same_game(decided_on, look.reading, is_whole=look.is_whole)
    return is_same_game_in_part(decided_on, look.reading)
