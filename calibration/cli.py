"""`minebot-calibrate`: makes a skin of a clone that nobody knows yet, from pictures of it."""

from __future__ import annotations

import argparse
import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.console import Parser, tell
from bot.errors import BotError, UsageError
from bot.last_resort import finish
from calibration.live.command import add_arguments, forget, has_memory, run_live

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.learning import Learned

EXAMPLES = """minebot-calibrate --live --name my-clone --sheet looks.png     (then press F8 over the game; Esc stops)
  minebot-calibrate --watch --name my-clone                       (then press F8 and play; F8 ends it)
  minebot-calibrate fresh.png mid-game.png --name my-clone --sheet looks.png"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `minebot-calibrate` with these arguments (the process's own when None); return the exit code."""
    args = _parser().parse_args(argv)
    return finish("minebot-calibrate", functools.partial(_run_and_tell, args))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="minebot-calibrate",
        description="Makes a skin of a Minesweeper clone, by playing it or from pictures: proves what looks mean.",
        epilog=f"examples:\n  {EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "images", nargs="*", type=Path, metavar="IMAGE", help="a screenshot: fresh, mid-game, won, lost"
    )
    parser.add_argument("--name", required=True, metavar="N", help="how the skin will be called")
    parser.add_argument("--closed", metavar="R,C", help="a cell of the first picture's board that is closed")
    parser.add_argument("--sheet", type=Path, metavar="OUT.png", help="a picture of every look and what it means")
    parser.add_argument("--force", action="store_true", help="replace your own skin of that name, learned anew")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_arguments(parser)
    return parser


def _run_and_tell(args: argparse.Namespace) -> int:
    try:
        return _run(args)
    except (BotError, KeyboardInterrupt) as error:
        if (args.live or args.watch) and has_memory(args.name):
            error.add_note("what was learned is kept: the same command goes on from there")
        raise


def _run(args: argparse.Namespace) -> int:
    from bot.images import save_png
    from calibration.contact_sheet import draw_contact_sheet
    from skins import save_skin

    plays = args.live or args.watch
    folder = _free_folder(args.name, replaces=args.force or (plays and has_memory(args.name)))
    learned = run_live(args) if plays else _from_pictures(args)
    for rule in learned.labelling.given_up:
        tell(f"it does not hold here that {rule}")
    save_skin(learned.skin, folder)
    if plays and learned.is_verified:
        forget(args.name)
    if args.sheet is not None:
        save_png(args.sheet, draw_contact_sheet(learned.appearances, learned.labelling, _summary(learned)))
    print(json.dumps(_as_json(learned)) if args.json else "\n".join(_in_words(learned, folder)))
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


def _free_folder(name: str, *, replaces: bool) -> Path:
    """Where the skin goes."""
    from skins import shipped_skin_names, user_skins_folder
    from skins.profile_write import check_name

    check_name(name)
    if name in shipped_skin_names():
        raise UsageError(f"a skin named {name} comes with the program: expected another --name")
    folder = user_skins_folder() / name
    if folder.exists() and not replaces:
        raise UsageError(f"{folder}: is there already; --force replaces it, or choose another --name")
    return folder


def _cell(word: str) -> tuple[int, int]:
    if not re.fullmatch(r"\d+,\d+", word):
        raise UsageError(f"expected --closed R,C, a row and a column from 0 on, got {word!r}")
    row, col = word.split(",")
    return int(row), int(col)


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
    from calibration.contact_sheet import in_words

    lines = [_summary(learned)]
    numbered = sorted(enumerate(learned.labelling.labels), key=lambda one: -int(learned.appearances.counts[one[0]]))
    for number, labels in numbered:
        lines.append(f"  {int(learned.appearances.counts[number]):>5} cells: {in_words(labels)}")
    missing = [digit for digit in "12345678" if frozenset(digit) not in learned.labelling.labels]
    if missing:
        lines.append(f"not seen yet, or not proven: {', '.join(missing)}")
    return [*lines, f"{100 * learned.share_read:.1f} % of the cells shown are read", f"saved in {folder}"]
