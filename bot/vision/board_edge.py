"""Says which sides of a board are its ends, and whether what lies around it has changed.

`finding` sees only the cells that show. Where a side does not end in the skin's border, something lies over the rest,
or the picture ends; the levels that all clones share say how much that is. Where it may be of more than one level, it
is left as it is seen: nothing is made up.

A side is the board's end where its border shows. Where cells have gaps, it is one where more ground follows than a gap.
Where no border is known or seen, a board ends if it stands by itself on a page. The page goes on past all corners then.
The board may go on past every other side, and past the edge of a picture. The grid names these sides
(`Grid.clipped`), and so does every board that is read with it.

What lies right around a board does not change while it is played; a window that moved, was covered or closed changes
it. So strips of a few hundred pixels tell whether a known board is still where it was (`BorderWatch`). Where they
change by themselves, as a line of text that scrolls does, the watch learns to leave that side out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.models import Grid
from bot.vision.mine_counter import levels_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Bgr, Skin

    Strip = NDArray[np.uint8]


_DEPTH_PX = 3  # depth of the strips, in pixels
_KERNEL_PX = 2  # how far the kernels reach that enlarge a picture, in its own pixels
_WHOLE_CELLS = 1.5
"""Length of a border that tells it from parts of cells, in cells: at least one gap is in that much of them."""
_LEAST_SEEN = 0.25
"""Least share of a side along which its border shows: less of its colour may be in what lies over the board."""
_LEAST_BORDER_PX = 2  # least of a border that is seen where a picture ends in it, in pixels
_SKIPPED_PX = 2  # pixels right beside a cell that tell nothing: at a fractional scale a seam may lie there
_SEAM_PX = 4
"""Depth to which the page is looked at beside a board's corners, in pixels: xbomb's window has so much around it."""
_MOST_TEXTURE = 40  # most that the colours of a page differ beside a board, a channel
_PAGE_STEPS = 12
"""The most that a channel of a page may differ, beyond what the page itself does on both sides of a corner."""
_STRANGE = 0.25  # share of the pixels beside an outer cell from which on they are not what lies past the corner


class BorderWatch:
    """Remembers the strips around a board.

    Args:
        frame: a picture that shows the board and what lies around it; strips beyond its edges are left out.
        grid: where the board lies.
        depth_px: how deep the strips are.
        gap_px: how far from the board they begin.
    """

    def __init__(self, frame: Frame, grid: Grid, depth_px: int = _DEPTH_PX, gap_px: int = 0) -> None:
        self.region = grid.region.widened(gap_px + depth_px, frame.region)
        """What a picture must show at least."""
        self._inner = grid.region
        self._gap_px = gap_px
        self._remember(frame)

    def is_still_there(self, frame: Frame) -> bool:
        """Whether the strips are pixel for pixel what they were; `frame` shows at least `region`."""
        return not self._changed(frame)

    def forgive(self, frame: Frame) -> None:
        """Leave out the sides that are not what they were: the board is known to be in its place on this picture.

        Where none would be left, all are watched again, as they are now: something has to tell that a window moves.
        """
        for side in self._changed(frame):
            self._is_watched[side] = False
        if not any(self._is_watched):
            self._remember(frame)

    def _remember(self, frame: Frame) -> None:
        self._strips = [strip.copy() for strip in self._cut(frame)]
        self._is_watched = [strip.size > 0 for strip in self._strips]

    def _changed(self, frame: Frame) -> list[int]:
        """The numbers of the watched sides that are not what they were."""
        pairs = zip(self._cut(frame), self._strips, self._is_watched, strict=True)
        return [side for side, (now, then, watched) in enumerate(pairs) if watched and not np.array_equal(now, then)]

    def _cut(self, frame: Frame) -> list[NDArray[np.uint8]]:
        inner, outer, gap = self._inner, self.region, self._gap_px
        x, y = outer.left - frame.left, outer.top - frame.top
        pixels = frame.pixels_bgr[y : y + outer.height, x : x + outer.width]
        left, top = inner.left - outer.left, inner.top - outer.top
        right, bottom = left + inner.width, top + inner.height
        beside = pixels[top:bottom]
        return [
            pixels[: max(top - gap, 0)],
            pixels[bottom + gap :],
            beside[:, : max(left - gap, 0)],
            beside[:, right + gap :],
        ]


def watch_border(frame: Frame, grid: Grid, skin: Skin) -> BorderWatch:
    """Watch what lies around a board, but for what changes with its cells.

    On an enlarged board the pixels beside it are mixed from it and from its border: kernels reach two of the clone's
    own pixels far.
    """
    scale = max(now / own for now, own in zip(grid.pitch_px, skin.pitch_px, strict=True))
    is_native = grid.is_whole and scale == 1
    return BorderWatch(frame, grid, gap_px=0 if is_native else ceil(_KERNEL_PX * scale))


def complete_grid(grid: Grid, frame: Frame, skin: Skin, *, is_whole: bool = False) -> Grid:
    """Say past which sides a board may go on, after it was extended over its hidden cells.

    It is extended where it can be of just one shared level, and lie in one place only.

    Args:
        grid: the cells that are seen; those that are not wholly on the frame are left out.
        frame: the picture.
        skin: of the board.
        is_whole: whether a person says that no more of the board is out of sight.
    """
    grid = _inside(grid, frame)
    ends = _find_ends(grid, frame, skin)
    if skin.border is not None and not all(ends.values()):
        may_be = [(rows, cols) for rows, cols in levels_of(skin) if _may_be_of(rows, cols, grid, ends)]
        whole = _extended(grid, *may_be[0], ends) if len(may_be) == 1 else None
        if whole is not None and frame.region.holds(whole.region):
            is_known = {"top": whole.rows > grid.rows, "left": whole.cols > grid.cols}
            is_known |= {"bottom": is_known["top"], "right": is_known["left"]}
            grid, ends = whole, {side: ends[side] or is_known[side] for side in ends}
    return replace(grid, clipped=frozenset(side for side, is_end in ends.items() if not (is_end or is_whole)))


def _inside(grid: Grid, frame: Frame) -> Grid:
    """The grid without the lines of cells that are not wholly on the frame."""
    if frame.region.holds(grid.region) or grid.x_edges is not None or grid.y_edges is not None:
        return grid
    spans = []
    for axis, (first, length) in enumerate(((frame.left, frame.region.width), (frame.top, frame.region.height))):
        lines = pairwise(grid.edges(axis))
        seen = [k for k, (near, far) in enumerate(lines) if near >= first and far <= first + length]
        spans.append((seen[0], len(seen)) if seen else (0, 0))
    (left, cols), (top, rows) = spans
    corner = (grid.corner[0] + left * grid.pitch_px[0], grid.corner[1] + top * grid.pitch_px[1])
    return replace(Grid.at(corner, grid.pitch_px, rows, cols), cell_px=grid.cell_px)


def _may_be_of(rows: int, cols: int, grid: Grid, ends: dict[str, bool]) -> bool:
    """Whether a grid may be part of a board this large, or all of it."""
    n_rows, n_cols = rows - grid.rows, cols - grid.cols
    is_tall = n_rows == 0 or (n_rows > 0 and not (ends["top"] and ends["bottom"]))
    return is_tall and (n_cols == 0 or (n_cols > 0 and not (ends["left"] and ends["right"])))


def _extended(grid: Grid, rows: int, cols: int, ends: dict[str, bool]) -> Grid | None:
    """The grid made this large, its visible ends kept; None where it is larger already, or could lie anywhere."""
    rows_before = _n_before(rows - grid.rows, is_first_seen=ends["top"], is_last_seen=ends["bottom"])
    cols_before = _n_before(cols - grid.cols, is_first_seen=ends["left"], is_last_seen=ends["right"])
    if rows_before is None or cols_before is None:
        return None
    width, height = grid.pitch_px
    corner = (grid.corner[0] - cols_before * width, grid.corner[1] - rows_before * height)
    return Grid.at(corner, grid.pitch_px, rows, cols)


def _n_before(n_missing: int, *, is_first_seen: bool, is_last_seen: bool) -> int | None:
    """How many of the missing rows or columns come before the visible ones; None where that cannot be."""
    if n_missing == 0:
        return 0
    if n_missing < 0 or is_first_seen == is_last_seen:
        return None
    return n_missing if is_last_seen else 0


def _find_ends(grid: Grid, frame: Frame, skin: Skin) -> dict[str, bool]:
    """Which sides of the visible part are the board's own, by what is seen right behind them.

    Between cells with gaps the ground tells it, which goes on behind the last ones; else the border does, each for its
    side. Where a skin knows no border, or none of it shows, the board may stand by itself on a page.
    """
    strips = beside(grid, frame)
    if skin.drawing.has_gaps:
        ground = _ground_of(grid, frame, skin)
        shown = {side: _show_ground(strip, ground, _along(grid, side)) for side, strip in strips.items()}
        return dict.fromkeys(strips, True) if _tells_its_shape(grid) else shown
    shown = show_border(grid, frame, skin)
    blends = skin.border.blends if skin.border is not None else ()
    if any(shown[side] for side in shown if side not in blends):
        return shown
    return dict.fromkeys(strips, _stands_alone(grid, frame, skin))


def beside(grid: Grid, frame: Frame) -> dict[str, Strip]:
    """What lies right beside each side, one cell deep: uint8, along x across x 3, from the board on."""
    region, pixels = grid.region, frame.pixels_bgr
    x, y = region.left - frame.left, region.top - frame.top
    right, bottom = x + region.width, y + region.height
    width, height = (max(far - near for near, far in pairwise(grid.edges(axis))) for axis in (0, 1))
    return {
        "left": pixels[y:bottom, max(x - width, 0) : x][:, ::-1],
        "right": pixels[y:bottom, right : right + width],
        "top": pixels[max(y - height, 0) : y, x:right].swapaxes(0, 1)[:, ::-1],
        "bottom": pixels[bottom : bottom + height, x:right].swapaxes(0, 1),
    }


def show_border(grid: Grid, frame: Frame, skin: Skin) -> dict[str, bool]:
    """Which sides of a grid show the skin's border: none where the skin knows none.

    A quarter of a side is enough, and at least a cell and a half: the rest may be covered. Parts of cells, dotted lines
    among them, have gaps. A window of the border's colour, as a white dialog, does not end within half a cell as
    borders do; that tells nothing on a side where the border blends with the clone's own window.
    """
    border, strips = skin.border, beside(grid, frame)
    if border is None:
        return dict.fromkeys(strips, False)
    scale = grid.pitch_px[0] / skin.pitch_px[0]
    skip = 0 if grid.is_whole and scale == 1 else int(scale)  # kernels mix the border with what lies beside it
    most, tolerance = max(round(border.depth_px * scale) - skip, skip + 1), skin.tolerance.colour
    wanted = {"left": border.left_bgr, "top": border.top_bgr, "right": border.right_bgr, "bottom": border.bottom_bgr}
    shown = {}
    for side, strip in strips.items():
        step = int(grid.pitch_px[side in {"top", "bottom"}])  # from cell to cell across the side
        half = max(step // 2, most + 2)
        depth = min(most + skip if side in border.blends else most, strip.shape[1])
        lines = [_are_of(strip[:, skip:depth], one, tolerance) for one in wanted[side]]
        if side not in border.blends and strip.shape[1] > depth:  # the picture may end before the border does
            deeper = [_are_of(strip[:, skip:half], one, tolerance) for one in wanted[side]]
            lines = [line & ~deep for line, deep in zip(lines, deeper, strict=True)]
        is_deep = depth >= min(most, skip + _LEAST_BORDER_PX)
        shown[side] = is_deep and any(
            _longest_run(line) >= max(_WHOLE_CELLS * _along(grid, side), _LEAST_SEEN * line.size) for line in lines
        )
    return shown


def _are_of(strip: Strip, colour: Bgr, tolerance: int) -> NDArray[np.bool_]:
    """Which places along a strip (uint8, along x across x 3) are of a colour all across; none where it has no width."""
    if strip.shape[1] == 0:
        return np.zeros(strip.shape[0], dtype=np.bool_)
    apart: NDArray[np.int16] = np.abs(strip.astype(np.int16) - colour).max(axis=(1, 2))
    return apart <= tolerance


def _longest_run(flags: NDArray[np.bool_]) -> int:
    """How many flags in a row are true, at most."""
    gaps = np.flatnonzero(np.concatenate([[True], ~flags, [True]]))
    return int(np.diff(gaps).max()) - 1


def _show_ground(strip: Strip, ground: _Ground, n_px: int) -> bool:
    """Whether more ground lies beside a side, along a cell's `n_px`, than between two cells: no cell follows.

    Noise is evened out along the cell.
    """
    depth = _SKIPPED_PX + ground.gap_px + 1
    if strip.shape[1] < depth or strip.shape[0] < n_px:
        return False
    sums = np.cumsum(np.pad(strip[:, _SKIPPED_PX:depth] - ground.bgr, ((1, 0), (0, 0), (0, 0))), axis=0)
    return bool((np.abs(sums[n_px:] - sums[:-n_px]).max(axis=(1, 2)) <= ground.tolerance * n_px).any())


class _Ground(NamedTuple):
    """What lies between the cells of a board.

    Attributes:
        bgr: its colour: B, G, R.
        gap_px: how much of it lies between two cells, at most.
        tolerance: the most that it may differ elsewhere.
    """

    bgr: NDArray[np.float64]
    gap_px: int
    tolerance: int


def _ground_of(grid: Grid, frame: Frame, skin: Skin) -> _Ground:
    """The ground between cells that have gaps, by the crossings of the gaps."""
    x, y = (np.array(grid.edges(axis)[1:-1]) - first for axis, first in ((0, frame.left), (1, frame.top)))
    pixels = frame.pixels_bgr
    colour = np.median(pixels[(y - 1)[:, None], x - 1].reshape(-1, 3), axis=0)
    if grid.cell_px is not None:
        gaps = [
            far - near - own for axis, own in enumerate(grid.cell_px) for near, far in pairwise(grid.edges(axis)[:-1])
        ]
        return _Ground(colour, max(gaps), skin.tolerance.colour)
    around = np.arange(-int(grid.pitch_px[0]) // 2, int(grid.pitch_px[0]) // 2)
    middles = (y[1:] + y[:-1]) // 2
    means = pixels[middles[:, None, None], x[:, None] + around].mean(axis=(0, 1))
    apart = np.abs(means - colour).max(axis=1)
    gap = int((apart <= max(skin.tolerance.colour, float(np.median(apart)) / 2)).sum())
    return _Ground(colour, gap, skin.tolerance.colour)


def _tells_its_shape(grid: Grid) -> bool:
    """Whether the gaps between cells and those between blocks differ each way: then a board's shape tells its ends."""
    return grid.blocks is not None and all(
        len({far - near for near, far in pairwise(grid.edges(axis)[:-1])}) > 1 for axis in (0, 1)
    )


def _stands_alone(grid: Grid, frame: Frame, skin: Skin) -> bool:
    """Whether a board lies by itself on a page: what is beside each side goes on around both of its corners.

    The edge of what lies over a part of a board does not end where the board does: it goes on past a corner. And cells
    that are not known differ from the page beside them.
    """
    scale = max(grid.pitch_px[axis] / skin.pitch_px[axis] for axis in (0, 1)) if skin.drawing.has_one_size else 1
    skip = 1 if scale <= 1 else int(scale) + 1
    depth = skip + _SEAM_PX
    wide = grid.region.widened(depth, frame.region)
    if (wide.width, wide.height) != (grid.region.width + 2 * depth, grid.region.height + 2 * depth):
        return False
    for turns, side in enumerate(("top", "right", "bottom", "left")):
        lines = np.rot90(frame.crop(wide).pixels_bgr, turns)[:_SEAM_PX].swapaxes(0, 1)
        header = skin.drawing.header_bgr if side == "top" else None
        if header is not None and _are_of(lines[depth:-depth], header, skin.tolerance.colour).any():
            continue
        steps = np.diff(grid.edges(turns % 2))
        ways = (lines, steps if turns < 2 else steps[::-1]), (lines[::-1], steps[::-1] if turns < 2 else steps)
        if not all(_goes_around(ends, depth, cells) for ends, cells in ways):
            return False
    return True


def _goes_around(lines: Strip, depth: int, steps: NDArray[np.intp]) -> bool:
    """Whether what lies beside a side is no cells, and goes on past the corner that it begins at.

    Args:
        lines: what lies beside the side, from `depth` pixels before its corner on: uint8, along x across x 3.
        depth: how much lies before the corner.
        steps: from cell to cell along the side.
    """
    past = lines[:depth].astype(np.int16)
    starts = depth + np.cumsum(steps) - steps
    cells = lines[starts[:, None] + np.arange(steps.min())].astype(np.int16)  # cells x along x across x 3
    own = np.minimum(int(np.ptp(past[:-1], axis=(0, 1)).max()), np.ptp(cells[0], axis=0).max(axis=1))
    most = _PAGE_STEPS + np.minimum(own, _MOST_TEXTURE)
    middles = np.median(cells, axis=1)
    has_lines = ((np.abs(cells - middles[:, None]).max(axis=3) > most).mean(axis=0) > 0.5).any(axis=0)
    has_steps = (np.abs(np.diff(middles, axis=0)).max(axis=2) > most).any(axis=0)
    has_seam, is_other = (
        (np.abs(cells[0] - pixels).max(axis=2) > most).mean(axis=0) > _STRANGE
        for pixels in (past[-1], np.median(past, axis=0))
    )
    return not ((has_lines | has_steps | has_seam).any() or is_other.all())  # a frame's corner is mitred


def _along(grid: Grid, side: str) -> int:
    """How long a cell is along a side."""
    return int(grid.pitch_px[side in {"left", "right"}])
