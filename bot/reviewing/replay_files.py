"""Recorded games of all kinds, read into one frozen model: where the mines were, and every click with its time.

| file | written by | read by |
|---|---|---|
| `.avf` `.rmv` `.evf` | Arbiter, Vienna, Metasweeper | ms_toollib (extra `review`), in a child |
| `.mvf` | Clone | `bot.reviewing.clone_files` |
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
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bot.errors import UsageError
from bot.reporting.recorded_games import RecordedGame, load_recorded_games
from bot.reporting.recording import is_recording
from bot.reviewing.clone_files import CloneFileError, parse_clone
from bot.reviewing.foreign import NOT_INSTALLED
from bot.reviewing.mouse import KINDS, CountedButton, CountedClick, Press, ReplayedMouse
from skins.errors import FileError
from skins.files import read_file
from solver.board import CLOSED, EXPLODED, FLAG, Action, Board, GameState
from solver.errors import SolverError
from solver.formats import MOST_CELLS
from solver.game import Game
from solver.layout import Layout
from solver.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from solver.topology import Cell

_FOREIGN = {".avf": "Arbiter", ".rmv": "Vienna", ".evf": "Metasweeper"}
"""What ms_toollib reads: the ends of files' names, and the program that writes them."""
_CLONE = ".mvf"
_KINDS = f"{', '.join((*_FOREIGN, _CLONE))}, RAWVF"
_MOST_BYTES = 2**25  # most bytes of a replay: an hour of Arbiter has ten million
_MOST_SECONDS = 60.0  # seconds that ms_toollib may take for one file: the longest of those at hand takes one
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
        remark: what was left out when it was read, and why; empty where nothing was.
    """

    source: str
    program: str
    player: str
    layout: Layout
    clicks: tuple[CountedClick, ...]
    seconds: float
    told: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""


class ReplayStep(NamedTuple):
    """One click of a replay, and what it did.

    Attributes:
        click: the click.
        before: what the player saw before it.
        targets: the closed cells that it opens by itself, before zeros open others; a chord may have several.
        opened: all cells that it opened, the mine that ended the game included.
        changed: whether it changed anything on the board.
        after: how the game stood after it.
    """

    click: CountedClick
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
    if not content:
        raise UsageError(f"{path}: it is empty")
    suffix = path.suffix.lower()
    if suffix in _FOREIGN:
        return (_read_foreign(path, content),)
    if suffix == _CLONE:
        return (_read_clone(path, content),)
    return (parse_rawvf(_decode(path, content), str(path)),)


def is_replay(path: Path) -> bool:
    """Whether a path is that of a replay or recording, and not of a board's text or a picture.

    It goes by the end of its name, or by the lines of RAWVF that a board has not.
    """
    if path.is_dir() or path.suffix.lower() in (*_FOREIGN, _CLONE):
        return True
    try:
        content = read_file(path, _MOST_BYTES)
    except FileError:
        return False
    return all(
        re.search(rb"^[ \t]*%b[ \t]*:" % key, content, re.IGNORECASE | re.MULTILINE) for key in (b"width", b"board")
    )


def iter_steps(replay: Replay) -> Iterator[ReplayStep]:
    """Play a replay's clicks on its layout, one by one."""
    game = Game.on(replay.layout)
    for click in replay.clicks:
        before = game.board
        targets = _targets_of(game, click)
        opened = _make(game, click)
        changed = bool(opened) or not np.array_equal(before.cells, game.board.cells)
        yield ReplayStep(click, before, targets, opened, changed, game.state)


def _targets_of(game: Game, click: CountedClick) -> tuple[Cell, ...]:
    code = game.code(click.cell)
    if click.action is Action.OPEN:
        return (click.cell,) if code == CLOSED else ()
    if click.action is Action.CHORD and code >= 0:
        near = game.topology.neighbours(click.cell)
        if sum(game.code(cell) == FLAG for cell in near) == code:
            return tuple(cell for cell in near if game.code(cell) == CLOSED)
    return ()


def _make(game: Game, click: CountedClick) -> tuple[Cell, ...]:
    if click.action is Action.OPEN:
        return game.open(click.cell)
    if click.action is Action.CHORD:
        return game.chord(click.cell)
    if click.action is Action.FLAG:
        game.toggle_flag(click.cell)
    return ()


# RAWVF: lines of "Key: value", then "Board:" and a row of characters a line, '*' for a mine, then "Events:", which some
# leave out, and a line an event: seconds, kind, column and row from 1, which some leave out, and in brackets x and y in
# pixels. What happened to cells and to the game stands between the mouse's events: it follows from them. Blank lines
# mean nothing.

_EVENT = re.compile(r"(?:(?P<time>-?\d+(?:[.,]\d+)?)\s+)?(?P<kind>[A-Za-z]\w*)(?P<place>(?![:\w]).*)")
_PLACE = re.compile(
    r"(?:\s+(?P<col>-?\d+)\s+(?P<row>-?\d+))?(?:\s*\(\s*(?P<x>-?\d+)[\s,]+(?P<y>-?\d+)\s*\))?(?:[\s(].*)?"
)
_FOLLOWING = {
    *("mv", "start", "won", "lost", "blast", "boom", "nonstandard", "solved", "cell"),
    *("closed", "flag", "pressed", "pressedqm", "questionmark", *(f"number{n}" for n in range(9))),
}
"""Kinds of events that follow from the presses, or have no effect."""
_TOLD = {"bbbv": "bbbv", "3bv": "bbbv", "raw_3bv": "bbbv", "zini": "zini", "raw_zini": "zini", "raw_hzini": "hzini"}
"""Keys of a RAWVF file that carry figures, and our names for them."""
_SQUARE_PX = 16
_MOST_NAMED, _MOST_LETTERS = 5, 20
"""Kinds of events that a remark names, and the letters of a line that is none."""


class _NumberedLine(NamedTuple):
    number: int
    text: str


def parse_rawvf(text: str, source: str) -> Replay:
    """Read a game in RAWVF.

    Args:
        text: the file's text.
        source: its name, for messages.

    Raises:
        UsageError: it is none, or broken; names the line.
    """
    lines = [_NumberedLine(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    heads: dict[str, str] = {}
    n_read = 0
    for n_read, line in enumerate(lines, 1):  # noqa: B007 - the lines of the head, when it has ended
        key, colon, value = line.text.partition(":")
        if colon and key.strip().lower() == "board":
            break
        if not colon:
            raise UsageError(
                f"{source}: line {line.number}: expected 'Key: value' of a RAWVF file, got {line.text[:60]!r}"
            )
        heads[key.strip().lower()] = value.strip()
    else:
        raise UsageError(f"{source}: expected a replay ({_KINDS}), got a text without 'Board:'")
    rows, cols = (_whole(heads, key, source) for key in ("height", "width"))
    if rows * cols > MOST_CELLS:
        raise UsageError(f"{source}: expected a board of at most {MOST_CELLS:,} cells, got {rows} x {cols}")
    layout = _layout_of(lines[n_read : n_read + rows], cols, rows, source)
    n_mines = _whole(heads, "mines", source)
    if layout.n_mines != n_mines:
        raise UsageError(f"{source}: expected the {n_mines} mines of its head on the board, got {layout.n_mines}")
    events = lines[n_read + rows :]
    if events and re.fullmatch(r"events\s*:", events[0].text, re.IGNORECASE):
        del events[0]
    elif events and not _EVENT.fullmatch(events[0].text):
        raise UsageError(
            f"{source}: line {events[0].number}: expected 'Events:' or an event after the {rows} rows of the board"
        )
    square_px = int(_number(heads.get("squaresize", ""), _SQUARE_PX)) or _SQUARE_PX
    unknown: Counter[str] = Counter()
    presses = list(_iter_presses(events, layout, square_px, source, unknown))
    told = {name: _number(heads[key]) for key, name in _TOLD.items() if key in heads}
    return _replay_of(
        source,
        layout,
        presses,
        program=" ".join(filter(None, (heads.get("program", ""), heads.get("version", "")))),
        player=heads.get("player", ""),
        seconds=_number(heads.get("time", "")),
        has_marks=heads.get("marks", heads.get("questionmarks", "")).lower() == "on",
        chords_by_left=heads.get("superclick", "").lower() == "on",
        told={name: value for name, value in told.items() if not math.isnan(value)},
        remark=_remark_on(unknown),
    )


def _iter_presses(
    events: list[_NumberedLine], layout: Layout, square_px: int, source: str, unknown: Counter[str]
) -> Iterator[Press]:
    """The presses among events; the kinds that are not known are counted in `unknown`."""
    before_s = -math.inf
    for n, line in events:
        match = _EVENT.fullmatch(line)
        kind = "" if match is None else match["kind"].lower()
        if match is None or kind not in KINDS:
            if kind not in _FOLLOWING:
                unknown[kind or line[:_MOST_LETTERS]] += 1
            continue
        place = _PLACE.fullmatch(match["place"])
        if match["time"] is None or place is None or (place["col"] is None and place["x"] is None):
            raise UsageError(f"{source}: line {n}: expected 'seconds kind column row (x y)', got {line[:60]!r}")
        seconds = float(match["time"].replace(",", "."))
        if seconds < before_s:
            raise UsageError(f"{source}: line {n}: expected a time of {before_s} s or later, got {match['time']}")
        before_s = seconds
        if place["x"] is None:
            row, col = int(place["row"]) - 1, int(place["col"]) - 1
        else:
            row, col = int(place["y"]) // square_px, int(place["x"]) // square_px
        yield Press(seconds, kind, _cell_on(layout, row, col))


def _remark_on(unknown: Counter[str]) -> str:
    """What to say of kinds of events that are not known."""
    if not unknown:
        return ""
    listed = ", ".join(f"{kind!r}" + (f" ({n} times)" if n > 1 else "") for kind, n in unknown.most_common(_MOST_NAMED))
    more = f" and {counted(len(unknown) - _MOST_NAMED, 'other kind')}" if len(unknown) > _MOST_NAMED else ""
    return f"left out {counted(unknown.total(), 'event')} of no known kind: {listed}{more}"


def _cell_on(layout: Layout, row: int, col: int) -> Cell | None:
    return (row, col) if 0 <= row < layout.shape[0] and 0 <= col < layout.shape[1] else None


def _layout_of(lines: list[_NumberedLine], cols: int, rows: int, source: str) -> Layout:
    for n, row in lines:
        if len(row) != cols:
            raise UsageError(f"{source}: line {n}: expected a row of {cols} cells of the board, got {len(row)}")
    if len(lines) != rows:
        raise UsageError(f"{source}: expected {rows} rows of the board, got {len(lines)}: it is cut off")
    return Layout(np.array([[letter == "*" for letter in row] for _, row in lines], dtype=np.bool_))


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
        raise UsageError(f"{path}: expected a replay ({_KINDS} text) or the folder of a recording, got other data")
    return text


def _replay_of(  # noqa: PLR0913 - what a file says
    source: str,
    layout: Layout,
    presses: Iterable[Press],
    *,
    program: str,
    player: str,
    seconds: float,
    has_marks: bool,
    told: Mapping[str, float],
    chords_by_left: bool = False,
    remark: str = "",
) -> Replay:
    """A game of which a file tells what the buttons did."""
    game = Game.on(layout)
    clicks = []
    for click in ReplayedMouse(game, has_marks, chords_by_left).iter_clicks(presses):
        clicks.append(click)
        _make(game, click)
    return _checked(Replay(source, program, player, layout, tuple(clicks), seconds, told, remark))


def _checked(replay: Replay) -> Replay:
    if not any(click.action is Action.OPEN and click.button for click in replay.clicks):
        remark = f" ({replay.remark})" if replay.remark else ""
        raise UsageError(f"{replay.source}: no cell is opened in it: it is cut off, or no game was played{remark}")
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
        raise UsageError(f"{path}: replays of {_FOREIGN[suffix]} need ms_toollib: pip install '.[review]'")
    if done.returncode != 0:
        raise UsageError(f"{path}: ms_toollib cannot read it: {_why_ended(told, _FOREIGN[suffix])}")
    try:
        return _of_foreign(path, json.loads(done.stdout))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, SolverError) as error:
        raise UsageError(f"{path}: what ms_toollib reads in it is no game ({error})") from error


_CRASH_LOG = "crash.log"
_REASONS = {
    "FileIsTooShort": "it is cut off",
    "FileIsNot": "it is no replay of {program}",
    "Utf8Error": "a name in it is not UTF-8",
    "panicked": "it is damaged, or of a version of {program} that ms_toollib does not know",
}
"""What is in ms_toollib's last words, and what it means."""


def _why_ended(told: bytes, program: str) -> str:
    """Why ms_toollib ended its process, from what that left."""
    words = told.decode("utf-8", errors="replace")
    for sign, reason in _REASONS.items():
        if sign in words:
            return reason.format(program=program)
    lines = words.split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "it ended without a word")


def _of_foreign(path: Path, given: dict[str, Any]) -> Replay:
    layout = Layout(np.array(given["has_mine"], dtype=np.bool_))
    if len(layout.shape) != 2:
        raise ValueError("it has no board")
    presses = [
        Press(float(seconds), kind, _cell_on(layout, row, col))
        for seconds, kind, row, col in given["presses"]
        if kind in KINDS
    ]
    return _replay_of(
        str(path),
        layout,
        presses,
        program=given["program"],
        player=given["player"],
        seconds=float(given["seconds"]),
        has_marks=bool(given["has_marks"]),
        told=given["told"],
    )


def _read_clone(path: Path, content: bytes) -> Replay:
    try:
        video = parse_clone(content)
    except CloneFileError as error:
        raise UsageError(f"{path}: {error}") from error
    return _replay_of(
        str(path),
        video.layout,
        video.presses,
        program=f"Minesweeper Clone {video.version}",
        player=video.player,
        seconds=video.seconds,
        has_marks=video.has_marks,
        told={} if video.bbbv is None else {"bbbv": video.bbbv},
    )


def _of_recorded(path: Path, game: RecordedGame) -> Replay:
    """A game of a recording: what the bot did, and what else is open on its boards by somebody else's hand.

    Raises:
        UsageError: its board is not flat.
    """
    if len(game.layout.shape) != 2:
        raise UsageError(f"{path}: game {game.number}: reviews are of flat boards, this one has {game.layout.shape}")
    played = Game.on(game.layout)
    clicks: list[CountedClick] = []

    def make(click: CountedClick) -> None:
        clicks.append(click)
        _make(played, click)

    begun_s = next((one.seconds for one in game.decisions if (one.board.cells >= 0).any()), 0.0)
    for decision in game.decisions:
        if decision.moves is None:
            for click in _iter_seen_clicks(played, decision.board, max(0.0, decision.seconds - begun_s)):
                make(click)
            continue
        for cell in _unexplained(played, decision.board):
            make(CountedClick(decision.seconds, None, Action.OPEN, cell))
        for move in decision.moves:
            if not played.is_over:
                make(CountedClick(decision.seconds, _BUTTONS[move.action], move.action, move.cell))
    is_watched = any(decision.moves is None for decision in game.decisions)
    program = "" if is_watched else "minebot"
    return _checked(Replay(f"{path} game {game.number}", program, "", game.layout, tuple(clicks), game.seconds))


_BUTTONS = {Action.OPEN: CountedButton.LEFT, Action.FLAG: CountedButton.RIGHT, Action.CHORD: CountedButton.DOUBLE}


def _iter_seen_clicks(game: Game, board: Board, seconds: float) -> Iterator[CountedClick]:
    """The clicks of a person that lead from a game to a board seen later; each is made before the next is asked.

    Flags come first, then chords that open several cells, then single cells, zeros before numbers and mines last. Which
    of two clicks came first is not known where one look shows both, nor are clicks that changed nothing.
    """
    for action, cell in chain(_flags_seen(game, board), _chords_seen(game, board), _cells_seen(game, board)):
        if not game.is_over:
            yield CountedClick(seconds, _BUTTONS[action], action, cell)


def _flags_seen(game: Game, board: Board) -> Iterator[tuple[Action, Cell]]:
    """Flags set or taken away; many clones set those of a finished board themselves."""
    if board.state in (GameState.WON, GameState.LOST):
        return
    for cell in np.ndindex(board.shape):
        if {int(board[cell]), game.code(cell)} == {CLOSED, FLAG}:
            yield Action.FLAG, cell


def _chords_seen(game: Game, board: Board) -> Iterator[tuple[Action, Cell]]:
    for cell in np.ndindex(board.shape):
        targets = _targets_of(game, CountedClick(0.0, None, Action.CHORD, cell))
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
