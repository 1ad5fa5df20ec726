"""What KWin tells of its windows, by a script [1] that it runs for as long as this listens.

The script tells of all windows whenever something became of one. So whoever asks here waits for nobody.

[1] KWin scripting API 6; org.kde.kwin.Scripting on the session's D-Bus.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack, closing, suppress
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
    from collections.abc import Sequence

    from bot.desktop.wayland.outputs import Output

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


class KwinWindows(WindowList):
    """Tells of windows.

    Args:
        outputs: where they are.

    Raises:
        ScreenError: KWin runs no script.
    """

    _scripts = count(1)
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
            stack.callback(self._unload, self._load(_TELL % self._bus.name))
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
        self._unload(self._load(_ACTIVATE % name))

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

    def _load(self, script: str) -> str:
        """Have KWin run a script; returns its name."""
        name = f"minebot {self._bus.name} {next(self._scripts)}"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "script.js"
            path.write_text(script, encoding="utf-8")
            (number,) = self._bus.call(_SCRIPTING, "loadScript", "ss", (str(path), name))
            self._bus.call(DBusAddress(f"/Scripting/Script{number}", NAME, "org.kde.kwin.Script"), "run")
        return name

    def _unload(self, name: str) -> None:
        with suppress(ScreenError):  # KWin is gone
            self._bus.call(_SCRIPTING, "unloadScript", "s", (name,))
