"""The face of a running clone, looked at all the time: how its games really ended."""

from __future__ import annotations

import threading

import mss
import numpy as np

_PAUSE_S = 0.004
"""Pause between two looks, in seconds."""


class FaceWatch:
    """Keeps the list of the faces' changes while its block runs.

    Args:
        display: the name of the X display.
        middle: (x, y) of the face.
        side_px: of the square that is looked at.
        name_of: says which face a square of pixels (uint8, N x 3, B, G, R) shows, None for none that is known; "won"
            and "lost" are those that count.
    """

    def __init__(self, display, middle, side_px, name_of):
        x, y = middle
        half = side_px // 2
        self._region = {"left": x - half, "top": y - half, "width": side_px, "height": side_px}
        self._display = display
        self._name_of = name_of
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._faces: list[str] = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._stop.set()
        self._thread.join()

    @property
    def endings(self):
        """What the faces say about the games that ended: won and lost, in order."""
        return [face for face in self._faces if face in {"won", "lost"}]

    def _look(self):
        with mss.MSS(display=self._display) as screen:
            is_last = False
            while not is_last:  # once more after the end: what came up last counts
                is_last = self._stop.wait(_PAUSE_S)
                pixels = np.frombuffer(screen.grab(self._region).raw, dtype=np.uint8).reshape(-1, 4)[:, :3]
                face = self._name_of(pixels)
                if face is not None and [face] != self._faces[-1:]:
                    self._faces.append(face)


def n_of_colour(pixels, bgr):
    """How many pixels have that colour."""
    return int((pixels == bgr).all(axis=1).sum())
