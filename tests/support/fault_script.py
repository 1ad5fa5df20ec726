"""What goes wrong during one run of play: timed faults, drawn from a seed, printed as they would be written."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from desktop_faults import (
    FOR_GOOD,
    LEVELS,
    Abort,
    AfterClicks,
    AfterSeconds,
    CloseWindow,
    CoverBoard,
    DialogsAfterGames,
    DrawPointer,
    Fault,
    Freeze,
    LateRepaint,
    LoseClicks,
    LoseFocus,
    MoveOff,
    MoveWindow,
    Pause,
    PersonClicks,
    PersonMovesPointer,
    RaiseDialogs,
    Rescale,
    ScrollText,
    SwapGame,
)
from fake_desktop import SCREEN, CoverKind, Faults

from bot.models import Button, Pixel
from bot.playing.decide import PLAIN, Style
from skins import load_shipped_skin

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_LOST_IN_A_ROW = 8
LONGEST_COVER_S = 4.0
LONGEST_FREEZE_S = 3.0
HABITS = Faults(repaint_s=(0.002, 0.025))
"""What a healthy game does."""


@dataclass(frozen=True)
class FaultScript:
    """One run of play and what goes wrong in it."""

    seed: int
    skin: str
    level: str
    origin: Pixel
    n_games: int
    faults: tuple[Fault, ...] = ()
    habits: Faults = HABITS
    is_count_given: bool = False
    """Whether the player is told the mine count of the first game; else it follows from the size."""
    speed: str = "max"
    style: Style = PLAIN
    knows_programs: bool = True
    """Whether the machine says whose window is where, and who has the keyboard."""

    PATIENCE_S: ClassVar[float] = 150.0
    """So long a player may look and wait before it gives up, all in all, besides what the faults themselves last."""
    CLICK_S: ClassVar[Mapping[str, float]] = {"max": 0.4, "fast": 0.6, "human": 3.0}
    """So long one click may take at each speed, where nothing is lost or late."""

    @property
    def limit_s(self):
        """So long, in simulated seconds, a run may take: generous, for it tells only hanging from being slow."""
        levels = [self.level, *(fault.level for fault in self.faults if isinstance(fault, SwapGame))]
        n_clicks = max(rows * cols - mines for rows, cols, mines in (LEVELS[level] for level in levels))
        late_s = max((f.longest_s + f.flood_s for f in self.faults if isinstance(f, LateRepaint)), default=0.0)
        n_lost = max((f.most_in_a_row for f in self.faults if isinstance(f, LoseClicks)), default=0)
        play_s = (self.n_games + len(levels) - 1) * n_clicks * (1 + n_lost) * (self.CLICK_S[self.speed] + late_s)
        return self.PATIENCE_S + play_s + sum(fault.lasts_s for fault in self.faults)

    @property
    def only_loses_clicks(self):
        """Whether nothing else goes wrong: then every game must be finished."""
        return all(isinstance(fault, LoseClicks) for fault in self.faults)

    @property
    def is_survivable(self):
        """Whether nothing goes wrong for good.

        Dialogs do where the skin knows no key for them, or where their keys go to another window.
        """
        has_key = bool(load_shipped_skin(self.skin).new_game.dialog_keys) and LoseFocus not in self.has
        is_answered = has_key or DialogsAfterGames not in self.has
        return is_answered and all(fault.is_survivable for fault in self.faults)

    @property
    def has(self):
        """The kinds of faults in it."""
        return {type(fault) for fault in self.faults}

    def arm(self, desktop):
        """Let every fault happen at its time, counted from now; returns the list of those that have, as they do."""
        desktop.control.resumes_s = 1.0
        happened = []
        for fault in self.faults:

            def happen(fault=fault):
                happened.append(fault)
                fault.happen(desktop)

            if isinstance(fault.when, AfterClicks):
                desktop.after_clicks(len(desktop.clicks) + fault.when.n, happen)
            else:
                desktop.clock.after(fault.when.s, happen)
        return happened

    def __str__(self):
        level = f"{self.level} (mines given)" if self.is_count_given else self.level
        place, knows = tuple(self.origin), "known" if self.knows_programs else "unknown"
        lines = [
            f"script {self.seed}: {self.n_games} x {level} of {self.skin} at {place}, {self.limit_s:.0f} s",
            f"played at {self.speed} speed, {self.style}; programs {knows}; {self.habits}",
            *(repr(fault) for fault in self.faults),
        ]
        return "\n    ".join(lines)


# --- drawing one from a seed


def random_script(seed):
    """The script of a seed: equal seeds are equal scripts."""
    rng = random.Random(f"script {seed}")
    skin = rng.choices(["classic", "minebot", "winemine"], [6, 2, 2])[0]
    level = rng.choices(list(LEVELS), [3, 6, 2, 1])[0]
    kind = rng.choices(["lost", "late", "mixed"], [12, 6, 82])[0]
    n_games = rng.choice([1, 2, 2, 3])
    if kind == "lost":
        faults = [_lose_clicks(rng, AfterSeconds(0.0))]
    elif kind == "late":
        faults = [_late_repaint(rng, AfterSeconds(0.0))]
        level, n_games = rng.choice(["old beginner", "beginner"]), 1
    else:
        faults = _mixed(rng, level, skin)
        if any(isinstance(fault, LateRepaint) for fault in faults):
            level, n_games = "beginner", 1
    origin = _origin(rng, skin, level)
    habits = replace(HABITS, flood_s=rng.choice([0.0, 0.0, 0.02]), pressed_s=rng.choice([0.0, 0.0, 0.01]))
    is_count_given = rng.random() < 0.25
    speed = rng.choices(["max", "fast", "human"], [6, 2, 2])[0]
    style = Style(flags=rng.random() < 0.25, chords=rng.random() < 0.25)
    if speed == "human":
        level, n_games = "beginner", 1
        origin = _origin(rng, skin, level)
    knows = rng.random() < 0.8
    return FaultScript(seed, skin, level, origin, n_games, tuple(faults), habits, is_count_given, speed, style, knows)


def _origin(rng, skin, level):
    """A place where the whole window is on the screen."""
    pitch = 24 if skin == "minebot" else 16
    rows, cols, _ = LEVELS[level]
    right, bottom = SCREEN.left + SCREEN.width - cols * pitch - 20, SCREEN.top + SCREEN.height - rows * pitch - 20
    return Pixel(rng.randint(SCREEN.left + 20, right), rng.randint(SCREEN.top + 70, bottom))


_MAKERS = {}


def _maker(weight):
    def _register(make):
        _MAKERS[make] = weight
        return make

    return _register


def _mixed(rng, level, skin):
    faults = []
    has_ended = False
    for _ in range(rng.choices([1, 2, 3, 4, 5], [25, 30, 20, 15, 10])[0]):
        make = rng.choices(list(_MAKERS), list(_MAKERS.values()))[0]
        fault = make(rng, _when(rng), level, skin)
        is_twice = type(fault) in {type(other) for other in faults} and not isinstance(fault, MoveWindow | CoverBoard)
        if is_twice or (has_ended and not fault.is_survivable):
            continue
        has_ended = has_ended or not fault.is_survivable
        faults.append(fault)
    return sorted(faults, key=lambda fault: isinstance(fault.when, AfterClicks))


def _when(rng):
    if rng.random() < 0.5:
        return AfterClicks(rng.randint(1, 45))
    return AfterSeconds(round(rng.uniform(0.0, 1.5), 3))


def _seconds(rng, longest_s):
    """Mostly short."""
    return round(longest_s * rng.random() ** 2 + 0.02, 3)


@_maker(14)
def _move(rng, when, level, skin):
    pitch = 24 if skin == "minebot" else 16
    kind = rng.choice(["pixel", "pitch", "anywhere", "off", "off and back"])
    if kind == "pixel":
        return MoveWindow(when, *rng.choice([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1)]))
    if kind == "pitch":
        return MoveWindow(when, pitch * rng.randint(-2, 2), pitch * rng.choice([-2, -1, 1, 2]))
    if kind == "anywhere":
        return MoveWindow(when, rng.randint(-60, 60), rng.randint(-60, 60))
    n_cells = rng.choice([1, 2, 3, rng.randint(1, 60) / 10])
    for_s = FOR_GOOD if kind == "off" else _seconds(rng, LONGEST_COVER_S)
    return MoveOff(when, rng.choice(["left", "right", "bottom"]), n_cells, for_s)


@_maker(18)
def _cover(rng, when, level, skin):
    kind = rng.choice(list(CoverKind))
    for_s = FOR_GOOD if rng.random() < 0.25 else _seconds(rng, LONGEST_COVER_S)
    if kind is CoverKind.BOARD:
        offset = (round(rng.uniform(-0.6, 0.6), 2), round(rng.uniform(-0.6, 0.6), 2), 1.0, 1.0)
        return CoverBoard(when, kind, offset, for_s, (rng.choice(["beginner", "intermediate"]), rng.randrange(1000)))
    if rng.random() < 0.3:
        return CoverBoard(when, kind, (-0.1, -0.2, 1.2, 1.4), for_s)
    left, top = round(rng.uniform(-0.2, 0.8), 2), round(rng.uniform(-0.2, 0.8), 2)
    return CoverBoard(when, kind, (left, top, round(rng.uniform(0.1, 1), 2), round(rng.uniform(0.1, 1), 2)), for_s)


@_maker(3)
def _close(rng, when, level, skin):
    return CloseWindow(when)


@_maker(10)
def _freeze(rng, when, level, skin):
    for_s = FOR_GOOD if rng.random() < 0.25 else _seconds(rng, LONGEST_FREEZE_S)
    return Freeze(when, for_s, queues_clicks=rng.random() < 0.4)


@_maker(8)
def _lose_clicks(rng, when, level=None, skin=None):
    in_runs = rng.random() < 0.4
    most = rng.randint(2, MOST_LOST_IN_A_ROW) if in_runs else rng.choice([3, 5, MOST_LOST_IN_A_ROW])
    return LoseClicks(when, round(rng.uniform(0.05, 0.7), 2), most, in_runs)


@_maker(6)
def _late_repaint(rng, when, level=None, skin=None):
    longest = round(rng.uniform(0.05, 0.8), 3)
    return LateRepaint(when, round(rng.uniform(0, longest), 3), longest, rng.choice([0.0, 0.0, 0.05, 0.2]))


@_maker(7)
def _scroll(rng, when, level, skin):
    return ScrollText(when, rng.choice(["left", "top", "right", "bottom"]), rng.randint(1, 8))


@_maker(7)
def _raise_dialogs(rng, when, level, skin):
    for_s = FOR_GOOD if rng.random() < 0.3 else _seconds(rng, LONGEST_COVER_S)
    key = rng.choice(["enter", "esc", None])
    return RaiseDialogs(when, rng.choice([1, 1, 2]), key, covers=rng.random() < 0.6, for_s=for_s)


@_maker(8)
def _dialogs_after(rng, when, level, skin):
    key = rng.choice(["enter", "enter", "enter", None])
    covers, delay_s = rng.random() < 0.7, round(rng.choice([0.0, 0.02, 0.3, 1.0]), 3)
    after_loss = rng.random() < 0.15
    return DialogsAfterGames(AfterSeconds(0.0), rng.choice([1, 2]), key, covers, delay_s, after_loss)


@_maker(6)
def _rescale(rng, when, level, skin):
    scales = [125, 150] if skin == "minebot" or level == "expert" else [125, 150, 200]
    return Rescale(when, rng.choice(scales))


@_maker(9)
def _swap(rng, when, level, skin):
    other = rng.choice([level, "old beginner", "beginner", "intermediate"])
    return SwapGame(when, other, rng.choice([0, 0, 1, 3, 10]))


@_maker(4)
def _lose_focus(rng, when, level, skin):
    return LoseFocus(when)


@_maker(5)
def _person_moves(rng, when, level, skin):
    return PersonMovesPointer(when, Pixel(rng.randint(-400, 900), rng.randint(-100, 700)))


@_maker(4)
def _person_clicks(rng, when, level, skin):
    return PersonClicks(when, rng.choice([Button.LEFT, Button.LEFT, Button.RIGHT]))


@_maker(4)
def _draw_pointer(rng, when, level, skin):
    return DrawPointer(when, rng.choice([0.1, 1.0, FOR_GOOD]))


@_maker(3)
def _pause(rng, when, level, skin):
    return Pause(when)


@_maker(4)
def _abort(rng, when, level, skin):
    return Abort(when)
