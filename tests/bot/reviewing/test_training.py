"""Training: which answers are right by every layout of small boards, when a position comes again, what is drawn."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import combinations, islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from amounts import count

from bot.errors import UsageError
from bot.reviewing.patterns import BY_COUNT, ONE_NUMBER, is_pattern
from bot.reviewing.replay_files import load_replays
from bot.reviewing.training import (
    GUESS,
    Exercise,
    Kept,
    Training,
    find_missed,
    iter_drawn,
    judge,
    load_kept,
    put_back,
    save_kept,
)
from bot.reviewing.verdicts import WORST, Verdict, judge_cell, review
from solver import BoardValueError, analyse, parse_board
from solver.board import CLOSED

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
ROW = parse_board("; mines: 2\n####\n1221\n")
EVEN = parse_board("; mines: 1\n##\n11\n")


def exercise(name, n_right=None, board=ROW):
    return Exercise(board, name, GUESS, n_right)


def best_cells(board):
    """The cells by which most layouts are won, by trying every way to play on every layout."""
    closed = [tuple(cell) for cell in np.argwhere(board.cells == CLOSED).tolist()]
    near = {cell: set(board.topology.neighbours(cell)) for cell in np.ndindex(*board.shape)}
    fits = [
        mines
        for mines in map(frozenset, combinations(closed, board.mines))
        if all(len(near[cell] & mines) == board[cell] for cell in near if board[cell] >= 0)
    ]

    @cache
    def n_won_by(cell, layouts, still):
        of_number = {}
        for mines in layouts:
            if cell not in mines:
                of_number.setdefault(len(near[cell] & mines), set()).add(mines)
        return sum(n_won(frozenset(left), still - {cell}) for left in of_number.values())

    @cache
    def n_won(layouts, still):
        if len(still) == board.mines:
            return len(layouts)
        return max(n_won_by(cell, layouts, still) for cell in still)

    safe = {cell for cell in closed if not any(cell in mines for mines in fits)}
    won = {cell: n_won_by(cell, frozenset(fits), frozenset(closed)) for cell in closed}
    return safe or {cell for cell in closed if won[cell] == max(won.values())}


@pytest.mark.parametrize(
    "text",
    [
        "; mines: 2\n####\n1221\n",
        "; mines: 1\n##\n11\n",
        "; mines: 2\n###\n1##\n",
        "; mines: 3\n#####\n1####\n",
        "; mines: 2\n1###\n####\n",
        "; mines: 3\n1##\n###\n##1\n",
    ],
)
def test_an_answer_that_is_safe_or_wins_most_is_right_and_what_is_missed_is_worse(text):
    board = parse_board(text)
    closed = [tuple(cell) for cell in np.argwhere(board.cells == CLOSED).tolist()]
    answers = {cell: judge(exercise("", board=board), cell) for cell in closed}
    right = {cell for cell, answer in answers.items() if answer.is_right}
    assert best_cells(board) <= right
    assert all(judge_cell(board, cell).verdict in WORST[:2] for cell in set(closed) - right)
    assert {answer.best for answer in answers.values()} <= best_cells(board)


def test_an_answer_says_why_and_which_numbers_prove_it():
    right, wrong = judge(exercise("game 1"), (0, 0)), judge(exercise("game 1"), (0, 1))
    assert right.text.startswith("Right. (0,0) is safe. The numbers at ")
    assert wrong.text.startswith("Missed. (0,1) was a proven mine, and no guess was needed")
    assert "(0,0) is safe. The numbers at (1,0) (1,2) (1,3) force it" in wrong.text
    assert wrong.text.endswith("\nPattern: a guess. From: game 1.")
    assert wrong.clues == ((1, 0), (1, 2), (1, 3))
    assert judge(exercise("", board=EVEN), (0, 1)).clues == ()


def test_a_guess_that_a_review_calls_good_is_right():
    drawn = [(one, least_risk(one.board)) for one in islice(iter_drawn(GUESS, random.Random(4)), 8)]
    good = [(one, cell) for one, cell in drawn if judge_cell(one.board, cell).verdict is Verdict.GOOD]
    assert good
    assert all(judge(one, cell).is_right for one, cell in good)


def least_risk(board):
    risks = np.where(board.cells == CLOSED, analyse(board).p_mine, 2.0)
    return tuple(np.argwhere(risks == risks.min())[0].tolist())


def test_an_answer_whose_proof_is_too_hard_counts_for_nothing(monkeypatch):
    monkeypatch.setattr("bot.reviewing.verdicts.confirm", lambda _analysis, _cells: SimpleNamespace(safe=()))
    kept = []
    training = Training([exercise("own", 0)], iter(()), 2, kept.append)
    training.next()
    given = training.answer((0, 1))
    assert (given.is_right, given.text.splitlines()[0]) == (None, "This cannot be judged: the proof is too hard.")
    assert (training.answers, training.n_left, kept) == ([], 2, [given])


@pytest.mark.parametrize("cell", [(1, 1), (2, 0), (-1, 0), (0, 0, 0)])
def test_an_open_cell_is_no_answer(cell):
    with pytest.raises(BoardValueError, match="expected a closed cell of the 2x4 board, got "):
        judge(exercise(""), cell)


@pytest.mark.parametrize(
    ("queue", "is_right", "expected"),
    [
        (["a", "b"], True, ["b"]),  # never missed: done
        (["a", "b", "c", "d", "e"], False, ["b", "c", "d", "a0", "e"]),
        (["a", "b"], False, ["b", "a0"]),
        (["a0", "b", "c", "d", "e"], True, ["b", "c", "d", "a1", "e"]),
        (["a1", "b"], True, ["b"]),  # the second time
        (["a1", "b"], False, ["b", "a0"]),  # it begins anew
        (["a1", "b"], None, ["b"]),  # nobody can say
    ],
)
def test_what_was_missed_comes_after_three_others_until_it_was_right_twice(queue, is_right, expected):
    exercises = [exercise(name[0], int(name[1]) if name[1:] else None) for name in queue]
    after = put_back(exercises, is_right=is_right)
    assert [one.origin + ("" if one.n_right is None else str(one.n_right)) for one in after] == expected


def test_a_sitting_asks_as_often_as_it_is_told_and_keeps_what_was_missed():
    kept = []
    drawn = (exercise(f"drawn {n}") for n in range(9))
    training = Training([exercise("own", 0)], drawn, 7, kept.append)
    asked = []
    for cell in [(0, 1), (0, 0), (0, 2), (0, 3), (0, 0), (0, 0), (0, 0)]:
        asked.append(training.next().origin)
        training.answer(cell)
    assert training.next() is None
    assert asked == ["own", "drawn 0", "drawn 1", "drawn 2", "own", "drawn 3", "drawn 1"]
    assert kept == training.answers
    told = training.as_json()
    assert (told["right"], told["missed"]) == (5, 2)
    assert [one["answer"] for one in told["positions"][:2]] == [[0, 1], [0, 0]]
    assert told["positions"][0]["board"] == ["####", "1221"]


def test_a_sitting_ends_where_nothing_can_be_drawn():
    training = Training([exercise("own")], iter(()), 5, lambda _answer: None)
    training.next()
    training.answer((0, 0))
    assert training.next() is None


def test_positions_of_a_game_are_those_that_its_review_blames():
    (replay,) = load_replays(REPLAYS / "expert-lost-rmv.rawvf")
    blamed = [one for one in review(replay).clicks if one.verdict in (Verdict.BLUNDER, Verdict.MISTAKE)]
    found = list(find_missed(replay))
    assert [one.board for one in found] == [one.analysis.board for one in blamed]
    assert [one.origin for one in found] == [
        "expert-lost-rmv.rawvf, click 3, which opened (0,1)",
        "expert-lost-rmv.rawvf, click 225, which opened (0,29)",
    ]
    assert [one.pattern for one in found] == ["1-1 at the wall", "1-3"]


def proves_by_one_number(board):
    """Whether marking mines by single numbers is enough to prove a cell."""
    near = {cell: set(board.topology.neighbours(cell)) for cell in np.ndindex(*board.shape)}
    closed = {cell for cell in near if board[cell] == CLOSED}
    numbers = {cell for cell in near if board[cell] >= 0}
    mines = set().union(*(near[at] & closed for at in numbers if len(near[at] & closed) == board[at]))
    return any(len(near[at] & mines) == board[at] and (near[at] & closed) - mines for at in numbers)


@pytest.mark.parametrize("pattern", [None, "1-2-1", BY_COUNT, ONE_NUMBER, GUESS])
def test_drawn_positions_have_the_pattern(pattern):
    n = count("MINEBOT_DRAWN_POSITIONS", gate=3, full=30)
    drawn = list(islice(iter_drawn(pattern, random.Random(5)), n))
    assert [one.board for one in drawn] == [one.board for one in islice(iter_drawn(pattern, random.Random(5)), n)]
    for one in drawn:
        assert one.n_right is None
        assert one.pattern == (pattern or one.pattern)
        assert is_pattern(one.pattern) == (pattern != GUESS)
        assert proves_by_one_number(one.board) == (pattern == ONE_NUMBER)


@pytest.mark.parametrize("name", ["", "1-2-", "9-9", "1-2-1 at a wall", "guess"])
def test_other_names_are_no_patterns(name):
    assert not is_pattern(name)


def test_what_is_kept_is_read_again(tmp_path):
    path = tmp_path / "new" / "training.json"
    assert load_kept(path) == Kept()
    save_kept(path, Kept((exercise("own", 1), exercise("other", 0, EVEN)), "2026-01-02"))
    kept = load_kept(path)
    assert kept.last_game == "2026-01-02"
    assert [(one.board, one.origin, one.pattern, one.n_right) for one in kept.exercises] == [
        (ROW, "own", GUESS, 1),
        (EVEN, "other", GUESS, 0),
    ]


def position(**more):
    entry = {"board": "; mines: 1\n##\n11", "origin": "", "pattern": "", "n_right": 0} | more
    return json.dumps({"last_game": "", "positions": [entry]})


WHOLE = "expected an object with the list 'positions' and the name 'last_game'"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", WHOLE),
        ("{", WHOLE),
        ("[]", WHOLE),
        ('{"positions": []}', WHOLE),
        ("[" * 100_000, WHOLE),
        ('{"last_game": "", "positions": [{}]}', "position 1 is none of training"),
        (position(board=5), "position 1 is none of training"),
        (position(n_right=None), "position 1 is none of training"),
        (position(n_right=float("inf")), "position 1 is none of training"),
        (position(board="9?"), "position 1 is none of training: expected"),
        (position(board="; mines: 1\n3#"), "position 1 is none of training: the number at (0,0) contradicts"),
        (position(board="; mines: 0\n00"), "expected a position without flags, with a cell to open, answered"),
        (position(board="; mines: 1\n1#"), "expected a position without flags, with a cell to open"),
        (position(board="; mines: 1\n1F##"), "expected a position without flags"),
        (position(n_right=2), "expected a position without flags, with a cell to open, answered rightly 0 to 1 times"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, content, why):
    path = tmp_path / "training.json"
    path.write_text(content)
    with pytest.raises(UsageError) as told:
        load_kept(path)
    assert str(told.value).startswith(f"{path}: {why}")
    assert str(told.value).endswith("; move the file away to begin anew")


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot be written to .*training.json"):
        save_kept(tmp_path / "file" / "training.json", Kept())
