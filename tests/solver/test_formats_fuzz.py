"""Properties of the text forms: random boards round-trip, and no text does worse than a documented error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Board, BoardTextError
from solver.board import CLOSED, SYMBOLS
from solver.formats import (
    AUTO,
    FORMATS,
    FullMap,
    InexpressibleError,
    as_full_map,
    decode,
    parse_as,
    parse_detected,
    view_of,
)
from solver.layout import Layout

SHAPES = [(1, 1), (1, 5), (3, 4), (4, 2), (7,), (2, 3, 2), (2, 3, 1), (2, 2, 2, 3)]
SIGNS = "012345678 9-+#?*FxXo!()[],\"'\n;AB;wrapmines:shape4"


@st.composite
def boards(draw):
    shape = draw(st.sampled_from(SHAPES))
    codes = draw(st.sampled_from([[-1, 0, 1, 2], [-1, -7, 0, 1, 8], [-1, -3, 1], [-1, -7, -3, 1, 2], sorted(SYMBOLS)]))
    if len(shape) > 2:
        codes = [*codes, 9, 13, 26]
    size = int(np.prod(shape))
    highest = 3 ** len(shape) - 1
    cells = draw(st.lists(st.sampled_from([c for c in codes if c <= highest]), min_size=size, max_size=size))
    has_header = draw(st.booleans())
    mines = draw(st.none() | st.integers(0, size)) if has_header else None
    return Board(np.array(cells, dtype=np.int16).reshape(shape), mines, has_header and draw(st.booleans()))


@st.composite
def full_maps(draw):
    shape = draw(st.sampled_from(SHAPES[:4]))
    size = int(np.prod(shape))
    has_mine, is_open, is_flagged = (
        np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(shape) for _ in range(3)
    )
    if draw(st.booleans()):
        return FullMap.seen(Layout(has_mine))
    return FullMap.seen(Layout(has_mine), is_open & ~has_mine, is_flagged & (has_mine | ~is_open))


@pytest.mark.parametrize("form", FORMATS)
@given(document=boards() | full_maps())
def test_what_a_form_writes_it_reads_back_equal(form, document):
    try:
        text = FORMATS[form].format(document)
    except InexpressibleError:
        return
    read = parse_as(text, form)
    if read != document:  # the same thing said otherwise: a board without closed cells, and the map it shows
        assert isinstance(read, FullMap) is not isinstance(document, FullMap)
        assert as_full_map(read).layout == as_full_map(document).layout
    assert FORMATS[form].format(read) == text
    assert parse_as(f"\n{text}\n", form) == read


@pytest.mark.parametrize("form", FORMATS)
@given(document=boards() | full_maps())
def test_weakened_document_is_written_and_claims_no_more(form, document):
    try:
        weaker, losses = FORMATS[form].weaken(document)
    except InexpressibleError:
        return
    text = FORMATS[form].format(weaker)
    try:
        lossless = FORMATS[form].format(document)
    except InexpressibleError:
        assert losses
    else:
        assert (text, losses) == (lossless, [])
    seen, weaker_seen = view_of(document).cells, view_of(weaker).cells
    if not isinstance(document, FullMap) and not isinstance(weaker, FullMap):
        is_number = weaker_seen >= 0
        assert (seen[is_number] == weaker_seen[is_number]).all()
        assert (seen[weaker_seen == -7] <= -4).all()


@given(boards() | full_maps())
def test_detection_never_takes_one_thing_for_another(document):
    for form in FORMATS.values():
        if not form.is_detected:
            continue
        try:
            text = form.format(document)
            name, read = parse_detected(text)
        except (InexpressibleError, BoardTextError):  # ambiguous is an honest answer
            continue
        own = form.parse(text)
        if name == "minebot" and "#" in text and not (view_of(own).cells == CLOSED).any():
            continue  # taken for ours by rule: in the other form nothing of it would be closed
        assert read == own or as_full_map(read).layout == as_full_map(own).layout


TEXTS = (
    st.text(SIGNS, max_size=80)
    | st.text(max_size=40)
    | st.sampled_from(["[", "(", "[[", "((1", "; shape: "]).flatmap(
        lambda start: st.integers(1, 60).map(lambda n: start * n)
    )
)


@pytest.mark.parametrize("form", [AUTO, *FORMATS])
@given(text=TEXTS)
def test_any_text_is_a_document_or_a_documented_error(form, text):
    try:
        document = parse_as(text, form)
    except BoardTextError:
        return
    assert view_of(document).cells.size > 0


@given(st.binary(max_size=60))
def test_any_bytes_are_text_or_a_documented_error(data):
    try:
        text = decode(data)
    except BoardTextError:
        with pytest.raises(UnicodeDecodeError):
            data.decode("utf-8-sig")
    else:
        assert text == data.decode("utf-8-sig")
