"""`minebot-calibrate`, and `python -m calibration`: the process."""

import sys

from bot.last_resort import run


def main() -> int:
    """Run the command line; return the exit code."""
    return run("minebot-calibrate", "calibration.cli")


if __name__ == "__main__":
    sys.exit(main())
