"""What is known of a position, also where no move can be advised or the position contradicts itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.telling.advice import advise
from bot.vision.read import judge_state
from solver import InconsistentError, analyse
from solver.confirmation import confirm
from solver.game import GameState

if TYPE_CHECKING:
    from solver import Analysis, Board, Move

_OVER = (GameState.WON, GameState.LOST)


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What a coach knows of one position.

    Attributes:
        board: the position.
        state: fresh, playing, won or lost.
        analysis: everything that is proven, and the risks; None where the game is over or the position contradicts
            itself.
        move: the best move; None where there is none.
        headline: the move and its reason in one line, or why there is none.
    """

    board: Board
    state: GameState
    analysis: Analysis | None
    move: Move | None
    headline: str


def know(board: Board) -> Knowledge:
    """Find out what is known of a position; what is called safe was proven by two engines, as a person clicks on it.

    Raises:
        DisagreementError: the two engines differ; shows the position.
    """
    try:
        advice = advise(board)
    except UsageError as error:  # a guess, and the mine count is not known: what is proven is known all the same
        return Knowledge(board, judge_state(board), analyse(board), None, str(error))
    except InconsistentError as error:
        headline = f"the board contradicts itself: {str(error).splitlines()[0]}"
        return Knowledge(board, judge_state(board), None, None, headline)
    if advice.state in _OVER:
        return Knowledge(board, advice.state, None, None, advice.why)
    return Knowledge(board, advice.state, confirm(advice.analysis), advice.move, advice.headline)
