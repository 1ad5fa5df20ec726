"""One command that runs beside the window: what it says line by line, and its end.

What `play --events` and `coach --json` print are events already. The object that another command prints becomes the
event `answer`, and a line for a person the event `told`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from bot.errors import BotError
from bot.playing import orders
from bot.processes import start

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.launcher.progress import Progress

Event = dict[str, Any]
_PROGRAM = re.compile(r"^minebot(-calibrate)?: ")  # the name that a remark begins with
_END_S = 2.0  # the longest time that a command takes to end, in seconds; then it is killed
_LAST_WORDS_S = 1.0  # how long after its end its last words may take to come, in seconds


class Run:
    """A command of ours that runs.

    Attributes:
        progress: how it goes.

    Args:
        command: the command line.
        progress: what is known of it so far.
        hear: called with this run and each event, in another thread. The last event is `closed`; its `code` is the
            exit code.
        given: what it reads from standard input.
    """

    def __init__(
        self, command: list[str], progress: Progress, hear: Callable[[Run, Event], None], given: str = ""
    ) -> None:
        self.progress = progress
        self._hear = hear
        self._process = start(command, stdin=subprocess.PIPE)
        threading.Thread(target=self._follow, args=(given,), daemon=True).start()

    def hears(self) -> bool:
        """Whether it hears its own keys by now."""
        return orders.hears(self._process.pid)

    def stop(self) -> None:
        """Have it stop now, as by its own key: a bot lets go of the mouse before it ends."""
        if os.name == "nt":  # there a process that is terminated cannot let go of anything
            with suppress(BotError, OSError):
                orders.give(orders.STOP, self._process.pid)
                return
        self._process.terminate()

    def wait(self) -> None:
        """Wait for its end, which was asked for."""
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _follow(self, given: str) -> None:
        """Pass on what it says, until it ends."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with suppress(OSError), process.stdin:  # it may end without reading
            process.stdin.write(given)
        remarks = threading.Thread(target=self._pass_on, args=(process.stderr, _as_remark), daemon=True)
        remarks.start()
        self._pass_on(process.stdout, _as_event)
        code = process.wait()
        remarks.join(_LAST_WORDS_S)  # what it started may still hold its output
        self._hear(self, {"event": "closed", "code": code})

    def _pass_on(self, lines: IO[str], as_event: Callable[[str], Event]) -> None:
        with lines:
            for line in lines:
                self._hear(self, as_event(line.rstrip("\n")))


def _as_remark(line: str) -> Event:
    return {"event": "told", "text": _PROGRAM.sub("", line)}


def _as_event(line: str) -> Event:
    """What a line of standard output says; one that was cut off is a remark."""
    try:
        said = json.loads(line)
    except ValueError:
        return _as_remark(line)
    if not isinstance(said, dict):
        return _as_remark(line)
    return said if "event" in said else {"event": "answer", "answer": said}
