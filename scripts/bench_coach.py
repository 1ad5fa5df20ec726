"""How long the coach takes from a clone's change to its new marks: `python scripts/bench_coach.py [--positions N]`.

Plays WineMine and GNOME Mines (wine, gnome-mines and Xvfb needed; all runs on a virtual screen of its own) by other
hands, through what `minebot coach` draws. A witness looks at the clone's window without pause, and hears from the X
server when that and the coach's are painted. The delay is from the clone's painting of the new position to the marks
for it; beside it, from the click on. `--clone winemine-on-windows` does so with the coach for Windows. `--toolkits`
instead times how long Tk and Xlib alone take to put a picture of an Expert board on the screen, shaped.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import time
import tkinter as tk
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import windows_env
from PIL import Image, ImageTk

from bot.models import Frame, Pixel, Region, Sheet
from bot.playing.transitions import is_whole
from bot.virtual_screen import virtual_screen
from bot.vision.finding import locate_board
from bot.vision.reading import Reader
from skins import load_shipped_skins
from solver.board import format_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.models import Grid

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"
CLONES = ("winemine", "gnome-mines")
ON_WINDOWS = "winemine-on-windows"
"""The coach in CPython for Windows, under wine, over the winemine of the same prefix."""
QUIET_S = 0.25
"""A position stands once nothing has changed for so long."""
SERVED_S = 0.01
"""The coach tells of a position once the server was asked to paint its marks; that may take so much longer."""
TIMESTAMPS = 1 << 32
"""The server counts milliseconds up to here."""
GIVE_UP_S = 20.0
EXPERT_PX = (480, 256)
N_SHOWN = 50


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench_coach.py", description="Measures the coach over real clones.")
    parser.add_argument("--positions", type=int, default=50, metavar="N", help="of each clone (default %(default)s)")
    parser.add_argument("--clone", choices=(*CLONES, ON_WINDOWS), help="this one only")
    parser.add_argument("--toolkits", action="store_true", help="time Tk and Xlib instead")
    args = parser.parse_args(arguments)
    sys.path.insert(0, str(SUPPORT))
    with virtual_screen() as display:
        if args.toolkits:
            _time_toolkits()
            return 0
        with _window_manager():
            for clone in CLONES if args.clone is None else (args.clone,):
                _measure(clone, display, args.positions)
    return 0


@contextmanager
def _window_manager() -> Iterator[None]:
    manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)  # it says nothing when it is there
        yield
    finally:
        manager.terminate()
        manager.wait()


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
        values.sort()
        p95 = values[int(0.95 * (len(values) - 1))]
        print(
            f"  {what:<24} median {statistics.median(values):6.1f} ms   95 % {p95:6.1f} ms   max {values[-1]:6.1f} ms"
        )


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


def _time_toolkits() -> None:
    """Time how long Tk and Xlib take to show one changed picture after the other."""
    plain_windows = importlib.import_module("plain_windows")
    rng = np.random.default_rng(1)
    width, height = EXPERT_PX
    pictures = rng.integers(0, 256, (2, height, width, 3), dtype=np.uint8)
    pictures[1, 32:] = pictures[0, 32:]  # what a click changes is a part of it
    mask = np.zeros((height, width), dtype=bool)
    for row, col in rng.integers((0, 0), (16, 30), (120, 2)):
        mask[16 * row + 3 : 16 * row + 13, 16 * col + 3 : 16 * col + 13] = True
    with plain_windows.plain_windows(os.environ["DISPLAY"], "clone", "600x400+40+30"):
        for name, toolkit in (("Xlib", _by_xlib), ("Tk, shaped by Xlib", _by_tk)):
            times = toolkit(pictures, mask)
            print(f"{name:<20} median {statistics.median(times):5.1f} ms   max {max(times):5.1f} ms")


def _by_xlib(pictures: Any, mask: Any) -> list[float]:
    from bot.desktop import this_platform  # noqa: PLC0415 - needs a display

    times = []
    with this_platform().overlay_at(Pixel(100, 100)) as (watch, overlay):
        for n in range(N_SHOWN):
            began = time.perf_counter()
            overlay.show([Sheet(Frame(pictures[n % 2]), mask)])
            watch.grab(Region(0, 0, 1, 1))  # answered once all that was asked before is done
            times.append(1e3 * (time.perf_counter() - began))
    return times


def _by_tk(pictures: Any, mask: Any) -> list[float]:
    from Xlib import X  # noqa: PLC0415 - X11 only
    from Xlib.display import Display  # noqa: PLC0415 - as above
    from Xlib.ext import shape  # noqa: PLC0415 - as above

    root = tk.Tk()
    root.overrideredirect(boolean=True)
    root.geometry(f"{EXPERT_PX[0]}x{EXPERT_PX[1]}+40+500")
    label = tk.Label(root, borderwidth=0)
    label.pack()
    root.update()
    display = Display()
    window = display.create_resource_object("window", int(root.frame(), 16))
    times = []
    for n in range(N_SHOWN):
        began = time.perf_counter()
        picture = ImageTk.PhotoImage(Image.fromarray(np.ascontiguousarray(pictures[n % 2][:, :, ::-1])))
        label.configure(image=picture)
        root.update()
        bits = display.screen().root.create_pixmap(*EXPERT_PX, 1)
        context = bits.create_gc(foreground=1, background=0)
        bits.put_pil_image(context, 0, 0, Image.fromarray(mask))
        window.shape_mask(shape.SO.Set, shape.SK.Bounding, 0, 0, bits)
        window.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, [])
        display.sync()
        times.append(1e3 * (time.perf_counter() - began))
    root.destroy()
    display.close()
    return times


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
