"""Recordings whose end is missing, as a process that was killed leaves them, and the same damage elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import journal_writer
import pytest

from bot.cli import main
from bot.errors import UsageError
from bot.reporting.recording import LOG, Journal, Recording, replay

N_KILLED = 40


@pytest.fixture
def recording(screens, tmp_path):
    """The first decisions of a real game; the last line is a decision."""
    folder = tmp_path / "recording"
    folder.mkdir()
    lines = (screens / "winemine-game" / LOG).read_text().splitlines(keepends=True)[:6]
    (folder / LOG).write_text("".join(lines))
    for line in lines[1:]:
        shutil.copy(screens / "winemine-game" / json.loads(line)["picture"], folder)
    return folder


def cut(path, n_bytes):
    path.write_bytes(path.read_bytes()[:n_bytes])


def pictures_of(folder):
    """Go through a recording again: the pictures of its steps, and what was told."""
    told = []
    steps = list(replay(folder, told.append))
    assert [step.differences for step in steps] == [[]] * len(steps)
    return [step.picture for step in steps], told


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_a_killed_process_leaves_every_decision_that_was_kept(screens, tmp_path):
    told = subprocess.run(
        [sys.executable, journal_writer.__file__, str(screens / "winemine-game"), str(tmp_path), str(N_KILLED)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(journal_writer.__file__).parents[2],
        env=os.environ | {"PYTHONPATH": str(Path(journal_writer.__file__).parents[2])},
    )
    kept = [int(word) for word in told.stdout.split()]
    assert len(kept) == N_KILLED
    assert all(n_kept >= n % journal_writer.LONGEST_LIFE for n, n_kept in enumerate(kept)), "killed at many moments"
    for n, n_kept in enumerate(kept):
        if not (tmp_path / str(n) / LOG).exists():  # killed before it had begun
            assert n_kept == 0
            continue
        pictures, _ = pictures_of(tmp_path / str(n))
        assert len(pictures) in (n_kept, n_kept + 1), "one more where it was killed before it could say so"


def test_a_line_cut_off_anywhere_is_told_of_and_left_out(recording):
    whole = (recording / LOG).read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in [*range(start + 1, start + 40), (start + len(whole)) // 2, len(whole.rstrip()) - 1]:
        (recording / LOG).write_bytes(whole[:end])
        pictures, told = pictures_of(recording)
        assert pictures == ["00001.png", "00002.png", "00003.png", "00004.png"]
        (remark,) = told
        assert "journal.jsonl: line 6 is cut off" in remark


def test_a_last_line_that_lacks_its_end_of_line_only_is_whole(recording):
    cut(recording / LOG, -1)
    assert pictures_of(recording) == ([f"{n:05}.png" for n in range(1, 6)], [])


def test_a_last_picture_that_is_missing_is_told_of_and_left_out(recording):
    (recording / "00005.png").unlink()
    pictures, told = pictures_of(recording)
    assert pictures[-1] == "00004.png"
    (remark,) = told
    assert "line 6: its picture 00005.png is missing" in remark


@pytest.mark.parametrize("n_bytes", [0, 5, 8, 100, -500, -12, -1])
def test_a_last_picture_that_is_cut_off_is_told_of_and_left_out(recording, n_bytes):
    cut(recording / "00005.png", n_bytes)
    pictures, told = pictures_of(recording)
    assert pictures[-1] == "00004.png"
    (remark,) = told
    assert "line 6: its picture 00005.png is cut off" in remark


@pytest.mark.parametrize("n_bytes", [0, 100, -12, -1])
def test_a_picture_that_is_cut_off_in_the_middle_is_an_error(recording, n_bytes):
    cut(recording / "00004.png", n_bytes)
    with pytest.raises(UsageError, match=r"line 5: .*00004\.png: cut off"):
        list(replay(recording))


def test_a_picture_that_is_missing_before_a_result_is_an_error(recording):
    with (recording / LOG).open("a") as log:
        log.write('{"event": "result"}\n')
    (recording / "00005.png").unlink()
    with pytest.raises(UsageError, match=r"line 6: .*00005\.png: cannot be read"):
        list(replay(recording))


def test_a_line_that_is_cut_off_in_the_middle_is_an_error(recording):
    lines = (recording / LOG).read_text().splitlines(keepends=True)
    lines[3] = lines[3][:50] + "\n"
    (recording / LOG).write_text("".join(lines))
    with pytest.raises(UsageError, match="line 4 is not JSON"):
        Recording(recording)


def test_replay_of_a_cut_off_recording_remarks_on_it_and_ends_with_0(recording, capsys):
    cut(recording / LOG, -100)
    assert main(["replay", str(recording), "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"frames": 4, "differences": []}
    assert captured.err.startswith("minebot: ")
    assert "line 6 is cut off" in captured.err


def test_journal_notes_the_seconds_since_it_began(recording, tmp_path, monkeypatch):
    step = Recording(recording).step(0)
    now = [50.0]
    monkeypatch.setattr("bot.reporting.recording.time.monotonic", lambda: now[0])
    with Journal(tmp_path / "new") as journal:
        now[0] = 51.5
        journal.board(journal_writer.load_shipped_skin("winemine"), step.reading.grid, 99)
        journal.decision(step.frame, step.reading, step.moves)
        now[0] = 51.7504
        journal.decision(step.frame, step.reading, step.moves)
    assert [step.seconds for step in replay(tmp_path / "new")] == [1.5, 1.75]


def test_recordings_made_before_there_were_seconds_have_none(recording):
    log = recording / LOG
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    for entry in entries:
        entry.pop("seconds", None)
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert {step.seconds for step in replay(recording)} == {None}


def test_journal_on_a_full_disk_says_where(recording, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    step = Recording(recording).step(0)
    with Journal(tmp_path / "new") as journal:
        monkeypatch.setattr("bot.reporting.recording.save_png", full)
        with pytest.raises(UsageError, match=r"new: cannot be written to \(No space left"):
            journal.decision(step.frame, step.reading, step.moves)
