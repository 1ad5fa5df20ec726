"""What games of an unknown clone taught, as a skin that reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibration.grids import Cut
from calibration.joint import NUMBERS
from calibration.labels import Labelling, are_agreed
from calibration.learning import Learned
from calibration.live.evidence import prints_of
from calibration.profile import check_reads, make_skin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from calibration.joint import Labels
    from calibration.live.camera import Camera
    from calibration.live.evidence import Evidence
    from skins.skin import NewGame


_TELLING = 3
"""A game that ended before it showed so many numbers, the 0 among them, can agree or disagree with nothing."""


def learned(
    name: str,
    evidence: Evidence,
    sights: Sequence[Frame],
    camera: Camera,
    new_game: NewGame,
    *,
    has_question_marks: bool | None = None,
) -> Learned:
    """Make a skin of what was learned, and read the last sights of all games with it.

    Args:
        name: what the skin is called.
        evidence: what was learned.
        sights: the pictures of the ended boards in `evidence`, in their order, with what is around them.
        camera: knows where the board is.
        new_game: how games are begun.
        has_question_marks: whether a second right click makes one.

    Raises:
        CalibrationError: too little is known, or the skin does not read the boards.
    """
    appearances, labels = evidence.all_labelled()
    n_ended = len(evidence.ended)
    labelling = Labelling(labels, tuple(range(n_ended)), () if evidence.floods else ("a 0 opens its neighbours",))
    prints = prints_of(appearances.pixels_bgr)
    roles = {number: evidence.roles[value] for number, value in enumerate(prints) if value in evidence.roles}
    skin = make_skin(name, f"{name}, learned by playing", appearances, labelling, roles, least_cells=1)
    skin = replace(skin, new_game=new_game, has_question_marks=has_question_marks)
    cuts = tuple(
        Cut(sight, camera.grid, board, len(set(prints_of(board))), 1.0)
        for sight, board in zip(sights, evidence.ended, strict=True)
    )
    share = check_reads(skin, cuts, appearances.boards[:n_ended], labelling)
    telling = replace(
        labelling, used=tuple(n for n in range(n_ended) if _n_numbers(appearances.boards[n], labels) >= _TELLING)
    )
    return Learned(skin, cuts, appearances, labelling, are_agreed(appearances, telling), share)


def _n_numbers(board: NDArray[np.intp], labels: Sequence[Labels]) -> int:
    """How many different numbers are known on a board."""
    return len({labels[one] for one in np.unique(board).tolist() if len(labels[one]) == 1 and labels[one] <= NUMBERS})
