"""Where on a frame may a board of these skins be, at the size its clone draws it?

Every few rows of the frame, each run of pixels as long as the narrowest cell is wide is hashed (a rolling hash: the
cost is a few passes over those rows, whatever they show and however many skins there are) and looked up among parts of
the rows of pixels of all looks of all skins; where there is one, the whole row is. Hits that begin at the same x modulo
the pitch and lie together make a window worth a close look: which of its rows are which, and what its cells say, is for
`exact`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from skins.skin import Skin

    Words = NDArray[np.uint32]

_MIN_HITS = 4
"""Fewer hits in line are chance, or not enough for a board."""
_MAX_WINDOWS = 8
"""Most windows of one cell width that are followed up, those of most hits first."""
_GAP_CELLS = 6
"""Hits farther apart than this many cells (a dialog between them) are looked at as two windows."""
_STEP_PX = 8
"""Distance of the rows looked at, at most: half a cell, so that no row of cells is missed."""
_BASE = 0x9E3779B1  # odd: it has an inverse
_MASK = 2**32 - 1
_TABLE_BITS = 16


@dataclass(frozen=True)
class Window:
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
    """The hashes of all looks' rows, for skins of one cell width.

    Attributes:
        width: of a cell.
        hashes: uint32, sorted.
        owners: for each skin, which of the hashes are its own: bool, skins x hashes.
        offsets: intp, for each hash, where in its row the part begins that it is looked up by.
    """

    width: int
    skins: tuple[Skin, ...]
    hashes: Words
    owners: NDArray[np.bool_]
    offsets: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Indices:
    """What is looked up for a set of skins.

    Attributes:
        part_px: the width of the narrowest cell: a part of this length is looked up first in every row.
        step: distance of the rows of the frame that are looked at.
        table: bool, by the upper bits of a part's hash: whether any look has such a part.
        by_width: the rows themselves.
    """

    part_px: int
    step: int
    table: NDArray[np.bool_]
    by_width: tuple[_Index, ...]


def find_windows(pixels_bgr: NDArray[np.uint8], skins: Sequence[Skin]) -> list[Window]:
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
        hashes, first = np.unique(row_hashes(rows), return_index=True)
        offsets, parts = _telling_parts(rows[first], widths[0])
        table[_upper(row_hashes(parts))] = True
        owners = np.stack([np.isin(hashes, row_hashes(these)) for these in by_skin])
        by_width.append(_Index(width, own, hashes, owners, offsets))
    step = min(_STEP_PX, *(max(1, skin.pitch_px[1] // 2) for skin in skins))
    return _Indices(widths[0], step, table, tuple(by_width))


def row_hashes(rows_bgr: NDArray[np.uint8]) -> Words:
    """The hash of each row of pixels: uint32, N, for uint8, N x width x 3."""
    powers, _ = _powers(rows_bgr.shape[1])
    hashes: Words = (_words(rows_bgr) * powers).sum(axis=1, dtype=np.uint32)
    return hashes


def _telling_rows(skin: Skin) -> NDArray[np.uint8]:
    """All rows of all looks that are not of a single colour: uint8, N x width x 3."""
    rows = np.concatenate([look.pixels_bgr for look in skin.looks])
    telling: NDArray[np.uint8] = rows[(rows != rows[:, :1]).any(axis=(1, 2))]
    return telling


def _telling_parts(rows: NDArray[np.uint8], part_px: int) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """In each of these rows, a part of this length with more than one colour, and where it begins: mostly at 0."""
    change = (rows[:, 1:] != rows[:, :-1]).any(axis=2).argmax(axis=1) + 1
    offsets = np.where(change < part_px, 0, np.minimum(change - 1, rows.shape[1] - part_px))
    return offsets, rows[np.arange(len(rows))[:, None], offsets[:, None] + np.arange(part_px)]


def _words(rows_bgr: NDArray[np.uint8]) -> Words:
    """One number a pixel, never 0: uint32, rows x pixels."""
    four = cv2.cvtColor(np.ascontiguousarray(rows_bgr), cv2.COLOR_BGR2BGRA)
    return np.asarray(four).view(np.uint32)[..., 0]


@lru_cache(maxsize=16)
def _powers(n: int) -> tuple[Words, Words]:
    """The base to the power of 0 to n - 1, and their inverses, modulo 2^32."""
    inverse = pow(_BASE, -1, 2**32)
    powers, inverses = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint32)
    up = down = 1
    for i in range(n):
        powers[i], inverses[i] = up, down
        up, down = up * _BASE & _MASK, down * inverse & _MASK
    return powers, inverses


def _rolling(lines: NDArray[np.uint8]) -> tuple[Words, Words]:
    powers, inverses = _powers(lines.shape[1])
    sums = np.zeros((lines.shape[0], lines.shape[1] + 1), dtype=np.uint32)
    np.cumsum(_words(lines) * powers, axis=1, dtype=np.uint32, out=sums[:, 1:])
    return sums, inverses


def _upper(hashes: Words) -> Words:
    upper: Words = hashes * np.uint32(0x85EBCA6B) >> np.uint32(32 - _TABLE_BITS)
    return upper


def _windows_of(index: _Index, line: NDArray[np.intp], x: NDArray[np.intp], sums: Words, step: int) -> list[Window]:
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
) -> list[Window]:
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
        label = labels[row, col]
        for group in np.flatnonzero(np.bincount(label) >= _MIN_HITS):
            members = own[label == group]
            counts = owners[:, members].sum(axis=1)
            skins = tuple(skin for skin, count in zip(index.skins, counts, strict=True) if count >= _MIN_HITS)
            left, right = int(x[members].min()), int(x[members].max()) + width
            top, bottom = int(line[members].min()) * step, int(line[members].max() + 1) * step
            if skins:
                windows.append(Window(skins, int(phase), left, top, right, bottom, members.size))
    return sorted(windows, key=lambda window: -window.n_hits)[:_MAX_WINDOWS]
