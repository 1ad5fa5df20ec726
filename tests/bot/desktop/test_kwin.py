"""What is made of KWin's word on windows. The test plays KWin's side of the bus; `portal_games` has the real one."""

from __future__ import annotations

import json
from collections import deque
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from bot.desktop.portal import kwin
from bot.desktop.portal.kwin import KwinWindows, place_outputs_of
from bot.desktop.wayland.outputs import place_outputs
from bot.errors import ScreenError
from bot.models import Pixel, Region

OUTPUTS = place_outputs([(None, Region(0, 0, 1280, 800), (1280, 800))])
GAME = {"id": "{game}", "pid": 7, "isShown": True, "isFocused": True, "isDialog": False, "place": [300, 200, 400, 300]}
OTHER = GAME | {"id": "{other}", "pid": 8, "isFocused": False, "place": [0, 0, 900, 700]}


class KwinBus:
    """A bus on which KWin has told once of the windows `told`, from the bottom up."""

    told: list

    def __init__(self):
        self.name = ":1.1"

    def call(self, *_):
        return (1,)

    @contextmanager
    def hearing_calls(self):
        yield deque([SimpleNamespace(body=(json.dumps(self.told),))])

    def receive(self, heard, _wait_s):
        return heard.popleft() if heard else None

    def close(self):
        pass


@pytest.fixture
def tell(monkeypatch):
    """A function: KWin tells of the windows given to it. It returns a new list of windows."""

    def open_windows(*told):
        monkeypatch.setattr(KwinBus, "told", told, raising=False)
        return KwinWindows(OUTPUTS)

    monkeypatch.setattr(kwin, "Bus", KwinBus)
    return open_windows


def test_window_has_one_number_for_all_who_ask_whatever_lies_over_it_meanwhile(tell):
    for program in (GAME["pid"], OTHER["pid"]):
        numbers = {
            one.number
            for order in ((GAME,), (GAME, OTHER), (OTHER, GAME))
            for one in tell(*order).windows()
            if one.program == program
        }
        assert len(numbers) == 1


def test_window_that_has_the_keyboard_and_the_one_on_top_are_told(tell):
    windows = tell(OTHER, GAME)
    assert windows.focused().program == GAME["pid"]
    assert windows.window_at(Region(300, 200, 400, 300).middle).program == GAME["pid"]
    assert windows.window_at(Region(0, 0, 900, 700).corner).program == OTHER["pid"]


class TwoMonitors:
    """A session on two outputs, the second right of the first, and KWin, which alone knows that."""

    name = ":1.1"
    middles = ((640, 500), (1280 + 960, 540))

    def __init__(self, n_monitors=2, *, has_input=True):
        sizes = ((1280, 1000), (1920, 1080))
        handles = [SimpleNamespace(size=size) for size in sizes]
        told = [(handle, Region(0, 0, *size), size) for handle, size in zip(handles, sizes, strict=True)]
        self.outputs = place_outputs(told)
        self.has_input = has_input
        self.shows_pointer = True
        self.pointer = (1300, 20)
        self.sent = []
        self._n_monitors = n_monitors

    def point_at(self, output):
        self.pointer = self.middles[self.outputs.index(output)]
        return self.shows_pointer

    def send_pointer(self, pixel):
        self.sent.append(pixel)

    def place(self, corners):
        self.corners = corners
        told = zip(self.outputs, corners, strict=True)
        self.outputs = place_outputs(
            (one.handle, Region(*corner, *one.handle.size), one.handle.size) for one, corner in told
        )

    call = KwinBus.call
    hearing_calls = KwinBus.hearing_calls
    told = ()

    def receive(self, _heard, _wait_s):
        return SimpleNamespace(body=(json.dumps([*self.pointer, self._n_monitors]),))

    def close(self):
        pass


@pytest.fixture
def two_monitors(monkeypatch):
    def make(*args, **options):
        desk = TwoMonitors(*args, **options)
        monkeypatch.setattr(kwin, "Bus", lambda: desk)
        return desk

    return make


def test_outputs_are_where_the_pointer_is_that_is_sent_to_each_and_it_comes_back(two_monitors):
    desk = two_monitors()
    place_outputs_of(desk)
    assert desk.corners == [(0, 0), (1280, 0)]
    assert desk.sent == [Pixel(1300, 20)]


def test_one_monitor_is_where_it_is_and_the_pointer_stays(two_monitors):
    desk = two_monitors(1)
    place_outputs_of(desk)
    assert desk.sent == []
    assert desk.pointer == (1300, 20)


def test_places_of_monitors_are_not_guessed_where_the_pointer_is_not_seen(two_monitors):
    desk = two_monitors()
    desk.shows_pointer = False
    with pytest.raises(ScreenError, match="move the mouse"):
        place_outputs_of(desk)


def test_places_of_monitors_are_not_guessed_without_a_mouse(two_monitors):
    with pytest.raises(ScreenError, match="allow it: minebot doctor --ask"):
        place_outputs_of(two_monitors(has_input=False))
