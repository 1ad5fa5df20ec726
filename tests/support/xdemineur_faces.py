"""The face of a running xdemineur, looked at all the time: how its games really ended."""

from __future__ import annotations

import threading

import mss
import numpy as np
from xdemineur import FACE_ABOVE_BOARD_PX

SIDE_PX = 20
ENDINGS = {104: "won", 30: "lost"}
"""Black pixels of the middle of a face: with sunglasses, with crosses for eyes; others are smiling or astonished."""


class FaceWatch:
    """Keeps the list of endings that the face showed."""

    def __init__(self, game):
        middle = game.left + game.n_cols * 21 // 2
        left, top = middle - SIDE_PX // 2, game.top - FACE_ABOVE_BOARD_PX - SIDE_PX // 2
        self._region = {"left": left, "top": top, "width": SIDE_PX, "height": SIDE_PX}
        self._display = game.desk.name
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._counts: list[int] = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._stop.set()
        self._thread.join()

    @property
    def endings(self):
        """Won and lost, in order."""
        return [ENDINGS[count] for count in self._counts if count in ENDINGS]

    def _look(self):
        with mss.MSS(display=self._display) as screen:
            is_last = False
            while not is_last:  # once more after the end: what came up last counts
                is_last = self._stop.wait(0.005)
                pixels = np.frombuffer(screen.grab(self._region).raw, dtype=np.uint8).reshape(-1, 4)[:, :3]
                count = int((pixels == 0).all(axis=1).sum())
                if self._counts[-1:] != [count]:
                    self._counts.append(count)
