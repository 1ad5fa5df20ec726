"""How messages write cells, sizes and amounts: `(3,4)`, `16x30`, `1 mine`. Knows nothing of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_NAMED = 24  # most cells of a list that is written out; a number in four dimensions can have 80 cells around it
_PLURALS = {"guess": "guesses"}  # the words whose plural is not an s at the end


def name_cell(cell: Iterable[int]) -> str:
    """A cell as a person reads it: `(3,4)`, in N dimensions all indices."""
    return f"({','.join(map(str, cell))})"


def name_shape(shape: Iterable[int]) -> str:
    """A board's size as a person types it: `16x30`, in N dimensions all sides."""
    return "x".join(map(str, shape))


def format_cells(cells: Iterable[tuple[int, ...]]) -> str:
    """Cells as a person reads them: (0,1) (0,2); a long list is shortened."""
    names = [name_cell(cell) for cell in cells]
    if len(names) > _MOST_NAMED:
        return f"{' '.join(names[: _MOST_NAMED - 1])} and {len(names) - _MOST_NAMED + 1} more"
    return " ".join(names)


def counted(n: int, what: str) -> str:
    """An amount of something, such as `1 cell`, `2 cells` or `1,000 guesses`.

    Args:
        n: how many.
        what: the word for one; several words end with the one that is counted.
    """
    return f"{n:,} {what if n == 1 else _PLURALS.get(what, f'{what}s')}"


def quoted(text: str, most: int = 20) -> str:
    """A piece of text as an error shows it: not the whole of a long one."""
    return repr(text if len(text) <= most else f"{text[: most - 3]}...")
