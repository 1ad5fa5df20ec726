"""When a picture is whole, when it stands still, and when it still shows the same game."""

from __future__ import annotations

import numpy as np
import pytest
from fake_desktop import FakeDesktop, Faults

from bot.errors import Aborted
from bot.models import Click, FoundBoard, Grid, Pixel, Reading
from bot.playing.board_view import SETTLE_S, BecomesWhole, KnownBoard, StandsStill, watch_known
from bot.playing.transitions import is_same_game, is_whole
from bot.vision.reading import is_half_painted
from skins import load_shipped_skin
from solver import board as codes
from solver.board import parse_board
from solver.layout import Layout

CLASSIC = load_shipped_skin("classic")


def reading_of(text, mines=None):
    board = parse_board(text).with_mines(mines)
    unknown = tuple((int(r), int(c)) for r, c in np.argwhere(board.cells == codes.UNREADABLE))
    grid = Grid(Pixel(0, 0), (16, 16), *board.shape)
    return Reading("classic", grid, board, np.ones(board.shape), unknown, board.state)


@pytest.fixture
def look(monkeypatch):
    """Return a function that makes a desktop with two mines in the last row, one cell between, and a view of it."""

    def _look(**faults):
        layout = Layout.of_cells((6, 6), [(5, 5), (5, 3)])
        desktop = FakeDesktop(CLASSIC, (6, 6, 2), layouts=[layout], faults=Faults(**faults))
        monkeypatch.setattr("bot.playing.board_view.time", desktop.clock)
        board = KnownBoard(FoundBoard(CLASSIC, desktop.grid, 36), 2)
        return desktop, watch_known(desktop, desktop.control, board, desktop.grab())

    return _look


def click(desktop, cell):
    desktop.click(Click(desktop.grid.cell_region(cell).middle))


@pytest.mark.parametrize(
    ("text", "is_half"),
    [
        ("####\n####\n", False),
        ("0011\n001#\n", False),
        ("0#11\n001#\n", True),
        ("0F11\n0011\n", False),  # a flag that a person set there: floods leave it
        ("#111\n0111\n", True),
        ("1###\n####\n", False),
        ("0#11\n001X\n", False),  # a lost board: no more flood is on its way
        ("0!11\n0011\n", False),
    ],
)
def test_is_half_painted_means_a_zero_beside_a_closed_cell(text, is_half):
    assert is_half_painted(reading_of(text, mines=1)) is is_half


def test_is_whole_needs_every_cell():
    assert is_whole(reading_of("1###\n", mines=1))
    assert not is_whole(reading_of("1##!\n", mines=1))
    assert not is_whole(reading_of("0###\n", mines=1))


@pytest.mark.parametrize(
    ("now", "same"),
    [
        ("1###\n####\n", True),
        ("11##\n####\n", True),
        ("2###\n####\n", False),
        ("####\n####\n", False),
        ("!###\n####\n", False),
        ("1##!\n####\n", False),
        ("1#X#\n####\n", False),
        ("1##0\n####\n", False),
        ("111#\n####\n", True),
    ],
)
def test_is_same_game_means_open_cells_unchanged_and_all_readable(now, same):
    seen = reading_of(now, mines=2)
    assert is_same_game(reading_of("1###\n####\n", mines=2), seen, is_whole=is_whole(seen)) is same


@pytest.mark.parametrize("faults", [{"flood_s": 0.3}, {"pressed_s": 0.1}, {"flood_s": 0.1, "repaint_s": (0.0, 0.001)}])
@pytest.mark.parametrize("settling", [StandsStill(), BecomesWhole()])
def test_observations_wait_for_the_whole_picture(look, faults, settling):
    desktop, view = look(**faults)
    click(desktop, (1, 1))
    first_change = desktop.clock.now + 0.002
    while desktop.clock.now < first_change:
        view.look()
    seen = view.settled(settling)
    assert np.array_equal(seen.reading.board.cells, desktop.game.board.cells)
    assert seen.frame.region == desktop.grid.region


@pytest.mark.parametrize("settling", [StandsStill(), BecomesWhole()])
def test_observations_return_what_never_becomes_whole_in_time(look, settling):
    desktop, view = look()
    desktop.cover(range(2), range(2))
    begun_at = desktop.clock.now
    reading = view.settled(settling).reading
    assert reading.unknown == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert SETTLE_S <= desktop.clock.now - begun_at < SETTLE_S + 0.1


@pytest.mark.parametrize("settling", [StandsStill(), BecomesWhole()])
def test_observations_stop_for_the_abort_key(look, settling):
    desktop, view = look()
    desktop.cover(range(2), range(2))
    desktop.on_grab = lambda n: desktop.control.abort() if n == 10 else None
    with pytest.raises(Aborted):
        view.settled(settling)
    assert desktop.n_grabs == 10


def test_settled_needs_two_equal_observations(look):
    desktop, view = look()

    def change(n_grabs):
        if n_grabs < 6:
            desktop.misread((0, 0), str(1 + n_grabs % 2), 0.001)

    desktop.on_grab = change
    view.settled()
    assert desktop.n_grabs == 7
