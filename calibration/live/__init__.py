"""Learns the looks of a clone nobody knows by playing it, or by looking on.

`evidence` holds what was seen and what follows (pure: cells in, safe cells and a guess out), `cut_board` is how a board
is watched that cannot be read yet, `learner` plays games and notes what clicks did, `restart` finds out how a new game
is begun, `watching` looks on while a person plays, `memory` keeps what was learned, and `session` is one run.
"""
