"""Freeze the behaviour: a digest of what the program answers, the same before and after a change of its shape.

    python -m scripts.behaviour > before.txt
    python -m scripts.behaviour --against before.txt

It asks through the command line, as a person would, and through the bench of fault scripts: so it needs no name that a
change of shape moves. Each part is a line: its name, how many answers it has, their digest. Figures that depend on the
time of day or on the machine's speed are left out. With --against it names the parts that differ and exits with 1.
`--keep FOLDER` writes every answer to a file, to see which one differs.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

N_GAMES = 500  # simulated games a policy
N_MAX_GAMES = 40  # simulated games of the strongest policy, which thinks for seconds
N_BOARDS = 200  # generated boards
N_SCRIPTS = 500  # fault scripts
N_POSITIONS = 250  # Expert positions that are solved
NOT_FROZEN = frozenset({"seconds", "cpu_s", "cpu_s_per_game", "games_per_s"})
"""Keys of JSON answers that tell how fast the machine is."""


def main() -> int:
    """Print a line for each part; return 1 if one differs from those of before."""
    importlib.import_module("solver.kernel").compile_now()
    parser = argparse.ArgumentParser(prog="behaviour.py", description="A digest of everything the program answers.")
    parser.add_argument("--against", type=Path, metavar="FILE", help="what an earlier run printed")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write every answer there")
    parser.add_argument("--part", choices=PARTS, help="only this one")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default 2)")
    args = parser.parse_args()

    names = [args.part] if args.part else list(PARTS)
    before = set(args.against.read_text(encoding="utf-8").splitlines()) if args.against else None
    n_differ = 0
    with ProcessPoolExecutor(args.jobs) as pool:
        for name, answers in zip(names, pool.map(_answers_of, names), strict=True):
            if args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{name.replace(' ', '-')}.txt").write_text("\n".join(answers), encoding="utf-8")
            line = f"{name}: {len(answers)} answers, {_digest(answers)}"
            differs = before is not None and line not in before
            n_differ += differs
            print(f"{line}{'  DIFFERS' if differs else ''}", flush=True)
    return 1 if n_differ else 0


def _answers_of(name: str) -> list[str]:
    return list(PARTS[name]())


def _digest(answers: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(answers).encode()).hexdigest()[:16]


def _ask(*arguments: str, stdin: str = "") -> str:
    """What a command writes to standard output and its exit code; JSON without the figures that are not frozen."""
    from bot.cli import main as minebot  # noqa: PLC0415 - each process of the pool imports its own

    output = io.StringIO()
    before = sys.stdin
    sys.stdin = io.StringIO(stdin)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            exit_code = minebot(arguments)
    finally:
        sys.stdin = before
    text = output.getvalue()
    if "--json" in arguments and text:
        text = json.dumps(_frozen(json.loads(text)), sort_keys=True)
    return f"{exit_code} {text}"


def _frozen(value: Any) -> Any:
    """Without the figures that are not frozen, and to twelve digits: the kernel and its twin round otherwise."""
    if isinstance(value, dict):
        return {key: _frozen(one) for key, one in value.items() if key not in NOT_FROZEN}
    if isinstance(value, float):
        return float(f"{value:.12g}")
    return [_frozen(one) for one in value] if isinstance(value, list) else value


def _read_screens() -> Iterator[str]:
    screens = ROOT / "tests" / "screens"
    for path in sorted(screens.rglob("*.png")):
        yield f"{path.relative_to(screens).as_posix()} {_ask('read', '--json', str(path))}"


def _advise_on_screens() -> Iterator[str]:
    screens = ROOT / "tests" / "screens"
    for path in sorted(screens.glob("*-mid.png")):
        yield f"{path.name} {_ask('advise', '--json', str(path))}"


def _expert_positions() -> Iterator[tuple[str, str]]:
    """Their mine counts and boards' texts."""
    lines = (ROOT / "tests" / "golden" / "positions-expert-500.txt").read_text(encoding="utf-8").splitlines()
    for line in [one for one in lines if not one.startswith("#")][:N_POSITIONS]:
        _, _, cols, rows, mines, *_, cells = line.split()
        assert cells.count("/") == int(rows) - 1
        assert cells.index("/") == int(cols)
        yield mines, cells.replace("/", "\n").replace(".", "#")


def _solve(*options: str) -> Iterator[str]:
    for mines, board in _expert_positions():
        yield _ask("solve", "--json", "--mines", mines, *options, "-", stdin=board)


def _explain() -> Iterator[str]:
    for mines, board in _expert_positions():
        rows = board.splitlines()
        for row, text in enumerate(rows):
            if "#" in text:
                cell = f"{row},{text.index('#')}"
                yield _ask("solve", "--mines", mines, "--explain", cell, "-", stdin=board)


def _simulate(preset: str, policy: str, n_games: int) -> Iterator[str]:
    options = ("--policy", policy, "-n", str(n_games), "--seed", "1", "--per-game", "--json")
    yield _ask("simulate", preset, *options)


def _generate(*options: str) -> Iterator[str]:
    yield _ask("generate", *options, "-n", str(N_BOARDS), "--seed", "1", "--json")


def _play_fault_scripts(first: int, n_scripts: int) -> Iterator[str]:
    run_script = importlib.import_module("fault_bench").run_script
    random_script = importlib.import_module("fault_script").random_script
    for seed in range(first, first + n_scripts):
        with tempfile.TemporaryDirectory() as folder:
            report = run_script(random_script(seed), Path(folder) / "journal")
        message = report.message.replace(folder, "FOLDER")
        yield f"{seed} {report.ending} {message} {sorted(report.counts.items())} {report.violations}"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "fault scripts, first half": lambda: _play_fault_scripts(0, N_SCRIPTS // 2),
    "fault scripts, second half": lambda: _play_fault_scripts(N_SCRIPTS // 2, N_SCRIPTS // 2),
    "read": _read_screens,
    "advise": _advise_on_screens,
    "solve": _solve,
    "solve by sets": lambda: _solve("--sets"),
    "solve --explain": _explain,
    "simulate fast": lambda: _simulate("expert", "fast", N_GAMES),
    "simulate strong": lambda: _simulate("expert", "strong", N_GAMES),
    "simulate max": lambda: _simulate("beginner", "max", N_MAX_GAMES),
    "simulate in 4D": lambda: _simulate("4d-easy", "strong", N_GAMES // 10),
    "generate": lambda: _generate("--rate"),
    "generate guess-free": lambda: _generate("--guess-free"),
}


if __name__ == "__main__":
    sys.exit(main())
