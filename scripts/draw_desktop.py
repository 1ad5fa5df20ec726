"""Draw the templates of desktop clones and of the Google look: in our own hand, near enough for tolerant matching.

    python scripts/draw_desktop.py            draw skins/data/<skin>/sprites.png anew
    python scripts/draw_desktop.py --check    write nothing; exit 1 when a picture on disk is another

Geometry and colours (bevel, gap, ink, where a sign stands in its cell) are measurements of the real clones; the shapes
are drawn here by rule. gnome-mines has no size of its own: its gap between cells is 4 pixels at any size, and its signs
keep 7.5 pixels away from what would be 4/5 of a cell. So each of its looks is drawn as it is in cells of several sizes,
all brought to one.

Bold digits and other signs in our own hand, as sets of strokes in a unit box: for the templates of scalable clones.

x and y run from 0 to 1 across the sign's box. A stroke's ends are round, but cut off at the box: that makes the flat
ends of bold type. Knows nothing of cells or colours.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Field = NDArray[np.float64]
    Picture = NDArray[np.uint8]
    Colour = tuple[int, int, int]
    Look = tuple[str, Picture]


Point = tuple[float, float]
Line = list[Point]

ASPECT = 0.70
"""Width of a digit's box over its height."""


def bow(x: float, y: float, rx: float, ry: float, start: float, end: float) -> Line:
    """Part of an ellipse; degrees clockwise from the right, as y grows downwards."""
    turns = [math.radians(start + (end - start) * i / 24) for i in range(25)]
    return [(x + rx * math.cos(turn), y + ry * math.sin(turn)) for turn in turns]


DIGITS: dict[int, list[Line]] = {
    1: [[(0.57, -0.2), (0.57, 1.2)], [(0.16, 0.92), (0.98, 0.92)], [(0.52, 0.09), (-0.1, 0.2)]],
    2: [[*bow(0.42, 0.32, 0.38, 0.23, 218, 372), (0.5, 0.62), (0.08, 0.92)], [(0.06, 0.92), (1.2, 0.92)]],
    3: [
        [(-0.1, 0.12), (0.05, 0.1), *bow(0.42, 0.28, 0.41, 0.19, 262, 450), (0.3, 0.48)],
        [(0.3, 0.48), *bow(0.44, 0.69, 0.43, 0.215, 270, 450), (-0.1, 0.9)],
    ],
    4: [[(0.7, -0.2), (0.7, 1.2)], [(0.6, -0.02), (0.06, 0.68)], [(0.06, 0.7), (1.2, 0.7)]],
    5: [
        [(0.9, 0.075), (0.2, 0.075), (0.2, 0.42)],
        [(0.2, 0.44), *bow(0.44, 0.665, 0.43, 0.245, 255, 450), (-0.1, 0.9)],
    ],
    6: [
        [(0.9, 0.06), *bow(0.6, 0.5, 0.46, 0.43, 275, 180), (0.14, 0.66)],
        bow(0.52, 0.68, 0.35, 0.235, 0, 360),
    ],
    7: [[(-0.1, 0.075), (0.88, 0.075)], [(0.86, 0.08), (0.3, 1.1)]],
    8: [bow(0.5, 0.265, 0.34, 0.185, 0, 360), bow(0.5, 0.71, 0.375, 0.205, 0, 360)],
}


def strokes(lines: list[Line], x: Field, y: Field, stroke: float) -> Mask:
    """Where lines of this thickness (over the box's height) have ink, inside the box; the box is ASPECT wide."""
    near = np.full(x.shape, np.inf)
    for line in lines:
        for (ax, ay), (bx, by) in itertools.pairwise(line):
            dx, dy = (bx - ax) * ASPECT, by - ay
            px, py = (x - ax) * ASPECT, y - ay
            along = np.clip((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-12), 0, 1)
            near = np.minimum(near, (px - along * dx) ** 2 + (py - along * dy) ** 2)
    inside = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
    return inside & (near <= (stroke / 2) ** 2)


SHAPES = Path(__file__).with_name("digit_shapes.png")
DATA = Path(__file__).resolve().parent.parent / "skins" / "data"
SAMPLES = 8  # a side of every pixel

# Colours as R, G, B: as the profiles have them.
BLACK, WHITE, RED = (0, 0, 0), (255, 255, 255), (255, 0, 0)


class Cell:
    """A cell being drawn, in the coordinates of a cell `span` pixels wide; its picture is `size` pixels wide."""

    def __init__(self, size: int, span: float, ground: Colour) -> None:
        self._size = size
        steps = (np.arange(size * SAMPLES) + 0.5) * span / (size * SAMPLES)
        self.x, self.y = np.meshgrid(steps, steps)
        self._rgb = np.empty((*self.x.shape, 3))
        self._rgb[:] = ground

    def fill(self, inside: Mask, colour: Colour) -> None:
        """Paint every sample that is inside."""
        self._rgb[inside] = colour

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour, radius: float = 0.0) -> None:
        """Fill a rectangle with round corners."""
        mid_x, mid_y = (left + right) / 2, (top + bottom) / 2
        over_x = np.maximum(np.abs(self.x - mid_x) - (right - left) / 2 + radius, 0)
        over_y = np.maximum(np.abs(self.y - mid_y) - (bottom - top) / 2 + radius, 0)
        self.fill(over_x**2 + over_y**2 <= max(radius, 1e-9) ** 2, colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Fill a circle."""
        self.fill((self.x - x) ** 2 + (self.y - y) ** 2 <= radius**2, colour)

    def polygon(self, points: list[Point], colour: Colour) -> None:
        """Fill a closed outline (even-odd rule)."""
        inside = np.zeros(self.x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
            if ay != by:
                crosses = (self.y < ay) != (self.y < by)
                inside ^= crosses & (self.x < ax + (self.y - ay) * (bx - ax) / (by - ay))
        self.fill(inside, colour)

    def within(self, left: float, top: float, width: float, height: float) -> tuple[NDArray[np.float64], ...]:
        """Every sample's x and y in the unit box that lies there."""
        return (self.x - left) / width, (self.y - top) / height

    def lines(
        self, lines: list[Line], middle: Point, height: float, ink: Colour, stroke: float, aspect: float = ASPECT
    ) -> None:
        """Draw strokes given in a unit box (`draw_desktop`) of that height and aspect around its middle."""
        width = height * aspect
        x, y = self.within(middle[0] - width / 2, middle[1] - height / 2, width, height)
        self.fill(strokes(lines, x, y, stroke), ink)

    def pixels_bgr(self) -> Picture:
        """The picture: uint8, size x size x 3."""
        mean = self._rgb.reshape(self._size, SAMPLES, self._size, SAMPLES, 3).mean(axis=(1, 3))
        pixels: Picture = np.floor(mean[:, :, ::-1] + 0.5).astype(np.uint8)
        return pixels


QUESTION: list[Line] = [
    [*bow(0.5, 0.26, 0.36, 0.18, 190, 400), (0.5, 0.55), (0.5, 0.68)],
    [(0.5, 0.93), (0.5, 1.1)],
]


# sgt-mines: 20 pixels a cell, and everything in proportion at other sizes.

SGT_PX = 20
SGT_FACE, SGT_OPEN, SGT_LINE = (230, 230, 230), (218, 218, 218), (153, 153, 153)
SGT_TOO_MANY = (255, 153, 153)
"""The field of a number with more flags around than it says."""
SGT_INKS = [(0, 0, 255), (0, 128, 0), RED, (0, 0, 128), (128, 0, 0), (0, 128, 128), BLACK, (128, 128, 128)]
# Middle, height and stroke of a digit: rounding to whole pixels moves it about, from one size of cells to the next.
SGT_TYPE = (
    ((9.85, 9.4), 13.0, 0.212),
    ((9.85, 9.95), 12.7, 0.22),
    ((10.15, 8.95), 13.4, 0.203),
    ((10.15, 9.65), 13.3, 0.212),
    ((9.55, 9.4), 12.4, 0.216),
)
# The corners of a bevel overlap those of its neighbours, in the order they were painted last: top left, top right,
# bottom left and bottom right pixel, in grey.
SGT_CORNERS = (
    (255, 245, 246, 157),
    (254, 245, 246, 157),
    (250, 244, 245, 153),
    (250, 244, 245, 157),
    (250, 245, 246, 157),
    (250, 244, 246, 157),
    (250, 244, 246, 153),
    (250, 245, 246, 153),
    (255, 245, 246, 153),
)


def sgt_closed() -> Cell:
    """A key cap with a bevel of two pixels."""
    cell = Cell(SGT_PX, 20, SGT_LINE)
    cell.fill(cell.x + cell.y < 20.7, WHITE)
    cell.box(2, 2, 18, 18, SGT_FACE)
    return cell


def sgt_corners(cell: Cell, corners: tuple[int, ...]) -> Picture:
    """The picture of a closed cell with these corners, and the bevel's ends as they are rounded there."""
    picture = cell.pixels_bgr()
    for row, col, grey in ((1, 18, 251), (1, 19, 179), (2, 18, 179)):
        picture[row, col] = picture[col, row] = grey
    for (row, col), grey in zip(((0, 0), (0, -1), (-1, 0), (-1, -1)), corners, strict=True):
        picture[row, col] = grey
    return picture


def sgt_opened(ground: Colour = SGT_OPEN) -> Cell:
    """A field with a line above and on the left."""
    cell = Cell(SGT_PX, 20, SGT_LINE)
    cell.box(1, 1, 20, 20, ground)
    return cell


def draw_sgt() -> list[Look]:
    """Every look of sgt-mines: it shows no mine but an exploded one, and no wrong flag."""
    looks = [("0", sgt_opened().pixels_bgr())]
    for number, ink in enumerate(SGT_INKS, 1):
        for ground, (middle, height, stroke) in [*((SGT_OPEN, pen) for pen in SGT_TYPE), (SGT_TOO_MANY, SGT_TYPE[0])]:
            cell = sgt_opened(ground)
            cell.lines(DIGITS[number], middle, height, ink, stroke)
            looks.append((str(number), cell.pixels_bgr()))
    looks += [("closed", sgt_corners(sgt_closed(), corners)) for corners in SGT_CORNERS]
    flag = sgt_closed()
    flag.polygon([(3.8, 6.9), (12.1, 3.7), (12.1, 10.4)], RED)
    flag.box(10.8, 10.2, 12.1, 14.5, BLACK)
    flag.polygon([(5, 16.3), (5, 15.8), (10.8, 13.8), (12.1, 13.8), (16.3, 15.8), (16.3, 16.3)], BLACK)
    exploded = sgt_opened(RED)
    exploded.box(1.3, 8.8, 19.1, 11.7, BLACK)
    exploded.box(8.8, 1.3, 11.7, 19.1, BLACK)
    exploded.disc(10.2, 10.2, 7.1, BLACK)
    exploded.box(7.1, 7.1, 10, 9.2, WHITE)
    return [*looks, ("flag", sgt_corners(flag, SGT_CORNERS[-1])), ("exploded", exploded.pixels_bgr())]


# xdemineur: 21 pixels a cell at any time, the last of them a black line.

XDEMINEUR_PX = 21
XDEMINEUR_FACE, XDEMINEUR_SHADE = (179, 179, 179), (127, 127, 127)
XDEMINEUR_INKS = [
    *[(0, 0, 255), (34, 139, 34), RED, (0, 0, 128)],
    *[(218, 112, 214), (46, 139, 87), (160, 82, 45), (255, 20, 147)],
]


XDEMINEUR_DIGITS: dict[int, list[Line]] = {
    1: [[(0.55, -0.1), (0.55, 1.1)], [(0.1, 0.9), (0.98, 0.9)], [(0.5, 0.08), (0.16, 0.27)]],
    3: [
        [(0.05, 0.1), (0.68, 0.1), (0.86, 0.22), (0.86, 0.36), (0.7, 0.5)],
        [(0.42, 0.5), (0.7, 0.5), (0.86, 0.64), (0.86, 0.76), (0.68, 0.9), (0.05, 0.9)],
    ],
    4: [[(0.34, 0), (0.16, 0.3), (0.16, 0.58)], [(0.05, 0.58), (0.98, 0.58)], [(0.7, -0.1), (0.7, 1.1)]],
}
"""Those that are another shape here."""


def xdemineur_opened(ground: Colour = XDEMINEUR_FACE) -> Cell:
    """A field with a line below and on the right."""
    cell = Cell(XDEMINEUR_PX, 21, BLACK)
    cell.box(0, 0, 20, 20, ground)
    return cell


def xdemineur_closed() -> Cell:
    """A key cap with a hard bevel of three pixels."""
    cell = xdemineur_opened(XDEMINEUR_SHADE)
    for step in range(3):
        cell.box(step, step, 20 - step, step + 1, WHITE)
        cell.box(step, step, step + 1, 20 - step, WHITE)
    cell.box(3, 3, 17, 17, XDEMINEUR_FACE)
    return cell


def xdemineur_mine(cell: Cell) -> None:
    """A ball with four thick and four thin spikes and a glint."""
    cell.box(1, 9, 19, 11, BLACK)
    cell.box(9, 1, 11, 19, BLACK)
    cell.fill((np.abs(np.abs(cell.x - 10) - np.abs(cell.y - 10)) < 0.6) & (np.abs(cell.x - 10) < 7), BLACK)
    cell.disc(10, 10, 7, BLACK)
    cell.box(7, 7, 10, 10, WHITE)


def draw_xdemineur() -> list[Look]:
    """Every look of xdemineur."""
    looks = [("0", xdemineur_opened().pixels_bgr())]
    for number, ink in enumerate(XDEMINEUR_INKS, 1):
        cell = xdemineur_opened()
        cell.lines(XDEMINEUR_DIGITS.get(number, DIGITS[number]), (10, 9.9), 16.0, ink, 0.23)
        looks.append((str(number), cell.pixels_bgr()))
    flag, question = xdemineur_closed(), xdemineur_closed()
    flag.polygon([(4, 7.6), (11, 3.8), (11, 11.4)], RED)
    flag.box(10, 11, 11, 14, BLACK)
    flag.polygon([(5, 16), (5, 15), (9, 13.7), (12, 13.7), (15, 15), (15, 16)], BLACK)
    question.lines(QUESTION, (10, 10), 12.4, BLACK, 0.21)
    mine, exploded, wrong = xdemineur_opened(), xdemineur_opened(RED), xdemineur_opened()
    for cell in (mine, exploded, wrong):
        xdemineur_mine(cell)
    cross = np.minimum(np.abs(wrong.x - wrong.y), np.abs(wrong.x + wrong.y - 20)) < 1.2
    wrong.fill(cross & (np.abs(wrong.x - 10) < 9) & (np.abs(wrong.y - 10) < 9), RED)
    others = {"closed": xdemineur_closed(), "flag": flag, "question": question}
    others |= {"mine": mine, "exploded": exploded, "wrong_flag": wrong}
    return [*looks, *((state, cell.pixels_bgr()) for state, cell in others.items())]


# gnome-mines: any size. Three themes: coloured fields (it starts with these), coloured digits, and neither.

GNOME_PX = 24
GNOME_GROUND = (246, 245, 244)
GNOME_CLOSED, GNOME_DARK, GNOME_LIGHT = (186, 189, 182), (136, 138, 133), (211, 215, 207)
GNOME_OPEN, GNOME_INK, GNOME_RED = (222, 222, 220), (46, 52, 54), (204, 0, 0)
GNOME_FIELDS = [
    *[(221, 250, 195), (236, 237, 191), (237, 218, 180), (237, 195, 138)],
    *[(247, 161, 162), (254, 167, 133), (255, 125, 96), (255, 50, 60)],
]
GNOME_INKS = [
    *[(75, 105, 131), (70, 160, 70), (223, 66, 30), (98, 91, 129)],
    *[(136, 70, 49), (157, 184, 210), (238, 214, 128), WHITE],
]
GNOME_ONE: list[Line] = [[(0.5, -0.2), (0.5, 1.2)], [(0.12, 0.92), (0.98, 0.92)], [(0.45, 0.09), (-0.1, 0.2)]]
GNOME_SIZES = ((20.0, 0.2), (22.5, 0.2), (29.0, 0.19), (42.0, 0.19), (80.0, 0.165))
"""Pixels of a cell, and the stroke of its digit: at other sizes a sign is between two of these."""
GNOME_FLAG_SIZES = (25.0, 34.0, 55.0)
"""More sizes of the plain flag: only a small question mark tells it from a question."""


class GnomeCell(Cell):
    """A tile with its sign's own coordinates: -1 to 1 both ways."""

    def __init__(self, span: float, tile: Colour) -> None:
        super().__init__(GNOME_PX, span, GNOME_GROUND)
        self.box(2, 2, span - 2, span - 2, tile, radius=1.5)
        self._middle = span / 2
        self._half = (0.807 * (span - 4) - 7.5) / 2

    def at(self, x: float, y: float) -> Point:
        """A point of the sign in the cell."""
        return self._middle + x * self._half, self._middle + y * self._half

    def px(self, length: float) -> float:
        """A length of the sign in pixels."""
        return length * self._half

    def outline(self, points: list[Point], colour: Colour) -> None:
        """Fill an outline given in the sign's coordinates."""
        self.polygon([self.at(x, y) for x, y in points], colour)


def gnome_digit(span: float, number: int, tile: Colour, ink: Colour, stroke: float) -> Cell:
    """A field with a digit."""
    cell = GnomeCell(span, tile)
    lines = GNOME_ONE if number == 1 else DIGITS[number]
    cell.lines(lines, cell.at(0, 0), cell.px(1.66), ink, stroke, aspect=0.65)
    return cell


def gnome_plain_flag(span: float, tile: Colour, ink: Colour = GNOME_INK, *, is_question: bool = False) -> Cell:
    """A pennant; with a question mark where it flies out."""
    cell = GnomeCell(span, tile)
    cell.outline([(-0.74, -1), (-0.47, -1), (-0.47, 1), (-0.74, 1)], ink)
    cell.outline([(-0.47, -0.89), (0.8, -0.35), (-0.47, 0.19)], ink)
    if is_question:
        cell.lines(QUESTION, cell.at(0.54, 0.56), cell.px(0.88), GNOME_INK, 0.22)
    return cell


def gnome_plain_mine(span: float, tile: Colour, ink: Colour) -> Cell:
    """A ball with six round spikes."""
    cell = GnomeCell(span, tile)
    cell.disc(*cell.at(0, 0), cell.px(0.65), ink)
    for turn in (30, 90, 150):
        dx, dy = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        cell.outline(
            [(s * dx + t * dy, s * dy - t * dx) for s, t in ((-1, 0.13), (-1, -0.13), (1, -0.13), (1, 0.13))], ink
        )
    return cell


def gnome_cloth_flag(span: float, tile: Colour, *, is_question: bool = False) -> Cell:
    """A square cloth on a leaning pole with a foot; red, or blue with a question mark."""
    cell = GnomeCell(span, tile)
    cell.outline([(0.5, -0.8), (0.72, -0.8), (0.9, 0.6), (0.66, 0.6)], (90, 90, 90))
    cell.outline([(0.07, 0.47), (0.94, 0.47), (0.94, 0.92), (0.07, 0.92)], BLACK)
    cell.outline([(0.15, 0.54), (0.86, 0.54), (0.86, 0.85), (0.15, 0.85)], (120, 120, 120))
    cell.outline([(-0.86, -0.88), (0.05, -0.84), (0.62, -0.9), (0.55, 0.44), (0, 0.32), (-0.86, 0.36)], BLACK)
    cloth = (52, 78, 190) if is_question else (220, 30, 30)
    cell.outline([(-0.79, -0.8), (0.05, -0.76), (0.54, -0.82), (0.48, 0.36), (0, 0.24), (-0.79, 0.28)], cloth)
    if is_question:
        cell.lines(QUESTION, cell.at(-0.16, -0.22), cell.px(0.86), WHITE, 0.2)
    return cell


def gnome_ball_mine(span: float, tile: Colour) -> Cell:
    """A shining ball with eight spikes."""
    cell = GnomeCell(span, tile)
    for turn in range(0, 180, 45):
        dx, dy = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        reach = 0.97 if turn % 90 == 0 else 0.94
        corners = [(s * reach, t * 0.07) for s, t in ((-1, 1), (-1, -1), (1, -1), (1, 1))]
        cell.outline([(s * dx + t * dy, s * dy - t * dx) for s, t in corners], BLACK)
    cell.disc(*cell.at(0, 0), cell.px(0.72), BLACK)
    cell.disc(*cell.at(0, 0), cell.px(0.63), (48, 48, 48))
    cell.disc(*cell.at(-0.14, -0.14), cell.px(0.32), (84, 84, 84))
    return cell


def gnome_star(span: float, tile: Colour) -> Cell:
    """A bang: three stars of nine points in one another, and scraps."""
    cell = GnomeCell(span, tile)
    for colour, far, near in ((BLACK, 0.98, 0.6), ((215, 45, 5), 0.84, 0.53), ((255, 255, 0), 0.66, 0.44)):
        turns = np.radians(np.arange(18) * 20.0)
        cell.outline([(r * np.sin(t), -r * np.cos(t)) for t, r in zip(turns, [far, near] * 9, strict=True)], colour)
    cell.outline([(-0.12, -0.3), (0.12, -0.38), (0.24, -0.15), (0.02, -0.13)], (30, 30, 30))
    cell.outline([(-0.05, 0.08), (0.31, 0.18), (0.25, 0.38), (-0.02, 0.33)], (30, 30, 30))
    cell.outline([(-0.29, -0.26), (-0.26, 0.28), (-0.39, 0.1), (-0.38, -0.05)], (30, 30, 30))
    return cell


def draw_gnome() -> list[Look]:
    """Every look of gnome-mines, sizes and themes one after the other."""
    cells: list[tuple[str, Cell]] = []
    for size, stroke in GNOME_SIZES:
        # A closed cell: as it is; in a lost game; under the pointer. That last one is also an open cell in a lost game.
        cells += [("closed", GnomeCell(size, tile)) for tile in (GNOME_CLOSED, GNOME_DARK, GNOME_LIGHT)]
        cells += [("0", GnomeCell(size, tile)) for tile in (GNOME_OPEN, GNOME_LIGHT)]
        for number in range(1, 9):
            field, ink = GNOME_FIELDS[number - 1], GNOME_INKS[number - 1]
            grounds = [(field, GNOME_INK), *((tile, i) for i in (ink, GNOME_INK) for tile in (GNOME_OPEN, GNOME_LIGHT))]
            cells += [(str(number), gnome_digit(size, number, *colours, stroke)) for colours in grounds]
        for draw in (gnome_plain_flag, gnome_cloth_flag):
            for tile in (GNOME_CLOSED, GNOME_DARK, GNOME_LIGHT):
                cells.append(("flag", draw(size, tile)))
                cells.append(("question", draw(size, tile, is_question=True)))
            cells.append(("wrong_flag", draw(size, GNOME_RED)))
        cells.append(("wrong_flag", gnome_plain_flag(size, GNOME_DARK, GNOME_RED)))
        cells += [("mine", gnome_plain_mine(size, GNOME_DARK, GNOME_INK)), ("mine", gnome_ball_mine(size, GNOME_DARK))]
        cells.append(("exploded", gnome_plain_mine(size, GNOME_LIGHT, GNOME_RED)))
        cells.append(("exploded", gnome_star(size, GNOME_LIGHT)))
    for size in GNOME_FLAG_SIZES:
        for tile in (GNOME_CLOSED, GNOME_DARK):
            cells.append(("flag", gnome_plain_flag(size, tile)))
            cells.append(("question", gnome_plain_flag(size, tile, is_question=True)))
    return [(state, cell.pixels_bgr()) for state, cell in cells]


# Google's game on a page: any size. The colours are those that clones of it name.

GOOGLE_PX = 20
GOOGLE_CLOSED, GOOGLE_OPEN = ((170, 215, 81), (162, 209, 73)), ((229, 194, 159), (215, 184, 153))
GOOGLE_HOVERED = ((191, 225, 125), (185, 221, 119))
GOOGLE_INKS = [
    *[(25, 118, 210), (56, 142, 60), (211, 47, 47), (123, 31, 162)],
    *[(255, 143, 0), (0, 151, 167), (66, 66, 66), (158, 158, 158)],
]
GOOGLE_FLAG, GOOGLE_POLE = (242, 54, 7), (230, 51, 7)
GOOGLE_MINES = [
    *[(219, 50, 54), (244, 132, 13), (244, 194, 13), (0, 135, 68)],
    *[(72, 230, 241), (72, 133, 237), (182, 72, 242), (237, 68, 181)],
]
GOOGLE_SHADE = 0.65
"""Of the disc of a mine, over its field."""


def google_field(colour: Colour) -> Cell:
    """A field, in the coordinates of a cell of 30 pixels."""
    return Cell(GOOGLE_PX, 30, colour)


def google_flag(colour: Colour) -> Cell:
    """A pennant on a pole with a foot."""
    cell = google_field(colour)
    cell.box(9, 5, 11, 24, GOOGLE_POLE)
    cell.box(7, 23, 13, 25, GOOGLE_POLE)
    cell.polygon([(11, 5.5), (22.5, 10.5), (11, 15.5)], GOOGLE_FLAG)
    return cell


def google_mine(colour: Colour) -> Cell:
    """A disc on a field of another colour than any other."""
    cell = google_field(colour)
    red, green, blue = (round(GOOGLE_SHADE * channel) for channel in colour)
    cell.disc(15, 15, 7.5, (red, green, blue))
    return cell


def google_digit(colour: Colour, number: int) -> Cell:
    """A field with a digit."""
    cell = google_field(colour)
    cell.lines(DIGITS[number], (15, 15.3), 16.5, GOOGLE_INKS[number - 1], 0.2)
    return cell


def draw_google() -> list[Look]:
    """Every look of Google's game, the two colours of each after one another."""
    cells = [("closed", google_field(colour)) for colour in GOOGLE_CLOSED + GOOGLE_HOVERED]
    cells += [("0", google_field(colour)) for colour in GOOGLE_OPEN]
    cells += [(str(number), google_digit(colour, number)) for number in range(1, 9) for colour in GOOGLE_OPEN]
    cells += [("flag", google_flag(colour)) for colour in GOOGLE_CLOSED]
    cells += [("mine", google_mine(colour)) for colour in GOOGLE_MINES]
    return [(state, cell.pixels_bgr()) for state, cell in cells]


# minegauler: cells of 16 pixels; a key cap with two shades a side, an open field in a faint frame.

MINEGAULER_PX = 16
MINEGAULER_FACE, MINEGAULER_OPEN = (240, 240, 240), (240, 240, 237)
MINEGAULER_FRAME, MINEGAULER_EDGE = (138, 138, 138), (243, 243, 243)
MINEGAULER_INKS = [
    *[(0, 0, 255), (0, 138, 0), RED, (0, 0, 138)],
    *[(138, 0, 0), (0, 138, 138), BLACK, (128, 128, 128)],
]


def minegauler_closed() -> Cell:
    """A key cap."""
    cell = Cell(MINEGAULER_PX, 16, (105, 105, 105))
    for step, light, shade in ((0, 255, 105), (1, 243, 127), (2, 227, 160)):
        cell.box(step, step, 16 - step, 16 - step, (shade, shade, shade))
        is_upper = cell.x + cell.y < 16
        inside = (np.minimum(cell.x, cell.y) >= step) & (np.maximum(cell.x, cell.y) <= 16 - step)
        cell.fill(inside & is_upper, (light, light, light))
    cell.box(3, 3, 13, 13, MINEGAULER_FACE)
    return cell


def minegauler_opened(ground: Colour = MINEGAULER_OPEN, frame: Colour = MINEGAULER_FRAME) -> Cell:
    """A field in a frame that is darker above and on the left."""
    cell = Cell(MINEGAULER_PX, 16, MINEGAULER_EDGE if ground != RED else RED)
    cell.box(0, 0, 15, 1, frame)
    cell.box(0, 0, 1, 15, frame)
    cell.box(1, 1, 15, 15, ground)
    return cell


def minegauler_mine(ground: Colour = MINEGAULER_OPEN, frame: Colour = MINEGAULER_FRAME) -> Cell:
    """A ball with spikes and a glint."""
    cell = minegauler_opened(ground, frame)
    for turn in range(0, 180, 45):
        dx, dy = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        cell.polygon([(8 + s * 6 * dx - t * dy, 8 + s * 6 * dy + t * dx) for s, t in MINEGAULER_SPIKE], BLACK)
    cell.disc(8, 8, 4.6, (28, 28, 28))
    cell.disc(6.6, 6.4, 1.1, (170, 170, 170))
    return cell


MINEGAULER_SPIKE = ((-1, 0.7), (-1, -0.7), (1, -0.7), (1, 0.7))


def minegauler_flag(*, is_wrong: bool = False) -> Cell:
    """A pennant on a pole; where it is wrong paler, and crossed out."""
    cell = minegauler_closed()
    red, black = ((246, 140, 140), (150, 150, 150)) if is_wrong else ((245, 20, 20), (20, 20, 20))
    cell.box(8.6, 3.4, 9.5, 11.5, (110, 80, 70))
    cell.polygon([(3.6, 5.8), (8.8, 3.2), (8.8, 8.2)], red)
    cell.polygon([(4, 12.8), (4.6, 11.4), (11.2, 11.4), (12, 12.8)], black)
    if is_wrong:
        cross = np.minimum(np.abs(cell.x - cell.y), np.abs(cell.x + cell.y - 16)) < 0.55
        cell.fill(cross & (np.abs(cell.x - 8) < 5.4) & (np.abs(cell.y - 8) < 5.4), (60, 60, 60))
    return cell


def draw_minegauler() -> list[Look]:
    """Every look of minegauler."""
    looks = [("0", minegauler_opened())]
    for number, ink in enumerate(MINEGAULER_INKS, 1):
        cell = minegauler_opened()
        cell.lines(DIGITS[number], (8, 8), 10.4, ink, 0.2)
        looks.append((str(number), cell))
    looks += [("closed", minegauler_closed()), ("flag", minegauler_flag())]
    looks += [("mine", minegauler_mine()), ("exploded", minegauler_mine(RED, (128, 0, 0)))]
    looks.append(("wrong_flag", minegauler_flag(is_wrong=True)))
    return [(state, cell.pixels_bgr()) for state, cell in looks]


# xbomb, its squares: as it starts on the larger levels; cells grow with the window. Closed cells are dots in turn.

XBOMB_PX = 20
XBOMB_DOT, XBOMB_RIGHT = (127, 127, 127), (0, 255, 0)
XBOMB_FLAG, XBOMB_MINE = (255, 165, 0), RED
XBOMB_INKS = [
    *[(0, 0, 128), (0, 100, 0), (139, 0, 0), BLACK],
    *[(64, 224, 208), (255, 165, 0), (238, 130, 238), (144, 238, 144)],
]


def xbomb_field(ground: Colour = WHITE, ring: Colour = BLACK) -> Cell:
    """A field with a line of one pixel around it: green where a player was right, once a game is lost."""
    cell = Cell(XBOMB_PX, 20, ring)
    cell.box(1, 1, 19, 19, ground)
    return cell


def xbomb_closed() -> Cell:
    """A field of dots."""
    cell = xbomb_field()
    is_dot = (np.floor(cell.x) + np.floor(cell.y)) % 2 == 0
    cell.fill(is_dot & (np.minimum(cell.x, cell.y) >= 1) & (np.maximum(cell.x, cell.y) < 19), XBOMB_DOT)
    return cell


def xbomb_flag() -> Cell:
    """A pennant on a hill."""
    cell = xbomb_field(XBOMB_FLAG)
    cell.box(10, 3, 11, 15, BLACK)
    cell.polygon([(11, 3), (16.5, 5.5), (11, 8)], BLACK)
    cell.polygon([(5, 19), (5.5, 16), (8, 14.4), (13, 14.4), (15.5, 16), (16, 19)], BLACK)
    return cell


def xbomb_mine(ring: Colour = BLACK) -> Cell:
    """A bottle with a fuse."""
    cell = xbomb_field(XBOMB_MINE, ring)
    cell.disc(10.2, 14, 4.9, BLACK)
    cell.box(7.5, 7.2, 12.5, 11, BLACK)
    cell.lines([[(0, 1), (0.05, 0.3), (0.4, 0.06), (1, 0)]], (13.2, 4.4), 5, BLACK, 0.3, aspect=1.4)
    return cell


def draw_xbomb() -> list[Look]:
    """Every look of xbomb's squares: of digits, which a font draws, only the ink is known."""
    cells = [("closed", xbomb_closed()), ("0", xbomb_field()), ("0", xbomb_field(ring=XBOMB_RIGHT))]
    for number, ink in enumerate(XBOMB_INKS, 1):
        for ring in (BLACK, XBOMB_RIGHT):
            cell = xbomb_field(ring=ring)
            cell.lines(DIGITS[number], (10.5, 11), 13, ink, 0.12)
            cells.append((str(number), cell))
    cells += [("flag", xbomb_flag()), ("mine", xbomb_mine()), ("mine", xbomb_mine(XBOMB_RIGHT))]
    return [(state, cell.pixels_bgr()) for state, cell in cells]


def above(strip: Picture, other: Picture) -> Picture:
    """One strip of sprites above another: the narrower one ends in black."""
    wide = max(strip.shape[1], other.shape[1])
    return np.vstack([np.pad(one, ((0, 0), (0, wide - one.shape[1]), (0, 0))) for one in (strip, other)])


WITH_SHAPES = {"gnome-mines", "google"}
"""Below their sprites lie the shapes of digits in all fonts (`digit_shapes.py`)."""
SKINS: dict[str, Callable[[], list[Look]]] = {
    "gnome-mines": draw_gnome,
    "google": draw_google,
    "minegauler": draw_minegauler,
    "sgt-mines": draw_sgt,
    "xbomb": draw_xbomb,
    "xdemineur": draw_xdemineur,
}


def main() -> int:
    """Draw every sprite strip, or check what is there."""
    parser = argparse.ArgumentParser(description="Draw the skins of desktop clones, and google.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a picture is out of date")
    check = parser.parse_args().check
    n_old = 0
    for name, draw in SKINS.items():
        looks = draw()
        strip, file = np.hstack([picture for _, picture in looks]), DATA / name / "sprites.png"
        if name in WITH_SHAPES:
            shapes = cv2.imread(str(SHAPES))
            assert shapes is not None, f"{SHAPES} lies beside this script"
            strip = above(strip, np.asarray(shapes, dtype=np.uint8))
        if check:
            on_disk = cv2.imread(str(file))
            # Another machine's cosine may move a few samples of 64 across an edge.
            is_same = (
                on_disk is not None and on_disk.shape == strip.shape and cv2.norm(on_disk, strip, cv2.NORM_INF) <= 8
            )
            n_old += not is_same
            print(f"{name}: {'up to date' if is_same else 'OUT OF DATE'}")
        else:
            file.parent.mkdir(exist_ok=True)
            cv2.imwrite(str(file), strip, [cv2.IMWRITE_PNG_COMPRESSION, 9])
            print(f"{name}: {len(looks)} sprites; states = {[state for state, _ in looks]}")
    return 1 if n_old else 0


if __name__ == "__main__":
    sys.exit(main())
