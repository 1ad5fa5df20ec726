"""The built-in Minesweeper for a desktop: a real window, drawn with a skin's sprites; or played in the terminal.

Without a window system: `session` (one game after the other: where boards come from, moves, marks, hints, undo, time,
score, log), `sizes`, `records` (best times), `why` (what was forced, what was risked) and `plan` (where things stand in
the window). Of Tk: `window`, and in it `menu`, `dialogs` and `input` (mouse and keys). `window` and `terminal` are the
doors.
"""
