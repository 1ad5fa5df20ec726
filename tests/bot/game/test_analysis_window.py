"""The analysis board's real window on a virtual screen: real input in; pixels, and at the end the position, out."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from explorer import Explorer
from patience import PATIENCE_S

from bot.cli import main
from bot.game import art
from bot.game.analysis_window import TITLE
from bot.reporting.drawing import ink
from bot.reviewing.replay_files import iter_steps, load_replays
from solver import analyse, parse_board
from solver.board import CLOSED, FLAG, KNOWN_MINE

REPLAY = Path(__file__).parents[2] / "golden" / "replays" / "expert-lost-rmv.rawvf"
POSITION = "; mines: 3\n##1##\n#####\n#####\n"


@pytest.fixture
def explore(bare_display, tmp_path):
    """Starts an analysis board of a text or a file, on a display; returns the function that does."""
    processes = []

    @contextmanager
    def _explore(given, shape, display=bare_display):
        path = given
        if isinstance(given, str):
            path = tmp_path / "board.txt"
            path.write_text(given)
        command = [sys.executable, "-m", "bot", "analyse", str(path), "--json"]
        env = {**os.environ, "DISPLAY": display}
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes.append(process)
        yield Explorer(display, process, shape)

    yield _explore
    for process in processes:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)


def risks(text):
    return dict(np.ndenumerate(analyse(parse_board(text)).p_mine))


@pytest.mark.screen
def test_window_shows_risks_and_reasons_and_is_painted_on(explore):
    with explore(POSITION, (3, 5)) as window:
        known = risks(POSITION)
        for cell in ((1, 1), (1, 3), (2, 2)):
            window.check_cell(cell, CLOSED, known[cell])
        window.point((1, 1))
        window.check_words("(1,1): risk 20.00%")
        window.key("1")
        window.check_cell((1, 1), 1)
        painted = POSITION.replace("#####", "#1###", 1)
        window.check_cell((2, 3), CLOSED, risks(painted)[2, 3])
        window.key("ctrl+z")
        window.check_cell((2, 3), CLOSED, known[2, 3])
        window.key("ctrl+y")
        window.check_cell((1, 1), 1)
        window.key("alt+h", "Escape")  # the menu's, not the cell's
        window.point((2, 0))
        window.xdotool("mousedown", 3)
        window.point((2, 4))
        window.xdotool("mouseup", 3)
        for col in range(5):
            window.check_cell((2, col), FLAG)
        window.key("u")
        window.check_cell((2, 3), CLOSED, risks(painted)[2, 3])
        window.key("m")
        window.check_cell((2, 3), CLOSED)
        told = window.close()
    assert told["board"] == ["##1##", "#1###", "#####"]
    assert np.allclose(np.array(told["p_mine"], dtype=float), analyse(parse_board(painted)).p_mine, equal_nan=True)


@pytest.mark.screen
def test_window_opens_a_cell_as_a_number_to_see_what_then(explore):
    with explore("; mines: 1\n####\n", (1, 4)) as window:
        window.point((0, 1))
        window.xdotool("click", 1)
        window.check_words("0: 25%", art.ACCENT)
        window.check_words("1: 50%", art.ACCENT)
        window.key("3")
        window.check_words("(0,1) cannot show 3; possible: 0, 1", art.WINDOW)
        window.key("1")
        window.check_cell((0, 1), 1)
        window.check_words("What if (0,1) is 1 (chance 50.00%)", art.WINDOW)
        window.check_cell((0, 2), CLOSED, 0.5)
        window.key("u")
        told = window.close()
    assert told["board"] == ["####"]


@pytest.mark.screen
def test_window_names_the_number_that_contradicts(explore):
    with explore(POSITION, (3, 5)) as window:
        window.point((0, 0))
        window.key("8")
        window.check_face("dead")
        window.check_words("Contradiction: the number at (0,0)", art.WINDOW)
        told = window.close()
    assert (told["consistent"], told["clue"]) == (False, [0, 0])


@pytest.mark.screen
def test_window_steps_through_a_replay(explore):
    [replay] = load_replays(REPLAY)
    steps = [step for step in iter_steps(replay) if step.changed]
    with explore(REPLAY, (16, 30)) as window:
        window.check_words(f"Click 1 of {len(steps)}:", art.WINDOW)
        window.key("Next", "Next")
        window.check_words(f"Click 3 of {len(steps)}:", art.WINDOW)
        window.key("End")
        window.check_words(f"and the game is {steps[-1].after.value}", art.WINDOW)
        window.key("Prior")
        window.check_words(f"Click {len(steps) - 1} of {len(steps)}:", art.WINDOW)
        told = window.close()
    assert parse_board("\n".join(told["board"])).cells.tolist() == steps[-2].before.cells.tolist()
    assert told["mine_count"] == replay.layout.n_mines


OWNER = """
import sys, tkinter
window = tkinter.Tk()
window.withdraw()
print(window.clipboard_get(), flush=True) if sys.argv[1] == "?" else window.clipboard_clear()
if sys.argv[1] != "?":
    window.clipboard_append(sys.argv[1])
    window.update()
    print("copied", flush=True)
    window.mainloop()
"""
"""A program that has copied a text, or with "?" says what is on the clipboard."""


def on_clipboard(env):
    told = subprocess.run([sys.executable, "-c", OWNER, "?"], env=env, stdout=subprocess.PIPE, text=True, check=True)
    return told.stdout.removesuffix("\n")


@contextmanager
def copied(text, env):
    """Another program has copied a text while the block runs."""
    with subprocess.Popen([sys.executable, "-c", OWNER, text], stdout=subprocess.PIPE, text=True, env=env) as owner:
        try:
            assert owner.stdout.readline() == "copied\n"
            yield
        finally:
            owner.kill()


@pytest.mark.screen
def test_window_copies_and_pastes_texts(explore):
    with explore(POSITION, (3, 5)) as window:
        window.key("ctrl+c")
        window.check_words("Copied as text", art.WINDOW)
        assert on_clipboard(window.env) == POSITION
        window.key("F2")
        window.check_cell((0, 2), CLOSED, 0.2)
        window.key("ctrl+v")  # what the window itself has copied
        window.check_cell((0, 2), 1)
        with copied("##\n#\n", window.env):
            window.key("ctrl+v")
            window.check_words("The clipboard: expected 2 cells in row 1", art.WINDOW)
            window.check_cell((0, 2), 1)
        with copied("; mines: 1\n2##\n###\n", window.env):
            window.key("ctrl+v")
            window.check_face("dead")
        told = window.close()
    assert told["board"] == ["2##", "###"]


@pytest.mark.screen
def test_window_copies_and_pastes_links(explore):
    page = "https://davidnhill.github.io/JSMinesweeper/index.html"
    with explore(POSITION, (3, 5)) as window:
        window.key("ctrl+l")
        window.check_words("Copied as a link", art.WINDOW)
        assert on_clipboard(window.env) == f"{page}?analysis=afadaaadaTlST"
        window.point((0, 0))
        window.key("plus")
        window.check_cell((0, 0), KNOWN_MINE)
        window.key("ctrl+l")
        window.check_words("Jsminesweeper has no sign for a known mine", art.WINDOW)
        with copied(f"{page}?analysis=adacaaabasW", window.env):
            window.key("ctrl+v")
            window.check_face("dead")
        told = window.close()
    assert (told["board"], told["mine_count"]) == (["2##", "###"], 1)


@pytest.mark.screen
def test_window_opens_and_saves_files(explore, tmp_path):
    (tmp_path / "other.txt").write_text("; mines: 1\n2##\n###\n")
    with explore(POSITION, (3, 5)) as window:
        window.key("ctrl+s")
        window.type_name(tmp_path / "saved.txt")
        window.check_words("Saved as", art.WINDOW)
        assert parse_board((tmp_path / "saved.txt").read_text()) == parse_board(POSITION)
        window.key("ctrl+s")
        window.type_name(tmp_path / "saved.png")
        window.wait_for((tmp_path / "saved.png").exists, "picture")
        window.key("ctrl+o")
        window.type_name(REPLAY)
        window.check_words("A replay is opened by", art.WINDOW)
        window.key("ctrl+o")
        window.type_name(tmp_path / "other.txt")
        window.check_face("dead")
        told = window.close()
    assert told["board"] == ["2##", "###"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.txt", "other.txt", "saved.png", "saved.txt"]


@pytest.mark.screen
def test_wheel_over_the_mine_counter_changes_the_mines(explore):
    with explore("; mines: 1\n####\n", (1, 4)) as window:
        middle = window.plan.mine_counter.middle
        window.xdotool("mousemove", window.corner.x + middle.x, window.corner.y + middle.y)
        window.xdotool("click", 4)
        window.check_cell((0, 2), CLOSED, 0.5)
        for _ in range(3):
            window.xdotool("click", 5)
        window.check_words("Expected 0 to 4 mines", art.WINDOW)
        window.point((0, 1))
        window.xdotool("click", 4)
        told = window.close()
    assert told["mine_count"] == 0, "over a cell the wheel is not about mines"


@pytest.mark.screen
def test_window_stands_where_the_desktop_puts_one_of_its_size(virtual_display, tmp_path):
    path = tmp_path / "board.txt"
    path.write_text(POSITION)
    env = {**os.environ, "DISPLAY": virtual_display}
    command = [sys.executable, "-m", "bot", "analyse", str(path)]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", TITLE, "getwindowgeometry", "--shell"]
            done = subprocess.run(search, env=env, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE_S)
            place = dict(line.split("=") for line in done.stdout.split())
        finally:
            process.terminate()
            process.wait(20)
    assert abs(int(place["X"]) + int(place["WIDTH"]) // 2 - 640) < 40, place
    assert abs(int(place["Y"]) + int(place["HEIGHT"]) // 2 - 512) < 60, place


@pytest.mark.screen
def test_stepping_scrolls_to_the_cell_that_was_clicked(explore, small_display):
    [replay] = load_replays(REPLAY)
    steps = [step for step in iter_steps(replay) if step.changed]
    n = next(n for n, step in enumerate(steps) if step.click.cell[0] == 15)
    with explore(REPLAY, (16, 30), small_display) as window:
        face = art.face_sprites()["happy"]
        window.key(*["Next"] * n)
        window.wait_for(lambda: not window.find(face), "scrolling down")
        window.wait_for(lambda: (window.grab() == ink.ORANGE).all(axis=2).sum() > 40, "ring on the cell")
        window.close()


@pytest.mark.screen
def test_analyse_without_a_screen_says_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":98765")
    (tmp_path / "board.txt").write_text(POSITION)
    assert main(["analyse", str(tmp_path / "board.txt")]) == 5
    assert "xvfb-run -a minebot analyse" in capsys.readouterr().err
