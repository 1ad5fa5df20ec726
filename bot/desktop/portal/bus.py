"""Calls to the session's D-Bus, and to its desktop portals [1], by jeepney.

A portal answers a request twice: at once with the request's path, and there, when the person has decided, with a
signal.

[1] XDG Desktop Portal, org.freedesktop.portal.Request.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
from jeepney import DBusAddress, DBusErrorResponse, MatchRule, message_bus, new_method_call
from jeepney.auth import AuthenticationError
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import unwrap_msg

from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator, Mapping

    from jeepney import Message

_ANSWER_S = 10.0  # the longest time that a program on the bus takes to answer, in seconds
_UNASKED_S = 0.5  # the longest time that a desktop takes to answer by itself, in seconds; it takes 40 ms
_PERSON_S = 600.0  # the longest time that a person takes to decide, in seconds
_FADING_S = 0.5  # how long the desktop's question may still be seen after that, in seconds
_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
APP_ID = "io.github.minebot.Minebot"  # the name by which desktops remember what a person allowed
_APPLICATION = f"""[Desktop Entry]
Type=Application
Name=minebot
Comment=Plays Minesweeper
Exec="{sys.executable}" -m bot
NoDisplay=true
"""
_GRANTED, _REFUSED = 0, 1  # codes of a portal's answer


class Bus:
    """A connection to the session's bus. Use it from one thread at a time.

    Raises:
        ScreenError: there is no bus.
    """

    def __init__(self) -> None:
        try:
            self._connection = open_dbus_connection("SESSION", enable_fds=True)
        except (KeyError, OSError, AuthenticationError) as error:
            raise ScreenError(f"the session's D-Bus cannot be reached: {error!r}") from error
        self.name: str = self._connection.unique_name

    def call(self, address: DBusAddress, method: str, signature: str | None = None, body: tuple[Any, ...] = ()) -> Any:
        """Call a method; returns what it returns, as a tuple.

        Raises:
            ScreenError: nobody answers, or the answer is an error.
        """
        try:
            reply = self._connection.send_and_get_reply(
                new_method_call(address, method, signature, body), timeout=_ANSWER_S
            )
            return unwrap_msg(reply)
        except DBusErrorResponse as error:
            raise ScreenError(f"{address.interface}.{method} is refused: {error}") from error
        except (OSError, TimeoutError) as error:
            raise ScreenError(f"{address.interface}.{method} is not answered: {error!r}") from error

    def get(self, address: DBusAddress, name: str) -> Any:
        """A property of an object.

        Raises:
            ScreenError: as `call`.
        """
        of = address.with_interface("org.freedesktop.DBus.Properties")
        return self.call(of, "Get", "ss", (address.interface, name))[0][1]

    def has_name(self, name: str) -> bool:
        """Whether a program with this name is on the bus."""
        return bool(unwrap_msg(self._connection.send_and_get_reply(message_bus.NameHasOwner(name)))[0])

    @contextmanager
    def hearing(self, interface: str, member: str | None = None, path: str | None = None) -> Iterator[deque[Message]]:
        """While the block runs, collect such signals."""
        rule = MatchRule(type="signal", interface=interface, member=member, path=path)
        unwrap_msg(self._connection.send_and_get_reply(message_bus.AddMatch(rule)))
        with self._connection.filter(rule, bufsize=None) as heard:
            yield heard
        unwrap_msg(self._connection.send_and_get_reply(message_bus.RemoveMatch(rule)))

    @contextmanager
    def hearing_calls(self) -> Iterator[deque[Message]]:
        """While the block runs, collect the calls of methods here; nobody waits for an answer."""
        with self._connection.filter(MatchRule(type="method_call"), bufsize=None) as heard:
            yield heard

    def receive(self, heard: deque[Message], wait_s: float) -> Message | None:
        """The next of those collected; None where none comes in that time, in seconds.

        Raises:
            ScreenError: the bus is gone.
        """
        try:
            return self._connection.recv_until_filtered(heard, timeout=wait_s)
        except TimeoutError:
            return None
        except OSError as error:
            raise ScreenError(f"the session's D-Bus is gone: {error!r}") from error

    def fileno(self) -> int:
        """The number of the connection's socket, for `select`."""
        return int(self._connection.sock.fileno())

    def close(self) -> None:
        """End the connection, and all sessions that were made by it."""
        self._connection.close()


class Portal(Bus):
    """A connection to the desktop's portals, under one of the bot's own names.

    Args:
        app_id: which.

    Raises:
        ScreenError: there is no bus.
    """

    _tokens = count(1)

    def __init__(self, app_id: str = APP_ID) -> None:
        super().__init__()
        with suppress(ScreenError, OSError):  # before 1.20 a portal asks who the terminal is, and remembers that
            _write_application(app_id)
            registry = DBusAddress(_PATH, _NAME, "org.freedesktop.host.portal.Registry")
            self.call(registry, "Register", "sa{sv}", (app_id, {}))

    @staticmethod
    def address(interface: str) -> DBusAddress:
        """The portal with this name, such as "ScreenCast"."""
        return DBusAddress(_PATH, _NAME, f"org.freedesktop.portal.{interface}")

    def version(self, interface: str) -> int:
        """The version of a portal; 0 where there is none."""
        try:
            return int(self.get(self.address(interface), "version"))
        except ScreenError:
            return 0

    def open_session(self, interface: str) -> str:
        """Begin a session with a portal; returns its path."""
        token = {"session_handle_token": ("s", self._new_token())}
        return str(self.request(interface, "CreateSession", options=token)["session_handle"])

    def close_session(self, session: str) -> None:
        """End a session, unless the desktop has ended it."""
        with suppress(ScreenError):
            self.call(DBusAddress(session, _NAME, "org.freedesktop.portal.Session"), "Close")

    def request(
        self,
        interface: str,
        method: str,
        signature: str = "",
        body: tuple[Any, ...] = (),
        options: Mapping[str, tuple[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Ask a portal for something, and wait until the person has decided; returns the results by their names.

        Raises:
            ScreenError: it is refused, or cannot be done.
        """
        code, results = self.answer(interface, method, signature, body, options)
        if code == _REFUSED:
            raise ScreenError("you did not allow it\nstart it again, and allow what the desktop asks for")
        if code != _GRANTED:
            raise ScreenError(f"the desktop portal ended {interface}.{method} (code {code})")
        return results

    def answer(
        self,
        interface: str,
        method: str,
        signature: str = "",
        body: tuple[Any, ...] = (),
        options: Mapping[str, tuple[str, Any]] | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """As `request`, with the code of the answer: 0 is yes, 1 no, and 2 anything else.

        Raises:
            ScreenError: there is no such portal, or no answer.
        """
        token = self._new_token()
        path = f"{_PATH}/request/{self.name[1:].replace('.', '_')}/{token}"
        with self.hearing("org.freedesktop.portal.Request", "Response", path) as heard:
            asked = {"handle_token": ("s", token), **(options or {})}
            self.call(self.address(interface), method, f"{signature}a{{sv}}", (*body, asked))
            message = self.receive(heard, _UNASKED_S)
            if message is None:
                message = self.receive(heard, _PERSON_S)
                time.sleep(_FADING_S)
        if message is None:
            raise ScreenError(f"nobody answered what the desktop asked, within {_PERSON_S / 60:.0f} min")
        code, results = message.body
        return code, {name: value for name, (_, value) in results.items()}

    def _new_token(self) -> str:
        return f"minebot_{os.getpid()}_{next(self._tokens)}"


def _write_application(app_id: str) -> None:
    """Have the desktop know the bot by name: portals take a name only of what is installed."""
    path = Path(platformdirs.user_data_dir()) / "applications" / f"{app_id}.desktop"
    if not path.exists() or path.read_text(encoding="utf-8") != _APPLICATION:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_APPLICATION, encoding="utf-8")
