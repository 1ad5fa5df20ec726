"""The working space `desk` of endings, an int64 array: where each of its parts begins, and how long it is in all."""

from __future__ import annotations

from solver.kernel.listing import MOST_CELLS, MOST_MODELS

WIDE = MOST_CELLS + 1
"""Places a row of cells takes: a fixed number, and a multiple of what the processor handles at once."""
LEVELS = MOST_CELLS + 2
"""States of the search that are looked at, each a part of the one before."""
MEMO = 1 << 17
"""Places of the table of known states: with an eighth hard endings take a fifth more time."""
N_FRAME = 16
N_PART = 4

_INT16, _INT8 = 4, 8
"""How many of them an int64 has room for."""

A_MODELS = 0
A_KEYS = A_MODELS + MOST_MODELS
A_CELLS = A_KEYS + MOST_MODELS
A_NEAR = A_CELLS + WIDE
A_FEWEST = A_NEAR + WIDE
A_MOST = A_FEWEST + WIDE
A_TRIED = A_MOST + WIDE
A_VALUE = A_TRIED + WIDE
A_MEMO = A_VALUE + WIDE
A_FRAMES = A_MEMO + 2 * MEMO
A_PARTS = A_FRAMES + LEVELS * N_FRAME
A_SAFE = A_PARTS + LEVELS * WIDE * N_PART
A_LEAST = A_SAFE + LEVELS * WIDE // _INT16
A_GREATEST = A_LEAST + WIDE // _INT8
A_NUMBERS = A_GREATEST + WIDE // _INT8
A_SETS = A_NUMBERS + MOST_MODELS * WIDE // _INT8
A_SIZES = A_SETS + MOST_MODELS * LEVELS
A_SALT = A_SIZES + WIDE
A_RNG = A_SALT + 1
A_WON = A_RNG + 1
A_CHOSEN = A_WON + 1
SIZE = A_CHOSEN + 1
