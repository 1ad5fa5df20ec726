"""A real clone on Wayland, learned by playing it; `portal_games` does the same on GNOME and KDE."""

from __future__ import annotations

from pathlib import Path

import pytest
from gnome_mines import PROGRAM, gnome_mines
from learned_game import learn_game
from sway_desk import PROGRAMS, sway_desk
from wayland_log import read_wayland_log

pytestmark = [pytest.mark.screen, pytest.mark.safety]


def test_game_is_learned_on_sway_and_no_press_goes_beside_it(require_program, tmp_path):
    for program, package in {PROGRAM: "gnome-mines", **PROGRAMS}.items():
        require_program(program, package)
    with (
        sway_desk() as hands,
        (tmp_path / "log").open("w") as log,
        gnome_mines(hands, "small", size=(700, 560), log=log, WAYLAND_DEBUG="1") as game,
    ):
        learn_game(hands, tmp_path, **hands.variables)
        assert game.strays(read_wayland_log(Path(log.name).read_text(errors="replace")).presses) == []
