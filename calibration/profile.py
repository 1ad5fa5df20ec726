"""From labelled appearances to a skin, and the proof that the skin reads what it was made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.finding import find_boards
from bot.vision.reading import code_of, read_board
from calibration.appearances import apart, rims
from calibration.errors import CalibrationError
from skins.pixels import fingerprint, nearest_pair, safe_accept
from skins.skin import CLOSED, EXPLODED, MINE, Drawing, Look, OwnPixels, Skin, Tiles, Tolerance
from solver.board import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.models import Grid
    from calibration.appearances import Appearances
    from calibration.grids import Cut
    from calibration.labels import Labelling

_OWN_PIXELS = OwnPixels()
_FEW = 2
_RIM_ALIKE = 6.0
_HALF_GAP_PX = 2
_OF_TILES = Tolerance(colour=6)
"""Tolerance for tiles: open ones may differ by little more from closed ones, and from the gap."""
_MOST_LABELS = 3
"""Most meanings of a look in a skin. One of more is as good as unknown, unless looks are blurred: then it keeps its
likes from being taken for what is known."""


def make_skin(
    name: str,
    title: str,
    appearances: Appearances,
    labelling: Labelling,
    roles: Mapping[int, str] | None = None,
    least_cells: int = _FEW,
    drawing: Drawing = _OWN_PIXELS,
) -> Skin:
    """The skin of what is known; an appearance that may mean several things is a look of each.

    Args:
        name: what it is called.
        title: what it is, for a person.
        appearances: what its cells look like.
        labelling: what that means.
        roles: appearances whose state is known more exactly, with it: mines that exploded, question marks.
        least_cells: a look of fewer cells may be something that lay over the board, if it has not the rim of a known
            one.
        drawing: how cells are drawn; of tiles the appearances lack the gaps.

    Raises:
        CalibrationError: closed cells or open ones without a number are not known.
    """
    _expect_known(labelling.proven.values())
    states = dict.fromkeys(_exploded(appearances, labelling), EXPLODED) | dict(roles or {})
    rim = rims(appearances.pixels_bgr)
    of_cells = [number for number in labelling.proven if appearances.counts[number] >= least_cells]
    is_tiled, pixels_bgr = False, appearances.pixels_bgr
    if isinstance(drawing, Tiles):
        is_tiled, pixels_bgr = True, _in_gaps(pixels_bgr, drawing.gap_bgr)
    is_blurred = not is_tiled and appearances.slack > 0
    looks, proven = [], []
    for number, labels in enumerate(labelling.labels):
        is_cell = (
            appearances.counts[number] >= least_cells
            or apart(rim[number], rim[of_cells]).min(initial=255) <= _RIM_ALIKE
        )
        if number in states:
            proven.append(Look(states[number], pixels_bgr[number]))
        elif is_cell and len(labels) == 1:
            proven.append(Look(min(labels), pixels_bgr[number]))
        elif is_cell and (is_blurred or len(labels) <= _MOST_LABELS):
            looks += [Look(label, pixels_bgr[number]) for label in sorted(labels)]
    _expect_known({look.state for look in proven})
    closed = max(
        (number for number, label in labelling.proven.items() if label == CLOSED),
        key=lambda number: int(appearances.counts[number]),
    )
    height, width = pixels_bgr.shape[1:3]
    tolerance = _OF_TILES if is_tiled else Tolerance()
    accept = safe_accept(nearest_pair(proven).apart, tolerance.accept)
    looks = proven + looks
    return Skin(
        name=name,
        title=title,
        pitch_px=(width, height),
        closed_bgr=_most_frequent(appearances.pixels_bgr[closed]),
        looks=tuple(looks),
        exact={
            int(value): look.state
            for value, look in zip(fingerprint(np.stack([look.pixels_bgr for look in looks])), looks, strict=True)
        },
        tolerance=replace(tolerance, accept=accept),
        drawing=drawing,
        is_blurred=is_blurred,
    )


def _expect_known(states: Collection[str]) -> None:
    for label, what in ((CLOSED, "closed cells"), ("0", "open cells without a number")):
        if label not in states:
            raise CalibrationError(f"it is not known how {what} look: show more boards, with more cells open")


def _in_gaps(tiles_bgr: NDArray[np.uint8], gap_bgr: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Tiles (uint8, N x height x width x 3) with half a gap around each."""
    height, width = tiles_bgr.shape[1:3]
    cells = np.empty((len(tiles_bgr), height + 2 * _HALF_GAP_PX, width + 2 * _HALF_GAP_PX, 3), dtype=np.uint8)
    cells[:] = gap_bgr
    cells[:, _HALF_GAP_PX:-_HALF_GAP_PX, _HALF_GAP_PX:-_HALF_GAP_PX] = tiles_bgr
    return cells


def _exploded(appearances: Appearances, labelling: Labelling) -> set[int]:
    """The looks of mines that were opened: where a board shows mines of two looks, the one of a single cell."""
    mines = [number for number, label in labelling.proven.items() if label == MINE]
    found = set()
    for board in appearances.boards:
        counts = {number: int((board == number).sum()) for number in mines}
        shown = sorted((count, number) for number, count in counts.items() if count)
        if len(shown) == 2 and shown[0][0] == 1 < shown[1][0]:
            found.add(shown[0][1])
    return found


def _most_frequent(pixels_bgr: NDArray[np.uint8]) -> tuple[int, int, int]:
    colours, counts = np.unique(pixels_bgr.reshape(-1, 3), axis=0, return_counts=True)
    blue, green, red = (int(channel) for channel in colours[counts.argmax()])
    return blue, green, red


def _is_same(one: Grid, other: Grid) -> bool:
    """Whether these are the same cells, to a pixel: where pictures are blurred, the place is found to a fraction."""
    apart = (abs(a - b) for a, b in zip(one.corner, other.corner, strict=True))
    return (one.rows, one.cols) == (other.rows, other.cols) and max(apart) <= 1


def check_reads(skin: Skin, cuts: Sequence[Cut], boards: Sequence[NDArray[np.intp]], labelling: Labelling) -> float:
    """Read every board with the skin that was made of it; return the share of cells that are known.

    Raises:
        CalibrationError: a board is not found where it lies, or a cell is read as something else than was proven.
    """
    n_known = n_cells = 0
    codes = {number: code_of(label) for number, label in labelling.proven.items() if label != MINE}  # or exploded
    for cut, board in zip(cuts, boards, strict=True):
        grids = [one.grid for one in find_boards(cut.frame, [skin]) if _is_same(one.grid, cut.grid)]
        if not grids:
            raise CalibrationError(f"the board at {tuple(cut.grid.origin)} is not found again with the skin made of it")
        read = read_board(cut.frame, grids[0], skin).board.cells
        proven = np.vectorize(lambda number: codes.get(int(number), UNREADABLE))(board)
        is_known = read != UNREADABLE
        wrong = np.argwhere(is_known & (proven != UNREADABLE) & (read != proven))
        if len(wrong):
            row, col = wrong[0].tolist()
            raise CalibrationError(f"cell ({row}, {col}) is read as {read[row, col]}, proven was {proven[row, col]}")
        n_known += int(is_known.sum())
        n_cells += board.size
    return n_known / n_cells
