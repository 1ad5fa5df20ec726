"""What one clone looks like, in memory: a `Skin`, a frozen value, and its parts.

Knows nothing of screens, boards or files (`skins.profile_read` reads and writes them). A cell's state is named by a
word: a decimal number for an open cell, or one of `STATES`. Several sprites may show the same state. How a clone draws
its cells is said by a class of `Drawing`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from skins.errors import SkinError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    Bgr = tuple[int, int, int]


OPEN_SIGN = "open"
"""The word for an ink that only open cells have on this ground: the shape of the sign tells the number."""
ANY_SIGN = "any"  # the word for an ink that closed cells may have too: a number's shape tells a number, others nothing


@dataclass(frozen=True, slots=True)
class Ink:
    """What an ink on a ground means.

    Attributes:
        says: a number from "1" to "8", `OPEN_SIGN` or `ANY_SIGN`.
        ground_bgr: what the cell is painted in.
        ink_bgr: what the sign on it is painted in.
    """

    says: str
    ground_bgr: Bgr
    ink_bgr: Bgr


@dataclass(frozen=True, eq=False)
class Signs:
    """What tells numbers apart that a clone writes with the fonts of the system.

    Such numbers have no fixed shape. What they do have is colours: the ink of each, or the ground of its cell. Where
    both are the same for all numbers, only the shape of the digit is left, whose many forms differ less from each other
    than from other digits.

    Attributes:
        inks: every ink that numbers have, on every ground.
        shapes: forms of the digits, each with its number: float64, height x width, 0.0 no ink to 1.0 full; each fills
            its picture up to all four sides.

    Raises:
        SkinError: no ink, a word that says nothing, or a shape of no number.
    """

    inks: tuple[Ink, ...]
    shapes: tuple[tuple[int, NDArray[np.float64]], ...] = ()

    def __post_init__(self) -> None:
        numbers = range(1, _MOST_FLAT + 1)
        if not self.inks:
            raise SkinError("expected signs of some inks, got none")
        for ink in self.inks:
            if ink.says not in (OPEN_SIGN, ANY_SIGN, *map(str, numbers)):
                raise SkinError(f"expected an ink to say 1 to {_MOST_FLAT}, open or any, got {ink.says!r}")
        for number, _ in self.shapes:
            if number not in numbers:
                raise SkinError(f"expected shapes of the numbers 1 to {_MOST_FLAT}, got one of {number}")


class Drawing:
    """How a clone draws its cells. Each of the classes below is one way, and answers these questions.

    Attributes:
        has_one_size: whether cells have the size of the sprites, or are a scaled picture of them.
        has_same_pixels: whether a state has the same pixels on every machine.
        is_in_blocks: whether boards have four dimensions and are laid out in blocks.
        is_in_turn: whether every state has two sprites, which cells wear in turn.
        is_told_by_lines: whether the lines between cells tell where a board is, though a page dims it.
        has_gaps: whether the ground that a board lies on shows between its cells.
        cell_gap_px: the width of that gap beside cells of the sprites' size, in pixels.
        header_bgr: the colour right above a board, as wide as it is; None where that may be anything.
    """

    has_one_size: ClassVar[bool] = True
    has_same_pixels: ClassVar[bool] = True
    is_in_blocks: ClassVar[bool] = False
    is_in_turn: ClassVar[bool] = False
    is_told_by_lines: ClassVar[bool] = False
    has_gaps: ClassVar[bool] = False
    cell_gap_px: ClassVar[int] = 0
    header_bgr: Bgr | None = None

    @property
    def most_number(self) -> int:
        """The highest number that a cell may show."""
        return _MOST_FLAT

    @property
    def around_bgr(self) -> Bgr | None:
        """The colour right around a board; None where that may be anything."""
        return None

    @property
    def sizes(self) -> Sizes | None:
        """The exact pixels of cells at other sizes than the sprites', where they are known."""
        return None

    def is_known_at(self, pitch_px: tuple[float, float]) -> bool:  # noqa: ARG002 - a question for all ways
        """Whether the exact pixels of cells of this size are known, whatever the size of the sprites."""
        return False

    @property
    def pixel_slack(self) -> float:
        """How far pixels of cells that show one sprite may be apart beyond noise, 0-255."""
        return 0.0

    def as_sprite(self, cell: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture of a cell that is kept as a sprite of it: the whole cell, unless a part of it does not count.

        Args:
            cell: uint8, height x width x 3, B, G, R.
        """
        return cell

    def check_signs(self, signs: Signs | None) -> None:
        """Make sure that cells drawn so can have these signs, or none.

        Raises:
            SkinError: they cannot.
        """


@dataclass(frozen=True, slots=True)
class OwnPixels(Drawing):
    """Cells drawn pixel by pixel, as the sprites are; a larger cell is a scaled picture of one."""


@dataclass(frozen=True, slots=True)
class Alike(Drawing):
    """Cells that look alike and are never equal, as a browser draws them: their insides count.

    Attributes:
        step_px: (width, height) from cell to cell; where it is no whole number, cells begin on the nearest pixel.
        inset_px: how much of a cell's edge does not count.
        slack: how far insides of cells that show one sprite may be apart (`bot.vision.alike`), 0-255.
        blur_px: over how many pixels, across and down, insides are averaged before they are compared: an odd number.

    Raises:
        SkinError: nothing is left of a cell.
    """

    has_one_size = False
    is_told_by_lines = True

    step_px: tuple[float, float]
    inset_px: int
    slack: float
    blur_px: int = 3

    def __post_init__(self) -> None:
        if min(self.step_px) - 2 * self.inset_px < _LEAST_INSIDE_PX or self.inset_px < 0:
            raise SkinError(
                f"expected cells with an inside of at least {_LEAST_INSIDE_PX} px, got steps of "
                f"{' x '.join(map(str, self.step_px))} px without {self.inset_px} px on every side"
            )

    @property
    def is_fractional(self) -> bool:
        """Whether a cell need not begin on a whole pixel."""
        return not all(float(step).is_integer() for step in self.step_px)

    @property
    def pixel_slack(self) -> float:
        """How far pixels of one sprite's cells may be apart, 0-255: `slack`, though it is for means of several."""
        return self.slack

    def as_sprite(self, cell: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The cell's inside, its outermost pixels repeated up to the size of the narrowest cell."""
        (width, height), inset = inside_px(self.step_px, self.inset_px), self.inset_px
        inside = cell[inset : inset + height, inset : inset + width]
        return np.pad(inside, ((inset, inset), (inset, inset), (0, 0)), mode="edge")


_LEAST_INSIDE_PX = 4


def inside_px(step_px: tuple[float, float], inset_px: int) -> tuple[int, int]:
    """(width, height) of the inside of the narrowest cell.

    Args:
        step_px: (width, height) from cell to cell.
        inset_px: how much of a cell's edge does not count.
    """
    width, height = (int(step) - 2 * inset_px for step in step_px)
    return width, height


Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Ramp:
    """One row of tints.

    Attributes:
        zero_bgr: the ground of an open 0.
        step_bgr: how much darker it is for every mine around; no channel goes below 0.
    """

    zero_bgr: Colour
    step_bgr: Colour

    def ground(self, number: int) -> tuple[int, int, int]:
        """The ground (B, G, R) of a number."""
        blue, green, red = (
            max(round(zero - number * step), 0) for zero, step in zip(self.zero_bgr, self.step_bgr, strict=True)
        )
        return blue, green, red


@dataclass(frozen=True, eq=False)
class Tints(Drawing):
    """Numbers on tinted grounds: how a clone draws numbers that go too high for a sprite each.

    The higher its number, the deeper it paints the ground of an open cell, in one row of tints for cells in the light
    and in another for dimmed ones, and writes the number's digits on it. The tints end at a full colour, and from there
    on all numbers share one ground. The sprites of all numbers but 0 follow from the tints and ten digits.

    Attributes:
        ramps: the rows of tints.
        most: the highest number.
        digits: ink of the digits 0 to 9: float64, 10 x cell height x digit width, 0.0 no ink to 1.0 black; a number's
            digits stand side by side, all of them centred in the cell and cut off at its edges.
        known_px: (left, top, width, height) of the part of a cell that is known; what lies around it may be anything.

    Raises:
        SkinError: no ramp, not ten digits, or no number.
    """

    has_one_size = has_same_pixels = False
    is_in_blocks = has_gaps = True
    cell_gap_px = 2

    ramps: tuple[Ramp, ...]
    most: int
    digits: NDArray[np.float64]
    known_px: tuple[int, int, int, int]

    def __post_init__(self) -> None:
        if not self.ramps or self.most < 1 or self.digits.shape[0] != 10:
            raise SkinError(
                f"expected tints of ten digits and at least one number, got {self.digits.shape[0]} digits, "
                f"{len(self.ramps)} rows of tints, most = {self.most}"
            )

    @property
    def most_number(self) -> int:
        """The highest number, of `most` mines around a cell."""
        return self.most

    def ink(self, number: int, width: int) -> NDArray[np.float64]:
        """The ink of a number on a cell of this width: float64, height x width, 0.0 to 1.0; a 0 has none."""
        line = np.zeros((self.digits.shape[1], width))
        if number == 0:
            return line
        signs = np.hstack([self.digits[int(digit)] for digit in str(number)])
        first = (width - signs.shape[1]) // 2
        begin, end = max(first, 0), min(first + signs.shape[1], width)
        line[:, begin:end] = signs[:, begin - first : end - first]
        return line

    def paint(self, number: int, ramp: Ramp, width: int) -> NDArray[np.uint8]:
        """The picture of a number: uint8, height x width x 3, BGR."""
        bare = 1.0 - self.ink(number, width)[:, :, None]
        pixels: NDArray[np.uint8] = np.floor(bare * np.array(ramp.ground(number)) + 0.5).astype(np.uint8)
        pixels.setflags(write=False)
        return pixels

    def sprites(self, width: int) -> tuple[Sprite, ...]:
        """The sprites of every number from 1 on, in every row of tints, of cells this wide."""
        numbers = range(1, self.most + 1)
        return tuple(Sprite(str(number), self.paint(number, ramp, width)) for ramp in self.ramps for number in numbers)


CLOSED = "closed"
FLAG = "flag"
QUESTION = "question"
MINE = "mine"
EXPLODED = "exploded"
WRONG_FLAG = "wrong_flag"
OPEN = "open"  # an open cell whose number is not known: an appearance that is met in play and not worked out yet
STATES = (CLOSED, FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG)
"""Every state a cell can be in, besides the numbers, and `OPEN`."""

MOST_NUMBER = 3**5 - 1  # the highest number of any clone: a cell of five dimensions has 242 neighbours
_MOST_FLAT = 3**2 - 1
_NUMBERS = frozenset(map(str, range(MOST_NUMBER + 1)))

PRESSED = "pressed"
PRESSED_QUESTION = "pressed_question"
DIGITS = "0123456789- "  # what a place of a mine counter can show
PASSING = (PRESSED, PRESSED_QUESTION)
"""What a cell shows only while a button is held down on it: no board is ever made of these."""
MOST_GROUNDS = 31  # most grounds of cells: whoever looks for them keeps a bit for each
_CHORDS = ("middle", "both", "left", "none")
"""Ways to chord: by the middle button, by left and right together, by a left click on the number, not at all."""
FIRST_CLICKS = ("any", "safe", "zero", "moved-to-corner")
"""Rules for the first click: it may be a mine; it is no mine; it is a zero; a mine that it hits moves to the first free
cell, row by row from the top left."""


_KEYS = re.compile(r"[^\s+A-Z]+(\+[^\s+A-Z]+)*")  # names of keys, "+" between them: pyautogui's names are small


def is_state(word: str) -> bool:
    """Whether `word` names a cell state: a decimal number up to `MOST_NUMBER`, one of `STATES`, or `OPEN`."""
    return word in (*STATES, OPEN) or word in _NUMBERS


def is_open_state(word: str) -> bool:
    """Whether a state is that of an open cell, its number known or not."""
    return word == OPEN or word.isdecimal()


@dataclass(frozen=True, eq=False)
class Sprite:
    """One picture of one cell state.

    Attributes:
        state: what it means.
        pixels_bgr: uint8, cell height x cell width x 3.
    """

    state: str
    pixels_bgr: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far pixels may stray from a sprite.

    Attributes:
        colour: the most one channel of one pixel may differ when the board is searched for, 0-255.
        accept: a sprite matches when the root mean square difference of its channels is at most this, 0-255,
        margin: and the best sprite of any *other* state is at least this many times farther away.
    """

    colour: int = 12
    accept: float = 12.0
    margin: float = 1.5


@dataclass(frozen=True, slots=True)
class Border:
    """What is painted right around the board: it tells a board's edge from where something hides the rest of it.

    Attributes:
        depth_px: how many pixels deep it is on each side.
        left_bgr: the colours it has on this side in the clones of this skin; likewise `top_bgr`, `right_bgr` and
            `bottom_bgr`.
        blends: the sides ("left", "top", "right", "bottom") beyond which the clone's window has the border's colour:
            there nothing shows where the border ends.
    """

    depth_px: int
    left_bgr: tuple[Bgr, ...]
    top_bgr: tuple[Bgr, ...]
    right_bgr: tuple[Bgr, ...]
    bottom_bgr: tuple[Bgr, ...]
    blends: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Counter:
    """The clone's own counter of the mines left: where it stands, and how its digits look.

    Every pixel is counted at one size of cells, `pitch_px`; on a board of another size all of it is scaled with it.

    Attributes:
        pitch_px: (width, height) of the cells it was measured beside.
        spots_px: (x, y) of the first digit's top left pixel from a top corner of the board; one place for every
            clone of this skin.
        digits: what the places can show: "0" to "9", "-" and " ", each digit height x width x 3.
        exact: fingerprints of the exact pixels that real clones draw, with their digit.
        is_right: measured from the board's top right corner, not from the left one.
        n_digits: how many places it has.
        stride_px: from one place to the next.
        accept: a digit matches when the root mean square difference of its channels is at most this, 0-255,
        margin: and every other digit is at least this many times farther away.

    Raises:
        SkinError: no digit, one of another size than the rest, a word that is no digit, or no place for any.
    """

    pitch_px: tuple[int, int]
    spots_px: tuple[tuple[int, int], ...]
    digits: tuple[Sprite, ...]
    stride_px: int
    exact: Mapping[int, str] = field(default_factory=dict)
    is_right: bool = False
    n_digits: int = 3
    accept: float = 24.0
    margin: float = 1.5

    def __post_init__(self) -> None:
        shapes = {sprite.pixels_bgr.shape for sprite in self.digits}
        if len(shapes) != 1:
            raise SkinError(f"expected counter digits of one size, got {sorted(shapes)}")
        if self.n_digits < 1 or self.stride_px < 1 or not self.spots_px:
            raise SkinError(
                f"expected a counter of some digits at some spots, got n_digits {self.n_digits}, "
                f"stride_px {self.stride_px}, spots_px {self.spots_px}"
            )
        for sprite in self.digits:
            if sprite.state not in DIGITS or len(sprite.state) != 1:
                raise SkinError(f"expected a counter digit of {DIGITS!r}, got {sprite.state!r}")

    @property
    def digit_px(self) -> tuple[int, int]:
        """(width, height) of one digit."""
        height, width = self.digits[0].pixels_bgr.shape[:2]
        return width, height


@dataclass(frozen=True, slots=True)
class Tiles(Drawing):
    """Cells with gaps between them, of one colour each but for the sign on it, drawn anew at the size of the window.

    Attributes:
        gap_bgr: the colour between the cells of the sprites; on a screen it is that of the window.
        grounds_bgr: every colour that a cell has, at most `MOST_GROUNDS`.

    Raises:
        SkinError: no ground, or too many.
    """

    has_one_size = has_same_pixels = False
    has_gaps = True

    gap_bgr: Bgr
    grounds_bgr: tuple[Bgr, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.grounds_bgr) <= MOST_GROUNDS:
            raise SkinError(f"expected tiles of 1 to {MOST_GROUNDS} grounds, got {len(self.grounds_bgr)}")

    @property
    def around_bgr(self) -> Bgr:
        """The colour right around a board: that of the clone's window."""
        return self.gap_bgr

    def check_signs(self, signs: Signs | None) -> None:
        """Make sure that all signs stand on a colour of cells.

        Raises:
            SkinError: one does not.
        """
        strange = {ink.ground_bgr for ink in ([] if signs is None else signs.inks)} - set(self.grounds_bgr)
        if strange:
            raise SkinError(f"expected signs on grounds of tiles, got {sorted(strange)} (B, G, R)")


@dataclass(frozen=True, slots=True)
class Fields(Drawing):
    """Fields of two colours in turn, told by their colours at any size: how a page in a browser draws cells.

    Each pair is the colours of the cells whose row and column add up to an even number, and of the others; or the other
    way round, on all of a board alike.

    Attributes:
        closed_bgr: the pairs of closed cells: as they are, and under the pointer.
        open_bgr: the pairs of open ones, likewise, and of a board that is won.
        flag_bgr: the ink of a flag on a closed field.
        mines_bgr: the fields of mines that a lost game shows, with a darker disc on each.
        header_bgr: what the page has right above a board, None where that is not known.

    Raises:
        SkinError: no pair of closed or of open cells, or more colours than can be told at once.
    """

    has_one_size = has_same_pixels = False
    is_in_turn = True

    closed_bgr: tuple[tuple[Bgr, Bgr], ...]
    open_bgr: tuple[tuple[Bgr, Bgr], ...]
    flag_bgr: Bgr
    mines_bgr: tuple[Bgr, ...] = ()
    header_bgr: Bgr | None = None

    def __post_init__(self) -> None:
        n_colours = 2 * len(self.closed_bgr + self.open_bgr) + len(self.mines_bgr)
        if not self.closed_bgr or not self.open_bgr or n_colours > MOST_GROUNDS:
            raise SkinError(
                f"expected fields of closed and of open cells, of at most {MOST_GROUNDS} colours, got {n_colours}"
            )

    def check_signs(self, signs: Signs | None) -> None:
        """Make sure that there are signs, and that all of them stand on open fields.

        Raises:
            SkinError: there are none, or one does not.
        """
        if signs is None:
            raise SkinError("expected the signs of numbers on fields, got none")
        strange = {ink.ground_bgr for ink in signs.inks} - {colour for pair in self.open_bgr for colour in pair}
        if strange:
            raise SkinError(f"expected signs on open fields, got {sorted(strange)} (B, G, R)")


@dataclass(frozen=True, eq=False)
class Sizes(Drawing):
    """Square cells that are drawn anew, and not scaled, at every size of the clone's window: their exact pixels.

    Attributes:
        least_px: the side of the smallest cells that are known, all up to `most_px` are.
        most_px: the side of the largest ones.
        exact: fingerprints of cells without their corners (`skins.pixels.blunt_fingerprint`), with their state.
        open_rims: fingerprints of the outermost pixels of open cells, whatever is drawn inside.

    Raises:
        SkinError: the largest cells are smaller than the smallest.
    """

    has_one_size = False

    least_px: int
    most_px: int
    exact: Mapping[int, str]
    open_rims: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if not 1 <= self.least_px <= self.most_px:
            raise SkinError(f"expected sizes from a least to a most side, got {self.least_px} to {self.most_px}")

    @property
    def sizes(self) -> Sizes:
        """The exact pixels at other sizes: these."""
        return self

    def is_known_at(self, pitch_px: tuple[float, float]) -> bool:
        """Whether cells are square, of whole pixels, and of one of these sizes."""
        width, height = pitch_px
        return width == height and float(width).is_integer() and self.least_px <= width <= self.most_px


class Anchor(NamedTuple):
    """A place of every board, whatever its size.

    Attributes:
        across: how far from the board's left edge, as a share of its width.
        down: how far from its top edge, as a share of its height.
        words: what the place is called.
    """

    across: float
    down: float
    words: str


SPOTS_FROM = {
    "top left": Anchor(0.0, 0.0, "the board's top left corner"),
    "top": Anchor(0.5, 0.0, "the middle of the board's top edge"),
    "top right": Anchor(1.0, 0.0, "the board's top right corner"),
    "left": Anchor(0.0, 0.5, "the middle of the board's left edge"),
    "middle": Anchor(0.5, 0.5, "the board's middle"),
    "right": Anchor(1.0, 0.5, "the middle of the board's right edge"),
    "bottom left": Anchor(0.0, 1.0, "the board's bottom left corner"),
    "bottom": Anchor(0.5, 1.0, "the middle of the board's bottom edge"),
    "bottom right": Anchor(1.0, 1.0, "the board's bottom right corner"),
}
"""The places that buttons are measured from, by their names in profiles."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """How this clone starts another game.

    Attributes:
        spot_px: (x, y) of the middle of the button that starts it, usually the face.
        spot_from: the place of the board that it is measured from, one of `SPOTS_FROM`.
        key: the key that starts another game, None where none is known: named as pyautogui does, with "+" between keys
            that are held together, such as "ctrl+r". It goes to the window that has the focus.
        dialog_keys: the keys that close dialogs shown after a game, tried in this order at each; empty where none is to
            be pressed.
        pause_s: wait before another game is started.

    Raises:
        SkinError: a key that is none: empty, or with nothing on one side of a "+"; or no place of a board.
    """

    spot_px: tuple[int, int] | None = None
    spot_from: str = "top"
    dialog_keys: tuple[str, ...] = ()
    pause_s: float = 0.0
    key: str | None = None

    def __post_init__(self) -> None:
        for name, key in (("key", self.key), *(("dialog_keys", key) for key in self.dialog_keys)):
            if key is not None and not _KEYS.fullmatch(key):
                raise SkinError(f'expected {name} = a key such as "n" or "ctrl+r", got {key!r}')
        if self.spot_from not in SPOTS_FROM:
            raise SkinError(f"expected spot_from = one of {', '.join(SPOTS_FROM)}, got {self.spot_from!r}")

    @property
    def is_known(self) -> bool:
        """Whether a key or a spot is known."""
        return self.key is not None or self.spot_px is not None

    @property
    def spot_in_words(self) -> str:
        """Where the button is; nothing where none is known."""
        if self.spot_px is None:
            return ""
        x, y = self.spot_px
        down = [f"{abs(y)} pixels {'above' if y < 0 else 'below'}"] if y or not x else []
        across = [f"{abs(x)} pixels {'left' if x < 0 else 'right'} of"] if x else []
        return f"{' and '.join(down + across)} {SPOTS_FROM[self.spot_from].words}"


@dataclass(frozen=True, eq=False)
class Skin:
    """What one clone looks like, and its habits.

    Attributes:
        name: how commands call it.
        title: what it is, for a person.
        pitch_px: (width, height) of one cell.
        closed_bgr: the colour most of a closed cell is painted in.
        sprites: of all states; at least one of a closed cell and one of an open 0.
        exact: fingerprints of the exact pixels that real clones draw (`skins.pixels`), with their state.
        tolerance: how far from the sprites a cell may be.
        new_game: how another game is started.
        border: what is painted around the board, None where that is not known.
        retry_s: wait before a click that had no effect is made again.
        counter: the mine counter, None where that is not known.
        passing: what cells show while a button is held down on them (`PASSING`), where that is known.
        faces: the new-game button in its moods, where they are known; of any one size.
        chord: the button that opens a number's other neighbours (`_CHORDS`), None where that is not known.
        has_question_marks: whether a right click on a flag may make a question mark of it, None where that is not
            known.
        win_needs_flags: whether the clone calls a game won only when every mine has a flag.
        floods: whether a 0 that is opened opens its neighbours, too.
        first_click: what the clone does about the first click (`FIRST_CLICKS`), None where that is not known, or
            differs between clones of this skin.
        drawing: how cells are drawn: a `Drawing`. `sprites` holds numbers on tints too.
        signs: what tells numbers apart that the fonts of the system draw; None where sprites do.
        is_verified: for a skin that was learned, whether two games agreed on it; None for one that was not learned.
        is_blurred: whether it was learned from scaled or compressed pictures: no cell is ever equal to a sprite of it.
        levels: (rows, cols) -> mines of its own levels, besides those that clones share.

    Raises:
        SkinError: a sprite of the wrong size or an unknown state, or none of a closed cell or of a 0.
    """

    name: str
    title: str
    pitch_px: tuple[int, int]
    closed_bgr: tuple[int, int, int]
    sprites: tuple[Sprite, ...]
    exact: Mapping[int, str] = field(default_factory=dict)
    tolerance: Tolerance = Tolerance()
    new_game: NewGame = NewGame()
    border: Border | None = None
    retry_s: float = 0.25
    counter: Counter | None = None
    passing: tuple[Sprite, ...] = ()
    faces: tuple[Sprite, ...] = ()
    chord: str | None = None
    has_question_marks: bool | None = None
    win_needs_flags: bool = False
    floods: bool = True
    first_click: str | None = None
    drawing: Drawing = OwnPixels()
    signs: Signs | None = None
    is_verified: bool | None = None
    is_blurred: bool = False
    levels: Mapping[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        width, height = self.pitch_px
        if self.chord is not None and self.chord not in _CHORDS:
            raise SkinError(f"skin {self.name}: expected a chord of {', '.join(_CHORDS)}, got {self.chord!r}")
        if self.first_click is not None and self.first_click not in FIRST_CLICKS:
            raise SkinError(
                f"skin {self.name}: expected a first_click of {', '.join(FIRST_CLICKS)}, got {self.first_click!r}"
            )
        most = self.drawing.most_number
        for sprite in self.sprites:
            if not is_state(sprite.state) or (sprite.state.isdecimal() and int(sprite.state) > most):
                raise SkinError(f"skin {self.name}: expected a cell state, numbers up to {most}, got {sprite.state!r}")
        for sprite in self.sprites + self.passing:
            if sprite.pixels_bgr.shape != (height, width, 3):
                raise SkinError(
                    f"skin {self.name}: expected {height} x {width} x 3 pixels for state {sprite.state!r}, "
                    f"got {sprite.pixels_bgr.shape}"
                )
        try:
            self.drawing.check_signs(self.signs)
        except SkinError as error:
            raise SkinError(f"skin {self.name}: {error}") from None
        for state in (CLOSED, "0"):
            if not self.sprites_of(state):
                raise SkinError(f"skin {self.name}: expected at least one look of state {state!r}, got none")

    def sprites_of(self, state: str) -> tuple[Sprite, ...]:
        """Every sprite of one state."""
        return tuple(sprite for sprite in self.sprites if sprite.state == state)

    def pictures(self, states: Iterable[str]) -> dict[str, NDArray[np.uint8]]:
        """The pictures of some states, by state: uint8, cell height x cell width x 3, BGR; of several the first.

        Raises:
            SkinError: the skin has no sprite of one of them.
        """
        pictures = {}
        for state in states:
            sprites = self.sprites_of(state)
            if not sprites:
                known = ", ".join(dict.fromkeys(sprite.state for sprite in self.sprites))
                raise SkinError(f"skin {self.name}: expected a look of state {state!r}, got only {known}")
            pictures[state] = sprites[0].pixels_bgr
        return pictures

    def same_states(self) -> tuple[tuple[str, ...], ...]:
        """The states this skin draws alike, pixel for pixel: no reader can tell the members of such a set apart."""
        by_pixels: dict[bytes, dict[str, None]] = {}
        for sprite in self.sprites + self.passing:
            by_pixels.setdefault(sprite.pixels_bgr.tobytes(), {})[sprite.state] = None
        return tuple(dict.fromkeys(tuple(states) for states in by_pixels.values() if len(states) > 1))
