"""Everything a fresh clone needs before it can run: system packages, `.venv`, the Python packages.

The packages are those of `lock.txt`: what others release later changes nothing here. With MINEBOT_NEWEST=1 they are the
newest that pyproject.toml allows, in an environment of their own.

`prepare` does it once; a stamp in `.venv` makes the next run immediate. The stamp is the last thing written: without it
`.venv` was interrupted, or is somebody else's, and is made anew. The solver's kernel is compiled elsewhere: by the
program at its first need, by the gate in a lane.

Standard library only, and importable by Python 3.8, so that an older Python is told so instead of failing on syntax.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import system_packages
from progress import Progress, SetUpError, stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from system_packages import SystemPackage

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
LOCK = "scripts/lock.txt"  # the file with the version of each Python package, from the project's root
NEWEST = "MINEBOT_NEWEST"  # the variable that asks for the newest packages, by 1
IS_NEWEST = os.environ.get(NEWEST) == "1"  # whether the newest packages are installed in place of the locked ones
VENV = ROOT / (".venv-newest" if IS_NEWEST else ".venv")
STAMP_NAME = "minebot-set-up.json"
LOG_NAME = "minebot-set-up.log"

WITH_COMPILED_CODE = ("llvmlite", "numba", "numpy", "opencv-python", "pillow", "python-sat")
"""Where no compiler can be expected, only ready-made packages of these are of use."""

OLDEST_XLIB = (0, 33)
CHECK_XLIB = f"import sys, Xlib; sys.exit(Xlib.__version__ < {OLDEST_XLIB})"

FAILED = 1
BAD_PYTHON = 2
INTERRUPTED = 130


@dataclass(frozen=True)
class Stamp:
    """What `.venv` was made with and from."""

    python: str
    """The Python and the place: the environment is useless under another."""
    project: str
    """Hash of what decides which packages are installed."""
    extras: tuple[str, ...]
    """The optional dependencies installed, sorted."""


def run_as_script(main: Callable[[Sequence[str]], int]) -> int:
    """Run a script's main function with its arguments; return the exit code.

    An old Python, a failed set-up and Ctrl-C end without a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a path may hold letters that the console lacks
    complaint = complain_about_python(sys.version_info[:2])
    if complaint is not None:
        print(complaint, file=sys.stderr)
        return BAD_PYTHON
    try:
        return main(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED
    except SetUpError as error:
        print(f"\n{error}", file=sys.stderr)
        return FAILED


def complain_about_python(version: tuple[int, ...]) -> str | None:
    """What to say to a person whose Python is too old; None when it is not."""
    if version >= OLDEST_PYTHON:
        return None
    needed, found = (".".join(map(str, numbers)) for numbers in (OLDEST_PYTHON, version))
    return f"minebot needs Python {needed} or newer, and this is {found} ({sys.executable})."


def is_ci() -> bool:
    """Whether a machine, not a person, is watching."""
    return os.environ.get("CI", "").lower() in {"1", "true"}


def venv_program(name: str) -> str:
    """The path of a program in the virtual environment."""
    return str(VENV / "Scripts" / f"{name}.exe" if sys.platform == "win32" else VENV / "bin" / name)


def run_in_venv(command: Sequence[str]) -> int:
    """Run the environment's Python with these arguments, in the foreground; return its exit code.

    A program that a signal ended counts as 128 + the signal's number, as in a shell.
    """
    process = subprocess.Popen([venv_program("python"), *command])
    try:
        exit_code = process.wait()
    except KeyboardInterrupt:
        stop(process)
        return INTERRUPTED
    return exit_code if exit_code >= 0 else 128 - exit_code


def prepare(
    *,
    extras: Iterable[str] = (),
    needed: Sequence[SystemPackage] = system_packages.FOR_THE_BOT,
    wished: Sequence[SystemPackage] = (),
) -> list[SystemPackage]:
    """Make the project runnable: install what is missing, show the steps.

    Args:
        extras: the optional dependencies to install as well.
        needed: system packages without which there is no going on.
        wished: system packages that the caller can do without.

    Returns:
        The wished system packages that are missing still.

    Raises:
        SetUpError: a step failed, or a needed system package is missing and may not be installed from here.
    """
    missing = system_packages.find_missing([*needed, *wished])
    by_apt, _ = system_packages.split_by_apt(missing)
    may_install = system_packages.may_install()
    stuck = [package for package in missing if package in needed and not (may_install and package in by_apt)]
    if stuck:
        raise SetUpError(system_packages.explain(missing))
    steps = _plan(by_apt if may_install else [], extras)
    if steps:
        _run(steps)
    return system_packages.find_missing(wished)


def _plan(to_install: Sequence[SystemPackage], extras: Iterable[str]) -> list[tuple[str, Callable[[Progress], None]]]:
    """The steps that are not done yet, in order."""
    steps: list[tuple[str, Callable[[Progress], None]]] = []
    if to_install:
        steps.append(("system packages", lambda progress: system_packages.install(to_install, progress)))
    found = read_stamp(VENV)
    is_usable = found is not None and found.python == describe_python() and is_complete(VENV)
    wanted_extras = tuple(sorted({*extras, *(found.extras if found is not None else ())}))
    wanted = Stamp(describe_python(), hash_project(), wanted_extras)
    if found == wanted and is_usable:
        return steps
    if not is_usable:
        title = "virtual environment" + (", anew: the old one is not whole, or of another Python" * VENV.exists())
        steps.append((title, _make_venv))

    def install_packages(progress: Progress) -> None:
        _install_packages(progress, wanted_extras)
        if system_packages.is_linux():
            _settle_xlib(progress)
        write_stamp(VENV, wanted)

    steps.append(("Python packages", install_packages))
    return steps


def _run(steps: Sequence[tuple[str, Callable[[Progress], None]]]) -> None:
    """Show and run the steps; the log ends up in the environment, or stays where it is when one of them fails."""
    descriptor, name = tempfile.mkstemp(prefix="minebot-set-up-", suffix=".log")
    os.close(descriptor)
    log_path = Path(name)
    progress = Progress(len(steps), log_path, sys.stdout)
    for title, do in steps:
        with progress.step(title):
            do(progress)
    shutil.move(name, VENV / LOG_NAME)


def _make_venv(progress: Progress) -> None:
    remove_venv(VENV)
    progress.run([base_python(), "-P", "-m", "venv", str(VENV)])


def _install_packages(progress: Progress, extras: Sequence[str]) -> None:
    _forget_stamp(VENV)
    target = f".[{','.join(extras)}]" if extras else "."  # not the path: pip would read a bracket in it as extras
    options = [*_locked(), "--no-compile"]  # 10 s of 34: Python compiles what is imported, which is a part of it
    if not system_packages.is_linux():
        options += ["--only-binary", ",".join(WITH_COMPILED_CODE)]
    try:
        progress.run([*_pip(), "install", *options, "--editable", target], folder=ROOT)
    except SetUpError as error:
        found = "{}.{}".format(*sys.version_info[:2])
        raise SetUpError(
            f"{error}\n\n"
            "Packages come from where pip looks for them on this machine. Where the network works, and a version of\n"
            f"one is not found, there is none ready-made for this Python ({found}): take another one, 64 bits,\n"
            f"from 3.11 on; the newest may be too new. With {NEWEST}=1 in the environment the newest packages\n"
            "are taken in place of those that were tried."
        ) from error


def _settle_xlib(progress: Progress) -> None:
    """Let python-xlib be the one that owns the folder `Xlib`.

    pyautogui brings python3-xlib 0.15 and pynput brings python-xlib 0.33; both write that folder, and whichever is
    installed last wins file by file. pynput needs the newer one; pyautogui works with either.
    """
    python = venv_program("python")
    progress.run([*_pip(), "uninstall", "--yes", "python3-xlib"])
    progress.run([*_pip(), "install", *_locked(), "--force-reinstall", "--no-deps", "python-xlib"], folder=ROOT)
    progress.run([python, "-P", "-c", CHECK_XLIB])


def _locked() -> list[str]:
    """The options of pip that keep it to the locked versions; it runs in the project's root."""
    return [] if IS_NEWEST else ["--constraint", LOCK]


def _pip() -> list[str]:
    return [venv_program("python"), "-P", "-m", "pip", "--no-input", "--disable-pip-version-check"]


def base_python() -> str:
    """The Python to make the environment with: not the one inside it, which is about to be removed."""
    return str(getattr(sys, "_base_executable", sys.executable))


def describe_python() -> str:
    """The running Python and the environment's place, in words that differ when either does.

    A Python of the same minor version keeps its environments: apt may bring a newer one while this runs.
    """
    return f"{sys.implementation.cache_tag} in {sys.base_prefix} for {VENV}"


def hash_project() -> str:
    """Hash of the files that decide what is installed."""
    digest = hashlib.sha256()
    for path in (ROOT / "pyproject.toml", ROOT / LOCK, Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_stamp(venv: Path) -> Stamp | None:
    """The stamp of a finished environment; None when there is none that can be read."""
    try:
        written = json.loads((venv / STAMP_NAME).read_text(encoding="utf-8"))
        return Stamp(written["python"], written["project"], tuple(written["extras"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_stamp(venv: Path, stamp: Stamp) -> None:
    """Declare the environment finished, and note which packages it has."""
    written = {**asdict(stamp), "installed": sorted(record.parent.name for record in _records(venv))}
    (venv / STAMP_NAME).write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


def is_complete(venv: Path) -> bool:
    """Whether a finished environment still has its Python and every file of the packages that were installed.

    Looks for 15,000 files in a tenth of a second. Byte code does not count: it is made again.
    """
    records = {record.parent.name: record for record in _records(venv)}
    try:
        installed = json.loads((venv / STAMP_NAME).read_text(encoding="utf-8")).get("installed", [])
        if not Path(venv_program("python")).exists() or not records.keys() >= set(installed):
            return False
        return all(_has_all_files(records[name]) for name in installed)
    except (OSError, ValueError, AttributeError):
        return False


def _records(venv: Path) -> list[Path]:
    """What each package of the environment says of its files."""
    folders = (*venv.glob("lib/python*/site-packages"), venv / "Lib" / "site-packages")
    return [record for folder in folders for record in folder.glob("*.dist-info/RECORD")]


def _has_all_files(record: Path) -> bool:
    folder = str(record.parent.parent)
    with record.open(encoding="utf-8", newline="") as lines:
        names = [row[0] for row in csv.reader(lines) if row]
    return all(name.endswith(".pyc") or os.path.exists(os.path.join(folder, name)) for name in names)  # noqa: PTH110, PTH118 - pathlib takes ten times as long


def _forget_stamp(venv: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        (venv / STAMP_NAME).unlink()


def remove_venv(venv: Path) -> None:
    """Remove the environment, whatever is left of it.

    Raises:
        SetUpError: the operating system does not let go of it.
    """
    try:
        if venv.is_symlink() or venv.is_file():
            venv.unlink()
        elif venv.exists():
            shutil.rmtree(venv)
    except OSError as error:
        raise SetUpError(f"cannot remove {venv} ({error}): close what runs from it, or remove it yourself") from error
