"""Replays of all kinds become one model; what is none, is cut off or garbled is refused with a reason."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from amounts import count

from bot.cli import main
from bot.errors import UsageError
from bot.reviewing import replay_files
from bot.reviewing.foreign import NOT_INSTALLED
from bot.reviewing.mouse import CountedButton
from bot.reviewing.replay_files import is_replay, iter_steps, load_replays, parse_rawvf
from solver.board import Action, GameState

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
RECORDING = Path(__file__).parents[2] / "screens" / "winemine-game"
WON = """RawVF_Version: Rev6
Program: Somebody's
Player: Ada
Width: 3
Height: 2
Mines: 1
Time: 4.25
BBBV: 3
Board:
000
0*0
Events:
-0.50 rc 2 2 (24 24)
-0.50 rr 2 2 (24 24)
0.00 mv 1 1 (3 3)
0.00 lc 1 1 (3 3)
Cell pressed 1 1
0.00 lr 1 1 (3 3)
0.10 start
1.00 lc 2 1 (20 8)
1.00 rc 1 1 (8 8)
1.50 lr 1 1 (8 8)
1.50 rr 1 1 (8 8)
"""


def result_of(replay):
    return [*iter_steps(replay)][-1].after


def test_rawvf_is_read():
    replay = parse_rawvf(WON, "won.rawvf")
    assert (replay.program, replay.player, replay.seconds, replay.told) == ("Somebody's", "Ada", 4.25, {"bbbv": 3})
    assert replay.layout.mine_cells == {(1, 1)}
    assert [(click.button, click.action, click.cell, click.seconds) for click in replay.clicks] == [
        (CountedButton.RIGHT, Action.FLAG, (1, 1), -0.5),
        (CountedButton.LEFT, Action.OPEN, (0, 0), 0.0),
        (CountedButton.DOUBLE, Action.CHORD, (0, 0), 1.5),
    ]
    chord = [*iter_steps(replay)][-1]
    assert set(chord.targets) == set(chord.opened) == {(0, 1), (1, 0)}


def test_rawvf_cells_are_those_under_the_pixels_and_columns_come_first():
    for old, new in (("(20 8)", ""), ("(8 8)", "")):  # without pixels the cell is taken from the line
        assert [click.cell for click in parse_rawvf(WON.replace(old, new), "x").clicks][-1] == (0, 0)
    larger = WON.replace("Width: 3", "SquareSize: 32\nWidth: 3")
    assert [click.cell for click in parse_rawvf(larger, "x").clicks] == [(0, 0), (0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Board:\n", "", "line 9: expected 'Key: value' of a RAWVF file, got '000'"),
        ("Width: 3\n", "", "expected 'Width: N' up to 1,000 before its board, got ''"),
        ("Width: 3", "Width: three", "got 'three'"),
        ("Height: 2", "Height: 99999", "expected 'Height: N' up to 1,000"),
        ("Mines: 1", "Mines: 2", "expected the 2 mines of its head on the board, got 1"),
        ("0*0\n", "0*\n", "line 11: expected a row of 3 cells of the board, got 2"),
        ("Height: 2", "Height: 3", "line 12: expected a row of 3 cells of the board, got 7"),
        ("Events:", "Event:", "line 12: expected 'Events:' or an event after the 2 rows of the board"),
        ("1.00 rc 1 1 (8 8)", "1.00 rc one", "line 21: expected 'seconds kind column row (x y)', got '1.00 rc one'"),
        ("1.00 rc", "0.90 rc", "line 21: expected a time of 1.0 s or later, got 0.90"),
        ("1.00 rc 1 1 (8 8)", "rc 1 1 (8 8)", "line 21: expected 'seconds kind column row (x y)', got 'rc 1 1 (8 8)'"),
        ("lc", "mv", "no cell is opened in it: it is cut off, or no game was played"),
    ],
)
def test_rawvf_that_is_broken_names_the_line(old, new, told):
    assert old in WON
    with pytest.raises(UsageError) as caught:
        parse_rawvf(WON.replace(old, new), "broken.rawvf")
    assert str(caught.value).startswith("broken.rawvf: ")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Events:\n", "\n\nEvents:\n\n"),
        ("Board:\n", "\nBoard:\n\n"),
        ("Events:\n", ""),
        (" 1 1 (3 3)", " (3 3)"),
        (" 1 1 (8 8)", "\t(8,8) (lr)"),
        ("1.00 lc 2 1 (20 8)", "1,00\tlc\t2\t1\t(20 8)"),
        ("0.10 start", "0.100 Solved 3BV: 1 of 3\nnumber1 1 1\nFlag removed 2 2"),
        ("\n", "\r\n"),
        ("RawVF_Version: Rev6\nProgram: Somebody's\nPlayer: Ada\n", ""),
    ],
)
def test_rawvf_is_read_as_others_write_it(old, new):
    assert old in WON
    replay = parse_rawvf(WON.replace(old, new), "x")
    assert replay.clicks == parse_rawvf(WON, "x").clicks
    assert not replay.remark


def test_rawvf_events_of_no_known_kind_are_counted():
    text = WON.replace("0.10 start\n", "0.10 zz 1 1 (3 3)\n0.20 zz (3 3)\nwormhole 1 1\n")
    replay = parse_rawvf(text, "x")
    assert replay.clicks == parse_rawvf(WON, "x").clicks
    assert replay.remark == "left out 3 events of no known kind: 'zz' (2 times), 'wormhole'"


@pytest.mark.parametrize("name", ["blank-line-before-events", "no-events-line", "without-column-and-row"])
def test_rawvf_of_others_is_a_game(name):
    (replay,) = load_replays(REPLAYS / "rawvf" / f"{name}.rawvf")
    assert [(click.action, click.cell, click.seconds) for click in replay.clicks] == [(Action.OPEN, (2, 2), 0.12)]
    assert result_of(replay) is GameState.WON


@pytest.mark.parametrize("command", ["review", "analyse"])
def test_rawvf_without_a_game_names_its_unknown_events(command, capsys):
    assert main([command, str(REPLAYS / "rawvf" / "unknown-event.rawvf")]) == 2
    assert "no game was played (left out 1 event of no known kind: 'zz')" in capsys.readouterr().err


def test_unknown_events_of_a_game_are_told(tmp_path, capsys):
    path = tmp_path / "game.txt"
    path.write_bytes(WON.replace("0.10 start", "0.10 zz").replace("Ada", "Andr\u00e9").encode("cp1252"))
    assert main(["review", str(path), "--json"]) == 0
    said = capsys.readouterr()
    assert f"{path}: left out 1 event of no known kind: 'zz'" in said.err
    assert json.loads(said.out)["games"][0]["player"] == "Andr\u00e9"


def test_replays_are_told_from_boards(tmp_path):
    for n, content in enumerate((WON.encode(), WON.replace("Ada", "Andr\u00e9").encode("cp1252"))):
        (tmp_path / f"{n}.txt").write_bytes(content)
        assert is_replay(tmp_path / f"{n}.txt")
    (tmp_path / "board.txt").write_text("; mines: 1\n1#\n##\n")
    assert not is_replay(tmp_path / "board.txt")
    assert not is_replay(tmp_path / "missing.txt")
    assert all(is_replay(tmp_path / f"x{end}") for end in (".avf", ".RMV", ".mvf", ".evf"))


def test_rawvf_cut_anywhere_is_read_or_refused():
    n_read, told = 0, []
    for end in range(len(WON)):
        try:
            n_read += bool(parse_rawvf(WON[:end], "cut").clicks)
        except UsageError as error:
            told.append(str(error))
    assert all(text.startswith("cut: ") for text in told)
    assert n_read > 10, "a game that only lacks its end is still a game"


def test_garbled_texts_are_read_or_refused(tmp_path):
    text = (REPLAYS / "rmv2_24px-rmv.rawvf").read_bytes()
    path, told = tmp_path / "garbled.rawvf", []
    for seed in range(count("MINEBOT_GARBLED_REPLAYS", gate=300, full=5_000)):
        rng = random.Random(seed)
        content = bytearray(text)
        for _ in range(rng.randint(1, 6)):
            content[rng.randrange(len(content))] = rng.choice(b"\0\n -.:*019lcrm\xff\xfe")
        path.write_bytes(bytes(content))
        try:
            (replay,) = load_replays(path)
        except UsageError as error:
            told.append(str(error))
        else:
            assert result_of(replay) in GameState
    assert told
    assert all(text.startswith(str(path)) for text in told)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("text.txt", b"Hello", "expected 'Key: value' of a RAWVF file, got 'Hello'"),
        ("head.txt", b"Width: 3", "expected a replay (.avf, .rmv, .evf, .mvf, RAWVF), got a text without 'Board:'"),
        ("empty.avf", b"", "it is empty"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "expected a replay (.avf, .rmv, .evf, .mvf, RAWVF text)"),
    ],
)
def test_files_of_other_kinds_are_refused(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load_replays(tmp_path / name)
    assert told in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        load_replays(tmp_path / "missing.avf")
    with pytest.raises(UsageError, match="cannot be read"):
        load_replays(tmp_path)


@pytest.mark.parametrize("name", ["custom-8x11.avf", "rmv2_24px.rmv"])
@pytest.mark.usefixtures("ms_toollib")
def test_replays_of_other_programs_are_read_by_ms_toollib(name):
    (replay,) = load_replays(REPLAYS / name)
    (told,) = load_replays(REPLAYS / f"{name.replace('.', '-')}.rawvf")
    assert replay.layout == told.layout
    assert [click[1:] for click in replay.clicks] == [click[1:] for click in told.clicks]
    assert replay.seconds == told.seconds
    assert result_of(replay) is GameState.WON


@pytest.mark.parametrize(
    ("name", "end"),
    [("rmv1_utf8_invalid.rmv", None), ("rmv2_24px.rmv", 150), ("custom-8x11.avf", 40)],
)
@pytest.mark.usefixtures("ms_toollib")
def test_replays_that_ms_toollib_cannot_read_end_no_process_but_its_own(tmp_path, monkeypatch, name, end):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_bytes((REPLAYS / name).read_bytes()[:end])
    with pytest.raises(UsageError) as caught:
        load_replays(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert [each.name for each in tmp_path.iterdir()] == [name], "it leaves a crash.log where it runs"


@pytest.mark.parametrize(
    ("name", "end", "told"),
    [
        ("rmv1_utf8_invalid.rmv", None, "a name in it is not UTF-8"),
        ("rmv2_24px.rmv", 150, "it is cut off"),
        ("custom-8x11.avf", 40, "it is cut off"),
    ],
)
@pytest.mark.usefixtures("ms_toollib")
def test_why_ms_toollib_ended_is_told(tmp_path, name, end, told):
    path = tmp_path / name
    path.write_bytes((REPLAYS / name).read_bytes()[:end])
    with pytest.raises(UsageError) as caught:
        load_replays(path)
    assert str(caught.value) == f"{path}: ms_toollib cannot read it: {told}"


class Child:
    """Stands for the child process, as `subprocess.run` does."""

    def __init__(self, monkeypatch, code=0, stdout=b"", stderr=b"", error=None):
        self.code, self.stdout, self.stderr, self.error = code, stdout, stderr, error
        monkeypatch.setattr(replay_files.subprocess, "run", self)

    def __call__(self, command, **_):
        if self.error is not None:
            raise self.error
        return subprocess.CompletedProcess(command, self.code, self.stdout, self.stderr)


@pytest.mark.parametrize(
    ("child", "told"),
    [
        ({"code": 3}, "need ms_toollib: pip install '.[review]'"),
        ({"code": 1, "stderr": b"FileIsNotAvf"}, "it is no replay of Arbiter"),
        (
            {"code": -6, "stderr": b"thread panicked\nnote: run with"},
            "damaged, or of a version of Arbiter that ms_tool",
        ),
        ({"code": 1, "stderr": b"Traceback\nMemoryError\n\n"}, "ms_toollib cannot read it: MemoryError"),
        ({"code": 1}, "it ended without a word"),
        ({"error": subprocess.TimeoutExpired("x", 1)}, "did not read it within"),
        ({"error": OSError(12, "Cannot allocate memory")}, "cannot be started (Cannot allocate memory)"),
        ({"stdout": b"no JSON"}, "is no game"),
        ({"stdout": b"[]"}, "is no game"),
        ({"stdout": json.dumps({"has_mine": [], "presses": []}).encode()}, "is no game"),
    ],
)
def test_what_becomes_of_the_child_is_told(monkeypatch, child, told):
    Child(monkeypatch, **child)
    with pytest.raises(UsageError) as caught:
        load_replays(REPLAYS / "custom-8x11.avf")
    assert told in str(caught.value)


def test_child_without_ms_toollib_says_so(tmp_path):
    (tmp_path / "ms_toollib.py").write_text("raise ImportError('not here')")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from bot.reviewing.foreign import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path), ".avf"], input=b"", check=False)
    assert done.returncode == NOT_INSTALLED


def test_child_imports_no_more_than_it_needs():
    code = "import sys, bot.reviewing.foreign; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    own = {name for name in done.stdout.split() if name.split(".")[0] in ("bot", "solver", "skins", "numpy", "cv2")}
    assert own == {"bot", "bot.reviewing", "bot.reviewing.foreign"}, "a review waits for it"


def test_recording_of_play_is_a_replay():
    (replay,) = load_replays(RECORDING)
    steps = [*iter_steps(replay)]
    assert steps[-1].after is GameState.WON
    assert replay.layout.n_mines == 99
    assert replay.clicks[0].cell == (0, 0)
    assert all(click.button is CountedButton.LEFT for click in replay.clicks)
    times = [click.seconds for click in replay.clicks]
    assert times[0] == 0.0
    assert times == sorted(times)


def test_games_of_a_recording_are_written_for_other_programs(tmp_path, capsys):
    out = tmp_path / "game.rawvf"
    assert main(["replay", str(RECORDING), "--rawvf", str(out)]) == 0
    assert "1 game written" in capsys.readouterr().err
    (ours,), (theirs,) = load_replays(RECORDING), load_replays(out)
    assert np.array_equal(theirs.layout.has_mine, ours.layout.has_mine)
    assert [click[1:] for click in theirs.clicks] == [click[1:] for click in ours.clicks]
    assert [click.seconds for click in theirs.clicks] == pytest.approx(
        [click.seconds for click in ours.clicks], abs=1e-3
    )
    assert [step.after for step in iter_steps(theirs)] == [step.after for step in iter_steps(ours)]


def test_games_are_written_to_files_of_that_name_alone(tmp_path, capsys):
    assert main(["replay", str(RECORDING), "--rawvf", str(tmp_path / "game.txt")]) == 2
    assert "expected a file name that ends in .rawvf to write games to" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["review", "analyse"])
@pytest.mark.parametrize("n_lines", [0, 1, 2])
def test_recording_without_a_game_is_told_of(command, n_lines, tmp_path, capsys):
    lines = [
        {"event": "board", "skin": "winemine", "rows": 2, "cols": 2, "mines": 1},
        {"event": "decision", "state": "playing", "board": ["1#", "##"], "moves": []},
    ]
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:n_lines]))
    assert main([command, str(tmp_path)]) == 2
    assert "no game of this recording came to an end that shows where all mines were" in capsys.readouterr().err


def test_recording_that_somebody_began_keeps_what_was_open(tmp_path):
    board = ["1#", "##"]
    lines = [
        {"event": "board", "skin": "winemine", "rows": 2, "cols": 2, "mines": 1},
        {
            "event": "decision",
            "state": "playing",
            "board": board,
            "moves": [{"action": "open", "cell": [0, 1], "p_mine": 1 / 3}],
        },
        {
            "event": "decision",
            "state": "playing",
            "board": ["11", "##"],
            "moves": [{"action": "open", "cell": [1, 0], "p_mine": 0.5}],
        },
        {"event": "decision", "state": "won", "board": ["11", "1F"], "moves": []},
        {"event": "result", "result": "won", "seconds": 1.5},
    ]
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (replay,) = load_replays(tmp_path)
    assert [(click.button, click.cell) for click in replay.clicks] == [
        (None, (0, 0)),
        (CountedButton.LEFT, (0, 1)),
        (CountedButton.LEFT, (1, 0)),
    ]
    assert np.array_equal(replay.layout.has_mine, [[False, False], [False, True]])
