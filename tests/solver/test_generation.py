"""Generated boards: solved from their hint without a guess by an engine that did not make them, of the level ordered.

MINEBOT_GENERATED_BOARDS says how many Expert boards are made and solved.
"""

import hashlib
import itertools
import random

import numpy as np
import pytest
from amounts import count

from solver import generation, kernel, parse_board
from solver.board import GameState
from solver.errors import BoardValueError, GenerationError
from solver.exact import analyse_exactly
from solver.formats import as_full_map, format_game_id, format_mbf
from solver.formats.documents import InexpressibleError
from solver.game import Game
from solver.generation import Order, find_hint, generate, level_of
from solver.layout import FirstClick, Layout
from solver.rules import LEVELS, deduce
from solver.simulation import Deal, SeededDeals, format_deal

N_BOARDS = count("MINEBOT_GENERATED_BOARDS", gate=15, full=200)
EXPERT = Order((16, 30), 99, is_guess_free=True)


def layout_of(text):
    return as_full_map(parse_board(text)).layout


def play(layout, first_cell, find_safe):
    """Play by what proves cells safe; return the game where it proves no more."""
    game = Game.on(layout)
    game.open(first_cell)
    while not game.is_over:
        safe = find_safe(game.board)
        if not safe:
            break
        for cell in safe:
            game.open(cell)
    return game


def safe_exactly(board):
    exact = analyse_exactly(board)
    return [board.topology.cell(i) for i in np.flatnonzero(exact.proof(board.cells.size) < 0).tolist()]


def is_solved(layout, first_cell, level="exact"):
    find_safe = safe_exactly if level == "exact" else lambda board: deduce(board, level).safe
    state = play(layout, first_cell, find_safe).state
    assert state is not GameState.LOST
    return state is GameState.WON


def border_of(shape):
    is_border = np.ones(shape, dtype=bool)
    is_border[tuple(slice(1, -1) for _ in shape)] = False
    return is_border


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("01*\n011\n000", (1, 0)),
        ("00001*\n000011\n000000", (1, 2)),
        ("1*1\n222\n*2*", (1, 1)),
        ("***\n*8*\n***", (1, 1)),
        ("0000", (0, 1)),
        ("***\n***\n23*", (2, 1)),
    ],
    ids=["zero by a number", "equals", "no zero", "one safe cell", "a row", "off centre"],
)
def test_hint_is_the_zero_nearest_the_centre_else_a_safe_cell(text, hint):
    board = parse_board(text)
    has_mine = board.cells == -4
    layout = Layout(has_mine)
    assert find_hint(layout) == hint
    assert find_hint(Layout(has_mine)) == hint


def test_hint_is_refused_where_all_are_mines():
    with pytest.raises(BoardValueError, match="mines only"):
        find_hint(Layout(np.ones((2, 2), dtype=bool)))


@pytest.mark.timeout(3600)
def test_guess_free_expert_boards_are_solved_from_their_hint_by_exact_counting():
    for seed in range(1, N_BOARDS + 1):
        made = generate(EXPERT, seed)
        assert (made.layout.shape, made.layout.n_mines) == ((16, 30), 99)
        assert made.hint == find_hint(made.layout)
        assert made.layout.numbers[made.hint] == 0
        assert is_solved(made.layout, made.hint), format_deal(Deal(seed, made.layout, made.hint))


@pytest.mark.parametrize(
    "order",
    [
        Order((9, 9), 35, is_guess_free=True),
        Order((30, 20), 130, is_guess_free=True),
        Order((16, 30), 99, is_guess_free=True, start=(0, 0)),
        Order((8, 8), 20, is_guess_free=True, start=(7, 3)),
        Order((9, 9), 12, wrap=True, is_guess_free=True),
        Order((4, 4, 4, 4), 20, is_guess_free=True),
        Order((60,), 8, is_guess_free=True),
        Order((5, 5), 0, is_guess_free=True),
        Order((3, 3), 8, is_guess_free=True),
    ],
    ids=lambda order: f"{'x'.join(map(str, order.shape))}-{order.mines}",
)
def test_guess_free_boards_of_any_kind_are_solved(order):
    for seed in range(3):
        made = generate(order, seed)
        assert (made.layout.shape, made.layout.n_mines, made.layout.wrap) == (order.shape, order.mines, order.wrap)
        assert made.hint == (order.start or find_hint(made.layout))
        assert is_solved(made.layout, made.hint)


@pytest.mark.parametrize("level", LEVELS)
def test_board_of_a_level_is_solved_by_it_and_not_by_the_level_below(level):
    order = Order((9, 9), 16 if level == "full" else 14, level=level)
    for seed in range(1, 2 if level == "full" else 4):
        made = generate(order, seed)
        assert is_solved(made.layout, made.hint)
        solving = [name for name in LEVELS if is_solved(made.layout, made.hint, name)]
        assert solving == list(LEVELS[LEVELS.index(level) :])
        assert level_of(made.layout, made.hint) == level


def test_level_of_a_board_that_takes_a_guess_is_none():
    layout = Layout.of_cells((2, 4), [(0, 3)])
    assert not is_solved(layout, (0, 0))
    assert level_of(layout, (0, 0)) is None


def test_3bv_lies_in_the_range_ordered():
    for seed in range(5):
        made = generate(Order((16, 16), 40, is_guess_free=True, bbbv=(60, 63)), seed)
        assert 60 <= made.layout.bbbv <= 63


def test_start_is_a_zero_where_mines_leave_room_else_safe():
    roomy, narrow = (generate(Order((5, 5), mines, start=(0, 4)), 1) for mines in (21, 22))
    assert roomy.layout.numbers[0, 4] == 0
    assert not narrow.layout.has_mine[0, 4]
    assert narrow.layout.numbers[0, 4] > 0


def test_plain_board_is_that_of_the_seed():
    for seed in range(5):
        assert (
            generate(Order((16, 30), 99), seed).layout
            == SeededDeals((16, 30), 99, False, "hint", None, seed, 1)[0].layout
        )


@pytest.mark.parametrize(
    ("order", "digest"),
    [
        (Order((16, 30), 99), "457c86068e1292fe"),
        (EXPERT, "bcc4bbe7abfe598d"),
        (Order((9, 9), 35, is_guess_free=True), "2bedce0e6489d334"),
        (Order((16, 16), 40, level="subset"), "ab7be45cdd1bcdce"),
        (Order((4, 4, 4), 10, wrap=True, is_guess_free=True, start=(0, 0, 0)), "842959f1a4b4b8a0"),
    ],
    ids=["plain", "expert", "dense", "subset", "wrapped"],
)
def test_boards_of_seeds_stay_what_they_are(order, digest):
    made = [generate(order, seed) for seed in range(3)]
    lines = [format_deal(Deal(one.seed, one.layout, one.hint)) for one in made]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == digest


def test_boards_are_the_same_without_the_kernel(monkeypatch):
    order = Order((9, 9), 14, is_guess_free=True)
    fast = [generate(order, seed) for seed in range(4)]
    assert sum(made.n_moves for made in fast) > 0
    monkeypatch.setattr(kernel.engine, "_compiled", None)
    assert [generate(order, seed).layout for seed in range(4)] == [made.layout for made in fast]


def test_moving_mines_leaves_the_border_its_share():
    orders = [Order((16, 30), 99), EXPERT]
    is_border = border_of((16, 30))
    plain, moved = (
        np.mean([generate(order, seed).layout.has_mine[is_border].sum() for seed in range(1, 201)]) / 99
        for order in orders
    )
    assert moved == pytest.approx(plain, abs=0.002)
    assert moved == pytest.approx(is_border.mean(), abs=0.02)


def test_mines_that_move_are_told_of_and_are_where_it_says():
    told = []
    order = Order((9, 9), 20, is_guess_free=True)
    made = generate(order, 5, watch=told.append)
    assert len(told) >= made.n_moves > 0
    mines = set(SeededDeals((9, 9), 20, False, "hint", None, 5, 1)[0].layout.mine_cells)
    assert made.n_tries == 1
    for move in told:
        assert set(move.sources) <= mines
        mines = (mines - set(move.sources)) | set(move.targets)
        assert len(mines) == 20
    assert mines == made.layout.mine_cells


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (Order((4, 4), 1, level="full"), "1000 tries.*needed no more than bounds"),
        (Order((4, 4), 14, is_guess_free=True, start=(0, 0)), "1000 tries.*1000 came to a dead end"),
        (Order((4, 4), 3, bbbv=(90, 99)), "1000 tries.*too small a 3BV"),
        (Order((4, 4), 3, bbbv=(0, 0)), "1000 tries.*too large a 3BV"),
    ],
    ids=["level", "guesses", "small", "large"],
)
def test_what_there_is_not_is_given_up_with_what_was_tried(order, reason):
    with pytest.raises(GenerationError, match=reason):
        generate(order, 1)


def test_patience_is_that_of_a_person_on_a_busy_machine(monkeypatch):
    """The clock on the wall goes on while the processor does other things."""
    clock = itertools.count(0.0, 20.0)
    monkeypatch.setattr(generation.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(generation.time, "thread_time", lambda: 0.0)
    with pytest.raises(GenerationError, match=r"no board like that in 4 tries and 100\.0 s: 4 had too large a 3BV"):
        generate(Order((4, 4), 3, bbbv=(0, 0)), 1, patience_s=60.0)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"shape": (3, 3), "mines": 9}, "0 to 8 mines"),
        ({"shape": (3, 3), "mines": -1}, "0 to 8 mines"),
        ({"shape": (3, 0), "mines": 0}, "at least one cell"),
        ({"shape": (3, 3), "mines": 1, "start": (3, 0)}, "cell of the"),
        ({"shape": (3, 3), "mines": 1, "level": "easy"}, "level"),
        ({"shape": (4,) * 8, "mines": 400, "is_guess_free": True}, "listed"),
    ],
)
def test_orders_of_boards_that_cannot_be_are_refused(arguments, reason):
    with pytest.raises(BoardValueError, match=reason):
        Order(**arguments)


@pytest.mark.parametrize("shape", [(16, 30), (5, 4), (1, 1), (7, 3)])
def test_game_id_says_size_open_cell_and_mines(shape):
    rng = random.Random(repr(shape))
    layout = Layout.random(shape, shape[0] * shape[1] // 5, rng, first_cell=(0, 0))
    size, private = format_game_id(layout, (0, 0)).split(":")
    col, row, mines = private.split(",")
    assert size == f"{shape[1]}x{shape[0]}"
    assert (col, row, mines[0]) == ("0", "0", "u")
    bits = "".join(f"{int(digit, 16):04b}" for digit in mines[1:])
    assert [bit == "1" for bit in bits[: layout.has_mine.size]] == layout.has_mine.ravel().tolist()
    assert set(bits[layout.has_mine.size :]) <= {"0"}
    assert len(bits) - layout.has_mine.size < 4


def test_mbf_says_size_and_mines():
    layout = Layout.random((16, 30), 99, random.Random(1))
    cols, rows, high, low, *cells = format_mbf(layout)
    assert (cols, rows, 256 * high + low) == (30, 16, 99)
    assert {(y, x) for x, y in zip(cells[::2], cells[1::2], strict=True)} == layout.mine_cells
    assert len(cells) == 198


def test_clone_files_refuse_what_they_cannot_say():
    wrapped = Layout(np.zeros((3, 3), dtype=bool), wrap=True)
    for layout in (wrapped, Layout(np.zeros((3, 3, 3), dtype=bool))):
        with pytest.raises(InexpressibleError, match="flat"):
            format_mbf(layout)
        with pytest.raises(InexpressibleError, match="flat"):
            format_game_id(layout, (0,) * len(layout.shape))
    with pytest.raises(InexpressibleError, match="255"):
        format_mbf(Layout(np.zeros((256, 2), dtype=bool)))
    with pytest.raises(InexpressibleError, match="without a mine"):
        format_game_id(layout_of("*1"), (0, 0))


def test_start_keeps_its_surroundings_free_of_moved_mines():
    order = Order((16, 30), 110, start=(8, 8), is_guess_free=True)
    made = generate(order, 2)
    assert made.n_moves > 0
    kept_free = FirstClick.ZERO.kept_free(made.layout.topology, (8, 8))
    assert not made.layout.has_mine.ravel()[list(kept_free)].any()
