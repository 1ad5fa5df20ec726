"""Makes `dist/minebot-VERSION-windows.zip`: the bot for Windows, for who has no Python.

    .venv/bin/python scripts/package_windows.py

It is the CPython of `windows_env` with what the bot needs at run time, and nothing of what only the tests need. Tk's
scripts are Debian's (tcl8.6, tk8.6). In its folder a double click on Minebot.exe opens the window, and minebot.cmd and
minebot-calibrate.cmd are the commands. The solver's kernel is compiled at its first need, for the processor that is
there.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import zipfile
from contextlib import suppress
from importlib.metadata import Distribution, distributions
from pathlib import Path

import windows_env
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from progress import Progress, SetUpError

ROOT = windows_env.ROOT
DIST = ROOT / "dist"
_TCL = Path("/usr/share/tcltk")
_WINDOWS = {"sys_platform": "win32", "platform_system": "Windows", "platform_machine": "AMD64", "extra": ""}
_COMMANDS = {"minebot.cmd": "bot", "minebot-calibrate.cmd": "calibration"}
_NOT_RUN = ("tests", "test", "__pycache__", "ensurepip", "idlelib", "lib2to3", "turtledemo", "venv")
"""Folders that nothing needs at run time."""
_READ_ME = """Minebot {version} for Windows.

Double click Minebot.exe: a window opens. Open a Minesweeper beside it and press F10, or Play. Esc stops.
The first start compiles the solver, which takes a minute.

In a terminal, minebot.cmd and minebot-calibrate.cmd are the commands. minebot.cmd --help lists them all.
"""
_STARTER = r"""
#include <stdio.h>
#include <windows.h>

/* Run the window with the Python that lies beside this program, and leave. */
int WINAPI wWinMain(HINSTANCE own, HINSTANCE before, PWSTR line, int how) {
    static wchar_t folder[32768], python[32768], command[65536];
    GetModuleFileNameW(NULL, folder, 32000);
    wchar_t *end = wcsrchr(folder, L'\\');
    if (end != NULL) *end = 0;
    _snwprintf(python, 32767, L"%ls\\pythonw.exe", folder);
    _snwprintf(command, 65535, L"\"%ls\" -P -m bot %ls", python, line);
    SECURITY_ATTRIBUTES shared = {sizeof shared, NULL, TRUE};
    HANDLE nothing = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, 3, &shared, OPEN_EXISTING, 0, NULL);
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    start.hStdInput = start.hStdOutput = start.hStdError = nothing; /* nobody reads what it says */
    PROCESS_INFORMATION made;
    if (CreateProcessW(python, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made)) return 0;
    MessageBoxW(NULL, L"pythonw.exe is not beside this program: unpack all of the zip.", L"Minebot", MB_ICONERROR);
    return 1;
}
"""


def main() -> int:
    """Make the package and say where it is."""
    try:
        print(make(windows_env.prepare()))
    except SetUpError as error:
        print(f"package_windows: {error}", file=sys.stderr)
        return 1
    return 0


def make(windows: windows_env.WindowsPython) -> Path:
    """Make the zip; return where it is.

    Raises:
        SetUpError: a program or Tk's scripts are missing, or a step fails.
    """
    if not (_TCL / "tk8.6").is_dir():
        raise SetUpError("Tk's scripts are missing\nsudo apt-get install tcl8.6 tk8.6")
    DIST.mkdir(exist_ok=True)
    progress = Progress(5, DIST / "package.log", sys.stderr)
    with tempfile.TemporaryDirectory(dir=DIST) as scratch:
        with progress.step("wheel"):
            hatchling = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", scratch]
            progress.run(hatchling, folder=ROOT)
            (wheel,) = Path(scratch).glob("*.whl")
        version = wheel.name.split("-")[1]
        home = Path(scratch) / f"minebot-{version}-windows"
        with progress.step("Python and packages"):
            _copy_python(windows.folder / "python", home)
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(home / "Lib" / "site-packages")
            _copy_tk(home / "Lib")
        with progress.step("byte code"), suppress(SetUpError):  # the log names the few for other Pythons
            compileall = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
            progress.run([*compileall, str(home / "Lib")])  # by time it would be stale: a zip rounds times
        with progress.step("programs"):
            _write_programs(progress, home, version)
        with progress.step("zip"):
            target = DIST / f"{home.name}.zip"
            return Path(shutil.make_archive(str(target.with_suffix("")), "zip", scratch, home.name))


def _copy_python(source: Path, home: Path) -> None:
    """Copy Python and those packages that the bot needs at run time."""
    packages = source / "Lib" / "site-packages"
    wanted = {str(file).partition("/")[0] for one in needed_packages(packages) for file in one.files or ()}
    shutil.copytree(source, home, ignore=shutil.ignore_patterns(*_NOT_RUN, "site-packages", "*.pyc"))
    for name in sorted(wanted - {"..", "__pycache__"}):
        path = packages / name
        if path.is_dir():
            shutil.copytree(path, home / "Lib" / "site-packages" / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.is_file():
            (home / "Lib" / "site-packages").mkdir(exist_ok=True)
            shutil.copy(path, home / "Lib" / "site-packages" / name)


def needed_packages(packages: Path) -> list[Distribution]:
    """The packages for Windows that the project requires, and those that they require."""
    there = {canonicalize_name(one.name): one for one in distributions(path=[str(packages)])}
    project = (ROOT / "pyproject.toml").read_text()
    listed = re.findall(r'^    "([^"]+)",', project.partition("dependencies = [")[2].partition("]\n")[0], re.MULTILINE)
    todo, found = [Requirement(one) for one in listed], dict[str, Distribution]()
    while todo:
        one = todo.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate(_WINDOWS)):
            continue
        if name not in there:
            raise SetUpError(f"{one.name} is needed on Windows, and scripts/windows_lock has no wheel of it")
        found[name] = there[name]
        todo += [Requirement(more) for more in there[name].requires or ()]
    return list(found.values())


def _copy_tk(library: Path) -> None:
    """Put Tk's scripts where its DLLs look for them. They ask for Debian's patch level, and the DLLs have another."""
    for name, script, package in (("tcl8.6", "init.tcl", "Tcl"), ("tk8.6", "tk.tcl", "Tk")):
        shutil.copytree(_TCL / name, library / name, symlinks=False)
        path = library / name / script
        path.write_text(
            re.sub(rf"package require -exact {package}\s+8\.6\.\d+", f"package require {package} 8.6", path.read_text())
        )


def _write_programs(progress: Progress, home: Path, version: str) -> None:
    """Write what a person starts."""
    options = ["-municode", "-mwindows"]
    python_dll = f'-DPYTHON_DLL=L"{windows_env.PYTHON_DLL}"'
    windows_env.compile_program(
        progress, home / "pythonw.exe", [*options, python_dll], "pythonw.c", windows_env.LAUNCHER
    )
    windows_env.compile_program(progress, home / "Minebot.exe", options, "starter.c", _STARTER)
    for name, module in _COMMANDS.items():
        (home / name).write_text(f'@"%~dp0python.exe" -P -m {module} %*\r\n', newline="")
    (home / "README.txt").write_text(_READ_ME.format(version=version).replace("\n", "\r\n"), newline="")


if __name__ == "__main__":
    sys.exit(main())
