"""From pictures of a clone to a skin: the whole way, one named step after the other."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.errors import UsageError
from calibration.appearances import STEPS, group
from calibration.errors import CalibrationError, NoLatticeError, RulesError
from calibration.grids import find_cuts, find_like
from calibration.labels import are_agreed, label
from calibration.profile import check_reads, make_skin
from calibration.tiled import joined_drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Frame
    from calibration.appearances import Appearances
    from calibration.grids import Cut
    from calibration.labels import Labelling
    from skins.skin import Skin


_MOST_TRIED = 6
"""Most places that are tried for a board."""
_MOST_LOOKS = 30
_MOST_SLACKS = 2
"""Most ways to sort looks that are tried: ever finer ones take ever longer, and prove ever less."""
_TELLING = 3
"""Fewest looks of a board that tell where its cells begin."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What pictures of a clone taught.

    Attributes:
        skin: the look that was made of it.
        cuts: the boards it was made of.
        appearances: what its cells look like.
        labelling: what that means.
        is_verified: whether two games agree.
        share_read: the share of cells that the skin reads, of all that were shown.
    """

    skin: Skin
    cuts: tuple[Cut, ...]
    appearances: Appearances
    labelling: Labelling
    is_verified: bool
    share_read: float


def _candidates(by_frame: Sequence[Sequence[Cut]]) -> list[tuple[int, Cut]]:
    """What may be a board, and on which of the pictures: telling ones first."""
    found = [(number, rank, cut) for number, cuts in enumerate(by_frame) for rank, cut in enumerate(cuts)]
    found.sort(key=lambda one: (one[2].n_looks < _TELLING, one[1], one[2].n_looks > _MOST_LOOKS))
    return [(number, cut) for number, _, cut in found[:_MOST_TRIED]]


def _with_others(frames: Sequence[Frame], names: Sequence[str], number: int, first: Cut) -> list[Cut]:
    """The board of one picture, and those of the same clone on all others, in their order.

    Raises:
        NoLatticeError: a picture has none.
    """
    cuts = []
    for other, frame in enumerate(frames):
        cut = first if other == number else find_like(frame, first)
        if cut is None:
            height, width = first.cells.shape[2:4]
            raise NoLatticeError(
                f"{names[other]}: no board there with cells as on {names[number]}, {width}x{height} px"
            )
        cuts.append(cut)
    return cuts


def learn(
    name: str, frames: Sequence[Frame], names: Sequence[str], closed_cell: tuple[int, int] | None = None
) -> Learned:
    """Make a skin of pictures of one clone.

    Args:
        name: what the skin is called.
        frames: the pictures.
        names: what they are called in messages.
        closed_cell: (row, col) of a cell of the first picture's board that is closed, None where that is to be found
            out.

    Raises:
        UsageError: the board has no such cell.
        NoLatticeError: a picture has no board.
        CalibrationError: too little is known for a skin, the boards are no Minesweeper, or the skin does not read them.
    """
    cuts, appearances, labelling = _labelled(frames, names, closed_cell)
    return _taught(name, cuts, appearances, labelling)


def _labelled(
    frames: Sequence[Frame], names: Sequence[str], closed_cell: tuple[int, int] | None = None
) -> tuple[list[Cut], Appearances, Labelling]:
    """The boards on pictures of one clone, what their cells look like, and what that means; as `learn` takes them.

    Raises:
        UsageError: the board has no such cell.
        NoLatticeError: a picture has no board.
        RulesError: the boards are no Minesweeper.
    """
    problem: CalibrationError | None = None
    by_frame = [find_cuts(frame) for frame in frames]
    if not any(by_frame):
        raise NoLatticeError(f"{', '.join(names)}: nothing repeats there as the cells of a board do")
    for number, first in _candidates(by_frame):
        try:
            cuts = _with_others(frames, names, number, first)
            return cuts, *_sorted_and_labelled(cuts, closed_cell)
        except (NoLatticeError, RulesError) as error:
            if problem is None or isinstance(error, RulesError):  # it came farther
                problem = error
    assert problem is not None, "there is at least one candidate"
    raise problem


def _sorted_and_labelled(cuts: Sequence[Cut], closed_cell: tuple[int, int] | None) -> tuple[Appearances, Labelling]:
    """The looks of boards and what they mean: sorted more finely where they fit no rules.

    Raises:
        RulesError: they fit none however finely they are sorted.
    """
    slacks: tuple[float, ...] = STEPS
    for n_tried in itertools.count(1):
        appearances = group([cut.cells for cut in cuts], slacks)
        finer = tuple(slack for slack in slacks if slack < appearances.slack)
        try:
            return appearances, label(appearances, _named(appearances, closed_cell))
        except RulesError:
            if not finer or n_tried >= _MOST_SLACKS:
                raise
            slacks = finer
    raise AssertionError("it is tried until something fits, or nothing is left to try")


def _named(appearances: Appearances, closed_cell: tuple[int, int] | None) -> frozenset[int]:
    """The appearance of a cell of the first board."""
    if closed_cell is None:
        return frozenset()
    board = appearances.boards[0]
    if not all(0 <= index < side for index, side in zip(closed_cell, board.shape, strict=True)):
        raise UsageError(f"expected a cell of a {board.shape[0]}x{board.shape[1]} board, got {closed_cell}")
    return frozenset({int(board[closed_cell])})


def _taught(name: str, cuts: Sequence[Cut], appearances: Appearances, labelling: Labelling) -> Learned:
    """Make a skin of what `_labelled` found.

    Raises:
        CalibrationError: too little is known for a skin, or the skin does not read the boards.
    """
    skin = make_skin(name, f"{name}, learned from pictures", appearances, labelling, drawing=joined_drawing(cuts))
    used = [cuts[number] for number in labelling.used]
    is_verified = are_agreed(appearances, labelling)
    skin = replace(skin, is_verified=is_verified)
    share = check_reads(skin, used, [appearances.boards[number] for number in labelling.used], labelling)
    return Learned(skin, tuple(cuts), appearances, labelling, is_verified, share)
