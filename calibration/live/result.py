"""What games of an unknown clone taught, as a skin that reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.learning.label_solver import NUMBERS
from calibration.grids import Cut
from calibration.labels import Labelling, are_agreed
from calibration.learning import Learned
from calibration.live.evidence import prints_of
from calibration.profile import check_reads, make_skin
from calibration.tiled import find_tiled_cuts, joined_tiles
from skins.skin import EXPLODED, FLAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.learning.label_solver import Labels
    from calibration.live.evidence import Evidence
    from calibration.live.memory import Memory, Sight

    Pixels = NDArray[np.uint8]


_TELLING = 3
"""A game that ended before it showed so many numbers, the 0 among them, can agree or disagree with nothing."""


def learned(name: str, memory: Memory) -> Learned:
    """Make a skin of what was learned, and read the last sights of all games with it.

    Raises:
        CalibrationError: too little is known, or the skin does not read the boards.
    """
    evidence = memory.evidence
    appearances, labels = evidence.all_labelled()
    n_ended = len(evidence.ended)
    labelling = Labelling(labels, tuple(range(n_ended)), () if evidence.floods else ("a 0 opens its neighbours",))
    prints = prints_of(appearances.pixels_bgr)
    roles = {number: evidence.roles[value] for number, value in enumerate(prints) if value in evidence.roles}
    cuts = tuple(_cut(sight, board) for sight, board in zip(memory.sights, evidence.ended, strict=True))
    title, tiles = f"{name}, learned by playing", joined_tiles(cuts)
    skin = make_skin(name, title, appearances, labelling, roles, least_cells=1, tiles=tiles)
    skin = replace(skin, new_game=memory.new_game, has_question_marks=memory.has_question_marks)
    share = check_reads(skin, cuts, appearances.boards[:n_ended], labelling)
    telling = replace(
        labelling, used=tuple(n for n in range(n_ended) if _n_numbers(appearances.boards[n], labels) >= _TELLING)
    )
    is_verified = are_agreed(appearances, telling)
    return Learned(replace(skin, is_verified=is_verified), cuts, appearances, labelling, is_verified, share)


def _cut(sight: Sight, board: Pixels) -> Cut:
    """A sight as the rest of calibration knows boards, with the colours of its tiles where it has any."""
    frame, grid, cutter = sight
    own = Cut(frame, grid, board, len(set(prints_of(board))), 1.0, cutter)
    if cutter.cell_px is None or cutter.inset_px is None:
        return own
    found = [cut for cut in find_tiled_cuts(frame, cutter.cell_px) if cut.overlaps(own)]
    return replace(own, tiles=found[0].tiles) if found else own


def _n_numbers(board: NDArray[np.intp], labels: Sequence[Labels]) -> int:
    """How many different numbers are known on a board."""
    return len({labels[one] for one in np.unique(board).tolist() if len(labels[one]) == 1 and labels[one] <= NUMBERS})


def in_words(evidence: Evidence) -> str:
    """What is known so far."""
    if not evidence.ended:
        return "nothing is known yet"
    _, labels = evidence.all_labelled()
    numbers = sorted(min(one) for one in labels if len(one) == 1 and one <= NUMBERS)
    open_sets = sorted("/".join(sorted(one)) for one in labels if len(one) > 1)
    text = f"known: {', '.join(dict.fromkeys(numbers))}"
    text += "".join(f", {label}" for label in (FLAG, EXPLODED) if evidence.knows(label))
    missing = [digit for digit in "12345678" if digit not in numbers]
    text += f"; not yet: {', '.join(missing)}" if missing else ""
    return text + (f"; open: {', '.join(open_sets)}" if open_sets else "")


class Enough:
    """Says when games have taught enough; asked after each."""

    def __init__(self) -> None:
        self._seen: set[Labels] = set()

    def is_reached(self, evidence: Evidence, wanted: Sequence[str]) -> bool:
        """Whether all that was seen is known, the last game showed nothing new, and these were seen too.

        Args:
            evidence: what is known.
            wanted: labels and roles.
        """
        if not evidence.ended:
            return False
        _, labels = evidence.all_labelled()
        before, self._seen = self._seen, set(labels)
        if before != self._seen:
            return False
        return all(evidence.knows(one) for one in ("0", *wanted)) and all(len(one) == 1 for one in labels)
