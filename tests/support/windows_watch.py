"""An independent witness on Windows: every key and button that is pressed, where, and when by the system's own clock.

Runs in Python for Windows as a program of its own, hooks in before every other program, and prints a line of JSON for
each event: {"kind": "key" or "press", "detail": key code or button, "x": ..., "y": ..., "time_ms": ...,
"is_injected": whether a program sent it}, and for a press "window", the whole window that shows there, and "corner",
where that is. What programs send does not reach the X server under wine, so no witness there sees it. Shares no code
with the bot's ports.
"""

from __future__ import annotations

import ctypes
import json
import sys
from ctypes import wintypes

user32 = ctypes.WinDLL("user32")
HookProcedure = ctypes.WINFUNCTYPE(wintypes.LPARAM, ctypes.c_int, wintypes.WPARAM, wintypes.LPARAM)
user32.SetWindowsHookExW.argtypes = [ctypes.c_int, HookProcedure, wintypes.HINSTANCE, wintypes.DWORD]
user32.SetWindowsHookExW.restype = wintypes.HHOOK
user32.CallNextHookEx.argtypes = [wintypes.HHOOK, ctypes.c_int, wintypes.WPARAM, wintypes.LPARAM]
user32.CallNextHookEx.restype = wintypes.LPARAM
user32.WindowFromPoint.argtypes, user32.WindowFromPoint.restype = [wintypes.POINT], wintypes.HWND
user32.GetAncestor.argtypes, user32.GetAncestor.restype = [wintypes.HWND, wintypes.UINT], wintypes.HWND
user32.GetWindowRect.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.RECT)]

KEYBOARD, MOUSE = 13, 14
KEYS_DOWN = (0x0100, 0x0104)
BUTTONS_DOWN = {0x0201: 1, 0x0207: 2, 0x0204: 3}


class Key(ctypes.Structure):
    _fields_ = (
        ("code", wintypes.DWORD),
        ("scan", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_void_p),
    )


class Pointer(ctypes.Structure):
    _fields_ = (
        ("at", wintypes.POINT),
        ("data", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_void_p),
    )


def tell(kind, detail, at=(0, 0), time_ms=0, **more):
    event = {"kind": kind, "detail": detail, "x": at[0], "y": at[1], "time_ms": time_ms, **more}
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def window_at(point):
    """The whole window that shows at a point, and the corner of its frame."""
    window = user32.GetAncestor(user32.WindowFromPoint(point), 2)
    place = wintypes.RECT()
    user32.GetWindowRect(window, ctypes.byref(place))
    return window, (place.left, place.top)


@HookProcedure
def on_key(code, message, place):
    if code == 0 and message in KEYS_DOWN:
        key = Key.from_address(place)
        tell("key", key.code, time_ms=key.time, is_injected=bool(key.flags & 0x10))
    return user32.CallNextHookEx(None, code, message, place)


@HookProcedure
def on_pointer(code, message, place):
    if code == 0 and message in BUTTONS_DOWN:
        pointer = Pointer.from_address(place)
        at = (pointer.at.x, pointer.at.y)
        window, corner = window_at(pointer.at)
        is_injected = bool(pointer.flags & 1)
        tell("press", BUTTONS_DOWN[message], at, pointer.time, is_injected=is_injected, window=window, corner=corner)
    return user32.CallNextHookEx(None, code, message, place)


if __name__ == "__main__":
    user32.SetProcessDPIAware()
    hooks = [user32.SetWindowsHookExW(kind, on, None, 0) for kind, on in ((KEYBOARD, on_key), (MOUSE, on_pointer))]
    assert all(hooks), ctypes.GetLastError()
    tell("ready", 0)
    message = wintypes.MSG()
    while user32.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
        pass
    sys.exit(0)
