"""`minebot advise`, and the pictures that it and `minebot read` draw."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from bot_process import run_bot
from painted import paint

from bot.cli import main
from bot.images import load_frame, save_png
from bot.vision.finding import find_boards
from skins import load_shipped_skin
from solver import analyse, best_move, parse_board

SAFE = "01#\n02#\n01#\n"
GUESS = "; mines: 2\n1##\n###\n"
FIELDS_OF_SOLVE = {"consistent", "safe", "mines", "p_mine", "n_models", "methods", "seconds"}


@pytest.fixture(name="advise")
def _advise(tmp_path, capsys):
    def advise(text, *options):
        path = tmp_path / "board.txt"
        path.write_text(text)
        exit_code = main(["advise", str(path), *options])
        return exit_code, *capsys.readouterr()

    return advise


def picture_of(tmp_path, name, rows, margin=40):
    """A picture of a board in the built-in skin: '#' closed, digits open."""
    words = [["closed" if sign == "#" else sign for sign in row] for row in rows]
    pixels = np.pad(paint(load_shipped_skin("minebot"), words), ((margin,), (margin,), (0,)), constant_values=90)
    save_png(tmp_path / name, pixels)
    return tmp_path / name


def test_advise_prints_what_solve_prints_and_the_move(advise):
    exit_code, out, err = advise(SAFE, "--json")
    result = json.loads(out)
    assert (exit_code, err) == (0, "")
    assert set(result) > FIELDS_OF_SOLVE
    assert result["safe"] == [[1, 2]]
    assert result["move"] == {"action": "open", "cell": [1, 2], "p_mine": 0.0}
    assert result["why"].startswith("proven safe: ")
    assert result["state"] == "playing"
    assert [candidate["cell"] for candidate in result["candidates"]] == [[1, 2]]
    assert "boards" not in result
    assert "reading" not in result


@pytest.mark.parametrize(
    ("skin", "options", "cell", "p_mine"),
    [
        ("winemine", [], [0, 0], 0.0),
        ("gnome-mines", [], [2, 2], 0.0),
        ("minebot", [], [0, 0], 10 / 81),
        ("minebot", ["--first", "moved-to-corner"], [8, 8], 0.0),
        ("winemine", ["--first", "any"], [0, 0], 10 / 81),
    ],
)
def test_advise_begins_a_game_by_the_rule_of_its_skin(skin, options, cell, p_mine, tmp_path, capsys):
    pixels = paint(load_shipped_skin(skin), [["closed"] * 9] * 9)
    save_png(tmp_path / "fresh.png", np.pad(pixels, ((40,), (40,), (0,)), constant_values=90))
    arguments = ["--skin", skin, "--mines", "10", "--whole", "--json", *options]
    assert main(["advise", str(tmp_path / "fresh.png"), *arguments]) == 0
    move = json.loads(capsys.readouterr().out)["move"]
    assert (move["cell"], move["p_mine"]) == (cell, pytest.approx(p_mine))


def test_advise_takes_the_rule_for_a_text(advise):
    _, out, _ = advise("; mines: 2\n###\n###\n###\n", "--first", "moved-to-corner")
    assert "best move: open (2,2), no mine, by the clone's rule for the first click" in out


def test_advise_says_why_when_asked(advise):
    _, out, _ = advise(SAFE, "--json", "--why")
    assert json.loads(out)["why"].startswith("(1,2) is safe. The numbers at (0,1) (1,1) (2,1) force it")
    _, out, _ = advise(GUESS, "--json", "--why")
    assert json.loads(out)["candidates"][0] == {
        "cell": [0, 1],
        "p_mine": pytest.approx(1 / 3),
        "is_estimate": False,
        "numbers_beside": 1,
        "neighbours": 5,
        "p_zero": 0.0,
        "p_progress": 0.0,
        "survival": None,
        "p_win": pytest.approx(1 / 3),
        "p_win_margin": 0.0,
    }


def test_advise_thinks_when_asked_and_tells_what_it_played(advise):
    board = "\n".join(["; mines: 14", "#########", "##212####", *["#########"] * 7]) + "\n"
    quick = json.loads(advise(board, "--json", "--why")[1])
    assert quick["why"].startswith("a guess: its risk is")
    assert quick["candidates"][0]["survival"] > quick["candidates"][-1]["survival"]
    for seconds in ("2", "20", "200"):  # on a busy machine nothing is played to its end in two
        exit_code, out, _ = advise(board, "--json", "--think", seconds)
        thought = json.loads(out)
        assert exit_code == 0
        if "games played on from here" in thought["why"]:
            break
    assert "games played on from here" in thought["why"]
    assert thought["candidates"][0]["cell"] == thought["move"]["cell"]
    assert 0 < thought["candidates"][0]["p_win"] < 1
    assert thought["candidates"][0]["p_win_margin"] > 0
    assert "+-" in advise(board, "--why", "--think", seconds)[1]


def test_advise_in_words(advise):
    assert advise(SAFE, "--why")[1] == (
        "  012\n0 01*\n1 02.\n2 01*\n"
        "; '.' is proven safe, '*' a mine\n"
        "best move: open (1,2), proven safe: here a mine would contradict the numbers\n"
        "\n"
        "(1,2) is safe. The numbers at (0,1) (1,1) (2,1) force it (no fewer clues do):\n"
        "  1. [subset] the 2 at (1,1) needs 2 mines among (0,2) (1,2) (2,2); the 1 at (0,1) needs 1 mine among"
        " (0,2) (1,2): (2,2) is a mine\n"
        "  2. [none] the 1 at (2,1) needs 1 mine among (1,2) (2,2), (2,2) is a mine: (1,2) is safe\n"
    )
    assert advise(GUESS, "--why")[1] == (
        "  012\n0 1##\n1 ###\n"
        "; '.' is proven safe, '*' a mine\n"
        "best move: open (0,1), a guess: its risk is 33.33%; the best play from there wins 33.33%, exactly."
        " No other is better\n"
        "\n"
        "what wins most of the layouts that are left comes first.\n"
        "chances are 0.00% that it opens as 0, and 0.00% that its number proves another cell safe (the order above does"
        " not look at these).\n"
        "A 50/50 that nothing can decide: one of (0,2) (1,2) is a mine.\n"
        "\n"
        "cell           risk  numbers beside  neighbours  opens as 0  then safe            wins\n"
        "(0,1)         33.3%               1           5        0.0%       0.0%          33.33%\n"
        "(1,1)         33.3%               1           5        0.0%       0.0%          33.33%\n"
        "(0,2)         50.0%               0           3        0.0%      50.0%          33.33%\n"
        "(1,2)         50.0%               0           3        0.0%      50.0%          33.33%\n"
        "(1,0)         33.3%               1           3        0.0%       0.0%          16.67%\n"
    )


def test_advise_reads_standard_input_and_other_forms(advise, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(SAFE))
    assert main(["advise", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["move"]["cell"] == [1, 2]
    assert json.loads(advise(SAFE, "--format", "auto", "--json")[1])["move"]["cell"] == [1, 2]


def test_advise_on_a_recorded_screen_is_the_best_move_of_its_truth(screens, capsys):
    path = screens / "winemine-expert-mid.png"
    assert main(["advise", str(path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    board = parse_board((screens / "winemine-expert-mid.txt").read_text()).with_mines(99)
    assert tuple(result["move"]["cell"]) == best_move(board).cell
    assert [tuple(cell) for cell in result["safe"]] == list(analyse(board).safe)
    assert result["reading"]["skin"] == "winemine"
    assert result["reading"]["mines"] == 99


def test_advise_of_several_boards_is_the_first_and_a_list_of_all(screens, capsys):
    path = str(screens / "two-boards-msx-arbiter.png")
    assert main(["advise", path, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    first, second = result.pop("boards")
    assert result == first
    assert [board["reading"]["origin"] for board in (first, second)] == [[75, 156], [75, 556]]
    assert [board["move"]["cell"] for board in (first, second)] == [[0, 0], [0, 0]]
    assert main(["advise", path]) == 0
    out = capsys.readouterr().out
    assert [line[:13] for line in out.splitlines() if line.startswith("board")] == ["board 1 of 2:", "board 2 of 2:"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("winemine-expert-lost", "the game is lost"), ("winemine-beginner-won-list", "no cell that can be read is left")],
)
def test_advise_on_a_game_that_is_over(name, words, screens, capsys):
    assert main(["advise", str(screens / f"{name}.png"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["move"], result["candidates"]) == (None, [])
    assert result["why"].startswith(words)


def test_advise_exits_3_and_names_a_clue_of_a_contradiction(advise, tmp_path):
    exit_code, out, err = advise("01#\n03#\n01#\n", "--json", "--picture", str(tmp_path / "out.png"))
    result = json.loads(out)
    assert exit_code == 3
    assert (result["consistent"], result["move"]) == (False, None)
    assert tuple(result["clue"]) in {(0, 1), (1, 1), (2, 1)}
    assert "contradict" in err
    assert (tmp_path / "out.png").is_file()


def test_advise_without_a_mine_count_exits_2_where_it_takes_one(advise, tmp_path, capsys):
    exit_code, out, err = advise("1##\n###\n")
    assert (exit_code, out) == (2, "")
    assert "give it with --mines N" in err
    path = picture_of(tmp_path, "odd.png", ["1####", "#####", "#####", "#####"])
    assert main(["advise", str(path)]) == 2
    assert "--mines N" in capsys.readouterr().err
    assert main(["advise", str(path), "--mines", "4"]) == 0
    assert "best move: open" in capsys.readouterr().out
    path = picture_of(tmp_path, "proven.png", ["0001#", "0002#", "0001#", "00011"])
    assert main(["advise", str(path)]) == 0


def test_advise_on_several_boards_does_not_keep_a_bad_one_quiet(tmp_path, capsys):
    """The upper board is fine, the lower contradicts itself."""
    fine = load_frame(picture_of(tmp_path, "one.png", ["1####", "#####", "#####", "#####"])).pixels_bgr
    bad = load_frame(picture_of(tmp_path, "two.png", ["4####", "#####", "#####", "#####"])).pixels_bgr
    path = tmp_path / "both.png"
    save_png(path, np.concatenate([fine, bad]))
    assert main(["advise", str(path), "--mines", "4", "--json", "--picture", str(tmp_path / "out.png")]) == 3
    captured = capsys.readouterr()
    first, second = json.loads(captured.out)["boards"]
    assert first["move"] is not None
    assert second["consistent"] is False
    assert "board 2 of 2: " in captured.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["advise", "no-such-file.png"], 2, "no-such-file.png: cannot be read"),
        (["advise", "no-such-file"], 2, "no-such-file: cannot be read"),
        (["advise", "{screens}/SOURCE.md"], 2, "SOURCE.md: expected one of"),
        (["advise", "{tmp}/broken.PNG"], 2, "expected a picture"),
        (["advise", "{screens}/msx-skin-mario-mid.png"], 4, "no board found"),
        (["advise", "{screens}/winemine-expert-mid.png", "--mines", "9999"], 2, "expected 1 to 479 mines"),
        (["advise", "{screens}/winemine-expert-mid.png", "--skin", "nosuch"], 2, "expected one of the skins"),
        (["advise", "{screens}/winemine-expert-mid.txt", "--picture", "out.jpg"], 2, "ends in .png"),
        (["read", "{screens}/winemine-expert-mid.png", "--picture", "{tmp}/no/out.png"], 2, "cannot write"),
        (["read", "{tmp}/board.png", "--picture", "{tmp}/board.png"], 2, "that is the picture to read"),
        (["read", "no-such-file.png", "--picture", "{tmp}/out.png"], 2, "no-such-file.png: cannot be read"),
    ],
)
def test_bad_input_is_named_with_its_exit_code(arguments, code, words, screens, tmp_path, capsys):
    (tmp_path / "broken.PNG").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "board.png").write_bytes(b"\x89PNG\r\n")
    before = sorted(tmp_path.iterdir())
    assert main([argument.format(screens=screens, tmp=tmp_path) for argument in arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert sorted(tmp_path.iterdir()) == before


def test_advise_on_four_dimensions_needs_no_picture(advise):
    exit_code, out, _ = advise("; mines: 1\n; shape: 2x2x2x2\n" + "##\n" * 8, "--json")
    assert exit_code == 0
    assert len(json.loads(out)["move"]["cell"]) == 4


@pytest.mark.parametrize("command", ["read", "advise"])
def test_pictures_are_drawn_without_a_display(command, screens, tmp_path):
    out = tmp_path / "out.png"
    source = screens / "winemine-expert-mid.png"
    code, output, remarks = run_bot(command, str(source), "--picture", str(out), "--json")
    assert (code, remarks) == (0, "")
    json.loads(output)
    drawn, seen = load_frame(out).pixels_bgr, load_frame(source)
    (board,) = find_boards(seen, [load_shipped_skin("winemine")])
    assert drawn.shape[0] > 3 * board.grid.region.height
    assert drawn.shape[1] > 3 * board.grid.region.width
    assert sorted(tmp_path.iterdir()) == [out]


def test_picture_of_a_huge_text_is_refused(advise, tmp_path):
    """Drawn, 20,000 cells took 0.8 GB, and 700,000 cells all the memory there was."""
    picture = tmp_path / "advice.png"
    code, _, told = advise("#" * 20_000, "--mines", "5", "--picture", str(picture))
    assert code == 2
    assert "expected a board of at most 12,000 pixels a side" in told
    assert not picture.exists()


def test_picture_of_a_text_shows_the_best_move(advise, tmp_path):
    out = tmp_path / "out.png"
    assert advise(SAFE, "--picture", str(out), "--why")[0] == 0
    pixels = load_frame(out).pixels_bgr
    is_ring = (pixels == (66, 228, 240)).all(axis=-1)
    y, x = np.nonzero(is_ring[: is_ring.shape[0] - 80])  # without the legend
    assert (x.max() - x.min() + 1, y.max() - y.min() + 1) == (48, 48), "along the edge of one cell"
