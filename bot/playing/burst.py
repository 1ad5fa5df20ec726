"""What is still to be clicked, what is under way, what was lost: the books of one burst of moves. Pure.

A move is under way from its click until one of the cells it acts on changes. One that is under way for too long is
lost, and to be made again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.board import CLOSED, UNREADABLE, Action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Reading
    from bot.playing.pace import Pace
    from solver.board import Move
    from solver.topology import Cell

HIDDEN_S = 1.5
"""How long a clicked cell may be unreadable, as in an animation, before its click counts as lost."""


@dataclass(slots=True)
class Task:
    """A move to be made.

    Attributes:
        move: which.
        cells: those it acts on, and what they are before it is clicked: its click had an effect when one of them is
            something else.
        n_clicks: how often it was clicked.
        first_s: when it was clicked first.
        clicked_s: when last.
    """

    move: Move
    cells: dict[Cell, int]
    n_clicks: int = 0
    first_s: float = 0.0
    clicked_s: float = 0.0

    def is_done(self, now: Reading) -> bool:
        """Whether one of its cells has become something else that can be read."""
        return len(self._unchanged(now)) < len(self.cells)

    def is_settled_before_its_click(self, now: Reading) -> bool:
        """Whether nothing is left for it to do; cells that changed without it are no longer its own.

        The flags that a chord needs come up before it, and another chord may open part of what it would.
        """
        self.cells = self._unchanged(now)
        return not self.cells

    def is_hidden(self, now: Reading) -> bool:
        """Whether one of its cells cannot be read now: covered, or in the middle of an animation."""
        return any(now.board[cell] == UNREADABLE for cell in self.cells)

    def _unchanged(self, now: Reading) -> dict[Cell, int]:
        return {cell: code for cell, code in self.cells.items() if now.board[cell] in (code, UNREADABLE)}


class Burst:
    """Moves that were decided on together.

    Args:
        moves: in this order.
        decided_on: the reading they follow from.
        pace: told what becomes of clicks.
        alone: cells that surely are numbers: opening one opens no other.
    """

    def __init__(
        self, moves: Sequence[Move], decided_on: Reading, pace: Pace, alone: frozenset[Cell] = frozenset()
    ) -> None:
        self._alone = alone
        self._queue = deque(Task(move, _acts_on(move, decided_on)) for move in moves)
        self._under_way: list[Task] = []
        self._pace = pace

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return not self._queue and not self._under_way

    @property
    def is_quiet(self) -> bool:
        """Whether no click is under way."""
        return not self._under_way

    def left(self) -> list[Move]:
        """The moves that were never clicked, or without effect so far."""
        return [task.move for task in (*self._under_way, *self._queue)]

    @property
    def has_clicked_all(self) -> bool:
        """Whether every move that needed a click had one, seen or not."""
        return all(task.n_clicks for task in self._queue)

    def see(self, now: Reading, at_s: float) -> None:
        """Take note of a look: what has changed is done, what has not for too long is to be clicked again."""
        under_way, self._under_way = self._under_way, []
        lost: list[Task] = []
        for task in under_way:
            if task.is_done(now):
                self._pace.had_effect(at_s - task.clicked_s, task.n_clicks)
            elif task.is_hidden(now) and at_s - task.clicked_s < HIDDEN_S:
                self._under_way.append(task)
            elif at_s - task.clicked_s >= self._pace.patience_s(task.n_clicks):
                self._pace.was_lost()
                lost.append(task)
            else:
                self._under_way.append(task)
        self._queue.extendleft(reversed(lost))
        while self._queue and self._queue[0].is_settled_before_its_click(now):  # a flood, or a person, was there first
            self._queue.popleft()

    def awaits(self, now_s: float) -> tuple[Cell, float]:
        """A cell that is to change next, and how long until its click counts as lost; asked while one is under way."""
        task = self._under_way[0]
        return next(iter(task.cells)), max(0.0, task.clicked_s + self._pace.patience_s(task.n_clicks) - now_s)

    def next(self) -> Task | None:
        """The task to click now, None where something is to be waited for first.

        While clicks are under way the picture is about to change; a click is made then only where all of them change
        their own cells and no other: the rest of the picture is not stale.
        """
        if not self._queue or len(self._under_way) >= self._pace.n_ahead:
            return None
        task = self._queue[0]
        if self._under_way and not all(self._is_alone(one) for one in (*self._under_way, task)):
            return None
        return task

    def _is_alone(self, task: Task) -> bool:
        return task.move.action is Action.OPEN and task.move.cell in self._alone

    def clicked(self, task: Task, at_s: float) -> None:
        """The next task was clicked."""
        assert self._queue[0] is task, "tasks are clicked in their order"
        self._queue.popleft()
        task.first_s = task.first_s if task.n_clicks else at_s
        task.n_clicks += 1
        task.clicked_s = at_s
        self._under_way.append(task)


def _acts_on(move: Move, decided_on: Reading) -> dict[Cell, int]:
    board = decided_on.board
    if move.action is Action.CHORD:
        return {cell: CLOSED for cell in board.topology.neighbours(move.cell) if board[cell] == CLOSED}
    return {move.cell: board[move.cell]}
