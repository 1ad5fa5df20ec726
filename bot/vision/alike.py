"""Finds and reads boards whose cells are alike and never equal (`skins.skin.Alike`), as on web pages.

A browser dithers gradients, and draws cells at a pitch that need be no whole number: each begins on a pixel of the
screen, one is a pixel wider than the next, and a digit lies between pixels, in each cell otherwise. So only the inside
of a cell counts, cut out where the cell begins. Two are compared after each is averaged over a few pixels, at the place
and channel where they differ most, and for the best of some shifts where the pitch is no whole number. Noise cancels
out so; a missing stroke of a digit does not.

A board is found by where most insides of the skin lie in step. Closed cells of one plain colour count only where
something parts them: a line, a bevel, a gap or another shade.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from bot.models import FoundBoard, Grid
from bot.vision.cell_edges import in_step
from bot.vision.matching import Match, Templates, code_of, common_code, nearest_of, rivals_of
from bot.vision.sites import MIN_SIDE, MINE_CAPABLE, NO_CELL, OPEN, PLAIN, find_patches
from skins.pixels import fingerprint
from skins.skin import CLOSED, Alike, inside_px, is_open_state
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.sites import Patch
    from skins.skin import Skin

    Pixels = NDArray[np.uint8]
    Floats = NDArray[np.float32]


IN_PLACE = (0.0,)
BY_PIXELS = (-1.0, 0.0, 1.0)
BETWEEN_PIXELS = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""How far the inside of a cell may lie right of or below another one's, in pixels: not at all; where a fresh board does
not tell to the pixel where its cells begin; where the pitch is no whole number, so that each lies otherwise."""
PLAIN_SLACK = 12.0  # slack of cells on which nothing is drawn: nothing there may lie between pixels
_MOST_AT_ONCE = 400  # most cells that are compared with all sprites at once, for the memory that takes


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


class Comparer:
    """Says how far insides of cells are from some others, 0-255.

    Args:
        shifts: how far these may lie right of or below them, in pixels.
        blur_px: over how many pixels, across and down, each is averaged first: an odd number.
    """

    def __init__(self, shifts: Sequence[float], blur_px: int = 3) -> None:
        self._blur_px = blur_px
        self._shifts = [(dx, dy) for dx in shifts for dy in shifts]
        self._shifts.sort(key=lambda shift: abs(shift[0]) + abs(shift[1]))

    def apart(self, cells: Pixels, others: Pixels) -> Floats:
        """From each of some cells to each of others, all of one size (N x height x width x 3): float32, N x others."""
        found: Floats = np.full((len(cells), len(others)), np.inf, dtype=np.float32)
        if not found.size:
            return found
        fixed = self.smooth(cells)
        for shift in self._shifts:
            moved = self.smooth(others, shift)
            for first in range(0, len(cells), _MOST_AT_ONCE):
                part = slice(first, first + _MOST_AT_ONCE)
                for number, other in enumerate(moved):
                    far = np.asarray(np.abs(fixed[part] - other).max(axis=(1, 2, 3)), dtype=np.float32)
                    np.minimum(found[part, number], far, out=found[part, number])
        return found

    def smooth(self, cells: Pixels, shift: tuple[float, float] = (0.0, 0.0)) -> Floats:
        """Cells averaged and shifted by parts of a pixel, without the edges that this spoils: float32."""
        edge = self._blur_px // 2
        inner = slice(edge, -edge)
        return np.stack([_smooth(cell, self._blur_px, shift) for cell in cells])[:, inner, inner]


def _smooth(cell: Pixels, blur_px: int, shift: tuple[float, float]) -> Floats:
    """A cell averaged over some pixels across and down, shifted by parts of a pixel."""
    blurred = cv2.blur(cell.astype(np.float32), (blur_px, blur_px), borderType=cv2.BORDER_REPLICATE)
    if shift == (0.0, 0.0):
        return np.asarray(blurred, dtype=np.float32)
    move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], dtype=np.float32)
    height, width = cell.shape[:2]
    moved = cv2.warpAffine(blurred, move, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


class AlikeMatcher:
    """Names the cells of one skin by their insides. Make it by `alike_matcher_of`.

    Attributes:
        like_rms: largest root mean square of a place of the screen that may show a sprite, 0-255; half its size and
            blurred, where places are looked for.
    """

    like_rms = 12.0

    def __init__(self, skin: Skin) -> None:
        drawing = skin.drawing
        assert isinstance(drawing, Alike), "asked only of skins whose cells are alike"
        self.skin = skin
        self.drawing = drawing
        self.size = inside_px(drawing.step_px, drawing.inset_px)
        whole = Grid.at((0, 0), skin.pitch_px, 1, 1)
        self.sprites = np.stack(
            [insides(one.pixels_bgr, whole, drawing.inset_px, self.size)[0] for one in skin.sprites]
        )
        self.comparer = Comparer(BETWEEN_PIXELS if drawing.is_fractional else BY_PIXELS, drawing.blur_px)
        states = np.array([sprite.state for sprite in skin.sprites])
        self.sets: list[frozenset[str]] = [frozenset({str(state)}) for state in dict.fromkeys(states.tolist())]
        place = {next(iter(own)): number for number, own in enumerate(self.sets)}
        self._set_of_sprite = np.array([place[state] for state in states.tolist()], dtype=np.intp)
        self.is_rival = rivals_of([frozenset({str(state)}) for state in states.tolist()], common_code)
        self._codes = np.array([code_of(state) for state in states.tolist()], dtype=np.int16)
        self.is_open = np.array([is_open_state(state) for state in states.tolist()])
        self._accept, tells = self._limits()
        self._site = np.where(self.is_open, np.where(tells, OPEN, PLAIN), MINE_CAPABLE).astype(np.int8)
        self._is_sought = (states == CLOSED) | (self.is_open & tells)
        self._is_plain = ~tells
        self._is_closed = states == CLOSED
        sought = self.sprites[self._is_sought]
        self._templates = Templates(sought.reshape(len(sought), -1).astype(np.float32))

    def _limits(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """How far cells may be from each sprite, and whether something is drawn on it: float64 and bool, sprites."""
        slack = self.drawing.slack
        tells = np.ptp(self.sprites.reshape(len(self.sprites), -1, 3), axis=1).max(axis=1) > 2 * slack
        return np.where(self.is_open & ~tells, min(slack, PLAIN_SLACK), slack), tells

    def name(self, cells: Pixels, seen: dict[int, tuple[int, float]]) -> Match:
        """Name insides of cells; equal ones are looked at once.

        Args:
            cells: uint8, N x height x width x 3.
            seen: what was named before, by fingerprint: a sprite, -1 for none, and how sure; added to.
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
        return Match(named, np.where(is_known, scores, 0.0), np.where(is_known, self._set_of_sprite[best], -1))

    def _nearest(self, cells: Pixels) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The sprite that each cell shows, -1 for none, and how sure that is."""
        accept = self.drawing.slack
        near = nearest_of(self.comparer.apart(cells, self.sprites), self.is_rival, accept, self.skin.tolerance.margin)
        is_clear = near.is_clear & (near.apart <= self._accept[near.best])
        return np.where(is_clear, near.best, -1), 1.0 - near.apart.astype(np.float64) / (2 * accept)

    def boards(self, frame: Frame) -> Iterator[FoundBoard]:
        """The boards of this skin on a frame."""
        height, width = frame.pixels_bgr.shape[:2]
        step = self.drawing.step_px
        if width < MIN_SIDE * step[0] or height < MIN_SIDE * step[1]:
            return
        order = sorted(np.flatnonzero(self._is_sought).tolist(), key=lambda one: self.skin.sprites[one].state != CLOSED)
        sought = [self.sprites[one] for one in order]  # what tells best where cells begin: closed ones, then numbers
        likely = chain.from_iterable(
            self._likely(frame, sprites) for sprites in (sought[:_FIRST_SOUGHT], sought[_FIRST_SOUGHT:]) if sprites
        )
        for some in likely:
            boards = self.boards_at(frame, some)
            yield from boards
            if boards:
                return

    def boards_at(self, frame: Frame, some: Grid) -> list[FoundBoard]:
        """The boards of this skin on a lattice of cells.

        Args:
            frame: the picture.
            some: cells of the lattice; a pixel or two off is near enough.
        """
        grid = self._nearest_raster(frame, some)
        patches, is_fresh = self._patches(frame, grid)
        is_all_named = bool(patches) and patches[0].n_named == patches[0].rows * patches[0].cols
        if is_fresh or (patches and self.drawing.is_fractional and not is_all_named):
            board = patches[0].of(grid)
            grid = self._raster(frame, in_step(frame, board) if is_fresh else self._best_named(frame, board))
            patches, _ = self._patches(frame, grid)
        return [FoundBoard(self.skin, one.of(grid), one.n_known, one.n_named) for one in patches]

    def _patches(self, frame: Frame, raster: Grid) -> tuple[list[Patch], bool]:
        """The boards on a raster, the largest first, and whether that shows closed cells alone."""
        sites = self._sites(frame, raster)
        patches = sorted(find_patches(sites), key=lambda one: -one.n_known)
        if not patches:
            return [], False
        first = patches[0]
        there = sites[first.top : first.top + first.rows, first.left : first.left + first.cols]
        return patches, not np.isin(there, (OPEN, PLAIN)).any()

    def _best_named(self, frame: Frame, board: Grid) -> Grid:
        """The grid a part of a pixel from this one by which most cells are named: each begins on a whole pixel."""
        for dx, dy in ((1.0, 0.0), (0.0, 1.0)):
            tried = [_moved(board, part * dx, part * dy) for part in _PARTS_PX]
            there = [one for one in tried if frame.region.holds(one.region)]
            board = max(there, key=partial(self._n_named, frame), default=board)
        return board

    def _n_named(self, frame: Frame, grid: Grid) -> int:
        cells = insides(frame.crop(grid.region).pixels_bgr, grid, self.drawing.inset_px, self.size)
        return int(np.count_nonzero(self.name(cells, {}).is_known))

    def _raster(self, frame: Frame, some: Grid) -> Grid:
        """All cells on a frame in step with some, from its left and top edge on."""
        (height, width), step = frame.pixels_bgr.shape[:2], self.drawing.step_px
        x, y = (
            (first - start) % one for first, start, one in zip(some.corner, (frame.left, frame.top), step, strict=True)
        )
        if not self.drawing.is_fractional:
            x, y = float(round(x)), float(round(y))
        cols, rows = int((width - x - 1) // step[0]), int((height - y - 1) // step[1])
        return Grid.at((frame.left + x, frame.top + y), step, rows, cols)

    def _nearest_raster(self, frame: Frame, some: Grid) -> Grid:
        """The raster a pixel or two from some cells of it, on which they are most like sprites.

        Plain cells tell little: they are as like some pixels on.
        """
        telling = self._telling(frame, some)
        if not telling.size:
            return self._raster(frame, some)
        best = some if self.drawing.is_fractional else Grid.at(some.origin, some.pitch_px, some.rows, some.cols)
        moves = sorted(product(range(-2, 3), repeat=2), key=lambda move: abs(move[0]) + abs(move[1]))
        for part in (1.0, 1.0, 0.25) if self.drawing.is_fractional else (1.0, 1.0):
            tried = [_moved(best, part * dx, part * dy) for dx, dy in moves]
            there = [one for one in tried if frame.region.holds(one.region)] or [best]
            liking = [self._liking(frame, one, telling) for one in there]
            alike = [one for one, how in zip(there, liking, strict=True) if how >= _AS_LIKE * max(liking)]
            corners = np.array([one.corner for one in alike])
            best = alike[int(np.abs(corners - corners.mean(axis=0)).sum(axis=1).argmin())]  # the one in the middle
        return self._raster(frame, best)

    def _telling(self, frame: Frame, grid: Grid) -> NDArray[np.intp]:
        """Numbers of some cells of a grid that may show a sprite that is sought, those with something in them first."""
        cells = insides(frame.crop(grid.region).pixels_bgr, grid, self.drawing.inset_px, self.size)
        means, own = (one.reshape(len(one), -1, 3).mean(axis=1) for one in (cells, self.sprites[self._is_sought]))
        is_near = (np.abs(means[:, None] - own).max(axis=2) <= self.like_rms).any(axis=1)
        is_drawn = np.ptp(cells.reshape(len(cells), -1, 3), axis=1).max(axis=1) > 2 * self.drawing.slack
        several = [np.flatnonzero(is_near & which) for which in (is_drawn, ~is_drawn)]
        return np.concatenate([one[:: max(1, one.size // _MOST_TELLING)] for one in several])

    def _liking(self, frame: Frame, grid: Grid, telling: NDArray[np.intp]) -> float:
        """How much some cells of a grid are like sprites: all that are near count, and how near."""
        rows, cols = np.divmod(telling, grid.cols)
        width, height = self.size
        x = np.array(grid.edges(0))[cols, None] - frame.left + self.drawing.inset_px + np.arange(width)
        y = np.array(grid.edges(1))[rows, None] - frame.top + self.drawing.inset_px + np.arange(height)
        values = frame.pixels_bgr[y[:, :, None], x[:, None, :]].reshape(len(rows), -1).astype(np.float32)
        return float(np.maximum(2 * self.like_rms - self._templates.distances(values).min(axis=1), 0).sum())

    def _sites(self, frame: Frame, grid: Grid) -> NDArray[np.int8]:
        """What the cells of a grid are as sites of a board (`sites`): int8, rows x cols."""
        cells = insides(frame.crop(grid.region).pixels_bgr, grid, self.drawing.inset_px, self.size)
        # most of a screen is far from any sprite: told by means, which differ by no more than the farthest place
        means = cells.reshape(len(cells), -1, 3).mean(axis=1)
        sprites = self.sprites.reshape(len(self.sprites), -1, 3).mean(axis=1)
        is_near = (np.abs(means[:, None] - sprites).max(axis=2) <= self.drawing.slack).any(axis=1)
        near = np.flatnonzero(is_near)
        best, likeness = np.full(len(cells), -1, dtype=np.intp), np.zeros(len(cells))
        if near.size:
            _, first, which = np.unique(fingerprint(cells[near]), return_index=True, return_inverse=True)
            best[near], likeness[near] = (found[which.reshape(-1)] for found in self._nearest(cells[near[first]]))
        sites = np.where(best >= 0, self._site[best], NO_CELL).astype(np.int8)
        bare = np.flatnonzero((best >= 0) & self._is_plain[best])
        parted = _are_parted(frame, grid, bare, means[bare], 2 * self.drawing.inset_px)
        sites[bare[~parted]] = NO_CELL
        closed = (best >= 0) & self._is_closed[best]
        shape = grid.rows, grid.cols
        return _without_strays(
            _without_false_zeros(sites.reshape(shape), closed.reshape(shape), likeness.reshape(shape))
        )

    def _likely(self, frame: Frame, sprites: Sequence[Pixels]) -> list[Grid]:
        """Where cells of some sprites may lie, to some pixels: about those of a board each, the likeliest first."""
        small = _halved(frame.pixels_bgr)
        edge = _HALVED_EDGE if min(self.size) // 2 >= _LEAST_HALVED + 2 * _HALVED_EDGE else 0
        width, height = (side // 2 - 2 * edge for side in self.size)
        n_rows, n_cols = small.shape[0] - height + 1, small.shape[1] - width + 1
        if min(n_rows, n_cols) < 2:
            return []
        means = cv2.boxFilter(small, cv2.CV_32F, (width, height), anchor=(0, 0))[:n_rows, :n_cols]
        found = np.zeros((n_rows, n_cols), dtype=np.float32)
        for sprite in sprites:
            part = _halved(sprite)[edge : edge + height, edge : edge + width]
            mean, contrast = part.mean(axis=(0, 1)), float(part.std(axis=(0, 1)).max())
            like = max(self.like_rms, min(_LIKE_DRAWN_RMS, _OF_CONTRAST * contrast))
            far = like * 3**0.5 + 1.0  # all of the root mean square may be in one channel, and means round
            left, top, n_wide, n_high = cv2.boundingRect(cv2.inRange(means, tuple(mean - far), tuple(mean + far)))
            if n_wide:  # nowhere else can it be so near
                area = small[top : top + n_high + height - 1, left : left + n_wide + width - 1]
                squares = np.asarray(cv2.matchTemplate(area, part, cv2.TM_SQDIFF)) / part.size
                there = found[top : top + n_high, left : left + n_wide]
                np.maximum(there, 1 - squares / like**2, out=there)
        inset = self.drawing.inset_px + 2 * edge
        grids = [_moved(one, frame.left - inset, frame.top - inset) for one in _in_phase(found, self.drawing.step_px)]
        return [one for one in grids if frame.region.holds(one.region)]


_PARTS_PX = (0.0, 0.3, -0.3, 0.6, -0.6)  # how far a grid is moved to see whether more of its cells are named


def _moved(grid: Grid, dx: float, dy: float) -> Grid:
    """A grid, moved right and down by some pixels."""
    return Grid.at((grid.corner[0] + dx, grid.corner[1] + dy), grid.pitch_px, grid.rows, grid.cols)


def _halved(pixels_bgr: Pixels) -> Pixels:
    """A picture at half its size, blurred: it hardly matters then how a digit lies between pixels."""
    small = cv2.resize(pixels_bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(small, (3, 3), borderType=cv2.BORDER_REPLICATE), dtype=np.uint8)


_AS_LIKE = 0.995  # share of the greatest liking by which a place is as likely
_MOST_TELLING = 40  # most cells of a kind that are asked where they begin
_LIKE_DRAWN_RMS, _OF_CONTRAST = 22.0, 0.7
"""That of a sprite with something in it: at most, and as a share of its contrast, lest nothing be like it."""
_HALVED_EDGE, _LEAST_HALVED = 1, 3
"""The edge of an inside at half its size that does not count, as what lies beside it shows there; and the least side
that is left, both in its pixels."""
_FIRST_SOUGHT = 6
"""Number of sprites that are sought first; the others, such as those of a game that ended, where no board is found."""
_MOST_PHASES = 3
_STEP_PHASE, _REACH = 0.5, 4
"""Step between two places where a raster may begin, in pixels of the picture at half its size; how many steps about a
likely one are as likely."""


def _in_phase(likeness: Floats, step_px: tuple[float, float]) -> list[Grid]:
    """Places like a sprite that lie in step with each other, most of them together: the likest ones first.

    Of places beside each other that do equally well the middle is taken: a plain inside fits anywhere in its cell.

    Args:
        likeness: of each pixel of the picture at half its size: float32, 0.0 to 1.0.
        step_px: from place to place, in pixels of the whole picture, as in what is returned.
    """
    along = [
        [
            np.rint(np.arange(first, length - 0.5, step / 2)).astype(np.intp)
            for first in np.arange(0, step / 2, _STEP_PHASE)
        ]
        for length, step in zip(likeness.shape[::-1], step_px, strict=True)
    ]
    by_column = np.stack([likeness[:, cols].sum(axis=1) for cols in along[0]])
    counts = np.stack([by_column[:, rows].sum(axis=1) for rows in along[1]])
    found = []
    left = counts.copy()
    for _ in range(_MOST_PHASES):
        if left.max() < MIN_SIDE**2 / 4:
            break
        y, x = np.unravel_index(int(left.argmax()), left.shape)
        is_best = counts >= 0.97 * counts[y, x]
        row, col = _middle_of(is_best[:, x], int(y)), _middle_of(is_best[y], int(x))
        top, below, first, behind = _largest_part(likeness[np.ix_(along[1][y], along[0][x])] > 0)
        corner = (2 * _STEP_PHASE * col + first * step_px[0], 2 * _STEP_PHASE * row + top * step_px[1])
        found.append(Grid.at(corner, step_px, below - top, behind - first))
        for first_y, first_x in ((y, x), (round(row), round(col))):
            for dy, dx in product(range(-_REACH, _REACH + 1), repeat=2):
                left[(first_y + dy) % left.shape[0], (first_x + dx) % left.shape[1]] = 0
    return found


def _largest_part(is_like: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """From where to where, rows and columns, the most cells are that lie together, but for gaps of a cell."""
    near = cv2.dilate(is_like.astype(np.uint8), np.ones((3, 3), dtype=np.uint8))
    _, labels = cv2.connectedComponents(near, connectivity=8)
    sizes = np.bincount(labels[is_like].astype(np.intp))
    rows, cols = np.nonzero((labels == sizes.argmax()) & is_like)
    return int(rows.min()), int(rows.max()) + 1, int(cols.min()), int(cols.max()) + 1


def _middle_of(is_best: NDArray[np.bool_], at: int) -> float:
    """The middle of a run, round and round, of what is best."""
    n = is_best.size
    if is_best.all():
        return float(at)
    before = next(k for k in range(n) if not is_best[(at - k - 1) % n])
    after = next(k for k in range(n) if not is_best[(at + k + 1) % n])
    return at + (after - before) / 2


def _without_false_zeros(
    sites: NDArray[np.int8], closed: NDArray[np.bool_], likeness: NDArray[np.float64]
) -> NDArray[np.int8]:
    """The chart of sites without plain ones that are none: what a page has beside a board may look like open cells.

    An open 0 opens all around it, so it touches no closed cell; one that does goes, with all plain sites that it
    touches. So do plain sites that are less like their sprite than all others. But none goes from within the rectangle
    of the sites that tell.

    Args:
        sites: what the cells of a grid are, as `_sites` has it.
        closed: which of them are closed.
        likeness: how much each is like its sprite: 1.0 and less.
    """
    around = cv2.dilate(closed.astype(np.uint8), np.ones((3, 3), dtype=np.uint8)) > 0
    found = sites.copy()
    _, boards = cv2.connectedComponents((sites > NO_CELL).astype(np.uint8), connectivity=8)
    for board in np.unique(boards[np.isin(sites, (OPEN, MINE_CAPABLE))]):
        is_plain = (boards == board) & (sites == PLAIN)
        rows, cols = np.nonzero((boards == board) & ~is_plain)
        within = np.zeros(sites.shape, dtype=np.bool_)
        within[rows.min() : rows.max() + 1, cols.min() : cols.max() + 1] = True
        beside = is_plain & ~within
        least = likeness[is_plain & within].min(initial=1.0) - _AS_PLAIN if (is_plain & within).any() else 0.0
        found[beside & (likeness < least)] = NO_CELL
        beside &= likeness >= least
        _, parts = cv2.connectedComponents(beside.astype(np.uint8), connectivity=8)
        found[np.isin(parts, np.unique(parts[around & beside])) & beside] = NO_CELL
    return found


def _without_strays(sites: NDArray[np.int8]) -> NDArray[np.int8]:
    """The chart of sites without those that touch too few others: an icon beside a board may look like a cell."""
    others = cv2.filter2D((sites > NO_CELL).astype(np.uint8), -1, _NEIGHBOURS, borderType=cv2.BORDER_CONSTANT)
    return np.where(others >= _LEAST_NEIGHBOURS, sites, NO_CELL).astype(np.int8)


_NEIGHBOURS = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.uint8)
_LEAST_NEIGHBOURS = 3  # fewest neighbours of a cell: one in a corner of a board has three
_AS_PLAIN = 0.05  # how much less a plain site beside others may be like its sprite than the least like of them


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


_PARTED = 5.0  # least difference of a channel between a plain cell and what parts it from the next one
_LEAST_PARTED = 3


alike_matcher_of = lru_cache(maxsize=64)(AlikeMatcher)
"""The matcher of a skin whose cells are alike, made once a session."""


def find_alike(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """The boards of skins whose cells are alike."""
    return [board for skin in skins for board in alike_matcher_of(skin).boards(frame)]
