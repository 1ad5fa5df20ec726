"""A clone nobody knows, on a desktop in simulated time: games begin by a key, or by a face with moods."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import cv2
import numpy as np
from fake_desktop import FakeDesktop
from fake_desktop.scenery import paste
from fake_desktop.window import MARGIN_PX, TOP_PX, GameWindow
from made_looks import MADE, made_cell

from bot.models import Region
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG, NewGame, Skin, Sprite
from solver import board as codes
from solver.board import GameState

FACE_PX = 20
MOODS = {GameState.LOST: (0, 0, 200), GameState.WON: (0, 200, 0)}
STATES = (*map(str, range(9)), CLOSED, FLAG, MINE, EXPLODED, WRONG_FLAG)


def made_skin(name):
    """The skin of a made look, with which a fake desktop paints it."""
    px = MADE[name]
    sprites = tuple(Sprite(state, made_cell(name, state, cell)) for state in STATES for cell in ((0, 0), (0, 1)))
    return Skin(name.replace("_", "-"), name, (px, px), (0, 0, 0), sprites, new_game=NewGame(spot_px=(0, -28)))


class MadeWindow(GameWindow):
    """A window that paints a made look: what a cell looks like may depend on where it is.

    Args:
        look: its name.
        as_game: what every window of a game takes.
    """

    def __init__(self, look, *as_game):
        self._look = look
        super().__init__(*as_game)

    def _draw(self, pixels, cell, word):
        height, width = (picture := made_cell(self._look, word, cell)).shape[:2]
        y, x = TOP_PX + cell[0] * height, MARGIN_PX + cell[1] * width
        pixels[y : y + height, x : x + width] = picture


class UnknownClone(FakeDesktop):
    """A fake desktop whose game begins anew by a key, or by a click on its face.

    Args:
        skin: what its cells look like.
        level: rows, cols and mines.
        key: what begins a game; None: the face does. Only one of both is there.
        look: the name of the made look that the skin is of, where cells look otherwise in other places.
    """

    def __init__(self, skin, level, *, key="f2", look=None, **options):
        super().__init__(skin if key is None else replace(skin, new_game=NewGame()), level, **options)
        if look is not None:
            self._window = MadeWindow(look, skin, level[:2], self.grid.origin)
        self.key = key
        self.pointer = self.grid.region.middle

    def press(self, key, window=None):
        super().press(key, window)
        if self.has_focus and key == self.key:
            self._ask_for_game()
        return True

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.key is None:
            face = np.full((FACE_PX, FACE_PX, 3), MOODS.get(self.game.state, (0, 200, 200)), dtype=np.uint8)
            paste(pixels, seen, face, self.spot.x - FACE_PX // 2, self.spot.y - FACE_PX // 2)
        return pixels


class HintingClone(UnknownClone):
    """One as a web page may be: shaded where the pointer is on a cell not open, and a hint comes up below it."""

    HINT_S, HINT_PX = 0.5, (44, 12)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._rests_since = self.clock.now

    def move(self, pixel):
        super().move(pixel)
        self._rests_since = self.clock.now

    def press_button(self, click):
        super().press_button(click)
        self._rests_since = self.clock.now

    def _picture(self, seen):
        pixels = super()._picture(seen)
        cell = self.cell_at(self.pointer)
        if cell is None:
            return pixels
        if self.game.code(cell) in {codes.CLOSED, codes.FLAG}:
            own = self.grid.cell_region(cell)
            there = pixels[max(0, own.top - seen.top) :, max(0, own.left - seen.left) :][: own.height, : own.width]
            shade = np.full(there.shape[:2], 30, dtype=np.uint8)
            shade[3:-3, 3:-3] = 0
            there -= np.minimum(there, shade[..., None])
        if self.clock.now - self._rests_since > self.HINT_S:
            hint = np.zeros((self.HINT_PX[1], self.HINT_PX[0], 3), dtype=np.uint8)
            hint[2:-2, 2:-2] = 250
            paste(pixels, seen, hint, self.pointer.x, self.pointer.y + 4)
        return pixels


class FadingClone(UnknownClone):
    """One as a web page may be: what changes on its board fades in."""

    FADE_S = 0.3

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._shown = super()._picture(self.grid.region)
        self._fades = []
        """Of each change: when it began, what was shown before, and which pixels changed."""

    def _picture(self, seen):
        pixels, board = super()._picture(seen), super()._picture(self.grid.region)
        changed = (board != self._shown).any(axis=2)
        if changed.any():
            self._fades.append((self.clock.now, self._shown, changed))
            self._shown = board.copy()
        self._fades = [fade for fade in self._fades if self.clock.now - fade[0] < self.FADE_S]
        for begun_s, before, changed in self._fades:
            share = (self.clock.now - begun_s) / self.FADE_S
            board[changed] = np.rint(before[changed] * (1 - share) + board[changed] * share)
        paste(pixels, seen, board, self.grid.region.left, self.grid.region.top)
        return pixels


class AnnouncingClone(UnknownClone):
    """One as a web page may be: a lost board gets paler, and there are words over its middle."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.game.state is GameState.LOST:
            whole = self.grid.region
            board = 128 + super()._picture(whole) // 2
            words = np.zeros((whole.height // 10, whole.width // 2, 3), dtype=np.uint8)
            words[2:-2, ::3] = 200
            y, x = (whole.height - words.shape[0]) // 2, whole.width // 4
            board[y : y + words.shape[0], x : x + words.shape[1]] = words
            paste(pixels, seen, board, whole.left, whole.top)
        return pixels


class MessagingClone(UnknownClone):
    """A browser dims its page for a message that lies beside the board, and takes all keys until one closes it."""

    LATE_S = 0.25

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._ended_s = {}
        """When each game ended, by its number."""
        self.closed = set()
        """Games whose message was closed."""

    @property
    def is_up(self):
        ended_s = self._ended_s.get(len(self.games), self.clock.now)
        return self.clock.now - ended_s > self.LATE_S and len(self.games) not in self.closed

    def press_button(self, click):
        super().press_button(click)
        if self.game.is_over:
            self._ended_s.setdefault(len(self.games), self.clock.now)

    def press(self, key, window=None):
        if self.is_up and self.has_focus:
            self.closed |= {len(self.games)} if key == "enter" else set()
            return True
        return super().press(key, window)

    def _picture(self, seen):
        pixels = super()._picture(seen)
        return pixels // 2 if self.is_up else pixels


class ButtonClone(UnknownClone):
    """One with buttons in a row above its board: a level, a switch and a new game; no key begins a game.

    Attributes:
        pressed: the names of the buttons that were pressed, in order.
        is_on: whether the switch is on.
        begins: the names of what begins a game: buttons, or "board" for a click on the ended board.
    """

    BUTTONS = ("New", "Bot", "Hard")
    WIDTH_PX, HEIGHT_PX, GAP_PX = 42, 18, 4
    LARGER = (12, 12, 20)

    def __init__(self, skin, level, begins=("New",), **options):
        super().__init__(skin, level, key="none", **options)
        self.level, self.begins = level, begins
        self.pressed, self.is_on = [], False

    def place_of(self, name):
        """Where a button is, with the window."""
        board, n = self.grid.region, self.BUTTONS.index(name)
        return Region(board.left + n * (self.WIDTH_PX + self.GAP_PX), board.top - 40, self.WIDTH_PX, self.HEIGHT_PX)

    def press_button(self, click):
        was_over, begun = self.game.is_over, len(self.games)
        super().press_button(click)
        name = next((name for name in self.BUTTONS if self.place_of(name).has_pixel(click.pixel)), None)
        if name is not None:
            self.pressed.append(name)
        if name == "Hard":
            self.swap_game(self.LARGER)
        self.is_on ^= name == "Bot"
        is_asked = name in self.begins or ("board" in self.begins and was_over and self.cell_at(click.pixel))
        if is_asked and begun == len(self.games):
            self.swap_game(self.level)

    def _picture(self, seen):
        pixels = super()._picture(seen)
        for name in self.BUTTONS:
            place = self.place_of(name)
            box = np.full((place.height, place.width, 3), 60, dtype=np.uint8)
            box[1:-1, 1:-1] = 120 if name == "Bot" and self.is_on else 225
            cv2.putText(box, name, (5, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0))
            paste(pixels, seen, box, place.left, place.top)
        return pixels


def simulate_all_time(patch, clock):
    """Let every module of the bot and of calibration ask a clock."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("bot.", "calibration.")) and getattr(module, "time", None) is time:
            patch.setattr(module, "time", clock)


def check_sprites(skin, true_skin):
    """Every sprite is what the clone draws for its state, at one place of the cell or another, or for one of a set."""
    meant = {}
    for sprite in skin.sprites:
        meant.setdefault(sprite.pixels_bgr.tobytes(), set()).add(sprite.state)
    assert sum(len(states) > 1 for states in meant.values()) <= 1, meant.values()
    for pixels, states in meant.items():
        drawn = {one.state for one in true_skin.sprites if one.pixels_bgr.tobytes() == pixels}
        assert drawn & states, states
