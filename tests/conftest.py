"""What test modules share."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from math import inf
from pathlib import Path
from typing import NoReturn

import amounts
import chunks
import pytest
import setup_env
import system_packages
from fonts import fonts_of, package_of
from patience import PATIENCE_S

from bot.virtual_screen import xvfb
from solver import kernel

amounts.load_hypothesis_profile()

pytest.register_assert_rewrite("player_table", "coached")

# A shell starts its background jobs with Ctrl-C ignored, `nohup` its program with SIGHUP ignored, and every program
# inherits that: tests of either would wait for ever in a gate that runs in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Whatever terminal a person has, tests see the same.
os.environ["TERM"] = "xterm-256color"
for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(name, None)

# Whatever skins a person has, tests read with the shipped ones, unless they say otherwise.
os.environ["MINEBOT_SKINS"] = str(Path(__file__).parent / "no-skins-of-anybody")

_UNIX_ONLY = tuple(f"No module named '{name}'" for name in ("Xlib", "fcntl", "jeepney", "pty", "resource", "termios"))

_REAL_WINDOWS = ("screen", "winemine", "windows")
"""The marks of tests that wait for programs of others."""

_OF_LANES = (*_REAL_WINDOWS, "in_time")
"""The marks by which `scripts/check.py` tells its lanes apart."""

_LATEST_S = pytest.StashKey[float]()
"""When the last test may begin, as `time.monotonic` counts."""

RequireProgram = Callable[[str, str], str]


@pytest.fixture(scope="session", autouse=True)
def _kernel_is_compiled():
    """Compile the kernel as the set-up would (half a minute, once and for all), and load it.

    Before any test: one that takes the kernel away gives back what it found.
    """
    kernel.compile_now()
    assert kernel.load()


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
    return _do_without(f"the program {program}", apt_package)


def _do_without(thing: str, apt_package: str) -> NoReturn:
    """Skip a test, or fail it in CI, for want of a package."""
    message = f"needs {thing}: {system_packages.install_command([apt_package])}"
    if setup_env.is_ci():
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@pytest.fixture(scope="session")
def require_fonts():
    """Return a function that expects one of the sets of `fonts` to be installed, as `require_program` does programs."""
    return _require_fonts


def _require_fonts(name):
    if fonts_of(name) is None:
        _do_without(f"the fonts {name}", package_of(name))


@pytest.fixture(scope="session")
def bare_display(require_program):
    """The name (`:7`) of a virtual screen of 1280 x 1024 without a window manager: clicks of any speed arrive there."""
    require_program("Xvfb", "xvfb")
    require_program("xdotool", "xdotool")
    with xvfb() as name:
        yield name


@pytest.fixture(scope="session")
def virtual_display(require_program):
    """The name of a virtual screen of 1280 x 1024 with a window manager, for this test run alone."""
    with managed_screen(require_program) as name:
        yield name


@pytest.fixture(scope="module")
def small_display(require_program):
    """The name of a virtual screen of 800 x 600 with a window manager."""
    with managed_screen(require_program, "-screen", "0", "800x600x24") as name:
        yield name


@contextmanager
def managed_screen(require_program, *options):
    """A virtual screen with a window manager while the block runs, with these options of Xvfb; yields its name."""
    for program in ("Xvfb", "openbox", "xdotool"):
        require_program(program, program.lower())
    from window_manager import openbox  # not on Windows, where there is no X

    with xvfb(*options) as name, openbox(name):
        yield name


def pytest_addoption(parser):
    parser.addoption("--at-most", type=int, metavar="N", help="of each test, run N sets of parameters, spread evenly")
    parser.addoption(
        "--case", metavar="NAME", help="of tests that loop over cases, run the one that a failure named so"
    )
    parser.addoption("--within", type=float, metavar="SECONDS", help="begin no test later than that; say how many")


def pytest_configure(config):
    chunks.at_most, chunks.wanted = config.getoption("--at-most"), config.getoption("--case")
    within_s = config.getoption("--within")
    config.stash[_LATEST_S] = inf if within_s is None else time.monotonic() + within_s


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if time.monotonic() > item.config.stash[_LATEST_S]:
        pytest.skip(f"{item.config.getoption('--within'):g} s are over (--within)")


def pytest_itemcollected(item):
    """Expect the marks of a test's lane in its own module: `check.py` looks for them there. Expect no test of speed."""
    for mark in item.iter_markers("timeout"):
        if mark.args[0] < PATIENCE_S:
            raise pytest.UsageError(f"{item.nodeid}: expected a timeout of {PATIENCE_S:.0f} s or more, a net alone")
    for name in _OF_LANES:
        if item.get_closest_marker(name) is not None and f"mark.{name}" not in _source(item.path):
            raise pytest.UsageError(f"{item.nodeid}: write pytest.mark.{name} in its own module: check.py looks there")


@cache
def _source(module):
    return module.read_text(encoding="utf-8")


def pytest_collection_modifyitems(config, items):
    if config.pluginmanager.hasplugin("rerunfailures"):  # CPython for Windows runs no test of a real window
        _try_real_windows_twice(items)
    if amounts.profile() != "full":
        _leave_to_the_full_run(items)
    at_most = config.getoption("--at-most")
    if at_most is None:
        return
    families = {}
    for item in items:
        families.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {id(item) for family in families.values() for item in chunks.spread(family, at_most)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


def _leave_to_the_full_run(items):
    """Skip what only `check.py --full` runs, and say why the gate does without."""
    for item in items:
        mark = item.get_closest_marker("full")
        if mark is not None:
            item.add_marker(pytest.mark.skip(reason=f"only --full runs it: {mark.args[0]}"))


def _try_real_windows_twice(items):
    """A test of real windows fails only if it does so twice in a row: other programs share its machine.

    Not one of a promise of safety: what goes wrong now and then there is a fault.

    What was tried again is named at the end of the run (`RERUN`), so that a fault that shows now and then is seen.
    """
    for item in items:
        is_of_windows = any(item.get_closest_marker(name) for name in _REAL_WINDOWS)
        if is_of_windows and item.get_closest_marker("safety") is None:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """On Windows, skip the modules that cannot even be imported there, and say why: they are about Unix."""
    report = yield
    if sys.platform == "win32" and report.failed and any(text in str(report.longrepr) for text in _UNIX_ONLY):
        report.outcome = "skipped"
        report.longrepr = (
            str(collector.path),
            0,
            "Skipped: it is about X11, terminals or processes as Unix has them",
        )
    return report
