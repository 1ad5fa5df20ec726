"""`minebot render`: pictures against golden ones, and read back."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import sheet_maker

from bot.cli import main
from skins import load_shipped_skin, shipped_skin_names
from solver import format_board, parse_board

GOLDEN = Path(__file__).parents[2] / "golden" / "pictures"
LOST = GOLDEN / "lost.txt"
BOARD_OF = {
    "4d": GOLDEN / "lost-4d.txt",
    "google": GOLDEN / "lost-plain.txt",
    "sgt-mines": GOLDEN / "lost-sgt-mines.txt",
    "xbomb": GOLDEN / "lost-plain.txt",
}
"""Boards for skins of four dimensions, or without sprites of shown mines, of exploded ones or of wrong flags."""


@pytest.fixture(name="render")
def _render(tmp_path, capsys):
    """Return a function that renders a board and says what came of it: exit code, pixels, messages."""

    def render(board, *options):
        out = tmp_path / "board.png"
        out.unlink(missing_ok=True)
        code = main(["render", str(board), *map(str, options), "--out", str(out)])
        return code, cv2.imread(str(out)) if out.exists() else None, capsys.readouterr()

    return render


def read_back(picture, capsys, *options):
    """The board that the reader sees on a picture, with the skin's name."""
    assert main(["read", str(picture), "--json", *options]) == 0
    (board,) = json.loads(capsys.readouterr().out)["boards"]
    shape = "x".join(map(str, board["shape"]))
    return board["skin"], parse_board(f"; shape: {shape}\n" + "\n".join(board["board"])).cells


@pytest.mark.parametrize("name", shipped_skin_names())
def test_picture_in_every_skin_is_the_golden_one_and_is_read_back_as_the_board(name, render, capsys):
    source = BOARD_OF.get(name, LOST)
    code, pixels, _ = render(source, "--skin", name)
    assert code == 0
    assert np.array_equal(pixels, cv2.imread(str(GOLDEN / f"{name}.png")))
    skin, cells = read_back(GOLDEN / f"{name}.png", capsys)
    assert skin == name
    assert np.array_equal(cells, parse_board(source.read_text(encoding="utf-8")).cells)


@pytest.mark.parametrize("name", ["classic", "minebot", "winemine"])
def test_picture_twice_as_large_is_read_back_too(name, render, capsys, tmp_path):
    _, pixels, _ = render(LOST, "--skin", name, "--zoom", 2)
    assert np.array_equal(pixels[::2, ::2], cv2.imread(str(GOLDEN / f"{name}.png")))
    skin, cells = read_back(tmp_path / "board.png", capsys)
    assert skin == name
    assert np.array_equal(cells, parse_board(LOST.read_text(encoding="utf-8")).cells)


def test_picture_in_a_sheet_is_read_back_with_the_skin_made_of_that_sheet(render, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "skins"))
    sheet = tmp_path / "mine.png"
    cv2.imwrite(str(sheet), sheet_maker.sheet())
    assert render(LOST, "--sheet", sheet)[0] == 0
    assert main(["skins", "import-sheet", str(sheet), "--name", "mine"]) == 0
    capsys.readouterr()
    _, cells = read_back(tmp_path / "board.png", capsys, "--skin", "mine")
    assert np.array_equal(cells, parse_board(LOST.read_text(encoding="utf-8")).cells)


@pytest.mark.parametrize(
    ("shape", "size"), [("7", (1, 7)), ("3x5", (3, 5)), ("2x3x4", (3, 8)), ("2x3x4x5", (8, 15)), ("2x2x2x2x2", (4, 8))]
)
def test_boards_of_any_dimensions_lie_in_blocks(shape, size, render, tmp_path):
    n_cells = int(np.prod([int(side) for side in shape.split("x")]))
    source = tmp_path / "board.txt"
    width = int(shape.split("x")[-1])
    source.write_text(f"; shape: {shape}\n" + ("#" * width + "\n") * (n_cells // width), encoding="utf-8")
    code, pixels, _ = render(source, "--skin", "4d")
    assert code == 0
    is_closed = (pixels == load_shipped_skin("4d").closed_bgr).all(axis=2).astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(is_closed)
    cells = [box for box in boxes[1:].tolist() if box[2:] == [28, 28, 784]]
    assert len(cells) == n_cells
    assert (len({top for _, top, *_ in cells}), len({left for left, *_ in cells})) == size


def test_number_that_a_skin_has_no_sprite_of_is_written_in_its_cell(render, tmp_path):
    source = tmp_path / "board.txt"
    source.write_text("; shape: 3x3x3\n" + "# # #\n" * 4 + "# 17 #\n" + "# # #\n" * 4, encoding="utf-8")
    _, pixels, _ = render(source, "--skin", "minebot")
    source.write_text("; shape: 3x3x3\n" + "###\n" * 4 + "#0#\n" + "###\n" * 4, encoding="utf-8")
    _, bare, _ = render(source, "--skin", "minebot")
    differing = cv2.boundingRect((pixels != bare).any(axis=2).astype(np.uint8))
    middle = pixels.shape[1] // 2
    assert 8 <= differing[2] <= 24
    assert abs(2 * differing[0] + differing[2] - 2 * middle) <= 4


def test_rulers_and_marks_leave_the_other_cells_as_they_are_and_have_a_legend(render, tmp_path):
    source = tmp_path / "board.txt"
    source.write_text("1F1\n1+?\n!##\n", encoding="utf-8")
    _, plain, _ = render(LOST, "--skin", "classic")
    _, ruled, _ = render(LOST, "--skin", "classic", "--rulers")
    board = plain[16 : 16 + 9 * 16, 16 : 16 + 12 * 16]
    assert cv2.matchTemplate(ruled, board, cv2.TM_SQDIFF).min() == 0
    _, marked, _ = render(source, "--skin", "classic", "--hint", "2,2")
    source.write_text("1F1\n1#0\n###\n", encoding="utf-8")
    _, bare, _ = render(source, "--skin", "classic")
    assert marked.shape[0] > bare.shape[0] + 40
    place = cv2.minMaxLoc(cv2.matchTemplate(marked, bare[:32, :64], cv2.TM_SQDIFF))[2]
    there = marked[place[1] + 16 :, place[0] + 16 :][:48, :48]
    differs = (there != bare[16:64, 16:64]).any(axis=2)
    found = {(row, col) for row, col in np.ndindex(3, 3) if differs[16 * row :, 16 * col :][:16, :16].any()}
    assert found == {(1, 1), (1, 2), (2, 0), (2, 2)}


def test_board_comes_from_standard_input_and_json_says_what_was_written(render, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOST.read_bytes())))
    assert main(["render", "-", "--out", str(tmp_path / "x.png"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    height, width = cv2.imread(str(tmp_path / "x.png")).shape[:2]
    assert told == {
        "picture": str(tmp_path / "x.png"),
        "skin": "minebot",
        "shape": [9, 12],
        "size": [width, height],
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--skin", "nobody"], "expected one of the skins"),
        (["--sheet", str(LOST)], "expected a picture"),
        (["--hint", "0,0"], "a closed cell of the 9x12 board, got (0,0)"),
        (["--hint", "9,0"], "a closed cell of the 9x12 board, got (9,0)"),
        (["--hint", "x"], "--hint: expected a cell as R,C"),
        (["--zoom", "0"], "--zoom: expected a whole number from 1 to 16"),
        (["--skin", "sgt-mines"], "a look of state"),
        (["--sheet", str(GOLDEN / "classic.png")], "expected a sheet of 144 x 122 pixels"),
    ],
)
def test_what_cannot_be_rendered_is_told(options, message, render):
    code, pixels, said = render(LOST, *options)
    assert (code, pixels) == (2, None)
    assert message in said.err


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ("1000", [], "at most 12,000 pixels a side, and 40,000,000 in all, to paint a picture of it, got 28,000 x 28"),
        ("300x300", [], "to paint a picture of it, got 8,400 x 8,400"),
        ("2x400", ["--zoom", "2"], "expected a zoom of at most 1 for a board of 11"),
    ],
)
def test_picture_that_would_be_too_large_is_refused(shape, options, message, render, tmp_path):
    source = tmp_path / "board.txt"
    width = int(shape.split("x")[-1])
    rows = f"; shape: {shape}\n" + ("#" * width + "\n") * (int(shape.split("x")[0]) if "x" in shape else 1)
    source.write_text(rows, encoding="utf-8")
    code, pixels, said = render(source, "--skin", "4d", *options)
    assert (code, pixels) == (2, None)
    assert message in said.err


def test_golden_boards_show_every_number_and_sign():
    shown = set(parse_board(LOST.read_text(encoding="utf-8")).cells.ravel().tolist())
    assert shown == {*range(9), -1, -2, -4, -5, -6}
    assert max(parse_board(BOARD_OF["4d"].read_text(encoding="utf-8")).cells.ravel()) > 9
    assert format_board(parse_board(LOST.read_text(encoding="utf-8"))) == LOST.read_text(encoding="utf-8")
