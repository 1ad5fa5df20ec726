"""Picture files in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.errors import UsageError
from bot.models import Frame

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def load_frame(path: Path) -> Frame:
    """Load a picture file as a frame whose top left pixel is (0, 0).

    Raises:
        UsageError: the file cannot be read, or is not a picture.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    pixels = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR) if content else None
    if pixels is None:
        raise UsageError(f"{path}: expected a picture (PNG, BMP, JPEG), got something else")
    return Frame(np.asarray(pixels, dtype=np.uint8))


def save_png(path: Path, pixels_bgr: NDArray[np.uint8]) -> None:
    """Write pixels (uint8, H x W x 3, B, G, R) as a PNG file, lossless."""
    done, encoded = cv2.imencode(".png", pixels_bgr, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    assert done, "a uint8 picture can always be encoded"
    path.write_bytes(encoded.tobytes())  # not cv2.imwrite: it cannot write to non-ASCII paths on Windows
