"""Draws the pictures of the README's page on a clone that nobody knows, by the commands that it shows.

    python scripts/draw_calibration.py            writes them to tests/screens/readme

The clone does not exist: a made-up look of the tests (tests/support/made_looks.py).
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from bot.cli import main as minebot  # noqa: E402 - run by path: the packages are found only after the line above
from bot.images import load_frame, save_png  # noqa: E402 - the same
from calibration.cli import main as calibrate  # noqa: E402 - the same
from skins import load_shipped_skin  # noqa: E402 - the same

if TYPE_CHECKING:
    from numpy.typing import NDArray

OUT = ROOT / "tests" / "screens" / "readme"
LOOK, NAME = "decorated", "my-clone"
SEED = 5
FRAME_PX = 8
GAP_PX = 24
FRAME_BGR, PAPER_BGR = (120, 96, 70), (255, 255, 255)


def main() -> int:
    """Draw them all."""
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINEBOT_SKINS"] = folder
        pictures = {name: Path(folder) / f"{name}.png" for name in ("fresh", "mid-game", "another", "new")}
        for name, path in pictures.items():
            save_png(path, _window(rng, "fresh" if name == "fresh" else "mid"))
        shown = [pictures[name] for name in ("fresh", "mid-game", "another")]
        save_png(OUT / "unknown-clone.png", _side_by_side(shown))
        _expect(calibrate([*map(str, shown), "--name", NAME, "--sheet", str(OUT / "unknown-clone-looks.png")]))
        new = str(pictures["new"])
        _expect(minebot(["advise", new, "--mines", "10", "--picture", str(OUT / "unknown-clone-advice.png")]))
    return 0


def _window(rng: random.Random, state: str) -> NDArray[np.uint8]:
    """A board in a plain frame: uint8, H x W x 3, B, G, R."""
    looks, rendered = importlib.import_module("made_looks"), importlib.import_module("rendered")
    board = looks.paint_made(LOOK, rendered.position(rng, "beginner", state, load_shipped_skin("classic")))
    framed = np.full((board.shape[0] + 2 * FRAME_PX, board.shape[1] + 2 * FRAME_PX, 3), FRAME_BGR, dtype=np.uint8)
    framed[FRAME_PX:-FRAME_PX, FRAME_PX:-FRAME_PX] = board
    return framed


def _side_by_side(paths: list[Path]) -> NDArray[np.uint8]:
    """Pictures of one height in a row: uint8, H x W x 3, B, G, R."""
    pictures = [load_frame(path).pixels_bgr for path in paths]
    gap = np.full((pictures[0].shape[0], GAP_PX, 3), PAPER_BGR, dtype=np.uint8)
    return np.hstack([part for picture in pictures for part in (picture, gap)][:-1])


def _expect(code: int) -> None:
    assert code == 0, f"a command ended with {code}"


if __name__ == "__main__":
    sys.exit(main())
