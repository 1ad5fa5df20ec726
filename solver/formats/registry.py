"""The table of text forms; bytes as text, and which form a text is in.

Detection (`auto`) reads a text in every form. It is decided when only one can, or when all that can understand the same
by it; then the first of them in the order of `FORMATS` is taken. Otherwise the error says which forms it could be. One
rule beside that: with `#` and without `-`, `#` is the closed cell of `rows`, not the open cell without number of the
others, which would leave nothing closed. `lisp-loose` has to be asked for: any 0 in it also reads as a true 0. So do
`dots-closed` and `dots-open`, which read the same texts: where nothing else can read one, the error asks which it is.
"""

from __future__ import annotations

import codecs
from contextlib import suppress
from typing import TYPE_CHECKING

from solver.board import CLOSED, FLAG, KNOWN_MINE, OPEN_UNKNOWN, SYMBOLS
from solver.errors import AmbiguousFormError, BoardTextError, InconsistentError, UnreadableFormError
from solver.formats.clones import GameIds
from solver.formats.documents import Document, FullMap, as_full_map, has_closed
from solver.formats.links import Links
from solver.formats.nested import STRING_SIGNS, Arrays, RowLists
from solver.formats.rows import BOARD_SIGNS, DIGITS, ROWS_SIGNS, BoardText, DottedText, SignRows

if TYPE_CHECKING:
    from solver.layout import Layout

AUTO = "auto"  # the name that asks for detection
OURS = "minebot"  # the name of our own form
LINK = "jsminesweeper"  # the name of the form that is an address

_PLAIN = DIGITS | {"-": CLOSED, "+": KNOWN_MINE}
_LISP = {"-": CLOSED, "+": KNOWN_MINE, "?": OPEN_UNKNOWN} | DIGITS
_X_AND_O = {"o": (False, CLOSED), "x": (True, CLOSED)}
_QB_MAP = dict.fromkeys(DIGITS, (False, 0)) | {"?": (False, CLOSED), "*": (True, CLOSED), "F": (True, FLAG)}
_LINKS = DIGITS | {"I": CLOSED, "H": CLOSED, "F": FLAG, "O": FLAG}
_BITS = {"0": (False, CLOSED), "1": (True, CLOSED)}
FORMATS = {
    form.name: form
    for form in (
        BoardText(OURS, "our board text", BOARD_SIGNS, has_every_number=True, n_dimensions=None, says_start=True),
        SignRows("md", "Minedetector: 0-8 - +", _PLAIN, has_solutions=True),
        SignRows("rows", "collected positions: 0-8 - + #", ROWS_SIGNS),
        SignRows("ps", "petersohn's maps: x o", _PLAIN, _X_AND_O, is_of_maps=True),
        SignRows("qb", "quasarbright's strings: 0-8 ? * F", ROWS_SIGNS, _QB_MAP),
        DottedText("dots-closed", ". or _ is a closed cell", BOARD_SIGNS | DIGITS, dot=SYMBOLS[CLOSED]),
        DottedText("dots-open", ". or _ is open, without a mine beside it", BOARD_SIGNS | DIGITS, dot="0"),
        Arrays("gcp", "gamescomputersplay's arrays, [x, y]", BOARD_SIGNS, has_every_number=True, n_dimensions=None),
        Arrays(
            "gcp-strings",
            "gamescomputersplay's arrays of strings",
            STRING_SIGNS,
            n_dimensions=range(2, 65),
            with_strings=True,
        ),
        RowLists("lisp", "Steve's lists", _LISP),
        RowLists("lisp-a1", "Steve's lists in A1 letters", _LISP, with_names=True),
        RowLists(
            "lisp-loose",
            "Steve's lists, 0 for an open cell without number",
            _LISP | {"0": OPEN_UNKNOWN},
            is_detected=False,
        ),
        GameIds("sgt-mines", "ids of Simon Tatham's Mines", map_signs=_BITS, is_of_maps=True, says_start=True),
        Links(
            LINK,
            "addresses of JSMinesweeper's analyser",
            _LINKS,
            _BITS,
            is_of_maps=True,
            header=frozenset({"mines"}),
        ),
    )
}
"""Every form by its name."""
MOST_BYTES = 2**24  # most bytes of a file: more than a board of `MOST_CELLS` needs in any form


def decode(data: bytes, most_bytes: int = MOST_BYTES) -> str:
    """Read bytes as text: UTF-8, a byte order mark allowed.

    Raises:
        BoardTextError: longer than `most_bytes`, or not UTF-8; row and column (in bytes) are named, 0-based.
    """
    if len(data) > most_bytes:
        raise BoardTextError(f"expected a text of at most {most_bytes} bytes, got more")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BoardTextError("expected UTF-8 text, got UTF-16 at row 0, column 0")
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        row = body.count(b"\n", 0, error.start)
        col = error.start - (body.rfind(b"\n", 0, error.start) + 1)
        wrong = body[error.start]
        raise BoardTextError(f"expected UTF-8 text, got byte {wrong:#04x} at row {row}, column {col}") from error


def parse_as(text: str, name: str) -> Document:
    """Read a text in a form, or in the one that it is found to be in.

    Args:
        text: the text.
        name: a key of `FORMATS`, or `AUTO`.

    Raises:
        KeyError: no such form.
        BoardTextError: the text is not in that form; or it is in none, or in several that understand it differently.
    """
    return parse_detected(text)[1] if name == AUTO else FORMATS[name].parse(text)


def parse_detected(text: str) -> tuple[str, Document]:
    """Find the form that a text is in, and read it.

    Returns:
        The form's name, and the document.

    Raises:
        BoardTextError: the text is in no form; row and column are named for each.
        AmbiguousFormError: it may be in several forms that understand it differently.
        UnreadableFormError: it can only be in one form, and holds no board.
    """
    readings: dict[str, Document] = {}
    errors: dict[str, list[str]] = {}
    for form in FORMATS.values():
        if form.is_detected:
            try:
                readings[form.name] = form.parse(text)
            except UnreadableFormError:
                raise
            except BoardTextError as error:
                errors.setdefault(str(error), []).append(form.name)
    if not readings:
        _ask_back(text)
        reasons = "; ".join(f"{', '.join(names)}: {message}" for message, names in errors.items())
        raise BoardTextError(f"expected a board in one of the forms {', '.join(FORMATS)}, got none ({reasons})")
    if OURS in readings and "#" in text and "-" not in text:
        return OURS, readings[OURS]
    first = next(iter(readings))
    meaning = _meaning(readings[first])
    others = [name for name, document in readings.items() if _meaning(document) != meaning]
    if others:
        names = ", ".join([name for name in readings if name not in others])
        raise AmbiguousFormError(
            f"expected a text in one form, got one that reads differently as {names} and as {', '.join(others)}: "
            "name the form"
        )
    return first, readings[first]


def _ask_back(text: str) -> None:
    """Ask which form a text is in that only forms can read that have to be asked for.

    Raises:
        AmbiguousFormError: there are such forms.
    """
    possible = []
    for form in FORMATS.values():
        if not form.is_detected:
            with suppress(BoardTextError):
                form.parse(text)
                possible.append(f"{form.name} ({form.summary})")
    if possible:
        raise AmbiguousFormError(
            f"expected a text in one form, got one that may be {' or '.join(possible)}: name the form"
        )


def _meaning(document: Document) -> Document | Layout:
    """What a document says: a layout when it leaves nothing to be opened, else itself."""
    if isinstance(document, FullMap):
        return document.layout if document.is_untouched or document.is_cleared else document
    if has_closed(document):
        return document
    try:
        return as_full_map(document).layout
    except InconsistentError:
        return document
