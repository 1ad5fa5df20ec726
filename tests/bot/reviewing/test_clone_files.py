"""Replays of every version of Minesweeper Clone are read; what is cut off, or of no known version, is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.reviewing.clone_files import CloneFileError, parse_clone
from bot.reviewing.replay_files import iter_steps, load_replays
from solver.board import GameState

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
EARLY = (REPLAYS / "clone-0.96.mvf").read_bytes()
LATE = (REPLAYS / "expert.mvf").read_bytes()
PLAYER, CHECK, TIME = 100, 22, 3
"""Bytes at the end of a file of 0.96."""
TO_TIME = len(EARLY) - CHECK - PLAYER


def with_end(end):
    """The game of 0.96 as an earlier version ends its file."""
    return EARLY[:TO_TIME] + end


@pytest.mark.parametrize(
    ("name", "version", "seconds"),
    [
        ("clone-0.96", "0.8 to 0.96", 38.84),
        ("expert", "0.97 beta", 37.82),
        ("clone-2006-release-2", "2006 release 2", 44.869),
        ("clone-2007-release-2", "2007 release 2", 31.133),
    ],
)
def test_games_are_won_at_the_time_that_their_file_tells(name, version, seconds):
    """The events, the layout and the time stand in different places of a file, and fit each other."""
    (replay,) = load_replays(REPLAYS / f"{name}.mvf")
    assert (replay.program, replay.seconds) == (f"Minesweeper Clone {version}", seconds)
    assert (replay.layout.shape, replay.layout.n_mines) == ((16, 30), 99)
    steps = [*iter_steps(replay)]
    assert steps[-1].after is GameState.WON
    assert steps[-1].click.seconds == seconds
    if replay.told:
        assert replay.told == {"bbbv": replay.layout.bbbv}


def test_clicks_are_those_of_another_reader():
    """`expert-mvf.rawvf` is what ms_toollib reads in the same file."""
    (replay,) = load_replays(REPLAYS / "expert.mvf")
    (told,) = load_replays(REPLAYS / "expert-mvf.rawvf")
    assert replay.layout == told.layout
    assert [click[1:] for click in replay.clicks] == [click[1:] for click in told.clicks]
    golden = json.loads((REPLAYS / "figures.json").read_text(encoding="utf-8"))["expert.mvf"]
    assert replay.told["bbbv"] == golden["bbbv"]


@pytest.mark.parametrize(
    ("content", "version", "player"),
    [
        (EARLY, "0.8 to 0.96", "x" * 22),
        (with_end(b"Ren\xe9".ljust(PLAYER) + b"1234567890"), "0.76", "Ren\u00e9"),
        (with_end(b"1234567890"), "0.75 or earlier", ""),
        (bytes(7) + LATE[74:], "0.97", "Zhang Shen Jia(China)"),
        (LATE.replace(b"2004-2005", b"2004-2008"), "0.97 beta", "Zhang Shen Jia(China)"),
    ],
)
def test_versions_are_told_by_head_and_end(content, version, player):
    video = parse_clone(content)
    assert (video.version, video.player) == (version, player)
    same = parse_clone(EARLY if content.startswith(EARLY[:4]) else LATE)
    assert (video.layout, video.presses, video.seconds) == (same.layout, same.presses, same.seconds)


def test_marks_and_presses_beside_the_board_are_read():
    marks_at = 4 + 2 * 99
    content = bytearray(EARLY)
    content[marks_at] = 1
    content[marks_at + 1 + 4 : marks_at + 1 + 8] = b"\x02\x00\x00\x10"  # the first event's place: x 512, y 16
    video = parse_clone(bytes(content))
    assert video.has_marks
    assert video.presses[0] == (0.0, "lc", None)
    assert not parse_clone(EARLY).has_marks


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (LATE.replace(b"2004-2005", b"2004-2009"), "it says Minesweeper Clone version 0.97 beta, 2004-2009: versions"),
        (LATE[:-10], None),
        (LATE[:3000], "it is cut off: byte "),
        (EARLY[:-1], "it begins and ends like no file of Minesweeper Clone"),
        (b"Hello, this is no replay", "it begins and ends like no file"),
        (
            bytes([30, 16, 0, 1, 30, 0, 0]) + EARLY[TO_TIME - TIME :],
            "expected 1 mines on a board of 16 x 30, got one at (0,30)",
        ),
        (bytes([30, 0, 0, 0, 0]) + EARLY[TO_TIME - TIME :], "expected a board, got one of 0 x 30"),
        (EARLY[: 4 + 2 * 99 + 1 + 80] + EARLY[TO_TIME - TIME :], "its events end at "),
    ],
)
def test_files_that_are_broken_are_refused(content, told):
    if told is None:
        assert parse_clone(content).seconds == 37.82, "what follows the events is not needed"
        return
    with pytest.raises(CloneFileError) as caught:
        parse_clone(content)
    assert told in str(caught.value)


@pytest.mark.parametrize("content", [EARLY, LATE], ids=["0.96", "0.97"])
def test_files_cut_anywhere_are_read_or_refused_by_name(content, tmp_path):
    path, told = tmp_path / "cut.mvf", []
    for end in range(1, len(content), 97):
        path.write_bytes(content[:end])
        try:
            (replay,) = load_replays(path)
        except UsageError as error:
            told.append(str(error))
        else:
            assert replay.layout.n_mines == 99
    assert len(told) > 50
    assert all(text.startswith(f"{path}: ") for text in told)
