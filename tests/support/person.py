"""A person beside the bot: keys, the mouse, windows; every act with the X server's own time.

The time is the server's answer to a change that is sent together with the act, just before it.
"""

from __future__ import annotations

import os
import random
import time
from contextlib import contextmanager

from patience import PATIENCE_S
from Xlib import XK, X, Xatom, Xutil, error
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import event

ASKED_AGAIN_S = 3.0
"""How long a person waits for a window before asking for it once more."""
HEARD_MS = 300
"""How long a program, or wine for one, may take to hear that its window has the keyboard."""


def seeded(*words):
    """Chance that is another in every run; it prints its seed, and takes the one that MINEBOT_SEED gives."""
    seed = os.environ.get("MINEBOT_SEED") or str(time.time_ns())
    print(f"MINEBOT_SEED={seed}")  # noqa: T201 - pytest shows it with a failure
    return random.Random(" ".join((*words, seed)))


class Person:
    """Hands on one X display."""

    def __init__(self, display_name):
        self.name = display_name
        self._display = Display(display_name)
        self._screen = self._display.screen()
        self._root = self._screen.root
        self.hits_ms: list[int] = []
        """When presses arrived on this person's own windows; up to the last act."""
        self._mark = self._root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
        self._display.sync()

    def close(self):
        """Let go of the display, when it has taken all: what is sent is lost where the server finds nobody there."""
        self._display.sync()
        self._display.close()

    def _stamped(self, act):
        """Act; returns the server's milliseconds just before."""
        self._mark.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"now")
        act()
        self._display.flush()
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self._display.next_event()
            if answer.type == X.PropertyNotify and answer.window == self._mark:
                return answer.time
            if answer.type == X.ButtonPress:
                self.hits_ms.append(answer.time)
        raise TimeoutError(f"the X server did not answer within {PATIENCE_S} s")

    def now_ms(self):
        """The server's time."""
        return self._stamped(lambda: None)

    def wait_until(self, time_ms):
        """Wait for a moment of the server's time."""
        while (left_ms := time_ms - self.now_ms()) > 0:
            time.sleep(left_ms / 1000)

    def key(self, name):
        """Press and release a key, such as "F10"."""
        code = self._display.keysym_to_keycode(XK.string_to_keysym(name))

        def act():
            xtest.fake_input(self._display, X.KeyPress, code)
            xtest.fake_input(self._display, X.KeyRelease, code)

        return self._stamped(act)

    def hold(self, name):
        """Press a key and keep it down."""
        code = self._display.keysym_to_keycode(XK.string_to_keysym(name))
        return self._stamped(lambda: xtest.fake_input(self._display, X.KeyPress, code))

    def let_go(self, name):
        """Let a key go that is held."""
        code = self._display.keysym_to_keycode(XK.string_to_keysym(name))
        return self._stamped(lambda: xtest.fake_input(self._display, X.KeyRelease, code))

    def hold_button(self, number):
        """Press a button of the mouse and keep it down."""
        return self._stamped(lambda: xtest.fake_input(self._display, X.ButtonPress, number))

    def let_go_button(self, number):
        """Let a button go that is held."""
        return self._stamped(lambda: xtest.fake_input(self._display, X.ButtonRelease, number))

    def jump(self, x, y):
        """Put the pointer there at once."""
        return self._stamped(lambda: xtest.fake_input(self._display, X.MotionNotify, x=x, y=y))

    def nudge(self, dx, dy):
        """Move the pointer by so much, as a mouse does."""
        return self._stamped(lambda: xtest.fake_input(self._display, X.MotionNotify, detail=1, x=dx, y=dy))

    def pressed(self):
        """The buttons and keys that the server holds for pressed now."""
        buttons = self._root.query_pointer().mask & 0x1F00
        keys = [code for code, byte in enumerate(self._display.query_keymap()) if byte]
        return buttons, keys

    def top_windows(self):
        """The ids of all windows at the top that can be seen."""
        found = set()
        for window in self._root.query_tree().children:
            try:
                if window.get_attributes().map_state == X.IsViewable:
                    found.add(window.id)
            except error.XError:  # it closed meanwhile
                continue
        return found

    def place_of(self, top):
        """The corner of a top window: (x, y)."""
        shape = self._display.create_resource_object("window", top).get_geometry()
        return shape.x, shape.y

    def top_of(self, window_id):
        """The top window that a window is in, itself without a window manager: its id."""
        window = self._display.create_resource_object("window", window_id)
        while (parent := window.query_tree().parent) != self._root:
            window = parent
        return window.id

    def active_window(self):
        """The id of the window that the window manager calls active."""
        return self._told_by_manager("_NET_ACTIVE_WINDOW")[0]

    def managed_windows(self):
        """The ids of all windows of the window manager's."""
        return set(self._told_by_manager("_NET_CLIENT_LIST"))

    def _told_by_manager(self, what):
        return self._root.get_full_property(self._display.intern_atom(what), X.AnyPropertyType).value

    def process_of(self, window_id):
        """The process that a window says it belongs to."""
        window = self._display.create_resource_object("window", window_id)
        return window.get_full_property(self._display.intern_atom("_NET_WM_PID"), Xatom.CARDINAL).value[0]

    def move_window(self, window_id, x, y):
        """Ask for another place for a window, as `xdotool windowmove` does."""
        window = self._display.create_resource_object("window", window_id)
        return self._stamped(lambda: window.configure(x=x, y=y))

    def minimise(self, window_id):
        """Make a window an icon."""
        iconic = 3
        return self._ask_manager(window_id, "WM_CHANGE_STATE", iconic)

    def activate(self, window_id):
        """Bring a window to the front, icon or not, and give it the focus."""
        return self._ask_manager(window_id, "_NET_ACTIVE_WINDOW", 2)

    def turn_to(self, window_id):
        """Bring a window to the front, icon or not, and wait until it is the active one and its program has heard.

        Asks again every few seconds, as a person does: on a busy machine a program that was just made an icon can take
        the first request back.
        """
        self.activate(window_id)
        asked = time.monotonic()
        deadline = asked + PATIENCE_S
        while self.active_window() != window_id:
            if time.monotonic() > deadline:
                raise TimeoutError(f"window {window_id:#x} did not become active within {PATIENCE_S} s")
            if time.monotonic() > asked + ASKED_AGAIN_S:
                self.activate(window_id)
                asked = time.monotonic()
            time.sleep(0.01)
        self.wait_until(self.now_ms() + HEARD_MS)

    def _ask_manager(self, window_id, what, value):
        window = self._display.create_resource_object("window", window_id)
        request = event.ClientMessage(
            window=window, client_type=self._display.intern_atom(what), data=(32, [value, 0, 0, 0, 0])
        )
        mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
        return self._stamped(lambda: self._root.send_event(request, event_mask=mask))

    @contextmanager
    def window(self, left, top, width, height, *, is_managed):
        """A window of this person's own, over all others; yields it. One that is managed takes the focus."""
        window = self._root.create_window(
            left,
            top,
            width,
            height,
            0,
            self._screen.root_depth,
            background_pixel=0x305070,
            override_redirect=not is_managed,
            # Keys too: where nobody takes a key, the server keeps what it recorded until it has something to send.
            event_mask=X.ButtonPressMask | X.KeyPressMask,
        )
        window.set_wm_normal_hints(flags=Xutil.USPosition | Xutil.PPosition)
        window.set_wm_name("another program")
        window.map()
        window.raise_window()
        self._display.sync()
        try:
            yield window
        finally:
            window.destroy()
            self._display.sync()


@contextmanager
def person(display_name):
    """A person at a display, as long as the block runs."""
    someone = Person(display_name)
    try:
        yield someone
    finally:
        someone.close()
