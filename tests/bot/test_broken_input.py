"""Files that are broken, endless or claim to be huge: a clear error, exit 2, and little memory."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from claiming import claiming_png

from bot.errors import UsageError
from bot.game.records import BestTimes
from bot.reporting.recorded_games import load_recorded_deals
from bot.reporting.recording import Recording
from calibration.errors import MemoryFileError
from calibration.live.memory import load_memory

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "tests" / "screens" / "winemine-game"
RUN = """
import io, json, os, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
import bot.commands.read, bot.commands.advise, bot.commands.simulate, bot.commands.skins
from bot.cli import main

for line in sys.stdin:
    if os.fork() == 0:
        answer, sys.stdin = sys.stdout, open(os.devnull)
        sys.stdout = sys.stderr = said = io.StringIO()
        code = main(json.loads(line))
        status = Path("/proc/self/status").read_text()  # a process inherits the peak that getrusage tells
        peak_kb = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
        print(json.dumps([code, said.getvalue(), peak_kb]), file=answer, flush=True)
        os._exit(0)
    os.wait()
"""
"""Does each line's command in a process of its own, forked from one that has imported what takes long."""


@pytest.fixture(scope="module")
def run_limited():
    """Return a function from a command's words to its exit code, what it said and its peak of memory in KiB."""
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:

        def run(words):
            process.stdin.write(json.dumps(words) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        try:
            yield run
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # with a command that does not end


@pytest.mark.skipif(sys.platform == "win32", reason="it is about devices, pipes and limits as Unix has them")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["read", "{png}"], "large.png: expected a picture of at most 40,000,000 pixels, got"),
        (["advise", "{png}"], "large.png: expected a picture of at most 40,000,000 pixels, got"),
        (["read", "/dev/zero"], "/dev/zero: cannot be read (it is a device"),
        (["read", "{pipe}"], "pipe: cannot be read (it is a device, a pipe or a socket, not a file)"),
        (["solve", "/dev/zero"], "expected a text of at most 16777216 bytes, got more"),
        (["simulate", "--boards", "/dev/zero"], "/dev/zero: cannot be read (it is a device"),
        (["simulate", "beginner", "--out", "/dev/zero"], "/dev/zero: expected a file to keep games in, got a device"),
        (["simulate", "beginner", "--out", "{pipe}"], "pipe: "),
        (["game", "--text", "--best-times", "/dev/zero"], "/dev/zero: cannot be read (it is a device"),
        (["skins", "import-sheet", "{png}", "--name", "n"], "large.png: expected a picture of at most 40,000,000"),
    ],
)
def test_commands_refuse_what_is_endless_or_huge(words, said, tmp_path, run_limited):
    png, pipe = tmp_path / "large.png", tmp_path / "pipe"
    png.write_bytes(claiming_png(40_000, 40_000))
    os.mkfifo(pipe)
    code, told, peak_kb = run_limited([word.format(png=png, pipe=pipe) for word in words])
    assert code == 2, told
    assert said in told
    assert peak_kb < 500_000


def changed_recording(folder, changes):
    """The recording with other values in the first board and the first decision."""
    shutil.copytree(RECORDING, folder)
    log = folder / "journal.jsonl"
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    for event, keys in (("board", {"rows", "cols", "pitch", "mines", "style"}), ("decision", {"picture"})):
        entry = next(entry for entry in entries if entry["event"] == event)
        entry |= {key: value for key, value in changes.items() if key in keys}
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"picture": "../winemine-game/00001.png"}, "expected a file inside the folder"),
        ({"picture": "/dev/zero"}, "expected a file inside the folder"),
        ({"picture": 5}, "expected the name of a file, got 5"),
        ({"rows": -16}, "line 1: .*expected rows and columns"),
        ({"rows": 10**12}, "line 1: .*expected rows and columns"),
        ({"cols": float("inf")}, "line 1: not an entry"),
        ({"pitch": [1e-9, 1e-9]}, "line 1: .*expected a pitch of 1 pixel or more"),
        ({"pitch": [float("inf"), 16]}, "line 1: .*expected a pitch of 1 pixel or more"),
        ({"mines": float("inf")}, "line 1: not an entry"),
        ({"style": 5}, "line 1: not an entry"),
    ],
)
def test_recording_refuses_what_cannot_be(changes, said, tmp_path):
    folder = changed_recording(tmp_path / "changed", changes)
    with pytest.raises(UsageError, match=said):
        Recording(folder).step(0)


@pytest.mark.parametrize("value", ["[" * 100_000, "9" * 5000])
def test_recording_refuses_json_that_cannot_be_parsed(value, tmp_path):
    (tmp_path / "journal.jsonl").write_text(f'{{"event": {value}}}\n', encoding="utf-8")
    for load in (Recording, load_recorded_deals):
        with pytest.raises(UsageError, match="line 1 is not JSON"):
            load(tmp_path)


def test_best_times_refuse_deep_json(tmp_path):
    (tmp_path / "times").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(UsageError, match="expected best times in"):
        BestTimes(tmp_path / "times")


@pytest.mark.parametrize(
    ("shape", "length", "said"),
    [((112 * 2**30,), 64, "claims the shape"), ((2**28,), 2**28, "it holds more than"), ((5,), 5, "cannot be read")],
)
def test_load_memory_refuses_what_claims_too_much(shape, length, said, tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", header.getvalue() + bytes(length))
    with pytest.raises(MemoryFileError, match=said):
        load_memory(tmp_path / "x.npz")


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04" + bytes(100), b"\x93NUMPY\x01\x00" + bytes(50)])
def test_load_memory_refuses_what_is_none(content, tmp_path):
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(MemoryFileError, match="what was learned before cannot be read"):
        load_memory(tmp_path / "x.npz")


@pytest.mark.parametrize("learned", [{"zz": "1"}, {"1": "nonsense"}, 5, {"1": 5}])
def test_recording_refuses_learned_states_that_cannot_be(learned, tmp_path):
    folder = changed_recording(tmp_path / "changed", {})
    log = folder / "journal.jsonl"
    first, *others = log.read_text(encoding="utf-8").splitlines()
    log.write_text("\n".join([json.dumps(json.loads(first) | {"learned": learned}), *others, ""]), encoding="utf-8")
    with pytest.raises(UsageError, match="line 1: not an entry"):
        Recording(folder)
