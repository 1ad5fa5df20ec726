"""The compiled analysis from top to bottom: codes in, risks and proofs out.

`deduce_all` reads the position and applies the all/none rule; `count_all` finds supercells and clusters, orders and
counts them, joins them by the number of mines, and goes back through each for its risks. They are two for the sake of
the clock between them. Both take the table of a working space that `solver.kernel.engine` made. It belongs to one
thread, and carries what the first found to the second.
"""

from __future__ import annotations

import math

from numba import int16, int64, types

from solver.kernel.clusters import (
    BY_COUNT,
    BY_NUMBERS,
    IS_MINE,
    IS_SAFE,
    MAX_STARTS,
    deduce,
    drop_repetitions,
    find_clusters,
    find_supercells,
    link,
    order_cluster,
    read,
)
from solver.kernel.compiler import entry, inlined
from solver.kernel.counting import RADIX_BITS, backward, combine, forward, plan_slots, plan_tree, plus, risk, scale
from solver.kernel.naming import named
from solver.kernel.workspace import DONE, FAILED, FULL_SUMS, INEXACT, NO_MODEL, Workspace

_MOST_CELLS = 900  # cells of a cluster for plain floats: 2^900 models are still far from the largest one

name_parts = named(Workspace)


@inlined
def _find_parts(work):
    """Find supercells and clusters; return how many of each, FAILED twice where two constraints contradict."""
    summary, position, graph = work.summary, work.position, work.graph
    n_con = summary.n_constraints
    n_sc, summary.n_uncharted = find_supercells(n_con, position, work.supercells, graph)
    link(n_con, n_sc, graph)
    if drop_repetitions(n_con, n_sc, position.need, graph) == FAILED:
        return FAILED, FAILED
    search = work.search
    summary.n_clusters = find_clusters(n_con, graph, search.met, work.clusters)
    search.met[:n_con] = 0
    search.placed[:n_sc] = 0
    search.seen[: n_con + 1] = 0
    return n_sc, summary.n_clusters


@inlined
def _count_clusters(n_clusters, work):
    """Order every cluster and count it forward; return DONE, or what is in the way."""
    clusters, layers, supercells = work.clusters, work.layers, work.supercells
    stamp = 1
    n_ordered = 0
    clusters.order_start[0] = 0
    clusters.model_start[0] = 0
    layers.start[0] = 0
    layers.move_start[0] = 0
    layers.first[0] = 0
    for c in range(n_clusters):
        first = clusters.con[clusters.start[c]]
        n_steps = order_cluster(first, stamp, work.graph, work.search, clusters.order[n_ordered:])
        stamp += MAX_STARTS + 3
        n_cells = 0
        for i in range(n_ordered, n_ordered + n_steps):
            n_cells += supercells.size[clusters.order[i]]
        if n_cells > _MOST_CELLS and len(layers.ways) == 1:
            return INEXACT
        n_ordered += n_steps
        clusters.order_start[c + 1] = n_ordered
        packing = plan_slots(c, clusters, work.position, work.slots)
        status = forward(c, packing, work.summary.state_limit, clusters, supercells, work.graph, work.slots, layers)
        if status != DONE:
            return status
        final = layers.start[n_ordered + c]
        clusters.fewest[c] = layers.span[0, final]
        clusters.model_start[c + 1] = clusters.model_start[c] + layers.first[final + 1] - layers.first[final]
    return DONE


@inlined
def _gather(n_clusters, work):
    """Copy the polynomials of the clusters' models to the leaves of the tree, and scale them.

    Returns:
        DONE, or INEXACT where a value came too near zero; the mines left when every cluster has its fewest.
    """
    clusters, layers, values = work.clusters, work.layers, work.tree.values
    model_start = clusters.model_start
    n_rest = work.summary.n_rest
    work.summary.power = 0
    for c in range(n_clusters):
        first = layers.first[layers.start[clusters.order_start[c + 1] + c]]
        for row in range(len(values)):
            for i in range(model_start[c + 1] - model_start[c]):
                values[row, model_start[c] + i] = layers.ways[row, first + i]
        n_rest -= clusters.fewest[c]
        power, is_lost = scale(values, model_start[c], model_start[c + 1])
        if is_lost:
            return INEXACT, n_rest
        work.summary.power += power
    return DONE, n_rest


@inlined
def _weigh_all_alike(n_clusters, weights, work):
    """Where the mine count is not known: every number of mines of a cluster has the weight 1."""
    model_start, values, summary = work.clusters.model_start, work.tree.values, work.summary
    summary.n_uncharted_mines = 0
    summary.total = 1.0
    for c in range(n_clusters):
        total, total_power = 0.0, -math.inf
        for i in range(model_start[c], model_start[c + 1]):
            values[0, weights + i] = 1.0
            if len(values) == 2:
                values[1, weights + i] = 0.0
                total, total_power = plus(total, total_power, values[0, i], values[1, i])
            else:
                total += values[0, i]
        if len(values) == 2:
            summary.power += int(total_power) * RADIX_BITS
        fraction, power = math.frexp(total)
        summary.total *= fraction
        summary.power += power


@inlined
def _weigh_by_mines(n_clusters, weights, n_rest, work):
    """Weigh every cluster's numbers of mines by the ways of all the rest to have the others.

    Returns:
        DONE, or what is in the way; the risk of an uncharted cell, and what proves it.
    """
    summary = work.summary
    if n_rest < 0:
        return NO_MODEL, math.nan, 0
    joined = combine(n_clusters, work.tree, weights, summary.n_uncharted, n_rest)
    if joined.total < 0.0:
        return INEXACT, math.nan, 0
    if joined.total == 0.0:
        return NO_MODEL, math.nan, 0
    summary.power += joined.power
    summary.total = joined.total
    summary.n_uncharted_mines = joined.n_uncharted_mines
    if summary.n_uncharted == 0:
        return DONE, math.nan, 0
    proof = 0
    if joined.mined == 0.0:
        proof = -BY_COUNT
    elif joined.unmined == 0.0:
        proof = BY_COUNT
    return DONE, risk(joined.mined, joined.unmined), proof


@inlined
def _go_back(n_clusters, weights, work):
    """Go back through every cluster, with the weights of its numbers of mines, and note what is proven."""
    clusters, supercells, layers, tree, sums = work.clusters, work.supercells, work.layers, work.tree, work.sums
    for c in range(n_clusters):
        backward(c, tree, weights, clusters, supercells, layers, sums)
        is_cut = _forget_weights(c, weights, clusters, tree)
        is_any_forced = False
        for i in range(clusters.order_start[c], clusters.order_start[c + 1]):
            s = clusters.order[i]
            supercells.proof[s] = 0
            if sums.mined[s] == 0.0:
                supercells.proof[s] = -BY_NUMBERS
                is_any_forced = True
            elif sums.unmined[s] == 0.0:
                supercells.proof[s] = BY_NUMBERS
                is_any_forced = True
        if is_cut and is_any_forced:
            # The mine count excludes some models: what would the numbers have forced without it?
            backward(c, tree, weights, clusters, supercells, layers, work.free_sums)
            for i in range(clusters.order_start[c], clusters.order_start[c + 1]):
                s = clusters.order[i]
                if supercells.proof[s] != 0 and work.free_sums.mined[s] > 0.0 and work.free_sums.unmined[s] > 0.0:
                    supercells.proof[s] = -BY_COUNT if supercells.proof[s] < 0 else BY_COUNT


@inlined
def _forget_weights(c, weights, clusters, tree):
    """Give every number of mines of a cluster the weight 1; return whether one had the weight 0."""
    is_cut = False
    for i in range(clusters.model_start[c], clusters.model_start[c + 1]):
        if tree.values[0, i] > 0.0 and tree.values[0, weights + i] == 0.0:
            is_cut = True
        tree.values[0, weights + i] = 1.0
        if len(tree.values) == 2:
            tree.values[1, weights + i] = 0.0
    return is_cut


@inlined
def _write_risks(n_sc, p_uncharted, uncharted_proof, work):
    """Write the risk of every cell, and what counting proved."""
    value, sc_of, sc_proof = work.position.value, work.supercells.of, work.supercells.proof
    p_mine, proof, p_supercell = work.p_mine, work.proof, work.sums.mined
    for s in range(n_sc):
        p_supercell[s] = risk(p_supercell[s], work.sums.unmined[s])
    for cell in range(p_mine.size):
        if value[cell] == IS_MINE:
            p_mine[cell] = 1.0
        elif value[cell] == IS_SAFE:
            p_mine[cell] = math.nan if proof[cell] == 0 else 0.0
        elif sc_of[cell] >= 0:
            p_mine[cell] = p_supercell[sc_of[cell]]
            proof[cell] = sc_proof[sc_of[cell]]
        else:
            p_mine[cell] = p_uncharted
            proof[cell] = uncharted_proof


@entry(types.Array(int16, 1, "C", readonly=True), int64[::1])
def deduce_all(codes, table):
    """Read a position and apply the all/none rule.

    Args:
        codes: int16, the board row by row.
        table: the addresses of the working space; the summary has the mine count.

    Returns:
        DONE or NO_MODEL.
    """
    work = name_parts(table).work
    summary, position, n_mines = work.summary, work.position, work.summary.n_mines
    work.proof[:] = 0
    n_con, n_unknown, n_known = read(codes, position)
    if n_con == FAILED:
        return NO_MODEL
    n_found, n_safe = deduce(n_con, position, work.stack, work.proof)
    if n_found == FAILED:
        return NO_MODEL
    n_rest = n_mines - n_known - n_found
    if n_mines >= 0 and (n_rest < 0 or n_rest > n_unknown - n_found - n_safe):
        return NO_MODEL
    summary.n_constraints = n_con
    summary.n_rest = n_rest
    return DONE


@entry(int64[::1])
def count_all(table):
    """Count the models of what `deduce_all` left; find every risk, and the cells that counting proves.

    Args:
        table: the addresses of the working space; the summary has the most states of a cluster.

    Returns:
        One of `solver.kernel.workspace`. Only after DONE the risks and proofs mean anything. Never INEXACT when
        polynomials have two rows.
    """
    work = name_parts(table).work
    n_sc, n_clusters = _find_parts(work)
    if n_sc == FAILED:
        return NO_MODEL
    status = _count_clusters(n_clusters, work)
    if status != DONE:
        return status
    weights = plan_tree(n_clusters, work.clusters.model_start, work.tree)
    if 2 * weights > work.tree.values.shape[1]:
        return FULL_SUMS
    status, n_rest = _gather(n_clusters, work)
    if status != DONE:
        return status
    p_uncharted, uncharted_proof = math.nan, 0
    if work.summary.n_mines < 0:
        _weigh_all_alike(n_clusters, weights, work)
    else:
        status, p_uncharted, uncharted_proof = _weigh_by_mines(n_clusters, weights, n_rest, work)
        if status != DONE:
            return status
    _go_back(n_clusters, weights, work)
    _write_risks(n_sc, p_uncharted, uncharted_proof, work)
    return DONE
