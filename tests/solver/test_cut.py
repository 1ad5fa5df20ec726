"""Boards that go on unseen: numbers at a cut side prove only what holds whatever lies there."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from solver import Board, BoardValueError, InconsistentError, analyse, confirm, explain, iter_solutions, parse_board
from solver.board import CLOSED, SIDES, UNREADABLE, format_board, format_sides
from solver.errors import BoardTextError
from solver.formats import FORMATS, InexpressibleError
from solver.layout import Layout


def board(text, *sides):
    return Board(parse_board(text).cells, cut=frozenset(sides))


def random_part(rng):
    """A part of a random position: what is seen of it, cut at some sides, and where its mines are."""
    layout = Layout(np.array([[rng.random() < 0.2 for _ in range(8)] for _ in range(8)]))
    cells = np.where([[rng.random() < 0.6 for _ in range(8)] for _ in range(8)], layout.numbers, CLOSED)
    cells[layout.has_mine] = CLOSED
    top, left, bottom, right = rng.randrange(3), rng.randrange(3), 8 - rng.randrange(3), 8 - rng.randrange(3)
    ends = dict(zip(("top", "left", "bottom", "right"), (top, left, 8 - bottom, 8 - right), strict=True))
    part = np.s_[top:bottom, left:right]
    return Board(cells[part], cut=frozenset(side for side, n in ends.items() if n)), layout.has_mine[part]


@pytest.mark.parametrize(
    ("side", "text", "safe", "mines"),
    [
        ("right", "#?\n#3\n#?", (), ()),
        ("left", "?#\n3#\n?#", (), ()),
        ("bottom", "###\n?3?", (), ()),
        ("top", "?3?\n###", (), ()),
        ("right", "##1\n##1\n##1", ((0, 1), (2, 1)), ()),  # both pairs of rows have one mine, so have all three
        ("right", "##0\n##0\n##0", ((0, 1), (1, 1), (2, 1)), ()),  # nothing out there can make a 0 of it
        ("right", "#+?\n##1\n##?", ((1, 1), (2, 1)), ()),  # its one mine is seen
        ("right", "#?\n#6\n#?", (), ((0, 0), (1, 0), (2, 0))),  # three cells cannot hold more out there
    ],
)
def test_numbers_at_a_cut_side_prove_what_holds_whatever_lies_there(side, text, safe, mines):
    found = analyse(board(text, side))
    assert (found.safe, found.mines) == (safe, mines)
    confirm(found)


def test_the_same_numbers_prove_more_on_a_whole_board():
    text = "#?\n#3\n#?"
    assert len(analyse(board(text)).mines) == 3
    assert analyse(board(text, "right")).mines == ()


def test_what_is_proven_of_random_parts_is_true_and_all_there_is():
    rng = random.Random(21)
    n_proven = 0
    for _ in range(150):
        part, has_mine = random_part(rng)
        found = analyse(part)
        confirm(found)
        wide = analyse(part.widened)
        moved = tuple(part.cell_of(part.widened.topology.index(cell)) for cell in wide.safe + wide.mines)
        inside = tuple(cell for cell in moved if part.topology.has_cell(cell))
        assert set(found.safe + found.mines) == set(inside)
        assert [bool(has_mine[cell]) for cell in found.safe + found.mines] == [False] * len(found.safe) + [True] * len(
            found.mines
        )
        n_proven += len(inside)
        assert found.n_models == wide.n_models
        for cell in found.safe[:1]:
            assert explain(part, cell, analysis=found).verdict == "safe"
            assert found.exact_risk(cell) == 0
    assert n_proven > 500


def test_an_explanation_names_the_cells_as_they_are_counted_on_what_is_seen():
    told = explain(board("?????\n#+1??\n#?1??", "top", "left"), (1, 0))
    assert told.verdict == "not forced"
    told = explain(board("?+1#\n????", "top", "left"), (0, 3))
    assert (told.verdict, told.clues) == ("safe", ((0, 2),))
    assert "(0,2)" in told.text
    assert "(-1,1)" in told.text


def test_solutions_and_risks_count_the_cells_nobody_sees():
    part = board("1#", "left")
    assert {(0, 1), (0, -1)} == {cell for layout in iter_solutions(part) for cell in layout}
    assert analyse(part).p_mine[0, 1] == 0.5


def test_a_contradiction_is_named_where_it_is_seen():
    with pytest.raises(InconsistentError) as raised:
        analyse(board("????\n?0+?\n????", "top", "left"))
    assert raised.value.clue == (1, 1)


def test_the_text_of_a_board_says_where_it_is_cut():
    part = board("1#\n##", "right", "top")
    assert format_board(part) == "; cut: top right\n1#\n##\n"
    assert parse_board(format_board(part)) == part
    assert part != board("1#\n##")
    with pytest.raises(BoardTextError, match="expected cut sides of top, bottom, left, right, got middle"):
        parse_board("; cut: middle\n##")


@pytest.mark.parametrize("form", ["rows", "md"])
def test_other_forms_say_what_they_lose(form):
    part = board("1#\n##", "bottom")
    with pytest.raises(InexpressibleError, match="no place for the cut sides bottom"):
        FORMATS[form].format(part)


def test_what_a_cut_board_cannot_have():
    with pytest.raises(BoardValueError, match="no mine count on a board that goes on unseen, got 3"):
        Board(np.full((3, 3), CLOSED), 3, cut=frozenset({"top"}))
    with pytest.raises(BoardValueError, match="no mine count"):
        board("##", "top").with_mines(1)
    with pytest.raises(BoardValueError, match="a ring or has one dimension"):
        Board(np.full((3, 3), CLOSED), wrap=True, cut=frozenset({"top"}))


def test_widened_has_a_line_of_unreadable_cells_past_each_cut_side_and_keeps_names():
    for n in range(1, 5):
        for sides in combinations(SIDES, n):
            part = board("12\n#3\n##", *sides)
            assert format_sides(part.cut).split() == list(sides)
            wide = part.widened
            assert np.array_equal(wide.cells[part.seen], part.cells)
            assert int((wide.cells == UNREADABLE).sum()) == wide.cells.size - part.cells.size
            assert [part.cell_of(part.index_of(cell)) for cell in np.ndindex(3, 2)] == list(np.ndindex(3, 2))
