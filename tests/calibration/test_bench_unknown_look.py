"""The bench of play with an unknown look plays soundly, and says so where play would not."""

from dataclasses import replace

import bench

from calibration.live.evidence import Evidence, cells_of


def test_unknown_look_is_played_without_an_explosion_of_a_safe_cell(capsys):
    assert bench.main(["unknown-look", "--games", "6", "--level", "beginner"]) == 0
    told = capsys.readouterr().out
    assert "exploded of them 0" in told
    assert "labels unknown: won" in told


def test_unsound_play_is_told(monkeypatch, capsys):
    judge = Evidence.judge

    def rash(evidence, board):
        judged = judge(evidence, board)
        return judged and replace(judged, safe=tuple(cells_of(judged.closed)))

    monkeypatch.setattr(Evidence, "judge", rash)
    assert bench.main(["unknown-look", "--games", "3", "--level", "beginner"]) == 1
    assert "exploded of them 0" not in capsys.readouterr().out
