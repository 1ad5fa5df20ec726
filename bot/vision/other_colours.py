"""Finds boards of known skins in other colours: dimmed, under a night light, in the colours of another display.

All colours went through one change then, which is affine, or nearly so. Where something repeats like closed cells, two
of the colours around it are taken for two of a skin: they say how bright and how strong each channel was. The change
back is fitted to all colours that then lie near those of the skin, closer and closer, as in ICP [1]. The picture
changed back is looked at as any other; whatever the change does not explain is unreadable.

Two colours in turn can be those of any skin. So a board counts only where its numbers agree: they have colours of
their own. Where skins, or changes, read different boards in one place, none of them is known.

[1] Besl, McKay: A method for registration of 3-D shapes (1992).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.models import Frame, Reading
from bot.vision.lattice import find_places, region_of
from bot.vision.reading import doubt_pressed, read_board
from skins.pixels import distinct_colours
from skins.skin import CLOSED
from solver.board import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import FoundBoard
    from skins.skin import Bgr, Skin
    from solver.board import Board

    Floats = NDArray[np.float64]
    Find = Callable[[Frame, Sequence[Skin]], list[FoundBoard]]

_AROUND_CELLS = 3  # margin around what repeats in which the colours of a board are, in cells
_BOARD_CELLS = 30  # margin around what repeats in which its board is looked for, in cells
_MOST_COLOURS = 28  # most colours of a picture, and of a skin, that are compared
_MERGED = 3  # most steps a channel of a colour from a more frequent one that it counts as
_MAY_BE_CLOSED = 8  # number of the most frequent colours among which that of closed cells is
_MOST_KEYS = 7  # number of a skin's most frequent colours that are tried as the second one, or are that of closed cells
_TELLING_STEPS = 16  # least difference in a channel that tells how strong it is
_GAINS = (0.7, 3.4)  # how many times as strong a channel may have been
_GLANCE_STEPS = 24  # distance, at the first glance, at which two colours have nothing to do with each other
_GLANCED = 6  # number of changes a skin that are fitted, those that explain most at the first glance
_REACHES = ((40, 28, 20, 14, 9, 6, 4), (9, 6, 4))
"""Most steps of a colour from a skin's that it is taken for, fit by fit: after a rough glance, or a good one."""
_STIFFNESS = 6.5
"""Weight of no colour of one channel passing into another, against that of all colours, in squared steps."""
_MOST_CROSSED = 0.35  # the most that the other channels may add to one, as a share of its own part
_FITTED_STEPS = 8  # distance, after the fit, at which two colours have nothing to do with each other
_COMMON = 3  # weight of closed cells and of open ones without a number, against any other sprite of a skin
_LEAST_PAIRS = 4  # fewest colours that a change must make a skin's: it is drawn through nearly any three
_RIVAL = 0.6  # least share of what the best skin explains that another one must explain to be looked for
_LEAST_NUMBERS, _LEAST_KINDS = 4, 2  # fewest cells with a number, and different numbers, of a board in other colours
_MOST_UNREAD = 0.2  # largest share of unreadable cells of a board that is known


class Restored(NamedTuple):
    """A board in other colours than its skin's own, read by its skin.

    Attributes:
        frame: the picture around it, in the skin's own colours.
        skin: whose colours they were.
        reading: what it says.
    """

    frame: Frame
    skin: Skin
    reading: Reading

    @property
    def is_known(self) -> bool:
        """Whether so much can be read that the rest may be said to be unreadable."""
        return len(self.reading.unknown) <= _MOST_UNREAD * self.reading.board.cells.size


class _Palette(NamedTuple):
    """Colours, the most frequent first.

    Attributes:
        colours: float64, N x 3, B, G, R.
        weights: float64, N: their shares of all pixels.
    """

    colours: Floats
    weights: Floats


class _Fitted(NamedTuple):
    """A change to a skin's colours.

    Attributes:
        explains: how much of a picture's colours and of the skin's go together, 0.0 to 1.0.
        change: from the picture's: float64, 3 x 4, what blue, green, red and 1 add to blue, green and red.
        skin: whose colours they are.
        shown_bgr: the picture's colour of closed cells.
    """

    explains: float
    change: Floats
    skin: Skin
    shown_bgr: Bgr


def find_in_other_colours(frame: Frame, skins: Sequence[Skin], find: Find) -> list[Restored]:
    """Every board of these skins in other colours than their own.

    Args:
        frame: the picture: no board in a skin's own colours is on it.
        skins: whose boards to search for.
        find: what finds the boards of some skins on a frame.
    """
    kept: list[Restored] = []
    for lattice in find_places(frame):
        place, side_px = region_of(lattice, frame), math.ceil(max(lattice.pitch_px))
        if not any(one.reading.grid.region.has_pixel(place.middle) for one in kept):
            shown = _palette_of(
                *distinct_colours(frame.crop(place.widened(_AROUND_CELLS * side_px, frame.region)).pixels_bgr)
            )
            part = frame.crop(place.widened(_BOARD_CELLS * side_px, frame.region))
            boards = [board for fitted in _fitted(shown, skins) for board in _restored(part, fitted, find)]
            kept += _undisputed([board for board in boards if board.reading.grid.region.has_pixel(place.middle)])
    return kept


def _restored(part: Frame, fitted: _Fitted, find: Find) -> list[Restored]:
    """The boards on a part of a picture whose colours are changed back, if they have numbers that hold the change."""
    skin = fitted.skin
    own = Frame(np.asarray(cv2.transform(part.pixels_bgr, fitted.change), np.uint8), part.left, part.top)
    shift = (skin.closed_bgr, fitted.shown_bgr)
    readings = [replace(doubt_pressed(read_board(own, one.grid, skin)), shift=shift) for one in find(own, [skin])]
    return [Restored(own, skin, reading) for reading in readings if _is_held(reading.board)]


def _fitted(shown: _Palette, skins: Sequence[Skin]) -> list[_Fitted]:
    """The changes of the colours of a place to those of skins."""
    fitted = [one for skin in skins if (one := _fit(skin, shown)) is not None]
    best = max((one.explains for one in fitted), default=0.0)
    return [one for one in fitted if one.explains >= _RIVAL * best]


def _palette_of(colours: NDArray[np.uint8], counts: NDArray[np.intp]) -> _Palette:
    """Shades, each merged into a more frequent one that is near."""
    order = np.argsort(-counts, kind="stable")
    left, weights = colours[order].astype(np.float64), counts[order] / counts.sum()
    kept: list[Floats] = []
    shares: list[float] = []
    while len(left) and len(kept) < _MOST_COLOURS:
        is_near = np.abs(left - left[0]).max(axis=1) <= _MERGED
        kept.append(left[0])
        shares.append(float(weights[is_near].sum()))
        left, weights = left[~is_near], weights[~is_near]
    return _Palette(np.array(kept), np.array(shares))


@lru_cache(maxsize=256)
def _palette_of_skin(skin: Skin) -> _Palette:
    """The colours of a skin; closed cells and open ones without a number have most of a board."""
    sprites = [*skin.sprites, *(_COMMON * (skin.sprites_of(CLOSED) + skin.sprites_of("0")))]
    return _palette_of(*distinct_colours(np.stack([sprite.pixels_bgr for sprite in sprites])))


def _fit(skin: Skin, shown: _Palette) -> _Fitted | None:
    """The change to a skin's colours; None where those that are shown are none that it can have."""
    own = _palette_of_skin(skin)
    glances = _glances(np.array(skin.closed_bgr), own, shown)
    changes = [_refined(own, shown, glance, reaches) for glance in glances for reaches in _REACHES]
    likely = [change for change in changes if _is_plausible(change, own, shown)]
    if not likely:
        return None
    changed = np.stack([_changed(change, shown.colours) for change in likely])
    explained = _explained(own, shown, changed, _FITTED_STEPS)
    best = int(explained.argmax())
    closed = np.abs(changed[best] - skin.closed_bgr).max(axis=1).argmin()
    blue, green, red = (int(level) for level in shown.colours[closed])
    return _Fitted(float(explained[best]), likely[best], skin, (blue, green, red))


def _glances(closed_bgr: Floats, own: _Palette, shown: _Palette) -> list[Floats]:
    """Changes, by channels, that make two colours that are shown two of a skin: those that explain most."""
    keys = own.colours[:_MOST_KEYS] - closed_bgr
    closed = shown.colours[:_MAY_BE_CLOSED]
    steps = shown.colours - closed[:, None]
    tells = (np.abs(keys) >= _TELLING_STEPS)[:, None, None] & (steps != 0)  # by key, closed, second colour, channel
    gains = np.divide(keys[:, None, None], steps, out=np.zeros(tells.shape), where=tells)
    usual = gains.sum(axis=3, keepdims=True) / np.maximum(tells.sum(axis=3, keepdims=True), 1)
    gains = np.where(tells, gains, usual)
    offsets = closed_bgr - gains * closed[:, None]
    may_be = ((gains >= _GAINS[0]) & (gains <= _GAINS[1])).all(axis=3)
    gains, offsets = gains[may_be], offsets[may_be]
    changed = np.clip(gains[:, None] * shown.colours + offsets[:, None], 0, 255)
    best = np.argsort(-_explained(own, shown, changed, _GLANCE_STEPS), kind="stable")[:_GLANCED]
    return [np.column_stack([np.diag(gains[i]), offsets[i]]) for i in best]


def _changed(change: Floats, colours: Floats) -> Floats:
    """What a change makes of colours: float64, ... x 3."""
    return np.clip(colours @ change[:, :3].T + change[:, 3], 0, 255)


def _explained(own: _Palette, shown: _Palette, changed: Floats, most: float) -> Floats:
    """How much of a skin's colours and of those that are shown go together: 0.0 to 1.0, one a change.

    Args:
        own: the colours of the skin.
        shown: those of a picture.
        changed: what becomes of the latter: float64, changes x N x 3.
        most: the distance, in steps of a channel, at which two colours have nothing to do with each other.
    """
    apart = np.abs(changed[:, :, None] - own.colours).max(axis=3)
    near = np.maximum(1 - apart / most, 0)
    return np.asarray((near.max(axis=2) @ shown.weights) * (near.max(axis=1) @ own.weights))


def _refined(own: _Palette, shown: _Palette, change: Floats, reaches: Sequence[int]) -> Floats:
    """A change fitted to all pairs of colours that it makes each other's nearest.

    Where these leave open how channels pass into one another, they do not.
    """
    for reach in reaches:
        mine, other = _pairs(own, shown, change, reach)
        if mine.size < 2:
            break
        weights = np.sqrt(shown.weights[other] * own.weights[mine])
        weights /= weights.sum()
        before, after = shown.colours[other], own.colours[mine]
        x, y = before - weights @ before, after - weights @ after
        normal = (x.T * weights) @ x + _STIFFNESS * np.eye(3)
        alone = np.diag((weights @ (x * y)) / np.maximum(weights @ (x * x), _STIFFNESS))  # each channel by itself
        linear = alone + np.linalg.solve(normal, (x.T * weights) @ (y - x @ alone)).T
        change = np.column_stack([linear, weights @ after - linear @ (weights @ before)])
    return change


def _pairs(own: _Palette, shown: _Palette, change: Floats, reach: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of the colours of a skin and of a picture that a change makes each other's nearest, and near."""
    apart = np.abs(_changed(change, shown.colours)[:, None] - own.colours).max(axis=2)
    nearest = apart.argmin(axis=1)
    is_pair = (apart.min(axis=1) <= reach) & (apart.argmin(axis=0)[nearest] == np.arange(len(apart)))
    return nearest[is_pair], np.flatnonzero(is_pair)


def _is_plausible(change: Floats, own: _Palette, shown: _Palette) -> bool:
    """Whether a change leaves every channel, and mostly to itself, and enough colours are a skin's after it."""
    gains = np.diag(change)
    crossed = np.abs(change[:, :3]).sum(axis=1) - np.abs(gains)
    is_usual = (crossed < _MOST_CROSSED * gains).all()
    return bool(is_usual) and _pairs(own, shown, change, _REACHES[0][-1])[0].size >= _LEAST_PAIRS


def _is_held(board: Board) -> bool:
    """Whether a board's numbers say that it is read in the right colours: they have inks of their own, and can be."""
    numbers = board.cells[board.cells > 0]
    return numbers.size >= _LEAST_NUMBERS and np.unique(numbers).size >= _LEAST_KINDS and not board.impossible


def _undisputed(found: Sequence[Restored]) -> list[Restored]:
    """The board of one place of which most is read; none where another one has something else there."""
    best = max(found, key=lambda one: one.reading.board.cells.size - len(one.reading.unknown), default=None)
    return [] if best is None or any(_differ(best.reading, other.reading) for other in found) else [best]


def say_shift(reading: Reading) -> str:
    """Say in what colours a board was read, red, green, blue of closed cells; empty where they are its skin's own."""
    if reading.shift is None:
        return ""
    own, shown = (",".join(map(str, reversed(bgr))) for bgr in reading.shift)
    return f"changed as a whole: closed cells are {shown}, not {own}"


def _differ(one: Reading, other: Reading) -> bool:
    """Whether two readings say different things of a cell in the same place."""
    for cell, code in np.ndenumerate(one.board.cells):
        there = other.grid.cell_at(one.grid.cell_region(cell).middle)
        if (
            there is not None
            and UNREADABLE not in (code, other.board.cells[there])
            and other.board.cells[there] != code
        ):
            return True
    return False
