"""When the bot clicked last: play and calibration note it in a file; the built-in game asks: no best time is the bot's.

A window cannot tell the bot's click from a person's. The file is empty; its time of change is the note.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from pathlib import Path

FILE = "last-bot-click"
EVERY_S = 0.5  # clicks this close to a noted one are not noted themselves, in seconds


def usual_note() -> Path:
    """Where the note is: in the platform's folder for data of minebot."""
    return platformdirs.user_data_path("minebot", appauthor=False) / FILE


class ClickNote:
    """The note in one file, which need not be there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._noted_s = -EVERY_S

    def note(self) -> None:
        """Note that the bot clicks now.

        Where that cannot be written, no best time can be kept either: both are in one folder.
        """
        now_s = time.monotonic()
        if now_s - self._noted_s < EVERY_S:
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
        self._noted_s = now_s

    def is_since(self, time_s: float) -> bool:
        """Whether the bot clicked since a time, in seconds of `time.time()`; a click may count `EVERY_S` long."""
        try:
            noted_s = self._path.stat().st_mtime
        except OSError:  # nobody ever clicked
            return False
        return noted_s >= time_s - 2 * EVERY_S
