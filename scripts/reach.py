"""Which tests a change can reach: `python3 scripts/reach.py [REF]`; nothing is run.

The change is what differs between REF (HEAD when left out) and the working tree, untracked files included. The graph's
nodes are names: the functions, classes and variables of every Python file's top level, and of every import. A name
reaches what its text mentions: names of its file, and through imports those of others, so that `from solver import
analyse` leads to that one function of `solver.analysis`. A test reaches the fixtures that it names, and those that are
used automatically. Text in quotes counts too, where it is a module with a dot ("bot.commands.play"), a file or a folder
of data. A name has changed if its code has: comments and docstrings reach nothing.

What is not followed: attributes of objects (a method belongs to its class, and who has an object has its maker), and
names that are put together at run time. Standard library only.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import setup_env
from progress import SetUpError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Node = tuple[str, str]
"""A file, from the project's root, and a name of its top level, or one of the two below."""
WHOLE = "*"
"""All of a file: what is not Python has nothing else, and a module that is run or handed about is reached like that."""
BODY = ""
"""What a file does when it is imported, besides binding names; every name of the file reaches it."""

BESIDE = ("scripts/", "tests/support/")
"""Their files are imported by their bare names."""
COMMANDS = "bot.commands"
"""`bot.cli` imports the module of this package that its arguments name: tests and scripts that quote the name of one
reach it, and `bot.cli` itself reaches none."""
DECLARED = {
    "pyproject.toml": ("tests/conftest.py", "how every test is run"),
    "solver": ("tests/test_readme.py", "the README's examples are run"),
}
"""What no rule finds: what is reached (a file or module), the file that reaches it, and why."""

FARTHEST = {"screen": 1, "winemine": 1, "slow": 1, "windows": 0}
"""The marks of tests that take minutes together, and how far from the change such tests are run still: 1, one whose own
text, or a fixture's, names what was changed. Making Windows' Python takes minutes more. Measured: three in four changes
reach some of them, mostly more than 20, at a few seconds each and up to 30."""


@dataclass(frozen=True)
class Reached:
    """A test that a change can reach."""

    test: str
    """As pytest names it, `tests/test_x.py::test_y`, parameters left out."""
    distance: int
    """How many times the shortest way from the change to the test goes from a file to another; 0: the test changed."""
    why: tuple[str, ...]
    """That way, from the test to the change, as `file:name`: one step at least."""
    marks: frozenset[str]
    """The marks of all of the test: one of a single set of parameters is not among them."""


@dataclass
class Mentions(ast.NodeVisitor):
    """What a piece of code mentions."""

    names: set[tuple[str, str]] = field(default_factory=set)
    """A name, and the attribute that is taken of it; "" where it is taken as it is."""
    texts: set[str] = field(default_factory=set)
    """Text in quotes."""
    words: set[str] = field(default_factory=set)
    """Text in quotes that is part of a list or the first argument of a call, as the words of a command line are."""
    arguments: set[str] = field(default_factory=set)
    """The names of functions' arguments: by them tests ask for fixtures."""
    is_whole: bool = False
    """Whether it reaches all of its own file."""
    imports: set[tuple[str, str, str]] = field(default_factory=set)
    """The name bound, the module, and the module's name; "" where it is the module itself."""

    def visit_Attribute(self, node: ast.Attribute) -> None:  # noqa: D102 - named by ast
        if isinstance(node.value, ast.Name):
            self.names.add((node.value.id, node.attr))
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        self.names.add((node.id, ""))

    def visit_Constant(self, node: ast.Constant) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        if isinstance(node.value, str):
            self.texts.add(node.value)

    def visit_List(self, node: ast.List | ast.Tuple) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        self._add_words(node.elts)
        if any(isinstance(each, ast.Name) and each.id == "__file__" for each in node.elts):
            self.is_whole = True  # part of a command line: the file starts itself
        self.generic_visit(node)

    visit_Tuple = visit_List  # noqa: N815 - named by `ast.NodeVisitor`

    def visit_Call(self, node: ast.Call) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        self._add_words(node.args[:1])
        if isinstance(node.func, ast.Name) and node.func.id == "globals":
            self.is_whole = True
        self.generic_visit(node)

    def _add_words(self, nodes: Iterable[ast.expr]) -> None:
        self.words |= {str(node.value) for node in nodes if isinstance(node, ast.Constant)}

    def visit_arg(self, node: ast.arg) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        self.arguments.add(node.arg)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        self.imports |= {(alias.asname or alias.name.partition(".")[0], alias.name, "") for alias in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:  # noqa: D102 - named by `ast.NodeVisitor`
        self.imports |= {(alias.asname or alias.name, node.module or "", alias.name) for alias in node.names}


class Source:
    """What a Python file binds at its top level, and what each of its names mentions."""

    def __init__(self, text: str, *, is_test: bool) -> None:
        """Take a file's text apart; `is_test` where pytest looks for tests and fixtures."""
        tree = _Executed().visit(ast.parse(text))
        everything = Mentions()
        everything.visit(tree)
        self.imports: dict[str, set[tuple[str, str]]] = defaultdict(set)
        """What a name is imported as, in functions too: (module, its name there or "")."""
        self.mentions: dict[str, Mentions] = defaultdict(Mentions)
        self.code: dict[str, set[str]] = defaultdict(set)
        """What a name is bound by: it has changed if that has."""
        self.tests = [
            name for each in tree.body for name in _bound(each) if is_test and name.startswith(("test", "Test"))
        ]
        """Those under a condition are no part of it: pytest ends when a test that it is to run is not there."""
        self.fixtures: dict[str, str] = {}
        """The name of a fixture, and that of its function."""
        self.marks: dict[str, set[str]] = defaultdict(set)
        self._functions: set[str] = set()
        for name, module, member in everything.imports:
            self.imports[name].add((module, member))
            self.code[name].add(f"{module} {member}")
        for statement in _statements(tree.body):
            self._add(statement, is_test=is_test)

    def names(self) -> set[str]:
        """Everything that can be reached of the file but WHOLE."""
        return {BODY, *self.mentions, *self.imports}

    def _add(self, statement: ast.stmt, *, is_test: bool) -> None:
        names = _bound(statement)
        calls = _decorators(statement)
        if is_test and names and (fixture := calls.get("fixture")) is not None:
            self.fixtures[fixture.get("name", names[0])] = names[0]
        is_for_all = (
            is_test and bool(names) and (names[0].startswith("pytest") or "autouse" in calls.get("fixture", {}))
        )
        if not names or is_for_all or calls.keys() & self._functions:
            names = [*names, BODY]  # hooks, automatic fixtures, and what a function of the file registers
        if isinstance(statement, ast.FunctionDef):
            self._functions.add(statement.name)
        for name in names:
            self.mentions[name].visit(statement)
            self.code[name].add(ast.dump(statement))
            self.marks[name] |= calls.keys()


class _Executed(ast.NodeTransformer):
    """Leaves out docstrings, what is imported for types only, and what a script does when it is run."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return ast.Pass() if isinstance(node.value, ast.Constant) else node

    def visit_If(self, node: ast.If) -> ast.stmt:
        test = node.test.left if isinstance(node.test, ast.Compare) else node.test
        if isinstance(test, ast.Name) and test.id in {"TYPE_CHECKING", "__name__"}:
            node.body = [ast.Pass()]
        self.generic_visit(node)
        return node


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of a file's top level, also those under a condition; imports are looked at elsewhere."""
    for statement in body:
        if isinstance(statement, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, []))
        elif isinstance(statement, ast.stmt) and not isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
            yield statement


def _bound(statement: ast.stmt) -> list[str]:
    """The names that a statement binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return []
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    nodes = [node for target in targets for node in ast.walk(target)]
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _decorators(statement: ast.stmt) -> dict[str, dict[str, str]]:
    """The decorators of a function or class, or what `pytestmark` is: their last names, and arguments that are text."""
    if isinstance(statement, ast.Assign) and _bound(statement) == ["pytestmark"]:
        listed = statement.value.elts if isinstance(statement.value, ast.List) else [statement.value]
    else:
        listed = getattr(statement, "decorator_list", [])
    found = {}
    for node in listed:
        function, keywords = (node.func, node.keywords) if isinstance(node, ast.Call) else (node, [])
        if isinstance(function, (ast.Attribute, ast.Name)):
            arguments = {each.arg: each.value.value for each in keywords if isinstance(each.value, ast.Constant)}
            last = function.attr if isinstance(function, ast.Attribute) else function.id
            found[last] = {str(name): str(value) for name, value in arguments.items()}
    return found


class Graph:
    """What reaches what in the project."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Read all of these files that are Python; of the others only the names count."""
        self.sources = {path: _read(path) for path in paths if path.endswith(".py")}
        self._modules = {module: path for path in self.sources if (module := _module(path))}
        self._named = _by_ends_of_paths(paths)
        in_tests = {
            path: source for path, source in self.sources.items() if path.rpartition("/")[2].startswith("test_")
        }
        self._tests = {(path, name) for path, source in in_tests.items() for name in source.tests}
        self._reached_by: dict[Node, set[Node]] = defaultdict(set)
        for path, source in self.sources.items():
            self._link_file(path, source)

    def tests_reached(self, changed: Iterable[Node]) -> list[Reached]:
        """The tests that any of these can reach, the nearest first."""
        distance = dict.fromkeys(changed, 0)
        towards: dict[Node, Node] = {}
        waiting = deque(distance)
        while waiting:  # steps inside a file are no distance, so they come first
            node = waiting.popleft()
            for user in self._reached_by[node]:
                further = distance[node] + (user[0] != node[0])
                if further < distance.get(user, further + 1):
                    distance[user], towards[user] = further, node
                    (waiting.append if user[0] != node[0] else waiting.appendleft)(user)
        return sorted(
            (self._tell(node, distance[node], towards) for node in distance if node in self._tests),
            key=lambda reached: (reached.distance, reached.test),
        )

    def _tell(self, node: Node, distance: int, towards: dict[Node, Node]) -> Reached:
        source = self.sources[node[0]]
        way = [node]
        while way[-1] in towards:
            way.append(towards[way[-1]])
        marks = frozenset(source.marks[node[1]] | source.marks["pytestmark"])
        return Reached("::".join(node), distance, tuple(f"{path}:{name}" for path, name in way), marks)

    def _link(self, user: Node, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._reached_by[node].add(user)

    def _link_file(self, path: str, source: Source) -> None:
        above = [str(folder) for folder in PurePosixPath(path).parents]
        conftests = [f"{folder}/conftest.py" for folder in above if f"{folder}/conftest.py" in self.sources]
        askable = [path, *conftests] if _is_pytests(path) else []
        packages = [f"{folder}/__init__.py" for folder in above if f"{folder}/__init__.py" in self.sources]
        self._link((path, BODY), [(file, BODY) for file in [*packages, *conftests] if file != path])
        for name in source.names():
            self._link((path, WHOLE), [(path, name)])
            mentions = source.mentions.get(name, Mentions())
            self._link((path, name), [(path, WHOLE if mentions.is_whole else BODY)])
            for mentioned, attribute in mentions.names:
                self._link((path, name), self._bindings(path, mentioned, attribute))
            self._link((path, name), self._quoted(path, mentions))
            for text in mentions.texts | mentions.arguments:
                asked = [(file, self.sources[file].fixtures.get(text)) for file in askable]
                self._link((path, name), [(file, fixture) for file, fixture in asked if fixture])
        for declared, (user, _why) in DECLARED.items():
            if user == path:
                self._link((path, BODY), [(self._modules.get(declared, declared), WHOLE)])

    def _bindings(self, path: str, name: str, *attributes: str) -> Iterator[Node]:
        """What a name in a file stands for; with attributes, should it be a module."""
        source = self.sources[path]
        if name in source.names():
            yield (path, name)
        for module, member in source.imports.get(name, ()):
            yield from self._in_module(module, *filter(None, (member, *attributes)))

    def _in_module(self, module: str, *names: str) -> Iterator[Node]:
        """What `module.name.name` is; nothing where it is not the project's."""
        path = self._modules.get(module)
        if names and path is not None and self._binds(path, module, names[0]):
            yield from self._bindings(path, *names)
        elif names and (path is None or f"{module}.{names[0]}" in self._modules):
            yield from self._in_module(f"{module}.{names[0]}", *names[1:])
        elif path is not None:
            yield (path, WHOLE)

    def _binds(self, path: str, module: str, name: str) -> bool:
        """Whether a file gives a name its meaning; a package that imports one of its modules does not."""
        source = self.sources[path]
        return name in source.names() and (module, name) not in source.imports.get(name, ())

    def _quoted(self, path: str, mentions: Mentions) -> Iterator[Node]:
        """What the texts in quotes name: modules, files, folders of data, and commands."""
        for text in mentions.texts:
            yield from ((file, WHOLE) for file in self._named.get(text.strip("/"), ()))
            for dotted in re.findall(r"\b[a-z]\w*(?:\.\w+)+", text):
                module, *names = dotted.split(".")
                if module in self._modules:
                    yield from self._in_module(module, *names)
        if path.startswith(("tests/", "scripts/")):
            modules = {f"{COMMANDS}.{word.replace('-', '_')}" for word in mentions.words}
            modules |= {f"{text}.__main__" for text in mentions.texts if "-m" in mentions.texts}
            modules |= mentions.texts if "importlib" in self.sources[path].imports else set()
            for module in modules & self._modules.keys():
                yield (self._modules[module], WHOLE)


def _read(path: str) -> Source:
    """A file of Python; one that is gone, or no Python as it stands, binds nothing."""
    try:
        text = (setup_env.ROOT / path).read_text(encoding="utf-8")
        return Source(text, is_test=_is_pytests(path))
    except (FileNotFoundError, SyntaxError, ValueError):
        return Source("", is_test=False)


def _is_pytests(path: str) -> bool:
    return path.startswith("tests/") and not path.startswith(BESIDE)


def _module(path: str) -> str:
    """The name that a file is imported by; "" if it never is."""
    if _is_pytests(path):
        return ""
    for folder in BESIDE:
        path = path.removeprefix(folder)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _by_ends_of_paths(paths: Iterable[str]) -> dict[str, set[str]]:
    """The files that a text may name: by the end of a file's path, or of a folder's that holds nothing of Python."""
    everything = {path: PurePosixPath(path) for path in paths}
    of_python = {folder for path in everything.values() if path.suffix == ".py" for folder in path.parents}
    named: dict[str, set[str]] = defaultdict(set)
    for name, path in everything.items():
        for place in (path, *(folder for folder in path.parents if folder not in of_python)):
            for start in range(len(place.parts)):
                named["/".join(place.parts[start:])].add(name)
    return named


def changed_files(ref: str = "HEAD") -> list[str]:
    """The files that differ between a commit and the working tree, new, deleted and untracked ones included.

    Raises:
        SetUpError: git does not know the commit, or is not there.
    """
    return sorted({*_git("diff", "--name-only", "--no-renames", "-z", ref, "--"), *_untracked()})


def tests_reached(files: Iterable[str], ref: str) -> list[Reached]:
    """The tests that what changed in these files since a commit can reach, the nearest first."""
    graph = Graph({*_git("ls-files", "-z"), *_untracked(), *files})
    return graph.tests_reached([node for path in files for node in _changed_names(path, graph.sources.get(path), ref)])


def _changed_names(path: str, now: Source | None, ref: str) -> Iterator[Node]:
    """The names of a file whose code is another than it was; the whole file where it is no Python."""
    if now is None:
        yield (path, WHOLE)
        return
    before = subprocess.run(["git", "show", f"{ref}:{path}"], cwd=setup_env.ROOT, capture_output=True, check=False)
    try:
        code = Source(before.stdout.decode(), is_test=_is_pytests(path)).code
    except (SyntaxError, ValueError):
        code = {}
    for name in code.keys() | now.code.keys():
        if code.get(name) != now.code.get(name):
            yield (path, name if name in now.code else WHOLE)  # who uses what is gone has only the file to go by


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


def to_run(reached: Iterable[Reached]) -> tuple[list[Reached], list[Reached]]:
    """Part the tests into those to run, in order, and those that take too long for how far they are.

    Tests that changed come first, then those of the module that mirrors the changed file, then the others, the nearest
    first, then the near ones that take long.
    """
    run: list[Reached] = []
    left_out: list[Reached] = []
    for test in reached:
        farthest = min((FARTHEST[mark] for mark in test.marks if mark in FARTHEST), default=test.distance)
        (run if test.distance <= farthest else left_out).append(test)
    run.sort(
        key=lambda test: (test.distance > 0, not _mirrors(test), not test.marks.isdisjoint(FARTHEST), test.distance)
    )
    return run, left_out


def _mirrors(test: Reached) -> bool:
    """Whether a test stands in the module that mirrors the file that changed."""
    changed = PurePosixPath(test.why[-1].partition(":")[0])
    return test.test.partition("::")[0] == f"tests/{changed.parent}/test_{changed.name}"


def tell_left_out(left_out: Sequence[Reached]) -> str:
    """How many tests are not run, by their marks; "" if there are none."""
    counts = Counter(mark for test in left_out for mark in test.marks if mark in FARTHEST)
    marks = ", ".join(f"{mark} {n}" for mark, n in counts.most_common())
    return f"{len(left_out)} tests that the change may reach from afar: {marks}" if left_out else ""


def main(arguments: Sequence[str]) -> int:
    """Print the changed files and the tests to run, in order, each with its distance and the way to the change."""
    parser = argparse.ArgumentParser(prog="reach.py", description="Says which tests a change can reach. Runs nothing.")
    parser.add_argument("ref", nargs="?", default="HEAD", help="the commit to compare with (default: %(default)s)")
    ref = parser.parse_args(arguments).ref
    files = changed_files(ref)
    run, left_out = to_run(tests_reached(files, ref))
    print(f"{len(files)} files differ from {ref}, and reach {len(run)} tests to run:")
    for test in run:
        print(f"{test.distance:3}  {test.test}")
        print("".join(f"         <- {step}\n" for step in test.why[1:]), end="")
    print(f"NOT RUN: {tell_left_out(left_out)}. To run all: python3 scripts/check.py" if left_out else "")
    return 0


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
