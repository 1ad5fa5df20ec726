"""What compiled code is asked to do and how it answers: places and codes.

What compiled play is asked to do, and how it says what was done: places and codes.

What the kernel says in numbers: how a call ends, and what walks have met.
"""

from __future__ import annotations

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


"""What compiled play is asked to do, and how it says what was done: places and codes."""

PROVE_BY_RULE, PROVE, PLAY, ROLL, CHOOSE, DRAW = 0, 1, 2, 3, 4, 5
"""Jobs: open what is proven until nothing is, by the all/none rule alone or by counting too; play a game; play weighted
games from a candidate on; of a position where nothing is proven safe, choose a guess, or draw layouts."""
P_JOB, P_POLICY, P_CELL, P_AT, P_TO, P_MODELS, P_EXACT, P_STEPS, P_IS_FULL, P_SEED, N_PLAN = range(11)
"""Places of `plan`: the job; the policy that guesses; the candidate; the first game that is not done yet, and the one
behind the last; how many models an ending has at most, one that is solved exactly has at most, and how many steps that
may take; 1 when the value of every candidate is wanted, not of the best alone; the seed of random numbers."""

WON, LOST = 100, 101
"""How a game ends, beside the statuses of an analysis it could not do."""
T_FIRST, T_CLOSED, T_GUESSES, T_PROVEN, T_KIND, T_CANDIDATES, T_CHOSEN, N_TALLY = 0, 1, 2, 2, 6, 7, 8, 9
"""Places of `tally`: the cell to open first (negative: none); closed cells; guesses made; cells opened because they
were proven, at `T_PROVEN` plus the code of the proof (`solver.kernel.clusters`); and of the last guess what its values
are, how many candidates it had, and the place of the chosen one."""

BY_SURVIVAL, BY_ENDING, BY_PLAN = 0, 1, 2
"""What the values of candidates are: the chance to survive two clicks; the share of games won from there by the best
play; the same by a plan."""
C_CELL, C_RISK, C_VALUE, C_IS_BOUND, C_NUMBERS, C_NEAR, N_FIGURES = 0, 1, 2, 3, 4, 5, 6
"""Rows of `figures`, a column a candidate: the cell, its risk, its value, 1 where that is but an upper bound; and what
breaks ties between equal risks, the numbers and the cells beside it."""
