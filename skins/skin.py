"""What one clone looks like, in memory: a frozen value.

Knows nothing of screens, boards or files (`skins.store` reads and writes them). A cell's state is named by a
word: a decimal number for an open cell, or one of `STATES`. Several looks may show the same state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skins.errors import SkinError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

CLOSED = "closed"
FLAG = "flag"
QUESTION = "question"
MINE = "mine"
EXPLODED = "exploded"
WRONG_FLAG = "wrong_flag"
STATES = (CLOSED, FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG)
"""Every state a cell can be in, besides the numbers."""


def is_state(word: str) -> bool:
    """Whether `word` names a cell state: a decimal number or one of `STATES`."""
    return word in STATES or (word.isascii() and word.isdecimal())


@dataclass(frozen=True, eq=False)
class Look:
    """One picture of one cell state: a template.

    Attributes:
        state: what it means.
        pixels_bgr: uint8, cell height x cell width x 3.
    """

    state: str
    pixels_bgr: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far pixels may stray from a look.

    Attributes:
        colour: the most one channel of one pixel may differ when the board is searched for, 0-255.
        accept: a template matches when the root mean square difference of its channels is at most this, 0-255.
        margin: and when the best template of any *other* state is at least this many times farther away.
    """

    colour: int = 12
    accept: float = 12.0
    margin: float = 1.5


@dataclass(frozen=True, slots=True)
class Border:
    """What is painted right around the board: it tells a board's edge from where something hides the rest of it.

    Attributes:
        depth_px: how many pixels deep it is on each side.
        left_bgr: the colours it has on this side in the clones of this look; likewise `top_bgr`, `right_bgr` and
            `bottom_bgr`.
    """

    depth_px: int
    left_bgr: tuple[tuple[int, int, int], ...]
    top_bgr: tuple[tuple[int, int, int], ...]
    right_bgr: tuple[tuple[int, int, int], ...]
    bottom_bgr: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class NewGame:
    """How this clone starts another game.

    Attributes:
        spot_px: (x, y) of the face button's middle, measured from the middle of the board's top edge.
        dialog_key: the key that closes a dialog shown after a game, None when there never is one.
        pause_s: wait before another game is started.
    """

    spot_px: tuple[int, int] | None = None
    dialog_key: str | None = None
    pause_s: float = 0.0


@dataclass(frozen=True, eq=False)
class Skin:
    """The look and habits of one clone.

    Attributes:
        name: how commands call it.
        title: what it is, for a person.
        pitch_px: (width, height) of one cell.
        closed_bgr: the colour most of a closed cell is painted in.
        looks: every template; at least one of a closed cell and one of an open 0.
        exact: fingerprints of the exact pixels that real clones draw (`skins.fingerprint`), with their state.
        tolerance: how far from the templates a cell may be.
        new_game: how another game is started.
        border: what is painted around the board, None where that is not known.
        retry_s: wait before a click that had no effect is made again.

    Raises:
        SkinError: a look of the wrong size or an unknown state, or no closed or no 0 look.
    """

    name: str
    title: str
    pitch_px: tuple[int, int]
    closed_bgr: tuple[int, int, int]
    looks: tuple[Look, ...]
    exact: Mapping[int, str] = field(default_factory=dict)
    tolerance: Tolerance = Tolerance()
    new_game: NewGame = NewGame()
    border: Border | None = None
    retry_s: float = 0.25

    def __post_init__(self) -> None:
        width, height = self.pitch_px
        for look in self.looks:
            if not is_state(look.state):
                raise SkinError(f"skin {self.name}: expected a cell state, got {look.state!r}")
            if look.pixels_bgr.shape != (height, width, 3):
                raise SkinError(
                    f"skin {self.name}: expected {height} x {width} x 3 pixels for state {look.state!r}, "
                    f"got {look.pixels_bgr.shape}"
                )
        for state in (CLOSED, "0"):
            if not self.looks_of(state):
                raise SkinError(f"skin {self.name}: expected at least one look of state {state!r}, got none")

    def looks_of(self, state: str) -> tuple[Look, ...]:
        """Every look of one state."""
        return tuple(look for look in self.looks if look.state == state)
