"""`python -m solver.kernel` compiles the kernel: a step of the set-up."""

from __future__ import annotations

import sys
import time

from solver import kernel


def main() -> int:
    """Compile and say so; 1 when it cannot be done, which costs speed and nothing else."""
    start = time.perf_counter()
    print("compiling the solver's kernel: about a minute", flush=True)  # noqa: T201 - a program's output
    try:
        kernel.compile_now()
    except Exception as error:  # noqa: BLE001 - whatever it is, the solver works without
        print(f"not compiled, so the solver will be slow: {type(error).__name__}: {error}")  # noqa: T201 - told to who compiles
        return 1
    print(f"compiled in {time.perf_counter() - start:.0f} s")  # noqa: T201 - the same
    return 0


if __name__ == "__main__":
    sys.exit(main())
