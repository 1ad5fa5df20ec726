"""The written form of a played game: RAWVF, the community's text form [1].

A head, the mines, and a line for every press and release of a button. A click is written as a press and a release at
once. Other programs read it too; `replay_files` does here. Only flat boards have such a form.

[1] https://minesweepergame.com/forum/viewtopic.php?p=619
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from solver.board import Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.layout import Layout
    from solver.topology import Cell

SUFFIX = ".rawvf"
_SQUARE_PX = 16
_PRESSES = {Action.OPEN: ("lc", "lr"), Action.FLAG: ("rc", "rr"), Action.CHORD: ("lc", "rc", "lr", "rr")}


def format_rawvf(
    layout: Layout,
    clicks: Iterable[tuple[float, Action, Cell]],
    seconds: float,
    *,
    is_won: bool,
    has_marks: bool = False,
) -> str:
    """A game as the text of a file.

    Args:
        layout: where the mines were.
        clicks: all that were made, in order: when, in seconds; what for; and where.
        seconds: how long it took; NaN where that is not known.
        is_won: whether it was won.
        has_marks: whether a second right click makes a question mark of a flag.
    """
    return "\n".join(_lines(layout, clicks, seconds, is_won=is_won, has_marks=has_marks)) + "\n"


def _lines(
    layout: Layout, clicks: Iterable[tuple[float, Action, Cell]], seconds: float, *, is_won: bool, has_marks: bool
) -> Iterator[str]:
    rows, cols = layout.shape
    yield from ("RawVF_Version: Rev6", "Program: minebot")
    yield from (f"Width: {cols}", f"Height: {rows}", f"Mines: {layout.n_mines}")
    yield f"Marks: {'On' if has_marks else 'Off'}"
    if not math.isnan(seconds):
        yield f"Time: {seconds:.3f}"
    yield f"BBBV: {layout.bbbv}"
    yield f"Status: {'Won' if is_won else 'Lost'}"
    yield "Board:"
    yield from ("".join("*" if mine else "0" for mine in row) for row in layout.has_mine.tolist())
    yield "Events:"
    for at_s, action, (row, col) in clicks:
        x, y = (int((i + 0.5) * _SQUARE_PX) for i in (col, row))
        yield from (f"{at_s:.3f} {kind} {col + 1} {row + 1} ({x} {y})" for kind in _PRESSES[action])
