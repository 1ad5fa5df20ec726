"""Looks of clones that do not exist, drawn by rule: what calibration has to make sense of without having seen it.

Each is a function from a state, the cell's (row, col) and a size in pixels to a cell's picture (uint8, H x W x 3, BGR).
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG

INKS = [(220, 60, 0), (0, 120, 0), (0, 0, 220), (110, 0, 0), (0, 0, 110), (130, 130, 0), (30, 30, 30), (120, 120, 120)]
_CLOSED_STATES = {CLOSED, FLAG, QUESTION}


def checkered(state, cell, px):
    """Flat cells in two shades, as the chequered boards of web games: no line anywhere."""
    is_odd = sum(cell) % 2
    if state in _CLOSED_STATES:
        ground = ((81, 215, 170), (73, 209, 162))[is_odd]
    else:
        ground = ((159, 194, 229), (153, 184, 215))[is_odd]
    return _signed(_flat(ground, px), state, INKS)


def two_blues(state, cell, px):
    """Flat cells in two shades that are far apart."""
    is_odd = sum(cell) % 2
    if state in _CLOSED_STATES:
        ground = ((180, 120, 60), (160, 100, 50))[is_odd]
    else:
        ground = ((225, 225, 225), (210, 210, 210))[is_odd]
    return _signed(_flat(ground, px), state, INKS)


def smooth(state, _, px):
    """A shaded bevel and anti-aliased digits."""
    if state in _CLOSED_STATES:
        shade = np.linspace(240, 190, px)[:, None, None] + np.linspace(6, -6, px)[None, :, None]
        picture = np.repeat(np.clip(shade, 0, 255), 3, axis=2).astype(np.uint8)
        cv2.rectangle(picture, (0, 0), (px - 1, px - 1), (150, 150, 150), 1)
    else:
        picture = _flat((225, 225, 225), px)
        cv2.rectangle(picture, (0, 0), (px - 1, px - 1), (200, 200, 200), 1)
    return _signed(picture, state, INKS)


def one_ink(state, _, px):
    """Digits of one colour: only their shape tells."""
    return _signed(_bevelled(state, px, (192, 192, 192)), state, [(0, 0, 0)] * 8)


def dark(state, _, px):
    """Light on dark, thin lines between cells."""
    picture = _flat((70, 62, 54) if state in _CLOSED_STATES else (38, 34, 30), px)
    picture[0], picture[:, 0] = (20, 20, 20), (20, 20, 20)
    inks = [(255, 170, 90), (120, 220, 120), (110, 110, 255), (230, 120, 200), (80, 200, 255), (220, 220, 90)]
    return _signed(picture, state, [*inks, (200, 200, 200), (255, 255, 255)])


def stippled(state, _, px):
    """Closed cells are a pattern of dots."""
    picture = _bevelled(state, px, (200, 190, 180))
    if state in _CLOSED_STATES:
        y, x = np.indices((px - 6, px - 6))
        picture[3:-3, 3:-3][(x + y) % 2 == 0] = (150, 140, 130)
    return _signed(picture, state, INKS)


def decorated(state, _, px):
    """Closed cells have a drawing on them, open ones a dotted line."""
    picture = _bevelled(state, px, (170, 150, 120))
    if state in _CLOSED_STATES:
        cv2.circle(picture, (px // 2, px // 2), px // 3, (190, 175, 150), 1, cv2.LINE_AA)
    else:
        picture[:, :] = (235, 230, 220)
        picture[0, ::2], picture[::2, 0] = (160, 150, 140), (160, 150, 140)
    return _signed(picture, state, INKS)


MADE = {"checkered": 24, "two_blues": 32, "smooth": 24, "one_ink": 20, "dark": 22, "stippled": 20, "decorated": 26}
"""Every made look and the size of its cells."""


def paint_made(name, words, px=None):
    """The picture of a board of states in a made look: uint8, H x W x 3."""
    size = px or MADE[name]
    return np.vstack(
        [
            np.hstack([made_cell(name, state, (row, col), size) for col, state in enumerate(line)])
            for row, line in enumerate(words)
        ]
    )


def made_cell(name, state, cell, px=None):
    """The picture of one cell at a (row, col) in a made look: uint8, H x W x 3."""
    return _cell(name, state, (cell[0] % 2, cell[1] % 2), px or MADE[name])


@lru_cache(maxsize=1000)
def _cell(name, state, cell, px):
    return globals()[name](state, cell, px)


def _flat(colour, px):
    return np.full((px, px, 3), colour, dtype=np.uint8)


def _bevelled(state, px, ground):
    picture = _flat(ground, px)
    if state in _CLOSED_STATES:
        picture[:2], picture[:, :2] = (255, 255, 255), (255, 255, 255)
        picture[-2:], picture[:, -2:] = (110, 110, 110), (110, 110, 110)
    else:
        picture[0], picture[:, 0] = (128, 128, 128), (128, 128, 128)
    return picture


def _signed(picture, state, inks):
    """The picture with a digit, flag, question mark or mine drawn on it."""
    px = picture.shape[0]
    middle, reach = px // 2, px // 4
    if state.isdecimal() and state != "0":
        _letter(picture, state, inks[int(state) - 1])
    elif state == QUESTION:
        _letter(picture, "?", (20, 20, 20))
    elif state in {FLAG, WRONG_FLAG}:
        points = np.array([[middle, middle - reach], [middle - reach, middle - reach // 2], [middle, middle]])
        cv2.fillPoly(picture, [points], (0, 0, 220), cv2.LINE_AA)
        cv2.line(picture, (middle, middle - reach), (middle, middle + reach), (20, 20, 20), 1, cv2.LINE_AA)
    elif state in {MINE, EXPLODED}:
        if state == EXPLODED:
            picture[1:, 1:] = (0, 0, 255)
        cv2.circle(picture, (middle, middle), reach, (10, 10, 10), -1, cv2.LINE_AA)
    if state == WRONG_FLAG:
        cv2.line(picture, (2, 2), (px - 3, px - 3), (0, 0, 200), 1, cv2.LINE_AA)
    return picture


def _letter(picture, text, ink):
    px = picture.shape[0]
    scale = px / 38
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 1)
    place = ((px - width) // 2 + 1, (px + height) // 2)
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_DUPLEX, scale, ink, 1, cv2.LINE_AA)
