"""A person who plays a fake desktop's game, in simulated time: opens safe cells, flags some, loses in the end."""

from __future__ import annotations

import random

import numpy as np
from fake_desktop.records import Target

from bot.models import Button
from solver.board import FLAG, GameState

MOVE_S = 0.6
READ_S = 2.0
"""How long a lost board is looked at."""


class SimulatedPerson:
    """Knows where the mines are, and plays so that all appearances come up.

    Args:
        desktop: where the game is.
        seed: equal seeds are equal persons.
        n_wrong: so many flags of a game are wrong ones, for a while.
    """

    def __init__(self, desktop, seed=0, n_wrong=1):
        self._desktop = desktop
        self._rng = random.Random(f"person {seed}")
        self._n_wrong = n_wrong
        self._n_moves = 0
        self.n_games = 1
        desktop.clock.after(2.0, self._move)

    def _move(self):
        desktop, game = self._desktop, self._desktop.game
        pause_s = MOVE_S * self._rng.uniform(0.7, 2.0)
        if game.is_over:
            desktop.clock.after(READ_S, self._begin)
            return
        self._n_moves += 1
        closed = desktop.closed_cells()
        if game.state is GameState.FRESH:
            self._click(self._rng.choice(closed))
        else:
            self._choose(closed)
        desktop.clock.after(pause_s, self._move)

    def _choose(self, closed):
        game = self._desktop.game
        mines = [cell for cell in closed if game.layout.has_mine[cell]]
        safe = [cell for cell in closed if not game.layout.has_mine[cell]]
        flags = [(int(row), int(col)) for row, col in np.argwhere(game.board.cells == FLAG)]
        wrong = [cell for cell in flags if not game.layout.has_mine[cell]]
        if wrong:
            self._click(wrong[0], Button.RIGHT)  # and off again
        elif self._n_moves % 4 == 0 and self._n_wrong and safe:
            self._n_wrong -= 1
            self._click(self._rng.choice(safe), Button.RIGHT)
        elif self._n_moves % 4 == 1 and len(flags) < 2:
            self._click(self._rng.choice(mines), Button.RIGHT)
        elif len(safe) > 1:
            self._click(self._rng.choice(safe))
        else:
            self._click(self._rng.choice(mines))

    def _click(self, cell, button=Button.LEFT):
        desktop = self._desktop
        desktop.pointer = desktop.grid.cell_region(cell).middle
        desktop._deliver(Target.BOARD, cell, button)

    def _begin(self):
        self.n_games += 1
        self._n_wrong = 1
        self._desktop.new_game_by_person()
        self._desktop.clock.after(1.0, self._move)
