"""Numbers that a font draws: what tells them apart in every font.

A clone that writes its numbers with the fonts of the system has no shape of its own for them. What it does have is
colours: the ink of each number, or the ground of its cell. Where both are the same for all numbers, only the shape of
the digit is left, whose many forms differ less from each other than from other digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skins.errors import SkinError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Colour = tuple[int, int, int]

OPEN_SIGN = "open"
"""Only an open cell has this ink on this ground: the shape of the sign tells the number."""
ANY_SIGN = "any"
"""Closed cells may have this ground and signs of this ink too: a number's shape tells a number, others nothing."""
_MOST_NUMBER = 8


@dataclass(frozen=True, slots=True)
class Ink:
    """What an ink on a ground means.

    Attributes:
        says: a number from "1" to "8", `OPEN_SIGN` or `ANY_SIGN`.
        ground_bgr: what the cell is painted in.
        ink_bgr: what the sign on it is painted in.
    """

    says: str
    ground_bgr: Colour
    ink_bgr: Colour


@dataclass(frozen=True, eq=False)
class Signs:
    """How numbers are told from each other.

    Attributes:
        inks: every ink that numbers have, on every ground.
        shapes: forms of the digits, each with its number: float64, height x width, 0.0 no ink to 1.0 full; each fills
            its picture up to all four sides.

    Raises:
        SkinError: no ink, a word that says nothing, or a shape of no number.
    """

    inks: tuple[Ink, ...]
    shapes: tuple[tuple[int, NDArray[np.float64]], ...] = ()

    def __post_init__(self) -> None:
        numbers = range(1, _MOST_NUMBER + 1)
        if not self.inks:
            raise SkinError("expected signs of some inks, got none")
        for ink in self.inks:
            if ink.says not in (OPEN_SIGN, ANY_SIGN, *map(str, numbers)):
                raise SkinError(f"expected an ink to say 1 to {_MOST_NUMBER}, open or any, got {ink.says!r}")
        for number, _ in self.shapes:
            if number not in numbers:
                raise SkinError(f"expected shapes of the numbers 1 to {_MOST_NUMBER}, got one of {number}")
