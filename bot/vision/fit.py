"""Fit a grid to a board that is not shown at its clone's own size: how was it enlarged, and where exactly does it lie?

A sample of cells is brought to native size (`unscale`) under each hypothesis; the right one gives cells that look
like the skin. Every hypothesis costs about a millisecond.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Grid, Pixel
from bot.vision.unscale import Kernel, Unscaler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.matching import Matcher
    from skins.skin import Skin
    from solver.topology import Cell

GOOD = 3.0
"""Cells this near their looks (root mean square, 0-255) are as good as it gets: no more hypotheses are tried."""
HOPELESS = 34.0
"""Farther than this from every look, on average: no board of this skin."""
_ASTRAY = 38.0
"""The same for a grid that may still be half a pixel off."""
_FAR = 45.0
"""A covered cell counts as this far away, no more."""
_N_ACROSS = 7
_N_DOWN = 6
BETTER = 0.3
"""A hypothesis must be better by this much than one on whole pixels, which is likelier from the start."""
_LOOSE_PX = 0.8
"""A fit may be wrong by so much at the far end of a board."""
_KERNELS = tuple(Kernel)
_SAMPLED = (Kernel.NEAREST, Kernel.CORNER)


@dataclass(frozen=True)
class Fit:
    """A grid, the kernel it was enlarged by, and how far its cells are from the skin's looks on average."""

    grid: Grid
    kernel: Kernel
    distance: float


def best_kernel(frame: Frame, grid: Grid, matcher: Matcher, kernels: Sequence[Kernel] = _KERNELS) -> Fit:
    """The kernel under which the grid's cells look most like the skin's; the first of those that do equally well."""
    return min((_tried(frame, grid, kernel, matcher) for kernel in kernels), key=lambda fit: fit.distance)


def may_be(frame: Frame, grid: Grid, samples: Sequence[Cell], matcher: Matcher) -> bool:
    """Whether a few cells of a grid that is known to about half a pixel look like the skin at all."""
    apart = []
    for kernel in (Kernel.LINEAR, Kernel.NEAREST):
        unscaler = Unscaler(grid, matcher.skin.pitch_px, kernel)
        cells = np.stack([unscaler.cell(frame, row, col) for row, col in samples])
        apart.append(float(np.sort(matcher.distances(cells).min(axis=1))[len(samples) // 3]))
    return min(apart) <= _FAR


def fit_grid(frame: Frame, grid: Grid, matcher: Matcher) -> Fit | None:
    """The best fit near a grid that is known to about half a pixel; None where nothing there looks like the skin."""
    square = _square(grid, matcher.skin)
    best = None
    for guess in (_snapped(square, math.floor), _snapped(square, round), square, grid):
        fit = best_kernel(frame, guess, matcher)
        if best is None or fit.distance < best.distance - BETTER:
            best = fit
        if best.distance <= GOOD:
            return best
    assert best is not None
    if best.distance > _ASTRAY or not _may_have_mines(frame, best, matcher):
        return None
    best = _moved(frame, _between(best), matcher, 0.5)
    return None if best.distance > HOPELESS else _refined(frame, best, matcher)


def settle(frame: Frame, fit: Fit, matcher: Matcher) -> Fit:
    """The same fit with its edges on whole pixels where that fits as well: pictures begin and end on whole pixels."""
    for axis in (0, 1):
        n = (fit.grid.cols, fit.grid.rows)[axis]
        length = fit.grid.pitch_px[axis] * n
        pitches = {
            _as_whole(end(length) / n) for end in (math.floor, math.ceil) if abs(end(length) - length) < _LOOSE_PX
        }
        below = math.floor(fit.grid.corner[axis])
        firsts = (below - 1, below, below + 1) if fit.kernel in _SAMPLED else (below, below + 1)
        fits = [
            _tried(frame, _with_axis(grid, axis, first, pitch), kernel, matcher)
            for kernel, grid in _same_pixels(fit, 1 - axis)
            for first in firsts
            for pitch in pitches or {fit.grid.pitch_px[axis]}
        ]
        settled = min(fits, key=lambda one: (round(one.distance, 1), not _is_round(one.grid.pitch_px[axis])))
        if settled.distance <= fit.distance + BETTER:
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


def _may_have_mines(frame: Frame, fit: Fit, matcher: Matcher) -> bool:
    """Whether any cell looks most like one that may hold a mine: fields of a table do not.

    The sample tells it of most boards; late in a game the last closed cells may lie anywhere.
    """
    unscaler = Unscaler(fit.grid, matcher.skin.pitch_px, fit.kernel)
    every = range(fit.grid.rows), range(fit.grid.cols)
    return any(
        bool(matcher.may_be_mines(unscaler.sample(frame, *some), HOPELESS).any())
        for some in (_sampled(fit.grid), every)
    )


def _between(fit: Fit) -> Fit:
    """The same fit by `NEAREST`, half a pixel on, where it is by `CORNER`: its edges round as a grid's do."""
    if fit.kernel is not Kernel.CORNER:
        return fit
    grid = fit.grid
    corner = (grid.corner[0] + 0.5, grid.corner[1] + 0.5)
    return Fit(Grid.at(corner, grid.pitch_px, grid.rows, grid.cols), Kernel.NEAREST, fit.distance)


def _tried(frame: Frame, grid: Grid, kernel: Kernel, matcher: Matcher) -> Fit:
    sample = _sampled(grid)
    cells = Unscaler(grid, matcher.skin.pitch_px, kernel, is_strict=True).sample(frame, *sample)
    nearest = matcher.distances(cells).min(axis=1)
    return Fit(grid, kernel, float(np.minimum(nearest, _FAR).mean()))


def _sampled(grid: Grid) -> tuple[list[int], list[int]]:
    """Rows and columns of the cells that stand for all."""
    return _spread(grid.rows, _N_DOWN), _spread(grid.cols, _N_ACROSS)


def _spread(n: int, most: int) -> list[int]:
    places: NDArray[np.intp] = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
    return [int(place) for place in places]


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


def _refined(frame: Frame, fit: Fit, matcher: Matcher) -> Fit:
    """Move edges by less and less, as long as the cells look better for it."""
    for step in (0.5, 0.25, 0.12, 0.06):
        fit = _moved(frame, fit, matcher, step)
        if step == 0.25:
            fit = min(fit, best_kernel(frame, fit.grid, matcher), key=lambda one: one.distance)
    return fit


def _moved(frame: Frame, fit: Fit, matcher: Matcher, step: float) -> Fit:
    for axis in (0, 1):
        moved = [_tried(frame, grid, fit.kernel, matcher) for grid in _moves(fit.grid, axis, step)]
        fit = min(fit, *moved, key=lambda one: one.distance)
    return fit


def _moves(grid: Grid, axis: int, step: float) -> list[Grid]:
    """The grid with its near edge, its far edge or both moved along one axis."""
    n = (grid.cols, grid.rows)[axis]
    changes = ((step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step), (step, step), (-step, -step))
    moved = []
    for near, far in changes:
        moved.append(_with_axis(grid, axis, grid.corner[axis] + near, grid.pitch_px[axis] + (far - near) / n))
    return moved


def _is_round(pitch: float) -> bool:
    """Whether a pitch is one that a person would choose: a multiple of half a pixel."""
    return float(2 * pitch).is_integer()


def _as_whole(value: float) -> float:
    return int(value) if float(value).is_integer() else value
