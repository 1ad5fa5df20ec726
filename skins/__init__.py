"""What one clone looks like: skins, their profiles on disk, and the painter."""

from skins.errors import SkinError
from skins.fingerprint import fingerprint
from skins.skin import Border, Look, NewGame, Skin, Tolerance
from skins.store import load_shipped_skin, load_shipped_skins, load_skin, shipped_skin_names

__all__ = [
    "Border",
    "Look",
    "NewGame",
    "Skin",
    "SkinError",
    "Tolerance",
    "fingerprint",
    "load_shipped_skin",
    "load_shipped_skins",
    "load_skin",
    "shipped_skin_names",
]
