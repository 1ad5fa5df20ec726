"""A clone on a fake desktop that shows the end of a game in appearances that its skin may lack."""

from __future__ import annotations

import numpy as np
from fake_desktop import FakeDesktop
from fake_desktop.window import MARGIN_PX, TOP_PX, GameWindow

from solver.board import EXPLODED


class _PaintedWindow(GameWindow):
    """A window whose board, once its game is over, is painted in other colours, at some ends."""

    is_painted = staticmethod(lambda: False)
    is_blank = staticmethod(lambda: False)

    def picture(self, wrong):
        picture = super().picture(wrong)
        painted = picture.copy()
        if self.is_blank():
            painted[TOP_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX] = 120
            return painted
        if not self.is_painted():
            return picture
        painted[TOP_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX] = 255 - painted[TOP_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX] // 2
        return painted


class StrangeEnds(FakeDesktop):
    """A fake desktop whose game paints its ends as it is told to.

    Args:
        ends: by the state of the game, "won" or "lost", what comes up on the mines ("flag", "mine"), on all cells
            ("painted", or "blank" where they are all alike), on the mine that was hit and nowhere else ("hit"), or on
            what stayed closed ("numbers": its numbers, and "mine" on the mines).
    """

    def __init__(self, skin, level, *, ends, **options):
        super().__init__(skin, level, **options)
        self.ends = ends
        before = self._window
        self._window = _PaintedWindow(skin, level[:2], before.grid.origin)
        self._window.is_painted = lambda: self._end() == "painted"
        self._window.is_blank = lambda: self._end() == "blank"

    def _end(self):
        return self.ends.get(self.game.state.value) if self.game.is_over else None

    def _show(self, clicked, changed, after, *, is_flag):
        end = self._end()
        if end == "hit":
            changed = [cell for cell in changed if after[cell] == EXPLODED]
        super()._show(clicked, changed, after, is_flag=is_flag)
        if end in {None, "painted", "blank", "hit"}:
            return
        layout, at_s = self.game.layout, self.clock.now + self._delay()
        words = [(tuple(cell), "mine" if end == "numbers" else end) for cell in np.argwhere(layout.has_mine).tolist()]
        if end == "numbers":
            hidden = np.argwhere(~layout.has_mine & (after < 0)).tolist()
            words += [(tuple(cell), str(layout.numbers[tuple(cell)])) for cell in hidden]
        self._repaints.add(at_s, words)
