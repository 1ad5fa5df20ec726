"""What is advised, and the words for it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from bot.errors import UsageError
from bot.reporting.advice import MOST_CANDIDATES, advise
from solver import Analysis, Board, InconsistentError, analyse, choose, parse_board
from solver.board import UNREADABLE, GameState
from solver.game import Game
from solver.layout import FirstClick


def test_advise_a_safe_cell_with_its_proof_in_words():
    advice = advise(parse_board("01#\n02#\n01#"), in_words=True)
    assert advice.move.cell == (1, 2)
    assert advice.state is GameState.PLAYING
    assert advice.headline == "best move: open (1,2), proven safe: here a mine would contradict the numbers"
    assert advice.why == (
        "(1,2) is safe. The numbers at (0,1) (1,1) (2,1) force it (no fewer clues do):\n"
        "  1. [subset] the 2 at (1,1) needs 2 mines among (0,2) (1,2) (2,2); the 1 at (0,1) needs 1 mine among"
        " (0,2) (1,2): (2,2) is a mine\n"
        "  2. [none] the 1 at (2,1) needs 1 mine among (1,2) (2,2), (2,2) is a mine: (1,2) is safe"
    )
    (candidate,) = advice.candidates
    assert (candidate.cell, candidate.p_mine, candidate.n_numbers, candidate.n_neighbours) == ((1, 2), 0.0, 3, 5)


def test_advise_a_guess_with_the_figures_in_words():
    advice = advise(parse_board("; mines: 2\n1##\n###"), in_words=True)
    assert advice.why == (
        "a guess: its risk is 33.33%; the best play from there wins 33.33%, exactly. No other is better\n"
        "what wins most of the layouts that are left comes first.\n"
        "chances are 0.00% that it opens as 0, and 0.00% that its number proves another cell safe (the order above does"
        " not look at these).\n"
        "A 50/50 that nothing can decide: one of (0,2) (1,2) is a mine."
    )
    figures = [
        (one.cell, one.p_mine, one.n_numbers, one.n_neighbours, one.p_zero, one.p_progress, one.p_win)
        for one in advice.candidates
    ]
    third, half = pytest.approx(1 / 3), pytest.approx(1 / 2)
    assert figures == [
        ((0, 1), third, 1, 5, 0.0, 0.0, third),
        ((1, 1), third, 1, 5, 0.0, 0.0, third),
        ((0, 2), half, 0, 3, 0.0, half, third),
        ((1, 2), half, 0, 3, 0.0, half, third),
        ((1, 0), third, 1, 3, 0.0, 0.0, pytest.approx(1 / 6)),
    ]


def test_advise_gives_the_chances_that_brute_force_finds():
    """Every layout that agrees with the position is tried, and the cell opened in each."""
    board = parse_board("; mines: 3\n1###\n####\n####")
    advice = advise(board, in_words=True)
    layouts = [
        set(mines)
        for mines in combinations([cell for cell in np.ndindex(3, 4) if cell != (0, 0)], 3)
        if sum(max(cell) == 1 for cell in mines) == 1
    ]
    for one in advice.candidates:
        zeros = progress = 0
        for mines in layouts:
            number = sum(near in mines for near in board.topology.neighbours(one.cell))
            if one.cell in mines:
                continue
            zeros += number == 0
            agreeing = [
                other
                for other in layouts
                if one.cell not in other
                and sum(near in other for near in board.topology.neighbours(one.cell)) == number
            ]
            closed = {cell for cell in np.ndindex(3, 4) if cell not in {(0, 0), one.cell}}
            progress += bool(closed - set.union(*agreeing))
        assert one.p_zero == pytest.approx(zeros / len(layouts)), one.cell
        assert one.p_progress == pytest.approx(progress / len(layouts)), one.cell


def test_advise_on_a_fresh_board_says_so():
    advice = advise(parse_board("; mines: 1\n####\n####\n####"), in_words=True)
    assert advice.state is GameState.FRESH
    assert advice.move.cell == (0, 0)
    assert advice.why.splitlines()[1:] == [
        "nothing is open yet, so every cell has the same risk; many clones keep the first click safe.",
        "least risk comes first, then most open numbers beside it, then fewest neighbours, then row by row.",
        (
            "chances are 66.67% that it opens as 0, and 91.67% that its number proves another cell safe (the order"
            " above does not look at these)."
        ),
    ]
    assert len(advice.candidates) == MOST_CANDIDATES
    assert [one.p_zero for one in advice.candidates[:4]] == [pytest.approx(8 / 12)] * 4


def test_advise_counts_zeros_only_when_words_are_wanted():
    assert {one.p_zero for one in advise(parse_board("; mines: 1\n###\n###")).candidates} == {None}


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("; mines: 1\n#1\n11", GameState.WON, "the game is won"),
        ("X1\n1#", GameState.LOST, "the game is lost"),
        ("*1\n11", GameState.LOST, "the game is lost"),
        ("+#\n2?", GameState.PLAYING, "every closed cell is a proven mine"),
        ("!1\n1#", GameState.PLAYING, None),
        (
            "!?\n!?",
            GameState.PLAYING,
            "no cell that can be read is left to open; unreadable ones (2 here) are never advised",
        ),
    ],
)
def test_advise_nothing_where_there_is_nothing_to_open(text, state, words):
    board = parse_board(text)
    if words is None:
        with pytest.raises(UsageError):
            advise(board)
        return
    advice = advise(board, in_words=True)
    assert (advice.move, advice.state, advice.why, advice.candidates) == (None, state, words, ())
    assert advice.headline == f"best move: none, {words}"


def test_advise_says_that_a_flag_is_in_the_way():
    assert advise(parse_board("01F\n02F\n01F")).why.splitlines()[-1] == "a flag is on it: take that off first."


def test_advise_names_every_50_50_that_nothing_can_decide():
    advice = advise(parse_board("; mines: 6\n#1001#\n#3113#\n++11++"), in_words=True)
    named = [line for line in advice.why.splitlines() if "50/50" in line]
    assert named == [
        "A 50/50 that nothing can decide: one of (0,0) (1,0) is a mine.",
        "A 50/50 that nothing can decide: one of (0,5) (1,5) is a mine.",
    ]


def test_advise_needs_the_mine_count_only_for_a_guess():
    with pytest.raises(UsageError, match=r"nothing is proven safe whatever the mine count is.*--mines N"):
        advise(parse_board("1##\n###"))
    assert advise(parse_board("01#\n02#\n01#")).move.cell == (1, 2)
    assert advise(parse_board("1##\n###").with_mines(2)).move.cell == (0, 1)


def test_advise_raises_what_contradicts_itself():
    with pytest.raises(InconsistentError):
        advise(parse_board("01#\n03#\n01#"))


@pytest.mark.parametrize("seed", range(8))
def test_advise_says_what_the_policy_does_and_rests_on_no_unreadable_cell(seed):
    """Cells are hidden at random: what is called safe is safe in truth, and is never one of the hidden."""
    rng = np.random.default_rng(seed)
    game = Game((9, 9), 10, seed=seed, first_click=FirstClick.ZERO)
    game.open((4, 4))
    n_safe = 0
    while not game.is_over:
        seen = game.board.cells.copy()
        hidden = rng.random(seen.shape) < 0.15
        seen[hidden] = UNREADABLE
        board = Board(seen, 10)
        advice = advise(board)
        if advice.move is None:
            break
        assert replace(advice.move, why="") == replace(choose(analyse(board)), why="")
        assert advice.candidates[0].cell == advice.move.cell
        assert not any(hidden[one.cell] for one in advice.candidates)
        assert not hidden[advice.move.cell]
        if not advice.move.is_guess:
            n_safe += 1
            game.open(advice.move.cell)
            assert game.state is not GameState.LOST
        else:
            game.open(next(cell for cell in analyse(game.board).safe or (advice.move.cell,)))
    assert n_safe


def test_advise_marks_estimates_and_gives_no_chances_for_them(monkeypatch):
    monkeypatch.setattr(Analysis, "is_estimate", property(lambda analysis: analysis.p_mine > 0.4))
    advice = advise(parse_board("; mines: 2\n1##\n###"), in_words=True)
    assert [one.is_estimate for one in advice.candidates] == [False, False, False, True, True]
    assert [one.p_zero is None for one in advice.candidates] == [False, False, False, True, True]
    assert [one.p_progress is None for one in advice.candidates] == [False, False, False, True, True]


def test_advise_warns_of_a_guess_beside_what_cannot_be_read():
    text = "; mines: 4\n1##\n#{}#\n###\n"
    assert "beware" not in advise(parse_board(text.format("#"))).headline
    advice = advise(parse_board(text.format("!")))
    assert "beside it lies a cell that cannot be read" in advice.headline
    assert "beside it lies a cell that cannot be read" in advice.why
