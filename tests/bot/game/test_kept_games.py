"""The built-in game keeps its games, and a review reads them as they were played."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bot.errors import UsageError
from bot.game import kept_games
from bot.game.kept_games import KeptGames
from bot.game.session import Rules, Session
from bot.game.sizes import SIZES, BoardSize
from bot.reviewing.replay_files import iter_steps, load_replays
from solver.board import Action, GameState, Move

BEGINNER = SIZES["beginner"]


class Clock:
    """Time that a test moves."""

    now_s = 0.0

    def __call__(self):
        return self.now_s


def play(session, rng, clock=None):
    """Play a game of any kind of click to its end; careless now and then."""
    cells = list(np.ndindex(session.game.board.shape))
    while not session.game.is_over:
        cell = rng.choice(cells)
        action = rng.choice([Action.OPEN, Action.OPEN, Action.FLAG, Action.CHORD])
        layout = session.game.layout
        if action is Action.OPEN and layout is not None and layout.has_mine[cell] and rng.random() < 0.9:
            continue
        session.act(Move(action, cell))
        if clock is not None:
            clock.now_s += 0.125


@pytest.mark.parametrize("has_marks", [False, True])
def test_kept_games_are_the_games_that_were_played(tmp_path, has_marks):
    rng = random.Random(1)
    clock = Clock()
    rules = Rules(has_question_marks=has_marks)
    session = Session(BEGINNER, rules=rules, kept_games=KeptGames(tmp_path), clock=clock)
    for _ in range(25):
        play(session, rng, clock)
        (replay,) = load_replays(KeptGames(tmp_path).last)
        steps = [*iter_steps(replay)]
        assert replay.layout == session.game.layout
        assert steps[-1].after is session.game.state
        assert len(steps) == session.n_clicks
        assert replay.seconds == pytest.approx(session.elapsed_s, abs=1e-3)
        session.new_game()
    assert len([*tmp_path.iterdir()]) == 25


def test_kept_games_leave_out_what_was_taken_back(tmp_path):
    session = Session(BoardSize((3, 3), 4), kept_games=KeptGames(tmp_path))
    session.act(Move(Action.OPEN, (0, 0)))
    mines = session.game.layout.has_mine
    session.act(Move(Action.FLAG, tuple(np.argwhere(mines)[0])))
    session.undo()
    for cell in np.ndindex(3, 3):
        if not mines[cell] and session.game.code(cell) < 0:
            session.act(Move(Action.OPEN, cell))
    assert session.game.state is GameState.WON
    (replay,) = load_replays(KeptGames(tmp_path).last)
    assert [click.action for click in replay.clicks] == [Action.OPEN] * len(replay.clicks)


def test_kept_games_are_the_last_hundred(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_games, "MOST_KEPT", 3)
    session = Session(BoardSize((2, 2), 1), kept_games=KeptGames(tmp_path))
    layouts = []
    for _ in range(5):
        play(session, random.Random(0))
        layouts.append(session.game.layout)
        session.new_game()
    kept = [load_replays(path)[0].layout for path in sorted(tmp_path.iterdir())]
    assert kept == layouts[-3:]
    assert KeptGames(tmp_path).last == max(tmp_path.iterdir())


def test_known_boards_and_other_shapes_are_not_kept(tmp_path):
    for size, seed in ((BEGINNER, 1), (SIZES["4d-easy"], None)):
        session = Session(size, seed=seed, kept_games=KeptGames(tmp_path))
        play(session, random.Random(2))
    session = Session(BEGINNER, kept_games=KeptGames(None))
    play(session, random.Random(2))
    assert [*tmp_path.iterdir()] == []
    assert KeptGames(None).last is KeptGames(tmp_path / "missing").last is None


def test_a_folder_that_cannot_be_written_is_remarked(tmp_path):
    (tmp_path / "file").write_text("")
    session = Session(BoardSize((1, 3), 1), kept_games=KeptGames(tmp_path / "file" / "games"))
    play(session, random.Random(0))
    assert "cannot be kept" in session.remark
    with pytest.raises(UsageError):
        KeptGames(tmp_path / "file").keep(session.game.layout, [], session.game.state, 1.0, has_marks=False)
