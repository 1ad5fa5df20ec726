"""Screen, mouse and keyboard by the desktop's portals."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from bot.desktop.keys import combination_to_press, keysyms_of
from bot.desktop.portal.hotkeys import PortalHotKeys
from bot.desktop.protocols import Keyboard, MachineScreen
from bot.desktop.wayland.outputs import compose
from bot.desktop.wayland.window_list import FollowingMouse
from bot.models import Frame, Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bot.desktop.portal.session import Session
    from bot.desktop.protocols import HotKeys
    from bot.desktop.wayland.outputs import Output
    from bot.desktop.wayland.window_list import WindowList


class PortalScreen(MachineScreen):
    """Takes the newest picture of each output.

    Args:
        open_session: opens the session, or gives the one that is open; asked for when a picture is.
        close_session: closes the one that is open.
    """

    def __init__(self, open_session: Callable[[], Session], close_session: Callable[[], None]) -> None:
        self._open_session = open_session
        self._close_session = close_session

    @property
    def monitors(self) -> list[Region]:
        return [output.region for output in self._open_session().outputs]

    def grab(self, region: Region | None = None) -> Frame:
        """The newest picture; one that was made after the pointer went where it was sent last."""
        session = self._open_session()
        session.wait_until_seen()
        session.have_last_painted()
        return compose(session.outputs, region, _crop)

    def close(self) -> None:
        """End the session, and with it the mouse and the keyboard."""
        self._close_session()


def _crop(output: Output, part: Region) -> Frame:
    inside = Region(part.left - output.region.left, part.top - output.region.top, part.width, part.height)
    return Frame(output.handle.crop(inside), *part.corner)


class PortalMouse(FollowingMouse):
    """The mouse of a session.

    Args:
        session: the session.
        windows: who tells of windows; None where nobody does.
    """

    def __init__(self, session: Session, windows: WindowList | None) -> None:
        super().__init__(windows)
        self._session = session

    def position(self) -> Pixel:
        return self._session.pointer()

    def _go_to(self, pixel: Pixel) -> Pixel:
        return self._session.send_pointer(pixel)

    def _send_button(self, button: int, *, is_down: bool) -> None:
        self._session.send_button(button, is_down=is_down)


class PortalKeyboard(Keyboard):
    """The keyboard of a session. Who presses no key is asked for nothing.

    Args:
        open_session: opens the session, or gives the one that is open; asked for when a key is pressed.
        open_windows: gives who tells which window has the keyboard; None where nobody does, and then no key is pressed.
    """

    def __init__(self, open_session: Callable[[], Session], open_windows: Callable[[], WindowList | None]) -> None:
        self._open_session = open_session
        self._open_windows = open_windows
        self._stack = ExitStack()
        self._kept: frozenset[str] = frozenset()
        """The keys that no window gets."""

    def press(self, key: str, window: int) -> bool:
        """False, too, for a hot key: no window would get it."""
        combination = combination_to_press(key)
        focused = None if self._windows is None else self._windows.focused()
        if focused is None or focused.number != window or combination.key in self._kept:
            return False
        self._tap([*sorted(combination.modifiers), combination.key])
        return True

    @contextmanager
    def keeping(self, keys: HotKeys) -> Iterator[bool]:
        """The desktop keeps them from windows while they are listened to."""
        self._kept = keys.keys if isinstance(keys, PortalHotKeys) else frozenset()
        try:
            yield True
        finally:
            self._kept = frozenset()

    def tap_unseen(self, key: str) -> None:
        self._tap([combination_to_press(key).key])

    def close(self) -> None:
        self._stack.close()

    @cached_property
    def _windows(self) -> WindowList | None:
        windows = self._open_windows()
        if windows is not None:
            self._stack.callback(windows.close)
        return windows

    def _tap(self, names: Sequence[str]) -> None:
        session = self._open_session()
        keysyms = [keysyms_of(name)[0] for name in names]
        try:
            for keysym in keysyms:
                session.send_key(keysym, is_down=True)
        finally:
            for keysym in reversed(keysyms):
                session.send_key(keysym, is_down=False)
