"""From pictures of a clone to a skin: the whole way, one named step after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import UsageError
from calibration.appearances import group
from calibration.errors import CalibrationError, NoLatticeError
from calibration.grids import aligned, find_cuts
from calibration.labels import are_agreed, label
from calibration.profile import check_reads, make_skin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Frame
    from calibration.appearances import Appearances
    from calibration.grids import Cut
    from calibration.labels import Labelling
    from skins.skin import Skin


@dataclass(frozen=True, eq=False)
class Learned:
    """What pictures of a clone taught.

    Attributes:
        skin: the look that was made of it.
        appearances: what its cells look like.
        labelling: what that means.
        is_verified: whether two games agree.
        share_read: the share of cells that the skin reads, of all that were shown.
    """

    skin: Skin
    appearances: Appearances
    labelling: Labelling
    is_verified: bool
    share_read: float


def cut_pictures(frames: Sequence[Frame], names: Sequence[str]) -> list[Cut]:
    """The largest board of every picture.

    Raises:
        NoLatticeError: a picture has none.
        CalibrationError: boards have cells of different sizes.
    """
    cuts = []
    for frame, name in zip(frames, names, strict=True):
        boards = find_cuts(frame)
        if not boards:
            raise NoLatticeError(f"{name}: nothing repeats there as the cells of a board do")
        cuts.append(boards[0])
    cuts = aligned(cuts)
    sizes = {cut.cells.shape[2:4] for cut in cuts}
    if len(sizes) > 1:
        told = ", ".join(
            f"{name}: {cut.cells.shape[3]} x {cut.cells.shape[2]} px" for name, cut in zip(names, cuts, strict=True)
        )
        raise CalibrationError(f"expected cells of one size on all pictures, got {told}")
    return cuts


def learn(name: str, cuts: Sequence[Cut], closed_cell: tuple[int, int] | None = None) -> Learned:
    """Make a skin of boards of one clone.

    Args:
        name: what the skin is called.
        cuts: the boards, cut into cells.
        closed_cell: (row, col) of a cell of the first board that is closed, None where that is to be found out.

    Raises:
        UsageError: the board has no such cell.
        CalibrationError: too little is known for a skin, the boards are no Minesweeper, or the skin does not read them.
    """
    appearances = group([cut.cells for cut in cuts])
    closed = frozenset[int]()
    if closed_cell is not None:
        board = appearances.boards[0]
        if not all(0 <= index < side for index, side in zip(closed_cell, board.shape, strict=True)):
            raise UsageError(f"expected a cell of a {board.shape[0]}x{board.shape[1]} board, got {closed_cell}")
        closed = frozenset({int(board[closed_cell])})
    labelling = label(appearances, closed)
    skin = make_skin(name, f"{name}, learned from pictures", appearances, labelling)
    used = [cuts[number] for number in labelling.used]
    share = check_reads(skin, used, [appearances.boards[number] for number in labelling.used], labelling)
    return Learned(skin, appearances, labelling, are_agreed(appearances, labelling), share)
