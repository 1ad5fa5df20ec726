"""Hot keys on X11: raw key events of the server's extension XInputExtension [1].

The server sends a raw event for each press and release of a key itself, at once, and whoever has grabbed the keyboard.
It sends none where a held key repeats. Each names the device that it came from, and the time.

The bot presses keys as a device of the server's own, XTEST, which other programs use, too. So its keyboard says when it
begins to press and when it is done, by messages to a window of this connection. Meanwhile the server serves nobody else
(`X11Keyboard`), and sends all in order: what comes from XTEST between the two is the bot's own.

[1] X.Org, "The X Input Extension 2.x", XI2proc.txt.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from itertools import product
from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import xinput
from Xlib.ext.ge import GenericEventCode

from bot.desktop.hotkeys import PressedKeys
from bot.desktop.keys import keysyms_of
from bot.desktop.protocols import HotKeys
from bot.desktop.x11.input import OWN_PRESSES, modifier_bits
from bot.desktop.x11.system import XINPUT, XINPUT_VERSION, let_go, use_xinput
from bot.errors import ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

_ON_NUMBER_PAD = range(0xFFAC, 0xFFBA)  # the keysyms of the number pad's keys that are others without Num Lock
_UNSHIFTED = (0, 2)  # where a keyboard's map has what a key types alone, in the first and in the second of its layouts
_RAW = xinput.RawKeyPressMask | xinput.RawKeyReleaseMask
_RAW_EVENT = struct.Struct("=HIIHHI")
"""A raw event from its device on: device, milliseconds, key code, the device that it came from, and what keys lack."""
_XTEST_PROPERTY = "XTEST Device"
_MAP_S = 0.1  # time from the word that the keyboard's map has changed until it is read, in seconds
_STOP_S = 2.0  # longest time until the listener has ended, in seconds


class X11HotKeys(HotKeys):
    """Does what each key is for when a person presses it, but not where the bot itself pressed it.

    Attributes:
        own_keys: the codes of the keys that no program needs to get, each with its modifiers: letters and signs are
            typed, others are not.
        window: told by `X11Keyboard` of its presses.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._pressed = PressedKeys(keys, owner)
        self.own_keys: frozenset[tuple[int, int]] = frozenset()
        self.window: int | None = None
        self._display: Any = None
        self._names: dict[int, str] = {}
        self._new_maps: dict[tuple[int, int], Any] = {}
        self._mapped_s = 0.0
        self._is_bot_pressing = False
        self._thread = threading.Thread(target=self._hear_events, name="hears the hot keys", daemon=True)
        self._waker, self._woken = socket.socketpair()

    def start(self) -> None:
        """Begin to listen: every press is heard from when this returns.

        Raises:
            ScreenError: the keyboard cannot be listened to.
            UsageError: this keyboard has no such key.
        """
        self._display = Display()
        try:
            self._begin_hearing()
        except (ScreenError, UsageError):
            self._display.close()
            raise
        self._pressed.begin()
        self._thread.start()

    def stop(self) -> None:
        """Stop listening; returns when the display is let go of."""
        self._waker.close()
        if self._thread.is_alive():
            self._thread.join(_STOP_S)
        self._woken.close()
        self._pressed.end()

    def _begin_hearing(self) -> None:
        if use_xinput(self._display) < XINPUT_VERSION:
            raise ScreenError(
                f"the keyboard cannot be listened to here: the X server lacks its extension {XINPUT} 2.2\n"
                "Start a server that has it: without, no program hears keys that go to another."
            )
        self._own_presses = self._display.intern_atom(OWN_PRESSES)
        self._xtest_property = self._display.intern_atom(_XTEST_PROPERTY)
        self._names = self._find_keys()
        for one in self._pressed.combinations:
            if one.key not in self._names.values():
                raise UsageError(f"this keyboard has no key {one.key!r} that can be pressed alone")
        self.own_keys = self._find_own_keys()
        root = self._display.screen().root
        self.window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent).id  # never shown
        root.xinput_select_events([(xinput.AllMasterDevices, _RAW)])
        for code in _codes_held(self._display):
            if code in self._names:
                self._pressed.hold(self._names[code], code)

    def _hear_events(self) -> None:
        try:
            while True:
                while self._display.pending_events():
                    self._hear(self._display.next_event())
                wait_s = _MAP_S if self._new_maps else None
                if self._woken in select.select([self._display, self._woken], [], [], wait_s)[0]:
                    break
                self._see_to_map()
        except Exception:  # noqa: BLE001 - whatever it was: from here on nothing is heard
            self._pressed.fail()
        finally:
            let_go(self._display)

    def _hear(self, event: Any) -> None:
        if event.type == X.MappingNotify and event.request == X.MappingKeyboard:
            self._mapped_s = self._mapped_s if self._new_maps else time.monotonic()
            self._new_maps[event.first_keycode, event.count] = event
        elif event.type == X.ClientMessage and event.client_type == self._own_presses:
            self._is_bot_pressing = bool(event.data[1][0])
        elif event.type == GenericEventCode:
            _, time_ms, code, source, *_ = _RAW_EVENT.unpack_from(event.data)
            if code not in self._names or (self._is_bot_pressing and self._is_xtest(source)):
                return
            if event.evtype == xinput.RawKeyPress:
                self._pressed.press(self._names[code], code, time_ms / 1000)
            elif event.evtype == xinput.RawKeyRelease:
                self._pressed.release(code)

    def _see_to_map(self) -> None:
        """Read the keyboard's map anew where it has changed, a moment after the first word of it.

        A server with two keyboards says so at every turn from one to the other, and reading takes longer than hearing.
        """
        if self._new_maps and time.monotonic() >= self._mapped_s + _MAP_S:
            for event in self._new_maps.values():
                self._display.refresh_keyboard_mapping(event)
            self._new_maps.clear()
            self._names = self._find_keys()

    def _is_xtest(self, device: int) -> bool:
        """Whether a device is one of the server's own that programs press keys with."""
        try:
            found = self._display.xinput_get_device_property(device, self._xtest_property, X.AnyPropertyType, 0, 1)
        except XError:  # it was unplugged meanwhile
            return False
        return bool(found.type)

    def _find_keys(self) -> dict[int, str]:
        """The name of each key that matters, by its code; one that the keyboard has no more stays where it was."""
        names: dict[int, str] = {}
        for name in self._pressed.names:
            codes = self._codes_of(name) or [code for code, before in self._names.items() if before == name]
            names = dict.fromkeys(codes, name) | names
        return names

    def _codes_of(self, name: str) -> list[int]:
        return [
            code
            for keysym in keysyms_of(name)
            for code, column in self._display.keysym_to_keycodes(keysym)
            if column in _UNSHIFTED or keysym in _ON_NUMBER_PAD
        ]

    def _find_own_keys(self) -> frozenset[tuple[int, int]]:
        bits = modifier_bits(self._display)
        return frozenset(
            (code, sum(held))
            for one in self._pressed.combinations
            if not one.is_typed
            for code in self._codes_of(one.key)
            for held in product(*(bits[modifier] for modifier in one.modifiers))
        )


def _codes_held(display: Any) -> list[int]:
    """The codes of the keys that are down."""
    return [8 * n + bit for n, byte in enumerate(display.query_keymap()) for bit in range(8) if byte & 1 << bit]
