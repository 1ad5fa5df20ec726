"""A desktop on which a real winemine and the bot in CPython for Windows run side by side, and who watches them."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import setup_env
from bot_process import BotProcess

WATCH = Path(__file__).with_name("windows_watch.py")
F10, ESCAPE = 0x79, 0x1B
"""Windows' codes of these keys."""


@dataclass(frozen=True)
class WindowsEvent:
    """What the witness tells of one key or button.

    Attributes:
        kind: "key" or "press".
        detail: which key or button.
        x: where; keys are nowhere.
        y: where.
        time_ms: when, by Windows' clock.
        is_injected: whether a program sent it.
        window: the whole window that showed there, by its number.
        corner: where its frame was then: (left, top).
    """

    kind: str
    detail: int
    x: int
    y: int
    time_ms: int
    is_injected: bool
    window: int | None = None
    corner: tuple[int, int] | None = None


class WindowsDesktop:
    """One wine prefix on one display.

    Args:
        windows: CPython for Windows.
        wine: the prefix.
    """

    def __init__(self, windows, wine):
        self._windows = windows
        self.wine = wine

    @contextmanager
    def running(self, *arguments, **variables):
        """Run Python for Windows with some arguments while the block runs; it is ended if it is still there."""
        process = subprocess.Popen(
            self._windows.command("python", *arguments),
            env=self._windows.environment(**self.wine.where, **variables),
            cwd=setup_env.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="cp1252",  # what Python writes into a pipe there
            errors="replace",
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()

    @contextmanager
    def bot(self, *arguments):
        """Run the bot."""
        with self.running("-m", "bot", *arguments) as process:
            bot = BotProcess(process)
            try:
                yield bot
            finally:
                process.kill()
                bot._thread.join()

    @contextmanager
    def watch(self):
        """Have every key and button watched from within Windows."""
        with self.running(str(WATCH)) as process:
            watch = WindowsWatch(process)
            try:
                yield watch
            finally:
                process.kill()
                watch.join()


class WindowsWatch:
    """What `windows_watch` tells; the list of events grows while it runs."""

    def __init__(self, process):
        self.events: list[WindowsEvent] = []
        self._process = process
        self._is_ready = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        assert self._is_ready.wait(60), "the witness did not get its hooks within 60 s"

    def join(self):
        """Wait until all that was told has been heard."""
        self._thread.join()

    def of(self, kind):
        """The events of one kind so far."""
        return [event for event in self.events if event.kind == kind]

    def keys(self, code):
        """The presses of one key so far."""
        return [event for event in self.of("key") if event.detail == code]

    def _listen(self):
        for line in self._process.stdout:
            told = json.loads(line)
            if told["kind"] == "ready":
                self._is_ready.set()
            else:
                self.events.append(WindowsEvent(**told))
