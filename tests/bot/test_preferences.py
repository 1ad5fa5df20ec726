"""`settings.toml`: what is read, what goes before it, and what is said of mistakes."""

from __future__ import annotations

import argparse
import json

import pytest
from bot_process import run_bot

from bot.cli import main
from bot.commands import coach, doctor, play
from bot.errors import UsageError
from bot.preferences import VARIABLE, Preferences, load_preferences, save_preferences, settings_path
from skins import shipped_skin_names


@pytest.fixture
def write(monkeypatch, tmp_path):
    """Writes the settings of a person."""
    path = tmp_path / "settings.toml"
    monkeypatch.setenv(VARIABLE, str(path))

    def write_text(text):
        path.write_text(text, encoding="utf-8")
        return path

    return write_text


def parsed(command, *arguments):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    args = parser.parse_args(arguments)
    load_preferences().fill_in(args)
    return args


def test_without_a_file_everything_is_as_usual(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none.toml"))
    assert load_preferences() == Preferences()
    args = parsed(play)
    assert (args.hotkey, args.abort_key, args.speed, args.flags, args.chord) == ("f10", "esc", "max", False, None)


def test_file_lies_in_the_folder_for_configuration(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    path = settings_path()
    assert (path.parent.name, path.name) == ("minebot", "settings.toml")


def test_settings_are_the_defaults_of_options_and_options_go_before(write):
    write('hotkey = "f9"\nabort_key = "q"\nspeed = "fast"\nflags = true\nchord = true\n')
    args = parsed(play)
    assert (args.hotkey, args.abort_key, args.speed, args.flags, args.chord) == ("f9", "q", "fast", True, True)
    args = parsed(play, "--hotkey", "f8", "--speed", "human", "--no-flags")
    assert (args.hotkey, args.abort_key, args.speed, args.flags, args.chord) == ("f8", "q", "human", False, True)
    args = parsed(coach)
    assert (args.hotkey, args.abort_key) == ("f9", "q")
    assert not hasattr(args, "speed")


@pytest.mark.parametrize(
    ("text", "arguments", "chords", "saves_time"),
    [
        ("", [], True, True),
        ("", ["--flags"], True, True),
        ("", ["--speed", "fast"], False, False),
        ("", ["--chord"], True, False),
        ("", ["--speed", "human", "--chord"], True, False),
        ("", ["--no-chord"], False, False),
        ("chord = true", [], True, False),
        ("chord = false", [], False, False),
        ("chord = false", ["--chord"], True, False),
        ('speed = "human"', [], False, False),
    ],
)
def test_chords_are_made_by_themselves_at_speed_max_where_nobody_says_otherwise(
    write, text, arguments, chords, saves_time
):
    write(text)
    settings = play._parse_options(parsed(play, *arguments)).settings
    assert (settings.style.chords, settings.saves_time) == (chords, saves_time)


def test_preferred_skins_are_tried_first(write):
    write('skins = ["xdemineur", "4d"]')
    preferences = load_preferences()
    names = [skin.name for skin in preferences.load_skins("auto", print)]
    assert names[:2] == ["xdemineur", "4d"]
    assert sorted(names) == shipped_skin_names()
    assert [skin.name for skin in preferences.load_skins("classic", print)] == ["classic"]


def test_rule_for_the_first_click_is_the_options_else_the_settings_else_the_skins(write):
    write('[first_click]\nclassic = "moved-to-corner"\n')
    rules = {skin.name: skin.first_click for skin in load_preferences().load_skins("auto", print)}
    assert (rules["classic"], rules["gnome-mines"], rules["classic-98"]) == ("moved-to-corner", "zero", None)
    asked = parsed(play, "--first", "any")
    assert {skin.first_click for skin in load_preferences().load_skins("auto", print, asked.first)} == {"any"}
    assert parsed(coach).first is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sped = 1", "there is no setting 'sped': did you mean speed?"),
        (
            "colour = 1",
            "there is no setting 'colour': expected hotkey, abort_key, games, speed, flags, chord, first_click",
        ),
        ('first_click = "safe"', "expected first_click = rules by skin"),
        ('[first_click]\nclassic = "brave"', "of any, safe, zero, moved-to-corner"),
        ("[first_click]\nclassic = []", "expected first_click = rules by skin"),
        ('speed = "quick"', 'expected speed = "max" or "fast" or "human", got \'quick\''),
        ("speed = 3", "got '3'"),
        ("games = 0", "expected games = 1 or more, got '0'"),
        ("games = true", "expected games = 1 or more"),
        ('flags = "yes"', "expected flags = true or false, got 'yes'"),
        ("hotkey = ''", "expected hotkey = a key such as \"f9\", got ''"),
        ('skins = "classic"', "expected skins = skins in a list"),
        ("skins = [1]", "expected skins = skins in a list"),
        ("speed = fast", "expected settings in TOML"),
    ],
)
def test_mistake_is_named_with_its_file(text, words, write):
    path = write(text)
    with pytest.raises(UsageError) as refused:
        load_preferences()
    assert str(refused.value).startswith(f"{path}: ")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_saved_settings_change_and_the_rest_of_the_file_stays(write):
    path = write('# mine\nspeed = "fast"  # not too fast\nchord = true\n\n[first_click]\nclassic = "safe"\n')
    save_preferences({"speed": "human", "games": 5, "chord": None, "hotkey": "f9"})
    assert load_preferences() == Preferences(speed="human", games=5, hotkey="f9", first_click={"classic": "safe"})
    assert path.read_text().startswith('# mine\nspeed = "human"')
    assert "# not too fast" in path.read_text()


def test_nothing_is_written_where_nothing_changed(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "settings.toml"))
    save_preferences({})
    assert list(tmp_path.iterdir()) == []


def test_settings_are_saved_where_there_was_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new" / "settings.toml"))
    save_preferences({"games": 3, "chord": None})
    assert load_preferences() == Preferences(games=3)


@pytest.mark.parametrize(("text", "changed"), [("speed = fast", {"games": 3}), ("flags = true", {"games": 0})])
def test_what_cannot_be_a_setting_is_not_saved_nor_a_broken_file_changed(write, text, changed):
    path = write(text)
    with pytest.raises(UsageError, match="expected"):
        save_preferences(changed)
    assert path.read_text() == text


def test_settings_that_cannot_be_written_are_told(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "settings.toml"))
    with pytest.raises(UsageError, match="cannot write"):
        save_preferences({"games": 3})


def test_skin_that_is_not_there_is_named_with_the_file(write):
    path = write('skins = ["winmine"]')
    with pytest.raises(UsageError, match="there is no skin 'winmine': did you mean winemine") as refused:
        load_preferences().load_skins("auto", print)
    assert str(path) in str(refused.value)


def test_bytes_that_are_no_text_and_folders_are_refused(write, tmp_path, monkeypatch):
    write("").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="expected settings in TOML"):
        load_preferences()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match="cannot be read"):
        load_preferences()


def test_play_does_not_begin_with_settings_that_have_a_mistake(write, capsys):
    path = write("sped = 1")
    assert main(["play", "--now"]) == 2
    assert f"minebot: {path}: there is no setting 'sped'" in capsys.readouterr().err


def test_doctor_shows_which_file_was_read_and_what_it_sets(write):
    path = write('hotkey = "f9"\nflags = false\n')
    assert doctor.describe_settings() == f"{path}: hotkey = f9"
    write("flags = 1")
    code, output, _ = run_bot("doctor", "--json")
    (check,) = [check for check in json.loads(output)["checks"] if check["name"] == "settings"]
    assert code == 5, "there is no display"
    assert (check["ok"], check["essential"]) == (False, False)
    assert "expected flags = true or false" in check["detail"]
