"""Clones that show little of a lost game: they paint over it, or ask whether to put it back."""

from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from fake_desktop import Faults
from player_table import BEGINNER, CLASSIC
from strange_ends import StrangeEnds
from unknown_clone import MessagingClone, UnknownClone, check_sprites, simulate_all_time

from bot.desktop import Desktop
from calibration.live.evidence import Evidence
from calibration.live.learner import Learner
from calibration.live.restart import DIALOG_KEYS, is_new_game
from calibration.live.session import LiveOptions, learn_live
from skins.skin import FLAG, MINE
from solver.board import GameState


class Reddening(UnknownClone):
    """Its whole window turns red."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.game.state is GameState.LOST:
            own = self._window.region
            top, left = max(own.top - seen.top, 0), max(own.left - seen.left, 0)
            bottom, right = own.top + own.height - seen.top, own.left + own.width - seen.left
            pixels[top : max(bottom, 0), left : max(right, 0), 2] |= 0x3F
        return pixels


class Outlining(UnknownClone):
    """Every open cell gets a frame."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.game.state is GameState.LOST:
            for cell in np.argwhere(self.game.board.cells >= 0).tolist():
                own = self.grid.cell_region(tuple(cell))
                y, x = own.top - seen.top, own.left - seen.left
                if min(y, x) >= 0 and y + own.height <= seen.height and x + own.width <= seen.width:
                    pixels[[y, y + own.height - 1], x : x + own.width] = (0, 255, 0)
                    pixels[y : y + own.height, [x, x + own.width - 1]] = (0, 255, 0)
        return pixels


class Dimming(UnknownClone):
    """Its board gets darker, and nothing around it."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        own = self.grid.region
        y, x = own.top - seen.top, own.left - seen.left
        if self.game.state is GameState.LOST and min(y, x) >= 0:
            pixels[y : y + own.height, x : x + own.width] //= 2
        return pixels


class ShowingMines(UnknownClone, StrangeEnds):
    """A won board shows its mines, as a lost one does."""


class PuttingBack(UnknownClone):
    """A dialog asks whether a lost game shall begin anew, with the same mines: its key says yes."""

    def press(self, key, window=None):
        was_lost = self.dialog_is_up and self.game.state is GameState.LOST
        super().press(key, window)
        if was_lost and not self.dialog_is_due:
            self._layouts.appendleft(self.game.layout)
            self._begin_game()
        return True


class TakingBack(UnknownClone):
    """Its key takes back the click that lost a game, and begins another game when asked again."""

    taken_back = None

    def press(self, key, window=None):
        old = self.game
        if key != self.key or old.state is not GameState.LOST or old is self.taken_back:
            return super().press(key, window)
        self._layouts.appendleft(old.layout)
        self._begin_game()
        self._repaints.drop()
        for cell in np.argwhere(old.board.cells >= 0).tolist():
            self.game.open(tuple(cell))
        self.repaint()
        self.taken_back = self.game
        return True


def _inside(sprite):
    """What a frame around it leaves of a sprite."""
    return sprite.pixels_bgr[1:-1, 1:-1]


@pytest.mark.parametrize("painted", [Reddening, Outlining, Dimming])
def test_clone_that_paints_a_lost_game_is_learned_from_what_it_showed_before(monkeypatch, painted):
    desktop, said = painted(CLASSIC, BEGINNER, seed=1), []
    simulate_all_time(monkeypatch, desktop.clock)
    ports = Desktop(desktop, desktop, desktop, desktop)
    learned = learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append)
    assert learned.is_verified, said
    assert {"0", "1", "2", "closed", "flag"} <= {sprite.state for sprite in learned.skin.sprites}
    for sprite in learned.skin.sprites:
        true = CLASSIC.sprites_of(sprite.state)
        assert any(np.array_equal(_inside(sprite), _inside(one)) for one in true), sprite.state
    assert not any("paused" in text for text in said)


def test_message_that_lies_beside_the_board_is_closed(monkeypatch):
    desktop, said = MessagingClone(CLASSIC, BEGINNER, seed=1), []
    simulate_all_time(monkeypatch, desktop.clock)
    ports = Desktop(desktop, desktop, desktop, desktop)
    learned = learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append)
    assert learned.is_verified, said
    assert (learned.skin.new_game.key, learned.skin.new_game.dialog_keys) == ("f2", DIALOG_KEYS)
    assert all(press.cell is not None for press in desktop.clicks)


def test_clone_that_puts_lost_games_back_is_learned_from_games_that_are_not_lost(monkeypatch):
    desktop, said = PuttingBack(CLASSIC, BEGINNER, seed=1, faults=Faults(dialogs=1, dialogs_after_loss=True)), []
    simulate_all_time(monkeypatch, desktop.clock)
    ports = Desktop(desktop, desktop, desktop, desktop)
    learned = learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append)
    assert learned.is_verified, said
    assert learned.skin.new_game.key == "f2"
    assert learned.skin.new_game.dialog_keys == ("escape", "enter"), "what declines comes first"
    check_sprites(learned.skin, CLASSIC)
    assert len({game.layout.mine_cells for game in desktop.games if game.layout is not None}) > 1


def test_won_game_that_shows_its_mines_is_not_called_lost(monkeypatch):
    desktop, said = ShowingMines(CLASSIC, (8, 8, 3), seed=3, ends={"won": "mine"}), []
    simulate_all_time(monkeypatch, desktop.clock)
    ports = Desktop(desktop, desktop, desktop, desktop)
    assert learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append).is_verified
    ends = [game.state for game in desktop.games if game.is_over]
    assert GameState.WON in ends
    told = [text.split(": ")[1].split(";")[0] for text in said if text.startswith("game ")]
    assert told == [state.value for state in ends]


def test_ended_game_that_is_put_back_is_no_new_one():
    drawn = {state: CLASSIC.sprites_of(state)[0].pixels_bgr for state in ("closed", "mine", "1", "2", "0")}

    def board(*rows):
        return np.array([[drawn[{"#": "closed", "*": "mine"}.get(sign, sign)] for sign in row] for row in rows])

    evidence = Evidence()
    evidence.tell_fresh(board("#####", "#####"))
    ended = board("012**", "0112*")
    assert not is_new_game(evidence, ended, board("01###", "01###"))
    assert is_new_game(evidence, ended, board("10###", "10###"))
    assert is_new_game(evidence, ended, board("#####", "#####"))


def test_flag_that_is_drawn_a_pixel_beside_is_a_flag_on_a_won_board():
    """Where the pitch is no whole number; on a won board flags come up of which play has set none."""
    drawn = {state: CLASSIC.sprites_of(state)[0].pixels_bgr for state in ("closed", "flag", "1", "0")}
    beside = np.roll(drawn["flag"], 1, axis=1)
    evidence = Evidence()
    evidence.tell_fresh(np.array([[drawn["closed"]] * 4] * 2))
    evidence.tell(drawn["flag"][None], frozenset({FLAG}))
    for state in "01":
        evidence.tell(drawn[state][None], frozenset({state}))
    won = np.array([[beside, drawn["1"], drawn["0"], drawn["0"]], [drawn["1"], drawn["1"], drawn["0"], drawn["0"]]])
    judged = evidence.judge(won)
    assert judged is not None
    assert not judged.shows_mine
    evidence.end(won, shows_mines=False)
    assert evidence.known_labels(beside[None]) == [frozenset({FLAG})]
    plain = evidence.as_plain()
    again = Evidence.of_plain(plain, evidence.closed_appearances, [], [*evidence.shown, np.array([[drawn["flag"]]])])
    assert again.judge(won).labels == judged.labels


def test_flag_that_is_drawn_otherwise_is_no_mine_on_a_won_board():
    """Tiles of two widths have icons of two sizes: what stands on the mines may be either."""
    drawn = {state: CLASSIC.sprites_of(state)[0].pixels_bgr for state in ("closed", "flag", "1", "0")}
    larger = cv2.resize(drawn["flag"][2:-2, 2:-2], drawn["flag"].shape[1::-1])
    evidence = Evidence()
    evidence.tell_fresh(np.array([[drawn["closed"]] * 4] * 2))
    evidence.tell(drawn["flag"][None], frozenset({FLAG}))
    for state in "01":
        evidence.tell(drawn[state][None], frozenset({state}))
    won = np.array([[larger, drawn["1"], drawn["0"], drawn["0"]], [drawn["1"], drawn["1"], drawn["0"], drawn["0"]]])
    assert not evidence.judge(won).shows_mine
    evidence.end(won, shows_mines=True, may_be_flagged=True)
    assert evidence.known_labels(larger[None]) == [frozenset({FLAG, MINE})]


def test_board_most_of_whose_open_cells_look_otherwise_at_the_end_is_painted_over():
    before = np.zeros((3, 3, 2, 2, 3), dtype=np.uint8)
    before[1:] = 200
    marked = before.copy()
    marked[1, 0] = 10
    learner = Learner.__new__(Learner)
    learner.first, learner._cells = None, lambda seen: seen
    learner.memory = SimpleNamespace(evidence=SimpleNamespace(closed_cells=lambda board: board[..., 0, 0, 0] == 0))
    assert learner._is_painted_over(before // 2, before)
    assert not learner._is_painted_over(marked, before)
    assert not learner._is_painted_over(before // 2, None)


@pytest.mark.parametrize("seed", [2, 4])
def test_fresh_board_is_left_by_a_clone_that_takes_the_last_click_back_first(monkeypatch, seed):
    desktop, said = TakingBack(CLASSIC, BEGINNER, seed=seed), []
    simulate_all_time(monkeypatch, desktop.clock)
    ports = Desktop(desktop, desktop, desktop, desktop)
    assert learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append).is_verified, said
    assert desktop.taken_back is not None
    assert desktop.game.state is GameState.FRESH, said
