"""Making CPython for Windows: what is refused, and that nothing unfinished is ever used. No network is needed."""

from __future__ import annotations

import hashlib
import sys
import zipfile

import progress
import pytest
import system_packages
import windows_env
from packaging.requirements import Requirement
from windows_env import WindowsPython, windows_path


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, on a machine that lacks no program, and whose pip knows the wheels of one folder only."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(windows_env.CACHE_VARIABLE, str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setattr(system_packages, "find_missing", lambda _packages: [])
    return folder


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """A function that locks one package, the carrier of Python."""
    folder = tmp_path / "lock"
    folder.mkdir()
    monkeypatch.setattr(windows_env, "LOCK", folder)
    return (folder / "python.txt").write_text


def write_wheel(folder, **files):
    """A wheel of the package `carrier`, with some files; returns its hash."""
    path = folder / "carrier-1.0-py3-none-any.whl"
    described = {
        "carrier-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n",
        "carrier-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "carrier-1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in {**described, **files}.items():
            wheel.writestr(name, content)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def refused(cache):
    """What `prepare` complains of; nothing but its log may be left in the cache."""
    with pytest.raises(progress.SetUpError) as refusal:
        windows_env.prepare()
    assert [path.name for path in cache.glob("*") if path.name != windows_env.LOG_NAME] == []
    return str(refusal.value)


def test_a_package_that_cannot_be_had_is_named(cache, lock):
    lock("no-such-carrier==1.0 --hash=sha256:" + "0" * 64)
    message = refused(cache)
    assert "python.txt cannot be had" in message
    assert "no-such-carrier==1.0" in message


def test_a_package_with_another_hash_is_refused(cache, lock, tmp_path):
    found = write_wheel(tmp_path)
    lock("carrier==1.0 --hash=sha256:" + "0" * 64)
    message = refused(cache)
    assert "python.txt" in message
    assert found in message


def test_a_python_without_wheels_is_told_of_with_its_version(cache, monkeypatch):
    monkeypatch.setattr(windows_env, "VERSIONS", ((3, 9), (3, 10)))
    found = "{}.{}".format(*sys.version_info)
    assert refused(cache) == f"`windows_lock` has wheels for Python 3.9 and 3.10, and this is {found}"


def test_a_missing_compiler_is_told_of_with_its_package(cache, monkeypatch):
    absent = system_packages.SystemPackage("gcc-of-windows", "compiles", lambda: False)
    monkeypatch.setattr(system_packages, "find_missing", lambda _packages: [absent])
    assert "gcc-of-windows" in refused(cache)


def test_a_finished_environment_is_used_at_once_and_only_for_its_own_lock(cache, lock):
    lock("no-such-carrier==1.0 --hash=sha256:" + "0" * 64)
    finished = cache / windows_env._stamp()
    finished.mkdir(parents=True)
    assert windows_env.prepare() == WindowsPython(finished, cache)
    lock("no-such-carrier==2.0 --hash=sha256:" + "0" * 64)
    with pytest.raises(progress.SetUpError):
        windows_env.prepare()


def test_every_locked_package_has_version_and_hashes():
    lines = [line for path in windows_env.LOCK.iterdir() for line in path.read_text().splitlines()]
    packages = [line for line in lines if not line.startswith("#")]
    assert len(packages) > 20
    for line in packages:
        requirement, *digests = line.split(" --hash=sha256:")
        assert [one.operator for one in Requirement(requirement).specifier] == ["=="], line
        assert {len(bytes.fromhex(digest)) for digest in digests} == {32}, line


def test_environment_of_a_command_holds_nothing_of_this_python(monkeypatch, tmp_path):
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTEST_CURRENT_TEST"):
        monkeypatch.setenv(name, "/of/linux")
    variables = WindowsPython(tmp_path / "python-1", tmp_path).environment(DISPLAY=":77")
    assert "/of/linux" not in variables.values()
    assert variables["DISPLAY"] == ":77"
    assert variables["NUMBA_CACHE_DIR"] == windows_path(tmp_path / "numba")
    assert windows_path(tmp_path).startswith("Z:\\")
    assert "/" not in windows_path(tmp_path)
