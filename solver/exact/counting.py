"""Exact model counts of one cluster, in whole numbers, and the order in which its supercells are counted.

A dynamic programme over supercells. A state is how many mines each constraint still needs; all ways of reaching
the same state are one. Its value is a polynomial: how many ways there are for every number of mines placed so far.
Both are packed into one Python integer each: a state has a few bits a constraint (so that placing a mine is one
subtraction), a polynomial a few machine words a coefficient (so that placing k mines is one shift, merging one
addition, and joining a forward with a backward value one multiplication).

A pass forward and a pass back over the states give, beside the number of models, the number of mines in every
supercell over all models. Nothing is rounded. Time and memory grow with the number of states, that is with how
many constraints are open at once, not with the size of the cluster; a cluster above the budget is not counted.

The cost of counting is set by how many constraints are open at once (touched, but not complete), and that by the
order alone. Finding the best order is hard; this greedy one starts at a far end of the cluster and always
completes the constraint that opens the fewest new ones. Only where that leaves many open are more starts tried.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.constraints import Cluster


_MANY_OPEN = 8
"""Open constraints from which more starts are worth their time: below, a count takes about as long as another try."""
_MAX_STARTS = 12


def _order_supercells(cluster: Cluster) -> list[int]:
    """Choose a counting order.

    Returns:
        Positions in `cluster.supercells`, each once.
    """
    search = _ClusterSearch(cluster)
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


class _ClusterSearch:
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


STATE_LIMIT = 200_000
"""The most states one cluster may have: about 4 s and 500 MB. Measured: at most 258 over 500 expert positions; 131,000,
2.7 s and 300 MB for lattices of seven and eight rows of isolated numbers, the widest a 16x30 board has."""


class ClusterCount(NamedTuple):
    """The models of one cluster, by their number of mines.

    Attributes:
        fewest: the smallest number of mines a model has.
        models: `models[i]` models have `fewest + i` mines; empty when there is no model.
        mines_in: per supercell, `mines_in[s][i]` is the number of mines in supercell `s`, summed over those
            `models[i]` models.
        n_states: how many states the count took.
    """

    fewest: int
    models: tuple[int, ...]
    mines_in: tuple[tuple[int, ...], ...]
    n_states: int = 0


class _CellStep(NamedTuple):
    """Placing mines in one supercell."""

    place: int
    n_cells: int
    delta: int
    """What one mine subtracts from a state."""
    checks: tuple[tuple[int, int], ...]
    """Per constraint over it: its shift in a state, and the most mines that later supercells can hold for it."""


class _Layer(NamedTuple):
    """All states before one step."""

    spans: list[tuple[int, int, int]]
    """State, fewest and most mines its step can place."""
    mined: dict[int, int]
    """State after the step -> its ways, each counted once for every mine the step placed."""


def count_cluster(cluster: Cluster, state_limit: int = STATE_LIMIT) -> ClusterCount | None:
    """Count the models of a cluster.

    Args:
        cluster: constraints and supercells.
        state_limit: the most states to visit; about 2 kB and 20 microseconds each.

    Returns:
        The counts, or None when the cluster needs more states than that.
    """
    slot_bits = max(constraint.n_mines for constraint in cluster.constraints).bit_length()
    # A coefficient of any product below is at most (cells * models), so this width never overflows.
    width = cluster.n_cells + cluster.n_cells.bit_length()
    steps = _plan(cluster, slot_bits)
    start = sum(constraint.n_mines << (slot_bits * j) for j, constraint in enumerate(cluster.constraints))
    forward = _forward(steps, start, slot_bits, width, state_limit)
    if forward is None:
        return None
    layers, total, n_states = forward
    mined = _backward(steps, layers, width)
    fewest, models = _unpack(total, width)
    mines_in = tuple(_coefficients(mined[s], width, fewest, len(models)) for s in range(len(steps)))
    return ClusterCount(fewest, models, mines_in, n_states)


def _plan(cluster: Cluster, slot_bits: int) -> list[_CellStep]:
    room = [len(constraint.cells) for constraint in cluster.constraints]
    steps = []
    for place in _order_supercells(cluster):
        cells, over = cluster.supercells[place]
        for j in over:
            room[j] -= len(cells)
        checks = tuple([(slot_bits * j, room[j]) for j in over])
        steps.append(_CellStep(place, len(cells), sum([1 << shift for shift, _ in checks]), checks))
    return steps


def _forward(
    steps: list[_CellStep], start: int, slot_bits: int, width: int, state_limit: int
) -> tuple[list[_Layer], int, int] | None:
    """Reach every state; return the layers, the packed counts of the last state, all needs met, and all states."""
    states = {start: 1}
    layers = []
    n_states = 0
    for step in steps:
        n_states += len(states)
        if n_states > state_limit:
            return None
        layer, states = _place(step, states, slot_bits, width)
        layers.append(layer)
    return layers, states.get(0, 0), n_states


def _place(step: _CellStep, states: dict[int, int], slot_bits: int, width: int) -> tuple[_Layer, dict[int, int]]:
    mask = (1 << slot_bits) - 1
    _, n_cells, delta, checks = step
    ways = [comb(n_cells, k) for k in range(n_cells + 1)]
    spans = []
    after: dict[int, int] = {}
    mined: dict[int, int] = {}
    for state, value in states.items():
        low, high = 0, n_cells
        for shift, room in checks:
            needed = (state >> shift) & mask
            high = min(needed, high)
            low = max(needed - room, low)
        if low > high:
            continue
        spans.append((state, low, high))
        for k in range(low, high + 1):
            reached = state - k * delta
            placed = (value * ways[k]) << (k * width)
            after[reached] = after.get(reached, 0) + placed
            if k:
                mined[reached] = mined.get(reached, 0) + k * placed
    return _Layer(spans, mined), after


def _backward(steps: list[_CellStep], layers: list[_Layer], width: int) -> dict[int, int]:
    """Return, for every supercell, the packed number of mines in it over all models."""
    totals = {}
    to_end = {0: 1}
    for step, layer in zip(reversed(steps), reversed(layers), strict=True):
        totals[step.place] = sum([ways * to_end[state] for state, ways in layer.mined.items() if state in to_end])
        choices = [comb(step.n_cells, k) for k in range(step.n_cells + 1)]
        before = {}
        for state, low, high in layer.spans:
            value = 0
            for k in range(low, high + 1):
                onward = to_end.get(state - k * step.delta)
                if onward:
                    value += (onward * choices[k]) << (k * width)
            if value:
                before[state] = value
        to_end = before
    return totals


def _unpack(packed: int, width: int) -> tuple[int, tuple[int, ...]]:
    """The lowest power with a coefficient that is not zero, and the coefficients from there on."""
    if not packed:
        return 0, ()
    fewest = ((packed & -packed).bit_length() - 1) // width
    n_powers = -(-packed.bit_length() // width) - fewest
    return fewest, _coefficients(packed, width, fewest, n_powers)


def _coefficients(packed: int, width: int, first: int, n_powers: int) -> tuple[int, ...]:
    mask = (1 << width) - 1
    packed >>= width * first
    return tuple([(packed >> (width * i)) & mask for i in range(n_powers)])
