"""A recording as moving pictures: what each decision saw, with the cells it decided on marked, in its own pace.

The files are APNG, put together here picture by picture, and GIF, by Pillow. OpenCV writes both too, from version 4.11
on, but wants all pictures at once; and its GIFs are five times as large, their colours wrong. Pillow keeps all pictures
of an APNG in memory until it is written.

References:
    [1] W3C: Portable Network Graphics (PNG) Specification (Third Edition), 11.3.6 Animation information.
"""

from __future__ import annotations

import struct
import zlib
from itertools import count, pairwise
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image

from bot.errors import UsageError
from bot.images import PNG_BEGIN, encode_png, part_of
from bot.models import Frame, Region
from bot.reporting.drawing import ink, marks
from bot.reporting.drawing.boards import Annotated, draw_frame
from bot.reporting.drawing.marks import Kind
from skins.pixels import largest_channel
from solver import analyse
from solver.board import FLAG, Action, GameState
from solver.words import format_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from bot.models import Grid, Reading
    from bot.reporting.drawing.marks import Mark
    from bot.reporting.recording import RepeatedDecision
    from solver.board import Move
    from solver.topology import Cell


SUFFIXES = (".gif", ".png", ".apng")  # a PNG is lossless; a GIF has 256 colours a picture
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
        header, *data = _iter_pixel_chunks(encode_png(frame[changed.slices]))
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
    left, top, width, height = cv2.boundingRect(largest_channel(before != frame).astype(np.uint8))
    return Region(left, top, max(width, 1), max(height, 1))


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


LEAST_S = 0.15  # the bot decides faster than anybody can see
MOST_S = 2.0  # nobody wants to watch a pause
DEFAULT_S = 0.5  # for recordings that do not say when they decided
LAST_S = 3.0
_LEGEND = (Kind.BEST, Kind.SAFE, Kind.RISK)


def durations_of(times_s: Sequence[float | None]) -> list[float]:
    """How long each picture is shown, in seconds, when decisions were made at these times; the last one longer."""
    gaps = [
        DEFAULT_S if before is None or after is None else min(max(after - before, LEAST_S), MOST_S)
        for before, after in pairwise(times_s)
    ]
    return [*gaps, LAST_S]


class Film:
    """Draws the pictures, all of one size.

    Args:
        grids: of all boards that come up.
        n_steps: how many pictures there will be.
    """

    def __init__(self, grids: Sequence[Grid], n_steps: int) -> None:
        self._n_steps = n_steps
        blanks = [draw_frame(_blank(grid), _LEGEND) for grid in grids]
        self._height = max(blank.shape[0] for blank in blanks)
        self._width = max(blank.shape[1] for blank in blanks)

    def draw(self, step: RepeatedDecision, n: int) -> NDArray[np.uint8]:
        """The picture of step `n` (from 0): uint8, H x W x 3, BGR."""
        reading = step.reading
        drawn: dict[Cell, Mark] = dict.fromkeys(reading.unknown, marks.UNREADABLE)
        drawn |= {move.cell: _mark(reading, move) for move in step.moves}
        ringed = next((move.cell for move in step.moves if move.is_guess), None)
        when = "" if step.seconds is None else f", {step.seconds:.2f} s"
        number = f"decision {n + 1} of {self._n_steps}{when}{', not as recorded' if step.differences else ''}"
        caption = (number, describe_moves(step))
        picture = draw_frame(Annotated(step.frame, reading.grid, caption, drawn, ringed), _LEGEND)
        pixels = np.full((self._height, self._width, 3), ink.PAPER, dtype=np.uint8)
        pixels[: picture.shape[0], : picture.shape[1]] = picture
        return pixels


def describe_moves(step: RepeatedDecision) -> str:
    """What was decided, in one short line."""
    if step.reading.state in (GameState.WON, GameState.LOST):
        return f"the game is {step.reading.state.value}"
    if step.reading.state is GameState.UNKNOWN:
        return "the game is over, it is not known how"
    if not step.moves:
        return "nothing could be decided"
    first = step.moves[0]
    if first.is_guess:
        return f"a guess: {format_cells([first.cell])}, {_say_risk(step.reading, first)}"
    cells = "the cell that is" if len(step.moves) == 1 else f"the {len(step.moves)} cells that are"
    n_flags = sum(move.action is Action.FLAG for move in step.moves)
    return f"opens {cells} proven safe{f', flags taken off: {n_flags}' if n_flags else ''}"


def _say_risk(reading: Reading, move: Move) -> str:
    if np.isnan(move.p_mine):
        return "its risk not known"
    risk = marks.format_risk(move.p_mine, is_estimate=_is_estimate(reading, move))
    return f"risk {risk}%"


def _mark(reading: Reading, move: Move) -> Mark:
    mark = marks.risk_mark(move.p_mine, is_estimate=_is_estimate(reading, move)) if move.is_guess else marks.SAFE
    return marks.flagged(mark) if reading.board[move.cell] == FLAG else mark


def _is_estimate(reading: Reading, move: Move) -> bool:
    return bool(analyse(reading.board).is_estimate[move.cell])


def _blank(grid: Grid) -> Annotated:
    """A board of which nothing is seen, with a caption of as many lines as any."""
    seen = grid.region
    frame = Frame(np.full((seen.height, seen.width, 3), ink.PAPER, dtype=np.uint8), seen.left, seen.top)
    return Annotated(frame, grid, ("decision", "opens"), {})
