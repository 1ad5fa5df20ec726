"""Hot keys, heard with pynput wherever the focus is."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from bot.desktop.session import check_session
from bot.desktop.x11_keys import key_events, x11_key_codes
from bot.desktop.x11_machine import missing_x11_extensions
from bot.errors import ScreenError, UsageError

check_session()
try:
    from pynput import keyboard
except Exception as error:
    # On a broken display Xlib raises whatever the display's fault is.
    raise ScreenError(f"the keyboard cannot be listened to here: {error}") from error

if TYPE_CHECKING:
    from bot.playing.control import Control

_REPEAT_S = 0.05
"""A press this soon after a release is the keyboard repeating a held key: X11 sends the pair, a person cannot."""
_START_S = 5.0
"""How long the system may take until it passes keys on; it takes some milliseconds."""
_STOP_S = 2.0
"""How long the listener may take to end."""
_TURN_S = 0.0005
"""How soon the listener's thread has its turn while the player's computes; Python's own 5 ms add up, turn by turn."""
_LATIN_1, _UNICODE = 0x100, 0x01000000
_KEYDOWN = (0x0100, 0x0104)  # WM_KEYDOWN, WM_SYSKEYDOWN: F10 comes as the second


class PynputHotKeys:
    """Turns two keys into `Control.toggle` and `Control.abort`, but not where the bot itself pressed them.

    The callbacks only set flags: Windows drops a hook that takes its time.

    Args:
        control: what the keys steer.
        start_key: name of the key that starts and pauses, such as "f10" or "a".
        abort_key: name of the key that stops.

    Raises:
        UsageError: there is no such key, or both are the same.
    """

    def __init__(self, control: Control, start_key: str = "f10", abort_key: str = "esc") -> None:
        self._control = control
        self._names = (start_key, abort_key)
        self._start = _parse_key(start_key)
        self._abort = _parse_key(abort_key)
        if self._start == self._abort:
            raise UsageError(f"expected two different keys to start and to abort, got {start_key!r} twice")
        self._is_down = self._is_own = self._is_own_abort = False
        self._released_at = -_REPEAT_S
        swallow: dict[str, Any] = {}
        if sys.platform == "win32":  # F10 opens the menu there, Esc makes an icon of some games
            swallow["win32_event_filter"] = self._swallow_own_keys
        self._listener: Any = keyboard.Listener(self._on_press, self._on_release, **swallow)
        self._has_begun = threading.Event()
        self._is_stopping = False
        self.own_codes: frozenset[int] = frozenset()
        """On X11 the codes of the keys that no program needs to get: letters and signs are typed, others are not."""
        self._usual_turn_s = sys.getswitchinterval()

    def start(self) -> None:
        """Begin to listen; returns when key presses are being seen.

        Raises:
            ScreenError: the keyboard cannot be listened to.
            UsageError: this keyboard has no such key.
        """
        if sys.platform == "linux":
            self._hear_x11_codes()
        sys.setswitchinterval(_TURN_S)
        self._listener.start()
        self._listener.wait()
        if not self._listener.is_alive():
            raise ScreenError("the keyboard cannot be listened to here: the listener ended at once")
        if sys.platform == "linux" and not self._has_begun.wait(_START_S):
            raise ScreenError(f"the keyboard cannot be listened to here: nothing is recorded within {_START_S:.0f} s")
        if sys.platform == "win32" and not _has_hook_within(_START_S, self._listener):
            raise ScreenError(f"the keyboard cannot be listened to here: no hook within {_START_S:.0f} s")
        threading.Thread(target=self._watch_listener, name="watches the hot keys", daemon=True).start()

    def stop(self) -> None:
        """Stop listening; returns when the listener has let go of the display."""
        self._is_stopping = True
        if self._listener.is_alive():
            self._listener.stop()
            _end_x11_recording(self._listener)
            self._listener.join(_STOP_S)
        sys.setswitchinterval(self._usual_turn_s)

    def _watch_listener(self) -> None:
        """Stop play when the listener has ended unasked: from then on nobody could."""
        threading.Thread.join(self._listener)  # its own `join` waits for ever for one whose connection was cut
        if not self._is_stopping:
            start, abort = (name.capitalize() for name in self._names)
            self._control.fail(
                f"the keyboard cannot be listened to any more: {start} and {abort} would not be heard, so play has "
                "stopped; start it again"
            )

    def _on_press(self, key: keyboard.Key | keyboard.KeyCode | None) -> None:
        if key == self._abort:
            self._abort_key_down()
        elif key == self._start:
            self._start_key_down()

    def _on_release(self, key: keyboard.Key | keyboard.KeyCode | None) -> None:
        if key == self._start:
            self._start_key_up()

    def _abort_key_down(self) -> None:
        self._is_own_abort = self._control.is_own(self._names[1])
        if not self._is_own_abort:
            self._control.abort()

    def _start_key_down(self) -> None:
        self._is_own = self._control.is_own(self._names[0])
        if self._is_own:
            return
        is_repeat = self._is_down or time.monotonic() - self._released_at < _REPEAT_S
        self._is_down = True
        if not is_repeat:
            self._control.toggle()

    def _start_key_up(self) -> None:
        self._is_down = False
        self._released_at = time.monotonic()

    def _hear_x11_codes(self) -> None:
        """X11 only: tell the keys by their codes, in the server's replies to a pynput 1.8 listener.

        pynput asks the server about modifiers before it names the first key, in several calls, while the player goes on
        clicking: 10 to 25 ms on a busy machine, 300 once. The codes are known beforehand; modifiers make no difference.

        The first reply says that the server has begun to record. The listener calls itself ready before it asks for
        that, and keys pressed in between are lost.
        """
        if "RECORD" in missing_x11_extensions():  # the listener would never be ready
            raise ScreenError(
                "the keyboard cannot be listened to here: the X server lacks its extension RECORD\n"
                "Start the server with it: without, no program hears keys that go to another."
            )
        codes = x11_key_codes(_keysym(self._start), _keysym(self._abort))
        for name, found in zip(self._names, codes, strict=True):
            if not found:
                raise UsageError(f"this keyboard has no key {name!r} that can be pressed alone")
        start_codes, abort_codes = codes
        keys = zip((self._start, self._abort), codes, strict=True)
        self.own_codes = frozenset(code for key, found in keys if isinstance(key, keyboard.Key) for code in found)
        listener = self._listener

        def handle(reply: Any) -> None:
            if not listener.running:
                raise listener.StopException
            for is_press, code in key_events(reply.data):
                if code in abort_codes and is_press:
                    self._abort_key_down()
                elif code in start_codes:
                    (self._start_key_down if is_press else self._start_key_up)()
            self._has_begun.set()

        listener._handler = handle  # noqa: SLF001 - pynput has no public name for what a reply is given to

    def _swallow_own_keys(self, message: int, data: Any) -> bool:
        """Windows only: act on both keys and keep them from every other program, unless the bot pressed them.

        Letters and signs are not kept. False for a key that was acted on, as nobody else is to act on it.
        """
        is_press = message in _KEYDOWN
        if _is_key(self._start, data.vkCode):
            (self._start_key_down if is_press else self._start_key_up)()
            is_own = self._is_own
        elif _is_key(self._abort, data.vkCode):
            if is_press:
                self._abort_key_down()
            is_own = self._is_own_abort
        else:
            return True
        if not is_own:
            self._listener.suppress_event()
        return False


def _has_hook_within(timeout_s: float, listener: Any) -> bool:
    """Windows only: wait until the hook of a pynput 1.8 listener is in place; False if it is not within that time.

    The listener calls itself ready before it hooks in. A key pressed in between would reach the game, and not the bot.
    """
    hooks = importlib.import_module("pynput._util.win32").SystemHook._HOOKS  # noqa: SLF001 - there is no public name
    latest_s = time.monotonic() + timeout_s
    while time.monotonic() < latest_s and listener.is_alive():
        hook = hooks.get(listener.ident)
        if hook is not None and hook._hook:  # noqa: SLF001 - the same
            return True
        time.sleep(0.001)
    return False


def _end_x11_recording(listener: Any) -> None:
    """Make a pynput 1.8 listener on X11 end now.

    It asks for the end on the very connection that the server keeps busy with recording, and so would end only at
    the next key press. A connection of our own is free to ask; should the listener be ending just then, the server
    answers that there is no such recording any more, and that is as good.
    """
    context = getattr(listener, "_context", None)
    if context is None:
        return
    from Xlib.display import Display  # noqa: PLC0415 - pynput brings it where the display is X11, and only there

    display = Display()
    display.set_error_handler(lambda *_error: None)
    display.record_disable_context(context)
    display.sync()
    display.close()


def _is_key(key: keyboard.Key | keyboard.KeyCode, code: int) -> bool:
    """Whether a key that is neither letter nor sign has this code on Windows."""
    return isinstance(key, keyboard.Key) and key.value.vk == code


def _keysym(key: keyboard.Key | keyboard.KeyCode) -> int:
    """What X11 calls a key; characters of Latin-1 are their own numbers, and others follow 0x01000000."""
    if isinstance(key, keyboard.Key):
        return key.value.vk or 0
    number = ord(key.char or "")
    return number if number < _LATIN_1 else _UNICODE | number


def _parse_key(name: str) -> keyboard.Key | keyboard.KeyCode:
    if len(name) == 1:
        return keyboard.KeyCode.from_char(name.lower())
    try:
        return keyboard.Key[name.lower()]
    except KeyError:
        raise UsageError(f"expected the name of a key such as f10, esc or a, got {name!r}") from None
