"""How fast the bot plays real clones.

Plays WineMine, GNOME Mines, sgt-mines and xdemineur by `minebot play`, each on one virtual screen. Prints seconds per
won game, clicks per second and the share of clicks made again. Every press is also counted by an independent listener
on the X server: a press beside the board and its face is a stray.

`--against FOLDER` names another checkout, such as one of an older commit: its bot plays the same clones by turns with
this one, and the ratio of the two is printed, with its 95 % interval. `--against-options=OPTIONS` are other options for
`minebot play`: `--against-options=--no-chord` tells what chords are worth on each clone.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.models import Pixel, Region
from bot.virtual_screen import xvfb
from solver.layout import LEVELS, Layout

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
FACE_PX = 12  # half the side of a face
_MINEBOT_PLAY = (sys.executable, "-m", "bot", "play", "--now", "--json")
N_SAMPLES = 2000  # samples that are drawn for an interval
AT_ONCE = 5  # games of one start of a clone; then it is the other checkout's turn


@dataclass(frozen=True)
class Running:
    """A clone that has been started.

    Attributes:
        board: where its cells are on the screen.
        face: the pixel that begins another game, None where a key does.
        options: for `minebot play`, what this clone needs.
    """

    board: Region
    face: tuple[int, int] | None = None
    options: tuple[str, ...] = ()

    def allows_press(self, x: int, y: int) -> bool:
        """Whether a press there is on a cell or on the face."""
        is_on_face = self.face is not None and max(abs(x - self.face[0]), abs(y - self.face[1])) <= FACE_PX
        return is_on_face or self.board.has_pixel(Pixel(x, y))


@dataclass
class Bot:
    """A checkout whose bot plays in one way, and how its games went.

    Attributes:
        name: what it is called in what is printed.
        folder: the checkout.
        options: for `minebot play`.
        games: what `minebot play --json` said of each.
        n_strays: presses beside board and face.
    """

    name: str
    folder: Path
    options: Sequence[str]
    games: list[dict[str, Any]] = field(default_factory=list)
    n_strays: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--clone", choices=CLONES, action="append", help="only this one; may be given again")
    parser.add_argument("--games", type=int, default=20, metavar="N", help="games a clone (default %(default)s)")
    parser.add_argument("--level", choices=("beginner", "expert"), default="expert")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout, which plays by turns")
    parser.add_argument(
        "--against-options",
        type=shlex.split,
        metavar="OPTIONS",
        help="other options for `minebot play`, which plays with them by turns: --against-options=--no-chord",
    )
    parser.add_argument("options", nargs="*", metavar="OPTION", help="for `minebot play`, after --: such as --chord")


def run(args: argparse.Namespace) -> int:
    """Measure and print; return 1 where a press was a stray."""
    n_strays = 0
    with ExitStack() as stack:
        display = stack.enter_context(xvfb())
        stack.enter_context(importlib.import_module("window_manager").openbox(display))
        for name in args.clone or CLONES:
            bots = _contestants(args)
            while len(bots[0].games) < args.games:
                for bot in bots:
                    _play(bot, name, args.level, min(AT_ONCE, args.games - len(bot.games)), display)
            print(f"{name}, {args.level}")
            ours_s, *others_s = [_summary(bot.name, bot.games, bot.n_strays) for bot in bots]
            for other, other_s in zip(bots[1:], others_s, strict=True):
                if ours_s and other_s:
                    low, high = _interval(_won_s(bots[0].games), _won_s(other.games))
                    print(f"  ratio per won game: {ours_s / other_s:.2f} ({low:.2f} to {high:.2f})")
            n_strays += bots[0].n_strays
    return 1 if n_strays else 0


def _contestants(args: argparse.Namespace) -> list[Bot]:
    """This checkout's bot, and those that it is compared with."""
    bots = [Bot(shlex.join(["minebot", *args.options]), ROOT, args.options)]
    if args.against is not None:
        bots.append(Bot(str(args.against), args.against, args.options))
    if args.against_options is not None:
        bots.append(Bot(shlex.join(["minebot", *args.against_options]), ROOT, args.against_options))
    return bots


def _play(bot: Bot, name: str, level: str, n_games: int, display: str) -> None:
    """Start a clone, and let a checkout's bot play some games of it."""
    with ExitStack() as stack:
        clone = CLONES[name](stack, display, level)
        with importlib.import_module("xledger").XLedger(display) as witness:
            done = subprocess.run(
                [*_MINEBOT_PLAY, "--games", str(n_games), *clone.options, *bot.options],
                cwd=bot.folder,
                env={**os.environ, "DISPLAY": display, "PYTHONPATH": str(bot.folder.resolve())},
                capture_output=True,
                text=True,
                check=False,
            )
    if done.returncode not in {0, 1}:
        sys.exit(f"{name}: minebot play ended with {done.returncode}: {done.stderr}")
    bot.games += json.loads(done.stdout)["games"]
    bot.n_strays += sum(not clone.allows_press(event.x, event.y) for event in witness.of("press"))


def _start_winemine(stack: ExitStack, display: str, level: str) -> Running:
    winemine = importlib.import_module("winemine")
    window = stack.enter_context(stack.enter_context(winemine.wine_prefix(display)).winemine(level))
    return Running(_between(*window.board), window.face)


def _start_gnome_mines(stack: ExitStack, display: str, level: str) -> Running:
    desk = stack.enter_context(importlib.import_module("desktop_game").desk(display))
    size = "big" if level == "expert" else "small"
    game = stack.enter_context(importlib.import_module("gnome_mines").gnome_mines(desk, size))
    left, top = game.window.left, game.window.top
    xs, ys = game.x_edges, game.y_edges
    return Running(_between(left + xs[0], top + ys[0], left + xs[-1], top + ys[-1]))


def _start_sgt_mines(stack: ExitStack, display: str, level: str) -> Running:
    desk = stack.enter_context(importlib.import_module("desktop_game").desk(display))
    rows, cols, mines = LEVELS[level]
    any_layout = Layout.of_cells((rows, cols), [])  # it is only asked where the cells are
    game_id = f"{cols}x{rows}n{mines}"
    game = stack.enter_context(importlib.import_module("sgt_mines").game_of_id(desk, game_id, any_layout, (0, 0)))
    board = Region(game.left, game.top, cols * game.cell_px, rows * game.cell_px)
    return Running(board, options=("--mines", str(mines)))


def _start_xdemineur(stack: ExitStack, display: str, level: str) -> Running:
    xdemineur = importlib.import_module("xdemineur")
    desk = stack.enter_context(importlib.import_module("desktop_game").desk(display))
    rows, cols, mines = (9, 12, 12) if level == "beginner" else LEVELS[level]  # it makes no board of fewer columns
    game = stack.enter_context(xdemineur.xdemineur(desk, rows, cols, mines))
    board = Region(game.left, game.top, cols * xdemineur.CELL_PX, rows * xdemineur.CELL_PX)
    return Running(board, game.face, ("--mines", str(mines)))


CLONES: dict[str, Callable[[ExitStack, str, str], Running]] = {
    "winemine": _start_winemine,
    "gnome-mines": _start_gnome_mines,
    "sgt-mines": _start_sgt_mines,
    "xdemineur": _start_xdemineur,
}
"""How each clone is started, for as long as the stack is open, on a display and at a level."""


def _between(left: int, top: int, right: int, bottom: int) -> Region:
    return Region(left, top, right - left, bottom - top)


def _summary(who: str, games: Sequence[dict[str, Any]], n_strays: int) -> float | None:
    """Print a line about some games; return the median seconds of a won one."""
    won = [game for game in games if game["result"] == "won"]
    if not won:
        print(f"  {who}: won 0 of {len(games)}; {n_strays} strays")
        return None
    seconds = _won_s(games)
    pace = sum(game["clicks"] for game in won) / sum(seconds)
    retries = sum(game.get("retries", 0) for game in won) / sum(game["clicks"] for game in won)
    middle = statistics.median(seconds)
    print(
        f"  {who}: won {len(won)} of {len(games)}; seconds: best {min(seconds):.2f}, median {middle:.2f}, "
        f"worst {max(seconds):.2f}; clicks: median {statistics.median(game['clicks'] for game in won):.0f}, "
        f"{pace:.0f} a second, {retries:.2%} of them made again; {n_strays} strays"
    )
    return float(middle)


def _won_s(games: Sequence[dict[str, Any]]) -> list[float]:
    return [game["seconds"] for game in games if game["result"] == "won"]


def _interval(ours_s: Sequence[float], theirs_s: Sequence[float]) -> tuple[float, float]:
    """Where the ratio of two medians lies in 95 % of the samples that are drawn again from what was measured."""
    rng = random.Random(0)
    ratios = sorted(
        statistics.median(rng.choices(ours_s, k=len(ours_s)))
        / statistics.median(rng.choices(theirs_s, k=len(theirs_s)))
        for _ in range(N_SAMPLES)
    )
    return ratios[round(0.025 * (N_SAMPLES - 1))], ratios[round(0.975 * (N_SAMPLES - 1))]
