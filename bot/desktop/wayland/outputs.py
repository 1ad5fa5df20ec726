"""Outputs of a Wayland compositor: monitors that it places by logical units, and shows in pixels.

The bot counts in pixels. An output at 150 % has fewer logical units than pixels. So each output keeps its pixels and
stands where its logical place, multiplied by the greatest scale of all, has room for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.errors import ScreenError
from bot.models import Frame, Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True, eq=False)
class Output:
    """A monitor.

    Attributes:
        handle: what the compositor knows it by.
        region: where it is, in pixels.
        logical: where it is in the compositor's logical units.
        scale: pixels a logical unit.
    """

    handle: Any
    region: Region
    logical: Region
    scale: float

    def to_pixels(self, logical: Region) -> Region:
        """A rectangle in logical units, in pixels."""
        left = self.region.left + round((logical.left - self.logical.left) * self.scale)
        top = self.region.top + round((logical.top - self.logical.top) * self.scale)
        return Region(left, top, round(logical.width * self.scale), round(logical.height * self.scale))


def place_outputs(told: Iterable[tuple[Any, Region, tuple[int, int]]]) -> list[Output]:
    """The outputs in their places.

    Args:
        told: of each, its handle, where it is in logical units, and its width and height in pixels.
    """
    known = [(handle, logical, pixels, pixels[0] / logical.width) for handle, logical, pixels in told]
    greatest = max((scale for *_, scale in known), default=1.0)
    return [
        Output(handle, Region(round(logical.left * greatest), round(logical.top * greatest), *pixels), logical, scale)
        for handle, logical, pixels, scale in known
    ]


def in_pixels(outputs: Sequence[Output], logical: Region) -> Region:
    """A rectangle in logical units, in the pixels of the output that most of it is on."""
    return max(outputs, key=lambda one: one.logical.shared(logical).n_pixels).to_pixels(logical)


def output_at(outputs: Sequence[Output], pixel: Pixel) -> tuple[Output, Pixel]:
    """The output that a pixel is on, else the nearest; and the pixel of that output which is nearest."""

    def nearest(region: Region) -> Pixel:
        return Pixel(min(max(pixel.x, region.left), region.right - 1), min(max(pixel.y, region.top), region.bottom - 1))

    def distance(output: Output) -> int:
        there = nearest(output.region)
        return abs(there.x - pixel.x) + abs(there.y - pixel.y)

    output = min(outputs, key=distance)
    return output, nearest(output.region)


def compose(outputs: Sequence[Output], region: Region | None, capture: Callable[[Output, Region], Frame]) -> Frame:
    """A picture of a part of the desktop, or of all of it, from pictures of its outputs.

    Args:
        outputs: all of them, one at least.
        region: which part, in pixels; None for all. What is on no output is black.
        capture: takes a picture of a part of an output.

    Raises:
        ScreenError: the part reaches beyond all outputs.
    """
    everything = _around([output.region for output in outputs])
    asked = everything if region is None else region
    if not everything.holds(asked):
        raise ScreenError(f"expected a part of the screen, which is {everything}, got {asked}")
    picture = Frame(np.zeros((asked.height, asked.width, 3), np.uint8), asked.left, asked.top)
    for output in outputs:
        part = output.region.shared(asked)
        if part.n_pixels:
            picture.crop(part).pixels_bgr[:] = capture(output, part).pixels_bgr
    return picture


def _around(regions: Sequence[Region]) -> Region:
    """The smallest rectangle that holds all of these."""
    left, top = min(one.left for one in regions), min(one.top for one in regions)
    return Region(left, top, max(one.right for one in regions) - left, max(one.bottom for one in regions) - top)
