"""Where everything stands in the window, in pixels from its top left corner (below the menu). Pure arithmetic.

From top to bottom: a margin, the header (mine counter, face, timer), a gap, the board, a margin. The face stands
exactly where the skin says that a new game is started, seen from the board: the distance between header and board
follows from it. A board of four dimensions is a block of flat ones, with gaps between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models import Grid, Pixel, Region

if TYPE_CHECKING:
    from bot.game.sizes import BoardSize
    from skins.skin import Skin
    from solver.topology import Cell

MARGIN_PX = 12
HEADER_PX = 44
FACE_PX = 40
_COUNTER_PX = (56, 36)
_MIN_INNER_PX = 2 * _COUNTER_PX[0] + FACE_PX + 40
"""The header of a narrow board: two counters, the face and air between them."""
_DEFAULT_SPOT_PX = (0, -36)
_BLOCK_GAP_PX = 10
_MIN_GAP_PX = 6
ZOOMS = (1.0, 1.5, 2.0, 3.0)  # what everything may be multiplied by
_RULERS_PX = (26, 20)  # room for the numbers of rows, left of the board, and of columns, below it


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """The places of one window.

    Attributes:
        grid: the board; its origin is the top left pixel of its first cell.
        face: the new-game button.
        mine_counter: left in the header.
        timer: right in the header.
        width: of the whole inside of the window.
        height: of the whole inside of the window.
    """

    grid: Grid
    face: Region
    mine_counter: Region
    timer: Region
    width: int
    height: int

    def cell_at(self, pixel: Pixel) -> Cell | None:
        """The cell at a pixel, None off the board."""
        return self.grid.cell_at(pixel)


def plan_window(skin: Skin, size: BoardSize, zoom: float = 1.0, *, has_rulers: bool = False) -> WindowPlan:
    """Lay out the window of boards of one size, everything `zoom` times as large as it is drawn."""

    def scaled(length: float) -> int:
        return round(length * zoom)

    spot_x, spot_y = map(scaled, _spot(skin))
    pitch_x, pitch_y = cell_px(skin, zoom)
    x_edges, y_edges = _edges(size, (pitch_x, pitch_y), scaled(_BLOCK_GAP_PX))
    margin, face_px = scaled(MARGIN_PX), scaled(FACE_PX)
    rulers_width, rulers_height = map(scaled, _RULERS_PX) if has_rulers else (0, 0)
    left = margin + rulers_width
    inner = max(x_edges[-1], scaled(_MIN_INNER_PX))
    header_height = min(scaled(HEADER_PX), 2 * (-spot_y - scaled(_MIN_GAP_PX)))
    face_y = margin + header_height // 2
    origin = Pixel(left + (inner - x_edges[-1]) // 2, face_y - spot_y)
    face = Pixel(origin.x + x_edges[-1] // 2 + spot_x, face_y)
    counter_width, counter_height = map(scaled, _COUNTER_PX)
    counter_top = face_y - counter_height // 2
    return WindowPlan(
        grid=Grid(
            origin,
            (pitch_x, pitch_y),
            size.rows,
            size.cols,
            x_edges=tuple(origin.x + edge for edge in x_edges) if size.blocks else None,
            y_edges=tuple(origin.y + edge for edge in y_edges) if size.blocks else None,
            cell_px=(pitch_x, pitch_y) if size.blocks else None,
            blocks=size.blocks,
        ),
        face=Region(face.x - face_px // 2, face.y - face_px // 2, face_px, face_px),
        mine_counter=Region(left, counter_top, counter_width, counter_height),
        timer=Region(left + inner - counter_width, counter_top, counter_width, counter_height),
        width=left + inner + margin,
        height=origin.y + y_edges[-1] + rulers_height + margin,
    )


def fit_zoom(skin: Skin, size: BoardSize, room: tuple[int, int], scale: float, *, has_rulers: bool = False) -> float:
    """The largest of `ZOOMS` up to the desktop's scale at which a window has room; 1 where none has, and it scrolls.

    Args:
        skin: what the cells look like.
        size: of the board.
        room: (width, height) that the inside of the window may have, in pixels.
        scale: how much larger than usual the desktop draws, 1.0 at 100 %.
        has_rulers: whether rows and columns are numbered.
    """

    def fits(zoom: float) -> bool:
        plan = plan_window(skin, size, zoom, has_rulers=has_rulers)
        return plan.width <= room[0] and plan.height <= room[1]

    return max((zoom for zoom in ZOOMS if zoom <= scale and fits(zoom)), default=ZOOMS[0])


def cell_px(skin: Skin, zoom: float) -> tuple[int, int]:
    """(width, height) of a cell of a skin, `zoom` times as large."""
    width, height = skin.pitch_px
    return round(width * zoom), round(height * zoom)


def _edges(size: BoardSize, pitch: tuple[int, int], gap: int) -> tuple[list[int], list[int]]:
    """Where columns and rows begin, and the last one ends, seen from the board's corner."""
    _, _, block_rows, block_cols = (1, 1, *size.shape)[-4:]
    return (
        [k * pitch[0] + min(k, size.cols - 1) // block_cols * gap for k in range(size.cols + 1)],
        [k * pitch[1] + min(k, size.rows - 1) // block_rows * gap for k in range(size.rows + 1)],
    )


def _spot(skin: Skin) -> tuple[int, int]:
    """The face's place as the skin has it; this game's own where that is not above the board's middle.

    A skin drawn after another program may start its games elsewhere, or nowhere; this window still needs a face.
    """
    spot = skin.new_game.spot_px
    if spot is None or skin.new_game.spot_from != "top" or spot[0] != 0 or -spot[1] < FACE_PX // 2 + _MIN_GAP_PX:
        return _DEFAULT_SPOT_PX
    return spot
