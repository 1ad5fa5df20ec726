"""What KWin tells of its windows, by a script [1] that it runs for as long as this listens.

The script tells of all windows whenever something became of one. So whoever asks here waits for nobody.

[1] KWin scripting API 6; org.kde.kwin.Scripting on the session's D-Bus.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from jeepney import DBusAddress

from bot.desktop.portal.bus import Bus
from bot.desktop.wayland.outputs import in_pixels
from bot.desktop.wayland.window_list import Window, WindowList
from bot.errors import ScreenError
from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.portal.session import Session
    from bot.desktop.wayland.outputs import Output

_scripts = count(1)
NAME = "org.kde.KWin"  # by which KWin is found on the bus
_ANSWER_S = 5.0  # the longest time until a script begins to tell, in seconds
_SCRIPTING = DBusAddress("/Scripting", NAME, "org.kde.kwin.Scripting")
_TELL = """
function tell() {
    const shown = window => !window.minimized && !window.hidden
        && (window.onAllDesktops || window.desktops.includes(workspace.currentDesktop));
    const about = window => ({
        id: window.internalId.toString(), pid: window.pid, isShown: shown(window),
        isFocused: window === workspace.activeWindow, isDialog: window.transient,
        place: ["x", "y", "width", "height"].map(side => window.frameGeometry[side]),
    });
    const windows = workspace.stackingOrder.filter(window => !window.deleted);
    callDBus("%s", "/", "io.github.minebot.Windows", "Tell", JSON.stringify(windows.map(about)));
}
function watch(window) {
    for (const change of [window.frameGeometryChanged, window.minimizedChanged, window.desktopsChanged,
                          window.stackingOrderChanged, window.hiddenChanged])
        if (change) change.connect(tell);
    tell();
}
workspace.stackingOrder.forEach(watch);
workspace.windowAdded.connect(watch);
for (const change of [workspace.windowRemoved, workspace.windowActivated, workspace.currentDesktopChanged])
    change.connect(tell);
"""
"""Tells the connection with this name of all windows."""
_ACTIVATE = """
workspace.activeWindow = workspace.stackingOrder.find(window => window.internalId.toString() === "%s");
"""
"""Gives a window the keyboard."""


_TELL_POINTER = """
callDBus("%s", "/", "io.github.minebot.Windows", "Tell",
         JSON.stringify([workspace.cursorPos.x, workspace.cursorPos.y, workspace.screens.length]));
"""
"""Tells the connection with this name where the pointer is, in logical units, and how many monitors there are."""


def place_outputs_of(session: Session) -> None:
    """Find out where a session's outputs are: KDE's portal does not say. The pointer is sent to each, and comes back.

    Raises:
        ScreenError: KWin does not tell, or there are several monitors and the session has no mouse, or it is not seen.
    """
    with closing(Bus()) as bus, bus.hearing_calls() as calls:

        def pointer() -> tuple[int, int, int]:
            with _running(bus, _TELL_POINTER % bus.name):
                message = bus.receive(calls, _ANSWER_S)
            if message is None:
                raise ScreenError("KWin does not tell where the pointer is\nstart it again")
            x, y, n_monitors = json.loads(message.body[0])
            return round(x), round(y), n_monitors

        first_x, first_y, n_monitors = pointer()
        if n_monitors == 1:
            return
        if not session.has_input:
            raise ScreenError(
                "KDE does not say where its monitors are unless the mouse may be used\nallow it: minebot doctor --ask"
            )
        corners = []
        for output in session.outputs:
            if not session.point_at(output):
                raise ScreenError("the pointer is not seen where it was sent\nmove the mouse, and start it again")
            x, y, _ = pointer()
            corners.append((x - output.logical.width // 2, y - output.logical.height // 2))
        session.place(corners)
        session.send_pointer(in_pixels(session.outputs, Region(first_x, first_y, 1, 1)).corner)


class KwinWindows(WindowList):
    """Tells of windows.

    Args:
        outputs: where they are.

    Raises:
        ScreenError: KWin runs no script.
    """

    _numbers: ClassVar[dict[str, int]] = {}
    """By KWin's names, in the order in which they came up; a dialog comes after its window. All lists share them: who
    presses a key asks another list than whoever said which window it is for."""

    def __init__(self, outputs: Sequence[Output]) -> None:
        self._outputs = outputs
        self._known: list[Window] = []
        self._turned_to: list[int] = []
        with ExitStack() as stack:
            self._bus = stack.enter_context(closing(Bus()))
            self._calls = stack.enter_context(self._bus.hearing_calls())
            stack.enter_context(_running(self._bus, _TELL % self._bus.name))
            self._hear(_ANSWER_S)
            self._stack = stack.pop_all()
        self._turned_to.clear()

    def windows(self) -> list[Window]:
        self._hear()
        return self._known

    def turned_to(self) -> list[int]:
        self._hear()
        found, self._turned_to = self._turned_to, []
        return found

    def focus(self, number: int) -> None:
        name = next(name for name, one in self._numbers.items() if one == number)
        with _running(self._bus, _ACTIVATE % name):
            pass  # it acts at once

    def close(self) -> None:
        self._stack.close()

    def _hear(self, wait_s: float = 0.0) -> None:
        """Take in what KWin has told; wait up to `wait_s` seconds where it has told nothing yet."""
        while (message := self._bus.receive(self._calls, wait_s)) is not None:
            wait_s = 0.0
            windows = json.loads(message.body[0])
            for one in sorted(windows, key=lambda one: bool(one["isDialog"])):
                self._numbers.setdefault(one["id"], len(self._numbers) + 1)
            before = [one.program for one in self._known if one.is_focused]
            self._known = [self._window(one) for one in windows]
            focused = [one.program for one in self._known if one.is_focused]
            self._turned_to += focused if focused != before else []

    def _window(self, told: dict[str, Any]) -> Window:
        return Window(
            self._numbers[told["id"]],
            told["pid"],
            in_pixels(self._outputs, Region(*map(round, told["place"]))),
            is_shown=told["isShown"],
            is_focused=told["isFocused"],
            is_dialog=told["isDialog"],
        )


@contextmanager
def _running(bus: Bus, script: str) -> Iterator[None]:
    """Have KWin run a script, and keep it while the block runs."""
    name = f"minebot {bus.name} {next(_scripts)}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.js"
        path.write_text(script, encoding="utf-8")
        (number,) = bus.call(_SCRIPTING, "loadScript", "ss", (str(path), name))
        bus.call(DBusAddress(f"/Scripting/Script{number}", NAME, "org.kde.kwin.Script"), "run")
    try:
        yield
    finally:
        with suppress(ScreenError):  # KWin is gone
            bus.call(_SCRIPTING, "unloadScript", "s", (name,))
