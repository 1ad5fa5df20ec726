"""`minebot skins`: lists, shows, checks and imports; what it writes, `read` uses."""

from __future__ import annotations

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
import sheet_maker
from same_skin import as_values

from bot.cli import main
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from bot.vision.skin_check import DESKTOP_BGR, _paint_window, check_skin
from skins import Sprite, load_shipped_skin, load_shipped_skins, load_skin, save_skin, shipped_skin_names
from skins.sprite_sheet import _skin_from_sheet
from solver.board import format_rows


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "own"))
    return tmp_path / "own"


@pytest.fixture
def sheet_file(tmp_path):
    path = tmp_path / "sheet.bmp"
    cv2.imwrite(str(path), mario_like())
    return path


def mario_like():
    """A sheet that is nobody's: the classic one in other colours."""
    sheet = sheet_maker.sheet()
    return np.where((sheet == sheet_maker.UNUSED).all(axis=2)[:, :, None], sheet, sheet[:, :, ::-1] // 2 + 60)


def as_json(capsys, *arguments):
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("skin", load_shipped_skins(), ids=lambda skin: skin.name)
def test_check_skin_passes_every_shipped_skin(skin):
    check = check_skin(skin)
    assert check.is_good
    if skin.name == "gnome-mines":  # a closed cell under the pointer is an open 0 of a lost game
        assert check.same == (("closed", "0"),)
    else:
        assert not check.is_too_near
        assert check.remarks() == []
    assert check.n_cells == 5 * (81 + 256 + (625 if skin.drawing.is_in_blocks else 480))


def test_check_skin_finds_a_sprite_that_says_something_else():
    skin = load_shipped_skin("classic")
    three, five = skin.sprites_of("3")[0], skin.sprites_of("5")[0]
    swapped = {three: Sprite("3", five.pixels_bgr), five: Sprite("5", three.pixels_bgr)}
    wrong = replace(skin, sprites=tuple(swapped.get(sprite, sprite) for sprite in skin.sprites))
    check = check_skin(wrong)  # the exact fingerprints still say what the sprites were
    assert not check.is_good
    assert set(check.wrong) == {"3 is read as 5", "5 is read as 3"}


def test_check_skin_reports_sprites_nearer_than_the_tolerance():
    skin = load_shipped_skin("classic")
    check = check_skin(replace(skin, tolerance=replace(skin.tolerance, accept=30.0)))
    assert check.is_too_near
    assert any("apart, where 30 is tolerated" in remark for remark in check.remarks())


def unseen_skin():
    """The classic skin with closed cells of the very colour of the desktop: nobody could find a fresh board."""
    skin = load_shipped_skin("classic")
    closed = skin.sprites_of("closed")[0]
    unseen = np.full_like(closed.pixels_bgr, 0) + np.array(DESKTOP_BGR, dtype=np.uint8)
    sprites = tuple(Sprite("closed", unseen) if sprite is closed else sprite for sprite in skin.sprites)
    return replace(skin, sprites=sprites, closed_bgr=DESKTOP_BGR, border=None, counter=None)


def test_check_skin_reports_boards_that_are_not_found():
    check = check_skin(unseen_skin())
    assert not check.is_good
    assert check.n_unfound >= 3
    assert f"{check.n_unfound} of 15 painted boards are not found" in check.remarks()


def test_check_skin_names_a_misread_counter():
    skin = load_shipped_skin("classic")
    zero, eight = (next(sprite for sprite in skin.counter.digits if sprite.state == digit) for digit in "08")
    digits = tuple(Sprite("0", eight.pixels_bgr) if sprite is zero else sprite for sprite in skin.counter.digits)
    check = check_skin(replace(skin, counter=replace(skin.counter, digits=digits)))
    assert any(what.startswith("a counter of 10 is read as") for what in check.wrong)


def test_check_skin_lets_states_drawn_alike_be_read_as_any_of_them():
    skin = _skin_from_sheet(sheet_maker.sheet(alike=("7", "8")), "x", "x")
    check = check_skin(skin)
    assert check.is_good
    assert "7 and 8 look the same: they cannot be told apart" in check.remarks()


@pytest.mark.parametrize(
    ("pair", "read"),
    [
        (("mine", "closed"), "#F#"),
        (("exploded", "closed"), "#F#"),
        (("flag", "closed"), "###"),
        (("0", "closed"), "!F!"),
        (("5", "closed"), "!F!"),
    ],
)
def test_import_sheet_keeps_what_a_sheet_can_tell_whose_closed_cells_look_like_others(own, tmp_path, pair, read):
    """What may be a closed cell or an open one is not known; of what is under a closed one nothing is told anyway."""
    path = tmp_path / "sheet.bmp"
    cv2.imwrite(str(path), sheet_maker.sheet(alike=pair))
    assert main(["skins", "import-sheet", str(path), "--name", "own"]) == 0
    skin = load_skin(own / "own")
    states = [["closed"] * 9 for _ in range(9)]
    states[4][3:6] = [pair[0], "flag", "closed"]
    states[0][0:2] = ["1", "2"]
    frame, grid = _paint_window(skin, states)
    assert [board.grid for board in find_boards(frame, [skin])] == [grid]
    reading = read_board(frame, grid, skin)
    rows = format_rows(reading.board.cells)
    assert rows[4][3:6] == read
    assert rows[0][:2] == "12"
    told = {(4, 3): frozenset(pair), (4, 5): frozenset(pair)} if "!" in read else {}
    assert {cell: reading.alternatives[cell] & {*pair} for cell in told} == told


def test_list_tells_name_source_pitch_and_states(own, capsys):
    save_skin(replace(load_shipped_skin("winemine"), name="mine"), own / "mine")
    save_skin(replace(load_shipped_skin("winemine"), name="broken"), own / "broken")
    (own / "broken" / "skin.toml").write_text("name =")
    code, printed = as_json(capsys, "skins", "list")
    assert code == 0
    assert [entry["name"] for entry in printed["skins"]] == [*shipped_skin_names(), "broken", "mine"]
    by_name = {entry["name"]: entry for entry in printed["skins"]}
    assert by_name["winemine"]["source"] == "shipped"
    assert by_name["mine"] == by_name["winemine"] | {"name": "mine", "source": str(own / "mine")}
    assert by_name["mine"]["pitch"] == [16, 16]
    assert {"0", "8", "closed", "flag"} <= set(by_name["mine"]["states"])
    assert by_name["broken"]["pitch"] is None
    assert "not TOML" in by_name["broken"]["trouble"]
    assert main(["skins", "list"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == len(shipped_skin_names()) + 1
    assert "skin broken cannot be used" in err


def test_show_prints_a_profile_in_words(own, capsys):
    assert main(["skins", "show", "winemine"]) == 0
    words = capsys.readouterr().out
    assert "mine counter: 3 digits of 11 x 21 pixels, on the right" in words
    assert "16 pixels above the middle of the board's top edge" in words
    assert "waits 1 s, closes dialogs with enter" in words
    assert main(["skins", "show", "gnome-mines"]) == 0
    assert "new game: the key ctrl+r" in capsys.readouterr().out
    assert as_json(capsys, "skins", "show", "sgt-mines")[1]["new_game"]["key"] == "n"
    code, printed = as_json(capsys, "skins", "show", "minebot")
    assert code == 0
    assert printed["chord"] == "left"
    assert printed["counter"] == "0123456789- "


def test_check_prints_the_verdict(own, capsys):
    code, printed = as_json(capsys, "skins", "check", "classic")
    assert (code, printed["good"], printed["wrong"], printed["too_near"]) == (0, True, [], False)
    assert main(["skins", "check", "classic"]) == 0
    assert "36.7 apart; 12 is tolerated" in capsys.readouterr().out
    save_skin(replace(unseen_skin(), name="unseen"), own / "unseen")
    code, printed = as_json(capsys, "skins", "check", "unseen")
    assert (code, printed["good"]) == (1, False)
    assert printed["unfound"] >= 3
    assert main(["skins", "check", "none"]) == 2


def test_import_sheet_writes_a_skin_that_read_uses(own, sheet_file, tmp_path, capsys):
    code, printed = as_json(capsys, "skins", "import-sheet", str(sheet_file), "--name", "other")
    assert code == 0
    assert printed["source"] == str(own / "other")
    assert printed["same"] == [["0", "pressed"]]
    assert printed["good"] is True
    skin = load_skin(own / "other")
    assert as_values(skin) == as_values(_skin_from_sheet(mario_like(), "other", "From the sprite sheet sheet.bmp"))
    states = [["closed"] * 12 for _ in range(10)]
    states[3][4:8] = ["flag", "3", "8", "question"]
    frame, grid = _paint_window(skin, states, shown=21)
    picture = tmp_path / "screen.png"
    cv2.imwrite(str(picture), frame.pixels_bgr)
    code, printed = as_json(capsys, "read", str(picture))
    (board,) = printed["boards"]
    assert (board["skin"], board["origin"]) == ("other", list(grid.origin))
    assert board["board"][3] == "####F38#####"
    assert (board["mines"], board["mines_from"]) == (22, "counter")


def test_import_sheet_never_replaces_a_skin_unasked(own, sheet_file, capsys):
    command = ["skins", "import-sheet", str(sheet_file), "--name", "other"]
    assert main(command) == 0
    before = (own / "other" / "skin.toml").stat().st_mtime_ns
    assert main(command) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert (own / "other" / "skin.toml").stat().st_mtime_ns == before
    assert main([*command, "--force"]) == 0
    assert (own / "other" / "skin.toml").stat().st_mtime_ns > before


@pytest.mark.parametrize(
    ("name", "words"),
    [("classic", "comes with the program"), ("../other", "expected a skin name"), ("auto", "expected a skin name")],
)
def test_import_sheet_refuses_names(own, sheet_file, capsys, name, words):
    assert main(["skins", "import-sheet", str(sheet_file), "--name", name]) == 2
    assert words in capsys.readouterr().err
    assert not own.exists()


def test_import_sheet_refuses_what_is_no_sheet(own, screens, capsys):
    assert main(["skins", "import-sheet", str(screens / "winemine-expert-mid.png"), "--name", "x"]) == 2
    assert "144 x 122" in capsys.readouterr().err
    assert main(["skins", "import-sheet", str(screens / "SOURCE.md"), "--name", "x"]) == 2
    assert "expected a picture" in capsys.readouterr().err
    assert not own.exists()


def test_a_broken_skin_stops_no_reading(own, screens, capsys):
    save_skin(replace(load_shipped_skin("classic"), name="broken"), own / "broken")
    (own / "broken" / "sprites.png").write_bytes(b"")
    assert main(["read", str(screens / "msx-skin-winxp-mid.png"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["boards"][0]["mines"] == 40
    assert "skin broken is left out" in err
    assert "sprites.png is not a picture" in err
    assert main(["read", str(screens / "msx-skin-winxp-mid.png"), "--skin", "broken"]) == 2
