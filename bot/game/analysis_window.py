"""The analysis board on the screen: a position to paint, with its risks, its best moves, and what if.

Drawn as the game is (`stage`), and changed by the mouse and keys of `input.Brush`. What is known of the position is the
model's (`analysis_board`). The panel stands right of the board where the screen has room for that, else below.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial
from pathlib import Path
from tkinter import filedialog
from typing import TYPE_CHECKING

import numpy as np

from bot.clipboard import read_clipboard, write_picture
from bot.errors import BoardNotFoundError, ScreenError, UsageError
from bot.game import art, dialogs
from bot.game.input import Brush
from bot.game.marks import picture_of
from bot.game.menu import LOOK
from bot.game.sizes import BoardSize, checked_size
from bot.game.stage import Footer, ReadText, Stage, open_root, run_window
from bot.images import save_bytes, save_png
from bot.models import Pixel
from bot.reporting.drawing import annotate_advice, draw_sheet, paint_position
from skins.errors import SkinError
from solver import SolverError, format_board
from solver.board import CLOSED, FLAG, KNOWN_MINE, MINE, OPEN_UNKNOWN, GameState
from solver.formats import FORMATS, LINK
from solver.words import counted, format_cells, name_cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.game.analysis_board import AnalysisBoard
    from bot.game.plan import WindowPlan
    from bot.models import Frame
    from bot.reporting.advice import Advice, Candidate
    from skins.skin import Skin
    from solver import Board
    from solver.topology import Cell

TITLE = "Minebot analysis"
_SIGNS = {
    **{str(number): number for number in range(9)},
    "h": CLOSED,
    "f": FLAG,
    "+": KNOWN_MINE,
    "?": OPEN_UNKNOWN,
}
"""What each key paints."""
_LINES_BESIDE, _LINES_BELOW = 11, 8  # lines of each text of the panel, beside the board and below it
_FOOTER_PX = 1400  # the longest text below the board, on one line: two cells that are assumed, and a remark
_GAP_PX = 8
_INVITATION = "Click a closed cell: what if it is opened?"
_REST = "Rest the pointer on a cell: its risk, and why."
_REST_MS = 15
"""How long the pointer rests on a cell before its proof is sought: a pointer that only crosses cells asks nothing."""
_KEYS = """Keys 0 to 8 make the cell under the pointer that number, h closes it, f flags it, + makes it a known mine, \
? an open cell without its number. With the pointer off the board a key chooses what the left button paints, as a \
click on the palette does; Escape puts that down. Drag to paint many cells.

Right button: flags. Middle button: closes cells. Arrows move a mark.

Left click on a closed cell, or W: what if? The chance of each number is shown; a digit or a click opens the cell as it.

U or Ctrl+Z takes a change back, Ctrl+Y does it again. M shows and hides the risks, R rulers. Ctrl with +, - and 0 \
zooms.

Ctrl+V pastes a board's text, a screenshot or a link, Ctrl+C copies the text, Ctrl+Shift+C a picture, Ctrl+L a link to \
JSMinesweeper; Ctrl+O opens and Ctrl+S saves a text or a picture. Ctrl+M changes size and mines, the wheel over the \
mine counter the mines; F2 or the face closes all cells.

Of a review: Page Down and Page Up go to the next click and back, Home and End to the first and the last.

A flag is a mark, never evidence. The yellow ring is the best move."""


def analyse_in_window(
    model: AnalysisBoard,
    read_given: Callable[[Frame | str], Board],
    read_file: Callable[[Path], Board],
    skin: Skin,
    position: Pixel | None = None,
    zoom: float | None = None,
) -> None:
    """Open the window and stay until it is closed.

    Args:
        model: the position.
        read_given: makes a board of a picture or a text that is pasted; raises UsageError, SolverError.
        read_file: makes a board of what is in a file; raises likewise.
        skin: what the cells look like.
        position: where the window's top left corner goes; None leaves it to the desktop.
        zoom: how many times as large as it is drawn; None for what fits.

    Raises:
        ScreenError: no window can be opened here.
        SkinError: the skin lacks a state that a position shows.
    """
    sprites = art.position_sprites(skin)
    root = open_root(TITLE, "analyse", position)
    AnalysisWindow(root, model, read_given, read_file, skin, zoom)
    root.iconphoto(True, picture_of(root, sprites[MINE]))
    root.focus_force()  # without a window manager nobody else gives it the keyboard
    run_window(root)


class _Panel(tk.Frame):
    """Palette, the ranked moves, and what is known of one cell.

    Args:
        parent: where it goes.
        pick: called with the code that is chosen to paint with, None for none.
        go: called with a cell whose line was clicked.
        open_as: called with the number that a cell is to be opened as.
    """

    def __init__(
        self,
        parent: tk.Misc,
        pick: Callable[[int | None], None],
        go: Callable[[Cell], None],
        open_as: Callable[[int], None],
    ) -> None:
        super().__init__(parent, background=art.WINDOW)
        self._go, self._open_as = go, open_as
        self._palette = tk.Frame(self, background=art.WINDOW)
        self._signs: dict[int | None, tk.Label] = {}
        for sign, code in (("ask", None), *_SIGNS.items()):
            label = tk.Label(self._palette, text=sign, font="TkSmallCaptionFont", padx=5, pady=2, cursor="hand2")
            label.configure(background=art.FRAME, foreground=art.TEXT)
            label.bind("<Button-1>", lambda _event, code=code: pick(code))  # type: ignore[misc]  # of a default mypy infers nothing
            label.pack(side="left", padx=1)
            self._signs[code] = label
        self._moves, self._cell = ReadText(self, _LINES_BESIDE), ReadText(self, _LINES_BESIDE)
        self._numbers = tk.Frame(self, background=art.WINDOW, height=1)
        self._ranked: tuple[Cell, ...] = ()
        self._offered: tuple[tuple[int, float | None], ...] | None = None
        self._moves.bind("<Button-1>", self._click_line)

    def arrange(self, *, is_beside: bool) -> None:
        """Stand beside the board, texts one above the other; or below it, texts side by side."""
        lines = _LINES_BESIDE if is_beside else _LINES_BELOW
        for text in (self._moves, self._cell):
            text.configure(height=lines)
        places = ((0, 0), (1, 0), (2, 0), (3, 0)) if is_beside else ((0, 0), (1, 0), (0, 1), (1, 1))
        parts = (self._palette, self._moves, self._numbers, self._cell)
        for part, (row, column) in zip(parts, places, strict=True):
            part.grid(row=row, column=column, sticky="nsew" if isinstance(part, tk.Text) else "w", padx=4, pady=3)
        self.update_idletasks()

    def show_brush(self, code: int | None) -> None:
        """Mark what is painted with."""
        for each, label in self._signs.items():
            label.configure(background=art.ACCENT if each == code else art.FRAME)

    def show_moves(self, head: str, candidates: tuple[Candidate, ...]) -> None:
        """List the best moves below a line of words."""
        self._ranked = tuple(candidate.cell for candidate in candidates)
        self._moves.show("\n".join([head, *map(_rank, range(1, len(candidates) + 1), candidates)]))

    def show_cell(self, text: str) -> None:
        """Show what is known of a cell."""
        self._cell.show(text)

    def offer(self, numbers: tuple[tuple[int, float | None], ...]) -> None:
        """Offer the numbers that a cell may be opened as, with the chance of each."""
        if numbers == self._offered:
            return
        self._offered = numbers
        for child in self._numbers.winfo_children():
            child.destroy()
        if not numbers:
            hint = tk.Label(self._numbers, text=_INVITATION, font="TkSmallCaptionFont", padx=4, pady=2)
            hint.configure(background=art.WINDOW, foreground=art.TEXT)
            hint.pack(side="left")
        for number, chance in numbers:
            told = str(number) if chance is None else f"{number}: {chance:.0%}"
            label = tk.Label(self._numbers, text=told, font="TkSmallCaptionFont", padx=4, pady=2, cursor="hand2")
            label.configure(background=art.ACCENT, foreground=art.TEXT)
            label.bind("<Button-1>", lambda _event, number=number: self._open_as(number))  # type: ignore[misc]  # the same
            label.pack(side="left", padx=1)

    def _click_line(self, event: tk.Event[tk.Text]) -> None:
        line = int(self._moves.index(f"@{event.x},{event.y}").split(".")[0])
        n_head = int(self._moves.index("end-1c").split(".")[0]) - len(self._ranked)
        if line > n_head:
            self._go(self._ranked[line - n_head - 1])


def _rank(place: int, one: Candidate) -> str:
    """A move in one line."""
    name = format_cells([one.cell])
    if one.p_mine == 0.0:
        return f"{place}. {name}  safe"
    told = f"{place}. {name}  risk {'about ' * one.is_estimate}{one.p_mine:.1%}"
    if one.p_win is not None:
        return f"{told}, wins {one.p_win:.1%}"
    return told if one.survival is None else f"{told}, survives two {one.survival:.1%}"


class AnalysisWindow:
    """What is in the window, and what happens there."""

    def __init__(
        self,
        root: tk.Tk,
        model: AnalysisBoard,
        read_given: Callable[[Frame | str], Board],
        read_file: Callable[[Path], Board],
        skin: Skin,
        zoom: float | None,
    ) -> None:
        self._root, self._model = root, model
        self._read_given, self._read_file = read_given, read_file
        self._remark = ""
        self._asked: Cell | None = None
        self._has_risks = True
        self._wait: str | None = None
        root.withdraw()  # until its size is known: the desktop places it by that
        root.title(TITLE)
        root.resizable(width=False, height=False)
        body = tk.Frame(root, background=art.WINDOW)
        body.pack(fill="both", expand=True)
        self._stage_frame = tk.Frame(body, background=art.WINDOW)
        self._stage = Stage(root, self._stage_frame, skin, zoom, art.position_sprites)
        self._panel = _Panel(body, self._pick, self._ask_from_list, self._open_as)
        self._footer = Footer(root, self._stage.scale, _FOOTER_PX)
        self._brush = Brush(root, self._stage.canvas, self)
        for wheel, by in (("Button-4", 1), ("Button-5", -1)):  # X11's
            self._stage.canvas.bind(f"<{wheel}>", lambda event, by=by: self._turn(event, by), add=True)  # type: ignore[misc]  # of a default mypy infers nothing
        self._stage.canvas.bind("<MouseWheel>", lambda event: self._turn(event, 1 if event.delta > 0 else -1), add=True)
        self._make_menu()
        self._lay_out()
        root.update_idletasks()
        root.deiconify()

    @property
    def plan(self) -> WindowPlan:
        """Where things stand now."""
        return self._stage.plan

    def paint(self, cell: Cell, code: int, *, is_joined: bool) -> None:
        """Make a cell another."""
        if self._model.paint(cell, code, is_joined=is_joined):
            self._changed()

    def mark(self, cell: Cell) -> int:
        """What a right click on a cell paints: a flag, or none where one is."""
        return CLOSED if self._model.board[cell] == FLAG else FLAG

    def ask(self, cell: Cell) -> None:
        """Ask what if this cell is opened."""
        self._asked = cell
        self._remark = ""
        self.show()

    def type_sign(self, sign: str, cell: Cell | None) -> None:
        """Paint, or open the cell that is asked about as a number, or choose what to paint with."""
        if self._asked is not None and sign.isdecimal() and sign.isascii():
            self._open_as(int(sign))
        elif sign in _SIGNS and cell is None:
            self._pick(_SIGNS[sign])
        elif sign in _SIGNS and cell is not None:
            self.paint(cell, _SIGNS[sign], is_joined=False)

    def look_at(self) -> None:
        """Show what is known of the cell that is pointed at: its risk at once, the proof when the pointer rests."""
        self._show_marks()
        cell = self._asked or self._brush.cell
        self._panel.show_cell(_REST if cell is None else self._model.describe(cell))
        if self._wait is not None:
            self._root.after_cancel(self._wait)
        self._wait = None if cell is None else self._root.after(_REST_MS, partial(self._show_reason, cell))

    def show(self) -> None:
        """Bring the screen up to date, at once."""
        model, known, stage = self._model, self._model.known, self._stage
        stage.cells.show(model.board.cells)
        stage.show_risks(self._risks())
        stage.header.show_face(GameState.LOST if known.analysis is None else GameState.FRESH)
        stage.header.show_counts(_mines_left(model.board), 0 if model.station is None else model.station + 1)
        advice = known.advice
        self._panel.show_moves(_sentence(known.problem) if advice is None else _headline(model), _ranked(advice))
        self._panel.show_brush(self._brush.code)
        self._panel.offer(self._numbers())
        self._footer.show(self._status())
        self.look_at()
        if self._brush.cursor is not None:
            stage.canvas.reveal(self.plan.grid.cell_region(self._brush.cursor))

    def _status(self) -> str:
        model, board = self._model, self._model.board
        count = "mines not known" if board.mines is None else counted(board.mines, "mine")
        parts = [f"{'x'.join(map(str, board.shape))}, {count}."]
        if model.station is not None:
            station = model.stations[model.station]
            parts.append(f"Click {model.station + 1} of {len(model.stations)}: {station.title}.")
        if model.assumed:
            trail = ", ".join(f"{name_cell(one.cell)} is {one.number}" for one in model.assumed)
            odds = "" if model.odds is None else f" (chance {model.odds:.2%})"
            parts.append(f"What if {trail}{odds}.")
        if model.known.analysis is None:
            parts.append(f"Contradiction: {model.known.problem}.")
        if self._remark:
            parts.append(f"{_sentence(self._remark)}.")
        return " ".join(parts)

    def _numbers(self) -> tuple[tuple[int, float | None], ...]:
        """The numbers that the cell which is asked about may show."""
        if self._asked is None:
            return ()
        try:
            chances = self._model.chances(self._asked)
        except UsageError as error:
            self._asked, self._remark = None, str(error)
            return ()
        if chances is None:
            n_near = len(self._model.board.topology.neighbours(self._asked))
            return tuple((number, None) for number in range(min(n_near, 8) + 1))
        likely = sorted(np.flatnonzero(chances).tolist(), key=lambda number: -chances[number])[:9]
        return tuple((number, float(chances[number])) for number in sorted(likely))

    def _show_reason(self, cell: Cell) -> None:
        self._wait = None
        reason = self._model.reason(cell)
        lines = [self._model.describe(cell, is_exact=True), *map(_sentence, reason.text.splitlines())]
        if cell == self._asked:
            lines.append("What if: press a digit, or click a number above. Escape ends.")
        self._panel.show_cell("\n".join(lines))
        self._show_marks(reason.clues)

    def _show_marks(self, clues: tuple[Cell, ...] = ()) -> None:
        model = self._model
        advice, clue = model.known.advice, model.known.clue
        is_at_station = model.station is not None and model.board is model.stations[model.station].board
        asked = self._asked or (model.stations[model.station or 0].cell if is_at_station else None)
        best = None if advice is None or advice.move is None else advice.move.cell
        within = tuple(
            cell for cell in ((*clues, clue) if clue is not None else clues) if model.board.topology.has_cell(cell)
        )
        self._stage.show_rings(self._brush.cursor, asked, best=best, clues=within)

    def _risks(self) -> NDArray[np.float64] | None:
        analysis = self._model.known.analysis
        if analysis is None or not self._has_risks:
            return None
        return np.where(self._model.board.cells == CLOSED, analysis.p_mine, np.nan)

    def _pick(self, code: int | None) -> None:
        self._brush.code = code
        self._asked = None
        self.show()

    def _ask_from_list(self, cell: Cell) -> None:
        self._stage.canvas.reveal(self.plan.grid.cell_region(cell))
        self.ask(cell)

    def _ask_here(self) -> None:
        if self._brush.cell is not None:
            self.ask(self._brush.cell)

    def _open_as(self, number: int) -> None:
        if self._asked is not None:
            asked = self._asked
            self._try(lambda: self._model.open_as(asked, number))

    def _escape(self) -> None:
        self._asked = None
        self._pick(None)

    def _changed(self) -> None:
        """The position is another one."""
        self._asked, self._remark = None, ""
        if self._model.board.shape == self._stage.size.shape:
            self.show()
        else:
            self._lay_out()

    def _try(self, change: Callable[[], object]) -> None:
        """Do what may be impossible; then say so, and all stays as it was."""
        try:
            change()
        except (UsageError, BoardNotFoundError, ScreenError, SolverError, SkinError) as error:
            self._remark = str(error).splitlines()[0]
            self.show()
        else:
            self._changed()

    def _ask_size(self) -> None:
        board = self._model.board

        def start(size: BoardSize) -> None:
            self._model.resize(size)
            self._changed()

        dialogs.CustomDialog(self._root, BoardSize(board.shape, board.mines or 0), start, "Size and mines", "Set")

    def _paste(self) -> None:
        def paste() -> None:
            given = self._root.clipboard_get() if self._owns_clipboard() else read_clipboard()
            board = self._read_given(given)
            checked_size(board.shape, 0)
            self._model.replace_board(board)

        self._try(paste)

    def _owns_clipboard(self) -> bool:
        """Whether what is on the clipboard was copied here: another program asked for it would wait for this window."""
        return bool(self._root.tk.call("selection", "own", "-selection", "CLIPBOARD"))

    def _copy_text(self) -> None:
        self._copy(format_board(self._model.board))
        self._say("copied as text")

    def _copy(self, text: str) -> None:
        self._root.clipboard_clear()
        self._root.clipboard_append(text)

    def _copy_link(self) -> None:
        self._try(lambda: self._copy(FORMATS[LINK].format(self._model.board).strip()))
        self._say(self._remark or "copied as a link to JSMinesweeper")

    def _copy_picture(self) -> None:
        def copy() -> None:
            write_picture(self._picture())

        self._try(copy)
        self._say(self._remark or "copied as a picture")

    def _open(self) -> None:
        kinds = [("Boards and pictures", "*.txt *.png *.jpg *.jpeg *.bmp"), ("All files", "*")]
        name = filedialog.askopenfilename(parent=self._root, title="Open", filetypes=kinds)
        if name:

            def read() -> None:
                board = self._read_file(Path(name))
                checked_size(board.shape, 0)
                self._model.replace_board(board)

            self._try(read)

    def _save(self) -> None:
        kinds = [("Boards as text", "*.txt"), ("PNG pictures", "*.png")]
        name = filedialog.asksaveasfilename(
            parent=self._root, title="Save: .txt or .png", defaultextension=".txt", filetypes=kinds
        )
        if name:
            self._try(lambda: self._write(Path(name)))
            self._say(self._remark or f"saved as {name}")

    def _write(self, path: Path) -> None:
        try:
            if path.suffix.lower() == ".png":
                save_png(path, self._picture())
            else:
                save_bytes(path, (format_board(self._model.board) + "\n").encode())
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from error

    def _picture(self) -> NDArray[np.uint8]:
        """The position with its risks and its best move, as `minebot advise --picture` draws it."""
        board, known = self._model.board, self._model.known
        headline = known.problem if known.advice is None else known.advice.headline
        place = paint_position(board, self._stage.skin)
        return draw_sheet([annotate_advice(*place, board, known.advice, [headline])])

    def _say(self, remark: str) -> None:
        self._remark = remark
        self._footer.show(self._status())

    def _step(self, by: int) -> None:
        if self._model.station is not None:
            self._model.go_to(self._model.station + by)
            self._changed()
            clicked = self._model.stations[self._model.station].cell
            self._stage.canvas.reveal(self.plan.grid.cell_region(clicked))

    def _turn(self, event: tk.Event[tk.Canvas], by: int) -> None:
        """The wheel over the mine counter: a mine more or less."""
        place = Pixel(int(event.widget.canvasx(event.x)), int(event.widget.canvasy(event.y)))
        if self.plan.mine_counter.has_pixel(place):
            self._try(lambda: self._model.add_mines(by))

    def _toggle_risks(self) -> None:
        self._has_risks = not self._has_risks
        self.show()

    def _toggle_rulers(self) -> None:
        self._stage.has_rulers = not self._stage.has_rulers
        self._lay_out()

    def _set_zoom(self, zoom: float | None) -> None:
        self._stage.asked_zoom = zoom
        self._lay_out()

    def clear(self) -> None:
        """Close every cell."""
        self._model.clear()
        self._changed()

    def set_board(self, board: Board) -> None:
        """Go on from another position."""
        self._model.replace_board(board)
        self._changed()

    def undo(self) -> None:
        """Take the last change back."""
        if self._model.undo():
            self._changed()

    def _redo(self) -> None:
        if self._model.redo():
            self._changed()

    def _lay_out(self) -> None:
        """Build all anew for the position's size, the zoom, and what room there is."""
        board, stage = self._model.board, self._stage
        size, most = BoardSize(board.shape, board.mines or 0), board.topology.most_neighbours
        self._panel.arrange(is_beside=True)
        beside = self._panel.winfo_reqwidth() + _GAP_PX, 0
        room = stage.lay_out(size, most, beside)
        is_beside = self.plan.width <= room[0]
        if not is_beside:
            self._panel.arrange(is_beside=False)
            room = stage.lay_out(size, most, (0, self._panel.winfo_reqheight() + _GAP_PX))
        for part in (self._stage_frame, self._panel):
            part.grid_forget()
        self._stage_frame.grid(row=0, column=0, sticky="n")
        self._panel.grid(row=0 if is_beside else 1, column=int(is_beside), sticky="n", padx=(0, _GAP_PX), pady=_GAP_PX)
        width = min(self.plan.width, room[0])
        self._footer.fit(width + beside[0] if is_beside else max(width, self._panel.winfo_reqwidth()))
        self._brush.forget()
        self.show()

    def _make_menu(self) -> None:
        root, bar = self._root, tk.Menu(self._root, **LOOK)
        steps = (
            ("Next click", "Next", 1),
            ("Click before", "Prior", -1),
            ("First click", "Home", -(10**9)),
            ("Last click", "End", 10**9),
        )
        entries: dict[str, tuple[tuple[str, tuple[str, ...], Callable[[], object]], ...]] = {
            "Board": (
                ("Close all cells", ("F2",), self.clear),
                ("Size and mines...", ("Control-m",), self._ask_size),
                ("Open...", ("Control-o",), self._open),
                ("Paste", ("Control-v",), self._paste),
                ("Copy as text", ("Control-c",), self._copy_text),
                ("Copy as picture", ("Control-Shift-C",), self._copy_picture),
                ("Copy as link", ("Control-l",), self._copy_link),
                ("Save...", ("Control-s",), self._save),
                ("Quit", ("Control-q",), root.destroy),
            ),
            "Edit": (
                ("Undo", ("u", "Control-z"), self.undo),
                ("Redo", ("Control-y", "Control-Shift-Z"), self._redo),
                ("What if", ("w",), self._ask_here),
                ("Put the brush down", ("Escape",), self._escape),
            ),
            "Review": tuple((label, (key,), partial(self._step, by)) for label, key, by in steps),
            "View": (
                ("Risk map", ("m",), self._toggle_risks),
                ("Rulers", ("r",), self._toggle_rulers),
                (
                    "Larger",
                    ("Control-plus", "Control-equal", "Control-KP_Add"),
                    lambda: self._set_zoom(self._stage.zoom_by(1)),
                ),
                ("Smaller", ("Control-minus", "Control-KP_Subtract"), lambda: self._set_zoom(self._stage.zoom_by(-1))),
                ("Fit the screen", ("Control-Key-0",), lambda: self._set_zoom(None)),
            ),
            "Help": (("Keys", ("F1",), lambda: dialogs.show_analysis_keys(root, _KEYS)),),
        }
        for title, commands in entries.items():
            menu = tk.Menu(bar, **LOOK)
            for label, keys, command in commands:
                shown = keys[0].replace("Control-Key-", "Ctrl+").replace("Control-", "Ctrl+").replace("-", "+")
                menu.add_command(label=label, accelerator=shown.upper() if len(shown) == 1 else shown, command=command)
                for key in keys:
                    root.bind(f"<{key}>", lambda _event, command=command: command())  # type: ignore[misc]  # of a default mypy infers nothing
            if title != "Review" or self._model.stations:
                bar.add_cascade(label=title, underline=0, menu=menu)
        root.unbind_all("<F10>")  # the bot's key: Tk on X11 would open the menu, over the board
        root.configure(menu=bar, background=art.WINDOW)


def _mines_left(board: Board) -> int:
    """Mines less flags and known mines, as a game's counter shows them; 0 where the count is not known."""
    marked = int(np.isin(board.cells, (FLAG, KNOWN_MINE, MINE)).sum())
    return 0 if board.mines is None else board.mines - marked


def _headline(model: AnalysisBoard) -> str:
    analysis, advice = model.known.analysis, model.known.advice
    assert analysis is not None, "a position with advice was analysed"
    assert advice is not None, "the caller looked"
    if advice.move is None:
        return advice.why.splitlines()[0]
    n_safe, n_mines = len(analysis.safe), len(analysis.mines)
    return f"{n_safe} safe, {counted(n_mines, 'mine')} proven. Best {'moves' if n_safe else 'guesses'}:"


def _sentence(text: str) -> str:
    """A text with a large letter at its beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def _ranked(advice: Advice | None) -> tuple[Candidate, ...]:
    return () if advice is None else advice.candidates
