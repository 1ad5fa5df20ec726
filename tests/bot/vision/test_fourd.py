"""4D Minesweeper: found, read, advised on and played. MINEBOT_4D_BOARDS says how many boards are read."""

from __future__ import annotations

import io
import json
import os
import random

import cv2
import fourd
import numpy as np
import pytest
import rendered
from amounts import count
from player_table import Witness

from bot.cli import main
from bot.desktop import Desktop
from bot.images import save_png
from bot.models import Frame, Grid
from bot.playing.board_view import BoardSearch
from bot.playing.control import Control
from bot.playing.player import Player
from bot.reporting.recording import Journal, replay
from bot.vision.finding import find_boards, locate_board
from bot.vision.reading import read_board
from bot.vision.tinted import _fit_lines
from skins import load_shipped_skin, load_shipped_skins
from solver import board as codes
from solver.board import GameState, parse_board

SKINS = load_shipped_skins()
SKIN = load_shipped_skin("4d")
N_BOARDS = count("MINEBOT_4D_BOARDS", gate=20, full=190)
JUDGED = {
    "fresh": {GameState.FRESH},
    "mid": {GameState.PLAYING, GameState.FRESH},
    "lost": {GameState.LOST},
    "won": {GameState.WON},
}
SAMPLES = "MINEBOT_4D_SAMPLES"


def read_all(frame):
    return [read_board(frame, board.grid, board.skin) for board in find_boards(frame, SKINS)]


def wrong_cells(reading, truth):
    cells = reading.board.cells
    return np.argwhere((cells != truth) & (cells != codes.UNREADABLE)).tolist()


@pytest.mark.timeout(900 + 5 * N_BOARDS)
def test_boards_on_desktops_are_found_to_the_pixel_and_read_without_an_error():
    n_unknown = n_high = n_cells = 0
    for seed in range(N_BOARDS):
        state = fourd.STATES[seed % 4]
        shown = fourd.screen(seed, state, place=fourd.PLACES[seed % 7])
        (reading,) = read_all(shown.frame)
        truth = shown.position.cells
        assert reading.skin == "4d"
        assert reading.board.shape == truth.shape, seed
        regions = {cell: reading.grid.cell_region(cell) for cell in shown.corners}
        assert {cell: (region.left, region.top) for cell, region in regions.items()} == shown.corners, seed
        assert not wrong_cells(reading, truth), seed
        assert reading.unknown or reading.grid.clipped or reading.state in JUDGED[state], seed
        n_unknown += len(reading.unknown)
        n_high += int((truth > 11).sum())
        n_cells += truth.size
    assert n_high > n_cells / 50
    assert n_unknown < n_cells / 100


@pytest.mark.parametrize("shape", [(2, 2, 2, 2), (3, 3, 3, 3), (5, 5, 5, 5), (6, 6, 6, 6)])
def test_boards_with_other_equal_sides_are_read(shape):
    n_mines = shape[0] ** 4 // 6
    shown = fourd.screen(1, "mid", shape, n_mines=n_mines, size=(1920, 1200))
    (reading,) = read_all(shown.frame)
    assert reading.board.shape == shape
    assert not wrong_cells(reading, shown.position.cells)


def board_alone(shape, seed=5, *, block_gap=9, margin=60, background=(30, 30, 30)):
    """A board in the middle of a plain picture."""
    position = fourd.position(random.Random(seed), "mid", shape, n_mines=30)
    picture, _ = fourd.paint(position, None, 2, block_gap, background)
    pixels = cv2.copyMakeBorder(picture, *4 * (margin,), cv2.BORDER_CONSTANT, value=background)
    return position, pixels


def test_board_whose_sides_differ_is_read_where_nothing_lies_around_it():
    position, pixels = board_alone((3, 4, 4, 5))
    (reading,) = read_all(Frame(pixels))
    assert np.array_equal(reading.board.cells, position.cells)


@pytest.mark.parametrize("cover", ["edge", "window"])
def test_part_of_a_board_is_no_board(cover):
    _, pixels = board_alone((4, 4, 4, 4))
    pitch = 4 * 28 + 3 * 2 + 9
    right = 60 + 3 * pitch  # where the last blocks begin
    if cover == "edge":
        pixels = pixels[:, :right]
    else:
        pixels[:, right - 9 :] = 222
    assert read_all(Frame(np.ascontiguousarray(pixels))) == []


def test_block_of_zeros_on_their_own_colour_belongs_to_the_board():
    cells = np.full((4, 4, 4, 4), codes.CLOSED, dtype=np.int16)
    cells[:, 0, :, 0] = 0  # the leftmost column on the screen: white cells on a white window
    cells[:, 0, :, 1] = 1
    picture, _ = fourd.paint(fourd.Position(cells, cells < -9), None, 2, 9, (255, 255, 255))
    pixels = cv2.copyMakeBorder(picture, 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    (board,) = find_boards(Frame(pixels), SKINS)
    assert board.grid.shape == (4, 4, 4, 4)
    assert np.array_equal(read_board(Frame(pixels), board.grid, SKIN).board.cells, cells)


def test_two_boards_are_both_read():
    first, above = board_alone((3, 3, 3, 3), seed=1)
    second, below = board_alone((3, 3, 3, 3), seed=2)
    readings = read_all(Frame(np.concatenate([above, below])))
    assert [np.array_equal(r.board.cells, p.cells) for r, p in zip(readings, (first, second), strict=True)] == [
        True
    ] * 2


def every_cell():
    """A 4x4x4x4 board's codes with each number from 0 to 80 in turn, and all signs, many times over."""
    signs = [codes.CLOSED, codes.FLAG, codes.MINE, codes.EXPLODED, codes.WRONG_FLAG]
    values = [*range(81), *signs, *range(80, -1, -1), *signs]
    return np.array((values * 2)[:256], dtype=np.int16).reshape(4, 4, 4, 4)


@pytest.mark.parametrize("hovered", [None, (0, 0, 0, 0)])
def test_every_number_up_to_80_is_read_in_the_light_and_dimmed(hovered):
    truth = every_cell()
    picture, _ = fourd.paint(fourd.Position(truth, truth < -9), hovered, 3, 9, (40, 40, 40))
    (reading,) = read_all(Frame(np.pad(picture, ((30, 30), (30, 30), (0, 0)))))
    assert not wrong_cells(reading, truth)
    assert len(reading.unknown) <= 0.1 * truth.size
    # What is left out are digits nearly between two: the reader says which they may be.
    for cell in reading.unknown:
        assert str(truth[cell]) in reading.alternatives.get(cell, {str(truth[cell])})


@pytest.mark.parametrize(
    ("tint_of", "is_dimmed", "digits_of"), [(5, False, 6), (11, False, 12), (3, True, 4), (7, True, 9), (14, False, 20)]
)
def test_cell_whose_digits_and_tint_disagree_is_unreadable_or_what_its_digits_say(tint_of, is_dimmed, digits_of):
    position, pixels = board_alone((4, 4, 4, 4))
    ink = 1.0 - fourd._ink_of_number(digits_of)[:, :, None]
    tint = np.array(fourd.ground_bgr(tint_of, is_dimmed=is_dimmed))
    pixels[60:88, 60:88] = np.floor(ink * tint + 0.5).astype(np.uint8)
    (reading,) = read_all(Frame(pixels))
    shares_ground = tint_of in {14, 7}  # the last tints are within a screen's tolerance of the full colour
    assert reading.board[0, 0, 0, 0] == (digits_of if shares_ground else codes.UNREADABLE)
    assert wrong_cells(reading, position.cells) in ([], [[0, 0, 0, 0]])


@pytest.mark.parametrize("is_dimmed", [False, True])
def test_full_colour_without_digits_to_read_stays_a_set(is_dimmed):
    _, pixels = board_alone((4, 4, 4, 4))
    ink = (fourd._ink_of_number(33) + fourd._ink_of_number(38)) / 2
    ground = np.array(fourd.ground_bgr(33, is_dimmed=is_dimmed))
    pixels[60:88, 60:88] = np.floor((1.0 - ink[:, :, None]) * ground + 0.5).astype(np.uint8)
    (reading,) = read_all(Frame(pixels))
    assert reading.board[0, 0, 0, 0] == codes.UNREADABLE
    assert {"33", "38"} <= reading.alternatives[0, 0, 0, 0]


def test_cells_under_the_pointer_or_a_dialog_are_unreadable_and_the_others_right():
    shown = fourd.screen(6, "lost", place=(0.5, 0.5))
    pixels = shown.frame.pixels_bgr.copy()
    left, top = shown.corners[1, 1, 1, 1]
    pixels[top : top + 100, left : left + 160] = (240, 230, 220)
    left, top = shown.corners[3, 3, 0, 0]
    arrow = np.array([(left + 8, top + 6), (left + 8, top + 24), (left + 20, top + 18)])
    cv2.fillPoly(pixels, [arrow], (255, 255, 255))
    cv2.polylines(pixels, [arrow], isClosed=True, color=(0, 0, 0), thickness=2)
    (reading,) = read_all(Frame(pixels))
    assert not wrong_cells(reading, shown.position.cells)
    assert (3, 3, 0, 0) in reading.unknown
    assert 12 <= len(reading.unknown) <= 32


def test_desktops_without_a_board_show_none():
    for seed in range(12):
        assert find_boards(Frame(rendered.not_a_board(seed)), [SKIN]) == []


@pytest.mark.parametrize(
    ("places", "starts", "side"),
    [
        ([0, 30, 65, 95], (0, 30, 65, 95), 2),
        ([0, 30, 60, 90], (0, 30, 60, 90), None),
        ([0, 30, 60, 100, 160, 200, 230, 260], (0, 30, 60, 100, 130, 160, 200, 230, 260), 3),
        ([30, 60, 100, 130, 160], (0, 30, 60, 100, 130, 160), 3),
    ],
)
def test_fit_lines_finds_blocks_and_what_is_hidden(places, starts, side):
    lines = _fit_lines(places)
    assert (lines.starts, lines.side) == (starts, side)


@pytest.mark.parametrize("places", [[5], [0, 30, 67, 90], [0, 30, 65, 95, 133]])
def test_fit_lines_takes_no_lines_out_of_step(places):
    assert _fit_lines(places) is None


# --- commands


@pytest.fixture(name="picture")
def _picture(tmp_path):
    """A picture file of a position with few mines, and its truth."""
    position = fourd.position(random.Random(3), "mid", n_mines=12)
    pixels, _ = fourd.paint(position, (1, 1, 1, 1), 2, 12, (0, 0, 0))
    save_png(tmp_path / "4d.png", cv2.copyMakeBorder(pixels, *4 * (50,), cv2.BORDER_CONSTANT, value=(0, 0, 0)))
    return tmp_path / "4d.png", position


def test_read_prints_cells_with_all_indices(picture, capsys):
    path, position = picture
    pixels = cv2.imread(str(path))
    pixels[50:78, 50:78] = (120, 200, 40)
    save_png(path, pixels)
    assert main(["read", str(path), "--json"]) == 0
    (board,) = json.loads(capsys.readouterr().out)["boards"]
    assert (board["skin"], board["rows"], board["cols"], board["shape"]) == ("4d", 16, 16, [4, 4, 4, 4])
    assert board["unknown"] == [[0, 0, 0, 0]]
    assert (board["mines"], board["mines_from"]) == (None, None)
    read = parse_board("; shape: 4x4x4x4\n" + "\n".join(board["board"]))
    expected = position.cells.copy()
    expected[0, 0, 0, 0] = codes.UNREADABLE
    assert np.array_equal(read.cells, expected)


def test_read_prints_the_shape_as_text(picture, capsys):
    path, position = picture
    assert main(["read", str(path)]) == 0
    out = capsys.readouterr().out
    assert "; shape: 4x4x4x4\n" in out
    assert np.array_equal(parse_board(out).cells, position.cells)


def test_advise_names_a_safe_cell_by_all_indices_and_draws_it(picture, capsys, tmp_path):
    path, position = picture
    drawn = tmp_path / "out.png"
    assert main(["advise", str(path), "--mines", "12", "--json", "--why", "--picture", str(drawn)]) == 0
    advice = json.loads(capsys.readouterr().out)
    move = advice["move"]
    assert move["action"] == "open"
    assert len(move["cell"]) == 4
    assert move["p_mine"] == 0.0
    assert not position.has_mine[tuple(move["cell"])]
    assert not any(position.has_mine[tuple(cell)] for cell in advice["safe"])
    assert all(position.has_mine[tuple(cell)] for cell in advice["mines"])
    assert cv2.imread(str(drawn)) is not None


def test_read_picture_draws_a_mark_on_every_cell(picture, tmp_path, capsys):
    path, _ = picture
    drawn = tmp_path / "out.png"
    assert main(["read", str(path), "--picture", str(drawn)]) == 0
    capsys.readouterr()
    assert cv2.imread(str(drawn)).shape[0] > 16 * 28


# --- play


@pytest.mark.parametrize("seed", range(3))
def test_player_plays_a_game_of_four_dimensions_to_its_end(seed, tmp_path, monkeypatch, capsys):
    desktop = fourd.Desktop(seed, (3, 3, 3, 3), 8)
    control, witness = Control(running=True), Witness()
    search = BoardSearch(desktop, SKINS, control, mines=8)
    ports = Desktop(desktop, desktop, desktop, desktop)
    with Journal(tmp_path / "journal") as journal:
        player = Player(ports, search.first(), search, control, witness, recorder=journal, keep_picture=lambda _: "")
        (result,) = player.iter_games(1)
    assert result.result is (GameState.LOST if desktop.is_lost else GameState.WON)
    assert desktop.is_lost or desktop.is_won
    assert desktop.strays == []
    assert player.n_stray == 0
    assert result.n_clicks == len(desktop.opened)
    guesses = [guess.cell for guess in result.guesses]
    assert [cell for cell in desktop.opened if desktop.has_mine[cell]] == (guesses[-1:] if desktop.is_lost else [])
    steps = list(replay(tmp_path / "journal"))
    assert len(steps) == len(witness.decisions)
    assert [step.differences for step in steps] == [[]] * len(steps)
    if seed == 0:
        check_shown_step_by_step(tmp_path / "journal", len(steps), monkeypatch, capsys)


def check_shown_step_by_step(folder, n_steps, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * n_steps))
    assert main(["replay", str(folder), "--step"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("cell (x,y,z,w): row x,z, column y,w") == n_steps
    assert "0,0 @##  ###  ###" in lines


def test_click_on_every_cell_lands_in_it():
    desktop = fourd.Desktop(1, (4, 4, 4, 4), 20)
    grid: Grid = locate_board(desktop.grab(), SKINS).grid
    for cell, (left, top) in desktop.corners.items():
        middle = grid.cell_region(cell).middle
        assert (middle.x - left, middle.y - top) == (14, 14)


# --- the game's own cells


if SAMPLES in os.environ:  # they are not ours to keep here

    def test_every_recorded_cell_is_read_as_what_it_is():
        meanings = {"covered": codes.CLOSED, "explosion": codes.EXPLODED, "false": codes.WRONG_FLAG, "flag": codes.FLAG}
        names = sorted(fourd.samples())
        truth = [
            meanings.get(name.split("-")[0], codes.MINE) if not name[0].isdecimal() else int(name.split("-")[0])
            for name in names
        ]
        assert len(names) == 25
        position = fourd.Position(np.full((4, 4, 4, 4), codes.CLOSED, dtype=np.int16), None)
        picture, corners = fourd.paint(position, None, 2, 9, (0, 0, 0))
        expected = position.cells.copy()
        cells = random.Random(1).sample(sorted(corners), len(names))
        for cell, name, code in zip(cells, names, truth, strict=True):
            left, top = corners[cell]
            picture[top : top + 28, left : left + 28] = fourd.whole_cell(fourd.samples()[name])
            expected[cell] = code
        (reading,) = read_all(Frame(np.pad(picture, ((30, 30), (30, 30), (0, 0)))))
        assert np.array_equal(reading.board.cells, expected)
