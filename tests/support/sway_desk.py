"""A sway session without a screen, and hands and eyes on it that share no code with the bot: swaymsg, grim, wtype."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import cv2
import numpy as np
from desktop_game import KEYSYMS, SMALLEST_PX, Desk, Window, end_group
from patience import wait_until

NOBODY = 65534
"""The number of the user and the group that sway runs as where the tests are root: it refuses root."""
PROGRAMS = {
    "sway": "sway",
    "grim": "grim",
    "wtype": "wtype",
    "Xwayland": "xwayland",
    "xhost": "x11-xserver-utils",
    "dbus-run-session": "dbus",
}
"""What is needed, and the packages that bring it."""
_CURSOR_THEME = "blank"
_DEVICES = """
import time
from bot.desktop.wlroots.ports import WlrootsKeyboard, WlrootsMouse
devices = WlrootsKeyboard(None), WlrootsMouse(None)
print("plugged in", flush=True)
time.sleep(1e6)
"""
"""A keyboard and a mouse that lie still: windows learn of the first ones some time after they are plugged in."""
_CONFIG = """
seat seat0 xcursor_theme blank
xwayland force
default_border none
focus_follows_mouse no
for_window [app_id=".*"] floating enable
for_window [class=".*"] floating enable
"""


class SwayDesk(Desk):
    """Hands and eyes on a sway session.

    Attributes:
        folder: its run-time folder.
    """

    settings = f"[org/gnome/desktop/interface]\ncursor-theme='{_CURSOR_THEME}'\n"

    def __init__(self, folder):
        self.folder = folder
        (display,) = folder.glob("wayland-[0-9]")
        (ipc,) = folder.glob("sway-ipc.*.sock")
        self.variables = {
            "WAYLAND_DISPLAY": display.name,
            "XDG_RUNTIME_DIR": str(folder),
            "SWAYSOCK": str(ipc),
            "XCURSOR_PATH": str(folder / "cursors"),
            "XCURSOR_THEME": _CURSOR_THEME,
            "GDK_BACKEND": "wayland",
        }
        self.name = ""
        devices = [sys.executable, "-c", _DEVICES]
        self._devices = subprocess.Popen(devices, env=os.environ | self.variables, stdout=subprocess.PIPE)
        self._devices.stdout.readline()

    def close(self):
        self._devices.stdout.close()
        self._devices.kill()
        self._devices.wait()

    def run(self, *command):
        """Run a program of the session to its end; returns what it printed, in bytes."""
        env = {name: value for name, value in os.environ.items() if name != "DISPLAY"} | self.variables
        return subprocess.run(command, env=env, check=True, capture_output=True).stdout

    def ask(self, *command):
        """What swaymsg answers to a command."""
        return json.loads(self.run("swaymsg", "-r", *command))

    def open_to_x(self):
        """Have Xwayland let this user in; returns the name of its display."""
        told = self.folder / "display"
        self.ask(f"exec xhost +si:localuser:{getpass.getuser()} && echo $DISPLAY > {told}")
        wait_until(lambda: told.exists() and told.read_text().strip(), "Xwayland lets nobody in")
        return told.read_text().strip()

    def windows(self):
        """sway's word for each window."""
        found, nodes = [], [self.ask("-t", "get_tree")]
        while nodes:
            node = nodes.pop()
            nodes += node["nodes"] + node["floating_nodes"]
            found += [node] if node.get("pid") else []
        return found

    def move(self, x, y):
        self.ask(f"seat seat0 cursor set {x} {y}")

    def press(self, x, y, button=1):
        self.move(x, y)
        self.ask(f"seat seat0 cursor press button{button}")

    def release(self, button=1):
        self.ask(f"seat seat0 cursor release button{button}")

    def type_key(self, keys):
        *held, key = keys.split("+")
        pressed = [part for name in held for part in ("-M", name)]
        self.run("wtype", *pressed, "-k", KEYSYMS.get(key, key))

    def capture(self, left, top, width, height):
        picture = self.run("grim", "-t", "ppm", "-g", f"{left},{top} {width}x{height}", "-")
        return cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)

    def capture_all(self):
        return cv2.imdecode(np.frombuffer(self.run("grim", "-t", "ppm", "-"), np.uint8), cv2.IMREAD_COLOR)

    def find_dialog(self):
        """The window that came up last over another one of its program."""
        windows = sorted(self.windows(), key=lambda one: one["id"])
        dialogs = [one for n, one in enumerate(windows) if one["pid"] in {other["pid"] for other in windows[:n]}]
        return _as_window(dialogs[-1]) if dialogs else None

    def find_window(self, title):
        found = [one for one in self.windows() if title in (one["name"] or "")]
        return _as_window(found[-1]) if found else None


def _as_window(told):
    rect = told["rect"]
    window = Window(told["id"], rect["x"], rect["y"], rect["width"], rect["height"])
    return window if min(window.width, window.height) >= SMALLEST_PX else None


@contextmanager
def sway_desk(*lines, size="1280x800"):
    """Run sway on one output of that size, with more lines of configuration, while the block runs."""
    folder = Path(tempfile.mkdtemp(prefix="minebot-sway-"))
    (folder / "config").write_text("\n".join([_CONFIG, f"output HEADLESS-1 resolution {size}", *lines]))
    _write_blank_cursors(folder / "cursors" / _CURSOR_THEME)
    command = ["sway", "-c", str(folder / "config")]
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
    session = ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "I3SOCK")
    own = {
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
        "XCURSOR_PATH": str(folder / "cursors"),
        "WLR_BACKENDS": "headless",
        "WLR_LIBINPUT_NO_DEVICES": "1",
        "WLR_RENDERER": "pixman",
    }
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            env={name: value for name, value in os.environ.items() if name not in session} | own,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until(
            lambda: list(folder.glob("sway-ipc.*.sock")) and list(folder.glob("wayland-[0-9]")),
            lambda: f"sway did not start: {(folder / 'log').read_text()}",
        )
        with closing(SwayDesk(folder)) as desk:
            yield desk
    finally:
        end_group(process)
        shutil.rmtree(folder, ignore_errors=True)


def _write_blank_cursors(folder):
    """Write a theme of pointers that do not show: an output without a screen draws them into every picture."""
    header, image, size = 16, 0xFFFD0002, 24
    picture = struct.pack("<10I", 36, image, size, 1, 1, 1, 0, 0, 0, 0)  # one pixel, and that one is transparent
    contents = struct.pack("<3I", image, size, header + 12)
    for name in ("default", "left_ptr"):
        path = folder / "cursors" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"Xcur" + struct.pack("<3I", header, 0x10000, 1) + contents + picture)
    (folder / "index.theme").write_text("[Icon Theme]\nName=blank\n")
