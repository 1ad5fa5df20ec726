"""Which move to make: what is proven safe, else the best guess."""

from solver.strategy.least_risk import Guess, best_move, choose, rank_guesses

__all__ = ["Guess", "best_move", "choose", "rank_guesses"]
