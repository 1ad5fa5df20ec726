"""What cannot be learned is said, and nothing is made of it: pictures that move, rules that are others."""

import random

import numpy as np
import pytest
from player_table import BEGINNER, CLASSIC
from unknown_clone import UnknownClone, simulate_all_time

from bot.desktop import Desktop
from bot.models import Pixel
from calibration.errors import CalibrationError, NoLatticeError, RulesError
from calibration.live.locating import locate_board
from calibration.live.session import LiveOptions, learn_live
from solver.layout import FirstClick, Layout


class Restless(UnknownClone):
    """Some of its cells twinkle for ever."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.n_grabs > 2:  # the board is looked for on the second, without the pointer over it
            pixels[::7, ::5] ^= np.uint8(self.n_grabs % 251)
        return pixels


def wrapped_layouts(n, shape=(9, 9), mines=10):
    """Boards whose edges are joined: another topology than calibration knows."""
    rng = random.Random(7)
    return [
        Layout.random(shape, mines, rng, first_cell=(0, 0), first_click=FirstClick.ZERO, wrap=True) for _ in range(n)
    ]


def learn(desktop, monkeypatch, said, kept):
    simulate_all_time(monkeypatch, desktop.clock)
    desktop.clock.limit = desktop.clock.now + 2000
    ports = Desktop(desktop, desktop, desktop, desktop)
    return learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append, None, kept.append)


def test_picture_that_never_stands_still_is_told_and_not_clicked(monkeypatch):
    desktop, said, kept = Restless(CLASSIC, BEGINNER), [], []
    with pytest.raises(CalibrationError, match=r"stand still|covered"):
        learn(desktop, monkeypatch, said, kept)
    assert desktop.clicks == []
    assert all(memory.is_empty for memory in kept)


def test_board_of_another_topology_is_no_minesweeper_that_is_known(monkeypatch):
    desktop = UnknownClone(CLASSIC, BEGINNER, layouts=wrapped_layouts(12))
    said, kept = [], []
    with pytest.raises(RulesError, match="fits no rules"):
        learn(desktop, monkeypatch, said, kept)
    assert all(memory.is_empty for memory in kept), said


def test_screen_without_a_board_is_told(monkeypatch):
    desktop = UnknownClone(CLASSIC, BEGINNER)
    desktop.close_window()
    with pytest.raises(NoLatticeError):
        learn(desktop, monkeypatch, [], [])
    assert desktop.clicks == []


class Glassy(UnknownClone):
    """A picture shows through its cells: it grows darker from row to row of pixels, and from left to right."""

    def _picture(self, seen):
        y, x = np.indices((seen.height, seen.width)) + np.array([seen.top, seen.left])[:, None, None]
        return (super()._picture(seen) * (1 - (y / 1.3 + x) / 9000)[:, :, None]).astype(np.uint8)


def test_cells_of_which_no_two_are_equal_are_found_under_the_pointer():
    desktop = Glassy(CLASSIC, BEGINNER)
    grid, _ = locate_board(desktop.grab(), desktop.position(), lambda _: None, None)
    assert (grid.region, grid.shape) == (desktop.grid.region, (9, 9))


def test_cells_of_which_no_two_are_equal_are_told_and_not_clicked_where_the_pointer_is_elsewhere(monkeypatch):
    desktop = Glassy(CLASSIC, BEGINNER)
    desktop.person_moves(Pixel(500, 500))
    with pytest.raises(NoLatticeError, match="hardly two cells that are equal"):
        learn(desktop, monkeypatch, [], [])
    assert desktop.clicks == []
    assert desktop.keys == []
