"""A picture for a person to confirm: every appearance, enlarged, with what it means and how often it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.reporting.drawing.ink import PAPER, line_height, put_text, text_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibration.appearances import Appearances
    from calibration.labels import Labelling

_CELL_PX = 64
_GAP_PX = 14
_WIDE = 8
_SCALE = 0.4


def draw_contact_sheet(appearances: Appearances, labelling: Labelling, title: str) -> NDArray[np.uint8]:
    """Draw it: uint8, height x width x 3, BGR; the most frequent appearances come first."""
    order = np.argsort(-appearances.counts, kind="stable").tolist()
    captions = [in_words(labelling.labels[number]) for number in order]
    wide = max(_CELL_PX, *(text_size(caption, _SCALE)[0] for caption in captions)) + _GAP_PX
    high = _CELL_PX + 2 * line_height(_SCALE) + _GAP_PX
    cols = min(len(order), _WIDE)
    rows = -(-len(order) // cols)
    top = line_height(_SCALE) + 2 * _GAP_PX
    width = max(cols * wide + _GAP_PX, text_size(title, _SCALE)[0] + 2 * _GAP_PX)
    sheet = np.full((top + rows * high, width, 3), PAPER, dtype=np.uint8)
    put_text(sheet, title, _GAP_PX, _GAP_PX + line_height(_SCALE), _SCALE)
    for place, (number, caption) in enumerate(zip(order, captions, strict=True)):
        row, col = divmod(place, cols)
        x, y = _GAP_PX + col * wide, top + row * high
        picture = cv2.resize(appearances.pixels_bgr[number], (_CELL_PX, _CELL_PX), interpolation=cv2.INTER_NEAREST)
        sheet[y : y + _CELL_PX, x : x + _CELL_PX] = picture
        count = int(appearances.counts[number])
        for line, text in enumerate((caption, f"{count} cell{'s' if count > 1 else ''}")):
            put_text(sheet, text, x, y + _CELL_PX + (line + 1) * line_height(_SCALE), _SCALE)
    return sheet


def in_words(labels: frozenset[str]) -> str:
    """What an appearance may mean, as a person reads it."""
    if len(labels) > 4:
        return "not known"
    return " or ".join(label.replace("_", " ") for label in sorted(labels))
