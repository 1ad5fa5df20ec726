"""How a fake desktop misbehaves by habit, and what it remembers of every click."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from bot.errors import UsageError

if TYPE_CHECKING:
    from bot.models import Button, Pixel


@dataclass(frozen=True)
class Faults:
    """How the desktop misbehaves all the time.

    Attributes:
        p_lost: share of clicks the game never gets.
        most_lost_in_a_row: a click after so many lost ones arrives.
        ignores_double_clicks: whether a second click soon after the first, and beside it, is lost.
        loses_in_runs: whether clicks are lost several in a row, and then none for a while.
        repaint_s: shortest and longest time from a click to the first pixel of its effect.
        flood_s: how long the effect of one click takes to be painted, cell by cell in random order.
        pressed_s: how long a clicked cell shows its pressed look, an open 0, first.
        dialogs: how many dialogs come up after a won game, one after the other; each covers part of the board.
        dialog_s: from the win, or from the end of the dialog before, to a dialog; clicks are lost meanwhile.
        dialogs_cover: whether dialogs lie over the board; beside it they hide nothing, but take the clicks as well.
        dialog_key: the key that closes them, None where none does; or one a dialog.
        dialogs_after_loss: whether they come up after a lost game too.
        begins_s: how long another game takes to begin, as a page that loads anew: from when it was asked for last.
    """

    p_lost: float = 0.0
    most_lost_in_a_row: int = 3
    ignores_double_clicks: bool = False
    loses_in_runs: bool = False
    repaint_s: tuple[float, float] = (0.0, 0.0)
    flood_s: float = 0.0
    pressed_s: float = 0.0
    dialogs: int = 0
    dialog_s: float = 0.0
    dialogs_cover: bool = True
    dialog_key: str | tuple[str, ...] | None = "enter"
    dialogs_after_loss: bool = False
    begins_s: float = 0.0


class Target(Enum):
    """What lies uppermost at a pixel."""

    BOARD = "board"
    SPOT = "spot"
    """The face, where a click begins a new game."""
    WINDOW = "window"
    """The game's window, but neither board nor face."""
    DIALOG = "dialog"
    COVER = "cover"
    OUTSIDE = "outside"
    """No window of the game, or no screen at all."""


@dataclass(frozen=True)
class Press:
    """One click and the truth of its moment.

    Attributes:
        pixel: where.
        cell: the cell of the board as it lies now at that pixel, whatever lies over it; None outside the board.
        game: number of the game, from 0.
        code: the cell's true code before it, None outside.
        is_half_painted: whether the picture was not a whole one.
        is_covered: whether something lay over part of the board.
        is_paused: whether play was paused.
        has_exploded: whether it ended the game.
        n_keys: how many keys had been pressed before.
        at_s: when.
        button: with which button.
        target: what lay uppermost there.
        is_mine: whether its cell is a mine, as far as that is decided yet.
        stale_s: for how long something had happened in the game that could not be seen yet.
        is_aborted: whether play had been stopped before.
        fate: what became of it, in a word.
    """

    pixel: Pixel
    cell: tuple[int, int] | None
    game: int
    code: int | None
    is_half_painted: bool
    is_covered: bool
    is_paused: bool
    has_exploded: bool
    n_keys: int
    at_s: float
    button: Button
    target: Target
    is_mine: bool
    stale_s: float
    is_aborted: bool
    fate: str


def impatient(skin, **changes):
    """The skin, with some of its habits changed."""
    unknown = changes.keys() - {"retry_s", "dialog_keys", "spot_px", "spot_from", "pause_s"}
    if unknown:
        raise UsageError(f"no habits of a skin: {unknown}")
    retry_s = changes.pop("retry_s", skin.retry_s)
    return replace(skin, retry_s=retry_s, new_game=replace(skin.new_game, **changes))
