import numpy as np
import pytest
from chunks import in_chunks

from solver import Board, InconsistentError, analyse, chances_of_number, parse_board
from solver.errors import BoardValueError


@in_chunks("seed", range(100), 4)
def test_chances_of_number_agree_with_trying_every_layout(seed, random_position, try_all, beside, engine):
    shape, wrap = [((4, 4), False), ((3, 5), True), ((2, 3, 3), False)][seed % 3]
    cells, layout = random_position(seed, shape, 2 + seed % 4, n_unknown=6 + seed % 6, wrap=wrap)
    board = Board(cells, len(layout), wrap)
    truth = try_all(cells, len(layout), wrap=wrap)
    known = {cell for cell in np.ndindex(shape) if cells[cell] in (-4, -5, -7)}
    cell = next(cell for cell in np.ndindex(shape) if cells[cell] in (-1, -2, -8))
    found = np.zeros(27)
    for mines in truth.layouts:
        if cell not in mines:
            found[sum(beside(cell, mine, shape, wrap=wrap) for mine in {*mines, *known})] += 1
    chances = chances_of_number(board, cell)
    np.testing.assert_allclose(chances, found[: chances.size] / truth.n_models, rtol=1e-13)
    assert chances.sum() == pytest.approx(1 - analyse(board).p_mine[cell])


def test_chances_of_number_are_hypergeometric_on_a_fresh_board():
    chances = chances_of_number(np.full((3, 3), -1), (0, 0), mines=2)
    np.testing.assert_allclose(chances, [10 / 36, 15 / 36, 3 / 36, 0], rtol=1e-13)


@pytest.mark.parametrize(("text", "cell"), [("; mines: 1\n1#", (0, 0)), ("; mines: 1\n1#", (1, 0)), ("1#", (0, 1))])
def test_chances_of_number_refuse_what_has_none(text, cell):
    with pytest.raises(BoardValueError):
        chances_of_number(parse_board(text), cell)


def test_chances_of_number_refuse_an_inconsistent_position():
    with pytest.raises(InconsistentError):
        chances_of_number(parse_board("; mines: 2\n1##\n3??"), (0, 2))
