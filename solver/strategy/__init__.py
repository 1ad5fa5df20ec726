"""Which move to make: what is proven safe, else the best guess."""

from solver.strategy.least_risk import Guess, RatedGuess, Ratings, Worth, rank_guesses
from solver.strategy.policy import FAST, MAX, POLICIES, STRONG, Policy, policy_named
from solver.strategy.strong import best_move, choose, guess_among

__all__ = [
    "FAST",
    "MAX",
    "POLICIES",
    "STRONG",
    "Guess",
    "Policy",
    "RatedGuess",
    "Ratings",
    "Worth",
    "best_move",
    "choose",
    "guess_among",
    "policy_named",
    "rank_guesses",
]
