"""Keys of X11 by their codes, as the server's extension RECORD has them. Imported on every system: without Xlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEYS_OF_MODIFIERS = {
    "Shift": (0xFFE1, 0xFFE2),
    "Ctrl": (0xFFE3, 0xFFE4),
    "Alt": (0xFFE9, 0xFFEA, 0xFFE7, 0xFFE8),  # and Meta
    "Super": (0xFFEB, 0xFFEC, 0xFFED, 0xFFEE),  # and Hyper
}
"""The keys that make another click of a click; those that lock, and those that choose among characters, do not."""
_EVENT_BYTES = 32
_PRESS, _RELEASE = 2, 3
_SENT_BY_A_PROGRAM = 0x80


def x11_key_codes(*keysyms: int) -> list[frozenset[int]]:
    """Of each keysym the codes of the keys that carry it without a modifier; none where no key does."""
    from Xlib.display import Display  # noqa: PLC0415 - Linux only

    display: Any = Display()
    try:
        return [
            frozenset(code for code, modifiers in display.keysym_to_keycodes(keysym) if modifiers == 0)
            for keysym in keysyms
        ]
    finally:
        display.close()


def modifier_bits(display: Any) -> dict[str, tuple[int, ...]]:
    """Of each key that makes another click of a click, such as "Shift", the bits that the server tells it by."""
    carriers = [set(codes) - {0} for codes in display.get_modifier_mapping()]
    return {
        name: tuple(
            1 << bit
            for bit, codes in enumerate(carriers)
            if any(code in codes for keysym in keysyms for code, _ in display.keysym_to_keycodes(keysym))
        )
        for name, keysyms in _KEYS_OF_MODIFIERS.items()
    }


def key_events(data: bytes) -> Iterator[tuple[bool, int]]:
    """The (is a press, code) of each key in what RECORD tells: events as the X11 protocol lays them out."""
    for at in range(0, len(data) - _EVENT_BYTES + 1, _EVENT_BYTES):
        kind = data[at] & ~_SENT_BY_A_PROGRAM
        if kind in {_PRESS, _RELEASE}:
            yield kind == _PRESS, data[at + 1]
