"""A file of the games of a run, so that an interrupted run can be taken up again.

JSON lines. The first says which run it is; then a line for every game, in the order of the boards, handed to the system
as soon as it is played. What an interruption cut off at the end is dropped.
"""

from __future__ import annotations

import json
import math
import os
import stat
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, Self

from solver.errors import RunFileError
from solver.simulation.playing import Guessed, MoveCounts, PlayedGame

if TYPE_CHECKING:
    from pathlib import Path

_RUN = "run"
_MOST_BYTES = 2**28
"""A million games of Expert take as many."""


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
        self._write({"seed": seed} | _game_as_json(game))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    _file: IO[bytes]

    def _take_up(self, run: dict[str, Any]) -> None:
        try:
            if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                raise RunFileError(f"{self.path}: expected a file to keep games in, got a device, a pipe or a socket")
            content = self._file.read(_MOST_BYTES + 1)
        except OSError as error:
            raise self._failure(error) from error
        if len(content) > _MOST_BYTES:
            raise RunFileError(f"{self.path}: holds more than {_MOST_BYTES:,} bytes: expected a run of games")
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if number == 1:
                    self._check_run(entry[_RUN], run)
                else:
                    self.games.append(_game_of_json(entry))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
                raise RunFileError(f"{self.path}: line {number} is not of a run of games ({error!r})") from error
        if not lines and content and not json.dumps({_RUN: run}).encode().startswith(content):
            raise RunFileError(f"{self.path}: holds something else than a run of games")
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

    def _failure(self, error: OSError) -> RunFileError:
        return RunFileError(f"{self.path}: cannot be read or written ({error.strerror})")


def _game_as_json(game: PlayedGame) -> dict[str, Any]:
    guesses = [[None if math.isnan(p_mine) else p_mine, was_mine] for p_mine, was_mine in game.guesses]
    return {"won": game.is_won, "guesses": guesses, "moves": asdict(game.moves), "cpu_s": game.cpu_s}


def _game_of_json(entry: dict[str, Any]) -> PlayedGame:
    guesses = [Guessed(math.nan if p_mine is None else float(p_mine), bool(mine)) for p_mine, mine in entry["guesses"]]
    return PlayedGame(bool(entry["won"]), tuple(guesses), MoveCounts(**entry["moves"]), float(entry["cpu_s"]))
