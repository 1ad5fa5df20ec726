"""The mouse on Windows, at the edge to user32: what it is asked to do, and what is made of its answers."""

from __future__ import annotations

import ctypes

import pytest

from bot.errors import ScreenError
from bot.models import Button, Click, Pixel
from bot.ports import windows as asked_of_windows
from bot.ports import windows_mouse
from bot.ports.windows_mouse import WindowsMouse

MOVE, LEFT_DOWN, LEFT_UP, RIGHT_DOWN, RIGHT_UP = 0xC001, 0x2, 0x4, 0x8, 0x10
MIDDLE_DOWN, MIDDLE_UP = 0x20, 0x40


class Windows:
    """Two monitors, the second left of the first and higher; a pointer, told of late at times; and what was sent."""

    desktop = (-1920, -200, 3840, 1280)

    def __init__(self):
        self.at = (100, 100)
        self.late = []
        self.sent = []
        self.exchanged = 0
        self.refuses = False
        self.window = (0, 0)
        self.is_icon = False

    def WindowFromPoint(self, point):  # noqa: N802 - Windows' own name
        left, top = self.window
        return 7 if left <= point.x < left + 500 and top <= point.y < top + 500 else None

    def GetAncestor(self, window, which):  # noqa: N802 - as above
        assert (window, which) == (7, 2)
        return 70

    def IsIconic(self, window):  # noqa: N802 - as above
        return int(window == 70 and self.is_icon)

    def GetWindowRect(self, window, place):  # noqa: N802 - as above
        if window != 70 or self.window is None:
            return 0
        place._obj.left, place._obj.top = self.window
        return 1

    def GetSystemMetrics(self, which):  # noqa: N802 - Windows' own name
        return {23: self.exchanged, **dict(zip((76, 77, 78, 79), self.desktop, strict=True))}[which]

    def GetCursorPos(self, point):  # noqa: N802 - as above
        point._obj.x, point._obj.y = self.late.pop(0) if self.late else self.at
        return 1

    def SetCursorPos(self, x, y):  # noqa: N802 - as above
        self.at = self.at if self.refuses else (x, y)
        return int(not self.refuses)

    def SendInput(self, n_events, inputs, size):  # noqa: N802 - as above
        assert size == ctypes.sizeof(windows_mouse._Input)
        if self.refuses:
            return 0
        events = [event.mouse for event in inputs._obj]
        assert len(events) == n_events
        for event in events:
            if event.flags == MOVE:  # as documented: so many steps in 65536 across all monitors
                left, top, width, height = self.desktop
                self.at = (left + event.dx * width // 65536, top + event.dy * height // 65536)
        self.sent.append([(event.flags, self.at) for event in events])
        return n_events


@pytest.fixture
def windows(monkeypatch):
    fake = Windows()
    for module in (asked_of_windows, windows_mouse):
        monkeypatch.setattr(module, "user32", lambda: fake)
    return fake


@pytest.mark.parametrize(
    ("button", "flags"),
    [
        (Button.LEFT, [LEFT_DOWN, LEFT_UP]),
        (Button.RIGHT, [RIGHT_DOWN, RIGHT_UP]),
        (Button.MIDDLE, [MIDDLE_DOWN, MIDDLE_UP]),
        (Button.BOTH, [LEFT_DOWN, RIGHT_DOWN, LEFT_UP, RIGHT_UP]),
    ],
)
def test_click_is_one_message_that_moves_presses_and_releases(windows, button, flags):
    WindowsMouse().click(Click(Pixel(-7, 911), button))
    (message,) = windows.sent
    assert message == [(flag, (-7, 911)) for flag in [MOVE, *flags]]


def test_every_pixel_of_every_monitor_is_met(windows):
    left, top, width, height = windows.desktop
    mouse = WindowsMouse()
    for x in range(left, left + width):
        pixel = Pixel(x, top + (x * 7) % height)
        windows.sent.clear()
        mouse.click(Click(pixel, Button.LEFT))
        assert windows.sent[0][1] == (LEFT_DOWN, pixel)


def test_buttons_exchanged_by_a_person_are_exchanged_back(windows):
    windows.exchanged = 1
    WindowsMouse().click(Click(Pixel(5, 5), Button.LEFT))
    assert [flag for flag, _ in windows.sent[0]] == [MOVE, RIGHT_DOWN, RIGHT_UP]


def test_a_person_who_moved_the_pointer_is_given_it_back_after_the_click(windows):
    mouse = WindowsMouse()
    mouse.move(Pixel(40, 40))
    assert mouse.position() == (40, 40)
    windows.at = (700, 300)
    mouse.click(Click(Pixel(60, 60), Button.LEFT))
    assert windows.sent[0][1] == (LEFT_DOWN, (60, 60))
    assert mouse.position() == (700, 300)


def test_the_pointer_stays_where_a_click_was_made(windows):
    mouse = WindowsMouse()
    for x in (40, 60, 80):
        mouse.click(Click(Pixel(x, 5), Button.LEFT))
        assert mouse.position() == (x, 5)


def test_a_place_that_is_told_of_late_is_no_persons(windows):
    mouse = WindowsMouse()
    for x in (40, 60):
        mouse.move(Pixel(x, 5))
    windows.late = [(40, 5)] * 3
    assert mouse.position() == (60, 5)
    windows.late = [(40, 5)]
    mouse.click(Click(Pixel(80, 5), Button.LEFT))
    assert windows.at == (80, 5), "nobody is given anything back"


def test_click_follows_the_window_it_is_meant_for(windows):
    mouse = WindowsMouse()
    mouse.follow(Pixel(100, 100))
    windows.window = (40, -30)
    assert mouse.click(Click(Pixel(60, 60), Button.LEFT)) == (100, 30)
    assert windows.sent[0][1] == (LEFT_DOWN, (100, 30))
    assert mouse.position() == (100, 30)


@pytest.mark.parametrize("fate", ["closed", "icon", "none"])
def test_click_goes_to_its_place_on_the_screen_where_there_is_no_window_to_follow(windows, fate):
    mouse = WindowsMouse()
    mouse.follow(Pixel(100, 100) if fate != "none" else Pixel(900, 900))
    windows.window = None if fate == "closed" else (40, -30)
    windows.is_icon = fate == "icon"
    assert mouse.click(Click(Pixel(60, 60), Button.LEFT)) == (60, 60)


@pytest.mark.parametrize("act", [lambda mouse: mouse.move(Pixel(1, 1)), lambda mouse: mouse.click(Click(Pixel(1, 1)))])
def test_what_windows_refuses_is_an_error_that_says_what_to_do(windows, act):
    windows.refuses = True
    with pytest.raises(ScreenError, match="administrator"):
        act(WindowsMouse())
