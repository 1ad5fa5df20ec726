"""Orders from outside: `minebot toggle` and `minebot stop` reach every bot of this person that runs.

They are for desktops that tell no program of keys: there a person binds the commands in the desktop's own settings.

A bot listens at a port that this machine alone can reach (UDP, 127.0.0.1): that is the same on every system. Other
persons on the machine can send there, too. So it obeys only who knows its secret, which stands in a file that nobody
else may read. The file's name is the bot's process and its port. Of a bot that was killed the file is left: the port
refuses then, and who gives the next order removes it.

A person waits for the end that gives orders: it imports next to nothing.
"""

from __future__ import annotations

import _socket  # `socket` takes 8 ms
import errno
import os
import time

TYPE_CHECKING = False  # `typing` takes 13 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from bot.playing.control import Control

TOGGLE, STOP = "toggle", "stop"
_SAID = {"running": "goes on", "paused": "is paused", "stopped": "stops"}
"""What a bot is said to do by the word that it answers, the state of its `Control`."""
_HERE = "127.0.0.1"
_ANSWER_S = 1.0  # longest time until a bot answers, in seconds; it takes a millisecond
_MOST_BYTES = 65536  # of any datagram: Windows takes a longer one than was asked for as an error


def give(order: str, process: int | None = None) -> dict[int, str]:
    """Give an order to every bot that runs; the state of each that took it, by the number of its process.

    Args:
        order: `TOGGLE` or `STOP`.
        process: the number of the only one that it is for; None for all.

    Raises:
        BotError: none took it.
        OSError: the folder of their files cannot be read, or others can write there.
    """
    try:
        folder = _safe(_folder())
        paths = [f"{folder}/{name}" for name in os.listdir(folder) if process in (None, *_numbers(name)[:1])]
    except FileNotFoundError:  # none ever ran
        paths = []
    asked = [(path, channel) for path in sorted(paths) if (channel := _send(path, order)) is not None]
    deadline_s = time.monotonic() + _ANSWER_S
    taken, n_silent = {}, 0
    for path, channel in asked:
        channel.settimeout(max(deadline_s - time.monotonic(), 0.001))
        try:
            taken[_numbers(path)[0]] = channel.recv(_MOST_BYTES).decode()
        except ConnectionError:  # nobody has the port: it was killed
            _remove(path)
        except TimeoutError:
            n_silent += not _remove_of_ended(path)
        channel.close()
    if not taken:
        from bot.errors import BotError

        if n_silent:
            raise BotError("the minebot that is playing does not answer: end it, and start another one")
        raise BotError("no minebot is playing: start one with 'minebot play'")
    return taken


def hears(process: int) -> bool:
    """Whether the bot of this process takes orders by now; it hears its keys then."""
    try:
        return any(_numbers(name)[:1] == [process] for name in os.listdir(_folder()))
    except OSError:
        return False


def lines(taken: Mapping[int, str]) -> list[str]:
    """What to say of the bots that took an order."""
    whose = {number: f"minebot {number}" if len(taken) > 1 else "minebot" for number in taken}
    return [f"{whose[number]} {_SAID.get(state, state)}" for number, state in taken.items()]


def as_json(taken: Mapping[int, str]) -> dict[str, Any]:
    """The same for scripts."""
    return {"bots": [{"process": number, "state": state} for number, state in taken.items()]}


def give_at_once(order: str) -> int:
    """Give an order and say what came of it, as the command does without options; return the exit code."""
    print("\n".join(lines(give(order))), flush=True)  # noqa: T201 - what all commands print by takes time to import
    return 0


class OrderListener:
    """Listens for orders in its own thread, and makes the bot obey them. `stop` ends it.

    Args:
        control: what the orders steer, as the hot keys do.

    Raises:
        OSError: it cannot be done; says why.
    """

    def __init__(self, control: Control) -> None:
        import secrets
        import threading

        self._control = control
        self._acts: dict[bytes, Callable[[], None]] = {
            TOGGLE.encode(): control.toggle,
            STOP.encode(): lambda: control.abort("stopped by 'minebot stop'"),
        }
        self._secret = secrets.token_hex().encode()
        self._is_same = secrets.compare_digest
        self._is_over = False
        self._channel = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        try:
            self._channel.bind((_HERE, 0))
            self._path = _publish(self._channel.getsockname()[1], self._secret)
            self._held = open(self._path, "rb")  # noqa: SIM115 - until `stop`: see `_remove_of_ended`
        except OSError:
            self._channel.close()
            raise
        threading.Thread(target=self._listen, name="hears orders", daemon=True).start()

    def stop(self) -> None:
        """Stop listening, and take the file away."""
        self._is_over = True
        self._held.close()
        _remove(self._path)
        try:
            self._channel.sendto(b"", self._channel.getsockname())  # it wakes the thread: closing does not, on Linux
        except OSError:
            return  # the thread ends with the process

    def _listen(self) -> None:
        while True:
            try:
                message, sender = self._channel.recvfrom(_MOST_BYTES)
                if self._is_over:
                    self._channel.close()
                    return
                if self._obey(message):
                    self._channel.sendto(self._control.state.encode(), sender)
            except ConnectionError:  # on Windows: whoever asked last did not wait for the answer
                continue

    def _obey(self, message: bytes) -> bool:
        """Do what is said by who knows the secret, and nothing else; whether that was an order."""
        secret, _, order = message.partition(b" ")
        if not self._is_same(secret, self._secret) or order not in self._acts:
            return False
        self._acts[order]()
        return True


def _folder() -> str:
    """Where bots that run have their files: no home, which several machines may share."""
    if os.name == "nt":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "minebot", "running")
    user = os.getuid()
    for folder in (os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{user}"):
        if folder and os.path.isdir(folder):
            return f"{folder}/minebot"
    import tempfile

    return f"{tempfile.gettempdir()}/minebot-{user}"  # others can write there: `_safe` makes sure whose it is


def _safe(folder: str) -> str:
    """A folder, where nobody else can put files into it.

    Raises:
        OSError: somebody else can, or it is not there.
    """
    state = os.lstat(folder)
    if os.name != "nt" and (state.st_uid != os.getuid() or state.st_mode & 0o022):
        raise PermissionError(errno.EPERM, "others can put files there: remove it", folder)
    return folder


def _publish(port: int, secret: bytes) -> str:
    """Write the file of a port, whole or not at all; returns its path.

    Raises:
        OSError: it cannot be written, or others can put files into its folder.
    """
    os.makedirs(_folder(), mode=0o700, exist_ok=True)
    path = f"{_safe(_folder())}/{os.getpid()}-{port}"
    half = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(half, secret)
    finally:
        os.close(half)
    os.replace(f"{path}.new", path)
    return path


def _send(path: str, order: str) -> _socket.socket | None:
    """Send an order to the bot of a file; returns where the answer comes, None for a file of none."""
    numbers = _numbers(path)
    if not numbers:
        return None
    channel = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        with open(path, "rb") as file:
            secret = file.read()
        channel.connect((_HERE, numbers[1]))
        channel.send(secret + b" " + order.encode())
    except (OSError, OverflowError):  # it ended right now; no port has such a number
        channel.close()
        return None
    return channel


def _numbers(path: str) -> list[int]:
    """The process and the port of a bot's file; empty for another one."""
    parts = os.path.basename(path).split("-")
    return [int(part) for part in parts] if len(parts) == 2 and all(part.isdecimal() for part in parts) else []


def _remove_of_ended(path: str) -> bool:
    """Remove a file if its process is known to have ended: another program has its port. Whether it was removed."""
    if os.name != "nt":
        try:
            os.kill(_numbers(path)[0], 0)
        except OSError:  # it has ended, or the number is that of another person's process by now
            _remove(path)
    else:
        _remove(path)  # Windows removes no file that somebody holds open
    return not os.path.exists(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # somebody else did
