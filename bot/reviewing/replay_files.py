"""Recorded games of all kinds, read into one frozen model: where the mines were, and every click with its time.

| file | written by | read by |
|---|---|---|
| `.avf` `.rmv` `.mvf` `.evf` | Arbiter, Vienna, Clone, Metasweeper | ms_toollib (extra `review`), in a child |
| RAWVF text | converters; the built-in game keeps its games so | this module |
| a folder | `minebot play --record`, `minebot coach --record` | `bot.reporting.recording` |

ms_toollib ends its whole process on some files [1]. So it runs in a child with a time limit, and what the child hands
over is the same stream of presses that RAWVF holds: one path for all of them from there on. Knows nothing of what a
click was worth.

[1] A name that is no UTF-8 in a file of Vienna, for one: "called `Result::unwrap()` on an `Err` value".
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bot.errors import UsageError
from bot.reporting.recording import RecordedGame, is_recording, load_recorded_games
from bot.reviewing.foreign import NOT_INSTALLED
from bot.reviewing.mouse import KINDS, Button, Click, Mouse, Press
from skins.errors import FileError
from skins.files import read_file
from solver.board import CLOSED, EXPLODED, FLAG, Action, Board, GameState
from solver.errors import SolverError
from solver.formats import MOST_CELLS
from solver.game import Game
from solver.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from solver.topology import Cell

FOREIGN = {".avf": "Arbiter", ".rmv": "Vienna", ".mvf": "Clone", ".evf": "Metasweeper"}
"""What ms_toollib reads: the ends of files' names, and the program that writes them."""
_MOST_BYTES = 2**25
"""Most bytes of a replay: an hour of Arbiter has ten million."""
_MOST_SECONDS = 60.0
"""Seconds that ms_toollib may take for one file: the longest of those at hand takes one."""
_MOST_SIDE = 1_000


@dataclass(frozen=True, eq=False)
class Replay:
    """One game that was played.

    Attributes:
        source: the file, and where it holds several games the number of this one.
        program: what it was played in; empty where the file does not say.
        player: who played it; empty likewise.
        layout: where the mines were.
        clicks: every click that counts, in order.
        seconds: how long it took by the file; NaN where it does not say.
        told: figures that the file itself carries, by the names of `bot.reviewing.figures`.
    """

    source: str
    program: str
    player: str
    layout: Layout
    clicks: tuple[Click, ...]
    seconds: float
    told: Mapping[str, float] = field(default_factory=dict)


class Step(NamedTuple):
    """One click of a replay, and what it did.

    Attributes:
        click: the click.
        before: what the player saw before it.
        targets: the closed cells that it opens by itself, before zeros open others; a chord may have several.
        opened: all cells that it opened, the mine that ended the game included.
        changed: whether it changed anything on the board.
        after: how the game stood after it.
    """

    click: Click
    before: Board
    targets: tuple[Cell, ...]
    opened: tuple[Cell, ...]
    changed: bool
    after: GameState


def load_replays(path: Path) -> tuple[Replay, ...]:
    """Read the games of a file or folder.

    Raises:
        UsageError: it cannot be read, is no replay, or is broken; the message names it and says where.
    """
    if is_recording(path):
        replays = tuple(_of_recorded(path, game) for game in load_recorded_games(path))
        if not any(replay.clicks for replay in replays):
            raise UsageError(f"{path}: no game of this recording came to an end that shows where all mines were")
        return replays
    try:
        content = read_file(path, _MOST_BYTES)
    except FileError as error:
        raise UsageError(str(error)) from error
    if path.suffix.lower() in FOREIGN:
        return (_read_foreign(path, content),)
    return (parse_rawvf(_decode(path, content), str(path)),)


def iter_steps(replay: Replay) -> Iterator[Step]:
    """Play a replay's clicks on its layout, one by one."""
    game = Game.on(replay.layout)
    for click in replay.clicks:
        before = game.board
        targets = _targets_of(game, click)
        opened = _make(game, click)
        changed = bool(opened) or not np.array_equal(before.cells, game.board.cells)
        yield Step(click, before, targets, opened, changed, game.state)


def _targets_of(game: Game, click: Click) -> tuple[Cell, ...]:
    code = game.code(click.cell)
    if click.action is Action.OPEN:
        return (click.cell,) if code == CLOSED else ()
    if click.action is Action.CHORD and code >= 0:
        near = game.topology.neighbours(click.cell)
        if sum(game.code(cell) == FLAG for cell in near) == code:
            return tuple(cell for cell in near if game.code(cell) == CLOSED)
    return ()


def _make(game: Game, click: Click) -> tuple[Cell, ...]:
    if click.action is Action.OPEN:
        return game.open(click.cell)
    if click.action is Action.CHORD:
        return game.chord(click.cell)
    if click.action is Action.FLAG:
        game.toggle_flag(click.cell)
    return ()


def _played(layout: Layout, presses: Iterable[Press], *, has_marks: bool, chords_by_left: bool) -> tuple[Click, ...]:
    game = Game.on(layout)
    clicks = []
    for click in Mouse(game, has_marks, chords_by_left).iter_clicks(presses):
        clicks.append(click)
        _make(game, click)
    return tuple(clicks)


# RAWVF: lines of "Key: value", then "Board:" and a row of characters a line, '*' for a mine, then "Events:" and a line
# an event: seconds, kind, column and row from 1, and in brackets x and y in pixels. What happened to cells stands
# between the mouse's events and is left out: it follows from them.

_EVENT = re.compile(r"(-?\d+(?:\.\d+)?) +(\w\w) +(-?\d+) +(-?\d+)(?: *\( *(-?\d+) +(-?\d+) *\))?(?: .*)?")
_TOLD = {"bbbv": "bbbv", "3bv": "bbbv", "raw_3bv": "bbbv", "zini": "zini", "raw_zini": "zini", "raw_hzini": "hzini"}
"""Keys of a RAWVF file that carry figures, and our names for them."""
_SQUARE_PX = 16


def parse_rawvf(text: str, source: str) -> Replay:
    """Read a game in RAWVF.

    Args:
        text: the file's text.
        source: its name, for messages.

    Raises:
        UsageError: it is none, or broken; names the line.
    """
    lines = text.splitlines()
    heads: dict[str, str] = {}
    n = 0
    for n, line in enumerate(lines):
        key, colon, value = line.partition(":")
        if colon and key.strip().lower() == "board":
            break
        if not colon and line.strip():
            raise UsageError(f"{source}: line {n + 1}: expected 'Key: value' of a RAWVF file, got {line[:60]!r}")
        heads[key.strip().lower()] = value.strip()
    else:
        raise UsageError(f"{source}: expected a replay (.avf, .rmv, .mvf, .evf, RAWVF), got a text without 'Board:'")
    rows, cols = (_whole(heads, key, source) for key in ("height", "width"))
    if rows * cols > MOST_CELLS:
        raise UsageError(f"{source}: expected a board of at most {MOST_CELLS:,} cells, got {rows} x {cols}")
    layout = _layout_of(lines[n + 1 : n + 1 + rows], cols, rows, source, n + 2)
    n_mines = _whole(heads, "mines", source)
    if layout.n_mines != n_mines:
        raise UsageError(f"{source}: expected the {n_mines} mines of its head on the board, got {layout.n_mines}")
    n += 1 + rows
    if n >= len(lines) or lines[n].partition(":")[0].strip().lower() != "events":
        raise UsageError(f"{source}: line {n + 1}: expected 'Events:' after the {rows} rows of the board")
    square_px = int(_number(heads.get("squaresize", ""), _SQUARE_PX)) or _SQUARE_PX
    presses = list(_iter_presses(lines, n + 1, layout, square_px, source))
    clicks = _played(
        layout,
        presses,
        has_marks=heads.get("marks", heads.get("questionmarks", "")).lower() == "on",
        chords_by_left=heads.get("superclick", "").lower() == "on",
    )
    told = {name: _number(heads[key]) for key, name in _TOLD.items() if key in heads}
    return _checked(
        Replay(
            source,
            " ".join(filter(None, (heads.get("program", ""), heads.get("version", "")))),
            heads.get("player", ""),
            layout,
            clicks,
            _number(heads.get("time", "")),
            {name: value for name, value in told.items() if not math.isnan(value)},
        )
    )


def _iter_presses(lines: list[str], begin: int, layout: Layout, square_px: int, source: str) -> Iterator[Press]:
    before_s = -math.inf
    for n, line in enumerate(lines[begin:], begin + 1):
        if not line.strip() or line.lstrip()[0] not in "-0123456789":
            continue
        match = _EVENT.fullmatch(line.strip())
        if match is None:
            if re.fullmatch(r"-?\d+(\.\d+)? +(start|won|lost|blast|boom|nonstandard)\b.*", line.strip()):
                continue
            raise UsageError(f"{source}: line {n}: expected 'seconds kind column row (x y)', got {line[:60]!r}")
        seconds, kind = float(match[1]), match[2]
        if seconds < before_s:
            raise UsageError(f"{source}: line {n}: expected a time of {before_s} s or later, got {match[1]}")
        before_s = seconds
        if kind in KINDS:
            x, y = (
                (int(part) // square_px for part in match.group(5, 6))
                if match[5]
                else (int(match[3]) - 1, int(match[4]) - 1)
            )
            yield Press(seconds, kind, _cell_on(layout, y, x))


def _cell_on(layout: Layout, row: int, col: int) -> Cell | None:
    return (row, col) if 0 <= row < layout.shape[0] and 0 <= col < layout.shape[1] else None


def _layout_of(rows_of_text: list[str], cols: int, rows: int, source: str, first_line: int) -> Layout:
    rows_of_mines = []
    for n, line in enumerate(rows_of_text, first_line):
        row = line.strip()
        if len(row) != cols:
            raise UsageError(f"{source}: line {n}: expected a row of {cols} cells of the board, got {len(row)}")
        rows_of_mines.append([letter == "*" for letter in row])
    if len(rows_of_mines) != rows:
        raise UsageError(f"{source}: expected {rows} rows of the board, got {len(rows_of_mines)}: it is cut off")
    return Layout(np.array(rows_of_mines, dtype=np.bool_))


def _whole(heads: Mapping[str, str], key: str, source: str) -> int:
    value = heads.get(key, "")
    most = MOST_CELLS if key == "mines" else _MOST_SIDE
    if not re.fullmatch(r"\d{1,7}", value) or not (key == "mines" or int(value)) or int(value) > most:
        raise UsageError(f"{source}: expected '{key.capitalize()}: N' up to {most:,} before its board, got {value!r}")
    return int(value)


def _number(text: str, default: float = math.nan) -> float:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text) else default


def _decode(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")  # players' names of old programs
    if "\0" in text:
        raise UsageError(
            f"{path}: expected a replay (.avf, .rmv, .mvf, .evf, RAWVF text) or the folder of a recording,"
            " got other data"
        )
    return text


def _checked(replay: Replay) -> Replay:
    if not any(click.action is Action.OPEN and click.button for click in replay.clicks):
        raise UsageError(f"{replay.source}: no cell is opened in it: it is cut off, or no game was played")
    return replay


def _read_foreign(path: Path, content: bytes) -> Replay:
    """Have ms_toollib read a file, in a child process.

    Raises:
        UsageError: it cannot, or what it reads is no game.
    """
    suffix = path.suffix.lower()
    command = [sys.executable, "-P", "-m", "bot.reviewing.foreign", suffix]
    try:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # where ms_toollib leaves its crash.log
            done = subprocess.run(  # noqa: S603 - our own module
                command, input=content, capture_output=True, timeout=_MOST_SECONDS, check=False, cwd=folder
            )
            crash = Path(folder, _CRASH_LOG)
            told = crash.read_bytes() if crash.exists() else done.stderr
    except subprocess.TimeoutExpired:
        raise UsageError(f"{path}: ms_toollib did not read it within {_MOST_SECONDS:g} s") from None
    except OSError as error:
        raise UsageError(f"{path}: the process that reads it cannot be started ({error.strerror})") from error
    if done.returncode == NOT_INSTALLED:
        raise UsageError(f"{path}: replays of {FOREIGN[suffix]} need ms_toollib: pip install '.[review]'")
    if done.returncode != 0:
        raise UsageError(f"{path}: ms_toollib cannot read it: {_last_words(told)}")
    try:
        return _of_foreign(path, json.loads(done.stdout))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, SolverError) as error:
        raise UsageError(f"{path}: what ms_toollib reads in it is no game ({error})") from error


_CRASH_LOG = "crash.log"
_MESSAGE = "message: "
"""What begins the line of a crash log, or the last one of a Python error, that tells what happened."""


def _last_words(told: bytes) -> str:
    """Why a process ended, from what it left."""
    lines = [line.strip() for line in told.decode("utf-8", errors="replace").splitlines() if line.strip()]
    telling = [line.removeprefix(_MESSAGE) for line in lines if line.startswith(_MESSAGE)] or lines[-1:]
    return telling[0][:200] if telling else "it ended without a word"


def _of_foreign(path: Path, given: dict[str, Any]) -> Replay:
    layout = Layout(np.array(given["has_mine"], dtype=np.bool_))
    if len(layout.shape) != 2:
        raise ValueError("it has no board")
    presses = [
        Press(float(seconds), kind, _cell_on(layout, row, col))
        for seconds, kind, row, col in given["presses"]
        if kind in KINDS
    ]
    clicks = _played(layout, presses, has_marks=bool(given["has_marks"]), chords_by_left=False)
    return _checked(
        Replay(str(path), given["program"], given["player"], layout, clicks, float(given["seconds"]), given["told"])
    )


def _of_recorded(path: Path, game: RecordedGame) -> Replay:
    """A game of a recording: what the bot did, and what else is open on its boards by somebody else's hand.

    Raises:
        UsageError: its board is not flat.
    """
    if len(game.layout.shape) != 2:
        raise UsageError(f"{path}: game {game.number}: reviews are of flat boards, this one has {game.layout.shape}")
    played = Game.on(game.layout)
    clicks: list[Click] = []

    def make(click: Click) -> None:
        clicks.append(click)
        _make(played, click)

    begun_s = next((one.seconds for one in game.decisions if (one.board.cells >= 0).any()), 0.0)
    for decision in game.decisions:
        if decision.moves is None:
            for click in _iter_seen_clicks(played, decision.board, max(0.0, decision.seconds - begun_s)):
                make(click)
            continue
        for cell in _unexplained(played, decision.board):
            make(Click(decision.seconds, None, Action.OPEN, cell))
        for move in decision.moves:
            if not played.is_over:
                make(Click(decision.seconds, _BUTTONS[move.action], move.action, move.cell))
    is_watched = any(decision.moves is None for decision in game.decisions)
    program = "" if is_watched else "minebot"
    return _checked(Replay(f"{path} game {game.number}", program, "", game.layout, tuple(clicks), game.seconds))


_BUTTONS = {Action.OPEN: Button.LEFT, Action.FLAG: Button.RIGHT, Action.CHORD: Button.DOUBLE}


def _iter_seen_clicks(game: Game, board: Board, seconds: float) -> Iterator[Click]:
    """The clicks of a person that lead from a game to a board seen later; each is made before the next is asked.

    Flags come first, then chords that open several cells, then single cells, zeros before numbers and mines last. Which
    of two clicks came first is not known where one look shows both, nor are clicks that changed nothing.
    """
    for action, cell in chain(_flags_seen(game, board), _chords_seen(game, board), _cells_seen(game, board)):
        if not game.is_over:
            yield Click(seconds, _BUTTONS[action], action, cell)


def _flags_seen(game: Game, board: Board) -> Iterator[tuple[Action, Cell]]:
    """Flags set or taken away; many clones set those of a finished board themselves."""
    if board.state in (GameState.WON, GameState.LOST):
        return
    for cell in np.ndindex(board.shape):
        if {int(board[cell]), game.code(cell)} == {CLOSED, FLAG}:
            yield Action.FLAG, cell


def _chords_seen(game: Game, board: Board) -> Iterator[tuple[Action, Cell]]:
    for cell in np.ndindex(board.shape):
        targets = _targets_of(game, Click(0.0, None, Action.CHORD, cell))
        if len(targets) > 1 and all(_is_opened(board, target) for target in targets):
            yield Action.CHORD, cell


def _cells_seen(game: Game, board: Board) -> Iterator[tuple[Action, Cell]]:
    for cell in np.ndindex(board.shape):
        if _is_opened(board, cell) and game.code(cell) == FLAG:
            yield Action.FLAG, cell
    for cell in _unexplained(game, board):
        yield Action.OPEN, cell
    for cell in np.ndindex(board.shape):
        if board[cell] == EXPLODED:
            yield Action.OPEN, cell


def _is_opened(board: Board, cell: Cell) -> bool:
    """Whether a cell was opened, a mine or not."""
    return board[cell] >= 0 or board[cell] == EXPLODED


def _unexplained(game: Game, board: Board) -> Iterator[Cell]:
    """The cells that are open on a board and not in the game, zeros first: each is opened before the next is asked."""
    if game.is_over:
        return
    is_open = board.cells >= 0
    order = np.argwhere(is_open)[np.argsort(board.cells[is_open], kind="stable")]
    for indices in order.tolist():
        cell = tuple(indices)
        if game.code(cell) == FLAG:
            game.toggle_flag(cell)
        if game.code(cell) == CLOSED:
            yield cell
