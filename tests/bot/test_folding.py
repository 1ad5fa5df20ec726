"""What goes to a terminal fits it, at 80 columns and at others, and no word or number is broken."""

from __future__ import annotations

import io
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import COMMANDS, make_parser
from bot.console import Parser, fold, fold_line
from calibration.cli import _parser

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
LINES = st.lists(st.text("ab1,()", min_size=1, max_size=12), min_size=1, max_size=40).map(" ".join)


@given(LINES, st.integers(0, 8), st.integers(12, 80))
def test_fold_line_keeps_every_word_whole_and_fits(words, n_indent, width):
    folded = fold_line(" " * n_indent + words, width)
    assert folded.split() == words.split()
    for line in folded.splitlines():
        assert len(line) <= width or len(line.split()) == 1
        assert line.startswith(" " * n_indent)


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("short", "short"),
        ("one two three four five six", "one two three four\n  five six"),
        ("  one two three four five", "  one two three four\n    five"),
        ("key   what it does at length", "key   what it does\n      at length"),
        ("one two three four  five six", "one two three four\n  five six"),
    ],
)
def test_fold_line_begins_later_lines_farther_in(line, folded):
    assert fold_line(line, 20) == folded


def test_fold_leaves_alone_what_is_for_no_terminal(monkeypatch):
    out = io.StringIO()
    assert fold("word " * 100, out) == "word " * 100
    monkeypatch.setattr(out, "isatty", lambda: True)
    assert fold("word " * 100, out) == "word " * 100, "nobody tells its width"


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", [*COMMANDS, "minebot-calibrate"])
def test_help_fits_the_terminal(name, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    parsers = list(iter_parsers(_parser() if name not in COMMANDS else make_parser([name])))
    assert len(parsers) == (1 if name not in COMMANDS else len(COMMANDS) + 1 + 4 * (name == "skins"))
    for parser in parsers:
        assert [line for line in parser.format_help().splitlines() if len(line) > width] == []


def iter_parsers(parser):
    yield parser
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for inner in action.choices.values():
                yield from iter_parsers(inner)


def test_help_lists_many_choices_where_there_is_room_and_once(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    parser = Parser(prog="x")
    names = [f"name-{n}" for n in range(10)]
    parser.add_argument("--form", choices=names, help="its form")
    parser.add_argument("--other", choices=names, help=f"one that is told: {' '.join(names)}")
    parser.add_argument("--few", choices=["a", "b"], help="one of two")
    told = parser.format_help()
    assert f"--form FORM    its form; one of {', '.join(names)}\n" in told
    assert told.count("name-3") == 2
    assert "--few {a,b}" in told


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_proof_on_a_terminal_is_broken_between_words(screens):
    from terminal_bot import bot_in_terminal

    with bot_in_terminal("advise", str(screens / "winemine-expert-mid.png"), "--why", display=None) as bot:
        assert bot.finish() == 0
        assert bot.left_behind() == []
        shown = ESCAPES.sub(b"", bot.shown).decode().replace("\r\n", "\n")
    assert max(map(len, shown.splitlines())) <= 120
    assert "at least 1 mine in (3,21) (4,21): (2,21) is safe" in " ".join(shown.split())
