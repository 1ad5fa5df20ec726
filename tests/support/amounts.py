"""How much the tests try: MINEBOT_TESTS says `dev`, `gate` or `full`.

| profile | who | what |
|---|---|---|
| dev | a person at work; taken where nothing is said | few random examples, new ones in every run |
| gate | `scripts/check.py` and CI; taken where CI=true | the same examples for the same code |
| full | `scripts/check.py --full`, before a release | many random examples, high counts |

A count with its own variable can be given by hand: `MINEBOT_FAULT_SCRIPTS=500`.
"""

from __future__ import annotations

import os

import setup_env
from hypothesis import HealthCheck, settings

VARIABLE = "MINEBOT_TESTS"
PROFILES = ("dev", "gate", "full")
_EXAMPLES_OF = {"dev": 0.25, "gate": 1, "full": 10}
"""Times as many examples as in the gate."""
_EXAMPLES = 100
"""Examples of a property that does not say how many."""


def profile():
    """The profile of this run.

    Raises:
        ValueError: MINEBOT_TESTS names none.
    """
    chosen = os.environ.get(VARIABLE) or ("gate" if setup_env.is_ci() else "dev")
    if chosen not in PROFILES:
        raise ValueError(f"expected {VARIABLE} to be one of {', '.join(PROFILES)}, got {chosen!r}")
    return chosen


def count(variable, *, gate, full):
    """How often something is tried: as `variable` says, else `full` times in the full run, else `gate` times.

    Raises:
        ValueError: the variable is no whole number above 0.
    """
    by_hand = os.environ.get(variable, "")
    if by_hand:
        if not (by_hand.isascii() and by_hand.isdigit() and int(by_hand) > 0):
            raise ValueError(f"expected {variable} to be a whole number above 0, got {by_hand!r}")
        return int(by_hand)
    return full if profile() == "full" else gate


def examples(gate, of=None):
    """Hypothesis's `max_examples` of a property that tries so many in the gate, in this profile or the one given."""
    return max(1, round(gate * _EXAMPLES_OF[of or profile()]))


def load_hypothesis_profile():
    """Register Hypothesis's settings of the three profiles and take those of this run."""
    for name in PROFILES:
        settings.register_profile(
            name,
            max_examples=examples(_EXAMPLES, name),
            derandomize=name == "gate",
            print_blob=name != "dev",
            deadline=None,  # a machine may be busy: how long an example takes says nothing of what is tested
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile(profile())
