"""Chains of dialogs on real windows, as Arbiter and KMines raise them: each key goes to the dialog that it closes.

The game tells of every key that arrives in its windows, a window of another program beside it of every key there.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from amounts import count
from bot_process import run_bot, running_bot
from bystander import bystander
from person import person, seeded
from window_game import BOARD, Script, window_game

from skins.profile_read import load_shipped_skin
from skins.profile_write import save_skin
from solver.layout import LEVELS

pytestmark = [pytest.mark.safety, pytest.mark.screen]

CORNERS = [[(0, 8), (8, 0), (8, 8)]]
"""Won by the first click."""
ARBITER = [("Congratulations", ["Return"]), ("Local High Scores", ["Escape"])]
N_RECORDS = count("MINEBOT_RECORD_GAMES", gate=3, full=20)
ARBITERS_KEYS = [("Congratulations", ["Return"]), ("Local High Scores", ["Return", "Escape"])]
"""What the bot presses at them: Enter first."""
KMINES = [("Name", ["Return"]), ("High Scores", ["Alt_L", "c"])]


def check_keys(game, dialogs, n_wins):
    """Check that each dialog got its keys at each win, and no others.

    Those of the last game are closed where they come up while the bot still waits for them: on a busy machine a window
    may take longer to come up.
    """
    for title, keys in dialogs:
        heard = game.keys(title)
        assert heard == (keys * n_wins)[: len(heard)]
        assert len(heard) >= len(keys) * (n_wins - 1), f"{title} was left open before the next game"


def play(display, n_games, *options, **variables):
    """Play so many games."""
    code, output, remarks = run_bot(
        "play", "--now", "--json", "--mines", "3", "--games", str(n_games), *options, display=display, **variables
    )
    assert code == 0, remarks
    told = json.loads(output)
    assert [game["result"] for game in told["games"]] == ["won"] * n_games
    assert told["stray_clicks"] == 0


@pytest.fixture
def skin_with(tmp_path):
    """A function that gives variables by which the bot has the classic skin as `mine`, begun and closed otherwise."""

    def _skin_with(**new_game):
        skin = load_shipped_skin("classic")
        save_skin(replace(skin, name="mine", new_game=replace(skin.new_game, **new_game)), tmp_path / "mine")
        return {"MINEBOT_SKINS": str(tmp_path)}

    return _skin_with


@pytest.mark.parametrize("dialog_s", [0.0, None])
def test_arbiters_dialogs_are_closed_by_enter_and_escape_and_its_board_never_gets_escape(virtual_display, dialog_s):
    """Also where they come up when the next game has been begun already; after the last one none is."""
    n_games = 2
    n_chains = n_games if dialog_s is not None else n_games - 1
    with (
        bystander(virtual_display) as other,
        window_game(virtual_display, Script(CORNERS, dialogs=ARBITER, dialog_s=dialog_s, icon_key="Escape")) as game,
    ):
        play(virtual_display, n_games)
        check_keys(game, ARBITERS_KEYS, n_chains)
        assert game.keys(BOARD) == []
        assert game.told("icon") == []
        assert other.heard() == []


@pytest.mark.parametrize("dialog_s", [0.0, 0.031, 0.2])
@pytest.mark.parametrize("at", [(20, 130), (400, 30)], ids=["over the board", "beside it"])
def test_dialogs_that_leave_the_keyboard_to_the_board_are_turned_to_before_their_keys(virtual_display, dialog_s, at):
    n_games = 3
    script = Script(
        CORNERS, dialogs=ARBITER, dialog_s=dialog_s, dialogs_take_keyboard=False, dialog_at=at, icon_key="Escape"
    )
    with bystander(virtual_display) as other, window_game(virtual_display, script) as game:
        play(virtual_display, n_games)
        check_keys(game, ARBITERS_KEYS, n_games)
        assert game.keys(BOARD) == []
        assert game.told("icon") == []
        assert other.heard() == []


@pytest.mark.parametrize("level", ["beginner", "intermediate", "expert"])
def test_games_with_a_record_each_are_played_to_the_last_by_nobody_but_the_bot(virtual_display, level):
    """As many as are asked for: each win brings up both dialogs, which leave the keyboard to the board."""
    rows, cols, n_mines = LEVELS[level]
    chance = seeded(level)
    cells = [(row, col) for row in range(rows) for col in range(cols) if row + col > 1]
    script = Script(
        [sorted(chance.sample(cells, n_mines)) for _ in range(N_RECORDS)],
        shape=(rows, cols),
        place=(100, 80),
        dialogs=ARBITER,
        dialog_s=0.031,
        dialogs_take_keyboard=False,
        icon_key="Escape",
    )
    with bystander(virtual_display) as other, window_game(virtual_display, script) as game:
        arguments = ("play", "--now", "--json", "--games", str(N_RECORDS))
        code, output, remarks = run_bot(*arguments, display=virtual_display)
        assert code in {0, 1}, remarks
        told = json.loads(output)
        assert len(told["games"]) == N_RECORDS, remarks
        assert told["stray_clicks"] == 0
        assert [one["result"] for one in told["games"]] == [one["state"] for one in game.told("ended")]
        check_keys(game, ARBITERS_KEYS, told["won"])
        assert game.keys(BOARD) == []
        assert game.told("icon") == []
        assert other.heard() == []


def test_dialog_that_takes_its_time_to_close_gets_no_other_key(virtual_display):
    """The key after that would be for the window that has the keyboard then."""
    script = Script(CORNERS, dialogs=ARBITER, close_s=0.6, icon_key="Escape")
    with window_game(virtual_display, script) as game:
        play(virtual_display, 1)
        assert game.keys("Congratulations") == ["Return"]
        assert game.keys("Local High Scores") == ["Return", "Escape"]
        assert game.keys(BOARD) == []


@pytest.mark.parametrize("at", [(20, 130), (400, 30)], ids=["over the board", "beside it"])
def test_dialogs_that_come_up_after_the_first_click_of_the_next_game_are_closed(virtual_display, at):
    """From then on the board takes no clicks; two of them win the second game."""
    mines = [*CORNERS, [(7, 7), (7, 8), (8, 7)]]
    script = Script(mines, dialogs=ARBITER, dialog_s=None, dialog_clicks=1, dialog_at=at, icon_key="Escape")
    with bystander(virtual_display) as other, window_game(virtual_display, script) as game:
        play(virtual_display, 2)
        assert game.keys("Congratulations") == ["Return"]
        assert game.keys("Local High Scores") == ["Return", "Escape"]
        assert game.keys(BOARD) == []
        assert game.told("icon") == []
        assert other.heard() == []


@pytest.mark.parametrize("by_key", [True, False])
def test_kmines_dialogs_are_closed_by_enter_and_by_alt_and_c(virtual_display, skin_with, by_key):
    """Enter closes the name dialog; in the list after it nothing does but Alt+C."""
    n_games = 2
    begun = {"key": "f2", "spot_px": None} if by_key else {}
    variables = skin_with(dialog_keys=("enter", "alt+c"), **begun)
    script = Script(CORNERS, dialogs=KMINES, icon_key="Escape", new_game_key="F2")
    with bystander(virtual_display) as other, window_game(virtual_display, script) as game:
        play(virtual_display, n_games, "--skin", "mine", **variables)
        check_keys(game, [("Name", ["Return"]), ("High Scores", ["Return", "Alt_L", "c"])], n_games)
        asked = game.keys(BOARD)
        assert set(asked) == ({"F2"} if by_key else set())
        n_again = len(asked) - (n_games - 1) if by_key else 0  # after a second without a fresh board
        assert game.told("begun", game=n_games)
        assert not game.told("begun", game=n_games + n_again + 1)
        assert other.heard() == []


def test_keys_of_a_skin_that_type_text_are_left_out_at_a_dialog_that_may_ask_for_a_name(virtual_display, skin_with):
    n_games = 2
    variables = skin_with(dialog_keys=("n", "space", "shift+n", "escape"))
    with window_game(virtual_display, Script(CORNERS, dialogs=[("Name", ["Escape"])])) as game:
        play(virtual_display, n_games, "--skin", "mine", **variables)
        check_keys(game, [("Name", ["Escape"])], n_games)
        assert game.keys(BOARD) == []


def test_escape_of_a_person_stops_at_a_dialog_that_takes_it_and_neither_window_gets_it(virtual_display):
    """The bot's own Escape closes the second dialog; a person's, later, reaches nothing but the bot."""
    script = Script(CORNERS, dialogs=ARBITER, icon_key="Escape")
    with (
        window_game(virtual_display, script) as game,
        person(virtual_display) as someone,
        running_bot("play", "--now", "--json", "--mines", "3", "--games", "1000", display=virtual_display) as bot,
    ):
        game.wait_for("key", 2, key="Escape")
        someone.key("Escape")
        code, _ = bot.finish()
        n_own = len(game.keys("Local High Scores"))
        assert code == 130, bot.remarks
        assert game.told("icon") == []
        assert game.keys(BOARD) == []
        assert game.keys().count("Escape") <= n_own
