"""What a machine says about itself, at the edge to Windows; X11 is asked for real by the doctor's tests."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
from bot_process import environment

from bot.desktop import this_platform
from bot.desktop.win32 import system
from bot.desktop.win32.system import WindowsMachine
from bot.desktop.x11 import X11Desktop
from bot.errors import ScreenError
from bot.models import Region

ROOT = Path(__file__).resolve().parents[3]
SECOND_MONITOR = Region(-1920, 0, 1920, 1080)


class Shcore:
    """Says 144 dots per inch for one monitor, and fails for all others."""

    def GetDpiForMonitor(self, handle, kind, across, down):  # noqa: N802 - Windows' own name
        assert kind == 0
        across._obj.value = down._obj.value = 144
        return 0 if handle == 5 else 1


class User32:
    """One monitor."""

    def MonitorFromPoint(self, point, nearest):  # noqa: N802 - as above
        assert nearest == 2
        return 5 if (point.x, point.y) == SECOND_MONITOR.middle else 6


@pytest.fixture
def windows(monkeypatch):
    monkeypatch.setattr(system, "user32", User32)
    monkeypatch.setattr(system, "_shcore", Shcore)
    return WindowsMachine()


def test_scale_on_windows_is_the_monitors_own(windows):
    assert windows.scale_of(SECOND_MONITOR) == 1.5


def test_scale_on_windows_is_unknown_where_windows_does_not_say(windows):
    assert windows.scale_of(Region(0, 0, 1920, 1080)) is None


class Windows10:
    """Says yes to one kind of awareness at most, and tells which one holds."""

    versions = 2

    def __init__(self, allowed):
        self.allowed = allowed
        self.asked = []
        self.GetThreadDpiAwarenessContext = lambda: 100 + self.level  # a function of its own: it is given a type

    @property
    def level(self):
        return min(self.allowed, max(self.asked, default=0))

    def SetProcessDpiAwarenessContext(self, context):  # noqa: N802 - Windows' own name
        assert ctypes.c_ssize_t(context.value).value == -4
        self.asked += [3] if self.allowed == 3 else []
        return int(self.allowed == 3)

    def AreDpiAwarenessContextsEqual(self, context, other):  # noqa: N802 - as above
        return int(context.value == 103)

    def GetAwarenessFromDpiAwarenessContext(self, context):  # noqa: N802 - as above
        return context.value - 100

    def SetProcessDpiAwareness(self, level):  # noqa: N802 - as above
        self.asked.append(level)


class Windows8:
    """Knows nothing of contexts."""

    def __init__(self):
        self.level = 0

    def SetProcessDpiAwareness(self, level):  # noqa: N802 - Windows' own name
        self.level = level

    def GetProcessDpiAwareness(self, process, level):  # noqa: N802 - as above
        assert process is None
        level._obj.value = self.level


@pytest.mark.parametrize(
    ("libraries", "expected"),
    [
        (Windows10(allowed=3), "per monitor, version 2"),
        (Windows10(allowed=2), "per monitor, version 1"),
        (Windows10(allowed=1), "system"),
        (Windows10(allowed=0), "none"),
        (Windows8(), "per monitor, version 1"),
    ],
)
def test_pixels_on_windows_are_as_true_as_it_allows_and_others_are_told_of(monkeypatch, capsys, libraries, expected):
    for library in ("user32", "_shcore"):
        monkeypatch.setattr(system, library, lambda: libraries)
    system.use_true_pixels.__wrapped__()
    assert system._awareness() == expected
    told = capsys.readouterr().err
    assert (f"by its own scaling here ({expected})" in told) == (not expected.startswith("per monitor"))


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (X11Desktop({}), False),
        (X11Desktop({"DISPLAY": ":0"}), True),
        (X11Desktop({"WAYLAND_DISPLAY": "wayland-0"}), True),
        (this_platform("win32"), True),
        (this_platform("general"), True),
    ],
)
def test_has_display(platform, expected):
    assert platform.has_display() is expected


@pytest.mark.skipif(sys.platform != "linux", reason="Xlib is of use on X11 only")
def test_older_xlib_over_the_newer_one_is_told_of_before_anything_is_captured(monkeypatch):
    desktop = X11Desktop({"DISPLAY": ":7"})
    desktop.prepare()
    monkeypatch.setattr("Xlib.__version__", (0, 15))
    with pytest.raises(ScreenError, match=r"(?s)overwritten by the older python3-xlib.*install .*python-xlib"):
        desktop.prepare()


@pytest.mark.screen
def test_libraries_that_python_warns_of_are_loaded_without_a_word(bare_display, tmp_path):
    """Python warns of pyautogui's text where it compiles it, as at a newcomer's first start."""
    command = [sys.executable, "-W", "error", "-X", f"pycache_prefix={tmp_path}", "-P", "-c"]
    options = {"cwd": ROOT, "env": environment(bare_display), "capture_output": True, "text": True}
    done = subprocess.run([*command, "import bot.desktop.general.input"], check=False, **options)
    assert (done.returncode, done.stderr) == (0, "")
