"""The gate's own doing: nothing here installs anything or needs a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import check
import lanes
import progress
import pytest
import reach
from lanes import Lane, Outcome, run_lanes

PYTEST = (sys.executable, "-m", "pytest", "-q", "-raR", "-p", "no:cacheprovider")


def python(code):
    return [sys.executable, "-c", code]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder of its own as the checkout; returns what writes a test module into it."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "pytest.ini").touch()
    monkeypatch.setattr(lanes.setup_env, "ROOT", folder)

    def _write(name, code):
        (folder / name).write_text(f"import os, pathlib, pytest, time\n{code}\n", encoding="utf-8")
        return name

    return _write


@pytest.fixture
def gate(monkeypatch, capfd):
    """Return a function that runs the gate without its set-up, and returns its exit code and what it said, by lines."""
    monkeypatch.setattr(check, "_set_up", lambda **_: check.Row("set-up", 0))
    tools = {"bad": python("raise SystemExit(3)"), "good": python("")}
    monkeypatch.setattr(check, "_tools", lambda: [Lane(*tool, is_pytest=False) for tool in tools.items()])
    monkeypatch.setattr(check, "_kernel", lambda: Lane(check.KERNEL, python(""), is_pytest=False))

    def _run(*arguments):
        code = check.main(arguments)
        return code, [" ".join(line.split()) for line in capfd.readouterr().out.splitlines()]

    return _run


@pytest.fixture
def run(tmp_path):
    return lambda *chosen: run_lanes(chosen, tmp_path)


def test_lane_tells_what_became_of_every_test(checkout, run):
    module = checkout(
        "test_all.py",
        "def test_good(): time.sleep(0.2)\n"
        "def test_bad(): assert False\n"
        "@pytest.fixture\ndef broken(): raise OSError\n"
        "def test_broken(broken): pass\n"
        "def test_left(): pytest.skip('for want of a clone')\n"
        "@pytest.mark.flaky(reruns=1)\ndef test_twice(tmp_path_factory):\n"
        "    seen = pathlib.Path(__file__).with_name('seen')\n"
        "    if not seen.exists(): seen.touch(); assert False\n",
    )
    other = checkout("test_other.py", "pytest.skip('for want of a system', allow_module_level=True)\n")
    (outcome,) = run(Lane("one", [*PYTEST, module, other]))
    found = {test.name.removeprefix("test_all.test_"): (test.result, test.reason) for test in outcome.tests}
    assert found == {
        "good": ("passed", ""),
        "bad": ("failed", "assert False"),
        "broken": ("failed", 'failed on setup with "OSError"'),
        "left": ("not run", "for want of a clone"),
        "twice": ("passed", ""),
        "test_other": ("not run", "for want of a system"),
    }
    assert len(outcome.tests) == len(found)
    assert outcome.tried_again == ("test_all.py::test_twice",)
    assert outcome.exit_code == 1
    assert max(outcome.tests, key=lambda test: test.took_s).name.endswith("good")


def test_lanes_run_at_the_same_time_and_say_whose_line_it_is(checkout, run, capfd):
    meet = (
        "def test_meet():\n"
        "    pathlib.Path('{0}').touch()\n"
        "    until = time.monotonic() + 600\n"
        "    while not pathlib.Path('{1}').exists(): assert time.monotonic() < until; time.sleep(0.01)\n"
    )
    modules = [checkout("test_a.py", meet.format("a", "b")), checkout("test_b.py", meet.format("b", "a"))]
    outcomes = run(*(Lane(f"lane {module}", [*PYTEST, module]) for module in modules))
    assert [outcome.exit_code for outcome in outcomes] == [0, 0]
    out = capfd.readouterr().out
    assert all(re.search(rf"^lane {module} \| 1 passed", out, re.MULTILINE) for module in modules)


def test_lane_waits_for_the_one_it_comes_after_whatever_became_of_that(checkout, run):
    module = checkout("test_after.py", "def test_after(): assert pathlib.Path('made').exists()\n")
    make = "import pathlib, time; time.sleep(0.5); pathlib.Path('made').touch(); raise SystemExit(3)"
    made, outcome = run(
        Lane("set-up", python(make), is_pytest=False), Lane("tests", [*PYTEST, module], after=("set-up",))
    )
    assert (made.exit_code, made.tests, check.judge(made).failure) == (3, (), "exit code 3")
    assert outcome.count("passed") == 1
    assert made.took_s >= 0.5


@pytest.mark.parametrize("scope", [{"fast": True, "full": False}, {"fast": False, "full": True}])
def test_no_test_of_the_gate_begins_before_the_kernel_is_compiled(monkeypatch, scope):
    monkeypatch.setattr(check.system_packages, "find_missing", lambda _: [])
    chosen, _ = check._lanes(**scope)
    tests = [lane for lane in chosen if lane.is_pytest and lane.name != "Windows' Python"]
    assert tests
    assert [lane.name for lane in tests if check.KERNEL not in lane.after] == []
    names = [lane.name for lane in chosen]
    assert [lane.name for lane in chosen if set(lane.after) - set(names[: names.index(lane.name)])] == []


@pytest.mark.parametrize(("in_ci", "is_run"), [("", False), ("true", True)])
def test_python_without_wheels_for_windows_does_without_them_and_says_so_but_not_in_ci(monkeypatch, in_ci, is_run):
    monkeypatch.setenv("CI", in_ci)
    monkeypatch.setattr(check.system_packages, "find_missing", lambda _: [])
    monkeypatch.setattr(check.windows_env, "VERSIONS", ((3, 10),))
    chosen, left_out = check._lanes(fast=False, full=False)
    assert ("Windows" in [lane.name for lane in chosen]) is is_run
    assert ("wheels for Python 3.10, and this is 3." in left_out) is not is_run


def test_lane_whose_program_is_not_there_is_an_error(run):
    with pytest.raises(FileNotFoundError):
        run(Lane("good", python(""), is_pytest=False), Lane("none", ["no-such-program"], is_pytest=False))


def test_lane_of_few_tests_imports_the_modules_that_name_its_marks(checkout):
    (lanes.setup_env.ROOT / "tests" / "bot").mkdir(parents=True)
    checkout("tests/bot/test_all.py", "pytestmark = [pytest.mark.slow, pytest.mark.screen]\n")
    checkout("tests/test_one.py", "@pytest.mark.winemine(3)\ndef test_one(): pass\n")
    checkout("tests/test_none.py", "@pytest.mark.screenshot\ndef test_none(): 'winemine'\n")
    checkout("tests/support.py", "SCREEN = pytest.mark.screen\n")
    assert check._modules_with("screen", "winemine") == ["tests/bot/test_all.py", "tests/test_one.py"]
    assert check._modules_with("windows") == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other priorities")
def test_lane_gives_way_as_far_as_it_says_and_gets_its_variables(checkout, run):
    module = checkout(
        "test_own.py",
        "def is_soon(condition): return any(condition() or time.sleep(0.1) for _ in range(300))\n"  # it may start first
        "def test_own(): assert is_soon(lambda: os.getpriority(os.PRIO_PROCESS, 0) == 11)\n"
        "def test_session():\n"
        "    assert os.environ['MINEBOT_OWN'] == 'yes'\n"
        "    session = pathlib.Path('/proc/self/autogroup')\n"
        "    assert not session.exists() or is_soon(lambda: session.read_text().endswith('nice 11\\n'))\n",
    )
    (outcome,) = run(Lane("nice", [*PYTEST, module], niceness=11, variables={"MINEBOT_OWN": "yes"}))
    assert outcome.count("passed") == 2


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="there are no sessions with priorities here")
def test_lane_gives_way_only_until_those_have_ended_that_it_gives_way_to(checkout, run):
    module = checkout(
        "test_own.py",
        "def is_soon(text):\n"
        "    session = pathlib.Path('/proc/self/autogroup')\n"
        "    return any(session.read_text().endswith(text) or time.sleep(0.1) for _ in range(6000))\n"
        "def test_first():\n"
        "    assert is_soon('nice 11\\n')\n"
        "    pathlib.Path('seen').touch()\n"
        "    assert is_soon('nice 0\\n')\n",
    )
    other = checkout(
        "test_other.py", "def test_other():\n    while not pathlib.Path('seen').exists(): time.sleep(0.1)\n"
    )
    outcomes = run(Lane("nice", [*PYTEST, module], niceness=11), Lane("other", [*PYTEST, other]))
    assert [outcome.count("passed") for outcome in outcomes] == [1, 1]


def test_lane_that_dies_has_run_no_test_and_has_failed(checkout, run):
    module = checkout("test_dies.py", "def test_good(): pass\ndef test_dies(): os._exit(0)\n")
    (outcome,) = run(Lane("dies", [*PYTEST, module]))
    assert outcome.tests == ()
    assert check.judge(outcome).failure == "pytest ended before it wrote its report"


@pytest.mark.parametrize("niceness", [0, 11])
def test_lanes_that_are_interrupted_are_ended_and_the_others_never_start(checkout, tmp_path, monkeypatch, niceness):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.5)
    module = checkout("test_long.py", "def test_long(): pathlib.Path('begun').touch(); time.sleep(600)\n")
    later = checkout("test_later.py", "def test_later(): pass\n")
    begun, processes = lanes.setup_env.ROOT / "begun", []
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *given, **how: processes.append(start(*given, **how)) or processes[-1]
    )
    wait = lanes._Running.wait

    def _interrupt(one):
        if threading.current_thread() is not threading.main_thread():
            return wait(one)
        while not begun.exists():
            threading.Event().wait(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(lanes._Running, "wait", _interrupt)
    chosen = [Lane("long", [*PYTEST, module], niceness), Lane("later", [*PYTEST, later], after=("long",))]
    with pytest.raises(KeyboardInterrupt):
        run_lanes(chosen, tmp_path)
    assert [process.poll() is not None for process in processes] == [True]


def outcome_of(*results, exit_code=0, tried_again=(), name="some"):
    reasons = {"not run": "no Xvfb", "failed": "assert 2 == 3\n +  where 2 = one()\n" + "more\n" * 9}
    tests = [lanes.Test(f"m.test_{n}", result, reasons.get(result, ""), n) for n, result in enumerate(results)]
    return Outcome(Lane(name, []), exit_code, 90.0, tuple(tests), tried_again)


@pytest.mark.parametrize(
    ("outcome", "in_ci", "line"),
    [
        (outcome_of("passed"), True, "tests, some 1.5 passed (1 passed)"),
        (outcome_of("passed", "not run"), True, "tests, some 1.5 passed (1 passed, 1 NOT RUN)"),
        (outcome_of("passed", tried_again=("a",)), True, "tests, some 1.5 passed (1 passed, 1 tried again)"),
        (outcome_of("passed", "failed", exit_code=1), True, "tests, some 1.5 FAILED: 1 of 2 tests (1 passed)"),
        (outcome_of("not run"), False, "tests, some NOT RUN (1 NOT RUN)"),
        (outcome_of("not run"), True, "tests, some FAILED: no test ran (1 NOT RUN)"),
        (outcome_of(exit_code=lanes.RAN_NOTHING), False, "tests, some NOT RUN"),
        (outcome_of(exit_code=3), False, "tests, some 1.5 FAILED: pytest ended with exit code 3"),
    ],
)
def test_table_says_of_every_lane_whether_it_ran(monkeypatch, outcome, in_ci, line):
    monkeypatch.setenv("CI", str(in_ci).lower())
    *_, told = check.format_table([check.judge(outcome)])
    assert " ".join(told.split()) == line


def test_end_names_the_slowest_tests_and_what_failed_was_tried_again_and_was_not_run():
    told = "\n".join(
        check.format_tests(
            [
                outcome_of(*["passed"] * 11, name="one"),
                outcome_of("failed", "not run", "not run", tried_again=("t.py::b",), name="two"),
            ]
        )
    )
    slowest = re.findall(r"^ +([\d.]+)  one: m.test_(\d+)$", told, re.MULTILINE)
    assert [int(n) for _, n in slowest] == [10, 9, 8, 7, 6, 5, 4, 3, 2]
    assert "two: m.test_2" in told
    assert "FAILED\n  two: m.test_0\n    assert 2 == 3\n    +  where 2 = one()\n    more\n" in told
    assert told.count("more\n") < 9
    assert "Tried again\n  two: t.py::b" in told
    assert "NOT RUN\n  2 x two: no Xvfb" in told
    assert told.splitlines()[-1] == "11 passed, 1 failed, 2 skipped"


def test_gate_goes_on_after_a_failure_and_says_what_it_left_out(monkeypatch, gate, checkout):
    module = checkout("test_one.py", "def test_one(): pass\n")
    monkeypatch.setattr(check, "_lanes", lambda **_: ([Lane("fast", [*PYTEST, module])], "left out by --fast"))
    code, lines = gate("--fast")
    assert code == 1
    assert any(re.fullmatch(r"bad \d+\.\d FAILED: exit code 3", line) for line in lines)
    assert any(re.fullmatch(r"good \d+\.\d passed", line) for line in lines)
    assert "tests, others NOT RUN (left out by --fast)" in lines
    assert lines[-1] == "1 passed, 0 failed, 0 skipped"


def test_gate_of_a_change_runs_the_near_tests_alone_and_says_so(monkeypatch, gate, checkout):
    checkout("conftest.py", "def pytest_addoption(parser): parser.addoption('--within')\n")
    checkout("test_near.py", "def test_near(): pass\n")
    checkout("test_far.py", "def test_far(): assert False  # mark.screen\n")
    monkeypatch.setattr(check, "_tools", list)
    monkeypatch.setattr(reach, "changed_files", lambda ref: [ref])
    reached = {"test_near.py": 1, "test_far.py": 2}
    monkeypatch.setattr(reach, "modules_reached", lambda files: reached if files == ["main"] else {})
    code, lines = gate("--changed", "main")
    assert code == 0
    assert "tests, others NOT RUN (1 modules that take long, and are far from the change)" in lines
    assert lines[-1] == "1 passed, 0 failed, 0 skipped"
    code, lines = gate("--changed")
    assert code == 0
    assert "tests, others NOT RUN (no test reaches what differs from HEAD)" in lines
    assert lines[-1] == "0 passed, 0 failed, 0 skipped"


SAFETY_MODULES = (
    *("bot/playing/test_focus.py", "bot/playing/test_play_on_screen.py", "bot/playing/test_stops.py"),
    *("bot/playing/test_window_faults.py", "bot/desktop/test_x11_hotkeys.py", "bot/desktop/test_x11_mouse.py"),
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
