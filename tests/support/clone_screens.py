"""The recordings in tests/screens/clones, and which sprite a real cell is nearest to, without the bot's reader.

A recording's text starts with the edges of its columns and rows, in pixels: `; x: 30 50 70 ...` and `; y: ...`. They
are measured, and not always one pitch apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG

FOLDER = Path(__file__).parent.parent / "screens" / "clones"
SYMBOLS = {CLOSED: "#", QUESTION: "#", FLAG: "F", MINE: "*", EXPLODED: "X", WRONG_FLAG: "x"}
N_BINS = 8


@dataclass(frozen=True, eq=False)
class Recording:
    """One picture (uint8, B, G, R), the edges of its cells, and the truth."""

    name: str
    pixels_bgr: np.ndarray
    x_edges: list[int]
    y_edges: list[int]
    rows: list[str]

    @property
    def skin_name(self):
        """The skin it is to be read with."""
        return next(
            name
            for name in ("gnome-mines", "minegauler", "sgt-mines", "xbomb", "xdemineur")
            if self.name.startswith(name)
        )


def recording_names():
    """Every recording's name."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def load_recording(name):
    """A recording by its name."""
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    edges = {line[2]: [int(word) for word in line[4:].split()] for line in lines if line.startswith(";")}
    pixels = cv2.imread(str(FOLDER / f"{name}.png"))
    return Recording(name, pixels, edges["x"], edges["y"], [line for line in lines if not line.startswith(";")])


def mean_colours(pixels_bgr, x_edges, y_edges):
    """The mean colours of every cell on a grid of bins: float64, rows*cols x (bins * bins * 3)."""
    table = cv2.integral(pixels_bgr.astype(np.float64))
    x, y = (np.concatenate([_cuts(edges), edges[-1:]]) for edges in (x_edges, y_edges))
    sums = np.diff(np.diff(_sampled(_sampled(table, y, 0), x, 1), axis=0), axis=1)
    means = sums / (np.diff(y)[:, None, None] * np.diff(x)[None, :, None])
    rows, cols = len(y_edges) - 1, len(x_edges) - 1
    bins = means.reshape(rows, N_BINS, cols, N_BINS, 3).swapaxes(1, 2)
    return bins.reshape(rows * cols, -1)


def _cuts(edges):
    starts, widths = np.array(edges[:-1], dtype=float), np.diff(edges)
    return (starts[:, None] + widths[:, None] * np.arange(N_BINS) / N_BINS).ravel()


def _sampled(table, places, axis):
    """The table between its entries, linearly."""
    low = np.floor(places).astype(int)
    high = np.minimum(low + 1, table.shape[axis] - 1)
    shape = [1, 1, 1]
    shape[axis] = -1
    part = (places - low).reshape(shape)
    return np.take(table, low, axis) * (1 - part) + np.take(table, high, axis) * part


class NearestSprite:
    """Names cells by the nearest sprite of a skin, whatever their size."""

    def __init__(self, skin):
        width, height = skin.pitch_px
        self.symbols = np.array([SYMBOLS.get(sprite.state, sprite.state) for sprite in skin.sprites])
        self._sprites = np.concatenate([mean_colours(one.pixels_bgr, [0, width], [0, height]) for one in skin.sprites])

    def distances(self, pixels_bgr, x_edges, y_edges):
        """Root mean square from every cell to every sprite: float64, cells x sprites."""
        cells = mean_colours(pixels_bgr, x_edges, y_edges)
        squares = (cells**2).sum(axis=1)[:, None] + (self._sprites**2).sum(axis=1) - 2 * cells @ self._sprites.T
        return np.sqrt(np.maximum(squares, 0) / cells.shape[1])

    def name(self, pixels_bgr, x_edges, y_edges):
        """Rows of board symbols."""
        nearest = self.symbols[self.distances(pixels_bgr, x_edges, y_edges).argmin(axis=1)]
        return ["".join(row) for row in nearest.reshape(len(y_edges) - 1, len(x_edges) - 1)]

    def own_over_other(self, recording):
        """How far each cell is from the nearest sprite that is right, over how far from the nearest that is not."""
        apart = self.distances(recording.pixels_bgr, recording.x_edges, recording.y_edges)
        truth = np.array(list("".join(recording.rows)))
        is_right = truth[:, None] == self.symbols[None, :]
        return np.where(is_right, apart, np.inf).min(axis=1) / np.where(is_right, np.inf, apart).min(axis=1)
