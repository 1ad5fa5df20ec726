"""Who has the keyboard on Windows, at the edge to user32: also who had it between two questions."""

from __future__ import annotations

import time

import pytest

from bot.ports import programs as programs_module
from bot.ports.programs import WindowsPrograms


class User32:
    """Windows 10, 20, ... of the processes 1, 2, ...; the one in front is where a test puts it."""

    def __init__(self):
        self.front = 10

    def GetForegroundWindow(self):  # noqa: N802 - Windows' own name
        return self.front

    def GetWindowThreadProcessId(self, window, number):  # noqa: N802 - as above
        number._obj.value = window // 10


@pytest.fixture
def windows(monkeypatch):
    fake = User32()
    monkeypatch.setattr(programs_module, "user32", lambda: fake)
    return fake


def test_programs_on_windows_tell_who_had_the_keyboard_in_between(windows):
    asked = WindowsPrograms()
    for front in (10, 20, None, 20, 30, 10):
        windows.front = front
        time.sleep(0.05)
    assert asked.focused() == 1
    assert asked.turned_to() == [2, 3, 1]
    assert asked.turned_to() == []
    asked.close()
    time.sleep(0.05)
    windows.front = 20
    time.sleep(0.05)
    assert asked.turned_to() == []
