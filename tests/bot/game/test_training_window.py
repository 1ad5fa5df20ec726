"""Training in its real window on a virtual screen: real clicks in; pixels, what is kept and what is printed out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from explorer import Explorer
from patience import PATIENCE_S

from bot.reporting.drawing.marks import ASKED, BEST, CLUE, stamp
from bot.reviewing.training import Exercise, Kept, load_kept, save_kept
from solver import parse_board
from solver.board import CLOSED, FLAG

ROW = parse_board("; mines: 2\n####\n1221\n")
WALL = parse_board("; mines: 1\n1#\n1#\n##\n")


@pytest.fixture
def train(bare_display, tmp_path):
    """Holds a sitting of these positions; returns the function that opens its window."""
    path = tmp_path / "minebot" / "training.json"

    @contextmanager
    def _train(*exercises):
        save_kept(path, Kept(exercises))
        command = [sys.executable, "-m", "bot", "train", "-n", str(len(exercises)), "--json"]
        env = {**os.environ, "DISPLAY": bare_display, "XDG_DATA_HOME": str(tmp_path)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=env, **pipes) as process:
            try:
                yield process, lambda board: Explorer(bare_display, process, board.shape, has_rulers=True)
            finally:
                process.terminate()

    return _train, path


def end_of(process):
    out, remarks = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, remarks
    return json.loads(out)


def check_ring(window, cell, mark, code):
    """Wait until a cell has a ring."""
    place = window.plan.grid.cell_region(cell)
    wanted = stamp(mark, place.width, place.height).on(window.sprites[code])
    x, y = window.corner.x + place.left, window.corner.y + place.top
    window.wait_for(
        lambda: np.array_equal(window.grab()[y : y + place.height, x : x + place.width], wanted), f"{mark} at {cell}"
    )


@pytest.mark.screen
def test_clicks_answer_and_the_proof_is_marked(train):
    begin, path = train
    with begin(Exercise(ROW, "row", "1-2-2-1", 1), Exercise(WALL, "wall", "1-1 at the wall", 1)) as (process, see):
        window = see(ROW)
        window.point((0, 1))
        window.xdotool("click", 3)
        window.check_cell((0, 1), FLAG)
        window.xdotool("click", 1)  # a flag keeps a cell from being opened
        window.point((1, 0))
        window.xdotool("click", 1)  # an open cell is no answer
        window.point((0, 0))
        window.xdotool("click", 1)
        window.check_face("cool")
        check_ring(window, (0, 0), ASKED, CLOSED)
        check_ring(window, (1, 3), CLUE, 1)
        window.xdotool("click", 1)
        window = see(WALL)
        window.point((0, 1))
        window.xdotool("click", 1)
        window.check_face("dead")
        check_ring(window, (2, 0), BEST, CLOSED)
        assert [(one.origin, one.n_right) for one in load_kept(path).exercises] == [("wall", 0)], "kept at once"
        window.xdotool("click", 1)
        told = end_of(process)
    assert (told["right"], told["missed"]) == (1, 1)
    assert [one["answer"] for one in told["positions"]] == [[0, 0], [0, 1]]


@pytest.mark.screen
def test_keys_answer_too_and_a_closed_window_ends_the_sitting(train):
    begin, path = train
    with begin(Exercise(ROW, "row", "1-2-2-1", 0), Exercise(WALL, "wall", "1-1 at the wall", 0)) as (_, see):
        window = see(ROW)
        window.xdotool("mousemove", 1200, 1000)
        window.key("Up", "Up", "Right")  # the first arrow shows the mark, in the middle
        check_ring(window, (0, 3), ASKED, CLOSED)
        window.key("space")
        window.check_face("cool")
        window.key("space")
        told = see(WALL).close()
    assert [one["answer"] for one in told["positions"]] == [[0, 3]]
    assert [(one.origin, one.n_right) for one in load_kept(path).exercises] == [("wall", 0), ("row", 1)]
