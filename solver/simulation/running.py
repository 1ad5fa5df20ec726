"""Many games: one after the other, on all processors of a machine, or on a cluster. The same games everywhere.

Games are independent, and a board follows from its seed: workers are sent the seeds, not the boards. What they return
is passed on in the order of the boards, so that sums come out the same whoever played.
"""

from __future__ import annotations

import os
import platform
import time
import warnings
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from solver import kernel
from solver.errors import BackendError
from solver.simulation.lifeline import hold, lifeline
from solver.simulation.playing import play_game
from solver.strategy import FAST, policy_named

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from solver.simulation.deals import Deals
    from solver.simulation.playing import PlayedGame

_PILOT_S = 0.3
"""So long games are played here before workers are asked: few short games are done by then, and the time they took says
how many of them are worth a message. One at least is."""
_CHUNK_S = 0.5
_MOST_A_CHUNK = 2_000
_CHUNKS_AHEAD = 4
"""So many chunks for each worker are with a cluster at a time."""
_NO_SHARED_ARRAYS = {"max_nbytes": None, "temp_folder": os.sep}
"""joblib's folder for arrays in files is never made, as there are none; but it tells another process the folder's name,
and fails where that is not in ASCII. The usual one is in the user's folder on Windows, and named like the user."""


class Backend(Protocol):
    """Who plays."""

    def map_chunks(self, chunks: Iterable[Deals], policy: str) -> Generator[list[PlayedGame]]:
        """Play chunks of boards; yield their games in the order of the chunks."""


def iter_games(deals: Deals, policy: str, backend: Backend | None = None) -> Iterator[PlayedGame]:
    """Play every board by a policy of this name, lazily, in order.

    Args:
        deals: the boards.
        policy: see `solver.strategy.policy_named`.
        backend: who plays; None: this thread.

    Raises:
        BoardValueError: there is no such policy.
        BackendError: the backend is not to be had.
    """
    chosen = policy_named(policy)
    begun_at_s = time.perf_counter()
    place = 0
    while place < len(deals) and (backend is None or not place or time.perf_counter() - begun_at_s < _PILOT_S):
        deal = deals[place]
        yield play_game(deal.layout, deal.first_cell, chosen)
        place += 1
    if backend is None or place == len(deals):
        return
    per_game_s = (time.perf_counter() - begun_at_s) / place
    size = max(1, min(int(_CHUNK_S / per_game_s), _MOST_A_CHUNK))
    chunks = (deals.part(start, min(start + size, len(deals))) for start in range(place, len(deals), size))
    with closing(backend.map_chunks(chunks, policy)) as played:
        for games in played:
            yield from games


def play_chunk(deals: Deals, policy: str) -> list[PlayedGame]:
    """Play every board; what a worker does.

    Raises:
        BackendError: the policy needs the compiled kernel, and there is none here.
    """
    if policy_named(policy) is not FAST and not kernel.load():
        raise BackendError(
            f"policy {policy} needs the solver's compiled kernel, and the worker on {platform.node() or 'a machine'} "
            "has none: run `python -m solver.kernel` there"
        )
    return list(iter_games(deals, policy))


@dataclass(frozen=True)
class Loky:
    """Processes on this machine, by joblib; they end with this one.

    Attributes:
        jobs: how many; -1: one a processor.
    """

    jobs: int

    def map_chunks(self, chunks: Iterable[Deals], policy: str) -> Generator[list[PlayedGame]]:
        """Play chunks of boards; yield their games in the order of the chunks."""
        joblib = import_module("joblib")
        lives = {"initializer": hold, "initargs": (lifeline(),)}
        parallel = joblib.Parallel(
            n_jobs=self.jobs, backend="loky", return_as="generator", **_NO_SHARED_ARRAYS, **lives
        )
        games = parallel(joblib.delayed(play_chunk)(chunk, policy) for chunk in chunks)
        try:
            for chunk in games:  # noqa: UP028 - "yield from" would close them before their warning is silenced
                yield chunk
        finally:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", category=UserWarning)  # of games that nobody wants any more
                games.close()


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster; minebot has to be installed there.

    Attributes:
        scheduler: its address, such as tcp://10.0.0.1:8786.
    """

    scheduler: str
    patience_s: float = 10.0

    def map_chunks(self, chunks: Iterable[Deals], policy: str) -> Generator[list[PlayedGame]]:
        """Play chunks of boards; yield their games in the order of the chunks.

        Raises:
            BackendError: no scheduler answers, it has no workers, or Dask is not installed.
        """
        try:
            distributed: Any = import_module("distributed")
        except ImportError as error:
            raise BackendError(
                "the package distributed is missing: install minebot with its extra, minebot[cluster]"
            ) from error
        try:
            client = distributed.Client(self.scheduler, timeout=self.patience_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BackendError(f"no Dask scheduler answers at {self.scheduler} ({error})") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=self.patience_s)
            except TimeoutError as error:
                raise BackendError(f"the Dask scheduler at {self.scheduler} has no workers") from error
            n_ahead = _CHUNKS_AHEAD * max(1, sum(client.nthreads().values()))
            asked: deque[Any] = deque()
            for chunk in chunks:
                asked.append(client.submit(play_chunk, chunk, policy, pure=False))
                if len(asked) >= n_ahead:
                    yield asked.popleft().result()
            while asked:
                yield asked.popleft().result()
