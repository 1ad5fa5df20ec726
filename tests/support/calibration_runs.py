"""Runs of calibration on made-up screens: a clone on three of them, learned from the first ones, read on the last.

A variant says what became of the picture on its way: nothing, another scale (no whole pitch), a JPEG file.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np
from made_looks import MADE, paint_made
from painted import paint
from rendered import _paste, as_jpeg, desktop, enlarged, position

from bot.learning.label_solver import MARKS
from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.matching import code_of
from bot.vision.reading import read_board
from calibration.errors import CalibrationError, NoLatticeError, RulesError
from calibration.learning import _labelled_boards, _taught_skin
from skins import load_shipped_skin
from solver.board import UNREADABLE

LOOKS = (
    "classic",
    "winemine",
    "xdemineur",
    "checkered",
    "two_blues",
    "smooth",
    "one_ink",
    "dark",
    "stippled",
    "decorated",
)
VARIANTS = ("plain", "plain", "plain", "plain", "jpeg", "plain", "plain", "plain", "plain", "fraction")
"""One run after the other; what became of a picture is the rarer case, and takes longest."""
SAME = {"exploded": "mine"}
_BORDER_PX = 10
_SCALE = 1.3
_QUALITY = 90


@dataclass(frozen=True)
class Outcome:
    """What came of one run.

    Attributes:
        found: whether the lattice of every board was found.
        n_wrong: how many labels are wrong, by any of the pictures.
        shares: the share of cells labelled after one game and after two, 0 where nothing was. A mark is labelled where
            it may be a flag or a question mark.
        made: whether a skin was made of both.
        read: "exact" where it reads the third board with no cell wrong and none unknown but marks, "partly" where more
            are unknown, "wrong" where one is, "not found", or "no skin".
    """

    found: bool
    n_wrong: int
    shares: tuple[float, float]
    made: bool
    read: str


def shown(look, state, rng, variant="plain", level="intermediate"):
    """A screen with a clone's window on it, and the truth."""
    skin = load_shipped_skin("classic" if look in MADE else look)
    words = position(rng, level, state, skin)
    picture = paint_made(look, words) if look in MADE else paint(skin, words)
    picture = cv2.copyMakeBorder(picture, *[_BORDER_PX] * 4, cv2.BORDER_CONSTANT, value=(205, 203, 201))
    if variant == "fraction":
        picture = enlarged(picture, _SCALE, "linear")
    height, width = picture.shape[:2]
    pixels = desktop(rng, (width + 220, height + 200))
    _paste(pixels, picture, rng.randrange(220), rng.randrange(200))
    frame = Frame(pixels)
    return (as_jpeg(frame, _QUALITY) if variant == "jpeg" else frame), words


def wrong_labels(appearances, labelling, truths):
    """Appearances of which some cell is what their label, or the set of labels they may have, excludes."""
    meant = [Counter() for _ in labelling.labels]
    for board, words in zip(appearances.boards, truths, strict=True):
        assert board.shape == (len(words), len(words[0])), f"a board of {board.shape} cells"
        for cell, number in np.ndenumerate(board):
            word = words[cell[0]][cell[1]]
            meant[number][SAME.get(word, word)] += 1
    pairs = enumerate(zip(labelling.labels, meant, strict=True))
    return {number: (labels, meant[number]) for number, (labels, words) in pairs if not set(words) <= labels}


def share_labelled(appearances, labelling):
    """The share of cells whose appearance is proven, or proven to be a mark."""
    is_labelled = [len(labels) == 1 or labels == MARKS for labels in labelling.labels]
    return int(appearances.counts[is_labelled].sum()) / int(appearances.counts.sum())


def run(look, variant, seed):
    """One run: a fresh board and two games to learn from, a third to read; most runs are of small boards."""
    rng = random.Random(f"{look} {variant} {seed}")
    level = "intermediate" if seed % 15 == 7 else "beginner"
    shots = [shown(look, state, rng, variant, level) for state in ("fresh", "mid", "mid", "mid")]
    frames, truths = [frame for frame, _ in shots], [words for _, words in shots]
    shares, n_wrong, found, both = [], 0, True, None
    for n in (2, 3):
        try:
            _, appearances, labelling = both = _labelled_boards(frames[:n], ["a picture"] * n)
            n_wrong += len(wrong_labels(appearances, labelling, truths[:n]))
            shares.append(share_labelled(appearances, labelling))
        except NoLatticeError:
            found, both = False, None
            shares.append(0.0)
        except AssertionError:  # a board, but not all of it
            found, both = False, None
            shares.append(0.0)
        except RulesError:
            both = None
            shares.append(0.0)
    try:
        skin = _taught_skin("made", *both).skin if both is not None else None
    except CalibrationError:
        skin = None
    if skin is None:
        return Outcome(found, n_wrong, (shares[0], shares[1]), made=False, read="no skin")
    return Outcome(found, n_wrong, (shares[0], shares[1]), made=True, read=_read(skin, frames[3], truths[3]))


def _read(skin, frame, words):
    truth = np.array([[code_of(word) for word in row] for row in words], dtype=np.int16)
    boards = [board for board in find_boards(frame, [skin]) if (board.grid.rows, board.grid.cols) == truth.shape]
    if not boards:
        return "not found"
    cells = read_board(frame, boards[0].grid, skin).board.cells
    is_known = cells != UNREADABLE
    is_wrong = is_known & (cells != truth)
    return "wrong" if is_wrong.any() else "exact" if (is_known | np.isin(words, sorted(MARKS))).all() else "partly"
