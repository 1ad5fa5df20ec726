"""Columns and rows of tiles: boxes sorted into lines at about one distance, some of them perhaps hidden."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.sites import MIN_SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.float64]

ALIKE = 0.12
"""Tiles of one board differ by a pixel or two, and this share of their side."""
LEAST_GAP_PX = 3
MOST_GAP = 0.45
"""A gap is at most this share of a tile."""
STRAY_PX = 2.0
"""Boxes in one line, and sides of one size, differ by no more, and a share of their side."""


@dataclass(frozen=True, eq=False)
class Lines:
    """The tiles of a board along one axis: where each begins and ends, in pixels; NaN for lines that are all hidden."""

    start: Places
    end: Places

    def has(self, places: Places) -> NDArray[np.bool_]:
        """Which of the boxes that begin there lie on one of the lines."""
        near: NDArray[np.bool_] = np.abs(places[:, None] - self.start) <= STRAY_PX
        return np.asarray(near.any(axis=1))

    def numbers(self, places: Places) -> NDArray[np.intp]:
        """The line nearest to each of the boxes that begin there."""
        seen = np.flatnonzero(~np.isnan(self.start))
        starts = np.interp(np.arange(self.start.size), seen, self.start[seen])
        return np.asarray(np.searchsorted((starts[1:] + starts[:-1]) / 2, places))

    @property
    def gap(self) -> float:
        """How far most tiles are apart."""
        gaps = self.start[1:] - self.end[:-1]
        return 0.0 if np.isnan(gaps).all() else float(np.nanmedian(gaps))

    @property
    def has_gaps(self) -> bool:
        """Whether they are as far apart as tiles may be."""
        return LEAST_GAP_PX <= self.gap <= MOST_GAP * float(np.nanmedian(self.end - self.start))

    @property
    def is_crisp(self) -> bool:
        """Whether all are equally far apart, as a clone draws them."""
        gaps = self.start[1:] - self.end[:-1]
        return bool((gaps[~np.isnan(gaps)] == self.gap).all())

    def edges(self) -> NDArray[np.intp]:
        """Where cells begin and the last one ends.

        A cell reaches to the middle of the gap; where gaps are not all alike, the picture was scaled after it was
        drawn, and cells are as even as their middles are.
        """
        number = np.arange(self.start.size)
        seen = ~np.isnan(self.start)
        middle = (self.start + self.end) / 2
        inner = seen & (number > 0) & (number < number.size - 1)  # beside the outermost lies who knows what
        pitch, origin = np.polyfit(number[inner] + 0.5, middle[inner], 1)
        is_even = float(np.abs(origin + pitch * (number + 0.5) - middle)[inner].max()) <= 0.75
        if is_even and not self.is_crisp:
            near, far = round(origin), round(origin + pitch * number.size)
            cuts = np.linspace(near, far, number.size + 1)
        else:
            cuts = np.interp(
                np.append(number, number.size),
                np.append(number[seen], number.size),
                np.append(self.start[seen] - self.gap / 2, self.end[-1] + self.gap / 2),
            )
        return np.floor(cuts + 0.5).astype(int)


def lines_of(places: Places, sides: Places) -> Lines | None:
    """Sort boxes into lines by where they begin; None where they do not make lines at about one distance."""
    if places.size < MIN_SIDE:
        return None
    order = np.argsort(places, kind="stable")
    splits = np.flatnonzero(np.diff(places[order]) > 0.3 * float(np.median(sides))) + 1
    groups = [members for members in np.split(order, splits) if members.size >= 2]
    if len(groups) < MIN_SIDE:
        return None
    start = np.array([median(places[members].tolist()) for members in groups])
    end = np.array([median((places[members] + sides[members]).tolist()) for members in groups])
    pitch = float(np.median(np.diff(start)))
    chosen = _in_step(start, np.array([members.size for members in groups]), pitch)
    if chosen.size < MIN_SIDE:
        return None
    number = np.concatenate([[0], np.cumsum(np.rint(np.diff(start[chosen]) / pitch))]).astype(int)
    lines = Lines(*(np.full(int(number[-1]) + 1, np.nan) for _ in range(2)))
    lines.start[number], lines.end[number] = start[chosen], end[chosen]
    return lines


def _in_step(start: Places, sizes: NDArray[np.intp], pitch: float) -> NDArray[np.intp]:
    """Which lines lie whole pitches from one another, seen from the one with most boxes."""
    best = int(sizes.argmax())
    chosen = [best]
    for direction in (1, -1):
        last = best
        for k in range(best + direction, len(start) if direction > 0 else -1, direction):
            steps = abs(start[k] - start[last]) / pitch
            n = round(steps)
            if n >= 1 and abs(steps - n) * pitch <= STRAY_PX + ALIKE * pitch * n:
                chosen.append(k)
                last = k
    return np.array(sorted(chosen), dtype=np.intp)
