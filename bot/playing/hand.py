"""The hand on the mouse: whatever it clicks, a person and the abort key come first.

Knows nothing of what is clicked and why: whoever uses it says where a click may go, and it refuses all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.models import Button, Click, Pixel

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Region
    from bot.playing.control import Control
    from bot.playing.focus import FocusWatch
    from bot.ports import Mouse

PARK_PX = 6
"""How far beside the board the pointer is parked, to the right and below."""
POINTER_PX = 34
"""How far its picture may reach right and down of where it points; it is parked so far left of a board, and above."""


class Hand:
    """Moves the pointer and clicks, as long as nobody else wants to.

    Args:
        mouse: what clicks.
        control: asked before every click.
        focus: notices when a person turned to another program.
        on_taken: told why play was paused: the pointer is not where it was left, or another program has the keyboard.
    """

    def __init__(self, mouse: Mouse, control: Control, focus: FocusWatch, on_taken: Callable[[str], None]) -> None:
        self._mouse = mouse
        self._control = control
        self._focus = focus
        self._on_taken = on_taken
        self._n_pauses_seen = control.n_pauses
        self._is_following = False
        self.left_at: Pixel | None = None
        """Where the pointer was left; None before the first click, and after a pause."""
        self.n_clicks = 0
        self.n_stray = 0

    @property
    def at(self) -> Pixel:
        """Where the pointer is."""
        return self._mouse.position()

    def click(
        self,
        pixel: Pixel,
        button: Button,
        board: Region,
        spot: Pixel | None = None,
        *,
        is_as_seen: Callable[[Pixel], bool],
    ) -> bool:
        """Click; False, and no click, when play was paused since the last one, or what was seen is not there now.

        Args:
            pixel: where.
            button: with which button.
            board: where clicks may go.
            spot: the one other place where they may.
            is_as_seen: asked right before the click whether that place still shows what the click was decided on.

        Raises:
            Aborted: the abort key was pressed.
            BotError: a click must not go there.
        """
        if pixel != spot and not board.has_pixel(pixel):
            self.n_stray += 1
            raise BotError(f"refused a click at {pixel}: it is outside the board")
        if not self.is_free():
            return False
        if not self._is_following:
            self._mouse.follow(pixel)  # between two looks at it: it is the game's window that shows there
            self._is_following = True
        if not is_as_seen(pixel) or not self._goes_on():
            return False
        self._focus.learn(pixel)
        self.left_at = self._mouse.click(Click(pixel, button))
        self.n_clicks += 1
        return True

    def follow_anew(self) -> None:
        """The window that is clicked next is the one to follow, should it move: what was clicked before is past."""
        self._is_following = False

    def move(self, pixel: Pixel) -> None:
        """Take the pointer there; asked for only when `is_free`."""
        self._mouse.move(pixel)
        self.left_at = pixel

    def park(self, board: Region) -> bool:
        """Move the pointer off the board, to the nearest place beside it; False when play was paused meanwhile.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self.is_free():
            return False
        at = self._mouse.position()
        right, bottom = board.left + board.width, board.top + board.height
        ways = (
            Pixel(board.left - POINTER_PX, at.y),
            Pixel(right + PARK_PX, at.y),
            Pixel(at.x, board.top - POINTER_PX),
            Pixel(at.x, bottom + PARK_PX),
        )
        nearest = min(ways, key=lambda way: abs(way.x - at.x) + abs(way.y - at.y))
        self._mouse.move(nearest)
        self.left_at = self._mouse.position()  # at the edge of the screen it may not get there
        return True

    def is_free(self) -> bool:
        """Let a person go first; False when play was paused since the last click: what was seen is not what is.

        Raises:
            Aborted: the abort key was pressed.
        """
        if self._control.n_pauses == self._n_pauses_seen:
            taken = self._taken()
            if taken is not None:
                self._control.pause()
                self._on_taken(taken)
        return self._goes_on()

    def _goes_on(self) -> bool:
        """As `is_free`, by what is known already: nothing is asked of the machine.

        Raises:
            Aborted: the abort key was pressed.
        """
        self._control.raise_if_aborted()
        if self._control.n_pauses == self._n_pauses_seen:
            return True
        self._n_pauses_seen = self._control.n_pauses
        self.left_at = None
        self._focus.forget()
        return False

    def _taken(self) -> str | None:
        """What a person took since the last click, None for nothing."""
        at = self._mouse.position()  # always asked: the mouse tells a person's moves by where it was seen last
        if self.left_at is not None and at != self.left_at:
            return "the mouse was moved"
        return "another window has the keyboard" if self._focus.is_lost() else None
