"""Where commands that print nothing else tell a person something: standard error, one line a remark."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """Say it."""
    print(f"minebot: {text}", file=sys.stderr)  # noqa: T201 - what this module is for
