"""Profiles are loaded as written, saved as loaded, and refused where they say something that cannot be."""

from __future__ import annotations

import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import sheet_maker
from same_skin import as_values

import skins
from skins import SkinError, load_shipped_skin, load_skin, save_skin, shipped_skin_names
from skins.profile_write import _format_profile, check_name
from skins.skin import NewGame
from skins.sprite_sheet import _skin_from_sheet

DATA = Path(skins.__file__).parent / "data"


@pytest.mark.parametrize("name", shipped_skin_names())
def test_save_skin_is_what_load_skin_makes_of_a_shipped_skin(name, tmp_path):
    skin = load_shipped_skin(name)
    save_skin(skin, tmp_path / name)
    assert as_values(load_skin(tmp_path / name)) == as_values(skin)


@pytest.mark.parametrize("style", ["classic", "classic-98", "winemine"])
def test_save_skin_is_what_load_skin_makes_of_a_sheet(style, tmp_path):
    skin = _skin_from_sheet(sheet_maker.sheet(style), "mine", 'A "quoted" \\ title\x7f, ä')
    assert skin.counter is not None
    assert len(skin.faces) == 5
    save_skin(skin, tmp_path / "mine")
    assert as_values(load_skin(tmp_path / "mine")) == as_values(skin)


def test_save_skin_keeps_what_is_not_known_unknown(tmp_path):
    skin = replace(load_shipped_skin("minebot"), border=None, counter=None, chord=None, has_question_marks=None)
    assert skin.first_click is None
    save_skin(skin, tmp_path / "minebot")
    assert as_values(load_skin(tmp_path / "minebot")) == as_values(skin)


def test_a_profile_with_one_dialog_key_is_read_as_ever(tmp_path):
    shutil.copytree(DATA / "winemine", tmp_path / "winemine")
    profile = tmp_path / "winemine" / "skin.toml"
    text = profile.read_text(encoding="utf-8")
    assert 'dialog_keys = ["enter"]' in text
    profile.write_text(text.replace('dialog_keys = ["enter"]', 'dialog_key = "alt+d"'), encoding="utf-8")
    assert load_skin(profile.parent).new_game.dialog_keys == ("alt+d",)


def test_readme_shows_a_whole_profile(tmp_path):
    readme = (Path(__file__).parents[2] / "skins" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "skin.toml").write_text(readme.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    shutil.copy(DATA / "winemine" / "sprites.png", tmp_path)
    shown, shipped = as_values(load_skin(tmp_path)), as_values(load_shipped_skin("winemine"))
    assert shown.pop("exact").items() <= shipped.pop("exact").items()
    assert shown == shipped


@pytest.mark.parametrize("is_verified", [None, False, True])
@pytest.mark.parametrize("is_blurred", [False, True])
def test_save_skin_keeps_how_a_skin_was_learned(tmp_path, is_verified, is_blurred):
    skin = replace(load_shipped_skin("minebot"), is_verified=is_verified, is_blurred=is_blurred)
    save_skin(skin, tmp_path / "minebot")
    loaded = load_skin(tmp_path / "minebot")
    assert (loaded.is_verified, loaded.is_blurred) == (is_verified, is_blurred)


@pytest.mark.parametrize("key", ["n", "f2", "ctrl+r", "ctrl+shift+f5"])
def test_save_skin_keeps_the_key_of_a_new_game(tmp_path, key):
    skin = load_shipped_skin("minebot")
    with_key = replace(skin, new_game=replace(skin.new_game, key=key))
    save_skin(with_key, tmp_path / "minebot")
    assert load_skin(tmp_path / "minebot").new_game == with_key.new_game
    assert skin.new_game.key is None


def test_save_skin_keeps_where_the_button_is_measured_from(tmp_path):
    skin = load_shipped_skin("minebot")
    below = replace(skin, new_game=NewGame(spot_px=(30, 22), spot_from="bottom left"))
    save_skin(below, tmp_path / "minebot")
    assert load_skin(tmp_path / "minebot").new_game == below.new_game
    assert below.new_game.spot_in_words == "22 pixels below and 30 pixels right of the board's bottom left corner"
    assert skin.new_game.spot_from == "top"


@pytest.mark.parametrize(("name", "key"), [("sgt-mines", "n"), ("gnome-mines", "ctrl+r")])
def test_shipped_skins_of_clones_without_a_face_name_a_key(name, key):
    new_game = load_shipped_skin(name).new_game
    assert (new_game.spot_px, new_game.key) == (None, key)


def test_format_profile_is_readable_text():
    text = _format_profile(load_shipped_skin("classic"))
    assert max(map(len, text.splitlines())) <= 110
    assert tomllib.loads(text)["counter"]["spots_px"] == [[6, -38], [5, -38]]
    assert '\nmine = ["032dde5dc9a5d053"]\n' in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "classic"\n', "", "expected the key name"),
        ("pitch_px = [16, 16]", "pitch_px = [16]", "unpack"),
        ("accept = 12.0", "acept = 12.0", "acept"),
        ("depth_px = 3", "depth = 3", "got depth"),
        ("stride_px = 13", "stride = 13", "got stride"),
        ('"wrong_flag"]', '"wrong flag"]', "'wrong flag'"),
        ('"wrong_flag"]', '"wrong_flag", "mine"]', "expected 256 x 37 pixels for 16 \\+ 11 sprites, got 240 x 37"),
        ('chord = "middle"', 'chord = "centre"', "expected a chord of"),
        (
            'chord = "middle"',
            'first_click = "brave"',
            "expected a first_click of any, safe, zero, moved-to-corner, got",
        ),
        ('chord = "middle"', "first_click = true", "expected first_click = a str, got True"),
        ('"9", "-"]', '"9", "minus"]', "'minus'"),
        ("[tolerance]", "[tolerances]", "got tolerances"),
        ("title =", "title", "not TOML"),
        ("stride_px = 13", "stride_px = 13\nn_digits = 2.5", "expected n_digits = a int, got 2.5"),
        ("stride_px = 13", "stride_px = 13\nn_digits = 0", "expected a counter of some digits"),
        ("stride_px = 13", "stride_px = 0", "expected a counter of some digits"),
        ("spots_px = [[6, -38], [5, -38]]", "spots_px = []", "expected a counter of some digits"),
        ('"9", "-"]', '"9", "12"]', "expected a counter digit of"),
        (
            '"question", "mine"',
            '"question", "mines"',
            r"skin\.toml: skin classic: expected a cell state, .* got 'mines'",
        ),
        ("accept = 12.0", 'accept = "12"', "expected accept = a number from 0 to 255, got '12'"),
        ("accept = 16.0", "accept = -1", "expected accept = a number from 0 to 255, got -1"),
        ("has_question_marks = true", 'has_question_marks = "yes"', "expected has_question_marks = a bool"),
        ('dialog_keys = ["enter", "escape"]', "dialog_key = 13", "expected dialog_key = a str, got 13"),
        ('dialog_keys = ["enter", "escape"]', 'dialog_keys = "enter"', "expected dialog_keys = a list, got 'enter'"),
        ('dialog_keys = ["enter", "escape"]', "dialog_keys = [13]", "expected dialog_keys = a list of keys, got"),
        ("[new_game]", '[new_game]\ndialog_key = "enter"', "expected dialog_keys or dialog_key, got both"),
        ("[new_game]", "[new_game]\nkey = 5", "expected key = a str, got 5"),
        ("[new_game]", '[new_game]\nkey = ""', "expected key = a key such as"),
        ("[new_game]", '[new_game]\nkey = "ctrl+"', "expected key = a key such as"),
        ("[new_game]", '[new_game]\nkey = "Ctrl+R"', "expected key = a key such as"),
        ("[new_game]", '[new_game]\nkey = "ctrl + r"', "expected key = a key such as"),
        ('["enter", "escape"]', '["enter", "enter now"]', "expected dialog_keys = a key such as"),
        ("flag = [", "flagged = [", "got some of 'flagged'"),
        ("depth_px = 3", 'depth_px = 3\nblends = ["up"]', "expected blends = a list of left, top, right, bottom, got"),
        ("depth_px = 3", "depth_px = -3", "expected depth_px = a number from 0 to 1024, got -3"),
        ("pitch_px = [16, 16]", "pitch_px = [0, 16]", "expected a pitch"),
        ("pitch_px = [16, 16]", "pitch_px = [inf, 16]", "expected a whole number from -10000 to 10000, got inf"),
        ("pitch_px = [16, 16]", "pitch_px = [16, nan]", "expected a whole number .*, got nan"),
        ("pitch_px = [16, 16]", 'pitch_px = ["16", 16]', "expected a whole number .*, got '16'"),
        ("pitch_px = [16, 16]", "pitch_px = [16.5, 16]", "expected a whole number .*, got 16.5"),
        ("pitch_px = [16, 16]", f"pitch_px = [16, {'9' * 5000}]", "integer string conversion"),
        ("pitch_px = [16, 16]", "pitch_px = [-16, 16]", "expected a pitch"),
        (
            "pitch_px = [16, 16]",
            "pitch_px = [5000, 16]",
            "expected a pitch or size .* at most 1024",
        ),
        ("closed_rgb = [192", "closed_rgb = [256", "expected a whole number from 0 to 255, got 256"),
        ("closed_rgb = [192", "closed_rgb = [inf", "expected a whole number from 0 to 255, got inf"),
        ("accept = 12.0", "accept = inf", "expected accept = a number from 0 to 255, got inf"),
        ("accept = 12.0", "accept = nan", "expected accept = a number from 0 to 255, got nan"),
        ('chord = "middle"', "retry_s = inf", "expected retry_s = a number from 0 to 60, got inf"),
        ('chord = "middle"', "retry_s = -1", "expected retry_s = a number from 0 to 60, got -1"),
        ("[new_game]", "[new_game]\npause_s = nan", "expected pause_s = a number from 0 to 60, got nan"),
        ("[new_game]", "[new_game]\npause_s = 1e300", "expected pause_s = a number from 0 to 60, got 1e"),
        ("spot_px = [0, -28]", "spot_px = [0, -inf]", "expected a whole number .*, got -inf"),
        ("[new_game]", '[new_game]\nspot_from = "above"', "expected spot_from = one of top left, .*, got 'above'"),
        ("depth_px = 3", "depth_px = inf", "expected depth_px = a number from 0 to 1024, got inf"),
        ("stride_px = 13", "stride_px = inf", "expected a whole number from 0 to 1024, got inf"),
        ("spots_px = [[6, -38]", "spots_px = [[6, 1e9]", "expected a whole number .*, got 1000000000.0"),
        ("mine = [", 'mine = ["11112222333344445", ', "expected fingerprints, each up to 16 hexadecimal digits"),
        ("mine = [", 'mine = ["-1", ', "expected fingerprints"),
        ("mine = [", "mine = [1, ", "expected string or bytes-like object, got 'int'"),
        ('states = ["0"', 'states = ["9"', "expected a cell state, numbers up to 8, got '9'"),
        ('states = ["0"', 'states = ["00"', "expected a cell state, numbers up to 8, got '00'"),
        ('file = "sprites.png"', 'file = "../classic/sprites.png"', "expected a file inside the folder"),
        ('file = "sprites.png"', 'file = "/dev/zero"', "expected a file inside the folder, got '/dev/zero'"),
        ('file = "sprites.png"', r"file = 'C:\sprites.png'", "expected a file inside the folder"),
        ('file = "sprites.png"', r"file = '..\sprites.png'", "expected a file inside the folder"),
        ('file = "sprites.png"', 'file = "."', r"expected a file inside the folder, got '\.'"),
        ('file = "sprites.png"', 'file = "a\\u0000b"', "expected the name of a file"),
        ('file = "sprites.png"', "file = 5", "expected the name of a file, got 5"),
        ('file = "sprites.png"', 'file = "skin.toml"', "skin.toml is not a picture"),
        ('file = "sprites.png"', 'file = "none.png"', r"none\.png: cannot be read \(No such file"),
        ("[tolerance]", "[tolerance]\n" + "'" + "a\\" * 1000 + "' = 1", r"a\\.* \.\.\.$"),
        ('title = "', "deep = " + "[" * 5000 + '\ntitle = "', "expected tables and lists a few levels deep"),
        ('title = "', ".".join(["deep"] * 5000) + ' = 1\ntitle = "', "expected in the profile only the keys"),
    ],
)
def test_load_skin_says_what_is_wrong(tmp_path, old, new, message):
    shutil.copytree(DATA / "classic", tmp_path / "classic")
    profile = tmp_path / "classic" / "skin.toml"
    text = profile.read_text(encoding="utf-8")
    assert old in text
    profile.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SkinError, match=message):
        load_skin(tmp_path / "classic")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("sgt-mines", "least_px = 10", "least = 10", "got least"),
        ("sgt-mines", "least_px = 10", "least_px = 0", "at least 1 pixel"),
        ("sgt-mines", "most_px = 64", "most_px = inf", "expected a whole number .*, got inf"),
        ("sgt-mines", "open_rims = [", 'open_rims = ["1_0", ', "expected fingerprints"),
        ("4d", "most = 80", "most = 1000000000", "expected a whole number from 1 to 242, got 1000000000"),
        ("4d", "most = 80", "most = 80.5", "expected a whole number from 1 to 242, got 80.5"),
        ("4d", "zero_rgb = [[", "zero_rgb = [[nan, 1, 1], [", "expected a tint = a number from 0 to 255, got nan"),
        ("4d", "step_rgb = [[", "step_rgb = [[inf, 1, 1], [", "expected a tint = a number from 0 to 255, got inf"),
        ("sgt-mines", "least_px = 10", "least_px = 65", "expected sizes from a least to a most side"),
        ("sgt-mines", "[sizes.exact]", '[sizes.exact]\nflagged = ["12"]', "got some of 'flagged'"),
        ("gnome-mines", "grounds_rgb = [", "grounds_rgb = [" + "[1, 2, 3], " * 31, "tiles of 1 to 31 grounds, got 44"),
        ("google", "closed_rgb = [[", "closed_rgb = [[1, 2, 3], [", "closed_rgb = colours in pairs, got 5 of them"),
        ("google", "mines_rgb = [", "mines_rgb = [" + "[1, 2, 3], " * 14, "at most 31 colours, got 32"),
        ("google", "[20, 24, 99]", "[20, 24, 480]", "got 480 mines on 20 x 24 cells"),
        ("google", "grounds_rgb = [\n    [229", "grounds_rgb = [\n    [228", "expected signs on open fields"),
    ],
)
def test_load_skin_says_what_is_wrong_with_sizes_and_tiles(tmp_path, name, old, new, message):
    shutil.copytree(DATA / name, tmp_path / name)
    profile = tmp_path / name / "skin.toml"
    text = profile.read_text(encoding="utf-8")
    assert old in text
    profile.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SkinError, match=message):
        load_skin(tmp_path / name)


def test_a_skin_of_fields_needs_signs():
    with pytest.raises(SkinError, match="expected the signs of numbers on fields, got none"):
        replace(load_shipped_skin("google"), signs=None)


def test_load_skin_refuses_what_is_no_text(tmp_path):
    shutil.copytree(DATA / "classic", tmp_path / "classic")
    profile = tmp_path / "classic" / "skin.toml"
    profile.write_bytes(b'title = "\xff"')
    with pytest.raises(SkinError, match=r"skin\.toml: not UTF-8 text"):
        load_skin(tmp_path / "classic")
    profile.write_bytes(b"#" * 2**20 + b"\n")
    with pytest.raises(SkinError, match=r"skin\.toml: cannot be read \(it has more than 1,048,576 bytes\)"):
        load_skin(tmp_path / "classic")


def test_load_skin_refuses_more_tints_than_have_room(tmp_path):
    shutil.copytree(DATA / "4d", tmp_path / "4d")
    profile = tmp_path / "4d" / "skin.toml"
    text = profile.read_text(encoding="utf-8")
    ramps = ", ".join(["[1, 1, 1]"] * 1000)
    for key in ("zero_rgb", "step_rgb"):
        text = re.sub(rf"^{key} = .*$", f"{key} = [{ramps}]", text, flags=re.MULTILINE)
    profile.write_text(text, encoding="utf-8")
    with pytest.raises(SkinError, match="expected looks of at most 16,777,216 pixels together, got"):
        load_skin(tmp_path / "4d")


@pytest.mark.parametrize("name", ["", "auto", "Capital", "a b", "../up", "-x", "ä", "x" * 41])
def test_check_name_refuses_what_cannot_be_a_folder_everywhere(name):
    with pytest.raises(SkinError, match="expected a skin name"):
        check_name(name)


def test_save_skin_says_where_it_cannot_write(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SkinError, match="cannot be written to"):
        save_skin(load_shipped_skin("classic"), tmp_path / "file" / "classic")


def test_same_states_are_those_drawn_alike():
    assert load_shipped_skin("classic").same_states() == ()
    skin = _skin_from_sheet(sheet_maker.sheet(alike=("7", "8")), "x", "x")
    assert set(skin.same_states()) == {("0", "pressed"), ("7", "8")}
