"""The coach's loop: look when the clone has painted, think, draw; and say why of the cell under the pointer.

While it is hidden it looks only when it is asked whether to guess, and says that alone.

It holds no mouse and no keyboard: it cannot click. What is drawn follows the window at once, and is taken away while
the board cannot be read; marks of proven cells stay while the rest is repainted, for what is proven stays proven.

`WindowBoard` watches the board of one window, and finds it anew when it went elsewhere in the window. Unlike the player
it may take any board that shows: nothing is clicked. But what is not whole is not believed either.

`GameRecorder` keeps the games that are watched, for `minebot review`.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bot.coaching.drawing import NO_MARKS, PANEL_WIDTH_PX, draw_marks, draw_panel, mark, place_panel
from bot.coaching.knowledge import answer_guess, give_reason, know, remark_on
from bot.desktop import HotKey
from bot.errors import ScreenError, WindowClosedError
from bot.models import Frame, Region, Sheet
from bot.playing.board_view import Found, KnownBoard, watch_known
from bot.playing.transitions import ENDED, GameScore, Obstruction, continues, has_closed_again
from bot.vision.board_edge import watch_border
from bot.vision.finding import find_boards
from solver.board import CLOSED, FLAG, GameState
from solver.layout import FirstClick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from bot.coaching.drawing import Marks
    from bot.coaching.knowledge import CellRemark, GuessAnswer, Knowledge
    from bot.desktop import Overlay, WatchedWindow
    from bot.models import Grid, Pixel, Reading
    from bot.playing.board_view import GameObservation, GameView
    from bot.playing.control import Control
    from bot.reporting.recording import Journal
    from skins.skin import Skin
    from solver.topology import Cell

_SEARCH_S = 0.3
"""Time that a board is unreadable before it is looked for elsewhere, in seconds: GNOME Mines fades for 0.2 s."""
_TICK_S = 0.012  # pause between two questions whether anything has changed; they take a millisecond
REST_S = 0.15
"""Time after which the pointer rests on a cell, in seconds: then its reason is worked out, which may take a while."""


class Listener(Protocol):
    """Somebody who is told what the coach says, besides what it draws."""

    def position(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel, took_s: float) -> None:
        """A board is known; `corner` is where the window is on the screen, `took_s` the time from change to drawing."""

    def drawn_anew(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel) -> None:
        """The window is elsewhere on the screen, or other marks are asked for; the board is the same."""

    def cell(self, remark: CellRemark, reason: str) -> None:
        """The pointer rests on a cell, and this is why it is what it is."""

    def warning(self, remark: CellRemark) -> None:
        """The pointer is over a mine."""

    def guess(self, answer: GuessAnswer) -> None:
        """A person asked whether to guess a cell; also while nothing else is told."""

    def hidden(self, why: str) -> None:
        """Nothing is drawn any more for now."""

    def ended(self, why: str) -> None:
        """Nothing is drawn ever again."""


class WindowBoard:
    """The board of one window: what it shows, and whether that can be believed.

    Args:
        window: the window.
        skins: what the board may look like, the likeliest first.
        mines: the mine count as a person gave it, for boards of the size that is found first; None to take it from the
            clone's counter or the board's size.
        control: the abort key.
        remark: told what a person should know of the mine count.
    """

    def __init__(
        self,
        window: WatchedWindow,
        skins: Sequence[Skin],
        mines: int | None,
        control: Control,
        remark: Callable[[str], None],
    ) -> None:
        self._window = window
        self._skins = skins
        self._given = mines
        self._given_for: tuple[int, ...] | None = None
        self._control = control
        self._remark = remark
        self._view: GameView | None = None
        self._doubt = ""
        """What speaks against the mine count: it is read again, as the clone may be painting."""
        self._reported: set[str] = set()
        self._known: Reading | None = None
        self._ignored_flags: frozenset[Cell] = frozenset()
        self._obstruction: Obstruction | None = None

    @property
    def is_in_trouble(self) -> bool:
        """Whether another look is needed though nothing changes."""
        is_doubtful = self._doubt != "" and self._doubt not in self._reported
        return is_doubtful or self._obstruction is not None or self._view is None

    @property
    def skin(self) -> Skin:
        """What the board that is watched looks like."""
        assert self._view is not None, "something was read"
        return self._view.board.skin

    def forget_place(self) -> None:
        """The window has another size: its board may be anywhere."""
        self._view = self._obstruction = None

    def look(self) -> GameObservation | None:
        """Look at the board; None where it is nowhere to be seen.

        Raises:
            WindowClosedError: the window is closed.
        """
        try:
            observation = self._view.look() if self._view is not None else self._search() if self._may_search else None
            if observation is not None and observation.is_sure:
                return self._believed(observation)
            return self._troubled(observation)
        except WindowClosedError:
            raise
        except ScreenError:  # hidden or resized in this very moment
            return None

    def _believed(self, seen: GameObservation) -> GameObservation:
        """An observation that is sure: what follows from it for later ones."""
        reading, known = seen.reading, self._known
        self._obstruction = None
        self._ignored_flags = self._ignored_in(reading)
        self._known = reading
        is_another = known is not None and (
            reading.board.shape != known.board.shape or has_closed_again(reading, known)
        )
        return self._recounted(seen) if self._doubt or (is_another and reading.state is GameState.FRESH) else seen

    def _ignored_in(self, reading: Reading) -> frozenset[Cell]:
        """Cells that had a flag in this game, and may be closed beside an open 0."""
        known = self._known
        if known is None or not continues(reading, known):
            return frozenset()
        unflagged = np.argwhere((known.board.cells == FLAG) & (reading.board.cells == CLOSED)).tolist()
        return self._ignored_flags | {tuple(cell) for cell in unflagged}

    def _troubled(self, observation: GameObservation | None) -> GameObservation | None:
        """What is seen instead of a whole board: look for it elsewhere once that has lasted."""
        if self._obstruction is None:
            self._obstruction = Obstruction("the board cannot be read", time.perf_counter())
        if self._view is None or not (self._obstruction.has_lasted(_SEARCH_S) and self._may_search):
            return observation
        before = self._view.grid
        found = self._search()
        if found is None or found.is_sure:
            return None if found is None else self._believed(found)
        return observation if found.reading.grid == before else found

    @property
    def _may_search(self) -> bool:
        """Whether the last search is long enough ago."""
        return self._obstruction is None or self._obstruction.is_time_to_search

    def _search(self) -> GameObservation | None:
        """Find the board in the whole window."""
        if self._view is not None:
            return self._view.relocate()
        found = self._largest()
        if found is None or found.board is None:
            return None
        board = found.board[0]
        self._view = watch_known(self._window, self._control, board, found.frame, self._largest)
        return self._view.seen_on(found.frame)

    def _largest(self, _seen: GameObservation | None = None) -> Found[KnownBoard] | None:
        """The board with the most recognised cells, wherever it is."""
        if self._obstruction is not None:
            self._obstruction.note_search()
        frame = self._window.grab()
        boards = [board for board in find_boards(frame, self._skins) if not board.grid.clipped]
        if not boards:
            return None
        board = KnownBoard(max(boards, key=lambda board: board.n_known), None, self._ignored_in)
        board.mines = self._count(board, frame)
        return Found(frame, (board, watch_border(frame, board.grid, board.skin)))

    def _count(self, board: KnownBoard, frame: Frame) -> int | None:
        """How many mines a board has."""
        self._given_for = self._given_for or board.grid.shape
        count = board.count_mines(frame, self._given if board.grid.shape == self._given_for else None)
        if count.remark and count.remark == self._doubt and count.remark not in self._reported:
            self._reported.add(count.remark)
            self._remark(count.remark)
        self._doubt = count.remark
        return count.mines

    def _recounted(self, observation: GameObservation) -> GameObservation:
        """An observation with its mine count read again."""
        assert self._view is not None, "something was read"
        board = self._view.board
        board.mines = self._count(board, self._window.grab())
        return replace(observation, reading=board.read(observation.frame))


class GameRecorder:
    """Writes the games that are watched into a recording: every whole board, and how each game ended.

    A board whose mine count is not known is not kept: nothing can be said of its clicks.

    Args:
        journal: the recording.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._place: tuple[str, Grid, int] | None = None
        self._last: Reading | None = None
        self._score: GameScore | None = None

    def note(self, observation: GameObservation, skin: Skin) -> None:
        """Keep a board that is sure, and is another one than the last.

        Raises:
            UsageError: the recording cannot be written to.
        """
        reading, last, mines = observation.reading, self._last, observation.reading.board.mines
        if mines is None:
            return
        is_another = last is None or has_closed_again(reading, last)
        if is_another:
            self._score = None
        if reading.state in ENDED and (last is None or is_another or last.state in ENDED):
            return  # it was over before anybody looked, or its end was kept
        place = (skin.name, reading.grid, mines)
        if place != self._place:
            self._place = place
            self._journal.board(skin, reading.grid, mines)
        self._last = reading
        self._journal.seen(observation.frame, reading)
        now = time.perf_counter()
        if self._score is None and reading.state is not GameState.FRESH:
            self._score = GameScore(now, now, 0, 0, 0, is_whole=last is not None)
        if self._score is None:
            return
        self._score.ended_at = now
        if reading.state in ENDED:
            self._journal.result(self._score.result(reading, n_clicks=0, n_retries=0))
            self._score = None


@dataclass(slots=True)
class _Pointed:
    """The cell under the pointer, since when, and what is said of it."""

    cell: Cell | None = None
    since: float = 0.0
    remark: CellRemark | None = None
    reasoning: Future[str] | None = None
    """Worked out beside, as it may take longer than the next change of the board does."""
    reason: str | None = None


class _Asked(NamedTuple):
    """What a person asked to see besides the usual.

    Attributes:
        has_proof: the whole proof, not its first sentence alone.
        has_all_risks: the risk of every closed cell, not of the frontier alone.
    """

    has_proof: bool = False
    has_all_risks: bool = False


class CoachKeys:
    """The keys by which a person asks the coach for more, or for less again.

    The thread that hears the keys changes what is asked; the coach looks at it in every round.

    Args:
        proof_key: shows whole proofs.
        risks_key: shows the risk of every closed cell.
        guess_key: asks whether to guess the cell under the pointer.
    """

    def __init__(self, proof_key: str = "f7", risks_key: str = "f8", guess_key: str = "f6") -> None:
        self._keys = proof_key, risks_key, guess_key
        self.asked = _Asked()
        self.n_guesses = 0
        """How often it was asked whether to guess."""

    def hot_keys(self) -> list[HotKey]:
        """The keys, and what each does."""
        acts = (self.toggle_proof, self.toggle_risks, self.ask_to_guess)
        return [HotKey(key, act) for key, act in zip(self._keys, acts, strict=True)]

    def toggle_proof(self) -> None:
        """Show whole proofs, or their first sentences."""
        self.asked = self.asked._replace(has_proof=not self.asked.has_proof)

    def toggle_risks(self) -> None:
        """Show all risks, or those of the frontier."""
        self.asked = self.asked._replace(has_all_risks=not self.asked.has_all_risks)

    def ask_to_guess(self) -> None:
        """Ask whether to guess the cell under the pointer."""
        self.n_guesses += 1

    def describe(self, control: Control) -> str:
        """All keys and what they do next, in one line."""
        proof_key, risks_key, guess_key = (key.capitalize() for key in self._keys)
        proof = "in short" if self.asked.has_proof else "proof"
        risks = "fewer risks" if self.asked.has_all_risks else "all risks"
        parts = (
            f"{guess_key} guess?",
            f"{proof_key} {proof}",
            f"{risks_key} {risks}",
            f"{control.start_name} {'hide' if control.is_running else 'show'}",
            f"{control.abort_name} end",
        )
        return "    ".join(parts)


class Coach:
    """Coaches over one window.

    Args:
        window: the clone's window.
        overlay: draws over it.
        board: its board.
        control: hidden while it is paused; asked while waiting.
        listener: told what is known.
        keys: how a person asks for more.
        recorder: keeps the games, or None.
        scale_of: how much larger than usual the desktop draws on a monitor, None where that is not known.
    """

    def __init__(
        self,
        window: WatchedWindow,
        overlay: Overlay,
        board: WindowBoard,
        control: Control,
        listener: Listener,
        keys: CoachKeys,
        recorder: GameRecorder | None = None,
        scale_of: Callable[[Region], float | None] = lambda _: None,
    ) -> None:
        self._window = window
        self._overlay = overlay
        self._board = board
        self._control = control
        self._listener = listener
        self._recorder = recorder
        self._scale_of = scale_of
        self._keys = keys
        self._asked = keys.asked
        self._place: Region | None = None
        self._observation: GameObservation | None = None
        self._reading: Reading | None = None
        self._knowledge: Knowledge | None = None
        self._marks = NO_MARKS
        self._told_corner: Pixel | None = None
        self._pointed = _Pointed()
        self._answer: GuessAnswer | None = None
        """Whether to guess, as long as the pointer and the board stay."""
        self._n_answered = keys.n_guesses
        self._panel: tuple[tuple[str, str, str, bool, float], Sheet] | None = None
        self._is_shown = False
        self._thinker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="coach")

    def run(self) -> None:
        """Coach until the window is closed.

        Raises:
            Aborted: the abort key was pressed.
        """
        try:
            while True:
                self.step()
                self._control.wait(_TICK_S)
        except WindowClosedError:
            self._listener.ended("the window was closed")
        finally:
            self._thinker.shutdown(wait=False, cancel_futures=True)

    def step(self) -> None:
        """One round: see what has changed since the last one, and what follows.

        Raises:
            Aborted: the abort key was pressed.
            WindowClosedError: the window is closed.
        """
        self._control.raise_if_aborted()
        began_at = time.perf_counter()
        place = self._window.place()
        if place is None:
            self._hide("the window does not show")
            self._n_answered = self._keys.n_guesses  # nobody is to be answered later
            return
        self._overlay.follow()
        has_moved = place != self._place
        if self._place is not None and (place.width, place.height) != (self._place.width, self._place.height):
            self._board.forget_place()
        self._place = place
        if not self._control.is_running:
            if self._is_shown:
                self._hide(f"hidden by {self._control.start_name}")
            self._answer_alone(has_moved=has_moved)
            return
        has_changed = self._window.has_changed()
        if has_changed or not self._is_shown or self._board.is_in_trouble:
            self._see(self._board.look(), began_at)
        if self._is_shown and any((self._point(), self._answer_guess(), self._obey_keys(), has_moved)):
            self._draw()
        if self._is_shown and not has_moved and place.corner != self._told_corner:
            self._tell_anew(place.corner)

    # --- the board

    def _see(self, observation: GameObservation | None, began_at: float) -> None:
        """Know, mark and draw what was seen."""
        if observation is None:
            self._hide("the board cannot be seen")
            return
        self._observation = observation
        if observation.is_sure:
            self._learn(observation, began_at)
        elif self._reading is None or not continues(observation.reading, self._reading):
            self._hide("the board cannot be read")
        else:
            before, self._marks = self._marks, self._marks.still_true(observation.reading.board)
            if self._is_shown and self._marks != before:  # what is hidden is told when it comes back whole
                self._draw()

    def _know(self, now: Reading) -> bool:
        """Find out what is known of a whole board; returns whether it was known already."""
        known = self._reading
        is_known = known is not None and known.board == now.board and known.grid == now.grid
        if not is_known or self._knowledge is None:
            with self._control.thinking():
                rule = self._board.skin.first_click
                self._knowledge = know(now.board, None if rule is None else FirstClick(rule))
            self._pointed = _Pointed()
            self._answer = None
        self._reading = now
        return is_known

    def _learn(self, observation: GameObservation, began_at: float) -> None:
        """Draw what is known of a whole board; report it where it is another one than before."""
        is_known = self._know(observation.reading)
        assert self._knowledge is not None, "it is known now"
        self._marks = mark(self._knowledge, everywhere=self._asked.has_all_risks)
        was_shown = self._is_shown
        self._point()
        self._draw()
        if not (is_known and was_shown):
            assert self._place is not None, "it shows somewhere"
            self._told_corner = corner = self._place.corner
            took_s = time.perf_counter() - began_at
            self._listener.position(observation.reading, self._knowledge, self._marks, corner, took_s)
        if not is_known:  # after drawing, which nobody should wait for
            self._record(observation)

    def _record(self, observation: GameObservation) -> None:
        """Keep a whole board, where games are kept."""
        if self._recorder is not None:
            self._recorder.note(observation, self._board.skin)

    def _tell_anew(self, corner: Pixel) -> None:
        """Say what is drawn, and where: its window rests elsewhere than was said, or the marks are others."""
        assert self._reading is not None, "it is shown"
        assert self._knowledge is not None, "the same"
        self._told_corner = corner
        self._listener.drawn_anew(self._reading, self._knowledge, self._marks, corner)

    def _obey_keys(self) -> bool:
        """See what a person asked for; returns whether something else is to be drawn."""
        asked, before = self._keys.asked, self._asked
        if asked == before:
            return False
        self._asked = asked
        # if it is not sure, the next whole board brings its own marks
        is_sure = self._observation is not None and self._observation.is_sure
        if asked.has_all_risks != before.has_all_risks and is_sure and self._knowledge is not None:
            self._marks = mark(self._knowledge, everywhere=asked.has_all_risks)
            self._told_corner = None
        return True

    # --- the pointer

    def _point(self) -> bool:
        """See what the pointer is on; returns whether something else is to be said or drawn."""
        if self._knowledge is None or self._reading is None:
            return False
        cell, pointed = self._cell_pointed_at(), self._pointed
        now = time.perf_counter()
        if cell != pointed.cell or pointed.since == 0.0:
            remark = None if cell is None else remark_on(self._knowledge, cell)
            self._pointed = _Pointed(cell, now, remark)
            if remark is not None and remark.is_warning:
                self._listener.warning(remark)
            return True
        if pointed.remark is None or pointed.reason is not None or now < pointed.since + REST_S:
            return False
        if pointed.reasoning is None:
            pointed.reasoning = self._thinker.submit(give_reason, self._knowledge, pointed.remark.cell)
        if not pointed.reasoning.done():
            return False
        pointed.reason = pointed.reasoning.result()
        self._listener.cell(pointed.remark, pointed.reason)
        return True

    def _cell_pointed_at(self) -> Cell | None:
        assert self._reading is not None, "a board is known"
        pixel = self._window.pointer()
        return None if pixel is None else self._reading.grid.cell_at(pixel)

    @property
    def _is_asked_to_guess(self) -> bool:
        return self._n_answered != self._keys.n_guesses

    def _answer_guess(self) -> bool:
        """Answer whether to guess, once the board is whole; returns whether something else is to be drawn."""
        before, observation = self._answer, self._observation
        if self._is_asked_to_guess and observation is not None and observation.is_sure:
            assert self._knowledge is not None, "the board is whole"
            self._n_answered = self._keys.n_guesses
            with self._control.thinking():
                self._answer = answer_guess(self._knowledge, self._cell_pointed_at())
            self._listener.guess(self._answer)
        elif before is not None and before.cell != self._cell_pointed_at():
            self._answer = None
        return self._answer is not before

    def _answer_alone(self, *, has_moved: bool) -> None:
        """Show while all else is hidden whether to guess, as long as the pointer and the board stay."""
        before = self._answer
        if self._is_asked_to_guess or (before is not None and self._window.has_changed()):
            self._observation = seen = self._board.look()
            if seen is None or not seen.is_sure:
                self._answer = None
            elif not self._know(seen.reading):
                self._record(seen)
        self._answer_guess()
        if self._answer is not None and (has_moved or self._answer is not before):
            self._overlay.show([self._placed_panel()])
        elif self._answer is None and before is not None:
            self._overlay.hide()

    # --- drawing

    def _draw(self) -> None:
        """Show marks and panel as they are to be now."""
        observation, remark = self._observation, self._pointed.remark
        assert observation is not None, "something was seen"
        warned = remark.cell if remark is not None and remark.is_warning and observation.is_sure else None
        marks = draw_marks(observation.frame, observation.reading.grid, self._marks, warned)
        if self._panel is not None and self._is_shown:  # words take longer than marks, which nobody should wait for
            self._overlay.show([marks, self._panel[1]])
        self._overlay.show([marks, self._placed_panel()])
        self._is_shown = True

    def _placed_panel(self) -> Sheet:
        """The panel with what is to be said, beside the window."""
        assert self._knowledge is not None, "something is known"
        assert self._place is not None, "the window shows somewhere"
        remark, headline = self._pointed.remark, self._knowledge.headline
        keys = self._keys.describe(self._control)
        monitor = self._window.monitor()
        scale = max(1.0, min(self._scale_of(monitor) or 1.0, monitor.width / PANEL_WIDTH_PX))
        if self._answer is not None:
            says = (self._answer.title, "", keys, False, scale)
        elif remark is None:
            says = (headline[:1].upper() + headline[1:], "", keys, False, scale)
        else:
            reason = self._pointed.reason or ""
            if not self._asked.has_proof:
                reason = reason.partition("\n")[0]
            says = (remark.title, reason, keys, remark.is_warning, scale)
        if self._panel is None or self._panel[0] != says:
            self._panel = says, draw_panel(*says[:3], is_warning=says[3], scale=scale)
        sheet = self._panel[1]
        place, picture = self._place, sheet.picture
        grid = self._reading.grid.region if self._reading is not None else Region(0, 0, 1, 1)
        board = Region(grid.left + place.left, grid.top + place.top, grid.width, grid.height)
        size = (picture.region.width, picture.region.height)
        corner = place_panel(size, place, board, monitor)
        left, top = corner.x - place.left, corner.y - place.top
        if (picture.left, picture.top) != (left, top):
            sheet = Sheet(Frame(picture.pixels_bgr, left, top), sheet.is_drawn)
            self._panel = says, sheet
        return sheet

    def _hide(self, why: str) -> None:
        """Draw nothing for now."""
        if self._is_shown or self._answer is not None:
            self._overlay.hide()
        self._answer = None
        if self._is_shown:
            self._is_shown = False
            self._listener.hidden(why)
