"""Begins another game: the button or key, however often that takes, and the dialogs that are in the way.

`Starter` is the one way to press a key, to click the spot, to answer a dialog, and to see that a game has begun. What
is pressed or clicked is known from the skin (`NextGame`), or is found out with an unknown clone (`calibration.live`).

Clicks the button only where it is to be seen, by the windows or, where nothing is known of them, by its picture. Keys
are pressed only where the window that they are for has the keyboard, known for certain.

The button changes its face with the game; its edge, and the strip of window around it, do not: they are remembered
from when the board was found. That holds in every clone that was recorded. Knows nothing of windows and programs.
"""

from __future__ import annotations

import math
import time
from dataclasses import astuple, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from bot.errors import BotError, ScreenError
from bot.models import Button, Pixel, Region
from bot.playing.board_view import first_shown
from bot.playing.transitions import is_another_game
from bot.vision.cell_edges import parts_with_lines
from skins.skin import SPOTS_FROM, NewGame

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.desktop import Screen
    from bot.models import Grid, Reading
    from bot.playing.board_view import BoardView, GameObservation, GameView, Observation
    from bot.playing.control import Control, FocusWatch, Pointer
    from skins.skin import Skin


R = TypeVar("R")
_INNER, _OUTER = 12 / 16, 15 / 16
"""How far from its middle the strip around the button begins and ends, in cells: a button is 24 to 26 px at 16 px."""


def _spot_of(skin: Skin, grid: Grid) -> Pixel | None:
    """The new-game spot on the screen, where the board is at its clone's own size or at another; None without one."""
    offset = skin.new_game.spot_px
    if offset is None:
        return None
    x, y = (round(part * now / own) for part, now, own in zip(offset, grid.pitch_px, skin.pitch_px, strict=True))
    return spot_at(grid, (x, y), skin.new_game.spot_from)


def spot_at(grid: Grid, offset_px: tuple[int, int], spot_from: str) -> Pixel:
    """The pixel so far to the right of and below a place of a board, one of `SPOTS_FROM`."""
    region = grid.region
    anchor = SPOTS_FROM[spot_from]
    x, y = region.left + int(anchor.across * region.width), region.top + int(anchor.down * region.height)
    return Pixel(x + offset_px[0], y + offset_px[1])


def spot_of(grid: Grid, pixel: Pixel) -> NewGame:
    """A click on that pixel as a way to begin a game, measured from the place of the board that is nearest to it."""
    apart = {
        name: (pixel.x - place.x, pixel.y - place.y)
        for name, place in ((name, spot_at(grid, (0, 0), name)) for name in SPOTS_FROM)
    }
    nearest = min(apart, key=lambda name: math.hypot(*apart[name]))
    return NewGame(spot_px=apart[nearest], spot_from=nearest)


def types_text(key: str) -> bool:
    """Whether a key puts a sign into a text field: a letter, a digit, another sign or a space, maybe with Shift."""
    sign = key.removeprefix("shift+")
    return len(sign) == 1 or sign == "space"


class Starter(Generic[R]):
    """Presses and clicks what may begin a game, and sees whether one has begun.

    Args:
        pointer: clicks and presses keys.
        control: asked while waiting.
        view: the board.
        dialog_s: how long a dialog may take to close, or the next one to come up, in seconds.
    """

    def __init__(self, pointer: Pointer, control: Control, view: BoardView[Any, R], dialog_s: float) -> None:
        self._pointer = pointer
        self._control = control
        self._view = view
        self._dialog_s = dialog_s

    def press(self, key: str, *, may_meet_dialog: bool = False) -> bool:
        """Press a key in the game; as `Pointer.press_in_game`."""
        return self._pointer.press_in_game(key, may_meet_dialog=may_meet_dialog)

    def click(self, spot: Pixel, is_as_seen: Callable[[Pixel], bool], *, is_first: bool = True) -> bool:
        """Click a spot; False, and no click, when play was paused meanwhile, or it does not show what it did.

        Args:
            spot: where; maybe over the board, on what came up when a game ended.
            is_as_seen: asked right before the click whether that place still shows what the click was decided on.
            is_first: whether the window that shows the board now is the one to click in, should it move.

        Raises:
            Aborted: the abort key was pressed.
        """
        if is_first:
            self._pointer.follow_anew()
        return self._pointer.click(spot, Button.LEFT, self._view.grid.region, spot, is_as_seen=is_as_seen)

    def answer_dialog(self, key: str, dialog: int | None) -> bool:
        """Press a key at a dialog, and give it time; False, and no key, when a person came first, or it is gone.

        Raises:
            Aborted: the abort key was pressed.
            BotError: the key types text: a dialog may ask for a name.
        """
        if types_text(key):
            raise BotError(f"refused the key {key} at a dialog: it would be typed into a text field")
        if dialog is None or not self._pointer.press_in_dialog(key, dialog):
            return False
        self._control.wait(self._dialog_s)
        return True

    def has_begun(self, is_another: Callable[[Observation[R]], bool], at_most_s: float, poll_s: float) -> bool:
        """Whether another game is on the board within that time.

        Raises:
            Aborted: the abort key was pressed.
        """
        deadline = time.perf_counter() + at_most_s
        while time.perf_counter() < deadline:
            if is_another(self._view.look()):
                return True
            self._control.wait(poll_s)
        return False


class NewGameButton:
    """Remembers what lies around the button.

    Args:
        screen: where pictures come from.
        skin: what the board looks like.
    """

    def __init__(self, screen: Screen, skin: Skin) -> None:
        self._screen = screen
        self._skin = skin
        self._learned: dict[Grid, bytes] = {}
        """By the board wherever it is: a window that moves keeps its button's edge."""

    def set_skin(self, skin: Skin, grid: Grid) -> None:
        """From now on the board looks so, and its button is where this skin has it."""
        self._skin = skin
        self._learned.clear()
        self.learn(grid)

    def learn(self, grid: Grid) -> None:
        """Remember it, where it can be seen and no board like this one was found before."""
        key, around = _wherever(grid), self._around(grid)
        if around is not None:
            self._learned.setdefault(key, around)

    def is_in_sight(self, grid: Grid) -> bool:
        """Whether what lies around the button is pixel for pixel what it was."""
        around = self._around(grid)
        return around is not None and around == self._learned.get(_wherever(grid))

    def _around(self, grid: Grid) -> bytes | None:
        """The pixels of the strip around the button; None where there is none, or not all of it is on the screen."""
        spot = _spot_of(self._skin, grid)
        if spot is None:
            return None
        inner, outer = (math.ceil(share * grid.pitch_px[0]) for share in (_INNER, _OUTER))
        try:
            frame = self._screen.grab(Region(spot.x - outer, spot.y - outer, 2 * outer + 1, 2 * outer + 1))
        except ScreenError:
            return None
        reach = np.abs(np.arange(-outer, outer + 1))
        return frame.pixels_bgr[np.maximum.outer(reach, reach) >= inner].tobytes()


def _wherever(grid: Grid) -> Grid:
    return replace(grid, origin=Pixel(0, 0))


DIALOG_S = 0.4  # longest time until a dialog has closed or the next one is up, in seconds
_OTHER_KEY_S = 1.0
"""How long a dialog must have stayed after a key before the next one is tried: one that comes when the dialog has just
closed would go to the board's window."""
MAX_DIALOGS = 8
"""Most keys that are pressed at what the end of a game brings up: more dialogs than this are not its end."""
MOST_BROKEN_OFF = 8
"""Most games in a row that may give way to another one before their end, while no person pauses play."""
_BEGUN_S, _MOST_BEGUN_S = 1.0, 8.0
"""Time to wait for a fresh board before the game is asked again, in seconds: each time twice as long, up to a most. A
page that is loading begins to load anew when it is asked again."""
_LOOK_S = 0.02


LAYER_KEY = "enter"  # what closes a page's message
_LEAST_SEEN = 0.4  # least share of a board that is to be seen beside what its own window lays over it


def layer_over(view: BoardView[Any, R], focus: FocusWatch) -> Observation[R] | None:
    """An observation of a board that is seen in part, the rest hidden by its own window, which has the keyboard.

    A page shows its messages in this way, and so does its browser. None where nothing is laid over it, or where another
    window is: a menu is one.

    Args:
        view: the board.
        focus: whose window is where.
    """
    seen, grid = view.look(), view.grid
    if seen.is_in_place or parts_with_lines(seen.wide, grid).mean() < _LEAST_SEEN:
        return None
    left, top, width, height = astuple(grid.region)
    corners = (Pixel(x, y) for x in (left, left + width - 1) for y in (top, top + height - 1))
    middles = (grid.cell_region((row, col)).middle for row in range(grid.rows) for col in range(grid.cols))
    is_own = focus.has_keyboard(focus.window) and focus.is_all_of_window(chain(corners, middles))
    return seen if is_own else None


class NextGame:
    """Asks a clone for another game as its skin says.

    Args:
        pointer: clicks its button and presses its keys.
        view: its board.
        control: asked while waiting.
        focus: whose window is where.
        button: whether the button is in sight, by its picture.
    """

    def __init__(
        self, pointer: Pointer, view: GameView, control: Control, focus: FocusWatch, button: NewGameButton
    ) -> None:
        self._starter = Starter(pointer, control, view, DIALOG_S)
        self._pointer = pointer
        self._view = view
        self._control = control
        self._focus = focus
        self._button = button
        self.n_dialogs = 0
        """Keys pressed at dialogs since a game last went on."""
        self._dialog: int | None = None
        """The dialog that a key was pressed at last."""
        self._n_tried = 0
        """Keys for that one."""
        self._last_key: str | None = None
        """The key that was pressed at a dialog last, since a game last went on."""
        self.n_broken_off = 0
        """Games in a row that gave way to another one before their end, while no person paused play."""
        self._given_up: set[str] = set()
        """Keys that began a game before the end of the last one was seen."""

    @property
    def skin_says(self) -> NewGame:
        """How the clone is asked."""
        return self._view.board.skin.new_game

    @property
    def may_close_dialog(self) -> bool:
        """Whether a dialog of the game is surely up, and the skin has a key for it."""
        return self._can_close_dialogs and self._focus.has_dialog()

    @property
    def _can_close_dialogs(self) -> bool:
        return bool(self._dialog_keys) and self.n_dialogs < MAX_DIALOGS

    @property
    def _dialog_keys(self) -> list[str]:
        """The skin's keys for dialogs but those that type text, for one may ask for a name."""
        return [key for key in self.skin_says.dialog_keys if not types_text(key)]

    def layer(self) -> GameObservation | None:
        """An observation of the board with what its own window lays over part of it; None where that is nothing."""
        return layer_over(self._view, self._focus)

    @property
    def may_close_layer(self) -> bool:
        """Whether a key may close that: not where a button of the page was clicked last, which the key would press."""
        return self.n_dialogs == 0 and self.skin_says.spot_px is None

    def close_dialog(self) -> bool:
        """Press a key that may close what an ended game brought up; False, and no key, when a person came first.

        A dialog that stays gets the next one of the skin's keys, after the last one the first again.

        Raises:
            Aborted: the abort key was pressed.
        """
        dialog, keys = self._focus.dialog(), sorted(self._dialog_keys, key=self._given_up.__contains__)
        if dialog is None:
            return self.may_close_layer and self.layer() is not None and self._close_layer()
        if dialog != self._dialog:
            self._dialog, self._n_tried = dialog, 0
        elif len(keys) > 1:
            self._control.wait(_OTHER_KEY_S - DIALOG_S)
            if self._focus.dialog() != dialog:
                return self._control.is_running
        key = keys[self._n_tried % len(keys)]
        self.n_dialogs += 1  # also where it never gets the keyboard
        self._n_tried += 1  # also where it is a hot key, which some desktops let no window have
        if not self._starter.answer_dialog(key, dialog):
            return False
        self._last_key = key
        return True

    def goes_on(self) -> None:
        """A game is on: no dialog is up."""
        self.n_dialogs, self._last_key = 0, None

    def broke_off(self) -> None:
        """A game gave way to another one before its end: a key that was pressed at a dialog comes last from now on.

        Raises:
            BotError: it is as with the games before, and nobody is there to end that.
        """
        if self._last_key is not None:
            self._given_up.add(self._last_key)
        self.goes_on()
        self.n_broken_off += 1
        if self.n_broken_off > MOST_BROKEN_OFF:
            raise BotError(
                f"{self.n_broken_off} games in a row gave way to another one before their end: nothing more was "
                "clicked. A key or a dialog of the game may begin it anew: play one by hand, and see what it asks"
            )

    def _close_layer(self) -> bool:
        """Press the first of the skin's keys in the game's own window, or the one for all messages; give it time."""
        key, *_ = (*self._dialog_keys, LAYER_KEY)
        if not self._starter.press(key):
            return False
        self.n_dialogs += 1
        self._control.wait(DIALOG_S)
        return True

    def close_dialogs_beside(self) -> None:
        """Close dialogs that hide no cell but take the clicks; nothing where none is up."""
        while self.may_close_dialog and self.close_dialog():
            pass

    def close_late_dialogs(self) -> None:
        """Close dialogs that come up within a moment; nothing more when play was paused meanwhile."""
        if not self._dialog_keys or not self._focus.knows_windows:
            return
        deadline = time.perf_counter() + self.skin_says.pause_s + DIALOG_S
        while time.perf_counter() < deadline and self._control.is_running:
            if self.may_close_dialog:
                self.close_dialogs_beside()
                deadline = time.perf_counter() + DIALOG_S
            self._control.wait(_LOOK_S)

    def may_ask(self) -> bool:
        """Whether a click on the spot reaches the button there: by whose window shows, else by its picture.

        Where a new game is begun by key nothing is clicked.
        """
        if not self._focus.knows_windows:
            self._focus.learn(first_shown(self._view.look().reading))
        spot = self._spot
        if spot is None:
            return True
        return self._focus.is_played([spot]) if self._focus.knows_windows else self._button.is_in_sight(self._view.grid)

    def ask(self, seen: GameObservation, ended: Reading, *, may_meet_dialog: bool = False) -> bool:
        """Click the skin's spot, or press its key; False when play was paused meanwhile, or the window moved.

        Where the key would go to another window play is paused, and what to do then is said; for a dialog that can be
        closed it is False alone. Nothing is asked where another
        game shows already: it took longer than was waited for.

        Args:
            seen: the last observation.
            ended: the game that ended.
            may_meet_dialog: whether a dialog that has just come up belongs to the end of the game.

        Raises:
            Aborted: the abort key was pressed.
            BotError: the skin declares neither.
        """
        if is_another_game(seen.reading, ended):
            return True
        key, spot = self.skin_says.key, self._spot
        if spot is not None:
            return self._starter.click(spot, partial(self._view.is_as_seen, seen=seen))
        if key is not None:
            return self._starter.press(key, may_meet_dialog=may_meet_dialog and self._can_close_dialogs)
        raise BotError(f"skin {self._view.board.skin.name} does not say how to start a new game")

    def wait_for_person(self, ended: Reading) -> bool:
        """Wait until a person has begun another game; False when play was paused.

        Args:
            ended: the game that ended.

        Raises:
            Aborted: the abort key was pressed.
        """
        has_begun = False
        while self._control.is_running and not has_begun:
            has_begun = self.has_begun(ended, n_asked=1)
            self._pointer.let_person_act()
        return has_begun

    def has_begun(self, ended: Reading, n_asked: int) -> bool:
        """Whether another game is on the board within a while, the longer the more often it was asked for."""
        begun_s = min(_BEGUN_S * 2 ** (n_asked - 1), _MOST_BEGUN_S)
        return self._starter.has_begun(lambda now: is_another_game(now.reading, ended), begun_s, _LOOK_S)

    @property
    def _spot(self) -> Pixel | None:
        """The new-game spot on the screen, None where the skin declares none."""
        return _spot_of(self._view.board.skin, self._view.grid)
