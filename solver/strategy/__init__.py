"""Which move to make: what is proven safe, else the best guess."""

from solver.strategy.least_risk import Guess, best_move, choose, rank_guesses
from solver.strategy.policy import FAST, POLICIES, Policy, policy_named

__all__ = ["FAST", "POLICIES", "Guess", "Policy", "best_move", "choose", "policy_named", "rank_guesses"]
