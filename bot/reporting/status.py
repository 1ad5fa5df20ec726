"""Tells a person how play goes: a live panel on a terminal, a line a game anywhere, tables at the end.

A progress bar of games: on a terminal only, and only when they take over a second.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bot.playing.results import figures_of
from bot.reporting.drawing.marks import format_risk
from solver.board import GameState, closed_mask
from solver.simulation import win_interval
from solver.words import counted, name_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from rich.console import ConsoleOptions, RenderableType, RenderResult

    from bot.models import Reading
    from bot.playing.results import GameResult, RunFigures, Tally
    from solver.board import Move


_PATIENCE_S = 1.0


class GamesBar:
    """Shows how many games are played.

    Args:
        n_games: of how many.
        what: is being done.
    """

    def __init__(self, n_games: int, what: str) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._progress.add_task(what, total=n_games)
        self._what = what
        self._is_shown = False
        self._begun_at_s = time.monotonic()

    def show(self, n_played: int, remark: str) -> None:
        """Say how far it is."""
        if self._progress.disable:
            return
        if not self._is_shown:
            if time.monotonic() - self._begun_at_s < _PATIENCE_S:
                return
            self._progress.start()
            self._is_shown = True
        self._progress.update(self._task, completed=n_played, description=f"{self._what}, {remark}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._is_shown:
            self._progress.stop()


_DRAWN_PER_S = 6
"""Redraws a second. Another thread draws, so that no move waits; more often costs more than it shows."""
_WIDE_COLUMNS = 100  # width in columns from which the tables have room to breathe
_MOST_WIDTH = 120
_BAR_COLUMNS = 26
_STYLES = {GameState.WON: "bold green", GameState.LOST: "red", GameState.UNKNOWN: "yellow"}
_STATE_STYLES = {"paused": "bold yellow", "waiting": "bold yellow", "dialog": "yellow", "stopped": "red"}
_BETWEEN = "  ·  "
_NONE = "-"
_WHOLE_FROM_S = 1000  # seconds from which nobody wants hundredths


@dataclass(slots=True)
class _Current:
    """What the status knows of the game that is being played.

    Attributes:
        began_at: when its first decision was made, None before.
        n_open: open cells, as last seen.
        n_safe: cells that are no mines.
        n_moves: moves that were decided on before the latest decision: these are made.
        decided_at: when the latest decision was made.
        n_latest: moves of the latest decision.
        risk: of the last guess, None before the first.
    """

    began_at: float | None = None
    n_open: int = 0
    n_safe: int = 0
    n_moves: int = 0
    decided_at: float = 0.0
    n_latest: int = 0
    risk: float | None = None


class Status:
    """The watcher a person sees, on standard error.

    Args:
        n_games: how many games are asked for, None when that depends on how they go.
        console: where it is shown.
    """

    def __init__(self, n_games: int | None, console: Console | None = None) -> None:
        self.console = Console(stderr=True, highlight=False) if console is None else console
        self._n_games = n_games
        self._of_all = "" if n_games is None else f" of {n_games}"
        self._games: list[GameResult] = []
        self._state = ""
        self._now = _Current()
        self._live = Live(
            console=self.console, get_renderable=self.panel, refresh_per_second=_DRAWN_PER_S, transient=True
        )

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def entered(self, state_word: str) -> None:
        """The player does something else now: searching, waiting, reading, deciding, clicking and so on."""
        self._state = state_word

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Moves were decided on."""
        now, clock = self._now, time.perf_counter()
        board = reading.board
        self._now = _Current(
            began_at=clock if now.began_at is None else now.began_at,
            n_open=int((~closed_mask(board.cells)).sum()),
            n_safe=board.cells.size - (board.mines or 0),
            n_moves=now.n_moves + now.n_latest,
            decided_at=clock,
            n_latest=len(moves),
            risk=moves[0].p_mine if moves and moves[0].is_guess else now.risk,
        )

    def ended(self, result: GameResult) -> None:
        """Print one line about a game."""
        self._games.append(result)
        self._now = _Current()
        figures = figures_of([result])
        time_taken = ", taken up in its middle" if result.seconds is None else f" in {result.seconds:.2f} s"
        told = [time_taken, counted(result.n_clicks, "click"), counted(figures.n_guesses, "guess")]
        if figures.n_retries:
            told.insert(2, f"{figures.n_retries} of them again")
        if figures.bbbv_per_s is not None:
            told.append(f"{figures.bbbv_per_s:.1f} 3BV/s")
        name = f"game {len(self._games)}{self._of_all}: "
        line = Text.assemble(name, (result.result.value, _STYLES[result.result]), ", ".join(told))
        self.console.print(line, soft_wrap=True)

    def remark(self, text: str) -> None:
        """Print something a person should know."""
        self.console.print(text, soft_wrap=True)

    def panel(self) -> Panel:
        """The game that is played, and the games so far."""
        n_now = len(self._games) + 1
        is_done = self._n_games is not None and n_now > self._n_games
        title = Text("the games are played" if is_done else f"game {n_now}{self._of_all}")
        if self._state:
            title.append(_BETWEEN).append(self._state, style=_STATE_STYLES.get(self._state, "cyan"))
        said = [_of_current(self._now), _of_all(figures_of(self._games))]
        lines: list[RenderableType] = [self._progress(), *(_Items(items) for items in said if items)]
        return Panel(Group(*lines), title=title, title_align="left", box=box.ROUNDED, width=self._width())

    def _width(self) -> int:
        return min(self.console.width, _MOST_WIDTH)

    def _progress(self) -> Table:
        now = self._now
        line = Table.grid(padding=(0, 2, 0, 0))
        seconds = 0.0 if now.began_at is None else time.perf_counter() - now.began_at
        line.add_row(
            ProgressBar(total=max(now.n_safe, 1), completed=now.n_open, width=_BAR_COLUMNS),
            Text(f"{now.n_open} of {now.n_safe} cells open" if now.n_safe else "no board yet"),
            Text(f"{seconds:.1f} s"),
        )
        return line


class _Items:
    """Short texts side by side, as many to a line as fit, none of them cut."""

    def __init__(self, items: Sequence[str]) -> None:
        self._items = items

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        line = ""
        for item in self._items:
            longer = f"{line}{_BETWEEN}{item}" if line else item
            if line and len(longer) > options.max_width:
                yield Text(line)
                longer = item
            line = longer
        yield Text(line)


def _of_current(now: _Current) -> list[str]:
    items = []
    if now.began_at is not None and now.n_moves:
        items.append(f"{1000 * (now.decided_at - now.began_at) / now.n_moves:.1f} ms a move")
    if now.risk is not None:
        items.append(f"risk of the last guess {_percent_of(now.risk)}")
    return items


def _of_all(figures: RunFigures) -> list[str]:
    """The words for the games that ended."""
    if not figures.n_games:
        return []
    return [
        _say_wins(figures),
        f"best {_shown(figures.best_s, '{:.2f}')} s",
        f"{_shown(figures.bbbv_per_s, '{:.1f}')} 3BV/s",
        f"{_shown(figures.clicks_per_s, '{:.1f}')} clicks/s",
        f"{_percent_of(figures.p_retry)} made again",
    ]


def _say_wins(figures: RunFigures) -> str:
    unknown = f", {figures.n_unknown} ended, not known how" if figures.n_unknown else ""
    if not figures.n_known:
        return f"won 0 of 0{unknown}"
    low, high = win_interval(figures.n_won, figures.n_known)
    rate = figures.n_won / figures.n_known
    return f"won {figures.n_won} of {figures.n_known}, {rate:.0%} (95% interval: {low:.0%} to {high:.0%}){unknown}"


def _shown(value: float | None, form: str) -> str:
    return _NONE if value is None else form.format(value)


def _percent_of(chance: float | None) -> str:
    if chance is None:
        return _NONE
    return "?" if math.isnan(chance) else f"{format_risk(chance)}%"


_COLUMNS: tuple[tuple[str, Callable[[RunFigures], str]], ...] = (
    ("time\nin s", lambda game: _shown(game.seconds, "{:.2f}" if (game.seconds or 0) < _WHOLE_FROM_S else "{:.0f}")),
    ("cells\nopened", lambda game: str(game.n_opened)),
    ("ms a\nmove", lambda game: _shown(game.ms_per_move, "{:.1f}")),
    ("clicks", lambda game: str(game.n_clicks)),
    ("clicks\n/s", lambda game: _shown(game.clicks_per_s, "{:.1f}")),
    ("made\nagain", lambda game: _percent_of(game.p_retry)),
    ("guesses", lambda game: str(game.n_guesses)),
    ("worst\nrisk", lambda game: _percent_of(game.riskiest)),
    ("3BV", lambda game: _shown(game.bbbv, "{}")),
    ("3BV/s", lambda game: _shown(game.bbbv_per_s, "{:.1f}")),
)
"""What the table says of a game, and of all of them."""
_LEAST_WANTED = (9, 8, 5, 2, 4, 1, 7, 3, 6)
"""Columns that a narrow terminal does without, the first ones first: a number that is cut says nothing."""


def results_table(tally: Tally) -> RenderableType:
    """All games of a run: a table for each kind of board, with its totals."""
    kinds = dict.fromkeys((game.rows, game.cols, game.mines) for game in tally.games)
    tables: list[RenderableType] = [
        _BoardTable([game for game in tally.games if (game.rows, game.cols, game.mines) == kind]) for kind in kinds
    ]
    if len(kinds) > 1:
        tables.append(Text(f"all boards: {_say_wins(figures_of(tally.games))}\n"))
    return Group(*tables)


class _BoardTable:
    """The games on one kind of board."""

    def __init__(self, games: Sequence[GameResult]) -> None:
        self._games = games

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        games, total = self._games, figures_of(self._games)
        first = games[0]
        best = "" if total.best_s is None else f", best {total.best_s:.2f} s"
        title = f"{name_shape((first.rows, first.cols))}, {counted(first.mines, 'mine')}: {_say_wins(total)}{best}"
        is_wide = options.max_width >= _WIDE_COLUMNS
        table = Table(
            box=box.SIMPLE_HEAD,
            show_footer=len(games) > 1,
            show_edge=False,
            pad_edge=False,
            padding=(0, 2 if is_wide else 0, 0, 0),
        )
        table.add_column("game", "all", justify="right")
        table.add_column("result", f"{total.n_won} won")
        columns = [[name, *(say(figures_of([game])) for game in games), say(total)] for name, say in _COLUMNS]
        shown = _fitting([max(map(cell_len, "\n".join(words).split("\n"))) for words in columns], options.max_width)
        for number in shown:
            table.add_column(columns[number][0], columns[number][-1], justify="right")
        for n, game in enumerate(games, start=1):
            figures = [columns[number][n] for number in shown]
            table.add_row(str(n), Text(game.result.value, style=_STYLES[game.result]), *figures)
        yield Text(title, style="italic")
        yield table
        yield Text()


def _fitting(widths: Sequence[int], width: int) -> list[int]:
    """The columns of `_COLUMNS` that have room beside those of the number and the result, in their order."""
    room = width - len("game result") - sum(widths) - len(widths)
    left = set(range(len(widths)))
    for number in _LEAST_WANTED:
        if room >= 0:
            break
        left.remove(number)
        room += widths[number] + 1
    return sorted(left)
