"""Families of looks: the ways in which clones draw, each with how its boards are found and how its cells are named.

A further way to draw is one more `Family` in `FAMILIES`: finding and reading ask the family and not the skin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bot.vision.checkered import find_checkered, is_checkered
from bot.vision.exact import cut_cells, find_exact
from bot.vision.fit import best_kernel
from bot.vision.matching import SCALED_SLACK, matcher_of
from bot.vision.rescaled import find_rescaled
from bot.vision.tile_match import tile_matcher_of
from bot.vision.tiles import find_tiled
from bot.vision.tinted import find_tinted, tint_matcher_of
from bot.vision.unscale import Kernel, Unscaler
from skins.skin import OwnPixels, Sizes, Tiles, Tints

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import FoundBoard, Frame, Grid, Region
    from bot.vision.matching import Verdict
    from bot.vision.tile_match import Inset, Tile
    from skins.skin import Skin

    Pixels = NDArray[np.uint8]
    Numbers = NDArray[np.intp]

_FEW = 12
"""Most changed cells that are brought to native size one by one; more are brought all at once."""


class CellNamer(Protocol):
    """Names the cells of one board, again and again."""

    @property
    def sets(self) -> list[frozenset[str]]:
        """What `Verdict.alike` counts: sets of states that look the same."""

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Verdict:
        """Name some cells.

        Args:
            frame: shows at least the board.
            pixels: of the board: uint8, H x W x 3, B, G, R.
            numbers: of the cells, row by row: intp, N.
        """

    @property
    def tells_new_looks(self) -> bool:
        """Whether a cell that no look fits can be told for what it is: by its rim, or by the sign on it."""

    def has_number(self, frame: Frame, cell: Pixels) -> bool | None:
        """Whether such a cell surely is open and has some number; None where its rim must tell.

        Args:
            frame: shows at least the board.
            cell: its pixels: uint8, height x width x 3, B, G, R.
        """

    def settled(self, named: NDArray[np.int16], alike: Numbers) -> NDArray[np.int16]:
        """The codes of all cells, where what one of them means depends on the others.

        Args:
            named: their codes, each by itself: int16, one a cell.
            alike: their places in `sets`, -1 where nothing looks alike: intp, one a cell.
        """


@dataclass(frozen=True)
class Family:
    """One way to draw.

    Attributes:
        has: whether a skin is drawn in this way; it is in exactly one.
        find: the boards of such skins on a frame, outside of the regions where every cell is explained already.
        name: what names the cells of a board of such a skin.
        find_rescaled: the same boards at other scales and in colours a little off; None where `find` does that too.
    """

    has: Callable[[Skin], bool]
    find: Callable[[Frame, Sequence[Skin], Sequence[Region]], list[FoundBoard]]
    name: Callable[[Skin, Grid], CellNamer]
    find_rescaled: Callable[[Frame, Sequence[Skin]], list[FoundBoard]] | None = None


class _DrawnCells:
    """Cells drawn pixel by pixel: at their own size, rescaled, or drawn anew at every size (`skins.skin.Sizes`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        self._matcher = matcher_of(skin)
        self._grid = grid
        self._is_native = grid.is_whole and grid.pitch_px == skin.pitch_px
        self._is_resized = grid.is_whole and skin.drawing.is_known_at(grid.pitch_px)
        self._unscalers: list[Unscaler] = []

    @property
    def sets(self) -> list[frozenset[str]]:
        return self._matcher.sets

    @property
    def tells_new_looks(self) -> bool:
        return self._is_native

    def has_number(self, frame: Frame, cell: Pixels) -> bool | None:  # noqa: ARG002 - as `CellNamer`
        return None

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Verdict:
        if not self._is_resized:
            return self._matched(frame, pixels, numbers)
        verdict = self._matcher.name_redrawn(cut_cells(pixels, self._grid.rows, self._grid.cols, numbers))
        rest = np.flatnonzero(~verdict.is_known)
        if rest.size:
            verdict.take(rest, self._matched(frame, pixels, numbers[rest]))
        return verdict

    def settled(self, named: NDArray[np.int16], alike: Numbers) -> NDArray[np.int16]:  # noqa: ARG002 - as `CellNamer`
        return named

    def _matched(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Verdict:
        """Name cells by their clone's own size, brought to it where they have another."""
        matcher = self._matcher
        if self._is_native:
            return matcher.name(cut_cells(pixels, self._grid.rows, self._grid.cols, numbers))
        if not self._unscalers:
            best = best_kernel(frame, self._grid, matcher).kernel
            kernels = (best, *(kernel for kernel in Kernel if kernel is not best))
            self._unscalers = [Unscaler(self._grid, matcher.skin.pitch_px, kernel) for kernel in kernels]
        verdict = matcher.name(self._native(self._unscalers[0], frame, numbers), SCALED_SLACK, snaps=True)
        rest = np.flatnonzero(~verdict.is_known)
        for unscaler in self._unscalers[1:]:  # the outermost cells, for one, may have been enlarged without the border
            if rest.size:
                other = matcher.name(self._native(unscaler, frame, numbers[rest]), SCALED_SLACK, snaps=True)
                verdict.take(rest, other)
                rest = rest[~other.is_known]
        return verdict

    def _native(self, unscaler: Unscaler, frame: Frame, numbers: Numbers) -> Pixels:
        """Cells brought to native size."""
        if numbers.size > _FEW:
            return unscaler.cells(frame)[numbers]
        return np.stack([unscaler.cell(frame, *divmod(int(number), self._grid.cols)) for number in numbers])


class _TiledCells:
    """Tiles with gaps, at any size (`skins.skin.Tiles`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        self._matcher = tile_matcher_of(skin)
        self._grid = grid
        self._inset: Inset | None = None
        self._seen: dict[Tile, tuple[int, float]] = {}

    @property
    def sets(self) -> list[frozenset[str]]:
        return self._matcher.sets

    @property
    def tells_new_looks(self) -> bool:
        return self._matcher.skin.signs is not None

    def has_number(self, frame: Frame, cell: Pixels) -> bool | None:
        return bool(self._matcher.is_open_number(cell[None], self._inset_on(frame))[0])

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Verdict:  # noqa: ARG002 - as `CellNamer`
        return self._matcher.name(frame, self._grid, numbers, self._inset_on(frame), self._seen)

    def settled(self, named: NDArray[np.int16], alike: Numbers) -> NDArray[np.int16]:  # noqa: ARG002 - as `CellNamer`
        return self._matcher.settle(alike)

    def _inset_on(self, frame: Frame) -> Inset:
        if self._inset is None:
            self._inset = self._matcher.measure(frame, self._grid)
        return self._inset


class _TintedCells:
    """Numbers on tinted grounds, in blocks (`skins.skin.Tints`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        self._matcher = tint_matcher_of(skin)
        self._grid = grid

    @property
    def sets(self) -> list[frozenset[str]]:
        return self._matcher.sets

    @property
    def tells_new_looks(self) -> bool:
        return False

    def has_number(self, frame: Frame, cell: Pixels) -> bool | None:  # noqa: ARG002 - as `CellNamer`
        return None

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Verdict:  # noqa: ARG002 - as `CellNamer`
        return self._matcher.name(frame, self._grid, numbers)

    def settled(self, named: NDArray[np.int16], alike: Numbers) -> NDArray[np.int16]:  # noqa: ARG002 - as `CellNamer`
        return named


def _is_drawn(skin: Skin) -> bool:
    return isinstance(skin.drawing, (OwnPixels, Sizes))


FAMILIES = (
    Family(  # cells with lines or bevels
        has=lambda skin: _is_drawn(skin) and not is_checkered(skin),
        find=lambda frame, skins, _: find_exact(frame, [skin for skin in skins if not skin.is_blurred]),
        name=_DrawnCells,
        find_rescaled=find_rescaled,
    ),
    Family(  # bare fields of two colours in turn
        has=lambda skin: _is_drawn(skin) and is_checkered(skin),
        find=lambda frame, skins, _: find_checkered(frame, skins),
        name=_DrawnCells,
    ),
    Family(has=lambda skin: isinstance(skin.drawing, Tiles), find=find_tiled, name=_TiledCells),
    Family(
        has=lambda skin: isinstance(skin.drawing, Tints),
        find=lambda frame, skins, _: find_tinted(frame, skins),
        name=_TintedCells,
    ),
)
"""All families, in the order in which their boards are looked for."""


@lru_cache(maxsize=256)
def family_of(skin: Skin) -> Family:
    """The way in which a skin is drawn."""
    return next(family for family in FAMILIES if family.has(skin))
