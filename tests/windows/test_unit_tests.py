"""The unit tests of solver, skins, bot and calibration pass in CPython for Windows too.

Left out are the marks `screen` and `winemine` (X11 is not there), `slow`, and modules that cannot be imported without
X11 (`tests/conftest.py` says which); of every test, one set of parameters is run: all the others are here for what they
say of the project, not of the system. `python3 scripts/windows.py run -- python -m pytest` runs all of them.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from windows_python import windows_path

pytestmark = [pytest.mark.windows, pytest.mark.timeout(2400)]

MARKS = "not screen and not winemine and not windows and not slow"
HALVES = [["tests/bot"], ["tests/solver", "tests/skins", "tests/calibration"]]
"""They take about as long, and are run side by side."""


def test_unit_tests_pass_on_windows(run_on_windows, tmp_path):
    """In a folder with an ASCII name: tests write and read pictures by cv2, which takes no other on Windows."""
    options = ["-m", MARKS, "--at-most", "1", "--timeout", "600", "-p", "no:cacheprovider"]
    with ThreadPoolExecutor(len(HALVES)) as threads:
        runs = [
            threads.submit(
                run_on_windows,
                *("-m", "pytest", *half, *options, "--basetemp", windows_path(tmp_path / str(n))),
                timeout_s=2300,
            )
            for n, half in enumerate(HALVES)
        ]
    for run in runs:
        done = run.result()
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, said + done.stderr.decode(errors="replace")
        assert int(re.search(r"(\d+) passed", said)[1]) >= 200
