"""`minebot doctor`: on a real virtual screen, on none, and on broken ones."""

from __future__ import annotations

import json

import pytest
from bot_process import run_bot
from bystander import bystander
from show_picture import shown
from xledger import XLedger
from Xlib import X, Xatom
from Xlib.display import Display

from bot.cli import main
from bot.commands import doctor
from bot.errors import ScreenError
from bot.images import load_frame, save_png
from bot.virtual_screen import xvfb

NAMES = [
    "versions",
    "settings",
    "skins",
    "python-sat",
    "kernel",
    "session",
    "permissions",
    "displays",
    "capture",
    "picture",
    "mouse",
    "hot keys",
    "search",
]


def examine(display=None, **variables):
    """Run the doctor: its exit code and its checks by name."""
    code, output, _ = run_bot("doctor", "--json", display=display, **variables)
    checks = json.loads(output)["checks"]
    assert [check["name"] for check in checks] == NAMES
    for check in checks:
        assert set(check) == {"name", "ok", "detail", "fix", "essential"}
        assert check["detail"]
        assert bool(check["fix"]) == (not check["ok"])
    assert (code == 0) == all(check["ok"] for check in checks if check["essential"])
    return code, {check["name"]: check for check in checks}


# --- without a screen


@pytest.mark.parametrize(
    ("variables", "detail", "fix"),
    [
        ({}, "there is no display: DISPLAY is not set.", "minebot demo --headless"),
        ({"DISPLAY": ":987"}, "X11, but the display :987 cannot be reached", "XAUTHORITY"),
        (
            {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"},
            "this is a Wayland session",
            "choose an X11 (Xorg) session",
        ),
    ],
)
def test_doctor_says_what_is_wrong_with_the_session(variables, detail, fix):
    code, checks = examine(**variables)
    assert code == 5
    assert detail in checks["session"]["detail"]
    assert fix in checks["session"]["fix"]
    assert [name for name in NAMES if checks[name]["ok"]][:3] == ["versions", "settings", "skins"]
    assert [checks[name]["detail"] for name in NAMES[6:]] == ["not tried"] * 7


def test_doctor_in_words_says_what_to_do():
    code, output, remarks = run_bot("doctor")
    assert (code, remarks) == (5, "")
    words = " ".join(output.split())
    assert "FAILED session there is no display: DISPLAY is not set. to do: Start it in a desktop session" in words
    assert "ok skins 4d, classic, classic-98, " in words


def test_doctor_says_how_to_compile_the_kernel(tmp_path):
    _, checks = examine(NUMBA_CACHE_DIR=str(tmp_path))
    assert checks["kernel"]["detail"] == "not compiled, so the solver is slow"
    assert checks["kernel"]["fix"].endswith("-m solver.kernel")
    assert not checks["kernel"]["essential"]


def test_doctor_names_a_skin_that_is_left_out(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "skin.toml").write_text("name = ")
    _, checks = examine(MINEBOT_SKINS=str(tmp_path))
    assert "skin mine is left out" in checks["skins"]["detail"]
    assert "winemine" in checks["skins"]["detail"]
    assert not checks["skins"]["essential"]


@pytest.mark.parametrize(
    ("error", "detail", "fix"),
    [
        (KeyError("XTEST"), "KeyError: 'XTEST'", "report"),
        (SystemExit("no tkinter"), "SystemExit: no tkinter", "report"),
        (ScreenError("it is dark\nswitch on the light"), "it is dark", "switch on the light"),
    ],
)
def test_check_that_breaks_is_a_check_that_failed(error, detail, fix):
    def find():
        raise error

    check = doctor._check("light", find)
    assert (check.ok, check.detail) == (False, detail)
    assert fix in check.fix


def test_doctor_leaves_ctrl_c_to_the_person(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "_load_skins", interrupt)
    assert main(["doctor", "--json"]) == 130
    assert capsys.readouterr().out == ""


@pytest.fixture
def deaf_platform(monkeypatch):
    """A platform with hot keys that hear nothing, and a keyboard; and what was done with them."""
    done = []

    class Keys:
        not_heard = ""

        def start(self):
            done.append("start")

        def stop(self):
            done.append("stop")

    class Keyboard:
        def tap_unseen(self, key):
            done.append(key)

        def close(self):
            done.append("close")

    class Deaf:
        def hot_keys(self, keys, owner):
            assert len({key.name for key in keys}) == 2
            return Keys()

        def keyboard(self):
            return Keyboard()

    monkeypatch.setattr(doctor, "_HEARD_WITHIN_S", 0.02)
    return Deaf(), done


def test_hot_key_that_is_not_heard_is_tapped_three_times_and_let_go(deaf_platform):
    platform, done = deaf_platform
    check = doctor._check("hot keys", lambda: doctor._hear_key(platform))
    assert not check.ok
    assert check.detail == "3 taps of shift were not heard"
    assert "permissions" in check.fix
    assert done == ["start", "shiftleft", "shiftleft", "shiftleft", "stop", "close"]


# --- on a virtual screen


@pytest.mark.safety
@pytest.mark.screen
def test_doctor_finds_a_healthy_screen_and_clicks_nothing(bare_display, screens):
    display = Display(bare_display)
    display.screen().root.warp_pointer(700, 600)
    display.sync()
    with shown(screens / "winemine-expert-mid.png", bare_display), XLedger(bare_display) as watch:
        code, checks = examine(bare_display)
    pointer = display.screen().root.query_pointer()
    shift = {display.keysym_to_keycode(keysym) for keysym in (0xFFE1, 0xFFE2)}
    display.close()
    assert code == 0
    assert [name for name in NAMES if not checks[name]["ok"]] == []
    assert checks["session"]["detail"] == f"X11, display {bare_display}"
    assert checks["displays"]["detail"].startswith("1280 x 1024 at (0,0)")
    assert checks["capture"]["detail"].startswith("1280 x 1024 pixels from (0,0) in ")
    assert checks["mouse"]["detail"] == "the pointer at (700,600) was moved by a pixel and back"
    assert "of shift was heard after" in checks["hot keys"]["detail"]
    assert checks["search"]["detail"] == "found winemine 16x30 at (55,93)"
    assert (pointer.root_x, pointer.root_y) == (700, 600)
    assert watch.of("press") == watch.of("release") == []
    assert {event.detail for event in watch.of("key")} <= shift
    assert 1 <= len(watch.of("key")) <= 3


@pytest.mark.screen
@pytest.mark.safety
def test_doctor_taps_its_key_in_no_window(bare_display):
    with bystander(bare_display) as other:
        other.take_keyboard()
        code, checks = examine(bare_display)
        assert other.has_keyboard()
        assert other.heard() == []
    assert code == 0
    assert "of shift was heard after" in checks["hot keys"]["detail"]


@pytest.mark.screen
def test_doctor_on_an_empty_screen_notes_it_and_is_content(bare_display):
    code, checks = examine(bare_display)
    assert code == 0
    assert [name for name in NAMES if not checks[name]["ok"]] == ["picture", "search"]
    assert checks["picture"]["detail"] == "all pixels have the colour (0, 0, 0) (red, green, blue)"
    assert "no board found on 1280 x 1024 pixels" in checks["search"]["detail"]
    assert "nothing on it is like closed cells of 11 skins" in checks["search"]["detail"]


@pytest.mark.screen
def test_doctor_says_how_near_a_search_came(bare_display, screens, tmp_path):
    """A board cut down to a strip that is too low for one."""
    strip = load_frame(screens / "minebot-expert-mid.png").pixels_bgr[126 : 126 + 48]
    save_png(tmp_path / "strip.png", strip)
    with shown(tmp_path / "strip.png", bare_display):
        code, checks = examine(bare_display)
    assert code == 0
    assert checks["picture"]["ok"]
    assert "nearest came minebot (24 x 24 px cells), 60 cells in line, " in checks["search"]["detail"]


@pytest.mark.screen
def test_doctor_tells_what_makes_programs_draw_larger(virtual_display):
    display = Display(virtual_display)
    root = display.screen().root
    root.change_property(Xatom.RESOURCE_MANAGER, Xatom.STRING, 8, b"Xft.dpi:\t144\nXft.hinting:\t1\n")
    display.sync()
    try:
        _, checks = examine(virtual_display, GDK_SCALE="2", QT_SCALE_FACTOR="1.5")
    finally:
        root.delete_property(Xatom.RESOURCE_MANAGER)
        display.sync()
        assert root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType) is None
        display.close()
    assert checks["displays"]["detail"] == "1280 x 1024 at (0,0), 150%; Xft.dpi=144, GDK_SCALE=2, QT_SCALE_FACTOR=1.5"


@pytest.mark.screen
def test_doctor_and_play_say_which_extension_the_server_lacks(require_program):
    require_program("Xvfb", "xvfb")
    with xvfb("-extension", "XTEST") as name:
        code, checks = examine(name)
        assert code == 5
        assert checks["permissions"]["detail"] == "the X server lacks XTEST"
        assert "XTEST carries clicks" in checks["permissions"]["fix"]
        assert "the X server lacks its extension XTEST" in checks["hot keys"]["detail"]
        assert checks["capture"]["ok"]
        code, _, remarks = run_bot("play", "--now", display=name)
        assert code == 5
        assert "the X server lacks its extension XTEST" in remarks
