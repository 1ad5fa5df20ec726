"""Who has the keyboard on Windows, at the edge to user32: also who had it between two questions."""

from __future__ import annotations

import threading

import pytest

from bot.desktop.win32 import system
from bot.desktop.win32.system import WindowsPrograms


class User32:
    """Windows 10, 20, ... of the processes 1, 2, ...; the one in front is where a test puts it."""

    def __init__(self):
        self.front = 10
        self._asked = threading.Condition()
        self._n_asked = 0

    def GetForegroundWindow(self):  # noqa: N802 - Windows' own name
        with self._asked:
            self._n_asked += 1
            self._asked.notify_all()
            return self.front

    def put_in_front(self, window):
        """Returns when that has been seen: the second question from now on is asked after the first was understood."""
        with self._asked:
            self.front = window
            due = self._n_asked + 2
            assert self._asked.wait_for(lambda: self._n_asked >= due, 30)

    def GetWindowThreadProcessId(self, window, number):  # noqa: N802 - as above
        number._obj.value = window // 10


@pytest.fixture
def windows(monkeypatch):
    fake = User32()
    monkeypatch.setattr(system, "user32", lambda: fake)
    return fake


def test_programs_on_windows_tell_who_had_the_keyboard_in_between(windows):
    asked = WindowsPrograms()
    for front in (10, 20, None, 20, 30, 10):
        windows.put_in_front(front)
    assert asked.focused() == 1
    assert asked.turned_to() == [2, 3, 1]
    assert asked.turned_to() == []
    asked.close()


def test_programs_on_windows_ask_no_more_once_they_are_closed(windows):
    before = set(threading.enumerate())
    asked = WindowsPrograms()
    (thread,) = set(threading.enumerate()) - before
    asked.close()
    assert not thread.is_alive()
