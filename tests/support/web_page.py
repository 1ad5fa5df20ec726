"""The test page (`tests/web/minesweeper.html`) in a real Chromium: its settings, its game, and where everything is.

The game is here, not in the page: every click comes by HTTP, and what the board then shows goes back. So its truth is
at hand, and so is a witness that shares no code with the solver: SAT over the mines says whether a cell that was opened
could have been proven safe. A guess made while a safe cell exists opens a mine, wherever the mines lay before.
"""

from __future__ import annotations

import json
import math
import random
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from chromium import PROGRAM, QUIET
from desktop_game import desk, started
from fonts import WEB
from patience import PATIENCE_S
from pysat.card import CardEnc, EncType
from pysat.solvers import Cadical153

from bot.models import Pixel, Region
from solver import board as codes

PAGE = Path(__file__).resolve().parent.parent / "web" / "minesweeper.html"
TITLE = "Minesweeper"
SIGNS = {codes.CLOSED: "#", codes.FLAG: "F", codes.MINE: "*", codes.EXPLODED: "X", codes.WRONG_FLAG: "x"}

_MOST_PX = (760, 560)
"""Width and height of the largest board, in pixels of the screen: all of the page fits in its window."""


@dataclass(frozen=True)
class Setting:
    """How the page looks and behaves; its query, but for `scale` and `is_cruel`.

    Attributes:
        rows: of the board, with `cols` and `mines`.
        seed: of the games.
        cell: the side of a cell in CSS pixels.
        scale: device pixels of a CSS pixel.
        look: how cells are parted: "lines", "halves" (right and below), "bevel", "tiles" (with gaps), "flat" (not).
        closed: colour of closed cells, `closed2` that of every second one; likewise `open`, `open2`.
        line: colour of the lines.
        ground: of closed cells: "plain", "gradient"; or "picture": all cells are translucent, over a picture.
        lean: of the gradient.
        grain: levels by which odd pixels of the board differ.
        hover: of the cell under the pointer: "none", "lighter", "outline", "shadow".
        fade: milliseconds in which a cell fades in.
        font: of the digits, with `weight`, `inks` ("classic", "pastel", "one") and `ink`.
        emoji: whether flags and mines are emoji.
        page: around the board: "plain", "dots", "stripes", "picture", "dark".
        frame: whether the board has a frame.
        hairline: a line beside the board, a cell away: "none", "left", "right", "top", "bottom".
        tooltip: whether cells say at the pointer what they are.
        end: of a game: "none", "dim", "pale", "overlay", "dialog".
        new: where the button for another game is: "above", "beside", "below", "overlay"; "toolbar": above, as a word
            that shows to be a button where the pointer rests on it; or none: "reload".
        win: what a won board shows of its mines: "flags" or "closed".
        keep: whether the page keeps its game when it is loaded anew.
        is_cruel: whether a guess made while a safe cell exists opens a mine.
    """

    rows: int = 9
    cols: int = 9
    mines: int = 10
    seed: int = 1
    cell: int = 28
    scale: float = 1.0
    look: str = "lines"
    closed: str = "#bdbdbd"
    closed2: str = "#bdbdbd"
    open: str = "#e6e6e6"
    open2: str = "#e6e6e6"
    line: str = "#8d8d8d"
    ground: str = "plain"
    lean: str = "160deg"
    grain: int = 0
    hover: str = "none"
    fade: int = 0
    font: str = "DejaVu Sans"
    weight: str = "bold"
    inks: str = "classic"
    ink: str = "#333333"
    emoji: int = 0
    page: str = "plain"
    frame: int = 0
    hairline: str = "none"
    tooltip: int = 0
    end: str = "none"
    new: str = "above"
    win: str = "flags"
    keep: int = 0
    is_cruel: bool = True

    @property
    def query(self):
        """The page's query."""
        return urlencode({name: value for name, value in asdict(self).items() if name not in {"scale", "is_cruel"}})

    @property
    def gap_px(self):
        """Pixels of the screen between two cells."""
        return 2 * self.scale if self.look == "tiles" else 0

    def in_order(self):
        """The same with what its parts need of each other: a board can be told from what it is on, and fits."""
        found = self
        if found.ground == "picture" and found.look == "flat":  # no shade is to be seen through the picture
            found = replace(found, look="tiles")
        if found.new == "overlay":
            found = replace(found, end="overlay")
        side = max(found.cols / _MOST_PX[0], found.rows / _MOST_PX[1])
        return replace(found, cell=min(found.cell, int(1 / side / found.scale)))


_PALETTES = (
    ("#c0c0c0", "#b6b6b6", "#dedede", "#d4d4d4", "#8d8d8d"),
    ("#aad751", "#a2d149", "#e5c29f", "#d7b899", "#87af3a"),
    ("#4a90d9", "#4484cc", "#e8f0f8", "#dce6f2", "#2f6cb0"),
    ("#78909c", "#6d8591", "#eceff1", "#e0e5e8", "#4f636d"),
    ("#9575cd", "#8a69c6", "#f3eefa", "#e7dff5", "#6746ab"),
    ("#d2b48c", "#c8a97f", "#f7f1e6", "#ede5d6", "#a2855c"),
)
"""Closed cells of two shades, open ones of two, lines."""


def random_setting(number):
    """A setting drawn by its number: one number, one setting."""
    rng = random.Random(f"page {number}")
    closed, closed2, opened, open2, line = rng.choice(_PALETTES)
    look = rng.choice(("lines", "halves", "bevel", "tiles", "flat"))
    is_chequered = look == "flat" or rng.random() < 0.15
    rows, cols, mines = rng.choice(((9, 9, 10), (9, 9, 10), (8, 10, 10), (10, 10, 15), (12, 12, 22), (14, 18, 40)))
    return Setting(
        rows=rows,
        cols=cols,
        mines=mines,
        seed=number,
        cell=rng.choice((24, 26, 28, 30, 32, 36)),
        scale=rng.choice((1.0, 1.0, 1.0, 1.25, 1.1, 1.5)),
        look=look,
        closed=closed,
        closed2=closed2 if is_chequered else closed,
        open=opened,
        open2=open2 if is_chequered else opened,
        line=line,
        ground=rng.choice(("plain", "plain", "plain", "gradient", "gradient", "picture")),
        lean=rng.choice(("160deg", "180deg", "135deg")),
        grain=rng.choice((0, 0, 0, 0, 1, 2)),
        hover=rng.choice(("none", "lighter", "outline", "shadow")),
        fade=rng.choice((0, 0, 120, 300)),
        font=rng.choice(("DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif")),
        weight=rng.choice(("normal", "bold")),
        inks=rng.choice(("classic", "classic", "pastel", "one")),
        ink=line,
        emoji=rng.choice((0, 1)),
        page=rng.choice(("plain", "plain", "dots", "stripes", "picture", "dark")),
        frame=rng.choice((0, 1)),
        hairline=rng.choice(("none", "none", "left", "right", "bottom")),
        tooltip=rng.choice((0, 0, 1)),
        end=rng.choice(("none", "none", "dim", "pale", "overlay", "dialog")),
        new=rng.choice(("above", "above", "beside", "below", "overlay", "reload")),
        win=rng.choice(("flags", "closed")),
    ).in_order()


def small(setting):
    """The same looks and manners on a board that is soon played: most of what a run costs goes by cells and clicks."""
    return replace(setting, rows=9, cols=9, mines=10, scale=1.0).in_order()


class _Witness:
    """What follows from the numbers of one game, the mine count included: by SAT."""

    def __init__(self, shape, mines):
        self._shape = shape
        n_cells = shape[0] * shape[1]
        self._solver = Cadical153()
        total = CardEnc.equals(lits=list(range(1, n_cells + 1)), bound=mines, encoding=EncType.totalizer)
        self._top = max(total.nv, n_cells)
        self._add(total)

    def _add(self, formula):
        for clause in formula.clauses:
            self._solver.add_clause(clause)

    def close(self):
        self._solver.delete()

    def _variable(self, cell):
        return cell[0] * self._shape[1] + cell[1] + 1

    def note(self, cell, number):
        """A cell shows this number."""
        self._solver.add_clause([-self._variable(cell)])
        around = [self._variable(one) for one in neighbours(cell, self._shape)]
        known = CardEnc.equals(lits=around, bound=number, top_id=self._top, encoding=EncType.seqcounter)
        self._top = max(known.nv, self._top)
        self._add(known)

    def layout_with_mine(self, cell):
        """Mines that fit every number, one of them in this cell: bool, of the board's shape; None where none fit."""
        if not self._solver.solve(assumptions=[self._variable(cell)]):
            return None
        model = np.array(self._solver.get_model()[: self._shape[0] * self._shape[1]])
        return (model > 0).reshape(self._shape)


def neighbours(cell, shape):
    """The cells around one."""
    rows, cols = (range(max(0, at - 1), min(side, at + 2)) for at, side in zip(cell, shape, strict=True))
    return [(row, col) for row in rows for col in cols if (row, col) != cell]


class Table:
    """One game after another, as the page asks for them; `cells` is the truth (`solver.board` codes).

    Attributes:
        n_games: games that were begun.
        n_punished: guesses made while a safe cell existed.
        ends: how the games ended: "won" or "lost".
        drawn: what the page said of itself when it had last drawn all: the version it showed, and where things are.
    """

    def __init__(self, setting):
        self.setting = setting
        self.lock = threading.RLock()
        self.n_games = self.n_punished = self.version = 0
        self.ends = []
        self.drawn = None
        self._witness = None
        self._begin()

    @property
    def shape(self):
        return self.setting.rows, self.setting.cols

    def _begin(self):
        if self._witness is not None:
            self._witness.close()
        self._witness = _Witness(self.shape, self.setting.mines)
        self._mines = None
        self.cells = np.full(self.shape, codes.CLOSED, dtype=np.int16)
        self.state = "playing"

    def told(self):
        """What the page is told."""
        signs = [SIGNS.get(int(code), str(int(code))) for code in self.cells.ravel()]
        return {"game": self.n_games, "version": self.version, "state": self.state, "cells": signs}

    def new(self):
        self.n_games += 1
        self.version += 1
        self._begin()
        return self.told()

    def note_drawn(self, told):
        """The page has drawn all; a button that is hidden now is where it was. A report that was overtaken is old."""
        if self.drawn is None or told["at"] > self.drawn["at"]:
            if self.drawn is not None and told["button"] is None:
                told["button"] = self.drawn["button"]
            self.drawn = told
        return {}

    def click(self, game, cell, kind):
        """A click in the page; one that was meant for a game before does nothing."""
        if game == self.n_games and self.state == "playing":
            before = self.cells.copy()
            if kind == "flag":
                swap = {codes.CLOSED: codes.FLAG, codes.FLAG: codes.CLOSED}
                self.cells[cell] = swap.get(int(self.cells[cell]), self.cells[cell])
            elif self.cells[cell] == codes.CLOSED:
                self._open(cell)
            self.version += not np.array_equal(before, self.cells)
        return self.told()

    def _open(self, cell):
        if self._mines is None:
            self._mines = self._draw(cell)
        elif self.setting.is_cruel and (layout := self._punishing(cell)) is not None:
            self._mines = layout
            self.n_punished += 1
        if self._mines[cell]:
            self._lose(cell)
            return
        waiting = [cell]
        while waiting:
            one = waiting.pop()
            if self.cells[one] >= 0 or (self.cells[one] == codes.FLAG and one != cell):
                continue
            around = neighbours(one, self.shape)
            number = sum(bool(self._mines[other]) for other in around)
            self.cells[one] = number
            self._witness.note(one, number)
            waiting += around if number == 0 else []
        if int((self.cells >= 0).sum()) + self.setting.mines == self.cells.size:
            self._win()

    def _draw(self, first):
        """Mines for a game whose first cell this is: none there nor around."""
        rng = random.Random(f"{self.setting.seed} {self.n_games}")
        free = {first, *neighbours(first, self.shape)}
        places = [cell for cell in np.ndindex(self.shape) if cell not in free]
        mines = np.zeros(self.shape, dtype=np.bool_)
        for cell in rng.sample(places, self.setting.mines):
            mines[cell] = True
        return mines

    def _punishing(self, cell):
        """A layout with a mine in a cell that was guessed while another one is surely safe; None for a fair move."""
        layout = self._witness.layout_with_mine(cell)
        if layout is None:
            return None
        closed = [tuple(map(int, one)) for one in np.argwhere(self.cells < 0)]
        is_guess = any(self._witness.layout_with_mine(other) is None for other in closed)
        return layout if is_guess else None

    def _lose(self, cell):
        flags = self.cells == codes.FLAG
        self.cells[self._mines & ~flags] = codes.MINE
        self.cells[flags & ~self._mines] = codes.WRONG_FLAG
        self.cells[cell] = codes.EXPLODED
        self.state = "lost"
        self.ends.append(self.state)

    def _win(self):
        if self.setting.win == "flags":
            self.cells[self._mines] = codes.FLAG
        self.state = "won"
        self.ends.append(self.state)


def _handler(table):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            page = PAGE.read_bytes() if self.path.startswith("/minesweeper") else b""
            self._answer(page, "text/html; charset=utf-8", 200 if page else 404)

        def do_POST(self):
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with table.lock:
                if self.path == "/new":
                    answer = table.new()
                elif self.path == "/kept":
                    answer = table.told()
                elif self.path == "/click":
                    answer = table.click(told["game"], (told["row"], told["col"]), told["kind"])
                else:
                    answer = table.note_drawn(told)
            self._answer(json.dumps(answer).encode(), "application/json")

        def _answer(self, content, kind, status=200):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # as of a browser that was closed
            super().handle_error(request, client_address)


class WebPage:
    """The page in its browser, on a display.

    Attributes:
        table: its games.
        desk: hands and eyes on the display.
    """

    def __init__(self, table, hands):
        self.table = table
        self.desk = hands
        self._corner = None

    def place(self, name):
        """Where the "board" or the "button" is on the screen, in pixels; None where there is none."""
        drawn = self.table.drawn
        if drawn[name] is None:
            return None
        left, top, width, height = (px * drawn["scale"] for px in drawn[name])
        x, y = self._corner
        return Region(_rounded(x + left), _rounded(y + top), _rounded(width), _rounded(height))

    def allows_press(self, x, y):
        """Whether a press there is on the board or the button."""
        places = [self.place("board"), self.place("button")]
        return any(place is not None and place.has_pixel(Pixel(x, y)) for place in places)

    def sample(self):
        """The screen, and the truth of the board on it; None while that is not on the screen.

        A browser brings to the screen later what a page has drawn: the picture itself says which version it shows.
        """
        before = self._truth()
        if before is None:
            return None
        pixels = self.desk.capture_all()
        after = self._truth()
        is_same = after is not None and after[0] == before[0] == self._version_on(pixels)
        return (pixels, before[1]) if is_same else None

    def _version_on(self, pixels):
        """The version that the mark in the page's corner says a picture shows, None where there is no such mark."""
        x, y = (_rounded(corner + _MARK_PX * self.table.drawn["scale"]) for corner in self._corner)
        blue, green, red = pixels[y, x].tolist()
        return red + 256 * green if blue == _MARKED else None

    def _truth(self):
        with self.table.lock:
            if self.table.drawn is None or self.table.drawn["version"] != self.table.version:
                return None
            return self.table.version, self.table.cells.copy()

    def begin_anew(self):
        """As a person would, close what the end of a game has brought up, and begin the next one if it is not there."""
        if (self.table.cells == codes.CLOSED).all():
            return
        n_games = self.table.n_games
        if self.table.setting.end == "dialog":
            self.desk.type_key("Return")
            time.sleep(0.5)
        deadline = time.monotonic() + PATIENCE_S
        while self.table.n_games == n_games:
            assert time.monotonic() < deadline, "the page did not begin another game"
            if self.table.setting.keep:
                self.desk.click(*self.place("button").middle)
            else:
                self.desk.type_key("ctrl+r")
            time.sleep(1.0)
        self.desk.wait_until_still()

    def wait_until_drawn(self):
        """Wait until the page has drawn its board and has seen the pointer: then it is known where the page is.

        What a page says of the screen is rounded; only where the pointer was on it, and where in the page, is exact.
        """
        deadline = time.monotonic() + PATIENCE_S
        n = 0
        while self.table.drawn is None or self.table.drawn["pointer"] is None:
            drawn = "has not drawn" if self.table.drawn is None else "has not seen the pointer"
            where = self.desk.find_window(TITLE) if time.monotonic() > deadline else None
            assert time.monotonic() < deadline, f"the page {drawn} within {PATIENCE_S:.0f} s; its window: {where}"
            n = 1 - n
            self.desk.move(*_POINTS[n])
            time.sleep(0.2)
        self._corner = corner_of(self.table.drawn)
        self.desk.wait_until_still()


_MARK_PX, _MARKED = 3, 77
"""Where the page says which version it shows, in its own pixels from its corner; and the blue of that mark."""
_POINTS = ((500, 500), (540, 500))
"""Where the pointer goes until the page sees it: so far apart that what the page says tells which one it saw."""


def corner_of(drawn):
    """Where the page's corner is on the screen, in pixels, by where the page saw the pointer."""
    scale, (x, y, inside_x, inside_y) = drawn["scale"], drawn["pointer"]
    at = min(_POINTS, key=lambda point: math.dist(point, (x * scale, y * scale)))
    return _rounded(at[0] - inside_x * scale), _rounded(at[1] - inside_y * scale)


def _rounded(px):
    """A whole number of pixels, as browsers round: half a pixel up, though their own places are short of digits."""
    return math.floor(px + 0.5 + 0.001)


@contextmanager
def web_page(display, setting, *, size=(1100, 900), at=(60, 40)):
    """The page with that setting in a browser window of its own, for the block."""
    table = Table(setting)
    server = _Server(("127.0.0.1", 0), _handler(table))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/minesweeper.html?{setting.query}"
    try:
        with desk(display) as hands, _browser(display, setting, address, size, at):
            page = WebPage(table, hands)
            page.wait_until_drawn()
            yield page
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def _browser(display, setting, address, size, at):
    """Chromium with one window that shows a page."""
    shape = (
        f"--force-device-scale-factor={setting.scale:g}",
        "--window-size={},{}".format(*(round(side / setting.scale) for side in size)),
        "--window-position={},{}".format(*(round(side / setting.scale) for side in at)),
    )
    with started(PROGRAM, *QUIET, *shape, address, display=display, fonts=WEB) as browser:  # a home, a profile
        yield browser


def in_words(setting):
    """What of a setting is not as the page has it by itself."""
    plain = asdict(Setting())
    own = {name: value for name, value in asdict(setting).items() if value != plain[name] and name != "seed"}
    return ", ".join(f"{name} {value}" for name, value in own.items())
