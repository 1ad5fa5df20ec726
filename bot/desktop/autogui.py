"""The mouse and single keys, through pyautogui with its pause switched off.

macOS has both of it, X11 and Windows the codes of keys.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from bot.errors import ScreenError, UsageError
from bot.models import Button, Click, Held, Pixel

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of signs in its strings, by another warning in each version
        import pyautogui
except (Exception, SystemExit) as error:
    # Its helper calls sys.exit where tkinter is missing, and Xlib raises whatever the display's fault is.
    raise ScreenError(f"the mouse cannot be used here: {error}") from error

pyautogui.PAUSE = 0.0  # it sleeps 0.1 s after every call otherwise
pyautogui.FAILSAFE = False  # it knows the primary screen's corners only; the abort key and `Control` stop the bot


if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from bot.desktop.protocols import HotKeys


class AutoGuiMouse:
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


class AutoGuiKeyboard:
    """A real keyboard, one key at a time."""

    def press(self, key: str, window: int) -> bool:  # noqa: ARG002 - this backend cannot name the window that gets a key
        """Press and release it in whatever window has the keyboard: whoever asks for it has looked right before."""
        pyautogui.hotkey(*key.split("+"))
        return True

    def keeping(self, keys: HotKeys) -> AbstractContextManager[bool]:  # noqa: ARG002 - this backend cannot keep keys from windows
        """Nothing: nobody keeps keys from windows here."""
        return nullcontext(True)

    def tap_unseen(self, key: str) -> None:
        """Press and release it; windows get it, too."""
        pyautogui.hotkey(key)

    def close(self) -> None:
        """Nothing to give back."""


def x11_codes(key: str) -> list[int]:
    """The codes of the keys that are held down together for a key as pyautogui names it."""
    codes = _key_table()
    found: list[int] = []
    for name in key.split("+"):
        code = _code_of(name, codes)
        found += [codes["shift"] or 0, code] if pyautogui.isShiftCharacter(name) else [code]
    return found


_WINDOWS_MODIFIERS = {0x100: 0x10, 0x200: 0x11, 0x400: 0x12}
"""What pyautogui adds to the virtual key of a sign that is typed with Shift, Ctrl or Alt, and the keys of these."""


def windows_codes(key: str) -> list[int]:
    """The virtual keys that are held down together for a key as pyautogui names it."""
    found: list[int] = []
    for name in key.split("+"):
        code = _code_of(name, _key_table())
        found += [held for bit, held in _WINDOWS_MODIFIERS.items() if code & bit]
        found.append(code & 0xFF)
    return found


def _key_table() -> dict[str, int | None]:
    library: Any = pyautogui  # its types do not say what it has
    table: dict[str, int | None] = library.platformModule.keyboardMapping
    return table


def _code_of(name: str, codes: dict[str, int | None]) -> int:
    code = codes.get(name)
    if not code or code < 0:
        raise UsageError(f"this keyboard has no key {name!r}")
    return code
