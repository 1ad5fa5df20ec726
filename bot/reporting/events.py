"""Tells a program how play goes: a JSON object a line. What a person sees on a terminal is `status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.console import emit_event
from solver.board import closed_mask, known_risk

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.playing.results import GameResult
    from solver.board import Move


class EventLines:
    """The watcher that prints every event on standard output.

    Events: `state` (the player does something else), `decision` (what is on the board, and where it is on the screen),
    `game` (one ended, as in `--json`), `remark`.
    """

    def entered(self, state: str) -> None:
        """The player is in another state now."""
        emit_event("state", state=state)

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Moves were decided on."""
        board, place = reading.board, reading.grid.region
        emit_event(
            "decision",
            skin=reading.skin,
            shape=reading.grid.shape,
            mines=board.mines,
            region=[place.left, place.top, place.width, place.height],
            opened=int((~closed_mask(board.cells)).sum()),
            moves=len(moves),
            p_mine=known_risk(moves[0].p_mine) if moves and moves[0].is_guess else None,
        )

    def ended(self, result: GameResult) -> None:
        """A game ended."""
        emit_event("game", **result.as_json())

    def remark(self, text: str) -> None:
        """Something a person should know."""
        emit_event("remark", text=text)
