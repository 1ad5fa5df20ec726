"""`minebot replay`: a recording, through the reader and the solver again; step by step, or as an animated picture.

Its games are written for other programs, too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import track
from rich.text import Text

from bot.commands.output import tabulate
from bot.console import emit, listen, tell
from bot.errors import UsageError
from bot.images import check_can_save, save_bytes
from bot.reporting.advice import give_reasons
from bot.reporting.drawing.film import Film, describe_moves, durations_of
from bot.reporting.recording import Recording, decision_as_json
from bot.reporting.text_boards import (
    GUESS_SIGN,
    MINE_SIGN,
    SAFE_SIGN,
    colour_line,
    iter_ruled,
    sign_cells,
    sign_proven,
)
from bot.warm_up import warm_up
from solver.board import GameState
from solver.words import counted, format_cells

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from bot.reporting.recording import RepeatedDecision
    from solver import Board

EXAMPLE = "minebot replay recordings/monday --picture monday.gif"

_LEGEND = f"'{SAFE_SIGN}' is proven safe, '{MINE_SIGN}' a mine, '{GUESS_SIGN}' the guess"
_MOST_PROOFS = 3  # proofs of one decision that are shown: the others are much like them
_PROMPT = "Enter goes on, b back, q quits: "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder made by play --record")
    parser.add_argument("--step", action="store_true", help="go through the decisions one by one, and say why")
    parser.add_argument(
        "--picture", type=Path, metavar="OUT.gif|OUT.png", help="write the recording as an animated picture"
    )
    parser.add_argument(
        "--rawvf",
        type=Path,
        metavar="OUT.rawvf",
        help="write its games for other programs; of several each gets a number",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object; with --step every decision in it")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Say where today's reader and solver differ from the recording; exit code 1 if they do."""
    from bot.reporting.drawing.film import SUFFIXES

    if args.picture is not None:
        check_can_save(args.picture, suffixes=SUFFIXES)
    if args.rawvf is not None:
        check_can_save(args.rawvf, suffixes=(".rawvf",), what="games")
    recording = Recording(args.folder)
    warm_up()  # guesses were made with the kernel
    if not len(recording):
        told = f"{args.folder}: play was stopped before the first decision"
        if args.picture is not None:
            raise UsageError(f"{told}: there is no picture to write")
        tell(f"{told}: there is nothing to go through")
    if args.picture is not None:
        _save_film(recording, args.picture)
    if args.rawvf is not None:
        _save_games(args.folder, args.rawvf)
    if args.json:
        return _print_json(recording, with_steps=args.step)
    steps = _Dialogue(recording, Console()).iter_steps() if args.step else _iter_tracked(recording)
    n_frames = n_differences = 0
    for step in steps:
        n_frames += 1
        n_differences += len(step.differences)
        _print_differences(step)
    print(f"{counted(n_frames, 'frame')}, {counted(n_differences, 'difference')}")
    return 1 if n_differences else 0


def _iter_tracked(recording: Recording, what: str = "replaying") -> Iterator[RepeatedDecision]:
    """All steps, with a progress bar on a terminal."""
    console = Console(stderr=True)
    numbers = track(
        range(len(recording)), what, console=console, transient=True, disable=not console.is_terminal or not recording
    )
    return (recording.step(n) for n in numbers)


def _save_film(recording: Recording, path: Path) -> None:
    from bot.reporting.drawing.film import save_animation

    film = Film(recording.grids, len(recording))
    frames = (film.draw(step, n) for n, step in enumerate(_iter_tracked(recording, "drawing")))
    save_animation(path, frames, durations_of(recording.times_s))


def _save_games(folder: Path, path: Path) -> None:
    """Write the games of a recording that were seen to end as RAWVF."""
    from bot.reviewing.rawvf import format_rawvf
    from bot.reviewing.replay_files import iter_steps, load_replays

    replays = [replay for replay in load_replays(folder) if replay.clicks]
    for number, replay in enumerate(replays, 1):
        *_, last = iter_steps(replay)
        clicks = [(click.seconds, click.action, click.cell) for click in replay.clicks if click.action is not None]
        text = format_rawvf(replay.layout, clicks, replay.seconds, is_won=last.after is GameState.WON)
        save_bytes(path if len(replays) == 1 else path.with_stem(f"{path.stem}-{number}"), text.encode())
    tell(f"{counted(len(replays), 'game')} written")


def _print_json(recording: Recording, *, with_steps: bool) -> int:
    differences: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for step in _iter_tracked(recording):
        differences += [difference.as_json() for difference in step.differences]
        if with_steps:
            steps.append(_step_as_json(step))
    told = {"frames": len(recording), "differences": differences} | ({"steps": steps} if with_steps else {})
    emit(told, as_json=True)
    return 1 if differences else 0


def _step_as_json(step: RepeatedDecision) -> dict[str, Any]:
    """A decision of today with its reasons."""
    decision = decision_as_json(step.reading, step.moves)
    candidates = []
    if step.moves:
        reasons = give_reasons(step.reading.board, step.moves)
        candidates = [candidate.as_json() for candidate in reasons.candidates]
        for move, why in zip(decision["moves"], reasons.texts, strict=True):
            move["why"] = why
    return {"picture": step.picture, "seconds": step.seconds, **decision, "candidates": candidates}


def _print_differences(step: RepeatedDecision) -> None:
    for difference in step.differences:
        print(f"{difference.picture}: {difference.what} differs")
        print(f"  recorded: {difference.recorded}")
        print(f"  replayed: {difference.replayed}")


class _Dialogue:
    """Shows one decision after the other, and waits for a person in between."""

    def __init__(self, recording: Recording, console: Console) -> None:
        self._recording = recording
        self._console = console

    def iter_steps(self) -> Iterator[RepeatedDecision]:
        """Show decisions until the last one was seen or the person has enough; yields each one once."""
        n, n_seen = 0, 0
        while n < len(self._recording):
            step = self._recording.step(n)
            self._show(step, n)
            if n == n_seen:
                n_seen += 1
                yield step
            answer = self._ask()
            if answer == "q":
                return
            n = max(n - 1, 0) if answer == "b" else n + 1

    def _ask(self) -> str:
        while True:
            self._console.print(_PROMPT, end="")
            line = listen()
            if not line:
                self._console.print()
                return "q"
            answer = line.strip().lower()
            if not sys.stdin.isatty():  # nobody's Enter ended the line
                self._console.print()
            if answer in {"", "b", "q"}:
                return answer

    def _show(self, step: RepeatedDecision, n: int) -> None:
        when = "" if step.seconds is None else f", {step.seconds:.2f} s"
        head = f"decision {n + 1} of {len(self._recording)}: {step.picture}, {step.reading.state.value}{when}"
        self._console.rule(Text(head, style="bold"), align="left")
        for line in _iter_lines(step, self._console.width):
            self._console.print(line, soft_wrap=True, highlight=False)


def _iter_lines(step: RepeatedDecision, width: int) -> Iterator[Text]:
    """The board, what was decided, and why; `width` letters have room side by side."""
    board = step.reading.board
    if not step.moves:
        yield from _coloured(board, sign_cells(board), width)
        yield Text(describe_moves(step))
        return
    reasons = give_reasons(board, step.moves)
    texts = sign_proven(reasons.analysis)
    for move in step.moves:
        if move.is_guess:
            texts[board.topology.index(move.cell)] = GUESS_SIGN
    yield from _coloured(board, texts, width)
    yield Text(_LEGEND, style="dim")
    yield Text(describe_moves(step), style="bold")
    yield from map(Text, reasons.texts[:_MOST_PROOFS])
    n_more = len(reasons.texts) - _MOST_PROOFS
    if n_more > 0:
        yield Text(f"and {counted(n_more, 'proof')} more, of {format_cells(m.cell for m in step.moves[_MOST_PROOFS:])}")
    for line in tabulate(reasons.candidates):
        yield Text(line)


def _coloured(board: Board, texts: Sequence[str], width: int) -> Iterator[Text]:
    return (colour_line(line) for line in iter_ruled(board.shape, texts, width))
