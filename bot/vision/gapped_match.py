"""Names cells with gaps between them, at any size, by their faces: what they show inside the gaps (`skins.skin.Tiles`).

Such a clone draws its signs anew at every size, and the gaps between its cells do not grow with them: no enlargement
can be undone. So the face is taken out of its cell and compared with the faces of the sprites by the mean colours of a
few bins, under the same rule as everywhere: the nearest sprite counts only if it is near, and every one of another
meaning clearly farther. Numbers that a font draws are read by their colours or shapes instead (`signs`). What is drawn
for closed cells and for open ones is settled by what else is on the board.

The ground of a face is that of its skin's grounds which most of the cell is painted in. The line of pixels from the
middle of each side inwards says where the face begins, to a fraction of a pixel: one between gap and ground counts for
its share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.vision.colours import ColourTable
from bot.vision.matching import (
    UNNUMBERED,
    UNSURE,
    Match,
    Templates,
    common_code,
    nearest_of,
    rim,
    rivals_of,
    sign_reader_of,
)
from skins.pixels import fingerprint, largest_channel, product_of
from skins.skin import CLOSED, FLAG, OPEN, QUESTION, Tiles, is_open_state
from solver import board as codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from bot.vision.matching import SignReader, Told
    from skins.skin import Skin

    Picture = NDArray[np.uint8]
    Places = NDArray[np.intp]
    Cells = NDArray[np.uint8]
    Bins = NDArray[np.float32]
    CellPixels = tuple[int, int, bytes]
    """The height, width and pixels of a cell."""


_FULL = 0.97  # share of its ground from which a pixel belongs to a face and no longer to the gap
_MOST_GAP = 0.25  # a gap takes no more than this share of a cell on either side
_GAP_STEPS = 12  # distance from every blend of gap and ground at which a pixel is neither, in levels
_GROUND_STEPS = 3  # distance within which a pixel is of a ground, in levels
_N_SAMPLED = 12  # number of pixels, in both ways, that tell the ground of a cell; with 8, a large flag can hide it


class Corners(NamedTuple):
    """The corners of N cells in a picture: pixels, right and bottom outside."""

    left: Places
    top: Places
    right: Places
    bottom: Places


class _Insets(NamedTuple):
    """How the faces of N cells lie in them.

    Attributes:
        sides: how far inside: left, top, right, bottom; pixels, float64, N x 4.
        n_mixed: how many pixels on each side are not the face's alone: N x 4.
        has_gap: whether the outermost pixel of each side is gap, or more gap than face, and nothing else: N x 4.
    """

    sides: NDArray[np.float64]
    n_mixed: Places
    has_gap: NDArray[np.bool_]


class InsetMeter:
    """Measures the faces of one skin's cells."""

    def __init__(self, tiles: Tiles) -> None:
        self._grounds = np.array(tiles.grounds_bgr, dtype=np.float64)
        self._table = ColourTable(tiles.grounds_bgr, _GROUND_STEPS)

    def grounds(self, pixels_bgr: Picture, cells: Corners) -> Places:
        """The number of the ground that most of each cell is painted in."""
        share = (np.arange(_N_SAMPLED) + 0.5) / _N_SAMPLED
        x, y = (
            first[:, None] + (share * (last - first)[:, None]).astype(np.intp)
            for first, last in ((cells.left, cells.right), (cells.top, cells.bottom))
        )
        bits = self._table.bits(pixels_bgr[y[:, :, None], x[:, None]].reshape(len(x), -1, 3)).astype(np.int32)
        first = np.frexp((bits & -bits).astype(np.float32))[1]  # one more than the number of the ground, 0 for none
        n_kinds = len(self._grounds) + 1
        of_cell = n_kinds * np.arange(len(x), dtype=np.int32)[:, None]
        counts = np.bincount((first + of_cell).ravel(), minlength=n_kinds * len(x)).reshape(len(x), n_kinds)
        return np.asarray(counts[:, 1:].argmax(axis=1))

    def insets(self, pixels_bgr: Picture, cells: Corners, gap: NDArray[np.float64]) -> _Insets:
        """Measure cells whose faces have a gap of one colour (B, G, R) around them."""
        apart = self._grounds[self.grounds(pixels_bgr, cells)] - gap
        towards = apart / np.maximum((apart**2).sum(axis=1, keepdims=True), 1.0)
        middle = ((cells.left + cells.right) // 2)[:, None], ((cells.top + cells.bottom) // 2)[:, None]
        sides, counts, gaps = [], [], []
        for side in range(4):
            axis, step = side % 2, 1 if side < 2 else -1
            near, far = cells[axis], cells[axis + 2]
            most = np.maximum(((far - near) * _MOST_GAP).astype(np.intp), 1)[:, None]
            inwards = np.arange(most.max() + 1)
            at = (near if step > 0 else far - 1)[:, None] + step * np.minimum(inwards, most)
            line = pixels_bgr[middle[1], at] if axis == 0 else pixels_bgr[at, middle[0]]
            share = np.clip(((line - gap) * towards[:, None]).sum(axis=2), 0, 1)
            is_full = (share >= _FULL) | (inwards >= most)
            n_mixed = is_full.argmax(axis=1)
            sides.append(np.where(inwards < n_mixed[:, None], 1 - share, 0).sum(axis=1))
            counts.append(n_mixed)
            strayed = np.abs(line[:, 0] - gap - share[:, :1] * apart).max(axis=1)
            gaps.append((share[:, 0] < 0.5) & (strayed <= _GAP_STEPS))
        return _Insets(*(np.stack(values, axis=1) for values in (sides, counts, gaps)))


def gap_around(pixels_bgr: Picture, cells: Corners) -> NDArray[np.float64]:
    """The colour around the faces of these cells (B, G, R): the median of their corners."""
    return np.asarray(np.median(pixels_bgr[cells.top, cells.left], axis=0), dtype=np.float64)


_N_BINS = 8
_RING_SHARE = 0.7
"""Least share of a cell's outermost pixels in the gap's colour where nothing covers it. Corners may be blends."""
_N_MEASURED = 24  # cells of a board
_MOST_SEEN = 5000  # number of different cells that no board has: something moves there
_ROUND_PX = 2  # the pixels at each corner of a face that may be rounded off
_UNKNOWN = 9  # among the numbers of signs, one that is not known
_ALIKE_RMS = 1.0  # faces of two sprites no farther apart than this are drawn alike


@dataclass(frozen=True)
class Inset:
    """How the faces of a board lie inside their cells.

    Attributes:
        sides: how far, in pixels: left, top, right, bottom.
        n_mixed: how many pixels on each side are not the face's alone.
        gap: the colour around it: B, G, R.
    """

    sides: tuple[float, ...]
    n_mixed: tuple[int, ...]
    gap: tuple[float, ...]


class GappedMatcher:
    """Names the cells of one skin of `Tiles`. Make it by `gapped_matcher_of`."""

    def __init__(self, skin: Skin) -> None:
        assert isinstance(skin.drawing, Tiles), "asked only of skins whose cells have gaps"
        self.skin = skin
        self._drawing = skin.drawing
        self.meter = InsetMeter(skin.drawing)
        pixels = np.stack([sprite.pixels_bgr for sprite in skin.sprites])
        height, width = pixels.shape[1:3]
        left = np.arange(len(pixels)) * width
        cells = Corners(left, np.zeros_like(left), left + width, np.full_like(left, height))
        strip = np.concatenate(pixels, axis=1)
        self._ground_of_sprite = self.meter.grounds(strip, cells)
        gap = np.array(skin.drawing.gap_bgr, dtype=np.float64)
        measured = self.meter.insets(strip, cells, gap)
        insets = [
            Inset(tuple(sides), tuple(n_mixed), skin.drawing.gap_bgr)
            for sides, n_mixed in zip(measured.sides.tolist(), measured.n_mixed.tolist(), strict=True)
        ]
        bins = np.concatenate([_binned(sprite[None], inset) for sprite, inset in zip(pixels, insets, strict=True)])
        self._templates = Templates(bins)
        is_alike = self._templates.distances(bins) <= _ALIKE_RMS
        groups = [frozenset(skin.sprites[j].state for j in np.flatnonzero(row)) for row in is_alike]
        kinds = list(zip(groups, self._ground_of_sprite.tolist(), strict=True))
        self._signs = None if skin.signs is None else sign_reader_of(skin.signs)
        self._learned = {value: state for value, state in skin.exact.items() if is_open_state(state)}
        of_signs = [] if self._signs is None else self._kinds_of_signs(self._signs)
        self._kinds = list(dict.fromkeys([*kinds, *of_signs]))
        self._kind_of_sign = np.array([self._kinds.index(kind) for kind in of_signs], dtype=np.intp).reshape(-1, 10)
        self.sets: list[frozenset[str]] = [states for states, _ in self._kinds]
        """Every set of states that one picture may stand for, once for each ground it comes on."""
        self._is_open = np.array([any(map(str.isdecimal, states)) for states in self.sets])
        self._kind_of_sprite = np.array([self._kinds.index(kind) for kind in kinds], dtype=np.intp)
        self.grounds = ColourTable(skin.drawing.grounds_bgr, skin.tolerance.colour)
        """Tells the colours of faces, bit by bit."""
        self.closed_bits = 0
        """Those of them that closed cells have, in play and afterwards."""
        for sprite, ground in zip(skin.sprites, self._ground_of_sprite.tolist(), strict=True):
            self.closed_bits |= (sprite.state == CLOSED) << ground
        self._codes = np.array([common_code(states) for states in self.sets], dtype=np.int16)
        self._is_rival = rivals_of(groups, common_code)
        self._evidence = {i: self._settling(i) for i in range(len(self.sets)) if self._codes[i] == codes.UNREADABLE}

    def _kinds_of_signs(self, signs: SignReader) -> list[tuple[frozenset[str], int]]:
        """On every ground of signs every number, 0 first, and what a sign may be that is no known number."""
        kinds = []
        for ground, is_open in zip(signs.grounds_bgr, signs.is_open, strict=True):
            unknown = frozenset({OPEN} if is_open else {OPEN, FLAG, QUESTION})
            states = [*(frozenset({str(number)}) for number in range(9)), unknown]
            kinds += [(one, self._drawing.grounds_bgr.index(ground)) for one in states]
        return kinds

    def _settling(self, number: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which kinds prove that such a picture is a closed cell, and which that it is an open one: bool, one a kind.

        A lost game that draws open cells like this one draws closed ones in another colour than games that go on.
        """
        own = self._kinds[number][1]
        is_covered = [states <= {CLOSED, FLAG, QUESTION} for states in self.sets]
        is_number = [all(map(str.isdecimal, states)) for states in self.sets]
        is_usual = [self._drawing.grounds_bgr[ground] == self.skin.closed_bgr for _, ground in self._kinds]
        closed = [covered and usual for covered, usual in zip(is_covered, is_usual, strict=True)]
        opened = [
            (shown and kind[1] == own) or (covered and not usual and kind[1] != own)
            for kind, shown, covered, usual in zip(self._kinds, is_number, is_covered, is_usual, strict=True)
        ]
        return np.array(closed), np.array(opened)

    def measure(self, frame: Frame, grid: Grid) -> Inset:
        """How the faces of a grid lie in their cells: the median of some of them."""
        step = max(grid.rows * grid.cols // _N_MEASURED, 1)
        rows, cols = np.divmod(np.arange(0, grid.rows * grid.cols, step), grid.cols)
        x, y = _edges(frame, grid)
        cells = Corners(x[cols], y[rows], x[cols + 1], y[rows + 1])
        gap = gap_around(frame.pixels_bgr, cells)
        insets = self.meter.insets(frame.pixels_bgr, cells, gap)
        n_mixed = np.ceil(np.median(insets.n_mixed, axis=0)).astype(int)
        return Inset(tuple(np.median(insets.sides, axis=0).tolist()), tuple(n_mixed.tolist()), tuple(gap.tolist()))

    def name(
        self,
        frame: Frame,
        grid: Grid,
        numbers: NDArray[np.intp],
        inset: Inset,
        seen: dict[CellPixels, tuple[int, float]] | None = None,
    ) -> Match:
        """Name these cells of a grid (numbers count row by row) by their faces: equal cells are looked at once.

        Args:
            frame: shows the grid.
            grid: where the cells are.
            numbers: which of them.
            inset: how the faces lie in them.
            seen: the cells of this grid that were named before, with what came out; those of this time are added.
        """
        seen = {} if seen is None else seen
        if len(seen) > _MOST_SEEN:
            seen.clear()
        x, y = (edges.tolist() for edges in _edges(frame, grid))
        all_cells: list[CellPixels] = []
        for row, col in (divmod(number, grid.cols) for number in numbers.tolist()):
            height, width = y[row + 1] - y[row], x[col + 1] - x[col]
            all_cells.append((height, width, frame.pixels_bgr[y[row] : y[row + 1], x[col] : x[col + 1]].tobytes()))
        new: dict[tuple[int, int], list[CellPixels]] = {}
        for cell in set(all_cells).difference(seen):
            new.setdefault(cell[:2], []).append(cell)
        for (height, width), own in new.items():
            cells = np.frombuffer(b"".join(pixels for _, _, pixels in own), dtype=np.uint8)
            near, scores = self._matched(cells.reshape(-1, height, width, 3), inset)
            seen.update(zip(own, zip(near.tolist(), scores.tolist(), strict=True), strict=True))
        alike = np.array([seen[cell][0] for cell in all_cells], dtype=np.intp)
        named = self._codes_of(alike)
        scores = np.array([seen[cell][1] for cell in all_cells], dtype=np.float64)
        return Match(named, np.where(named == codes.UNREADABLE, 0.0, scores), alike)

    def settle(self, alike: NDArray[np.intp]) -> NDArray[np.int16]:
        """Board codes (int16) of all cells of a board, by what each is alike and by what else the board shows."""
        settled = self._codes_of(alike)
        is_shown = np.bincount(alike[alike >= 0], minlength=len(self.sets)) > 0
        for number, (closed, opened) in self._evidence.items():
            says_closed, says_open = (is_shown & closed).any(), (is_shown & opened).any()
            is_one = np.count_nonzero(alike == number) == 1  # only the closed cell under the pointer is drawn so
            if says_closed and not says_open and is_one and self.sets[number] == {CLOSED, "0"}:
                settled[alike == number] = codes.CLOSED
            elif says_open and not says_closed and self.sets[number] == {CLOSED, "0"}:
                settled[alike == number] = 0
            elif says_open and not says_closed and OPEN in self.sets[number]:
                settled[alike == number] = codes.OPEN_UNKNOWN
        return settled

    def _codes_of(self, alike: NDArray[np.intp]) -> NDArray[np.int16]:
        return np.where(alike >= 0, self._codes[alike], codes.UNREADABLE).astype(np.int16)

    def _matched(self, cells: Cells, inset: Inset) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """What cells of one size (uint8, N x height x width x 3) are alike, and how near they are: 1 is no distance."""
        tolerance = self.skin.tolerance
        is_uncovered = self.is_uncovered(cells, inset)
        bins = _binned(cells, inset)
        found = nearest_of(self._templates.distances(bins), self._is_rival, tolerance.accept, tolerance.margin)
        best, nearest, is_known = found.best, found.apart.astype(np.float64), found.is_clear
        is_known &= is_uncovered
        ground = np.array(self._drawing.grounds_bgr)[self._ground_of_sprite[best]]
        rims = rim(bins.reshape(-1, _N_BINS, _N_BINS, 3))
        is_known &= np.abs(np.median(rims, axis=1) - ground).max(axis=1) <= 2 * tolerance.colour
        alike = np.where(is_known, self._kind_of_sprite[best], -1)
        scores = 1.0 - nearest / (2.0 * tolerance.accept)
        if self._signs is not None:
            own = np.flatnonzero(is_uncovered)
            alike[own], scores[own] = self._by_signs(cells[own], inset, alike[own], scores[own])
        return alike, scores

    def _by_signs(
        self, cells: Cells, inset: Inset, alike: NDArray[np.intp], scores: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """What cells are alike by their faces, and how near they are, put right by the signs on them.

        Sprites say nothing of a sign in the ink of numbers: another font can make any number of it, or none.
        """
        told = self._told(cells, inset)
        signs = np.maximum(told.numbers, 0)
        is_doubtful = told.numbers == UNNUMBERED
        signs[(told.numbers == UNSURE) & ((alike < 0) | self._is_open[alike])] = _UNKNOWN
        for cell in np.flatnonzero(told.numbers == UNNUMBERED) if self._learned else ():
            state = self._learned.get(int(fingerprint(cells[cell][None])[0]))
            if state is not None:
                is_doubtful[cell], signs[cell] = False, _UNKNOWN if state == OPEN else int(state)
        alike = np.where(signs > 0, self._kind_of_sign[told.grounds, signs], alike)
        return np.where(is_doubtful, -1, alike), np.where(signs > 0, 1.0, scores)

    def _told(self, cells: Cells, inset: Inset) -> Told:
        """The signs on cells of one size."""
        assert self._signs is not None, "asked only of skins that have signs"
        left, top, right, bottom = (math.ceil(side) + _ROUND_PX for side in inset.sides)
        return self._signs.read(cells[:, top : cells.shape[1] - bottom, left : cells.shape[2] - right])

    def is_open_number(self, cells: Cells, inset: Inset) -> NDArray[np.bool_]:
        """Which cells of one size are open for sure, and show a sign that is no number that is known."""
        if self._signs is None:
            return np.zeros(len(cells), dtype=np.bool_)
        return np.asarray(self.is_uncovered(cells, inset) & (self._told(cells, inset).numbers == UNNUMBERED))

    def is_uncovered(self, cells: Cells, inset: Inset) -> NDArray[np.bool_]:
        """Which cells of one size have the gap around them: others are covered.

        At a fractional scale a seam may run through the gap, on the outermost pixels: those inside it tell as well.
        """
        gap, far, across = np.array(inset.gap, dtype=np.float32), 2 * self.skin.tolerance.colour, cells.swapaxes(1, 2)
        sides = cells[:, :2], cells[:, -2:], across[:, :2], across[:, -2:]
        shares = [(largest_channel(np.abs(lines - gap)) <= far).mean(axis=2).max(axis=1) for lines in sides]
        return np.asarray(np.mean(shares, axis=0) >= _RING_SHARE)


gapped_matcher_of = lru_cache(maxsize=64)(GappedMatcher)
"""The matcher of a skin whose cells have gaps, made once a session."""


def _edges(frame: Frame, grid: Grid) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the columns and rows of a grid begin on a frame, and the last ones end."""
    x, y = _edges_of(grid)
    return x - frame.left, y - frame.top


@lru_cache(maxsize=16)
def _edges_of(grid: Grid) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.array(grid.edges(0)), np.array(grid.edges(1))


def _binned(cells: Cells, inset: Inset) -> Bins:
    """The mean colours of faces on a grid of bins, less than a pixel of gap made good: float32, N x values.

    The cells: uint8, N x height x width x 3.
    """
    n, height, width = cells.shape[:3]
    across, down = ((inset.sides[side::2], inset.n_mixed[side::2]) for side in (0, 1))
    rows = cells.swapaxes(0, 1).reshape(height, -1).astype(np.float32)
    lines = product_of(_weights(height, *down), rows).reshape(_N_BINS * n, width, 3).swapaxes(0, 1).reshape(width, -1)
    bins = product_of(_weights(width, *across), lines).reshape(_N_BINS, _N_BINS, n, 3)
    return np.ascontiguousarray(bins.transpose(2, 1, 0, 3)).reshape(n, -1)


@lru_cache(maxsize=256)
def _weights(n_px: int, sides: tuple[float, ...], n_mixed: tuple[int, ...]) -> Bins:
    """Weights (bins x pixels) of the pixels between two insets; one that is part gap counts as its inner neighbour."""
    cuts = np.linspace(sides[0], n_px - sides[1], _N_BINS + 1)
    px = np.arange(n_px)
    shared = np.minimum(cuts[1:, None], px + 1) - np.maximum(cuts[:-1, None], px)
    weights = np.maximum(shared, 0) / np.diff(cuts)[:, None]
    first, last = n_mixed[0], n_px - 1 - n_mixed[1]
    for outer, inner in [*((k, first) for k in range(first)), *((k, last) for k in range(last + 1, n_px))]:
        weights[:, inner] += weights[:, outer]
        weights[:, outer] = 0
    return np.asarray(weights, dtype=np.float32)
