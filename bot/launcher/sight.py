"""What the bot sees on the screen right now, in a sentence and a small picture."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.errors import BotError
from bot.reporting.text_boards import board_as_printed
from bot.vision.finding import find_boards, say_clipped
from bot.vision.lattice import find_places, region_of
from bot.vision.mine_counter import count_on
from bot.vision.reading import read_board
from solver.board import say_no_board
from solver.layout import LEVELS
from solver.words import counted, name_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.desktop.protocols import Platform, Screen
    from bot.models import Frame, Pixel, Reading, Region
    from skins.skin import Skin

_LOOK_S = 0.7  # time between two looks, in seconds
_REST = 2.0  # how many times as long as a search took the next one waits
PICTURE_PX = (220, 110)  # (width, height) that the small picture has at most, in pixels at 100 %
_COVERED_BGR = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Sight:
    """What one look found.

    Attributes:
        words: what is there, as a sentence.
        region: where the board is on the screen; None without one.
        picture_bgr: of the board, uint8, H x W x 3, BGR, at its own size; None without a board.
        board: the board as text, None where there is none, or where a cell is not known.
        is_playable: play can begin on it.
    """

    words: str
    region: Region | None = None
    picture_bgr: NDArray[np.uint8] | None = None
    board: str | None = None
    is_playable: bool = False


NOT_LOOKED = Sight("This desktop asks you before a program may see the screen: a button makes it ask.")
NOTHING = Sight(
    "Nothing on the screen is a board that a skin knows. If you see one, put the pointer on it and look here."
)


def look_at(frame: Frame, skins: Sequence[Skin], pointer: Pixel | None) -> Sight:
    """Say what is on a frame.

    Args:
        frame: the screen.
        skins: what boards may look like.
        pointer: where the pointer is; of several boards the one under it is meant.
    """
    boards = find_boards(frame, skins, zooms=False)
    if not boards:
        return _unknown_at(frame, pointer)
    board = max(boards, key=lambda one: (pointer is not None and one.grid.region.has_pixel(pointer), one.n_known))
    try:
        reading, _ = count_on(frame, read_board(frame, board.grid, board.skin), board.skin)
    except BotError as error:
        return Sight(f"{board.skin.name}: {error}")
    picture = frame.crop(board.grid.region.shared(frame.region)).pixels_bgr
    text = None if reading.unknown else board_as_printed(reading.board)
    flaw = _flaw_of(reading, frame)
    return Sight(f"{_name(reading)}. {flaw}".rstrip(), board.grid.region, picture, text, is_playable=not flaw)


def _name(reading: Reading) -> str:
    """Which game it is, and of what size."""
    shape, mines = reading.grid.shape, reading.board.mines
    level = next((name for name, (*size, n) in LEVELS.items() if (tuple(size), n) == (shape, mines)), "")
    count = "" if mines is None else f", {counted(mines, 'mine')}"
    return f"{reading.skin}: {f'{level.capitalize()} ' if level else ''}{name_shape(shape)}{count}"


def _flaw_of(reading: Reading, frame: Frame) -> str:
    """Why it cannot be played as it is, as a sentence; empty where it can."""
    if reading.grid.clipped:
        return _sentence(say_clipped(reading.grid, frame, "screen"))
    if reading.unknown:
        return f"{counted(len(reading.unknown), 'cell')} cannot be read: does something cover them?"
    if no_board := say_no_board(reading.board):
        return _sentence(no_board)
    if reading.board.mines is None:
        return "It does not say how many mines there are: enter that below."
    return ""


def _unknown_at(frame: Frame, pointer: Pixel | None) -> Sight:
    """What repeats under the pointer, if anything does."""
    if pointer is not None:
        for lattice in find_places(frame):
            if region_of(lattice, frame).has_pixel(pointer):
                size = name_shape((lattice.rows, lattice.cols))
                return Sight(f"Under the pointer is a board that no skin knows, about {size}. Learn it?")
    return NOTHING


def _without(frame: Frame, own: Region | None) -> Frame:
    """The frame with a part painted over."""
    shared = None if own is None else own.shared(frame.region)
    if shared is None or shared.n_pixels == 0:
        return frame
    pixels = frame.pixels_bgr.copy()
    top, left = shared.top - frame.top, shared.left - frame.left
    pixels[top : top + shared.height, left : left + shared.width] = _COVERED_BGR
    return replace(frame, pixels_bgr=pixels)


def shrunk(picture_bgr: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    """A picture as small as the window shows it, on a desktop of this scale."""
    height, width = picture_bgr.shape[:2]
    share = min(1.0, *(most * scale / side for most, side in zip(PICTURE_PX, (width, height), strict=True)))
    size = (max(1, round(width * share)), max(1, round(height * share)))
    return np.asarray(cv2.resize(picture_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


class Looker:
    """Looks at the screen again and again, in its own thread. It searches only where something has changed.

    Attributes:
        own: where our window shows what was seen; None while that is not to be seen.
        pointer: where the pointer is.
        is_resting: whether it looks away, as while a game is played.

    Args:
        platform: whose screen.
        load_skins: the skins to search for, asked again after `renew`.
        tell: told of what is seen whenever that may have changed; called in the thread.
    """

    own: Region | None = None
    pointer: Pixel | None = None
    is_resting = False

    def __init__(
        self, platform: Platform, load_skins: Callable[[], Sequence[Skin]], tell: Callable[[Sight], None]
    ) -> None:
        self._platform, self._load_skins, self._tell = platform, load_skins, tell
        self._is_closed = threading.Event()
        self._skins: Sequence[Skin] | None = None
        self._before: tuple[NDArray[np.uint8], Pixel | None] | None = None
        threading.Thread(target=self._look_on, daemon=True).start()

    def renew(self) -> None:
        """Search for the skins that there are now."""
        self._skins = self._before = None

    def close(self) -> None:
        """Look no more."""
        self._is_closed.set()

    def _look_on(self) -> None:
        if self._platform.machine().asks_person:
            self._tell(NOT_LOOKED)
            return
        wait_s = 0.0
        with ExitStack() as stack:
            screen: Screen | None = None
            while not self._is_closed.wait(wait_s):
                began_at_s = time.perf_counter()
                try:
                    screen = screen or stack.enter_context(closing(self._platform.screen()))
                    if not self.is_resting:
                        self._look(screen)
                except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and the next look may be better
                    self._tell(Sight(str(error) or repr(error)))
                wait_s = max(_LOOK_S, _REST * (time.perf_counter() - began_at_s))

    def _look(self, screen: Screen) -> None:
        """Look once."""
        if self._skins is None:
            self._skins = self._load_skins()
        frame, pointer = _without(screen.grab(), self.own), self.pointer
        if self._before is None or self._before[1] != pointer or not np.array_equal(self._before[0], frame.pixels_bgr):
            self._before = (frame.pixels_bgr, pointer)
            self._tell(look_at(frame, self._skins, pointer))
