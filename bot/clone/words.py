"""What the line below the board tells. It changes when a game begins and ends, and when a person asks for something.

Within a game that nobody asks anything of it stands still: a bot that looks on sees nothing change but the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver.board import FLAG, WRONG_FLAG
from solver.game import GameState

if TYPE_CHECKING:
    from bot.clone.session import Session


def describe(session: Session) -> str:
    """How the game stands, in one or two sentences."""
    if session.game.state is GameState.WON:
        text = f"Won: {_score(session)}."
    elif session.game.state is GameState.LOST:
        text = f"Lost: {_score(session)}. {_flags(session)}W: why?"
    else:
        text = _level(session)
    aid = " Practice: no best time." if session.is_aided else ""
    remark = f" {session.remark[0].upper()}{session.remark[1:]}" if session.remark else ""
    return text + aid + remark


def _level(session: Session) -> str:
    size = session.size
    kind = ", guess-free" if session.rules.is_guess_free else ""
    best = session.best_times.best(session.record_key)
    told = "" if best is None else f" Best time: {best.seconds:.2f} s."
    start = " Begin at the cross." if session.hint is not None and session.game.state is GameState.FRESH else ""
    return f"{size.title}: {size.label}{kind}.{told}{start}"


def _score(session: Session) -> str:
    score = session.score
    assert score is not None, "a game that is over was begun"
    return score.text


def _flags(session: Session) -> str:
    codes = session.game.board.cells
    right, wrong = int(np.sum(codes == FLAG)), int(np.sum(codes == WRONG_FLAG))
    return f"Flags: {right} right, {wrong} wrong. " if right or wrong else ""
