"""Boards on pictures that were scaled or compressed: where they lie exactly, and no label that is not so."""

import random
from dataclasses import replace

import cv2
import numpy as np
import pytest
from calibration_runs import shown, wrong_labels
from made_looks import paint_made
from rendered import enlarged, position

from bot.models import Frame, Grid
from bot.vision.matching import matcher_of
from calibration.appearances import group
from calibration.cells import Cut, Cutter
from calibration.grids import _evened_cut, find_cuts, find_like
from calibration.labels import Labelling
from calibration.learning import _labelled_boards, make_skin
from skins import load_shipped_skin
from solver.board import CLOSED, UNREADABLE


@pytest.mark.parametrize(
    ("look", "variant", "seed"),
    [
        ("dark", "fraction", 3),  # a question mark hardly darker than its cell
        ("checkered", "jpeg", 0),  # one at the edge of the board, where the rim of its cell is blurred
    ],
)
def test_what_blurs_is_no_proof(look, variant, seed):
    rng = random.Random(f"{look} {variant} {seed}")
    shots = [shown(look, state, rng, variant, "beginner") for state in ("fresh", "mid")]
    _, appearances, labelling = _labelled_boards([frame for frame, _ in shots], ["fresh", "mid"])
    assert appearances.slack > 0
    assert wrong_labels(appearances, labelling, [words for _, words in shots]) == {}
    n_proven = sum(int(appearances.counts[number]) for number in labelling.proven)
    assert n_proven > 0.9 * appearances.counts.sum()


@pytest.mark.parametrize("slack", [0.0, 2.0])
def test_a_mark_that_may_be_anything_is_not_taken_for_the_closed_cell_it_is_on(slack):
    cells = np.full((3, 16, 16, 3), 120, dtype=np.uint8)
    cells[:, :2], cells[:, :, :2], cells[1] = 220, 220, 200
    cells[2, 6:10, 6:10] = 160  # a faint mark, as near to the closed cell as a reader has to bear
    appearances = replace(group([cells[[0, 0, 1, 1, 2, 2]].reshape(2, 3, *cells.shape[1:])], (0.0,)), slack=slack)
    closed, zero, marked = (appearances.boards[0].ravel()[place] for place in (0, 2, 4))
    labels = [frozenset[str]()] * 3
    labels[closed], labels[zero] = frozenset({"closed"}), frozenset({"0"})
    labels[marked] = frozenset({"closed", "flag", "mine", "wrong_flag"})
    skin = make_skin("made", "made", appearances, Labelling(tuple(labels), (0,)))
    read = matcher_of(skin).name(cells).codes.tolist()
    assert read[:2] == [CLOSED, 0]
    assert read[2] == (UNREADABLE if slack else CLOSED)


def test_a_board_is_found_where_it_alone_is_not():
    rng = random.Random("classic fraction 0")
    frames = [shown("classic", state, rng, "fraction", "beginner")[0] for state in ("fresh", "mid")]
    known = find_cuts(frames[1])[0]
    assert (known.grid.rows, known.grid.cols) == (9, 9)
    like = find_like(frames[0], known)
    assert like is not None
    assert like.grid.corner == pytest.approx((201, 174), abs=0.6)
    assert (like.grid.rows, like.grid.cols) == (9, 9)


def test_a_fresh_board_is_found_by_any_look():
    rng = random.Random(6)
    skin = load_shipped_skin("classic")
    boards = [paint_made("decorated", position(rng, "beginner", state, skin)) for state in ("fresh", "mid")]
    fresh, mid = (Frame(cv2.copyMakeBorder(one, 8, 8, 8, 8, cv2.BORDER_CONSTANT)) for one in boards)
    like = find_like(fresh, find_cuts(mid)[0])
    assert like is not None
    assert (tuple(like.grid.origin), like.grid.rows, like.grid.cols) == ((8, 8), 9, 9)


def test_the_pitch_is_where_cells_that_look_the_same_are_equal():
    words = position(random.Random(1), "beginner", "mid", load_shipped_skin("classic"))
    picture = enlarged(paint_made("dark", words), 1.3, "linear")
    pitch = picture.shape[0] / 9
    assert pitch == pytest.approx(28.6, abs=0.1)
    frame = Frame(cv2.copyMakeBorder(picture, 40, 40, 40, 40, cv2.BORDER_REPLICATE))
    off = Grid.at((40.3, 40.2), (pitch - 0.07, pitch - 0.04), 9, 9)
    exact = _evened_cut(Cut.of(frame, off, Cutter((28, 28))))
    assert np.abs(np.subtract(exact.grid.pitch_px, pitch)).max() <= 0.02
