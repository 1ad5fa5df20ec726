"""The built-in game in letters, for a person at a terminal or a script: boards of any dimensions, no window.

Reads a line a command from standard input, a terminal or not, and ends with it.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from bot.console import ask, fold
from bot.game.why import ask_why, asked_first
from bot.reporting.text_boards import HINT_SIGN, colour_line, iter_ruled, page_width, sign_cells
from solver.board import FLAG, Action, GameState, Move
from solver.words import counted, format_cells, name_shape

if TYPE_CHECKING:
    from bot.game.session import Session
    from solver.topology import Cell

_HELP = """R,C          opens the cell in row R, column C (all indices in other dimensions); on an open number, as chord
flag R,C     sets a flag, or takes it off (f)
chord R,C    opens what is around a number that has its flags (c)
undo         takes the last move back (u)
hint         marks the best move with an X (h)
why [R,C]    after a game: what was known of a cell, and what would have been best (w)
new          another game (n)
board        shows the board (b)
quit         ends (q)"""
_WORDS = ("open", "flag", "chord", "undo", "hint", "why", "new", "board", "help", "quit")
_NAMES = {name: word for word in _WORDS for name in (word, word[0])} | {"h": "hint", "help": "help", "?": "help"}
_ACTIONS = {"open": Action.OPEN, "flag": Action.FLAG, "chord": Action.CHORD}
_COMMAND = re.compile(r"([a-z?]*) ?([0-9]{1,6}(?:[ ,]+[0-9]{1,6})*)?")


def play_in_terminal(session: Session, out: IO[str]) -> int:
    """Play until a person quits or the input ends; return 0, or 1 when the last game that ended was lost.

    Args:
        session: the games.
        out: where the boards and all words go.
    """
    return _Play(session, Console(file=out, highlight=False, soft_wrap=True)).hold()


class _Play:
    """The dialogue."""

    def __init__(self, session: Session, console: Console) -> None:
        self._session = session
        self._console = console
        self._has_lost = False

    def hold(self) -> int:
        """Listen and do, line by line."""
        self._begin()
        while (line := ask(self._console.file)) is not None:
            if not line:
                continue
            match = _COMMAND.fullmatch(line)
            word = _NAMES.get(match[1] or "open") if match else None
            if match is None or word is None or (not match[1] and not match[2]):
                self._say(f"expected a cell such as {self._example} or a command, got {line[:40]!a}; 'help' lists them")
            elif word == "quit":
                break
            else:
                self._obey(word, match[2])
        return 1 if self._has_lost else 0

    @property
    def _example(self) -> str:
        return ",".join("0" * len(self._session.size.shape))

    def _obey(self, word: str, numbers: str | None) -> None:
        cell = None if numbers is None else tuple(map(int, re.split("[ ,]+", numbers)))
        if cell is not None and not self._session.game.topology.has_cell(cell):
            self._say(f"expected a cell of the {name_shape(self._session.size.shape)} board, got {numbers}")
        elif word in _ACTIONS:
            self._act(_ACTIONS[word], cell)
        elif word == "why":
            self._explain(cell)
        elif word == "help":
            self._say(_HELP)
        else:
            self._change(word)

    def _act(self, action: Action, cell: Cell | None) -> None:
        session = self._session
        if cell is None:
            self._say(f"expected a cell: {action.value} {self._example}")
            return
        if session.game.is_over:
            self._say("the game is over: 'new' begins another, 'undo' takes the last move back")
            return
        before = session.game.board
        session.act(Move(action, cell))
        if session.game.board == before:
            self._say(session.remark or _say_idle(action, cell, before[cell]))
        else:
            self._show()

    def _change(self, word: str) -> None:
        """Do what is no move."""
        if word == "undo":
            if not self._session.turns:
                self._say("there is nothing to take back")
                return
            self._session.undo()
        elif word == "hint":
            self._session.ask_hint()
            self._show()
            if self._session.remark:
                self._say(self._session.remark)
            return
        elif word == "new":
            self._session.new_game()
            self._begin()
            return
        self._show()

    def _explain(self, cell: Cell | None) -> None:
        session = self._session
        if not session.game.is_over:
            self._say("only after the game; 'hint' marks the best move now")
            return
        asked = asked_first(session) if cell is None else cell
        answer = None if asked is None else ask_why(session, asked)
        self._say("it was open from the first move on" if answer is None else answer.text)

    def _begin(self) -> None:
        size = self._session.size
        kind = ", no guess needed" if self._session.rules.is_guess_free else ""
        self._say(f"{name_shape(size.shape)}, {counted(size.mines, 'mine')}{kind}. 'help' lists the commands.")
        self._show()

    def _show(self) -> None:
        """The board, and how many mines are left, or how the game ended."""
        session = self._session
        signs = {} if session.hint is None or session.game.is_over else {session.hint: HINT_SIGN}
        for line in iter_ruled(
            session.size.shape, sign_cells(session.game.board, signs), page_width(self._console.file)
        ):
            self._console.print(colour_line(line, is_over=session.game.is_over))
        if session.game.is_over:
            self._show_end()
        else:
            start = session.hint if session.game.state is GameState.FRESH else None
            hint = f"; begin at {format_cells([start])}" if start else ""
            self._say(f"mines left: {session.mines_left}{hint}")

    def _show_end(self) -> None:
        session = self._session
        state, score = session.game.state, session.score
        assert score is not None, "a game that is over was begun"
        self._has_lost = state is GameState.LOST
        remark = f"; {session.remark}" if session.remark else ""
        more = "'why' explains, 'new' begins another" if self._has_lost else "'new' begins another"
        self._say(f"{state.value}: {score.text}{remark}. {more}.")

    def _say(self, text: str) -> None:
        self._console.print(Text(fold(text, self._console.file)))


def _say_idle(action: Action, cell: Cell, code: int) -> str:
    """Why a move did nothing."""
    name = format_cells([cell])
    if action is Action.OPEN and code == FLAG:
        return f"{name} has a flag: 'flag {','.join(map(str, cell))}' takes it off"
    if action is Action.FLAG:
        return f"{name} is open already"
    return f"nothing opens around {name}: it needs as many flags beside it as it says"
