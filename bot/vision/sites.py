"""Says which sites of a lattice make up a board: those that touch, from the first to the last on each side.

A site is a place of a lattice where a cell may be. Whoever looks at its pixels says what it is (`NO_CELL` to
`CLOSED_RIM`); here a chart of such sites becomes boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import FoundBoard, Grid, Pixel
from skins.skin import is_open_state
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from skins.skin import Skin

MIN_SIDE = 4  # no board is narrower or lower than this many cells
MIN_KNOWN = 0.25  # least share of recognised cells between a board's outermost ones; the others may be covered
MIN_TELLING = 8  # number of recognised cells that must be more than fields of one colour
_LEAST_SHARE = 0.05  # fewer sites together than this share of the largest group's are chance
_DAMAGED = 0.15  # share of sites that are only like cells, from which on a board counts as damaged
_FRINGE = 0.25  # an outer line with fewer sites than this share of the next line's is none of the board
_MAX_FRINGES = 3  # lines on a side
_ENOUGH_CAPABLE = 0.01
"""A field of a table passes for open cells; something beside it, by chance, for one that may hold a mine."""
_RIDDLED = 0.6
"""Largest share of unknown cells that touch a known one, where more than half are unknown; above it is no board."""
_MIN_NAMED = 0.75  # least share of a board's cells that are seen that must be named, where cells are named one by one
MIN_FRESH_SIDE = 6
"""Least width and height of a board of closed cells alone, in cells: a few equal buttons are no board, nor chequers."""
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=np.uint8)
NO_CELL = 0
LIKE = 1  # something near a sprite of the skin, but not near enough to be named: a damaged cell, or none
PLAIN = 2  # a field of the colour of a sprite without lines: it could be anything, but belongs to cells that it touches
RIM = 3  # the rim of a sprite; what is drawn inside is not known
OPEN = 4  # pixels of an open cell that hardly anything else on a screen has
MINE_CAPABLE = 5  # pixels of a cell that may hold a mine: closed, with a flag or question mark, or with the mine shown
CLOSED_RIM = 6  # the rim of a closed cell; what is drawn inside is not known


@dataclass(frozen=True)
class Patch:
    """A rectangle of sites.

    Attributes:
        top: its first row; `left` is its first column.
        rows: how many; likewise `cols`.
        n_known: how many cells were recognised.
        n_named: how many of those not only by their rim.
        n_plain: how many of those are fields of one colour.
        n_capable: how many of those may hold a mine.
        n_strange: how many cells are nothing that is known at all.
        n_scattered: how many of those touch a known one: few where a window lies over part of a board, most on a table
            whose empty fields pass for cells.
    """

    top: int
    left: int
    rows: int
    cols: int
    n_known: int
    n_named: int
    n_plain: int
    n_capable: int
    n_strange: int
    n_scattered: int

    def of(self, grid: Grid) -> Grid:
        """The cells of a grid of sites that it takes."""
        corner = [
            start + n * pitch for start, n, pitch in zip(grid.corner, (self.left, self.top), grid.pitch_px, strict=True)
        ]
        return Grid.at((corner[0], corner[1]), grid.pitch_px, self.rows, self.cols)

    @property
    def is_fresh(self) -> bool:
        """Whether every cell that is known may hold a mine."""
        return self.n_capable == self.n_known

    @property
    def has_few_capable(self) -> bool:
        """Whether so few cells may hold a mine that chance may have made them, as on a table."""
        return self.n_capable < _ENOUGH_CAPABLE * self.n_known


class PrintedSites:
    """Says what exact pixels are as sites of a board, by fingerprints.

    Args:
        exact: the fingerprints of cells, with their state.
        rims: those of rims that tell a cell, whatever is drawn inside.
        plain: those of cells of one colour.
    """

    def __init__(self, exact: Mapping[int, str], rims: Iterable[int] = (), plain: Iterable[int] = ()) -> None:
        fields = frozenset(plain)
        kinds = {OPEN: [], MINE_CAPABLE: [], PLAIN: list(fields), RIM: list(rims)}
        for value, state in exact.items():
            if value not in fields:
                kinds[OPEN if is_open_state(state) else MINE_CAPABLE].append(value)
        self._prints = {site: np.array(values, dtype=np.uint64) for site, values in kinds.items()}

    def of(self, cells: NDArray[np.uint64], rims: NDArray[np.uint64] | None = None) -> NDArray[np.int8]:
        """The sites of cells, by the fingerprints of their pixels and of their rims: int8, of the same shape."""
        sites = np.where(np.isin(cells, self._prints[PLAIN]), PLAIN, NO_CELL)
        if rims is not None:
            sites = np.where(np.isin(rims, self._prints[RIM]), RIM, sites)
        for site in (OPEN, MINE_CAPABLE):
            sites = np.where(np.isin(cells, self._prints[site]), site, sites)
        return sites.astype(np.int8)


def find_patches(sites: NDArray[np.int8], *, least_fresh: int = MIN_SIDE) -> list[Patch]:
    """The boards on a chart of sites (`NO_CELL` to `CLOSED_RIM`), in no order: every board has mines.

    `least_fresh` is the smallest side of a board of closed cells only: a few equal buttons are no board.
    """
    found = (_patch(np.where(which, sites, NO_CELL)) for which in _components(sites > NO_CELL, 0))
    return [patch for patch in found if patch is not None and _is_board(patch, least_fresh)]


def boards_on(sites: NDArray[np.int8], skin: Skin, first: Pixel, pitch_px: tuple[int, int]) -> list[FoundBoard]:
    """The boards of a skin on a chart of sites, by `find_patches`.

    Args:
        sites: one a cell.
        skin: by whose sprites they were charted.
        first: the corner of the first site.
        pitch_px: (width, height) from site to site.
    """
    return [
        FoundBoard(
            skin,
            Grid(
                Pixel(first.x + patch.left * pitch_px[0], first.y + patch.top * pitch_px[1]),
                pitch_px,
                patch.rows,
                patch.cols,
            ),
            patch.n_known,
            patch.n_named,
        )
        for patch in find_patches(sites)
    ]


def find_damaged_patches(sites: NDArray[np.int8], *, least_fresh: int, gap: int) -> list[Patch]:
    """The boards on a chart of sites where cells may have been missed, and others taken for cells.

    Sites with up to `gap` others between them belong together, but a few by themselves are chance; and so are outer
    lines with far fewer sites than the next one. Of closed cells alone half must be known: in colours that are a
    little off, blank cells of another skin pass for them.
    """
    parts = _components(sites > NO_CELL, 0)
    sizes = [int(which.sum()) for which in parts]
    least = max(_LEAST_SHARE * max(sizes, default=0), MIN_SIDE)
    large = np.zeros(sites.shape, dtype=np.bool_)
    for which, size in zip(parts, sizes, strict=True):
        if size >= least:
            large |= which
    found = []
    for which in _components(large, gap):
        part = np.where(which, sites, NO_CELL)
        if int((part == LIKE).sum()) < _DAMAGED * int(which.sum()):
            part[part == LIKE] = NO_CELL  # on a board in order, what is only like a cell is none
        found.append(_patch(_without_fringes(part)))
    boards = [patch for patch in found if patch is not None and _is_board(patch, least_fresh)]
    return [board for board in boards if not board.is_fresh or 2 * board.n_known >= board.rows * board.cols]


def board_of_named(
    skin: Skin, grid: Grid, named: NDArray[np.int16], n_seen: int | None = None, n_strange: int = 0
) -> FoundBoard | None:
    """The board on a grid whose cells were named one by one, before it was a board; None where they say it is none.

    Args:
        skin: by whose sprites they were named.
        grid: where they are.
        named: their board codes.
        n_seen: how many of them were seen to lie there; None where only those that are known were.
        n_strange: how many of them may show no known sprite. Beside closed cells alone these are open ones of another
            clone.
    """
    known = named[named != codes.UNREADABLE]
    n_seen = known.size if n_seen is None else n_seen
    is_fresh = np.isin(known, (codes.CLOSED, codes.FLAG)).all()
    # blocks are a shape that hardly anything else has
    least_side, least_fresh, least = (1, 1, MIN_TELLING) if grid.blocks else (MIN_SIDE, MIN_FRESH_SIDE, MIN_SIDE**2)
    is_large = min(grid.rows, grid.cols) >= (least_fresh if is_fresh else least_side)
    is_seen = min(n_seen, known.size) >= max(MIN_KNOWN * named.size, least)
    is_named = known.size >= _MIN_NAMED * (max(n_seen, known.size + n_strange) if is_fresh else n_seen)
    has_mines = bool((known < 0).any())
    return FoundBoard(skin, grid, known.size, known.size) if is_large and is_seen and is_named and has_mines else None


def _components(is_site: NDArray[np.bool_], gap: int) -> list[NDArray[np.bool_]]:
    """Sites that belong together, as masks."""
    near = cv2.dilate(is_site.astype(np.uint8), np.ones((gap + 1, gap + 1), dtype=np.uint8))
    n_components, labels = cv2.connectedComponents(near, connectivity=8)
    return [(labels == component) & is_site for component in range(1, n_components)]


def _without_fringes(sites: NDArray[np.int8]) -> NDArray[np.int8]:
    """The chart without outer lines that have far fewer sites than the next one."""
    part = sites.copy()
    for _ in range(_MAX_FRINGES):
        before = part.copy()
        for turns in range(4):
            turned = np.rot90(part, turns)  # a view
            lines = (turned > NO_CELL).sum(axis=1)
            taken = np.flatnonzero(lines)
            if taken.size > 1 and lines[taken[0]] < _FRINGE * lines[taken[0] + 1]:
                turned[taken[0]] = NO_CELL
        if np.array_equal(part, before):
            break
    return part


def _patch(sites: NDArray[np.int8]) -> Patch | None:
    """The rectangle around sites that belong together; its outer rows and columns are cells or like them."""
    top, left, (bottom, right) = 0, 0, sites.shape
    while top < bottom and not is_line(sites[top, left:right]):
        top += 1
    while bottom > top and not is_line(sites[bottom - 1, left:right]):
        bottom -= 1
    while left < right and not is_line(sites[top:bottom, left]):
        left += 1
    while right > left and not is_line(sites[top:bottom, right - 1]):
        right -= 1
    part = sites[top:bottom, left:right]
    if not part.size:
        return None
    n_plain, n_rims, n_closed_rims = (int((part == kind).sum()) for kind in (PLAIN, RIM, CLOSED_RIM))
    n_named = n_plain + int(np.isin(part, (OPEN, MINE_CAPABLE)).sum())
    n_capable = n_closed_rims + int((part == MINE_CAPABLE).sum())
    n_known = n_named + n_rims + n_closed_rims
    n_strange, n_scattered = _strange(part)
    size = (bottom - top, right - left)
    return Patch(top, left, *size, n_known, n_named, n_plain, n_capable, n_strange, n_scattered)


def _strange(part: NDArray[np.int8]) -> tuple[int, int]:
    """How many sites are nothing, and how many of those have a known one above, below or beside."""
    is_strange = part == NO_CELL
    near_known = np.asarray(cv2.dilate((part > LIKE).astype(np.uint8), _CROSS)) > 0
    return int(is_strange.sum()), int((is_strange & near_known).sum())


def is_line(line: NDArray[np.int8]) -> bool:
    """Whether a row or column of sites belongs to a board."""
    return bool((line > LIKE).any()) or 2 * int((line == LIKE).sum()) > line.size


def _is_board(patch: Patch, least_fresh: int) -> bool:
    side = min(patch.rows, patch.cols)
    is_seen = patch.n_known >= max(MIN_KNOWN * patch.rows * patch.cols, MIN_SIDE**2)
    is_telling = patch.n_known - patch.n_plain >= MIN_TELLING and patch.n_capable > 0
    is_riddled = 2 * patch.n_strange > patch.rows * patch.cols and patch.n_scattered > _RIDDLED * patch.n_strange
    return is_seen and is_telling and not is_riddled and side >= (least_fresh if patch.is_fresh else 1)
