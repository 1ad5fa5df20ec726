"""Wrong uses of the commands: each is told in a line or two that say what happened and what to do.

PYTHONPATH=.:tests/support python tests/bot/test_wrong_uses.py      prints what is said of each
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from bot_process import environment

from bot.cli import main as minebot
from calibration.cli import main as calibrate

SCREENS = Path(__file__).parents[1] / "screens"
MAINS = {"minebot": minebot, "minebot-calibrate": calibrate}
NO_DISPLAY = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE")

# What is typed, the exit code, and words that say what happened or what to do. {tmp} is a folder with a few files.
USES = [
    # a word that is nearly right, or not at all
    ("minebot plya", 2, "did you mean play"),
    ("minebot simualte expert", 2, "did you mean simulate"),
    ("minebot open-the-game", 2, "'minebot --help'"),
    ("minebot play --game 5 --flgs", 2, "did you mean"),
    ("minebot play --speed turbo", 2, "expected max, fast or human"),
    ("minebot skins shwo classic", 2, "did you mean show"),
    ("minebot simulate exprt", 2, "there is no preset 'exprt': did you mean expert"),
    ("minebot simulate expert --policy brave", 2, "expected fast, strong or max"),
    ("minebot read {screens}/minebot-expert-mid.png --skin winmine", 2, "did you mean winemine"),
    ("minebot completion bsh", 2, "there is no shell 'bsh': did you mean bash"),
    # a file that is not there, is something else, or cannot be written
    ("minebot read {tmp}/missing.png", 2, "missing.png: cannot be read (No such file"),
    ("minebot read {tmp}/missing.png --picture {tmp}/old.png", 2, "missing.png: cannot be read (No such file"),
    ("minebot advise {tmp}/missing.txt --picture {tmp}/old.png", 2, "missing.txt: cannot be read (No such file"),
    ("minebot read {tmp}", 2, "cannot be read"),
    ("minebot read {tmp}/board.txt", 2, "expected a picture"),
    ("minebot solve {screens}/minebot-expert-mid.png", 2, "it is a picture"),
    ("minebot read {screens}/minebot-expert-mid.png --picture {tmp}/no-folder/out.png", 2, "No such file"),
    ("minebot read {screens}/minebot-expert-mid.png --picture {tmp}/out.jpg", 2, "ends in .png"),
    ("minebot read {tmp}/cut.png", 2, "cut off perhaps"),
    ("minebot replay {tmp}", 2, "expected a folder that 'minebot play --record' made"),
    ("minebot review {tmp}/board.txt", 2, "board.txt"),
    ("minebot game --board {tmp}/missing.txt", 2, "missing.txt"),
    ("minebot simulate --boards {tmp}/board.txt", 2, "board.txt"),
    ("minebot simulate beginner --out {tmp}/board.txt", 2, "name another file"),
    ("minebot skins import-sheet {tmp}/board.txt --name mine", 2, "board.txt"),
    ("minebot skins show no-such", 2, "no-such"),
    ("minebot convert {tmp}/board.txt --to nonsense", 2, "--to"),
    # a board that is none
    ("minebot solve {tmp}/ragged.txt", 2, "row"),
    ("minebot solve {tmp}/letters.txt", 2, "row"),
    ("minebot solve {tmp}/empty.txt", 2, "empty.txt"),
    ("minebot solve {tmp}/contradiction.txt", 3, "(0,"),
    ("minebot advise {tmp}/contradiction.txt", 3, "(0,"),
    ("minebot advise {tmp}/guess.txt", 2, "--mines"),
    ("minebot solve {tmp}/board.txt --mines 99", 2, "expected 0 to 4 mines"),
    ("minebot read {screens}/msx-skin-mario-mid.png", 4, "no skin fits the 16x16 grid"),
    # numbers and sizes that cannot be
    ("minebot play --games 0", 2, "1 or more"),
    ("minebot play --region 1,2,3", 2, "LEFT,TOP,WIDTH,HEIGHT"),
    ("minebot play --risk-limit 7", 2, "from 0 to 1"),
    ("minebot play --minutes 0", 2, "above 0"),
    ("minebot game --size 9", 2, "such as 9x9, got 9"),
    ("minebot game --size 0x9 --mines 3", 2, "expected 1 to 100 rows, got 0"),
    ("minebot game --size 9x9 --mines 81", 2, "mines"),
    ("minebot generate --size 100000x100000 --mines 10", 2, "1 to 1,000,000 cells"),
    ("minebot simulate --size 9x9", 2, "--mines"),
    ("minebot simulate beginner -n 0", 2, "1 or more"),
    ("minebot simulate beginner --jobs 100000", 2, "--jobs"),
    ("minebot solve {tmp}/board.txt --explain 77,5", 2, "77,5"),
    ("minebot density 3x3 --from 99", 2, "99"),
    # options that do not go together, or nothing at all to work on
    ("minebot solve", 2, "missing: BOARD"),
    ("minebot play --dry-run --record {tmp}/new", 2, "--dry-run or --record"),
    ("minebot play --efficient --flags", 2, "--efficient or --flags"),
    ("minebot play --hotkey nokey --now", 5, "no display"),
    ("minebot simulate expert --backend dask", 2, "--scheduler"),
    ("minebot advise {tmp}/board.txt --whole", 2, "--whole is about pictures"),
    ("minebot-calibrate --name mine", 2, "expected pictures"),
    ("minebot-calibrate {screens}/msx-skin-winxp-mid.png --name classic", 2, "comes with the program"),
    ("minebot-calibrate {tmp}/missing.png --name mine", 2, "missing.png"),
    ("minebot-calibrate {screens}/msx-skin-winxp-mid.png", 2, "--name"),
    # no screen
    ("minebot play --now", 5, "no display"),
    ("minebot coach", 5, "no display"),
    ("minebot game", 5, "no display"),
    ("minebot advise --screen", 5, "no display"),
    ("minebot read --clipboard", 5, "name the file instead of --clipboard"),
    ("minebot advise --clipboard", 5, "name the file instead of --clipboard"),
    ("minebot analyse --clipboard", 5, "no display"),
    ("minebot-calibrate --live --yes --name mine", 5, "no display"),
]


def make_files(folder):
    """The files that the uses name."""
    texts = {
        "board.txt": "; mines: 1\n1#\n11\n",
        "ragged.txt": "###\n##\n",
        "letters.txt": "#a#\n###\n",
        "empty.txt": "",
        "contradiction.txt": "; mines: 2\n8#\n##\n",
        "guess.txt": "1##\n###\n###\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "old.png").write_bytes(b"old")
    (folder / "cut.png").write_bytes((SCREENS / "minebot-expert-mid.png").read_bytes()[:300])


def use(line, folder):
    """Type it; returns the exit code, the output, and what was said."""
    program, *words = line.split()
    output, said = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(said):
        try:
            code = MAINS[program]([word.format(tmp=folder, screens=SCREENS) for word in words])
        except SystemExit as end:
            code = end.code
    return code, output.getvalue(), said.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="there is always a display")
@pytest.mark.parametrize(("line", "code", "words"), USES, ids=[line for line, _, _ in USES])
def test_wrong_use_is_told_in_two_lines(line, code, words, tmp_path, monkeypatch):
    for name in NO_DISPLAY:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "skins"))
    make_files(tmp_path)
    came, output, said = use(line, tmp_path)
    assert (came, output) == (code, ""), said
    assert said.startswith(f"{line.split()[0]}: ")
    assert said.count("\n") <= 2
    assert words in said
    assert "Traceback" not in said
    assert "fault of minebot" not in said
    assert (tmp_path / "old.png").read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="it is about devices as Unix has them")
@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        ("read {tmp}/cut.png", "", "cut.png: expected a whole picture (PNG, BMP, JPEG), got a damaged one"),
        ("advise -", "", "standard input: expected at least one row of cells, got none"),
        ("advise -", "nonsense", "standard input: expected one of #F?*Xx+! or a number, got 'n' at row 0, column 0"),
        ("simulate beginner --out /dev/full", "", "/dev/full: expected a file to keep games in, got a device"),
    ],
)
def test_wrong_use_is_told_in_a_line_by_a_process_and_its_libraries(words, typed, said, tmp_path):
    make_files(tmp_path)
    command = [sys.executable, "-m", "bot", *words.format(tmp=tmp_path).split()]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, check=False, env=environment(None))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert said in done.stderr


if __name__ == "__main__":
    for name in NO_DISPLAY:
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        os.environ["MINEBOT_SKINS"] = str(Path(folder) / "skins")
        for line, code, words in USES:
            came, output, said = use(line, folder)
            flaw = "" if (came, output) == (code, "") and words in said and said.count("\n") <= 2 else "   <--"
            told = said.replace(folder, "TMP").replace(str(SCREENS), "SCREENS")
            sys.stdout.write(f"$ {line}   [{came}]{flaw}\n{told}{output}")
