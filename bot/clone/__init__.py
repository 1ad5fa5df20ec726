"""The built-in Minesweeper for a desktop: a real window, drawn with a skin's sprites.

`session` (games, seeds, clicks, log), `mouse` (what a gesture means) and `plan` (where things stand in the window)
know no window system; `window`, `header`, `board_view` and `dialogs` are Tk. Only `window` is a door.
"""
