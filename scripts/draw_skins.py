"""Draws this project's own art: the skin `minebot` and the built-in game's face and counter.

    python scripts/draw_skins.py            writes the pictures
    python scripts/draw_skins.py --check    writes nothing; exit 1 when a picture on disk is another

Every shape is a set of strokes and outlines in a sprite's own pixel coordinates. A pixel's colour is the mean of 8 x 8
samples of it, so edges are smooth and the output is the same wherever it is drawn. No font, no picture from elsewhere.
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
    from collections.abc import Sequence

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.game.art import crossed  # noqa: E402 - run by path: the packages are found only after the line above
from skins.profile_read import load_skin  # noqa: E402 - the same

Point = tuple[float, float]
Line = list[Point]

SAMPLES = 8  # a side; 64 levels of coverage are finer than an eye sees at this size
CELL_PX = 24
FACE_PX = 40
DIGIT_PX = (16, 28)
STATES = [*map(str, range(9)), "closed", "flag", "question", "mine", "exploded", "wrong_flag"]
CROSSED = "closed"  # last of all: a closed cell with the cross of a hint, as the game puts it on any skin
FACES = ["happy", "worried", "cool", "dead", "happy_pressed"]

CLOSED = "#7A86C2"
CLOSED_LIGHT = "#A3ADDD"
CLOSED_DARK = "#55609B"
OPEN = "#F1F2F7"
OPEN_LINE = "#CDD1E2"
EXPLODED = "#F0795F"
INK = "#272B40"
FLAG = "#FF8A3D"
WINDOW = "#2E3247"
BUTTON = "#4A5070"
BUTTON_LIGHT = "#656C92"
BUTTON_PRESSED = "#3A3F5A"
SKIN = "#FFD166"
LED = "#FFC857"
LED_OFF = "#343850"
LED_PANEL = "#1D2030"

# Dark enough for the pale ground; blue, green, red, purple, brown and cyan also differ in lightness or in both
# blue-yellow and red-green terms, so no two neighbours in value look alike to a colour-blind eye.
DIGIT_INKS = ["#1F5FC4", "#0F7A43", "#CB3B1E", "#5A2A93", "#8F4A00", "#00788F", "#20242F", "#7B8290"]


class Canvas:
    """A sprite being drawn, `SAMPLES` times too large on either side."""

    def __init__(self, width: int, height: int, ground: str) -> None:
        self._size = (height, width)
        steps_x = (np.arange(width * SAMPLES) + 0.5) / SAMPLES
        steps_y = (np.arange(height * SAMPLES) + 0.5) / SAMPLES
        self._x, self._y = np.meshgrid(steps_x, steps_y)
        self._rgb = np.empty((*self._x.shape, 3))
        self._rgb[:] = _rgb(ground)

    def fill(self, inside: NDArray[np.bool_], colour: str) -> None:
        """Paint every sample that is inside."""
        self._rgb[inside] = _rgb(colour)

    def box(self, left: float, top: float, right: float, bottom: float, colour: str, radius: float = 0.0) -> None:
        """Fill a rectangle with round corners."""
        mid_x, mid_y = (left + right) / 2, (top + bottom) / 2
        over_x = np.maximum(np.abs(self._x - mid_x) - (right - left) / 2 + radius, 0)
        over_y = np.maximum(np.abs(self._y - mid_y) - (bottom - top) / 2 + radius, 0)
        self.fill(over_x**2 + over_y**2 <= max(radius, 1e-9) ** 2, colour)

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """Fill a circle."""
        self.fill((self._x - x) ** 2 + (self._y - y) ** 2 <= radius**2, colour)

    def polygon(self, points: Line, colour: str) -> None:
        """Fill a closed outline (even-odd rule)."""
        inside = np.zeros(self._x.shape, dtype=np.bool_)
        for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
            if ay != by:
                crosses = (self._y < ay) != (self._y < by)
                inside ^= crosses & (self._x < ax + (self._y - ay) * (bx - ax) / (by - ay))
        self.fill(inside, colour)

    def strokes(self, lines: Sequence[Line], width: float, colour: str) -> None:
        """Draw lines of one width with round ends and corners."""
        near = np.full(self._x.shape, np.inf)
        for line in lines:
            for a, b in itertools.pairwise(line):
                near = np.minimum(near, self._distance(a, b))
        self.fill(near <= (width / 2) ** 2, colour)

    def _distance(self, a: Point, b: Point) -> NDArray[np.float64]:
        """The square of every sample's distance from a straight piece."""
        (ax, ay), (bx, by) = a, b
        dx, dy = bx - ax, by - ay
        along = ((self._x - ax) * dx + (self._y - ay) * dy) / max(dx * dx + dy * dy, 1e-12)
        along = np.clip(along, 0, 1)
        squares: NDArray[np.float64] = (self._x - ax - along * dx) ** 2 + (self._y - ay - along * dy) ** 2
        return squares

    def pixels_bgr(self) -> NDArray[np.uint8]:
        """The sprite: uint8, height x width x 3."""
        height, width = self._size
        mean = self._rgb.reshape(height, SAMPLES, width, SAMPLES, 3).mean(axis=(1, 3))
        pixels: NDArray[np.uint8] = np.floor(mean[:, :, ::-1] + 0.5).astype(np.uint8)
        return pixels


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def arc(x: float, y: float, rx: float, ry: float, start: float, end: float) -> Line:
    """Part of an ellipse; degrees clockwise from the right, as y grows downwards."""
    steps = [math.radians(start + (end - start) * i / 24) for i in range(25)]
    return [(x + rx * math.cos(t), y + ry * math.sin(t)) for t in steps]


def bend(a: Point, via: Point, b: Point) -> Line:
    """A quadratic curve from `a` to `b`."""
    curve = []
    for i in range(17):
        t = i / 16
        p, q, r = (1 - t) ** 2, 2 * t * (1 - t), t * t
        curve.append((p * a[0] + q * via[0] + r * b[0], p * a[1] + q * via[1] + r * b[1]))
    return curve


DIGITS: list[list[Line]] = [
    [[(8.9, 8.6), (12.4, 5.7), (12.4, 18.3)], [(8.9, 18.3), (15.9, 18.3)]],
    [[*arc(12, 9.5, 3.9, 3.8, 195, 395), (8.1, 18.3), (16.2, 18.3)]],
    [arc(11.6, 8.8, 3.7, 3.1, 205, 450), arc(11.6, 15.1, 4.2, 3.2, 270, 515)],
    [[(14.2, 18.4), (14.2, 5.7), (7.6, 14.6), (16.9, 14.6)]],
    [[(15.5, 5.7), (9.1, 5.7), (8.6, 11.4), *arc(11.7, 14.3, 4.2, 4.0, 228, 512)]],
    [bend((14.8, 5.7), (8.6, 8.4), (7.9, 14.2)), arc(12, 14.3, 4.1, 4.0, 0, 360)],
    [[(7.9, 5.7), (16.1, 5.7), (10.9, 18.4)]],
    [arc(12, 8.8, 3.5, 3.1, 0, 360), arc(12, 15.1, 4.2, 3.2, 0, 360)],
]


def open_cell(ground: str = OPEN) -> Canvas:
    """An open cell: flat, with one thin line right and below, so that neighbours share it."""
    canvas = Canvas(CELL_PX, CELL_PX, OPEN_LINE)
    canvas.box(0, 0, CELL_PX - 1, CELL_PX - 1, ground)
    return canvas


def closed_cell() -> Canvas:
    """A closed cell: a key cap with a light upper and a dark lower edge, flat in between."""
    canvas = Canvas(CELL_PX, CELL_PX, CLOSED_DARK)
    canvas.box(0.5, 0.5, 23, 22.5, CLOSED_LIGHT, radius=3.5)
    canvas.box(1, 1.8, 22.6, 22.5, CLOSED, radius=3)
    return canvas


def draw_flag(canvas: Canvas, cloth: str = FLAG, pole: str = INK) -> None:
    """A swallow-tailed pennant on a pole."""
    canvas.strokes([[(8.6, 19), (14, 19)]], 2.2, pole)
    canvas.polygon([(9.8, 4.8), (18.6, 5.6), (16, 9), (18.6, 12.6), (9.8, 13.4)], cloth)
    canvas.strokes([[(9.6, 5), (9.6, 19)]], 2.0, pole)


def draw_mine(canvas: Canvas) -> None:
    """A round body with eight studs and a glint."""
    for turn in range(8):
        angle = math.radians(turn * 45)
        dx, dy = math.cos(angle), math.sin(angle)
        reach = 7.6 if turn % 2 == 0 else 7.0
        canvas.strokes([[(11.5, 11.5), (11.5 + reach * dx, 11.5 + reach * dy)]], 2.2, INK)
    canvas.disc(11.5, 11.5, 5.6, INK)
    canvas.disc(9.7, 9.7, 1.5, "#C9CFEA")


def draw_cell(state: str) -> Canvas:
    """One cell state."""
    canvas = {"closed": closed_cell, "flag": closed_cell, "question": closed_cell}.get(state, open_cell)()
    if state == "exploded":
        canvas = open_cell(EXPLODED)
    if state in {"mine", "exploded"}:
        draw_mine(canvas)
    elif state == "flag":
        draw_flag(canvas)
    elif state == "wrong_flag":
        draw_flag(canvas, cloth="#FFC08F", pole="#8E94AE")
        canvas.strokes([[(4.5, 4.5), (18.5, 18.5)], [(18.5, 4.5), (4.5, 18.5)]], 2.4, "#B3125A")
    elif state == "question":
        curve = [*arc(12, 8.9, 3.8, 3.5, 195, 400), *bend((14.4, 11.4), (12, 13), (12, 14.8))]
        canvas.strokes([curve, [(12, 18.6), (12, 18.7)]], 2.5, OPEN)
    elif state.isdecimal() and state != "0":
        digit = [[(x - 0.5, y - 0.5) for x, y in line] for line in DIGITS[int(state) - 1]]
        canvas.strokes(digit, 2.5, DIGIT_INKS[int(state) - 1])
    elif state not in {"0", "closed"}:
        raise ValueError(f"expected a cell state, got {state!r}")
    return canvas


def draw_face(mood: str) -> Canvas:
    """The button that starts a new game, in one mood."""
    pressed = mood.endswith("_pressed")
    canvas = Canvas(FACE_PX, FACE_PX, WINDOW)
    canvas.box(0, 0, 40, 40, BUTTON_PRESSED if pressed else BUTTON_LIGHT, radius=10)
    canvas.box(0.5, 1.5, 39.5, 39.5, BUTTON_PRESSED if pressed else BUTTON, radius=9)
    canvas.disc(20, 20, 14, "#E0A93A")
    canvas.disc(20, 19.4, 13.4, SKIN)
    draw_mood(canvas, mood.removesuffix("_pressed"))
    return canvas


def draw_mood(canvas: Canvas, mood: str) -> None:
    """Eyes and mouth."""
    if mood == "happy":
        canvas.disc(15, 16.5, 1.9, INK)
        canvas.disc(25, 16.5, 1.9, INK)
        canvas.strokes([arc(20, 20, 7, 6, 25, 155)], 2.1, INK)
    elif mood == "worried":
        for x in (15, 25):
            canvas.disc(x, 16.5, 3.4, "#FFFFFF")
            canvas.disc(x, 17.2, 1.8, INK)
        canvas.disc(20, 26, 2.8, INK)
    elif mood == "cool":
        canvas.strokes([[(8, 15), (32, 15)]], 1.8, INK)
        canvas.polygon([(10, 14.5), (19, 14.5), (18, 20), (15.5, 21.2), (12, 20.4)], INK)
        canvas.polygon([(30, 14.5), (21, 14.5), (22, 20), (24.5, 21.2), (28, 20.4)], INK)
        canvas.strokes([[(13, 16.3), (15, 16.3)], [(24, 16.3), (26, 16.3)]], 1.0, "#8F97C4")
        canvas.strokes([arc(20.5, 21.5, 6.5, 5.5, 15, 140)], 2.1, INK)
    elif mood == "dead":
        for x in (15, 25):
            canvas.strokes([[(x - 2.2, 14.3), (x + 2.2, 18.7)], [(x + 2.2, 14.3), (x - 2.2, 18.7)]], 1.9, INK)
        canvas.strokes([arc(20, 29, 6, 5, 205, 335)], 2.1, INK)
    else:
        raise ValueError(f"expected a mood, got {mood!r}")


SEGMENTS: dict[str, Line] = {
    "a": [(4.6, 4.5), (11.4, 4.5)],
    "b": [(12.5, 5.8), (12.5, 12.7)],
    "c": [(12.5, 15.3), (12.5, 22.2)],
    "d": [(4.6, 23.5), (11.4, 23.5)],
    "e": [(3.5, 15.3), (3.5, 22.2)],
    "f": [(3.5, 5.8), (3.5, 12.7)],
    "g": [(4.6, 14), (11.4, 14)],
}
LIT = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg", "g", ""]
"""The segments of 0 to 9, minus and blank."""


def draw_counter_digit(lit: str) -> Canvas:
    """One place of the mine counter or the timer."""
    canvas = Canvas(*DIGIT_PX, LED_PANEL)
    canvas.strokes(list(SEGMENTS.values()), 2.2, LED_OFF)
    canvas.strokes([SEGMENTS[name] for name in lit], 2.2, LED)
    return canvas


def row(sprites: Sequence[Canvas]) -> NDArray[np.uint8]:
    """Sprites side by side."""
    return np.hstack([sprite.pixels_bgr() for sprite in sprites])


def below(upper: NDArray[np.uint8], lower: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """One row of sprites above a shorter one."""
    return np.vstack([upper, np.pad(lower, ((0, 0), (0, upper.shape[1] - lower.shape[1]), (0, 0)))])


def check_skin(folder: Path) -> None:
    """Check that the hand-written profile fits the sprites.

    Raises:
        SkinError: the profile is broken.
        ValueError: it loads, but says something else than the sprites show.
    """
    skin = load_skin(folder)
    states = [look.state for look in skin.looks]
    if states != [*STATES, CROSSED]:
        raise ValueError(f"{folder}: expected the states {[*STATES, CROSSED]}, got {states}")
    closed = skin.looks_of("closed")[0].pixels_bgr.reshape(-1, 3)
    colours, counts = np.unique(closed, axis=0, return_counts=True)
    majority = tuple(int(channel) for channel in colours[counts.argmax()])
    if majority != skin.closed_bgr or counts.max() * 2 < counts.sum():
        raise ValueError(f"{folder}: expected closed_rgb {majority[::-1]}, got {skin.closed_bgr[::-1]}")


def main() -> int:
    """Draw everything, or check what is there."""
    parser = argparse.ArgumentParser(description="Draw the skin minebot and the built-in game's art.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a picture is out of date")
    check = parser.parse_args().check
    skin_folder = ROOT / "skins" / "data" / "minebot"
    art_folder = ROOT / "bot" / "game" / "art"
    digits = row([draw_counter_digit(lit) for lit in LIT])
    cells = np.hstack([row([draw_cell(state) for state in STATES]), crossed(draw_cell(CROSSED).pixels_bgr())])
    pictures = {
        skin_folder / "sprites.png": below(cells, digits),
        art_folder / "faces.png": row([draw_face(mood) for mood in FACES]),
        art_folder / "digits.png": digits,
    }
    n_old = 0
    for file, picture in pictures.items():
        if check:
            on_disk = cv2.imread(str(file))
            # Another machine's cosine may move one sample of 64 across an edge: 4 of 255.
            is_same = on_disk is not None and on_disk.shape == picture.shape and cv2.norm(on_disk, picture, 1) <= 4
            n_old += not is_same
            print(f"{file.relative_to(ROOT)}: {'up to date' if is_same else 'OUT OF DATE'}")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(file), picture)
            print(f"{file.relative_to(ROOT)}: {picture.shape[1]} x {picture.shape[0]}")
    check_skin(skin_folder)
    return 1 if n_old else 0


if __name__ == "__main__":
    sys.exit(main())
