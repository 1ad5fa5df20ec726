"""The window: shows what the bot sees, starts commands and gives way to them, and says what came of them."""

from __future__ import annotations

import queue
import shutil
import time
import tkinter as tk
from contextlib import ExitStack, closing, suppress
from functools import partial
from tkinter.messagebox import showerror
from typing import TYPE_CHECKING

import platformdirs

from bot.console import tell
from bot.desktop import HotKey, this_platform
from bot.desktop.keys import label_key
from bot.errors import BotError, ScreenError, UsageError
from bot.game.art import cell_sprites
from bot.game.kept_games import KeptGames, usual_folder
from bot.game.marks import picture_of
from bot.game.stage import desktop_scale, open_root, run_window
from bot.launcher.bar import Bar, place_beside
from bot.launcher.look import Widgets, usual_palette
from bot.launcher.options import Options
from bot.launcher.progress import Progress
from bot.launcher.runs import Run
from bot.launcher.sight import PICTURE_PX, Looker, Sight, shrunk
from bot.models import Pixel, Region
from bot.preferences import load_preferences
from bot.processes import own_command
from skins import load_shipped_skin
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
_FIRST_LOOK_MS = 5000  # the longest time until the window shows, whatever was seen
_PAGE_CHARS = 52  # how many letters fit in a line of the page of words
_PAGE_LINES = (4, 16)  # how many lines the page of words has at least and at most
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
        try:
            Launcher(root, stack)
        except UsageError as error:
            showerror(TITLE, str(error))  # whoever double clicked has no terminal
            raise
        run_window(root)
    return 0


class Launcher:
    """The window.

    Args:
        root: it, still empty.
        stack: ends what it began.

    Raises:
        UsageError: the settings have a mistake.
    """

    def __init__(self, root: tk.Tk, stack: ExitStack) -> None:
        self._root = root
        self._platform = this_platform()
        self._widgets = Widgets(usual_palette(), desktop_scale(root))
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        """What other threads want done in this one."""
        self._run: Run | None = None
        self._pointing: _Pointing | None = None
        self._bar: Bar | None = None
        self._sight = Sight("Looking ...")
        self._picture: tk.PhotoImage | None = None
        self._game: int | None = None
        """The game's window, off which we keep; None while it is not known."""
        root.withdraw()  # until it is known where a board is
        root.title(TITLE)
        root.configure(background=self._widgets.palette.window)
        root.iconphoto(True, picture_of(root, cell_sprites(load_shipped_skin("minebot"))[MINE]))
        root.resizable(width=False, height=False)
        root.protocol("WM_DELETE_WINDOW", self._quit)
        self._build()
        self._platform.prepare()
        self._programs = stack.enter_context(closing(self._platform.programs()))
        self._looker = Looker(self._platform, _load_skins, lambda sight: self._ask(partial(self._show, sight)))
        stack.callback(self._looker.close)
        self._keys = stack.enter_context(ExitStack())
        self._hear_start_key()
        root.after(_FIRST_LOOK_MS, self._appear_first)
        self._tick()
        stack.callback(self._close)  # before all else

    # What is on it

    def _build(self) -> None:
        widgets, root = self._widgets, self._root
        head = widgets.frame(root)
        head.configure(height=widgets.px(PICTURE_PX[1] + 12))
        head.pack_propagate(False)  # it is as high without a picture
        self._canvas = tk.Label(head, background=widgets.palette.window)
        self._canvas.pack(side="left", padx=widgets.px(4))
        self._words = widgets.label(head, self._sight.words, width_px=330)
        self._words.pack(side="left", fill="both", padx=widgets.px(4), pady=widgets.px(4))
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
        self._page = widgets.page(foot, _PAGE_CHARS, _PAGE_LINES[0])
        self._page.pack(side="left", fill="both", expand=True)
        widgets.button(foot, "Chec_k", self._check).pack(side="right", anchor="s", padx=widgets.px(4))
        foot.pack(fill="x")
        self._say(_HELLO)

    def _say(self, text: str) -> None:
        n_lines = sum(1 + len(line) // _PAGE_CHARS for line in text.splitlines())
        self._page.configure(state="normal", height=min(max(n_lines, _PAGE_LINES[0]), _PAGE_LINES[1]))
        self._page.replace("1.0", "end", text)
        self._page.configure(state="disabled")

    def _show(self, sight: Sight) -> None:
        """Show what is seen."""
        self._sight = sight
        press = f" Press {label_key(self._options.kept.hotkey)}, or Play." if sight.is_playable else ""
        self._words.configure(text=sight.words + press)
        self._picture = None
        if sight.picture_bgr is not None:
            self._picture = picture_of(self._root, shrunk(sight.picture_bgr, self._widgets.px(100) / 100))
        self._canvas.configure(image=self._picture or "")
        self._appear_first()

    # What is asked of it

    def _play(self) -> None:
        if not self._can_start():
            return
        shutil.rmtree(_recording(is_new=True), ignore_errors=True)
        try:
            facts = self._options.board_facts()
        except UsageError as error:
            self._say(str(error))
            return
        command = own_command("play", "--now", "--events", "--record", str(_recording(is_new=True)), *facts)
        self._begin("Play", command, self._sight.region, self._options.kept.games)

    def _coach(self) -> None:
        if self._can_start():
            self._begin("Coach", own_command("coach", "--json"), self._sight.region)

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
            if self._can_start():
                self._learn(name.get().strip())

        widgets.button(dialog, "_Start", learn).pack(side="left")
        widgets.button(dialog, "Cance_l", dialog.destroy).pack(side="left", padx=widgets.px(6))
        dialog.bind("<Return>", lambda _event: learn())
        dialog.bind("<Escape>", lambda _event: dialog.destroy())
        field.focus_set()
        field.selection_range(0, "end")  # what is typed takes its place
        dialog.grab_set()  # one is enough

    def _learn(self, name: str) -> None:
        """Wait until the pointer rests on a board, then learn it."""
        keys = self._options.kept
        command = own_command("--live", "--yes", "--now", "--name", name, program="calibration")
        command += ["--hotkey", keys.hotkey, "--abort-key", keys.abort_key]
        self._give_way()
        self._pointing = _Pointing(self._pointer(), partial(self._begin, "Learn", command))
        self._bar = self._stand_in(_POINT, self._pointed())

    def _analyse(self) -> None:
        if self._sight.board is None:
            self._open("analyse")
        else:
            self._open("analyse", "-", given=self._sight.board)

    def _review(self) -> None:
        games = [game for game in (_recording(), KeptGames(usual_folder()).last) if game is not None and game.exists()]
        if games:
            self._open("analyse", str(max(games, key=lambda game: game.stat().st_mtime)))
        else:
            self._say("No game has been played yet that could be reviewed.")

    def _check(self) -> None:
        self._say("Checking ...")
        self._examine(Progress(""))

    def _examine(self, progress: Progress) -> None:
        """Let `doctor` say what is wrong here, after what `progress` says."""
        self._keys.close()  # it tries them
        Run(own_command("doctor", "--json"), progress, self._pass_on)

    def _open(self, *arguments: str, given: str = "") -> None:
        """Run a command that opens its own window, or none."""
        Run(own_command(*arguments), Progress(""), self._pass_on, given)

    def _can_start(self) -> bool:
        """Keep the settings; whether nothing else runs, and they could be kept."""
        if self._run is not None or self._pointing is not None:
            return False
        before = self._options.kept.hotkey
        try:
            self._options.save()
        except UsageError as error:
            self._say(str(error))
            return False
        return self._options.kept.hotkey == before or self._hear_start_key()

    # While a command runs

    def _give_way(self) -> None:
        """Leave the screen to the game, and hear the stop key until a command hears it itself."""
        self._looker.is_resting = True
        self._root.tk.call("tk::MenuUnpost", "")  # a list that is open would stay
        self._root.withdraw()
        self._root.update()
        self._keys.close()
        if self._platform.machine().shares_keys:
            self._hear(self._options.kept.abort_key, self._stop)

    def _begin(self, title: str, command: list[str], board: Region | None, n_games: int | None = None) -> None:
        """Run a command that clicks or draws; `board` is where the board is that it is about."""
        if self._pointing is None:
            self._give_way()
        self._pointing = None
        words = f"{title} begins. {label_key(self._options.kept.abort_key)} stops it."
        self._run = Run(command, Progress(words, board, n_games), self._pass_on)
        self._game = None if board is None else self._programs.window_at(board.middle)
        self._bar = self._bar or self._stand_in(words, board or self._pointed())

    def _stop(self) -> None:
        """Stop what runs, as its own key does."""
        if self._run is not None:
            self._run.stop()
        elif self._pointing is not None:
            self._come_back("")

    def _pass_on(self, run: Run, event: Event) -> None:
        self._ask(partial(self._note, run, event))

    def _note(self, run: Run, event: Event) -> None:
        """Take in what a command said."""
        board = run.progress.board
        run.progress.note(event)
        if run is self._run and run.progress.board != board and run.progress.board is not None:
            self._game = self._programs.window_at(run.progress.board.middle)
        if event["event"] != "closed":
            return
        code = event["code"]
        summary = run.progress.summary(code)
        if run is self._run:
            self._run = None
            if run.progress.n_ended:
                _keep_recording()
            self._come_back(summary or "Done.")
            if code == ScreenError.exit_code:
                self._examine(run.progress)
        elif self._run is None and self._pointing is None:
            self._hear_start_key()
            if summary:
                self._say(summary)

    def _come_back(self, words: str) -> None:
        """Be the window again."""
        self._pointing = None
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._hear_start_key()
        if words:
            self._say(words)
        self._appear()
        self._looker.renew()
        self._looker.is_resting = False

    def _appear_first(self) -> None:
        """Show the window if it never was: beside the board that is seen."""
        if self._root.state() == "withdrawn" and self._run is None and self._pointing is None:
            board = self._sight.region
            self._game = None if board is None else self._programs.window_at(board.middle)
            self._appear()

    def _appear(self) -> None:
        """Show the window, beside the game where there is room."""
        root = self._root
        root.update_idletasks()  # its size is known then
        width, height = root.winfo_reqwidth(), root.winfo_reqheight()
        game = None if self._game is None else self._programs.place_of(self._game)
        if game is not None:
            size = (width + self._widgets.px(_FRAME_PX), height + self._widgets.px(_TITLE_PX))
            place = place_beside(game, self._monitors(), size)
            if place is not None:
                root.geometry(f"+{place.left}+{place.top}")
        root.deiconify()
        root.lift()

    def _stand_in(self, words: str, board: Region) -> Bar:
        """Show a bar in place of the window, off a board."""
        bar = Bar(self._root, self._widgets, self._stop)
        bar.show(words)
        bar.stand_beside(board, self._monitors())
        return bar

    def _stand_off(self, run: Run, bar: Bar) -> None:
        """Keep the bar off the game's window, or off its board where nobody tells of windows.

        Where it has no room, be an icon; where there are none, come back when the command has ended.
        """
        bar.show(run.progress.words)
        board = run.progress.board
        if board is None:  # it is looked for
            return
        place = None if self._game is None else self._programs.place_of(self._game)
        if place is None:
            self._game = self._programs.window_at(board.middle)
        if not bar.stand_beside(place or board, self._monitors()):
            bar.hide()
            if self._root.state() == "withdrawn" and self._platform.machine().has_icons:
                self._root.iconify()

    # Time

    def _tick(self) -> None:
        """Do what other threads asked for, and what is due."""
        while not self._asked.empty():
            self._asked.get()()
        self._looker.own = self._own_picture()
        self._looker.pointer = pointer = self._pointer()
        if self._run is not None and self._bar is not None:
            if self._run.hears():
                self._keys.close()
            self._stand_off(self._run, self._bar)
        elif self._pointing is not None and self._bar is not None:
            is_on_bar = self._bar.region is not None and self._bar.region.has_pixel(pointer)
            if self._pointing.rests(pointer) and not is_on_bar:
                self._pointing.then(self._pointed())
        self._root.after(_TICK_MS, self._tick)

    def _ask(self, act: Callable[[], None]) -> None:
        """Have something done in the window's thread; called in others."""
        self._asked.put(act)

    def _quit(self) -> None:
        """Close the window; what was set is kept, unless it cannot be."""
        if self._run is not None:
            self._run.stop()
        with suppress(UsageError):
            self._options.save()
        self._root.destroy()

    def _close(self) -> None:
        """Stop everything at once: whatever closed the window."""
        if self._run is not None:
            self._run.stop()
            self._run.wait()

    # The desktop

    def _hear_start_key(self) -> bool:
        """Hear the start key as a press of Play; false where that cannot be, which is told."""
        return self._hear(self._options.kept.hotkey, self._play)

    def _hear(self, name: str, act: Callable[[], None]) -> bool:
        """Hear one key wherever the focus is, and no other any more."""
        self._keys.close()
        if self._platform.machine().asks_person:
            return True
        try:
            keys = self._platform.hot_keys([HotKey(name, lambda: self._ask(act))], _Owner())
            keys.start()
            self._keys.callback(keys.stop)
        except BotError as error:
            self._say(str(error))
            return False
        return True

    def _pointed(self) -> Region:
        """The pixel under the pointer."""
        return Region(*self._pointer(), 1, 1)

    def _pointer(self) -> Pixel:
        return Pixel(*self._root.winfo_pointerxy())

    def _own_picture(self) -> Region | None:
        """Where the window shows a picture of a board; None where it shows none, or another window lies over that."""
        root, picture = self._root, self._canvas
        if self._picture is None or root.state() != "normal":
            return None
        place = Region(picture.winfo_rootx(), picture.winfo_rooty(), picture.winfo_width(), picture.winfo_height())
        shown = self._programs.window_at(place.middle)
        own = self._programs.place_of(int(root.wm_frame(), 16))
        return place if shown is None or own is None or self._programs.place_of(shown) == own else None

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
        then: what is done with the place where it rests.
    """

    def __init__(self, pointer: Pixel, then: Callable[[Region], None]) -> None:
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
    return load_preferences().load_skins("auto", tell)


def _keep_recording() -> None:
    """Let the recording of this game be that of the last one; where that cannot be, the other stays."""
    with suppress(OSError):
        if _recording(is_new=True).exists():
            shutil.rmtree(_recording(), ignore_errors=True)
            _recording(is_new=True).rename(_recording())


def _recording(*, is_new: bool = False) -> Path:
    """Where the game that was played last is recorded, or the one that is played now."""
    recordings = platformdirs.user_data_path("minebot", appauthor=False) / "recordings"
    return recordings / ("game-now" if is_new else "last-game")
