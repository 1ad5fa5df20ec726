"""Proves a skin: boards painted with it are found and read back, cell by cell, counter included.

Knows nothing of clones: that a profile fits what a clone draws, only a picture of that clone can show.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.blocks import Blocks
from bot.paint import Desk, paint_board
from bot.vision.finding import find_boards
from bot.vision.matching import code_of
from bot.vision.mine_counter import read_counter
from bot.vision.reading import read_board
from skins.pixels import Pair, nearest_pair
from skins.skin import CLOSED, Tints
from solver.board import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from skins.skin import Skin

    States = Sequence[Sequence[str]]

SIZES = ((9, 9), (16, 16), (16, 30))
_SIZES_IN_BLOCKS = ((9, 9), (16, 16), (25, 25))  # boards of four dimensions with 3, 4 and 5 cells along each
_N_EACH = 4  # boards of every size, besides a fresh one
_AROUND_CELLS = 6  # room around a painted board, in cells
SHOWN = (10, 40, 99, 123, 456, 789, -12)  # together these show every digit a counter has
DESKTOP_BGR = (96, 72, 48)


@dataclass(frozen=True, slots=True)
class SkinCheck:
    """What a check found.

    Attributes:
        n_boards: how many boards were painted.
        n_cells: and how many cells on them.
        wrong: what was read as what, in words, each once; empty when all was read right.
        n_unfound: boards that were not found where they were painted.
        same: sets of states that the skin draws alike.
        nearest: the two sprites of different states that are nearest to each other.
        accept: how far a cell may be from a sprite.
        is_told_twice: whether numbers have tints: the nearest sprites, which differ in their digits alone, are then as
            near as the ground is dark, and only the margin between them counts.
    """

    n_boards: int
    n_cells: int
    wrong: tuple[str, ...]
    n_unfound: int
    same: tuple[tuple[str, ...], ...]
    nearest: Pair
    accept: float
    is_told_twice: bool = False

    @property
    def is_good(self) -> bool:
        """Whether everything was found and read right."""
        return not self.wrong and self.n_unfound == 0

    @property
    def is_too_near(self) -> bool:
        """Whether a picture could be within the tolerance of two sprites at once."""
        return not self.is_told_twice and self.nearest.apart < 2 * self.accept

    def remarks(self) -> list[str]:
        """What a person should know, in words."""
        lines = [f"{' and '.join(states)} look the same: they cannot be told apart" for states in self.same]
        if self.is_too_near:
            a, b = self.nearest.states
            lines.append(f"{a} and {b} are only {self.nearest.apart:.1f} apart, where {self.accept:g} is tolerated")
        if self.n_unfound:
            lines.append(f"{self.n_unfound} of {self.n_boards} painted boards are not found")
        return lines + [f"wrong: {what}" for what in self.wrong]


def check_skin(skin: Skin) -> SkinCheck:
    """Paint boards in every state the skin has, and see whether they are found and read back."""
    boards = list(_iter_boards(skin))
    wrong: dict[str, None] = {}
    n_unfound = 0
    for states in boards:
        frame, grid = _paint_window(skin, states)
        n_unfound += grid not in [board.grid for board in find_boards(frame, [skin])]
        wrong |= dict.fromkeys(_misread(skin, frame, grid, states))
    wrong |= dict.fromkeys(_misread_counts(skin))
    return SkinCheck(
        n_boards=len(boards),
        n_cells=sum(len(states) * len(states[0]) for states in boards),
        wrong=tuple(wrong),
        n_unfound=n_unfound,
        same=skin.same_states(),
        nearest=nearest_pair(skin.sprites),
        accept=skin.tolerance.accept,
        is_told_twice=isinstance(skin.drawing, Tints),
    )


def _paint_window(skin: Skin, states: States, shown: int | None = None) -> tuple[Frame, Grid]:
    """A board with its border on a plain desktop, and where it is; with the mine counter where `shown` is given.

    Args:
        skin: what to paint with.
        states: rows of cells as they lie on the screen; where numbers have tints, of a board with four equal sides.
        shown: what the counter shows.
    """
    words = np.array(states, dtype=object)
    if skin.drawing.is_in_blocks:
        words = Blocks((math.isqrt(len(states)),) * 4).to_board(words)
    frame, grid = paint_board(skin, words, Desk(_AROUND_CELLS, DESKTOP_BGR))
    if shown is not None:
        _paint_counter(frame.pixels_bgr, grid, skin, shown)
    return frame, grid


def _paint_counter(pixels_bgr: NDArray[np.uint8], grid: Grid, skin: Skin, shown: int) -> None:
    counter = skin.counter
    assert counter is not None, "asked only of skins that have one"
    by_digit = {sprite.state: sprite.pixels_bgr for sprite in counter.digits}
    x, y = counter.spots_px[0]
    left, top = grid.origin.x + x + (grid.region.width if counter.is_right else 0), grid.origin.y + y
    width, height = counter.digit_px
    for place, digit in enumerate(f"{shown:0{counter.n_digits}d}"):
        at = left + place * counter.stride_px
        pixels_bgr[top : top + height, at : at + width] = by_digit[digit]


def _iter_boards(skin: Skin) -> Iterator[States]:
    """Fresh boards, and boards with every state the skin has in about equal numbers among closed and open cells."""
    generator = random.Random(1)
    states = list(dict.fromkeys(sprite.state for sprite in skin.sprites))
    for rows, cols in _SIZES_IN_BLOCKS if skin.drawing.is_in_blocks else SIZES:
        yield [[CLOSED] * cols] * rows
        for _ in range(_N_EACH):
            yield [[generator.choice([*states, CLOSED, "0"]) for _ in range(cols)] for _ in range(rows)]


def _misread(skin: Skin, frame: Frame, grid: Grid, states: States) -> Iterator[str]:
    """What was read as what else; of states drawn alike, any is right, and so is none."""
    alike = {state: {code_of(word) for word in _alike(skin, state)} for state in {s for row in states for s in row}}
    board = read_board(frame, grid, skin).board
    for row, words in enumerate(states):
        for col, word in enumerate(words):
            code = board[grid.cell_of(row * grid.cols + col)]
            if code not in alike[word] and not (code == UNREADABLE and len(alike[word]) > 1):
                yield f"{word} is read as {'unreadable' if code == UNREADABLE else code}"


def _alike(skin: Skin, state: str) -> set[str]:
    """The states of boards that are drawn like this one, itself included."""
    known = {sprite.state for sprite in skin.sprites}
    return {state} | {word for words in skin.same_states() if state in words for word in words if word in known}


def _misread_counts(skin: Skin) -> Iterator[str]:
    if skin.counter is None:
        return
    digits = {sprite.state for sprite in skin.counter.digits}
    for shown in SHOWN:
        if digits.issuperset(f"{shown:0{skin.counter.n_digits}d}"):
            frame, grid = _paint_window(skin, [[CLOSED] * 9] * 9, shown)
            value = read_counter(frame, grid, skin)
            if value != shown:
                yield f"a counter of {shown} is read as {'unreadable' if value is None else value}"
