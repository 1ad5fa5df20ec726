"""Works out what appearances mean that no skin has: `label_solver` by rules alone, `unknown_appearances` during play.

It is here, below `calibration`, because both learn by it: calibration a whole clone, play what its skin lacks.
"""
