"""The unit tests of solver, skins, bot and calibration pass in CPython for Windows too.

Left out are the marks `screen` and `winemine` (X11 is not there), `slow`, and modules that cannot be imported without
X11 (`tests/conftest.py` says which); of every test, one set of parameters is run: all the others are here for what they
say of the project, not of the system. `python3 scripts/windows.py run -- python -m pytest` runs all of them.
"""

from __future__ import annotations

import re

import pytest

pytestmark = [pytest.mark.windows, pytest.mark.timeout(2400)]


def test_unit_tests_pass_on_windows(unit_tests):
    code, said = unit_tests.outcome()
    assert code == 0, said
    passed = re.search(r"(\d+) passed", said)
    assert passed is not None, said  # a call that wine lacks ends Python with code 0
    assert int(passed[1]) >= 600
