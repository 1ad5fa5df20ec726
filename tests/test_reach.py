"""Which tests a change reaches: in small projects made for it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import reach
import setup_env
from progress import SetUpError

ROOT = Path(setup_env.__file__).parent.parent

FILES = {
    "solver/__init__.py": "",
    "solver/counting.py": "def count():\n    return 1\n",
    "solver/game.py": "from solver.counting import count\n",
    "bot/commands/play.py": "def run():\n    from solver import game\n",
    "skins/data/classic/skin.toml": "",
    "skins/folders.py": "NAME = 'skin.toml'\n",
    "tests/conftest.py": "",
    "tests/support/helper.py": "import solver.counting\n",
    "tests/solver/test_counting.py": "from solver import counting\n",
    "tests/solver/test_game.py": "import solver.game\n",
    "tests/test_help.py": "import helper\n",
    "tests/test_command.py": "main(['play', '-n'])\n",
    "tests/test_skins.py": "import skins.folders\n",
    "tests/test_nothing.py": "",
}
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git knows what was changed")


class Project:
    """A project under git."""

    def __init__(self, root):
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "-q")
        self.commit()

    def git(self, *arguments):
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def reached(self):
        return reach.modules_reached(reach.changed_files())


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    return Project(tmp_path)


@needs_git
@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ("solver/counting.py", {"solver/test_counting": 1, "solver/test_game": 2, "test_help": 2, "test_command": 3}),
        ("solver/game.py", {"solver/test_game": 1, "test_command": 2}),
        ("bot/commands/play.py", {"test_command": 1}),
        ("tests/support/helper.py", {"test_help": 1}),
        ("skins/data/classic/skin.toml", {"test_skins": 2}),
        ("tests/test_new.py", {"test_new": 0}),
        ("README.md", {}),
    ],
)
def test_test_is_as_far_as_the_imports_between(project, changed, reached):
    project.write(changed, "x = 1\n" if changed not in FILES else FILES[changed] + "\nx = 1\n")
    assert project.reached() == {f"tests/{name}.py": distance for name, distance in reached.items()}


@needs_git
def test_conftest_reaches_every_test_below_it(project):
    project.write("tests/conftest.py", "x = 1\n")
    assert set(project.reached().values()) == {1}
    assert len(project.reached()) == 6


@needs_git
def test_deleted_module_reaches_what_imports_it(project):
    (project.root / "solver" / "game.py").unlink()
    assert project.reached() == {"tests/solver/test_game.py": 1, "tests/test_command.py": 2}


@needs_git
def test_change_is_told_from_any_commit(project):
    project.write("solver/counting.py", "")
    project.commit()
    assert reach.changed_files() == []
    assert reach.changed_files("HEAD~1") == ["solver/counting.py"]
    with pytest.raises(SetUpError, match="no-such-commit"):
        reach.changed_files("no-such-commit")


@needs_git
def test_tests_that_take_long_are_run_only_near_the_change(project, capsys):
    marked = "pytestmark = [pytest.mark.screen]\n"
    for name in ("tests/solver/test_counting.py", "tests/test_help.py"):
        project.write(name, FILES[name] + marked)
    project.commit()
    project.write("solver/counting.py", "")
    assert reach.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 files differ, and reach 3 test modules to run:"
    assert lines[1].split() == ["1", "tests/solver/test_counting.py"]
    assert lines[-1].startswith("NOT RUN: 1 modules")


def test_no_test_begins_when_the_time_is_over():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--within",
        "0",
        "-p",
        "no:cacheprovider",
        f"{__file__}::test_this_test_is_not_begun",
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert "SKIPPED [1]" in run.stdout
    assert "0 s are over (--within)" in run.stdout


def test_this_test_is_not_begun():
    pass
