"""Numbers on tinted grounds: how a clone draws cells whose numbers go too high for a sprite each.

Such a clone paints the ground of an open cell the deeper the higher its number, in one row of tints for cells in the
light and in another for dimmed ones, and writes the number's digits on it. The tints end at a full colour, and from
there on all numbers share one ground. The looks of all numbers follow from the tints and ten digits; only what is not
a number, and 0, has sprites.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skins.errors import SkinError
from skins.skin import Look

if TYPE_CHECKING:
    from numpy.typing import NDArray

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Ramp:
    """One row of tints.

    Attributes:
        zero_bgr: the ground of an open 0.
        step_bgr: how much darker it is for every mine around; no channel goes below 0.
    """

    zero_bgr: Colour
    step_bgr: Colour

    def ground(self, number: int) -> tuple[int, int, int]:
        """The ground (B, G, R) of a number."""
        blue, green, red = (
            max(round(zero - number * step), 0) for zero, step in zip(self.zero_bgr, self.step_bgr, strict=True)
        )
        return blue, green, red


@dataclass(frozen=True, eq=False)
class Tints:
    """How numbers are drawn.

    Attributes:
        ramps: the rows of tints.
        most: the highest number.
        digits: ink of the digits 0 to 9: float64, 10 x cell height x digit width, 0.0 no ink to 1.0 black; a number's
            digits stand side by side, all of them centred in the cell and cut off at its edges.
        known_px: (left, top, width, height) of the part of a cell that is known; what lies around it may be anything.

    Raises:
        SkinError: no ramp, not ten digits, or no number.
    """

    ramps: tuple[Ramp, ...]
    most: int
    digits: NDArray[np.float64]
    known_px: tuple[int, int, int, int]

    def __post_init__(self) -> None:
        if not self.ramps or self.most < 1 or self.digits.shape[0] != 10:
            raise SkinError(
                f"expected tints of ten digits and at least one number, got {self.digits.shape[0]} digits, "
                f"{len(self.ramps)} rows of tints, most = {self.most}"
            )

    def ink(self, number: int, width: int) -> NDArray[np.float64]:
        """The ink of a number on a cell of this width: float64, height x width, 0.0 to 1.0; a 0 has none."""
        line = np.zeros((self.digits.shape[1], width))
        if number == 0:
            return line
        signs = np.hstack([self.digits[int(digit)] for digit in str(number)])
        first = (width - signs.shape[1]) // 2
        begin, end = max(first, 0), min(first + signs.shape[1], width)
        line[:, begin:end] = signs[:, begin - first : end - first]
        return line

    def paint(self, number: int, ramp: Ramp, width: int) -> NDArray[np.uint8]:
        """The picture of a number: uint8, height x width x 3, BGR."""
        bare = 1.0 - self.ink(number, width)[:, :, None]
        pixels: NDArray[np.uint8] = np.floor(bare * np.array(ramp.ground(number)) + 0.5).astype(np.uint8)
        pixels.setflags(write=False)
        return pixels


def number_looks(tints: Tints, width: int) -> tuple[Look, ...]:
    """The looks of every number from 1 on, in every row of tints, of cells this wide."""
    numbers = range(1, tints.most + 1)
    return tuple(Look(str(number), tints.paint(number, ramp, width)) for ramp in tints.ramps for number in numbers)
