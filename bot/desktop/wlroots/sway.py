"""What sway tells of its windows, through its socket [1]. Other compositors built on wlroots tell nothing.

A program is a process, a window a container of sway's. A dialog is a window that floats and came up later than the
window of the same program that it belongs to: sway floats what its program calls a dialog, and names no owner.

[1] sway-ipc(7).
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
from typing import TYPE_CHECKING, Any

from bot.desktop.wayland.outputs import in_pixels
from bot.desktop.wayland.window_list import Window, WindowList
from bot.errors import ScreenError
from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.wayland.outputs import Output

SOCKET_VARIABLE = "SWAYSOCK"  # it names sway's socket; only sway sets it
_HEADER = struct.Struct("=6sII")  # the sign of the protocol, the length of what follows, and its kind
_SIGN = b"i3-ipc"
RUN, SUBSCRIBE, TREE, CONFIG, INPUTS = 0, 2, 4, 9, 100
"""The kinds of questions."""
ANSWER_S = 5.0  # the longest time that sway takes to answer, in seconds


class Channel:
    """A connection to sway's socket.

    Raises:
        ScreenError: there is none.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(os.environ[SOCKET_VARIABLE])
        except OSError as error:
            self._socket.close()
            raise ScreenError(f"sway cannot be reached by the socket that {SOCKET_VARIABLE} names: {error}") from error

    def ask(self, kind: int, text: str = "") -> Any:
        """Send a question, or a command; returns the answer.

        Raises:
            ScreenError: sway is gone, or does not answer.
        """
        payload = text.encode()
        try:
            self._socket.sendall(_HEADER.pack(_SIGN, len(payload), kind) + payload)
        except OSError as error:
            raise ScreenError(f"sway is gone: {error}") from error
        return self.receive()

    def receive(self) -> Any:
        """The next answer or event.

        Raises:
            ScreenError: as above.
        """
        _, size, _ = _HEADER.unpack(self._read(_HEADER.size))
        return json.loads(self._read(size))

    def has_news(self) -> bool:
        """Whether an event is waiting."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def fileno(self) -> int:
        """The number of the socket, for `select`."""
        return self._socket.fileno()

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def _read(self, size: int) -> bytes:
        read = b""
        while len(read) < size:
            try:
                part = self._socket.recv(size - len(read))
            except OSError as error:
                raise ScreenError(f"sway does not answer: {error}") from error
            if not part:
                raise ScreenError("sway is gone, and the screen with it")
            read += part
        return read


class Sway(WindowList):
    """Tells of windows.

    Args:
        outputs: where they are.

    Raises:
        ScreenError: sway cannot be reached.
    """

    def __init__(self, outputs: Sequence[Output]) -> None:
        self._outputs = outputs
        self._channel = Channel()
        self._events = Channel()
        self._events.ask(SUBSCRIBE, '["window"]')

    def windows(self) -> list[Window]:
        return list(self._windows_in(self._channel.ask(TREE)))

    def turned_to(self) -> list[int]:
        found = []
        while self._events.has_news():
            event = self._events.receive()
            if event["change"] == "focus" and event["container"].get("pid"):
                found.append(event["container"]["pid"])
        return found

    def focus(self, number: int) -> None:
        run(self._channel, f"[con_id={number}] focus")

    def close(self) -> None:
        self._events.close()
        self._channel.close()

    def _windows_in(self, node: dict[str, Any]) -> Iterator[Window]:
        if node.get("pid"):
            rect = node["rect"]
            yield Window(
                node["id"],
                node["pid"],
                in_pixels(self._outputs, Region(rect["x"], rect["y"], rect["width"], rect["height"])),
                is_shown=bool(node["visible"]),
                is_focused=node["focused"],
                is_dialog=node["type"] == "floating_con",
            )
        for inner in (*node["nodes"], *node["floating_nodes"]):
            yield from self._windows_in(inner)


def run(channel: Channel, command: str) -> None:
    """Have sway do something.

    Raises:
        ScreenError: it does not.
    """
    for answer in channel.ask(RUN, command):
        if not answer["success"]:
            raise ScreenError(f"sway did not take {command!r}: {answer.get('error', 'it does not say why')}")
