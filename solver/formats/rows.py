"""The forms that are rows of signs: `rows`, `minebot`, `md`, `ps`, `qb`, `dots-closed`, `dots-open`.

`rows`: rows of `0`-`8`, `-` closed, `+` known mine, `#` open but its number not known.

The notation in which our collected positions of other programs are kept, whatever program they come from. Blanks
around rows and blank lines mean nothing. Two dimensions, no mine count. The forms of the single programs share its
signs; those that know less than this share a part of them.

`minebot`: our own board text (see `solver.board`), which can express every board.

A full map of which nothing is open yet is written as a board with every number and every mine shown, and read back as
that board: `solver.formats.as_full_map` takes it for the map again.

`md`: the text of Minedetector (github.com/schani/minedetector).

Rows of `0`-`8`, `-` closed and `+` known mine, as in its files `problem1` to `problem4`. Two dimensions, no mine count,
no sign for an open cell without a number.

One of its files has two solution grids after the board, in which a safe cell is a blank. Our choice, since no
description of the format says it: a blank line ends the board, and what follows is left out; it must be made of the
same signs and blanks. Blank lines before the board mean nothing.

`ps`: the maps of petersohn/mine-solver: `x` mine, `o` no mine.

Two dimensions. The mine count is the number of `x`; the start cell is not in the file. Where that program's description
shows a position and not a map, our collection has it as `rows`; so rows of `0`-`8`, `-` and `+` are read too, as a
board, and a board with closed cells is written that way. A board without closed cells is a full map, and written as
one.

Some of its files have ragged rows that the program itself pads with `o`. Here a ragged row is an error.

`qb`: the strings of quasarbright/minesweeper's tests: a full map, and what of it is open.

A digit is an open cell, `?` a covered safe cell, `*` a covered mine, `F` a mine with a flag. As in those tests the
digit itself says nothing: the number is computed from the mines, and what is written is the computed one. Two
dimensions; the mine count is the number of `*` and `F`.

Where that program's author shows a position and not a map (pictures of a blog), our collection has it as `rows`; so
those are read too, as a board, and a board is written that way. A text of digits alone is a map when all of them are 0,
else rows.

`dots-closed`, `dots-open`: boards as people type them, with `.` or `_` for what has no sign on the screen.

Otherwise they are our board text. Some mean a closed cell by a dot, some an open one without a mine beside it: nobody
but the writer knows. So each is a form, which has to be asked for. Two dimensions.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, FLAG, KNOWN_MINE, OPEN_UNKNOWN, SYMBOLS, Board, format_board, parse_board
from solver.errors import BoardTextError, BoardValueError, InconsistentError
from solver.formats.documents import (
    MOST_CELLS,
    Ability,
    Document,
    Format,
    FullMap,
    InexpressibleError,
    as_full_map,
    has_closed,
    name_first,
)
from solver.layout import Layout
from solver.words import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

DIGITS = {str(number): number for number in range(9)}  # the signs of the numbers in two dimensions
_SIGNS = DIGITS | {"-": CLOSED, "+": KNOWN_MINE, "#": OPEN_UNKNOWN}
"""What each sign means."""
_ABILITY = Ability("rows", frozenset({CLOSED, KNOWN_MINE, OPEN_UNKNOWN}), range(9))  # what can be written


def parse_rows(text: str) -> Board:
    """Read a board.

    Raises:
        BoardTextError: not rows of these signs; row and column are named.
    """
    return Board(_parse_grid(_iter_rows(text), _SIGNS, "rows"))


def _format_rows(document: Document) -> str:
    """Write a board: the inverse of `parse_rows`.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    return _write_rows(_ABILITY.express(document))


def _write_rows(board: Board) -> str:
    """Write a board of which it is known that every cell has a sign."""
    return _format_grid(board.cells.tolist(), {code: sign for sign, code in _SIGNS.items()})


_MINEBOT_ABILITY = Ability("minebot", frozenset(SYMBOLS), n_dimensions=None, has_header=True)  # what can be written


def _parse_minebot(text: str) -> Board:
    """Read a board.

    Raises:
        BoardTextError: not a board's text; row and column are named.
    """
    board = parse_board(text)
    if board.cells.size > MOST_CELLS:
        raise BoardTextError(f"expected at most {MOST_CELLS} cells, got {board.cells.size}")
    return board


def _format_minebot(document: Document) -> str:
    """Write a board, or a full map of which nothing is open.

    Raises:
        InexpressibleError: a map of which something is open; a closed cell is named.
    """
    text = format_board(_MINEBOT_ABILITY.express(document))
    start = document.start if isinstance(document, FullMap) else None
    return text if start is None else f"; begin at: {','.join(map(str, start))}\n{text}"


_MD_SIGNS = DIGITS | {"-": CLOSED, "+": KNOWN_MINE}  # what each sign means
_MD_ABILITY = Ability("md", frozenset({CLOSED, KNOWN_MINE}), range(9))  # what can be written


def _parse_md(text: str) -> Board:
    """Read the board; the solution grids after it are checked for foreign signs and left out.

    Raises:
        BoardTextError: not rows of these signs; row and column are named.
    """
    rows = list(_iter_rows(text))
    n_rows = sum(1 for _ in takewhile(lambda place: place[1][0] == rows[0][0] + place[0], enumerate(rows)))
    cells = _parse_grid(rows[:n_rows], _MD_SIGNS, "md")
    for number, line in rows[n_rows:]:
        for col, sign in enumerate(line):
            if sign not in _MD_SIGNS and not sign.isspace():
                raise BoardTextError(
                    f"expected a solution grid after the board, got {quoted(sign)} at row {number}, column {col}"
                )
    return Board(cells)


def _format_md(document: Document) -> str:
    """Write a board: the inverse of `_parse_md`.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    return _write_rows(_MD_ABILITY.express(document))


_PS_MAP_SIGNS = {"o": 0, "x": 1}  # what each sign of a map means: how many mines the cell holds
_PS_ABILITY = Ability("ps", _MD_ABILITY.codes, _MD_ABILITY.numbers)  # what can be written of a board with closed cells


def _parse_ps(text: str) -> Document:
    """Read a map, or a board in `rows`; rows without closed cells are a map too.

    Raises:
        BoardTextError: neither; or rows without closed cells whose numbers are not those of their mines. Row and
            column are named.
    """
    rows = list(_iter_rows(text))
    if rows and rows[0][1][0] not in _MD_SIGNS:
        return FullMap.seen(Layout(_parse_grid(rows, _PS_MAP_SIGNS, "ps").astype(bool)))
    board = Board(_parse_grid(rows, _MD_SIGNS, "ps"))
    try:
        return board if has_closed(board) else as_full_map(board)
    except InconsistentError as error:
        raise BoardTextError(str(error)) from error


def _format_ps(document: Document) -> str:
    """Write a map, or a board with closed cells.

    Raises:
        InexpressibleError: something has no sign, some cell of a map is open or flagged, or the numbers of a board
            without closed cells contradict its mines; the cell is named.
    """
    if not isinstance(document, FullMap) and has_closed(document):
        return _write_rows(_PS_ABILITY.express(document))
    full_map = express_map(document, "ps")
    if not full_map.is_untouched:
        where = name_first(full_map.view.cells != CLOSED)
        raise InexpressibleError(f"ps cannot say which cells are open or flagged: one is at {where}")
    return _format_grid(full_map.layout.has_mine.tolist(), {code: sign for sign, code in _PS_MAP_SIGNS.items()})


def _weaken_ps(document: Document) -> tuple[Document, list[str]]:
    """Replace what `_format_ps` cannot write by what claims less; say what was lost.

    Raises:
        InexpressibleError: not two dimensions, or the numbers of a board without closed cells contradict its mines.
    """
    if not isinstance(document, FullMap) and has_closed(document):
        return _PS_ABILITY.weaken(document)
    full_map, losses = weaken_map(document, "ps")
    if not full_map.is_untouched:
        losses.append("which cells are open or flagged is left out")
    return FullMap.seen(full_map.layout), losses


_COVERED_MINE, _FLAGGED_MINE, _COVERED_SAFE = CLOSED, FLAG, OPEN_UNKNOWN
_QB_MAP_SIGNS = DIGITS | {"?": _COVERED_SAFE, "*": _COVERED_MINE, "F": _FLAGGED_MINE}  # what each sign of a map means
_QB_ABILITY = Ability("qb", _ABILITY.codes, _ABILITY.numbers)  # what can be written of a board


def _parse_qb(text: str) -> Document:
    """Read a map, or a board in `rows`.

    Raises:
        BoardTextError: neither; row and column are named.
    """
    rows = list(_iter_rows(text))
    signs = {sign for _, line in rows for sign in line}
    if signs & {"-", "+", "#"} or (signs != {"0"} and signs <= DIGITS.keys()):
        return Board(_parse_grid(rows, _SIGNS, "qb"))
    cells = _parse_grid(rows, _QB_MAP_SIGNS, "qb")
    layout = Layout(np.isin(cells, (_COVERED_MINE, _FLAGGED_MINE)))
    return FullMap.seen(layout, cells >= 0, cells == _FLAGGED_MINE)


def _format_qb(document: Document) -> str:
    """Write a map, or a board.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    if not isinstance(document, FullMap):
        return _write_rows(_QB_ABILITY.express(document))
    full_map = express_map(document, "qb")
    is_wrong = (full_map.view.cells == FLAG) & ~full_map.layout.has_mine
    if is_wrong.any():
        raise InexpressibleError(f"qb has no sign for a flag on a safe cell, at {name_first(is_wrong)}")
    return _format_grid(_signs_of(full_map).tolist(), {code: sign for sign, code in _QB_MAP_SIGNS.items()})


def _weaken_qb(document: Document) -> tuple[Document, list[str]]:
    """Replace what `_format_qb` cannot write by what claims less; say what was lost.

    Raises:
        InexpressibleError: not two dimensions.
    """
    if not isinstance(document, FullMap):
        return _QB_ABILITY.weaken(document)
    full_map, losses = weaken_map(document, "qb")
    cells, has_mine = full_map.view.cells, full_map.layout.has_mine
    is_wrong = (cells == FLAG) & ~has_mine
    if is_wrong.any():
        losses.append(f"flags on {int(is_wrong.sum())} safe cells are left out")
    return FullMap.seen(full_map.layout, cells >= 0, (cells == FLAG) & has_mine), losses


def _signs_of(full_map: FullMap) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    cells = full_map.view.cells.copy()
    cells[(cells == CLOSED) & ~full_map.layout.has_mine] = _COVERED_SAFE
    return cells


def express_map(document: Document, name: str) -> FullMap:
    """Take a document as the map that a form of full maps writes.

    Args:
        document: a map, or a board without closed cells.
        name: the form's.

    Raises:
        InexpressibleError: joined edges, not two dimensions, a cell that may hold a mine or not, or numbers that
            contradict the mines.
    """
    full_map = _as_flat_map(document, name)
    if full_map.layout.wrap:
        raise InexpressibleError(f"{name} has no place for joined edges")
    return full_map


def weaken_map(document: Document, name: str) -> tuple[FullMap, list[str]]:
    """Make the map that `express_map` accepts, and say what was lost.

    Raises:
        InexpressibleError: as `express_map`, but for joined edges.
    """
    full_map = _as_flat_map(document, name)
    if not full_map.layout.wrap:
        return full_map, []
    cells = full_map.view.cells
    flat = FullMap.seen(Layout(full_map.layout.has_mine), cells >= 0, cells == FLAG)
    return flat, ["the joined edges are left out: the numbers are those of the plain map"]


def _as_flat_map(document: Document, name: str) -> FullMap:
    try:
        full_map = as_full_map(document)
    except (BoardValueError, InconsistentError) as error:
        raise InexpressibleError(f"{name} cannot express this: {error}") from error
    if len(full_map.layout.shape) != 2:
        raise InexpressibleError(f"{name} holds maps of 2 dimensions, got {len(full_map.layout.shape)}")
    return full_map


def _iter_rows(text: str) -> Iterator[tuple[int, str]]:
    """Generate the lines that are not blank, without the blanks around them, each with its number, 0-based."""
    for number, line in enumerate(text.splitlines()):
        if line.strip():
            yield number, line.strip()


def _parse_grid(rows: Iterable[tuple[int, str]], signs: Mapping[str, int], form: str) -> NDArray[np.int16]:
    """Read lines of one sign a cell.

    Args:
        rows: lines with their numbers: what errors call a row.
        signs: what each sign means.
        form: the name of the form, for errors.

    Returns:
        The meanings: int16, rows x cols.

    Raises:
        BoardTextError: no row, a ragged row, a sign the form has not, too many cells; row and column are named.
    """
    grid: list[list[int]] = []
    n_cells = 0
    for number, line in rows:
        width = len(grid[0]) if grid else len(line)
        n_cells += len(line)
        if n_cells > MOST_CELLS:
            raise BoardTextError(f"expected at most {MOST_CELLS} cells, got more (row {number}, column 0)")
        grid.append(_parse_signs(number, line, signs, form))
        if len(line) != width:
            col = min(len(line), width)
            raise BoardTextError(f"expected {width} cells, got {len(line)} (row {number}, column {col})")
    if not grid:
        raise BoardTextError(f"expected at least one row of {form} cells, got none (row 0, column 0)")
    return np.array(grid, dtype=np.int16)


def _parse_signs(number: int, line: str, signs: Mapping[str, int], form: str) -> list[int]:
    try:
        return [signs[sign] for sign in line]
    except KeyError:
        col, sign = next((col, sign) for col, sign in enumerate(line) if sign not in signs)
        allowed = "".join(signs).replace("012345678", "0-8 ")
        raise BoardTextError(
            f"expected one of {allowed} in {form} text, got {quoted(sign)} at row {number}, column {col}"
        ) from None


def _format_grid(grid: Iterable[Sequence[int]], signs: Mapping[int, str]) -> str:
    """Write rows of one sign a cell: the inverse of `_parse_grid`."""
    return "".join("".join(signs[code] for code in row) + "\n" for row in grid)


def _dots(name: str, summary: str, own: str) -> Format:
    """The form in which a dot is this sign of our board text."""
    ability = Ability(name, frozenset(SYMBOLS), range(9), has_header=True)

    def parse(text: str) -> Board:
        return _parse_minebot(_translate(text, {".": own, "_": own}))

    def write(document: Document) -> str:
        return _translate(format_board(ability.express(document)), {own: "."})

    return Format(name, summary, parse, write, ability.weaken, is_detected=False)


def _translate(text: str, signs: dict[str, str]) -> str:
    """Replace signs in the lines that hold cells."""
    table = str.maketrans(signs)
    return "".join(
        line if line.lstrip().startswith(";") else line.translate(table) for line in text.splitlines(keepends=True)
    )


OURS = "minebot"  # the name of our own form
FORMS = (
    Format(OURS, "our board text", _parse_minebot, _format_minebot, _MINEBOT_ABILITY.weaken, says_start=True),
    Format("md", "Minedetector: 0-8 - +", _parse_md, _format_md, _MD_ABILITY.weaken),
    Format("rows", "collected positions: 0-8 - + #", parse_rows, _format_rows, _ABILITY.weaken),
    Format("ps", "petersohn's maps: x o", _parse_ps, _format_ps, _weaken_ps),
    Format("qb", "quasarbright's strings: 0-8 ? * F", _parse_qb, _format_qb, _weaken_qb),
    _dots("dots-closed", ". or _ is a closed cell", SYMBOLS[CLOSED]),
    _dots("dots-open", ". or _ is open, without a mine beside it", "0"),
)
"""The forms of this module."""
