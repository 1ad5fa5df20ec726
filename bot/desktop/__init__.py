"""Where the bot touches the machine: a folder a platform, and what they share.

`protocols` says what the bot asks of a platform, and finds the one that this is. Shared are `screen` (mss; the
pointer's trail), `autogui` (pyautogui), `keys` (their names), `hotkeys` (what a press means) and `pynput_hotkeys`, with
which Windows and macOS listen. The platforms are `x11` (Xlib), `win32` (Windows itself) and `macos`. A library is
imported only when it is needed.
"""

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
    open_desktop,
    this_platform,
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
