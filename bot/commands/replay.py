"""`minebot replay`: a recording, through the reader and the solver again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

EXAMPLE = "minebot replay recordings/monday"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder made by play --record")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Say where today's reader and solver differ from the recording; exit code 1 if they do."""
    from bot.recording import replay

    n_frames = 0
    differences = []
    for step in replay(args.folder):
        n_frames += 1
        differences += step.differences
        if not args.json:
            for difference in step.differences:
                print(f"{difference.picture}: {difference.what} differs")
                print(f"  recorded: {difference.recorded}")
                print(f"  replayed: {difference.replayed}")
    if args.json:
        print(json.dumps({"frames": n_frames, "differences": [difference.as_json() for difference in differences]}))
    else:
        print(f"{n_frames} frames, {len(differences)} differences")
    return 1 if differences else 0
