"""An independent witness on Wayland: what libwayland writes into a program's log (WAYLAND_DEBUG=1) of what it got.

Places are those in the program's window, as its compositor counts them: a surface may have a shadow around its window.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CALL = re.compile(r"\[ *[\d.]+\] (?:\{[^}]*\} )?( -> )?(?:discarded )?(\w+)[@#](\d+)\.(\w+)\((.*)\)")
_ID = re.compile(r"[@#](\d+)")
BUTTONS = {0x110: 1, 0x111: 3, 0x112: 2}


@dataclass(frozen=True)
class Press:
    """A button that went down over a window of the program: when, by the compositor, which, and where in which one."""

    time_ms: int
    button: int
    x: float
    y: float
    surface: str


@dataclass(frozen=True)
class Heard:
    """What a program heard: the buttons and the keys, by the kernel's numbers, that went down."""

    presses: list[Press]
    keys: list[int]


def read_wayland_log(text):
    """What a program heard, by its log."""
    shadows, surface_of, presses, keys = {}, {}, [], []
    surface, x, y = "", 0.0, 0.0
    for line in text.splitlines():
        found = _CALL.match(line)
        if found is None:
            continue
        is_request, interface, number, name, rest = found.groups()
        told = [part.strip() for part in rest.split(",")]
        match bool(is_request), interface, name:
            case True, "xdg_wm_base", "get_xdg_surface":
                made, of = (_ID.search(part)[1] for part in told)
                surface_of[made] = of
            case True, "xdg_surface", "set_window_geometry":
                shadows[surface_of[number]] = (int(told[0]), int(told[1]))
            case False, "wl_pointer", "enter":
                surface, x, y = _ID.search(told[1])[1], float(told[2]), float(told[3])
            case False, "wl_pointer", "motion":
                x, y = float(told[1]), float(told[2])
            case False, "wl_pointer", "button" if told[3] == "1":
                left, top = shadows.get(surface, (0, 0))
                presses.append(Press(int(told[1]), BUTTONS[int(told[2])], x - left, y - top, surface))
            case False, "wl_keyboard", "key" if told[3] == "1":
                keys.append(int(told[2]))
    return Heard(presses, keys)
