"""How a call of the kernel ends."""

DONE = 0
TOO_WIDE = 1
"""A cluster has more states than allowed."""
NO_MODEL = 2
"""No layout agrees with the position."""
NO_SLOT = 3
"""More constraints are open at once than a state holds."""
INEXACT = 4
"""Floats do not suffice."""
FULL_STATES, FULL_MOVES, FULL_VALUES, FULL_TABLE, FULL_SUMS = 5, 6, 7, 8, 9
FULL = (FULL_STATES, FULL_MOVES, FULL_VALUES, FULL_TABLE, FULL_SUMS)
"""A working space is too small: make it larger and call again."""
FAILED = -1
"""Inside the kernel: no layout agrees with the numbers."""
