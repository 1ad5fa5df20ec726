"""`minebot advisor`: a dialogue with a person who plays: says which cell to open, and is told what it shows.

Reads a line an answer from standard input, a terminal or not, and ends with it. Needs no display.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bot.commands.arguments import add_size, check_size, whole
from bot.console import ask, emit, fold
from bot.errors import UsageError
from bot.reporting.text_boards import page_width, rule_board, sign_cells
from solver import Board, BoardValueError, InconsistentError, Move, analyse, decide
from solver.board import CLOSED, EXPLODED, format_rows, known_risk
from solver.words import counted, name_cell, name_shape

if TYPE_CHECKING:
    import argparse

    from solver import Cell

EXAMPLE = "minebot advisor --size 9x9 --mines 10"

_MOST_CELLS = 100_000
_HELP = """answers:
  3           the cell shows 3 (0 for a blank one)
  * or mine   it was a mine: noted, and on we go
  R,C 3       another cell, row R and column C, shows 3 (or *); 0-based
  undo        takes the last answer back
  board       shows what is known
  quit        ends"""
_OTHER_CELL = re.compile(r"([0-9]{1,6}(?:,[0-9]{1,6})*)[ =:]+(\S+)")
_MINE_WORDS = ("*", "mine")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_size(parser, "rows and columns; in more dimensions all sides, such as 4x4x4", is_required=True)
    parser.add_argument("--mines", required=True, type=whole(0), metavar="N", help="how many mines the board has")
    parser.add_argument("--wrap", action="store_true", help="the edges join: every axis is a ring")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object at the end; the rest to standard error"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Hold the dialogue; return 0, or 1 when a mine was opened."""
    check_size(args.shape, _MOST_CELLS, most_dimensions=9)
    try:
        board = Board(np.full(args.shape, CLOSED, dtype=np.int16), args.mines, args.wrap)
    except BoardValueError as error:
        raise UsageError(str(error)) from error
    dialogue = _GameDialogue(board, sys.stderr if args.json else sys.stdout)
    result = dialogue.hold()
    emit(dialogue.as_json(result), as_json=args.json)
    return 1 if result == "lost" else 0


@dataclass
class _GameDialogue:
    """What was said so far.

    Attributes:
        board: what is known.
        out: where prompts and remarks go.
        moves: every answer that counts: the cell, what it shows, and the risk and reason it was advised with (None when
            it was not).
        before: the board before each of `moves`.
    """

    board: Board
    out: IO[str]
    moves: list[tuple[Cell, int, Move | None]] = field(default_factory=list)
    before: list[Board] = field(default_factory=list)

    def hold(self) -> str:
        """Advise and listen until there is nothing to open or to read; return the result's word."""
        self._say(
            f"{name_shape(self.board.shape)}, {counted(self.board.mines or 0, 'mine')}. 'help' lists the answers."
        )
        while (move := decide(analyse(self.board)).move) is not None:
            self._say(f"open {_name(move.cell)}: {move.why}")
            word = self._listen(move)
            if word is not None:
                return self._end(word)
        self._show_board()
        return self._end("solved")

    def as_json(self, result: str) -> dict[str, Any]:
        """The whole dialogue as the JSON object that ends it."""
        return {
            "result": result,
            "board": format_rows(self.board.cells),
            "mines_opened": self._n_exploded(),
            "moves": [
                {
                    "cell": cell,
                    "answer": "*" if code == EXPLODED else code,
                    "advised": move is not None,
                    "p_mine": None if move is None else known_risk(move.p_mine),
                    "why": None if move is None else move.why,
                }
                for cell, code, move in self.moves
            ],
        }

    def _say(self, text: str) -> None:
        print(fold(text, self.out), file=self.out, flush=True)

    def _show_board(self) -> None:
        self._say("\n".join(rule_board(self.board.shape, sign_cells(self.board), page_width(self.out))))

    def _end(self, word: str) -> str:
        n_exploded = self._n_exploded()
        result = "lost" if n_exploded else word
        mines = f": {counted(n_exploded, 'mine')} opened" if n_exploded else ""
        everything = ", everything else is open" if n_exploded and word == "solved" else ""
        self._say(f"{result}{mines}{everything}")
        return result

    def _n_exploded(self) -> int:
        return int((self.board.cells == EXPLODED).sum())

    def _listen(self, move: Move) -> str | None:
        """Take answers until one changes the board (None), or ends the dialogue (the result's word)."""
        while True:
            answer = ask(self.out)
            if answer is None:
                return "end-of-input"
            if answer == "quit":
                return "quit"
            if answer in ("help", "?"):
                self._say(_HELP)
            elif answer == "board":
                self._show_board()
            elif self._undo() if answer == "undo" else self._note(answer, move):
                return None

    def _undo(self) -> bool:
        """Take back the last answer that was noted; whether there was one."""
        if not self.moves:
            self._say("there is nothing to take back")
            return False
        cell, _, _ = self.moves.pop()
        self.board = self.before.pop()
        self._say(f"taken back: {_name(cell)} is closed again")
        return True

    def _note(self, answer: str, move: Move) -> bool:
        """Put what was told on the board; say what is wrong with it, if anything is."""
        try:
            cell, code = self._parse(answer, move.cell)
            board = self.board.with_cells(cell, code)
            analyse(board)
        except ValueError as error:
            self._say(f"{error}; 'help' lists the answers")
            return False
        except InconsistentError as error:
            self._say(f"that contradicts what was told before: {error}. Not noted; 'undo' takes back the answer before")
            return False
        self.before.append(self.board)
        self.moves.append((cell, code, move if cell == move.cell else None))
        self.board = board
        if code == EXPLODED:
            self._say(f"{_name(cell)} was a mine: noted. Where the game goes on, so can we ('quit' ends)")
        return True

    def _parse(self, answer: str, advised: Cell) -> tuple[Cell, int]:
        """The cell that an answer is about, and its code.

        Raises:
            ValueError: it is not an answer.
        """
        cell, word = advised, answer
        if match := _OTHER_CELL.fullmatch(answer):
            cell, word = tuple(map(int, match[1].split(","))), match[2]
        if not self.board.topology.has_cell(cell):
            raise ValueError(f"expected a cell of the {name_shape(self.board.shape)} board, got {match and match[1]}")
        if self.board[cell] != CLOSED:
            raise ValueError(f"expected a closed cell, but {_name(cell)} is open already")
        if word in _MINE_WORDS:
            return cell, EXPLODED
        most = len(self.board.topology.neighbours(cell))
        if not (word.isascii() and word.isdecimal() and len(word) <= 6 and int(word) <= most):
            raise ValueError(
                f"expected what {_name(cell)} shows: a number from 0 to {most}, or * for a mine, got {word[:20]!a}"
            )
        return cell, int(word)


def _name(cell: Cell) -> str:
    """A cell as the dialogue calls it."""
    return f"row {cell[0]}, column {cell[1]}" if len(cell) == 2 else name_cell(cell)
