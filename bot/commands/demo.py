"""`minebot demo`: the built-in game, opened in a real window and played for real.

It is played from its pixels like any other clone. The game runs as a separate process and is told nothing; the bot
captures the screen, reads and clicks.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.arguments import add_desktop, parse_seed, whole
from bot.console import emit
from bot.errors import BoardNotFoundError, ScreenError, UsageError
from bot.images import numbered, save_png
from bot.models import Region
from bot.playing.session import play
from bot.processes import own_command, start
from bot.vision.finding import explain_not_found, find_boards
from skins import load_shipped_skin
from solver.layout import LEVELS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from bot.desktop import Desktop, Screen
    from bot.models import Grid
    from bot.playing.control import Control
    from bot.playing.reporter import Watcher
    from bot.playing.results import Tally
    from bot.playing.session import PlayOptions
    from bot.reporting.recording import Journal
    from skins.skin import Skin


_WINDOW_S = 120.0  # longest time until the game's window is up on a slow machine, in seconds
_LAST_BOARD = "last-board.png"  # its picture, in the folder of the recording
HEADER_PX = 80
MARGIN_PX = 16


def _run_demo(
    desktop: Desktop,
    levels: Sequence[str],
    options: PlayOptions,
    control: Control,
    watcher: Watcher,
    *,
    journal: Journal,
    tally: Tally,
    seed: int | None = None,
) -> None:
    """Open the built-in game at each level, play it, and keep a picture of the last board beside the recording.

    Args:
        desktop: screen, mouse and keyboard.
        levels: names from `solver.layout.LEVELS`.
        options: how many games of each level, and how.
        control: start, pause, stop.
        watcher: told how it goes.
        journal: records every level.
        tally: filled with every game that ends.
        seed: for the layouts of the games; None for new ones every time.

    Raises:
        Aborted: the abort key was pressed.
        ScreenError: the game's window does not open.
        BoardNotFoundError: it opened, and its board was not found on the screen.
    """
    skin = load_shipped_skin("minebot")
    picture = journal.folder / _LAST_BOARD
    for level in levels:
        watcher.remark(f"{level.capitalize()}:")
        with _game_window(level, seed) as window:
            grid = _wait_for_board(desktop.screen, skin, window, level, control)
            try:
                play(desktop, [skin], options, control, watcher, tally=tally, recorder=journal)
            finally:
                _photograph(desktop.screen, grid, picture)


@contextmanager
def _game_window(level: str, seed: int | None) -> Iterator[subprocess.Popen[str]]:
    """Run the built-in game while the block runs."""
    command = own_command("game", "--level", level, "--best-times", "none", "--keep-games", "none")
    if seed is not None:
        command += ["--seed", str(seed)]
    with ExitStack() as stack:
        window = start(command, stdout=subprocess.DEVNULL)  # it is closed when the bot has ended
        stack.enter_context(window)
        stack.callback(window.terminate)
        yield window


def _wait_for_board(screen: Screen, skin: Skin, window: subprocess.Popen[str], level: str, control: Control) -> Grid:
    """Wait until the fresh board is on the screen, whole and standing still."""
    rows, cols, _ = LEVELS[level]
    deadline = time.perf_counter() + _WINDOW_S
    before: Grid | None = None
    while True:
        control.wait(0.1)
        frame = screen.grab()
        grids = [board.grid for board in find_boards(frame, [skin])]
        grid = next((grid for grid in grids if (grid.rows, grid.cols) == (rows, cols)), None)
        if grid is not None and grid == before:
            return grid
        before = grid
        if window.poll() is not None:
            words = "" if window.stderr is None else window.stderr.read().strip()
            raise ScreenError(f"the built-in game's window did not open: {words or 'it ended at once'}")
        if time.perf_counter() > deadline:
            raise BoardNotFoundError(f"the built-in game is running, but {explain_not_found(frame, [skin])}")


def _photograph(screen: Screen, grid: Grid, path: Path) -> None:
    """Save a picture of the board and its header."""
    everything, board = screen.grab(), grid.region
    width, height = board.width + 2 * MARGIN_PX, HEADER_PX + board.height + MARGIN_PX
    part = Region(board.left - MARGIN_PX, board.top - HEADER_PX, width, height).shared(everything.region)
    save_png(path, everything.crop(part).pixels_bgr)


EXAMPLE = "minebot demo --level expert --games 3"
_MOST_GAMES = 12  # even Expert is hardly ever lost this often in a row: 0.61 ** 12 = 0.3 %


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--level", choices=("beginner", "intermediate", "expert"), help="one level; default: all three")
    parser.add_argument("--games", type=whole(1), metavar="N", help="games of each level; default: until one is won")
    parser.add_argument("--headless", action="store_true", help="play on a virtual screen (Linux, needs Xvfb)")
    add_desktop(parser)
    parser.add_argument("--seed", type=parse_seed, metavar="N", help="for the layouts of the games; default: new ones")
    parser.add_argument("--record", type=Path, metavar="DIR", help="where to keep the recording; default: user data")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Play every level; the exit code is 0 when all games were played to their ends, won or lost."""
    from rich.console import Console

    from bot.desktop import open_desktop, this_platform
    from bot.playing.control import Control
    from bot.playing.results import Tally
    from bot.playing.session import PlayOptions, listening
    from bot.reporting.recording import Journal
    from bot.reporting.status import Status
    from bot.virtual_screen import virtual_screen
    from bot.warm_up import warm_up
    from solver.layout import LEVELS

    is_seen = not args.headless and this_platform().has_display()
    this_platform().require_parts(has_screen=is_seen)
    warm_up()
    levels = list(LEVELS) if args.level is None else [args.level]
    options = PlayOptions(n_games=args.games or _MOST_GAMES, stop_on_win=args.games is None)
    control = Control(running=True)
    tally = Tally()
    with ExitStack() as stack:
        if not is_seen:
            display = stack.enter_context(virtual_screen())
            Console(stderr=True).print(f"No display is used: playing on the virtual screen {display}.")
        journal = stack.enter_context(Journal(args.record or _new_folder()))
        desktop = stack.enter_context(open_desktop())
        stack.enter_context(listening(control, desktop.keyboard))
        status = Status(None if args.games is None else args.games * len(levels))
        stack.callback(_tell_of_what_was_played, tally, journal.folder, as_json=args.json)
        stack.enter_context(status)  # it is off the screen before the table comes
        manners = "leave the mouse alone. Esc stops, F10 pauses." if is_seen else "Ctrl-C stops it."
        status.remark(f"The bot plays by looking and clicking: {manners}")
        _run_demo(desktop, levels, options, control, status, journal=journal, tally=tally, seed=args.seed)
    return 0


def _tell_of_what_was_played(tally: Tally, folder: Path, *, as_json: bool) -> None:
    """Say it, also where play was stopped."""
    from rich.console import Console

    from bot.reporting.status import results_table

    picture = folder / _LAST_BOARD
    if as_json:
        emit(tally.as_json() | {"recording": str(folder), "picture": str(picture)}, as_json=True)
        return
    console = Console()
    console.print(results_table(tally))
    console.print(f"recording:  {folder}", soft_wrap=True, highlight=False)
    if picture.exists():
        console.print(f"last board: {picture}", soft_wrap=True, highlight=False)


def _new_folder() -> Path:
    """Make a folder named after the time; another one that begins in the same second gets a number."""
    import platformdirs

    recordings = platformdirs.user_data_path("minebot", appauthor=False) / "recordings"
    for folder in numbered(recordings / time.strftime("demo-%Y%m%d-%H%M%S")):
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(f"cannot make {folder}: {error.strerror}\nname another folder with --record") from error
        return folder
    raise AssertionError
