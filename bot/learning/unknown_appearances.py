"""Appearances that the skin of a board does not have, as they are met in play: what do they mean?

A cell that shows such an appearance stays unknown until it is sure that it is a cell, and open. It must have the rim of
the open cells of its skin, and not that of closed ones. Noise of a level or two does not matter. Another ground does
not matter either: some clones tint their numbers. Then the lines of the rim tell. Where it has none, play must have
clicked the cell itself. Where cells are alike and not equal, that counts, or a 0 beside the cell, or that it was open
before.
Such a cell is open. Its number is not known yet, and proves nothing.
Its number is the one that the rules leave over all boards that show it. It need not look unlike other numbers: a clone
may draw one in several ways. An appearance that the skin has under several numbers, as calibration keeps what it could
not tell, is one of these. What play itself put on a cell is known. Where a flag was set, and what shows has the rim of
a closed cell, that is the flag.

Where open and closed cells have one line around them, the rim is what lies inside of it.

Only clones of one size, cells touching, at that size: elsewhere pixels do not tell appearances. Where cells are alike
and not equal, those of their insides do. Where cells are tiles, only numbers that a font draws are learned: what is
sure of them is said by their ground and ink (`bot.vision.matching`), and equal ones are known by their pixels at the
size of this board. What is proven can be kept (`proven`). Knows boards and pictures, neither screen nor mouse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.learning.label_solver import HIDDEN, NUMBERS, Claim, LabelSolver
from bot.vision.matching import rim
from bot.vision.reading import namer_of
from skins.folders import replaced
from skins.pixels import fingerprint, is_same_picture, most_frequent
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, OPEN, QUESTION, WRONG_FLAG, Sprite
from solver import board as codes
from solver.board import Action, GameState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.learning.label_solver import Labels
    from bot.models import Frame, Grid, Reading
    from skins.skin import Skin
    from solver.board import Board, Move
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]

_MOST_BOARDS = 6  # most ended boards kept that show an appearance without a label
_MOST_OPEN = 2  # most appearances without a label of which every reading is weighed: at most 81 positions
_NOISE_STEPS = 4  # most steps a channel by which a picture of the same thing may differ: noise of two levels in each
_MOST_GROUND = 0.9  # share of a rim that is ground, up to which its lines tell that it is a rim
_MOST_INSET = 0.15
"""Most of a cell's edge, as a share of its side, that is left out of its rim: signs begin farther inside."""
_LEAST_LIKE_OPEN, _MOST_LIKE_CLOSED = 0.8, 0.6
"""Shares of the rim of a cell that must be open, if it is one, which are like those of open and of closed cells."""
_WRITTEN = NUMBERS - {"0"}  # what a sign of a number may mean
_KNOWN: tuple[tuple[int, str], ...] = (
    *((number, str(number)) for number in range(9)),
    (codes.CLOSED, CLOSED),
    (codes.FLAG, FLAG),
    (codes.MINE, MINE),
    (codes.EXPLODED, MINE),
    (codes.WRONG_FLAG, WRONG_FLAG),
)
"""Board codes whose meaning is known, with it: the first appearances of every claim."""


@dataclass(frozen=True, eq=False)
class _Rim:
    """The outermost pixels of one sprite: uint8, N x 3.

    Attributes:
        pixels: of it.
        is_ground: bool, N: which of them have the colour that most of the sprite has.
        is_line: bool, N: which of the others all sprites of that ground have. What else there is belongs to signs.
    """

    pixels: Pixels
    is_ground: NDArray[np.bool_]
    is_line: NDArray[np.bool_]

    def fits(self, own: Pixels, *, is_sure: bool) -> bool:
        """Whether a rim (uint8, N x 3) is this one but for noise, or with its ground in another colour.

        Where there are no lines, anything of one colour would be such a rim: only `is_sure` lets that pass. Lines of
        the colour of the other ground are not to be seen: then it is no such rim.
        """
        if own.shape != self.pixels.shape or (_apart(own, self.pixels)[self.is_line] > _NOISE_STEPS).any():
            return False
        if not self.is_ground.any():
            return True
        ground, known = (np.median(pixels[self.is_ground], axis=0) for pixels in (own, self.pixels))
        if np.abs(own[self.is_ground] - ground).max() > _NOISE_STEPS:
            return False
        if np.abs(ground - known).max() <= _NOISE_STEPS:
            return True
        has_lines = (np.abs(own[self.is_line] - ground).max(axis=1) > _NOISE_STEPS).all()
        share = self.is_ground.sum() / (self.is_ground.sum() + self.is_line.sum())
        return bool(has_lines and (is_sure or share <= _MOST_GROUND))

    def share_like(self, own: Pixels, slack: float) -> float:
        """The share of a rim (uint8, N x 3) that is as far from this one as the whole of it is, each within `slack`."""
        if own.shape != self.pixels.shape:
            return 0.0
        apart = own.astype(np.float64) - self.pixels
        shift = np.clip(np.median(apart, axis=0), -slack, slack)
        return float((np.abs(apart - shift).max(axis=1) <= slack).mean())


def _rim_at(pixels: Pixels, inset_px: int) -> Pixels:
    """The outermost pixels of a cell without its edge: uint8, N x 3."""
    height, width = pixels.shape[:2]
    found: Pixels = rim(pixels[None, inset_px : height - inset_px, inset_px : width - inset_px])[0]
    return found


def _rims_of(sprites: Sequence[Sprite], inset_px: int) -> list[_Rim]:
    """The rims of sprites, those equal but for signs once: large signs reach into the rim.

    Signs cover less than half of a rim. Sprites whose rims differ by more have one rim each.
    """
    rims = np.stack([_rim_at(sprite.pixels_bgr, inset_px) for sprite in sprites])
    grounds = np.stack([_ground(sprite.pixels_bgr) for sprite in sprites])
    found = {}
    for own, ground in zip(rims, grounds, strict=True):
        beside = rims[_apart(grounds, ground).max(axis=1) <= _NOISE_STEPS]
        is_alike = _apart(beside, own).max(axis=(0, 2)) <= _NOISE_STEPS
        if 2 * is_alike.sum() < is_alike.size:
            is_alike = np.ones_like(is_alike)
        is_like_ground = _apart(own, ground).max(axis=1) <= _NOISE_STEPS
        made = _Rim(own, is_alike & is_like_ground, is_alike & ~is_like_ground)
        found[own[is_alike].tobytes(), made.is_ground.tobytes(), made.is_line.tobytes()] = made
    return list(found.values())


def _telling_inset(opened: Sequence[Sprite], closed: Sequence[Sprite]) -> int:
    """How much of a cell's edge leaves a rim that tells open cells from closed ones: many clones draw one line for all.

    0 where none does.
    """
    side = min(opened[0].pixels_bgr.shape[:2])
    for inset in range(int(_MOST_INSET * side) + 1):
        one, other = _rims_of(opened, inset), _rims_of(closed, inset)
        if not any(a.fits(b.pixels, is_sure=False) or b.fits(a.pixels, is_sure=False) for a in one for b in other):
            return inset
    return 0


def _ground(pixels: Pixels) -> Pixels:
    """The colour that most of a cell has: uint8, 3."""
    return np.array(most_frequent(pixels), dtype=np.uint8)


def _apart(one: NDArray[np.uint8], other: NDArray[Any]) -> NDArray[np.int16]:
    return np.asarray(np.abs(one.astype(np.int16) - other))


class UnknownAppearances:
    """Keeps the appearances that were met, and the skin with what is known of them.

    Args:
        skin: of the board that is played.
    """

    def __init__(self, skin: Skin) -> None:
        self.skin = skin
        """The skin of the board with the sprites that were learned."""
        self._base = skin
        own = [replace(sprite, pixels_bgr=skin.drawing.as_sprite(sprite.pixels_bgr)) for sprite in skin.sprites]
        opened = [sprite for sprite in own if sprite.state.isdecimal()]
        closed = [sprite for sprite in own if sprite.state in {CLOSED, FLAG, QUESTION}]
        self._open_sprites = [(sprite.pixels_bgr, sprite.state) for sprite in opened]
        self._inset_px = _telling_inset(opened, closed)
        self._open_rims = _rims_of(opened, self._inset_px)
        self._closed_rims = _rims_of(closed, self._inset_px)
        self._pixels: dict[int, Pixels] = {}
        self._labels: dict[int, Labels] = {}
        self._ended: list[NDArray[np.intp]] = []

    @property
    def learned(self) -> dict[int, str]:
        """What is known of the new appearances: the state of each, by its fingerprint."""
        return {value: _state(labels) for value, labels in self._labels.items()}

    @property
    def proven(self) -> tuple[Sprite, ...]:
        """The new appearances whose meaning is proven; none where pixels are those of this board's size alone."""
        if not self._base.drawing.has_same_pixels:
            return ()
        sure = ((value, labels) for value, labels in self._labels.items() if len(labels) == 1)
        return tuple(Sprite(_state(labels), self._pixels[value]) for value, labels in sure)

    @property
    def has_open(self) -> bool:
        """Whether a number is still to be found out."""
        return any(len(labels) > 1 for labels in self._labels.values())

    def meet(self, frame: Frame, reading: Reading, known: Reading | None, moves: Sequence[Move]) -> list[str]:
        """Take in a board with unknown cells that have stood for a while, with nothing over them that is known.

        Args:
            frame: shows the board.
            reading: what it was read as.
            known: the last reading of the game that is on, None where there is none.
            moves: what was clicked since.

        Returns:
            What was learned, in words; empty, and nothing was, where one of the unknown cells may be anything.
        """
        namer = namer_of(self._base, reading.grid)
        if not namer.tells_new_appearances:
            return []
        found: dict[int, tuple[Labels, Pixels]] = {}
        for cell in reading.unknown:
            pixels = self._picture_of(cell, frame, reading.grid)
            has_number = namer.has_number(frame, pixels)
            drawn_for = reading.alternatives.get(cell)
            if drawn_for is not None:
                labels = drawn_for if drawn_for <= _WRITTEN else None
            elif has_number is None:
                labels = self._labels_of(cell, pixels, reading, known, moves)
            else:
                labels = _WRITTEN if has_number else None
            if labels is None:
                return []
            value = self._value_of(pixels, {one: own for one, (_, own) in found.items()})
            before = found.get(value, (labels, pixels))[0]
            found[value] = (before & labels or labels, pixels)
        for value, (labels, pixels) in found.items():
            self._labels[value], self._pixels[value] = labels, pixels
        self._dress()
        return [
            f"a look that skin {self._base.name} does not have: {_in_words(labels)}" for labels, _ in found.values()
        ]

    def narrow(self, frame: Frame, reading: Reading) -> list[str]:
        """Work out what the appearances mean that have no label yet, by a board that shows some.

        Args:
            frame: shows the board.
            reading: what it was read as, whole.

        Returns:
            What was worked out, in words; the skin knows it then.
        """
        if not self.has_open:
            return []
        board, values = self._numbered(frame, reading)
        if board.max(initial=0) < len(_KNOWN):
            return []
        labels = self._possible([*self._ended, board], values)
        if reading.state in (GameState.WON, GameState.LOST):
            self._ended = [*self._ended, board][-_MOST_BOARDS:]
        if labels is None:
            return []
        before = dict(self._labels)
        self._labels.update(labels)
        told = [
            f"the look that was new is {_in_words(one)}"
            for value, one in labels.items()
            if len(one) == 1 < len(before[value])
        ]
        if told:
            self._dress()
        return told

    def positions(self, frame: Frame | None, reading: Reading) -> list[Board]:
        """What a board may be that shows numbers without a label: one position for each way to read them.

        A new appearance is taken for a number that the skin lacks on that ground, where there is one. That is
        likely, and not certain: good enough to guess by, not to prove anything.

        Args:
            frame: shows the board.
            reading: what it was read as.

        Returns:
            The positions; none where all numbers are known. Appearances beyond the first few keep their numbers open.
        """
        if frame is None or not self.has_open:
            return []
        board, values = self._numbered(frame, reading)
        shown = [
            n for n, value in enumerate(values) if len(self._labels[value]) > 1 and (board == len(_KNOWN) + n).any()
        ]
        choices = []
        for n in shown[:_MOST_OPEN]:
            numbers = self._labels[values[n]] & NUMBERS
            likely = numbers - self._readable_beside(self._pixels[values[n]]) or numbers
            choices.append([(len(_KNOWN) + n, int(number)) for number in sorted(likely)])
        return [_filled(reading.board, board, labels) for labels in product(*choices)] if choices else []

    def _readable_beside(self, pixels: Pixels) -> Labels:
        """The numbers that are known on the ground of an appearance; on any ground where none is known there."""
        learned = ((self._pixels[value], _state(labels)) for value, labels in self._labels.items() if len(labels) == 1)
        known = [*self._open_sprites, *learned]
        ground = _ground(pixels)
        beside = [state for own, state in known if _apart(ground, _ground(own)).max() <= _NOISE_STEPS]
        return NUMBERS.intersection(beside or (state for _, state in known))

    def _picture_of(self, cell: Cell, frame: Frame, grid: Grid) -> Pixels:
        """A cell's picture as its sprite would be: uint8, height x width x 3."""
        return self._base.drawing.as_sprite(frame.crop(grid.cell_region(cell)).pixels_bgr)

    def _labels_of(
        self, cell: Cell, pixels: Pixels, reading: Reading, known: Reading | None, moves: Sequence[Move]
    ) -> Labels | None:
        """What an unknown cell may show; None where it may be no cell at all."""
        own, before = _rim_at(pixels, self._inset_px), None if known is None else known.board[cell]
        is_clicked = any(move.action is Action.OPEN and move.cell == cell for move in moves)
        is_open = any(one.fits(own, is_sure=is_clicked) for one in self._open_rims)
        must_be_open = is_clicked or before == codes.OPEN_UNKNOWN or _is_beside_0(cell, reading.board)
        is_open = is_open or (must_be_open and self._is_like_open(own))
        is_closed = any(one.fits(own, is_sure=False) for one in self._closed_rims)
        has_no_number_yet = before in {None, codes.CLOSED, codes.FLAG, codes.OPEN_UNKNOWN}
        if is_open and not is_closed and has_no_number_yet and reading.state is not GameState.LOST:
            return NUMBERS if _is_safe(reading, known, moves) else NUMBERS | {MINE}
        is_flagged = any(move.action is Action.FLAG and move.cell == cell for move in moves)
        return frozenset({FLAG}) if is_flagged and is_closed else None

    def _is_like_open(self, own: Pixels) -> bool:
        """Whether a rim is about that of open cells, and far from that of closed ones, where cells are not equal.

        A picture that shows through the cells changes their ground from one to the next.
        """
        slack = self._base.drawing.pixel_slack
        if slack == 0.0:
            return False
        opened, closed = (
            max((one.share_like(own, slack) for one in rims), default=0.0)
            for rims in (self._open_rims, self._closed_rims)
        )
        return opened >= _LEAST_LIKE_OPEN and closed <= _MOST_LIKE_CLOSED

    def _value_of(self, pixels: Pixels, others: Mapping[int, Pixels] | None = None) -> int:
        """The fingerprint that an appearance is kept by: that of one that differs by noise alone, else its own."""
        for value, known in {**(others or {}), **self._pixels}.items():
            if is_same_picture(known, pixels):
                return value
        return int(fingerprint(pixels[None])[0])

    def _numbered(self, frame: Frame, reading: Reading) -> tuple[NDArray[np.intp], list[int]]:
        """A board as appearances: known codes first, then those without a label, in the order they were met."""
        values = list(self._labels)
        board = np.full(reading.board.shape, HIDDEN, dtype=np.intp)
        for number, (code, _) in enumerate(_KNOWN):
            board[reading.board.cells == code] = number
        cells = [(int(row), int(col)) for row, col in np.argwhere(reading.board.cells == codes.OPEN_UNKNOWN)]
        for cell in cells:
            value = self._value_of(self._picture_of(cell, frame, reading.grid))
            if value in self._labels:
                board[cell] = len(_KNOWN) + values.index(value)
        return board, values

    def _possible(self, boards: list[NDArray[np.intp]], values: list[int]) -> dict[int, Labels] | None:
        """What each appearance may mean for the rules to hold on all boards; None where nothing fits."""
        domains = [frozenset({label}) for _, label in _KNOWN] + [self._labels[value] for value in values]
        different = np.zeros((len(domains), len(domains)), dtype=np.bool_)
        with LabelSolver(Claim(boards, domains, different, self._base.floods)) as model:
            labels = model.possible_labels()
        return None if labels is None else dict(zip(values, labels[len(_KNOWN) :], strict=True))

    def _dress(self) -> None:
        """Put what is known of the new appearances into the skin, in place of its sprites that are drawn the same."""
        exact = {**self._base.exact, **self.learned}
        if not self._base.drawing.has_same_pixels:  # these are of this board's size, and sprites have another
            self.skin = replace(self._base, exact=exact)
            return
        sprites = tuple(Sprite(_state(labels), self._pixels[value]) for value, labels in self._labels.items())
        self.skin = replace(self._base, sprites=tuple(replaced(self._base.sprites, sprites)), exact=exact)


def _filled(board: Board, appearances: NDArray[np.intp], numbers: Iterable[tuple[int, int]]) -> Board:
    """A board on which every cell of some appearances has the number given with it."""
    cells = board.cells.copy()
    for appearance, number in numbers:
        cells[appearances == appearance] = number
    return replace(board, cells=cells)


def _is_beside_0(cell: Cell, board: Board) -> bool:
    """Whether a neighbour of a cell shows a 0, which opens all cells around it."""
    return any(board[near] == 0 for near in board.topology.neighbours(cell))


def _is_safe(reading: Reading, known: Reading | None, moves: Sequence[Move]) -> bool:
    """Whether no click is seen to have opened a mine."""
    if known is None:
        return False
    return all(not move.is_guess or reading.board[move.cell] >= 0 for move in moves)


def _state(labels: Labels) -> str:
    """The state of an appearance in a skin."""
    if labels == {MINE}:
        return EXPLODED
    return next(iter(labels)) if len(labels) == 1 else OPEN


def _in_words(labels: Labels) -> str:
    if len(labels) > 1:
        return "an open cell, whose number is to be worked out"
    label = next(iter(labels))
    return f"a {label}" if label in NUMBERS else {FLAG: "the flag", MINE: "a mine that exploded"}[label]
