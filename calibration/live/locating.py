"""The board that a person means: found on a picture of the whole screen, seen whole, and the one that is remembered.

A fresh board that repeats pixel for pixel is found by that (`calibration.grids`), any other one under the pointer
(`calibration.pointed`). All cells of a fresh board look alike, so only how far it goes tells where they begin: a
pattern that repeats can be cut anywhere, half a cell off as well, but then a row and a column less are whole. Cells of
one plain colour tell nothing: what is around a board may have it too.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.models import Pixel, Region
from bot.vision.board_edge import beside
from bot.vision.matching import cut_cells
from calibration.appearances import are_near_equals, has_equals, stacked
from calibration.cells import AS_THEY_ARE, IN_ORDER
from calibration.errors import CalibrationError, NoLatticeError
from calibration.grids import find_cuts, find_like
from calibration.live.evidence import is_fresh
from calibration.pointed import cells_that_are_alike, find_pointed
from skins.pixels import fingerprint, largest_channel
from solver.board import format_sides

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from calibration.cells import Cut, Cutter
    from calibration.live.memory import Memory
    from calibration.pointed import Pointed


_REACHES_PX = (110, 200, 400)
"""Distances around the pointer at which a board is looked for where the whole screen shows none, in pixels."""
_SAME = 10  # largest difference of a channel between pixels that are alike
_EQUAL = 3
"""Largest difference of a channel between pixels of cells that are drawn alike: a dark page is as near to dark cells
as 7."""
_WHOLE = 0.97
"""Share of its pixels that a cell has in common with the others: some clones shade corners. Likewise of cells."""
_MOST_PIXELS = 0.85
"""Least share of pixels that are equal from cell to cell where closed cells are drawn alike. On 60 settings of the test
page it is 0.87 or more for these, and 0.83 or less for others."""
_WHOLE_PX = 0.02  # how far a pitch may be from the whole number that it is, in pixels
_SAME_PITCH, _SAME_SHARE = 0.05, 0.6
"""How far the pitches of one board differ that is found in two ways, and the least share of both that both find. Cells
that are only alike may have lines beside the board counted in: a board of 9x9 came out as 11x10."""
_LEAST_BEYOND = 0.5
"""Least share of cells beyond the board under the pointer that look as some in it, where they are cells of it."""
_MOST_EQUAL = 9
"""Most appearances of nearly all closed cells where they are equal to the pixel: of two shades, or shaded by place."""


def locate_board(
    frame: Frame, pointer: Pixel, tell: Callable[[str], None], memory: Memory | None
) -> tuple[Grid, Cutter]:
    """Where the board lies that a person means, on a picture of the whole screen, and how its cells are cut out.

    Raises:
        NoLatticeError: there is none, or nobody can say which one is meant.
        CalibrationError: it may go on past the edge of the screen, or is not the one that is remembered.
    """
    pointed = find_pointed(frame, pointer)
    cuts = [] if pointed is not None and not _may_be_equal(frame, pointed) else find_cuts(frame)
    if pointed is not None and not any(_is_as_good(cut, pointed) for cut in cuts):
        return _board_of_alike(frame, pointed, tell, memory)
    cut = _choose_board(frame, cuts or _cuts_around(frame, pointer), pointer)
    if not has_equals(cut.cells):
        raise NoLatticeError(
            f"what may be the board, at {tuple(cut.grid.origin)}, has hardly two cells that are equal: a background "
            "shows through them, or the screen is scaled. Clones are learned from cells that are drawn alike: choose "
            "another theme or size of this one"
        )
    if _are_drawn_alike(cut) and (alike := cells_that_are_alike(frame, cut.grid)) is not None:
        return _board_of_alike(frame, alike, tell, memory)
    is_plain = cut.cutter == AS_THEY_ARE
    grid = widest_grid(frame, cut.grid) if is_plain and is_fresh(cut.cells) else cut.grid
    return _checked_board(frame, grid, cut.cutter, tell, memory)


def _are_drawn_alike(cut: Cut) -> bool:
    """Whether the cells of a fresh board are alike and not equal, and not for columns of another width."""
    return cut.grid.x_edges is None and cut.grid.y_edges is None and are_near_equals(cut.cells)


def _board_of_alike(
    frame: Frame, found: Pointed, tell: Callable[[str], None], memory: Memory | None
) -> tuple[Grid, Cutter]:
    """A board whose cells are alike and not equal, as `_checked_board`; with what is remembered of its appearances."""
    codebook = None if memory is None else memory.codebook
    cutter = found.cutter if codebook is None else replace(found.cutter, codebook=codebook)
    return _checked_board(frame, found.grid, cutter, tell, memory)


def _may_be_equal(frame: Frame, pointed: Pointed) -> bool:
    """Whether most pixels equal those a cell away, or two on a chequered board: those of dithered cells do not."""
    pixels = frame.crop(pointed.grid.region).pixels_bgr
    return all(
        max(
            _share_equal(turned, lag)
            for n in (1, 2)
            for lag in {math.floor(n * pitch + _WHOLE_PX), math.ceil(n * pitch - _WHOLE_PX)}
        )
        >= _MOST_PIXELS
        for turned, pitch in zip((pixels, pixels.swapaxes(0, 1)), pointed.grid.pitch_px, strict=True)
    )


def _share_equal(pixels_bgr: NDArray[np.uint8], lag: int) -> float:
    """The share of pixels that equal the one so far to the right."""
    return 1 - float(largest_channel(pixels_bgr[:, lag:] != pixels_bgr[:, :-lag]).mean())


def _is_as_good(cut: Cut, pointed: Pointed) -> bool:
    """Whether a board that was found by what repeats on the screen is the one under the pointer, all cells equal.

    One of fewer cells is cut half a cell off.
    """
    ratios = (one / two for one, two in zip(cut.grid.pitch_px, pointed.grid.pitch_px, strict=True))
    one, two = cut.grid.region, pointed.grid.region
    n_shared = one.shared(two).n_pixels
    is_there = n_shared >= _SAME_SHARE * (one.n_pixels + two.n_pixels - n_shared)
    is_same = is_there and all(abs(ratio - 1) <= _SAME_PITCH for ratio in ratios)
    prints = fingerprint(stacked(cut.cells)).reshape(cut.cells.shape[:2])
    _, counts = np.unique(prints, return_counts=True)
    is_equal = bool(np.sort(counts)[-_MOST_EQUAL:].sum() >= _WHOLE * counts.sum())
    is_all = cut.grid.rows >= pointed.grid.rows and cut.grid.cols >= pointed.grid.cols
    return is_same and is_all and is_equal and cut.is_in_order and _is_of_cells(cut.grid, prints, pointed.grid)


def _is_of_cells(grid: Grid, prints: NDArray[Any], within: Grid) -> bool:
    """Whether most cells of a board that lie beyond another one look as some in that one: not as the page around it.

    Args:
        grid: the board.
        prints: the fingerprints of its cells: rows x cols.
        within: the other one, of the same pitch.
    """
    apart = ((b - a) / pitch for a, b, pitch in zip(grid.corner, within.corner, grid.pitch_px, strict=True))
    left, top = (max(0, round(n)) for n in apart)
    is_within = np.zeros(prints.shape, dtype=np.bool_)
    is_within[top : top + within.rows, left : left + within.cols] = True
    beyond = prints[~is_within]
    return not beyond.size or bool(np.isin(beyond, prints[is_within]).mean() >= _LEAST_BEYOND)


def _checked_board(
    frame: Frame, grid: Grid, cutter: Cutter, tell: Callable[[str], None], memory: Memory | None
) -> tuple[Grid, Cutter]:
    """The board that was found, told; it is whole, and as the one that is remembered.

    Raises:
        CalibrationError: it is not.
    """
    _check_seen_whole(grid, frame)
    width, height = cutter.cell_px or (int(grid.pitch_px[0]), int(grid.pitch_px[1]))
    shown = " x ".join(f"{pitch:.4g}" for pitch in grid.pitch_px)
    tell(f"a board of {grid.rows}x{grid.cols} cells of {shown} px at {tuple(grid.origin)}")
    before = None if memory is None else memory.cell_px
    if before not in {None, (width, height)}:
        raise CalibrationError(
            f"what was learned before has cells of {before[0]}x{before[1]} px, these have {width}x{height}: "
            "show the same clone at the same size, choose another --name, or begin anew with --force"
        )
    return grid, cutter


def _check_seen_whole(grid: Grid, frame: Frame) -> None:
    """Let a board pass unless it seems to continue past the edge of the screen.

    Nothing tells where an unknown board ends. Where one more cell has no room, what is left beside most lines of cells
    must be no part of a cell.

    Raises:
        CalibrationError: it may go on; says where.
    """
    names = [side for side, strip in beside(grid, frame).items() if _may_go_on(strip, side, grid, frame)]
    if names:
        raise CalibrationError(
            f"the board at {tuple(grid.origin)} may go on past the edge of the screen ({format_sides(names)}): "
            "move its window so that one more cell would fit on every side"
        )


def _strip_of(cell_bgr: NDArray[np.uint8], side: str) -> NDArray[np.uint8]:
    """A cell as a strip beside this side of a board shows it: along x across x 3."""
    turned = cell_bgr if side in {"left", "right"} else cell_bgr.swapaxes(0, 1)
    return turned[:, ::-1] if side in {"left", "top"} else turned


def _may_go_on(strip: NDArray[np.uint8], side: str, grid: Grid, frame: Frame) -> bool:
    """Whether what lies beside a side (uint8, along x across x 3, from the board on) may be a part of clipped cells."""
    is_level = side in {"top", "bottom"}
    n_px = strip.shape[1]
    if n_px >= grid.pitch_px[is_level]:
        return False
    cells = [frame.crop(grid.place_region(row, col)).pixels_bgr for row in range(grid.rows) for col in range(grid.cols)]
    height, width = (min(cell.shape[axis] for cell in cells) for axis in (0, 1))  # a fractional pitch has two sizes
    parts = np.stack([_strip_of(cell[:height, :width], side)[:, :n_px] for cell in cells]).astype(np.int16)
    edges = grid.edges(0 if is_level else 1)
    lines = [strip[start - edges[0] :][: parts.shape[1]].astype(np.int16) for start in edges[:-1]]
    n_alike = sum(bool((np.abs(parts - line).max(axis=(1, 2, 3), initial=0) <= _SAME).any()) for line in lines)
    return 2 * n_alike >= len(lines)


def _cuts_around(frame: Frame, pointer: Pixel) -> list[Cut]:
    """The board under the pointer where nothing on the whole screen stands out: textured cells among other textures."""
    for reach in _REACHES_PX:
        part = Region(pointer.x, pointer.y, 0, 0).widened(reach, within=frame.region)
        if not part.n_pixels:
            return []
        for cut in find_cuts(frame.crop(part)):
            if cut.is_in_order and cut.grid.region.has_pixel(pointer):
                all_of_it = find_like(frame, cut)
                return [cut if all_of_it is None else all_of_it]
    return []


def _choose_board(frame: Frame, cuts: list[Cut], pointer: Pixel) -> Cut:
    """The board to play on: the only one, or of several the one under the pointer.

    Raises:
        NoLatticeError: there is none, or several and none under the pointer.
    """
    found = [cut for cut in cuts if cut.share_alike >= IN_ORDER]
    if not found:
        height, width = frame.pixels_bgr.shape[:2]
        raise NoLatticeError(f"nothing on the screen ({width}x{height} px) repeats as the cells of a board do")
    pointed_at = [cut for cut in found if cut.grid.region.has_pixel(pointer)]
    if len(found) > 1 and not pointed_at:
        places = ", ".join(f"{cut.grid.rows}x{cut.grid.cols} at {tuple(cut.grid.origin)}" for cut in found)
        raise NoLatticeError(f"several things may be boards: {places}; put the pointer on the one that is meant")
    return (pointed_at or found)[0]


def widest_grid(frame: Frame, grid: Grid) -> Grid:
    """The lattice of a fresh board that makes the most cells; the one it has where none makes more.

    Args:
        frame: a picture of the whole screen.
        grid: where the board lies, maybe beside its lattice, of whole pixels.
    """
    across = _widest_columns(frame.pixels_bgr, grid.origin.x - frame.left, grid.origin.y - frame.top, grid)
    high = frame.pixels_bgr.swapaxes(0, 1)
    turned = replace(grid, pitch_px=grid.pitch_px[::-1], rows=grid.cols, cols=grid.rows)
    down = _widest_columns(high, grid.origin.y - frame.top, grid.origin.x - frame.left, turned)
    origin = Pixel(grid.origin.x + across[0], grid.origin.y + down[0])
    return replace(grid, origin=origin, rows=down[1], cols=across[1])


def _widest_columns(pixels_bgr: NDArray[np.uint8], x: int, y: int, grid: Grid) -> tuple[int, int]:
    """How far to the right the lattice of a board lies that begins at x, y, and how many columns it has then."""
    width, height = (int(px) for px in grid.pitch_px)
    best = (0, grid.cols)
    for moved in sorted(range(-width + 1, width), key=abs):
        first = x + moved
        if first < 0 or first + (grid.cols + 1) * width > pixels_bgr.shape[1]:
            continue
        part = pixels_bgr[y : y + grid.rows * height, first : first + (grid.cols + 1) * width]
        cells = cut_cells(np.ascontiguousarray(part), grid.rows, grid.cols + 1)
        typical = np.median(cells[: 4 * grid.cols], axis=0)
        if np.ptp(typical, axis=(0, 1)).max() <= _SAME:
            continue
        is_same = (largest_channel(np.abs(cells - typical)) <= _EQUAL).mean(axis=(1, 2)) >= _WHOLE
        if is_same.all() and best[1] == grid.cols:
            best = (moved, grid.cols + 1)
    return best
