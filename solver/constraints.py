"""From a board to constraints, and from constraints to supercells and clusters.

A constraint says "exactly n mines among these cells". Cells are flat indices in row-by-row order: a
constraint knows no geometry, so everything built on this module works in any number of dimensions, wrapped or
not.

What counts as what: closed, flagged and unreadable cells are unknown (a flag is never evidence); `+`, `*` and `X`
are mines; every other cell is open and therefore safe, and makes a constraint when its number is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.board import CLOSED, EXPLODED, FLAG, KNOWN_MINE, MINE, UNREADABLE, format_sides
from solver.errors import BoardValueError, InconsistentError
from solver.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.board import Board
    from solver.topology import Topology

UNKNOWN_CODES = frozenset({CLOSED, FLAG, UNREADABLE})  # cells that may or may not be a mine
MINE_CODES = frozenset({KNOWN_MINE, MINE, EXPLODED})  # cells that are mines as a fact


class Constraint(NamedTuple):
    """Exactly `n_mines` of `cells` are mines.

    Attributes:
        cells: flat indices, each once.
        n_mines: how many of them are mines.
        clue: flat index of the open cell whose number says so.
    """

    cells: tuple[int, ...]
    n_mines: int
    clue: int


class Total(NamedTuple):
    """The mine count as one more constraint: exactly `n_mines` of `cells`, which include all others."""

    cells: tuple[int, ...]
    n_mines: int


class Problem(NamedTuple):
    """What a board says, without its geometry.

    Attributes:
        constraints: one for every number with an unknown cell beside it, in row-by-row order.
        unknown: flat indices of the unknown cells, in row-by-row order.
        known_mines: flat indices of the cells that are mines as a fact.
        n_hidden: mines among the unknown cells, None when the board's mine count is not known.
    """

    constraints: tuple[Constraint, ...]
    unknown: tuple[int, ...]
    known_mines: tuple[int, ...]
    n_hidden: int | None

    @property
    def total(self) -> Total | None:
        """The mine count as one more constraint; None when it is not known."""
        return None if self.n_hidden is None else Total(self.unknown, self.n_hidden)


class Supercell(NamedTuple):
    """The largest set of cells under exactly the same constraints.

    Attributes:
        cells: flat indices.
        constraints: positions in `Cluster.constraints` of the constraints it is under.
    """

    cells: tuple[int, ...]
    constraints: tuple[int, ...]


class Cluster(NamedTuple):
    """Constraints tied together by shared cells, and the supercells under them."""

    constraints: tuple[Constraint, ...]
    supercells: tuple[Supercell, ...]

    @property
    def n_cells(self) -> int:
        """How many unknown cells the cluster has."""
        return sum(len(supercell.cells) for supercell in self.supercells)


def read_problem(board: Board) -> Problem:
    """Say what a board says as constraints on its unknown cells.

    Raises:
        InconsistentError: a number cannot be met by the cells around it (the clue is named), or the mine count
            cannot be met by the unknown cells.
        BoardValueError: the board is cut: `Board.widened` has all the cells that its numbers count.
    """
    if board.cut:
        raise BoardValueError(f"expected a board whose every side is seen, got one cut at {format_sides(board.cut)}")
    codes: list[int] = board.cells.ravel().tolist()
    unknown = tuple(i for i, code in enumerate(codes) if code in UNKNOWN_CODES)
    known_mines = tuple(i for i, code in enumerate(codes) if code in MINE_CODES)
    n_hidden = None if board.mines is None else board.mines - len(known_mines)
    constraints = _read_constraints(codes, board.topology)
    if n_hidden is not None and not 0 <= n_hidden <= len(unknown):
        raise InconsistentError(
            f"expected {len(known_mines)} to {len(known_mines) + len(unknown)} mines on this board, got {board.mines}",
            None,
        )
    return Problem(constraints, unknown, known_mines, n_hidden)


def _read_constraints(codes: list[int], topology: Topology) -> tuple[Constraint, ...]:
    is_unknown = [code in UNKNOWN_CODES for code in codes]
    is_mine = [code in MINE_CODES for code in codes]
    near_of = topology.near_of
    constraints = []
    for clue, number in enumerate(codes):
        if number < 0:
            continue
        near = near_of(clue)
        cells = tuple([i for i in near if is_unknown[i]])
        n_mines = number - sum([is_mine[i] for i in near])
        if not 0 <= n_mines <= len(cells):
            needs = f"{counted(n_mines, 'mine')} in {counted(len(cells), 'closed cell')}"
            if n_mines < 0:
                needs = f"{counted(number, 'mine')} and has {number - n_mines}"
            raise InconsistentError.of_clue(topology.cell(clue), needs)
        if cells:
            constraints.append(Constraint(cells, n_mines, clue))
    return tuple(constraints)


def find_clusters(constraints: Sequence[Constraint]) -> list[Cluster]:
    """Group cells into supercells and constraints into clusters.

    Args:
        constraints: as trivial deduction leaves them: no empty one.

    Returns:
        The clusters, by their first constraint; supercells by their first cell met.
    """
    supercells = _find_supercells(constraints)
    supercells_of: list[list[int]] = [[] for _ in constraints]
    for s, (_, over) in enumerate(supercells):
        for j in over:
            supercells_of[j].append(s)
    clusters = []
    seen = [False] * len(constraints)
    for start in range(len(constraints)):
        if not seen[start]:
            members = _reach(start, seen, supercells, supercells_of)
            clusters.append(_make_cluster(members, constraints, supercells, supercells_of))
    return clusters


def _find_supercells(constraints: Sequence[Constraint]) -> list[Supercell]:
    over: dict[int, list[int]] = {}
    for j, constraint in enumerate(constraints):
        for cell in constraint.cells:
            over.setdefault(cell, []).append(j)
    cells_under: dict[tuple[int, ...], list[int]] = {}
    for cell, js in over.items():
        cells_under.setdefault(tuple(js), []).append(cell)
    return [Supercell(tuple(cells), js) for js, cells in cells_under.items()]


def _reach(
    start: int, seen: list[bool], supercells: Sequence[Supercell], supercells_of: Sequence[Sequence[int]]
) -> list[int]:
    """The constraints tied to `start`, in order; marks them in `seen`."""
    seen[start] = True
    members = [start]
    for j in members:
        for s in supercells_of[j]:
            for other in supercells[s].constraints:
                if not seen[other]:
                    seen[other] = True
                    members.append(other)
    return sorted(members)


def _make_cluster(
    members: Sequence[int],
    constraints: Sequence[Constraint],
    supercells: Sequence[Supercell],
    supercells_of: Sequence[Sequence[int]],
) -> Cluster:
    place = {j: i for i, j in enumerate(members)}
    inside = sorted({s for j in members for s in supercells_of[j]})
    return Cluster(
        tuple(constraints[j] for j in members),
        tuple(Supercell(supercells[s].cells, tuple(place[j] for j in supercells[s].constraints)) for s in inside),
    )
