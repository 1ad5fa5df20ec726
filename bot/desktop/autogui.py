"""The mouse and single keys, through pyautogui with its pause switched off.

macOS has both of it, Windows the keyboard, X11 the codes of keys.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from bot.errors import ScreenError, UsageError
from bot.models import Button, Click, Held, Pixel

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # its helpers have strings that Python 3.12 warns of
        import pyautogui
except (Exception, SystemExit) as error:
    # Its helper calls sys.exit where tkinter is missing, and Xlib raises whatever the display's fault is.
    raise ScreenError(f"the mouse cannot be used here: {error}") from error

pyautogui.PAUSE = 0.0  # it sleeps 0.1 s after every call otherwise
pyautogui.FAILSAFE = False  # it knows the primary screen's corners only; the abort key and `Control` stop the bot


if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractContextManager


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

    def press(self, key: str, window: int) -> bool:  # noqa: ARG002 - a question for systems that can be held still
        """Press and release it in whatever window has the keyboard: whoever asks for it has looked right before."""
        pyautogui.hotkey(*key.split("+"))
        return True

    def keeping(self, codes: Collection[int]) -> AbstractContextManager[bool]:  # noqa: ARG002 - as above
        """Nothing: on Windows the hook of the hot keys does that, on macOS nobody."""
        return nullcontext(True)

    def tap_unseen(self, key: str) -> None:
        """Press and release it; on Windows the hook of the hot keys keeps it from every window."""
        pyautogui.hotkey(key)

    def close(self) -> None:
        """Nothing to give back."""


def x11_codes(key: str) -> list[int]:
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
