"""Whether two games went the same: all but the time, and risks but for their rounding."""

import math
from dataclasses import replace

from solver import play_game
from solver.strategy import FAST

BY_CHOICES_ALONE = replace(FAST, play=None)
"""The base policy without its compiled twin."""


def same_games(one, other):
    """Whether two games went the same."""
    return (
        (one.is_won, one.moves, one.n_guesses) == (other.is_won, other.moves, other.n_guesses)
        and all(a.was_mine == b.was_mine for a, b in zip(one.guesses, other.guesses, strict=True))
        and all(
            math.isclose(a.p_mine, b.p_mine, rel_tol=1e-10) for a, b in zip(one.guesses, other.guesses, strict=True)
        )
    )


def plays_as_its_choices(layout, first_cell):
    """Whether the base policy's compiled twin plays this game as the policy chooses."""
    return same_games(play_game(layout, first_cell), play_game(layout, first_cell, BY_CHOICES_ALONE))
