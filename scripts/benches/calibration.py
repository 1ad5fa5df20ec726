"""How right calibration is.

Boards of made-up looks (tests/support/calibration_runs.py) in windows on cluttered screens: as they are, at a
pitch that is no whole number of pixels, and as JPEG files of quality 90. A fresh board and one game are learned from,
then two; a third is read with the skin that was made. One line a look and variant: how often the lattice was found,
how many labels were wrong (there must be none), the share of cells labelled after one game and after two, and how the
skin read, where one was made. `--from` begins at a later run, so that the runs can be made in parts.

With a folder of recordings of real clones (tests/support/recorded_runs.py) the fresh and the played board of each skin
are learned from, and all its others are read: one line a skin.
"""

from __future__ import annotations

import importlib
import itertools
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

READ = ("exact", "partly", "wrong", "not found", "no skin")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=300, metavar="N", help="how many in all (default %(default)s)")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="N", help="begin at this run (default 1)")
    parser.add_argument("--recordings", type=Path, metavar="DIR", help="learn from those instead of made-up boards")
    parser.add_argument("--looks", metavar="A,B", help="only these")
    parser.add_argument("--variants", metavar="A,B", help="only these")


def run(args: argparse.Namespace) -> int:
    """Make the runs and print what came of them; return 1 if a label or a cell was wrong."""
    if args.recordings is not None:
        return _learn_recordings(args.recordings)

    runs = importlib.import_module("calibration_runs")
    looks = args.looks.split(",") if args.looks else list(runs.LOOKS)
    variants = args.variants.split(",") if args.variants else list(runs.VARIANTS)
    cases = list(dict.fromkeys(itertools.product(looks, variants)))
    outcomes: dict[tuple[str, str], list[Any]] = {case: [] for case in cases}
    began = time.process_time()
    numbers = range(args.first - 1, args.runs)
    for number in numbers:
        seed, which = divmod(number, len(looks))
        case = looks[which], variants[(seed + which) % len(variants)]
        outcome = runs.run(*case, seed)
        outcomes[case].append(outcome)
        is_wrong = outcome.n_wrong or outcome.read == "wrong"
        told = f"run {number + 1}: {' '.join(case)}, seed {seed}: {_in_words([outcome])}"
        print(f"{told} WRONG" if is_wrong else told, file=sys.stderr, flush=True)
    print(f"{'look':<11}{'variant':<10}{'runs':>5}{'found':>6}{'wrong':>6}{'1 game':>8}{'2 games':>8}  read a third")
    for (look, variant), own in outcomes.items():
        print(f"{look:<11}{variant:<10}{_in_words(own)}")
    everything = [one for own in outcomes.values() for one in own]
    print(f"{'all':<21}{_in_words(everything)}")
    print(f"{(time.process_time() - began) / max(len(numbers), 1):.1f} s of CPU time a run")
    return int(any(one.n_wrong or one.read == "wrong" for one in everything))


def _learn_recordings(folder: Path) -> int:
    """Learn each skin that was recorded; return 1 if a label or a cell was wrong."""
    runs = importlib.import_module("recorded_runs")
    is_exact = True
    for name in runs.skins_in(folder):
        outcome = runs.recorded(folder, name)
        is_exact &= outcome.is_exact
        print(f"{name}: {outcome.n_wrong} wrong labels, looks {' '.join(outcome.labelled)}", end="")
        print(f", without a label {outcome.missing}" if outcome.missing else "")
        for path, (n_cells, n_right, n_unknown) in outcome.read.items():
            n_wrong = n_cells - n_right - n_unknown
            print(f"  {path}: {n_right} of {n_cells} cells exact, {n_unknown} of unknown looks, {n_wrong} wrong")
    return int(not is_exact)


def _in_words(own: Sequence[Any]) -> str:
    """The rest of a line: counts, and the shares labelled where the lattice was found."""
    found = [one for one in own if one.found]
    shares = [sum(one.shares[k] for one in found) / len(found) if found else 0.0 for k in (0, 1)]
    read = Counter(one.read for one in own)
    told = ", ".join(f"{read[word]} {word}" for word in READ if read[word])
    n_wrong = sum(one.n_wrong for one in own)
    return f"{len(own):5d}{len(found):6d}{n_wrong:6d}{100 * shares[0]:7.1f}%{100 * shares[1]:7.1f}%  {told}"
