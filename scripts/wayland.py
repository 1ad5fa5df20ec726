"""A command in a real GNOME or KDE session, without a screen: `python3 scripts/wayland.py gnome -- COMMAND...`.

Both run on a Debian 13 of their own, in a folder of the user's cache that is named after all it is made of. It is made
once, in 2 to 8 minutes, and takes 2.4 GB with the Python packages. Each run has its own processes, network, home and
temporary files. They end with it, so two runs do not meet. COMMAND is a plain user's. It starts in this checkout, and
cannot write there. `.venv` in it is that system's, with the locked packages.

Root is needed, and debootstrap. Where something is missing, this says NOT RUN, and why, and ends with 2.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import setup_env
import system_packages
from progress import Progress, SetUpError

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
RELEASE = "trixie"
CACHE_VARIABLE = "MINEBOT_WAYLAND_CACHE"
LOG_NAME = "set-up.log"
NOT_RUN = 2
USER = "1500"
NEEDED = ("debootstrap", "unshare", "mount", "chroot")
OF_GNOME = ("gnome-shell", "xdg-desktop-portal-gnome")
OF_KDE = ("kwin-wayland", "kwin-common", "xdg-desktop-portal-kde", "qt6-wayland")
OF_BOTH = ("dbus", "dbus-user-session", "dbus-bin", "xdg-desktop-portal", "pipewire", "pipewire-bin", "wireplumber")
OF_TESTS = ("gnome-mines", "librsvg2-common", "adwaita-icon-theme", "sgt-puzzles", "fonts-dejavu-core", "xwayland")
OF_THIS = (
    "tini",
    "libcap2-bin",
    "gcc",
    "libc6-dev",
    "libdrm-dev",
    "iproute2",
    "procps",
    "git",
    "python3",
    "python3-gi",
)
PACKAGES = (*OF_GNOME, *OF_KDE, *OF_BOTH, *OF_TESTS, *OF_THIS)
OF_THE_MACHINE = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/xdg/pip", "/etc/ssl/certs", "/opt")
"""Where this machine says how it gets packages. The other system sees these while packages are installed there."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games"

_ENTER = """
cd "$1"; shift
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm dev/dri
ln -s /proc/self/fd dev/fd; ln -s pts/ptmx dev/ptmx
set_up() { mknod -m 666 "dev/$1" c "$2" "$3"; }
set_up null 1 3; set_up zero 1 5; set_up full 1 7; set_up random 1 8; set_up urandom 1 9; set_up tty 5 0
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
for folder in dev/shm tmp var/tmp run home; do mount -t tmpfs -o mode=1777 tmpfs $folder; done
mkdir -m 1777 tmp/.X11-unix
while [ "$1" != -- ]; do
    [ -d "$1" ] || touch "./$2"; [ ! -d "$1" ] || mkdir -p "./$2"
    mount --rbind "$1" "./$2"; shift 2
done; shift
exec chroot . "$@"
"""
"""Makes the rest of a system around a folder, and runs a command in it: FOLDER SOURCE TARGET ... -- COMMAND..."""

_SESSION = f"""
mknod -m 666 /dev/dri/card0 c 1 3
install -d -m 700 -o {USER} -g {USER} /run/user/{USER} /run/user/{USER}/logs /home/bot
mkdir -p /run/dbus; dbus-daemon --system --fork
ip link set lo up
cd /minebot
exec tini -- setpriv --reuid={USER} --regid={USER} --clear-groups --no-new-privs \\
    dbus-run-session -- python3 -B /mnt/wayland_session.py "$@" 3>&2 2>/run/user/{USER}/logs/session
"""
"""Runs a session as a plain user, under a first process that clears away what has ended."""

_FINISH = f"""
useradd --uid {USER} bot
mkdir -p /minebot /out /var/lib/minebot; install -d -o {USER} -g {USER} /var/cache/minebot
setcap -r /usr/bin/kwin_wayland  # it is refused what it asks for, and dies of it
for name in no_gpu no_systemd; do
    gcc -shared -fPIC -O2 -I/usr/include/libdrm -o /usr/local/lib/$name.so /mnt/$name.c
done
apt-get clean
"""


def cache_folder() -> Path:
    """Where systems are kept: MINEBOT_WAYLAND_CACHE, else `minebot/wayland` in the user's cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "minebot" / "wayland"


def complain() -> str | None:
    """What is missing for this; None where nothing is."""
    if not system_packages.is_linux() or os.geteuid() != 0:
        return "a system of its own can be made by root alone, on Linux"
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        return f"this machine lacks {', '.join(missing)}"
    if subprocess.run([*_unshare(), "true"], check=False, capture_output=True).returncode != 0:
        return "this machine lets nobody make namespaces (unshare)"
    return None


def prepare() -> Path:
    """Make the system, unless that was done before; return its folder.

    Raises:
        SetUpError: a step failed.
    """
    cache = cache_folder()
    finished = cache / f"{RELEASE}-{_stamp()}"
    if finished.is_dir():
        return finished
    begun_s = time.monotonic()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unfinished-", dir=cache) as name:
        folder = Path(name, RELEASE)
        progress = Progress(3, cache / LOG_NAME, sys.stderr)
        with progress.step("Debian 13"):
            progress.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", RELEASE, str(folder)])
        with progress.step("GNOME, KDE and what they need"):
            apt = "export DEBIAN_FRONTEND=noninteractive; apt-get update; apt-get install -y --no-install-recommends "
            progress.run(_as_root(folder, apt + " ".join(PACKAGES)))
        with progress.step("a user, and a stand-in for a graphics card"):
            progress.run(_as_root(folder, _FINISH))
        try:
            folder.rename(finished)
        except OSError:
            if not finished.is_dir():  # else somebody else was quicker: theirs is as good
                raise
    size = subprocess.run(["du", "-xsm", str(finished)], check=False, capture_output=True, text=True).stdout
    print(f"made in {(time.monotonic() - begun_s) / 60:.1f} minutes: {size.split()[0]} MB", file=sys.stderr)
    return finished


def prepare_venv(system: Path, checkout: Path) -> Path:
    """Install the checkout's locked packages into the system; return the folder of the environment.

    Raises:
        SetUpError: a step failed.
    """
    locked = (checkout / "pyproject.toml").read_bytes() + (checkout / setup_env.LOCK).read_bytes()
    venv = system / "var" / "lib" / "minebot" / hashlib.sha256(locked).hexdigest()[:16]
    venv.parent.mkdir(exist_ok=True)
    (checkout / ".venv").mkdir(exist_ok=True)  # where it is mounted
    path = f"/var/lib/minebot/{venv.name}"  # not where it is mounted: that folder cannot be made anew
    code = f"import pathlib, setup_env; setup_env.VENV = pathlib.Path('{path}'); setup_env.prepare(extras=['dev'])"
    with venv.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = _as_root(system, f'cd /minebot/scripts; python3 -B -c "{code}" >&2', str(checkout), "minebot")
        if subprocess.run(command, check=False).returncode != 0:
            raise SetUpError("the packages of the project could not be installed there")
    return venv


def _stamp() -> str:
    """What the system depends on, as a hash."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("no_*.c"))]
    made_of = [*PACKAGES, _FINISH, *sources]
    return hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:16]


def _unshare() -> list[str]:
    return ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"]


def _mounts(checkout: Path, venv: Path) -> list[str]:
    return [str(checkout), "minebot", str(venv), "minebot/.venv"]


def _as_root(system: Path, script: str, *mounts: str) -> list[str]:
    """The command that runs a shell script in the system as root, with this machine's network."""
    more = [part for path in OF_THE_MACHINE if Path(path).exists() for part in (path, path)]
    inner = [*more, str(HERE), "mnt", *mounts, "--", "env", f"PATH={PATH}", "LC_ALL=C.UTF-8", "HOME=/root"]
    return [*_unshare(), "sh", "-ec", _ENTER, "sh", str(system), *inner, "sh", "-ec", script]


def session_command(
    system: Path,
    checkout: Path,
    desktop: str,
    command: Sequence[str],
    out: Path | None = None,
    outputs: tuple[float, int] = (1.0, 1),
) -> list[str]:
    """What runs a command in a session.

    Args:
        system: as `prepare` made it.
        checkout: the project, in which the command starts.
        desktop: gnome or kde.
        command: a program and its arguments.
        out: a folder that is writable there, as /out.
        outputs: their scale, and how many there are.
    """
    mounts = [str(HERE), "mnt", *_mounts(checkout, prepare_venv(system, checkout))]
    mounts += [] if out is None else [str(out), "out"]
    variables = {
        "MINEBOT_SCALE": str(outputs[0]),
        "MINEBOT_OUTPUTS": str(outputs[1]),
        **{name: value for name, value in os.environ.items() if name.startswith(("MINEBOT_", "TERM", "CI"))},
        "PATH": PATH,
        "HOME": "/home/bot",
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": f"/run/user/{USER}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": "/var/cache/minebot",
    }
    inner = ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), "sh", "-ec", _SESSION, "sh"]
    enter = ["sh", "-ec", _ENTER, "sh", str(system), *mounts, "--", *inner, desktop, *map(str, outputs), *command]
    return [*_unshare(), "--net", *enter]


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="wayland.py", description="Runs a command in a GNOME or KDE session.")
    parser.add_argument("desktop", choices=("gnome", "kde"))
    parser.add_argument("--checkout", type=Path, default=setup_env.ROOT, help="another checkout than this one")
    parser.add_argument("--scale", type=float, default=1.0, help="of the outputs, such as 1.5 (default 1)")
    parser.add_argument("--outputs", type=int, default=1, help="how many, side by side (default 1)")
    parser.add_argument("--out", type=Path, help="a folder that the command can write to, as /out")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="after --, such as: .venv/bin/python -m bot")
    args = parser.parse_args(arguments)
    complaint = complain()
    if complaint is not None:
        print(f"NOT RUN: {complaint}", file=sys.stderr)
        return NOT_RUN
    command = session_command(
        prepare(),
        args.checkout.resolve(),
        args.desktop,
        args.command,
        args.out and args.out.resolve(),
        (args.scale, args.outputs),
    )
    return os.execvp(command[0], command)  # noqa: S606 - to be ended as one with it


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
