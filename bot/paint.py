"""Boards painted in a skin, as its clone would show them: cells at their places, their border and the desk around.

Knows states, words as in `skins.skin`, and nothing of solver boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.blocks import Blocks
from bot.models import Frame, Grid, Pixel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from skins.skin import Border, Skin


_BLOCK_GAP = 0.36  # between blocks, as a share of a cell's side, and as much more between blocks of blocks


@dataclass(frozen=True, slots=True)
class Desk:
    """What lies around a board.

    Attributes:
        room_cells: how wide it is on every side, in cells.
        colour_bgr: of it; around tiles lies their window instead.
        between_bgr: the colour between cells and blocks, where that is another.
    """

    room_cells: int
    colour_bgr: tuple[int, int, int]
    between_bgr: tuple[int, int, int] | None = None


def paint_board(skin: Skin, words: NDArray[np.object_], desk: Desk) -> tuple[Frame, Grid]:
    """Paint a board, with its border where the skin has one and a desk around it.

    A board of two dimensions is painted without gaps, all others in blocks; so is every board of a skin that is drawn
    in blocks, with its gaps between cells besides.

    Args:
        skin: what to paint with.
        words: the state of every cell, in the board's shape.
        desk: what lies around.

    Returns:
        The picture, and where the board lies on it.

    Raises:
        SkinError: a state the skin has no sprite of.
    """
    width, height = skin.pitch_px
    origin = Pixel(desk.room_cells * width, desk.room_cells * height)
    grid = _grid(skin, words.shape, origin)
    region = grid.region
    colour = skin.drawing.around_bgr or desk.colour_bgr
    pixels = np.full((region.height + 2 * origin.y, region.width + 2 * origin.x, 3), colour, dtype=np.uint8)
    if skin.border is not None and grid.blocks is None:
        _paint_border(pixels, grid, skin.border)
    elif grid.blocks is not None and desk.between_bgr is not None:
        pixels[origin.y : -origin.y, origin.x : -origin.x] = desk.between_bgr
    by_state = skin.pictures(dict.fromkeys(words.ravel().tolist()))
    if skin.drawing.is_in_turn:
        in_turn = {word: [sprite.pixels_bgr for sprite in skin.sprites_of(word)[:2]] for word in by_state}
    for cell, word in np.ndenumerate(words):
        place = grid.cell_region(cell)
        sprite = in_turn[word][sum(cell) % 2] if skin.drawing.is_in_turn else by_state[word]
        pixels[place.top : place.top + height, place.left : place.left + width] = sprite
    return Frame(pixels), grid


def _grid(skin: Skin, shape: tuple[int, ...], origin: Pixel) -> Grid:
    if len(shape) == 2 and not skin.drawing.is_in_blocks:
        rows, cols = shape
        return Grid(origin, skin.pitch_px, rows, cols)
    blocks = Blocks(shape)
    gap = skin.drawing.cell_gap_px
    sizes = blocks.cols, blocks.rows
    x_edges, y_edges = (_edges(blocks, axis, origin[axis], skin.pitch_px[axis], gap, sizes[axis]) for axis in (0, 1))
    width, height = skin.pitch_px
    return Grid(
        origin,
        (width + gap, height + gap),
        blocks.rows,
        blocks.cols,
        x_edges=x_edges,
        y_edges=y_edges,
        cell_px=skin.pitch_px,
        blocks=blocks,
    )


def _edges(blocks: Blocks, axis: int, first_px: int, side_px: int, gap_px: int, n_lines: int) -> tuple[int, ...]:
    """Where columns (axis 0) or rows (axis 1) begin, and where the last one ends."""
    edges = [first_px]
    for line in range(1, n_lines):
        depth = blocks.depth(axis, line)
        edges.append(edges[-1] + side_px + (max(gap_px, round(_BLOCK_GAP * side_px * depth)) if depth else gap_px))
    return (*edges, edges[-1] + side_px)


def _paint_border(pixels_bgr: NDArray[np.uint8], grid: Grid, border: Border) -> None:
    board, depth = grid.region, border.depth_px
    left, top, right, bottom = board.left, board.top, board.right, board.bottom
    pixels_bgr[top - depth : bottom + depth, left - depth : left] = border.left_bgr[0]
    pixels_bgr[top - depth : bottom + depth, right : right + depth] = border.right_bgr[0]
    pixels_bgr[top - depth : top, left:right] = border.top_bgr[0]
    pixels_bgr[bottom : bottom + depth, left:right] = border.bottom_bgr[0]
