"""Hot keys on sway: keys that its socket binds, and tells of."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from Xlib.XK import string_to_keysym

from bot.desktop.hotkeys import PressedKeys
from bot.desktop.keys import KEYS
from bot.desktop.protocols import HotKeys
from bot.desktop.wlroots.sway import ANSWER_S, CONFIG, SUBSCRIBE, Channel, run
from bot.errors import ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

_MODIFIERS = {"shift": "Shift", "ctrl": "Ctrl", "alt": "Mod1", "cmd": "Mod4"}
_MARK = "nop minebot"  # the command of a key that is bound here: it does nothing
_HELD_S = 10.0  # the longest time that a person holds a hot key, in seconds


class SwayHotKeys(HotKeys):
    """Hot keys that sway binds while this listens: no window gets them. One process of a session listens at a time.

    sway 1.7 crashes when a key goes up whose binding was taken away while it was down, or repeats. So what is bound to
    releases stays bound, which takes no key from any window; what is bound to presses is taken away when all keys are
    up. A process that is ended by force leaves presses bound to nothing, until sway reads its configuration again.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._pressed = PressedKeys(keys, owner)
        self._stack = ExitStack()
        self._thread = threading.Thread(target=self._hear_events, name="hears the hot keys", daemon=True)
        self._down: set[int] = set()
        self._changed = threading.Condition()

    def start(self) -> None:
        """Bind the keys, and begin to listen.

        Raises:
            ScreenError: sway cannot be reached, or another minebot listens: each would take the other's keys away.
            UsageError: sway's configuration has a use for one of the keys.
        """
        with ExitStack() as stack:
            stack.enter_context(_only_listener())
            self._commands = stack.enter_context(closing(Channel()))
            self._events = stack.enter_context(closing(Channel()))
            self._waker, self._woken = map(stack.enter_context, socket.socketpair())
            bound = _bound_in(self._commands.ask(CONFIG)["config"])
            for one in self._pressed.combinations:
                if any((keysym, one.modifiers) in bound for keysym in _keysyms_of(one.key)):
                    raise UsageError(f"sway's configuration binds the key {one.key!r}: name another by an option")
            self._events.ask(SUBSCRIBE, '["binding", "workspace"]')
            for number in range(len(self._pressed.combinations)):
                self._bind(number, "--release ", "released")
                stack.callback(self._unbind, number)
                self._bind(number)
            self._stack = stack.pop_all()
        self._pressed.begin()
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, and unbind the keys; returns when they are up."""
        self._wait_until_up()
        self._waker.close()
        if self._thread.is_alive():
            self._thread.join(ANSWER_S)
        with suppress(ScreenError):  # sway is gone, and its bindings with it
            self._stack.close()
        self._pressed.end()

    @contextmanager
    def let_through(self, key: str) -> Iterator[None]:
        """While the block runs a window gets this key, and it is no hot key."""
        ours = [number for number, one in enumerate(self._pressed.combinations) if one.key == key]
        if ours:
            self._wait_until_up()
        for number in ours:
            self._unbind(number)
        try:
            yield
        finally:
            for number in ours:
                self._bind(number)

    def _bind(self, number: int, option: str = "", state: str = "pressed") -> None:
        for combination in self._names_of(number):
            run(self._commands, f"bindsym {option}{combination} {_MARK} {number} {state}")

    def _unbind(self, number: int) -> None:
        for combination in self._names_of(number):
            run(self._commands, f"unbindsym {combination}")

    def _names_of(self, number: int) -> Iterator[str]:
        """What sway calls the keys that a hot key may be."""
        one = self._pressed.combinations[number]
        for keysym in _keysyms_of(one.key):
            yield "+".join([*(_MODIFIERS[name] for name in sorted(one.modifiers)), f"{keysym:#x}"])

    def _wait_until_up(self) -> None:
        """Wait until no hot key is down.

        Raises:
            ScreenError: a key stays down.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: not self._down, _HELD_S):
                raise ScreenError(
                    "a hot key is held down, and stays bound in sway\nrelease it; swaymsg reload frees it"
                )

    def _hear_events(self) -> None:
        try:
            while self._woken.fileno() not in select.select([self._events.fileno(), self._woken.fileno()], [], [])[0]:
                self._hear(self._events.receive())
        except Exception:  # noqa: BLE001 - whatever it was: from here on nothing is heard
            self._pressed.fail()
        finally:
            with self._changed:
                self._down.clear()
                self._changed.notify_all()

    def _hear(self, event: dict[str, Any]) -> None:
        if event["change"] == "reload":  # the configuration was read again, and nothing else is bound any more
            raise ScreenError("sway read its configuration again: the hot keys are bound no more")
        command = event.get("binding", {}).get("command", "")
        if not command.startswith(_MARK):
            return
        number, is_press = int(command.split()[-2]), command.endswith(" pressed")
        with self._changed:
            (self._down.add if is_press else self._down.discard)(number)
            self._changed.notify_all()
        if not is_press:
            self._pressed.release(number)
            return
        one = self._pressed.combinations[number]
        for name in one.modifiers:
            self._pressed.hold(name, hash(name))
        self._pressed.press(one.key, number, time.monotonic())
        for name in one.modifiers:
            self._pressed.release(hash(name))


@contextmanager
def _only_listener() -> Iterator[None]:
    """Hold the session's one place of who listens, until the block or the process ends.

    Raises:
        ScreenError: another process holds it.
    """
    with Path(os.environ["XDG_RUNTIME_DIR"], "minebot-hot-keys").open("w") as place:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ScreenError(
                "another minebot listens for its keys in this session\nend it, and start again"
            ) from error
        yield


def _keysyms_of(key: str) -> tuple[int, ...]:
    return KEYS[key].keysyms if key in KEYS else (ord(key),)


def _bound_in(configuration: str) -> set[tuple[int, frozenset[str]]]:
    """The keys that a configuration binds by their names, each with its modifiers."""
    names = {theirs: ours for ours, theirs in _MODIFIERS.items()}
    found = set()
    for line in configuration.splitlines():
        command, *words = line.split() or [""]
        combination = next((word for word in words if not word.startswith("--")), "")
        if command == "bindsym" and combination:
            *modifiers, key = combination.split("+")
            found.add((string_to_keysym(key), frozenset(names.get(name.capitalize(), name) for name in modifiers)))
    return found
