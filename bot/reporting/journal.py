"""A recording of play: what was seen and what was decided, so that it can be gone through again.

A folder with `journal.jsonl`, one JSON object a line, and a PNG of the board (of nothing else on the screen) for every
decision:

    {"event": "board", "skin": ..., "rows": ..., "cols": ..., "pitch": [x, y], "offset": [x, y], "mines": ...,
     "style": {"flags": ..., "chords": ..., "flags_to_win": ..., "think_s": ...}, "learned": {fingerprint: state}}
                                                 a board was taken up; recordings without pitch: of the skin's own.
                                                 "learned" where looks were met that the skin does not have
                                                 With "edges", "cell" and "shape" where cells are not evenly spaced,
                                                 lie apart, or are of four dimensions
    {"event": "decision", "picture": "00001.png", "seconds": ..., "state": ..., "board": [rows of text], "moves": [...]}
                                                 seconds since the recording began; older recordings have none
    {"event": "result", ...}                                                   a game ended, as `--json` prints it

A process that is killed leaves whole entries: a picture gets its name when it is complete, then its line is written and
handed to the system at once. Only that last line may be cut off. `recording` reads all this.

Where the cells of a board lie, as JSON: from the board's own corner on, for pictures of the board alone.
"""

from __future__ import annotations

import json
import math
import time
from contextlib import suppress
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from bot.blocks import Blocks
from bot.errors import UsageError
from bot.images import save_png
from bot.models import Grid, Pixel
from bot.playing.decide import PLAIN
from solver.board import format_rows, known_risk
from solver.formats import MOST_CELLS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.models import Frame, Reading
    from bot.playing.decide import Style
    from bot.playing.results import GameResult
    from skins.skin import Skin
    from solver.board import Move


_MOST_OFFSET_PX = 0.5
_N_SIDES = 4


def grid_as_json(grid: Grid) -> dict[str, Any]:
    """A grid as the fields of a JSON object; what only few boards have is left out where it says nothing."""
    fields: dict[str, Any] = {
        "rows": grid.rows,
        "cols": grid.cols,
        "pitch": list(grid.pitch_px),
        "offset": list(grid.offset_px),
    }
    if grid.x_edges is not None and grid.y_edges is not None:
        fields["edges"] = [[edge - edges[0] for edge in edges] for edges in (grid.x_edges, grid.y_edges)]
    if grid.cell_px is not None:
        fields["cell"] = list(grid.cell_px)
    if grid.blocks is not None:
        fields["shape"] = list(grid.blocks.shape)
    return fields


def grid_of_json(fields: Mapping[str, Any], pitch_px: tuple[float, float]) -> Grid:
    """The grid that `grid_as_json` wrote, from pixel (0, 0) on; of this pitch where none is written.

    Raises:
        KeyError: there are no rows or columns.
        TypeError: a value is of another kind.
        ValueError: no grid is like that.
    """
    pitch_x, pitch_y = fields.get("pitch", pitch_px)
    offset_x, offset_y = fields.get("offset", (0.0, 0.0))
    if not (
        1 <= pitch_x < math.inf and 1 <= pitch_y < math.inf and max(abs(offset_x), abs(offset_y)) <= _MOST_OFFSET_PX
    ):
        raise ValueError(f"expected a pitch of 1 pixel or more and an offset of half a pixel, got {dict(fields)}")
    rows, cols = int(fields["rows"]), int(fields["cols"])
    if min(rows, cols) < 1 or rows * cols > MOST_CELLS:
        raise ValueError(f"expected rows and columns of at most {MOST_CELLS:,} cells, got {rows} x {cols}")
    x_edges, y_edges = (_edges(list(edges)) for edges in fields["edges"]) if "edges" in fields else (None, None)
    if x_edges is not None and y_edges is not None and (len(x_edges), len(y_edges)) != (cols + 1, rows + 1):
        raise ValueError(f"expected edges of {rows} x {cols} cells, got {len(y_edges) - 1} x {len(x_edges) - 1}")
    blocks = _blocks([int(side) for side in fields["shape"]], rows, cols) if "shape" in fields else None
    cell_px = None
    if "cell" in fields:
        width, height = (int(length) for length in fields["cell"])
        cell_px = width, height
    return Grid(
        Pixel(0, 0),
        (pitch_x, pitch_y),
        rows,
        cols,
        (offset_x, offset_y),
        x_edges,
        y_edges,
        cell_px=cell_px,
        blocks=blocks,
    )


def _edges(edges: Sequence[int]) -> tuple[int, ...]:
    whole = tuple(int(edge) for edge in edges)
    if whole[:1] != (0,) or any(after <= before for before, after in pairwise(whole)):
        raise ValueError(f"expected edges from 0 upwards, got {edges}")
    return whole


def _blocks(shape: Sequence[int], rows: int, cols: int) -> Blocks:
    if len(shape) != _N_SIDES or min(shape) < 1 or (shape[0] * shape[2], shape[1] * shape[3]) != (rows, cols):
        raise ValueError(f"expected four sides of {rows} x {cols} cells, got {shape}")
    return Blocks((shape[0], shape[1], shape[2], shape[3]))


LOG = "journal.jsonl"


class Journal:
    """Writes a recording.

    Args:
        folder: made if it is not there; must not hold a recording yet.

    Raises:
        UsageError: the folder cannot be written to, or holds a recording; every method may raise the former.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._n_pictures = 0
        self._began_at = time.monotonic()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failure(error) from error
        try:
            self._log = (folder / LOG).open("x", encoding="utf-8", newline="\n")
        except FileExistsError:  # also where somebody else begins to record there in this very moment
            raise UsageError(f"{folder}: holds a recording already; name another folder") from None
        except OSError as error:
            raise self._failure(error) from error

    def board(
        self, skin: Skin, grid: Grid, mines: int, style: Style = PLAIN, *, learned: Mapping[int, str] | None = None
    ) -> None:
        """Note that a board was taken up, or is played in another style, or with more looks known, from here on.

        Args:
            skin: what it looks like.
            grid: where it lies.
            mines: how many.
            style: how it is played.
            learned: the states of looks that were met in play, by their fingerprints.
        """
        entry = {"event": "board", "skin": skin.name, **grid_as_json(grid), "mines": mines, "style": asdict(style)}
        if learned:
            entry["learned"] = {f"{value:016x}": state for value, state in learned.items()}
        self._write(entry)

    def decision(self, frame: Frame, reading: Reading, moves: list[Move]) -> None:
        """Keep one picture of the board, what it was read as, and what was decided."""
        seconds = round(time.monotonic() - self._began_at, 3)
        self._n_pictures += 1
        picture = f"{self._n_pictures:05}.png"
        try:
            save_png(self.folder / picture, frame.pixels_bgr)
        except OSError as error:
            raise self._failure(error) from error
        self._write({"event": "decision", "picture": picture, "seconds": seconds, **decision_as_json(reading, moves)})

    def result(self, result: GameResult) -> None:
        """Note how a game ended."""
        self._write({"event": "result", **result.as_json()})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):  # every entry was flushed: only one that could not be written, and was told of, is left
            self._log.close()

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> UsageError:
        return UsageError(f"{self.folder}: cannot be written to ({error.strerror})")


def decision_as_json(reading: Reading, moves: list[Move]) -> dict[str, Any]:
    """What is kept of a decision beside its picture and its time."""
    return {
        "state": reading.state.value,
        "board": format_rows(reading.board.cells),
        "moves": [
            {"action": move.action.value, "cell": list(move.cell), "p_mine": _risk_as_json(move)} for move in moves
        ],
    }


def _risk_as_json(move: Move) -> float | None:
    """The risk of a move, None where it is not known: JSON has no NaN, and NaN is never equal to itself."""
    return known_risk(round(move.p_mine, 12))
