"""Makes clicks of moves, in a closed loop, and never clicks on a stale picture.

Look at the whole board and what lies around it, click a cell that still is what was decided on, look until it
changes, go on. Right before the click its pixels and the board's border are compared once more: a window may move
while a board is read. A clone that repaints slowly is clicked a few cells ahead: only after cells that surely open by
themselves, so that the rest of the picture stays true, and still with a look before every click. Where all is clicked,
what can be seen by then is decided on again: every number is true, and cells under way are closed. A click that seems
lost is made again after a pause, and only on a cell that still reads as it did. Every click is checked against the
board and the skin's one declared spot first; the person at the mouse comes before the bot.
"""

from __future__ import annotations

import functools
import math
import time
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import BotError
from bot.models import Button, Pixel, Refusal
from bot.playing.board_view import BecomesWhole
from bot.playing.clicks import ClickPace, ClickQueue, PendingClick
from bot.playing.control import POINTER_PX
from bot.playing.transitions import is_same_game, is_same_game_in_part
from solver.board import Action
from solver.words import counted, name_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.models import Reading
    from bot.playing.board_view import GameObservation, GameView
    from bot.playing.control import Control, Pointer
    from bot.playing.decide import Decision
    from bot.playing.speeds import Speed
    from skins.skin import Skin
    from solver.board import Move
    from solver.topology import Cell

_POLL_S = 0.001  # pause between two looks at clicks that are under way: a look costs 0.1 to 0.4 ms
_UNKNOWN_WINDOWS_S = 0.6
"""How long at least a click has time to show an effect where nobody tells of windows, in seconds. By then it is seen
what a won game brings up: no click is made again into that."""

_DOUBLE_CLICK_S = 0.6  # longest time between the two clicks of a double click
_DOUBLE_CLICK_PX = 5  # how far apart they may be

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
        self._aim: tuple[PendingClick, Pixel] | None = None
        self._clicked: dict[Cell, tuple[Pixel, float]] = {}
        """Where each cell was clicked last, and when."""
        self.pace = ClickPace(view.board.skin.retry_s, speed.most_ahead)
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
        decide_on: Callable[[GameObservation], Decision | None] = lambda _: None,
    ) -> list[Move]:
        """Carry out moves, in this order; cells that changed meanwhile are left alone.

        Args:
            moves: what to do.
            decided_on: the reading that the moves follow from: whole.
            alone: cells that surely are numbers: others may be opened while these are under way.
            decide_on: what to open besides, by a whole observation while nothing is left to click and clicks are under
                way, whose cells are still closed there; None where that is left for later.

        Returns:
            The moves left over: not empty when play was paused meanwhile, or the board is no longer the one that
            the moves were decided on.

        Raises:
            Aborted: the abort key was pressed.
            NoEffectError: a cell stayed as it was after click upon click.
        """
        queue = ClickQueue(moves, decided_on, self.pace, alone)
        self._aim = None
        self._pointer.follow_anew()
        while True:
            observation = self._look_after(queue)
            if queue.is_over or not _is_fit(observation, decided_on, is_quiet=queue.is_quiet):
                break
            pending = queue.next()
            if queue.wants_more and _has_news(observation, decided_on):
                decision = decide_on(observation)
                if decision is not None:
                    decided_on = observation.reading
                    queue.add(decision, decided_on)
                    continue
            if pending is None:
                self._wait_for_effect(queue, observation)
            elif observation.is_half_painted or (queue.may_have_flooded and not observation.is_whole):
                self._control.wait(_POLL_S)
            elif not self._make(pending, queue, observation):
                break
        if queue.is_over:
            queue.note_ready(time.perf_counter())
        if self.hides_cells and self._view.grid.region.has_pixel(self._pointer.at):
            self.park()
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

    def give_way(self) -> None:
        """Let a person have the mouse who wants it."""
        self._pointer.give_way()

    def _look_after(self, queue: ClickQueue) -> GameObservation:
        """Look what became of the clicks; where none is under way, until the picture is whole."""
        if self.hides_cells and self.is_over(self._view.look().reading.unknown):
            self.park()
        was_quiet = queue.is_quiet
        observation = self._view.settled(BecomesWhole()) if was_quiet else self._view.look()
        queue.see(observation.reading, time.perf_counter())
        if not was_quiet and queue.is_quiet and not queue.is_over and not observation.is_whole:
            observation = self._view.settled(BecomesWhole())
            queue.see(observation.reading, time.perf_counter())
        return observation

    def _wait_for_effect(self, queue: ClickQueue, observation: GameObservation) -> None:
        """Wait for what a click does. A cell that cannot be read for longer than that may be under the pointer."""
        cell, at_most_s = queue.awaits(time.perf_counter())
        if at_most_s or not self.is_over([cell]):
            self._view.wait_for_change(cell, observation, at_most_s, _POLL_S)
        else:
            self.hides_cells = self.park() and self._view.settled(BecomesWhole()).is_whole

    def _make(self, pending: PendingClick, queue: ClickQueue, observation: GameObservation) -> bool:
        """Take the pointer to a cell, or click it if it is there; False when the queue must end."""
        if not self._is_worth_another(pending):
            return False
        region = self._view.grid.region
        if self._aim is None or self._aim[0] is not pending:
            self._aim = pending, self._target(pending.move.cell)
            has_moved = self._approach(pending.move, self._aim[1])
            if has_moved is not False:
                return bool(has_moved)  # what was seen before is stale by now
        is_as_seen = functools.partial(self._view.is_as_seen, seen=observation)
        if not self._pointer.click(self._aim[1], self._button_for(pending.move), region, is_as_seen=is_as_seen):
            return False
        self._clicked[pending.move.cell] = self._aim[1], time.perf_counter()
        self._aim = None
        self.pace.least_retry_s = 0.0 if self._pointer.knows_windows else _UNKNOWN_WINDOWS_S
        self.n_retries += pending.n_clicks > 0
        queue.clicked(pending, time.perf_counter())
        return True

    def _target(self, cell: Cell) -> Pixel:
        """Where to click a cell; not where it was clicked a moment ago: some clones ignore double clicks."""
        region = self._view.grid.cell_region(cell)
        target = self._speed.target(region)
        last, at_s = self._clicked.get(cell, (target, -math.inf))
        if time.perf_counter() - at_s > _DOUBLE_CLICK_S or abs(target.x - last.x) > _DOUBLE_CLICK_PX:
            return target
        left, right = region.left + region.width // 8, region.right - 1 - region.width // 8
        return Pixel(max(left, right, key=lambda x: abs(x - last.x)), target.y)

    def _is_worth_another(self, pending: PendingClick) -> bool:
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


def _has_news(observation: GameObservation, decided_on: Reading) -> bool:
    """Whether a whole observation shows more than was decided on."""
    return observation.is_sure and not np.array_equal(observation.reading.board.cells, decided_on.board.cells)


def _is_fit(observation: GameObservation, decided_on: Reading, *, is_quiet: bool) -> bool:
    """Whether the board still is the one that was decided on, and where it was."""
    if not observation.is_in_place:
        return False
    if is_quiet:
        return is_same_game(decided_on, observation.reading, is_whole=observation.is_whole)
    return is_same_game_in_part(decided_on, observation.reading)
