"""Where the boards of the built-in game come from: drawn at random, made to take no guess, or given in a file."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from bot.clone.sizes import BoardSize
from bot.errors import UsageError
from solver.errors import BoardValueError, GenerationError
from solver.game import Game
from solver.generation import Order, generate

if TYPE_CHECKING:
    from solver.simulation import Deal
    from solver.topology import Cell

_PATIENCE_S = 5.0
"""Processor time for one board without a guess: Expert takes 3 ms, and somebody is waiting."""
_SEED_BITS = 60


class Dealt(NamedTuple):
    """A fresh game, and the cell to begin at where the board has one."""

    game: Game
    start: Cell | None


def game_seed(seed: int | None, number: int) -> str | None:
    """The seed of game `number` (from 1) of a sitting: None stays None, a new layout every time."""
    return None if seed is None else f"{seed}/{number}"


def deal_any(size: BoardSize, seed: str | None) -> Dealt:
    """A random board, decided on the first click, which is safe."""
    return Dealt(Game(size.shape, size.mines, seed=seed), None)


def deal_guess_free(size: BoardSize, seed: str | None, start: Cell | None = None) -> Dealt:
    """A board that takes no guess from its own hint on, or from `start`.

    Raises:
        UsageError: no such board was found.
    """
    number = random.Random(seed).getrandbits(_SEED_BITS)
    try:
        made = generate(Order(size.shape, size.mines, start=start, is_guess_free=True), number, patience_s=_PATIENCE_S)
    except (BoardValueError, GenerationError) as error:
        where = "" if start is None else f" that begins at ({','.join(map(str, start))})"
        raise UsageError(f"no board of {size.label} without a guess was found{where}") from error
    return Dealt(Game.on(made.layout), made.hint)


def deal_given(deal: Deal) -> Dealt:
    """A given board: nothing is promised but what its hint says."""
    return Dealt(Game.on(deal.layout), deal.first_cell)


def size_of(deal: Deal) -> BoardSize:
    """How large a given board is."""
    return BoardSize(deal.layout.shape, deal.layout.n_mines)
