"""Whether two skins say the same, pixel for pixel: `Skin` itself compares by identity."""

from __future__ import annotations

from dataclasses import fields

from skins import Look, Skin
from skins.skin import Counter, Sizes


def as_values(thing):
    """Skins, counters and looks as values that `==` compares by what they hold."""
    if isinstance(thing, Look):
        return thing.state, thing.pixels_bgr.shape, thing.pixels_bgr.tobytes()
    if isinstance(thing, tuple):
        return tuple(as_values(part) for part in thing)
    if isinstance(thing, (Counter, Sizes, Skin)):
        return {field.name: as_values(getattr(thing, field.name)) for field in fields(thing)}
    return dict(thing) if isinstance(thing, dict) else thing
