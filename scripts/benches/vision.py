"""How fast and how right seeing is.

CPU time of one thread, medians. Screens are made up from seeds (tests/support/rendered.py): boards of every shipped
skin on cluttered desktops of 1920 x 1080. The baseline is a plain `cv2.matchTemplate`: the closed sprite over the whole
screen to find, every sprite over the whole board to read. `--accuracy` reads every skin at every scale instead, in
every state, by every kernel, and prints a table: boards found, rectangles exact, cells unknown and cells wrong.
"""

from __future__ import annotations

import importlib
import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from benches import cpu_ms
from bot.errors import ScreenError
from bot.models import Frame
from bot.vision.board_edge import BorderWatch
from bot.vision.finding import find_boards
from bot.vision.reading import Reader, read_board
from skins import load_shipped_skins
from skins.skin import CLOSED
from solver.board import UNREADABLE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from bot.models import Grid
    from skins.skin import Skin

ROUNDS = 15
SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 27.5 / 16)
KERNELS = ("nearest", "linear", "cubic", "area")
STATES = ("fresh", "mid", "lost", "won")
PLACES = ((0, 0), (1, 1), (0, 1), (1, 0), (0.5, 0), None, None, None, None, None)
"""Where on the desktop, from 0 to 1; 0 and 1 are its very edges, None is anywhere."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--accuracy", action="store_true", help="read every skin at every scale, in every state")
    parser.add_argument("--places", type=int, default=10, metavar="N", help="places a case (default %(default)s)")
    parser.add_argument("--kernels", default=",".join(KERNELS), metavar="A,B", help="default %(default)s")
    parser.add_argument("--skin", metavar="NAME", help="only this one")
    parser.add_argument("--negatives", type=int, default=0, metavar="N", help="also search N pictures without a board")


def run(args: argparse.Namespace) -> int:
    """Measure what was asked for and print it; return 1 if a cell was read wrongly."""
    rendered = importlib.import_module("rendered")
    skins = load_shipped_skins()
    chosen = [skin for skin in skins if args.skin in {None, skin.name} and not skin.drawing.is_in_blocks]
    if not args.accuracy:
        for skin in chosen:
            _time_skin(rendered, skin, skins)
        _time_capture()
        return 0
    total: Counter[str] = Counter()
    print(f"{'skin':<12}{'scale':>8}  state " + "".join(f"{name:>9}" for name in _COUNTED))
    for skin in chosen:
        for scale in SCALES:
            for state in STATES:
                counts = _judge(rendered, skin, skins, scale, state, args.kernels.split(","), args.places)
                total += counts
                shown = "".join(f"{counts[name]:9d}" for name in _COUNTED)
                print(f"{skin.name:<12}{scale:8.4g}  {state:<6}{shown}", flush=True)
    print(f"{'all':<28}" + "".join(f"{total[name]:9d}" for name in _COUNTED))
    found = [seed for seed in range(args.negatives) if find_boards(Frame(rendered.not_a_board(seed)), skins)]
    if args.negatives:
        print(f"boards found on {args.negatives} pictures without one: {len(found)} {found or ''}")
    return 1 if total["wrong"] or found else 0


_COUNTED = ("screens", "found", "exact", "others", "cells", "unknown", "wrong")


def _judge(
    rendered: Any, skin: Skin, skins: Sequence[Skin], scale: float, state: str, kernels: Sequence[str], n_places: int
) -> Counter[str]:
    """Find and read one skin at one scale in one state, by every kernel at several places."""
    counts: Counter[str] = Counter()
    for kernel in kernels if scale != 1 else ("nearest",):
        for seed in range(n_places):
            place = PLACES[seed % len(PLACES)]
            shown = rendered.screen(skin, scale=scale, state=state, kernel=kernel, place=place, seed=seed)
            counts += _compared(shown, find_boards(shown.frame, skins))
    return counts


def _compared(shown: Any, boards: Sequence[Any]) -> Counter[str]:
    counts = Counter(screens=1)
    for board in boards:
        grid = board.grid
        near = max(abs(grid.region.left - shown.region.left), abs(grid.region.top - shown.region.top)) <= 2
        if not near or (grid.rows, grid.cols) != shown.codes.shape:
            counts["others"] += 1
            continue
        counts["found"] += 1
        counts["exact"] += int(grid.region == shown.region)
        cells = read_board(shown.frame, grid, board.skin).board.cells
        counts["cells"] += cells.size
        counts["unknown"] += int((cells == UNREADABLE).sum())
        counts["wrong"] += int(((cells != shown.codes) & (cells != UNREADABLE)).sum())
    return counts


def _time_skin(rendered: Any, skin: Skin, skins: Sequence[Skin]) -> None:
    shown = rendered.screen(skin, state="mid", level="expert", seed=3)
    frame: Frame = shown.frame
    (board,) = find_boards(frame, skins)
    grid: Grid = board.grid
    reader = Reader(skin, grid)
    reading = reader.read(frame)
    assert np.array_equal(reading.board.cells, shown.codes), "the board is read rightly"
    changed = Frame(frame.pixels_bgr.copy())
    region = grid.cell_region((3, 3))
    sprites = [one for one in skin.sprites if not np.array_equal(one.pixels_bgr, frame.crop(region).pixels_bgr)]
    changed.crop(region).pixels_bgr[:] = sprites[0].pixels_bgr
    frames = itertools.cycle([changed, frame])
    watch = BorderWatch(frame, grid)
    enlarged = rendered.screen(skin, scale=1.5, kernel="linear", state="mid", level="intermediate", seed=3)
    scaled_grid = find_boards(enlarged.frame, skins)[0].grid
    lines = [
        ("find", _median_ms(lambda: find_boards(frame, skins))),
        ("find, matchTemplate", _median_ms(lambda: _match_over(frame.pixels_bgr, [skin.pictures([CLOSED])[CLOSED]]))),
        ("first read", _median_ms(lambda: Reader(skin, grid).read(frame))),
        ("first read, matchTemplate", _median_ms(lambda: _match_sprites(frame, grid, skin))),
        ("re-read, one cell changed", _median_ms(lambda: reader.read(next(frames)))),
        ("re-read, nothing changed", _median_ms(lambda: reader.read(frame))),
        ("verify by the border", _median_ms(lambda: watch.is_still_there(frame))),
        ("find at 150 %", _median_ms(lambda: find_boards(enlarged.frame, skins))),
        ("first read at 150 %", _median_ms(lambda: Reader(skin, scaled_grid).read(enlarged.frame))),
    ]
    print(f"\n{skin.name}: 16 x 30 cells of {skin.pitch_px[0]} px on 1920 x 1080, CPU ms, median of {ROUNDS}")
    for name, took_ms in lines:
        print(f"  {name:<28}{took_ms:9.3f}")
    times = dict(lines)
    for name in ("find", "first read"):
        print(f"  {'matchTemplate / ' + name:<28}{times[name + ', matchTemplate'] / times[name]:9.1f}")


def _match_over(pixels: Any, sprites: Sequence[Any]) -> None:
    for one in sprites:
        cv2.matchTemplate(pixels, one, cv2.TM_SQDIFF)


def _match_sprites(frame: Frame, grid: Grid, skin: Skin) -> None:
    board = np.ascontiguousarray(frame.crop(grid.region).pixels_bgr)
    _match_over(board, [sprite.pixels_bgr for sprite in skin.sprites])


def _median_ms(work: Callable[[], Any]) -> float:
    """CPU milliseconds of the process; every library is kept to one thread."""
    cv2.setNumThreads(1)
    work()
    return float(np.median([cpu_ms(work) for _ in range(ROUNDS)]))


def _time_capture() -> None:
    from bot.desktop import this_platform  # noqa: PLC0415 - needs a display

    try:
        screen = this_platform().screen()
    except ScreenError as error:
        print(f"\nno capture: {error}")
        return
    print(f"\ncapture of the whole screen: {_median_ms(lambda: screen.grab(None)):.3f} ms")
    screen.close()
