"""The named human rules: what they prove, level by level, and the sets they derive on the way."""

from solver.rules.facts import Bound, DerivedSet, Rule, Step, clues_of
from solver.rules.levels import LEVELS, Deduction, Level, deduce, list_sets, reason

__all__ = [
    "LEVELS",
    "Bound",
    "Deduction",
    "DerivedSet",
    "Level",
    "Rule",
    "Step",
    "clues_of",
    "deduce",
    "list_sets",
    "reason",
]
