"""Boards whose cells are alike and never equal (`skins.skin.Alike`), as on web pages: where they are, what they say.

A browser dithers gradients, and draws cells at a pitch that need be no whole number: each begins on a pixel of the
screen, one is a pixel wider than the next, and a digit lies between pixels, in each cell otherwise. So only the inside
of a cell counts, cut out where the cell begins. Two are compared after each is averaged over 3 x 3 pixels, at the place
and channel where they differ most, and for the best of some shifts where the pitch is no whole number. Noise cancels
out so; a missing stroke of a digit does not.

A board is found by where most insides of the skin lie in step. Closed cells of one plain colour count only where
something parts them: a line, a bevel, a gap or another shade.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np

from bot.models import FoundBoard, Grid
from bot.vision.matching import Templates, Verdict, code_of, nearest_of
from bot.vision.patches import MIN_SIDE, MINE_CAPABLE, NO_CELL, OPEN, PLAIN, find_patches
from skins.pixels import fingerprint, pixels_apart
from skins.skin import CLOSED, Alike, inside_px, is_open_state
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Skin

    Pixels = NDArray[np.uint8]
    Floats = NDArray[np.float32]


IN_PLACE = (0.0,)
BY_PIXELS = (-1.0, 0.0, 1.0)
BETWEEN_PIXELS = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""So far the inside of a cell may lie right of or below another one's, in pixels: not at all; where a fresh board does
not tell to the pixel where its cells begin; where the pitch is no whole number, so that each lies otherwise."""
_PLAIN_SLACK = 12.0
"""Slack of an open cell without a number: nothing is drawn there that may lie between pixels."""
_MOST_AT_ONCE = 400
"""Most cells that are compared with all looks at once, for the memory that takes."""


def insides(pixels_bgr: Pixels, grid: Grid, inset_px: int, size: tuple[int, int]) -> Pixels:
    """The insides of all cells, of one size: uint8, N x height x width x 3.

    Args:
        pixels_bgr: of the grid's region.
        grid: where the cells lie.
        inset_px: how much of a cell's edge does not count.
        size: (width, height) of an inside.
    """
    (x, y), (width, height) = (
        (np.array(grid.edges(axis)[:-1]) - grid.edges(axis)[0] + inset_px for axis in (0, 1)),
        size,
    )
    rows = (y[:, None] + np.arange(height)).ravel()
    cols = (x[:, None] + np.arange(width)).ravel()
    cut = pixels_bgr[rows[:, None], cols].reshape(grid.rows, height, grid.cols, width, 3)
    return np.ascontiguousarray(cut.swapaxes(1, 2)).reshape(-1, height, width, 3)


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
        turn = float(np.angle(np.exp(-2j * math.pi * self.places / pitch) @ self.strengths))
        return (-turn / (2 * math.pi) * pitch - first + pitch / 2) % pitch - pitch / 2


def begin_at(first: float, pitch: float) -> float:
    """Where cells begin whose lines are there: on a whole pixel where their pitch is a whole number."""
    return float(math.floor(first + 0.55)) if float(pitch).is_integer() else first


MOST_EDGE = 40.0
"""Edges that are stronger count as this: a page has a few very strong ones."""


class Comparer:
    """Says how far insides of cells are from some others, 0-255.

    Args:
        shifts: how far these may lie right of or below them, in pixels.
    """

    def __init__(self, shifts: Sequence[float]) -> None:
        self._shifts = [(dx, dy) for dx in shifts for dy in shifts]
        self._shifts.sort(key=lambda shift: abs(shift[0]) + abs(shift[1]))

    def apart(self, cells: Pixels, others: Pixels) -> Floats:
        """From each of some cells to each of others, all of one size (N x height x width x 3): float32, N x others."""
        if not len(cells) or not len(others):
            return np.full((len(cells), len(others)), np.inf, dtype=np.float32)
        found: Floats = np.full((len(cells), len(others)), np.inf, dtype=np.float32)
        fixed = _smooth(cells)[:, 1:-1, 1:-1]
        for shift in self._shifts:
            moved = np.stack([_smooth_one(other, shift) for other in others])[:, 1:-1, 1:-1]
            for first in range(0, len(cells), _MOST_AT_ONCE):
                part = slice(first, first + _MOST_AT_ONCE)
                for number, other in enumerate(moved):
                    far = np.asarray(np.abs(fixed[part] - other).max(axis=(1, 2, 3)), dtype=np.float32)
                    np.minimum(found[part, number], far, out=found[part, number])
        return found


def _smooth(cells: Pixels) -> Floats:
    found: Floats = np.array([_smooth_one(cell, (0.0, 0.0)) for cell in cells], dtype=np.float32)
    return found


def _smooth_one(cell: Pixels, shift: tuple[float, float]) -> Floats:
    """A cell averaged over 3 x 3 pixels, shifted by parts of a pixel."""
    blurred = cv2.blur(cell.astype(np.float32), (3, 3), borderType=cv2.BORDER_REPLICATE)
    smooth: Floats = np.asarray(blurred, dtype=np.float32)
    if shift == (0.0, 0.0):
        return smooth
    move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], dtype=np.float32)
    height, width = cell.shape[:2]
    moved = cv2.warpAffine(smooth, move, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


class AlikeMatcher:
    """Names the cells of one skin by their insides. Make it by `alike_matcher_of`."""

    def __init__(self, skin: Skin) -> None:
        drawing = skin.drawing
        assert isinstance(drawing, Alike), "asked only of skins whose cells are alike"
        self.skin = skin
        self.drawing = drawing
        self.size = inside_px(drawing.step_px, drawing.inset_px)
        whole = Grid.at((0, 0), skin.pitch_px, 1, 1)
        self.looks = np.stack([insides(look.pixels_bgr, whole, drawing.inset_px, self.size)[0] for look in skin.looks])
        self._comparer = Comparer(BETWEEN_PIXELS if drawing.is_fractional else BY_PIXELS)
        states = np.array([look.state for look in skin.looks])
        self.sets: list[frozenset[str]] = [frozenset({str(state)}) for state in dict.fromkeys(states.tolist())]
        place = {next(iter(own)): number for number, own in enumerate(self.sets)}
        self._set_of_look = np.array([place[state] for state in states.tolist()], dtype=np.intp)
        self._is_rival = states[:, None] != states
        self._codes = np.array([code_of(state) for state in states.tolist()], dtype=np.int16)
        is_open = np.array([is_open_state(state) for state in states.tolist()])
        tells = np.ptp(self.looks.reshape(len(self.looks), -1, 3), axis=1).max(axis=1) > 2 * drawing.slack
        self._site = np.where(is_open, np.where(tells, OPEN, PLAIN), MINE_CAPABLE).astype(np.int8)
        self._is_sought = (states == CLOSED) | (is_open & tells)
        self._is_plain = ~tells
        self._accept = np.where(is_open & ~tells, min(drawing.slack, _PLAIN_SLACK), drawing.slack)
        sought = self.looks[self._is_sought]
        self._templates = Templates(sought.reshape(len(sought), -1).astype(np.float32))

    def name(self, cells: Pixels, seen: dict[int, tuple[int, float]]) -> Verdict:
        """Name insides of cells; equal ones are looked at once.

        Args:
            cells: uint8, N x height x width x 3.
            seen: what was named before, by fingerprint: a look, -1 for none, and how sure; added to.
        """
        prints = fingerprint(cells).tolist()
        new = {value: number for number, value in enumerate(prints) if value not in seen}
        if new:
            best, scores = self._nearest(cells[list(new.values())])
            seen.update(zip(new, zip(best.tolist(), scores.tolist(), strict=True), strict=True))
        best = np.array([seen[value][0] for value in prints], dtype=np.intp)
        scores = np.array([seen[value][1] for value in prints])
        is_known = best >= 0
        named = np.where(is_known, self._codes[best], codes.UNREADABLE).astype(np.int16)
        return Verdict(named, np.where(is_known, scores, 0.0), np.where(is_known, self._set_of_look[best], -1))

    def _nearest(self, cells: Pixels) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The look that each cell shows, -1 for none, and how sure that is."""
        accept = self.drawing.slack
        near = nearest_of(self._comparer.apart(cells, self.looks), self._is_rival, accept, self.skin.tolerance.margin)
        is_clear = near.is_clear & (near.apart <= self._accept[near.best])
        return np.where(is_clear, near.best, -1), 1.0 - near.apart.astype(np.float64) / (2 * accept)

    def boards(self, frame: Frame) -> Iterator[FoundBoard]:
        """The boards of this skin on a frame."""
        height, width = frame.pixels_bgr.shape[:2]
        step = self.drawing.step_px
        if width < MIN_SIDE * step[0] or height < MIN_SIDE * step[1]:
            return
        for corner in self._corners(frame.pixels_bgr):
            grid = self._nearest_raster(frame, corner)
            sites = self._sites(frame, grid)
            patches = find_patches(sites)
            for patch in patches:
                first = grid.corner[0] + patch.left * step[0], grid.corner[1] + patch.top * step[1]
                found = Grid.at(first, step, patch.rows, patch.cols)
                there = sites[patch.top : patch.top + patch.rows, patch.left : patch.left + patch.cols]
                if not np.isin(there, (OPEN, PLAIN)).any():  # a fresh board: digits would be edges, too
                    found = _in_step(frame, found)
                yield FoundBoard(self.skin, found, patch.n_known, patch.n_named)
            if patches:
                return

    def _raster(self, frame: Frame, corner: tuple[float, float]) -> Grid:
        """All cells on a frame that begin in step with a corner, from its left and top edge on."""
        (height, width), step = frame.pixels_bgr.shape[:2], self.drawing.step_px
        x, y = (first % one for first, one in zip(corner, step, strict=True))
        if not self.drawing.is_fractional:
            x, y = float(round(x)), float(round(y))
        cols, rows = int((width - x - 1) // step[0]), int((height - y - 1) // step[1])
        return Grid.at((frame.left + x, frame.top + y), step, rows, cols)

    def _nearest_raster(self, frame: Frame, corner: tuple[float, float]) -> Grid:
        """The raster whose corner is a pixel or two from this one, on which cells with something in them fit best.

        Plain cells tell nothing: the middle of where they fit was taken.
        """
        grid = self._raster(frame, corner)
        telling = self._telling(frame, grid)
        if telling.size < _FEW_TELLING:
            return grid
        part = 0.5 if self.drawing.is_fractional else 1.0
        moves = sorted(product(range(-2, 3), repeat=2), key=lambda move: abs(move[0]) + abs(move[1]))
        tried = [self._raster(frame, (corner[0] + part * dx, corner[1] + part * dy)) for dx, dy in moves]
        return max(tried, key=lambda one: self._liking(frame, one, telling))

    def _telling(self, frame: Frame, grid: Grid) -> NDArray[np.intp]:
        """(row, col) of some cells of a raster that may show a look which is not plain: intp, N x 2."""
        cells = insides(frame.crop(grid.region).pixels_bgr, grid, self.drawing.inset_px, self.size)
        looks = self.looks[~self._is_plain]
        if not len(looks):
            return np.empty((0, 2), dtype=np.intp)
        means, own = (one.reshape(len(one), -1, 3).mean(axis=1) for one in (cells, looks))
        is_near = (np.abs(means[:, None] - own).max(axis=2) <= _LIKE_RMS).any(axis=1)
        is_drawn = np.ptp(cells.reshape(len(cells), -1, 3), axis=1).max(axis=1) > 2 * self.drawing.slack
        numbers = np.flatnonzero(is_near & is_drawn)
        numbers = numbers[:: max(1, numbers.size // _MOST_TELLING)]
        return np.stack(np.divmod(numbers, grid.cols), axis=1)

    def _liking(self, frame: Frame, grid: Grid, telling: NDArray[np.intp]) -> float:
        """How much some cells of a raster are like looks: all that are near count, and how near."""
        rows, cols = telling[(telling < (grid.rows, grid.cols)).all(axis=1)].T
        width, height = self.size
        x = np.array(grid.edges(0))[cols, None] - frame.left + self.drawing.inset_px + np.arange(width)
        y = np.array(grid.edges(1))[rows, None] - frame.top + self.drawing.inset_px + np.arange(height)
        values = frame.pixels_bgr[y[:, :, None], x[:, None, :]].reshape(len(rows), -1).astype(np.float32)
        return float(np.maximum(2 * _LIKE_RMS - self._templates.distances(values).min(axis=1), 0).sum())

    def _sites(self, frame: Frame, grid: Grid) -> NDArray[np.int8]:
        """What the cells of a grid are as sites of a board (`patches`): int8, rows x cols."""
        cells = insides(frame.crop(grid.region).pixels_bgr, grid, self.drawing.inset_px, self.size)
        # most of a screen is far from any look: told by means, which differ by no more than the farthest place
        means = cells.reshape(len(cells), -1, 3).mean(axis=1)
        looks = self.looks.reshape(len(self.looks), -1, 3).mean(axis=1)
        is_near = (np.abs(means[:, None] - looks).max(axis=2) <= self.drawing.slack).any(axis=1)
        near = np.flatnonzero(is_near)
        best = np.full(len(cells), -1, dtype=np.intp)
        if near.size:
            _, first, which = np.unique(fingerprint(cells[near]), return_index=True, return_inverse=True)
            best[near] = self._nearest(cells[near[first]])[0][which.reshape(-1)]
        sites = np.where(best >= 0, self._site[best], NO_CELL).astype(np.int8)
        bare = np.flatnonzero((best >= 0) & self._is_plain[best])
        parted = _are_parted(frame, grid, bare, means[bare], 2 * self.drawing.inset_px)
        sites[bare[~parted]] = NO_CELL
        return sites.reshape(grid.rows, grid.cols)

    def _corners(self, pixels_bgr: Pixels) -> list[tuple[float, float]]:
        """Where a raster of cells may begin, the likeliest place first."""
        width, height = self.size
        small = _blurred(cv2.resize(pixels_bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
        size = (width // 2, height // 2)
        n_rows, n_cols = small.shape[0] - size[1] + 1, small.shape[1] - size[0] + 1
        if min(n_rows, n_cols) < 2:
            return []
        means = cv2.boxFilter(small, cv2.CV_32F, size, anchor=(0, 0))[:n_rows, :n_cols]
        found = np.zeros((n_rows, n_cols), dtype=np.bool_)
        for look in self._sought():
            part = _blurred(cv2.resize(look, size, interpolation=cv2.INTER_AREA))
            mean = part.mean(axis=(0, 1))
            may_be = cv2.inRange(means, tuple(mean - _LIKE_MEAN), tuple(mean + _LIKE_MEAN))
            left, top, n_wide, n_high = cv2.boundingRect(may_be)
            if n_wide:  # nowhere else can it be so near
                area = small[top : top + n_high + size[1] - 1, left : left + n_wide + size[0] - 1]
                squares = np.asarray(cv2.matchTemplate(area, part, cv2.TM_SQDIFF)) / part.size
                found[top : top + n_high, left : left + n_wide] |= squares <= _LIKE_RMS**2
        return _phases(found, self.drawing.step_px, self.drawing.inset_px)

    def _sought(self) -> list[Pixels]:
        """The looks that tell best where cells begin: closed ones first, then numbers."""
        order = sorted(np.flatnonzero(self._is_sought).tolist(), key=lambda one: self.skin.looks[one].state != CLOSED)
        return [self.looks[one] for one in order[:_MOST_SOUGHT]]


def _in_step(frame: Frame, grid: Grid) -> Grid:
    """The grid, moved by some pixels to where the lines between its cells are."""
    edges = [np.array(grid.edges(axis)) - start for axis, start in ((0, frame.left), (1, frame.top))]
    corner = []
    for axis, (start, pitch) in enumerate(zip((frame.left, frame.top), grid.pitch_px, strict=True)):
        pixels = frame.pixels_bgr if axis == 0 else frame.pixels_bgr.swapaxes(0, 1)
        first = grid.corner[axis] - start
        rows = slice(max(0, edges[1 - axis][0]), edges[1 - axis][-1])
        moved = EdgeProfile.of(pixels, first, pitch, (grid.cols, grid.rows)[axis], rows).moved(first, pitch)
        corner.append(start + (begin_at(first + moved, pitch) if abs(moved) <= _MOST_MOVED_PX else first))
    return Grid.at((corner[0], corner[1]), grid.pitch_px, grid.rows, grid.cols)


_MOST_MOVED_PX = 3.0
"""How far closed cells may be from where they were found, in pixels: they look alike some pixels on."""


def _blurred(pixels_bgr: NDArray[Any]) -> Pixels:
    """A picture, blurred: it hardly matters then how a digit lies between pixels."""
    return np.asarray(cv2.blur(pixels_bgr, (3, 3), borderType=cv2.BORDER_REPLICATE), dtype=np.uint8)


_FEW_TELLING, _MOST_TELLING = 3, 60
"""Number of cells that tell where they begin: at least, and at most."""
_LIKE_RMS = 12.0
"""Largest root mean square of a place of the screen, half its size and blurred, that may show a look."""
_LIKE_MEAN = _LIKE_RMS * 3**0.5 + 1.0
"""Largest difference of a channel's mean there: all of the root mean square may be in one channel, and means round."""
_MOST_SOUGHT = 6
_MOST_PHASES = 3
_STEP_PHASE = 0.5
"""Step between two places where a raster may begin, in pixels of the picture at half its size."""


def _phases(is_like: NDArray[np.bool_], step_px: tuple[float, float], inset_px: int) -> list[tuple[float, float]]:
    """Where rasters begin on which most places are like a look: (x, y), in pixels of the whole picture.

    Of places beside each other that do equally well the middle is taken: a plain inside fits anywhere in its cell.
    """
    height, width = is_like.shape
    steps = [step / 2 for step in step_px]
    firsts = [np.arange(0, step, _STEP_PHASE) for step in steps]
    columns = [
        np.rint(first + np.arange(int((width - 1 - first) // steps[0]) + 1) * steps[0]).astype(np.intp)
        for first in firsts[0]
    ]
    by_column = np.stack([is_like[:, one[one < width]].sum(axis=1) for one in columns])
    counts = np.zeros((len(firsts[1]), len(firsts[0])))
    for number, first in enumerate(firsts[1]):
        rows = np.rint(first + np.arange(int((height - 1 - first) // steps[1]) + 1) * steps[1]).astype(np.intp)
        counts[number] = by_column[:, rows[rows < height]].sum(axis=1)
    found = []
    left = counts.copy()
    for _ in range(_MOST_PHASES):
        if left.max() < MIN_SIDE**2 / 2:
            break
        y, x = np.unravel_index(int(left.argmax()), left.shape)
        is_best = counts >= 0.97 * counts[y, x]
        row, col = _middle_of(is_best[:, x], int(y)), _middle_of(is_best[y], int(x))
        found.append((2 * _STEP_PHASE * col - inset_px, 2 * _STEP_PHASE * row - inset_px))
        reach = max(2, int(inset_px / _STEP_PHASE))
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                left[(round(row) + dy) % left.shape[0], (round(col) + dx) % left.shape[1]] = 0
    return [(x % step_px[0], y % step_px[1]) for x, y in found]


def _middle_of(is_best: NDArray[np.bool_], at: int) -> float:
    """The middle of a run, round and round, of what is best."""
    n = is_best.size
    if is_best.all():
        return float(at)
    before = next(k for k in range(n) if not is_best[(at - k - 1) % n])
    after = next(k for k in range(n) if not is_best[(at + k + 1) % n])
    return at + (after - before) / 2


def _are_parted(frame: Frame, grid: Grid, numbers: NDArray[np.intp], means: Any, gap_px: int) -> NDArray[np.bool_]:
    """Whether something lies between cells and the next ones on most sides, or they differ: bool, N.

    Args:
        frame: shows the grid.
        grid: where cells lie.
        numbers: of the cells, row by row: intp, N.
        means: of their insides: N x 3, B, G, R.
        gap_px: how much lies between two insides, at least.
    """
    height, width = frame.pixels_bgr.shape[:2]
    x, y = (np.array(grid.edges(axis)) - start for axis, start in ((0, frame.left), (1, frame.top)))
    rows, cols = np.divmod(numbers, grid.cols)
    middle_x, middle_y = (x[cols] + x[cols + 1]) // 2, (y[rows] + y[rows + 1]) // 2
    near = np.arange(-(gap_px // 2 + 1), gap_px // 2 + 1)
    n_parted = np.zeros(len(numbers), dtype=np.intp)
    for edge_x in (x[cols], x[cols + 1]):
        beside = np.clip(edge_x[:, None] + near, 0, width - 1)
        n_parted += _differ(frame.pixels_bgr[middle_y[:, None], beside], means)
    for edge_y in (y[rows], y[rows + 1]):
        below = np.clip(edge_y[:, None] + near, 0, height - 1)
        n_parted += _differ(frame.pixels_bgr[below, middle_x[:, None]], means)
    return np.asarray(n_parted >= _LEAST_PARTED)


def _differ(sides: Pixels, means: Any) -> NDArray[np.bool_]:
    """Whether some pixel of each side (N x pixels x 3) differs from a mean (N x 3)."""
    return np.asarray(np.abs(sides - means[:, None]).max(axis=(1, 2)) > _PARTED)


_PARTED = 5.0
"""Least difference of a channel between a plain cell and what parts it from the next one."""
_LEAST_PARTED = 3


@lru_cache(maxsize=64)
def alike_matcher_of(skin: Skin) -> AlikeMatcher:
    """The matcher of a skin, made once a session."""
    return AlikeMatcher(skin)


def find_alike(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """The boards of skins whose cells are alike."""
    return [board for skin in skins for board in alike_matcher_of(skin).boards(frame)]
