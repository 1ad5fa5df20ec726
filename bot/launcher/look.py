"""The colours of the window, light and dark, and the widgets that have them."""

from __future__ import annotations

import tkinter as tk
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import darkdetect

from bot.game import art

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as Tk writes them.

    Attributes:
        window: behind everything.
        frame: behind what is read or typed.
        text: letters.
        accent: buttons.
        active: the button under the pointer, and the ring around what has the keyboard.
    """

    window: str
    frame: str
    text: str
    accent: str
    active: str


DARK = Palette(art.WINDOW, art.FRAME, art.TEXT, art.ACCENT, "#6A739C")
LIGHT = Palette("#EEF0F6", "#FFFFFF", "#232738", "#CDD3E8", "#9AA5D0")


def usual_palette() -> Palette:
    """Light or dark, as the desktop asks."""
    return LIGHT if darkdetect.isLight() else DARK


class Widgets:
    """Makes widgets in the colours of a palette.

    Args:
        palette: the colours.
        scale: how much larger than usual the desktop draws.
    """

    def __init__(self, palette: Palette, scale: float) -> None:
        self.palette, self._scale = palette, scale
        ring = {"highlightthickness": self.px(2), "highlightcolor": palette.text, "highlightbackground": palette.window}
        self._button: dict[str, Any] = ring | {
            "background": palette.accent,
            "foreground": palette.text,
            "activebackground": palette.active,
            "activeforeground": palette.text,
            "relief": "flat",
            "borderwidth": 0,
            "padx": self.px(12),
            "pady": self.px(6),
        }
        self._field: dict[str, Any] = ring | {
            "background": palette.frame,
            "foreground": palette.text,
            "insertbackground": palette.text,
            "relief": "flat",
        }

    def px(self, length: float) -> int:
        """A length in pixels at 100 % on this desktop."""
        return round(length * self._scale)

    def frame(self, parent: tk.Misc) -> tk.Frame:
        """A part of the window, some space around it."""
        return tk.Frame(parent, background=self.palette.window, padx=self.px(10), pady=self.px(4))

    def label(self, parent: tk.Misc, text: str = "", width_px: int = 0) -> tk.Label:
        """A text, broken at a width at 100 %."""
        label = tk.Label(parent, text=text, background=self.palette.window, foreground=self.palette.text)
        label.configure(justify="left", anchor="nw", wraplength=self.px(width_px))
        return label

    def button(self, parent: tk.Misc, text: str, act: Callable[[], None]) -> tk.Button:
        """A button; Alt with the letter after `_` in its text presses it, or Return where it has the keyboard."""
        place = text.find("_")
        button = tk.Button(parent, text=text.replace("_", ""), command=act, underline=place, **self._button)
        button.bind("<Return>", lambda _event: button.invoke())
        if place >= 0:
            for letter in (text[place + 1].lower(), text[place + 1].upper()):  # with Caps Lock, too
                button.winfo_toplevel().bind(f"<Alt-{letter}>", lambda _event: button.invoke())
        return button

    def entry(self, parent: tk.Misc, value: tk.StringVar, width: int) -> tk.Entry:
        """A field for a few letters."""
        return tk.Entry(parent, textvariable=value, width=width, **self._field)

    def counter(self, parent: tk.Misc, value: tk.StringVar, width: int) -> tk.Spinbox:
        """A field for a number from 1 on."""
        counts: dict[str, Any] = {"from_": 1, "to": 999, "buttonbackground": self.palette.accent}
        return tk.Spinbox(parent, textvariable=value, width=width, **counts, **self._field)

    def check(self, parent: tk.Misc, text: str, value: tk.BooleanVar) -> tk.Checkbutton:
        """A box to tick; Tk's own does not grow with the letters."""
        boxes = [tk.PhotoImage(master=parent, width=self.px(13), height=self.px(13)) for _ in range(2)]
        for box, fill in zip(boxes, (self.palette.frame, self.palette.text), strict=True):
            box.put(self.palette.text, to=(0, 0, self.px(13), self.px(13)))
            box.put(self.palette.frame, to=(self.px(1), self.px(1), self.px(12), self.px(12)))
            box.put(fill, to=(self.px(3), self.px(3), self.px(10), self.px(10)))
        grounds = dict.fromkeys(("background", "activebackground", "selectcolor"), self.palette.window)
        look = self._button | grounds | {"padx": 0, "pady": 0, "offrelief": "flat", "indicatoron": False}
        check = tk.Checkbutton(parent, text=f" {text}", variable=value, image=boxes[0], compound="left", **look)
        check.configure(selectimage=boxes[1])
        check.bind("<Destroy>", lambda _event: boxes.clear())  # Tk itself keeps no picture
        return check

    def choice(self, parent: tk.Misc, value: tk.StringVar, words: tuple[str, ...]) -> tk.OptionMenu:
        """A button that opens a list, of which one is chosen."""
        menu = tk.OptionMenu(parent, value, *words)
        menu.configure(**self._button | {"padx": self.px(6), "pady": self.px(2)}, takefocus=True)
        menu["menu"].configure(background=self.palette.frame, foreground=self.palette.text)
        return menu

    def page(self, parent: tk.Misc, n_chars: int, n_lines: int) -> tk.Text:
        """Some lines that are only read."""
        text = tk.Text(parent, width=n_chars, height=n_lines, wrap="word", state="disabled", font="TkFixedFont")
        text.configure(padx=self.px(8), pady=self.px(6), **self._field)
        return text
