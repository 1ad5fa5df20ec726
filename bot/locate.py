"""Find boards on a frame by the colour of their closed cells.

Pixels in, grids out; what the cells say is the reader's business (`bot.read`). For one skin:

1. Anchors: a few pixels of the closed look (corners, edges, face) and of the open 0. Wherever they all have the
   right colour, within the skin's tolerance, a cell may start. One mask a colour and one AND an anchor: the cost
   is a few passes over the frame, whatever it shows.
2. Phase: cells of one board start at the same (x, y) modulo the pitch; the phases with the most anchored cells are
   kept.
3. Lattice: at such a phase, a site belongs to a board when the rim of its cell is pixel for pixel the rim of a look
   (whatever is drawn inside: a rim without a known inside is a cell the reader will call unreadable). Sites that
   touch make a component; its bounding box is a board. A dialog over part of the board does not matter as long as
   the box still reaches the board's four sides; where it does not, `bot.hidden` says how the board goes on. Where no
   rim is exact, as under a colour filter, anchors stand in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.errors import BoardNotFoundError
from bot.hidden import complete_grid
from bot.models import Grid, Pixel
from skins.fingerprint import fingerprint
from skins.skin import CLOSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Look, Skin

MIN_SIDE = 4
"""No board is narrower or lower than this many cells."""
MIN_KNOWN = 0.25
"""At least this share of the cells between a board's outermost ones must be recognised; others may be covered."""
MAX_PHASES = 4
"""How many lattice phases are followed up for each skin: more boards than this at once are not expected."""
MIN_ANCHORED = 3
"""A phase with fewer anchored cells is noise: a fresh or mid-game board has dozens."""


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board on a frame: its skin, its place, and how many of its cells were recognised at a glance."""

    skin: Skin
    grid: Grid
    n_known: int


@dataclass(frozen=True, eq=False)
class _Phase:
    """A lattice on the frame: its first site at (x, y), and which sites hold cells (bool, rows x cols)."""

    x: int
    y: int
    cells: NDArray[np.bool_]


class _Picture:
    """A frame's pixels with the masks of the colours asked for so far: skins share colours."""

    def __init__(self, pixels_bgr: NDArray[np.uint8]) -> None:
        self.pixels_bgr = pixels_bgr
        self._masks: dict[tuple[tuple[int, ...], int], NDArray[np.uint8]] = {}

    def mask(self, colour: tuple[int, ...], tolerance: int) -> NDArray[np.uint8]:
        """255 where every channel is within `tolerance` of `colour` (B, G, R), else 0: uint8, height x width."""
        key = (colour, tolerance)
        if key not in self._masks:
            low = np.clip(np.array(colour, dtype=np.int16) - tolerance, 0, 255)
            high = np.clip(np.array(colour, dtype=np.int16) + tolerance, 0, 255)
            self._masks[key] = np.asarray(cv2.inRange(self.pixels_bgr, low, high), dtype=np.uint8)
        return self._masks[key]


def find_boards(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board any of the skins sees on the frame, from top to bottom; of two in one place, the better known."""
    picture = _Picture(frame.pixels_bgr)
    found = [board for skin in skins for phase in _phases(picture, skin) for board in _boards_on(frame, skin, phase)]
    found.sort(key=lambda board: -board.n_known)
    kept: list[FoundBoard] = []
    for board in found:
        if not any(_same_place(board.grid, other.grid) for other in kept):
            kept.append(board)
    return sorted(kept, key=lambda board: (board.grid.origin.y, board.grid.origin.x))


def locate_board(frame: Frame, skins: Sequence[Skin]) -> FoundBoard:
    """The board with the most recognised cells.

    Raises:
        BoardNotFoundError: there is none; the message says what was looked for and how near it came.
    """
    boards = find_boards(frame, skins)
    if not boards:
        raise BoardNotFoundError(explain_not_found(frame, skins))
    return max(boards, key=lambda board: board.n_known)


def explain_not_found(frame: Frame, skins: Sequence[Skin]) -> str:
    """Say in words what was looked for, what was there instead, and what may help."""
    picture = _Picture(frame.pixels_bgr)
    height, width = frame.pixels_bgr.shape[:2]
    lines = [f"no board found on {width} x {height} pixels; looked for"]
    for skin in skins:
        n_coloured = int(np.count_nonzero(picture.mask(skin.closed_bgr, skin.tolerance.colour)))
        most = max((int(phase.cells.sum()) for phase in _phases(picture, skin)), default=0)
        pitch = f"{skin.pitch_px[0]} x {skin.pitch_px[1]} px cells"
        lines.append(f"  {skin.name} ({pitch}): {most} cells in line, {n_coloured} pixels of its closed colour")
    lines.append("Show the whole board, uncovered, at 100 % scale, or name another skin with --skin.")
    return "\n".join(lines)


def _phases(picture: _Picture, skin: Skin) -> list[_Phase]:
    """The lattices with the most cells, best first."""
    pixels = picture.pixels_bgr
    width, height = skin.pitch_px
    if pixels.shape[0] < height or pixels.shape[1] < width:
        return []
    starts = _cell_starts(picture, skin)
    y, x = np.nonzero(starts)
    cells_at = np.lib.stride_tricks.sliding_window_view(pixels, (height, width), axis=(0, 1)).transpose(0, 1, 3, 4, 2)
    exact = _has_known_rim(cells_at[y, x], skin)
    if exact.any():
        y, x = y[exact], x[exact]
    votes = np.bincount((y % height) * width + x % width, minlength=width * height)
    phases = []
    for phase in np.argsort(-votes, kind="stable")[:MAX_PHASES]:
        if votes[phase] < MIN_ANCHORED:
            break
        first_y, first_x = divmod(int(phase), width)
        sites = (slice(first_y, None, height), slice(first_x, None, width))
        cells = _has_known_rim(cells_at[sites], skin) if exact.any() else starts[sites].astype(bool)
        phases.append(_Phase(first_x, first_y, cells))
    return phases


def _cell_starts(picture: _Picture, skin: Skin) -> NDArray[np.uint8]:
    """Where a closed cell or an open 0 may start: uint8, 0 or 255, one entry for every place a whole cell fits."""
    anchored = [_anchored(picture, look, skin.tolerance.colour) for look in skin.looks_of(CLOSED) + skin.looks_of("0")]
    starts: NDArray[np.uint8] = np.bitwise_or.reduce(anchored)
    return starts


def _anchored(picture: _Picture, look: Look, tolerance: int) -> NDArray[np.uint8]:
    """Where a cell of this look may start: uint8 0 or 255, one entry for every place a whole cell fits."""
    height, width = look.pixels_bgr.shape[:2]
    rows, cols = picture.pixels_bgr.shape[0] - height + 1, picture.pixels_bgr.shape[1] - width + 1
    starts = np.full((rows, cols), 255, dtype=np.uint8)
    for y, x in _anchor_offsets(width, height):
        colour = tuple(int(channel) for channel in look.pixels_bgr[y, x])
        mask = picture.mask(colour, tolerance)
        cv2.bitwise_and(starts, mask[y : y + rows, x : x + cols], dst=starts)
    return starts


def _anchor_offsets(width: int, height: int) -> list[tuple[int, int]]:
    """(y, x) of the pixels compared: the corners, just inside them, the middle of each side, the middle."""
    right, bottom, mid_x, mid_y = width - 1, height - 1, width // 2, height // 2
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right)]
    inside = [(2, 2), (2, right - 2), (bottom - 2, 2), (bottom - 2, right - 2)]
    sides = [(0, mid_x), (mid_y, 0), (bottom, mid_x), (mid_y, right)]
    return [*corners, *sides, *inside, (mid_y, mid_x)]


def _has_known_rim(cells: NDArray[np.uint8], skin: Skin) -> NDArray[np.bool_]:
    """Whether a cell's outermost pixels are exactly those of some look: for ... x height x width x 3, bool of shape ...

    Rims of a single colour do not count: they could be anything.
    """
    known = _rim(np.stack([look.pixels_bgr for look in skin.looks]))
    telling = (known != known[:, :1]).any(axis=(1, 2))
    prints = fingerprint(_rim(cells.reshape(-1, *cells.shape[-3:])))
    return np.isin(prints, fingerprint(known[telling])).reshape(cells.shape[:-3])


def _rim(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The outermost pixels of each cell: uint8, N x pixels x 3."""
    return np.concatenate([cells[:, 0], cells[:, -1], cells[:, 1:-1, 0], cells[:, 1:-1, -1]], axis=1)


def _boards_on(frame: Frame, skin: Skin, phase: _Phase) -> list[FoundBoard]:
    n_components, _, stats, _ = cv2.connectedComponentsWithStats(phase.cells.astype(np.uint8), connectivity=8)
    boards = []
    for component in range(1, n_components):
        left, top, cols, rows, n_known = (int(value) for value in stats[component])
        if n_known < max(MIN_KNOWN * rows * cols, MIN_SIDE**2):
            continue
        width, height = skin.pitch_px
        origin = Pixel(frame.left + phase.x + left * width, frame.top + phase.y + top * height)
        grid = complete_grid(Grid(origin, skin.pitch_px, rows, cols), frame, skin)
        if min(grid.rows, grid.cols) >= MIN_SIDE:
            boards.append(FoundBoard(skin, grid, n_known))
    return boards


def cut_cells(board_bgr: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.uint8]:
    """Cut a picture of rows x cols cells into a stack: uint8, rows*cols x height x width x 3, row by row."""
    height, width = board_bgr.shape[0] // rows, board_bgr.shape[1] // cols
    grid = board_bgr.reshape(rows, height, cols, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(grid).reshape(rows * cols, height, width, 3)


def _same_place(a: Grid, b: Grid) -> bool:
    """Whether the boards share most of the smaller one's cells: one board seen twice, not two that touch."""
    one, two = a.region, b.region
    shared_x = min(one.left + one.width, two.left + two.width) - max(one.left, two.left)
    shared_y = min(one.top + one.height, two.top + two.height) - max(one.top, two.top)
    smaller = min(one.width * one.height, two.width * two.height)
    return shared_x > 0 and shared_y > 0 and 2 * shared_x * shared_y > smaller
