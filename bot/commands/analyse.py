"""`minebot analyse`: a position in a window, to paint and to explore; or the positions of a review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bot.commands.arguments import add_size, whole
from bot.commands.loading import (
    add_source,
    load_games,
    load_text,
    look_around,
    name_source,
    names_file,
    parse_given_board,
    read_frame,
)
from bot.commands.output import analysis_as_json
from bot.console import emit, tell
from bot.errors import ScreenError, UsageError
from solver import Board
from solver.board import CLOSED, Action, format_rows
from solver.errors import SolverError
from solver.formats import AUTO, FORMATS

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from bot.game.analysis_board import AnalysisBoard, Known, Station
    from bot.models import Frame
    from bot.reviewing.replay_files import Replay

EXAMPLE = "minebot analyse game.avf"

_EXPERT, _EXPERT_MINES = (16, 30), 99
_DONE = {Action.OPEN: "opens", Action.CHORD: "chords on", Action.FLAG: "flags", None: "marks"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_source(
        parser,
        "FILE",
        "a board's text, a picture, a replay, a recording, or an address of JSMinesweeper; - for a text from stdin "
        "(default: an empty board)",
        is_required=False,
    )
    add_size(parser, "of an empty board (default: 16x30 with 99 mines)")
    parser.add_argument("--mines", type=whole(0), metavar="N", help="the total number of mines")
    parser.add_argument("--skin", default="auto", help="the skin of a picture, or auto (the default)")
    parser.add_argument(
        "--whole", action="store_true", help="the picture shows all of the board, whatever lies beside it"
    )
    parser.add_argument("--format", choices=[AUTO, *FORMATS], help="the form of a text (default: found out from it)")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object when the window is closed: its position, as solve"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Open the window; return 0 when it is closed.

    Raises:
        ScreenError: no window can be opened here.
        UsageError: there is no such file, or no position in it that the window has room for.
    """
    model = _load(args)
    try:
        from bot.game.analysis_window import analyse_in_window
    except ImportError as error:
        raise ScreenError(f"this Python has no tkinter ({error}): install it (Debian, Ubuntu: python3-tk)") from error
    from bot.warm_up import warm_up
    from skins import load_shipped_skin

    warm_up()
    analyse_in_window(
        model,
        lambda given: _board_of(given, "the clipboard", args),
        lambda path: _board_in(path, args),
        load_shipped_skin("minebot"),
    )
    emit(_as_json(model.board, model.known), as_json=args.json)
    return 0


def _load(args: argparse.Namespace) -> AnalysisBoard:
    from bot.game.analysis_board import AnalysisBoard

    around = look_around(args)
    if (around or args.source) and args.shape is not None:
        raise UsageError("--size is about an empty board: what is given has its own")
    if around is not None:
        return AnalysisBoard(_checked(_board_of(around[1], around[0], args), around[0]))
    if args.source is None:
        shape = args.shape or _EXPERT
        mines = args.mines if args.shape or args.mines is not None else _EXPERT_MINES
        _check_shape(shape, "--size")
        return AnalysisBoard(_with_mines(Board(np.full(shape, CLOSED, dtype=np.int16)), mines, "--mines"))
    name = name_source(args.source)
    given = _load_given(args.source, args.format)
    if isinstance(given, tuple):
        if args.mines is not None:
            raise UsageError(f"--mines is about a board, and {name} is a replay: it has its own mines")
        stations = _stations(given)
        return AnalysisBoard(_checked(stations[0].board, name), stations)
    return AnalysisBoard(_checked(_board_of(given, name, args), name))


def _board_in(path: Path, args: argparse.Namespace) -> Board:
    """The board in a file that is opened in the window.

    Raises:
        BoardNotFoundError, UsageError: there is none, or it is a replay.
    """
    given = _load_given(str(path), args.format)
    if isinstance(given, tuple):
        raise UsageError(f"a replay is opened by 'minebot analyse FILE', not here: {path}")
    return _board_of(given, str(path), args)


def _load_given(source: str, form: str | None) -> Frame | str | tuple[Replay, ...]:
    """A picture, a board's text, or the games of a replay or recording."""
    from bot.images import load_if_picture
    from bot.reviewing.replay_files import is_replay

    path = Path(source)
    if names_file(source) and form is None:
        if is_replay(path):
            return load_games(path)
        picture = load_if_picture(path)
        if picture is not None:
            return picture
    try:
        return load_text(source)
    except SolverError as error:
        raise UsageError(f"{name_source(source)}: {error}") from error


def _board_of(given: Frame | str, name: str, args: argparse.Namespace) -> Board:
    """The board of a picture, the first of several, or of a text.

    Raises:
        BoardNotFoundError: the picture shows none.
        UsageError: the text is none.
    """
    if isinstance(given, str):
        return parse_given_board(given, name, args.format, mines=args.mines)
    readings = read_frame(given, name, args.skin, args.mines, is_whole=args.whole)
    if len(readings) > 1:
        tell(f"{name} has {len(readings)} boards: the topmost is shown")
    return readings[0][0].board


def _stations(replays: tuple[Replay, ...]) -> tuple[Station, ...]:
    """The position before each click that changed something; of several games one after the other."""
    from bot.game.analysis_board import Station
    from bot.reviewing.replay_files import iter_steps
    from solver.words import name_cell

    stations = []
    for number, replay in enumerate(replays, 1):
        game = f"game {number}, " if len(replays) > 1 else ""
        for step in iter_steps(replay):
            if step.changed:
                end = "" if step.after.value in ("fresh", "playing") else f", and the game is {step.after.value}"
                done = f"{_DONE[step.click.action]} {name_cell(step.click.cell)}"
                title = f"{game}{done} at {step.click.seconds:.2f} s{end}"
                board = step.before.with_mines(replay.layout.n_mines)
                stations.append(Station(board, title, step.click.cell))
    return tuple(stations)


def _checked(board: Board, name: str) -> Board:
    _check_shape(board.shape, name)
    return board


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    from bot.game.sizes import checked_size

    try:
        checked_size(shape, 0)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def _with_mines(board: Board, mines: int | None, name: str) -> Board:
    try:
        return board.with_mines(mines)
    except SolverError as error:
        raise UsageError(f"{name}: {error}") from error


def _as_json(board: Board, known: Known) -> dict[str, Any]:
    position = {"board": format_rows(board.cells), "mine_count": board.mines}
    if known.analysis is None:
        return {"consistent": False, "clue": known.clue, "why": known.problem, **position}
    return analysis_as_json(known.analysis) | position
