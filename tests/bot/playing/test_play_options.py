"""The options of `minebot play`, against the built-in game on a real X display: what they say, and what they do.

What the bot did is told by two that share no code with it: the X server, which records every press, and the game's
own log. The presses are played once more on the layout of the game's seed.
"""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest
from bot_process import run_bot, running_bot
from patience import PATIENCE_S, wait_until
from xledger import XLedger
from Xlib.display import Display

from bot.cli import main
from bot.game.session import _game_seed
from skins import load_shipped_skin
from solver.board import GameState, parse_board
from solver.game import Game
from solver.layout import LEVELS
from solver.words import name_cell

LEFT, MIDDLE, RIGHT = 1, 2, 3
PITCH_PX = load_shipped_skin("minebot").pitch_px[0]


# --- values


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--games", "0"], "--games: expected a whole number of 1 or more, got '0'"),
        (["--games", "-3"], "--games: expected a whole number of 1 or more, got '-3'"),
        (["--risk-limit", "1.5"], "--risk-limit: expected a chance from 0 to 1 (0.3 for 30 %), got '1.5'"),
        (["--risk-limit", "-0.1"], "--risk-limit: expected a chance from 0 to 1 (0.3 for 30 %), got '-0.1'"),
        (["--risk-limit", "nan"], "--risk-limit: expected a chance from 0 to 1 (0.3 for 30 %), got 'nan'"),
        (["--minutes", "0"], "--minutes: expected a number above 0, got '0'"),
        (["--minutes", "-1"], "--minutes: expected a number above 0, got '-1'"),
        (["--minutes", "nan"], "--minutes: expected a number above 0, got 'nan'"),
        (["--region", "1,2"], "--region: expected LEFT,TOP,WIDTH,HEIGHT in pixels, got '1,2'"),
        (["--think", "-1"], "--think: expected seconds, 0 or more, got '-1'"),
        (["--dry-run", "--record", "somewhere"], "expected --dry-run or --record, got both"),
        (["--efficient", "--flags"], "expected --efficient or --flags, got both"),
    ],
)
def test_play_value_that_cannot_be_is_told_with_its_option(arguments, words, capsys):
    assert main(["play", *arguments]) == 2
    output, remarks = capsys.readouterr()
    assert output == ""
    assert words in remarks


@pytest.mark.parametrize(
    ("option", "value"),
    [("--speed", "slow"), ("--games", "many"), ("--risk-limit", "low"), ("--minutes", "soon"), ("--mines", "few")],
)
def test_play_value_that_is_no_such_thing_is_told_with_its_option(option, value, capsys):
    assert main(["play", option, value]) == 2
    remarks = capsys.readouterr().err
    assert remarks.startswith(f"minebot: {option}: expected ")
    assert f"got {value!r}\n'minebot play --help' " in remarks


# --- a game on a screen


class Table:
    """The built-in game on a display, with its log."""

    def __init__(self, display, log, level, seed):
        self.display = display
        self.log = log
        self.shape = LEVELS[level][:2]
        self.mines = LEVELS[level].mines
        self.seed = seed
        move = self._dry_run_when_there()["moves"][0]
        half = PITCH_PX // 2
        self.corner = [move["pixel"][axis] - half - move["cell"][1 - axis] * PITCH_PX for axis in (0, 1)]

    def play(self, *arguments):
        return run_bot("play", "--now", *arguments, display=self.display)

    @property
    def finished(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def cell_of(self, press):
        col, row = ((at - first) // PITCH_PX for at, first in zip((press.x, press.y), self.corner, strict=True))
        return (row, col) if 0 <= row < self.shape[0] and 0 <= col < self.shape[1] else None

    def replayed(self, presses):
        """The presses on the board, made once more on the layout of the seed: (game, what each of them was)."""
        game = Game(self.shape, self.mines, seed=_game_seed(self.seed, 1))
        kinds = []
        for press in presses:
            cell = self.cell_of(press)
            assert cell is not None, f"{press} is not on the board"
            if press.detail == RIGHT:
                game.toggle_flag(cell)
                kinds.append("flag")
            elif game.code(cell) >= 0:
                kinds.append("chord" if game.chord(cell) else "chord in vain")
            else:
                kinds.append("open" if game.open(cell) else "open in vain")
        return game, kinds

    def _dry_run_when_there(self):
        deadline = time.monotonic() + PATIENCE_S
        while True:
            code, output, remarks = self.play("--dry-run", "--json")
            if code == 0:
                return json.loads(output)
            assert time.monotonic() < deadline, remarks


@contextmanager
def table(display, tmp_path, *, level="beginner", seed=5):
    log = tmp_path / "games.jsonl"
    with running_bot("game", "--level", level, "--seed", str(seed), "--log", str(log), display=display):
        yield Table(display, log, level, seed)


def pointer_at(display):
    asked = Display(display)
    try:
        where = asked.screen().root.query_pointer()
        return where.root_x, where.root_y
    finally:
        asked.close()


@pytest.mark.safety
@pytest.mark.screen
def test_play_dry_run_clicks_nothing_and_says_what_it_would_do(bare_display, tmp_path):
    with table(bare_display, tmp_path) as game, XLedger(bare_display) as witness:
        before = pointer_at(bare_display)
        code, output, _ = game.play("--dry-run", "--json")
        told = json.loads(output)
        assert code == 0
        assert (told["dry_run"], told["skin"], told["state"], told["mines"]) == (True, "minebot", "fresh", 10)
        assert told["board"] == ["#" * 9] * 9
        (move,) = told["moves"]
        code, output, remarks = game.play("--dry-run", "--minutes", "1e9")
        assert code == 0
        assert "Traceback" not in remarks, "no clock runs for so long"
        first, ruler, *rows, last = output.splitlines()
        assert first == "minebot: 9x9, 10 mines, fresh"
        assert (ruler, len(rows)) == ("  012345678", 9)
        (row, col), (x, y) = move["cell"], move["pixel"]
        assert last.startswith(f"would open ({row},{col}) at pixel ({x},{y}): ")
        assert pointer_at(bare_display) == before
    assert witness.of("key", "press", "release") == []
    assert game.finished == []


@pytest.mark.safety
@pytest.mark.screen
def test_play_risk_limit_stops_before_the_guess_and_leaves_the_game(bare_display, tmp_path):
    with table(bare_display, tmp_path, level="expert", seed=3) as game, XLedger(bare_display) as witness:
        code, output, remarks = game.play("--risk-limit", "0", "--json")
        assert code == 1
        assert json.loads(output)["games"] == []
        assert game.finished == [], "the game goes on"
        replayed, kinds = game.replayed(witness.of("press"))
        assert replayed.state is GameState.PLAYING
        assert "open" in kinds
        code, output, _ = game.play("--dry-run", "--json")
        told = json.loads(output)
        assert parse_board("\n".join(told["board"])).with_mines(99) == replayed.board
        (guess,) = told["moves"]
        assert guess["p_mine"] > 0
        message = (
            f"the best guess, cell {name_cell(guess['cell'])}, has a risk of {guess['p_mine']:.1%}, and the limit is"
        )
        assert message in remarks
        code, _, remarks = game.play("--dry-run", "--risk-limit", "0")
        assert code == 1
        assert message in remarks


@pytest.mark.screen
@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        ([], {"open", "flag", "chord"}),
        (["--speed", "fast"], {"open"}),
        (["--no-flags", "--no-chord"], {"open"}),
        (["--flags", "--no-chord"], {"open", "flag"}),
        (["--flags"], {"open", "flag", "chord"}),
        (["--chord"], {"open", "flag", "chord"}),
        (["--flags", "--chord"], {"open", "flag", "chord"}),
        (["--efficient"], {"open", "flag", "chord"}),
    ],
)
def test_play_styles_are_seen_in_the_presses(bare_display, tmp_path, options, kinds):
    with (
        table(bare_display, tmp_path, level="intermediate", seed=8) as game,
        XLedger(bare_display) as witness,
    ):
        code, output, remarks = game.play(*options, "--json")
        assert code == 0, remarks
    (told,), (truth,) = json.loads(output)["games"], game.finished
    replayed, seen = game.replayed(witness.of("press"))
    in_vain = [kind for kind in seen if kind.endswith("in vain")]
    assert len(in_vain) <= told["retries"], "only what seemed lost, on a busy machine, is made again"
    assert set(seen) - set(in_vain) == kinds
    assert told["result"] == truth["result"] == replayed.state.value == "won"
    assert told["clicks"] == truth["clicks"] == len(seen)


@pytest.mark.screen
@pytest.mark.parametrize(("speed", "most_per_s"), [("fast", 20), ("human", 7)])
def test_play_speed_keeps_its_pace(bare_display, tmp_path, speed, most_per_s):
    with table(bare_display, tmp_path) as game, XLedger(bare_display) as witness:
        code, output, remarks = game.play("--speed", speed, "--json")
        assert code in (0, 1), remarks
    presses = witness.of("press")
    assert len(presses) == json.loads(output)["games"][0]["clicks"] > 5
    assert 1000 * (len(presses) - 1) / (presses[-1].time_ms - presses[0].time_ms) <= most_per_s
    if speed == "fast":
        assert min(later.time_ms - sooner.time_ms for sooner, later in pairwise(presses)) >= 50 - 1
    else:
        off_middle = [(press.x - game.corner[0]) % PITCH_PX - PITCH_PX // 2 for press in presses]
        assert len(set(off_middle)) > 2, "no hand meets the middle each time"


@pytest.mark.screen
def test_play_minutes_are_up(bare_display, tmp_path):
    with table(bare_display, tmp_path) as game:
        code, output, remarks = game.play("--games", "100000", "--minutes", "0.1", "--json")
        assert "the time is up (0.1 min)" in remarks
        told = json.loads(output)
        assert code == (1 if told["lost"] else 0), "a planned end"
        assert [one["result"] for one in told["games"]] == [one["result"] for one in game.finished][
            : len(told["games"])
        ]
        assert len(told["games"]) in (len(game.finished), len(game.finished) - 1)


@pytest.mark.screen
def test_play_ctrl_c_ends_with_130_and_tells_what_was_played(bare_display, tmp_path):
    with table(bare_display, tmp_path) as game:
        with running_bot("play", "--now", "--games", "100000", "--json", display=bare_display) as bot:
            wait_until(lambda: len(game.finished) >= 3, lambda: bot.remarks)
            bot.process.send_signal(signal.SIGINT)
            code, output = bot.finish()
        assert code == 130
        assert any("stopped by Ctrl-C" in line for line in bot.remarks)
        assert not any("Traceback" in line for line in bot.remarks)
        told = json.loads(output)
        assert len(told["games"]) >= 2
        assert [one["result"] for one in told["games"]] == [one["result"] for one in game.finished][
            : len(told["games"])
        ]
        assert told["won"] + told["lost"] == len(told["games"])
        assert told["stray_clicks"] == 0
        n_finished = len(game.finished)
        time.sleep(0.3)
        assert len(game.finished) == n_finished, "nothing is clicked any more"


@pytest.mark.screen
def test_second_bot_on_a_screen_says_that_another_listens_to_its_keys(bare_display):
    words = "another program listens to F10 or Esc as well, perhaps another minebot: end it, or name other keys"
    with running_bot("play", display=bare_display) as first:
        first.wait_for("Press F10")
        with running_bot("play", display=bare_display) as second:
            second.wait_for(words)
        with running_bot("play", "--hotkey", "f9", "--abort-key", "f8", display=bare_display) as third:
            third.wait_for("Press F9")
            assert not any("another program" in line for line in third.remarks)
    assert not any("another program" in line for line in first.remarks)
