"""`minebot toggle` and `minebot stop`: real commands reach a bot that runs, and nobody else's orders do.

`--log-cli-level=INFO` shows how long they take.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from bot_process import environment, run_bot, running_bot
from patience import PATIENCE_S, STOP_MS

from bot.cli import main
from bot.errors import BotError, ScreenError
from bot.playing.control import Control
from bot.playing.orders import OrderListener, give
from bot.playing.session import _taking_orders

ROOT = Path(__file__).resolve().parents[3]
NOBODY_PLAYS = "minebot: no minebot is playing: start one with 'minebot play'\n"
N_TIMED = 20
log = logging.getLogger("orders")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the bots of one test have their files, and no other ones."""
    monkeypatch.setenv("XDG_RUNTIME_DIR" if os.name == "posix" else "LOCALAPPDATA", str(tmp_path))
    return tmp_path / "minebot" if os.name == "posix" else tmp_path / "minebot" / "running"


@contextmanager
def obeying(control):
    listener = OrderListener(control)
    try:
        yield
    finally:
        listener.stop()


@contextmanager
def port_of_another_program():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.bind(("127.0.0.1", 0))
        yield opened.getsockname()[1]


def number_of_a_process_that_ended():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(PATIENCE_S)
    return process.pid


# --- bots that play


@pytest.mark.screen
@pytest.mark.safety
def test_orders_begin_pause_resume_and_stop_play(bare_display, folder):
    from desktop_game import desk  # not on Windows, where there is no X
    from xledger import XLedger

    with (
        running_bot("game", "--level", "expert", "--seed", "4", display=bare_display) as game,
        desk(bare_display) as hands,
        XLedger(bare_display) as ledger,
        running_bot("play", "--json", "--games", "1000", display=bare_display) as bot,
    ):
        hands.wait_for_window("Minebot")
        hands.wait_until_still()
        bot.wait_for("Press F10")
        assert ledger.n_presses() == 0
        assert run_bot("toggle") == (0, "minebot goes on\n", "")
        ledger.wait_for_presses(5)
        assert run_bot("toggle") == (0, "minebot is paused\n", "")
        time.sleep(STOP_MS / 1000)
        n_before = ledger.n_presses()
        time.sleep(0.5)
        assert ledger.n_presses() == n_before
        assert run_bot("toggle") == (0, "minebot goes on\n", "")
        ledger.wait_for_presses(n_before + 5)
        assert run_bot("stop") == (0, "minebot stops\n", "")
        code, output = bot.finish()
        assert (code, bot.remarks[-1]) == (130, "minebot: stopped by 'minebot stop'")
        assert "games" in json.loads(output)
        assert game.process.poll() is None
    assert list(folder.iterdir()) == []


@pytest.mark.screen
def test_every_bot_gets_the_order_and_a_killed_one_harms_nothing(bare_display, folder):
    with ExitStack() as stack:
        killed, single, *bots = [stack.enter_context(running_bot("play", display=bare_display)) for _ in range(4)]
        for bot in (killed, single, *bots):
            bot.wait_for("Press F10")
        assert give("stop", single.process.pid) == {single.process.pid: "stopped"}
        assert single.finish()[0] == 130
        killed.process.kill()
        killed.finish()
        assert len(list(folder.iterdir())) == 3
        code, output, _ = run_bot("stop")
        assert code == 0
        assert sorted(output.splitlines()) == sorted(f"minebot {bot.process.pid} stops" for bot in bots)
        assert [bot.finish()[0] for bot in bots] == [130, 130]
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("words", [["toggle"], ["stop"], ["toggle", "--json"]])
def test_nobody_plays(words):
    assert run_bot(*words) == (1, "", NOBODY_PLAYS)


# --- who is obeyed


def test_scripts_are_told_what_each_bot_does(capsys):
    control = Control()
    with obeying(control):
        assert main(["toggle", "--json"]) == 0
        assert control.is_running
        assert main(["stop", "--json"]) == 0
    said = [json.loads(line)["bots"] for line in capsys.readouterr().out.splitlines()]
    assert said == [[{"process": os.getpid(), "state": state}] for state in ("running", "stopped")]


def test_who_knows_no_secret_is_neither_obeyed_nor_answered(folder):
    control = Control()
    with obeying(control), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        (file,) = folder.iterdir()
        secret = file.read_bytes()
        there = ("127.0.0.1", int(file.name.split("-")[1]))
        for message in (b"toggle", b" toggle", b"x" * 64 + b" stop", secret[:-1] + b" stop", secret, b"\xff" * 60_000):
            stranger.sendto(message, there)
        stranger.sendto(secret + b" dance", there)
        stranger.sendto(secret + b" toggle", there)
        stranger.settimeout(PATIENCE_S)
        assert stranger.recv(100) == b"running"  # datagrams come in their order: no other one was answered
        assert (control.state, control.n_pauses) == ("running", 0)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the folder for local data is the person's own")
def test_nobody_else_reads_the_secret_or_writes_beside_it(folder, capsys):
    with obeying(Control()):
        (file,) = folder.iterdir()
        assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
        folder.chmod(0o777)
        assert main(["stop"]) == 2
        assert "others can put files there: remove it" in capsys.readouterr().err
    with pytest.raises(OSError, match="others can put files there"):
        OrderListener(Control())


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the folder for local data is the person's own")
def test_bot_that_no_order_reaches_plays_only_where_keys_are_heard(folder, capsys):
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    with _taking_orders(Control(), is_only_way=False):
        assert "'minebot stop' do not reach this minebot: " in capsys.readouterr().err
    with pytest.raises(ScreenError, match="do not reach this minebot"), _taking_orders(Control(), is_only_way=True):
        pytest.fail("nobody could stop it")


def test_file_of_a_bot_that_was_killed_is_removed(folder):
    folder.mkdir(parents=True, mode=0o700)
    with port_of_another_program() as free:
        pass
    (folder / f"{os.getpid()}-{free}").write_text("secret")
    (folder / "of somebody else").write_text("")
    with pytest.raises(BotError, match="no minebot is playing"):
        give("toggle")
    assert [file.name for file in folder.iterdir()] == ["of somebody else"]


def test_file_whose_port_another_program_has_is_removed_where_its_bot_has_ended(folder):
    control = Control()
    with obeying(control), port_of_another_program() as port:
        (folder / f"{number_of_a_process_that_ended()}-{port}").write_text("secret")
        assert give("toggle") == {os.getpid(): "running"}
        assert len(list(folder.iterdir())) == 1


def test_bot_that_does_not_answer_is_told_of(folder):
    folder.mkdir(parents=True, mode=0o700)
    with port_of_another_program() as port:
        file = folder / f"{os.getpid()}-{port}"
        file.write_text("secret")
        with file.open(), pytest.raises(BotError, match="does not answer: end it"):
            give("toggle")
    assert len(list(folder.iterdir())) == 1


def test_listener_that_has_stopped_obeys_nobody():
    first, second = Control(), Control()
    with obeying(first):
        pass
    with obeying(second):
        give("stop")
    assert (first.state, second.state) == ("paused", "stopped")


# --- how soon


def test_command_imports_next_to_nothing():
    """A person waits for it: the modules below take 3 ms, those of other commands 60 ms and more."""
    program = (
        "import os, sys; before = set(sys.modules); sys.path.insert(0, sys.argv.pop(1))\n"
        "from bot.__main__ import main; code = main(); print(*sorted(set(sys.modules) - before)); sys.exit(code)"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(ROOT), "toggle"]
    with obeying(Control()):
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    said, imported = done.stdout.splitlines()
    assert said == "minebot goes on"
    ours = {"bot", "bot.__main__", "bot.playing", "bot.playing.orders"}
    assert set(imported.split()) - ours <= {"__future__", "_socket", "errno", "time"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_output_that_cannot_be_written_is_told():
    command = [sys.executable, "-m", "bot", "toggle"]
    control = Control()
    with obeying(control), Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE_S, cwd=ROOT
        )
    assert control.is_running
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_order_is_obeyed_soon_after_the_command_starts():
    """Speed is told, not asserted."""
    control, obeyed_s, whole_ms, until_obeyed_ms = Control(), [], [], []
    toggle = control.toggle
    control.toggle = lambda: (obeyed_s.append(time.perf_counter()), toggle())
    with obeying(control):
        for _ in range(N_TIMED):
            begun_s = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "bot", "toggle"], check=True, timeout=PATIENCE_S, env=environment(None)
            )
            whole_ms.append((time.perf_counter() - begun_s) * 1000)
            until_obeyed_ms.append((obeyed_s[-1] - begun_s) * 1000)
        begun_s = time.perf_counter()
        give("toggle")
    medians = [statistics.median(times) for times in (until_obeyed_ms, whole_ms)]
    log.info("until it is obeyed %.1f ms, whole command %.1f ms (medians of %d)", *medians, N_TIMED)
    log.info("from sending until it is obeyed %.2f ms", (obeyed_s[-1] - begun_s) * 1000)
    assert len(obeyed_s) == N_TIMED + 1
