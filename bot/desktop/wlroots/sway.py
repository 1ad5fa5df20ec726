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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.desktop.protocols import Programs
from bot.errors import ScreenError
from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.wlroots.wayland import Output
    from bot.models import Pixel

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


@dataclass(frozen=True, slots=True)
class Window:
    """A window as sway tells of it.

    Attributes:
        number: sway's.
        program: the process.
        region: where it is, in pixels.
        is_shown: whether it is on a workspace that shows.
        is_focused: whether it has the keyboard.
        is_floating: whether it lies over the others.
    """

    number: int
    program: int
    region: Region
    is_shown: bool
    is_focused: bool
    is_floating: bool


class Sway:
    """Tells of windows. Use it from the thread that made it only.

    Args:
        outputs: where they are.

    Raises:
        ScreenError: sway cannot be reached.
    """

    def __init__(self, outputs: Sequence[Output]) -> None:
        self._outputs = outputs
        self._channel = Channel()

    def windows(self) -> list[Window]:
        """All windows, each over those before it."""
        return list(self._windows_in(self._channel.ask(TREE)))

    def window(self, number: int) -> Window | None:
        """The window with this number; None where it is closed."""
        return next((one for one in self.windows() if one.number == number), None)

    def window_at(self, pixel: Pixel) -> Window | None:
        """The window that shows at a pixel, None where none does. Menus and panels are no windows of sway's."""
        shown = [one for one in self.windows() if one.is_shown and one.region.has_pixel(pixel)]
        return shown[-1] if shown else None

    def focused_window(self) -> int | None:
        """The window that has the keyboard."""
        return next((one.number for one in self.windows() if one.is_focused), None)

    def focus(self, number: int) -> None:
        """Give a window the keyboard."""
        run(self._channel, f"[con_id={number}] focus")

    def close(self) -> None:
        """End the connection."""
        self._channel.close()

    def _windows_in(self, node: dict[str, Any]) -> Iterator[Window]:
        if node.get("pid"):
            yield Window(
                node["id"],
                node["pid"],
                self._pixels_of(node["rect"]),
                bool(node["visible"]),
                node["focused"],
                node["type"] == "floating_con",
            )
        for inner in (*node["nodes"], *node["floating_nodes"]):
            yield from self._windows_in(inner)

    def _pixels_of(self, rect: dict[str, int]) -> Region:
        logical = Region(rect["x"], rect["y"], rect["width"], rect["height"])
        output = max(self._outputs, key=lambda one: one.logical.shared(logical).n_pixels)
        return output.to_pixels(logical)


class SwayPrograms(Programs):
    """Programs and windows by sway.

    Args:
        sway: who tells of windows.

    Raises:
        ScreenError: sway cannot be reached.
    """

    def __init__(self, sway: Sway) -> None:
        self._sway = sway
        self._events = Channel()
        self._events.ask(SUBSCRIBE, '["window"]')

    def focused(self) -> int | None:
        return next((one.program for one in self._sway.windows() if one.is_focused), None)

    def turned_to(self) -> list[int]:
        found = []
        while self._events.has_news():
            event = self._events.receive()
            if event["change"] == "focus" and event["container"].get("pid"):
                found.append(event["container"]["pid"])
        return found

    def at(self, pixel: Pixel) -> int | None:
        window = self._sway.window_at(pixel)
        return None if window is None else window.program

    def focused_window(self) -> int | None:
        return self._sway.focused_window()

    def window_at(self, pixel: Pixel) -> int | None:
        window = self._sway.window_at(pixel)
        return None if window is None else window.number

    def has_window(self, window: int) -> bool:
        return self._sway.window(window) is not None

    def dialogs(self, window: int) -> list[int]:
        windows = self._sway.windows()
        programs = {one.program for one in windows if one.number == window}
        later = (one for one in windows if one.is_shown and one.is_floating and one.number > window)
        return sorted(one.number for one in later if one.program in programs)

    def activate(self, window: int) -> None:
        self._sway.focus(window)

    def close(self) -> None:
        self._events.close()
        self._sway.close()


def run(channel: Channel, command: str) -> None:
    """Have sway do something.

    Raises:
        ScreenError: it does not.
    """
    for answer in channel.ask(RUN, command):
        if not answer["success"]:
            raise ScreenError(f"sway did not take {command!r}: {answer.get('error', 'it does not say why')}")
