"""One change of all colours of a picture, and a skin in the colours that come of it.

A night light, a dimmed screen and another display's profile change every pixel by one rule. Some act on the levels of
a picture, others on its light, which the levels encode (IEC 61966-2-1, sRGB): in one of the two the rule is affine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from skins.skin import Bgr, Border, Ink, Look, Skin

    Floats = NDArray[np.float64]

_LEAST_TOLERANCE = 2
"""Steps a channel by which a colour is off where both the picture and the change were rounded, and one to spare."""


@dataclass(frozen=True, eq=False)
class ColourChange:
    """An affine change of colours.

    Attributes:
        matrix: float64, 3 x 4: what blue, green, red and a constant 1 add to blue, green and red, each 0.0 to 1.0.
        of_light: whether it is the light that is changed so, or else its levels.
    """

    matrix: Floats
    of_light: bool = False

    def exact(self, colours_bgr: ArrayLike) -> Floats:
        """What becomes of colours (... x 3, 0 to 255): float64, of the same shape, not rounded."""
        values = to_light(colours_bgr) if self.of_light else np.asarray(colours_bgr, dtype=np.float64) / 255
        changed = np.clip(values @ self.matrix[:, :3].T + self.matrix[:, 3], 0, 1)
        return to_levels(changed) if self.of_light else 255 * changed

    def pixels(self, pixels_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What becomes of pixels: uint8, ... x 3, B, G, R."""
        changed: NDArray[np.uint8] = np.rint(self.exact(pixels_bgr)).astype(np.uint8)
        changed.setflags(write=False)
        return changed

    def colour(self, bgr: Bgr) -> Bgr:
        """What becomes of one colour."""
        blue, green, red = self.pixels(np.array(bgr, dtype=np.uint8)).tolist()
        return blue, green, red

    @property
    def contrast(self) -> float:
        """The share of the way from black to white that is left, in the channel where that is least."""
        black, white = self.exact([[0, 0, 0], [255, 255, 255]])
        return float((white - black).min() / 255)


def to_light(levels: ArrayLike) -> Floats:
    """The light, 0.0 to 1.0, that levels of 0 to 255 stand for."""
    share = np.asarray(levels, dtype=np.float64) / 255
    return np.asarray(np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4))


def to_levels(light: Floats) -> Floats:
    """The levels, 0 to 255, that stand for light of 0.0 to 1.0."""
    return np.asarray(255 * np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055))


def recoloured(skin: Skin, change: ColourChange) -> Skin | None:
    """A skin in changed colours; None where its way of drawing does not follow from changed colours.

    Fingerprints are of a clone's own colours: they are left out. Tolerances shrink with the contrast.
    """
    drawing = skin.drawing.recoloured(change.colour)
    if drawing is None:
        return None
    tolerance, contrast = skin.tolerance, min(change.contrast, 1.0)
    return replace(
        skin,
        closed_bgr=change.colour(skin.closed_bgr),
        looks=_looks(skin.looks, change),
        exact={},
        tolerance=replace(
            tolerance,
            colour=max(round(tolerance.colour * contrast), _LEAST_TOLERANCE),
            accept=tolerance.accept * contrast,
        ),
        border=skin.border and _border(skin.border, change),
        counter=skin.counter and replace(skin.counter, digits=_looks(skin.counter.digits, change), exact={}),
        passing=_looks(skin.passing, change),
        faces=_looks(skin.faces, change),
        drawing=drawing,
        signs=skin.signs and replace(skin.signs, inks=tuple(_ink(ink, change) for ink in skin.signs.inks)),
        origin=skin,
    )


def _looks(looks: tuple[Look, ...], change: ColourChange) -> tuple[Look, ...]:
    return tuple(replace(look, pixels_bgr=change.pixels(look.pixels_bgr)) for look in looks)


def _ink(ink: Ink, change: ColourChange) -> Ink:
    return replace(ink, ground_bgr=change.colour(ink.ground_bgr), ink_bgr=change.colour(ink.ink_bgr))


def _border(border: Border, change: ColourChange) -> Border:
    left, top, right, bottom = (
        tuple(map(change.colour, side))
        for side in (border.left_bgr, border.top_bgr, border.right_bgr, border.bottom_bgr)
    )
    return replace(border, left_bgr=left, top_bgr=top, right_bgr=right, bottom_bgr=bottom)
