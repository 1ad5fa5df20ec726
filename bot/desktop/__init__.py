"""Where the bot touches the machine: a folder a platform, and what they share.

`protocols` says what the bot asks of a platform, and `factory` finds the one that this is. Shared are `keys` (their
names), `hotkeys` (what a press means), `overlay` (sheets over a window) and `xlib` (such sheets by Xlib). The platforms
are `x11` (Xlib), `win32` (Windows itself), `wlroots` and `portal` (both on `wayland`), and `general` (libraries alone).
A library is imported only when it is needed.
"""

from bot.desktop.factory import open_desktop, this_platform
from bot.desktop.protocols import (
    Desktop,
    HotKey,
    HotKeys,
    Keyboard,
    Mouse,
    Overlay,
    Platform,
    Programs,
    Screen,
    WatchedWindow,
)

__all__ = [
    "Desktop",
    "HotKey",
    "HotKeys",
    "Keyboard",
    "Mouse",
    "Overlay",
    "Platform",
    "Programs",
    "Screen",
    "WatchedWindow",
    "open_desktop",
    "this_platform",
]
