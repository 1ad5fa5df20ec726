"""Where the bot touches the machine: one module a library, imported only when needed.

`protocols` says what the bot asks of a screen, a mouse, a keyboard and hot keys; `screen` (mss), `mouse` and
`keyboard` (pyautogui), `x11_mouse` and `x11_programs` (Xlib), `windows_mouse` (`windows` itself), `hotkeys` (pynput,
and `x11_keys`) and `programs` (the system itself) are the real ones; `session` says whether they can work here at all.
"""

from bot.ports.protocols import HotKeys, Keyboard, Mouse, Programs, Screen

__all__ = ["HotKeys", "Keyboard", "Mouse", "Programs", "Screen"]
