"""The package for who has no Python: what is in it, and that a double click leads to a played game."""

from __future__ import annotations

import re
import subprocess
import zipfile
from contextlib import contextmanager

import package_windows
import pytest
from patience import wait_until
from winemine import wine_prefix

pytestmark = [pytest.mark.windows, pytest.mark.timeout(3600)]


def test_package_has_what_the_bot_requires_on_windows_and_nothing_of_the_tests(windows):
    names = {
        one.name.lower() for one in package_windows.needed_packages(windows.folder / "python" / "Lib" / "site-packages")
    }
    assert {
        "numpy",
        "opencv-python",
        "mss",
        "pynput",
        "pyautogui",
        "python-sat",
        "numba",
        "llvmlite",
        "tomlkit",
    } <= names
    assert not {"pytest", "hypothesis", "mypy", "jeepney", "pywayland"} & names


@contextmanager
def started(prefix, *command, **where):
    """Run a program while the block runs; it gets pipes, as wine needs."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        ["wine", *command], env=prefix.variables, stdin=pipe, stdout=pipe, stderr=pipe, **where
    ) as one:
        try:
            yield one
        finally:
            one.kill()


@pytest.mark.safety
@pytest.mark.full("makes the package and compiles the solver in it: six minutes")
def test_double_click_leads_to_a_played_game_where_there_is_no_python(windows, virtual_display, tmp_path):
    target = package_windows.make(windows)
    with zipfile.ZipFile(target) as packed:
        packed.extractall(tmp_path / "Spiele für Jörg & 日本")
    (home,) = (tmp_path / "Spiele für Jörg & 日本").iterdir()
    assert re.fullmatch(r"minebot-[\d.]+-windows", home.name)

    def window():
        find = ["xdotool", "search", "--onlyvisible", "--name", "^Minebot start$"]
        found = subprocess.run(find, env=prefix.variables, capture_output=True, text=True, check=False)
        return found.stdout.split()

    with wine_prefix(virtual_display, windows.prefix) as prefix, prefix.winemine("beginner"):
        with started(prefix, str(home / "Minebot.exe")):
            wait_until(window, "no window came")
            subprocess.run(["xdotool", "windowactivate", *window(), "key", "F10"], env=prefix.variables, check=True)
            wait_until(lambda: not window(), "the window did not give way")
            wait_until(window, "the game did not end")
        users = prefix.folder / "prefix" / "drive_c" / "users"
        assert list(users.rglob("last-game/journal.jsonl")), "no game was recorded"
