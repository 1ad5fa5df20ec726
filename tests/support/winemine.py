"""A real winemine under wine, and an independent look at how its games end."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from face_watch import FaceWatch, n_of_colour
from patience import PATIENCE_S
from windows_env import WINE_VARIABLES

KEY = r"HKEY_CURRENT_USER\Software\Microsoft\WinMine"
LEVELS = {
    "beginner": (0, 9, 9, 10),
    "intermediate": (1, 16, 16, 40),
    "expert": (2, 16, 30, 99),
    "custom": (3, 12, 10, 56),  # with the digits 5 and 6, which no level shows
}
CELL_PX = 16
# Measured on the window's client area: the board keeps this distance from its right and bottom edges.
RIGHT_PX, BOTTOM_PX = 5, 5
FACE_ABOVE_BOARD_PX = 16
STARTS = 5
"""The most attempts to start a program. On a busy machine about one start in a hundred fails: the program ends at once,
or one of wine's own programs does. Before each further start wine gets a second more to come to rest."""
_WINDOW_S = PATIENCE_S
"""How long winemine's window may take to come up, in seconds."""
_EQUAL_LOOKS = 3
"""Number of looks in a row, 0.3 s apart, that find a new window where the one before did."""

# How many pure yellow and pure black pixels each of its faces has (Wine 8.0); a dialog over it has neither.
FACES = {(136, 248): "smiling", (128, 256): "won", (0, 244): "lost", (105, 279): "worried", (56, 284): "pressed"}


@dataclass(frozen=True)
class Window:
    """A running game: where its client area is on the screen."""

    left: int
    top: int
    width: int
    height: int
    rows: int
    cols: int

    @property
    def board(self):
        """(left, top, right, bottom) of the cells; right and bottom are outside."""
        right, bottom = self.left + self.width - RIGHT_PX, self.top + self.height - BOTTOM_PX
        return right - self.cols * CELL_PX, bottom - self.rows * CELL_PX, right, bottom

    @property
    def face(self):
        """The middle of the face."""
        left, top, right, _ = self.board
        return (left + right) // 2, top - FACE_ABOVE_BOARD_PX

    def allows_click(self, x, y):
        """Whether a click there is on a cell, or on the face."""
        left, top, right, bottom = self.board
        on_cell = left <= x < right and top <= y < bottom
        return on_cell or max(abs(x - self.face[0]), abs(y - self.face[1])) <= 12


class Wine:
    """A wine prefix of the tests' own, on one display.

    Attributes:
        folder: where it lies; removed afterwards.
        variables: the environment of what runs in it.
    """

    def __init__(self, display, folder):
        self.folder = folder
        self.variables = {
            **os.environ,
            **WINE_VARIABLES,
            "DISPLAY": display,
            "HOME": str(folder),
            "WINEPREFIX": str(folder / "prefix"),
        }

    @property
    def where(self):
        """The variables by which programs are run in this prefix and on its display."""
        return {name: self.variables[name] for name in ("DISPLAY", "HOME", "WINEPREFIX")}

    def run(self, *command):
        """Run one program of wine's to its end."""
        subprocess.run(command, env=self.variables, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        """End every program in the prefix."""
        subprocess.run(["wineserver", "-k"], env=self.variables, check=False)
        subprocess.run(["wineserver", "-w"], env=self.variables, check=False)

    @contextmanager
    def _kept_up(self):
        """Keep wine running between two programs: to start it takes 2 s, a program in a running one 0.1 s."""
        nothing = subprocess.DEVNULL
        with subprocess.Popen(
            ["wine", "cmd"], env=self.variables, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing
        ) as waiting:  # for commands
            try:
                yield
            finally:
                waiting.kill()  # where wine was ended under it, it may wait for ever

    def _write_settings(self, settings):
        """Replace what winemine keeps in the registry; a wine that is busy may fail to, and is asked again."""
        values = "".join(f'"{name}"=dword:{value:08x}\n' for name, value in settings.items())
        with tempfile.NamedTemporaryFile("w", suffix=".reg") as file:
            file.write(f"REGEDIT4\n\n[-{KEY}]\n\n[{KEY}]\n{values}")
            file.flush()
            for attempt in range(1, STARTS + 1):
                try:
                    self.run("wine", "reg", "import", f"Z:{file.name}")
                except subprocess.CalledProcessError:
                    if attempt == STARTS:
                        raise
                    time.sleep(attempt)
                else:
                    return

    @contextmanager
    def winemine(self, level):
        """Run winemine at a level, without any best times."""
        difficulty, rows, cols, mines = LEVELS[level]
        settings = {"Difficulty": difficulty, "Width": cols, "Height": rows, "Mines": mines, "Mark": 0}
        with self._kept_up():
            self._write_settings(settings)
            try:
                with self.shown_winemine(functools.partial(self._find_window, rows, cols)) as window:
                    yield window
            finally:
                self.close()

    @contextmanager
    def shown_winemine(self, find_window):
        """Run one more winemine while the block runs; one that ends before its window is there is started again.

        Args:
            find_window: returns its window, or None. It is asked until it returns the same a few times in a row: the
                window manager puts a new window elsewhere at first.

        Yields:
            Its window.

        Raises:
            TimeoutError: the window did not come up.
        """
        deadline = time.monotonic() + _WINDOW_S
        before, n_equal, n_starts = None, 0, 1
        with ExitStack() as started, tempfile.TemporaryFile() as remarks:
            process = started.enter_context(self._started("winemine", remarks))
            while n_equal < _EQUAL_LOOKS:
                time.sleep(0.3)
                has_ended = process.poll() is not None
                if (has_ended and n_starts == STARTS) or time.monotonic() > deadline:
                    state = f"ended with {process.poll()}" if has_ended else "still runs"
                    remarks.seek(0)
                    said = remarks.read().decode(errors="replace").strip().splitlines()[-4:]
                    raise TimeoutError(f"winemine's window did not come up; start {n_starts} {state}: {said}")
                if has_ended:
                    time.sleep(n_starts)
                    process, n_starts = started.enter_context(self._started("winemine", remarks)), n_starts + 1
                window = find_window()
                n_equal = n_equal + 1 if window is not None and window == before else 0
                before = window
            yield before

    @contextmanager
    def _started(self, program, remarks):
        """Run a program while the block runs; what it remarks goes into a file."""
        with subprocess.Popen(
            ["wine", program], env=self.variables, stdout=subprocess.DEVNULL, stderr=remarks
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _find_window(self, rows, cols):
        """Where its window lies; None while there is none of this size."""
        found = subprocess.run(
            ["xwininfo", "-name", "WineMine"],
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        numbers = {
            word: int(match[1])
            for word in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
            if (match := re.search(rf"{word}:\s+(-?\d+)", found))
        }
        window = Window(*numbers.values(), rows=rows, cols=cols) if len(numbers) == 4 else None
        is_up = window is not None and "IsViewable" in found and window.width > cols * CELL_PX
        return window if is_up else None


def press_key(display, key):
    """Tap a key on a screen, named as xdotool names it."""
    subprocess.run(["xdotool", "key", key], env={**os.environ, "DISPLAY": display}, check=True)


def uncover_face(display):
    """Close what a best time in the last game brought up: the face says how it ended only where it can be seen."""
    for _ in range(3):
        press_key(display, "Return")
        time.sleep(0.4)


@contextmanager
def wine_prefix(display, template=None):
    """A copy of a prefix, removed afterwards: of a fresh one where none is given."""
    with tempfile.TemporaryDirectory(prefix="minebot-wine-", ignore_cleanup_errors=True) as folder:
        shutil.copytree(template or Path(_fresh_home().name, "prefix"), Path(folder, "prefix"), symlinks=True)
        wine = Wine(display, Path(folder))
        try:
            yield wine
        finally:
            wine.close()


@functools.cache
def _fresh_home():
    """The folder of a prefix that nothing has run in, made once a process (10 s) and removed when that ends."""
    home = tempfile.TemporaryDirectory(prefix="minebot-wine-fresh-", ignore_cleanup_errors=True)
    wine = Wine("", Path(home.name))
    wine.run("wineboot", "-i")
    wine.close()
    return home


def face_watch(display, window):
    """A watch on the face of a running game."""
    return FaceWatch(display, window.face, 24, face_of)


def face_of(pixels):
    """Which face is shown there, by its yellow and black pixels."""
    return FACES.get((n_of_colour(pixels, (0, 255, 255)), n_of_colour(pixels, (0, 0, 0))))
