"""What a cell's pixels mean in one skin: exactly known pixels first, then the nearest sprite, else nothing.

Cells come here in the skin's own size (`unscale` brings them there). A cell whose fingerprint is known is what the
fingerprint says. Any other is compared with every sprite (root mean square over all channels) and accepted only when
the nearest is near enough *and* those of every other meaning are clearly farther (`nearest_of`, the rule of all
families).
Everything else is unreadable: never a default, never a guess. Where a skin draws two states alike, the answer is the
set of both.

Numbers that a font drew are read by their ink, their ground or their shape, whatever font it was (`skins.skin.Signs`).
A sign counts only where the whole cell, but for its edges, is one ground and blends of that ground with one ink, up to
nearly the full ink: then nothing else lies on it. The shape is taken without its place, size and proportions, and must
be near one that is known, and clearly farther from those of every other number.

The shapes are means of the bold digits of 99 faces of 55 families of free fonts, a dozen groups a digit (k-means). Of
8,712 digits of 7 to 64 pixels an em, each read without the shapes of its own family and its relatives, none was taken
for another; from 13 pixels on 3 to 6 % were not known, at 9 pixels a quarter.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bot.vision.sites import CLOSED_RIM, LIKE, MINE_CAPABLE, NO_CELL, OPEN, PLAIN, RIM
from skins.pixels import blunt_fingerprint, distinct_colours, fingerprint, product_of
from skins.skin import ANY_SIGN, CLOSED, EXPLODED, FLAG, MINE, OPEN_SIGN, QUESTION, WRONG_FLAG, is_open_state
from skins.skin import OPEN as OPEN_STATE
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Signs, Skin

    Codes = NDArray[np.int16]
    Scores = NDArray[np.float64]
    Pictures = NDArray[np.uint8]
    Inks = NDArray[np.float64]


_CODE_OF_STATE = {
    CLOSED: codes.CLOSED,
    FLAG: codes.FLAG,
    QUESTION: codes.CLOSED,  # a question mark says nothing: the cell is closed
    MINE: codes.MINE,
    EXPLODED: codes.EXPLODED,
    WRONG_FLAG: codes.WRONG_FLAG,
    OPEN_STATE: codes.OPEN_UNKNOWN,
}
_CLOSED_STATES = {CLOSED, FLAG, QUESTION}
SCALED_SLACK = 1.4
"""Factor by which cells brought back from another scale may be farther from their sprite: kernels clip and round."""
_RIM_RMS = 10.0  # a rim this near that of a sprite is the rim of a cell, whatever is drawn inside
_PLAIN_MARGIN = 1.15  # a sprite that has lines must fit better by this factor than a field of the cell's mean colour
_MOST_COLOURS = 16  # skins of so few colours are drawn without blends: every pixel of theirs is one of these
_LIKE_RMS = 30.0  # a picture this near a sprite may be a damaged cell
_LEAST_BLANKS = 4  # fewest open cells without a number that are compared with one another
_STRAY_STEPS = 3.0  # least distance of a stray blank cell from the median of all, in steps of a channel
_STRAY_TIMES = 3.0  # and that as a multiple of the distance within which three quarters lie
_ALIKE_RMS = 4.0
"""Two sprites this near each other cannot be told apart on a screen that has been scaled, filtered or compressed."""


def code_of(state: str) -> int:
    """The board code of a skin's cell state."""
    return int(state) if state.isdecimal() else _CODE_OF_STATE[state]


@dataclass(frozen=True, eq=False)
class Match:
    """What a stack of cells shows.

    Attributes:
        codes: int16, N: board codes, `UNREADABLE` where not known.
        scores: float64, N: 1.0 exact, down to 0.0 for unreadable.
        alike: index of the set of states that may be meant, into `Matcher.sets`; -1 where none is.
    """

    codes: Codes
    scores: Scores
    alike: NDArray[np.intp]

    def take(self, numbers: NDArray[np.intp], other: Match) -> None:
        """Put another match's answers in the place of these cells' own."""
        self.codes[numbers], self.scores[numbers], self.alike[numbers] = other.codes, other.scores, other.alike

    def doubt_stray_blanks(self, cells: Pictures) -> None:
        """Leave out open cells without a number that differ, somewhere inside, from most of them on the picture.

        What lies over a part of a cell may have nearly its colour. Edges are mixed from what lies beside them, and
        noise is evened out over quarters of what is left. Exact pixels are not doubted.

        Args:
            cells: what was named: uint8, N x height x width x 3.
        """
        blank = np.flatnonzero(self.codes == 0)
        if blank.size < _LEAST_BLANKS or (self.scores[blank] == 1.0).all():
            return
        height, width = cells.shape[1:3]
        rows, cols = ([(n // 6, n // 2), (n // 2, n - n // 6)] for n in (height, width))
        quarters = [
            cells[blank, top:bottom, left:right].mean(axis=(1, 2)) for top, bottom in rows for left, right in cols
        ]
        means = np.stack(quarters, axis=1)
        apart = np.abs(means - np.median(means, axis=0)).max(axis=(1, 2))
        is_stray = apart > max(_STRAY_STEPS, _STRAY_TIMES * float(np.quantile(apart, 0.75)))
        self.leave_out(blank[is_stray & (self.scores[blank] < 1.0)])

    def leave_out(self, numbers: NDArray[np.intp]) -> None:
        """Make these cells unreadable."""
        self.codes[numbers], self.scores[numbers], self.alike[numbers] = codes.UNREADABLE, 0.0, -1

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Which cells show a sprite of the skin, even if it stands for several states."""
        known: NDArray[np.bool_] = self.alike >= 0
        return known


class CellNamer(ABC):
    """Names the cells of one board, again and again: each family of skins has its own.

    Attributes:
        sets: what `Match.alike` counts: sets of states that look the same.
        tells_new_appearances: whether a cell that no sprite fits can be told for what it is, by its rim or its sign.
    """

    sets: list[frozenset[str]]
    tells_new_appearances = False

    @abstractmethod
    def name(self, frame: Frame, pixels: Pictures, numbers: NDArray[np.intp]) -> Match:
        """Name some cells.

        Args:
            frame: shows at least the board.
            pixels: of the board: uint8, H x W x 3, B, G, R.
            numbers: of the cells, row by row: intp, N.
        """

    def has_number(self, frame: Frame, cell: Pictures) -> bool | None:  # noqa: ARG002 - most rims tell all there is
        """Whether a cell that no sprite fits surely is open and has some number; None where its rim must tell.

        Args:
            frame: shows at least the board.
            cell: its pixels: uint8, height x width x 3, B, G, R.
        """
        return None

    def settled(self, named: Codes, alike: NDArray[np.intp]) -> Codes:  # noqa: ARG002 - most cells stand by themselves
        """The codes of all cells, where what one of them means depends on the others.

        Args:
            named: their codes, each by itself: int16, one a cell.
            alike: their places in `sets`, -1 where nothing looks alike: intp, one a cell.
        """
        return named


class Templates:
    """Pictures that others are compared with, as rows of values: float32, N x values."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self._values = values
        self._squares = (values**2).sum(axis=1)

    def distances(self, pictures: NDArray[np.float32]) -> NDArray[np.float32]:
        """Root mean square from every picture (a row of as many values) to every one of these: float32, N x these."""
        squares = (pictures**2).sum(axis=1)[:, None] + self._squares - 2 * product_of(self._values, pictures.T).T
        distances: NDArray[np.float32] = np.sqrt(np.maximum(squares, 0) / pictures.shape[1])
        return distances


def rms(differences: NDArray[Any]) -> NDArray[Any]:
    """The root mean square of each row of differences, along the last axis."""
    return np.asarray(np.sqrt((differences**2).mean(axis=-1)))


class _Nearest(NamedTuple):
    """What N pictures are nearest to.

    Attributes:
        best: intp, N: the number of the nearest sprite.
        apart: how far it is.
        is_clear: bool, N: whether it counts, as it is near and every sprite of another meaning clearly farther.
    """

    best: NDArray[np.intp]
    apart: NDArray[Any]
    is_clear: NDArray[np.bool_]


def nearest_of(apart: NDArray[Any], is_rival: NDArray[np.bool_], accept: float, margin: float) -> _Nearest:
    """The nearest sprite of every picture, and whether it counts: the one rule of acceptance, of every family.

    Args:
        apart: from every picture to every sprite: N x sprites.
        is_rival: which sprites mean something else than which: sprites x sprites.
        accept: the distance up to which a sprite may count.
        margin: the factor by which every rival must be farther.
    """
    best = apart.argmin(axis=1)
    nearest = apart[np.arange(best.size), best]
    runner_up = np.where(is_rival[best], apart, np.inf).min(axis=1, initial=np.inf)
    return _Nearest(best, nearest, (nearest <= accept) & (runner_up >= nearest.astype(np.float64) * margin))


class Matcher:
    """Names cells by one skin. Make it by `matcher_of`: preparing costs more than a read."""

    def __init__(self, skin: Skin) -> None:
        self.skin = skin
        pixels = np.stack([sprite.pixels_bgr for sprite in skin.sprites])
        values = pixels.reshape(len(pixels), -1).astype(np.float32)
        self._templates = Templates(values)
        apart = rms(values[:, None] - values[None])
        groups = [frozenset(skin.sprites[j].state for j in np.flatnonzero(row <= _ALIKE_RMS)) for row in apart]
        widened = {sprite.state: group for sprite, group in zip(skin.sprites, groups, strict=True) if len(group) > 1}
        sizes = skin.drawing.sizes
        exact = {**skin.exact, **({} if sizes is None else sizes.exact)}
        self._prints = np.array(sorted(exact), dtype=np.uint64)
        own = dict(zip(fingerprint(pixels).tolist(), groups, strict=True))
        said = [(own.get(value, frozenset()), exact[value]) for value in self._prints.tolist()]
        of_prints = [states if state in states else widened.get(state, frozenset({state})) for states, state in said]
        self.sets: list[frozenset[str]] = list(dict.fromkeys([*groups, *of_prints]))
        """Every set of states that one picture may stand for."""
        place = {states: i for i, states in enumerate(self.sets)}
        self._set_of_template = np.array([place[states] for states in groups], dtype=np.intp)
        self._set_of_print = np.array([place[states] for states in of_prints], dtype=np.intp)
        # A faint mark that was learned from blurred pictures, and may be anything, is not the closed cell it lies on.
        code = partial(common_code, hides=not skin.is_blurred)
        self.code_of_set = np.array([code(states) for states in self.sets], dtype=np.int16)
        self._is_rival = rivals_of(groups, code)
        self.tells = _flatness(pixels) > _ALIKE_RMS
        """Which sprites are more than a field of one colour: bool, one a sprite."""
        self._signs = None if skin.signs is None else sign_reader_of(skin.signs)
        self._set_of_number = np.array([place.get(frozenset({str(number)}), -1) for number in range(9)], dtype=np.intp)
        self._open_rims = np.array(sorted(() if sizes is None else sizes.open_rims), dtype=np.uint64)
        self._is_capable = np.array([not is_open_state(sprite.state) for sprite in skin.sprites])
        self._set_site = np.array([OPEN if all(map(is_open_state, own)) else MINE_CAPABLE for own in self.sets])
        # a set that is known by fingerprints only tells, too
        self._set_tells = np.array([self.tells[self._set_of_template == i].all() for i in range(len(self.sets))])
        self._palette = distinct_colours(pixels)[0].astype(np.float32)
        rims, which = np.unique(rim(pixels), axis=0, return_inverse=True)
        is_open = np.array([sprite.state not in _CLOSED_STATES for sprite in skin.sprites])
        # A rim so plain that a field of its colour would pass for it tells nothing.
        is_lined = _flatness(rims[:, None]) > _RIM_RMS
        self._rims = rims[is_lined].reshape(-1, rims[0].size).astype(np.float32)
        of_open = np.isin(np.arange(len(rims)), which.reshape(-1)[is_open])
        self._rim_sites = np.where(of_open, RIM, CLOSED_RIM).astype(np.int8)[is_lined]

    def name(self, cells: NDArray[np.uint8], slack: float = 1.0, *, snaps: bool = False) -> Match:
        """Name every cell of a stack (uint8, N x height x width x 3): equal ones are looked at once.

        `slack` widens the tolerance of the skin; `snaps` also tries the nearest colours of the skin for every pixel.
        """
        prints = fingerprint(cells)
        alike = self._looked_up(prints)
        scores = (alike >= 0).astype(np.float64)
        rest = np.flatnonzero(alike < 0)
        if rest.size:
            _, first, which = np.unique(prints[rest], return_index=True, return_inverse=True)
            near, near_scores = self._matched(cells[rest[first]], slack)
            if snaps:
                self._snap(cells[rest[first]], near, near_scores, slack)
            alike[rest], scores[rest] = near[which], near_scores[which]
        named = np.where(alike >= 0, self.code_of_set[alike], codes.UNREADABLE).astype(np.int16)
        scores[named == codes.UNREADABLE] = 0.0
        return Match(named, scores, alike)

    def name_redrawn(self, cells: NDArray[np.uint8]) -> Match:
        """Name cells that their clone drew at another size (uint8, N x side x side x 3), by exact pixels alone.

        Signs count where the outermost pixels are exactly those of open cells.
        """
        alike = self._looked_up(blunt_fingerprint(cells))
        rest = np.flatnonzero(alike < 0)
        if self._signs is not None and rest.size:
            rest = rest[np.isin(fingerprint(rim(cells[rest])), self._open_rims)]
            told = self._signs.read(cells[rest, 1:-1, 1:-1]).numbers
            alike[rest] = np.where(told > 0, self._set_of_number[np.maximum(told, 0)], -1)
        named = np.where(alike >= 0, self.code_of_set[alike], codes.UNREADABLE).astype(np.int16)
        return Match(named, (named != codes.UNREADABLE).astype(np.float64), alike)

    def _snap(self, cells: NDArray[np.uint8], alike: NDArray[np.intp], scores: Scores, slack: float) -> None:
        """Name what is left after all by its exact pixels, each taken for the nearest colour of the skin.

        The pixels of real clones are known by their fingerprints alone; where a clone uses few colours, a cell brought
        back from another scale is exactly what it was, once its rounded colours are put right.
        """
        rest = np.flatnonzero(alike < 0)
        if not rest.size or not 0 < len(self._palette) <= _MOST_COLOURS:
            return
        left = cells[rest].reshape(rest.size, -1, 3).astype(np.float32)
        apart = ((left[:, :, None] - self._palette) ** 2).sum(axis=3)
        snapped = self._palette[apart.argmin(axis=2)].astype(np.uint8).reshape(cells[rest].shape)
        strayed = np.sqrt(apart.min(axis=2).mean(axis=1) / 3)
        found = np.where(strayed <= self.skin.tolerance.accept * slack, self._looked_up(fingerprint(snapped)), -1)
        alike[rest] = found
        scores[rest] = np.where(found >= 0, 1.0 - strayed / (2.0 * self.skin.tolerance.accept * slack), 0.0)

    def distances(self, cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Root mean square from every cell to every sprite: float32, N x sprites."""
        return self._templates.distances(cells.reshape(len(cells), -1).astype(np.float32))

    def recognise(self, cells: NDArray[np.uint8], slack: float = 1.0) -> NDArray[np.int8]:
        """What every cell of a stack is as a site of a board (`sites`): int8, N.

        The rim of a sprite counts too: its inside may be drawn otherwise, and the reader will call it unreadable.
        """
        match = self.name(cells, slack)
        tells = match.is_known & self._set_tells[match.alike]
        by_sprite = np.where(tells, self._set_site[match.alike], PLAIN)
        sites = np.where(match.is_known, by_sprite, NO_CELL).astype(np.int8)
        rest = np.flatnonzero(~tells)
        sites[rest] = np.maximum(sites[rest], self._sites_by_rims(cells[rest], _RIM_RMS))
        unnamed = np.flatnonzero(sites == NO_CELL)
        if unnamed.size:
            apart = self.distances(cells[unnamed])
            nearest, is_lined = apart.min(axis=1), self.tells[apart.argmin(axis=1)]
            like = is_lined & (nearest <= _LIKE_RMS) & (_flatness(cells[unnamed]) >= nearest * _PLAIN_MARGIN)
            sites[unnamed[like]] = LIKE
        return sites

    def may_be_mines(self, cells: NDArray[np.uint8], most: float) -> NDArray[np.bool_]:
        """Which cells look most like one that may hold a mine, or have a closed one's rim, at most this far from it."""
        apart = self.distances(cells)
        found: NDArray[np.bool_] = self._is_capable[apart.argmin(axis=1)] & (apart.min(axis=1) <= most)
        found |= self._sites_by_rims(cells, most) == CLOSED_RIM
        return found

    def _sites_by_rims(self, cells: NDArray[np.uint8], most: float) -> NDArray[np.int8]:
        """What cells are as sites of a board by their rims alone, at most this far from those of sprites: int8, N."""
        if not self._rims.size or not len(cells):
            return np.full(len(cells), NO_CELL, dtype=np.int8)
        rims = rim(cells).reshape(len(cells), -1).astype(np.float32)
        apart = ((rims[:, None] - self._rims) ** 2).mean(axis=2)
        return np.where(apart.min(axis=1) <= most**2, self._rim_sites[apart.argmin(axis=1)], NO_CELL).astype(np.int8)

    def _looked_up(self, prints: NDArray[np.uint64]) -> NDArray[np.intp]:
        if not self._prints.size:
            return np.full(prints.size, -1, dtype=np.intp)
        place = np.minimum(np.searchsorted(self._prints, prints), self._prints.size - 1)
        return np.where(self._prints[place] == prints, self._set_of_print[place], -1)

    def _matched(self, cells: NDArray[np.uint8], slack: float) -> tuple[NDArray[np.intp], Scores]:
        accept = self.skin.tolerance.accept * slack
        found = nearest_of(self.distances(cells), self._is_rival, accept, self.skin.tolerance.margin)
        best, nearest, accepted = found.best, found.apart.astype(np.float64), found.is_clear
        near = np.flatnonzero(accepted & self.tells[best])
        accepted[near] = _flatness(cells[near]) >= nearest[near] * _PLAIN_MARGIN
        alike = np.where(accepted, self._set_of_template[best], -1)
        return alike, np.where(accepted, 1.0 - nearest / (2.0 * accept), 0.0)


matcher_of = lru_cache(maxsize=256)(Matcher)
"""The matcher of a skin, made once a session."""


def cut_cells(
    board_bgr: NDArray[np.uint8], rows: int, cols: int, numbers: NDArray[np.intp] | None = None
) -> NDArray[np.uint8]:
    """Cut cells, all or those of these numbers, out of a picture of rows x cols of them, counted row by row.

    As a stack: uint8, N x height x width x 3.
    """
    height, width = board_bgr.shape[0] // rows, board_bgr.shape[1] // cols
    row, col = np.divmod(np.arange(rows * cols) if numbers is None else numbers, cols)
    cells: NDArray[np.uint8] = board_bgr.reshape(rows, height, cols, width, 3).swapaxes(1, 2)[row, col]
    return cells


def rim(cells: NDArray[Any]) -> NDArray[Any]:
    """The outermost pixels of each cell, N x height x width x 3: N x pixels x 3, of the same dtype."""
    return np.concatenate([cells[:, 0], cells[:, -1], cells[:, 1:-1, 0], cells[:, 1:-1, -1]], axis=1)


def _flatness(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Root mean square from every cell to its own mean colour: float32, N."""
    flat = cells.reshape(cells.shape[0], math.prod(cells.shape[1:3]), 3).astype(np.float32)
    variance = np.einsum("ijk,ijk->ik", flat, flat) / flat.shape[1] - flat.mean(axis=1) ** 2
    distances: NDArray[np.float32] = np.sqrt(np.maximum(variance.mean(axis=1), 0))
    return distances


def common_code(states: frozenset[str], *, hides: bool = False) -> int:
    """The board code that all these states share, else unreadable; an open cell may have any number.

    Args:
        states: those that are drawn alike.
        hides: whether what may be a closed cell, and no open one, is closed: a flag, or a mine that a lost game shows,
            would prove nothing more of what lies under it.
    """
    if hides and CLOSED in states and not any(map(is_open_state, states)):
        return codes.CLOSED
    if OPEN_STATE in states and all(map(is_open_state, states)):
        return codes.OPEN_UNKNOWN
    shared = {code_of(state) for state in states}
    return shared.pop() if len(shared) == 1 else codes.UNREADABLE


def rivals_of(groups: Sequence[frozenset[str]], code: Callable[[frozenset[str]], int]) -> NDArray[np.bool_]:
    """Which sprites mean something else than which: bool, sprites x sprites.

    Those that share a meaning are no rivals: they may be the nearest together without any doubt.

    Args:
        groups: of each sprite the states that it may stand for; most sprites share theirs with others.
        code: the board code that all of some states share, else unreadable.
    """
    distinct = list(dict.fromkeys(groups))
    which = np.array([distinct.index(group) for group in groups], dtype=np.intp)
    is_rival = [[a != b and code(a | b) == codes.UNREADABLE for b in distinct] for a in distinct]
    return np.array(is_rival)[np.ix_(which, which)]


NOTHING, UNSURE, UNNUMBERED = 0, -1, -2
"""No sign that is known; a sign, but of no known number; such a one on a ground that only open cells have."""
_STEPS = 6  # most steps a channel between a pixel and a colour or blend that it counts as
_LEAST_STEPS = 8  # least difference of a sign from its ground; white on light grey is 33 away at full ink
_SURE_STEPS = 32
"""The difference from its ground that makes a sign sure; of a fainter one its shape must say the number, too. Of 3,580
bare fields in JPEGs of quality 30 to 90, 117 had what could be a faint sign, of at most 20; a bare cell with gaps
around it had 22."""
_LEAST_INK = 48
"""The strength of an ink that may be any colour: four times what its pixels may stray, else anything is one ink."""
_REACH = 0.45  # share of the full ink that a sign reaches somewhere: bold strokes do, a pixel wide
_FULL = 0.7
"""And so much where it could be another ink that reaches less: faint black is grey, which is 0.41 of black. The
thinnest digits of sgt-mines in 12 families, those of Inconsolata at 10 pixels, reach 0.71 in grey and 0.68 in black."""
_GROUND_SHARE = 0.7  # least share of the outermost pixels that is ground
_FAINT = 0.15  # ink fainter than this share of the sign's strongest is not part of its shape
_ACCEPT = 0.28  # root mean square from a shape, of full ink: 97 % of digits of left-out families are nearer
_MARGIN = 1.3
"""The least ratio of two distances, to another number's nearest shape and to the nearest of all. The worst misreading
of a left-out family had 1.2."""
_LEAST_PX = 5  # the height of the lowest sign whose shape is told


class Told(NamedTuple):
    """What is written on N cells.

    Attributes:
        numbers: int8, N: the number, or `NOTHING`, `UNSURE`, `UNNUMBERED`.
        grounds: int, N: the index of the ground into `SignReader.grounds_bgr`, where there is a sign.
    """

    numbers: NDArray[np.int8]
    grounds: NDArray[np.intp]


class SignReader:
    """Reads the signs of one skin. Make it by `sign_reader_of`."""

    def __init__(self, signs: Signs) -> None:
        self.grounds_bgr = tuple(dict.fromkeys(ink.ground_bgr for ink in signs.inks))
        """Every ground, in order."""
        self._inks = [[ink for ink in signs.inks if ink.ground_bgr == ground] for ground in self.grounds_bgr]
        self._full = [
            np.array([np.subtract(ink.ink_bgr, ink.ground_bgr) for ink in inks], dtype=np.float64)
            for inks in self._inks
        ]
        self.is_open = tuple(ANY_SIGN not in {ink.says for ink in inks} for inks in self._inks)
        """Whether only open cells have a ground, for every ground."""
        self._numbers = np.array([number for number, _ in signs.shapes], dtype=np.int8)
        self._is_rival = self._numbers[:, None] != self._numbers
        self._shapes = np.array([shape for _, shape in signs.shapes], dtype=np.float64)

    def read(self, cells: Pictures) -> Told:
        """Read cells without their edges: uint8, N x height x width x 3."""
        told = np.full(len(cells), NOTHING, dtype=np.int8)
        grounds = np.array(self.grounds_bgr, dtype=np.int16)
        off = np.abs(cells[:, 0, 0].astype(np.int16)[:, None] - grounds).max(axis=2)  # no sign reaches into a corner
        which = off.argmin(axis=1)
        for cell in np.flatnonzero(off.min(axis=1) <= _STEPS):
            apart = cells[cell] - grounds[which[cell]]
            if np.abs(apart).max() < _LEAST_STEPS:
                continue
            edges = (np.abs(edge).max(axis=1) <= _STEPS for edge in (apart[0], apart[-1], apart[:, 0], apart[:, -1]))
            if np.concatenate(list(edges)).mean() >= _GROUND_SHARE:
                told[cell] = self._told(apart.astype(np.float64), int(which[cell]))
        return Told(told, which)

    def _told(self, apart: Inks, ground: int) -> int:
        """What one cell says, by how far its pixels are from its ground: height x width x 3."""
        flat, full = apart.reshape(-1, 3), self._full[ground]
        strongest = flat[np.einsum("ij,ij->i", flat, flat).argmax()]
        reach = full @ strongest / np.einsum("ij,ij->i", full, full)
        fits = np.abs(strongest - reach[:, None] * full).max(axis=1) <= _STEPS
        fits &= (flat.min(axis=0) >= np.minimum(full, 0) - _STEPS).all(axis=1)
        fits &= (flat.max(axis=0) <= np.maximum(full, 0) + _STEPS).all(axis=1) & (reach > 0)
        if not fits.any():
            return NOTHING
        unknown = UNNUMBERED if self.is_open[ground] and np.abs(strongest).max() >= _SURE_STEPS else UNSURE
        strong = np.flatnonzero(fits & (reach >= (_REACH if fits.sum() == 1 else _FULL)))
        if strong.size != 1:
            return unknown
        says, ink = self._inks[ground][strong[0]].says, full[strong[0]]
        is_told_by_ink = says not in (OPEN_SIGN, ANY_SIGN)
        if is_told_by_ink and np.abs(strongest).max() >= _SURE_STEPS:
            return int(says)
        number = self._number_of(apart @ ink / (ink @ ink))
        return unknown if not number or (is_told_by_ink and number != int(says)) else number

    def number_by_shape(self, apart: Inks) -> int:
        """The number that a sign of one ink, whichever, has the shape of; 0 where that is not sure.

        Args:
            apart: how far its pixels are from their ground: height x width x 3.
        """
        flat = apart.reshape(-1, 3)
        ink = flat[np.einsum("ij,ij->i", flat, flat).argmax()]
        share = apart @ ink / (ink @ ink)
        is_one_ink = np.abs(ink).max() >= _LEAST_INK and (np.abs(apart - share[..., None] * ink) <= 2 * _STEPS).all()
        return self._number_of(share) if is_one_ink else 0

    def _number_of(self, ink: Inks) -> int:
        """The number that ink of this shape is (0.0 none to 1.0 full), 0 where that is not sure."""
        shape = without_place(ink, *self._shapes.shape[1:]) if len(self._shapes) else None
        if shape is None:
            return 0
        found = nearest_of(
            rms((self._shapes - shape).reshape(len(self._shapes), -1))[None], self._is_rival, _ACCEPT, _MARGIN
        )
        return int(self._numbers[found.best[0]]) if found.is_clear[0] else 0


def without_place(ink: Inks, height: int, width: int) -> Inks | None:
    """A sign brought to that size, whatever its own, and cut off at its edges; None where it is too small to tell.

    Args:
        ink: of every pixel, 0.0 none to 1.0 full; somewhere there is some.
        height: in pixels.
        width: in pixels.
    """
    strength = np.clip(ink, 0, None) / ink.max()
    down, across = _ends(strength.max(axis=1)), _ends(strength.max(axis=0))
    if down[1] - down[0] < _LEAST_PX:
        return None
    return np.asarray(_means(len(strength), *down, height) @ strength @ _means(strength.shape[1], *across, width).T)


def _ends(profile: Inks) -> tuple[float, float]:
    """Where ink begins and ends along a line of pixels: the first and last of them count by how strong they are."""
    inked = np.flatnonzero(profile > _FAINT)
    first, last = int(inked[0]), int(inked[-1])
    return (first + 1 - profile[first], last + profile[last]) if first < last else (first, last + 1)


def _means(n_px: int, start: float, end: float, n_bins: int) -> Inks:
    """Weights (bins x pixels) of the pixels between two places, shared out among bins."""
    cuts, px = np.linspace(start, end, n_bins + 1), np.arange(n_px)
    shared = np.minimum(cuts[1:, None], px + 1) - np.maximum(cuts[:-1, None], px)
    return np.asarray(np.maximum(shared, 0) / np.diff(cuts)[:, None])


sign_reader_of = lru_cache(maxsize=64)(SignReader)
"""The reader of some signs, made once a session."""
