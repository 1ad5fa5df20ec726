"""Has two worker processes play games, prints the workers' numbers as a list of JSON, and lets them play on."""

from __future__ import annotations

import faulthandler
import json
import time
from multiprocessing import active_children

from solver.simulation import Loky, SeededDeals

STUCK_S = 60.0
"""When it says where all its threads are, in seconds: it takes ten seconds on a busy machine."""

if __name__ == "__main__":
    faulthandler.dump_traceback_later(STUCK_S)
    deals = SeededDeals((9, 9), 10, wrap=False, rule="safe", first_cell=(0, 0), seed=1, n=20)
    games = Loky(2).map_chunks([deals] * 10_000, "fast")
    next(games)
    print(json.dumps([worker.pid for worker in active_children()]), flush=True)  # noqa: T201 - the tests read it
    faulthandler.cancel_dump_traceback_later()
    time.sleep(600)
