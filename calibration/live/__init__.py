"""Learns the looks of a clone nobody knows by playing it.

`evidence` holds what was seen and what follows (pure: cells in, safe cells and a guess out), `camera` takes pictures of
the board, `learner` plays games and notes what clicks did, `restart` finds out how a new game is begun, `result`
makes the skin, `command` is `minebot-calibrate --live`.
"""
