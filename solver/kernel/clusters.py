"""From codes to clusters, ready to be counted: constraints, supercells, clusters and their order.

A constraint has no list of cells: they are the unknown neighbours of its clue. So the neighbour table serves as the
list of a constraint's cells and, read from a cell, as the list of the constraints it is under.

The order of a cluster's supercells is that of `solver.exact.counting`: it decides how many constraints are open at
once.
"""

from __future__ import annotations

import numpy as np

from solver.board import CLOSED, EXPLODED, FLAG, KNOWN_MINE, MINE, UNREADABLE
from solver.kernel.compiler import inlined, stage
from solver.kernel.workspace import FAILED

UNKNOWN, IS_MINE, IS_SAFE = 0, 1, 2
"""What is known of a cell."""
BY_RULE, BY_NUMBERS, BY_COUNT = 1, 2, 3
"""What proved a cell: the all/none rule alone; the numbers together; the numbers and the mine count. A proof that the
cell is safe has the sign turned."""


@stage
def read(codes, position):
    """Fill `value` for every cell; make a constraint of every number with an unknown cell beside it.

    Returns:
        The number of constraints, or FAILED; the unknown cells; the mines that are a fact.
    """
    near_start, near = position.near
    value, con_of, need, left = position.value, position.con_of, position.need, position.left
    n_unknown = 0
    n_known = 0
    for cell in range(codes.size):
        code = codes[cell]
        con_of[cell] = -1
        if code >= 0:
            value[cell] = IS_SAFE
        elif code in (CLOSED, FLAG, UNREADABLE):
            value[cell] = UNKNOWN
            n_unknown += 1
        elif code in (KNOWN_MINE, MINE, EXPLODED):
            value[cell] = IS_MINE
            n_known += 1
        else:
            value[cell] = IS_SAFE
    n_con = 0
    for cell in range(codes.size):
        if codes[cell] < 0:
            continue
        n_left = 0
        n_mines = 0
        for edge in range(near_start[cell], near_start[cell + 1]):
            known = value[near[edge]]
            n_left += known == UNKNOWN  # added, not branched on: no processor foresees the order
            n_mines += known == IS_MINE
        needed = codes[cell] - n_mines
        if needed < 0 or needed > n_left:
            return FAILED, n_unknown, n_known
        if n_left:
            con_of[cell] = n_con
            position.clue[n_con] = cell
            need[n_con] = needed
            left[n_con] = n_left
            n_con += 1
    return n_con, n_unknown, n_known


@stage
def deduce(n_con, position, stack, proof):
    """Apply the all/none rule until nothing changes, by a work stack.

    What is left of a constraint afterwards: no cell at all, or 0 < need < left.

    Returns:
        The mines found and the safe cells found; FAILED twice when a constraint cannot be met.
    """
    near_start, near = position.near
    value, clue, need, left = position.value, position.clue, position.need, position.left
    n_mines = 0
    n_safe = 0
    top = 0
    for j in range(n_con - 1, -1, -1):
        if need[j] == 0 or need[j] == left[j]:
            stack[top] = j
            top += 1
    while top:
        top -= 1
        j = stack[top]
        if left[j] == 0:
            continue
        is_mine = 1 if need[j] > 0 else 0
        for edge in range(near_start[clue[j]], near_start[clue[j] + 1]):
            cell = near[edge]
            if value[cell] != UNKNOWN:
                continue
            value[cell] = IS_MINE if is_mine else IS_SAFE
            proof[cell] = BY_RULE if is_mine else -BY_RULE
            n_mines += is_mine
            n_safe += 1 - is_mine
            top = _tell_numbers(cell, is_mine, position, stack, top)
            if top == FAILED:
                return FAILED, FAILED
    return n_mines, n_safe


@inlined
def _tell_numbers(cell, is_mine, position, stack, top):
    """Take a cell from what is left of its constraints; put those that now follow on the stack, and return its top."""
    near_start, near = position.near
    con_of, need, left = position.con_of, position.need, position.left
    for back in range(near_start[cell], near_start[cell + 1]):
        other = con_of[near[back]]
        if other < 0:
            continue
        left[other] -= 1
        need[other] -= is_mine
        if need[other] < 0 or need[other] > left[other]:
            return FAILED
        if left[other] and (need[other] == 0 or need[other] == left[other]):
            stack[top] = other
            top += 1
    return top


@stage
def _mark_charted(n_con, position, is_charted):
    """Say which unknown cells are under a constraint: on most boards few are, so the others cost no search."""
    near_start, near = position.near
    clue = position.clue
    is_charted[: near_start.size - 1] = 0
    for j in range(n_con):
        if position.left[j]:
            for edge in range(near_start[clue[j]], near_start[clue[j] + 1]):
                if position.value[near[edge]] == UNKNOWN:
                    is_charted[near[edge]] = 1


@stage
def find_supercells(n_con, position, supercells, graph):
    """Put unknown cells under the same constraints together; list the constraints over each.

    The key of a cell is the exclusive or of random numbers, one a constraint; equal keys are compared in full.

    Returns:
        The number of supercells, and of uncharted cells (`of` is -1).
    """
    near_start, near = position.near
    value, con_of = position.value, position.con_of
    is_charted, sc_of, con_key = supercells.is_charted, supercells.of, supercells.con_key
    _mark_charted(n_con, position, is_charted)
    mask = _clear_table(near_start.size - 1, supercells.table)
    n_sc = 0
    n_uncharted = 0
    end = 0
    for cell in range(near_start.size - 1):
        sc_of[cell] = -1
        if value[cell] != UNKNOWN:
            continue
        if not is_charted[cell]:
            n_uncharted += 1
            continue
        first = end  # the cell's own constraints are listed here, and kept if it turns out to be a new supercell
        key = 0
        for edge in range(near_start[cell], near_start[cell + 1]):
            j = con_of[near[edge]]
            if j >= 0:
                key ^= con_key[j]
                graph.sc_con[end] = j
                end += 1
        s = _look_up(key, mask, n_sc, first, end, supercells, graph)
        sc_of[cell] = s
        if s == n_sc:
            n_sc += 1
        else:
            supercells.size[s] += 1
            end = first
    return n_sc, n_uncharted


@inlined
def _clear_table(n_cells, table):
    """Make the table of supercells empty; return the mask of its places."""
    mask = 1
    while mask < 2 * n_cells:
        mask *= 2
    table[:mask] = -1
    return mask - 1


@inlined
def _look_up(key, mask, n_sc, first, end, supercells, graph):
    """The supercell under the constraints listed from `first` to `end`: one of the `n_sc` so far, or a new one."""
    sc_start, sc_con, table = graph.sc_start, graph.sc_con, supercells.table
    place = key & mask
    while True:
        s = np.int64(table[place])
        if s < 0:
            table[place] = n_sc
            supercells.size[n_sc] = 1
            supercells.key[n_sc] = key
            sc_start[n_sc] = first
            sc_start[n_sc + 1] = end
            return n_sc
        if supercells.key[s] == key and _is_same(sc_con, sc_start[s], sc_start[s + 1], first, end):
            return s
        place = (place + 1) & mask


@stage
def _is_same(values, start, end, other_start, other_end):
    """Whether two stretches of an array are equal."""
    if end - start != other_end - other_start:
        return False
    for i in range(end - start):
        if values[start + i] != values[other_start + i]:
            return False
    return True


@stage
def link(n_con, n_sc, graph):
    """List the supercells of every constraint, in order: the inverse of `sc_con`."""
    sc_start, sc_con, con_start, con_sc, _ = graph
    for j in range(n_con + 1):
        con_start[j] = 0
    for place in range(sc_start[n_sc]):
        con_start[sc_con[place] + 1] += 1
    for j in range(n_con):
        con_start[j + 1] += con_start[j]
    for s in range(n_sc):  # every start moves to its own end ...
        for place in range(sc_start[s], sc_start[s + 1]):
            j = sc_con[place]
            con_sc[con_start[j]] = s
            con_start[j] += 1
    for j in range(n_con, 0, -1):  # ... which is the next one's start
        con_start[j] = con_start[j - 1]
    con_start[0] = 0


@stage
def drop_repetitions(n_con, n_sc, need, graph):
    """Keep one of several constraints over the same cells.

    Returns:
        0, or FAILED when two of them need different numbers of mines.
    """
    sc_start, sc_con, con_start, con_sc, is_dropped = graph
    n_dropped = 0
    for j in range(n_con):
        is_dropped[j] = 1 if con_start[j] == con_start[j + 1] else 0
    for j in range(n_con):
        if is_dropped[j]:
            continue
        s = con_sc[con_start[j]]
        for place in range(sc_start[s], sc_start[s + 1]):
            other = sc_con[place]
            if other <= j or is_dropped[other]:
                continue
            if _is_same(con_sc, con_start[j], con_start[j + 1], con_start[other], con_start[other + 1]):
                if need[other] != need[j]:
                    return FAILED
                is_dropped[other] = 1
                n_dropped += 1
    if n_dropped:
        _unlink_dropped(n_sc, graph)
    return 0


@stage
def _unlink_dropped(n_sc, graph):
    """Take the dropped constraints out of the lists of the supercells."""
    sc_start, sc_con = graph.sc_start, graph.sc_con
    end = 0
    start = 0
    for s in range(n_sc):
        kept_from = end
        for place in range(start, sc_start[s + 1]):
            if not graph.is_dropped[sc_con[place]]:
                sc_con[end] = sc_con[place]
                end += 1
        start = sc_start[s + 1]
        sc_start[s] = kept_from
    sc_start[n_sc] = end
    # sc_start[s + 1] was read as the old end above, before the next round wrote it: the starts are right now.


@stage
def find_clusters(n_con, graph, is_met, clusters):
    """Tie constraints that share a supercell together; list them cluster by cluster.

    Returns:
        The number of clusters.
    """
    sc_start, sc_con, con_start, con_sc, is_dropped = graph
    listed = clusters.con
    n_clusters = 0
    end = 0
    for j in range(n_con):
        is_met[j] = is_dropped[j]
    for first in range(n_con):
        if is_met[first]:
            continue
        is_met[first] = 1
        clusters.start[n_clusters] = end
        n_clusters += 1
        listed[end] = first
        place = end
        end += 1
        while place < end:
            j = listed[place]
            place += 1
            for at in range(con_start[j], con_start[j + 1]):
                s = con_sc[at]
                for back in range(sc_start[s], sc_start[s + 1]):
                    other = sc_con[back]
                    if not is_met[other]:
                        is_met[other] = 1
                        listed[end] = other
                        end += 1
    clusters.start[n_clusters] = end
    return n_clusters


_MANY_OPEN = 8
MAX_STARTS = 12  # starts that are tried where many constraints are open at once


@stage
def order_cluster(first, stamp, graph, search, order):
    """Choose the order for the cluster of the constraint `first`.

    Args:
        first: a constraint.
        stamp: as for `_order_from`; this uses up to MAX_STARTS + 3 of them.
        graph: the supercells and constraints.
        search: working space.
        order: the order is written here.

    Returns:
        The number of supercells.
    """
    n_con = _reach(first, stamp, graph, search)
    far_end = search.queue[n_con - 1]
    n_sc, best_cost, most_open = _order_from(far_end, stamp + 1, graph, search, order)
    if most_open <= _MANY_OPEN:
        return n_sc
    _reach(far_end, stamp + 2, graph, search)
    step = max(1, n_con // MAX_STARTS)
    start = n_con - 1
    tried = 0
    while start >= 0 and tried < MAX_STARTS:
        _, cost, _ = _order_from(search.queue[start], stamp + 3 + tried, graph, search, search.spare)
        if cost < best_cost:
            best_cost = cost
            for i in range(n_sc):
                order[i] = search.spare[i]
        tried += 1
        start -= step
    return n_sc


@stage
def _reach(start, stamp, graph, search):
    """List all constraints of a cluster by their distance from `start`, nearest first."""
    sc_start, sc_con, con_start, con_sc, _ = graph
    met, queue = search.met, search.queue
    met[start] = stamp
    queue[0] = start
    end = 1
    place = 0
    while place < end:
        j = queue[place]
        place += 1
        for at in range(con_start[j], con_start[j + 1]):
            s = con_sc[at]
            for back in range(sc_start[s], sc_start[s + 1]):
                other = sc_con[back]
                if met[other] != stamp:
                    met[other] = stamp
                    queue[end] = other
                    end += 1
    return end


@stage
def _order_from(start, stamp, graph, search, order):
    """Complete constraints from `start` on, always the one that opens the fewest new ones.

    Args:
        start: a constraint.
        stamp: a number not used before on `met` and `placed`; so is no other than itself + 1 after this on `seen`.
        graph: the supercells and constraints.
        search: working space.
        order: the order is written here.

    Returns:
        The supercells ordered; the cost, the sum of 2^open over the steps; the most constraints open at once.
    """
    con_start, open_now = graph.con_start, search.open_now
    n_placed = 0
    n_open = 1
    open_now[0] = start
    search.met[start] = stamp
    search.unplaced[start] = con_start[start + 1] - con_start[start]
    cost = 0.0
    most_open = 0
    while n_open:
        j = open_now[0]
        if n_open > 1:
            j = _cheapest(n_open, stamp, graph, search)
        for i in range(_list_unplaced(j, stamp, graph, search)):
            s = search.fresh[0, i]
            order[n_placed] = s
            n_placed += 1
            n_open = _place(s, n_open, stamp, graph, search)
            cost += 2.0**n_open
            most_open = max(most_open, n_open)
    return n_placed, cost, most_open


@stage
def _cheapest(n_open, stamp, graph, search):
    """The open constraint whose completion opens the fewest new ones; of those the one with the least left."""
    sc_start, sc_con, con_start, con_sc, _ = graph
    met, placed, open_now, seen = search.met, search.placed, search.open_now, search.seen
    best = -1
    best_new = 1 << 30
    best_left = 0
    for i in range(n_open):
        j = open_now[i]
        seen[0] += 1
        n_new = 0
        n_left = 0
        for at in range(con_start[j], con_start[j + 1]):
            s = con_sc[at]
            if placed[s] == stamp:
                continue
            n_left += 1
            for back in range(sc_start[s], sc_start[s + 1]):
                other = sc_con[back]
                if met[other] != stamp and seen[other + 1] != seen[0]:
                    seen[other + 1] = seen[0]
                    n_new += 1
        if n_new < best_new or (n_new == best_new and n_left < best_left):
            best = j
            best_new = n_new
            best_left = n_left
    return best


@inlined
def _list_unplaced(j, stamp, graph, search):
    """List the supercells of `j` in `fresh`, those that open fewest new constraints first; return how many."""
    sc_start, sc_con, con_start, con_sc, _ = graph
    met, placed, fresh = search.met, search.placed, search.fresh
    n_left = 0
    for at in range(con_start[j], con_start[j + 1]):
        s = con_sc[at]
        if placed[s] == stamp:
            continue
        n_new = 0
        for back in range(sc_start[s], sc_start[s + 1]):
            if met[sc_con[back]] != stamp:
                n_new += 1
        i = n_left
        while i > 0 and fresh[1, i - 1] > n_new:
            fresh[0, i] = fresh[0, i - 1]
            fresh[1, i] = fresh[1, i - 1]
            i -= 1
        fresh[0, i] = s
        fresh[1, i] = n_new
        n_left += 1
    return n_left


@inlined
def _place(s, n_open, stamp, graph, search):
    """Place a supercell: open its new constraints, and close those that it completes; return how many are open."""
    sc_start, sc_con, con_start = graph.sc_start, graph.sc_con, graph.con_start
    met, unplaced, open_now = search.met, search.unplaced, search.open_now
    search.placed[s] = stamp
    for back in range(sc_start[s], sc_start[s + 1]):
        other = sc_con[back]
        if met[other] != stamp:
            met[other] = stamp
            unplaced[other] = con_start[other + 1] - con_start[other]
            open_now[n_open] = other
            n_open += 1
        unplaced[other] -= 1
        if unplaced[other] == 0:
            at = 0
            while open_now[at] != other:
                at += 1
            n_open -= 1
            while at < n_open:
                open_now[at] = open_now[at + 1]
                at += 1
    return n_open
