"""Draw the templates of clones whose own art is not ours to ship.

The geometry and colours of a cell (bevel, grid line, ink) are measurements of the real clones; the shapes of digits,
flags and mines are drawn here by rule, in our own hand: near enough for tolerant matching. The exact pixels of the
real clones are known to the profiles only as fingerprints.

    python -m scripts.draw_lookalikes                      draw skins/data/<skin>/sprites.png anew
    python -m scripts.draw_lookalikes classic SHEET.bmp    print the fingerprints of a real sprite sheet, and how far
                                                           our drawings are from it

The sheet is one in the Minesweeper X format: digits in the first row of cells, then closed, open, mine, flag, wrong
flag, exploded, question.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from skins import fingerprint, load_shipped_skin

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Colour = tuple[int, int, int]

CELL = 16
DATA = Path(__file__).resolve().parent.parent / "skins" / "data"
STATES = [*"012345678", "closed", "flag", "question", "mine", "exploded", "wrong_flag"]
SHEET_ROW_2 = ["closed", "", "mine", "flag", "wrong_flag", "exploded", "question"]

# Colours as B, G, R: the order of every picture in the project.
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
GREY, SILVER = (128, 128, 128), (192, 192, 192)
RED, DARK_RED, BLUE, NAVY = (0, 0, 255), (0, 0, 128), (255, 0, 0), (128, 0, 0)
GREEN, DARK_GREEN, TEAL, PURPLE = (0, 255, 0), (0, 128, 0), (128, 128, 0), (128, 0, 128)
CYAN, YELLOW, MAGENTA = (255, 255, 0), (0, 255, 255), (255, 0, 255)

CLASSIC_INKS = [BLUE, DARK_GREEN, RED, NAVY, DARK_RED, TEAL, BLACK, GREY]
CLASSIC_98_INKS = [BLUE, DARK_GREEN, RED, NAVY, DARK_RED, TEAL, PURPLE, BLACK]
WINEMINE_INKS = [GREEN, WHITE, CYAN, YELLOW, BLUE, MAGENTA, RED, SILVER]

# The seven bars of a digit that each number lights: top, middle, bottom; upper and lower, left and right.
BARS = {
    2: ("top", "upper right", "middle", "lower left", "bottom"),
    3: ("top", "upper right", "middle", "lower right", "bottom"),
    4: ("upper left", "upper right", "middle", "lower right"),
    5: ("top", "upper left", "middle", "lower right", "bottom"),
    6: ("top", "upper left", "middle", "lower left", "lower right", "bottom"),
    7: ("top", "upper right", "lower right"),
    8: ("top", "upper left", "upper right", "middle", "lower left", "lower right", "bottom"),
}


@dataclass(frozen=True)
class Style:
    """How one family of cells is drawn: bases, inks and the weight of its strokes, in pixels."""

    closed: Callable[[], Picture]
    opened: Callable[[int], Picture]
    mine_base: Callable[[], Picture]
    exploded: Colour
    inks: list[Colour]
    left: int
    right: int
    upright: int
    level: int
    mine_radius: float
    question: Colour


def _flat(colour: Colour) -> Picture:
    return np.full((CELL, CELL, 3), colour, dtype=np.uint8)


def _classic_closed() -> Picture:
    cell = _flat(SILVER)
    for i in range(2):
        cell[i, : CELL - i] = cell[: CELL - i, i] = WHITE
        cell[CELL - 1 - i, i + 1 :] = cell[i + 1 :, CELL - 1 - i] = GREY
        cell[CELL - 1 - i, i] = cell[i, CELL - 1 - i] = SILVER
    return cell


def _classic_opened(_number: int = 0) -> Picture:
    cell = _flat(SILVER)
    cell[0] = cell[:, 0] = GREY
    return cell


def _classic_98_closed() -> Picture:
    cell = _flat(SILVER)
    cell[14, 1:] = cell[1:, 14] = GREY
    cell[0] = cell[:, 0] = WHITE
    cell[15] = cell[:, 15] = BLACK
    return cell


def _classic_98_opened(_number: int = 0) -> Picture:
    cell = _flat(SILVER)
    cell[15, 1::2] = cell[1::2, 15] = BLACK
    return cell


def _winemine_closed() -> Picture:
    cell = _flat(DARK_GREEN)
    cell[14, 1:] = cell[1:, 14] = NAVY
    cell[0] = cell[:, 0] = GREEN
    cell[15] = cell[:, 15] = BLACK
    return cell


def _winemine_opened(number: int = 0) -> Picture:
    cell = _flat(BLACK)
    if number == 0:
        cell[15] = cell[:, 15] = WHITE
    else:
        cell[15, ::2] = cell[::2, 15] = SILVER
    return cell


STYLES = {
    "classic": Style(_classic_closed, _classic_opened, _classic_opened, RED, CLASSIC_INKS, 3, 12, 3, 2, 4.6, BLACK),
    "classic-98": Style(
        _classic_98_closed, _classic_98_opened, _classic_98_opened, RED, CLASSIC_98_INKS, 4, 10, 2, 1, 3.4, BLUE
    ),
    "winemine": Style(
        _winemine_closed, _winemine_opened, lambda: _flat(DARK_GREEN), RED, WINEMINE_INKS, 4, 10, 1, 1, 3.4, CYAN
    ),
}


def _draw_digit(cell: Picture, number: int, style: Style) -> None:
    ink, bottom = style.inks[number - 1], 12 if style.level == 2 else 11
    top, left, right = 3, style.left, style.right
    if number == 1:
        stem = 8 - style.upright // 2
        cell[top:bottom, stem : stem + style.upright] = ink
        cell[bottom - style.level + 1 : bottom + 1, stem - 2 : stem + style.upright + 2] = ink
        cell[top + 1 : top + 3, stem - 1 : stem] = ink
        return
    waist = (top + bottom - style.level + 1) // 2
    rows = {"upper": slice(top, waist + 1), "lower": slice(waist, bottom + 1)}
    cols = {"left": slice(left, left + style.upright), "right": slice(right - style.upright + 1, right + 1)}
    levels = {"top": top, "middle": waist, "bottom": bottom - style.level + 1}
    for bar in BARS[number]:
        if bar in levels:
            cell[levels[bar] : levels[bar] + style.level, left : right + 1] = ink
        else:
            half, side = bar.split()
            cell[rows[half], cols[side]] = ink


def _draw_mine(cell: Picture, radius: float, middle: float = 7.5) -> None:
    y, x = np.mgrid[:CELL, :CELL]
    across, down = np.abs(x - middle), np.abs(y - middle)
    away = np.hypot(across, down)
    spikes = ((across < 0.6) | (down < 0.6) | (np.abs(across - down) < 0.4)) & (away < radius + 2)
    cell[(away <= radius) | spikes] = BLACK
    cell[5:7, 5:7] = WHITE


def _draw_flag(cell: Picture) -> None:
    for i in range(5):
        cell[3 + i, 4 + abs(2 - i) : 9] = RED
    cell[3:12, 8] = BLACK
    cell[11:13, 5:12] = BLACK


def _draw_question(cell: Picture, ink: Colour) -> None:
    cell[3, 6:10] = ink
    cell[4:7, 9:11] = ink
    cell[4:6, 5:7] = ink
    cell[7:10, 7:9] = ink
    cell[11:13, 7:9] = ink


def _draw_cross(cell: Picture) -> None:
    for i in range(3, 14):
        cell[i, i - 1 : i + 1] = cell[i, 15 - i : 17 - i] = RED


def draw(style: Style, state: str) -> Picture:
    """Draw one cell: uint8, 16 x 16 x 3, B, G, R."""
    if state.isdecimal():
        cell = style.opened(int(state))
        if state != "0":
            _draw_digit(cell, int(state), style)
        return cell
    if state in ("closed", "flag", "question"):
        cell = style.closed()
        if state == "flag":
            _draw_flag(cell)
        elif state == "question":
            _draw_question(cell, style.question)
        return cell
    cell = style.mine_base()
    if state == "exploded":
        cell[(cell == cell[8, 8]).all(axis=2)] = style.exploded
    _draw_mine(cell, style.mine_radius)
    if state == "wrong_flag":
        _draw_cross(cell)
    return cell


@dataclass(frozen=True)
class Led:
    """How one family of counters is drawn: bars that taper at both ends, lit or not, on black."""

    lit: Colour
    unlit: Colour
    is_dotted: bool
    weight: int
    gap: int


LED_PX = (11, 21)
LED_BARS = "abcdefg"
LED_DIGITS = {
    "0": "abcdef",
    "1": "bc",
    "2": "abdeg",
    "3": "abcdg",
    "4": "bcfg",
    "5": "acdfg",
    "6": "acdefg",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
    "-": "g",
}
LEDS = {
    "classic": Led(RED, DARK_RED, is_dotted=True, weight=3, gap=0),
    "classic-98": Led(RED, DARK_RED, is_dotted=True, weight=3, gap=0),
    "winemine": Led(GREEN, (0, 46, 0), is_dotted=False, weight=2, gap=1),
}


def _bar_pixels(bar: str, led: Led) -> list[tuple[int, int]]:
    """(y, x) of one bar: a, d, g are top, bottom and middle; b, c right, e, f left, as they are commonly lettered."""
    width, height = LED_PX
    last, waist = width - 1, height // 2
    if bar == "g":
        tips = range(-1, 2)
        return [(waist + i, x) for i in tips for x in range(1 + led.gap + abs(i), width - 1 - led.gap - abs(i))]
    if bar in "ad":
        top = [(i, x) for i in range(led.weight) for x in range(1 + i, width - 1 - i)]
        return top if bar == "a" else [(height - 1 - y, x) for y, x in top]
    left = [(y, i) for i in range(led.weight) for y in range(1 + led.gap + i, waist - i)]
    if bar in "bc":
        left = [(y, last - x) for y, x in left]
    return left if bar in "bf" else [(height - 1 - y, x) for y, x in left]


def draw_led(led: Led, digit: str) -> Picture:
    """Draw one place of a mine counter: uint8, 21 x 11 x 3, B, G, R."""
    width, height = LED_PX
    picture: Picture = np.zeros((height, width, 3), dtype=np.uint8)
    for bar in LED_BARS:
        is_level = bar in "adg"
        for y, x in _bar_pixels(bar, led):
            if bar in LED_DIGITS[digit]:
                picture[y, x] = led.lit
            elif not led.is_dotted or (x + y) % 2 == (0 if is_level else 1):
                picture[y, x] = led.unlit
    return picture


def draw_strip(name: str) -> Picture:
    """Draw a skin's whole sprite image: the cells, and below them the counter's digits."""
    cells = np.hstack([draw(STYLES[name], state) for state in STATES])
    digits = np.hstack([draw_led(LEDS[name], digit) for digit in LED_DIGITS])
    return np.vstack([cells, np.pad(digits, ((0, 0), (0, cells.shape[1] - digits.shape[1]), (0, 0)))])


def cut_sheet(path: str) -> dict[str, Picture]:
    """Cut the cells out of a sprite sheet in the Minesweeper X format."""
    sheet = cv2.imread(path)
    assert sheet is not None, f"{path} is not a picture"
    cells = {str(n): sheet[:CELL, CELL * n : CELL * (n + 1)] for n in range(9)}
    cells |= {s: sheet[CELL : 2 * CELL, CELL * i : CELL * (i + 1)] for i, s in enumerate(SHEET_ROW_2) if s}
    return {state: np.ascontiguousarray(cell, dtype=np.uint8) for state, cell in cells.items()}


def report(name: str, real: dict[str, Picture]) -> None:
    """Print the profile's `[exact]` table, and each real cell's nearest two templates (root mean square)."""
    looks = load_shipped_skin(name).looks
    print("[exact]")
    for state, cell in real.items():
        print(f'{state} = ["{int(fingerprint(cell[None])[0]):016x}"]')
    for state, cell in real.items():
        apart = sorted(
            (float(np.sqrt(np.mean((cell.astype(float) - look.pixels_bgr) ** 2))), look.state) for look in looks
        )
        print(f"# {state:10} " + "  ".join(f"{look} {rms:.0f}" for rms, look in apart[:3]))


def main() -> None:
    """Draw every sprite strip, or report on one real sheet."""
    if len(sys.argv) == 3:
        report(sys.argv[1], cut_sheet(sys.argv[2]))
        return
    for name in STYLES:
        cv2.imwrite(str(DATA / name / "sprites.png"), draw_strip(name))
        print(f"{name}: {len(STATES)} sprites, {len(LED_DIGITS)} digits")


if __name__ == "__main__":
    main()
