"""`minebot completion`: the script by which a shell completes commands, options and file names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.console import emit

if TYPE_CHECKING:
    import argparse

EXAMPLE = "minebot completion bash > ~/.local/share/bash-completion/completions/minebot"

_SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
_HOW = """where it goes:
  bash        ~/.local/share/bash-completion/completions/minebot
  zsh         _minebot in a folder of $fpath
  fish        ~/.config/fish/completions/minebot.fish
  tcsh        a file that ~/.tcshrc sources
  powershell  a file that $PROFILE runs

"""
_FOLDERS, _FILES = ("DIR",), ("FILE", "IMAGE", "BOARD", "IN", "MAP", "OUT", "P.png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shell", choices=_SHELLS, help="the shell that the script is for")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.epilog = f"{_HOW}{parser.epilog}"
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Print the script; return 0."""
    import shtab

    from bot.cli import COMMANDS, make_parser

    parser = make_parser(COMMANDS)
    action: Any  # argparse knows no files; shtab takes this attribute
    for action in parser.iter_arguments():
        words = str(action.metavar or "").split("|")
        if any(word.startswith(_FOLDERS) for word in words):
            action.complete = shtab.DIRECTORY
        elif any(word.startswith(_FILES) for word in words):
            action.complete = shtab.FILE
    script = shtab.complete(parser, args.shell)
    emit({"shell": args.shell, "script": script}, script.splitlines(), as_json=args.json)
    return 0
