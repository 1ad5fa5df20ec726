"""`minebot play` by a portal: real GNOME Mines on a real mutter, held against what the portal was asked to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bot_process import run_bot
from gnome_mines import PROGRAM, gnome_mines
from mutter_desk import PROGRAMS, mutter_desk
from patience import wait_until
from wayland_log import read_wayland_log

pytestmark = [pytest.mark.screen, pytest.mark.safety]


@pytest.fixture(scope="module")
def hands(require_program):
    require_program(PROGRAM, "gnome-mines")
    for program, package in PROGRAMS.items():
        require_program(program, package)
    with mutter_desk() as opened:
        yield opened


@pytest.fixture
def game(hands, tmp_path):
    """A game of 8 x 8 cells, whose log says what it got."""
    hands.forget_acts()
    with (tmp_path / "log").open("w") as log, gnome_mines(hands, "small", log=log, WAYLAND_DEBUG="1") as opened:
        opened.log = Path(log.name)
        yield opened


def strays(game, presses):
    """The presses beside the board."""
    across, down = game.x_edges, game.y_edges
    return [(x, y) for _, x, y in presses if not (across[0] <= x < across[-1] and down[0] <= y < down[-1])]


def test_game_is_played_to_its_end_and_all_presses_are_in_it(hands, game):
    code, output, remarks = run_bot("play", "--now", "--json", **hands.variables)
    games, presses = json.loads(output)["games"], hands.presses()
    assert strays(game, presses) == []
    wait_until(
        lambda: len(read_wayland_log(game.log.read_text(errors="replace")).presses) == len(presses)
    )  # it is busy
    assert "nothing tells here of other windows" in remarks
    if games:
        assert code == (games[0]["result"] != "won")
        assert len(presses) == games[0]["clicks"]
    else:  # the flood of the last click won: what that brings up hides it
        assert code == 4
        assert "if the game shows a dialog, close it" in remarks
