"""The game's side of a fake desktop: its window, its games, its dialogs, and whether it listens at all."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

import numpy as np

from bot.models import Button, Pixel, Region
from fake_desktop.records import Faults, Target
from fake_desktop.repaints import Repaints
from fake_desktop.scenery import N_DESKS, SCREEN, cluttered
from fake_desktop.timing import Clock, SimulatedControl
from fake_desktop.window import GameWindow
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG
from solver import board as codes
from solver.board import GameState
from solver.game import Game
from solver.layout import FirstClick

_WORDS = {
    codes.CLOSED: CLOSED,
    codes.FLAG: FLAG,
    codes.MINE: MINE,
    codes.EXPLODED: EXPLODED,
    codes.WRONG_FLAG: WRONG_FLAG,
}


@dataclass(frozen=True)
class _Dialog:
    """A dialog of the game: it takes all clicks until it is closed.

    Attributes:
        at_s: when it comes up; clicks are lost from before on.
        key: what closes it, None where no key does.
        covers: whether it lies over the board, or beside it.
        until_s: when it goes by itself.
    """

    at_s: float
    key: str | None = "enter"
    covers: bool = True
    until_s: float = float("inf")


class GameSide:
    """A game in a window; `FakeDesktop` is it with the rest of the screen, a mouse and a keyboard."""

    def __init__(self, skin, level, *, seed, faults, origin, layouts):
        self.skin = skin
        self.clock = Clock()
        self.control = SimulatedControl(self.clock)
        self.mines = level[2]
        self.faults = faults or Faults()
        self.games: list[Game] = []
        self.is_frozen = False
        self.queues_clicks = False
        self.is_closed = False
        self.is_aborted = False
        self._seed = seed
        self._layouts = deque(layouts)
        self._rng = random.Random(f"faults {seed}")
        self._n_lost_in_a_row = 0
        self._n_run_left = 0
        self._window = GameWindow(skin, (level[0], level[1]), origin or Pixel(-150, 90))
        self._repaints = Repaints(self.clock)
        self._dialogs: list[_Dialog] = []
        self.n_dialogs_closed = 0
        self._wrong: dict[tuple[int, int], tuple[str, float]] = {}
        self._queue = []
        self._tickers = []
        self._frozen_at = None
        self._n_asked = 0
        self._desk = cluttered(seed % N_DESKS)
        self.games.append(self._next_game())

    # --- the truth

    @property
    def game(self):
        """The game that is on."""
        return self.games[-1]

    @property
    def grid(self):
        """Where the board lies now, on the screen or partly off it."""
        return self._window.grid

    @property
    def spot(self):
        """The middle of the face, where a click begins a new game; None where the skin does not know it."""
        return self._window.spot

    @property
    def face_region(self):
        """The whole face."""
        return self._window.face_region

    @property
    def percent(self):
        """At which scale the game is shown."""
        return self._window.percent

    @property
    def dialog_is_due(self):
        """Whether the game listens to nothing but a dialog, that may not even be up yet."""
        return bool(self._dialogs)

    @property
    def dialog_is_up(self):
        """Whether a dialog is up."""
        return bool(self._dialogs) and self._dialogs[0].at_s <= self.clock.now and not self.is_closed

    @property
    def dialog_covers(self):
        """Whether a dialog lies over the board."""
        return self.dialog_is_up and self._dialogs[0].covers

    @property
    def dialog_region(self):
        """Where dialogs come up: over the middle of the board, not in line with the cells; or beside the board."""
        region = self.grid.region
        if self._dialogs and not self._dialogs[0].covers:
            is_room_right = region.left + region.width + 190 < SCREEN.left + SCREEN.width
            left = region.left + region.width + 40 if is_room_right else region.left - 190
            return Region(left, region.top + 10, 150, 70)
        return Region(region.left + 21, region.top + 21, region.width - 42, region.height // 2)

    @property
    def is_half_painted(self):
        """Whether part of a repaint can be seen and part of it cannot yet."""
        return self._repaints.is_half_done(self._window.words)

    @property
    def painted_at(self):
        """The moment that the window shows."""
        return self.clock.now if self._frozen_at is None else self._frozen_at

    def cell_at(self, pixel):
        """The cell at a pixel, None outside the board; whatever lies over it."""
        return self._window.cell_at(pixel)

    def closed_cells(self):
        """Every closed cell of a game that is not over."""
        if self.game.is_over:
            return []
        return [(int(row), int(col)) for row, col in np.argwhere(self.game.board.cells == codes.CLOSED)]

    # --- what a test makes happen

    def close_window(self):
        """Close the game's window: the desktop behind it shows."""
        self.is_closed = True

    def freeze(self, *, queues_clicks=False):
        """Let the game hang: it paints nothing and takes no click; they are dropped, or delivered when it goes on."""
        self.is_frozen = True
        self.queues_clicks = queues_clicks
        self._frozen_at = self.clock.now
        self._repaints.stop()

    def thaw(self):
        """Let the game go on."""
        self.is_frozen = False
        self._frozen_at = None
        self._repaints.go_on()
        queued, self._queue = self._queue, []
        for target, cell, button in queued:
            if not self.dialog_is_due:
                self._deliver(target, cell, button)

    def raise_dialog(self, after_s, *, key="enter", covers=True, for_s=float("inf")):
        """Let a dialog of the game come up, one more where there is one already; clicks are lost from now on."""
        at_s = self.clock.now + after_s
        self._dialogs.append(_Dialog(at_s, key, covers, at_s + for_s))

    def misread(self, cell, word, seconds=float("inf")):
        """Show a cell wrongly for a while."""
        self._wrong[cell] = (word, self.clock.now + seconds)

    def repaint(self):
        """Paint what the game shows, after a test has moved in it by itself."""
        cells = np.ndenumerate(self.game.board.cells)
        self._repaints.add(self.clock.now, [(cell, _word(int(code))) for cell, code in cells])

    def new_game_by_person(self):
        """Begin a new game as a person does, by the game's own key."""
        self._begin_game()

    def swap_game(self, level, n_opened=0):
        """Begin another game as a person does, of this size and mine count; some cells of it opened already."""
        self.mines = level[2]
        self._window.resize((level[0], level[1]))
        self._keep_on_screen()
        self._layouts.clear()
        self._begin_game()
        self._repaints.drop()
        for _ in range(n_opened):
            layout, cells = self.game.layout, self.closed_cells()
            safe = cells if layout is None else [cell for cell in cells if not layout.has_mine[cell]]
            if len(safe) > 1:
                self.game.open(self._rng.choice(safe))
        self.repaint()

    # --- inside

    def _catch_up(self):
        """Make happen and paint what is due."""
        self.clock.catch_up()
        now = self.clock.now
        while self._dialogs and self._dialogs[0].until_s <= now:
            self._dialogs.pop(0)
        self._repaints.paint(self._window)
        self._wrong = {cell: wrong for cell, wrong in self._wrong.items() if wrong[1] > now}

    def _ask_for_game(self):
        """Begin another game, now or a while after the last time that it was asked for."""
        if not self.faults.begins_s:
            self._begin_game()
            return
        self._n_asked = n_asked = self._n_asked + 1
        self.clock.after(self.faults.begins_s, lambda: self._begin_game() if self._n_asked == n_asked else None)

    def _begin_game(self):
        self.games.append(self._next_game())
        self._dialogs.clear()
        self._repaints.drop()
        cells = np.ndindex(self._window.words.shape)
        self._repaints.add(self.clock.now + self._delay(), [(cell, CLOSED) for cell in cells])

    def _next_game(self):
        if self._layouts:
            return Game.on(self._layouts.popleft())
        seed = f"{self._seed} {len(self.games)}"
        rule = FirstClick(self.skin.first_click or FirstClick.SAFE)
        return Game(self._window.words.shape, self.mines, seed=seed, first_click=rule)

    def _is_lost(self):
        faults = self.faults
        if self._n_lost_in_a_row >= faults.most_lost_in_a_row:
            is_lost = False
            self._n_run_left = 0
        elif self._n_run_left:
            is_lost = True
            self._n_run_left -= 1
        else:
            is_lost = self._rng.random() < self._p_run_begins()
            if is_lost and faults.loses_in_runs:
                self._n_run_left = self._rng.randint(1, faults.most_lost_in_a_row) - 1
        self._n_lost_in_a_row = self._n_lost_in_a_row + 1 if is_lost else 0
        return is_lost

    def _p_run_begins(self):
        """So often a run begins that the share of lost clicks comes to about `p_lost`."""
        p_lost = self.faults.p_lost
        length = (self.faults.most_lost_in_a_row + 1) / 2 if self.faults.loses_in_runs else 1
        return p_lost / (length * (1 - p_lost) + p_lost) if p_lost < 1 else 1.0

    def _deliver(self, target, cell, button):
        """Let the game have a click."""
        if target is Target.SPOT:
            self._ask_for_game()
            return
        if target is not Target.BOARD:
            return
        before = self.game.board.cells
        chords = self.skin.chord
        if button is Button.RIGHT:
            self.game.toggle_flag(cell)
        elif button in {Button.MIDDLE, Button.BOTH} or (chords == "left" and self.game.code(cell) >= 0):
            if chords not in {None, "none"}:
                self.game.chord(cell)
        else:
            self.game.open(cell)
        after = self.game.board.cells
        changed = [(int(row), int(col)) for row, col in np.argwhere(before != after)]
        if changed:
            self._show(cell, changed, after, is_flag=button is Button.RIGHT)

    def _show(self, clicked, changed, after, *, is_flag):
        at_s = self.clock.now + self._delay()
        if is_flag:
            self._repaints.add(at_s, [(cell, _word(int(after[cell]))) for cell in changed])
            return
        faults = self.faults
        self._rng.shuffle(changed)
        if faults.pressed_s:
            self._repaints.add_pressed(at_s, faults.pressed_s, clicked, _word(int(after[clicked])))
            at_s += faults.pressed_s
        self._repaints.add(at_s, [(cell, _word(int(after[cell]))) for cell in changed], flood_s=faults.flood_s)
        is_lost = self.game.state is GameState.LOST
        if self.game.state is GameState.WON or (is_lost and faults.dialogs_after_loss):
            done = at_s + faults.flood_s + faults.dialog_s
            keys = faults.dialog_key if isinstance(faults.dialog_key, tuple) else (faults.dialog_key,) * faults.dialogs
            self._dialogs = [_Dialog(done, key, faults.dialogs_cover) for key in keys]

    def _answer_dialog(self, key):
        """Close the dialog that is up, where this key closes it; the next one takes its time to come up."""
        if key != self._dialogs[0].key:
            return
        self._dialogs.pop(0)
        self.n_dialogs_closed += 1
        if self._dialogs:
            old = self._dialogs[0]
            self._dialogs[0] = _Dialog(self.clock.now + self.faults.dialog_s, old.key, old.covers, old.until_s)

    def _delay(self):
        return self._rng.uniform(*self.faults.repaint_s)

    def _keep_on_screen(self):
        """Move a window that has grown as far as it must for all of it to be seen."""
        region = self._window.region
        right, bottom = SCREEN.left + SCREEN.width, SCREEN.top + SCREEN.height
        dx = min(0, right - region.left - region.width) or max(0, SCREEN.left - region.left)
        dy = min(0, bottom - region.top - region.height) or max(0, SCREEN.top - region.top)
        self._window.move(dx, dy)


def _word(code):
    return str(code) if code >= 0 else _WORDS[code]
