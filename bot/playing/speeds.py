"""How the pointer gets to a cell: at once, at a pace that a person can follow, or as a person's hand would.

A speed plans steps and waits. The human one follows two findings about hands. The time to hit a target grows with the
logarithm of distance over size (Fitts, The information capacity of the human motor system in controlling the amplitude
of movement, 1954). And a reach is a curve of least jerk: slow, fast, slow (Flash and Hogan, The coordination of arm
movements, 1985).
"""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from bot.errors import UsageError
from bot.models import Pixel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.models import Region
    from solver.board import Move

SPEEDS = ("max", "fast", "human")
FAST_S = 0.05  # between two clicks at the speed `fast`: twenty a second, as many as an eye can follow
STEP_S = 0.008  # between two places of the pointer on its way: a usual mouse reports 125 times a second
_SAFE_THOUGHT_S, _GUESS_THOUGHT_S = 0.12, 0.7
"""Median pause of a practised player before a cell that is clear, and before a guess."""
_SPREAD = 0.45
_FITTS_A_S, _FITTS_B_S = 0.05, 0.09
"""Time to hit a target: a + b * log2(distance / size + 1)."""
_BEND = 0.06  # how far a hand strays from the straight line, as a share of the distance


class WayPoint(NamedTuple):
    """A place on the pointer's way, and how long to wait before it is there."""

    wait_s: float
    pixel: Pixel | None


class Speed(Protocol):
    """A way to get to a cell."""

    most_ahead: int
    """How many clicks may be under way at once."""

    def target(self, cell: Region) -> Pixel:
        """Where in a cell to click."""

    def approach(self, start: Pixel, target: Pixel, cell: Region, move: Move) -> Iterator[WayPoint]:
        """The steps from the pointer's place to a click, waits included."""


class _MaxSpeed:
    """A pace as fast as the clone takes it."""

    most_ahead = 8

    def target(self, cell: Region) -> Pixel:
        """The middle."""
        return cell.middle

    def approach(self, *_: object, **__: object) -> Iterator[WayPoint]:
        """No steps: the click itself takes the pointer there."""
        return iter(())


class _FastSpeed(_MaxSpeed):
    """A steady pace that the eye can follow."""

    most_ahead = 1

    def approach(self, *_: object, **__: object) -> Iterator[WayPoint]:
        """One wait."""
        yield WayPoint(FAST_S, None)


class _HumanSpeed:
    """The pace of a practised person.

    Args:
        seed: equal seeds are equal hands.
    """

    most_ahead = 1

    def __init__(self, seed: int | None = None) -> None:
        self._rng = Random(seed)

    def target(self, cell: Region) -> Pixel:
        """Somewhere near the middle."""
        x, y = (
            round(self._rng.gauss(first + size / 2, size / 9))
            for first, size in ((cell.left, cell.width), (cell.top, cell.height))
        )
        room_x, room_y = cell.width // 5, cell.height // 5
        return Pixel(
            min(max(x, cell.left + room_x), cell.right - 1 - room_x),
            min(max(y, cell.top + room_y), cell.bottom - 1 - room_y),
        )

    def approach(self, start: Pixel, target: Pixel, cell: Region, move: Move) -> Iterator[WayPoint]:
        """A thought, and a curved way."""
        thought_s = _GUESS_THOUGHT_S if move.is_guess else _SAFE_THOUGHT_S
        yield WayPoint(thought_s * math.exp(self._rng.gauss(0.0, _SPREAD)), None)
        distance = math.dist(start, target)
        if not distance:
            return
        travel_s = _FITTS_A_S + _FITTS_B_S * math.log2(distance / min(cell.width, cell.height) + 1)
        n_steps = max(2, round(travel_s / STEP_S))
        bend = distance * self._rng.gauss(0.0, _BEND)
        across = (-(target.y - start.y) / distance, (target.x - start.x) / distance)
        for n in range(1, n_steps + 1):
            t = n / n_steps
            along = t**3 * (10 - 15 * t + 6 * t**2)  # least jerk
            aside = bend * math.sin(math.pi * along)
            x, y = (round(a + along * (b - a) + aside * side) for a, b, side in zip(start, target, across, strict=True))
            yield WayPoint(travel_s / n_steps, Pixel(x, y))


def speed_named(name: str, seed: int | None = None) -> Speed:
    """A speed by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if name == "max":
        return _MaxSpeed()
    if name == "fast":
        return _FastSpeed()
    if name == "human":
        return _HumanSpeed(seed)
    raise UsageError(f"expected a speed of {', '.join(SPEEDS)}, got {name!r}")
