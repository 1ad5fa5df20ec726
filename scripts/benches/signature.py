"""Whether play is the same as it was: a hash of every move that a policy makes on 200 Expert boards.

Moves are those that are chosen one by one, as the bot's are. They depend neither on the time they take nor on how many
processors there are. A policy that takes seconds for a guess has no line.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from solver import kernel
from solver.simulation import PRESETS, SeededDeals, play_game, usual_first_cell
from solver.strategy import FAST, STRONG

if TYPE_CHECKING:
    import argparse

    from solver.simulation import Opened
    from solver.strategy import Policy

_N_BOARDS = 200
_LENGTH = 12  # digits of a signature


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare no options: a signature is one of the same boards for everybody."""


def run(_args: argparse.Namespace) -> int:
    """Print the signature of each policy."""
    if not kernel.load():
        print("the kernel is not compiled: python -m solver.kernel")
        return 1
    shape, mines, wrap = PRESETS["expert"]
    deals = SeededDeals(shape, mines, wrap, "safe", usual_first_cell(shape, "safe", wrap=wrap), 1, _N_BOARDS)
    print("signature: " + ", ".join(f"{policy.name} {signature_of(policy, deals)}" for policy in (FAST, STRONG)))
    return 0


def signature_of(policy: Policy, deals: SeededDeals) -> str:
    """Hash the moves of a policy: on each board the cells in their order, and what each was opened for."""
    digest = hashlib.sha256()

    def note(move: Opened) -> None:
        digest.update(f"{move.cell} {move.method}\n".encode())

    for place in range(len(deals)):
        deal = deals[place]
        play_game(deal.layout, deal.first_cell, policy, watch=note)
    return digest.hexdigest()[:_LENGTH]
