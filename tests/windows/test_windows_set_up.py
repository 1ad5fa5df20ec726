"""`scripts\\demo.py` on Windows, from a bare checkout in a folder with spaces and letters of several alphabets.

Without a package index, so that it ends at the first package: what comes before is real, and what is told is looked at.
In the full run it goes all the way, with pip as it is set up here: ten minutes.
"""

from __future__ import annotations

import shutil

import pytest
import setup_env
from windows_env import windows_path

pytestmark = [pytest.mark.windows, pytest.mark.timeout(3600)]


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the set-up looks at, or of all the packages."""
    folder = tmp_path / "Jörg's Übung & 日本" / "mine bot"
    for name in ("scripts", "bot", "solver", "skins", "calibration"):
        shutil.copytree(setup_env.ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(setup_env.ROOT / name, folder)
    return folder


def test_set_up_on_windows_makes_an_environment_in_any_folder_and_names_the_package_that_cannot_be_had(
    run_on_windows, checkout
):
    demo = windows_path(checkout / "scripts" / "demo.py")
    done = run_on_windows(demo, timeout_s=600, PIP_NO_INDEX="1", PIP_FIND_LINKS=windows_path(checkout), PYTHONPATH="")
    told = done.stdout.decode(errors="replace")
    assert "[1/2] virtual environment ... " in told, done.stderr
    assert done.returncode == 1
    assert b"No matching distribution found for hatchling" in done.stderr
    assert b"none ready-made" in done.stderr
    assert (checkout / ".venv" / "Scripts" / "python.exe").exists()
    assert not (checkout / ".venv" / setup_env.STAMP_NAME).exists()


@pytest.mark.full("ten minutes; the gate goes as far as the first package")
def test_set_up_on_windows_ends_in_a_bot_that_can_be_run(run_on_windows, checkout):
    demo = windows_path(checkout / "scripts" / "demo.py")
    done = run_on_windows(demo, "--help", timeout_s=3000, PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    assert b"usage: minebot demo" in done.stdout
    assert setup_env.read_stamp(checkout / ".venv") is not None
