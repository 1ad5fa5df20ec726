"""What is known of a position, also where no move can be advised or the position contradicts itself.

What is said of the cell under the pointer: what it is, and why; and the warning where a click would be a loss. And
whether it may be guessed, for a player who wants to know no more than that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.reporting.advice import advise_on
from bot.reviewing.verdicts import Verdict, judge_guess
from solver import InconsistentError, analyse, decide
from solver.board import CLOSED, FLAG, GameState
from solver.explain import explain
from solver.words import counted

if TYPE_CHECKING:
    from solver import Analysis, Board, Explanation, Move
    from solver.layout import FirstClick
    from solver.topology import Cell


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


def know(board: Board, first_click: FirstClick | None = None) -> Knowledge:
    """Find out what is known of a position; what is called safe was proven by two engines, as a person clicks on it.

    Args:
        board: the position.
        first_click: the clone's rule for the first click; None where it is not known.

    Raises:
        DisagreementError: the two engines differ; shows the position.
    """
    try:
        analysis = analyse(board)
    except InconsistentError as error:
        headline = f"the board contradicts itself: {str(error).splitlines()[0]}"
        return Knowledge(board, board.state, None, None, headline)
    try:
        advice = advise_on(analysis, first_click=first_click)
    except UsageError as error:  # a guess, and the mine count is not known: what is proven is known all the same
        return Knowledge(board, board.state, analysis, None, str(error))
    if advice.state in _OVER:
        return Knowledge(board, advice.state, None, None, advice.why)
    return Knowledge(board, advice.state, advice.analysis, advice.move, advice.headline)


class CellKnowledge(Enum):
    """What a closed cell is known to be."""

    SAFE = "safe"
    MINE = "mine"
    RISK = "risk"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class CellRemark:
    """What is said of one cell.

    Attributes:
        cell: the cell.
        verdict: what it is.
        title: that in one line, without coordinates: the pointer is on the cell.
        is_warning: whether a click that opens it is a loss: it is a proven mine, and no flag protects it.
    """

    cell: Cell
    verdict: CellKnowledge
    title: str
    is_warning: bool = False


def remark_on(knowledge: Knowledge, cell: Cell) -> CellRemark | None:
    """What is known of a closed cell, in a line; None of other cells, and where nothing is known of the board."""
    code = knowledge.board[cell]
    if knowledge.analysis is None or code not in (CLOSED, FLAG):
        return None
    p_mine = float(knowledge.analysis.p_mine[cell])
    if p_mine == 1.0:
        if code == FLAG:
            return CellRemark(cell, CellKnowledge.MINE, "A mine, and it has its flag")
        return CellRemark(cell, CellKnowledge.MINE, "Do not open this cell: it is a mine", is_warning=True)
    if p_mine == 0.0:
        held = ", but it has a flag: take it off first" if code == FLAG else ""
        return CellRemark(cell, CellKnowledge.SAFE, f"Safe{held}")
    if math.isnan(p_mine):
        return CellRemark(cell, CellKnowledge.UNKNOWN, "Nothing is known of this cell")
    about = "about " if knowledge.analysis.is_estimate[cell] else ""
    risk = "The first click is no mine" if _is_first_click_safe(knowledge) else f"A risk of {about}{p_mine:.1%}"
    return CellRemark(cell, CellKnowledge.RISK, risk)


@dataclass(frozen=True, slots=True)
class GuessAnswer:
    """Whether a player may guess here, who is told neither the cell's risk nor what would be better.

    Attributes:
        cell: the cell that was asked about; None where the pointer is on none.
        is_right: whether a guess has to be made, and none is known to be better; None where that cannot be said.
        why: the reason, which holds of the whole board.
    """

    cell: Cell | None
    is_right: bool | None
    why: str

    @property
    def title(self) -> str:
        """The answer in one line."""
        if self.is_right is None:
            return f"{self.why[:1].upper()}{self.why[1:]}"
        return f"{'Yes' if self.is_right else 'No'}: {self.why}"


def answer_guess(knowledge: Knowledge, cell: Cell | None) -> GuessAnswer:
    """Answer whether to guess a cell, by the rule by which a review calls a guess forced (`bot.reviewing.verdicts`).

    A no says that something is proven safe, not what; or that nothing is and another guess is better, not which.
    """
    board, analysis = knowledge.board, knowledge.analysis
    if cell is None or board[cell] not in (CLOSED, FLAG):
        return GuessAnswer(cell, None, "point at a closed cell")
    if analysis is None or knowledge.move is None:
        return GuessAnswer(cell, None, knowledge.headline)
    if not (board.cells >= 0).any():
        return GuessAnswer(cell, True, "nothing is known before the first click")
    if analysis.safe:
        return GuessAnswer(cell, False, "a cell is proven safe")
    risk = float(analysis.p_mine[cell])
    if math.isnan(risk):
        return GuessAnswer(cell, None, "nothing is known of this cell")
    verdict, _ = judge_guess(analysis, decide(analysis).ratings, (cell,), risk)
    is_right = verdict is Verdict.FORCED
    why = "nothing is proven safe, and no guess is known to be better" if is_right else "another guess is better"
    return GuessAnswer(cell, is_right, why)


def give_reason(knowledge: Knowledge, cell: Cell) -> str:
    """Why a closed cell is what it is, in words: a proof, or what can be said of its risk.

    A proof begins with a sentence that a player would say. Of the best guess it is said why it is that.
    """
    assert knowledge.analysis is not None, "something is known of the board"
    move = knowledge.move
    if move is not None and _is_first_click_safe(knowledge):
        return f"It is {move.why}."
    if move is not None and move.is_guess and move.cell == cell:
        assert knowledge.analysis is not None, "what is guessed was analysed"
        return advise_on(knowledge.analysis, in_words=True).why
    explanation = explain(knowledge.board, cell, analysis=knowledge.analysis)
    if explanation.rule is None:
        return f"{_say_open(explanation)}\n{explanation.text}"
    return f"{_in_short(knowledge.board, explanation)}\n{explanation.text}"


def _is_first_click_safe(knowledge: Knowledge) -> bool:
    """Whether nothing is open, and the clone's rule keeps mines off the first cell, whichever it is."""
    return knowledge.move is not None and knowledge.move.is_promised and knowledge.move.p_mine == 0.0


def _say_open(explanation: Explanation) -> str:
    """That nothing forces the cell, in a sentence without coordinates."""
    if explanation.verdict == "not known":
        return "Whether a proof exists was not found out."
    if explanation.unavoidable is not None:
        return f"{explanation.unavoidable.text.partition(':')[0]}."
    if explanation.layouts:
        return "Nothing decides it: the numbers agree with a mine here, and with none."
    return "Nothing decides it: the mines that are left may lie here or elsewhere."


_DOWN, _ACROSS = {-1: "above", 1: "below"}, {-1: "left", 1: "right"}


def _in_short(board: Board, explanation: Explanation) -> str:
    """A proof in a sentence, without coordinates: it is said of the cell that a person points at."""
    is_mine = explanation.verdict == "mine"
    clues = explanation.clues
    if explanation.uses_mine_count:
        with_numbers = f" and {counted(len(clues), 'number')}" if clues else ""
        return f"The mine count{with_numbers} prove{'' if clues else 's'} it."
    if len(clues) > 1:
        here = "need a mine here" if is_mine else "leave no mine for here"
        numbers = sorted((int(board[clue]) for clue in clues), reverse=True)
        if len(clues) == 2:
            first, second = numbers
            both = f"Two {first}s" if first == second else f"A {first} and a {second}"
            return f"{both} nearby, taken together, {here}."
        return f"{len(clues)} numbers nearby, taken together, {here}."
    (clue,) = clues
    number = f"The {board[clue]}{_side_of(clue, explanation.cell)}"
    if not board[clue]:
        return f"{number} has no mine beside it."
    if not is_mine:
        return f"{number} already has {'its mine' if board[clue] == 1 else f'its {board[clue]} mines'}."
    return f"{number} has no more closed cells beside it than mines."


def _side_of(other: Cell, cell: Cell) -> str:
    """On which side of a cell another one lies, as the end of a phrase; empty in more than two dimensions."""
    steps = [b - a for a, b in zip(cell, other, strict=True)]
    if len(steps) != 2 or not all(-1 <= step <= 1 for step in steps):  # it may be beyond an edge that wraps
        return " beside it"
    down, right = steps
    if not down:
        return f" on the {_ACROSS[right]}"
    return f" {_DOWN[down]} and to the {_ACROSS[right]}" if right else f" {_DOWN[down]}"
