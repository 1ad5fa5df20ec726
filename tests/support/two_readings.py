"""What two skins read on one screen, held against each other."""

from __future__ import annotations

from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from solver.board import UNREADABLE


def compare(hands, learned, shipped):
    """The cells of the one board on the screen now that both skins read, those read otherwise, those unknown to one."""
    frame = Frame(hands.capture_all())
    boards = [find_boards(frame, [skin]) for skin in (learned, shipped)]
    if [len(found) for found in boards] != [1, 1]:
        return None
    mine, theirs = (
        read_board(frame, found[0].grid, skin).board.cells
        for found, skin in zip(boards, (learned, shipped), strict=True)
    )
    if mine.shape != theirs.shape:  # a dialog lies over part of it
        return None
    both = (mine != UNREADABLE) & (theirs != UNREADABLE)
    return int(both.sum()), int((both & (mine != theirs)).sum()), int(((mine == UNREADABLE) & ~both).sum())
