"""Animated picture files out: APNG, put together here picture by picture, and GIF, by Pillow.

OpenCV writes both too, from version 4.11 on, but wants all pictures at once; and its GIFs are five times as large,
their colours wrong. Pillow keeps all pictures of an APNG in memory until it is written.

References:
    [1] W3C: Portable Network Graphics (PNG) Specification (Third Edition), 11.3.6 Animation information.
"""

from __future__ import annotations

import struct
import zlib
from itertools import count
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image

from bot.errors import UsageError
from bot.images import PNG_BEGIN, encode_png, part_of
from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

SUFFIXES = (".gif", ".png", ".apng")
"""A PNG is lossless; a GIF has 256 colours a picture."""
_GIF_TICK_S = 0.01


def save_animation(path: Path, frames_bgr: Iterable[NDArray[np.uint8]], durations_s: Sequence[float]) -> None:
    """Write pictures of one size as an animation that is repeated for ever: whole, or not at all.

    Args:
        path: its suffix, one of `SUFFIXES`, says in which form.
        frames_bgr: as many as there are durations, uint8, H x W x 3, B, G, R. They are taken one by one; of an APNG
            never more than two are kept.
        durations_s: how long each is shown; a GIF rounds it to hundredths of a second.

    Raises:
        UsageError: the file cannot be written.
    """
    write = _write_gif if path.suffix.lower() == ".gif" else _write_apng
    part = part_of(path)
    try:
        with part.open("wb") as file:
            write(file, iter(frames_bgr), durations_s)
        part.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _write_gif(file: BinaryIO, frames_bgr: Iterator[NDArray[np.uint8]], durations_s: Sequence[float]) -> None:
    images = (Image.fromarray(frame[:, :, ::-1]) for frame in frames_bgr)
    ticks_ms = [round(1000 * _GIF_TICK_S) * round(seconds / _GIF_TICK_S) for seconds in durations_s]
    next(images).save(file, format="GIF", save_all=True, append_images=images, duration=ticks_ms, loop=0)


def _write_apng(file: BinaryIO, frames_bgr: Iterator[NDArray[np.uint8]], durations_s: Sequence[float]) -> None:
    """Each picture is the one before with one rectangle painted over; the rectangle is kept as any PNG is."""
    numbers = count()
    before: NDArray[np.uint8] | None = None
    for frame, seconds in zip(frames_bgr, durations_s, strict=True):
        changed = _changed_region(before, frame)
        header, *data = _iter_pixel_chunks(encode_png(_cut(frame, changed)))
        if before is None:
            file.write(PNG_BEGIN)
            _write_chunk(file, b"IHDR", header)
            _write_chunk(file, b"acTL", struct.pack(">II", len(durations_s), 0))
        place = struct.pack(">IIII", changed.width, changed.height, changed.left, changed.top)
        delay = struct.pack(">HHBB", round(1000 * seconds), 1000, 0, 0)
        _write_chunk(file, b"fcTL", struct.pack(">I", next(numbers)) + place + delay)
        for piece in data:
            if before is None:
                _write_chunk(file, b"IDAT", piece)
            else:
                _write_chunk(file, b"fdAT", struct.pack(">I", next(numbers)) + piece)
        before = frame
    _write_chunk(file, b"IEND", b"")


def _changed_region(before: NDArray[np.uint8] | None, frame: NDArray[np.uint8]) -> Region:
    """The rectangle in which two pictures differ; at least one pixel, all of it without one before."""
    if before is None:
        return Region(0, 0, frame.shape[1], frame.shape[0])
    left, top, width, height = cv2.boundingRect((before != frame).any(axis=2).astype(np.uint8))
    return Region(left, top, max(width, 1), max(height, 1))


def _cut(frame: NDArray[np.uint8], region: Region) -> NDArray[np.uint8]:
    return frame[region.top : region.top + region.height, region.left : region.left + region.width]


def _iter_pixel_chunks(png: bytes) -> Iterator[bytes]:
    """What the header and the pieces of pixels of a PNG hold."""
    place = len(PNG_BEGIN)
    while place < len(png):
        length, kind = struct.unpack_from(">I4s", png, place)
        if kind in {b"IHDR", b"IDAT"}:
            yield png[place + 8 : place + 8 + length]
        place += length + 12


def _write_chunk(file: BinaryIO, kind: bytes, content: bytes) -> None:
    file.write(struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)))
