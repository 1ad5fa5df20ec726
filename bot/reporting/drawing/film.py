"""A recording as moving pictures: what each decision saw, with the cells it decided on marked, in its own pace."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Frame
from bot.reporting.drawing import ink, marks
from bot.reporting.drawing.layout import Annotated, draw_frame
from bot.reporting.drawing.marks import Kind
from solver import analyse
from solver.board import FLAG, Action
from solver.game import GameState
from solver.rules.words import format_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Grid, Reading
    from bot.reporting.drawing.marks import Mark
    from bot.reporting.recording import Step
    from solver.board import Move
    from solver.topology import Cell

LEAST_S = 0.15
"""The bot decides faster than anybody can see."""
MOST_S = 2.0
"""Nobody wants to watch a pause."""
DEFAULT_S = 0.5
"""For recordings that do not say when they decided."""
LAST_S = 3.0
_LEGEND = (Kind.BEST, Kind.SAFE, Kind.RISK)


def durations_of(times_s: Sequence[float | None]) -> list[float]:
    """How long each picture is shown, in seconds, when decisions were made at these times; the last one longer."""
    gaps = [
        DEFAULT_S if before is None or after is None else min(max(after - before, LEAST_S), MOST_S)
        for before, after in pairwise(times_s)
    ]
    return [*gaps, LAST_S]


class Film:
    """Draws the pictures, all of one size.

    Args:
        grids: of all boards that come up.
        n_steps: how many pictures there will be.
    """

    def __init__(self, grids: Sequence[Grid], n_steps: int) -> None:
        self._n_steps = n_steps
        blanks = [draw_frame(_blank(grid), _LEGEND) for grid in grids]
        self._height = max(blank.shape[0] for blank in blanks)
        self._width = max(blank.shape[1] for blank in blanks)

    def draw(self, step: Step, n: int) -> NDArray[np.uint8]:
        """The picture of step `n` (from 0): uint8, H x W x 3, BGR."""
        reading = step.reading
        drawn: dict[Cell, Mark] = {cell: marks.unreadable_mark() for cell in reading.unknown}
        drawn |= {move.cell: _mark(reading, move) for move in step.moves}
        ringed = next((move.cell for move in step.moves if move.is_guess), None)
        caption = (self._count(step, n), describe_moves(step))
        picture = draw_frame(Annotated(step.frame, reading.grid, caption, drawn, ringed), _LEGEND)
        pixels = np.full((self._height, self._width, 3), ink.PAPER, dtype=np.uint8)
        pixels[: picture.shape[0], : picture.shape[1]] = picture
        return pixels

    def _count(self, step: Step, n: int) -> str:
        when = "" if step.seconds is None else f", {step.seconds:.2f} s"
        return f"decision {n + 1} of {self._n_steps}{when}{', not as recorded' if step.differences else ''}"


def describe_moves(step: Step) -> str:
    """What was decided, in one short line."""
    if step.reading.state in (GameState.WON, GameState.LOST):
        return f"the game is {step.reading.state.value}"
    if not step.moves:
        return "nothing could be decided"
    first = step.moves[0]
    if first.is_guess:
        return f"a guess: {format_cells([first.cell])}, {_say_risk(step.reading, first)}"
    cells = "the cell that is" if len(step.moves) == 1 else f"the {len(step.moves)} cells that are"
    n_flags = sum(move.action is Action.FLAG for move in step.moves)
    return f"opens {cells} proven safe{f', flags taken off: {n_flags}' if n_flags else ''}"


def _say_risk(reading: Reading, move: Move) -> str:
    if np.isnan(move.p_mine):
        return "its risk not known"
    risk = marks.format_risk(move.p_mine, is_estimate=_is_estimate(reading, move))
    return f"risk {risk}%"


def _mark(reading: Reading, move: Move) -> Mark:
    mark = marks.risk_mark(move.p_mine, is_estimate=_is_estimate(reading, move)) if move.is_guess else marks.safe_mark()
    return marks.flagged(mark) if reading.board[move.cell] == FLAG else mark


def _is_estimate(reading: Reading, move: Move) -> bool:
    return bool(analyse(reading.board).is_estimate[move.cell])


def _blank(grid: Grid) -> Annotated:
    """A board of which nothing is seen, with a caption of as many lines as any."""
    seen = grid.region
    frame = Frame(np.full((seen.height, seen.width, 3), ink.PAPER, dtype=np.uint8), seen.left, seen.top)
    return Annotated(frame, grid, ("decision", "opens"), {})
