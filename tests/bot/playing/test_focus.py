"""When a person turned to another program: the rule by itself, then with real windows on a real X server."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing, contextmanager

import pytest
from patience import wait_until
from plain_windows import plain_windows
from Xlib import X
from Xlib.display import Display

from bot.desktop import this_platform
from bot.desktop.protocols import dialogs_of
from bot.errors import ScreenError
from bot.models import Pixel, Region
from bot.playing.control import FocusWatch

GAME, OTHER, DESKTOP = 7, 8, None
DIALOG = 77
HERE, THERE = Pixel(10, 10), Pixel(500, 10)


class TwoPrograms:
    """A game at `HERE`, another program everywhere else; the keyboard is where a test puts it.

    Each has one window, named as the program is; the game may have another one, which has the keyboard then, unless it
    leaves it to the board.
    """

    leaves_keyboard = False

    def __init__(self, keyboard=GAME):
        self.keyboard = keyboard
        self.dialog = None
        self.activated = []
        self.turned = []

    def focused(self):
        return self.keyboard

    def turned_to(self):
        turned, self.turned = self.turned, []
        return turned

    def at(self, pixel):
        return GAME if pixel == HERE else OTHER

    def focused_window(self):
        return self.keyboard if self.dialog is None or self.leaves_keyboard else self.dialog

    window_at = at

    def has_window(self, window):
        return window in (GAME, OTHER)

    def dialogs(self, _window):
        return [DIALOG] if self.dialog == DIALOG else []

    def activate(self, window):
        self.activated.append(window)

    def close(self):
        """Nothing to give back."""


def watched(keyboard=GAME):
    asked = TwoPrograms(keyboard)
    return asked, FocusWatch(asked)


# --- the rule


@pytest.mark.parametrize("keyboard", [GAME, OTHER, DESKTOP])
def test_focus_is_never_lost_before_the_first_click(keyboard):
    asked, watch = watched(keyboard)
    assert not watch.is_lost()
    for turned_to in (DESKTOP, OTHER, GAME, OTHER):
        asked.keyboard = turned_to
        assert not watch.is_lost()


def test_focus_is_lost_when_another_program_gets_the_keyboard():
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.keyboard = OTHER
    assert watch.is_lost()
    assert watch.is_lost(), "until somebody says so"
    asked.keyboard = GAME
    assert not watch.is_lost()


@pytest.mark.parametrize(("shows", "is_lost"), [(OTHER, True), (GAME, True), (DESKTOP, False)])
def test_focus_is_lost_to_a_program_whose_window_lies_over_the_place_too(shows, is_lost):
    """Where a third window shows, or none, the board is out of sight: it is looked for instead."""
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.keyboard = OTHER
    asked.at = lambda _pixel: shows
    assert watch.is_lost() == is_lost


def test_focus_that_was_elsewhere_for_a_moment_is_lost():
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.turned = [OTHER, GAME]
    assert watch.is_lost()
    assert not watch.is_lost(), "it has been said"


def test_focus_that_came_to_the_game_lately_is_not_lost():
    asked, watch = watched(OTHER)
    watch.learn(HERE)
    asked.keyboard, asked.turned = GAME, [OTHER, GAME]
    assert not watch.is_lost()


def test_focus_that_was_elsewhere_before_it_was_forgotten_is_not_lost():
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.turned = [OTHER, GAME]
    watch.forget()
    watch.learn(HERE)
    assert not watch.is_lost()


def test_focus_that_the_game_never_had_cannot_be_lost():
    asked, watch = watched(OTHER)
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.keyboard = GAME
    assert not watch.is_lost()
    asked.keyboard = OTHER
    assert watch.is_lost(), "now it had it"


def test_focus_on_nothing_at_all_is_not_lost():
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.keyboard = DESKTOP
    assert not watch.is_lost()


def test_focus_the_played_program_is_the_first_that_was_clicked():
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    watch.learn(THERE)
    asked.keyboard = OTHER
    assert watch.is_lost()


def test_focus_first_click_where_no_window_is_learns_nothing():
    asked, watch = watched()
    asked.at = lambda _pixel: None
    watch.learn(HERE)
    asked.keyboard = OTHER
    assert not watch.is_lost()
    del asked.at
    asked.keyboard = GAME
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.keyboard = OTHER
    assert watch.is_lost()


def test_focus_forgotten_is_learned_anew():
    asked, watch = watched()
    watch.learn(HERE)
    assert not watch.is_lost()
    asked.keyboard = OTHER
    watch.forget()
    assert not watch.is_lost()
    watch.learn(THERE)
    assert not watch.is_lost()
    asked.keyboard = GAME
    assert watch.is_lost(), "the other program is the one that is played now"


def test_focus_is_played_where_the_played_program_shows_at_one_place_at_least():
    asked, watch = watched()
    assert watch.is_played([THERE]), "nothing is known yet"
    watch.learn(HERE)
    assert watch.is_played([HERE])
    assert watch.is_played([THERE, HERE])
    assert not watch.is_played([THERE])
    assert not watch.is_played([])
    asked.at = lambda _pixel: None
    assert not watch.is_played([HERE])
    watch.forget()
    assert watch.is_played([THERE])


# --- real windows


LEFT, RIGHT = "200x150+100+100", "200x150+500+100"


@contextmanager
def asking(monkeypatch, display):
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("XDG_SESSION_TYPE", raising=False)
    asked = this_platform().programs()
    assert type(asked).__name__ == "X11Programs"
    try:
        yield asked
    finally:
        asked.close()
        with_keyboard = Display(display)  # as a server without a window manager begins: wherever the pointer is
        with_keyboard.set_input_focus(X.PointerRoot, X.RevertToPointerRoot, X.CurrentTime)
        with_keyboard.close()


def xdotool(display, *arguments):
    subprocess.run(["xdotool", *map(str, arguments)], env={**os.environ, "DISPLAY": display}, check=True)


def wait_while(is_so, what):
    """Wait until something is no more."""
    wait_until(lambda: not is_so(), what)


def give_keyboard(display, asked, window):
    """Let a window have the keyboard, and wait until it has."""
    xdotool(display, "windowfocus", window.number)
    wanted = asked.at(window.inside)
    wait_until(lambda: asked.focused() == wanted, "the keyboard is elsewhere")


@pytest.mark.safety
@pytest.mark.screen
def test_programs_tells_whose_window_shows_where(bare_display, monkeypatch):
    with asking(monkeypatch, bare_display) as asked, plain_windows(bare_display, "game", LEFT) as (game,):
        with plain_windows(bare_display, "other", RIGHT, "50x50+120+180") as (other, above):
            assert asked.at(game.inside) is not None
            assert asked.at(game.inside) == asked.at(Pixel(game.left, game.top)) == asked.at(Pixel(299, 249))
            assert asked.at(other.inside) not in (None, asked.at(game.inside))
            assert asked.at(above.inside) == asked.at(other.inside), "windows of one program are one"
            assert asked.at(Pixel(300, 249)) is asked.at(Pixel(99, 100)) is None
            assert asked.place_of(game.number) == Region(100, 100, 200, 150)
        wait_while(lambda: asked.place_of(other.number) is not None, "the window is gone, and still somewhere")
        wait_while(lambda: asked.at(other.inside) is not None, "the window is gone, and still seen")
        assert asked.at(above.inside) == asked.at(game.inside), "what it covered is seen again"


@pytest.mark.safety
@pytest.mark.screen
def test_programs_tells_who_has_the_keyboard(bare_display, monkeypatch):
    with asking(monkeypatch, bare_display) as asked, plain_windows(bare_display, "game", LEFT) as (game,):
        with plain_windows(bare_display, "other", RIGHT) as (other,):
            give_keyboard(bare_display, asked, game)
            assert asked.focused() == asked.at(game.inside)
            give_keyboard(bare_display, asked, other)
            assert asked.focused() == asked.at(other.inside) != asked.at(game.inside)
        wait_while(lambda: asked.focused() is not None, "whoever had the keyboard is gone, and still has it")


@pytest.mark.safety
@pytest.mark.screen
def test_programs_through_the_frames_of_a_window_manager(virtual_display, monkeypatch):
    with (
        asking(monkeypatch, virtual_display) as asked,
        plain_windows(virtual_display, "game", LEFT, is_managed=True) as (game,),
        plain_windows(virtual_display, "other", RIGHT, is_managed=True) as (other,),
    ):
        game_program, other_program = asked.at(game.inside), asked.at(other.inside)
        assert None not in (game_program, other_program)
        assert game_program != other_program
        frame = asked.place_of(asked.window_at(game.inside))
        assert frame.has_pixel(game.inside)
        assert (frame.width, frame.height) > (200, 150), "with the window manager's frame"
        assert not frame.has_pixel(other.inside)
        xdotool(virtual_display, "mousemove", *game.inside, "click", 1)
        give_keyboard(virtual_display, asked, game)
        assert asked.focused() == game_program
        give_keyboard(virtual_display, asked, other)
        assert asked.focused() == other_program


@pytest.mark.safety
@pytest.mark.screen
def test_programs_tells_who_had_the_keyboard_for_a_moment(virtual_display, monkeypatch):
    with (
        asking(monkeypatch, virtual_display) as asked,
        plain_windows(virtual_display, "game", LEFT, is_managed=True) as (game,),
        plain_windows(virtual_display, "other", RIGHT, is_managed=True) as (other,),
    ):
        game_program, other_program = asked.at(game.inside), asked.at(other.inside)
        give_keyboard(virtual_display, asked, game)
        asked.turned_to()
        for window in (other, game, other, game):
            xdotool(virtual_display, "windowfocus", "--sync", window.number)
        assert asked.focused() == game_program
        assert asked.turned_to() == [other_program, game_program] * 2
        assert asked.turned_to() == []


@pytest.mark.safety
@pytest.mark.screen
def test_programs_window_manager_that_keeps_the_keyboard_for_no_window_is_no_program(virtual_display, monkeypatch):
    """It has it for a moment, too, when a dialog is closed: that paused play now and then."""
    with asking(monkeypatch, virtual_display) as asked, closing(Display(virtual_display)) as display:
        with plain_windows(virtual_display, "game", LEFT, is_managed=True) as (game,):
            give_keyboard(virtual_display, asked, game)
            before = display.get_input_focus().focus

        def is_elsewhere():
            focus = display.get_input_focus().focus
            return not isinstance(focus, int) and focus.id != before.id

        wait_until(is_elsewhere, "no window has the keyboard")
        assert asked.focused() is None


@pytest.mark.safety
@pytest.mark.screen
@pytest.mark.parametrize("display", ["bare_display", "virtual_display"])
def test_focus_watch_with_real_windows(display, request, monkeypatch):
    name = request.getfixturevalue(display)
    is_managed = display == "virtual_display"
    with (
        asking(monkeypatch, name) as asked,
        plain_windows(name, "game", LEFT, is_managed=is_managed) as (game,),
        plain_windows(name, "other", RIGHT, is_managed=is_managed) as (other,),
    ):
        watch = FocusWatch(asked)
        give_keyboard(name, asked, other)
        watch.learn(game.inside)
        assert not watch.is_lost(), "it never had it"
        assert watch.is_played([other.inside, game.inside])
        assert not watch.is_played([other.inside])
        give_keyboard(name, asked, game)
        assert not watch.is_lost()
        give_keyboard(name, asked, other)
        assert watch.is_lost()
        watch.forget()
        watch.learn(game.inside)
        assert not watch.is_lost()


def test_focus_dialog_is_another_window_of_the_program_that_is_played():
    asked, watch = watched()
    assert not watch.has_dialog(), "nothing is known yet"
    watch.learn(HERE)
    assert not watch.has_dialog()
    asked.dialog = DIALOG
    assert watch.has_dialog()
    assert watch.has_other_window()
    asked.keyboard = OTHER
    assert watch.dialog() == DIALOG, "another program's window is none of the game's"
    assert not watch.has_other_window()


def test_focus_dialog_need_not_have_the_keyboard_if_it_came_up_since_the_game_is_played():
    asked, watch = watched()
    watch.learn(HERE)
    asked.dialog, asked.leaves_keyboard = DIALOG, True
    assert watch.dialog() == DIALOG
    watch.turn_to(DIALOG)
    assert asked.activated == [DIALOG]
    watch.forget()
    watch.learn(HERE)
    assert not watch.has_dialog(), "it was there before, as a window of settings may be"
    asked.leaves_keyboard = False
    assert watch.dialog() == DIALOG


def test_focus_takes_the_keyboard_for_a_dialog_from_no_other_program():
    asked, watch = watched()
    watch.learn(HERE)
    asked.keyboard, asked.dialog, asked.leaves_keyboard = OTHER, DIALOG, True
    watch.turn_to(DIALOG)
    assert asked.activated == []


@pytest.mark.parametrize(
    ("owners", "dialogs"),
    [
        ({1: None, 2: 1, 3: 2}, [2, 3]),
        ({1: None, 2: None, 3: 2}, []),
        ({1: 9, 2: 9, 3: None}, [2]),
        ({1: None, 2: 3, 3: 2}, []),
    ],
    ids=["a dialog's dialog", "another window's", "all belong to a hidden one", "a ring"],
)
def test_dialogs_of_a_window_belong_to_it_or_to_a_window_that_does_not_show(owners, dialogs):
    assert dialogs_of(1, owners) == dialogs


def test_focus_takes_another_window_that_belongs_to_no_other_for_no_dialog():
    asked, watch = watched()
    watch.learn(HERE)
    asked.dialog = DIALOG + 1
    assert not watch.has_dialog(), "a browser's window about something else"
    assert watch.has_other_window()


def test_focus_has_no_dialog_where_nobody_knows_which_window_has_the_keyboard():
    asked, watch = watched()
    watch.learn(HERE)
    asked.focused_window = lambda: None
    assert not watch.has_dialog()
    asked.keyboard = DESKTOP
    assert not watch.has_dialog()


def test_focus_has_the_keyboard_only_where_that_is_known_for_certain():
    asked, watch = watched()
    assert watch.window is None
    assert not watch.has_keyboard(watch.window), "nothing is known yet"
    watch.learn(HERE)
    assert watch.has_keyboard(watch.window)
    assert not watch.has_keyboard(None)
    asked.dialog = DIALOG
    assert not watch.has_keyboard(watch.window), "its dialog has it"
    assert watch.has_keyboard(watch.dialog())
    asked.keyboard, asked.dialog = OTHER, None
    assert not watch.has_keyboard(watch.window)
    asked.keyboard = GAME
    watch.forget()
    assert watch.window is None, "a person may have put another window there"
    asked.keyboard = DESKTOP
    assert not watch.has_keyboard(None), "no window has the keyboard"


def test_focus_same_window_shows_at_one_pixel_at_least():
    _, watch = watched()
    assert not watch.is_same_window([HERE]), "nothing is known yet"
    watch.learn(HERE)
    assert watch.is_same_window([Pixel(HERE.x + 1, HERE.y), HERE])
    assert not watch.is_same_window([Pixel(HERE.x + 1, HERE.y)])


@pytest.mark.safety
@pytest.mark.screen
@pytest.mark.parametrize("display", ["bare_display", "virtual_display"])
def test_programs_tell_the_windows_of_one_program_apart(display, request, monkeypatch):
    name = request.getfixturevalue(display)
    is_managed = display == "virtual_display"
    with (
        asking(monkeypatch, name) as asked,
        plain_windows(name, "game", LEFT, RIGHT, is_managed=is_managed) as (one, two),
    ):
        assert asked.at(one.inside) == asked.at(two.inside)
        windows = [asked.window_at(window.inside) for window in (one, two)]
        assert None not in windows
        assert windows[0] != windows[1]
        for window, number in zip((one, two), windows, strict=True):
            give_keyboard(name, asked, window)
            wait_until(lambda number=number: asked.focused_window() == number, "the keyboard is in another window")


@pytest.mark.safety
@pytest.mark.screen
def test_programs_tell_whether_a_window_is_still_there_be_it_an_icon(virtual_display, monkeypatch):
    with asking(monkeypatch, virtual_display) as asked:
        with plain_windows(virtual_display, "game", LEFT, is_managed=True) as (game,):
            window = asked.window_at(game.inside)
            assert asked.has_window(window)
            assert asked.dialogs(window) == []
            xdotool(virtual_display, "windowminimize", window)
            wait_while(lambda: asked.window_at(game.inside) == window, "the window does not become an icon")
            assert asked.has_window(window)
        wait_while(lambda: asked.has_window(window), "the window is closed, and still said to be there")
        assert asked.dialogs(window) == []


@pytest.mark.safety
@pytest.mark.screen
def test_programs_tell_a_dialog_by_the_window_that_it_says_it_is_for(virtual_display, monkeypatch):
    with (
        asking(monkeypatch, virtual_display) as asked,
        plain_windows(virtual_display, "game", LEFT, RIGHT, is_managed=True) as (game, dialog),
    ):
        owner, owned = (asked.window_at(window.inside) for window in (game, dialog))
        assert asked.dialogs(owner) == []
        own = Display(virtual_display)
        own.create_resource_object("window", owned).set_wm_transient_for(own.create_resource_object("window", owner))
        own.sync()
        own.close()
        assert asked.dialogs(owner) == [owned]
        assert asked.dialogs(owned) == []
        give_keyboard(virtual_display, asked, game)
        asked.activate(owned)
        wait_until(lambda: asked.focused_window() == owned, "the keyboard stays with the game")


def test_programs_without_a_display_says_so(monkeypatch):
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(ScreenError, match="DISPLAY is not set"):
        this_platform().programs()
