"""The unit tests in CPython for Windows, beside whatever else runs."""

from __future__ import annotations

import os
from contextlib import ExitStack
from threading import Thread

from windows_desktop import WindowsDesktop
from windows_python import windows_path
from winemine import wine_prefix

FOLDERS = ("tests/bot", "tests/solver", "tests/skins", "tests/calibration")
MARKS = "not screen and not winemine and not windows and not slow"
OPTIONS = ("-m", MARKS, "--at-most", "1", "--timeout", "600", "-p", "no:cacheprovider")
NICENESS = 19
"""They take a processor for minutes: the tests of windows, which mostly wait, find it free whenever they need it."""


class UnitTestsOnWindows:
    """A run of them that has begun, in a wine prefix of its own.

    It ends with this process, however that ends: nobody hears then what it says, unbuffered, and that ends it.
    """

    def __init__(self, windows):
        self._said = ("", "")
        with ExitStack() as stack:
            prefix = stack.enter_context(wine_prefix("", windows.folder / "prefix"))
            folder = windows_path(prefix.folder / "tests")  # in ASCII: cv2 writes and reads no other files on Windows
            arguments = ("-m", "pytest", *FOLDERS, *OPTIONS, "--basetemp", folder)
            running = WindowsDesktop(windows, prefix).running(*arguments, PYTHONUNBUFFERED="1")
            self._process = stack.enter_context(running)
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)
            self._listener = Thread(target=self._listen, daemon=True)
            self._listener.start()
            stack.callback(self._listener.join)
            stack.callback(prefix.close)
            self._everything = stack.pop_all()

    def outcome(self):
        """Wait for its end; returns (exit code, all that it said)."""
        self._listener.join()
        return self._process.wait(), "".join(self._said)

    def end(self):
        """End all of it, if it is still there, and remove what it left."""
        self._everything.close()

    def _listen(self):
        self._said = self._process.communicate()
