"""Finds boards at the size and in the colours that their clone draws, by rows of pixels that skins have.

Every few rows of the frame, each run of pixels as long as the narrowest cell is wide is hashed (a rolling hash: the
cost is a few passes over those rows, whatever they show and however many skins there are) and looked up among parts of
the rows of pixels of all sprites of all skins; where there is one, the whole row is. Hits that begin at the same x
modulo the pitch and lie together make a window worth a close look.

There the rows say at which y cells begin; then a site of that lattice belongs to a board when its pixels are known, or
its rim is pixel for pixel the rim of a sprite (whatever is drawn inside: a rim without a known inside is a cell the
reader will call unreadable). Sites that touch are a board. A dialog over part of it does not matter as long as they
still reach its four sides; where they do not, `board_edge` says what lies beyond.

Where closed cells are bare fields of two colours in turn, with no line anywhere, no pixel row of a cell tells anything
by itself. But beside each field lie fields of another colour: areas of one colour just as large as a cell say where
cells begin. A field belongs to the board where its colour is in turn there, and others of the board are beside it: what
lies around a board may have one of its colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import FoundBoard, Pixel, Region
from bot.vision.colours import areas_of
from bot.vision.matching import cut_cells, rim
from bot.vision.sites import MIN_TELLING, NO_CELL, PrintedSites, boards_on
from skins.pixels import distinct_colours, fingerprint
from skins.skin import CLOSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Skin

    Hashes = NDArray[np.uint32]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]


_MAX_PHASES = 3  # most lattices of one window that are followed up: no more boards lie together in one line
_MARGIN_CELLS = 4  # number of cells around a window that are looked at too; more while its outermost are cells
_MAX_GROWTHS = 8  # times that a window is made larger


class _KnownPixels:
    """The exact pixels of one skin: what cells are as `sites` of a board, and which rows of pixels its sprites have."""

    def __init__(self, skin: Skin) -> None:
        sprites = np.stack([sprite.pixels_bgr for sprite in skin.sprites])
        rims = rim(sprites)
        telling = np.unique(fingerprint(rims[(rims != rims[:, :1]).any(axis=(1, 2))]))
        is_plain = (sprites == sprites[:, :1, :1]).all(axis=(1, 2, 3))
        self.sites = PrintedSites(skin.exact, telling.tolist(), fingerprint(sprites[is_plain]).tolist())
        height = skin.pitch_px[1]
        rows = sprites.reshape(-1, *sprites.shape[2:])
        hashes = _row_hashes(rows)
        self.rows = np.unique(hashes)
        self.places = np.zeros((self.rows.size, height))
        self.places[np.searchsorted(self.rows, hashes), np.tile(np.arange(height), len(sprites))] = 1
        self.places /= self.places.sum(axis=1, keepdims=True)  # a row that may be any of twelve tells a twelfth


_known_pixels = lru_cache(maxsize=256)(_KnownPixels)


def find_exact(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board of these skins at their own size; one place may come more than once, for several skins."""
    found: list[FoundBoard] = []
    explained: list[Region] = []
    for window in _find_windows(frame.pixels_bgr, skins):
        middle = Pixel(frame.left + (window.left + window.right) // 2, frame.top + (window.top + window.bottom) // 2)
        if any(region.has_pixel(middle) for region in explained):
            continue
        for board in _boards_in(frame, window):
            found.append(board)
            if _explains(board, window):
                explained.append(board.grid.region)
                break
    return found


def _boards_in(frame: Frame, window: _HitWindow) -> Iterator[FoundBoard]:
    """The boards in a window, skin by skin."""
    part = _Part(frame, window)
    for skin in window.skins:
        for y_phase in part.y_phases(skin):
            yield from part.boards(skin, y_phase)


def _explains(board: FoundBoard, window: _HitWindow) -> bool:
    """Whether every cell of a board is known and it fills its window: no other skin can do better there."""
    region = board.grid.region
    n_pixels = (window.right - window.left) * (window.bottom - window.top)
    return board.n_named == board.grid.rows * board.grid.cols and region.n_pixels > 0.8 * n_pixels


class _Part:
    """One window of a frame, looked at by several skins: what they share is made once."""

    def __init__(self, frame: Frame, window: _HitWindow) -> None:
        self._frame = frame
        self._window = window
        width = window.skins[0].pitch_px[0]
        self._top = max(window.top - 2 * width, 0)
        strip = frame.pixels_bgr[self._top : window.bottom + 2 * width, window.left : window.right]
        self._n_cols = strip.shape[1] // width
        self._hashes = _row_hashes(strip.reshape(-1, width, 3))
        self._prints: dict[tuple[int, int, int], tuple[Words, Words]] = {}

    def y_phases(self, skin: Skin) -> list[int]:
        """At which y modulo the pitch cells of a skin begin, those of most rows first."""
        known = _known_pixels(skin)
        height = skin.pitch_px[1]
        place = np.minimum(np.searchsorted(known.rows, self._hashes), known.rows.size - 1)
        hits = np.flatnonzero(known.rows[place] == self._hashes)
        y = (hits // self._n_cols + self._top) % height
        by_row = np.bincount(y * known.rows.size + place[hits], minlength=height * known.rows.size)
        n_hits = by_row.reshape(height, -1) @ known.places  # by y, and by which row of a sprite it may be
        rows = np.arange(height)
        votes = np.array([n_hits[(phase + rows) % height, rows].sum() for phase in range(height)])
        best = np.argsort(-votes, kind="stable")[:_MAX_PHASES]
        return [int(phase) for phase in best if votes[phase] > max(votes.max() / 4, MIN_TELLING)]

    def boards(self, skin: Skin, y_phase: int) -> list[FoundBoard]:
        """The boards of a skin whose cells begin there."""
        width, height = skin.pitch_px
        window, frame = self._window, self._frame
        most_cols = (frame.region.width - window.x_phase) // width
        most_rows = (frame.region.height - y_phase) // height
        margin = _MARGIN_CELLS
        for _ in range(_MAX_GROWTHS):
            left = max((window.left - window.x_phase) // width - margin, 0)
            top = max((window.top - y_phase) // height - margin, 0)
            right = min((window.right - window.x_phase) // width + margin, most_cols)
            bottom = min((window.bottom - y_phase) // height + margin + 1, most_rows)
            if right <= left or bottom <= top:
                return []
            x, y = window.x_phase + left * width, y_phase + top * height
            prints = self._printed(Region(x, y, (right - left) * width, (bottom - top) * height), width, height)
            sites = _known_pixels(skin).sites.of(*prints).reshape(bottom - top, right - left)
            goes_on = [
                (sites[0], top > 0),
                (sites[:, 0], left > 0),
                (sites[-1], bottom < most_rows),
                (sites[:, -1], right < most_cols),
            ]
            if not any(may and side.any() for side, may in goes_on):
                break
            margin *= 3
        return boards_on(sites, skin, Pixel(frame.left + x, frame.top + y), skin.pitch_px)

    def _printed(self, part: Region, width: int, height: int) -> tuple[Words, Words]:
        """The fingerprints of the cells of a part of the frame, and of their rims."""
        key = (part.left, part.top, height)
        if key not in self._prints or self._prints[key][0].size != part.width // width * (part.height // height):
            pixels = self._frame.pixels_bgr[part.slices]
            cells = cut_cells(pixels, part.height // height, part.width // width)
            self._prints[key] = (fingerprint(cells), fingerprint(rim(cells)))
        return self._prints[key]


_MIN_HITS = 4  # fewer hits in line are chance, or not enough for a board
_MAX_WINDOWS = 8  # most windows of one cell width that are followed up, those of most hits first
_GAP_CELLS = 6  # hits farther apart than this many cells (a dialog between them) are looked at as two windows
_STEP_PX = 8  # distance of the rows looked at, at most: half a cell, so that no row of cells is missed
_BASE = 0x9E3779B1  # odd: it has an inverse
_MASK = 2**32 - 1
_TABLE_BITS = 16


@dataclass(frozen=True)
class _HitWindow:
    """Part of a frame with hits of some skins: pixels, right and bottom outside; cells begin at x modulo the pitch."""

    skins: tuple[Skin, ...]
    x_phase: int
    left: int
    top: int
    right: int
    bottom: int
    n_hits: int


@dataclass(frozen=True, eq=False)
class _Index:
    """The hashes of all sprites' rows, for skins of one cell width.

    Attributes:
        width: of a cell.
        hashes: uint32, sorted.
        owners: for each skin, which of the hashes are its own: bool, skins x hashes.
        offsets: intp, for each hash, where in its row the part begins that it is looked up by.
    """

    width: int
    skins: tuple[Skin, ...]
    hashes: Hashes
    owners: NDArray[np.bool_]
    offsets: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Indices:
    """What is looked up for a set of skins.

    Attributes:
        part_px: the width of the narrowest cell: a part of this length is looked up first in every row.
        step: distance of the rows of the frame that are looked at.
        table: bool, by the upper bits of a part's hash: whether any sprite has such a part.
        by_width: the rows themselves.
    """

    part_px: int
    step: int
    table: NDArray[np.bool_]
    by_width: tuple[_Index, ...]


def _find_windows(pixels_bgr: NDArray[np.uint8], skins: Sequence[Skin]) -> list[_HitWindow]:
    """Every window worth a close look."""
    if not skins:
        return []
    indices = _prepared(tuple(skins))
    height, width = pixels_bgr.shape[:2]
    if height < indices.step or width < indices.part_px:
        return []
    sums, inverses = _rolling(np.ascontiguousarray(pixels_bgr[indices.step // 2 :: indices.step]))
    n_places = width - indices.part_px + 1
    parts = sums[:, indices.part_px :] - sums[:, :n_places]
    parts *= inverses[:n_places]
    line, x = np.divmod(np.flatnonzero(indices.table.take(_upper(parts))), n_places)
    return [window for index in indices.by_width for window in _windows_of(index, line, x, sums, indices.step)]


@lru_cache(maxsize=16)
def _prepared(skins: tuple[Skin, ...]) -> _Indices:
    widths = sorted({skin.pitch_px[0] for skin in skins})
    table = np.zeros(2**_TABLE_BITS, dtype=np.bool_)
    by_width = []
    for width in widths:
        own = tuple(skin for skin in skins if skin.pitch_px[0] == width)
        by_skin = [_telling_rows(skin) for skin in own]
        rows = np.concatenate(by_skin)
        hashes, first = np.unique(_row_hashes(rows), return_index=True)
        offsets, parts = _telling_parts(rows[first], widths[0])
        table[_upper(_row_hashes(parts))] = True
        owners = np.stack([np.isin(hashes, _row_hashes(these)) for these in by_skin])
        by_width.append(_Index(width, own, hashes, owners, offsets))
    step = min(_STEP_PX, *(max(1, skin.pitch_px[1] // 2) for skin in skins))
    return _Indices(widths[0], step, table, tuple(by_width))


def _row_hashes(rows_bgr: NDArray[np.uint8]) -> Hashes:
    """The hash of each row of pixels: uint32, N, for uint8, N x width x 3."""
    powers, _ = _powers(rows_bgr.shape[1])
    hashes: Hashes = (_words(rows_bgr) * powers).sum(axis=1, dtype=np.uint32)
    return hashes


def _telling_rows(skin: Skin) -> NDArray[np.uint8]:
    """All rows of all sprites that are not of a single colour: uint8, N x width x 3."""
    rows = np.concatenate([sprite.pixels_bgr for sprite in skin.sprites])
    telling: NDArray[np.uint8] = rows[(rows != rows[:, :1]).any(axis=(1, 2))]
    return telling


def _telling_parts(rows: NDArray[np.uint8], part_px: int) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """In each of these rows, a part of this length with more than one colour, and where it begins: mostly at 0."""
    change = (rows[:, 1:] != rows[:, :-1]).any(axis=2).argmax(axis=1) + 1
    offsets = np.where(change < part_px, 0, np.minimum(change - 1, rows.shape[1] - part_px))
    return offsets, rows[np.arange(len(rows))[:, None], offsets[:, None] + np.arange(part_px)]


def _words(rows_bgr: NDArray[np.uint8]) -> Hashes:
    """One number a pixel, never 0: uint32, rows x pixels."""
    four = cv2.cvtColor(np.ascontiguousarray(rows_bgr), cv2.COLOR_BGR2BGRA)
    return np.asarray(four).view(np.uint32)[..., 0]


@lru_cache(maxsize=16)
def _powers(n: int) -> tuple[Hashes, Hashes]:
    """The base to the power of 0 to n - 1, and their inverses, modulo 2^32."""
    inverse = pow(_BASE, -1, 2**32)
    powers, inverses = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint32)
    up = down = 1
    for i in range(n):
        powers[i], inverses[i] = up, down
        up, down = up * _BASE & _MASK, down * inverse & _MASK
    return powers, inverses


def _rolling(lines: NDArray[np.uint8]) -> tuple[Hashes, Hashes]:
    powers, inverses = _powers(lines.shape[1])
    sums = np.zeros((lines.shape[0], lines.shape[1] + 1), dtype=np.uint32)
    np.cumsum(_words(lines) * powers, axis=1, dtype=np.uint32, out=sums[:, 1:])
    return sums, inverses


def _upper(hashes: Hashes) -> Hashes:
    upper: Hashes = hashes * np.uint32(0x85EBCA6B) >> np.uint32(32 - _TABLE_BITS)
    return upper


def _windows_of(
    index: _Index, line: NDArray[np.intp], x: NDArray[np.intp], sums: Hashes, step: int
) -> list[_HitWindow]:
    """The windows with rows of one width, by the places (`line`, `x`) where parts of rows are."""
    width = index.width
    _, inverses = _powers(sums.shape[1] - 1)
    hits = []
    for offset in np.unique(index.offsets):
        start = x - offset
        inside = np.flatnonzero((start >= 0) & (start + width < sums.shape[1]))
        row, start = line[inside], start[inside]
        hashes = (sums[row, start + width] - sums[row, start]) * inverses[start]
        place = np.minimum(np.searchsorted(index.hashes, hashes), index.hashes.size - 1)
        real = (index.hashes[place] == hashes) & (index.offsets[place] == offset)
        hits.append((row[real], start[real], place[real]))
    row, start, place = map(np.concatenate, zip(*hits, strict=True))
    return _gathered(index, row, start, index.owners[:, place], step) if row.size >= _MIN_HITS else []


def _gathered(
    index: _Index, line: NDArray[np.intp], x: NDArray[np.intp], owners: NDArray[np.bool_], step: int
) -> list[_HitWindow]:
    """Group hits (`owners`: skins x hits) by phase and neighbourhood."""
    width = index.width
    windows = []
    votes = np.bincount(x % width, minlength=width)
    for phase in np.flatnonzero(votes >= _MIN_HITS):
        own = np.flatnonzero(x % width == phase)
        row, col = line[own] * step // width, x[own] // width
        chart = np.zeros((int(row.max()) + 1, int(col.max()) + 1), dtype=np.uint8)
        chart[row, col] = 1
        near = cv2.dilate(chart, np.ones((_GAP_CELLS, _GAP_CELLS), dtype=np.uint8))
        _, labels = cv2.connectedComponents(near, connectivity=8)
        label = labels[row, col].astype(np.intp)
        for group in np.flatnonzero(np.bincount(label) >= _MIN_HITS):
            members = own[label == group]
            counts = owners[:, members].sum(axis=1)
            skins = tuple(skin for skin, count in zip(index.skins, counts, strict=True) if count >= _MIN_HITS)
            left, right = int(x[members].min()), int(x[members].max()) + width
            top, bottom = int(line[members].min()) * step, int(line[members].max() + 1) * step
            if skins:
                windows.append(_HitWindow(skins, int(phase), left, top, right, bottom, members.size))
    return sorted(windows, key=lambda window: -window.n_hits)[:_MAX_WINDOWS]


_MOST_PHASES = 3
_LEAST_AREA = 0.3  # a digit covers less of its field than all but this share
_BESIDE = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.uint8)
_LEAST_BESIDE = 2  # number of cells beside one in the corner of a board


@lru_cache(maxsize=256)
def is_checkered(skin: Skin) -> bool:
    """Whether closed cells are bare fields of two colours or more; others may be drawn where the pointer rests."""
    closed = np.stack([sprite.pixels_bgr for sprite in skin.sprites_of(CLOSED)])
    bare = closed[(closed == closed[:, :1, :1]).all(axis=(1, 2, 3))]
    return len(distinct_colours(bare[:, 0, 0])[0]) > 1


class _FieldPixels:
    """The exact pixels of one skin of fields, and which fields are of colours in turn."""

    def __init__(self, skin: Skin) -> None:
        sprites = np.stack([sprite.pixels_bgr for sprite in skin.sprites])
        is_bare = (sprites == sprites[:, :1, :1]).all(axis=(1, 2, 3))
        states = np.array([sprite.state for sprite in skin.sprites])
        prints = fingerprint(sprites)
        self.colours = distinct_colours(sprites[is_bare][:, 0, 0])[0]
        in_turn = [state for state in np.unique(states) if np.unique(prints[is_bare & (states == state)]).size > 1]
        self.in_turn = np.unique(prints[is_bare & np.isin(states, in_turn)])
        self.sites = PrintedSites(skin.exact, plain=prints[is_bare & ~np.isin(states, in_turn)].tolist())


_field_pixels = lru_cache(maxsize=64)(_FieldPixels)


def find_checkered(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board of these skins, all of them checkered, at their own size."""
    found = []
    for skin in skins:
        for x, y in _checkered_phases(frame.pixels_bgr, skin):
            found += _checkered_boards(frame, skin, x, y)
    return found


def _checkered_phases(pixels_bgr: NDArray[np.uint8], skin: Skin) -> list[tuple[int, int]]:
    """Where cells begin modulo the pitch, (x, y), those of most fields first."""
    width, height = skin.pitch_px
    votes = np.zeros((height, width), dtype=np.intp)
    for colour in _field_pixels(skin).colours:
        mask = cv2.inRange(pixels_bgr, colour, colour)
        left, top, wide, high, area = areas_of(mask).T
        is_field = (wide == width) & (high == height) & (area >= _LEAST_AREA * width * height)
        np.add.at(votes, (top[is_field] % height, left[is_field] % width), 1)
    best = np.argsort(-votes, axis=None, kind="stable")[:_MOST_PHASES]
    return [(int(one % width), int(one // width)) for one in best if votes.flat[one] >= MIN_TELLING]


def _checkered_boards(frame: Frame, skin: Skin, x: int, y: int) -> list[FoundBoard]:
    """The boards whose cells begin there."""
    width, height = skin.pitch_px
    rows, cols = (frame.region.height - y) // height, (frame.region.width - x) // width
    pixels = frame.pixels_bgr[y : y + rows * height, x : x + cols * width]
    prints = fingerprint(cut_cells(pixels, rows, cols)).reshape(rows, cols)
    first = Pixel(frame.left + x, frame.top + y)
    charts = _charts(prints, _field_pixels(skin))
    return [board for sites in charts for board in boards_on(sites, skin, first, skin.pitch_px)]


def _charts(prints: Words, field_pixels: _FieldPixels) -> Iterator[NDArray[np.int8]]:
    """The cells of each place where different ones lie side by side, as sites of a board."""
    sites = field_pixels.sites.of(prints)
    is_known = sites != NO_CELL
    core = is_known & _has_others_beside(prints, is_known)
    near = np.asarray(cv2.dilate(core.astype(np.uint8), np.ones((3, 3), dtype=np.uint8)))
    n_places, numbers = cv2.connectedComponents(near, connectivity=8)
    for number in range(1, n_places):
        own = is_known & (numbers == number)
        is_site = own & _is_in_turn(prints, own & core, field_pixels.in_turn)
        n_beside = cv2.filter2D(is_site.astype(np.uint8), -1, _BESIDE, borderType=cv2.BORDER_CONSTANT)
        is_site &= np.asarray(n_beside) >= _LEAST_BESIDE
        yield np.where(is_site, sites, NO_CELL).astype(np.int8)


def _has_others_beside(prints: Words, is_known: Mask) -> Mask:
    """Which cells have a known one of another sprite above, below or beside them."""
    found = np.zeros(prints.shape, dtype=np.bool_)
    for one, other in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        differs = is_known[one] & is_known[other] & (prints[one] != prints[other])
        found[one] |= differs
        found[other] |= differs
    return found


def _is_in_turn(prints: Words, core: Mask, in_turn: Words) -> Mask:
    """False for fields of a colour that is in turn with another, where that other should be."""
    is_odd = np.indices(prints.shape).sum(axis=0) % 2 == 1
    is_right = np.ones(prints.shape, dtype=np.bool_)
    for value in in_turn:
        here = prints == value
        belongs = is_odd == bool(2 * int((core & here & is_odd).sum()) > int((core & here).sum()))
        is_right &= ~here | belongs
    return is_right
