"""The built-in Minesweeper for a desktop: a real window, drawn with a skin's sprites; or played in the terminal.

Without a window system: `session` (one game after the other: moves, marks, hints, undo, time, log), `dealing` (where
boards come from), `sizes`, `scoring` (3BV and the like), `records` (best times), `why` (what was forced, what was
risked), `words` (what is told of a game), `mouse` (what a gesture means), `cursor` (the keyboard's place) and `plan`
(where things stand in the window). Of Tk: `window`, and in it `menu`, `header`, `board_view`, `cell_marks`, `footer`,
`hands` (mouse and keys), `dialogs` and `why_panel`. `window` and `terminal` are the doors.
"""
