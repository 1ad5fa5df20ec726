"""Pictures for a person: a board as it was seen, enlarged, with what was read or is advised drawn over it.

`ink` draws shapes and words, `marks` are what a cell can be marked with, `layout` puts boards, rulers, captions and the
legend on one sheet, `boards` says which cell gets which mark, `painted` paints boards of which there is no picture.
"""

from bot.reporting.drawing.boards import (
    annotate_advice,
    annotate_reading,
    describe_reading,
    draw_painted,
    paint_position,
    usual_skin,
)
from bot.reporting.drawing.layout import Annotated, draw_sheet

__all__ = [
    "Annotated",
    "annotate_advice",
    "annotate_reading",
    "describe_reading",
    "draw_painted",
    "draw_sheet",
    "paint_position",
    "usual_skin",
]
