"""A picture on the screen, pixel by pixel."""

import numpy as np


def find_all(frame, picture):
    """Every place (x, y) where the picture stands in the frame, row by row; both are uint8, H x W x 3.

    Looked for by its rarest colour first: few places of the frame are left after that.
    """
    height, width = picture.shape[:2]
    rows, cols = frame.shape[0] - height + 1, frame.shape[1] - width + 1
    if rows < 1 or cols < 1:
        return []
    seen, wanted = _colours(frame), _colours(picture)
    _, first, counts = np.unique(wanted, return_index=True, return_counts=True)
    down, right = divmod(int(first[counts.argmin()]), width)
    y, x = np.nonzero(seen[down : down + rows, right : right + cols] == wanted[down, right])
    for down, right in ((0, 0), (height - 1, width - 1), (height // 2, width // 2)):
        fits = seen[y + down, x + right] == wanted[down, right]
        y, x = y[fits], x[fits]
    places = zip(x.tolist(), y.tolist(), strict=True)
    return [(x, y) for x, y in places if np.array_equal(seen[y : y + height, x : x + width], wanted)]


def _colours(picture):
    """A number for each colour: int32, H x W."""
    blue, green, red = (picture[..., channel].astype(np.int32) for channel in range(3))
    return blue | green << 8 | red << 16
