"""The text forms by name, and which of them a text is in.

Detection (`auto`) reads a text in every form. It is decided when only one can, or when all that can understand the same
by it; then the first of them in the order of `FORMATS` is taken. Otherwise the error says which forms it could be. One
rule beside that: with `#` and without `-`, `#` is the closed cell of `rows`, not the open cell without number of the
others, which would leave nothing closed. `lisp-loose` has to be asked for: any 0 in it also reads as a true 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.errors import BoardTextError, InconsistentError
from solver.formats import documents, nested, rows
from solver.formats.documents import Document, FullMap, as_full_map, has_closed

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.formats.documents import Ability
    from solver.layout import Layout

AUTO = "auto"
"""The name that asks for detection."""
OURS = "minebot"
"""The name of our own form."""


@dataclass(frozen=True)
class Format:
    """One text form.

    Attributes:
        name: what commands call it.
        summary: whose it is, in a few words.
        parse: text -> document; raises BoardTextError.
        format: document -> text; raises InexpressibleError.
        weaken: document -> a document that `format` writes, and what was lost; raises InexpressibleError.
        is_detected: whether `auto` may choose it.
    """

    name: str
    summary: str
    parse: Callable[[str], Document]
    format: Callable[[Document], str]
    weaken: Callable[[Document], tuple[Document, list[str]]]
    is_detected: bool = True


def _weaken_by(ability: Ability) -> Callable[[Document], tuple[Document, list[str]]]:
    return lambda document: documents.weaken(document, ability)


_FORMATS = (
    Format(OURS, "our board text", rows.parse_minebot, rows.format_minebot, _weaken_by(rows.MINEBOT_ABILITY)),
    Format("md", "Minedetector: 0-8 - +", rows.parse_md, rows.format_md, _weaken_by(rows.MD_ABILITY)),
    Format("rows", "collected positions: 0-8 - + #", rows.parse_rows, rows.format_rows, _weaken_by(rows.ABILITY)),
    Format("ps", "petersohn's maps: x o", rows.parse_ps, rows.format_ps, rows.weaken_ps),
    Format("qb", "quasarbright's strings: 0-8 ? * F", rows.parse_qb, rows.format_qb, rows.weaken_qb),
    Format(
        "gcp",
        "gamescomputersplay's arrays, [x, y]",
        nested.parse_gcp,
        nested.format_gcp,
        _weaken_by(nested.GCP_ABILITY),
    ),
    Format(
        "gcp-strings",
        "the same as strings",
        nested.parse_gcp,
        nested.format_gcp_strings,
        _weaken_by(nested.STRINGS_ABILITY),
    ),
    Format("lisp", "Steve's lists", nested.parse_lisp, nested.format_lisp, _weaken_by(nested.LISP_ABILITY)),
    Format(
        "lisp-a1", "the same in A1 letters", nested.parse_lisp, nested.format_lisp_a1, _weaken_by(nested.A1_ABILITY)
    ),
    Format(
        "lisp-loose",
        "the same, 0 for an open cell without number",
        nested.parse_lisp_loose,
        nested.format_lisp_loose,
        _weaken_by(nested.LOOSE_ABILITY),
        is_detected=False,
    ),
)
FORMATS = {form.name: form for form in _FORMATS}
"""Every form by its name."""


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
        BoardTextError: the text is in no form (row and column are named for each), or in several that understand it
            differently.
    """
    readings: dict[str, Document] = {}
    errors: dict[str, list[str]] = {}
    for form in FORMATS.values():
        if form.is_detected:
            try:
                readings[form.name] = form.parse(text)
            except BoardTextError as error:
                errors.setdefault(str(error), []).append(form.name)
    if not readings:
        reasons = "; ".join(f"{', '.join(names)}: {message}" for message, names in errors.items())
        raise BoardTextError(f"expected a board in one of the forms {', '.join(FORMATS)}, got none ({reasons})")
    if _has_closed_hash(text, readings):
        return OURS, readings[OURS]
    first = next(iter(readings))
    meaning = _meaning(readings[first])
    others = [name for name, document in readings.items() if _meaning(document) != meaning]
    if others:
        names = ", ".join([name for name in readings if name not in others])
        raise BoardTextError(
            f"expected a text in one form, got one that reads differently as {names} and as {', '.join(others)}: "
            "name the form"
        )
    return first, readings[first]


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
