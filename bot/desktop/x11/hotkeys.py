"""Hot keys on X11: the keys by their codes, in what the server's extension RECORD tells a pynput 1.8 listener.

pynput asks the server about modifiers before it names the first key. That takes several calls beside the player's
clicks: 10 to 25 ms on a busy machine, 300 once. The codes are known beforehand; modifiers make no difference.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from pynput import keyboard
from Xlib.display import Display

from bot.desktop.hotkeys import START_S, PynputHotKeys
from bot.desktop.x11.server import missing_extensions
from bot.errors import ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

_LATIN_1, _UNICODE = 0x100, 0x01000000
_EVENT_BYTES = 32
_PRESS, _RELEASE = 2, 3
_SENT_BY_A_PROGRAM = 0x80


class X11HotKeys(PynputHotKeys):
    """As `PynputHotKeys`.

    Attributes:
        own_codes: of the keys that no program needs to get: letters and signs are typed, others are not.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        super().__init__(keys, owner)
        self._has_begun = threading.Event()

    def _prepare(self) -> None:
        """Have the listener's replies looked through for the keys' codes.

        Raises:
            ScreenError: the server cannot record.
            UsageError: this keyboard has no such key.
        """
        if "RECORD" in missing_extensions():  # the listener would never be ready
            raise ScreenError(
                "the keyboard cannot be listened to here: the X server lacks its extension RECORD\n"
                "Start the server with it: without, no program hears keys that go to another."
            )
        codes = _key_codes(*(_keysym(key.code) for key in self._keys))
        for key, found in zip(self._keys, codes, strict=True):
            if not found:
                raise UsageError(f"this keyboard has no key {key.name!r} that can be pressed alone")
        with_codes = list(zip(self._keys, codes, strict=True))
        self.own_codes = frozenset(
            code for key, found in with_codes if isinstance(key.code, keyboard.Key) for code in found
        )
        keys = {code: key for key, found in reversed(with_codes) for code in found}
        listener = self._listener

        def handle(reply: Any) -> None:
            if not listener.running:
                raise listener.StopException
            for is_press, code in _key_events(reply.data):
                if code in keys:
                    (keys[code].press if is_press else keys[code].release)()
            self._has_begun.set()

        listener._handler = handle  # noqa: SLF001 - pynput has no public name for what a reply is given to

    def _is_heard(self) -> bool:
        """Whether the first reply came: the listener calls itself ready before the server begins to record."""
        return self._has_begun.wait(START_S)

    def _end_listener(self) -> None:
        """Make the listener end now.

        It asks for the end on the very connection that the server keeps busy with recording, and so would end only at
        the next key press. A connection of our own is free to ask; should the listener be ending just then, the server
        answers that there is no such recording any more, and that is as good.
        """
        super()._end_listener()
        context = getattr(self._listener, "_context", None)
        if context is None:
            return
        display = Display()
        display.set_error_handler(lambda *_error: None)
        display.record_disable_context(context)
        display.sync()
        display.close()


def _keysym(key: keyboard.Key | keyboard.KeyCode) -> int:
    """What X11 calls a key; characters of Latin-1 are their own numbers, and others follow 0x01000000."""
    if isinstance(key, keyboard.Key):
        return key.value.vk or 0
    number = ord(key.char or "")
    return number if number < _LATIN_1 else _UNICODE | number


def _key_codes(*keysyms: int) -> list[frozenset[int]]:
    """Of each keysym the codes of the keys that carry it without a modifier; none where no key does."""
    display: Any = Display()
    try:
        return [
            frozenset(code for code, modifiers in display.keysym_to_keycodes(keysym) if modifiers == 0)
            for keysym in keysyms
        ]
    finally:
        display.close()


def _key_events(data: bytes) -> Iterator[tuple[bool, int]]:
    """The (is a press, code) of each key in what RECORD tells: events as the X11 protocol lays them out."""
    for at in range(0, len(data) - _EVENT_BYTES + 1, _EVENT_BYTES):
        kind = data[at] & ~_SENT_BY_A_PROGRAM
        if kind in {_PRESS, _RELEASE}:
            yield kind == _PRESS, data[at + 1]
