import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from patience import PATIENCE_S

from solver import Board, InconsistentError, parse_board, sat
from solver.board import CLOSED
from solver.constraints import Constraint, Total, find_clusters, read_problem
from solver.layout import Layout


def read(text):
    constraints = read_problem(parse_board(text)).constraints
    groups = [supercell.cells for cluster in find_clusters(constraints) for supercell in cluster.supercells]
    return constraints, groups


def test_find_forced_finds_what_two_numbers_force_together():
    assert sat.find_forced(*read("01#\n02#\n01#")).forced == {2: True, 5: False, 8: True}


def test_find_forced_finds_nothing_in_a_coin_flip():
    assert sat.find_forced(*read("##\n11")) == sat._Backbone({}, frozenset(), has_model=True)


def test_find_forced_has_no_answer_without_a_model():
    assert sat.find_forced(*read("01#\n03#\n01#")).has_model is False


def test_find_forced_honours_the_total():
    constraints, groups = read("#1#1#????#")
    everything = [*groups, (9,)]
    assert sat.find_forced(constraints, groups).forced == {}
    total = Total((0, 2, 4, 9), 1)
    assert sat.find_forced(constraints, everything, total).forced == {0: False, 2: True, 4: False, 9: False}
    assert sat.find_forced(constraints, everything, Total((0, 2, 4, 9), 4)).has_model is False


def test_find_forced_claims_nothing_beyond_its_budget():
    # 40 coin flips and one mine too few: a pigeonhole proof, trivial by counting only.
    pairs = [Constraint((2 * i, 2 * i + 1), 1, i) for i in range(40)]
    total = Total(tuple(range(80)), 39)
    proof = sat.find_forced(pairs, [(i,) for i in range(80)], total, n_conflicts=20)
    assert proof.forced == {}
    assert proof.has_model is False or proof.undecided == frozenset(range(80))


def test_can_differ_refutes_a_false_claim_and_confirms_a_true_one():
    constraints, _ = read("#1#1#????#")
    total = Total((0, 2, 4, 9), 2)
    assert sat.can_differ(constraints, total, {0: True}) is True
    assert sat.can_differ(constraints, Total((0, 2, 4, 9), 1), {2: True, 9: False}) is False


def test_find_contradiction_names_a_minimal_set():
    constraints, _ = read("01#1#\n03#??\n01#??")
    core = sat.find_contradiction(constraints)
    assert set(core) <= set(constraints)
    assert not sat.find_contradiction([constraint for constraint in core if constraint != core[0]])
    assert all(sat.find_contradiction([c for c in core if c != left_out]) == () for left_out in core)


@pytest.mark.parametrize("seed", range(10))
def test_find_contradiction_leaves_out_what_it_can_do_without(seed):
    """One number of a true position is too high: a solver's own core names most times more than is needed."""
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random((8, 10)) < 0.2)
    is_open = (rng.random((8, 10)) < 0.6) & ~layout.has_mine
    cells = np.where(is_open, layout.numbers, CLOSED).astype(np.int16)
    row, col = rng.choice(np.argwhere(is_open & (cells > 0)))
    cells[row, col] += 1
    try:
        constraints = read_problem(Board(cells)).constraints
    except InconsistentError:
        return  # the number is wrong by itself
    core = sat.find_contradiction(constraints)
    assert all(sat.find_contradiction([c for c in core if c != left_out]) == () for left_out in core)


def test_find_contradiction_is_empty_for_a_consistent_position():
    assert sat.find_contradiction(read("01#\n02#\n01#")[0]) == ()


def test_iter_solutions_lists_each_once():
    constraints, _ = read("#1#1#")
    assert sorted(sat.iter_solutions(constraints)) == [(0, 4), (2,)]
    assert list(sat.iter_solutions(constraints, Total((0, 2, 4), 1))) == [(2,)]


def test_iter_solutions_is_lazy():
    total = Total(tuple(range(400)), 200)
    assert len(set(islice(sat.iter_solutions([], total), 5))) == 5


@pytest.mark.parametrize("n_mines", [-1, 4])
def test_iter_solutions_is_empty_for_an_impossible_total(n_mines):
    assert list(sat.iter_solutions([], Total((0, 1, 2), n_mines))) == []


HARD = """
import os, signal, threading
from solver.constraints import Constraint
from solver import sat
n = 14
rows = [Constraint(tuple(range(row * (n - 1), (row + 1) * (n - 1))), 1, 0) for row in range(n)]
cols = [Constraint(tuple(range(col, n * (n - 1), n - 1)), 1, 0) for col in range(n - 1)]
formula = sat._Formula([*rows, *cols])
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    print(formula.solve())
except KeyboardInterrupt:
    print("heard", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_is_heard_while_a_model_is_looked_for():
    """Fourteen mines of the rows cannot be thirteen of the columns: nobody proves that by clauses in a life."""
    done = subprocess.run([sys.executable, "-c", HARD], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.stdout, done.stderr) == ("heard True\n", "")
