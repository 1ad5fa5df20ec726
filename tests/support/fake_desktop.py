"""A desktop that misbehaves, for fault injection: a clone in a window, the screen it is on, a mouse and a keyboard.

The game is a `solver.game.Game`, painted with a shipped skin on a cluttered screen whose coordinates begin below zero.
Time is simulated (`Clock`): captures and waits make it pass, so that slow repaints cost no real time and every run with
equal seeds is the same run. What the player was told never comes from here: a test holds it against `desktop.clicks`,
which knows the truth of every click at the moment it was made.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bot.control import Control
from bot.errors import UsageError
from bot.models import Button, Frame, Grid, Pixel, Region
from skins.painter import sprites
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, STATES, WRONG_FLAG
from solver import board as codes
from solver.game import FirstClick, Game, GameState

GRAB_S = 0.0002
SCREEN = Region(-320, -40, 700, 460)
_WORDS = {
    codes.CLOSED: CLOSED,
    codes.FLAG: FLAG,
    codes.MINE: MINE,
    codes.EXPLODED: EXPLODED,
    codes.WRONG_FLAG: WRONG_FLAG,
}


class Clock:
    """Stands in for the module `time`: captures and waits make it pass, nothing else does."""

    def __init__(self):
        self.now = 100.0

    def perf_counter(self):
        return self.now


class SimulatedControl(Control):
    """A real control whose waits take simulated time; `on_wait` is called after each."""

    def __init__(self, clock, *, running=True):
        super().__init__(running=running)
        self._clock = clock
        self.on_wait = lambda: None

    def wait(self, seconds):
        self._clock.now += seconds
        self.on_wait()
        super().wait(0)


@dataclass(frozen=True)
class Faults:
    """How the desktop misbehaves.

    Attributes:
        p_lost: share of clicks the game never gets.
        most_lost_in_a_row: a click after so many lost ones arrives.
        repaint_s: shortest and longest time from a click to the first pixel of its effect.
        flood_s: how long the effect of one click takes to be painted, cell by cell in random order.
        pressed_s: how long a clicked cell shows its pressed look, an open 0, first.
        dialogs: how many dialogs come up after a won game, one after the other; each covers part of the board.
        dialog_s: from the win, or from the end of the dialog before, to a dialog; clicks are lost meanwhile.
        dialogs_cover: whether dialogs lie over the board; beside it they hide nothing, but take the clicks as well.
    """

    p_lost: float = 0.0
    most_lost_in_a_row: int = 3
    repaint_s: tuple[float, float] = (0.0, 0.0)
    flood_s: float = 0.0
    pressed_s: float = 0.0
    dialogs: int = 0
    dialog_s: float = 0.0
    dialogs_cover: bool = True


@dataclass(frozen=True)
class Press:
    """One click and the truth of its moment.

    Attributes:
        pixel: where.
        cell: the cell there, None outside the board.
        game: number of the game, from 0.
        code: the cell's true code before it, None outside.
        is_half_painted: whether the picture was not a whole one.
        is_covered: whether something lay over part of the board.
        is_paused: whether play was paused.
        has_exploded: whether it ended the game.
        n_keys: how many keys had been pressed before.
    """

    pixel: Pixel
    cell: tuple[int, int] | None
    game: int
    code: int | None
    is_half_painted: bool
    is_covered: bool
    is_paused: bool
    has_exploded: bool
    n_keys: int


class _Paint(NamedTuple):
    """One cell that is still to be painted; a repaint begins with its first cell."""

    at_s: float
    begins_s: float
    cell: tuple[int, int]
    word: str


class FakeDesktop:
    """Screen, mouse and keyboard in one, with a game between them.

    Args:
        skin: what the game looks like, and how a new one is begun.
        level: rows, cols and mines.
        seed: equal seeds are equal games and equal faults.
        faults: how it misbehaves.
        origin: top left pixel of the board.
        layouts: the layouts of the first games; drawn from the seed where there are none left.
    """

    def __init__(self, skin, level, *, seed=0, faults=None, origin=None, layouts=()):
        self.skin = skin
        self.clock = Clock()
        self.control = SimulatedControl(self.clock)
        self.grid = Grid(origin or Pixel(-150, 90), skin.pitch_px, level[0], level[1])
        self.mines = level[2]
        self.faults = faults or Faults()
        self.games: list[Game] = []
        self.clicks: list[Press] = []
        self.keys: list[tuple[str, bool]] = []
        self.pointer = Pixel(0, 0)
        self.is_frozen = False
        self.on_click = lambda _n_clicks: None
        self.on_grab = lambda _n_grabs: None
        self.n_grabs = 0
        self._seed = seed
        self._layouts = deque(layouts)
        self._rng = random.Random(f"faults {seed}")
        self._n_lost_in_a_row = 0
        self._sprites = sprites(skin, [*(str(n) for n in range(9)), *(s for s in STATES if skin.looks_of(s))])
        self._to_paint: list[_Paint] = []
        self._dialogs_at_s: list[float] = []
        self._wrong: dict[tuple[int, int], tuple[str, float]] = {}
        self._covers: list[Region] = []
        self._is_closed = False
        self._desk = _cluttered(seed)
        region = self.grid.region
        self._pixels = self._desk.copy()
        _fill(self._pixels, Region(region.left - 12, region.top - 60, region.width + 24, region.height + 72), 192)
        self._words = np.full((level[0], level[1]), CLOSED, dtype=object)
        for cell in np.ndindex(self._words.shape):
            self._draw(self._pixels, cell, CLOSED)
        self.games.append(self._next_game())

    # --- the ports

    def grab(self, region=None):
        self.n_grabs += 1
        self.clock.now += GRAB_S
        self._paint_what_is_due()
        self.on_grab(self.n_grabs)
        seen = Frame(self._picture(), SCREEN.left, SCREEN.top).crop(SCREEN if region is None else region)
        return Frame(seen.pixels_bgr.copy(), seen.left, seen.top)

    def close(self):
        """Nothing to give back."""

    def position(self):
        return self.pointer

    def click(self, click):
        self._paint_what_is_due()
        pixel = click.pixel
        self.pointer = pixel
        cell = self.cell_at(pixel)
        code = None if cell is None else self.game.code(cell)
        truth = (cell, len(self.games) - 1, code, self.is_half_painted, self.is_covered, not self.control.is_running)
        was_lost = self.game.state is GameState.LOST
        if not (self.is_frozen or self._is_closed or self._dialogs_at_s or self._is_lost()):
            self._deliver(pixel, cell, click.button)
        exploded = self.game.state is GameState.LOST and not was_lost
        self.clicks.append(Press(pixel, *truth, exploded, len(self.keys)))
        self.on_click(len(self.clicks))

    def move(self, pixel):
        self.pointer = pixel

    def press(self, key):
        self.keys.append((key, self.dialog_is_up))
        if self.dialog_is_up and key == "enter":
            self._dialogs_at_s.pop(0)
            if self._dialogs_at_s:
                self._dialogs_at_s[0] = self.clock.now + self.faults.dialog_s

    # --- the truth

    @property
    def game(self):
        """The game that is on."""
        return self.games[-1]

    @property
    def spot(self):
        """The face, where a click begins a new game; None where the skin does not know it."""
        if self.skin.new_game.spot_px is None:
            return None
        x, y = self.skin.new_game.spot_px
        region = self.grid.region
        return Pixel(region.left + region.width // 2 + x, region.top + y)

    @property
    def dialog_is_up(self):
        """Whether a dialog lies over the board."""
        return bool(self._dialogs_at_s) and self._dialogs_at_s[0] <= self.clock.now

    @property
    def is_covered(self):
        """Whether anything lies over the board, or it is gone."""
        return (self.dialog_is_up and self.faults.dialogs_cover) or bool(self._covers) or self._is_closed

    @property
    def is_half_painted(self):
        """Whether part of a repaint can be seen and part of it cannot yet."""
        return any(
            paint.begins_s <= self.clock.now < paint.at_s and self._words[paint.cell] != paint.word
            for paint in self._to_paint
        )

    def cell_at(self, pixel):
        """The cell at a pixel, None outside the board."""
        if not self.grid.region.has_pixel(pixel):
            return None
        width, height = self.grid.pitch_px
        return (pixel.y - self.grid.origin.y) // height, (pixel.x - self.grid.origin.x) // width

    def cell_clicks(self, game=0):
        """The clicks on cells during one game."""
        return [press for press in self.clicks if press.game == game and press.cell is not None]

    # --- what a test makes happen

    def cover(self, rows, cols):
        """Lay a window of no known look over rows x cols of cells (two ranges), for good."""
        first, last = self.grid.cell_region((rows[0], cols[0])), self.grid.cell_region((rows[-1], cols[-1]))
        width, height = last.left + last.width - first.left, last.top + last.height - first.top
        self._covers.append(Region(first.left, first.top, width, height))

    def close_window(self):
        """Close the game's window: the desktop behind it shows."""
        self._is_closed = True

    def raise_dialog(self, after_s):
        """Let a dialog of the game come up."""
        self._dialogs_at_s.append(self.clock.now + after_s)

    def misread(self, cell, word, seconds=float("inf")):
        """Show a cell wrongly for a while."""
        self._wrong[cell] = (word, self.clock.now + seconds)

    def repaint(self):
        """Paint what the game shows, after a test has moved in it by itself."""
        for cell, code in np.ndenumerate(self.game.board.cells):
            self._to_paint.append(_Paint(self.clock.now, self.clock.now, cell, _word(int(code))))

    def new_game_by_person(self):
        """Begin a new game as a person does, by the game's own key."""
        self._begin_game()

    # --- inside

    def _begin_game(self):
        self.games.append(self._next_game())
        self._dialogs_at_s.clear()
        self._to_paint.clear()
        cells = np.ndindex(self._words.shape)
        self._queue(self.clock.now + self._delay(), [(cell, CLOSED) for cell in cells], flood_s=0.0)

    def _next_game(self):
        if self._layouts:
            return Game.on(self._layouts.popleft())
        seed = f"{self._seed} {len(self.games)}"
        return Game(self._words.shape, self.mines, seed=seed, first_click=FirstClick.SAFE)

    def _is_lost(self):
        may_lose = self._n_lost_in_a_row < self.faults.most_lost_in_a_row
        is_lost = may_lose and self._rng.random() < self.faults.p_lost
        self._n_lost_in_a_row = self._n_lost_in_a_row + 1 if is_lost else 0
        return is_lost

    def _deliver(self, pixel, cell, button):
        if pixel == self.spot:
            self._begin_game()
            return
        if button is Button.RIGHT and cell is not None:
            self.game.toggle_flag(cell)
            self._queue(self.clock.now + self._delay(), [(cell, _word(self.game.code(cell)))], flood_s=0.0)
            return
        if cell is None or self.game.code(cell) != codes.CLOSED or self.game.is_over:
            return
        now = self.clock.now
        before = self.game.board.cells
        self.game.open(cell)
        after = self.game.board.cells
        changed = [(int(row), int(col)) for row, col in np.argwhere(before != after)]
        self._rng.shuffle(changed)
        at_s = now + self._delay()
        if self.faults.pressed_s:
            pressed = _Paint(at_s, at_s, cell, "0")
            lifted = _Paint(at_s + self.faults.pressed_s, at_s, cell, _word(int(after[cell])))
            self._to_paint += [pressed, lifted]
            at_s += self.faults.pressed_s
        self._queue(at_s, [(c, _word(int(after[c]))) for c in changed], flood_s=self.faults.flood_s)
        if self.game.state is GameState.WON:
            done = at_s + self.faults.flood_s + self.faults.dialog_s
            self._dialogs_at_s = [done] * self.faults.dialogs

    def _delay(self):
        return self._rng.uniform(*self.faults.repaint_s)

    def _queue(self, at_s, words, *, flood_s):
        step = flood_s / max(1, len(words) - 1)
        self._to_paint += [_Paint(at_s + i * step, at_s, cell, word) for i, (cell, word) in enumerate(words)]

    def _paint_what_is_due(self):
        now = self.clock.now
        for paint in sorted(paint for paint in self._to_paint if paint.at_s <= now):
            self._words[paint.cell] = paint.word
            self._draw(self._pixels, paint.cell, paint.word)
        self._to_paint = [paint for paint in self._to_paint if paint.at_s > now]
        self._wrong = {cell: wrong for cell, wrong in self._wrong.items() if wrong[1] > now}

    def _picture(self):
        if self._is_closed:
            return self._desk
        shows_dialog = self.dialog_is_up and self.faults.dialogs_cover
        if not (self._wrong or self._covers or shows_dialog):
            return self._pixels
        pixels = self._pixels.copy()
        for cell, (word, _) in self._wrong.items():
            self._draw(pixels, cell, word)
        for cover in self._covers:
            _fill(pixels, cover, 77)
        if shows_dialog:
            _fill(pixels, self.dialog_region, 240)
        return pixels

    def _draw(self, pixels, cell, word):
        place = self.grid.cell_region(cell)
        y, x = place.top - SCREEN.top, place.left - SCREEN.left
        pixels[y : y + place.height, x : x + place.width] = self._sprites[word]

    @property
    def dialog_region(self):
        """Where dialogs come up: not in line with the cells, over the middle of the board."""
        region = self.grid.region
        return Region(region.left + 21, region.top + 21, region.width - 42, region.height // 2)


def _word(code):
    return str(code) if code >= 0 else _WORDS[code]


def _fill(pixels, region, value):
    y, x = region.top - SCREEN.top, region.left - SCREEN.left
    pixels[max(y, 0) : y + region.height, max(x, 0) : x + region.width] = value


def _cluttered(seed):
    """A desktop full of windows and noise: uint8, H x W x 3."""
    rng = np.random.default_rng(seed)
    pixels = np.full((SCREEN.height, SCREEN.width, 3), (120, 60, 20), dtype=np.uint8)
    for _ in range(60):
        y, x = int(rng.integers(0, SCREEN.height)), int(rng.integers(0, SCREEN.width))
        height, width = (int(side) for side in rng.integers(4, 120, 2))
        pixels[y : y + height, x : x + width] = rng.integers(0, 256, 3)
    pixels[-60:] = rng.integers(0, 256, (60, SCREEN.width, 3))
    return pixels


def impatient(skin, **changes):
    """The skin, with some of its habits changed."""
    unknown = changes.keys() - {"retry_s", "dialog_key", "spot_px", "pause_s"}
    if unknown:
        raise UsageError(f"no habits of a skin: {unknown}")
    retry_s = changes.pop("retry_s", skin.retry_s)
    return replace(skin, retry_s=retry_s, new_game=replace(skin.new_game, **changes))
