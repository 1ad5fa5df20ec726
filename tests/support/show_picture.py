"""A window that shows one picture and nothing else: `python show_picture.py FILE` on some display."""

from __future__ import annotations

import sys
import tkinter as tk


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
