"""Learning by playing, on a fake desktop in simulated time: true labels, true proofs, and the manners of a guest."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from amounts import count, profile
from fake_desktop import CoverKind, FakeDesktop, Faults
from made_looks import paint_made
from player_table import BEGINNER, CLASSIC
from unknown_clone import (
    AnnouncingClone,
    ButtonClone,
    FadingClone,
    HintingClone,
    UnknownClone,
    check_sprites,
    made_skin,
    simulate_all_time,
)

from bot.desktop import Desktop
from bot.errors import Aborted
from bot.models import Button, Frame, Grid, Pixel
from bot.playing.new_game import spot_at
from calibration.errors import CalibrationError, GoneError, NoLatticeError
from calibration.grids import find_cuts
from calibration.live import session
from calibration.live.buttons import find_face
from calibration.live.learner import Learner
from calibration.live.locating import _choose_board, locate_board, widest_grid
from calibration.live.restart import DIALOG_KEYS
from calibration.live.session import LiveOptions, learn_live
from skins.skin import NewGame
from solver import board as codes
from solver.layout import LEVELS

N_SEEDS = count("MINEBOT_LIVE_SEEDS", gate=1, full=5)


class Visit:
    """A clone nobody knows, and what calibration says while it learns it."""

    def __init__(self, monkeypatch, skin, level=BEGINNER, kind=UnknownClone, **options):
        self.desktop = kind(skin, level, **options)
        self.said = []
        self.as_safe = []
        simulate_all_time(monkeypatch, self.desktop.clock)
        for name in ("_open_safe", "_open_at_once"):
            monkeypatch.setattr(Learner, name, self._watched(getattr(Learner, name)))

    def _watched(self, opens):
        """A method that opens safe cells, and notes its clicks."""

        def watched(learner, cells):
            first = len(self.desktop.clicks)
            result = opens(learner, cells)
            self.as_safe += self.desktop.clicks[first:]
            return result

        return watched

    def learn(self, *, has_consent=True, **options):
        desktop = self.desktop
        ports = Desktop(desktop, desktop, desktop, desktop)
        return learn_live(ports, desktop.control, LiveOptions("mine", has_consent=has_consent, **options), self._hear)

    def _hear(self, text):
        self.said.append(text)


@pytest.fixture
def visit(monkeypatch):
    return lambda *args, **options: Visit(monkeypatch, *args, **options)


def check_manners(visit, spots=()):
    """No safe click exploded, and no click was on anything but a closed cell, a flag of its own, or the face."""
    assert len(visit.as_safe) > 10
    assert not any(press.has_exploded for press in visit.as_safe)
    for press in visit.desktop.clicks:
        assert press.cell is not None or press.pixel in spots
        assert not press.is_covered
        assert not press.is_paused


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_unknown_clone_is_learned_by_playing(visit, seed):
    guest = visit(CLASSIC, seed=seed)
    learned = guest.learn()
    assert learned.is_verified
    assert learned.share_read == 1.0
    states = {sprite.state for sprite in learned.skin.sprites}
    assert states >= {"0", "1", "2", "closed", "flag", "mine", "exploded"}
    assert learned.skin.new_game.key == "f2"
    keys = learned.skin.new_game.dialog_keys
    assert set(keys) == set(DIALOG_KEYS), "a win may bring up a dialog, though nothing did here"
    assert keys[0] == "escape", "what declines comes first"
    assert not guest.desktop.game.is_over, "a fresh board is left for who plays next"
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


def test_skin_that_does_not_read_what_it_was_made_of_yet_is_tried_again_after_another_game(visit, monkeypatch):
    tried, made = [], session.learned_skin

    def made_later(name, memory):
        tried.append(len(memory.sights))
        if len(tried) == 1:
            raise CalibrationError("the board is not found again with the skin made of it")
        return made(name, memory)

    monkeypatch.setattr(session, "learned_skin", made_later)
    assert visit(CLASSIC, seed=0).learn().is_verified
    assert len(tried) == 2
    assert tried[0] < tried[1], "after one more game"


def test_what_is_rare_is_not_played_for_for_long(visit, monkeypatch):
    monkeypatch.setattr(session.Enough, "is_reached", lambda *_: False)
    monkeypatch.setattr(session, "_LONG_S", 10.0)
    guest = visit(CLASSIC, seed=0)
    begun_at_s = guest.desktop.clock.now
    assert guest.learn(n_games=30).is_verified
    assert 10 <= guest.desktop.clock.now - begun_at_s <= 30


def test_fresh_board_is_left_also_after_the_last_game_that_was_asked_for(visit):
    guest = visit(CLASSIC)
    guest.learn(n_games=2)
    assert len(guest.desktop.games) == 3
    assert not guest.desktop.game.is_over


def test_every_click_is_told_before_it_is_made(visit):
    guest = visit(CLASSIC, seed=0)
    n_made = []
    guest.learn(on_click=lambda: n_made.append(len(guest.desktop.clicks)))
    assert n_made == list(range(len(guest.desktop.clicks)))
    assert len(n_made) > 10


@pytest.mark.slow
@pytest.mark.parametrize("look", ["smooth", "one_ink", "dark", "stippled", "decorated"])
def test_made_looks_are_learned_and_the_face_is_found(visit, look):
    skin = made_skin(look)
    is_large = look == "smooth" or profile() == "full"
    guest = visit(skin, LEVELS["intermediate"] if is_large else BEGINNER, key=None, seed=3)
    learned = guest.learn()
    check_sprites(learned.skin, skin)
    x, y = learned.skin.new_game.spot_px
    assert max(abs(x), abs(y + 28)) <= 2
    board = guest.desktop.grid.region
    check_manners(guest, {Pixel(board.left + board.width // 2 + x, board.top + y)})


@pytest.mark.parametrize("look", ["checkered", "two_blues"])
def test_checkered_clone_is_learned_by_playing(visit, look):
    skin = made_skin(look)
    guest = visit(skin, BEGINNER, key=None, look=look)
    learned = guest.learn()
    assert learned.is_verified
    assert learned.share_read == 1.0
    check_sprites(learned.skin, skin)


def test_wrong_flag_is_learned_from_a_safe_cell_of_a_game_lost_on_purpose(visit):
    guest = visit(CLASSIC, seed=0)
    learned = guest.learn()
    assert learned.skin.sprites_of("wrong_flag")
    check_sprites(learned.skin, CLASSIC)
    assert learned.is_verified


class KeepingClone(UnknownClone):
    """One that keeps the flags of an ended game in the next, unseen, and opens no cell that has one, as PyMines."""

    def __init__(self, *args, **options):
        self.kept = set()
        self.n_kept = 0
        super().__init__(*args, **options)

    def _begin_game(self):
        if self.games:
            cells = self.game.board.cells
            self.kept |= {tuple(cell) for cell in np.argwhere(np.isin(cells, (codes.FLAG, codes.WRONG_FLAG))).tolist()}
            self.n_kept += len(self.kept)
        super()._begin_game()

    def _deliver(self, target, cell, button):
        if cell not in self.kept:
            super()._deliver(target, cell, button)
        elif button is Button.RIGHT:
            self.kept.remove(cell)


class DoubleClicking(HintingClone):
    """One as programs of GTK 4: cells look pressed for a moment; the second half of a double click does nothing."""

    DOUBLE_CLICK_S, PRESSED_S = 0.4, 0.02

    def __init__(self, *args, **options):
        self._pressed = (-1.0, None)
        super().__init__(*args, **options)

    def _deliver(self, target, cell, button):
        (before_s, at), self._pressed = self._pressed, (self.clock.now, cell)
        if cell != at or self.clock.now - before_s > self.DOUBLE_CLICK_S:
            super()._deliver(target, cell, button)

    def _picture(self, seen):
        pixels = super()._picture(seen)
        pressed_s, cell = self._pressed
        if cell is not None and self.clock.now - pressed_s <= self.PRESSED_S:
            own = self.grid.cell_region(cell)
            pixels[max(0, own.top - seen.top) :, max(0, own.left - seen.left) :][: own.height, : own.width] //= 2
        return pixels


def test_flag_comes_off_where_the_second_half_of_a_double_click_does_nothing(visit):
    guest = visit(CLASSIC, kind=DoubleClicking, seed=0)
    learned = guest.learn()
    assert learned.is_verified
    assert learned.skin.sprites_of("flag")


def test_flag_that_a_clone_keeps_unseen_in_the_next_game_is_taken_off(visit):
    guest = visit(CLASSIC, kind=KeepingClone, seed=0)
    learned = guest.learn()
    assert guest.desktop.n_kept > 0, "a game was lost with a wrong flag"
    assert guest.desktop.kept == set()
    assert (guest.desktop.game.board.cells == codes.CLOSED).all(), "nor is there a flag that shows"
    assert learned.is_verified
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_what_the_pointer_changes_on_a_board_is_not_taken_for_its_cells(visit, seed):
    guest = visit(CLASSIC, seed=seed, kind=HintingClone)
    learned = guest.learn()
    assert learned.is_verified
    assert learned.share_read == 1.0
    own = [sprite for sprite in learned.skin.sprites if not _is_shaded(sprite, CLASSIC)]
    assert len(own) == len(learned.skin.sprites) - 1  # a closed cell under the pointer
    check_sprites(replace(learned.skin, sprites=tuple(own)), CLASSIC)
    assert "flag" in {sprite.state for sprite in own}
    check_manners(guest)


def test_where_the_pointer_changes_cells_no_time_is_lost_once_that_is_known(visit):
    """In simulated time: open cells stay as they are when the pointer leaves, and a board that stands still is seen."""
    guest = visit(CLASSIC, seed=0, kind=HintingClone)
    begun_at_s = guest.desktop.clock.now
    guest.learn()
    assert guest.desktop.clock.now - begun_at_s <= 0.35 * len(guest.desktop.clicks)


def test_safe_cells_are_clicked_at_once_where_each_takes_long_to_settle(visit):
    """In simulated time."""
    guest = visit(CLASSIC, seed=0, kind=FadingClone)
    begun_at_s = guest.desktop.clock.now
    learned = guest.learn()
    assert learned.is_verified
    check_sprites(learned.skin, CLASSIC)
    assert guest.desktop.clock.now - begun_at_s <= 1.5 * FadingClone.FADE_S * len(guest.desktop.clicks)
    check_manners(guest)


def test_game_whose_end_lies_under_words_teaches_what_it_showed_before(visit):
    guest = visit(CLASSIC, seed=1, kind=AnnouncingClone)
    learned = guest.learn()
    assert learned.is_verified
    check_sprites(learned.skin, CLASSIC)
    assert not any("broken off" in text for text in guest.said)
    check_manners(guest)


def _is_shaded(sprite, skin):
    """Whether it is a closed cell as it is under the pointer."""
    closed = skin.sprites_of("closed")[0].pixels_bgr
    inside = slice(3, -3), slice(3, -3)
    is_closed = sprite.state == "closed" and np.array_equal(sprite.pixels_bgr[inside], closed[inside])
    return is_closed and not np.array_equal(sprite.pixels_bgr, closed)


def test_every_key_is_said_before_it_is_pressed(visit):
    guest = visit(CLASSIC, key="n")
    assert guest.learn().skin.new_game.key == "n"
    tried = [text.rsplit(" ", 1)[1] for text in guest.said if "trying the key" in text]
    pressed = [key for key, _ in guest.desktop.keys]
    assert tried == ["f2", "ctrl+r", "n"]
    assert pressed[:3] == tried
    assert set(pressed[3:]) <= {"n"}


def test_level_and_switch_that_are_tried_first_are_taken_back(visit):
    """The level brings up a larger board, which the next button takes away again."""
    guest = visit(CLASSIC, kind=ButtonClone)
    learned = guest.learn()
    assert learned.is_verified
    spot = spot_at(guest.desktop.grid, learned.skin.new_game.spot_px, learned.skin.new_game.spot_from)
    assert guest.desktop.place_of("New").has_pixel(spot)
    assert guest.desktop.pressed[:4] == ["Bot", "Bot", "Hard", "New"]
    assert set(guest.desktop.pressed[4:]) == {"New"}
    assert not guest.desktop.is_on
    check_sprites(learned.skin, CLASSIC)


def test_click_on_the_ended_board_is_tried_before_any_button(visit):
    guest = visit(CLASSIC, kind=ButtonClone, begins=("board",))
    learned = guest.learn()
    assert learned.is_verified
    spot = spot_at(guest.desktop.grid, learned.skin.new_game.spot_px, learned.skin.new_game.spot_from)
    assert guest.desktop.cell_at(spot) == (4, 4)
    assert guest.desktop.pressed == []
    check_sprites(learned.skin, CLASSIC)


def test_every_button_is_pressed_once_where_none_begins_a_game(visit):
    guest = visit(CLASSIC, kind=ButtonClone, begins=())
    with pytest.raises(CalibrationError, match="no new game begins"):
        guest.learn()
    assert guest.desktop.pressed == ["Bot", "Bot", "Hard", "New"]


def test_page_that_loads_anew_is_given_time(visit):
    """The key after it did nothing, though the new game shows after it."""
    guest = visit(CLASSIC, key="ctrl+r", faults=Faults(begins_s=3.0))
    assert guest.learn().skin.new_game.key == "ctrl+r"


def test_ctrl_n_is_never_pressed_even_where_nothing_else_begins_a_game(visit):
    """In a browser it opens another window over the page."""
    guest = visit(CLASSIC, key="ctrl+n")
    with contextlib.suppress(CalibrationError):
        guest.learn()
    pressed = [key for key, _ in guest.desktop.keys]
    assert {"f2", "ctrl+r", "n"} <= {*pressed}
    assert "ctrl+n" not in pressed


def test_without_consent_a_person_begins_the_games(visit):
    guest = visit(CLASSIC)

    def hear(text):
        guest.said.append(text)
        if "please begin" in text:
            guest.desktop.clock.after(5.0, guest.desktop.new_game_by_person)

    guest._hear = hear
    learned = guest.learn(has_consent=False)
    assert learned.is_verified
    assert learned.skin.new_game.dialog_keys == ()
    assert not guest.desktop.keys
    check_manners(guest)


def test_one_game_is_saved_but_not_called_verified(visit):
    learned = visit(CLASSIC).learn(n_games=1)
    assert not learned.is_verified
    assert learned.skin.sprites_of("exploded")


def test_nothing_is_looked_at_or_clicked_before_the_start_key(visit):
    guest = visit(CLASSIC)
    control = guest.desktop.control
    control.toggle()
    control.resumes_s = 100.0
    control._paused_at = guest.desktop.clock.now
    guest.desktop.on_grab = lambda _n: (
        (_ for _ in ()).throw(AssertionError("grabbed")) if not control.is_running else None
    )
    guest.desktop.clock.at(guest.desktop.clock.now + 5, guest.desktop.abort)
    with pytest.raises(Aborted):
        guest.learn()
    assert guest.desktop.clicks == []


@pytest.mark.parametrize("n_clicks", [1, 4, 9])
def test_abort_key_stops_before_the_next_click(visit, n_clicks):
    guest = visit(CLASSIC)
    guest.desktop.after_clicks(n_clicks, guest.desktop.abort)
    with pytest.raises(Aborted):
        guest.learn()
    assert len(guest.desktop.clicks) == n_clicks


def test_hand_on_the_mouse_pauses_and_what_is_on_the_board_then_counts_for_nothing(visit):
    guest = visit(CLASSIC)
    desktop = guest.desktop
    desktop.after_clicks(5, lambda: desktop.person_moves(Pixel(3, 3)))
    desktop.control.resumes_s = 2.0
    learned = guest.learn()
    assert any("the mouse was moved" in text for text in guest.said)
    assert any("broken off" in text for text in guest.said)
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


def test_covered_board_gets_no_click(visit):
    guest = visit(CLASSIC)
    desktop = guest.desktop
    desktop.after_clicks(4, lambda: desktop.cover_with(CoverKind.TEXT, (-0.1, 0.3, 0.8, 1.0)))
    with pytest.raises(GoneError):
        guest.learn()
    assert len(desktop.clicks) == 4


def test_person_is_asked_to_uncover_the_board_and_the_game_after_it_is_learned(visit):
    guest = visit(CLASSIC)
    desktop = guest.desktop

    def cover():
        window = desktop.cover_with(CoverKind.TEXT, (-0.1, 0.3, 0.8, 1.0))
        desktop.clock.at(desktop.clock.now + 30, lambda: desktop.uncover(window))

    desktop.after_clicks(4, cover)
    learned = guest.learn()
    assert "the board cannot be seen: please close what the game shows over it" in guest.said
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


def test_board_that_is_covered_before_the_first_click_gets_no_key(visit):
    guest = visit(CLASSIC)
    desktop = guest.desktop
    desktop.on_grab = lambda n: desktop.cover_with(CoverKind.TEXT, (-0.1, 0.3, 0.8, 1.0)) if n == 3 else None
    with pytest.raises(GoneError, match="hotkey"):
        guest.learn()
    assert not desktop.clicks
    assert not desktop.keys


class FickleClone(UnknownClone):
    """One that begins its second game by itself while a key is tried, and all others by another key."""

    def press(self, key, window=None):
        super().press(key, window)
        if len(self.games) > 1:
            self.key = "n"
        return True


def test_way_that_began_a_game_by_chance_is_given_up_for_one_that_begins_more(visit):
    guest = visit(CLASSIC, kind=FickleClone)
    learned = guest.learn()
    assert learned.is_verified
    assert learned.skin.new_game.key == "n"
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


def test_dialogs_of_a_won_game_are_closed(visit):
    guest = visit(CLASSIC, faults=Faults(dialogs=1, dialog_s=0.1, dialogs_after_loss=True))
    learned = guest.learn()
    assert learned.skin.new_game.dialog_keys == DIALOG_KEYS, "what a win brings up may want another one"
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


def test_dialogs_that_want_keys_in_another_order_than_they_are_tried_in_are_closed(visit):
    faults = Faults(dialogs=3, dialog_s=0.1, dialogs_after_loss=True, dialog_key=("escape", "enter", "escape"))
    guest = visit(CLASSIC, faults=faults)
    assert guest.learn().is_verified
    check_manners(guest)


class Stubborn(UnknownClone):
    """Its dialogs take any key, but the fifth only."""

    def _answer_dialog(self, key):
        self.keys_at_dialogs.append(key)
        if len(self.keys_at_dialogs) % 5 == 0:
            super()._answer_dialog(self._dialogs[0].key)


@pytest.mark.safety
def test_a_dialog_gets_no_key_that_types_text(visit):
    """It may ask for a name. Alt with a letter types, too, where no button has that letter."""
    guest = visit(CLASSIC, kind=Stubborn, faults=Faults(dialogs=1, dialog_s=0.1, dialogs_after_loss=True))
    guest.desktop.keys_at_dialogs = []
    guest.learn(n_games=1)
    assert set(guest.desktop.keys_at_dialogs) == {"enter", "escape"}


class OnceByFace(UnknownClone):
    """Its face begins one game, and nothing another."""

    def _ask_for_game(self):
        if len(self.games) == 1:
            super()._ask_for_game()

    def press(self, key, window=None):
        if len(self.games) > 1:
            self.keys_after_click.append(key)
        return super().press(key, window)


@pytest.mark.safety
def test_no_letter_is_typed_once_something_beside_the_cells_was_clicked(visit):
    """A text field there may have the cursor."""
    guest = visit(CLASSIC, key=None, kind=OnceByFace)
    guest.desktop.keys_after_click = []
    with contextlib.suppress(CalibrationError):
        guest.learn()
    assert not set(guest.desktop.keys_after_click) & {"n", "r", "s"}
    assert {"n", "r", "s"} <= {key for key, _ in guest.desktop.keys}, "they were tried before"


class ResettingClone(UnknownClone):
    """One whose games end with the question whether to begin anew, over the board at once, as KMines."""

    def _answer_dialog(self, key):
        super()._answer_dialog(key)
        if not self.dialog_is_due:
            self._begin_game()


class AskingClone(UnknownClone):
    """Its key asks whether to begin, and Enter says so."""

    def press(self, key, window=None):
        is_up = self.dialog_is_up
        if key == self.key and not is_up:
            self.raise_dialog(0.0, covers=False)
            return FakeDesktop.press(self, "", window)
        return super().press(key, window)

    def _answer_dialog(self, key):
        super()._answer_dialog(key)
        if key == "enter":
            self._begin_game()


def test_key_after_which_a_dialog_asks_whether_to_begin_is_the_way(visit):
    guest = visit(CLASSIC, key="f2", kind=AskingClone)
    learned = guest.learn()
    assert learned.is_verified
    assert learned.skin.new_game.key == "f2"
    check_sprites(learned.skin, CLASSIC)


def test_game_that_a_dialog_begins_anew_has_ended(visit):
    faults = Faults(dialogs=1, dialog_s=0.0, dialogs_after_loss=True)
    guest = visit(CLASSIC, seed=4, key="f9", kind=ResettingClone, faults=faults)
    learned = guest.learn()
    told = [text.split()[0] for text in guest.said if text.startswith(("game ", "a dialog ", "the key enter began "))]
    assert told[: told.index("game")] == ["a", "the"], "the first key that is tried closes the dialog"
    assert told.count("game") > 1
    assert learned.skin.new_game.dialog_keys[0] == "enter", "no other does"
    check_sprites(learned.skin, CLASSIC)
    check_manners(guest)


def test_game_that_begins_no_other_is_told(visit):
    guest = visit(replace(CLASSIC, new_game=NewGame()), key="f9")  # and no face
    with pytest.raises(CalibrationError, match="no new game begins"):
        guest.learn()
    assert all(press.cell is not None for press in guest.desktop.clicks)


def test_of_several_boards_the_one_under_the_pointer_is_meant():
    picture = np.full((300, 700, 3), 90, dtype=np.uint8)
    cell = CLASSIC.sprites_of("closed")[0].pixels_bgr
    for left in (40, 400):
        picture[60:204, left : left + 144] = np.tile(cell, (9, 9, 1))
    frame = Frame(picture)
    cuts = find_cuts(frame)
    assert _choose_board(frame, cuts, Pixel(450, 100)).grid.region.has_pixel(Pixel(450, 100))
    with pytest.raises(NoLatticeError, match="several"):
        _choose_board(frame, cuts, Pixel(5, 5))
    with pytest.raises(NoLatticeError, match="nothing on the screen"):
        _choose_board(frame, [], Pixel(5, 5))


def test_board_amid_noise_is_found_where_the_pointer_is():
    picture = np.random.default_rng(3).integers(0, 255, (400, 600, 3), dtype=np.uint8)
    cell = paint_made("stippled", [["closed"]])
    stripes = np.indices((14, 14)).sum(axis=0) % 3 == 0
    cell[3:-3, 3:-3] = np.where(stripes[:, :, None], (150, 140, 130), (200, 190, 180))
    board = np.tile(cell, (9, 9, 1))
    picture[140 : 140 + board.shape[0], 240 : 240 + board.shape[1]] = board
    frame = Frame(picture)
    assert find_cuts(frame) == []
    grid, _ = locate_board(frame, Pixel(330, 230), lambda _: None, None)
    assert (tuple(grid.origin), grid.rows, grid.cols) == ((240, 140), 9, 9)
    with pytest.raises(NoLatticeError):
        locate_board(frame, Pixel(50, 50), lambda _: None, None)


@pytest.mark.parametrize(
    ("origin", "sides"),
    [
        ((40, 60), ""),
        ((7, 3), ""),
        ((-7, 60), "left"),
        ((0, 60), "left"),
        ((40, -14), "top"),
        ((214, 164), "bottom right"),
        ((206, 60), "right"),
    ],
)
def test_board_at_the_edge_of_the_screen_is_not_learned_from(origin, sides):
    cell = CLASSIC.sprites_of("closed")[0].pixels_bgr
    picture = np.full((400, 450, 3), 90, dtype=np.uint8)
    left, top = origin
    picture[50 + top : 194 + top, 50 + left : 194 + left] = np.tile(cell, (9, 9, 1))
    frame, pointer = Frame(picture[50:350, 50:400].copy()), Pixel(left + 60, top + 60)
    if not sides:
        assert locate_board(frame, pointer, lambda _: None, None)[0].shape == (9, 9)
        return
    with pytest.raises(CalibrationError, match=rf"may go on past the edge of the screen \({sides}\): move its window"):
        locate_board(frame, pointer, lambda _: None, None)


@pytest.mark.parametrize(("dx", "dy"), [(0, 0), (8, 0), (-8, 8), (5, -6)])
def test_fresh_board_that_was_cut_off_its_cells_is_cut_where_it_has_most(dx, dy):
    cell = CLASSIC.sprites_of("closed")[0].pixels_bgr
    picture = np.full((300, 300, 3), 90, dtype=np.uint8)
    picture[60:204, 40:184] = np.tile(cell, (9, 9, 1))
    true = Grid(Pixel(40, 60), (16, 16), 9, 9)
    origin = Pixel(40 + dx % 16, 60 + dy % 16)
    found = Grid(origin, (16, 16), 9 - bool(dy), 9 - bool(dx))
    assert widest_grid(Frame(picture), found) == true


def test_face_is_what_changed_above_the_middle():
    grid = Grid(Pixel(20, 60), (16, 16), 9, 9)
    first, last = (np.full((220, 180, 3), 192, dtype=np.uint8) for _ in range(2))
    last[20:40, 82:102] = 0
    last[20:40, 20:40] = 0  # a counter
    assert find_face(Frame(first), Frame(last), grid) == (-1, -31)
    assert find_face(Frame(first), Frame(first), grid) is None
    assert find_face(Frame(first), Frame(last // 2), grid) is None  # all of it was painted anew


def test_flags_set_by_learning_are_taken_off_again(visit):
    guest = visit(CLASSIC)
    guest.learn(n_games=1)
    assert (guest.desktop.game.board.cells == codes.FLAG).sum() == 0
