"""The window of a fake clone: its picture, its place and its scale."""

from __future__ import annotations

import cv2
import numpy as np

from bot.models import Grid, Pixel, Region
from fake_desktop.scenery import paste
from skins.skin import CLOSED, EXPLODED, MINE, STATES

MARGIN_PX = 12
"""Of window left, right and below the board."""
TOP_PX = 60
"""Of window above the board."""
MOODS_BGR = {"playing": (40, 220, 230), "lost": (60, 60, 200), "won": (90, 200, 90)}
"""What the face looks like, in a word."""


class GameWindow:
    """A window with a board in it.

    Args:
        skin: how cells look.
        shape: rows and cols.
        origin: top left pixel of the board.
        percent: at which scale it is shown.
    """

    def __init__(self, skin, shape, origin, percent=100):
        self.skin = skin
        self._sprites = skin.pictures([*(str(n) for n in range(9)), *(s for s in STATES if skin.sprites_of(s))])
        self._percent = percent
        self._origin = origin
        self.resize(shape)

    def resize(self, shape):
        """Show a board of so many rows and cols, all closed, its top left corner where the old one's was."""
        rows, cols = shape
        width, height = self.skin.pitch_px
        self.words = np.full(shape, CLOSED, dtype=object)
        self._canvas = np.full((rows * height + TOP_PX + MARGIN_PX, cols * width + 2 * MARGIN_PX, 3), 192, np.uint8)
        self._draw_frame()
        self._draw_face()
        for cell in np.ndindex(rows, cols):
            self._draw(self._canvas, cell, CLOSED)
        self._place()

    def move(self, dx, dy):
        """Move it by so many pixels."""
        self._origin = Pixel(self._origin.x + dx, self._origin.y + dy)
        self._place()

    def rescale(self, percent):
        """Show it at another scale, its own top left corner where it was."""
        left, top = self.region.left, self.region.top
        self._percent = percent
        self._origin = Pixel(left + self._scaled(MARGIN_PX), top + self._scaled(TOP_PX))
        self._place()

    @property
    def percent(self):
        """Its scale."""
        return self._percent

    @property
    def face_region(self):
        """Where a click begins a new game: one and a half cells around the spot; None where the skin has no spot."""
        if self.spot is None:
            return None
        half = round(self._half_face_px * self._percent / 100)
        return Region(self.spot.x - half, self.spot.y - half, 2 * half + 1, 2 * half + 1)

    def cell_at(self, pixel):
        """The cell at a pixel, None outside the board."""
        if not self.grid.region.has_pixel(pixel):
            return None
        width, height = self.grid.pitch_px
        return (pixel.y - self._origin.y) // height, (pixel.x - self._origin.x) // width

    def show(self, cell, word):
        """Paint one cell."""
        self.words[cell] = word
        self._draw(self._canvas, cell, word)
        self._draw_face()
        self._shown = None

    def picture(self, wrong):
        """What it looks like, with some cells shown wrongly (cell -> word): uint8, H x W x 3."""
        if wrong:
            canvas = self._canvas.copy()
            for cell, word in wrong.items():
                self._draw(canvas, cell, word)
            return self._enlarged(canvas)
        if self._shown is None:
            self._shown = self._enlarged(self._canvas)
        return self._shown

    def draw_on(self, pixels, seen, wrong):
        """Draw it on pixels that show `seen` of the screen."""
        paste(pixels, seen, self.picture(wrong), self.region.left, self.region.top)

    def _place(self):
        self._shown = None
        rows, cols = self.words.shape
        pitch = tuple(self._scaled(px) for px in self.skin.pitch_px)
        self.grid = Grid(self._origin, pitch, rows, cols)
        self.region = Region(
            self._origin.x - self._scaled(MARGIN_PX),
            self._origin.y - self._scaled(TOP_PX),
            cols * pitch[0] + 2 * self._scaled(MARGIN_PX),
            rows * pitch[1] + self._scaled(TOP_PX + MARGIN_PX),
        )
        self.spot = None
        if self.skin.new_game.spot_px is not None:
            x, y = (self._scaled(px) for px in self.skin.new_game.spot_px)
            self.spot = Pixel(self._origin.x + cols * pitch[0] // 2 + x, self._origin.y + y)

    def _scaled(self, px):
        scaled, rest = divmod(px * self._percent, 100)
        assert rest == 0, f"{px} px are no whole number at {self._percent} %"
        return scaled

    def _enlarged(self, canvas):
        if self._percent == 100:
            return canvas
        kernel = cv2.INTER_NEAREST if self._percent % 100 == 0 else cv2.INTER_LINEAR
        size = (self.region.width, self.region.height)
        return np.asarray(cv2.resize(canvas, size, interpolation=kernel))

    def _draw(self, pixels, cell, word):
        width, height = self.skin.pitch_px
        y, x = TOP_PX + cell[0] * height, MARGIN_PX + cell[1] * width
        pixels[y : y + height, x : x + width] = self._sprites[word]

    @property
    def _half_face_px(self):
        return self.skin.pitch_px[0] * 3 // 4

    def _draw_face(self):
        """The face in its mood, on a button whose edge is always the same."""
        if self.skin.new_game.spot_px is None:
            return
        half, (x, y) = self._half_face_px, self.skin.new_game.spot_px
        x, y = x + MARGIN_PX + self.words.shape[1] * self.skin.pitch_px[0] // 2, y + TOP_PX
        self._canvas[y - half : y + half + 1, x - half : x + half + 1] = 250
        mood = "lost" if {MINE, EXPLODED} & set(self.words.flat) else "won" if CLOSED not in self.words else "playing"
        self._canvas[y - half + 1 : y + half, x - half + 1 : x + half] = MOODS_BGR[mood]

    def _draw_frame(self):
        """The title, and the border around the board as the skin declares it."""
        self._canvas[:14] = (140, 80, 20)
        border = self.skin.border
        if border is None:
            return
        depth = border.depth_px
        around = self._canvas[TOP_PX - depth : depth - MARGIN_PX, MARGIN_PX - depth : depth - MARGIN_PX]
        around[:, :depth] = border.left_bgr[0]
        around[:depth] = border.top_bgr[0]
        around[:, -depth:] = border.right_bgr[0]
        around[-depth:, depth:] = border.bottom_bgr[0]
        if "top" in border.blends:
            self._canvas[14:TOP_PX] = border.top_bgr[0]
