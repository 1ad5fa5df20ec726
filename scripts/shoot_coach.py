"""Takes the README's pictures of the coach: `python scripts/shoot_coach.py` (needs wine, gnome-mines, openbox, Xvfb).

WineMine and GNOME Mines are played for real on a virtual screen, as the coach says, until there is something of
everything to see; then the pointer is put on a proven mine in the one, and on a proven safe cell in the other.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bot.virtual_screen import virtual_screen

ROOT = Path(__file__).resolve().parent.parent
SUPPORT = ROOT / "tests" / "support"
FOLDER = ROOT / "tests" / "screens" / "readme"
MARGIN_PX = 8
GNOME_MINES_PX = (700, 520)
"""Its window."""
N_REASONS = 6
"""Of so many cells the one with the shortest reason is shown."""
ENOUGH = {"safe": 3, "mines": 6, "risks": 5}


def main() -> int:
    """Take both pictures."""
    sys.path.insert(0, str(SUPPORT))
    coached, desktop_game = (importlib.import_module(name) for name in ("coached", "desktop_game"))
    for clone, pointed in (("winemine", "mines"), ("gnome-mines", "safe")):
        with ExitStack() as stack:
            display = stack.enter_context(virtual_screen())
            manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL, env=os.environ)
            stack.callback(manager.terminate)
            time.sleep(2)  # it says nothing when it is there
            desk = stack.enter_context(desktop_game.desk(display))
            keys = stack.enter_context(coached.running_clone(clone, desk, GNOME_MINES_PX))
            coach = stack.enter_context(coached.coached(desk))
            path = FOLDER / f"coach-{clone}.png"
            _shoot(desk, coach, partial(coached.begin_another, desk, keys), pointed).save(path, optimize=True)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KiB")
    return 0


def _shoot(desk: Any, coach: Any, begin_another: Any, pointed: str) -> Image.Image:
    """Play until there is enough to see, and take the picture."""
    while True:
        told = coach.wait_until_settled()
        marked = told["marked"]
        if all(len(marked[name]) >= least for name, least in ENOUGH.items()):
            break
        if told["move"] is None:
            begin_another(told["state"])
            coach.wait_for(lambda event: event.get("state") == "fresh", what="new game")
            continue
        n_before = len(coach.events)
        desk.click(*_middle_of(told, tuple(told["move"]["cell"])))
        coach.wait_for_kind("position", n_before)
    reasons: dict[tuple[int, ...], str] = {}
    for cell in map(tuple, marked[pointed][:N_REASONS]):
        n_before = len(coach.events)
        desk.move(*_middle_of(told, cell))
        reasons[cell] = coach.wait_for_kind("cell", n_before)["why"]
    n_before = len(coach.events)
    desk.move(0, 0)
    coach.wait_until_settled()
    desk.move(*_middle_of(told, min(reasons, key=lambda cell: len(reasons[cell]))))
    coach.wait_for_kind("cell", n_before)
    picture = desk.wait_until_still()
    is_lit = picture.any(axis=2)  # the screen around the window and the coach's panel is black
    rows, cols = np.flatnonzero(is_lit.any(axis=1)), np.flatnonzero(is_lit.any(axis=0))
    top, bottom = max(rows[0] - MARGIN_PX, 0), rows[-1] + 1 + MARGIN_PX
    left, right = max(cols[0] - MARGIN_PX, 0), cols[-1] + 1 + MARGIN_PX
    return Image.fromarray(np.ascontiguousarray(picture[top:bottom, left:right, ::-1]))


def _middle_of(told: Any, cell: tuple[int, ...]) -> tuple[int, int]:
    """The middle of a cell of a position that the coach told of, on the screen."""
    (left, top), (width, height) = told["origin"], told["pitch"]
    row, col = cell
    return round(left + (col + 0.5) * width), round(top + (row + 0.5) * height)


if __name__ == "__main__":
    sys.exit(main())
