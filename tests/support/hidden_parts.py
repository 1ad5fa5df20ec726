"""Boards of which a part is hidden: cut by the edge of a picture, or covered by windows; and what came of each.

Boards of every shipped skin, scale and state are painted on desktops (`rendered`). Each picture is cut somewhere
(through cells, between them, at or beside the border), or something is laid over it: straight or ragged, on any side.
Some are compressed, dimmed, or a few levels off in their colours. Where the mines are is known; so is what must not
happen: a proof that is false, a cell read wrongly, a hidden side taken for the board's own, a part that is played.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import fourd
import numpy as np
import rendered

from bot.blocks import Blocks
from bot.commands.loading import read_frame
from bot.errors import BoardNotFoundError, UsageError
from bot.models import Frame, Region
from bot.playing.board_view import BoardSearch
from bot.playing.control import Control
from bot.reporting.advice import advise
from skins import load_shipped_skins
from solver.board import CLOSED, OPEN_UNKNOWN, UNREADABLE
from solver.errors import DisagreementError, InconsistentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SCALES = (1.0, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
SIDES = ("left", "top", "right", "bottom")
AROUND_PX = 90
"""So much desktop lies around a board at least; what is cut off is cut off from there."""
LEAST_CELLS = 4.5
"""So many cells are left of a board along each axis."""
OTHER_STEPS = 40
"""Whatever lies over a board differs by so much from the page or window that the board lies on, and from a border that
has the colour of its window: else nothing tells."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A board on a picture that may not show all of it.

    Attributes:
        name: how it was made, in words.
        frame: the picture.
        region: where all of the board is; it may reach beyond the frame.
        edges: where its columns and rows begin, from the board's corner on, and the last ones end.
        codes: what every cell of it shows: int16, rows x cols as they lie on the screen.
        has_mine: where the mines are; None where that is not decided, as nothing is open.
        is_room: whether the frame shows a whole cell's breadth around all of the board.
        is_clean: whether the picture is neither compressed nor off in its colours.
        hidden: at which sides whole lines of cells are out of sight.
    """

    name: str
    frame: Frame
    region: Region
    edges: tuple[Sequence[float], Sequence[float]]
    codes: NDArray[np.int16]
    has_mine: NDArray[np.bool_] | None
    is_room: bool
    is_clean: bool
    hidden: frozenset[str]

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
        around_bgr: the colour of the window that it lies in, and those of the borders that blend with what is there.
        margins_px: the least and the most of that there is on each side.
    """

    name: str
    pixels_bgr: NDArray[np.uint8]
    edges: tuple[Sequence[float], Sequence[float]]
    codes: NDArray[np.int16]
    has_mine: NDArray[np.bool_]
    depth_px: int
    around_bgr: tuple[tuple[int, int, int], ...]
    margins_px: tuple[int, int] = (20, 40)

    @property
    def pitch(self) -> tuple[float, float]:
        """The farthest that it is from one cell to the next, each way."""
        across, down = (max(far - near for near, far in pairwise(edges)) for edges in self.edges)
        return across, down


def judge(seed: int, skin: str | None = None, *, is_covered: bool = False) -> Counter[str]:
    """Hide a part of one board, and count what came of it; what breaks a rule is named."""
    skins = load_shipped_skins()
    make = make_cover if is_covered else make_cut
    shown = make(random.Random(seed), [one for one in skins if skin in {None, one.name}])
    counts = Counter({"pictures": 1, "boards that go on unseen": bool(shown.hidden)})
    try:
        for name in _outcomes(shown, skins):
            counts[f"{name}: {seed}, {shown.name}" if name.startswith("BROKEN") else name] += 1
    except Exception as error:
        error.add_note(f"{seed}: {shown.name}")
        raise
    return counts


def make_cut(rng: random.Random, skins) -> Shown:
    """A board of one of the skins on a picture that is cut somewhere."""
    skin, board, pixels, whole = _on_a_desktop(rng, skins)
    sides = rng.sample(SIDES, rng.choice([0, 1, 1, 1, 2, 2, 4]))
    depths = {side: _inwards(rng, *_along(whole, board, side)) for side in sides}
    box = _box(whole, Frame(pixels).region, depths)
    frame = Frame(Frame(pixels).crop(box).pixels_bgr.copy())
    region = Region(whole.left - box.left, whole.top - box.top, whole.width, whole.height)
    hidden = frozenset(side for side, depth in depths.items() if depth > 0)
    return _shown(f"{skin.name} {board.name}, {region}", frame, region, board, hidden)


def make_cover(rng: random.Random, skins) -> Shown:
    """A board of one of the skins with something over it, or nothing, on a picture that may be damaged."""
    skin, board, pixels, whole = _on_a_desktop(rng, skins)
    sides = rng.sample(SIDES, rng.choice([0, 1, 1, 1, 1, 2, 2, 3]))
    gone = np.zeros(pixels.shape[:2], dtype=np.bool_)
    for side in sides:
        _cover(rng, pixels, gone, whole, board, side)
    name, frame = _damaged(rng, Frame(pixels))
    part = gone[whole.top : whole.top + whole.height, whole.left : whole.left + whole.width]
    across, down = ([round(edge) for edge in edges] for edges in board.edges)
    rows = [bool(part[near : max(far, near + 1)].any(axis=0).all()) for near, far in pairwise(down)]
    cols = [bool(part[:, near : max(far, near + 1)].any(axis=1).all()) for near, far in pairwise(across)]
    outer = {"left": cols[0], "right": cols[-1], "top": rows[0], "bottom": rows[-1]}
    hidden = frozenset(side for side, is_hidden in outer.items() if is_hidden)
    words = f"{skin.name} {board.name}, {whole}, {'+'.join(sides) or 'nothing'} covered{name}"
    shown = _shown(words, frame, whole, board, hidden)
    return replace(shown, is_clean=not name and not gone.any())


def _shown(name: str, frame: Frame, region: Region, board: Painted, hidden: frozenset[str]) -> Shown:
    height, width = frame.pixels_bgr.shape[:2]
    around = (region.left, region.top, width - region.left - region.width, height - region.top - region.height)
    has_mine = board.has_mine if (board.codes != CLOSED).any() else None
    is_room = min(around) >= 1.2 * max(board.pitch)
    return Shown(
        f"{name} on {width}x{height}", frame, region, board.edges, board.codes, has_mine, is_room, True, hidden
    )


def _along(whole: Region, board: Painted, side: str) -> tuple[int, float]:
    """How long a board is across a side, and how far it is from cell to cell."""
    return (whole.width, board.pitch[0]) if side in {"left", "right"} else (whole.height, board.pitch[1])


def _cover(rng, pixels, gone, whole, board, side):
    """Lay something over a side of a board: a window, or pieces of several depths."""
    length, pitch = _along(whole, board, side)
    turns = {"top": 0, "right": 1, "bottom": 2, "left": 3}[side]
    view, mask = np.rot90(pixels, turns), np.rot90(gone, turns)
    frame_height, frame_width = pixels.shape[:2]
    first = {
        "top": (whole.left, whole.top),
        "right": (whole.top, frame_width - whole.left - whole.width),
        "bottom": (frame_width - whole.left - whole.width, frame_height - whole.top - whole.height),
        "left": (frame_height - whole.top - whole.height, whole.left),
    }[side]
    width = whole.width if side in {"top", "bottom"} else whole.height
    left, top = first
    depth = max(_inwards(rng, length, pitch), 1)
    picture = _over(rng, board, view.shape)
    kind = rng.choice(["all", "flush", "window", "ragged"])
    if kind == "ragged":
        n_pieces = rng.randrange(2, 7)
        ends = np.linspace(left - 10, left + width + 10, n_pieces + 1).round().astype(int)
        pieces = [(*ends_of, max(depth - rng.randrange(int(2.5 * pitch)), 1)) for ends_of in pairwise(ends)]
    else:
        before, after = {"all": (left, view.shape[1]), "flush": (0, 0)}.get(
            kind, (rng.randrange(3, 80), rng.randrange(3, 80))
        )
        pieces = [(max(left - before, 0), left + width + after, depth)]
    above = rng.choice([0, top, rng.randrange(top)]) if kind != "flush" else 0
    for begin, end, deep in pieces:
        area = np.s_[max(top - above, 0) if above else 0 if kind != "flush" else top : top + deep, max(begin, 0) : end]
        view[area], mask[area] = picture[area], True


def _over(rng, board, shape):
    """What lies over a board: of one colour, or full of text and buttons; unlike what the board lies on."""
    around = np.array(board.around_bgr)[:, None, None]
    if rng.random() < 0.3:
        picture = rendered.desktop(rng, (max(shape[1], 420), max(shape[0], 420)))[: shape[0], : shape[1]]
        near = (np.abs(picture.astype(int) - around).max(axis=3) < OTHER_STEPS).any(axis=0)
        picture[near] = (np.array(board.around_bgr[0]) + 128) % 256
        return picture
    while True:
        colour = np.array([rng.randrange(256)] * 3 if rng.random() < 0.5 else [rng.randrange(256) for _ in range(3)])
        if (np.abs(colour - around).max(axis=3) >= OTHER_STEPS).all():
            return np.full(shape, colour, dtype=np.uint8)


def _damaged(rng, frame):
    """What was done to a picture, in words, and the picture."""
    kind = rng.choice(["", "", "", "jpeg", "jpeg", "shifted", "dimmed"])
    if kind == "jpeg":
        quality = rng.randrange(30, 96)
        return f", JPEG {quality}", rendered.as_jpeg(frame, quality)
    if kind == "shifted":
        by = [rng.randrange(-6, 7) for _ in range(3)]
        return f", shifted {by}", rendered.shifted(frame, np.array(by))
    if kind == "dimmed":
        share = rng.uniform(0.6, 0.97)
        return f", dimmed {share:.2f}", Frame((frame.pixels_bgr * share).round().astype(np.uint8))
    return "", frame


def _on_a_desktop(rng, skins):
    skin = rng.choice(skins)
    board = _painted_in_blocks(rng, skin) if skin.drawing.is_in_blocks else _painted(rng, skin)
    pixels, left, top = _on_desktop(rng, skin, board)
    return skin, board, pixels, Region(left, top, board.pixels_bgr.shape[1], board.pixels_bgr.shape[0])


def _painted(rng: random.Random, skin) -> Painted:
    """A board of a skin, at some scale."""
    scale = rng.choice(SCALES)
    state, kernel = rng.choice(rendered.STATES), rng.choice(list(rendered.KERNELS))
    level = rng.choice(["beginner", "intermediate", "expert"] if scale <= 2 else ["beginner", "intermediate"])
    words, has_mine = rendered.dealt(rng, level, state, skin)
    picture = rendered.enlarged(rendered.paint(skin, words), scale, kernel)
    depth = 0 if skin.border is None else round(skin.border.depth_px * scale)
    height, width = picture.shape[:2]
    edges = (np.linspace(0, width, len(words[0]) + 1).tolist(), np.linspace(0, height, len(words) + 1).tolist())
    codes = np.array([[rendered.code_of(word) for word in row] for row in words], dtype=np.int16)
    border = skin.border
    blending = () if border is None else [one for side in border.blends for one in getattr(border, f"{side}_bgr")]
    around = (skin.drawing.around_bgr or (192, 192, 192), *blending)
    return Painted(f"{scale:g} {kernel} {level} {state}", picture, edges, codes, has_mine, depth, around)


def _painted_in_blocks(rng: random.Random, skin) -> Painted:
    """A board of four dimensions, in blocks."""
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
        (background,),
        margins,
    )


def _on_desktop(rng: random.Random, skin, board: Painted) -> tuple[NDArray[np.uint8], int, int]:
    """A desktop with a board in its window: the picture, and where the board's left and top edges are."""
    depth = board.depth_px
    framed = rendered.framed(skin, board.pixels_bgr, depth, rng)
    margins = [rng.randrange(*board.margins_px) for _ in range(4)]
    shape = (framed.shape[0] + margins[1] + margins[3], framed.shape[1] + margins[0] + margins[2], 3)
    window = np.full(shape, board.around_bgr[0], np.uint8)
    window[margins[1] : margins[1] + framed.shape[0], margins[0] : margins[0] + framed.shape[1]] = framed
    size = (max(window.shape[1] + 2 * AROUND_PX, 420), max(window.shape[0] + 2 * AROUND_PX, 420))
    pixels = rendered.desktop(rng, size)
    x, y = (size[0] - window.shape[1]) // 2, (size[1] - window.shape[0]) // 2
    pixels[y : y + window.shape[0], x : x + window.shape[1]] = window
    return pixels, x + margins[0] + depth, y + margins[1] + depth


def _box(board: Region, frame: Region, depths: dict[str, int]) -> Region:
    """What is left of a frame that is cut so deep inside of some of a board's sides."""
    left = board.left + depths["left"] if "left" in depths else 0
    top = board.top + depths["top"] if "top" in depths else 0
    right = board.left + board.width - depths["right"] if "right" in depths else frame.width
    bottom = board.top + board.height - depths["bottom"] if "bottom" in depths else frame.height
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


def _outcomes(shown, skins):
    """What came of a picture, in words."""
    try:
        boards = read_frame(shown.frame, Path("picture.png"), "auto", None)
    except BoardNotFoundError:
        boards = []
        yield "no board found"
    for reading, _ in boards:
        yield "boards read"
        yield from _judge_reading(shown, reading)
    yield from _judge_search(shown, skins)


def _judge_reading(shown, reading):
    """Whether what was read, and what is proven of it, is true."""
    cells = {}
    for cell in np.ndindex(reading.board.shape):
        middle = reading.grid.cell_region(cell)
        cells[cell] = shown.cell_at(middle.left + middle.width / 2, middle.top + middle.height / 2)
    wrong = [
        cell
        for cell, place in cells.items()
        if reading.board[cell] not in {UNREADABLE, OPEN_UNKNOWN}
        and (place is None or shown.codes[place] != reading.board[cell])
    ]
    if wrong:
        cell = wrong[0]
        truth = None if cells[cell] is None else int(shown.codes[cells[cell]])
        yield f"BROKEN: cell read wrongly ({int(reading.board[cell])} for {truth})"
    cut = reading.grid.clipped
    if shown.is_room and cut and shown.is_clean and not shown.hidden:
        yield "BROKEN: a board seen whole is said to go on"
    if len(cells) == shown.codes.size and None not in cells.values():
        yield "whole boards said to go on" if cut else "whole boards"
    elif not cut:
        yield "BROKEN: a part is taken for a whole board"
    elif not _goes_on_at(shown, reading, cells) <= cut:
        yield "BROKEN: a hidden side is taken for the board's own"
    yield from _judge_proofs(shown, reading, cells)


def _goes_on_at(shown, reading, cells):
    """At which sides of a reading the board has further cells."""
    if reading.grid.blocks is not None:
        return frozenset()
    rows, cols = shown.codes.shape
    places = [place for place in cells.values() if place is not None]
    least, most = np.min(places, axis=0), np.max(places, axis=0)
    beyond = {"top": least[0] > 0, "left": least[1] > 0, "bottom": most[0] < rows - 1, "right": most[1] < cols - 1}
    return frozenset(side for side, is_beyond in beyond.items() if is_beyond)


def _judge_proofs(shown, reading, cells):
    """Whether what is proven of a reading is true; `cells` are those of the whole board that it shows."""
    try:
        advice = advise(reading.board)
    except UsageError:
        yield "nothing proven"
        return
    except InconsistentError:
        yield "contradictions"
        return
    except DisagreementError as error:
        if "too hard" not in str(error):
            raise
        yield "proofs too hard to be made twice"
        return
    yield "advised"
    for cell, is_mine in [*((c, False) for c in advice.analysis.safe), *((c, True) for c in advice.analysis.mines)]:
        place = cells[cell]
        if place is None or shown.has_mine is None or bool(shown.has_mine[place]) != is_mine:
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


def _judge_search(shown, skins):
    """Whether play would take the board."""
    try:
        place = BoardSearch(_OneFrame(shown.frame), skins, Control(running=True), mines=5).first()
    except BoardNotFoundError:
        is_whole = shown.is_room and shown.is_clean and not shown.hidden
        yield "BROKEN: a board seen whole is not played" if is_whole else "not played"
        return
    except UsageError:
        yield "mine count not known"
        return
    grid = place.board.grid
    is_whole = (grid.rows, grid.cols) == shown.codes.shape
    yield "played" if is_whole else "BROKEN: a part is played"
