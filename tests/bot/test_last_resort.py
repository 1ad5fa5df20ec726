"""How the process ends, whatever happens to it: a line, a documented exit code, and no traceback."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bot_process import environment, run_bot
from patience import PATIENCE_S

from bot import last_resort, signals
from bot.commands.demo import _game_window
from bot.errors import BoardNotFoundError
from bot.last_resort import CLOSED_PIPE, FAULT, ErrorNote, finish
from bot.signals import STOPPED
from bot.virtual_screen import xvfb

ROOT = Path(__file__).resolve().parents[2]
GENERATE = ("generate", "--guess-free", "-n", "3")
HOSTILE = ("bot/__main__.py", "skins/__init__.py", "numpy.py", "random.py")


def command(*arguments, module="bot"):
    return [sys.executable, "-m", module, *arguments]


def start(*arguments, module="bot", unbuffered="", **more):
    env = environment(None) | {"PYTHONUNBUFFERED": unbuffered}
    return subprocess.Popen(command(*arguments, module=module), stderr=subprocess.PIPE, text=True, env=env, **more)


def fail_with(error):
    def do():
        raise error

    return do


@pytest.mark.parametrize("arguments", [GENERATE, ("simulate", "beginner", "-n", "3"), ("skins", "list")])
def test_closed_pipe_ends_silently(arguments):
    read_end, write_end = os.pipe()
    os.close(read_end)
    with start(*arguments, stdout=write_end) as process:
        os.close(write_end)
        said = process.stderr.read()
    assert (process.returncode, said) == (CLOSED_PIPE, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_output_is_told_of(unbuffered):
    with Path("/dev/full").open("w") as full, start("skins", "list", unbuffered=unbuffered, stdout=full) as process:
        said = process.stderr.read()
    assert process.returncode == 2
    assert said.count("\n") == 1
    assert "No space left on device" in said


def test_full_disk_is_told_of(screens, tmp_path):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    picture = screens / "winemine-expert-mid.png"
    out = tmp_path / "out.png"
    with start("read", str(picture), "--picture", str(out), preexec_fn=limit, stdout=subprocess.DEVNULL) as process:
        said = process.stderr.read()
    assert process.returncode == 2
    assert said.count("\n") == 1


def test_dead_display_is_exit_code_5():
    code, _, said = run_bot("play", "--now", display=":987")
    assert code == 5
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("wait_s", [0.0, 0.05, 0.15, 0.3])
def test_signal_while_starting_ends_in_a_line(number, wait_s):
    with start("simulate", "expert", "-n", "1000000", stdout=subprocess.DEVNULL) as process:
        while not hears(process, signal.SIGTERM):  # before that it is Python that starts, and none of ours
            time.sleep(0.001)
        time.sleep(wait_s)
        process.send_signal(number)
        said = process.stderr.read()
    assert process.returncode == STOPPED, said
    assert said.count("\n") == 1, said


def test_hang_up_is_not_heard_under_nohup():
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with start("simulate", "beginner", "-n", "1000000", stdout=subprocess.DEVNULL, preexec_fn=ignore) as process:
        while not hears(process, signal.SIGTERM):
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
    assert process.returncode == STOPPED


def test_signal_at_the_very_end_changes_no_exit_code():
    """Python lets go of handlers before it ends; here the signal comes as late as anything of ours runs."""
    code = (
        "import atexit, os, signal, sys\n"
        "class Late:\n"
        "    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGINT):\n"
        "        kill(own, number)\n"
        "from bot.last_resort import run\n"
        "code = run('minebot', 'this')\n"
        "sys.late = Late()\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, "Traceback" in done.stderr) == (FAULT, False), done.stderr


DROPPED = """
import os, signal, sys, time, types
from bot import last_resort
def drop():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
    except KeyboardInterrupt:  # as C code does it that forgets what was raised
        pass
    time.sleep(20)
def clean_up():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(20)
    finally:
        time.sleep(2.5)
        print("clean")
sys.modules["this"] = types.SimpleNamespace(main=MAIN)
sys.exit(last_resort.run("minebot", "this"))
"""


@pytest.mark.parametrize(("main", "output"), [("drop", ""), ("clean_up", "clean\n")])
def test_signal_that_is_dropped_without_a_word_is_raised_again_but_not_while_it_is_dealt_with(main, output):
    code = DROPPED.replace("MAIN", main)
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (STOPPED, output), done.stderr
    assert done.stderr == "minebot: stopped from outside\n"
    assert time.monotonic() - began < 15


HELD_BACK = """
import os, signal, time
from bot import signals
signals.hear()
try:
    with signals.held_back():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
        print("whole")
    print("never")
except KeyboardInterrupt:
    print("stopped")
with signals.held_back():
    pass
"""


def test_signal_waits_for_the_end_of_a_block_that_holds_it_back():
    done = subprocess.run([sys.executable, "-c", HELD_BACK], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout == "whole\nstopped\n", done.stderr


def test_virtual_screen_whose_start_is_interrupted_is_ended(monkeypatch, require_program):
    require_program("Xvfb", "xvfb")
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)
            signals._stop(signal.SIGINT, None)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    monkeypatch.setattr(signals, "_received", None)
    monkeypatch.setattr(signals, "_insist", lambda: None)
    with pytest.raises(KeyboardInterrupt), xvfb():
        pytest.fail("there was a signal")
    (server,) = started
    assert server.poll() is not None


SLOW_START = (
    "import threading, time\n"
    "start = threading.Thread.start\n"
    "def start_slowly(thread):\n"
    "    start(thread)\n"
    "    threading.Thread.start = start\n"
    "    time.sleep(0.1)\n"
    "threading.Thread.start = start_slowly\n"
)
"""Holds back whoever starts a thread, until the thread has raised the signal once more."""


@pytest.mark.parametrize("before", ["", SLOW_START], ids=["usual", "slow"])
def test_signal_where_nothing_can_be_raised_is_raised_later(before):
    code = before + (
        "import os, signal, time\n"
        "from bot import last_resort, signals\n"
        "signals.hear()\n"
        "last_resort._watch_what_nobody_can_catch('minebot')\n"
        "class Deaf:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        [None for _ in range(1000)]\n"
        "try:\n"
        "    Deaf()\n"
        "    time.sleep(20)\n"
        "except KeyboardInterrupt:\n"
        "    print('heard')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT, timeout=PATIENCE_S
    )
    assert (done.stdout, done.stderr) == ("heard\n", ""), done.stderr


@pytest.mark.parametrize("was_stopped", [False, True])
def test_what_was_half_made_when_a_signal_came_is_no_fault(was_stopped):
    code = (
        "import os, signal\n"
        "from bot import last_resort, signals\n"
        "signals.hear()\n"
        "last_resort._watch_what_nobody_can_catch('minebot')\n"
        "class Half:\n"
        "    def __init__(self):\n"
        f"        os.kill(os.getpid(), signal.SIGHUP) if {was_stopped} else 1 / 0\n"
        "        self.made = True\n"
        "    def __del__(self):\n"
        "        self.made\n"
        "def make():\n"
        "    Half()\n"
        "print(last_resort.finish('minebot', make))\n"
    )
    env = environment(None) | {last_resort.SHOW: "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    if was_stopped:
        assert (done.stdout, done.stderr) == (f"{STOPPED}\n", "minebot: stopped, as the terminal was closed\n")
    else:
        assert done.stderr.count("a fault of minebot itself") == 2


@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [
        (("solve", "-"), [0], 2),
        (("advise", "-", "--json"), [0], 2),
        (("advisor", "--size", "5x5", "--mines", "3"), [0], 0),
        (("game", "--text"), [0], 0),
        (("generate", "--shape", "5,5", "--mines", "3"), [1], 0),
        (("generate", "--shape", "5,5", "--mines", "3"), [0, 1, 2], 0),
        (("generate", "--shape", "5,5", "--mines", "x"), [2], 2),
    ],
)
def test_streams_that_are_closed_are_no_fault(arguments, closed, code):
    def close():
        for number in closed:
            os.close(number)

    with start(*arguments, preexec_fn=close, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        said = process.stderr.read()
    assert (process.returncode, "fault" in said) == (code, False), said


@pytest.mark.parametrize("number", [0, 1, 2])
def test_programs_that_we_start_have_the_streams_too_that_were_closed(number, tmp_path):
    """joblib's workers fail without a standard error."""
    told = tmp_path / "told"
    child = f"import os, pathlib; os.fstat({number}); pathlib.Path({str(told)!r}).write_text('open')"
    code = (
        "import subprocess, sys; from bot.last_resort import _open_what_is_closed; _open_what_is_closed();"
        f"subprocess.run([sys.executable, '-c', {child!r}])"
    )
    subprocess.run([sys.executable, "-c", code], preexec_fn=lambda: os.close(number), check=True, cwd=ROOT)
    assert told.read_text() == "open"


@pytest.mark.parametrize("module", ["bot", "calibration"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("of_command", [False, True])
def test_help_that_is_lost_is_told_of(module, unbuffered, of_command):
    words = ["solve", "--help"] if of_command and module == "bot" else ["--help"]
    env = environment(None) | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(*words, module=module), stdout=full, stderr=subprocess.PIPE, text=True, env=env, check=False
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(("chosen", "n_threads"), [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2)])
def test_numpy_computes_in_one_thread_unless_somebody_chose(chosen, n_threads, tmp_path):
    """Its threads wait busily: two took twice the processor time of one, and twice as long beside busy programs."""
    (tmp_path / "probe.py").write_text("import os, numpy\ndef main(): return len(os.listdir('/proc/self/task'))\n")
    code = "import sys; from bot.last_resort import run; sys.exit(run('probe', 'probe'))"
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | chosen
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(tmp_path)])
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == n_threads


def hears(process, number):
    """Whether the process has a handler for a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def test_fault_keeps_its_traceback_and_says_where(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv(last_resort.SHOW, raising=False)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path)
    assert finish("minebot", fail_with(KeyError("what"))) == FAULT
    said = capsys.readouterr().err
    assert "a fault of minebot itself: KeyError: 'what'" in said
    assert "Traceback" not in said
    assert "KeyError" in (tmp_path / "fault.txt").read_text()
    monkeypatch.setenv(last_resort.SHOW, "1")
    assert finish("minebot", fail_with(KeyError("what"))) == FAULT
    assert "Traceback" in capsys.readouterr().err


def test_remarks_on_an_error_are_told_and_notes_of_python_are_not(capsys):
    error = BoardNotFoundError("none")
    error.add_note("Error calling __set_name__")  # from Python 3.12 on
    error.add_note(ErrorNote("look there"))
    assert finish("minebot", fail_with(error)) == 4
    assert capsys.readouterr().err == "minebot: none\nlook there\n"


@pytest.mark.parametrize("way", ["installed", "module"])
def test_nothing_is_imported_from_the_current_folder(tmp_path, way):
    """Neither by the program nor by its workers, which so many games need.

    `python -m bot` itself runs the `bot` that it finds there first.
    """
    here, starter = tmp_path / "here", tmp_path / "minebot"
    for name in HOSTILE if way == "installed" else HOSTILE[1:]:
        (here / name).parent.mkdir(exist_ok=True, parents=True)
        (here / name).write_text("raise SystemExit('imported from the current folder')\n")
    starter.write_text("import sys; from bot.__main__ import main; sys.exit(main())\n")
    begin = [str(starter)] if way == "installed" else ["-m", "bot"]
    env = environment(None) | {"PYTHONPATH": str(ROOT)}
    env.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(
        [sys.executable, *begin, "simulate", "beginner", "-n", "3000", "--jobs", "2", "--policy", "fast"],
        cwd=here,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_game_of_the_demo_is_ours_whatever_folder_it_is_started_in(tmp_path, monkeypatch):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__main__.py").write_text("raise SystemExit('imported from the current folder')\n")
    monkeypatch.chdir(tmp_path)
    for name in ("PYTHONSAFEPATH", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with _game_window("beginner", seed=1) as window:
        said = window.stderr.read()
    assert "imported from the current folder" not in said
    assert window.returncode == 5, said
