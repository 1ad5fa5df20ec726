"""The desktop of a Wayland compositor that lets programs see and click by the desktop portals: GNOME, KDE, and others.

KDE tells of windows. On the others nobody does.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from bot.desktop.hotkeys import UnheardKeys
from bot.desktop.protocols import Machine, Platform
from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.desktop.portal.session import Session
    from bot.desktop.protocols import HotKey, HotKeyOwner, HotKeys, Keyboard, MachineScreen, Mouse, Overlay, Programs
    from bot.desktop.wayland.overlay import OutputWatch
    from bot.desktop.wayland.window_list import WindowList
    from bot.models import Pixel, Region

_NEEDED = ("ScreenCast", "RemoteDesktop")
_SHORTCUTS = "GlobalShortcuts"


class PortalDesktop(Platform):
    """The desktop whose portals answer on the session's D-Bus."""

    def __init__(self) -> None:
        self._session: Session | None = None

    @property
    def not_kept(self) -> str:  # type: ignore[override]  # what is not kept depends on who tells of windows
        if _has_kwin():
            return "nothing tells here what you hold down: hold no key or button while it plays"
        return (
            "nothing tells here of other windows, nor what you hold down: leave the game in front, and hold no key or "
            "button while it plays"
        )

    def prepare(self) -> None:
        """Make sure that the desktop has what is needed.

        Raises:
            ScreenError: it has not.
        """
        missing = missing_portals()
        if missing:
            raise ScreenError(
                f"the desktop has no portal for {', '.join(missing)}\n"
                "Debian, Ubuntu: install xdg-desktop-portal-gnome or xdg-desktop-portal-kde, whichever is your "
                "desktop's.\nSee the bot play on a virtual screen: minebot demo --headless."
            )

    def machine(self) -> Machine:
        return _PortalMachine(self)

    def screen(self) -> MachineScreen:
        self.prepare()
        from bot.desktop.portal.ports import PortalScreen

        return PortalScreen(self.open_session, self._close_session)

    def mouse(self) -> Mouse:
        from bot.desktop.portal.ports import PortalMouse

        return PortalMouse(self.open_session(has_input=True), self._open_windows())

    def keyboard(self) -> Keyboard:
        from bot.desktop.portal.ports import PortalKeyboard

        return PortalKeyboard(lambda: self.open_session(has_input=True), self._open_windows)

    def programs(self) -> Programs:
        from bot.desktop.wayland.window_list import ListedPrograms, UnknownPrograms

        windows = self._open_windows()
        return UnknownPrograms() if windows is None else ListedPrograms(windows)

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        self.prepare()
        if missing_portals(_SHORTCUTS):
            return UnheardKeys(keys, owner)
        from bot.desktop.portal.hotkeys import PortalHotKeys

        return PortalHotKeys(keys, owner)

    def _overlay_kinds(self) -> tuple[Callable[[Pixel], OutputWatch], Callable[[OutputWatch], Overlay]]:
        self.prepare()
        from bot.desktop.portal.overlay import XwaylandOverlay, require_xwayland
        from bot.desktop.wayland.overlay import OutputWatch

        def watch(pixel: Pixel) -> OutputWatch:
            session = self.open_session()
            draw_over = partial(XwaylandOverlay, outputs=session.outputs)
            return OutputWatch(self.screen(), session.outputs, pixel, draw_over, session.seen_pointer)

        require_xwayland()
        return watch, attrgetter("overlay")

    def open_session(self, *, has_input: bool = False) -> Session:
        """The session that is open, or a new one where it lacks a mouse that is asked for."""
        if self._session is None or has_input > self._session.has_input:
            from bot.desktop.portal.session import Session

            self._close_session()
            self.prepare()
            with ExitStack() as stack:
                session = stack.enter_context(closing(Session(has_input=has_input)))
                _place_outputs(session)
                if has_input:
                    session.check_scale()
                stack.pop_all()
            self._session = session
        return self._session

    def _open_windows(self) -> WindowList | None:
        """Who tells of windows; None where nobody does."""
        if not _has_kwin():
            return None
        from bot.desktop.portal.kwin import KwinWindows

        return KwinWindows(self.open_session(has_input=True).outputs)

    def _close_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def missing_portals(*names: str) -> list[str]:
    """The names of those of these portals, or else of all that are needed, which the desktop lacks.

    Raises:
        ScreenError: there is no D-Bus.
    """
    from bot.desktop.portal.bus import Portal

    with closing(Portal()) as portal:
        return [name for name in names or _NEEDED if not portal.version(name)]


def _place_outputs(session: Session) -> None:
    """Have a session know where its outputs are.

    Raises:
        ScreenError: nobody says.
    """
    if session.is_placed:
        return
    if _has_kwin():
        from bot.desktop.portal.kwin import place_outputs_of

        place_outputs_of(session)
    elif len(session.outputs) > 1:
        raise ScreenError("the desktop does not say where its monitors are\nstart it again, and share only one")


def _has_kwin() -> bool:
    from bot.desktop.portal.bus import Bus
    from bot.desktop.portal.kwin import NAME

    with closing(Bus()) as bus:
        return bus.has_name(NAME)


class _PortalMachine(Machine):
    """What the desktop says of itself."""

    asks_person = True
    has_icons = False  # a window that is to be one comes up first, over the game

    def __init__(self, desktop: PortalDesktop) -> None:
        self._desktop = desktop

    def describe(self) -> str:
        self._desktop.prepare()
        return f"Wayland, portals of {os.environ.get('XDG_CURRENT_DESKTOP', 'a desktop without a name')}"

    def describe_permissions(self) -> str:
        return "the desktop asks you once, and remembers it; its settings take it back"

    def check_mouse(self) -> None:
        """The mouse can be tried."""

    def scale_of(self, monitor: Region) -> float | None:
        """Pixels a logical unit of the compositor's."""
        outputs = self._desktop.open_session().outputs
        return next((one.scale for one in outputs if one.region == monitor), None)
