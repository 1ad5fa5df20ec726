"""Best times: the ten best of every size of board, kept in a file between sittings.

The file is one JSON object: under the size's key (`16x30/99`, followed by ` guess-free` for boards without a guess) a
list, best first, of objects with seconds, bbbv, clicks and date. It is written anew beside itself and then exchanged,
so that it is whole whatever happens; and read again before each time is added, so that two windows lose none of theirs.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import platformdirs

from bot.errors import UsageError
from bot.images import save_bytes
from skins.errors import FileError
from skins.files import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.bot_clicks import ClickNote

MOST_KEPT = 10
FILE = "best-times.json"
_MOST_BYTES = 2**24


@dataclass(frozen=True, order=True, slots=True)
class _BestTime:
    """One game that was won.

    Attributes:
        seconds: how long it took.
        bbbv: of its board.
        clicks: how many it took.
        date: when, as YYYY-MM-DD.
    """

    seconds: float
    bbbv: int
    clicks: int
    date: str


def usual_path() -> Path:
    """Where best times are kept: in the platform's folder for data of minebot."""
    return platformdirs.user_data_path("minebot", appauthor=False) / FILE


class BestTimes:
    """The best times of one file; without one, of this sitting alone.

    Args:
        path: the file, which need not be there; None keeps nothing.
        bot_clicks: tells whether the bot clicked; None where nobody can tell.

    Raises:
        UsageError: the file cannot be read, or holds something else; names it.
    """

    def __init__(self, path: Path | None, bot_clicks: ClickNote | None = None) -> None:
        self._path = path
        self._bot_clicks = bot_clicks
        self._kept: dict[str, list[_BestTime]] = {}
        self._read()

    @property
    def kept(self) -> Mapping[str, Sequence[_BestTime]]:
        """The times by key, best first."""
        return self._kept

    def best(self, key: str) -> _BestTime | None:
        """The best time of a key."""
        times = self._kept.get(key)
        return times[0] if times else None

    def is_bots(self, began_at_s: float) -> bool:
        """Whether the bot clicked in a game that began at a time, in seconds of `time.time()`."""
        return self._bot_clicks is not None and self._bot_clicks.is_since(began_at_s)

    def add(self, key: str, seconds: float, bbbv: int, clicks: int) -> int | None:
        """Keep a time if it is among the ten best.

        Returns:
            Its place, from 1; None where ten are better.

        Raises:
            UsageError: the file cannot be read or written.
        """
        self._read()
        new = _BestTime(round(seconds, 3), bbbv, clicks, date.today().isoformat())  # noqa: DTZ011 - the player's own day
        times = sorted([*self._kept.get(key, ()), new])[:MOST_KEPT]
        self._kept[key] = times
        if new not in times:
            return None
        self._write()
        return times.index(new) + 1

    def _read(self) -> None:
        if self._path is None or not self._path.exists():
            return
        try:
            content = json.loads(read_file(self._path, _MOST_BYTES))
            self._kept = {key: sorted(_parse(entry) for entry in times) for key, times in content.items()}
        except (FileError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(f"expected best times in {self._path}, which cannot be read ({error})") from error

    def _write(self) -> None:
        if self._path is None:
            return
        content = {key: [asdict(time) for time in times] for key, times in self._kept.items()}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            save_bytes(self._path, (json.dumps(content, indent=1) + "\n").encode())
        except OSError as error:
            raise UsageError(f"best times cannot be written to {self._path} ({error})") from error


def _parse(entry: Mapping[str, Any]) -> _BestTime:
    time = _BestTime(**entry)
    for name, kind in (("seconds", (int, float)), ("bbbv", int), ("clicks", int), ("date", str)):
        if not isinstance(getattr(time, name), kind):
            raise TypeError(f"expected {name} of a best time, got {getattr(time, name)!r}")
    return time
