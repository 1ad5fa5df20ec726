"""The demonstration on a screen of its own, stopped: its table, one line, exit code 130, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bot_process import environment
from patience import PATIENCE_S, wait_until

from bot.commands.demo import _new_folder
from bot.reporting.recording import Journal


def family(mark):
    """The processes with this mark in their environment: their numbers and command lines."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append((int(folder.name), (folder / "cmdline").read_bytes()))
        except OSError:
            continue  # it has ended
    return [(number, command) for number, command in found if command]


def screen_and_game(mark):
    """The numbers of the two programs that the demonstration starts; helpers of theirs and of Python's come and go."""
    return [
        number
        for number, command in family(mark)
        if command.split(b"\0")[0].endswith(b"Xvfb") or b"game" in command.split(b"\0")
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Python brings all of it")
def test_demo_names_all_that_the_machine_lacks_before_it_compiles(tmp_path):
    """In a bare container: no virtual screen, and a Python without windows."""
    (tmp_path / "no_windows.py").write_text(
        "import importlib.util, runpy, sys\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name == '_tkinter' else found(name, package)\n"
        "sys.argv = ['minebot', 'demo', '--record', 'recording']\n"
        "runpy.run_module('bot', run_name='__main__', alter_sys=True)\n",
        encoding="utf-8",
    )
    env = environment(None) | {"PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, str(tmp_path / "no_windows.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout) == (5, ""), done.stderr
    assert done.stderr.count("\n") == 2
    assert "by Debian's names: python3-tk, xvfb\n" in done.stderr
    assert "sudo apt-get install python3-tk xvfb" in done.stderr


def test_demos_that_begin_in_the_same_second_have_a_folder_each(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path)
    monkeypatch.setattr("bot.commands.demo.time.strftime", lambda _form: "demo-now")
    folders = [_new_folder() for _ in range(3)]
    assert [folder.name for folder in folders] == ["demo-now", "demo-now-2", "demo-now-3"]
    for folder in folders:
        with Journal(folder):
            pass


@pytest.mark.screen
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])  # Windows has not all of them
def test_stopped_demo_leaves_no_screen_and_no_game_behind(require_program, tmp_path, name):
    require_program("Xvfb", "xvfb")
    number = signal.Signals[name]
    mark = f"MINEBOT_TEST={os.getpid()}-{name}"
    env = environment(None) | dict([mark.split("=")])
    command = [sys.executable, "-m", "bot", "demo", "--headless", "--level", "expert", "--record", str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=env, start_new_session=True, **pipes) as process:
        try:
            wait_until(lambda: len(screen_and_game(mark.encode())) >= 2, "the game did not come up")
            started = screen_and_game(mark.encode())
            groups = [os.getpgid(child) for child in started]
            assert process.pid not in groups, "Ctrl-C in a terminal is for the bot alone, which ends the others"
            time.sleep(0.5)
            os.killpg(process.pid, number)  # as a terminal does: whatever is in its group gets it
            _, said = process.communicate(timeout=PATIENCE_S)
        except BaseException:
            for child, _ in family(mark.encode()):
                os.kill(child, signal.SIGKILL)
            raise
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "X server" not in said, "the screen is there until the end"
    wait_until(lambda: not family(mark.encode()), lambda: family(mark.encode()))
