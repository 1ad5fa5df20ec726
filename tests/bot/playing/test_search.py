"""Where the board went: the search on a desktop with windows that move, are covered, and show other games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fake_desktop import SCREEN, Cover, CoverKind, FakeDesktop
from fake_desktop.desktop import GAME, OTHER

from bot.desktop import Desktop
from bot.errors import Aborted, BoardNotFoundError, UsageError
from bot.images import load_frame
from bot.models import FoundBoard, Frame, Grid, Pixel, Region
from bot.playing import board_view as searching
from bot.playing.board_view import COUNT_TRIES, BoardSearch, _goes_on
from bot.playing.control import FocusWatch
from bot.vision.finding import ClippedBoardError, find_boards
from bot.vision.mine_counter import MineCount
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_skin
from solver.layout import LEVELS, Layout

CLASSIC = load_shipped_skin("classic")
BORDERLESS = load_shipped_skin("xdemineur")
PAGE = Path(__file__).resolve().parents[2] / "screens" / "page"
BEGINNER, INTERMEDIATE = LEVELS["beginner"], LEVELS["intermediate"]
RIGHT_HALF = Layout.of_cells((9, 9), [(1, 5), (3, 6), (4, 8), (5, 5), (6, 7), (8, 6), (0, 7), (2, 8), (7, 5), (8, 8)])
"""A click at (4, 0) opens columns 0 to 4."""
LOWER_HALF = Layout.of_cells((9, 9), [(5, 1), (6, 3), (8, 4), (5, 5), (7, 6), (6, 8), (7, 0), (8, 2), (5, 7), (8, 8)])
"""A click at (0, 4) opens rows 0 to 4."""


class Desk:
    """A game on a desktop, begun with a click, and a search that has found it."""

    def __init__(self, skin=CLASSIC, level=BEGINNER, *, opened=((4, 0),), mines=None, **options):
        self.desktop = FakeDesktop(skin, level, **options)
        for cell in opened:
            self.desktop.game.open(cell)
        self.desktop.repaint()
        self.search = BoardSearch(self.desktop, [skin], self.desktop.control, mines=mines)
        self.place = self.search.first()
        self.known = self.read()
        self.focus = FocusWatch(self.desktop)

    def read(self):
        return read_board(self.desktop.grab(), self.desktop.grid, self.desktop.skin, self.desktop.mines)

    def again(self, *, is_known=True):
        return self.search.again(self.place.board, self.known if is_known else None, self.focus)

    def learn_program(self):
        """Learn which program is played, as is done when the board is found; all covers are another's windows."""
        self.focus.learn(self.place.board.grid.region.middle)

    def show_another(self, origin, *, layout=LOWER_HALF, opened=(0, 4), skin=CLASSIC, level=BEGINNER):
        """Put the window of another game on the screen, its board's corner at a pixel; returns its grid."""
        other = FakeDesktop(skin, level, origin=origin, layouts=[layout] if layout else [])
        if opened:
            other.game.open(opened)
        other.repaint()
        frame = other.grab(other._window.region)
        self.desktop._covers.append(Cover(other._window.region, frame.pixels_bgr))
        return other.grid


def desk(**options):
    return Desk(**({"layouts": [RIGHT_HALF]} | options))


def page_of_thin_digits():
    """A skin, and a screen that shows its lost board."""
    pixels_bgr = load_frame(PAGE / "thin-digits-lost.png").pixels_bgr
    frame = Frame(np.pad(pixels_bgr, ((40, 40), (40, 40), (0, 0)), mode="edge"))
    return load_skin(PAGE / "page-of-thin-digits"), frame


# --- the first board


@pytest.mark.parametrize(
    ("shape", "mines"), [((8, 8), 10), ((9, 9), 10), ((16, 16), 40), ((16, 30), 99), ((30, 16), 99)]
)
def test_first_standard_board_has_its_levels_mines(shape, mines):
    place = Desk(level=(*shape, mines), opened=(), origin=Pixel(0, 0)).place
    assert (place.board.grid.rows, place.board.grid.cols, place.mines, place.remark) == (*shape, mines, "")
    assert place.frame.region == SCREEN


def test_first_odd_board_needs_to_be_told_its_mines():
    with pytest.raises(UsageError, match=r"a 7x11 board is no standard level.*--mines N"):
        Desk(level=(7, 11, 12), opened=())
    assert Desk(level=(7, 11, 12), opened=(), mines=12).place.mines == 12


def test_first_given_mines_count_more_than_the_size():
    assert desk(mines=13).place.mines == 13


@pytest.mark.parametrize("mines", [0, -1, 81, 1000])
def test_first_mines_that_cannot_be_are_a_usage_error(mines):
    with pytest.raises(UsageError, match=rf"expected 1 to 80 mines on a 9x9 board, got {mines}"):
        desk(mines=mines)


def test_first_of_two_boards_is_the_larger_and_with_a_region_the_one_in_it():
    table = desk(origin=Pixel(-300, 0))
    larger = table.show_another(Pixel(200, 0), layout=None, opened=None, level=INTERMEDIATE)
    desktop = table.desktop
    assert BoardSearch(desktop, [CLASSIC], desktop.control).first().board.grid == larger
    left = BoardSearch(desktop, [CLASSIC], desktop.control, region=Region(-420, -140, 500, 900)).first()
    assert left.board.grid == desktop.grid
    assert left.mines == 10


def test_first_of_two_boards_is_the_one_under_the_pointer_then_the_one_with_the_keyboard():
    table = desk(origin=Pixel(-300, 0))
    larger = table.show_another(Pixel(200, 0), layout=None, opened=None, level=INTERMEDIATE)
    desktop = table.desktop
    ports = Desktop(desktop, desktop, desktop, desktop)
    desktop.pointer = Pixel(700, 700)
    assert table.search.first(ports).board.grid == desktop.grid, "its window has the keyboard"
    desktop.pointer = larger.region.middle
    assert table.search.first(ports).board.grid == larger
    desktop.lose_focus()
    desktop.pointer = desktop.grid.region.middle
    assert table.search.first(ports).board.grid == desktop.grid
    desktop.pointer = Pixel(700, 700)
    assert table.search.first(ports).board.grid == larger, "the one with the most cells"


def test_first_on_a_desktop_without_a_board_says_what_was_looked_for():
    table = desk()
    table.desktop.close_window()
    with pytest.raises(BoardNotFoundError, match="no board found on 1400 x 900 pixels") as raised:
        table.search.first()
    assert "classic (16 x 16 px cells)" in str(raised.value)


# --- found again


@pytest.mark.parametrize("by", [(300, 200), (-137, -51), (1, 0), (0, -7), (612, 333)])
@pytest.mark.parametrize("opened", [(), ((4, 0),)])
def test_again_finds_the_window_where_it_moved(by, opened):
    table = desk(opened=opened)
    table.desktop.move_window(*by)
    place = table.again()
    assert place.board.grid == table.desktop.grid != table.place.board.grid
    assert place.board.skin is CLASSIC
    assert place.mines == 10


def test_again_finds_the_game_that_went_on_meanwhile():
    table = desk()
    table.desktop.move_window(250, 120)
    table.desktop.game.open((0, 6))
    table.desktop.repaint()
    assert table.again().board.grid == table.desktop.grid


def test_again_keeps_the_mine_count_of_the_game_that_goes_on():
    table = desk(mines=17)
    table.known = read_board(table.desktop.grab(), table.desktop.grid, CLASSIC, 17)
    table.search = BoardSearch(table.desktop, [CLASSIC], table.desktop.control)
    table.desktop.move_window(250, 120)
    assert table.again().mines == 17


def test_again_finds_a_window_that_moved_by_a_pixel():
    table = desk()
    table.desktop.move_window(1, 0)
    assert table.again().board.grid == table.desktop.grid


@pytest.mark.parametrize(("x", "y"), [(1, 0), (0, -1), (-1, 1)])
def test_again_leaves_a_fresh_board_where_it_was_if_closed_cells_do_not_tell_to_the_pixel_where_that_is(x, y):
    skin, frame = page_of_thin_digits()
    grid = find_boards(frame, [skin])[0].grid
    closed = grid.place_region(9, 9)
    for cell in np.ndindex(grid.shape):
        place = grid.cell_region(cell)
        part = frame.crop(Region(closed.left, closed.top, place.width, place.height)).pixels_bgr.copy()
        frame.crop(place).pixels_bgr[:] = part
    table = desk()
    search = BoardSearch(SimpleNamespace(grab=lambda _: frame), [skin], table.desktop.control, mines=15)
    board = search.first().board
    (left, top), pitch = board.grid.corner, board.grid.pitch_px
    lost = replace(board, grid=Grid.at((left + x, top + y), pitch, *board.grid.shape))
    assert search.again(lost, read_board(frame, lost.grid, skin, 15), table.focus).board.grid == lost.grid


@pytest.mark.parametrize("is_own_window", [True, False])
@pytest.mark.parametrize("is_covered", [True, False])
def test_again_board_of_a_page_that_pales_is_where_it_was_unless_something_lies_over_it(is_own_window, is_covered):
    skin, frame = page_of_thin_digits()
    pale = Frame(frame.pixels_bgr // 4 + 180)
    lost = find_boards(frame, [skin])[0]
    known = read_board(frame, lost.grid, skin, 15)
    assert find_boards(pale, [skin]) == []
    if is_covered:
        pale.crop(lost.grid.region).pixels_bgr[100:250, 100:250] = 230
    focus = SimpleNamespace(is_all_of_window=lambda _: is_own_window)
    search = BoardSearch(SimpleNamespace(grab=lambda _: pale), [skin], desk().desktop.control, mines=15)
    place = search.again(lost, known, focus)
    assert (place is not None) is (is_own_window and not is_covered)
    if place is not None:
        assert (place.board, place.mines, place.is_by_lines) == (lost, 15, True)


def test_again_tells_two_alike_boards_by_their_open_numbers():
    table = desk(origin=Pixel(-150, 90))
    table.desktop.move_window(500, 300)
    near = table.show_another(Pixel(-150, 290))
    assert table.again().board.grid == table.desktop.grid != near


def test_again_prefers_its_own_game_to_another_in_its_old_place():
    table = desk(origin=Pixel(-150, 90))
    table.desktop.move_window(500, 300)
    table.show_another(Pixel(-150, 90))
    assert table.again().board.grid == table.desktop.grid


def test_again_of_two_equal_games_takes_the_nearer():
    table = desk(origin=Pixel(-150, 90))
    table.desktop.move_window(30, 20)
    table.show_another(Pixel(400, 300), layout=RIGHT_HALF, opened=(4, 0))
    assert table.again().board.grid == table.desktop.grid


def test_again_where_nothing_moved_is_the_same_place():
    table = desk()
    for is_known in (True, False):
        place = table.again(is_known=is_known)
        assert (place.board.grid, place.mines) == (table.desktop.grid, 10)


# --- another game in its place


def test_again_takes_a_fresh_board_in_the_old_place():
    table = desk()
    table.desktop.new_game_by_person()
    assert table.again().board.grid == table.desktop.grid == table.place.board.grid


@pytest.mark.parametrize("n_opened", [0, 3])
def test_again_takes_a_game_of_another_size_in_the_old_place_with_its_own_mines(n_opened):
    table = desk()
    table.desktop.swap_game(INTERMEDIATE, n_opened)
    place = table.again()
    assert place.board.grid == table.desktop.grid
    assert (place.board.grid.rows, place.board.grid.cols, place.mines) == (16, 16, 40)


def test_again_leaves_a_board_alone_whose_mines_nobody_knows():
    table = desk()
    table.desktop.swap_game((7, 11, 12))
    assert table.again() is None


def test_again_given_mines_are_not_meant_for_another_size():
    table = desk(mines=13)
    table.desktop.new_game_by_person()
    assert table.again(is_known=False).mines == 13
    table.desktop.swap_game(INTERMEDIATE)
    assert table.again().mines == 40


# --- no other board is ever played instead


def test_again_looks_at_windows_of_the_program_that_is_played_only():
    for is_program_known in (False, True):
        table = desk(origin=Pixel(-300, 0))
        if is_program_known:
            table.learn_program()
        copy = table.show_another(Pixel(300, 300), layout=RIGHT_HALF, opened=(4, 0))
        table.desktop.move_window(30, 500)
        assert table.again().board.grid == table.desktop.grid
        table.desktop.close_window()
        place = table.again()
        assert (place is None) is is_program_known
        assert place is None or place.board.grid == copy


def test_again_of_a_fresh_board_takes_none_of_another_program():
    table = desk(opened=(), origin=Pixel(-300, 0))
    table.learn_program()
    table.show_another(Pixel(-300, 0), layout=None, opened=None)
    assert table.again() is None
    table.desktop.move_window(500, 300)
    assert table.again().board.grid == table.desktop.grid


@pytest.mark.parametrize("is_program_known", [False, True])
def test_again_finds_its_window_with_another_over_the_middle(is_program_known):
    table = desk()
    if is_program_known:
        table.learn_program()
    table.desktop.move_window(300, 200)
    table.desktop.cover(range(3, 6), range(3, 6))
    assert table.again().board.grid == table.desktop.grid


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("place", [Pixel(300, 300), Pixel(300, 0), Pixel(-300, 300)])
@pytest.mark.parametrize(
    "another",
    [
        {},
        {"layout": None, "opened": None},
        {"layout": None, "opened": None, "level": INTERMEDIATE},
        {"layout": None, "opened": None, "level": (7, 11, 12)},
    ],
    ids=["running", "fresh", "larger", "odd"],
)
def test_again_never_takes_another_board_elsewhere(another, place, is_known):
    table = desk(origin=Pixel(-300, 0))
    table.show_another(place, **another)
    table.desktop.close_window()
    assert table.again(is_known=is_known) is None


@pytest.mark.parametrize("place", [Pixel(200, 200), Pixel(-260, 40)])
def test_again_after_a_pause_takes_no_fresh_board_of_another_window_while_its_own_is_there(place):
    table = desk(opened=(), origin=Pixel(-300, 0))
    table.learn_program()
    table.focus.forget()
    copy = table.show_another(place, layout=None, opened=None)
    table.desktop.cover(range(1, 9), range(9))
    assert table.again() is None
    table.desktop.close_window()
    found = table.again()
    assert found is None or found.board.grid == copy


def test_again_takes_a_board_in_its_window_only_where_that_shows_at_all_cells_in_sight():
    table = desk(opened=(), origin=Pixel(-300, 0))
    table.learn_program()
    table.desktop.cover(range(9), range(9))
    copy = table.show_another(Pixel(-260, 40), layout=LOWER_HALF)
    middle = copy.cell_region((4, 4)).middle
    table.desktop.at = lambda _pixel: GAME
    table.desktop.window_at = lambda pixel: GAME if pixel == middle else OTHER  # it closes just now
    table.known = None
    assert table.again() is None


def test_again_takes_what_a_window_leaves_of_the_board_for_no_board_past_the_edge_of_the_screen(monkeypatch):
    table = desk(origin=Pixel(-300, 0))
    table.learn_program()
    grid = table.desktop.grid
    part = replace(grid, rows=5, clipped=frozenset({"top", "bottom"}))
    seen = [FoundBoard(CLASSIC, part, 45)]
    monkeypatch.setattr(searching, "find_boards", lambda *_, **__: seen)
    assert table.again() is None
    table.desktop.move_window(0, 200)
    seen[0] = FoundBoard(CLASSIC, replace(part, origin=table.desktop.grid.origin), 45)
    with pytest.raises(ClippedBoardError, match="top and bottom"):
        table.again()


def test_again_never_takes_a_board_in_another_skin():
    winemine = load_shipped_skin("winemine")
    table = desk(opened=(), origin=Pixel(-300, 0))
    table.show_another(Pixel(-300, 0), skin=winemine, opened=None)
    table.desktop.close_window()
    table.search = BoardSearch(table.desktop, [CLASSIC, winemine], table.desktop.control)
    assert table.again() is None
    assert BoardSearch(table.desktop, [winemine], table.desktop.control).first().mines == 10


def test_again_of_a_game_with_nothing_open_takes_one_as_large_elsewhere_and_no_other():
    for level, is_taken in ((BEGINNER, True), (INTERMEDIATE, False)):
        table = desk(opened=(), origin=Pixel(-300, 0))
        other = table.show_another(Pixel(200, 200), layout=None, opened=None, level=level)
        table.desktop.close_window()
        place = table.again()
        assert (place is not None and place.board.grid == other) is is_taken


def test_again_nowhere_to_be_seen_is_none():
    table = desk()
    table.desktop.close_window()
    assert table.again() is None
    assert table.again(is_known=False) is None


# --- partly covered


def test_again_finds_a_moved_board_of_which_a_part_is_covered():
    table = desk()
    table.desktop.move_window(300, 200)
    table.desktop.cover(range(3), range(2))
    assert table.again().board.grid == table.desktop.grid


def test_again_does_not_believe_a_moved_board_with_most_open_cells_covered():
    table = desk()
    table.desktop.move_window(300, 200)
    table.desktop.cover(range(1, 8), range(4))
    assert table.again() is None


@pytest.mark.parametrize(
    ("rows", "cols", "is_believed"),
    [(1, 1, True), (9, 2, True), (8, 3, True), (9, 3, False), (9, 5, False), (9, 9, False)],
)
def test_goes_on_needs_half_of_the_open_cells_in_sight(rows, cols, is_believed):
    table = desk()
    assert int((table.known.board.cells >= 0).sum()) == 2 * 8 * 3
    table.desktop.cover(range(rows), range(cols))
    assert _goes_on(table.read(), table.known) is is_believed


def test_goes_on_is_never_said_where_nothing_is_open():
    table = desk(opened=())
    assert not _goes_on(table.read(), table.known)


def test_goes_on_not_with_a_single_number_that_differs():
    table = desk()
    assert _goes_on(table.read(), table.known)
    table.desktop.misread((2, 4), "6")
    assert not _goes_on(table.read(), table.known)


@pytest.mark.parametrize("is_known", [True, False])
def test_again_visible_part_of_a_covered_board_without_border_is_no_smaller_board(is_known):
    table = Desk(BORDERLESS, INTERMEDIATE, opened=(), origin=Pixel(100, 0))
    table.desktop.cover(range(8, 16), range(16))
    table.desktop.cover(range(8), range(8, 16))
    (part,) = find_boards(table.desktop.grab(), [BORDERLESS])
    assert (part.grid.rows, part.grid.cols) == (8, 8), "it looks like a board of a standard size"
    with pytest.raises(ClippedBoardError):
        BoardSearch(table.desktop, [BORDERLESS], table.desktop.control, mines=10).first()
    assert table.again(is_known=is_known) is None


@pytest.mark.parametrize("skin", [CLASSIC, BORDERLESS])
def test_again_visible_part_of_a_covered_board_in_its_own_window_is_no_smaller_board(skin):
    """What a window left of an Expert board was played as an Intermediate one."""
    table = Desk(skin, LEVELS["expert"], opened=(), origin=Pixel(200, 100))
    table.learn_program()
    table.desktop.cover(range(16), range(14))
    try:
        found = table.again()
    except ClippedBoardError:
        return
    assert found is None or found.board.grid == table.desktop.grid


def test_again_board_of_another_size_in_the_same_window_is_played():
    table = Desk(CLASSIC, INTERMEDIATE, opened=(), origin=Pixel(100, 0))
    table.learn_program()
    table.desktop.swap_game(BEGINNER)
    table.desktop.repaint()
    assert table.again().board.grid.shape == (9, 9)


def test_again_covered_board_without_border_is_found_once_it_is_whole():
    table = Desk(BORDERLESS, INTERMEDIATE, opened=(), origin=Pixel(100, 0))
    cover = table.desktop.cover_with(CoverKind.PLAIN, (0, 0.5, 1, 0.5))
    table.desktop.uncover(cover)
    assert table.again().board.grid == table.desktop.grid


# --- counters


def counted(monkeypatch, *counts):
    """Let the counter say one thing after the other; returns how often it was asked, as a list that grows."""
    asked = []

    def count_on(_frame, reading, _skin, _given):
        asked.append(counts[min(len(asked), len(counts) - 1)])
        return reading, asked[-1]

    monkeypatch.setattr(searching, "count_on", count_on)
    return asked


def test_first_looks_again_until_counter_and_size_say_the_same_twice(monkeypatch):
    table = desk()
    odd, sure = MineCount(12, "counter", "12 where a standard board has 10"), MineCount(10, "size")
    asked = counted(monkeypatch, odd, sure)
    assert table.search.first().mines == 10
    assert asked == [odd, sure]

    asked = counted(monkeypatch, odd, odd)
    place = table.search.first()
    assert (place.mines, place.remark) == (12, odd.remark)
    assert len(asked) == 2


def test_first_does_not_believe_a_counter_that_never_stands_still(monkeypatch):
    table = desk()
    asked = counted(monkeypatch, *(MineCount(n, "counter", f"{n} mines") for n in range(10, 20)))
    with pytest.raises(UsageError, match="the mine counter does not stand still"):
        table.search.first()
    assert len(asked) == COUNT_TRIES


def test_first_abort_while_the_counter_is_watched_ends_it(monkeypatch):
    table = desk()
    counted(monkeypatch, *(MineCount(n, "counter", f"{n} mines") for n in range(10, 20)))
    table.desktop.control.abort()
    with pytest.raises(Aborted):
        table.search.first()
