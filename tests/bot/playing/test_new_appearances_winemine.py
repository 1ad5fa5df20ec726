"""A real winemine, played with a skin that lacks some of its pictures: witnesses say how the games went."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from bot_process import run_bot
from winemine import face_watch, uncover_face, wine_prefix
from xledger import XLedger

from skins import load_shipped_skin, save_skin

pytestmark = [pytest.mark.winemine, pytest.mark.screen]


@pytest.fixture(scope="module")
def wine(virtual_display, require_program):
    for program, package in (("wine", "wine wine64"), ("xwininfo", "x11-utils")):
        require_program(program, package)
    with wine_prefix(virtual_display) as prefix:
        yield prefix


@pytest.mark.parametrize("states", [("2", "5"), ("3", "flag")])
def test_winemine_is_played_on_with_appearances_that_the_skin_lacks(wine, virtual_display, tmp_path, states):
    skin = load_shipped_skin("winemine")
    sprites = tuple(sprite for sprite in skin.sprites if sprite.state not in states)
    exact = {value: state for value, state in skin.exact.items() if state not in states}
    save_skin(replace(skin, name="lame", sprites=sprites, exact=exact), tmp_path / "lame")
    command = ("play", "--now", "--games", "4", "--skin", "lame", "--flags", "--json")
    with (
        wine.winemine("expert") as window,
        XLedger(virtual_display) as witness,
        face_watch(virtual_display, window) as face,
    ):
        code, output, said = run_bot(*command, display=virtual_display, MINEBOT_SKINS=str(tmp_path))
        uncover_face(virtual_display)
    assert code in {0, 1}, said
    played = json.loads(output)
    results = [game["result"] for game in played["games"]]
    assert len(results) == 4
    assert results == face.endings
    assert [event for event in witness.of("press") if not window.allows_click(event.x, event.y)] == []
    for state in set(states) & {"2", "3"}:
        assert f"the look that was new is a {state}" in said
    if "flag" in states:
        assert "does not have: the flag" in said
