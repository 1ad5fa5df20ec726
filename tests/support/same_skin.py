"""Whether two skins say the same, pixel for pixel: `Skin` itself compares by identity."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from skins import Skin, Sprite
from skins.skin import Counter, Ink, Signs, Sizes, Tints


def as_values(thing):
    """Skins, counters and looks as values that `==` compares by what they hold."""
    if isinstance(thing, Sprite):
        return thing.state, thing.pixels_bgr.shape, thing.pixels_bgr.tobytes()
    if isinstance(thing, tuple):
        return tuple(as_values(part) for part in thing)
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.tobytes()
    if isinstance(thing, (Counter, Ink, Signs, Sizes, Skin, Tints)):
        return {field.name: as_values(getattr(thing, field.name)) for field in fields(thing)}
    return dict(thing) if isinstance(thing, dict) else thing
