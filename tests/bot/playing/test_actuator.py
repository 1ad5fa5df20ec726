"""The hand on a desktop that misbehaves: one click at a time, only on the board, only on what was decided on."""

from __future__ import annotations

import pytest
from desktop_hands import middle
from fake_desktop import FakeDesktop, Faults, impatient

from bot.errors import Aborted, BotError
from bot.models import Button, Click, FoundBoard, Held, Pixel
from bot.playing.actuator import Actuator, NoEffectError
from bot.playing.board_view import KnownBoard, watch_known
from bot.playing.clicks import DEAD_S
from bot.playing.control import FocusWatch, Pointer
from bot.playing.decide import Decision
from bot.playing.new_game import NewGameButton, NextGame, _spot_of
from bot.playing.speeds import WayPoint, _MaxSpeed
from skins import load_shipped_skin
from solver.board import CLOSED, Action, GameState, Move
from solver.layout import Layout

CLASSIC = load_shipped_skin("classic")
MINES = Layout.of_cells((4, 6), [(1, 2), (0, 5), (3, 4), (3, 0)])
"""Every safe cell of rows 0 to 2 and columns 1 to 3 is a number."""
ROW = [Move(Action.OPEN, (0, col)) for col in (1, 2, 3)]


class Bench:
    """An actuator before a fake desktop, and what it sees of it."""

    def __init__(self, desktop, skin):
        self.desktop = desktop
        self.n_taken = 0
        board = FoundBoard(skin, desktop.grid, 24)
        self.view = watch_known(desktop, desktop.control, KnownBoard(board, desktop.mines), desktop.grab())
        self.held_up = []
        focus = FocusWatch(desktop)
        self.pointer = Pointer(desktop, desktop, desktop.control, focus, self._taken, self.held_up.append)
        self.hand = Actuator(self.pointer, self.view, desktop.control, _MaxSpeed())
        self.next_game = NextGame(self.pointer, self.view, desktop.control, focus, NewGameButton(desktop, skin))

    def perform(self, moves):
        return self.hand.perform(moves, self.view.settled().reading)

    def _taken(self, _what):
        self.n_taken += 1
        self.desktop.control.toggle()


@pytest.fixture
def bench(monkeypatch):
    def _bench(skin=CLASSIC, known_as=None, **faults):
        desktop = FakeDesktop(skin, (4, 6, 4), layouts=[MINES], faults=Faults(**faults))
        for module in ("actuator", "board_view", "new_game"):
            monkeypatch.setattr(f"bot.playing.{module}.time", desktop.clock)
        return Bench(desktop, known_as or skin)

    return _bench


def lost(table):
    """A look at a game that was lost."""
    table.desktop.game.open((0, 1))
    table.desktop.game.open((1, 2))
    table.desktop.repaint()
    return table.view.settled()


def after_clicks(desktop, n_clicks, happen):
    desktop.on_click = lambda n: happen() if n == n_clicks else None


def test_perform_clicks_the_middle_of_each_cell_in_order(bench):
    table = bench()
    assert table.perform(ROW) == []
    assert [press.cell for press in table.desktop.clicks] == [(0, 1), (0, 2), (0, 3)]
    assert [press.pixel for press in table.desktop.clicks] == [
        table.desktop.grid.cell_region(move.cell).middle for move in ROW
    ]
    assert (table.hand.n_clicks, table.hand.n_retries, table.hand.n_stray) == (3, 0, 0)


@pytest.mark.parametrize(
    ("action", "button"), [(Action.OPEN, Button.LEFT), (Action.FLAG, Button.RIGHT), (Action.CHORD, Button.MIDDLE)]
)
def test_perform_takes_the_button_of_the_action(bench, monkeypatch, action, button):
    table = bench()
    buttons = []
    honest = table.desktop.click

    def click(asked):
        buttons.append(asked.button)
        return honest(Click(asked.pixel))  # a closed cell does not react to every button

    monkeypatch.setattr(table.desktop, "click", click)
    table.perform([Move(action, (0, 1))])
    assert set(buttons) == {button}


def test_perform_lost_click_is_made_again_after_the_skins_pause(bench):
    table = bench(impatient(CLASSIC, retry_s=0.2), p_lost=1.0, most_lost_in_a_row=2)
    begun_at = table.desktop.clock.now
    assert table.perform(ROW[:1]) == []
    assert len(table.desktop.clicks) == 3
    assert table.hand.n_retries == 2
    assert table.desktop.clock.now - begun_at >= 0.4


def test_cell_is_not_double_clicked(bench):
    table = bench(impatient(CLASSIC, retry_s=0.03), p_lost=1.0, most_lost_in_a_row=1, ignores_double_clicks=True)
    assert table.perform(ROW) == []
    assert table.hand.n_retries == len(ROW)
    assert {press.cell for press in table.desktop.clicks} == {(0, 1), (0, 2), (0, 3)}


def test_perform_gives_up_on_a_cell_that_never_changes(bench):
    table = bench()
    table.desktop.is_frozen = True
    begun_at = table.desktop.clock.now
    with pytest.raises(NoEffectError, match=r"cell \(0,1\) did not change after \d+ clicks?"):
        table.perform(ROW)
    assert {press.cell for press in table.desktop.clicks} == {(0, 1)}
    assert DEAD_S < table.desktop.clock.now - begun_at < 2 * DEAD_S
    assert len(table.desktop.clicks) < DEAD_S / 0.25, "a game that hangs is not hammered"


def test_perform_waits_for_a_late_repaint_instead_of_clicking_again(bench):
    table = bench(repaint_s=(0.2, 0.24))
    assert table.perform(ROW) == []
    assert len(table.desktop.clicks) == 3


def test_perform_waits_while_a_cell_is_held_down(bench):
    table = bench(pressed_s=0.1)
    assert table.perform(ROW) == []
    assert len(table.desktop.clicks) == 3
    assert not any(press.is_half_painted for press in table.desktop.clicks)


def test_perform_leaves_cells_alone_that_opened_meanwhile(bench):
    table = bench()
    reading = table.view.settled().reading
    table.desktop.game.open((0, 2))
    table.desktop.repaint()
    assert table.hand.perform(ROW, reading) == []
    assert [press.cell for press in table.desktop.clicks] == [(0, 1), (0, 3)]


def happen_closed(desktop):
    desktop.close_window()


def happen_covered(desktop):
    desktop.cover(range(3, 4), range(2))


def happen_misread(desktop):
    desktop.misread((0, 1), "5")


def happen_new_game(desktop):
    desktop.new_game_by_person()


def happen_lost(desktop):
    desktop.game.open((1, 2))
    desktop.repaint()


def happen_held_down(desktop):
    desktop.misread((2, 1), "0")


@pytest.mark.parametrize(
    "happen", [happen_closed, happen_covered, happen_misread, happen_new_game, happen_lost, happen_held_down]
)
def test_perform_ends_when_the_board_is_another_than_was_decided_on(bench, happen):
    table = bench()
    assert table.perform(ROW[:1]) == []
    reading = table.view.settled().reading
    after_clicks(table.desktop, 2, lambda: happen(table.desktop))
    assert table.hand.perform(ROW[1:], reading)[-1:] == ROW[2:]
    assert len(table.desktop.clicks) == 2


def test_perform_ends_before_the_first_click_when_the_board_changed_while_deciding(bench):
    table = bench()
    table.perform(ROW[:1])
    reading = table.view.settled().reading
    table.desktop.cover(range(4), range(6))
    assert table.hand.perform(ROW[1:], reading) == ROW[1:]
    assert len(table.desktop.clicks) == 1


def test_perform_ends_when_play_was_paused_meanwhile(bench):
    table = bench()

    def pause_and_go_on():
        table.desktop.control.toggle()
        table.desktop.control.toggle()

    after_clicks(table.desktop, 1, pause_and_go_on)
    assert table.perform(ROW) == ROW[1:]
    assert table.perform(ROW[1:]) == []
    assert table.n_taken == 0


def test_perform_pauses_when_a_person_took_the_mouse(bench):
    table = bench()

    def take():
        table.desktop.pointer = Pixel(1, 1)

    after_clicks(table.desktop, 2, take)
    assert table.perform(ROW) == ROW[2:]
    assert table.n_taken == 1
    assert len(table.desktop.clicks) == 2
    assert table.perform(ROW[2:]) == [], "the pointer that was moved is not held against anybody twice"
    assert table.n_taken == 1


def test_perform_after_abort_clicks_nothing(bench):
    table = bench()
    reading = table.view.settled().reading
    table.desktop.control.abort()
    with pytest.raises(Aborted):
        table.hand.perform(ROW, reading)
    assert table.desktop.clicks == []


class Deciding:
    """Says what to open besides; notes what it was asked on, and how many clicks were made by then."""

    def __init__(self, table, moves):
        self.table, self.moves, self.asked = table, moves, []

    def __call__(self, observation):
        desktop = self.table.desktop
        self.asked.append((observation.reading.board, len(desktop.clicks)))
        return Decision([move for move in self.moves if observation.reading.board[move.cell] == CLOSED])


def clicked_ahead(bench, **faults):
    """A bench whose hand may make three clicks ahead."""
    table = bench(repaint_s=(0.06, 0.06), **faults)
    for _ in range(12):
        table.hand.pace.had_effect(0.06, 1)
    return table


def test_perform_asks_what_else_is_proven_while_clicks_are_under_way(bench):
    table = clicked_ahead(bench)
    reading = table.view.settled().reading
    more = Deciding(table, [*ROW, Move(Action.OPEN, (2, 2))])
    table.desktop.on_click = lambda _: table.desktop.clock.advance(0.02)
    assert table.hand.perform(ROW, reading, frozenset(move.cell for move in ROW), more) == []
    assert [press.cell for press in table.desktop.clicks] == [(0, 1), (0, 2), (0, 3), (2, 2)]
    board, n_clicks = more.asked[0]
    assert n_clicks == 3, "all was clicked"
    assert (board[0, 1] >= 0, board[0, 3]) == (True, CLOSED), "one was seen, and one was under way"
    assert table.desktop.clicks[3].at_s < table.desktop.clicks[2].at_s + 0.06


def test_perform_asks_for_nothing_where_a_cell_under_way_may_open_others(bench):
    table = clicked_ahead(bench)
    more = Deciding(table, [])
    assert table.hand.perform(ROW, table.view.settled().reading, frozenset(), more) == []
    assert more.asked == []


def test_perform_ends_a_lost_game_without_another_click(bench):
    table = bench()
    moves = [Move(Action.OPEN, (1, 2)), *ROW]
    assert table.perform(moves) == ROW
    assert table.view.settled().reading.state is GameState.LOST
    assert len(table.desktop.clicks) == 1


def test_click_outside_the_board_is_refused_and_counted(bench):
    table = bench()
    region = table.desktop.grid.region
    outside = (
        Pixel(region.left - 1, region.top),
        Pixel(region.left, region.top - 1),
        Pixel(region.left + region.width, region.top),
        Pixel(region.left, region.top + region.height),
        Pixel(table.desktop.spot.x + 1, table.desktop.spot.y),
    )
    for n, pixel in enumerate(outside, start=1):
        with pytest.raises(BotError, match="refused a click"):
            table.pointer.click(pixel, Button.LEFT, region, table.desktop.spot, is_as_seen=table.view.is_as_seen)
        assert table.hand.n_stray == n
    assert table.desktop.clicks == []
    assert table.hand.n_clicks == 0


def test_click_spot_is_the_declared_one(bench):
    table = bench()
    seen = lost(table)
    table.next_game.ask(seen, seen.reading)
    region = table.desktop.grid.region
    assert [press.pixel for press in table.desktop.clicks] == [Pixel(region.left + 48, region.top - 28)]
    assert table.hand.n_stray == 0


def test_click_spot_that_is_not_declared_is_refused(bench):
    table = bench(impatient(CLASSIC, spot_px=None))
    seen = lost(table)
    with pytest.raises(BotError, match="does not say how to start a new game"):
        table.next_game.ask(seen, seen.reading)
    assert table.desktop.clicks == []


def after_an_observation(desktop, happen):
    """Let something happen between an observation and the click made by it, while the person is asked after."""
    ask, is_done = desktop.position, []

    def position():
        if not is_done and desktop.clicks:
            is_done.append(True)
            happen()
        return ask()

    desktop.position = position


@pytest.mark.parametrize("by_px", [(1, 0), (0, 300), (16, 0), (0, -16), (-32, 16), (500, 0)])
def test_perform_window_that_moves_while_the_board_is_read_gets_no_click(bench, by_px):
    table = bench()
    after_an_observation(table.desktop, lambda: table.desktop.move_window(*by_px))
    assert table.perform(ROW) == ROW[1:]
    assert len(table.desktop.clicks) == 1


def test_perform_window_that_comes_over_the_cell_while_the_board_is_read_gets_no_click(bench):
    table = bench()
    where = middle(table.desktop, (0, 2))
    after_an_observation(table.desktop, lambda: table.desktop.cover_pixels(where.x, where.y, 5, 5))
    assert table.perform(ROW) == ROW[1:]
    assert len(table.desktop.clicks) == 1


def test_perform_cell_that_changes_while_the_board_is_read_gets_no_click(bench):
    table = bench()
    after_an_observation(table.desktop, lambda: table.desktop.misread((0, 2), "flag"))
    assert table.perform(ROW) == ROW[1:]
    assert len(table.desktop.clicks) == 1


def test_click_spot_window_that_has_just_moved_gets_no_click(bench):
    table = bench()
    seen = lost(table)
    table.desktop.move_window(16, 0)
    assert not table.next_game.ask(seen, seen.reading)
    assert table.desktop.clicks == []


def test_perform_clicks_no_window_that_comes_up_between_the_observation_and_the_click(bench):
    table = bench()
    cell = table.desktop.grid.cell_region((0, 2))

    def come_up():
        if len(table.desktop.clicks) == 1:
            table.desktop.cover_pixels(cell.left, cell.top, cell.width, cell.height)

    table.desktop.before_press = come_up
    assert table.perform(ROW) == ROW[1:]
    assert table.hand.is_covered
    assert [press.cell for press in table.desktop.clicks] == [(0, 1)]


def test_new_game_is_not_clicked_in_a_window_that_comes_up_over_its_place(bench):
    table = bench()
    spot = _spot_of(table.desktop.skin, table.desktop.grid)
    seen = lost(table)
    table.desktop.before_press = lambda: table.desktop.cover_pixels(spot.x - 5, spot.y - 5, 10, 10)
    assert not table.next_game.ask(seen, seen.reading)
    assert table.hand.is_covered
    assert table.desktop.clicks == []


def test_perform_waits_while_a_key_is_held_down_and_says_so_once(bench):
    table = bench()
    table.desktop.before_press = lambda: setattr(table.desktop, "holds", Held(("Shift",)))
    begun_at = table.desktop.clock.now
    table.desktop.clock.after(2.0, lambda: setattr(table.desktop, "holds", Held()))
    assert table.perform(ROW) == ROW
    assert table.held_up == ["Shift"]
    assert table.desktop.clock.now - begun_at >= 2.0
    assert table.desktop.clicks == []
    assert table.n_taken == 0


def test_perform_pauses_where_a_person_holds_a_button(bench):
    table = bench()
    table.desktop.holds = Held(has_button=True)
    assert table.perform(ROW) == ROW
    assert table.n_taken == 1
    assert table.desktop.clicks == []


def test_hand_is_not_free_for_a_key_while_one_is_held_down(bench):
    table = bench()
    table.desktop.holds = Held(("Ctrl", "Alt"))
    table.desktop.clock.after(1.0, lambda: setattr(table.desktop, "holds", Held()))
    assert not table.pointer.is_free()
    assert table.pointer.is_free()
    assert table.held_up == ["Ctrl and Alt"]


class InSteps(_MaxSpeed):
    """The pointer goes to a cell in five steps."""

    def approach(self, start, target, cell, move):
        if start != target:
            yield from (WayPoint(0.01, Pixel(start.x + n, start.y)) for n in range(1, 5))
            yield WayPoint(0.01, target)


@pytest.mark.parametrize("n_before", [1, 2, 4])
@pytest.mark.parametrize("what", ["pause", "abort", "by hand"])
def test_perform_asks_before_each_step_of_the_pointer(bench, what, n_before):
    table = bench()
    desktop, control = table.desktop, table.desktop.control
    table.hand._speed = InSteps()
    assert table.perform(ROW[:1]) == []
    steps, move = [], desktop.move

    def stop():
        if what == "by hand":
            desktop.pointer = Pixel(desktop.pointer.x, desktop.pointer.y + 40)
        else:
            {"pause": control.toggle, "abort": control.abort}[what]()

    def moved(pixel):
        move(pixel)
        steps.append(pixel)
        if len(steps) == n_before:
            stop()

    desktop.move = moved
    if what == "abort":
        with pytest.raises(Aborted):
            table.perform(ROW[1:])
    else:
        assert table.perform(ROW[1:]) == ROW[1:]
    assert len(steps) == n_before
    assert len(desktop.clicks) == 1


def test_game_that_took_long_to_begin_is_not_asked_for_again(bench):
    table = bench()
    ended = lost(table).reading
    table.desktop.new_game_by_person()
    assert table.next_game.ask(table.view.settled(), ended)
    assert table.desktop.clicks == []
    assert table.next_game.has_begun(ended, 1)


FACELESS = impatient(CLASSIC, spot_px=None)
OVER = impatient(CLASSIC, spot_px=(-8, -8), spot_from="middle")
"""As a page whose button comes up over its board when a game ends."""


def test_button_over_the_board_is_clicked_where_it_was_seen(bench):
    table = bench(FACELESS, OVER)
    seen = lost(table)
    assert table.next_game.ask(seen, seen.reading)
    assert [press.cell for press in table.desktop.clicks] == [(1, 2)]


def test_button_over_the_board_is_not_clicked_on_a_game_that_has_just_begun(bench):
    """A cell of another game is there now: a click would open it."""
    table = bench(FACELESS, OVER)
    seen = lost(table)
    table.desktop.new_game_by_person()
    assert not table.next_game.ask(seen, seen.reading)
    assert table.desktop.clicks == []
