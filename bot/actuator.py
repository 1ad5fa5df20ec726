"""Makes clicks of moves, one at a time, and never clicks on a stale picture.

Closed loop: look at the whole board, click a cell, wait until its pixels change, go on. Moves are made only while the
board is the one they were decided on; else the burst ends, and the caller reads again. A click that seems lost is made
again only after the skin's pause, and only on a cell that still reads as it did. Every click is checked against the
board and the skin's one declared spot first; the person at the mouse comes before the bot.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.eyes import is_same_game
from bot.models import Button, Click, Pixel
from solver.moves import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.control import Control
    from bot.eyes import Eyes
    from bot.models import Reading
    from bot.ports import Mouse
    from solver.moves import Move
    from solver.topology import Cell

MAX_TRIES = 5
"""A cell that did not change after so many clicks is on a board that takes no clicks."""
CELL_POLL_S = 0.001
"""Pause between two looks at one clicked cell: a look costs about 0.1 ms."""

_BUTTONS = {Action.OPEN: Button.LEFT, Action.FLAG: Button.RIGHT, Action.CHORD: Button.MIDDLE}


class NoEffectError(BotError):
    """The game does not react to clicks."""


class Actuator:
    """The hand: clicks cells of one board.

    Args:
        mouse: what clicks.
        eyes: what looks whether it had an effect.
        control: asked before every click.
        on_mouse_taken: called when the pointer is not where the bot left it; play is paused then.
    """

    def __init__(self, mouse: Mouse, eyes: Eyes, control: Control, on_mouse_taken: Callable[[], None]) -> None:
        self._mouse = mouse
        self._eyes = eyes
        self._control = control
        self._on_mouse_taken = on_mouse_taken
        self._left_at: Pixel | None = None
        self._n_pauses_seen = control.n_pauses
        self.n_clicks = 0
        self.n_retries = 0
        self.n_stray = 0

    def perform(self, moves: list[Move], decided_on: Reading) -> list[Move]:
        """Carry out moves on closed cells, in this order; cells that changed meanwhile are left alone.

        Args:
            moves: what to do.
            decided_on: the reading that the moves follow from.

        Returns:
            The moves left over: not empty when play was paused meanwhile, or the board is no longer the one that
            the moves were decided on.

        Raises:
            Aborted: the abort key was pressed.
            NoEffectError: a cell stayed as it was after `MAX_TRIES` clicks.
        """
        for n_done, move in enumerate(moves):
            if not self._click_until_changed(move, decided_on):
                return moves[n_done:]
        return []

    def click_spot(self) -> None:
        """Click the skin's new-game spot, unless play was paused since the last click.

        Raises:
            Aborted: the abort key was pressed.
            BotError: the skin declares no spot.
        """
        spot = self.spot
        if spot is None:
            raise BotError(f"skin {self._eyes.skin.name} does not say how to start a new game")
        self._click(spot, Button.LEFT)

    @property
    def spot(self) -> Pixel | None:
        """The new-game spot on the screen."""
        offset, region = self._eyes.skin.new_game.spot_px, self._eyes.grid.region
        if offset is None:
            return None
        return Pixel(region.left + region.width // 2 + offset[0], region.top + offset[1])

    def _click_until_changed(self, move: Move, decided_on: Reading) -> bool:
        """Make one move; False when the board must be read again first."""
        for attempt in range(MAX_TRIES):
            now = self._eyes.whole()
            if not is_same_game(decided_on, now):
                return False
            if now.board[move.cell] != decided_on.board[move.cell]:
                return True
            before = self._eyes.seen_of(move.cell)
            if not self._click(self._eyes.grid.cell_region(move.cell).middle, _BUTTONS[move.action]):
                return False
            self.n_retries += attempt > 0
            if self._wait_for_change(move.cell, before):
                return True
        raise NoEffectError(f"cell {move.cell} did not change after {MAX_TRIES} clicks: is the game still running?")

    def _wait_for_change(self, cell: Cell, before: bytes) -> bool:
        deadline = time.perf_counter() + self._eyes.skin.retry_s
        while time.perf_counter() < deadline:
            if self._eyes.look_at(cell) != before:
                return True
            self._control.wait(CELL_POLL_S)
        return False

    def _click(self, pixel: Pixel, button: Button) -> bool:
        """Click; False, and no click, when play was paused since the last one."""
        if not self._is_free_to_click():
            return False
        if pixel != self.spot and not self._eyes.grid.region.has_pixel(pixel):
            self.n_stray += 1
            raise BotError(f"refused a click at {pixel}: it is outside the board")
        self._mouse.click(Click(pixel, button))
        self._left_at = pixel
        self.n_clicks += 1
        return True

    def _is_free_to_click(self) -> bool:
        """Let a person go first; False when play was paused since the last click: what was seen is not what is."""
        was_paused = self._control.n_pauses != self._n_pauses_seen
        if not was_paused and self._left_at is not None and self._mouse.position() != self._left_at:
            self._control.pause()
            self._on_mouse_taken()
        self._control.check()
        if self._control.n_pauses == self._n_pauses_seen:
            return True
        self._n_pauses_seen = self._control.n_pauses
        self._left_at = None
        return False
