"""`minebot-calibrate --live`: the machine's own screen and mouse, the hot keys, and a person's consent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.playing.control import Control
from bot.playing.session import PlayOptions, listening, real_ports
from calibration.live.restart import DIALOG_KEY, KEYS
from calibration.live.session import LiveOptions, learn_live

if TYPE_CHECKING:
    import argparse

    from calibration.learning import Learned

_ASKED = (
    f"To begin new games the keys {', '.join(KEYS)} would be tried, one after the other, and then a click on the face "
    f"above the board; {DIALOG_KEY} closes a dialog. They go to the game, and each is said before. May I? [y/N] "
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    live = parser.add_argument_group("by playing the clone")
    live.add_argument("--live", action="store_true", help="learn by playing what is on the screen, nothing labelled")
    live.add_argument("--yes", action="store_true", help="keys and clicks that may begin a new game can be tried")
    live.add_argument("--now", action="store_true", help="begin at once, without the hot key")
    live.add_argument("--games", type=int, default=8, metavar="N", help="play at most N games (default 8)")
    live.add_argument("--minutes", type=float, default=5.0, metavar="M", help="and for at most M minutes (default 5)")
    live.add_argument("--hotkey", default="f10", help="starts, pauses and goes on (default f10)")
    live.add_argument("--abort-key", default="esc", help="stops (default esc)")


def run_live(args: argparse.Namespace) -> Learned:
    """Play and learn.

    Raises:
        UsageError: an argument makes no sense.
        BotError: it was stopped, or too little was learned.
    """
    if args.images or args.closed is not None:
        raise UsageError("expected --live or pictures, got both: --live takes its own pictures")
    if args.games < 1 or not args.minutes > 0:
        raise UsageError(f"expected --games of at least 1 and --minutes above 0, got {args.games} and {args.minutes}")
    control = Control(running=args.now)
    options = LiveOptions(args.name, args.games, args.minutes, has_consent=args.yes or _consents())
    with real_ports() as ports, listening(control, PlayOptions(start_key=args.hotkey, abort_key=args.abort_key)):
        if not args.now:
            _tell(
                f"Put the pointer on the board and press {args.hotkey.upper()} to start; it pauses too. "
                f"{args.abort_key.upper()} stops."
            )
        return learn_live(ports, control, options, _tell)


def _consents() -> bool:
    """Ask a person, where there is one."""
    if not sys.stdin.isatty():
        return False
    print(_ASKED, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
