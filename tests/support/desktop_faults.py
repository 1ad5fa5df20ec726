"""What can go wrong during play, each with its time: they print as they would be written."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from fake_desktop import SCREEN, CoverKind

from bot.models import Button, Pixel

FOR_GOOD = math.inf
LEVELS = {"old beginner": (8, 8, 10), "beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (16, 30, 99)}
"""Their mine counts follow from their sizes."""


@dataclass(frozen=True)
class AfterClicks:
    """As soon as time passes after the click of this number, the first being 1."""

    n: int


@dataclass(frozen=True)
class AfterSeconds:
    """So many simulated seconds after play began."""

    s: float


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong; `happen` makes it."""

    when: AfterClicks | AfterSeconds
    is_survivable: ClassVar[bool] = True
    """Whether play can go on, now or later."""

    @property
    def lasts_s(self):
        """How long it lasts, 0 where that is for ever or no time at all."""
        for_s = getattr(self, "for_s", 0.0)
        return 0.0 if math.isinf(for_s) else for_s


def _later(desktop, for_s, happen):
    if not math.isinf(for_s):
        desktop.clock.after(for_s, happen)


@dataclass(frozen=True)
class MoveWindow(Fault):
    dx: int
    dy: int
    for_s: float = FOR_GOOD
    """Then it is moved back."""

    def happen(self, desktop):
        desktop.move_window(self.dx, self.dy)
        _later(desktop, self.for_s, lambda: desktop.move_window(-self.dx, -self.dy))


@dataclass(frozen=True)
class MoveOff(Fault):
    """Partly off the screen: so many rows or columns beyond its left, right or bottom edge."""

    side: str
    n_cells: float
    for_s: float

    @property
    def is_survivable(self):
        return not math.isinf(self.for_s)

    def happen(self, desktop):
        board, pitch = desktop.grid.region, desktop.grid.pitch_px
        beyond = round(self.n_cells * pitch[0])
        dx, dy = {
            "left": (SCREEN.left - beyond - board.left, 0),
            "right": (SCREEN.left + SCREEN.width + beyond - board.left - board.width, 0),
            "bottom": (0, SCREEN.top + SCREEN.height + beyond - board.top - board.height),
        }[self.side]
        desktop.move_window(dx, dy)
        _later(desktop, self.for_s, lambda: desktop.move_window(-dx, -dy))


@dataclass(frozen=True)
class CoverBoard(Fault):
    kind: CoverKind
    share: tuple[float, float, float, float]
    """(left, top, width, height) in boards, from the board's top left corner."""
    for_s: float
    picture: tuple[str, int] = ("beginner", 0)
    """Level and seed of the board it shows, where it shows one."""

    @property
    def is_survivable(self):
        return not math.isinf(self.for_s)

    def happen(self, desktop):
        level, seed = self.picture
        cover = desktop.cover_with(self.kind, self.share, level=level, seed=seed)
        _later(desktop, self.for_s, lambda: desktop.uncover(cover))


@dataclass(frozen=True)
class CloseWindow(Fault):
    is_survivable: ClassVar[bool] = False

    def happen(self, desktop):
        desktop.close_window()


@dataclass(frozen=True)
class Freeze(Fault):
    for_s: float
    queues_clicks: bool = False

    @property
    def is_survivable(self):
        return not math.isinf(self.for_s)

    def happen(self, desktop):
        desktop.freeze(queues_clicks=self.queues_clicks)
        _later(desktop, self.for_s, desktop.thaw)


@dataclass(frozen=True)
class LoseClicks(Fault):
    p_lost: float
    most_in_a_row: int = 3
    in_runs: bool = False

    def happen(self, desktop):
        desktop.faults = replace(
            desktop.faults, p_lost=self.p_lost, most_lost_in_a_row=self.most_in_a_row, loses_in_runs=self.in_runs
        )


@dataclass(frozen=True)
class LateRepaint(Fault):
    shortest_s: float
    longest_s: float
    flood_s: float = 0.0

    def happen(self, desktop):
        repaint_s = (self.shortest_s, self.longest_s)
        desktop.faults = replace(desktop.faults, repaint_s=repaint_s, flood_s=self.flood_s)


@dataclass(frozen=True)
class ScrollText(Fault):
    side: str
    gap_px: int

    def happen(self, desktop):
        desktop.scroll_text(self.side, self.gap_px)


@dataclass(frozen=True)
class RaiseDialogs(Fault):
    """In the middle of a game."""

    n: int
    key: str | None
    covers: bool
    for_s: float
    """Each goes by itself after so long."""

    @property
    def is_survivable(self):
        return not math.isinf(self.for_s)

    def happen(self, desktop):
        for n in range(self.n):
            desktop.raise_dialog(0.0, key=self.key, covers=self.covers, for_s=self.for_s * (n + 1))

    @property
    def lasts_s(self):
        return 0.0 if math.isinf(self.for_s) else self.for_s * self.n


@dataclass(frozen=True)
class DialogsAfterGames(Fault):
    n: int
    key: str | None
    covers: bool
    delay_s: float
    after_loss: bool = False

    @property
    def is_survivable(self):
        return self.key is not None and not self.after_loss

    def happen(self, desktop):
        desktop.faults = replace(
            desktop.faults,
            dialogs=self.n,
            dialog_key=self.key,
            dialogs_cover=self.covers,
            dialog_s=self.delay_s,
            dialogs_after_loss=self.after_loss,
        )


@dataclass(frozen=True)
class Rescale(Fault):
    percent: int

    def happen(self, desktop):
        desktop.rescale(self.percent)


@dataclass(frozen=True)
class SwapGame(Fault):
    level: str
    n_opened: int = 0

    def happen(self, desktop):
        desktop.swap_game(LEVELS[self.level], self.n_opened)


@dataclass(frozen=True)
class LoseFocus(Fault):
    def happen(self, desktop):
        desktop.lose_focus()


@dataclass(frozen=True)
class PersonMovesPointer(Fault):
    to: Pixel

    def happen(self, desktop):
        desktop.person_moves(self.to)


@dataclass(frozen=True)
class PersonClicks(Fault):
    button: Button = Button.LEFT

    def happen(self, desktop):
        desktop.person_clicks(self.button)


@dataclass(frozen=True)
class DrawPointer(Fault):
    """Captures show the pointer."""

    for_s: float

    def happen(self, desktop):
        desktop.draws_pointer = True

        def stop():
            desktop.draws_pointer = False

        _later(desktop, self.for_s, stop)


@dataclass(frozen=True)
class Pause(Fault):
    """The start key; it goes on when a person finds that it has been paused for a while."""

    def happen(self, desktop):
        if desktop.control.is_running:
            desktop.control.toggle()


@dataclass(frozen=True)
class Abort(Fault):
    is_survivable: ClassVar[bool] = False

    def happen(self, desktop):
        desktop.abort()
