"""The compiled kernel: the whole analysis of a position in some 20 microseconds, in floating point.

`engine` calls it, `pipeline` shows it from top to bottom, `compiler` says how it is compiled and where it is kept.
Importing this package imports neither numba nor the kernel; `load` does. Where the kernel cannot be had (numba is
missing, or nobody compiled it yet), the solver works without it, slower, and that is said once.

Sums are of non-negative terms only, so a risk of 0 or 1 is exact; all others are within 1e-13 of the truth or so,
relatively, on boards of any size. What is too wide to be counted is refused, never approximated; `sample_models`
estimates it.
"""

from __future__ import annotations

import logging
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

from solver.kernel.requests import FAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from solver.board import Board
    from solver.kernel.engine import Found, Walked, Weight
    from solver.kernel.games import Played, Rated
    from solver.topology import Topology

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_games: Any = None
_engine: Any = None
_is_tried = False


def is_loaded() -> bool:
    """Whether there is nothing to be gained from `load`: it was called before, with or without success."""
    return _is_tried


def load() -> bool:
    """Load the compiled kernel (0.5 s), unless that was done or failed before; return whether it is there.

    Never compiles: that takes a minute. Says once in the log when the solver has to work without.
    """
    global _games, _engine, _is_tried  # noqa: PLW0603 - the kernel of this process
    if not _is_tried:
        with _lock:
            if not _is_tried:
                _games = _load()
                _engine = _games and _games.engine
                _is_tried = True
    return _engine is not None


def _load() -> Any:
    try:
        compiler = import_module("solver.kernel.compiler")
        if not compiler.is_ready():
            _log.warning(
                "the solver's kernel is not compiled yet, so the solver is slow; `%s -m solver.kernel` compiles it",
                sys.executable,
            )
            return None
        return import_module("solver.kernel.games")
    except Exception as error:  # noqa: BLE001 - whatever keeps a compiler from working, the solver works without
        _log.warning("the solver works without its compiled kernel, slowly: %s: %s", type(error).__name__, error)
        return None


def is_compiled() -> bool:
    """Whether `load` finds the kernel compiled.

    Raises:
        ImportError: numba is missing.
    """
    return bool(import_module("solver.kernel.compiler").is_ready())


def compile_now() -> None:
    """Compile the kernel and keep it for every process to come; about a minute.

    Raises:
        ImportError: numba is missing.
        OSError: the cache folder cannot be written.
    """
    compiler = import_module("solver.kernel.compiler")
    folder = compiler.cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    import_module("solver.kernel.games")
    compiler.mark_ready()


def analyse(board: Board) -> Found | int:
    """Analyse a position by the loaded kernel; see `solver.kernel.engine.analyse`."""
    found: Found | int = _engine.analyse(board.cells.ravel(), board.topology, board.mines)
    return found


def count_models(board: Board) -> Weight | int:
    """Count the models of a board with a mine count by the loaded kernel; see `solver.kernel.engine.weigh`."""
    assert board.mines is not None, "the caller has checked"
    weight: Weight | int = _engine.count_models(board.cells.ravel(), board.topology, board.mines)
    return weight


def play(
    truth: NDArray[np.int16],
    topology: Topology,
    n_mines: int,
    first: int | Sequence[int],
    policy: int = FAST,
    risks: Sequence[float] = (),
) -> Played:
    """Play a game by the loaded kernel; see `solver.kernel.games.play`."""
    played: Played = _games.play(truth, topology, n_mines, first, policy, risks)
    return played


def prove(
    truth: NDArray[np.int16],
    codes: NDArray[np.int16],
    topology: Topology,
    n_mines: int,
    first: int = -1,
    *,
    is_counting: bool,
) -> bool:
    """Open what is proven, in place, by the loaded kernel; see `solver.kernel.games.prove`."""
    is_done: bool = _games.prove(truth, codes, topology, n_mines, first, is_counting=is_counting)
    return is_done


def rate_guesses(codes: NDArray[np.int16], topology: Topology, n_mines: int, exact_steps: int = 0) -> Rated | int:
    """Rate the guesses of a position by the loaded kernel; see `solver.kernel.games.rate`."""
    rated: Rated | int = _games.rate_guesses(codes, topology, n_mines, exact_steps)
    return rated


def sample_layouts(
    codes: NDArray[np.int16], topology: Topology, n_mines: int, n_layouts: int, seed: int
) -> NDArray[np.int8] | int:
    """Draw layouts that agree with a position by the loaded kernel; see `solver.kernel.games.draw`."""
    layouts: NDArray[np.int8] | int = _games.sample_layouts(codes, topology, n_mines, n_layouts, seed)
    return layouts


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
    """Play weighted games from a cell on by the loaded kernel; see `solver.kernel.games.roll`."""
    worth: NDArray[np.float64] | int = _games.play_rollouts(
        codes, topology, n_mines, cell, p_mine, layouts, games, policy=policy, most_models=most_models, seed=seed
    )
    return worth


def sample_models(
    constraints: Sequence[Sequence[int]], models: NDArray[np.int8], log_weight: NDArray[np.float64], n_nodes: int
) -> Walked:
    """Walk through the models of constraints by the loaded kernel; see `solver.kernel.engine.walk`."""
    walked: Walked = _engine.sample_models(constraints, models, log_weight, n_nodes)
    return walked
