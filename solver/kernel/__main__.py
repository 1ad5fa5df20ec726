"""`python -m solver.kernel` compiles the kernel: a step of the set-up."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from solver.kernel import engine


def main(*, is_child: bool = False) -> int:
    """Compile and say so; 1 when it cannot be done, which costs speed and nothing else.

    Args:
        is_child: whether it is to end, unfinished, when its standard input ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends it at once, as a compiler cannot be interrupted
    if is_child:
        threading.Thread(target=_end_with_input, daemon=True).start()
    start = time.perf_counter()
    print("compiling the solver's kernel: about a minute", flush=True)  # noqa: T201 - a program's output
    try:
        engine.compile_here()
    except Exception as error:  # noqa: BLE001 - whatever it is, the solver works without
        print("the kernel is not compiled, so the solver will be slow:", file=sys.stderr)  # noqa: T201 - told to who compiles
        print(f"{type(error).__name__}: {error}".replace("\n", " "), file=sys.stderr)  # noqa: T201 - told to who compiles
        return 1
    print(f"compiled in {time.perf_counter() - start:.0f} s")  # noqa: T201 - a program's output
    return 0


def _end_with_input() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
