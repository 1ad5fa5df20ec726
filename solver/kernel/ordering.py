"""The order in which a cluster's supercells are counted: `solver.ordering`, compiled."""

from __future__ import annotations

from solver.kernel.compiler import stage

MANY_OPEN = 8
MAX_STARTS = 12


@stage
def reach(start, stamp, sc_start, sc_con, con_start, con_sc, met, queue):
    """List all constraints of a cluster by their distance from `start`, nearest first."""
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
def greedy(start, stamp, sc_start, sc_con, con_start, con_sc, met, placed, unplaced, open_now, seen, fresh, order):
    """Complete constraints from `start` on, always the one that opens the fewest new ones.

    Args:
        stamp: a number not used before on `met` and `placed`; so is no other than itself + 1 after this on `seen`.

    Returns:
        The supercells ordered; the cost, the sum of 2^open over the steps; the most constraints open at once.
    """
    n_placed = 0
    n_open = 1
    open_now[0] = start
    met[start] = stamp
    unplaced[start] = con_start[start + 1] - con_start[start]
    cost = 0.0
    most_open = 0
    while n_open:
        j = open_now[0]
        if n_open > 1:
            j = cheapest(n_open, stamp, sc_start, sc_con, con_start, con_sc, met, placed, open_now, seen)
        # the supercells of j, those that open fewest new constraints first
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
        for i in range(n_left):
            s = fresh[0, i]
            order[n_placed] = s
            n_placed += 1
            placed[s] = stamp
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
            cost += 2.0**n_open
            most_open = max(most_open, n_open)
    return n_placed, cost, most_open


@stage
def cheapest(n_open, stamp, sc_start, sc_con, con_start, con_sc, met, placed, open_now, seen):
    """The open constraint whose completion opens the fewest new ones; of those the one with the least left."""
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


@stage
def order_cluster(
    first, stamp, sc_start, sc_con, con_start, con_sc, met, placed, unplaced, open_now, seen, fresh, queue, order, spare
):
    """Choose the order for the cluster of the constraint `first`.

    Args:
        stamp: as for `greedy`; this uses up to MAX_STARTS + 3 of them.
        order: the order is written here.
        spare: as long as `order`.

    Returns:
        The number of supercells; the most constraints open at once.
    """
    n_con = reach(first, stamp, sc_start, sc_con, con_start, con_sc, met, queue)
    far_end = queue[n_con - 1]
    n_sc, best_cost, most_open = greedy(
        far_end, stamp + 1, sc_start, sc_con, con_start, con_sc, met, placed, unplaced, open_now, seen, fresh, order
    )
    if most_open <= MANY_OPEN:
        return n_sc, most_open
    reach(far_end, stamp + 2, sc_start, sc_con, con_start, con_sc, met, queue)
    step = max(1, n_con // MAX_STARTS)
    start = n_con - 1
    tried = 0
    while start >= 0 and tried < MAX_STARTS:
        _, cost, other_open = greedy(
            queue[start],
            stamp + 3 + tried,
            sc_start,
            sc_con,
            con_start,
            con_sc,
            met,
            placed,
            unplaced,
            open_now,
            seen,
            fresh,
            spare,
        )
        if cost < best_cost:
            best_cost = cost
            most_open = other_open
            for i in range(n_sc):
                order[i] = spare[i]
        tried += 1
        start -= step
    return n_sc, most_open
