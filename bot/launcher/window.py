"""The window: shows what the bot sees, starts commands and gives way to them, and says what came of them."""

from __future__ import annotations

import queue
import shutil
import time
import tkinter as tk
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING

import platformdirs

from bot.console import tell
from bot.desktop import HotKey, this_platform
from bot.desktop.keys import label_key
from bot.errors import BotError, UsageError
from bot.game.art import cell_sprites
from bot.game.kept_games import KeptGames, usual_folder
from bot.game.marks import picture_of
from bot.game.stage import desktop_scale, open_root, run_window
from bot.launcher.bar import Bar, place_beside
from bot.launcher.look import Widgets, usual_palette
from bot.launcher.options import Options
from bot.launcher.progress import Progress, say_checks
from bot.launcher.runs import Run
from bot.launcher.sight import PICTURE_PX, Looker, Sight, shrunk
from bot.models import Pixel, Region
from bot.preferences import load_preferences
from bot.processes import own_command
from skins import load_shipped_skin
from skins.errors import SkinError
from solver.board import MINE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.launcher.runs import Event
    from skins.skin import Skin

TITLE = "Minebot start"
_TICK_MS = 40  # how often the window does what other threads ask of it
_STILL_S = 1.5  # how long the pointer rests on a board that is to be learned, in seconds
_STILL_PX = 4  # how far a hand trembles, in pixels
_AWAY_PX = 30  # how far from where the pointer was a board begins, in pixels
_FRAME_PX, _TITLE_PX = 10, 36  # what window managers put around a window, in pixels at 100 %
_POINT = "Put the pointer on the board and hold it still."
_HELLO = "Open a Minesweeper beside this window. Play plays it; Coach says what is safe while you play."


def open_launcher() -> int:
    """Open the window and stay until it is closed; return the exit code.

    Raises:
        ScreenError: no window can be opened here.
        UsageError: the settings have a mistake.
    """
    root = open_root(TITLE, "", None)
    with ExitStack() as stack:
        Launcher(root, stack)
        run_window(root)
    return 0


class Launcher:
    """The window.

    Args:
        root: it, still empty.
        stack: ends what it began.
    """

    def __init__(self, root: tk.Tk, stack: ExitStack) -> None:
        self._root, self._stack = root, stack
        self._platform = this_platform()
        self._widgets = Widgets(usual_palette(), desktop_scale(root))
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        """What other threads want done in this one."""
        self._run: Run | None = None
        self._progress = Progress("")
        self._bar: Bar | None = None
        self._pointing: _Pointing | None = None
        self._board: str | None = None
        self._picture: tk.PhotoImage | None = None
        self._game: Region | None = None
        """Where the game's window is, off which we keep."""
        self._last_game: Path | None = KeptGames(usual_folder()).last
        root.title(TITLE)
        root.configure(background=self._widgets.palette.window)
        root.iconphoto(True, picture_of(root, cell_sprites(load_shipped_skin("minebot"))[MINE]))
        root.resizable(width=False, height=False)
        root.withdraw()  # until it is known where a board is
        self._build()
        stack.callback(self._close)
        self._platform.prepare()
        self._programs = stack.enter_context(closing(self._platform.programs()))
        self._looker = Looker(self._platform, _load_skins, lambda sight: self._ask(partial(self._show, sight)))
        stack.callback(self._looker.close)
        self._keys = stack.enter_context(ExitStack())
        self._hear_keys()
        self._tick()

    # What is on it

    def _build(self) -> None:
        widgets, root = self._widgets, self._root
        head = widgets.frame(root)
        head.configure(height=widgets.px(PICTURE_PX[1] + 12))
        head.pack_propagate(False)  # it is as high without a picture
        self._canvas = tk.Label(head, background=widgets.palette.window)
        self._canvas.pack(side="left", padx=widgets.px(4))
        self._sight = widgets.label(head, "Looking ...", width_px=480)
        self._sight.pack(side="left", fill="both", padx=widgets.px(4), pady=widgets.px(4))
        head.pack(fill="x")
        buttons = widgets.frame(root)
        acts: tuple[tuple[str, Callable[[], None]], ...] = (
            ("_Play", self._play),
            ("_Coach", self._coach),
            ("_Learn this board", self._ask_name),
            ("_Built-in game", lambda: self._open("game")),
            ("_Analyse", self._analyse),
            ("_Review the last game", self._review),
        )
        for place, (words, act) in enumerate(acts):
            button = widgets.button(buttons, words, act)
            button.grid(row=place // 3, column=place % 3, sticky="ew", padx=widgets.px(3), pady=widgets.px(3))
            if place == 0:
                button.focus_set()
        buttons.columnconfigure((0, 1, 2), weight=1, uniform="buttons")
        buttons.pack(fill="x")
        self._options = Options(root, widgets)
        self._options.pack(fill="x")
        foot = widgets.frame(root)
        self._page = widgets.page(foot, 60, 4)
        self._page.pack(side="left", fill="both", expand=True)
        widgets.button(foot, "Chec_k this machine", self._check).pack(side="right", anchor="s", padx=widgets.px(4))
        foot.pack(fill="x")
        self._say(_HELLO)

    def _say(self, text: str) -> None:
        self._page.configure(state="normal")
        self._page.replace("1.0", "end", text)
        self._page.see("end")
        self._page.configure(state="disabled")

    def _show(self, sight: Sight) -> None:
        """Show what is seen; the first time, show the window."""
        if self._root.state() == "withdrawn" and self._run is None and self._pointing is None:
            self._game = None if sight.region is None else self._window_at(sight.region.middle) or sight.region
            self._appear()
        self._board = sight.board
        press = f" Press {label_key(load_preferences().hotkey)}, or Play." if sight.is_playable else ""
        self._sight.configure(text=sight.words + press)
        self._picture = None
        if sight.picture_bgr is not None:
            self._picture = picture_of(self._root, shrunk(sight.picture_bgr, self._widgets.px(100) / 100))
        self._canvas.configure(image=self._picture or "")

    # What is asked of it

    def _play(self) -> None:
        if not self._can_start():
            return
        self._last_game = folder = platformdirs.user_data_path("minebot", appauthor=False) / "recordings" / "last-game"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            command = own_command("play", "--now", "--events", "--record", str(folder), *self._options.board_facts())
        except UsageError as error:
            self._say(str(error))
            return
        self._give_way()
        self._begin("Play", command)

    def _coach(self) -> None:
        if self._can_start():
            self._give_way()
            self._begin("Coach", own_command("coach", "--json"))

    def _ask_name(self) -> None:
        """Ask how the skin of the board is to be called."""
        if not self._can_start():
            return
        widgets = self._widgets
        dialog = tk.Toplevel(self._root, background=widgets.palette.window, padx=widgets.px(14), pady=widgets.px(10))
        dialog.title("Learn a board")
        dialog.transient(self._root)
        dialog.geometry(f"+{self._root.winfo_rootx() + 24}+{self._root.winfo_rooty() + 24}")
        words = (
            "The bot learns what a game looks like by playing it: it clicks on the board, and on what may begin "
            "another game. Nothing is labelled by hand. What shall the look be called?"
        )
        widgets.label(dialog, words, width_px=360).pack(anchor="w")
        name = tk.StringVar(dialog, "my-game")
        field = widgets.entry(dialog, name, 24)
        field.pack(anchor="w", pady=widgets.px(6))

        def learn() -> None:
            dialog.destroy()
            self._learn(name.get().strip())

        widgets.button(dialog, "_Start", learn).pack(side="left")
        widgets.button(dialog, "Cance_l", dialog.destroy).pack(side="left", padx=widgets.px(6))
        dialog.bind("<Return>", lambda _event: learn())
        dialog.bind("<Escape>", lambda _event: dialog.destroy())
        field.focus_set()
        field.selection_range(0, "end")  # what is typed takes its place

    def _learn(self, name: str) -> None:
        """Wait until the pointer rests on a board, then learn it."""
        keys = load_preferences()
        command = own_command("--live", "--yes", "--now", "--name", name, program="calibration")
        command += ["--hotkey", keys.hotkey, "--abort-key", keys.abort_key]
        self._give_way()
        self._progress = Progress(_POINT)
        self._pointing = _Pointing(self._pointer(), partial(self._begin, "Learn", command))

    def _analyse(self) -> None:
        if self._board is None:
            self._open("analyse")
        else:
            self._open("analyse", "-", given=self._board)

    def _review(self) -> None:
        if self._last_game is None or not self._last_game.exists():
            self._say("No game has been played yet that could be reviewed.")
        else:
            self._open("analyse", str(self._last_game))

    def _check(self) -> None:
        self._say("Checking ...")
        self._open("doctor", "--json")

    def _open(self, *arguments: str, given: str = "") -> None:
        """Run a command that has a window of its own, or none."""
        Run(arguments[0], own_command(*arguments), self._pass_on, given)

    def _can_start(self) -> bool:
        """Keep the settings; whether nothing else runs, and they could be kept."""
        if self._run is not None or self._pointing is not None:
            return False
        try:
            self._options.save()
        except UsageError as error:
            self._say(str(error))
            return False
        self._hear_keys()
        return True

    # While a command runs

    def _give_way(self) -> None:
        """Leave the screen to the game."""
        self._progress = Progress("")
        self._looker.is_resting = True
        self._root.tk.call("tk::MenuUnpost", "")  # a list that is open would stay
        self._root.withdraw()
        self._root.update()

    def _begin(self, title: str, command: list[str]) -> None:
        preferences = load_preferences()
        n_games = preferences.games if title == "Play" else None
        board = self._progress.board
        self._progress = Progress(f"{title} begins. {label_key(preferences.abort_key)} stops it.", n_games)
        self._progress.board = board
        self._pointing = None
        self._run = Run(title, command, self._pass_on)

    def _stop(self) -> None:
        """Stop what runs, as its own key does."""
        self._pointing = None
        if self._run is None:
            self._come_back("")
        else:
            self._run.stop()

    def _pass_on(self, run: Run, event: Event) -> None:
        self._ask(partial(self._hear, run, event))

    def _hear(self, run: Run, event: Event) -> None:
        """Deal with what a command said."""
        if event["event"] == "answer":
            self._say(say_checks(event["answer"]))
        elif run is self._run:
            self._progress.note(event)
            if event["event"] == "closed":
                self._run = None
                self._looker.renew()
                self._come_back(self._progress.summary(event["code"]))
        elif event["event"] == "told":
            self._say(event["text"])

    def _come_back(self, words: str) -> None:
        """Be the window again."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._appear()
        self._looker.is_resting = False
        if words:
            self._say(words)

    def _appear(self) -> None:
        """Show the window, beside the game where there is room."""
        root = self._root
        size = (
            root.winfo_reqwidth() + self._widgets.px(_FRAME_PX),
            root.winfo_reqheight() + self._widgets.px(_TITLE_PX),
        )
        place = None if self._game is None else place_beside(self._game, self._monitors(), size)
        if place is not None:
            root.geometry(f"+{place.x}+{place.y}")
        root.deiconify()
        root.lift()

    def _stand_off(self) -> None:
        """Show the bar off the game's window, wherever that is now; where it has no room, be an icon."""
        pixel = self._progress.board or (self._pointer() if self._pointing else None)
        if pixel is None:
            return
        self._game = self._window_at(pixel) or (Region(*pixel, 1, 1) if self._pointing else None)
        self._bar = self._bar or Bar(self._root, self._widgets, self._stop)
        self._bar.show(self._progress.words)
        if self._game is None or not self._bar.stand_beside(self._game, self._monitors()):
            self._root.iconify()

    def _window_at(self, pixel: Pixel) -> Region | None:
        """Where the window is that shows at a pixel, None where nobody says."""
        window = self._programs.window_at(pixel)
        return None if window is None else self._programs.place_of(window)

    # Time

    def _tick(self) -> None:
        """Do what other threads asked for, and what is due."""
        try:
            while True:
                self._asked.get_nowait()()
        except queue.Empty:
            pass
        self._looker.own = self._own_picture()
        self._looker.pointer = self._pointer()
        if self._pointing is not None and self._pointing.rests(self._pointer()):
            self._progress.board = self._pointer()
            self._pointing.then()
        if self._run is not None or self._pointing is not None:
            self._stand_off()
        self._root.after(_TICK_MS, self._tick)

    def _ask(self, act: Callable[[], None]) -> None:
        """Have something done in the window's thread; called in others."""
        self._asked.put(act)

    def _close(self) -> None:
        """Stop everything at once: whatever closed the window."""
        if self._run is not None:
            self._run.stop()
            self._run.wait()

    # The desktop

    def _hear_keys(self) -> None:
        """Hear the start key as a press of Play, and the stop key until a command hears it itself."""
        self._keys.close()
        if self._platform.machine().asks_person:
            return
        kept = load_preferences()
        keys = [
            HotKey(kept.hotkey, lambda: self._ask(self._play)),
            HotKey(kept.abort_key, lambda: self._ask(self._stop_early), is_for_play=True),
        ]
        try:
            heard = self._platform.hot_keys(keys, _Owner())
            heard.start()
            self._keys.callback(heard.stop)
        except BotError as error:
            self._say(str(error))

    def _stop_early(self) -> None:
        if self._pointing is not None or (self._run is not None and not self._progress.has_begun):
            self._stop()

    def _pointer(self) -> Pixel:
        return Pixel(*self._root.winfo_pointerxy())

    def _own_picture(self) -> Region | None:
        """Where the window shows a picture of a board; None where it shows none, or another window lies over that."""
        root, picture = self._root, self._canvas
        if root.state() != "normal" or self._picture is None:
            return None
        place = Region(picture.winfo_rootx(), picture.winfo_rooty(), picture.winfo_width(), picture.winfo_height())
        return place if self._window_at(place.middle) == self._programs.place_of(int(root.wm_frame(), 16)) else None

    def _monitors(self) -> Sequence[Region]:
        whole = Region(0, 0, self._root.winfo_screenwidth(), self._root.winfo_screenheight())
        return self._platform.machine().monitors() or [whole]


class _Owner:
    """Whom the window's own keys steer: nothing plays in this process."""

    is_running = False

    def fail(self, why: str) -> None:
        """No key is heard any more: the buttons are still there."""
        tell(why)


class _Pointing:
    """Waits until the pointer has gone somewhere else, and rests there.

    Args:
        pointer: where it is now.
        then: what is done when it rests.
    """

    def __init__(self, pointer: Pixel, then: Callable[[], None]) -> None:
        self.then = then
        self._begin = self._at = pointer
        self._since_s = time.monotonic()

    def rests(self, pointer: Pixel) -> bool:
        """Whether it rests elsewhere by now."""
        if _gap(pointer, self._at) > _STILL_PX:
            self._at, self._since_s = pointer, time.monotonic()
        return _gap(pointer, self._begin) > _AWAY_PX and time.monotonic() - self._since_s > _STILL_S


def _gap(one: Pixel, other: Pixel) -> int:
    return max(abs(one.x - other.x), abs(one.y - other.y))


def _load_skins() -> list[Skin]:
    """All skins, those first that a person prefers."""
    try:
        return load_preferences().load_skins("auto", tell)
    except (UsageError, SkinError) as error:
        tell(str(error))
        return []
