"""The one door of the solver: from a board to everything that can be known of it.

Stateless and thread-safe. Positions are counted by the compiled kernel (`solver.kernel`), and by its exact twin in
whole numbers (`solver.exact`) where that is the better engine: for what floats cannot hold, for clusters too wide to be
counted, to name the clue of a contradiction, for fractions and model counts, and for the first few positions of a
process. Loading the kernel takes as long as some 300 expert positions take the twin.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from solver import kernel, sat
from solver.board import Board, closed_mask
from solver.constraints import read_problem
from solver.counting import STATE_LIMIT
from solver.errors import DisagreementError, InconsistentError
from solver.exact import METHODS, Exact, Method, analyse_exactly
from solver.kernel.status import INEXACT, NO_MODEL, NO_SLOT, TOO_WIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from solver.topology import Cell

_CELLS_BEFORE_LOADING = 100 * 480
"""So many cells (100 expert boards, 0.15 s) go to the twin before the kernel is loaded (0.5 s)."""
_STATES_BEFORE_LOADING = 2_000
"""A position that takes the twin more states (40 ms) is worth loading the kernel at once."""
_STATES_AFTER_KERNEL = {NO_MODEL: STATE_LIMIT, NO_SLOT: 20_000, INEXACT: 50_000, TOO_WIDE: 0}
"""What the twin may try where the kernel gave up. Only contradictions are known to be within its reach; more open
constraints than a state of the kernel holds (0.4 s) or more models than a float (1 s) seldom are."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that can be known of one position.

    Attributes:
        board: the position.
        p_mine: float64 array of the board's shape: the risk of every unknown cell and 1 for every known mine; NaN
            where open, and where the risk is not known. Exactly 0 or 1 only when forced, else within 1e-12 of the
            true value, relatively. Not known are: uncharted cells without a mine count; and when a cluster is too
            wide to be counted, its own cells and, with a mine count, every cell that is not proven.
        seconds: time spent, by stage: read, trivial, count, sat (0 where no proof was needed).
    """

    board: Board
    p_mine: NDArray[np.float64]
    seconds: Mapping[str, float]
    _proof: NDArray[np.int8] = field(repr=False)
    """Row by row: 1 + the place in METHODS of what proved the cell, negative where it is safe; 0 where nothing did."""

    @cached_property
    def safe(self) -> tuple[Cell, ...]:
        """Closed or flagged cells proven safe, row by row; no unreadable ones."""
        return self._listed(self._proof < 0)

    @cached_property
    def mines(self) -> tuple[Cell, ...]:
        """Closed or flagged cells proven mines, row by row; no unreadable ones."""
        return self._listed(self._proof > 0)

    @property
    def is_forced(self) -> NDArray[np.bool_]:
        """Which cells were proven safe or mines, those known as a fact left out: bool, of the board's shape."""
        is_forced: NDArray[np.bool_] = self._proof.reshape(self.board.shape) != 0
        return is_forced

    @cached_property
    def methods(self) -> Mapping[Cell, Method]:
        """For every cell of `safe` and `mines`, what proved it."""
        cells = self._listed(self._proof != 0)
        codes = self._proof.reshape(self.board.shape)
        return MappingProxyType({cell: METHODS[abs(int(codes[cell])) - 1] for cell in cells})

    @property
    def n_models(self) -> int | None:
        """The layouts that agree with the board, all equally likely; without a mine count those of the frontier alone.

        Exact, and counted when first asked for. None when a cluster is too wide for that.
        """
        return self._exact.n_models

    def exact_risk(self, cell: Cell) -> Fraction | None:
        """The risk of a cell as a fraction; None where it is not known. Computed when first asked for.

        Raises:
            IndexError: the board has no such cell.
        """
        if not self.board.topology.has_cell(cell):
            raise IndexError(f"expected a cell of a board of shape {self.board.shape}, got {cell}")
        ratio = self._exact.risks.get(self.board.topology.index(cell))
        return None if ratio is None else Fraction(ratio.numerator, ratio.denominator)

    @cached_property
    def _exact(self) -> Exact:
        return analyse_exactly(self.board)

    def _listed(self, is_meant: NDArray[np.bool_]) -> tuple[Cell, ...]:
        """The cells a player can open, among those that are meant."""
        meant = is_meant.reshape(self.board.shape) & closed_mask(self.board.cells)
        return tuple(zip(*[axis.tolist() for axis in meant.nonzero()], strict=True))


def analyse(board: Board | NDArray[Any], mines: int | None = None) -> Analysis:
    """Find every forced cell of a position, and the exact risk of all others.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        mines: the total number of mines, known ones included; replaces the board's own.

    Returns:
        The analysis. Complete: a cell that is not listed as safe or as a mine is forced neither way. Only where a
        cluster is too wide to be counted may a forced cell be missing: one whose proof, by the mine count above all,
        exceeds the budget of `solver.sat`.

    Raises:
        BoardValueError: `board` or `mines` is not a board's.
        InconsistentError: no layout agrees with the position; names a clue unless only the mine count contradicts.
    """
    start = time.perf_counter()
    board = Board.of(board, mines)
    read = time.perf_counter()
    if not _is_worth_loading(board):
        exact = analyse_exactly(board, _STATES_BEFORE_LOADING)
        if exact.n_models is not None:
            return _conclude_exactly(board, exact)
    if not kernel.load():
        return _conclude_exactly(board, analyse_exactly(board))
    found = kernel.analyse(board)
    if isinstance(found, int):
        return _conclude_without_kernel(board, found)
    return _conclude(board, found.p_mine, found.proof, {"read": read - start, **found.seconds, "sat": 0.0})


def iter_solutions(board: Board | NDArray[Any], mines: int | None = None) -> Iterator[tuple[Cell, ...]]:
    """Generate every layout that agrees with a position, lazily.

    With a mine count, layouts of the whole board; without one, of the frontier alone. There can be very many: see
    `Analysis.n_models`.

    Args:
        board: as `analyse`.
        mines: as `analyse`.

    Yields:
        The unknown cells that are mines, row by row. No layout twice, none when the position is inconsistent.

    Raises:
        BoardValueError: as `analyse`.
        InconsistentError: a number or the mine count cannot be met even alone.
    """
    board = Board.of(board, mines)
    problem = read_problem(board)
    total = None if problem.n_hidden is None else sat.Total(problem.unknown, problem.n_hidden)
    for solution in sat.iter_solutions(problem.constraints, total):
        yield tuple(board.topology.cell(index) for index in solution)


_n_cells_seen = 0


def _is_worth_loading(board: Board) -> bool:
    """Whether the kernel is loaded, or enough was analysed without it to load it now."""
    global _n_cells_seen  # noqa: PLW0603 - a count of this process; a lost update between threads does no harm
    if kernel.is_loaded():
        return True
    _n_cells_seen += board.cells.size
    return _n_cells_seen > _CELLS_BEFORE_LOADING


def _conclude(
    board: Board, p_mine: NDArray[np.float64], proof: NDArray[np.int8], seconds: Mapping[str, float]
) -> Analysis:
    p_mine = p_mine.reshape(board.shape)
    p_mine.setflags(write=False)
    return Analysis(board, p_mine, seconds, proof)


def _conclude_exactly(board: Board, exact: Exact) -> Analysis:
    n_cells = board.cells.size
    analysis = _conclude(board, exact.p_mine(n_cells), exact.proof(n_cells), exact.seconds)
    analysis.__dict__["_exact"] = exact  # the cached property, filled
    return analysis


def _conclude_without_kernel(board: Board, status: int) -> Analysis:
    """Analyse what the kernel could not.

    Raises:
        InconsistentError: no layout agrees with the position.
        DisagreementError: the kernel said so, and its twin does not.
    """
    exact = analyse_exactly(board, _STATES_AFTER_KERNEL[status])
    if status == NO_MODEL:
        if exact.n_models is not None:
            raise DisagreementError(f"the kernel finds no model, its exact twin {exact.n_models}:\n{board}")
        raise InconsistentError("no layout agrees with the position", None)  # too wide for the twin to name a clue
    return _conclude_exactly(board, exact)
