"""Paints a board in a skin: states to pixels, the reader's work backwards.

Knows nothing of solver boards or screens: a cell's state is a word, as in `skins.skin`. The built-in game draws its
window with it, and pictures of boards are made with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from skins.errors import SkinError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from skins.skin import Skin


def sprite(skin: Skin, state: str) -> NDArray[np.uint8]:
    """The picture of one cell state: uint8, cell height x cell width x 3, BGR; the first look where there are several.

    Raises:
        SkinError: the skin has no look of that state.
    """
    looks = skin.looks_of(state)
    if not looks:
        known = ", ".join(dict.fromkeys(look.state for look in skin.looks))
        raise SkinError(f"skin {skin.name}: expected a look of state {state!r}, got only {known}")
    return looks[0].pixels_bgr


def sprites(skin: Skin, states: Iterable[str]) -> dict[str, NDArray[np.uint8]]:
    """The pictures of several states, by state.

    Raises:
        SkinError: the skin has no look of one of them.
    """
    return {state: sprite(skin, state) for state in states}


def paint(skin: Skin, states: Sequence[Sequence[str]]) -> NDArray[np.uint8]:
    """Paint rows of states, each cell at its place, one sprite a cell.

    Args:
        skin: what to paint with.
        states: the rows from top to bottom, all of one length.

    Returns:
        uint8, (rows * cell height) x (cols * cell width) x 3, channels blue, green, red.

    Raises:
        SkinError: no cell, a ragged row, or a state the skin has no look of.
    """
    if not states or not states[0]:
        raise SkinError(f"skin {skin.name}: expected at least one cell to paint, got none")
    n_cols = len(states[0])
    for row, words in enumerate(states):
        if len(words) != n_cols:
            raise SkinError(f"skin {skin.name}: expected {n_cols} cells in row {row}, got {len(words)}")
    by_state = sprites(skin, {word for words in states for word in words})
    width, height = skin.pitch_px
    picture_bgr = np.empty((len(states) * height, n_cols * width, 3), dtype=np.uint8)
    for row, words in enumerate(states):
        for col, word in enumerate(words):
            picture_bgr[row * height : (row + 1) * height, col * width : (col + 1) * width] = by_state[word]
    return picture_bgr


def encode_png(picture_bgr: NDArray[np.uint8]) -> bytes:
    """A picture (uint8, H x W x 3, BGR) as the bytes of a PNG file."""
    done, encoded = cv2.imencode(".png", picture_bgr)
    assert done, "every uint8 picture has a PNG form"
    return encoded.tobytes()


def encode_ppm(picture_bgr: NDArray[np.uint8]) -> bytes:
    """A picture (uint8, H x W x 3, BGR) as a binary PPM: uncompressed, what Tk reads fastest."""
    height, width = picture_bgr.shape[:2]
    return b"P6 %d %d 255\n" % (width, height) + picture_bgr[:, :, ::-1].tobytes()
