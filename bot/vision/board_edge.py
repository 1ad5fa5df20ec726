"""How far a board goes on where it cannot be seen: behind a window or dialog, or past the edge of the picture.

`finding` sees only the cells that show. Where a side does not end in the skin's border, something lies
over the rest; the levels that all clones share say how much that is. A size that is no shared level is left as it is
seen: nothing is made up. What is left of a board may be as large as a smaller level: its sides tell.

The edge of a picture tells nothing. A side counts as the board's own where it shows the border; in clones whose border
is not known, where there is room for one more cell beyond it, or something that no cell shows there. Past all other
sides the board may go on: the grid says so (`Grid.cut`), and so does every board that is read with it.

Is a known board still where it was? Its border strips tell, for the price of a few hundred pixels.

What lies right around a board does not change while it is played; a window that moved, was covered or closed changes
it. Where it changes by itself, as a line of text that scrolls does, the watch learns to leave that side out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Grid
from bot.vision.mine_counter import levels_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Skin

    Strip = NDArray[np.uint8]


_DEPTH_PX = 3
"""Depth of the strips, in pixels."""
_KERNEL_PX = 2
"""How far the kernels reach that enlarge a picture, in its own pixels."""


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

    It is extended where just one shared level fits, and in one place only.

    Args:
        grid: the cells that are seen; those that are not wholly on the frame are left out.
        frame: the picture.
        skin: the look of the board.
        is_whole: whether an edge of the frame that is closer to the board than one cell is the board's own.
    """
    grid = _inside(grid, frame)
    ends = _find_ends(grid, frame, skin, is_whole=is_whole)
    if skin.border is None or all(ends.values()):
        return _cut(grid, ends)
    larger = [level for level in levels_of(skin) if level != (grid.rows, grid.cols)]
    wholes = [_extended(grid, rows, cols, ends) for rows, cols in larger]
    fitting = [whole for whole in wholes if whole is not None and frame.region.holds(whole.region)]
    if len(fitting) != 1:
        return _cut(grid, ends)
    (whole,) = fitting
    is_known = {"top": whole.rows > grid.rows, "left": whole.cols > grid.cols}
    is_known |= {"bottom": is_known["top"], "right": is_known["left"]}
    return _cut(whole, {side: ends[side] or is_known[side] for side in ends})


def ends_everywhere(grid: Grid, frame: Frame, skin: Skin) -> bool:
    """Whether every side of a grid surely is the board's own: False where the skin knows no border."""
    return skin.border is not None and all(_show_border(grid, frame, skin).values())


def _cut(grid: Grid, ends: dict[str, bool]) -> Grid:
    return replace(grid, cut=frozenset(side for side, is_end in ends.items() if not is_end))


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


def _find_ends(grid: Grid, frame: Frame, skin: Skin, *, is_whole: bool) -> dict[str, bool]:
    """Which sides of the visible part are the board's own.

    Where no side shows the border that the skin knows, this is a clone with another one. A side where the border blends
    with the clone's window shows too little for that.
    """
    strips = beside(grid, frame)
    steps = [max(far - near for near, far in pairwise(grid.edges(axis))) for axis in (0, 1)]
    has_room = {side: strip.shape[1] >= steps[side in {"top", "bottom"}] for side, strip in strips.items()}
    shown = _show_border(grid, frame, skin) if skin.border is not None else {}
    blends = skin.border.blends if skin.border is not None else ()
    is_border_known = any(shown[side] and has_room[side] for side in shown if side not in blends)
    ends = {}
    for side, strip in strips.items():
        if not has_room[side]:
            ends[side] = is_whole or _is_no_cell(strip, side, grid, skin)
        else:
            ends[side] = shown[side] if is_border_known else True
    return ends


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


def _show_border(grid: Grid, frame: Frame, skin: Skin) -> dict[str, bool]:
    """Which sides of the visible part show the skin's border.

    One whole cell beside the border is enough: the rest may be covered. Parts of cells, dotted lines among them, have
    gaps. A window of the border's colour, as a white dialog, does not end where a border does; that tells nothing on a
    side where the border blends with the clone's own window.
    """
    border = skin.border
    assert border is not None, "asked only of skins that know their border"
    scale = grid.pitch_px[0] / skin.pitch_px[0]
    tolerance = 0 if grid.is_whole and scale == 1 else skin.tolerance.colour
    skip = 0 if tolerance == 0 else int(scale)  # kernels mix the border with what lies beside it
    near = slice(skip, max(round(border.depth_px * scale) - skip, skip + 1))
    width, height = grid.pitch_px
    wanted = {
        "left": (border.left_bgr, height),
        "right": (border.right_bgr, height),
        "top": (border.top_bgr, width),
        "bottom": (border.bottom_bgr, width),
    }
    shown = {}
    for side, strip in beside(grid, frame).items():
        colours, n_px = wanted[side]
        lines = [_are_of(strip[:, near], one, tolerance) for one in colours]
        if side not in border.blends:
            lines = [line & ~_are_of(strip, one, tolerance) for line, one in zip(lines, colours, strict=True)]
        shown[side] = any(_longest_run(line) >= n_px for line in lines)
    return shown


def _are_of(strip: Strip, colour: tuple[int, int, int], tolerance: int) -> NDArray[np.bool_]:
    """Which places along a strip (uint8, along x across x 3) are of a colour all across; none where it has no width."""
    if strip.shape[1] == 0:
        return np.zeros(strip.shape[0], dtype=np.bool_)
    apart: NDArray[np.int16] = np.abs(strip.astype(np.int16) - colour).max(axis=(1, 2))
    return apart <= tolerance


def _longest_run(flags: NDArray[np.bool_]) -> int:
    gaps = np.flatnonzero(np.concatenate([[True], ~flags, [True]]))
    return int(np.diff(gaps).max()) - 1


def _is_no_cell(strip: Strip, side: str, grid: Grid, skin: Skin) -> bool:
    """Whether what lies beside a side is no part of cells: some line along it is of one colour that none has there."""
    skip, native_per_px = _depth_to_tell(grid, skin), skin.pitch_px[side in {"top", "bottom"}] / _step(grid, side)
    looks = np.stack([seen_from(look.pixels_bgr, side) for look in skin.looks]).astype(np.int16)
    is_even = np.ptp(looks, axis=1).max(axis=2) <= skin.tolerance.colour  # looks x lines
    n_strange, n_needed = 0, 1 if native_per_px == 1 else int(1 / native_per_px) + 1  # kernels mix neighbouring lines
    for n in range(skip, strip.shape[1]):
        line = strip[:, n].astype(np.int16)
        at = int(n * native_per_px)
        near = slice(max(at - 1, 0), at + 2) if native_per_px != 1 else slice(at, at + 1)
        apart = np.abs(looks[:, :, near] - line[0]).max(axis=(1, 3))
        is_field = int(np.ptp(line, axis=0).max()) <= skin.tolerance.colour
        is_of_cells = bool((is_even[:, near] & (apart <= 2 * skin.tolerance.colour)).any())
        n_strange = n_strange + 1 if is_field and not is_of_cells else 0
        if n_strange == n_needed:
            return True
    return False


def seen_from(cell_bgr: Strip, side: str) -> Strip:
    """A cell as a strip beside this side of a board shows it: along x across x 3."""
    turned = cell_bgr if side in {"left", "right"} else cell_bgr.swapaxes(0, 1)
    return turned[:, ::-1] if side in {"left", "top"} else turned


def _step(grid: Grid, side: str) -> float:
    """How far it is from cell to cell across a side."""
    return grid.pitch_px[side in {"top", "bottom"}]


def _depth_to_tell(grid: Grid, skin: Skin) -> int:
    """How many pixels beside a board tell nothing.

    Kernels mix what lies beside the board with its cells, and between tiles and blocks lie gaps.
    """
    most_gap = skin.drawing.most_gap
    if most_gap:
        return int(most_gap / (1 + most_gap) / 2 * max(grid.pitch_px)) + 2
    if grid.cell_px is not None:
        steps = [far - near for axis in (0, 1) for near, far in pairwise(grid.edges(axis))]
        return max(steps) - min(grid.cell_px)
    scale = max(pitch / native for pitch, native in zip(grid.pitch_px, skin.pitch_px, strict=True))
    return 0 if grid.is_whole and scale == 1 else int(scale) + 1
