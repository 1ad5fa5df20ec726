"""The coach: says over a live clone what is known of its board, and clicks nothing.

`knowledge` is what is known of a position, `marks` what is marked of it and where, `words` why; `drawing` and `placing`
make pictures of these; `sight` finds and reads the board in its window; `coach` is what comes after what. Only `sight`
and `coach` know that there is a window and a clock.
"""
