"""What may be a button that begins another game, on pages in a real Chromium and on made pictures."""

import time

import cv2
import numpy as np
import pytest
from chromium import PROGRAM
from fonts import WEB
from patience import wait_until
from web_page import Setting, web_page

from bot.models import Frame, Grid, Pixel, Region
from bot.playing.new_game import spot_at, spot_of
from calibration.live.buttons import find_buttons

BOARD = Grid(Pixel(200, 120), (24, 24), 9, 9)
PLAIN = (230, 230, 230)


def _picture():
    """A window with a board; what is around it is as wide as the window."""
    pixels = np.full((420, 800, 3), 90, dtype=np.uint8)
    pixels[60:400, 150:470] = 192
    for line, words in ((62, "Minesweeper"), (84, "Game   Help")):
        pixels[line : line + 18, 152:468] = PLAIN
        cv2.putText(pixels, words, (160, line + 13), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0))
    cells = pixels[120:336, 200:416]
    cells[:] = 120
    for row, col in np.ndindex(9, 9):
        cells[24 * row + 1 : 24 * row + 23, 24 * col + 1 : 24 * col + 23] = 210
        cv2.putText(cells, "2", (24 * col + 7, 24 * row + 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (200, 0, 0))
    return pixels


def _button(pixels, left, top, width, height, words):
    pixels[top : top + height, left : left + width] = 60
    pixels[top + 1 : top + height - 1, left + 1 : left + width - 1] = PLAIN
    at = (left + 8, top + height // 2 + 5)
    cv2.putText(pixels, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0))
    return Region(left, top, width, height)


def _is_in(button, found):
    return button.has_pixel(found.corner) and abs(button.width - found.width) <= 3


def test_title_menu_cells_and_signs_without_a_word_are_no_buttons():
    pixels = _picture()
    _button(pixels, 440, 62, 18, 18, "x")
    assert find_buttons(Frame(pixels), BOARD) == []


def test_word_that_touches_the_edge_of_its_button_leaves_it_one():
    pixels = _picture()
    button = _button(pixels, 205, 346, 90, 20, "Let's play")
    cv2.line(pixels, (250, 352), (250, 364), (0, 0, 0), 2)
    (found,) = find_buttons(Frame(pixels), BOARD)
    assert _is_in(button, found)


def test_wide_button_of_a_wide_board_is_one():
    pixels = np.full((900, 1200, 3), 192, dtype=np.uint8)
    board = Grid(Pixel(100, 80), (60, 60), 10, 16)
    cells = pixels[80:680, 100:1060]
    cells[:] = 120
    for row, col in np.ndindex(10, 16):
        cells[60 * row + 2 : 60 * row + 58, 60 * col + 2 : 60 * col + 58] = 210
    button = _button(pixels, 120, 700, 400, 90, "New game")
    (found,) = find_buttons(Frame(pixels), board)
    assert _is_in(button, found)


def test_buttons_over_the_board_come_first_then_the_nearest():
    pixels = _picture()
    beside = _button(pixels, 480, 130, 100, 26, "New game")
    below = _button(pixels, 205, 346, 100, 26, "Play again")
    over = _button(pixels, 260, 200, 100, 26, "Again!")
    far = _button(pixels, 680, 20, 100, 26, "Elsewhere")
    found = find_buttons(Frame(pixels, 1000, 50), replace_origin(BOARD, 1000, 50))
    moved = [Region(box.left - 1000, box.top - 50, box.width, box.height) for box in found]
    assert [_is_in(*pair) for pair in zip((over, below, beside), moved, strict=True)] == [True] * 3
    assert not any(_is_in(far, box) for box in moved)


def replace_origin(grid, dx, dy):
    return Grid(Pixel(grid.origin.x + dx, grid.origin.y + dy), grid.pitch_px, grid.rows, grid.cols)


@pytest.mark.screen
@pytest.mark.parametrize(
    ("place", "page"), [("above", "dots"), ("beside", "dark"), ("below", "plain"), ("overlay", "dark")]
)
def test_button_of_a_page_is_found(virtual_display, require_program, require_fonts, place, page):
    require_program(PROGRAM, "chromium")
    require_fonts(WEB)
    setting = Setting(new=place, page=page, frame=1).in_order()
    with web_page(virtual_display, setting) as shown:
        board = shown.place("board")
        grid = Grid.at((board.left, board.top), (28, 28), setting.rows, setting.cols)
        for cell in np.ndindex(grid.rows, grid.cols):  # until the game is lost
            if shown.table.ends:
                break
            shown.desk.click(*grid.cell_region(cell).middle)
            time.sleep(0.05)
        wait_until(lambda: shown.table.drawn["button"] is not None, "the page showed no button")
        shown.desk.wait_until_still()
        (found, *_) = find_buttons(Frame(shown.desk.capture_all()), grid)
        assert shown.place("button").has_pixel(found.middle)


@pytest.mark.parametrize(
    ("pixel", "name"),
    [
        (Pixel(240, 360), "bottom left"),
        (Pixel(430, 128), "top right"),
        (Pixel(309, 100), "top"),
        (Pixel(305, 230), "middle"),
    ],
)
def test_button_keeps_its_place_beside_a_board_of_another_size(pixel, name):
    way = spot_of(BOARD, pixel)
    assert way.spot_from == name
    assert spot_at(BOARD, way.spot_px, way.spot_from) == pixel
    large = Grid(BOARD.origin, (24, 24), 16, 30)
    at = spot_at(large, way.spot_px, way.spot_from)
    more = large.region.width - BOARD.region.width, large.region.height - BOARD.region.height
    across, down = {"bottom left": (0, 1), "top right": (1, 0), "top": (0.5, 0), "middle": (0.5, 0.5)}[name]
    assert at == Pixel(pixel.x + int(across * more[0]), pixel.y + int(down * more[1]))
