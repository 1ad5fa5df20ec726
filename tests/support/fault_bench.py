"""The bench: plays one fault script, and holds everything the player did and said against the truth."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from desktop_faults import LEVELS, Abort, LateRepaint, LoseClicks, ScrollText
from fake_desktop import FakeDesktop, HangError, Target
from player_table import Witness, make_player, simulate_time

from bot.errors import Aborted, BotError
from bot.models import Button
from bot.playing.situation import Settings
from bot.playing.speeds import speed_named
from bot.reporting.recording import LOG, Journal, replay
from skins import load_shipped_skin
from solver import board as codes
from solver.board import GameState

MOST_STEPS = 1_000_000
"""Looks and waits of one run: more than twice as many as any run needed (two Expert games, 62 % of clicks lost)."""
STALE_S = 0.1
"""A click on a picture that is out of date by more is counted."""
FINISHED = "finished"
MOST_SHOWN = 6
"""Of the violations of one run."""
_HARMLESS = {LoseClicks, LateRepaint, ScrollText}
"""Faults that leave every game to the player alone: every figure of its results must be right."""


@dataclass(frozen=True)
class Told:
    """A result, and where the truth was when it was told."""

    result: object
    game: int


class BenchWitness(Witness):
    """A watcher that notes at which game and click it was told something."""

    def __init__(self, desktop):
        super().__init__()
        self._desktop = desktop
        self.told = []
        self.games_decided = []
        self.n_decided_at_click = []
        desktop.on_click = lambda _: self.n_decided_at_click.append(len(self.decisions))

    def decided(self, reading, moves):
        super().decided(reading, moves)
        self.games_decided.append(len(self._desktop.games) - 1)

    def ended(self, result):
        super().ended(result)
        self.told.append(Told(result, len(self._desktop.games) - 1))


@dataclass
class Report:
    """How a run went.

    Attributes:
        script: what was to go wrong; `happened`: what did.
        ending: `FINISHED`, or the name of the error that ended it, with its message.
        violations: what must never be.
        counts: what is good to know.
    """

    script: object
    happened: list = field(default_factory=list)
    ending: str = FINISHED
    message: str = ""
    violations: list = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)

    def __str__(self):
        happened = ", ".join(type(fault).__name__ for fault in self.happened) or "nothing"
        lines = [str(self.script), f"happened: {happened}", f"ended: {self.ending} {self.message}".rstrip()]
        lines += [f"  VIOLATION {violation}" for violation in self.violations[:MOST_SHOWN]]
        n_more = len(self.violations) - MOST_SHOWN
        return "\n".join([*lines, *([f"  and {n_more} more"] if n_more > 0 else [])])


def run_script(script, folder, *, make=make_player):
    """Play a script, the journal in a folder of its own, and judge the run."""
    skin = load_shipped_skin(script.skin)
    desktop = FakeDesktop(skin, LEVELS[script.level], seed=script.seed, faults=script.habits, origin=script.origin)
    desktop.knows_programs = script.knows_programs
    witness = BenchWitness(desktop)
    report = Report(script)
    with pytest.MonkeyPatch.context() as patch, Journal(folder) as journal:
        simulate_time(patch, desktop.clock)
        settings = Settings(script.style, speed_named(script.speed, script.seed))
        options = {"keep_picture": lambda _: "kept.png", "settings": settings, "is_count_given": script.is_count_given}
        player = make(desktop, witness, journal=journal, **options)
        desktop.clock.limit = desktop.clock.now + script.limit_s
        desktop.clock.most_steps = MOST_STEPS
        report.happened = script.arm(desktop)
        begun_at = desktop.clock.now
        _play(player, script.n_games, report)
    report.counts["ms"] = round(1000 * (desktop.clock.now - begun_at))
    report.counts["steps"] = desktop.clock.n_steps
    report.violations += judge_ending(report, witness)
    report.violations += judge_clicks(desktop, witness)
    report.violations += judge_results(report, desktop, witness)
    report.violations += judge_journal(folder, witness)
    report.counts["3BV not told"] = sum(result.bbbv is None for result in witness.results)
    count_clicks(report.counts, desktop)
    return report


def _play(player, n_games, report):
    try:
        for _ in player.iter_games(n_games):
            pass
    except BotError as error:
        report.ending, report.message = type(error).__name__, str(error)
    except HangError as error:
        report.ending, report.message = "hang", str(error)
        report.violations.append(f"hang: {error}")
    except Exception as error:  # noqa: BLE001 - whatever else it raises is what is looked for
        report.ending, report.message = type(error).__name__, str(error)
        report.violations.append(f"ended in an error that is none of the bot's: {error!r}")


def judge_ending(report, witness):
    """The run ended in a named state, and the right one."""
    script = report.script
    if report.ending == FINISHED and len(witness.results) != script.n_games:
        yield f"asked for {script.n_games} games, and {len(witness.results)} results were told"
    if report.ending != FINISHED and not report.message:
        yield f"ended in {report.ending} without a message"
    was_aborted = any(isinstance(fault, Abort) for fault in report.happened)
    if report.ending == Aborted.__name__ and not was_aborted:
        yield "says that it was aborted, and nobody did that"
    if script.only_loses_clicks and report.ending != FINISHED:
        yield f"only clicks were lost, and the games were not finished: {report.ending} {report.message}"


def judge_clicks(desktop, witness):
    """No click but on the visible board and the face, nor on a cell that was not decided on."""
    if desktop.buttons_down:
        yield f"left down: {sorted(button.value for button in desktop.buttons_down)}"
    for n, (press, n_decided) in enumerate(zip(desktop.clicks, witness.n_decided_at_click, strict=True), start=1):
        what = f"click {n} at {press.at_s:.3f} s, {tuple(press.pixel)}, {press.button.value}, {press.fate}"
        if press.target not in {Target.BOARD, Target.SPOT}:
            yield f"{what}: on {press.target.name}"
        if press.is_aborted or press.is_paused:
            yield f"{what}: play was {'stopped' if press.is_aborted else 'paused'}"
        if press.cell is not None:
            yield from (f"{what}: {wrong}" for wrong in _judge_move(desktop, witness, press, n_decided))


def _judge_move(desktop, witness, press, n_decided):
    """What is wrong with a click on a cell, given that so many decisions had been told before."""
    if n_decided == 0:
        yield f"cell {press.cell} clicked before anything was decided"
        return
    is_other_game = witness.games_decided[n_decided - 1] != press.game
    if is_other_game and press.stale_s > 0:
        return  # another game had begun, and nothing on the screen said so yet
    moves = [move for move in witness.decisions[n_decided - 1][1] if move.cell == press.cell]
    if not moves:
        yield f"cell {press.cell} was not decided on"
        return
    opens_mine = press.button is Button.LEFT and press.is_mine and press.code == codes.CLOSED
    if (opens_mine or press.has_exploded) and not moves[0].is_guess:
        yield f"cell {press.cell} {'exploded' if press.has_exploded else 'is a mine'}, and it was said to be safe"


def judge_results(report, desktop, witness):
    """Every result is that of one true game, each told once and in order."""
    matched = -1
    for told in witness.told:
        games = range(told.game, matched, -1)
        game = next((n for n in games if _is_result_of(told.result, desktop.games[n])), None)
        if game is None:
            states = [game.state.value for game in desktop.games]
            yield f"told {told.result.result.value}, {told.result}; games {states}, after number {matched}"
            continue
        matched = game
        if report.script.has <= _HARMLESS:
            yield from _judge_figures(told.result, desktop, game)


def _is_result_of(result, game):
    is_so = game.is_over if result.result is GameState.UNKNOWN else game.state is result.result
    if not is_so or game.layout is None:
        return False
    is_size = (result.rows, result.cols, result.mines) == (*game.topology.shape, game.mines)
    return is_size and result.bbbv in {None, game.layout.bbbv}


def _judge_figures(result, desktop, n_game):
    game, clicks = desktop.games[n_game], desktop.cell_clicks(n_game)
    n_opened = int((game.board.cells >= 0).sum())
    if (result.n_opened, result.n_clicks) != (n_opened, len(clicks)):
        yield f"game {n_game}: {n_opened} cells opened by {len(clicks)} clicks, told {result}"
    exploded = [press.cell for press in clicks if press.has_exploded]
    last = [guess.cell for guess in result.guesses[-1:]] if result.result is GameState.LOST else []
    if exploded != last:
        yield f"game {n_game}: exploded {exploded}, guesses told {result.guesses}"


def judge_journal(folder, witness):
    """The journal holds what was told, all of it, and reading it again comes out the same."""
    entries = [json.loads(line) for line in (folder / LOG).read_text(encoding="utf-8").splitlines()]
    decisions = [entry for entry in entries if entry["event"] == "decision"]
    results = [entry for entry in entries if entry["event"] == "result"]
    if len(decisions) != len(witness.decisions):
        yield f"journal: {len(decisions)} decisions, told {len(witness.decisions)}"
    if results != [{"event": "result", **json.loads(json.dumps(r.as_json()))} for r in witness.results]:
        yield f"journal: results {results}, told {witness.results}"
    try:
        steps = list(replay(folder))
    except BotError as error:
        yield f"journal: cannot be gone through again: {error}"
        return
    if len(steps) != len(decisions):
        yield f"journal: {len(decisions)} decisions, {len(steps)} gone through again"
    for step, (reading, _) in zip(steps, witness.decisions, strict=False):
        if not np.array_equal(step.reading.board.cells, reading.board.cells):
            yield f"journal: {step.picture} shows another board than was told"
        yield from (f"journal: {difference}" for difference in step.differences)


def count_clicks(counts, desktop):
    """What is no violation, and good to know."""
    counts["clicks"] = len(desktop.clicks)
    counts["stale"] = sum(press.stale_s > STALE_S for press in desktop.clicks)
    counts["beside a cover"] = sum(press.is_covered for press in desktop.clicks)
    counts["keys to nobody"] = sum(not was_up for _, was_up in desktop.keys) + len(desktop.stray_keys)
    counts["games"] = len(desktop.games)
    counts["games thrown away"] = sum(
        press.target is Target.SPOT and desktop.games[press.game].state is GameState.PLAYING for press in desktop.clicks
    )
