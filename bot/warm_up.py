"""The solver's kernel, compiled at its first need, while a person sees what they wait for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bot.console import tell
from solver import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHAT = "compiling the solver's kernel (about a minute, once on this machine)"
_SHOWN = "compiling the solver (about a minute, once)"  # what is shown beside a bar and a clock, on 80 columns


def warm_up() -> str | None:
    """Compile the kernel, unless that was done before, and load it.

    Returns:
        Why it cannot be had here; None where it is loaded.
    """
    try:
        if not kernel.is_compiled():
            with _shown():
                kernel.compile_now()
    except RuntimeError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - whatever keeps a compiler from working, the solver works without
        return f"{type(error).__name__}: {error}"
    return None if kernel.load() else "it is compiled and cannot be loaded"


@contextmanager
def _shown() -> Iterator[None]:
    """Show on standard error that it is being compiled: a bar on a terminal, elsewhere a line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        tell(_WHAT)
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(_SHOWN, total=None)
        yield
