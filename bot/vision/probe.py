"""Where on a frame may a board of these skins be, at the size its clone draws it?

Every few rows of the frame, each run of pixels as long as a cell is wide is hashed (a rolling hash: the cost is a few
passes over those rows, whatever they show and however many skins there are) and looked up among the rows of pixels of
all looks of all skins. Hits that begin at the same x modulo the pitch and lie together make a window worth a close
look: which of its rows are which, and what its cells say, is for `native`.
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

MIN_HITS = 4
"""Fewer hits in line are chance, or not enough for a board."""
MAX_WINDOWS = 8
"""How many windows of one cell width are followed up, those of most hits first."""
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
        table: bool, by the hash's upper bits: whether any row has them.
        hashes: uint32, sorted.
        owners: for each skin, which of the hashes are its own: bool, skins x hashes.
    """

    width: int
    skins: tuple[Skin, ...]
    table: NDArray[np.bool_]
    hashes: Words
    owners: NDArray[np.bool_]


def find_windows(pixels_bgr: NDArray[np.uint8], skins: Sequence[Skin]) -> list[Window]:
    """Every window worth a close look."""
    if not skins:
        return []
    indices, step = _prepared(tuple(skins))
    height, width = pixels_bgr.shape[:2]
    if height < step or width < min(index.width for index in indices):
        return []
    lines = np.ascontiguousarray(pixels_bgr[step // 2 :: step])
    sums, inverse = _rolling(lines)
    windows = []
    for index in indices:
        if width >= index.width:
            windows += _windows_of(index, sums, inverse, step)
    return windows


@lru_cache(maxsize=16)
def _prepared(skins: tuple[Skin, ...]) -> tuple[list[_Index], int]:
    widths = sorted({skin.pitch_px[0] for skin in skins})
    indices = [_index_of(tuple(skin for skin in skins if skin.pitch_px[0] == width)) for width in widths]
    return indices, min(_STEP_PX, *(max(1, skin.pitch_px[1] // 2) for skin in skins))


def _index_of(skins: tuple[Skin, ...]) -> _Index:
    width = skins[0].pitch_px[0]
    by_skin = [_telling_rows(skin) for skin in skins]
    hashes = np.unique(np.concatenate(by_skin))
    table = np.zeros(2**_TABLE_BITS, dtype=np.bool_)
    table[_upper(hashes)] = True
    owners = np.stack([np.isin(hashes, own) for own in by_skin])
    return _Index(width, skins, table, hashes, owners)


def row_hashes(rows_bgr: NDArray[np.uint8]) -> Words:
    """The hash of each row of pixels: uint32, N, for uint8, N x width x 3."""
    powers, _ = _powers(rows_bgr.shape[1])
    hashes: Words = (_words(rows_bgr) * powers).sum(axis=1, dtype=np.uint32)
    return hashes


def _telling_rows(skin: Skin) -> Words:
    """The hashes of all rows of all looks that are not of a single colour."""
    rows = np.concatenate([look.pixels_bgr for look in skin.looks])
    return np.unique(row_hashes(rows[(rows != rows[:, :1]).any(axis=(1, 2))]))


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


def _windows_of(index: _Index, sums: Words, inverses: Words, step: int) -> list[Window]:
    width = index.width
    hashes = (sums[:, width:] - sums[:, :-width]) * inverses[: sums.shape[1] - width]
    line, x = np.nonzero(index.table.take(_upper(hashes)))
    hit = hashes[line, x]
    place = np.minimum(np.searchsorted(index.hashes, hit), index.hashes.size - 1)
    real = index.hashes[place] == hit
    line, x, place = line[real], x[real], place[real]
    return _gathered(index, line, x, index.owners[:, place], step) if line.size >= MIN_HITS else []


def _gathered(
    index: _Index, line: NDArray[np.intp], x: NDArray[np.intp], owners: NDArray[np.bool_], step: int
) -> list[Window]:
    """Group hits (`owners`: skins x hits) by phase and neighbourhood."""
    width = index.width
    windows = []
    votes = np.bincount(x % width, minlength=width)
    for phase in np.flatnonzero(votes >= MIN_HITS):
        own = np.flatnonzero(x % width == phase)
        row, col = line[own] * step // width, x[own] // width
        chart = np.zeros((int(row.max()) + 1, int(col.max()) + 1), dtype=np.uint8)
        chart[row, col] = 1
        near = cv2.dilate(chart, np.ones((_GAP_CELLS, _GAP_CELLS), dtype=np.uint8))
        _, labels = cv2.connectedComponents(near, connectivity=8)
        label = labels[row, col]
        for group in np.flatnonzero(np.bincount(label) >= MIN_HITS):
            members = own[label == group]
            counts = owners[:, members].sum(axis=1)
            skins = tuple(skin for skin, count in zip(index.skins, counts, strict=True) if count >= MIN_HITS)
            left, right = int(x[members].min()), int(x[members].max()) + width
            top, bottom = int(line[members].min()) * step, int(line[members].max() + 1) * step
            if skins:
                windows.append(Window(skins, int(phase), left, top, right, bottom, members.size))
    return sorted(windows, key=lambda window: -window.n_hits)[:MAX_WINDOWS]
