"""Real windows that are partly off the screen: nothing is clicked there, and what to do is said."""

from __future__ import annotations

import pytest
from bot_process import run_bot, running_bot
from desktop_game import desk
from person import person, seeded
from window_game import Script, window_game
from winemine import wine_prefix
from xledger import XLedger

pytestmark = [pytest.mark.safety, pytest.mark.screen]

WIDTH, HEIGHT = 800, 600
GAME = Script([[(0, 15), (15, 0), (15, 15), (7, 7), (8, 3), (3, 9)]], shape=(16, 16))
"""280 x 328 pixels, with a board of 256 x 256."""
CELL_PX, MARGIN_PX = 16, 12
LOOK_MS = 10
"""A press is made within a millisecond of a look, on a busy machine a few."""
PLACES = {
    "right": (WIDTH - 180, 120),
    "left": (-60, 120),
    "bottom": (200, HEIGHT - 230),
}
COMMANDS = {
    "play": ("play", "--now", "--mines", "6"),
    "dry run": ("play", "--now", "--mines", "6", "--dry-run"),
    "coach": ("coach", "--mines", "6"),
}


@pytest.fixture(scope="module")
def wine(small_display, require_program):
    for program, package in (("wine", "wine wine64"), ("xwininfo", "x11-utils")):
        require_program(program, package)
    with wine_prefix(small_display) as prefix:
        yield prefix


def past(side):
    return f"the board goes on past the {side} edge of the screen: move it or make it smaller"


def move(someone, window, x, y):
    """Move a window, and wait until it is there."""
    someone.move_window(window, x, y)
    someone.wait_until(someone.now_ms() + 200)


@pytest.mark.parametrize("side", PLACES)
@pytest.mark.parametrize("command", COMMANDS)
def test_window_partly_off_the_screen_is_not_played(small_display, side, command):
    with (
        window_game(small_display, GAME) as game,
        person(small_display) as someone,
        XLedger(small_display) as ledger,
    ):
        move(someone, game.id, *PLACES[side])
        code, output, remarks = run_bot(*COMMANDS[command], display=small_display)
        assert (code, output) == (4, ""), remarks
        assert past(side) in remarks
        assert ledger.of("press", "key") == []
        assert game.told("button") == []


@pytest.mark.parametrize("n_cells", [4, 8, 9, 15])
def test_window_cut_between_two_cells_is_not_played(small_display, n_cells):
    """So many whole columns are left: 9 and 8 are those of a Beginner's board."""
    with window_game(small_display, GAME) as game, person(small_display) as someone:
        move(someone, game.id, WIDTH - MARGIN_PX - CELL_PX * n_cells, 120)
        code, output, remarks = run_bot(*COMMANDS["play"], display=small_display)
        assert (code, output) == (4, ""), remarks
        assert past("right") in remarks or n_cells == 4, "so few are found nowhere"
        assert game.told("button") == []


@pytest.mark.winemine
def test_winemine_partly_off_the_screen_is_not_played(small_display, wine):
    with (
        wine.winemine("expert"),
        person(small_display) as someone,
        desk(small_display) as hands,
        XLedger(small_display) as ledger,
    ):
        window = hands.wait_for_window("WineMine").id
        for command, (x, y) in (
            (("play", "--now"), (500, 100)),
            (("play", "--now", "--dry-run"), (430, 40)),
            (("coach",), (620, 200)),
        ):
            move(someone, window, x, y)
            code, _, remarks = run_bot(*command, display=small_display)
            assert code == 4, remarks
            assert past("right") in remarks
        assert ledger.of("press", "key") == []


def big_game():
    """A board that takes a while: mines all over it, none of which the first click hits."""
    chance = seeded()
    cells = [(row, col) for row in range(16) for col in range(16) if row + col > 3]
    return Script([sorted(chance.sample(cells, 40)) for _ in range(60)], shape=(16, 16))


@pytest.mark.parametrize("side", PLACES)
def test_window_that_is_moved_off_the_screen_during_play_is_not_clicked_there(small_display, side):
    """Only a press in flight may arrive after it, whose last look was before; and on a cell, as the game tells."""
    with (
        window_game(small_display, big_game()) as game,
        person(small_display) as someone,
        XLedger(small_display) as ledger,
        running_bot("play", "--now", "--games", "1000", "--mines", "40", display=small_display) as bot,
    ):
        top = someone.top_of(game.id)
        at = someone.place_of(top)
        ledger.wait_for_presses(25)
        someone.move_window(game.id, *PLACES[side])
        bot.wait_for(past(side))
        code, _ = bot.finish()
        presses = [place for place in ledger.press_places(top, at) if place.corner != at]
        assert code == 4, bot.remarks
        assert past(side) in "\n".join(bot.remarks[-3:])  # what happened, what helps, where its picture is
        assert [place for place in presses if place.has_looked or place.moved_ms > LOOK_MS] == []
        assert {one["on"] for one in game.told("button")} <= {"cell", "face"}


def test_window_that_is_brought_back_in_time_is_played_on(small_display):
    with (
        window_game(small_display, big_game()) as game,
        person(small_display) as someone,
        running_bot("play", "--now", "--games", "1000", "--mines", "40", display=small_display) as bot,
    ):
        game.wait_for("button", 25)
        someone.move_window(game.id, *PLACES["right"])
        bot.wait_for(past("right"))
        n_buttons, n_ended = len(game.told("button")), len(game.told("ended"))
        someone.move_window(game.id, 150, 100)
        game.wait_for("ended", n_ended + 1)
        someone.key("Escape")
        code, _ = bot.finish()
        assert code == 130, bot.remarks
        assert len(game.told("button")) > n_buttons
        assert {one["on"] for one in game.told("button")} <= {"cell", "face"}
        assert game.keys() == []


@pytest.mark.parametrize("after_ms", [0, 20, 80])
def test_fresh_board_that_moves_right_after_the_start_key_is_played_in_its_new_place(small_display, after_ms):
    with (
        window_game(small_display, GAME) as game,
        person(small_display) as someone,
        running_bot("play", "--mines", "6", "--first", "any", display=small_display) as bot,
    ):
        bot.wait_for("Press F10")
        pressed_ms = someone.key("F10")
        someone.wait_until(pressed_ms + after_ms)
        someone.move_window(game.id, 330, 40)
        code, _ = bot.finish()
        assert code == 0, bot.remarks
        assert len(game.told("ended")) == 1
        assert {one["on"] for one in game.told("button")} == {"cell"}
