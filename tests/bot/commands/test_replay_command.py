"""`minebot replay`: step by step, with reasons, and as an animated picture."""

from __future__ import annotations

import io
import json
import shutil

import cv2
import numpy as np
import pytest
from PIL import Image

from bot.cli import main
from bot.errors import UsageError
from bot.reporting.drawing.film import DEFAULT_S, LAST_S, LEAST_S, MOST_S, durations_of, save_animation
from bot.reporting.recording import LOG, Journal, Recording
from skins import load_shipped_skin
from solver import Board, InconsistentError, analyse, parse_board
from solver.words import counted

GREEN_RGB = (0, 158, 115)
"""Of the tick on a proven safe cell."""


@pytest.fixture
def recording(screens, tmp_path):
    """The start of a real game: a guess, a guess, and a safe cell."""
    folder = tmp_path / "recording"
    folder.mkdir()
    lines = (screens / "winemine-game" / LOG).read_text().splitlines(keepends=True)[:4]
    (folder / LOG).write_text("".join(lines))
    for n in (1, 2, 3):
        shutil.copy(screens / "winemine-game" / f"{n:05}.png", folder)
    return folder


@pytest.fixture
def timed(recording, tmp_path, monkeypatch):
    """The same, recorded anew, half a second from decision to decision, the last one after a minute."""
    steps = [Recording(recording).step(n) for n in range(3)]
    times = iter([0.0, 1.0, 1.5, 61.5])
    monkeypatch.setattr("bot.reporting.recording.time.monotonic", lambda: next(times))
    with Journal(tmp_path / "timed") as journal:
        journal.board(load_shipped_skin("winemine"), steps[0].reading.grid, 99)
        for step in steps:
            journal.decision(step.frame, step.reading, step.moves)
    return tmp_path / "timed"


@pytest.fixture
def unbegun(tmp_path):
    """A recording of play that was stopped before the first decision."""
    with Journal(tmp_path / "unbegun"):
        pass
    return tmp_path / "unbegun"


@pytest.fixture
def answer(monkeypatch):
    def _answer(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return _answer


def decisions_in(text):
    return [int(line.split()[1]) for line in text.splitlines() if line.startswith("decision ")]


@pytest.mark.parametrize(
    ("answers", "shown", "n_seen"),
    [
        (["", "", ""], [1, 2, 3], 3),
        (["", "b", "", "", ""], [1, 2, 1, 2, 3], 3),
        (["b", "b", "q"], [1, 1, 1], 1),
        (["", "what?", "q"], [1, 2], 2),
        ([" Q "], [1], 1),
        (["", "B", ""], [1, 2, 1, 2], 2),
        ([], [1], 1),
    ],
)
def test_step_goes_where_a_person_says_and_ends_with_the_input(recording, answer, capsys, answers, shown, n_seen):
    answer(*answers)
    assert main(["replay", str(recording), "--step"]) == 0
    output = capsys.readouterr().out
    assert decisions_in(output) == shown
    assert output.endswith(f"\n{counted(n_seen, 'frame')}, 0 differences\n")


def test_step_shows_the_board_with_its_marks_and_every_reason(recording, answer, capsys):
    answer("", "", "q")
    main(["replay", str(recording), "--step"])
    first, second, third = capsys.readouterr().out.split("decision ")[1:]
    assert "0 @" + 29 * "#" in first
    assert "a guess: (0,0), risk 20.6%" in first
    assert "nothing is open yet" in first
    assert [line.split()[:2] for line in first.splitlines() if line.startswith("(0,29)")] == [["(0,29)", "20.6%"]]
    assert "15 @" + 29 * "#" in second
    assert "by the opening book" in second
    assert "13 ##." + 27 * "#" in third
    assert "opens the cell that is proven safe" in third
    assert "(13,2) is safe. The numbers at" in third


def test_step_says_where_it_differs_and_ends_with_1(recording, answer, capsys):
    entries = [json.loads(line) for line in (recording / LOG).read_text().splitlines()]
    entries[2]["moves"] = []
    (recording / LOG).write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    answer("", "b", "", "q")
    assert main(["replay", str(recording), "--step"]) == 1
    output = capsys.readouterr().out
    assert output.count("00002.png: moves differs") == 1
    assert output.endswith("2 frames, 1 difference\n")


def test_step_as_json_has_every_decision_with_its_cells_and_reasons(timed, capsys):
    assert main(["replay", str(timed), "--step", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["frames"], told["differences"]) == (3, [])
    guess, _, safe = told["steps"]
    assert [(step["picture"], step["seconds"]) for step in told["steps"]] == [
        ("00001.png", 1.0),
        ("00002.png", 1.5),
        ("00003.png", 61.5),
    ]
    (move,) = guess["moves"]
    assert move | {"why": None} == {"action": "open", "cell": [0, 0], "p_mine": 99 / 480, "why": None}
    assert "is the least risk" in move["why"]
    assert guess["candidates"][0]["cell"] == [0, 0]
    assert safe["candidates"] == []
    board = parse_board("\n".join(safe["board"])).with_mines(99)
    for move in safe["moves"]:
        assert move["why"].startswith(f"({move['cell'][0]},{move['cell'][1]}) is safe.")
        with_mine = board.cells.copy()
        with_mine[tuple(move["cell"])] = parse_board("+").cells[0, 0]
        with pytest.raises(InconsistentError):
            analyse(Board(with_mine, 99))


def test_json_without_step_is_as_ever(recording, capsys):
    assert main(["replay", str(recording), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"frames": 3, "differences": []}


@pytest.mark.parametrize("extra", [[], ["--step"], ["--json"], ["--step", "--json"]])
def test_a_recording_without_decisions_is_told_of(unbegun, extra, answer, capsys):
    answer()
    assert main(["replay", str(unbegun), *extra]) == 0
    captured = capsys.readouterr()
    assert "unbegun: play was stopped before the first decision: there is nothing to go through" in captured.err
    if "--json" in extra:
        assert json.loads(captured.out) | {"steps": []} == {"frames": 0, "differences": [], "steps": []}
    else:
        assert captured.out == "0 frames, 0 differences\n"


def test_a_picture_of_a_recording_without_decisions_is_refused(unbegun, tmp_path, capsys):
    assert main(["replay", str(unbegun), "--picture", str(tmp_path / "film.gif")]) == 2
    assert "before the first decision: there is no picture to write" in capsys.readouterr().err
    assert not (tmp_path / "film.gif").exists()


def frames_of(path):
    """What Pillow reads of an animation: RGB pictures and seconds."""
    frames, seconds = [], []
    with Image.open(path) as film:
        assert film.info["loop"] == 0, "for ever"
        for n in range(film.n_frames):
            film.seek(n)
            frames.append(np.asarray(film.convert("RGB")))
            seconds.append(film.info["duration"] / 1000)
    return frames, seconds


def n_green(frame):
    return int((np.abs(frame.astype(int) - GREEN_RGB).max(axis=2) < 12).sum())


@pytest.mark.parametrize("name", ["film.gif", "film.png", "FILM.APNG"])
def test_picture_shows_every_decision_in_the_pace_it_was_made(timed, tmp_path, capsys, name):
    assert main(["replay", str(timed), "--picture", str(tmp_path / name)]) == 0
    assert capsys.readouterr().out == "3 frames, 0 differences\n"
    frames, seconds = frames_of(tmp_path / name)
    assert seconds == [0.5, MOST_S, LAST_S]
    assert len({frame.shape for frame in frames}) == 1
    in_legend = n_green(frames[0])
    one_tick = n_green(frames[2]) - in_legend
    assert n_green(frames[1]) == pytest.approx(in_legend, rel=0.05)
    assert 50 < one_tick < 32 * 32
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_picture_as_png_is_lossless_and_as_gif_nearly(timed, tmp_path):
    for name in ("film.png", "film.gif"):
        main(["replay", str(timed), "--picture", str(tmp_path / name)])
    exact, _ = frames_of(tmp_path / "film.png")
    near, _ = frames_of(tmp_path / "film.gif")
    for one, other in zip(exact, near, strict=True):
        assert np.abs(one.astype(int) - other.astype(int)).mean() < 1.0


def test_picture_of_another_kind_is_refused_before_any_work(recording, tmp_path, capsys):
    assert main(["replay", str(recording), "--picture", str(tmp_path / "film.mp4")]) == 2
    assert "ends in .gif or .png or .apng" in capsys.readouterr().err


def test_durations_keep_the_pace_within_limits():
    assert durations_of([3.0, 3.5, 3.501, 100.0]) == [0.5, LEAST_S, MOST_S, LAST_S]
    assert durations_of([None, None, 2.0]) == [DEFAULT_S, DEFAULT_S, LAST_S]
    assert durations_of([7.0]) == [LAST_S]


@pytest.mark.parametrize("name", ["a.png", "a.gif"])
def test_animation_is_read_back_as_it_was_drawn(tmp_path, name):
    rng = np.random.default_rng(0)
    frames = [np.full((40, 50, 3), 200, dtype=np.uint8)]
    for _ in range(20):  # few colours: a GIF has 256 a picture
        frame = frames[-1].copy()
        (top, left), colour = rng.integers(0, (30, 40)), rng.integers(0, 256, 3)
        frame[top : top + rng.integers(1, 10), left : left + rng.integers(1, 10)] = colour
        frames.append(frame)
    seconds = [0.1 + 0.01 * n for n in range(21)]
    save_animation(tmp_path / name, frames, seconds)
    read, read_seconds = frames_of(tmp_path / name)
    assert read_seconds == pytest.approx(seconds)
    assert all(np.array_equal(one, other[:, :, ::-1]) for one, other in zip(read, frames, strict=True))


def test_animation_of_pictures_that_are_alike_keeps_each(tmp_path):
    save_animation(tmp_path / "a.png", [np.zeros((4, 4, 3), dtype=np.uint8)] * 3, [0.1, 0.2, 0.3])
    assert frames_of(tmp_path / "a.png")[1] == pytest.approx([0.1, 0.2, 0.3])


def test_animation_as_png_is_a_picture_for_who_knows_no_animations(tmp_path):
    frames = [np.full((4, 6, 3), n, dtype=np.uint8) for n in (10, 20)]
    save_animation(tmp_path / "a.png", frames, [0.1, 0.1])
    assert np.array_equal(cv2.imread(str(tmp_path / "a.png")), frames[0])


@pytest.mark.parametrize("name", ["a.png", "a.gif"])
def test_animation_that_cannot_be_written_leaves_nothing(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        save_animation(tmp_path / name, [np.zeros((4, 4, 3), dtype=np.uint8)], [0.1])
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_picture_marks_what_the_log_decided_and_shows_the_rest_as_it_was_seen(screens, tmp_path):
    folder = tmp_path / "half-a-game"
    shutil.copytree(screens / "winemine-game", folder)
    lines = (folder / LOG).read_text(encoding="utf-8").splitlines(keepends=True)[:13]
    (folder / LOG).write_text("".join(lines), encoding="utf-8")
    decisions = [json.loads(line) for line in lines[1:]]
    assert main(["replay", str(folder), "--picture", str(tmp_path / "film.png")]) == 0
    frames, seconds = frames_of(tmp_path / "film.png")
    assert len(frames) == len(decisions)
    assert seconds == pytest.approx(durations_of([line["seconds"] for line in decisions]), abs=0.001)
    seen = [cv2.imread(str(folder / line["picture"])).repeat(2, axis=0).repeat(2, axis=1) for line in decisions]
    last = cv2.cvtColor(frames[-1], cv2.COLOR_RGB2BGR)
    _, _, (left, top), _ = cv2.minMaxLoc(cv2.matchTemplate(last, seen[-1], cv2.TM_SQDIFF))
    for line, frame, picture in zip(decisions, frames, seen, strict=True):
        height, width = picture.shape[:2]
        board = frame[top : top + height, left : left + width, ::-1]
        differs = (board != picture).any(axis=2).reshape(16, 32, 30, 32)
        differs = differs[:, 6:26, :, 6:26]  # the ring around a guess reaches into its neighbours
        marked = {tuple(cell) for cell in np.argwhere(differs.any(axis=(1, 3))).tolist()}
        assert marked == {tuple(move["cell"]) for move in line["moves"]}
