"""`minebot game`: the built-in Minesweeper, for a person, or for a bot to practise on."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.arguments import add_size, parse_seed, whole
from bot.errors import ScreenError, UsageError
from bot.models import Pixel
from solver.layout import LEVELS

if TYPE_CHECKING:
    from bot.game.kept_games import KeptGames
    from bot.game.records import BestTimes
    from bot.game.sizes import BoardSize
    from skins.skin import Skin
    from solver.simulation import Deal

EXAMPLE = "minebot game --level expert --guess-free"

_4D_LEVELS = ("4d-easy", "4d-medium", "4d-hard", "4d-harder")
_NOT_KEPT = "none"
_SHEETS = (".bmp", ".png")
_MIN_ZOOM, _MAX_ZOOM = 50, 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    levels = [*LEVELS, *_4D_LEVELS]
    parser.add_argument(
        "--level", choices=levels, default="beginner", help="the size and the mines (default: %(default)s)"
    )
    add_size(parser, "instead of the level's, such as 9x9 or 4x4x4x4; with --text in any number of dimensions")
    parser.add_argument("--mines", type=whole(0), metavar="N", help="how many mines, instead of the level's")
    parser.add_argument("--guess-free", action="store_true", help="boards that can be won without a guess")
    parser.add_argument("--board", type=Path, metavar="FILE", help="play this board, or these one after the other")
    parser.add_argument(
        "--seed", type=parse_seed, metavar="N", help="the same seed gives the same games, in the same order"
    )
    parser.add_argument(
        "--skin", default="minebot", metavar="NAME|FILE", help="a skin or a sprite sheet (default: %(default)s)"
    )
    parser.add_argument(
        "--zoom", type=_zoom, metavar="PERCENT", help="how large it is drawn (default: what fits the screen)"
    )
    parser.add_argument("--position", type=_position, metavar="X,Y", help="where the window's top left corner goes")
    parser.add_argument(
        "--best-times", metavar=f"FILE|{_NOT_KEPT}", help="where the best times are kept (default: user data)"
    )
    parser.add_argument(
        "--keep-games",
        metavar=f"DIR|{_NOT_KEPT}",
        help="where the last 100 games are kept for minebot review (default: user data); those of a "
        "--seed or a --board are not",
    )
    parser.add_argument("--text", action="store_true", help="play in the terminal, in any number of dimensions")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append one JSON line per finished game")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object a line, one per finished game; the rest to standard error",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Open the window; return 0 when it is closed.

    Raises:
        ScreenError: no window can be opened here.
        SkinError: there is no such skin, or it lacks a state that the game shows.
        UsageError: a size no game has, boards that cannot be read or made, or a log that cannot be written.
    """
    from bot.game.session import GameLog, Rules, Session

    boards = () if args.board is None else _load_boards(args.board, any_dimensions=args.text)
    if boards and args.guess_free:
        raise UsageError("--board gives the boards: --guess-free would make others")
    skin = _skin(args.skin)
    session = Session(
        _size(args),
        rules=Rules(is_guess_free=args.guess_free),
        seed=args.seed,
        boards=boards,
        log=GameLog(args.log, sys.stdout if args.json else None),
        best_times=_best_times(args.best_times),
        kept_games=_kept_games(args.keep_games),
    )
    if args.text:
        from bot.game.terminal import play_in_terminal

        return play_in_terminal(session, sys.stderr if args.json else sys.stdout)
    try:
        from bot.game.window import play_in_window
    except ImportError as error:
        raise ScreenError(
            f"this Python has no tkinter ({error}): install it (Debian, Ubuntu: sudo apt-get install python3-tk; "
            "Fedora: python3-tkinter; macOS with Homebrew: python-tk)"
        ) from error
    play_in_window(session, skin, args.position, args.zoom)
    return 0


def _load_boards(path: Path, *, any_dimensions: bool = False) -> tuple[Deal, ...]:
    """Read the boards of a file: one full map in any text form, or a board a line, as `minebot generate` writes them.

    Raises:
        UsageError: it cannot be read, holds no board, or one that cannot be played here; names the file.
    """
    from bot.commands.loading import load_text
    from bot.game.sizes import checked_size
    from solver.errors import BoardTextError
    from solver.simulation import parse_deals

    try:
        deals = parse_deals(load_text(str(path)))
    except BoardTextError:
        deals = (_load_map(path),)
    if not deals:
        raise UsageError(f"{path}: expected a board, got none")
    try:
        for deal in deals:
            checked_size(deal.layout.shape, deal.layout.n_mines, any_dimensions=any_dimensions)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    return deals


def _load_map(path: Path) -> Deal:
    from bot.commands.loading import load_document
    from solver.errors import BoardValueError, InconsistentError
    from solver.formats import AUTO, as_full_map
    from solver.generation import find_hint
    from solver.simulation import Deal

    _, document = load_document(str(path), AUTO)
    try:
        full_map = as_full_map(document)
        return Deal(0, full_map.layout, full_map.start or find_hint(full_map.layout))
    except (BoardValueError, InconsistentError) as error:
        raise UsageError(f"{path}: {error}") from error


def _size(args: argparse.Namespace) -> BoardSize:
    from bot.game.sizes import SIZES, checked_size

    shape, mines = SIZES[args.level]
    shape = shape if args.shape is None else args.shape
    return checked_size(shape, mines if args.mines is None else args.mines, any_dimensions=args.text)


def _skin(word: str) -> Skin:
    from skins import find_skin
    from skins.sprite_sheet import load_sheet

    path = Path(word)
    return load_sheet(path, path.stem) if path.suffix.lower() in _SHEETS else find_skin(word)


def _best_times(word: str | None) -> BestTimes:
    from bot.bot_clicks import ClickNote, usual_note
    from bot.game.records import BestTimes, usual_path

    if word == _NOT_KEPT:
        return BestTimes(None)
    return BestTimes(usual_path() if word is None else Path(word), ClickNote(usual_note()))


def _kept_games(word: str | None) -> KeptGames:
    from bot.game.kept_games import KeptGames, usual_folder

    if word == _NOT_KEPT:
        return KeptGames(None)
    return KeptGames(usual_folder() if word is None else Path(word))


def _position(text: str) -> Pixel:
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected X,Y in pixels, got {text!r}") from error
    return Pixel(x, y)


def _zoom(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,4}%?", text) or not _MIN_ZOOM <= int(text.rstrip("%")) <= _MAX_ZOOM:
        raise argparse.ArgumentTypeError(f"expected {_MIN_ZOOM} to {_MAX_ZOOM} percent, got {text!r}")
    return int(text.rstrip("%")) / 100
