"""One list of what happened on an X display, in the server's own order and with its own times.

Keys, buttons and the pointer, and where every top window was put, shown and hidden, or which one became the active
one: so it can be said of every press where each window lay then. Recorded through the server's RECORD extension, as
`xwatch` does; shares no code with the bot's ports.
"""

from __future__ import annotations

import struct
import threading
import time
from dataclasses import dataclass

from Xlib import X
from Xlib.display import Display
from Xlib.ext import record
from Xlib.protocol import rq

DEVICE_KINDS = {
    X.KeyPress: "key",
    X.KeyRelease: "key up",
    X.ButtonPress: "press",
    X.ButtonRelease: "release",
    X.MotionNotify: "motion",
}
WINDOW_KINDS = {
    X.ConfigureNotify: "place",
    X.MapNotify: "shown",
    X.UnmapNotify: "hidden",
    X.DestroyNotify: "gone",
    X.PropertyNotify: "property",
}
ACTIVE_WINDOW = "_NET_ACTIVE_WINDOW"


@dataclass(frozen=True)
class Entry:
    """What happened: `detail` is a key code, a button or a property's atom; x and y are a pointer's or a window's."""

    kind: str
    time_ms: int
    detail: int = 0
    x: int = 0
    y: int = 0
    window: int = 0


class XLedger:
    """Keeps the list while its block runs."""

    def __init__(self, display_name):
        self._control, self._data, self._guest = (Display(display_name) for _ in range(3))
        self.entries: list[Entry] = []
        root = self._guest.screen().root
        root.change_attributes(event_mask=X.SubstructureNotifyMask | X.PropertyChangeMask)
        self._guest.sync()
        self._active_atom = self._guest.intern_atom(ACTIVE_WINDOW)
        what = {
            "core_requests": (0, 0),
            "core_replies": (0, 0),
            "ext_requests": (0, 0, 0, 0),
            "ext_replies": (0, 0, 0, 0),
            "delivered_events": (X.DestroyNotify, X.PropertyNotify),
            "device_events": (X.KeyPress, X.MotionNotify),
            "errors": (0, 0),
            "client_started": False,
            "client_died": False,
        }
        # Only what the guest is told of windows is recorded: the window manager is told the same.
        guest = self._guest.display.info.resource_id_base
        self._context = self._data.record_create_context(record.FromServerTime, [guest], [what])
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._data.record_enable_context, args=(self._context, self._keep))

    def __enter__(self):
        self._thread.start()
        assert self._has_begun.wait(10), "the X server did not begin to record within 10 s"
        return self

    def __exit__(self, *_error):
        self._control.record_disable_context(self._context)
        self._control.flush()
        self._thread.join(5)
        self._data.record_free_context(self._context)
        for display in (self._data, self._control, self._guest):
            display.close()

    def _keep(self, reply):
        self._has_begun.set()
        data = reply.data if reply.category == record.FromServer else b""
        order = "<" if self._data.display.big_endian in (None, 0) else ">"
        while data:
            (time_ms,) = struct.unpack(f"{order}I", data[:4])
            event, data = rq.EventField(None).parse_binary_value(data[4:], self._data.display, None, None)
            kind = event.type & 0x7F
            if kind in DEVICE_KINDS:
                x, y = event.root_x, event.root_y
                self.entries.append(Entry(DEVICE_KINDS[kind], event.time, event.detail, x, y))
            elif kind == X.PropertyNotify and event.atom == self._active_atom:
                self.entries.append(Entry("active", event.time, event.atom))
            elif kind == X.ConfigureNotify:
                self.entries.append(Entry("place", time_ms, 0, event.x, event.y, event.window.id))
            elif kind in WINDOW_KINDS and kind != X.PropertyNotify:
                self.entries.append(Entry(WINDOW_KINDS[kind], time_ms, window=event.window.id))

    def of(self, *kinds):
        """The entries of some kinds so far."""
        return [entry for entry in list(self.entries) if entry.kind in kinds]

    def n_presses(self):
        """How many presses there were."""
        return len(self.of("press"))

    def wait_for_presses(self, n_presses, at_most_s=60.0):
        """Wait until there are so many presses in all."""
        deadline = time.monotonic() + at_most_s
        while self.n_presses() < n_presses:
            assert time.monotonic() < deadline, f"expected {n_presses} presses, saw {self.n_presses()}"
            time.sleep(0.001)

    def held_buttons(self):
        """The buttons with more presses than releases."""
        down = [entry.detail for entry in self.of("press")]
        for entry in self.of("release"):
            down.remove(entry.detail)
        return down

    def press_places(self, window, at):
        """Every press, and where a top window's corner was at that moment.

        Args:
            window: its id; a window that is not mentioned was where it was at the start.
            at: where it was then: (x, y).

        Returns:
            Pairs of a press and a corner (x, y), which is None while the window was hidden or gone.
        """
        placed, is_shown, found = at, True, []
        for entry in list(self.entries):
            if entry.kind == "press":
                found.append((entry, placed if is_shown else None))
            elif entry.window == window:
                if entry.kind == "place":
                    placed = entry.x, entry.y
                else:
                    is_shown = entry.kind == "shown"
        return found


def presses_after(ledger, time_ms):
    """Milliseconds from a moment to the last press, 0 where none came after it."""
    return max([entry.time_ms - time_ms for entry in ledger.of("press")] + [0])
