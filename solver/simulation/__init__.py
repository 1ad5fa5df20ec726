"""Games without a player, to measure strength and speed: one by one, or many."""

from solver.simulation.playing import Guessed, MoveCounts, PlayedGame, play_game

__all__ = ["Guessed", "MoveCounts", "PlayedGame", "play_game"]
