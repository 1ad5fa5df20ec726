"""Says how many mines a board has: as given, else what the clone's counter shows, else what the levels agree on.

A counter shows mines minus flags, on fresh, running and lost boards alike, wrong flags counted as flags (measured on
Minesweeper X 1.16 and WineMine); and where a won board gets all its flags, it shows 0 beside them.

The skin says where a counter stands; all of it is scaled to the board's size of cells. Exact pixels come first; else
every place must be near one digit and clearly farther from every other. What cannot be read is None, never a guess.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.errors import UsageError
from bot.vision.matching import nearest_of, rms
from skins.pixels import fingerprint, most_frequent
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from bot.models import Frame, Grid, Reading
    from skins.skin import Counter, Skin
    from solver.board import Board

    Picture = NDArray[np.uint8]


STANDARD_MINES: dict[tuple[int, ...], int] = {(8, 8): 10, (9, 9): 10, (16, 16): 40, (16, 30): 99, (30, 16): 99}
"""(rows, cols) -> mines: Beginner old and new, Intermediate, Expert lying and standing."""

_MOST_DENSE = 0.5
"""The share of mines above which a counter is not believed without a person: more likely a part of a board is seen."""


@dataclass(frozen=True, slots=True)
class MineCount:
    """A board's mine count and where it is from.

    Attributes:
        mines: None when not known.
        source: "given", "counter" or "size"; None when not known.
        remark: what speaks against it, or keeps it from being known; empty when nothing does.
    """

    mines: int | None = None
    source: str | None = None
    remark: str = ""


def levels_of(skin: Skin) -> dict[tuple[int, ...], int]:
    """The levels that a clone may have, (rows, cols) -> mines: its own, and those that clones share."""
    return STANDARD_MINES | dict(skin.levels)


def _count_mines(
    board: Board, shown: int | None, given: int | None = None, levels: Mapping[tuple[int, ...], int] = STANDARD_MINES
) -> MineCount:
    """How many mines a board has; never a guess.

    Args:
        board: what is seen of it.
        shown: what its counter shows, None where it has none that can be read.
        given: what a person said, None when nothing.
        levels: (rows, cols) -> mines.

    Raises:
        UsageError: what was given cannot be.
    """
    size = "x".join(map(str, board.shape))
    least, most = _by_counter(board, shown)
    range_ = f"{least} mines" if least == most else f"{least} to {most} mines"
    told = None if shown is None else f"the counter shows {shown}, which makes {range_}"
    if given is not None:
        if not 0 < given < board.cells.size:
            raise UsageError(f"expected 1 to {board.cells.size - 1} mines on a {size} board, got {given}")
        remark = "" if told is None or least <= given <= most else f"{told}: {given} as given is believed"
        return MineCount(given, "given", remark)
    standard = levels.get(board.shape)
    if told is None or not _can_be(board, least, most):
        remark = "" if told is None else f"{told}, which cannot be: the counter is not believed"
        return MineCount(standard, None if standard is None else "size", remark)
    if least > _MOST_DENSE * board.cells.size:
        n_cells = board.cells.size
        return MineCount(remark=f"{told}, more than half of the {n_cells} cells: part of the board may be out of sight")
    if standard is not None and least <= standard <= most:
        return MineCount(standard, "counter" if least == most else "size")
    usual = "" if standard is None else f" where a standard {size} board has {standard}"
    if least == most:
        return MineCount(least, "counter", f"{told}{usual}: the counter is believed" if usual else "")
    return MineCount(None, None, f"{told}{usual}: not all cells can be seen")


def known_count(count: MineCount, *shape: int) -> int:
    """The mine count of a board of this shape, where there is one.

    Raises:
        UsageError: it is not known.
    """
    if count.mines is None:
        why = count.remark or f"a {'x'.join(map(str, shape))} board is no standard level"
        raise UsageError(f"{why}: say how many mines it has with --mines N")
    return count.mines


def _by_counter(board: Board, shown: int | None) -> tuple[int, int]:
    """The least and the most mines there are if the counter shows `shown`: flags may be among what cannot be seen."""
    cells = board.cells
    least = (shown or 0) + int(((cells == codes.FLAG) | (cells == codes.WRONG_FLAG)).sum())
    return least, least + int((cells == codes.UNREADABLE).sum())


def _can_be(board: Board, least: int, most: int) -> bool:
    """Whether that number of mines can be under what is not open, the mines shown among them."""
    cells = board.cells
    n_shown = int(((cells == codes.MINE) | (cells == codes.EXPLODED)).sum())
    n_hiding = n_shown + int(((cells == codes.CLOSED) | (cells == codes.FLAG) | (cells == codes.UNREADABLE)).sum())
    return max(1, n_shown) <= most and least <= min(n_hiding, cells.size - 1)


_SHIFTS_PX = (0.0, -0.5, 0.5)  # the counter may stand this far, to either side, from where scaling alone would have it
_BLUR_PX = 0.8  # before pixels are compared they are blurred, in pixels of the profile: dots of unlit bars become even
MARGIN_PX = 6  # seen around the counter, so that blurring knows what is beside it


class _Sight(NamedTuple):
    """What the counter seems to show at one place, and how far its digits are from that: 0 for exact pixels."""

    apart: float
    text: str


class _CounterPlace(NamedTuple):
    """Where a counter may stand on a frame: its top left corner, and how large a pixel of the profile is there."""

    x: float
    y: float
    scale: tuple[float, float]


def read_counter(frame: Frame, grid: Grid, skin: Skin) -> int | None:
    """What the mine counter of a board shows; None where there is none in sight, or it cannot be read.

    The ends of what a counter can show (999, -99) are None too: more may be meant.
    """
    counter = skin.counter
    if counter is None:
        return None
    sights = list(_iter_exact(frame, grid, counter)) or list(_iter_near(frame, grid, counter))
    text = min(sights).text if sights else ""
    value = int(text) if re.fullmatch(r" *-?[0-9]+", text) else None
    limits = (10**counter.n_digits - 1, 1 - 10 ** (counter.n_digits - 1))
    return None if value in limits else value


def is_usual(frame: Frame, reading: Reading, skin: Skin) -> bool:
    """Whether a board has a usual size, and its counter the mines of that size and of no larger one.

    Args:
        frame: what was read; the counter is looked for where the skin says.
        reading: the board, or what is seen of it.
        skin: what it was read with.
    """
    levels, shape = levels_of(skin), reading.grid.shape
    shown = read_counter(frame, reading.grid, skin) if shape in levels else None
    if shown is None or _by_counter(reading.board, shown)[0] != levels[shape]:
        return False
    return not any(
        level != shape and mines == levels[shape] and all(a >= b for a, b in zip(level, shape, strict=False))
        for level, mines in levels.items()
    )


def count_on(frame: Frame, reading: Reading, skin: Skin, given: int | None = None) -> tuple[Reading, MineCount]:
    """How many mines the board of a reading has, and the reading with that count: it may tell a won board.

    Args:
        frame: what was read; the counter is looked for where the skin says.
        reading: the board, read without a count.
        skin: what it was read with.
        given: what a person said, None when nothing.
    """
    if reading.board.cut:
        return reading, MineCount(
            remark="" if given is None else "the mine count is not used: part of the board is out of sight"
        )
    count = _count_mines(reading.board, read_counter(frame, reading.grid, skin), given, levels_of(skin))
    board = reading.board.with_mines(count.mines)
    return replace(reading, board=board, state=board.state), count


def _iter_exact(frame: Frame, grid: Grid, counter: Counter) -> Iterator[_Sight]:
    """What exact pixels show: only where a pixel of the profile is a pixel of the frame."""
    for place in _iter_places(frame, grid, counter):
        strip = _cut(frame.pixels_bgr, place, _strip_px(counter))
        if strip is not None and place.scale == (1.0, 1.0):
            prints = fingerprint(np.stack(_split(strip, counter)))
            named = [counter.exact[int(value)] for value in prints if int(value) in counter.exact]
            if len(named) == counter.n_digits:
                yield _Sight(0.0, "".join(named))


def _iter_near(frame: Frame, grid: Grid, counter: Counter) -> Iterator[_Sight]:
    """What a comparison with every digit shows, all of it blurred alike, so that scaling and noise matter little."""
    words, templates = _templates(counter)
    nearest = float(_distances(templates, templates)[words[:, None] != words].min())  # two digits
    accept = min(counter.accept, nearest / 2)
    for place in _iter_places(frame, grid, counter):
        for shift_y in _SHIFTS_PX:
            for shift_x in _SHIFTS_PX:
                shifted = _CounterPlace(place.x + shift_x, place.y + shift_y, place.scale)
                strip = _resample(frame.pixels_bgr, shifted, _strip_px(counter))
                if strip is None:
                    continue
                sight = _match(np.stack(_split(strip, counter)), words, templates, accept, counter.margin)
                if sight is not None:
                    yield sight


def _iter_places(frame: Frame, grid: Grid, counter: Counter) -> Iterator[_CounterPlace]:
    scale_x, scale_y = grid.pitch_px[0] / counter.pitch_px[0], grid.pitch_px[1] / counter.pitch_px[1]
    corner_x = grid.origin.x - frame.left + (grid.cols * grid.pitch_px[0] if counter.is_right else 0)
    corner_y = grid.origin.y - frame.top
    for x, y in counter.spots_px:
        yield _CounterPlace(corner_x + x * scale_x, corner_y + y * scale_y, (scale_x, scale_y))


def _strip_px(counter: Counter) -> tuple[int, int]:
    """(width, height) of all places together."""
    width, height = counter.digit_px
    return (counter.n_digits - 1) * counter.stride_px + width, height


def _split(strip_bgr: Picture, counter: Counter) -> list[Picture]:
    width = counter.digit_px[0]
    return [strip_bgr[:, i * counter.stride_px : i * counter.stride_px + width] for i in range(counter.n_digits)]


def _cut(pixels_bgr: Picture, place: _CounterPlace, size_px: tuple[int, int], margin_px: int = 0) -> Picture | None:
    """The part of a picture from a place on, with a margin around it; None where it is not all there."""
    left, top = math.floor(place.x) - margin_px, math.floor(place.y) - margin_px
    width = math.ceil(size_px[0] * place.scale[0]) + 2 * margin_px
    height = math.ceil(size_px[1] * place.scale[1]) + 2 * margin_px
    is_inside = left >= 0 and top >= 0 and left + width <= pixels_bgr.shape[1] and top + height <= pixels_bgr.shape[0]
    return pixels_bgr[top : top + height, left : left + width] if is_inside else None


def _resample(pixels_bgr: Picture, place: _CounterPlace, size_px: tuple[int, int]) -> Picture | None:
    """The counter as the profile would have it, blurred; None where it is not all on the picture."""
    part = _cut(pixels_bgr, place, size_px, MARGIN_PX)
    if part is None:
        return None
    scale_x, scale_y = place.scale
    blurred = cv2.GaussianBlur(part, (0, 0), _BLUR_PX * scale_x, sigmaY=_BLUR_PX * scale_y)
    # The middle of pixel (0, 0) of the profile lies at half a scaled pixel from the place.
    x = place.x % 1 + MARGIN_PX + scale_x / 2 - 0.5
    y = place.y % 1 + MARGIN_PX + scale_y / 2 - 0.5
    onto_part = np.array([[scale_x, 0, x], [0, scale_y, y]], dtype=np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(blurred, onto_part, size_px, flags=flags).astype(np.uint8)


def _templates(counter: Counter) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
    """The digits' words and their pictures, blurred on the ground that most of them is: N x height x width x 3."""
    pixels = np.stack([sprite.pixels_bgr for sprite in counter.digits])
    ground = most_frequent(pixels)
    width, height = counter.digit_px
    blurred = []
    for picture in pixels:
        wide = cv2.copyMakeBorder(picture, *4 * (MARGIN_PX,), cv2.BORDER_CONSTANT, value=ground)
        wide = cv2.GaussianBlur(wide, (0, 0), _BLUR_PX)
        blurred.append(wide[MARGIN_PX : MARGIN_PX + height, MARGIN_PX : MARGIN_PX + width])
    return np.array([sprite.state for sprite in counter.digits]), np.stack(blurred).astype(np.float32)


def _distances(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Root mean square from every picture of one stack to every one of another."""
    return rms((a[:, None] - b).reshape(len(a), len(b), -1))


def _match(
    digits_bgr: Picture, words: NDArray[np.str_], templates: NDArray[np.float32], accept: float, margin: float
) -> _Sight | None:
    """Name every digit of a stack, or None: near one, clearly farther from every other."""
    apart = _distances(digits_bgr.astype(np.float32), templates)
    found = nearest_of(apart, words[:, None] != words, accept, margin)
    return _Sight(float(found.apart.max()), "".join(words[found.best])) if found.is_clear.all() else None
