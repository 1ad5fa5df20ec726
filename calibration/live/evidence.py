"""What was seen of an unknown clone, what play told of it, and what follows. Pure: no screen, no mouse, no clock.

An appearance is known by its exact pixels: on a screen they repeat. Play tells more than pictures do. A board on which
a further cell could be opened showed no mine; a cell opened as proven safe shows a number; a cell opened as a proven
mine shows how a mine explodes. Everything else is left to joint satisfiability (`bot.learning.label_solver`).

What follows for a board is the cells that are safe or mines under every labelling. Where none is safe, it is a guess:
every labelling that fits makes another board of it, with other risks, and `solver.strategy.guess_among` weighs them.
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
from calibration.appearances import DRAWN_ON, RIM_ALIKE, bare, distances, group, rims, smoothed, stacked
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
"""What an appearance may mean that has never been seen: some clones flag all mines of a won board."""
_ON_CLOSED: Labels = MARKS | {MINE, WRONG_FLAG}
"""What an appearance may mean that has the rim of a closed cell and something drawn on it."""
_LIT_ALIKE = 6.0  # largest difference of a closed cell that is lit from another one: that of cells of two sizes
_MOST_CLOSED = 12  # most appearances of closed cells, and of flags, that are kept to compare others with
_EDGE_PX = 1  # how much of a flag's edge does not count, in pixels: it shows where the cell begins
_SAME = 10  # largest difference of a channel between pixels that are alike
_ODD_SHARE = 0.03
"""Greatest share of other pixels on a closed cell: corners may depend on neighbours. A thin 1 has twice as many."""
_MOST_BOARDS = 4  # most ended games that are held against the one that is on: more prove little more, and take time
_MOST_LABELLINGS = 64  # most labellings that are weighed for a guess: all there are of two that may be any number
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
        shows_mine: whether some appearance on it is a mine under every labelling: the game is over.
        labels: what each appearance on the board may mean, by fingerprint.
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
        """Appearances whose state play told more exactly than labels do: exploded mines."""
        self.ended: list[Pixels] = []
        """The last sight of ended games: rows x cols x height x width x 3 each."""
        self.shown: list[Pixels] = []
        """Boards that only show appearances: fresh ones, one with a flag."""
        self.floods = True
        self.has_marks = False
        """Whether a person sets flags and question marks, right or wrong, unannounced."""
        self.mines: int | None = None
        """How many mines the boards have, where one showed them."""
        self.n_showing = 0
        """How many ended boards of this run showed their mines."""
        self.comparer: Comparer | None = None
        """Says whether appearances are different, where what they show may lie between pixels."""

    # --- what play tells

    def tell(self, cells: Pixels, labels: Labels, role: str | None = None) -> None:
        """These cells (any stack of them) mean one of these labels.

        Raises:
            RulesError: one of them was told to mean something else.
        """
        stack = stacked(cells)
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

    def known_labels(self, cells: Pixels) -> list[Labels | None]:
        """What each of a stack of cells may mean, None where nothing is known of its appearance."""
        return [self._known_labels(value) for value in prints_of(cells)]

    def is_known(self, cell: Pixels) -> bool:
        """Whether the appearance of one cell (height x width x 3) is known to be one thing."""
        return len(self._known_labels(prints_of(cell[None])[0]) or _NEW) == 1

    def knows(self, label: str) -> bool:
        """Whether some appearance is known to mean this, or to be in this role."""
        return label in self.roles.values() or any(
            self._known_labels(value) == frozenset({label}) and value not in self.roles
            for value in self._facts | self._proven
        )

    def closed_cells(self, board: Pixels) -> NDArray[np.bool_]:
        """Which cells of a board are closed, by their pixels alone: bool, rows x cols."""
        prints, first, number_of = np.unique(prints_of(board), return_index=True, return_inverse=True)
        alike = self._are_closed(stacked(board)[first])
        told = [self._known_labels(value) for value in prints.tolist()]
        is_closed = np.array([one == {CLOSED} if one else bool(like) for one, like in zip(told, alike, strict=True)])
        return np.asarray(is_closed[number_of.reshape(board.shape[:2])])

    # --- what follows

    def judge(self, board: Pixels) -> Judgement | None:
        """What follows for a board of a game that is on or just ended; None where no labelling fits it."""
        appearances, domains = self._grouped_boards(board)
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
            tuple(np.array([code_of(label) for label in one], dtype=np.int16)[numbers] for one in likely),
        )

    def may_be_won(self, board: Pixels, cell: Cell) -> bool:
        """Whether a board on which nothing more can be opened may be a won one, the cell opened last a number."""
        appearances, domains = self._grouped_boards(board)
        numbers = appearances.boards[-1].copy()
        is_closed = np.isin(numbers, [one for one, domain in enumerate(domains) if domain <= {CLOSED}])
        own = int(numbers[cell])
        domains[own] &= NUMBERS
        if not domains[own] or not is_closed.any() or is_closed.mean() > _DENSEST:
            return bool(domains[own]) and not is_closed.any()
        as_mine = int(numbers[is_closed][0])  # all alike: mines have no more than two appearances
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
            labels, numbers = self._ended_labels(board, may_be_flagged=may_be_flagged)
            self.ended.append(board)
            self.all_labelled()  # it means one thing in all games: what alone fits may not fit the others
        except BaseException:  # also a key that stops this in its middle
            self._facts, self._proven = before
            self.ended = [other for other in self.ended if other is not board]
            raise
        shown = [one for one in np.unique(numbers).tolist() if labels[one] == {MINE}]
        if shows_mines and sum(int((numbers == one).sum()) for one in shown) > 1:
            self.mines = int(np.isin(numbers, shown).sum())
            self.n_showing += 1

    def _ended_labels(self, board: Pixels, *, may_be_flagged: bool) -> tuple[tuple[Labels, ...], NDArray[np.intp]]:
        """What the appearances mean on a board that ended, and on those that explain it; and which cell has which.

        Raises:
            RulesError: no labelling fits.
        """
        unmarked = board[~self.closed_cells(board) & (not (self.has_marks or may_be_flagged))]
        unmarked = unmarked[np.unique(prints_of(unmarked), return_index=True)[1]]
        for value in prints_of(unmarked[~self._are_flags(unmarked)]):
            told = self._known_labels(value) or _NEW
            if len(told) > 1:
                self._facts[value] = told - MARKS
        appearances, domains = self._grouped_boards(board)
        labels = self._possible_labels(appearances, domains)
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
        """Every appearance that was seen, on ended boards and then on shown ones, and what it may mean.

        Raises:
            RulesError: no labelling fits.
        """
        boards = [*self.ended, *self.shown]
        appearances = group(boards, (0.0,), self.comparer)
        labels = self._possible_labels(appearances, self._domains(appearances), len(self.ended))
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
    def closed_appearances(self) -> Pixels:
        """The appearances of closed cells that others are compared with, lit ones last, in the order of `as_plain`."""
        closed = [*self._closed.values(), *self._lit.values()]
        return np.stack(closed) if closed else np.zeros((0, 1, 1, 3), dtype=np.uint8)

    @classmethod
    def of_plain(cls, plain: dict[str, Any], closed: Pixels, ended: list[Pixels], shown: list[Pixels]) -> Evidence:
        """What `as_plain` told, with the pictures.

        Raises:
            ValueError: appearances of closed cells are missing.
            KeyError: something else is.
        """
        evidence = cls()
        evidence._facts, evidence._proven = _parsed_labels(plain["facts"]), _parsed_labels(plain["proven"])
        n_closed = len(plain["closed"])
        evidence._closed = dict(zip(map(int, plain["closed"]), closed[:n_closed], strict=True))
        evidence._lit = dict(zip(map(int, plain["lit"]), closed[n_closed:], strict=True))
        evidence.roles = {int(value): str(role) for value, role in plain["roles"].items()}
        evidence.ended, evidence.shown = ended, shown
        for cells in (stacked(board) for board in shown):
            own = zip(evidence.known_labels(cells), prints_of(cells), cells, strict=True)
            evidence._flags |= {value: cell for told, value, cell in own if told == frozenset({FLAG})}
        evidence.floods, evidence.mines = bool(plain["floods"]), plain["mines"]
        return evidence

    # --- inside

    def _grouped_boards(self, board: Pixels) -> tuple[Appearances, list[Labels]]:
        """The appearances on a board, and on ended ones that say more of what is not known; the board is the last."""
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

    def _possible_labels(
        self, appearances: Appearances, domains: Sequence[Labels], n_boards: int | None = None
    ) -> tuple[Labels, ...] | None:
        claim = Claim(appearances.boards[:n_boards], domains, appearances.different, self.floods)
        with LabelSolver(claim) as model:
            labels = model.possible_labels()
        return None if labels is None else tuple(labels)

    def _known_labels(self, value: int) -> Labels | None:
        """What an appearance may mean by what was told and proven, None where nothing was."""
        facts, proven = self._facts.get(value), self._proven.get(value)
        return facts & proven if facts and proven else facts or proven

    def _domains(self, appearances: Appearances) -> list[Labels]:
        """What each appearance may mean, by what was told and proven; what looks like a closed cell is one."""
        cells = appearances.pixels_bgr
        known = self.known_labels(cells)
        found = zip(known, self._are_closed(cells), self._are_flags(cells), self._new_labels(cells), strict=True)
        return [
            labels or (frozenset({CLOSED}) if is_closed else frozenset({FLAG}) if is_flag else unseen)
            for labels, is_closed, is_flag, unseen in found
        ]

    def _are_closed(self, cells: Pixels) -> NDArray[np.bool_]:
        """Which of a stack of cells are closed; one that is lit may be nearly as light as an open one."""
        is_closed = _are_like_closed(cells, list(self._closed.values()))
        for one in self._lit.values():
            is_closed |= distances(smoothed(one[None])[0], smoothed(cells)) <= _LIT_ALIKE
        return is_closed

    def _are_flags(self, cells: Pixels) -> NDArray[np.bool_]:
        """Which of a stack of cells have a flag, drawn between other pixels where the pitch is no whole number."""
        if not self._flags or not len(cells):
            return np.zeros(len(cells), dtype=np.bool_)
        inside = slice(_EDGE_PX, -_EDGE_PX)
        flags = np.stack(list(self._flags.values()))
        far = Comparer(BETWEEN_PIXELS).apart(cells[:, inside, inside], flags[:, inside, inside])
        return np.asarray(far.min(axis=1) <= DRAWN_ON)

    def _new_labels(self, cells: Pixels) -> list[Labels]:
        """What each of a stack of cells may mean if its appearance was never seen before."""
        if not self.has_marks:
            return [_NEW] * len(cells)
        is_mark, tells = self._are_marks(cells)
        if not tells:
            return [_NEW | _ON_CLOSED] * len(cells)
        return [_ON_CLOSED if mark else _NEW - {FLAG} | {WRONG_FLAG} for mark in is_mark]

    def _are_marks(self, cells: Pixels) -> tuple[NDArray[np.bool_], bool]:
        """Which cells of a stack have the rim of a closed one, and whether that tells anything: some have not."""
        if not len(cells) or not self._closed:
            return np.zeros(len(cells), dtype=np.bool_), False
        rim = rims(cells)
        far = [distances(one, rim) for one in rims(np.stack(list(self._closed.values())))]
        has_rim = np.min(far, axis=0) <= RIM_ALIKE
        return has_rim, not bool(has_rim.all())


def is_fresh(board: Pixels) -> bool:
    """Whether all cells of a board look alike, checkered, lit and painted beside the border or not."""
    appearances = group([board], slacks=(0.0,))
    return _is_in_turn(appearances.boards[0]) or bool(
        _are_like_closed(appearances.pixels_bgr, [appearances.pixels_bgr[appearances.counts.argmax()]]).all()
    )


def _is_in_turn(board: NDArray[np.intp]) -> bool:
    """Whether a board has two appearances, strictly in turn: a fresh one, however different they are."""
    is_odd = np.indices(board.shape).sum(axis=0) % 2
    return np.array_equal(board, is_odd) or np.array_equal(board, 1 - is_odd)


def _are_like_closed(cells: Pixels, closed: Sequence[Pixels]) -> NDArray[np.bool_]:
    """Which of a stack of cells are closed as these are: lit, checkered, or other in a few pixels at their corners."""
    is_alike = np.zeros(len(cells), dtype=np.bool_)
    rim, signs = rims(cells), bare(cells)
    for one in closed:
        has_rim = distances(rims(one[None])[0], rim) <= RIM_ALIKE
        is_lit = distances(bare(one[None])[0], signs) <= DRAWN_ON
        differs = largest_channel(np.abs(cells.astype(np.int16) - one)) > _SAME
        is_alike |= (has_rim & is_lit) | (differs.mean(axis=(1, 2)) <= _ODD_SHARE)
    return is_alike


def cells_of(mask: NDArray[np.bool_]) -> list[Cell]:
    """The cells where a mask (rows x cols) holds, row by row."""
    return [(int(row), int(col)) for row, col in np.argwhere(mask)]


def prints_of(cells: Pixels) -> list[int]:
    """The fingerprint of each of a stack of cells (... x height x width x 3)."""
    if not cells.size:
        return []
    return [int(value) for value in fingerprint(np.ascontiguousarray(stacked(cells)))]


def _plain_labels(labels: Mapping[int, Labels]) -> dict[str, list[str]]:
    return {str(value): sorted(own) for value, own in labels.items()}


def _parsed_labels(plain: Mapping[str, list[str]]) -> dict[int, Labels]:
    return {int(value): frozenset(own) for value, own in plain.items()}
