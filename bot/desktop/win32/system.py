"""What Windows says about itself, its programs and their windows: through user32 and its like, loaded when first asked.

Only Windows has them; the module can be imported anywhere. A program is a number, that of its process. Nothing of it is
kept or sent anywhere. All of this has been run under wine.
"""

from __future__ import annotations

import ctypes
import queue
import threading
from contextlib import suppress
from ctypes import wintypes
from functools import cache
from typing import Any

from bot.console import tell
from bot.desktop.protocols import Machine, dialogs_of
from bot.models import Pixel, Region

_PER_MONITOR_2 = ctypes.c_void_p(-4)  # DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2
_PER_MONITOR = 2  # PROCESS_PER_MONITOR_DPI_AWARE

_AWARENESS = ("none", "system", "per monitor, version 1")
"""How Windows may count a process's pixels, by its own numbers; version 2 has none."""
_TRUE_PIXELS = frozenset({"per monitor, version 1", "per monitor, version 2"})

_ROOT_WINDOW = 2  # GA_ROOT
_OWNER = 4  # GW_OWNER
_NO_OTHER_MONITOR = 0  # MONITOR_DEFAULTTONULL
NEAREST_MONITOR = 2  # MONITOR_DEFAULTTONEAREST
_AS_SHOWN = 0  # MDT_EFFECTIVE_DPI
_DOTS_PER_INCH_AT_100 = 96
_ASK_AGAIN_S = 0.003  # pause between two questions who has the keyboard, in seconds; asking takes some microseconds


@cache
def user32() -> Any:
    """The library, its functions declared that take or give pointers, handles or points."""
    library = _load_library("user32")
    library.GetForegroundWindow.restype = wintypes.HWND
    library.WindowFromPoint.argtypes, library.WindowFromPoint.restype = [wintypes.POINT], wintypes.HWND
    library.GetAncestor.argtypes, library.GetAncestor.restype = [wintypes.HWND, wintypes.UINT], wintypes.HWND
    library.GetWindowThreadProcessId.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.DWORD)]
    library.IsIconic.argtypes = [wintypes.HWND]
    library.GetWindowRect.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.RECT)]
    library.GetCursorPos.argtypes = [ctypes.POINTER(wintypes.POINT)]
    library.MonitorFromPoint.argtypes = [wintypes.POINT, wintypes.DWORD]
    library.MonitorFromPoint.restype = wintypes.HMONITOR
    library.GetAsyncKeyState.argtypes, library.GetAsyncKeyState.restype = [ctypes.c_int], wintypes.SHORT
    library.SendInput.argtypes = [wintypes.UINT, ctypes.c_void_p, ctypes.c_int]
    library.SendInput.restype = wintypes.UINT
    _declare_windows(library)
    return library


def _declare_windows(library: Any) -> None:
    """Declare the functions of user32 that look at other programs' windows, or make windows."""
    window, context, point = wintypes.HWND, wintypes.HDC, ctypes.POINTER(wintypes.POINT)
    for name in ("IsWindow", "IsWindowVisible", "DestroyWindow", "GetDpiForWindow"):
        with suppress(AttributeError):  # Windows 8 knows of no scale by window
            getattr(library, name).argtypes = [window]
    with suppress(AttributeError):  # as above
        library.GetWindowDpiAwarenessContext.argtypes = [window]
        library.GetWindowDpiAwarenessContext.restype = ctypes.c_void_p
        library.GetAwarenessFromDpiAwarenessContext.argtypes = [ctypes.c_void_p]
    library.SetForegroundWindow.argtypes = [window]
    library.AttachThreadInput.argtypes = [wintypes.DWORD, wintypes.DWORD, wintypes.BOOL]
    library.GetDesktopWindow.restype = window
    library.GetWindowDC.argtypes, library.GetWindowDC.restype = [window], context
    library.ReleaseDC.argtypes = [window, context]
    library.PrintWindow.argtypes = [window, context, wintypes.UINT]
    library.GetWindow.argtypes, library.GetWindow.restype = [window, wintypes.UINT], window
    library.GetWindowLongW.argtypes = [window, ctypes.c_int]
    library.MonitorFromWindow.argtypes = [window, wintypes.DWORD]
    library.MonitorFromWindow.restype = wintypes.HMONITOR
    library.GetMonitorInfoW.argtypes = [wintypes.HMONITOR, ctypes.c_void_p]
    library.CreateWindowExW.argtypes = [
        *(wintypes.DWORD, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD, *[ctypes.c_int] * 4),
        *(window, wintypes.HMENU, wintypes.HINSTANCE, ctypes.c_void_p),
    ]
    library.CreateWindowExW.restype = window
    library.SetWindowPos.argtypes = [window, window, *[ctypes.c_int] * 4, wintypes.UINT]
    library.UpdateLayeredWindow.argtypes = [
        *(window, context, point, point, context, point),
        *(wintypes.DWORD, ctypes.c_void_p, wintypes.DWORD),
    ]
    library.PeekMessageW.argtypes = [ctypes.POINTER(wintypes.MSG), window, *[wintypes.UINT] * 3]
    library.DispatchMessageW.argtypes = [ctypes.POINTER(wintypes.MSG)]
    library.DispatchMessageW.restype = ctypes.c_ssize_t
    library.SetWindowDisplayAffinity.argtypes = [window, wintypes.DWORD]


@cache
def gdi32() -> Any:
    """The library that draws, its functions declared that pictures in memory need."""
    library = _load_library("gdi32")
    context, handle, number = wintypes.HDC, wintypes.HGDIOBJ, ctypes.c_int
    library.CreateCompatibleDC.argtypes, library.CreateCompatibleDC.restype = [context], context
    library.DeleteDC.argtypes, library.DeleteObject.argtypes = [context], [handle]
    library.SelectObject.argtypes, library.SelectObject.restype = [context, handle], handle
    library.CreateDIBSection.argtypes = [
        *(context, ctypes.c_void_p, wintypes.UINT, ctypes.POINTER(ctypes.c_void_p)),
        *(wintypes.HANDLE, wintypes.DWORD),
    ]
    library.CreateDIBSection.restype = wintypes.HBITMAP
    library.BitBlt.argtypes = [context, *[number] * 4, context, number, number, wintypes.DWORD]
    return library


@cache
def _shcore() -> Any:
    """The library that knows of scaling."""
    library = _load_library("shcore")
    library.GetDpiForMonitor.argtypes = [wintypes.HMONITOR, ctypes.c_int, *[ctypes.POINTER(wintypes.UINT)] * 2]
    return library


@cache
def dwmapi() -> Any:
    """The library that puts the screen together of windows."""
    library = _load_library("dwmapi")
    library.DwmGetWindowAttribute.argtypes = [wintypes.HWND, wintypes.DWORD, ctypes.c_void_p, wintypes.DWORD]
    return library


def _load_library(name: str) -> Any:
    library: Any = ctypes.WinDLL(name, use_last_error=True)  # type: ignore[attr-defined,unused-ignore] # there only
    return library


def _window_at(pixel: Pixel) -> int | None:
    """The window, or part of one, that shows at a pixel, None where there is none."""
    found: int | None = user32().WindowFromPoint(wintypes.POINT(pixel.x, pixel.y))
    return found


def _whole_window(window: int | None) -> int | None:
    """The whole window that something is a part of, None for nothing."""
    return user32().GetAncestor(window, _ROOT_WINDOW) or None if window else None


def whole_window_at(pixel: Pixel) -> int | None:
    """The whole window that shows at a pixel, None where there is none."""
    return _whole_window(_window_at(pixel))


def is_on_a_monitor(pixel: Pixel) -> bool:
    """Whether any monitor shows a pixel."""
    return bool(user32().MonitorFromPoint(wintypes.POINT(pixel.x, pixel.y), _NO_OTHER_MONITOR))


def place_of(window: int) -> Region | None:
    """Where a whole window is with its frame, None where it is closed, or an icon."""
    at = wintypes.RECT()
    if user32().IsIconic(window) or not user32().GetWindowRect(window, ctypes.byref(at)):
        return None
    return Region(at.left, at.top, at.right - at.left, at.bottom - at.top)


def pointer() -> Pixel | None:
    """Where the pointer is, None where Windows does not say, as on a locked screen."""
    at = wintypes.POINT()
    return Pixel(at.x, at.y) if user32().GetCursorPos(ctypes.byref(at)) else None


def dots_per_inch_of(monitor: Any) -> int | None:
    """How many dots Windows counts an inch on a monitor, 96 at 100 %; None where it does not say."""
    across, down = wintypes.UINT(), wintypes.UINT()
    failed = _shcore().GetDpiForMonitor(monitor, _AS_SHOWN, ctypes.byref(across), ctypes.byref(down))
    return None if failed else across.value


@cache
def use_true_pixels() -> None:
    """Have Windows count this process's pixels as the monitors do, whatever their scale.

    Only the first who asks is heard, and mss, pyautogui and pyscreeze ask too, for less: call it before they are
    imported. Version 2 (Windows 10 of 2017) also holds for monitors that change their scale meanwhile. Where a person
    has set Python to something else, that holds, and a line says so.
    """
    try:
        is_declared = bool(user32().SetProcessDpiAwarenessContext(_PER_MONITOR_2))
    except AttributeError:  # Windows 8
        is_declared = False
    if not is_declared:
        _shcore().SetProcessDpiAwareness(_PER_MONITOR)
    if _awareness() not in _TRUE_PIXELS:
        tell(f"Windows counts pixels by its own scaling here ({_awareness()}): a scaled monitor may be clicked beside")


def _awareness() -> str:
    """By what Windows counts this process's pixels: "per monitor, version 2" or 1, "system" or "none"."""
    try:
        ask = user32().GetThreadDpiAwarenessContext
        ask.restype = ctypes.c_void_p
        context = ctypes.c_void_p(ask())
        if user32().AreDpiAwarenessContextsEqual(context, _PER_MONITOR_2):
            return "per monitor, version 2"
        return _AWARENESS[user32().GetAwarenessFromDpiAwarenessContext(context)]
    except AttributeError:  # Windows 8
        level = ctypes.c_int()
        _shcore().GetProcessDpiAwareness(None, ctypes.byref(level))
        return _AWARENESS[level.value]


class WindowsMachine(Machine):
    """A machine with Windows."""

    def describe(self) -> str:
        return "Windows"

    def describe_permissions(self) -> str:
        return "none are needed, but a game that runs as administrator can be clicked only by one that does, too"

    def check_mouse(self) -> None:
        """The mouse can be tried."""

    def scale_of(self, monitor: Region) -> float | None:
        middle = wintypes.POINT(monitor.middle.x, monitor.middle.y)
        dots_per_inch = dots_per_inch_of(user32().MonitorFromPoint(middle, NEAREST_MONITOR))
        return None if dots_per_inch is None else dots_per_inch / _DOTS_PER_INCH_AT_100

    def scale_settings(self) -> list[str]:
        """By what Windows counts this process's pixels, beside the monitors' own scales."""
        use_true_pixels()
        return [f"DPI awareness={_awareness()}"]


class WindowsPrograms:
    """Asks Windows, and keeps asking who has the keyboard: a click of the bot's may take it back soon after."""

    def __init__(self) -> None:
        self._turned_to: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._is_closed = threading.Event()
        self._asking = threading.Thread(target=self._keep_asking, daemon=True)
        self._asking.start()

    def focused(self) -> int | None:
        return _process_of(user32().GetForegroundWindow())

    def turned_to(self) -> list[int]:
        """The processes that got the keyboard since this was asked last, for some milliseconds at least."""
        found: list[int] = []
        with suppress(queue.Empty):
            while True:
                found.append(self._turned_to.get_nowait())
        return found

    def at(self, pixel: Pixel) -> int | None:
        return _process_of(_window_at(pixel))

    def focused_window(self) -> int | None:
        return _whole_window(user32().GetForegroundWindow())

    def window_at(self, pixel: Pixel) -> int | None:
        return whole_window_at(pixel)

    def place_of(self, window: int) -> Region | None:
        return place_of(window)

    def has_window(self, window: int) -> bool:
        return bool(user32().IsWindow(window))

    def dialogs(self, window: int) -> list[int]:
        """The windows of the same process that show, and whose owner this one is, or one that does not show."""
        program = _process_of(window)
        return dialogs_of(
            window,
            {
                other: user32().GetWindow(other, _OWNER) or None
                for other in _all_windows()
                if user32().IsWindowVisible(other) and _process_of(other) == program
            },
        )

    def activate(self, window: int) -> None:
        """Bring it to the front: Windows lets only who shares its input with the window in front do that."""
        own = _load_library("kernel32").GetCurrentThreadId()
        in_front = user32().GetForegroundWindow()
        other = user32().GetWindowThreadProcessId(in_front, None) if in_front else 0
        is_shared = bool(other) and bool(user32().AttachThreadInput(own, other, True))
        user32().SetForegroundWindow(window)
        if is_shared:
            user32().AttachThreadInput(own, other, False)

    def close(self) -> None:
        """Ask no more; returns when nobody asks."""
        self._is_closed.set()
        self._asking.join()

    def _keep_asking(self) -> None:
        before = self.focused()
        while not self._is_closed.wait(_ASK_AGAIN_S):
            now = self.focused()
            if now not in (None, before):
                self._turned_to.put(now)
                before = now


def _all_windows() -> list[int]:
    """All whole windows, the uppermost last."""
    found: list[int] = []

    def note(window: int, _: int) -> bool:
        found.append(window)
        return True

    kind: Any = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)  # type: ignore[attr-defined,unused-ignore] # there only
    user32().EnumWindows(kind(note), 0)
    return found[::-1]


def _process_of(window: int | None) -> int | None:
    if not window:
        return None
    number = wintypes.DWORD()
    user32().GetWindowThreadProcessId(window, ctypes.byref(number))
    return int(number.value) or None
