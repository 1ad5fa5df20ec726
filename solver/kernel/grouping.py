"""Supercells and clusters: which cells are interchangeable, and which constraints belong together."""

from __future__ import annotations

from solver.kernel.compiler import stage
from solver.kernel.reading import UNKNOWN
from solver.kernel.status import FAILED


@stage
def mark_charted(n_con, near_start, near, value, clue, left, is_charted):
    """Say which unknown cells are under a constraint: on most boards few are, so the others cost no search."""
    is_charted[: near_start.size - 1] = 0
    for j in range(n_con):
        if left[j]:
            for edge in range(near_start[clue[j]], near_start[clue[j] + 1]):
                if value[near[edge]] == UNKNOWN:
                    is_charted[near[edge]] = 1


@stage
def find_supercells(
    near_start, near, value, is_charted, con_of, con_key, sc_of, sc_size, sc_key, sc_start, sc_con, table
):
    """Put unknown cells under the same constraints together.

    The key of a cell is the exclusive or of random numbers, one a constraint; equal keys are compared in full.

    Returns:
        The number of supercells, and of uncharted cells (`sc_of` -1).
    """
    n_cells = near_start.size - 1
    mask = 1
    while mask < 2 * n_cells:
        mask *= 2
    table[:mask] = -1
    mask -= 1
    n_sc = 0
    n_uncharted = 0
    end = 0
    for cell in range(n_cells):
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
                sc_con[end] = j
                end += 1
        place = key & mask
        while True:
            s = table[place]
            if s < 0:
                table[place] = n_sc
                sc_of[cell] = n_sc
                sc_size[n_sc] = 1
                sc_key[n_sc] = key
                sc_start[n_sc] = first
                n_sc += 1
                sc_start[n_sc] = end
                break
            if sc_key[s] == key and same(sc_con, sc_start[s], sc_start[s + 1], first, end):
                sc_of[cell] = s
                sc_size[s] += 1
                end = first
                break
            place = (place + 1) & mask
    return n_sc, n_uncharted


@stage
def same(values, start, end, other_start, other_end):
    """Whether two stretches of an array are equal."""
    if end - start != other_end - other_start:
        return False
    for i in range(end - start):
        if values[start + i] != values[other_start + i]:
            return False
    return True


@stage
def link(n_con, n_sc, sc_start, sc_con, con_start, con_sc):
    """List the supercells of every constraint, in order: the inverse of `sc_con`."""
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
def drop_repetitions(n_con, n_sc, need, is_dropped, sc_start, sc_con, con_start, con_sc):
    """Keep one of several constraints over the same cells.

    Returns:
        0, or FAILED when two of them need different numbers of mines.
    """
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
            if same(con_sc, con_start[j], con_start[j + 1], con_start[other], con_start[other + 1]):
                if need[other] != need[j]:
                    return FAILED
                is_dropped[other] = 1
                n_dropped += 1
    if n_dropped:
        end = 0
        start = 0
        for s in range(n_sc):
            kept_from = end
            for place in range(start, sc_start[s + 1]):
                if not is_dropped[sc_con[place]]:
                    sc_con[end] = sc_con[place]
                    end += 1
            start = sc_start[s + 1]
            sc_start[s] = kept_from
        sc_start[n_sc] = end
        # sc_start[s + 1] was read as the old end above, before the next round wrote it: the starts are right now.
    return 0


@stage
def find_clusters(n_con, is_dropped, sc_start, sc_con, con_start, con_sc, is_met, cl_con, cl_start):
    """Tie constraints that share a supercell together; list them cluster by cluster.

    Returns:
        The number of clusters.
    """
    n_cl = 0
    end = 0
    for j in range(n_con):
        is_met[j] = is_dropped[j]
    for first in range(n_con):
        if is_met[first]:
            continue
        is_met[first] = 1
        cl_start[n_cl] = end
        n_cl += 1
        cl_con[end] = first
        place = end
        end += 1
        while place < end:
            j = cl_con[place]
            place += 1
            for at in range(con_start[j], con_start[j + 1]):
                s = con_sc[at]
                for back in range(sc_start[s], sc_start[s + 1]):
                    other = sc_con[back]
                    if not is_met[other]:
                        is_met[other] = 1
                        cl_con[end] = other
                        end += 1
    cl_start[n_cl] = end
    return n_cl
