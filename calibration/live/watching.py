"""One run of learning while a person plays: finds the board, watches games until two agree, makes the skin."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.errors import Aborted
from calibration.errors import CalibrationError
from calibration.live.camera import Camera
from calibration.live.onlooker import Onlooker
from calibration.live.result import Enough, in_words, learned
from calibration.live.session import find_board
from skins.skin import EXPLODED, MINE

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Pixel
    from bot.playing.control import Control
    from bot.ports import Screen
    from calibration.learning import Learned
    from calibration.live.memory import Memory
    from calibration.live.session import LiveOptions


def learn_by_watching(
    screen: Screen,
    pointer: Callable[[], Pixel],
    control: Control,
    options: LiveOptions,
    tell: Callable[[str], None],
    memory: Memory | None = None,
    keep: Callable[[Memory], None] = lambda _: None,
) -> Learned:
    """Wait for the start key, find the board of an unknown clone, and learn its look while a person plays.

    It ends when the skin is verified, after so many games or minutes, or when the start key is pressed again.

    Args:
        screen: where pictures come from.
        pointer: says where the pointer is: on the board that is meant.
        control: the hot keys.
        options: what was asked for; consent is not needed, nothing is clicked or typed.
        tell: told what a person should know.
        memory: what was learned before, None for nothing.
        keep: given what is known after each game, and when learning is stopped.

    Raises:
        Aborted: the abort key was pressed.
        CalibrationError: there is no board, it is no Minesweeper's, or too little was learned for a skin.
    """
    control.check()
    frame = screen.grab()
    grid, cutter = find_board(frame, pointer(), tell, memory)
    onlooker = Onlooker(Camera(screen, control, frame, grid, cutter), control, tell, memory)
    until_s = time.perf_counter() + 60 * options.minutes
    enough, n_games = Enough(), 0
    try:
        while n_games < options.n_games and onlooker.watch_game(until_s):
            n_games += 1
            evidence = onlooker.memory.evidence
            tell(f"game {n_games}: {in_words(evidence)}")
            keep(onlooker.memory)
            if not enough.is_reached(evidence, ()):
                continue
            found = learned(options.name, onlooker.memory)
            if found.is_verified and (evidence.knows(MINE) or evidence.knows(EXPLODED)):
                return found
            if found.is_verified:
                tell("only mines were not seen yet: lose a game, or press the start key to end without them")
    except Aborted:
        onlooker.keep_unfinished()
        keep(onlooker.memory)
        raise
    keep(onlooker.memory)
    if onlooker.memory.is_empty:
        raise CalibrationError("no game was seen that teaches: nothing is saved")
    return learned(options.name, onlooker.memory)
