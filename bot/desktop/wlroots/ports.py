"""Screen, mouse and keyboard of a compositor built on wlroots.

A picture is one that the compositor draws after it was asked for: whatever was clicked before shows on it. Nobody tells
where the pointer is, nor what a person holds down: a hand on the mouse is not noticed here.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot.desktop.keys import combination_to_press, keysyms_of
from bot.desktop.protocols import Keyboard, MachineScreen
from bot.desktop.wayland.outputs import compose, output_at
from bot.desktop.wayland.window_list import FollowingMouse
from bot.desktop.wlroots.hotkeys import SwayHotKeys
from bot.desktop.wlroots.wayland import CAPTURES, KEYBOARDS, POINTERS, Connection
from bot.errors import ScreenError
from bot.models import Frame, Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bot.desktop.protocols import HotKeys
    from bot.desktop.wayland.outputs import Output
    from bot.desktop.wayland.window_list import WindowList

_DOWN, _UP = 1, 0
_MOST_MS = 0xFFFFFFFF


def _now_ms() -> int:
    return int(time.monotonic() * 1000) & _MOST_MS


class WlrootsScreen(MachineScreen):
    """Captures outputs by screencopy.

    Attributes:
        connection: the connection to the compositor.
        outputs: all that show something.

    Raises:
        ScreenError: there is no such compositor, or no output.
    """

    def __init__(self) -> None:
        self.connection = Connection()
        self._captures = self.connection.bind(CAPTURES)
        self.outputs: Sequence[Output] = self.connection.outputs()
        if not self.outputs:
            raise ScreenError("no output shows anything\nswitch a monitor on, and turn it upright")

    @property
    def monitors(self) -> list[Region]:
        return [output.region for output in self.outputs]

    def grab(self, region: Region | None = None) -> Frame:
        return compose(self.outputs, region, self._capture)

    def close(self) -> None:
        self.connection.close()

    def _capture(self, output: Output, part: Region) -> Frame:
        seen = self.connection.capture(self._captures, output.handle)
        return Frame(seen, *output.region.corner).crop(part)


class WlrootsMouse(FollowingMouse):
    """A virtual pointer for each output.

    Args:
        windows: who tells of windows; None where nobody does.

    Raises:
        ScreenError: there is no such compositor.
    """

    def __init__(self, windows: WindowList | None) -> None:
        super().__init__(windows)
        self._connection = Connection()
        manager, seat = self._connection.bind(POINTERS), self._connection.seat()
        self._outputs = self._connection.outputs()
        self._pointers = {
            output: manager.create_virtual_pointer_with_output(seat, output.handle) for output in self._outputs
        }
        self._pointer = self._pointers[self._outputs[0]]
        """That of the output where the mouse is."""
        self._at = Pixel(0, 0)
        self._connection.roundtrip()  # windows without a mouse until now learn of this one

    def position(self) -> Pixel:
        """Where it was left: nobody tells where it is."""
        return self._at

    def close(self) -> None:
        super().close()
        self._connection.close()

    def _go_to(self, pixel: Pixel) -> Pixel:
        output, at = output_at(self._outputs, pixel)
        region = output.region
        self._pointer = self._pointers[output]
        place = (at.x - region.left, at.y - region.top, region.width, region.height)
        self._pointer.motion_absolute(_now_ms(), *place)
        self._end_frame()
        self._at = at
        return at

    def _send_button(self, button: int, *, is_down: bool) -> None:
        self._pointer.button(_now_ms(), button, _DOWN if is_down else _UP)
        self._end_frame()

    def _end_frame(self) -> None:
        self._pointer.frame()
        self._connection.roundtrip()


_MODIFIER_BITS = {"shift": 1, "ctrl": 4, "alt": 8, "cmd": 64}  # in the order that keymaps have them in
_CODE = 2  # the key <AE01>, as the kernel numbers it
_KEYMAP = """xkb_keymap {{
    xkb_keycodes {{ include "evdev" }};
    xkb_types {{ include "complete" }};
    xkb_compat {{ include "complete" }};
    xkb_symbols {{ include "pc" key <AE01> {{ [ {keysym:#x} ] }}; }};
}};"""
"""A keyboard whose key 1 means something else."""
_XKB_TEXT = 1  # the format of a keymap: text that xkbcommon compiles


class WlrootsKeyboard(Keyboard):
    """A virtual keyboard, with a key for whatever is asked for.

    Args:
        windows: who tells which window has the keyboard; None where nobody does, and then no key is pressed.

    Raises:
        ScreenError: there is no such compositor.
    """

    def __init__(self, windows: WindowList | None) -> None:
        self._connection = Connection()
        self._windows = windows
        self._keyboard = self._connection.bind(KEYBOARDS).create_virtual_keyboard(self._connection.seat())
        self._listener: SwayHotKeys | None = None
        self._send_keymap(keysyms_of("enter")[0])  # windows hear of a keyboard only when it has a map

    def press(self, key: str, window: int) -> bool:
        windows = self._windows
        if windows is None:
            return False

        def has_keyboard() -> bool:
            focused = windows.focused()
            return focused is not None and focused.number == window

        return self._tap(key, has_keyboard)

    @contextmanager
    def keeping(self, keys: HotKeys) -> Iterator[bool]:
        """The keys are bound while they are listened to: no window gets them. They are unbound for the bot's own."""
        self._listener = keys if isinstance(keys, SwayHotKeys) else None
        try:
            yield True
        finally:
            self._listener = None

    def tap_unseen(self, key: str) -> None:
        self._tap(key, lambda: True)

    def close(self) -> None:
        if self._windows is not None:
            self._windows.close()
        self._connection.close()

    def _tap(self, key: str, may_go: Callable[[], bool]) -> bool:
        """Press and release a key where it may go; whether it went there."""
        combination = combination_to_press(key)
        bits = sum(_MODIFIER_BITS[name] for name in combination.modifiers)
        self._send_keymap(keysyms_of(combination.key)[0])
        with ExitStack() as stack:
            if self._listener is not None:
                stack.enter_context(self._listener.let_through(combination.key))
            if not may_go():
                return False
            self._keyboard.modifiers(bits, 0, 0, 0)
            for state in (_DOWN, _UP):
                self._keyboard.key(_now_ms(), _CODE, state)
            self._keyboard.modifiers(0, 0, 0, 0)
            self._connection.roundtrip()
            return True

    def _send_keymap(self, keysym: int) -> None:
        """Have the key mean this."""
        text = _KEYMAP.format(keysym=keysym).encode() + b"\0"
        file = os.memfd_create("minebot")
        try:
            os.write(file, text)
            self._keyboard.keymap(_XKB_TEXT, file, len(text))
            self._connection.roundtrip()
        finally:
            os.close(file)
