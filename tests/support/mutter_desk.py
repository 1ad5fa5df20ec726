"""A plain mutter without a screen, behind a portal of the tests' own; and hands and eyes on it that share its session.

mutter tells nobody of windows: the whole screen counts as the one window.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from desktop_game import Desk, Window, end_group
from fake_portal import NAME, PATH, Mutter
from jeepney import DBusAddress, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import unwrap_msg
from patience import wait_until

from bot.desktop.portal.pipewire import PipeWire
from bot.models import Region

PROGRAMS = {"mutter": "mutter", "pipewire": "pipewire", "wireplumber": "wireplumber", "dbus-daemon": "dbus"}
"""What is needed, and the packages that bring it."""
SIZE = (1280, 800)
_BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}
_HELD_S = 0.02  # for less GTK loses a click now and then
_END_S = 10  # mutter 43 with Xwayland now and then works on without end when it is told to end
_SUPPORT = Path(__file__).parent


class MutterDesk(Desk):
    """Hands and eyes on a mutter session.

    Attributes:
        folder: its run-time folder, which is the portal's folder, too.
        variables: by which programs find it.
    """

    settings = ""

    def __init__(self, folder, variables, pipewire):
        self.folder = folder
        self.variables = variables
        self._pipewire = pipewire
        self.name = ""
        self._n_moved = 0
        self._hands = Mutter(variables["DBUS_SESSION_BUS_ADDRESS"])
        remote = socket.socket(socket.AF_UNIX)
        remote.connect(str(folder / "pipewire-0"))
        self._eyes = PipeWire(remote.detach(), [self._hands.node])

    def close(self):
        self._eyes.close()
        self._hands.close()

    def acts(self, what):
        """What the portal was asked to do of one kind, such as "PointerButton": each with its time, in ms."""
        lines = map(json.loads, (self.folder / "acts").read_text().splitlines())
        return [(line["ms"], line[what]) for line in lines if what in line]

    def presses(self):
        """Where each button went down, by the portal's record: (ms, x, y)."""
        found, at = [], None
        for line in map(json.loads, (self.folder / "acts").read_text().splitlines()):
            if "PointerMotionAbsolute" in line:
                _, *at = line["PointerMotionAbsolute"]
            elif line.get("PointerButton", (0, 0))[1]:
                found.append((line["ms"], *at))
        return found

    def forget_acts(self):
        """Begin a new record."""
        os.truncate(self.folder / "acts", 0)

    def answer(self, about, *words):
        """Have the portal answer so from now on: see `fake_portal`."""
        (self.folder / about).write_text(" ".join(words))

    def move(self, x, y):
        self._hands.move(x, y)

    def press(self, x, y, button=1):
        self.move(x, y)
        self._hands.button(_BUTTONS[button], True)

    def release(self, button=1):
        time.sleep(_HELD_S)
        self._hands.button(_BUTTONS[button], False)

    def type_key(self, keys):
        """Press hot keys: only who asked the portal for them hears them."""
        self._call_portal("Press", "s", (keys,))

    def n_listeners(self, key):
        """How many sessions have a hot key."""
        return self._call_portal("CountListeners", "s", (key,))[0]

    def wait_for_pointer(self, pixel):
        """Wait until the pointer is seen there."""
        seen = self._eyes.streams[0].pointer
        wait_until(lambda: seen() == pixel, lambda: f"the pointer is at {seen()}, not at {pixel}")

    @contextmanager
    def without_pictures(self):
        """While the block runs nobody gets a picture."""
        self._pipewire.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._pipewire.send_signal(signal.SIGCONT)

    def end_sessions(self):
        """End all that the person allowed."""
        self._call_portal("EndSessions")

    def capture(self, left, top, width, height):
        return self._eyes.streams[0].crop(Region(left, top, width, height))

    def capture_all(self):
        return self.capture(0, 0, *SIZE)

    def find_window(self, _title):
        self._have_all_painted()
        return Window(0, 0, 0, *SIZE)

    def wait_until_still(self, still_s=0.25):
        self._have_all_painted()
        return super().wait_until_still(still_s)

    def _have_all_painted(self):
        """mutter 43 now and then leaves out the last picture of an animation, until the pointer moves."""
        self._n_moved += 1
        self.move(0, self._n_moved % 2)

    def find_dialog(self):
        return None

    def _call_portal(self, method, signature=None, body=()):
        with closing(open_dbus_connection(self.variables["DBUS_SESSION_BUS_ADDRESS"])) as bus:
            call = new_method_call(DBusAddress(PATH, NAME, "org.minebot.test"), method, signature, body)
            return unwrap_msg(bus.send_and_get_reply(call))


@contextmanager
def mutter_desk(*, has_x=False):
    """Run mutter on one monitor, with the portal before it, and Xwayland if asked for, while the block runs."""
    folder = Path(tempfile.mkdtemp(prefix="minebot-mutter-"))
    (folder / "acts").touch()
    unwanted = ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK")
    variables = {
        "XDG_RUNTIME_DIR": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CURRENT_DESKTOP": "GNOME",
        "XDG_SESSION_TYPE": "wayland",
        "WAYLAND_DISPLAY": "wayland-mutter",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus",
        "GDK_BACKEND": "wayland",
        "NO_AT_BRIDGE": "1",
    }
    env = {name: value for name, value in os.environ.items() if name not in unwanted} | variables
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        log = stack.enter_context((folder / "log").open("w"))

        def run(*command, **more):
            process = subprocess.Popen(
                command, env=env | more, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
            stack.callback(end_group, process, _END_S)
            return process

        def wait_for(name):
            wait_until((folder / name).exists, lambda: f"no {name} came: {(folder / 'log').read_text()}")

        run("dbus-daemon", "--session", "--nofork", f"--address={variables['DBUS_SESSION_BUS_ADDRESS']}")
        wait_for("bus")
        pipewire = run("pipewire")
        wait_for("pipewire-0")
        run("wireplumber")
        monitor = ["--headless", "--wayland", "--virtual-monitor", "x".join(map(str, SIZE))]
        monitor += [] if has_x else ["--no-x11"]
        run("mutter", *monitor, "--wayland-display", variables["WAYLAND_DISPLAY"], WAYLAND_DISPLAY="")
        wait_for(variables["WAYLAND_DISPLAY"])
        if has_x:
            variables["DISPLAY"] = _x_display(folder / "log")
            (variables["XAUTHORITY"],) = map(str, folder.glob(".mutter-Xwaylandauth.*"))
        run(sys.executable, str(_SUPPORT / "fake_portal.py"), str(folder))
        with closing(_desk_on(folder, variables, pipewire)) as desk:
            yield desk


def _x_display(log):
    """The display of Xwayland, as mutter says in its log."""

    def told():
        return re.search(r"public X11 display (:\d+)", log.read_text())

    wait_until(told, lambda: f"mutter has no Xwayland: {log.read_text()}")
    return told()[1]


def _desk_on(folder, variables, pipewire):
    """Hands and eyes, as soon as mutter and the portal are on the bus."""
    with closing(open_dbus_connection(variables["DBUS_SESSION_BUS_ADDRESS"])) as bus:
        for name in ("org.gnome.Mutter.ScreenCast", "org.gnome.Mutter.RemoteDesktop", NAME):
            asked = message_bus.NameHasOwner(name)
            wait_until(lambda asked=asked: unwrap_msg(bus.send_and_get_reply(asked))[0], f"{name} is not on the bus")
    return MutterDesk(folder, variables, pipewire)
