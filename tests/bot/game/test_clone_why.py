"""What is told of a cell after a game: against positions whose truth is plain, and against the solver's own figures."""

from __future__ import annotations

from bot.game.session import Session
from bot.game.sizes import BoardSize
from bot.game.why import ask_why, asked_first
from solver.board import Action, Move
from solver.layout import Layout
from solver.simulation import Deal


def played(rows, *moves):
    """A session over a board drawn as text (* a mine), after these opened cells."""
    mines = [(row, col) for row, line in enumerate(rows) for col, sign in enumerate(line) if sign == "*"]
    layout = Layout.of_cells((len(rows), len(rows[0])), mines)
    session = Session(BoardSize((9, 9), 10), boards=[Deal(1, layout, moves[0])])
    for cell in moves:
        session.act(Move(Action.OPEN, cell))
    return session


def test_why_of_a_proven_mine_is_its_proof_and_what_was_safe():
    session = played(["...", "..*", "..*", "..."], (0, 0), (0, 1), (1, 2))
    assert asked_first(session) == (1, 2)
    why = ask_why(session, (1, 2))
    assert "which opened (1,2)" in why.text
    assert "(1,2) is a mine" in why.text
    assert "needs" in why.text
    assert not session.game.layout.has_mine[why.best]
    assert "No guess was needed" in why.text
    assert "Best was to open" in why.text


def test_why_names_the_numbers_that_a_proof_rests_on():
    session = played(["...", "..*", "..*", "..."], (0, 0), (0, 1), (1, 2))
    why = ask_why(session, (1, 2))
    board = session.turns[-1].before.board
    assert why.clues
    assert all(board[clue] > 0 for clue in why.clues)
    assert all(f"({row},{col})" in why.text for row, col in why.clues)


def test_why_of_a_guess_is_its_risk_and_the_better_cell():
    session = played(["*..**."], (0, 1), (0, 3))  # the 1 has a mine on either side, and two are among the other three
    why = ask_why(session, (0, 3))
    assert "(0,3) is not forced: its risk is 66.67% (2/3)." in why.text
    assert "It was a mine." in why.text
    assert why.best in ((0, 0), (0, 2))
    assert f"a guess was needed, and best was (0,{why.best[1]})." in why.text
    assert f"(0,{why.best[1]}) risk 50.0%" in why.text


def test_why_of_an_opened_cell_goes_back_to_before_it_was_opened():
    session = played(["*..**."], (0, 1), (0, 2), (0, 3))
    assert "Before move 2, which opened (0,2)" in ask_why(session, (0, 2)).text
    assert "Before move 3, which opened (0,3)" in ask_why(session, (0, 0)).text  # never opened


def test_why_of_the_first_move_is_that_nothing_was_known():
    session = played(["*.."], (0, 1), (0, 0))
    why = ask_why(session, (0, 1))
    assert "every cell had the same risk, 33.3%" in why.text
    assert "(0,1) was no mine, but a 1" in why.text
    assert why.best is None


def test_why_after_a_guess_that_was_best_says_so():
    session = played(["*.."], (0, 1), (0, 0))
    why = ask_why(session, (0, 0))
    assert "risk is 50.00% (1/2)" in why.text
    assert "best was (0,0), as was done" in why.text


def test_why_of_a_cell_that_was_open_from_the_beginning_is_nothing():
    session = played(["*.."], (0, 1), (0, 0))
    session.turns.clear()
    assert ask_why(session, (0, 1)) is None
    assert asked_first(session) is None
