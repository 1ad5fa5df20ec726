"""`minebot analyse` refuses what is no position; a picture goes to the clipboard by the program for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from bot.cli import main
from bot.clipboard import write_picture
from bot.errors import ScreenError

REPLAY = Path(__file__).parents[2] / "golden" / "replays" / "expert-lost-rmv.rawvf"


@pytest.mark.skipif(sys.platform == "win32", reason="X11's and Wayland's programs copy pictures")
def test_a_picture_is_copied_by_the_program_for_it(tmp_path, monkeypatch):
    program, got = tmp_path / "xclip", tmp_path / "got"
    program.write_text(f'#!/bin/sh\necho "$@" > {got}.words\ncat > {got}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("DISPLAY", ":1")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    pixels = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    write_picture(pixels)
    assert np.array_equal(cv2.imdecode(np.frombuffer(got.read_bytes(), np.uint8), cv2.IMREAD_COLOR), pixels)
    assert Path(f"{got}.words").read_text() == "-selection clipboard -t image/png\n"
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(ScreenError, match="save it instead"):
        write_picture(pixels)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"##\n#\n", "expected 2 cells in row 1, got 1"),
        (b"\x00\x01\xff", "board.txt: "),
        (b"; shape: 2x2x2\n##\n##\n##\n##\n", "expected a size of two dimensions or four, such as 9x9, got 2x2x2"),
        (b"; mines: 5\n##\n", "expected 0 to 2 mines"),
        (
            b"Width: 2\nHeight: 1\nMines: 1\nBoard:\n*0\nEvents:\nnonsense 3\n0.1 xx\n",
            "left out 2 events of no known kind: 'nonsense', 'xx'",
        ),
    ],
)
def test_analyse_refuses_what_is_no_position(content, said, tmp_path, capsys):
    path = tmp_path / "board.txt"
    if content is not None:
        path.write_bytes(content)
    assert main(["analyse", str(path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["board.txt", "--size", "9x9"], "--size is about an empty board"),
        (["--size", "2x2", "--mines", "9"], "--mines: expected 0 to 4 mines"),
        ([str(REPLAY), "--mines", "9"], "is a replay: it has its own mines"),
        (["--size", "200x3"], "--size: expected 1 to 100 rows, got 200"),
    ],
)
def test_analyse_refuses_arguments_that_do_not_fit(arguments, said, capsys):
    assert main(["analyse", *arguments]) == 2
    assert said in capsys.readouterr().err
