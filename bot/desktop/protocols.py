"""What the bot asks of a machine. Real ports and the misbehaving ones of the tests fit the same protocols.

No system is known here: `factory` chooses among the platforms. A protocol's own answers are those of a system that does
not say: a port that extends it overrides what its system tells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import ScreenError
from bot.models import Held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from bot.models import Click, Frame, Pixel, Refusal, Region, Sheet


class Screen(Protocol):
    """Takes pictures of the screen."""

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, or of all monitors.

        Raises:
            ScreenError: the screen cannot be captured.
        """

    def close(self) -> None:
        """Give the screen back."""


class MachineScreen(Screen, Protocol):
    """The screen of a machine."""

    @property
    def monitors(self) -> list[Region]:
        """Every monitor that the capture library knows; others than the first may lie at negative coordinates."""


class Mouse(Protocol):
    """Moves the pointer and presses buttons."""

    def follow(self, pixel: Pixel) -> None:
        """From now on clicks go where they are meant in the window that shows at this pixel now, should it move.

        And into no other window. Not every system can do that: on the others they go where they are meant on the
        screen.
        """

    def click(self, click: Click) -> Pixel | Refusal:
        """Move there, press and release; returns where that was. The button is released whatever happens.

        Nothing is done where another window has come up over that place since it was looked at, or a person holds a
        key or button: the answer says so then.
        """

    def move(self, pixel: Pixel) -> None:
        """Move there and press nothing."""

    def held(self) -> Held:
        """What a person holds down now; nothing where the system does not say."""
        return Held()

    def position(self) -> Pixel:
        """Where the pointer is."""

    def close(self) -> None:
        """Give back what it took."""


class Keyboard(Protocol):
    """Types single keys."""

    def press(self, key: str, window: int) -> bool:
        """Press and release one key, such as "enter", or several together, such as "ctrl+r", in a window.

        False, and no key, where another window has the keyboard.
        """

    def keeping(self, keys: HotKeys) -> AbstractContextManager[bool]:
        """While the block runs no window gets `keys.own_keys`, but where `press` presses them.

        Nor do these hot keys take for a person's what `press` presses. Yields false where it is known that another
        program keeps one of them for itself.
        """
        return nullcontext(True)

    def tap_unseen(self, key: str) -> None:
        """Press and release one key that no window gets, where the system can do that: only who listens to all keys.

        Raises:
            ScreenError: it cannot be done now.
        """

    def close(self) -> None:
        """Give back what it took."""


class Programs(Protocol):
    """Knows which program has the keyboard, and whose windows are where. Programs and windows are numbers."""

    def focused(self) -> int | None:
        """The program that has the keyboard, None where none has, or nobody says."""
        return None

    def turned_to(self) -> list[int]:
        """The programs that got the keyboard since this was asked last, in that order; empty where nobody tells."""
        return []

    def at(self, pixel: Pixel) -> int | None:
        """The program whose window shows at a pixel, None where there is none, or nobody says."""
        return None

    def focused_window(self) -> int | None:
        """The whole window that has the keyboard, None where none has, or nobody says."""
        return None

    def window_at(self, pixel: Pixel) -> int | None:
        """The whole window that shows at a pixel, None where there is none, or nobody says."""
        return None

    def place_of(self, window: int) -> Region | None:
        """Where a whole window is on the screen, with its frame; None where it is gone, or nobody says."""
        return None

    def has_window(self, window: int) -> bool:
        """Whether a whole window is still there, be it hidden or an icon; false where nothing is known of windows."""
        return False

    def dialogs(self, window: int) -> list[int]:
        """The whole windows that show and belong to this one, as their program says; empty where that is not known.

        The one that came up last is the last. Some programs have a hidden window that owns all others: what belongs to
        that one belongs to all of them.
        """
        return []

    def activate(self, window: int) -> None:
        """Ask that a whole window gets the keyboard; it may take a while, and be refused."""

    def close(self) -> None:
        """Give back what asking took."""


def dialogs_of(window: int, owners: Mapping[int, int | None]) -> list[int]:
    """The windows that belong to one, directly or through others, or to one that does not show.

    Args:
        window: the one.
        owners: of its program, by each window that shows: the one that it belongs to, None for none.
    """
    found: set[int] = set()
    for _ in owners:  # each time the dialogs of those found before
        found |= {
            one
            for one, owner in owners.items()
            if owner is not None and (owner == window or owner in found or owner not in owners)
        }
    return [one for one in owners if one in found and one != window]


class Machine(Protocol):
    """Says what a machine is, and lets programs do.

    Attributes:
        shows_colours: whether a screen that can be captured always has more than one colour.
        tells_pointer: whether anybody tells where the pointer is.
        asks_person: whether it asks the person before it shows its screen or lets a program press anything.
        shares_keys: whether several programs can hear the same hot key.
        has_icons: whether a window can be made an icon.
    """

    shows_colours: bool = True
    tells_pointer: bool = True
    asks_person: bool = False
    shares_keys: bool = True
    has_icons: bool = True

    def describe(self) -> str:
        """What it is.

        Raises:
            ScreenError: it has no display that can be used; the first line says why, the rest what to do.
        """

    def describe_permissions(self) -> str:
        """What lets programs click and listen here.

        Raises:
            ScreenError: some of that is missing, as above.
        """

    def check_mouse(self) -> None:
        """Make sure that the mouse can be tried.

        Raises:
            ScreenError: it cannot, as above.
        """

    def monitors(self) -> list[Region]:
        """Every monitor that the system names by itself; empty where the capture library is to be asked."""
        return []

    def scale_of(self, monitor: Region) -> float | None:
        """How much larger programs draw on this monitor, 1.0 at 100 %; None where the system does not say."""
        return None

    def scale_settings(self) -> list[str]:
        """What else decides how large programs draw, or what a pixel is to this one, as `name=value`."""
        return []


@dataclass(frozen=True, slots=True)
class HotKey:
    """A key that is heard wherever the focus is, and what it does.

    Attributes:
        name: such as "f10", "a" or "ctrl+f10"; `keys` has all.
        act: called in the listener's thread: it only sets flags.
        acts_on_repeat: a key that is held acts again and again; for what may happen twice.
        is_for_play: it matters only while the bot plays. At other times a desktop may leave it to the windows.
    """

    name: str
    act: Callable[[], None]
    acts_on_repeat: bool = False
    is_for_play: bool = False


class HotKeyOwner(Protocol):
    """Whoever the hot keys steer."""

    @property
    def is_running(self) -> bool:
        """Whether it plays now."""

    def fail(self, why: str) -> None:
        """No key can be heard any more."""


class HotKeys(Protocol):
    """Listens for hot keys, wherever the focus is; the bot's own presses are none.

    Attributes:
        own_keys: by the system's numbers, the keys that are pressed for the bot only, and the modifiers of each, where
            whoever listens does not keep them from the windows itself; empty where none are, and before `start`.
        window: where whoever presses keys says when it does, by the system's number; None where each press says itself
            by whom it was made, and before `start`.
        not_heard: that no key is heard, and what to do, as one sentence; empty where keys are heard.
    """

    not_heard: str = ""
    own_keys: frozenset[tuple[int, int]] = frozenset()
    window: int | None = None

    def start(self) -> None:
        """Begin to listen; returns when key presses are being seen.

        Raises:
            ScreenError: the keyboard cannot be listened to.
        """

    def stop(self) -> None:
        """Stop listening."""


class WatchedWindow(Protocol):
    """One window of another program, seen by itself: what lies over it on the screen is on none of its pictures.

    All places are the window's own: its top left pixel is (0, 0), wherever it is on the screen.
    """

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, or of the whole window.

        Raises:
            ScreenError: the window does not show, or not there; or it is closed.
        """

    def place(self) -> Region | None:
        """Where it shows on the screen, None where it does not, as while it is minimised.

        Raises:
            WindowClosedError: it is closed.
        """

    def has_changed(self) -> bool:
        """Whether anything may have been painted in it since this was asked last."""

    def pointer(self) -> Pixel | None:
        """Where the pointer is in it; None elsewhere, and where another window covers this one."""

    def monitor(self) -> Region:
        """The monitor that most of the window is on."""

    def close(self) -> None:
        """Watch it no more."""


class Overlay(Protocol):
    """Draws over a window that is watched, and takes no click: the window gets them as if nothing were there.

    What is drawn goes where the window goes, and what covers the window covers it, too.
    """

    def show(self, sheets: Sequence[Sheet]) -> None:
        """Draw these, each over those before, and nothing else any more; their places are in the window."""

    def hide(self) -> None:
        """Draw nothing."""

    def follow(self) -> None:
        """Go where the window went since."""

    def close(self) -> None:
        """Draw nothing ever again."""


class Platform(ABC):
    """A kind of desktop: everything that differs between systems. Making one asks nothing of the machine.

    Attributes:
        not_kept: what of the bot's promises is not kept here, as one sentence; empty where all is.
    """

    not_kept: str = ""

    def has_display(self) -> bool:
        """Whether there is any screen, be it one that the bot cannot use."""
        return True

    def require_parts(self, *, has_screen: bool) -> None:  # noqa: B027 - elsewhere Python brings all of it
        """Make sure that this machine has what the built-in game needs to be shown and captured.

        Args:
            has_screen: whether there is a screen to show it on; else a virtual one is needed.

        Raises:
            ScreenError: it lacks something; says how to get it.
        """

    def prepare(self) -> None:  # noqa: B027 - not every system asks for it
        """Make this process ready for the screen: before mss and pyautogui are imported. The others here do it.

        Raises:
            ScreenError: there is no display that programs may capture and click.
        """

    def prepare_own_window(self) -> None:  # noqa: B027 - not every system asks for it
        """Make this process ready to open a window itself."""

    @abstractmethod
    def machine(self) -> Machine:
        """What the machine says about itself."""

    @abstractmethod
    def screen(self) -> MachineScreen:
        """The screen. Use it from the thread that asked only.

        Raises:
            ScreenError: it cannot be captured.
        """

    @abstractmethod
    def mouse(self) -> Mouse:
        """The mouse.

        Raises:
            ScreenError: it cannot be used.
        """

    @abstractmethod
    def keyboard(self) -> Keyboard:
        """The keyboard.

        Raises:
            ScreenError: it cannot be used.
        """

    @abstractmethod
    def programs(self) -> Programs:
        """Who knows which program has the keyboard.

        Raises:
            ScreenError: there is no display.
        """

    @abstractmethod
    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        """Who listens for these keys; it has not started yet.

        Raises:
            ScreenError: there is no display.
            UsageError: a key has no such name, or two are the same.
        """

    def check_can_overlay(self) -> None:
        """Make sure that windows can be drawn over.

        Raises:
            ScreenError: they cannot, or there is no display.
        """
        self._overlay_kinds()

    @contextmanager
    def overlay_at(self, pixel: Pixel) -> Iterator[tuple[WatchedWindow, Overlay]]:
        """Watch the window that shows at a pixel of the screen, and draw over it, while the block runs.

        Raises:
            ScreenError: no window is there, or it cannot be done.
        """
        watch_at, overlay_on = self._overlay_kinds()
        with ExitStack() as stack:
            watch = watch_at(pixel)
            stack.callback(watch.close)
            overlay = overlay_on(watch)
            stack.callback(overlay.close)
            yield watch, overlay

    def _overlay_kinds(self) -> tuple[Callable[[Pixel], Any], Callable[[Any], Overlay]]:
        """What watches the window at a pixel, and what draws over a window that is watched.

        Raises:
            ScreenError: windows cannot be drawn over, or there is no display.
        """
        raise ScreenError(
            "windows are drawn over on Windows and Linux only\n"
            "Elsewhere let minebot advise look at a screenshot: minebot advise PICTURE --why --picture OUT.png"
        )


@dataclass(frozen=True, slots=True)
class Desktop:
    """What play sees and touches: the real machine, or one that a test made up."""

    screen: Screen
    mouse: Mouse
    keyboard: Keyboard
    programs: Programs
