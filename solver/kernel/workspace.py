"""What the kernel works on, by name: how it is called and answers, its working space, its records.

Python hands compiled code a few plain arrays, since a tuple of arrays costs more to pass than an analysis takes.
`name_parts` cuts them into named parts, inside compiled code, where that costs nothing (0.1 us). Which row holds what
stands there alone. Imports no numba: Python reads the same records and codes before the kernel is loaded.

Abbreviations in names: con, constraint; sc, supercell. A number of either is its place in the lists of this position.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.int8]
    Shorts = NDArray[np.int16]
    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]
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


class Candidates(NamedTuple):
    """The cells that may be guessed, the best by the base policy first: float64 each, one a candidate."""

    cell: Floats
    risk: Floats
    value: Floats
    is_bound: Floats
    """1 where the value is but an upper bound."""
    n_numbers: Floats
    """Numbers beside the cell; with the next, what breaks ties between equal risks."""
    n_near: Floats


class GameSpace(NamedTuple):
    """What play is given: the position, the layout, what it is asked and what it has done."""

    request: Record
    counters: Record
    codes: Shorts
    """What the player sees."""
    truth: Shorts
    """Every cell's number; negative for a mine."""
    guessed: Floats
    """The risks of the guesses made; of weighted games that of the candidate."""
    mines: Bytes
    """The layout of a weighted game, 1 for a mine."""
    mines_before: Bytes
    """The one before, when another one is drawn."""
    random: Longs
    """The state of the random numbers."""
    candidates: Candidates


SEEN_SAFE, SEEN_MINE, SEEN_BOTH_WAYS = 1, 2, 3
"""What a walk has met of a cell (`solver.kernel.sampling`)."""
IMPOSSIBLE = -1e100  # a log weight below this is that of no model; the farther below, the farther from one

# ---------------------------------------------------------------- the working space of an analysis

SUMMARY = np.dtype(
    [
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
"""What is said of a position as a whole."""

N_ROWS = 36  # rows of the working space `grid`


class Arguments(NamedTuple):
    """The arguments of `solver.kernel.pipeline.count_all`, in their order."""

    n_mines: int
    state_limit: int
    p_mine: Floats
    proof: Bytes
    near_start: Ints
    near: Ints
    choose: Floats
    grid: Ints
    edges: Ints
    keys: Longs
    sums: Floats
    summary: Record
    states: Longs
    spans: Ints
    moves: Ints
    table_state: Ints
    table_turn: Longs
    ways: Floats
    onward: Floats
    values: Floats


class Neighbours(NamedTuple):
    """The neighbour table: those of a cell are listed from `start[cell]` to `start[cell + 1]`."""

    start: Ints
    cell: Ints


class _Position(NamedTuple):
    """What is known of the cells, and what the numbers still say."""

    near: Neighbours
    value: Ints
    """By cell: unknown, mine or safe."""
    con_of: Ints
    """By cell: the constraint of its number; -1: none."""
    clue: Ints
    """By constraint: the cell of its number."""
    need: Ints
    """By constraint: the mines it still needs."""
    left: Ints
    """By constraint: the unknown cells it has left."""


class _Supercells(NamedTuple):
    """Cells under the same constraints, and how they are found."""

    of: Ints
    """By cell: its supercell; -1 where it is uncharted."""
    size: Ints
    proof: Ints
    """By supercell: what proves its cells."""
    n_mines: Ints
    """By supercell: how many a layout to be drawn has there."""
    is_charted: Ints
    """By cell: whether it is under a constraint."""
    key: Longs
    con_key: Longs
    """By constraint: a random number; the key of a supercell is the exclusive or of those over it."""
    table: Ints
    """The supercells by key."""


class _Graph(NamedTuple):
    """Which constraints are over a supercell, and which supercells are under a constraint: places of start in lists."""

    sc_start: Ints
    sc_con: Ints
    con_start: Ints
    con_sc: Ints
    is_dropped: Ints
    """By constraint: 1 where it repeats another, or has no supercell."""


class _Search(NamedTuple):
    """Working space of clusters and orders."""

    met: Ints
    placed: Ints
    unplaced: Ints
    open_now: Ints
    seen: Ints
    fresh: Ints
    queue: Ints
    spare: Ints


class _Clusters(NamedTuple):
    """Constraints tied together, and the order of their supercells.

    The supercells of cluster c are `order[order_start[c]:order_start[c + 1]]`; step i of them has layer i + c.
    """

    start: Ints
    con: Ints
    order_start: Ints
    order: Ints
    fewest: Ints
    """By cluster: its fewest mines."""
    model_start: Longs
    """By cluster: where the polynomial of its models lies."""


class _Slots(NamedTuple):
    """Where in a state the open constraints lie, by constraint."""

    need: Ints
    room: Ints
    """Cells that are not placed yet."""
    at: Ints
    """The first bit."""
    checks: Ints
    """First bit and room of each constraint over the supercell to be placed."""


class _Layers(NamedTuple):
    """The states and moves of the dynamic programme, and the polynomials of the states.

    A layer holds the states before a supercell is placed; its moves place the supercell.
    """

    start: Ints
    move_start: Ints
    key: Longs
    span: Ints
    """(2, states): fewest and most mines placed so far."""
    first: Longs
    """By state: where its polynomial starts."""
    moves: Ints
    """(3, moves): from state, to state, mines placed."""
    ways: Floats
    """(1 or 2, terms): in how many ways a state is reached."""
    onward: Floats
    """(1 or 2, terms): the weighted ways from a state to the end."""
    choose: Floats
    """Binomial coefficients."""
    table_state: Ints
    """The states of the next layer by key."""
    table_turn: Longs
    """By place of that table: the turn in which it was written; the last one is the turn."""


class _Tree(NamedTuple):
    """A binary tree of products: node i has the children 2 i and 2 i + 1, from n_clusters on they are the clusters."""

    start: Ints
    end: Ints
    values: Floats
    """(1 or 2, terms): the polynomials of the nodes, and as far behind them their weights."""


class _Sums(NamedTuple):
    """By supercell: mines, and safe cells, over all weighted models."""

    mined: Floats
    unmined: Floats


class _Workspace(NamedTuple):
    """All of it."""

    arguments: Arguments
    summary: Record
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
    shares: Ints
    """By node of the tree: the mines a layout to be drawn has there beyond the fewest."""
    stack: Ints


def name_position(near_start: Ints, near: Ints, grid: Ints) -> _Position:
    """Cut the parts of a position out of the arrays that are passed."""
    return _Position(
        near=Neighbours(near_start, near), value=grid[0], con_of=grid[1], clue=grid[2], need=grid[3], left=grid[4]
    )


def name_parts(arguments: Arguments, position: _Position) -> _Workspace:
    """Cut all other parts out of the arrays that are passed."""
    grid, edges, keys, states = arguments.grid, arguments.edges, arguments.keys, arguments.states
    return _Workspace(
        arguments=arguments,
        summary=arguments.summary[0],
        position=position,
        supercells=_Supercells(
            of=grid[5],
            size=grid[6],
            proof=grid[7],
            n_mines=grid[34],
            is_charted=grid[8],
            key=keys[0],
            con_key=keys[1],
            table=edges[3],
        ),
        graph=_Graph(sc_start=grid[9], sc_con=edges[1], con_start=grid[10], con_sc=edges[2], is_dropped=grid[11]),
        search=_Search(
            met=grid[12],
            placed=grid[13],
            unplaced=grid[14],
            open_now=grid[15],
            seen=grid[16],
            fresh=grid[17:19],
            queue=grid[19],
            spare=grid[20],
        ),
        clusters=_Clusters(
            start=grid[21],
            con=grid[22],
            order_start=grid[23],
            order=grid[24],
            fewest=grid[25],
            model_start=keys[2],
        ),
        slots=_Slots(need=grid[3], room=grid[26], at=grid[27], checks=grid[28:30]),
        layers=_Layers(
            start=grid[30],
            move_start=grid[31],
            key=states[0],
            span=arguments.spans,
            first=states[1],
            moves=arguments.moves,
            ways=arguments.ways,
            onward=arguments.onward,
            choose=arguments.choose,
            table_state=arguments.table_state,
            table_turn=arguments.table_turn,
        ),
        tree=_Tree(start=grid[32], end=grid[33], values=arguments.values),
        sums=_Sums(arguments.sums[0], arguments.sums[1]),
        free_sums=_Sums(arguments.sums[2], arguments.sums[3]),
        shares=grid[35],
        stack=edges[0],
    )


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


class _Ending(NamedTuple):
    """Working space of endings. By place: by the place of a cell among those listed."""

    models: Longs
    """By model: its mines, as bits."""
    keys: Longs
    """By model: a random number; the key of a state is the exclusive or of its models'."""
    cells: Longs
    """By place: the cell; -1 behind the last."""
    near_bits: Longs
    """By place: the cells beside it, as bits."""
    fewest_left: Longs
    """By place: at least so many mines lie from here on."""
    most_left: Longs
    """By place: at most so many."""
    tried: Longs
    """By place: what the search for models tries there."""
    values: Longs
    """By place: models won when the cell is opened first; -1 where that was not needed."""
    memo: Record
    """(MEMO,) of KNOWN."""
    frames: Record
    """(LEVELS,) of FRAME."""
    parts: Record
    """(LEVELS, WIDE) of PART."""
    safe: Shorts
    """(LEVELS, WIDE): in how many models of the state a cell to be tried is safe, else 0."""
    least: NDArray[np.uint8]
    """By place: the least number there, a mine being the greatest."""
    greatest: Bytes
    """By place: the greatest number there, a mine being the least."""
    numbers: Bytes
    """(MOST_MODELS * WIDE,): what every cell shows in every model; negative for a mine."""
    sets: Longs
    """Models of the states on the way down, one state after the other."""
    sizes: Longs
    """By number: how many models show it, then where they lie."""
    outcome: Record
    """A record of OUTCOME."""


_STARTS = (
    0,
    *accumulate(
        (
            MOST_MODELS,
            MOST_MODELS,
            *6 * (WIDE,),
            MEMO * KNOWN.itemsize // 8,
            LEVELS * FRAME.itemsize // 8,
            LEVELS * WIDE * PART.itemsize // 8,
            LEVELS * WIDE // 4,
            WIDE // 8,
            WIDE // 8,
            MOST_MODELS * WIDE // 8,
            MOST_MODELS * LEVELS,
            WIDE,
            OUTCOME.itemsize // 8,
        )
    ),
)
"""Where the parts of Ending begin, in their order, and where the last one ends."""
ENDING_SIZE = _STARTS[-1] + 1  # int64 of the working space of endings, and the state of the random numbers behind it


def name_ending(space: Longs) -> _Ending:
    """Cut the parts out of the working space of endings."""
    at = _STARTS
    return _Ending(
        models=space[at[0] : at[1]],
        keys=space[at[1] : at[2]],
        cells=space[at[2] : at[3]],
        near_bits=space[at[3] : at[4]],
        fewest_left=space[at[4] : at[5]],
        most_left=space[at[5] : at[6]],
        tried=space[at[6] : at[7]],
        values=space[at[7] : at[8]],
        memo=space[at[8] : at[9]].view(KNOWN),
        frames=space[at[9] : at[10]].view(FRAME),
        parts=space[at[10] : at[11]].view(PART).reshape(LEVELS, WIDE),
        safe=space[at[11] : at[12]].view(np.int16).reshape(LEVELS, WIDE),
        least=space[at[12] : at[13]].view(np.uint8),
        greatest=space[at[13] : at[14]].view(np.int8),
        numbers=space[at[14] : at[15]].view(np.int8),
        sets=space[at[15] : at[16]],
        sizes=space[at[16] : at[17]],
        outcome=space[at[17] : at[18]].view(OUTCOME)[0],
    )
