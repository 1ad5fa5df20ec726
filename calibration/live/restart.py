"""Finds out how an unknown clone begins another game: by the usual ways, one after the other, each said aloud first.

A way is a key or a click, as a skin has it (`NewGame`). First come the keys that many clones have; letters only while
nothing was clicked beside the board, as a text field may have the cursor since. Then the face, which is what changed
above the middle of the board when the game ended; a click on the ended board; and a button that came up with the end
(`buttons`). At last what else looks like a button: it may be a level, a switch, or lead away from the game.

Each way is tried once in a run, and judged by what it did, or by the next game. A switch is put back. Where a button
brought up a board of another size, the others are tried: one of them brings back the size that was there.

Nothing is pressed or clicked without a person's consent: then that person begins the games, and it is waited for.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Refusal, Region
from bot.playing.new_game import LAYER_KEY, Starter, layer_over, spot_at, spot_of, types_text
from calibration.errors import CalibrationError
from calibration.live.buttons import find_buttons, find_face, find_words, looks_same, rank_buttons
from calibration.live.evidence import is_fresh
from skins.skin import NewGame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from bot.desktop import Screen
    from bot.models import Frame, Pixel
    from bot.playing.control import Control, FocusWatch, Pointer
    from calibration.live.cut_board import CutObservation, CutView
    from calibration.live.evidence import Evidence

    Pixels = NDArray[np.uint8]
    _IsAnother = Callable[[CutObservation], bool]

_RELOAD = "ctrl+r"
KEYS = ("f2", _RELOAD, "n", "r", "s")
"""Usual keys for a new game; not Ctrl+N, which opens a window of a browser over the page, and it gets what follows."""
_DECLINING = "escape"
DIALOG_KEYS = ("enter", _DECLINING)
"""What may close a dialog. None of it types anything, as one may ask for a name: Alt with a letter does, in Qt's text
fields, where no button has that letter."""
_ASKED = 2  # how often a way is tried that changes the board
_MOST_DIALOGS = 2  # most dialogs, one after the other, that want the same key
_DIALOG_S = 0.5  # how long a dialog may take to close, or the next one to come up
_BEGINS_S = 0.3  # how soon after its dialog a game shows to have begun that the dialog's key began, in seconds
_BEGUN_S = 1.2  # how long a new game may take to show, in seconds
_RELOADED_S = 8.0  # how long a new game may take to show where a page is loaded anew, in seconds
_AT_ONCE_S = 0.1  # how long a game that was begun a while ago may take to show, in seconds
_POLL_S = 0.05  # pause between two pictures in which a new game may show, in seconds
_PERSON_S = 120.0
_LOOKED_AT_PX = 24, 14  # width and height of what is compared of a button, in pixels
_COVERED = "another window lies over the place for a new game"
_CLOSED_AGAIN = 4  # fewest open cells that are closed in a new game: some clones open a region of it by themselves
_MOST_BUTTONS = 8  # most things that look like a button that are tried: of those that came up with the end, and of all
_MOST_WORDS = 8  # most words that the pointer is taken to
_HOVER_S = 0.25  # how long a button may take to show that the pointer rests on it, in seconds


def with_all_dialog_keys(known: NewGame) -> NewGame:
    """What begins a game, with all keys that may close a dialog, the known first; none where no way was tried.

    A win may bring up a dialog though nothing did that was seen, or one that wants another key. A person who let keys
    and clicks be tried allowed these keys, too. Where no dialog was seen, the key that declines comes first.
    """
    is_allowed = known.is_known or known.dialog_keys
    keys = dict.fromkeys((*(known.dialog_keys or (_DECLINING,)), *DIALOG_KEYS)) if is_allowed else ()
    return replace(known, dialog_keys=tuple(keys))


class Restarter:
    """Begins games.

    Args:
        view: the board.
        pointer: what clicks and presses keys.
        focus: says which of the game's windows has the keyboard.
        screen: shows what is around the board.
        control: start, pause, stop.
        tell: told what is tried.
        has_consent: whether keys, the face and buttons may be tried.
        known: what was found out before.
    """

    def __init__(
        self,
        view: CutView,
        pointer: Pointer,
        focus: FocusWatch,
        screen: Screen,
        control: Control,
        tell: Callable[[str], None],
        *,
        has_consent: bool,
        known: NewGame,
    ) -> None:
        self._view = view
        self._pointer = pointer
        self._starter = Starter(pointer, control, view, _DIALOG_S)
        self._focus = focus
        self._screen = screen
        self._control = control
        self._tell = tell
        self._has_consent = has_consent
        self.known = known
        """What is known of the way that works, and of what closes a dialog."""
        self._dialog_key: str | None = None  # what closes a dialog best
        self._beginning: list[str] = []  # what closes it, and begins a game
        self._begun: Frame | None = None  # the screen when the game began
        self._tried: set[NewGame] = set()  # other ways than the one that is known
        self._is_dead = False  # nothing could be opened in the last game
        self._trial: NewGame | None = None  # a way of which the next game tells whether it began one
        self._dead_ends: set[NewGame] = set()  # ways since the last game in which a cell could be opened
        self._clicked: list[Frame] = []  # how the buttons looked that were clicked
        self._has_clicked = False  # to begin a game: a text field may have the cursor since then

    def note_beginning(self) -> None:
        """Remember what is on the screen when a game begins."""
        self._begun = self._screen.grab()

    def note_ending(self, *, has_opened: bool) -> None:
        """A game is over: the way that was tried on a fresh board before it began it, if a cell could be opened."""
        if has_opened:
            self._dead_ends.clear()
            if self._trial is not None:
                self._keep(self._trial)
        self._is_dead, self._trial = not has_opened, None

    @property
    def knows_way(self) -> bool:
        """Whether a way to begin a game is known, and a person lets it be used."""
        return self._has_consent and self.known.is_known

    def begin(self, evidence: Evidence, first: CutObservation, last: CutObservation) -> None:
        """Begin another game.

        Args:
            evidence: knows closed cells.
            first: the board as the game began.
            last: the board as it ended.

        Raises:
            Aborted: the abort key was pressed.
            CalibrationError: no way works, or the person does not begin one.
        """
        board = self._view.board.cells(last)
        if is_fresh(board) and evidence.closed_cells(board).all():
            if self._is_dead and self._has_consent:
                self._leave_dead_board(first, last)
            return  # else closing a dialog began it
        if not self._has_consent:
            self._wait_for_person(self._sign_of_another(evidence, last))
            return
        if not self._view.board.has_same_border(first, last):
            last = self._without_message(first, last)
        is_another = self._sign_of_another(evidence, last)
        if self.knows_way and self._try_way(self.known, is_another):
            return
        if self.close_dialog() and self.knows_way and self._try_way(self.known, is_another):
            return
        if self.knows_way:  # it was not that one
            self._tried.clear()
            self._clicked.clear()
        if self._finds_way(first, last, is_another):
            return
        raise CalibrationError(
            "no new game begins: tried the face above the board, the ended board, what looks like a button near it, "
            f"and the keys {', '.join(KEYS)}; begin games yourself instead (leave --yes out)"
        )

    def _wait_for_person(self, is_another: _IsAnother) -> None:
        self._tell("please begin a new game (keys and buttons are tried only with --yes)")
        if not self._has_begun(is_another, _PERSON_S):
            raise CalibrationError(f"no new game was begun within {_PERSON_S:.0f} s")

    def _leave_dead_board(self, first: CutObservation, last: CutObservation) -> None:
        """Try one way on a fresh board on which nothing opens: the next game tells whether it began one.

        Some pages show a fresh board when a game ends, and others when they are loaded: both wait for their button.

        Raises:
            Aborted: the abort key was pressed.
            CalibrationError: all ways were tried.
        """
        known = NewGame(self.known.spot_px, self.known.spot_from, key=self.known.key)
        for way in chain([known], self._clicks(first, last), self._keys()):
            if way.is_known and way not in self._dead_ends:
                self._dead_ends.add(way)
                self._tell(f"nothing opens on this board: trying {_in_words(way)}")
                self._try_way(way, lambda _: False, undoes=False)
                self._trial, self._is_dead = way, False
                return
        raise CalibrationError("the board looks fresh and nothing opens on it: begin games yourself (leave --yes out)")

    def close_dialog(self) -> bool:
        """Close what the end of a game brought up: its dialogs, or what a page lays over itself.

        Returns:
            Whether there were any, and the board can be seen again.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self._has_consent:
            return False
        return self._close_dialogs() if self._focus.has_dialog() else self._close_layer()

    def close_menu(self) -> bool:
        """Close what a right click brought up, as a browser's menu; whether the board can be seen again.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self._has_consent or not self._starter.press(_DECLINING, may_meet_dialog=True):
            return False
        self._control.wait(_DIALOG_S)
        return self._view.is_in_place()

    def _close_layer(self) -> bool:
        """Close what lies over part of the board and is of the game's own window, as a page's message is."""
        if layer_over(self._view, self._focus) is None:
            return False
        self._tell(f"something of the game's own window lies over the board: trying the key {LAYER_KEY}")
        if not self._starter.press(LAYER_KEY):
            return False
        self._control.wait(_DIALOG_S)
        if not self._view.is_in_place():
            return False
        self._note_dialog_key(LAYER_KEY)
        return True

    def _without_message(self, first: CutObservation, last: CutObservation) -> CutObservation:
        """Close a message that lies beside the board, for which a browser dims its page: nothing else tells of it.

        Args:
            first: the board as the game began, with what is around it.
            last: the board as it ended.

        Returns:
            The board as it is then.
        """
        self._tell(f"what is around the board has other colours, as under a message: trying the key {LAYER_KEY}")
        if not self._starter.press(LAYER_KEY):
            return last
        self._control.wait(_DIALOG_S)
        now = self._view.look()
        if not self._view.board.has_same_border(first, now):
            return last
        self._note_dialog_key(LAYER_KEY)
        return now

    def _close_dialogs(self) -> bool:
        """Close dialogs of the game that have the keyboard; whether the board can be seen again."""
        best = [] if self._dialog_key is None else [self._dialog_key]
        keys = list(dict.fromkeys([*best, *self._mildest_first()]))
        for key in keys[:1] * _MOST_DIALOGS + keys[1:] + keys:  # a list may come up where a name was asked for
            self._tell(f"a dialog of the game is up: trying the key {key}")
            if not self._starter.answer_dialog(key, self._focus.dialog()):
                break
            if not self._focus.has_dialog():
                self._judge_dialog_key(key)
                return self._view.is_in_place()
        return False

    def _mildest_first(self) -> tuple[str, ...]:
        """All keys that may close a dialog. One that begins a game comes after those that decline."""
        known = (key for key in self.known.dialog_keys if key not in self._beginning)
        declining = (_DECLINING,) if self._beginning else ()
        return tuple(dict.fromkeys((*known, *declining, *self._beginning, *DIALOG_KEYS)))

    def _judge_dialog_key(self, key: str) -> None:
        """A key closed a dialog: one after which the ended board can still be seen is better than any other."""
        if key not in (self._dialog_key, *self._beginning):
            self._control.wait(_BEGINS_S)
            if self._view.is_in_place() and is_fresh(self._view.board.cells(self._view.look())):
                self._tell(f"the key {key} began a game, and the end of the last one is not seen: others come first")
                self._beginning.append(key)
                self.known = replace(self.known, dialog_keys=self._mildest_first())
                return
        self._dialog_key = key
        others = (one for one in self.known.dialog_keys if one != key)
        self.known = replace(self.known, dialog_keys=(key, *others))

    def _note_dialog_key(self, key: str) -> None:
        """Keep a key that closes a dialog."""
        known = self.known.dialog_keys
        self.known = replace(self.known, dialog_keys=known if key in known else (*known, key))

    def _try_way(self, way: NewGame, is_another: _IsAnother, *, undoes: bool = True) -> bool:
        """Try a way; whether it worked. Once more where it only changed the board: some take the last click back.

        Args:
            way: a key or a click.
            is_another: what says that it worked.
            undoes: whether a switch that did not is switched back.
        """
        for _ in range(_ASKED):
            self._learn_window()
            before = self._view.look()
            if way.key is not None:
                has_begun = self._may_press(way.key) and self._try_key(way.key, is_another)
            else:
                assert way.spot_px is not None, "a way is a key or a click"
                has_begun = self._try_spot(
                    spot_at(self._view.grid, way.spot_px, way.spot_from), is_another, undoes=undoes
                )
            if has_begun:
                return True
            now = self._view.look()
            if not now.is_in_place or now.shows_same_as(before):
                break
        return False

    def _finds_way(self, first: CutObservation, last: CutObservation, is_another: _IsAnother) -> bool:
        """Try all ways that were not tried in this run; whether a game has begun: the way is known then."""
        before = self.known
        for way in self._ways(first, last):
            if is_another(self._view.look()):  # the way before took its time
                self._keep(before)
                return True
            if way in self._tried:  # what seemed to work once may have been something else
                continue
            before = way
            self._tried.add(way)
            self._tell(f"for a new game: trying {_in_words(way)}")
            if self._try_way(way, is_another) or (self.close_dialog() and self._has_begun(is_another, _AT_ONCE_S)):
                self._keep(way)
                return True
        return False

    def _keep(self, way: NewGame) -> None:
        """That way works."""
        self.known = replace(self.known, key=way.key, spot_px=way.spot_px, spot_from=way.spot_from)

    def _ways(self, first: CutObservation, last: CutObservation) -> Iterator[NewGame]:
        """The ways that a clone may have, the likeliest first."""
        self._learn_window()
        if not self._focus.knows_windows:
            self._tell("for a new game: no key is tried, for nothing tells here which window has the keyboard")
        yield from self._keys()
        yield from self._clicks(first, last)

    def _clicks(self, first: CutObservation, last: CutObservation) -> Iterator[NewGame]:
        """Clicks on what may begin a game, the likeliest first."""
        grid = self._view.grid
        face = find_face(first.wide, last.wide, grid)
        if face is not None and self._focus.is_played([spot_at(grid, face, "top")]):  # a title may change, too
            yield NewGame(spot_px=face)
        if not any(grid.region.has_pixel(box.middle) for box in self._boxes()[0]):
            yield spot_of(grid, grid.cell_region((grid.rows // 2, grid.cols // 2)).middle)
        yield from islice(self._buttons(only_new=True), _MOST_BUTTONS)
        yield from islice(self._buttons(only_new=False), _MOST_BUTTONS)
        yield from self._hovered()

    def _boxes(self) -> tuple[list[Region], list[Region]]:
        """What looks like a button of the game's window now: what came up with the end of the game, and all else."""
        seen = self._screen.grab()
        came_up, others = rank_buttons(self._begun or seen, seen, self._view.grid)
        return self._own(came_up), self._own(others)

    def _buttons(self, *, only_new: bool) -> Iterator[NewGame]:
        """Clicks on buttons, none twice, each found when it is asked for: the click before may have moved them."""
        while True:
            came_up, others = self._boxes()
            for box in came_up if only_new else came_up + others:
                look = self._screen.grab(box)
                if not any(looks_same(look, tried) for tried in self._clicked):
                    self._clicked.append(look)
                    yield spot_of(self._view.grid, box.middle)
                    break
            else:
                return

    def _own(self, boxes: Iterable[Region]) -> list[Region]:
        """Those that the game's own window shows."""
        return [box for box in boxes if self._focus.is_all_of_window([box.middle])]

    def _keys(self) -> Iterator[NewGame]:
        """The usual keys, where it is known which window gets them."""
        if self._focus.knows_windows:
            yield from (NewGame(key=key) for key in KEYS if self._may_press(key))

    def _may_press(self, key: str) -> bool:
        """Whether a key types nothing, or no text field of the game's window can have the cursor."""
        return not types_text(key) or (not self._has_clicked and self._view.is_in_place())

    def _hovered(self) -> Iterator[NewGame]:
        """Clicks on what looks like a button only where the pointer rests on its word."""
        grid, boxes = self._view.grid, list(chain(*self._boxes()))
        for word in find_words(self._screen.grab(), grid)[:_MOST_WORDS]:
            is_in_box = any(box.has_pixel(word.middle) for box in boxes)
            if not is_in_box and self._own([word]) and self._pointer.is_free():
                self._pointer.move(word.middle)
                self._control.wait(_HOVER_S)
                shown = find_buttons(self._screen.grab(), grid)
                yield from (spot_of(grid, box.middle) for box in shown if box.has_pixel(word.middle))

    def _try_key(self, key: str, is_another: _IsAnother) -> bool:
        self._learn_window()
        while not self._starter.press(key):
            self._control.check()
            if self._has_begun(is_another, _AT_ONCE_S):  # a person did
                return True
            self._learn_window()
        return self._has_begun(is_another, _RELOADED_S if key == _RELOAD else _BEGUN_S)

    def _learn_window(self) -> None:
        """Know the window of the board: a person may have changed it while play was paused."""
        if self._view.is_in_place():
            self._focus.learn(self._view.grid.region.middle)

    def _try_spot(self, pixel: Pixel, is_another: _IsAnother, *, undoes: bool) -> bool:
        """Click there until it was; whether a game has begun. What was switched there is switched back."""
        screen = self._view.board.screen
        if not screen.has_pixel(pixel):
            return False
        before, at = self._screen.grab(_around(pixel).shared(screen)), self._pointer.at
        was_in_place = self._view.is_in_place()

        def is_as_seen(_: Pixel) -> bool:
            is_there = self._view.is_in_place() or not was_in_place
            return is_there and looks_same(before, self._screen.grab(before.region))

        for is_first in chain([True], repeat(False)):
            if is_another(self._view.look()):  # asked for before
                return True
            if not is_as_seen(pixel):
                return False
            if self._click(pixel, is_as_seen, is_first=is_first):
                break
            self._control.check()
        if self._has_begun(is_another, _BEGUN_S):
            return True
        if undoes and self._is_switched(before, at):
            self._tell("that looks otherwise since: it is clicked back")
            self._click(pixel, lambda _: self._view.is_in_place(), is_first=True)
        return False

    def _click(self, pixel: Pixel, is_as_seen: Callable[[Pixel], bool], *, is_first: bool) -> bool:
        """Click once; whether it was clicked: as `Starter.click`.

        Raises:
            CalibrationError: another window lies there.
        """
        if not self._focus.is_played([pixel]):
            raise CalibrationError(_COVERED)
        is_clicked = self._starter.click(pixel, is_as_seen, is_first=is_first)
        self._has_clicked |= is_clicked  # a box over the board may be a text field, too
        if self._pointer.refused is Refusal.COVERED:
            raise CalibrationError(_COVERED)
        return is_clicked

    def _is_switched(self, before: Frame, at: Pixel) -> bool:
        """Whether a place looks otherwise than before it was clicked, the pointer where it was then."""
        if self._view.grid.region.has_pixel(before.region.middle) or not self._pointer.is_free():
            return False
        self._pointer.move(at)
        self._control.wait(_HOVER_S)
        return self._view.is_in_place() and not looks_same(before, self._screen.grab(before.region))

    def _has_begun(self, is_another: _IsAnother, at_most_s: float) -> bool:
        """Whether another game shows within that time."""
        self._control.wait(_POLL_S)
        return self._starter.has_begun(is_another, at_most_s - _POLL_S, _POLL_S)

    def _sign_of_another(self, evidence: Evidence, last: CutObservation) -> _IsAnother:
        """What says of the board whether it shows another game than the one that ended so."""
        cells = self._view.board.cells
        ended = cells(last)
        return lambda seen: seen.is_in_place and is_new_game(evidence, ended, cells(seen))


def _in_words(way: NewGame) -> str:
    """A key, or a click."""
    return f"the key {way.key}" if way.key is not None else f"a click {way.spot_in_words}"


def _around(pixel: Pixel) -> Region:
    """A button, or most of one, around its middle."""
    width, height = _LOOKED_AT_PX
    return Region(pixel.x - width // 2, pixel.y - height // 2, width, height)


def is_new_game(evidence: Evidence, ended: Pixels, now: Pixels) -> bool:
    """Whether a board shows another game than one that ended: fresh, or cells that were open are closed again.

    Where all that is still open is as it was, the ended game was put back.
    """
    if np.array_equal(ended, now):
        return False
    was_closed, is_closed = evidence.closed_cells(ended), evidence.closed_cells(now)
    if is_fresh(now) and is_closed.all():
        return True
    is_put_back = (is_closed | (ended == now).all(axis=(2, 3, 4))).all()
    return not is_put_back and int((~was_closed & is_closed).sum()) >= _CLOSED_AGAIN
