"""Boards of chequered fields, drawn by a page of our own in a real browser: any zoom, any font, blends and all.

    PYTHONPATH=. python tests/support/fields_page.py      draws the pictures of `tests/screens/fields` anew

The colours are those that `skins/data/google/skin.toml` names; how big signs are and where lines are drawn varies.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from chromium import PROGRAM, QUIET
from desktop_game import started

from solver.board import CLOSED, FLAG, MINE, format_rows
from solver.game import Game
from solver.layout import Layout

SCREENS = Path(__file__).parents[1] / "screens" / "fields"
TITLE = "Chequers"
LEVELS = {"easy": (8, 10, 10, 45), "medium": (14, 18, 40, 30), "hard": (20, 24, 99, 25)}
"""Rows, columns, mines, and the side of a cell in CSS pixels."""
PAGE = """<!doctype html><title>Chequers</title><body style="margin:0;background:#fff;zoom:ZOOM">
<div style="margin:7px 13px;width:max-content;background:#4a752c;padding-top:24px"><canvas id=c></canvas></div><script>
const a = ARGUMENTS, s = a.side, c = document.getElementById("c"), d = a.is_sharp ? devicePixelRatio * a.zoom : 1;
let codes = a.codes, hovered = a.hovered, isWon = false, nClicks = 0;
const rows = codes.length, cols = codes[0].length;
c.width = Math.round(cols * s * d); c.height = Math.round(rows * s * d);
c.style = `display:block;width:${cols * s}px;height:${rows * s}px`;
const g = c.getContext("2d"); g.scale(d, d);
const closed = ["#aad751", "#a2d149"], opened = ["#e5c29f", "#d7b899"], flooded = ["#90caf9", "#83c4f7"];
const inks = ["", "#1976d2", "#388e3c", "#d32f2f", "#7b1fa2", "#ff8f00", "#0097a7", "#424242", "#9e9e9e"];
const mines = ["#db3236", "#f4840d", "#f4c20d", "#008744", "#48e6f1", "#4885ed", "#b648f2", "#ed44b5"];
const hover = {"#aad751": "#bfe17d", "#a2d149": "#b9dd77", "#e5c29f": "#ecd1b7", "#d7b899": "#e1cab3"};
const isOn = (r, k) => r >= 0 && k >= 0 && r < rows && k < cols;
const isClosed = (r, k) => isOn(r, k) && codes[r][k] < 0;
function draw() {
  for (let r = 0; r < rows; r++) for (let k = 0; k < cols; k++) {
    const code = codes[r][k], x = k * s, y = r * s, pair = code < 0 ? closed : isWon ? flooded : opened;
    let field = pair[(r + k) % 2];
    if (hovered && hovered[0] == r && hovered[1] == k) field = hover[field] || field;
    if (code == a.MINE) field = mines[(7 * r + k) % 8];
    g.fillStyle = field; g.fillRect(x, y, s, s);
    if (code == a.MINE) {
      g.fillStyle = "rgba(0,0,0,0.35)"; g.beginPath(); g.arc(x + s / 2, y + s / 2, s / 4, 0, 7); g.fill();
    } else if (code == a.FLAG) {
      g.fillStyle = "#e63307"; g.fillRect(x + s * .3, y + s * .16, s * .07, s * .64);
      g.fillStyle = "#f23607"; g.beginPath(); g.moveTo(x + s * .37, y + s * .18);
      g.lineTo(x + s * .76, y + s * .36); g.lineTo(x + s * .37, y + s * .54); g.fill();
    } else if (code > 0) {
      g.fillStyle = a.other_inks ? ["#204080", "#802040"][code % 2] : inks[code];
      g.font = `${a.weight} ${Math.round(s * a.em)}px ${a.font}`; g.textAlign = "center"; g.textBaseline = "middle";
      g.fillText(code, x + s / 2, y + s / 2 + s * .04);
    }
  }
  g.strokeStyle = "#87af3a"; g.lineWidth = s * a.line; g.beginPath();
  for (let r = 0; r < rows; r++) for (let k = 0; k < cols; k++) if (!isClosed(r, k)) {
    const x = k * s, y = r * s;
    if (isClosed(r - 1, k)) { g.moveTo(x, y); g.lineTo(x + s, y); }
    if (isClosed(r + 1, k)) { g.moveTo(x, y + s); g.lineTo(x + s, y + s); }
    if (isClosed(r, k - 1)) { g.moveTo(x, y); g.lineTo(x, y + s); }
    if (isClosed(r, k + 1)) { g.moveTo(x + s, y); g.lineTo(x + s, y + s); }
  }
  g.stroke();
}
draw();
if (a.numbers) {
  let isOver = false;
  const place = e => {
    const b = c.getBoundingClientRect();
    return [Math.floor((e.clientY - b.top) / b.height * rows), Math.floor((e.clientX - b.left) / b.width * cols)];
  };
  const open = (r, k) => {
    if (!isOn(r, k) || codes[r][k] != a.CLOSED) return;
    codes[r][k] = a.numbers[r][k];
    if (codes[r][k] == 0) for (let i = -1; i < 2; i++) for (let j = -1; j < 2; j++) open(r + i, k + j);
  };
  const show = word => { document.title = `Chequers ${word} ${nClicks}`; draw(); };
  c.onmousemove = e => { hovered = place(e); draw(); };
  c.onmouseleave = () => { hovered = null; draw(); };
  c.oncontextmenu = e => e.preventDefault();
  const tread = (r, k) => {
    if (a.numbers[r][k] >= 0) return open(r, k);
    isOver = true;
    for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) if (a.numbers[i][j] < 0) codes[i][j] = a.MINE;
  };
  const near = (r, k) => [-1, 0, 1].flatMap(i => [-1, 0, 1].map(j => [r + i, k + j])).filter(at => isOn(...at));
  const chord = (r, k) => {
    if (codes[r][k] < 1 || near(r, k).filter(([i, j]) => codes[i][j] == a.FLAG).length != codes[r][k]) return;
    for (const [i, j] of near(r, k)) if (codes[i][j] == a.CLOSED && !isOver) tread(i, j);
  };
  c.onmousedown = e => {
    const [r, k] = place(e);
    if (e.buttons != 3) nClicks += 1;
    if (isOver) return show("idle");
    if (e.buttons == 3) chord(r, k);
    else if (!isClosed(r, k)) return show("idle");
    else if (e.button == 2) codes[r][k] = codes[r][k] == a.FLAG ? a.CLOSED : a.FLAG;
    else tread(r, k);
    if (isOver) return show("lost");
    isOver = isWon = codes.every((row, i) => row.every((code, j) => code >= 0 || a.numbers[i][j] < 0));
    show(isWon ? "won" : "playing");
  };
}
</script>"""
"""A board to look at; with `numbers`, of all cells, -1 for mines, a game to play: both buttons on a number chord, and
the title says how it stands."""


def played(rng, rows, cols, mines, n_opened, *, is_lost=False):
    """A board in the middle of a game, some of its mines with flags; or lost, all of them shown."""
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    game = Game.on(Layout.of_cells((rows, cols), rng.sample(cells[2 * cols :], mines)))
    for _ in range(n_opened):
        closed = [cell for cell in cells if game.board.cells[cell] == CLOSED and not game.layout.has_mine[cell]]
        if closed:
            game.open(rng.choice(closed))
    codes = game.board.cells.copy()
    for cell in sorted(game.layout.mine_cells):
        if is_lost:
            codes[cell] = MINE
        elif rng.random() < 0.3:
            codes[cell] = FLAG
    return codes


def page(codes, side, *, zoom=1.0, font="sans-serif", weight="bold", em=0.65, line=4 / 45, **more):
    """The text of the page that shows a board (int16, rows x cols)."""
    arguments = {"codes": codes.tolist(), "side": side, "font": font, "weight": weight, "em": em, "line": line}
    arguments |= {"MINE": MINE, "FLAG": FLAG, "CLOSED": CLOSED, "zoom": zoom, "is_sharp": True} | more
    return PAGE.replace("ARGUMENTS", json.dumps(arguments)).replace("ZOOM", str(zoom))


@contextmanager
def game(desk, layout, side, **more):
    """Run Chromium on a display with a game on that layout; yields nothing: `desk.find_window` knows its title."""
    numbers = np.where(layout.has_mine, -1, layout.numbers)
    text = page(np.full(layout.shape, CLOSED), side, numbers=numbers.tolist(), **more)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text)
        options = (*QUIET, f"--user-data-dir={folder}/profile", "--window-size=900,760")
        with started(PROGRAM, *options, f"--app={path.as_uri()}", display=desk.name):
            desk.wait_for_window(TITLE)
            desk.wait_until_still()
            yield


def shoot(text, picture, scale=1.0, size=(1400, 900)):
    """Let Chromium draw a page into a picture file, at that many pixels a CSS pixel."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text)
        subprocess.run(
            [
                *(PROGRAM, *QUIET, "--headless", "--hide-scrollbars"),
                *(f"--user-data-dir={folder}/profile", f"--force-device-scale-factor={scale}"),
                *(f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}", path.as_uri()),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


PICTURES = {
    "easy-fresh": ("easy", 0, 1.0, {}),
    "easy-lost": ("easy", 4, 1.0, {"is_lost": True}),
    "easy-110": ("easy", 4, 1.1, {"hovered": [0, 0]}),
    "easy-175": ("easy", 5, 1.75, {"line": 1 / 7.5}),
    "medium-mid": ("medium", 30, 1.0, {}),
    "medium-125": ("medium", 30, 1.25, {"font": "Liberation Sans"}),
    "medium-blurred-125": ("medium", 30, 1.25, {"is_sharp": False}),
    "medium-other-inks": ("medium", 40, 1.0, {"other_inks": True, "font": "DejaVu Sans"}),
    "hard-mid": ("hard", 60, 1.0, {}),
    "hard-90": ("hard", 60, 0.9, {"weight": 900}),
    "hard-150": ("hard", 60, 1.5, {}),
}
"""What `tests/screens/fields` has: level, clicks, zoom of the browser, and how the page differs."""


def draw(name):
    """Draw one of the pictures, and write its truth beside it."""
    level, n_opened, zoom, more = PICTURES[name]
    rows, cols, mines, side = LEVELS[level]
    more = dict(more)
    codes = played(random.Random(name), rows, cols, mines, n_opened, is_lost=more.pop("is_lost", False))
    size = round(zoom * (cols * side + 40)), round(zoom * (rows * side + 50))
    shoot(page(codes, side, zoom=zoom, **more), SCREENS / f"{name}.png", size=size)
    (SCREENS / f"{name}.txt").write_text("\n".join(format_rows(codes)) + "\n")


if __name__ == "__main__":
    SCREENS.mkdir(exist_ok=True)
    for picture in sys.argv[1:] or PICTURES:
        draw(picture)
