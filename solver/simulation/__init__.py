"""Games without a player, to measure strength and speed: one by one, or many."""

from solver.simulation.deals import (
    HINT,
    PRESETS,
    RULES,
    Deal,
    Deals,
    ListedDeals,
    SeededDeals,
    format_deal,
    parse_deals,
    usual_first_cell,
)
from solver.simulation.playing import METHODS, Opened, PlayedGame, play_game
from solver.simulation.running import Backend, Dask, Loky, RunFile, iter_games
from solver.simulation.summary import Summary, win_interval

__all__ = [
    "HINT",
    "METHODS",
    "PRESETS",
    "RULES",
    "Backend",
    "Dask",
    "Deal",
    "Deals",
    "ListedDeals",
    "Loky",
    "Opened",
    "PlayedGame",
    "RunFile",
    "SeededDeals",
    "Summary",
    "format_deal",
    "iter_games",
    "parse_deals",
    "play_game",
    "usual_first_cell",
    "win_interval",
]
