"""What was seen of an unknown clone, what play told of it, and what follows. Pure: no screen, no mouse, no clock.

A look is known by its exact pixels: on a screen they repeat. Play tells more than pictures do. A board on which a
further cell could be opened showed no mine; a cell opened as proven safe shows a number; a cell opened as a proven
mine shows how a mine explodes. Everything else is left to joint satisfiability (`bot.learning.label_solver`).

The best guess on a board whose looks may mean several things. Pure: boards in, a cell out.

Every labelling that fits makes another board of it, with other risks: `solver.strategy.guess_among` weighs them.
What is added here is the mine count, where nothing tells it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.learning.label_solver import MARKS, NUMBERS, Claim, LabelSolver
from bot.vision.alike import BETWEEN_PIXELS, Comparer
from bot.vision.matching import code_of
from bot.vision.mine_counter import STANDARD_MINES
from calibration.appearances import DRAWN_ON, RIM_ALIKE, group, rims, smoothed
from calibration.errors import RulesError
from skins.pixels import fingerprint, largest_channel
from skins.skin import CLOSED, FLAG, MINE, QUESTION, WRONG_FLAG
from solver.board import Board
from solver.strategy import guess_among

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from bot.learning.label_solver import Labels
    from calibration.appearances import Appearances
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]


_USUAL_DENSITY = 0.16  # mines a cell, where nothing tells how many there are


def guess(
    boards: Sequence[NDArray[np.int16]], closed: NDArray[np.bool_], proven: Sequence[Cell], mines: int | None
) -> Cell | None:
    """The closed cell with the least risk over all labellings; None where nothing is left to open.

    Args:
        boards: the codes of the board under each labelling that fits, the likeliest first: rows x cols each.
        closed: bool, rows x cols: the closed cells.
        proven: those that are mines under every labelling.
        mines: how many the board has, None where that is not known.
    """
    can_open = closed.copy()
    for cell in proven:
        can_open[cell] = False
    if not can_open.any():
        return None
    rows, cols = closed.shape
    usual = STANDARD_MINES.get((rows, cols), max(round(_USUAL_DENSITY * rows * cols), len(proven) + 1))
    for count in dict.fromkeys((mines, usual, None)):
        move = guess_among([Board(board, count) for board in boards], can_open)
        if move is not None:
            return move.cell
    row, col = np.argwhere(can_open)[0].tolist()
    return row, col


_NEW: Labels = NUMBERS | {MINE, FLAG}
"""What a look may mean that has never been seen: some clones flag all mines of a won board."""
_ON_CLOSED: Labels = MARKS | {MINE, WRONG_FLAG}
"""What a look may mean that has the rim of a closed cell and something drawn on it."""
_LIT_ALIKE = 6.0  # largest difference of a closed cell that is lit from another one: that of cells of two sizes
_MOST_CLOSED = 12  # most looks of closed cells, and of flags, that are kept to compare others with
_EDGE_PX = 1  # how much of a flag's edge does not count, in pixels: it shows where the cell begins
_SAME = 10
_ODD_SHARE = 0.03
"""And where so few pixels differ: a closed cell's corners may depend on its neighbours. A thin 1 has twice as many."""
_MOST_BOARDS = 4  # most ended games that are held against the one that is on: more prove little more, and take time
_MOST_LABELLINGS = 64  # most labellings that are weighed for a guess: all there are of two looks that may be any number
_DENSEST = 0.4  # no game has more mines a cell: a board with more closed cells is not won
_LIKING = ("0", "1", "2", "3", "4", "5", "6", "7", "8", CLOSED, FLAG, QUESTION, MINE, WRONG_FLAG)
"""Small numbers are the frequent ones."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What follows for one board.

    Attributes:
        closed: bool, rows x cols: the closed cells.
        safe: closed cells that are no mine under any labelling, row by row.
        mines: closed cells that are one under every labelling.
        shows_mine: whether some look on it is a mine under every labelling: the game is over.
        labels: what each look on the board may mean, by fingerprint.
    """

    closed: NDArray[np.bool_]
    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    shows_mine: bool
    labels: dict[int, Labels]
    _boards: tuple[NDArray[np.int16], ...] = field(repr=False)

    @property
    def undecided(self) -> int:
        """How many closed cells may be mines or not."""
        return int(self.closed.sum()) - len(self.safe) - len(self.mines)

    def guess(self, mines: int | None) -> Cell | None:
        """The cell with the least risk; None where nothing is left to open. Asked only where no cell is safe.

        Args:
            mines: how many the board has, None where that is not known.
        """
        return guess(self._boards, self.closed, self.mines, mines)


class Evidence:
    """Everything known of one clone."""

    def __init__(self) -> None:
        self._facts: dict[int, Labels] = {}
        self._proven: dict[int, Labels] = {}
        self._closed: dict[int, Pixels] = {}
        self._lit: dict[int, Pixels] = {}
        self._flags: dict[int, Pixels] = {}
        self.roles: dict[int, str] = {}
        """Looks whose state play told more exactly than labels do: exploded mines."""
        self.ended: list[Pixels] = []
        """The last sight of ended games: rows x cols x height x width x 3 each."""
        self.shown: list[Pixels] = []
        """Boards that only show looks: fresh ones, one with a flag."""
        self.floods = True
        self.has_marks = False
        """Whether a person sets flags and question marks, right or wrong, unannounced."""
        self.mines: int | None = None
        """How many mines the boards have, where one showed them."""
        self.comparer: Comparer | None = None
        """Says whether looks are different, where what they show may lie between pixels."""

    # --- what play tells

    def tell(self, cells: Pixels, labels: Labels, role: str | None = None) -> None:
        """These cells (any stack of them) mean one of these labels.

        Raises:
            RulesError: one of them was told to mean something else.
        """
        stack = cells.reshape(-1, *cells.shape[-3:])
        for value, cell in zip(prints_of(stack), stack, strict=True):
            before = self._facts.get(value, labels)
            if not before & labels:
                raise RulesError(
                    f"one look means {' or '.join(sorted(before))} in one place and {' or '.join(sorted(labels))} in "
                    "another: the clone draws them alike, or something moved"
                )
            self._facts[value] = before & labels
            if labels == {CLOSED} and len(self._closed) < _MOST_CLOSED:
                self._closed.setdefault(value, cell)
            if labels == {FLAG} and len(self._flags) < _MOST_CLOSED:
                self._flags.setdefault(value, cell)
            if role is not None:
                self.roles[value] = role

    def tell_fresh(self, board: Pixels) -> None:
        """Nothing was opened on this board."""
        self.tell(board, frozenset({CLOSED}))
        self.shown.append(board)

    def tell_lit(self, fresh: Pixels, cell: Cell, lit: Pixels) -> None:
        """A cell (height x width x 3) of a fresh board looks so under the pointer; a hint may lie over others."""
        board = fresh.copy()
        board[cell] = lit
        if self.closed_cells(board)[cell]:
            return
        value = prints_of(lit[None])[0]
        self._facts[value] = frozenset({CLOSED})
        self._lit[value] = lit
        self.shown.append(board)

    def tell_played_on(self, board: Pixels) -> None:
        """After this sight a further cell was opened: no mine had been."""
        cells = board[~self.closed_cells(board)]
        if not self.has_marks:
            self.tell(cells, NUMBERS)
            return
        is_mark, tells = self._are_marks(cells)
        self.tell(cells[~is_mark], NUMBERS)
        self.tell(cells[is_mark], MARKS if tells else NUMBERS | MARKS)

    def told(self, cells: Pixels) -> list[Labels | None]:
        """What each of a stack of cells may mean, None where nothing is known of its look."""
        return [self._told(value) for value in prints_of(cells)]

    def is_known(self, cell: Pixels) -> bool:
        """Whether the look of one cell (height x width x 3) is known to be one thing."""
        return len(self._told(prints_of(cell[None])[0]) or _NEW) == 1

    def knows(self, label: str) -> bool:
        """Whether some look is known to mean this, or to be in this role."""
        return label in self.roles.values() or any(
            self._told(value) == frozenset({label}) and value not in self.roles for value in self._facts | self._proven
        )

    def closed_cells(self, board: Pixels) -> NDArray[np.bool_]:
        """Which cells of a board are closed, by their looks alone: bool, rows x cols."""
        cells = board.reshape(-1, *board.shape[2:])
        _, first, number_of = np.unique(prints_of(cells), return_index=True, return_inverse=True)
        looks = cells[first]
        alike = self._like_closed(looks)
        told = [self._told(value) for value in prints_of(looks)]
        is_closed = np.array([one == {CLOSED} if one else bool(like) for one, like in zip(told, alike, strict=True)])
        return np.asarray(is_closed[number_of.reshape(board.shape[:2])])

    # --- what follows

    def judge(self, board: Pixels) -> Judgement | None:
        """What follows for a board of a game that is on or just ended; None where no labelling fits it."""
        appearances, domains = self._grouped(board)
        claim = Claim(appearances.boards, domains, appearances.different, self.floods)
        numbers = appearances.boards[-1]
        seen = np.unique(numbers).tolist()
        prints = prints_of(appearances.pixels_bgr)
        with LabelSolver(claim) as model:
            labels = model.possible_labels()
            if labels is None:
                return None
            forced = model.forced_cells(len(claim.boards) - 1)
            is_closed = np.isin(numbers, [one for one in seen if labels[one] == {CLOSED}])
            safe = tuple(sorted(cell for cell, is_mine in forced.items() if not is_mine and is_closed[cell]))
            order = sorted(seen, key=lambda one: -int(appearances.counts[one]))
            likely = [] if safe else model.likely_labellings(order, _LIKING, _MOST_LABELLINGS)
        own = {prints[one]: labels[one] for one in seen}
        return Judgement(
            is_closed,
            safe,
            tuple(sorted(cell for cell, is_mine in forced.items() if is_mine and is_closed[cell])),
            any(labels[one] == {MINE} for one in seen),
            own,
            tuple(_codes(one)[numbers] for one in likely),
        )

    def may_be_won(self, board: Pixels, cell: Cell) -> bool:
        """Whether a board on which nothing more can be opened may be a won one, the cell opened last a number."""
        appearances, domains = self._grouped(board)
        numbers = appearances.boards[-1].copy()
        is_closed = np.isin(numbers, [one for one, domain in enumerate(domains) if domain <= {CLOSED}])
        own = int(numbers[cell])
        domains[own] &= NUMBERS
        if not domains[own] or not is_closed.any() or is_closed.mean() > _DENSEST:
            return bool(domains[own]) and not is_closed.any()
        as_mine = int(numbers[is_closed][0])  # all of one look: mines have no more than two
        numbers[is_closed] = as_mine
        domains[as_mine] = frozenset({MINE})
        with LabelSolver(Claim([numbers], domains, appearances.different, self.floods)) as model:
            return model.is_satisfiable()

    def end(self, board: Pixels, *, shows_mines: bool, may_be_flagged: bool = False) -> None:
        """Keep the last sight of a game, and what all of them prove together.

        Args:
            board: its cells; no cell has a flag, unless `has_marks`.
            shows_mines: whether it is over, and shows its mines where the clone shows them.
            may_be_flagged: whether the clone may have set flags by itself: the game is won.

        Raises:
            RulesError: no labelling fits them all.
        """
        before = dict(self._facts), dict(self._proven)
        try:
            labels, numbers = self._end(board, may_be_flagged=may_be_flagged)
            self.ended.append(board)
            self.all_labelled()  # one look means one thing in all games: what alone fits may not fit the others
        except BaseException:  # also a key that stops this in its middle
            self._facts, self._proven = before
            self.ended = [other for other in self.ended if other is not board]
            raise
        shown = [one for one in np.unique(numbers).tolist() if labels[one] == {MINE}]
        if shows_mines and sum(int((numbers == one).sum()) for one in shown) > 1:
            self.mines = int(np.isin(numbers, shown).sum())

    def _end(self, board: Pixels, *, may_be_flagged: bool) -> tuple[tuple[Labels, ...], NDArray[np.intp]]:
        """What the looks mean of a board on which a game ended, and of those that explain it; and which cell has which.

        Raises:
            RulesError: no labelling fits.
        """
        unmarked = _distinct(board[~self.closed_cells(board) & (not (self.has_marks or may_be_flagged))])
        for value in prints_of(unmarked[~self._like_flag(unmarked)]):
            told = self._told(value) or _NEW
            if len(told) > 1:
                self._facts[value] = told - MARKS
        appearances, domains = self._grouped(board)
        labels = self._possible(appearances, domains)
        if labels is None:
            raise RulesError("no meaning of its looks makes this game and the ones before Minesweeper")
        for value, found in zip(prints_of(appearances.pixels_bgr), labels, strict=True):
            self._proven[value] = found
        return labels, appearances.boards[-1]

    def give_up_floods(self) -> None:
        """A 0 does not open its neighbours here; what was proven by that is forgotten."""
        self.floods = False
        self._proven.clear()

    def all_labelled(self) -> tuple[Appearances, tuple[Labels, ...]]:
        """Every look that was seen, on ended boards and then on shown ones, and what it may mean.

        Raises:
            RulesError: no labelling fits.
        """
        boards = [*self.ended, *self.shown]
        appearances = group(boards, (0.0,), self.comparer)
        labels = self._possible(appearances, self._domains(appearances), len(self.ended))
        if labels is None:
            raise RulesError("no meaning of its looks makes all games Minesweeper")
        return appearances, labels

    # --- kept from one run to the next

    def as_plain(self) -> dict[str, Any]:
        """All but the pictures, as JSON."""
        return {
            "facts": _plain_labels(self._facts),
            "proven": _plain_labels(self._proven),
            "closed": list(map(str, self._closed)),
            "lit": list(map(str, self._lit)),
            "roles": {str(value): role for value, role in self.roles.items()},
            "floods": self.floods,
            "mines": self.mines,
        }

    @property
    def closed_looks(self) -> Pixels:
        """The looks of closed cells that others are compared with, lit ones last, in the order of `as_plain`."""
        looks = [*self._closed.values(), *self._lit.values()]
        return np.stack(looks) if looks else np.zeros((0, 1, 1, 3), dtype=np.uint8)

    @classmethod
    def of_plain(cls, plain: dict[str, Any], closed: Pixels, ended: list[Pixels], shown: list[Pixels]) -> Evidence:
        """What `as_plain` told, with the pictures.

        Raises:
            ValueError: looks of closed cells are missing.
            KeyError: something else is.
        """
        evidence = cls()
        evidence._facts, evidence._proven = _labels_of(plain["facts"]), _labels_of(plain["proven"])
        n_closed = len(plain["closed"])
        evidence._closed = dict(zip(map(int, plain["closed"]), closed[:n_closed], strict=True))
        evidence._lit = dict(zip(map(int, plain["lit"]), closed[n_closed:], strict=True))
        evidence.roles = {int(value): str(role) for value, role in plain["roles"].items()}
        evidence.ended, evidence.shown = ended, shown
        for cells in (board.reshape(-1, *board.shape[2:]) for board in shown):
            own = zip(evidence.told(cells), prints_of(cells), cells, strict=True)
            evidence._flags |= {value: cell for told, value, cell in own if told == frozenset({FLAG})}
        evidence.floods, evidence.mines = bool(plain["floods"]), plain["mines"]
        return evidence

    # --- inside

    def _grouped(self, board: Pixels) -> tuple[Appearances, list[Labels]]:
        """The looks of a board, and of ended ones that say more of those that are not known; the board is the last."""
        appearances = group([board], (0.0,), self.comparer)
        domains = self._domains(appearances)
        unknown = {
            value for value, domain in zip(prints_of(appearances.pixels_bgr), domains, strict=True) if len(domain) > 1
        }
        telling = [other for other in self.ended if not unknown.isdisjoint(prints_of(other))][-_MOST_BOARDS:]
        if telling:
            appearances = group([*telling, board], (0.0,), self.comparer)
            domains = self._domains(appearances)
        return appearances, domains

    def _possible(
        self, appearances: Appearances, domains: Sequence[Labels], n_boards: int | None = None
    ) -> tuple[Labels, ...] | None:
        claim = Claim(appearances.boards[:n_boards], domains, appearances.different, self.floods)
        with LabelSolver(claim) as model:
            labels = model.possible_labels()
        return None if labels is None else tuple(labels)

    def _told(self, value: int) -> Labels | None:
        """What a look may mean by what was told and proven, None where nothing was."""
        facts, proven = self._facts.get(value), self._proven.get(value)
        return facts & proven if facts and proven else facts or proven

    def _domains(self, appearances: Appearances) -> list[Labels]:
        """What each look may mean, by what was told and proven; what looks like a closed cell is one."""
        prints = prints_of(appearances.pixels_bgr)
        told = [self._told(value) for value in prints]
        looks = appearances.pixels_bgr
        found = []
        for labels, is_closed, is_flag, unseen in zip(
            told, self._like_closed(looks), self._like_flag(looks), self._new(looks), strict=True
        ):
            alike = frozenset({CLOSED}) if is_closed else frozenset({FLAG}) if is_flag else unseen
            found.append(labels or alike)
        return found

    def _like_closed(self, looks: Pixels) -> NDArray[np.bool_]:
        """Which looks are those of closed cells; one that is lit may be nearly as light as an open one."""
        is_closed = _alike(looks, list(self._closed.values()))
        for one in self._lit.values():
            is_closed |= np.abs(smoothed(looks) - smoothed(one[None])).max(axis=(1, 2, 3)) <= _LIT_ALIKE
        return is_closed

    def _like_flag(self, looks: Pixels) -> NDArray[np.bool_]:
        """Which looks are a flag's, drawn between other pixels: the pitch of cells need be no whole number."""
        if not self._flags or not len(looks):
            return np.zeros(len(looks), dtype=np.bool_)
        inside = slice(_EDGE_PX, -_EDGE_PX)
        flags = np.stack(list(self._flags.values()))
        far = Comparer(BETWEEN_PIXELS).apart(looks[:, inside, inside], flags[:, inside, inside])
        return np.asarray(far.min(axis=1) <= DRAWN_ON)

    def _new(self, looks: Pixels) -> list[Labels]:
        """What each look may mean if it was never seen before."""
        if not self.has_marks:
            return [_NEW] * len(looks)
        is_mark, tells = self._are_marks(looks)
        if not tells:
            return [_NEW | _ON_CLOSED] * len(looks)
        return [_ON_CLOSED if mark else _NEW - {FLAG} | {WRONG_FLAG} for mark in is_mark]

    def _are_marks(self, looks: Pixels) -> tuple[NDArray[np.bool_], bool]:
        """Which looks have the rim of a closed cell, and whether that tells anything: some others have not."""
        if not len(looks) or not self._closed:
            return np.zeros(len(looks), dtype=np.bool_), False
        rim = rims(looks)
        far = [np.abs(rim - one).max(axis=(1, 2)) for one in rims(np.stack(list(self._closed.values())))]
        has_rim = np.min(far, axis=0) <= RIM_ALIKE
        return has_rim, not bool(has_rim.all())


def is_fresh(board: Pixels) -> bool:
    """Whether all cells of a board look alike, checkered, lit and painted beside the border or not."""
    appearances = group([board], slacks=(0.0,))
    return _is_in_turn(appearances.boards[0]) or bool(
        _alike(appearances.pixels_bgr, [appearances.pixels_bgr[appearances.counts.argmax()]]).all()
    )


def _is_in_turn(board: NDArray[np.intp]) -> bool:
    """Whether a board has two looks, strictly in turn: a fresh one, however different they are."""
    is_odd = np.indices(board.shape).sum(axis=0) % 2
    return np.array_equal(board, is_odd) or np.array_equal(board, 1 - is_odd)


def _alike(looks: Pixels, closed: Sequence[Pixels]) -> NDArray[np.bool_]:
    """Which looks are closed cells as these are: lit, checkered, or with a few other pixels where neighbours meet."""
    is_alike = np.zeros(len(looks), dtype=np.bool_)
    rim, bare = rims(looks), _bare(looks)
    for one in closed:
        has_rim = np.abs(rim - rims(one[None])).max(axis=(1, 2)) <= RIM_ALIKE
        is_lit = np.abs(bare - _bare(one[None])).max(axis=(1, 2, 3)) <= DRAWN_ON
        differs = largest_channel(np.abs(looks.astype(np.int16) - one)) > _SAME
        is_alike |= (has_rim & is_lit) | (differs.mean(axis=(1, 2)) <= _ODD_SHARE)
    return is_alike


def _bare(looks: Pixels) -> NDArray[np.float32]:
    """Looks, smoothed, without their grounds."""
    grounds = np.median(looks.reshape(len(looks), -1, 3), axis=1).astype(np.float32)
    bare: NDArray[np.float32] = smoothed(looks) - grounds[:, None, None]
    return bare


def _distinct(cells: Pixels) -> Pixels:
    """One of each look of some cells (N x height x width x 3)."""
    return cells[np.unique(prints_of(cells), return_index=True)[1]]


def cells_of(mask: NDArray[np.bool_]) -> list[Cell]:
    """The cells where a mask (rows x cols) holds, row by row."""
    return [(int(row), int(col)) for row, col in np.argwhere(mask)]


def prints_of(cells: Pixels) -> list[int]:
    """The fingerprint of each of a stack of cells (... x height x width x 3)."""
    if not cells.size:
        return []
    return [int(value) for value in fingerprint(np.ascontiguousarray(cells.reshape(-1, *cells.shape[-3:])))]


def _plain_labels(labels: Mapping[int, Labels]) -> dict[str, list[str]]:
    return {str(value): sorted(own) for value, own in labels.items()}


def _labels_of(plain: Mapping[str, list[str]]) -> dict[int, Labels]:
    return {int(value): frozenset(own) for value, own in plain.items()}


def _codes(labelling: Sequence[str]) -> NDArray[np.int16]:
    """Labels as the solver's codes."""
    return np.array([code_of(label) for label in labelling], dtype=np.int16)
