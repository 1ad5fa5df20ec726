"""Boards that no worker survives; a cluster knows nothing of this module unless it is told where it is."""

from __future__ import annotations

import os


class Deadly:
    """Ends the process that asks how many boards these are."""

    def __len__(self):
        os._exit(1)
        return 0
