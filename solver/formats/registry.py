"""The text forms by name, bytes as text, and which form a text is in.

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

from solver.errors import AmbiguousFormError, BoardTextError, InconsistentError, UnreadableFormError
from solver.formats import clones, nested, rows
from solver.formats.documents import Document, FullMap, as_full_map, has_closed
from solver.formats.rows import OURS

if TYPE_CHECKING:
    from solver.layout import Layout

AUTO = "auto"  # the name that asks for detection


FORMATS = {form.name: form for form in (*rows.FORMS, *nested.FORMS, *clones.FORMS)}  # every form by its name
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
    if _has_closed_hash(text, readings):
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


def _has_closed_hash(text: str, readings: dict[str, Document]) -> bool:
    return OURS in readings and "#" in text and "-" not in text


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
