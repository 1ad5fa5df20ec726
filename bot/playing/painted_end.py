"""How the cells of an ended game are painted, where a clone paints them as at no other time. Pure.

Flags or mines come up on what stayed closed, or all cells show in other colours. Cells of one kind are alike: what a
kind stands for follows from the numbers that were open before.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.alike import BETWEEN_PIXELS, IN_PLACE, Comparer, insides
from bot.vision.matching import rms
from skins.skin import inside_px
from solver.board import GameState, closed_mask
from solver.topology import box_sum

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from bot.models import Frame, Grid, Reading
    from solver.board import Board
    from solver.topology import Cell

_MOST_APPEARANCES = 10  # numbers and mines have no more, together; what is painted with more is no end of a game
_MOST_SPREAD = 12.0
"""Greatest root mean square of cells that show one number: where they differ more, something lies over them."""
_SHADES = 3.0  # how much farther apart two of them may be that are not beside each other, where a picture shows through
_MOST_ODD = 0.2  # greatest share of cells that words may lie over where the others show a layout
_MOST_KINDS = 40  # most kinds of cells that are told apart: numbers and mines on two shades, and parts of words
_INSET = 0.075  # how much of a cell's edge does not count where it lies between pixels, as a share of its side
_ALIKE, _ALIKE_IN_PLACE = 16.0, 5.0
"""Largest distance of cells of one kind where they lie between pixels, and where they do not. On a paled board others
were farther apart than 24."""


def state_painted(guess: Cell, now: Reading, known: Reading, frame: Frame) -> GameState | None:
    """How a guess for the last cell ended, by how it is painted; None where cells that it may be like do not tell.

    Were it safe, every other closed cell would be a mine, and its number is known. Cells with that number need not be
    equal: a picture may show through. Then the guess is one more if it is about as near to one of them as they are to
    each other, and surely none where it is far. Some of them may lie under words, but not beside the guess. Where
    most cells with other numbers look the same, the paint tells nothing: one colour lies over all of them, perhaps.
    """
    cells = known.board.cells
    near = known.board.topology.neighbours(guess)
    number = sum(bool(closed_mask(cells)[cell]) for cell in near)
    alike, apart = (
        list(map(tuple, np.argwhere(one).tolist())) for one in (cells == number, (cells >= 0) & (cells != number))
    )
    shown = [frame.crop(now.grid.cell_region(cell)).pixels_bgr for cell in (guess, *alike, *apart)]
    height, width = (min(one.shape[axis] for one in shown) for axis in (0, 1))  # a pitch may be no whole number
    values = np.array([one[:height, :width].ravel() for one in shown], dtype=np.float32)
    own, others, unlike = values[0], values[1 : 1 + len(alike)], values[1 + len(alike) :]
    if not len(others):
        return None
    nearest = np.array([np.partition(rms(others - one), 1)[1] if len(others) > 1 else 0.0 for one in others])
    is_bare = nearest <= _MOST_SPREAD  # 0 is itself
    if not is_bare.any() or not {cell for cell, bare in zip(alike, is_bare, strict=True) if not bare}.isdisjoint(near):
        return None
    far, spread = float(rms(others[is_bare] - own).min()), float(nearest[is_bare].max())
    slack = _SHADES if spread else 0.0
    if far <= spread + slack:
        is_told = not len(unlike) or np.median([float(rms(others - one).min()) for one in unlike]) > spread
        return GameState.WON if is_told else None
    return GameState.LOST if far > 2 * (spread + slack) else None


def layout_painted(
    clicked: Collection[Cell], guess: Cell | None, now: Reading, known: Reading, frame: Frame
) -> NDArray[np.bool_] | None:
    """The layout that the appearances on a board show, all of whose numbers are open; None where they show none.

    Some appearances are those of the mines, as many cells as there are mines; each other is that of one number. That
    agrees with every number that was open before, and no cell that was clicked has a mine. A cell that was guessed must
    not be the only one with its appearance: it may be what exploded.
    """
    kinds = _alike_kinds(frame, now.grid)
    is_odd = np.unique(kinds, return_counts=True)[1][kinds] == 1
    return None if is_odd.mean() > _MOST_ODD else _layout_of(kinds, clicked, guess, known.board, is_odd)


def has_odd_one(frame: Frame, grid: Grid, is_left: NDArray[np.bool_]) -> bool:
    """Whether one of the cells that are left looks otherwise than all others of them, which have one appearance."""
    counts = sorted(np.unique(_alike_kinds(frame, grid)[is_left], return_counts=True)[1].tolist())
    return len(counts) == 2 and counts[0] == 1 < counts[1]


def _layout_of(
    kinds: NDArray[np.intp],
    clicked: Collection[Cell],
    guess: Cell | None,
    known: Board,
    is_odd: NDArray[np.bool_],
) -> NDArray[np.bool_] | None:
    """The layout that an ended board shows, by the kinds of its cells.

    Args:
        kinds: their numbers, rows x cols.
        clicked: the cells that were clicked.
        guess: the one among them that was guessed; None for none.
        known: the board before.
        is_odd: cells over which words may lie: bool, rows x cols.
    """
    if known.mines is None or (guess is not None and int((kinds == kinds[guess]).sum()) == 1):
        return None
    is_hidden = is_odd & closed_mask(known.cells)
    for cell in clicked:
        is_hidden[cell] = False
    is_of_numbers = {int(kinds[cell]) for cell in (*clicked, *map(tuple, np.argwhere(known.cells >= 0)))}
    others = [kind for kind in np.unique(kinds[~is_hidden]).tolist() if kind not in is_of_numbers]
    if len(others) > _MOST_APPEARANCES:
        return None
    for n_appearances in range(len(others) + 1):
        for chosen in combinations(others, n_appearances):
            is_mine = np.isin(kinds, chosen)
            n_left = known.mines - int(is_mine.sum())
            if not 0 <= n_left <= int(is_hidden.sum()):
                continue
            near = box_sum(is_mine.astype(np.int16), wrap=known.wrap)
            is_sure = box_sum(is_hidden.astype(np.int16), wrap=known.wrap) == 0
            is_known = (known.cells >= 0) & is_sure
            is_met = np.array_equal(near[is_known], known.cells[is_known])
            if is_met and _stand_for_numbers(kinds, near, is_sure & ~is_mine & ~is_odd):
                return is_mine | is_hidden if n_left == int(is_hidden.sum()) else np.asarray(is_mine)
    return None


def _stand_for_numbers(kinds: NDArray[np.intp], near: NDArray[np.int16], is_number: NDArray[np.bool_]) -> bool:
    """Whether each kind stands for one number, another one for each; on a chequered board each has two, in turn.

    Args:
        kinds: of cells, rows x cols.
        near: the mines around each cell.
        is_number: the cells that count.
    """
    shades = np.indices(kinds.shape).sum(axis=0) % 2
    shown = zip(kinds[is_number].tolist(), near[is_number].tolist(), shades[is_number].tolist(), strict=True)
    number_of: dict[int, int] = {}
    appearance_of: dict[tuple[int, int], int] = {}
    return all(
        number_of.setdefault(kind, number) == number and appearance_of.setdefault((number, shade), kind) == kind
        for kind, number, shade in shown
    )


def _alike_kinds(frame: Frame, grid: Grid) -> NDArray[np.intp]:
    """The kinds of cells, rows x cols; they may have noise. Where there are too many, each cell is its own kind."""
    inset = math.ceil(_INSET * min(grid.pitch_px))
    cells = insides(frame.crop(grid.region).pixels_bgr, grid, inset, inside_px(grid.pitch_px, inset))
    comparer = Comparer(IN_PLACE if grid.is_whole else BETWEEN_PIXELS)
    kinds = np.arange(len(cells)) + _MOST_KINDS
    for kind in range(_MOST_KINDS):
        left = np.flatnonzero(kinds >= _MOST_KINDS)
        if not len(left):
            break
        far = comparer.apart(cells[left], cells[left[:1]])[:, 0]
        kinds[left[far <= (_ALIKE_IN_PLACE if grid.is_whole else _ALIKE)]] = kind
    numbers = np.unique(kinds, return_inverse=True)[1]
    return np.asarray(grid.to_board(numbers.reshape(grid.rows, grid.cols)))
