"""How long the coach takes from a clone's change to its new marks.

Plays WineMine and GNOME Mines (wine, gnome-mines and Xvfb needed; all runs on a virtual screen of its own) by other
hands, through what `minebot coach` draws. A witness looks at the clone's window without pause, and hears from the X
server when that and the coach's are painted. The delay is from the clone's painting of the new position to the marks
for it; beside it, from the click on. `--clone winemine-on-windows` does so with the coach for Windows.
"""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import windows_env

from benches import spread
from bot.models import Pixel, Region
from bot.playing.transitions import is_whole
from bot.virtual_screen import virtual_screen
from bot.vision.finding import locate_board
from bot.vision.reading import Reader
from skins import load_shipped_skins
from solver.board import format_rows

if TYPE_CHECKING:
    import argparse

    from bot.models import Grid

CLONES = ("winemine", "gnome-mines")
ON_WINDOWS = "winemine-on-windows"  # the coach in CPython for Windows, under wine, over the winemine of the same prefix
QUIET_S = 0.25  # a position stands once nothing has changed for so long
SERVED_S = 0.01
"""The coach tells of a position once the server was asked to paint its marks; that may take so much longer."""
TIMESTAMPS = 1 << 32  # the server counts milliseconds up to here
GIVE_UP_S = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--positions", type=int, default=50, metavar="N", help="of each clone (default %(default)s)")
    parser.add_argument("--clone", choices=(*CLONES, ON_WINDOWS), help="this one only")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    with virtual_screen() as display, importlib.import_module("window_manager").openbox(display):
        for clone in CLONES if args.clone is None else (args.clone,):
            _measure(clone, display, args.positions)
    return 0


def _measure(clone: str, display: str, n_positions: int) -> None:
    """Play so many positions of a clone, and print the delays."""
    coached, desktop_game = (importlib.import_module(name) for name in ("coached", "desktop_game"))
    delays: list[float] = []
    from_click: list[float] = []
    with ExitStack() as stack:
        desk = stack.enter_context(desktop_game.desk(display))
        if clone == ON_WINDOWS:
            keys = ("Return", "F2")
            coach = _coach_on_windows(desk, stack)
        else:
            keys = stack.enter_context(coached.running_clone(clone, desk))
            coach = stack.enter_context(coached.coached(desk))
        while len(delays) < n_positions:
            told = coach.wait_until_settled(still_s=QUIET_S)
            if told["move"] is None:
                coached.begin_another(desk, keys, told["state"])
                coach.wait_for(lambda event: event.get("state") == "fresh", what="new game")
                continue
            with Witness(tuple(told["origin"])) as witness:
                middle = witness.middle_of(tuple(told["move"]["cell"]))
                desk.move(*middle)
                coach.wait_until_settled(still_s=QUIET_S)
                clicked_at = time.monotonic()
                desk.click(*middle)
                change_at, drawn_at = witness.watch(coach, told)
            delays.append(1e3 * (drawn_at - change_at))
            from_click.append(1e3 * (drawn_at - clicked_at))
    print(f"{clone}, {n_positions} positions:")
    for what, values in (("from the clone's change", delays), ("from the click", from_click)):
        median, p95, most = spread(values)
        print(f"  {what:<24} median {median:6.1f} ms   95 % {p95:6.1f} ms   max {most:6.1f} ms")


def _coach_on_windows(desk: Any, stack: ExitStack) -> Any:
    """Start the coach for Windows over a winemine, until the stack is closed."""
    coached, winemine, windows_desktop = (
        importlib.import_module(name) for name in ("coached", "winemine", "windows_desktop")
    )
    windows = windows_env.prepare()
    windows.compile_kernel()
    stack.enter_context(coached.windows_kept_apart(desk.name))
    wine = stack.enter_context(winemine.wine_prefix(desk.name, windows.prefix))
    stack.enter_context(wine.winemine("expert"))
    bot = stack.enter_context(windows_desktop.WindowsDesktop(windows, wine).bot("coach", *coached.OPTIONS))
    coach = coached.hear(bot, desk)
    stack.callback(coach.join)
    stack.callback(bot.process.kill)
    return coach


class Witness:
    """Looks at a clone's window by itself, and hears when the coach draws; shares nothing with the coach's process."""

    def __init__(self, origin: tuple[int, int]) -> None:
        from bot.desktop.x11.watch import X11Watch  # noqa: PLC0415 - X11 only

        self._watch = X11Watch(Pixel(origin[0] + 3, origin[1] + 3))
        found = locate_board(self._watch.grab(), load_shipped_skins())
        self._grid: Grid = found.grid
        self._reader = Reader(found.skin, found.grid)
        place = self._watch.place()
        assert place is not None, "the clone shows"
        self._corner = place.corner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._watch.close()

    def middle_of(self, cell: tuple[int, ...]) -> Pixel:
        """The middle of a cell on the screen."""
        middle = self._grid.cell_region(cell).middle
        return Pixel(middle.x + self._corner.x, middle.y + self._corner.y)

    def watch(self, coach: Any, before: Any) -> tuple[float, float]:
        """See a click have its effect: when the clone painted the new position, and when its marks were painted.

        The first is the earliest paint on the board after the last picture that did not show the position yet.
        """
        seen_after: dict[tuple[str, ...], float] = {}
        marks = self._hear_paints()
        began = before_last = time.monotonic()
        while True:
            now = time.monotonic()
            reading = self._reader.read(self._watch.grab(self._grid.region))
            if is_whole(reading):
                seen_after.setdefault(tuple(format_rows(reading.board.cells)), before_last)
            before_last = now
            told = coach.position
            if told is not before and now > max(told["heard_at"], began) + QUIET_S:
                break
            assert now < began + GIVE_UP_S, f"the click had no effect: {before['why']}"
        painted_at = self._painted_at()
        after = seen_after.get(tuple(told["board"]))
        assert after is not None, "the witness saw what the coach told of"
        change_at = min(at for at in painted_at[self._watch.window.id] if at >= after)
        return change_at, max(at for at in painted_at[marks] if began <= at <= told["heard_at"] + SERVED_S)

    def _hear_paints(self) -> int:
        """Ask to be told when the clone's window and the coach's marks are painted; returns the window of the marks."""
        from Xlib.ext import damage  # noqa: PLC0415 - X11 only

        root = self._watch.display.screen().root
        marks = next(
            window
            for window in root.query_tree().children
            if window.get_wm_name() == "minebot coach" and _covers(window, self.middle_of(self._grid.cell_of(0)))
        )
        for window in (marks, self._watch.window):
            window.damage_create(damage.DamageReportRawRectangles)
        return int(marks.id)

    def _painted_at(self) -> dict[int, list[float]]:
        """When each window was painted, the clone's on its board, by the server, whose clock is this one's."""
        display, board = self._watch.display, self._grid.region
        times: dict[int, list[float]] = defaultdict(list)
        while display.pending_events():
            event = display.next_event()
            if event.type != display.extension_event.DamageNotify:
                continue
            area, number = event.area, event.drawable.id
            is_beside = area.x + area.width <= board.left or area.x >= board.left + board.width
            is_beside |= area.y + area.height <= board.top or area.y >= board.top + board.height
            if number != self._watch.window.id or not is_beside:
                now_ms = round(1e3 * time.monotonic())
                times[number].append((now_ms - (now_ms - event.timestamp) % TIMESTAMPS) / 1e3)
        return times


def _covers(window: Any, pixel: Pixel) -> bool:
    at = window.get_geometry()
    return Region(at.x, at.y, at.width, at.height).has_pixel(pixel)
