"""What can go wrong with skins.

SkinError       raised for a profile that is missing, unreadable or contradicts itself: names file and key
└── FileError   a file that is not read, because it is not there, is no regular file, or is too large: names it
"""


class SkinError(Exception):
    """A skin profile that cannot be used."""


class FileError(SkinError):
    """A file that cannot be read, or is larger than anything of its kind."""
