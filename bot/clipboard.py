"""What is on the clipboard: a picture, as Pillow gets it from the system, or a text, as Tk does.

Pillow asks Windows and macOS themselves, and on Linux the programs xclip or wl-paste.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageGrab

from bot.errors import ScreenError, UsageError
from bot.images import load_frame
from bot.models import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    except NotImplementedError:  # Pillow's word for: no program here that hands pictures over
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


def _text() -> str:
    """The text on the clipboard; empty where there is none."""
    try:
        import tkinter as tk  # noqa: PLC0415 - not every Python has it
    except ImportError as error:
        raise ScreenError(f"this Python has no tkinter, which asks the clipboard ({error})") from error
    try:
        window = tk.Tk()
    except tk.TclError as error:
        raise ScreenError(f"there is no clipboard here: {error}") from error
    try:
        window.withdraw()
        return str(window.clipboard_get())[:_MOST_LETTERS]
    except tk.TclError:  # empty, or no text
        return ""
    finally:
        window.destroy()
