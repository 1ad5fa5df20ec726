"""A GNOME or KDE session without a screen, and a command in it; run by `wayland.py`, as a plain user of its own system.

The order counts. The portals inherit what D-Bus is told before the compositor starts; wireplumber dies where it finds
no pipewire, and then no frame ever comes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = (1280, 1000)
"""Width and height of an output, in logical units."""
APP_ID = "io.github.minebot.Minebot"
PATIENCE_S = 60
DISPLAY = "wayland-0"
NO_GPU, NO_SYSTEMD = "/usr/local/lib/no_gpu.so", "/usr/local/lib/no_systemd.so"
"""The compiled stand-ins for a graphics card and for systemd's session; `wayland.py` puts them there."""
RUNTIME = Path(os.environ.get("XDG_RUNTIME_DIR", "/"))
STDERR = 3
"""Where the command's errors go: the session's own, which are many, go to a log."""
LOGS = RUNTIME / "logs"
OF_ALL = {"WAYLAND_DISPLAY": DISPLAY, "DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland", "GTK_A11Y": "none"}
OF_GNOME = {"XDG_CURRENT_DESKTOP": "GNOME"}
OF_KDE = {"XDG_CURRENT_DESKTOP": "KDE", "QT_QPA_PLATFORM": "wayland"}
GNOME_SHELL = [
    "env",
    f"LD_PRELOAD={NO_SYSTEMD}",
    "gnome-shell",
    "--headless",
    "--wayland",
    "--unsafe-mode",
    "--wayland-display",
    DISPLAY,
]
"""The unsafe mode lets tests ask it what windows there are, and for a picture; the portals ask people all the same."""
NO_UNITS = "imports.gi.Shell.util_start_systemd_unit = async () => true"
"""A script for gnome-shell: no systemd is asked for the programs that go with Xwayland."""
KWIN = ["env", f"LD_PRELOAD={NO_GPU}", "GBM_ALWAYS_SOFTWARE=1", "LIBGL_ALWAYS_SOFTWARE=1", "kwin_wayland", "--virtual"]
KWIN += ["--no-lockscreen", "--xwayland", "--socket", DISPLAY]
PERMISSIONS = "org.freedesktop.impl.portal.PermissionStore"


def main(arguments: Sequence[str]) -> int:
    """Run the command of the arguments `gnome|kde SCALE OUTPUTS COMMAND...`; return its exit code."""
    desktop, scale, n_outputs, *command = arguments
    width, height = (str(round(side * float(scale))) for side in SIZE)
    with ExitStack() as programs:

        def start(*command: str) -> None:
            with (LOGS / Path(command[-1] if len(command) == 1 else desktop).name).open("w") as log:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            programs.callback(process.wait)
            programs.callback(process.terminate)

        os.environ.update(OF_ALL, **(OF_GNOME if desktop == "gnome" else OF_KDE))
        run("dbus-update-activation-environment", "--all")
        start("pipewire")
        wait_for_file(RUNTIME / "pipewire-0")
        start("wireplumber")
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):  # else a compositor takes itself for a window
            del os.environ[name]
        if desktop == "gnome":
            run("gsettings", "set", "org.gnome.desktop.interface", "enable-hot-corners", "false")  # tests go there
            start(*GNOME_SHELL, *["--virtual-monitor", f"{width}x{height}"] * int(n_outputs))
            shell = ("--dest", "org.gnome.Shell", "--object-path", "/org/gnome/Shell")
            run_when_ready("gdbus", "call", "--session", *shell, "--method", "org.gnome.Shell.Eval", NO_UNITS)
            if float(scale) != 1:
                run("gdctl", "set", *scaled_monitors(scale, int(n_outputs)))
        else:
            os.environ |= {"KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1", "KWIN_SCREENSHOT_NO_PERMISSION_CHECKS": "1"}
            scale_outputs_of_kde(float(scale), int(n_outputs))
            start(*KWIN, "--width", width, "--height", height, "--output-count", n_outputs)
            wait_until_called("org.kde.KWin")
            for app_id in ("", APP_ID):
                allow_on_kde(app_id)
        wait_for_file(Path(tempfile.gettempdir(), ".X11-unix", "X0"))
        os.environ.update(OF_ALL)
        for cookie in RUNTIME.glob(".mutter-Xwaylandauth.*"):
            os.environ["XAUTHORITY"] = str(cookie)
        return subprocess.call(command, stderr=STDERR)


def scaled_monitors(scale: str, n_outputs: int) -> list[str]:
    """GNOME's monitors at a scale, side by side, as `gdctl set` takes them."""
    layout = ["--logical-monitor", "--primary", "--monitor", "Meta-0", "--scale", scale]
    for n in range(1, n_outputs):
        layout += ["--logical-monitor", "--monitor", f"Meta-{n}", "--scale", scale, "--right-of", f"Meta-{n - 1}"]
    return layout


def scale_outputs_of_kde(scale: float, n_outputs: int) -> None:
    """Have KWin find the outputs, side by side, as a person has set them: its own option scales their size alone."""
    width, height = SIZE
    mode = {"width": round(width * scale), "height": round(height * scale), "refreshRate": 60000}
    outputs = [{"connectorName": f"Virtual-{n}", "mode": mode, "scale": scale} for n in range(n_outputs)]
    places = [{"x": n * width, "y": 0} for n in range(n_outputs)]
    setup = [{"enabled": True, "outputIndex": n, "position": place, "priority": n} for n, place in enumerate(places)]
    setups = {"name": "setups", "data": [{"lidClosed": False, "outputs": setup}]}
    path = Path.home() / ".config" / "kwinoutputconfig.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([{"name": "outputs", "data": outputs}, setups]), encoding="utf-8")


def allow_on_kde(app_id: str) -> None:
    """Let a program have screen and input without the dialog, of which this system has no more than a part."""
    path, method = "/" + PERMISSIONS.replace(".", "/"), f"{PERMISSIONS}.SetPermission"
    for table in ("remote-desktop", "screencast"):
        call = ("--dest", PERMISSIONS, "--object-path", path, "--method", method)
        run("gdbus", "call", "--session", *call, "kde-authorized", "true", table, app_id, "['yes']")


def run(*command: str) -> None:
    """Run a program to its end.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def run_when_ready(*command: str) -> None:
    """Run a program again and again until it does not fail: what it calls may not be there yet.

    Raises:
        TimeoutError: it still fails after `PATIENCE_S`.
    """
    deadline_s = time.monotonic() + PATIENCE_S
    while subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode != 0:
        if time.monotonic() > deadline_s:
            complain(command[-1])
        time.sleep(0.05)


def wait_until_called(name: str) -> None:
    """Wait until a program on the bus has this name.

    Raises:
        TimeoutError: none has, after `PATIENCE_S`.
    """
    wait = ["gdbus", "wait", "--session", "--timeout", str(PATIENCE_S), name]
    if subprocess.run(wait, check=False).returncode != 0:
        complain(name)


def wait_for_file(path: Path) -> None:
    """Wait until a program has made a file.

    Raises:
        TimeoutError: it has not, after `PATIENCE_S`.
    """
    deadline_s = time.monotonic() + PATIENCE_S
    while not path.exists():
        if time.monotonic() > deadline_s:
            complain(str(path))
        time.sleep(0.05)


def complain(name: str) -> NoReturn:
    """Say what has not come up, and what all have said.

    Raises:
        TimeoutError: always.
    """
    said = "\n".join(log.read_text(encoding="utf-8", errors="replace") for log in LOGS.iterdir())
    os.write(STDERR, f"{name} did not come up:\n{said}".encode())
    raise TimeoutError(name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
