"""The skin that a board is read with, and what play learns of appearances that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.learning.unknown_appearances import UnknownAppearances

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.playing.board_view import BoardSearch, GameView
    from bot.playing.control import Control
    from bot.playing.new_game import NewGameButton
    from bot.playing.reporter import Reporter
    from bot.playing.situation import Situation
    from skins.skin import Skin, Sprite
    from solver.board import Board


class SkinInPlay:
    """Has the board read with a better skin, or with more sprites, where cells cannot be read.

    Args:
        now: where play stands.
        view: the board.
        search: knows the other skins.
        button: begins a game where the skin says.
        control: asked while thinking.
        reporter: told what was learned.
    """

    def __init__(
        self,
        now: Situation,
        view: GameView,
        search: BoardSearch,
        button: NewGameButton,
        control: Control,
        reporter: Reporter,
    ) -> None:
        self._now = now
        self._view = view
        self._search = search
        self._button = button
        self._control = control
        self._reporter = reporter
        self._appearances: UnknownAppearances | None = None
        """Those that the skin lacks; None until one was met."""

    def has_changed(self, reading: Reading) -> bool:
        """Whether the board is read otherwise from here on: by a skin that reads more, or with new sprites.

        Args:
            reading: some of its cells are unknown, and have been for a while.
        """
        return self._has_better_skin(reading) or self._has_learned(reading)

    def has_worked_out(self, reading: Reading) -> bool:
        """Whether a board tells what an appearance means that had no label yet."""
        appearances = self._appearances
        if appearances is None or not appearances.has_open:
            return False
        with self._control.thinking():
            learned = appearances.narrow(self._now.frame, reading)
        return self._is_read_anew(appearances, learned)

    def positions(self, reading: Reading) -> list[Board]:
        """What the board may be that was read so, with numbers that have no label yet; none where there are none."""
        appearances = self._appearances
        return [] if appearances is None else appearances.positions(self._now.frame, reading)

    @property
    def learned(self) -> dict[int, str]:
        """What play has learned of appearances that the skin lacks: their states, by fingerprint."""
        return {} if self._appearances is None else self._appearances.learned

    @property
    def sure_numbers(self) -> frozenset[int]:
        """The numbers that can be read, where each has the same pixels on every machine."""
        skin, grid = self._view.board.skin, self._view.grid
        is_native = grid.is_whole and grid.pitch_px == skin.pitch_px
        has_same_pixels = is_native and skin.drawing.has_same_pixels
        return frozenset(int(sprite.state) for sprite in skin.sprites if sprite.state.isdecimal() and has_same_pixels)

    @property
    def proven(self) -> tuple[Skin, tuple[Sprite, ...]] | None:
        """The skin, and the sprites that play has proven of it; None where there are none."""
        sprites = () if self._appearances is None else self._appearances.proven
        return (self._view.board.skin, sprites) if sprites else None

    def _has_better_skin(self, reading: Reading) -> bool:
        """Whether another skin reads more of the board."""
        skin = self._search.better_skin(self._view.board.found, self._now.frame, reading)
        if skin is None:
            return False
        self._reporter.remark(f"skin {skin.name} reads more of the board than {reading.skin}: it is read with that one")
        self._view.board.set_skin(skin)
        self._button.set_skin(skin, self._view.grid)
        self._appearances = None
        self._now.style = self._now.style.for_skin(skin)
        return True

    def _has_learned(self, reading: Reading) -> bool:
        """Whether unknown cells turn out to show appearances that the skin does not have."""
        now = self._now
        self._appearances = self._appearances or UnknownAppearances(self._view.board.skin)
        with self._control.thinking():
            learned = self._appearances.meet(now.frame, reading, now.known, now.clicked.moves)
        return self._is_read_anew(self._appearances, learned)

    def _is_read_anew(self, appearances: UnknownAppearances, learned: list[str]) -> bool:
        """Read with what was learned, if anything was; say what."""
        for what in learned:
            self._reporter.remark(what)
        if learned:
            self._view.board.set_skin(appearances.skin)
        return bool(learned)
