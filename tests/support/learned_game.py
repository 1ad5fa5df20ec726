"""`minebot-calibrate --live` as a person runs it over real GNOME Mines."""

from __future__ import annotations

import json
import time

from bot_process import running_bot
from two_readings import compare

from skins import load_shipped_skin, load_skin

_POLL_S = 0.1
_ASKED = {"please begin a new game": "ctrl+r", "please close what the game shows over it": "alt+d"}
"""What the bot asks of a person, and the key that does it."""


def learn_game(hands, folder, *, has_person=False, **variables):
    """Have the game in sight learned, its skin in a folder, and held against the shipped skin on what shows then.

    `has_person`: a person begins each new game when asked to; else the bot may press keys. What no key of the bot's
    closes a person closes.
    """
    command = ("--live", "--now", "--json", "--name", "mine", *([] if has_person else ["--yes"]))
    with running_bot(*command, module="calibration", **variables, MINEBOT_SKINS=str(folder)) as bot:
        n_heard = 0
        while bot.process.poll() is None:
            remarks = bot.remarks[n_heard:]
            n_heard += len(remarks)
            for key in (key for line in remarks for asked, key in _ASKED.items() if asked in line):
                hands.type_key(key)
            time.sleep(_POLL_S)
        code, output = bot.finish()
        assert code == 0, bot.remarks
    told = json.loads(output)
    assert told["verified"]
    assert told["unlabelled"] <= 2  # of a number that came up once or twice the games may leave open which it is
    hands.wait_until_still(still_s=1.0)
    n_both, n_wrong, _ = compare(hands, load_skin(folder / "mine"), load_shipped_skin("gnome-mines"))
    assert n_both > 0
    assert n_wrong == 0
