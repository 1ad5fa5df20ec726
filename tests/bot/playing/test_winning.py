"""Ends of games that the skin has no pictures of: counted by what was opened, and never before that is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from amounts import count
from fake_desktop import FakeDesktop
from player_table import BEGINNER, CLASSIC, Table, check_manners, simulate_time
from strange_ends import StrangeEnds

from bot.playing.decide import Style
from bot.playing.reporter import UnreadableError
from bot.playing.situation import Settings
from bot.reporting.recording import Journal, replay
from solver.board import GameState
from solver.layout import Layout

N_GAMES = count("MINEBOT_END_GAMES", gate=8, full=20)
"""The eighth is the first that is lost."""
MARKS = ("flag", "mine", "exploded", "wrong_flag")


def without(skin, *states):
    """The skin with all pictures of some states gone."""
    sprites = tuple(sprite for sprite in skin.sprites if sprite.state not in states)
    exact = {value: state for value, state in skin.exact.items() if state not in states}
    return replace(skin, sprites=sprites, exact=exact)


BARE = without(CLASSIC, *MARKS)


def test_lost_game_whose_end_tells_what_a_number_is_has_ended(monkeypatch):
    desktop = FakeDesktop(CLASSIC, (9, 9, 16), seed=8)
    simulate_time(monkeypatch, desktop.clock)
    table = Table(desktop, known=without(CLASSIC, "mine", "exploded", "wrong_flag", "2", "3"))
    ends = [result.result for result in table.play(6)]
    assert ends == [game.state for game in desktop.games[:6]]
    assert any("the look that was new" in text for text in table.witness.remarks)


@pytest.fixture
def strange(monkeypatch):
    """Return a function that makes a clone of strange ends and a player before it."""

    def _strange(*, settings=None, skin=CLASSIC, known=BARE, level=BEGINNER, **options):
        desktop = StrangeEnds(skin, level, **options)
        simulate_time(monkeypatch, desktop.clock)
        return Table(desktop, settings=settings, known=known)

    return _strange


def check_ends(table, results):
    """Every game is counted as it truly ended, none is broken off."""
    assert [result.result for result in results] == [game.state for game in table.desktop.games]
    for result, game in zip(results, table.desktop.games, strict=True):
        assert (result.result is GameState.LOST) == any(game.layout.has_mine[guess.cell] for guess in result.guesses), (
            result
        )
        assert result.n_opened >= 0
        assert result.bbbv in {None, game.layout.bbbv}
    assert table.kept == []
    assert table.player.n_stray == 0
    check_manners(table.desktop)


@pytest.mark.parametrize("lost", ["mine", "numbers", "painted", "hit"])
@pytest.mark.parametrize("won", ["flag", "mine", "painted"])
def test_games_with_strange_ends_are_all_counted(strange, won, lost):
    table = strange(ends={"won": won, "lost": lost}, seed=8)
    results = table.play(N_GAMES)
    check_ends(table, results)
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}


def test_mine_that_was_hit_and_may_be_a_number_by_its_appearance_is_told_by_a_board_that_takes_no_clicks(strange):
    """It has the rim of an open cell, so that it is one whose number is to be worked out, for a while."""
    zero, hit = (next(sprite for sprite in CLASSIC.sprites if sprite.state == state) for state in ("0", "exploded"))
    pixels = zero.pixels_bgr.copy()
    pixels[4:12, 4:12] = hit.pixels_bgr[4:12, 4:12]
    sprites = tuple(replace(sprite, pixels_bgr=pixels) if sprite is hit else sprite for sprite in CLASSIC.sprites)
    skin = replace(CLASSIC, sprites=sprites, exact={})
    table = strange(ends={"lost": "hit"}, seed=8, skin=skin, known=without(skin, "exploded"))
    results = table.play(20)
    assert [result.result for result in results] == [game.state for game in table.desktop.games]
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}


def test_mines_that_the_skin_knows_are_no_lost_game_when_all_else_is_open(strange):
    table = strange(ends={"won": "mine", "lost": "numbers"}, seed=8, known=None)
    results = table.play(8)
    check_ends(table, results)
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}


@pytest.mark.parametrize("style", [Style(), Style(flags=True)])
def test_strange_ends_are_counted_in_every_style(strange, style):
    table = strange(ends={"won": "mine", "lost": "mine"}, seed=3, settings=Settings(style))
    check_ends(table, table.play(5))


WALLS = [(row, col) for row in (3, 4, 5) for col in (0, 1, 7, 8) if (row, col) not in {(4, 0), (4, 8)}]
"""Around two cells at the sides, one of which is the last mine."""


def test_guess_for_the_last_cell_that_the_board_does_not_show_is_unknown_and_play_goes_on(monkeypatch, tmp_path):
    layouts = [Layout.of_cells((9, 9), [*WALLS, last]) for last in ((4, 0), (4, 8), (4, 0))]
    monkeypatch.setattr("bot.reporting.recording.find_skin", lambda _: BARE)
    desktop = StrangeEnds(CLASSIC, (9, 9, 11), ends={"won": "blank", "lost": "blank"}, layouts=layouts)
    simulate_time(monkeypatch, desktop.clock)
    with Journal(tmp_path / "games") as journal:
        table = Table(desktop, known=BARE, journal=journal)
        results = table.play(2)
    assert [step.differences for step in replay(tmp_path / "games")] == [[]] * len(table.witness.decisions)
    assert {game.state for game in table.desktop.games[:2]} == {GameState.WON, GameState.LOST}
    assert [result.result for result in results] == [GameState.UNKNOWN] * 2
    assert [result.guesses[-1].p_mine for result in results] == [0.5, 0.5]
    assert [result.bbbv for result in results] == [None, None]
    assert table.player.n_stray == 0
    check_manners(table.desktop)


def test_game_that_is_won_by_flags_is_counted(strange):
    skin = replace(CLASSIC, win_needs_flags=True)
    table = strange(ends={"won": "flag", "lost": "mine"}, seed=3, skin=skin, known=without(skin, *MARKS[1:]))
    check_ends(table, table.play(5))


def test_window_over_the_whole_board_at_a_guess_is_no_lost_game(strange):
    table = strange(ends={}, seed=8)
    desktop = table.desktop

    def cover(n_click):
        if n_click == 1:
            desktop.cover(range(9), range(9))

    desktop.on_click = cover
    with pytest.raises(UnreadableError, match="cannot be read"):
        table.play()
    assert len(desktop.clicks) == 1


def test_window_over_the_guessed_cell_is_no_lost_game(strange):
    """Under it the cell shows its number, and nothing else changes."""
    beside = Layout.of_cells((9, 9), [(0, 1), *((8, col) for col in range(9))])
    table = strange(ends={"lost": "hit"}, layouts=[beside] * 2)
    desktop = table.desktop
    desktop.on_click = lambda n_clicks: desktop.cover(range(1), range(1)) if n_clicks == 1 else None
    with pytest.raises(UnreadableError, match="cannot be read"):
        table.play()
    assert desktop.clicks[0].cell == (0, 0)
    assert len(desktop.games) == 1


@pytest.mark.parametrize("n_clicks", [5, 9, 14])
def test_whole_board_painted_in_the_midst_of_proven_cells_is_not_the_end(strange, n_clicks):
    table = strange(ends={}, seed=8)
    desktop = table.desktop
    desktop.on_click = lambda n: setattr(desktop._window, "is_painted", lambda: n >= n_clicks)
    desktop.on_click(0)
    before = len(desktop.games)
    try:
        table.play()
    except UnreadableError:
        pass
    else:
        assert desktop.games[0].state is table.witness.results[0].result
    assert len(desktop.games) == before


def test_strange_ends_are_the_same_when_replayed(strange, monkeypatch, tmp_path):
    known = without(CLASSIC, *MARKS)
    monkeypatch.setattr("bot.reporting.recording.find_skin", lambda _: known)
    desktop = StrangeEnds(CLASSIC, BEGINNER, ends={"won": "mine", "lost": "painted"}, seed=8)
    simulate_time(monkeypatch, desktop.clock)
    with Journal(tmp_path / "games") as journal:
        table = Table(desktop, known=known, journal=journal)
        results = table.play(12)
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}
    steps = list(replay(tmp_path / "games"))
    assert [step.differences for step in steps] == [[]] * len(steps)
