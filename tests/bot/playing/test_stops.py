"""A person lets this program have the mouse: at any moment of play it stops at once, and leaves everything clean.

Real keys, a real terminal, the built-in game; every time is the X server's own. `MINEBOT_STOP_TRIES` says how often
each is tried; `--log-cli-level=INFO` shows the figures.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import subprocess
import sys
import time

import pytest
from amounts import count
from bot_process import environment, running_bot
from desktop_game import desk
from patience import PATIENCE_S, stop_ms
from person import person, seeded
from terminal_bot import CTRL_C, bot_in_terminal
from window_game import Script, window_game
from xdevices import BUTTON, RealDevice
from xledger import XLedger, presses_after

from bot.playing.orders import give

N_TRIES = count("MINEBOT_STOP_TRIES", gate=3, full=30)
pytestmark = [pytest.mark.safety, pytest.mark.in_time, pytest.mark.screen, pytest.mark.timeout(900 * (1 + N_TRIES))]

WATCHED_MS = 250
"""How long nothing may be clicked then: more than a move of the solver and a repaint."""
HELD_MS = 1500
"""How long a button is held: play went on by itself after that once, as the button passed for a click's."""
HUMAN_MS = 150
"""No person presses a key again sooner."""
TAKEN = "the mouse was moved: paused"
FOCUS_LOST = "another window has the keyboard: paused"
log = logging.getLogger("stops")


def figures(name, times_ms):
    """Tell the figures of one kind of stop."""
    ranked = sorted(times_ms)
    p50, p95 = (ranked[int((len(ranked) - 1) * part)] for part in (0.5, 0.95))
    log.info("%s: %d tries, last press after the event: p50 %d, p95 %d, p100 %d ms; %s",
             name, len(ranked), p50, p95, ranked[-1], ranked)  # fmt: skip


def outside(ledger, window):
    """The presses outside the game's window."""
    right, bottom = window.left + window.width, window.top + window.height
    presses = ledger.of("press")
    return [press for press in presses if not (window.left <= press.x < right and window.top <= press.y < bottom)]


@contextlib.contextmanager
def expert_game(display, *arguments):
    """The built-in game at Expert, its window there; yields a person beside it and the ledger."""
    with (
        running_bot("game", "--level", "expert", "--seed", "4", *arguments, display=display),
        desk(display) as hands,
        person(display) as someone,
        XLedger(display) as ledger,
    ):
        window = hands.wait_for_window("Minebot")
        yield someone, ledger
        assert outside(ledger, window) == []


@pytest.fixture(autouse=True)
def only_bot(tmp_path, monkeypatch):
    """Orders reach the bot of this test, and none of another one."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture(scope="module")
def bare_game(bare_display, require_program):
    require_program("setsid", "util-linux")
    with expert_game(bare_display) as game:
        yield game


def press_escape(someone, bot):
    return someone.key("Escape")


def type_ctrl_c(someone, bot):
    now_ms = someone.now_ms()
    bot.type(CTRL_C)
    return now_ms


def send(number):
    def act(someone, bot):
        now_ms = someone.now_ms()
        bot.process.send_signal(number)
        return now_ms

    return act


def give_order(someone, bot):
    now_ms = someone.now_ms()
    assert list(give("stop").values()) == ["stopped"]
    return now_ms


STOPS = {
    "Esc": (press_escape, "stopped by Esc"),
    "Ctrl-C": (type_ctrl_c, "stopped by Ctrl-C"),
    "SIGINT": (send(signal.SIGINT), "stopped by Ctrl-C"),
    "SIGTERM": (send(signal.SIGTERM), "stopped from outside"),
    "minebot stop": (give_order, "stopped by 'minebot stop'"),
    "SIGHUP": (send(signal.SIGHUP), "stopped, as the terminal was closed"),
}


@pytest.mark.parametrize("kind", STOPS)
def test_stop_ends_play_within_50_ms_and_leaves_everything_clean(bare_game, bare_display, kind):
    someone, ledger = bare_game
    act, message = STOPS[kind]
    chance = seeded(kind)
    times_ms, wrong = [], []
    for n in range(N_TRIES):
        windows = someone.top_windows()
        n_before = ledger.n_presses()
        with bot_in_terminal("play", "--now", "--games", "50", display=bare_display) as bot:
            ledger.wait_for_presses(n_before + chance.randint(1, 40))
            time.sleep(chance.uniform(0.0, 0.03))
            event_ms = act(someone, bot)
            code = bot.finish()
            someone.wait_until(event_ms + WATCHED_MS)
            left = bot.left_behind()
            shown = bot.shown.decode(errors="replace")
        times_ms.append(presses_after(ledger, event_ms))
        found = {
            "exit code": (code, 130),
            "message": (message in shown, True),
            "traceback": ("Traceback" in shown, False),
            "left behind": (left, []),
            "held": (someone.pressed(), (0, [])),
            "unpaired": (ledger.held_buttons(), []),
            "windows": (someone.top_windows(), windows),
        }
        wrong += [(n, what, is_now, shown[-400:]) for what, (is_now, due) in found.items() if is_now != due]
    figures(kind, times_ms)
    assert wrong == []
    assert max(times_ms) <= stop_ms(ledger.of("press"))


THINKS_FOR_EVER = """
import sys
from bot.last_resort import run
from bot.playing import mover

def decide_moves(*_):
    print("thinking", file=sys.stderr, flush=True)
    while True:
        pass

mover.decide_moves = decide_moves
sys.exit(run("minebot", "bot.cli"))
"""


@pytest.mark.parametrize("kind", ["Esc", "Ctrl-C", "SIGTERM", "minebot stop"])
def test_play_that_thinks_without_end_is_stopped(bare_game, bare_display, kind):
    someone, _ = bare_game
    process = subprocess.Popen(
        [sys.executable, "-c", THINKS_FOR_EVER, "play", "--now"],
        env=environment(bare_display),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert any("thinking" in line for line in process.stderr)
        if kind == "Esc":
            someone.key("Escape")
        elif kind == "minebot stop":
            give("stop")
        else:
            process.send_signal(signal.SIGINT if kind == "Ctrl-C" else signal.SIGTERM)
        told = process.communicate(timeout=PATIENCE_S)[1]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, told
    assert STOPS[kind][1] in told
    assert "Traceback" not in told


def press_f10(someone, chance):
    return someone.key("F10")


def move_by_hand(someone, chance):
    """Move the mouse for a tenth of a second, 125 times a second."""
    begun_ms = someone.now_ms()
    while someone.nudge(chance.choice((-3, 2, 4)), chance.choice((-2, 1, 3))) < begun_ms + 100:
        time.sleep(0.008)
    return begun_ms


def jump_away(someone, chance):
    """Put the pointer elsewhere, once, though the bot may be just about to move it itself."""
    return someone.jump(chance.randint(900, 1200), chance.randint(700, 1000))


PAUSES = {"F10": press_f10, "mouse by hand": move_by_hand, "mouse in one jump": jump_away}


@pytest.mark.parametrize("kind", PAUSES)
def test_pause_ends_clicks_within_50_ms_and_goes_on_with_f10(bare_game, bare_display, kind):
    someone, ledger = bare_game
    chance = seeded(kind)
    times_ms, wrong, resumed_ms = [], [], 0
    with bot_in_terminal("play", "--now", "--games", "1000", display=bare_display) as bot:
        for n in range(N_TRIES):
            ledger.wait_for_presses(ledger.n_presses() + chance.randint(2, 30))
            someone.wait_until(resumed_ms + HUMAN_MS)
            time.sleep(chance.uniform(0.0, 0.03))
            n_told = bot.count(TAKEN)
            event_ms = PAUSES[kind](someone, chance)
            has_told = kind == "F10" or bot.wait_for(TAKEN, n_told + 1)
            someone.wait_until(event_ms + stop_ms(ledger.of("press")))
            n_then = ledger.n_presses()
            someone.wait_until(event_ms + WATCHED_MS)
            has_stopped = ledger.n_presses() == n_then
            times_ms.append(presses_after(ledger, event_ms))
            held = someone.pressed()
            if held != (0, []) or not has_stopped or not has_told:
                wrong.append((n, held, has_stopped, has_told, bot.shown[-2000:].decode(errors="replace")))
            resumed_ms = someone.key("F10")
        ledger.wait_for_presses(ledger.n_presses() + 5)
        bot.process.send_signal(signal.SIGTERM)
        code = bot.finish()
        left = bot.left_behind()
    figures(kind, times_ms)
    assert wrong == []
    assert max(times_ms) <= stop_ms(ledger.of("press"))
    assert (code, left) == (130, [])


def test_focus_of_another_window_pauses_play_within_50_ms(virtual_display):
    """Also where a click made in the same moment takes the focus back, as a window manager has it."""
    chance = seeded()
    times_ms, wrong, n_taken_back, resumed_ms = [], [], 0, 0
    with (
        expert_game(virtual_display) as (someone, ledger),
        someone.window(1000, 850, 200, 120, is_managed=True) as other,
        bot_in_terminal("play", "--now", "--games", "1000", display=virtual_display) as bot,
    ):
        for n in range(N_TRIES):
            ledger.wait_for_presses(ledger.n_presses() + chance.randint(3, 30))
            someone.wait_until(resumed_ms + HUMAN_MS)
            time.sleep(chance.uniform(0.0, 0.03))
            n_told, asked_ms = bot.count(FOCUS_LOST), someone.activate(other.id)
            has_told = bot.wait_for(FOCUS_LOST, n_told + 1)
            event_ms = min((e.time_ms for e in ledger.of("active") if e.time_ms >= asked_ms), default=asked_ms)
            someone.wait_until(event_ms + WATCHED_MS)
            n_taken_back += someone.active_window() != other.id
            times_ms.append(presses_after(ledger, event_ms))
            held = someone.pressed()
            if held != (0, []) or not has_told:
                wrong.append((n, held, has_told, bot.shown[-2000:].decode(errors="replace")))
            resumed_ms = someone.key("F10")
        hits_ms = list(someone.hits_ms)
    figures("focus lost", times_ms)
    log.info("focus lost: %d of %d were taken back by a click of the same moment", n_taken_back, N_TRIES)
    assert wrong == []
    assert hits_ms == []
    assert max(times_ms) <= stop_ms(ledger.of("press"))


def hold_by_program(someone, number):
    """Press a button as another program does, a remote desktop for one; the bot clicks by the same device."""
    return someone.hold_button(number), lambda: someone.let_go_button(number)


def hold_by_hand(someone, number):
    """Press a button of the mouse itself."""
    hand = RealDevice(someone.name, BUTTON)
    hand.press(number)

    def let_go():
        hand.release(number)
        hand.close()

    return someone.now_ms(), let_go


HELD = "a mouse button is held down: paused"


@pytest.mark.parametrize("hold", [hold_by_program, hold_by_hand])
def test_button_that_a_person_holds_pauses_play_and_it_stays_paused(bare_game, bare_display, hold):
    """However shortly after a click of the bot's: play goes on with F10, not when the button is let go."""
    someone, ledger = bare_game
    chance = seeded(hold.__name__)
    wrong = []
    with bot_in_terminal("play", "--now", "--games", "1000", display=bare_display) as bot:
        for n in range(N_TRIES):
            some_presses(ledger, chance)
            event_ms, let_go = hold(someone, 2)  # the game shows cells around as open meanwhile, or not
            try:
                has_told = bot.wait_for(HELD, n + 1)
                someone.wait_until(event_ms + HELD_MS)
            finally:
                let_go()
            n_then = ledger.n_presses()
            someone.wait_until(someone.now_ms() + WATCHED_MS)
            if not has_told or ledger.n_presses() != n_then:
                wrong.append((n, has_told, bot.shown[-2000:].decode(errors="replace")))
            someone.key("F10")
        bot.process.send_signal(signal.SIGTERM)
        bot.finish()
    assert wrong == []


def some_presses(ledger, chance):
    ledger.wait_for_presses(ledger.n_presses() + chance.randint(2, 20))
    time.sleep(chance.uniform(0.0, 0.03))


def test_keys_for_the_bot_do_not_reach_the_game_that_they_would_harm(virtual_display):
    """Escape makes an icon of this game, F10 begins another: neither happens, and the bot obeys both as ever."""
    chance = seeded()
    times_ms = []
    script = Script(
        [sorted(chance.sample([(row, col) for row in range(16) for col in range(16) if row + col > 3], 40))],
        shape=(16, 16), icon_key="Escape", new_game_key="F10",
    )  # fmt: skip
    with (
        window_game(virtual_display, script) as game,
        person(virtual_display) as someone,
        XLedger(virtual_display) as ledger,
    ):
        for _ in range(N_TRIES):
            with running_bot("play", "--now", "--games", "1000", "--mines", "40", display=virtual_display) as bot:
                some_presses(ledger, chance)
                someone.wait_until(someone.key("F10") + WATCHED_MS)
                n_paused = ledger.n_presses()
                someone.wait_until(someone.now_ms() + WATCHED_MS)
                assert ledger.n_presses() == n_paused
                someone.key("F10")
                some_presses(ledger, chance)
                event_ms = someone.key("Escape")
                code, _ = bot.finish()
            times_ms.append(presses_after(ledger, event_ms))
            assert code == 130, bot.remarks
        assert game.keys() == []
        assert game.told("icon") == []
    assert max(times_ms) <= stop_ms(ledger.of("press"))
