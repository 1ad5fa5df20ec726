"""What was learned of a clone so far, kept from one run to the next until there is a verified skin.

One file beside the user's own skins, `NAME.learning.npz`: the pictures of the boards as arrays, all else as JSON in
one more. It is written beside itself and then put in its place: a run that is killed leaves the one before.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.models import Frame, Grid, Pixel
from calibration.appearances import Codebook
from calibration.cells import Cutter
from calibration.errors import MemoryFileError, RulesError
from calibration.live.cut_board import Sight
from calibration.live.evidence import Evidence
from skins import user_skins_folder
from skins.errors import FileError
from skins.files import read_file
from skins.skin import NewGame

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]


_VERSION = 1
_MOST_BYTES = 2**28  # largest size of a file, and of what is in it, in bytes


@dataclass(slots=True)
class Memory:
    """What is known of one clone.

    Attributes:
        evidence: what is known of its appearances.
        sights: the pictures of the boards of `evidence.ended`, in their order.
        new_game: what is known of how games are begun.
        can_flag: whether a right click is known to set a flag.
        has_question_marks: whether a second one makes a question mark of it, None where that is not known.
    """

    evidence: Evidence = field(default_factory=Evidence)
    sights: list[Sight] = field(default_factory=list)
    new_game: NewGame = field(default_factory=NewGame)
    can_flag: bool = True
    has_question_marks: bool | None = None
    unfinished: Sight | None = None
    """The game in which learning was stopped, not yet held against the others: whoever stops does not wait."""

    def keep_sight(self, sight: Sight, *, shows_mines: bool, may_be_flagged: bool = False) -> None:
        """Keep the last sight of a game.

        Args:
            sight: it has no flags, unless a person sets them (`Evidence.has_marks`).
            shows_mines: whether it is over, and shows its mines where the clone shows them.
            may_be_flagged: whether the clone may have set flags by itself: the game is won.

        Raises:
            RulesError: no labelling fits it together with what is known; it is not kept.
            Aborted: the abort key was pressed meanwhile; the same.
        """
        self.sights.append(sight)
        try:
            self.evidence.end(sight.cells, shows_mines=shows_mines, may_be_flagged=may_be_flagged)
        except BaseException:
            self.sights = [other for other in self.sights if other is not sight]
            raise

    @property
    def is_empty(self) -> bool:
        """Whether no game has taught anything yet."""
        return not self.sights and self.unfinished is None

    @property
    def codebook(self) -> Codebook | None:
        """What makes its cells equal, where they are only alike; None where they are, or nothing was seen."""
        seen = self.sights[0] if self.sights else self.unfinished
        return None if seen is None else seen.cutter.codebook

    @property
    def cell_px(self) -> tuple[int, int] | None:
        """How wide and high a cell is, None where nothing was seen."""
        boards = [*self.evidence.ended, *self.evidence.shown]
        return (boards[0].shape[3], boards[0].shape[2]) if boards else None


def memory_path(name: str) -> Path:
    """Where what was learned of a clone is kept until its skin is verified."""
    return user_skins_folder() / f"{name}.learning.npz"


def save_memory(memory: Memory, path: Path) -> None:
    """Write a memory, replacing the one before at one stroke.

    Raises:
        MemoryFileError: it cannot be written.
    """
    evidence, codebook = memory.evidence, memory.codebook
    sights = [*memory.sights, *(() if memory.unfinished is None else (memory.unfinished,))]
    about = {
        "version": _VERSION,
        "evidence": evidence.as_plain(),
        "grids": [_plain_grid(sight) for sight in sights],
        "has_unfinished": memory.unfinished is not None,
        "has_marks": evidence.has_marks,
        "new_game": asdict(memory.new_game),
        "can_flag": memory.can_flag,
        "has_question_marks": memory.has_question_marks,
        "n_shown": len(evidence.shown),
    }
    arrays: dict[str, NDArray[Any]] = {"closed": evidence.closed_appearances}
    if codebook is not None:
        about["codebook"] = [codebook.slack, codebook.is_shifted]
        arrays["codebook"] = np.stack(codebook.appearances)
    arrays["about"] = np.array(json.dumps(about))
    arrays |= {f"shown{number}": board for number, board in enumerate(evidence.shown)}
    arrays |= {f"sight{number}": sight.frame.pixels_bgr for number, sight in enumerate(sights)}
    beside = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise MemoryFileError(f"{path}: cannot be written ({error.strerror})") from error


def load_memory(path: Path) -> Memory | None:
    """Read a memory; None where there is none.

    Raises:
        MemoryFileError: it cannot be read, or is no memory.
    """
    if not os.path.lexists(path):
        return None
    try:
        content = io.BytesIO(read_file(path, _MOST_BYTES))
        _check_sizes(content)
        content.seek(0)
        with np.load(content, allow_pickle=False) as arrays:
            return _memory_of(json.loads(str(arrays["about"])), arrays)
    except (
        FileError,
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RuntimeError,  # also of too deep JSON
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise MemoryFileError(
            f"{path}: what was learned before cannot be read ({error}); remove it, or begin anew with --force"
        ) from error


def _check_sizes(content: io.BytesIO) -> None:
    """Make sure that the arrays of an archive take no more room than there is, and than is in it.

    Raises:
        ValueError: one claims more, by its header, or all of them are too large.
    """
    with zipfile.ZipFile(content) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > _MOST_BYTES:
            raise ValueError(f"it holds more than {_MOST_BYTES:,} bytes")
        for member in members:
            with archive.open(member) as file:
                version = np.lib.format.read_magic(file)
                read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
                shape, _, dtype = read[version](file)
            if math.prod(shape) * dtype.itemsize > member.file_size:
                raise ValueError(f"{member.filename} claims the shape {shape}, and holds {member.file_size:,} bytes")


def _memory_of(about: dict[str, Any], arrays: Any) -> Memory:
    if about["version"] != _VERSION:
        raise ValueError(f"expected version {_VERSION}, got {about['version']!r}")
    codebook = None
    if "codebook" in about:
        slack, is_shifted = about["codebook"]
        codebook = Codebook(float(slack), is_shifted=bool(is_shifted), appearances=list(arrays["codebook"]))
    sights = [_sight_of(plain, arrays[f"sight{number}"], codebook) for number, plain in enumerate(about["grids"])]
    unfinished = sights.pop() if about.get("has_unfinished") else None
    shown = [arrays[f"shown{number}"] for number in range(about["n_shown"])]
    evidence = Evidence.of_plain(about["evidence"], arrays["closed"], [sight.cells for sight in sights], shown)
    evidence.comparer = None if codebook is None else codebook.comparer
    new_game = dict(about["new_game"])
    if new_game["spot_px"] is not None:
        new_game["spot_px"] = tuple(new_game["spot_px"])
    key = new_game.pop("dialog_key", None)  # in older files
    new_game["dialog_keys"] = tuple(new_game.get("dialog_keys", () if key is None else (key,)))
    memory = Memory(evidence, sights, NewGame(**new_game), about["can_flag"], about["has_question_marks"])
    if unfinished is not None:
        evidence.has_marks = bool(about["has_marks"])
        with contextlib.suppress(RulesError):  # it fits nothing that is known: it was half painted
            memory.keep_sight(unfinished, shows_mines=False)
        evidence.has_marks = False
    return memory


def _plain_grid(sight: Sight) -> dict[str, Any]:
    """Where the cells of a sight lie and how they are cut out, as JSON."""
    frame, grid, cutter = sight
    return {
        "frame": [frame.left, frame.top],
        "origin": list(grid.origin),
        "pitch": list(grid.pitch_px),
        "size": [grid.rows, grid.cols],
        "offset": list(grid.offset_px),
        "edges": [grid.x_edges and list(grid.x_edges), grid.y_edges and list(grid.y_edges)],
        "cutter": [cutter.cell_px, cutter.inset_px],
    }


def _sight_of(plain: dict[str, Any], pixels_bgr: Pixels, codebook: Codebook | None) -> Sight:
    if pixels_bgr.dtype != np.uint8 or pixels_bgr.ndim != 3 or pixels_bgr.shape[2] != 3:
        raise ValueError(f"expected a picture, got {pixels_bgr.dtype} of shape {pixels_bgr.shape}")
    (left, top), (width, height), (rows, cols) = plain["frame"], plain["pitch"], plain["size"]
    (dx, dy), (x_edges, y_edges) = plain["offset"], (one and tuple(one) for one in plain["edges"])
    cell_px, inset_px = (one and tuple(one) for one in plain["cutter"])
    return Sight(
        Frame(pixels_bgr, left, top),
        Grid(Pixel(*plain["origin"]), (width, height), rows, cols, (dx, dy), x_edges, y_edges),
        Cutter(cell_px, inset_px, codebook),
    )
