"""A run on the test page as a user's: learned by `minebot-calibrate --live`, then played by `minebot play`; and judged.

What the judge knows comes from the page (`web_page.Table`) and the X server (`xledger`), not from the bot.
"""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bot_process import environment
from forked import Forked
from web_page import web_page
from xledger import XLedger

from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_skin
from solver import board as codes

NAME = "of-a-page"
_SAMPLE_S = 0.25
"""Pause between two looks at the page, in seconds: the processor is for the bot."""
_MOST_SAMPLES = 60
_MOST_LINES = 6
_MOST_STOP_S = 20.0
_STOPS_S = 5.0
"""A command that was told to stop ends within this time, in seconds: what was learned is to be written first."""
_MOST_OFF_PX = 1
"""How far the edge of a board may be from where the page has it, in pixels, besides a gap between tiles."""


@dataclass
class PageRun:
    """What came of a setting.

    Attributes:
        is_verified: whether a skin was learned that calls itself verified.
        learn_s: how long that took, or the refusal.
        why: what was said at a refusal or a stop.
        n_equal: cells that the skin reads as the page's truth has them; likewise `n_unknown` and `n_wrong`.
        wrong: some of the wrong ones: (truth, read, how many).
        is_off: whether the skin finds the board elsewhere than it is, or of another size.
        n_strays: presses that were not on the board or the page's button.
        n_played: games of those to be played that were played to their ends, of `n_games`.
        n_won: those of them that were won.
        n_punished: guesses in them that were made while a safe cell existed.
        play_s: how long they took.
        stop_s: how long a command took to end that was told to.
    """

    is_verified: bool = False
    learn_s: float = 0.0
    why: str = ""
    n_equal: int = 0
    n_unknown: int = 0
    n_wrong: int = 0
    wrong: list[tuple[int, int, int]] = field(default_factory=list)
    is_off: bool = False
    n_strays: int = 0
    n_games: int = 0
    n_played: int = 0
    n_won: int = 0
    n_punished: int = 0
    play_s: float = 0.0
    stop_s: float = 0.0

    @property
    def faults(self):
        """What must never be."""
        found = {"wrong cells": self.n_wrong, "strays": self.n_strays, "punished guesses": self.n_punished}
        found["s until it stopped"] = round(self.stop_s) if self.stop_s > _STOPS_S else 0
        return [f"{n} {what}" for what, n in found.items() if n] + ["board found elsewhere"] * self.is_off

    @property
    def is_good(self):
        """Whether all went as it should."""
        return self.is_verified and not self.faults and self.n_played >= self.n_games

    def in_words(self):
        """One line."""
        learned = f"{'verified' if self.is_verified else 'NOT'} {self.learn_s:.0f} s"
        read = f"{self.n_equal} cells equal, {self.n_unknown} unknown, {self.n_wrong} wrong {self.wrong or ''}"
        played = f"{self.n_played} of {self.n_games} games ({self.n_won} won) in {self.play_s:.0f} s"
        return "; ".join([learned, read, played, *self.faults, *([self.why] if self.why else [])])


def run_page(display, setting, *, n_games=5, learn_minutes=2.0, most_play_s=120.0):
    """Learn a setting of the page, then play it."""
    run = PageRun()
    with tempfile.TemporaryDirectory() as skins, web_page(display, setting) as page, XLedger(display) as watch:
        env = environment(display) | {"MINEBOT_SKINS": skins}
        board = page.place("board")
        page.desk.move(*board.middle)
        eyes = _Eyes(page, watch, run)
        learn = ("calibration", "--live", "--now", "--yes", "--name", NAME, "--json", "--minutes", f"{learn_minutes:g}")
        run.learn_s, code, out, said = eyes.watch(learn, env, 60 * learn_minutes + 15)
        run.is_verified = code == 0 and json.loads(out)["verified"]
        if not run.is_verified:
            run.why = _last(said) if code else "not verified: " + _last(said)
        if code == 0:
            run.n_games = n_games
            if run.is_verified:
                _play(page, eyes, env, run, setting, most_play_s)
            eyes.judge(load_skin(Path(skins) / NAME))
    return run


def _play(page, eyes, env, run, setting, most_play_s):
    page.begin_anew()
    n_before, n_punished = len(page.table.ends), page.table.n_punished
    command = ("bot", "play", "--now", "--games", str(run.n_games), "--skin", NAME, "--mines", str(setting.mines))
    run.play_s, code, _, said = eyes.watch((*command, "--json"), env, most_play_s)
    ends = page.table.ends[n_before:]
    run.n_played, run.n_won = len(ends), ends.count("won")
    run.n_punished = page.table.n_punished - n_punished
    if code not in {0, 1} or run.n_played < run.n_games:
        run.why = f"play ended with {code}: {_last(said)}"


def _last(said):
    return " / ".join(said.strip().splitlines()[-_MOST_LINES:])


class _Eyes:
    """Watches the page while a command of the bot runs."""

    def __init__(self, page, watch, run):
        self._page = page
        self._watch = watch
        self._run = run
        self._n_seen = 0
        self._samples = []
        self._versions = set()

    def watch(self, command, env, most_s):
        """Run a command to its end: returns (seconds, exit code, standard output, standard error)."""
        began = time.monotonic()
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
            bot = Forked(command, env, out, said)
            try:
                while bot.poll() is None:
                    if time.monotonic() - began > most_s:
                        self._stop(bot)
                    self._look()
                    time.sleep(_SAMPLE_S)
                took_s = time.monotonic() - began
                self._look()
            finally:
                bot.kill()
                bot.wait()
            out.seek(0)
            said.seek(0)
            return took_s, bot.returncode, out.read(), said.read()

    def _stop(self, bot):
        """Ask the bot to end, and note how long it takes."""
        began = time.monotonic()
        bot.send_signal(signal.SIGTERM)
        try:
            bot.wait(_MOST_STOP_S)
        except subprocess.TimeoutExpired:
            bot.send_signal(signal.SIGABRT)  # faulthandler prints where it was
            bot.wait()
        self._run.stop_s = time.monotonic() - began

    def _look(self):
        presses = self._watch.of("press")
        for press in presses[self._n_seen :]:
            self._run.n_strays += not self._page.allows_press(press.x, press.y)
        self._n_seen = len(presses)
        sample = self._page.sample() if len(self._samples) < _MOST_SAMPLES else None
        version = self._page.table.version
        if sample is not None and version not in self._versions:
            self._versions.add(version)
            self._samples.append(sample)

    def judge(self, skin):
        """Read all that was seen with a skin, and hold it against the truth."""
        wrong = {}
        board = self._page.place("board")
        grid = None
        for pixels, truth in self._samples:
            frame = Frame(pixels)
            if grid is None:
                found = [one.grid for one in find_boards(frame, [skin])]
                at = [one for one in found if one.region.has_pixel(board.middle)]
                if not at:
                    continue
                off = max(abs(at[0].region.left - board.left), abs(at[0].region.top - board.top))
                if at[0].shape != truth.shape or off > _MOST_OFF_PX + self._page.table.setting.gap_px:
                    self._run.is_off = True
                    return
                grid = at[0]
            read = read_board(frame, grid, skin).board.cells
            is_known = ~np.isin(read, (codes.UNREADABLE, codes.OPEN_UNKNOWN))
            same = (read == truth) | (
                np.isin(read, (codes.MINE, codes.EXPLODED)) & np.isin(truth, (codes.MINE, codes.EXPLODED))
            )
            self._run.n_equal += int((is_known & same).sum())
            self._run.n_unknown += int((~is_known).sum())
            self._run.n_wrong += int((is_known & ~same).sum())
            for pair in zip(truth[is_known & ~same].tolist(), read[is_known & ~same].tolist(), strict=True):
                wrong[pair] = wrong.get(pair, 0) + 1
        self._run.wrong = [(*pair, n) for pair, n in sorted(wrong.items())][:6]
