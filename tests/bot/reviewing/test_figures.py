"""The community's figures: those of real files as ms_toollib computes them, and small boards counted by hand."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from amounts import count

from bot.reviewing.figures import Ways, measure, weigh_flags
from bot.reviewing.mouse import CountedButton, CountedClick
from bot.reviewing.replay_files import Replay, iter_steps, load_replays, parse_rawvf
from solver import analyse, decide
from solver.board import Action, Move
from solver.efficiency import plan_clicks
from solver.game import Game
from solver.layout import Layout

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
GOLDEN = json.loads((REPLAYS / "figures.json").read_text(encoding="utf-8"))
PRESSED = {
    Action.OPEN: (CountedButton.LEFT, ("lc", "lr")),
    Action.FLAG: (CountedButton.RIGHT, ("rc", "rr")),
    Action.CHORD: (CountedButton.DOUBLE, ("lc", "rc", "rr", "lr")),
}
"""What is pressed for a move, and the mouse's events that ms_toollib is given for it."""


def layout_of(text):
    return Layout(np.array([[letter == "*" for letter in row] for row in text.split()]))


def figures_of(replay):
    return measure(replay.layout, list(iter_steps(replay)), None if math.isnan(replay.seconds) else replay.seconds)


@pytest.mark.parametrize("name", GOLDEN)
def test_figures_are_those_of_ms_toollib(name):
    (replay,) = load_replays(REPLAYS / f"{name.replace('.', '-')}.rawvf")
    figures = figures_of(replay).as_json()
    for figure, value in GOLDEN[name].items():
        assert figures[figure] == pytest.approx(value, rel=1e-9), figure


def test_figures_of_random_boards_are_those_of_ms_toollib(ms_toollib):
    for seed in range(count("MINEBOT_FIGURE_BOARDS", gate=60, full=2_000)):
        rng = random.Random(seed)
        shape = rng.choice([(3, 3), (5, 7), (8, 8), (16, 16), (16, 30)])
        layout = Layout.random(shape, rng.randint(0, shape[0] * shape[1] // 2), rng)
        board, ways = ms_toollib.Board(np.where(layout.has_mine, -1, layout.numbers).tolist()), Ways(layout)
        own = (layout.bbbv, ways.n_openings, ways.n_islands, ways.zini(), ways.hzini())
        assert own == (board.bbbv, board.op, board.isl, board.zini, board.hzini), seed


@pytest.mark.parametrize(
    ("board", "openings", "islands", "zini", "hzini"),
    [
        ("000 000", 1, 0, 1, 1),
        ("0*0", 0, 2, 2, 2),  # two numbers apart: two islands
        ("*0 00", 0, 1, 3, 3),  # three numbers: open one, flag, chord
        ("*00000*", 1, 0, 1, 1),
        ("0**0 0000 0000", 1, 2, 3, 3),
    ],
)
def test_ways_of_small_boards(board, openings, islands, zini, hzini):
    ways = Ways(layout_of(board))
    assert (ways.n_openings, ways.n_islands, ways.zini(), ways.hzini()) == (openings, islands, zini, hzini)


LOST = """Width: 4
Height: 2
Mines: 2
Board:
0*00
00*0
Events:
0.00 lc 1 2 (8 24)
0.00 lr 1 2 (8 24)
0.50 rc 2 1 (24 8)
0.50 rr 2 1 (24 8)
0.60 rc 2 1 (24 8)
0.60 rr 2 1 (24 8)
0.70 rc 2 1 (24 8)
0.70 rr 2 1 (24 8)
0.80 rc 4 2 (56 24)
0.80 rr 4 2 (56 24)
2.00 lc 3 2 (40 24)
2.00 lr 3 2 (40 24)
"""


def test_figures_of_a_lost_game_count_what_was_done():
    figures = figures_of(parse_rawvf(LOST, "lost"))
    assert (figures.seconds, figures.bbbv, figures.bbbv_solved) == (2.0, 6, 1)
    assert (figures.left, figures.right, figures.double) == (2, 4, 0)
    assert (figures.left_effective, figures.right_effective) == (1, 1), (
        "the mine's flag counts once, the wrong one never"
    )
    assert figures.flags == 2
    assert figures.ioe == pytest.approx(1 / 6)
    assert figures.thrp * figures.corr == pytest.approx(figures.ioe)


OPEN, FLAG, CHORD = Action.OPEN, Action.FLAG, Action.CHORD


@pytest.mark.parametrize(
    ("board", "moves", "expected"),
    [
        # The chord opens two numbers that touch no opening: it saves one click, and the flag cost one.
        ("*0 00", [(OPEN, 1, 1), (FLAG, 0, 0), (CHORD, 1, 1)], {1: ((2,), 0.0)}),
        # Three such numbers save two clicks, and two flags share them.
        ("*00 0*0", [(OPEN, 0, 1), (FLAG, 0, 0), (FLAG, 1, 1), (CHORD, 0, 1)], {1: ((3,), 0.0), 2: ((3,), 0.0)}),
        # The chord opens an opening, for which one left click is enough as well.
        ("*000", [(OPEN, 0, 1), (FLAG, 0, 0), (CHORD, 0, 1)], {1: ((2,), -1.0)}),
        # It opens only the rim of an opening, which the last click would have opened too.
        ("0000 *000", [(OPEN, 0, 0), (FLAG, 1, 0), (CHORD, 0, 0), (OPEN, 0, 3)], {1: ((2,), -2.0)}),
        # Two chords use one flag; each opens two numbers, and so saves one click.
        ("0* 00 00 *0", [(OPEN, 0, 0), (FLAG, 0, 1), (CHORD, 0, 0), (CHORD, 1, 0)], {1: ((2, 3), 1.0)}),
        # A flag that is taken away costs two clicks; where it stands again it is another.
        ("*0 00", [(FLAG, 0, 0), (FLAG, 0, 0), (FLAG, 0, 0), (OPEN, 1, 1)], {0: ((), -2.0), 2: ((), -1.0)}),
        # A chord on a wrong flag ends the game; the number that it opened beside the mine is 3BV.
        ("*0 00", [(OPEN, 1, 1), (FLAG, 0, 1), (CHORD, 1, 1)], {1: ((2,), -1.0)}),
        # Chords that open nothing use no flag.
        ("*0 00", [(OPEN, 1, 1), (CHORD, 1, 1), (FLAG, 0, 0)], {2: ((), -1.0)}),
    ],
)
def test_flags_earn_what_a_player_without_flags_would_need(board, moves, expected):
    clicks = tuple(CountedClick(n, PRESSED[move][0], move, (row, col)) for n, (move, row, col) in enumerate(moves))
    layout = layout_of(board)
    assert weigh_flags(layout, list(iter_steps(Replay("", "", "", layout, clicks, math.nan)))) == expected


@pytest.mark.parametrize("name", GOLDEN)
def test_flags_of_peoples_games_earn_the_3bv_of_their_chords_less_clicks(name):
    (replay,) = load_replays(REPLAYS / f"{name.replace('.', '-')}.rawvf")
    steps = list(iter_steps(replay))
    is_open, saved = np.zeros(replay.layout.shape, dtype=bool), 0
    for step in steps:
        before = replay.layout.bbbv_of(is_open)
        for cell in step.opened:
            is_open[cell] = True
        saved -= step.click.action is FLAG and step.changed
        if step.click.action is CHORD and step.opened and step.before[step.click.cell] > 0:  # a 0 has no flags
            saved += replay.layout.bbbv_of(is_open) - before - 1
    assert sum(one.saved for one in weigh_flags(replay.layout, steps).values()) == pytest.approx(saved)


def test_figures_and_numbers_of_the_bots_games_are_those_of_ms_toollib(ms_toollib):
    """Every other game is one of few clicks, with flags and chords. ms_toollib is given the mouse's buttons."""
    for seed in range(count("MINEBOT_FIGURE_GAMES", gate=12, full=200)):
        shape, n_mines = [((9, 9), 10), ((16, 16), 40), ((16, 30), 99)][seed % 3]
        layout = Layout.random(shape, n_mines, random.Random(7_000 + seed), first_cell=(0, 0))
        truth = np.where(layout.has_mine, -1, layout.numbers).tolist()
        game, peer, clicks = Game.on(layout), ms_toollib.MinesweeperBoard(truth), []
        moves = [Move(Action.OPEN, (0, 0))]
        while moves:
            for move in moves if not game.is_over else ():
                button, buttons = PRESSED[move.action]
                clicks.append(CountedClick(len(clicks) / 5, button, move.action, move.cell))
                {Action.OPEN: game.open, Action.FLAG: game.toggle_flag, Action.CHORD: game.chord}[move.action](
                    move.cell
                )
                for event in buttons:
                    peer.step(event, move.cell)
            known = None if game.is_over else analyse(game.board)
            moves = [] if known is None else (plan_clicks(known) if seed % 2 else []) or [decide(known).move]
        replay = Replay(str(seed), "", "", layout, tuple(clicks), math.nan)
        for step in iter_steps(replay):
            is_open = step.before.cells >= 0
            assert (step.before.cells[is_open] == np.array(truth)[is_open]).all(), seed
        figures, board = figures_of(replay), ms_toollib.Board(truth)
        assert (figures.bbbv, figures.openings, figures.islands) == (board.bbbv, board.op, board.isl), seed
        assert (figures.zini, figures.hzini, figures.bbbv_solved) == (board.zini, board.hzini, peer.bbbv_solved), seed
        assert (figures.left, figures.right, figures.double) == (peer.left, peer.right, peer.double), seed
        effective = (figures.left_effective, figures.right_effective, figures.double_effective)
        assert effective == (peer.lce, peer.rce, peer.dce), seed
