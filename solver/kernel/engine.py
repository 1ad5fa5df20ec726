"""Calls the compiled kernel: loads it, and keeps the working space that it is given.

Each thread has working space of its own for each topology, which grows when a position needs more. Importing this
module imports neither numba nor compiled code; `load` does. Where the kernel cannot be had (numba is missing, or nobody
compiled it yet), the solver works without it, slower, and that is said once.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver.board import CLOSED
from solver.kernel import workspace
from solver.kernel.workspace import (
    CALL_AGAIN,
    CHOOSE,
    DONE,
    FAST,
    FULL_ARENAS,
    INEXACT,
    LOST,
    MOST_EXACT,
    MOST_MODELS,
    MOST_STEPS,
    NO_MODEL,
    PLAY,
    PROVE,
    PROVE_BY_RULE,
    ROLLOUT,
    SAMPLE,
    STRONG,
    TOO_WIDE,
    WON,
    Sizes,
    Workspace,
    addresses,
    in_plain_floats,
    make_parts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from solver.board import Board
    from solver.kernel.workspace import Record
    from solver.topology import Topology

_log = logging.getLogger(__name__)
_ROOT = str(Path(__file__).parents[2])  # the folder that the package `solver` is in

_STATE_LIMIT = 1_000_000  # the most states a cluster may have
_MOST_VALUES = 1 << 24
"""The most terms of polynomials: 270 MB, of wide numbers 540. Lattices of seven and eight rows need 4 million, as 0.2 s
of work."""
_FEWEST_VALUES = 1 << 14
_FEWEST_SUMS = 1 << 12
_GROWTH = 4
"""How many times as large a working space becomes that was full. What was counted until then is counted again, which
costs a third of all the work. What is not used yet of a large space is not yet taken from the system either."""
_KEPT_VALUES = 1 << 20  # a space that grew beyond this is not kept for the next position
_MOST_SPACES = 4  # topologies a thread keeps working space for
_NO_LAYOUTS = np.empty((1, 0), dtype=np.int8)
_NO_WORTH = np.empty(0)


# ---------------------------------------------------------------- loading


class _Compiled(NamedTuple):
    """The entries of the compiled kernel."""

    deduce_all: Callable[..., int]
    count_all: Callable[..., int]
    play: Callable[..., int]
    mcmc_walk: Callable[..., None]


_lock = threading.Lock()
_compiled: _Compiled | None = None
_is_tried = False


def is_loaded() -> bool:
    """Whether there is nothing to be gained from `load`: it was called before, with or without success."""
    return _is_tried


def load() -> bool:
    """Load the compiled kernel (0.5 s), unless that was done or failed before; return whether it is there.

    Never compiles: that takes a minute. Says once in the log when the solver has to work without.
    """
    global _compiled, _is_tried  # noqa: PLW0603 - the kernel of this process
    if not _is_tried:
        with _lock:
            if not _is_tried:
                _compiled = _load()
                _is_tried = True
    return _compiled is not None


def _load() -> _Compiled | None:
    try:
        if not is_compiled():
            _log.warning(
                "the solver's kernel is not compiled yet, so the solver is slow; `%s -m solver.kernel` compiles it",
                sys.executable,
            )
            return None
        return _import_entries()
    except Exception as error:  # noqa: BLE001 - whatever keeps a compiler from working, the solver works without
        _log.warning("the solver works without its compiled kernel, slowly: %s: %s", type(error).__name__, error)
        return None


def _import_entries() -> _Compiled:
    """Import what is compiled, or loaded from the cache, when it is imported."""
    pipeline = import_module("solver.kernel.pipeline")
    playing = import_module("solver.kernel.playing")
    sampling = import_module("solver.kernel.sampling")
    return _Compiled(pipeline.deduce_all, pipeline.count_all, playing.play, sampling.mcmc_walk)


def is_compiled() -> bool:
    """Whether `load` finds the kernel compiled.

    Raises:
        ImportError: numba is missing.
    """
    return bool(import_module("solver.kernel.compiler").is_ready())


def compile_now() -> None:
    """Compile the kernel, unless that was done, and keep it for every process to come; about a minute.

    `load` finds it then, also in this process. Another process compiles, because a compiler must not be interrupted:
    when Ctrl-C falls into a call of LLVM, llvmlite does not note that a module was handed on. It frees the module
    twice, and the process crashes.

    Raises:
        ImportError: numba is missing.
        RuntimeError: it cannot be compiled, such as where the cache folder cannot be written.
    """
    global _is_tried  # noqa: PLW0603 - the kernel of this process
    if not is_compiled():
        _compile_elsewhere()
    with _lock:
        _is_tried = _compiled is not None


def _compile_elsewhere() -> None:
    do = (
        f"import sys; sys.path.append({_ROOT!r}); from solver.kernel.__main__ import main; "
        "sys.exit(main(is_child=True))"
    )
    with subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, "-P", "-c", do],
        stdin=subprocess.PIPE,  # it ends as soon as that is closed: with this process, or when this is interrupted
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C in the terminal is for us
    ) as compiler:
        assert compiler.stderr is not None, "it is a pipe"
        lines = compiler.stderr.read().strip().splitlines()
        exit_code = compiler.wait()
    if exit_code != 0:
        raise RuntimeError(lines[-1] if lines else f"the compiler ended with {exit_code}")


def compile_here() -> None:
    """Compile the kernel in this process, which is not to be interrupted.

    Raises:
        ImportError: numba is missing.
        OSError: the cache folder cannot be written.
    """
    compiler = import_module("solver.kernel.compiler")
    compiler.cache_folder().mkdir(parents=True, exist_ok=True)
    _import_entries()
    compiler.mark_ready()


# ---------------------------------------------------------------- working space


class Space:
    """Working space for the boards of one topology; see `solver.kernel.workspace`."""

    def __init__(self, topology: Topology) -> None:
        self.is_large = topology.is_large
        if self.is_large:
            return
        start, near = topology.neighbour_table
        degree = int(np.diff(start).max(initial=0))
        self.sizes = Sizes(topology.n_cells, near.size, degree, _FEWEST_VALUES, _FEWEST_SUMS)
        self.is_wide = False
        self.place(make_parts(Workspace, self.sizes.sides()))
        work = self.parts.work
        work.position.near.start[:], work.position.near.cell[:] = start, near
        work.layers.choose[:] = _binomials(degree)
        work.supercells.con_key[:] = np.random.default_rng(1).integers(1 << 62, size=topology.n_cells, dtype=np.int64)

    def place(self, parts: Workspace) -> None:
        """Work in these arrays from now on."""
        self.parts = parts
        self.tables = [np.array(addresses(each), dtype=np.int64) for each in (in_plain_floats(parts), parts)]

    def grow(self, status: int) -> bool:
        """Make what was full larger; return whether that is allowed."""
        full = "n_ways" if status == FULL_ARENAS else "n_sums"
        larger = _GROWTH * getattr(self.sizes, full)
        if larger > _MOST_VALUES:
            return False
        self.sizes = self.sizes._replace(**{full: larger})
        self.place(make_parts(Workspace, self.sizes.sides(), self.parts))
        return True

    def call(self, function: Callable[..., int], *given: Any) -> int:
        """Call a function of the kernel; where a working space is too small, enlarge it and call again.

        Where plain floats do not suffice, wide numbers do.

        Args:
            function: a compiled entry.
            given: its arguments before the working space.
        """
        self.is_wide = False
        while True:
            status = function(*given, self.tables[self.is_wide])
            if status not in CALL_AGAIN:
                return status
            if status == INEXACT:
                self.is_wide = True
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


def _space_for(topology: Topology) -> Space:
    """The working space of this thread for a topology."""
    spaces: dict[Topology, Space] = _local.__dict__.setdefault("spaces", {})
    space = spaces.get(topology)
    if space is not None and not space.is_large and space.sizes.n_ways > _KEPT_VALUES:
        del spaces[topology]
        space = None
    if space is None:
        if len(spaces) >= _MOST_SPACES:
            del spaces[next(iter(spaces))]
        space = spaces[topology] = Space(topology)
    return space


# ---------------------------------------------------------------- analyses


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


def analyse(board: Board, state_limit: int = _STATE_LIMIT) -> Found | int:
    """Analyse a position by the loaded kernel; return what was found, or TOO_WIDE, NO_MODEL, NO_SLOT or INEXACT."""
    assert _compiled is not None, "the caller has loaded it"
    space = _space_for(board.topology)
    if space.is_large:
        return INEXACT
    start = time.perf_counter()
    codes = board.cells.ravel()
    work = space.parts.work
    work.summary["n_mines"] = -1 if board.mines is None else board.mines
    work.summary["state_limit"] = state_limit
    status = _compiled.deduce_all(codes, space.tables[0])
    if status == NO_MODEL:
        return NO_MODEL
    deduced = time.perf_counter()
    status = space.call(_compiled.count_all)
    if status != DONE:
        return status
    seconds = {"trivial": deduced - start, "count": time.perf_counter() - deduced}
    return Found(work.p_mine.copy(), work.proof.copy(), seconds)  # arrays that keep their size keep their place


def count_models(board: Board) -> tuple[NDArray[np.float64], Weight] | int:
    """Count the models of a board with a mine count.

    Returns:
        The risks, as in `Found`, and the number of models; or TOO_WIDE, NO_MODEL, NO_SLOT or INEXACT.
    """
    assert board.mines is not None, "the caller has checked"
    found = analyse(board)
    if isinstance(found, int):
        return found
    summary = _local.spaces[board.topology].parts.work.summary  # of the space just used
    fraction, power = float(summary["total"]), int(summary["power"])
    weight = Weight(fraction, power, int(summary["n_uncharted"]), int(summary["n_uncharted_mines"]))
    return found.p_mine, weight


class Walked(NamedTuple):
    """What walks through the models of a formula have met; see `solver.kernel.sampling.mcmc_walk`.

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
    assert _compiled is not None, "the caller has loaded it"
    n_cells = models.shape[1]
    con_start, con_cell = _flat(constraints)
    over: list[list[int]] = [[] for _ in range(n_cells)]
    for j, cells in enumerate(constraints):
        for cell in cells:
            over[cell].append(j)
    cell_start, cell_con = _flat(over)
    walked = Walked(np.zeros(n_cells), np.zeros(n_cells), np.zeros(n_cells + 1), np.zeros(n_cells, dtype=np.int8))
    for seed, model in enumerate(models):
        _compiled.mcmc_walk(
            con_start,
            con_cell,
            cell_start,
            cell_con,
            log_weight,
            seed,
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


# ---------------------------------------------------------------- play


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
        kind: what the values are: one of those in `solver.kernel.workspace`.
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
        policy: one of those in `solver.kernel.workspace`.
        risks: of those after the first of all.
    """
    begin = [first] if isinstance(first, int) else list(first)
    codes = np.full(truth.size, CLOSED, dtype=np.int16)
    counters = _counters(begin[-1], truth.size - len(begin) + 1)
    request = _request(PLAY, policy=policy)
    if policy == FAST:
        request["most_models"] = 0
    guessed = np.empty(truth.size)
    codes[begin[:-1]] = truth[begin[:-1]]
    guessed[: len(risks)] = risks
    counters["n_guesses"] = len(risks)
    ended = _play(topology, n_mines, np.array(truth, dtype=np.int16), codes, counters, guessed, request)
    done = counters[0]
    _, by_rule, by_numbers, by_count = done["n_proven"].tolist()
    is_won = {WON: True, LOST: False}.get(ended)
    return Played(is_won, (by_rule, by_numbers, by_count), guessed[: done["n_guesses"]], codes)


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
    request = _request(PROVE if is_counting else PROVE_BY_RULE)
    counters = _counters(first, int((codes == CLOSED).sum()))
    return _play(topology, n_mines, truth, codes, counters, _NO_WORTH, request) in {WON, DONE}


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
    request = _request(CHOOSE, policy=STRONG)
    request["is_full"] = 1
    if exact_steps:
        request["most_exact"], request["most_steps"] = MOST_MODELS, exact_steps
    counters = _counters(-1, codes.size)
    status = _play(topology, n_mines, np.empty_like(codes), codes.copy(), counters, _NO_WORTH, request)
    if status != DONE:
        return status
    done = counters[0]
    listed = (row[: done["n_candidates"]] for row in _local.spaces[topology].parts.candidates)
    candidates = workspace.Candidates(*listed)
    return Rated(
        candidates.cell.astype(int).tolist(),
        candidates.risk.copy(),
        candidates.value.copy(),
        candidates.is_bound != 0.0,
        int(done["chosen"]),
        int(done["kind"]),
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
    request, counters = _request(SAMPLE, seed=seed), _counters(-1, codes.size)
    status = _play(topology, n_mines, np.empty_like(codes), codes.copy(), counters, _NO_WORTH, request, layouts)
    return layouts if status == DONE else status


def play_rollouts(  # noqa: PLR0913 - all of them are plain values
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
    request = _request(ROLLOUT, policy=policy, seed=seed)
    request["cell"], request["most_models"] = cell, min(most_models, MOST_MODELS)
    request["next_game"], request["end_game"] = games
    risks, counters = np.array([p_mine]), _counters(-1, codes.size)
    status = _play(topology, n_mines, np.empty_like(codes), codes.copy(), counters, risks, request, layouts, worth)
    return worth[slice(*games)] if status == WON else status


def _request(job: int, *, policy: int = FAST, seed: int = 0) -> Record:
    request = np.zeros(1, dtype=workspace.REQUEST)
    request["job"], request["policy"], request["seed"] = job, policy, seed
    request["end_game"] = 1
    request["most_models"], request["most_exact"], request["most_steps"] = MOST_MODELS, MOST_EXACT, MOST_STEPS
    return request


def _counters(first: int, n_closed: int) -> Record:
    counters = np.zeros(1, dtype=workspace.COUNTERS)
    counters["first"], counters["n_closed"] = first, n_closed
    return counters


def _play(  # noqa: PLR0913, PLR0917 - those of the compiled entry
    topology: Topology,
    n_mines: int,
    truth: NDArray[np.int16],
    codes: NDArray[np.int16],
    counters: Record,
    guessed: NDArray[np.float64],
    request: Record,
    layouts: NDArray[np.int8] = _NO_LAYOUTS,
    worth: NDArray[np.float64] = _NO_WORTH,
) -> int:
    """Do a job of `solver.kernel.playing.play`."""
    assert _compiled is not None, "the caller has loaded it"
    space = _space_for(topology)
    if space.is_large:
        return INEXACT
    summary = space.parts.work.summary
    summary["n_mines"], summary["state_limit"] = n_mines, _STATE_LIMIT
    return space.call(_compiled.play, truth, codes, counters, guessed, request, layouts, worth)
