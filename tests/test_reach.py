"""Which tests a change reaches: in small projects made for it, and in this one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import reach
import setup_env
from progress import SetUpError
from reach import Reached

ROOT = Path(setup_env.__file__).parent.parent
PACKAGES = ("bot", "calibration", "skins", "solver")
FOLDERS = ("bot", "calibration", "scripts", "skins", "solver", "tests")

FILES = {
    "solver/__init__.py": "from solver.counting import count\nfrom solver.wide import prove\n",
    "solver/counting.py": "def count():\n    return 1\n\n\ndef unused():\n    return 2\n",
    "solver/wide.py": "def prove():\n    return True\n",
    "skins/data/classic/skin.toml": "",
    "tests/test_counting.py": "from solver import count\n\n\ndef test_count():\n    assert count() == 1\n",
    "tests/test_proving.py": "from solver import prove\n\n\ndef test_prove():\n    assert prove()\n",
}

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git knows what was changed")


class Project:
    """A project under git."""

    def __init__(self, root):
        self.root = root
        self.write(FILES)
        self.git("init", "-q")

    def git(self, *arguments):
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True)

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def reached(self, before, after):
        """Write and commit files, then others; return the distance of every test that is reached."""
        self.write(before)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "before")
        self.write(after)
        return self.reached_now()

    def reached_now(self):
        return {one.test: one.distance for one in reach.tests_reached(reach.changed_files(), "HEAD")}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    return Project(tmp_path)


COUNTED, PROVEN = "tests/test_counting.py::test_count", "tests/test_proving.py::test_prove"


@needs_git
@pytest.mark.parametrize(
    ("file", "text", "reached"),
    [
        ("solver/counting.py", "def count():\n    return 2\n", {COUNTED: 1}),
        ("solver/counting.py", FILES["solver/counting.py"].replace("2", "3"), {}),
        ("solver/counting.py", '"""Says."""\n\n\n' + FILES["solver/counting.py"] + "# more\n", {}),
        ("solver/counting.py", FILES["solver/counting.py"] + "print()\n", {COUNTED: 1}),
        ("solver/__init__.py", FILES["solver/__init__.py"].replace("counting import", "proving import"), {COUNTED: 1}),
        ("solver/__init__.py", FILES["solver/__init__.py"] + "print()\n", {COUNTED: 1, PROVEN: 1}),
        ("tests/test_proving.py", FILES["tests/test_proving.py"] + "    assert prove()\n", {PROVEN: 0}),
        ("tests/test_new.py", "TESTS = 1\nif TESTS > 1:\n    def test_old():\n        pass\n", {}),
        ("tests/test_new.py", "def test_new():\n    pass\n", {"tests/test_new.py::test_new": 0}),
        ("solver/counting.py", "def count(:\n", {COUNTED: 1}),
    ],
)
def test_change_reaches_the_tests_that_use_what_changed(project, file, text, reached):
    assert project.reached({}, {file: text}) == reached


@needs_git
def test_package_that_uses_a_module_of_its_own_leads_to_that_module(project):
    package = (
        "from solver import counting\nfrom solver.wide import prove\n\n\ndef count():\n    return counting.count()\n"
    )
    changed = {"solver/counting.py": FILES["solver/counting.py"].replace("return 1", "return 3")}
    assert project.reached({"solver/__init__.py": package}, changed) == {COUNTED: 2}


@needs_git
def test_deleted_file_reaches_what_imports_from_it(project):
    project.reached({}, {})
    (project.root / "solver" / "counting.py").unlink()
    assert project.reached_now() == {COUNTED: 1}


@needs_git
def test_change_is_told_from_any_commit(project):
    project.reached({}, {"solver/counting.py": ""})
    project.git("commit", "-q", "-a", "-m", "after")
    assert reach.changed_files() == []
    assert reach.changed_files("HEAD~1") == ["solver/counting.py"]
    with pytest.raises(SetUpError, match="no-such-commit"):
        reach.changed_files("no-such-commit")


TEST = "tests/test_it.py"
USE = "from solver import count\n\n\ndef use():\n    count()\n"
START = "def start():\n    run([sys.executable, __file__])\n"
LISTED = "def listed(f):\n    LIST.append(f)\nLIST = []\ndef any():\n    LIST[0]()\n@listed\n"


@needs_git
@pytest.mark.parametrize(
    ("test", "more", "distance"),
    [
        ("import solver.counting\ndef test():\n    solver.counting.count()\n", {}, 1),
        ("from solver import counting\ndef test():\n    counting.count()\n", {}, 1),
        ("from solver import counting\ndef test():\n    counting.unused()\n", {}, None),
        ("from solver import counting\ndef test(monkeypatch):\n    monkeypatch.setattr(counting, 'x', 1)\n", {}, 1),
        ("def test():\n    from solver.counting import count\n    count()\n", {}, 1),
        ("if TYPE_CHECKING:\n    from solver import count\ndef test(x: count):\n    pass\n", {}, None),
        ("try:\n    from solver import count\nexcept ImportError:\n    pass\ndef test():\n    count()\n", {}, 1),
        ("from solver import count\nclass TestIt:\n    def test(self):\n        count()\n", {}, 1),
        ("import helper\ndef test():\n    helper.use()\n", {"tests/support/helper.py": USE}, 2),
        ("import tool\ndef test():\n    tool.use()\n", {"scripts/tool.py": USE}, 2),
        ("import tool\ndef test():\n    tool.x()\n", {"scripts/tool.py": f"{USE}def x():\n    pass\n"}, None),
        ("def test():\n    patch('solver.counting.count')\n", {}, 1),
        ("def test():\n    run(f'from solver.counting import count; print(count())')\n", {}, 1),
        ("def test():\n    run('-m', 'solver')\n", {"solver/__main__.py": USE}, 2),
        ("def test():\n    run('scripts/tool.py')\n", {"scripts/tool.py": USE}, 2),
        ("def test():\n    main(['play', '-n'])\n", {"bot/commands/play.py": USE}, 2),
        ("def test():\n    assert x == 'play'\n", {"bot/commands/play.py": USE}, None),
        ("import helper\ndef test():\n    helper.start()\n", {"tests/support/helper.py": f"{USE}{START}"}, 2),
        (
            "import helper\ndef test():\n    helper.any()\n",
            {"tests/support/helper.py": USE.replace("def", f"{LISTED}def")},
            2,
        ),
        ("import importlib\ndef test():\n    importlib.import_module('tool')\n", {"scripts/tool.py": USE}, 2),
    ],
)
def test_test_is_as_far_as_the_imports_between(project, test, more, distance):
    for name in ("tests/test_counting.py", "tests/test_proving.py"):
        (project.root / name).unlink()
    changed = {"solver/counting.py": FILES["solver/counting.py"].replace("1", "2")}
    reached = project.reached({TEST: test, **more}, changed)
    assert list(reached.values()) == ([] if distance is None else [distance])


@needs_git
@pytest.mark.parametrize(
    ("conftest", "is_reached"),
    [
        ("@pytest.fixture\ndef asked():\n    return count()\n", True),
        ("@pytest.fixture(name='asked')\ndef _asked():\n    return count()\n", True),
        ("@pytest.fixture(autouse=True)\ndef of_itself():\n    return count()\n", True),
        ("@pytest.fixture\ndef asked(another):\n    pass\n@pytest.fixture\ndef another():\n    count()\n", True),
        ("def pytest_configure():\n    count()\n", True),
        ("@pytest.fixture\ndef not_asked():\n    return count()\n", False),
    ],
)
def test_test_reaches_the_fixtures_it_asks_for(project, conftest, is_reached):
    files = {
        "tests/conftest.py": f"import pytest\nfrom solver import count\n{conftest}",
        "tests/room/test_it.py": "def test_it(asked):\n    pass\n",
    }
    changed = {"solver/counting.py": FILES["solver/counting.py"].replace("1", "2")}
    reached = project.reached(files, changed)
    assert ("tests/room/test_it.py::test_it" in reached) == is_reached


@needs_git
@pytest.mark.parametrize(
    ("quoted", "is_reached"), [("classic", True), ("data", True), ("skin.toml", True), ("4d", False)]
)
def test_data_are_reached_by_the_end_of_a_path(project, quoted, is_reached):
    files = {TEST: f"def test():\n    read('{quoted}')\n"}
    reached = project.reached(files, {"skins/data/classic/skin.toml": "name = 1"})
    assert reached == ({f"{TEST}::test": 1} if is_reached else {})


# ---------------------------------------------------------------- what is run of it


def test_far_tests_that_take_long_are_left_out_and_near_ones_come_last():
    marks = {
        "a": (0, "screen"),
        "b": (1, "screen"),
        "c": (2, "screen"),
        "d": (3, ""),
        "e": (1, "windows"),
        "f": (0, ""),
        "tests/bot/desktop/test_hotkeys.py::mirrors": (1, "screen"),
    }
    way = ("test", "bot/desktop/hotkeys.py:name")
    tests = [Reached(name, distance, way, frozenset({mark})) for name, (distance, mark) in marks.items()]
    run, left_out = reach.to_run(tests)
    assert [test.test.rpartition("::")[2] for test in run] == ["f", "a", "mirrors", "d", "b"]
    assert [test.test for test in left_out] == ["c", "e"]
    assert reach.tell_left_out(left_out).startswith("2 tests")
    assert reach.tell_left_out([]) == ""


@needs_git
def test_marks_of_a_test_are_those_of_its_file_too_but_not_of_some_of_its_parameters(project):
    one = (
        "@pytest.mark.safety\n@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.slow)])\ndef test(x):\n"
    )
    text = "pytestmark = [pytest.mark.screen, pytest.mark.timeout(9)]\n" + one + "    pass\n"
    project.reached({}, {TEST: text})
    (reached,) = reach.tests_reached([TEST], "HEAD")
    assert reached.marks == {"screen", "timeout", "safety", "parametrize"}


@needs_git
def test_what_is_to_be_run_is_printed_in_order_with_the_way_to_the_change(project, capsys):
    project.reached({}, {"solver/counting.py": FILES["solver/counting.py"].replace("1", "2")})
    assert reach.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 files differ from HEAD, and reach 1 tests to run:"
    assert lines[1].split() == ["1", COUNTED]
    assert lines[-2].split() == ["<-", "solver/counting.py:count"]


def test_no_test_begins_when_the_time_is_over():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--within",
        "0",
        "-p",
        "no:cacheprovider",
        f"{__file__}::{_far.__name__}",
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert "SKIPPED [1]" in run.stdout
    assert "0 s are over (--within)" in run.stdout


_far = test_far_tests_that_take_long_are_left_out_and_near_ones_come_last


# ---------------------------------------------------------------- this project


@pytest.fixture(scope="module")
def graph():
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    return reach.Graph(["pyproject.toml", *(path.relative_to(ROOT).as_posix() for path in found if path.is_file())])


def test_what_decides_how_tests_are_run_reaches_all_of_them(graph):
    reached = graph.tests_reached([("pyproject.toml", reach.WHOLE)])
    everything = [path for path in graph.sources if Path(path).name.startswith("test_") and path.startswith("tests/")]
    assert {one.test.partition("::")[0] for one in reached} == set(everything)


def test_every_function_of_the_packages_is_reached_by_a_test(graph):
    """What is not needs a test, or a line in `reach.DECLARED`."""
    reaches = {}
    for node, users in graph._reached_by.items():
        for user in users:
            reaches.setdefault(user, set()).add(node)
    reached = set(graph._tests)
    waiting = list(reached)
    while waiting:
        new = reaches.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    functions = {
        (path, name)
        for path, source in graph.sources.items()
        if path.partition("/")[0] in PACKAGES
        for name, code in source.code.items()
        if name and any(text.startswith("FunctionDef") for text in code)
    }
    assert len(functions) > 1000
    assert functions - reached == set()
