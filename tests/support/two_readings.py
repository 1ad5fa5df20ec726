"""What two skins read on one screen, held against each other."""

from __future__ import annotations

from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from solver.board import UNREADABLE


def compare(hands, learned, shipped):
    """Of the one board on the screen: the cells both skins read, those of them that differ, those one reads alone.

    That one is the shipped skin. What neither reads lies under a dialog.
    """
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
    is_unknown = mine == UNREADABLE
    both = ~is_unknown & (theirs != UNREADABLE)
    return int(both.sum()), int((both & (mine != theirs)).sum()), int((is_unknown & (theirs != UNREADABLE)).sum())
