"""The analysis of boards whose neighbours are too many to be listed: by sums over boxes.

On a board of seven or eight dimensions a cell has thousands of neighbours. But how many of them are unknown, or known
mines, is a box sum: a sum of three along each axis in turn, for all cells at once. So the all/none rule takes a few
such sums a round. The supercells of what it leaves are found the same way: give every open number a random 64-bit key,
and two cells are under the same constraints when the sums of the keys around them are equal. Only the numbers that are
left have their neighbours listed, and are counted by `solver.exact`.

What the differences of numbers prove, on boards of any size: the rule of pairs, for all cells at once.

Two open numbers one step apart along an axis see the same cells but for a slab on either side: so their difference is
the mines of one slab less those of the other. When it is as large as it can be, all of the one are mines and none of
the other is. The same holds for differences of differences along several axes, whose slabs are the corners of a box,
half of them counted negative. Everything is a few sums and shifts of whole arrays.
"""

from __future__ import annotations

import time
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.constraints import MINE_CODES, UNKNOWN_CODES, Cluster, Constraint, Supercell, find_clusters
from solver.errors import InconsistentError
from solver.exact import METHODS, Rest, count_clusters
from solver.topology import Number, box_sum, sum_of_three

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from solver.board import Board
    from solver.topology import Cell

    Ints = NDArray[np.int32]


class _Proven(NamedTuple):
    """What was proven, as bool arrays of the board's shape."""

    is_safe: NDArray[np.bool_]
    is_mine: NDArray[np.bool_]


def _iter_proven(
    is_open: NDArray[np.bool_], need: NDArray[np.int16], is_unknown: NDArray[np.bool_], *, wrap: bool
) -> Iterator[_Proven]:
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
) -> _Proven | None:
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
    return _Proven(is_unknown & (plus_safe + minus_safe > 0), is_unknown & (plus_mines + minus_mines > 0))


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


_BY_RULE, _BY_NUMBERS, _BY_TOTAL = (1 + METHODS.index(method) for method in ("trivial", "sat", "count"))


class _Boxed(NamedTuple):
    """What is known of a position.

    Attributes:
        p_mine: float64, row by row: the risks; NaN where open, or not known.
        proof: int8, row by row: what proved a cell, as in `solver.exact.Exact.proof`.
        seconds: time spent, by stage.
        is_counted: whether the clusters could be counted; if not, there is what the all/none rule proves, and no risk.
    """

    p_mine: NDArray[np.float64]
    proof: NDArray[np.int8]
    seconds: Mapping[str, float]
    is_counted: bool


def analyse_by_boxes(board: Board, state_limit: int) -> _Boxed:
    """Find every forced cell, and all risks, of a board of any size.

    Args:
        board: the position.
        state_limit: a position of more states is too wide to be counted.

    Raises:
        InconsistentError: no layout agrees with the position.
    """
    begun_at_s = time.perf_counter()
    position = _SummedPosition(board)
    position.deduce_by_differences()
    deduced_at_s = time.perf_counter()
    clusters, uncharted = position.find_clusters()
    n_hidden = None if board.mines is None else board.mines - int(position.is_mine.sum())
    if n_hidden is not None and not 0 <= n_hidden <= int(position.is_unknown.sum()):
        raise InconsistentError.of_total(board.mines)
    p_mine = np.full(board.cells.size, np.nan)
    proof = position.proof.ravel()
    p_mine[proof < 0] = 0.0
    p_mine[position.is_mine.ravel()] = 1.0
    counted = count_clusters(board, clusters, Rest(uncharted, n_hidden), state_limit)
    if counted is not None:
        for cells, ratio in counted.risks:
            p_mine[list(cells)] = ratio.as_float()
        for code, forced in ((_BY_NUMBERS, counted.by_numbers), (_BY_TOTAL, counted.by_total)):
            for cell, is_mine in forced.items():
                proof[cell] = code if is_mine else -code
    seconds = {"trivial": deduced_at_s - begun_at_s, "count": time.perf_counter() - deduced_at_s}
    return _Boxed(p_mine, proof, seconds, counted is not None)


def find_safe(board: Board, *, by_differences: bool = False) -> tuple[Cell, ...]:
    """The cells that the all/none rule alone proves safe, row by row; for a board of any size.

    Args:
        board: the position.
        by_differences: whether differences of numbers may be used too; then the first cells that they prove.

    Raises:
        InconsistentError: a number cannot be met; names it.
    """
    position = _SummedPosition(board)
    if by_differences:
        position.deduce_by_differences(until_safe=True)
    else:
        position.deduce()
    return tuple(zip(*[axis.tolist() for axis in (position.proof < 0).nonzero()], strict=True))


class _SummedPosition:
    """A position in arrays of the board's shape, and what was found out of it.

    Attributes:
        is_unknown: bool: neither open nor proven.
        is_mine: bool: known as a fact, or proven.
        proof: int8: see `_Boxed`.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.is_open = board.cells >= 0
        self.is_unknown = np.isin(board.cells, list(UNKNOWN_CODES))
        self.is_mine = np.isin(board.cells, list(MINE_CODES))
        self.proof = np.zeros(board.shape, dtype=np.int8)
        self.need = board.cells - self._near(self.is_mine)
        self.left = self._near(self.is_unknown)

    def deduce(self, code: int = _BY_RULE) -> None:
        """Apply the all/none rule until nothing changes.

        Raises:
            InconsistentError: a number cannot be met; names it.
        """
        while True:
            is_wrong = self.is_open & ((self.need < 0) | (self.need > self.left))
            if is_wrong.any():
                self._contradict(is_wrong)
            is_constraint = self.is_open & (self.left > 0)
            is_none, is_all = is_constraint & (self.need == 0), is_constraint & (self.need == self.left)
            is_safe = self.is_unknown & (self._near(is_none) > 0)
            is_mine = self.is_unknown & (self._near(is_all) > 0)
            if not (is_safe.any() or is_mine.any()):
                return
            is_both = is_safe & is_mine
            if is_both.any():
                self._contradict(is_none & (self._near(is_both) > 0))
            self._note(is_safe, is_mine, code)

    def deduce_by_differences(self, *, until_safe: bool = False) -> None:
        """Apply the all/none rule, to differences of numbers too, until nothing changes, or something safe is found.

        Raises:
            InconsistentError: a number cannot be met; names it.
        """
        self.deduce()
        is_new = True
        while is_new and not (until_safe and (self.proof < 0).any()):
            is_new = False
            for is_safe, is_mine in _iter_proven(self.is_open, self.need, self.is_unknown, wrap=self.board.wrap):
                if (is_safe & is_mine).any():
                    return  # a contradiction: counting names a clue
                self._note(is_safe, is_mine, _BY_NUMBERS)
                self.deduce(_BY_NUMBERS)
                is_new = True
                break

    def _note(self, is_safe: NDArray[np.bool_], is_mine: NDArray[np.bool_], code: int) -> None:
        self.proof[is_safe], self.proof[is_mine] = -code, code
        self.is_unknown &= ~(is_safe | is_mine)
        self.is_mine |= is_mine
        self.need -= self._near(is_mine)
        self.left -= self._near(is_safe | is_mine)

    def find_clusters(self) -> tuple[list[Cluster], tuple[int, ...]]:
        """Group what is left into supercells and clusters; return them, and the cells under no constraint.

        Raises:
            InconsistentError: two numbers over the same cells differ; names one.
        """
        is_clue = self.is_open & (self.left > 0)
        keys = np.random.default_rng(1).integers(1 << 62, size=self.board.shape, dtype=np.uint64)
        key_of = box_sum(np.where(is_clue, keys, np.uint64(0)), wrap=self.board.wrap).ravel()
        is_charted = (self.is_unknown & (self._near(is_clue) > 0)).ravel()
        charted = np.flatnonzero(is_charted)
        uncharted = tuple(np.flatnonzero(self.is_unknown.ravel() & ~is_charted).tolist())
        _, group = np.unique(key_of[charted], return_inverse=True)
        group_of = np.full(is_charted.size, -1)
        group_of[charted] = group
        order = np.argsort(group, kind="stable")
        cuts = np.flatnonzero(np.diff(group[order])) + 1
        cells_of = [tuple(part.tolist()) for part in np.split(charted[order], cuts)]
        return [
            _expanded(cluster, cells_of) for cluster in find_clusters(self._over_groups(is_clue, group_of))
        ], uncharted

    def _over_groups(self, is_clue: NDArray[np.bool_], group_of: NDArray[np.intp]) -> list[Constraint]:
        """The constraints, over numbered groups of cells in place of cells; no two over the same ones."""
        need, near_of = self.need.ravel(), self.board.topology.near_of
        over: dict[tuple[int, ...], Constraint] = {}
        for clue in np.flatnonzero(is_clue).tolist():
            near = np.unique(group_of[list(near_of(clue))])
            groups = tuple(near[near >= 0].tolist())
            same = over.setdefault(groups, Constraint(groups, int(need[clue]), clue))
            if same.n_mines != need[clue]:
                raise InconsistentError.of_clue(
                    self.board.topology.cell(clue), f"{need[clue]} mines where others need {same.n_mines}"
                )
        return list(over.values())

    def _near(self, is_there: NDArray[np.bool_]) -> NDArray[np.int16]:
        return box_sum(is_there.astype(np.int16), wrap=self.board.wrap)

    def _contradict(self, is_clue: NDArray[np.bool_]) -> None:
        clue = int(np.flatnonzero(is_clue)[0])
        need, left = int(self.need.ravel()[clue]), int(self.left.ravel()[clue])
        raise InconsistentError.of_clue(
            self.board.topology.cell(clue), f"{need} of its {left} remaining neighbours to be mines"
        )


def _expanded(cluster: Cluster, cells_of: list[tuple[int, ...]]) -> Cluster:
    """The cluster with the cells of every group in its place."""

    def cells(groups: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([cell for group in groups for cell in cells_of[group]])

    return Cluster(
        tuple(constraint._replace(cells=cells(constraint.cells)) for constraint in cluster.constraints),
        tuple(Supercell(cells(supercell.cells), supercell.constraints) for supercell in cluster.supercells),
    )
