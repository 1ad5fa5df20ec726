"""Many games: the same wherever they are played, files that go on, and figures that are true."""

import importlib
import itertools
import json
import logging
import math
import os
import random
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import deadly_deals
import pytest
import waiting_workers
from amounts import count
from patience import PATIENCE_S
from same_games import same_games

from solver.errors import BackendError, BoardValueError, RunFileError
from solver.layout import Layout
from solver.simulation import (
    METHODS,
    Dask,
    Loky,
    PlayedGame,
    RunFile,
    SeededDeals,
    Summary,
    iter_games,
)
from solver.simulation.playing import _Guessed, _MoveCounts
from solver.simulation.running import _play_chunk, _without_its_log

ROOT = Path(__file__).parents[2]
DEALS = SeededDeals((9, 9), 12, wrap=False, rule="safe", first_cell=(0, 0), seed=1, n=400)


def game_of(*, is_won=True, guesses=(), trivial=3):
    return PlayedGame(is_won, tuple(guesses), _MoveCounts(1, trivial, 0, 0, len(guesses)), 0.001)


def all_same(games, others):
    return len(games) == len(others) and all(map(same_games, games, others))


@pytest.fixture(scope="module")
def games():
    """The games of DEALS."""
    return list(iter_games(DEALS, "fast"))


@pytest.fixture
def small_chunks(monkeypatch):
    """Workers are asked at once, and for a few games a message."""
    monkeypatch.setattr("solver.simulation.running._PILOT_S", 1e-9)
    monkeypatch.setattr("solver.simulation.running._MOST_A_CHUNK", 37)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has a test of its own there")
def test_processes_end_with_the_one_they_play_for():
    command = [sys.executable, waiting_workers.__file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}) as one:
        try:
            workers = json.loads(one.stdout.readline())
        finally:
            one.kill()
        assert len(workers) == 2
        assert one.stdout.read() == b"", "ends when nobody is left who could write"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_play_the_same_games(games, small_chunks, jobs):
    assert all_same(list(iter_games(DEALS, "fast", Loky(jobs))), games)


@pytest.mark.slow
def test_processes_play_for_a_user_with_any_name(games, small_chunks, monkeypatch, tmp_path):
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path / "J\xf6rg \xdcbung"))  # Windows' own has a user's name in it
    assert all_same(list(iter_games(DEALS, "fast", Loky(2))), games)


@pytest.mark.slow
def test_games_that_are_given_up_early_leave_no_worker_behind(small_chunks):
    playing = iter_games(DEALS, "fast", Loky(2))
    assert [next(playing) for _ in range(3)]
    playing.close()


@pytest.fixture
def cluster(tmp_path):
    """A cluster of a test's own, as `started_cluster`: the test ends some of its processes."""
    with started_cluster(tmp_path) as told:
        yield told


@pytest.fixture(scope="module")
def lasting_cluster(tmp_path_factory):
    """A cluster for tests that leave it as it was, as `started_cluster`."""
    with started_cluster(tmp_path_factory.mktemp("cluster")) as told:
        yield told


@contextmanager
def started_cluster(folder):
    """A Dask scheduler with two workers, all of them processes, for the block; yields the file of its address."""
    pytest.importorskip("distributed")
    told = folder / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    common = {"cwd": folder, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = ["dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1"]
    worker = ["dask_worker", "--no-dashboard", "--no-nanny", "--nthreads", "1"]
    ran = [
        [sys.executable, "-m", f"distributed.cli.{program}", *options, "--scheduler-file", str(told)]
        for program, *options in (scheduler, worker, worker)
    ]
    processes = [subprocess.Popen(command, **common) for command in ran]
    try:
        yield told
    finally:
        for process in reversed(processes):  # the workers before the scheduler, which they take leave of
            process.terminate()
            try:
                process.wait(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=PATIENCE_S)


@pytest.mark.slow
def test_dask_cluster_plays_the_same_games(games, small_chunks, lasting_cluster):
    from distributed import Client

    with Client(scheduler_file=str(lasting_cluster), timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE_S)
        address = client.scheduler.address
        played = list(iter_games(DEALS, "fast", Dask(address)))
    assert all_same(played, games)


def test_worker_without_a_kernel_plays_no_other_policy_than_it_was_asked_for(monkeypatch):
    monkeypatch.setattr("solver.kernel.load", lambda: False)
    assert len(_play_chunk(DEALS.part(0, 2), "fast")) == 2
    with pytest.raises(BackendError, match=r"solver\.kernel"):
        _play_chunk(DEALS.part(0, 2), "strong")


@pytest.mark.slow
def test_worker_that_dies_in_the_middle_loses_no_game_and_counts_none_twice(small_chunks, cluster):
    """The dead one had chunks to play and chunks played that nobody had fetched yet: the other plays them all."""
    psutil = importlib.import_module("psutil")  # distributed needs it
    from distributed import Client

    deals = SeededDeals((16, 30), 99, wrap=False, rule="safe", first_cell=(0, 0), seed=1, n=600)
    with Client(scheduler_file=str(cluster), timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE_S)
        pids = client.run(os.getpid)
        playing = iter_games(deals, "fast", Dask(client.scheduler.address))
        played = [next(playing) for _ in range(50)]
        has = {address: (client.processing()[address], client.has_what()[address]) for address in pids}
        dying = max(has, key=lambda address: sum(map(len, has[address])))
        psutil.Process(pids[dying]).kill()
        played += playing
        assert any(has[dying]), "it died with work on its hands"
        assert list(client.scheduler_info()["workers"]) == [address for address in pids if address != dying]
    assert all_same(played, list(iter_games(deals, "fast")))


@pytest.mark.slow
def test_workers_that_die_of_the_games_are_told_of_in_words(cluster):
    from distributed import Client

    folder = str(Path(deadly_deals.__file__).parent)
    with Client(scheduler_file=str(cluster), timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE_S)
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        client.run(lambda: sys.path.append(folder))
        client.run_on_scheduler(lambda: sys.path.append(folder))
        with pytest.raises(BackendError, match=r"died one after the other over the same games, the last at tcp://"):
            list(Dask(client.scheduler.address).map_chunks([deadly_deals.Deadly()], "fast"))
        assert len(client.scheduler_info()["workers"]) == 1


@pytest.mark.slow
def test_cluster_that_lacks_a_module_is_told_of_in_words(lasting_cluster):
    from distributed import Client

    with Client(scheduler_file=str(lasting_cluster), timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=PATIENCE_S)
        with pytest.raises(BackendError, match=r"minebot is not installed where .* \(No module named 'deadly_deals'\)"):
            list(Dask(client.scheduler.address).map_chunks([deadly_deals.Deadly()], "fast"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("victims", "said"), [("workers", "has no workers"), ("scheduler", r"was lost in the middle: start it again")]
)
def test_cluster_that_goes_away_in_the_middle_is_told_of_in_words(small_chunks, cluster, victims, said, capfd):
    psutil = importlib.import_module("psutil")
    from distributed import Client

    with Client(scheduler_file=str(cluster), timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE_S)
        address = client.scheduler.address
        workers = list(client.run(os.getpid).values())
        scheduler = client.run_on_scheduler(os.getpid)
    playing = iter_games(Counting(), "fast", Dask(address, patience_s=3))
    assert [next(playing) for _ in range(50)]
    for pid in workers if victims == "workers" else [scheduler]:
        psutil.Process(pid).kill()
    with pytest.raises(BackendError, match=said) as raised:
        list(playing)
    assert address in str(raised.value)
    assert "Traceback" not in capfd.readouterr().err


def test_dask_logs_nothing_while_it_plays_for_us():
    heard = []
    log = logging.getLogger("distributed.client")
    log.addHandler(listener := logging.Handler())
    listener.emit = lambda record: heard.append(record.getMessage())
    try:
        with _without_its_log():
            log.error("one")
        log.error("two")
    finally:
        log.removeHandler(listener)
    assert heard == ["two"]


class Here:
    """A backend that plays nothing: every game takes so many seconds, and the first of all so many more."""

    def __init__(self, seconds, first_s):
        self._seconds = seconds
        self._first_s = first_s
        self.places = []

    def map_chunks(self, chunks, policy):
        for chunk in chunks:
            self.places.append([chunk.seed_of(place) - 1 for place in range(len(chunk))])
            games = [game_of()._replace(cpu_s=self._seconds) for _ in range(len(chunk))]
            yield [games[0]._replace(cpu_s=self._seconds + self._first_s), *games[1:]]
            self._first_s = 0


@pytest.mark.parametrize(
    ("seconds", "n_a_chunk"), [(0.0, 2000), (1e-5, 2000), (1e-3, 500), (0.01, 50), (0.1, 5), (0.6, 1)]
)
@pytest.mark.parametrize("first_s", [0, 2])
@pytest.mark.parametrize("pilot_s", [0, 2])
def test_chunks_fit_what_games_take_also_where_the_first_of_them_load_the_kernel(
    seconds, n_a_chunk, first_s, pilot_s, monkeypatch
):
    def play(*_deal, **_rule):
        now_s[0] += pilot_s + seconds
        return game_of()

    now_s = [0.0]
    monkeypatch.setattr("solver.simulation.running._PILOT_S", 0)
    monkeypatch.setattr("solver.simulation.running.play_game", play)
    monkeypatch.setattr("solver.simulation.running.time.perf_counter", lambda: now_s[0])
    backend = Here(seconds, first_s)
    deals = replace(DEALS, n=20_000)
    assert len(list(iter_games(deals, "fast", backend))) == 20_000
    assert [place for places in backend.places for place in places] == list(range(1, 20_000))
    sizes = list(map(len, backend.places))
    assert sizes[6] == pytest.approx(n_a_chunk, abs=1)
    assert max(sizes) <= n_a_chunk + 1
    assert all(after <= 10 * before for before, after in itertools.pairwise(sizes))


class Counting:
    """So many boards that they are never all listed; counts how many parts of them were asked for."""

    def __init__(self):
        self.n_parts = 0

    def __len__(self):
        return 10**15

    def __getitem__(self, place):
        return DEALS[place % len(DEALS)]

    def part(self, start, stop):
        self.n_parts += 1
        assert self.n_parts < 100_000, "all of them would be listed"
        return DEALS.part(0, 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Exception in thread ExecutorManagerThread")  # loky, asked for more while it ends
def test_processes_are_asked_for_a_few_chunks_ahead_only(small_chunks):
    playing = iter_games(Counting(), "fast", Loky(2))
    assert [next(playing) for _ in range(5)]
    playing.close()


@pytest.mark.slow
def test_cluster_is_asked_for_a_few_chunks_ahead_only(small_chunks, lasting_cluster):
    from distributed import Client

    with Client(scheduler_file=str(lasting_cluster), timeout=PATIENCE_S, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=PATIENCE_S)
        playing = iter_games(Counting(), "fast", Dask(client.scheduler.address))
        assert [next(playing) for _ in range(5)]
        playing.close()


def test_cluster_that_is_not_there_is_named():
    pytest.importorskip("distributed")
    with pytest.raises(BackendError, match=r"127\.0\.0\.1:9"):
        next(Dask("tcp://127.0.0.1:9", patience_s=0.5).map_chunks([DEALS], "fast"))


@pytest.mark.slow
def test_processes_play_the_same_games_by_every_policy(small_chunks):
    n_games = {
        "strong": count("MINEBOT_STRONG_GAMES", gate=40, full=100),
        "max": count("MINEBOT_MAX_GAMES", gate=1, full=3),
    }
    for policy, n in n_games.items():
        deals = DEALS.part(0, n)
        assert all_same(list(iter_games(deals, policy, Loky(2))), list(iter_games(deals, policy)))


def test_unknown_policy_is_refused_before_anything_is_played():
    with pytest.raises(BoardValueError, match="'brave'"):
        next(iter_games(DEALS, "brave"))


# ---------------------------------------------------------------- golden seeds

GOLDEN = {
    ((16, 30), 99, "safe", (0, 0)): "WLLWLWLWLLLWLWLLLWLWLWWLWLWWWLLWLWLLWLWLWWWWWWWLWLWLWLWLLLWL",
    ((16, 30), 99, "zero", (3, 3)): "WLWLWLWLLLLWLWLLWWLLWWWLWWWLWLLWWLLLLWWLWWLLLWWWWLLLLWWLWWLW",
    ((9, 9), 10, "safe", (0, 0)): "WWWWWWLWWWWWWWLWWWWWWWWWWWWWWWWWWWWLWWWWWWWWWWWWWWWWWWWWWWWW",
    ((4, 4, 4), 8, "safe", (0, 0, 0)): "WWWWWLWLWLWWLWLLLLWWWLWWWWWWWWLWWWWWWWLLWLWWWLWWWWWWWWLWLWWW",
}


@pytest.mark.parametrize("board", GOLDEN)
def test_golden_seeds_are_won_and_lost_as_ever(board):
    shape, mines, rule, first = board
    deals = SeededDeals(shape, mines, wrap=False, rule=rule, first_cell=first, seed=1, n=60)
    assert "".join("LW"[game.is_won] for game in iter_games(deals, "fast")) == GOLDEN[board]


# ---------------------------------------------------------------- what is predicted comes true


@pytest.mark.slow
def test_predicted_risks_come_true():
    summary = Summary()
    for game in iter_games(SeededDeals((16, 30), 99, False, "safe", (0, 0), 500_001, 3000), "fast"):
        summary.add(game)
    told = [bucket for bucket in summary.buckets if bucket.n_guesses > 100]
    assert len(told) > 5
    assert all(abs(bucket.deviation) < 3 for bucket in told)


def test_summary_adds_up():
    summary = Summary()
    guesses = [_Guessed(0.25, was_mine=False), _Guessed(0.2, was_mine=False), _Guessed(math.nan, was_mine=True)]
    summary.add(game_of(guesses=[_Guessed(0.2, was_mine=False)]))
    summary.add(game_of(is_won=False, guesses=guesses, trivial=10))
    told = summary.as_json()
    assert (told["games"], told["won"], told["win_rate"], told["unknown_risks"]) == (2, 1, 0.5, 1)
    assert told["ci95"] == pytest.approx([0.0945, 0.9055], abs=5e-5)
    assert sum(moves["percent"] for moves in told["moves_by_method"].values()) == pytest.approx(100)
    assert {method: moves["total"] for method, moves in told["moves_by_method"].items()} == dict(
        zip(METHODS, (2, 13, 0, 0, 4), strict=True)
    )
    assert [(bucket["low"], bucket["n_guesses"]) for bucket in told["calibration"]] == [(0.2, 2), (0.25, 1)]
    assert told["calibration"][0]["deviation"] == pytest.approx(-0.4 / math.sqrt(0.32))


def test_risks_on_an_edge_are_in_one_bucket_however_they_are_rounded():
    summary = Summary()
    for p_mine in (0.5, math.nextafter(0.5, 0), math.nextafter(0.5, 1), 0.3, 0.1 + 0.2, 1.0):
        summary.add(game_of(guesses=[_Guessed(p_mine, was_mine=True)]))
    assert [bucket.n_guesses for bucket in summary.buckets] == [2, 3, 1]


# ---------------------------------------------------------------- a file of games


RUN = {"shape": [9, 9], "mines": 12, "policy": "fast"}


def fill(path, games):
    with RunFile(path, RUN) as kept:
        for seed, game in enumerate(games, start=1):
            kept.add(seed, game)


def test_run_file_gives_back_its_games(tmp_path, games):
    with_unknown = [*games[:20], game_of(is_won=False, guesses=[_Guessed(math.nan, was_mine=True)])]
    fill(tmp_path / "run.jsonl", with_unknown)
    with RunFile(tmp_path / "run.jsonl", RUN) as kept:
        assert repr(kept.games) == repr(with_unknown)


def test_run_file_drops_a_torn_line_and_goes_on(tmp_path, games):
    path = tmp_path / "run.jsonl"
    fill(path, games[:10])
    whole = path.read_bytes()
    rng = random.Random(1)
    for cut in [1, 5, len(whole) - 1, *[rng.randrange(len(whole)) for _ in range(30)]]:
        path.write_bytes(whole[:cut])
        with RunFile(path, RUN) as kept:
            n_kept = len(kept.games)
            assert n_kept == max(whole[:cut].count(b"\n") - 1, 0)
            for seed, game in enumerate(games[n_kept:10], start=n_kept + 1):
                kept.add(seed, game)
        assert path.read_bytes() == whole


def test_run_file_of_another_run_says_what_differs_and_stays(tmp_path, games):
    path = tmp_path / "run.jsonl"
    fill(path, games[:3])
    whole = path.read_bytes()
    with pytest.raises(RunFileError, match="mines is 12 there and 13 here, wrap is null there and true here"):
        RunFile(path, {**RUN, "mines": 13, "wrap": True})
    assert path.read_bytes() == whole


@pytest.mark.parametrize("content", [b"hello", b"hello\n", b'{"run": {}', b'{"run": 3}\n', b"[]\n", b"\xff\n"])
def test_file_that_is_no_run_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(RunFileError, match=r"run\.jsonl"):
        RunFile(path, RUN)
    assert path.read_bytes() == content


def test_run_file_with_a_broken_line_names_it(tmp_path, games):
    path = tmp_path / "run.jsonl"
    fill(path, games[:3])
    lines = path.read_bytes().split(b"\n")
    for broken in (
        b"{}",
        b"nonsense",
        json.dumps({"won": True, "guesses": [], "moves": {"a": 1}, "cpu_s": 1}).encode(),
    ):
        path.write_bytes(b"\n".join([*lines[:2], broken, *lines[3:]]))
        with pytest.raises(RunFileError, match="line 3"):
            RunFile(path, RUN)


def test_run_file_that_cannot_be_made_is_named(tmp_path):
    with pytest.raises(RunFileError, match="nowhere"):
        RunFile(tmp_path / "nowhere" / "run.jsonl", RUN)


def test_layouts_are_never_sent_to_workers():
    assert not any(isinstance(value, Layout) for value in DEALS.__getstate__().values())
