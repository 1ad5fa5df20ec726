"""The kernel is compiled at its first need, and no policy is reported that was not played."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bot_process import environment
from patience import PATIENCE_S, wait_until

from bot.cli import main
from bot.warm_up import warm_up
from solver import kernel


@pytest.fixture
def without_numba(monkeypatch):
    """A machine on which the kernel cannot be had."""

    def _fail():
        raise ImportError("No module named 'numba'")

    monkeypatch.setattr(kernel, "is_compiled", _fail)
    monkeypatch.setattr(kernel.engine, "_compiled", None)


def test_warm_up_compiles_what_is_not_compiled_and_says_so(monkeypatch, capsys):
    done = []
    monkeypatch.setattr(kernel, "is_compiled", lambda: bool(done))
    monkeypatch.setattr(kernel, "compile_now", lambda: done.append("compiled"))
    monkeypatch.setattr(kernel, "load", lambda: bool(done))
    assert warm_up() is None
    assert done == ["compiled"]
    assert "compiling the solver's kernel" in capsys.readouterr().err
    assert warm_up() is None
    assert done == ["compiled"]
    assert capsys.readouterr().err == ""


def test_warm_up_says_why_there_is_no_kernel(without_numba):
    assert warm_up() == "ImportError: No module named 'numba'"


def compilers_of(pid):
    """The processes that compile the kernel for a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    started = [int(word) for task in tasks for word in task.read_text().split()]
    return [it for it in started if b"solver.kernel" in Path(f"/proc/{it}/cmdline").read_bytes()]


def is_at_work(pid):
    """Whether a process goes on: one that ended stays in /proc where the first process asks for no orphan's end."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ctrl_c_ends_compiling_and_what_compiles_is_another_process(tmp_path):
    """Interrupted in a call of LLVM, the process that compiles crashed as it ended: once in some twenty tries."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "warm-up"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(None) | {"NUMBA_CACHE_DIR": str(tmp_path)},
    )
    until = time.monotonic() + PATIENCE_S
    while not (compilers := compilers_of(process.pid)):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=PATIENCE_S)[1]
    assert (process.returncode, said.splitlines()[-1]) == (130, "minebot: stopped by Ctrl-C")
    wait_until(lambda: not any(is_at_work(compiler) for compiler in compilers), "it goes on compiling")


def test_cache_that_cannot_be_written_is_told_of(tmp_path):
    (tmp_path / "file").touch()
    env = environment(None) | {"NUMBA_CACHE_DIR": str(tmp_path / "file")}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "warm-up"], stderr=subprocess.PIPE, text=True, env=env, check=False
    )
    assert done.returncode == 1
    assert re.search(r"cannot be had here \((NotADirectory|FileNotFound|FileExists)Error: ", done.stderr)


def test_kernel_compiled_after_it_was_asked_for_in_vain_is_loaded(monkeypatch):
    monkeypatch.setattr(kernel.engine, "_compiled", None)
    monkeypatch.setattr(kernel.engine, "_is_tried", True)
    assert not kernel.load()
    kernel.compile_now()
    assert kernel.load()


def test_simulate_reports_the_policy_that_was_played(without_numba, capsys):
    assert main(["simulate", "beginner", "-n", "3", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["policy"] == "fast"
    assert "policy strong needs the solver's compiled kernel" in told.err


@pytest.mark.parametrize("command", [["simulate", "beginner"], ["density", "8,8", "--from", "20", "--wins", "1"]])
@pytest.mark.parametrize("policy", ["strong", "max"])
def test_a_policy_that_cannot_be_played_is_refused(without_numba, capsys, command, policy):
    assert main([*command, "--policy", policy]) == 2
    said = capsys.readouterr().err
    assert f"policy {policy} needs the solver's compiled kernel" in said
    assert "take --policy fast" in said


def test_a_test_without_the_kernel_leaves_it_to_those_behind_it(without_numba, monkeypatch):
    kernel.load()
    monkeypatch.undo()
    assert kernel.load()


def test_warm_up_command_says_what_it_did(capsys):
    assert main(["warm-up", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"seconds", "was_compiled"}
    assert main(["warm-up"]) == 0
    assert capsys.readouterr().out.startswith("loaded, it was compiled before: ")


def test_warm_up_command_says_why_there_is_no_kernel(without_numba, capsys):
    assert main(["warm-up"]) == 1
    assert "cannot be had here (ImportError: No module named 'numba')" in capsys.readouterr().err
