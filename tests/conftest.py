"""What test modules share."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import setup_env
import system_packages
from hypothesis import settings

# The gate gives the same answer for the same code; on a person's machine every run tries new examples.
settings.register_profile("ci", derandomize=True)
if setup_env.is_ci():
    settings.load_profile("ci")

pytest.register_assert_rewrite("player_table")

# A shell starts its background jobs with Ctrl-C ignored, and every program inherits that: tests of Ctrl-C would wait
# for ever in a gate that runs in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Whatever skins a person has, tests read with the shipped ones, unless they say otherwise.
os.environ["MINEBOT_SKINS"] = str(Path(__file__).parent / "no-skins-of-anybody")

_X11_ONLY = ("No module named 'Xlib'", "No module named 'pty'", "No module named 'termios'")

RequireProgram = Callable[[str, str], str]


@pytest.fixture(scope="session")
def require_program() -> RequireProgram:
    """Return a function that finds a system program.

    `require_program("Xvfb", "xvfb")` is the program's path. Where it is missing the test is skipped with the command
    that installs its package; in CI the test fails instead.
    """
    return _require_program


def _require_program(program: str, apt_package: str) -> str:
    path = shutil.which(program)
    if path is not None:
        return path
    message = f"needs the program {program}: {system_packages.install_command([apt_package])}"
    if setup_env.is_ci():
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def pytest_addoption(parser):
    parser.addoption("--at-most", type=int, metavar="N", help="of each test, run N sets of parameters, spread evenly")


def pytest_collection_modifyitems(config, items):
    at_most = config.getoption("--at-most")
    if at_most is None:
        return
    families = {}
    for item in items:
        families.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {
        id(family[n * len(family) // at_most] if len(family) > at_most else family[n])
        for family in families.values()
        for n in range(min(at_most, len(family)))
    }
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """On Windows, skip the modules that cannot even be imported there, and say why: they are about X11."""
    report = yield
    if sys.platform == "win32" and report.failed and any(text in str(report.longrepr) for text in _X11_ONLY):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, "Skipped: it is about X11, or terminals as Unix has them")
    return report
