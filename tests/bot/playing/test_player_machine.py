"""The player before a table that misbehaves: Hypothesis says what goes wrong and when, and shrinks it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import desktop_faults as wrong
import pytest
from amounts import count
from fake_desktop import CoverKind, FakeDesktop
from fault_bench import BenchWitness, Report, judge_clicks, judge_results
from fault_script import HABITS
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from player_table import make_player, simulate_time

from bot.errors import BotError
from bot.models import Pixel
from bot.playing.decide import Style
from bot.playing.situation import Settings
from skins import load_shipped_skin

N_EXAMPLES = count("MINEBOT_TABLES", gate=25, full=500)
N_RULES = 40  # most things that happen at one table
LIMIT_S = 3000.0
NOW = st.just(wrong.AfterSeconds(0.0))
SHORT_S = st.floats(0.02, 4.0)
KEYS = st.sampled_from(["enter", "esc", None])
SHARE = st.tuples(st.floats(-0.2, 0.8), st.floats(-0.2, 0.8), st.floats(0.1, 1.0), st.floats(0.1, 1.0))
FAULTS = st.one_of(
    st.builds(wrong.MoveWindow, NOW, st.integers(-60, 60), st.integers(-60, 60)),
    st.builds(wrong.MoveOff, NOW, st.sampled_from(["left", "right", "bottom"]), st.floats(0.1, 6.0), SHORT_S),
    st.builds(wrong.CoverBoard, NOW, st.sampled_from(CoverKind), SHARE, SHORT_S),
    st.builds(wrong.Freeze, NOW, SHORT_S, queues_clicks=st.booleans()),
    st.builds(wrong.LoseClicks, NOW, st.floats(0.05, 0.7), st.integers(1, 8), st.booleans()),
    st.builds(wrong.LateRepaint, NOW, st.just(0.0), st.floats(0.0, 0.8), st.sampled_from([0.0, 0.2])),
    st.builds(wrong.RaiseDialogs, NOW, st.integers(1, 2), KEYS, st.booleans(), SHORT_S),
    st.builds(wrong.DialogsAfterGames, NOW, st.integers(1, 2), KEYS, st.booleans(), st.sampled_from([0.0, 0.3, 1.0])),
    st.builds(wrong.Rescale, NOW, st.sampled_from([125, 150])),
    st.builds(wrong.SwapGame, NOW, st.sampled_from(["old beginner", "beginner"]), st.sampled_from([0, 1, 10])),
    st.builds(wrong.ScrollText, NOW, st.sampled_from(["left", "top", "right", "bottom"]), st.integers(1, 8)),
    st.builds(wrong.LoseFocus, NOW),
    st.builds(wrong.PersonMovesPointer, NOW, st.builds(Pixel, st.integers(-400, 900), st.integers(-100, 700))),
    st.builds(wrong.PersonClicks, NOW),
    st.builds(wrong.DrawPointer, NOW, SHORT_S),
    st.builds(wrong.Pause, NOW),
)


class MisbehavingTable(RuleBasedStateMachine):
    """A game in simulated time, and a player who does a few states at a time."""

    def __init__(self):
        super().__init__()
        self._patch = pytest.MonkeyPatch()
        self._is_over = False

    @initialize(
        skin=st.sampled_from(["classic", "minebot", "winemine"]),
        seed=st.integers(0, 999),
        knows_programs=st.booleans(),
        style=st.builds(Style, flags=st.booleans(), chords=st.booleans()),
    )
    def sit_down(self, skin, seed, knows_programs, style):
        self._desktop = FakeDesktop(load_shipped_skin(skin), wrong.LEVELS["beginner"], seed=seed, faults=HABITS)
        self._desktop.knows_programs = knows_programs
        self._desktop.control.resumes_s = 1.0
        clock = self._desktop.clock
        simulate_time(self._patch, clock)
        clock.limit = clock.now + LIMIT_S
        self._witness = BenchWitness(self._desktop)
        options = {"journal": None, "keep_picture": lambda _: "kept.png", "settings": Settings(style)}
        self._player = make_player(self._desktop, self._witness, **options)

    @rule(n_states=st.integers(1, 60))
    def play_on(self, n_states):
        try:
            for _ in range(n_states if not self._is_over else 0):
                self._player.step()
        except BotError:
            self._is_over = True

    @rule(fault=FAULTS, delay_s=st.floats(0.0, 0.1))
    def go_wrong(self, fault, delay_s):
        """It happens within the next states."""
        self._desktop.clock.after(delay_s, partial(fault.happen, self._desktop))

    @rule(fault=st.sampled_from([wrong.Abort(wrong.AfterSeconds(0.0)), wrong.CloseWindow(wrong.AfterSeconds(0.0))]))
    def end(self, fault):
        fault.happen(self._desktop)

    @invariant()
    def no_click_is_a_wrong_one(self):
        assert list(judge_clicks(self._desktop, self._witness)) == []

    @invariant()
    def every_end_is_a_true_one(self):
        report = Report(SimpleNamespace(has={wrong.MoveWindow}))
        assert list(judge_results(report, self._desktop, self._witness)) == []

    def teardown(self):
        self._patch.undo()


TestMisbehavingTable = MisbehavingTable.TestCase
TestMisbehavingTable.settings = settings(max_examples=N_EXAMPLES, stateful_step_count=N_RULES)
TestMisbehavingTable = pytest.mark.safety(TestMisbehavingTable)
