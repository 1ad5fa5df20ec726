"""What the hot keys make of the presses that a platform hears: repeats, modifiers, the end of hearing.

A platform knows its keys by numbers and tells in order of every press and release of the keys that matter, but for the
bot's own: each press says itself by whom it was made. Time is that of the press, not that at which it is heard.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.desktop.keys import MODIFIERS, Combination, label_key, parse_combination
from bot.desktop.protocols import HotKeys
from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

_REPEAT_S = 3.0
"""Longest time until a held key repeats, in seconds; systems offer up to 2. A press later than that is a new one: the
release was not heard, as where the screen was locked meanwhile."""
_TURN_S = 0.0005
"""Time until a listener's thread has its turn while the player's computes, in seconds; Python's 5 ms add up."""


@dataclass(slots=True)
class _Down:
    """A key that is down: its name, when it was pressed last, and whether that was for the bot only."""

    name: str
    at_s: float
    is_kept: bool


class PressedKeys:
    """Does what each hot key is for when a person presses it; a held key repeats itself, and acts once.

    Of the hot keys with the key that is pressed, the one with the most modifiers acts whose modifiers are all held.
    What it does only sets flags: Windows drops a hook that takes its time.

    Attributes:
        combinations: what is heard.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._keys: dict[Combination, HotKey] = {}
        for key in keys:
            combination = parse_combination(key.name)
            if combination in self._keys:
                raise UsageError(f"expected different hot keys, got {key.name!r} twice: name another by an option")
            self._keys[combination] = key
        self.combinations = tuple(self._keys)
        self._owner = owner
        self._down: dict[int, _Down] = {}
        self._usual_turn_s = sys.getswitchinterval()

    @property
    def names(self) -> list[str]:
        """The keys that matter: the hot keys first, then the modifiers."""
        keys = dict.fromkeys(combination.key for combination in self.combinations)
        return [*keys, *(name for name in MODIFIERS if name not in keys)]

    def press(self, name: str, number: int, at_s: float) -> bool:
        """A key went down, or is held and repeats itself; whether it is for the bot only, and typed nowhere.

        Args:
            name: one of `names`.
            number: the system's, of the very key.
            at_s: when, in seconds of any one clock.
        """
        before = self._down.get(number)
        is_repeat = before is not None and at_s - before.at_s < _REPEAT_S
        meant = self._meant_by(name)
        self._down[number] = _Down(name, at_s, meant is not None and not meant.is_typed)
        if meant is not None:
            key = self._keys[meant]
            if key.acts_on_repeat or not is_repeat:
                key.act()
        return self._down[number].is_kept

    def hold(self, name: str, number: int) -> None:
        """Know that a key was down before anything was heard."""
        self._down[number] = _Down(name, -math.inf, is_kept=False)

    def release(self, number: int) -> bool:
        """A key went up; whether its press was for the bot only."""
        before = self._down.pop(number, None)
        return before is not None and before.is_kept

    def begin(self) -> None:
        """Let whoever listens have its turn soon."""
        sys.setswitchinterval(_TURN_S)

    def end(self) -> None:
        """Undo `begin`."""
        sys.setswitchinterval(self._usual_turn_s)

    def fail(self) -> None:
        """Stop play, as nothing is heard any more: from then on nobody could."""
        names = " and ".join(label_key(key.name) for key in self._keys.values())
        self._owner.fail(
            f"the keyboard cannot be listened to any more: {names} would not be heard, so play has stopped; start it "
            "again"
        )

    def _meant_by(self, name: str) -> Combination | None:
        held = {down.name for down in self._down.values()}
        fitting = [one for one in self.combinations if one.key == name and one.modifiers <= held]
        return max(fitting, key=lambda one: len(one.modifiers), default=None)


class UnheardKeys(HotKeys):
    """The hot keys of a desktop that tells no program of keys: a person binds commands to keys there instead.

    Args:
        keys: the keys, and what each does.
        owner: whom they would steer.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    not_heard = (
        "no key is heard here: in the desktop's own settings bind a key to 'minebot toggle' (starts, pauses), and "
        "another to 'minebot stop'"
    )

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._pressed = PressedKeys(keys, owner)

    def start(self) -> None:
        """Let whoever hears those commands have its turn soon."""
        self._pressed.begin()

    def stop(self) -> None:
        """Undo `start`."""
        self._pressed.end()
