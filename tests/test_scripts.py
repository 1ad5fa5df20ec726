"""The set-up's decisions: nothing here installs anything or needs a network."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import signal
import sys
import threading
import time
import tomllib
from pathlib import Path

import demo
import progress
import pytest
import setup_env
import system_packages
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from progress import Progress, SetUpError
from setup_env import Stamp
from system_packages import SystemPackage

SCRIPTS = Path(setup_env.__file__).parent
SET_UP_SCRIPTS = [
    *("check.py", "demo.py", "progress.py", "setup_env.py", "system_packages.py"),
    *("windows.py", "windows_env.py", "windows_env.py"),
]

PRESENT = SystemPackage("here", "is here", lambda: True)
ABSENT = SystemPackage("gone", "is needed for something", lambda: False)
PYTHONS = SystemPackage("python3-part", "a part of Python", lambda: False, of_this_python=True)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def on_linux(monkeypatch):
    monkeypatch.setattr(system_packages.platform, "system", lambda: "Linux")


@pytest.fixture
def log_path(tmp_path):
    path = tmp_path / "the log"
    path.touch()
    return path


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of its own in a folder with a name that shells dislike."""
    root = tmp_path / "Jörg's übung & co"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (root / setup_env.LOCK).parent.mkdir()
    (root / setup_env.LOCK).touch()
    monkeypatch.setattr(setup_env, "ROOT", root)
    monkeypatch.setattr(setup_env, "VENV", root / ".venv")
    return root


def make_venv(project, extras=()):
    """A finished environment, as far as the stamp and the set-up can tell."""
    python = Path(setup_env.venv_program("python"))
    python.parent.mkdir(parents=True)
    python.touch()
    stamp = Stamp(setup_env.describe_python(), setup_env.hash_project(), tuple(extras))
    setup_env.write_stamp(project / ".venv", stamp)
    return stamp


def plan(extras=(), to_install=()):
    """The names of the steps still to do."""
    return [title.partition(",")[0] for title, _ in setup_env._plan(to_install, extras)]


EVERYTHING = ["virtual environment", "Python packages"]
PACKAGES_ONLY = EVERYTHING[1:]


# ---------------------------------------------------------------- the stamp


def test_stamp_comes_back_as_written(tmp_path):
    stamp = Stamp("python", "hash", ("dev", "more"))
    setup_env.write_stamp(tmp_path, stamp)
    assert setup_env.read_stamp(tmp_path) == stamp


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"python": "x"}', "\0"])
def test_damaged_stamp_is_no_stamp(tmp_path, text):
    (tmp_path / setup_env.STAMP_NAME).write_text(text, encoding="utf-8")
    assert setup_env.read_stamp(tmp_path) is None


def test_fresh_clone_needs_every_step(project, on_linux):
    assert plan() == EVERYTHING


def test_second_run_has_nothing_to_do(project, on_linux):
    make_venv(project)
    assert plan() == []


def test_changed_pyproject_installs_again_in_the_same_environment(project, on_linux):
    make_venv(project)
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert plan() == PACKAGES_ONLY


def test_other_python_makes_the_environment_anew(project, on_linux, monkeypatch):
    make_venv(project)
    monkeypatch.setattr(setup_env.sys, "base_prefix", "/another/python")
    assert plan() == EVERYTHING


def test_unfinished_environment_is_made_anew(project, on_linux):
    make_venv(project)
    (project / ".venv" / setup_env.STAMP_NAME).unlink()
    assert plan() == EVERYTHING


def test_environment_without_its_python_is_made_anew(project, on_linux):
    make_venv(project)
    Path(setup_env.venv_program("python")).unlink()
    assert plan() == EVERYTHING


def install(project, name="thing", files=("thing/__init__.py", "thing/code.py")):
    """A package in the environment, as pip leaves it."""
    folder = project / ".venv" / "lib" / "python3" / "site-packages"
    for file in (*files, f"{name}-1.dist-info/RECORD"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    rows = [*(f"{file},sha256=x,1" for file in files), "thing/__pycache__/gone.pyc,,", f"{name}-1.dist-info/RECORD,,"]
    (folder / f"{name}-1.dist-info" / "RECORD").write_text("\n".join(rows), encoding="utf-8")
    return folder


def test_environment_with_all_its_files_is_kept(project, on_linux):
    install(project)
    make_venv(project)
    install(project, "more", ["more.py"])
    assert plan() == []


@pytest.mark.parametrize("gone", ["thing/code.py", "thing", "thing-1.dist-info"])
def test_half_deleted_environment_is_made_anew(project, on_linux, gone):
    folder = install(project)
    make_venv(project)
    path = folder / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert plan() == EVERYTHING


def test_tools_are_added_once_and_kept(project, on_linux):
    make_venv(project)
    assert plan(extras=["dev"]) == PACKAGES_ONLY
    setup_env.remove_venv(project / ".venv")
    make_venv(project, extras=["dev"])
    assert plan(extras=["dev"]) == []
    assert plan() == []


def test_interrupted_set_up_leaves_no_stamp(project, on_linux, monkeypatch, log_path):
    make_venv(project)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        setup_env._install_packages(Progress(1, log_path, io.StringIO()), [])
    assert plan() == EVERYTHING


@pytest.mark.parametrize(("system", "needs_no_compiler"), [("Windows", True), ("Darwin", True), ("Linux", False)])
def test_packages_with_compiled_code_are_taken_ready_made_where_no_compiler_can_be_expected(
    project, monkeypatch, log_path, system, needs_no_compiler
):
    make_venv(project)
    commands = []
    monkeypatch.setattr(system_packages.platform, "system", lambda: system)
    monkeypatch.setattr(Progress, "run", lambda _self, command, **_: commands.append(command))
    setup_env._install_packages(Progress(1, log_path, io.StringIO()), [])
    assert ("--only-binary" in commands[0]) == needs_no_compiler


def test_set_up_starts_no_python_that_imports_from_the_current_folder(project, monkeypatch, log_path):
    make_venv(project)
    commands = []
    monkeypatch.setattr(Progress, "run", lambda _self, command, **_: commands.append(command))
    progress = Progress(1, log_path, io.StringIO())
    setup_env._install_packages(progress, [])
    setup_env._settle_xlib(progress)
    setup_env._make_venv(progress)
    assert len(commands) == 5
    assert [command for command in commands if command[1] != "-P"] == []


@pytest.mark.parametrize("is_newest", [False, True])
def test_set_up_installs_what_is_locked_unless_the_newest_is_asked_for(project, monkeypatch, log_path, is_newest):
    make_venv(project)
    commands = []
    monkeypatch.setattr(setup_env, "IS_NEWEST", is_newest)
    monkeypatch.setattr(Progress, "run", lambda _self, command, **_: commands.append(command))
    progress = Progress(1, log_path, io.StringIO())
    setup_env._install_packages(progress, [])
    setup_env._settle_xlib(progress)
    installs = [command for command in commands if "install" in command]
    assert len(installs) == 2
    assert {"--constraint" in command for command in installs} == {not is_newest}


def test_lock_pins_what_the_project_asks_for():
    project = tomllib.loads((setup_env.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (setup_env.ROOT / setup_env.LOCK).read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    versions = {canonicalize_name(pin.name): next(iter(pin.specifier)) for pin in pins}
    assert {pin.operator for pin in versions.values()} == {"=="}
    for text in (*project["dependencies"], *(one for few in project["optional-dependencies"].values() for one in few)):
        wanted = Requirement(text)
        version = versions[canonicalize_name(wanted.name)].version
        assert wanted.specifier.contains(version, prereleases=True), f"{wanted} is locked to {version}"


def test_demo_runs_the_bot_and_not_what_the_current_folder_calls_so(tmp_path, monkeypatch, capfd):
    """The set-up itself is left out: its stamp is that of another test's environment."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__main__.py").write_text("print('imported from the current folder')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(setup_env, "prepare", lambda **_: [])
    monkeypatch.setattr(setup_env, "venv_program", lambda _name: sys.executable)
    assert demo.main(["--help"]) == 0
    captured = capfd.readouterr()
    assert "usage: minebot demo" in captured.out
    assert "What next" not in captured.err


@pytest.mark.parametrize(("arguments", "code", "is_said"), [([], 0, True), (["--json"], 0, False), ([], 130, False)])
def test_demo_ends_with_what_to_do_next(arguments, code, is_said, monkeypatch, capsys):
    monkeypatch.setattr(setup_env, "prepare", lambda **_: [])
    monkeypatch.setattr(setup_env, "run_in_venv", lambda _arguments: code)
    assert demo.main(arguments) == code
    captured = capsys.readouterr()
    assert ("minebot play " in captured.err.partition("What next:\n")[2]) is is_said
    assert captured.out == ""


def test_package_that_cannot_be_had_is_told_of_with_what_to_do(project, monkeypatch, log_path):
    make_venv(project)

    def fail(_self, _command, **_):
        raise SetUpError("No matching distribution found for python-sat")

    monkeypatch.setattr(Progress, "run", fail)
    with pytest.raises(SetUpError, match=r"(?s)found for python-sat.*none ready-made.*64 bits,\nfrom 3.11 on"):
        setup_env._install_packages(Progress(1, log_path, io.StringIO()), [])


def test_half_made_environment_is_removed_whatever_it_is(tmp_path):
    folder, file, nothing = tmp_path / "folder", tmp_path / "file", tmp_path / "nothing"
    (folder / "bin").mkdir(parents=True)
    file.touch()
    for path in (folder, file, nothing):
        setup_env.remove_venv(path)
        assert not path.exists()


# ---------------------------------------------------------------- system packages


def test_only_missing_packages_are_found(on_linux):
    assert system_packages.find_missing([PRESENT, ABSENT]) == [ABSENT]


@pytest.mark.parametrize("system", ["Windows", "Darwin"])
def test_other_systems_lack_nothing(monkeypatch, system):
    monkeypatch.setattr(system_packages.platform, "system", lambda: system)
    assert system_packages.find_missing([ABSENT]) == []


def test_table_names_each_package_once_with_a_purpose():
    packages = [*system_packages.FOR_THE_BOT, *system_packages.FOR_REAL_CLONES]
    names = [package.name for package in packages]
    assert len(names) == len(set(names))
    assert all(package.purpose for package in packages)


def test_probes_find_what_is_there_and_nothing_else(tmp_path):
    assert system_packages._program(sys.executable)()
    assert system_packages._module("json")()
    assert system_packages._file(tmp_path / "no", tmp_path)()
    assert not system_packages._program("no-such-program")()
    assert not system_packages._module("no_such_module")()
    assert not system_packages._library("libno-such-library.so.1")()
    assert not system_packages._file(tmp_path / "no")()


def test_needed_package_that_may_not_be_installed_stops_with_the_command(project, on_linux, monkeypatch):
    monkeypatch.setattr(system_packages, "may_install", lambda: False)
    monkeypatch.setattr(system_packages.shutil, "which", lambda name: name)
    with pytest.raises(SetUpError) as stopped:
        setup_env.prepare(needed=[PRESENT, ABSENT])
    message = str(stopped.value)
    assert "sudo apt-get install -y --no-install-recommends gone" in message
    assert "is needed for something" in message
    assert "here" not in message.split()
    assert not (project / ".venv").exists()


def test_other_distribution_is_told_the_names_without_apt(on_linux, monkeypatch):
    monkeypatch.setattr(system_packages.shutil, "which", lambda _name: None)
    message = system_packages.explain([ABSENT])
    assert "gone" in message
    assert "package manager" in message
    assert "apt-get" not in message


def test_apt_is_not_asked_for_a_part_of_a_python_it_did_not_install(project, on_linux, monkeypatch):
    monkeypatch.setattr(system_packages, "is_debians_python", lambda: False)
    monkeypatch.setattr(system_packages, "may_install", lambda: True)
    with pytest.raises(SetUpError, match="was built without: python3-part"):
        setup_env.prepare(needed=[PYTHONS])


def test_wished_package_that_may_not_be_installed_is_reported(project, on_linux, monkeypatch):
    make_venv(project)
    monkeypatch.setattr(system_packages, "may_install", lambda: False)
    assert setup_env.prepare(needed=[PRESENT], wished=[PRESENT, ABSENT]) == [ABSENT]


def test_missing_packages_are_installed_in_one_go(on_linux, monkeypatch, log_path):
    commands = []
    monkeypatch.setattr(Progress, "run", lambda _self, command, **_: commands.append(command))
    system_packages.install([ABSENT, PYTHONS], Progress(1, log_path, io.StringIO()))
    assert [command[-1] for command in commands] == ["update", "python3-part"]
    assert commands[1][-5:] == ["install", "-y", "--no-install-recommends", "gone", "python3-part"]


# ---------------------------------------------------------------- Python's age


def test_old_python_is_told_which_one_is_needed():
    message = setup_env.complain_about_python((3, 8))
    assert message is not None
    assert "3.11 or newer" in message
    assert "this is 3.8" in message


@pytest.mark.parametrize("version", [(3, 11), (3, 13), (4, 0)])
def test_new_python_is_welcome(version):
    assert setup_env.complain_about_python(version) is None


def test_old_python_ends_with_exit_code_2(monkeypatch, capsys):
    monkeypatch.setattr(setup_env, "OLDEST_PYTHON", (9, 9))
    assert setup_env.run_as_script(lambda _: 0) == 2
    assert "9.9 or newer" in capsys.readouterr().err


@pytest.mark.parametrize("name", SET_UP_SCRIPTS)
def test_old_python_can_parse_the_set_up(name):
    ast.parse((SCRIPTS / name).read_text(encoding="utf-8"), feature_version=(3, 8))


# ---------------------------------------------------------------- ends


def test_ctrl_c_ends_quietly_with_130(capsys):
    def interrupted(_arguments):
        raise KeyboardInterrupt

    assert setup_env.run_as_script(interrupted) == 130
    assert capsys.readouterr().err == ""


def test_failed_set_up_ends_with_its_message(capsys):
    def fail(_arguments):
        raise SetUpError("install this")

    assert setup_env.run_as_script(fail) == 1
    assert "install this" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="a signal's exit code")
def test_program_of_the_environment_gives_its_exit_code(monkeypatch):
    monkeypatch.setattr(setup_env, "venv_program", lambda _name: sys.executable)
    assert setup_env.run_in_venv(["-c", "raise SystemExit(3)"]) == 3
    assert setup_env.run_in_venv(["-c", "import os; os.kill(os.getpid(), 15)"]) == 143


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("1", True), ("false", False), ("", False)])
def test_ci_is_what_the_environment_says(monkeypatch, value, expected):
    monkeypatch.setenv("CI", value)
    assert setup_env.is_ci() is expected


# ---------------------------------------------------------------- progress


def python(code):
    return [sys.executable, "-c", code]


def test_step_is_one_plain_line_where_there_is_no_terminal(log_path):
    shown = io.StringIO()
    steps = Progress(2, log_path, shown)
    with steps.step("first"):
        steps.run(python("print('chatter')"))
    with steps.step("second"):
        pass
    assert re.fullmatch(r"\[1/2\] first \.\.\. \d+ s\n\[2/2\] second \.\.\. \d+ s\n", shown.getvalue())
    assert "chatter" in log_path.read_text(encoding="utf-8")


def test_step_on_a_terminal_shows_what_its_program_says(log_path, monkeypatch):
    monkeypatch.setattr(progress, "REDRAW_S", 0.02)
    shown = Terminal()
    steps = Progress(3, log_path, shown)
    with steps.step("first"):
        steps.run(python("import time; print('chatter', flush=True); time.sleep(0.5)"))
    text = shown.getvalue()
    assert re.search(r"\[1/3\] first \[---\] \d s  chatter", text)
    assert re.search(r"\r\x1b\[K\[1/3\] first \.\.\. \d s\n$", text)


def test_failing_program_shows_the_end_of_its_own_output(log_path):
    shown = io.StringIO()
    steps = Progress(1, log_path, shown)
    steps.run(python("print('of another program')"))
    noisy = "import sys; [print('line', n) for n in range(100)]; sys.exit('the cause')"
    with pytest.raises(SetUpError) as failed, steps.step("first"):
        steps.run(python(noisy))
    message = str(failed.value)
    assert "the cause" in message
    assert "exit code 1" in message
    assert str(log_path) in message
    assert "line 99" in message
    assert "line 5\n" not in message
    assert "of another program" not in message
    assert "did not finish" in shown.getvalue()


def test_command_line_itself_is_not_shown_as_its_output(log_path, monkeypatch):
    monkeypatch.setattr(progress, "REDRAW_S", 0.02)
    shown = Terminal()
    steps = Progress(1, log_path, shown)
    with steps.step("first"):
        steps.run(python("import time; time.sleep(0.2)"))
    assert "import time" not in shown.getvalue()


def test_missing_program_is_a_set_up_error(log_path):
    with pytest.raises(SetUpError, match="cannot start no-such-program"):
        Progress(1, log_path, io.StringIO()).run(["no-such-program"])


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_interrupted_step_stops_its_program(log_path, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.2)
    pid_path = tmp_path / "pid"
    code = f"import os, pathlib, time; pathlib.Path({str(pid_path)!r}).write_text(str(os.getpid())); time.sleep(60)"

    def interrupt():
        while not (pid_path.exists() and pid_path.read_text()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        Progress(1, log_path, io.StringIO()).run(python(code))
    interrupter.join()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_path.read_text()), 0)
