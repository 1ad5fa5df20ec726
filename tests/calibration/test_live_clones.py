"""Real clones on a virtual screen, their shipped profiles unused: learned in one command, then held against those."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
from amounts import count
from bot_process import environment
from desktop_game import desk, started
from forked import Forked
from gnome_mines import PROGRAM as GNOME_MINES
from gnome_mines import gnome_mines
from patience import PATIENCE_S, wait_until
from person import person
from sgt_mines import PROGRAM as SGT_MINES
from two_readings import compare
from winemine import wine_prefix
from xdemineur import PROGRAM as XDEMINEUR
from xledger import XLedger

from skins import load_shipped_skin, load_skin

pytestmark = [pytest.mark.screen]

MINES = 10
N_GAMES = count("MINEBOT_LEARNED_GAMES", gate=5, full=5)
"""Games that are played with what was learned."""
WITHOUT_BORDER = ("xdemineur",)
"""Clones whose boards end in a line as between two cells: nothing that can be learned tells where."""
PAUSE_S = 0.2
"""Pause between two pictures that both skins read, in seconds."""
PACKAGES = {"winemine": "wine", "xdemineur": "xdemineur", "sgt-mines": "sgt-puzzles", "gnome-mines": "gnome-mines"}
PROGRAMS = {"winemine": "wine", "xdemineur": XDEMINEUR, "sgt-mines": SGT_MINES, "gnome-mines": GNOME_MINES}


@contextmanager
def clone(name, hands):
    """One of the clones, at its beginner's level."""
    if name == "winemine":
        with wine_prefix(hands.name) as wine, wine.winemine("beginner"):
            yield
    elif name == "gnome-mines":
        with gnome_mines(hands, "small", size=(700, 525)):
            yield
    else:
        settings = {"xdemineur": ("-geometry", "9x9+60+60", "-m", str(MINES)), "sgt-mines": (f"9x9n{MINES}",)}[name]
        with started(PROGRAMS[name], *settings, display=hands.name):
            hands.wait_for_window({"xdemineur": "mineur", "sgt-mines": "Mines"}[name])
            hands.wait_until_still()
            yield


@pytest.mark.parametrize("name", ["winemine", "xdemineur", "sgt-mines", "gnome-mines"])
def test_real_clone_is_learned_and_then_read_without_a_wrong_cell(virtual_display, require_program, tmp_path, name):
    require_program(PROGRAMS[name], PACKAGES[name])
    env = environment(virtual_display) | {"MINEBOT_SKINS": str(tmp_path)}
    with desk(virtual_display) as hands, clone(name, hands):
        began = time.monotonic()
        calibration = Forked(["calibration", "--live", "--now", "--yes", "--name", "mine", "--json"], env)
        output, remarks = calibration.communicate(timeout=PATIENCE_S)
        took_s = time.monotonic() - began
        assert calibration.returncode == 0, remarks
        answer = json.loads(output)
        assert answer["verified"], remarks
        assert answer["unlabelled"] == 0
        look = ["bot", "play", "--dry-run", "--now", "--skin", "mine", "--mines", str(MINES)]
        look += ["--whole"] if name in WITHOUT_BORDER else []
        dry_run = Forked(look, env)
        _, remarks = dry_run.communicate(timeout=PATIENCE_S)
        assert dry_run.returncode == 0, remarks
        learned, shipped = load_skin(tmp_path / "mine"), load_shipped_skin(name)
        n_both = n_wrong = n_unknown = n_frames = 0
        command = ["play", "--now", "--games", str(N_GAMES), "--skin", name, "--mines", str(MINES), "--speed", "fast"]
        bot = Forked(["bot", *command], env)
        try:
            deadline = time.monotonic() + PATIENCE_S
            while bot.poll() is None and time.monotonic() < deadline:
                time.sleep(PAUSE_S)  # the processor is for the bot
                counts = compare(hands, learned, shipped)
                if counts is not None:
                    n_frames += 1
                    n_both, n_wrong, n_unknown = np.add((n_both, n_wrong, n_unknown), counts).tolist()
        finally:
            bot.send_signal(signal.SIGABRT)  # where it has not ended, it says what it is at
            _, remarks = bot.communicate()
        assert bot.returncode in {0, 1}, remarks
    figures = f"{took_s:.1f} s, {n_frames} pictures, {n_both} cells read, {n_wrong} wrong, {n_unknown} unknown"
    sys.stdout.write(f"{name}: {figures}\n")
    assert n_wrong == 0, figures
    assert n_both > 5 * 64, figures
    assert n_unknown < 0.1 * n_both, figures


@pytest.mark.in_time
@pytest.mark.safety
def test_nothing_is_clicked_before_the_start_key_nor_after_the_abort_key(virtual_display, require_program, tmp_path):
    require_program(SGT_MINES, PACKAGES["sgt-mines"])
    env = environment(virtual_display) | {"MINEBOT_SKINS": str(tmp_path)}
    with desk(virtual_display) as hands, person(virtual_display) as someone, clone("sgt-mines", hands):
        with XLedger(virtual_display) as watch:
            process = subprocess.Popen(
                [sys.executable, "-m", "calibration", "--live", "--yes", "--name", "mine", "--hotkey", "f8"],
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                assert "press F8 to start" in process.stderr.readline()
                time.sleep(1.0)
                assert watch.of("press") == []
                someone.key("F8")  # at F10 it opens its menu
                wait_until(lambda: len(watch.of("press")) >= 3, "no click after the start key")
                stopped_ms = someone.key("Escape")
                told = process.communicate(timeout=PATIENCE_S)[1]
            finally:
                process.kill()
                process.wait()
            assert process.returncode == 130
            assert "stopped by Esc" in told
            presses = watch.of("press")
        assert all(press.time_ms <= stopped_ms + 50 for press in presses)
        assert len(watch.of("release")) == len(presses)
    assert not (tmp_path / "mine").exists(), "no skin of a game that was broken off"
