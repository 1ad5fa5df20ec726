"""The parser of our command lines."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser whose help arrives, or ends in an error: argparse keeps an output that is full to itself."""

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help, to standard output unless told otherwise.

        Raises:
            OSError: it cannot be written.
        """
        (sys.stdout if file is None else file).write(self.format_help())
