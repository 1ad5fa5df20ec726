"""How large the boards of the built-in game are: the levels with a name, and sizes of one's own.

A board has two dimensions, or four: then it is shown as a block of flat boards (`bot.blocks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bot.blocks import Blocks
from bot.errors import UsageError
from solver.layout import LEVELS, FirstClick
from solver.simulation.deals import PRESETS
from solver.topology import Topology
from solver.words import counted, name_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SIDE = 100  # cells along one side of the screen: more fits none


class BoardSize(NamedTuple):
    """The shape of a board, in a window of two dimensions or four, and its mine count."""

    shape: tuple[int, ...]
    mines: int

    @property
    def blocks(self) -> Blocks | None:
        """How the cells of a board of four dimensions are laid out; None for a flat one."""
        if len(self.shape) == 2:
            return None
        return Blocks(self.shape)

    @property
    def rows(self) -> int:
        """Cells from top to bottom on the screen."""
        return self.shape[0] if self.blocks is None else self.blocks.rows

    @property
    def cols(self) -> int:
        """Cells from left to right on the screen."""
        return self.shape[1] if self.blocks is None else self.blocks.cols

    @property
    def name(self) -> str:
        """The level's name, else the size itself, such as `8x8/10`."""
        return next((name for name, size in SIZES.items() if size == self), self.key)

    @property
    def title(self) -> str:
        """The level's name for a person; `Custom` for a size of one's own."""
        if self.name == self.key:
            return "Custom"
        return self.name.capitalize() if self.blocks is None else f"4D {self.name.removeprefix('4d-')}"

    @property
    def key(self) -> str:
        """The size as one word, such as `16x30/99`: what best times are kept by."""
        return f"{name_shape(self.shape)}/{self.mines}"

    @property
    def label(self) -> str:
        """The size for a person: `16x30, 99 mines`."""
        return f"{name_shape(self.shape)}, {counted(self.mines, 'mine')}"


SIZES = {
    **{name: BoardSize((level.rows, level.cols), level.mines) for name, level in LEVELS.items()},
    **{name: BoardSize(preset.shape, preset.mines) for name, preset in PRESETS.items() if name.startswith("4d-")},
}
"""The levels with a name: the classic ones, and four of four dimensions."""


def checked_size(shape: Sequence[int], mines: int, *, any_dimensions: bool = False) -> BoardSize:
    """Make a size of one's own; in letters a board may have any number of dimensions.

    Raises:
        UsageError: a shape or a mine count that no game here can have; says which, and what may be.
    """
    if len(shape) not in (2, 4) and not any_dimensions:
        raise UsageError(f"expected a size of two dimensions or four, such as 9x9, got {name_shape(shape)}")
    size = BoardSize(tuple(shape), mines)
    for name, side in (("rows", size.rows), ("cols", size.cols), ("cells along a side", min(shape))):
        if not 1 <= side <= MAX_SIDE:
            raise UsageError(f"expected 1 to {MAX_SIDE} {name}, got {side}")
    most = FirstClick.SAFE.most_mines(Topology(size.shape))
    if not 0 <= mines <= most:
        raise UsageError(f"expected 0 to {most} mines for {name_shape(shape)}, got {mines}")
    return size
