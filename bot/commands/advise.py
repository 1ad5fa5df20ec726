"""`minebot advise`: the best move of a picture or of a board's text, and why. Needs no display."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.arguments import add_rule, parse_seconds, whole
from bot.commands.loading import (
    add_source,
    load_board,
    look_around,
    name_source,
    names_file,
    parse_given_board,
    read_frame,
)
from bot.commands.output import analysis_as_json, number_boards, reading_as_json, rule_proven, tabulate
from bot.console import emit, tell
from bot.errors import UsageError
from bot.images import check_can_save, load_if_picture, save_png
from bot.models import Frame
from bot.reporting.advice import Advice, advise
from bot.reporting.drawing import Annotated, annotate_advice, describe_reading, draw_sheet, paint_position, usual_skin
from skins import find_skin
from solver import InconsistentError
from solver.board import known_risk
from solver.formats import AUTO, FORMATS
from solver.layout import FirstClick

if TYPE_CHECKING:
    import argparse

    from bot.models import Grid, Reading
    from bot.vision.mine_counter import MineCount
    from solver import Board, Move

EXAMPLE = "minebot advise screenshot.png --why --picture risks.png"

_PICTURE_NAMES = {".png", ".bmp", ".jpg", ".jpeg"}
_INCONSISTENT = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_source(
        parser,
        "IMAGE|BOARD",
        "a picture file, a file with a board's text, an address of JSMinesweeper, or - for a text from stdin",
    )
    parser.add_argument("--why", action="store_true", help="say why: the proof, or the figures of every candidate")
    parser.add_argument(
        "--think",
        type=parse_seconds,
        default=0.0,
        metavar="SECONDS",
        help="seconds to think about a guess (default: a millisecond)",
    )
    parser.add_argument("--picture", type=Path, metavar="OUT.png", help="draw the risk map and the best move")
    parser.add_argument("--skin", default="auto", help="the skin of a picture, or auto (the default)")
    parser.add_argument("--mines", type=whole(0), metavar="N", help="the total number of mines")
    add_rule(parser)
    parser.add_argument(
        "--whole", action="store_true", help="the picture shows all of the board, whatever lies beside it"
    )
    parser.add_argument("--format", choices=[AUTO, *FORMATS], help="the form of a text (default: found out from it)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Advise on every board; of several exit codes, 2 no mine count and 3 a contradiction, the highest is returned."""
    if args.picture is not None:
        check_can_save(args.picture, source=Path(args.source) if args.source and names_file(args.source) else None)
    outcomes = [_judge(position, in_words=args.why, think_s=args.think) for position in _load(args)]
    if args.picture is not None:
        save_png(args.picture, draw_sheet([outcome.draw() for outcome in outcomes]))
    objects = [outcome.as_json() for outcome in outcomes]
    told = objects[0] | ({"boards": objects} if len(objects) > 1 else {})
    emit(told, "\n".join(outcome.as_text() for outcome in outcomes).splitlines(), as_json=args.json)
    for outcome in outcomes:
        if outcome.error is not None:
            tell(f"{outcome.title}{outcome.error}")
    return max(outcome.exit_code for outcome in outcomes)


@dataclass(frozen=True, eq=False)
class _Position:
    """A board to advise on.

    Attributes:
        title: put before its words: which of several boards it is.
        board: the cells.
        read: what was read of it, and where its mine count comes from; None for a text.
        place: the picture it is on, and where; None for a text of which no picture is wanted.
        first_click: the game's rule for the first click; None where it is not known.
    """

    title: str
    board: Board
    read: tuple[Reading, MineCount] | None
    place: tuple[Frame, Grid] | None
    first_click: FirstClick | None


def _load(args: argparse.Namespace) -> list[_Position]:
    """The boards of a picture, or the board of a text."""
    name, given = look_around(args) or (
        name_source(args.source),
        load_if_picture(Path(args.source)) if names_file(args.source) and args.format is None else None,
    )
    if isinstance(given, Frame):
        boards = read_frame(given, name, args.skin, args.mines, is_whole=args.whole)
        titles = number_boards(len(boards))
        return [
            _Position(title, reading.board, (reading, count), (given, reading.grid), _rule(args.first, reading.skin))
            for title, (reading, count) in zip(titles, boards, strict=True)
        ]
    if given is None and names_file(args.source) and Path(args.source).suffix.lower() in _PICTURE_NAMES:
        raise UsageError(f"{args.source}: expected a picture (PNG, BMP, JPEG), got something else")
    if args.skin != "auto" or args.whole:
        option = "--whole" if args.whole else "--skin"
        raise UsageError(f"{option} is about pictures, and {name} is a board's text")
    if given is None:
        board = load_board(args.source, args.format, mines=args.mines, wrap=False)
    else:
        board = parse_given_board(given, name, args.format, mines=args.mines)
    place = None if args.picture is None else paint_position(board, usual_skin(board.shape))
    return [_Position("", board, None, place, _rule(args.first))]


def _rule(first: str | None, skin: str | None = None) -> FirstClick | None:
    """The rule for the first click: the one that was asked for, else that of the skin."""
    if first is None and skin is not None:
        first = find_skin(skin).first_click
    return None if first is None else FirstClick(first)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What came of one board: advice, or why there is none."""

    position: _Position
    advice: Advice | None
    error: UsageError | InconsistentError | None
    has_words: bool

    @property
    def title(self) -> str:
        return self.position.title

    @property
    def exit_code(self) -> int:
        if self.error is None:
            return 0
        return self.error.exit_code if isinstance(self.error, UsageError) else _INCONSISTENT

    @property
    def _headline(self) -> str:
        return f"no advice: {str(self.error).splitlines()[0]}" if self.advice is None else self.advice.headline

    @property
    def _words(self) -> list[str]:
        """The reason, less what the headline says."""
        if self.advice is None:
            return []
        lines = self.advice.why.splitlines()
        return lines[1:] if lines[0] in self._headline else lines

    def as_json(self) -> dict[str, Any]:
        """The fields of `solve`, and the advice."""
        read = self.position.read
        origin = {} if read is None else {"reading": reading_as_json(*read)}
        if self.advice is None:
            clue = {"clue": self.error.clue} if isinstance(self.error, InconsistentError) else {}
            known: dict[str, Any] = {"consistent": not clue, **clue, "state": self.position.board.state.value}
            return known | {"move": None, "why": str(self.error), "candidates": []} | origin
        move = self.advice.move
        return {
            **analysis_as_json(self.advice.analysis),
            "state": self.advice.state.value,
            "move": None if move is None else _move_as_json(move),
            "why": self.advice.why,
            "candidates": [candidate.as_json() for candidate in self.advice.candidates],
            **origin,
        }

    def as_text(self) -> str:
        """The board with what is proven, the move, and why."""
        lines = [] if self.position.read is None else [f"{self.title}{describe_reading(self.position.read[0])}"]
        if self.advice is not None:
            lines += rule_proven(self.advice.analysis)
            lines += ["; '.' is proven safe, '*' a mine", self._headline]
            if self.has_words:
                lines += ["", *self._words, *tabulate(self.advice.candidates)]
        return "".join(f"{line}\n" for line in lines)

    def draw(self) -> Annotated:
        """The board with its risks, for a picture."""
        place = self.position.place
        assert place is not None, "a picture was wanted, so the board has a place"
        reading = None if self.position.read is None else self.position.read[0]
        caption = [] if reading is None else [f"{self.title}{describe_reading(reading)}"]
        words = self._words if self.has_words else []
        return annotate_advice(*place, self.position.board, self.advice, [*caption, self._headline, *words])


def _move_as_json(move: Move) -> dict[str, Any]:
    p_mine = known_risk(move.p_mine)
    return {"action": move.action.value, "cell": move.cell, "p_mine": p_mine}


def _judge(position: _Position, *, in_words: bool, think_s: float) -> _Outcome:
    try:
        advice = advise(position.board, first_click=position.first_click, in_words=in_words, think_s=think_s)
        return _Outcome(position, advice, None, in_words)
    except (UsageError, InconsistentError) as error:
        return _Outcome(position, None, error, in_words)
