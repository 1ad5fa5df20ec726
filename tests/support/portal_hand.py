"""The hand and eyes of a person in a GNOME or KDE session of `scripts/wayland.py`, by private ways past the portals.

GNOME: mutter's own RemoteDesktop, and gnome-shell's unsafe mode. KDE: KWin's fake input, and its ScreenShot2.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
from desktop_game import SMALLEST_PX, Desk, Window
from jeepney import DBusAddress, MatchRule, MessageType, new_method_call
from jeepney.io.blocking import open_dbus_connection
from patience import wait_until
from pywayland.client import Display
from pywayland.protocol_core import Argument, ArgumentType, Interface, Proxy

KEY_CODES = {"escape": 1, "tab": 15, "return": 28, "ctrl": 29, "alt": 56, "shift": 42, "space": 57, "super": 125}
KEY_CODES |= {f"F{n}": 58 + n for n in range(1, 11)}
for _row, _first in (("1234567890", 2), ("qwertyuiop", 16), ("asdfghjkl", 30), ("zxcvbnm", 44)):
    KEY_CODES |= {letter: _first + n for n, letter in enumerate(_row)}
"""The kernel's numbers of keys."""
SCALE = float(os.environ.get("MINEBOT_SCALE", "1"))
"""Pixels a unit in which the desktop counts places; hands and eyes count pixels."""
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}
KWIN = "org.kde.KWin"
MUTTER = "org.gnome.Mutter."
SHELL = "org.gnome.Shell"


class _FakeInput(Interface):
    """org_kde_kwin_fake_input, as far as it is used here; its requests count from 0."""

    name = "org_kde_kwin_fake_input"
    version = 4


class _FakeInputProxy(Proxy):
    interface = _FakeInput


def _declare(number, request, *kinds):
    def send(proxy, *values):
        proxy._marshal(number, *values)

    send.__name__ = request
    setattr(_FakeInputProxy, request, _FakeInput.request(*(Argument(kind) for kind in kinds))(send))


for _number, (_request, *_kinds) in enumerate(
    [
        ("authenticate", ArgumentType.String, ArgumentType.String),
        ("pointer_motion", ArgumentType.Fixed, ArgumentType.Fixed),
        ("button", ArgumentType.Uint, ArgumentType.Uint),
        ("axis", ArgumentType.Uint, ArgumentType.Fixed),
        ("touch_down", ArgumentType.Uint, ArgumentType.Fixed, ArgumentType.Fixed),
        ("touch_motion", ArgumentType.Uint, ArgumentType.Fixed, ArgumentType.Fixed),
        ("touch_up", ArgumentType.Uint),
        ("touch_cancel",),
        ("touch_frame",),
        ("pointer_motion_absolute", ArgumentType.Fixed, ArgumentType.Fixed),
        ("keyboard_key", ArgumentType.Uint, ArgumentType.Uint),
    ]
):
    _declare(_number, _request, *_kinds)
_FakeInput._gen_c()
_FakeInput.proxy_class = _FakeInputProxy


class Bus:
    """Calls on the session's bus."""

    def __init__(self):
        self._connection = open_dbus_connection("SESSION", enable_fds=True)

    def close(self):
        self._connection.close()

    def call(self, service, path, interface, method, signature="", *arguments):
        """What a method answers."""
        address = DBusAddress(path, service, interface)
        message = new_method_call(address, method, signature or None, arguments)
        answer = self._connection.send_and_get_reply(message, timeout=20)
        assert answer.header.message_type != MessageType.error, (method, answer.body)
        return answer.body

    @property
    def name(self):
        """What others call this connection."""
        return self._connection.unique_name

    def called_by(self, service, path, interface, method):
        """What this connection is called with, by that which a method of no arguments sets going."""
        with self._connection.filter(MatchRule(type="method_call")) as calls:
            self.call(service, path, interface, method)
            return self._connection.recv_until_filtered(calls, timeout=20).body


class Hand(Desk):
    """What hands on both desktops do, in the session that runs this; programs find it by the variables they inherit."""

    name = ""
    variables: ClassVar = {"GDK_BACKEND": "wayland", "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "")}

    def move(self, x, y):
        self._go_to(x / SCALE, y / SCALE)

    def press(self, x, y, button=1):
        self.move(x, y)
        self.button(button, is_down=True)

    def release(self, button=1):
        self.button(button, is_down=False)

    def type_key(self, keys):
        names = keys.split("+")
        for name in names:
            self.key(name, is_down=True)
        for name in reversed(names):
            self.key(name, is_down=False)

    def capture(self, left, top, width, height):
        return self.capture_all()[top : top + height, left : left + width]

    def find_window(self, title):
        found = [one for one in self.windows() if title in (one["title"] or "")]
        return _as_window(found[-1]) if found else None

    def find_dialog(self):
        """The topmost window over another one of its program."""
        windows = self.windows()
        dialogs = [one for n, one in enumerate(windows) if one["pid"] in {other["pid"] for other in windows[:n]}]
        return _as_window(dialogs[-1]) if dialogs else None


def _as_window(told):
    window = Window(told["id"], *(round(number * SCALE) for number in told["frame"]))
    return window if min(window.width, window.height) >= SMALLEST_PX else None


class GnomeHand(Hand):
    """A hand on gnome-shell, and eyes."""

    def __init__(self):
        self._bus = Bus()
        root = MUTTER + "RemoteDesktop"
        (self._hand,) = self._mutter("RemoteDesktop", None, "CreateSession")
        ((_, number),) = self._bus.call(
            root, self._hand, "org.freedesktop.DBus.Properties", "Get", "ss", root + ".Session", "SessionId"
        )
        (screen,) = self._mutter(
            "ScreenCast", None, "CreateSession", "a{sv}", {"remote-desktop-session-id": ("s", number)}
        )
        (self._monitor,) = self._mutter("ScreenCast", screen, "RecordMonitor", "sa{sv}", "Meta-0", {})
        self._act("Start")

    def close(self):
        self._bus.close()

    def _mutter(self, which, path, method, signature="", *arguments):
        name = MUTTER + which
        interface = name if path is None else name + ".Session"
        return self._bus.call(name, path or "/" + name.replace(".", "/"), interface, method, signature, *arguments)

    def _act(self, method, signature="", *arguments):
        self._mutter("RemoteDesktop", self._hand, method, signature, *arguments)

    def _go_to(self, x, y):
        self._act("NotifyPointerMotionAbsolute", "sdd", self._monitor, float(x), float(y))

    def button(self, number, *, is_down):
        """Press a button, or let it go."""
        self._act("NotifyPointerButton", "ib", BUTTONS[number], is_down)

    def key(self, name, *, is_down):
        """Press a key, or let it go."""
        self._act("NotifyKeyboardKeycode", "ub", KEY_CODES[name], is_down)

    def ask(self, script):
        """What a script of gnome-shell's own language answers."""
        is_done, answer = self._bus.call(SHELL, "/org/gnome/Shell", SHELL, "Eval", "s", script)
        assert is_done, answer
        return json.loads(answer) if answer else None

    def capture_all(self):
        path = str(Path(tempfile.gettempdir(), f"{os.getpid()}.png"))
        name = SHELL + ".Screenshot"
        self._bus.call(name, "/org/gnome/Shell/Screenshot", name, "Screenshot", "bbs", False, False, path)
        return cv2.imread(path)

    def windows(self):
        """The windows from the bottom up: title, application, frame and whether it has the keyboard."""
        return self.ask(
            "global.get_window_actors().map(a => a.meta_window).filter(w => !w.minimized).map(w => {"
            "let r = w.get_frame_rect(); return {id: w.get_id(), title: w.title, app: w.get_wm_class(), "
            "pid: w.get_pid(), frame: [r.x, r.y, r.width, r.height], active: w.has_focus()}})"
        )

    def move_window(self, title, x, y):
        """Move the windows of that title there."""
        windows = "global.get_window_actors().map(a => a.meta_window)"
        self.ask(f"{windows}.filter(w => w.title == '{title}').forEach(w => w.move_frame(true, {x}, {y}))")

    def leave_overview(self):
        """Show the windows: a new session begins with none of them."""
        wait_until(lambda: not self.ask("Main.layoutManager._startingUp"), "gnome-shell does not start up")
        self.ask("Main.overview.hide()")
        wait_until(lambda: not self.ask("Main.overview.visible"), "the overview stays")

    def _answer(self, title, *keys):
        def asking():
            return [one["id"] for one in self.windows() if title in (one["title"] or "") and one["active"]]

        wait_until(asking, lambda: f"no {title!r} has the keyboard: {self.windows()}")
        (answered,) = asking()
        for pressed in ("shift", *keys):  # the first key of a new keyboard is lost
            self.type_key(pressed)
            time.sleep(0.3)
        wait_until(lambda: answered not in asking(), f"{title!r} stays")  # before another one is looked for

    def share(self):
        """Let the program that asks for it have the screen, the pointer and the keyboard."""
        self._answer("Remote Desktop", "alt+i", "alt+s")  # "Allow Remote Interaction", which is off; "Share"

    def add(self):
        """Let the program that asks for it have its hot keys."""
        self._answer("Add Keyboard Shortcuts", "alt+a")


class KdeHand(Hand):
    """A hand on KWin, and eyes."""

    def __init__(self):
        self._bus = Bus()
        self._display = Display()
        self._display.connect()
        registry = self._display.get_registry()
        names = {}
        registry.dispatcher["global"] = lambda _, name, interface, version: names.update({interface: name})
        self._display.roundtrip()
        self._input = registry.bind(names[_FakeInput.name], _FakeInput, _FakeInput.version)
        self._input.authenticate("a person", "tests")
        self._display.roundtrip()

    def close(self):
        self._display.disconnect()
        self._bus.close()

    def _go_to(self, x, y):
        self._input.pointer_motion_absolute(x, y)
        self._display.roundtrip()

    def button(self, number, *, is_down):
        """Press a button, or let it go."""
        self._input.button(BUTTONS[number], is_down)
        self._display.roundtrip()

    def key(self, name, *, is_down):
        """Press a key, or let it go."""
        self._input.keyboard_key(KEY_CODES[name], is_down)
        self._display.roundtrip()

    def ask(self, expression):
        """What an expression of KWin's own language is worth; a script can answer by calling somebody."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f'callDBus("{self._bus.name}", "/", "of.tests", "told", JSON.stringify({expression}))')
            file.flush()
            (number,) = self._bus.call(KWIN, "/Scripting", "org.kde.kwin.Scripting", "loadScript", "s", file.name)
            script = f"/Scripting/Script{number}", "org.kde.kwin.Script"
            (told,) = self._bus.called_by(KWIN, *script, "run")
            self._bus.call(KWIN, *script, "stop")
        return json.loads(told)

    def windows(self):
        """As `GnomeHand.windows`."""
        return self.ask(
            "workspace.stackingOrder.filter(w => w.normalWindow && !w.minimized).map(w => {let r = w.frameGeometry; "
            "return {id: String(w.internalId), title: w.caption, app: w.resourceClass, pid: w.pid, active: w.active, "
            "frame: [r.x, r.y, r.width, r.height]}})"
        )

    def move_window(self, title, x, y):
        """As `GnomeHand.move_window`."""
        self.ask(
            f"workspace.stackingOrder.filter(w => w.caption == '{title}').map(w => {{let r = w.frameGeometry; "
            f"w.frameGeometry = {{x: {x}, y: {y}, width: r.width, height: r.height}}; return 0}})"
        )

    def capture_all(self):
        with tempfile.TemporaryFile() as pixels:
            capture = "/org/kde/KWin/ScreenShot2", KWIN + ".ScreenShot2", "CaptureWorkspace"
            options = {"native-resolution": ("b", True)}
            (told,) = self._bus.call(KWIN, *capture, "a{sv}h", options, pixels)
            told = {key: value for key, (_, value) in told.items()}
            n_bytes = told["stride"] * told["height"]
            wait_until(lambda: os.fstat(pixels.fileno()).st_size == n_bytes, "KWin makes no picture")
            pixels.seek(0)
            rows = np.frombuffer(pixels.read(), np.uint8).reshape(told["height"], -1, 4)
        return rows[:, : told["width"], :3].copy()


@contextmanager
def portal_hand():
    """The hand on the desktop that runs, for the block; on GNOME the windows show."""
    with closing(GnomeHand() if os.environ["XDG_CURRENT_DESKTOP"] == "GNOME" else KdeHand()) as hand:
        if isinstance(hand, GnomeHand):
            hand.leave_overview()
        yield hand
