"""What can go wrong in the bot, each with the exit code of the command that meets it.

BotError                 1
├── UsageError           2    bad arguments or bad input: which, where
├── BoardNotFoundError   4    no board on the screen or picture: why, nearest miss
├── ScreenError          5    screen, mouse or keyboard cannot be used here: what to do about it
│   └── WindowClosedError     the window that is watched is gone
└── Aborted            130    the abort key or Ctrl-C; never swallowed
    └── TimeIsUp               the minutes that were given are over: a planned end, whose exit code is that of the games
"""

from typing import ClassVar


class BotError(Exception):
    """The root of every error the bot raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(BotError):
    """Bad arguments, or an input that is not what it should be."""

    exit_code = 2


class BoardNotFoundError(BotError):
    """No board where one was looked for."""

    exit_code = 4


class ScreenError(BotError):
    """The screen, the mouse or the keyboard cannot be used here."""

    exit_code = 5


class WindowClosedError(ScreenError):
    """The window that is watched is gone."""


class Aborted(BotError):  # noqa: N818 - the name says what happened, as KeyboardInterrupt does
    """A person pressed the abort key."""

    exit_code = 130


class TimeIsUp(Aborted):
    """The minutes that were given are over: as sudden as the abort key, but planned."""
