"""The boards of a simulation: layouts, each with the cell its game begins with.

The board of a seed is the same everywhere: `sorted(random.Random(seed).sample(allowed, mines))`, where `allowed` are
the indices, row by row, of the cells that the first-click rule lets have a mine; a mine that moves does so after that.
Knows nothing of files, nor of who
plays.

Boards with a name: the classic levels, and those that are usual for measuring in one to six dimensions.

Files of boards: one a line.

`seed rows cols first_row,first_col row,col;row,col;...`, the mines last; in other than two dimensions sizes and indices
are joined by commas: `seed 4,4,4,4 0,0,0,0 i,j,k,l;...`. Blank lines and those that start with `;` are skipped.
"""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from solver.errors import BoardTextError, BoardValueError
from solver.layout import FirstClick, Layout
from solver.topology import Topology, check_whole
from solver.words import name_shape, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.topology import Cell


class _Preset(NamedTuple):
    """The shape of a board, how many mines it has, and whether its edges join."""

    shape: tuple[int, ...]
    mines: int
    wrap: bool = False


PRESETS = {
    "beginner": _Preset((9, 9), 10),
    "beginner-8x8": _Preset((8, 8), 10),
    "intermediate": _Preset((16, 16), 40),
    "expert": _Preset((16, 30), 99),
    "beginner-wrap": _Preset((9, 9), 10, wrap=True),
    "beginner-8x8-wrap": _Preset((8, 8), 10, wrap=True),
    "intermediate-wrap": _Preset((16, 16), 40, wrap=True),
    "expert-wrap": _Preset((16, 30), 99, wrap=True),
    "1d": _Preset((60,), 10),
    "3d-easy": _Preset((5, 5, 5), 10),
    "3d-medium": _Preset((7, 7, 7), 33),
    "3d-hard": _Preset((10, 10, 10), 99),
    "4d-easy": _Preset((4, 4, 4, 4), 10),
    "4d-medium": _Preset((4, 4, 4, 4), 20),
    "4d-hard": _Preset((4, 4, 4, 4), 30),
    "4d-harder": _Preset((4, 4, 4, 4), 40),
    "6d": _Preset((4, 4, 4, 4, 4, 4), 50),
    "7d": _Preset((4, 4, 4, 4, 4, 4, 4), 100),
    "8d": _Preset((4, 4, 4, 4, 4, 4, 4, 4), 400),
    "test": _Preset((5, 4), 4),
}


HINT = "hint"
"""The first-click rule by which the game names a cell to begin with: a zero where the board has one, else a safe cell.
The mines lie anywhere."""
RULES = (*(rule.value for rule in FirstClick), HINT)
_MOST_DEALS = 10**15  # most boards of a run: more than anybody plays, and far fewer than Python can count


class Deal(NamedTuple):
    """A board to play.

    Attributes:
        seed: what it is called by.
        layout: where the mines are.
        first_cell: the cell to open first.
        rule: what the player knows of how the layout came about, where layouts are not equally likely by that.
    """

    seed: int
    layout: Layout
    first_cell: Cell
    rule: FirstClick | None = None


class Deals(Protocol):
    """Boards in an order."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int) -> Deal: ...

    def seed_of(self, place: int) -> int:
        """Return what the board at this place is called by."""

    def part(self, start: int, stop: int) -> Deals:
        """Return those from one place up to another."""

    def describe(self) -> dict[str, Any]:
        """Say which boards these are, as JSON: equal for equal boards, however many of them are asked for."""


@dataclass(frozen=True)
class SeededDeals:
    """Boards of seeds that follow each other.

    Attributes:
        shape: cells along each axis.
        mines: how many mines.
        wrap: whether every axis is a ring.
        rule: what is promised about the first cell, one of RULES.
        first_cell: the cell to open first; None only with the rule HINT.
        seed: the first seed.
        n: how many boards.

    Raises:
        BoardValueError: no such shape or rule, more mines than the rule leaves room for, a first cell off the grid,
            more boards than `_MOST_DEALS`.
    """

    shape: tuple[int, ...]
    mines: int
    wrap: bool
    rule: str
    first_cell: Cell | None
    seed: int
    n: int

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise BoardValueError(f"expected a rule for the first click ({', '.join(RULES)}), got {self.rule!r}")
        if (self.first_cell is None) != (self.rule == HINT):
            raise BoardValueError(f"expected a first cell, or the rule {HINT}, got {self.first_cell} and {self.rule}")
        check_whole(self.mines, "a whole number of mines")
        if not 0 <= self.n <= _MOST_DEALS:
            raise BoardValueError(f"expected 0 to {_MOST_DEALS} boards, got {self.n}")
        most = self.most_mines
        if not 0 <= self.mines <= most:
            raise BoardValueError(
                f"expected 0 to {most} mines for {name_shape(self.shape)} (first click: {self.rule}), got {self.mines}"
            )

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, place: int) -> Deal:
        if not 0 <= place < self.n:
            raise IndexError(f"expected a place from 0 to {self.n - 1}, got {place}")
        seed = self.seed + place
        rng = random.Random(seed)
        has_mine = np.zeros(self._topology.n_cells, dtype=np.bool_)
        has_mine[rng.sample(self._allowed, self.mines)] = True
        if self.first_cell is None:
            layout = Layout(has_mine.reshape(self.shape), self.wrap)
            return Deal(seed, layout, _hint(layout, rng))
        rule = FirstClick(self.rule)
        rule.clear(has_mine, self._topology.index(self.first_cell))
        layout = Layout(has_mine.reshape(self.shape), self.wrap)
        return Deal(seed, layout, self.first_cell, rule if rule is FirstClick.MOVED else None)

    def seed_of(self, place: int) -> int:
        """Return the seed of the board at this place."""
        return self.seed + place

    def part(self, start: int, stop: int) -> SeededDeals:
        """Return those from one place up to another."""
        return replace(self, seed=self.seed + start, n=stop - start)

    def describe(self) -> dict[str, Any]:
        """Say which boards these are."""
        return {
            "shape": list(self.shape),
            "mines": self.mines,
            "wrap": self.wrap,
            "first": self.rule,
            "start": None if self.first_cell is None else list(self.first_cell),
            "seed": self.seed,
        }

    @property
    def n_cells(self) -> int:
        """How many cells a board has."""
        return self._topology.n_cells

    @property
    def most_mines(self) -> int:
        """How many mines the rule leaves room for."""
        return len(self._allowed) - (self.rule in (HINT, FirstClick.MOVED.value))

    @cached_property
    def _topology(self) -> Topology:
        return Topology(self.shape, wrap=self.wrap)

    @cached_property
    def _allowed(self) -> list[int]:
        n_cells = self._topology.n_cells
        if self.first_cell is None:
            return list(range(n_cells))
        kept_free = FirstClick(self.rule).kept_free(self._topology, self.first_cell)
        return [index for index in range(n_cells) if index not in kept_free]

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}  # not what is cached: it goes to workers


@dataclass(frozen=True)
class ListedDeals:
    """Given boards, in their order."""

    deals: tuple[Deal, ...]

    def __len__(self) -> int:
        return len(self.deals)

    def __getitem__(self, place: int) -> Deal:
        return self.deals[place]

    def seed_of(self, place: int) -> int:
        """Return what the board at this place is called by."""
        return self.deals[place].seed

    def part(self, start: int, stop: int) -> ListedDeals:
        """Return those from one place up to another."""
        return ListedDeals(self.deals[start:stop])

    def describe(self) -> dict[str, Any]:
        """Say which boards these are: by a hash of all of them."""
        digest = hashlib.sha256()
        for seed, layout, first_cell, _ in self.deals:
            digest.update(repr((seed, layout.shape, layout.wrap, first_cell)).encode())
            digest.update(np.packbits(layout.has_mine).tobytes())
        return {"boards": digest.hexdigest()[:16]}


def usual_first_cell(shape: Sequence[int], rule: str, *, wrap: bool) -> Cell | None:
    """Return the cell to begin with unless a person wants another: None where the game names it."""
    return None if rule == HINT else FirstClick(rule).best_start(tuple(shape), wrap=wrap)


def _hint(layout: Layout, rng: random.Random) -> Cell:
    is_safe = ~layout.has_mine.ravel()
    zeros = np.flatnonzero(is_safe & (layout.numbers.ravel() == 0))
    return layout.topology.cell(int(rng.choice(zeros if zeros.size else np.flatnonzero(is_safe))))


_NATURAL = re.compile(r"[0-9]{1,9}")
_NATURALS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
_SEED = re.compile(r"-?[0-9]{1,18}")
_LINE = re.compile(r"[^\n]*\n?")
_MOST_CELLS = 10_000_000
_MOST_IN_ALL = 200_000_000
_AROUND_A_BOARD = 500
"""Cells that a board is counted with besides its own, for the objects around it: `_MOST_IN_ALL` is 200,000 Expert
boards, or 350,000 Beginner ones. Three bytes a cell are kept once a board is played: 0.6 GB."""


def parse_deals(text: str, *, wrap: bool = False) -> tuple[Deal, ...]:
    """Read a file of boards.

    Args:
        text: of the file.
        wrap: whether every axis is a ring: the file does not say.

    Raises:
        BoardTextError: a line is not a board, or one too many; names it.
    """
    deals = []
    n_in_all = 0
    for number, line in enumerate(_LINE.finditer(text), start=1):
        words = line[0].split()
        if not words or words[0].startswith(";"):
            continue
        try:
            deals.append(_parse_deal(words, wrap=wrap))
        except BoardValueError as error:
            raise BoardTextError(f"line {number}: {error}") from error
        n_in_all += deals[-1].layout.has_mine.size + _AROUND_A_BOARD
        if n_in_all > _MOST_IN_ALL:
            raise BoardTextError(f"line {number}: expected boards that take less memory together: make it two files")
    return tuple(deals)


def format_deal(deal: Deal) -> str:
    """Return the line of a board."""
    seed, layout, first_cell, _ = deal
    joined = [",".join(map(str, cell)) for cell in sorted(layout.mine_cells)]
    sizes = (" " if len(layout.shape) == 2 else ",").join(map(str, layout.shape))
    return f"{seed} {sizes} {','.join(map(str, first_cell))} {';'.join(joined)}".rstrip()


def _parse_deal(words: list[str], *, wrap: bool) -> Deal:
    seed, *rest = words
    if not _SEED.fullmatch(seed):
        raise BoardValueError(f"expected a seed, a whole number, got {quoted(seed, 40)}")
    if _is_two_dimensional(rest):
        rest = [f"{rest[0]},{rest[1]}", *rest[2:]]
    if len(rest) not in (2, 3):
        raise BoardValueError(f"expected seed, sizes, first cell and mines, got {len(words)} words")
    shape, first_cell = _parse_numbers(rest[0], "sizes"), _parse_numbers(rest[1], "a first cell")
    n_cells = 1
    for side in shape:
        n_cells *= side
    if not 1 <= n_cells <= _MOST_CELLS:
        raise BoardValueError(f"expected 1 to {_MOST_CELLS} cells, got the sizes {quoted(rest[0], 40)}")
    mines = [_parse_numbers(word, "a mine's cell") for word in rest[2].split(";")] if len(rest) == 3 else []
    layout = Layout.of_cells(shape, mines, wrap=wrap)
    if layout.n_mines != len(mines):
        raise BoardValueError("expected every mine once")
    if not layout.topology.has_cell(first_cell):
        raise BoardValueError(f"expected a first cell of the {shape} grid, got {first_cell}")
    return Deal(int(seed), layout, first_cell)


def _is_two_dimensional(words: list[str]) -> bool:
    """Whether two sizes are words of their own: `60 30 5;7` is of one dimension, and there `30` is a cell."""
    return len(words) >= 3 and all(_NATURAL.fullmatch(word) for word in words[:2]) and words[2].count(",") == 1


def _parse_numbers(word: str, what: str) -> Cell:
    if not _NATURALS.fullmatch(word):
        raise BoardValueError(f"expected {what}, numbers joined by commas, got {quoted(word, 40)}")
    return tuple(map(int, word.split(",")))
