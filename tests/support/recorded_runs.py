"""Runs of calibration on recordings of real clones: a fresh and a played board are learned from, any other is read.

A recording is a picture with a text of the same name beside it that says what each cell is: `NAME-fresh.png`,
`NAME-mid.png`, `NAME-won.png` and so on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from bot.images import load_frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from calibration.learning import learn
from solver.board import format_board

SIGNS = {"closed": "#", "flag": "F", "mine": "*", "exploded": "X", "wrong_flag": "x"}
UNREAD = "!"


@dataclass(frozen=True)
class Recorded:
    """What came of one skin.

    Attributes:
        name: of the skin.
        n_wrong: how many labels are wrong.
        labelled: what is known of each appearance seen, by signs of a board's text: one, or several that it may be.
        missing: signs on the pictures that no label and no set has.
        read: for each recording that was not learned from, by its name: how many cells it has, how many are read as
            what they are, how many are unknown and may be so since nothing proven looks like them.
    """

    name: str
    n_wrong: int
    labelled: tuple[str, ...]
    missing: str
    read: dict[str, tuple[int, int, int]]

    @property
    def is_exact(self) -> bool:
        """Whether every label is right, and every cell read as what it is where that was learned."""
        return not self.n_wrong and all(n == n_right + n_unknown for n, n_right, n_unknown in self.read.values())


def skins_in(folder):
    """The names of skins of which a fresh and a played board were recorded."""
    names = sorted(path.name.removesuffix("-mid.png") for path in folder.glob("*-mid.png"))
    return [name for name in names if (folder / f"{name}-fresh.png").exists()]


def recorded(folder, name):
    """Learn a skin of two recordings and read all others of it."""
    paths = [folder / f"{name}-{state}.png" for state in ("fresh", "mid")]
    learned = learn("recorded", [load_frame(path) for path in paths], [path.name for path in paths])
    meant = [Counter() for _ in learned.labelling.labels]
    for path, board in zip(paths, learned.appearances.boards, strict=True):
        for number, sign in zip(board.ravel().tolist(), truth_of(path).ravel().tolist(), strict=True):
            meant[number][sign] += 1
    of_skin = set(folder.glob(f"{name}-*.png")) - set(paths)
    known = [{SIGNS.get(label, label) for label in labels} for labels in learned.labelling.labels]
    n_wrong = sum(not set(signs) <= labels for signs, labels in zip(meant, known, strict=True))
    proven = {min(labels) for labels in known if len(labels) == 1}
    seen = set().union(*meant)
    return Recorded(
        name=name,
        n_wrong=n_wrong,
        labelled=tuple(sorted("".join(sorted(labels)) for labels in known)),
        missing="".join(sorted(seen - set().union(*known))),
        read={path.name: _read(path, learned.skin, proven) for path in sorted(of_skin)},
    )


def _read(path, skin, proven):
    frame, truth = load_frame(path), truth_of(path)
    (board,) = find_boards(frame, [skin])
    read = cells_of(format_board(read_board(frame, board.grid, skin).board))
    is_right = read == truth
    is_unknown = ~is_right & (read == UNREAD) & ~np.isin(truth, sorted(proven))
    return truth.size, int(is_right.sum()), int(is_unknown.sum())


def truth_of(path):
    """The signs of a recorded board, one a cell."""
    return cells_of(path.with_suffix(".txt").read_text(encoding="utf-8"))


def cells_of(text):
    """The signs of a board's text, one a cell: str, rows x cols."""
    return np.array([list(line) for line in text.splitlines() if line and not line.startswith(";")])
