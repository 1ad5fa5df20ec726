"""What can go wrong in the solver.

SolverError
├── BoardTextError   (ValueError)  a text is not a board: says which row and column
│   ├── UnreadableFormError        it is certainly in one text form, and holds no board all the same: says why
│   └── AmbiguousFormError         it may be in several text forms: says which, and what they make of it
├── BoardValueError  (ValueError)  an array or a number is not a board's: says which cell
│   └── InexpressibleError         a text form has no sign for something on a board (`solver.formats`)
├── InconsistentError              the position contradicts itself: names a clue where one can be named
├── RunFileError                   a file of simulated games that cannot be taken up: says why
├── GenerationError                no board like the one ordered was found: says what was tried
└── BackendError                   the workers that should play are not to be had, or were lost: says what is missing

DisagreementError (RuntimeError)   two engines differ: a bug, so no SolverError and nothing to handle
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.words import counted, name_cell

if TYPE_CHECKING:
    from collections.abc import Sequence


class SolverError(Exception):
    """The root of every error the solver raises on purpose."""


class BoardTextError(SolverError, ValueError):
    """A text that should be a board is not one."""


class UnreadableFormError(BoardTextError):
    """A text that can only be in one form, and of which no board can be read."""


class AmbiguousFormError(BoardTextError):
    """A text that may be in several forms, and means something else in each."""


class BoardValueError(SolverError, ValueError):
    """An array, a shape or a mine count that no board can have."""


class RunFileError(SolverError):
    """A file of a simulation's games cannot be read or written, or is that of another run."""


class GenerationError(SolverError):
    """No board like the one that was ordered was found."""


class BackendError(SolverError):
    """Those who should play a simulation's games cannot be reached."""


class InconsistentError(SolverError):
    """No layout of mines agrees with the position.

    Attributes:
        clue: an open cell whose number takes part in the contradiction, or None when only the mine
            count contradicts.
    """

    def __init__(self, message: str, clue: tuple[int, ...] | None) -> None:
        super().__init__(message)
        self.clue = clue

    @classmethod
    def of_clue(cls, cell: tuple[int, ...], needs: str) -> InconsistentError:
        """A number that cannot be met, and what it would need."""
        return cls(f"the number at {name_cell(cell)} contradicts the rest: it needs {needs}", cell)

    @classmethod
    def of_clues(cls, cells: Sequence[tuple[int, ...]]) -> InconsistentError:
        """Numbers that cannot be met together."""
        return cls(f"the numbers at {' '.join(map(name_cell, cells))} contradict each other", cells[0])

    @classmethod
    def of_total(cls, mines: int | None) -> InconsistentError:
        """A mine count that no layout has."""
        with_mines = "" if mines is None else f" with {counted(mines, 'mine')}"
        return cls(f"no layout{with_mines} agrees with the numbers", None)


class DisagreementError(RuntimeError):
    """The two engines contradict each other, a bug in the solver; or the second one gives up on all that is proven."""
