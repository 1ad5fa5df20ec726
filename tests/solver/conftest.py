"""Oracles and boards for the solver's tests. The oracle shares no code with the product."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from solver import kernel

CLOSED, FLAG, OPEN_UNKNOWN, MINE, EXPLODED, WRONG_FLAG, KNOWN_MINE, UNREADABLE = range(-1, -9, -1)


def beside(a, b, shape, *, wrap):
    """Whether two different cells touch, straight from the definition."""
    if a == b:
        return False
    gaps = [abs(i - j) for i, j in zip(a, b, strict=True)]
    if wrap:
        gaps = [min(gap, n - gap) for gap, n in zip(gaps, shape, strict=True)]
    return max(gaps) <= 1


@dataclass
class Truth:
    """What trying every layout says."""

    n_models: int
    safe: set
    mines: set
    p_mine: dict
    layouts: set


def try_all(cells, mines=None, *, wrap=False):
    """Try every layout of the unknown cells; without a mine count only of the frontier."""
    shape = cells.shape
    everywhere = list(product(*map(range, shape)))
    unknown = [c for c in everywhere if cells[c] in (CLOSED, FLAG, UNREADABLE)]
    known = {c for c in everywhere if cells[c] in (MINE, EXPLODED, KNOWN_MINE)}
    near = {c: [d for d in everywhere if beside(c, d, shape, wrap=wrap)] for c in everywhere if cells[c] >= 0}
    if mines is None:
        unknown = [c for c in unknown if any(c in cells_near for cells_near in near.values())]
    layouts = []
    for choice in product((False, True), repeat=len(unknown)):
        layout = known | {c for c, is_mine in zip(unknown, choice, strict=True) if is_mine}
        if mines is not None and len(layout) != mines:
            continue
        if all(sum(d in layout for d in near[c]) == cells[c] for c in near):
            layouts.append(frozenset(layout))
    p_mine = {}
    if layouts:
        p_mine = {c: Fraction(sum(c in layout for layout in layouts), len(layouts)) for c in [*unknown, *known]}
    listed = [c for c in unknown if cells[c] != UNREADABLE]
    return Truth(
        n_models=len(layouts),
        safe={c for c in listed if p_mine.get(c) == 0},
        mines={c for c in listed if p_mine.get(c) == 1},
        p_mine=p_mine,
        layouts={tuple(sorted(layout - known)) for layout in layouts},
    )


def numbers_of(layout, shape, *, wrap=False):
    """Every cell's number in a layout: an array of the shape."""
    numbers = np.zeros(shape, dtype=np.int16)
    for cell in product(*map(range, shape)):
        numbers[cell] = sum(beside(cell, mine, shape, wrap=wrap) for mine in layout)
    return numbers


def random_position(seed, shape, n_mines, *, n_unknown, wrap=False):
    """A true layout seen with `n_unknown` cells closed, with every kind of mark; return (cells, layout)."""
    rng = random.Random(seed)
    everywhere = list(product(*map(range, shape)))
    layout = set(rng.sample(everywhere, n_mines))
    numbers = numbers_of(layout, shape, wrap=wrap)
    cells = numbers.copy()
    extra = rng.sample([c for c in everywhere if c not in layout], max(0, n_unknown - n_mines))
    for cell in [*layout, *extra]:
        cells[cell] = rng.choices([CLOSED, FLAG, UNREADABLE], [8, 1, 1])[0]
    for cell in everywhere:
        if cells[cell] >= 0 and rng.random() < 0.15:
            cells[cell] = rng.choice([OPEN_UNKNOWN, WRONG_FLAG])
        elif cell in layout and rng.random() < 0.1:
            cells[cell] = rng.choice([KNOWN_MINE, MINE, EXPLODED])
    return cells, layout


@pytest.fixture(name="try_all", scope="session")
def _try_all():
    return try_all


@pytest.fixture(name="random_position", scope="session")
def _random_position():
    return random_position


@pytest.fixture(name="beside", scope="session")
def _beside():
    return beside


@pytest.fixture(name="numbers_of", scope="session")
def _numbers_of():
    return numbers_of


@pytest.fixture
def twin(monkeypatch):
    """Have `analyse` do without the kernel."""
    monkeypatch.setattr(kernel.engine, "_compiled", None)


@pytest.fixture(params=["kernel", "twin"])
def engine(request):
    """Do a test twice, with and without the kernel."""
    if request.param == "twin":
        request.getfixturevalue("twin")
    return request.param
