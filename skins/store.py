"""Skin profiles on disk: a folder with `skin.toml` (readable) and one sprite image.

The profile, key by key:

    name = "classic"                     how commands call it
    title = "..."                        what it is
    pitch_px = [16, 16]                  cell width and height
    closed_rgb = [192, 192, 192]         the colour most of a closed cell is painted in
    retry_s = 0.25                       optional

    [sprites]
    file = "sprites.png"                 sprites side by side in one row, each one cell large
    states = ["0", "1", "closed", ...]   what each shows, left to right; a state may come more than once

    [tolerance]                          optional; see `skins.skin.Tolerance`
    [new_game]                           optional; see `skins.skin.NewGame`
    [border]                             optional; see `skins.skin.Border`; left_rgb = [[128, 128, 128], ...] and so on
    [exact]                              optional; state = [fingerprints in hexadecimal]
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from skins.errors import SkinError
from skins.fingerprint import fingerprint
from skins.skin import Border, Look, NewGame, Skin, Tolerance

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

PROFILE = "skin.toml"


def shipped_skin_names() -> list[str]:
    """The names of the skins that come with the program, in alphabetical order."""
    data = resources.files("skins") / "data"
    return sorted(entry.name for entry in data.iterdir() if (entry / PROFILE).is_file())


def load_shipped_skin(name: str) -> Skin:
    """Load one shipped skin.

    Raises:
        SkinError: there is no skin of that name, or its profile is broken.
    """
    names = shipped_skin_names()
    if name not in names:
        raise SkinError(f"expected one of the skins {', '.join(names)}, got {name!r}")
    return load_skin(resources.files("skins") / "data" / name)


def load_shipped_skins() -> list[Skin]:
    """Load every shipped skin."""
    return [load_shipped_skin(name) for name in shipped_skin_names()]


def load_skin(folder: Traversable) -> Skin:
    """Load the skin in `folder` (a path, or a folder inside a package).

    Raises:
        SkinError: a file is missing, the text is not TOML, a key is missing or of the wrong kind, the sprite
            image does not fit the list of states; the message names file and key.
    """
    profile = folder / PROFILE
    try:
        table = tomllib.loads(profile.read_text(encoding="utf-8"))
        sprites = _required(table, "sprites")
        pitch_px = (int(_required(table, "pitch_px")[0]), int(_required(table, "pitch_px")[1]))
        looks = _cut(folder / str(sprites["file"]), list(sprites["states"]), pitch_px)
        return Skin(
            name=str(_required(table, "name")),
            title=str(_required(table, "title")),
            pitch_px=pitch_px,
            closed_bgr=_bgr(_required(table, "closed_rgb")),
            looks=looks,
            exact=_fingerprints(table.get("exact", {}), looks),
            tolerance=Tolerance(**table.get("tolerance", {})),
            new_game=_new_game(table.get("new_game", {})),
            border=_border(table["border"]) if "border" in table else None,
            retry_s=float(table.get("retry_s", 0.25)),
        )
    except OSError as error:
        raise SkinError(f"{profile}: cannot be read ({error})") from error
    except tomllib.TOMLDecodeError as error:
        raise SkinError(f"{profile}: not TOML ({error})") from error
    except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        raise SkinError(f"{profile}: {error}") from error


def _required(table: dict[str, Any], key: str) -> Any:
    if key not in table:
        raise KeyError(f"expected the key {key}, got none")
    return table[key]


def _bgr(rgb: list[int]) -> tuple[int, int, int]:
    red, green, blue = (int(channel) for channel in rgb)
    return blue, green, red


def _cut(file: Traversable, states: list[str], pitch_px: tuple[int, int]) -> tuple[Look, ...]:
    import cv2  # noqa: PLC0415 - slow to load, and `solve` or `--help` need no picture

    width, height = pitch_px
    sheet = cv2.imdecode(np.frombuffer(file.read_bytes(), dtype=np.uint8), cv2.IMREAD_COLOR)
    if sheet is None:
        raise SkinError(f"{file}: not a picture")
    if sheet.shape[:2] != (height, width * len(states)):
        raise SkinError(
            f"{file}: expected {width * len(states)} x {height} pixels for {len(states)} sprites, "
            f"got {sheet.shape[1]} x {sheet.shape[0]}"
        )
    looks = []
    for i, state in enumerate(states):
        pixels: NDArray[np.uint8] = np.ascontiguousarray(sheet[:, i * width : (i + 1) * width], dtype=np.uint8)
        pixels.setflags(write=False)
        looks.append(Look(state, pixels))
    return tuple(looks)


def _fingerprints(table: dict[str, list[str]], looks: tuple[Look, ...]) -> dict[int, str]:
    exact = {int(word, 16): state for state, words in table.items() for word in words}
    prints = fingerprint(np.stack([look.pixels_bgr for look in looks]))
    return exact | {int(value): look.state for value, look in zip(prints, looks, strict=True)}


def _new_game(table: dict[str, Any]) -> NewGame:
    spot = table.get("spot_px")
    return NewGame(
        spot_px=None if spot is None else (int(spot[0]), int(spot[1])),
        dialog_key=table.get("dialog_key"),
        pause_s=float(table.get("pause_s", 0.0)),
    )


def _border(table: dict[str, Any]) -> Border:
    left, top, right, bottom = (
        tuple(_bgr(rgb) for rgb in _required(table, f"{side}_rgb")) for side in ("left", "top", "right", "bottom")
    )
    return Border(int(_required(table, "depth_px")), left, top, right, bottom)
