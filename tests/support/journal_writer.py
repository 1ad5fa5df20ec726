"""Processes that write a journal as fast as they can and are killed in the middle of it.

`python journal_writer.py RECORDING FOLDER N` does so N times, in FOLDER/0, FOLDER/1 and so on, and prints for each how
many decisions were wholly kept, as far as the process could say so before it was killed: at least life's number modulo
`LONGEST_LIFE`, whatever the speed of the machine.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from bot.reporting.recording import Journal, Recording
from skins import load_shipped_skin

LONGEST_LIFE = 12
MOST_DELAY_S = 0.008
"""A decision is kept in some 3 ms: the process is killed anywhere in one of the next ones."""


def main(recording, folder, n_lives):
    steps = [Recording(recording).step(n) for n in range(12)]
    skin = load_shipped_skin(steps[0].reading.skin)
    chance = random.Random(1)
    for n in range(n_lives):
        died_after = write_and_die(folder / str(n), steps, skin, n % LONGEST_LIFE, chance.uniform(0, MOST_DELAY_S))
        print(died_after, flush=True)  # noqa: T201 - the test reads it


def write_and_die(folder, steps, skin, n_kept, delay_s):
    """Fork a process that writes, kill it a moment after `n_kept` decisions; return how many it had finished."""
    told_by, tell_to = os.pipe()
    pid = os.fork()
    if pid == 0:
        write(folder, steps, skin, tell_to)
    os.close(tell_to)
    with os.fdopen(told_by, "rb") as ticks:
        n_told = len(ticks.read(n_kept))
        time.sleep(delay_s)
        os.kill(pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        return n_told + len(ticks.read())


def write(folder, steps, skin, tell_to):
    """Write until killed."""
    try:
        with Journal(folder) as journal:
            while True:
                journal.board(skin, steps[0].reading.grid, 99)
                for step in steps:
                    journal.decision(step.frame, step.reading, step.moves)
                    os.write(tell_to, b".")
    finally:
        os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
