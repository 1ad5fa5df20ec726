"""The bot's pointer and keys: whatever it clicks or presses, a person and the abort key come first.

Knows nothing of what is clicked and why: whoever uses it says where a click or a key may go, and it refuses all others.
Nobody else has the keyboard: every key of the bot goes through here.

The pointer gets to a cell at once, at a pace a person can follow, or as a person's hand would.

A speed plans steps and waits, and the pointer makes them. The human one follows two findings about hands. The time to
hit a target grows with the logarithm of distance over size (Fitts, The information capacity of the human motor system
in controlling the amplitude of movement, 1954). And a reach is a curve of least jerk: slow, fast, slow (Flash and
Hogan, The coordination of arm movements, 1985).
"""

from __future__ import annotations

import math
import time
from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from bot.errors import BotError, UsageError
from bot.models import Button, Click, Pixel, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.desktop import Keyboard, Mouse
    from bot.models import Region
    from bot.playing.control import Control
    from bot.playing.focus import FocusWatch
    from solver.board import Move


SPEEDS = ("max", "fast", "human")
FAST_S = 0.05
"""Between two clicks at the speed `fast`: twenty a second, as many as an eye can follow."""
STEP_S = 0.008
"""Between two places of the pointer on its way: a usual mouse reports 125 times a second."""
_SAFE_THOUGHT_S, _GUESS_THOUGHT_S = 0.12, 0.7
"""Median pause of a practised player before a cell that is clear, and before a guess."""
_SPREAD = 0.45
_FITTS_A_S, _FITTS_B_S = 0.05, 0.09
"""Time to hit a target: a + b * log2(distance / size + 1)."""
_BEND = 0.06
"""How far a hand strays from the straight line, as a share of the distance."""


class Step(NamedTuple):
    """A place on the pointer's way, and how long to wait before it is there."""

    wait_s: float
    pixel: Pixel | None


class Speed(Protocol):
    """A way to get to a cell."""

    most_ahead: int
    """How many clicks may be under way at once."""

    def target(self, cell: Region) -> Pixel:
        """Where in a cell to click."""

    def approach(self, start: Pixel, target: Pixel, cell: Region, move: Move) -> Iterator[Step]:
        """The steps from the pointer's place to a click, waits included."""


class MaxSpeed:
    """As fast as the clone takes it."""

    most_ahead = 8

    def target(self, cell: Region) -> Pixel:
        """The middle."""
        return cell.middle

    def approach(  # the arguments are those of every speed
        self,
        start: Pixel,  # noqa: ARG002 - as above
        target: Pixel,  # noqa: ARG002 - as above
        cell: Region,  # noqa: ARG002 - as above
        move: Move,  # noqa: ARG002 - as above
    ) -> Iterator[Step]:
        """No steps: the click itself takes the pointer there."""
        return iter(())


class FastSpeed(MaxSpeed):
    """A steady pace that the eye can follow."""

    most_ahead = 1

    def approach(  # the arguments are those of every speed
        self,
        start: Pixel,  # noqa: ARG002 - as above
        target: Pixel,  # noqa: ARG002 - as above
        cell: Region,  # noqa: ARG002 - as above
        move: Move,  # noqa: ARG002 - as above
    ) -> Iterator[Step]:
        """One wait."""
        yield Step(FAST_S, None)


class HumanSpeed:
    """As a practised person plays.

    Args:
        seed: equal seeds are equal hands.
    """

    most_ahead = 1

    def __init__(self, seed: int | None = None) -> None:
        self._rng = Random(seed)

    def target(self, cell: Region) -> Pixel:
        """Somewhere near the middle."""
        x, y = (
            round(self._rng.gauss(first + size / 2, size / 9))
            for first, size in ((cell.left, cell.width), (cell.top, cell.height))
        )
        room_x, room_y = cell.width // 5, cell.height // 5
        return Pixel(
            min(max(x, cell.left + room_x), cell.left + cell.width - 1 - room_x),
            min(max(y, cell.top + room_y), cell.top + cell.height - 1 - room_y),
        )

    def approach(self, start: Pixel, target: Pixel, cell: Region, move: Move) -> Iterator[Step]:
        """A thought, and a curved way."""
        thought_s = _GUESS_THOUGHT_S if move.is_guess else _SAFE_THOUGHT_S
        yield Step(thought_s * math.exp(self._rng.gauss(0.0, _SPREAD)), None)
        distance = math.dist(start, target)
        if not distance:
            return
        travel_s = _FITTS_A_S + _FITTS_B_S * math.log2(distance / min(cell.width, cell.height) + 1)
        n_steps = max(2, round(travel_s / STEP_S))
        bend = distance * self._rng.gauss(0.0, _BEND)
        across = (-(target.y - start.y) / distance, (target.x - start.x) / distance)
        for n in range(1, n_steps + 1):
            t = n / n_steps
            along = t**3 * (10 - 15 * t + 6 * t**2)  # least jerk
            aside = bend * math.sin(math.pi * along)
            x, y = (round(a + along * (b - a) + aside * side) for a, b, side in zip(start, target, across, strict=True))
            yield Step(travel_s / n_steps, Pixel(x, y))


def speed_named(name: str, seed: int | None = None) -> Speed:
    """A speed by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if name == "max":
        return MaxSpeed()
    if name == "fast":
        return FastSpeed()
    if name == "human":
        return HumanSpeed(seed)
    raise UsageError(f"expected a speed of {', '.join(SPEEDS)}, got {name!r}")


KEYBOARD_S = 1.0
"""Longest time until the game's window has the keyboard back, in seconds, as when a dialog was closed."""
_LOOK_S = 0.02
_PARK_PX = 6
"""How far beside the board the pointer is parked, to the right and below."""
POINTER_PX = 34
"""How far its picture may reach right and down of where it points; it is parked so far left of a board, and above."""
_HELD_S = 0.01
"""Pause between two questions whether a key is still held down."""


class Pointer:
    """Moves the pointer, clicks and presses keys, as long as nobody else wants to.

    Args:
        mouse: what clicks.
        keyboard: what presses keys.
        control: asked before every click and every key.
        focus: notices when a person turned to another program.
        on_taken: told why play was paused: the pointer is not where it was left, a person holds one of its buttons, or
            another program has the keyboard.
        on_held: told which keys are held down that a click would go with: nothing is clicked meanwhile.
    """

    def __init__(
        self,
        mouse: Mouse,
        keyboard: Keyboard,
        control: Control,
        focus: FocusWatch,
        on_taken: Callable[[str], None],
        on_held: Callable[[str], None],
    ) -> None:
        self._mouse = mouse
        self._keyboard = keyboard
        self._control = control
        self._focus = focus
        self._on_taken = on_taken
        self._on_held = on_held
        self._n_pauses_seen = control.n_pauses
        self._is_following = False
        self.left_at: Pixel | None = None
        """Where the pointer was left; None before the first click, and after a pause."""
        self.refused: Refusal | None = None
        """Why the last click that was asked for was not made, where the mouse itself did not make it."""
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

        Nor is anything clicked but the window that is seen here, nor while a person holds a key or button.

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
        if not self._is_left_alone():
            return False
        if not self._is_following:
            # Between two looks at it: it is the game's window that shows there. The place for a new game is looked at
            # by nobody, so it must be in the window that the board is in.
            self._mouse.follow(pixel if board.has_pixel(pixel) else board.middle)
            self._is_following = True
        if not is_as_seen(pixel) or not self._goes_on():
            return False
        self._focus.learn(pixel)
        went_to = self._mouse.click(Click(pixel, button))
        if isinstance(went_to, Refusal):
            if went_to is Refusal.HELD:
                self.is_free()
            self.refused = went_to
            return False
        self.left_at = went_to
        self.n_clicks += 1
        return True

    def press(self, key: str, window: int | None) -> bool:
        """Press a key; False, and no key, when play was paused since the last click, or the keyboard is elsewhere.

        Args:
            key: which, such as "enter" or "ctrl+r".
            window: the one it is for: asked right before the key whether it has the keyboard. None, for a window that
                nobody knows, never has.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self.is_free() or window is None or not self._focus.has_keyboard(window) or not self._goes_on():
            return False
        self._control.presses(key)
        is_pressed = self._keyboard.press(key, window)
        if not is_pressed:
            self._control.has_not_pressed(key)
        return is_pressed

    def press_in_game(self, key: str) -> bool:
        """Press a key in the window that is played; False, and no key, when play was paused meanwhile.

        It is paused where that window does not have the keyboard, known for certain: what to do then is said.

        Raises:
            Aborted: the abort key was pressed.
        """
        self._wait_for_keyboard()
        if not self.is_free():
            return False
        window = self._focus.window
        if self.press(key, window):
            return True
        if self._control.is_running and not self._focus.has_keyboard(window):
            self._give_way(self._why_no(key))
        return False

    def _wait_for_keyboard(self) -> None:
        """Give the window that is played time to get the keyboard, where anybody tells."""
        deadline = time.perf_counter() + KEYBOARD_S
        while self._focus.window is not None and not self._focus.has_keyboard(self._focus.window):
            if time.perf_counter() > deadline or not self._control.is_running:
                return
            self._control.wait(_LOOK_S)

    def _why_no(self, key: str) -> str:
        """Why a key is not pressed in the game, and what to do."""
        if self._focus.window is None:
            return f"nothing tells here which window has the keyboard (press {key} in the game yourself)"
        if self._focus.has_dialog():
            return "another window of the game has the keyboard (close it)"
        return "the game's window does not have the keyboard (click it)"

    def _give_way(self, why: str) -> None:
        self._control.pause()
        self._on_taken(why)

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
            Pixel(right + _PARK_PX, at.y),
            Pixel(at.x, board.top - POINTER_PX),
            Pixel(at.x, bottom + _PARK_PX),
        )
        nearest = min(ways, key=lambda way: abs(way.x - at.x) + abs(way.y - at.y))
        if not self._goes_on():
            return False
        self._mouse.move(nearest)
        self.left_at = self._mouse.position()  # at the edge of the screen it may not get there
        return True

    def is_free(self) -> bool:
        """Let a person go first; False while play is paused, or when it was since the last click.

        What was seen before is not what is then.

        Waits while a key is held down that a click or key of the bot's would go with, and is False after that, too.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self._is_left_alone():
            return False
        held = self._mouse.held()
        if held.has_button:
            self._give_way("a mouse button is held down")
        elif held.keys:
            self._on_held(" and ".join(held.keys))
            while self._mouse.held().keys and self._goes_on():
                self._control.wait(_HELD_S)
        return self._goes_on() and not held

    def _is_left_alone(self) -> bool:
        """As `is_free`, but for what is held down: the mouse itself sees to that when it clicks."""
        self.refused = None
        if self._is_undisturbed:
            taken = self._taken()
            if taken is not None:
                self._give_way(taken)
        return self._goes_on()

    @property
    def _is_undisturbed(self) -> bool:
        """Whether play runs, and was not paused since the last click."""
        return self._control.is_running and self._control.n_pauses == self._n_pauses_seen

    def _goes_on(self) -> bool:
        """As `is_free`, by what is known already: nothing is asked of the machine.

        Raises:
            Aborted: the abort key was pressed.
        """
        self._control.raise_if_aborted()
        if self._is_undisturbed:
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
