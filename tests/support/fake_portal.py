"""A desktop portal in front of a plain mutter, which has none: its own word on every motion and press it was asked for.

It serves the session's bus until it is killed: `python fake_portal.py FOLDER`. In that folder a test finds and writes:

    acts      a line of JSON for each motion, button and key, with the time (monotonic, ms)
    refused   the names of requests that the person refuses
    missing   the names of the portals that the desktop lacks
    taken     the keys that another program has
    devices   the bits of the devices that the person allows; all where it is missing
    scale     the monitor's, as GNOME 48 has it: where the pointer is sent to in logical units is taken for pixels;
              with "absolute" after it, it goes no other way

The pictures and the input are mutter's real ones, by its private D-Bus interfaces. On org.minebot.test it
takes `Press`, with a trigger: the person presses that key; `CountListeners`: how many have it; and `EndSessions`: the
person ends what was allowed.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    MessageType,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import unwrap_msg

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
PORTALS = {"RemoteDesktop": 2, "ScreenCast": 5, "GlobalShortcuts": 1}
ALL_DEVICES = 3
_MUTTER = "org.gnome.Mutter."
_POINTER_APART = 2  # mutter's number of the way of showing the pointer: beside the pictures


class Mutter:
    """One session of mutter's, on the bus with that address: a stream of its monitor, and input."""

    def __init__(self, bus="SESSION"):
        self._bus = open_dbus_connection(bus, enable_fds=True)
        self._session, id_ = self._make("RemoteDesktop", "CreateSession")
        (cast,) = self._call(
            "/org/gnome/Mutter/ScreenCast",
            "ScreenCast",
            "CreateSession",
            "a{sv}",
            ({"remote-desktop-session-id": id_},),
        )
        how = {"cursor-mode": ("u", _POINTER_APART)}
        (self._stream,) = self._call(cast, "ScreenCast", "RecordMonitor", "sa{sv}", ("Meta-0", how), ".Session")
        rule = MatchRule(type="signal", interface=f"{_MUTTER}ScreenCast.Stream", path=self._stream)
        unwrap_msg(self._bus.send_and_get_reply(message_bus.AddMatch(rule)))
        with self._bus.filter(rule) as told:
            self._call(self._session, "RemoteDesktop", "Start", on=".Session")
            (self.node,) = self._bus.recv_until_filtered(told, timeout=10).body

    def move(self, x, y):
        self._notify("PointerMotionAbsolute", "sdd", (self._stream, float(x), float(y)))

    def move_by(self, x, y):
        self._notify("PointerMotionRelative", "dd", (float(x), float(y)))

    def button(self, button, is_down):
        self._notify("PointerButton", "ib", (button, bool(is_down)))

    def key(self, keysym, is_down):
        self._notify("KeyboardKeysym", "ub", (keysym, bool(is_down)))

    def close(self):
        self._bus.close()

    def _notify(self, what, signature, body):
        self._call(self._session, "RemoteDesktop", f"Notify{what}", signature, body, ".Session")

    def _make(self, what, method):
        (session,) = self._call(f"/org/gnome/Mutter/{what}", what, method)
        get = ("ss", (f"{_MUTTER}{what}.Session", "SessionId"))
        address = DBusAddress(session, _MUTTER + what, "org.freedesktop.DBus.Properties")
        return session, unwrap_msg(self._bus.send_and_get_reply(new_method_call(address, "Get", *get)))[0]

    def _call(self, path, what, method, signature=None, body=(), on=""):
        address = DBusAddress(path, _MUTTER + what, _MUTTER + what + on)
        return unwrap_msg(self._bus.send_and_get_reply(new_method_call(address, method, signature, body)))


class FakePortal:
    """Answers as a portal does."""

    def __init__(self, folder):
        self._folder = folder
        self._acts = (folder / "acts").open("a")
        self._bus = open_dbus_connection("SESSION", enable_fds=True)
        self._tokens = count(1)
        self._sessions = {}
        self._shortcuts = {}
        self._remembered = {}  # the key of each name, as KDE keeps it whatever is asked for later
        unwrap_msg(self._bus.send_and_get_reply(message_bus.RequestName(NAME)))

    def serve(self):
        """Answer until killed."""
        while True:
            message = self._bus.receive()
            if message.header.message_type is MessageType.method_call:
                self._answer(message)

    def _answer(self, message):
        fields = message.header.fields
        interface, method = fields[HeaderFields.interface], fields[HeaderFields.member]
        portal = interface.rpartition(".")[2]
        if method.startswith("Notify"):
            self._act(method.removeprefix("Notify"), *message.body)
            self._reply(message)
        elif interface == "org.minebot.test":
            self._obey(message, method)
        elif interface == "org.freedesktop.portal.Session":
            self._end(fields[HeaderFields.path])
            self._reply(message)
        elif interface == "org.freedesktop.DBus.Properties":
            portal = message.body[0].rpartition(".")[2]
            if portal in PORTALS and portal not in self._told("missing"):
                self._reply(message, "v", (("u", PORTALS[portal]),))
            else:
                self._fail(message)
        elif method == "OpenPipeWireRemote":
            with socket.socket(socket.AF_UNIX) as remote:
                remote.connect(f"{os.environ['XDG_RUNTIME_DIR']}/pipewire-0")
                self._reply(message, "h", (remote.fileno(),))
        elif portal in PORTALS:
            self._request(message, method)
        else:
            self._fail(message)

    def _obey(self, message, method):
        """Do what a test asks for."""
        match method:
            case "Press":
                self._press(*message.body)
                self._reply(message)
            case "CountListeners":
                listeners = [triggers for triggers in self._shortcuts.values() if message.body[0] in triggers.values()]
                self._reply(message, "u", (len(listeners),))
            case "EndSessions":
                for session in list(self._sessions):
                    self._end(session)
                self._reply(message)

    def _request(self, message, method):
        """Answer a request: at once with its path, then with what the person decided."""
        options = message.body[-1]
        sender = message.header.fields[HeaderFields.sender][1:].replace(".", "_")
        path = f"{PATH}/request/{sender}/{options['handle_token'][1]}"
        self._reply(message, "o", (path,))
        is_refused = method in self._told("refused")
        results = {} if is_refused else getattr(self, f"_{method}")(message.body, sender)
        address = DBusAddress(path, interface="org.freedesktop.portal.Request")
        self._bus.send(new_signal(address, "Response", "ua{sv}", (int(is_refused), results)))

    def _CreateSession(self, body, sender):  # noqa: N802 - the portal's own name, as all of these
        session = f"{PATH}/session/{sender}/{body[0]['session_handle_token'][1]}"
        self._sessions[session] = None
        return {"session_handle": ("s", session)}

    def _SelectDevices(self, body, _sender):  # noqa: N802 - the portal's own name
        self._note(devices=body[1]["types"][1], token=body[1].get("restore_token", ("s", ""))[1])
        return {}

    def _SelectSources(self, _body, _sender):  # noqa: N802 - the portal's own name
        return {}

    def _Start(self, body, _sender):  # noqa: N802 - the portal's own name
        mutter = self._sessions[body[0]] = Mutter()
        told = self._told("devices")
        size = tuple(side // self._scale for side in (1280, 800))
        about = {"position": ("(ii)", (0, 0)), "size": ("(ii)", size), "source_type": ("u", 1)}
        return {
            "streams": ("a(ua{sv})", [(mutter.node, about)]),
            "devices": ("u", int(told[0]) if told else ALL_DEVICES),
            "restore_token": ("s", f"token {next(self._tokens)}"),
        }

    def _BindShortcuts(self, body, _sender):  # noqa: N802 - the portal's own name
        wanted = {name: about["preferred_trigger"][1] for name, about in body[1]}
        triggers = {name: self._remembered.setdefault(name, trigger) for name, trigger in wanted.items()}
        self._shortcuts[body[0]] = triggers
        taken = self._told("taken")
        listed = [
            (name, {"trigger_description": ("s", "" if trigger in taken else f"Press {trigger}")})
            for name, trigger in triggers.items()
        ]
        return {"shortcuts": ("a(sa{sv})", listed)}

    def _ListShortcuts(self, _body, _sender):  # noqa: N802 - the portal's own name
        return {"shortcuts": ("a(sa{sv})", [])}

    def _press(self, trigger):
        address = DBusAddress(PATH, interface="org.freedesktop.portal.GlobalShortcuts")
        for session, triggers in self._shortcuts.items():
            for name in (name for name, one in triggers.items() if one == trigger):
                self._note(pressed=trigger)
                for what in ("Activated", "Deactivated"):
                    self._bus.send(new_signal(address, what, "osta{sv}", (session, name, 0, {})))

    def _act(self, what, session, _options, *values):
        mutter = self._sessions[session]
        self._note(**{what: values})
        match what:
            case "PointerMotionAbsolute":
                mutter.move(*values[1:])
            case "PointerMotion" if "absolute" not in self._told("scale"):
                mutter.move_by(*(self._scale * value for value in values))
            case "PointerButton":
                mutter.button(*values)
            case "KeyboardKeysym":
                mutter.key(*values)

    def _end(self, session):
        mutter = self._sessions.pop(session, None)
        self._shortcuts.pop(session, None)
        if mutter is not None:
            mutter.close()

    @property
    def _scale(self):
        return int((self._told("scale") or [1])[0])

    def _note(self, **told):
        print(json.dumps({"ms": time.monotonic() * 1000} | told), file=self._acts, flush=True)

    def _told(self, name):
        with suppress(FileNotFoundError):
            return (self._folder / name).read_text().split()
        return []

    def _reply(self, message, signature=None, body=()):
        self._bus.send(new_method_return(message, signature, body))

    def _fail(self, message):
        self._bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))


if __name__ == "__main__":
    FakePortal(Path(sys.argv[1])).serve()
