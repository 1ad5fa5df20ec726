"""What a machine says about itself, at the edge to Windows and macOS; X11 is asked for real by the doctor's tests."""

from __future__ import annotations

import ctypes

import pytest

from bot.errors import ScreenError
from bot.models import Region
from bot.ports import machine as machine_module
from bot.ports.machine import MacMachine, WindowsMachine
from bot.ports.session import has_display

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
    monkeypatch.setattr(machine_module, "user32", User32)
    monkeypatch.setattr(machine_module, "shcore", Shcore)
    return WindowsMachine()


def test_scale_on_windows_is_the_monitors_own(windows):
    assert windows.scale_of(SECOND_MONITOR) == 1.5


def test_scale_on_windows_is_unknown_where_windows_does_not_say(windows, monkeypatch):
    assert windows.scale_of(Region(0, 0, 1920, 1080)) is None

    def no_such_library():
        raise OSError

    monkeypatch.setattr(machine_module, "shcore", no_such_library)
    assert windows.scale_of(SECOND_MONITOR) is None


class Services:
    """macOS's own library, by which some permissions are granted."""

    def __init__(self, granted):
        self.granted = granted

    def __getattr__(self, name):
        def ask():
            assert ask.restype is ctypes.c_bool, "an int would take what is left in the register's other bytes"
            return name in self.granted

        return ask


SCREEN, CONTROL, LISTEN = "CGPreflightScreenCaptureAccess", "AXIsProcessTrusted", "CGPreflightListenEventAccess"


def test_permissions_on_macos_are_asked_for_without_a_dialog(monkeypatch):
    monkeypatch.setattr(machine_module, "_load", lambda _path: Services({SCREEN, CONTROL, LISTEN}))
    assert MacMachine().describe_permissions() == "Screen Recording, Accessibility and Input Monitoring are granted"


@pytest.mark.parametrize(
    ("granted", "missing"),
    [
        ({CONTROL, LISTEN}, "Screen Recording"),
        ({SCREEN}, "Accessibility, Input Monitoring"),
        (set(), "Screen Recording, Accessibility, Input Monitoring"),
    ],
)
def test_permissions_that_macos_lacks_are_named_with_where_to_grant_them(monkeypatch, granted, missing):
    monkeypatch.setattr(machine_module, "_load", lambda _path: Services(granted))
    with pytest.raises(ScreenError) as told:
        MacMachine().describe_permissions()
    detail, _, fix = str(told.value).partition("\n")
    assert detail == f"missing: {missing}"
    assert fix.startswith(f"System Settings > Privacy & Security: allow the terminal under {missing.split(',')[0]}")


@pytest.mark.parametrize(
    ("variables", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "win32", True),
        ({}, "darwin", True),
    ],
)
def test_has_display(variables, platform, expected):
    assert has_display(variables, platform) is expected
