"""How a command goes, in words for the bar and, when it is over, for the window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bot.models import Region
from bot.signals import STOPPED
from solver.words import counted

if TYPE_CHECKING:
    from bot.launcher.runs import Event


class Progress:
    """What is known of a command that runs.

    Attributes:
        words: how it goes.
        board: where the game's board is, None while that is not known.

    Args:
        words: what is said at first.
        board: as above.
        n_games: how many games are to be played, None where that is not known.
    """

    def __init__(self, words: str, board: Region | None = None, n_games: int | None = None) -> None:
        self.words = words
        self.board = board
        self._n_games = n_games
        self._games: list[dict[str, Any]] = []
        self._told: list[str] = []
        self._found = ""

    @property
    def n_ended(self) -> int:
        """How many games have ended."""
        return len(self._games)

    def note(self, event: Event) -> None:
        """Take in what it said."""
        match event["event"]:
            case "decision":
                self.board = Region(*event["region"])
                n_safe = math.prod(event["shape"]) - (event["mines"] or 0)
                self._say_game(f"{event['opened']} of {n_safe} cells open.")
            case "position":
                size = (side * pitch for side, pitch in zip(event["shape"][:-3:-1], event["pitch"], strict=True))
                self.board = Region(*map(round, (*event["origin"], *size)))
                self.words = event["why"]
            case "state" if event["state"] in ("paused", "waiting", "dialog"):
                self._say_game(f"{event['state'].capitalize()}.")
            case "game":
                self._games.append(event)
            case "hidden" | "ended" if "why" in event:
                self.words = event["why"]
            case "remark" | "told":
                self._told.append(event["text"])
                self.words = event["text"]
            case "answer":
                self._found = _say_checks(event["answer"])

    def summary(self, code: int) -> str:
        """What came of it, by its exit code; empty where it went well and has nothing to tell."""
        lines = [_say_game(number, game) for number, game in enumerate(self._games, start=1)]
        if len(lines) > 1:
            n_won = sum(game["result"] == "won" for game in self._games)
            lines.insert(0, f"{n_won} of {len(lines)} won.")
        if not self._games or code not in (0, 1):
            lines += self._told
        lines += [self._found] * (self._found != "")
        if not lines and code not in (0, 1):
            lines.append("Stopped." if code == STOPPED else f"It ended unexpectedly, with exit code {code}.")
        return "\n".join(lines)

    def _say_game(self, words: str) -> None:
        of = "" if self._n_games is None else f" of {self._n_games}"
        self.words = f"Game {len(self._games) + 1}{of}. {words}"


def _say_game(number: int, game: dict[str, Any]) -> str:
    took = ", taken up in its middle" if game["seconds"] is None else f" in {game['seconds']:.2f} s"
    bbbv = "" if game["bbbv"] is None else f", 3BV {game['bbbv']}"
    clicks, guesses = counted(game["clicks"], "click"), counted(len(game["guesses"]), "guess")
    return f"{number:3} {game['result']}{took}, {clicks}, {guesses}{bbbv}"


def _say_checks(answer: dict[str, Any]) -> str:
    """What `doctor` found wrong, and what to do; that all is well where nothing is. What hangs on that is left out."""
    wrong = [check for check in answer["checks"] if not check["ok"] and not check["detail"].startswith("not tried")]
    if not wrong:
        return "All is well: the bot can see, click and hear its keys here."
    return "\n".join(f"{check['name']}: {check['detail']}\n   {check['fix'] or ''}".rstrip() for check in wrong)
