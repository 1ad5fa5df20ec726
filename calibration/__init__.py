"""Makes a skin from pictures of a clone nobody supports yet: frames in, a skin whose every label is proven out.

`learning` is the whole way: find the board (`grids`), group its cells that look alike (`appearances`), prove what each
appearance means (`labels`, by satisfiability over labels and mines together, `bot.learning.label_solver`), make a skin
of it and read the boards back with it.
"""
