"""Games without a player, to measure strength and speed: one by one, or many."""

from solver.simulation.deals import HINT, RULES, Deal, Deals, ListedDeals, SeededDeals, usual_first_cell
from solver.simulation.interval import win_interval
from solver.simulation.playing import METHODS, Guessed, MoveCounts, Opened, PlayedGame, play_game
from solver.simulation.presets import PRESETS, Preset

__all__ = [
    "HINT",
    "METHODS",
    "PRESETS",
    "RULES",
    "Deal",
    "Deals",
    "Guessed",
    "ListedDeals",
    "MoveCounts",
    "Opened",
    "PlayedGame",
    "Preset",
    "SeededDeals",
    "play_game",
    "usual_first_cell",
    "win_interval",
]
