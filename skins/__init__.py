"""What one clone looks like: skins, and their profiles on disk."""

from skins.errors import SkinError
from skins.folders import KnownSkin, find_skin, keep_sprites, known_skins, load_skins, user_skins_folder
from skins.pixels import fingerprint
from skins.profile_read import load_shipped_skin, load_shipped_skins, load_skin, shipped_skin_names
from skins.profile_write import save_skin
from skins.skin import Border, Counter, NewGame, Skin, Sprite, Tolerance

__all__ = [
    "Border",
    "Counter",
    "KnownSkin",
    "NewGame",
    "Skin",
    "SkinError",
    "Sprite",
    "Tolerance",
    "find_skin",
    "fingerprint",
    "keep_sprites",
    "known_skins",
    "load_shipped_skin",
    "load_shipped_skins",
    "load_skin",
    "load_skins",
    "save_skin",
    "shipped_skin_names",
    "user_skins_folder",
]
