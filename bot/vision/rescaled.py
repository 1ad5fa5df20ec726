"""Finds boards that are not shown at their clone's own size, or not in its exact colours.

For each skin the flat faces of its cells are looked for: areas of their colour, within the skin's tolerance, whose
boxes form a lattice (`lattice`). They are looked for where something repeats (`row_repeats`), and only if no board is
there on the whole frame. A lattice says where cells would lie to a fraction of a pixel; a fit makes that exact and
finds the kernel: a sample of cells is brought to native size (`unscale`) under each hypothesis, and the right one gives
cells that look like the skin. Then every site around is brought to native size and named; named sites that touch are a
board, from the first to the last of them on each side.

A clone that draws its cells anew at every size (`skins.skin.Sizes`) needs no fit: a few cells of a lattice are looked
for pixel for pixel, and say exactly where all are.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bot.models import FoundBoard, Grid, Kernel, Pixel
from bot.vision.lattice import MIN_SCALE, Faces, lattices_of, may_be_faces, side_of
from bot.vision.matching import SCALED_SLACK, cut_cells, matcher_of, rim
from bot.vision.reading import zeros_beside_closed
from bot.vision.row_repeats import find_row_repeats
from bot.vision.sites import MIN_FRESH_SIDE, NO_CELL, PrintedSites, boards_on, find_damaged_patches, is_line
from bot.vision.unscale import FAR, Fit, Fits, Unscaler, sampled_of
from skins.pixels import blunt_fingerprint, fingerprint
from solver.board import Board

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Region
    from bot.vision.matching import Matcher
    from bot.vision.row_repeats import Repeat
    from bot.vision.sites import Patch
    from skins.skin import Sizes, Skin
    from solver.topology import Cell


_GOOD = 3.0
"""Cells this near their sprites (root mean square, 0-255) are as good as it gets: no more hypotheses are tried."""
_HOPELESS = 34.0  # farther than this from every sprite, on average: no board of this skin
_ASTRAY = 38.0  # farther than this on average, where the grid may be half a pixel off: no board of this skin
_BETTER = 0.3  # a hypothesis must be better by this much than one on whole pixels, which is likelier from the start
_LOOSE_PX = 0.8  # a fit may be wrong by so much at the far end of a board
_NEAR = 25.0  # cells of a grid that is known to about half a pixel are nearer to their sprites than this, nearly always
_SAMPLED = (Kernel.NEAREST, Kernel.CORNER)


@dataclass(frozen=True, eq=False)
class _LatticePlace:
    """Where cells of a skin may lie on a frame.

    Attributes:
        frame: the picture.
        skin: whose cells.
        grid: where, to about half a pixel.
        samples: a few of the cells that were seen.
    """

    frame: Frame
    skin: Skin
    grid: Grid
    samples: Sequence[Cell]

    @cached_property
    def apart(self) -> float:
        """How far the sample is from the skin's sprites: a third of it are no farther."""
        matcher, apart = matcher_of(self.skin), []
        for kernel in (Kernel.LINEAR, Kernel.NEAREST):
            unscaler = Unscaler(self.grid, self.skin.pitch_px, kernel)
            cells = np.stack([unscaler.cell(self.frame, row, col) for row, col in self.samples])
            apart.append(float(np.sort(matcher.distances(cells).min(axis=1))[len(self.samples) // 3]))
        return min(apart)


def _fit_grid(fits: Fits, grid: Grid) -> Fit | None:
    """The best fit near a grid that is known to about half a pixel; None where nothing there looks like the skin."""
    square = _square(grid, fits.matcher.skin)
    best = None
    for guess in (_snapped(square, math.floor), _snapped(square, round), square, grid):
        fit = fits.best(guess)
        if best is None or fit.distance < best.distance - _BETTER:
            best = fit
        if best.distance <= _GOOD:
            return best
    assert best is not None
    if best.distance > _ASTRAY or not _may_have_mines(fits, best):
        return None
    best = _best_move(fits, _by_nearest(best), 0.5)
    return None if best.distance > _HOPELESS else _refined(fits, best)


def _on_whole_pixels(fits: Fits, fit: Fit) -> Fit:
    """The fit with its edges on whole pixels where that fits as well: pictures begin and end on whole pixels."""
    for axis in (0, 1):
        n = (fit.grid.cols, fit.grid.rows)[axis]
        length = fit.grid.pitch_px[axis] * n
        ends = {end for end in (math.floor(length), math.ceil(length)) if abs(end - length) < _LOOSE_PX}
        pitches = {end / n if end % n else end // n for end in ends}
        below = math.floor(fit.grid.corner[axis])
        firsts = (below - 1, below, below + 1) if fit.kernel in _SAMPLED else (below, below + 1)
        tried = [
            fits.by(_with_axis(grid, axis, first, pitch), kernel)
            for kernel, grid in _same_pixels(fit, 1 - axis)
            for first in firsts
            for pitch in pitches or {fit.grid.pitch_px[axis]}
        ]
        settled = min(
            tried, key=lambda one: (round(one.distance, 1), not float(2 * one.grid.pitch_px[axis]).is_integer())
        )
        if settled.distance <= fit.distance + _BETTER:
            fit = settled
    return fit


def _same_pixels(fit: Fit, axis: int) -> list[tuple[Kernel, Grid]]:
    """Kernels, and for each the grid by which it takes the same pixels along one axis."""
    if fit.kernel not in _SAMPLED:
        return [(fit.kernel, fit.grid)]
    other = Kernel.NEAREST if fit.kernel is Kernel.CORNER else Kernel.CORNER
    half = 0.5 if other is Kernel.NEAREST else -0.5
    moved = _with_axis(fit.grid, axis, fit.grid.corner[axis] + half, fit.grid.pitch_px[axis])
    return [(fit.kernel, fit.grid), (other, moved)]


def _may_have_mines(fits: Fits, fit: Fit) -> bool:
    """Whether any cell looks most like one that may hold a mine: fields of a table do not.

    The sample tells it of most boards; late in a game the last closed cells may lie anywhere.
    """
    unscaler = Unscaler(fit.grid, fits.matcher.skin.pitch_px, fit.kernel)
    every = range(fit.grid.rows), range(fit.grid.cols)
    return any(
        bool(fits.matcher.may_be_mines(unscaler.sample(fits.frame, *some), _HOPELESS).any())
        for some in (sampled_of(fit.grid), every)
    )


def _by_nearest(fit: Fit) -> Fit:
    """The fit by `NEAREST`, half a pixel on, where it is by `CORNER`: its edges round as a grid's do."""
    if fit.kernel is not Kernel.CORNER:
        return fit
    grid = fit.grid
    corner = (grid.corner[0] + 0.5, grid.corner[1] + 0.5)
    return Fit(Grid.at(corner, grid.pitch_px, grid.rows, grid.cols), Kernel.NEAREST, fit.distance)


def _square(grid: Grid, skin: Skin) -> Grid:
    """The grid with one scale for both axes, that of the longer one counting for more, around the same middle."""
    width, height = skin.pitch_px
    native = grid.cols * width + grid.rows * height
    scale = (grid.cols * grid.pitch_px[0] + grid.rows * grid.pitch_px[1]) / native
    corner = [
        grid.corner[axis] + (grid.pitch_px[axis] - scale * skin.pitch_px[axis]) * (grid.cols, grid.rows)[axis] / 2
        for axis in (0, 1)
    ]
    return Grid.at((corner[0], corner[1]), (scale * width, scale * height), grid.rows, grid.cols)


def _snapped(grid: Grid, to_whole: Callable[[float], int]) -> Grid:
    """The grid on whole pixels where its pitch is near them."""
    counts = (grid.cols, grid.rows)
    pitch = [round(p) if abs(p - round(p)) * n < _LOOSE_PX else p for p, n in zip(grid.pitch_px, counts, strict=True)]
    corner = Pixel(to_whole(grid.corner[0] + 0.1), to_whole(grid.corner[1] + 0.1))
    return Grid(corner, (pitch[0], pitch[1]), grid.rows, grid.cols)


def _with_axis(grid: Grid, axis: int, first: float, pitch: float) -> Grid:
    corner, pitches = list(grid.corner), list(grid.pitch_px)
    corner[axis], pitches[axis] = first, pitch
    return Grid.at((corner[0], corner[1]), (pitches[0], pitches[1]), grid.rows, grid.cols)


def _refined(fits: Fits, fit: Fit) -> Fit:
    """Move edges by less and less, as long as the cells look better for it."""
    for step in (0.5, 0.25, 0.12, 0.06):
        fit = _best_move(fits, fit, step)
        if step == 0.25:
            fit = min(fit, fits.best(fit.grid), key=lambda one: one.distance)
    return fit


def _best_move(fits: Fits, fit: Fit, step: float) -> Fit:
    """The best of fits with the near edge, the far edge or both moved along each axis, or with neither."""
    for axis in (0, 1):
        first, pitch, n = fit.grid.corner[axis], fit.grid.pitch_px[axis], (fit.grid.cols, fit.grid.rows)[axis]
        changes = ((step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step), (step, step), (-step, -step))
        grids = [_with_axis(fit.grid, axis, first + near, pitch + (far - near) / n) for near, far in changes]
        fit = min(fit, *(fits.by(grid, fit.kernel) for grid in grids), key=lambda one: one.distance)
    return fit


_REACH_PX = 2  # error of a lattice
_LEAST_AGREED = 0.5  # least share of a sample that is cells whole pitches apart


@lru_cache(maxsize=64)
def _printed_sites(sizes: Sizes) -> PrintedSites:
    return PrintedSites(sizes.exact, sizes.open_rims)


def _resized_sites(cells: NDArray[np.uint8], sizes: Sizes) -> NDArray[np.int8]:
    """What square cells (uint8, N x side x side x 3) are as sites of a board, by their exact pixels: int8, N."""
    return _printed_sites(sizes).of(blunt_fingerprint(cells), fingerprint(rim(cells)))


def _find_resized(frame: Frame, skin: Skin, grid: Grid, samples: Sequence[Cell]) -> list[FoundBoard]:
    """The boards of a skin whose cells lie about where a grid says: those seen there, of which `samples` are some.

    None where the skin is not known at that size, or no exact pixels are there.
    """
    px = round(sum(grid.pitch_px) / 2)
    sizes = skin.drawing.sizes
    if sizes is None or not sizes.is_known_at((px, px)):
        return []
    phase = _phase(frame, grid, samples, px, sizes)
    if phase is None:
        return []
    x, y = phase
    height, width = frame.pixels_bgr.shape[:2]
    rows, cols = (height - y) // px, (width - x) // px
    cells = cut_cells(frame.pixels_bgr[y : y + rows * px, x : x + cols * px], rows, cols)
    sites = _resized_sites(cells, sizes).reshape(rows, cols)
    return boards_on(sites, skin, Pixel(frame.left + x, frame.top + y), (px, px))


def _phase(frame: Frame, grid: Grid, samples: Sequence[Cell], px: int, sizes: Sizes) -> tuple[int, int] | None:
    """(x, y) modulo the side at which cells begin on the frame; None where too few of the sample say the same."""
    regions = [grid.cell_region(cell) for cell in samples]
    near = range(-_REACH_PX, _REACH_PX + 1)
    shifted = [
        (number, region.left - frame.left + dx, region.top - frame.top + dy)
        for number, region in enumerate(regions)
        for dy, dx in product(near, near)
    ]
    height, width = frame.pixels_bgr.shape[:2]
    places = [(number, x, y) for number, x, y in shifted if 0 <= x <= width - px and 0 <= y <= height - px]
    if not places:
        return None
    sites = _resized_sites(np.stack([frame.pixels_bgr[y : y + px, x : x + px] for _, x, y in places]), sizes)
    agreed = {(number, x % px, y % px) for (number, x, y), site in zip(places, sites, strict=True) if site != NO_CELL}
    votes = Counter((x, y) for _, x, y in sorted(agreed))
    phase, n_votes = votes.most_common(1)[0] if votes else ((0, 0), 0)
    return phase if n_votes >= _LEAST_AGREED * len(samples) and n_votes else None


_MARGIN_CELLS = 3  # sites so far around a lattice are looked at, and farther out while the outermost are cells
_MAX_GROWTHS = 12
_GAP_CELLS = 2


def find_rescaled(frame: Frame, skins: Sequence[Skin], explained: Sequence[Region] = ()) -> list[FoundBoard]:
    """Every board of these skins at any scale, outside of what is `explained` already.

    Those that look most like their skin come first. One place may come more than once, for several skins. Boards that
    do not repeat exactly, and those of few closed cells, are looked for where there are no others: that takes longer.
    """
    search = _Search(frame, explained)
    for repeat in find_row_repeats(frame):
        search.add_at(repeat, [skin for skin in skins if may_be_faces(repeat, skin)])
    for of_many_closed in (True, False):
        if not search.found:
            search.add_anywhere(skins, of_many_closed=of_many_closed)
    return [board for _, board in sorted(search.found, key=lambda pair: pair[0].distance)]


class _Search:
    """The boards on a frame that were found so far, each with its fit.

    Args:
        frame: the picture.
        explained: where nothing is looked for, since every cell there is known.
    """

    def __init__(self, frame: Frame, explained: Sequence[Region]) -> None:
        self.found: list[tuple[Fit, FoundBoard]] = []
        self._frame = frame
        self._explained = list(explained)

    def add_at(self, repeat: Repeat, skins: Sequence[Skin]) -> None:
        """Look for boards where something repeats, by these skins: those that look most like it first."""
        if any(board.grid.region.holds(repeat.region) for _, board in self.found):
            return
        around = repeat.region.widened(math.ceil(repeat.pitch_px), self._frame.region)
        faces = Faces(self._frame.crop(around))
        lattices = {skin: lattices_of(faces, skin, of_many_closed=True, pitch_px=repeat.pitch_px) for skin in skins}
        by_skin = [
            [_LatticePlace(self._frame, skin, *one) for one in found] for skin, found in lattices.items() if found
        ]
        for places in sorted(by_skin, key=lambda places: places[0].apart):
            for place in places:
                self._add(place, [skin for skin in skins if skin is not place.skin], most=_NEAR)

    def add_anywhere(self, skins: Sequence[Skin], *, of_many_closed: bool) -> None:
        """Look for boards on lattices of these skins' cells, wherever they are: as `lattices_of` has it."""
        faces = Faces(self._frame)
        for number, skin in enumerate(skins):
            for grid, samples in lattices_of(faces, skin, of_many_closed=of_many_closed):
                self._add(_LatticePlace(self._frame, skin, grid, samples), skins[number + 1 :], most=FAR)

    def _add(self, place: _LatticePlace, others: Sequence[Skin], most: float) -> None:
        """Add the boards at a place, if its cells are at most so far from their sprites.

        Where every cell of a board is known, boards of other skins count only if they are nearer.
        """
        if any(_is_in(place.grid, region) for region in self._explained):
            return
        found = self._boards_at(place, most)
        self.found += found
        for fit, board in found:
            if fit.distance <= _GOOD and board.n_named == board.grid.rows * board.grid.cols:
                self._explained.append(board.grid.region)
                for other in others:
                    if Fits(self._frame, matcher_of(other)).by(fit.grid, fit.kernel).distance < fit.distance:
                        self.found += _boards_by(self._frame, other, fit)

    def _boards_at(self, place: _LatticePlace, most: float) -> list[tuple[Fit, FoundBoard]]:
        """The boards at a place, each with its fit."""
        frame, skin, grid = place.frame, place.skin, place.grid
        there = [(fit, board) for fit, board in self.found if _covers(fit.grid, grid)]
        if any(board.skin is skin for _, board in there):
            return []
        exact = [fit for fit, _ in there if fit.distance <= _GOOD]
        if exact:  # where cells lie is known already
            return _boards_by(frame, skin, exact[0])
        if redrawn := _find_resized(frame, skin, grid, place.samples):
            return [(Fit(board.grid, Kernel.NEAREST, 0.0), board) for board in redrawn]
        is_likely = min(grid.pitch_px) >= MIN_SCALE * side_of(skin) and place.apart <= most
        return _boards_near(frame, skin, grid) if is_likely else []


def _is_in(grid: Grid, region: Region) -> bool:
    """Whether a lattice lies in a region, but for a part of a cell."""
    ends = (0, 0), (grid.rows - 1, grid.cols - 1)
    return all(region.has_pixel(grid.cell_region(cell).middle) for cell in ends)


def _boards_near(frame: Frame, skin: Skin, grid: Grid) -> list[tuple[Fit, FoundBoard]]:
    """The boards on a lattice, each with its fit."""
    fits = Fits(frame, matcher_of(skin))
    fit = _fit_grid(fits, grid)
    boards = []
    for found, patch in _patches_around(fits, fit) if fit is not None else []:
        if found.distance > _GOOD:  # the lattice may have gone astray on its way through things around the board
            again = _fit_grid(fits, found.grid)
            if again is not None and again.distance < found.distance - _BETTER:
                boards += _patches_around(fits, again)
                continue
        boards.append((found, patch))
    return _as_found(skin, boards)


def _boards_by(frame: Frame, skin: Skin, other: Fit) -> list[tuple[Fit, FoundBoard]]:
    """The boards of a skin on the grid of a board of another."""
    fits = Fits(frame, matcher_of(skin))
    fit = fits.by(other.grid, other.kernel)
    return _as_found(skin, _patches_around(fits, fit) if fit.distance <= _HOPELESS else [])


def _as_found(skin: Skin, boards: list[tuple[Fit, Patch]]) -> list[tuple[Fit, FoundBoard]]:
    return [
        (fit, FoundBoard(skin, replace(fit.grid, kernel=fit.kernel), patch.n_known, patch.n_named))
        for fit, patch in boards
    ]


def _patches_around(fits: Fits, fit: Fit) -> list[tuple[Fit, Patch]]:
    """The boards on the grid of a fit and around it."""
    frame, matcher, around = fits.frame, fits.matcher, fit.grid
    native_px = matcher.skin.pitch_px
    for _ in range(_MAX_GROWTHS):
        around = _grown(around, frame.region)
        cells = Unscaler(around, native_px, fit.kernel).cells(frame)
        sites = matcher.recognise(cells, SCALED_SLACK).reshape(around.rows, around.cols)
        sides = (sites[:, 0], sites[:, -1], sites[0], sites[-1])
        if not any(room and is_line(side) for room, side in zip(_room(around, frame.region), sides, strict=True)):
            break
    boards, charted = [], cells.reshape(*sites.shape, *cells.shape[1:])
    for patch in find_damaged_patches(sites, least_fresh=MIN_FRESH_SIDE, gap=_GAP_CELLS):
        own = charted[patch.top : patch.top + patch.rows, patch.left : patch.left + patch.cols]
        if patch.has_few_capable and not _adds_up(own, matcher):
            continue
        boards.append((_on_whole_pixels(fits, Fit(patch.of(around), fit.kernel, fit.distance)), patch))
    return boards


def _adds_up(cells: NDArray[np.uint8], matcher: Matcher) -> bool:
    """Whether there are numbers, and each has places for its mines; an open 0 has none, but for a person's wrong flag.

    So it is late in a game. What passes by chance for a mine on a table stands among fields that pass for 0.
    """
    match = matcher.name(cells.reshape(-1, *cells.shape[2:]), SCALED_SLACK, snaps=True)
    board = Board(match.codes.reshape(cells.shape[:2]))
    is_sound = not board.impossible and not zeros_beside_closed(board).any()
    return is_sound and bool((board.cells > 0).any())


def _grown(grid: Grid, region: Region) -> Grid:
    """The grid with a margin of sites on all sides, of whole cells inside the region."""
    left, right, top, bottom = _room(grid, region)
    corner = (grid.corner[0] - left * grid.pitch_px[0], grid.corner[1] - top * grid.pitch_px[1])
    return Grid.at(corner, grid.pitch_px, grid.rows + top + bottom, grid.cols + left + right)


def _room(grid: Grid, region: Region) -> tuple[int, int, int, int]:
    """How many cells may be added left, right, above and below: a margin inside the region."""
    room = []
    for axis, (first, length) in enumerate(((region.left, region.width), (region.top, region.height))):
        corner, pitch, n = grid.corner[axis], grid.pitch_px[axis], (grid.cols, grid.rows)[axis]
        before, after = (corner - first + 1) / pitch, (first + length + 1 - corner - n * pitch) / pitch
        room += [max(min(_MARGIN_CELLS, int(free)), 0) for free in (before, after)]
    return room[0], room[1], room[2], room[3]


def _covers(grid: Grid, other: Grid) -> bool:
    """Whether a lattice is that of a board already found."""
    near = all(abs(a - b) < 0.05 * b for a, b in zip(grid.pitch_px, other.pitch_px, strict=True))
    middle = other.region.middle
    return near and grid.region.has_pixel(middle)
