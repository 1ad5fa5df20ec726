"""Where everything stands in the window, in pixels from its top left corner (below the menu). Pure arithmetic.

From top to bottom: a margin, the header (mine counter, face, timer), a gap, the board, a margin. The face stands
exactly where the skin says that a new game is started, seen from the board: the distance between header and board
follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models import Grid, Pixel, Region

if TYPE_CHECKING:
    from skins.skin import Skin
    from solver.game import Level
    from solver.topology import Cell

MARGIN_PX = 12
HEADER_PX = 44
FACE_PX = 40
COUNTER_PX = (56, 36)
MIN_INNER_PX = 2 * COUNTER_PX[0] + FACE_PX + 40
"""The header of a narrow board: two counters, the face and air between them."""
DEFAULT_SPOT_PX = (0, -36)
_MIN_GAP_PX = 6


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """The places of one window.

    Attributes:
        grid: the board; its origin is the top left pixel of cell (0, 0).
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


def plan_window(skin: Skin, level: Level) -> WindowPlan:
    """Lay out the window of one level."""
    spot_x, spot_y = _spot(skin)
    pitch_x, pitch_y = skin.pitch_px
    board_width = level.cols * pitch_x
    inner = max(board_width, MIN_INNER_PX)
    header_height = min(HEADER_PX, 2 * (-spot_y - _MIN_GAP_PX))
    face_y = MARGIN_PX + header_height // 2
    origin = Pixel(MARGIN_PX + (inner - board_width) // 2, face_y - spot_y)
    face = Pixel(origin.x + board_width // 2 + spot_x, face_y)
    counter_width, counter_height = COUNTER_PX
    counter_top = face_y - counter_height // 2
    return WindowPlan(
        grid=Grid(origin, skin.pitch_px, level.rows, level.cols),
        face=Region(face.x - FACE_PX // 2, face.y - FACE_PX // 2, FACE_PX, FACE_PX),
        mine_counter=Region(MARGIN_PX, counter_top, counter_width, counter_height),
        timer=Region(MARGIN_PX + inner - counter_width, counter_top, counter_width, counter_height),
        width=inner + 2 * MARGIN_PX,
        height=origin.y + level.rows * pitch_y + MARGIN_PX,
    )


def _spot(skin: Skin) -> tuple[int, int]:
    """The face's place as the skin has it; this game's own where that is not above the board's middle.

    A skin drawn after another program may start its games elsewhere, or nowhere; this window still needs a face.
    """
    spot = skin.new_game.spot_px
    if spot is None or spot[0] != 0 or -spot[1] < FACE_PX // 2 + _MIN_GAP_PX:
        return DEFAULT_SPOT_PX
    return spot
