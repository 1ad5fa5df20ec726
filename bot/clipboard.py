"""The clipboard: a picture on it, as Pillow gets it from the system, or a text, as Tk does; and a picture put there.

Pillow asks Windows and macOS themselves, on Linux the programs xclip or wl-paste. It puts nothing there:
xclip and wl-copy do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageGrab

from bot.errors import ScreenError, UsageError
from bot.images import encode_png, load_frame
from bot.models import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

_XCLIP = ("-selection", "clipboard", "-t", "image/png")
_MOST_LETTERS = 2**24
_NO_PROGRAM = "; pictures need xclip or, on Wayland, wl-paste (Debian: apt-get install xclip wl-clipboard)"


def read_clipboard() -> Frame | str:
    """The picture on the clipboard, of a picture file that was copied as well; where there is none, the text.

    Raises:
        ScreenError: there is no clipboard here.
        UsageError: it holds neither, or something that is too large.
    """
    without = ""
    try:
        found = ImageGrab.grabclipboard()
    except NotImplementedError:  # Pillow raises it where no program hands pictures over
        found, without = None, _NO_PROGRAM
    except (OSError, Image.DecompressionBombError) as error:
        raise UsageError(f"the clipboard's picture cannot be read: {error}") from error
    if isinstance(found, Image.Image):
        rgb: NDArray[np.uint8] = np.asarray(found.convert("RGB"))
        return Frame(np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), dtype=np.uint8))
    if found:
        return load_frame(Path(found[0]))
    text = _text()
    if not text.strip():
        raise UsageError(f"expected a picture or a board's text on the clipboard, got neither{without}")
    return text


_COPIERS = (("WAYLAND_DISPLAY", ("wl-copy", "--type", "image/png")), ("DISPLAY", ("xclip", *_XCLIP)))
"""By the variable that says that it can be used: a program that puts a PNG on the clipboard."""


def write_picture(pixels_bgr: NDArray[np.uint8]) -> None:
    """Put a picture on the clipboard: uint8, H x W x 3, BGR.

    Raises:
        ScreenError: nothing here can; says what to do.
    """
    for variable, (program, *options) in _COPIERS:
        path = shutil.which(program)
        if os.environ.get(variable) and path is not None:
            done = subprocess.run(  # noqa: S603 - a program found on the path, with options of ours
                [path, *options],
                input=encode_png(pixels_bgr),
                stdout=subprocess.DEVNULL,  # it stays to hand the picture over, and would hold a pipe open
                stderr=subprocess.DEVNULL,
                check=False,
            )
            if done.returncode == 0:
                return
    raise ScreenError("no picture can be copied here: save it instead; on Linux xclip or wl-copy copies pictures")


def _text() -> str:
    """The text on the clipboard; empty where there is none."""
    try:
        import tkinter as tk  # noqa: PLC0415 - not every Python has it
    except ImportError as error:
        raise ScreenError(
            "this Python has no tkinter, which asks the clipboard\n"
            "Install it (Debian, Ubuntu: sudo apt-get install python3-tk), or save what you copied and name the file."
        ) from error
    try:
        window = tk.Tk()
    except tk.TclError as error:
        raise ScreenError(
            f"there is no clipboard here: {error}\n"
            "Run it in a desktop session, or save what you copied and name the file instead of --clipboard."
        ) from error
    try:
        window.withdraw()
        return str(window.clipboard_get())[:_MOST_LETTERS]
    except tk.TclError:  # empty, or no text
        return ""
    finally:
        window.destroy()
