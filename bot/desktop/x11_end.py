"""The end of an X server, for programs that use Xlib itself, as Tk does: Xlib would end the process in its own way."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from bot.errors import ScreenError
from bot.last_resort import leave

if TYPE_CHECKING:
    from typing import Any

_LIBRARY = "libX11.so.6"
_kept: list[Any] = []
"""What Xlib calls must stay in memory."""


def end_with_the_screen() -> None:
    """Have this process end as after a `ScreenError` when its X server goes away.

    Where Xlib is built into Tk, it cannot be reached: the process still ends with exit code 1.
    """
    try:
        xlib = ctypes.CDLL(_LIBRARY)
    except OSError:
        return
    handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_end)
    _kept.append(handler)
    xlib.XSetIOErrorHandler(handler)


def _end(_display: int | None) -> int:
    leave(ScreenError("the X server is gone, and the window with it"))
