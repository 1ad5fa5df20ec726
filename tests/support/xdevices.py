"""Keys and buttons of a real device of an X server, by people's hands: not by XTEST's own, as other programs send them.

XTEST takes the number of a device with an event of the older XInput, and the server then takes the event for one of
that device's (X.Org, xtest.xml; XIproto.xml has the numbers of the events).
"""

from __future__ import annotations

from contextlib import contextmanager

from Xlib.display import Display
from Xlib.ext import xinput
from Xlib.protocol import rq

KEY, BUTTON = 1, 3
"""A press, counted from the extension's first event; the release is the one after it."""


class FakeDeviceInput(rq.Request):
    """XTEST's FakeInput, with a device."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(2),
        rq.RequestLength(),
        rq.Card8("event_type"),
        rq.Card8("detail"),
        rq.Pad(2),
        rq.Card32("time"),
        rq.Card32("root"),
        rq.Pad(8),
        rq.Int16("x"),
        rq.Int16("y"),
        rq.Pad(7),
        rq.Card8("device"),
    )


class RealDevice:
    """The first real keyboard or mouse of a display; what it does is sent at once, and asks for no reply."""

    def __init__(self, display_name, kind):
        self._display = Display(display_name)
        self._kind = kind
        use = xinput.SlaveKeyboard if kind == KEY else xinput.SlavePointer
        devices = self._display.xinput_query_device(xinput.AllDevices).devices
        self._device = next(one.deviceid for one in devices if one.use == use and "XTEST" not in str(one.name))
        self._first_event = self._display.query_extension(xinput.extname).first_event
        self._opcode = self._display.display.get_extension_major("XTEST")

    def press(self, detail):
        """Press a key or button, by its number."""
        self._send(self._kind, detail)

    def release(self, detail):
        """Let it go."""
        self._send(self._kind + 1, detail)

    def _send(self, kind, detail):
        FakeDeviceInput(
            display=self._display.display,
            opcode=self._opcode,
            event_type=self._first_event + kind,
            detail=detail,
            time=0,
            root=0,
            x=0,
            y=0,
            device=self._device,
        )
        self._display.flush()

    def close(self):
        """Let go of the display, when it has taken all: what is sent is lost where the server finds nobody there."""
        self._display.sync()
        self._display.close()


@contextmanager
def real_device(display_name, kind):
    """A real keyboard (`KEY`) or mouse (`BUTTON`), as long as the block runs."""
    device = RealDevice(display_name, kind)
    try:
        yield device
    finally:
        device.close()
