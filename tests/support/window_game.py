"""A game in real windows that does as it is told: `python window_game.py SCRIPT` on some display.

It has what the bot meets in games of others: chains of dialogs that take different keys, a window that a key makes an
icon, ends as no skin has them, ends that come late. It tells of all that arrives in its windows. Shares no code with
the bot's ports.
"""

from __future__ import annotations

import json
import math
import select
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

import numpy as np
from bot_process import environment
from fake_desktop.window import GameWindow
from forked import Forked
from patience import PATIENCE_S
from Xlib import XK, X, Xatom, Xutil
from Xlib.display import Display
from Xlib.protocol import event

from bot.models import Pixel
from skins import load_shipped_skin
from solver.board import EXPLODED, FLAG, MINE, WRONG_FLAG, GameState
from solver.game import Game
from solver.layout import Layout

WORDS = {FLAG: "flag", MINE: "mine", EXPLODED: "exploded", WRONG_FLAG: "wrong_flag"}
STRANGE_BGR = (200, 40, 190)
MOST_BYTES = 200_000
BOARD = "board"
ICONIC = 3


@dataclass(frozen=True)
class Script:
    """What the game is and does.

    Attributes:
        mines: of each game, one after the other, the last one again and again.
        shape: rows and cols.
        skin: how it looks.
        place: where its window goes: the corner of what it draws.
        dialogs: what a won game brings up, one after the other: a title, and the keys that close it together, such as
            ["Escape"] or ["Alt_L", "c"].
        dialog_s: how long after the win the first comes up; None: not before the next game is begun. Until it is up no
            cell takes a click, but the face does.
        dialog_clicks: of a dialog that comes up when the next game is begun, after how many clicks on cells there.
        dialogs_take_keyboard: whether a dialog gets the keyboard as it comes up; else the board's window has it still,
            and takes keys, until somebody turns to the dialog.
        dialog_at: where dialogs come up, from the corner of what the board's window draws on.
        close_s: how long after its keys a dialog is gone, and the next one comes up.
        icon_key: the key that makes the board's window an icon.
        new_game_key: begins another game at any time.
        ends: how the end looks, by the game's state: "painted" (all cells in other colours), "strange" (only the mine
            that was hit, as no skin has it), or as the skin has it.
        end_s: how long after the last click the end is shown, by the game's state: nothing else changes before.
    """

    mines: list[list[tuple[int, int]]]
    shape: tuple[int, int] = (9, 9)
    skin: str = "classic"
    place: tuple[int, int] = (200, 150)
    dialogs: list[tuple[str, list[str]]] = field(default_factory=list)
    dialog_s: float | None = 0.0
    dialog_clicks: int = 0
    dialogs_take_keyboard: bool = True
    dialog_at: tuple[int, int] = (20, 130)
    close_s: float = 0.0
    icon_key: str = ""
    new_game_key: str = ""
    ends: dict[str, str] = field(default_factory=dict)
    end_s: dict[str, float] = field(default_factory=dict)


class _Windows:
    """The board's window and its dialogs, by one connection to the X server."""

    def __init__(self, script):
        self.script = script
        self._display = Display()
        self._root = self._display.screen().root
        self._n_games = 0
        self._is_up = False
        self._later = []
        self._dialogs = []
        self._left = []
        self._is_busy = False
        self._clicks_left = 0
        self._held = set()
        self._picture = GameWindow(load_shipped_skin(script.skin), tuple(script.shape), Pixel(0, 0))
        self._corner = self._picture.region
        self._board = self._window(BOARD, *script.place, self._corner.width, self._corner.height)
        self._gc = self._board.create_gc()
        self._begin()
        self._show(self._board)

    def _window(self, title, left, top, width, height):
        window = self._root.create_window(
            left, top, width, height, 0, X.CopyFromParent, background_pixel=0xC0C0C0,
            event_mask=X.KeyPressMask | X.KeyReleaseMask | X.ButtonPressMask | X.ExposureMask | X.StructureNotifyMask,
        )  # fmt: skip
        size = {"min_width": width, "max_width": width, "min_height": height, "max_height": height}
        flags = Xutil.USPosition | Xutil.PPosition | Xutil.PMinSize | Xutil.PMaxSize
        window.set_wm_normal_hints(flags=flags, win_gravity=X.StaticGravity, **size)
        window.set_wm_name(title)
        return window

    def _show(self, window):
        window.map()
        self._display.flush()

    def run(self):
        """Do what is due, for ever."""
        while True:
            while self._display.pending_events():
                self._handle(self._display.next_event())
            now = time.monotonic()
            due = [what for at, what in self._later if at <= now]
            self._later = [(at, what) for at, what in self._later if at > now]
            for what in due:
                what()
            self._display.flush()
            if not self._display.pending_events():
                next_due_s = min((at for at, _ in self._later), default=math.inf) - time.monotonic()
                select.select([self._display], [], [], None if math.isinf(next_due_s) else max(0.0, next_due_s))

    def _handle(self, came):
        title = next((title for title, window in self._dialogs if window == getattr(came, "window", None)), BOARD)
        if came.type == X.Expose and title == BOARD:
            self._paint()
            self._tell_once_that_it_is_up()
        elif came.type in {X.KeyPress, X.KeyRelease}:
            key = _name_of(self._display.keycode_to_keysym(came.detail, 0))
            (self._held.add if came.type == X.KeyPress else self._held.discard)(key)
            if came.type == X.KeyPress:
                tell("key", window=title, key=key)
                self._take_key(title, key)
        elif came.type == X.ButtonPress:
            self._click(title, Pixel(came.event_x, came.event_y), came.detail)

    def _tell_once_that_it_is_up(self):
        """Tell when the board is to be seen: a bot that looks earlier finds none."""
        if not self._is_up:
            self._is_up = True
            self._display.sync()
            tell("up", window=self._board.id, width=self._corner.width, height=self._corner.height)

    def _take_key(self, title, key):
        if self._dialogs:
            keys = dict(self.script.dialogs).get(title, [])
            if keys and set(keys) <= self._held:
                self._held.clear()
                self._after(self.script.close_s, self._close_dialog)
        elif key == self.script.icon_key:
            tell("icon")
            data = (32, [ICONIC, 0, 0, 0, 0])
            request = event.ClientMessage(
                window=self._board, client_type=self._display.intern_atom("WM_CHANGE_STATE"), data=data
            )
            self._root.send_event(request, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        elif key == self.script.new_game_key:
            self._begin()

    def _click(self, title, at, button):
        place = Pixel(at.x + self._corner.left, at.y + self._corner.top)
        cell = self._picture.cell_at(place)
        face = self._picture.face_region
        on = "cell" if cell is not None else "face" if face is not None and face.has_pixel(place) else "elsewhere"
        tell("button", window=title, on=on, button=button, cell=cell)
        if title != BOARD or self._dialogs or self._waiting:
            return
        if on == "face":
            self._begin()
        elif on == "cell" and not self._game.is_over and (not self._is_busy or self._clicks_left):
            before = self._game.board.cells.copy()
            (self._game.open if button == 1 else self._game.toggle_flag)(cell)
            if self._clicks_left:
                self._clicks_left -= 1
                if not self._clicks_left:
                    self._raise_dialog()
            self._show_changes(before)

    def _begin(self):
        mines = self.script.mines[min(self._n_games, len(self.script.mines) - 1)]
        self._game = Game.on(Layout.of_cells(tuple(self.script.shape), [tuple(mine) for mine in mines]))
        self._n_games += 1
        self._waiting = self._is_painted = False
        self._strange = None
        self._picture.resize(tuple(self.script.shape))
        self._paint()
        tell("begun", game=self._n_games)
        if self._is_busy and self.script.dialog_s is None:
            self._clicks_left = self.script.dialog_clicks
            if not self._clicks_left:
                self._raise_dialog()

    def _show_changes(self, before):
        state = self._game.state.value
        if self._game.is_over and not self._waiting and self.script.end_s.get(state):
            self._waiting = True
            self._after(self.script.end_s[state], lambda: self._show_changes(before))
            return
        self._waiting = False
        after = self._game.board.cells
        changed = [tuple(cell) for cell in np.argwhere(before != after).tolist()]
        end = self.script.ends.get(state) if self._game.is_over else None
        if end == "strange":
            self._strange = next(cell for cell in changed if after[cell] == EXPLODED)
            changed = []
        for cell in changed:
            self._picture.show(cell, WORDS.get(int(after[cell]), str(after[cell])))
        self._is_painted = end == "painted"
        self._paint()
        if self._game.is_over:
            tell("ended", state=state, opened=len(changed))
        if self._game.state is GameState.WON and self.script.dialogs:
            self._left = list(self.script.dialogs)
            self._is_busy = True
            if self.script.dialog_s is not None:
                self._after(self.script.dialog_s, self._raise_dialog)

    def _raise_dialog(self):
        self._is_busy = False
        if not self._left:
            return
        title, _ = self._left.pop(0)
        (left, top), (x, y) = self.script.place, self.script.dialog_at
        window = self._window(title, left + x, top + y, 120, 60)
        window.set_wm_transient_for(self._board)
        modal = self._display.intern_atom("_NET_WM_STATE_MODAL")  # a click on the board gives the keyboard to this one
        window.change_property(self._display.intern_atom("_NET_WM_STATE"), Xatom.ATOM, 32, [modal])
        if not self.script.dialogs_take_keyboard:
            window.change_property(self._display.intern_atom("_NET_WM_USER_TIME"), Xatom.CARDINAL, 32, [0])
        self._dialogs.append((title, window))
        self._show(window)
        tell("dialog", title=title, id=window.id)

    def _close_dialog(self):
        if self._dialogs:
            _, window = self._dialogs.pop(0)
            window.unmap()  # destroyed, its number would be the next one's
            self._raise_dialog()

    def _after(self, seconds, what):
        self._later.append((time.monotonic() + seconds, what))

    def _paint(self):
        pixels = self._picture.picture({})
        board = self._picture.grid.region
        y, x = board.top - self._corner.top, board.left - self._corner.left
        if self._is_painted:
            pixels = pixels.copy()
            cells = pixels[y : y + board.height, x : x + board.width]
            cells[:] = 255 - cells // 2
        if self._strange is not None:
            pixels = pixels.copy()
            place = self._picture.grid.cell_region(self._strange)
            y, x = place.top - self._corner.top, place.left - self._corner.left
            pixels[y : y + place.height, x : x + place.width] = STRANGE_BGR
        height, width = pixels.shape[:2]
        padded = np.zeros((height, width, 4), dtype=np.uint8)
        padded[:, :, :3] = pixels
        n_rows = MOST_BYTES // (4 * width)
        for top in range(0, height, n_rows):
            part = padded[top : top + n_rows]
            depth = self._display.screen().root_depth
            self._board.put_image(self._gc, 0, top, width, len(part), X.ZPixmap, depth, 0, part.tobytes())


def _name_of(keysym):
    return next((name[3:] for name in dir(XK) if name.startswith("XK_") and getattr(XK, name) == keysym), str(keysym))


def tell(what, **details):
    """Tell the test, in one line."""
    print(json.dumps({"what": what, **details}), flush=True)  # noqa: T201 - that is how


class ScriptedGame:
    """A running game: its window's number and size, and what it told of."""

    def __init__(self, process):
        self._process = process
        self._told = []
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        (up,) = self.wait_for("up")
        self.id, self.size = up["window"], (up["width"], up["height"])

    def _listen(self):
        for line in self._process.stdout:
            self._told.append(json.loads(line))

    def told(self, what, **details):
        """What it told of one kind, with these details, in order."""
        return [one for one in list(self._told) if one["what"] == what and details.items() <= one.items()]

    def keys(self, window=None):
        """The keys that arrived, in one of its windows or in all."""
        return [one["key"] for one in self.told("key", **({} if window is None else {"window": window}))]

    def wait_for(self, what, n_times=1, **details):
        """Wait until it told so often of something; returns all of that."""
        deadline = time.monotonic() + PATIENCE_S
        while len(found := self.told(what, **details)) < n_times:
            is_due = self._process.poll() is None and time.monotonic() < deadline
            assert is_due, f"expected {n_times} times {what} {details}, was told {self._told}"
            time.sleep(0.005)
        return found


@contextmanager
def window_game(display, script):
    """Run such a game on a display while the block runs."""
    process = Forked(["window_game", json.dumps(asdict(script))], environment(display))
    game = None
    try:
        game = ScriptedGame(process)
        yield game
    finally:
        process.kill()
        process.wait()
        if game is not None:
            game._thread.join()
        sys.stdout.write(process.stderr.read())  # for who looks into a failure
        process.stdout.close()
        process.stderr.close()


if __name__ == "__main__":
    _Windows(Script(**json.loads(sys.argv[1]))).run()
