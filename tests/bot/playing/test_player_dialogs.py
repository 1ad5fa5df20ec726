"""The player and the dialogs that games show: closed where a game may have ended, and never otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fake_desktop import FakeDesktop, Faults, impatient
from player_table import (
    BEGINNER,
    CLASSIC,
    ENDLESS,
    WALLED,
    WALLED_LEVEL,
    Table,
    check_manners,
    check_truth,
    layout_of,
    simulate_time,
)
from unknown_clone import MessagingClone, UnknownClone

from bot.errors import Aborted, BotError
from bot.models import Pixel
from bot.playing.actuator import NoEffectError
from bot.playing.control import Pointer
from bot.playing.new_game import MAX_DIALOGS
from bot.playing.outcome import has_flagged_all
from bot.playing.reporter import UnreadableError
from bot.playing.situation import Due
from bot.vision.finding import ClippedBoardError
from skins.skin import NewGame
from solver.board import GameState, parse_board
from solver.layout import Layout

# --- dialogs


@pytest.mark.parametrize("dialogs", [1, 2])
@pytest.mark.parametrize("dialog_s", [0.0, 0.02, 0.3])
def test_player_dialogs_after_a_win_are_closed_and_nothing_else(sit_down, dialogs, dialog_s):
    table = sit_down(seed=7, faults=Faults(dialogs=dialogs, dialog_s=dialog_s))
    results = table.play(5)
    check_truth(table, results)
    desktop = table.desktop
    assert all(was_up for _, was_up in desktop.keys), "a key went to no dialog"
    assert {key for key, _ in desktop.keys} <= {"enter"}
    n_won = sum(result.result is GameState.WON for result in results[:-1])
    assert len(desktop.keys) >= dialogs * n_won


def test_player_dialog_over_a_game_that_a_guess_has_lost_is_closed(sit_down):
    table = sit_down(seed=7, faults=Faults(dialogs=1, dialog_s=0.0, dialogs_after_loss=True))
    ends = [result.result for result in table.play(6)]
    assert ends == [game.state for game in table.desktop.games[:6]]
    assert GameState.LOST in ends[:-1]
    assert all(was_up for _, was_up in table.desktop.keys), "a key went to no dialog"


def test_player_dialog_over_a_board_that_moved_right_after_its_end_is_closed(sit_down, monkeypatch):
    """It hides where the board ends, as the skin has no border."""
    table = sit_down(seed=7, faults=Faults(dialogs=1, dialog_s=0.005))
    desktop, view = table.desktop, table.player.play.view
    relocate, n_cut = view.relocate, []

    def relocate_uncovered():
        if desktop.dialog_is_up:
            n_cut.append(desktop.clock.now)
            raise ClippedBoardError("nothing shows that the board ends at its right")
        return relocate()

    monkeypatch.setattr(view, "relocate", relocate_uncovered)
    moves = [lambda: desktop.move_window(150, 60)]
    monkeypatch.setattr(table.witness, "entered", lambda state: state == "beginning" and moves and moves.pop()())
    check_truth(table, table.play(3))
    assert n_cut
    assert all(was_up for _, was_up in desktop.keys), "a key went to no dialog"


class PuttingBack(FakeDesktop):
    """One that asks after a lost game whether to begin anew: any key closes that, and Enter does begin."""

    def _answer_dialog(self, key):
        self._dialogs.pop(0)
        self.n_dialogs_closed += 1
        if key == "enter":
            self._begin_game()


def test_player_key_that_begins_a_game_before_the_end_of_the_last_one_is_seen_gives_way_to_others(monkeypatch):
    skin = impatient(CLASSIC, dialog_keys=("enter", "escape"))
    faults = Faults(dialogs=1, dialog_s=0.0, dialogs_after_loss=True)
    desktop = PuttingBack(skin, (9, 9, 20), seed=7, faults=faults)
    simulate_time(monkeypatch, desktop.clock)
    table = Table(desktop)
    ends = [result.result for result in table.play(6)]
    assert ends.count(GameState.LOST) > 1
    told = [text for text in table.witness.remarks if "another game was begun" in text]
    assert len(told) == 1, "Enter was tried once"
    assert [key for key, _ in desktop.keys].count("enter") == 1


def test_player_message_that_lies_beside_the_board_is_closed(monkeypatch):
    """A browser dims its page meanwhile: the board is in its place, and no window is up."""
    desktop = MessagingClone(CLASSIC, BEGINNER, seed=7)
    simulate_time(monkeypatch, desktop.clock)
    new_game = NewGame(key="f2", dialog_keys=("enter",), pause_s=0.4)
    table = Table(desktop, known=replace(CLASSIC, new_game=new_game))
    ends = [result.result for result in table.play(4)]
    assert ends == [game.state for game in desktop.games[:4]]
    assert desktop.closed == {1, 2, 3}
    assert all(press.cell is not None for press in desktop.clicks)


def test_player_dialog_after_a_win_by_a_flood_is_closed(sit_down):
    """No count of clicks says that this win is due: the flags that come up on the mines in sight do."""
    corners = Layout.of_cells((9, 9), [(0, 8), (8, 0), (8, 8)])
    table = sit_down(level=(9, 9, 3), layouts=[corners], faults=Faults(dialogs=2))
    (result,) = table.play()
    check_truth(table, [result])
    assert result.n_clicks == 1
    assert table.desktop.keys == [("enter", True)] * 2


def test_player_clicks_that_a_dialog_broke_off_may_have_won_by_a_flood(sit_down, monkeypatch):
    table = sit_down(seed=7)
    now, actuator, may_be_over = table.player.play.now, table.player.play.actuator, []
    perform = actuator.perform

    def perform_in_part(moves, *others):
        left = perform(moves[:1], *others)
        actuator.has_clicked_all = False
        return [*left, *moves[1:]]

    monkeypatch.setattr(actuator, "perform", perform_in_part)
    monkeypatch.setattr(
        table.witness,
        "entered",
        lambda state: state == "verifying" and may_be_over.append(now.due is not Due.NOTHING),
    )
    table.play()
    assert may_be_over[0], "the first click opened a 0"
    assert not all(may_be_over), "a number that is known beforehand opens nothing else"


def test_player_dialog_over_every_mine_is_closed_where_it_is_another_window_of_the_game(sit_down):
    """A flood may have won: the cells do not tell, but another window of the same program has the keyboard."""
    hidden = Layout.of_cells((9, 9), [(4, 4)])
    table = sit_down(level=(9, 9, 1), layouts=[hidden], faults=Faults(dialogs=1))
    assert table.play()[0].result is GameState.WON
    assert table.desktop.keys == [("enter", True)]


@pytest.mark.parametrize("knows_programs", [True, False])
def test_player_dialog_that_comes_before_the_last_cell_is_painted(sit_down, knows_programs):
    """That the last click arrived is not seen; it was proven, and what came up says so. A key needs a known window."""
    faults = Faults(dialogs=1, repaint_s=(0.02, 0.02), dialog_s=-0.02)
    layout = Layout.of_cells((9, 9), [(3, 3), (5, 3), (4, 5)])
    table = sit_down(level=(9, 9, 3), layouts=[layout], faults=faults, knows_programs=knows_programs)
    for row, col in np.argwhere(~layout.has_mine):
        if (row, col) != (4, 4):
            table.desktop.game.open((int(row), int(col)))
    table.desktop.repaint()
    assert [result.result for result in table.play()] == [GameState.WON]
    assert table.desktop.keys == [("enter", True)] * knows_programs


def test_player_dialog_over_every_mine_is_not_trusted_where_nothing_is_known_of_windows(sit_down):
    hidden = Layout.of_cells((9, 9), [(4, 4)])
    table = sit_down(level=(9, 9, 1), layouts=[hidden], faults=Faults(dialogs=1))
    table.desktop.knows_programs = False
    with pytest.raises(UnreadableError):
        table.play()
    assert table.desktop.keys == []


@pytest.mark.parametrize(
    ("before", "now", "flagged"),
    [
        ("1#\n##\n", "1F\n1!\n", True),
        ("1#\n##\n", "1#\n1!\n", False),
        ("1#\n##\n", "11\n1!\n", False),
        ("1#\n##\n", "1F\n#!\n", False),
        ("1F\n##\n", "1F\n1!\n", False),
    ],
)
def test_has_flagged_all_needs_new_flags_on_every_closed_cell_in_sight(before, now, flagged):
    assert has_flagged_all(parse_board(before), parse_board(now)) is flagged


def test_player_late_dialog_is_closed_before_the_next_game(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2, faults=Faults(dialogs=1, dialog_s=0.1))
    games = table.player.iter_games(2)
    assert next(games).result is GameState.WON
    assert table.desktop.keys == [], "the board looked won before the dialog came up"
    table.desktop.clock.now += 1.0
    next(games)
    assert table.desktop.keys[0] == ("enter", True)
    assert table.desktop.clicks[len(table.desktop.cell_clicks())].n_keys == 1, "the dialog went before the face"


def test_player_dialog_over_a_board_found_won_is_closed_before_the_next_game(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    for cell in np.argwhere(~desktop.game.layout.has_mine):
        desktop.game.open(tuple(cell))
    desktop.repaint()
    desktop.raise_dialog(after_s=0.02)
    table.play()
    assert desktop.keys == [("enter", True)]


def test_player_cover_after_a_game_lost_at_its_last_guess_gets_no_key(sit_down):
    """The last click was due to win; but the game is lost, and what comes up is no dialog of it."""
    even_odds = layout_of("*.*.\n..*.\n....\n....")  # (0, 0) or (0, 1): the bot takes the first
    table = sit_down(level=(4, 4, 3), layouts=[even_odds])
    desktop = table.desktop
    for row, col in np.argwhere(~even_odds.has_mine):
        if (row, col) != (0, 1):
            desktop.game.open((int(row), int(col)))
    desktop.repaint()
    games = table.player.iter_games(2)
    assert next(games).result is GameState.LOST
    desktop.cover(range(2), range(2))
    with pytest.raises(UnreadableError):
        next(games)
    assert desktop.keys == []


def test_player_dialog_beside_the_board_is_closed_when_the_face_does_not_react(sit_down):
    faults = Faults(dialogs=2, dialogs_cover=False)
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2, faults=faults)
    results = table.play(2)
    check_truth(table, results)
    assert [result.result for result in results] == [GameState.WON] * 2
    assert table.desktop.keys == [("enter", True)] * 2


def test_player_lost_game_and_a_face_that_does_not_react_get_no_key(sit_down):
    table = sit_down(seed=3)
    games = table.player.iter_games(40)
    assert any(result.result is GameState.LOST for result in games), "the generator stops at the first lost game"
    table.desktop.is_frozen = True
    with pytest.raises(BotError, match="no new game began"):
        next(games)
    assert table.desktop.keys == []


def test_player_more_dialogs_than_a_game_has_are_an_error(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)], faults=Faults(dialogs=ENDLESS))
    with pytest.raises(UnreadableError, match=r"(?s)has the keyboard \(close it\).*kept\.png"):
        table.play(2)
    assert len(table.desktop.keys) == MAX_DIALOGS
    assert table.desktop.game.state is GameState.WON
    check_manners(table.desktop)


def test_player_dialog_with_a_skin_without_key_is_an_error(sit_down):
    table = sit_down(
        impatient(CLASSIC, dialog_keys=()), level=WALLED_LEVEL, layouts=[layout_of(WALLED)], faults=Faults(dialogs=1)
    )
    with pytest.raises(UnreadableError, match=r"another window of the game has the keyboard \(close it\)"):
        table.play(2)
    assert table.desktop.keys == []


def test_player_window_over_a_board_that_is_due_to_be_won_gets_no_key_where_windows_are_known(sit_down):
    """What a key does that goes to no dialog is the game's business: it may begin another game."""
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    desktop.on_click = lambda _: desktop.game.state is GameState.WON and desktop.cover(range(2, 5), range(2, 5))
    with pytest.raises(UnreadableError):
        table.play(2)
    assert desktop.game.state is GameState.WON
    assert desktop.keys == []


def test_player_key_for_a_new_game_goes_to_no_other_program(sit_down):
    by_key = replace(CLASSIC, new_game=replace(CLASSIC.new_game, spot_px=None, key="f2"))
    table = sit_down(by_key, level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    games = table.player.iter_games(2)
    next(games)
    desktop.lose_focus()
    table.witness.on_remark = desktop.abort
    with pytest.raises(Aborted):
        next(games)
    assert table.witness.remarks == ["another window has the keyboard: paused; F10 goes on"]
    assert (desktop.keys, desktop.stray_keys) == ([], [])


CORNERS = Layout.of_cells((9, 9), [(0, 8), (8, 0), (8, 8)])
"""Won by the first click."""
BY_KEY = replace(CLASSIC, new_game=replace(CLASSIC.new_game, spot_px=None, key="f2"))


@pytest.fixture
def finished(sit_down):
    """A player before a lost board, whose skin begins games by key."""

    def sit(**options):
        table = sit_down(BY_KEY, level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2, **options)
        desktop = table.desktop
        desktop.game.open((0, 0))
        desktop.game.open((0, 7))
        desktop.repaint()
        honest = desktop.press

        def press(key, window):
            is_pressed = honest(key, window)
            if desktop.has_focus and key == "f2" and not desktop.dialog_is_up:
                desktop.new_game_by_person()
            return is_pressed

        desktop.press = press
        return table

    return sit


def test_player_key_for_a_new_game_is_kept_where_the_game_never_had_the_keyboard(finished):
    """Over a finished board nothing is clicked before the key: whoever has the keyboard would get it."""
    table = finished()
    desktop = table.desktop
    desktop.lose_focus()
    table.witness.on_remark = desktop.abort
    with pytest.raises(Aborted):
        table.play()
    assert (desktop.keys, desktop.stray_keys, desktop.clicks) == ([], [], [])
    assert table.witness.remarks == ["the game's window does not have the keyboard (click it): paused; F10 goes on"]


def test_player_key_for_a_new_game_is_pressed_once_a_person_gave_the_keyboard_to_the_game(finished):
    table = finished()
    desktop = table.desktop
    desktop.lose_focus()

    def give_and_go_on():
        desktop.has_focus = True
        desktop.control.toggle()

    table.witness.on_remark = give_and_go_on
    assert [result.result for result in table.play()] == [GameState.WON]
    assert desktop.keys == [("f2", False)]
    check_manners(desktop)


def test_player_key_for_a_new_game_is_kept_where_nothing_is_known_of_windows(finished):
    table = finished(knows_programs=False)
    desktop = table.desktop

    def begin_and_go_on():
        desktop.new_game_by_person()
        desktop.control.toggle()

    table.witness.on_remark = begin_and_go_on
    assert [result.result for result in table.play()] == [GameState.WON]
    (remark,) = table.witness.remarks
    assert remark.startswith("nothing tells here which window has the keyboard (press f2 in the game yourself): paused")
    assert (desktop.keys, desktop.stray_keys) == ([], [])


def test_player_key_for_a_new_game_is_kept_while_a_dialog_of_the_game_has_the_keyboard(finished):
    table = finished()
    desktop = table.desktop
    desktop.raise_dialog(0.0, covers=False)
    table.witness.on_remark = desktop.abort
    with pytest.raises(Aborted):
        table.play()
    assert desktop.keys == []
    assert table.witness.remarks == ["another window of the game has the keyboard (close it): paused; F10 goes on"]


def test_player_dialog_that_comes_up_right_before_the_key_for_a_new_game_is_closed_first(monkeypatch):
    """It comes after the last look for dialogs: the next of a chain, on a busy machine."""
    desktop = UnknownClone(CLASSIC, (9, 9, 3), layouts=[CORNERS] * 2)
    simulate_time(monkeypatch, desktop.clock)
    table = Table(desktop, known=BY_KEY)
    honest, asked = Pointer.press_in_game, []

    def press_in_game(pointer, key, **options):
        if not asked:
            desktop.raise_dialog(0.0, covers=False)
        asked.append(key)
        return honest(pointer, key, **options)

    monkeypatch.setattr(Pointer, "press_in_game", press_in_game)
    table.witness.on_remark = desktop.abort  # a pause would last for ever
    assert [result.result for result in table.play(2)] == [GameState.WON] * 2
    assert desktop.keys == [("enter", True), ("f2", False)]
    assert table.witness.remarks == []
    check_manners(desktop)


QUESTIONS = ("position", "focused", "focused_window", "at", "window_at", "turned_to", "grab")


def happen_at_questions(desktop, happen):
    """Call `happen` with a number whenever the machine is asked anything while a won board or its dialogs are up."""
    asked = []

    def counted(question):
        def answer(*arguments):
            if desktop.game.state is GameState.WON:
                asked.append(question)
                happen(len(asked))
            return question(*arguments)

        return answer

    for name in QUESTIONS:
        setattr(desktop, name, counted(getattr(desktop, name)))


@pytest.mark.parametrize("covers", [True, False])
@pytest.mark.parametrize("first", [1, 2, 3, 5, 8, 13, 21])
def test_player_paused_at_any_moment_around_a_win_sends_no_key(sit_down, first, covers):
    """Again and again, at one question to the machine after the other: no key before the start key goes on."""
    faults = Faults(dialogs=2, dialog_s=0.02, dialogs_cover=covers)
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS] * 2, faults=faults)
    desktop = table.desktop
    desktop.control.resumes_s = 3.0
    happen_at_questions(desktop, lambda n: n in {first, first + 23, first + 46} and desktop.control.toggle())
    assert [result.result for result in table.play(2)] == [GameState.WON] * 2
    assert desktop.control.n_pauses > 0
    check_manners(desktop)


@pytest.mark.parametrize("n_asked", range(1, 60, 4))
def test_player_stopped_at_any_moment_around_a_win_sends_no_key(sit_down, n_asked):
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS] * 2, faults=Faults(dialogs=2, dialog_s=0.02))
    desktop, keys_at = table.desktop, []

    def stop(n):
        if n == n_asked:
            keys_at.append(len(desktop.keys))
            desktop.abort()

    happen_at_questions(desktop, stop)
    with pytest.raises(Aborted):
        table.play(2)
    assert keys_at == [len(desktop.keys)]


@pytest.mark.parametrize("covers", [True, False])
@pytest.mark.parametrize("chain", [("enter", "escape"), ("escape",), ("escape", "enter", "escape")])
def test_player_dialogs_that_take_other_keys_are_closed_by_those_in_turn(sit_down, chain, covers):
    skin = impatient(CLASSIC, dialog_keys=("enter", "escape"))
    faults = Faults(dialogs=len(chain), dialog_key=chain, dialog_s=0.1, dialogs_cover=covers)
    table = sit_down(skin, level=(9, 9, 3), layouts=[CORNERS] * 2, faults=faults)
    table.play(2)
    assert [game.state for game in table.desktop.games[:2]] == [GameState.WON] * 2
    assert [key for key, _ in table.desktop.keys[: chain.count("enter") + 2 * chain.count("escape")]] == [
        key for due in chain for key in (["enter", "escape"] if due == "escape" else ["enter"])
    ]
    assert all(at_dialog for _, at_dialog in table.desktop.keys), "Escape at the board's own window may minimise it"
    check_manners(table.desktop)


def test_player_dialog_is_closed_by_its_other_key_where_the_first_is_a_hot_key_that_no_window_gets(sit_down):
    skin = impatient(CLASSIC, dialog_keys=("escape", "enter"))
    table = sit_down(skin, level=(9, 9, 3), layouts=[CORNERS] * 2, faults=Faults(dialogs=1, dialog_s=0.02))
    honest = table.desktop.press
    table.desktop.press = lambda key, window: key != "escape" and honest(key, window)
    table.play(2)
    assert table.desktop.keys[0] == ("enter", True)
    check_manners(table.desktop)


@pytest.mark.parametrize("dialog_s", [0.02, 0.3])
@pytest.mark.parametrize("covers", [True, False])
def test_player_dialogs_of_the_last_game_are_closed(sit_down, covers, dialog_s):
    faults = Faults(dialogs=2, dialog_s=dialog_s, dialogs_cover=covers)
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS], faults=faults)
    table.play()
    assert table.desktop.dialog_is_due
    table.player.close_last_dialogs()
    assert not table.desktop.dialog_is_due
    assert table.desktop.keys == [("enter", True)] * 2
    check_manners(table.desktop)


def test_player_dialog_of_the_last_game_is_left_to_a_person_who_moves_the_mouse(sit_down):
    """Nothing is left to go on with then: it is not said to be paused."""
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS], faults=Faults(dialogs=1, dialog_s=0.02))
    table.play()
    table.desktop.person_moves(Pixel(3, 3))
    table.player.close_last_dialogs()
    assert table.desktop.dialog_is_due
    assert table.desktop.keys == []
    assert table.witness.remarks == ["the mouse was moved: the last dialog is left open"]
    check_manners(table.desktop)


@pytest.mark.parametrize(("n_looks", "covers"), [*((n, True) for n in range(1, 5)), *((n, False) for n in range(1, 4))])
def test_player_dialog_of_a_won_game_that_comes_over_the_next_one_is_closed(sit_down, n_looks, covers):
    """At one look after the other, up to the last one before the first click."""
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS] * 2)
    desktop, looks = table.desktop, []

    def come_up(n_grab):
        if len(desktop.games) == 2 and desktop.game.state is GameState.FRESH:
            looks.append(n_grab)
            if len(looks) == n_looks:
                desktop.raise_dialog(0.0, covers=covers)

    desktop.on_grab = come_up
    results = table.play(2)
    assert [result.result for result in results] == [GameState.WON] * 2
    assert desktop.keys == [("enter", True)]
    assert [press.fate for press in desktop.clicks if press.fate != "taken"] == [], (
        "it is closed before the first click"
    )
    check_manners(desktop)


ISLAND = Layout.of_cells((9, 9), [(7, 7), (7, 8), (8, 7)])
"""Won by a flood, and by one more click into the corner that its mines enclose."""


@pytest.mark.parametrize("covers", [True, False])
def test_player_dialog_of_a_won_game_that_comes_when_the_next_one_was_begun_is_closed(sit_down, covers):
    """It takes the clicks from then on, whether it hides cells or lies beside the board."""
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS, ISLAND])
    desktop = table.desktop
    desktop.after_clicks(3, lambda: desktop.raise_dialog(0.0, covers=covers))  # the first one of the second game
    results = table.play(2)
    assert [result.result for result in results] == [GameState.WON] * 2
    assert desktop.keys == [("enter", True)]
    check_manners(desktop)


@pytest.mark.parametrize("layouts", [[CORNERS, ISLAND], [ISLAND]], ids=["late", "no won game before"])
def test_player_dialog_beside_a_game_that_no_won_game_brings_up_gets_no_key(sit_down, monkeypatch, layouts):
    monkeypatch.setattr("bot.playing.situation.LATE_DIALOG_S", 0.0)
    table = sit_down(level=(9, 9, 3), layouts=layouts)
    desktop = table.desktop
    desktop.after_clicks(2 * len(layouts) - 1, lambda: desktop.raise_dialog(0.0, covers=False))
    with pytest.raises(NoEffectError):
        table.play(len(layouts))
    assert desktop.keys == []


def test_player_dialog_that_a_person_opened_over_the_game_after_a_won_one_gets_no_key(sit_down):
    """While play was paused, before the first click of the next game, when that has been seen."""
    table = sit_down(level=(9, 9, 3), layouts=[CORNERS] * 2)
    desktop, looks = table.desktop, []
    desktop.control.resumes_s = 3.0

    def pause(n_grab):
        if len(desktop.games) == 2 and desktop.game.state is GameState.FRESH:
            looks.append(n_grab)
            if len(looks) == 3:
                desktop.raise_dialog(0.0, key=None)
                desktop.control.toggle()

    desktop.on_grab = pause
    with pytest.raises(UnreadableError, match="another window of the game has the keyboard"):
        table.play(2)
    assert desktop.keys == []
