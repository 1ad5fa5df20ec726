"""Fault scripts: what a seed draws, and that every fault of one happens when it says and as it says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from desktop_faults import (
    FOR_GOOD,
    LEVELS,
    Abort,
    AfterClicks,
    AfterSeconds,
    CloseWindow,
    CoverBoard,
    DialogsAfterGames,
    DrawPointer,
    Fault,
    Freeze,
    LateRepaint,
    LoseClicks,
    LoseFocus,
    MoveOff,
    MoveWindow,
    Pause,
    PersonClicks,
    PersonMovesPointer,
    RaiseDialogs,
    Rescale,
    ScrollText,
    SwapGame,
)
from fake_desktop import SCREEN, CoverKind, FakeDesktop
from fault_script import FaultScript, random_script

from bot.models import Button, Click, Pixel
from skins import load_shipped_skin
from solver.board import GameState

NOW = AfterSeconds(0.0)
KINDS = Fault.__subclasses__()


def desktop_of(script):
    return FakeDesktop(load_shipped_skin(script.skin), LEVELS[script.level], origin=script.origin)


def scrolls(desktop):
    looks = []
    for _ in range(2):
        looks.append(desktop.grab().pixels_bgr)
        desktop.clock.advance(0.1)
    return not np.array_equal(*looks)


def test_random_script_is_the_same_for_equal_seeds_and_prints_what_it_is():
    for seed in range(100):
        script = random_script(seed)
        assert script == random_script(seed)
        names = {kind.__name__: kind for kind in [*KINDS, AfterClicks, AfterSeconds]}
        names |= {"CoverKind": CoverKind, "Button": Button, "Pixel": Pixel, "inf": FOR_GOOD}
        for fault in script.faults:
            text = repr(fault).replace("<", "").replace(">", "")
            for kind in CoverKind:
                text = text.replace(f"CoverKind.{kind.name}: '{kind.value}'", f"CoverKind.{kind.name}")
            for button in Button:
                text = text.replace(f"Button.{button.name}: '{button.value}'", f"Button.{button.name}")
            assert eval(text, names) == fault
            assert repr(fault) in str(script)


def test_random_scripts_have_one_to_five_faults_of_every_kind():
    scripts = [random_script(seed) for seed in range(500)]
    n_faults = Counter(len(script.faults) for script in scripts)
    assert set(n_faults) == {1, 2, 3, 4, 5}
    kinds = Counter(type(fault) for script in scripts for fault in script.faults)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 10
    assert 100 < sum(not script.is_survivable for script in scripts) < 300
    assert 30 < sum(script.only_loses_clicks for script in scripts) < 150
    assert all(150 < script.limit_s < 20_000 for script in scripts)
    for kind in CoverKind:
        assert any(isinstance(f, CoverBoard) and f.kind is kind for script in scripts for f in script.faults)


def test_random_scripts_begin_with_the_whole_window_on_the_screen():
    for seed in range(40):
        script = random_script(seed)
        board = desktop_of(script).grid.region
        assert board.left - 12 >= SCREEN.left, script
        assert board.top - 60 >= SCREEN.top, script
        assert board.left + board.width + 12 <= SCREEN.left + SCREEN.width, script
        assert board.top + board.height + 12 <= SCREEN.top + SCREEN.height, script


def board_covers(share, for_s=FOR_GOOD):
    return CoverBoard(NOW, CoverKind.PLAIN, share, for_s)


@pytest.mark.parametrize(
    ("fault", "happened"),
    [
        (MoveWindow(NOW, 5, -3), lambda d: d.grid.origin == (105, 97)),
        (MoveOff(NOW, "left", 2.5, FOR_GOOD), lambda d: d.grid.origin == (-460, 100)),
        (MoveOff(NOW, "right", 1, FOR_GOOD), lambda d: d.grid.region.left + d.grid.region.width == 996),
        (MoveOff(NOW, "bottom", 1, FOR_GOOD), lambda d: d.grid.region.top + d.grid.region.height == 776),
        (board_covers((0.5, 0.5, 1, 1)), lambda d: d.is_covered),
        (CloseWindow(NOW), lambda d: d.is_closed),
        (Freeze(NOW, FOR_GOOD, queues_clicks=True), lambda d: d.is_frozen and d.queues_clicks),
        (LoseClicks(NOW, 0.4, 5, in_runs=True), lambda d: (d.faults.p_lost, d.faults.loses_in_runs) == (0.4, True)),
        (LateRepaint(NOW, 0.1, 0.8, 0.2), lambda d: (d.faults.repaint_s, d.faults.flood_s) == ((0.1, 0.8), 0.2)),
        (RaiseDialogs(NOW, 1, None, covers=True, for_s=FOR_GOOD), lambda d: d.dialog_is_up and d.is_covered),
        (DialogsAfterGames(NOW, 2, "enter", True, 0.1), lambda d: (d.faults.dialogs, d.faults.dialog_s) == (2, 0.1)),
        (Rescale(NOW, 150), lambda d: d.grid.pitch_px == (24, 24)),
        (SwapGame(NOW, "intermediate", 3), lambda d: (d.grid.cols, d.mines, len(d.games)) == (16, 40, 2)),
        (LoseFocus(NOW), lambda d: not d.has_focus),
        (PersonMovesPointer(NOW, Pixel(7, 8)), lambda d: d.pointer == (7, 8)),
        (PersonClicks(NOW), lambda d: d.game.state is GameState.PLAYING),
        (DrawPointer(NOW, FOR_GOOD), lambda d: d.draws_pointer),
        (Pause(NOW), lambda d: not d.control.is_running),
        (Abort(NOW), lambda d: d.is_aborted),
        (MoveWindow(NOW, 5, -3, 0.5), lambda d: d.grid.origin == (100, 100) if d.clock.now > 101 else True),
        (board_covers((0, 0, 1, 1), 0.5), lambda d: not d.is_covered if d.clock.now > 101 else d.is_covered),
        (Freeze(NOW, 0.5), lambda d: not d.is_frozen if d.clock.now > 101 else d.is_frozen),
        (DrawPointer(NOW, 0.5), lambda d: d.draws_pointer == (d.clock.now < 101)),
        (ScrollText(NOW, "top", 4), scrolls),
    ],
    ids=lambda value: type(value).__name__,
)
def test_fault_happens_after_seconds_or_clicks_and_ends_in_time(fault, happened):
    for when in (AfterSeconds(0.3), AfterClicks(1)):
        timed = replace(fault, when=when)
        script = FaultScript(0, "classic", "beginner", Pixel(100, 100), 1, (timed,))
        desktop = desktop_of(script)
        begun = script.arm(desktop)
        desktop.clock.advance(0.2)
        assert begun == []
        if isinstance(when, AfterClicks):
            desktop.click(Click(Pixel(-400, -100)))
            assert begun == []
        desktop.clock.advance(0.2)
        assert begun == [timed]
        assert happened(desktop)
        desktop.clock.advance(2.0)
        assert happened(desktop)
