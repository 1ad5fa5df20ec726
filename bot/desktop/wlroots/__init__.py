"""The desktop of a Wayland compositor that is built on wlroots: sway, labwc, Hyprland, and others.

sway tells of windows and hears keys. On the others nobody does: there a person binds commands to keys.
"""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from bot.desktop.hotkeys import UnheardKeys
from bot.desktop.protocols import Machine, Platform, Programs
from bot.desktop.wayland.window_list import ListedPrograms, UnknownPrograms
from bot.desktop.wlroots.sway import SOCKET_VARIABLE, Sway
from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pywayland.protocol_core.interface import Interface

    from bot.desktop.protocols import HotKey, HotKeyOwner, HotKeys, Keyboard, MachineScreen, Mouse, Overlay
    from bot.desktop.wayland.overlay import OutputWatch
    from bot.models import Pixel, Region


_NOT_KEPT_ON_SWAY = "nothing tells here where the mouse is: your hand on it does not pause play, the keys do"
_NOT_KEPT_ELSEWHERE = (
    "nothing tells here where the mouse and the windows are: neither your hand nor another window pauses play, and "
    "a window that moves is clicked where it was"
)


class WlrootsDesktop(Platform):
    """The desktop of the compositor that WAYLAND_DISPLAY names."""

    def __init__(self) -> None:
        self.not_kept = _NOT_KEPT_ON_SWAY if os.environ.get(SOCKET_VARIABLE) else _NOT_KEPT_ELSEWHERE

    def prepare(self) -> None:
        """Make sure that the compositor has what is needed.

        Raises:
            ScreenError: it has not, or it cannot be reached.
        """
        _require()

    def machine(self) -> Machine:
        return _WlrootsMachine(self)

    def screen(self) -> MachineScreen:
        self.prepare()
        from bot.desktop.wlroots.ports import WlrootsScreen

        return WlrootsScreen()

    def mouse(self) -> Mouse:
        self.prepare()
        from bot.desktop.wlroots.ports import WlrootsMouse

        return WlrootsMouse(_open_sway())

    def keyboard(self) -> Keyboard:
        self.prepare()
        from bot.desktop.wlroots.ports import WlrootsKeyboard

        return WlrootsKeyboard(_open_sway())

    def programs(self) -> Programs:
        self.prepare()
        sway = _open_sway()
        return UnknownPrograms() if sway is None else ListedPrograms(sway)

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        self.prepare()
        if not os.environ.get(SOCKET_VARIABLE):
            return UnheardKeys(keys, owner)
        from bot.desktop.wlroots.hotkeys import SwayHotKeys

        return SwayHotKeys(keys, owner)

    def _overlay_kinds(self) -> tuple[Callable[[Pixel], OutputWatch], Callable[[OutputWatch], Overlay]]:
        from bot.desktop.wayland.overlay import OutputWatch
        from bot.desktop.wlroots.overlay import NEEDED_TO_DRAW, LayerOverlay
        from bot.desktop.wlroots.ports import WlrootsScreen

        def watch(pixel: Pixel) -> OutputWatch:
            screen = WlrootsScreen()
            draw_over = partial(LayerOverlay, connection=screen.connection)
            return OutputWatch(screen, screen.outputs, pixel, draw_over, lambda: None)

        _require(*NEEDED_TO_DRAW)
        return watch, attrgetter("overlay")


def missing_interfaces(*more: type[Interface]) -> list[str]:
    """The names of the interfaces that this needs and the compositor lacks, of these besides.

    Raises:
        ScreenError: there is no compositor.
    """
    from bot.desktop.wlroots.wayland import NEEDED, Connection

    with closing(Connection()) as connection:
        return connection.lacks(*NEEDED, *more)


def _require(*more: type[Interface]) -> None:
    """Make sure that the compositor has what is needed, and these besides.

    Raises:
        ScreenError: it has not, or it cannot be reached.
    """
    missing = missing_interfaces(*more)
    if missing:
        raise ScreenError(
            f"the Wayland compositor lacks {', '.join(missing)}\n"
            "See the bot play on a virtual screen: minebot demo --headless."
        )


def _open_sway() -> Sway | None:
    """Who tells of windows; None where the compositor is not sway."""
    if not os.environ.get(SOCKET_VARIABLE):
        return None
    from bot.desktop.wlroots.wayland import Connection

    with closing(Connection()) as connection:
        return Sway(connection.outputs())


class _WlrootsMachine(Machine):
    """What the compositor says of itself."""

    tells_pointer = False
    shares_keys = False  # a key is bound once
    has_icons = False  # sway shows a window that is to be one

    def __init__(self, desktop: WlrootsDesktop) -> None:
        self._desktop = desktop

    def describe(self) -> str:
        self._desktop.prepare()
        name = "sway" if os.environ.get(SOCKET_VARIABLE) else "a compositor built on wlroots"
        return f"Wayland, {name}, display {os.environ['WAYLAND_DISPLAY']}"

    def describe_permissions(self) -> str:
        return "the compositor lets programs see its outputs, move the pointer and press keys"

    def check_mouse(self) -> None:
        """The mouse can be tried."""

    def scale_of(self, monitor: Region) -> float | None:
        """Pixels a logical unit of the compositor's."""
        from bot.desktop.wlroots.wayland import Connection

        with closing(Connection()) as connection:
            return next((one.scale for one in connection.outputs() if one.region == monitor), None)
