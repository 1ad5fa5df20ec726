"""What one observation means for the game that is on: two boards drawn as text, and the word for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_readings import reading_of

from bot.models import Grid, Pixel, Reading
from bot.playing.transitions import (
    Change,
    classify_change,
    continues,
    has_closed_again,
    is_another_game,
    is_same_game,
    is_same_game_in_part,
    is_whole,
)
from bot.vision.reading import is_half_painted, zeros_beside_closed
from solver.board import CLOSED, EXPLODED, FLAG, MINE, UNREADABLE, WRONG_FLAG, Board, GameState

KNOWN = "1###\n11##\n"
"""The last look at a game with two mines in rows of four."""
CUBE = "; shape: 2x2x3\n"
"""Two layers of 2x3 cells."""


def classified(now, known):
    return classify_change(now, known, is_half_painted=is_half_painted(now))


def sight_of(now, known=None, mines=2):
    return classified(reading_of(now, mines), None if known is None else reading_of(known, mines))


# --- classify_change


@pytest.mark.parametrize(
    ("now", "sight"),
    [
        ("####\n####\n", Change.PLAYABLE),
        ("#F##\n####\n", Change.PLAYABLE),
        ("1###\n####\n", Change.PLAYABLE),
        ("0011\n001#\n", Change.PLAYABLE),
        ("11##\n1F11\n", Change.PLAYABLE),
        ("1#11\n1111\n", Change.PLAYABLE),
        ("1#1#\n1111\n", Change.ENDED),
        ("1F1F\n1111\n", Change.ENDED),
        ("1#X#\n####\n", Change.ENDED),
        ("1x*#\n####\n", Change.ENDED),
        ("0#X#\n####\n", Change.ENDED),
        ("1##!\n####\n", Change.HIDDEN),
        ("!!!!\n!!!!\n", Change.HIDDEN),
        ("0##!\n####\n", Change.HIDDEN),
        ("1#X!\n####\n", Change.HIDDEN),
        ("0###\n####\n", Change.HALF_PAINTED),
        ("0011\n00#1\n", Change.HALF_PAINTED),
        ("0F1#\n001#\n", Change.PLAYABLE),
    ],
)
def test_judge_first_observation(now, sight):
    assert sight_of(now) is sight


@pytest.mark.parametrize(
    ("now", "sight"),
    [
        (KNOWN, Change.PLAYABLE),
        ("1#1#\n11##\n", Change.PLAYABLE),
        ("1##F\n11##\n", Change.PLAYABLE),
        ("1#1#\n1111\n", Change.ENDED),
        ("1#X#\n11##\n", Change.ENDED),
        ("2###\n11##\n", Change.CHANGED),
        ("1###\n10##\n", Change.HALF_PAINTED),
        ("2#X#\n11##\n", Change.CHANGED),
        ("*#X#\n11##\n", Change.CHANGED),
        ("####\n####\n", Change.ANOTHER_GAME),
        ("####\n##1#\n", Change.ANOTHER_GAME),
        ("F###\n11##\n", Change.CHANGED),  # one cell alone may have been held down before
        ("#2##\n11##\n", Change.CHANGED),
        ("##X#\n11##\n", Change.CHANGED),
        ("#####\n#####\n", Change.ANOTHER_GAME),
        ("1###\n11##\n####\n", Change.ANOTHER_GAME),
        ("!###\n11##\n", Change.HIDDEN),
        ("2##!\n11##\n", Change.HIDDEN),
    ],
)
def test_judge_observation_of_a_game_that_is_on(now, sight):
    assert sight_of(now, KNOWN) is sight


@pytest.mark.parametrize(
    ("now", "sight"),
    [
        ("1 # #\n1 # #\n\n# # #\n# # #\n", Change.PLAYABLE),
        ("1 2 #\n1 # #\n\n# # #\n# # #\n", Change.PLAYABLE),
        ("2 # #\n1 # #\n\n# # #\n# # #\n", Change.CHANGED),
        ("# # #\n1 # #\n\n# # #\n# # #\n", Change.ANOTHER_GAME),
        ("1 # #\n1 # #\n\n0 # #\n# # #\n", Change.HALF_PAINTED),
        ("1 # #\n1 # #\n\n# # !\n# # #\n", Change.HIDDEN),
        ("1 # #\n1 # #\n\n# # X\n# # #\n", Change.ENDED),
    ],
)
def test_judge_in_three_dimensions(now, sight):
    assert sight_of(CUBE + now, f"{CUBE}1 # #\n1 # #\n\n# # #\n# # #\n") is sight


def test_judge_zero_and_closed_cell_in_another_layer_are_half_painted():
    assert sight_of(f"{CUBE}0 1 #\n0 1 #\n\n# 1 #\n0 1 #\n") is Change.HALF_PAINTED
    assert sight_of(f"{CUBE}0 1 #\n0 1 #\n\n0 1 #\n0 1 #\n") is Change.PLAYABLE


def test_judge_in_four_dimensions_tells_a_cell_closed_again():
    open_board = np.full((2, 2, 2, 2), CLOSED, dtype=np.int16)
    open_board[0, 1, 0, 1] = 3
    known = _reading(Board(open_board, 5))
    closed = _reading(Board(np.full((2, 2, 2, 2), CLOSED, dtype=np.int16), 5))
    assert classified(known, known) is Change.PLAYABLE
    assert classified(closed, known) is Change.ANOTHER_GAME


# --- the questions it is made of


@pytest.mark.parametrize(
    ("now", "goes_on", "has_closed"),
    [
        (KNOWN, True, False),
        ("1#2#\n111#\n", True, False),
        ("!###\n11##\n", True, False),
        ("!!!!\n!!!!\n", True, False),
        ("2###\n11##\n", False, False),
        ("?###\n11##\n", False, False),
        ("?##X\n11##\n", True, False),
        ("2##X\n1?##\n", False, False),
        ("X###\n11##\n", False, False),
        ("####\n11##\n", False, False),
        ("F###\n11##\n", False, False),
        ("#!##\n2!##\n", False, False),
        ("#1##\n#1##\n", False, True),
        ("1##\n11#\n", False, True),
    ],
)
def test_continues_and_has_closed_again(now, goes_on, has_closed):
    now, known = reading_of(now), reading_of(KNOWN)
    assert continues(now, known) is goes_on
    assert has_closed_again(now, known) is has_closed


@pytest.mark.parametrize(
    ("now", "is_same", "is_same_in_part"),
    [
        (KNOWN, True, True),
        ("11##\n11##\n", True, True),
        ("1#0#\n11##\n", False, True),  # a flood on its way, or a cell held down
        ("1##!\n11##\n", False, True),  # an animation
        ("!###\n11##\n", False, False),
        ("2###\n11##\n", False, False),
        ("####\n11##\n", False, False),
        ("1##X\n11##\n", False, False),
        ("1*##\n11##\n", False, False),
        ("1#1#\n1111\n", True, True),
        ("1##\n11#\n", False, False),
    ],
)
def test_is_same_game_is_stricter_when_no_click_is_under_way(now, is_same, is_same_in_part):
    now, before = reading_of(now, 2), reading_of(KNOWN, 2)
    assert is_same_game(before, now, is_whole=is_whole(now)) is is_same
    assert is_same_game_in_part(before, now) is is_same_in_part


@pytest.mark.parametrize(
    ("now", "is_another"),
    [
        ("####\n####\n", True),
        ("#F##\n####\n", True),
        ("##1#\n####\n", True),
        ("###\n###\n", True),
        ("#!##\n####\n", False),
        ("1#1F\n1111\n", False),
        ("1#1#\n1111\n", False),
        ("1X1#\n1111\n", False),
        ("####\n###X\n", False),
    ],
)
def test_is_another_game_needs_a_closed_cell_where_an_open_one_was(now, is_another):
    assert is_another_game(reading_of(now, 2), reading_of("1#1#\n1111\n", 2)) is is_another


def test_is_another_game_after_one_lost_by_its_first_click():
    ended = reading_of("#X##\n####\n", 2)
    assert is_another_game(reading_of("####\n####\n", 2), ended)
    assert not is_another_game(reading_of("###1\n####\n", 2), ended), "that may be what the lost game shows late"


# --- games by the rules: what is seen of one never passes for trouble


SHAPES = st.sampled_from([(4, 5), (1, 6), (3, 3, 3), (2, 2, 2, 3)])


@st.composite
def positions_of_a_game(draw):
    """Two positions of one game, the second later; with flags at random. Numbers are counted here, by hand."""
    shape = draw(SHAPES)
    cells = list(np.ndindex(shape))
    mines = draw(st.sets(st.sampled_from(cells), min_size=1, max_size=len(cells) // 3))
    first = draw(st.sets(st.sampled_from(cells), max_size=6)) - mines
    later = first | (draw(st.sets(st.sampled_from(cells), max_size=6)) - mines)
    flags = draw(st.sets(st.sampled_from(cells), max_size=3))
    return tuple(_shown(shape, mines, _flooded(shape, mines, opened), flags) for opened in (first, later))


def _near(shape, cell):
    return [n for n in np.ndindex(shape) if n != cell and all(abs(a - b) < 2 for a, b in zip(n, cell, strict=True))]


def _flooded(shape, mines, opened):
    waiting, found = list(opened), set(opened)
    while waiting:
        near = _near(shape, waiting.pop())
        if mines.isdisjoint(near) and not found.issuperset(near):
            waiting += [n for n in near if n not in found]
            found.update(near)
    return found


def _shown(shape, mines, opened, flags):
    cells = np.full(shape, CLOSED, dtype=np.int16)
    for cell in np.ndindex(shape):
        if cell in opened:
            cells[cell] = len(mines.intersection(_near(shape, cell)))
        elif cell in flags:
            cells[cell] = FLAG
    return Board(cells, len(mines))


def _reading(board, state=GameState.PLAYING):
    unknown = tuple(tuple(cell) for cell in np.argwhere(board.cells == UNREADABLE).tolist())
    return Reading("classic", Grid(Pixel(0, 0), (16, 16), 1, 1), board, np.ones(board.shape), unknown, state)


@given(positions_of_a_game())
def test_judge_calls_every_later_position_of_a_game_playable(positions):
    before, later = map(_reading, positions)
    assert classified(before, None) is classified(later, None) is classified(later, before) is Change.PLAYABLE
    assert is_same_game(before, later, is_whole=is_whole(later))
    assert is_same_game_in_part(before, later)


@given(positions_of_a_game(), st.randoms())
def test_judge_never_lets_another_number_pass(positions, rng):
    before, later = positions
    was_open = np.argwhere(before.cells > 0).tolist()
    if not was_open:
        return
    cells = later.cells.copy()
    cell = tuple(rng.choice(was_open))
    cells[cell] = rng.choice([code for code in (1, 2, CLOSED, FLAG, EXPLODED, MINE, WRONG_FLAG) if code != cells[cell]])
    now, known = _reading(Board(cells, later.mines)), _reading(before)
    assert classified(now, known) in {Change.CHANGED, Change.ANOTHER_GAME, Change.HALF_PAINTED}
    assert not is_same_game_in_part(known, now)


@given(positions_of_a_game(), st.randoms())
def test_zeros_beside_closed_finds_exactly_the_zeros_of_a_flood_cut_short(positions, rng):
    board = positions[1]
    cells = board.cells.copy()
    cells[tuple(rng.choice(list(np.ndindex(board.shape))))] = CLOSED
    beside = {
        cell
        for cell in np.ndindex(board.shape)
        if cells[cell] == 0 and any(cells[near] == CLOSED for near in _near(board.shape, cell))
    }
    now = Board(cells, board.mines)
    assert {tuple(cell) for cell in np.argwhere(zeros_beside_closed(now)).tolist()} == beside
    assert is_half_painted(_reading(now)) is bool(beside) is not is_whole(_reading(now))
    assert not is_half_painted(_reading(now, GameState.LOST))
