"""The exact Minesweeper solver: everything that can be known of a position. Knows no screen."""

from solver.board import Board, format_board, parse_board
from solver.errors import BoardTextError, BoardValueError, InconsistentError, SolverError
from solver.moves import Action, Move
from solver.topology import Cell, Topology

__all__ = [
    "Action",
    "Board",
    "BoardTextError",
    "BoardValueError",
    "Cell",
    "InconsistentError",
    "Move",
    "SolverError",
    "Topology",
    "format_board",
    "parse_board",
]
