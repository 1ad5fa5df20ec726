"""The player on a desktop that misbehaves: what it says and does, held against the truth of every click."""

from __future__ import annotations

import numpy as np
import pytest
from fake_desktop import FakeDesktop, Faults, impatient

from bot import player as player_module
from bot.actuator import MAX_TRIES, NoEffectError
from bot.errors import Aborted, BotError
from bot.locate import locate_board
from bot.models import Pixel
from bot.player import MAX_DIALOGS, NEW_GAME_TRIES, Player, Ports, UnreadableError, has_flagged_all
from skins import load_shipped_skin
from solver import board as codes
from solver.board import parse_board
from solver.errors import DisagreementError
from solver.game import LEVELS, GameState, Layout

BEGINNER = LEVELS["beginner"]
CLASSIC = load_shipped_skin("classic")
MINEBOT = load_shipped_skin("minebot")
ENDLESS = 10**6

# Won with a single guess, the first click at the corner; then bursts of 1, 6, 7, 5, 10, 12, 4 and 2 clicks.
WALLED = """
.......*.
...*....*
...*.....
*....*...
.......*.
*.*...*..
........*
..*.*..*.
.*.....*.
"""
WALLED_LEVEL = (9, 9, 16)


def layout_of(text):
    return Layout(np.array([[char == "*" for char in line] for line in text.split()]))


class Witness:
    """A watcher that keeps everything it is told; `on_remark` is called for each remark."""

    def __init__(self):
        self.decisions = []
        self.results = []
        self.remarks = []
        self.on_remark = lambda: None

    def decided(self, reading, moves):
        self.decisions.append((reading, moves))

    def ended(self, result):
        self.results.append(result)

    def remark(self, text):
        self.remarks.append(text)
        self.on_remark()

    @property
    def guesses(self):
        return [move for _, moves in self.decisions for move in moves if move.is_guess]


class Table:
    """A player sat down at a fake desktop, with what it says and the pictures it keeps."""

    def __init__(self, desktop):
        self.desktop = desktop
        self.witness = Witness()
        self.kept = []
        board = locate_board(desktop.grab(), [desktop.skin])
        assert board.grid == desktop.grid, "the fake's board must be found where it is"
        ports = Ports(desktop, desktop, desktop)
        self.player = Player(
            ports, board, desktop.mines, desktop.control, self.witness, journal=None, keep_picture=self._keep
        )

    def play(self, n_games=1):
        return list(self.player.iter_games(n_games))

    def _keep(self, frame):
        self.kept.append(frame)
        return "kept.png"


@pytest.fixture
def sit_down(monkeypatch):
    """Return a function that makes a desktop and a player before it, both in simulated time."""

    def _sit_down(skin=CLASSIC, level=BEGINNER, **options):
        desktop = FakeDesktop(skin, level, **options)
        for module in ("actuator", "eyes", "player"):
            monkeypatch.setattr(f"bot.{module}.time", desktop.clock)
        return Table(desktop)

    return _sit_down


def check_truth(table, results):
    """Hold results and clicks against the games as they really went."""
    desktop = table.desktop
    assert len(results) == len(desktop.games)
    for n, (result, game) in enumerate(zip(results, desktop.games, strict=True)):
        clicks = desktop.cell_clicks(n)
        assert result.result is game.state
        assert result.bbbv == game.layout.bbbv
        assert result.n_opened == int((game.board.cells >= 0).sum())
        assert result.n_clicks == len(clicks)
        assert (result.rows, result.cols, result.mines) == (desktop.grid.rows, desktop.grid.cols, desktop.mines)
        exploded = [press.cell for press in clicks if press.has_exploded]
        assert exploded == ([result.guesses[-1].cell] if result.result is GameState.LOST else [])
    assert [guess.cell for result in results for guess in result.guesses] == [g.cell for g in table.witness.guesses]
    assert table.witness.results == results
    assert table.player.n_stray == 0
    assert table.kept == []
    check_manners(desktop)


def check_manners(desktop):
    """No click that a person would have to be sorry for."""
    for press in desktop.clicks:
        assert press.cell is not None or press.pixel == desktop.spot
        assert not press.is_covered
        assert not press.is_paused
        if press.cell is not None:
            assert press.code == codes.CLOSED
            assert not press.is_half_painted


# --- whole games


@pytest.mark.parametrize("skin", [CLASSIC, MINEBOT], ids=["classic", "minebot"])
def test_player_beginner_games_are_played_to_their_true_ends(sit_down, skin):
    table = sit_down(skin, seed=11)
    results = table.play(6)
    check_truth(table, results)
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}
    assert all(guess.p_mine > 0 for result in results for guess in result.guesses)


@pytest.mark.parametrize(("level", "seed"), [("intermediate", 1), ("intermediate", 2), ("expert", 3)])
def test_player_larger_games_are_played_to_their_true_ends(sit_down, level, seed):
    table = sit_down(level=LEVELS[level], seed=seed)
    check_truth(table, table.play(2))


@pytest.mark.parametrize(
    "faults",
    [
        Faults(p_lost=0.3),
        Faults(repaint_s=(0.005, 0.12)),
        Faults(flood_s=0.05),
        Faults(repaint_s=(0.002, 0.03), flood_s=0.2),
        Faults(pressed_s=0.02),
        Faults(p_lost=0.3, repaint_s=(0.002, 0.03), flood_s=0.05, pressed_s=0.01),
    ],
    ids=["lost", "late", "in pieces", "late and in pieces", "pressed", "all of it"],
)
@pytest.mark.parametrize("seed", [5, 6])
def test_player_faulty_desktop_changes_nothing_but_the_time(sit_down, faults, seed):
    table = sit_down(seed=seed, faults=faults)
    check_truth(table, table.play(4))


def test_player_faulty_desktop_intermediate(sit_down):
    faults = Faults(p_lost=0.3, repaint_s=(0.002, 0.03), flood_s=0.05, pressed_s=0.01)
    table = sit_down(level=LEVELS["intermediate"], seed=7, faults=faults)
    check_truth(table, table.play(2))


def test_player_begun_game_is_played_on(sit_down):
    table = sit_down(seed=3)
    table.desktop.game.open((4, 4))
    table.desktop.game.open((0, 0))
    n_before = int((table.desktop.game.board.cells >= 0).sum())
    table.desktop.repaint()
    (result,) = table.play()
    assert result.result is table.desktop.game.state
    assert result.n_opened == int((table.desktop.game.board.cells >= 0).sum()) - n_before


def test_player_finished_board_is_cleared_first(sit_down):
    table = sit_down(seed=3)
    first = table.desktop.game
    while not first.is_over:
        first.open(next(cell for cell in np.ndindex(9, 9) if first.code(cell) == codes.CLOSED))
    table.desktop.repaint()
    (result,) = table.play()
    assert table.desktop.clicks[0].pixel == table.desktop.spot
    assert result.result is table.desktop.games[1].state


# --- things in the way


def after_clicks(desktop, n_clicks, happen):
    """Make something happen right after the click of that number."""
    desktop.on_click = lambda n: happen() if n == n_clicks else None


@pytest.mark.parametrize("n_clicks", [4, 9, 14, 47])  # of 48: one more click is due, and then a win
@pytest.mark.parametrize("what", ["cover", "cover of mines", "closed"])
def test_player_board_in_part_or_whole_gone_stops_with_picture_and_no_click(sit_down, n_clicks, what):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    happen = {
        "cover": lambda: desktop.cover(range(2, 7), range(9)),
        "cover of mines": lambda: desktop.cover(range(1), range(1)),
        "closed": desktop.close_window,
    }[what]
    after_clicks(desktop, n_clicks, happen)
    with pytest.raises(UnreadableError, match=r"cannot be read.*kept in kept\.png"):
        table.play()
    assert len(desktop.clicks) == n_clicks
    assert desktop.keys == []
    assert len(table.kept) == 1
    assert table.kept[0].region == desktop.grid.region


def test_player_cover_while_deciding_stops_without_a_click(sit_down, monkeypatch):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    honest = player_module.decide

    def slow_decide(reading):
        if len(table.desktop.clicks) == 8:
            table.desktop.cover(range(9), range(9))
        return honest(reading)

    monkeypatch.setattr(player_module, "decide", slow_decide)
    with pytest.raises(UnreadableError):
        table.play()
    assert len(table.desktop.clicks) == 8


def open_number(game):
    """An open cell with a number, and a number that contradicts its neighbours whatever they are."""
    for cell in np.ndindex(*game.board.shape):
        near = game.topology.neighbours(cell)
        n_closed = sum(game.code(c) == codes.CLOSED for c in near)
        if game.code(cell) > 0 and n_closed < 8:
            return cell, str(n_closed + 1)
    raise AssertionError("no open number")


def misread_after(desktop, n_clicks, seconds):
    after_clicks(desktop, n_clicks, lambda: desktop.misread(*open_number(desktop.game), seconds))


@pytest.mark.parametrize("n_clicks", [3, 6, 11])
def test_player_contradiction_once_is_looked_at_again_and_played_on(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    misread_after(table.desktop, n_clicks, 0.1)
    check_truth(table, table.play())
    assert table.desktop.cell_clicks()[n_clicks:], "there was more to play"


@pytest.mark.parametrize("n_clicks", [3, 6, 11])
def test_player_contradiction_for_good_stops_with_picture_and_no_click(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    misread_after(table.desktop, n_clicks, ENDLESS)
    with pytest.raises(UnreadableError, match=r"contradicts itself.*kept\.png"):
        table.play()
    assert len(table.desktop.clicks) == n_clicks
    assert len(table.kept) == 1


def test_player_cell_held_down_for_good_stops_without_a_click(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    table.desktop.misread((4, 4), "0")
    with pytest.raises(UnreadableError, match="open 0 beside a closed cell"):
        table.play()
    assert table.desktop.clicks == []


def begin_another(desktop):
    desktop.new_game_by_person()


def begin_another_in_a_pause(desktop):
    desktop.control.toggle()
    desktop.new_game_by_person()
    desktop.control.toggle()


@pytest.mark.parametrize("begin", [begin_another, begin_another_in_a_pause])
@pytest.mark.parametrize("n_clicks", range(3, 25, 3))
def test_player_new_game_in_the_middle_of_a_burst_is_not_played_with_old_knowledge(sit_down, begin, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)], seed=n_clicks)
    after_clicks(table.desktop, n_clicks, lambda: begin(table.desktop))
    (result,) = table.play()
    assert len(table.desktop.games) == 2
    assert result.result is table.desktop.game.state
    exploded = [press.cell for press in table.desktop.clicks if press.has_exploded]
    assert exploded == ([result.guesses[-1].cell] if result.result is GameState.LOST else [])


def test_player_frozen_game_stops_after_max_tries_on_one_cell(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])

    def freeze():
        table.desktop.is_frozen = True

    after_clicks(table.desktop, 5, freeze)
    with pytest.raises(NoEffectError, match="did not change after"):
        table.play()
    last = table.desktop.clicks[5:]
    assert len(last) == MAX_TRIES
    assert len({press.cell for press in last}) == 1


def test_player_new_game_that_never_comes_is_an_error(sit_down):
    table = sit_down(seed=1)
    games = table.player.iter_games(2)
    next(games)
    n_before = len(table.desktop.clicks)
    table.desktop.is_frozen = True
    with pytest.raises(BotError, match="no new game"):
        next(games)
    assert [press.pixel for press in table.desktop.clicks[n_before:]] == [table.desktop.spot] * NEW_GAME_TRIES


def test_player_skin_without_a_spot_says_so(sit_down):
    table = sit_down(impatient(CLASSIC, spot_px=None), seed=1)
    games = table.player.iter_games(2)
    next(games)
    with pytest.raises(BotError, match="how to start a new game"):
        next(games)


# --- dialogs


@pytest.mark.parametrize("dialogs", [1, 2])
@pytest.mark.parametrize("dialog_s", [0.0, 0.02, 0.3])
def test_player_dialogs_after_a_win_are_closed_and_nothing_else(sit_down, dialogs, dialog_s):
    table = sit_down(seed=7, faults=Faults(dialogs=dialogs, dialog_s=dialog_s))
    results = table.play(5)
    check_truth(table, results)
    desktop = table.desktop
    assert all(was_up for _, was_up in desktop.keys), "a key went to no dialog"
    assert {key for key, _ in desktop.keys} <= {"enter"}
    n_won = sum(result.result is GameState.WON for result in results[:-1])
    assert len(desktop.keys) >= dialogs * n_won


def test_player_dialog_after_a_win_by_a_flood_is_closed(sit_down):
    """No count of clicks says that this win is due: the flags that come up on the mines in sight do."""
    corners = Layout.of_cells((9, 9), [(0, 8), (8, 0), (8, 8)])
    table = sit_down(level=(9, 9, 3), layouts=[corners], faults=Faults(dialogs=2))
    (result,) = table.play()
    check_truth(table, [result])
    assert result.n_clicks == 1
    assert table.desktop.keys == [("enter", True)] * 2


def test_player_dialog_over_every_mine_is_not_trusted_to_be_a_win(sit_down):
    hidden = Layout.of_cells((9, 9), [(4, 4)])
    table = sit_down(level=(9, 9, 1), layouts=[hidden], faults=Faults(dialogs=1))
    with pytest.raises(UnreadableError):
        table.play()
    assert table.desktop.keys == []


@pytest.mark.parametrize(
    ("before", "now", "flagged"),
    [
        ("1#\n##\n", "1F\n1!\n", True),
        ("1#\n##\n", "1#\n1!\n", False),
        ("1#\n##\n", "11\n1!\n", False),
        ("1#\n##\n", "1F\n#!\n", False),
        ("1F\n##\n", "1F\n1!\n", False),
    ],
)
def test_has_flagged_all_needs_new_flags_on_every_closed_cell_in_sight(before, now, flagged):
    assert has_flagged_all(parse_board(before), parse_board(now)) is flagged


def test_player_late_dialog_is_closed_before_the_next_game(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2, faults=Faults(dialogs=1, dialog_s=0.1))
    games = table.player.iter_games(2)
    assert next(games).result is GameState.WON
    assert table.desktop.keys == [], "the board looked won before the dialog came up"
    table.desktop.clock.now += 1.0
    next(games)
    assert table.desktop.keys[0] == ("enter", True)
    assert table.desktop.clicks[len(table.desktop.cell_clicks())].n_keys == 1, "the dialog went before the face"


def test_player_dialog_over_a_board_found_won_is_closed_before_the_next_game(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    for cell in np.argwhere(~desktop.game.layout.has_mine):
        desktop.game.open(tuple(cell))
    desktop.repaint()
    desktop.raise_dialog(after_s=0.02)
    table.play()
    assert desktop.keys == [("enter", True)]


def test_player_cover_after_a_game_lost_at_its_last_guess_gets_no_key(sit_down):
    """The last click was due to win; but the game is lost, and what comes up is no dialog of it."""
    even_odds = layout_of("*.*.\n..*.\n....\n....")  # (0, 0) or (0, 1): the bot takes the first
    table = sit_down(level=(4, 4, 3), layouts=[even_odds])
    desktop = table.desktop
    for row, col in np.argwhere(~even_odds.has_mine):
        if (row, col) != (0, 1):
            desktop.game.open((int(row), int(col)))
    desktop.repaint()
    games = table.player.iter_games(2)
    assert next(games).result is GameState.LOST
    desktop.cover(range(2), range(2))
    with pytest.raises(UnreadableError):
        next(games)
    assert desktop.keys == []


def test_player_dialog_beside_the_board_is_closed_when_the_face_does_not_react(sit_down):
    faults = Faults(dialogs=2, dialogs_cover=False)
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2, faults=faults)
    results = table.play(2)
    check_truth(table, results)
    assert [result.result for result in results] == [GameState.WON] * 2
    assert table.desktop.keys == [("enter", True)] * 2


def test_player_lost_game_and_a_face_that_does_not_react_get_no_key(sit_down):
    table = sit_down(seed=3)
    games = table.player.iter_games(40)
    assert any(result.result is GameState.LOST for result in games), "the generator stops at the first lost game"
    table.desktop.is_frozen = True
    with pytest.raises(BotError, match="no new game began"):
        next(games)
    assert table.desktop.keys == []


def test_player_more_dialogs_than_a_game_has_are_an_error(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)], faults=Faults(dialogs=ENDLESS))
    with pytest.raises(UnreadableError, match=r"cannot be read.*kept\.png"):
        table.play()
    assert len(table.desktop.keys) == MAX_DIALOGS
    assert table.desktop.game.state is GameState.WON
    check_manners(table.desktop)


def test_player_dialog_with_a_skin_without_key_is_an_error(sit_down):
    table = sit_down(
        impatient(CLASSIC, dialog_key=None), level=WALLED_LEVEL, layouts=[layout_of(WALLED)], faults=Faults(dialogs=1)
    )
    with pytest.raises(UnreadableError):
        table.play()
    assert table.desktop.keys == []


# --- a person


@pytest.mark.parametrize("n_clicks", range(1, 8))
def test_player_abort_inside_a_click_means_not_one_more(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    after_clicks(table.desktop, n_clicks, table.desktop.control.abort)
    with pytest.raises(Aborted):
        table.play()
    assert len(table.desktop.clicks) == n_clicks


@pytest.mark.parametrize("n_grabs", range(1, 40, 3))
def test_player_abort_inside_a_grab_means_not_one_more_click(sit_down, n_grabs):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop, clicks_at = table.desktop, []
    first = desktop.n_grabs

    def abort(n):
        if n == first + n_grabs:
            clicks_at.append(len(desktop.clicks))
            desktop.control.abort()

    desktop.on_grab = abort
    with pytest.raises(Aborted):
        table.play()
    assert clicks_at == [len(desktop.clicks)]


def test_player_abort_inside_every_kind_of_wait(sit_down):
    n_waits_of_a_game = 0
    for n_waits in (1, 5, 10, 20, 40):
        table = sit_down(seed=2, faults=Faults(dialogs=1, repaint_s=(0.01, 0.02)))
        desktop, clicks_at, waits = table.desktop, [], []

        def abort(waits=waits, n_waits=n_waits, clicks_at=clicks_at, desktop=desktop):
            waits.append(None)
            if len(waits) == n_waits:
                clicks_at.append(len(desktop.clicks))
                desktop.control.abort()

        desktop.control.on_wait = abort
        with pytest.raises(Aborted):
            table.play(20)
        assert clicks_at == [len(desktop.clicks)]
        n_waits_of_a_game = max(n_waits_of_a_game, len(waits))
    assert n_waits_of_a_game == 40


@pytest.mark.parametrize("n_clicks", [1, 4, 9])
def test_player_mouse_taken_pauses_with_a_remark_and_goes_on_after_the_key(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop

    def take():
        desktop.pointer = Pixel(3, 3)

    def resume():
        assert not desktop.control.is_running
        assert len(desktop.clicks) == n_clicks
        desktop.control.toggle()

    after_clicks(desktop, n_clicks, take)
    table.witness.on_remark = resume
    (result,) = table.play()
    assert len(table.witness.remarks) == 1
    assert "mouse was moved" in table.witness.remarks[0]
    assert result.result is GameState.WON
    check_manners(desktop)


def test_player_guess_put_off_by_a_pause_is_counted_once(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    control = table.desktop.control
    honest = table.witness.decided

    def decided(reading, moves):
        honest(reading, moves)
        if len(table.witness.decisions) == 1:
            control.toggle()
            control.toggle()

    table.witness.decided = decided
    (result,) = table.play()
    assert [guess.cell for guess in result.guesses] == [(0, 0)]
    assert len(table.witness.guesses) == 2


def test_player_paused_by_key_then_pointer_moved_goes_on_with_one_press_of_the_key(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop

    def pause_look_around_and_go_on():
        desktop.control.toggle()
        desktop.pointer = Pixel(3, 3)
        desktop.control.toggle()

    after_clicks(desktop, 4, pause_look_around_and_go_on)
    (result,) = table.play()
    assert table.witness.remarks == []
    assert result.result is GameState.WON


# --- flags that a person set


@pytest.mark.parametrize("flag", [(0, 0), (0, 4), (4, 4), (8, 0)])
def test_player_wrong_flag_is_taken_off_and_its_cell_opened(sit_down, flag):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    desktop.game.toggle_flag(flag)
    desktop.repaint()
    (result,) = table.play()
    assert result.result is GameState.WON is desktop.game.state
    assert [press.cell for press in desktop.cell_clicks() if press.code == codes.FLAG] == [flag]


def test_player_right_flags_are_left_alone(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    for cell in [(0, 7), (1, 3), (8, 1)]:
        desktop.game.toggle_flag(cell)
    desktop.repaint()
    (result,) = table.play()
    assert result.result is GameState.WON
    assert all(press.code == codes.CLOSED for press in desktop.cell_clicks())


# --- two engines


def test_player_never_clicks_when_the_two_engines_disagree(sit_down, monkeypatch):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])

    def disagree(analysis):
        raise DisagreementError(f"not all of {analysis.safe} are safe, by proof")

    monkeypatch.setattr("bot.decide.confirm", disagree)
    with pytest.raises(UnreadableError, match=r"disagrees with itself.*kept\.png"):
        table.play()
    assert len(table.desktop.clicks) == 1, "the first click is a guess, and nothing is proven yet"
    assert len(table.kept) == 1
