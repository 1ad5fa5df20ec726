"""A window that shows one picture and nothing else: `python show_picture.py FILE` on some display."""

from __future__ import annotations

import subprocess
import sys
import time
import tkinter as tk
from contextlib import contextmanager

from bot_process import environment


@contextmanager
def shown(picture, display):
    """Show a picture file in a window on a display while the block runs."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(picture)],
        env=environment(display),
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout.readline() == "shown\n"
            time.sleep(0.3)
            yield
        finally:
            process.kill()


def main():
    window = tk.Tk()
    window.overrideredirect(boolean=True)
    window.geometry("+40+30")
    picture = tk.PhotoImage(file=sys.argv[1])
    tk.Label(window, image=picture, borderwidth=0).pack()
    window.update()
    print("shown", flush=True)  # noqa: T201 - tells the test that it may look
    window.mainloop()


if __name__ == "__main__":
    main()
