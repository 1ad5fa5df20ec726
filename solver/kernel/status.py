"""What the kernel says in numbers: how a call ends, and what walks have met."""

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

SEEN_SAFE, SEEN_MINE, SEEN_BOTH_WAYS = 1, 2, 3
"""What a walk has met of a cell (`solver.kernel.sampling`)."""
IMPOSSIBLE = -1e100
"""A log weight below this is that of no model; the farther below, the farther from one."""
