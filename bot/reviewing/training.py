"""Training: positions in which a person went wrong, or drawn by what proves a cell in them, and when each comes again.

A position is that of a click which a review calls a blunder or a mistake. Others are drawn from boards that need no
guess: those in which single numbers prove nothing more. The answer is a cell. It is right where a review calls its
click neither a blunder nor a mistake.

A position that was missed comes again after three others, in this sitting or a later one, until it was answered rightly
twice: a plain form of spaced repetition. Such positions are kept in one file, written anew beside itself and then
exchanged. Knows neither windows nor terminals.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import platformdirs

from bot.errors import UsageError
from bot.images import save_bytes
from bot.reviewing.patterns import ONE_NUMBER, name_pattern
from bot.reviewing.replay_files import iter_steps
from bot.reviewing.verdicts import Verdict, give_reason, judge_cell, judge_steps, missed
from skins.errors import FileError
from skins.files import read_file
from solver import Board, BoardValueError, SolverError, analyse, explain, format_board, parse_board
from solver.board import CLOSED, FLAG, Action, format_rows
from solver.game import Game
from solver.generation import Generated, Order, generate
from solver.rules import deduce
from solver.words import format_cells, name_shape

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bot.reviewing.replay_files import Replay
    from bot.reviewing.verdicts import Judged
    from solver.topology import Cell

GUESS = "a guess"
"""The pattern of a position in which nothing is proven safe."""
_WRONG = (Verdict.BLUNDER, Verdict.MISTAKE)
"""Verdicts of a click that was missed, in a game as in an answer."""
_SHAPE, _N_MINES = (16, 16), 40  # of boards that positions are drawn from: an Intermediate one takes 0.1 s
_MOST_BOARDS = 100  # boards in a row without a position of the pattern, after which it is not looked for any more
_MOST_NAMED = 8  # proven cells of a position whose patterns are looked at
_N_BETWEEN = 3  # positions that are asked before one that was missed comes again
_N_RIGHT = 2  # right answers until it does not
_MOST_BYTES = 2**24


@dataclass(frozen=True, eq=False)
class Exercise:
    """A position to find the best cell of.

    Attributes:
        board: what is seen; without flags.
        origin: where it comes from, in words.
        pattern: what proves a cell in it, as `name_pattern` has it, or `GUESS`.
        n_right: right answers since it was last missed; None where it never was.
    """

    board: Board
    origin: str
    pattern: str
    n_right: int | None = None


def put_back(queue: Sequence[Exercise], *, is_right: bool | None) -> tuple[Exercise, ...]:
    """Take the first position of a queue, and put it in again where it has to be asked once more.

    It is done with a right answer where it was never missed, with the second one where it was, and with an answer that
    cannot be judged.
    """
    first, *others = queue
    n_right = (first.n_right or 0) + 1 if is_right else 0
    if is_right is None:
        return tuple(others)
    if is_right and (first.n_right is None or n_right == _N_RIGHT):
        return tuple(others)
    return (*others[:_N_BETWEEN], replace(first, n_right=n_right), *others[_N_BETWEEN:])


def find_missed(replay: Replay) -> Iterator[Exercise]:
    """The positions of a game in which the player blundered, or guessed much worse than was possible."""
    for n, judged in enumerate(judge_steps(iter_steps(replay)), 1):
        if judged.verdict in _WRONG and judged.analysis is not None:
            board, click = judged.analysis.board, judged.step.click
            is_blunder = judged.verdict is Verdict.BLUNDER
            pattern = name_pattern(board, missed(judged).cell) if is_blunder else GUESS
            done = "chorded on" if click.action is Action.CHORD else "opened"
            origin = f"{Path(replay.source).name}, click {n}, which {done} {format_cells([click.cell])}"
            yield Exercise(board, origin, pattern, 0)


def iter_drawn(pattern: str | None, rng: random.Random) -> Iterator[Exercise]:
    """Draw positions, at most one of a board, until many boards in a row have none.

    Args:
        pattern: what proves a cell in them, or `GUESS`; None: anything but single numbers, and no guess.
        rng: draws the boards.
    """
    n_without = 0
    while n_without < _MOST_BOARDS:
        generated = generate(Order(_SHAPE, _N_MINES, is_guess_free=pattern != GUESS), rng.getrandbits(32))
        found = [
            Exercise(board, "a board made for training", pattern or min(names))
            for board, names in _iter_positions(generated)
            if pattern in names or (pattern is None and ONE_NUMBER not in names)
        ]
        n_without = 0 if found else n_without + 1
        if found:
            yield rng.choice(found)


def _iter_positions(generated: Generated) -> Iterator[tuple[Board, set[str]]]:
    """Play a board by proofs from its hint on: each position, and what proves the next cells."""
    game = Game.on(generated.layout)
    game.open(generated.hint)
    while not game.is_over:
        safe = deduce(game.board, "basic").safe
        names = {ONE_NUMBER}
        if not safe:
            safe = analyse(game.board).safe
            names = {name_pattern(game.board, cell) for cell in safe[:_MOST_NAMED]} or {GUESS}
        yield game.board, names
        if not safe:
            return
        for cell in safe:
            game.open(cell)


class Answer(NamedTuple):
    """An answer, and what it was worth.

    Attributes:
        exercise: what was asked.
        cell: what was answered.
        is_right: whether that was right; None where it could not be judged, and counts for nothing.
        text: why, in words, and where the position comes from.
        best: a cell that would have been right; None where that is not known.
        clues: the open numbers that prove a cell; empty where none is proven.
    """

    exercise: Exercise
    cell: Cell
    is_right: bool | None
    text: str
    best: Cell | None
    clues: tuple[Cell, ...]


def judge(exercise: Exercise, cell: Cell) -> Answer:
    """Judge the opening of a closed cell, as a review does.

    Raises:
        BoardValueError: there is no such cell, or it is open.
    """
    board = exercise.board
    if not board.topology.has_cell(cell) or board[cell] != CLOSED:
        raise BoardValueError(
            f"expected a closed cell of the {name_shape(board.shape)} board, got {format_cells([cell])}"
        )
    judged = judge_cell(board, cell)
    is_right = None if judged.verdict is None else judged.verdict not in _WRONG
    head = {True: "Right. ", False: "Missed. ", None: "This cannot be judged: the proof is too hard."}[is_right]
    best, clues = _best(judged)
    text = f"{head}{give_reason(judged)}\nPattern: {exercise.pattern}. From: {exercise.origin}."
    return Answer(exercise, cell, is_right, text, best, clues)


def _best(judged: Judged) -> tuple[Cell | None, tuple[Cell, ...]]:
    """A right cell, and the open numbers that prove it."""
    if judged.verdict is Verdict.BLUNDER:
        proof = missed(judged)
        return proof.cell, tuple(proof.clues)
    if judged.verdict is Verdict.BEST and judged.analysis is not None:
        cell = judged.step.click.cell
        return cell, tuple(explain(judged.analysis.board, cell, analysis=judged.analysis).clues)
    return next(iter(judged.best), None), ()


class Training:
    """One sitting.

    Attributes:
        answers: those that were given.

    Args:
        queue: the positions that are asked first, in this order.
        drawn: those that follow, where these do not suffice.
        n: how many answers end it.
        keep: is given each answer.
    """

    def __init__(
        self,
        queue: Iterable[Exercise],
        drawn: Iterator[Exercise],
        n: int,
        keep: Callable[[Answer], None],
    ) -> None:
        self._queue = tuple(queue)
        self._drawn, self._n, self._keep = drawn, n, keep
        self.answers: list[Answer] = []

    @property
    def n_left(self) -> int:
        """How many answers are left to give."""
        return self._n - len(self.answers)

    def next(self) -> Exercise | None:
        """The position to ask about; None after the last answer, and where there is none."""
        n_lacking = min(_N_BETWEEN + 1, self.n_left) - len(self._queue)
        self._queue += tuple(islice(self._drawn, max(0, n_lacking)))
        return self._queue[0] if self._queue and self.n_left else None

    def answer(self, cell: Cell) -> Answer:
        """Judge the answer to the position that is asked about, and keep what has to come again.

        Raises:
            BoardValueError: there is no such cell, or it is open.
            UsageError: what has to come again cannot be kept.
        """
        given = judge(self._queue[0], cell)
        self._queue = put_back(self._queue, is_right=given.is_right)
        if given.is_right is not None:
            self.answers.append(given)
        self._keep(given)
        return given

    @property
    def n_right(self) -> int:
        """How many answers were right."""
        return sum(answer.is_right is True for answer in self.answers)

    @property
    def tally(self) -> str:
        """How many answers were right, in words."""
        return f"{self.n_right} right, {len(self.answers) - self.n_right} missed"

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        return {
            "positions": [
                {
                    "board": format_rows(answer.exercise.board.cells),
                    "mines": answer.exercise.board.mines,
                    "origin": answer.exercise.origin,
                    "pattern": answer.exercise.pattern,
                    "answer": list(answer.cell),
                    "right": answer.is_right,
                    "best": None if answer.best is None else list(answer.best),
                }
                for answer in self.answers
            ],
            "right": self.n_right,
            "missed": len(self.answers) - self.n_right,
        }


class Kept(NamedTuple):
    """What is kept between sittings.

    Attributes:
        exercises: the positions that are to come again.
        last_game: the name of the last game of the built-in game that was looked at; empty before the first.
    """

    exercises: tuple[Exercise, ...] = ()
    last_game: str = ""


def keep_answer(path: Path, answer: Answer) -> None:
    """Keep what an answer changes: when its position comes again. What another sitting keeps meanwhile stays.

    Raises:
        UsageError: the file cannot be read or written; names it.
    """
    kept = load_kept(path)
    others = (one for one in kept.exercises if one.board != answer.exercise.board)
    queue = put_back((answer.exercise, *others), is_right=answer.is_right)
    save_kept(path, Kept(tuple(one for one in queue if one.n_right is not None), kept.last_game))


def usual_path() -> Path:
    """Where it is kept: in the platform's folder for data of minebot."""
    return platformdirs.user_data_path("minebot", appauthor=False) / "training.json"


def load_kept(path: Path) -> Kept:
    """Read what is kept; nothing where there is no file. Each position is analysed.

    Raises:
        UsageError: the file cannot be read, or holds something else; names it.
    """
    if not path.exists():
        return Kept()
    try:
        content = json.loads(read_file(path, _MOST_BYTES))
        exercises = tuple(_parse(*numbered) for numbered in enumerate(content["positions"], 1))
        return Kept(exercises, str(content["last_game"]))
    except FileError as error:
        raise UsageError(str(error)) from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}; move the file away to begin anew") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        wanted = "an object with the list 'positions' and the name 'last_game'"
        raise UsageError(f"{path}: expected {wanted}; move the file away to begin anew") from error


def save_kept(path: Path, kept: Kept) -> None:
    """Keep this.

    Raises:
        UsageError: the file cannot be written; names it.
    """
    positions = [
        {"board": format_board(one.board), "origin": one.origin, "pattern": one.pattern, "n_right": one.n_right}
        for one in kept.exercises
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"last_game": kept.last_game, "positions": positions}, indent=1)
        save_bytes(path, f"{content}\n".encode())
    except OSError as error:
        raise UsageError(f"positions of training cannot be written to {path} ({error})") from error


def _parse(number: int, entry: dict[str, Any]) -> Exercise:
    """Read one position.

    Raises:
        UsageError: it is none, or has no cell that could be the answer; names its number.
    """
    try:
        exercise = Exercise(parse_board(entry["board"]), entry["origin"], entry["pattern"], int(entry["n_right"]))
        risks = analyse(exercise.board).p_mine[exercise.board.cells == CLOSED]
    except (SolverError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        why = f": {error}" if isinstance(error, SolverError) else ""
        raise UsageError(f"position {number} is none of training{why}") from error
    if (risks == 1.0).all() or (exercise.board.cells == FLAG).any() or exercise.n_right not in range(_N_RIGHT):
        wanted = f"a position without flags, with a cell to open, answered rightly 0 to {_N_RIGHT - 1} times"
        raise UsageError(f"expected {wanted}, got position {number}")
    return exercise
