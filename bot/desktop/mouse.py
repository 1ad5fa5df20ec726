"""The mouse and single keys, through pyautogui with its pause switched off."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from bot.desktop.session import check_session
from bot.desktop.windows import use_true_pixels
from bot.errors import ScreenError, UsageError
from bot.models import Button, Click, Held, Pixel

check_session()
use_true_pixels()
try:
    import pyautogui
except (Exception, SystemExit) as error:
    # Its helper calls sys.exit where tkinter is missing, and Xlib raises whatever the display's fault is.
    raise ScreenError(f"the mouse cannot be used here: {error}") from error

pyautogui.PAUSE = 0.0  # it sleeps 0.1 s after every call otherwise
pyautogui.FAILSAFE = False  # it knows the primary screen's corners only; the abort key and `Control` stop the bot


if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractContextManager

    from bot.desktop.protocols import Keyboard, Mouse


def real_mouse() -> Mouse:
    """The mouse of this machine.

    Raises:
        ScreenError: it cannot be used.
    """
    if sys.platform == "win32":
        from bot.desktop.windows_input import WindowsMouse  # noqa: PLC0415 - of use there only

        return WindowsMouse()
    if sys.platform == "darwin":
        from bot.desktop.machine import MacMachine  # noqa: PLC0415 - as above

        MacMachine().describe_permissions()  # without them macOS drops clicks and keys without a word
        return _AutoGuiMouse()
    from bot.desktop.x11_input import X11Mouse  # noqa: PLC0415 - Xlib is there where the display is X11, and only there

    return X11Mouse()


def real_keyboard() -> Keyboard:
    """The keyboard of this machine.

    Raises:
        ScreenError: it cannot be used.
    """
    if sys.platform in {"win32", "darwin"}:
        return _AutoGuiKeyboard()
    from bot.desktop.x11_input import X11Keyboard  # noqa: PLC0415 - Xlib is there where the display is X11, and only there

    return X11Keyboard(_x11_codes)


class _AutoGuiMouse:
    """A real pointer."""

    def follow(self, pixel: Pixel) -> None:
        """Clicks go to places on the screen here, wherever windows move."""

    def click(self, click: Click) -> Pixel:
        """Move there, press and release; every button is up again whatever happens."""
        x, y = click.pixel
        buttons = ("left", "right") if click.button is Button.BOTH else (click.button.value,)
        try:
            for button in buttons:
                pyautogui.mouseDown(x, y, button=button)
        finally:
            for button in buttons:
                pyautogui.mouseUp(x, y, button=button)
        return click.pixel

    def held(self) -> Held:
        """Nothing: pyautogui knows of no key and no button."""
        return Held()

    def move(self, pixel: Pixel) -> None:
        """Move there."""
        pyautogui.moveTo(*pixel)

    def position(self) -> Pixel:
        """Where the pointer is."""
        x, y = pyautogui.position()
        return Pixel(int(x), int(y))


class _AutoGuiKeyboard:
    """A real keyboard, one key at a time."""

    def press(self, key: str, window: int) -> bool:  # noqa: ARG002 - a question for systems that can be held still
        """Press and release it in whatever window has the keyboard: whoever asks for it has looked right before."""
        pyautogui.hotkey(*key.split("+"))
        return True

    def keeping(self, codes: Collection[int]) -> AbstractContextManager[None]:  # noqa: ARG002 - as above
        """Nothing: on Windows the hook of the hot keys does that (`hotkeys`), on macOS nobody."""
        return nullcontext()

    def tap_unseen(self, key: str) -> None:
        """Press and release it; on Windows the hook of the hot keys keeps it from every window (`hotkeys`)."""
        pyautogui.hotkey(key)

    def close(self) -> None:
        """Nothing to give back."""


def _x11_codes(key: str) -> list[int]:
    """The codes of the keys that are held down together for a key as pyautogui names it."""
    library: Any = pyautogui  # its types do not say what it has on X11
    codes: dict[str, int | None] = library.platformModule.keyboardMapping
    found: list[int] = []
    for name in key.split("+"):
        code = codes.get(name)
        if not code:
            raise UsageError(f"this keyboard has no key {name!r}")
        found += [codes["shift"] or 0, code] if pyautogui.isShiftCharacter(name) else [code]
    return found
