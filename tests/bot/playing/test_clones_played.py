"""`minebot play` on real xdemineur, GNOME Mines, sgt-mines and others, held against what they say themselves.

The X server's own record of every press, xdemineur's face, GNOME Mines' history of wins and sgt-mines' layout, which is
given to it, are the witnesses. MINEBOT_CLONE_GAMES says how many games of each.
"""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest
from amounts import count
from bot_process import run_bot
from desktop_game import desk
from fonts import STRANGE
from gnome_mines import PROGRAM as GNOME_MINES
from gnome_mines import gnome_mines
from minegauler import CELL_PX as MINEGAULER_PX
from minegauler import PROGRAM as MINEGAULER
from minegauler import minegauler
from sgt_mines import PROGRAM as SGT_MINES
from sgt_mines import sgt_mines
from xbomb import LEVELS as XBOMB_LEVELS
from xbomb import PROGRAM as XBOMB
from xbomb import xbomb
from xdemineur import CELL_PX, xdemineur
from xdemineur import PROGRAM as XDEMINEUR
from xledger import XLedger

from solver.layout import Layout

pytestmark = [pytest.mark.screen]

LEFT, RIGHT = 1, 3
N_GAMES = count("MINEBOT_CLONE_GAMES", gate=2, full=10)


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    packages = {SGT_MINES: "sgt-puzzles", XDEMINEUR: "xdemineur", GNOME_MINES: "gnome-mines", XBOMB: "xbomb"}
    for program, package in packages.items():
        require_program(program, package)
    require_program("dbus-run-session", "dbus")
    with desk(virtual_display) as opened:
        yield opened


def play(hands, *options, n_games=N_GAMES):
    """Play so many games; returns what was told of them, and every press as (x, y, button)."""
    with XLedger(hands.name) as witness:
        code, output, remarks = run_bot(
            "play",
            "--now",
            "--json",
            "--games",
            str(n_games),
            *options,
            display=hands.name,
        )
    assert code in (0, 1), remarks
    told = json.loads(output)
    assert len(told["games"]) == n_games
    assert told["stray_clicks"] == 0
    for kind in ("press", "release"):
        assert len(witness.of(kind)) == len(witness.of("press"))
    return told["games"], [(event.x, event.y, event.detail) for event in witness.of("press")]


def strays(presses, region, spot=None):
    left, top, right, bottom = region
    return [
        (x, y)
        for x, y, _ in presses
        if not (left <= x < right and top <= y < bottom)
        and (spot is None or max(abs(x - spot[0]), abs(y - spot[1])) > 1)
    ]


@pytest.mark.parametrize("options", [(), ("--flags",), ("--chord",)], ids=["plain", "flags", "chords"])
def test_play_xdemineur_ends_as_its_face_says(hands, options):
    rows, cols, mines = 9, 12, 12
    with xdemineur(hands, rows, cols, mines) as game, game.face_watch() as face:
        games, presses = play(hands, "--mines", str(mines), *options)
        region = (game.left, game.top, game.left + cols * CELL_PX, game.top + rows * CELL_PX)
        spot = game.face
    assert [told["result"] for told in games] == face.endings
    assert strays(presses, region, spot) == []
    assert len(presses) == sum(told["clicks"] for told in games) + N_GAMES - 1


def test_play_gnome_mines_counts_the_wins_it_counts_itself(hands):
    with gnome_mines(hands, "small") as game:
        games, presses = play(hands)
        lefts, tops = game.x_edges, game.y_edges
        left, top = game.window.left, game.window.top
        assert game.wins == sum(told["result"] == "won" for told in games)
    assert all(told["guesses"][0] == {"cell": [2, 2], "p_mine": 0.0} for told in games)
    assert all(told["cells_opened"] >= 9 for told in games), "a zero, by its rule for the first click"
    assert strays(presses, (left + lefts[0], top + tops[0], left + lefts[-1], top + tops[-1])) == []
    assert len(presses) == sum(told["clicks"] for told in games)


@pytest.mark.parametrize("fonts", ["cantarell", "free", STRANGE])
def test_play_gnome_mines_without_colours_in_other_fonts(hands, require_fonts, fonts):
    require_fonts(fonts)
    with gnome_mines(hands, "small", size=(700, 560), theme="default", fonts=fonts) as game:
        (told,), presses = play(hands, n_games=1)
        assert game.wins == (told["result"] == "won")
    assert len(presses) == told["clicks"]


@pytest.mark.parametrize("fonts", ["liberation", "free"])
def test_play_sgt_mines_in_other_fonts(hands, require_fonts, fonts):
    require_fonts(fonts)
    layout = Layout.of_cells((9, 9), [(0, 8), (3, 3), (3, 5), (4, 8), (8, 0), (8, 8)])
    with sgt_mines(hands, layout, (0, 0), fonts):
        (told,), presses = play(hands, "--mines", "6", n_games=1)
    assert told["result"] == "won"
    assert len(presses) == told["clicks"]


@pytest.mark.parametrize("seed", range(N_GAMES))
def test_play_sgt_mines_wins_unless_a_guess_hits_a_mine_of_the_layout(hands, seed):
    rng = random.Random(seed)
    cells = [(row, col) for row in range(9) for col in range(9)]
    layout = Layout.of_cells((9, 9), rng.sample([cell for cell in cells if max(cell) > 2], 10))
    with sgt_mines(hands, layout, (0, 0)) as game:
        (told,), presses = play(hands, "--mines", "10", n_games=1)
        side = game.cell_px
        opened = [((y - game.top) // side, (x - game.left) // side) for x, y, button in presses if button == LEFT]
        region = (game.left, game.top, game.left + 9 * side, game.top + 9 * side)
    assert strays(presses, region) == []
    exploded = [cell for cell in opened if layout.has_mine[cell]]
    assert told["result"] == ("lost" if exploded else "won")
    assert exploded == ([tuple(told["guesses"][-1]["cell"])] if exploded else [])
    assert len(presses) == told["clicks"]


@pytest.mark.full("minegauler is no package of Debian's: who runs it has installed it with pip")
@pytest.mark.parametrize(("key", "shape", "options"), [("b", (8, 8), ()), ("i", (16, 16), ("--flags",))])
def test_play_minegauler_inside_its_board(hands, key, shape, options):
    """One game at a time: minegauler 4.2.0 ends itself at the best times that a win brings up."""
    assert MINEGAULER is not None, "needs minegauler: pip install minegauler, in an environment of its own"
    with minegauler(hands, key) as (left, top):
        (told,), presses = play(hands, "--leave-dialog", *options, n_games=1)
    assert (told["rows"], told["cols"]) == shape
    assert strays(presses, (left, top, left + shape[1] * MINEGAULER_PX, top + shape[0] * MINEGAULER_PX)) == []
    n_chords = sum((one, other) == (LEFT, RIGHT) and at == there for (*at, one), (*there, other) in pairwise(presses))
    assert len(presses) - n_chords == told["clicks"], "a chord here is both buttons on one cell"


@pytest.mark.parametrize(("level", "options"), [(1, ()), (2, ("--flags",)), (3, ())])
def test_play_xbomb_inside_its_board(hands, level, options):
    rows, cols, _ = XBOMB_LEVELS[level]
    with xbomb(hands, level) as region:
        games, presses = play(hands, *options, n_games=2)
    assert {(told["rows"], told["cols"]) for told in games} == {(rows, cols)}
    assert all(told["guesses"][0]["p_mine"] == 0.0 and told["cells_opened"] >= 9 for told in games)
    assert strays(presses, region) == []
    assert len(presses) == sum(told["clicks"] for told in games)
