r"""From a fresh clone to a game being played: `python3 scripts/demo.py` (Windows: `py scripts\demo.py`).

Sets the project up in `.venv` where it is not yet, then runs `minebot demo`. Arguments are passed on to it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import setup_env
import system_packages

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Set up, play; return the exit code of `minebot demo`."""
    screen = () if system_packages.has_display() else system_packages.FOR_NO_DISPLAY
    setup_env.prepare(needed=(*system_packages.FOR_THE_BOT, *screen))
    return setup_env.run_in_venv(["-P", "-m", "bot", "demo", *arguments])


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
