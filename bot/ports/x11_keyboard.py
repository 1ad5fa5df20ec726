"""Single keys on X11, each into the window that it is for or into none.

A key goes to whatever window has the keyboard when the server takes it, and a window manager may give that to another
between any two calls. So the server is grabbed for a key: it is asked who has the keyboard, and told of the key, while
it serves no other program.

Keys that a person presses for the bot are kept from all windows: this connection grabs them, and whoever records all
keys still hears them. The grab freezes nothing, and ends with the connection, however the process ends.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib.display import Display
from Xlib.error import BadAccess, CatchError
from Xlib.ext import xtest

from bot.errors import ScreenError
from bot.ports.session import check_session
from bot.ports.x11_programs import focus_of, whole_window
from bot.ports.x11_server import served_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType

_LOCKS = X.LockMask, X.Mod2Mask, X.Mod3Mask, X.Mod5Mask
"""What locks and what chooses among characters: with these a key is still that key."""
_MODIFIERS = 0xFF
"""The bits of a state that keys make; the others are buttons."""


class X11Keyboard:
    """A real keyboard, through the server's extension XTEST.

    Args:
        codes_of: the codes of the keys that are held down together for a key such as "enter" or "ctrl+r".

    Raises:
        ScreenError: there is no such server.
    """

    def __init__(self, codes_of: Callable[[str], list[int]]) -> None:
        check_session()
        self._codes_of = codes_of
        try:
            self._display: Any = Display()
        except Exception as why:  # Xlib raises whatever the display's fault is
            raise ScreenError(f"the keyboard cannot be used here: {why}") from why
        self._root = self._display.screen().root
        self._kept: frozenset[int] = frozenset()

    def press(self, key: str, window: int) -> bool:
        """Press and release a key in a window; False, and no key, where another has the keyboard."""
        codes = self._codes_of(key)
        with served_alone(self._display):
            if whole_window(self._display, focus_of(self._display)) != window:
                return False
            is_kept = not self._kept.isdisjoint(codes)
            if is_kept:
                self._let_through()
            self._display.ungrab_keyboard(X.CurrentTime)  # it is ours alone while a person holds one that is kept
            self._tap(codes)
            if is_kept:
                self._keep()
        return True

    @contextmanager
    def keeping(self, codes: Collection[int]) -> Iterator[None]:
        """While the block runs no window gets these keys, but where `press` presses them: only who listens to all keys.

        A key that another program keeps already stays with that program. Ctrl-Z releases the keys until play resumes.
        """
        self._kept = frozenset(codes)
        with self._minding_suspension():
            with served_alone(self._display):
                self._keep()
            self._display.sync()  # from here on they are kept
            try:
                yield
            finally:
                with served_alone(self._display):
                    self._let_through()
                self._display.sync()
                self._kept = frozenset()

    def tap_unseen(self, key: str) -> None:
        """Press and release one key that no window gets: only who listens to all keys hears it.

        It is this connection's own for that moment, with whatever else is held down.

        Raises:
            ScreenError: another program keeps that key for itself.
        """
        (code,) = self._codes_of(key)
        refused = CatchError(BadAccess)
        with served_alone(self._display):
            held = self._root.query_pointer().mask & _MODIFIERS
            self._root.grab_key(code, held, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
            self._display.sync()
            if refused.get_error() is None:
                self._tap([code])
                self._root.ungrab_key(code, held)
        if refused.get_error() is not None:
            raise ScreenError(f"another program keeps the key {key} for itself\nend that program, and try again")

    def close(self) -> None:
        """Let go of the server."""
        self._display.close()

    @contextmanager
    def _minding_suspension(self) -> Iterator[None]:
        """While the block runs Ctrl-Z stops this process only when the keys are let through."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def suspend(number: int, _frame: FrameType | None) -> None:
            # Never in the middle of another request: Ctrl-Z waits while this connection is used.
            self._let_through()
            self._display.flush()
            signal.signal(number, before)
            signal.raise_signal(number)
            signal.signal(number, suspend)
            self._keep()
            self._display.flush()

        before = signal.signal(signal.SIGTSTP, suspend)
        try:
            yield
        finally:
            signal.signal(signal.SIGTSTP, before)

    def _keep(self) -> None:
        for code, locks in self._kept_ways():
            self._root.grab_key(code, locks, False, X.GrabModeAsync, X.GrabModeAsync, onerror=CatchError(BadAccess))

    def _let_through(self) -> None:
        for code, locks in self._kept_ways():
            self._root.ungrab_key(code, locks)

    def _kept_ways(self) -> Iterator[tuple[int, int]]:
        """Each of the keys that are kept, with whatever is locked."""
        for code, *locks in product(self._kept, *((0, lock) for lock in _LOCKS)):
            yield code, sum(locks)

    def _tap(self, codes: list[int]) -> None:
        for event, in_order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
            for code in in_order:
                xtest.fake_input(self._display, event, code)
