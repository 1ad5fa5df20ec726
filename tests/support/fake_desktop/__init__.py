"""A desktop that misbehaves, for fault injection: a clone in a window, the screen it is on, a mouse and a keyboard.

The game is a `solver.game.Game`, painted with a shipped skin on a cluttered screen whose coordinates begin below zero.
Time is simulated (`Clock`): captures and waits make it pass, so that slow repaints cost no real time and every run with
equal seeds is the same run. What the player was told never comes from here: a test holds it against `desktop.clicks`,
which knows the truth of every click at the moment it was made.
"""

from fake_desktop.desktop import FakeDesktop
from fake_desktop.records import Faults, Press, Target, impatient
from fake_desktop.scenery import SCREEN, Cover, CoverKind
from fake_desktop.timing import Clock, HangError, SimulatedControl

__all__ = [
    "SCREEN",
    "Clock",
    "Cover",
    "CoverKind",
    "FakeDesktop",
    "Faults",
    "HangError",
    "Press",
    "SimulatedControl",
    "Target",
    "impatient",
]
