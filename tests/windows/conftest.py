"""CPython for Windows, under wine, for the tests that run something in it."""

from __future__ import annotations

import subprocess

import progress
import pytest
import setup_env
import system_packages
import windows_env
from patience import PATIENCE_S

FAULT_OF_WINE = b"wine: Unhandled"
"""What wine says of a program that it ended. Python that fails says why itself."""


@pytest.fixture(scope="session")
def windows():
    """CPython for Windows; where it cannot be had the test is skipped, in CI it fails."""
    if not system_packages.is_linux():
        pytest.skip("wine is looked for on Linux only")
    try:
        python = windows_env.prepare()
    except progress.SetUpError as error:
        if setup_env.is_ci():
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    python.compile_kernel()
    return python


@pytest.fixture(scope="session")
def desktop(windows, virtual_display, require_program):
    """A desktop that Windows' programs share with this machine's."""
    from windows_desktop import WindowsDesktop
    from winemine import wine_prefix

    require_program("xwininfo", "x11-utils")
    with wine_prefix(virtual_display, windows.prefix) as prefix:
        yield WindowsDesktop(windows, prefix)


@pytest.fixture(scope="session")
def home_on_windows(windows):
    """A wine prefix without a screen. Every program starts wine anew: in one kept running, two of 115 hung."""
    from winemine import wine_prefix

    with wine_prefix("", windows.prefix) as prefix:
        yield prefix


@pytest.fixture(scope="session")
def run_on_windows(windows, home_on_windows):
    """Return a function that runs Python for Windows with some arguments to its end; all its output is captured."""

    from winemine import STARTS

    def _run(*arguments, timeout_s=PATIENCE_S, **variables):
        for _ in range(STARTS):
            done = subprocess.run(
                windows.command("python", *arguments),
                env=windows.environment(**home_on_windows.where, **variables),
                cwd=setup_env.ROOT,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
                timeout=timeout_s,
            )
            if FAULT_OF_WINE not in done.stderr and (done.returncode == 0 or done.stdout or done.stderr):
                break
        return done

    return _run
