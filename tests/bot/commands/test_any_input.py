"""Whatever is put to a command, it ends with a documented exit code and says why; none ends as a fault of minebot."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from amounts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli import main, make_parser

TESTS = Path(__file__).parents[2]
SOURCES = [
    *sorted((TESTS / "golden" / "seed-boards").glob("*.txt"))[::4],
    *sorted((TESTS / "golden" / "text-boards").glob("*.txt"))[::8],
    *sorted(filter(Path.is_file, (TESTS / "golden" / "replays").iterdir()))[::4],
    *sorted((TESTS / "screens" / "cases").glob("*.png")),
    TESTS.parent / "skins" / "data" / "classic" / "sprites.png",
]
"""Files of every kind that a command may be given."""
COMMANDS = {
    "solve": {0, 1, 2, 3},
    "advise": {0, 2, 3, 4},
    "read": {0, 2, 4},
    "map": {0, 1, 2, 3},
    "advisor": {0, 1, 2, 3},
    "convert": {0, 2},
    "render": {0, 2},
    "replay": {0, 1, 2},
    "review": {0, 2},
    "skins": {0, 1, 2},
    "generate": {0, 2},
}
"""What each may end with; those left out need a screen, or work for long."""
LEFT_OUT = {"--help", "-h", "--screen", "--clipboard", "--jobs", "--backend", "--scheduler", "--boards", "--force"}
"""Options that look at the screen, start processes, or write outside the test's folder."""
NUMBERS = ("1", "2", "10", "0", "-1", "nan", "inf", "1.5", "1e999", "9" * 5000, "٣", "")
CELLS = ("0,0", "2,3", "0,0,0", "99,99", "-1,0", "a,b", ",", "9" * 30 + ",0")
SHAPES = ("9,9", "4x4", "3,3,3", "0,0", "100000,100000", "1," * 99 + "1", "1.5,2", "")
NAMES = (
    "classic",
    "4d",
    "auto",
    "expert",
    "rows",
    "sgt-mines",
    "..",
    "no such",
    "a" * 300,
    "\udc80",
    "a\0b",
    "-",
    "https://a?analysis=aeacaaacaVltl",
)
OF_METAVAR = {"N": NUMBERS, "S": NUMBERS, "SECONDS": NUMBERS, "R,C": CELLS, "SHAPE": SHAPES, "RxC": SHAPES}
PIECES = (b"", b"\x00", b"9", b"-", b"\xff\xff\xff\xff", b"[[", b"1e999", b"; mines: 9\n", b"#" * 999)


@st.composite
def files(draw, folder):
    """The path of a file that is whole or broken in a few places, of a folder, or of nothing."""
    content = draw(st.sampled_from(SOURCES).map(Path.read_bytes))
    for place, piece, n_lost in draw(
        st.lists(st.tuples(st.integers(0), st.sampled_from(PIECES), st.sampled_from((0, 1, 8, 10**9))), max_size=4)
    ):
        at = place % (len(content) + 1)
        content = content[:at] + piece + content[at + n_lost :]
    path = folder / draw(st.sampled_from(("given.txt", "given.png", "given.mvf", "given.rawvf")))
    path.write_bytes(content)
    return str(draw(st.sampled_from((path, path, path, path, folder, folder / "none"))))


@st.composite
def values(draw, action, folder):
    """A word for an option or argument, which may make sense."""
    if action.choices:
        return draw(st.sampled_from([*map(str, action.choices), "no such"]))
    if action.dest in ("out", "output", "picture", "html", "plot"):
        return str(folder / draw(st.sampled_from(("out.png", "out.txt", "out.gif", "no/such/out.png"))))
    if action.metavar in OF_METAVAR:
        return draw(st.sampled_from(OF_METAVAR[action.metavar]))
    return draw(files(folder) | st.sampled_from((*NUMBERS, *CELLS, *SHAPES, *NAMES)))


@st.composite
def command_lines(draw, command, actions, folder):
    """The words after `minebot`: every positional argument, and some options."""
    words = [command]
    for action in actions:
        if not action.option_strings:
            words.append(draw(values(action, folder)))
        elif not LEFT_OUT & set(action.option_strings) and (action.required or draw(st.integers(0, 5)) == 0):
            words.append(action.option_strings[-1])
            words += [] if action.nargs == 0 else [draw(values(action, folder))]
    return words


@pytest.mark.parametrize("command", COMMANDS)
def test_command_ends_as_documented_whatever_is_put_to_it(command, tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "skins"))
    monkeypatch.chdir(tmp_path)
    (subparsers,) = (action for action in make_parser([command])._actions if action.dest == "command")
    actions = subparsers.choices[command]._actions

    @settings(max_examples=examples(40))
    @given(command_lines(command, actions, tmp_path), st.sampled_from(("", "1\n2\nundo\nquit\n", "##1\n###\n")))
    def ends_as_documented(words, answers):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answers.encode())))
        with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as remarks:
            code = main(words)
        assert code in COMMANDS[command], remarks.getvalue()
        assert "Traceback" not in output.getvalue() + remarks.getvalue()
        assert code != 2 or remarks.getvalue()
        if code == 0 and "--json" in words:
            json.loads(output.getvalue())

    ends_as_documented()
