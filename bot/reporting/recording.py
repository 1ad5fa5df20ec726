"""A recording of play: what was seen and what was decided. It is written, and put through reader and solver again.

A folder with `journal.jsonl`, one JSON object a line, and a PNG of the board (of nothing else on the screen) for every
decision:

    {"event": "board", "skin": ..., "rows": ..., "cols": ..., "pitch": [x, y], "offset": [x, y], "mines": ...,
     "style": {"flags": ..., "chords": ..., "flags_to_win": ..., "think_s": ..., "efficient": ...,
               "prices": {"flag": ..., "chord": ...}},
     "learned": {fingerprint: state}}
                                                 a board was taken up; recordings without pitch: of the skin's own.
                                                 "learned" where appearances were met that the skin does not have
                                                 With "edges", "cell" and "shape" where cells are not evenly spaced,
                                                 lie apart, or are of four dimensions
    {"event": "decision", "picture": "00001.png", "seconds": ..., "state": ..., "board": [rows of text], "moves": [...]}
                                                 seconds since the recording began; older recordings have none
    {"event": "seen", ...}                                                     as a decision, without "moves": a person
                                                 played, and the coach saw it
    {"event": "result", ...}                                                   a game ended, as `--json` prints it

A process that is killed leaves whole entries: a picture gets its name when it is complete, then its line is written and
handed to the system at once. Only that last line may be cut off.

Where cells lie counts from the board's own corner: a picture shows nothing else.
"""

from __future__ import annotations

import json
import math
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from bot.blocks import Blocks
from bot.console import tell
from bot.errors import UsageError
from bot.images import is_cut_off_png, load_frame, save_png
from bot.models import Frame, Grid, Pixel
from bot.playing.decide import PLAIN, Prices, Style, decide_moves
from bot.playing.outcome import STAYS_S, Clicked, Look, outcome
from bot.vision.reading import Reader
from skins import SkinError, find_skin
from skins.errors import FileError
from skins.files import name_inside, read_file
from skins.skin import is_state
from solver.board import (
    OPEN_UNKNOWN,
    Action,
    Board,
    GameState,
    Move,
    format_rows,
    known_risk,
    parse_board,
)
from solver.errors import InconsistentError
from solver.formats import MOST_CELLS
from solver.layout import FirstClick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bot.models import Reading
    from bot.playing.results import GameResult
    from skins.skin import Skin
    from solver.topology import Cell


_MOST_OFFSET_PX = 0.5
_N_SIDES = 4


def _grid_as_json(grid: Grid) -> dict[str, Any]:
    """A grid as the fields of a JSON object; what only few boards have is left out where it says nothing."""
    fields: dict[str, Any] = {
        "rows": grid.rows,
        "cols": grid.cols,
        "pitch": list(grid.pitch_px),
        "offset": list(grid.offset_px),
    }
    if grid.x_edges is not None and grid.y_edges is not None:
        fields["edges"] = [[edge - edges[0] for edge in edges] for edges in (grid.x_edges, grid.y_edges)]
    if grid.cell_px is not None:
        fields["cell"] = list(grid.cell_px)
    if grid.blocks is not None:
        fields["shape"] = list(grid.blocks.shape)
    return fields


def _grid_of_json(fields: Mapping[str, Any], pitch_px: tuple[float, float]) -> Grid:
    """The grid that `_grid_as_json` wrote, from pixel (0, 0) on; of this pitch where none is written.

    Raises:
        KeyError: there are no rows or columns.
        TypeError: a value is of another kind.
        ValueError: no grid is like that.
    """
    pitch_x, pitch_y = fields.get("pitch", pitch_px)
    offset_x, offset_y = fields.get("offset", (0.0, 0.0))
    if not (
        1 <= pitch_x < math.inf and 1 <= pitch_y < math.inf and max(abs(offset_x), abs(offset_y)) <= _MOST_OFFSET_PX
    ):
        raise ValueError(f"expected a pitch of 1 pixel or more and an offset of half a pixel, got {dict(fields)}")
    rows, cols = int(fields["rows"]), int(fields["cols"])
    if min(rows, cols) < 1 or rows * cols > MOST_CELLS:
        raise ValueError(f"expected rows and columns of at most {MOST_CELLS:,} cells, got {rows} x {cols}")
    x_edges, y_edges = (_edges(list(edges)) for edges in fields["edges"]) if "edges" in fields else (None, None)
    if x_edges is not None and y_edges is not None and (len(x_edges), len(y_edges)) != (cols + 1, rows + 1):
        raise ValueError(f"expected edges of {rows} x {cols} cells, got {len(y_edges) - 1} x {len(x_edges) - 1}")
    blocks = _blocks([int(side) for side in fields["shape"]], rows, cols) if "shape" in fields else None
    cell_px = None
    if "cell" in fields:
        width, height = (int(length) for length in fields["cell"])
        cell_px = width, height
    return Grid(
        Pixel(0, 0),
        (pitch_x, pitch_y),
        rows,
        cols,
        (offset_x, offset_y),
        x_edges,
        y_edges,
        cell_px=cell_px,
        blocks=blocks,
    )


def _edges(edges: Sequence[int]) -> tuple[int, ...]:
    whole = tuple(int(edge) for edge in edges)
    if whole[:1] != (0,) or any(after <= before for before, after in pairwise(whole)):
        raise ValueError(f"expected edges from 0 upwards, got {edges}")
    return whole


def _blocks(shape: Sequence[int], rows: int, cols: int) -> Blocks:
    if len(shape) != _N_SIDES or min(shape) < 1 or (shape[0] * shape[2], shape[1] * shape[3]) != (rows, cols):
        raise ValueError(f"expected four sides of {rows} x {cols} cells, got {shape}")
    return Blocks((shape[0], shape[1], shape[2], shape[3]))


LOG = "journal.jsonl"
DECISION, SEEN = "decision", "seen"


class Journal:
    """Writes a recording.

    Args:
        folder: made if it is not there; must not hold a recording yet.

    Raises:
        UsageError: the folder cannot be written to, or holds a recording; every method may raise the former.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._n_pictures = 0
        self._began_at = time.monotonic()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._log = (folder / LOG).open("x", encoding="utf-8", newline="\n")
        except FileExistsError:  # also where somebody else begins to record there in this very moment
            raise UsageError(f"{folder}: holds a recording already; name another folder") from None
        except OSError as error:
            raise self._failure(error) from error

    def board(
        self, skin: Skin, grid: Grid, mines: int, style: Style = PLAIN, *, learned: Mapping[int, str] | None = None
    ) -> None:
        """Note that a board was taken up, or is played in another style, or with more sprites known, from here on.

        Args:
            skin: what it looks like.
            grid: where it lies.
            mines: how many.
            style: how it is played.
            learned: the states of appearances that were met in play, by their fingerprints.
        """
        entry = {"event": "board", "skin": skin.name, **_grid_as_json(grid), "mines": mines, "style": asdict(style)}
        if learned:
            entry["learned"] = {f"{value:016x}": state for value, state in learned.items()}
        self._write(entry)

    def decision(self, frame: Frame, reading: Reading, moves: list[Move]) -> None:
        """Keep one picture of the board, what it was read as, and what was decided."""
        self._keep(DECISION, frame, decision_as_json(reading, moves))

    def seen(self, frame: Frame, reading: Reading) -> None:
        """Keep one picture of a board that a person plays, and what it was read as."""
        self._keep(SEEN, frame, _reading_as_json(reading))

    def _keep(self, event: str, frame: Frame, told: dict[str, Any]) -> None:
        seconds = round(time.monotonic() - self._began_at, 3)
        self._n_pictures += 1
        picture = f"{self._n_pictures:05}.png"
        try:
            save_png(self.folder / picture, frame.pixels_bgr)
        except OSError as error:
            raise self._failure(error) from error
        self._write({"event": event, "picture": picture, "seconds": seconds, **told})

    def result(self, result: GameResult) -> None:
        """Note how a game ended."""
        self._write({"event": "result", **result.as_json()})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):  # every entry was flushed: only one that could not be written, and was told of, is left
            self._log.close()

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> UsageError:
        return UsageError(f"{self.folder}: cannot be written to ({error.strerror})")


def decision_as_json(reading: Reading, moves: list[Move]) -> dict[str, Any]:
    """What is kept of a decision beside its picture and its time."""
    # A risk that is not known is None: JSON has no NaN, and NaN is never equal to itself.
    moves_as_json = [
        {"action": move.action.value, "cell": list(move.cell), "p_mine": known_risk(round(move.p_mine, 12))}
        for move in moves
    ]
    return _reading_as_json(reading) | {"moves": moves_as_json}


def _reading_as_json(reading: Reading) -> dict[str, Any]:
    return {"state": reading.state.value, "board": format_rows(reading.board.cells)}


_MOST_LOG_BYTES = 2**26  # 60,000 decisions take as many
_NOT_AN_ENTRY = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


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


@dataclass(frozen=True, eq=False)
class RepeatedDecision:
    """One decision of a recording, gone through again.

    Attributes:
        picture: the name of its picture.
        seconds: when it was made, since the recording began; None where the recording does not say.
        frame: the picture.
        reading: what is read of it now.
        moves: what is decided now.
        differences: where these are not as recorded.
    """

    picture: str
    seconds: float | None
    frame: Frame
    reading: Reading
    moves: list[Move]
    differences: list[Difference]


@dataclass(frozen=True, eq=False)
class _Recorded:
    """The entry of a decision, where it stands, how its picture is read, the one before, and the game's first cell."""

    where: str
    entry: dict[str, Any]
    reader: Reader
    style: Style
    before: dict[str, Any] | None
    start: Cell | None


class Recording:
    """A recording in a folder. Its pictures are looked at when they are asked for.

    What a process that was killed left unfinished at the very end, a line or picture that is cut off or missing, is
    told of and left out.

    Args:
        folder: where it is.
        tell: says what a person should know.

    Raises:
        UsageError: the folder holds no recording, or a broken one; the message names file and line.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None] = tell) -> None:
        self.folder = folder
        if not os.path.lexists(folder / LOG):
            raise UsageError(f"{folder}: expected a folder that 'minebot play --record' made, with a {LOG} in it")
        entries = load_entries(folder / LOG, tell)
        self._decisions = list(_iter_decisions(folder / LOG, entries))
        if self._decisions and self._decisions[-1].entry is entries[-1]:
            self._check_last(self._decisions[-1], tell)

    def __len__(self) -> int:
        """How many decisions there are."""
        return len(self._decisions)

    @property
    def grids(self) -> list[Grid]:
        """Where the boards that were played lie on their pictures, each once."""
        return list(dict.fromkeys(recorded.reader.grid for recorded in self._decisions))

    @property
    def times_s(self) -> list[float | None]:
        """When each decision was made, since the recording began; None where that was not recorded."""
        return [_time_of(recorded) for recorded in self._decisions]

    def step(self, n: int) -> RepeatedDecision:
        """Put decision `n` (from 0) through the reader and the solver again.

        Raises:
            UsageError: its entry or its picture is broken; the message names file and line.
        """
        recorded = self._decisions[n]
        try:
            return _replayed(recorded, _load_picture(self.folder / name_inside(recorded.entry["picture"])))
        except (UsageError, SkinError) as error:
            raise UsageError(f"{recorded.where}: {error}") from error
        except _NOT_AN_ENTRY as error:
            raise _not_an_entry(recorded.where, error) from error

    def _check_last(self, last: _Recorded, tell: Callable[[str], None]) -> None:
        try:
            picture = name_inside(last.entry.get("picture"))
        except ValueError:
            return  # damage of another kind: told of when the step is asked for
        path = self.folder / picture
        lacks = "is missing" if not path.exists() else "is cut off" if is_cut_off_png(path) else None
        if lacks is not None:
            tell(f"{last.where}: its picture {picture} {lacks}: play ended while it was written; left out")
            self._decisions.pop()


def replay(folder: Path, tell: Callable[[str], None] = tell) -> Iterator[RepeatedDecision]:
    """Put every picture of a recording through the reader and the solver again.

    Raises:
        UsageError: the folder holds no recording, or a broken one; the message names file and line.
    """
    recording = Recording(folder, tell)
    for n in range(len(recording)):
        yield recording.step(n)


def load_entries(log: Path, tell: Callable[[str], None]) -> list[dict[str, Any]]:
    """Return the entries of a recording's log. A last one that is cut off is reported and left out.

    Raises:
        UsageError: it cannot be read, or is broken; the message names file and line.
    """
    try:
        text = read_file(log, _MOST_LOG_BYTES).decode("utf-8")
    except FileError as error:
        raise UsageError(str(error)) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{log}: not UTF-8 text ({error})") from error
    *lines, unended = text.split("\n")
    if unended:
        lines.append(unended)
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            if unended and number == len(lines):
                tell(f"{log}: line {number} is cut off: play ended while it was written; left out")
                break
            raise UsageError(f"{log}: line {number} is not JSON ({error})") from error
        if not isinstance(entry, dict):
            raise UsageError(f"{log}: line {number}: expected a JSON object, got {type(entry).__name__}")
        entries.append(entry)
    return entries


def _iter_decisions(log: Path, entries: list[dict[str, Any]]) -> Iterator[_Recorded]:
    """The decisions, each with the reader for its board."""
    reader: Reader | None = None
    style = PLAIN
    before: dict[str, Any] | None = None
    start: Cell | None = None
    for number, entry in enumerate(entries, start=1):
        where = f"{log}: line {number}"
        try:
            if entry["event"] == "board":
                reader = _reader_for(entry)
                style = _style_of(entry.get("style", {}))
            elif entry["event"] in (DECISION, SEEN):
                yield _Recorded(where, entry, _known_reader(reader), style, before, start)
                before, start = entry, _start_of(entry, start)
            elif entry["event"] == "result":
                before = start = None
        except (UsageError, SkinError) as error:
            raise UsageError(f"{where}: {error}") from error
        except _NOT_AN_ENTRY as error:
            raise _not_an_entry(where, error) from error


def _style_of(recorded: dict[str, Any]) -> Style:
    think_s = float(recorded.get("think_s", 0.0))
    prices = Prices(**{name: float(price) for name, price in recorded.get("prices", {}).items()})
    rule = recorded.get("first_click")
    others = {"think_s", "prices", "first_click"}
    switches = {name: bool(value) for name, value in recorded.items() if name not in others}
    return Style(**switches, think_s=think_s, prices=prices, first_click=None if rule is None else FirstClick(rule))


def _start_of(entry: dict[str, Any], before: Cell | None) -> Cell | None:
    """The cell that was opened first in the game of an entry; what is known of that before it."""
    if entry["event"] == SEEN or entry["state"] != GameState.FRESH.value:
        return before
    return next((move.cell for move in moves_of(entry) if move.action is Action.OPEN), None)


def _known_reader(reader: Reader | None) -> Reader:
    if reader is None:
        raise UsageError("expected a board before the first decision")
    return reader


def _time_of(recorded: _Recorded) -> float | None:
    seconds = recorded.entry.get("seconds")
    if seconds is None:
        return None
    if not isinstance(seconds, int | float):
        raise _not_an_entry(recorded.where, TypeError(f"expected seconds as a number, got {seconds!r}"))
    return float(seconds)


def _not_an_entry(where: str, error: Exception) -> UsageError:
    return UsageError(f"{where}: not an entry of a recording ({error!r})")


def _reader_for(entry: dict[str, Any]) -> Reader:
    skin = find_skin(entry["skin"])
    learned = {int(value, 16): state for value, state in entry.get("learned", {}).items()}
    for state in learned.values():
        if not is_state(state):
            raise ValueError(f"expected the state of a look, got {state!r}")
    skin = replace(skin, exact={**skin.exact, **learned})
    return Reader(skin, _grid_of_json(entry, skin.pitch_px), int(entry["mines"]))


def _unordered(value: Any) -> Any:
    """Moves in an order of their own: in which one they were made does not matter to what was seen and known."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return sorted(value, key=lambda move: (move["action"], move["cell"]))
    return value


def _is_guess(moves: Any) -> bool:
    return isinstance(moves, list) and len(moves) == 1 and moves[0]["p_mine"] != 0.0


def _load_picture(path: Path) -> Frame:
    if path.exists() and is_cut_off_png(path):
        raise UsageError(f"{path}: cut off")
    return load_frame(path)


def _completed(recorded: _Recorded, reading: Reading, frame: Frame) -> Reading:
    """A reading with what the player knew of a board's end where the skin has no sprite for it."""
    if recorded.before is None or not (reading.unknown or reading.state is GameState.WON):
        return reading
    board, codes = reading.board, parse_board("\n".join(recorded.before["board"]))
    if codes.cells.size != board.cells.size:
        return reading
    known = replace(reading, board=Board(codes.cells.reshape(board.shape), board.mines, board.wrap))
    clicked = Clicked(moves_of(recorded.before))
    frame = Frame(frame.pixels_bgr, *reading.grid.region.corner)
    return outcome(known, clicked, Look(reading, frame, STAYS_S)) or reading


def moves_of(entry: Mapping[str, Any]) -> list[Move]:
    """What an entry says was decided."""
    return [
        Move(
            Action(move["action"]),
            tuple(int(i) for i in move["cell"]),
            math.nan if move["p_mine"] is None else move["p_mine"],
        )
        for move in ([] if entry["event"] == SEEN else entry["moves"])
    ]


def _replayed(recorded: _Recorded, frame: Frame) -> RepeatedDecision:
    entry, picture = recorded.entry, recorded.entry["picture"]
    expected = recorded.reader.grid.region
    if (frame.region.width, frame.region.height) != (expected.width, expected.height):
        raise UsageError(f"{picture}: expected {expected.width} x {expected.height} pixels")
    reading = _completed(recorded, recorded.reader.read(frame), frame)
    try:
        # Another time to think gives another guess, and so do other readings of numbers that were not known yet: of
        # such a guess, only that it was one is compared.
        moves = decide_moves(reading, replace(recorded.style, think_s=0.0), (), recorded.start).moves
        replayed = decision_as_json(reading, moves)
    except InconsistentError as error:  # nothing that contradicts itself was ever recorded
        moves = []
        replayed = decision_as_json(reading, moves) | {"moves": str(error)}
    is_weighed = recorded.style.think_s > 0 or bool((reading.board.cells == OPEN_UNKNOWN).any())
    if entry["event"] == SEEN:
        del replayed["moves"]
    elif is_weighed and _is_guess(entry["moves"]) and _is_guess(replayed["moves"]):
        replayed["moves"] = entry["moves"]
    differences = [
        Difference(picture, what, entry[what], replayed[what])
        for what in replayed
        if _unordered(entry[what]) != _unordered(replayed[what])
    ]
    return RepeatedDecision(picture, _time_of(recorded), frame, reading, moves, differences)


def is_recording(path: Path) -> bool:
    """Whether a path is that of a recording."""
    return (path / LOG).is_file()
