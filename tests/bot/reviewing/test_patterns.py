"""What players call the numbers that prove a cell: boards drawn as text."""

from dataclasses import replace

import numpy as np
import pytest

from bot.reviewing.patterns import BY_COUNT, ONE_NUMBER, name_pattern
from solver import analyse, parse_board

A_NUMBER_BESIDE_A_MARKED_MINE = """
#####
12???
??#??
???1?
"""


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("is_mirrored", [False, True])
@pytest.mark.parametrize(
    ("name", "text", "cell"),
    [
        ("1-2-1", "#####\n#####\n?121?\n00000\n", (1, 2)),
        ("1-2-2-1", "######\n######\n?1221?\n000000\n", (1, 1)),
        ("1-1 at the wall", "#####\n#####\n11???\n00000\n", (1, 2)),
        ("1-1", "#####\n?####\n?11??\n00000\n", (1, 3)),
        ("1-2", "######\n######\n??12??\n000000\n", (1, 1)),
        ("1-1 at the wall", A_NUMBER_BESIDE_A_MARKED_MINE, (0, 2)),
        (ONE_NUMBER, "##1\n#11\n???\n", (0, 0)),
        (ONE_NUMBER, "#F1\n#11\n???\n", (0, 0)),
        (BY_COUNT, "; mines: 1\n1##\n?##\n", (1, 2)),
        ("2 numbers that stand in no line", "?1?\n###\n1??\n", (1, 2)),
    ],
)
def test_patterns_have_the_names_of_players_whichever_way_they_lie(name, text, cell, turns, is_mirrored):
    board = parse_board(text)
    marked = np.zeros(board.shape, dtype=bool)
    marked[cell] = True

    def turned(array):
        return np.rot90(array.T if is_mirrored else array, turns)

    board = replace(board, cells=turned(board.cells))
    (cell,) = map(tuple, np.argwhere(turned(marked)).tolist())
    assert cell in analyse(board).safe
    assert name_pattern(board, cell) == name
