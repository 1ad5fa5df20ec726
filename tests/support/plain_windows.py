"""Plain windows of one program: `python plain_windows.py NAME WxH+X+Y...` on some display, a window a place."""

from __future__ import annotations

import subprocess
import sys
import tkinter as tk
from contextlib import contextmanager
from dataclasses import dataclass

from bot_process import environment

from bot.models import Pixel


@dataclass(frozen=True)
class Window:
    """A window of one program: its number at the X server, and where it shows."""

    number: int
    left: int
    top: int

    @property
    def inside(self):
        """A pixel of it."""
        return Pixel(self.left + 30, self.top + 30)


@contextmanager
def plain_windows(display, name, *places, is_managed=False, **variables):
    """Show windows, each with a button that fills it, while the block runs; yields them.

    Args:
        display: where.
        name: their title.
        places: as X has it, such as "200x100+40+30".
        is_managed: whether a window manager is to have them; they are up only when it put them there.
        variables: more of their environment.
    """
    process = subprocess.Popen(
        [sys.executable, __file__, name, str(int(is_managed)), *places],
        env=environment(display) | variables,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield [Window(*(int(word) for word in process.stdout.readline().split())) for _ in places]
        finally:
            process.kill()


def main(name, is_managed, *places):
    """Show the windows and tell where they are."""
    root = tk.Tk()
    root.withdraw()
    for place in places:
        window = tk.Toplevel(root)
        window.title(name)
        window.geometry(place)
        window.overrideredirect(is_managed == "0")
        tk.Button(window, text=name).pack(expand=True, fill="both")
        window.wait_visibility()
        window.update()
        print(window.winfo_id(), window.winfo_rootx(), window.winfo_rooty(), flush=True)  # noqa: T201 - tells the test
    root.mainloop()


if __name__ == "__main__":
    main(*sys.argv[1:])
