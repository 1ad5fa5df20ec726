"""The gate's own doing: nothing here installs anything or needs a network."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import check
import progress
import pytest
import system_packages


def python(code):
    return [sys.executable, "-c", code]


@pytest.fixture
def on_linux(monkeypatch):
    monkeypatch.setattr(system_packages.platform, "system", lambda: "Linux")


@pytest.mark.parametrize(
    ("output", "kept_back"),
    [
        ("....\n===== 4 passed in 0.1s =====\n", "===== 4 passed in 0.1s =====\n"),
        ("....\n\x1b[32m== 4 passed ==\x1b[0m\n", "\x1b[32m== 4 passed ==\x1b[0m\n"),
        ("== start ==\nFatal Python error\n", ""),
        ("", ""),
    ],
)
def test_pass_on_keeps_back_the_summary_only(output, kept_back):
    code = "import sys\nfor letter in sys.argv[1]: sys.stdout.write(letter); sys.stdout.flush()"
    sink = io.BytesIO()
    with subprocess.Popen([*python(code), output], stdout=subprocess.PIPE) as process:
        assert check.pass_on(process.stdout, sink).decode().replace("\r\n", "\n") == kept_back
    assert sink.getvalue().decode().replace("\r\n", "\n") == output.removesuffix(kept_back)


def test_table_shows_every_result_and_what_failed():
    table = check.format_table([check.Result("mypy", "", 1.25), check.Result("pytest", "no test ran", 61)])
    lines = [line.split() for line in table.splitlines() if line]
    assert lines == [["mypy", "1.2", "s", "passed"], ["pytest", "61.0", "s", "FAILED:", "no", "test", "ran"]]


def test_gate_goes_on_after_a_failure_and_ends_with_pytests_summary(monkeypatch, capsys):
    summary = "== 1 passed in 0.1s =="
    monkeypatch.setattr(check, "_set_up", lambda **_: check.Result("set-up", "", 0))
    monkeypatch.setattr(check, "_tools", lambda: [("bad", python("raise SystemExit(3)")), ("good", python(""))])
    monkeypatch.setattr(check, "_run_pytest", lambda _: (check.Result("pytest", "", 0), summary))
    assert check.main(["--fast"]) == 1
    out = capsys.readouterr().out
    assert "FAILED: exit code 3" in out
    assert "good" in out
    assert out.splitlines()[-1] == summary


@pytest.fixture
def gate_of_two(monkeypatch, on_linux):
    """The gate with nothing but two runs of pytest, the one beside on one folder; returns what to call with it."""

    def _run(folder):
        monkeypatch.setattr(check, "_set_up", lambda **_: check.Result("set-up", "", 0))
        monkeypatch.setattr(check, "_set_up_windows", lambda: check.Result("Windows under wine", "", 0))
        monkeypatch.setattr(check, "_tools", list)
        monkeypatch.setattr(check, "BESIDE_MARKS", "beside")
        monkeypatch.setattr(check.setup_env, "ROOT", folder)
        monkeypatch.setattr(check.setup_env, "venv_program", lambda _: sys.executable)
        return check.main([])

    return _run


@pytest.mark.skipif(not system_packages.is_linux(), reason="nothing runs beside elsewhere")
@pytest.mark.parametrize(("outcome", "exit_code"), [("True", 0), ("False", 1)])
def test_gate_runs_tests_of_windows_beside_the_others_and_counts_them(gate_of_two, tmp_path, capfd, outcome, exit_code):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = beside\n", encoding="utf-8")
    (tmp_path / "test_two.py").write_text(
        "import os, pytest\n"
        "def test_here(): assert os.getpriority(os.PRIO_PROCESS, 0) < 19\n"
        f"@pytest.mark.beside\ndef test_there(): assert {outcome} and os.getpriority(os.PRIO_PROCESS, 0) == 19\n",
        encoding="utf-8",
    )
    assert gate_of_two(tmp_path) == exit_code
    out = capfd.readouterr().out
    assert ("FAILED: exit code 1" in out) == (exit_code == 1)
    assert out.index("--- pytest\n") < out.index("--- pytest, beside\n") < out.rindex("1 deselected")
    assert out.splitlines()[-1].startswith("=")
    assert "1 passed, 1 deselected" in out.splitlines()[-1]


@pytest.mark.skipif(not system_packages.is_linux(), reason="nothing runs beside elsewhere")
def test_gate_that_is_interrupted_ends_what_runs_beside(monkeypatch, tmp_path):
    monkeypatch.setattr(check.setup_env, "ROOT", tmp_path)
    monkeypatch.setattr(check.setup_env, "venv_program", lambda _: sys.executable)
    monkeypatch.setattr(progress, "PATIENCE_S", 0.5)
    begun = []
    begin = check._begin_pytest
    monkeypatch.setattr(check, "_begin_pytest", lambda *arguments: begun.append(begin(*arguments)) or begun[-1])
    (tmp_path / "test_long.py").write_text("import time\ndef test_long(): time.sleep(600)\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), check._pytest_beside([]):
        raise KeyboardInterrupt
    assert begun[0].poll() is not None


SAFETY_MODULES = (
    *("bot/playing/test_focus.py", "bot/playing/test_play_on_screen.py", "bot/playing/test_stops.py"),
    *("bot/playing/test_window_faults.py", "bot/ports/test_hotkeys.py", "bot/ports/test_x11_mouse.py"),
    "windows/test_windows_faults.py",
)


def test_tests_of_safety_are_never_run_again(tmp_path):
    """As pytest itself has it: the modules are collected with what `tests/conftest.py` adds to them."""
    (tmp_path / "lists_marks.py").write_text(
        "def pytest_collection_finish(session):\n"
        "    for item in session.items:\n"
        "        marks = {mark.name for mark in item.iter_markers()}\n"
        "        if marks & {'screen', 'winemine', 'windows'}:\n"
        "            print('MARKS', *sorted(marks & {'safety', 'flaky'}), item.nodeid, sep='|')\n",
        encoding="utf-8",
    )
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "lists_marks", "-p", "no:cacheprovider",
         *(str(tests / name) for name in SAFETY_MODULES)],
        cwd=tests.parent, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = [line.split("|", 2)[1:] for line in done.stdout.splitlines() if line.startswith("MARKS|")]
    assert len(told) > 50, done.stdout + done.stderr
    assert [line for line in told if line[0] != "safety" or not line[1].startswith("tests/")] == []
