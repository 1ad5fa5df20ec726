"""What the project needs from the operating system, in one table, and how Debian and Ubuntu get it.

A row is looked for by what it brings (a program, a library, a header), not by its package: that works on every Linux.
Windows and macOS need nothing from here: their Python and the wheels carry all of it.

Standard library only, and importable by Python 3.8: it runs before anything is installed.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from progress import Progress

APT_GET = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"]
INSTALL = ["install", "-y", "--no-install-recommends"]


@dataclass(frozen=True)
class SystemPackage:
    """One package, by Debian's name."""

    name: str
    purpose: str
    is_present: Callable[[], bool]
    of_this_python: bool = False
    """Brings a part of the running Python: apt can help only where that Python is Debian's own."""


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _module(name: str) -> Callable[[], bool]:
    return lambda: importlib.util.find_spec(name) is not None


def _library(name: str) -> Callable[[], bool]:
    def is_present() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return is_present


def _file(*paths: Path) -> Callable[[], bool]:
    return lambda: any(path.exists() for path in paths)


def _font(name: str) -> Callable[[], bool]:
    own = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "fonts"
    return lambda: any(file for folder in (Path("/usr/share/fonts"), own) for file in folder.rglob(name))


def _svg_loader() -> bool:
    return any(Path("/usr/lib").glob("*/gdk-pixbuf-2.0/*/loaders/libpixbufloader[-_]svg.so"))


_VERSION = "python{}.{}".format(*sys.version_info[:2])

GAMES = Path("/usr/games")
MINGW = "x86_64-w64-mingw32-"  # what the names of the compiler for Windows and its tools begin with
_HEADERS = Path(sysconfig.get_path("include"))

FOR_THE_BOT = (
    SystemPackage(f"{_VERSION}-venv", "makes the virtual environment", _module("ensurepip"), of_this_python=True),
    SystemPackage("python3-tk", "the window of the built-in game", _module("_tkinter"), of_this_python=True),
    SystemPackage(
        f"{_VERSION}-dev", "compiles evdev, which pynput needs", _file(_HEADERS / "Python.h"), of_this_python=True
    ),
    SystemPackage("gcc", "compiles evdev", _program("gcc")),
    SystemPackage("libc6-dev", "compiles evdev", _file(Path("/usr/include/stdio.h"))),
    SystemPackage("linux-libc-dev", "evdev's key codes", _file(Path("/usr/include/linux/input.h"))),
    SystemPackage("libgl1", "opencv loads it", _library("libGL.so.1")),
    SystemPackage("libglib2.0-0", "opencv loads it", _library("libgthread-2.0.so.0")),
    SystemPackage("libxcb-randr0", "mss loads it", _library("libxcb-randr.so.0")),
    SystemPackage("libxcb-render0", "mss loads it", _library("libxcb-render.so.0")),
    SystemPackage("libxcb-shm0", "mss loads it", _library("libxcb-shm.so.0")),
    SystemPackage("libxcb-xfixes0", "mss loads it", _library("libxcb-xfixes.so.0")),
)
"""Nothing works without these."""

FOR_NO_DISPLAY = (SystemPackage("xvfb", "the screen of a machine that has none", _program("Xvfb")),)
"""Needed where no X display is running."""

FOR_WINE = (
    SystemPackage("wine", "runs winemine, a clone somebody else wrote", _program("wine")),
    SystemPackage("wine64", "the part of wine that winemine needs", _file(Path("/usr/lib/wine/wine64"))),
)

FOR_OTHER_FONTS = (
    SystemPackage("fonts-dejavu-extra", "tests draw digits in it", _font("DejaVuSansMono-BoldOblique.ttf")),
    SystemPackage("fonts-cantarell", "tests draw digits in it", _font("Cantarell-*.otf")),
    SystemPackage("fonts-liberation", "tests draw digits in it", _font("LiberationMono-Bold.ttf")),
    SystemPackage("fonts-noto-mono", "tests draw digits in it", _font("NotoSansMono-Bold.ttf")),
    SystemPackage("fonts-freefont-ttf", "tests draw digits in it", _font("FreeMonoBold.ttf")),
    SystemPackage("fonts-roboto-unhinted", "tests draw digits in it", _font("Roboto-Bold.ttf")),
)

FOR_REAL_CLONES = (
    *FOR_NO_DISPLAY,
    SystemPackage("xserver-xephyr", "two monitors of one virtual screen", _program("Xephyr")),
    SystemPackage("openbox", "a window manager for the virtual screen", _program("openbox")),
    SystemPackage("xdotool", "tests press keys and move windows with it", _program("xdotool")),
    SystemPackage("wmctrl", "tests list windows with it", _program("wmctrl")),
    SystemPackage("x11-utils", "xwininfo: where a window really is", _program("xwininfo")),
    SystemPackage("dbus", "a session for desktop programs", _program("dbus-daemon")),
    SystemPackage("dbus-x11", "starts that session", _program("dbus-launch")),
    SystemPackage("fonts-dejavu-core", "text looks the same everywhere", _font("DejaVuSans.ttf")),
    *FOR_OTHER_FONTS,
    *FOR_WINE,
    SystemPackage("gnome-mines", "a clone of any size, in three themes", _file(GAMES / "gnome-mines")),
    SystemPackage("librsvg2-common", "without it gnome-mines has no signs", _svg_loader),
    SystemPackage("sgt-puzzles", "a clone that plays any layout it is given", _file(GAMES / "sgt-mines")),
    SystemPackage("xbomb", "a clone whose closed cells are dotted", _file(GAMES / "xbomb")),
    SystemPackage("xdemineur", "a clone for plain X", _file(GAMES / "xdemineur")),
    SystemPackage("sway", "a Wayland desktop that needs no screen", _program("sway")),
    SystemPackage("xwayland", "shows X programs on it", _program("Xwayland")),
    SystemPackage("x11-xserver-utils", "xhost: lets tests into it", _program("xhost")),
    SystemPackage("mutter", "GNOME's Wayland desktop, which needs no screen", _program("mutter")),
    SystemPackage("pipewire", "shows that desktop's screen", _program("pipewire")),
    SystemPackage("wireplumber", "connects who shows and who sees it", _program("wireplumber")),
    SystemPackage("grim", "tests see that desktop with it", _program("grim")),
    SystemPackage("wtype", "tests press keys there with it", _program("wtype")),
    SystemPackage("chromium", "shows the tests' own pages with a board, and reviews", _program("chromium")),
    SystemPackage("fonts-noto-color-emoji", "flags and mines of that page", _font("NotoColorEmoji.ttf")),
)
"""Needed by the tests that play on a virtual screen."""

FOR_WINDOWS = (
    *FOR_WINE,
    SystemPackage("gcc-mingw-w64-x86-64", "compiles the launcher of Python for Windows", _program(MINGW + "gcc")),
    SystemPackage("binutils-mingw-w64-x86-64", "lists what Python for Windows exports", _program(MINGW + "objdump")),
)
"""Needed by the tests that run the bot in CPython for Windows."""


def find_missing(packages: Iterable[SystemPackage]) -> list[SystemPackage]:
    """Those of the packages that this machine lacks; none on Windows and macOS."""
    return [package for package in packages if not package.is_present()] if is_linux() else []


def is_linux() -> bool:
    """Whether the system packages concern this machine; asked in a way that a type checker does not decide."""
    return platform.system() == "Linux"


def has_display() -> bool:
    """Whether programs started from here find an X display."""
    return bool(os.environ.get("DISPLAY"))


def may_install() -> bool:
    """Whether apt-get is there and this process may use it."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def is_debians_python() -> bool:
    """Whether the running Python came from a Debian or Ubuntu package."""
    is_debian = Path("/etc/debian_version").exists()
    return is_debian and Path(sysconfig.get_path("stdlib")).parent == Path("/usr/lib")


def install(missing: Sequence[SystemPackage], progress: Progress) -> None:
    """Install these packages with apt-get, as root.

    Raises:
        SetUpError: apt-get failed; with the end of its output.
    """
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    progress.run([*APT_GET, "update"], environment=environment)
    progress.run([*APT_GET, *INSTALL, *(package.name for package in missing)], environment=environment)


def split_by_apt(missing: Iterable[SystemPackage]) -> tuple[list[SystemPackage], list[SystemPackage]]:
    """Those that Debian's packages can bring, and those that the running Python itself would have to have."""
    debians_python = is_debians_python()
    by_apt: list[SystemPackage] = []
    by_python: list[SystemPackage] = []
    for package in missing:
        (by_python if package.of_this_python and not debians_python else by_apt).append(package)
    return by_apt, by_python


def explain(missing: Sequence[SystemPackage]) -> str:
    """What is missing and what it is for, and the command that a person can type to install it."""
    by_apt, by_python = split_by_apt(missing)
    rows = [f"    {package.name:<20}{package.purpose}" for package in missing]
    lines = ["This machine lacks (by Debian's names):", *rows]
    if by_apt and shutil.which("apt-get") is not None:
        commands = ["sudo apt-get update", install_command(package.name for package in by_apt)]
        lines += ["Install with:", *(f"    {command}" for command in commands)]
    elif by_apt:
        lines.append("Install them with your distribution's package manager, under its names for them.")
    if by_python:
        names = ", ".join(package.name for package in by_python)
        lines.append(f"{sys.executable} was built without: {names}. Use a Python that has them.")
    return "\n".join(lines)


def install_command(names: Iterable[str]) -> str:
    """The command line that installs these packages on Debian and Ubuntu."""
    return " ".join(["sudo apt-get", *INSTALL, *names])
