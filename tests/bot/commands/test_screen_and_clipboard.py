"""`read` and `advise` look at the screen and at the clipboard: real ones, of a virtual screen."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from bot_process import environment, run_bot, running_bot
from patience import PATIENCE_S
from PIL import Image, ImageGrab

from bot.cli import main
from bot.clipboard import read_clipboard
from bot.errors import UsageError

SCREENS = Path(__file__).parents[2] / "screens"
OWNER = """
import sys, tkinter
window = tkinter.Tk()
window.withdraw()
window.clipboard_clear()
window.clipboard_append(sys.argv[1])
window.update()
print("copied", flush=True)
window.mainloop()
"""


@contextmanager
def copied(text, display):
    """A program that has copied a text to the display's clipboard, and is there while the block runs."""
    command = [sys.executable, "-c", OWNER, text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(display)) as owner:
        try:
            assert owner.stdout.readline() == "copied\n"
            yield
        finally:
            owner.kill()


@pytest.mark.screen
def test_screen_is_looked_at_once(bare_display):
    game = running_bot("game", "--seed", "1", "--best-times", "none", "--position", "40,60", display=bare_display)
    with game:
        deadline = time.monotonic() + PATIENCE_S
        code, output, said = 4, "", ""
        while code == 4 and time.monotonic() < deadline:  # its window is not up yet
            code, output, said = run_bot("read", "--screen", "--json", display=bare_display)
        assert code == 0, said
        (board,) = json.loads(output)["boards"]
        assert (board["skin"], board["state"], board["board"]) == ("minebot", "fresh", ["#" * 9] * 9)
        code, output, said = run_bot("advise", "--screen", "--json", display=bare_display)
        assert code == 0, said
        assert json.loads(output)["move"]["action"] == "open"


@pytest.mark.screen
def test_text_on_the_clipboard_is_advised_on(bare_display):
    with copied("####\n1221\n", bare_display):
        code, output, said = run_bot("advise", "--clipboard", "--json", display=bare_display)
        assert code == 0, said
        assert json.loads(output)["safe"] == [[0, 0], [0, 3]]
        code, output, said = run_bot("read", "--clipboard", display=bare_display)
        assert (code, output) == (2, "")
        assert "expected a picture on the clipboard, got a text" in said
    with copied("https://davidnhill.github.io/JSMinesweeper/index.html?analysis=aeacaaacaVltl", bare_display):
        code, output, said = run_bot("advise", "--clipboard", "--json", display=bare_display)
        assert code == 0, said
        assert json.loads(output)["safe"] == [[0, 0], [0, 3]]
    with copied("12\n345", bare_display):
        code, _, said = run_bot("advise", "--clipboard", display=bare_display)
        assert code == 2
        assert said.startswith("minebot: the clipboard: expected")


def test_picture_on_the_clipboard_is_read_as_the_file_is(monkeypatch, capsys):
    """Pillow asks the system; here it answers with a picture of a screen, as a person copies it."""
    path = SCREENS / "minebot-expert-mid.png"
    assert main(["read", str(path), "--json"]) == 0
    told = capsys.readouterr().out
    monkeypatch.setattr(ImageGrab, "grabclipboard", lambda: Image.open(path))
    assert main(["read", "--clipboard", "--json"]) == 0
    assert capsys.readouterr().out == told
    monkeypatch.setattr(ImageGrab, "grabclipboard", lambda: [str(path)])  # a file that was copied, on Windows
    assert main(["read", "--clipboard", "--json"]) == 0
    assert capsys.readouterr().out == told


@pytest.mark.parametrize(
    ("text", "hint"), [("", "neither; pictures need xclip"), (" \n", "neither; pictures need xclip")]
)
def test_empty_clipboard_is_told_with_what_pictures_need(text, hint, monkeypatch):
    def lacking():
        raise NotImplementedError

    monkeypatch.setattr(ImageGrab, "grabclipboard", lacking)
    monkeypatch.setattr("bot.clipboard._text", lambda: text)
    with pytest.raises(UsageError, match=hint):
        read_clipboard()


@pytest.mark.parametrize("command", ["read", "advise"])
def test_one_source_is_expected(command, capsys):
    assert main([command]) == 2
    assert "one of the arguments" in capsys.readouterr().err
    assert main([command, "a.png", "--screen"]) == 2
    assert "--screen: not allowed with argument" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="only X11 has machines without a display")
@pytest.mark.parametrize(
    ("option", "words"), [("--screen", "there is no display"), ("--clipboard", "no clipboard here")]
)
def test_without_a_display_there_is_neither(option, words):
    code, output, said = run_bot("advise", option)
    assert (code, output) == (5, "")
    assert words in said
