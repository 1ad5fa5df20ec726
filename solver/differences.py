"""What the differences of numbers prove, on boards of any size: the rule of pairs, for all cells at once.

Two open numbers one step apart along an axis see the same cells but for a slab on either side: so their difference is
the mines of one slab less those of the other. When it is as large as it can be, all of the one are mines and none of
the other is. The same holds for differences of differences along several axes, whose slabs are the corners of a box,
half of them counted negative. Everything is a few sums and shifts of whole arrays.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.topology import Number, sum_of_three

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Ints = NDArray[np.int32]


class Proven(NamedTuple):
    """What was proven, as bool arrays of the board's shape."""

    is_safe: NDArray[np.bool_]
    is_mine: NDArray[np.bool_]


def iter_proven(
    is_open: NDArray[np.bool_], need: NDArray[np.int16], is_unknown: NDArray[np.bool_], *, wrap: bool
) -> Iterator[Proven]:
    """Generate what differences prove, along one axis, then along two, and so on; what proves nothing is left out.

    Args:
        is_open: where numbers are.
        need: the mines each of them still needs.
        is_unknown: the cells that may or may not be mines.
        wrap: whether every axis is a ring.
    """
    # On a ring of three all numbers see the same cells along it, on a line of two and on smaller ones too.
    axes = [axis for axis, side in enumerate(is_open.shape) if side > (3 if wrap else 2)]
    for n_axes in range(1, len(axes) + 1):
        for chosen in combinations(axes, n_axes):
            proven = _differ(chosen, is_open, need.astype(np.int32), is_unknown, wrap=wrap)
            if proven is not None:
                yield proven


def _differ(
    axes: tuple[int, ...],
    is_open: NDArray[np.bool_],
    need: Ints,
    is_unknown: NDArray[np.bool_],
    *,
    wrap: bool,
) -> Proven | None:
    for axis in axes:
        need = need - _moved(need, axis, 1, wrap=wrap)
        is_open = is_open & _moved(is_open, axis, 1, wrap=wrap)
    if not is_open.any():
        return None
    plus, minus = is_unknown.astype(np.int32), np.zeros(need.shape, dtype=np.int32)
    for axis in range(need.ndim):
        if axis in axes:
            plus, minus = (
                _moved(plus, axis, -1, wrap=wrap) + _moved(minus, axis, 2, wrap=wrap),
                _moved(minus, axis, -1, wrap=wrap) + _moved(plus, axis, 2, wrap=wrap),
            )
        else:
            plus, minus = sum_of_three(plus, axis, wrap=wrap), sum_of_three(minus, axis, wrap=wrap)
    is_telling = is_open & (plus + minus > 0)
    is_most, is_least = is_telling & (need == plus), is_telling & (need == -minus)
    if not (is_most.any() or is_least.any()):
        return None
    plus_mines, minus_safe = _spread(is_most.astype(np.int32), axes, wrap=wrap)
    plus_safe, minus_mines = _spread(is_least.astype(np.int32), axes, wrap=wrap)
    return Proven(is_unknown & (plus_safe + minus_safe > 0), is_unknown & (plus_mines + minus_mines > 0))


def _spread(marks: Ints, axes: tuple[int, ...], *, wrap: bool) -> tuple[Ints, Ints]:
    """From differences back to the cells they are about: those that count positive, and negative."""
    plus, minus = marks, np.zeros_like(marks)
    for axis in range(marks.ndim):
        if axis in axes:
            plus, minus = (
                _moved(plus, axis, 1, wrap=wrap) + _moved(minus, axis, -2, wrap=wrap),
                _moved(minus, axis, 1, wrap=wrap) + _moved(plus, axis, -2, wrap=wrap),
            )
        else:
            plus, minus = sum_of_three(plus, axis, wrap=wrap), sum_of_three(minus, axis, wrap=wrap)
    return plus, minus


def _moved(values: NDArray[Number], axis: int, step: int, *, wrap: bool) -> NDArray[Number]:
    """For every cell, the value `step` farther along an axis; 0 beyond the edge."""
    if wrap:
        return np.roll(values, -step, axis)
    moved = np.zeros_like(values)
    here, there = np.moveaxis(moved, axis, 0), np.moveaxis(values, axis, 0)
    if step > 0:
        here[:-step] = there[step:]
    else:
        here[-step:] = there[:step]
    return moved
