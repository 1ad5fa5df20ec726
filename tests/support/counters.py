"""Paints mine counters on pictures of boards: what a clone would show with so many mines left."""

from __future__ import annotations

import numpy as np
from painted import paint

from bot.models import Frame, Grid, Pixel


def shows(frame, grid, skin, text):
    """The frame with `text` on the counter of the board at `grid`."""
    counter = skin.counter
    pixels = frame.pixels_bgr.copy()
    x, y = counter.spots_px[0]
    left = grid.origin.x - frame.left + x + (grid.region.width if counter.is_right else 0)
    top = grid.origin.y - frame.top + y
    width, height = counter.digit_px
    for i, char in enumerate(text):
        digit = next(sprite.pixels_bgr for sprite in counter.digits if sprite.state == char)
        at = left + i * counter.stride_px
        pixels[top : top + height, at : at + width] = digit
    return Frame(pixels, frame.left, frame.top)


def board_with_counter(skin, rows_of_states, text, ground=(60, 60, 60)):
    """(frame, grid) of a board of these states, with room around it and `text` on its counter."""
    board = paint(skin, rows_of_states)
    height, width = board.shape[:2]
    pixels = np.full((height + 110, width + 60, 3), ground, dtype=np.uint8)
    pixels[90 : 90 + height, 30 : 30 + width] = board
    frame = Frame(pixels)
    grid = Grid(Pixel(30, 90), skin.pitch_px, len(rows_of_states), len(rows_of_states[0]))
    return shows(frame, grid, skin, text), grid
