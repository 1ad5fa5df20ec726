"""What the appearances of a clone mean: roles first (which are closed cells?), then every label by proof.

A closed cell and its flag have one rim, open cells another: what has the rim of a closed cell is no number. Which
appearance is the closed one is seen on a fresh board, or else every one that comes often is tried: what no choice
makes satisfiable is not so, and what several allow stays open. One that was only tried may be a mark instead, as
on a won board that has a flag on every mine.

Where no labelling fits, what may not hold is given up: that a 0 opens its neighbours, or one of several boards.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.learning.label_solver import DENSEST, LABELS, MARKS, NOT_OPEN, NUMBERS, Claim, LabelSolver
from calibration.appearances import DRAWN_ON, MOST_APPEARANCES, RIM_ALIKE, rims
from calibration.errors import RulesError
from skins.skin import CLOSED, MINE, WRONG_FLAG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.learning.label_solver import Labels
    from calibration.appearances import Appearances

_FEW = 4  # fewest cells that tell something of a whole board
_AGREED = 2  # fewest numbers of a game that must be known from others, for it to agree with them
_LEAST_NUMBERS = 3
"""Fewest numbers that must be proven of a blurred board, the 0 and the 1 among them, by several cells."""
_COMES_ONCE: frozenset[str] = MARKS | {MINE, WRONG_FLAG}
_NOT_A_NUMBER: frozenset[str] = _COMES_ONCE | {CLOSED}
_MOST_TRIED = 6


@dataclass(frozen=True, eq=False)
class Labelling:
    """What is known of a clone's appearances.

    Attributes:
        labels: what each may mean; one label where it is proven.
        used: the numbers of the boards that were used; the others contradict them, or the rules.
        given_up: the rules that had to be given up, in words.
    """

    labels: tuple[Labels, ...]
    used: tuple[int, ...]
    given_up: tuple[str, ...] = ()

    @property
    def proven(self) -> dict[int, str]:
        """The appearances whose label is proven, with it."""
        return {number: next(iter(labels)) for number, labels in enumerate(self.labels) if len(labels) == 1}


def label(appearances: Appearances, closed: frozenset[int] = frozenset()) -> Labelling:
    """Prove what appearances mean.

    Args:
        appearances: of one or more boards of one clone.
        closed: appearances that are known to be closed cells; empty where that is to be found out.

    Raises:
        RulesError: no labelling fits the boards, however the rules are relaxed and whichever one is left out.
    """
    if len(appearances.counts) > MOST_APPEARANCES:
        raise RulesError(
            f"the cells have {len(appearances.counts)} different looks, of which a board has a dozen: "
            "something moves there, or lies over it"
        )
    everything = range(len(appearances.boards))
    without_one = [
        [other for other in everything if other != number]
        for number in everything
        if not _is_fresh(appearances, appearances.boards[number])  # a fresh board contradicts nothing
    ]
    for boards in [list(everything), *(without_one if len(everything) > 2 else [])]:
        for floods, given_up in ((True, ()), (False, ("a 0 opens its neighbours",))):
            labels = _joint_labels(appearances, closed, boards, floods=floods)
            if labels is not None:
                labels = _doubted_labels(appearances, _seen_labels(appearances, boards, labels))
                return Labelling(labels, tuple(boards), given_up)
    raise RulesError(
        "no meaning of its looks makes this a Minesweeper board: the numbers would contradict each other, or there are "
        "other rules (other neighbours, several mines in a cell)"
    )


def _seen_labels(appearances: Appearances, boards: Sequence[int], labels: Sequence[Labels]) -> tuple[Labels, ...]:
    """The labels of what is on some boards; what is on others alone may be anything."""
    seen = frozenset[int]().union(*(_appearances_on(appearances.boards[number]) for number in boards))
    return tuple(one if number in seen else LABELS for number, one in enumerate(labels))


def _doubted_labels(appearances: Appearances, labels: tuple[Labels, ...]) -> tuple[Labels, ...]:
    """What is left of labels where cells are told apart by more than their exact pixels.

    A cell at the edge of a blurred board may look like none inside, and then seem to be whatever comes but once: a
    mine, a flag. Numbers do not come about so, and where there are none, nothing is sure.

    Raises:
        RulesError: no numbers are proven.
    """
    if appearances.slack == 0:
        return labels
    n_cells = Counter[str]()
    for one, count in zip(labels, appearances.counts.tolist(), strict=True):
        if len(one) == 1 and one <= NUMBERS:
            n_cells[min(one)] += count
    numbers = {label for label, n in n_cells.items() if n >= _FEW}
    if not {"0", "1"} <= numbers or len(n_cells) < _LEAST_NUMBERS:
        raise RulesError(
            "no two cells are quite equal, and nothing is sure of what they mean: show pictures as the clone draws "
            "them, not scaled and not compressed, or more of them"
        )
    return tuple(_NOT_A_NUMBER if one <= _COMES_ONCE else one for one in labels)


def are_agreed(appearances: Appearances, labelling: Labelling) -> bool:
    """Whether games of different layouts agree: each board is as the labels say that boards of other games prove.

    A game that is seen again, with the same mines, proves nothing about itself. A board of which the others tell little
    agrees with nothing, and denies nothing.
    """
    boards, proven = appearances.boards, labelling.proven
    closed = frozenset(number for number, label in proven.items() if label == CLOSED)
    uncovered = {number: label for number, label in proven.items() if label in NUMBERS | {MINE}}
    shown = {
        number: np.vectorize(lambda appearance: uncovered.get(appearance, ""))(boards[number])
        for number in labelling.used
    }
    telling = [number for number, cells in shown.items() if np.isin(cells, sorted(NUMBERS - {"0"})).sum() >= _FEW]
    fresh = [number for number in labelling.used if _is_fresh(appearances, boards[number])]
    n_agreed, floods = 0, not labelling.given_up
    for number in telling:
        others = [other for other in telling if _have_two_layouts(shown[number], shown[other])]
        if not others:
            continue
        labels = _joint_labels(appearances, closed, fresh + others, floods=floods)
        if labels is None:
            return False
        known = [
            labels[one] for one in _appearances_on(boards[number]) if len(labels[one]) == 1 and labels[one] <= NUMBERS
        ]
        with LabelSolver(Claim([boards[number]], labels, appearances.different, floods)) as model:
            if not model.is_satisfiable():
                return False
        n_agreed += len(known) >= _AGREED
    return n_agreed > 1


def _have_two_layouts(one: NDArray[np.str_], other: NDArray[np.str_]) -> bool:
    """Whether two boards surely have their mines in different places: a cell that both show is not the same.

    Args:
        one: the number of each cell, or that it is a mine; empty where that is not known: rows x cols.
        other: those of the other board.
    """
    return one.shape != other.shape or bool(((one != "") & (other != "") & (one != other)).any())


def _joint_labels(
    appearances: Appearances, closed: frozenset[int], boards: Sequence[int], *, floods: bool
) -> tuple[Labels, ...] | None:
    """The labels that are possible for any choice of what closed cells are; None where no choice fits."""
    chosen = [appearances.boards[number] for number in boards]
    fresh = (_appearances_on(board) for board in chosen if _is_fresh(appearances, board))
    known = closed or frozenset[int]().union(*fresh)
    choices = [known] if known else _closed_choices(appearances)
    found = [_possible_labels(appearances, choice, chosen, floods=floods, is_known=bool(known)) for choice in choices]
    fitting = [labels for labels in found if labels is not None]
    if not fitting:
        return None
    return tuple(frozenset[str]().union(*of_one) for of_one in zip(*fitting, strict=True))


def _closed_choices(appearances: Appearances) -> Iterator[frozenset[int]]:
    """Which appearances may be the closed cells where no board is fresh: each of the most frequent ones in turn.

    By themselves, with those that they surely do not differ from (cells may be lit), and with those that noise alone
    may have made of them.
    """
    order = np.argsort(-appearances.counts, kind="stable")[:_MOST_TRIED].tolist()
    choices: list[frozenset[int]] = []
    for number in order:
        if appearances.counts[number] < _FEW:
            break
        lit = [other for other in order if not appearances.different[number, other]]
        choices += [
            frozenset({number}),
            *([frozenset(lit)] if number == min(lit) else []),
            _family(appearances, number),
        ]
    yield from dict.fromkeys(choices)


def _appearances_on(board: NDArray[np.intp]) -> frozenset[int]:
    return frozenset(np.unique(board).tolist())


def _is_fresh(appearances: Appearances, board: NDArray[np.intp]) -> bool:
    """Whether a board has closed cells alone: alike, on other grounds, or as noise alone may have made them."""
    shown = _appearances_on(board)
    most = int(np.bincount(board.ravel()).argmax())
    is_bare = appearances.bare_apart[most, sorted(shown)] <= DRAWN_ON
    return bool(is_bare.all()) or any(shown <= _family(appearances, number) for number in shown)


def _family(appearances: Appearances, number: int) -> frozenset[int]:
    """An appearance with all that noise may have made of it: as far off as two of one kind may be."""
    return frozenset(np.flatnonzero(appearances.apart[number] <= 2 * appearances.slack).tolist()) | {number}


def _domains(appearances: Appearances, closed: frozenset[int], bare: Labels) -> list[Labels]:
    """The labels that each appearance may have by its pixels alone, when these are the closed cells.

    Args:
        appearances: of some boards.
        closed: those taken for closed cells.
        bare: what these may be: with marks where it is not known that nothing is drawn on them.
    """
    rim = rims(appearances.pixels_bgr)
    from_closed = _nearest_rim(rim, sorted(closed))
    with_rim = (from_closed <= RIM_ALIKE).tolist()
    is_unsure = _unsure_rims(appearances, rim, from_closed)
    n_open = sum(not has_rim for has_rim in with_rim)
    tells = n_open >= min(2, len(rim) - len(closed))
    has_marks = tells and any(has_rim and number not in closed for number, has_rim in enumerate(with_rim))
    open_labels = LABELS - NOT_OPEN if has_marks else LABELS - {CLOSED}
    found = []
    for number, has_rim in enumerate(with_rim):
        if number in closed:
            found.append(bare)
        elif tells and is_unsure[number]:
            found.append(LABELS)
        elif not (tells and has_rim):
            found.append(open_labels)
        else:
            found.append(_labels_on_closed(appearances, number, closed, bare))
    return found


def _labels_on_closed(appearances: Appearances, number: int, closed: frozenset[int], bare: Labels) -> Labels:
    """What an appearance with the rim of closed cells may be: one of them, or one with something drawn on it."""
    drawn = float(appearances.bare_apart[number, sorted(closed)].min())
    labels = frozenset[str]()
    if drawn <= max(DRAWN_ON, 2 * appearances.slack):
        labels |= bare
    if drawn > DRAWN_ON:
        # A lost game shows several mines unopened.
        is_never_alone = all(int((board == number).sum()) != 1 for board in appearances.boards)
        labels |= MARKS | {MINE} if is_never_alone else MARKS
    return labels


def _nearest_rim(rim: NDArray[np.float32], of: Sequence[int]) -> NDArray[np.float32]:
    """How far the rim of each appearance is from the nearest of some."""
    nearest: NDArray[np.float32] = np.abs(rim[:, None] - rim[None, of]).max(axis=(2, 3)).min(axis=1, initial=255)
    return nearest


def _unsure_rims(
    appearances: Appearances, rim: NDArray[np.float32], from_closed: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """The appearances whose rims do not tell whether they are open.

    Where cells repeat pixel for pixel there are none. Elsewhere rims that differ from those of closed cells by no more
    than is overlooked do not tell, nor does one that few cells have: it may be a cell at the edge of the board, blurred
    with what is around it, unless it is nearer to the rim of open cells that come often.
    """
    if appearances.slack == 0:
        return np.zeros(len(rim), dtype=np.bool_)
    is_often = appearances.counts >= _FEW
    is_open = from_closed > max(RIM_ALIKE, appearances.slack)
    from_open = _nearest_rim(rim, np.flatnonzero(is_open & is_often).tolist())
    is_like_open = (from_open <= max(RIM_ALIKE, appearances.slack)) & (from_open < from_closed)
    unsure: NDArray[np.bool_] = (from_closed > RIM_ALIKE) & ~(is_open & (is_often | is_like_open))
    return unsure


def _possible_labels(
    appearances: Appearances,
    closed: frozenset[int],
    boards: Sequence[NDArray[np.intp]],
    *,
    floods: bool,
    is_known: bool,
) -> list[Labels] | None:
    """The labels that are possible when these are the closed cells; None where nothing fits.

    Where that is only tried, they may all be marks, if they are no more than mines can be. What may be closed or open,
    and is closed, may have a mark on it: wherever marks are, they are no evidence. Of two appearances with the rim
    of closed cells either may be the mark.
    """
    may_be_marks = not is_known and max(np.isin(board, sorted(closed)).mean() for board in boards) <= DENSEST
    bare = frozenset({CLOSED}) | (MARKS if may_be_marks else frozenset())
    claim = Claim(boards, _domains(appearances, closed, bare), appearances.different, floods)
    with LabelSolver(claim) as model:
        labels = model.possible_labels()
    if labels is None:
        return None
    is_either = may_be_marks and any(MARKS <= domain <= _COMES_ONCE for domain in claim.domains)
    found = []
    for number, (one, domain) in enumerate(zip(labels, claim.domains, strict=True)):
        may_be_either = is_either and MARKS <= domain <= _NOT_A_NUMBER
        has_mark = CLOSED in one and number not in closed
        found.append(one | MARKS | {CLOSED} if may_be_either else one | (domain & MARKS) if has_mark else one)
    return found
