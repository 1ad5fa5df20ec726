"""What the README says is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from bot.cli import COMMANDS
from skins import shipped_skin_names

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_examples_run():
    done = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert done.attempted >= 3
    assert done.failed == 0


def test_readme_lists_every_command():
    assert sorted(re.findall(r"^\| `minebot (\w+)", README, re.MULTILINE)) == sorted(COMMANDS)


def test_readme_lists_every_skin():
    table = README.split("## What it plays")[1].split("##")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)) == shipped_skin_names()


def test_readme_pictures_are_there():
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)
