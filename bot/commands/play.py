"""`minebot play`: arms the hot key; plays what it finds on the screen."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.arguments import add_desktop, add_rule, parse_chance, parse_region, parse_seconds, parse_time, whole
from bot.commands.output import some_of
from bot.console import emit, emit_event
from bot.playing.speeds import SPEEDS
from bot.reporting.text_boards import page_width, rule_board, sign_cells
from solver.words import counted, name_cell, name_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.models import Pixel
    from bot.playing.session import DryRun, PlayOptions
    from skins.skin import Sprite
    from solver import Move

EXAMPLE = "minebot play --games 5        (then press F10; Esc stops)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--now", action="store_true", help="begin at once, without the hot key")
    parser.add_argument("--games", type=whole(1), metavar="N", help="how many games to play (default 1)")
    parser.add_argument("--skin", default="auto", help="a skin's name, or auto (the default): try them all")
    parser.add_argument("--mines", type=whole(1), metavar="N", help="how many mines, if the game shows no count")
    parser.add_argument("--whole", action="store_true", help="all of the board is seen, whatever lies beside it")
    parser.add_argument(
        "--speed",
        choices=SPEEDS,
        help="as fast as the game takes it, 20 clicks a second, or as a person (default max)",
    )
    yes_or_no = argparse.BooleanOptionalAction
    parser.add_argument("--flags", action=yes_or_no, help="flag every proven mine (default: no)")
    parser.add_argument(
        "--chord",
        action=yes_or_no,
        help="click numbers where that saves clicks, with flags as needed (default: where it saves time, at speed max)",
    )
    parser.add_argument("--efficient", action="store_true", help="save clicks rather than time, by chords and flags")
    parser.add_argument(
        "--risk-limit", type=parse_chance, metavar="P", help="stop before a guess riskier than P, from 0 to 1"
    )
    parser.add_argument(
        "--think",
        type=parse_seconds,
        default=0.0,
        metavar="SECONDS",
        help="seconds to think about a guess, playing on from each candidate (default: a millisecond)",
    )
    add_rule(parser)
    add_desktop(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would be clicked, and click nothing")
    parser.add_argument("--minutes", type=parse_time, default=math.inf, metavar="M", help="end after M minutes")
    parser.add_argument("--stop-on-loss", action="store_true", help="end after the first lost game")
    parser.add_argument("--leave-dialog", action="store_true", help="leave the last game's dialogs on the screen")
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep pictures and decisions in a new folder")
    parser.add_argument("--hotkey", metavar="KEY", help="starts, pauses and goes on (default f10)")
    parser.add_argument("--abort-key", metavar="KEY", help="stops (default esc)")
    parser.add_argument(
        "--region", type=parse_region, metavar="L,T,W,H", help="look for the board only here on the screen"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument("--events", action="store_true", help="print one JSON object a line, one per change")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Play; the exit code is 0 when every game was won, 1 when one was not."""
    from rich.console import Console

    from bot.console import tell
    from bot.desktop import open_desktop
    from bot.errors import TimeIsUp
    from bot.playing.control import Control
    from bot.playing.results import Tally
    from bot.playing.session import dry_run, listening, play
    from bot.preferences import load_preferences
    from bot.reporting.events import EventLines
    from bot.reporting.recording import Journal
    from bot.reporting.status import Status, results_table
    from bot.warm_up import warm_up

    preferences = load_preferences()
    _settle_efficient(args)
    preferences.fill_in(args)
    options = _parse_options(args)
    skins = preferences.load_skins(args.skin, tell, args.first)
    warm_up()  # before the keys are heard: nobody waits for it with a game that has begun
    control = Control(running=args.now, start_key=args.hotkey, abort_key=args.abort_key)
    tally = Tally()
    rehearsal: DryRun | None = None
    try:
        with ExitStack() as stack:
            desktop = stack.enter_context(open_desktop())
            stack.enter_context(listening(control, desktop.keyboard, options.minutes))
            journal = None if args.record is None else stack.enter_context(Journal(args.record))
            status = EventLines() if args.events else stack.enter_context(Status(options.n_games))
            if not args.now:
                status.remark(f"Press {control.start_name} to start and pause, {control.abort_name} to stop.")
            if args.dry_run:
                rehearsal = dry_run(desktop, skins, options, control, status)
            else:
                play(
                    desktop, skins, options, control, status, tally=tally, recorder=journal, keep_sprites=_keep_sprites
                )
    except TimeIsUp as end:
        tell(str(end))
    finally:
        if rehearsal is not None:
            emit(rehearsal.as_json(), _rehearsal_lines(rehearsal), as_json=args.json)
        elif args.events:
            emit_event("ended", **tally.as_json())
        elif args.json:
            emit(tally.as_json(), as_json=True)
        elif tally.games:
            Console().print(results_table(tally))
    return 0 if tally.n_won == len(tally.games) else 1


def _keep_sprites(name: str, sprites: Sequence[Sprite]) -> str:
    """Keep what play has proven in the user's skin of that name; what came of it, in words."""
    from skins import SkinError, keep_sprites

    try:
        folder = keep_sprites(name, sprites)
    except SkinError as error:
        return f"what play has proven of skin {name} is not kept: {error}"
    return "" if folder is None else f"what play has proven is kept in skin {name} ({folder})"


def _parse_options(args: argparse.Namespace) -> PlayOptions:
    from bot.bot_clicks import ClickNote, usual_note
    from bot.errors import UsageError
    from bot.playing.decide import Style
    from bot.playing.session import PlayOptions
    from bot.playing.situation import Settings
    from bot.playing.speeds import speed_named

    if args.dry_run and args.record is not None:
        raise UsageError("expected --dry-run or --record, got both: nothing is played that could be recorded")
    if args.events and (args.dry_run or args.json):
        raise UsageError(f"expected --events or {'--dry-run' if args.dry_run else '--json'}, got both")
    saves_time = args.chord is None and args.speed == "max"
    return PlayOptions(
        n_games=args.games,
        mines=args.mines,
        is_whole=args.whole,
        stop_on_loss=args.stop_on_loss,
        minutes=args.minutes,
        region=args.region,
        leaves_dialog=args.leave_dialog,
        settings=Settings(
            Style(args.flags, args.chord or saves_time, think_s=args.think, efficient=args.efficient),
            speed_named(args.speed),
            saves_time,
            args.risk_limit,
            ClickNote(usual_note()).note,
        ),
    )


def _settle_efficient(args: argparse.Namespace) -> None:
    """Say what --efficient means for flags and chords; the settings file has no say in it.

    Raises:
        UsageError: every mine is to be flagged, which takes clicks.
    """
    from bot.errors import UsageError

    if not args.efficient:
        return
    if args.flags:
        raise UsageError("expected --efficient or --flags, got both: a flag on every mine takes more clicks")
    args.flags = False
    args.chord = True if args.chord is None else args.chord


def _rehearsal_lines(rehearsal: DryRun) -> Iterator[str]:
    reading = rehearsal.reading
    mines = counted(reading.board.mines or 0, "mine")
    yield f"{reading.skin}: {name_shape(reading.grid.shape)}, {mines}, {reading.state.value}"
    yield from rule_board(reading.grid.shape, sign_cells(reading.board), page_width(sys.stdout))
    for (action, why), clicks in _alike(rehearsal.clicks).items():
        places = [f"{name_cell(move.cell)} at pixel ({pixel.x},{pixel.y})" for move, pixel in clicks]
        yield f"would {action} {some_of(places)}: {why}"
    if not rehearsal.clicks:
        yield "nothing would be clicked: the game is over"


def _alike(clicks: Sequence[tuple[Move, Pixel]]) -> dict[tuple[str, str], list[tuple[Move, Pixel]]]:
    """The clicks by what they do and why, in their order."""
    groups: dict[tuple[str, str], list[tuple[Move, Pixel]]] = {}
    for move, pixel in clicks:
        groups.setdefault((move.action.value, move.why), []).append((move, pixel))
    return groups
