"""The order in which a cluster's supercells are counted.

The cost of counting is set by how many constraints are open at once (touched, but not complete), and that by the
order alone. Finding the best order is hard; this greedy one starts at a far end of the cluster and always
completes the constraint that opens the fewest new ones. Only where that leaves many open are more starts tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.constraints import Cluster

_MANY_OPEN = 8
"""From here on more starts are worth their time: below, a count takes about as long as another try."""
_MAX_STARTS = 12


def order_supercells(cluster: Cluster) -> list[int]:
    """Choose a counting order.

    Returns:
        Positions in `cluster.supercells`, each once.
    """
    search = _Search(cluster)
    far_end = search.reach(0)[-1]
    order, best_cost, most_open = search.greedy(far_end)
    if most_open <= _MANY_OPEN:
        return order
    from_far_end = search.reach(far_end)
    step = max(1, len(from_far_end) // _MAX_STARTS)
    for start in from_far_end[::-step][:_MAX_STARTS]:
        other, cost, _ = search.greedy(start)
        if cost < best_cost:
            order, best_cost = other, cost
    return order


class _Search:
    """The links between one cluster's constraints and supercells, both ways."""

    def __init__(self, cluster: Cluster) -> None:
        self.constraints_of = [supercell.constraints for supercell in cluster.supercells]
        self.supercells_of: list[list[int]] = [[] for _ in cluster.constraints]
        for s, over in enumerate(self.constraints_of):
            for j in over:
                self.supercells_of[j].append(s)

    def reach(self, start: int) -> list[int]:
        """All constraints by their distance from `start`, nearest first."""
        met = {start: None}
        queue = [start]
        for j in queue:
            for s in self.supercells_of[j]:
                for other in self.constraints_of[s]:
                    if other not in met:
                        met[other] = None
                        queue.append(other)
        return queue

    def greedy(self, start: int) -> tuple[list[int], int, int]:
        """Complete constraints from `start` on, always the one that opens the fewest new ones.

        Returns:
            The order; its cost, the sum of 2^open over its steps; the most that are open at once.
        """
        order: list[int] = []
        placed: set[int] = set()
        unplaced = [len(supercells) for supercells in self.supercells_of]
        met = {start: None}
        open_now = {start: None}  # a dict, not a set: keeps the age, on which ties are decided
        cost = most_open = 0
        while open_now:
            j = self._cheapest(open_now, met, placed)
            for s in self._delay_new([s for s in self.supercells_of[j] if s not in placed], met):
                order.append(s)
                placed.add(s)
                for other in self.constraints_of[s]:
                    met[other] = open_now[other] = None
                    unplaced[other] -= 1
                    if not unplaced[other]:
                        del open_now[other]
                cost += 1 << len(open_now)
                most_open = max(most_open, len(open_now))
        return order, cost, most_open

    def _cheapest(self, open_now: dict[int, None], met: dict[int, None], placed: set[int]) -> int:
        if len(open_now) == 1:
            return next(iter(open_now))
        best, best_key = -1, (1 << 30, 0)
        for j in open_now:
            left = [s for s in self.supercells_of[j] if s not in placed]
            new = {other for s in left for other in self.constraints_of[s] if other not in met}
            key = (len(new), len(left))
            if key < best_key:
                best, best_key = j, key
        return best

    def _delay_new(self, supercells: Sequence[int], met: dict[int, None]) -> list[int]:
        """Those that open fewest new constraints first."""
        return sorted(supercells, key=lambda s: sum([j not in met for j in self.constraints_of[s]]))
