"""One run of learning by playing: finds the board, plays games until two agree, makes the skin.

Where the cells of a fresh board begin: all of them look alike, so only how far the board goes tells.

A pattern that repeats can be cut anywhere, half a cell off as well; but then a row and a column less are whole. Cells
of one plain colour tell nothing: what is around a board may have it too.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.errors import Aborted, TimeIsUp
from bot.models import Pixel, Region
from bot.playing.control import FocusWatch, Pointer
from bot.playing.new_game import layer_over
from bot.vision.board_edge import beside
from bot.vision.matching import cut_cells
from calibration.appearances import has_equals
from calibration.cells import AS_THEY_ARE
from calibration.errors import CalibrationError, GoneError, NoLatticeError, RulesError
from calibration.grids import find_cuts, find_like
from calibration.live.cut_board import watch_cut
from calibration.live.evidence import is_fresh
from calibration.live.learner import Ending, Learner
from calibration.live.memory import Enough, in_words, learned
from calibration.live.restart import Restarter
from calibration.pointed import find_pointed
from skins.pixels import fingerprint, largest_channel
from skins.skin import EXPLODED, FLAG, NewGame
from solver.board import format_sides

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.desktop import Desktop
    from bot.models import Frame, Grid
    from bot.playing.control import Control
    from calibration.cells import Cutter
    from calibration.grids import Cut
    from calibration.learning import Learned
    from calibration.live.cut_board import CutLook
    from calibration.live.memory import Memory
    from calibration.pointed import Pointed


_SAME_LOOK = 10
_WHOLE = 0.97
"""Share of its pixels that a cell has in common with the others: some clones shade corners. Likewise of cells."""


def widest(frame: Frame, grid: Grid) -> Grid:
    """The cut of a fresh board that makes the most cells; the one it has where none makes more.

    Args:
        frame: a picture of the whole screen.
        grid: where the board lies, maybe cut off its cells, of whole pixels.
    """
    across = _widest(frame.pixels_bgr, grid.origin.x - frame.left, grid.origin.y - frame.top, grid)
    high = frame.pixels_bgr.swapaxes(0, 1)
    turned = replace(grid, pitch_px=grid.pitch_px[::-1], rows=grid.cols, cols=grid.rows)
    down = _widest(high, grid.origin.y - frame.top, grid.origin.x - frame.left, turned)
    origin = Pixel(grid.origin.x + across[0], grid.origin.y + down[0])
    return replace(grid, origin=origin, rows=down[1], cols=across[1])


def _widest(pixels_bgr: NDArray[np.uint8], x: int, y: int, grid: Grid) -> tuple[int, int]:
    """How far to the right to cut a board that begins at x, y, and how many columns it has then."""
    width, height = (int(px) for px in grid.pitch_px)
    best = (0, grid.cols)
    for moved in sorted(range(-width + 1, width), key=abs):
        first = x + moved
        if first < 0 or first + (grid.cols + 1) * width > pixels_bgr.shape[1]:
            continue
        part = pixels_bgr[y : y + grid.rows * height, first : first + (grid.cols + 1) * width]
        cells = cut_cells(np.ascontiguousarray(part), grid.rows, grid.cols + 1)
        typical = np.median(cells[: 4 * grid.cols], axis=0)
        if np.ptp(typical, axis=(0, 1)).max() <= _SAME_LOOK:
            continue
        is_same = (largest_channel(np.abs(cells - typical)) <= _SAME_LOOK).mean(axis=(1, 2)) >= _WHOLE
        if is_same.all() and best[1] == grid.cols:
            best = (moved, grid.cols + 1)
    return best


_UNLIT_S = 0.6  # how long cells may take to look like the others once the pointer is off them, in seconds
_IN_ORDER = 0.8
_REACHES_PX = (110, 200, 400)
"""Distances around the pointer at which a board is looked for where the whole screen shows none, in pixels."""
_MOST_BROKEN_OFF = 3
_LONG_S = 40.0
"""How long to play for what is rare, in seconds: a number that a skin lacks is worked out in play. After it a skin that
is verified is enough."""
_SAME = 10  # pixels of parts of cells differ by no more, per channel


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What a run was asked to do.

    Attributes:
        name: what the skin is called.
        n_games: the most games that are played.
        minutes: and for how long.
        has_consent: whether keys and clicks that begin a new game may be tried.
        on_click: called right before every click.
    """

    name: str
    n_games: int = 8
    minutes: float = math.inf
    has_consent: bool = False
    on_click: Callable[[], None] | None = None


def learn_live(
    desktop: Desktop,
    control: Control,
    options: LiveOptions,
    tell: Callable[[str], None],
    memory: Memory | None = None,
    keep: Callable[[Memory], None] = lambda _: None,
) -> Learned:
    """Wait for the start key, find the board of an unknown clone, and learn its look by playing.

    Args:
        desktop: screen, mouse and keyboard.
        control: start, pause, stop.
        options: what was asked for.
        tell: told what a person should know.
        memory: what was learned before, None for nothing.
        keep: given what is known after each game, and when learning is stopped in the middle of one.

    Raises:
        Aborted: the abort key was pressed.
        CalibrationError: there is no board, it is no Minesweeper's, or too little was learned for a skin.
    """
    control.check()
    control.pause_until(time.perf_counter() + 60 * options.minutes)
    pointed_at = desktop.mouse.position()
    focus = FocusWatch(desktop.programs)
    pointer = Pointer(
        desktop.mouse,
        desktop.keyboard,
        control,
        focus,
        on_taken=lambda what: tell(f"{what}: paused; {control.start_name} goes on"),
        on_held=lambda keys: tell(f"{keys} held down: nothing is clicked until it is let go"),
        on_click=options.on_click,
    )
    frame = desktop.screen.grab()
    if pointer.is_free():  # it may have brought up a hint over the cells, and the one under it looks otherwise
        pointer.move(Pixel(frame.left + frame.region.width - 2, frame.top + frame.region.height // 2))
        control.wait(_UNLIT_S)
        frame = desktop.screen.grab()
    with control.thinking():
        grid, cutter = find_board(frame, pointed_at, tell, memory)
    focus.learn(grid.region.middle)
    view = watch_cut(desktop.screen, control, frame, grid, cutter)
    known = NewGame() if memory is None else memory.new_game
    restarter = Restarter(
        view, pointer, focus, desktop.screen, control, tell, has_consent=options.has_consent, known=known
    )
    learner = Learner(view, pointer, control, tell, restarter.close_dialog, partial(layer_over, view, focus), memory)
    return _Run(learner, restarter, control, options, tell, keep).to_end()


def find_board(frame: Frame, pointer: Pixel, tell: Callable[[str], None], memory: Memory | None) -> tuple[Grid, Cutter]:
    """Where the board lies that a person means, on a picture of the whole screen, and how its cells are cut out.

    Raises:
        NoLatticeError: there is none, or nobody can say which one is meant.
        CalibrationError: it may go on past the edge of the screen, or is not the one that is remembered.
    """
    pointed = find_pointed(frame, pointer)
    cuts = [] if pointed is not None and not _may_be_equal(frame, pointed) else find_cuts(frame)
    if pointed is not None and not any(_is_as_good(cut, pointed) for cut in cuts):
        codebook = None if memory is None else memory.codebook
        cutter = pointed.cutter if codebook is None else replace(pointed.cutter, codebook=codebook)
        return _told(frame, pointed.grid, cutter, tell, memory)
    cut = _choose_board(frame, cuts or _cuts_around(frame, pointer), pointer)
    if not has_equals(cut.cells.reshape(-1, *cut.cells.shape[2:])):
        raise NoLatticeError(
            f"what may be the board, at {tuple(cut.grid.origin)}, has hardly two cells that are equal: a background "
            "shows through them, or the screen is scaled. Clones are learned from cells that are drawn alike: choose "
            "another theme or size of this one"
        )
    is_plain = cut.cutter == AS_THEY_ARE
    grid = widest(frame, cut.grid) if is_plain and is_fresh(cut.cells) else cut.grid
    return _told(frame, grid, cut.cutter, tell, memory)


def _may_be_equal(frame: Frame, pointed: Pointed) -> bool:
    """Whether most pixels equal those a cell away, or two on a chequered board: those of dithered cells do not."""
    pixels = frame.crop(pointed.grid.region).pixels_bgr
    return all(
        max(
            _share_equal(turned, lag)
            for n in (1, 2)
            for lag in {math.floor(n * pitch + _WHOLE_PX), math.ceil(n * pitch - _WHOLE_PX)}
        )
        >= _MOST_PIXELS
        for turned, pitch in zip((pixels, pixels.swapaxes(0, 1)), pointed.grid.pitch_px, strict=True)
    )


def _share_equal(pixels_bgr: NDArray[np.uint8], lag: int) -> float:
    """The share of pixels that equal the one so far to the right."""
    return 1 - float(largest_channel(pixels_bgr[:, lag:] != pixels_bgr[:, :-lag]).mean())


_MOST_PIXELS = 0.85
"""Least share of pixels that are equal from cell to cell where closed cells are drawn alike. On 60 settings of the test
page it is 0.87 or more for these, and 0.83 or less for others."""
_WHOLE_PX = 0.02  # how far a pitch may be from the whole number that it is, in pixels


def _is_as_good(cut: Cut, pointed: Pointed) -> bool:
    """Whether a board that was found by what repeats on the screen is the one under the pointer, all cells equal.

    One of fewer cells is cut half a cell off.
    """
    ratios = (one / two for one, two in zip(cut.grid.pitch_px, pointed.grid.pitch_px, strict=True))
    one, two = cut.grid.region, pointed.grid.region
    n_shared = one.shared(two).n_pixels
    is_there = n_shared >= _SAME_SHARE * (one.n_pixels + two.n_pixels - n_shared)
    is_same = is_there and all(abs(ratio - 1) <= _SAME_PITCH for ratio in ratios)
    looks = fingerprint(cut.cells.reshape(-1, *cut.cells.shape[2:])).reshape(cut.cells.shape[:2])
    _, counts = np.unique(looks, return_counts=True)
    is_equal = bool(np.sort(counts)[-_MOST_EQUAL:].sum() >= _WHOLE * counts.sum())
    is_all = cut.grid.rows >= pointed.grid.rows and cut.grid.cols >= pointed.grid.cols
    return is_same and is_all and is_equal and cut.is_in_order and _is_of_cells(cut.grid, looks, pointed.grid)


def _is_of_cells(grid: Grid, looks: NDArray[Any], within: Grid) -> bool:
    """Whether most cells of a board that lie beyond another one have looks that it has, too: not the page around it.

    Args:
        grid: the board.
        looks: the fingerprints of its cells: rows x cols.
        within: the other one, of the same pitch.
    """
    apart = ((b - a) / pitch for a, b, pitch in zip(grid.corner, within.corner, grid.pitch_px, strict=True))
    left, top = (max(0, round(n)) for n in apart)
    is_within = np.zeros(looks.shape, dtype=np.bool_)
    is_within[top : top + within.rows, left : left + within.cols] = True
    beyond = looks[~is_within]
    return not beyond.size or bool(np.isin(beyond, looks[is_within]).mean() >= _LEAST_BEYOND)


_SAME_PITCH, _SAME_SHARE = 0.05, 0.6
"""How far the pitches of one board differ that is found in two ways, and the least share of both that both find. Cells
that are only alike may have lines beside the board counted in: a board of 9x9 came out as 11x10."""
_LEAST_BEYOND = 0.5
"""Least share of cells beyond the board under the pointer that look as some in it, where they are cells of it."""
_MOST_EQUAL = 9
"""Most looks of nearly all closed cells where they are equal to the pixel: of two shades, or shaded by their place."""


def _told(
    frame: Frame, grid: Grid, cutter: Cutter, tell: Callable[[str], None], memory: Memory | None
) -> tuple[Grid, Cutter]:
    """The board that was found, told; it is whole, and as the one that is remembered.

    Raises:
        CalibrationError: it is not.
    """
    _check_seen_whole(grid, frame)
    width, height = cutter.cell_px or (int(grid.pitch_px[0]), int(grid.pitch_px[1]))
    shown = " x ".join(f"{pitch:.4g}" for pitch in grid.pitch_px)
    tell(f"a board of {grid.rows}x{grid.cols} cells of {shown} px at {tuple(grid.origin)}")
    before = None if memory is None else memory.cell_px
    if before not in {None, (width, height)}:
        raise CalibrationError(
            f"what was learned before has cells of {before[0]}x{before[1]} px, these have {width}x{height}: "
            "show the same clone at the same size, choose another --name, or begin anew with --force"
        )
    return grid, cutter


def _check_seen_whole(grid: Grid, frame: Frame) -> None:
    """Let a board pass unless it seems to continue past the edge of the screen.

    Nothing tells where an unknown board ends. Where one more cell has no room, what is left beside most lines of cells
    must be no part of a cell.

    Raises:
        CalibrationError: it may go on; says where.
    """
    names = [side for side, strip in beside(grid, frame).items() if _may_go_on(strip, side, grid, frame)]
    if names:
        raise CalibrationError(
            f"the board at {tuple(grid.origin)} may go on past the edge of the screen ({format_sides(names)}): "
            "move its window so that one more cell would fit on every side"
        )


def _seen_from(cell_bgr: NDArray[np.uint8], side: str) -> NDArray[np.uint8]:
    """A cell as a strip beside this side of a board shows it: along x across x 3."""
    turned = cell_bgr if side in {"left", "right"} else cell_bgr.swapaxes(0, 1)
    return turned[:, ::-1] if side in {"left", "top"} else turned


def _may_go_on(strip: NDArray[np.uint8], side: str, grid: Grid, frame: Frame) -> bool:
    """Whether what lies beside a side (uint8, along x across x 3, from the board on) may be the rest of cut cells."""
    is_level = side in {"top", "bottom"}
    n_px = strip.shape[1]
    if n_px >= grid.pitch_px[is_level]:
        return False
    cells = [frame.crop(grid.place_region(row, col)).pixels_bgr for row in range(grid.rows) for col in range(grid.cols)]
    height, width = (min(cell.shape[axis] for cell in cells) for axis in (0, 1))  # a fractional pitch has two sizes
    parts = np.stack([_seen_from(cell[:height, :width], side)[:, :n_px] for cell in cells]).astype(np.int16)
    edges = grid.edges(0 if is_level else 1)
    lines = [strip[start - edges[0] :][: parts.shape[1]].astype(np.int16) for start in edges[:-1]]
    n_alike = sum(bool((np.abs(parts - line).max(axis=(1, 2, 3), initial=0) <= _SAME).any()) for line in lines)
    return 2 * n_alike >= len(lines)


def _cuts_around(frame: Frame, pointer: Pixel) -> list[Cut]:
    """The board under the pointer where nothing on the whole screen stands out: textured cells among other textures."""
    for reach in _REACHES_PX:
        part = Region(pointer.x, pointer.y, 0, 0).widened(reach, within=frame.region)
        if not part.n_pixels:
            return []
        for cut in find_cuts(frame.crop(part)):
            if cut.is_in_order and cut.grid.region.has_pixel(pointer):
                all_of_it = find_like(frame, cut)
                return [cut if all_of_it is None else all_of_it]
    return []


def _choose_board(frame: Frame, cuts: list[Cut], pointer: Pixel) -> Cut:
    """The board to play on: the only one, or of several the one under the pointer.

    Raises:
        NoLatticeError: there is none, or several and none under the pointer.
    """
    found = [cut for cut in cuts if cut.share_alike >= _IN_ORDER]
    if not found:
        height, width = frame.pixels_bgr.shape[:2]
        raise NoLatticeError(f"nothing on the screen ({width}x{height} px) repeats as the cells of a board do")
    pointed_at = [cut for cut in found if cut.grid.region.has_pixel(pointer)]
    if len(found) > 1 and not pointed_at:
        places = ", ".join(f"{cut.grid.rows}x{cut.grid.cols} at {tuple(cut.grid.origin)}" for cut in found)
        raise NoLatticeError(f"several things may be boards: {places}; put the pointer on the one that is meant")
    return (pointed_at or found)[0]


class _Run:
    """Games until enough is known."""

    def __init__(
        self,
        learner: Learner,
        restarter: Restarter,
        control: Control,
        options: LiveOptions,
        tell: Callable[[str], None],
        keep: Callable[[Memory], None],
    ) -> None:
        self._learner = learner
        self._restarter = restarter
        self._control = control
        self._options = options
        self._tell = tell
        self._keep = keep
        self._enough = Enough()
        self._begun_at_s = time.perf_counter()
        self._until_s = self._begun_at_s + 60 * options.minutes

    def to_end(self) -> Learned:
        """Play, and make the skin; what is known is kept also where that is stopped."""
        try:
            return self._played()
        except TimeIsUp:  # in a pause
            self._learner.keep_unfinished()
            self._keep_all()
            return self._learned()
        except Aborted:
            self._learner.set_aside()
            self._keep_all()
            raise
        except GoneError:
            self._learner.keep_unfinished()
            self._keep_all()
            raise

    def _keep_all(self) -> None:
        self._learner.memory.new_game = self._restarter.known
        self._keep(self._learner.memory)

    def _learned(self) -> Learned:
        """The skin of what is known.

        Raises:
            CalibrationError: that is too little.
        """
        if self._learner.memory.is_empty:
            raise CalibrationError("no game was played to an end that teaches: nothing is saved")
        with self._control.thinking():
            return learned(self._options.name, self._learner.memory)

    def _played(self) -> Learned:
        n_broken_off = 0
        for n_game in range(1, self._options.n_games + 1):
            ending = self._learner.play(self._until_s)
            memory = self._learner.memory
            memory.new_game = self._restarter.known
            with self._control.thinking():
                known = in_words(memory.evidence)
            self._tell(f"game {n_game}: {ending.value}; {known}")
            n_broken_off = n_broken_off + 1 if ending is Ending.BROKEN_OFF else 0
            is_late = time.perf_counter() >= self._until_s
            if n_broken_off >= _MOST_BROKEN_OFF and not is_late:
                raise RulesError("game after game fits no rules of Minesweeper: nothing is saved")
            self._keep(memory)
            if is_late:
                break
            if n_game == self._options.n_games:
                return self._with_fresh_board(self._learned())
            wanted = [EXPLODED] * self._learner.can_lose + [FLAG] * memory.can_flag
            with self._control.thinking():
                is_enough = self._enough.is_reached(memory.evidence, wanted)
            is_long = time.perf_counter() - self._begun_at_s >= _LONG_S
            if (is_enough or is_long) and (found := self._verified()) is not None:
                return self._with_fresh_board(found)
            self._begin_another()
        return self._learned()

    def _verified(self) -> Learned | None:
        """The skin of what is known, None where it is not verified yet: another game may tell what these do not."""
        try:
            found = self._learned()
        except CalibrationError:
            return None
        return found if found.is_verified else None

    def _with_fresh_board(self, found: Learned) -> Learned:
        """Begin a game for who plays next: some clones paint an ended board so that no skin finds it.

        Returns:
            What was found, with the way that began it: another one than before may have.
        """
        if self._restarter.knows_way:
            with suppress(CalibrationError):  # enough is known without it
                self._begin_another()
                self._begin_another(self._learner.look())  # where a clone put an ended game back
                self._learner.take_off_kept_flag()
        memory = self._learner.memory
        if memory.new_game == self._restarter.known:
            return found
        memory.new_game = self._restarter.known
        return self._learned()

    def _begin_another(self, ended: CutLook | None = None) -> None:
        """Begin a game, unless the board is fresh.

        Args:
            ended: the board before it; None for the last sight of the last game.
        """
        first, last = self._learner.first, ended or self._learner.last
        assert first is not None, "a game was looked at"
        assert last is not None, "and to its end"
        self._restarter.begin(self._learner.evidence, first, last)
