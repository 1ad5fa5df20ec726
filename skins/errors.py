"""What can go wrong with skins.

SkinError
└── raised for a profile that is missing, unreadable or contradicts itself: names file and key
"""


class SkinError(Exception):
    """A skin profile that cannot be used."""
