"""Where the coach's marks and its panel go, and what they cover: without a screen."""

from __future__ import annotations

import numpy as np
import pytest
from painted import paint

from bot.coaching.drawing import PANEL_WIDTH_PX, Marks, draw_marks, draw_panel, mark, place_panel
from bot.coaching.knowledge import know
from bot.desktop import this_platform
from bot.errors import ScreenError
from bot.models import Frame, Grid, Pixel, Region
from bot.reporting.drawing import ink
from skins import load_shipped_skin
from solver import parse_board

MONITOR = Region(0, 0, 1280, 1024)
PANEL = (400, 120)
MARKED = """
; mines: 12
########
########
#11211##
########
"""


def painted(text, skin_name="winemine"):
    skin = load_shipped_skin(skin_name)
    board = parse_board(text)
    words = [["closed" if code < 0 else str(code) for code in row] for row in board.cells.tolist()]
    pixels = paint(skin, words)
    return Frame(pixels, 30, 50), Grid(Pixel(30, 50), skin.pitch_px, *board.shape), board


def test_check_can_overlay_says_what_to_do_where_it_cannot():
    with pytest.raises(ScreenError, match="minebot advise PICTURE"):
        this_platform("general").check_can_overlay()
    this_platform("win32").check_can_overlay()


def test_draw_marks_covers_marked_cells_and_no_others():
    frame, grid, board = painted(MARKED)
    marks = mark(know(board))
    sheet = draw_marks(frame, grid, marks)
    covered = {
        cell
        for cell in np.ndindex(board.shape)
        if sheet.is_drawn[16 * cell[0] : 16 * cell[0] + 16, 16 * cell[1] : 16 * cell[1] + 16].any()
    }
    assert covered == {*marks.safe, *marks.mines, *marks.risks, marks.best}
    assert all(board[cell] < 0 for cell in covered), "numbers stay in sight"
    assert sheet.picture.region == frame.region


def test_draw_marks_leaves_every_other_pixel_as_it_is():
    frame, grid, board = painted(MARKED)
    sheet = draw_marks(frame, grid, mark(know(board)))
    differs = (sheet.picture.pixels_bgr != frame.pixels_bgr).any(axis=2)
    assert np.array_equal(differs, sheet.is_drawn)


def test_draw_marks_rings_the_mine_that_is_about_to_be_clicked():
    frame, grid, _ = painted(MARKED)
    marks = Marks(mines=((0, 0),))
    plain, warned = draw_marks(frame, grid, marks), draw_marks(frame, grid, marks, warned=(0, 0))
    assert warned.is_drawn.sum() > plain.is_drawn.sum()
    assert (warned.picture.pixels_bgr[1, 1] == ink.VERMILION).all()


@pytest.mark.parametrize("p_mine", [0.0001, 0.004, 0.9999])
def test_a_risk_never_looks_proven(p_mine):
    frame, grid, _ = painted(MARKED)
    nearest = 0.01 if p_mine < 0.5 else 0.99
    shown, said = (draw_marks(frame, grid, Marks(risks={(0, 0): p})).picture.pixels_bgr for p in (p_mine, nearest))
    assert np.array_equal(shown, said)
    assert (shown[1, 1] == ink.risk_colour(nearest)).all()


@pytest.mark.parametrize("p_mine", [0.08, 0.33, 0.58, 0.88])
def test_digits_of_a_risk_are_tall_on_small_cells(p_mine):
    """They have at least half of the height of a cell of 16 pixels, and no edge of their mark cuts them."""
    frame, grid, _ = painted(MARKED)
    shown = draw_marks(frame, grid, Marks(risks={(0, 0): p_mine})).picture.pixels_bgr[:16, :16].astype(int)
    ground = np.array(ink.risk_colour(p_mine))
    is_digit = (np.abs(shown - ground) > 60).any(axis=2)[1:15, 1:15]
    tall = np.flatnonzero(is_digit.any(axis=1))
    assert tall[-1] - tall[0] + 1 >= 8
    assert not is_digit[[0, -1]].any()
    assert not is_digit[:, 0].any()


@pytest.mark.parametrize("side", [4, 8, 10])
def test_risks_are_drawn_on_cells_without_room_for_digits(side):
    pixels = np.full((side, side, 3), 192, dtype=np.uint8)
    grid = Grid(Pixel(0, 0), (side, side), 1, 1)
    shown = draw_marks(Frame(pixels), grid, Marks(risks={(0, 0): 0.42})).picture.pixels_bgr
    assert (shown[1, 1] == ink.risk_colour(0.42)).all()


def test_draw_panel_grows_with_its_words_and_cuts_what_nobody_reads():
    short, long = draw_panel("Title", "why"), draw_panel("Title", "\n".join("a line of a proof" for _ in range(50)))
    assert short.picture.region.width == long.picture.region.width == PANEL_WIDTH_PX
    assert short.picture.region.height < long.picture.region.height < 300
    assert long.is_drawn.all()


@pytest.mark.parametrize("scale", [1.25, 2.0, 3.0])
def test_draw_panel_is_as_much_larger_as_the_desktop_draws(scale):
    words = "Title", "a reason that takes more than one line, as it has many words, and then some more", "F7 proof"
    plain, larger = draw_panel(*words).picture, draw_panel(*words, scale=scale).picture
    assert larger.region.width == round(PANEL_WIDTH_PX * scale)
    assert larger.region.height == pytest.approx(plain.region.height * scale, rel=0.1)
    inked = [(picture.pixels_bgr.max(axis=2) < 100).mean() for picture in (plain, larger)]
    assert inked[1] == pytest.approx(inked[0], rel=0.4), "the letters too"


def test_draw_panel_has_room_for_the_keys():
    plain, keyed = draw_panel("Title", "why"), draw_panel("Title", "why", "F7 proof")
    rows = keyed.picture.region.height - plain.picture.region.height
    assert rows > 0
    below = keyed.picture.pixels_bgr[-rows - 5 : -2, 10:-2]
    assert below.min() < 60, "words"
    assert below.max() > 240, "paper"


def test_draw_panel_warns_in_another_colour():
    corner = (3, 20)
    warning, plain = (draw_panel("Do not", "", is_warning=is_warning) for is_warning in (True, False))
    assert (warning.picture.pixels_bgr[corner] == ink.VERMILION).all()
    assert (warning.picture.pixels_bgr == ink.VERMILION).all(axis=2).mean() > 0.7, "also where it has no text"
    assert (plain.picture.pixels_bgr[corner] != ink.VERMILION).any()


@pytest.mark.parametrize(
    ("window", "corner"),
    [
        (Region(100, 100, 500, 400), (100, 506)),  # below
        (Region(1000, 100, 200, 300), (880, 406)),  # below, pushed in from the edge
        (Region(100, 500, 500, 500), (606, 500)),  # right
        (Region(700, 600, 560, 400), (294, 600)),  # left
        (Region(200, 300, 900, 700), (200, 174)),  # above
    ],
)
def test_place_panel_beside_the_window_where_there_is_room(window, corner):
    assert place_panel(PANEL, window, window, MONITOR) == corner


def test_place_panel_off_the_board_where_the_window_fills_the_monitor():
    board = Region(100, 60, 1000, 700)
    left, top = place_panel(PANEL, MONITOR, board, MONITOR)
    assert top >= board.top + board.height
    assert MONITOR.has_pixel(Pixel(left + PANEL[0] - 1, top + PANEL[1] - 1))


def test_place_panel_on_a_monitor_left_of_the_first():
    monitor = Region(-1920, 0, 1920, 1080)
    assert place_panel(PANEL, Region(-1900, 10, 600, 500), Region(-1890, 60, 500, 400), monitor) == (-1900, 516)
