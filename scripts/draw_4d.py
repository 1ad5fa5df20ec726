"""Draws the sprites of the skin `4d`, our own pictures in the manner of 4D Minesweeper.

    python scripts/draw_4d.py            writes the picture
    python scripts/draw_4d.py --check    writes nothing; exit 1 when the picture on disk is another

Cells are 28 pixels a side. Of the game's own cells all but the outermost two to three pixels are known, and shapes are
given in pixels of a whole cell. Numbers are not here: the reader makes them of the ten digits and the tints.
"""

from __future__ import annotations

import argparse
import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from draw_skins import Canvas

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Point = tuple[float, float]

PICTURE = Path(__file__).resolve().parent.parent / "skins" / "data" / "4d" / "sprites.png"
CELL_PX = 28
ADVANCE_PX = 15
_SIDES = 32
_ROUND, _OBLONG = 2.3, 2.6
"""Powers of the curves of bowls: 2 makes ellipses, more makes them squarer."""

WHITE, DIMMED, CLOSED, GREEN, RED, BLACK = "#FFFFFF", "#808080", "#999999", "#00FF00", "#FF0000", "#000000"


def main(arguments: Sequence[str]) -> int:
    """Write the sprites, or compare them with those on disk."""
    parser = argparse.ArgumentParser(prog="draw_4d.py", description="Draws the sprites of the skin 4d.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the picture is another")
    args = parser.parse_args(arguments)
    drawn = draw()
    if args.check:
        on_disk = cv2.imread(str(PICTURE))
        is_same = on_disk is not None and np.array_equal(on_disk, drawn)
        print(f"{PICTURE.name}: {'the same' if is_same else 'another'}")
        return 0 if is_same else 1
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(PICTURE), drawn)
    return 0


def draw() -> NDArray[np.uint8]:
    """The picture: a row of cells, below it a row of digits; uint8, H x W x 3, BGR."""
    signs: list[tuple[str, Callable[[Canvas], None]]] = [
        (WHITE, _nothing),
        (DIMMED, _nothing),
        (CLOSED, _nothing),
        (WHITE, partial(_flag, pole="#606060")),
        (GREEN, partial(_flag, pole="#006000")),
        (DIMMED, _bomb),
        (RED, _bomb),
        (RED, partial(_flag, pole="#600000")),
    ]
    cells = np.hstack([_cell(ground, sign) for ground, sign in signs])
    digits = np.hstack([_digit(number) for number in range(10)])
    width = max(cells.shape[1], digits.shape[1])
    return np.vstack([np.pad(row, ((0, 0), (0, width - row.shape[1]), (0, 0))) for row in (cells, digits)])


def _cell(ground: str, sign: Callable[[Canvas], None]) -> NDArray[np.uint8]:
    canvas = Canvas(CELL_PX, CELL_PX, ground)
    sign(canvas)
    return canvas.pixels_bgr()


def _nothing(_canvas: Canvas) -> None:
    """A bare cell has no sign."""


def _flag(canvas: Canvas, pole: str) -> None:
    """A pennant on a pole."""
    canvas.box(4, 0, 5.7, 28, pole)
    pennant = [(5.3, 2.8), (22.0, 8.4), (5.3, 13.8)]
    canvas.polygon(pennant, RED)
    canvas.strokes([[pennant[0], pennant[1], pennant[2]]], 1.2, BLACK)


def _bomb(canvas: Canvas) -> None:
    """A round bomb, its fuse burning."""
    canvas.strokes([[(15.5, 15.5), (20.0, 11.0)]], 1.8, "#C8B450")
    spikes = [_around(21.4, 7.4, 7.0 if n % 2 else 3.2, 22.5 * n + 8) for n in range(16)]
    canvas.polygon(spikes, "#FFA500")
    canvas.disc(21.4, 7.4, 3.0, "#FFFF00")
    canvas.disc(9.2, 18.8, 8.2, BLACK)
    canvas.strokes([[(5.6, 15.8), (7.2, 14.6)]], 3.4, "#5C5C5C")


def _around(x: float, y: float, radius: float, degrees: float) -> Point:
    turn = math.radians(degrees)
    return x + radius * math.cos(turn), y + radius * math.sin(turn)


def _digit(number: int) -> NDArray[np.uint8]:
    canvas = Canvas(ADVANCE_PX, CELL_PX, WHITE)
    for outline in DIGITS[number]:
        canvas.polygon(outline, BLACK)
    return canvas.pixels_bgr()


def _bow(middle: Point, outer: Point, inner: Point, start: float, end: float, power: float = _ROUND) -> list[Point]:
    """Part of a ring between two curves, their radii (x, y); degrees clockwise from the right."""
    turns = [math.radians(start + (end - start) * n / _SIDES) for n in range(_SIDES + 1)]
    there = [_on(middle, outer, turn, power) for turn in turns]
    return there + [_on(middle, inner, turn, power) for turn in reversed(turns)]


def _on(middle: Point, radii: Point, turn: float, power: float) -> Point:
    along, down = (math.copysign(abs(part) ** (2 / power), part) for part in (math.cos(turn), math.sin(turn)))
    return middle[0] + radii[0] * along, middle[1] + radii[1] * down


def _box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


DIGITS: dict[int, list[list[Point]]] = {
    0: [_bow((7.4, 14.5), (5.85, 7.55), (2.75, 5.4), 0, 360, _OBLONG)],
    1: [
        _box(6.5, 7, 9.55, 22),
        _box(2.1, 19.9, 12.4, 22),
        [(2.1, 8.0), (7.5, 7.0), (8.5, 7.0), (8.5, 9.2), (2.1, 9.9)],
    ],
    2: [
        _bow((7.25, 11.4), (5.45, 4.45), (2.4, 2.4), 176, 360),
        [(9.65, 11.2), (12.7, 11.2), (12.5, 13.0), (11.6, 14.8), (5.4, 20.6), (2.4, 20.0), (8.3, 14.6), (9.5, 12.7)],
        _box(2.4, 19.9, 12.5, 22),
    ],
    3: [
        _bow((7.25, 10.9), (5.45, 3.95), (2.4, 2.1), 170, 450),
        _bow((7.3, 17.5), (5.55, 4.55), (2.5, 2.45), 270, 540),
        _box(6.1, 13.0, 7.6, 15.0),
    ],
    4: [
        _box(8.6, 13, 11.05, 22),
        _box(0.75, 16.5, 13.3, 19),
        [(6.35, 7), (9.45, 7), (5.05, 16.6), (1.75, 16.6)],
    ],
    5: [
        _box(3.3, 7, 12, 9.1),
        [(3.3, 7), (6.1, 7), (5.35, 13.2), (4.7, 14.6), (2.5, 14.0)],
        _bow((7.3, 16.95), (5.8, 5.05), (2.8, 2.95), 228, 500),
    ],
    6: [
        _bow((7.65, 16.95), (5.45, 5.05), (2.55, 2.95), 0, 360),
        [(6.5, 7), (9.75, 7), (5.6, 13.4), (3.0, 16.0), (2.4, 15.0), (3.4, 12.4)],
    ],
    7: [
        _box(2.35, 7, 12.6, 9.05),
        [(9.2, 9), (12.6, 7), (12.6, 8.6), (6.95, 22), (3.65, 22)],
    ],
    8: [
        _bow((7.25, 10.65), (5.25, 3.65), (2.35, 1.75), 0, 360, 2.0),
        _bow((7.3, 17.55), (5.55, 4.5), (2.65, 2.3), 0, 360, 2.0),
    ],
    9: [
        _bow((7.3, 11.5), (5.45, 4.5), (2.4, 2.45), 0, 360),
        [(8.6, 15.6), (10.2, 13.0), (12.75, 11.8), (12.6, 14.5), (8.4, 22), (5.1, 22)],
    ],
}
"""Outlines, in a box 15 pixels wide and as high as a cell."""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
