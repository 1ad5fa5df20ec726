"""The mine count: as given, by the counter, by the size, or not at all; never a guess."""

from __future__ import annotations

import pytest
from counters import board_with_counter
from player_table import CLASSIC

from bot.errors import UsageError
from bot.playing.board_view import BoardSearch
from bot.playing.control import Control
from bot.vision.mine_counter import MineCount, _count_mines, known_count
from solver.board import parse_board


def closed(rows, cols):
    return parse_board("\n".join(["#" * cols] * rows))


@pytest.mark.parametrize(
    ("board", "shown", "given", "expected"),
    [
        (closed(9, 9), None, None, (10, "size")),
        (closed(9, 9), 10, None, (10, "counter")),
        (closed(9, 9), 10, 10, (10, "given")),
        (closed(12, 10), None, None, (None, None)),
        (closed(12, 10), 17, None, (17, "counter")),
        (closed(12, 10), None, 20, (20, "given")),
        (parse_board("1F##\n####"), 2, None, (3, "counter")),
        (parse_board("1FF#\n####"), -1, None, (1, "counter")),
        (parse_board("1x*#\nX###\n####"), 4, None, (5, "counter")),
        (parse_board("1F!!\n####"), 2, 5, (5, "given")),
    ],
)
def test_count_mines_takes_the_best_there_is(board, shown, given, expected):
    assert _count_mines(board, shown, given) == MineCount(*expected)


@pytest.mark.parametrize(
    ("board", "shown", "given", "expected", "remark"),
    [
        (
            closed(9, 9),
            35,
            None,
            (35, "counter"),
            "35 mines where a standard 9x9 board has 10: the counter is believed",
        ),
        (closed(9, 9), 35, 10, (10, "given"), "shows 35, which makes 35 mines: 10 as given is believed"),
        (closed(9, 9), 81, None, (10, "size"), "cannot be: the counter is not believed"),
        (closed(9, 9), 0, None, (10, "size"), "cannot be: the counter is not believed"),
        (closed(12, 10), -5, None, (None, None), "cannot be"),
        (parse_board("1F!!\n####"), 2, None, (None, None), "3 to 5 mines: not all cells can be seen"),
        (
            closed(8, 16),
            99,
            None,
            (None, None),
            "99 mines, more than half of the 128 cells: part of the board may be out of sight",
        ),
        (closed(9, 9), 41, None, (None, None), "41 mines, more than half of the 81 cells"),
        (closed(8, 16), 99, 99, (99, "given"), ""),
        (parse_board("1*X*\n####"), 2, None, (None, None), "cannot be"),
        (parse_board("F###\n1111"), 4, None, (None, None), "cannot be"),
    ],
)
def test_count_mines_says_what_speaks_against_it(board, shown, given, expected, remark):
    count = _count_mines(board, shown, given)
    assert (count.mines, count.source) == expected
    assert remark in count.remark


def test_count_mines_under_a_dialog_is_the_standard_where_that_fits():
    half_hidden = parse_board("\n".join(["!" * 9] * 4 + ["#" * 9] * 5))
    assert _count_mines(half_hidden, 3).source == "size"
    assert _count_mines(half_hidden, 3).mines == 10
    assert _count_mines(half_hidden, 11).mines is None


@pytest.mark.parametrize("given", [0, -1, 120, 500])
def test_count_mines_refuses_what_cannot_be(given):
    with pytest.raises(UsageError, match=f"expected 1 to 119 mines on a 12x10 board, got {given}"):
        _count_mines(closed(12, 10), None, given)


def test_known_count_asks_where_nothing_tells():
    assert known_count(MineCount(7, "counter"), 5, 5) == 7
    with pytest.raises(UsageError, match=r"a 12x10 board is no standard level: say how many mines .* --mines N"):
        known_count(MineCount(), 12, 10)
    with pytest.raises(UsageError, match="not all cells can be seen: say how many"):
        known_count(MineCount(None, None, "not all cells can be seen"), 12, 10)


class Screens:
    """A screen that shows one picture after the other."""

    def __init__(self, frames):
        self._frames = frames
        self.n_grabs = 0

    def grab(self, region):
        self.n_grabs += 1
        return self._frames[min(self.n_grabs, len(self._frames)) - 1]


def look(texts, rows=9, cols=9, given=None):
    """Find the board, its counter showing one text after the other: (place, looks at the counter)."""
    states = [["closed"] * cols] * rows
    frames = [board_with_counter(CLASSIC, states, text)[0] for text in texts]
    screen = Screens([frames[0], *frames])  # on the first the board is found
    return BoardSearch(screen, [CLASSIC], Control(running=True), mines=given).first(), screen.n_grabs - 1


@pytest.mark.parametrize(
    ("text", "rows", "cols", "mines"), [("010", 9, 9, 10), ("", 9, 9, 10), ("017", 12, 10, 17), ("040", 16, 16, 40)]
)
def test_play_takes_one_look_where_counter_and_size_agree(text, rows, cols, mines):
    place, n_looks = look([text], rows, cols)
    assert (place.mines, place.remark, n_looks) == (mines, "", 1)


def test_play_looks_again_where_they_do_not():
    place, n_looks = look(["009", "010"])
    assert (place.mines, place.remark, n_looks) == (10, "", 2)
    place, n_looks = look(["012"])
    assert (place.mines, n_looks) == (12, 2)
    assert "the counter is believed" in place.remark


def test_play_believes_a_person_more_than_the_counter_and_says_so():
    place, n_looks = look(["012"], given=11)
    assert (place.mines, n_looks) == (11, 2)
    assert "11 as given is believed" in place.remark


def test_play_asks_where_the_counter_does_not_stand_still():
    with pytest.raises(UsageError, match="the mine counter does not stand still: say how many mines"):
        look(["012", "013", "014", "015", "016", "017"])
