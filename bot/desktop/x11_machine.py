"""What X11 says about itself: extensions, scaling. Asks, and changes nothing."""

from __future__ import annotations

import os
from typing import Any

from bot.desktop.session import check_session
from bot.errors import ScreenError
from bot.models import Region

_SCALE_VARIABLES = ("GDK_SCALE", "GDK_DPI_SCALE", "QT_SCALE_FACTOR")
_DISPLAY_ADVICE = "start it, or set DISPLAY to the one that runs, and XAUTHORITY to the file that lets you in"


class X11Machine:
    """A machine with an X server."""

    shows_colours = False
    """An empty screen is one colour, and well."""

    def describe(self) -> str:
        """What it is.

        Raises:
            ScreenError: there is no display, or none that can be reached.
        """
        check_session()
        display = os.environ["DISPLAY"]
        try:
            missing_x11_extensions()
        except Exception as error:  # Xlib raises whatever the display's fault is
            raise ScreenError(
                f"X11, but the display {display} cannot be reached: {error}\n{_DISPLAY_ADVICE}"
            ) from error
        return f"X11, display {display}"

    def describe_permissions(self) -> str:
        """What lets programs click and listen here.

        Raises:
            ScreenError: something that does is missing.
        """
        missing = missing_x11_extensions()
        if missing:
            raise ScreenError(
                f"the X server lacks {' and '.join(missing)}\n"
                "start it with these extensions: XTEST carries clicks, RECORD carries hot keys"
            )
        return "the X server has XTEST and RECORD"

    def check_mouse(self) -> None:
        """Make sure that the mouse can be tried.

        Raises:
            ScreenError: it cannot.
        """
        if "XTEST" in missing_x11_extensions():
            raise ScreenError("not tried: the X server lacks XTEST\nsee to the permissions first")

    def monitors(self) -> list[Region]:
        """Those that the extension XINERAMA names, which speaks for RANDR too where the server has that.

        The capture library asks RANDR alone: where several monitors make one screen by Xinerama it sees one, or none.
        """
        display = _display()
        try:
            if not display.has_extension("XINERAMA"):
                return []
            screens = display.xinerama_query_screens().screens
        finally:
            display.close()
        return [Region(one.x, one.y, one.width, one.height) for one in screens]

    def scale_of(self, monitor: Region) -> float | None:  # noqa: ARG002 - a question for all systems
        """None: the server knows of none."""
        return None

    def scale_settings(self) -> list[str]:
        """What makes programs draw larger, as `name=value`: the resource Xft.dpi and some environment variables."""
        from Xlib import X, Xatom  # noqa: PLC0415 - pynput brings it where the display is X11, and only there

        display = _display()
        try:
            resources = display.screen().root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType)
        finally:
            display.close()
        text = "" if resources is None else _as_text(resources.value)
        lines = [line.partition(":") for line in text.splitlines()]
        found = [f"{name.strip()}={value.strip()}" for name, _, value in lines if name.strip() == "Xft.dpi"]
        return found + [f"{name}={os.environ[name]}" for name in _SCALE_VARIABLES if os.environ.get(name)]


def missing_x11_extensions() -> list[str]:
    """Which of the extensions that the mouse (XTEST) and the hot keys (RECORD) need the X server lacks.

    Raises:
        Xlib.error.DisplayError: there is no such server.
    """
    display = _display()
    try:
        return [name for name in ("XTEST", "RECORD") if not display.has_extension(name)]
    finally:
        display.close()


def _display() -> Any:
    from Xlib.display import Display  # noqa: PLC0415 - pynput brings it where the display is X11, and only there

    return Display()


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
