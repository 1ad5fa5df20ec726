"""The names of keys: what a person types for a hot key, the same on every system.

A key is a sign that is typed without a modifier, such as "a" or "ß", or one of the names below. A combination is a key
behind modifiers, such as "ctrl+f10". X11 calls keys by keysyms [1], Windows by virtual-key codes [2], macOS by codes of
the keyboard [3].

[1] X.Org, keysymdef.h. [2] Microsoft, Virtual-Key Codes. [3] Apple, HIToolbox/Events.h.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import UsageError

MODIFIERS = ("ctrl", "shift", "alt", "cmd")
"""The keys that a combination may hold; either of the two on a keyboard counts."""
_EXTENDED = 0x100  # the mark of the extended one of two keys with one virtual-key code
_HAVE_TWINS = (0x0D, *range(0x21, 0x29), 0x2D, 0x2E)
"""The virtual keys that both the number pad, without Num Lock, and the rest of the keyboard have."""


@dataclass(frozen=True, slots=True)
class KeyNumbers:
    """A key as systems number it.

    Attributes:
        keysyms: what X11 calls it.
        windows: what `windows_number` gives for it; a key of the number pad has two, with and without Num Lock.
        mac: its code on macOS, where nothing else names it; else None.
    """

    keysyms: tuple[int, ...]
    windows: tuple[int, ...]
    mac: int | None = None


KEYS: dict[str, KeyNumbers] = {
    "esc": KeyNumbers((0xFF1B,), (0x1B,)),
    "enter": KeyNumbers((0xFF0D,), (0x0D,)),
    "tab": KeyNumbers((0xFF09,), (0x09,)),
    "space": KeyNumbers((0x20,), (0x20,)),
    "backspace": KeyNumbers((0xFF08,), (0x08,)),
    "insert": KeyNumbers((0xFF63,), (_EXTENDED | 0x2D,)),
    "delete": KeyNumbers((0xFFFF,), (_EXTENDED | 0x2E,)),
    "home": KeyNumbers((0xFF50,), (_EXTENDED | 0x24,)),
    "end": KeyNumbers((0xFF57,), (_EXTENDED | 0x23,)),
    "page_up": KeyNumbers((0xFF55,), (_EXTENDED | 0x21,)),
    "page_down": KeyNumbers((0xFF56,), (_EXTENDED | 0x22,)),
    "left": KeyNumbers((0xFF51,), (_EXTENDED | 0x25,)),
    "up": KeyNumbers((0xFF52,), (_EXTENDED | 0x26,)),
    "right": KeyNumbers((0xFF53,), (_EXTENDED | 0x27,)),
    "down": KeyNumbers((0xFF54,), (_EXTENDED | 0x28,)),
    "pause": KeyNumbers((0xFF13,), (0x13,)),
    "print_screen": KeyNumbers((0xFF61,), (0x2C,)),
    "menu": KeyNumbers((0xFF67,), (0x5D,)),
    "caps_lock": KeyNumbers((0xFFE5,), (0x14,)),
    "num_lock": KeyNumbers((0xFF7F,), (0x90,)),
    "scroll_lock": KeyNumbers((0xFF14,), (0x91,)),
    "shift": KeyNumbers((0xFFE1, 0xFFE2), (0x10, 0xA0, 0xA1)),
    "shift_l": KeyNumbers((0xFFE1,), (0xA0,)),
    "shift_r": KeyNumbers((0xFFE2,), (0xA1,)),
    "ctrl": KeyNumbers((0xFFE3, 0xFFE4), (0x11, 0xA2, 0xA3)),
    "ctrl_l": KeyNumbers((0xFFE3,), (0xA2,)),
    "ctrl_r": KeyNumbers((0xFFE4,), (0xA3,)),
    "alt": KeyNumbers((0xFFE9, 0xFFEA, 0xFFE7, 0xFFE8), (0x12, 0xA4, 0xA5)),  # and Meta
    "alt_l": KeyNumbers((0xFFE9,), (0xA4,)),
    "alt_r": KeyNumbers((0xFFEA,), (0xA5,)),
    "alt_gr": KeyNumbers((0xFE03,), (0xA5,)),
    "cmd": KeyNumbers((0xFFEB, 0xFFEC, 0xFFED, 0xFFEE), (0x5B, 0x5C)),  # and Hyper
    "cmd_l": KeyNumbers((0xFFEB,), (0x5B,)),
    "cmd_r": KeyNumbers((0xFFEC,), (0x5C,)),
    "media_play_pause": KeyNumbers((0x1008FF14,), (0xB3,)),
    "media_next": KeyNumbers((0x1008FF17,), (0xB0,)),
    "media_previous": KeyNumbers((0x1008FF16,), (0xB1,)),
    "media_volume_mute": KeyNumbers((0x1008FF12,), (0xAD,)),
    "media_volume_down": KeyNumbers((0x1008FF11,), (0xAE,)),
    "media_volume_up": KeyNumbers((0x1008FF13,), (0xAF,)),
    **{f"f{n}": KeyNumbers((0xFFBD + n,), (0x6F + n,)) for n in range(1, 25)},
    "num_0": KeyNumbers((0xFFB0,), (0x60, 0x2D), 0x52),
    "num_1": KeyNumbers((0xFFB1,), (0x61, 0x23), 0x53),
    "num_2": KeyNumbers((0xFFB2,), (0x62, 0x28), 0x54),
    "num_3": KeyNumbers((0xFFB3,), (0x63, 0x22), 0x55),
    "num_4": KeyNumbers((0xFFB4,), (0x64, 0x25), 0x56),
    "num_5": KeyNumbers((0xFFB5,), (0x65, 0x0C), 0x57),
    "num_6": KeyNumbers((0xFFB6,), (0x66, 0x27), 0x58),
    "num_7": KeyNumbers((0xFFB7,), (0x67, 0x24), 0x59),
    "num_8": KeyNumbers((0xFFB8,), (0x68, 0x26), 0x5B),
    "num_9": KeyNumbers((0xFFB9,), (0x69, 0x21), 0x5C),
    "num_decimal": KeyNumbers((0xFFAE, 0xFFAC), (0x6E, 0x2E), 0x41),  # a comma on some keyboards
    "num_multiply": KeyNumbers((0xFFAA,), (0x6A,), 0x43),
    "num_add": KeyNumbers((0xFFAB,), (0x6B,), 0x45),
    "num_subtract": KeyNumbers((0xFFAD,), (0x6D,), 0x4E),
    "num_divide": KeyNumbers((0xFFAF,), (0x6F,), 0x4B),
    "num_enter": KeyNumbers((0xFF8D,), (_EXTENDED | 0x0D,), 0x4C),
}


_LATIN_1, _UNICODE = 0x100, 0x01000000


def keysyms_of(name: str) -> tuple[int, ...]:
    """What X11 calls a key; signs of Latin-1 are their own numbers, and others follow 0x01000000."""
    if name in KEYS:
        return KEYS[name].keysyms
    number = ord(name)
    return (number if number < _LATIN_1 else _UNICODE | number,)


@dataclass(frozen=True, slots=True)
class Combination:
    """A key, and the modifiers that it is pressed with.

    Attributes:
        key: a sign, or a name in `KEYS`.
        modifiers: those that must be held; others may be.
    """

    key: str
    modifiers: frozenset[str] = frozenset()

    @property
    def is_typed(self) -> bool:
        """Whether pressing it types a letter or sign."""
        return len(self.key) == 1 and self.modifiers <= {"shift"}


def parse_combination(name: str) -> Combination:
    """Read the name of a key or of a combination, in small or capital letters.

    Raises:
        UsageError: there is no such key.
    """
    parts = name.lower().split("+")
    if parts[-2:] == ["", ""]:  # "+" itself, alone or as in "ctrl++"
        parts[-2:] = ["+"]
    *modifiers, key = parts
    if (len(key) == 1 or key in KEYS) and all(modifier in MODIFIERS for modifier in modifiers):
        return Combination(key, frozenset(modifiers))
    raise UsageError(f"expected the name of a key such as f10, esc, a, num_5 or ctrl+f10, got {name!r}")


_NAMES_TO_PRESS = {"escape": "esc", "return": "enter", "shiftleft": "shift_l"}
"""The names that skins and pyautogui have for keys, and ours."""


def combination_to_press(name: str) -> Combination:
    """Read the name that a skin has for a key or a combination.

    Raises:
        UsageError: there is no such key.
    """
    return parse_combination("+".join(_NAMES_TO_PRESS.get(part, part) for part in name.split("+")))


def windows_number(virtual_key: int, *, is_extended: bool) -> int:
    """A key of Windows as one number, told apart from its twin on the number pad.

    Args:
        virtual_key: its virtual-key code.
        is_extended: whether it comes with the flag of extended keys, which of two Enters the number pad's has, and of
            all other twins the one elsewhere.
    """
    return virtual_key | _EXTENDED * (is_extended and virtual_key in _HAVE_TWINS)


def label_key(name: str) -> str:
    """A key as messages name it, such as "F10" or "Ctrl+F10"."""
    return "+".join(part.capitalize() for part in name.split("+"))
