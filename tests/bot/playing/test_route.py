"""Plans are played out on known layouts, by a game that knows the rule of a chord and nothing of plans.

The rule of a chord: a click on a number opens every neighbour without a flag, where as many flags stand around the
number as it says; where they stand does not matter to it.
"""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from text_readings import reading_of

from bot.playing.decide import EVEN, Prices, _by_travel, _plan_route
from solver.analysis import analyse
from solver.board import CLOSED, EXPLODED, FLAG, Action, GameState
from solver.game import Game
from solver.layout import Layout

STYLES = [(flags, chords) for flags in (False, True) for chords in (False, True)]
SIZES = {
    "2d": ((9, 9), 0.12, 4, 150),
    "2d dense": ((8, 12), 0.22, 5, 150),
    "2d thin": ((2, 15), 0.2, 3, 60),
    "3d": ((4, 4, 4), 0.1, 4, 60),
    "4d": ((3, 3, 3, 3), 0.06, 3, 20),
}
"""Shape, share of mines, cells opened at most before the plan, and how many positions."""


class Pointer:
    """Makes planned moves as the bot's hand does: what has changed since the plan was made is left alone."""

    def __init__(self, game):
        self.game = game
        self.planned_on = game.board
        self.clicked = []

    def make(self, moves):
        for move in moves:
            if self._still_asks_for(move):
                n_before = int((self.game.board.cells >= 0).sum())
                {
                    Action.OPEN: self.game.open,
                    Action.FLAG: self.game.toggle_flag,
                    Action.CHORD: self.game.chord,
                }[move.action](move.cell)
                self.clicked.append((move, int((self.game.board.cells >= 0).sum()) - n_before))

    def _still_asks_for(self, move):
        if self.game.is_over:
            return False
        if move.action is Action.CHORD:
            return any(self.game.code(near) == CLOSED for near in self.planned_on.topology.neighbours(move.cell))
        return self.game.code(move.cell) == self.planned_on[move.cell]


@cache
def positions(name):
    """Games in their middle, each with an analysis that found safe cells; some flags are right, some wrong.

    All tests share them: none is played on but in a copy.
    """
    return list(generate_positions(name))


def generate_positions(name):
    shape, density, most_opened, n_positions = SIZES[name]
    rng = random.Random(name)
    cells = list(np.ndindex(shape))
    n_made = 0
    while n_made < n_positions:
        game = Game.on(Layout.of_cells(shape, rng.sample(cells, round(density * len(cells)))))
        safe = [cell for cell in cells if not game.layout.has_mine[cell]]
        for cell in rng.sample(safe, rng.randint(1, most_opened)):
            game.open(cell)
        if game.is_over:
            continue
        closed = [cell for cell in cells if game.code(cell) == CLOSED]
        for cell in rng.sample(closed, min(len(closed), rng.choice([0, 0, 1, 4]))):
            game.toggle_flag(cell)
        analysis = analyse(game.board)
        if analysis.safe:
            n_made += 1
            yield game, analysis


def again(game):
    """The same position, to be played on by itself."""
    copy = Game.on(game.layout)
    for cell in np.ndindex(game.layout.shape):
        code = game.code(cell)
        if code >= 0 and copy.code(cell) == CLOSED:
            copy.open(cell)
    for cell in np.ndindex(game.layout.shape):
        if game.code(cell) == FLAG:
            copy.toggle_flag(cell)
    assert np.array_equal(copy.board.cells, game.board.cells)
    return copy


@cache
def plays(name):
    """Of each position its game, its analysis, and the hands that played each style's plan."""
    return [
        (game, analysis, [played(game, analysis, flags=flags, chords=chords) for flags, chords in STYLES])
        for game, analysis in positions(name)
    ]


def played(game, analysis, *, flags, chords):
    hand = Pointer(again(game))
    hand.make(_plan_route(analysis, flags=flags, chords=chords))
    return hand


def provable_zeros(analysis):
    """Safe closed cells whose neighbours are all open or proven safe."""
    board, safe = analysis.board, set(analysis.safe)
    return {
        cell
        for cell in safe
        if board[cell] == CLOSED and all(board[n] >= 0 or n in safe for n in board.topology.neighbours(cell))
    }


# --- hundreds of games


@pytest.mark.parametrize("name", SIZES)
def test_route_opens_all_that_is_proven_and_never_a_mine(name):
    for game, analysis, hands in plays(name):
        for hand in hands:
            cells = hand.game.board.cells
            assert hand.game.state is not GameState.LOST, game.board
            assert not (cells == EXPLODED).any()
            unflagged = {cell for cell in analysis.safe if game.code(cell) == FLAG}
            still_closed = {cell for cell in analysis.safe if hand.game.code(cell) < 0}
            assert still_closed <= unflagged, game.board
            assert all(hand.game.code(cell) == CLOSED for cell in still_closed), "their flags are off"


@pytest.mark.parametrize("name", SIZES)
def test_route_says_everything_once_and_relies_on_no_flood(name):
    for game, analysis in positions(name):
        for flags, chords in STYLES:
            moves = _plan_route(analysis, flags=flags, chords=chords)
            acted_on = [(move.action, move.cell) for move in moves]
            assert len(set(acted_on)) == len(acted_on)
            reached = {cell for action, cell in acted_on if action is Action.OPEN}
            for action, cell in acted_on:
                if action is Action.CHORD:
                    reached.update(game.topology.neighbours(cell))
            assert reached >= {cell for cell in analysis.safe if game.code(cell) == CLOSED}


@pytest.mark.parametrize("name", SIZES)
def test_route_sets_flags_on_mines_only_and_on_all_of_them_when_asked(name):
    for game, analysis, hands in plays(name):
        for (flags, chords), hand in zip(STYLES, hands, strict=True):
            for move, _ in hand.clicked:
                if move.action is Action.FLAG:
                    was_wrong = game.code(move.cell) == FLAG and not game.layout.has_mine[move.cell]
                    assert was_wrong or game.layout.has_mine[move.cell], game.board
                if not flags and not chords:
                    assert move.action is Action.OPEN or game.code(move.cell) == FLAG
            if flags and hand.game.state is GameState.PLAYING:
                assert all(hand.game.code(mine) == FLAG for mine in analysis.mines)


def clicks_without_luck(analysis, moves):
    """How many clicks a plan takes where no cell turns out to be a zero but those that surely are."""
    near, zeros = analysis.board.topology.neighbours, provable_zeros(analysis)
    closed = {cell for cell in np.ndindex(analysis.board.shape) if analysis.board[cell] == CLOSED}
    n_clicks = 0
    for move in moves:
        waiting = {move.cell} & closed
        if move.action is Action.CHORD:
            waiting = closed.intersection(near(move.cell))
        if waiting or analysis.board[move.cell] == FLAG:
            n_clicks += 1
        while waiting:
            closed -= waiting
            waiting = {n for cell in waiting & zeros if move.action is not Action.FLAG for n in near(cell)} & closed
    return n_clicks


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("flags", [False, True])
def test_route_with_chords_never_takes_more_clicks(name, flags):
    n_chords = n_played = n_played_plain = 0
    for game, analysis, hands in plays(name):
        plain, chorded = (_plan_route(analysis, flags=flags, chords=chords) for chords in (False, True))
        n_here = sum(move.action is Action.CHORD for move in chorded)
        saved = clicks_without_luck(analysis, plain) - clicks_without_luck(analysis, chorded)
        assert saved >= n_here, f"every chord saves a click at least:\n{game.board.cells}\n{chorded}"
        n_chords += n_here
        n_played += len(hands[STYLES.index((flags, True))].clicked)
        n_played_plain += len(hands[STYLES.index((flags, False))].clicked)
    assert n_played <= n_played_plain
    if flags:
        assert n_chords > 0


def price_of(analysis, moves, prices):
    """What a plan costs by these prices where no cell turns out to be a zero but those that surely are."""
    n_chords = sum(move.action is Action.CHORD for move in moves)
    n_flags = sum(move.action is Action.FLAG and analysis.board[move.cell] == CLOSED for move in moves)
    n_clicks = clicks_without_luck(analysis, moves) - n_chords - n_flags
    return n_clicks + prices.flag * n_flags + prices.chord * n_chords


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("prices", [Prices(1.0, 2.0), Prices(3.0, 1.0), Prices(2.5, 3.5), Prices(0.0, 1.5)], ids=str)
def test_route_with_chords_never_costs_more_by_the_prices_that_it_is_given(name, prices):
    n_chords = n_at_even_prices = 0
    for game, analysis in positions(name):
        plain, even = (_plan_route(analysis, flags=False, chords=chords) for chords in (False, True))
        chorded = _plan_route(analysis, flags=False, chords=True, prices=prices)
        assert price_of(analysis, chorded, prices) <= price_of(analysis, plain, prices), game.board
        n_chords += sum(move.action is Action.CHORD for move in chorded)
        n_at_even_prices += sum(move.action is Action.CHORD for move in even)
    assert n_chords < n_at_even_prices or prices.flag == 0.0 or n_at_even_prices == 0


@pytest.mark.parametrize("name", SIZES)
def test_route_zeros_come_first_and_each_opens_others(name):
    n_zeros = 0
    for game, analysis, hands in plays(name):
        zeros = provable_zeros(analysis)
        has_wrong_flags = any(game.code(cell) == FLAG for cell in analysis.safe)
        for hand in hands:
            are_zeros = [
                move.action is Action.OPEN and move.cell in zeros
                for move, _ in hand.clicked
                if game.code(move.cell) != FLAG
            ]
            assert are_zeros == sorted(are_zeros, reverse=True), game.board
            n_zeros += sum(are_zeros)
            if not has_wrong_flags:
                assert all(
                    n_opened > 1 for move, n_opened in hand.clicked if move.cell in zeros and _has_closed(game, move)
                )
    if name in ("2d", "3d"):
        assert n_zeros > 30


def _has_closed(game, move):
    return any(game.code(near) == CLOSED for near in game.topology.neighbours(move.cell))


@pytest.mark.parametrize("name", SIZES)
def test_route_next_is_always_the_nearest_left(name):
    for game, analysis in positions(name):
        zeros = provable_zeros(analysis)
        moves = _plan_route(analysis, flags=False, chords=False)
        opened_by_zeros = {near for zero in zeros for near in game.topology.neighbours(zero)} | zeros
        singles = [move.cell for move in moves if move.action is Action.OPEN and move.cell not in opened_by_zeros]
        for n, (here, there) in enumerate(pairwise(singles), start=1):
            assert math.dist(here, there) == min(math.dist(here, cell) for cell in singles[n:]), game.board


# --- boards as text


def plan(text, mines, *, flags=False, chords=False, prices=EVEN):
    analysis = analyse(reading_of(text, mines).board)
    moves = _plan_route(analysis, flags=flags, chords=chords, prices=prices)
    return [(move.action.value, move.cell) for move in moves]


@pytest.mark.parametrize(
    ("flags", "chords", "expected"),
    [
        (False, False, [("open", (0, 3)), ("open", (1, 3)), ("open", (2, 3)), ("open", (3, 3))]),
        (False, True, [("chord", (1, 2)), ("open", (3, 3))]),
        (True, True, [("flag", (3, 1)), ("chord", (1, 2)), ("open", (3, 3))]),
    ],
)
def test_route_number_with_its_mine_flagged_is_chorded_where_that_saves(flags, chords, expected):
    # The mines are (0, 1) and (3, 1), by the 1s at their left; what is in the last column, nobody knows.
    assert plan("1F1##\n111##\n111##\n1#1##\n", 4, flags=flags, chords=chords) == expected


def test_route_no_chord_where_the_flags_cost_what_it_saves():
    assert plan("1#1##\n111##\n", 2, chords=True) == [("open", (0, 3)), ("open", (1, 3))]


@pytest.mark.parametrize(("price", "is_chorded"), [(1.0, True), (2.75, True), (3.0, False), (9.0, False)])
def test_route_chord_is_made_only_where_it_costs_less_than_the_cells_that_it_opens(price, is_chorded):
    # The chord opens three cells, and its flag is up.
    moves = plan("1F1##\n111##\n111##\n1#1##\n", 4, chords=True, prices=Prices(chord=price))
    assert (("chord", (1, 2)) in moves) is is_chorded


def test_route_no_chord_beside_a_wrong_flag():
    # The flag at (1, 3) would count for the 1 at (1, 2): with that at (0, 1) there are two, and nothing opens.
    moves = plan("1F1##\n111F#\n111##\n1#1##\n", 4, chords=True)
    assert moves == [("flag", (1, 3)), ("open", (0, 3)), ("open", (2, 3)), ("open", (3, 3))]


def test_route_flags_for_a_chord_are_not_set_where_a_zero_opens_its_cells():
    # With one mine left, at (0, 1), all of the right is clear: a click on a zero opens it, and no chord is needed.
    moves = plan("1#1####\n111####\n", 1, chords=True)
    assert moves[0] == ("open", (0, 3))
    assert {action for action, _ in moves} == {"open"}


@pytest.mark.parametrize("n_cells", [60, 200])
def test_route_many_cells_go_row_by_row_and_back(n_cells):
    cells = [divmod(n, 10) for n in range(n_cells)]
    random.Random(n_cells).shuffle(cells)
    ordered = _by_travel(cells)
    assert sorted(ordered) == sorted(cells)
    assert all(math.dist(here, there) == 1 for here, there in pairwise(ordered)), "never farther than the next cell"


def test_route_of_no_cells_is_empty():
    assert _by_travel([]) == []
