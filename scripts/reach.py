"""Which test modules a change can reach: `python3 scripts/reach.py [REF]`; nothing is run.

The change is what differs between REF (HEAD when left out) and the working tree, untracked files included. A module
reaches those that import it, in functions too, and a conftest every test below it. What nobody imports, such as data, a
script or a command, reaches whoever has its name in quotes. Standard library only.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import setup_env
from progress import SetUpError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BARE = ("scripts/", "tests/support/")  # folders whose modules are imported by their bare names
LONG = re.compile(r"\bmark\.(screen|winemine|slow|windows)\b")  # the marks of tests that take minutes together
FARTHEST_LONG = 1
"""How far from the change such tests are run still. Three in four changes reach some of them, mostly more than 20."""


def changed_files(ref: str = "HEAD") -> list[str]:
    """The files that differ between a commit and the working tree, new, deleted and untracked ones included.

    Raises:
        SetUpError: git does not know the commit, or is not there.
    """
    return sorted({*_git("diff", "--name-only", "--no-renames", "-z", ref, "--"), *_untracked()})


def modules_reached(changed: Iterable[str]) -> dict[str, int]:
    """The test modules that a change of these files can reach, in the order in which to run them, with their distance.

    The distance is the number of imports between; those that changed, or mirror what changed, come first.
    """
    changed = list(changed)
    reached_by = _importers({*_git("ls-files", "-z"), *_untracked(), *changed})
    distance = dict.fromkeys(changed, 0)
    waiting = list(distance)
    for path in waiting:  # grows meanwhile
        for user in sorted(reached_by[path] - distance.keys()):
            distance[user] = distance[path] + 1
            waiting.append(user)
    mirrors = {f"tests/{PurePosixPath(path).parent}/test_{PurePosixPath(path).name}" for path in changed}
    tests = [path for path in distance if _is_test(path) and (setup_env.ROOT / path).exists()]
    return {path: distance[path] for path in sorted(tests, key=lambda path: (path not in mirrors, distance[path]))}


def to_run(reached: dict[str, int]) -> tuple[list[str], list[str]]:
    """Part test modules into those to run, in order, and those that take too long for how far they are."""
    far = [path for path, distance in reached.items() if distance > FARTHEST_LONG and LONG.search(_text(path))]
    return [path for path in reached if path not in far], far


def _importers(paths: Iterable[str]) -> dict[str, set[str]]:
    """The files that each file reaches at once."""
    texts = {path: _text(path) for path in paths if path.endswith(".py")}
    modules = {_module(path): path for path in texts}
    reached_by: dict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        conftests = {f"{folder}/conftest.py" for folder in PurePosixPath(path).parents} if _is_test(path) else set()
        for file in (conftests | {modules[name] for name in _imported(text) & modules.keys()}) - {path}:
            reached_by[file].add(path)
    in_quotes = {path: set(re.findall(r"[\"'/ ]([\w.-]+)(?=[\"'/ ])", text)) for path, text in texts.items()}
    for path in paths:
        if not reached_by[path]:
            names = {PurePosixPath(path).name, PurePosixPath(path).stem.replace("_", "-")}
            reached_by[path] |= {user for user, quoted in in_quotes.items() if names & quoted and user != path}
    return reached_by


def _imported(text: str) -> set[str]:
    """The modules that a text of Python may import; nothing where it is none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _module(path: str) -> str:
    """The name that a file is imported by."""
    for folder in BARE:
        path = path.removeprefix(folder)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_test(path: str) -> bool:
    return path.startswith("tests/") and PurePosixPath(path).name.startswith("test_") and path.endswith(".py")


def _text(path: str) -> str:
    try:
        return (setup_env.ROOT / path).read_text(encoding="utf-8")
    except (OSError, ValueError):  # it is gone, or no text
        return ""


def _untracked() -> list[str]:
    return _git("ls-files", "-z", "--others", "--exclude-standard")


def _git(*arguments: str) -> list[str]:
    """Run git; return what it prints, taken apart at zero bytes."""
    try:
        done = subprocess.run(["git", *arguments], cwd=setup_env.ROOT, capture_output=True, check=False)
    except OSError as error:
        raise SetUpError(f"cannot start git, which knows what was changed: {error.strerror}") from error
    if done.returncode != 0:
        raise SetUpError(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return [name for name in done.stdout.decode(errors="surrogateescape").split("\0") if name]


def main(arguments: Sequence[str]) -> int:
    """Print the test modules to run, in order, each with its distance."""
    parser = argparse.ArgumentParser(prog="reach.py", description="Says which tests a change can reach. Runs nothing.")
    parser.add_argument("ref", nargs="?", default="HEAD", help="the commit to compare with (default: %(default)s)")
    files = changed_files(parser.parse_args(arguments).ref)
    reached = modules_reached(files)
    run, far = to_run(reached)
    print(f"{len(files)} files differ, and reach {len(run)} test modules to run:")
    print("".join(f"{reached[path]:3}  {path}\n" for path in run), end="")
    print(f"NOT RUN: {len(far)} modules that take long, and are far from the change" if far else "")
    return 0


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
