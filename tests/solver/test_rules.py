"""The rules without a board: constraints in, conclusions out. `AB=1 ABC=2` is two sets of one and two mines."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from solver.board import CLOSED, Board
from solver.constraints import Constraint, Total
from solver.rules import reason
from solver.rules.facts import Bound, _cell_set, _iter_proof, cells_of, clues_of, given_facts
from solver.rules.levels import MAX_CELLS_LISTED, MAX_LISTED, list_sets
from solver.rules.reasoner import Reasoner

GOLDEN = Path(__file__).parents[1] / "golden"
SETS = json.loads((GOLDEN / "constraint_sets.json").read_text())["sets"]


def letters(cells):
    return "".join(chr(ord("A") + cell) for cell in cells)


def indices(names):
    return tuple(ord(name) - ord("A") for name in names)


def reasoner_of(text, level="bounds", total=None, **options):
    """The clue of the n-th set is -n: no cell."""
    constraints = [
        Constraint(indices(names), int(n), -place)
        for place, (names, n) in enumerate(re.findall(r"([A-Z]+)=(\d+)", text), start=1)
    ]
    if total is not None:
        names, n = total.split("=")
        total = Total(indices(names), int(n))
    reasoner = Reasoner(given_facts(constraints, total), **options)
    reasoner.run(level)
    return reasoner


def conclude(text, level="bounds", total=None):
    """What follows, as `AB* C.`: mines, then safe cells."""
    reasoner = reasoner_of(text, level, total)
    if reasoner.crossing is not None:
        return "impossible"
    proven = {
        is_mine: [c for c in reasoner.forced if reasoner.forced[c].is_lower is is_mine] for is_mine in (True, False)
    }
    found = [f"{letters(sorted(cells))}{mark}" for cells, mark in ((proven[True], "*"), (proven[False], ".")) if cells]
    return " ".join(found) or "nothing"


def rule_for(text, name, level="bounds"):
    return reasoner_of(text, level).forced[indices(name)[0]].last_rule


def sets_of(text):
    return {letters(derived.cells): (derived.lo, derived.hi) for derived in list_sets(reasoner_of(text))}


@pytest.mark.parametrize(
    ("text", "level", "expected", "rule"),
    [
        ("ABC=3", "basic", "ABC*", "all"),
        ("ABC=0", "basic", "ABC.", "none"),
        ("AB=2 BCD=1", "basic", "AB* CD.", "none"),
        ("AB=0 BCD=2", "basic", "CD* AB.", "all"),
        ("AB=1 ABC=1", "basic", "nothing", None),
        ("AB=1 ABC=1", "subset", "C.", "subset"),
        ("AB=1 ABC=2", "subset", "C*", "subset"),
        ("AB=1 ABCDE=2 DE=1", "subset", "C.", "subset"),
        ("ABC=1 BCD=2", "subset", "nothing", None),
        ("ABC=1 BCD=2", "bounds", "D* A.", "1-2"),
        ("ABEF=1 ABDGH=4", "bounds", "DGH* EF.", "1-2"),
        ("ABCD=3 CDEF=1", "bounds", "AB* EF.", "1-2"),
        ("ABCDE=2 DEF=2 ABC=1", "subset", "F*", "subset"),
        ("ABCD=2 CDE=1 ABF=1", "bounds", "EF.", "bounds"),
        ("ABCDE=2 DEF=2 BCG=2", "bounds", "FG* A.", "1-2"),
        ("ABCDE=2 DEF=2 BCG=2", "subset", "nothing", None),
        ("AB=1 BC=1 CD=1 DE=1 EBF=2", "bounds", "nothing", None),
        ("AB=1 AB=2", "basic", "impossible", None),
        ("AB=1 BC=1 AC=2 ABC=1", "subset", "impossible", None),
    ],
)
def test_rules_conclude(text, level, expected, rule):
    assert conclude(text, level) == expected
    if rule is not None:
        names = re.findall(r"[A-Z]", expected)
        assert rule in {rule_for(text, name, level) for name in names}


@pytest.mark.parametrize("example", SETS, ids=lambda example: example["name"])
def test_rules_agree_with_the_quoted_sets(example):
    text = " ".join(f"{''.join(cells)}={n}" for cells, _, n in example["groups"])
    reasoner = reasoner_of(text)
    expected = example.get("expected", {"safe": [], "mines": []})
    forced = {letters([cell]): proof.is_lower for cell, proof in reasoner.forced.items()}
    assert forced == dict.fromkeys(expected["mines"], True) | dict.fromkeys(expected["safe"], False)
    for cells, relation, n in example.get("derives", []):
        lo, hi = sets_of(text)["".join(cells)]
        assert (lo if relation == ">=" else hi) == n


def test_the_1_2_rule_is_named_in_its_general_form():
    assert {rule_for("ABEF=1 ABDGH=4", name) for name in "EFDGH"} == {"1-2"}


def test_rules_list_an_intersection_bounded_by_two_sets():
    assert sets_of("ABC=2 BCDE=1")["BC"] == (1, 1)


def test_rules_use_the_mine_count_as_one_more_set():
    assert conclude("AB=1 AC=1", total="ABCD=1") == "A* BCD."
    assert conclude("AB=1", "subset", total="ABCD=1") == "CD."
    assert conclude("AB=1", "basic", total="ABCD=1") == "nothing"
    assert conclude("A=1", "basic", total="ABCD=1") == "A* BCD."


def test_a_proof_names_the_clues_it_rests_on():
    proof = reasoner_of("AB=1 ABC=1 XY=1 CD=1").forced[indices("D")[0]]
    assert proof.is_lower
    assert clues_of(proof) == (-4, -2, -1)
    order = list(_iter_proof(proof))
    assert all(order.index(source) < order.index(bound) for bound in order for source in bound.sources)


def test_an_assumption_is_followed_to_a_contradiction():
    constraints = [
        Constraint(indices(names), 1, -place) for place, names in enumerate(("AB", "BC", "AC", "CD"), start=1)
    ]
    reasoner = Reasoner([*given_facts(constraints), Bound.assumed(0, is_mine=True)])
    reasoner.run("basic")
    assert reasoner.crossing is not None
    assert clues_of(*reasoner.crossing.bounds) == (-3, -2, -1)


def test_rules_stop_at_the_number_of_sets_allowed():
    text = "ABCD=2 CDEF=2 EFGH=2 BDFH=2 ACEG=2 ABEH=1"
    few, many = reasoner_of(text, max_sets=6), reasoner_of(text)
    assert len(list(few.sets())) < len(list(many.sets()))
    assert few.forced.keys() <= many.forced.keys()


def test_rules_come_to_an_end_where_sets_multiply(monkeypatch):
    text = " ".join(f"{letters(range(start, start + 7))}=3" for start in range(20))
    monkeypatch.setattr("solver.rules.reasoner.MAX_LOOKS", 50)
    assert reasoner_of(text).crossing is None


@pytest.mark.parametrize(
    "cells", [(), (0,), (63,), (64,), (0, 3, 70), (63, 64, 127, 128), tuple(range(0, 3**10, 7)), tuple(range(500))]
)
def test_cell_sets_and_cells_are_inverse(cells):
    assert cells_of(_cell_set(cells)) == cells


def test_sets_of_a_board_in_ten_dimensions_are_listed_within_bounds():
    """Its mine count alone implies 59,048 sets of 59,047 cells."""
    cells = np.full((3,) * 10, CLOSED, dtype=np.int16)
    cells[(0,) * 10] = 1
    listed = list_sets(reason(Board(cells, mines=5), "bounds"))
    assert [len(derived.cells) for derived in listed[:2]] == [2**10 - 1, 3**10 - 1]
    assert 2 < len(listed) <= MAX_LISTED
    assert sum(len(derived.cells) for derived in listed[2:]) <= MAX_CELLS_LISTED


def test_all_sets_of_a_fresh_expert_board_are_listed():
    board = Board(np.full((16, 30), CLOSED, dtype=np.int16), mines=99)
    assert len(list_sets(reason(board, "bounds"))) == 1 + 480
