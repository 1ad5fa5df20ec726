"""Which cells look alike: from stacks of pixels to numbered appearances, none of which is given a meaning here.

Grouped finely: one appearance may come twice, but two different ones must never be taken for one. Pictures as a clone
draws them repeat pixel for pixel, and are grouped so; where a screen was scaled, filtered or compressed no two cells
are equal, and small differences that the picture has everywhere are overlooked.

There are two distances. While a board is still looked for, cells are compared as they are: by the root mean square of
all channels (`rms_distances`). When appearances are told apart, each is averaged over 3 x 3 pixels first, and the place
and channel where they differ most counts (`distances`): noise and ringing cancel out, a missing stroke of a digit does
not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.vision.alike import BETWEEN_PIXELS, IN_PLACE, PLAIN_SLACK, Comparer
from skins.pixels import distinct_rows, fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


ALIKE = 6.0  # largest root mean square between two cells that may be the same one with something drawn over it
_ALIKE_BLURRED = 10.0  # such a distance in a compressed picture, where hardly any two cells are equal
ALIKE_ANEW = 13.0  # such a distance where cells were drawn anew at another size: lines fall on pixels, or between
FEW = 3  # fewest cells of an appearance that tells something: one of fewer may be anything
MOST_APPEARANCES = 60  # most appearances of a board in order
_APPEARANCE_BITS = 8.0
_MOST_TOLD = 100
_MOST_AT_ONCE = 1200  # most cells that are all compared with all at once, for the memory that takes
_DIFFERENT = 55.0  # distance, also without their grounds, beyond which pictures show different things
STEPS = (0.0, 6.0, 10.0, 16.0, 24.0, 34.0)  # distances that may be overlooked; the first that is enough is taken
_ENOUGH = 0.9  # share of cells that must look like some others: a board has few appearances and many cells
RIM_ALIKE = 16.0  # largest distance between rims of one kind of cell
DRAWN_ON = 20.0  # distance without the grounds beyond which a cell with a closed rim has something drawn on it: a flag
_NEAR_EQUAL = 1.0
"""Root mean square below which two cells are drawn alike: 0.2 where a dotted edge lies between pixels. Cells of two
shades, or shaded at a corner, are farther apart."""
_RIM_PX = 2  # depth of the rim of a cell, in pixels


def appearances_of(cells: NDArray[np.uint8], alike: float = ALIKE) -> NDArray[np.intp]:
    """The number of each cell's appearance: cells are equal, or nearly so where hardly any two are equal.

    Args:
        cells: uint8, of any number of axes, the last three height x width x 3; what is found has those before.
        alike: how far apart cells may be that look the same, where no two are equal.
    """
    return appearances_within(cells, how_alike(cells, alike))


def appearances_within(cells: NDArray[np.uint8], alike: float) -> NDArray[np.intp]:
    """The number of each cell's appearance, where it is known how far apart equal ones may be (`how_alike`)."""
    if alike <= ALIKE:
        return np.asarray(np.unique(fingerprint(stacked(cells)), return_inverse=True)[1].reshape(cells.shape[:-3]))
    shape, cells = cells.shape[:-3], stacked(cells)
    number_of = np.full(len(cells), -1, dtype=np.intp)
    near = rms_distances(cells, cells) <= alike if len(cells) <= _MOST_AT_ONCE else None
    for number in range(len(cells)):
        free = np.flatnonzero(number_of < 0)
        if not free.size:
            break
        if number >= _MOST_TOLD:  # no board: each is its own
            number_of[free] = number + np.arange(free.size)
            break
        first = int(free[0])
        is_near = rms_distances(cells[free], cells[[first]])[:, 0] <= alike if near is None else near[first, free]
        number_of[free[is_near]] = number
        number_of[first] = number
    return number_of.reshape(shape)


def stacked(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Cells one after the other: uint8, N x height x width x 3, whatever axes come before the last three."""
    return cells.reshape(-1, *cells.shape[-3:])


def how_alike(cells: NDArray[np.uint8], alike: float) -> float:
    """How far apart cells may be that look the same: farther where hardly any two are equal."""
    return alike if has_equals(cells) else max(alike, _ALIKE_BLURRED)


def has_equals(cells: NDArray[np.uint8]) -> bool:
    """Whether half of the cells (... x height x width x 3) or more are equal to others, pixel for pixel."""
    _, counts = np.unique(fingerprint(stacked(cells)), return_counts=True)
    return 2 * int(counts[counts > 1].sum()) >= int(counts.sum())


def are_near_equals(cells: NDArray[np.uint8]) -> bool:
    """Whether cells (... x height x width x 3) differ, and by less than an eye sees: none is drawn pixel for pixel."""
    distinct = distinct_rows(stacked(cells)).rows
    return len(distinct) > 1 and float(rms_distances(distinct, distinct).max()) < _NEAR_EQUAL


def diversity(number_of: NDArray[np.intp]) -> float:
    """How many bits it takes to say which appearance each cell has, and what the appearances are."""
    counts = np.bincount(number_of.ravel())
    counts = counts[counts > 0]
    return float((counts * np.log2(number_of.size / counts)).sum() + _APPEARANCE_BITS * counts.size)


def frequent_appearances(cells: NDArray[np.uint8], alike: float = ALIKE) -> NDArray[np.uint8]:
    """The appearances that come often among cells (... x height x width x 3), one cell of each."""
    cells = stacked(cells)
    number_of = appearances_of(cells, alike)
    frequent = np.flatnonzero(np.bincount(number_of) >= FEW)
    return cells[[int(np.flatnonzero(number_of == number)[0]) for number in frequent]]


def rms_distances(cells: NDArray[np.uint8], others: NDArray[np.uint8]) -> Floats:
    """How far each cell is from each of N others: root mean square of the channels, float32, ... x N.

    Args:
        cells: ... x height x width x 3.
        others: N x height x width x 3.
    """
    own, flat = (one.reshape(-1, math.prod(one.shape[-3:])).astype(np.float32) for one in (cells, others))
    squares = (own**2).sum(axis=1)[:, None] + (flat**2).sum(axis=1) - 2 * own @ flat.T
    found: Floats = np.sqrt(np.maximum(squares, 0) / own.shape[1]).reshape(*cells.shape[:-3], len(others))
    return found


class Codebook:
    """Makes cells that look alike equal: each is taken for the first one seen that is near enough.

    After that an appearance is known by its exact pixels, as where a clone draws them so. What a cell was taken for
    once, it is taken for ever.

    Args:
        slack: how far cells of one appearance may be apart (`bot.vision.alike`), 0-255.
        is_shifted: whether what they show may lie between pixels.
        appearances: those known before: uint8, N x height x width x 3.
    """

    def __init__(self, slack: float, *, is_shifted: bool, appearances: Sequence[NDArray[np.uint8]] = ()) -> None:
        self.slack = slack
        self.is_shifted = is_shifted
        self.appearances = list(appearances)
        """Every appearance, in the order in which they were seen."""
        self.comparer = Comparer(BETWEEN_PIXELS if is_shifted else IN_PLACE)
        """Says how far cells are apart."""
        self._number = {int(fingerprint(one[None])[0]): number for number, one in enumerate(self.appearances)}

    def equalled(self, cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The cells (N x height x width x 3), each as the appearance that it is near."""
        values = fingerprint(cells).tolist()
        for place, value in enumerate(values):
            if value not in self._number:
                self._number[value] = self._number_of(cells[place])
        return np.stack([self.appearances[self._number[value]] for value in values])

    def _number_of(self, cell: NDArray[np.uint8]) -> int:
        if self.appearances:
            far = self.comparer.apart(cell[None], np.stack(self.appearances))[0]
            nearest = int(far.argmin())
            # Where nothing is drawn on a cell, its colour alone tells it from others, such as two shades in turn.
            is_plain = np.ptp(cell.reshape(-1, 3), axis=0).max() <= PLAIN_SLACK
            if far[nearest] <= (min(self.slack, PLAIN_SLACK) if is_plain else self.slack):
                return nearest
        self.appearances.append(cell.copy())
        return len(self.appearances) - 1


@dataclass(frozen=True, eq=False)
class Appearances:
    """What the cells of some boards look like.

    Attributes:
        boards: intp, one array a board, of its shape: the appearance of every cell.
        pixels_bgr: uint8, appearances x height x width x 3: the cell that stands for each.
        counts: how many cells each has, over all boards.
        apart: float32, appearances x appearances: how far apart they are, 0-255.
        bare_apart: float32, appearances x appearances: how far apart they are without their grounds: boards may be
            checkered, cells lit.
        different: bool, appearances x appearances: pairs that surely show different things, and not on other grounds.
        slack: how much was overlooked, 0-255; 0 where the cells of an appearance are equal pixel for pixel.
    """

    boards: tuple[NDArray[np.intp], ...]
    pixels_bgr: NDArray[np.uint8]
    counts: NDArray[np.intp]
    apart: NDArray[np.float32]
    bare_apart: NDArray[np.float32]
    different: NDArray[np.bool_]
    slack: float


def group(
    boards: Sequence[NDArray[np.uint8]], slacks: Sequence[float] = STEPS, comparer: Comparer | None = None
) -> Appearances:
    """Group the cells of boards of one clone.

    Args:
        boards: uint8, rows x cols x height x width x 3 each, cells of one size.
        slacks: how much may be overlooked, in the order tried; (0.0,) where equal cells are equal pixel for pixel.
        comparer: says too whether two pictures show different things, where these may lie between pixels.
    """
    cells = np.concatenate([stacked(board) for board in boards])
    distinct, _, which, n_equal = distinct_rows(cells)
    smooth = smoothed(distinct)
    for slack in slacks:
        leader_of = _leaders(smooth, n_equal, slack)
        sizes = np.bincount(leader_of, weights=n_equal, minlength=len(distinct))
        if n_equal[sizes[leader_of] >= FEW].sum() >= _ENOUGH * n_equal.sum():
            break
    leaders, number_of = np.unique(leader_of, return_inverse=True)
    numbers = number_of[which]
    shapes = [board.shape[:2] for board in boards]
    ends = np.cumsum([rows * cols for rows, cols in shapes])[:-1]
    grids = [part.reshape(shape) for part, shape in zip(np.split(numbers, ends), shapes, strict=True)]
    pixels = distinct[leaders]
    raw_apart, bare_apart = (
        np.stack([distances(one, seen) for one in seen]) for seen in (smoothed(pixels), bare(pixels))
    )
    different = np.minimum(raw_apart, bare_apart) > max(_DIFFERENT, 2 * slack)
    if comparer is not None:
        different &= comparer.apart(pixels, pixels) > _DIFFERENT
    return Appearances(tuple(grids), pixels, np.bincount(numbers), raw_apart, bare_apart, different, slack)


def smoothed(cells: NDArray[np.uint8]) -> Floats:
    """Cells (N x height x width x 3) averaged over 3 x 3 pixels, float32."""
    return np.stack([np.asarray(cv2.blur(cell.astype(np.float32), (3, 3))) for cell in cells])


def bare(cells: NDArray[np.uint8]) -> Floats:
    """Cells (N x height x width x 3), smoothed, without their grounds: float32."""
    grounds = np.median(cells.reshape(len(cells), -1, 3), axis=1).astype(np.float32)
    found: Floats = smoothed(cells) - grounds[:, None, None]
    return found


def distances(one: Floats, others: Floats) -> Floats:
    """How far one smoothed cell, or part of it, is from each of others: float32, N, 0-255."""
    found: Floats = np.abs(others - one).reshape(len(others), -1).max(axis=1)
    return found


def _leaders(smooth: Floats, n_equal: NDArray[np.intp], slack: float) -> NDArray[np.intp]:
    """For each picture the one that stands for it: itself, or the most frequent one that is no farther than `slack`."""
    leader_of = np.arange(len(smooth))
    if slack == 0:
        return leader_of
    free = np.ones(len(smooth), dtype=np.bool_)
    for leader in np.argsort(-n_equal, kind="stable"):
        if not free[leader]:
            continue
        waiting = np.flatnonzero(free)
        own = waiting[distances(smooth[leader], smooth[waiting]) <= slack]
        leader_of[own] = leader
        free[own] = False
    return leader_of


def rims(cells: NDArray[np.uint8]) -> Floats:
    """The outermost pixels of cells (N x height x width x 3), smoothed along with the rest: float32, N x pixels x 3."""
    smooth = smoothed(cells)
    mask = np.ones(cells.shape[1:3], dtype=np.bool_)
    mask[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX] = False
    return smooth[:, mask]
