"""Windows of real games that move, are covered, become icons or are killed while they are played.

Every press is held against where the game's window was at that moment, in the X server's own order of things.
`MINEBOT_WINDOW_TRIES` says how often each is tried: in the gate once, and on one game only;
`--log-cli-level=INFO` shows the figures.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from amounts import count
from bot_process import run_bot, running_bot
from desktop_game import desk
from gnome_mines import PROGRAM, gnome_mines
from patience import wait_until
from person import person, seeded
from winemine import wine_prefix
from xledger import XLedger

if TYPE_CHECKING:
    from collections.abc import Callable

N_TRIES = count("MINEBOT_WINDOW_TRIES", gate=1, full=10)
pytestmark = [pytest.mark.safety, pytest.mark.winemine, pytest.mark.screen, pytest.mark.timeout(900 * (1 + N_TRIES))]

LOOK_MS = 10
"""A press is made within a millisecond of a look, on a busy machine a few: what happens in between is not seen."""
SCREEN = 1280, 1024
CELL_PX = 16
log = logging.getLogger("faults")


@dataclass(frozen=True)
class Running:
    """A real game: the id of its window, of the top window that it is in, where that was, and where clicks may go."""

    window: int
    top: int
    at: tuple[int, int]
    size: tuple[int, int]
    board: tuple[int, int, int, int]
    allows_click: Callable[[int, int], bool]


@pytest.fixture(scope="module")
def hands(virtual_display):
    with desk(virtual_display) as opened:
        yield opened


@pytest.fixture
def someone(virtual_display):
    with person(virtual_display) as opened:
        yield opened


@pytest.fixture(scope="module")
def wine(virtual_display, require_program):
    for program, package in (("wine", "wine wine64"), ("xwininfo", "x11-utils")):
        require_program(program, package)
    with wine_prefix(virtual_display) as prefix:
        yield prefix


@contextmanager
def winemine(request, hands, someone):
    with request.getfixturevalue("wine").winemine("expert") as game:
        found = hands.wait_for_window("WineMine")
        top = someone.top_of(found.id)
        yield Running(found.id, top, someone.place_of(top), (found.width, found.height), game.board, game.allows_click)


@contextmanager
def gnome(request, hands, someone):
    for program, package in ((PROGRAM, "gnome-mines"), ("dbus-run-session", "dbus")):
        request.getfixturevalue("require_program")(program, package)
    with gnome_mines(hands, "medium", size=(700, 600)) as game:
        window, top = game.window, someone.top_of(game.window.id)
        left, right = (window.left + game.x_edges[i] for i in (0, -1))
        upper, lower = (window.top + game.y_edges[i] for i in (0, -1))

        def allows_click(x, y):
            return left <= x < right and upper <= y < lower

        size = window.width, window.height
        yield Running(window.id, top, someone.place_of(top), size, (left, upper, right, lower), allows_click)


def on(clone):
    """A test of both real games, of one only where it is to be quick."""
    return pytest.mark.parametrize("start", [winemine, gnome] if N_TRIES > 1 else [clone], indirect=True)


@pytest.fixture
def start(request, hands, someone):
    """A function that starts a real game for a block."""
    return lambda: request.param(request, hands, someone)


def strays(ledger, game):
    """The presses off the board, wherever its window was at that moment."""
    for place in ledger.press_places(game.top, game.at):
        if place.corner is not None:
            there = zip((place.press.x, place.press.y), place.corner, game.at, strict=True)
            if game.allows_click(*(now - (moved - then) for now, moved, then in there)):
                continue
        yield place


def hits(ledger, window, since, arrived_ms):
    """The presses that arrived on a covering window, by its own word, at these times.

    One that was made before the window was shown is no fault: the window manager held it back until it was.

    Args:
        ledger: what happened.
        window: its id.
        since: the number of the ledger's entry to begin with.
        arrived_ms: when presses were made that arrived on it.
    """
    shown_ms = next(
        entry.time_ms for entry in ledger.entries[since:] if (entry.kind, entry.window) == ("shown", window)
    )
    places = ledger.press_places(window, (0, 0), is_shown=False, since=since)
    found = [place for place in places if place.corner is not None and place.press.time_ms in arrived_ms]
    known_ms = {place.press.time_ms for place in found}
    early_ms = [time_ms - shown_ms for time_ms in arrived_ms if time_ms not in known_ms]
    log.info("presses held back until there was a covering window, ms: %s", early_ms)
    assert max(early_ms, default=0) <= 0
    return found


def check_in_flight(what, places):
    """Only presses in flight are excused: the last look was before the window changed; and only a few.

    Whoever looked after it could have known.
    """
    log.info("%s: %d in flight, %s ms after it", what, len(places), [place.moved_ms for place in places])
    assert [place for place in places if place.has_looked or place.moved_ms > LOOK_MS] == []
    assert len(places) <= max(1, N_TRIES // 5)


def n_ended(bot):
    """How many games the bot has told the end of."""
    return sum(line.startswith("game ") for line in bot.remarks)


def wait_for_end(bot, n_games):
    """Wait until it has told the end of so many games."""
    wait_until(lambda: n_ended(bot) >= n_games, lambda: f"no game ended: {bot.remarks}")


def stop(bot):
    """Stop it from outside; returns its exit code and the games it tells of."""
    bot.process.send_signal(signal.SIGTERM)
    code, output = bot.finish()
    return code, json.loads(output)["games"]


@contextmanager
def played(game, display, *arguments):
    """The bot plays one game after the other; yields it and the ledger, and judges its presses in the end."""
    with (
        XLedger(display) as ledger,
        running_bot("play", "--now", "--games", "1000", "--json", *arguments, display=display) as bot,
    ):
        yield bot, ledger
        looked_ms = sorted(place.looked_ms for place in ledger.press_places(game.top, game.at))
        log.info(
            "%d presses, %d to %d ms after a look, 99 of 100 at most %d",
            len(looked_ms), looked_ms[0], looked_ms[-1], looked_ms[len(looked_ms) * 99 // 100],
        )  # fmt: skip
        check_in_flight("presses off the board after its window changed", list(strays(ledger, game)))
        assert ledger.held_buttons() == []


def some_way_into_a_game(ledger, chance):
    ledger.wait_for_presses(ledger.n_presses() + chance.randint(3, 30))
    time.sleep(chance.uniform(0.0, 0.03))


def other_place(chance, game, someone):
    """Where to put the window: anywhere on the screen, or whole cells beside where it is."""
    room = [whole - part - 40 for whole, part in zip(SCREEN, game.size, strict=True)]
    if chance.random() < 0.5:
        return tuple(chance.randint(0, most) for most in room)
    now = someone.place_of(game.top)
    steps = (CELL_PX * chance.choice((-3, -1, 1, 2)) for _ in room)
    return tuple(min(max(place + step, 0), most) for place, step, most in zip(now, steps, room, strict=True))


@on(winemine)
def test_window_that_moves_is_played_on_to_the_end(start, virtual_display, someone):
    chance = seeded()
    with start() as game, played(game, virtual_display) as (bot, ledger):
        for _ in range(N_TRIES):
            some_way_into_a_game(ledger, chance)
            n_games = n_ended(bot)
            someone.move_window(game.window, *other_place(chance, game, someone))
            wait_for_end(bot, n_games + 1)
        code, games = stop(bot)
    assert code == 130
    assert len(games) >= N_TRIES
    assert not [line for line in bot.remarks if "does not count" in line]


def cover_of(chance, game):
    """A rectangle over a part of the board, or over all of it: left, top, width, height."""
    left, top, right, bottom = game.board
    if chance.random() < 0.3:
        return left - 10, top - 60, right - left + 20, bottom - top + 80
    x, y = chance.randint(left, right - 40), chance.randint(top, bottom - 40)
    return x, y, chance.randint(20, right - x + 30), chance.randint(20, bottom - y + 30)


@on(winemine)
def test_window_that_is_covered_for_a_while_is_played_on(start, virtual_display, someone):
    chance = seeded()
    hidden = []
    with start() as game, played(game, virtual_display) as (bot, ledger):
        for _ in range(N_TRIES):
            some_way_into_a_game(ledger, chance)
            n_games, n_hits, begun = n_ended(bot), len(someone.hits_ms), len(ledger.entries)
            with someone.window(*cover_of(chance, game), is_managed=False) as window:
                someone.wait_until(someone.now_ms() + chance.randint(50, 2500))
            hidden += hits(ledger, window.id, begun, someone.hits_ms[n_hits:])
            wait_for_end(bot, n_games + 1)
        code, _ = stop(bot)
    check_in_flight("presses on the covering window", hidden)
    assert code == 130


@on(gnome)
def test_window_that_stays_covered_ends_play_with_4(start, virtual_display, someone):
    chance = seeded()
    hidden = []
    with start() as game:
        for _ in range(N_TRIES):
            with played(game, virtual_display) as (bot, ledger):
                some_way_into_a_game(ledger, chance)
                n_hits, begun = len(someone.hits_ms), len(ledger.entries)
                with someone.window(*cover_of(chance, game), is_managed=False) as window:
                    assert has_ended(bot), bot.remarks
                    code, _ = bot.finish()
                    someone.now_ms()
                hidden += hits(ledger, window.id, begun, someone.hits_ms[n_hits:])
            assert code == 4, bot.remarks
            assert any("nothing more was clicked" in line for line in bot.remarks)
    check_in_flight("presses on the covering window", hidden)


@on(winemine)
def test_window_that_is_an_icon_for_a_while_is_played_on(start, virtual_display, someone):
    chance = seeded()
    with start() as game, played(game, virtual_display) as (bot, ledger):
        for _ in range(N_TRIES):
            some_way_into_a_game(ledger, chance)
            n_games, n_pauses = n_ended(bot), n_paused(bot)
            someone.minimise(game.window)
            someone.wait_until(someone.now_ms() + chance.randint(200, 2500))
            someone.turn_to(game.window)
            if n_paused(bot) > n_pauses:
                someone.key("F10")
            wait_for_end(bot, n_games + 1)
        code, _ = stop(bot)
    assert code == 130


def has_ended(bot):
    """Wait until it has ended, or says that it is paused; whether it has ended."""
    n_before = n_paused(bot)
    wait_until(lambda: bot.process.poll() is not None or n_paused(bot) != n_before, lambda: bot.remarks)
    return bot.process.poll() is not None


def n_paused(bot):
    return sum("paused" in line for line in bot.remarks)


@on(gnome)
def test_game_that_is_killed_ends_play_with_4(start, virtual_display, someone):
    chance = seeded()
    times_s = []
    for _ in range(N_TRIES):
        with start() as game, played(game, virtual_display) as (bot, ledger):
            some_way_into_a_game(ledger, chance)
            os.kill(someone.process_of(game.window), signal.SIGKILL)
            killed_at = time.monotonic()
            if not has_ended(bot):  # it waits for its person, where another window has got the keyboard
                assert n_paused(bot) == 1, bot.remarks
                someone.key("F10")
            assert has_ended(bot), bot.remarks
            times_s.append(round(time.monotonic() - killed_at, 1))
            code, _ = bot.finish()
        assert code == 4, bot.remarks
        assert any("nothing more was clicked" in line for line in bot.remarks)
    log.info("ended so many seconds after the game was killed: %s", sorted(times_s))


def test_bot_that_is_killed_leaves_a_recording_up_to_its_last_decision(
    request, hands, someone, virtual_display, tmp_path
):
    chance = seeded()
    with winemine(request, hands, someone):
        for n in range(N_TRIES):
            folder = tmp_path / str(n)
            with (
                XLedger(virtual_display) as ledger,
                running_bot("play", "--now", "--games", "50", "--record", str(folder), display=virtual_display) as bot,
            ):
                some_way_into_a_game(ledger, chance)
                bot.process.kill()
                bot.process.wait()
            code, output, remarks = run_bot("replay", str(folder), "--json")
            assert code == 0, remarks
            replayed = json.loads(output)
            lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
            decisions = [line for line in lines if line["event"] == "decision"]
            log.info("killed after %d presses: %d decisions; %s", ledger.n_presses(), len(decisions), remarks)
            assert replayed == {"frames": len(decisions), "differences": []}
            assert ledger.n_presses() <= sum(len(line["moves"]) + 1 for line in decisions), "all were decided"
