"""One sitting: game after game, with seeds, clicks, time, marks, undo and a log. Knows nothing of windows.

The log is an independent look at what happened: one JSON line per finished game, written by the game itself, with the
keys result (`won` or `lost`), rows, cols (of four dimensions: shape), mines, seconds, clicks (moves tried on the board
while the game ran, useful or not) and bbbv; and undone, how many moves were taken back, where any were.

How well a game was played: 3BV, its speed, and what the clicks were worth.

3BV and efficiency as the speed-running community defines them (https://minesweepergame.com/wiki.php): the 3BV is the
fewest left clicks that clear a board without flags, and the efficiency the 3BV that was cleared for every click made,
those for flags and those without effect included.

Where the boards of the built-in game come from: drawn at random, made to take no guess, or given in a file.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from bot.coaching.knowledge import give_reason, know
from bot.errors import UsageError
from bot.game.kept_games import KeptGames, TimedMove
from bot.game.records import BestTimes
from bot.game.sizes import BoardSize
from solver import analyse
from solver.board import CLOSED, FLAG, Action, GameState, Move
from solver.errors import BoardValueError, GenerationError
from solver.game import Game
from solver.generation import Order, generate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from solver.board import Board
    from solver.game import SavedGame
    from solver.simulation import Deal
    from solver.topology import Cell


@dataclass(frozen=True, slots=True)
class GameFigures:
    """The figures of one game.

    Attributes:
        seconds: since the first cell was opened.
        clicks: moves tried while the game ran, useful or not.
        bbbv: of the whole board.
        bbbv_done: what of it is open.
    """

    seconds: float
    clicks: int
    bbbv: int
    bbbv_done: int

    @property
    def bbbv_per_s(self) -> float | None:
        """3BV a second; None for a game that took no time."""
        return self.bbbv_done / self.seconds if self.seconds > 0 else None

    @property
    def efficiency(self) -> float | None:
        """3BV for every click; None without a click."""
        return self.bbbv_done / self.clicks if self.clicks else None

    @property
    def text(self) -> str:
        """The figures in one line."""
        done = f"{self.bbbv}" if self.bbbv_done == self.bbbv else f"{self.bbbv_done} of {self.bbbv}"
        parts = [f"{self.seconds:.2f} s", f"3BV {done}"]
        if self.bbbv_per_s is not None:
            parts.append(f"3BV/s {self.bbbv_per_s:.2f}")
        if self.efficiency is not None:
            parts.append(f"efficiency {self.efficiency:.0%}")
        return ", ".join(parts)


def _score_of(game: Game, seconds: float, clicks: int) -> GameFigures:
    """Score a game whose layout is decided, whether or not it has ended."""
    assert game.layout is not None, "a cell was opened"
    return GameFigures(seconds, clicks, game.layout.bbbv, game.layout.bbbv_of(game.board.cells >= 0))


_PATIENCE_S = 5.0  # processor time for one board without a guess: Expert takes 3 ms, and somebody is waiting
_SEED_BITS = 60


class _Dealt(NamedTuple):
    """A fresh game, and the cell to begin at where the board has one."""

    game: Game
    start: Cell | None


def _game_seed(seed: int | None, number: int) -> str | None:
    """The seed of game `number` (from 1) of a sitting: None stays None, a new layout every time."""
    return None if seed is None else f"{seed}/{number}"


def _deal_guess_free(size: BoardSize, seed: str | None, start: Cell | None = None) -> _Dealt:
    """A board that takes no guess from its own hint on, or from `start`.

    Raises:
        UsageError: no such board was found.
    """
    number = random.Random(seed).getrandbits(_SEED_BITS)
    try:
        made = generate(Order(size.shape, size.mines, start=start, is_guess_free=True), number, patience_s=_PATIENCE_S)
    except (BoardValueError, GenerationError) as error:
        where = "" if start is None else f" that begins at ({','.join(map(str, start))})"
        raise UsageError(f"no board of {size.label} without a guess was found{where}") from error
    return _Dealt(Game.on(made.layout), made.hint)


QUESTION = -100  # a closed cell with a question mark, among the codes of `Session.shown`: a mark of this game alone
HINTED = {CLOSED: -101, FLAG: -102, QUESTION: -103}
"""Likewise the codes of closed cells with the cross of a hint on them, by what they are without it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a person chose.

    Attributes:
        is_guess_free: boards take no guess, the first one included.
        has_question_marks: a second right click makes one of a flag.
    """

    is_guess_free: bool = False
    has_question_marks: bool = False


class GameLog:
    """The lines of the games that end: appended to a file, printed, both or neither.

    Args:
        path: the file; made when it is not there.
        out: printed to at once: who reads it may wait for it.

    Raises:
        UsageError: the file cannot be written.
    """

    def __init__(self, path: Path | None = None, out: IO[str] | None = None) -> None:
        self._path = path
        self._out = out
        self._append("")

    def add(self, result: dict[str, object]) -> None:
        """Write the line of a game.

        Raises:
            UsageError: the file can no longer be written.
        """
        line = json.dumps(result) + "\n"
        self._append(line)
        if self._out is not None:
            self._out.write(line)
            self._out.flush()

    def _append(self, text: str) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise UsageError(f"expected a log file that can be written, got {str(self._path)!r} ({error})") from error


class Turn(NamedTuple):
    """A move that changed the board, and how the game stood before it."""

    move: Move
    before: SavedGame
    questions_before: frozenset[Cell]
    n_moves_before: int
    """Moves that were tried before it, useful or not."""


class Session:
    """Games one after the other.

    Attributes:
        remark: what a person should be told besides: why something was not done, or how good a time was.
        hint: the cell to begin at, or that was asked for; None where there is none to show.
        turns: what was done in this game, and can be undone.

    Args:
        size: the first game's size; that of given boards is their own.
        rules: guess-free boards, question marks.
        seed: equal seeds give equal layouts, game by game (and first cell by first cell).
        boards: given boards, played one after the other and then again, until another size is asked for.
        log: told of every game that ends; None for no log.
        best_times: where games are kept that were won unaided, on a board that nobody could know.
        kept_games: where every game that is over is kept, on a board that nobody could know.
        clock: seconds that only grow.

    Raises:
        UsageError: there is no such board without a guess.
    """

    def __init__(
        self,
        size: BoardSize,
        *,
        rules: Rules = Rules(),
        seed: int | None = None,
        boards: Sequence[Deal] = (),
        log: GameLog | None = None,
        best_times: BestTimes | None = None,
        kept_games: KeptGames | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rules = rules
        self.number = 1
        self.best_times = BestTimes(None) if best_times is None else best_times
        self._kept_games = KeptGames(None) if kept_games is None else kept_games
        self._seed = seed
        self._boards = tuple(boards)
        self._log = GameLog() if log is None else log
        self._clock = clock
        self._begin(size, self._boards, self.number)

    def _begin(self, size: BoardSize, boards: Sequence[Deal], number: int) -> None:
        if boards:
            deal = boards[(number - 1) % len(boards)]
            size = BoardSize(deal.layout.shape, deal.layout.n_mines)
            dealt = _Dealt(Game.on(deal.layout), deal.first_cell)  # nothing is promised but what its hint says
        else:
            dealt = self._deal(size, number)
        self._boards = tuple(boards)
        self.size, self.number = size, number
        self._take(dealt)
        self.remark = ""
        self.turns: list[Turn] = []
        self._moves: list[TimedMove] = []
        self._had_marks = self.rules.has_question_marks
        self.n_clicks = self.n_undone = 0
        self._was_helped = False
        self._risks: tuple[Board, NDArray[np.float64]] | None = None
        self._questions: frozenset[Cell] = frozenset()
        self._started_s: float | None = None
        self._paused_s: float | None = None
        self._ended_s: float | None = None
        self._began_at_s = time.time()

    def _deal(self, size: BoardSize, number: int, start: Cell | None = None) -> _Dealt:
        seed = _game_seed(self._seed, number)
        if self.rules.is_guess_free:
            return _deal_guess_free(size, seed, start)
        return _Dealt(Game(size.shape, size.mines, seed=seed), None)  # decided on the first click, which is safe

    def _take(self, dealt: _Dealt) -> None:
        self.game, self._start = dealt
        self.hint: Cell | None = self._start

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first cell was opened, up to the end of the game; 0 before. Pauses do not count.

        To the millisecond, so that what is shown is what is kept.
        """
        if self._started_s is None:
            return 0.0
        until_s = next((time_s for time_s in (self._ended_s, self._paused_s) if time_s is not None), None)
        return round((self._clock() if until_s is None else until_s) - self._started_s, 3)

    @property
    def is_paused(self) -> bool:
        """Whether the clock is stopped until `toggle_pause`, or the next move, which does nothing else."""
        return self._paused_s is not None

    @property
    def mines_left(self) -> int:
        """What the mine counter shows: mines minus flags, below 0 when there are too many flags."""
        return self.size.mines - self.game.n_flags

    @property
    def shown(self) -> NDArray[np.int16]:
        """What is on the board: codes of `solver.board`, `QUESTION`, and those of `HINTED`."""
        codes = self.game.board.cells
        if self.game.is_over or not (self._questions or self.hint):
            return codes
        codes = codes.copy()
        for cell in self._questions:
            codes[cell] = QUESTION
        if self.hint is not None:
            codes[self.hint] = HINTED[int(codes[self.hint])]
        return codes

    @property
    def score(self) -> GameFigures | None:
        """The figures of this game; None before its first cell."""
        if self.game.state is GameState.FRESH:
            return None
        return _score_of(self.game, self.elapsed_s, self.n_clicks)

    @property
    def record_key(self) -> str:
        """What this game's time is kept by."""
        return self.size.key + (" guess-free" if self.rules.is_guess_free else "")

    @property
    def is_aided(self) -> bool:
        """Whether a hint or the risks were shown, or a move taken back: then the game counts for no best time."""
        return self._was_helped or self.n_undone > 0

    @property
    def _is_known(self) -> bool:
        """Whether the board could be known beforehand: then the game counts for no best time either."""
        return self._seed is not None or bool(self._boards)

    def new_game(self, size: BoardSize | None = None) -> None:
        """Start over. A game in which no cell was opened keeps its number, so a click too many skips no layout.

        Raises:
            UsageError: there is no such board without a guess; the old game stays.
        """
        number = self.number + (self.game.state is not GameState.FRESH)
        self._begin(self.size if size is None else size, self._boards if size is None else (), number)

    def change_rules(self, **changes: bool) -> None:
        """Change `rules` by their names; guess-free boards begin with a new game.

        Raises:
            UsageError: there is no such board without a guess; rules and game stay as they were.
        """
        before = self.rules
        self.rules = replace(before, **changes)
        if self.rules.is_guess_free != before.is_guess_free:
            try:
                self._begin(self.size, (), self.number + (self.game.state is not GameState.FRESH))
            except UsageError:
                self.rules = before
                raise
        elif not self.rules.has_question_marks:
            self._questions = frozenset()

    def act(self, move: Move) -> None:
        """Do what a click means; opening an open number chords on it."""
        if self.game.is_over:
            return
        if self.is_paused:
            self.toggle_pause()
            return
        self.remark = ""
        self.n_clicks += 1
        if move.action is Action.OPEN and self.game.code(move.cell) == CLOSED and not self._may_begin_at(move.cell):
            return
        turn = Turn(move, self.game.save(), self._questions, len(self._moves))
        is_chord = move.action is Action.OPEN and self.game.code(move.cell) >= 0
        self._moves.append(TimedMove(self.elapsed_s, replace(move, action=Action.CHORD) if is_chord else move))
        self._do(move)
        codes = self.game.board.cells
        self._questions = frozenset(cell for cell in self._questions if codes[cell] == CLOSED)
        if self._questions != turn.questions_before or not np.array_equal(codes, turn.before.board.cells):
            self.turns.append(turn)
            self.hint = self._start if self.game.state is GameState.FRESH else None
        self._keep_time()

    def toggle_pause(self) -> None:
        """Stop the clock of a game that is on, or go on with it."""
        if self._paused_s is not None:
            assert self._started_s is not None, "what was paused was begun"
            self._started_s += self._clock() - self._paused_s
            self._paused_s = None
        elif self.game.state is GameState.PLAYING:
            self._paused_s = self._clock()
        self.remark = "paused: P or a click goes on" if self.is_paused else ""

    def undo(self) -> None:
        """Take back the last move that changed the board; the game counts for no best time then."""
        if not self.turns or self.is_paused:
            return
        turn = self.turns.pop()
        self.game.restore(turn.before)
        self._questions = turn.questions_before
        del self._moves[turn.n_moves_before :]
        self.n_undone += 1
        self._ended_s = None
        self.remark = ""
        if self.game.state is GameState.FRESH:
            self._started_s = None
            self.hint = self._start
        else:
            self.hint = None

    def ask_hint(self) -> None:
        """Show the best move, and say why it is that; the game counts for no best time then."""
        if self.game.is_over or self.is_paused or self.hint is not None:
            return
        knowledge = know(self.game.board)
        if knowledge.move is not None:
            self.hint = knowledge.move.cell
            self.remark = f"hint: {give_reason(knowledge, self.hint).splitlines()[0]}"
            self._was_helped = True

    def look_at_risks(self) -> NDArray[np.float64] | None:
        """The risk of every closed cell; the game counts for no best time then.

        Returns:
            An array of the board's shape: 0 to 1, NaN for open cells and where nothing is known. None while no game
            is on.
        """
        if self.game.is_over or self.is_paused:
            return None
        self._was_helped = True
        board = self.game.board
        if self._risks is None or self._risks[0] != board:
            self._risks = board, analyse(board).p_mine
        return self._risks[1]

    def _may_begin_at(self, cell: Cell) -> bool:
        """Whether the first cell may be this one: a board without a guess is made anew for another than its own."""
        is_asked = self.rules.is_guess_free and not self._boards
        if not is_asked or self.game.state is not GameState.FRESH or cell == self._start:
            return True
        flags = [tuple(flag) for flag in np.argwhere(self.game.board.cells == FLAG).tolist()]
        try:
            self._take(self._deal(self.size, self.number, cell))
        except UsageError as error:
            self.remark = f"{error}: begin at the cross"
            return False
        for flag in flags:
            self.game.toggle_flag(flag)
        return True

    def _do(self, move: Move) -> None:
        if move.action is Action.FLAG:
            self._mark(move.cell)
        elif move.action is Action.CHORD or self.game.code(move.cell) >= 0:
            self.game.chord(move.cell)
        elif move.action is Action.OPEN:
            self.game.open(move.cell)
        else:
            raise AssertionError(f"unknown action {move.action!r}")

    def _mark(self, cell: Cell) -> None:
        """Nothing, a flag, with question marks one of these, and nothing again."""
        if cell in self._questions:
            self._questions -= {cell}
            return
        if self.rules.has_question_marks and self.game.code(cell) == FLAG:
            self._questions |= {cell}
        self.game.toggle_flag(cell)

    def _keep_time(self) -> None:
        if self._started_s is None and self.game.state is not GameState.FRESH:
            self._started_s = self._clock()
        if self.game.is_over:
            self._ended_s = self._clock()
            self._log.add(self._result())
            self._keep_best_time()
            self._keep_game()

    def _keep_game(self) -> None:
        """Keep the game for a review; not where the rule about question marks changed: its clicks do not tell it."""
        layout = self.game.layout
        assert layout is not None, "a game that is over has a layout"
        has_marks = self.rules.has_question_marks
        if self._is_known or has_marks != self._had_marks:
            return
        try:
            self._kept_games.keep(layout, self._moves, self.game.state, self.elapsed_s, has_marks=has_marks)
        except UsageError as error:
            self.remark = str(error)

    def _keep_best_time(self) -> None:
        score = self.score
        if self.game.state is not GameState.WON or self.is_aided or self._is_known or score is None:
            return
        if self.best_times.is_bots(self._began_at_s):
            self.remark = "the bot clicked: no best time"
            return
        try:
            place = self.best_times.add(self.record_key, score.seconds, score.bbbv, score.clicks)
        except UsageError as error:
            self.remark = str(error)
        else:
            self.remark = "" if place is None else "best time!" if place == 1 else f"time number {place}"

    def _result(self) -> dict[str, object]:
        assert self.game.layout is not None, "a game that is over has a layout"
        size = self.size
        is_flat = size.blocks is None
        return {
            "result": self.game.state.value,
            **({"rows": size.rows, "cols": size.cols} if is_flat else {"shape": size.shape}),
            "mines": size.mines,
            "seconds": self.elapsed_s,
            "clicks": self.n_clicks,
            "bbbv": self.game.layout.bbbv,
            **({"undone": self.n_undone} if self.n_undone else {}),
        }
