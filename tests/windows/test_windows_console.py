"""A console on Windows: what is shown there in any letters, and what Ctrl-C and Ctrl-Break do.

wine gives the first program none; one that asks for a console gets a real one, and what it starts shares it.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path

import pytest
import waiting_workers
from patience import PATIENCE_S
from windows_env import windows_path

pytestmark = [pytest.mark.windows, pytest.mark.screen]


SHOWN = r"""
import ctypes, json, msvcrt, subprocess, sys
kernel32 = ctypes.WinDLL("kernel32")
kernel32.FreeConsole()
assert kernel32.AllocConsole()
assert kernel32.SetConsoleOutputCP({code_page})
console = open("CONOUT$", "w")
LETTERS = "from rich.console import Console; Console().print('\u2500 caf\xe9 \u0141\xf3d\u017a \u65e5\u672c')"
codes = [
    subprocess.call([sys.executable, *arguments], stdin=subprocess.DEVNULL, stdout=console, stderr=console)
    for arguments in (["-m", "bot", "read", "tests/screens/winemine-beginner-fresh.png"], ["-c", LETTERS])
]
handle = msvcrt.get_osfhandle(console.fileno())
read = kernel32.ReadConsoleOutputCharacterW
read.argtypes = [ctypes.c_void_p, ctypes.c_wchar_p, *[ctypes.c_uint] * 2, ctypes.POINTER(ctypes.c_uint)]
lines = []
for row in range(40):
    line, n_read = ctypes.create_unicode_buffer(80), ctypes.c_uint()
    read(handle, line, 79, row << 16, ctypes.byref(n_read))
    lines.append(line.value[: n_read.value].rstrip())
print(json.dumps([codes, lines]))
"""
CTRL_C = r"""
import ctypes, json, signal, subprocess, sys
kernel32 = ctypes.WinDLL("kernel32")
kernel32.FreeConsole()
assert kernel32.AllocConsole()
bot = subprocess.Popen(
    [sys.executable, "-m", "bot", "play", "--games", "9", "--json"],
    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
)
for line in bot.stderr:
    if "Press F10" in line:
        break
signal.signal(signal.SIGINT, signal.SIG_IGN)  # all on the console get it
assert kernel32.GenerateConsoleCtrlEvent(0, 0)
output, remarks = bot.communicate(timeout=600)
print(json.dumps([bot.returncode, output, remarks]))
"""
CTRL_C_AMONG_CLICKS = r"""
import ctypes, json, msvcrt, signal, subprocess, sys, time
from pathlib import Path
kernel32, user32 = ctypes.WinDLL("kernel32"), ctypes.WinDLL("user32")
kernel32.GetConsoleWindow.restype = ctypes.c_void_p
kernel32.FreeConsole()
assert kernel32.AllocConsole()
user32.ShowWindow(ctypes.c_void_p(kernel32.GetConsoleWindow()), 0)  # not over the game
console = open("CONOUT$", "w")
handle = ctypes.c_void_p(msvcrt.get_osfhandle(console.fileno()))

def terminal():
    cursor, mode = (ctypes.c_uint * 2)(), ctypes.c_uint()
    assert kernel32.GetConsoleCursorInfo(handle, cursor) and kernel32.GetConsoleMode(handle, ctypes.byref(mode))
    return list(cursor), mode.value

def bot(*arguments):
    return [sys.executable, "-m", "bot", *map(str, arguments)]

def run(*arguments):
    done = subprocess.run(bot(*arguments), stdin=subprocess.DEVNULL, capture_output=True, encoding="cp1252")
    return done.returncode, done.stdout, done.stderr

folder = Path({folder})
log = folder / "journal.jsonl"

def wait_for_more(n_decisions):
    count = lambda: log.read_bytes().count(b'"decision"') if log.exists() else 0
    due, deadline = count() + n_decisions, time.monotonic() + 600
    while count() < due:
        assert player.poll() is None and time.monotonic() < deadline, player.poll()
        time.sleep(0.002)

before = terminal()
player = subprocess.Popen(
    bot("play", "--now", "--games", 1000, "--minutes", 4, "--record", folder, "--json"),
    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=console,
)
wait_for_more(5)
told = {{
    "again": run("play", "--now", "--record", folder),
    "replay": run("replay", folder, "--json"),
    "read": run("read", folder / "00001.png", "--picture", folder / "gelesen \u00fc \u65e5.png"),
}}
wait_for_more(3)
signal.signal(signal.SIGINT, signal.SIG_IGN)  # all on the console get it
assert kernel32.GenerateConsoleCtrlEvent(0, 0)
output, _ = player.communicate(timeout=600)
told["play"] = player.returncode, output.decode(), ""
told["held"] = [button for button in (1, 2, 4) if user32.GetAsyncKeyState(button) & 0x8000]
told["terminal"] = [before, terminal()]
print(json.dumps(told))
"""
KILLED_PARENT = f"""
import ctypes, json, subprocess, sys
kernel32 = ctypes.WinDLL("kernel32")
kernel32.OpenProcess.restype = ctypes.c_void_p
kernel32.WaitForSingleObject.argtypes = [ctypes.c_void_p, ctypes.c_uint]
command = [sys.executable, {windows_path(Path(waiting_workers.__file__))!r}]
parent = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
workers = [kernel32.OpenProcess(0x100000, False, number) for number in json.loads(parent.stdout.readline())]
assert len(workers) == 2 and all(workers)
assert [kernel32.WaitForSingleObject(worker, 0) for worker in workers] == [258, 258], "they play"
parent.kill()
assert [kernel32.WaitForSingleObject(worker, 60_000) for worker in workers] == [0, 0]
print("done")
"""
BREAK = """
import signal, time
from bot.errors import Aborted
from bot.playing.control import Control
from bot.playing.session import listening
from bot.desktop import this_platform
control = Control(running=True)
before = signal.getsignal(signal.SIGBREAK)
with listening(control, this_platform().keyboard()):
    assert signal.getsignal(signal.SIGBREAK) is not before
    signal.raise_signal(signal.SIGBREAK)
    try:
        control.wait(5)
        print("not stopped")
    except Aborted as stopped:
        print(stopped, stopped.exit_code)
assert signal.getsignal(signal.SIGBREAK) is before
"""


def said_by(desktop, code):
    with desktop.running("-c", code) as process:
        try:
            output, remarks = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # what it started may hold its output open
                output, remarks = process.communicate(timeout=PATIENCE_S)
                pytest.fail(f"it did not end within {PATIENCE_S} s, and said: {output}{remarks}")
            raise
    assert process.returncode == 0, remarks
    return output


@pytest.mark.parametrize("code_page", [1252, 65001])
def test_console_on_windows_shows_every_letter(desktop, code_page):
    codes, lines = json.loads(said_by(desktop, SHOWN.format(code_page=code_page)))
    assert codes == [0, 0], lines
    assert "; skin: winemine" in lines
    assert "\u2500 caf\xe9 \u0141\xf3d\u017a \u65e5\u672c" in lines


def test_ctrl_c_on_a_windows_console_ends_play_with_130(desktop):
    code, output, remarks = json.loads(said_by(desktop, CTRL_C))
    assert code == 130, remarks
    assert "stopped by Ctrl-C" in remarks
    assert json.loads(output)["games"] == []


@pytest.mark.safety
def test_ctrl_break_on_windows_stops_play_as_the_abort_key_does(desktop):
    assert said_by(desktop, BREAK).strip() == "stopped by Ctrl-Break 130"


@pytest.mark.safety
def test_ctrl_c_among_clicks_on_windows_leaves_no_button_down_and_a_recording_in_any_letters(desktop, tmp_path):
    folder = tmp_path / "Jörg Übung 日本"
    with desktop.wine.winemine("expert"):
        told = json.loads(said_by(desktop, CTRL_C_AMONG_CLICKS.format(folder=json.dumps(windows_path(folder)))))
    code, output, _ = told["play"]
    assert code == 130
    assert json.loads(output)["stray_clicks"] == 0
    assert told["held"] == []
    before, after = told["terminal"]
    assert after == before, "the cursor and the mode of the console"
    code, _, remarks = told["again"]
    assert (code, "holds a recording already" in remarks) == (2, True), "two never record to one folder"
    code, output, remarks = told["replay"]
    assert code == 0, remarks
    assert json.loads(output)["frames"] >= 5, "while it was being written"
    assert told["read"][0] == 0, told["read"]
    assert (folder / "gelesen ü 日.png").read_bytes().startswith(b"\x89PNG")


def test_workers_on_windows_end_with_the_process_they_work_for(desktop):
    assert said_by(desktop, KILLED_PARENT).strip() == "done"
