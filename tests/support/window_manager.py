"""A window manager for a virtual screen."""

from __future__ import annotations

import os
import subprocess
import time
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
    """Wait until a window manager manages windows: one that comes up while it starts is lost to it."""
    display = Display(display_name)
    screen = display.screen()
    window = screen.root.create_window(0, 0, 9, 9, 0, screen.root_depth)
    check, state = map(display.intern_atom, ("_NET_SUPPORTING_WM_CHECK", "WM_STATE"))

    def manages():
        window.map()  # once more: what came too early was not noticed
        time.sleep(0.02)
        return window.get_full_property(state, X.AnyPropertyType) is not None

    try:
        wait_until(lambda: screen.root.get_full_property(check, X.AnyPropertyType) is not None, "openbox did not start")
        wait_until(manages, "openbox manages no window")
    finally:
        window.destroy()
        display.close()
