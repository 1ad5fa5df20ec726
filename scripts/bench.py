"""How fast, how right and how strong the project is: `python scripts/bench.py NAME`, and `NAME --help` for its options.

Each bench is a module of `benches`; its first lines say what it measures, and against what.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCHES = {
    "analyse": "how fast the analysis board answers",
    "calibration": "how right calibration from pictures is",
    "coach": "how long the coach takes from a clone's change to its new marks",
    "play": "how fast the bot plays real clones",
    "signature": "whether play is the same as it was",
    "solver": "how fast the solver is, beside ms_toollib",
    "strength": "how many games the policies win",
    "unknown-look": "what not knowing a clone's look costs in play",
    "vision": "how fast and how right seeing is",
    "web": "how boards on web pages are learned and played",
    "windows": "the bot on Windows beside the bot on X11",
}


def main(arguments: Sequence[str]) -> int:
    """Run a bench; returns its exit code, 1 where something was that must never be."""
    parser = argparse.ArgumentParser(prog="bench.py", description="Measures speed, accuracy and strength.")
    benches = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    for name, what in BENCHES.items():
        own = benches.add_parser(name, help=what)
        if name in arguments[:1]:
            bench = importlib.import_module(f"benches.{name.replace('-', '_')}")
            own.description = bench.__doc__
            own.formatter_class = argparse.RawDescriptionHelpFormatter
            bench.add_arguments(own)
            own.set_defaults(run=bench.run)
    args = parser.parse_args(arguments)
    return int(args.run(args))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
