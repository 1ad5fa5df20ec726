"""What the kernel says in numbers: how a call ends, and what walks have met."""

DONE = 0
TOO_WIDE = 1
"""A cluster has more states than allowed."""
NO_MODEL = 2
"""No layout agrees with the position."""
NO_SLOT = 3
"""More constraints are open at once than a state holds."""
INEXACT = 4
"""Plain floats do not suffice: call again with room for wide numbers. Of the engine: neighbourhoods are too large."""
FULL_ARENAS, FULL_SUMS = 5, 6
"""A working space is too small, that of a cluster's counts or that of joining them: make it larger and call again."""
CALL_AGAIN = (INEXACT, FULL_ARENAS, FULL_SUMS)
FAILED = -1
"""Inside the kernel: no layout agrees with the numbers."""

SEEN_SAFE, SEEN_MINE, SEEN_BOTH_WAYS = 1, 2, 3
"""What a walk has met of a cell (`solver.kernel.sampling`)."""
IMPOSSIBLE = -1e100
"""A log weight below this is that of no model; the farther below, the farther from one."""

FAST, STRONG = 0, 1
"""Policies that guess in compiled games: the least risk; two plies ahead and the exact endgame."""
