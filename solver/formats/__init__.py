"""The text forms of boards and full maps: ours, and those of five other programs.

One module a form: `minebot`, `md`, `rows`, `ps`, `qb`, `gcp`, `lisp`; each says in its head what the form is and what
of it is our choice. `registry` knows them by name, `documents` what they hold, `expressing` what they cannot, `text`
and `nested` how text is taken apart. `clone_files` writes what clones take to play a layout. Rows and columns in errors
are 0-based.

Errors: BoardTextError for a text that is not in a form; InexpressibleError (a BoardValueError) for a document that a
form has no sign for.
"""

from solver.formats.documents import Document, FullMap, InexpressibleError, as_full_map, reveal, view_of
from solver.formats.registry import AUTO, FORMATS, OURS, Format, parse_as, parse_detected
from solver.formats.rows import format_game_id, format_mbf
from solver.formats.text import MOST_BYTES, decode

__all__ = [
    "AUTO",
    "FORMATS",
    "MOST_BYTES",
    "OURS",
    "Document",
    "Format",
    "FullMap",
    "InexpressibleError",
    "as_full_map",
    "decode",
    "format_game_id",
    "format_mbf",
    "parse_as",
    "parse_detected",
    "reveal",
    "view_of",
]
