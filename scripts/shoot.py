"""Photographs windows for the READMEs, into tests/screens/readme.

    python scripts/shoot.py game     the built-in game, played by mouse and keys (needs Xvfb, openbox and xdotool)
    python scripts/shoot.py coach    the coach over WineMine and GNOME Mines (needs wine and gnome-mines besides)
    python scripts/shoot.py review   the page of a person's game, in Chromium
    python scripts/shoot.py launcher the window that starts everything, beside the built-in game (needs the same)
    python scripts/shoot.py analyse  the analysis board, at a guess of a person's game (needs Xvfb and xdotool)

All is played for real, on a virtual screen. The coach's clones are played as it says until there is something of
everything to see. Then the pointer is put on a proven mine in the one, and on a proven safe cell in the other.
"""

from __future__ import annotations

import importlib
import io
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import mss
import numpy as np
from PIL import Image

from bot.game.session import Rules, Session
from bot.game.sizes import SIZES
from bot.reporting.advice import advise
from bot.reviewing.page import save_page
from bot.reviewing.replay_files import iter_steps, load_replays
from bot.reviewing.verdicts import review
from bot.virtual_screen import virtual_screen, xvfb
from skins.profile_read import load_shipped_skin
from solver import analyse, explain
from solver.board import Action, Move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "screens" / "readme"
SUPPORT = ROOT / "tests" / "support"
REPLAYS = ROOT / "tests" / "golden" / "replays"
MARGIN_PX = 8
GNOME_MINES_PX = (700, 520)  # its window
N_REASONS = 6  # cells among which the one with the shortest reason is shown
ENOUGH = {"safe": 3, "mines": 6, "risks": 5}
N_OPEN_AT_GUESS = 0.3  # share of the board that is open at the guess that is shown
SETTLE_S = 0.7  # after this nothing on the screen moves any more, but the timer
_N_COLOURS = 256  # half the bytes of all its colours, and no difference to be seen


def main() -> int:
    """Take the pictures that are asked for."""
    shots = {"game": shoot_game, "coach": shoot_coach, "review": shoot_review}
    shots |= {"analyse": shoot_analyse, "launcher": shoot_launcher}
    if len(sys.argv) != 2 or sys.argv[1] not in shots:
        print(__doc__)
        return 2
    sys.path.insert(0, str(SUPPORT))
    shots[sys.argv[1]]()
    return 0


def shoot_game() -> None:
    """Take the pictures of the built-in game."""
    with xvfb() as display:
        manager = subprocess.Popen(["openbox"], env={**os.environ, "DISPLAY": display}, stderr=subprocess.DEVNULL)
        try:
            time.sleep(SETTLE_S)
            picture_guess_free(display)
            picture_why(display)
            picture_four_dimensions(display)
            picture_skin(display)
            picture_risks(display)
        finally:
            manager.terminate()


def picture_guess_free(display: str) -> None:
    """A fresh board without a guess: its cross."""
    with window(display, "beginner", is_guess_free=True) as game:
        take(game, "game-guess-free")


def picture_why(display: str) -> None:
    """A game lost on a mine that was proven, and the answer why."""
    with window(display, "intermediate", is_guess_free=True) as game:
        open_all_safe(game, game.session.hint, until_open=100)
        analysis = analyse(game.session.game.board)
        for cell in analysis.mines[:8]:
            click(game, Action.FLAG, cell)
        wrong = next(cell for cell in analysis.safe if game.session.shown[cell] < 0)
        click(game, Action.FLAG, wrong)
        board = game.session.game.board
        click(game, Action.OPEN, max(analysis.mines[8:], key=lambda cell: len(explain(board, cell).steps)))
        game.keys("w")
        game.wait_for(lambda: game.has_window("Why?"), "answer")
        take(game, "game-why")


def picture_four_dimensions(display: str) -> None:
    """A board of four dimensions, and what touches the cell under the pointer."""
    with window(display, "4d-medium", is_guess_free=True) as game:
        open_all_safe(game, game.session.hint, until_open=150)
        for cell in analyse(game.session.game.board).mines:
            click(game, Action.FLAG, cell)
        game.point((2, 1, 1, 2))
        take(game, "game-4d")


def picture_skin(display: str) -> None:
    """Another skin, twice as large, with a hint and the keyboard's cursor."""
    looks: dict[str, Any] = {"skin": load_shipped_skin("classic"), "zoom": 1.5}
    with window(display, "beginner", "--skin", "classic", "--zoom", "150", **looks) as game:
        open_all_safe(game, (4, 4), until_open=50)
        game.keys("Down", "Down", "h")
        take(game, "game-skin")


def picture_risks(display: str) -> None:
    """The map of risks over a game, and rulers."""
    with window(display, "intermediate", is_guess_free=True) as game:
        open_all_safe(game, game.session.hint, until_open=100)
        game.keys("r", "m")
        game.has_rulers = True
        time.sleep(SETTLE_S)
        game.locate()
        take(game, "game-risks")


@contextmanager
def window(display: str, level: str, *arguments: str, is_guess_free: bool = False, **looks: Any) -> Iterator[Any]:
    """The game's window at a level, while the block runs."""
    session = Session(SIZES[level], rules=Rules(is_guess_free=is_guess_free), seed=1)
    arguments = (*arguments, "--guess-free") if is_guess_free else arguments
    driven_game = importlib.import_module("driven_game")
    game = driven_game.DrivenGame(display, session, "--seed", 1, "--level", level, *arguments, **looks)
    try:
        yield game
    finally:
        game.close()


def click(game: Any, action: Action, cell: tuple[int, ...]) -> None:
    """Make a move in the window and in the session beside it."""
    game.click(cell, {Action.OPEN: "1", Action.FLAG: "3"}[action])
    game.session.act(Move(action, cell))


def open_all_safe(game: Any, first: tuple[int, ...], until_open: int) -> None:
    """Open what is proven safe, until so many cells are open or nothing is proven."""
    safe: tuple[tuple[int, ...], ...] = (first,)
    while safe:
        for cell in safe:
            if game.session.shown[cell] < 0:
                click(game, Action.OPEN, cell)
            if int((game.session.shown >= 0).sum()) >= until_open:
                return
        safe = analyse(game.session.game.board).safe


def take(game: Any, name: str) -> None:
    """Write all that is not the screen's black ground."""
    time.sleep(SETTLE_S)
    frame = game.grab()
    is_drawn = (frame != frame[-1, -1]).any(axis=2)
    rows, cols = np.flatnonzero(is_drawn.any(axis=1)), np.flatnonzero(is_drawn.any(axis=0))
    picture = frame[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    save(Image.fromarray(np.ascontiguousarray(picture[:, :, ::-1])), name)


def save(image: Image.Image, name: str) -> None:
    """Write a picture in few colours."""
    path = FOLDER / f"{name}.png"
    image.convert("RGB").quantize(_N_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{name}: {image.width} x {image.height}, {path.stat().st_size} bytes")


def shoot_review() -> None:
    """Take the picture of a page, at the mistake that cost most."""
    browser = importlib.import_module("browser")
    with TemporaryDirectory() as folder:
        page = Path(folder, "review.html")
        save_page(page, [review(each) for each in load_replays(REPLAYS / "rmv1_utf8_basic-rmv.rawvf")])
        with browser.browser("chromium", width=1340, height=1000) as shown:
            shown.open(page)
            time.sleep(SETTLE_S)
            save(Image.open(io.BytesIO(shown.picture())), "review")


class _Screen(NamedTuple):
    """A virtual screen to look at."""

    display: str

    def grab(self) -> NDArray[np.uint8]:
        """All of it: uint8, H x W x 3, BGR."""
        with mss.MSS(display=self.display) as screen:
            return np.array(screen.grab(screen.monitors[0]))[:, :, :3]


def shoot_analyse() -> None:
    """Take the picture of the analysis board: where a game's player had to guess, the best cell asked about."""
    path = REPLAYS / "rmv1_utf8_basic-rmv.rawvf"
    [replay] = load_replays(path)
    steps = [step for step in iter_steps(replay) if step.changed]
    choices = [advise(step.before.with_mines(replay.layout.n_mines)) for step in steps]
    n, row, col = next(
        (n, *choice.move.cell)
        for n, choice in enumerate(choices)
        if choice.move and choice.move.is_guess and (choice.analysis.board.cells >= 0).mean() > N_OPEN_AT_GUESS
    )
    rows, cols = replay.layout.shape
    with xvfb() as display:
        screen, env = _Screen(display), {**os.environ, "DISPLAY": display}
        process = subprocess.Popen([sys.executable, "-m", "bot", "analyse", str(path)], env=env)
        try:
            while not screen.grab().any():
                time.sleep(SETTLE_S)
            time.sleep(SETTLE_S)
            way = ["Down" if row > rows // 2 else "Up"] * abs(row - rows // 2)
            way += ["Right" if col > cols // 2 else "Left"] * abs(col - cols // 2)
            subprocess.run(["xdotool", "key", *["Next"] * n, "Down", *way, "w"], env=env, check=True)
            take(screen, "analyse")
        finally:
            process.terminate()


def shoot_launcher() -> None:
    """Take the picture of the window that starts everything, with a game beside it."""
    bot = [sys.executable, "-m", "bot"]
    with ExitStack() as stack:
        display = stack.enter_context(virtual_screen())
        home = stack.enter_context(TemporaryDirectory())
        env = {**os.environ, "MINEBOT_SETTINGS": f"{home}/settings.toml", "XDG_DATA_HOME": home}
        for command in (["openbox"], [*bot, "game", "--level", "expert", "--position", "5,5"], bot):
            process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
            stack.callback(process.terminate)
            time.sleep(4 * SETTLE_S)  # none of them says when it is there
        find = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^Minebot start$"]
        subprocess.run(find, env=env, check=True, stdout=subprocess.DEVNULL)
        time.sleep(4 * SETTLE_S)
        take(_Screen(display), "launcher")


def shoot_coach() -> None:
    """Take the pictures of the coach."""
    coached, desktop_game = (importlib.import_module(name) for name in ("coached", "desktop_game"))
    for clone, pointed in (("winemine", "mines"), ("gnome-mines", "safe")):
        with ExitStack() as stack:
            display = stack.enter_context(virtual_screen())
            manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL, env=os.environ)
            stack.callback(manager.terminate)
            time.sleep(2)  # it says nothing when it is there
            desk = stack.enter_context(desktop_game.desk(display))
            keys = stack.enter_context(coached.running_clone(clone, desk, GNOME_MINES_PX))
            coach = stack.enter_context(coached.coached(desk))
            path = FOLDER / f"coach-{clone}.png"
            _shoot(desk, coach, partial(coached.begin_another, desk, keys), pointed).save(path, optimize=True)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KiB")


def _shoot(desk: Any, coach: Any, begin_another: Any, pointed: str) -> Image.Image:
    """Play until there is enough to see, and take the picture."""
    while True:
        told = coach.wait_until_settled()
        marked = told["marked"]
        if all(len(marked[name]) >= least for name, least in ENOUGH.items()):
            break
        if told["move"] is None:
            begin_another(told["state"])
            coach.wait_for(lambda event: event.get("state") == "fresh", what="new game")
            continue
        n_before = len(coach.events)
        desk.click(*_middle_of(told, tuple(told["move"]["cell"])))
        coach.wait_for_kind("position", n_before)
    reasons: dict[tuple[int, ...], str] = {}
    for cell in map(tuple, marked[pointed][:N_REASONS]):
        n_before = len(coach.events)
        desk.move(*_middle_of(told, cell))
        reasons[cell] = coach.wait_for_kind("cell", n_before)["why"]
    n_before = len(coach.events)
    desk.move(0, 0)
    coach.wait_until_settled()
    desk.move(*_middle_of(told, min(reasons, key=lambda cell: len(reasons[cell]))))
    coach.wait_for_kind("cell", n_before)
    picture = desk.wait_until_still()
    is_lit = picture.any(axis=2)  # the screen around the window and the coach's panel is black
    rows, cols = np.flatnonzero(is_lit.any(axis=1)), np.flatnonzero(is_lit.any(axis=0))
    top, bottom = max(rows[0] - MARGIN_PX, 0), rows[-1] + 1 + MARGIN_PX
    left, right = max(cols[0] - MARGIN_PX, 0), cols[-1] + 1 + MARGIN_PX
    return Image.fromarray(np.ascontiguousarray(picture[top:bottom, left:right, ::-1]))


def _middle_of(told: Any, cell: tuple[int, ...]) -> tuple[int, int]:
    """The middle of a cell of a position that the coach told of, on the screen."""
    (left, top), (width, height) = told["origin"], told["pitch"]
    row, col = cell
    return round(left + (col + 0.5) * width), round(top + (row + 0.5) * height)


if __name__ == "__main__":
    sys.exit(main())
