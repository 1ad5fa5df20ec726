"""Photographs the built-in game for the README: `python scripts/shoot_game.py`.

Starts it on a virtual screen of its own (Xvfb, openbox and xdotool needed), plays it by mouse and keys
(tests/support/driven_game.py), and writes what is on the screen to tests/screens/readme.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from bot.game.session import Rules, Session
from bot.game.sizes import SIZES
from bot.virtual_screen import xvfb
from skins.profile_read import load_shipped_skin
from solver import analyse, explain
from solver.board import Action, Move

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "screens" / "readme"
SETTLE_S = 0.7
"""After this nothing on the screen moves any more, but the timer."""
_N_COLOURS = 256
"""Half the bytes of all its colours, and no difference to be seen."""


def main() -> int:
    """Take every picture; return 0."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    with xvfb() as display:
        manager = subprocess.Popen(["openbox"], env={**os.environ, "DISPLAY": display}, stderr=subprocess.DEVNULL)
        try:
            time.sleep(SETTLE_S)
            picture_guess_free(display)
            picture_why(display)
            picture_four_dimensions(display)
            picture_skin(display)
        finally:
            manager.terminate()
    return 0


def picture_guess_free(display: str) -> None:
    """A fresh board without a guess: its cross."""
    with window(display, "beginner", is_guess_free=True) as game:
        take(game, "game-guess-free")


def picture_why(display: str) -> None:
    """A game lost on a mine that was proven, and the answer why."""
    with window(display, "intermediate", is_guess_free=True) as game:
        open_all_safe(game, game.session.hint, until_open=100)
        analysis = analyse(game.session.game.board)
        for cell in analysis.mines[:8]:
            click(game, Action.FLAG, cell)
        wrong = next(cell for cell in analysis.safe if game.session.shown[cell] < 0)
        click(game, Action.FLAG, wrong)
        board = game.session.game.board
        click(game, Action.OPEN, max(analysis.mines[8:], key=lambda cell: len(explain(board, cell).steps)))
        game.keys("w")
        game.wait_for(lambda: game.has_window("Why?"), "answer")
        take(game, "game-why")


def picture_four_dimensions(display: str) -> None:
    """A board of four dimensions, and what touches the cell under the pointer."""
    with window(display, "4d-medium", is_guess_free=True) as game:
        open_all_safe(game, game.session.hint, until_open=150)
        for cell in analyse(game.session.game.board).mines:
            click(game, Action.FLAG, cell)
        game.point((2, 1, 1, 2))
        take(game, "game-4d")


def picture_skin(display: str) -> None:
    """Another skin, twice as large, with a hint and the keyboard's cursor."""
    looks: dict[str, Any] = {"skin": load_shipped_skin("classic"), "zoom": 1.5}
    with window(display, "beginner", "--skin", "classic", "--zoom", "150", **looks) as game:
        open_all_safe(game, (4, 4), until_open=50)
        game.keys("Down", "Down", "h")
        take(game, "game-skin")


@contextmanager
def window(display: str, level: str, *arguments: str, is_guess_free: bool = False, **looks: Any) -> Iterator[Any]:
    """The game's window at a level, while the block runs."""
    session = Session(SIZES[level], rules=Rules(is_guess_free=is_guess_free), seed=1)
    arguments = (*arguments, "--guess-free") if is_guess_free else arguments
    driven_game = importlib.import_module("driven_game")
    game = driven_game.DrivenGame(display, session, "--seed", 1, "--level", level, *arguments, **looks)
    try:
        yield game
    finally:
        game.close()


def click(game: Any, action: Action, cell: tuple[int, ...]) -> None:
    """Make a move in the window and in the session beside it."""
    game.click(cell, {Action.OPEN: "1", Action.FLAG: "3"}[action])
    game.session.act(Move(action, cell))


def open_all_safe(game: Any, first: tuple[int, ...], until_open: int) -> None:
    """Open what is proven safe, until so many cells are open or nothing is proven."""
    safe: tuple[tuple[int, ...], ...] = (first,)
    while safe:
        for cell in safe:
            if game.session.shown[cell] < 0:
                click(game, Action.OPEN, cell)
            if int((game.session.shown >= 0).sum()) >= until_open:
                return
        safe = analyse(game.session.game.board).safe


def take(game: Any, name: str) -> None:
    """Write all that is not the screen's black ground."""
    time.sleep(SETTLE_S)
    frame = game.grab()
    is_drawn = (frame != frame[-1, -1]).any(axis=2)
    rows, cols = np.flatnonzero(is_drawn.any(axis=1)), np.flatnonzero(is_drawn.any(axis=0))
    picture = frame[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    path = FOLDER / f"{name}.png"
    image = Image.fromarray(np.ascontiguousarray(picture[:, :, ::-1])).quantize(_N_COLOURS, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    print(f"{name}: {picture.shape[1]} x {picture.shape[0]}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    sys.exit(main())
