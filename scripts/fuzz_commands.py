"""Run the command line on bad input, in bad places, and stop it at bad moments; say what came of it.

    python scripts/fuzz_commands.py [-n 2000] [--seed N] [--jobs J] [--command NAME]

Every run is a process of its own, made up from its seed: a command, arguments that make sense or none, files that are
whole, broken, huge or devices; what standard input and outputs are; the folder it is in, its home, its display; and
perhaps a signal at a random moment. Whatever comes, a run must end in time with a documented exit code (0 to 5,
130 stopped, 141 nobody reads the output), with no traceback, with less than 1 GiB of memory, without a process that
stays behind, and not with 0 where what it had to say was lost. Prints every run that breaks a rule as a line for a
shell and with its seed: --seed repeats it (signals come at the same moment as far as the machine lets them). Exits
with 1 if there was any. Needs Linux.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz_inputs import COMMANDS, Workshop

from bot.virtual_screen import xvfb
from solver.kernel.compiler import cache_root

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_KIB = 2**20
TIME_LIMIT_S = 60.0
"""For what has little to do, on a machine under load."""
PATIENCE_S = 5.0
"""So long a run goes that may take for ever; then it is stopped by Ctrl-C."""
GRACE_S = 15.0
"""So long a run may take to end after a signal."""
FAMILY = "MINEBOT_FUZZ"
"""Set in the environment of a run, and so in that of all that it starts."""
_STOPPED, _CLOSED_PIPE = 130, 141
_DONE, _LOST, _BAD, _CONTRADICTION, _NO_BOARD, _NO_SCREEN = range(6)
_NEVER_SAID = ("Traceback", "Exception ignored", "X connection to", "HOSTILE")
_KEPT = 2**18
"""Bytes of an output: the first so many, and the last."""
_SIGNALS = (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INPUTS = ("</dev/null", "<&-", "</dev/zero", "</dev/urandom", "</dev/full", "<text", "<text", "<lines")
_TELL_NOTHING = {"analyse", "game", "coach"}
_CODES = {
    "solve": {_CONTRADICTION},
    "advise": {_CONTRADICTION, _NO_BOARD},
    "advisor": {_LOST, _CONTRADICTION},
    "map": {_LOST, _CONTRADICTION},
    "read": {_NO_BOARD},
    "replay": {_LOST},
    "skins": {_LOST},
    "doctor": {_NO_SCREEN},
    "play": {_LOST, _CONTRADICTION, _NO_BOARD, _NO_SCREEN},
    "demo": {_NO_BOARD, _NO_SCREEN},
    "coach": {_NO_BOARD, _NO_SCREEN},
    "analyse": {_CONTRADICTION, _NO_BOARD, _NO_SCREEN},
    "game": {_LOST, _NO_SCREEN},
    "calibrate": {_LOST, _CONTRADICTION, _NO_BOARD, _NO_SCREEN},
}
"""What a command may end with, beside 0 and 2."""


@dataclass(frozen=True)
class Trial:
    """One run, made up.

    Attributes:
        seed: of everything about it.
        command: its name, as in `fuzz_inputs.COMMANDS`.
        argv: the whole command.
        redirects: of the shell: standard input, output and error; and what else is to be done before.
        env: its environment.
        folder: where its files are, and where it is run unless `place` says otherwise.
        place: the folder it is run in.
        reads: how many bytes of its output are read until the pipe is closed; None for all.
        signal: what it is sent, how long after it listens, and whether the whole group of processes is; None for none.
        is_endless: whether it may have work for ever.
        screen: "own" for a screen of its own, "dying" for one that ends on the way, "" for none.
    """

    seed: int
    command: str
    argv: list[str]
    redirects: list[str]
    env: dict[str, str]
    folder: Path
    place: Path
    reads: int | None
    signal: tuple[signal.Signals, float, bool] | None
    is_endless: bool
    screen: str

    @property
    def line(self) -> str:
        """What a person may type; `exec`, so that the shell is gone."""
        before = [word for word in self.redirects if word.endswith(";")]
        after = [word for word in self.redirects if not word.endswith(";")]
        return " ".join([*before, "exec", *map(shlex.quote, self.argv), *after])

    def codes(self, *, was_stopped: bool) -> set[int]:
        """What it may end with."""
        allowed = {_DONE, _BAD} | _CODES.get(self.command, set())
        if was_stopped:
            allowed.add(_STOPPED)
        if self.reads is not None:
            allowed.add(_CLOSED_PIPE)
        return allowed


@dataclass
class Ending:
    """What came of a run.

    Attributes:
        code: its exit code; negative: the signal that ended it.
        told: what it said on standard output and error.
        peak_kib: the most memory of the process, or of one that it waited for.
        seconds: how long it took.
        was_stopped: a signal was sent to it that ends it.
        broken: the rules it broke.
    """

    code: int = 0
    told: str = ""
    peak_kib: int = 0
    seconds: float = 0.0
    was_stopped: bool = False
    broken: list[str] = field(default_factory=list)


def main(arguments: Sequence[str]) -> int:
    """Make so many runs; return 0 when no rule was broken."""
    parser = argparse.ArgumentParser(prog="fuzz_commands", description="Runs commands on bad input.")
    parser.add_argument("-n", type=int, default=2000, help="runs (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the next follow (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="at the same time (default %(default)s)")
    parser.add_argument("--command", choices=list(COMMANDS), help="only this one")
    args = parser.parse_args(arguments)
    # What starts programs in the background has them ignore Ctrl-C, and all that they start too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    counts: Counter[str] = Counter()
    by_command: Counter[tuple[str, int]] = Counter()
    peak_kib, begun_s = 0, time.monotonic()
    with ThreadPoolExecutor(args.jobs) as pool:
        seeds = range(args.seed, args.seed + args.n)
        for trial, ending in pool.map(lambda seed: judge(seed, args.command), seeds):
            counts[f"exit {ending.code}"] += 1
            by_command[trial.command, ending.code] += 1
            counts["failures"] += bool(ending.broken)
            peak_kib = max(peak_kib, ending.peak_kib)
            if ending.broken:
                print(describe(trial, ending), flush=True)
    print(f"{args.n:,} runs in {time.monotonic() - begun_s:.0f} s, at most {peak_kib / 1024:.0f} MiB")
    print(", ".join(f"{name}: {n:,}" for name, n in sorted(counts.items())))
    for name in COMMANDS:
        ended = [f"{n:,} with {code}" for (command, code), n in sorted(by_command.items()) if command == name]
        print(f"{name:10} {', '.join(ended)}")
    return 1 if counts["failures"] else 0


def describe(trial: Trial, ending: Ending) -> str:
    """A run that broke a rule, so that a person can repeat it."""
    sent = "no signal" if trial.signal is None else f"{trial.signal[0].name} after {trial.signal[1]:.2f} s"
    told = ending.told if len(ending.told) < 5000 else f"{ending.told[:2000]}\n[...]\n{ending.told[-3000:]}"
    return (
        f"seed {trial.seed}: {'; '.join(ending.broken)}\n  {trial.line}\n"
        f"  in {trial.place}, {sent}, screen {trial.screen or 'none'}, exit {ending.code}, {ending.seconds:.1f} s, "
        f"{ending.peak_kib / 1024:.0f} MiB\n" + "".join(f"  | {line}\n" for line in told.splitlines())
    )


def judge(seed: int, command: str | None = None) -> tuple[Trial, Ending]:
    """Make a run up, and watch it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True)))
        trial = make_up(seed, folder, command)
        if "full/" in trial.line:
            stack.enter_context(_full_disk(folder / "full"))
        return trial, watch(trial)


def watch(trial: Trial) -> Ending:
    """Make a run, and hold it against the rules."""
    ending = run(trial)
    if ending.code not in trial.codes(was_stopped=ending.was_stopped):
        ending.broken.append(f"exit code {ending.code}")
    ending.broken += [
        f"says {words!r}"
        for words in ("Traceback", "Exception ignored", "X connection to", "HOSTILE")
        if words in ending.told
    ]
    if ending.peak_kib > MOST_KIB:
        ending.broken.append(f"took {ending.peak_kib / 1024:.0f} MiB")
    if ending.code in {_DONE, _LOST} and ">/dev/full" in trial.redirects and _has_something_to_say(trial):
        ending.broken.append("what it had to say was lost, and it does not say so")
    return ending


def _has_something_to_say(trial: Trial) -> bool:
    """Whether the same run prints anything where it can."""
    if trial.command in _TELL_NOTHING or trial.screen:
        return False
    redirects = [word for word in trial.redirects if not word.startswith((">", "2>"))] + ["2>/dev/null"]
    again = run(Trial(**{**vars(trial), "redirects": redirects, "reads": None, "signal": None}))
    return again.code in {_DONE, _LOST} and bool(again.told)


def make_up(seed: int, folder: Path, command: str | None = None) -> Trial:
    """A run from its seed, with its files in the folder."""
    rng = random.Random(seed)
    workshop = Workshop(rng, folder)
    names = list(COMMANDS)
    name = command or rng.choices(names, [COMMANDS[name].weight for name in names])[0]
    recipe = COMMANDS[name]
    screen = rng.choice(("own", "own", "dying", "")) if recipe.needs_screen else ""
    words, is_endless = recipe.arguments(workshop)
    program = "minebot-calibrate" if name == "calibrate" else "minebot"
    argv = [str(Path(sys.executable).with_name(program)), *([] if name == "calibrate" else [name]), *words]
    redirects = [_input(rng, workshop, dialogue=name in {"advisor", "game"}), *_outputs(rng)]
    reads = rng.choice((0, 1, 100, 4096)) if rng.random() < 0.12 else None
    sent = None
    if rng.random() < (0.7 if screen == "own" else 0.3):
        sent = (rng.choice(_SIGNALS), rng.choice((0.0, 0.05, 0.3, 1.0, 3.0)) * rng.random(), rng.random() < 0.5)
    env = _environment(rng, workshop)
    return Trial(
        seed=seed,
        command=name,
        argv=argv,
        redirects=[word for word in redirects if reads is None or not word.startswith(">")],
        env=env,
        folder=folder,
        place=_place(rng, workshop),
        reads=reads,
        signal=sent,
        is_endless=is_endless or bool(screen) or "NUMBA_CACHE_DIR" not in env,
        screen=screen,
    )


def _input(rng: random.Random, workshop: Workshop, *, dialogue: bool) -> str:
    kind = rng.choice(_INPUTS)
    if kind == "<text":
        path = workshop.answers() if dialogue else workshop.board()
        return "</dev/null" if path.is_dir() else f"<{shlex.quote(str(path))}"  # of a folder, Python itself ends
    if kind == "<lines":
        return f"<{shlex.quote(str(workshop.keep('lines', workshop.noise(2**20))))}"
    return kind


def _outputs(rng: random.Random) -> list[str]:
    """What happens to standard output and error."""
    lists: dict[tuple[str, ...], float] = {
        (): 0.66,
        (">/dev/full",): 0.10,
        (">/dev/full", "2>/dev/full"): 0.04,
        (">&-",): 0.04,
        ("2>&-",): 0.03,
        (">&-", "2>&-"): 0.02,
        ("2>/dev/full",): 0.03,
        (f"ulimit -f {rng.choice((0, 1, 8))};", ">out.txt"): 0.06,
        (f"ulimit -n {rng.choice((8, 16, 40))};",): 0.02,
    }
    return list(rng.choices(list(lists), list(lists.values()))[0])


def _environment(rng: random.Random, workshop: Workshop) -> dict[str, str]:
    home = workshop.folder / "home"
    home.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "MINEBOT_TRACEBACK": "1"}
    env["PYTHONDONTWRITEBYTECODE"] = "1"  # CPython keeps half a file where a file may have no more bytes
    if rng.random() < 0.95:  # else nothing is compiled, and some commands do that first: for a minute
        env["NUMBA_CACHE_DIR"] = str(cache_root())
    if rng.random() < 0.15:
        env["HOME"] = rng.choice(("/proc/nobody", "/dev/null/home", "", "relative", str(workshop.keep("a file", b""))))
    if rng.random() < 0.3:
        env["MINEBOT_SKINS"] = str(workshop.skins_folder())
    if rng.random() < 0.2:
        env["DISPLAY"] = rng.choice((":97", ":99999", "nobody:0", "", "garbage", ":0.7", "\u00e9"))
    if rng.random() < 0.1:
        env["WAYLAND_DISPLAY"] = "wayland-7"
    if rng.random() < 0.1:
        env |= rng.choice(({"LANG": "C"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONUTF8": "0", "LC_ALL": "C"}))
    if rng.random() < 0.1:
        env["COLUMNS"] = rng.choice(("0", "1", "-3", "99999999", "x"))
    if rng.random() < 0.05:
        env["TMPDIR"] = "/proc/nowhere"
    return env


def _place(rng: random.Random, workshop: Workshop) -> Path:
    chance = rng.random()
    if chance < 0.15:
        return workshop.hostile_folder()
    return Path("/proc/self") if chance < 0.18 else workshop.folder


def _full_disk(folder: Path) -> Any:
    """A disk of 16 KiB in this folder, where the system lets us have one; else a folder that nobody can write to."""
    folder.mkdir(exist_ok=True)
    stack = ExitStack()
    mount = shutil.which("mount")
    if os.geteuid() == 0 and mount is not None:
        made = subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)], check=False, capture_output=True
        )
        if made.returncode == 0:
            stack.callback(subprocess.run, ["umount", "-l", str(folder)], check=False)
            return stack
    folder.chmod(0o500)
    stack.callback(folder.chmod, 0o700)
    return stack


def run(trial: Trial) -> Ending:
    """Make a run and wait for its end, in time or not."""
    ending = Ending()
    with ExitStack() as stack:
        env = {**trial.env, FAMILY: str(trial.folder)}
        if trial.screen:
            screen = stack.enter_context(ExitStack())
            env["DISPLAY"] = screen.enter_context(xvfb())
            if trial.screen == "dying":
                timer = threading.Timer(random.Random(trial.seed).random() * 4, screen.close)
                timer.start()
                stack.callback(timer.join)
        process = subprocess.Popen(
            ["/bin/sh", "-c", trial.line],
            cwd=trial.place,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if trial.reads is None else subprocess.PIPE,
            start_new_session=True,
        )
        heard: list[bytes] = [b"", b""]
        streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
        threads = [
            threading.Thread(target=_listen, args=(stream, heard, number, trial.reads if number == 0 else None))
            for number, stream in enumerate(streams)
        ]
        for thread in threads:
            thread.start()
        _wait(trial, process.pid, ending)
        process.returncode = ending.code
        left = _end_what_is_left(trial)
        if left:
            ending.broken.append(f"left running: {'; '.join(left)}")
        for thread in threads:
            thread.join(GRACE_S)
    ending.told = b"".join(heard).decode(errors="replace")
    return ending


def _listen(stream: Any, heard: list[bytes], number: int, most: int | None) -> None:
    """Keep what is said; close the pipe after so many bytes."""
    with stream:
        while most is None or len(heard[number]) < most:
            said = os.read(stream.fileno(), 65536 if most is None else most - len(heard[number]))
            if not said:
                return
            heard[number] += said
            if len(heard[number]) > 4 * _KEPT:
                heard[number] = heard[number][:_KEPT] + heard[number][-_KEPT:]


def _wait(trial: Trial, pid: int, ending: Ending) -> None:
    """Send what is to be sent, stop what may take for ever, and note how the process ends."""
    begun_s = time.monotonic()
    stop_s = PATIENCE_S if trial.is_endless else TIME_LIMIT_S
    due = trial.signal
    listens_s: float | None = None
    deadline_s: float | None = None
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        now_s = time.monotonic() - begun_s
        if ended:
            ending.code, ending.seconds = os.waitstatus_to_exitcode(status), now_s
            ending.peak_kib = usage.ru_maxrss
            return
        if listens_s is None and _listens(pid):
            listens_s = now_s
        if due is not None and listens_s is not None and now_s >= listens_s + due[1]:
            _send(pid, due[0], to_all=due[2])
            if due[0] in _STOPPING:
                ending.was_stopped, deadline_s = True, now_s + GRACE_S
            due = None
        if deadline_s is None and now_s > stop_s and listens_s is not None:
            if not trial.is_endless:
                ending.broken.append(f"still at it after {now_s:.0f} s")
            _send(pid, signal.SIGINT, to_all=True)
            ending.was_stopped, deadline_s = True, now_s + GRACE_S
        if now_s > (deadline_s or TIME_LIMIT_S + GRACE_S):
            ending.broken.append("does not end when it is told to")
            _send(pid, signal.SIGKILL, to_all=False)
            deadline_s = float("inf")
        time.sleep(0.005)


def _listens(pid: int) -> bool:
    """Whether a process has come to where it hears signals in a way of its own."""
    for line in _read(f"/proc/{pid}/status").decode(errors="replace").splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False


def _send(pid: int, number: signal.Signals, *, to_all: bool) -> None:
    if to_all:
        os.killpg(pid, number)
    else:
        os.kill(pid, number)


def _end_what_is_left(trial: Trial) -> list[str]:
    """End the processes that a run left behind, after some time to end by themselves; returns their command lines."""
    deadline_s = time.monotonic() + 3.0
    while (left := list(_iter_family(trial))) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    told = []
    for pid in left:
        told.append(_read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip())
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return [words for words in told if words]


def _iter_family(trial: Trial) -> Iterator[int]:
    """The processes with the mark of this run in their environment."""
    mark = f"{FAMILY}={trial.folder}".encode()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and mark in _read(f"/proc/{entry.name}/environ").split(b"\0"):
            yield int(entry.name)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:  # it has ended, or is another person's
        return b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
