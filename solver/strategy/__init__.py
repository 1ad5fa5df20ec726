"""Which move to make: what is proven safe, else the best guess, by one of the policies.

A policy chooses one move of an analysed position. It may have a compiled twin that plays whole games by the same
choices: that never leaves compiled code, and is what simulations use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from solver import kernel
from solver.analysis import Analysis
from solver.board import Move
from solver.errors import BoardValueError
from solver.strategy import rollouts, strong
from solver.strategy.least_risk import RatedGuess, Ratings, Worth, rank_guesses
from solver.strategy.least_risk import choose as choose_by_risk
from solver.strategy.strong import best_move, choose, guess_among

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solver.kernel import Played
    from solver.topology import Topology

__all__ = [
    "FAST",
    "MAX",
    "POLICIES",
    "STRONG",
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

Choose = Callable[[Analysis], Move | None]
"""The move of a position: a cell proven safe if there is one; None when nothing is left to open."""


@dataclass(frozen=True)
class Policy:
    """A way to choose moves.

    Attributes:
        name: what a person calls it.
        choose: chooses a move. The same position gives the same move.
        play: plays a whole game by the same choices, by the loaded kernel (arguments as `solver.kernel.play`); None
            when there is no such twin.
        needs_kernel: whether it cannot choose without the compiled kernel.
        is_efficient: whether proven cells are opened in few clicks (`solver.efficiency`), and clicks are counted.
    """

    name: str
    choose: Choose
    play: Callable[[NDArray[np.int16], Topology, int, int], Played] | None = None
    needs_kernel: bool = True
    is_efficient: bool = False

    @property
    def efficient(self) -> Policy:
        """This policy with few clicks between its guesses."""
        return replace(self, name=self.name.removesuffix(_EFFICIENT) + _EFFICIENT, play=None, is_efficient=True)


_EFFICIENT = " efficient"  # what the name of a policy that saves clicks ends with
_THINK = "think "  # what the name of a policy begins with that has some seconds for each guess

FAST = Policy("fast", choose_by_risk, kernel.play, needs_kernel=False)
"""The least risk, with good ties: see `solver.strategy.least_risk`."""

STRONG = Policy("strong", strong.choose, strong.play)
"""Two plies ahead, and endings solved exactly: see `solver.strategy.strong`."""

MAX = Policy("max", rollouts.choose)  # games played on from each candidate: see `solver.strategy.rollouts`

POLICIES = {policy.name: policy for policy in (FAST, STRONG, MAX)}


def policy_named(name: str) -> Policy:
    """Return the policy of this name.

    "fast efficient" is `FAST.efficient`. "think 0.2" is `MAX` with 0.2 s for each guess, whose moves depend on the
    machine and its load.

    Raises:
        BoardValueError: there is none.
    """
    plain = name.removesuffix(_EFFICIENT)
    policy = _thinking(plain) if plain.startswith(_THINK) else POLICIES.get(plain)
    if policy is None:
        raise BoardValueError(f"expected a policy ({', '.join(POLICIES)}, or think SECONDS), got {name!r}")
    return policy if plain == name else policy.efficient


def _thinking(name: str) -> Policy | None:
    """The policy that thinks for some seconds about a guess; None where they are no positive number."""
    try:
        think_s = float(name.removeprefix(_THINK))
    except ValueError:
        return None
    choose_in_time = partial(rollouts.choose, playouts=rollouts.MOST_PLAYOUTS, seconds=think_s)
    return replace(MAX, name=name, choose=choose_in_time) if 0 < think_s < math.inf else None
