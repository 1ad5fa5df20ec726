"""The desktop of an X server. This module needs no Xlib; the others here do."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from ctypes.util import find_library
from importlib.util import find_spec
from shutil import which
from typing import TYPE_CHECKING

from bot.desktop.general import GeneralDesktop
from bot.errors import ScreenError
from bot.last_resort import leave

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from bot.desktop.protocols import HotKey, HotKeyOwner, HotKeys, Keyboard, Machine, Mouse, Overlay, Programs
    from bot.desktop.x11.watch import X11Watch
    from bot.models import Pixel

_LIBRARY = "libX11.so.6"
_CAPTURED_WITH = ("xcb-randr", "xcb-render", "xcb-shm", "xcb-xfixes")  # the libraries that mss loads by these names
_OLDEST_XLIB = (0, 33)  # the oldest version of python-xlib that this package works with
_kept: list[Any] = []  # what Xlib calls must stay in memory


class X11Desktop(GeneralDesktop):
    """The desktop of the X server that DISPLAY names.

    Args:
        environment: the environment variables to judge by; the process's own when None.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment

    def has_display(self) -> bool:
        """Whether there is any screen; a Wayland session has one, which the bot cannot use."""
        return bool(self._environment.get("DISPLAY") or self._environment.get("WAYLAND_DISPLAY"))

    def require_parts(self, *, has_screen: bool) -> None:
        """Make sure of what Debian does not bring by itself, nor any Python package, and of Xlib."""
        needed = {"python3-tk": find_spec("_tkinter"), "xvfb": has_screen or which("Xvfb")}
        needed |= {f"lib{name}0": find_library(name) for name in _CAPTURED_WITH}
        missing = [package for package, found in needed.items() if not found]
        if missing:
            raise ScreenError(
                f"this machine lacks what the built-in game and the bot need, by Debian's names: {', '.join(missing)}\n"
                f"Debian, Ubuntu: sudo apt-get install {' '.join(missing)}"
            )
        _require_xlib()

    def prepare(self) -> None:
        """Make sure that there is a display that programs may capture and click, and of Xlib.

        Raises:
            ScreenError: there is none, or it is Wayland's, which lets no program see or click other windows; or another
                Xlib lies over python-xlib.
        """
        env = self._environment
        if env.get("WAYLAND_DISPLAY") or env.get("XDG_SESSION_TYPE") == "wayland":
            raise ScreenError(
                "this is a Wayland session: it lets no program see or click another program's window, but by portals "
                "or wlroots' protocols, and neither answers here.\n"
                "GNOME, KDE: install xdg-desktop-portal-gnome or xdg-desktop-portal-kde. Else choose an X11 (Xorg) "
                "session, or try the bot on a virtual screen: minebot demo --headless.\n"
                "Pictures can be read here: minebot read IMAGE."
            )
        if not env.get("DISPLAY"):
            raise ScreenError(
                "there is no display: DISPLAY is not set.\n"
                "Start it in a desktop session, or on a virtual screen (Debian: apt-get install xvfb; "
                "xvfb-run minebot play), or see it play on its own one: minebot demo --headless."
            )
        _require_xlib()

    def prepare_own_window(self) -> None:
        """Have Xlib itself, which Tk uses, end this process as after a `ScreenError` when its X server goes away.

        Where Xlib is built into Tk, it cannot be reached: the process still ends with exit code 1.
        """
        with suppress(OSError):
            xlib = ctypes.CDLL(_LIBRARY)
            handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_end_process)
            _kept.append(handler)
            xlib.XSetIOErrorHandler(handler)

    def machine(self) -> Machine:
        from bot.desktop.x11.system import X11Machine

        return X11Machine(self.prepare)

    def mouse(self) -> Mouse:
        self.prepare()
        from bot.desktop.x11.input import X11Mouse

        return X11Mouse()

    def keyboard(self) -> Keyboard:
        self.prepare()
        from bot.desktop.general.input import x11_codes
        from bot.desktop.x11.input import X11Keyboard

        return X11Keyboard(x11_codes)

    def programs(self) -> Programs:
        self.prepare()
        from bot.desktop.x11.system import X11Programs

        return X11Programs()

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        self.prepare()
        from bot.desktop.x11.hotkeys import X11HotKeys

        return X11HotKeys(keys, owner)

    def _overlay_kinds(self) -> tuple[Callable[[Pixel], X11Watch], Callable[[X11Watch], Overlay]]:
        self.prepare()
        from bot.desktop.x11.overlay import X11Overlay
        from bot.desktop.x11.watch import X11Watch

        return X11Watch, X11Overlay


def _require_xlib() -> None:
    """Make sure that the package `Xlib` is python-xlib's.

    pyautogui asks for python3-xlib too, which is ten years older and writes the same files. Which is there depends on
    the installer: uv puts the older one last where it has to build it first.

    Raises:
        ScreenError: python3-xlib lies over python-xlib; says how to put it right.
    """
    import Xlib

    if Xlib.__version__ >= _OLDEST_XLIB:
        return
    if find_spec("pip"):
        command = f"{sys.executable} -m pip install --force-reinstall --no-deps python-xlib"
    else:
        command = f"uv pip install --python {sys.prefix} --reinstall --no-deps python-xlib"
    raise ScreenError(
        f"python-xlib was overwritten by the older python3-xlib, which pyautogui asks for.\nInstall it again: {command}"
    )


def _end_process(_display: int | None) -> int:
    leave(ScreenError("the X server is gone, and the window with it"))
