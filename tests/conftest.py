"""What test modules share."""

from __future__ import annotations

import os
import shutil
import signal
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
