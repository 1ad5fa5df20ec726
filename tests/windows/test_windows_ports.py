"""The ports on Windows' own functions, under wine: they are what the bot takes them for."""

from __future__ import annotations

import pytest
from patience import PATIENCE_S

pytestmark = [pytest.mark.windows, pytest.mark.screen]

EVERY_COLUMN_AND_ROW = """
from bot.desktop import this_platform
from bot.models import Pixel
screen, mouse = this_platform().screen(), this_platform().mouse()
everything = screen.grab().region
assert (everything.width, everything.height) == (1280, 1024), everything
for n in range(1280):
    pixel = Pixel(n, 1023 - n * 4 // 5)
    mouse.move(pixel)
    assert mouse.position() == pixel, (pixel, mouse.position())
print("done")
"""
TWO_MOVES_IN_A_BREATH = """
import time
from bot.desktop import this_platform
from bot.models import Pixel
mouse = this_platform().mouse()
mouse.move(Pixel({x}, {y}))
time.sleep(0.3)
for n in range(400):
    elsewhere, there = Pixel({x} + 50 + n % 40, {y} + n % 5), Pixel({x} + n % 40, {y} + n % 7)
    for pixel in (elsewhere, there):
        mouse.move(pixel)
    at = mouse.position()
    assert at == there, (n, elsewhere, there, at)
    time.sleep(0.002)
print("done")
"""
TRUE_PIXELS = """
import ctypes
from bot.desktop import this_platform
this_platform().screen()
user32 = ctypes.WinDLL("user32")
user32.GetThreadDpiAwarenessContext.restype = ctypes.c_void_p
context = ctypes.c_void_p(user32.GetThreadDpiAwarenessContext())
assert user32.GetAwarenessFromDpiAwarenessContext(context) == 2, "true pixels on each monitor"
print("done")
"""
KEYS_ARE_HEARD_ONCE_STARTED = """
import time
from pynput._util.win32 import SystemHook
from bot.desktop import this_platform
from bot.playing.control import Control
enter = SystemHook.__enter__
def enter_late(hook):
    time.sleep(0.5)
    return enter(hook)
SystemHook.__enter__ = enter_late
control = Control(start_key="shift", abort_key="f10")
keys = this_platform().hot_keys(control.hot_keys(), control)
keys.start()
this_platform().keyboard().tap_unseen("shiftleft")
time.sleep(0.5)
keys.stop()
assert control.is_running or control.n_pauses, "the first key after the start was not heard"
print("done")
"""
OWN_KEYS_ARE_NO_ORDERS = """
import time
from bot.desktop import HotKey, this_platform
from bot.playing.control import Control
heard = []
names = ("esc", "f10", "ctrl+s", "num_5")
keys = this_platform().hot_keys([HotKey(name, lambda name=name: heard.append(name)) for name in names], Control())
keys.start()
keyboard = this_platform().keyboard()
with keyboard.keeping(keys):
    for name in ("escape", "alt+f10", "ctrl+s", "num5"):
        assert keyboard.press(name, 0)
    time.sleep(0.5)
    assert heard == [], heard
    for name in ("escape", "f10", "s", "ctrl+s", "num5", "escape"):  # unmarked, as other programs press
        keyboard.tap_unseen(name)
    time.sleep(0.5)
keys.stop()
assert heard == ["esc", "f10", "ctrl+s", "num_5", "esc"], heard
print("done")
"""
PROGRAMS = """
import subprocess, sys, time
from bot.models import Pixel
from bot.desktop import this_platform
asked = this_platform().programs()
cell, nowhere = Pixel({x}, {y}), Pixel(1200, 1000)
mine, window = asked.at(cell), asked.window_at(cell)
assert mine and window
assert asked.at(nowhere) != mine and asked.window_at(nowhere) != window
assert asked.focused() == mine, (asked.focused(), mine)
assert asked.focused_window() == window
assert asked.place_of(window).has_pixel(cell) and not asked.place_of(window).has_pixel(nowhere)
import ctypes
ctypes.WinDLL("user32").ShowWindow(ctypes.c_void_p(window), 6)  # to an icon
time.sleep(1)
assert asked.window_at(cell) != window
assert asked.focused_window() != window
assert asked.place_of(window) is None and asked.place_of(0x7FFFFFF0) is None
assert asked.has_window(window) and not asked.has_window(0x7FFFFFF0)
assert asked.dialogs(window) == [] and asked.dialogs(0x7FFFFFF0) == []
print("done")
"""


def run(desktop, code):
    with desktop.running("-c", code) as process:
        output, remarks = process.communicate(timeout=PATIENCE_S)
    assert output.strip() == "done", remarks


@pytest.mark.parametrize("code", [EVERY_COLUMN_AND_ROW, TRUE_PIXELS])
def test_pixels_on_windows_are_those_of_the_screen(desktop, code):
    run(desktop, code)


@pytest.mark.safety
def test_keys_on_windows_are_heard_once_the_hot_keys_have_started(desktop):
    run(desktop, KEYS_ARE_HEARD_ONCE_STARTED)


@pytest.mark.safety
def test_keys_on_windows_that_the_bot_presses_itself_are_no_orders_and_all_others_are(desktop):
    run(desktop, OWN_KEYS_ARE_NO_ORDERS)


def test_pointer_on_windows_is_where_it_was_sent_over_the_window_of_a_game(desktop):
    with desktop.wine.winemine("expert") as window:  # it tells Windows of each move once more, later
        left, top, _, _ = window.board
        run(desktop, TWO_MOVES_IN_A_BREATH.format(x=left + 8, y=top + 8))


def test_programs_on_windows_are_told_apart_and_icons_show_nowhere(desktop):
    with desktop.wine.winemine("beginner") as window:
        left, top, _, _ = window.board
        run(desktop, PROGRAMS.format(x=left + 8, y=top + 8))
