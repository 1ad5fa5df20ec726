"""The whole way from pictures of a clone to its skin, one named step after the other.

The last steps are the proof that the skin reads what it was made of, and a picture for a person to confirm.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.errors import UsageError
from bot.reporting.drawing.ink import PAPER, line_height, put_text, text_size
from bot.vision.alike import BETWEEN_PIXELS, BY_PIXELS, PLAIN_SLACK, Comparer
from bot.vision.finding import find_boards
from bot.vision.matching import code_of
from bot.vision.reading import read_board
from calibration.appearances import STEPS, distances, group, rims
from calibration.border import with_border
from calibration.errors import CalibrationError, NoLatticeError, RulesError
from calibration.gapped import joined_drawing
from calibration.grids import find_cuts, find_like
from calibration.labels import are_agreed, label
from calibration.pointed import SLACK
from skins.pixels import fingerprint, most_frequent, nearest_pair, safe_accept
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, Alike, Drawing, OwnPixels, Skin, Sprite, Tiles, Tolerance
from solver.board import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from calibration.appearances import Appearances
    from calibration.cells import Cut
    from calibration.labels import Labelling


_MOST_TRIED = 6  # most places that are tried for a board
_MOST_APPEARANCES = 30
_MOST_SLACKS = 2  # most ways to sort cells that are tried: ever finer ones take ever longer, and prove ever less
_TELLING = 3  # fewest appearances of a board that tell where its cells begin


@dataclass(frozen=True, eq=False)
class Learned:
    """What pictures of a clone taught.

    Attributes:
        skin: what was made of it.
        cuts: the boards it was made of.
        appearances: what its cells look like.
        labelling: what that means.
        is_verified: whether two games agree.
        share_read: the share of cells that the skin reads, of all that were shown.
    """

    skin: Skin
    cuts: tuple[Cut, ...]
    appearances: Appearances
    labelling: Labelling
    is_verified: bool
    share_read: float


def _cuts_of_all(frames: Sequence[Frame], names: Sequence[str], number: int, first: Cut) -> list[Cut]:
    """The board of one picture, and those of the same clone on all others, in their order.

    Raises:
        NoLatticeError: a picture has none.
    """
    cuts = []
    for other, frame in enumerate(frames):
        cut = first if other == number else find_like(frame, first)
        if cut is None:
            height, width = first.cells.shape[2:4]
            raise NoLatticeError(
                f"{names[other]}: no board there with cells as on {names[number]}, {width}x{height} px"
            )
        cuts.append(cut)
    return cuts


def learn(
    name: str, frames: Sequence[Frame], names: Sequence[str], closed_cell: tuple[int, int] | None = None
) -> Learned:
    """Make a skin of pictures of one clone.

    Args:
        name: what the skin is called.
        frames: the pictures.
        names: what they are called in messages.
        closed_cell: (row, col) of a cell of the first picture's board that is closed, None where that is to be found
            out.

    Raises:
        UsageError: the board has no such cell.
        NoLatticeError: a picture has no board.
        CalibrationError: too little is known for a skin, the boards are no Minesweeper, or the skin does not read them.
    """
    cuts, appearances, labelling = _labelled_boards(frames, names, closed_cell)
    return _taught_skin(name, cuts, appearances, labelling)


def _labelled_boards(
    frames: Sequence[Frame], names: Sequence[str], closed_cell: tuple[int, int] | None = None
) -> tuple[list[Cut], Appearances, Labelling]:
    """The boards on pictures of one clone, what their cells look like, and what that means; as `learn` takes them.

    Raises:
        UsageError: the board has no such cell.
        NoLatticeError: a picture has no board.
        RulesError: the boards are no Minesweeper.
    """
    problem: CalibrationError | None = None
    by_frame = [find_cuts(frame) for frame in frames]
    if not any(by_frame):
        raise NoLatticeError(f"{', '.join(names)}: nothing repeats there as the cells of a board do")
    found = [(number, rank, cut) for number, cuts in enumerate(by_frame) for rank, cut in enumerate(cuts)]
    found.sort(key=lambda one: (one[2].n_appearances < _TELLING, one[1], one[2].n_appearances > _MOST_APPEARANCES))
    for number, _, first in found[:_MOST_TRIED]:
        try:
            cuts = _cuts_of_all(frames, names, number, first)
            return cuts, *_sorted_and_labelled(cuts, closed_cell)
        except (NoLatticeError, RulesError) as error:
            if problem is None or isinstance(error, RulesError):  # it came farther
                problem = error
    assert problem is not None, "there is at least one candidate"
    raise problem


def _sorted_and_labelled(cuts: Sequence[Cut], closed_cell: tuple[int, int] | None) -> tuple[Appearances, Labelling]:
    """The appearances on boards and what they mean: sorted more finely where they fit no rules.

    Raises:
        RulesError: they fit none however finely they are sorted.
    """
    slacks: tuple[float, ...] = STEPS
    for n_tried in itertools.count(1):
        appearances = group([cut.cells for cut in cuts], slacks)
        finer = tuple(slack for slack in slacks if slack < appearances.slack)
        try:
            return appearances, label(appearances, _closed_appearance(appearances, closed_cell))
        except RulesError:
            if not finer or n_tried >= _MOST_SLACKS:
                raise
            slacks = finer
    raise AssertionError("it is tried until something fits, or nothing is left to try")


def _closed_appearance(appearances: Appearances, closed_cell: tuple[int, int] | None) -> frozenset[int]:
    """The appearance of a cell of the first board."""
    if closed_cell is None:
        return frozenset()
    board = appearances.boards[0]
    if not all(0 <= index < side for index, side in zip(closed_cell, board.shape, strict=True)):
        raise UsageError(f"expected a cell of a {board.shape[0]}x{board.shape[1]} board, got {closed_cell}")
    return frozenset({int(board[closed_cell])})


def _taught_skin(name: str, cuts: Sequence[Cut], appearances: Appearances, labelling: Labelling) -> Learned:
    """Make a skin of what `_labelled_boards` found.

    Raises:
        CalibrationError: too little is known for a skin, or the skin does not read the boards.
    """
    used = [cuts[number] for number in labelling.used]
    is_verified = are_agreed(appearances, labelling)
    boards = [appearances.boards[number] for number in labelling.used]
    levels, floods = shown_levels(boards, labelling), not labelling.given_up

    def make(drawn: Appearances, drawing: Drawing) -> Skin:
        skin = make_skin(name, f"{name}, learned from pictures", drawn, labelling, drawing=drawing)
        return with_border(replace(skin, is_verified=is_verified, levels=levels, floods=floods), cuts)

    skin, share = skin_that_reads(make, used, boards, appearances, labelling, is_verified=is_verified)
    return Learned(skin, tuple(cuts), appearances, labelling, is_verified, share)


def skin_that_reads(
    make: Callable[[Appearances, Drawing], Skin],
    cuts: Sequence[Cut],
    boards: Sequence[NDArray[np.intp]],
    appearances: Appearances,
    labelling: Labelling,
    *,
    is_verified: bool,
) -> tuple[Skin, float]:
    """The skin, in the first way to draw in which it reads the boards that it is made of, and the share that it reads.

    Args:
        make: makes it of appearances, as that way needs their pixels, and of the way.
        cuts: the boards.
        boards: the appearance of each of their cells.
        appearances: what was seen.
        labelling: what that means.
        is_verified: whether two games agree.

    Raises:
        CalibrationError: it reads them in no way; what the first one lacks.
    """
    problem: CalibrationError | None = None
    for drawn, drawing in _ways_to_draw(cuts, appearances, is_verified=is_verified):
        try:
            skin = make(drawn, drawing)
            return skin, check_reads(skin, cuts, boards, labelling)
        except CalibrationError as error:
            problem = problem or error
    assert problem is not None, "there is at least one way"
    raise problem


def _ways_to_draw(
    cuts: Sequence[Cut], appearances: Appearances, *, is_verified: bool
) -> Iterator[tuple[Appearances, Drawing]]:
    """How cells may be drawn, what is good at most sizes first, each with the pixels that it needs.

    Where open cells have the colour of the gaps, tiles are not found by their gaps. Whole cells may be, gaps and all;
    and the insides of cells, which are only alike, once two games agree.
    """
    drawing = joined_drawing(cuts)
    yield appearances, drawing
    if not isinstance(drawing, Tiles) or not cuts[0].grid.is_whole:
        return
    left, top, right, bottom = cuts[0].cutter.inset_px or (0, 0, 0, 0)
    whole = np.stack(
        [
            cv2.copyMakeBorder(one, top, bottom, left, right, cv2.BORDER_CONSTANT, value=drawing.gap_bgr)
            for one in appearances.pixels_bgr
        ]
    )
    yield replace(appearances, pixels_bgr=whole), OwnPixels()
    if is_verified:
        pitch, inset = cuts[0].grid.pitch_px, max(left, top, right, bottom) + 1
        insides = np.ascontiguousarray(whole[:, inset:-inset, inset:-inset])
        yield replace(appearances, pixels_bgr=insides), Alike(pitch, inset, SLACK)


_OWN_PIXELS = OwnPixels()
_FEW = 2
_RIM_ALIKE = 6.0
_HALF_GAP_PX = 2
_OF_TILES = Tolerance(colour=6)
"""Tolerance for tiles: open ones may differ by little more from closed ones, and from the gap."""
_MOST_LABELS = 3
"""Most meanings of an appearance in a skin. One of more is as good as unknown, unless cells are blurred: then it keeps
its likes from being taken for what is known."""


def make_skin(
    name: str,
    title: str,
    appearances: Appearances,
    labelling: Labelling,
    roles: Mapping[int, str] | None = None,
    least_cells: int = _FEW,
    drawing: Drawing = _OWN_PIXELS,
) -> Skin:
    """The skin of what is known; an appearance that may mean several things is a sprite of each.

    Args:
        name: what it is called.
        title: what it is, for a person.
        appearances: what its cells look like.
        labelling: what that means.
        roles: appearances whose state is known more exactly, with it: mines that exploded, question marks.
        least_cells: an appearance of fewer cells may be something that lay over the board, if it has not the rim of a
            known one.
        drawing: how cells are drawn; of tiles the appearances lack the gaps, of cells that are alike
            the edges.

    Raises:
        CalibrationError: closed cells or open ones without a number are not known.
    """
    _expect_known(labelling.proven.values())
    states = dict.fromkeys(_exploded_mines(appearances, labelling), EXPLODED) | dict(roles or {})
    rim = rims(appearances.pixels_bgr)
    of_cells = [number for number in labelling.proven if appearances.counts[number] >= least_cells]
    is_tiled, pixels_bgr = False, appearances.pixels_bgr
    if isinstance(drawing, Tiles):
        is_tiled, gap = True, (_HALF_GAP_PX,) * 4
        gaps = (cv2.copyMakeBorder(one, *gap, cv2.BORDER_CONSTANT, value=drawing.gap_bgr) for one in pixels_bgr)
        pixels_bgr = np.array(list(gaps), dtype=np.uint8)
    elif isinstance(drawing, Alike):
        edge = (drawing.inset_px, drawing.inset_px)
        pixels_bgr = np.pad(pixels_bgr, ((0, 0), edge, edge, (0, 0)), mode="edge")
    is_blurred = not is_tiled and appearances.slack > 0
    doubtful, proven = [], []
    for number, labels in enumerate(labelling.labels):
        is_cell = (
            appearances.counts[number] >= least_cells
            or distances(rim[number], rim[of_cells]).min(initial=255) <= _RIM_ALIKE
        )
        if number in states:
            proven.append(Sprite(states[number], pixels_bgr[number]))
        elif is_cell and len(labels) == 1:
            proven.append(Sprite(min(labels), pixels_bgr[number]))
        elif is_cell and (is_blurred or len(labels) <= _MOST_LABELS):
            doubtful += [Sprite(label, pixels_bgr[number]) for label in sorted(labels)]
    _expect_known({sprite.state for sprite in proven})
    closed = max(
        (number for number, label in labelling.proven.items() if label == CLOSED),
        key=lambda number: int(appearances.counts[number]),
    )
    height, width = pixels_bgr.shape[1:3]
    tolerance = _OF_TILES if is_tiled else Tolerance()
    accept = safe_accept(nearest_pair(proven).apart, tolerance.accept)
    sprites = proven + doubtful
    if isinstance(drawing, Alike):
        made = _on_other_grounds(proven, drawing.slack)
        drawing = replace(drawing, slack=_slack_of(proven + made, drawing))
        sprites += made
    return Skin(
        name=name,
        title=title,
        pitch_px=(width, height),
        closed_bgr=most_frequent(appearances.pixels_bgr[closed]),
        sprites=tuple(sprites),
        exact={
            int(value): sprite.state
            for value, sprite in zip(fingerprint(np.stack([one.pixels_bgr for one in sprites])), sprites, strict=True)
        },
        tolerance=replace(tolerance, accept=accept),
        drawing=drawing,
        is_blurred=is_blurred,
    )


def shown_levels(boards: Sequence[NDArray[np.intp]], labelling: Labelling) -> dict[tuple[int, int], int]:
    """The mine counts that boards of one size agree on, (rows, cols) -> mines: of two layouts or more, and of all.

    A clone may show the one mine that exploded and no other: a single mine says nothing. Nor does a board with a cell
    that may mean several things. Flags may lie over mines: a board without any is among those that agree.

    Args:
        boards: the appearance of each cell, rows x cols each.
        labelling: what the appearances mean.
    """
    proven = labelling.proven
    mines, flags = ([number for number, one in proven.items() if one == what] for what in (MINE, FLAG))
    shown = defaultdict(list)
    for board in boards:
        is_mine = np.isin(board, mines)
        if is_mine.sum() > 1 and np.isin(board, list(proven)).all():
            shown[board.shape[0], board.shape[1]].append((is_mine, bool(np.isin(board, flags).any())))
    return {
        shape: int(own[0][0].sum())
        for shape, own in shown.items()
        if len({is_mine.tobytes() for is_mine, _ in own}) > 1
        and len({int(is_mine.sum()) for is_mine, _ in own}) == 1
        and not all(has_flags for _, has_flags in own)
    }


_MOST_ON_OTHER_GROUNDS = 40  # most sprites that are worked out of others


def _on_other_grounds(sprites: Sequence[Sprite], slack: float) -> list[Sprite]:
    """Numbers on the grounds of open cells on which they were not seen: of two shades in turn, or of a picture beneath.

    The ground changes and the ink stays. Pixels between the two change in part.

    Args:
        sprites: what is proven.
        slack: grounds that differ by less than half of it are one.
    """
    numbers = [(one, _ground_of(one)) for one in sprites if one.state.isdecimal() and one.state != "0"]
    seen_on = defaultdict(list)
    for sprite, own in numbers:
        seen_on[sprite.state].append(own)
    made = []
    for ground in (_ground_of(sprite) for sprite in sprites if sprite.state == "0"):
        for sprite, own in numbers:
            if min(np.abs(on - ground).max() for on in seen_on[sprite.state]) <= slack / 2:
                continue
            contrast = np.abs(sprite.pixels_bgr - own).max(axis=2, keepdims=True)
            share = 1 - contrast / max(contrast.max(), 1.0)
            pixels = np.clip(np.rint(sprite.pixels_bgr + (ground - own) * share), 0, 255)
            made.append(Sprite(sprite.state, pixels.astype(np.uint8)))
            seen_on[sprite.state].append(ground)
    return made[:_MOST_ON_OTHER_GROUNDS]


def _ground_of(sprite: Sprite) -> NDArray[np.float64]:
    """The colour around the sign of a sprite: B, G, R."""
    ground: NDArray[np.float64] = np.median(rims(sprite.pixels_bgr[None])[0].reshape(-1, 3), axis=0)
    return ground


_UNEVEN = 3  # fewest sprites of open cells without a number that show that the ground beneath is uneven


def _slack_of(sprites: Sequence[Sprite], drawing: Alike) -> float:
    """How far insides of one kind may be apart: more where grounds differ from place to place, as there are others.

    It is less than half the distance between sprites of two states: no cell is near to both.
    """
    if sum(sprite.state == "0" for sprite in sprites) < _UNEVEN:
        return drawing.slack
    inset = drawing.inset_px
    cells = np.stack([sprite.pixels_bgr for sprite in sprites])[:, inset:-inset, inset:-inset]
    states = np.array([sprite.state for sprite in sprites])
    far = Comparer(BETWEEN_PIXELS if drawing.is_fractional else BY_PIXELS).apart(cells, cells)
    nearest = float(far[states[:, None] != states].min())
    return max(drawing.slack, min(PLAIN_SLACK, _OF_NEAREST * nearest))


_OF_NEAREST = 0.45  # slack as a share of how far sprites of two states are apart


def _expect_known(states: Collection[str]) -> None:
    for state, what in ((CLOSED, "closed cells"), ("0", "open cells without a number")):
        if state not in states:
            raise CalibrationError(f"it is not known how {what} look: show more boards, with more cells open")


def _exploded_mines(appearances: Appearances, labelling: Labelling) -> set[int]:
    """The appearances of mines that were opened: of two that a board shows for mines, the one of a single cell."""
    mines = [number for number, label in labelling.proven.items() if label == MINE]
    found = set()
    for board in appearances.boards:
        counts = {number: int((board == number).sum()) for number in mines}
        shown = sorted((count, number) for number, count in counts.items() if count)
        if len(shown) == 2 and shown[0][0] == 1 < shown[1][0]:
            found.add(shown[0][1])
    return found


def check_reads(skin: Skin, cuts: Sequence[Cut], boards: Sequence[NDArray[np.intp]], labelling: Labelling) -> float:
    """Read every board with the skin that was made of it; return the share of cells that are known.

    Raises:
        CalibrationError: a board is not found where it lies, or a cell is read as something else than was proven.
    """
    n_known = n_cells = 0
    codes = {number: code_of(label) for number, label in labelling.proven.items() if label != MINE}  # or exploded
    for cut, board in zip(cuts, boards, strict=True):
        # Where pictures are blurred, the place is found to a fraction of a pixel.
        grids = [one.grid for one in find_boards(cut.frame, [skin]) if one.grid.is_near(cut.grid, 1)]
        if not grids:
            raise CalibrationError(f"the board at {tuple(cut.grid.origin)} is not found again with the skin made of it")
        read = read_board(cut.frame, grids[0], skin).board.cells
        proven = np.vectorize(lambda number: codes.get(int(number), UNREADABLE))(board)
        is_known = read != UNREADABLE
        wrong = np.argwhere(is_known & (proven != UNREADABLE) & (read != proven))
        if len(wrong):
            row, col = wrong[0].tolist()
            raise CalibrationError(f"cell ({row}, {col}) is read as {read[row, col]}, proven was {proven[row, col]}")
        n_known += int(is_known.sum())
        n_cells += board.size
    return n_known / n_cells


_CELL_PX, _GAP_PX = 64, 14  # sizes in the picture for a person, in pixels
_WIDE = 8  # how many appearances stand side by side in it
_TEXT_PX = 12  # the size of its letters


def draw_contact_sheet(appearances: Appearances, labelling: Labelling, title: str) -> NDArray[np.uint8]:
    """A picture for a person to confirm: every appearance, enlarged, with what it means and how often it came.

    Args:
        appearances: what was seen; the most frequent come first.
        labelling: what they mean.
        title: the line above them.

    Returns:
        The picture: uint8, height x width x 3, BGR.
    """
    order = np.argsort(-appearances.counts, kind="stable").tolist()
    captions = [labels_in_words(labelling.labels[number]) for number in order]
    wide = max(_CELL_PX, *(text_size(caption, _TEXT_PX)[0] for caption in captions)) + _GAP_PX
    high = _CELL_PX + 2 * line_height(_TEXT_PX) + _GAP_PX
    cols = min(len(order), _WIDE)
    rows = -(-len(order) // cols)
    top = line_height(_TEXT_PX) + 2 * _GAP_PX
    width = max(cols * wide + _GAP_PX, text_size(title, _TEXT_PX)[0] + 2 * _GAP_PX)
    sheet = np.full((top + rows * high, width, 3), PAPER, dtype=np.uint8)
    put_text(sheet, title, _GAP_PX, _GAP_PX + line_height(_TEXT_PX), _TEXT_PX)
    for place, (number, caption) in enumerate(zip(order, captions, strict=True)):
        row, col = divmod(place, cols)
        x, y = _GAP_PX + col * wide, top + row * high
        picture = cv2.resize(appearances.pixels_bgr[number], (_CELL_PX, _CELL_PX), interpolation=cv2.INTER_NEAREST)
        sheet[y : y + _CELL_PX, x : x + _CELL_PX] = picture
        count = int(appearances.counts[number])
        for line, text in enumerate((caption, f"{count} cell{'s' if count > 1 else ''}")):
            put_text(sheet, text, x, y + _CELL_PX + (line + 1) * line_height(_TEXT_PX), _TEXT_PX)
    return sheet


def labels_in_words(labels: frozenset[str]) -> str:
    """What an appearance may mean, as a person reads it."""
    if len(labels) > 4:
        return "not known"
    return " or ".join(label.replace("_", " ") for label in sorted(labels))
