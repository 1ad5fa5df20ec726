"""A recording of play: what was seen and what was decided, so that it can be gone through again.

A folder with `journal.jsonl`, one JSON object a line, and a PNG of the board (of nothing else on the screen) for every
decision:

    {"event": "board", "skin": ..., "rows": ..., "cols": ..., "pitch": [x, y], "offset": [x, y], "mines": ...}
                                                 a board was taken up; recordings without pitch: of the skin's own
    {"event": "decision", "picture": "00001.png", "state": ..., "board": [rows of text], "moves": [...]}
    {"event": "result", ...}                                                   a game ended, as `--json` prints it
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from bot.decide import decide
from bot.errors import UsageError
from bot.models import Grid, Pixel
from bot.pictures import load_frame, save_png
from bot.read import Reader
from skins import SkinError, find_skin
from solver.board import format_rows
from solver.errors import InconsistentError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.models import Frame, Reading
    from bot.results import GameResult
    from skins.skin import Skin
    from solver.moves import Move

LOG = "journal.jsonl"
_MOST_OFFSET_PX = 0.5


class Journal:
    """Writes a recording.

    Args:
        folder: made if it is not there; must not hold a recording yet.

    Raises:
        UsageError: the folder cannot be written to, or holds a recording.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._n_pictures = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / LOG).exists():
                raise UsageError(f"{folder}: holds a recording already; name another folder")
            self._log = (folder / LOG).open("x", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{folder}: cannot be written to ({error.strerror})") from error

    def board(self, skin: Skin, grid: Grid, mines: int) -> None:
        """Note that a board was taken up."""
        place = {"rows": grid.rows, "cols": grid.cols, "pitch": list(grid.pitch_px), "offset": list(grid.offset_px)}
        self._write({"event": "board", "skin": skin.name, **place, "mines": mines})

    def decision(self, frame: Frame, reading: Reading, moves: list[Move]) -> None:
        """Keep one picture of the board, what it was read as, and what was decided."""
        self._n_pictures += 1
        picture = f"{self._n_pictures:05}.png"
        save_png(self.folder / picture, frame.pixels_bgr)
        self._write({"event": "decision", "picture": picture, **_as_json(reading, moves)})

    def result(self, result: GameResult) -> None:
        """Note how a game ended."""
        self._write({"event": "result", **result.as_json()})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._log.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._log.write(json.dumps(entry) + "\n")
        self._log.flush()


def _as_json(reading: Reading, moves: list[Move]) -> dict[str, Any]:
    return {
        "state": reading.state.value,
        "board": format_rows(reading.board.cells),
        "moves": [
            {"action": move.action.value, "cell": list(move.cell), "p_mine": _risk_as_json(move)} for move in moves
        ],
    }


def _risk_as_json(move: Move) -> float | None:
    """None where the risk is not known: JSON has no NaN, and NaN is never equal to itself."""
    return None if math.isnan(move.p_mine) else round(move.p_mine, 12)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where going through a recording again came out otherwise."""

    picture: str
    what: str
    recorded: Any
    replayed: Any

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        return {
            "picture": self.picture,
            "what": self.what,
            "recorded": self.recorded,
            "replayed": self.replayed,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a recording, gone through again."""

    picture: str
    reading: Reading
    moves: list[Move]
    differences: list[Difference]


def replay(folder: Path) -> Iterator[Step]:
    """Put every picture of a recording through the reader and the solver again.

    Raises:
        UsageError: the folder holds no recording, or a broken one; the message names file and line.
    """
    reader: Reader | None = None
    for number, entry in enumerate(_entries(folder / LOG), start=1):
        where = f"{folder / LOG}: line {number}"
        try:
            if entry["event"] == "board":
                reader = _reader_for(entry)
            elif entry["event"] == "decision":
                yield _step(folder, entry, reader)
        except (UsageError, SkinError) as error:
            raise UsageError(f"{where}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{where}: not an entry of a recording ({error!r})") from error


def _entries(log: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{log}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{log}: not UTF-8 text ({error})") from error
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(f"{log}: line {number} is not JSON ({error})") from error
        if not isinstance(entry, dict):
            raise UsageError(f"{log}: line {number}: expected a JSON object, got {type(entry).__name__}")
        yield entry


def _reader_for(entry: dict[str, Any]) -> Reader:
    skin = find_skin(entry["skin"])
    pitch_x, pitch_y = entry.get("pitch", skin.pitch_px)
    offset_x, offset_y = entry.get("offset", (0.0, 0.0))
    if not (pitch_x > 0 and pitch_y > 0 and max(abs(offset_x), abs(offset_y)) <= _MOST_OFFSET_PX):
        raise ValueError(f"expected a pitch above 0 and an offset of half a pixel, got {entry}")
    grid = Grid(Pixel(0, 0), (pitch_x, pitch_y), int(entry["rows"]), int(entry["cols"]), (offset_x, offset_y))
    return Reader(skin, grid, int(entry["mines"]))


def _step(folder: Path, entry: dict[str, Any], reader: Reader | None) -> Step:
    if reader is None:
        raise UsageError("expected a board before the first decision")
    picture = entry["picture"]
    frame = load_frame(folder / picture)
    expected = reader.grid.region
    if (frame.region.width, frame.region.height) != (expected.width, expected.height):
        raise UsageError(f"{folder / picture}: expected {expected.width} x {expected.height} pixels")
    reading = reader.read(frame)
    try:
        moves = decide(reading)
        replayed = _as_json(reading, moves)
    except InconsistentError as error:  # nothing that contradicts itself was ever recorded
        moves = []
        replayed = _as_json(reading, moves) | {"moves": str(error)}
    differences = [
        Difference(picture, what, entry[what], replayed[what]) for what in replayed if entry[what] != replayed[what]
    ]
    return Step(picture, reading, moves, differences)
