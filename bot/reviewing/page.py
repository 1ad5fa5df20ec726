"""One page on which reviewed games can be explored: self-contained, without a network, fit to print.

The page is a template, `page.html`, with the games as JSON in it. The JSON holds the layout and what each click opened,
and the page plays the clicks itself; the risks are those of the solver, a number of 16 bits a cell. Nothing on the page
is computed from anything else. Its own rules forbid it to load anything (Content-Security-Policy).
"""

from __future__ import annotations

import base64
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import track

from bot.errors import UsageError
from bot.images import save_bytes
from bot.reviewing.verdicts import WORST, give_reason, summarise
from solver.board import FLAG, Action

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.reviewing.verdicts import Judged, Review
    from solver.analysis import Analysis
    from solver.topology import Cell

_PLACE = "@@GAMES@@"  # what the template has where the games go
_PER_ONE = 10_000  # a risk of 1 in the page's whole numbers: shown to a hundredth of a percent
_OPEN, _NOT_KNOWN = 65_535, 65_534
_MOST_RATED = 8  # guesses that are compared for each click


def save_page(path: Path, reviews: Sequence[Review]) -> None:
    """Write the page of these games, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    text = render_page(reviews)
    try:
        save_bytes(path, text.encode())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def render_page(reviews: Sequence[Review]) -> str:
    """The page's text."""
    template = resources.files("bot.reviewing").joinpath("page.html").read_text(encoding="utf-8")
    n_clicks = sum(len(review.clicks) for review in reviews)
    console = Console(stderr=True)
    with_bar = track(reviews, "writing the page", console=console, transient=True, disable=not console.is_terminal)
    games = [_game_as_json(review) for review in (with_bar if n_clicks else reviews)]
    together = summarise(reviews) if len(reviews) > 1 else None
    data = json.dumps({"games": games, "together": together}, ensure_ascii=False, separators=(",", ":"))
    # Inside a script element only these end it or begin a comment; as escapes they are the same JSON.
    safe = data.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return template.replace(_PLACE, safe)


def _game_as_json(review: Review) -> dict[str, Any]:
    told = review.as_json(with_reasons=False)
    maps: list[str] = []
    numbers: dict[int, int] = {}
    for judged, click in zip(review.clicks, told["clicks"], strict=True):
        click.update(_click_as_json(judged))
        if judged.analysis is not None:
            key = id(judged.analysis)
            if key not in numbers:
                numbers[key] = len(maps)
                maps.append(_encode_risks(judged.analysis))
            click["map"] = numbers[key]
    layout = review.replay.layout
    told["cells"] = [
        "".join("*" if mine else str(number) for mine, number in zip(*rows, strict=True))
        for rows in zip(layout.has_mine.tolist(), layout.numbers.tolist(), strict=True)
    ]
    told["maps"] = maps
    told["worst"] = review.worst(len(review.clicks))
    return told


def _click_as_json(judged: Judged) -> dict[str, Any]:
    """What the page needs of a click besides: what it opened, what became of a flag, and why it was what it was."""
    step = judged.step
    fields: dict[str, Any] = {"opened": [list(cell) for cell in step.opened], "why": give_reason(judged)}
    if step.click.action is Action.FLAG and step.changed:
        fields["flag"] = int(step.before[step.click.cell] != FLAG)
    if judged.verdict in WORST or judged.is_guess:
        fields["rated"] = _ratings_as_json(judged)
    return fields


def _ratings_as_json(judged: Judged) -> list[tuple[Cell, float, float | None]]:
    """The guesses that were compared, the best first: cell, risk, and what it was worth."""
    if judged.ratings is None:
        return []
    return [
        (tuple(map(int, one.cell)), one.p_mine, one.survival if one.p_win is None else one.p_win)
        for one in judged.ratings.guesses[:_MOST_RATED]
    ]


def _encode_risks(analysis: Analysis) -> str:
    """The risk of every cell, row by row, as base64 of little-endian numbers of 16 bits.

    0 and `_PER_ONE` only where that is proven.
    """
    p_mine = analysis.p_mine.ravel()
    is_open = analysis.board.cells.ravel() >= 0
    is_known = ~np.isnan(p_mine) & ~is_open
    scaled = np.full(p_mine.size, _NOT_KNOWN, dtype="<u2")
    scaled[is_known] = np.clip(np.round(p_mine[is_known] * _PER_ONE), 1, _PER_ONE - 1).astype("<u2")
    scaled[is_known & (p_mine == 0.0)] = 0
    scaled[is_known & (p_mine == 1.0)] = _PER_ONE
    scaled[is_open] = _OPEN
    return base64.b64encode(scaled.tobytes()).decode("ascii")
