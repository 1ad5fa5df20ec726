"""Where the bot touches the machine: one module a library, imported only when needed.

`protocols` says what the bot asks of a screen, a mouse, a keyboard and hot keys; `screen` (mss), `mouse` and
`keyboard` (pyautogui), `x11_mouse`, `x11_programs`, `x11_watch` and `x11_overlay` (Xlib), `windows_mouse` (`windows`
itself), `hotkeys` (pynput, and `x11_keys`), `programs` (the system itself) and `overlay` (whichever can) are the real
ones; `session` says whether they can work here at all.
"""

from bot.desktop.protocols import HotKeys, Keyboard, Mouse, Overlay, Programs, Screen, WatchedWindow

__all__ = ["HotKeys", "Keyboard", "Mouse", "Overlay", "Programs", "Screen", "WatchedWindow"]
