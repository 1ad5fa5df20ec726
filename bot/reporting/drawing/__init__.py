"""Pictures for a person: a board as it was seen, enlarged, with what was read or is advised drawn over it.

`ink` draws shapes and words, `marks` are what a cell can be marked with, `boards` says which cell gets which mark,
paints boards of which there is no picture, and puts boards, rulers, captions and the legend on one sheet.
"""

from bot.reporting.drawing.boards import (
    Annotated,
    annotate_advice,
    annotate_reading,
    describe_reading,
    draw_painted,
    draw_sheet,
    paint_position,
    usual_skin,
)

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
