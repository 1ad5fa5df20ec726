"""What the README says is so."""

from __future__ import annotations

import doctest
import re
from argparse import ArgumentParser
from pathlib import Path

from bot.cli import COMMANDS
from bot.commands import play
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


def test_readme_map_names_every_module_of_the_bot():
    map_of_bot = README.split("bot/           perceive")[1].split("calibration/")[0]
    rooms = ("", "vision", "playing", "telling")
    modules = {path.stem for room in rooms for path in (ROOT / "bot" / room).glob("*.py")} - {"__init__", "__main__"}
    assert modules <= set(re.findall(r"\w+", map_of_bot))
    packages = {path.parent.name for path in (ROOT / "bot").glob("*/**/__init__.py")}
    assert packages == set(re.findall(r"\b(\w+)/", map_of_bot))


def test_readme_options_of_play_are_those_it_has():
    parser = ArgumentParser()
    play.add_arguments(parser)
    options = {option for action in parser._actions for option in action.option_strings}
    table = README.split("| option | means |")[1].split("\n\n")[0]
    told = set(re.findall(r"`(--[\w-]+)", table))
    assert told <= options
    usual = {"--now", "--games", "--skin", "--mines", "--record", "--json", "--help", "-h"}
    assert options - told == usual | {"--no-flags", "--no-chord"}, "what the table leaves out is told elsewhere"


def test_readme_pictures_are_there():
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)
