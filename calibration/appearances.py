"""Cells that look alike: from stacks of pixels to numbered appearances, none of which is given a meaning here.

Grouped finely: one appearance may come twice, but two different ones must never be taken for one. Pictures as a clone
draws them repeat pixel for pixel, and are grouped so; where a screen was scaled, filtered or compressed no two cells
are equal, and small differences that the picture has everywhere are overlooked.

How far apart two pictures are is measured after each is averaged over 3 x 3 pixels, at the place and channel where
they differ most: noise and ringing cancel out, a missing stroke of a digit does not.

Which cells of one board look the same, before anything is known of them; by pixels alone.
"""

from __future__ import annotations

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
FEW = 3  # fewest cells of a look that tells something: one of fewer may be anything
_LOOK_BITS = 8.0
_MOST_TOLD = 100
_MOST_AT_ONCE = 1200  # most cells that are all compared with all at once, for the memory that takes
MOST_LOOKS = 60  # most looks of a board in order


def looks_of(cells: NDArray[np.uint8], alike: float = ALIKE) -> NDArray[np.intp]:
    """The number of each cell's look: equal pixel for pixel, or nearly so where hardly any two cells are equal."""
    return looks_within(cells, how_alike(cells, alike))


def looks_within(cells: NDArray[np.uint8], alike: float) -> NDArray[np.intp]:
    """The appearance of each cell, where it is known how far apart equal ones may be (`how_alike`)."""
    if alike <= ALIKE:
        return np.asarray(np.unique(fingerprint(cells), return_inverse=True)[1].ravel())
    flat = cells.reshape(len(cells), -1).astype(np.float32)
    number_of = np.full(len(cells), -1, dtype=np.intp)
    near = all_apart(cells, flat) <= alike if len(cells) <= _MOST_AT_ONCE else None
    for number in range(len(cells)):
        free = np.flatnonzero(number_of < 0)
        if not free.size:
            break
        if number >= _MOST_TOLD:  # no board: each is its own
            number_of[free] = number + np.arange(free.size)
            break
        first = int(free[0])
        is_near = all_apart(cells[free], flat[first : first + 1])[:, 0] <= alike if near is None else near[first, free]
        number_of[free[is_near]] = number
        number_of[first] = number
    return number_of


def how_alike(cells: NDArray[np.uint8], alike: float) -> float:
    """How far apart cells may be that look the same: farther where hardly any two are equal."""
    return alike if has_equals(cells) else max(alike, _ALIKE_BLURRED)


def has_equals(cells: NDArray[np.uint8]) -> bool:
    """Whether half of the cells (N x height x width x 3) or more are equal to others, pixel for pixel."""
    _, number_of, counts = np.unique(fingerprint(cells), return_inverse=True, return_counts=True)
    return 2 * int((counts[number_of] > 1).sum()) >= len(cells)


def diversity(number_of: NDArray[np.intp]) -> float:
    """How many bits it takes to say which look each cell has, and what the looks are."""
    counts = np.bincount(number_of)
    counts = counts[counts > 0]
    return float((counts * np.log2(number_of.size / counts)).sum() + _LOOK_BITS * counts.size)


def often(cells: NDArray[np.uint8], alike: float = ALIKE) -> NDArray[np.uint8]:
    """The looks that come often on a board (rows x cols x height x width x 3), one cell of each."""
    flat = cells.reshape(-1, *cells.shape[2:])
    number_of = looks_of(flat, alike)
    frequent = np.flatnonzero(np.bincount(number_of) >= FEW)
    return flat[[int(np.flatnonzero(number_of == number)[0]) for number in frequent]]


def nearest(cells: NDArray[np.uint8], flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each cell is from the nearest of some looks (flattened): root mean square of the channels."""
    apart: NDArray[np.float32] = all_apart(cells, flat).min(axis=1)
    return apart


def all_apart(cells: NDArray[np.uint8], flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each cell is from each of some looks (flattened): root mean square of the channels."""
    own = cells.reshape(len(cells), -1).astype(np.float32)
    squares = (own**2).sum(axis=1)[:, None] + (flat**2).sum(axis=1) - 2 * own @ flat.T
    apart: NDArray[np.float32] = np.sqrt(np.maximum(squares, 0) / own.shape[1])
    return apart


class Codebook:
    """Makes cells that look alike equal: each is taken for the first one seen that is near enough.

    After that a look is known by its exact pixels, as where a clone draws them so. What a cell was taken for once, it
    is taken for ever.

    Args:
        slack: how far cells of one look may be apart (`bot.vision.alike`), 0-255.
        is_shifted: whether what they show may lie between pixels.
        looks: those known before: uint8, N x height x width x 3.
    """

    def __init__(self, slack: float, *, is_shifted: bool, looks: Sequence[NDArray[np.uint8]] = ()) -> None:
        self.slack = slack
        self.is_shifted = is_shifted
        self.looks = list(looks)
        """Every look, in the order in which they were seen."""
        self.comparer = Comparer(BETWEEN_PIXELS if is_shifted else IN_PLACE)
        """Says how far cells are apart."""
        self._number: dict[int, int] = {}
        for number, look in enumerate(self.looks):
            self._number[int(fingerprint(look[None])[0])] = number

    def equalled(self, cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The cells (N x height x width x 3), each as the look that it is near."""
        values = fingerprint(cells).tolist()
        for place, value in enumerate(values):
            if value not in self._number:
                self._number[value] = self._number_of(cells[place])
        return np.stack([self.looks[self._number[value]] for value in values])

    def _number_of(self, cell: NDArray[np.uint8]) -> int:
        if self.looks:
            apart = self.comparer.apart(cell[None], np.stack(self.looks))[0]
            nearest_one = int(apart.argmin())
            if apart[nearest_one] <= (min(self.slack, PLAIN_SLACK) if _is_flat(cell) else self.slack):
                return nearest_one
        self.looks.append(cell.copy())
        return len(self.looks) - 1


def _is_flat(cell: NDArray[np.uint8]) -> bool:
    """Whether nothing is drawn on a cell: then its colour alone tells it from others, such as two shades in turn."""
    return bool(np.ptp(cell.reshape(-1, 3), axis=0).max() <= PLAIN_SLACK)


_DIFFERENT = 55.0  # distance, also without their grounds, beyond which pictures show different things
STEPS = (0.0, 6.0, 10.0, 16.0, 24.0, 34.0)  # distances that may be overlooked; the first that is enough is taken
_ENOUGH = 0.9  # share of cells that must look like some others: a board has few looks and many cells
_FEW = 3
RIM_ALIKE = 16.0  # largest distance between rims of one kind of cell
DRAWN_ON = 20.0  # distance without the grounds beyond which a cell with a closed rim has something drawn on it: a flag
_RIM_PX = 2  # depth of the rim of a cell, in pixels


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
    cells = np.concatenate([board.reshape(-1, *board.shape[2:]) for board in boards])
    distinct, _, which, n_equal = distinct_rows(cells)
    smooth = smoothed(distinct)
    for slack in slacks:
        leader_of = _led(smooth, n_equal, slack)
        sizes = np.bincount(leader_of, weights=n_equal, minlength=len(distinct))
        if n_equal[sizes[leader_of] >= _FEW].sum() >= _ENOUGH * n_equal.sum():
            break
    leaders, number_of = np.unique(leader_of, return_inverse=True)
    numbers = number_of[which]
    shapes = [board.shape[:2] for board in boards]
    ends = np.cumsum([rows * cols for rows, cols in shapes])[:-1]
    grids = [part.reshape(shape) for part, shape in zip(np.split(numbers, ends), shapes, strict=True)]
    pixels = distinct[leaders]
    grounds = np.median(pixels.reshape(len(pixels), -1, 3), axis=1).astype(np.float32)
    raw_apart, bare_apart = (_all_apart(one) for one in (smoothed(pixels), smoothed(pixels) - grounds[:, None, None]))
    different = np.minimum(raw_apart, bare_apart) > max(_DIFFERENT, 2 * slack)
    if comparer is not None:
        different &= comparer.apart(pixels, pixels) > _DIFFERENT
    return Appearances(tuple(grids), pixels, np.bincount(numbers), raw_apart, bare_apart, different, slack)


def smoothed(cells: NDArray[np.uint8]) -> Floats:
    """Cells (N x height x width x 3) averaged over 3 x 3 pixels, float32."""
    return np.stack([np.asarray(cv2.blur(cell.astype(np.float32), (3, 3))) for cell in cells])


def apart(one: Floats, others: Floats) -> Floats:
    """How far one smoothed cell, or part of it, is from each of others: float32, N, 0-255."""
    distance: Floats = np.abs(others - one).reshape(len(others), -1).max(axis=1)
    return distance


def _led(smooth: Floats, n_equal: NDArray[np.intp], slack: float) -> NDArray[np.intp]:
    """For each picture the one that stands for it: itself, or the most frequent one that is no farther than `slack`."""
    leader_of = np.arange(len(smooth))
    if slack == 0:
        return leader_of
    free = np.ones(len(smooth), dtype=np.bool_)
    for leader in np.argsort(-n_equal, kind="stable"):
        if not free[leader]:
            continue
        waiting = np.flatnonzero(free)
        own = waiting[apart(smooth[leader], smooth[waiting]) <= slack]
        leader_of[own] = leader
        free[own] = False
    return leader_of


def _all_apart(smooth: Floats) -> Floats:
    """How far each is from each."""
    return np.stack([apart(one, smooth) for one in smooth])


def rims(cells: NDArray[np.uint8]) -> Floats:
    """The outermost pixels of cells (N x height x width x 3), smoothed along with the rest: float32, N x pixels x 3."""
    smooth = smoothed(cells)
    mask = np.ones(cells.shape[1:3], dtype=np.bool_)
    mask[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX] = False
    return smooth[:, mask]
