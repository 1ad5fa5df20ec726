"""Another program's window beside the game, which keeps every key and button that arrives there.

A connection of its own to the X server: nothing of the bot's or of the game's is used.
"""

from __future__ import annotations

from contextlib import contextmanager

from Xlib import X, Xutil
from Xlib.display import Display

HEARD = X.KeyPressMask | X.ButtonPressMask


class Bystander:
    """The window, its `id`, and what arrived there."""

    def __init__(self, display_name, left, top, width, height):
        self._display = Display(display_name)
        root = self._display.screen().root
        self._window = root.create_window(
            left, top, width, height, 0, X.CopyFromParent, background_pixel=0x506030, event_mask=HEARD
        )
        self._window.set_wm_normal_hints(flags=Xutil.USPosition | Xutil.PPosition)
        self._window.set_wm_name("bystander")
        self._window.map()
        self._display.sync()
        self.id = self._window.id
        self._heard = []

    def take_keyboard(self):
        """Have the keyboard from now on, whatever a window manager thinks of it."""
        self._window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()

    def has_keyboard(self):
        """Whether keys arrive here now."""
        focus = self._display.get_input_focus().focus
        return not isinstance(focus, int) and focus.id == self.id

    def heard(self):
        """What arrived so far: ("key", the code's first keysym) or ("button", number), in order."""
        self._display.sync()
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == X.KeyPress:
                self._heard.append(("key", self._display.keycode_to_keysym(event.detail, 0)))
            elif event.type == X.ButtonPress:
                self._heard.append(("button", event.detail))
        return list(self._heard)

    def close(self):
        """Be gone."""
        self._display.close()


@contextmanager
def bystander(display_name, left=1000, top=850, width=200, height=120):
    """A window of another program while the block runs."""
    window = Bystander(display_name, left, top, width, height)
    try:
        yield window
    finally:
        window.close()
