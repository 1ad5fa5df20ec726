"""What is made of KWin's word on windows. The test plays KWin's side of the bus; `portal_games` has the real one."""

from __future__ import annotations

import json
from collections import deque
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from bot.desktop.portal import kwin
from bot.desktop.portal.kwin import KwinWindows
from bot.desktop.wayland.outputs import place_outputs
from bot.models import Region

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
    """Has KWin tell of these windows; returns the list of who asks then."""

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
