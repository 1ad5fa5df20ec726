"""A board on the screen: its window, header, cells, rulers and marks, laid out for a size, a skin and a zoom.

What the three windows with a board have in common. Knows neither games nor what is known of a position.

The board is one canvas image a cell, of which only those that changed are exchanged. Measured on 16 x 30 cells: opening
the whole board takes 7 ms to the screen, one cell 0.3 ms. Copying sprites into one large Tk picture took 41 ms for the
whole board.
"""

from __future__ import annotations

import tkinter as tk
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bot.desktop import this_platform
from bot.errors import ScreenError
from bot.game import art
from bot.game.art import FRAME, digit_sprites, face_sprites
from bot.game.marks import MarkLayer, Rulers, ScrolledCanvas, picture_of, risk_marks
from bot.game.plan import ZOOMS, fit_zoom, plan_window
from bot.reporting.drawing.marks import ASKED, BEST, CLUE, NEAR
from solver.board import CLOSED, GameState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from numpy.typing import NDArray

    from bot.game.plan import WindowPlan
    from bot.game.sizes import BoardSize
    from bot.models import Grid, Pixel, Region
    from skins.skin import Skin
    from solver.topology import Cell


def _stamp(target: tk.PhotoImage, piece: tk.PhotoImage, x: int, y: int) -> None:
    """Copy a whole small picture into a large one at (x, y); Python's own `copy` cannot say where to."""
    target.tk.call(str(target), "copy", str(piece), "-to", x, y)


_NOTHING_DRAWN = -999
_PRESSED = 0  # a held cell looks like an open 0


class BoardCanvas:
    """Draws one board on a canvas.

    Args:
        canvas: where to draw.
        grid: at which place, and which cells.
        sprites: the picture of every code, BGR, of a cell's size.
    """

    def __init__(self, canvas: tk.Canvas, grid: Grid, sprites: Mapping[int, NDArray[np.uint8]]) -> None:
        self._canvas = canvas
        self._sprites = {code: picture_of(canvas, pixels) for code, pixels in sprites.items()}
        self._drawn = np.full(grid.shape, _NOTHING_DRAWN, dtype=np.int16)
        self._items = np.zeros(grid.shape, dtype=np.int64)
        for cell in np.ndindex(grid.shape):
            place = grid.cell_region(cell)
            self._items[cell] = canvas.create_image(place.left, place.top, anchor="nw")

    def show(self, codes: NDArray[np.int16], pressed: Iterable[Cell] = ()) -> None:
        """Draw these codes, some closed cells pushed in; cost grows with the number of changed cells only."""
        wanted = codes.copy()
        for cell in pressed:
            wanted[cell] = _PRESSED
        for cell in map(tuple, np.argwhere(wanted != self._drawn).tolist()):
            self._canvas.itemconfigure(int(self._items[cell]), image=self._sprites[int(wanted[cell])])
        self._drawn = wanted


_PLACES = 3
_HEADER_PADDING_PX = 4
_MOODS = {
    GameState.FRESH: "happy",
    GameState.PLAYING: "happy",
    GameState.WON: "cool",
    GameState.LOST: "dead",
}


class _Counter:
    """Three places of digits."""

    def __init__(self, canvas: tk.Canvas, region: Region, zoom: float) -> None:
        self._padding_px = round(_HEADER_PADDING_PX * zoom)
        self._digits = {char: picture_of(canvas, pixels) for char, pixels in digit_sprites(zoom).items()}
        self._picture = tk.PhotoImage(master=canvas, width=region.width, height=region.height)
        self._picture.put(FRAME, to=(0, 0, region.width, region.height))
        self._text = ""
        canvas.create_image(region.left, region.top, image=self._picture, anchor="nw")

    def show(self, value: int) -> None:
        """Show a number, held between -99 and 999."""
        text = f"{max(-99, min(999, value)):0{_PLACES}d}"
        if text != self._text:
            for place, char in enumerate(text):
                digit = self._digits[char]
                _stamp(self._picture, digit, self._padding_px + place * digit.width(), self._padding_px)
            self._text = text


class Header:
    """Mine counter, face and timer.

    Args:
        canvas: where to draw.
        plan: at which places.
        zoom: how many times as large as it was drawn.
    """

    def __init__(self, canvas: tk.Canvas, plan: WindowPlan, zoom: float) -> None:
        self._canvas = canvas
        self._mine_counter = _Counter(canvas, plan.mine_counter, zoom)
        self._timer = _Counter(canvas, plan.timer, zoom)
        self._faces = {mood: picture_of(canvas, pixels) for mood, pixels in face_sprites(zoom).items()}
        self._face = canvas.create_image(plan.face.left, plan.face.top, anchor="nw")

    def show_counts(self, mines_left: int, elapsed_s: float) -> None:
        """Show what is left, and whole seconds."""
        self._mine_counter.show(mines_left)
        self._timer.show(int(elapsed_s))

    def show_face(self, state: GameState, *, is_worried: bool = False, is_pressed: bool = False) -> None:
        """Show the mood: of the game's state, unless the face or the board is being pressed."""
        mood = "worried" if is_worried else _MOODS[state]
        self._canvas.itemconfigure(self._face, image=self._faces["happy_pressed" if is_pressed else mood])


_LONGEST_PX = 1000  # the longest text, on one line
_MOST_LINES = 5
_PADDING_PX = 12


class Footer:
    """Some lines of text below the board.

    Args:
        root: the window.
        scale: how much larger than usual the desktop draws.
        longest_px: the longest text, on one line, at 100 %.
    """

    def __init__(self, root: tk.Tk, scale: float = 1.0, longest_px: int = _LONGEST_PX) -> None:
        self._longest_px = round(longest_px * scale)
        self._label = tk.Label(root, background=art.WINDOW, foreground=art.TEXT, anchor="nw", justify="left")
        self._label.configure(font="TkSmallCaptionFont", borderwidth=0, padx=_PADDING_PX, pady=0)
        self._label.pack(fill="x", pady=(0, 6))

    def fit(self, width_px: int) -> None:
        """Make room below a board of this width."""
        inner_px = width_px - 2 * _PADDING_PX
        self._label.configure(wraplength=inner_px, height=min(_MOST_LINES, -(-self._longest_px // inner_px)))

    def show(self, text: str) -> None:
        """Show this text."""
        if self._label.cget("text") != text:
            self._label.configure(text=text)


_CHARS = 40  # letters of a line


class ReadText(tk.Text):
    """Some lines that are only read.

    Args:
        parent: what it goes into.
        n_lines: how many lines it shows.
    """

    def __init__(self, parent: tk.Misc, n_lines: int) -> None:
        super().__init__(parent, width=_CHARS, height=n_lines, wrap="word", state="disabled", takefocus=False)
        self.configure(background=art.FRAME, foreground=art.TEXT, font="TkSmallCaptionFont", relief="flat")
        self.configure(highlightthickness=0, padx=8, pady=6, cursor="arrow", spacing3=1)
        self._shown = ""

    def show(self, text: str) -> None:
        """Show these lines and no others."""
        if text != self._shown:
            self._shown = text
            self.configure(state="normal")
            self.replace("1.0", "end", text)
            self.configure(state="disabled")


def open_root(name: str, command: str, position: Pixel | None = None) -> tk.Tk:
    """Open an empty window.

    Args:
        name: what the desktop calls it.
        command: what opens it, for the message where none can be opened.
        position: where its top left corner goes; None leaves it to the desktop.

    Raises:
        ScreenError: no window can be opened here.
    """
    this_platform().prepare_own_window()
    try:
        root = tk.Tk(className=name)
    except tk.TclError as error:
        if "display" not in str(error):
            told = str(error).strip().partition("\n")[0]
            raise ScreenError(
                f"cannot open a window: {told.rstrip(': ')}\nPython's tkinter is not whole: python -m tkinter tries it"
            ) from error
        raise ScreenError(
            f"cannot open a window ({error}): run this on a desktop, set DISPLAY, or start a virtual screen with "
            f"'xvfb-run -a minebot {command}'"
        ) from error
    if position is not None:
        root.geometry(f"+{position.x}+{position.y}")
    return root


_TICK_MS = 100  # how often Ctrl-C in the terminal is noticed


def run_window(root: tk.Tk) -> None:
    """Let a window work until it is closed.

    The first error in it closes it and is raised: Tk would print it and go on.
    """

    def tick() -> None:
        root.after(_TICK_MS, tick)

    failures: list[BaseException] = []

    def fail(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        failures.append(error)
        root.destroy()

    root.report_callback_exception = fail
    tick()
    root.mainloop()
    if failures:
        raise failures[0]


def desktop_scale(root: tk.Tk) -> float:
    """How much larger than usual the desktop draws, 1.0 at 100 %: Tk's letters follow it, pictures do not."""
    if root.tk.call("tk", "windowingsystem") == "aqua":  # it counts points, not pixels
        return 1.0
    machine = this_platform().machine()
    scales = [scale for monitor in machine.monitors() if (scale := machine.scale_of(monitor)) is not None]
    return max([1.0, *scales[:1]])


_AROUND_PX = (16, 130)
"""Beside the canvas the borders; above and below it title, menu, text and a desktop's bar; at 100 %."""


class SpritesOf(Protocol):
    """Makes the picture of every code of a skin, at a zoom, with numbers up to `most`."""

    def __call__(self, skin: Skin, zoom: float = 1.0, most: int = 8) -> dict[int, NDArray[np.uint8]]:
        """Make them: uint8, H x W x 3, BGR."""


class Stage:
    """A board on a canvas: header, cells, risks and marks.

    Attributes:
        canvas: what all of it is drawn on.
        skin: what the cells look like.
        asked_zoom: how many times as large as it is drawn; None for what fits.
        zoom: what came of that.
        scale: how much larger than usual the desktop draws.
        has_rulers: whether rows and columns are numbered.
        plan: where things stand now.
        size: what is laid out.
        cells: the cells.
        header: counters and face above them.

    Args:
        root: the window.
        parent: what the canvas is packed in.
        skin: what the cells look like at first.
        zoom: the zoom that is asked for.
        sprites_of: the pictures of all codes that are shown: `art.cell_sprites`, or more.
    """

    plan: WindowPlan
    size: BoardSize
    cells: BoardCanvas
    _risks: MarkLayer
    _rings: MarkLayer
    header: Header

    def __init__(
        self, root: tk.Tk, parent: tk.Misc, skin: Skin, zoom: float | None, sprites_of: SpritesOf = art.cell_sprites
    ) -> None:
        self._root = root
        self._sprites_of = sprites_of
        self.canvas = ScrolledCanvas(parent)
        self.skin = skin
        self.asked_zoom = zoom
        self.zoom = 1.0
        self.scale = desktop_scale(root)
        self.has_rulers = False

    def lay_out(self, size: BoardSize, most: int, besides_px: tuple[int, int] = (0, 0)) -> tuple[int, int]:
        """Build everything anew for boards of a size.

        Args:
            size: of the board.
            most: the highest number.
            besides_px: (width, height) that the window needs for other things.

        Returns:
            The (width, height) that the canvas may have: the screen's, less what is around it.
        """
        room = self._room(besides_px)
        self.size = size
        self.zoom = self.asked_zoom or fit_zoom(self.skin, size, room, self.scale, has_rulers=self.has_rulers)
        self.plan = plan = plan_window(self.skin, size, self.zoom, has_rulers=self.has_rulers)
        canvas, grid = self.canvas, plan.grid
        canvas.delete("all")
        canvas.fit((plan.width, plan.height), room)
        board, edge = grid.region, round(2 * self.zoom)
        right, bottom = board.right + edge, board.bottom + edge
        canvas.create_rectangle(board.left - edge, board.top - edge, right, bottom, fill=art.FRAME, width=0)
        sprites = self._sprites_of(self.skin, self.zoom, most)
        self.cells = BoardCanvas(canvas, grid, sprites)
        self._risks, self._rings = MarkLayer(canvas, grid, sprites[CLOSED]), MarkLayer(canvas, grid)
        if self.has_rulers:
            Rulers(canvas, plan, self.zoom)
        self.header = Header(canvas, plan, self.zoom)
        return room

    def show_risks(self, p_mine: NDArray[np.float64] | None) -> None:
        """Mark closed cells with their risks: an array of the board's shape, NaN where none is shown; None: none."""
        self._risks.show({} if p_mine is None else risk_marks(p_mine))
        if p_mine is not None:
            self._rings.raise_all()

    def show_rings(
        self,
        *asked: Cell | None,
        best: Cell | None = None,
        near: Iterable[Cell] = (),
        clues: Iterable[Cell] = (),
    ) -> None:
        """Ring these cells and no others; a cell gets one ring.

        Args:
            asked: cells that the keys are at, or that "why?" is about; None for none.
            best: what is best, or would have been.
            near: cells beside the one that is looked at: a thin line.
            clues: the numbers that an answer rests on.
        """
        rings = dict.fromkeys(near, NEAR) | dict.fromkeys(clues, CLUE)
        rings |= {cell: ring for cell, ring in ((best, BEST), *((cell, ASKED) for cell in asked)) if cell is not None}
        self._rings.show(rings)

    def zoom_by(self, step: int) -> float:
        """The zoom one step larger or smaller than now."""
        place = min(range(len(ZOOMS)), key=lambda n: abs(ZOOMS[n] - self.zoom)) + step
        return ZOOMS[min(max(place, 0), len(ZOOMS) - 1)]

    def _room(self, besides_px: tuple[int, int]) -> tuple[int, int]:
        beside, above = (
            round(around * self.scale) + besides for around, besides in zip(_AROUND_PX, besides_px, strict=True)
        )
        return self._root.winfo_screenwidth() - beside, self._root.winfo_screenheight() - above
