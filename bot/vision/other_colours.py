"""Boards of known looks in other colours: dimmed, under a night light, in the colours of another display.

All colours went through one change then (`skins.colours`). Where something repeats like closed cells, the colours
around it are taken for those of a skin: the colour of its closed cells and one more say how bright and how strong each
channel is, and the change is fitted to all colours that then lie near those of the skin, closer and closer, as in ICP
[1]. The skin in these colours is one more skin to look for; whatever it does not explain is unreadable.

Two colours in turn can be those of any look. So a board counts only where its numbers agree: they have colours of
their own. Where skins, or changes, read different boards in one place, none of them is known.

[1] Besl, McKay: A method for registration of 3-D shapes (1992).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.models import Region
from bot.vision.lattice import find_repeats
from bot.vision.reading import doubt_pressed, read_board
from skins.colours import ColourChange, recoloured, to_light
from skins.pixels import distinct_colours, most_frequent
from skins.skin import CLOSED
from solver.board import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import FoundBoard, Frame, Reading
    from skins.skin import Skin
    from solver.board import Board

    Floats = NDArray[np.float64]
    Find = Callable[[Frame, Sequence[Skin]], list[FoundBoard]]

_FLATS = (8, 2)
"""Steps a channel within which neighbouring pixels make one area: bare fields in turn may be 8 apart."""
_MOST_PLACES = 3
"""Most places where something repeats that are looked at, those of most repetitions first."""
_AROUND_CELLS = 3
"""Margin around what repeats in which the colours of a board are, in cells."""
_BOARD_CELLS = 30
"""Margin around what repeats in which its board is looked for, in cells."""
_MOST_COLOURS = 28
"""Most colours of a picture, and of a skin, that are compared."""
_MERGED = 3
"""Most steps a channel of a colour from a more frequent one that it counts as."""
_MOST_SHADES = 400
"""Most shades that are merged into colours, the most frequent ones."""
_MAY_BE_CLOSED = 8
"""Number of the most frequent colours among which that of closed cells is."""
_MOST_KEYS = 6
"""Number of a skin's most frequent colours that are tried as the second one."""
_KEY_STEPS = 24
"""Least difference of the second colour from that of closed cells, in some channel."""
_TELLING_STEPS = 16
"""Least difference in a channel that tells how strong it is."""
_GAINS = (0.3, 1.4)
"""How strong a channel may have become."""
_MOST_OFFSET = 100
"""How much brighter or darker black may have become, in steps."""
_GLANCE_STEPS = 24
"""Distance, at the first glance, at which two colours have nothing to do with each other."""
_GLANCED = 6
"""Number of changes a skin that are fitted, those that explain most at the first glance."""
_REACHES = (40, 30, 20, 14, 9, 6, 4, 4)
"""Most steps of a colour from one of the skin's that it is taken for, fit by fit."""
_STIFFNESS = 1e-4
"""Weight of no colour of one channel passing into another, against that of all colours that are fitted."""
_MOST_CROSSED = 0.35
"""The most that the other channels may add to one, as a share of its own part."""
_FITTED_STEPS = 8
"""Distance, after the fit, at which two colours have nothing to do with each other."""
_COMMON = 3
"""Weight of closed cells and of open ones without a number, against any other look of a skin."""
_LEAST_EXPLAINED = 0.05
"""Least share of the colours, of both sides together, that a change must explain."""
_RIVAL = 0.6
"""Least share of what the best skin explains that another one must explain to be looked for."""
_LEAST_NUMBERS, _LEAST_KINDS = 4, 2
"""Fewest cells with a number, and different numbers, of a board in other colours."""
_MOST_UNREAD = 0.2
"""Largest share of such a board's cells that may be unreadable."""


class _Palette(NamedTuple):
    """Colours, the most frequent first.

    Attributes:
        colours: float64, N x 3, B, G, R.
        weights: float64, N: their shares of all pixels.
    """

    colours: Floats
    weights: Floats


class _Place(NamedTuple):
    """Where something repeats.

    Attributes:
        region: all of it, on the frame.
        side_px: from one to the next.
    """

    region: Region
    side_px: int


class _Fitted(NamedTuple):
    """A skin in changed colours.

    Attributes:
        explains: how much of a picture's colours and of the skin's go together, 0.0 to 1.0.
        skin: in these colours.
    """

    explains: float
    skin: Skin


def find_in_other_colours(frame: Frame, skins: Sequence[Skin], find: Find) -> list[FoundBoard]:
    """Every board of these skins in other colours than their own.

    Args:
        frame: the picture: no board in a skin's own colours is on it.
        skins: the looks to search for.
        find: what finds the boards of some skins on a frame.
    """
    kept: list[FoundBoard] = []
    for place in _places(frame):
        if any(board.grid.region.has_pixel(place.region.middle) for board in kept):
            continue
        part = frame.crop(place.region.widened(_BOARD_CELLS * place.side_px, frame.region))
        boards = [board for one in _fitted(frame, skins, place) for board in find(part, [one.skin])]
        readings = [doubt_pressed(read_board(frame, board.grid, board.skin)) for board in boards]
        kept += _undisputed([pair for pair in zip(boards, readings, strict=True) if _is_held(pair[1].board)])
    return kept


def _places(frame: Frame) -> list[_Place]:
    """Where something repeats like closed cells."""
    lattices = [lattice for flat in _FLATS for lattice in find_repeats(frame.pixels_bgr, flat)[:_MOST_PLACES]]
    places: list[_Place] = []
    for lattice in sorted(lattices, key=lambda lattice: -lattice.n_marks):
        (left, top), (pitch_x, pitch_y) = lattice.corner, lattice.pitch_px
        region = Region(
            frame.left + max(int(left), 0),
            frame.top + max(int(top), 0),
            math.ceil(lattice.cols * pitch_x),
            math.ceil(lattice.rows * pitch_y),
        ).widened(0, frame.region)
        if not any(place.region.has_pixel(region.middle) for place in places):
            places.append(_Place(region, math.ceil(max(pitch_x, pitch_y))))
    return places[:_MOST_PLACES]


def _fitted(frame: Frame, skins: Sequence[Skin], place: _Place) -> list[_Fitted]:
    """The skins in the colours of a place that explain these, the best first."""
    around = place.region.widened(_AROUND_CELLS * place.side_px, frame.region)
    shown = _palette_of(*distinct_colours(frame.crop(around).pixels_bgr))
    fitted = [one for skin in skins if (one := _fit(skin, shown)) is not None]
    best = max((one.explains for one in fitted), default=0.0)
    return sorted((one for one in fitted if one.explains >= _RIVAL * best), key=lambda one: -one.explains)


def _palette_of(colours: NDArray[np.uint8], counts: NDArray[np.intp]) -> _Palette:
    """Shades, each merged into a more frequent one that is near."""
    order = np.argsort(-counts, kind="stable")[:_MOST_SHADES]
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
    """The colours of a skin, that of closed cells first; these and open ones without a number have most of a board."""
    looks = [*skin.looks, *(_COMMON * (skin.looks_of(CLOSED) + skin.looks_of("0")))]
    palette = _palette_of(*distinct_colours(np.stack([look.pixels_bgr for look in looks])))
    closed = np.array(most_frequent(np.stack([look.pixels_bgr for look in skin.looks_of(CLOSED)])))
    order = np.argsort(np.abs(palette.colours - closed).max(axis=1) > _MERGED, kind="stable")
    return _Palette(palette.colours[order], palette.weights[order])


def _fit(skin: Skin, shown: _Palette) -> _Fitted | None:
    """A skin in the colours that are shown; None where they are none that it can have."""
    own = _palette_of_skin(skin)
    fits = [_refined(own, shown, glance, of_light) for glance in _glances(own, shown) for of_light in (False, True)]
    found = [(explains, change) for explains, change in fits if explains >= _LEAST_EXPLAINED and _is_plausible(change)]
    if not found:
        return None
    explains, change = max(found, key=lambda pair: pair[0])
    changed = recoloured(skin, change)
    return None if changed is None else _Fitted(explains, changed)


def _glances(own: _Palette, shown: _Palette) -> list[ColourChange]:
    """Changes of levels, by channels, that make two colours of a skin two that are shown: those that explain most."""
    keys = own.colours[1 : 1 + _MOST_KEYS]
    keys = keys[np.abs(keys - own.colours[0]).max(axis=1) >= _KEY_STEPS] - own.colours[0]
    closed = shown.colours[:_MAY_BE_CLOSED]
    tells = np.abs(keys) >= _TELLING_STEPS
    gains = (shown.colours - closed[:, None])[None] / np.where(tells, keys, np.nan)[
        :, None, None
    ]  # key, closed, second
    gains = np.where(np.isnan(gains), np.nanmean(gains, axis=3, keepdims=True), gains)
    offsets = closed[:, None] - gains * own.colours[0]
    may_be = ((gains >= _GAINS[0]) & (gains <= _GAINS[1]) & (np.abs(offsets) <= _MOST_OFFSET)).all(axis=3)
    gains, offsets = gains[may_be], offsets[may_be]
    changed = np.clip(gains[:, None] * own.colours + offsets[:, None], 0, 255)
    best = np.argsort(-_explained(own, shown, changed, _GLANCE_STEPS), kind="stable")[:_GLANCED]
    return [ColourChange(np.column_stack([np.diag(gains[i]), offsets[i] / 255])) for i in best]


def _explained(own: _Palette, shown: _Palette, changed: Floats, most: float) -> Floats:
    """How much of a skin's colours and of those that are shown go together: 0.0 to 1.0, one a change.

    Args:
        own: the colours of the skin.
        shown: those of a picture.
        changed: what becomes of the skin's: float64, changes x N x 3.
        most: the distance, in steps of a channel, at which two colours have nothing to do with each other.
    """
    apart = np.abs(changed[:, :, None] - shown.colours).max(axis=3)
    spread = np.ptp(changed, axis=1).mean(axis=1) / np.ptp(own.colours, axis=0).mean()  # else pale colours fit anything
    near = np.maximum(1 - apart / (most * np.minimum(spread, 1))[:, None, None], 0)
    return np.asarray((near.max(axis=2) @ own.weights) * (near.max(axis=1) @ shown.weights))


def _refined(own: _Palette, shown: _Palette, change: ColourChange, of_light: bool) -> tuple[float, ColourChange]:
    """A change fitted to all pairs of colours that it makes each other's nearest, and how much it explains then."""
    scaled = to_light if of_light else _share
    before, after = scaled(own.colours), scaled(shown.colours)
    for reach in _REACHES:
        apart = np.abs(change.exact(own.colours)[:, None] - shown.colours).max(axis=2)
        nearest = apart.argmin(axis=1)
        is_pair = (apart.min(axis=1) <= reach) & (apart.argmin(axis=0)[nearest] == np.arange(len(apart)))
        if is_pair.sum() < 2:
            break
        weights = np.sqrt(own.weights[is_pair] * shown.weights[nearest[is_pair]])
        change = ColourChange(_affine(before[is_pair], after[nearest[is_pair]], weights / weights.sum()), of_light)
    return float(_explained(own, shown, change.exact(own.colours)[None], _FITTED_STEPS)[0]), change


def _share(levels: Floats) -> Floats:
    return levels / 255


def _affine(before: Floats, after: Floats, weights: Floats) -> Floats:
    """The affine map (3 x 4) between colours before and after; where they leave it open, channels are kept apart."""
    rows = []
    mean_before, mean_after = weights @ before, weights @ after
    for channel in range(3):
        x, y = before - mean_before, after[:, channel] - mean_after[channel]
        own = x[:, channel]
        usual = np.zeros(3)
        usual[channel] = (weights * own) @ y / max((weights * own) @ own, _STIFFNESS)
        normal = (x.T * weights) @ x + _STIFFNESS * np.eye(3)
        row = usual + np.linalg.solve(normal, (x.T * weights) @ (y - x @ usual))
        rows.append([*row, mean_after[channel] - row @ mean_before])
    return np.array(rows)


def _is_plausible(change: ColourChange) -> bool:
    """Whether a change leaves every channel, and mostly to itself."""
    gains = np.diag(change.matrix)
    crossed = change.matrix[:, :3] - np.diag(gains)
    return change.contrast >= _GAINS[0] and bool((np.abs(crossed).sum(axis=1) <= _MOST_CROSSED * gains).all())


def _is_held(board: Board) -> bool:
    """Whether a board's numbers say that it is read in the right colours: they have inks of their own."""
    numbers = board.cells[board.cells > 0]
    is_read = np.count_nonzero(board.cells == UNREADABLE) <= _MOST_UNREAD * board.cells.size
    return bool(is_read and numbers.size >= _LEAST_NUMBERS and np.unique(numbers).size >= _LEAST_KINDS)


def _undisputed(found: Sequence[tuple[FoundBoard, Reading]]) -> list[FoundBoard]:
    """Of the boards of one place that which most is read of; none where another one has something else there."""
    if not found:
        return []
    best, reading = max(found, key=lambda pair: pair[0].n_known - len(pair[1].unknown))
    is_disputed = any(_differ(reading, other) for _, other in found)
    return [] if is_disputed else [best]


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
