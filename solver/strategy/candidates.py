"""The guesses that the policy `max` compares: the best of `strong`, and a few that it does not look at.

Of cells that can change places, as the two of a 50/50, one stands for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.strategy.linked import rate_linked

if TYPE_CHECKING:
    from solver.analysis import Analysis
    from solver.strategy.rating import RatedGuess, Ratings

MOST_CANDIDATES = 8
MOST_LINKED = 4
"""Of those that `strong` does not look at (`solver.strategy.linked`)."""


def find_candidates(analysis: Analysis, ratings: Ratings, linked_s: float) -> list[list[RatedGuess]]:
    """The cells to compare, each with its twins: the best of `strong`, and of those that it does not look at.

    Finding the latter takes no more than so many seconds; at 0 there are none.
    """
    rated = [guess for guess in ratings.guesses if guess.survival is not None]
    known = {guess.cell for guess in rated}
    more = rate_linked(analysis, known, linked_s) if linked_s else []
    twins = group_twins(analysis, [*rated, *more])
    usual = [group for group in twins if group[0].cell in known]
    linked = [group for group in twins if group[0].cell not in known]
    return usual[:MOST_CANDIDATES] + linked[:MOST_LINKED]


def group_twins(analysis: Analysis, guesses: list[RatedGuess]) -> list[list[RatedGuess]]:
    """Put the cells together that can change places without changing what is known: they are worth the same.

    Such are the two cells of a 50/50, and all that have the same open numbers and the same unknown cells beside them.
    """
    topology, cells = analysis.board.topology, analysis.board.cells.ravel()
    is_told = (cells >= 0) | ~analysis.is_forced.ravel()  # numbers and unknown cells; proven mines tell nothing
    groups: list[tuple[int, frozenset[int], list[RatedGuess]]] = []
    for guess in guesses:
        index = topology.index(guess.cell)
        near = frozenset(other for other in topology.neighbour_indices[index] if is_told[other])
        for other, near_other, group in groups:
            if near - {other} == near_other - {index}:
                group.append(guess)
                break
        else:
            groups.append((index, near, [guess]))
    return [group for _, _, group in groups]
