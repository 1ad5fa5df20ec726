"""The mouse and single keys, through pyautogui with its pause switched off.

X11 and Windows press keys themselves, by the codes that pyautogui has for their names.
"""

from __future__ import annotations

import warnings
from typing import Any

from bot.desktop.protocols import Keyboard, Mouse
from bot.errors import ScreenError, UsageError
from bot.models import Button, Click, Pixel

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of signs in its strings, by another warning in each version
        import pyautogui
except (Exception, SystemExit) as error:
    # Its helper calls sys.exit where tkinter is missing, and Xlib raises whatever the display's fault is.
    raise ScreenError(f"the mouse cannot be used here: {error}") from error

pyautogui.PAUSE = 0.0  # it sleeps 0.1 s after every call otherwise
pyautogui.FAILSAFE = False  # it knows the primary screen's corners only; the abort key and `Control` stop the bot


class AutoGuiMouse(Mouse):
    """A real pointer; what a person holds down is not known."""

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

    def move(self, pixel: Pixel) -> None:
        pyautogui.moveTo(*pixel)

    def position(self) -> Pixel:
        x, y = pyautogui.position()
        return Pixel(int(x), int(y))

    def close(self) -> None:
        """Nothing to give back."""


class AutoGuiKeyboard(Keyboard):
    """A real keyboard, one key at a time; nobody keeps keys from windows."""

    def press(self, key: str, window: int) -> bool:
        """Press and release it in whatever window has the keyboard: whoever asks for it has looked right before."""
        pyautogui.hotkey(*key.split("+"))
        return True

    def tap_unseen(self, key: str) -> None:
        """Press and release it; windows get it, too."""
        pyautogui.hotkey(key)

    def close(self) -> None:
        """Nothing to give back."""


def x11_codes(key: str) -> list[int]:
    """The codes of the keys that are held down together for a key as pyautogui names it."""
    found: list[int] = []
    for name in key.split("+"):
        found += [_code_of("shift")] * pyautogui.isShiftCharacter(name) + [_code_of(name)]
    return found


_WINDOWS_MODIFIERS = {0x100: 0x10, 0x200: 0x11, 0x400: 0x12}
"""What pyautogui adds to the virtual key of a sign that is typed with Shift, Ctrl or Alt, and the keys of these."""


def windows_codes(key: str) -> list[int]:
    """The virtual keys that are held down together for a key as pyautogui names it."""
    found: list[int] = []
    for code in map(_code_of, key.split("+")):
        found += [held for bit, held in _WINDOWS_MODIFIERS.items() if code & bit]
        found.append(code & 0xFF)
    return found


def _code_of(name: str) -> int:
    library: Any = pyautogui  # its types do not say what it has
    code: int | None = library.platformModule.keyboardMapping.get(name)
    if not code or code < 0:
        raise UsageError(f"this keyboard has no key {name!r}")
    return code
