"""One list of what happened on an X display, in the server's own order and with its own times.

Keys, buttons and the pointer, where every top window was put, shown and hidden, or which one became the active one, and
when a program that came later took a picture of the screen: so it can be said of every press where each window lay
then, and whether whoever pressed had looked since. Shares no code with the bot's ports: it is recorded through the
server's RECORD extension. The server keeps what it records in a buffer; a reader of the list waits until that has come.
"""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass

from patience import wait_until
from Xlib import X, Xatom
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
MARK = "_MINEBOT_MARK"  # a property of the root window that the ledger changes: what happened before is recorded before
LOOK = "look"
GET_IMAGE = 73
SHM_GET_IMAGE = 4
NOTHING = {
    "core_requests": (0, 0),
    "core_replies": (0, 0),
    "ext_requests": (0, 0, 0, 0),
    "ext_replies": (0, 0, 0, 0),
    "delivered_events": (0, 0),
    "device_events": (0, 0),
    "errors": (0, 0),
    "client_started": False,
    "client_died": False,
}


@dataclass(frozen=True)
class Entry:
    """What happened: `detail` is a key code, a button or a property's atom; x and y are a pointer's or a window's."""

    kind: str
    time_ms: int
    detail: int = 0
    x: int = 0
    y: int = 0
    window: int = 0


@dataclass(frozen=True)
class PressPlace:
    """A press, and where a top window was at that moment.

    Attributes:
        press: what was pressed, and where on the screen.
        corner: the window's (x, y), None while it was hidden or gone.
        moved_ms: so long before, the window was put, shown or hidden last; None: never.
        looked_ms: so long before, a picture was taken last; None: never.
        has_looked: whether one was taken since the window was put, shown or hidden.
    """

    press: Entry
    corner: tuple[int, int] | None
    moved_ms: int | None
    looked_ms: int | None
    has_looked: bool


class XLedger:
    """Keeps the list while its block runs."""

    def __init__(self, display_name):
        self._control, self._data, self._guest = (Display(display_name) for _ in range(3))
        self._entries: list[Entry] = []
        root = self._guest.screen().root
        root.change_attributes(event_mask=X.SubstructureNotifyMask | X.PropertyChangeMask)
        self._guest.sync()
        self._active_atom = self._guest.intern_atom(ACTIVE_WINDOW)
        self._mark_atom = self._guest.intern_atom(MARK)
        self._n_marks = self._n_marks_heard = 0
        self._is_over = False
        # Only what the guest is told of windows is recorded: the window manager is told the same.
        guest = self._guest.display.info.resource_id_base
        of_windows = {
            "delivered_events": (X.DestroyNotify, X.PropertyNotify),
            "device_events": (X.KeyPress, X.MotionNotify),
        }
        times = record.FromServerTime | record.FromClientTime
        self._context = self._data.record_create_context(times, [guest], [NOTHING | of_windows])
        shm = self._guest.query_extension("MIT-SHM").major_opcode
        pictures = [
            {"core_requests": (GET_IMAGE, GET_IMAGE)},
            {"ext_requests": (shm, shm, SHM_GET_IMAGE, SHM_GET_IMAGE)},
        ]
        self._data.record_register_clients(
            self._context, times, [record.FutureClients], [NOTHING | one for one in pictures]
        )
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._data.record_enable_context, args=(self._context, self._keep))

    def __enter__(self):
        self._thread.start()
        assert self._has_begun.wait(10), "the X server did not begin to record within 10 s"
        return self

    def __exit__(self, *_error):
        self._catch_up()
        self._is_over = True
        self._control.record_disable_context(self._context)
        self._control.flush()
        self._thread.join(5)
        self._data.record_free_context(self._context)
        for display in (self._data, self._control, self._guest):
            display.close()

    def _keep(self, reply):
        self._has_begun.set()
        if reply.category == record.FromServer:
            self._keep_events(reply.data)
        elif reply.category == record.FromClient:
            self._keep_looks(reply)

    def _keep_looks(self, reply):
        """One entry a request for pixels; each is preceded by its time, and tells its length in words of 4 bytes."""
        order, data = "<>"[reply.client_swapped], reply.data
        while data:
            time_ms, n_words = struct.unpack(f"{order}IxxH", data[:8])
            self._entries.append(Entry(LOOK, time_ms))
            data = data[4 + 4 * n_words :]

    def _keep_events(self, data):
        order = "<" if self._data.display.big_endian in (None, 0) else ">"
        while data:
            (time_ms,) = struct.unpack(f"{order}I", data[:4])
            event, data = rq.EventField(None).parse_binary_value(data[4:], self._data.display, None, None)
            kind = event.type & 0x7F
            if kind in DEVICE_KINDS:
                x, y = event.root_x, event.root_y
                self._entries.append(Entry(DEVICE_KINDS[kind], event.time, event.detail, x, y))
            elif kind == X.PropertyNotify and event.atom == self._active_atom:
                self._entries.append(Entry("active", event.time, event.atom))
            elif kind == X.PropertyNotify and event.atom == self._mark_atom:
                self._n_marks_heard += 1
            elif kind == X.ConfigureNotify:
                self._entries.append(Entry("place", time_ms, 0, event.x, event.y, event.window.id))
            elif kind in WINDOW_KINDS and kind != X.PropertyNotify:
                self._entries.append(Entry(WINDOW_KINDS[kind], time_ms, window=event.window.id))

    def _catch_up(self):
        """Wait until all that has happened so far is in the list."""
        if self._is_over:
            return
        self._n_marks = n_marks = self._n_marks + 1
        self._guest.screen().root.change_property(self._mark_atom, Xatom.CARDINAL, 32, [n_marks])
        self._guest.sync()
        wait_until(lambda: self._n_marks_heard >= n_marks, "the X server did not send what it had recorded")

    @property
    def entries(self):
        """All that has happened so far."""
        self._catch_up()
        return list(self._entries)

    def of(self, *kinds):
        """The entries of some kinds so far."""
        return [entry for entry in self.entries if entry.kind in kinds]

    def n_presses(self):
        """How many presses there were."""
        return len(self.of("press"))

    def wait_for_presses(self, n_presses):
        """Wait until there are so many presses in all."""
        wait_until(lambda: self.n_presses() >= n_presses, f"expected {n_presses} presses")

    def held_buttons(self):
        """The buttons with more presses than releases."""
        down = [entry.detail for entry in self.of("press")]
        for entry in self.of("release"):
            down.remove(entry.detail)
        return down

    def press_places(self, window, at, *, is_shown=True, since=0):
        """Every press, and where a top window was at that moment.

        Args:
            window: its id; a window that is not mentioned was where it was at the start.
            at: where it was then: (x, y).
            is_shown: whether it was shown then.
            since: the number of the entry to begin with: ids are used again.
        """
        placed, changed_ms, looked_ms, has_looked = at, None, None, True
        found = []
        for entry in self.entries[since:]:
            if entry.kind == LOOK:
                looked_ms, has_looked = entry.time_ms, True
            elif entry.kind == "press":
                corner = placed if is_shown else None
                found.append(PressPlace(entry, corner, _since(changed_ms, entry), _since(looked_ms, entry), has_looked))
            elif entry.window == window:
                changed_ms, has_looked = entry.time_ms, False
                if entry.kind == "place":
                    placed = entry.x, entry.y
                else:
                    is_shown = entry.kind == "shown"
        return found


def _since(time_ms, entry):
    return None if time_ms is None else entry.time_ms - time_ms


def presses_after(ledger, time_ms):
    """Milliseconds from a moment to the last press, 0 where none came after it."""
    return max([entry.time_ms - time_ms for entry in ledger.of("press")] + [0])
