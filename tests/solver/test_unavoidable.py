"""Guesses that have to be made. Every layout of small boards is tried: no cell elsewhere may tell them apart."""

from __future__ import annotations

import random
from itertools import product

import pytest

from solver import Board, analyse, explain, parse_board
from solver.board import CLOSED
from solver.unavoidable import find_unavoidable

N_POSITIONS = 250
SHAPES = [(3, 4), (2, 6), (3, 5), (2, 2, 3)]


def positions(shape, numbers_of, *, wrap):
    """Positions of small boards with 4 mines and up to 4 other closed cells in which nothing is proven safe."""
    everywhere = list(product(*map(range, shape)))
    for seed in range(N_POSITIONS):
        chance = random.Random(seed)
        closed = chance.sample(everywhere, 8)
        cells = numbers_of(set(closed[:4]), shape, wrap=wrap)
        for cell in closed[: chance.randint(5, 8)]:
            cells[cell] = CLOSED
        analysis = analyse(Board(cells, 4, wrap=wrap))
        if not analysis.safe:
            yield analysis, [cell for cell in everywhere if 0.0 < analysis.p_mine[cell] < 1.0]


def shown(layout, hidden, shape, numbers_of, *, wrap):
    """What every cell but these shows in a layout; None for a mine."""
    numbers = numbers_of(layout, shape, wrap=wrap)
    return {
        cell: None if cell in layout else int(numbers[cell])
        for cell in product(*map(range, shape))
        if cell not in hidden
    }


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_elsewhere_tells_of_what_is_unavoidable(shape, wrap, try_all, numbers_of):
    for analysis, open_to_doubt in positions(shape, numbers_of, wrap=wrap):
        layouts = {frozenset(one) for one in try_all(analysis.board.cells, 4, wrap=wrap).layouts}
        for cell in open_to_doubt:
            found = find_unavoidable(analysis, cell)
            if found is None:
                continue
            inside = frozenset(found.cells)
            ways, elsewhere = {one & inside for one in layouts}, {one - inside for one in layouts}
            assert cell in inside
            assert len(ways) > 1
            assert {len(way) for way in ways} == {found.n_mines}
            for rest in elsewhere:
                assert all(rest | way in layouts for way in ways)
                first, *others = (shown(rest | way, inside, shape, numbers_of, wrap=wrap) for way in ways)
                assert all(other == first for other in others)


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_50_50_is_found(shape, wrap, try_all, numbers_of):
    """Two cells of which exactly one is a mine in every layout, and which can change places unseen."""
    n_found = 0
    for analysis, open_to_doubt in positions(shape, numbers_of, wrap=wrap):
        layouts = {frozenset(one) for one in try_all(analysis.board.cells, 4, wrap=wrap).layouts}
        for one, other in ((a, b) for a in open_to_doubt for b in open_to_doubt if a < b):
            pair = {one, other}
            swapped = {layout: layout ^ pair for layout in layouts if len(layout & pair) == 1}
            is_50_50 = len(swapped) == len(layouts) and all(
                turned in layouts
                and shown(layout, pair, shape, numbers_of, wrap=wrap)
                == shown(turned, pair, shape, numbers_of, wrap=wrap)
                for layout, turned in swapped.items()
            )
            found = find_unavoidable(analysis, one)
            assert is_50_50 == (found is not None and found.is_pair and set(found.cells) == pair) or (
                is_50_50 and found is not None and found.is_pair  # one of several
            )
            n_found += is_50_50
    assert n_found or wrap


PAIRS = """; mines: 6
#1001#
#3113#
++11++"""


def test_50_50_is_named_by_both_its_cells():
    for cell in ((0, 0), (1, 0)):
        text = explain(parse_board(PAIRS), cell).text
        assert "A 50/50 that nothing can decide: one of (0,0) (1,0) is a mine." in text


def test_cells_that_are_cut_off_are_named_with_their_mines():
    board = parse_board("; mines: 5\n13###\n####1\n13###")
    named = (
        "No other cell can decide it: (0,3) (0,4) (1,3) (2,3) (2,4) are cut off from the rest, with 1 mine among them."
    )
    assert named in explain(board, (1, 3)).text


def test_frontier_that_later_numbers_may_tell_of_is_not_called_unavoidable():
    board = parse_board("; mines: 3\n#####\n#111#\n#1 1#\n#111#\n#####".replace(" ", "0"))
    assert all(find_unavoidable(analyse(board), cell) is None for cell in ((0, 0), (0, 2), (2, 0)))


def test_number_that_is_not_read_yet_may_tell():
    assert "50/50" not in explain(parse_board(PAIRS.replace("1001", "100?")), (0, 0)).text
