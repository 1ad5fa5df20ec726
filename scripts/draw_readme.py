"""Draws the pictures of the READMEs, each by the command that it shows.

    python scripts/draw_readme.py                 writes them to tests/screens/readme
    python scripts/draw_readme.py unknown-clone   only those on a clone that nobody knows

Words in them are drawn with the font of the OpenCV at hand, so other versions make other pixels. The unknown clone does
not exist: it is a made-up look of the tests (tests/support/made_looks.py).
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
from PIL import Image, ImageSequence

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from bot.cli import main as minebot  # noqa: E402 - run by path: the packages are found only after the line above
from bot.images import load_frame, save_png  # noqa: E402 - the same
from calibration.cli import main as calibrate  # noqa: E402 - the same
from skins import load_shipped_skin  # noqa: E402 - the same
from solver import format_board  # noqa: E402 - the same
from solver.game import Game  # noqa: E402 - the same

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCREENS = ROOT / "tests" / "screens"
OUT = SCREENS / "readme"
N_COLOURS = 64
"""Of a picture here: fewer bytes, and no eye sees it."""
N_FILM_COLOURS = 32
FILM_WIDTH_PX = 720
SHAPE, MINES, SEED = (4, 4, 4, 4), 12, 1
UNKNOWN = "unknown-clone"
LOOK, NAME = "decorated", "my-clone"
UNKNOWN_SEED = 5
FRAME_PX = 8
GAP_PX = 24
FRAME_BGR, PAPER_BGR = (120, 96, 70), (255, 255, 255)


def main() -> int:
    """Draw them."""
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] != [UNKNOWN]:
            _draw(Path(folder))
        _draw_unknown_clone(folder)
    return 0


def _draw(folder: Path) -> None:
    drawn = folder / "drawn.png"
    _run("advise", str(SCREENS / "msx-skin-winxp-mid.png"), "--picture", str(drawn))
    _keep(drawn, "risks.png")
    board = folder / "board.txt"
    board.write_text(format_board(_position().board), encoding="utf-8")
    _run("render", str(board), "--rulers", "--out", str(drawn))
    _keep(drawn, "render-4d.png")
    _run("render", str(ROOT / "tests" / "golden" / "pictures" / "lost.txt"), "--skin", "minebot", "--out", str(drawn))
    _keep(drawn, "render.png")
    _run("simulate", "expert", "-n", "10000", "--jobs", "2", "--plot", str(drawn))
    _keep(drawn, "simulation.png")
    film = folder / "film.png"
    _run("replay", str(SCREENS / "winemine-game"), "--picture", str(film))
    _keep_film(film, "recording.gif")


def _position() -> Game:
    """A game of four dimensions with its first opening, every other mine flagged."""
    game = Game(SHAPE, MINES, seed=SEED)
    game.open((0, 0, 0, 0))
    assert game.layout is not None, "a cell was opened"
    for cell in sorted(game.layout.mine_cells)[::2]:
        game.toggle_flag(cell)
    return game


def _run(*arguments: str) -> None:
    code = minebot(arguments)
    assert code == 0, f"{arguments} ended with {code}"


def _keep(drawn: Path, name: str) -> None:
    """Keep a picture, its colours made fewer."""
    with Image.open(drawn) as picture:
        few = picture.convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
    few.save(OUT / name, optimize=True)


def _keep_film(drawn: Path, name: str) -> None:
    """Keep an animation, smaller and its colours made fewer: those that the last picture has, the fullest of all."""
    with Image.open(drawn) as film:
        pictures = [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]
        durations_ms = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
    size = FILM_WIDTH_PX, round(pictures[0].height * FILM_WIDTH_PX / pictures[0].width)
    small = [picture.resize(size, Image.Resampling.BOX) for picture in pictures]
    both = Image.fromarray(np.vstack([np.asarray(small[n]) for n in (0, len(small) // 2, -1)]))
    palette = both.quantize(N_FILM_COLOURS, dither=Image.Dither.NONE)
    few = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in small]
    few[0].save(OUT / name, save_all=True, append_images=few[1:], duration=durations_ms, loop=0, optimize=True)


def _draw_unknown_clone(folder: str) -> None:
    rng = random.Random(UNKNOWN_SEED)
    os.environ["MINEBOT_SKINS"] = folder
    pictures = {name: Path(folder) / f"{name}.png" for name in ("fresh", "mid-game", "another", "new")}
    for name, path in pictures.items():
        save_png(path, _window(rng, "fresh" if name == "fresh" else "mid"))
    shown = [pictures[name] for name in ("fresh", "mid-game", "another")]
    save_png(OUT / "unknown-clone.png", _side_by_side(shown))
    _expect(calibrate([*map(str, shown), "--name", NAME, "--picture", str(OUT / "unknown-clone-looks.png")]))
    new = str(pictures["new"])
    _expect(minebot(["advise", new, "--mines", "10", "--picture", str(OUT / "unknown-clone-advice.png")]))


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
