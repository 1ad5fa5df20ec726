"""The text forms of boards and full maps: ours, and those of seven other programs.

`rows` has the forms that are rows of signs (`minebot`, `md`, `rows`, `ps`, `qb`); `nested` has those that are nested
lists (`gcp`, `lisp`); `clones` has what clones take to play a layout (`sgt-mines`, `.mbf`), `links` the addresses of
pages (`jsminesweeper`). Each says in its head what a form is and what of it is our choice. `documents` says what a form
is, and what to do about what it has no sign for; `registry` has the table of all forms with their signs, and finds the
form of a text. Rows and columns in errors are 0-based.

Errors: BoardTextError for a text that is not in a form; InexpressibleError (a BoardValueError) for a document that a
form has no sign for.
"""

from solver.formats.clones import format_game_id, format_mbf
from solver.formats.documents import (
    MOST_CELLS,
    Document,
    Format,
    FullMap,
    InexpressibleError,
    as_full_map,
    reveal,
    view_of,
)
from solver.formats.links import is_address
from solver.formats.registry import AUTO, FORMATS, LINK, MOST_BYTES, OURS, decode, parse_as, parse_detected

__all__ = [
    "AUTO",
    "FORMATS",
    "LINK",
    "MOST_BYTES",
    "MOST_CELLS",
    "OURS",
    "Document",
    "Format",
    "FullMap",
    "InexpressibleError",
    "as_full_map",
    "decode",
    "format_game_id",
    "format_mbf",
    "is_address",
    "parse_as",
    "parse_detected",
    "reveal",
    "view_of",
]
