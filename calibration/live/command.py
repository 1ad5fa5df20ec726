"""`minebot-calibrate --live` and `--watch`: the machine's screen and mouse, the hot keys, and a person's consent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bot.console import listen
from bot.desktop import open_desktop
from bot.errors import UsageError
from bot.playing.control import Control
from bot.playing.session import PlayOptions, listening
from calibration.live.memory import load_memory, memory_path, save_memory
from calibration.live.restart import DIALOG_KEYS, KEYS
from calibration.live.session import LiveOptions, learn_live
from calibration.live.watching import learn_by_watching

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from calibration.learning import Learned
    from calibration.live.memory import Memory

_ASKED = (
    f"To begin new games the keys {', '.join(KEYS)} would be tried, one after the other, and then a click on the face "
    f"above the board; to close a dialog, {', '.join(DIALOG_KEYS)}. They go to the game, and each is said before. "
    "May I? [y/N] "
)
_GAMES = {"live": 8, "watch": 100}
_MINUTES = {"live": 5.0, "watch": 60.0}
_RESUMES = (
    "What --live and --watch have learned is kept after each game, and when they are stopped, in NAME.learning.npz in "
    "the folder of your own skins; the same --name goes on from there. It is removed once the skin is verified."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    live = parser.add_argument_group("by playing the clone, or by watching a person play it", _RESUMES)
    live.add_argument("--live", action="store_true", help="learn by playing what is on the screen, nothing labelled")
    live.add_argument(
        "--watch", action="store_true", help="learn while you play: nothing is clicked; the start key ends it"
    )
    live.add_argument("--yes", action="store_true", help="keys and clicks that may begin a new game can be tried")
    live.add_argument("--now", action="store_true", help="begin at once, without the hot key")
    live.add_argument("--games", type=int, metavar="N", help="at most N games (default 8; watching, 100)")
    live.add_argument("--minutes", type=float, metavar="M", help="for at most M minutes (default 5; watching, 60)")
    live.add_argument("--hotkey", default="f8", help="starts, pauses, ends --watch (default f8: F10 opens menus)")
    live.add_argument("--abort-key", default="esc", help="stops (default esc)")


def run_live(args: argparse.Namespace) -> Learned:
    """Learn by playing, or by watching.

    Raises:
        UsageError: an argument makes no sense.
        BotError: it was stopped, or too little was learned.
    """
    if args.images or args.closed is not None:
        raise UsageError("expected --live, --watch or pictures, got both: the first two take their own pictures")
    if args.live and args.watch:
        raise UsageError("expected --live or --watch, got both")
    way = "live" if args.live else "watch"
    n_games = _GAMES[way] if args.games is None else args.games
    minutes = _MINUTES[way] if args.minutes is None else args.minutes
    if n_games < 1 or not minutes > 0:
        raise UsageError(f"expected --games of at least 1 and --minutes above 0, got {n_games} and {minutes}")
    memory = _remembered(args)
    control = Control(running=args.now)
    options = LiveOptions(args.name, n_games, minutes, has_consent=args.live and (args.yes or _consents()))
    start, abort = args.hotkey.upper(), args.abort_key.upper()
    keys = PlayOptions(start_key=args.hotkey, abort_key=args.abort_key)
    with open_desktop() as desktop, listening(control, keys, desktop.keyboard):
        if not args.now:
            again = "it pauses too" if args.live else f"then play; {start} again ends it and saves what is known"
            _tell(f"Put the pointer on the board and press {start} to start; {again}. {abort} stops.")
        if args.live:
            return learn_live(desktop, control, options, _tell, memory, _keeper(args.name))
        return learn_by_watching(
            desktop.screen, desktop.mouse.position, control, options, _tell, memory, _keeper(args.name)
        )


def has_memory(name: str) -> bool:
    """Whether there is something to go on from."""
    return memory_path(name).exists()


def forget(name: str) -> None:
    """Remove what was kept: the skin says it all."""
    memory_path(name).unlink(missing_ok=True)


def _remembered(args: argparse.Namespace) -> Memory | None:
    """What was learned before, unless a person wants to begin anew."""
    memory = None if args.force else load_memory(memory_path(args.name))
    if memory is not None:
        n_games = len(memory.sights)
        _tell(f"going on from {n_games} game{'s' * (n_games > 1)} that {args.name} was learned from before")
    return memory


def _keeper(name: str) -> Callable[[Memory], None]:
    path = memory_path(name)

    def keep(memory: Memory) -> None:
        if not memory.is_empty:
            save_memory(memory, path)

    return keep


def _consents() -> bool:
    """Ask a person, where there is one."""
    if not sys.stdin.isatty():
        return False
    print(_ASKED, end="", file=sys.stderr, flush=True)
    return listen().strip().lower() in {"y", "yes"}


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
