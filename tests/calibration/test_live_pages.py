"""What web pages do that programs do not: menus at the right button, flags that stay, other surroundings."""

import random
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from fake_desktop import FakeDesktop
from fake_desktop.scenery import paste
from player_table import BEGINNER, CLASSIC, Table
from unknown_clone import ButtonClone, UnknownClone, check_sprites, simulate_all_time

from bot.desktop import Desktop
from bot.models import Button, Frame, Grid, Pixel
from calibration import learning
from calibration.appearances import are_near_equals
from calibration.errors import CalibrationError
from calibration.live.locating import widest_grid
from calibration.live.session import LiveOptions, learn_live
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG, Alike, NewGame, Skin, Sprite
from solver import board as codes
from solver.board import GameState
from solver.layout import Layout

PX = 32
GREY, LIGHT = 119, 187


class MenuClone(UnknownClone):
    """A page that leaves the right button to its browser: a menu comes up at the pointer, until Escape closes it."""

    MENU_PX = (120, 160)
    menu = None

    def _deliver(self, target, cell, button):
        assert self.menu is None, "nothing is clicked while the menu is up"
        if button is Button.RIGHT:
            self.menu = self.pointer
        else:
            super()._deliver(target, cell, button)

    def press(self, key, window=None):
        if self.menu is not None:
            self.menu = None if key == "escape" else self.menu
            return True
        return super().press(key, window)

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.menu is not None:
            width, height = self.MENU_PX
            paste(pixels, seen, np.full((height, width, 3), 250, dtype=np.uint8), self.menu.x, self.menu.y)
        return pixels


class KeepingFlags(UnknownClone):
    """One in which a flag stays where it was set."""

    def _deliver(self, target, cell, button):
        is_flagged = cell is not None and self.game.code(cell) == codes.FLAG
        if not (is_flagged and button is Button.RIGHT):
            super()._deliver(target, cell, button)


class Announcing(UnknownClone):
    """A page that paints what is around its board otherwise once a cell is open."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if (self.game.board.cells >= 0).any():
            own = self.grid.region.widened(6, seen)
            y, x = own.top - seen.top, own.left - seen.left
            inner = self.grid.region
            board = pixels[inner.top - seen.top :, inner.left - seen.left :][: inner.height, : inner.width].copy()
            pixels[max(y, 0) : y + own.height, max(x, 0) : x + own.width] = (200, 120, 40)
            paste(pixels, seen, board, inner.left, inner.top)
        return pixels


def hollow_skin():
    """Closed cells are plain, and parted by gaps; open ones are an outline on the colour of the gaps."""
    sprites = []
    for state in (*map(str, range(9)), CLOSED, FLAG, MINE, EXPLODED, WRONG_FLAG):
        cell = np.full((PX, PX, 3), GREY, dtype=np.uint8)
        inner = cell[2:-2, 2:-2]
        inner[:] = LIGHT
        if state.isdecimal():
            inner[1:-1, 1:-1] = GREY
        if state == EXPLODED:
            inner[:] = (60, 60, 220)
        sign = {"0": "", CLOSED: "", FLAG: "F", MINE: "*", EXPLODED: "*", WRONG_FLAG: "X"}.get(state, state)
        cv2.putText(cell, sign, (8, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2)
        sprites.append(Sprite(state, cell))
    return Skin("hollow", "hollow", (PX, PX), (LIGHT,) * 3, tuple(sprites), new_game=NewGame(spot_px=(0, -28)))


@pytest.fixture
def learn(monkeypatch):
    """Learns a clone on a fake desktop: what was learned, the desktop, and what was said."""

    def run(kind, skin=CLASSIC, **options):
        desktop, said = kind(skin, BEGINNER, **options), []
        simulate_all_time(monkeypatch, desktop.clock)
        ports = Desktop(desktop, desktop, desktop, desktop)
        learned = learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append)
        return SimpleNamespace(learned=learned, desktop=desktop, said=said)

    return run


def test_menu_that_a_right_click_brings_up_is_closed_and_not_asked_for_again(learn):
    run = learn(MenuClone)
    assert run.learned.is_verified
    assert run.said.count("a right click sets no flag here") == 1
    check_sprites(run.learned.skin, CLASSIC)
    assert not {FLAG, WRONG_FLAG} & {sprite.state for sprite in run.learned.skin.sprites}


def test_flag_that_stays_costs_one_game_and_nothing_that_was_learned(learn):
    run = learn(KeepingFlags)
    assert run.learned.is_verified
    assert run.said.count("a flag does not come off again here") == 1
    check_sprites(run.learned.skin, CLASSIC)


def test_what_is_around_the_board_says_nothing_of_the_game(learn):
    run = learn(Announcing)
    assert run.learned.is_verified
    check_sprites(run.learned.skin, CLASSIC)
    assert EXPLODED in {sprite.state for sprite in run.learned.skin.sprites}


def test_open_cells_of_the_colour_of_the_gaps_are_found_again(learn):
    skin = hollow_skin()
    run = learn(UnknownClone, skin)
    assert run.learned.is_verified
    assert run.learned.share_read == 1.0
    check_sprites(run.learned.skin, skin)


def test_insides_of_cells_are_read_where_neither_tiles_nor_whole_cells_are(learn, monkeypatch):
    check = learning.check_reads

    def check_alike(skin, *boards):
        if not isinstance(skin.drawing, Alike):
            raise CalibrationError("not found")
        return check(skin, *boards)

    monkeypatch.setattr(learning, "check_reads", check_alike)
    run = learn(UnknownClone, hollow_skin())
    assert run.learned.is_verified
    assert run.learned.share_read == 1.0


def test_mine_count_of_lost_games_is_noted(learn):
    assert learn(UnknownClone).learned.skin.levels == {(9, 9): 10}


class Titled(UnknownClone):
    """One whose window has a title that changes when a game ends; the title is another program's."""

    def at(self, pixel):
        return 77 if self._is_title(pixel) else super().at(pixel)

    def _is_title(self, pixel):
        board = self.grid.region
        return board.top - 30 <= pixel.y < board.top - 10 and abs(pixel.x - board.middle.x) < 12

    def _picture(self, seen):
        pixels = super()._picture(seen)
        board = self.grid.region
        mood = 0 if self.game.is_over else 255
        paste(pixels, seen, np.full((16, 16, 3), mood, dtype=np.uint8), board.middle.x - 8, board.top - 28)
        return pixels

    def press_button(self, click):
        was_over, begun = self.game.is_over, len(self.games)
        assert not self._is_title(click.pixel), "another program's"
        super().press_button(click)
        if was_over and begun == len(self.games) and self.cell_at(click.pixel):
            self.swap_game(BEGINNER)


def test_title_that_changes_is_no_face(learn):
    run = learn(Titled, key="none")
    assert run.learned.is_verified
    assert run.learned.skin.new_game.spot_from == "middle"


def test_dark_page_beside_dark_cells_is_none_of_them():
    picture = np.full((700, 700, 3), 10, dtype=np.uint8)
    board = picture[100:502, 150:552]
    board[:] = 17
    board[::50] = board[1::50] = 200
    board[:, ::50] = board[:, 1::50] = 200
    true = Grid(Pixel(150, 100), (50, 50), 8, 8)
    assert widest_grid(Frame(picture), true) == true


def test_cells_that_an_eye_takes_for_equal_are_near_equals():
    cells = np.full((3, 20, 20, 3), 238, dtype=np.uint8)
    assert not are_near_equals(cells)
    cells[1, 3:6, 3] = 236
    assert are_near_equals(cells)
    cells[2, 0, 0] = 100  # shaded at a corner
    assert not are_near_equals(cells)


class Clearing(UnknownClone):
    """One that shows a fresh board some time after a game was lost, on which nothing opens until its key is pressed."""

    SHOWN_S = 0.6
    lost_s = None

    def press_button(self, click):
        super().press_button(click)
        if self.game.state is GameState.LOST and self.lost_s is None:
            self.lost_s = self.clock.now

    def _picture(self, seen):
        if self.lost_s is not None and self.clock.now - self.lost_s > self.SHOWN_S:
            self._window.resize(BEGINNER[:2])
            self.lost_s = None
        return super()._picture(seen)

    def _begin_game(self):
        self.lost_s = None
        super()._begin_game()


def test_fresh_board_on_which_nothing_opens_is_left_by_the_way_that_began_the_game_before(learn):
    run = learn(Clearing)
    assert run.learned.is_verified
    assert run.learned.skin.new_game.key == "f2"
    assert "nothing opens on this board: trying the key f2" in run.said
    check_sprites(run.learned.skin, CLASSIC)


class DryLayout(Layout):
    """One on which a 0 opens no neighbours."""

    def opened_by(self, index, _is_closed):
        return frozenset({index})


def test_skin_says_that_a_0_opens_no_neighbours_and_is_played_so(learn, monkeypatch):
    layouts = [DryLayout(Layout.random((9, 9), 10, random.Random(seed)).has_mine) for seed in range(20)]
    run = learn(UnknownClone, layouts=layouts)
    assert run.learned.is_verified
    assert not run.learned.skin.floods
    desktop = FakeDesktop(replace(CLASSIC, floods=False), BEGINNER, layouts=[layouts[0]])
    simulate_all_time(monkeypatch, desktop.clock)
    (result,) = Table(desktop).play()
    assert result.result is desktop.game.state
    assert desktop.game.is_over


@pytest.mark.parametrize("seed", [0, 20])
def test_way_that_was_tried_on_a_dead_board_is_kept_only_once_a_game_was_played(learn, seed):
    assert learn(Clearing, seed=seed).learned.skin.new_game.key == "f2"


class Starting(ButtonClone):
    """One whose board looks fresh when a game has ended, until its switch begins another one."""

    BUTTONS = ("Bot",)

    def press_button(self, click):
        was_over = self.game.is_over
        super().press_button(click)
        if self.pressed and self.pressed[-1] == "Bot" and self.place_of("Bot").has_pixel(click.pixel) and was_over:
            self.swap_game(self.level)
        if self.game.is_over and not was_over:
            self._repaints.drop()
            self._window.resize(self.level[:2])


def test_button_that_shows_a_game_is_on_is_not_clicked_back(learn):
    run = learn(Starting, begins=())
    assert "that looks otherwise since: it is clicked back" not in run.said
    assert run.desktop.pressed
