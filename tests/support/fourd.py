"""Screens with 4D Minesweeper made up for tests: cells from recorded pictures where these are at hand, else our own.

The game's own cells are not kept in this repository. `MINEBOT_4D_SAMPLES` may name a folder with pictures of them
(`4d-3-a.png`: a 3 in the light, `-b` dimmed, and so on: each the 23 x 23 pixels from (2, 2) on of a cell of 28);
without it digits and signs are drawn here by OpenCV. Either way numbers that no picture shows are put together from
single digits as the recorded 10 and 11 are: 15 pixels apart, the first one 7 left of where it stands alone.

Layouts, floods and numbers are counted here one by one, without the solver.
"""

from __future__ import annotations

import itertools
import os
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import rendered

from bot.models import Button, Frame, Held, Pixel
from solver import board as codes

SIDE_PX = 28
KNOWN = slice(2, 25)
STATES = ("fresh", "mid", "lost", "won")
BACKGROUNDS = ((0, 0, 0), (40, 40, 40), (60, 30, 20), (96, 96, 96), (200, 200, 200), (255, 255, 255))
PLACES = ((0, 0), (1, 1), (0, 1), (1, 0), (0.5, 0), None, None)
_FINE = 16
_STROKE = 2.5

_STROKES = {
    "0": [("oval", 7.3, 14.5, 4.4, 6.4, 0, 360)],
    "1": [("line", (8, 8), (8, 21)), ("line", (3, 21), (11.5, 21)), ("line", (3, 9), (8, 8))],
    "2": [
        ("oval", 7.2, 11.4, 4.0, 3.4, 185, 380),
        ("line", (10.9, 12.8), (3.6, 20.8)),
        ("line", (3.6, 21), (11.4, 21)),
    ],
    "3": [("oval", 7.2, 11, 4.0, 3.0, 190, 450), ("oval", 7.3, 17.5, 4.1, 3.5, 270, 530)],
    "4": [("line", (9.8, 14), (9.8, 21)), ("line", (8, 8), (3, 17.5)), ("line", (2, 17.8), (12, 17.8))],
    "5": [
        ("line", (4.6, 8), (11, 8)),
        ("line", (4.6, 8), (4, 13)),
        ("oval", 7.3, 17, 4.3, 4.0, 225, 500),
    ],
    "6": [("oval", 7.6, 17, 4.0, 4.0, 0, 360), ("line", (8.2, 8), (4.2, 14.6))],
    "7": [("line", (3.5, 8), (11, 8)), ("line", (11, 8), (5.4, 21))],
    "8": [("oval", 7.3, 10.8, 3.8, 2.7, 0, 360), ("oval", 7.3, 17.5, 4.1, 3.4, 0, 360)],
    "9": [("oval", 7.3, 11.5, 4.0, 3.5, 0, 360), ("line", (10.6, 13.5), (6.6, 21))],
}


def samples():
    """The recorded pictures by name ("3-a"), or nothing."""
    folder = os.environ.get("MINEBOT_4D_SAMPLES")
    return {} if folder is None else {path.stem[3:]: cv2.imread(str(path)) for path in Path(folder).glob("4d-*.png")}


@cache
def ink_of_digit(digit):
    """How black a digit is that stands alone in a cell: float, 28 x 28, 0 to 1."""
    ink = np.zeros((SIDE_PX, SIDE_PX))
    known = samples()
    if known and digit == "0":  # only the 10 shows one, 8 pixels further right and cut off: its other half is the same
        picture = known["10-a"][..., 2] / 255.0
        half = 1.0 - picture[:, 13:19]
        ink[KNOWN, 7:13] = half
        ink[KNOWN, 13:19] = half[:, ::-1]
    elif known:
        picture = known[f"{digit}-a"][..., 2] / 255.0
        ink[KNOWN, KNOWN] = 1.0 - picture
    else:
        ink[:, 6:21] = _drawn(digit)
    return ink


def _drawn(digit):
    canvas = np.zeros((SIDE_PX * _FINE, 15 * _FINE), dtype=np.uint8)
    for kind, *shape in _STROKES[digit]:
        thickness = round(_STROKE * _FINE)
        if kind == "line":
            start, end = (tuple(round(_FINE * value) for value in point) for point in shape)
            cv2.line(canvas, start, end, 255, thickness)
        else:
            x, y, rx, ry, first, last = shape
            centre, radii = (round(_FINE * x), round(_FINE * y)), (round(_FINE * rx), round(_FINE * ry))
            cv2.ellipse(canvas, centre, radii, 0, first, last, 255, thickness)
    small = cv2.resize(canvas, (15, SIDE_PX), interpolation=cv2.INTER_AREA)
    return small / 255.0


def _ink_of_number(number):
    word = str(number)
    if number == 0:
        return np.zeros((SIDE_PX, SIDE_PX))
    if len(word) == 1:
        return ink_of_digit(word)
    ink = np.zeros((SIDE_PX, SIDE_PX))
    first, second = map(ink_of_digit, word)
    ink[:, : SIDE_PX - 7] += first[:, 7:]
    ink[:, 8:] += second[:, : SIDE_PX - 8]
    return np.clip(ink, 0, 1)


def ground_bgr(number, *, is_dimmed):
    """The tint of a number, as measured on the recorded pictures."""
    red, other = (128, 127.5 - 17.85 * number) if is_dimmed else (255, 255 * (1 - 0.07 * number))
    level = max(int(other + 0.5), 0)
    return level, level, red


@cache
def number_cell(number, *, is_dimmed=False):
    """The picture of an open cell: uint8, 28 x 28 x 3; the recorded one where there is one."""
    known = samples().get(f"{number}-{'b' if is_dimmed else 'a'}")
    if known is not None:
        return whole_cell(known)
    bare = 1.0 - _ink_of_number(number)[:, :, None]
    return np.floor(bare * np.array(ground_bgr(number, is_dimmed=is_dimmed)) + 0.5).astype(np.uint8)


def whole_cell(sample):
    """A recorded part, with its ground, or what it shows at its edge, on around it."""
    return cv2.copyMakeBorder(sample, 2, 3, 2, 3, cv2.BORDER_REPLICATE)


@cache
def sign_cell(name):
    """The picture of a cell that shows no number: covered, flag-a, flag-b, mine-a, explosion or false-a."""
    known = samples().get(name)
    if known is not None:
        return whole_cell(known)
    grounds = {"covered": (153, 153, 153), "flag-a": (255, 255, 255), "flag-b": (0, 255, 0), "mine-a": (128, 128, 128)}
    ground = grounds.get(name, (0, 0, 255))
    canvas = np.empty((SIDE_PX * _FINE, SIDE_PX * _FINE, 3), dtype=np.uint8)
    canvas[:] = ground
    if name.startswith(("flag", "false")):
        pole = tuple(round(0.4 * channel) for channel in ground)
        cv2.rectangle(canvas, _fine(4, 0), _fine(5.8, 28), pole, cv2.FILLED)
        pennant = np.array([_fine(5.4, 3), _fine(21.6, 8.4), _fine(5.4, 13.6)])
        cv2.fillPoly(canvas, [pennant], (0, 0, 255))
        cv2.polylines(canvas, [pennant], isClosed=False, color=(0, 0, 0), thickness=_FINE)
    elif name != "covered":
        cv2.line(canvas, _fine(15, 16), _fine(20, 11), (80, 180, 200), 2 * _FINE)
        for turn in range(8):
            x, y = 6.5 * np.cos(turn * np.pi / 4), 6.5 * np.sin(turn * np.pi / 4)
            cv2.line(canvas, _fine(21.5, 7.5), _fine(21.5 + x, 7.5 + y), (0, 165, 255), 2 * _FINE)
        cv2.circle(canvas, _fine(21.5, 7.5), 3 * _FINE, (0, 255, 255), cv2.FILLED)
        cv2.circle(canvas, _fine(9.2, 18.8), 8 * _FINE, (0, 0, 0), cv2.FILLED)
        cv2.circle(canvas, _fine(6.3, 15.3), round(1.8 * _FINE), (92, 92, 92), cv2.FILLED)
    return cv2.resize(canvas, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)


def _fine(x, y):
    return round(_FINE * x), round(_FINE * y)


# --- positions


def neighbours(cell, shape):
    """The cells that differ from one by at most a step along every axis, itself left out."""
    steps = itertools.product(*[range(max(i - 1, 0), min(i + 2, n)) for i, n in zip(cell, shape, strict=True)])
    return [other for other in steps if other != cell]


@dataclass(frozen=True, eq=False)
class Position:
    """A possible position: the code of every cell (int16, of the board's shape), and where the mines are."""

    cells: np.ndarray
    has_mine: np.ndarray


def position(rng, state, shape=(4, 4, 4, 4), n_mines=None):
    """A random position in one of `STATES`."""
    every = list(np.ndindex(shape))
    has_mine = np.zeros(shape, dtype=bool)
    for cell in rng.sample(every, rng.choice([10, 20, 30, 60, 120]) if n_mines is None else n_mines):
        has_mine[cell] = True
    number = {cell: sum(bool(has_mine[near]) for near in neighbours(cell, shape)) for cell in every}
    cells = np.full(shape, codes.CLOSED, dtype=np.int16)
    if state == "fresh":
        return Position(cells, has_mine)
    safe = [cell for cell in every if not has_mine[cell]]
    share = 1.0 if state == "won" else rng.uniform(0.1, 0.9)
    for start in rng.sample(safe, max(round(share * len(safe)), 1)):
        waiting = [start]
        while waiting:
            cell = waiting.pop()
            if cells[cell] == codes.CLOSED:
                cells[cell] = number[cell]
                waiting += neighbours(cell, shape) if number[cell] == 0 else []
    closed_mines = [cell for cell in every if has_mine[cell]]
    flagged = closed_mines if state == "won" else rng.sample(closed_mines, len(closed_mines) // 3)
    for cell in flagged:
        cells[cell] = codes.FLAG
    if state == "lost":
        rest = [cell for cell in closed_mines if cells[cell] != codes.FLAG]
        for cell in rest:
            cells[cell] = codes.MINE
        cells[rng.choice(rest)] = codes.EXPLODED
        free = [cell for cell in safe if cells[cell] == codes.CLOSED]
        for cell in free[:2]:
            cells[cell] = codes.WRONG_FLAG
    return Position(cells, has_mine)


# --- screens


@dataclass(frozen=True, eq=False)
class Shown:
    """A screen: the frame, the truth, and where cell (0, 0, 0, 0) has its corner; `corners` by cell."""

    frame: Frame
    position: Position
    corners: dict


_SIGNS = {codes.CLOSED: "covered", codes.MINE: "mine-a", codes.EXPLODED: "explosion", codes.WRONG_FLAG: "false-a"}


def cell_picture(code, *, is_dimmed, is_over):
    """How a cell of a board looks."""
    if code >= 0:
        return number_cell(int(code), is_dimmed=is_dimmed)
    return sign_cell(("flag-b" if is_over else "flag-a") if code == codes.FLAG else _SIGNS[int(code)])


def paint(position, hovered, gap, block_gap, background):
    """The board alone, and the corner of every cell on it by its indices: x, y are blocks down and along."""
    n_x, n_y, n_z, n_w = position.cells.shape
    down, along = (n * (SIDE_PX + gap) - gap + block_gap for n in (n_z, n_w))
    picture = np.full((n_x * down - block_gap, n_y * along - block_gap, 3), background, dtype=np.uint8)
    is_over = bool(np.isin(position.cells, (codes.EXPLODED,)).any()) or not (position.cells == codes.CLOSED).any()
    near = set() if hovered is None else {hovered, *neighbours(hovered, position.cells.shape)}
    corners = {}
    for cell, code in np.ndenumerate(position.cells):
        x, y, z, w = cell
        left, top = y * along + w * (SIDE_PX + gap), x * down + z * (SIDE_PX + gap)
        is_dimmed = hovered is not None and cell not in near
        picture[top : top + SIDE_PX, left : left + SIDE_PX] = cell_picture(code, is_dimmed=is_dimmed, is_over=is_over)
        corners[cell] = (left, top)
    return picture, corners


def screen(seed, state, shape=(4, 4, 4, 4), *, place=None, n_mines=None, size=(1280, 1024)):
    """A cluttered desktop with one board in blocks; equal seeds are equal screens."""
    rng = random.Random(f"4d {seed} {state} {shape}")
    here = position(rng, state, shape, n_mines)
    hovered = tuple(rng.randrange(n) for n in shape) if rng.random() < 0.6 else None
    gap, extra = rng.randrange(1, 5), rng.choice([0, 1, 3, 6, 10, 17, 24])
    background = rng.choice(BACKGROUNDS)
    picture, corners = paint(here, hovered, gap, gap + extra, background)
    pixels = rendered.desktop(rng, size)
    height, width = picture.shape[:2]
    at_x, at_y = (rng.random(), rng.random()) if place is None else place
    left, top = round(at_x * (size[0] - width)), round(at_y * (size[1] - height))
    margin = rng.randrange(24, 40)
    pixels[max(top - margin, 0) : top + height + margin, max(left - margin, 0) : left + width + margin] = background
    pixels[top : top + height, left : left + width] = picture
    return Shown(Frame(pixels), here, {cell: (left + x, top + y) for cell, (x, y) in corners.items()})


# --- a game


class Desktop:
    """A game in blocks that is captured and clicked: screen, mouse and keyboard in one.

    The first cell opened and its neighbours hold no mine. Cells that are open and not beside the one under the pointer
    are dimmed. `opened` lists the cells that were clicked, `strays` the clicks that hit no closed cell.
    """

    def __init__(self, seed, shape, n_mines, *, gap=2, block_gap=12):
        self._rng = random.Random(f"4d game {seed}")
        self._gaps = gap, block_gap
        self.n_mines = n_mines
        self.has_mine = None
        self.cells = np.full(shape, codes.CLOSED, dtype=np.int16)
        self.opened = []
        self.strays = []
        self._pointer = Pixel(0, 0)
        self._hovered = None
        self._frame = None
        picture, corners = self._paint()
        height, width = picture.shape[:2]
        self._desk = rendered.desktop(self._rng, (width + 200, height + 150))
        self._desk[40 : 80 + height, 60 : 140 + width] = (30, 30, 30)
        self.corners = {cell: (100 + x, 60 + y) for cell, (x, y) in corners.items()}

    @property
    def is_lost(self):
        return bool((self.cells == codes.EXPLODED).any())

    @property
    def is_won(self):
        return not self.is_lost and int((self.cells < 0).sum()) == self.n_mines

    def grab(self, region=None):
        if self._frame is None:
            picture, _ = self._paint()
            pixels = self._desk.copy()
            pixels[60 : 60 + picture.shape[0], 100 : 100 + picture.shape[1]] = picture
            self._frame = Frame(pixels)
        return self._frame if region is None else self._frame.crop(region)

    def close(self):
        """Nothing to give back."""

    def position(self):
        return self._pointer

    def focused(self):
        return 1

    def at(self, _pixel):
        return 1

    focused_window = focused

    def turned_to(self):
        return []

    window_at = at

    def has_window(self, _window):
        return True

    def dialogs(self, _window):
        return []

    def press(self, key, _window):
        raise AssertionError(f"this game has no use for the key {key}")

    def click(self, click):
        self._pointer = click.pixel
        cell = self._cell_at(click.pixel)
        if cell is None or self.cells[cell] != codes.CLOSED or click.button is not Button.LEFT:
            self.strays.append(click)
            return click.pixel
        self.opened.append(cell)
        self._hovered = cell
        self._frame = None
        if self.has_mine is None:
            free = [
                other for other in self.corners if other != cell and other not in neighbours(cell, self.cells.shape)
            ]
            self.has_mine = np.zeros(self.cells.shape, dtype=bool)
            for mine in self._rng.sample(free, self.n_mines):
                self.has_mine[mine] = True
        if self.has_mine[cell]:
            self.cells[self.has_mine] = codes.MINE
            self.cells[cell] = codes.EXPLODED
        else:
            self._flood(cell)
            if self.is_won:
                self.cells[self.has_mine] = codes.FLAG
        return click.pixel

    def follow(self, pixel):
        """It never moves."""

    def held(self):
        return Held()

    def _flood(self, cell):
        waiting = [cell]
        while waiting:
            cell = waiting.pop()
            if self.cells[cell] == codes.CLOSED:
                near = neighbours(cell, self.cells.shape)
                self.cells[cell] = sum(bool(self.has_mine[other]) for other in near)
                waiting += near if self.cells[cell] == 0 else []

    def _cell_at(self, pixel):
        for cell, (left, top) in self.corners.items():
            if left <= pixel.x < left + SIDE_PX and top <= pixel.y < top + SIDE_PX:
                return cell
        return None

    def _paint(self):
        return paint(Position(self.cells, self.has_mine), self._hovered, *self._gaps, (30, 30, 30))
