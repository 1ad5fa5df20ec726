"""The one door for the bot's clicks and keys: what it refuses, and whom it asks right before."""

from __future__ import annotations

from threading import Timer

import pytest

from bot.errors import Aborted
from bot.models import Button, Held, Pixel, Region
from bot.playing.control import KEYBOARD_S, Control, FocusWatch, Pointer

BOARD = Region(0, 0, 100, 100)
HERE = Pixel(50, 50)
GAME, OTHER = 1, 2
GAME_WINDOW, DIALOG, OTHER_WINDOW = 10, 11, 20


class Desk:
    """All ports in one; `on_question` is called whenever anything is asked of them, with what is asked."""

    def __init__(self):
        self.control = Control(running=True)
        self.has_keyboard = (GAME, GAME_WINDOW)
        self.is_known = True
        self.keys, self.clicks, self.said = [], [], []
        self.on_question = lambda _question: None
        self.holds = Held()
        self.noted = []
        self.hand = Pointer(
            self, self, self.control, FocusWatch(self), self.said.append, self.said.append, self._note_click
        )
        self.hand._focus.learn(HERE)

    def _note_click(self):
        self.noted.append(len(self.clicks))

    def position(self):
        self.on_question("position")
        return Pixel(0, 0)

    def held(self):
        self.on_question("held")
        return self.holds

    def follow(self, pixel):
        """Clicks go to places on the screen."""

    def click(self, click):
        self.clicks.append(click.pixel)
        return Pixel(0, 0)

    def press(self, key, window):
        self.on_question("press")
        if self.has_keyboard[1] != window:
            return False
        self.keys.append((key, self.has_keyboard[1], self.control.is_running))
        return True

    def focused(self):
        self.on_question("focused")
        return self.has_keyboard[0]

    def turned_to(self):
        return []

    def at(self, _pixel):
        return GAME if self.is_known else None

    def focused_window(self):
        self.on_question("focused_window")
        return self.has_keyboard[1]

    def window_at(self, _pixel):
        return GAME_WINDOW if self.is_known else None

    def has_window(self, _window):
        return self.is_known

    def dialogs(self, _window):
        return [DIALOG] if self.is_known else []

    def activate(self, _window):
        """Nothing."""

    def close(self):
        """Nothing to give back."""


@pytest.fixture
def desk(monkeypatch):
    desk = Desk()
    monkeypatch.setattr("bot.playing.control.KEYBOARD_S", 0.05)
    return desk


def test_hand_presses_a_key_in_the_window_that_has_the_keyboard(desk):
    assert desk.hand.press("n", GAME_WINDOW)
    assert desk.hand.press_in_game("n")
    assert desk.keys == [("n", GAME_WINDOW, True)] * 2
    assert desk.said == []


@pytest.mark.parametrize("keyboard", [(OTHER, OTHER_WINDOW), (GAME, DIALOG), (None, None), (GAME, None)])
def test_hand_presses_no_key_where_another_window_or_none_has_the_keyboard(desk, keyboard):
    desk.has_keyboard = keyboard
    assert not desk.hand.press("n", GAME_WINDOW)
    assert not desk.hand.press("n", None)
    assert not desk.hand.press_in_game("n")
    assert desk.keys == []
    assert not desk.control.is_running
    assert len(desk.said) == 1


def test_hand_presses_no_key_where_nothing_is_known_of_windows(desk):
    desk.is_known = False
    desk.hand._focus.forget()
    desk.hand._focus.learn(HERE)
    desk.has_keyboard = (None, None)
    assert not desk.hand.press_in_game("n")
    assert desk.keys == []
    assert desk.said == ["nothing tells here which window has the keyboard (press n in the game yourself)"]


def test_hand_that_may_not_press_a_hot_key_says_so(desk):
    desk.press = lambda _key, _window: False
    assert not desk.hand.press_in_game("n")
    assert not desk.control.is_running
    assert desk.said == [
        "the desktop lets no window have the key n (press it in the game yourself, or name other hot keys)"
    ]


@pytest.mark.parametrize("question", ["position", "focused", "focused_window"])
@pytest.mark.parametrize("is_abort", [True, False])
def test_hand_presses_no_key_when_play_was_paused_or_stopped_at_any_question_before_it(desk, question, is_abort):
    def answer(asked):
        if asked == question and desk.control.is_running:
            (desk.control.abort if is_abort else desk.control.toggle)()

    desk.on_question = answer
    if is_abort:
        with pytest.raises(Aborted):
            desk.hand.press("n", GAME_WINDOW)
    else:
        assert not desk.hand.press("n", GAME_WINDOW)
    assert desk.keys == []


def test_hand_presses_no_key_when_the_keyboard_leaves_at_the_last_question_but_one(desk):
    def leave(asked):
        if asked == "focused":
            desk.has_keyboard = (OTHER, OTHER_WINDOW)

    desk.on_question = leave
    assert not desk.hand.press("n", GAME_WINDOW)
    assert desk.keys == []


def test_hand_waits_until_its_own_last_click_has_ended(desk):
    n_asked = []

    def end(asked):
        n_asked.extend([asked] * (asked == "held"))
        desk.holds = Held(has_click=len(n_asked) < 3)

    desk.on_question = end
    assert desk.hand.is_free()
    assert len(n_asked) == 3
    assert desk.said == []
    assert desk.control.is_running


@pytest.mark.parametrize("is_abort", [True, False])
def test_hand_that_waits_for_its_own_click_can_be_paused_and_stopped(desk, is_abort):
    desk.holds = Held(has_click=True)
    timer = Timer(0.02, desk.control.abort if is_abort else desk.control.toggle)
    timer.start()
    if is_abort:
        with pytest.raises(Aborted):
            desk.hand.is_free()
    else:
        assert not desk.hand.is_free()
    timer.join()


def test_hand_waits_for_the_keyboard_to_come_back(desk, monkeypatch):
    monkeypatch.setattr("bot.playing.control.KEYBOARD_S", KEYBOARD_S)
    desk.has_keyboard = (GAME, DIALOG)
    n_asked = []

    def come_back(asked):
        n_asked.append(asked)
        if len(n_asked) == 5:
            desk.has_keyboard = (GAME, GAME_WINDOW)

    desk.on_question = come_back
    assert desk.hand.press_in_game("n")
    assert desk.keys == [("n", GAME_WINDOW, True)]


def test_hand_paused_does_nothing_however_often_it_is_asked(desk):
    desk.control.toggle()
    for _ in range(3):
        assert not desk.hand.is_free()
        assert not desk.hand.press("n", GAME_WINDOW)
        assert not desk.hand.click(HERE, Button.LEFT, BOARD, is_as_seen=lambda _: True)
    assert (desk.keys, desk.clicks, desk.said) == ([], [], [])
    desk.control.toggle()
    assert desk.hand.click(HERE, Button.LEFT, BOARD, is_as_seen=lambda _: True)
    assert desk.clicks == [HERE]


def test_hand_key_that_the_keyboard_refused_at_the_last_moment_is_not_pressed(desk):
    def leave(asked):
        if asked == "press":
            desk.has_keyboard = (OTHER, OTHER_WINDOW)

    desk.on_question = leave
    assert not desk.hand.press("alt+escape", GAME_WINDOW)
    assert desk.keys == []


def test_hand_notes_every_click_right_before_it_and_none_that_is_refused(desk):
    click = {"pixel": HERE, "button": Button.LEFT, "board": BOARD}
    assert desk.hand.click(**click, is_as_seen=lambda _pixel: True)
    assert not desk.hand.click(**click, is_as_seen=lambda _pixel: False)
    assert (desk.noted, len(desk.clicks)) == ([0], 1)


@pytest.mark.parametrize(("at", "parked"), [((90, 50), (116, 50)), ((5, 20), (5, 116)), ((50, 2), (116, 2))])
def test_pointer_is_parked_to_the_right_of_a_board_or_below_it_and_not_among_buttons(at, parked):
    desk, moved = Desk(), []
    desk.position = lambda: Pixel(*(moved or [at])[-1])
    desk.move = moved.append
    assert desk.hand.park(BOARD)
    assert moved == [parked]
