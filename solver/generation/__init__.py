"""Boards to order: with or without guesses, of a level of difficulty, each from a seed."""

from solver.generation.generating import MOST_TRIES, Generated, Moved, Order, generate
from solver.generation.position import find_hint, is_solved_by, level_of

__all__ = ["MOST_TRIES", "Generated", "Moved", "Order", "find_hint", "generate", "is_solved_by", "level_of"]
