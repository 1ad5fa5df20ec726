"""Screen, mouse and keyboard in one, with a game between them, and what a test can make happen to it."""

from __future__ import annotations

import numpy as np

from bot.errors import ScreenError
from bot.models import Button, Frame, Held, Pixel, Refusal, Region
from fake_desktop.game_side import GameSide
from fake_desktop.records import Press, Target
from fake_desktop.scenery import (
    SCREEN,
    Cover,
    CoverKind,
    Ticker,
    board_cover,
    draw_pointer,
    paste,
    plain_cover,
    text_cover,
    titled_cover,
)
from solver.board import GameState

GRAB_S = 0.0002
GAME, OTHER = 1, 2
"""Programs, and their windows."""
DIALOG_WINDOWS = 3
"""The first dialog's window; the next ones have the numbers after it."""
MOMENT_S = 1e-6
DOUBLE_CLICK_S, DOUBLE_CLICK_PX = 0.4, 5
_CLOSE_PX = 11
"""Scrolling text lies within the window's own margin."""


class FakeDesktop(GameSide):
    """A screen with the window of a game on it.

    Args:
        skin: what the game looks like, and how a new one is begun.
        level: rows, cols and mines.
        seed: equal seeds are equal games and equal faults.
        faults: how it misbehaves all the time.
        origin: top left pixel of the board.
        layouts: the layouts of the first games; drawn from the seed where there are none left.
    """

    def __init__(self, skin, level, *, seed=0, faults=None, origin=None, layouts=()):
        super().__init__(skin, level, seed=seed, faults=faults, origin=origin, layouts=layouts)
        self.clicks: list[Press] = []
        self.keys: list[tuple[str, bool]] = []
        self.stray_keys: list[str] = []
        self.untimely_keys: list[str] = []
        self.buttons_down: set[Button] = set()
        self.pointer = Pixel(0, 0)
        self.draws_pointer = False
        self.has_focus = True
        self.knows_programs = True
        self.holds = Held()
        self.before_press = lambda: None
        """Called when a click is asked for, after the last look of all."""
        self._followed = None
        self.on_click = lambda _n_clicks: None
        self.on_grab = lambda _n_grabs: None
        self.n_grabs = 0
        self._covers: list[Cover] = []
        self._after_clicks = {}

    # --- the ports

    def grab(self, region=None):
        self.n_grabs += 1
        self.clock.advance(GRAB_S)
        self._catch_up()
        self.on_grab(self.n_grabs)
        seen = SCREEN if region is None else region
        if not _is_inside(seen, SCREEN):
            raise ScreenError(f"the screen cannot be captured at {seen}: it is {SCREEN}")
        return Frame(self._picture(seen), seen.left, seen.top)

    def close(self):
        """Nothing to give back."""

    def position(self):
        self._catch_up()
        return self.pointer

    def move(self, pixel):
        self._catch_up()
        self.pointer = pixel

    def click(self, click):
        self._catch_up()
        self.before_press()
        if self._followed is not None and self._window_shown_at(click.pixel) != self._followed:
            return Refusal.COVERED
        if self.holds:
            return Refusal.HELD
        self.press_button(click)
        self.release_button(click.button)
        return click.pixel

    def follow(self, pixel):
        """Clicks go to places on the screen, in this window."""
        self._catch_up()
        self._followed = self._window_shown_at(pixel)

    def held(self):
        self._catch_up()
        return self.holds

    def press_button(self, click):
        """Move there and press; the game reacts at once."""
        self._catch_up()
        self.buttons_down.add(click.button)
        self.pointer = pixel = click.pixel
        cell, target = self.cell_at(pixel), self.target_at(pixel)
        truth = {
            "pixel": pixel,
            "cell": cell,
            "game": len(self.games) - 1,
            "code": None if cell is None else self.game.code(cell),
            "is_half_painted": self.is_half_painted,
            "is_covered": self.is_covered,
            "is_paused": not self.control.is_running,
            "n_keys": len(self.keys),
            "at_s": self.clock.now,
            "button": click.button,
            "target": target,
            "is_mine": cell is not None and self.game.layout is not None and bool(self.game.layout.has_mine[cell]),
            "stale_s": self._repaints.stale_s(self._window.words),
            "is_aborted": self.is_aborted,
        }
        was_lost = self.game.state is GameState.LOST
        fate = self._fate(target)
        if self.faults.ignores_double_clicks and self._is_double_click(click):
            fate = "ignored"
        if fate == "taken":
            self._deliver(target, cell, click.button)
        elif fate == "queued":
            self._queue.append((target, cell, click.button))
        exploded = self.game.state is GameState.LOST and not was_lost
        self.clicks.append(Press(**truth, has_exploded=exploded, fate=fate))

    def release_button(self, button):
        """Let go; only now anything else may happen."""
        self.buttons_down.discard(button)
        n_clicks = len(self.clicks)
        self.on_click(n_clicks)
        for happen in self._after_clicks.pop(n_clicks, ()):
            self.clock.after(MOMENT_S, happen)

    def focused(self):
        self._catch_up()
        if not self.knows_programs:
            return None
        return GAME if self.has_focus else OTHER

    def turned_to(self):
        return []

    def at(self, pixel):
        self._catch_up()
        if not self.knows_programs:
            return None
        return GAME if self.target_at(pixel) in {Target.BOARD, Target.SPOT, Target.DIALOG, Target.WINDOW} else OTHER

    def focused_window(self):
        program = self.focused()
        return program if program != GAME or not self.dialog_is_up else self._dialog_window

    def window_at(self, pixel):
        program = self.at(pixel)
        return self._dialog_window if program == GAME and self.target_at(pixel) is Target.DIALOG else program

    def has_window(self, window):
        self._catch_up()
        return self.knows_programs and not (window == GAME and self.is_closed)

    def dialogs(self, window):
        is_up = self.knows_programs and window == GAME and self.dialog_is_up
        return [self._dialog_window] if is_up else []

    def activate(self, window):
        """Nothing: its dialogs have the keyboard whenever the game has it."""

    @property
    def _dialog_window(self):
        return DIALOG_WINDOWS + self.n_dialogs_closed

    def press(self, key, _window=None):
        self._catch_up()
        if not self.control.is_running:
            self.untimely_keys.append(key)
        if not self.has_focus:
            self.stray_keys.append(key)
            return True
        self.keys.append((key, self.dialog_is_up))
        if self.dialog_is_up and not self.is_frozen:
            self._answer_dialog(key)
        return True

    # --- the truth

    @property
    def is_covered(self):
        """Whether anything lies over the board, or it is gone."""
        lies_over = any(_overlap(cover.region, self.grid.region) for cover in self._covers)
        return self.dialog_covers or lies_over or self.is_closed

    def target_at(self, pixel):
        """What lies uppermost at a pixel."""
        layers = [(cover.region, Target.COVER) for cover in self._covers]
        if not self.is_closed:
            layers += [(self.dialog_region, Target.DIALOG)] if self.dialog_is_up else []
            layers += [(self.grid.region, Target.BOARD)]
            layers += [(self.face_region, Target.SPOT)] if self.face_region is not None else []
            layers += [(self._window.region, Target.WINDOW)]
        found = (target for region, target in layers if region.has_pixel(pixel))
        return next(found, Target.OUTSIDE) if SCREEN.has_pixel(pixel) else Target.OUTSIDE

    def cell_clicks(self, game=0):
        """The clicks on cells during one game."""
        return [press for press in self.clicks if press.game == game and press.cell is not None]

    # --- what a test makes happen

    def after_clicks(self, n_clicks, happen):
        """Make something happen as soon as time passes after the click of that number, the first being 1.

        Clicks of one burst, between which nobody looks or waits, all belong to one moment.
        """
        self._after_clicks.setdefault(n_clicks, []).append(happen)

    def cover(self, rows, cols):
        """Lay a window of no known sprite over rows x cols of cells (two ranges), for good."""
        first, last = self.grid.cell_region((rows[0], cols[0])), self.grid.cell_region((rows[-1], cols[-1]))
        width, height = last.left + last.width - first.left, last.top + last.height - first.top
        self.cover_pixels(first.left, first.top, width, height)

    def cover_pixels(self, left, top, width, height):
        """Lay a window of no known sprite over these pixels of the screen; returns what `uncover` takes away again."""
        cover = plain_cover(Region(left, top, width, height))
        self._covers.append(cover)
        return cover

    def cover_with(self, kind, share, *, seed=0, level="beginner"):
        """Lay a window over part of the board; it stays there when the board moves.

        Args:
            kind: what it shows; the picture of a board and a tooltip have sizes of their own.
            share: (left, top, width, height) in boards, from the board's top left corner.
            seed: of the picture of a board.
            level: of the picture of a board.

        Returns:
            What `uncover` takes away again.
        """
        board = self.grid.region
        left, top = board.left + round(share[0] * board.width), board.top + round(share[1] * board.height)
        region = Region(left, top, max(round(share[2] * board.width), 8), max(round(share[3] * board.height), 24))
        if kind is CoverKind.BOARD:
            cover = board_cover(Pixel(left, top), self.skin, level, seed)
        elif kind is CoverKind.TOOLTIP:
            cover = text_cover(Region(left, top, 110, 18), is_tooltip=True)
        elif kind is CoverKind.TEXT:
            cover = text_cover(region)
        else:
            cover = titled_cover(region)
        self._covers.append(cover)
        return cover

    def uncover(self, cover):
        """Take a covering window away."""
        self._covers.remove(cover)

    def move_window(self, dx, dy):
        """Move the game's window; it may go partly off the screen."""
        self._window.move(dx, dy)

    def rescale(self, percent):
        """Show the game at another scale; its window stays on the screen."""
        self._window.rescale(percent)
        self._keep_on_screen()

    def person_moves(self, pixel):
        """Move the pointer as a person does."""
        self.pointer = pixel

    def person_clicks(self, button=Button.LEFT):
        """Click a closed cell as a person does, whatever is under it; none where the game is over."""
        cells = self.closed_cells()
        if cells:
            cell = self._rng.choice(cells)
            self.pointer = self.grid.cell_region(cell).middle
            self._deliver(Target.BOARD, cell, button)

    def lose_focus(self):
        """Another window takes the keyboard; the next click on the game only gives it back."""
        self.has_focus = False

    def abort(self):
        """A person presses the abort key."""
        self.is_aborted = True
        self.control.abort()

    def scroll_text(self, side, gap_px):
        """Let text scroll for ever right beside the board."""
        self._tickers.append(Ticker(side, gap_px))

    # --- inside

    def _window_shown_at(self, pixel):
        """The cover, the dialog, the game's window or the desktop, whichever is uppermost."""
        target = self.target_at(pixel)
        if target is Target.COVER:
            return next(id(cover) for cover in self._covers if cover.region.has_pixel(pixel))
        return target if target in {Target.DIALOG, Target.OUTSIDE} else Target.WINDOW

    def _fate(self, target):
        """What becomes of a click there now."""
        if target in {Target.COVER, Target.OUTSIDE}:
            self.has_focus = False
            return "elsewhere"
        if target is Target.DIALOG:
            self.has_focus = True
            return "on a dialog"
        if self.dialog_is_due:
            return "blocked by a dialog"
        if self.is_frozen:
            return "queued" if self.queues_clicks else "dropped"
        if not self.has_focus:
            self.has_focus = True
            return "taken as focus"
        return "lost" if self._is_lost() else "taken"

    def _is_double_click(self, click):
        """As GTK takes it: the same button, too soon, too close to the last click, whatever became of that."""
        last = self.clicks[-1] if self.clicks else None
        return (
            last is not None
            and last.button is click.button
            and self.clock.now - last.at_s < DOUBLE_CLICK_S
            and max(abs(last.pixel.x - click.pixel.x), abs(last.pixel.y - click.pixel.y)) <= DOUBLE_CLICK_PX
        )

    def _picture(self, seen):
        if self.is_closed or not _is_inside(seen, self._window.region):
            x, y = seen.left - SCREEN.left, seen.top - SCREEN.top
            pixels = self._desk[y : y + seen.height, x : x + seen.width].copy()
        else:  # all of it is drawn over
            pixels = np.empty((seen.height, seen.width, 3), dtype=np.uint8)
        if not self.is_closed:
            self._window.draw_on(pixels, seen, {cell: word for cell, (word, _) in self._wrong.items()})
            board, now = self.grid.region, self.painted_at
            for ticker in self._tickers:
                region = ticker.region(board, _CLOSE_PX)
                paste(pixels, seen, ticker.picture(region, now), region.left, region.top)
            if self.dialog_is_up:
                dialog = plain_cover(self.dialog_region, 240)
                paste(pixels, seen, dialog.pixels_bgr, dialog.region.left, dialog.region.top)
        for cover in self._covers:
            paste(pixels, seen, cover.pixels_bgr, cover.region.left, cover.region.top)
        if self.draws_pointer:
            draw_pointer(pixels, seen, self.pointer)
        return pixels


def _is_inside(inner, outer):
    fits_x = outer.left <= inner.left and inner.left + inner.width <= outer.left + outer.width
    fits_y = outer.top <= inner.top and inner.top + inner.height <= outer.top + outer.height
    return fits_x and fits_y and inner.width > 0 and inner.height > 0


def _overlap(a, b):
    is_x = a.left < b.left + b.width and b.left < a.left + a.width
    return is_x and a.top < b.top + b.height and b.top < a.top + a.height
