"""One command that runs beside the window: what it says line by line, and its end.

What `play --events` and `coach --json` print are events already. The object that another command prints becomes the
event `answer`, and a line for a person the event `told`.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from bot.errors import BotError
from bot.playing import orders
from bot.processes import start

if TYPE_CHECKING:
    from collections.abc import Callable

Event = dict[str, Any]
_END_S = 2.0  # the longest time that a command takes to end, in seconds; then it is killed


class Run:
    """A command of ours that runs.

    Attributes:
        title: what it does, in words.

    Args:
        title: as above.
        command: the command line.
        hear: told of each event, with this run, in a thread of its own; the last is `closed`, with the exit code as
            `code`.
        given: what it reads from standard input.
    """

    def __init__(self, title: str, command: list[str], hear: Callable[[Run, Event], None], given: str = "") -> None:
        self.title = title
        self._hear = hear
        self._process = start(command, stdin=subprocess.PIPE)
        threading.Thread(target=self._follow, args=(given,), daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Have it stop now, as by its own key: a bot lets go of the mouse before it ends."""
        if self.is_over:
            return
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

    def _follow(self, given: str) -> None:
        """Pass on what it says, until it ends."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with suppress(OSError):  # it ended without reading
            process.stdin.write(given)
            process.stdin.close()
        remarks = threading.Thread(target=self._pass_on, args=(process.stderr,), daemon=True)
        remarks.start()
        self._pass_on(process.stdout)
        remarks.join()
        self._hear(self, {"event": "closed", "code": process.wait()})

    def _pass_on(self, lines: IO[str]) -> None:
        for line in lines:
            self._hear(self, _as_event(line.rstrip("\n")))


def _as_event(line: str) -> Event:
    if line.startswith("{"):
        said: Event = json.loads(line)
        return said if "event" in said else {"event": "answer", "answer": said}
    return {"event": "told", "text": line.removeprefix("minebot: ")}
