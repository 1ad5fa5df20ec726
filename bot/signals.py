"""The signals that end a process of ours: Ctrl-C, a polite end (SIGTERM), and a terminal that was closed (SIGHUP).

They raise KeyboardInterrupt; play and learning are told of them first (`calling`), as of their abort key. What C code
drops is raised again, until somebody deals with it (`note_stop`).

Imports nothing that takes time, so that Ctrl-C is heard from the first moment on.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

STOPPED = 130  # the exit code of a process that a signal, or the abort key, has ended
REASONS: dict[int, str] = {signal.SIGINT: "stopped by Ctrl-C", signal.SIGTERM: "stopped from outside"}
"""The signals that stop us, and what we say then."""
if hasattr(signal, "SIGHUP"):
    REASONS[signal.SIGHUP] = "stopped, as the terminal was closed"

_received: int | None = None
"""The signal that stopped this process: what C code makes of the exception that it raised is often another one."""
_waiting: list[int] | None = None
"""The signals that came in a block that holds them back; None outside of one."""
_is_dealt_with = False
"""Whether what the signal raised has come to where it is dealt with."""
_INSISTS_S = 1.0  # how long after a signal it is raised once more, where nothing of it is to be seen


def hear() -> None:
    """Have Ctrl-C and a polite end raise KeyboardInterrupt; not where a shell had them ignored, as of `nohup`."""
    atexit.register(_hear_no_more)
    for number in REASONS:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _stop)


def note_end() -> None:
    """Tell that everything is done and written: a signal ends the process now, without a word."""
    note_stop()
    for number in REASONS:
        if signal.getsignal(number) is _stop:
            signal.signal(number, _leave)


def why_stopped(error: BaseException) -> str | None:
    """What to say of an error that a signal raised; None where it did not."""
    if isinstance(error, KeyboardInterrupt) or _received is not None:
        return REASONS[_received or signal.SIGINT]
    return None


@contextmanager
def calling(stop: Callable[[str], None]) -> Iterator[None]:
    """Have the first signal of each kind call `stop` with its reason, while the block runs; a second one ends as usual.

    Ctrl-Break is one of them, which only Windows has: it also stands for a console that is closed.
    """
    reasons = dict(REASONS)
    if hasattr(signal, "SIGBREAK"):
        reasons[signal.SIGBREAK] = "stopped by Ctrl-Break"
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        del reasons[signal.SIGHUP]  # nohup: the terminal may be closed
    before = {number: signal.getsignal(number) for number in reasons}

    def call(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, before[number])
        stop(reasons[number])

    for number in before:
        signal.signal(number, call)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _frame: FrameType | None) -> None:
    global _received
    is_first, _received = _received is None, number
    if is_first:
        with suppress(RuntimeError):  # no thread is to be had
            _thread.start_new_thread(_insist, ())  # `threading` takes locks, which whoever is interrupted may hold
    if _waiting is None:
        raise KeyboardInterrupt
    _waiting.append(number)


@contextmanager
def held_back() -> Iterator[None]:
    """Raise what a signal raises only at the end of the block: what it starts is known then to who has to end it.

    Raises:
        KeyboardInterrupt: at the end, a signal came.
    """
    global _waiting  # noqa: PLW0603 - of this process
    came: list[int] = []
    _waiting = came
    try:
        yield
    finally:
        _waiting = None
        if came:
            raise KeyboardInterrupt


def note_stop() -> None:
    """Tell that the KeyboardInterrupt of a signal was caught on purpose; else it is raised once more."""
    global _is_dealt_with  # noqa: PLW0603 - of this process
    _is_dealt_with = True


def _insist() -> None:
    """Raise the signal again while nobody deals with it: C code may drop what Python raises in it, without a word."""
    while not _is_dealt_with:
        time.sleep(_INSISTS_S)
        found: Any = sys._current_exceptions().get(threading.main_thread().ident or 0)  # noqa: SLF001 - nothing else tells
        handled = found[1] if isinstance(found, tuple) else found  # up to Python 3.11 it is a tuple
        if not (_is_dealt_with or any(isinstance(error, KeyboardInterrupt) for error in iter_chain(handled))):
            _raise_in_main_thread()


def _hear_no_more() -> None:
    """Let no signal change the exit code any more: Python lets go of handlers a while before it ends."""
    for number in REASONS:
        if signal.getsignal(number) in {_stop, _leave}:
            signal.signal(number, signal.SIG_IGN)


def _leave(_number: int, _frame: FrameType | None) -> None:
    """Everything is done and written: only Python's own end is left, which would print a traceback."""
    os._exit(STOPPED)


def is_stopping(error: BaseException) -> bool:
    """Whether a signal came, or this is what the abort key raises: it is raised once more where computing ends."""
    return _received is not None or getattr(error, "exit_code", None) == STOPPED


def stop_again() -> None:
    """Have another thread raise the signal once more: raised in here, where nothing can be, it would be lost.

    Where this thread is slow to go on, it is raised in here all the same: then one more thread has to do it.
    """
    while True:
        try:
            threading.Thread(target=_raise_again, daemon=True).start()
            return  # noqa: TRY300 - outside of the block nothing is caught
        except KeyboardInterrupt:
            continue


def _raise_again() -> None:
    """Have what stopped us raised in the main thread once more, which is elsewhere by then."""
    time.sleep(0.01)
    _raise_in_main_thread()


def _raise_in_main_thread() -> None:
    number = _received or signal.SIGINT
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)  # this wakes it as well, where it waits
    else:
        _thread.interrupt_main(signal.Signals(number))


def iter_chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, the one that caused it or was dealt with when it came, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
