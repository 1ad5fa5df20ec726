"""`minebot train`: positions in which one went wrong, asked again until they are answered rightly."""

from __future__ import annotations

import random
import sys
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rich.console import Console
from rich.progress import track

from bot.commands.arguments import ArgumentError, parse_cell, parse_seed, whole
from bot.commands.loading import load_games
from bot.console import ask, emit, fold, tell
from bot.errors import ScreenError, UsageError
from bot.reporting.text_boards import page_width, rule_board, sign_cells
from bot.warm_up import warm_up
from solver import BoardValueError
from solver.words import counted, name_shape

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from bot.reviewing.replay_files import Replay
    from bot.reviewing.training import Exercise, Training

EXAMPLE = "minebot train --pattern 1-2-1 -n 5"

_HELP = """answers:
  R,C    the cell in row R and column C, counted from 0
  quit   ends"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--games",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="review these first, as 'minebot review' reads them (default: what was played in the built-in game since)",
    )
    parser.add_argument(
        "--pattern",
        type=_parse_pattern,
        metavar="NAME",
        help="only what this proves, by the names of a review: 1-2-1, '1-1 at the wall', 'the mine count', 'a guess'",
    )
    parser.add_argument("-n", dest="n", type=whole(1), default=10, metavar="N", help="how many answers (default 10)")
    parser.add_argument("--seed", type=parse_seed, metavar="S", help="draws the same positions again")
    parser.add_argument("--text", action="store_true", help="ask in the terminal, where a window could be opened too")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=_run)


def _parse_pattern(text: str) -> str:
    from bot.reviewing.patterns import is_pattern
    from bot.reviewing.training import GUESS

    if text != GUESS and not is_pattern(text):
        raise ArgumentError(f"expected a pattern such as 1-2-1 or 'the mine count', or '{GUESS}', got {text[:40]!r}")
    return text


def _run(args: argparse.Namespace) -> int:
    """Hold the sitting; exit code 0, however it went."""
    training = _begin(args)
    if args.text or not _open_window(training):
        _Dialogue(training, sys.stderr if args.json else sys.stdout).hold()
    emit(training.as_json(), [training.tally], as_json=args.json)
    return 0


def _open_window(training: Training) -> bool:
    """Hold the sitting in a window; whether there was one."""
    from bot.desktop import this_platform

    exercise = training.next()
    if exercise is None or not this_platform().has_display():
        return False
    try:
        from bot.game.training_window import train_in_window
    except ImportError:  # this Python has no tkinter
        return False
    from skins import load_shipped_skin

    try:
        train_in_window(training, exercise, load_shipped_skin("minebot"))
    except ScreenError as error:
        tell(str(error))
        return False
    return True


def _begin(args: argparse.Namespace) -> Training:
    """Find what is to be asked: what was kept, what was missed since, then what is drawn."""
    from bot.reviewing.training import Kept, Training, keep_answer, load_kept, save_kept, usual_path

    path = usual_path()
    warm_up()
    found, last_game = _find_new(args.games, load_kept(path).last_game)
    kept = load_kept(path)  # the review took a while: another sitting may have kept something since
    exercises = tuple({one.board: one for one in (*found, *kept.exercises)}.values())
    save_kept(path, Kept(exercises, max(kept.last_game, last_game)))
    asked = (one for one in exercises if args.pattern in (None, one.pattern))
    training = Training(asked, _iter_drawn(args), args.n, partial(keep_answer, path))
    if training.next() is None:
        raise UsageError(f"expected a pattern that boards have, got {args.pattern!r}: none that were made has it")
    return training


def _find_new(files: Sequence[Path] | None, last_game: str) -> tuple[list[Exercise], str]:
    """What was missed in these games, or in those of the built-in game since the last one; and the last one now."""
    from bot.game.kept_games import KeptGames, usual_folder
    from bot.reviewing.training import find_missed

    if files is None:
        new = [path for path in KeptGames(usual_folder()).files if path.name > last_game]
        last_game = new[-1].name if new else last_game
        replays = [replay for path in new for replay in _load_kept_game(path)]
    else:
        replays = [replay for path in files for replay in load_games(path)]
    console = Console(stderr=True)
    shown = track(replays, "reviewing", console=console, transient=True, disable=not (replays and console.is_terminal))
    return [one for replay in shown for one in find_missed(replay)], last_game


def _load_kept_game(path: Path) -> tuple[Replay, ...]:
    """The games of a file of the built-in game; of one that is damaged none, which is told."""
    try:
        return load_games(path)
    except UsageError as error:
        tell(f"{error}; passed over")
        return ()


def _iter_drawn(args: argparse.Namespace) -> Iterator[Exercise]:
    from bot.reviewing.training import iter_drawn

    drawn, console = iter_drawn(args.pattern, random.Random(args.seed)), Console(stderr=True)
    while True:
        with console.status("looking for a position"):
            exercise = next(drawn, None)
        if exercise is None:
            return
        yield exercise


class _Dialogue:
    """A sitting in letters."""

    def __init__(self, training: Training, out: IO[str]) -> None:
        self._training = training
        self._out = out

    def hold(self) -> None:
        """Ask and listen until all is answered, or the person ends it."""
        training = self._training
        self._say("Open a cell that is proven safe; where none is, the best guess. 'help' lists the answers.")
        while (exercise := training.next()) is not None:
            board = exercise.board
            mines = counted(board.mines or 0, "mine")
            self._say(f"\n{name_shape(board.shape)}, {mines}; {counted(training.n_left, 'position')} to go.")
            self._say("\n".join(rule_board(board.shape, sign_cells(board), page_width(self._out))))
            if not self._listen():
                break

    def _listen(self) -> bool:
        """Take lines until one is an answer; whether one was."""
        while (line := ask(self._out)) is not None and line != "quit":
            if line in ("help", "?"):
                self._say(_HELP)
                continue
            try:
                self._say(self._training.answer(parse_cell(line)).text)
            except (ArgumentError, BoardValueError) as error:
                self._say(f"{error}; 'help' lists the answers")
            else:
                return True
        return False

    def _say(self, text: str) -> None:
        print(fold(text, self._out), file=self._out, flush=True)
