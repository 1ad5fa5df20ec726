"""Draws the pictures of the README's section on pictures, each by the command that it shows.

    python scripts/draw_readme.py            writes them to tests/screens/readme

Words in them are drawn with the font of the OpenCV at hand, so other versions make other pixels.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageSequence

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.cli import main as minebot  # noqa: E402 - run by path: the packages are found only after the line above
from solver import format_board  # noqa: E402 - the same
from solver.game import Game  # noqa: E402 - the same

SCREENS = ROOT / "tests" / "screens"
OUT = SCREENS / "readme"
N_COLOURS = 64
"""Of a picture here: fewer bytes, and no eye sees it."""
N_FILM_COLOURS = 32
FILM_WIDTH_PX = 720
SHAPE, MINES, SEED = (4, 4, 4, 4), 12, 1


def main() -> int:
    """Draw them all."""
    with tempfile.TemporaryDirectory() as folder:
        _draw(Path(folder))
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


if __name__ == "__main__":
    sys.exit(main())
