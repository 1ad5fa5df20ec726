"""The game's rules, on boards drawn as text; counts against brute force that shares no code with the product."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from solver.board import GameState, format_rows
from solver.errors import BoardValueError
from solver.game import Game
from solver.layout import LEVELS, FirstClick, Layout
from solver.topology import Topology


def layout_of(text: str, *, wrap: bool = False) -> Layout:
    """A layout drawn with `*` for mines and `.` for the rest."""
    rows = text.split()
    return Layout(np.array([[char == "*" for char in row] for row in rows]), wrap)


def seen(game: Game) -> str:
    return " ".join(format_rows(game.board.cells))


ISLANDS = """
    *....
    .....
    .....
    ..*..
    ....*
"""


def test_open_zero_floods_to_the_numbers():
    game = Game.on(layout_of(ISLANDS))
    opened = game.open((0, 4))
    assert seen(game) == "#1000 #1000 #1110 ###21 #####"
    assert len(opened) == 14
    assert game.state is GameState.PLAYING


def test_open_number_opens_one_cell():
    game = Game.on(layout_of(ISLANDS))
    assert game.open((1, 1)) == ((1, 1),)
    assert seen(game) == "##### #1### ##### ##### #####"


def test_open_has_no_effect_on_flag_or_open_cell():
    game = Game.on(layout_of(ISLANDS))
    game.toggle_flag((0, 4))
    assert game.open((0, 4)) == ()
    assert game.state is GameState.FRESH
    game.open((1, 1))
    assert game.open((1, 1)) == ()


def test_flood_leaves_flags_closed():
    game = Game.on(layout_of(ISLANDS))
    game.toggle_flag((0, 2))
    game.open((0, 4))
    assert seen(game) == "#1F00 #1000 #1110 ###21 #####"


def test_flag_toggles_and_leaves_open_cells_alone():
    game = Game.on(layout_of(ISLANDS))
    game.toggle_flag((4, 4))
    assert (seen(game)[-1], game.n_flags) == ("F", 1)
    game.toggle_flag((4, 4))
    assert (seen(game)[-1], game.n_flags) == ("#", 0)
    game.open((1, 1))
    game.toggle_flag((1, 1))
    assert game.code((1, 1)) == 1


def test_loss_shows_mines_explosion_and_wrong_flags():
    game = Game.on(layout_of(ISLANDS))
    game.open((0, 4))
    game.toggle_flag((0, 0))
    game.toggle_flag((4, 3))
    assert game.open((3, 2)) == ((3, 2),)
    assert game.state is GameState.LOST
    assert seen(game) == "F1000 #1000 #1110 ##X21 ###x*"


def test_win_flags_every_mine():
    game = Game.on(layout_of(ISLANDS))
    for cell in ((0, 4), (3, 0), (4, 2)):
        assert game.state is not GameState.WON
        game.open(cell)
    game.open((4, 3))
    assert game.state is GameState.WON
    assert seen(game) == "F1000 11000 01110 01F21 0112F"
    assert game.n_flags == game.mines == 3


def test_nothing_has_an_effect_once_over():
    game = Game.on(layout_of("*. .."))
    game.open((0, 0))
    before = game.board
    game.toggle_flag((1, 1))
    assert game.open((1, 1)) == game.chord((1, 1)) == ()
    assert game.board == before


def test_chord_opens_the_rest_when_flags_match():
    game = Game.on(layout_of(ISLANDS))
    game.open((2, 2))
    assert game.chord((2, 2)) == ()
    game.toggle_flag((3, 2))
    assert len(game.chord((2, 2))) == 14
    assert seen(game) == "#1000 #1000 #1110 #1F21 #####"


def test_chord_on_closed_or_zero_cell_does_nothing():
    game = Game.on(layout_of(ISLANDS))
    assert game.chord((0, 0)) == ()
    game.open((0, 4))
    assert game.chord((0, 4)) == game.chord((4, 4)) == ()


def test_chord_on_a_zero_opens_what_had_a_flag_when_it_was_opened():
    game = Game.on(layout_of("...* ...."))
    game.toggle_flag((0, 1))
    game.open((0, 0))
    assert seen(game) == "0F1# 001#"
    assert game.chord((0, 0)) == ()
    game.toggle_flag((0, 1))
    assert game.chord((0, 0)) == ((0, 1),)
    assert seen(game) == "001# 001#"


def test_chord_with_wrong_flag_explodes_every_mine_it_opens():
    game = Game.on(layout_of("**. ..."))
    game.open((1, 1))
    game.toggle_flag((0, 2))
    game.toggle_flag((1, 2))
    opened = game.chord((1, 1))
    assert game.state is GameState.LOST
    assert seen(game) == "XXx 22x"
    assert opened == ((0, 0), (0, 1), (1, 0))


def test_predicates_change_nothing():
    game = Game((9, 9), 10, seed=4)
    for _ in range(2):
        assert (game.state, game.is_over, game.layout, game.n_flags) == (GameState.FRESH, False, None, 0)
        assert game.board == Game((9, 9), 10, seed=5).board


@pytest.mark.parametrize("first", [(0, 0), (4, 4), (8, 3)])
def test_first_click_safe_never_explodes(first):
    n_first_zero = 0
    for seed in range(300):
        game = Game((9, 9), 10, seed=seed)
        game.open(first)
        assert game.state is not GameState.LOST
        assert game.layout is not None
        assert game.layout.n_mines == 10
        n_first_zero += game.code(first) == 0
    assert 0 < n_first_zero < 300


def test_first_click_safe_on_a_full_board_wins_at_once():
    for seed in range(20):
        game = Game((3, 3), 8, seed=seed)
        game.open((1, 1))
        assert game.state is GameState.WON


def test_first_click_zero_starts_an_opening():
    for seed in range(200):
        game = Game((5, 5), 16, seed=seed, first_click=FirstClick.ZERO)
        game.open((2, 2))
        assert game.code((2, 2)) == 0


def test_first_click_any_explodes_as_often_as_mines_are_dense():
    lost = 0
    for seed in range(1000):
        game = Game((4, 4), 4, seed=seed, first_click=FirstClick.ANY)
        game.open((0, 0))
        lost += game.state is GameState.LOST
    assert 200 < lost < 300  # binomial(1000, 1/4): 250 +- 14


def test_equal_seeds_give_equal_layouts_but_for_the_mines_that_moved():
    a, b = Game((16, 30), 99, seed="7"), Game((16, 30), 99, seed="7")
    a.open((0, 0))
    b.open((0, 0))
    assert a.layout == b.layout
    assert hash(a.layout) == hash(b.layout)
    other = Layout.random((16, 30), 99, random.Random("7"), first_cell=(8, 8))
    assert a.layout is not None
    assert len(a.layout.mine_cells ^ other.mine_cells) <= 4
    assert a.layout != Layout.random((16, 30), 99, random.Random("8"), first_cell=(0, 0))


def test_random_layout_is_uniform_over_the_allowed_cells():
    counts = np.zeros((3, 3))
    rng = random.Random(0)
    for _ in range(2000):
        counts += Layout.random((3, 3), 2, rng, first_cell=(0, 1)).has_mine
    assert counts[0, 1] == 0
    rest = np.delete(counts.ravel(), 1)
    assert abs(rest - 500).max() < 90  # binomial(2000, 1/4): 500 +- 19


def brute_numbers(layout: Layout) -> np.ndarray:
    """Count neighbours by looking at every cell's surroundings, one by one."""
    shape = layout.shape
    numbers = np.zeros(shape, dtype=int)
    for cell in product(*map(range, shape)):
        near = set()
        for step in product((-1, 0, 1), repeat=len(shape)):
            place = tuple(i + s for i, s in zip(cell, step, strict=True))
            if layout.wrap:
                place = tuple(i % n for i, n in zip(place, shape, strict=True))
            near.add(place)
        numbers[cell] = len((near - {cell}) & layout.mine_cells)
    return numbers


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", [(7,), (5, 6), (1, 4), (2, 2), (2, 5), (3, 4, 3), (2, 3, 2, 3)])
def test_numbers_equal_brute_force(shape, wrap):
    for seed in range(5):
        layout = Layout.random(shape, int(np.prod(shape)) // 3, random.Random(seed), wrap=wrap)
        np.testing.assert_array_equal(layout.numbers, brute_numbers(layout))


def brute_bbbv(layout: Layout) -> int:
    """Clear the board as 3BV says: openings first, then what is left, one click each; clicks counted."""
    game = Game.on(layout)
    numbers = brute_numbers(layout)
    clicks = 0
    for wanted_zero in (True, False):
        for cell in product(*map(range, layout.shape)):
            is_safe = cell not in layout.mine_cells
            if is_safe and (numbers[cell] == 0) == wanted_zero and game.code(cell) < 0 and not game.is_over:
                game.open(cell)
                clicks += 1
    assert game.state is GameState.WON
    return clicks


@pytest.mark.parametrize(
    ("text", "bbbv"),
    [
        ("... ... ...", 1),
        ("*.. ... ...", 1),
        ("... .*. ...", 8),
        ("*.... ..... ..... ..*.. ....*", 4),
        ("..... ***** .....", 10),
        (".. ** ..", 4),
    ],
)
def test_bbbv_of_drawn_boards(text, bbbv):
    assert layout_of(text).bbbv == bbbv


@pytest.mark.parametrize(("shape", "wrap"), [((8, 8), False), ((8, 8), True), ((4, 4, 4), False), ((30,), True)])
def test_bbbv_equals_the_clicks_that_clear_the_board(shape, wrap):
    for seed in range(8):
        layout = Layout.random(shape, int(np.prod(shape)) // 8, random.Random(seed), wrap=wrap)
        assert layout.bbbv == brute_bbbv(layout)


def test_wrap_floods_around_the_edge():
    game = Game.on(layout_of("...... ...... ..*... ...... ......", wrap=True))
    game.open((0, 0))
    assert game.state is GameState.WON
    assert seen(game) == "000000 011100 01F100 011100 000000"


def test_three_dimensions_play_to_a_win():
    mines = [(0, 0, 0), (3, 3, 3), (1, 3, 0)]
    layout = Layout.of_cells((4, 4, 4), mines)
    game = Game.on(layout)
    for cell in product(range(4), repeat=3):
        if cell not in mines:
            game.open(cell)
    assert game.state is GameState.WON
    assert {tuple(int(i) for i in cell) for cell in np.argwhere(game.board.cells == -2)} == set(mines)


@pytest.mark.parametrize(("mines", "rule"), [(81, FirstClick.SAFE), (73, FirstClick.ZERO), (-1, FirstClick.ANY)])
def test_game_refuses_impossible_mine_counts(mines, rule):
    with pytest.raises(BoardValueError, match=f"got {mines}"):
        Game((9, 9), mines, first_click=rule)


def test_most_mines_of_each_rule():
    assert [rule.most_mines(Topology((9, 9))) for rule in FirstClick] == [81, 80, 72, 80]
    assert FirstClick.ZERO.most_mines(Topology((2, 2), wrap=True)) == 0


def test_cells_off_the_grid_are_refused():
    game = Game((2, 2), 1, seed=0)
    for act in (game.open, game.toggle_flag, game.chord, game.code):
        with pytest.raises(BoardValueError, match=r"got \(2,0\)"):
            act((2, 0))
    with pytest.raises(BoardValueError):
        Layout.of_cells((2, 2), [(0, 2)])


def test_layout_refuses_arrays_that_are_not_bool():
    with pytest.raises(BoardValueError, match="int64"):
        Layout(np.zeros((2, 2), dtype=np.int64))


def test_levels_are_the_classic_three():
    assert {name: tuple(level) for name, level in LEVELS.items()} == {
        "beginner": (9, 9, 10),
        "intermediate": (16, 16, 40),
        "expert": (16, 30, 99),
    }
