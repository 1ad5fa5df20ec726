"""A window manager for a virtual screen."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import contextmanager

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
        manager.wait(timeout=10)


def _wait_for_window_manager(display_name):
    """Wait until a window manager says that it is there: a window that comes up earlier may get lost to it."""
    display = Display(display_name)
    try:
        check = display.intern_atom("_NET_SUPPORTING_WM_CHECK")
        deadline = time.monotonic() + 20
        while display.screen().root.get_full_property(check, X.AnyPropertyType) is None:
            assert time.monotonic() < deadline, "openbox did not start within 20 s"
            time.sleep(0.05)
    finally:
        display.close()
