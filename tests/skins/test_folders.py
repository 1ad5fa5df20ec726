"""The user's own skins are found beside the shipped ones, and a broken one stops no other."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from claiming import claiming_png

from skins import (
    SkinError,
    find_skin,
    keep_sprites,
    known_skins,
    load_shipped_skin,
    load_skins,
    save_skin,
    shipped_skin_names,
    user_skins_folder,
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "own"))
    return tmp_path / "own"


def own_skin(folder, name):
    skin = replace(load_shipped_skin("classic"), name=name)
    save_skin(skin, folder / name)
    return skin


def test_user_skins_folder_is_the_platforms_unless_named(monkeypatch):
    monkeypatch.delenv("MINEBOT_SKINS", raising=False)
    assert user_skins_folder().name == "skins"
    assert "minebot" in str(user_skins_folder())
    monkeypatch.setenv("MINEBOT_SKINS", "/somewhere/else")
    assert str(user_skins_folder()) in {"/somewhere/else", "\\somewhere\\else"}


def test_load_skins_without_a_folder_are_the_shipped_ones(folder):
    assert [skin.name for skin in load_skins()] == shipped_skin_names()


def test_load_skins_adds_the_users_own(folder):
    own_skin(folder, "b-skin")
    own_skin(folder, "a-skin")
    assert [skin.name for skin in load_skins()] == ["a-skin", "b-skin", *shipped_skin_names()]
    assert [skin.name for skin in load_skins("b-skin")] == ["b-skin"]
    assert [entry.folder for entry in known_skins()][-1] == folder / "b-skin"


def test_load_skins_tells_of_a_broken_one_and_keeps_the_others(folder):
    own_skin(folder, "good")
    own_skin(folder, "broken")
    (folder / "broken" / "sprites.png").write_bytes(b"no picture")
    own_skin(folder, "misnamed")
    (folder / "misnamed").rename(folder / "other")
    (folder / "no-profile").mkdir()
    told = []
    assert [skin.name for skin in load_skins(tell=told.append)] == ["good", *shipped_skin_names()]
    assert len(told) == 2
    assert "skin broken is left out" in told[0]
    assert "sprites.png is not a picture" in told[0]
    assert "skin other is left out" in told[1]
    assert "misnamed" in told[1]
    with pytest.raises(SkinError, match="skin broken cannot be used"):
        find_skin("broken")


def test_load_skins_keeps_a_shipped_name_for_the_shipped_skin(folder):
    own_skin(folder, "classic")
    told = []
    assert [skin.name for skin in load_skins(tell=told.append)] == shipped_skin_names()
    assert "comes with the program" in told[0]
    assert find_skin("classic").title == load_shipped_skin("classic").title


def test_find_skin_says_which_there_are(folder):
    own_skin(folder, "mine")
    with pytest.raises(SkinError, match="winemine, xbomb, xdemineur, mine, got 'none'"):
        find_skin("none")


def a_directory(path):
    path.mkdir()


def a_loop(path):
    path.symlink_to(path)


def a_dangling_link(path):
    path.symlink_to(path.with_name("nowhere"))


def an_endless_device(path):
    path.symlink_to("/dev/zero")


def a_large_picture(path):
    path.write_bytes(claiming_png(40_000, 40_000))


ODD_FILES = {
    "a directory": (a_directory, "cannot be read"),
    "a loop": (a_loop, "cannot be read"),
    "a dangling link": (a_dangling_link, "cannot be read"),
    "an endless device": (an_endless_device, "cannot be read (it is a device, a pipe or a socket, not a file)"),
    "a pipe": (getattr(os, "mkfifo", None), "cannot be read (it is a device, a pipe or a socket, not a file)"),
}


@pytest.mark.skipif(os.name == "nt", reason="devices, pipes and links of POSIX")
@pytest.mark.parametrize("file", ["skin.toml", "sprites.png"])
@pytest.mark.parametrize("kind", ODD_FILES)
def test_load_skins_leaves_out_one_whose_file_is_none(folder, kind, file):
    own_skin(folder, "good")
    own_skin(folder, "odd")
    make, trouble = ODD_FILES[kind]
    (folder / "odd" / file).unlink()
    make(folder / "odd" / file)
    told = []
    assert [skin.name for skin in load_skins(tell=told.append)] == ["good", *shipped_skin_names()]
    assert len(told) == 1
    assert told[0].startswith(f"skin odd is left out: {folder / 'odd' / file}: {trouble}")
    with pytest.raises(SkinError, match="skin odd cannot be used"):
        find_skin("odd")


def test_load_skins_leaves_out_one_with_a_large_picture(folder):
    own_skin(folder, "odd")
    a_large_picture(folder / "odd" / "sprites.png")
    told = []
    assert [skin.name for skin in load_skins(tell=told.append)] == shipped_skin_names()
    assert "expected a picture of at most 16,777,216 pixels, got " in told[0]


def test_load_skins_leaves_out_a_folder_that_nobody_may_look_into(folder, monkeypatch):
    own_skin(folder, "good")
    own_skin(folder, "secret")
    is_secret = (folder / "secret" / "skin.toml").__eq__
    lstat, opened = Path.lstat, os.open

    def refuse(path):
        if is_secret(Path(path)):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "lstat", lambda path: refuse(path) or lstat(path))
    monkeypatch.setattr(os, "open", lambda path, flags: refuse(path) or opened(path, flags))
    told = []
    assert [skin.name for skin in load_skins(tell=told.append)] == ["good", *shipped_skin_names()]
    assert told == [
        f"skin secret is left out: {folder / 'secret' / 'skin.toml'}: cannot be read (Permission denied)",
    ]


def test_load_skins_tells_of_a_broken_skin_in_one_line(folder):
    own_skin(folder, "odd")
    (folder / "odd" / "skin.toml").write_text('"a\\nb" = 1\n' + f'"{"c" * 1000}" = 2\n', encoding="utf-8")
    told = []
    load_skins(tell=told.append)
    assert len(told) == 1
    assert "\n" not in told[0]
    assert len(told[0]) < 600


def test_keep_sprites_adds_to_a_skin_of_the_users_alone(folder):
    shipped = load_shipped_skin("classic")
    eight = shipped.sprites_of("8")
    without = tuple(sprite for sprite in shipped.sprites if sprite.state != "8")
    mine = replace(shipped, name="mine", sprites=without, exact={})
    save_skin(mine, folder / "mine")
    assert keep_sprites("mine", eight) == folder / "mine"
    kept = find_skin("mine")
    assert [sprite.state for sprite in kept.sprites] == [*(sprite.state for sprite in without), "8"]
    assert np.array_equal(kept.sprites_of("8")[0].pixels_bgr, eight[0].pixels_bgr)
    assert "8" in kept.exact.values()
    assert keep_sprites("mine", eight) is None, "it knows them"
    assert keep_sprites("classic", eight) is None
    assert keep_sprites("nobody", eight) is None


def test_keep_sprites_replaces_what_was_drawn_the_same_and_meant_something_else(folder):
    shipped = load_shipped_skin("classic")
    (eight,) = shipped.sprites_of("8")
    doubtful = replace(eight, state="7")
    others = tuple(sprite for sprite in shipped.sprites if sprite.state not in {"7", "8"})
    save_skin(replace(shipped, name="mine", sprites=(*others, doubtful, eight), exact={}), folder / "mine")
    assert keep_sprites("mine", [eight]) == folder / "mine"
    kept = find_skin("mine")
    assert not kept.sprites_of("7")
    assert kept.sprites_of("8")
