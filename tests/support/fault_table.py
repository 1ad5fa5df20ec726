"""How the player fares on many fault scripts: `python tests/support/fault_table.py FIRST LAST`, both included.

Prints every run that broke a promise, then a line for each kind of fault and for each ending.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fault_bench import FINISHED, run_script
from fault_script import random_script


def main(first, last):
    begun_at = time.monotonic()
    reports = []
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory() as folder:
            reports.append(run_script(random_script(seed), Path(folder) / "journal"))
        if reports[-1].violations:
            sys.stdout.write(f"{reports[-1]}\n\n")
    sys.stdout.write(format_table(reports))
    sys.stdout.write(f"{len(reports)} runs in {time.monotonic() - begun_at:.0f} s\n")
    return 1 if any(report.violations for report in reports) else 0


def format_table(reports):
    """Endings, violations and finished runs as text."""
    survivable = [report for report in reports if report.script.is_survivable]
    counts = sum((report.counts for report in reports), Counter())
    lines = [f"{n:5}  ended: {ending}" for ending, n in Counter(r.ending for r in reports).most_common()]
    n_finished = sum(report.ending == FINISHED for report in survivable)
    lines.append(f"{n_finished} of {len(survivable)} runs finished where nothing went wrong for good")
    lines.append(f"{sum(bool(report.violations) for report in reports)} of {len(reports)} runs broke a promise")
    lines.append(", ".join(f"{name} {counts[name]}" for name in sorted(counts)))
    lines.append(f"{'fault':<18} happened  finished, of survivable runs with it  broke a promise")
    for kind in sorted(
        {type(fault) for report in reports for fault in report.happened}, key=lambda kind: kind.__name__
    ):
        having = [report for report in reports if kind in {type(fault) for fault in report.happened}]
        can = [report for report in having if report.script.is_survivable]
        n_done = sum(report.ending == FINISHED for report in can)
        n_broken = sum(bool(report.violations) for report in having)
        lines.append(f"{kind.__name__:<18} {len(having):8}  {f'{n_done} of {len(can)}':>15}  {n_broken:>37}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
