"""How messages write cells, sizes and amounts."""

from __future__ import annotations

from solver.words import counted, format_cells, name_cell, name_shape, quoted


def test_cells_and_sizes_are_written_as_a_person_types_them():
    assert name_cell((3, 14)) == "(3,14)"
    assert name_cell((7,)) == "(7)"
    assert name_shape((16, 30)) == "16x30"
    assert name_shape((4, 4, 4, 4)) == "4x4x4x4"


def test_amount_of_one_is_singular():
    assert counted(1, "cell") == "1 cell"
    assert counted(0, "cell") == "0 cells"
    assert counted(1000, "guess") == "1,000 guesses"


def test_long_list_of_cells_is_shortened():
    assert format_cells([(0, 1), (0, 2)]) == "(0,1) (0,2)"
    assert format_cells((0, col) for col in range(30)).endswith("(0,22) and 7 more")


def test_long_text_is_quoted_in_part():
    assert quoted("abc") == "'abc'"
    assert quoted("a" * 30) == repr("a" * 17 + "...")
