"""From recordings of real clones to a skin: no label is wrong, and the skin reads a recording it was not made of."""

from pathlib import Path

import numpy as np
import pytest

from bot.images import load_frame
from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from calibration.errors import CalibrationError, NoLatticeError, RulesError
from calibration.labels import Labelling
from calibration.learning import _on_other_grounds, learn, shown_levels
from skins.skin import Sprite
from solver.board import CLOSED, UNREADABLE, format_board

SCREENS = Path(__file__).parent.parent / "screens"


def learned(*names, name="mine", closed_cell=None):
    paths = [SCREENS / f"{one}.png" for one in names]
    return learn(name, [load_frame(path) for path in paths], [str(path) for path in paths], closed_cell)


def rows_of(text):
    return [line for line in text.splitlines() if line and not line.startswith(";")]


def truth(name):
    return rows_of((SCREENS / f"{name}.txt").read_text(encoding="utf-8"))


def signs(label):
    return {"closed": "#", "flag": "F", "mine": "*", "wrong_flag": "x"}.get(label, label)


@pytest.mark.parametrize("skin", ["winxp", "win98"])
def test_every_label_of_a_fresh_and_a_played_board_is_proven_and_true_but_that_of_a_mark(skin):
    result = learned(f"msx-skin-{skin}-fresh", f"msx-skin-{skin}-mid")
    drawn = np.array([list(row) for row in truth(f"msx-skin-{skin}-mid")])
    for number, labels in enumerate(result.labelling.labels):
        true = set(drawn[result.appearances.boards[1] == number])
        assert labels == {"flag", "question"} if true == {"F"} else {signs(label) for label in labels} == true
    assert result.share_read == 1.0 - (drawn == "F").sum() / 512


@pytest.mark.parametrize(("skin", "end"), [("winxp", "won"), ("win98", "lost")])
def test_the_skin_reads_a_recording_that_it_was_not_made_of(skin, end):
    made = learned(f"msx-skin-{skin}-fresh", f"msx-skin-{skin}-mid").skin
    frame = load_frame(SCREENS / f"msx-skin-{skin}-{end}.png")
    (board,) = find_boards(frame, [made])
    read = "".join(rows_of(format_board(read_board(frame, board.grid, made).board)))
    expected = "".join(truth(f"msx-skin-{skin}-{end}"))
    known = {"#", *"01234"}
    assert [sign if sign in known else "!" for sign in expected] == list(read)


def test_tiles_of_uneven_columns_are_learned_and_read_at_other_sizes():
    result = learned("clones/gnome-mines-expert-fresh", "clones/gnome-mines-expert-mid")
    drawn = np.array([list(row) for row in truth("clones/gnome-mines-expert-mid")])
    for number, label in result.labelling.proven.items():
        assert {signs(label)} == set(drawn[result.appearances.boards[1] == number]) | {signs(label)}
    assert {"closed", "0", "1", "2", "3"} <= set(result.labelling.proven.values())
    assert result.share_read >= 0.99
    for name in ("gnome-mines-54px", "gnome-mines-classic-74px", "gnome-mines-default-42px"):
        frame = load_frame(SCREENS / f"clones/{name}.png")
        (board,) = find_boards(frame, [result.skin])
        read = rows_of(format_board(read_board(frame, board.grid, result.skin).board))
        pairs = [pair for rows in zip(read, truth(f"clones/{name}"), strict=True) for pair in zip(*rows, strict=True)]
        assert sum(one == other for one, other in pairs) >= 0.9 * len(pairs)
        assert all(one in {other, "!"} for one, other in pairs)


def test_a_lost_board_with_other_grounds_is_left_out_and_never_the_fresh_one():
    result = learned(*(f"clones/gnome-mines-expert-{state}" for state in ("fresh", "mid", "lost")))
    assert result.labelling.used == (0, 1)


def test_mines_drawn_on_closed_cells_are_not_taken_for_flags():
    result = learned("clones/gnome-mines-expert-mid", "clones/gnome-mines-expert-lost")
    drawn = np.array([list(row) for row in truth("clones/gnome-mines-expert-lost")])
    of_mines = set(result.appearances.boards[1][drawn == "*"].tolist())
    assert {result.labelling.labels[number] for number in of_mines} == {frozenset({"flag", "question", "mine"})}


def test_question_marks_are_no_flags():
    result = learned("cases/question-marks-a", "cases/question-marks-b", closed_cell=(0, 0))
    board = result.appearances.boards[0]
    either = frozenset({"flag", "question"})
    assert result.labelling.labels[board[3, 4]] == result.labelling.labels[board[0, 15]] == either
    cut = result.cuts[0]
    cells = read_board(cut.frame, cut.grid, result.skin).board.cells
    assert cells[3, 4] == cells[0, 15] == UNREADABLE
    assert cells[0, 0] == CLOSED


def test_flags_on_all_mines_of_a_won_board_are_not_closed_cells():
    with pytest.raises(CalibrationError, match="not known how closed cells look"):
        learned("cases/won-with-flags")


def test_boards_are_cut_alike_however_ambiguous_one_is():
    cuts = learned("msx-skin-winxp-fresh", "msx-skin-winxp-mid").cuts
    assert {tuple(cut.grid.origin) for cut in cuts} == {(21, 102)}


def test_another_board_of_the_same_clone_verifies_the_skin():
    one_game = learned("msx-skin-winxp-fresh", "msx-skin-winxp-mid")
    two_games = learned("msx-skin-winxp-fresh", "msx-skin-winxp-mid", "msx-winxp-expert-mid")
    assert not one_game.is_verified
    assert two_games.is_verified


def test_a_picture_without_a_board_is_told_by_name():
    noise = Frame(np.random.default_rng(1).integers(0, 255, (200, 200, 3), dtype=np.uint8))
    with pytest.raises(NoLatticeError, match=r"noise\.png"):
        learn("mine", [noise], ["noise.png"])
    with pytest.raises(NoLatticeError, match=r"noise\.png"):
        learn("mine", [load_frame(SCREENS / "msx-skin-winxp-mid.png"), noise], ["mid.png", "noise.png"])


def test_boards_of_two_clones_are_told():
    frames = [load_frame(SCREENS / name) for name in ("msx-skin-winxp-mid.png", "clones/sgt-mines-expert-mid.png")]
    with pytest.raises(NoLatticeError, match="no board there with cells as on"):
        learn("mine", frames, ["one", "other"])


def test_a_board_of_other_rules_is_no_minesweeper():
    frames = [load_frame(SCREENS / f"msx-skin-winxp-{state}.png") for state in ("fresh", "mid")]
    pixels = frames[1].pixels_bgr
    board = pixels[102 : 102 + 256, 21 : 21 + 256].reshape(16, 16, 16, 16, 3).swapaxes(1, 2).reshape(256, 16, 16, 3)
    shuffled = board[np.random.default_rng(3).permutation(256)]
    pixels[102 : 102 + 256, 21 : 21 + 256] = shuffled.reshape(16, 16, 16, 16, 3).swapaxes(1, 2).reshape(256, 256, 3)
    with pytest.raises(RulesError, match="Minesweeper"):
        learn("mine", frames, ["fresh", "mid"])


def test_numbers_are_known_on_every_ground_on_which_an_open_cell_was_seen():
    """Of two numbers each on one shade, either is known on both; ink is ink on any ground."""
    light, dark, ink = (200, 210, 220), (180, 190, 200), (20, 30, 160)
    signs = {"1": np.s_[6:18, 10:13], "2": np.s_[10:13, 6:18]}

    def sprite(state, ground):
        pixels = np.full((24, 24, 3), ground, dtype=np.uint8)
        if state in signs:
            pixels[signs[state]] = ink
        return Sprite(state, pixels)

    seen = [sprite("0", light), sprite("0", dark), sprite("1", light), sprite("2", dark)]
    made = {one.state: one.pixels_bgr for one in _on_other_grounds(seen, 6.0)}
    assert set(made) == {"1", "2"}
    for state, ground in (("1", dark), ("2", light)):
        assert np.abs(made[state].astype(int) - sprite(state, ground).pixels_bgr).max() <= 1


@pytest.mark.parametrize(
    ("boards", "levels"),
    [
        (["**#1", "#*1*"], {(1, 4): 2}),
        (["**#1"], {}),  # one board may be half shown
        (["**#1", "***1"], {}),
        (["*##1", "#*#1"], {}),  # only what exploded
        (["**#1", "**#1"], {}),  # the same game twice
        (["**#1", "#**F"], {(1, 4): 2}),
        (["**F1", "F**1"], {}),
        (["**#1", "#**?"], {}),  # a cell that may be a mine, too
        (["**#1", "#*1*", "**#11"], {(1, 4): 2}),
    ],
)
def test_mine_count_is_what_boards_that_show_their_mines_agree_on(boards, levels):
    labels = {"*": ["mine"], "#": ["closed"], "1": ["1"], "F": ["flag"], "?": ["1", "mine"]}
    labelling = Labelling(tuple(map(frozenset, labels.values())), tuple(range(len(boards))), ())
    numbers = [np.array([["*#1F?".index(sign) for sign in board]]) for board in boards]
    assert shown_levels(numbers, labelling) == levels
