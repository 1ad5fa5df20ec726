"""Boards with a name: the classic levels, and those that are usual for measuring in one to six dimensions."""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """The shape of a board, how many mines it has, and whether its edges join."""

    shape: tuple[int, ...]
    mines: int
    wrap: bool = False


PRESETS = {
    "beginner": Preset((9, 9), 10),
    "beginner-8x8": Preset((8, 8), 10),
    "intermediate": Preset((16, 16), 40),
    "expert": Preset((16, 30), 99),
    "beginner-wrap": Preset((9, 9), 10, wrap=True),
    "beginner-8x8-wrap": Preset((8, 8), 10, wrap=True),
    "intermediate-wrap": Preset((16, 16), 40, wrap=True),
    "expert-wrap": Preset((16, 30), 99, wrap=True),
    "1d": Preset((60,), 10),
    "3d-easy": Preset((5, 5, 5), 10),
    "3d-medium": Preset((7, 7, 7), 33),
    "3d-hard": Preset((10, 10, 10), 99),
    "4d-easy": Preset((4, 4, 4, 4), 10),
    "4d-medium": Preset((4, 4, 4, 4), 20),
    "4d-hard": Preset((4, 4, 4, 4), 30),
    "4d-harder": Preset((4, 4, 4, 4), 40),
    "6d": Preset((4, 4, 4, 4, 4, 4), 50),
    "7d": Preset((4, 4, 4, 4, 4, 4, 4), 100),
    "8d": Preset((4, 4, 4, 4, 4, 4, 4, 4), 400),
    "test": Preset((5, 4), 4),
}
