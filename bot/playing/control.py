"""Who may act on the machine: the hot keys and the person first, then the bot's pointer and keys.

`Control` is what the hot keys set and the player asks. The listener's thread only calls `toggle` and `abort`, which
never block; the player's thread checks before every click and sleeps only in `wait`, so that the abort key is obeyed at
once wherever the player is. What computes does so within `thinking`: there the key ends it in its middle.

`FocusWatch` notices when a person turned to another program: then nothing more is clicked until the start key says so.
The program that is played is the one whose window shows where the bot clicks. Some never get the keyboard; only one
that had it can lose it.

`Pointer` is the one door for clicks and keys. It knows nothing of what is clicked and why: whoever uses it says where a
click or a key may go, and it refuses all others.
"""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.desktop import HotKey
from bot.desktop.keys import label_key
from bot.errors import Aborted, BotError, ScreenError, TimeIsUp
from bot.models import Button, Click, Pixel, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bot.desktop import Keyboard, Mouse, Programs
    from bot.models import Region

_SLICE_S = 0.5


class Control:
    """The state of the two hot keys.

    Args:
        running: whether play may begin without a key.
        start_key: starts, pauses and resumes; a name as a person types it.
        abort_key: stops for good.
    """

    def __init__(self, *, running: bool = False, start_key: str = "f10", abort_key: str = "esc") -> None:
        self._keys = start_key, abort_key
        self._is_unheard = False
        self._changed = threading.Condition()
        self._running = running
        self._aborted = False
        self._why: BotError | None = None
        self._is_thinking = False
        self._until_s = math.inf
        self._interrupt: Callable[[], None] | None = None
        self.n_pauses = 0
        """How often play was paused: whoever paused may have changed everything."""

    @property
    def is_running(self) -> bool:
        """Whether clicks may be made now."""
        return self._running and not self._aborted

    @property
    def state(self) -> str:
        """What it lets the bot do: "running", "paused" or "stopped"."""
        return "stopped" if self._aborted else "running" if self._running else "paused"

    @property
    def start_name(self) -> str:
        """The start key as messages name it, such as "F10"."""
        return "the key of 'minebot toggle'" if self._is_unheard else label_key(self._keys[0])

    @property
    def abort_name(self) -> str:
        """The abort key as messages name it, such as "Esc"."""
        return "the key of 'minebot stop'" if self._is_unheard else label_key(self._keys[1])

    def note_unheard(self) -> None:
        """Know that the desktop tells of no keys: those that a person bound to the commands stand for them."""
        self._is_unheard = True

    def hot_keys(self) -> list[HotKey]:
        """The keys that steer it: one starts, pauses and resumes, the other stops for good."""
        start_key, abort_key = self._keys
        return [HotKey(start_key, self.toggle), HotKey(abort_key, self.abort, acts_on_repeat=True, is_for_play=True)]

    def toggle(self) -> None:
        """Start, pause or go on: what the start key does."""
        with self._changed:
            self.n_pauses += self._running
            self._running = not self._running
            self._changed.notify_all()

    def pause(self) -> None:
        """Pause until the start key is pressed."""
        with self._changed:
            self.n_pauses += self._running
            self._running = False

    def abort(self, why: str | None = None) -> None:
        """Stop for good: what the abort key does, unless a reason says otherwise."""
        with self._changed:
            self._end(Aborted(why or f"stopped by {self.abort_name}"))

    def end_in_time(self, why: str) -> None:
        """Stop for good, as was planned: the time is up."""
        with self._changed:
            self._end(TimeIsUp(why))

    def pause_until(self, until_s: float) -> None:
        """Let no pause last longer than until then, as `time.perf_counter` tells: `check` ends it."""
        self._until_s = until_s

    def fail(self, why: str) -> None:
        """Stop for good: the hot keys cannot be heard any more, so nobody could stop play."""
        with self._changed:
            self._end(ScreenError(why))

    def _end(self, error: BotError) -> None:
        is_first = self._why is None
        self._why = self._why or error
        self._aborted = True
        self._changed.notify_all()
        if is_first and self._is_thinking and self._interrupt is not None:
            self._interrupt()

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """A block that only computes: the abort key ends it at once, wherever in it that is.

        The block leaves nothing behind that is half done: it presses nothing, and writes no file.

        Raises:
            Aborted: the abort key was pressed, before the block or in it.
            ScreenError: it cannot be heard any more.
        """
        before, self._is_thinking = self._is_thinking, True
        try:
            self.raise_if_aborted()  # whoever stops from here on interrupts
            yield
        except Exception as error:
            if error is not self._why:
                self.raise_if_aborted()  # compiled code may answer the interruption by an error: numpy's comparisons do
            raise
        finally:
            self._is_thinking = before
        self.raise_if_aborted()

    def interrupt_by(self, interrupt: Callable[[], None] | None) -> None:
        """Know what has the main thread call `stop_thinking` soon, whichever thread asks; None for nothing."""
        self._interrupt = interrupt

    def stop_thinking(self) -> None:
        """Leave the block that only computes, if the main thread is in one and somebody stopped.

        Raises:
            Aborted: it was in one.
            ScreenError: the same, and the abort key cannot be heard any more.
        """
        if self._is_thinking and self._why is not None:
            self._is_thinking = False  # what closes on the way out is not disturbed
            raise self._why

    def check(self) -> None:
        """Go on only if nobody stopped or paused; while paused, block.

        Raises:
            Aborted: the abort key was pressed.
            ScreenError: it cannot be heard any more.
            TimeIsUp: the pause lasts until the time that was given (`pause_until`).
        """
        with self._changed:
            # In slices: on Windows an endless wait would not hear Ctrl-C.
            while not self._changed.wait_for(lambda: self._running or self._aborted, timeout=_SLICE_S):
                if time.perf_counter() >= self._until_s:
                    raise TimeIsUp("the time is up")
            self.raise_if_aborted()

    def wait(self, seconds: float) -> None:
        """Sleep, but wake at once for the abort key.

        Raises:
            Aborted: the abort key was pressed.
            ScreenError: it cannot be heard any more.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._aborted, timeout=seconds)
            self.raise_if_aborted()

    def raise_if_aborted(self) -> None:
        """Go on only if nobody stopped.

        Raises:
            Aborted: the abort key was pressed.
            ScreenError: it cannot be heard any more.
        """
        if self._why is not None:
            raise self._why


class FocusWatch:
    """Remembers the program that is played.

    Args:
        programs: whom to ask.
    """

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._played: int | None = None
        self._window: int | None = None
        self._learned_at: Pixel | None = None
        self._older: frozenset[int] = frozenset()
        self._had_keyboard = False

    def is_lost(self) -> bool:
        """Whether another program has, or had since this was asked last, the keyboard that the one that is played had.

        A click of the same moment may have taken it back: a window manager gives it to the window that is clicked. A
        program that is gone has lost more than that: its board is looked for instead.
        """
        focused = self._programs.focused()
        turned_to = self._programs.turned_to()
        return any(self._is_lost_to(program) for program in (*turned_to, focused))

    def _is_lost_to(self, program: int | None) -> bool:
        if self._played is None or self._learned_at is None:
            return False
        if program in (None, self._played):
            self._had_keyboard |= program is not None
            return False
        return self._had_keyboard and self._programs.at(self._learned_at) in (program, self._played)

    def learn(self, pixel: Pixel | None) -> None:
        """Learn which program is played, where that is not known: the one that shows at this pixel of the board."""
        if self._played is None and pixel is not None:
            self._learned_at = pixel
            self._played = self._programs.at(pixel)
            self._window = self._programs.window_at(pixel)
            self._older = frozenset(() if self._window is None else self._programs.dialogs(self._window))

    @property
    def knows_windows(self) -> bool:
        """Whether it is known which window is played, and so whose window shows at a pixel."""
        return self._played is not None and self._window is not None

    def is_played(self, pixels: Iterable[Pixel]) -> bool:
        """Whether the program that is played shows at one of these pixels; true where nothing is known."""
        return self._played is None or any(self._programs.at(pixel) == self._played for pixel in pixels)

    def shows_only_played(self, pixels: Iterable[Pixel]) -> bool:
        """Whether no other program shows at any of these pixels; true where nothing is known."""
        return self._played is None or all(self._programs.at(pixel) == self._played for pixel in pixels)

    def is_same_window(self, pixels: Iterable[Pixel]) -> bool:
        """Whether the very window that is played shows at one of these pixels."""
        return self._window is not None and any(self._programs.window_at(pixel) == self._window for pixel in pixels)

    @property
    def has_window(self) -> bool:
        """Whether the very window that was played last is still there, be it hidden or an icon."""
        return self._window is not None and self._programs.has_window(self._window)

    def is_all_of_window(self, pixels: Iterable[Pixel]) -> bool:
        """Whether it is known that the very window that is played shows at each of these pixels."""
        return self._window is not None and all(self._programs.window_at(pixel) == self._window for pixel in pixels)

    @property
    def window(self) -> int | None:
        """The very window that is played, None where that is not known."""
        return self._window if self.knows_windows else None

    def dialog(self) -> int | None:
        """A dialog of the game that came up since it is played, or has the keyboard; None for none, or not known.

        Another window of its program that belongs to no other is none: a browser's may be about something else.
        """
        if self._played is None or self._window is None:
            return None
        focused, dialogs = self._programs.focused_window(), self._programs.dialogs(self._window)
        if focused in dialogs:
            return focused
        return next((one for one in reversed(dialogs) if one not in self._older), None)

    def has_dialog(self) -> bool:
        """Whether there is such a dialog, known for certain."""
        return self.dialog() is not None

    def turn_to(self, window: int) -> None:
        """Have another window of the program that is played get the keyboard, unless another program has it."""
        if not self.has_keyboard(window) and self._programs.focused() in (None, self._played):
            self._programs.activate(window)

    def has_other_window(self) -> bool:
        """Whether another window of the program that is played has the keyboard, known for certain."""
        return self._other_window() is not None

    def _other_window(self) -> int | None:
        if not self.knows_windows or self._programs.focused() != self._played:
            return None
        window = self._programs.focused_window()
        return None if window == self._window else window

    def has_keyboard(self, window: int | None) -> bool:
        """Whether a key pressed now goes to this window, known for certain."""
        return window is not None and self._programs.focused_window() == window

    def forget(self) -> None:
        """A person did what they liked: learn it anew."""
        self._played = None
        self._had_keyboard = False
        self._programs.turned_to()


KEYBOARD_S = 1.0  # longest time until the game's window has the keyboard back, in seconds, as when a dialog was closed
_LOOK_S = 0.02
_PARK_PX = 16  # how far beside the board the pointer is parked, to the right and below: off its border, too
POINTER_PX = 34
"""How far its picture may reach right and down of where it points: so far left of a board, or above, it may hide it."""
_HELD_S = 0.01  # pause between two questions whether a key is still held down
_ELSEWHERE = "another window has the keyboard"
_BUTTON_HELD = "a mouse button is held down"
_CLICK_S = 0.001  # pause between two questions whether the bot's own click has ended


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
        on_click: called right before every click.
    """

    def __init__(
        self,
        mouse: Mouse,
        keyboard: Keyboard,
        control: Control,
        focus: FocusWatch,
        on_taken: Callable[[str], None],
        on_held: Callable[[str], None],
        on_click: Callable[[], None] | None = None,
    ) -> None:
        self._mouse = mouse
        self._keyboard = keyboard
        self._control = control
        self._focus = focus
        self._on_taken = on_taken
        self._on_held = on_held
        self._on_click = on_click
        self._n_pauses_seen = control.n_pauses
        self._is_following = False
        self.left_at: Pixel | None = None
        """Where the pointer was left; None before the first click, and after a pause."""
        self.refused: Refusal | None = None
        """Why the last click that was asked for was not made, where the mouse itself did not make it."""
        self.n_clicks = 0
        self.n_stray = 0

    @property
    def knows_windows(self) -> bool:
        """Whether it is known which window is clicked, so that no other one gets the click."""
        return self._focus.knows_windows

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
        if self._on_click is not None:
            self._on_click()
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
        return self._keyboard.press(key, window)

    def press_in_dialog(self, key: str, dialog: int) -> bool:
        """Press a key at a dialog of the game, which gets the keyboard if the game has it; False, and no key, else.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self.is_free():
            return False
        self._focus.turn_to(dialog)
        self._wait_for_keyboard(dialog)
        return self.press(key, dialog)

    def press_in_game(self, key: str, *, may_meet_dialog: bool = False) -> bool:
        """Press a key in the window that is played; False, and no key, when play was paused meanwhile.

        It is paused where the key cannot be pressed there: what to do then is said.

        Args:
            key: which.
            may_meet_dialog: whether the caller closes a dialog of the game that has the keyboard: it is False without
                a pause then.

        Raises:
            Aborted: the abort key was pressed.
        """
        window = self._focus.window
        self._wait_for_keyboard(window)
        if not self.is_free():
            return False
        if self.press(key, window):
            return True
        if self._is_undisturbed and not (may_meet_dialog and self._focus.has_dialog()):
            self._give_way(self._why_no(key))
        return False

    def _wait_for_keyboard(self, window: int | None) -> None:
        """Give a window time to get the keyboard, where anybody tells."""
        deadline = time.perf_counter() + KEYBOARD_S
        while window is not None and not self._focus.has_keyboard(window):
            if time.perf_counter() > deadline or not self._control.is_running:
                return
            self._control.wait(_LOOK_S)

    def _why_no(self, key: str) -> str:
        """Why a key is not pressed in the game, and what to do."""
        if self._focus.window is None:
            return f"nothing tells here which window has the keyboard (press {key} in the game yourself)"
        if self._focus.has_other_window():
            return "another window of the game has the keyboard (close it)"
        if self._focus.has_keyboard(self._focus.window):
            return (
                f"the desktop lets no window have the key {key} (press it in the game yourself, or name other hot keys)"
            )
        return "the game's window does not have the keyboard (click it)"

    def _give_way(self, why: str) -> None:
        self._control.pause()
        self._on_taken(why)

    def let_person_act(self) -> None:
        """What a person does until now, with the mouse and with any window, takes nothing from the bot.

        Waits until they hold no button.

        Raises:
            Aborted: the abort key was pressed.
        """
        while self._mouse.held().has_button:
            self._control.wait(_HELD_S)
        self.left_at = None
        self._focus.forget()

    def follow_anew(self) -> None:
        """The window that is clicked next is the one to follow, should it move: what was clicked before is past."""
        self._is_following = False

    def move(self, pixel: Pixel) -> None:
        """Take the pointer there; asked for only when `is_free`."""
        self._mouse.move(pixel)
        self.left_at = pixel

    def park(self, board: Region) -> bool:
        """Move the pointer off the board, to the nearer of its right and lower side; False when play was paused.

        Above a board many clones have buttons, and what these are for is said in a tip that lies over the board.

        Raises:
            Aborted: the abort key was pressed.
        """
        if not self.is_free():
            return False
        at = self._mouse.position()
        ways = (Pixel(board.right + _PARK_PX, at.y), Pixel(at.x, board.bottom + _PARK_PX))
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
        while held.has_click and self._goes_on():
            self._control.wait(_CLICK_S)
            held = self._mouse.held()
        if held.has_button:
            self._give_way(_BUTTON_HELD)
        elif held.keys:
            self._on_held(" and ".join(held.keys))
            while self._mouse.held().keys and self._goes_on():
                self._control.wait(_HELD_S)
        return self._goes_on() and not held

    def give_way(self) -> None:
        """Pause where a person turned to another program or holds a mouse button: a game may look otherwise then.

        A person who had play go on meanwhile knows of the other program.
        """
        if self._is_undisturbed and self._focus.is_lost():
            self._give_way(_ELSEWHERE)
        elif self._control.is_running and self._mouse.held().has_button:
            self._give_way(_BUTTON_HELD)

    def _is_left_alone(self) -> bool:
        """Whether the bot may act, whatever is held down: the mouse itself sees to that when it clicks."""
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
        """Whether play goes on, by what was heard so far. It makes no call to the desktop.

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
        return _ELSEWHERE if self._focus.is_lost() else None
