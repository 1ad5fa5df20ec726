"""What was learned is kept when a run is stopped, and gone on from; nothing half-written replaces anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from player_table import BEGINNER, CLASSIC, MINEBOT
from unknown_clone import UnknownClone, check_sprites, simulate_all_time

from bot.desktop import Desktop
from bot.errors import Aborted
from calibration import cli
from calibration.errors import CalibrationError, MemoryFileError
from calibration.live import progress
from calibration.live.memory import Memory, load_memory, memory_path, save_memory
from calibration.live.session import LiveOptions, learn_live
from skins import SkinError, load_skin, save_skin
from skins.skin import Alike


class Run:
    """One run of --live on a fake desktop."""

    def __init__(self, patch, skin=CLASSIC, seed=0):
        self.desktop = UnknownClone(skin, BEGINNER, seed=seed)
        self.said = []
        self.kept = None
        simulate_all_time(patch, self.desktop.clock)

    def learn(self, memory=None):
        desktop = self.desktop
        ports, options = Desktop(desktop, desktop, desktop, desktop), LiveOptions("mine", has_consent=True)
        return learn_live(ports, desktop.control, options, self.said.append, memory, self._keep)

    def _keep(self, memory):
        self.kept = memory


@pytest.fixture
def run(monkeypatch):
    """Runs, one after the other: each has a clock of its own."""

    def begin(*args, **options):
        monkeypatch.undo()
        return Run(monkeypatch, *args, **options)

    return begin


def stopped(run, tmp_path, n_clicks=30):
    """What a run leaves that is stopped by Esc after so many clicks."""
    first = run()
    first.desktop.after_clicks(n_clicks, first.desktop.abort)
    with pytest.raises(Aborted):
        first.learn()
    path = tmp_path / "mine.learning.npz"
    save_memory(first.kept, path)
    return path


def test_what_is_only_alike_makes_no_skin_until_two_games_agree(run, tmp_path, monkeypatch):
    memory = load_memory(stopped(run, tmp_path))
    learned = progress.learned_skin("mine", memory)
    alike = Alike((16.0, 16.0), 1, 8.0)
    monkeypatch.setattr(progress, "skin_that_reads", lambda *_, **__: (replace(learned.skin, drawing=alike), 1.0))
    assert progress.learned_skin("mine", memory).is_verified
    monkeypatch.setattr(progress, "are_agreed", lambda *_: False)
    with pytest.raises(CalibrationError, match="once two games agree"):
        progress.learned_skin("mine", memory)


def test_run_goes_on_from_what_a_stopped_one_had_learned(run, tmp_path):
    memory = load_memory(stopped(run, tmp_path))
    n_before = len(memory.sights)
    assert n_before > 0
    later = run(seed=1)
    learned = later.learn(memory)
    assert learned.is_verified
    assert len(learned.cuts) > n_before
    assert learned.skin.new_game.key == "f2"
    assert not any("trying the key" in text for text in later.said), "the key is known from before"
    check_sprites(learned.skin, CLASSIC)


def test_run_that_is_stopped_in_its_first_game_keeps_that(run, tmp_path):
    path = stopped(run, tmp_path, n_clicks=14)
    memory = load_memory(path)
    assert len(memory.sights) == 1
    assert memory.evidence.knows("flag") or memory.evidence.knows("closed")


def test_game_that_was_stopped_is_judged_by_the_next_run(run, tmp_path):
    first = run()
    first.desktop.after_clicks(14, first.desktop.abort)
    with pytest.raises(Aborted):
        first.learn()
    assert not first.kept.sights
    assert first.kept.unfinished is not None
    path = tmp_path / "mine.learning.npz"
    save_memory(first.kept, path)
    later = load_memory(path)
    assert (len(later.sights), later.unfinished) == (1, None)
    assert not first.kept.evidence.as_plain()["proven"]
    assert later.evidence.as_plain()["proven"]


def test_memory_is_read_as_it_was_written(run, tmp_path):
    path = stopped(run, tmp_path)
    memory = load_memory(path)
    again = tmp_path / "again.npz"
    save_memory(memory, again)
    other = load_memory(again)
    assert other.evidence.as_plain() == memory.evidence.as_plain()
    assert (other.new_game, other.can_flag) == (memory.new_game, memory.can_flag)
    for one, two in zip(memory.evidence.ended, other.evidence.ended, strict=True):
        assert np.array_equal(one, two)
    assert memory.evidence.all_labelled()[1] == other.evidence.all_labelled()[1]


def test_other_clone_under_the_same_name_is_refused(run, tmp_path):
    memory = load_memory(stopped(run, tmp_path))
    bigger = replace(CLASSIC, pitch_px=MINEBOT.pitch_px, sprites=MINEBOT.sprites, exact=MINEBOT.exact, border=None)
    if bigger.pitch_px == CLASSIC.pitch_px:
        pytest.skip("the two skins are of one size")
    other = run(bigger)
    with pytest.raises(CalibrationError, match="16x16 px"):
        other.learn(memory)
    assert not other.desktop.clicks


@pytest.mark.parametrize("spoil", ["truncated", "text", "empty", "other"])
def test_broken_memory_is_named_and_not_used(run, tmp_path, spoil):
    path = stopped(run, tmp_path)
    content = path.read_bytes()
    if spoil == "other":
        with path.open("wb") as file:
            np.savez(file, about=np.array('{"version": 99}'))
    else:
        path.write_bytes({"truncated": content[: len(content) // 2], "text": b"hello", "empty": b""}[spoil])
    with pytest.raises(MemoryFileError, match=r"mine\.learning\.npz"):
        load_memory(path)


def test_no_memory_is_none(tmp_path):
    assert load_memory(tmp_path / "none.learning.npz") is None


def test_write_that_fails_leaves_the_memory_before(run, tmp_path, monkeypatch):
    path = stopped(run, tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "no space left")))
    with pytest.raises(MemoryFileError, match="no space left"):
        save_memory(Memory(), path)
    assert path.read_bytes() == before


def test_profile_whose_replacement_fails_stays_whole(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    save_skin(replace(CLASSIC, name="mine"), folder)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "no space left")))
        with pytest.raises(SkinError, match="no space left"):
            save_skin(replace(MINEBOT, name="mine"), folder)
    assert load_skin(folder).pitch_px == CLASSIC.pitch_px
    assert np.array_equal(load_skin(folder).sprites[0].pixels_bgr, CLASSIC.sprites[0].pixels_bgr)
    save_skin(replace(MINEBOT, name="mine"), folder)
    assert np.array_equal(load_skin(folder).sprites[0].pixels_bgr, MINEBOT.sprites[0].pixels_bgr)
    assert len(list(folder.glob("*.png"))) == 1


def test_command_goes_on_until_verified_then_removes_what_was_kept(run, tmp_path, monkeypatch, capsys):
    path = stopped(run, tmp_path)
    unverified = run(seed=3).learn(load_memory(path))
    monkeypatch.undo()
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path))
    arguments = ["--live", "--now", "--yes", "--name", "mine"]
    monkeypatch.setattr(cli, "_run_live", lambda _: replace(unverified, is_verified=False))
    assert cli.main(arguments) == 0
    assert path.exists(), "kept as long as nothing is verified"
    assert cli.main(arguments) == 0, "the skin there came of it: it may be replaced"
    monkeypatch.setattr(cli, "_run_live", lambda _: replace(unverified, is_verified=True))
    assert cli.main(arguments) == 0
    assert not path.exists()
    assert cli.main(arguments) == 2, "a verified skin is replaced only by --force"
    assert "--force" in capsys.readouterr().err


def test_stopped_command_says_that_it_can_go_on(run, tmp_path, monkeypatch, capsys):
    stopped(run, tmp_path)
    monkeypatch.undo()
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path))

    def stop(_):
        raise Aborted("stopped by Esc")

    monkeypatch.setattr(cli, "_run_live", stop)
    assert cli.main(["--live", "--now", "--yes", "--name", "mine"]) == 130
    assert "goes on from there" in capsys.readouterr().err
    assert memory_path("mine").exists()
