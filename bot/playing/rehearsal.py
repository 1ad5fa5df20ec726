"""A dry run: what would be clicked on the board as it is now, and nothing is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.playing.actuator import has_chords
from bot.playing.decide import check_risk, decide
from bot.playing.eyes import Eyes
from bot.playing.judge import Sight, judge
from bot.playing.player import UnreadableError
from bot.playing.search import Search
from solver.board import format_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Pixel, Reading
    from bot.playing.control import Control
    from bot.playing.manner import Watcher
    from bot.playing.session import PlayOptions
    from bot.ports import Screen
    from skins.skin import Skin
    from solver.board import Move


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What play would begin with.

    Attributes:
        reading: what is seen.
        clicks: the moves that would be made, each with the pixel it would be clicked at.
    """

    reading: Reading
    clicks: list[tuple[Move, Pixel]]

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        return {
            "dry_run": True,
            "skin": self.reading.skin,
            "board": format_rows(self.reading.board.cells),
            "state": self.reading.state.value,
            "mines": self.reading.board.mines,
            "moves": [
                {
                    "action": move.action.value,
                    "cell": list(move.cell),
                    "pixel": list(pixel),
                    "p_mine": None if math.isnan(move.p_mine) else move.p_mine,
                    "why": move.why,
                }
                for move, pixel in self.clicks
            ],
        }


def rehearse(
    screen: Screen, skins: Sequence[Skin], options: PlayOptions, control: Control, watcher: Watcher
) -> Rehearsal:
    """Find the board, read it, decide; nothing is clicked and no pointer moved.

    Raises:
        Aborted: the abort key was pressed.
        BoardNotFoundError: there is no board, or it cannot be read.
        InconsistentError: it contradicts itself.
        TooRiskyError: nothing would be clicked but a guess above the limit.
        UsageError: its mine count is not known.
    """
    control.check()
    place = Search(screen, skins, control, region=options.region, mines=options.mines).first()
    if place.remark:
        watcher.remark(place.remark)
    reading = Eyes(screen, place, control).settled()
    sight = judge(reading, None)
    if sight in (Sight.HIDDEN, Sight.HALF_PAINTED):
        raise UnreadableError(f"the board would not be played as it is: {sight.value}")
    style = options.manner.style
    moves = decide(reading, replace(style, chords=style.chords and has_chords(place.board.skin)))
    if moves:
        check_risk(moves[0], reading, options.manner.risk_limit)
    return Rehearsal(reading, [(move, reading.grid.cell_region(move.cell).middle) for move in moves])
