"""An independent witness on X11: every key and button event, with the server's own time stamps.

Shares no code with the bot's ports: it records through the server's RECORD extension.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from Xlib import X
from Xlib.display import Display
from Xlib.ext import record
from Xlib.protocol import rq

KINDS = {X.KeyPress: "key", X.ButtonPress: "press", X.ButtonRelease: "release"}


@dataclass(frozen=True)
class Event:
    """One event: what, which key code or button, where, and when in server milliseconds."""

    kind: str
    detail: int
    x: int
    y: int
    time_ms: int


class XWatch:
    """Records while its block runs."""

    def __init__(self, display_name):
        self._control = Display(display_name)
        self._data = Display(display_name)
        self.events: list[Event] = []
        everything = {
            "core_requests": (0, 0),
            "core_replies": (0, 0),
            "ext_requests": (0, 0, 0, 0),
            "ext_replies": (0, 0, 0, 0),
            "delivered_events": (0, 0),
            "device_events": (X.KeyPress, X.ButtonRelease),
            "errors": (0, 0),
            "client_started": False,
            "client_died": False,
        }
        self._context = self._data.record_create_context(0, [record.AllClients], [everything])
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
        self._data.close()
        self._control.close()

    def _keep(self, reply):
        self._has_begun.set()
        if reply.category != record.FromServer:
            return
        data = reply.data
        while data:
            event, data = rq.EventField(None).parse_binary_value(data, self._data.display, None, None)
            if event.type in KINDS:
                found = Event(KINDS[event.type], event.detail, event.root_x, event.root_y, event.time)
                self.events.append(found)

    def of(self, kind):
        """The events of one kind so far."""
        return [event for event in self.events if event.kind == kind]
