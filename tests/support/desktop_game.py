"""Real clones on a virtual screen: started with settings of their own, looked at and clicked without the bot."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import cv2
import mss
import numpy as np
from fonts import BARE, fonts_of
from patience import PATIENCE_S, wait_until
from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.ext import xtest

KEYSYMS = {"ctrl": "Control_L", "alt": "Alt_L", "escape": "Escape"}
RESIZE_S = 2.0
SMALLEST_PX = 50  # toolkits make helper windows of 1 to 10 pixels under the game's own name


@dataclass(frozen=True)
class Window:
    """A game's window without the manager's frame, on the screen; `id` is the X server's."""

    id: int
    left: int
    top: int
    width: int
    height: int


class Desk:
    """Hands and eyes on one X display.

    Attributes:
        variables: more of the environment by which programs find the session.
        settings: more settings (of GSettings' key file) that programs have there.
    """

    variables: ClassVar[dict[str, str]] = {}
    settings = ""

    def __init__(self, display_name):
        self.name = display_name
        self._display = Display(display_name)
        self._screen = mss.MSS(display=display_name)

    def close(self):
        """Let go of the display."""
        self._screen.close()
        self._display.close()

    def move(self, x, y):
        """Put the pointer there."""
        xtest.fake_input(self._display, X.MotionNotify, x=int(x), y=int(y))
        self._display.sync()

    def press(self, x, y, button=1):
        """Press a button there and keep it down."""
        self.move(x, y)
        xtest.fake_input(self._display, X.ButtonPress, button)
        self._display.sync()

    def release(self, button=1):
        """Let the button go."""
        xtest.fake_input(self._display, X.ButtonRelease, button)
        self._display.sync()

    def click(self, x, y, button=1):
        """Press and release a button there."""
        self.press(x, y, button)
        self.release(button)

    def type_key(self, keys):
        """Press and release keys together, such as "ctrl+r": they go to the window that has the focus."""
        codes = [self._display.keysym_to_keycode(XK.string_to_keysym(KEYSYMS.get(k, k))) for k in keys.split("+")]
        for kind, in_order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
            for code in in_order:
                xtest.fake_input(self._display, kind, code)
        self._display.sync()

    def capture(self, left, top, width, height):
        """The pixels of a rectangle: uint8, height x width x 3, B, G, R."""
        shot = self._screen.grab({"left": left, "top": top, "width": width, "height": height})
        bgra = np.frombuffer(shot.raw, dtype=np.uint8).reshape(height, width, 4)
        return cv2.cvtColor(bgra, cv2.COLOR_BGRA2BGR)  # in a tenth of the time of a copy of three of four bytes

    def capture_all(self):
        """The whole screen, as `capture`."""
        everything = self._screen.monitors[0]
        return self.capture(0, 0, everything["width"], everything["height"])

    def wait_until_still(self, still_s=0.25):
        """Wait until nothing on the screen has changed for a while; returns the screen."""
        deadline = time.monotonic() + PATIENCE_S
        before, since = self.capture_all(), time.monotonic()
        while time.monotonic() - since < still_s:
            assert time.monotonic() < deadline, f"the screen did not stand still within {PATIENCE_S:.0f} s"
            time.sleep(0.03)
            now = self.capture_all()
            if not np.array_equal(now, before):
                before, since = now, time.monotonic()
        return before

    def click_until_changed(self, x, y, button, before, corner):
        """Click, and wait until a rectangle no longer shows what it did: `before`, whose first pixel is at `corner`."""
        self.click(x, y, button)
        height, width = before.shape[:2]
        wait_until(
            lambda: not np.array_equal(self.capture(*corner, width, height), before),
            f"a click at {(x, y)} changed nothing",
        )

    def find_window(self, title):
        """The window whose title contains `title`, None where there is no such window to be seen."""
        return self._find(lambda window: title in self._title(window))

    def find_dialog(self):
        """The window that its program says belongs to another one, None where there is none to be seen."""
        return self._find(lambda window: window.get_wm_transient_for() is not None)

    def _find(self, is_wanted):
        root = self._display.screen().root
        for window in self._tree(root):
            try:
                is_shown = window.get_attributes().map_state == X.IsViewable
                if not is_shown or not is_wanted(window):
                    continue
                shape, place = window.get_geometry(), root.translate_coords(window, 0, 0)
            except error.XError:  # it closed meanwhile
                continue
            if min(shape.width, shape.height) >= SMALLEST_PX:
                return Window(window.id, place.x, place.y, shape.width, shape.height)
        return None

    def wait_for_window(self, title):
        """Wait until such a window is there and keeps its place."""
        deadline = time.monotonic() + PATIENCE_S
        before = None
        while time.monotonic() < deadline:
            found = self.find_window(title)
            if found is not None and found == before:
                return found
            before = found
            time.sleep(0.3)
        raise TimeoutError(f"no window {title!r} came up within {PATIENCE_S:.0f} s")

    def resize(self, title, width, height):
        """Ask the window of that title for another size; returns it as it is then."""
        window = self.find_window(title) or self.wait_for_window(title)
        self._display.create_resource_object("window", window.id).configure(width=width, height=height)
        self._display.sync()
        deadline = time.monotonic() + RESIZE_S
        while (window.width, window.height) != (width, height) and time.monotonic() < deadline:  # or it may not
            window = self.find_window(title) or window
        self.wait_until_still()
        return self.find_window(title) or self.wait_for_window(title)

    def title(self, window):
        """What a window is called at present."""
        return self._title(self._display.create_resource_object("window", window.id))

    def _title(self, window):
        """A window's title, also where it is told as UTF-8 alone; empty where it has none."""
        told = window.get_full_property(self._display.intern_atom("_NET_WM_NAME"), X.AnyPropertyType)
        return (window.get_wm_name() or "") if told is None else bytes(told.value).decode(errors="replace")

    def _tree(self, window):
        try:
            children = window.query_tree().children
        except error.XError:
            return
        for child in children:
            yield child
            yield from self._tree(child)


@contextmanager
def desk(display_name):
    """Hands and eyes on a display, as long as the block runs."""
    opened = Desk(display_name)
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def started(*command, display, settings="", fonts=BARE, log=subprocess.DEVNULL, **variables):
    """Run a program that sees a home folder of its own, with these settings (of GSettings' key file), for the block.

    It draws with one of the sets of `fonts`, whatever others the machine has, and says what it has to say to `log`.
    Yields its process, with the folder as `home`.
    """
    config = fonts_of(fonts)
    assert config is not None, f"expected the fonts {fonts}, found none"
    home = Path(tempfile.mkdtemp(prefix="minebot-game-"))
    keyfile = home / ".config" / "glib-2.0" / "settings" / "keyfile"
    keyfile.parent.mkdir(parents=True)
    keyfile.write_text(settings)
    own = {
        "DISPLAY": display,
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GSETTINGS_BACKEND": "keyfile",
        "FONTCONFIG_FILE": config,
        "NO_AT_BRIDGE": "1",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "GSK_RENDERER": "cairo",  # GTK 4.18 by OpenGL never painted its window in 3 of 6 starts on a busy machine
    }
    process = subprocess.Popen(
        command,
        cwd=home,
        env=os.environ | own | variables,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,
    )
    process.home = home
    try:
        yield process
    finally:
        end_group(process)
        shutil.rmtree(home, ignore_errors=True)


def end_group(process, patience_s=PATIENCE_S):
    """End a program that leads a group of processes, and the group; what has not ended by then is killed."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, name)
            process.wait(timeout=patience_s)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
