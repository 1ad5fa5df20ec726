"""Boards of `minebot generate` in a real sgt-mines, played by `minebot play`: won, and without a guess.

MINEBOT_GENERATED_GAMES says how many.
"""

from __future__ import annotations

import json

import pytest
from amounts import count
from bot_process import run_bot
from desktop_game import desk
from sgt_mines import PROGRAM, game_of_id

from solver.board import parse_board
from solver.formats import as_full_map

pytestmark = [pytest.mark.screen]

N_GAMES = count("MINEBOT_GENERATED_GAMES", gate=2, full=10)
KINDS = {
    "expert": ("--shape", "16,30", "--mines", "99", "--guess-free"),
    "dense": ("--shape", "9,9", "--mines", "20", "--guess-free"),
    "hard": ("--shape", "16,16", "--mines", "51", "--level", "hard"),
    "corner": ("--shape", "16,16", "--mines", "40", "--guess-free", "--hint", "15,0"),
}


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    require_program(PROGRAM, "sgt-puzzles")
    with desk(virtual_display) as opened:
        yield opened


@pytest.mark.parametrize("seed", range(1, N_GAMES + 1))
def test_generated_board_is_won_in_sgt_mines_without_a_guess(hands, seed):
    kind = list(KINDS)[(seed - 1) % len(KINDS)]
    code, output, remarks = run_bot("generate", *KINDS[kind], "--seed", str(seed), "--format", "sgt-mines", "--json")
    assert code == 0, remarks
    (board,) = json.loads(output)["boards"]
    layout = as_full_map(parse_board("\n".join(board["rows"]))).layout
    with game_of_id(hands, board["text"].strip(), layout, tuple(board["hint"])):
        code, output, remarks = run_bot(
            "play", "--now", "--json", "--games", "1", "--mines", str(board["mines"]), display=hands.name
        )
    assert code == 0, remarks
    (told,) = json.loads(output)["games"]
    assert (told["result"], told["guesses"]) == ("won", [])
