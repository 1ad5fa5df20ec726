"""Files that others made, read within bounds: the one door for skins, and for every picture the bot is shown.

What is read is a regular file, and no larger than the caller expects: a device may never end, a pipe may never begin,
and a picture of a few bytes may claim to fill the memory. So its size is taken from its header before it is decoded.
"""

from __future__ import annotations

import errno
import io
import math
import os
import stat
import warnings
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, TYPE_CHECKING

import numpy as np

from skins.errors import FileError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

MOST_PICTURE_BYTES = 2**28  # most bytes of a picture file: enough for `MOST_PIXELS` that nothing compresses
MOST_PIXELS = 40_000_000
"""Most pixels of a picture: a screen of 8K has 33 million. To look through 40 million for boards takes 0.9 GB of
memory."""
_CHUNK_BYTES = 2**18
_FORMATS = ("PNG", "BMP", "JPEG", "GIF", "WEBP", "TIFF", "PPM")
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)


def read_file(path: Traversable, most_bytes: int) -> bytes:
    """The content of a file.

    Args:
        path: the file; one inside a package is the program's own, and trusted.
        most_bytes: a larger file is refused.

    Raises:
        FileError: it cannot be read, is no regular file, or is larger; names it.
    """
    if not isinstance(path, Path):
        return path.read_bytes()
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            return _read_within(file, most_bytes)
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # a NUL in the path
        raise FileError(f"cannot read {str(path)!r}: {error}") from error


def _read_within(file: IO[bytes], most_bytes: int) -> bytes:
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a device, a pipe or a socket, not a file")
    content = read_up_to(file, most_bytes + 1) if status.st_size <= most_bytes else b""
    if max(status.st_size, len(content)) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes:,} bytes")
    return content


def read_up_to(stream: IO[bytes], most_bytes: int) -> bytes:
    """What a stream still holds, or its first bytes where it holds more.

    Memory is taken for what there is. A single call takes it for all that may be read: 55 ms for 256 MB under wine.

    Raises:
        OSError: it cannot be read.
    """
    parts: list[bytes] = []
    n_left = most_bytes
    while n_left and (part := stream.read(min(n_left, _CHUNK_BYTES))):
        parts.append(part)
        n_left -= len(part)
    return b"".join(parts)


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; a pipe without a writer too, which would wait for one."""
    return os.open(path, flags | _AT_ONCE)


def name_inside(name: object) -> str:
    """Make sure that this is the name of a file inside a folder, or of one in a folder in there.

    Raises:
        ValueError: it is no text, is absolute, or leads out of the folder, on this system or another.
    """
    if not isinstance(name, str) or not name or "\0" in name:
        raise ValueError(f"expected the name of a file, got {name!r}")
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.anchor or ".." in path.parts or not path.parts:
            raise ValueError(f"expected a file inside the folder, got {name!r}")
    return name


def load_picture(path: Traversable, most_pixels: int = MOST_PIXELS) -> NDArray[np.uint8] | None:
    """The pixels of a picture file: uint8, height x width x 3, BGR; None where it is no picture.

    Raises:
        FileError: it cannot be read, is damaged, or too large a file or picture; names it.
    """
    content = read_file(path, MOST_PICTURE_BYTES)
    measured = _measure(content)
    if measured is None:
        return None
    n_pixels, told = measured
    if n_pixels > most_pixels:
        raise FileError(f"{path}: expected a picture of at most {most_pixels:,} pixels, got {told}: cut out a part")
    pixels = _decode(content)
    if pixels is None:
        raise FileError(f"{path}: expected a whole picture (PNG, BMP, JPEG), got a damaged one, cut off perhaps")
    return pixels


def _measure(content: bytes) -> tuple[float, str] | None:
    """How many pixels a picture has by its header alone, as a number and in words; None: no kind that is known."""
    from PIL import Image  # noqa: PLC0415 - slow to load, and `solve` or `--help` need no picture

    with warnings.catch_warnings(action="ignore"):  # it warns of large pictures: that is what is asked for here
        try:
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                width, height = image.size
                return width * height, f"{width:,} x {height:,}"
        except Image.DecompressionBombError:
            return math.inf, "far more"
        except (OSError, ValueError, OverflowError):
            return None


def _decode(content: bytes) -> NDArray[np.uint8] | None:
    import cv2  # noqa: PLC0415 - slow to load, and `solve` or `--help` need no picture

    try:
        pixels = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # a header that no picture has
        return None
    return None if pixels is None else np.asarray(pixels, dtype=np.uint8)
