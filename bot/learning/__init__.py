"""Works out what looks mean that no skin has: `label_solver` by the rules alone, `unknown_looks` during play.

It is here, below `calibration`, because both learn by it: calibration a whole clone, play a look that its skin lacks.
"""
