"""`minebot-calibrate`: makes a skin of a clone that nobody knows yet, from pictures of it.

With `--live` and `--watch` it looks at the machine's own screen: here are its hot keys and a person's consent.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.bot_clicks import ClickNote, usual_note
from bot.commands.arguments import parse_cell
from bot.commands.loading import new_skin_folder
from bot.console import Parser, emit, listen, tell
from bot.desktop import open_desktop
from bot.errors import BotError, UsageError
from bot.last_resort import ErrorNote, finish
from bot.playing.control import Control
from bot.playing.session import listening
from calibration.live.memory import load_memory, memory_path, save_memory
from calibration.live.restart import DIALOG_KEYS, KEYS
from calibration.live.session import LiveOptions, learn_live
from calibration.live.watching import learn_by_watching

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from calibration.learning import Learned
    from calibration.live.memory import Memory

EXAMPLES = """minebot-calibrate --live --name my-clone  (then F8 over the game; Esc stops)
  minebot-calibrate --watch --name my-clone  (then F8, and play; F8 ends it)
  minebot-calibrate fresh.png mid-game.png --name my-clone --picture looks.png"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `minebot-calibrate` with these arguments (the process's own when None); return the exit code."""
    return finish("minebot-calibrate", lambda: _run_and_tell(_parser().parse_args(argv)))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="minebot-calibrate",
        description="Makes a skin of a Minesweeper clone, by playing it or from pictures: proves what looks mean.",
        epilog=f"examples:\n  {EXAMPLES}",
    )
    parser.add_argument(
        "images", nargs="*", type=Path, metavar="IMAGE", help="a screenshot: fresh, mid-game, won, lost"
    )
    parser.add_argument("--name", required=True, metavar="N", help="how the skin will be called")
    parser.add_argument("--closed", metavar="R,C", help="a cell of the first picture's board that is closed")
    parser.add_argument("--picture", type=Path, metavar="OUT.png", help="draw every look, and what it means")
    # The name that it had: scripts may use it.
    parser.add_argument("--sheet", dest="picture", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--force", action="store_true", help="replace your own skin of that name, learned anew")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    _add_live_arguments(parser)
    return parser


def _run_and_tell(args: argparse.Namespace) -> int:
    try:
        return _run(args)
    except (BotError, KeyboardInterrupt) as error:
        if (args.live or args.watch) and memory_path(args.name).exists():
            error.add_note(ErrorNote("what was learned is kept. The same command goes on from there"))
        raise


def _run(args: argparse.Namespace) -> int:
    from bot.images import check_can_save, save_png
    from calibration.learning import draw_contact_sheet
    from skins import save_skin

    plays = args.live or args.watch
    folder = new_skin_folder(args.name, replaces=args.force or (plays and memory_path(args.name).exists()))
    if args.picture is not None:
        for source in (None, *filter(Path.exists, args.images)):
            check_can_save(args.picture, source=source)
    learned = _run_live(args) if plays else _from_pictures(args)
    for rule in learned.labelling.given_up:
        tell(f"it does not hold here that {rule}")
    save_skin(learned.skin, folder)
    if plays and learned.is_verified:
        memory_path(args.name).unlink(missing_ok=True)  # the skin says it all
    if args.picture is not None:
        save_png(args.picture, draw_contact_sheet(learned.appearances, learned.labelling, _summary(learned)))
    emit(_as_json(learned), _in_words(learned, folder), as_json=args.json)
    return 0


def _from_pictures(args: argparse.Namespace) -> Learned:
    """Learn from the pictures that were given."""
    from bot.images import load_frame
    from calibration.learning import learn

    if not args.images:
        raise UsageError("expected pictures of the clone, or --live to play it, or --watch")
    closed_cell = None if args.closed is None else _cell(args.closed)
    names = [str(path) for path in args.images]
    learned = learn(args.name, [load_frame(path) for path in args.images], names, closed_cell)
    for number in sorted(set(range(len(names))) - set(learned.labelling.used)):
        tell(f"{args.images[number]}: left out, it contradicts the others")
    return learned


def _cell(word: str) -> tuple[int, int]:
    cell = parse_cell(word, "--closed")
    if len(cell) != 2:
        raise UsageError(f"expected --closed with a row and a column, got {word!r}")
    return cell[0], cell[1]


def _as_json(learned: Learned) -> dict[str, Any]:
    labels = learned.labelling.labels
    return {
        "skin": learned.skin.name,
        "appearances": len(labels),
        "labels": [next(iter(one)) if len(one) == 1 else sorted(one) for one in labels],
        "unlabelled": sum(len(one) > 1 for one in labels),
        "verified": learned.is_verified,
        "frames": len(learned.labelling.used),
        "share_read": round(learned.share_read, 4),
    }


def _summary(learned: Learned) -> str:
    width, height = learned.skin.pitch_px
    verified = "verified: two games agree" if learned.is_verified else "not verified yet: show another game"
    return f"{learned.skin.name}: {len(learned.labelling.labels)} looks of {width} x {height} px cells, {verified}"


def _in_words(learned: Learned, folder: Path) -> list[str]:
    from calibration.learning import labels_in_words

    lines = [_summary(learned)]
    numbered = sorted(enumerate(learned.labelling.labels), key=lambda one: -int(learned.appearances.counts[one[0]]))
    for number, labels in numbered:
        lines.append(f"  {int(learned.appearances.counts[number]):>5} cells: {labels_in_words(labels)}")
    missing = [digit for digit in "12345678" if frozenset(digit) not in learned.labelling.labels]
    if missing:
        lines.append(f"not seen yet, or not proven: {', '.join(missing)}")
    return [*lines, f"{100 * learned.share_read:.1f} % of the cells shown are read", f"saved in {folder}"]


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


def _add_live_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    live = parser.add_argument_group("by playing the clone, or by watching a person play it", _RESUMES)
    live.add_argument("--live", action="store_true", help="learn by playing what is on the screen; you label nothing")
    live.add_argument(
        "--watch", action="store_true", help="learn while you play: nothing is clicked; the start key ends it"
    )
    live.add_argument("--yes", action="store_true", help="allow keys and clicks that may begin a new game")
    live.add_argument("--now", action="store_true", help="begin at once, without the hot key")
    live.add_argument("--games", type=int, metavar="N", help="end after N games (default 8; with --watch 100)")
    live.add_argument("--minutes", type=float, metavar="M", help="end after M minutes (default 5; with --watch 60)")
    live.add_argument(
        "--hotkey", default="f8", metavar="KEY", help="starts, pauses, ends --watch (default f8: F10 opens menus)"
    )
    live.add_argument("--abort-key", default="esc", metavar="KEY", help="stops (default esc)")


def _run_live(args: argparse.Namespace) -> Learned:
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
    memory = _kept_memory(args)
    control = Control(running=args.now, start_key=args.hotkey, abort_key=args.abort_key)
    consents = args.live and (args.yes or _consents())
    options = LiveOptions(args.name, n_games, minutes, consents, ClickNote(usual_note()).note)
    with open_desktop() as desktop, listening(control, desktop.keyboard):
        if not args.now:
            start, stop = control.start_name, control.abort_name
            again = "it pauses too" if args.live else f"then play; {start} again ends it and saves what is known"
            _say(f"Put the pointer on the board and press {start} to start; {again}. {stop} stops.")
        if args.live:
            return learn_live(desktop, control, options, _say, memory, _keeper(args.name))
        return learn_by_watching(
            desktop.screen, desktop.mouse.position, control, options, _say, memory, _keeper(args.name)
        )


def _kept_memory(args: argparse.Namespace) -> Memory | None:
    """What was learned before, unless a person wants to begin anew."""
    memory = None if args.force else load_memory(memory_path(args.name))
    if memory is not None:
        n_games = len(memory.sights)
        _say(f"going on from {n_games} game{'s' * (n_games > 1)} that {args.name} was learned from before")
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


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
