"""What several commands print: positions and readings as JSON, candidates as a table."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.errors import UsageError
from bot.reporting.text_boards import page_width, rule_board, sign_proven
from solver.board import known_risk
from solver.formats import FORMATS, LINK, InexpressibleError
from solver.words import format_cells, name_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bot.models import Reading
    from bot.reporting.advice import Candidate
    from bot.vision.mine_counter import MineCount
    from solver import Analysis, Board, Cell
    from solver.rules import Deduction


_SHOWN = 3  # members of a long list that are shown


def reading_as_json(reading: Reading, count: MineCount) -> dict[str, Any]:
    """A reading, and where its mine count comes from, as the fields of one JSON object."""
    from solver.board import format_rows, format_sides

    grid = reading.grid
    return (
        {
            "skin": reading.skin,
            "rows": grid.rows,
            "cols": grid.cols,
            "shape": list(grid.shape),
            "origin": list(grid.origin),
            "pitch": list(grid.pitch_px),
            "board": format_rows(reading.board.cells),
            "unknown": [list(cell) for cell in reading.unknown],
            "state": reading.state.value,
            "mines": reading.board.mines,
            "mines_from": count.source,
        }
        | ({"cut": format_sides(reading.board.cut).split()} if reading.board.cut else {})
        | _shift_as_json(reading)
    )


def _shift_as_json(reading: Reading) -> dict[str, Any]:
    """What colours a board was read in, where they are not its skin's own."""
    if reading.shift is None:
        return {}
    own, shown = (list(reversed(bgr)) for bgr in reading.shift)
    return {"colours": {"closed_rgb": own, "shown_rgb": shown}}


def write_output(path: Path, content: bytes) -> None:
    """Write what a command made to the file that was named: whole, or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    from bot.images import save_bytes

    try:
        save_bytes(path, content)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write {path}: {error.strerror if isinstance(error, OSError) else error}") from error


def number_boards(n_boards: int) -> list[str]:
    """What to put before each board's words: nothing where there is just one."""
    return [f"board {n} of {n_boards}: " if n_boards > 1 else "" for n in range(1, n_boards + 1)]


def analysis_as_json(
    analysis: Analysis, solutions: list[tuple[Cell, ...]] | None = None, *, exact: bool = False
) -> dict[str, Any]:
    """An analysis as the fields of one JSON object."""
    result: dict[str, Any] = {
        "consistent": True,
        "safe": analysis.safe,
        "mines": analysis.mines,
        "p_mine": _in_rows([known_risk(p) for p in analysis.p_mine.ravel().tolist()], analysis),
        "estimates": np.argwhere(analysis.is_estimate).tolist(),
        "n_models": None if analysis.n_models is None else str(analysis.n_models),
        "methods": [[cell, method] for cell, method in analysis.methods.items()],
        "seconds": dict(analysis.seconds),
        "link": _link_to(analysis.board),
    }
    if exact:
        result["p_mine_exact"] = _in_rows([_fraction_text(analysis, cell) for cell in all_cells(analysis)], analysis)
    if solutions is not None:
        result["solutions"] = solutions
    return result


def _link_to(board: Board) -> str | None:
    """The address that shows a board in JSMinesweeper's analyser; None where an address cannot say what it shows."""
    with suppress(InexpressibleError):
        return FORMATS[LINK].format(board).strip()
    return None


def _fraction_text(analysis: Analysis, cell: Cell) -> str | None:
    """A cell's risk as a fraction; None where it is not known exactly."""
    risk = analysis.exact_risk(cell)
    return None if risk is None else f"{risk.numerator}/{risk.denominator}"


def _in_rows(values: list[Any], analysis: Analysis) -> list[list[Any]]:
    """Cut into rows of the last index, as the board's text has them."""
    width = analysis.board.shape[-1]
    return [values[start : start + width] for start in range(0, len(values), width)]


def all_cells(analysis: Analysis) -> list[Cell]:
    """The cells of the board, in order."""
    topology = analysis.board.topology
    return [topology.cell(index) for index in range(topology.n_cells)]


def rule_proven(proven: Analysis | Deduction) -> list[str]:
    """The board with its rulers, for standard output, and signs on the cells that are proven."""
    return rule_board(proven.board.shape, sign_proven(proven), page_width(sys.stdout))


def listing(cells: Iterable[Cell]) -> str:
    """Cells in one line."""
    return " ".join(map(name_cell, cells)) or "none"


def some_of(names: Sequence[str]) -> str:
    """Names in a line: three of them where there are more, and how many are left out."""
    if len(names) <= _SHOWN + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"


def _format_win(one: Candidate) -> str:
    if one.p_win is None:
        return "-"
    return f"{one.p_win:.2%}" if one.margin == 0.0 else f"{one.p_win:.1%} +- {one.margin:.1%}"


def tabulate(candidates: Sequence[Candidate]) -> list[str]:
    """The figures of the candidates for a guess, as lines; none where they are proven safe."""
    from bot.reporting.drawing.marks import format_risk

    guesses = [candidate for candidate in candidates if candidate.p_mine != 0.0]
    if not guesses:
        return []
    has_survival = any(one.survival is not None for one in guesses)
    has_win = any(one.p_win is not None for one in guesses)
    head = f"{'cell':<9}{'risk':>10}{'numbers beside':>16}{'neighbours':>12}{'opens as 0':>12}{'then safe':>11}"
    head += f"{'survives two':>14}" * has_survival + f"{'wins':>16}" * has_win
    lines = ["", head]
    for one in guesses:
        risk = "not known" if np.isnan(one.p_mine) else f"{format_risk(one.p_mine, is_estimate=one.is_estimate)}%"
        zero, progress = (
            "-" if chance is None else f"{format_risk(chance)}%" for chance in (one.p_zero, one.p_progress)
        )
        name = format_cells([one.cell])
        line = f"{name:<9}{risk:>10}{one.n_numbers:>16}{one.n_neighbours:>12}{zero:>12}{progress:>11}"
        line += f"{'-' if one.survival is None else f'{one.survival:.2%}':>14}" * has_survival
        line += f"{_format_win(one):>16}" * has_win
        lines.append(line)
    return lines
