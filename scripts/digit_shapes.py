"""Make the shapes of digits that are known whatever font draws them.

    python scripts/digit_shapes.py /usr/share/fonts             write scripts/digit_shapes.png anew from these fonts
    python scripts/digit_shapes.py --check /usr/share/fonts     write nothing; tell how well each family is read by the
                                                                shapes of all others

Of every family in the folders (TrueType and OpenType) the bold face is taken, or the regular one where there is no bold
one, upright and slanted; of each of its digits the shape without place, size and proportions, as `bot.vision.matching`
has it, at a few sizes. The shapes of one digit are put into groups of those that are alike (k-means), and the mean of
each group is kept: no font's own drawing. `scripts/draw_desktop.py` puts them below the sprites of gnome-mines.

Made from 99 faces of 55 families of Debian 12, of the packages fonts-cantarell, -dejavu, -noto-core, -noto-mono,
-open-sans, -liberation, -freefont-ttf, -roboto-unhinted, -hack, -firacode, -inconsolata, -lato, -jetbrains-mono,
-inter, -mononoki, -b612, -anonymous-pro, -fantasque-sans, -go, -crosextra-carlito, -crosextra-caladea, -comic-neue,
-quicksand, -oxygen, -agave, -courier-prime and -urw-base35.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Shapes = NDArray[np.float64]

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.vision.matching import SignReader, without_place  # noqa: E402 - run by path: found only after the line above
from skins.skin import ANY_SIGN, Ink, Signs  # noqa: E402 - the same

PICTURE = Path(__file__).with_suffix(".png")
NUMBERS = range(1, 9)
HEIGHT_PX, WIDTH_PX = 14, 10
N_GROUPS = 12  # 8 do as well for upright faces; a dozen also hold the slanted ones
EM_PX = (13, 18, 40)
CHECKED_EM_PX = (7, 8, 9, 10, 11, 13, 16, 20, 28, 44, 64)
PLAIN = {"regular", "book", "roman", "medium", "normal"}
BOLD = {"bold", "demi"}
SLANTED = {"italic", "oblique"}
BOLD_SLANTED = {"bold italic", "bold oblique", "bolditalic", "demi italic", "demi oblique"}
LEFT_OUT = {"EB Garamond", "Quicksand Light", "D050000L", "Standard Symbols PS"}  # old figures, hairlines, symbols
NOTO = {"Noto", "Sans", "Serif", "Mono", "Display"}  # its many families for other scripts have the same digits


def faces(folders: Sequence[Path]) -> dict[str, Path]:
    """The upright and the slanted face of each family that has digits."""
    found: dict[str, dict[str, Path]] = {}
    files = sorted(file for folder in folders for end in ("ttf", "otf") for file in folder.rglob(f"*.{end}"))
    for file in files:
        try:
            font = ImageFont.truetype(str(file), 20)
        except OSError:
            continue
        family, style = (str(name) for name in font.getname())
        glyphs = {bytes(font.getmask(str(number))) for number in range(10)}
        is_other_script = family.startswith("Noto ") and not NOTO.issuperset(family.split())
        if family not in LEFT_OUT and not is_other_script and len(glyphs) == 10:  # one box for all is no font of digits
            found.setdefault(family, {}).setdefault(style.lower(), file)
    chosen = {}
    for family, styles in found.items():
        for kind, wanted in (("upright", (BOLD, PLAIN)), ("slanted", (BOLD_SLANTED, SLANTED))):
            usable = [style for words in wanted for style in sorted(styles) if style in words]
            if usable:
                chosen[f"{family} {kind}"] = styles[usable[0]]
    return chosen


def shapes_of(file: Path, em_px: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """The shape of every digit of a face, where it is large enough to have one."""
    font = ImageFont.truetype(str(file), em_px)
    for number in NUMBERS:
        picture = Image.new("L", (3 * em_px, 3 * em_px))
        ImageDraw.Draw(picture).text((em_px, em_px), str(number), font=font, fill=255)
        shape = without_place(np.asarray(picture, dtype=np.float64) / 255, HEIGHT_PX, WIDTH_PX)
        if shape is not None:
            yield number, shape


def means(shapes: Shapes, n_groups: int) -> Shapes:
    """The means of groups of shapes that are alike: the first group has the mean of all, each next one the farthest."""
    flat = shapes.reshape(len(shapes), -1)
    centres = [flat.mean(axis=0)]
    while len(centres) < n_groups:
        centres.append(flat[np.min([((flat - centre) ** 2).sum(axis=1) for centre in centres], axis=0).argmax()])
    own = np.array(centres)
    for _ in range(30):
        group = ((flat[:, None] - own[None]) ** 2).sum(axis=2).argmin(axis=1)
        own = np.array([flat[group == k].mean(axis=0) if (group == k).any() else own[k] for k in range(n_groups)])
    return own.reshape(n_groups, *shapes.shape[1:])


def learned(files: Sequence[Path]) -> list[tuple[int, NDArray[np.float64]]]:
    """The shapes of these faces: a dozen groups of each digit."""
    every = [pair for file in files for em_px in EM_PX for pair in shapes_of(file, em_px)]
    return [
        (number, mean)
        for number in NUMBERS
        for mean in means(np.stack([shape for own, shape in every if own == number]), N_GROUPS)
    ]


def relatives(family: str, families: Sequence[str]) -> set[str]:
    """The families that share a first word with one: as a rule they are drawn alike."""
    first = re.compile(r"[^ -]*")
    return {other for other in families if first.findall(other)[0] == first.findall(family)[0]}


def check(chosen: dict[str, Path]) -> int:
    """Read every family by the shapes of all that are no relatives; how many digits were taken for others."""
    n_wrong = 0
    counts = {em_px: [0, 0] for em_px in CHECKED_EM_PX}
    for family, file in chosen.items():
        own = relatives(family, list(chosen))
        shapes = learned([other for name, other in chosen.items() if name not in own])
        reader = SignReader(Signs((Ink(ANY_SIGN, (255, 255, 255), (0, 0, 0)),), tuple(shapes)))
        for em_px in CHECKED_EM_PX:
            font = ImageFont.truetype(str(file), em_px)
            for number in NUMBERS:
                picture = Image.new("RGB", (3 * em_px, 3 * em_px), "white")
                ImageDraw.Draw(picture).text((em_px, em_px), str(number), font=font, fill="black")
                said = int(reader.read(np.asarray(picture)[None]).numbers[0])
                counts[em_px][0] += 1
                counts[em_px][1] += said == number
                if said > 0 and said != number:
                    n_wrong += 1
                    print(f"{family}, {em_px} px: {number} is read as {said}")
    for em_px, (n_all, n_right) in counts.items():
        print(f"{em_px} px: {n_right} of {n_all} digits known")
    print(f"{len(chosen)} faces, {n_wrong} digits taken for others")
    return n_wrong


def main() -> int:
    """Make the picture, or check how it would do."""
    parser = argparse.ArgumentParser(description="Make scripts/digit_shapes.png from the fonts of some folders.")
    parser.add_argument("folders", nargs="+", type=Path, help="where the fonts are, at any depth")
    parser.add_argument("--check", action="store_true", help="leave one family out after the other; write nothing")
    arguments = parser.parse_args()
    chosen = faces(arguments.folders)
    if not chosen:
        parser.error("no font with digits in these folders")
    if arguments.check:
        return 1 if check(chosen) else 0
    shapes = learned(list(chosen.values()))
    strip = np.hstack([np.floor(255 * (1 - shape) + 0.5).astype(np.uint8) for _, shape in shapes])
    cv2.imwrite(str(PICTURE), strip, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(f"{len(chosen)} faces ({', '.join(sorted(chosen))}): {len(shapes)} shapes, {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
