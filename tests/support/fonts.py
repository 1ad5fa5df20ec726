"""Sets of fonts for clones to draw with, each with a fontconfig file of its own: they see no other font there is."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

BARE = "bare"
"""What the tests' clones see unless they ask for another."""
STRANGE = "strange"
"""Letters that lean far back: no font draws such digits."""
WEB = "web"
"""What pages draw with: digits with and without serifs, and emoji."""
_BARE_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
SETS = {
    BARE: ("fonts-dejavu-core", "DejaVu Sans", "DejaVu Sans Mono", _BARE_FILES),
    "dejavu": ("fonts-dejavu-extra", "DejaVu Sans", "DejaVu Sans Mono", ("DejaVu*",)),
    "slanted": ("fonts-dejavu-extra", "DejaVu Sans", "DejaVu Sans Mono", ("DejaVuSans*Oblique.ttf",)),
    "condensed": ("fonts-dejavu-extra", "DejaVu Sans", "DejaVu Sans", ("DejaVuSansCondensed*.ttf",)),
    "cantarell": ("fonts-cantarell", "Cantarell", "Cantarell", ("Cantarell-*.otf",)),
    "liberation": ("fonts-liberation", "Liberation Sans", "Liberation Mono", ("LiberationSans-*", "LiberationMono-*")),
    "noto": ("fonts-noto-mono", "Noto Mono", "Noto Sans Mono", ("NotoMono-*", "NotoSansMono-*")),
    "free": ("fonts-freefont-ttf", "FreeSerif", "FreeMono", ("FreeSerif*", "FreeMono*")),
    "roboto": ("fonts-roboto-unhinted", "Roboto", "Roboto", ("Roboto-*",)),
}
"""Each set's Debian package, the family for "sans-serif" and for "monospace", and its files."""
_BESIDE = {
    STRANGE: SETS[BARE],
    WEB: (
        "fonts-noto-color-emoji",
        "DejaVu Sans",
        "DejaVu Sans Mono",
        (*_BARE_FILES, "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", "NotoColorEmoji.ttf"),
    ),
}
"""The same of sets that no clone is read in with all others."""
_LEANING = """<match target="font"><edit name="matrix" mode="assign"><times><name>matrix</name><matrix>
    <double>1</double><double>-0.6</double><double>0</double><double>1</double>
  </matrix></times></edit></match>"""
_CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}/fonts</dir>
  <cachedir>{folder}/cache</cachedir>
  <alias><family>sans-serif</family><prefer><family>{sans}</family></prefer></alias>
  <alias><family>sans</family><prefer><family>{sans}</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>{mono}</family></prefer></alias>
  {more}
</fontconfig>
"""


def font_folders():
    """Where fonts may be installed."""
    own = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return [Path("/usr/share/fonts"), own / "fonts"]


def package_of(name):
    """The Debian package of a set of fonts."""
    return (SETS | _BESIDE)[name][0]


@cache
def fonts_of(name):
    """The path of a set's fontconfig file; None where one of its fonts is not installed."""
    _, sans, mono, patterns = (SETS | _BESIDE)[name]
    files = [sorted(file for folder in font_folders() for file in folder.rglob(pattern)) for pattern in patterns]
    if not all(files):
        return None
    folder = Path(tempfile.mkdtemp(prefix="minebot-fonts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "fonts").mkdir()
    for file in {file.name: file for group in files for file in group}.values():
        (folder / "fonts" / file.name).symlink_to(file)
    config = folder / "fonts.conf"
    config.write_text(
        _CONFIG.format(folder=folder, sans=sans, mono=mono, more=_LEANING if name == STRANGE else ""), encoding="utf-8"
    )
    return str(config)
