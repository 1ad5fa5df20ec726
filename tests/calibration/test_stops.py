"""Calibration stops as play does: at once, also in the middle of a computation that would not end.

Real keys and signals, a real clone. A computation that does not end by itself needs no clock: only what stops it in
its middle ends the process.
"""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from amounts import count
from bot_process import environment
from desktop_game import desk, started
from patience import PATIENCE_S
from person import person, seeded
from sgt_mines import PROGRAM
from xledger import XLedger

from calibration.live.memory import load_memory

N_TRIES = count("MINEBOT_STOP_TRIES", gate=2, full=10)
log = logging.getLogger("stops")
pytestmark = [pytest.mark.safety, pytest.mark.in_time, pytest.mark.screen, pytest.mark.timeout(900 * (1 + N_TRIES))]

STOP_MS = 50
"""No click may begin later than this after the event."""
WATCHED_MS = 250
HARD_QUESTION = """
holes, pigeons = range(14), range(15)
with LabelSolver(Claim([np.zeros((2, 2), np.intp)], [frozenset("0")], np.zeros((1, 1), bool))) as solver:
    seat = [[solver._new() for _ in holes] for _ in pigeons]
    for pigeon in pigeons:
        solver._solver.add_clause(seat[pigeon])
    for hole in holes:
        for one, other in itertools.combinations(pigeons, 2):
            solver._solver.add_clause([-seat[one][hole], -seat[other][hole]])
    solver.is_satisfiable()
"""
"""Fifteen pigeons in fourteen holes: no solver of clauses ends with them."""
LONG_LOOP = """
frame = np.zeros((1024, 1280, 3), np.uint8)
while True:
    cv2.GaussianBlur(frame, (15, 15), 3)
    np.median(frame[:64], axis=0)
"""
NEVER_ENDING = """
import itertools, sys
import cv2
import numpy as np
from bot.last_resort import run
from bot.learning.label_solver import Claim, LabelSolver
from calibration.live import session, watching

def locate_board(*_):
    print("computing", file=sys.stderr, flush=True)
{work}

session.locate_board = watching.locate_board = locate_board
sys.exit(run("minebot-calibrate", "calibration.cli"))
"""
WORK = {"a hard question": HARD_QUESTION, "a loop over pictures": LONG_LOOP}
STOPS = {
    "Esc": (lambda someone, _process: someone.key("Escape"), "stopped by Esc"),
    "SIGTERM": (lambda someone, process: (someone.now_ms(), process.send_signal(signal.SIGTERM))[0], "from outside"),
    "Ctrl-C": (lambda someone, process: (someone.now_ms(), process.send_signal(signal.SIGINT))[0], "by Ctrl-C"),
}


@contextmanager
def calibrating(display, folder, *arguments, program=("-m", "calibration")):
    """`minebot-calibrate` on a display while the block runs."""
    process = subprocess.Popen(
        [sys.executable, *program, "--now", "--name", "mine", *arguments],
        env=environment(display) | {"MINEBOT_SKINS": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process, text):
    """Read what it says up to a text."""
    for line in process.stderr:
        if text in line:
            return
    pytest.fail(f"it ended, and never said {text!r}")


@contextmanager
def mines_board(hands):
    with started(PROGRAM, "9x9n10", display=hands.name):
        hands.wait_for_window("Mines")
        hands.wait_until_still()
        yield


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("way", ["--live", "--watch"])
@pytest.mark.parametrize("stop", STOPS)
def test_calibration_that_computes_without_end_is_stopped(bare_display, tmp_path, stop, way, work):
    act, message = STOPS[stop]
    code = NEVER_ENDING.format(work="\n".join(f"    {line}" for line in WORK[work].splitlines()))
    with person(bare_display) as someone, calibrating(bare_display, tmp_path, way, program=("-c", code)) as process:
        said(process, "computing")
        time.sleep(0.3)
        act(someone, process)
        told = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 130, told
    assert message in told
    assert "Traceback" not in told


@pytest.mark.parametrize("stop", STOPS)
def test_calibration_clicks_no_more_50_ms_after_a_stop_and_keeps_what_it_learned(
    virtual_display, require_program, tmp_path, stop
):
    require_program(PROGRAM, "sgt-puzzles")
    act, message = STOPS[stop]
    chance = seeded(stop)
    with desk(virtual_display) as hands, person(virtual_display) as someone:
        for n in range(N_TRIES):
            with mines_board(hands), XLedger(virtual_display) as watch:
                hands.move(2, 2)
                with calibrating(virtual_display, tmp_path / str(n), "--live", "--yes") as process:
                    n_due = chance.randint(2, 20)
                    while len(watch.of("press")) < n_due and process.poll() is None:
                        time.sleep(0.002)
                    time.sleep(chance.uniform(0.0, 0.2))
                    event_ms = act(someone, process)
                    told = process.communicate(timeout=PATIENCE_S)[1]
                    took_ms = someone.now_ms() - event_ms
                    someone.wait_until(event_ms + WATCHED_MS)
                presses = watch.of("press")
                assert len(watch.of("release")) == len(presses), n
            log.info("%s: %d clicks, last %d ms after it, ended %d ms after it", stop, len(presses),
                     max((press.time_ms for press in presses), default=event_ms) - event_ms, took_ms)  # fmt: skip
            assert (process.returncode, message in told, "Traceback" in told) == (130, True, False), told
            assert all(press.time_ms <= event_ms + STOP_MS for press in presses), n
            assert someone.pressed() == (0, [])
            kept = load_memory(tmp_path / str(n) / "mine.learning.npz")
            assert kept is None or kept.evidence.all_labelled()[1]


def test_pause_ends_with_the_minutes(virtual_display, require_program, tmp_path):
    require_program(PROGRAM, "sgt-puzzles")
    with desk(virtual_display) as hands, person(virtual_display) as someone, mines_board(hands):
        with (
            XLedger(virtual_display) as watch,
            calibrating(virtual_display, tmp_path, "--live", "--yes", "--minutes", "0.15") as process,
        ):
            while len(watch.of("press")) < 2:  # more may take a second game, and half of the time goes by before that
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.002)
            someone.key("F8")
            told = process.communicate(timeout=PATIENCE_S)[1]
        has_learned = "nothing is saved" not in told
        assert process.returncode in ({0, 1} if has_learned else {4}), told
        assert "stopped" not in told
