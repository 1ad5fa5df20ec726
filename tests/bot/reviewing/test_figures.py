"""The community's figures: those of real files as ms_toollib computes them, and small boards counted by hand."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from amounts import count

from bot.reviewing.figures import Ways, measure
from bot.reviewing.replay_files import iter_steps, load_replays, parse_rawvf
from solver.layout import Layout

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
GOLDEN = json.loads((REPLAYS / "figures.json").read_text(encoding="utf-8"))


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
