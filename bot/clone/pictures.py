"""Pictures in Tk: the few lines its bindings lack."""

from __future__ import annotations

import tkinter as tk
from typing import TYPE_CHECKING

from skins.painter import encode_ppm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bot.models import Region


def picture(root: tk.Misc, pixels_bgr: NDArray[np.uint8]) -> tk.PhotoImage:
    """Make a picture of these pixels: uint8, H x W x 3, BGR."""
    return tk.PhotoImage(master=root, data=encode_ppm(pixels_bgr), format="PPM")


def blank_picture(root: tk.Misc, region: Region) -> tk.PhotoImage:
    """Make an empty picture of a region's size."""
    return tk.PhotoImage(master=root, width=region.width, height=region.height)


def stamp(target: tk.PhotoImage, piece: tk.PhotoImage, x: int, y: int) -> None:
    """Copy a whole small picture into a large one at (x, y); Python's own `copy` cannot say where to."""
    target.tk.call(str(target), "copy", str(piece), "-to", x, y)
