"""One run of play: arms the hot keys, finds the board, plays the games, and always gives everything back.

The commands `play` and `demo` are this with different surroundings.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from bot.counter import count_on
from bot.locate import locate_board
from bot.mines import MineCount, known_count
from bot.pictures import save_png
from bot.player import Player, Ports
from bot.read import read_board
from solver import kernel
from solver.game import GameState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.control import Control
    from bot.journal import Journal
    from bot.locate import FoundBoard
    from bot.models import Frame, Region
    from bot.player import Watcher
    from bot.ports import Screen
    from bot.results import GameResult, Tally
    from skins.skin import Skin

COUNT_TRIES = 5
COUNT_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What a run of play was asked to do.

    Attributes:
        n_games: how many games.
        mines: the mine count, None to take it from the clone's counter, or else from the board's size.
        stop_on_loss: end after the first lost game.
        stop_on_win: end after the first won game.
        start_key: starts and pauses.
        abort_key: stops.
        region: where to look for the board, None for everywhere.
    """

    n_games: int = 1
    mines: int | None = None
    stop_on_loss: bool = False
    stop_on_win: bool = False
    start_key: str = "f10"
    abort_key: str = "esc"
    region: Region | None = None

    def is_last(self, result: GameResult) -> bool:
        """Whether play ends with this game, however many were asked for."""
        return self.stop_on_loss if result.result is GameState.LOST else self.stop_on_win


@contextmanager
def real_ports() -> Iterator[Ports]:
    """The machine's own screen, mouse and keyboard.

    Raises:
        ScreenError: one of them cannot be used here.
    """
    from bot.ports.screen import MssScreen  # noqa: PLC0415 - needs a display; and mss comes before pyautogui

    screen = MssScreen()
    try:
        from bot.ports.mouse import AutoGuiKeyboard, AutoGuiMouse  # noqa: PLC0415 - needs a display

        yield Ports(screen, AutoGuiMouse(), AutoGuiKeyboard())
    finally:
        screen.close()


@contextmanager
def listening(control: Control, options: PlayOptions) -> Iterator[None]:
    """Hear the hot keys while the block runs.

    Raises:
        ScreenError: the keyboard cannot be listened to.
        UsageError: a key has no such name.
    """
    from bot.ports.hotkeys import PynputHotKeys  # noqa: PLC0415 - needs a display

    keys = PynputHotKeys(control, options.start_key, options.abort_key)
    keys.start()
    try:
        yield
    finally:
        keys.stop()


def play(
    ports: Ports,
    skins: Sequence[Skin],
    options: PlayOptions,
    control: Control,
    watcher: Watcher,
    *,
    tally: Tally,
    journal: Journal | None,
) -> None:
    """Wait for the start key, find the board, play the games.

    Args:
        ports: screen, mouse and keyboard.
        skins: what the board may look like.
        options: what was asked for.
        control: start, pause, stop.
        watcher: told how it goes.
        tally: filled with every game that ends, so that a run that is stopped keeps what it had.
        journal: records what is seen and decided, or None.

    Raises:
        Aborted: the abort key was pressed.
        BoardNotFoundError: there is no board, or it cannot be read.
        UsageError: the board's mine count is not known.
    """
    kernel.load()  # now, where nobody waits, and not in the middle of the first game
    control.check()
    board = locate_board(ports.screen.grab(options.region), skins)
    count = count_mines_of(board, ports.screen, options, control)
    if count.remark:
        watcher.remark(count.remark)
    mines = known_count(count, board.grid.rows, board.grid.cols)
    player = Player(ports, board, mines, control, watcher, journal=journal, keep_picture=_keep_picture)
    try:
        for result in player.iter_games(options.n_games):
            tally.games.append(result)
            if options.is_last(result):
                break
    finally:
        tally.n_stray += player.n_stray


def count_mines_of(board: FoundBoard, screen: Screen, options: PlayOptions, control: Control) -> MineCount:
    """How many mines a board on the screen has.

    Where counter and size speak against each other, the screen is looked at until it says the same twice: a picture
    taken while the game paints may show a flag before the counter knows of it.

    Raises:
        Aborted: the abort key was pressed meanwhile.
        UsageError: the count that was given cannot be.
    """
    before: MineCount | None = None
    for _ in range(COUNT_TRIES):
        frame = screen.grab(options.region)
        _, count = count_on(frame, read_board(frame, board.grid, board.skin), board.skin, options.mines)
        if not count.remark or count == before:
            return count
        before = count
        control.wait(COUNT_PAUSE_S)
    return MineCount(remark="the mine counter does not stand still")


def _keep_picture(frame: Frame) -> str:
    """Save the picture of a board that made play stop, where the platform keeps such things."""
    folder = Path(platformdirs.user_state_dir("minebot", appauthor=False)) / "unreadable"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / time.strftime("%Y%m%d-%H%M%S.png")
    save_png(path, frame.pixels_bgr)
    return str(path)
