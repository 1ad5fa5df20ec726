"""Matrix products on one thread: for matrices of this size, waking others costs more than the work itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_MOST = 250_000
"""Number of multiplications that OpenBLAS keeps to the calling thread (its threshold is 262,144)."""


def product_of(left: Floats, right: Floats) -> Floats:
    """`left @ right` (float32, n x k and k x m), a few columns at a time."""
    n, k = left.shape
    m = right.shape[1]
    width = max(_MOST // (n * k), 1)
    if m <= width:
        return left @ right
    product = np.empty((n, m), dtype=np.float32)
    for start in range(0, m, width):
        product[:, start : start + width] = left @ right[:, start : start + width]
    return product
