"""Appearances that the skin lacks: play goes on soundly, and what they mean is worked out, never guessed."""

from dataclasses import replace

import numpy as np
import pytest
from fake_desktop.desktop import GAME
from player_table import CLASSIC, MINEBOT, Table, check_manners, check_truth

from bot.commands.play import _keep_sprites
from bot.playing.decide import Style, decide_moves
from bot.playing.reporter import UnreadableError
from bot.playing.session import _keep_learned
from bot.playing.situation import Settings
from bot.reporting.recording import Journal, replay
from skins import find_skin, save_skin
from skins.pixels import fingerprint
from solver.board import OPEN_UNKNOWN, GameState
from solver.layout import LEVELS


def without(skin, *states):
    """The skin with all pictures of some states gone."""
    sprites = tuple(sprite for sprite in skin.sprites if sprite.state not in states)
    exact = {value: state for value, state in skin.exact.items() if state not in states}
    return replace(skin, sprites=sprites, exact=exact)


def learned_state(table, skin, state):
    """What the player takes a picture of the true skin for, None where it does not know it."""
    worn = table.player.play.view.board.skin
    pixels = skin.sprites_of(state)[0].pixels_bgr
    return worn.exact.get(int(fingerprint(pixels[None])[0]))


@pytest.mark.parametrize("skin", [CLASSIC, MINEBOT], ids=["classic", "minebot"])
@pytest.mark.parametrize("state", ["1", "2", "3"])
def test_number_without_a_picture_is_worked_out_in_play(sit_down, skin, state):
    table = sit_down(skin, seed=4, known=without(skin, state))
    results = table.play(4)
    check_truth(table, results)
    assert learned_state(table, skin, state) == state, table.witness.remarks
    assert sum("does not have" in text for text in table.witness.remarks) == 1
    assert table.witness.remarks[-1] == f"the look that was new is a {state}"


def tinted(skin):
    """The skin with another ground under each number, its lines as they are."""
    sprites = []
    for sprite in skin.sprites:
        pixels = sprite.pixels_bgr.copy()
        if sprite.state.isdecimal() and sprite.state != "0":
            pixels[(pixels == skin.closed_bgr).all(axis=2)] = (120 + 12 * int(sprite.state), 225, 250)
        sprites.append(replace(sprite, pixels_bgr=pixels))
    prints = fingerprint(np.stack([sprite.pixels_bgr for sprite in sprites]))
    exact = {int(value): sprite.state for value, sprite in zip(prints, sprites, strict=True)}
    return replace(skin, name="tinted", sprites=tuple(sprites), exact=exact)


@pytest.mark.parametrize("state", ["1", "2", "3"])
def test_number_on_another_ground_than_any_is_worked_out_in_play(sit_down, state):
    skin = tinted(CLASSIC)
    table = sit_down(skin, seed=4, known=without(skin, state))
    check_truth(table, table.play(4))
    assert learned_state(table, skin, state) == state, table.witness.remarks
    _, sprites = table.player.learned
    assert [sprite.state for sprite in sprites] == [state]
    assert np.array_equal(sprites[0].pixels_bgr, skin.sprites_of(state)[0].pixels_bgr)


def test_what_play_proves_of_a_users_skin_is_kept_in_it(sit_down, tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path))
    known = without(tinted(CLASSIC), "2")
    save_skin(known, tmp_path / "tinted")
    table = sit_down(tinted(CLASSIC), seed=4, known=known)
    table.play(4)
    _keep_learned(table.player, table.witness, _keep_sprites)
    assert table.witness.remarks[-1] == f"what play has proven is kept in skin tinted ({tmp_path / 'tinted'})"
    (two,) = find_skin("tinted").sprites_of("2")
    assert np.array_equal(two.pixels_bgr, tinted(CLASSIC).sprites_of("2")[0].pixels_bgr)
    _keep_learned(table.player, table.witness, _keep_sprites)
    assert len([text for text in table.witness.remarks if "is kept" in text]) == 1, "it is there already"


@pytest.mark.parametrize(("name", "own"), [("classic", "NAME"), ("mine", "mine --force")])
def test_a_stop_names_the_skin_and_what_teaches_it_more(sit_down, name, own):
    table = sit_down(seed=1, known=replace(CLASSIC, name=name))
    table.desktop.at = table.desktop.window_at = lambda _pixel: GAME  # what covers it is of the game's own window
    table.desktop.after_clicks(3, lambda: table.desktop.cover(range(2, 4), range(2, 5)))
    with pytest.raises(
        UnreadableError, match=f"skin {name} lacks a look: minebot-calibrate --live --name {own} learns it"
    ):
        table.play()


@pytest.mark.slow
@pytest.mark.parametrize("states", [("3", "4", "5"), ("4",), ("5", "6", "7", "8")])
def test_rare_numbers_are_worked_out_on_expert_boards(sit_down, states):
    table = sit_down(level=LEVELS["expert"], seed=6, known=without(CLASSIC, *states))
    results = table.play(3)
    check_truth(table, results)
    seen = {int(code) for game in table.desktop.games for code in np.unique(game.board.cells)}
    for state in states:
        taken_for = learned_state(table, CLASSIC, state)
        assert taken_for in {state, "open", None}
        assert int(state) not in seen or taken_for is not None
    assert "4" not in states or learned_state(table, CLASSIC, "4") == "4"


def test_flag_without_a_picture_is_known_once_it_was_set(sit_down):
    table = sit_down(seed=2, known=without(CLASSIC, "flag"), settings=Settings(Style(flags=True)))
    results = table.play(2)
    assert [result.result for result in results] == [game.state for game in table.desktop.games]
    assert learned_state(table, CLASSIC, "flag") == "flag"
    assert not any(press.has_exploded and press.code == -2 for press in table.desktop.clicks)


def test_unseen_number_of_a_begun_game_is_read_too(sit_down):
    table = sit_down(seed=3, known=without(CLASSIC, "1"))
    game = table.desktop.game
    game.open((4, 4))
    safe = [tuple(cell) for cell in np.argwhere(~game.layout.has_mine & (game.board.cells == -1)).tolist()]
    for cell in safe[:6]:
        game.open(cell)
    table.desktop.repaint()
    (result,) = table.play()
    assert result.result in {GameState.WON, GameState.LOST}
    assert learned_state(table, CLASSIC, "1") == "1"


def test_what_lies_over_cells_is_no_appearance(sit_down):
    table = sit_down(seed=1)
    table.desktop.after_clicks(3, lambda: table.desktop.cover(range(2, 4), range(2, 5)))
    with pytest.raises(UnreadableError):
        table.play()
    assert not any("does not have" in text for text in table.witness.remarks)
    check_manners(table.desktop)


@pytest.mark.parametrize("lacks", [("2",), ("3", "mine", "exploded"), ("flag",)])
def test_the_skin_that_reads_more_wins_later_in_the_game_too(sit_down, lacks):
    own = replace(without(CLASSIC, *lacks), name="own")
    table = sit_down(seed=4, known=[own, CLASSIC], settings=Settings(Style(flags="flag" in lacks)))
    assert table.player.play.view.board.skin is own, "a tie: the first one, the user's"
    results = table.play(3)
    check_truth(table, results)
    check_manners(table.desktop)
    assert table.player.play.view.board.skin is CLASSIC
    assert table.witness.remarks == ["skin classic reads more of the board than own: it is read with that one"]


def test_a_skin_that_reads_otherwise_is_not_taken(sit_down):
    """One and two exchanged: it reads all of the board, and wrongly."""
    swapped = {"1": "2", "2": "1"}
    sprites = tuple(replace(sprite, state=swapped.get(sprite.state, sprite.state)) for sprite in CLASSIC.sprites)
    exact = {value: swapped.get(state, state) for value, state in CLASSIC.exact.items()}
    table = sit_down(
        seed=4, known=[without(CLASSIC, "3"), replace(CLASSIC, name="wrong", sprites=sprites, exact=exact)]
    )
    check_truth(table, table.play(3))
    assert table.player.play.view.board.skin.name == CLASSIC.name


@pytest.mark.parametrize(("states", "seed"), [(("2",), 1), (("2", "3"), 1), (("1", "2", "3"), 5)])
def test_guesses_weigh_every_reading_of_numbers_that_are_not_known_yet(sit_down, monkeypatch, states, seed):
    """The true board is one of the positions that a guess is made by, and numbers that the skin knows are none."""
    table = sit_down(seed=seed, known=without(CLASSIC, *states))
    n_weighed = 0

    def spy(reading, style, positions, start):
        nonlocal n_weighed
        unread = reading.board.cells == OPEN_UNKNOWN
        assert bool(positions) == unread.any()
        if positions:
            n_weighed += 1
            true_board = table.desktop.game.board.cells
            if len(states) < 3:  # more appearances than are weighed keep their numbers open
                assert any((position.cells[unread] == true_board[unread]).all() for position in positions)
            assert all((position.cells[~unread] == reading.board.cells[~unread]).all() for position in positions)
            readable = {-3, *(int(state) for state in states), *range(4, 9)}
            assert {int(code) for position in positions for code in position.cells[unread]} <= readable
        return decide_moves(reading, style, positions, start)

    monkeypatch.setattr("bot.playing.mover.decide_moves", spy)
    check_truth(table, table.play(3))
    assert n_weighed


@pytest.mark.parametrize("states", [("1",), ("2", "3")])
def test_games_with_sprites_that_were_learned_are_the_same_when_replayed(sit_down, monkeypatch, tmp_path, states):
    known = without(CLASSIC, *states)
    monkeypatch.setattr("bot.reporting.recording.find_skin", lambda _: known)
    table = sit_down(seed=4, known=known)
    with Journal(tmp_path / "games") as journal:
        Table(table.desktop, known=known, journal=journal).play(4)
    steps = list(replay(tmp_path / "games"))
    assert [step.differences for step in steps] == [[]] * len(steps)
