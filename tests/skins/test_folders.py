"""The user's own skins are found beside the shipped ones, and a broken one stops no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skins import (
    SkinError,
    find_skin,
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
    assert [skin.name for skin in load_skins()] == [*shipped_skin_names(), "a-skin", "b-skin"]
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
    assert [skin.name for skin in load_skins(tell=told.append)] == [*shipped_skin_names(), "good"]
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
    with pytest.raises(SkinError, match="winemine, xdemineur, mine, got 'none'"):
        find_skin("none")
