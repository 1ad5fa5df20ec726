"""What the kernel works on, by name: how it is called and answers, its working space, its records.

Each array of the working space is declared once, in the class that names it, by the type of its items and its sides.
`make_parts` makes the arrays by these declarations. Compiled code gets the table of their `addresses`, and reads it
into the names again (`solver.kernel.naming`). Imports no numba: Python reads the same records and codes before the
kernel is loaded.

Abbreviations in names: con, constraint; sc, supercell. A number of either is its place in the lists of this position.
"""

from __future__ import annotations

from functools import cache
from itertools import repeat
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

Bytes = Annotated[NDArray[np.int8], np.int8]
Shorts = Annotated[NDArray[np.int16], np.int16]
Ints = Annotated[NDArray[np.int32], np.int32]
Longs = Annotated[NDArray[np.int64], np.int64]
Floats = Annotated[NDArray[np.float64], np.float64]
Record = Any  # one item of an array of records; numba reads its fields as attributes

# ---------------------------------------------------------------- how a call ends

DONE = 0
TOO_WIDE = 1  # a cluster has more states than allowed
NO_MODEL = 2  # no layout agrees with the position
NO_SLOT = 3  # more constraints are open at once than a state holds
INEXACT = 4
"""Plain floats do not suffice: call again with room for wide numbers. Of the engine: neighbourhoods are too large."""
FULL_ARENAS, FULL_SUMS = 5, 6
"""A working space is too small, that of a cluster's counts or that of joining them: make it larger and call again."""
CALL_AGAIN = (INEXACT, FULL_ARENAS, FULL_SUMS)
WON, LOST = 100, 101
"""The ends of a game."""
FAILED = -1  # inside the kernel: no layout agrees with the numbers

# ---------------------------------------------------------------- what play is asked, and what it counts

FAST, STRONG = 0, 1
"""Policies that guess in compiled games: the least risk; two plies ahead and the exact endgame."""

PROVE_BY_RULE, PROVE, PLAY, ROLLOUT, CHOOSE, SAMPLE = 0, 1, 2, 3, 4, 5
"""Jobs: open what is proven until nothing is, by the all/none rule alone or by counting too; play a game; play weighted
games from a candidate on; of a position where nothing is proven safe, choose a guess, or draw layouts."""

_LONG = np.int64
REQUEST = np.dtype(
    [
        ("job", _LONG),
        ("policy", _LONG),  # which guesses
        ("cell", _LONG),  # the candidate that weighted games begin with
        ("next_game", _LONG),  # the first that is not done yet
        ("end_game", _LONG),  # the one behind the last
        ("most_models", _LONG),  # of an ending that is solved
        ("most_exact", _LONG),  # of an ending that is solved exactly, not by a plan
        ("most_steps", _LONG),  # of the search for its best play
        ("is_full", _LONG),  # 1: the value of every candidate is wanted, not of the best alone
        ("seed", _LONG),  # of the random numbers
    ],
    align=True,
)
"""What play is asked to do."""

COUNTERS = np.dtype(
    [
        ("first", _LONG),  # the cell to open first; negative: none
        ("n_closed", _LONG),
        ("n_guesses", _LONG),
        ("n_proven", _LONG, (4,)),  # cells opened because they were proven, by the code of the proof
        ("kind", _LONG),  # what the values of the last guess's candidates are
        ("n_candidates", _LONG),  # the last guess had
        ("chosen", _LONG),  # the place of the best of them
    ],
    align=True,
)
"""What play has done so far."""

BY_SURVIVAL, BY_ENDING, BY_PLAN = 0, 1, 2
"""What the values of candidates are: the chance to survive two clicks; the share of games won from there by the best
play; the same by a plan."""


SEEN_SAFE, SEEN_MINE, SEEN_BOTH_WAYS = 1, 2, 3
"""What a walk has met of a cell (`solver.kernel.sampling`)."""
IMPOSSIBLE = -1e100  # a log weight below this is that of no model; the farther below, the farther from one

# ---------------------------------------------------------------- the working space of an analysis

SUMMARY = np.dtype(
    [
        ("n_mines", _LONG),  # the mine count; negative when not known
        ("state_limit", _LONG),  # the most states of a cluster
        ("n_constraints", _LONG),
        ("n_rest", _LONG),  # mines beside the known and the deduced ones
        ("n_uncharted", _LONG),
        ("n_uncharted_mines", _LONG),  # in the largest binomial, by which the total is divided
        ("n_clusters", _LONG),
        ("power", _LONG),  # of two, by which the total is divided
        ("total", np.float64),  # of all models
    ],
    align=True,
)
"""What is asked and said of a position as a whole."""


class Sizes(NamedTuple):
    """How large a working space is.

    A constraint has an open cell of its own, and a supercell a closed one. A cluster has one of each at least. So there
    are no more constraints and supercells together than cells, nor twice as many clusters.
    """

    n_cells: int
    n_edges: int  # neighbours of all cells together
    degree: int  # the most neighbours of a cell
    n_ways: int  # terms of the polynomials of states
    n_sums: int  # terms of the polynomials of the tree, and of their weights

    def sides(self) -> dict[str, int]:
        """The sides of arrays, by the names that their declarations use."""
        return self._asdict() | {
            "n_starts": self.n_cells + 1,  # where each of so many lists starts, and the last one ends
            "n_pushes": self.n_cells + self.n_edges,  # of constraints that follow: each at first, and after each change
            "n_keys": 1 << (2 * self.n_cells - 1).bit_length(),  # places of the table of supercells
            "n_choices": self.degree + 1,  # numbers of mines beside a cell
            "n_states": self.n_ways // 4,  # those that usually have so many terms
            "n_moves": self.n_ways // 2,
            "n_places": self.n_ways // 16,  # of the table of states
        }


_ByCell = Annotated[Ints, "n_cells"]
_ByCon = Annotated[Ints, "n_cells"]
_BySupercell = Annotated[Ints, "n_cells"]
_ByCluster = Annotated[Ints, "n_cells"]
_ByNode = Annotated[Ints, "n_cells"]
_Starts = Annotated[Ints, "n_starts"]
_ByEdge = Annotated[Ints, "n_edges"]
_Sum = Annotated[Floats, "n_cells"]
_Polynomials = Annotated[Floats, 2, "n_ways"]


class Neighbours(NamedTuple):
    """The neighbour table: those of a cell are listed from `start[cell]` to `start[cell + 1]`."""

    start: _Starts
    cell: _ByEdge


class _Position(NamedTuple):
    """What is known of the cells, and what the numbers still say."""

    near: Neighbours
    value: _ByCell
    """What is known of the cell: unknown, mine or safe."""
    con_of: _ByCell
    """The constraint of the cell's number; -1: none."""
    clue: _ByCon
    """The cell of the constraint's number."""
    need: _ByCon
    """The mines that the constraint still needs."""
    left: _ByCon
    """The unknown cells that the constraint has left."""


class _Supercells(NamedTuple):
    """Cells under the same constraints, and how they are found."""

    of: _ByCell
    """The cell's supercell; -1 where it is uncharted."""
    size: _BySupercell
    proof: _BySupercell
    """What proves the cells of the supercell."""
    n_mines: _BySupercell
    """The mines that a layout to be drawn has in the supercell."""
    is_charted: _ByCell
    """Whether the cell is under a constraint."""
    key: Annotated[Longs, "n_cells"]
    """By supercell: the exclusive or of the keys of the constraints over it."""
    con_key: Annotated[Longs, "n_cells"]
    """By constraint: a random number."""
    table: Annotated[Ints, "n_keys"]
    """The supercells by key."""


class _Graph(NamedTuple):
    """Which constraints are over a supercell, and which supercells are under a constraint: places of start in lists."""

    sc_start: _Starts
    sc_con: _ByEdge
    con_start: _Starts
    con_sc: _ByEdge
    is_dropped: _ByCon
    """1 where the constraint repeats another, or has no supercell."""


class _Search(NamedTuple):
    """Working space of clusters and orders."""

    met: _ByCon
    placed: _BySupercell
    unplaced: _ByCon
    open_now: _ByCon
    seen: Annotated[Ints, "n_starts"]
    """How often was looked, and by constraint when it was seen last."""
    fresh: Annotated[Ints, 2, "degree"]
    """Supercells of a constraint, and how many new constraints each opens."""
    queue: _ByCon
    spare: _BySupercell


class _Clusters(NamedTuple):
    """Constraints tied together, and the order of their supercells.

    The supercells of cluster c are `order[order_start[c]:order_start[c + 1]]`; step i of them has layer i + c.
    """

    start: _Starts
    con: _ByCon
    order_start: _Starts
    order: _BySupercell
    fewest: _ByCluster
    """The fewest mines of the cluster."""
    model_start: Annotated[Longs, "n_starts"]
    """By cluster: where the polynomial of its models lies."""


class _Slots(NamedTuple):
    """Where in a state the open constraints lie."""

    need: _ByCon
    """The mines that the constraint needs when its slot is taken."""
    room: _ByCon
    """The cells of the constraint that are not placed yet."""
    at: _ByCon
    """The first bit of the constraint's slot."""
    checks: Annotated[Ints, 2, "degree"]
    """First bit and room of each constraint over the supercell to be placed."""


class _Layers(NamedTuple):
    """The states and moves of the dynamic programme, and the polynomials of the states.

    A layer holds the states before a supercell is placed; its moves place the supercell.
    """

    start: _Starts
    move_start: _Starts
    key: Annotated[Longs, "n_states"]
    span: Annotated[Ints, 2, "n_states"]
    """Fewest and most mines placed so far."""
    first: Annotated[Longs, "n_states"]
    """By state: where its polynomial starts."""
    moves: Annotated[Ints, 3, "n_moves"]
    """From state, to state, mines placed."""
    ways: _Polynomials
    """In how many ways a state is reached."""
    onward: _Polynomials
    """The weighted ways from a state to the end."""
    choose: Annotated[Floats, "n_choices", "n_choices"]
    """Binomial coefficients."""
    table_state: Annotated[Ints, "n_places"]
    """The states of the next layer by key."""
    table_turn: Annotated[Longs, "n_places"]
    """By place of that table: the turn in which it was written."""
    turn: Annotated[Longs, 1]
    """The turns so far."""


class _Tree(NamedTuple):
    """A binary tree of products: node i has the children 2 i and 2 i + 1, from n_clusters on they are the clusters."""

    start: _Starts
    end: _Starts
    values: Annotated[Floats, 2, "n_sums"]
    """The polynomials of the nodes, and as far behind them their weights."""


class _Sums(NamedTuple):
    """By supercell: mines, and safe cells, over all weighted models."""

    mined: _Sum
    unmined: _Sum


class _Work(NamedTuple):
    """Working space of an analysis, its question and its answer."""

    summary: Annotated[Record, SUMMARY]
    p_mine: Annotated[Floats, "n_cells"]
    """The risks; NaN where a cell is open or not known."""
    proof: Annotated[Bytes, "n_cells"]
    """What proved a cell, negative where it is safe; 0 where nothing did."""
    position: _Position
    supercells: _Supercells
    graph: _Graph
    search: _Search
    clusters: _Clusters
    slots: _Slots
    layers: _Layers
    tree: _Tree
    sums: _Sums
    free_sums: _Sums
    """The sums when no mine count is known."""
    shares: _ByNode
    """By node of the tree: the mines a layout to be drawn has there beyond the fewest."""
    stack: Annotated[Ints, "n_pushes"]


# ---------------------------------------------------------------- the working space of endings

MOST_CELLS = 63  # most cells of an ending: a model is the bits of one int64, the sign left out
MOST_MODELS = 8000
"""Most models of an ending. Twice as many win hardly more, and take half as long again for all of a game
(`solver/strategy/LOG.md`)."""
MOST_EXACT = 500  # models of an ending that is solved exactly
MOST_STEPS = 500_000
"""Most steps of the search, about 0.1 s. Longer ones are left to the lookahead."""
WIDE = MOST_CELLS + 1
"""Places a row of cells takes: a fixed number, and a multiple of what the processor handles at once."""
LEVELS = MOST_CELLS + 2  # states of the search that are looked at, each a part of the one before
MEMO = 1 << 17  # places of the table of known states: with an eighth hard endings take a fifth more time

FRAME = np.dtype(
    [
        # of the state
        ("start", _LONG),  # its models lie in the sets from here ...
        ("stop", _LONG),  # ... to here
        ("key", _LONG),
        ("enough", _LONG),  # it does not matter how many models it wins, unless it is more than this
        ("best", _LONG),  # the best value so far
        ("n_tried", _LONG),  # cells tried
        ("tried", _LONG),  # which, as bits
        # of the cell that is tried
        ("is_free", _LONG),  # whether it is safe in all models
        ("free", _LONG),  # which others are so too and tell models apart, as bits
        ("cell", _LONG),
        ("won", _LONG),  # what it wins for certain so far
        ("left", _LONG),  # what the parts not yet searched may win
        ("next_part", _LONG),
        ("n_parts", _LONG),
        ("base", _LONG),  # its parts lie in the sets from here ...
        ("end", _LONG),  # ... to here
    ],
    align=True,
)
"""A level of the search for the best play."""
PART = np.dtype([("start", _LONG), ("stop", _LONG), ("key", _LONG), ("bound", _LONG)], align=True)
"""Models that show the same number: they lie in the sets from start to stop; their key; how many may be won at most."""
KNOWN = np.dtype([("key", _LONG), ("value", _LONG)], align=True)
"""A state that was searched: its key, and twice what it wins, odd where that is but a bound."""
OUTCOME = np.dtype([("won", _LONG), ("chosen", _LONG), ("salt", _LONG)], align=True)
"""What a search found: the models won, and the place of the cell to open; the last random number of its keys."""


_ByPlace = Annotated[Longs, WIDE]


class _Ending(NamedTuple):
    """Working space of endings. By place: by the place of a cell among those listed."""

    models: Annotated[Longs, MOST_MODELS]
    """By model: its mines, as bits."""
    keys: Annotated[Longs, MOST_MODELS]
    """By model: a random number; the key of a state is the exclusive or of its models'."""
    cells: _ByPlace
    """The cell; -1 behind the last."""
    near_bits: _ByPlace
    """The cells beside it, as bits."""
    fewest_left: _ByPlace
    """At least so many mines lie from here on."""
    most_left: _ByPlace
    """At most so many mines lie from here on."""
    tried: _ByPlace
    """What the search for models tries there."""
    values: _ByPlace
    """Models won when the cell is opened first; -1 where that was not needed."""
    memo: Annotated[Record, KNOWN, MEMO]
    frames: Annotated[Record, FRAME, LEVELS]
    parts: Annotated[Record, PART, LEVELS, WIDE]
    safe: Annotated[Shorts, LEVELS, WIDE]
    """In how many models of the state a cell to be tried is safe, else 0."""
    least: Annotated[NDArray[np.uint8], np.uint8, WIDE]
    """By place: the least number there, a mine being the greatest."""
    greatest: Annotated[Bytes, WIDE]
    """By place: the greatest number there, a mine being the least."""
    numbers: Annotated[Bytes, MOST_MODELS * WIDE]
    """What every cell shows in every model; negative for a mine."""
    sets: Annotated[Longs, MOST_MODELS * LEVELS]
    """Models of the states on the way down, one state after the other."""
    sizes: Annotated[Longs, WIDE]
    """By number: how many models show it, then where they lie."""
    outcome: Annotated[Record, OUTCOME]


# ---------------------------------------------------------------- the working space of play

_ByCandidate = Annotated[Floats, WIDE]


class Candidates(NamedTuple):
    """The cells that may be guessed, the best by the base policy first."""

    cell: _ByCandidate
    risk: _ByCandidate
    value: _ByCandidate
    is_bound: _ByCandidate
    """1 where the value is but an upper bound."""
    n_numbers: _ByCandidate
    """Numbers beside the cell; with the next, what breaks ties between equal risks."""
    n_near: _ByCandidate


class _Rollout(NamedTuple):
    """A weighted game, and the random numbers."""

    codes: Annotated[Shorts, "n_cells"]
    """What the player of the game sees."""
    mines: Annotated[Bytes, "n_cells"]
    """The layout, 1 for a mine."""
    mines_before: Annotated[Bytes, "n_cells"]
    """The layout before, when another one is drawn."""
    random: Annotated[Longs, 1]
    """The state of the random numbers."""


class Workspace(NamedTuple):
    """All working space for the boards of a topology."""

    work: _Work
    ending: _Ending
    candidates: Candidates
    rollout: _Rollout


class GameSpace(NamedTuple):
    """What play is given: the position, the layout, what it is asked and what it has done."""

    table: Longs
    """The addresses of the working space, as an analysis takes them."""
    request: Record
    counters: Record
    codes: Shorts
    """What the player sees."""
    truth: Shorts
    """Every cell's number; negative for a mine."""
    guessed: Floats
    """The risks of the guesses made; of weighted games that of the candidate."""
    rollout: _Rollout
    candidates: Candidates


# ---------------------------------------------------------------- from declarations to arrays


@cache
def declared(kind: Any) -> tuple[Any, ...]:
    """The declarations of the parts of a class of named parts, in their order."""
    return tuple(get_type_hints(kind, include_extras=True).values())


def make_parts(kind: Any, sides: dict[str, int], before: Any = None) -> Any:
    """Make what a class of named parts declares, or an array that is declared.

    Args:
        kind: the class, or the declaration of an array: the type of its items, then its sides, as numbers or names.
            Without a side it is one record.
        sides: the sides that have names.
        before: what was made before: an array that keeps its sides is kept, others are made anew, all 0.
    """
    if isinstance(kind, type):
        parts = zip(declared(kind), before or repeat(None), strict=False)
        return kind(*(make_parts(part, sides, array) for part, array in parts))
    dtype, *own_sides = kind.__metadata__
    shape = tuple(side if isinstance(side, int) else sides[side] for side in own_sides)
    return before if before is not None and before.shape == shape else np.zeros(shape, dtype)


def in_plain_floats(space: Workspace) -> Workspace:
    """A working space in which polynomials have the first of their rows alone (`solver.kernel.counting`)."""
    work = space.work
    layers = work.layers._replace(ways=work.layers.ways[:1], onward=work.layers.onward[:1])
    tree = work.tree._replace(values=work.tree.values[:1])
    return space._replace(work=work._replace(layers=layers, tree=tree))


def addresses(parts: Any) -> list[int]:
    """The table of named parts: of every array its address, then its sides. It holds none of them."""
    if isinstance(parts, tuple):
        return [word for part in parts for word in addresses(part)]
    return [parts.ctypes.data, *parts.shape]
