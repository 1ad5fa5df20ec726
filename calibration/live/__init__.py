"""Learns the skin of a clone nobody knows by playing it, or by looking on.

`session` is one run of playing, `watching` one of looking on while a person plays. `locating` finds the board that is
meant, and `cut_board` is how it is watched while it cannot be read yet. `learner` plays games and `clicking` clicks;
`restart` finds out how a new game is begun. `evidence` holds what was seen and what follows (pure: cells in, safe cells
and a guess out), `memory` keeps it, and `progress` says how far it goes and makes the skin.
"""
