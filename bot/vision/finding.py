"""Finds boards on a frame: pixels in, grids out. What the cells say is for `reading`.

Every family of skins finds its own: at their clones' own sizes that takes a few milliseconds. Only where that finds
nothing, or where every scale is asked for, boards at other scales and in colours a little off are looked for. A further
way to draw is one more `_Family` here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import BoardNotFoundError
from bot.vision.alike import find_alike
from bot.vision.board_edge import complete_grid
from bot.vision.fields import find_fields
from bot.vision.gapped import find_gapped
from bot.vision.lattice import Faces, colour_mask, find_places, lattices_of
from bot.vision.mine_counter import is_usual
from bot.vision.other_colours import find_in_other_colours, say_shift
from bot.vision.own_size import find_checkered, find_exact, is_checkered
from bot.vision.reading import read_board
from bot.vision.rescaled import find_rescaled
from bot.vision.sites import MIN_SIDE
from bot.vision.tinted import find_tinted
from bot.vision.zoomed import find_zoomed
from skins.skin import Alike, Fields, OwnPixels, Sizes, Tiles, Tints
from solver.board import format_sides
from solver.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.models import FoundBoard, Frame, Grid, Region
    from bot.vision.other_colours import Restored
    from skins.skin import Skin


class ClippedBoardError(BoardNotFoundError):
    """There is a board, but it goes on where it cannot be seen."""


@dataclass(frozen=True)
class _Family:
    """One way to draw.

    Attributes:
        has: whether a skin is drawn in this way; it is in exactly one.
        find: the boards of such skins on a frame, outside of the regions where every cell is explained already.
        find_rescaled: the same boards at other scales and in colours a little off; None where `find` does that too.
    """

    has: Callable[[Skin], bool]
    find: Callable[[Frame, Sequence[Skin], Sequence[Region]], list[FoundBoard]]
    find_rescaled: Callable[[Frame, Sequence[Skin], Sequence[Region]], list[FoundBoard]] | None = None


def _is_drawn(skin: Skin) -> bool:
    return isinstance(skin.drawing, (OwnPixels, Sizes))


_FAMILIES = (
    _Family(  # cells with lines or bevels
        has=lambda skin: _is_drawn(skin) and not is_checkered(skin),
        find=lambda frame, skins, _: find_exact(frame, [skin for skin in skins if not skin.is_blurred]),
        find_rescaled=find_rescaled,
    ),
    _Family(  # bare fields of two colours in turn
        has=lambda skin: _is_drawn(skin) and is_checkered(skin),
        find=lambda frame, skins, _: find_checkered(frame, skins),
    ),
    _Family(has=lambda skin: isinstance(skin.drawing, Alike), find=lambda frame, skins, _: find_alike(frame, skins)),
    _Family(has=lambda skin: isinstance(skin.drawing, Tiles), find=find_gapped),
    _Family(has=lambda skin: isinstance(skin.drawing, Fields), find=find_fields),
    _Family(has=lambda skin: isinstance(skin.drawing, Tints), find=lambda frame, skins, _: find_tinted(frame, skins)),
)
"""All families, in the order in which their boards are looked for."""


def check_whole(grid: Grid, frame: Frame) -> None:
    """Let a board pass that is seen whole.

    Raises:
        ClippedBoardError: it may go on past some sides; says which, and what to do.
    """
    if grid.clipped:
        what_to_do = (
            "move it or make it smaller"
            if _past_edges(grid, frame)
            else "show all of it, or say --whole if this is all"
        )
        raise ClippedBoardError(f"{say_clipped(grid, frame, 'screen')}: {what_to_do}")


def say_clipped(grid: Grid, frame: Frame, where: str) -> str:
    """Say past which edges of a screen or picture a board goes on, or where else it may."""
    past = format_sides(_past_edges(grid, frame)).split()
    if past:
        return f"the board goes on past the {' and '.join(past)} edge{'s' if len(past) > 1 else ''} of the {where}"
    names = " and ".join(format_sides(grid.clipped).split())
    return f"nothing shows that the board ends at its {names}: something may lie over the rest"


def _past_edges(grid: Grid, frame: Frame) -> frozenset[str]:
    """The sides at which a board may go on and less than one more cell has room on the frame."""
    width, height = grid.pitch_px
    board, whole = grid.region, frame.region
    room = {
        "left": (board.left - whole.left) / width,
        "top": (board.top - whole.top) / height,
        "right": (whole.right - board.right) / width,
        "bottom": (whole.bottom - board.bottom) / height,
    }
    return frozenset(side for side in grid.clipped if room[side] < 1)


def find_boards(
    frame: Frame, skins: Sequence[Skin], *, every_scale: bool = False, is_whole: bool = False, zooms: bool = True
) -> list[FoundBoard]:
    """Every board any of the skins sees on the frame, from top to bottom; of two in one place, the better known.

    Args:
        frame: the picture.
        skins: whose boards to search for.
        every_scale: search at all scales even where boards are found at their own size.
        is_whole: whether all of a board is seen, whatever lies beside it; else it may go on there (`Grid.clipped`).
        zooms: whether the board of a single skin is searched for at other zooms of its page (`zoomed`).
    """
    found: list[FoundBoard] = []
    of_family = {family: [skin for skin in skins if family.has(skin)] for family in _FAMILIES}
    for family, own in of_family.items():
        found += family.find(frame, own, _explained_by(found))
    if every_scale or not found:
        for family, own in of_family.items():
            if family.find_rescaled is not None:
                found += family.find_rescaled(frame, own, _explained_by(found))
    if zooms and not found and len(skins) == 1:
        found += find_zoomed(frame, skins[0])
    completed = [
        _completed(board, frame, is_whole=is_whole)
        for board in sorted(found, key=lambda board: -board.n_known - board.n_named)
    ]
    kept: list[FoundBoard] = []
    for board in completed:
        is_large = min(board.grid.rows, board.grid.cols) >= MIN_SIDE
        if is_large and not any(_same_place(board.grid, other.grid) for other in kept):
            kept.append(board)
    return sorted(kept, key=lambda board: (board.grid.origin.y, board.grid.origin.x))


def _explained_by(found: Sequence[FoundBoard]) -> list[Region]:
    """The regions of boards of which every cell is known: nothing lies over them, so that no other one is there."""
    return [board.grid.region for board in found if board.n_named == board.grid.rows * board.grid.cols]


def locate_board(
    frame: Frame,
    skins: Sequence[Skin],
    rank: Callable[[FoundBoard], tuple[bool, ...]] = lambda _: (),
    *,
    is_whole: bool = False,
) -> FoundBoard:
    """The board of the highest rank; among equals the one with the most recognised cells.

    Args:
        frame: where to look.
        skins: what a board may look like.
        rank: what makes a board the one that is meant, what counts most first.
        is_whole: whether all of a board is seen.

    Raises:
        BoardNotFoundError: there is none; the message says what was looked for and how near it came.
    """
    boards = find_boards(frame, skins, is_whole=is_whole)
    if not boards:
        raise BoardNotFoundError(explain_not_found(frame, skins))
    return max(boards, key=lambda board: (*rank(board), board.n_known))


def explain_not_found(frame: Frame, skins: Sequence[Skin], others: Sequence[Restored] | None = None) -> str:
    """Say in a line what was there instead of a board, and in another one what may help.

    Args:
        frame: the picture.
        skins: what was searched for.
        others: the boards on it in other colours than their skins', where these were searched for already.
    """
    height, width = frame.pixels_bgr.shape[:2]
    found = f"no board found on {width} x {height} pixels"
    learn = (
        "put the pointer on it, run minebot-calibrate --live --name NAME, and press F8: it learns the look by playing"
    )
    others = find_in_other_colours(frame, skins, partial(find_boards, zooms=False)) if others is None else others
    if others:
        can_be_read = "can read it" if others[0].is_known else "cannot read it exactly"
        return (
            f"{found} in a skin's own colours; there is {others[0].skin.name}'s look in other colours, "
            f"{say_shift(others[0].reading)}. 'minebot read' {can_be_read}\n"
            f"Turn off what changes the colours: a night light, dimming, a colour profile. Or {learn}"
        )
    found = f"{found}: {_nearest_miss(frame, skins)}"
    advice = "show the whole board, uncovered, at 100 to 300 % scale, or name another skin with --skin"
    places = find_places(frame)
    if not places:
        return f"{found}\n{advice.capitalize()}"
    near = places[0]
    left, top = (round(corner) + first for corner, first in zip(near.corner, (frame.left, frame.top), strict=True))
    pitch = " x ".join(sorted({f"{pitch:.4g}" for pitch in near.pitch_px}))
    return (
        f"{found}; no skin fits the {near.rows}x{near.cols} grid at {pitch} px, from ({left},{top}) on\n"
        f"If that is the board, {learn}. Else {advice}"
    )


def _nearest_miss(frame: Frame, skins: Sequence[Skin]) -> str:
    """Which skin came nearest to a board, in words."""
    faces = Faces(frame)
    n_in_line = [max((grid.rows * grid.cols for grid, _ in lattices_of(faces, skin)), default=0) for skin in skins]
    most = max(n_in_line, default=0)
    if len(skins) != 1 and most == 0:
        return f"nothing on it is like closed cells of {counted(len(skins), 'skin')}"
    skin = skins[n_in_line.index(most)]
    n_coloured = int(np.count_nonzero(colour_mask(frame.pixels_bgr, skin.closed_bgr, skin.tolerance.colour)))
    cells, pixels = counted(most, "cell"), counted(n_coloured, "pixel")
    width, height = skin.pitch_px
    return f"nearest came {skin.name} ({width} x {height} px cells), {cells} in line, {pixels} of its closed colour"


def _completed(board: FoundBoard, frame: Frame, *, is_whole: bool) -> FoundBoard:
    grid = complete_grid(board.grid, frame, board.skin, is_whole=is_whole)
    if grid.clipped and is_usual(frame, read_board(frame, grid, board.skin), board.skin):
        grid = replace(grid, clipped=frozenset())
    return replace(board, grid=grid)


def _same_place(a: Grid, b: Grid) -> bool:
    """Whether the boards share most of the smaller one's cells: one board seen twice, not two that touch."""
    return 2 * a.region.shared(b.region).n_pixels > min(a.region.n_pixels, b.region.n_pixels)
