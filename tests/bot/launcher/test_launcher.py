"""The window as a person meets it: real windows, keys and clicks, on a screen with a window manager."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import closing, contextmanager
from functools import partial

import pytest
from bot_process import environment, run_bot, running_bot
from patience import STOP_MS, wait_until
from person import person
from window_manager import openbox
from xledger import XLedger
from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol.event import ClientMessage

from bot.models import Region
from bot.preferences import VARIABLE
from bot.virtual_screen import xvfb

pytestmark = [pytest.mark.safety, pytest.mark.screen]

TITLE = "Minebot start"


built_in_game = partial(running_bot, "game", "--best-times", "none", "--keep-games", "none")
"""The built-in game, which keeps no times. It would take this bot for a person, as the two share no folder."""


class Windows:
    """Who sees all windows of a display: their names, places, and which one has the keyboard."""

    def __init__(self, display_name):
        self.name = display_name
        self._display = Display(display_name)
        self._root = self._display.screen().root

    def close(self):
        self._display.close()

    def xdotool(self, *words):
        """What xdotool says, a line each."""
        done = subprocess.run(
            ["xdotool", *words], check=False, env=environment(self.name), capture_output=True, text=True
        )
        return done.stdout.split()

    def titled(self, title):
        """The number of the visible window with exactly this title, None without one."""
        found = self.xdotool("search", "--onlyvisible", "--name", f"^{title}$")
        return found[0] if found else None

    def _whole(self, number):
        """A window with its frame."""
        window = self._display.create_resource_object("window", int(number))
        while (parent := window.query_tree().parent) != self._root:
            window = parent
        return window

    def place(self, number):
        """Where a window is, with its frame."""
        at = self._whole(number).get_geometry()
        return Region(at.x, at.y, at.width, at.height)

    def shows(self, number):
        """Whether a window is to be seen."""
        return self._whole(number).get_attributes().map_state == X.IsViewable

    def keyboard_is_in(self, number):
        """Whether a window, or a part of it, has the keyboard."""
        focus = self._display.get_input_focus().focus
        return not isinstance(focus, int) and self._whole(focus.id) == self._whole(number)

    def bars(self):
        """Where windows are that no window manager manages."""
        found = []
        for window in self._root.query_tree().children:
            try:
                told = window.get_attributes()
                if told.override_redirect and told.map_state == X.IsViewable:
                    at = window.get_geometry()
                    if at.width > 100:
                        found.append(Region(at.x, at.y, at.width, at.height))
            except XError:  # it closed meanwhile
                continue
        return found

    def click(self, number, words_at):
        """Click into a window."""
        self.xdotool("mousemove", "--window", str(number), *map(str, words_at), "click", "1")

    def press(self, *keys):
        """Press keys in the window that has the keyboard."""
        self.xdotool("key", *keys)

    def ask_to_close(self, number):
        """Do what a window manager does when a person closes a window."""
        window = self._display.create_resource_object("window", int(number))
        protocols, delete = (self._display.intern_atom(name) for name in ("WM_PROTOCOLS", "WM_DELETE_WINDOW"))
        told = ClientMessage(window=window, client_type=protocols, data=(32, [delete, X.CurrentTime, 0, 0, 0]))
        window.send_event(told)
        self._display.sync()


@contextmanager
def launcher(display, settings):
    """The window, open while the block runs; yields (windows, its number)."""
    with (
        closing(Windows(display)) as windows,
        running_bot(display=display, **{VARIABLE: str(settings)}, XDG_DATA_HOME=str(settings.parent)) as bot,
    ):
        number = wait_until(lambda: windows.titled(TITLE), lambda: f"no window came: {bot.remarks}")
        windows.process, windows.remarks = bot.process, bot.remarks
        yield windows, number


def open_again(windows):
    return wait_until(lambda: windows.titled(TITLE), "the window did not come back")


def focus(windows, number):
    wait_until(lambda: windows.xdotool("windowactivate", number) or windows.keyboard_is_in(number))


class Watch:
    """Looks again and again, while a game is on, at what must never be so: a bar over the game, the keyboard here."""

    def __init__(self, windows, game, own):
        self._windows = Windows(windows.name)
        self._game, self._own = game, own
        self.faults: list[str] = []
        self.n_bars = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._is_over.set()
        self._thread.join()
        self._windows.close()

    def _look(self):
        while not self._is_over.wait(0.01):
            game, bars = self._windows.place(self._game), self._windows.bars()
            self.n_bars += len(bars)
            self.faults += [f"a bar at {bar} over the game at {game}" for bar in bars if bar.shared(game).n_pixels]
            if bars and self._windows.keyboard_is_in(self._own):
                self.faults.append("the keyboard is here")


def games_of(log):
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.mark.parametrize("way", ["Alt+P", "the start key"])
def test_games_are_played_and_told_and_the_bar_stays_off_them(virtual_display, tmp_path, way):
    settings, log = tmp_path / "settings.toml", tmp_path / "games.jsonl"
    settings.write_text('games = 3\nspeed = "fast"\n')
    with (
        built_in_game("--level", "intermediate", "--position", "3,4", "--log", str(log), display=virtual_display),
        launcher(virtual_display, settings) as (windows, number),
        XLedger(virtual_display) as witness,
    ):
        game = wait_until(lambda: windows.titled("Minebot"))
        with Watch(windows, game, number) as watch:
            if way == "Alt+P":
                focus(windows, number)
                windows.press("alt+p")
            else:
                focus(windows, game)
                windows.press("F10")
            wait_until(lambda: len(games_of(log)) == 3, "three games were not played")
            open_again(windows)
        place = windows.place(game)
        assert not [one for one in witness.of("press") if not place.has_pixel(one)]
    assert watch.faults == []
    assert watch.n_bars > 0


@pytest.mark.parametrize("way", ["the window manager", "a signal"])
def test_closing_the_window_stops_the_game_at_once(virtual_display, tmp_path, way):
    settings, log = tmp_path / "settings.toml", tmp_path / "games.jsonl"
    settings.write_text('games = 999\nspeed = "fast"\n')
    with (
        built_in_game("--level", "expert", "--position", "5,20", "--log", str(log), display=virtual_display),
        launcher(virtual_display, settings) as (windows, number),
        XLedger(virtual_display) as witness,
        person(virtual_display) as hand,
    ):
        focus(windows, number)
        windows.press("alt+p")
        wait_until(lambda: len(witness.of("press")) > 20, "nothing was played")
        asked_ms = hand.now_ms()
        if way == "a signal":
            windows.process.terminate()
        else:
            windows.ask_to_close(number)
        windows.process.wait()
        time.sleep(0.5)
        late = [one.time_ms - asked_ms for one in witness.of("press") if one.time_ms > asked_ms + STOP_MS]
        assert not late, f"pressed so many milliseconds after the window was closed: {late}"
        assert hand.pressed()[0] == 0


def test_button_of_the_bar_stops_and_the_window_says_so(virtual_display, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text('games = 999\nspeed = "human"\n')
    with (
        built_in_game("--level", "expert", "--position", "5,20", display=virtual_display),
        launcher(virtual_display, settings) as (windows, number),
        XLedger(virtual_display) as witness,
        person(virtual_display) as hand,
    ):
        focus(windows, number)
        windows.press("alt+p")
        wait_until(lambda: witness.of("press"), "nothing was played")
        (bar,) = wait_until(windows.bars, "no bar came")
        windows.xdotool("mousemove", str(bar.right - 30), str(bar.middle.y), "click", "1")
        open_again(windows)
        stopped_ms = hand.now_ms()
        time.sleep(0.5)
        assert not [one for one in witness.of("press") if one.time_ms > stopped_ms]


def test_stop_key_stops_what_has_not_begun_yet(virtual_display, tmp_path):
    settings = tmp_path / "settings.toml"
    with (
        built_in_game("--position", "30,40", display=virtual_display),
        launcher(virtual_display, settings) as (windows, number),
        XLedger(virtual_display) as witness,
    ):
        focus(windows, number)
        windows.press("alt+p")
        wait_until(lambda: not windows.titled(TITLE), "the window did not give way")
        windows.press("Escape")
        open_again(windows)
        assert witness.of("press") == []


@pytest.mark.parametrize("way", ["Alt+P", "closed"])
def test_settings_that_are_typed_are_kept(virtual_display, tmp_path, way):
    settings = tmp_path / "settings.toml"
    settings.write_text("# mine\ngames = 2\n")
    with launcher(virtual_display, settings) as (windows, number):
        focus(windows, number)
        windows.press(*["Tab"] * 6, "BackSpace", "7", *["Tab"] * 5, "space")  # games; then flags
        if way == "Alt+P":
            windows.press("alt+p")
        else:
            windows.ask_to_close(number)
            windows.process.wait()
        wait_until(lambda: "games = 7" in settings.read_text(), settings.read_text)
        assert settings.read_text() == "# mine\ngames = 7\nflags = true\n"


def test_settings_changed_by_hand_and_the_last_recording_stay_where_play_does_not_begin(virtual_display, tmp_path):
    settings, kept = tmp_path / "settings.toml", tmp_path / "minebot" / "recordings" / "last-game" / "kept"
    kept.parent.mkdir(parents=True)
    kept.touch()
    with launcher(virtual_display, settings) as (windows, number):
        settings.write_text('speed = "human"\n')
        focus(windows, number)
        windows.press("alt+p")
        wait_until(lambda: not windows.titled(TITLE), "the window did not give way")
        open_again(windows)  # there is no board
    assert settings.read_text() == 'speed = "human"\n'
    assert kept.exists()


def test_mistake_in_the_settings_is_told_in_a_box_and_on_standard_error(virtual_display, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text("games = 0\n")
    with launcher(virtual_display, settings) as (windows, box):
        focus(windows, box)
        windows.press("Return")
        assert windows.process.wait() == 2
        wait_until(lambda: f"{settings}: expected games = 1 or more, got '0'" in "".join(windows.remarks))
        assert windows.titled(TITLE) is None


def test_where_the_screen_cannot_be_used_the_checks_say_what_is_wrong(tmp_path):
    with (
        xvfb("-screen", "0", "1280x1024x16") as display,  # a depth that nobody captures
        openbox(display),
        launcher(display, tmp_path / "settings.toml") as (windows, number),
    ):
        height = windows.place(number).height
        focus(windows, number)
        windows.press("alt+p")
        wait_until(lambda: windows.place(number).height > height + 20, "nothing was found to be wrong")


def test_without_a_display_it_says_what_to_type():
    code, output, remarks = run_bot()
    assert (code, remarks) == (0, "")
    assert "minebot demo     watch it play the built-in game" in output
