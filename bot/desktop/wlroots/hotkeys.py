"""Hot keys on sway: keys that its socket binds, and tells of."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import chain
from itertools import combinations as sets_of
from pathlib import Path
from typing import TYPE_CHECKING, Any

from Xlib.XK import string_to_keysym

from bot.desktop.hotkeys import PressedKeys
from bot.desktop.keys import keysyms_of
from bot.desktop.protocols import HotKeys
from bot.desktop.wlroots.sway import ANSWER_S, CONFIG, INPUTS, SOCKET_VARIABLE, SUBSCRIBE, Channel, run
from bot.errors import ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

_MODIFIERS = {"shift": "Shift", "ctrl": "Ctrl", "alt": "Mod1", "cmd": "Mod4"}
_SETS_OF_MODIFIERS = [
    frozenset(held) for held in chain.from_iterable(sets_of(_MODIFIERS, n) for n in range(len(_MODIFIERS) + 1))
]
_MODIFIER_NAMES = {
    **{theirs.lower(): ours for ours, theirs in _MODIFIERS.items()},
    "control": "ctrl",
    "alt": "alt",
    "super": "cmd",
    "logo": "cmd",
}
"""The names that a configuration may have for them, in small letters."""
_REPEAT_DELAY_MS = 600  # what sway waits for before a held key repeats, where nothing else is set
_LATE_S = 0.2  # how late its word of a key may be, in seconds


class SwayHotKeys(HotKeys):
    """Hot keys that sway binds while this listens: no window gets them. One process of a session listens at a time.

    sway 1.7 crashes when a key goes up whose binding was taken away while it was down, or repeats. So what is bound to
    releases stays bound, which takes no key from any window; what is bound to presses is taken away when all keys are
    up. A process that is ended by force leaves presses bound to nothing, until sway reads its configuration again.

    sway tells of no release where another key went down before it. A held key repeats, so one that was not heard for
    longer than that takes is up.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._pressed = PressedKeys(keys, owner)
        self._mark = f"nop minebot {os.getpid()}"  # the command of a key that is bound here: it does nothing
        self._stack = ExitStack()
        self._thread = threading.Thread(target=self._hear_events, name="hears the hot keys", daemon=True)
        self._down: dict[int, float] = {}
        """When each hot key that is down was heard last."""
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
            self._bound = _bound_in(self._commands.ask(CONFIG)["config"])
            for one in self._pressed.combinations:
                if any((keysym, one.modifiers) in self._bound for keysym in keysyms_of(one.key)):
                    raise UsageError(f"sway's configuration binds the key {one.key!r}: name another by an option")
            delays_ms = [one.get("repeat_delay", _REPEAT_DELAY_MS) for one in self._commands.ask(INPUTS)]
            self._repeat_s = max(delays_ms, default=_REPEAT_DELAY_MS) / 1000 + _LATE_S
            self._events.ask(SUBSCRIBE, '["binding", "workspace", "mode"]')
            for key in {one.key for one in self._pressed.combinations}:
                self._bind(key, "--release ", "released")
                stack.callback(self._unbind, key)
                self._bind(key)
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
        if all(one.key != key for one in self._pressed.combinations):
            yield
            return
        self._wait_until_up()
        self._unbind(key)
        try:
            yield
        finally:
            self._bind(key)

    def _bind(self, key: str, option: str = "", state: str = "pressed") -> None:
        for name, number in self._ways_to_press(key):
            run(self._commands, f"bindsym {option}{name} {self._mark} {number} {state}")

    def _unbind(self, key: str) -> None:
        for name, _ in self._ways_to_press(key):
            run(self._commands, f"unbindsym {name}")

    def _ways_to_press(self, key: str) -> Iterator[tuple[str, int]]:
        """What sway calls a key with each set of modifiers held, and the number of the hot key that this means.

        A binding is for one set of modifiers and no other. What the configuration binds stays its own.
        """
        combinations = self._pressed.combinations
        for keysym in keysyms_of(key):
            for held in _SETS_OF_MODIFIERS:
                meant = [n for n, one in enumerate(combinations) if one.key == key and one.modifiers <= held]
                if meant and (keysym, held) not in self._bound:
                    name = "+".join([*(_MODIFIERS[modifier] for modifier in sorted(held)), f"{keysym:#x}"])
                    yield name, max(meant, key=lambda n: len(combinations[n].modifiers))

    def _wait_until_up(self) -> None:
        """Wait until no hot key is down."""
        with self._changed:
            while any(map(self._may_be_down, self._down.values())):
                self._changed.wait(self._repeat_s)

    def _may_be_down(self, heard_s: float) -> bool:
        """Whether a key may be down that was heard last at that time, and whose release was not."""
        return time.monotonic() - heard_s < self._repeat_s

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
        is_of_modes = "pango_markup" in event
        if event["change"] != "default" if is_of_modes else event["change"] == "reload":
            raise ScreenError("sway has other bindings now: the hot keys are not heard")
        command = event.get("binding", {}).get("command", "")
        if not command.startswith(f"{self._mark} "):
            return
        number, is_press = int(command.split()[-2]), command.endswith(" pressed")
        with self._changed:
            before_s = self._down.pop(number, None)
            if is_press:
                self._down[number] = time.monotonic()
            self._changed.notify_all()
        if not is_press or (before_s is not None and not self._may_be_down(before_s)):
            self._pressed.release(number)
        if is_press:
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
    try:
        with Path(os.environ[SOCKET_VARIABLE]).with_name("minebot-hot-keys").open("w") as place:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError as error:
        raise ScreenError("another minebot listens for its keys in this session\nend it, and start again") from error


def _bound_in(configuration: str) -> set[tuple[int, frozenset[str]]]:
    """The keys that a configuration binds by their names in its first mode, each with its modifiers."""
    found: set[tuple[int, frozenset[str]]] = set()
    variables: dict[str, str] = {}
    is_first_mode = True
    for line in configuration.splitlines():
        command, *words = line.split() or [""]
        if command == "set" and len(words) > 1:
            variables[words[0]] = words[1]
        is_first_mode = command == "}" or (is_first_mode and command != "mode")
        combination = next((word for word in words if not word.startswith("--")), "")
        if command == "bindsym" and combination and is_first_mode:
            *modifiers, key = (variables.get(part, part) for part in combination.split("+"))
            held = frozenset(_MODIFIER_NAMES.get(name.lower(), name) for name in modifiers)
            found.add((string_to_keysym(key), held))
    return found
