"""The compiled kernel against its twin in whole numbers, and how it is kept, shared and done without."""

import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from amounts import count
from benches.solver import GOLDEN, read_positions
from chunks import in_chunks
from patience import PATIENCE_S

from solver import Board, InconsistentError, Topology, analyse, confirm, kernel, parse_board
from solver import analysis as analysis_module
from solver.board import CLOSED
from solver.exact import STATE_LIMIT, analyse_exactly
from solver.game import Game
from solver.kernel import INEXACT, NO_MODEL, NO_SLOT, TOO_WIDE, compiler, engine
from solver.kernel.workspace import FULL_SUMS
from solver.layout import Layout

ROOT = Path(__file__).parents[2]
EXPERT = read_positions(GOLDEN / "positions-expert-500.txt")
WORST = read_positions(GOLDEN / "positions-worst.txt")
TOLERANCE = 1e-13
N_MORE = count("MINEBOT_KERNEL_POSITIONS", gate=400, full=20_000)
"""Positions of all kinds, beyond the 500 that every run tries."""


def check_against_twin(board, twins_limit=20_000):
    """Compare everything the kernel says; return the status when it leaves the position to the twin."""
    found = kernel.analyse(board)
    try:
        exact = analyse_exactly(board, twins_limit)
    except InconsistentError:
        assert found in (NO_MODEL, NO_SLOT)
        return found
    if isinstance(found, int):
        assert found in (NO_SLOT, TOO_WIDE) or exact is None
        return found
    if exact is None:
        return None
    n_cells = board.cells.size
    expected = exact.p_mine(n_cells)
    np.testing.assert_array_equal(found.proof, exact.proof(n_cells))
    np.testing.assert_allclose(found.p_mine, expected, rtol=TOLERANCE)
    np.testing.assert_array_equal(found.p_mine == 0, expected == 0)
    np.testing.assert_array_equal(found.p_mine == 1, expected == 1)
    return None


@pytest.mark.parametrize("has_count", [True, False])
def test_kernel_agrees_with_its_twin_on_expert_positions(has_count):
    for cells, mines in EXPERT[::5]:
        assert check_against_twin(Board(cells, mines if has_count else None)) is None


@pytest.mark.slow
def test_kernel_agrees_with_its_twin_and_with_proof_on_all_expert_positions():
    for cells, mines in EXPERT:
        for known in (mines, None):
            check_against_twin(Board(cells, known))
            confirm(analyse(Board(cells, known)))


def positions_of(seeds, random_position):
    """Small positions of all kinds, some of them contradictory."""
    shapes = [((6, 7), False), ((9, 9), False), ((3, 6), True), ((5, 5), True), ((4, 4, 4), False), ((1, 15), False)]
    shapes += [((2, 2, 5), True), ((3, 3, 3, 3), False)]
    for seed in seeds:
        rng = random.Random(seed)
        shape, wrap = rng.choice(shapes)
        size = int(np.prod(shape))
        n_mines = rng.randint(0, size // 2)
        cells, layout = random_position(seed, shape, n_mines, n_unknown=rng.randint(n_mines, size), wrap=wrap)
        numbers = np.argwhere((cells >= 0) & (cells < 3 ** len(shape) - 1))
        if rng.random() < 0.1 and len(numbers):
            cells[tuple(numbers[0])] += 1
        mines = rng.choice([None, len(layout), len(layout), min(len(layout) + 1, size)])
        yield Board(cells, mines, wrap)


def test_kernel_agrees_with_its_twin_on_positions_of_all_kinds(random_position):
    statuses = [check_against_twin(board) for board in positions_of(range(500), random_position)]
    assert statuses.count(None) > 300
    assert NO_MODEL in statuses


@pytest.mark.slow
@pytest.mark.timeout(900 + N_MORE // 20)
def test_kernel_agrees_with_its_twin_on_thousands_of_positions(random_position):
    for board in positions_of(range(500, 500 + N_MORE), random_position):
        check_against_twin(board)


@pytest.mark.parametrize("number", range(len(WORST)))
def test_kernel_counts_the_worst_lattices(number):
    cells, mines = WORST[number]
    analysis = analyse(cells, mines)
    closed = analysis.board.cells == -1
    assert not np.isnan(analysis.p_mine[closed]).any()
    assert analysis.p_mine[closed].sum() == pytest.approx(mines, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(WORST)))
def test_kernel_agrees_with_its_twin_on_the_worst_lattices(number):
    assert check_against_twin(Board(*WORST[number]), STATE_LIMIT) is None


def large_board(side, density, open_share, seed):
    rng = random.Random(seed)
    n_mines = int(side * side * density)
    mines = rng.sample(range(side * side), n_mines)
    layout = Layout.of_cells((side, side), [divmod(mine, side) for mine in mines])
    is_open = np.array([rng.random() < open_share for _ in range(side * side)]).reshape(side, side)
    return Board(np.where(is_open & ~layout.has_mine, layout.numbers, -1).astype(np.int16), n_mines), layout


def test_kernel_agrees_with_its_twin_on_a_large_board():
    board, _ = large_board(40, 0.2, 0.6, 1)
    assert check_against_twin(board) is None


def test_kernel_leaves_too_many_neighbours_to_its_twin():
    board = Board(np.full((3,) * 6, -1), 100, wrap=True)
    assert kernel.analyse(board) == INEXACT
    assert analyse(board).p_mine.ravel()[0] == pytest.approx(100 / 3**6)


def test_kernel_enlarges_its_working_space(monkeypatch):
    cells, mines = WORST[5]
    expected = analyse(cells, mines).p_mine
    monkeypatch.setattr(engine, "_local", engine.threading.local())
    np.testing.assert_array_equal(analyse(cells, mines).p_mine, expected)


@in_chunks("n_terms", range(4, 64), 6)
def test_kernel_writes_nothing_behind_its_working_space(n_terms, monkeypatch):
    board = parse_board("#1##1##2###2##1#")
    space = engine.Space(board.topology)
    ways = np.zeros(n_terms + 1)
    work = space.parts.work
    layers = work.layers._replace(ways=ways[:-1].reshape(1, -1))
    space.place(space.parts._replace(work=work._replace(layers=layers)))
    monkeypatch.setattr(engine, "_local", SimpleNamespace(spaces={board.topology: space}))
    assert not isinstance(kernel.analyse(board), int)
    assert ways[-1] == 0


def test_working_space_that_grows_keeps_what_does_not():
    space = engine.Space(Topology((3, 4)))
    before = space.parts.work
    assert space.grow(FULL_SUMS)
    after = space.parts.work
    assert after.tree.values.shape[1] > before.tree.values.shape[1]
    assert after.layers.ways is before.layers.ways
    assert after.p_mine is before.p_mine


def test_guesses_are_rated_where_the_working_space_is_not_kept(monkeypatch):
    board = parse_board("1###")
    expected = kernel.rate_guesses(board.cells.ravel(), board.topology, 2)
    monkeypatch.setattr(engine, "_KEPT_VALUES", 0)
    rated = kernel.rate_guesses(board.cells.ravel(), board.topology, 2)
    assert rated.cells == expected.cells
    np.testing.assert_array_equal(rated.risks, expected.risks)


def test_kernel_stops_at_its_state_limit():
    board = Board(*WORST[5])
    assert engine.analyse(board, state_limit=1000) == TOO_WIDE


def test_analyse_says_the_same_in_several_threads():
    boards = [Board(*position) for position in EXPERT[:60]] * 3
    boards += [parse_board("; mines: 4\n1###\n####\n####")] * 20
    expected = [analyse(board).p_mine for board in boards]
    with ThreadPoolExecutor(4) as pool:
        for analysis, p_mine in zip(pool.map(analyse, boards), expected, strict=True):
            np.testing.assert_array_equal(analysis.p_mine, p_mine)


@pytest.mark.parametrize(
    ("shape", "wrap"), [((1,), True), ((2, 2), True), ((1, 5), True), ((3, 4), False), ((2, 3, 3), True)]
)
def test_neighbour_table_is_what_touches(shape, wrap, beside):
    topology = Topology(shape, wrap=wrap)
    start, near = topology.neighbour_table
    for i in range(topology.n_cells):
        cell = topology.cell(i)
        others = [j for j in range(topology.n_cells) if beside(cell, topology.cell(j), shape, wrap=wrap)]
        assert near[start[i] : start[i + 1]].tolist() == others


# ---------------------------------------------------------------- kept, shared and done without


def test_stamp_changes_with_the_sources(tmp_path, monkeypatch):
    before = compiler.stamp()
    package = tmp_path / "solver" / "kernel"
    package.mkdir(parents=True)
    for path in compiler.HERE.glob("*.py"):
        (package / path.name).write_bytes(path.read_bytes())
    (package.parent / "board.py").write_bytes((compiler.HERE.parent / "board.py").read_bytes())
    monkeypatch.setattr(compiler, "HERE", package)
    assert compiler.stamp() == before, "another checkout of the same sources has the same kernel"
    with (package / "counting.py").open("a") as source:
        source.write("\n# changed\n")
    changed = compiler.stamp()
    assert changed != before
    os.utime(package / "counting.py", (1, 1))
    assert compiler.stamp() == changed, "a fresh checkout has other times, and the same sources"
    monkeypatch.setattr(compiler, "_KEEPS_BY_CONTENT", False)
    assert compiler.stamp() != changed, "numba would compile again"


def test_compiled_kernel_is_kept_by_what_its_sources_say():
    from solver.kernel import pipeline, sampling

    for function in (pipeline.deduce_all, sampling.mcmc_walk):
        assert type(function._cache._impl.locator) is compiler.ByContent
        assert Path(function._cache.cache_path).is_relative_to(compiler.cache_folder())


def test_cache_lies_where_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert compiler.cache_folder().parent == tmp_path
    assert not compiler.is_ready()


def test_finished_cache_removes_the_oldest_of_many(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "_MOST_KEPT", 3)
    for n in range(4):
        (tmp_path / f"{compiler._PREFIX}{n}").mkdir()
        os.utime(tmp_path / f"{compiler._PREFIX}{n}", (n, n))
    (tmp_path / "something else").mkdir()
    compiler.cache_folder().mkdir()
    compiler.mark_ready()
    assert compiler.is_ready()
    kept = [compiler.cache_folder().name, f"{compiler._PREFIX}2", f"{compiler._PREFIX}3", "something else"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_kernel_that_was_compiled_elsewhere_is_loaded(tmp_path):
    package = tmp_path / "solver"
    shutil.copytree(ROOT / "solver", package, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from solver.kernel import engine, pipeline\n"
        "print(engine.__file__, engine.load(), sum(pipeline.deduce_all.stats.cache_hits.values()))"
    )
    process = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    assert process.stdout.split() == [str(package / "kernel" / "engine.py"), "True", "1"], process.stderr


ANALYSE_OFTEN = """
import sys
from solver import analyse, kernel, parse_board
board = parse_board("; mines: 40\\n" + ("#" * 30 + "\\n") * 9 + "1#" + "#" * 28)
for _ in range(400):
    analysis = analyse(board)
print(kernel.is_loaded(), kernel.load(), analysis.n_models > 0, "numba" in sys.modules)
"""


def run(code, **variables):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )


def test_analyse_loads_the_kernel_when_that_pays():
    process = run(ANALYSE_OFTEN)
    assert process.stdout.split() == ["True", "True", "True", "True"]
    assert process.stderr == ""


def test_analyse_leaves_numba_alone_for_a_single_position():
    code = ANALYSE_OFTEN.replace("range(400)", "range(1)").replace("kernel.load()", "0")
    assert run(code).stdout.split() == ["False", "0", "True", "False"]


def test_analyse_works_without_numba_and_says_so_once():
    process = run("import sys; sys.modules['numba'] = None\n" + ANALYSE_OFTEN.replace(', "numba" in', ", 1 or"))
    assert process.stdout.split()[:3] == ["True", "False", "True"]
    assert process.stderr.count("without its compiled kernel") == 1


def test_analyse_works_uncompiled_and_names_the_command(tmp_path):
    process = run(ANALYSE_OFTEN, NUMBA_CACHE_DIR=str(tmp_path))
    assert process.stdout.split()[:3] == ["True", "False", "True"]
    assert process.stderr.count("-m solver.kernel") == 1
    assert list(tmp_path.iterdir()) == []


def test_compiling_where_nothing_can_be_written_says_so(tmp_path):
    (tmp_path / "file").touch()
    process = subprocess.run(
        [sys.executable, "-m", "solver.kernel"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert process.returncode == 1
    assert "not compiled" in process.stderr


def test_analyse_reports_a_kernel_that_finds_no_model_where_there_is_one(monkeypatch):
    monkeypatch.setattr(analysis_module.kernel, "analyse", lambda board: NO_MODEL)
    with pytest.raises(analysis_module.DisagreementError, match="its exact twin 2"):
        analyse(parse_board("##\n11"))


@pytest.mark.parametrize("is_counting", [False, True])
def test_kernel_opens_what_is_proven_and_stops(is_counting):
    for seed in range(20):
        layout = Layout.random((16, 30), 80, random.Random(seed), first_cell=(0, 0))
        game = Game.on(layout)
        game.open((0, 0))
        truth = np.where(layout.has_mine, np.int16(-1), layout.numbers).ravel()
        codes = np.full(480, CLOSED, dtype=np.int16)
        assert kernel.prove(truth, codes, layout.topology, 80, 0, is_counting=is_counting)
        while not game.is_over:
            proofs = analyse_exactly(game.board).proofs
            safe = [
                layout.topology.cell(cell)
                for method in (("trivial", "sat", "count") if is_counting else ("trivial",))
                for cell, is_mine in proofs[method].items()
                if not is_mine
            ]
            if not safe:
                break
            for cell in safe:
                game.open(cell)
        shown = game.board.cells.ravel()
        np.testing.assert_array_equal(codes, np.where(shown >= 0, shown, CLOSED))


@pytest.mark.parametrize(("mined", "unmined"), [(5e-324, 1e308), (1e-300, 1e300), (1e300, 1e-300), (1e308, 5e-324)])
def test_a_risk_is_0_or_1_only_where_it_is_proven(mined, unmined):
    from solver.kernel.counting import risk

    assert 0.0 < risk(mined, unmined) < 1.0
    assert risk(0.0, unmined) == 0.0
    assert risk(mined, 0.0) == 1.0
