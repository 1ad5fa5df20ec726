"""The one door of the solver: from a board to everything that can be known of it.

Stateless and thread-safe. Positions are counted by the compiled kernel (`solver.kernel`), and by its exact twin in
whole numbers (`solver.exact`) where that is the better engine: to name the clue of a contradiction, for fractions and
model counts, and for the first few positions of a process: loading the kernel takes as long as some 300 expert
positions take the twin. What is too wide for both is proven by satisfiability (`solver.wide`), written on the board
and counted again; what still cannot be counted is estimated (`solver.wide`), and said to be so.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from solver import kernel, sat
from solver.board import KNOWN_MINE, OPEN_UNKNOWN, Board, closed_mask, say_no_board
from solver.constraints import MINE_CODES, UNKNOWN_CODES, read_problem
from solver.errors import DisagreementError, InconsistentError
from solver.exact import METHODS, STATE_LIMIT, Exact, Method, analyse_exactly
from solver.kernel import INEXACT, NO_MODEL, NO_SLOT, TOO_WIDE
from solver.many_neighbours import analyse_by_boxes
from solver.wide import estimate, prove, prove_by_total
from solver.words import name_cell, name_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from solver.prior import Prior
    from solver.topology import Cell

_CELLS_BEFORE_LOADING = 100 * 480
"""Cells that go to the twin before the kernel is loaded: 100 expert boards take it 0.15 s, loading takes 0.5 s."""
_STATES_BEFORE_LOADING = 2_000  # most states that the twin may take (40 ms) before the kernel is loaded at once
_STATES_AFTER_KERNEL = {NO_MODEL: STATE_LIMIT, NO_SLOT: 20_000, INEXACT: 50_000, TOO_WIDE: 0}
"""What the twin may try where the kernel gave up. Only contradictions are known to be within its reach; more open
constraints than a state of the kernel holds (0.4 s) or neighbourhoods larger than it takes (1 s) seldom are."""


_TRIVIAL, _BY_NUMBERS, _BY_TOTAL = (1 + METHODS.index(method) for method in ("trivial", "sat", "count"))
_NO_TIME = dict.fromkeys(("read", "trivial", "count", "sat", "estimate"), 0.0)


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that can be known of one position.

    Attributes:
        board: the position.
        p_mine: float64 array of the board's shape: the risk of every unknown cell and 1 for every known mine; NaN
            where open, and where the risk is not known: of uncharted cells without a mine count. Exactly 0 or 1 only
            when forced, else within 1e-12 of the true value, relatively, unless estimated (`is_estimate`).
        seconds: time spent, by stage: read (0 by the kernel: it reads in the next stage), trivial, count, sat, estimate
            (the last two 0 where there was no need).
    """

    board: Board
    p_mine: NDArray[np.float64]
    seconds: Mapping[str, float]
    _proof: NDArray[np.int8] = field(repr=False)
    """Row by row: 1 + the place in METHODS of what proved the cell, negative where it is safe; 0 where nothing did."""
    _reduced: Board = field(repr=False)
    """The board with what satisfiability proved written on it: as many models, in narrower clusters."""
    _is_estimated: bool = field(repr=False)
    is_by_twin: bool = field(default=False, repr=False)
    """Whether the kernel's exact twin counted it."""
    prior: Prior | None = None
    """How likely layouts are before anything is seen; None where all that agree with the board are equally likely."""
    _even: Analysis | None = field(default=None, repr=False)

    @property
    def even(self) -> Analysis:
        """The analysis of this position with all layouts equally likely."""
        return self if self._even is None else self._even

    @cached_property
    def safe(self) -> tuple[Cell, ...]:
        """Closed or flagged cells proven safe, row by row; no unreadable ones."""
        return self._listed(self._proof < 0)

    @cached_property
    def mines(self) -> tuple[Cell, ...]:
        """Closed or flagged cells proven mines, row by row; no unreadable ones."""
        return self._listed(self._proof > 0)

    def without(self, cells: Iterable[Cell]) -> Analysis:
        """This analysis, in which nothing is proven of some cells."""
        proof = self._proof.copy()
        proof[[self.board.topology.index(cell) for cell in cells]] = 0
        return replace(self, _proof=proof)

    @property
    def is_forced(self) -> NDArray[np.bool_]:
        """Which cells were proven safe or mines, those known as a fact left out: bool, of the board's shape."""
        is_forced: NDArray[np.bool_] = self._proof.reshape(self.board.shape) != 0
        return is_forced

    @cached_property
    def is_estimate(self) -> NDArray[np.bool_]:
        """Where the risk is an estimate, because a cluster is too wide to be counted: bool, of the board's shape.

        Where it could be measured, an estimate is off by 0.01 in the mean. Without the compiled kernel there are none:
        such risks are NaN.
        """
        is_open_to_doubt: NDArray[np.bool_] = np.isin(self._reduced.cells, list(UNKNOWN_CODES)) & ~self.is_forced
        return self._is_estimated & is_open_to_doubt & ~np.isnan(self.p_mine)

    @cached_property
    def methods(self) -> Mapping[Cell, Method]:
        """For every cell of `safe` and `mines`, what proved it."""
        cells = self._listed(self._proof != 0)
        codes = self._proof.reshape(self.board.shape)
        return MappingProxyType({cell: METHODS[abs(int(codes[cell])) - 1] for cell in cells})

    @property
    def n_models(self) -> int | None:
        """How many layouts agree with the board; without a mine count those of the frontier alone.

        Exact, and counted when first asked for. None when a cluster is too wide for that.
        """
        return None if self._exact is None else self._exact.n_models

    def exact_risk(self, cell: Cell) -> Fraction | None:
        """The risk of a cell as a fraction; None where it is not known, or estimated. Computed when first asked for.

        Raises:
            IndexError: the board has no such cell.
        """
        if not self.board.topology.has_cell(cell):
            raise IndexError(f"expected a cell of the {name_shape(self.board.shape)} board, got {name_cell(cell)}")
        if self.is_forced[cell]:
            return Fraction(int(self.p_mine[cell]))
        if self._exact is None:
            return None
        if self.prior is not None:
            return self._exact_mixture(self.prior, self.board.index_of(cell))
        ratio = self._exact.risks.get(self.board.index_of(cell))
        return None if ratio is None else Fraction(ratio.numerator, ratio.denominator)

    @cached_property
    def _exact(self) -> Exact | None:
        return None if self._is_estimated else analyse_exactly(self._reduced.widened)

    def _exact_mixture(self, prior: Prior, index: int) -> Fraction | None:
        """The risk of a cell under a prior; None where a cluster is too wide."""
        mined = whole = Fraction(0)
        for board in prior.iter_boards(self.board):
            try:
                exact = analyse_exactly(board)
            except InconsistentError:
                break
            if exact is None:
                return None
            ratio = exact.risks.get(index)
            risk = 1 if ratio is None else Fraction(ratio.numerator, ratio.denominator)  # None: a mine of the run
            mined += exact.n_models * risk
            whole += exact.n_models
        return mined / whole

    def _seen_of(self, board: Board) -> Analysis:
        """What this analysis of a board's `widened` says of the board."""
        seen = board.seen
        p_mine = self.p_mine[seen].copy()
        p_mine.setflags(write=False)
        proof = self._proof.reshape(self.board.shape)[seen].ravel()
        reduced = replace(board, cells=self._reduced.cells[seen])
        return Analysis(board, p_mine, self.seconds, proof, reduced, self._is_estimated)

    def _listed(self, is_meant: NDArray[np.bool_]) -> tuple[Cell, ...]:
        """The cells a player can open, among those that are meant."""
        meant = is_meant.reshape(self.board.shape) & closed_mask(self.board.cells)
        return tuple(zip(*[axis.tolist() for axis in meant.nonzero()], strict=True))


def analyse(board: Board | NDArray[Any], mines: int | None = None, prior: Prior | None = None) -> Analysis:
    """Find every forced cell of a position, and the exact risk of all others.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        mines: the total number of mines, known ones included; replaces the board's own.
        prior: how likely layouts are before anything is seen; None: all are equally likely. Nothing is proven by it.

    Returns:
        The analysis. Complete: a cell that is not listed as safe or as a mine is forced neither way. Only where a
        cluster is too wide to be counted may a forced cell be missing: one whose proof, by the mine count above all,
        exceeds the budget of `solver.sat`.

    Raises:
        BoardValueError: `board` or `mines` is not a board's, or the prior is not one for it.
        InconsistentError: no layout agrees with the position; names a clue unless only the mine count contradicts.
    """
    board = Board.of(board, mines)
    try:
        analysis = _analyse_evenly(board)
    except InconsistentError as error:
        no_board = say_no_board(board)
        if no_board is None:
            raise
        raise InconsistentError(no_board, error.clue) from error
    return analysis if prior is None or prior.is_even(board) else weigh(analysis, prior)


def _analyse_evenly(board: Board) -> Analysis:
    """Analyse a position with all layouts equally likely.

    Raises:
        InconsistentError: no layout agrees with the position.
    """
    if board.cut:
        return _analyse_cut(board)
    try:
        counted = _count(board)
        if counted is None:
            return _analyse_wide(board)
    except InconsistentError as error:
        if error.clue is None and board.mines is not None:
            _analyse_evenly(
                board.with_mines(None)
            )  # where the numbers contradict each other by themselves, that is said
        raise
    return _conclude(board, counted, board)


_NEGLIGIBLE = 1e-14  # share of the least risk, or of the least chance to be safe, that does not change its figures


def weigh(analysis: Analysis, prior: Prior) -> Analysis:
    """Find the risks of an analysed position under a prior: a mixture of the risks on its boards.

    Where a cluster is too wide to be counted, risks stay what they are with all layouts equally likely, and are
    estimates.

    Cost: an analysis for each board of the mixture, twenty at most on an Expert board.

    Raises:
        BoardValueError: the prior is not one for this position.
    """
    even = analysis.even
    if prior.is_even(even.board):
        return even
    is_free = ~even.is_forced & ~np.isnan(even.p_mine)
    free = even.p_mine[is_free]
    least = min(free.min(), 1.0 - free.max()) if free.size else 1.0
    mined, whole = np.zeros(even.board.shape), 0.0
    first: Fraction | None = None
    for board in prior.iter_boards(even.board):
        counted = count_layouts(board)
        if counted is None:
            return replace(even, _is_estimated=True, prior=prior, _even=even)
        n_layouts, p_mine = counted
        first = n_layouts if first is None else first
        share = float(n_layouts / first)
        if share <= _NEGLIGIBLE * least:
            break
        mined += share * p_mine
        whole += share
    p_mine = np.where(is_free, np.clip(mined / whole, math.ulp(0.0), 1.0 - math.ulp(0.5)), even.p_mine)
    p_mine.setflags(write=False)
    return replace(even, p_mine=p_mine, prior=prior, _even=even)


def count_layouts(board: Board) -> tuple[Fraction, NDArray[np.float64]] | None:
    """Count the layouts of a board with a mine count, and find all risks.

    Returns:
        Their number, up to the kernel's rounding, and float64 risks of the board's shape, NaN without a layout; None
        when a cluster is too wide.
    """
    if kernel.load():
        found = kernel.count_models(board)
        if found == NO_MODEL:
            return Fraction(0), np.full(board.shape, np.nan)
        if not isinstance(found, int):
            p_mine, weight = found
            n_layouts = Fraction(weight.fraction) * Fraction(2) ** weight.power
            return n_layouts * math.comb(weight.n_free, weight.n_mines), p_mine.reshape(board.shape)
    try:
        exact = analyse_exactly(board)
    except InconsistentError:
        return Fraction(0), np.full(board.shape, np.nan)
    if exact is None:
        return None
    return Fraction(exact.n_models), exact.p_mine(board.cells.size).reshape(board.shape)


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
    problem = read_problem(board.widened)
    for solution in sat.iter_solutions(problem.constraints, problem.total):
        yield tuple(board.cell_of(index) for index in solution)


def _analyse_cut(board: Board) -> Analysis:
    """Analyse a cut board: what holds whatever lies past its cut sides.

    Raises:
        InconsistentError: no layout agrees with what is seen.
    """
    try:
        return _analyse_evenly(board.widened)._seen_of(board)  # noqa: SLF001 - an analysis of this module
    except InconsistentError as error:
        clue = None if error.clue is None else board.cell_of(board.widened.topology.index(error.clue))
        raise InconsistentError("the numbers contradict each other, whatever lies past the cut sides", clue) from error


_n_cells_seen = 0


def _is_worth_loading(board: Board) -> bool:
    """Whether the kernel is loaded, or enough was analysed without it to load it now."""
    global _n_cells_seen  # noqa: PLW0603 - a count of this process; a lost update between threads does no harm
    if kernel.is_loaded():
        return True
    _n_cells_seen += board.cells.size
    return _n_cells_seen > _CELLS_BEFORE_LOADING


class _CountedParts(NamedTuple):
    """What is known of a position: as in `Analysis`, but row by row."""

    p_mine: NDArray[np.float64]
    proof: NDArray[np.int8]
    seconds: dict[str, float]
    exact: Exact | None = None
    is_estimated: bool = False


def _count(board: Board) -> _CountedParts | None:
    """Count a position by the engine that suits it; None when a cluster is too wide.

    Raises:
        InconsistentError: no layout agrees with the position.
        DisagreementError: the kernel said so, and its twin does not.
    """
    if board.topology.is_large:
        return _count_by_boxes(board)
    if not _is_worth_loading(board):
        exact = analyse_exactly(board, _STATES_BEFORE_LOADING)
        if exact is not None:
            return _counted_exactly(board, exact)
    state_limit = STATE_LIMIT
    if kernel.load():
        found = kernel.analyse(board)
        if not isinstance(found, int):
            return _CountedParts(*found)
        state_limit = _STATES_AFTER_KERNEL[found]
        if found == NO_MODEL:
            _raise_contradiction(board)
    exact = analyse_exactly(board, state_limit)
    return None if exact is None else _counted_exactly(board, exact)


def _counted_exactly(board: Board, exact: Exact) -> _CountedParts:
    n_cells = board.cells.size
    return _CountedParts(exact.p_mine(n_cells), exact.proof(n_cells), dict(exact.seconds), exact)


def _raise_contradiction(board: Board) -> NoReturn:
    """Have the contradiction named that the kernel met."""
    exact = analyse_exactly(board)
    if exact is not None:
        raise DisagreementError(f"the kernel finds no model, its exact twin {exact.n_models}:\n{board}")
    prove(board)
    raise InconsistentError("no layout agrees with the position", None)  # too hard to name a clue


def _analyse_wide(board: Board) -> Analysis:
    """Analyse a position with a cluster too wide to be counted.

    Raises:
        InconsistentError: no layout agrees with the position.
    """
    if board.topology.is_large:
        return _analyse_wide_by_boxes(board)
    return _conclude(board, *_prove_and_count(board, time.perf_counter()))


def _prove_and_count(board: Board, begun_at_s: float) -> tuple[_CountedParts, Board]:
    """Prove what satisfiability can, write it on the board, and count again; return what is known, and that board."""
    proofs = prove(board)
    reduced = proofs.written_on(board)
    seconds = {"sat": time.perf_counter() - begun_at_s}
    known = _count(reduced) or _estimate(reduced)
    known.proof[abs(known.proof) == _TRIVIAL] *= _BY_NUMBERS
    for code, forced in ((_TRIVIAL, proofs.by_rule), (_BY_NUMBERS, proofs.by_numbers)):
        for cell, is_mine in forced.items():
            known.p_mine[cell] = is_mine
            known.proof[cell] = code if is_mine else -code
    for stage, spent in known.seconds.items():
        seconds[stage] = seconds.get(stage, 0.0) + spent
    return known._replace(seconds=seconds), reduced


def _estimate(reduced: Board) -> _CountedParts:
    """Estimate the risks of a position that cannot be counted, and prove what the mine count forces.

    Raises:
        InconsistentError: no layout has that many mines.
    """
    start = time.perf_counter()
    p_mine, varying = estimate(reduced)
    estimated = time.perf_counter()
    p_mine[np.isin(reduced.cells.ravel(), list(MINE_CODES))] = 1.0
    proof = np.zeros(p_mine.size, dtype=np.int8)
    if reduced.mines is not None:
        for cell, is_mine in prove_by_total(reduced, varying).items():
            p_mine[cell] = is_mine
            proof[cell] = _BY_TOTAL if is_mine else -_BY_TOTAL
    seconds = {"estimate": estimated - start, "sat": time.perf_counter() - estimated}
    return _CountedParts(p_mine, proof, seconds, is_estimated=True)


def _conclude(board: Board, known: _CountedParts, reduced: Board) -> Analysis:
    p_mine = known.p_mine.reshape(board.shape)
    p_mine.setflags(write=False)
    analysis = Analysis(
        board, p_mine, _NO_TIME | known.seconds, known.proof, reduced, known.is_estimated, known.exact is not None
    )
    if known.exact is not None:
        analysis.__dict__["_exact"] = known.exact  # the cached property, filled
    return analysis


def _count_by_boxes(board: Board) -> _CountedParts | None:
    """Count a position with thousands of neighbours a cell; None when a cluster is too wide."""
    p_mine, proof, seconds, is_counted = analyse_by_boxes(board, STATE_LIMIT)
    return _CountedParts(p_mine, proof, dict(seconds)) if is_counted else None


def _analyse_wide_by_boxes(board: Board) -> Analysis:
    """Analyse a board with a cluster too wide to be counted: what boxes prove leaves far less to ask about."""
    begun_at_s = time.perf_counter()
    proof = analyse_by_boxes(board, state_limit=0).proof
    codes = np.select([proof < 0, proof > 0], [OPEN_UNKNOWN, KNOWN_MINE], board.cells.ravel())
    given = Board(codes.reshape(board.shape), board.mines, board.wrap)
    known, reduced = _prove_and_count(given, begun_at_s)
    is_by_boxes = proof != 0
    known.proof[is_by_boxes] = proof[is_by_boxes]
    known.p_mine[is_by_boxes] = proof[is_by_boxes] > 0
    return _conclude(board, known, reduced)
