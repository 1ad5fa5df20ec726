"""Games without a player, to measure strength and speed: one by one, or many."""

from solver.simulation.board_files import format_deal, parse_deals
from solver.simulation.deals import HINT, RULES, Deal, Deals, ListedDeals, SeededDeals, usual_first_cell
from solver.simulation.interval import win_interval
from solver.simulation.playing import METHODS, Guessed, MoveCounts, Opened, PlayedGame, play_game
from solver.simulation.presets import PRESETS, Preset
from solver.simulation.records import RunFile
from solver.simulation.running import Backend, Dask, Loky, iter_games
from solver.simulation.summary import Bucket, Summary

__all__ = [
    "HINT",
    "METHODS",
    "PRESETS",
    "RULES",
    "Backend",
    "Bucket",
    "Dask",
    "Deal",
    "Deals",
    "Guessed",
    "ListedDeals",
    "Loky",
    "MoveCounts",
    "Opened",
    "PlayedGame",
    "Preset",
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
