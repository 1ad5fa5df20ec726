"""What the READMEs say is so."""

from __future__ import annotations

import doctest
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from bot.cli import COMMANDS
from bot.commands import play
from skins import shipped_skin_names

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BOT_README = (ROOT / "bot" / "README.md").read_text(encoding="utf-8")
PACKAGES = ("bot", "solver", "skins", "calibration")
ROOMS = ["bot/DESIGN.md", *(f"{name}/README.md" for name in ("solver", "skins", "calibration", "scripts"))]
"""The documents that name rooms."""
DOCUMENTS = ["README.md", ".github/CONTRIBUTING.md", "bot/README.md", "tests/README.md", *ROOMS]
MOST_WORDS = 15
"""Largest number of words in a cell of a table."""


def links(document):
    """What a document shows or points to within the checkout, as paths."""
    text = (ROOT / document).read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    return [(ROOT / document).parent / target for target in targets]


@pytest.mark.parametrize("document", ["README.md", "solver/README.md"])
def test_readme_examples_run(document):
    done = doctest.testfile(str(ROOT / document), module_relative=False, encoding="utf-8")
    assert done.attempted >= 3
    assert done.failed == 0


def test_readme_is_read_in_five_minutes():
    assert len(README.split()) < 1000


def test_readme_lists_every_command():
    assert sorted(re.findall(r"^\| `minebot ([\w-]+)", README, re.MULTILINE)) == sorted(COMMANDS)


def test_readme_lists_every_skin():
    table = README.split("## What it plays")[1].split("##")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)) == shipped_skin_names()


def test_readme_options_of_play_are_those_it_has():
    parser = ArgumentParser()
    play.add_arguments(parser)
    options = {option for action in parser._actions for option in action.option_strings}
    table = BOT_README.split("| option | means |")[1].split("\n\n")[0]
    told = set(re.findall(r"`(--[\w-]+)", table))
    assert told <= options
    usual = {"--now", "--games", "--skin", "--mines", "--record", "--json", "--help", "-h"}
    assert options - told == usual | {"--no-flags"}, "what the table leaves out is told elsewhere"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_readme_links_and_pictures_are_there(document):
    assert [str(path) for path in links(document) if not path.exists()] == []


def test_every_picture_of_the_readmes_is_shown_in_one():
    shown = {path.resolve() for document in DOCUMENTS for path in links(document)}
    assert set((ROOT / "tests" / "screens" / "readme").iterdir()) <= shown


@pytest.mark.parametrize("document", DOCUMENTS)
def test_tables_of_a_document_are_short(document):
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    cells = [cell for line in lines if line.startswith("|") for cell in re.split(r"(?<!\\)\|", line)]
    assert [cell for cell in cells if len(cell.split()) > MOST_WORDS] == []


@pytest.mark.parametrize("document", ROOMS)
def test_document_of_a_package_names_only_rooms_that_it_has(document):
    table = (ROOT / document).read_text(encoding="utf-8").rpartition("|---|---|\n")[2].partition("\n\n")[0]
    folder = (ROOT / document).parent
    named = rooms_in(table)
    missing = [name for name in named if not any((*folder.glob(name), *folder.glob(f"{name}.py")))]
    assert missing == []
    assert len(named) >= 5


def test_design_of_the_bot_names_every_room_of_seeing_and_of_playing():
    text = (ROOT / "bot" / "DESIGN.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| room of `(\w+)/` \| its duty \|\n\|---\|---\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert [name for name, _ in tables] == ["vision", "playing"]
    for name, table in tables:
        modules = {path.stem for path in (ROOT / "bot" / name).glob("*.py")} - {"__init__"}
        assert sorted(rooms_in(table)) == sorted(modules)


def rooms_in(table):
    """What the first column of a table names."""
    return [name for row in table.splitlines() for name in re.findall(r"`([\w.*/]+)`", row.split("|")[1])]
