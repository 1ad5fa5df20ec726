"""Calls the compiled kernel: working space, one a thread and topology, that grows when a position needs more."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver.kernel import listing, pipeline, playing, requests, sampling
from solver.kernel.endgame import SIZE as DESK_SIZE
from solver.kernel.requests import (
    CALL_AGAIN,
    DONE,
    FULL_ARENAS,
    INEXACT,
    NO_MODEL,
    TOO_WIDE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from solver.topology import Topology

STATE_LIMIT = 1_000_000
"""The most states a cluster may have."""
MOST_VALUES = 1 << 24
"""The most terms of polynomials: 270 MB, of wide numbers 540. Lattices of seven and eight rows need 4 million, as 0.2 s
of work."""
_FEWEST_VALUES = 1 << 14
_FEWEST_SUMS = 1 << 12
_GROWTH = 4
"""How many times as large a working space becomes that was full. What was counted until then is counted again, which
costs a third of all the work. What is not used yet of a large space is not yet taken from the system either."""
_KEPT_VALUES = 1 << 20
"""A space that grew beyond this is not kept for the next position."""
_MOST_SPACES = 4
"""Topologies a thread keeps working space for."""


class Found(NamedTuple):
    """What the kernel says of a position.

    Attributes:
        p_mine: float64, row by row: the risks; NaN where open or not known.
        proof: int8, row by row: what proved a cell, negative where it is safe; see `solver.kernel.clusters`.
        seconds: time spent, by stage.
    """

    p_mine: NDArray[np.float64]
    proof: NDArray[np.int8]
    seconds: dict[str, float]


class Weight(NamedTuple):
    """The number of models of a board: fraction * 2^power * C(n_free, n_mines)."""

    fraction: float
    power: int
    n_free: int
    n_mines: int


class Space:
    """Working space for the boards of one topology."""

    def __init__(self, topology: Topology) -> None:
        self.is_large = topology.is_large
        if self.is_large:
            return
        self.near_start, self.near = topology.neighbour_table
        n_cells, n_edges = topology.n_cells, self.near.size
        degree = int(np.diff(self.near_start).max(initial=0))
        table_size = 1 << (2 * n_cells - 1).bit_length()
        width = max(2 * n_cells + 4, degree + 1)
        self.con_key = np.random.default_rng(1).integers(1 << 62, size=n_cells + 1, dtype=np.int64)
        self.choose = _binomials(degree)
        self.grid = np.zeros((pipeline.N_ROWS, width), dtype=np.int32)
        self.edges = np.zeros((4, max(n_edges + n_cells + 2, table_size)), dtype=np.int32)
        self.sc_key = np.zeros(n_cells + 1, dtype=np.int64)
        self.model_start = np.zeros(n_cells + 2, dtype=np.int64)
        self.sums = np.zeros((5, n_cells + 1))
        self.info = np.zeros(pipeline.N_INFO, dtype=np.int64)
        self.desk = np.zeros(DESK_SIZE, dtype=np.int64)
        self.figures = np.zeros((requests.N_FIGURES, listing.MOST_CELLS + 1))
        self.make_arenas(_FEWEST_VALUES)
        self.make_polynomials(_FEWEST_VALUES, _FEWEST_SUMS, is_wide=False)

    def make_arenas(self, n_ways: int) -> None:
        """Make room for the states and moves that usually have this many terms of polynomials."""
        n_states = n_ways // 4
        self.state_key = np.zeros(n_states, dtype=np.int64)
        self.state_value = np.zeros(n_states, dtype=np.int64)
        self.state_span = np.zeros((2, n_states), dtype=np.int32)
        self.moves = np.zeros((3, n_ways // 2), dtype=np.int32)
        self.table_state = np.zeros(n_ways // 16, dtype=np.int32)
        self.table_turn = np.zeros(n_ways // 16 + 1, dtype=np.int64)

    def make_polynomials(self, n_ways: int, n_sums: int, *, is_wide: bool) -> None:
        """Make room for polynomials: of plain floats in one row, of wide numbers in two."""
        self.is_wide = is_wide
        n_rows = 2 if is_wide else 1
        self.ways = np.zeros((n_rows, n_ways))
        self.onward = np.zeros((n_rows, n_ways))
        self.values = np.zeros((n_rows, n_sums))

    def grow(self, status: int) -> bool:
        """Make what was full larger; return whether that is allowed."""
        n_ways, n_sums = self.ways.shape[1], self.values.shape[1]
        if status == FULL_ARENAS:
            n_ways *= _GROWTH
        else:
            n_sums *= _GROWTH
        if max(n_ways, n_sums) > MOST_VALUES:
            return False
        if status == FULL_ARENAS:
            self.make_arenas(n_ways)
        self.make_polynomials(n_ways, n_sums, is_wide=self.is_wide)
        return True

    def set_range(self, *, is_wide: bool) -> None:
        """Count in wide numbers from now on, or in plain floats."""
        self.make_polynomials(self.ways.shape[1], self.values.shape[1], is_wide=is_wide)

    def deduce_all(self, codes: NDArray[np.int16], n_mines: int, proof: NDArray[np.int8]) -> int:
        """Read a position and apply the all/none rule."""
        status: int = pipeline.deduce_all(
            codes, self.near_start, self.near, n_mines, self.grid, self.edges, self.info, proof
        )
        return status

    def play(self, *desk: NDArray[Any], n_mines: int, n_cells: int) -> int:
        """Do a job of `solver.kernel.playing.play`, given its first arguments up to `worth`."""
        p_mine, proof = np.empty(n_cells), np.empty(n_cells, dtype=np.int8)
        given, results = (n_mines, STATE_LIMIT), (p_mine, proof)
        return self._run(playing.play, *desk, self.desk, self.figures, given=given, results=results)

    def count_all(self, n_mines: int, state_limit: int, p_mine: NDArray[np.float64], proof: NDArray[np.int8]) -> int:
        """Count what `deduce_all` left."""
        return self._run(pipeline.count_all, given=(n_mines, state_limit), results=(p_mine, proof))

    def _run(
        self,
        function: Callable[..., int],
        *first: NDArray[Any],
        given: tuple[int, int],
        results: tuple[NDArray[np.float64], NDArray[np.int8]],
    ) -> int:
        """Call a function of the kernel; where a working space is too small, enlarge it and call again.

        Where plain floats do not suffice, wide numbers do.
        """
        if self.is_wide:
            self.set_range(is_wide=False)
        while True:
            status = function(
                *first,
                self.near_start,
                self.near,
                *given,
                self.con_key,
                self.choose,
                self.grid,
                self.edges,
                self.sc_key,
                self.table_turn,
                self.table_state,
                self.state_key,
                self.state_value,
                self.model_start,
                self.state_span,
                self.moves,
                self.ways,
                self.onward,
                self.values,
                self.sums,
                self.info,
                *results,
            )
            if status not in CALL_AGAIN:
                return status
            if status == INEXACT:
                self.set_range(is_wide=True)
            elif not self.grow(status):
                return TOO_WIDE


def _binomials(n: int) -> NDArray[np.float64]:
    """C(i, k) for all i, k <= n."""
    choose = np.zeros((n + 1, n + 1))
    choose[:, 0] = 1.0
    for i in range(1, n + 1):
        choose[i, 1:] = choose[i - 1, 1:] + choose[i - 1, :-1]
    return choose


_local = threading.local()


def space_for(topology: Topology) -> Space:
    """The working space of this thread for a topology."""
    spaces: dict[Topology, Space] = _local.__dict__.setdefault("spaces", {})
    space = spaces.get(topology)
    if space is not None and not space.is_large and space.ways.size > _KEPT_VALUES:
        del spaces[topology]
        space = None
    if space is None:
        if len(spaces) >= _MOST_SPACES:
            del spaces[next(iter(spaces))]
        space = spaces[topology] = Space(topology)
    return space


def analyse(
    codes: NDArray[np.int16], topology: Topology, n_mines: int | None, state_limit: int = STATE_LIMIT
) -> Found | int:
    """Analyse a position; return what was found, or TOO_WIDE, NO_MODEL, NO_SLOT or INEXACT."""
    space = space_for(topology)
    if space.is_large:
        return INEXACT
    start = time.perf_counter()
    proof = np.empty(codes.size, dtype=np.int8)
    known_mines = -1 if n_mines is None else n_mines
    if space.deduce_all(codes, known_mines, proof) == NO_MODEL:
        return NO_MODEL
    deduced = time.perf_counter()
    p_mine = np.empty(codes.size)
    status = space.count_all(known_mines, state_limit, p_mine, proof)
    if status != DONE:
        return status
    return Found(p_mine, proof, {"trivial": deduced - start, "count": time.perf_counter() - deduced})


def count_models(codes: NDArray[np.int16], topology: Topology, n_mines: int) -> Weight | int:
    """Count the models of a position; return their number, or TOO_WIDE, NO_MODEL, NO_SLOT or INEXACT."""
    found = analyse(codes, topology, n_mines)
    if isinstance(found, int):
        return found
    space = _local.spaces[topology]  # the one just used
    power, n_free, largest = (
        int(space.info[at]) for at in (pipeline.I_POWER, pipeline.I_UNCHARTED, pipeline.I_LARGEST)
    )
    return Weight(float(space.sums[4, 0]), power, n_free, largest)


class Walked(NamedTuple):
    """What walks through the models of a formula have met; see `solver.kernel.sampling.walk`.

    Attributes:
        mined, drawn: float64, one a cell.
        totals: float64, by number of mines.
        seen: int8, one a cell.
    """

    mined: NDArray[np.float64]
    drawn: NDArray[np.float64]
    totals: NDArray[np.float64]
    seen: NDArray[np.int8]


def sample_models(
    constraints: Sequence[Sequence[int]], models: NDArray[np.int8], log_weight: NDArray[np.float64], n_nodes: int
) -> Walked:
    """Walk through the models of constraints that models are given of, the same way each time.

    Args:
        constraints: of each the cells, numbered from 0; every cell is under one at least.
        models: int8, models x cells: 1 where a mine is. A walk starts from each.
        log_weight: float64, by number of mines, 0 to all.
        n_nodes: search nodes of each walk, some 25 ns each.
    """
    n_cells = models.shape[1]
    con_start, con_cell = _flat(constraints)
    over: list[list[int]] = [[] for _ in range(n_cells)]
    for j, cells in enumerate(constraints):
        for cell in cells:
            over[cell].append(j)
    cell_start, cell_con = _flat(over)
    walked = Walked(np.zeros(n_cells), np.zeros(n_cells), np.zeros(n_cells + 1), np.zeros(n_cells, dtype=np.int8))
    for seed, model in enumerate(models):
        sampling.walk(
            con_start,
            con_cell,
            cell_start,
            cell_con,
            log_weight,
            np.random.default_rng(seed),
            n_nodes,
            model.copy(),
            *walked,
        )
    return walked


def _flat(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where each list starts, and all their items one after the other."""
    start = np.zeros(len(lists) + 1, dtype=np.int32)
    np.cumsum([len(items) for items in lists], out=start[1:])
    return start, np.array([item for items in lists for item in items], dtype=np.int32)
