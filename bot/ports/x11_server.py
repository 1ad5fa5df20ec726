"""The X server grabbed for a moment: it serves no other program meanwhile."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def served_alone(display: Any) -> Iterator[None]:
    """While the block runs the server serves nobody but this connection, and Ctrl-Z waits."""
    with _never_suspended():
        display.grab_server()
        try:
            yield
        finally:
            display.ungrab_server()
            display.flush()


@contextmanager
def _never_suspended() -> Iterator[None]:
    """While the block runs Ctrl-Z waits: stopped while it has grabbed the server, it would stop every other program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = signal.signal(signal.SIGTSTP, lambda number, _frame: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
        if waiting:
            signal.raise_signal(signal.SIGTSTP)
