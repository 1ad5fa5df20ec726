"""Makes clicks of moves, in a closed loop, and never clicks on a stale picture.

Look at the whole board and what lies around it, click a cell that still is what was decided on, look until it changes,
go on. Right before the click its pixels and the board's border are compared once more: a window may move while a board
is read. A clone that repaints slowly is clicked a few cells ahead (`clicks`): only cells that surely open by
themselves, so that the rest of the picture stays true, and still with a look before every click. A click that seems
lost is made again after a pause, and only on a cell that still reads as it did. Every click is checked against the
board and the skin's one declared spot first; the person at the mouse comes before the bot.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.models import Button, Pixel, Refusal
from bot.playing.clicks import ClickPace, ClickQueue
from bot.playing.new_game import spot_of
from bot.playing.pointer import POINTER_PX, Pointer
from bot.playing.transitions import is_same_game, is_same_game_in_part
from bot.vision.reading import is_half_painted
from solver.board import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.desktop import Keyboard, Mouse
    from bot.models import Reading
    from bot.playing.board_view import BoardView
    from bot.playing.clicks import PendingClick
    from bot.playing.control import Control
    from bot.playing.focus import FocusWatch
    from bot.playing.pointer import Speed
    from skins.skin import Skin
    from solver.board import Move
    from solver.topology import Cell

POLL_S = 0.001
"""Pause between two looks at clicks that are under way: a look costs 0.1 to 0.4 ms."""
_CHORD_TRIES = 3
"""Clicks on a number after which a clone chords otherwise, or not at all."""

_CHORD_BUTTONS = {"middle": Button.MIDDLE, "both": Button.BOTH, "left": Button.LEFT}


def has_chords(skin: Skin) -> bool:
    """Whether a clone is known to open what is around a number at a click on it."""
    return skin.chord in _CHORD_BUTTONS


class NoEffectError(BotError):
    """The game does not react to clicks."""


class Actuator:
    """The hand: clicks cells of one board, then of another where the board moved.

    Args:
        mouse: what clicks.
        keyboard: what presses keys.
        view: what looks whether it had an effect; put others in when the board is found elsewhere.
        control: asked before every click.
        speed: how the pointer gets to a cell.
        focus: notices when a person turned to another program.
        on_taken: told why play was paused, as for `Pointer`.
        on_held: told which keys are held down, as for `Pointer`.
    """

    def __init__(
        self,
        mouse: Mouse,
        keyboard: Keyboard,
        view: BoardView,
        control: Control,
        speed: Speed,
        focus: FocusWatch,
        on_taken: Callable[[str], None],
        on_held: Callable[[str], None],
    ) -> None:
        self._pointer = Pointer(mouse, keyboard, control, focus, on_taken, on_held)
        self._control = control
        self._speed = speed
        self._aim: tuple[PendingClick, Pixel] | None = None
        self._is_half_painted = False
        self.view = view
        self.pace = ClickPace(view.skin.retry_s, speed.most_ahead)
        self.can_chord = has_chords(view.skin)
        self.has_clicked_all = False
        """Whether every move that was to be made last was clicked, though not all of it may have been seen."""
        self.n_retries = 0

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

    def perform(self, moves: Sequence[Move], decided_on: Reading, alone: frozenset[Cell] = frozenset()) -> list[Move]:
        """Carry out moves, in this order; cells that changed meanwhile are left alone.

        Args:
            moves: what to do.
            decided_on: the reading that the moves follow from: whole.
            alone: cells that surely are numbers: these may be clicked while others of them are under way.

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
        while self._is_fit_for(queue, decided_on):
            if queue.is_over:
                break
            pending = queue.next()
            if pending is None:
                self._wait_for_change(*queue.awaits(time.perf_counter()))
            elif self._is_half_painted:
                self._control.wait(POLL_S)
            elif not self._make(pending, queue):
                break
        self.has_clicked_all = queue.has_clicked_all
        return queue.left()

    def click_spot(self) -> bool:
        """Click the skin's new-game spot; False, and no click, when play was paused meanwhile or the window moved.

        Raises:
            Aborted: the abort key was pressed.
            BotError: the skin declares no spot.
        """
        spot = self.spot
        if spot is None:
            raise BotError(f"skin {self.view.skin.name} does not say how to start a new game")
        self._pointer.follow_anew()
        return self._click(spot, Button.LEFT)

    def press(self, key: str, window: int | None) -> bool:
        """Press a key for this window; False, and no key, when play was paused meanwhile or the keyboard is elsewhere.

        Raises:
            Aborted: the abort key was pressed.
        """
        return self._pointer.press(key, window)

    def press_in_game(self, key: str) -> bool:
        """Press a key in the window that is played; False, and no key, when play was paused meanwhile.

        It is paused where that window does not have the keyboard: what to do then is said.

        Raises:
            Aborted: the abort key was pressed.
        """
        return self._pointer.press_in_game(key)

    def is_over(self, cells: Sequence[Cell]) -> bool:
        """Whether the pointer is over one of these cells, or its picture may be."""
        at = self._pointer.at
        regions = (self.view.grid.cell_region(cell) for cell in cells)
        return any(
            region.left - POINTER_PX < at.x < region.left + region.width
            and region.top - POINTER_PX < at.y < region.top + region.height
            for region in regions
        )

    def park(self) -> bool:
        """Move the pointer off the board, to the nearest place beside it; False when play was paused meanwhile.

        Raises:
            Aborted: the abort key was pressed.
        """
        return self._pointer.park(self.view.grid.region)

    @property
    def spot(self) -> Pixel | None:
        """The new-game spot on the screen, None where the skin declares none."""
        return spot_of(self.view.skin, self.view.grid)

    def _is_fit_for(self, queue: ClickQueue, decided_on: Reading) -> bool:
        """Look: whether the queue is over, or the board still the one that was decided on, and where it was."""
        was_quiet = queue.is_quiet
        now = self.view.whole() if was_quiet else self.view.glance()
        queue.see(now, time.perf_counter())
        if not was_quiet and queue.is_quiet and not queue.is_over and not self.view.is_whole(now):
            now = self.view.whole()
            queue.see(now, time.perf_counter())
        self._is_half_painted = is_half_painted(now, self.view.ignored_flags)
        if queue.is_over or not self.view.is_in_place:
            return queue.is_over
        if queue.is_quiet:
            return is_same_game(decided_on, now, self.view.ignored_flags)
        return is_same_game_in_part(decided_on, now)

    def _make(self, pending: PendingClick, queue: ClickQueue) -> bool:
        """Take the pointer to a cell, or click it if it is there; False when the queue must end."""
        if not self._is_worth_another(pending):
            return False
        if self._aim is None or self._aim[0] is not pending:
            self._aim = pending, self._speed.target(self.view.grid.cell_region(pending.move.cell))
            has_moved = self._approach(pending.move, self._aim[1])
            if has_moved is not False:
                return bool(has_moved)  # what was seen before is stale by now
        if not self._click(self._aim[1], self._button_for(pending.move)):
            return False
        self._aim = None
        self.n_retries += pending.n_clicks > 0
        queue.clicked(pending, time.perf_counter())
        return True

    def _wait_for_change(self, cell: Cell, at_most_s: float) -> None:
        """Wait until a cell's pixels change: looking at one cell is cheaper than at the board, for the game too."""
        deadline = time.perf_counter() + at_most_s
        before = self.view.seen_of(cell)
        while True:
            self._control.wait(POLL_S)
            if self.view.look_at(cell) != before or time.perf_counter() > deadline:
                return

    def _is_worth_another(self, pending: PendingClick) -> bool:
        """Whether to click a cell again that did not change; False where chords do not work here.

        Raises:
            NoEffectError: nothing does.
        """
        if pending.move.action is Action.CHORD and pending.n_clicks >= _CHORD_TRIES:
            self.can_chord = False
            return False
        if pending.n_clicks and self.pace.gives_up(pending.n_clicks, time.perf_counter() - pending.first_s):
            raise NoEffectError(
                f"cell {pending.move.cell} did not change after {pending.n_clicks} clicks: is the game still running?"
            )
        return True

    def _button_for(self, move: Move) -> Button:
        if move.action is Action.CHORD:
            return _CHORD_BUTTONS[self.view.skin.chord or "none"]
        return Button.RIGHT if move.action is Action.FLAG else Button.LEFT

    def _approach(self, move: Move, target: Pixel) -> bool | None:
        """Take the pointer to a cell as the speed has it: whether that took time; None when play was paused."""
        start = self._pointer.left_at or self._pointer.at
        steps = self._speed.approach(start, target, self.view.grid.cell_region(move.cell), move)
        has_moved = False
        for step in steps:
            self._control.wait(step.wait_s)
            if not self._pointer.is_free():
                return None
            if step.pixel is not None:
                self._pointer.move(step.pixel)
            has_moved = True
        return has_moved

    def _click(self, pixel: Pixel, button: Button) -> bool:
        """Click; False, and no click, when play was paused since the last one, or what was seen is not there now."""
        return self._pointer.click(pixel, button, self.view.grid.region, self.spot, is_as_seen=self.view.is_as_seen)
