"""Finds at a glance where boards at another size may be: where runs of equal pixels repeat along rows, as cells do.

Every few rows of the frame are cut into runs of equal pixels. Runs of one colour and about one length that follow
each other in a row are a step apart; steps of about one size that lie together are a repeat: cells of that pitch, or
something like them. That takes a few passes over those rows, whatever they show, and leaves little of a frame for a
close look. Pixels must be exactly equal: where a board is noisy, it is not seen here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bot.models import Frame

    Numbers = NDArray[np.intp]

_STEP_PX = 6  # distance of the rows looked at: no more than the side of the smallest faces and the line beside them
_LEAST_PX, _MOST_PX = 5, 200  # the lengths of runs: those of faces, of all skins and scales
_LEAST_SHARE = 0.3  # a run takes at least this share of a step
_LEAST_STEPS = 8  # fewer steps are chance, or not enough for a board
_MOST_SIZES = 24  # number of sizes of steps that are followed up, the most common first
_GAP_CELLS = 5  # steps with this many cells between them do not lie together
_LEAST_COLS, _LEAST_ROWS = 2.5, 2.0
"""Cells from the beginning of the first run to that of the last: a board has four, and not all of one repeats."""
_LEAST_SEEN = 0.2  # steps for each cell of a board, at least


@dataclass(frozen=True, eq=False)
class _Steps:
    """Pairs of runs that follow each other in a row: arrays of one length.

    Attributes:
        x: where the first one begins, in pixels; likewise `y`.
        length: of the first one.
        step: from its beginning to that of the second.
        word: its colour: B, G, R and 255 as one uint32.
    """

    x: Numbers
    y: Numbers
    length: Numbers
    step: Numbers
    word: NDArray[np.uint32]

    def chosen(self, which: NDArray[np.bool_] | Numbers) -> _Steps:
        """Some of them."""
        return _Steps(*(getattr(self, one.name)[which] for one in fields(self)))


@dataclass(frozen=True, eq=False)
class Repeat:
    """Something that repeats along rows.

    Attributes:
        pitch_px: about how far it is from one to the next.
        region: from the beginning of the first run to that of the last.
    """

    pitch_px: float
    region: Region
    _steps: _Steps
    _pixels_bgr: NDArray[np.uint8]

    @property
    def colours_bgr(self) -> NDArray[np.uint8]:
        """The colours of the runs: uint8, N x 3."""
        return np.ascontiguousarray(self._steps.word).view(np.uint8).reshape(-1, 4)[:, :3]

    @property
    def widths(self) -> Numbers:
        """How many pixels each run has: intp, N."""
        return self._steps.length

    @cached_property
    def heights(self) -> Numbers:
        """How many pixels of its colour lie above and below each other in the middle of each run: intp, N.

        No more than a step each way.
        """
        steps, reach = self._steps, int(self._steps.step.max())
        x = steps.x + steps.length // 2
        y = np.clip(steps.y[:, None] + np.arange(-reach, reach + 1), 0, len(self._pixels_bgr) - 1)
        columns = self._pixels_bgr[y, x[:, None]]
        is_same = (columns == columns[:, reach : reach + 1]).all(axis=2)
        halves = is_same[:, reach::-1], is_same[:, reach:]
        above, below = (np.logical_and.accumulate(half, axis=1).sum(axis=1) for half in halves)
        return np.asarray(above + below - 1)


def find_row_repeats(frame: Frame) -> list[Repeat]:
    """What repeats along the rows of a frame on at least as many cells as a board has, those of most runs first."""
    steps = _steps_on(frame.pixels_bgr)
    counts = np.bincount(steps.step, minlength=3)
    found: list[_Steps] = []
    for _ in range(_MOST_SIZES):
        near = counts + np.append(counts[1:], 0) + np.append(0, counts[:-1])
        size = int((4 * near + counts).argmax())
        if near[size] < _LEAST_STEPS:
            break
        counts[size - 1 : size + 2] = 0
        found += _together(steps.chosen(np.abs(steps.step - size) <= 1), size)
    found.sort(key=lambda own: -own.x.size)
    return [repeat for own in found if (repeat := _repeat(own, frame)) is not None]


def _steps_on(pixels_bgr: NDArray[np.uint8]) -> _Steps:
    """All pairs of runs alike that follow each other in one of the rows looked at."""
    lines = np.ascontiguousarray(pixels_bgr[_STEP_PX // 2 :: _STEP_PX])
    if not lines.size:
        none = np.zeros(0, dtype=np.intp)
        return _Steps(none, none, none, none, np.zeros(0, dtype=np.uint32))
    words = np.asarray(cv2.cvtColor(lines, cv2.COLOR_BGR2BGRA)).view(np.uint32)[..., 0]
    is_last = np.ones(words.shape, dtype=np.bool_)
    np.not_equal(words[:, 1:], words[:, :-1], out=is_last[:, :-1])
    ends = np.flatnonzero(is_last) + 1
    lengths = np.diff(ends, prepend=0)
    fits = (lengths >= _LEAST_PX) & (lengths <= _MOST_PX)
    length = lengths[fits]
    start = ends[fits] - length
    word = words.reshape(-1)[start]
    line, x = np.divmod(start, words.shape[1])
    order = np.argsort(line.astype(np.uint64) << np.uint64(32) | word, kind="stable")
    line, x, length, word = line[order], x[order], length[order], word[order]
    step = np.diff(x)
    is_pair = (np.diff(line) == 0) & (word[1:] == word[:-1]) & (np.abs(np.diff(length)) <= 1)
    is_pair &= (step > length[:-1]) & (step * _LEAST_SHARE <= length[:-1])
    pairs = np.flatnonzero(is_pair)
    return _Steps(x[pairs], line[pairs] * _STEP_PX + _STEP_PX // 2, length[pairs], step[pairs], word[pairs])


def _together(steps: _Steps, size: int) -> Iterator[_Steps]:
    """Those of about one size, in groups that lie together."""
    row, col = steps.y // size, steps.x // size
    chart = np.zeros((int(row.max()) + 1, int(col.max()) + 2), dtype=np.uint8)
    chart[row, col] = chart[row, col + 1] = 1
    near = cv2.dilate(chart, np.ones((_GAP_CELLS, _GAP_CELLS), dtype=np.uint8))
    label = cv2.connectedComponents(near, connectivity=8)[1][row, col].astype(np.intp)
    for group in np.flatnonzero(np.bincount(label) >= _LEAST_STEPS):
        yield steps.chosen(label == group)


def _repeat(steps: _Steps, frame: Frame) -> Repeat | None:
    """What some steps are together; None where it is too small for a board, or there are too few of them for it."""
    pitch = float(steps.step.mean())
    left, top, bottom = int(steps.x.min()), int(steps.y.min()), int(steps.y.max())
    right = int((steps.x + steps.step).max())
    n_cells = (right - left) / pitch * (bottom - top) / pitch
    if right - left < _LEAST_COLS * pitch or bottom - top < _LEAST_ROWS * pitch or steps.x.size < _LEAST_SEEN * n_cells:
        return None
    region = Region(frame.left + left, frame.top + top, right - left, bottom - top)
    return Repeat(pitch, region, steps, frame.pixels_bgr)
