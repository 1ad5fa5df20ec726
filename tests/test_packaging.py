"""What is shipped, and what starting the command line costs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import release
from patience import PATIENCE_S
from progress import SetUpError

ROOT = release.ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel and an sdist, built without a network."""
    return release.build(tmp_path_factory.mktemp("dist"))


def test_wheel_and_sdist_hold_what_they_should(built):
    wheel, sdist = built
    release.check_wheel(wheel)
    release.check_sdist(sdist)


def test_wheel_declares_types_and_commands(built):
    with zipfile.ZipFile(built[0]) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        assert {f"{package}/py.typed" for package in release.PACKAGES} <= set(archive.namelist())
        assert {"minebot = bot.__main__:main", "minebot-calibrate = calibration.__main__:main"} <= set(
            archive.read(entry_points).decode().splitlines()
        )


def test_wheel_with_a_test_in_it_is_refused(built, tmp_path):
    wheel = Path(shutil.copy(built[0], tmp_path))
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("tests/test_cells.py", "")
    with pytest.raises(SetUpError, match=r"holds \['tests/test_cells.py'\] too much, and lacks nothing"):
        release.check_wheel(wheel)


def test_sdist_with_a_screen_of_a_game_is_refused(built, tmp_path):
    screen = next((ROOT / "tests" / "screens").rglob("*.png"))
    sdist = tmp_path / built[1].name
    with tarfile.open(built[1]) as whole, tarfile.open(sdist, "w:gz") as archive:
        for member in whole:
            archive.addfile(member, whole.extractfile(member))
        archive.add(screen, f"minebot/{screen.relative_to(ROOT).as_posix()}")
    with pytest.raises(SetUpError, match="tests/screens/"):
        release.check_sdist(sdist)


def test_zip_without_its_starter_or_with_a_package_in_part_is_refused(tmp_path):
    zipped = tmp_path / "minebot-windows.zip"
    files = sorted(release.source_files(*release.PACKAGES))
    with zipfile.ZipFile(zipped, "w") as archive:
        for name in files[1:]:
            archive.writestr(f"minebot/Lib/site-packages/{name}", "")
    with pytest.raises(SetUpError, match=re.escape(f"lacks {files[:1]}")):
        release.check_zip(zipped)
    with zipfile.ZipFile(zipped, "a") as archive:
        archive.writestr(f"minebot/Lib/site-packages/{files[0]}", "")
    with pytest.raises(SetUpError, match=r"lacks Minebot\.exe, README\.txt"):
        release.check_zip(zipped)
    with zipfile.ZipFile(zipped, "a") as archive:
        archive.writestr("minebot/Lib/site-packages/tests/test_cells.py", "")
    with pytest.raises(SetUpError, match=r"holds \['tests/test_cells.py'\] too much"):
        release.check_zip(zipped)


@pytest.mark.parametrize(
    ("status", "changelog", "why"),
    [
        (" M bot/cli.py\n", "## 1.0.0\n", "not committed:\n M bot/cli.py"),
        ("", "# Changelog\n\n## Unreleased\n\n## 1.0.0\n", "expected `## 1.0.0` as the first section"),
        ("", "# Changelog\n", "expected `## 1.0.0` as the first section"),
        ("", "## \n## 1.0.0\n", "expected `## 1.0.0` as the first section"),
    ],
)
def test_release_of_what_it_does_not_say_is_refused(status, changelog, why, tmp_path, monkeypatch):
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "_git", lambda *_: status)
    with pytest.raises(SetUpError, match=re.escape(why)):
        release.check_checkout("1.0.0")


def test_changelog_names_the_version_first():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] in {version, "Unreleased"}


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
