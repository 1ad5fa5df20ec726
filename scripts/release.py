"""Makes a release in `dist/VERSION/`: the wheel, the sdist and the zip for Windows, each checked.

    .venv/bin/python scripts/release.py

The version is that of pyproject.toml. What is made is the last commit: a checkout with changes is refused, and so is a
version that CHANGELOG.md does not name. The wheel is installed in an empty environment, where it plays until it has won
a game on a virtual screen. Nothing is published: the last line says what to type for the tag.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

import package_windows
import setup_env
import windows_env
from progress import Progress, SetUpError

ROOT = setup_env.ROOT
PACKAGES = ("bot", "solver", "skins", "calibration")
_OURS = (*PACKAGES, "tests", "scripts")  # the folders of the project, whatever is to be shipped
DOCUMENTS = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"}
_OF_THE_BUILD = {"PKG-INFO", ".gitignore"}
_SCREENS = "tests/screens/"  # pictures of others' games and skins: recorded for the tests, not ours to hand on


def main(_arguments: object) -> int:
    """Make the release and say where it is."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    check_checkout(version)
    folder = ROOT / "dist" / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    progress = Progress(2, folder.parent / "release.log", sys.stderr)
    with progress.step("wheel and sdist"):
        wheel, sdist = build(folder)
        check_wheel(wheel)
        check_sdist(sdist)
    with progress.step("the wheel in an empty environment"):
        try_wheel(progress, wheel, version)
    zipped = package_windows.make(windows_env.prepare())
    check_zip(zipped)
    zipped.rename(folder / zipped.name)
    for path in sorted(folder.iterdir()):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.stat().st_size:>11,}  {path.relative_to(ROOT)}")
    print(f"git tag -a v{version} -m 'minebot {version}'")
    return 0


def check_checkout(version: str) -> None:
    """Check that a release of this commit would be what its version says.

    Raises:
        SetUpError: something is not committed, or the changelog has no section of the version.
    """
    changes = _git("status", "--porcelain")
    if changes:
        raise SetUpError(f"a release is made of a commit, and these are not committed:\n{changes}")
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")]
    if not headings or headings[0].split()[1:2] != [version]:
        raise SetUpError(f"expected `## {version}` as the first section of CHANGELOG.md, got {headings[:1]}")


def build(folder: Path) -> tuple[Path, Path]:
    """Build the wheel and the sdist, without a network.

    Raises:
        SetUpError: the build fails.
    """
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SetUpError(f"hatchling failed:\n{done.stderr}")
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def check_wheel(wheel: Path) -> None:
    """Check that a wheel holds the packages, what a wheel must say of itself, and nothing else.

    Raises:
        SetUpError: it does not; with the names.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    info = f"{wheel.name.rpartition('-py3')[0]}.dist-info"
    of_itself = {name for name in names if name.startswith(info)}
    _compare(wheel, names - of_itself, source_files(*PACKAGES))
    needed = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    _compare(wheel, of_itself, needed)


def check_sdist(sdist: Path) -> None:
    """Check that an sdist holds what a build and its tests need, and no screens of others' games.

    Raises:
        SetUpError: it does not; with the names.
    """
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    files = {name for name in source_files(*PACKAGES, "tests", "scripts") if not name.startswith(_SCREENS)}
    _compare(sdist, names - _OF_THE_BUILD, files | DOCUMENTS)


def check_zip(zipped: Path) -> None:
    """Check that the zip has the programs that a person starts and the packages whole.

    Raises:
        SetUpError: it does not; with the names.
    """
    with zipfile.ZipFile(zipped) as archive:
        names = {name.partition("/")[2] for name in archive.namelist() if not name.endswith("/")}
    site = "Lib/site-packages/"
    ours = {name.removeprefix(site) for name in names if name.startswith(tuple(f"{site}{one}/" for one in _OURS))}
    _compare(zipped, {name for name in ours if not name.endswith(".pyc")}, source_files(*PACKAGES))
    missing = {"Minebot.exe", "minebot.cmd", "minebot-calibrate.cmd", "python.exe", "README.txt"} - names
    if missing:
        raise SetUpError(f"{zipped.name} lacks {', '.join(sorted(missing))}")


def try_wheel(progress: Progress, wheel: Path, version: str) -> None:
    """Install a wheel in an empty environment, and play there.

    Raises:
        SetUpError: a step fails, or the command says another version.
    """
    with tempfile.TemporaryDirectory() as scratch:
        python = Path(scratch, "venv", "bin", "python")
        progress.run([sys.executable, "-m", "venv", str(python.parent.parent)])
        progress.run([str(python), "-m", "pip", "--no-input", "install", str(wheel)])
        minebot = python.with_name("minebot")
        said = subprocess.run([minebot, "--version"], capture_output=True, text=True, check=False, cwd=scratch).stdout
        if said.split() != ["minebot", version]:
            raise SetUpError(f"expected `minebot {version}` of the installed wheel, got {said!r}")
        demo = ["demo", "--headless", "--level", "beginner", "--record", str(Path(scratch, "recording"))]
        progress.run([str(minebot), *demo], folder=Path(scratch))


def source_files(*folders: str) -> set[str]:
    """The project's files in these folders: as git sees them, or all of them where there is no git."""
    try:
        names = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders).split("\0")
    except SetUpError:
        paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        names = [path.relative_to(ROOT).as_posix() for path in paths if "__pycache__" not in path.parts]
    return {name for name in names if (ROOT / name).is_file()}


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetUpError(f"git {arguments[0]} cannot be had: {error}") from error


def _compare(path: Path, names: set[str], expected: set[str]) -> None:
    more, fewer = sorted(names - expected), sorted(expected - names)
    if more or fewer:
        raise SetUpError(f"{path.name} holds {more or 'nothing'} too much, and lacks {fewer or 'nothing'}")


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
