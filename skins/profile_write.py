"""Writes skin profiles to disk: the folder that `skins.profile_read` loads, as text a person can read and change.

The text is written line by line here: the format needs strings, numbers and lists of them, in a fixed order and with
short lines, which a general TOML writer does not give.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

from skins.errors import SkinError
from skins.pixels import fingerprint
from skins.profile_read import PROFILE
from skins.skin import Alike, Fields, Sizes, Sprite, Tiles, Tints

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from skins.skin import Drawing, Skin

    Value = str | bool | float | Sequence["Value"]


_SPRITES = "sprites.png"
_OWN_SPRITES = re.compile(r"sprites(-[0-9a-f]{8})?\.png")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_LINE_LENGTH = 100


def check_name(name: str) -> None:
    """Check that a skin may be called so: its name is also its folder's, on every system.

    Raises:
        SkinError: it may not.
    """
    if not _NAME.fullmatch(name) or name == "auto":
        raise SkinError(f"expected a skin name of up to 40 small letters, digits, - and _ (not auto), got {name!r}")


def save_skin(skin: Skin, folder: Path) -> None:
    """Write a skin's profile; what `load_skin` makes of it is the same skin.

    Args:
        skin: what to write.
        folder: made if it is not there; a profile in it is replaced at one stroke: whoever reads meanwhile, or
            afterwards where this was cut short, reads the old one or the new one whole.

    Raises:
        SkinError: the name cannot be a folder's, or the folder cannot be written to.
    """
    check_name(skin.name)
    picture = _encode_png(_sprite_image(skin))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sprites = _sprites_file(folder, picture)
        beside = folder / f"{PROFILE}.new"
        beside.write_text(_format_profile(skin, sprites.name), encoding="utf-8")
        beside.replace(folder / PROFILE)
        for other in folder.iterdir():
            if other != sprites and _OWN_SPRITES.fullmatch(other.name):
                other.unlink()
    except OSError as error:
        raise SkinError(f"{folder}: cannot be written to ({error.strerror})") from error


def _sprites_file(folder: Path, picture: bytes) -> Path:
    """Write the picture of the sprites, under another name where a profile with another picture is there."""
    path = folder / _SPRITES
    is_there = path.is_file() and path.stat().st_size == len(picture) and path.read_bytes() == picture
    if (folder / PROFILE).exists() and not is_there:
        path = folder / f"sprites-{zlib.crc32(picture):08x}.png"
    path.write_bytes(picture)
    return path


def _sprite_image(skin: Skin) -> NDArray[np.uint8]:
    """Every sprite in one picture (uint8, H x W x 3, BGR): cells, below them the counter's digits, then others."""
    strips = [
        _kept_sprites(skin) + skin.passing,
        () if skin.counter is None else skin.counter.digits,
        skin.faces,
        () if skin.signs is None else [_grey(str(number), shape) for number, shape in skin.signs.shapes],
        [_grey(str(digit), ink) for digit, ink in enumerate(skin.drawing.digits)]
        if isinstance(skin.drawing, Tints)
        else (),
    ]
    rows = [np.hstack([sprite.pixels_bgr for sprite in sprites]) for sprites in strips if sprites]
    n_wide = max(row.shape[1] for row in rows)
    return np.vstack([np.pad(row, ((0, 0), (0, n_wide - row.shape[1]), (0, 0))) for row in rows])


def _kept_sprites(skin: Skin) -> tuple[Sprite, ...]:
    """The sprites that the picture holds: all but those that follow from tints and digits."""
    has_numbers = not isinstance(skin.drawing, Tints)
    return tuple(one for one in skin.sprites if has_numbers or one.state == "0" or not one.state.isdecimal())


def _grey(state: str, ink: NDArray[np.float64]) -> Sprite:
    """Ink (0.0 none to 1.0 full) as black on white."""
    grey = np.floor(255 * (1.0 - ink) + 0.5).astype(np.uint8)
    return Sprite(state, np.repeat(grey[:, :, None], 3, axis=2))


def _format_profile(skin: Skin, file: str = _SPRITES) -> str:
    """The text of `skin.toml`, its sprites in the file of that name."""
    tolerance = skin.tolerance
    head: dict[str, Value | None] = {
        "name": skin.name,
        "title": skin.title,
        "pitch_px": skin.pitch_px,
        "closed_rgb": skin.closed_bgr[::-1],
        "retry_s": skin.retry_s,
        "chord": skin.chord,
        "has_question_marks": skin.has_question_marks,
        "win_needs_flags": skin.win_needs_flags or None,
        "floods": None if skin.floods else False,
        "first_click": skin.first_click,
        "verified": skin.is_verified,
        "blurred": skin.is_blurred or None,
        "levels": [(*shape, mines) for shape, mines in skin.levels.items()] or None,
    }
    tables: dict[str, dict[str, Value | None]] = {
        "sprites": {"file": file, "states": [sprite.state for sprite in _kept_sprites(skin) + skin.passing]},
        "tolerance": {"colour": tolerance.colour, "accept": tolerance.accept, "margin": tolerance.margin},
        "border": _border(skin),
        "new_game": {
            "spot_px": skin.new_game.spot_px,
            "spot_from": None if skin.new_game.spot_from == "top" else skin.new_game.spot_from,
            "key": skin.new_game.key,
            "dialog_keys": skin.new_game.dialog_keys or None,
            "pause_s": skin.new_game.pause_s,
        },
        "counter": _counter(skin),
        "counter.exact": {} if skin.counter is None else _prints(skin.counter.exact, skin.counter.digits),
        "faces": _faces(skin),
        "signs": _signs(skin),
        "exact": _prints(skin.exact, skin.sprites),
        **_drawing(skin.drawing),
    }
    parts = [_format_lines(head)]
    parts += [f"[{name}]\n{_format_lines(table)}" for name, table in tables.items() if table]
    return "\n".join(parts)


def _border(skin: Skin) -> dict[str, Value | None]:
    border = skin.border
    if border is None:
        return {}
    sides = {"left": border.left_bgr, "top": border.top_bgr, "right": border.right_bgr, "bottom": border.bottom_bgr}
    colours: dict[str, Value | None] = {f"{side}_rgb": [bgr[::-1] for bgr in value] for side, value in sides.items()}
    return {"depth_px": border.depth_px} | colours | {"blends": list(border.blends) or None}


def _counter(skin: Skin) -> dict[str, Value | None]:
    counter = skin.counter
    if counter is None:
        return {}
    return {
        "digits": [sprite.state for sprite in counter.digits],
        "digit_px": counter.digit_px,
        "spots_px": counter.spots_px,
        "stride_px": counter.stride_px,
        "is_right": counter.is_right,
        "n_digits": counter.n_digits,
        "accept": counter.accept,
        "margin": counter.margin,
        "pitch_px": counter.pitch_px,
    }


def _faces(skin: Skin) -> dict[str, Value | None]:
    if not skin.faces:
        return {}
    height, width = skin.faces[0].pixels_bgr.shape[:2]
    return {"moods": [sprite.state for sprite in skin.faces], "face_px": (width, height)}


def _drawing(drawing: Drawing) -> dict[str, dict[str, Value | None]]:
    """The tables that say how cells are drawn, by name; none where sprites say it all."""
    match drawing:
        case Alike():
            return {"alike": {"step_px": drawing.step_px, "inset_px": drawing.inset_px, "slack": drawing.slack}}
        case Tiles():
            return {
                "tiles": {"gap_rgb": drawing.gap_bgr[::-1], "grounds_rgb": [bgr[::-1] for bgr in drawing.grounds_bgr]}
            }
        case Fields():
            fields: dict[str, Value | None] = {
                "closed_rgb": [colour[::-1] for pair in drawing.closed_bgr for colour in pair],
                "open_rgb": [colour[::-1] for pair in drawing.open_bgr for colour in pair],
                "flag_rgb": drawing.flag_bgr[::-1],
                "mines_rgb": [colour[::-1] for colour in drawing.mines_bgr] or None,
                "header_rgb": None if drawing.header_bgr is None else drawing.header_bgr[::-1],
            }
            return {"fields": fields}
        case Tints():
            tints: dict[str, Value | None] = {
                "zero_rgb": [ramp.zero_bgr[::-1] for ramp in drawing.ramps],
                "step_rgb": [ramp.step_bgr[::-1] for ramp in drawing.ramps],
                "most": drawing.most,
                "digit_px": (drawing.digits.shape[2], drawing.digits.shape[1]),
                "known_px": drawing.known_px,
            }
            return {"tints": tints}
        case Sizes():
            sizes: dict[str, Value | None] = {
                "least_px": drawing.least_px,
                "most_px": drawing.most_px,
                "open_rims": [f"{value:016x}" for value in sorted(drawing.open_rims)],
            }
            return {"sizes": sizes, "sizes.exact": _by_state(drawing.exact)}
    return {}


def _signs(skin: Skin) -> dict[str, Value | None]:
    signs = skin.signs
    if signs is None:
        return {}
    table: dict[str, Value | None] = {
        "says": [ink.says for ink in signs.inks],
        "grounds_rgb": [ink.ground_bgr[::-1] for ink in signs.inks],
        "inks_rgb": [ink.ink_bgr[::-1] for ink in signs.inks],
    }
    if signs.shapes:
        height, width = signs.shapes[0][1].shape
        table |= {"shapes": [str(number) for number, _ in signs.shapes], "shape_px": (width, height)}
    return table


def _prints(exact: Mapping[int, str], sprites: Sequence[Sprite]) -> dict[str, Value | None]:
    """The fingerprints that do not follow from the sprites themselves, by state."""
    own = {int(value) for value in fingerprint(np.stack([sprite.pixels_bgr for sprite in sprites]))}
    return _by_state({value: state for value, state in exact.items() if value not in own})


def _by_state(exact: Mapping[int, str]) -> dict[str, Value | None]:
    by_state: dict[str, list[str]] = {}
    for value, state in exact.items():
        by_state.setdefault(state, []).append(f"{value:016x}")
    return dict(by_state)


def _format_lines(table: Mapping[str, Value | None]) -> str:
    lines = [_format_line(key, value) for key, value in table.items() if value is not None]
    return "\n".join(lines) + "\n"


def _format_line(key: str, value: Value) -> str:
    key = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) and key != "-" else _format_string(key)
    line = f"{key} = {_format_value(value)}"
    if len(line) <= _LINE_LENGTH or isinstance(value, (str, bool, int, float)):
        return line
    lines = [""]
    for part in map(_format_value, value):
        if lines[-1] and len(lines[-1]) + len(part) > _LINE_LENGTH - 8:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{part},"
    return f"{key} = [\n" + "".join(f"    {line}\n" for line in lines) + "]"


def _format_value(value: Value) -> str:
    if isinstance(value, str):
        return _format_string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return "[" + ", ".join(_format_value(part) for part in value) + "]"


def _format_string(text: str) -> str:
    """A TOML basic string: JSON's, but for the one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _encode_png(picture_bgr: NDArray[np.uint8]) -> bytes:
    """A picture (uint8, H x W x 3, BGR) as the bytes of a PNG file."""
    import cv2  # noqa: PLC0415 - slow to load

    done, encoded = cv2.imencode(".png", picture_bgr)
    assert done, "every uint8 picture has a PNG form"
    return encoded.tobytes()
