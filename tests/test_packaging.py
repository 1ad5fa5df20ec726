"""What is shipped, and what starting the command line costs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from patience import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("bot", "solver", "skins", "calibration")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with a wheel and an sdist, built without a network."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=PATIENCE_S,
    )
    return folder


@pytest.fixture(scope="module")
def wheel_names(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def sdist_names(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive if member.isfile()}


def source_files(*folders):
    """The project's files in these folders: as git sees them, or all of them where there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    try:
        listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
        names = listing.split("\0")
    except (OSError, subprocess.CalledProcessError):
        paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        names = [path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts]
    return {name for name in names if (ROOT / name).is_file()}


def test_wheel_holds_the_packages_and_nothing_else(wheel_names):
    shipped = {name for name in wheel_names if ".dist-info/" not in name}
    assert shipped == source_files(*PACKAGES)


def test_wheel_declares_types_licence_and_command(wheel_names):
    assert {f"{package}/py.typed" for package in PACKAGES} <= wheel_names
    (info,) = {name.partition("/")[0] for name in wheel_names if ".dist-info/" in name}
    assert {f"{info}/licenses/LICENSE", f"{info}/entry_points.txt", f"{info}/METADATA"} <= wheel_names


def test_sdist_holds_what_a_build_and_its_tests_need(sdist_names):
    documents = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"}
    generated = {"PKG-INFO", ".gitignore"}
    files = {name for name in source_files(*PACKAGES, "tests", "scripts") if not name.startswith("tests/screens/")}
    assert sdist_names - generated == files | documents  # the screens show games and skins of others


def test_help_loads_no_library_of_screen_mouse_or_pictures():
    code = (
        "import runpy, sys\n"
        "sys.argv = ['bot', '--help']\n"
        "try:\n"
        "    runpy.run_module('bot', run_name='__main__', alter_sys=True)\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "sys.exit(' '.join({'mss', 'pyautogui', 'pynput', 'cv2'} & sys.modules.keys()) or 0)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert process.returncode == 0, process.stderr
    assert "COMMAND" in process.stdout
