"""What the tests of reviews share."""

from __future__ import annotations

import importlib
import sys

import pytest
import setup_env


@pytest.fixture(scope="session")
def ms_toollib():
    """The library that reads other programs' replays. Without it a test is skipped; in CI it fails, but on Windows."""
    try:
        return importlib.import_module("ms_toollib")
    except ImportError:
        told = "needs ms_toollib: pip install '.[review]'"
        if setup_env.is_ci() and sys.platform != "win32":  # its lock of wheels does without
            pytest.fail(told, pytrace=False)
        pytest.skip(told)
