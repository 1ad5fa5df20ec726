"""A recording of play on a fake desktop, gone through again, whole and tampered with."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest
from fake_desktop import FakeDesktop
from rendered import screen

from bot.desktop import Desktop
from bot.errors import UsageError
from bot.images import load_frame, save_png
from bot.models import Frame, Grid, Pixel, Reading
from bot.playing.board_view import BoardSearch
from bot.playing.decide import Decision, decide_moves
from bot.playing.player import Player
from bot.reporting.recording import LOG, Journal, replay
from bot.vision.finding import locate_board
from bot.vision.reading import Reader
from skins import load_shipped_skin
from solver.board import Action, Move, parse_board
from solver.layout import LEVELS

CLASSIC = load_shipped_skin("classic")


class Nobody:
    """A watcher that does not care."""

    def entered(self, state):
        pass

    def decided(self, reading, moves):
        pass

    def ended(self, result):
        pass

    def remark(self, text):
        pass


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The recording of two games, and their results."""
    folder = tmp_path_factory.mktemp("original") / "deep" / "recording"
    return folder, record(folder, CLASSIC, n_games=2)


def record(folder, skin, n_games):
    """Play and record; return the results."""
    desktop = FakeDesktop(skin, LEVELS["beginner"], seed=1)
    search = BoardSearch(desktop, [skin], desktop.control)
    with pytest.MonkeyPatch.context() as patch, Journal(folder) as journal:
        for module in ("actuator", "board_view", "player"):
            patch.setattr(f"bot.playing.{module}.time", desktop.clock)
        ports = Desktop(desktop, desktop, desktop, desktop)
        place = search.first()
        player = Player(ports, place, search, desktop.control, Nobody(), recorder=journal, keep_picture=lambda _: "")
        return list(player.iter_games(n_games))


@pytest.fixture
def recording(original, tmp_path):
    """A copy of the recording, to be tampered with."""
    folder = tmp_path / "recording"
    shutil.copytree(original[0], folder)
    return folder


def entries_of(folder):
    return [json.loads(line) for line in (folder / LOG).read_text(encoding="utf-8").splitlines()]


def tamper(folder, n_line, **changes):
    """Change keys of one line (from 1); None takes a key away."""
    entries = entries_of(folder)
    entry = entries[n_line - 1] | changes
    entries[n_line - 1] = {key: value for key, value in entry.items() if value is not None}
    (folder / LOG).write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


def differences_of(folder):
    return [difference for step in replay(folder) for difference in step.differences]


def test_journal_keeps_board_decisions_pictures_and_results(original):
    folder, results = original
    entries = entries_of(folder)
    place = {"rows": 9, "cols": 9, "pitch": [16, 16], "offset": [0.0, 0.0]}
    switches = {"flags": False, "chords": False, "flags_to_win": False, "efficient": False}
    style = {**switches, "think_s": 0.0, "prices": {"flag": 1.0, "chord": 1.0}, "first_click": None}
    assert entries[0] == {"event": "board", "skin": "classic", **place, "mines": 10, "style": style}
    assert [entry for entry in entries if entry["event"] == "result"] == [
        {"event": "result"} | result.as_json() for result in results
    ]
    decisions = [entry for entry in entries if entry["event"] == "decision"]
    assert {entry["picture"] for entry in decisions} == {path.name for path in folder.glob("*.png")}
    assert {entry["state"] for entry in decisions} >= {"fresh", "playing"}
    assert load_frame(folder / "00001.png").pixels_bgr.shape == (144, 144, 3), "the board and nothing else"


def test_replay_of_a_recording_finds_no_difference(recording):
    steps = list(replay(recording))
    assert len(steps) == len(list(recording.glob("*.png"))) > 5
    assert [difference for step in steps for difference in step.differences] == []


def test_replay_of_games_by_a_rule_for_the_first_click_finds_no_difference(tmp_path):
    results = record(tmp_path / "ruled", replace(CLASSIC, first_click="moved-to-corner"), n_games=6)
    entries = entries_of(tmp_path / "ruled")
    assert entries[0]["style"]["first_click"] == "moved-to-corner"
    assert differences_of(tmp_path / "ruled") == []
    weighed = [entry for entry in entries if entry["event"] == "board"]
    for entry in weighed:
        entry["style"]["first_click"] = "safe"
    text = "".join(json.dumps(entry) + "\n" for entry in entries)
    (tmp_path / "ruled" / LOG).write_text(text, encoding="utf-8")
    assert len(differences_of(tmp_path / "ruled")) > len(results), "first cells, and guesses that were weighed"


def test_replay_tampered_board_row_is_a_difference(recording):
    rows = entries_of(recording)[2]["board"]
    tamper(recording, 3, board=["8" * 9, *rows[1:]])
    (difference,) = differences_of(recording)
    assert (difference.picture, difference.what) == ("00002.png", "board")
    assert difference.as_json()["recorded"][0] == "8" * 9
    assert difference.as_json()["replayed"] == rows


@pytest.mark.parametrize("what", ["moves", "state"])
def test_replay_tampered_decision_is_a_difference(recording, what):
    tamper(recording, 2, **{what: [] if what == "moves" else "won"})
    (difference,) = differences_of(recording)
    assert (difference.picture, difference.what) == ("00001.png", what)


def test_replay_picture_of_another_moment_is_a_difference(recording):
    shutil.copy(recording / "00001.png", recording / "00003.png")
    assert {(difference.picture, difference.what) for difference in differences_of(recording)} >= {
        ("00003.png", "board"),
        ("00003.png", "moves"),
    }


def test_replay_picture_that_contradicts_itself_is_a_difference_and_the_rest_is_gone_through(recording):
    frame = load_frame(recording / "00003.png")
    frame.pixels_bgr[:16, :16] = CLASSIC.sprites_of("8")[0].pixels_bgr
    save_png(recording / "00003.png", frame.pixels_bgr)
    steps = list(replay(recording))
    assert len(steps) == len(list(recording.glob("*.png")))
    found = {difference.what: difference for step in steps for difference in step.differences}
    assert found.keys() == {"board", "moves"}
    assert "(0,0)" in found["moves"].replayed


def test_replay_picture_of_another_size_names_file_and_line(recording):
    save_png(recording / "00002.png", np.zeros((9, 9, 3), dtype=np.uint8))
    with pytest.raises(UsageError, match=r"journal\.jsonl: line 3: .*00002\.png: expected 144 x 144"):
        list(replay(recording))


def test_replay_missing_or_broken_picture_names_file_and_line(recording):
    (recording / "00002.png").write_bytes(b"no picture")
    with pytest.raises(UsageError, match=r"line 3: .*00002\.png: expected a picture"):
        list(replay(recording))
    (recording / "00002.png").unlink()
    with pytest.raises(UsageError, match=r"line 3: .*00002\.png: cannot be read"):
        list(replay(recording))


@pytest.mark.parametrize(
    ("n_line", "changes"),
    [
        (1, {"event": None}),
        (1, {"skin": "no such skin"}),
        (1, {"rows": "many"}),
        (1, {"mines": None}),
        (2, {"picture": None}),
        (2, {"picture": 7}),
        (2, {"moves": None}),
    ],
)
def test_replay_broken_entry_names_file_and_line(recording, n_line, changes):
    tamper(recording, n_line, **changes)
    with pytest.raises(UsageError, match=rf"journal\.jsonl: line {n_line}"):
        list(replay(recording))


def test_replay_decision_before_any_board_names_file_and_line(recording):
    tamper(recording, 1, event="result")
    with pytest.raises(UsageError, match="line 2: expected a board before the first decision"):
        list(replay(recording))


@pytest.mark.parametrize("line", ["{not json", "[1, 2]", "7"])
def test_replay_line_that_is_no_json_object_is_named(recording, line):
    n_lines = len(entries_of(recording))
    with (recording / LOG).open("a", encoding="utf-8") as log:
        log.write(line + "\n")
    with pytest.raises(UsageError, match=rf"journal\.jsonl: line {n_lines + 1}"):
        list(replay(recording))


def test_replay_log_that_is_no_text_is_named(recording):
    (recording / LOG).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"journal\.jsonl: not UTF-8"):
        list(replay(recording))


def test_replay_missing_folder_is_named(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        list(replay(tmp_path / "nowhere"))


def test_journal_refuses_a_folder_that_holds_a_recording_and_leaves_it_alone(recording):
    before = (recording / LOG).read_bytes()
    with pytest.raises(UsageError, match="holds a recording already"):
        Journal(recording)
    assert (recording / LOG).read_bytes() == before


def test_journal_refuses_a_file_as_folder(tmp_path):
    (tmp_path / "taken").write_text("not a folder")
    with pytest.raises(UsageError, match="cannot be written to"):
        Journal(tmp_path / "taken")


def test_journal_unknown_risk_is_null_and_equal_to_itself(tmp_path, monkeypatch):
    """A cluster too wide to be counted has no known risk: NaN, which JSON does not have."""
    board = parse_board("####\n####\n####\n####\n").with_mines(3)
    reading = Reading("classic", Grid(Pixel(0, 0), (16, 16), 4, 4), board, np.ones((4, 4)), (), board.state)
    moves = [Move(Action.OPEN, (0, 0), p_mine=math.nan)]
    monkeypatch.setattr("bot.reporting.recording.decide_moves", lambda *_: Decision(moves))
    closed = np.tile(CLASSIC.sprites_of("closed")[0].pixels_bgr, (4, 4, 1))
    with Journal(tmp_path / "new") as journal:
        journal.board(CLASSIC, reading.grid, 3)
        journal.decision(Frame(closed), reading, moves)
    assert "NaN" not in (tmp_path / "new" / LOG).read_text(encoding="utf-8")
    assert entries_of(tmp_path / "new")[1]["moves"][0]["p_mine"] is None
    assert differences_of(tmp_path / "new") == []
    monkeypatch.setattr("bot.reporting.recording.decide_moves", decide_moves)
    assert [difference.what for difference in differences_of(tmp_path / "new")] == ["moves"]


@pytest.mark.parametrize("name", ["classic", "minebot"])
@pytest.mark.parametrize(("scale", "kernel"), [(1.5, "linear"), (27.5 / 16, "nearest"), (1.25, "cubic")])
def test_a_recording_of_an_enlarged_board_is_read_again(tmp_path, name, scale, kernel):
    skin = load_shipped_skin(name)
    shown = screen(skin, scale=scale, kernel=kernel, state="mid", level="intermediate", seed=2, size=(900, 800))
    board = locate_board(shown.frame, [skin])
    seen = shown.frame.crop(board.grid.region)
    reading = Reader(skin, board.grid, 40).read(seen)
    assert np.array_equal(reading.board.cells, shown.codes)
    with Journal(tmp_path / "enlarged") as journal:
        journal.board(skin, board.grid, 40)
        journal.decision(seen, reading, decide_moves(reading).moves)
    (step,) = replay(tmp_path / "enlarged")
    assert step.differences == []
    assert np.array_equal(step.reading.board.cells, shown.codes)


def test_a_recording_without_a_pitch_is_of_the_skin_s_own(recording):
    tamper(recording, 1, pitch=None, offset=None)
    assert differences_of(recording) == []


@pytest.mark.parametrize("changes", [{"pitch": [0, 16]}, {"pitch": 16}, {"pitch": ["a", 1]}, {"offset": [3, 0]}])
def test_a_broken_pitch_is_told_of(recording, changes):
    tamper(recording, 1, **changes)
    with pytest.raises(UsageError, match="line 1: not an entry"):
        differences_of(recording)


def test_a_guess_that_was_thought_about_need_not_be_found_again(recording):
    number, entry = next(
        (number, entry)
        for number, entry in enumerate(entries_of(recording), start=1)
        if entry["event"] == "decision"
        and [move["p_mine"] for move in entry["moves"]] not in ([], [0.0])
        and len(entry["moves"]) == 1
    )
    guess = entry["moves"][0]
    tamper(recording, number, moves=[guess | {"cell": [guess["cell"][0] ^ 1, guess["cell"][1]]}])
    assert [difference.what for difference in differences_of(recording)] == ["moves"]
    style = entries_of(recording)[0]["style"]
    assert style["think_s"] == 0.0
    tamper(recording, 1, style=style | {"think_s": 0.5})
    assert differences_of(recording) == []
