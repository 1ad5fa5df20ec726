"""What calibration can fail at, each with the exit code of `minebot-calibrate`.

BotError                         (bot.errors)
└── CalibrationError        4    no skin can be made of what was shown
    ├── NoLatticeError      4    nothing on a picture repeats along rows and columns as a board does
    ├── GoneError           4    the board that is played on is covered, moved or closed
    ├── RulesError          4    what repeats is no Minesweeper: no meaning of its appearances fits the rules
    └── MemoryFileError     2    what was learned before cannot be read or written
"""

from __future__ import annotations

from typing import ClassVar

from bot.errors import BotError


class CalibrationError(BotError):
    """Something that keeps a skin from being made; the message says what."""

    exit_code = 4


class NoLatticeError(CalibrationError):
    """A picture without a board."""


class GoneError(CalibrationError):
    """The board is not where it was."""


class RulesError(CalibrationError):
    """The boards contradict the rules."""


class MemoryFileError(CalibrationError):
    """What was learned before cannot be read, or what is learned now cannot be kept."""

    exit_code: ClassVar[int] = 2
