"""What is believed of appearances where no two cells are quite equal, and what of exact ones."""

import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bot.images import load_frame
from calibration.appearances import Appearances
from calibration.errors import RulesError
from calibration.labels import LABELS, Labelling, _seen_labels, are_agreed, label
from skins.skin import CLOSED
from solver.board import format_board
from solver.game import Game
from solver.layout import FirstClick, Layout

PX = 12
INKS = [(220, 60, 0), (0, 120, 0), (0, 0, 220), (110, 0, 0)]
SIGNS = "#01234FQM"
INK_OF_SIGN = {"F": (0, 0, 220), "Q": (20, 20, 20), "M": (60, 60, 60)}
FRESH = ["#" * 9] * 9


def played(seed=3):
    """A game of 9 x 9 cells with 10 mines after its first click."""
    game = Game((9, 9), 10, seed=seed, first_click=FirstClick.ZERO)
    game.open((4, 4))
    return [line for line in format_board(game.board).splitlines() if not line.startswith(";")]


def picture(sign):
    """A cell's picture: a closed one has a rim, a digit so many dots of its colour, a mark or a mine its own block."""
    pixels = np.full((PX, PX, 3), 200, dtype=np.uint8)
    if sign in {"#", "F", "Q"}:
        pixels[:2], pixels[:, :2], pixels[-2:], pixels[:, -2:] = 255, 255, 90, 90
    if sign in INK_OF_SIGN:
        pixels[3:9, 3:9] = INK_OF_SIGN[sign]
    for dot in range(int(sign) if sign.isdecimal() else 0):
        pixels[3:9, 3 + 2 * dot : 4 + 2 * dot] = INKS[int(sign) - 1]
    return pixels


def appearances(*boards, slack=0.0, signs=SIGNS):
    numbers = tuple(np.array([[signs.index(sign) for sign in row] for row in rows], dtype=np.intp) for rows in boards)
    n = len(signs)
    apart = 255.0 * (1 - np.eye(n, dtype=np.float32))
    counts = np.bincount(np.concatenate([board.ravel() for board in numbers]), minlength=n)
    pixels = np.stack([picture(sign) for sign in signs])
    return Appearances(numbers, pixels, counts, apart, apart, apart > 0, slack)


def test_numbers_that_are_proven_are_believed_of_blurred_pictures_too():
    for slack in (0.0, 10.0):
        proven = label(appearances(FRESH, played(), slack=slack)).proven
        assert (proven[0], proven[1], proven[2], proven[3]) == (CLOSED, "0", "1", "2")


def test_blurred_pictures_without_proven_numbers_teach_nothing():
    few = ["#" * 9, "####1####", *["#" * 9] * 7]
    assert label(appearances(FRESH, few)).proven[0] == CLOSED
    with pytest.raises(RulesError, match="not scaled and not compressed"):
        label(appearances(FRESH, few, slack=10.0))


def test_appearances_that_only_a_left_out_board_shows_may_be_anything():
    boards = [np.array([[0, 1]]), np.array([[0, 2]])]
    seen = SimpleNamespace(boards=boards)
    labels = (frozenset({"closed"}), frozenset({"1"}), frozenset({"2"}))
    assert _seen_labels(seen, [0, 1], labels) == labels
    assert _seen_labels(seen, [0], labels) == (*labels[:2], LABELS)


def label_of(sign, *boards):
    return label(appearances(*boards)).labels[SIGNS.index(sign)]


def on_mines(rows, sign, n_most=99):
    """A played board with a sign on as many closed cells."""
    text = "\n".join(rows)
    return text.replace("#", sign, n_most).splitlines()


EITHER = frozenset({"flag", "question"})


def test_a_mark_on_a_board_without_open_cells_is_not_a_closed_cell():
    marked = ["F" + "#" * 8, *FRESH[1:]]
    assert label_of("F", marked, played()) == EITHER
    assert label_of("#", marked, played()) == {CLOSED}


def test_two_marks_stay_flag_or_question_mark():
    marked = on_mines(on_mines(played(), "F", 2), "Q", 2)
    assert label_of("F", FRESH, marked) == label_of("Q", FRESH, marked) == EITHER


def test_a_lost_board_that_shows_its_mines_tells_flags_from_question_marks():
    """A mine that is not shown there has a flag: one with a question mark is shown."""
    game = Game((9, 9), 10, seed=3, first_click=FirstClick.ZERO)
    game.open((4, 4))
    flagged, opened, *_ = sorted(game.layout.mine_cells)
    game.toggle_flag(flagged)
    game.open(opened)
    lost = [line for line in format_board(game.board).splitlines() if not line.startswith(";")]
    lost = "\n".join(lost).replace("*", "M").replace("X", "M").splitlines()
    assert label_of("M", FRESH, lost) == {"mine"}
    assert label_of("F", FRESH, lost) == {"flag"}


def opened(seed, cell):
    """A game of a layout with several openings: one of them is open."""
    layout = Layout.random((9, 9), 10, random.Random(seed), first_cell=(4, 4), first_click=FirstClick.ZERO)
    game = Game.on(layout)
    game.open(cell)
    return [line for line in format_board(game.board).splitlines() if not line.startswith(";")]


@pytest.mark.parametrize(("seed", "are_two"), [(20, False), (3, True)])
def test_games_agree_only_where_their_layouts_differ(seed, are_two):
    """Two openings of one layout share no number, as when a lost game is put back and played elsewhere."""
    seen = appearances(FRESH, opened(20, (0, 0)), opened(seed, (4, 4)))
    assert are_agreed(seen, label(seen)) is are_two


SCREENS = Path(__file__).parents[1] / "screens"
LOST = (
    "ccccccXb cVVVccXX cVBVVSLT VSVSSBCC BVcVBJHO VSVJSSXC dWDRDWYY dWWRWWdd",
    "cccVOVdd cccVZVdd cVVSVVXX VSBSOVXC SBJSBVXX SBJSVSXX RKDROREY WDRRDRYY",
    "cccVVVdd VVVVZVdd SBVVVVdd BJVcccXX BJVVccXC SFBSccXX DGDRdWYY DOWWdWEA",
)
"""Games of real GNOME Mines whose last rows and columns lie between pixels: each letter is a picture of a cell."""
PICTURES_OF = {
    "0": "cd", "1": "VWXY", "2": "RSTU", "3": "JKLP", "4": "FGH", "5": "I",
    "closed": "OQa", "mine": "BCDEZb", "flag": "N", "question": "M", "wrong_flag": "A",
}  # fmt: skip
NEAR = ("BCDE", "Zb", "FGH", "JKLP", "OQacd", "RSTU", "VWXY")
"""Pictures that hardly differ."""


def test_a_game_of_which_the_others_tell_little_does_not_deny_that_they_agree():
    means = {picture: label for label, pictures in PICTURES_OF.items() for picture in pictures}
    signs = sorted(means)
    kind = {picture: kind for kind in NEAR for picture in kind}
    different = np.array([[kind.get(one, one) != kind.get(other, other) for other in signs] for one in signs])
    pixels = np.stack(np.hsplit(load_frame(SCREENS / "cases" / "gnome-mines-pictures.png").pixels_bgr, len(signs)))
    seen = replace(appearances(*map(str.split, LOST), signs=signs), different=different, pixels_bgr=pixels)
    labels = tuple(frozenset({means[sign]}) for sign in signs)
    assert are_agreed(seen, Labelling(labels, (0, 1, 2)))
