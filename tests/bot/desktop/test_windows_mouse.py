"""The mouse on Windows, at the edge to user32: what it is asked to do, and what is made of its answers."""

from __future__ import annotations

import ctypes

import pytest

from bot.desktop.win32 import input as windows_input
from bot.desktop.win32 import system
from bot.desktop.win32.input import WindowsMouse
from bot.errors import ScreenError
from bot.models import Button, Click, Held, Pixel, Refusal

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
        self.on_top = None
        self.down = set()

    def GetAsyncKeyState(self, code):  # noqa: N802 - Windows' own name
        return -0x8000 if code in self.down else 1

    def WindowFromPoint(self, point):  # noqa: N802 - Windows' own name
        left, top = self.window or (10**6, 10**6)
        if self.on_top is not None:
            return self.on_top
        return 7 if left <= point.x < left + 500 and top <= point.y < top + 500 else None

    def MonitorFromPoint(self, point, otherwise):  # noqa: N802 - as above
        assert otherwise == 0
        is_first = 0 <= point.x < 1920 and 0 <= point.y < 1080
        return int(is_first or (-1920 <= point.x < 0 and -200 <= point.y < 880))

    def GetAncestor(self, window, which):  # noqa: N802 - as above
        assert which == 2
        return 10 * window

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
        assert size == ctypes.sizeof(windows_input._Input)
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
    for module in (system, windows_input):
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


@pytest.mark.parametrize("fate", ["closed", "icon", "covered"])
def test_click_is_refused_where_the_window_it_is_meant_for_does_not_show(windows, fate):
    mouse = WindowsMouse()
    mouse.follow(Pixel(100, 100))
    windows.window = None if fate == "closed" else (0, 0)
    windows.is_icon = fate == "icon"
    windows.on_top = 8 if fate == "covered" else None
    assert mouse.click(Click(Pixel(60, 60), Button.LEFT)) is Refusal.COVERED
    assert windows.sent == []
    assert windows.at == (100, 100), "not even the pointer is moved"


@pytest.mark.parametrize("corner", [(1800, 0), (0, 1000), (-1000, -400), (0, -200)])
def test_click_in_a_part_of_a_window_that_no_monitor_shows_is_refused(windows, corner):
    mouse = WindowsMouse()
    mouse.follow(Pixel(100, 100))
    windows.window = corner
    assert mouse.click(Click(Pixel(150, 150), Button.LEFT)) is Refusal.COVERED
    assert windows.sent == []


def test_click_beside_all_windows_is_refused_where_one_has_come_up(windows):
    mouse = WindowsMouse()
    mouse.follow(Pixel(900, 900))
    assert mouse.click(Click(Pixel(900, 900))) == (900, 900)
    windows.on_top = 8
    assert mouse.click(Click(Pixel(900, 900))) is Refusal.COVERED


@pytest.mark.parametrize(
    ("codes", "held"),
    [
        ({0x10}, Held(("Shift",))),
        ({0x11, 0x12}, Held(("Ctrl", "Alt"))),
        ({0x5C}, Held(("Windows",))),
        ({0x01}, Held(has_button=True)),
        ({0x06, 0x10}, Held(("Shift",), has_button=True)),
    ],
)
def test_click_is_refused_while_a_person_holds_a_key_or_a_button(windows, codes, held):
    mouse = WindowsMouse()
    windows.down = codes
    assert mouse.held() == held
    assert mouse.click(Click(Pixel(60, 60))) is Refusal.HELD
    assert windows.sent == []
    windows.down = {0x14, 0x90, 0x41}  # Caps Lock, Num Lock and a letter make no other click of it
    assert mouse.click(Click(Pixel(60, 60))) == (60, 60)


@pytest.mark.parametrize("act", [lambda mouse: mouse.move(Pixel(1, 1)), lambda mouse: mouse.click(Click(Pixel(1, 1)))])
def test_what_windows_refuses_is_an_error_that_says_what_to_do(windows, act):
    windows.refuses = True
    with pytest.raises(ScreenError, match="administrator"):
        act(WindowsMouse())
