"""Which move to make: what is proven safe, else the best guess."""

from solver.strategy.least_risk import best_move, choose

__all__ = ["best_move", "choose"]
