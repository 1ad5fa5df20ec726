"""A window manager for a virtual screen."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager

from patience import PATIENCE_S, wait_until
from Xlib import X
from Xlib.display import Display


@contextmanager
def openbox(display_name):
    """Run openbox on a display during the block, which begins once it manages windows."""
    quiet = subprocess.DEVNULL
    manager = subprocess.Popen(["openbox"], env={**os.environ, "DISPLAY": display_name}, stdout=quiet, stderr=quiet)
    try:
        _wait_for_window_manager(display_name)
        yield
    finally:
        manager.terminate()
        manager.wait(timeout=PATIENCE_S)


def _wait_for_window_manager(display_name):
    """Wait until a window manager says that it is there: a window that comes up earlier may get lost to it."""
    display = Display(display_name)
    try:
        check = display.intern_atom("_NET_SUPPORTING_WM_CHECK")
        wait_until(
            lambda: display.screen().root.get_full_property(check, X.AnyPropertyType) is not None,
            "openbox did not start",
        )
    finally:
        display.close()
