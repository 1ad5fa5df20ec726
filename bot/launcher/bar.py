"""The bar that stands for the window while a command runs: beside the game's window, never over it."""

from __future__ import annotations

import tkinter as tk
from typing import TYPE_CHECKING

from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.launcher.look import Widgets
    from bot.models import Pixel

_MARGIN_PX = 8
_WIDTH_PX = 380


def place_beside(game: Region, monitors: Sequence[Region], size: tuple[int, int]) -> Region | None:
    """Where a window goes: at an edge of a monitor, off the game, as far from its middle as can be.

    Args:
        game: the window that it must not cover.
        monitors: where it may stand, the likeliest first.
        size: its (width, height), in pixels.

    Returns:
        Its place. Where no edge has room for it, it covers as little of the game as can be. None where it is larger
        than every monitor.
    """
    width, height = size
    kept_off = Region(
        game.left - _MARGIN_PX, game.top - _MARGIN_PX, game.width + 2 * _MARGIN_PX, game.height + 2 * _MARGIN_PX
    )

    def badness(choice: tuple[int, Region]) -> tuple[int, int, int]:
        number, place = choice
        return place.shared(kept_off).n_pixels, number, -_distance(place.middle, game.middle)

    choices = [
        (number, place)
        for number, monitor in enumerate(monitors)
        for left in (monitor.left, monitor.middle.x - width // 2, monitor.right - width)
        for top in (monitor.top, monitor.bottom - height)
        if (place := Region(left, top, width, height)).shared(monitor) == place
    ]
    return min(choices, key=badness)[1] if choices else None


def _distance(one: Pixel, other: Pixel) -> int:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2


class Bar:
    """A line of words and a button on top of all windows; it never takes the keyboard.

    Attributes:
        region: where it stands, None where it does not show.

    Args:
        root: the window that it belongs to.
        widgets: its colours.
        stop: what the button does.
    """

    def __init__(self, root: tk.Tk, widgets: Widgets, stop: Callable[[], None]) -> None:
        self._window = window = tk.Toplevel(root, background=widgets.palette.window, takefocus=False)
        window.withdraw()
        window.overrideredirect(True)  # no window manager gives it the keyboard
        window.attributes("-topmost", True)
        self._words = widgets.label(window, width_px=_WIDTH_PX - 110)
        self._words.pack(side="left", fill="both", expand=True, padx=widgets.px(8), pady=widgets.px(4))
        button = widgets.button(window, "Stop", stop)
        button.configure(takefocus=False)
        button.pack(side="right", padx=widgets.px(4), pady=widgets.px(4))
        self._width = widgets.px(_WIDTH_PX)
        self.region: Region | None = None

    def show(self, words: str) -> None:
        """Say how it goes."""
        if self._words.cget("text") != words:
            self._words.configure(text=words)
            self._window.update_idletasks()  # it may be higher now

    def stand_beside(self, game: Region, monitors: Sequence[Region]) -> bool:
        """Stand off the window of a game; whether there is room. Without room it does not show."""
        size = (self._width, self._window.winfo_reqheight())
        region = place_beside(game, monitors, size)
        if region is None or region.shared(game).n_pixels:
            self.hide()
            return False
        if region != self.region:
            self._window.geometry(f"{region.width}x{region.height}+{region.left}+{region.top}")
            self._window.deiconify()
            self.region = region
        return True

    def hide(self) -> None:
        """Do not show until it stands somewhere again."""
        self._window.withdraw()
        self.region = None

    def close(self) -> None:
        """Show no more."""
        self._window.destroy()
