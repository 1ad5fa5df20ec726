"""Which platform is made, and what is imported for it."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from bot_process import environment

from bot.cli import make_parser
from bot.desktop import factory
from bot.desktop.factory import Kind, kind_here
from bot.errors import UsageError

FOLDERS = {
    "x11": {"general", "x11"},
    "wlroots": {"wlroots"},
    "portal": {"portal"},
    "win32": {"general", "win32"},
    "general": {"general"},
}
MADE = """
import sys
from bot.desktop import this_platform
this_platform(sys.argv[1])
parts = {tuple(name.split(".")) for name in sys.modules}
print(*{part[2] for part in parts if part[:2] == ("bot", "desktop") and part[2:] and part[2] in %r})
print(*sorted({part[0] for part in parts} & {"Xlib", "mss", "pyautogui", "pynput", "pywayland", "jeepney", "cffi"}))
"""


@pytest.mark.parametrize("kind", get_args(Kind))
def test_platform_of_a_kind_imports_no_other_kind_and_no_library(kind):
    code = MADE % (set(FOLDERS),)
    command = [sys.executable, "-c", code, kind]
    done = subprocess.run(command, env=environment(None), capture_output=True, text=True, check=True)
    folders, libraries = done.stdout.split("\n")[:2]
    assert set(folders.split()) == FOLDERS[kind]
    assert libraries == ""


def test_desktop_that_a_person_chooses_is_taken(monkeypatch):
    monkeypatch.setattr(factory, "_chosen", [])
    monkeypatch.setattr(sys, "platform", "linux")
    make_parser(["play"]).parse_args(["play", "--desktop", "portal"])
    assert kind_here() == "portal"


def test_desktop_cannot_be_chosen_where_there_is_one_alone(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UsageError, match="chosen on Linux alone"):
        make_parser(["doctor"]).parse_args(["doctor", "--desktop", "portal"])


@pytest.mark.parametrize(("system", "kind"), [("win32", "win32"), ("darwin", "general"), ("linux", "x11")])
def test_kind_of_this_machine_is_that_of_its_system(monkeypatch, system, kind):
    monkeypatch.setattr(sys, "platform", system)
    assert kind_here() == kind
