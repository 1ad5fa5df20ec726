"""What is imported on every system needs no Xlib: Windows and macOS have none."""

import os
import subprocess
import sys
from pathlib import Path

from patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
ONLY_ON_LINUX = [ROOT / "bot" / "desktop" / name for name in ("x11", "wlroots", "portal", "xlib.py")]
"""Modules that nobody imports elsewhere."""
BLOCKED = """
import importlib, sys
from unittest.mock import MagicMock
sys.modules |= {"Xlib": None, "pynput": MagicMock(), "pyautogui": MagicMock()}  # these two import it themselves
for name in %r:
    importlib.import_module(name)
"""


def test_every_other_module_is_imported_without_xlib():
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "bot").rglob("*.py"))
        if not {path, path.parent} & set(ONLY_ON_LINUX) and path.stem not in {"__init__", "__main__"}
    ]
    assert len(modules) > 80
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED % modules],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": ":0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
