"""Picture files in and out."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

import cv2

from bot.errors import UsageError
from bot.models import Frame
from skins.errors import FileError
from skins.files import MOST_PICTURE_BYTES, load_picture, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


PNG_BEGIN = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"IEND\xaeB`\x82"


def load_frame(path: Path) -> Frame:
    """Load a picture file as a frame whose top left pixel is (0, 0).

    Raises:
        UsageError: the file cannot be read, is not a picture, or too large a one.
    """
    frame = load_if_picture(path)
    if frame is None:
        raise UsageError(f"{path}: expected a picture (PNG, BMP, JPEG), got something else")
    return frame


def load_if_picture(path: Path) -> Frame | None:
    """Load a file as `load_frame` does, or find that it is no picture.

    Raises:
        UsageError: the file cannot be read, or is too large a picture.
    """
    try:
        pixels = load_picture(path)
    except FileError as error:
        raise UsageError(str(error)) from error
    return None if pixels is None else Frame(pixels)


def save_png(path: Path, pixels_bgr: NDArray[np.uint8]) -> None:
    """Write pixels (uint8, H x W x 3, B, G, R) as a PNG file, lossless: whole, or not at all."""
    save_bytes(path, encode_png(pixels_bgr))  # not cv2.imwrite: it cannot write to non-ASCII paths on Windows


def save_bytes(path: Path, content: bytes) -> None:
    """Write a file: whole, or not at all. A device or a pipe is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()  # a link stays one
    part = part_of(path)
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def encode_png(pixels_bgr: NDArray[np.uint8]) -> bytes:
    """Pixels (uint8, H x W x 3, B, G, R) as the content of a PNG file, lossless, in three channels."""
    done, encoded = cv2.imencode(".png", pixels_bgr, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    assert done, "a uint8 picture can always be encoded"
    return encoded.tobytes()


def encode_ppm(picture_bgr: NDArray[np.uint8]) -> bytes:
    """A picture (uint8, H x W x 3, BGR) as a binary PPM: uncompressed, what Tk reads fastest."""
    height, width = picture_bgr.shape[:2]
    return b"P6 %d %d 255\n" % (width, height) + picture_bgr[:, :, ::-1].tobytes()


def is_cut_off_png(path: Path) -> bool:
    """Whether a file begins as a PNG file does, or not at all, but does not end as one.

    Decoders differ in what they make of such a file: some show the part that is there.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        content = read_file(path, MOST_PICTURE_BYTES)
    except FileError as error:
        raise UsageError(str(error)) from error
    return content[: len(PNG_BEGIN)] == PNG_BEGIN[: len(content)] and not content.endswith(_PNG_END)


def check_can_save(
    path: Path, *, source: Path | None = None, suffixes: Sequence[str] = (".png",), what: str = "a picture"
) -> None:
    """Make sure that a file can be written, before any work is done for it.

    Args:
        path: where it would be written.
        source: a file that must not be overwritten; that it is missing, its reader says.
        suffixes: how its name may end.
        what: what it will hold, for messages.

    Raises:
        UsageError: it has not the name of such a file, it is the source, or it cannot be written.
    """
    if path.suffix.lower() not in suffixes:
        expected = " or ".join(suffixes)
        raise UsageError(f"expected a file name that ends in {expected} to write {what} to, got {str(path)!r}")
    try:
        if path.is_dir():
            raise UsageError(f"cannot write {path}: it is a folder")
        if source is not None and _are_one_file(path, source):
            raise UsageError(f"cannot write {path}: that is the picture to read")
        part = part_of(path)
        part.touch()
        part.unlink()
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    except ValueError as error:  # a NUL in the path
        raise UsageError(f"cannot write {str(path)!r}: {error}") from error


def _are_one_file(path: Path, other: Path) -> bool:
    """Whether both are there, and the same."""
    try:
        return path.samefile(other)
    except (OSError, ValueError):  # what cannot be looked at; a NUL in a path
        return False


def part_of(path: Path) -> Path:
    """What a file is called while it is being written."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def numbered(path: Path) -> Iterator[Path]:
    """A name for something new, then the same with the numbers from 2 on: other ones may have been taken already."""
    yield path
    yield from (path.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2))
