"""Many cases in a few tests: each test loops over its share of them and names the case that fails.

A test item of its own costs more than a small case. `in_chunks` takes the place of `pytest.mark.parametrize`, and a
failure ends with `case 12 of 40: seed=71`; `pytest --case seed=71` runs that case alone.
"""

from __future__ import annotations

from functools import wraps
from inspect import Parameter, signature

import pytest

wanted = None
"""The name of the only case to run (`--case`)."""
at_most = None
"""How many cases of each test to run, spread evenly (`--at-most`)."""


def in_chunks(names, cases, n_chunks, *, name=None):
    """Decorate a test that is to run on all the cases, in `n_chunks` items.

    Fixtures are made once for an item, not for a case.

    Args:
        names: of the test's arguments that make a case: "seed", "shape, wrap".
        cases: a value each, or a tuple of values where there are several names.
        name: from a case to its name; without it `seed=71, wrap=True`.
    """
    arguments = [word.strip() for word in names.split(",")]

    def values_of(case):
        return dict(zip(arguments, case if len(arguments) > 1 else (case,), strict=True))

    def name_of(case):
        return name(case) if name else ", ".join(f"{key}={value!r}" for key, value in values_of(case).items())

    chosen = [case for case in cases if wanted is None or name_of(case) == wanted]
    chosen = spread(chosen, at_most)
    n_chunks = min(n_chunks, len(chosen))
    shares = [chosen[n::n_chunks] for n in range(n_chunks)]  # cases of growing size are shared out evenly

    def decorate(test):
        @wraps(test)
        def loop(chunk, **fixtures):
            for number, case in enumerate(chunk, 1):
                try:
                    test(**values_of(case), **fixtures)
                except BaseException as error:
                    told = f"case {number} of {len(chunk)}: {name_of(case)}"
                    if isinstance(error, pytest.skip.Exception):  # it would leave out the cases behind it as well
                        pytest.fail(f"{told} is skipped: leave it out of the cases")
                    error.add_note(told)
                    raise

        others = [given for given in signature(test).parameters.values() if given.name not in arguments]
        chunk = Parameter("chunk", Parameter.POSITIONAL_OR_KEYWORD)
        loop.__signature__ = signature(test).replace(parameters=[chunk, *others])
        ids = [f"{n}of{len(shares)}" for n in range(1, len(shares) + 1)]
        return pytest.mark.parametrize("chunk", shares, ids=ids)(loop)

    return decorate


def spread(cases, most):
    """At most so many of the cases, spread evenly; all of them for None."""
    if most is None or len(cases) <= most:
        return cases
    return [cases[n * len(cases) // most] for n in range(most)]
