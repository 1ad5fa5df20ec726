"""Tells how play goes: whoever watches it, whoever records it, and the person who wants to know why it stopped."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import BoardNotFoundError
from bot.playing.board_view import corners_of
from bot.playing.decide import PLAIN
from skins.profile_read import shipped_skin_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.models import Frame, Grid, Reading
    from bot.playing.board_view import GameView
    from bot.playing.control import FocusWatch
    from bot.playing.decide import Style
    from bot.playing.results import GameResult
    from bot.playing.situation import Situation
    from skins.skin import Skin
    from solver.board import Move


class Recorder(Protocol):
    """Somebody who keeps what was seen and decided; every method may raise `UsageError` where it cannot be kept."""

    def board(
        self, skin: Skin, grid: Grid, mines: int, style: Style = PLAIN, *, learned: Mapping[int, str] | None = None
    ) -> None:
        """A board was taken up, or is played in another style, or with more sprites known, from here on."""

    def decision(self, frame: Frame, reading: Reading, moves: list[Move]) -> None:
        """One picture of the board, what it was read as, and what was decided."""

    def result(self, result: GameResult) -> None:
        """How a game ended."""


class Watcher(Protocol):
    """Somebody who is told how play goes."""

    def entered(self, state: str) -> None:
        """The player is in another state now."""

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Moves were decided on."""

    def ended(self, result: GameResult) -> None:
        """A game ended."""

    def remark(self, text: str) -> None:
        """Something a person should know."""


class UnreadableError(BoardNotFoundError):
    """The board is there but cannot be read: nothing was clicked on what is not understood."""


class Reporter:
    """Tells all of them.

    Args:
        now: where play stands.
        view: the board.
        focus: whose window is where.
        watcher: told how it goes.
        recorder: keeps what was seen and decided, or None.
        keep_picture: saves the picture of a board that cannot be read; returns where. OSError: it cannot.
    """

    def __init__(
        self,
        now: Situation,
        view: GameView,
        focus: FocusWatch,
        watcher: Watcher,
        recorder: Recorder | None,
        keep_picture: Callable[[Frame], str],
    ) -> None:
        self._now = now
        self._view = view
        self._focus = focus
        self._watcher = watcher
        self._recorder = recorder
        self._keep_picture = keep_picture
        self._recorded_as: tuple[Any, ...] | None = None
        """The board as the recorder knows it."""

    def entered(self, state: str) -> None:
        """The player is in another state now."""
        self._watcher.entered(state)

    def remark(self, text: str) -> None:
        """There is something that a person should know."""
        self._watcher.remark(text)

    def decided(self, moves: Sequence[Move], learned: Mapping[int, str]) -> None:
        """These moves were decided on, by the board as it is known.

        Args:
            moves: none where the game has ended.
            learned: what play has learned of appearances that the skin lacks: their states, by fingerprint.
        """
        now, known = self._now, self._now.known
        assert known is not None, "moves follow from a reading"
        if self._recorder is not None:
            self._record_board(self._recorder, learned)
            self._recorder.decision(now.frame, known, list(moves))
        self._watcher.decided(known, list(moves))

    def ended(self, result: GameResult) -> None:
        """A game ended so."""
        if self._recorder is not None:
            self._recorder.result(result)
        self._watcher.ended(result)

    def stop(self, what: str, hint: str = "") -> UnreadableError:
        """An error that tells what happened, what may help, and where the last picture is, if there is one."""
        lines = (f"{what}: nothing more was clicked", hint, self._kept())
        return UnreadableError("\n".join(line for line in lines if line))

    @property
    def who_has_keyboard(self) -> str:
        """What a person should know if another window of the game has the keyboard; empty where none has."""
        has_other = self._focus.has_other_window()
        return ", and another window of the game has the keyboard (close it)" if has_other else ""

    @property
    def what_helps(self) -> str:
        """What a person may do about a board that is not seen whole; empty where all of it can be read."""
        seen, focus = self._now.seen, self._focus
        if seen is None or (seen.is_in_place and not seen.reading.unknown):
            return ""
        if focus.window is not None and not focus.has_window:
            return "Its window is closed."
        cells = seen.reading.unknown if seen.is_in_place else tuple(product(*map(range, seen.reading.board.shape)))
        if focus.window is not None and not focus.is_all_of_window(corners_of(self._view.grid, cells)):
            return "Another window lies over it, or its own is an icon or elsewhere: bring it to the front."
        if not seen.is_in_place:
            return "Show all of it, as it was."
        name = self._view.board.skin.name
        own = "NAME" if name in shipped_skin_names() else f"{name} --force"
        return f"If nothing lies over it, skin {name} lacks a look: minebot-calibrate --live --name {own} learns it"

    def _record_board(self, recorder: Recorder, learned: Mapping[int, str]) -> None:
        """Tell the recorder of the board where it is not the one that it knows."""
        board, now = self._view.board, self._now
        assert board.mines is not None, "a board is played only where its mine count is known"
        own = board.skin, board.grid, board.mines, now.style
        if (*own, learned) != self._recorded_as:
            self._recorded_as = (*own, learned)
            recorder.board(*own, learned=learned)

    def _kept(self) -> str:
        """Keep the last picture, if there is one; says where."""
        if self._now.seen is None:
            return ""
        try:
            return f"Its picture is kept in {self._keep_picture(self._now.seen.frame)}"
        except OSError as error:
            return f"Its picture cannot be kept: {error}"
