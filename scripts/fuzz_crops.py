"""Cut boards by the edges of pictures at random, and say what came of it.

    python scripts/fuzz_crops.py [-n 2000] [--seed N] [--skin NAME]

Boards of every shipped skin, scale and state are painted on desktops (tests/support/rendered.py), and each picture is
cut somewhere: through cells, between them, at or beside the border. Where the mines are is known; so is what
must not happen: a proof that is false, a cell read wrongly, a board that goes on unseen and is to be played, an error
that is not documented. Prints every such case with its number: --seed repeats it; exits with 1 if there was any.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import traceback
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.blocks import Blocks
from bot.commands.loading import read_frame
from bot.errors import BoardNotFoundError, UsageError
from bot.models import Frame, Region
from bot.playing.board_view import BoardSearch
from bot.playing.control import Control
from bot.reporting.advice import advise
from skins import load_shipped_skins
from solver import InconsistentError
from solver.board import CLOSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Reading
    from skins.skin import Skin

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"
SCALES = (1.0, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
AROUND_PX = 90
"""So much desktop lies around a board at least; what is cut off is cut off from there."""
LEAST_CELLS = 4.5
"""So many cells are left of a board along each axis."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A board on a picture that may not show all of it.

    Attributes:
        name: how it was made, in words.
        frame: the picture.
        region: where all of the board is; it may reach beyond the frame.
        edges: where its columns and rows begin, from the board's corner on, and the last ones end.
        codes: what every cell of it shows: int16, rows x cols as they lie on the screen.
        has_mine: where the mines are; None where that is not decided, as nothing is open.
        is_room: whether the frame shows a whole cell's breadth around all of the board.
    """

    name: str
    frame: Frame
    region: Region
    edges: tuple[Sequence[float], Sequence[float]]
    codes: NDArray[np.int16]
    has_mine: NDArray[np.bool_] | None
    is_room: bool

    @property
    def sides(self) -> frozenset[str]:
        """Past which edges of the frame the board goes on."""
        board, frame = self.region, self.frame.region
        beyond = {
            "left": board.left < frame.left,
            "top": board.top < frame.top,
            "right": board.left + board.width > frame.left + frame.width,
            "bottom": board.top + board.height > frame.top + frame.height,
        }
        return frozenset(side for side, is_beyond in beyond.items() if is_beyond)

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """The cell of the whole board that a place on the frame belongs to."""
        rows, cols = self.codes.shape
        across, down = self.edges
        row, col = bisect_right(down, y - self.region.top) - 1, bisect_right(across, x - self.region.left) - 1
        return (row, col) if 0 <= row < rows and 0 <= col < cols else None


@dataclass(frozen=True, eq=False)
class Painted:
    """A board's picture, and the truth of it.

    Attributes:
        name: how it was made, in words.
        pixels_bgr: of the board alone.
        edges: as those of `Cut`.
        codes: likewise.
        has_mine: likewise, but decided or not.
        depth_px: of the border that its skin has.
        around_bgr: the colour of the window that it lies in.
        margins_px: the least and the most of that there is on each side.
    """

    name: str
    pixels_bgr: NDArray[np.uint8]
    edges: tuple[Sequence[float], Sequence[float]]
    codes: NDArray[np.int16]
    has_mine: NDArray[np.bool_]
    depth_px: int
    around_bgr: tuple[int, int, int]
    margins_px: tuple[int, int] = (0, 40)

    @property
    def pitch(self) -> tuple[float, float]:
        """The farthest that it is from one cell to the next, each way."""
        across, down = (max(far - near for near, far in pairwise(edges)) for edges in self.edges)
        return across, down


def main(arguments: Sequence[str]) -> int:
    """Cut so many pictures; return 0 when no rule was broken."""
    parser = argparse.ArgumentParser(prog="fuzz_crops.py", description="Cuts boards by the edges of pictures.")
    parser.add_argument("-n", type=int, default=2000, help="pictures (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the next follow (default %(default)s)")
    parser.add_argument("--skin", metavar="NAME", help="only this one")
    args = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for seed in range(args.seed, args.seed + args.n):
        counts += judge(seed, args.skin)
    print("\n".join(f"{name:40}{counts[name]:9,}" for name in sorted(counts)))
    return 1 if any(name.startswith("BROKEN") for name in counts) else 0


def judge(seed: int, skin: str | None = None) -> Counter[str]:
    """Cut one picture, and count what came of it; what breaks a rule is printed too."""
    skins = load_shipped_skins()
    cut = make_cut(random.Random(seed), [one for one in skins if skin in {None, one.name}])
    counts = Counter({"pictures": 1, "boards that go on unseen": bool(cut.sides)})
    try:
        for name in _outcomes(cut, skins):
            counts[name] += 1
            if name.startswith("BROKEN"):
                print(f"{seed}: {name}: {cut.name}", flush=True)
    except Exception:  # noqa: BLE001 - any error that is not documented is what is looked for
        counts["BROKEN: traceback"] += 1
        print(f"{seed}: {cut.name}\n{traceback.format_exc()}", flush=True)
    return counts


def make_cut(rng: random.Random, skins: Sequence[Skin]) -> Cut:
    """A board of one of the skins on a picture that is cut somewhere."""
    skin = rng.choice(skins)
    board = _painted_in_blocks(rng, skin) if skin.drawing.is_in_blocks else _painted(rng, skin)
    pixels, left, top = _on_desktop(rng, skin, board)
    whole = Region(left, top, board.pixels_bgr.shape[1], board.pixels_bgr.shape[0])
    frame = Frame(pixels)
    sides = rng.sample(["left", "top", "right", "bottom"], rng.choice([0, 1, 1, 1, 2, 2, 4]))
    box = _box(rng, whole, frame.region, board.pitch, sides)
    shown = frame.crop(box).pixels_bgr
    region = Region(whole.left - box.left, whole.top - box.top, whole.width, whole.height)
    around = (region.left, region.top, box.width - region.left - region.width, box.height - region.top - region.height)
    name = f"{skin.name} {board.name}, {region} on {box.width}x{box.height}"
    has_mine = board.has_mine if (board.codes != CLOSED).any() else None
    is_room = min(around) >= 1.2 * max(board.pitch)
    return Cut(name, Frame(shown.copy()), region, board.edges, board.codes, has_mine, is_room)


def _painted(rng: random.Random, skin: Skin) -> Painted:
    """A board of a skin, at some scale."""
    rendered = _support("rendered")
    scale = rng.choice(SCALES)
    state, kernel = rng.choice(rendered.STATES), rng.choice(list(rendered.KERNELS))
    level = rng.choice(["beginner", "intermediate", "expert"] if scale <= 2 else ["beginner", "intermediate"])
    words, has_mine = rendered.dealt(rng, level, state, skin)
    picture = rendered.enlarged(rendered.paint(skin, words), scale, kernel)
    depth = 0 if skin.border is None else round(skin.border.depth_px * scale)
    height, width = picture.shape[:2]
    edges = (np.linspace(0, width, len(words[0]) + 1).tolist(), np.linspace(0, height, len(words) + 1).tolist())
    codes = np.array([[rendered.code_of(word) for word in row] for row in words], dtype=np.int16)
    around = skin.drawing.around_bgr or (192, 192, 192)
    return Painted(f"{scale:g} {kernel} {level} {state}", picture, edges, codes, has_mine, depth, around)


def _painted_in_blocks(rng: random.Random, skin: Skin) -> Painted:
    """A board of four dimensions, in blocks."""
    fourd = _support("fourd")
    state, shape = rng.choice(fourd.STATES), rng.choice([(4, 4, 4, 4), (3, 3, 3, 3), (2, 3, 4, 4)])
    position = fourd.position(rng, state, shape, rng.choice([5, 8, 10]))
    hovered = tuple(rng.randrange(n) for n in shape) if rng.random() < 0.6 else None
    gap, extra = rng.randrange(1, 5), rng.choice([0, 1, 3, 6, 10, 17, 24])
    margins = (24, 40)
    if len(set(shape)) > 1:  # such a board is known only where its blocks are set apart, and with so much around it
        extra = max(extra, 1)
        margins = (gap + extra + 20, gap + extra + 40)
    background = rng.choice(fourd.BACKGROUNDS)
    picture, corners = fourd.paint(position, hovered, gap, gap + extra, background)
    side = skin.pitch_px[0]
    across, down = (sorted({corner[axis] for corner in corners.values()}) for axis in (0, 1))
    blocks = Blocks(shape)
    name = f"{'x'.join(map(str, shape))} {state}, gaps {gap} and {gap + extra}"
    return Painted(
        name,
        picture,
        ([*across, across[-1] + side], [*down, down[-1] + side]),
        blocks.to_surface(position.cells),
        blocks.to_surface(position.has_mine),
        0,
        background,
        margins,
    )


def _support(name: str) -> Any:
    """A module of what the tests share."""
    if str(SUPPORT) not in sys.path:
        sys.path.insert(0, str(SUPPORT))
    return importlib.import_module(name)


def _on_desktop(rng: random.Random, skin: Skin, board: Painted) -> tuple[NDArray[np.uint8], int, int]:
    """A desktop with a board in its window: the picture, and where the board's left and top edges are."""
    rendered, depth = _support("rendered"), board.depth_px
    framed = rendered.framed(skin, board.pixels_bgr, depth, rng)
    margins = [rng.randrange(*board.margins_px) for _ in range(4)]
    shape = (framed.shape[0] + margins[1] + margins[3], framed.shape[1] + margins[0] + margins[2], 3)
    window = np.full(shape, board.around_bgr, np.uint8)
    window[margins[1] : margins[1] + framed.shape[0], margins[0] : margins[0] + framed.shape[1]] = framed
    size = (max(window.shape[1] + 2 * AROUND_PX, 420), max(window.shape[0] + 2 * AROUND_PX, 420))
    pixels = rendered.desktop(rng, size)
    x, y = (size[0] - window.shape[1]) // 2, (size[1] - window.shape[0]) // 2
    pixels[y : y + window.shape[0], x : x + window.shape[1]] = window
    return pixels, x + margins[0] + depth, y + margins[1] + depth


def _box(rng: random.Random, board: Region, frame: Region, pitch: tuple[float, float], sides: Sequence[str]) -> Region:
    """What is left of a frame that is cut at some sides."""
    left, top, right, bottom = 0, 0, frame.width, frame.height
    if "left" in sides:
        left = board.left + _inwards(rng, board.width, pitch[0])
    if "top" in sides:
        top = board.top + _inwards(rng, board.height, pitch[1])
    if "right" in sides:
        right = board.left + board.width - _inwards(rng, board.width, pitch[0])
    if "bottom" in sides:
        bottom = board.top + board.height - _inwards(rng, board.height, pitch[1])
    return Region(left, top, right - left, bottom - top)


def _inwards(rng: random.Random, length: int, pitch: float) -> int:
    """How far inside of a board's edge a picture is cut: a third between cells, some right around the edge."""
    most = (length - LEAST_CELLS * pitch) / 2
    kind = rng.random()
    if kind < 0.3:
        return int(rng.randrange(int(most / pitch) + 1) * pitch + 0.5)
    if kind < 0.5:
        return rng.randrange(-round(pitch), 4)
    return rng.randrange(int(most) + 1)


def _outcomes(cut: Cut, skins: Sequence[Skin]) -> Iterator[str]:
    """What came of a picture, in words."""
    try:
        boards = read_frame(cut.frame, Path("picture.png"), "auto", None)
    except BoardNotFoundError:
        boards = []
        yield "no board found"
    for reading, _ in boards:
        yield "boards read"
        yield from _judge_reading(cut, reading)
    yield from _judge_search(cut, skins)


def _judge_reading(cut: Cut, reading: Reading) -> Iterator[str]:
    """Whether what was read, and what is proven of it, is true."""
    cells: dict[tuple[int, ...], tuple[int, int] | None] = {}
    for cell in np.ndindex(reading.board.shape):
        middle = reading.grid.cell_region(cell)
        cells[cell] = cut.cell_at(middle.left + middle.width / 2, middle.top + middle.height / 2)
    numbers = [cell for cell in cells if reading.board[cell] >= 0]
    for cell in numbers:
        place = cells[cell]
        if place is None or cut.codes[place] != reading.board[cell]:
            yield "BROKEN: number read wrongly"
            break
    shown = reading.grid.cut
    if cut.is_room and shown:
        yield "BROKEN: a board seen whole is said to go on"
    if len(cells) == cut.codes.size and None not in cells.values():
        yield "whole boards said to go on" if shown else "whole boards"
    elif not shown:
        yield "BROKEN: a part is taken for a whole board"
    yield from _judge_proofs(cut, reading, cells)


def _judge_proofs(cut: Cut, reading: Reading, cells: dict[tuple[int, ...], tuple[int, int] | None]) -> Iterator[str]:
    """Whether what is proven of a reading is true; `cells` are those of the whole board that it shows."""
    try:
        advice = advise(reading.board)
    except UsageError:
        yield "nothing proven"
        return
    except InconsistentError:
        yield "contradictions"
        return
    yield "advised"
    for cell, is_mine in [*((c, False) for c in advice.analysis.safe), *((c, True) for c in advice.analysis.mines)]:
        place = cells[cell]
        if place is None or cut.has_mine is None or bool(cut.has_mine[place]) != is_mine:
            yield "BROKEN: false proof"
            break
    yield "with proofs" if advice.analysis.safe or advice.analysis.mines else "without proofs"


class _OneFrame:
    """A screen that shows one picture."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def grab(self, region: Region | None = None) -> Frame:
        """The picture."""
        return self._frame if region is None else self._frame.crop(region)

    def close(self) -> None:
        """Nothing is held."""


def _judge_search(cut: Cut, skins: Sequence[Skin]) -> Iterator[str]:
    """Whether play would take the board."""
    try:
        place = BoardSearch(_OneFrame(cut.frame), skins, Control(running=True), mines=5).first()
    except BoardNotFoundError:
        yield "BROKEN: a board seen whole is not played" if cut.is_room and not cut.sides else "not played"
        return
    except UsageError:
        yield "mine count not known"
        return
    grid = place.board.grid
    is_whole = (grid.rows, grid.cols) == cut.codes.shape
    yield "played" if is_whole and not cut.sides else "BROKEN: a part is played"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
