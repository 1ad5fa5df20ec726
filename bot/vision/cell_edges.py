"""Tells where the cells of a known board meet, by edges alone, whatever its cells show.

Edges repeat by the pitch of the cells, and most where two cells meet. So all edges of a board together say to a part of
a pixel where it is (`EdgeProfile`), and whether it still is there when its colours are others (`has_lines_of`).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.models import Grid
from skins.pixels import pixels_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame

    Pixels = NDArray[np.uint8]


class EdgeProfile(NamedTuple):
    """How strong edges are along an axis of a board, over all its rows; its lines repeat by its pitch.

    Attributes:
        places: in pixels: intp, N.
        strengths: about their mean; less counts the nearer it is to an end, where the page begins: float64, N.
    """

    places: NDArray[np.intp]
    strengths: NDArray[np.float64]

    @staticmethod
    def of(pixels_bgr: Pixels, first: float, pitch: float, n: int, rows: slice) -> EdgeProfile:
        """The profile of n cells along x.

        Args:
            pixels_bgr: uint8, height x width x 3.
            first: where the first cell begins, in pixels, with `pitch` from cell to cell.
            pitch: of the cells.
            n: how many they are.
            rows: of the pixels that are looked at.
        """
        begin = max(0, round(first - pitch / 2))
        part = pixels_bgr[rows, begin : round(first + (n + 0.5) * pitch)]
        profile = np.minimum(pixels_apart(part[:, 1:], part[:, :-1]), MOST_EDGE).mean(axis=0)
        places = np.arange(begin + 1, begin + 1 + len(profile))
        window = np.sqrt(np.clip(1 - 2 * np.abs((places - first) / (n * pitch) - 0.5), 0, None))
        return EdgeProfile(places, np.asarray((profile - profile.mean()) * window, dtype=np.float64))

    def moved(self, first: float, pitch: float) -> float:
        """How far right of a place the nearest line is where two cells so far apart meet, in pixels.

        What lies as far before a line as behind it cancels: both sides of a gap, a digit in the middle of its cell.
        """
        along, across = self.wave(np.array([pitch]))
        line = math.atan2(across[0], along[0]) / (2 * math.pi) * pitch
        return (line - first + pitch / 2) % pitch - pitch / 2

    def pitch_near(self, pitch: float, reach_px: float) -> float:
        """The pitch at most so far from one by which lines repeat most."""
        pitches = pitch + np.linspace(-reach_px, reach_px, _N_PITCHES)
        strength = sum(along**2 + across**2 for along, across in (self.wave(pitches, times) for times in (1, 2, 3)))
        return peak(pitches.tolist(), np.asarray(strength).tolist())

    def wave(self, pitches: NDArray[np.float64], times: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The cosine and sine parts of one harmonic of each pitch: float64, N each.

        Args:
            pitches: in pixels: float64, N.
            times: the number of the harmonic.
        """
        angles = 2 * math.pi * times * self.places / pitches[:, None]  # numpy's complex exp needs what wine lacks
        return np.cos(angles) @ self.strengths, np.sin(angles) @ self.strengths


def begin_at(first: float, pitch: float) -> float:
    """Where cells begin whose lines are there: on a whole pixel where their pitch is a whole number."""
    return float(math.floor(first + 0.55)) if float(pitch).is_integer() else first


MOST_EDGE = 40.0  # edges that are stronger count as this: a page has a few very strong ones


def in_step(frame: Frame, grid: Grid, *, stretch_px: float = 0.0, most_moved_px: float | None = None) -> Grid:
    """The grid, moved, and stretched, to where the lines between its cells are.

    All lines of a board together tell that to a part of a pixel. What repeats most is where two cells meet: what lies
    as far before as behind that cancels. Along an axis where it would move too far the grid stays as it is.

    Args:
        frame: shows a board, fresh if it is small: digits are edges, too.
        grid: about where its cells are.
        stretch_px: how much longer or shorter it may be along an axis.
        most_moved_px: how far its middle may be from where it seemed to be; a quarter of a cell where that is None.
    """
    starts = frame.left, frame.top
    corner, pitches = [], []
    for axis, (start, pitch) in enumerate(zip(starts, grid.pitch_px, strict=True)):
        pixels = frame.pixels_bgr if axis == 0 else frame.pixels_bgr.swapaxes(0, 1)
        first, n = grid.corner[axis] - start, (grid.cols, grid.rows)[axis]
        across = grid.edges(1 - axis)
        rows = slice(max(0, across[0] - starts[1 - axis]), max(0, across[-1] - starts[1 - axis]))
        profile = EdgeProfile.of(pixels, first, pitch, n, rows)
        best = profile.pitch_near(pitch, stretch_px / n) if stretch_px else pitch
        if stretch_px and abs(best - round(best)) * n <= WHOLE_PX:
            best = float(round(best))
        middle = first + n * (pitch - best) / 2
        moved = profile.moved(middle, best)
        is_there = abs(moved) <= (_MOST_MOVED * pitch if most_moved_px is None else most_moved_px)
        corner.append(start + (begin_at(middle + moved, best) if is_there else first))
        pitches.append(best if is_there else pitch)
    return Grid.at((corner[0], corner[1]), (pitches[0], pitches[1]), grid.rows, grid.cols)


_MOST_MOVED = 0.25
"""How far closed cells may be from where they were found, as a share of a cell: they look alike some pixels on."""
WHOLE_PX = 0.5  # largest error at the far end of a board, in pixels, of a pitch that is taken for a whole number
_N_PITCHES = 41  # how many pitches are tried: what lies between is told by those beside it


def peak(places: Sequence[float], values: Sequence[float]) -> float:
    """The place of the largest value, to a part of the steps between places that lie evenly."""
    n = int(np.argmax(values))
    if not 0 < n < len(places) - 1:
        return float(places[n])
    before, here, after = values[n - 1 : n + 2]
    curve = before - 2 * here + after
    return places[n] + (0.5 * (before - after) / curve * (places[1] - places[0]) if curve < 0 else 0.0)


def has_lines_of(frame: Frame, grid: Grid) -> bool:
    """Whether cells still meet where a board had them, in every part of it: it may be dimmed, and nothing covers it.

    Args:
        frame: a picture that may show the board.
        grid: where its cells were.
    """
    return bool(parts_with_lines(frame, grid).all())


def parts_with_lines(frame: Frame, grid: Grid) -> NDArray[np.bool_]:
    """In which parts of a board cells still meet where it had them: bool, `N_PARTS` x `N_PARTS`.

    Args:
        frame: a picture that may show the board.
        grid: where its cells were.
    """
    found = np.zeros((N_PARTS, N_PARTS), dtype=np.bool_)
    if not frame.region.holds(grid.region):
        return found
    x, y = ([edge - start for edge in grid.edges(axis)] for axis, start in ((0, frame.left), (1, frame.top)))
    return _parted(frame.pixels_bgr, x, y) & _parted(frame.pixels_bgr.swapaxes(0, 1), y, x).T


def _parted(pixels_bgr: Pixels, x: list[int], y: list[int]) -> NDArray[np.bool_]:
    """In which parts of a board cells side by side meet at these places: bool, `N_PARTS` x `N_PARTS`.

    Args:
        pixels_bgr: uint8, height x width x 3.
        x: where columns begin and the last one ends, in pixels.
        y: where rows begin and the last one ends.
    """
    side = x[1] - x[0]
    moved = ([edge + round(share * side) for edge in x] for share in _INWARDS)
    contrasts = np.stack([gap_contrasts(pixels_bgr, x, y), *(line_contrasts(pixels_bgr, edges, y) for edges in moved)])
    parts = np.array(
        [
            [np.median(part, axis=(1, 2)) for part in np.array_split(rows, N_PARTS, axis=2)]
            for rows in np.array_split(contrasts, N_PARTS, axis=1)
        ]
    )
    at_edge, inside = parts[..., 0], parts[..., 1:].min(axis=2)
    least = max(LEAST_LINE, _OF_MOST * float(at_edge.max()))
    return np.asarray(at_edge >= np.maximum(least, _STANDS_OUT * inside))


_INWARDS, _STANDS_OUT = (-0.22, 0.22, 0.5), 1.5
"""How far from its edge a cell is looked at inside, as shares of its side, and how many times as much colours differ at
the edge as at one of these places, on the whole: bevels and digits have edges, too."""
_OF_MOST = 0.05
"""Least contrast of a part's lines, as a share of the greatest: two shades in turn differ less than open and closed
cells, and what covers a part hardly differs there at all."""
N_PARTS = 3  # into how many parts a board is divided, across and down: what covers a part hides most of its lines


_BESIDE_LINE_PX = 3  # how far to both sides of where two cells meet their colours are compared, in pixels
_HALF_GAP = 0.15  # half of the widest gap between two cells, as a share of their pitch: colours are compared beyond it


def line_contrasts(
    pixels_bgr: NDArray[np.uint8], x_edges: list[int], y_edges: list[int], reach: int = _BESIDE_LINE_PX
) -> NDArray[np.float64]:
    """How much colours differ where two cells meet side by side: float64, rows x (cols - 1), in levels.

    Args:
        pixels_bgr: uint8, height x width x 3.
        x_edges: where columns begin and the last one ends, in pixels; likewise `y_edges` for rows.
        y_edges: for rows.
        reach: how far to both sides of that colours are compared, in pixels.
    """
    near = np.stack([pixels_bgr[y_edges[0] : y_edges[-1], x - reach : x + reach] for x in x_edges[1:-1]])
    starts = [y - y_edges[0] for y in y_edges]
    found = [np.ptp(np.median(near[:, a:b], axis=1), axis=1).max(axis=1) for a, b in pairwise(starts)]
    return np.array(found)


def gap_contrasts(pixels_bgr: NDArray[np.uint8], x_edges: list[int], y_edges: list[int]) -> NDArray[np.float64]:
    """How much colours differ where two cells meet side by side, or on the two sides of a gap: as `line_contrasts`."""
    contrasts = line_contrasts(pixels_bgr, x_edges, y_edges)
    if np.median(contrasts) >= LEAST_LINE:
        return contrasts
    reach = max(_BESIDE_LINE_PX, 1 + round(_HALF_GAP * (x_edges[1] - x_edges[0])))  # this is the middle of a gap
    return line_contrasts(pixels_bgr, x_edges, y_edges, reach)


LEAST_LINE = 2.0  # least contrast where two cells meet, in levels
LEAST_PARTED = 0.5  # least share of the cells of a row, a column or a part of a board that are seen to be parted
