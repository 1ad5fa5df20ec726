"""Paints a board in a skin, cells alone: states to pixels, the reader's work backwards."""

from __future__ import annotations

import numpy as np

from skins.errors import SkinError


def paint(skin, states):
    """Paint rows of states, each cell at its place, one sprite a cell.

    Args:
        skin: what to paint with.
        states: the rows from top to bottom, all of one length.

    Returns:
        uint8, (rows * cell height) x (cols * cell width) x 3, channels blue, green, red.

    Raises:
        SkinError: no cell, a ragged row, or a state the skin has no sprite of.
    """
    if not states or not states[0]:
        raise SkinError(f"skin {skin.name}: expected at least one cell to paint, got none")
    n_cols = len(states[0])
    for row, words in enumerate(states):
        if len(words) != n_cols:
            raise SkinError(f"skin {skin.name}: expected {n_cols} cells in row {row}, got {len(words)}")
    by_state = skin.pictures({word for words in states for word in words})
    width, height = skin.pitch_px
    picture_bgr = np.empty((len(states) * height, n_cols * width, 3), dtype=np.uint8)
    for row, words in enumerate(states):
        for col, word in enumerate(words):
            sprite = skin.sprites_of(word)[(row + col) % 2].pixels_bgr if skin.drawing.is_in_turn else by_state[word]
            picture_bgr[row * height : (row + 1) * height, col * width : (col + 1) * width] = sprite
    return picture_bgr
