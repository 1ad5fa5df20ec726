"""Makes clicks of moves, one at a time, and never clicks on a stale picture.

Closed loop: look at the cell, click it, wait until its pixels change, go on. A click that seems lost is made again
only after the skin's pause, and only on a cell that still looks as it did. Every click is checked against the board
and the skin's one declared spot first; the person at the mouse comes before the bot.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.models import Button, Click, Pixel
from solver.moves import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.control import Control
    from bot.eyes import Eyes
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
        self.n_clicks = 0
        self.n_retries = 0
        self.n_stray = 0

    def perform(self, moves: list[Move]) -> None:
        """Carry out moves on closed cells, in this order; cells that changed meanwhile are left alone.

        Raises:
            Aborted: the abort key was pressed.
            NoEffectError: a cell stayed as it was after `MAX_TRIES` clicks.
        """
        looks = {move.cell: self._eyes.look_at(move.cell) for move in moves}
        for move in moves:
            self._click_until_changed(move, looks[move.cell])

    def click_spot(self) -> None:
        """Click the skin's new-game spot.

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

    def _click_until_changed(self, move: Move, before: bytes) -> None:
        for attempt in range(MAX_TRIES):
            self._control.check()
            if self._eyes.look_at(move.cell) != before:
                return
            self.n_retries += attempt > 0
            self._click(self._eyes.grid.cell_region(move.cell).middle, _BUTTONS[move.action])
            if self._wait_for_change(move.cell, before):
                return
        raise NoEffectError(f"cell {move.cell} did not change after {MAX_TRIES} clicks: is the game still running?")

    def _wait_for_change(self, cell: Cell, before: bytes) -> bool:
        deadline = time.perf_counter() + self._eyes.skin.retry_s
        while time.perf_counter() < deadline:
            if self._eyes.look_at(cell) != before:
                return True
            self._control.wait(CELL_POLL_S)
        return False

    def _click(self, pixel: Pixel, button: Button) -> None:
        self._yield_to_person()
        self._control.check()
        if pixel != self.spot and not self._eyes.grid.region.has_pixel(pixel):
            self.n_stray += 1
            raise BotError(f"refused a click at {pixel}: it is outside the board")
        self._mouse.click(Click(pixel, button))
        self._left_at = pixel
        self.n_clicks += 1

    def _yield_to_person(self) -> None:
        if self._left_at is not None and self._mouse.position() != self._left_at:
            self._left_at = None
            self._control.pause()
            self._on_mouse_taken()
