"""Worker processes that end with the process they work for, however that ends.

joblib's workers wait for more to do for five minutes where nobody told them to end, as when their parent was killed.
A connection tells on every system: the parent's end of it is closed with the parent.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Client, Connection, Listener


@cache
def lifeline() -> str:
    """The address that workers of this process are to `hold`."""
    listener = Listener()
    threading.Thread(target=_accept, args=[listener], daemon=True).start()
    return str(listener.address)


def hold(address: str) -> None:
    """Have this process end when the one with this lifeline does; once is enough.

    Raises:
        OSError: it has ended already.
    """
    threading.Thread(target=_end_with, args=[Client(address)], daemon=True).start()


def _accept(listener: Listener) -> None:
    """Take in whoever holds on, and never let go."""
    held = []
    while True:
        held.append(listener.accept())


def _end_with(connection: Connection) -> None:
    with suppress(EOFError, OSError):
        connection.recv_bytes()
    os._exit(1)  # not by an exception: the main thread may be in the middle of a game, or wait for more to do
