"""Full maps: the verdicts of 18 golden ones, with and without the mine count."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from solver.formats import parse_as, view_of
from solver.fullmap import Verdict, _find_start, solve_map

GOLDEN = Path(__file__).parents[1] / "golden"
MAPS = {golden["id"]: golden for golden in json.loads((GOLDEN / "mine_solver_maps.json").read_text())["maps"]}
QB_TESTS = json.loads((GOLDEN / "quasarbright_tests.json").read_text())["tests"]


def layout_of(rows):
    return parse_as("\n".join(rows), "ps").layout


def cell_of(xy):
    return (xy[1], xy[0])


@pytest.mark.parametrize("golden", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("is_told", [True, False])
def test_solve_map_gives_the_golden_verdict(golden, is_told):
    layout = layout_of(golden["rows"])
    result = solve_map(layout, cell_of(golden["start"]), mines=layout.n_mines if is_told else None)
    expected = golden["expected"]["with_total_count" if is_told else "without_total_count"]
    if is_told and golden["seed_verdict"] == "unreachable part":
        assert (result.verdict, expected) == (Verdict.UNREACHABLE_PART, "stuck")
    else:
        assert result.verdict.value == expected
    assert (result.best is None) is (result.verdict is Verdict.SOLVED)
    opened = result.board.cells >= 0
    assert (result.board.cells[opened] == layout.numbers[opened]).all()
    assert not (opened & layout.has_mine).any()
    assert not ((result.board.cells == -7) & ~layout.has_mine).any()
    assert (result.verdict is Verdict.SOLVED) is bool((opened | layout.has_mine).all())


@pytest.mark.parametrize("name", [name for name, golden in MAPS.items() if "stuck_best" in golden])
def test_solve_map_is_stuck_in_the_golden_position_with_its_best_guess(name):
    golden = MAPS[name]
    layout = layout_of(golden["rows"])
    result = solve_map(layout, cell_of(golden["start"]), mines=layout.n_mines)
    stuck = view_of(parse_as("\n".join(golden["stuck_position_with_total"]), "rows"))
    np.testing.assert_array_equal(result.board.cells, stuck.cells)
    assert result.best.p_mine_exact == Fraction(golden["stuck_best"]["min_probability"])
    assert result.best.cell in set(map(cell_of, golden["stuck_best"]["cells"]))


def test_solve_map_evil1_guesses_at_99_of_688():
    layout = layout_of(MAPS["ps-evil1"]["rows"])
    result = solve_map(layout, (7, 4), mines=30)
    assert (result.verdict, result.best.p_mine_exact) == (Verdict.STUCK, Fraction(99, 688))


def test_solve_map_says_unreachable_part_only_when_the_count_is_known():
    layout = layout_of(MAPS["ps-sep3"]["rows"])
    result = solve_map(layout, (0, 0), mines=6)
    assert (result.verdict, result.best.p_mine_exact) == (Verdict.UNREACHABLE_PART, Fraction(1, 10))
    without = solve_map(layout, (0, 0))
    assert (without.verdict, without.best.p_mine_exact) == (Verdict.STUCK, None)


def test_solve_map_steps_on_a_mine_at_the_start():
    layout = layout_of(MAPS["ps-c1"]["rows"])
    result = solve_map(layout, (0, 2), mines=2)
    assert result.verdict is Verdict.STEPPED_ON_MINE
    assert result.board[0, 2] == -5


def test_solve_map_is_inconsistent_with_another_mine_count():
    assert solve_map(layout_of(MAPS["ps-c1"]["rows"]), (0, 0), mines=3).verdict is Verdict.INCONSISTENT


@pytest.mark.parametrize("golden", QB_TESTS, ids=lambda golden: golden["id"])
def test_solve_map_goes_on_from_what_is_open(golden):
    full_map = parse_as("\n".join(golden["rows"]), "qb")
    is_open = [tuple(cell) for cell in np.argwhere(full_map.view.cells >= 0)]
    for key, mines in (("with_total", full_map.layout.n_mines), ("without_total", None)):
        result = solve_map(full_map.layout, mines=mines, is_open=is_open)
        assert result.verdict.value == golden["expected"][key]


@pytest.mark.parametrize(
    ("rows", "start"), [(["xoo", "ooo"], (0, 2)), (["xo", "oo"], (0, 1)), (["xx"], None), (["oo"], (0, 0))]
)
def test_find_start_prefers_a_zero(rows, start):
    layout = layout_of(rows)
    assert _find_start(layout) == start
    result = solve_map(layout, mines=layout.n_mines)
    assert result.verdict is (Verdict.STUCK if start not in (None, (0, 0)) else Verdict.SOLVED)
    assert result.start == start


def test_solve_map_refuses_an_open_mine():
    with pytest.raises(ValueError, match=r"the mine \(0,0\)"):
        solve_map(layout_of(["xo"]), is_open=[(0, 0)])
