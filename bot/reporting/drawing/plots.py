"""Plots: of a simulation the win rate as games go by, and predicted against observed risk; win rates by density."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from bot.images import save_png
from bot.models import Region
from bot.reporting.drawing import ink
from solver.simulation import win_interval
from solver.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from solver.simulation import Summary

_SIDE_PX = 420
_LEFT_PX, _TOP_PX, _BOTTOM_PX, _GAP_PX = 76, 48, 60, 28
_N_POINTS = 200  # points of a curve: more are no finer
_N_TICKS = 6  # most ticks of an axis
_ROUNDING = 1e-9
_TEXT_PX, _TITLE_PX = 13, 15
_LINE_PX = 2
_SIGMAS_OF_95 = 1.96


def save_simulation(summary: Summary, path: Path) -> None:
    """Draw the win rate with its 95 % interval, and the calibration, side by side.

    Raises:
        UsageError: it cannot be written.
    """
    width = 2 * (_LEFT_PX + _SIDE_PX + _GAP_PX)
    pixels = np.full((_TOP_PX + _SIDE_PX + _BOTTOM_PX, width, 3), ink.PAPER, dtype=np.uint8)
    _draw_win_rate(pixels, _LEFT_PX, summary)
    _draw_calibration(pixels, 2 * _LEFT_PX + _SIDE_PX + _GAP_PX, summary)
    save_png(path, pixels)


def save_density(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw the win rate with its 95 % interval by mine count: rows of `mines`, `games` and `won`, at least one.

    Raises:
        UsageError: it cannot be written.
    """
    pixels = np.full((_TOP_PX + _SIDE_PX + _BOTTOM_PX, _LEFT_PX + _SIDE_PX + _GAP_PX, 3), ink.PAPER, dtype=np.uint8)
    intervals = [win_interval(row["won"], row["games"]) for row in rows]
    mines = [row["mines"] for row in rows]
    top = math.ceil(10 * max(high for _, high in intervals)) / 10
    axes = _Axes(_LEFT_PX, (mines[0] - 1, mines[-1] + 1), (0.0, top))
    for row, (low, high) in zip(rows, intervals, strict=True):
        middle = axes.point(row["mines"], row["won"] / row["games"])
        _draw_line(pixels, [axes.point(row["mines"], low), axes.point(row["mines"], high)], ink.BLUE)
        cv2.circle(pixels, middle, 4, ink.BLUE, -1, cv2.LINE_AA)
    axes.draw(pixels, "games won", "mines; the bars are 95 % intervals", is_x_whole=True)
    save_png(path, pixels)


@dataclass(frozen=True)
class _Axes:
    """A square of a picture that shows a range of numbers either way."""

    left_px: int
    x: tuple[float, float]
    y: tuple[float, float]

    def point(self, x: float, y: float) -> tuple[int, int]:
        """Where on the picture a pair of numbers is; what is out of range lies at the edge."""
        across, up = (
            min(max((value - low) / (high - low), 0.0), 1.0) for value, (low, high) in ((x, self.x), (y, self.y))
        )
        return self.left_px + round(across * _SIDE_PX), _TOP_PX + round((1 - up) * _SIDE_PX)

    def draw(self, pixels: NDArray[np.uint8], title: str, x_name: str, *, is_x_whole: bool) -> None:
        """Draw the frame, ticks and words."""
        ink.outline(pixels, Region(self.left_px, _TOP_PX, _SIDE_PX, _SIDE_PX), ink.GREY, 1)
        ink.put_text(pixels, title, self.left_px, _TOP_PX - 16, _TITLE_PX)
        bottom = _TOP_PX + _SIDE_PX
        for value, text in _ticks(*self.x, is_whole=is_x_whole):
            column, _ = self.point(value, self.y[0])
            cv2.line(pixels, (column, bottom), (column, bottom + 4), ink.GREY, 1)
            text_px, height_px = ink.text_size(text, _TEXT_PX)
            ink.put_text(pixels, text, column - text_px // 2, bottom + 10 + height_px, _TEXT_PX)
        for value, text in _ticks(*self.y, is_whole=False):
            _, row = self.point(self.x[0], value)
            cv2.line(pixels, (self.left_px - 4, row), (self.left_px, row), ink.GREY, 1)
            text_px, height_px = ink.text_size(text, _TEXT_PX)
            ink.put_text(pixels, text, self.left_px - 8 - text_px, row + height_px // 2, _TEXT_PX)
        ink.put_text(pixels, x_name, self.left_px, _TOP_PX + _SIDE_PX + 46, _TEXT_PX)


def _ticks(low: float, high: float, *, is_whole: bool) -> list[tuple[float, str]]:
    """Round numbers from `low` to `high`, about `_N_TICKS`, and how they are written: whole, or in percent."""
    least = (high - low) / _N_TICKS
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - _ROUNDING))
    step = max(step, 1.0) if is_whole else step
    n_decimals = 0 if is_whole else max(0, math.ceil(-math.log10(100 * step) - _ROUNDING))
    values = [n * step for n in range(math.ceil(low / step - _ROUNDING), math.floor(high / step + _ROUNDING) + 1)]
    return [(value, f"{value:.0f}" if is_whole else f"{value:.{n_decimals}%}") for value in values]


def _draw_win_rate(pixels: NDArray[np.uint8], left_px: int, summary: Summary) -> None:
    n_games = summary.n_games
    won = np.cumsum(np.frombuffer(bytes(summary.results), dtype=np.uint8), dtype=np.int64)
    places = np.unique(np.linspace(1, n_games, min(n_games, _N_POINTS)).round().astype(int)).tolist()
    intervals = [win_interval(int(won[n - 1]), n) for n in places]
    # The first games say so little that the band of the first tenth need not be seen whole.
    shown = intervals[len(intervals) // 10 :]
    low, high = min(low for low, _ in shown), max(high for _, high in shown)
    room = max(0.05 * (high - low), 0.005)
    axes = _Axes(left_px, (0, n_games), (max(low - room, 0.0), min(high + room, 1.0)))
    lows = [axes.point(n, low) for n, (low, _) in zip(places, intervals, strict=True)]
    highs = [axes.point(n, high) for n, (_, high) in zip(places, intervals, strict=True)]
    cv2.fillPoly(pixels, [np.array(lows + highs[::-1], dtype=np.int32)], ink.BAND)
    _draw_line(pixels, [axes.point(n, won[n - 1] / n) for n in places], ink.BLUE)
    low, high = intervals[-1]
    title = f"{summary.n_won / n_games:.2%} of {n_games} games won ({low:.2%} to {high:.2%})"
    axes.draw(pixels, title, "games; the band is the 95 % interval", is_x_whole=True)


def _draw_calibration(pixels: NDArray[np.uint8], left_px: int, summary: Summary) -> None:
    buckets = summary.buckets
    highest = max([max(bucket.predicted, bucket.observed) for bucket in buckets], default=1.0)
    top = min(math.ceil(10 * highest + 0.5) / 10, 1.0)
    axes = _Axes(left_px, (0.0, top), (0.0, top))
    _draw_line(pixels, [axes.point(0.0, 0.0), axes.point(top, top)], ink.GREY)
    for bucket in buckets:
        reach = _SIGMAS_OF_95 * math.sqrt(bucket.predicted * (1 - bucket.predicted) / bucket.n_guesses)
        ends = [axes.point(bucket.predicted, bucket.observed + sign * reach) for sign in (-1, 1)]
        _draw_line(pixels, ends, ink.VERMILION)
        cv2.circle(pixels, axes.point(bucket.predicted, bucket.observed), 4, ink.VERMILION, -1, cv2.LINE_AA)
    n_guesses = sum(bucket.n_guesses for bucket in buckets)
    axes.draw(
        pixels,
        f"observed risk of {counted(n_guesses, 'guess')}",
        "predicted risk; bars hold 95 % of what chance does",
        is_x_whole=False,
    )


def _draw_line(pixels: NDArray[np.uint8], points: Sequence[tuple[int, int]], colour: ink.Colour) -> None:
    cv2.polylines(pixels, [np.array(points, dtype=np.int32)], False, colour, _LINE_PX, cv2.LINE_AA)
