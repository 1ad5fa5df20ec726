"""`minebot game`: the built-in Minesweeper, for a person, or for a bot to practise on."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.errors import ScreenError
from bot.models import Pixel
from solver.game import LEVELS

EXAMPLE = "minebot game --level expert --seed 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--level", choices=LEVELS, default="beginner", help="how large (default: %(default)s)")
    parser.add_argument("--rows", type=int, metavar="N", help="instead of the level's")
    parser.add_argument("--cols", type=int, metavar="N", help="instead of the level's")
    parser.add_argument("--mines", type=int, metavar="N", help="instead of the level's")
    parser.add_argument("--seed", type=int, metavar="N", help="equal seeds give equal games, one after the other")
    parser.add_argument("--skin", default="minebot", metavar="NAME", help="what it looks like (default: %(default)s)")
    parser.add_argument("--position", type=_position, metavar="X,Y", help="where the window's top left corner goes")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append one JSON line per finished game")


def run(args: argparse.Namespace) -> int:
    """Open the window; return 0 when it is closed.

    Raises:
        ScreenError: no window can be opened here.
        SkinError: there is no such skin, or it lacks a state that the game shows.
        UsageError: a size no game has, or a log that cannot be written.
    """
    from bot.clone.session import Session, checked_level
    from skins import find_skin

    standard = LEVELS[args.level]
    level = checked_level(
        standard.rows if args.rows is None else args.rows,
        standard.cols if args.cols is None else args.cols,
        standard.mines if args.mines is None else args.mines,
    )
    skin = find_skin(args.skin)
    try:
        from bot.clone.window import play_in_window
    except ImportError as error:
        raise ScreenError(
            f"this Python has no tkinter ({error}): install it (Debian, Ubuntu: sudo apt-get install python3-tk; "
            "Fedora: python3-tkinter; macOS with Homebrew: python-tk)"
        ) from error
    play_in_window(Session(level, seed=args.seed, log=args.log), skin, args.position)
    return 0


def _position(text: str) -> Pixel:
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected X,Y in pixels, got {text!r}") from error
    return Pixel(x, y)
