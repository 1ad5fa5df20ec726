"""The exact twin of the kernel: whole numbers, and as slow as they are.

`counting` counts the models of one cluster, `combining` joins clusters by the number of mines, and `twin` is the whole
way from a board to fractions.
"""

from solver.exact.combining import Rest, count_clusters
from solver.exact.counting import STATE_LIMIT
from solver.exact.twin import METHODS, Exact, Method, analyse_exactly, deduce_trivially

__all__ = [
    "METHODS",
    "STATE_LIMIT",
    "Exact",
    "Method",
    "Rest",
    "analyse_exactly",
    "count_clusters",
    "deduce_trivially",
]
