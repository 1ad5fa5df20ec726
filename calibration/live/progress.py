"""What the games so far have taught: in words, whether it is enough, and the skin of it.

The skin reads the boards of all games that it was made of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.learning.label_solver import NUMBERS
from calibration.border import with_border
from calibration.cells import Cut
from calibration.errors import CalibrationError
from calibration.gapped import find_gapped_cuts
from calibration.labels import Labelling, are_agreed
from calibration.learning import Learned, make_skin, shown_levels, skin_that_reads
from calibration.live.evidence import prints_of
from calibration.live.restart import with_all_dialog_keys
from skins.skin import EXPLODED, FLAG, Alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.learning.label_solver import Labels
    from calibration.appearances import Appearances
    from calibration.live.cut_board import Sight
    from calibration.live.evidence import Evidence
    from calibration.live.memory import Memory
    from skins.skin import Drawing, Skin

    Pixels = NDArray[np.uint8]

_TELLING = 3  # fewest numbers, the 0 among them, of a game that can agree or disagree with others


def learned_skin(name: str, memory: Memory) -> Learned:
    """Make a skin of what was learned, and read the last sights of all games with it.

    Raises:
        CalibrationError: too little is known, the skin does not read the boards, or their cells are only alike and no
            two games agree.
    """
    evidence = memory.evidence
    appearances, labels = evidence.all_labelled()
    n_ended = len(evidence.ended)
    labelling = Labelling(labels, tuple(range(n_ended)), () if evidence.floods else ("a 0 opens its neighbours",))
    prints = prints_of(appearances.pixels_bgr)
    roles = {number: evidence.roles[value] for number, value in enumerate(prints) if value in evidence.roles}
    cuts = tuple(_cut_of(sight, board) for sight, board in zip(memory.sights, evidence.ended, strict=True))
    new_game = with_all_dialog_keys(memory.new_game)
    levels = shown_levels(appearances.boards[:n_ended], labelling)

    def make(drawn: Appearances, drawing: Drawing) -> Skin:
        skin = make_skin(name, f"{name}, learned by playing", drawn, labelling, roles, least_cells=1, drawing=drawing)
        skin = replace(skin, new_game=new_game, has_question_marks=memory.has_question_marks)
        return with_border(replace(skin, levels=levels, floods=evidence.floods), cuts)

    numbers = {number: label for number, label in labelling.proven.items() if label in NUMBERS}
    shown = [set(map(numbers.get, np.unique(board).tolist())) - {None} for board in appearances.boards[:n_ended]]
    telling = tuple(n for n, known in enumerate(shown) if len(known) >= _TELLING)
    is_verified = are_agreed(appearances, replace(labelling, used=telling))
    skin, share = skin_that_reads(
        make, cuts, appearances.boards[:n_ended], appearances, labelling, is_verified=is_verified
    )
    if isinstance(skin.drawing, Alike) and not is_verified:
        raise CalibrationError(
            "its cells are alike and never equal: what they mean is kept in a skin only once two games agree"
        )
    return Learned(replace(skin, is_verified=is_verified), cuts, appearances, labelling, is_verified, share)


def _cut_of(sight: Sight, board: Pixels) -> Cut:
    """A sight as the rest of calibration knows boards, with the colours of its tiles where it has any."""
    frame, grid, cutter = sight
    own = Cut(frame, grid, board, len(set(prints_of(board))), 1.0, cutter)
    if cutter.codebook is not None:
        assert cutter.inset_px is not None, "the insides of cells have an edge around"
        return replace(own, drawing=Alike(grid.pitch_px, cutter.inset_px[0], cutter.codebook.slack))
    if cutter.cell_px is None or cutter.inset_px is None:
        return own
    found = [cut for cut in find_gapped_cuts(frame, cutter.cell_px) if cut.overlaps(own)]
    return replace(own, drawing=found[0].drawing) if found else own


def in_words(evidence: Evidence) -> str:
    """What is known so far."""
    if not evidence.ended:
        return "nothing is known yet"
    _, labels = evidence.all_labelled()
    numbers = sorted(min(one) for one in labels if len(one) == 1 and one <= NUMBERS)
    open_sets = sorted("/".join(sorted(one)) for one in labels if len(one) > 1)
    known = [*dict.fromkeys(numbers), *(label for label in (FLAG, EXPLODED) if evidence.knows(label))]
    text = f"known: {', '.join(known) or 'nothing'}"
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
