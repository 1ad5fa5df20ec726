"""`minebot review`: every click of a finished game, what was known at it and what it was worth."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import track

from bot.commands.loading import load_games
from bot.console import emit, tell
from bot.errors import UsageError
from bot.warm_up import warm_up

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from bot.reviewing.replay_files import Replay
    from bot.reviewing.verdicts import Review

EXAMPLE = "minebot review game.avf --html game.html"

_MOST_THINK_S = 600.0
_DEFAULT_TOP = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="replays (.avf, .rmv, .mvf, .evf, RAWVF text) or folders of play --record or coach --record; none: the "
        "last game that was played in the built-in game",
    )
    parser.add_argument("--html", type=Path, metavar="OUT.html", help="write a page on which the games can be explored")
    parser.add_argument(
        "--think", type=float, default=0.0, metavar="SECONDS", help="think that long about each guess, by playing on"
    )
    parser.add_argument(
        "--top",
        type=int,
        default=_DEFAULT_TOP,
        metavar="N",
        help="explain the N clicks that cost most (default %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Review the games; exit code 0, whatever was played in them."""
    from bot.images import check_can_save
    from bot.reviewing.page import save_page
    from bot.reviewing.verdicts import summarise

    if not 0 <= args.think <= _MOST_THINK_S:
        raise UsageError(f"expected --think of 0 to {_MOST_THINK_S:g} seconds, got {args.think:g}")
    if args.top < 0:
        raise UsageError(f"expected --top of 0 or more, got {args.top}")
    if args.html is not None:
        check_can_save(args.html, suffixes=(".html", ".htm"), what="a page")
    replays = _load(args.files)
    why_not = warm_up()
    if why_not is not None:
        tell(f"without the compiled kernel ({why_not}) guesses are compared by risk, and no chance to win is known")
    reviews = list(_iter_reviews(replays, args.think))
    if args.html is not None:
        save_page(args.html, reviews)
    told: dict[str, Any] = {"games": [each.as_json() for each in reviews]}
    lines = [line for each in reviews for line in _lines(each, args.top)]
    if len(reviews) > 1:
        told["together"] = summarise(reviews)
        lines += _lines_together(told["together"])
    if args.html is not None:
        lines.append(f"the page is {args.html}")
    emit(told, lines, as_json=args.json)
    return 0


def _load(files: Sequence[Path]) -> list[Replay]:
    from bot.game.kept_games import KeptGames, usual_folder

    if files:
        return [replay for path in files for replay in load_games(path)]
    last = KeptGames(usual_folder()).last
    if last is None:
        raise UsageError("expected the FILE of a replay: no game of the built-in game was kept yet")
    return list(load_games(last))


def _iter_reviews(replays: Sequence[Replay], think_s: float) -> Iterator[Review]:
    from bot.reviewing.verdicts import review

    console = Console(stderr=True)
    for n, replay in enumerate(replays, 1):
        which = f"reviewing game {n} of {len(replays)}" if len(replays) > 1 else "reviewing"
        show = partial(track, description=which, console=console, transient=True, disable=not console.is_terminal)
        yield review(replay, think_s, show=show)


def _lines(review: Review, top: int) -> Iterator[str]:
    """A review for a person."""
    from bot.reviewing.verdicts import give_reason
    from solver.words import counted

    figures, layout = review.figures, review.replay.layout
    seconds = "" if figures.seconds is None else f" after {figures.seconds:.2f} s"
    by = f" by {review.replay.player}" if review.replay.player else ""
    program = f" ({review.replay.program})" if review.replay.program else ""
    rows, cols = layout.shape
    mines = counted(layout.n_mines, "mine")
    yield f"{review.replay.source}: {review.result}{seconds}, {rows}x{cols} with {mines}{by}{program}"
    yield f"  accuracy {review.accuracy:.1%}: the share of the chance to win that the choices kept"
    luck = review.luck
    yield (
        f"  luck {luck.balance:+.2f}: {counted(luck.guesses, 'guess')}; {luck.expected:.2f} losses expected, "
        f"{luck.lost} came; the chance to survive them all was {luck.survival:.1%}; pLuck {luck.p_luck:.3f}"
    )
    yield "  " + ", ".join(f"{count} {name}" for name, count in review.counts.items() if count)
    yield from (f"  {line}" for line in _figure_lines(review))
    yield from (f"  {line}" for line in _curve_lines(review))
    for n in review.worst(top):
        judged = review.clicks[n]
        name = judged.verdict.value if judged.verdict else ""
        yield f"  click {n + 1} at {judged.step.click.seconds:.2f} s, {name}:"
        yield from (f"    {line}" for line in give_reason(judged).splitlines())
    yield ""


def _figure_lines(review: Review) -> Iterator[str]:
    figures = review.figures
    saved = review.flags_saved
    flags = "" if saved is None else f", flags {'saved' if saved >= 0 else 'cost'} {abs(saved)}"
    solved = "" if figures.bbbv_solved == figures.bbbv else f" ({figures.bbbv_solved} solved)"
    yield (
        f"3BV {figures.bbbv}{solved}, openings {figures.openings}, islands {figures.islands}, "
        f"ZiNi {figures.zini}, HZiNi {figures.hzini}"
    )
    yield (
        f"clicks {figures.clicks} (left {figures.left}, right {figures.right}, double {figures.double}), "
        f"{figures.clicks - figures.effective} wasted{flags}"
    )
    named = (
        ("3BV/s", figures.bbbv_s),
        ("clicks/s", figures.clicks_s),
        ("IOE", figures.ioe),
        ("Corr.", figures.corr),
        ("Thrp.", figures.thrp),
        ("RQP", figures.rqp),
    )
    yield ", ".join(f"{name} {value:.3f}" for name, value in named if value is not None)
    for name, value in review.replay.told.items():
        own = getattr(figures, name)
        if value and value != own:
            yield f"the file says {name} {value:g}, its mines {own}"


def _curve_lines(review: Review) -> Iterator[str]:
    if review.curve:
        yield "chance to win: " + " ".join(f"{point.chance.value:.0%}" for point in review.curve)
    stalls = [f"{stall.seconds:.2f} s before click {stall.n + 1}" for stall in review.stalls[:3]]
    if stalls:
        yield f"longest stalls: {', '.join(stalls)}"


def _lines_together(told: dict[str, Any]) -> Iterator[str]:
    """What many games have in common, for a person."""
    from solver.words import counted

    yield (
        f"{counted(told['games'], 'game')}, {told['won']} won; accuracy {told['accuracy']:.1%} in the mean; "
        f"{counted(told['guesses'], 'guess')}; {told['losses_expected']:.2f} losses expected, {told['losses']} came"
    )
    yield "  " + ", ".join(f"{count} {name}" for name, count in told["verdicts"].items() if count)
    if told["missed_patterns"]:
        missed = ", ".join(f"{name} ({count})" for name, count in told["missed_patterns"].items())
        yield f"  blunders missed what is proven by {missed}"
    means = ", ".join(f"{name} {value:.3f}" for name, value in told["means"].items() if value is not None)
    if means:
        yield f"  in the mean: {means}"
    halves = [told["trend"][half] for half in ("earlier", "later")]
    changes = [
        f"{name} {before:.3f} to {after:.3f}"
        for name, before, after in ((name, *(half[name] for half in halves)) for name in told["means"])
        if before is not None and after is not None
    ]
    yield f"  from the earlier half of the games to the later: {', '.join(changes)}"
