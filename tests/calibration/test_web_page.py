"""The test page's own game: its rule is held against all layouts, its numbers against its mines."""

import itertools

import numpy as np
import pytest
from web_page import Setting, Table, corner_of, neighbours, random_setting, small

from solver import board as codes

SMALL = Setting(rows=4, cols=4, mines=3)


def _layouts(shape, mines):
    cells = list(np.ndindex(shape))
    for chosen in itertools.combinations(cells, mines):
        layout = np.zeros(shape, dtype=np.bool_)
        for cell in chosen:
            layout[cell] = True
        yield layout


def _fits(layout, cells):
    return all(
        not layout[cell] and number == sum(layout[other] for other in neighbours(cell, layout.shape))
        for cell, number in np.ndenumerate(cells)
        if number >= 0
    )


@pytest.mark.parametrize("seed", range(6))
def test_guess_made_while_a_safe_cell_exists_is_punished_and_no_other(seed):
    table = Table(Setting(rows=4, cols=4, mines=3, seed=seed))
    table.click(0, (0, 0), "open")
    n_tried = 0
    while table.state == "playing":
        fitting = [layout for layout in _layouts(table.shape, 3) if _fits(layout, table.cells)]
        closed = [tuple(one) for one in np.argwhere(table.cells == codes.CLOSED).tolist()]
        safe = {cell for cell in closed if not any(layout[cell] for layout in fitting)}
        cell = sorted(closed)[(n_tried * 7 + seed) % len(closed)]
        may_be_mine = any(layout[cell] for layout in fitting)
        table.click(0, cell, "open")
        n_tried += 1
        assert table.n_punished == (may_be_mine and bool(safe))
        if table.n_punished:
            assert table.state == "lost"
    assert n_tried


def test_numbers_of_a_lost_board_are_those_of_its_mines():
    table = Table(SMALL)
    table.click(0, (0, 0), "open")
    while table.state == "playing":
        table.click(0, tuple(np.argwhere(table.cells == codes.CLOSED)[-1].tolist()), "open")
    mines = np.isin(table.cells, (codes.MINE, codes.EXPLODED, codes.FLAG))
    assert mines.sum() == SMALL.mines
    assert _fits(mines, table.cells)


def test_report_of_the_page_that_a_later_one_overtook_is_left_out():
    table = Table(SMALL)
    first = {"at": 10.0, "pointer": None, "button": [1, 2, 3, 4]}
    later = {"at": 20.0, "pointer": [5, 6, 7, 8], "button": None}
    table.note_drawn(later)
    table.note_drawn(first)
    assert table.drawn["pointer"] == [5, 6, 7, 8]
    table.note_drawn({"at": 30.0, "pointer": [5, 6, 7, 8], "button": [1, 2, 3, 4]})
    table.note_drawn({"at": 40.0, "pointer": [5, 6, 7, 8], "button": None})
    assert table.drawn["button"] == [1, 2, 3, 4]


def test_flag_is_no_evidence_and_a_game_before_takes_no_click():
    table = Table(SMALL)
    table.click(0, (1, 1), "flag")
    assert table.cells[1, 1] == codes.FLAG
    table.click(0, (1, 1), "open")
    assert table.cells[1, 1] == codes.FLAG
    table.new()
    assert (table.cells == codes.CLOSED).all()
    table.click(0, (1, 1), "open")
    assert (table.cells == codes.CLOSED).all()


def test_settings_are_the_same_for_the_same_number_and_fit_on_the_screen():
    for number in range(40):
        setting = random_setting(number)
        assert setting == random_setting(number)
        assert setting.cols * setting.cell * setting.scale <= 760
        assert setting.rows * setting.cell * setting.scale <= 560
        assert setting.look != "flat" or setting.closed != setting.closed2
    assert len({random_setting(number).query for number in range(40)}) == 40


@pytest.mark.parametrize(
    ("scale", "pointer", "corner"),
    [
        (1.5, (333.3333435, 332.6666870, 289.3333435, 219.6666870), (66, 171)),
        (1.1, (490.36, 454.09, 432.36, 332.09), (64, 135)),
        (1.25, (400.0, 400.0, 348.0, 281.0), (65, 149)),
    ],
)
def test_corner_of_the_page_is_where_the_pointer_was_and_no_rounded_place(scale, pointer, corner):
    assert corner_of({"scale": scale, "pointer": pointer}) == corner


def test_small_setting_is_drawn_at_its_own_size():
    for number in range(40):
        setting = small(random_setting(number))
        assert (setting.rows, setting.cols, setting.scale) == (9, 9, 1.0)
