"""Closed cells that are held down look like open zeros: on a single picture, those that cannot be zeros are not known.

Who plays looks again instead (`bot.playing.eyes`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.half_painted import zeros_beside_closed
from bot.vision.neighbourhood import joined
from bot.vision.read import judge_state
from skins.skin import CLOSED
from solver.board import UNREADABLE
from solver.game import GameState

if TYPE_CHECKING:
    from bot.models import Reading

_MEANINGS = frozenset({"0", CLOSED})


def doubt_pressed(reading: Reading) -> Reading:
    """The reading, but zeros beside closed cells, and those that touch them, unreadable: an open 0 opens all around it.

    Where a game is lost nothing is held down any more.
    """
    if reading.state is GameState.LOST:
        return reading
    pressed = joined(reading.board.cells == 0, zeros_beside_closed(reading.board))
    if not pressed.any():
        return reading
    cells, scores = reading.board.cells.copy(), reading.scores.copy()
    cells[pressed], scores[pressed] = UNREADABLE, 0.0
    board = replace(reading.board, cells=cells)
    unknown = tuple(tuple(cell) for cell in np.argwhere(cells == UNREADABLE).tolist())
    alternatives = dict(reading.alternatives)
    alternatives.update((tuple(cell), _MEANINGS) for cell in np.argwhere(pressed).tolist())
    return replace(
        reading,
        board=board,
        scores=scores,
        unknown=unknown,
        state=judge_state(board),
        alternatives=alternatives,
    )
