"""Boards to play: the promise of every first-click rule, the board of a seed, files of boards."""

import pickle
import random
import tracemalloc

import numpy as np
import pytest

from solver import BoardTextError, BoardValueError, Topology
from solver.layout import Layout
from solver.simulation import PRESETS, Deal, ListedDeals, SeededDeals, deals, format_deal, parse_deals, usual_first_cell

N_SYSTEM = {
    "beginner-8x8": ((8, 8), 10, False),
    "intermediate": ((16, 16), 40, False),
    "expert": ((30, 16), 99, False),
    "3d-easy": ((5, 5, 5), 10, False),
    "3d-medium": ((7, 7, 7), 33, False),
    "3d-hard": ((10, 10, 10), 99, False),
    "4d-easy": ((4, 4, 4, 4), 10, False),
    "4d-medium": ((4, 4, 4, 4), 20, False),
    "4d-hard": ((4, 4, 4, 4), 30, False),
    "4d-harder": ((4, 4, 4, 4), 40, False),
    "beginner-8x8-wrap": ((8, 8), 10, True),
    "intermediate-wrap": ((16, 16), 40, True),
    "expert-wrap": ((30, 16), 99, True),
    "1d": ((60,), 10, False),
    "6d": ((4, 4, 4, 4, 4, 4), 50, False),
    "test": ((5, 4), 4, False),
}


def deals_of(shape, mines, rule, n, *, wrap=False, seed=1, start=None):
    first = usual_first_cell(shape, rule, wrap=wrap) if start is None else start
    return SeededDeals(shape, mines, wrap, rule, first, seed, n)


def test_presets_hold_the_sixteen_of_the_n_dimensional_system():
    assert len(N_SYSTEM) == 16
    for name, (shape, mines, wrap) in N_SYSTEM.items():
        preset = PRESETS[name]
        assert (sorted(preset.shape), preset.mines, preset.wrap) == (sorted(shape), mines, wrap)


@pytest.mark.parametrize("start", [(0, 0), (3, 3), (8, 15)])
def test_board_of_a_seed_is_the_sample_that_is_documented(start):
    near = Topology((16, 30)).neighbours(start)
    for rule, kept_free in (("any", []), ("safe", [start]), ("zero", [start, *near])):
        allowed = [i for i in range(480) if (i // 30, i % 30) not in kept_free]
        deals = deals_of((16, 30), 99, rule, 5, start=start, seed=42)
        for place in range(5):
            mines = sorted(random.Random(42 + place).sample(allowed, 99))
            deal = deals[place]
            assert np.flatnonzero(deal.layout.has_mine.ravel()).tolist() == mines
            assert (deal.seed, deal.first_cell) == (42 + place, start)


@pytest.mark.parametrize(
    ("shape", "mines", "wrap"), [((9, 9), 20, False), ((5, 4), 4, True), ((4, 4, 4), 12, False), ((2, 2, 9), 4, True)]
)
def test_thousand_boards_keep_the_promise_of_the_first_click(shape, mines, wrap):
    n_hit = n_zeros = 0
    for rule in ("any", "safe", "zero", "hint"):
        deals = deals_of(shape, mines, rule, 1000, wrap=wrap)
        first_cells = set()
        for place in range(1000):
            _, layout, first, _ = deals[place]
            assert layout.n_mines == mines
            assert layout.wrap is wrap
            first_cells.add(first)
            zeros = (layout.numbers == 0) & ~layout.has_mine
            if rule == "any":
                n_hit += layout.has_mine[first]
            else:
                assert not layout.has_mine[first]
            if rule == "safe":
                n_zeros += zeros[first]
            if rule == "zero":
                assert layout.numbers[first] == 0
            if rule == "hint":
                assert zeros[first] or not zeros.any()
        assert (len(first_cells) > 1) is (rule == "hint")
    expected = 1000 * mines / np.prod(shape)
    assert abs(n_hit - expected) < 4 * np.sqrt(expected)  # any: as often a mine as any other cell
    assert 0 < n_zeros < 1000 or wrap  # safe: no more than promised


def test_boards_are_uniform_among_those_allowed():
    deals = deals_of((2, 3), 2, "safe", 5000)
    counts = {}
    for place in range(5000):
        mines = frozenset(deals[place].layout.mine_cells)
        counts[mines] = counts.get(mines, 0) + 1
    assert len(counts) == 10
    chi_square = sum((n - 500) ** 2 / 500 for n in counts.values())
    assert chi_square < 27.9  # 9 degrees of freedom, one in a thousand


def test_part_holds_the_same_boards_and_travels():
    deals = deals_of((9, 9), 10, "zero", 20, seed=5)
    part = pickle.loads(pickle.dumps(deals.part(7, 12)))
    assert len(part) == 5
    for place in range(5):
        assert part[place] == deals[7 + place]
        assert part.seed_of(place) == deals.seed_of(7 + place) == deals[7 + place].seed
    listed = ListedDeals(tuple(deals[i] for i in range(20)))
    assert listed.part(7, 12)[0] == deals[7]
    assert listed.describe() != listed.part(1, 20).describe()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rule": "brave"}, "brave"),
        ({"mines": 81}, "80 mines"),
        ({"mines": -1}, "-1"),
        ({"first_cell": (9, 0)}, r"9x9 board, got \(9,0\)"),
        ({"first_cell": (0,)}, r"got \(0\)"),
        ({"first_cell": None}, "hint"),
        ({"rule": "hint"}, "hint"),
        ({"rule": "zero", "mines": 78}, "77 mines"),
        ({"shape": (9, 0)}, "got 9x0"),
    ],
)
def test_impossible_boards_are_refused(change, named):
    given = {"shape": (9, 9), "mines": 10, "wrap": False, "rule": "safe", "first_cell": (0, 0), "seed": 1, "n": 1}
    with pytest.raises(BoardValueError, match=named):
        SeededDeals(**{**given, **change})


@pytest.mark.parametrize("shape", [(4, 5), (7,), (2, 3, 4), (2, 2, 2, 3)])
@pytest.mark.parametrize("mines", [0, 1, 3])
def test_file_of_boards_reads_back(shape, mines):
    deals = [deals_of(shape, mines, "safe", 3, seed=9)[place] for place in range(3)]
    text = "; boards\n\n" + "\n".join(map(format_deal, deals)) + "\n"
    assert parse_deals(text) == tuple(deals)


def test_line_of_a_board_is_as_documented():
    (flat, deep) = parse_deals("17 2 3 0,1 1,0;1,2\n4 2,1,2 0,0,0 1,0,1")
    assert flat == Deal(17, Layout.of_cells((2, 3), [(1, 0), (1, 2)]), (0, 1))
    assert deep == Deal(4, Layout.of_cells((2, 1, 2), [(1, 0, 1)]), (0, 0, 0))
    assert format_deal(flat) == "17 2 3 0,1 1,0;1,2"
    assert format_deal(deep) == "4 2,1,2 0,0,0 1,0,1"


@pytest.mark.parametrize(
    "line",
    [
        "x 2 3 0,1 1,0",
        "1 2 3",
        "1 2 3 0,1 1,0;1,0",
        "1 2 3 0,1 2,0",
        "1 2 3 2,0 1,0",
        "1 0 3 0,0",
        "1 9999999,999 0,0 1,1",
        "1 2 3 0,1 1;0",
        "1 2 3 0,1 a,b",
        "1 2 3 0,1 1,0 1,1",
    ],
)
def test_broken_line_is_named(line):
    with pytest.raises(BoardTextError, match="line 2"):
        parse_deals(f"; first\n{line}\n")


def test_file_of_boards_takes_bounded_memory():
    """A line of 16 letters may be a board of ten million cells."""
    with pytest.raises(BoardTextError, match="line 20: expected boards"):
        parse_deals("1 10000,1000 0,0\n" * 40)


def test_small_boards_count_with_what_is_around_them(monkeypatch):
    monkeypatch.setattr(deals, "_MOST_IN_ALL", 5000)
    assert len(parse_deals("1 1,1 0,0\n" * 9)) == 9
    with pytest.raises(BoardTextError, match="line 10: expected boards"):
        parse_deals("1 1,1 0,0\n" * 10)


def test_empty_lines_of_a_file_of_boards_take_no_memory():
    text = "\n" * 1_000_000
    tracemalloc.start()
    try:
        assert parse_deals(text) == ()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_lines_of_a_file_of_boards_are_counted_with_empty_ones():
    with pytest.raises(BoardTextError, match="line 4"):
        parse_deals("\n; nothing\r\n1 2 2 0,0 1,1\r\nx")
