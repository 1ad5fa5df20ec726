"""Many games: one after the other, on all processors of a machine, or on a cluster. The same games everywhere.

Games are independent, and a board follows from its seed: workers are sent the seeds, not the boards. What they return
is passed on in the order of the boards, so that sums come out the same whoever played.

Worker processes that end with the process they work for, however that ends.

joblib's workers wait for more to do for five minutes where nobody told them to end, as when their parent was killed.
A connection tells on every system: the parent's end of it is closed with the parent.

A file of the games of a run, so that an interrupted run can be taken up again.

JSON lines. The first says which run it is; then a line for every game, in the order of the boards, handed to the system
as soon as it is played. What an interruption cut off at the end is dropped.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import stat
import threading
import time
import warnings
from collections import deque
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing.connection import Client, Connection, Listener
from typing import IO, TYPE_CHECKING, Any, Protocol, Self

from solver import kernel
from solver.errors import BackendError, RunFileError
from solver.simulation.playing import PlayedGame, play_game
from solver.strategy import policy_named

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

    from solver.simulation.deals import Deals


@cache
def _worker_guard() -> str:
    """The address that workers of this process are to `_hold`."""
    listener = Listener()
    threading.Thread(target=_accept, args=[listener], daemon=True).start()
    return str(listener.address)


def _hold(address: str) -> None:
    """Have this process end when the one with this worker_guard does; once is enough.

    Raises:
        OSError: it has ended already.
    """
    threading.Thread(target=_end_with, args=[Client(address)], daemon=True).start()


def _accept(listener: Listener) -> None:
    """Take in whoever holds on, and never let go."""
    held = []
    while True:
        held.append(listener.accept())


def _end_with(connection: Connection) -> None:
    with suppress(EOFError, OSError):
        connection.recv_bytes()
    os._exit(1)  # not by an exception: the main thread may be in the middle of a game, or wait for more to do


_RUN = "run"
_MOST_BYTES = 2**28  # most bytes of a file: a million games of Expert


class RunFile:
    """The games of one run in a file: those it holds already, and those that are added.

    Args:
        path: the file; made when it is not there.
        run: says which run it is, as JSON.

    Attributes:
        games: those that the file held already, the first boards' ones.

    Raises:
        RunFileError: it cannot be read or written, is no such file, or that of another run; says what differs.
    """

    def __init__(self, path: Path, run: dict[str, Any]) -> None:
        self.path = path
        self.games: list[PlayedGame] = []
        try:
            self._file = path.open("r+b" if path.exists() else "x+b")
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._take_up(run)
        except BaseException:
            self._file.close()
            raise

    def add(self, seed: int, game: PlayedGame) -> None:
        """Add the game of the next board.

        Raises:
            RunFileError: it cannot be written.
        """
        self._write({"seed": seed} | game.as_json())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    _file: IO[bytes]

    def _take_up(self, run: dict[str, Any]) -> None:
        try:
            status = os.fstat(self._file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise RunFileError(f"{self.path}: expected a file to keep games in, got a device, a pipe or a socket")
            if status.st_size > _MOST_BYTES:
                raise RunFileError(f"{self.path}: holds more than {_MOST_BYTES:,} bytes: expected a run of games")
            content = self._file.read()
        except OSError as error:
            raise self._failure(error) from error
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if number == 1:
                    self._check_run(entry[_RUN], run)
                else:
                    self.games.append(PlayedGame.of_json(entry))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
                if number == 1:
                    raise self._no_run() from error
                raise RunFileError(f"{self.path}: line {number} is not of a run of games ({error!r})") from error
        if not lines and content and not json.dumps({_RUN: run}).encode().startswith(content):
            raise self._no_run()
        self._file.seek(len(whole))
        self._file.truncate()
        if not lines:
            self._write({_RUN: run})

    def _check_run(self, held: dict[str, Any], run: dict[str, Any]) -> None:
        differing = [
            f"{name} is {json.dumps(held.get(name))} there and {json.dumps(run.get(name))} here"
            for name in {**held, **run}
            if held.get(name) != run.get(name)
        ]
        if differing:
            raise RunFileError(f"{self.path}: holds another run: {', '.join(differing)}")

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(entry).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._failure(error) from error

    def _no_run(self) -> RunFileError:
        return RunFileError(f"{self.path}: holds something else than a run of games: name another file")

    def _failure(self, error: OSError) -> RunFileError:
        return RunFileError(f"{self.path}: cannot be read or written ({error.strerror})")


_PILOT_S = 0.3
"""Seconds of games played here before workers are asked: a few short games are done by then, and the time they took
says how many of them are worth a message. One at least is."""
_CHUNK_S = 0.5
"""Seconds of games in a message. Dask takes some 4 ms for one, however small."""
_MOST_A_CHUNK = 2_000
_MOST_GROWTH = 10  # how many times as large as the last one a chunk may be: times of a few short games tell little
_CHUNKS_AHEAD = 4  # chunks for each worker that a cluster has at a time
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
        yield play_game(deal.layout, deal.first_cell, chosen, rule=deal.rule)
        place += 1
    if backend is None or place == len(deals):
        return
    chunks = _Chunks(deals, place, (time.perf_counter() - begun_at_s) / place)
    with closing(backend.map_chunks(chunks, policy)) as played:
        for games in played:
            chunks.learn(games)
            yield from games


class _Chunks:
    """Boards in chunks of some `_CHUNK_S` each, by what the games that came back took.

    The first games alone would not tell: loading the kernel may be among them, and then every message had one game.

    Args:
        deals: the boards.
        start: where the first chunk begins.
        per_game_s: what a game takes, as far as is known yet.
    """

    def __init__(self, deals: Deals, start: int, per_game_s: float) -> None:
        self._deals = deals
        self._start = start
        self._size = _fitting(per_game_s)

    def __iter__(self) -> Iterator[Deals]:
        while self._start < len(self._deals):
            start = self._start
            self._start = min(start + self._size, len(self._deals))
            yield self._deals.part(start, self._start)

    def learn(self, games: list[PlayedGame]) -> None:
        """Make the chunks to come as large as fits what these games took."""
        per_game_s = sum(game.cpu_s for game in games) / len(games)
        self._size = min(_fitting(per_game_s), _MOST_GROWTH * self._size)


def _fitting(per_game_s: float) -> int:
    """How many games fill a chunk."""
    return max(1, int(min(_CHUNK_S / max(per_game_s, 1e-9), _MOST_A_CHUNK)))


def _play_chunk(deals: Deals, policy: str) -> list[PlayedGame]:
    """Play every board; what a worker does.

    Raises:
        BackendError: the policy needs the compiled kernel, and there is none here.
    """
    if policy_named(policy).needs_kernel and not kernel.load():
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
        lives = {"initializer": _hold, "initargs": (_worker_guard(),)}
        parallel = joblib.Parallel(
            n_jobs=self.jobs, backend="loky", return_as="generator", **_NO_SHARED_ARRAYS, **lives
        )
        games = parallel(joblib.delayed(_play_chunk)(chunk, policy) for chunk in chunks)
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
            BackendError: no scheduler answers, or none any more; it has no workers, they die of the games, or know
                nothing of minebot; or Dask is not installed here.
        """
        try:
            distributed: Any = import_module("distributed")
        except ImportError as error:
            raise BackendError(
                "the package distributed is missing: install minebot with its extra, minebot[cluster]"
            ) from error
        with _without_its_log(), self._connected(distributed) as client:
            self._wait_for_workers(client)
            n_ahead = _CHUNKS_AHEAD * max(1, sum(client.nthreads().values()))
            asked: deque[Any] = deque()
            for chunk in chunks:
                asked.append(client.submit(_play_chunk, chunk, policy, pure=False))
                if len(asked) >= n_ahead:
                    yield self._result(asked.popleft(), client)
            while asked:
                yield self._result(asked.popleft(), client)

    @contextmanager
    def _connected(self, distributed: Any) -> Iterator[Any]:
        """A client of the scheduler while the block runs; what its libraries raise in there is put into words."""
        # A connection that breaks cancels all that was asked for; what is asked after that finds the client closed.
        cancelled, broken = distributed.client.CancelledError, distributed.comm.CommClosedError
        closed = getattr(distributed.client, "ClosedClientError", broken)  # of newer versions
        lost: tuple[type[Exception], ...] = (cancelled, broken, closed)
        try:
            client = distributed.Client(self.scheduler, timeout=self.patience_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BackendError(f"no Dask scheduler answers at {self.scheduler} ({error})") from error
        try:
            with client:
                yield client
        except distributed.scheduler.KilledWorker as error:
            raise BackendError(
                f"workers of the Dask scheduler at {self.scheduler} died one after the other over the same games, the "
                f"last at {error.last_worker.address}: its log may say why, often too little memory"
            ) from error
        except lost as error:
            raise BackendError(
                f"the Dask scheduler at {self.scheduler} was lost in the middle: start it again, and then the games"
            ) from error
        except (ImportError, RuntimeError) as error:
            missing = error if isinstance(error, ImportError) else error.__cause__  # on a worker, on the scheduler
            if not isinstance(missing, ImportError):
                raise
            raise BackendError(
                f"minebot is not installed where the Dask cluster at {self.scheduler} runs, or in another version "
                f"({missing})"
            ) from error

    def _wait_for_workers(self, client: Any) -> None:
        try:
            client.wait_for_workers(1, timeout=self.patience_s)
        except TimeoutError as error:
            raise BackendError(f"the Dask scheduler at {self.scheduler} has no workers") from error

    def _result(self, future: Any, client: Any) -> list[PlayedGame]:
        """The games of a chunk, as soon as they are there; nobody waits for workers that are gone."""
        while True:
            try:
                games: list[PlayedGame] = future.result(timeout=self.patience_s)
            except TimeoutError:
                self._wait_for_workers(client)
            else:
                return games


@contextmanager
def _without_its_log() -> Iterator[None]:
    """Keep Dask from printing tracebacks while the block runs: what goes wrong is raised."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    logs = [log for log in map(logging.getLogger, names) if not log.disabled]  # each has a level of its own
    for log in logs:
        log.disabled = True
    try:
        yield
    finally:
        for log in logs:
            log.disabled = False
