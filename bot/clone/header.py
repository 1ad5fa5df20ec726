"""The window's header: mine counter, face and timer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.clone.art import FRAME, digit_sprites, face_sprites
from bot.clone.pictures import blank_picture, picture, stamp
from solver.game import GameState

if TYPE_CHECKING:
    import tkinter as tk

    from bot.clone.plan import WindowPlan
    from bot.models import Region

_PLACES = 3
_PADDING_PX = 4
_MOODS = {
    GameState.FRESH: "happy",
    GameState.PLAYING: "happy",
    GameState.WON: "cool",
    GameState.LOST: "dead",
}


class Counter:
    """Three places of digits."""

    def __init__(self, canvas: tk.Canvas, region: Region, zoom: float) -> None:
        self._padding_px = round(_PADDING_PX * zoom)
        self._digits = {char: picture(canvas, pixels) for char, pixels in digit_sprites(zoom).items()}
        self._picture = blank_picture(canvas, region)
        self._picture.put(FRAME, to=(0, 0, region.width, region.height))
        self._text = ""
        canvas.create_image(region.left, region.top, image=self._picture, anchor="nw")

    def show(self, value: int) -> None:
        """Show a number, held between -99 and 999."""
        text = f"{max(-99, min(999, value)):0{_PLACES}d}"
        if text != self._text:
            for place, char in enumerate(text):
                digit = self._digits[char]
                stamp(self._picture, digit, self._padding_px + place * digit.width(), self._padding_px)
            self._text = text


class Header:
    """Mine counter, face and timer.

    Args:
        canvas: where to draw.
        plan: at which places.
        zoom: how many times as large as it was drawn.
    """

    def __init__(self, canvas: tk.Canvas, plan: WindowPlan, zoom: float) -> None:
        self._canvas = canvas
        self._mine_counter = Counter(canvas, plan.mine_counter, zoom)
        self._timer = Counter(canvas, plan.timer, zoom)
        self._faces = {mood: picture(canvas, pixels) for mood, pixels in face_sprites(zoom).items()}
        self._face = canvas.create_image(plan.face.left, plan.face.top, anchor="nw")

    def show_counts(self, mines_left: int, elapsed_s: float) -> None:
        """Show what is left, and whole seconds."""
        self._mine_counter.show(mines_left)
        self._timer.show(int(elapsed_s))

    def show_face(self, state: GameState, *, is_worried: bool = False, is_pressed: bool = False) -> None:
        """Show the mood: of the game's state, unless the face or the board is being pressed."""
        mood = "worried" if is_worried else _MOODS[state]
        self._canvas.itemconfigure(self._face, image=self._faces["happy_pressed" if is_pressed else mood])
