"""Every skin there is: those that come with the program, and the user's own.

The user's skins are the folders in `skins` of the platform's configuration folder for minebot (Linux:
`~/.config/minebot/skins`), or in the folder that the environment variable `MINEBOT_SKINS` names. A skin that cannot be
used is told of by name and stops no other. A shipped name stays the shipped skin's: a folder of that name is told of
and not used, so that what `--skin classic` means is the same everywhere.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import platformdirs

from skins.errors import SkinError
from skins.pixels import fingerprint, is_same_picture
from skins.profile_read import PROFILE, load_shipped_skin, load_skin, shipped_skin_names
from skins.profile_write import save_skin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from skins.skin import Skin, Sprite

VARIABLE = "MINEBOT_SKINS"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class KnownSkin:
    """A skin's name, the folder it is in (None for a shipped one), and itself or why it cannot be used."""

    name: str
    folder: Path | None
    skin: Skin | None
    trouble: str = ""


def user_skins_folder() -> Path:
    """Where the user's skins live; it need not be there."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_config_path("minebot", appauthor=False) / "skins"


def known_skins() -> list[KnownSkin]:
    """Every skin, shipped ones first, each kind in alphabetical order; broken ones of the user's included."""
    shipped = [KnownSkin(name, None, load_shipped_skin(name)) for name in shipped_skin_names()]
    folder = user_skins_folder()
    try:
        own = sorted(entry for entry in folder.iterdir() if _has_profile(entry))
    except FileNotFoundError:
        own = []
    except OSError as error:
        raise SkinError(f"{folder}: cannot be read ({error.strerror})") from error
    return shipped + [_known(entry) for entry in own]


def load_skins(word: str = AUTO, tell: Callable[[str], None] = lambda _: None) -> list[Skin]:
    """The skins a command was asked to use: all of them, the user's own first, or the one of a name.

    Of skins that know as much of a board the first one is taken for the board's.

    Args:
        word: a skin's name, or `auto`.
        tell: told of every skin that cannot be used, where all are asked for.

    Raises:
        SkinError: there is no skin of that name, or it cannot be used.
    """
    if word != AUTO:
        return [find_skin(word)]
    known = known_skins()
    for entry in known:
        if entry.skin is None:
            tell(f"skin {entry.name} is left out: {entry.trouble}")
    known.sort(key=lambda entry: entry.folder is None)
    return [entry.skin for entry in known if entry.skin is not None]


def find_skin(name: str) -> Skin:
    """The skin of a name, shipped or the user's.

    Raises:
        SkinError: there is none, or it cannot be used.
    """
    if name in shipped_skin_names():
        return load_shipped_skin(name)
    known = known_skins()
    for entry in known:
        if entry.name == name:
            if entry.skin is None:
                raise SkinError(f"skin {name} cannot be used: {entry.trouble}")
            return entry.skin
    names = [entry.name for entry in known]
    near = difflib.get_close_matches(name.lower(), names, n=2)
    if near:
        raise SkinError(f"there is no skin {name[:40]!r}: did you mean {' or '.join(near)}?")
    raise SkinError(
        f"expected one of the skins {', '.join(names)}, got {name!r} (your own skins live in {user_skins_folder()})"
    )


def replaced(sprites: Sequence[Sprite], new: Sequence[Sprite]) -> list[Sprite]:
    """Sprites and new ones, less those of the first that are drawn as a new one: these meant something else, too."""
    kept = [sprite for sprite in sprites if not any(is_same_picture(sprite.pixels_bgr, one.pixels_bgr) for one in new)]
    return kept + list(new)


def keep_sprites(name: str, sprites: Sequence[Sprite]) -> Path | None:
    """Give a user's skin further sprites, whose meaning is proven; a shipped skin stays as it is.

    What was drawn the same and had other meanings gives way.

    Args:
        name: the skin's.
        sprites: of its size; those whose pixels it knows already are left out.

    Returns:
        The folder that was written to; None where there was nothing to write.

    Raises:
        SkinError: the skin cannot be read or written.
    """
    folder = user_skins_folder() / name
    if name in shipped_skin_names() or not _has_profile(folder):
        return None
    skin = load_skin(folder)
    prints = [int(value) for value in fingerprint(np.stack([one.pixels_bgr for one in sprites]))] if sprites else []
    new = {value: sprite for value, sprite in zip(prints, sprites, strict=True) if not _knows(skin, value, sprite)}
    if not new:
        return None
    exact = {**skin.exact, **{value: sprite.state for value, sprite in new.items()}}
    save_skin(replace(skin, sprites=tuple(replaced(skin.sprites, list(new.values()))), exact=exact), folder)
    return folder


def _knows(skin: Skin, value: int, sprite: Sprite) -> bool:
    """Whether a skin has a sprite, by its fingerprint, and nothing else that is drawn the same."""
    others = (one for one in skin.sprites if one.state != sprite.state)
    return value in skin.exact and not any(is_same_picture(one.pixels_bgr, sprite.pixels_bgr) for one in others)


def _has_profile(folder: Path) -> bool:
    """Whether there is a profile in a folder: a file, something else of that name, or nobody may look."""
    try:
        (folder / PROFILE).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _known(folder: Path) -> KnownSkin:
    name = folder.name
    if name in shipped_skin_names():
        return KnownSkin(name, folder, None, f"{folder}: a skin of that name comes with the program: give it another")
    try:
        skin = load_skin(folder)
    except SkinError as error:
        return KnownSkin(name, folder, None, str(error))
    if skin.name != name:
        return KnownSkin(name, folder, None, f"{folder}: expected name = {name!r}, as the folder, got {skin.name!r}")
    return KnownSkin(name, folder, skin)
