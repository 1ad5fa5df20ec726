"""`minebot coach`: over a live clone, without clicking: what is safe, what is a mine, the risks, and why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.arguments import add_desktop, add_rule, parse_region, whole
from bot.console import emit_event, fold
from solver.words import counted, format_cells

if TYPE_CHECKING:
    import argparse

    from bot.coaching.drawing import Marks
    from bot.coaching.knowledge import CellRemark, GuessAnswer, Knowledge
    from bot.models import Pixel, Reading

EXAMPLE = "minebot coach                 (Esc ends it, F10 hides and shows it)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_desktop(parser)
    parser.add_argument("--skin", default="auto", help="a skin's name, or auto (the default): try them all")
    parser.add_argument("--mines", type=whole(1), metavar="N", help="how many mines, if the game shows no count")
    add_rule(parser)
    parser.add_argument(
        "--region", type=parse_region, metavar="L,T,W,H", help="look for the board only here on the screen"
    )
    parser.add_argument(
        "--record", type=Path, metavar="DIR", help="keep the games in a new folder, for 'minebot review DIR'"
    )
    parser.add_argument("--hotkey", metavar="KEY", help="hides what is drawn, and shows it again (default f10)")
    parser.add_argument("--abort-key", metavar="KEY", help="ends it (default esc)")
    parser.add_argument("--proof-key", default="f7", metavar="KEY", help="shows whole proofs (default %(default)s)")
    parser.add_argument("--risks-key", default="f8", metavar="KEY", help="shows every risk (default %(default)s)")
    parser.add_argument(
        "--guess-key",
        default="f6",
        metavar="KEY",
        help="says whether to guess the cell under the pointer, without its risk (default %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a line, one per change")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Coach until the clone's window is closed; the exit code is 0 then."""
    from contextlib import ExitStack, closing
    from functools import cache

    from bot.coaching.coach import Coach, CoachKeys, GameRecorder, WindowBoard
    from bot.console import tell
    from bot.desktop import this_platform
    from bot.playing.control import Control
    from bot.playing.session import listening
    from bot.preferences import load_preferences
    from bot.reporting.recording import Journal
    from bot.vision.finding import check_whole, locate_board
    from bot.warm_up import warm_up

    preferences = load_preferences()
    preferences.fill_in(args)
    platform = this_platform()
    platform.check_can_overlay()
    skins = preferences.load_skins(args.skin, tell, args.first)
    warm_up()  # now, where nobody waits
    control = Control(running=True, start_key=args.hotkey, abort_key=args.abort_key)
    keys = CoachKeys(args.proof_key, args.risks_key, args.guess_key)
    with ExitStack() as stack:
        screen = stack.enter_context(closing(platform.screen()))  # mss comes before pyautogui
        frame = screen.grab(args.region)
        board = locate_board(frame, skins)
        check_whole(board.grid, frame)
        keyboard = stack.enter_context(closing(platform.keyboard()))
        stack.enter_context(listening(control, keyboard, more_keys=keys.hot_keys(), clicks=False))
        window, overlay = stack.enter_context(platform.overlay_at(board.grid.region.middle))
        machine = platform.machine()
        if not machine.tells_pointer:
            tell("nothing tells here where the mouse is: no reason is given for the cell under it")
        tell(f"Coaching: {control.abort_name} ends it, {control.start_name} hides and shows it.")
        others = [skin for skin in skins if skin is not board.skin]
        coached = WindowBoard(window, [board.skin, *others], args.mines, control, tell)
        recorder = None if args.record is None else GameRecorder(stack.enter_context(Journal(args.record)))
        listener = _JsonListener() if args.json else _PlainListener()
        Coach(window, overlay, coached, control, listener, keys, recorder, scale_of=cache(machine.scale_of)).run()
    return 0


class _JsonListener:
    """Prints a JSON object a line."""

    def position(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel, took_s: float) -> None:
        """A board is known."""
        from solver.board import format_rows

        origin = reading.grid.origin
        move = knowledge.move
        emit_event(
            "position",
            skin=reading.skin,
            shape=reading.grid.shape,
            origin=[origin.x + corner.x, origin.y + corner.y],
            pitch=reading.grid.pitch_px,
            board=format_rows(reading.board.cells),
            mines=reading.board.mines,
            state=knowledge.state.value,
            marked=marks.as_json(),
            move=None if move is None else {"action": move.action.value, "cell": move.cell},
            why=knowledge.headline,
            took_ms=round(took_s * 1e3, 1),
        )

    def drawn_anew(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel) -> None:
        """It is elsewhere on the screen, or has other marks."""
        self.position(reading, knowledge, marks, corner, 0.0)

    def cell(self, remark: CellRemark, reason: str) -> None:
        """The pointer rests on a cell."""
        emit_event("cell", cell=remark.cell, verdict=remark.verdict.value, why=reason)

    def warning(self, remark: CellRemark) -> None:
        """The pointer is over a mine."""
        emit_event("warning", cell=remark.cell, why=remark.title)

    def guess(self, answer: GuessAnswer) -> None:
        """A person asked whether to guess a cell."""
        emit_event("guess", cell=answer.cell, right=answer.is_right, why=answer.why)

    def hidden(self, why: str) -> None:
        """Nothing is drawn for now."""
        emit_event("hidden", why=why)

    def ended(self, why: str) -> None:
        """It is over."""
        emit_event("ended", why=why)


class _PlainListener:
    """Prints a line for a person."""

    def position(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel, took_s: float) -> None:  # noqa: ARG002 - all listeners are called alike; this one needs less
        """A board is known."""
        proven = (
            f"{len(marks.safe)} safe, {counted(len(marks.mines), 'mine')}"
            if knowledge.analysis is not None
            else "no marks"
        )
        _say(f"{knowledge.state.value}: {proven}; {knowledge.headline}")

    def drawn_anew(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel) -> None:
        """Nothing: a person sees that."""

    def cell(self, remark: CellRemark, reason: str) -> None:
        """The pointer rests on a cell."""
        _say(f"{format_cells([remark.cell])}: {remark.title}\n  {reason.replace(chr(10), chr(10) + '  ')}")

    def warning(self, remark: CellRemark) -> None:
        """The pointer is over a mine."""
        _say(f"{format_cells([remark.cell])}: {remark.title}")

    def guess(self, answer: GuessAnswer) -> None:
        """A person asked whether to guess a cell."""
        _say(answer.title)

    def hidden(self, why: str) -> None:
        """Nothing is drawn for now."""
        _say(why)

    def ended(self, why: str) -> None:
        """It is over."""
        _say(why)


def _say(text: str) -> None:
    print(fold(text, sys.stdout), flush=True)
