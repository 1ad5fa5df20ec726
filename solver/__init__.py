"""The exact Minesweeper solver: everything that can be known of a position. Knows no screen."""

from solver.analysis import Analysis, analyse, iter_solutions
from solver.board import Action, Board, Move, format_board, parse_board
from solver.decision import Choice, confirm, decide
from solver.errors import BoardTextError, BoardValueError, DisagreementError, InconsistentError, SolverError
from solver.explain import Explanation, explain
from solver.prospects import chances_of_number
from solver.rules import LEVELS, Deduction, DerivedSet, Level, deduce
from solver.simulation import PlayedGame, play_game
from solver.strategy import best_move, choose
from solver.topology import Cell, Topology

__all__ = [
    "LEVELS",
    "Action",
    "Analysis",
    "Board",
    "BoardTextError",
    "BoardValueError",
    "Cell",
    "Choice",
    "Deduction",
    "DerivedSet",
    "DisagreementError",
    "Explanation",
    "InconsistentError",
    "Level",
    "Move",
    "PlayedGame",
    "SolverError",
    "Topology",
    "analyse",
    "best_move",
    "chances_of_number",
    "choose",
    "confirm",
    "decide",
    "deduce",
    "explain",
    "format_board",
    "iter_solutions",
    "parse_board",
    "play_game",
]
