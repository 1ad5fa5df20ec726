"""What the coach draws goes where the game's window goes, and lies where it lies; and nothing of it is left at the end.

The game is the built-in one, in a window of its own that openbox manages.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time

import numpy as np
import pytest
from bot_process import run_bot, running_bot
from coached import NO_REPEAT_S, coached, panes
from desktop_game import desk
from patience import wait_until
from plain_windows import plain_windows
from show_picture import shown
from Xlib import Xatom
from Xlib.display import Display

from bot.coaching.drawing import PANEL_WIDTH_PX
from bot.models import Region
from bot.reporting.drawing import ink
from bot.virtual_screen import xvfb
from solver.board import CLOSED, parse_board

pytestmark = [pytest.mark.screen]

TITLE = "Minebot"
MOST_MOVES = 30


@pytest.fixture(scope="module")
def hands(virtual_display):
    with desk(virtual_display) as opened:
        yield opened


@pytest.fixture
def game(hands):
    """The built-in game's window."""
    hands.move(0, 0)
    with running_bot("game", "--seed", "1", "--position", "60,60", display=hands.name):
        window = hands.wait_for_window(TITLE)
        hands.wait_until_still()
        yield window


def xdotool(hands, *words):
    subprocess.run(["xdotool", *map(str, words)], env={**os.environ, "DISPLAY": hands.name}, check=True)


def shows_ring(hands, window):
    """Whether the ring of the best move shows where a window is."""
    pixels = hands.capture(window.left, window.top, window.width, window.height)
    return bool((pixels == ink.YELLOW).all(axis=2).any())


def test_coach_follows_hides_and_stays_below_what_covers_the_game(hands, game):
    untouched = hands.wait_until_still()
    with coached(hands) as coach:
        wait_until(lambda: len(panes(hands)) == 2, "marks and panel are drawn")
        at = panes(hands)
        shown = hands.wait_until_still()
        assert not np.array_equal(shown, untouched)

        xdotool(hands, "windowmove", game.id, 260, 180)
        wait_until(lambda: hands.find_window(TITLE) not in (game, None), "the window moves")
        hands.wait_until_still()
        moved = hands.find_window(TITLE)
        by = (moved.left - game.left, moved.top - game.top)
        wait_until(lambda: panes(hands)[0][:2] == (at[0][0] + by[0], at[0][1] + by[1]), "the marks move with it")

        n_before = len(coach.events)
        xdotool(hands, "windowminimize", game.id)
        coach.wait_for_kind("hidden", n_before)
        wait_until(lambda: panes(hands) == [], "nothing is drawn while it is minimised")
        n_before = len(coach.events)
        xdotool(hands, "windowactivate", game.id)
        coach.wait_for_kind("position", n_before)
        wait_until(lambda: len(panes(hands)) == 2, "it is drawn again")

        assert shows_ring(hands, moved)
        cover = f"{moved.width + 80}x{moved.height + 300}+{moved.left - 40}+{moved.top - 60}"
        with plain_windows(hands.name, "cover", cover, is_managed=True):
            hands.wait_until_still()
            assert not shows_ring(hands, moved), "what covers the game covers the marks"
            n_before = len(coach.events)
            hands.move(*Region(moved.left, moved.top, moved.width, moved.height).middle)
            hands.wait_until_still(still_s=0.5)
            assert coach.events[n_before:] == [], "the pointer is on another window"
            xdotool(hands, "windowactivate", game.id)
            wait_until(lambda: shows_ring(hands, moved), "the game is raised, and the marks with it")
        hands.move(0, 0)

        hands.type_key("escape")
        assert coach.finish() == 130
    assert panes(hands) == []


def test_coach_says_why_warns_of_a_mine_and_leaves_a_clean_screen_on_ctrl_c(hands, game):
    with coached(hands) as coach:
        told = play_until_a_mine_is_proven(hands, coach)
        cell = told["marked"]["mines"][0]
        n_before = len(coach.events)
        hands.move(*middle_of(told, cell))
        assert coach.wait_for_kind("warning", n_before)["cell"] == cell
        reason = coach.wait_for_kind("cell", n_before)
        assert (reason["cell"], reason["verdict"]) == (cell, "mine")
        assert "is a mine" in reason["why"]
        assert (panel_of(hands) == ink.VERMILION).all(axis=2).mean() > 0.5, "a panel that warns"
        hands.move(0, 0)
        coach.bot.process.send_signal(signal.SIGINT)
        assert coach.finish() == 130
    assert panes(hands) == []
    with coached(hands) as coach:
        assert coach.position["board"] == told["board"]
        coach.toggle()
        wait_until(lambda: panes(hands) == [], "all is hidden")
        hidden = board_of(hands, told)
        coach.toggle()
        wait_until(lambda: not np.array_equal(board_of(hands, told), hidden), "the board has its marks again")
        hands.type_key("escape")
        assert coach.finish() == 130
    assert panes(hands) == []
    assert np.array_equal(board_of(hands, told), hidden)


def test_coach_shows_all_risks_and_whole_proofs_on_their_keys(hands, game):
    with coached(hands) as coach:
        told = play_until_a_mine_is_proven(hands, coach)
        hands.move(0, 0)
        hands.wait_until_still()
        far = uncharted_cell(told)
        plain, short_of_risks = cell_of(hands, told, far), board_of(hands, told)
        press(hands, "F8")
        wait_until(lambda: not np.array_equal(cell_of(hands, told, far), plain), "a risk is drawn far from all numbers")
        press(hands, "F8")
        wait_until(
            lambda: np.array_equal(board_of(hands, told), short_of_risks), "those beside numbers alone are drawn"
        )

        n_before = len(coach.events)
        hands.move(*middle_of(told, told["marked"]["mines"][0]))
        coach.wait_for_kind("warning", n_before)
        hands.wait_until_still()
        sentence = panel_of(hands)
        press(hands, "F7")
        wait_until(lambda: panel_of(hands).shape[0] > sentence.shape[0], "the panel grows with the whole proof")
        press(hands, "F7")
        wait_until(lambda: np.array_equal(panel_of(hands), sentence), "the sentence alone is shown")
        assert coach.position["board"] == told["board"], "the game did not get the keys"
        hands.move(0, 0)
        hands.type_key("escape")
        assert coach.finish() == 130


def play_until_a_mine_is_proven(hands, coach):
    """Make the moves that the coach advises; returns the position that it tells of then."""
    told = coach.wait_until_settled()
    for _ in range(MOST_MOVES):
        if told["marked"]["mines"] or told["move"] is None:
            break
        n_before = len(coach.events)
        hands.click(*middle_of(told, told["move"]["cell"]))
        coach.wait_for_kind("position", n_before)
        told = coach.wait_until_settled()
    assert told["marked"]["mines"], f"this seed's game gets to a proven mine: {told}"
    return told


def uncharted_cell(told):
    """A closed cell with nothing open around it."""
    board = parse_board("\n".join(told["board"]))
    near = board.topology.neighbours
    closed = [cell for cell in np.ndindex(board.shape) if board[cell] == CLOSED]
    return next(cell for cell in closed if all(board[other] == CLOSED for other in near(cell)))


def press(hands, key):
    time.sleep(NO_REPEAT_S)
    hands.type_key(key)


def panel_of(hands):
    """The pixels of the coach's panel."""
    left, top, width, height = next(pane for pane in panes(hands) if pane[2] == PANEL_WIDTH_PX)
    return hands.capture(left, top, width, height)


def cell_of(hands, told, cell):
    """The pixels of a cell of a position that the coach told of."""
    (left, top), (width, height), (row, col) = told["origin"], told["pitch"], cell
    return hands.capture(left + col * width, top + row * height, width, height)


def board_of(hands, told):
    """The pixels of the board that the coach told of."""
    (left, top), (width, height), (rows, cols) = told["origin"], told["pitch"], told["shape"]
    return hands.capture(left, top, cols * width, rows * height)


def middle_of(told, cell):
    """The middle of a cell of a position that the coach told of, on the screen."""
    (left, top), (width, height) = told["origin"], told["pitch"]
    row, col = cell
    return left + col * width + width // 2, top + row * height + height // 2


def test_coach_ends_with_0_when_the_window_is_closed(hands, game):
    with coached(hands) as coach:
        xdotool(hands, "windowclose", game.id)
        assert coach.wait_for_kind("ended")["why"] == "the window was closed"
        assert coach.finish() == 0
    assert panes(hands) == []


def test_coach_without_a_board_exits_with_4(hands):
    code, output, remarks = run_bot("coach", display=hands.name)
    assert (code, output) == (4, "")
    assert "no board found" in remarks


def test_coach_needs_no_window_manager(bare_display, screens):
    with desk(bare_display) as hands, shown(screens / "minebot-expert-mid.png", bare_display), coached(hands) as coach:
        wait_until(lambda: len(panes(hands)) == 2, "marks and panel are drawn")
        assert coach.position["marked"]["mines"]
        hands.type_key("escape")
        assert coach.finish() == 130


def test_panel_is_as_much_larger_as_the_desktop_draws(bare_display, screens):
    with desk(bare_display) as hands, shown(screens / "minebot-expert-mid.png", bare_display):
        display = Display(bare_display)
        root = display.screen().root
        root.change_property(Xatom.RESOURCE_MANAGER, Xatom.STRING, 8, b"Xft.dpi:\t144\n")
        display.sync()
        try:
            with coached(hands) as coach:
                wait_until(lambda: len(panes(hands)) == 2, "marks and panel are drawn")
                widths = [width for _, _, width, _ in panes(hands)]
                assert round(1.5 * PANEL_WIDTH_PX) in widths
                hands.type_key("escape")
                assert coach.finish() == 130
        finally:  # the display serves other tests
            root.delete_property(Xatom.RESOURCE_MANAGER)
            display.sync()
            display.close()


def test_coach_on_a_server_that_cannot_keep_windows_apart_exits_with_5(require_program, screens):
    require_program("Xvfb", "xvfb")
    with xvfb("-extension", "Composite") as display, shown(screens / "minebot-expert-mid.png", display):
        code, output, remarks = run_bot("coach", display=display)
    assert (code, output) == (5, "")
    assert "lacks Composite" in remarks


def test_coach_without_a_display_exits_with_5():
    code, output, remarks = run_bot("coach", display=None)
    assert (code, output) == (5, "")
    assert "DISPLAY" in remarks
