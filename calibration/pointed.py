"""The fresh board under the pointer, where cells are alike and not equal, or where other things repeat beside it.

A fresh board repeats, cell by cell, from its first column to its last and from its first row to its last; around the
pointer there is nothing else. How far apart the cells are is told by edges, which a chequered board repeats as well.
Where that ends on each side, by whole columns and rows of pixels, the board ends: the page around it may be plain, may
repeat itself with another pitch, or show a line a cell away.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.models import Grid, Pixel
from bot.vision.alike import BETWEEN_PIXELS, IN_PLACE, Comparer, insides
from bot.vision.cell_edges import LEAST_LINE, LEAST_PARTED, MOST_EDGE, WHOLE_PX, gap_contrasts, in_step, peak
from bot.vision.sites import MIN_SIDE
from calibration.appearances import Codebook
from calibration.cells import Cutter
from skins.pixels import distinct_rows, pixels_apart
from skins.skin import inside_px

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Region

    Floats = NDArray[np.float32]

_REACHES_PX = (150, 80)
"""How far around the pointer it is looked how far apart things repeat: far tells best, near has less of the page."""
_WINDOWS = {0: (-1.0, 1.0), -1: (-2.0, 0.27), 1: (-0.27, 2.0)}
"""From where to where, in reaches: evenly around the pointer, before it, or behind it."""
_BANDS_CELLS = {0: (-2.0, 2.0), -1: (-3.5, 0.5), 1: (-0.5, 3.5)}
"""From where to where around the pointer, in cells, it is looked how far they do; likewise."""
_SIDES = ((0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""Where the board is looked for, across and down: around the pointer, then to one side, if it rests in a corner."""
_AWAY_PX = 110
_LOOKED_FROM = (
    *((dx, dy) for dx in (_AWAY_PX, -_AWAY_PX) for dy in (_AWAY_PX, -_AWAY_PX)),
    *((dx, 0) for dx in (_AWAY_PX, -_AWAY_PX)),
    *((0, dy) for dy in (_AWAY_PX, -_AWAY_PX)),
    *((2 * dx, 2 * dy) for dx in (_AWAY_PX, -_AWAY_PX) for dy in (_AWAY_PX, -_AWAY_PX)),
)
"""Places around the pointer, in pixels from it. The board is looked at from them until `_AGREED` views agree."""
_AGREED = 2
_SAME_CELL = 0.15  # how far the corners of what is seen from two places may be apart, as a share of a cell
_MOST_OBLONG = 1.4  # largest ratio of the sides of a cell
_LEAST_PX, _MOST_PX = 10, 90
"""Smallest and largest pitch."""
_BEST = 0.9  # share of the best repeat that the smallest pitch must reach
_LEAST_REPEAT = 0.6  # least correlation of edges one pitch apart
_PROMINENT = 0.03  # least difference between the correlation at a pitch and at smaller and larger ones
_MOST_ROWS = 0.4  # share of its pixels by which a column is judged: on others something may lie, or show through gaps
_NOISE = 3.0  # factor by which a column may repeat worse than most do around the pointer, with some levels more
_LEVELS = 3.0
_STRONG = 25.0
"""Difference of a column that ends a board by itself; what shows through gaps differs by less, or in few columns."""
_LEAST_ALIKE = 0.95  # least share of cells that look like one, or like one of two in turn
SLACK, _MOST_SLACK, _OF_SPREAD = 6.0, 18.0, 1.5
_SLACK_BETWEEN_PIXELS = 22.0
"""The slack of an appearance: at least, at most, and by how much closed cells differ. Between pixels one digit differs
by up to 22 (24 settings of the test page), and different ones by 75 or more."""
_INSET, _MOST_INSET = 0.08, 0.12
"""The edge of a cell that does not count, as a share of its side: at least, and where a thick bevel lies in it."""


class Pointed(NamedTuple):
    """A fresh board under the pointer.

    Attributes:
        grid: where its cells lie.
        cutter: how their insides are cut out.
    """

    grid: Grid
    cutter: Cutter

    def insides(self, frame: Frame) -> NDArray[np.uint8]:
        """The insides of its cells as a picture has them, not made equal: uint8, N x height x width x 3."""
        assert self.cutter.inset_px is not None, "insides have an edge around"
        size = inside_px(self.grid.pitch_px, self.cutter.inset_px[0])
        return insides(frame.crop(self.grid.region).pixels_bgr, self.grid, self.cutter.inset_px[0], size)


def find_pointed(frame: Frame, pointer: Pixel) -> Pointed | None:
    """The fresh board under the pointer, None where none is seen to be there.

    It is looked at from the pointer, then from its own other half. Where these differ, other places decide.

    Args:
        frame: a picture of the screen; the cell under the pointer may look otherwise than all others.
        pointer: where a person has it.
    """
    if not frame.region.has_pixel(pointer):
        return None
    first = _board_under(frame, pointer, pointer)
    if first is not None:
        again = _board_under(frame, pointer, _pixel_far_from(pointer, first.grid.region))
        if again is not None and _is_same(first.grid, again.grid):
            return first
    found = [] if first is None else [first]
    for dx, dy in _LOOKED_FROM:
        board = _board_under(frame, pointer, Pixel(pointer.x + dx, pointer.y + dy))
        if board is None:
            continue
        found.append(board)
        same = [one for one in found if _is_same(board.grid, one.grid)]
        if len(same) >= _AGREED:
            return same[0]  # seen from nearest to the pointer
    return first


def _board_under(frame: Frame, pointer: Pixel, at: Pixel) -> Pointed | None:
    """The board under the pointer, looked at from a pixel of the screen; None where none is seen from there."""
    if not frame.region.has_pixel(at):
        return None
    board = _board_seen_from(frame, (at.x - frame.left, at.y - frame.top))
    return board if board is not None and board.grid.region.has_pixel(pointer) else None


def _pixel_far_from(pointer: Pixel, region: Region) -> Pixel:
    """The pixel of a board that is far from the pointer: a quarter of the board from its edges, in its other half."""
    x, y = (
        start + size * (3 if at - start < size / 2 else 1) // 4
        for start, size, at in ((region.left, region.width, pointer.x), (region.top, region.height, pointer.y))
    )
    return Pixel(x, y)


def _board_seen_from(frame: Frame, at: tuple[int, int]) -> Pointed | None:
    """The board around a pixel of a picture, None where none is seen from there."""
    for reach, sides in product(_REACHES_PX, _SIDES):
        cols, rows = (
            slice(*(max(0, px + round(share * reach)) for share in _WINDOWS[side]))
            for px, side in zip(at, sides, strict=True)
        )
        pitches = _pitches(frame.pixels_bgr[rows, cols])
        found = None if pitches is None else _board_around(frame, at, sides, pitches)
        # Cells are about as wide as high: two were taken for one otherwise, or it is no board.
        if found is None or max(found.grid.pitch_px) > _MOST_OBLONG * min(found.grid.pitch_px):
            continue
        if _repeats_itself(frame, found.grid) and not _goes_on(frame, found):
            return found
    return None


def _is_same(one: Grid, other: Grid) -> bool:
    """Whether two grids have the same cells, to a part of them."""
    return one.is_near(other, _SAME_CELL * min(one.pitch_px))


def _repeats_itself(frame: Frame, grid: Grid) -> bool:
    """Whether the edges of a board repeat by its own pitch, not by that of a texture beside it.

    Where two shades in turn show no edge between some cells, they repeat to the right and below at once.
    """
    edges = _edges(frame.crop(grid.region).pixels_bgr)
    across, down = (_whole_pitches(pitch) for pitch in grid.pitch_px)
    straight = min(max(_likeness(edges, dx, 0) for dx in across), max(_likeness(edges, 0, dy) for dy in down))
    return bool(straight >= _LEAST_REPEAT or _most_slanted(edges, grid.pitch_px) >= _LEAST_REPEAT)


def _goes_on(frame: Frame, board: Pointed) -> bool:
    """Whether beside the board there are cells like its own: rows of some clones are a pixel narrower than others."""
    grid = board.grid
    shade = np.indices(grid.shape).sum(axis=0).ravel() % 2
    own = _colours(board.insides(frame))
    usual = np.stack([np.median(own[shade == one], axis=0) for one in (0, 1)])
    for before, axis in product((True, False), (0, 1)):
        n = (grid.cols, grid.rows)[axis]
        wider = _lines_of(grid, axis, -before, n + 1)
        parted = _of_parted_cells(frame, wider) if frame.region.holds(wider.region) else None
        if parted is not None and parted.shape == wider.shape:
            beside = _colours(board._replace(grid=_lines_of(grid, axis, -1 if before else n, 1)).insides(frame))
            is_alike = (np.abs(beside[:, None] - usual).max(axis=2) <= SLACK).any(axis=1)
            if is_alike.mean() >= LEAST_PARTED:
                return True
    return False


def _colours(cells: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The colour that is in the middle of each cell's, by channels: float64, N x 3."""
    colours: NDArray[np.float64] = np.median(cells.reshape(len(cells), -1, 3), axis=1)
    return colours


def _lines_of(grid: Grid, axis: int, first: int, n: int) -> Grid:
    """Some columns (axis 0) or rows (axis 1) of a grid. Number -1 is the one before its first."""
    (x, y), (wide, high) = grid.corner, grid.pitch_px
    if axis == 0:
        return Grid.at((x + first * wide, y), grid.pitch_px, grid.rows, n)
    return Grid.at((x, y + first * high), grid.pitch_px, n, grid.cols)


def _whole_pitches(pitch: float) -> list[int]:
    """The whole pixels beside a pitch."""
    return sorted({math.floor(pitch), math.ceil(pitch)})


def _pitches(part: NDArray[np.uint8]) -> tuple[float, float] | None:
    """How far apart cells repeat in a part of the screen, along x and y; None where they do not.

    Where only one of the two is seen, the cells are taken for squares.
    """
    edges = _edges(part)
    wide, high = _pitch(edges), _pitch(edges.T)
    if wide is None or high is None:
        one = wide or high
        return None if one is None else (one, one)
    return (wide / 2, high / 2) if _are_pairs(edges, wide, high) else (wide, high)


def _board_around(
    frame: Frame, at: tuple[int, int], sides: tuple[int, int], pitches: tuple[float, float]
) -> Pointed | None:
    """The board of cells so far apart around a pixel, or to those sides of it; None where there is none."""
    across, down = (_extent(frame.pixels_bgr, at, sides, pitches, axis) for axis in (0, 1))
    if across is None or down is None:
        return None
    corner = frame.left + across.first, frame.top + down.first
    found = in_step(
        frame,
        Grid.at(corner, (across.pitch, down.pitch), down.n, across.n),
        stretch_px=_OUT_OF_STEP_PX,
        most_moved_px=_MOST_MOVED_PX,
    )
    return cells_that_are_alike(frame, _squared(found))


def _squared(grid: Grid) -> Grid:
    """A grid of square cells where they are nearly that, around its middle; on whole pixels where their pitch is."""
    width, height = grid.pitch_px
    if abs(width - height) * min(grid.cols, grid.rows) > 1:
        return grid
    mean = (width + height) / 2
    first = [
        corner + (own - mean) * n / 2
        for corner, own, n in zip(grid.corner, grid.pitch_px, (grid.cols, grid.rows), strict=True)
    ]
    x, y = (float(round(one)) for one in first) if mean.is_integer() else first
    return Grid.at((x, y), (mean, mean), grid.rows, grid.cols)


_OUT_OF_STEP_PX, _MOST_MOVED_PX = 3.0, 2.0
"""How far a board's far end may be from where it seemed to be, and all of it, in pixels."""


def _edges(part: NDArray[np.uint8]) -> Floats:
    """How much the colour changes at each pixel, smoothed by a pixel: float32."""
    edges = np.zeros(part.shape[:2], dtype=np.float32)
    edges[:, 1:] += pixels_apart(part[:, 1:], part[:, :-1])
    edges[1:] += pixels_apart(part[1:], part[:-1])
    return np.asarray(cv2.blur(np.minimum(edges, MOST_EDGE), (3, 3)), dtype=np.float32)


def _pitch(edges: Floats) -> float | None:
    """How far apart edges repeat along x, to a part of a pixel; None where nothing does."""
    width = edges.shape[1]
    lags = range(_LEAST_PX, min(_MOST_PX, width // 2) + 1)
    if len(lags) < 3:
        return None
    likenesses = _likenesses(edges)
    found = likenesses[lags.start : lags.stop]
    best = float(found.max())
    if best < _LEAST_REPEAT:
        return None
    peaks = [n for n in range(1, len(found) - 1) if found[n] >= _BEST * best and _stands_out(found, n)]
    if not peaks:
        return None
    pitch = float(lags[peaks[0]])
    times = 2
    while times * pitch < width * 2 / 3:  # farther apart tells more exactly
        near = [lag for lag in range(round(times * pitch) - 2, round(times * pitch) + 3) if lag < width]
        likeness = likenesses[near].tolist()
        if max(likeness) < _LEAST_REPEAT:  # that far there is no board any more
            break
        pitch = peak(near, likeness) / times
        times += 1
    return pitch


def _stands_out(found: NDArray[np.float64], n: int) -> bool:
    """Whether a value is the largest near it, and clearly larger than some on both sides."""
    if found[n] < found[max(0, n - 2) : n + 3].max():
        return False
    return bool(found[n] - max(found[:n].min(), found[n + 1 :].min()) >= _PROMINENT)


def _likenesses(edges: Floats) -> NDArray[np.float64]:
    """The correlation of edges with those n pixels to the right, for each n less than the width: float64.

    The sums of products come from one Fourier transform (the theorem of Wiener and Khinchin), those of values from
    running sums.
    """
    height, width = edges.shape
    values = edges - edges.mean(dtype=np.float64)
    length = cv2.getOptimalDFTSize(2 * width)  # others take several times as long
    spectrum = np.fft.rfft(values, length, axis=1)
    products = np.fft.irfft((spectrum.real**2 + spectrum.imag**2).sum(axis=0), length)[:width]
    lags = np.arange(width)
    n_pixels = height * (width - lags)
    sums, squares = (np.concatenate(([0.0], np.cumsum(columns.sum(axis=0)))) for columns in (values, values**2))
    left, right = sums[width - lags], sums[width] - sums[lags]
    spread = (squares[width - lags] - left**2 / n_pixels) * (squares[width] - squares[lags] - right**2 / n_pixels)
    size = np.sqrt(np.maximum(spread, 0.0))
    shared = products - left * right / n_pixels
    found: NDArray[np.float64] = np.divide(shared, size, out=np.zeros(width), where=size > _LEAST_SPREAD)
    return found


_LEAST_SPREAD = 1e-3
"""Sum of squares about the mean that counts as none: rounding leaves less, and an edge of one level ten times more."""


def _likeness(edges: Floats, dx: int, dy: int) -> float:
    """The correlation of edges with those so far to the right and below."""
    height, width = edges.shape
    one, other = edges[: height - dy, : width - dx].ravel(), edges[dy:, dx:].ravel()
    one, other = one - one.mean(), other - other.mean()
    size = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / size if size > 0 else 0.0


def _most_slanted(edges: Floats, pitches: tuple[float, float]) -> float:
    """The correlation of edges with those of the next cell to the right and below, to whole pixels."""
    across, down = (_whole_pitches(pitch) for pitch in pitches)
    return max(_likeness(edges, dx, dy) for dx in across for dy in down)


def _are_pairs(edges: Floats, wide: float, high: float) -> bool:
    """Whether edges that repeat so far apart do so half as far as well, to the right and below at once.

    Those of two shades in turn do: then half of each is a cell. A line between two cells would lie in the middle of
    others.
    """
    if min(wide, high) < 2 * _LEAST_PX:
        return False
    straight = min(_likeness(edges, round(wide), 0), _likeness(edges, 0, round(high)))
    return bool(_most_slanted(edges, (wide / 2, high / 2)) >= _BEST * straight)


class _Extent(NamedTuple):
    """The cells along an axis: where the first begins, how far apart they are, how many."""

    first: float
    pitch: float
    n: int


def _extent(
    pixels_bgr: NDArray[np.uint8], at: tuple[int, int], sides: tuple[int, int], pitches: tuple[float, float], axis: int
) -> _Extent | None:
    """How far cells repeat along an axis (0: x) around a pixel; None where that makes no board."""
    along, across = (at, at[::-1])[axis]
    pitch, other = pitches[axis], pitches[1 - axis]
    inward = along + sides[axis] * pitch  # off the outermost cell
    pixels = pixels_bgr if axis == 0 else pixels_bgr.swapaxes(0, 1)
    begin, stop = (max(0, int(across + n * other)) for n in _BANDS_CELLS[sides[1 - axis]])
    band = pixels[begin:stop]
    times = _turns(band, inward, pitch)
    if times is None:
        return None
    lag = times * pitch
    apart = _columns_apart(band, lag)
    near = slice(max(0, int(inward - 2 * pitch)), max(1, int(inward + (3 - times) * pitch)))
    limit = _LEVELS + _NOISE * float(np.median(apart[near]))
    uneven = np.flatnonzero(_run_over(apart > limit, round(_MOST_GAP * pitch)) | (apart > limit + _STRONG))
    start = int(uneven[uneven < inward - lag / 2].max(initial=-1)) + 1
    end = int(uneven[uneven >= max(inward - lag / 2, start)].min(initial=len(apart))) + lag
    span = end - start
    n = int(span / pitch + _MOST_GAP)
    if n < MIN_SIDE:
        return None
    if abs(pitch - round(pitch)) * n <= WHOLE_PX:
        pitch = float(round(pitch))
    goes_on_before, goes_on_behind = start == 0, end == len(apart) + lag
    share = 0.5 if goes_on_before == goes_on_behind else float(goes_on_before)  # of what is left, before the first cell
    first = start + share * (span - n * pitch)
    return _Extent(float(round(first)) if pitch.is_integer() else first, pitch, n)


_MOST_GAP = 0.2  # widest gap between cells, as a share of the pitch: none lies beside the outermost ones


def _run_over(flags: NDArray[np.bool_], n: int) -> NDArray[np.bool_]:
    """The flags that are set in runs of more than n."""
    kernel = np.ones((1, n + 1), dtype=np.uint8)
    opened = cv2.morphologyEx(np.pad(flags.astype(np.uint8), n + 1)[None], cv2.MORPH_OPEN, kernel)
    return np.asarray(opened[0, n + 1 : len(opened[0]) - n - 1] > 0)


def _turns(band: NDArray[np.uint8], at: float, pitch: float) -> int | None:
    """After how many cells a board repeats: 1, or 2 where it is chequered; None where it does neither."""
    near = slice(max(0, int(at - 2 * pitch)), int(at + 2 * pitch))
    apart = [
        float(np.median(_columns_apart(band[:, near.start : near.stop + int(n * pitch)], n * pitch))) for n in (1, 2)
    ]
    if not all(map(math.isfinite, apart)):
        return None
    return 1 if apart[0] <= 2 * apart[1] + _LEVELS / 2 else 2


def _columns_apart(band: NDArray[np.uint8], lag: float) -> NDArray[np.float64]:
    """How far each column is from the one `lag` to the right, or a pixel beside that where it is no whole number."""
    lags = {math.floor(lag + 0.02), math.ceil(lag - 0.02)}
    n = band.shape[1] - max(lags)
    if n <= 0:
        return np.array([math.inf])
    apart = [pixels_apart(band[:, :n], band[:, one : one + n]).astype(np.int16) for one in lags]
    return np.asarray(np.min([np.quantile(one, _MOST_ROWS, axis=0) for one in apart], axis=0))


def cells_that_are_alike(frame: Frame, grid: Grid) -> Pointed | None:
    """The board with how its cells are cut; None where they are not alike, or there is nothing between them."""
    if not frame.region.holds(grid.region):
        return None
    parted = _of_parted_cells(frame, grid)
    if parted is None:
        return None
    least, most = (max(2, round(share * min(parted.pitch_px))) for share in (_INSET, _MOST_INSET))
    tried = (_pointed_by_insides(frame, parted, inset) for inset in range(least, most + 1))
    return next((found for found in tried if found is not None), None)


def _pointed_by_insides(frame: Frame, grid: Grid, inset: int) -> Pointed | None:
    """The board with cells whose edge, so wide, does not count; None where they are not alike then."""
    size = inside_px(grid.pitch_px, inset)
    if min(size) < _LEAST_INSIDE_PX:
        return None
    cells = insides(frame.crop(grid.region).pixels_bgr, grid, inset, size)
    is_whole = grid.is_whole
    comparer = Comparer(IN_PLACE if is_whole else BETWEEN_PIXELS)
    shade = (np.indices((grid.rows, grid.cols)).sum(axis=0) % 2).ravel()
    spreads = [_spread(cells[shade == one], comparer) for one in (0, 1)]
    slack = min(_MOST_SLACK, max(SLACK, _OF_SPREAD * max(spreads)))
    slack = slack if is_whole else max(slack, _SLACK_BETWEEN_PIXELS)
    if max(spreads) > slack:
        return None
    return Pointed(grid, Cutter(size, (inset,) * 4, Codebook(slack, is_shifted=not is_whole)))


_LEAST_INSIDE_PX = 6
_OF_LINES = 0.3  # least contrast where two cells meet, as a share of what most show


def _of_parted_cells(frame: Frame, grid: Grid) -> Grid | None:
    """The grid without outer rows and columns whose cells nothing parts; None where none of a board are left.

    A plain page repeats as a board does: it makes no cells, though a line may lie a cell away from them.
    """
    pixels = frame.pixels_bgr
    x_edges, y_edges = (
        [edge - start for edge in grid.edges(axis)] for axis, start in ((0, frame.left), (1, frame.top))
    )
    beside, below = gap_contrasts(pixels, x_edges, y_edges), gap_contrasts(pixels.swapaxes(0, 1), y_edges, x_edges)
    rows, cols = _parted_lines(beside), _parted_lines(below)
    if rows is None or cols is None or min(len(rows), len(cols)) < MIN_SIDE:
        return None
    corner = grid.corner[0] + cols.start * grid.pitch_px[0], grid.corner[1] + rows.start * grid.pitch_px[1]
    return Grid.at(corner, grid.pitch_px, len(rows), len(cols))


def _parted_lines(contrasts: NDArray[np.float64]) -> range | None:
    """The lines from the first to the last whose cells are parted; None where one among them has cells that are not."""
    least = max(LEAST_LINE, _OF_LINES * float(np.median(contrasts)))
    parted = np.flatnonzero((contrasts >= least).mean(axis=1) >= LEAST_PARTED)
    if not parted.size or parted.size <= _LEAST_ALIKE * (parted[-1] - parted[0]):
        return None
    return range(int(parted[0]), int(parted[-1]) + 1)


def _spread(cells: NDArray[np.uint8], comparer: Comparer) -> float:
    """How far nearly all of some cells are from the one in their middle."""
    distinct = distinct_rows(cells)
    middle = np.median(cells, axis=0).astype(np.uint8)
    apart = comparer.apart(distinct.rows, middle[None])[:, 0]
    order = np.argsort(apart)
    share = np.cumsum(distinct.counts[order]) / len(cells)
    return float(apart[order[int(np.searchsorted(share, _LEAST_ALIKE))]])
