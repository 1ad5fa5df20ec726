"""A console on Windows: what is shown there in any letters, and what Ctrl-C and Ctrl-Break do.

wine gives the first program none; one that asks for a console gets a real one, and what it starts shares it.
"""

from __future__ import annotations

import json

import pytest
from windows_desktop import WindowsDesktop
from winemine import wine_prefix

pytestmark = [pytest.mark.windows, pytest.mark.screen, pytest.mark.timeout(300)]

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
output, remarks = bot.communicate(timeout=60)
print(json.dumps([bot.returncode, output, remarks]))
"""
BREAK = """
import signal, time
from bot.errors import Aborted
from bot.playing.control import Control
from bot.playing.session import PlayOptions, listening
control = Control(running=True)
before = signal.getsignal(signal.SIGBREAK)
with listening(control, PlayOptions()):
    assert signal.getsignal(signal.SIGBREAK) is not before
    signal.raise_signal(signal.SIGBREAK)
    try:
        control.wait(5)
        print("not stopped")
    except Aborted as stopped:
        print(stopped, stopped.exit_code)
assert signal.getsignal(signal.SIGBREAK) is before
"""


@pytest.fixture(scope="module")
def desktop(windows, virtual_display):
    with wine_prefix(virtual_display, windows.folder / "prefix") as prefix:
        yield WindowsDesktop(windows, prefix)


def said_by(desktop, code):
    with desktop.running("-c", code) as process:
        output, remarks = process.communicate(timeout=200)
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


def test_ctrl_break_on_windows_stops_play_as_the_abort_key_does(desktop):
    assert said_by(desktop, BREAK).strip() == "stopped by Ctrl-Break 130"
