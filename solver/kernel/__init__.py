"""The compiled kernel: the whole analysis of a position in some 20 microseconds, in floating point.

`engine` calls it, `workspace` names what it works on, `naming` gives compiled code these names, `pipeline` shows an
analysis from top to bottom and `playing` a game, `compiler` says how it is compiled and where it is kept. Importing
this package imports neither numba nor compiled code; `load` does, and whoever asks has called it and was told that the
kernel is there.

Sums are of non-negative terms only, so a risk of 0 or 1 is exact; all others are within 1e-13 of the truth or so,
relatively, on boards of any size. What is too wide to be counted is refused, never approximated; `sample_models`
estimates it.
"""

from solver.kernel.engine import (
    Found,
    Played,
    Rated,
    Walked,
    Weight,
    analyse,
    compile_now,
    count_models,
    is_compiled,
    is_loaded,
    load,
    play,
    play_rollouts,
    prove,
    rate_guesses,
    sample_layouts,
    sample_models,
)
from solver.kernel.workspace import (
    BY_ENDING,
    BY_PLAN,
    BY_SURVIVAL,
    FAST,
    IMPOSSIBLE,
    INEXACT,
    MOST_MODELS,
    NO_MODEL,
    NO_SLOT,
    SEEN_BOTH_WAYS,
    STRONG,
    TOO_WIDE,
)

__all__ = [
    "BY_ENDING",
    "BY_PLAN",
    "BY_SURVIVAL",
    "FAST",
    "IMPOSSIBLE",
    "INEXACT",
    "MOST_MODELS",
    "NO_MODEL",
    "NO_SLOT",
    "SEEN_BOTH_WAYS",
    "STRONG",
    "TOO_WIDE",
    "Found",
    "Played",
    "Rated",
    "Walked",
    "Weight",
    "analyse",
    "compile_now",
    "count_models",
    "is_compiled",
    "is_loaded",
    "load",
    "play",
    "play_rollouts",
    "prove",
    "rate_guesses",
    "sample_layouts",
    "sample_models",
]
