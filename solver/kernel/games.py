"""Calls compiled play: whole games, the choice of a guess, layouts drawn at random, weighted games from a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver.board import CLOSED
from solver.kernel import endgame, engine, listing, requests
from solver.kernel.requests import DONE, FAST, INEXACT, STRONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from solver.topology import Topology

_NO_LAYOUTS = np.empty((1, 0), dtype=np.int8)
_NO_WORTH = np.empty(0)


class Played(NamedTuple):
    """A game played by the base policy.

    Attributes:
        is_won: whether it was won; None when it met a position that the kernel cannot analyse.
        n_proven: how many proven cells were opened, by what proved them: the all/none rule, the numbers together, the
            numbers and the mine count. What a zero opened by itself is not counted.
        risks: float64: of every cell that was opened without a proof the risk, in order; the first one not counted.
        codes: int16, row by row: what the player sees at the end; a mine that was opened is not shown.
    """

    is_won: bool | None
    n_proven: tuple[int, int, int]
    risks: NDArray[np.float64]
    codes: NDArray[np.int16]


class Rated(NamedTuple):
    """The candidates of a guess, the best by the base policy first.

    Attributes:
        cells: of each its flat index.
        risks: float64: its risk.
        values: float64: the chance to survive it and the best click after it; of an ending, to win.
        is_bound: bool: whether the value is but an upper bound, as nothing more was needed to choose another cell.
        chosen: the place of the best one.
        kind: what the values are: one of those in `solver.kernel.requests`.
    """

    cells: list[int]
    risks: NDArray[np.float64]
    values: NDArray[np.float64]
    is_bound: NDArray[np.bool_]
    chosen: int
    kind: int


def play(
    truth: NDArray[np.int16],
    topology: Topology,
    n_mines: int,
    first: int | Sequence[int],
    policy: int = FAST,
    risks: Sequence[float] = (),
) -> Played:
    """Play a game by a policy.

    Args:
        truth: int16, row by row: every cell's number, negative for a mine.
        topology: the shape.
        n_mines: the mines in `truth`.
        first: the cell to open first, as a flat index; or several, of which none but the last is a mine or a zero.
        policy: one of those in `solver.kernel.requests`.
        risks: of those after the first of all.
    """
    begin = [first] if isinstance(first, int) else list(first)
    codes = np.full(truth.size, CLOSED, dtype=np.int16)
    tally = _tally(begin[-1], truth.size - len(begin) + 1)
    plan = _plan(requests.PLAY, policy=policy)
    guessed = np.empty(truth.size)
    codes[begin[:-1]] = truth[begin[:-1]]
    guessed[: len(risks)] = risks
    tally[requests.T_GUESSES] = len(risks)
    ended = _run(topology, n_mines, np.array(truth, dtype=np.int16), codes, tally, guessed, plan)
    by_rule, by_numbers, by_count = tally[requests.T_PROVEN + 1 : requests.T_PROVEN + 4].tolist()
    is_won = {requests.WON: True, requests.LOST: False}.get(ended)
    return Played(is_won, (by_rule, by_numbers, by_count), guessed[: tally[requests.T_GUESSES]], codes)


def prove(
    truth: NDArray[np.int16],
    codes: NDArray[np.int16],
    topology: Topology,
    n_mines: int,
    first: int = -1,
    *,
    is_counting: bool,
) -> bool:
    """Open what is proven safe until nothing is, or nothing is left.

    Args:
        truth: as `play`; writable.
        codes: int16, row by row, what the player sees, without flags; changed in place.
        topology: the shape.
        n_mines: the mines in `truth`.
        first: a safe cell to open before, as a flat index; negative: none.
        is_counting: whether cells are proven by the numbers together and the mine count too, not by the all/none rule
            alone.

    Returns:
        Whether it ended there; False when it met a position that the kernel cannot analyse.
    """
    plan = _plan(requests.PROVE if is_counting else requests.PROVE_BY_RULE)
    tally = _tally(first, int((codes == CLOSED).sum()))
    return _run(topology, n_mines, truth, codes, tally, np.empty(0), plan) in {requests.WON, DONE}


def rate_guesses(codes: NDArray[np.int16], topology: Topology, n_mines: int, exact_steps: int = 0) -> Rated | int:
    """Rate the guesses of a position in which nothing is proven safe.

    Args:
        codes: int16, row by row, what the player sees, without flags.
        topology: the shape.
        n_mines: the mine count.
        exact_steps: above 0, an ending that would be played by a plan is solved exactly too. This is the most steps of
            the search, some 3 million a second; an ending that takes more is left to the lookahead.

    Returns:
        The ratings; or TOO_WIDE, NO_MODEL, NO_SLOT or INEXACT.
    """
    tally = _tally(-1, codes.size)
    plan = _plan(requests.CHOOSE, policy=STRONG, is_full=True)
    if exact_steps:
        plan[requests.P_EXACT], plan[requests.P_STEPS] = listing.MOST_MODELS, exact_steps
    status = _run(topology, n_mines, np.empty_like(codes), codes.copy(), tally, np.empty(0), plan)
    if status != DONE:
        return status
    figures = engine.space_for(topology).figures[:, : tally[requests.T_CANDIDATES]]
    return Rated(
        figures[requests.C_CELL].astype(int).tolist(),
        figures[requests.C_RISK].copy(),
        figures[requests.C_VALUE].copy(),
        figures[requests.C_IS_BOUND] != 0.0,
        int(tally[requests.T_CHOSEN]),
        int(tally[requests.T_KIND]),
    )


def sample_layouts(
    codes: NDArray[np.int16], topology: Topology, n_mines: int, n_layouts: int, seed: int
) -> NDArray[np.int8] | int:
    """Draw layouts at random, of all that agree with a position, each as likely as any other.

    Args:
        codes, topology, n_mines: as `rate_guesses`.
        n_layouts: how many, some 5 microseconds each on an expert board.
        seed: the same one gives the same layouts.

    Returns:
        int8 (layouts, cells), 1 for a mine; or TOO_WIDE, NO_MODEL, NO_SLOT or INEXACT.
    """
    layouts = np.zeros((n_layouts, codes.size), dtype=np.int8)
    plan = _plan(requests.DRAW, seed=seed)
    tally = _tally(-1, codes.size)
    status = _run(topology, n_mines, np.empty_like(codes), codes.copy(), tally, np.empty(0), plan, layouts)
    return layouts if status == DONE else status


def play_rollouts(
    codes: NDArray[np.int16],
    topology: Topology,
    n_mines: int,
    cell: int,
    p_mine: float,
    layouts: NDArray[np.int8],
    games: tuple[int, int],
    *,
    policy: int,
    most_models: int,
    seed: int,
) -> NDArray[np.float64] | int:
    """Play weighted games from a cell on, one from each layout of a range: the chances to win by opening it.

    Args:
        codes, topology, n_mines: as `rate_guesses`.
        cell: the cell to open first, as a flat index.
        p_mine: its risk, below 1.
        layouts: as `sample_layouts` drew them.
        games: the range of the layouts.
        policy: what guesses in these games.
        most_models: an ending of no more models is solved.
        seed: of the layouts drawn on the way.

    Returns:
        float64, one a game; or TOO_WIDE, NO_SLOT or INEXACT.

    Raises:
        ValueError: the cell is a mine for sure.
    """
    if not p_mine < 1.0:
        raise ValueError(f"cell {cell} is a mine for sure: there is nothing to play on from")
    worth = np.empty(len(layouts))
    plan = _plan(requests.ROLL, policy=policy, seed=seed)
    plan[requests.P_CELL], plan[requests.P_MODELS] = cell, min(most_models, listing.MOST_MODELS)
    plan[requests.P_AT], plan[requests.P_TO] = games
    risks, truth = np.array([p_mine]), np.empty_like(codes)
    status = _run(topology, n_mines, truth, codes.copy(), _tally(-1, codes.size), risks, plan, layouts, worth)
    return worth[slice(*games)] if status == requests.WON else status


def _plan(job: int, *, policy: int = FAST, is_full: bool = False, seed: int = 0) -> NDArray[np.int64]:
    plan = np.zeros(requests.N_PLAN, dtype=np.int64)
    plan[requests.P_JOB], plan[requests.P_POLICY], plan[requests.P_SEED] = job, policy, seed
    plan[requests.P_TO], plan[requests.P_IS_FULL] = 1, is_full
    plan[requests.P_MODELS] = 0 if job == requests.PLAY and policy == FAST else listing.MOST_MODELS
    plan[requests.P_EXACT], plan[requests.P_STEPS] = endgame.MOST_EXACT, endgame.MOST_STEPS
    return plan


def _tally(first: int, n_closed: int) -> NDArray[np.int64]:
    tally = np.zeros(requests.N_TALLY, dtype=np.int64)
    tally[requests.T_FIRST], tally[requests.T_CLOSED] = first, n_closed
    return tally


def _run(
    topology: Topology,
    n_mines: int,
    truth: NDArray[np.int16],
    codes: NDArray[np.int16],
    tally: NDArray[np.int64],
    guessed: NDArray[np.float64],
    plan: NDArray[np.int64],
    layouts: NDArray[np.int8] = _NO_LAYOUTS,
    worth: NDArray[np.float64] = _NO_WORTH,
) -> int:
    space = engine.space_for(topology)
    if space.is_large:
        return INEXACT
    given: tuple[NDArray[Any], ...] = (truth, codes, tally, guessed, plan, layouts, worth)
    return space.play(*given, n_mines=n_mines, n_cells=codes.size)
