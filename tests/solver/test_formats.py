"""The text forms: golden boards, what each form reads and writes, what it refuses, detection."""

import json
from pathlib import Path

import numpy as np
import pytest
from chunks import in_chunks

from solver import Board, BoardTextError, InconsistentError, analyse, parse_board
from solver.board import OPEN_UNKNOWN
from solver.errors import AmbiguousFormError
from solver.formats import (
    FORMATS,
    MOST_BYTES,
    FullMap,
    InexpressibleError,
    as_full_map,
    decode,
    parse_as,
    parse_detected,
    reveal,
    view_of,
)
from solver.formats.nested import _a1_name
from solver.layout import Layout

GOLDEN = Path(__file__).parents[1] / "golden"
SEEDS = sorted((GOLDEN / "seed-boards").glob("*.txt"))
POSITIONS = [
    position
    for name in ("positions.json", "guess_positions.json")
    for position in json.loads((GOLDEN / name).read_text())["positions"]
]
MAPS = json.loads((GOLDEN / "mine_solver_maps.json").read_text())["maps"]
QB_TESTS = json.loads((GOLDEN / "quasarbright_tests.json").read_text())["tests"]
FLAT_FORMS = ["rows", "qb", "gcp", "gcp-strings", "lisp", "lisp-a1", "minebot"]


def text_of(rows):
    return "\n".join(rows) + "\n"


def lines_of(document, form):
    return FORMATS[form].format(document).splitlines()


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_seed_board_round_trips_in_its_own_form_and_in_rows(path):
    text = path.read_text()
    own = path.stem.split("-")[0]
    board = parse_as(text, "rows")
    assert parse_as(text, own) == parse_detected(text)[1] == board
    assert FORMATS["rows"].format(board) == text
    assert parse_as(FORMATS[own].format(board), own) == board
    if own != "lisp":  # its own form is lists
        assert FORMATS[own].format(board) == text


@in_chunks("position", POSITIONS, 2, name=lambda position: position["id"])
@pytest.mark.parametrize("form", FLAT_FORMS)
def test_position_round_trips_in_every_form(position, form):
    board = parse_as(text_of(position["rows"]), "rows")
    text = FORMATS[form].format(board)
    assert parse_as(text, form) == board
    assert FORMATS[form].format(parse_as(text, form)) == text
    assert parse_detected(text)[1] == board


def test_seed_boards_and_positions_are_the_same_boards():
    rows_of = {position["id"]: position["rows"] for position in POSITIONS}
    assert {path.stem: path.read_text().split() for path in SEEDS}.items() <= rows_of.items()


@pytest.mark.parametrize("golden", MAPS, ids=lambda golden: golden["id"])
def test_map_round_trips(golden):
    text = text_of(golden["rows"])
    name, full_map = parse_detected(text)
    assert name == "ps"
    assert full_map.is_untouched
    assert full_map.layout.n_mines == golden["mines"]
    assert full_map.layout.shape == (golden["height"], golden["width"])
    assert FORMATS["ps"].format(full_map) == text
    for form in ("qb", *FLAT_FORMS):
        written = FORMATS[form].format(full_map)
        assert as_full_map(parse_as(written, form)) == full_map
        assert as_full_map(parse_detected(written)[1]) == full_map


@pytest.mark.parametrize("golden", QB_TESTS, ids=lambda golden: golden["id"])
def test_qb_map_round_trips_with_computed_numbers(golden):
    full_map = parse_as(text_of(golden["rows"]), "qb")
    text = FORMATS["qb"].format(full_map)
    assert parse_as(text, "qb") == full_map
    for written, given in zip(text.split(), golden["rows"], strict=True):
        assert [sign.isdigit() or sign for sign in written] == [sign.isdigit() or sign for sign in given]


def test_qb_board_whose_open_cells_have_no_number_is_no_map():
    assert parse_as("1#\n##\n", "qb").cells.tolist() == [[1, OPEN_UNKNOWN], [OPEN_UNKNOWN, OPEN_UNKNOWN]]


def test_qb_digits_are_open_cells_with_the_number_of_the_mines():
    full_map = parse_as("F11\n1?*\n1**\n", "qb")
    assert str(full_map.view) == "; mines: 4\nF21\n2##\n1##\n"
    assert FORMATS["qb"].format(full_map) == "F21\n2?*\n1**\n"


def test_lisp_takes_0_for_a_zero_and_lisp_loose_for_no_number():
    strict, loose = "((- - - 0) (0 1 1 0) (0 0 0 0))", (GOLDEN / "seed-boards" / "lisp-4x3.txt").read_text()
    with pytest.raises(InconsistentError):
        analyse(parse_as(strict, "lisp"))
    board = parse_as(strict, "lisp-loose")
    assert board == parse_as(loose, "lisp")
    analysis = analyse(board)
    assert (analysis.safe, analysis.n_models) == (((0, 0),), 2)
    assert lines_of(board, "lisp-loose") == ["((- - - 0)", " (0 1 1 0)", " (0 0 0 0))"]
    with pytest.raises(InexpressibleError, match="the number 0 at row 0, column 3"):
        FORMATS["lisp-loose"].format(parse_as(strict, "lisp"))


def test_lisp_a1_names_closed_cells_by_letter_and_number():
    board = parse_as((GOLDEN / "seed-boards" / "lisp-A1B3C2-strict.txt").read_text(), "rows")
    assert lines_of(board, "lisp-a1") == ["((A1 0 0)", " (0 1 C2)", " (0 B3 0))"]
    assert parse_as("((a1 0 0)(0 1 -)(0 b3 0))", "lisp") == board
    with pytest.raises(BoardTextError, match=r"expected B3 for this cell, got 'B2' at row 0, column 22"):
        parse_as("((A1 0 0) (0 1 C2) (0 B2 0))", "lisp")
    assert [_a1_name(row, col) for row, col in [(0, 0), (9, 25), (0, 26), (0, 701), (0, 702)]] == [
        "A1",
        "Z10",
        "AA1",
        "ZZ1",
        "AAA1",
    ]


def test_gcp_arrays_are_indexed_x_y():
    board = parse_as("[[-1, 1], [2, -2], [0, 3]]", "gcp")
    assert str(board) == "#20\n1F3\n"
    assert lines_of(board, "gcp") == ["[[-1, 1],", " [2, -2],", " [0, 3]]"]
    assert lines_of(board, "gcp-strings") == ['["#1",', ' "2F",', ' "03"]']
    assert parse_as("['#1' '2F'\n'03']", "gcp") == board


def test_gcp_turns_every_axis_round():
    cells = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    board = Board(cells)
    text = FORMATS["gcp"].format(board)
    assert json.loads(text) == cells.transpose().tolist()
    assert parse_detected(text) == ("gcp", board)
    assert json.loads(FORMATS["gcp"].format(Board(np.array([0, -1, 2])))) == [0, -1, 2]


def test_md_leaves_solution_grids_out():
    board = "+33+\n---+\n"
    assert parse_as(f"\n{board}\n\n+  +\n - +\n", "md") == parse_as(board, "rows")
    with pytest.raises(BoardTextError, match="got 'x' at row 3, column 1"):
        parse_as(f"{board}\n-x\n", "md")


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("md", "", "at least one row"),
        ("md", "12\n1\n", r"row 1, column 1"),
        ("md", "12\n123\n", r"row 1, column 2"),
        ("md", "12\n1#\n", r"'#' at row 1, column 1"),
        ("md", "12\n19\n", r"'9' at row 1, column 1"),
        ("rows", "\n12\n1 -\n", r"' ' at row 2, column 1"),
        ("rows", "12\n1\x00\n", r"'\\x00' at row 1, column 1"),
        ("rows", "12\n1٣\n", r"'٣' at row 1, column 1"),
        ("ps", "oox\nox\n", r"row 1, column 2"),
        ("ps", "oox\n---\n", r"'-' at row 1, column 0"),
        ("ps", "+2\n22\n", r"the number 2 at row 0, column 1 contradicts the map"),
        ("qb", "1*\n1x\n", r"'x' at row 1, column 1"),
        ("qb", "1*\n1-\n", r"'-' at row 1, column 1"),
        ("qb", "1*\n1\n", r"row 1, column 1"),
        ("gcp", "", r"end of the text at row 0, column 0"),
        ("gcp", "[[0, 1], [1]]", r"2 items, got 1 at row 0, column 9"),
        ("gcp", "[[0, 1], 1]", r"expected a list, got '1' at row 0, column 9"),
        ("gcp", "[0, [1]]", r"no deeper list than before, got one at row 0, column 4"),
        ("gcp", "[[], []]", r"at least 1 items, got 0 at row 0, column 1"),
        ("gcp", "[[0,\n 1.5]]", r"'1.5' at row 1, column 1"),
        ("gcp", "[[0, 9]]", r"got 9 at \(1,0\)"),
        ("gcp", "[[0, -9]]", r"'-9' at row 0, column 5"),
        ("gcp", "[[0, 99999999999999999999]]", r"'99999999999999999...' at row 0, column 5"),
        ("gcp", "[0] [1]", r"'\[' at row 0, column 4"),
        ("gcp", "[0, 1", r"end of the text at row 1"),
        ("gcp", "[" * 100_000, r"'\[' at row 0, column 32"),
        ("gcp", '["1#", "1"]', r"2 items, got 1 at row 0, column 7"),
        ("gcp", '["1#", 12]', r"expected a string as before, got '12' at row 0, column 7"),
        ("gcp", '["1#", "1@"]', r"'@' at row 0, column 9"),
        ("gcp", '["1#]', r"""got '"' at row 0, column 1"""),
        ("gcp", '["1#", "]', r"""expected a string as before, got '"' at row 0, column 7"""),
        ("lisp", "((1 -) (1))", r"2 items, got 1 at row 0, column 7"),
        ("lisp", "((1 -)\n (1 x))", r"'x' at row 1, column 4"),
        ("lisp", "((1 -)\n (1 ZZZ9))", r"expected B2 for this cell, got 'ZZZ9' at row 1, column 4"),
        ("lisp", "(1 -)", r"1 levels"),
        ("lisp", "((1, -))", r"',' at row 0, column 3"),
        ("lisp", "((1 -)", r"end of the text"),
        ("minebot", "##\n#" + "9" * 5000, r"row 1, column"),
        ("minebot", "1 " + "9" * 30, r"'99999999999999999...' at row 0, column 1"),
        ("minebot", "1 70000", r"'70000' at row 0, column 1"),
        ("minebot", "; mines: " + "9" * 5000 + "\n#", r"at most 9 digits"),
        ("minebot", "; shape: " + "x".join(["1"] * 70) + "\n#", r"at most 32 sides"),
        ("minebot", "; shape: 274177x67280421310721\n#", r"row 0, column 1|'; shape:'"),
    ],
)
def test_parse_names_what_is_wrong_and_where(form, text, message):
    with pytest.raises(BoardTextError, match=message):
        parse_as(text, form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("n_rows", [10, 11])
def test_parse_refuses_more_cells_than_a_board_has(form, n_rows, monkeypatch):
    for module in ("clones", "links", "nested", "rows"):
        monkeypatch.setattr(f"solver.formats.{module}.MOST_CELLS", 10 * 8)
    rows = {
        "gcp": "[" + "[0,0,0,0,0,0,0,0]," * n_rows + "]",
        "gcp-strings": "[" + '"00000000",' * n_rows + "]",
        "lisp": "(" + "(0 0 0 0 0 0 0 0)" * n_rows + ")",
        "ps": "oooooooo\n" * n_rows,
        "dots-closed": "........\n" * n_rows,
        "dots-open": "........\n" * n_rows,
        "sgt-mines": f"8x{n_rows}:u" + "00" * n_rows,
        "jsminesweeper": "https://page/?analysis=ai" + {10: "akaaaaia", 11: "alaaaaii"}[n_rows],
    }.get(form, "00000000\n" * n_rows)
    if n_rows == 10:
        assert view_of(parse_as(rows, form)).cells.size == 80
    else:
        with pytest.raises(BoardTextError, match="at most 80 cells"):
            parse_as(rows, form)


def test_minebot_board_one_cell_wide_round_trips():
    board = Board(np.full((3, 3, 3, 1), 26))
    assert parse_board(str(board)) == board


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("md", "1?\n##\n", "open cell whose number is not known .* at row 0, column 1"),
        ("md", "1#\n#F\n", "a flag .* at row 1, column 1"),
        ("md", "; mines: 1\n1#\n", "the mine count 1"),
        ("rows", "; wrap\n1#\n", "joined edges"),
        ("rows", "; shape: 2x1x2\n1#\n##\n", "2 dimensions, got 3"),
        ("rows", "1#\nX#\n", "an exploded mine .* at row 1, column 0"),
        ("lisp", "1#\n!#\n", "an unreadable cell .* at row 1, column 0"),
        ("qb", "1#\nx#\n", "a wrong flag .* at row 1, column 0"),
        ("ps", "1#\n?#\n", "open cell whose number is not known .* at row 1, column 0"),
        ("ps", "2*\n11\n", "the number 2 at row 0, column 0 contradicts"),
        ("ps", "; wrap\n3*\n33\n", "contradicts|joined edges"),
        ("ps", "; shape: 2\n1*\n", "2 dimensions, got 1"),
        ("gcp", "; mines: 1\n1#\n", "the mine count 1"),
        ("gcp-strings", "; shape: 2x2x2\n# #\n# #\n# 10\n# #\n", r"the number 10 at \(1, 0, 1\)"),
        ("gcp-strings", "; shape: 2\n1#\n", "2 or more dimensions, got 1"),
    ],
)
def test_format_refuses_what_the_form_cannot_express(form, text, message):
    with pytest.raises(InexpressibleError, match=message):
        FORMATS[form].format(parse_board(text))


def test_format_refuses_to_hide_what_a_map_says():
    opened = parse_as("1*\n??\n", "qb")
    for form in ("minebot", "rows", "gcp", "lisp"):
        with pytest.raises(InexpressibleError, match="at row 0, column 1"):
            FORMATS[form].format(opened)
    with pytest.raises(InexpressibleError, match="row 0, column 0"):
        FORMATS["ps"].format(opened)
    flagged = FullMap.seen(Layout.of_cells((1, 2), [(0, 0)]), None, np.array([[False, True]]))
    with pytest.raises(InexpressibleError, match="flag on a safe cell at row 0, column 1"):
        FORMATS["qb"].format(flagged)


@pytest.mark.parametrize(
    ("form", "given", "written", "n_losses"),
    [
        ("md", "; mines: 2\n; wrap\n?F\nX!\n", "--\n+-\n", 6),
        ("rows", "?x\n*+\n", "##\n++\n", 2),
        ("minebot", "?x\n*+\n", "?x\n*+\n", 0),
        ("gcp-strings", "; mines: 1\n1#\n", '["1",\n "#"]\n', 1),
        ("lisp-loose", "01\n##\n", "((0 1)\n (- -))\n", 1),
        ("ps", "?x\n*+\n", "oo\nxx\n", 0),
        ("ps", "?x\n*#\n", "--\n+-\n", 3),
        ("qb", "?x\n*#\n", "##\n+-\n", 2),
    ],
)
def test_weaken_says_what_it_loses_and_never_claims_more(form, given, written, n_losses):
    document, losses = FORMATS[form].weaken(parse_board(given))
    assert FORMATS[form].format(document) == written
    assert len(losses) == n_losses


def test_weaken_reduces_a_map_that_is_partly_open_to_what_is_seen():
    opened = parse_as("1*\n?F\n", "qb")
    board, losses = FORMATS["minebot"].weaken(opened)
    assert str(board) == "; mines: 2\n2#\n#F\n"
    assert len(losses) == 1
    full_map, losses = FORMATS["ps"].weaken(opened)
    assert FORMATS["ps"].format(full_map) == "ox\nox\n"
    assert losses == [
        "an open cell becomes a closed cell: 1 times, first at row 0, column 0",
        "a flag on a mine becomes a closed cell: 1 times, first at row 1, column 1",
    ]
    wrapped = FullMap.seen(Layout.of_cells((3, 3), [(0, 0)], wrap=True), np.eye(3, dtype=bool)[::-1])
    full_map, losses = FORMATS["qb"].weaken(wrapped)
    assert FORMATS["qb"].format(full_map) == "*?0\n?1?\n0??\n"
    assert len(losses) == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("##\n11\n", "minebot"),
        ("##\n22\n", "minebot"),
        ("--\n11\n", "md"),
        ("-#\n11\n", "rows"),
        ("oo\nxo\n", "ps"),
        ("((A1 -))", "lisp"),
        ("[[1]]", "gcp"),
        ('["1#"]', "gcp"),
        ("((1 -))", "lisp"),
        ("00\n00\n", "minebot"),
        ("11\n1*\n", "minebot"),
        ("+1\n11\n", "minebot"),
    ],
)
def test_parse_detected_names_the_form(text, name):
    assert parse_detected(text)[0] == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1*\n??\n", "reads differently as minebot and as qb: name the form"),
        ("F1\n11\n", "as minebot and as qb"),
        ("xx\nxx\n", "as minebot and as ps"),
        ("+1\n--\n\n1-\n11\n", "as md and as rows"),
        ("1@\n", r"minebot: .*'@' at row 0, column 1.*md: "),
        ("", "got none"),
    ],
)
def test_parse_detected_says_which_forms_it_could_be(text, message):
    with pytest.raises(BoardTextError, match=message):
        parse_detected(text)


def test_decode_names_row_and_column_of_what_is_no_text():
    assert decode(b"\xef\xbb\xbf12\n") == "12\n"
    with pytest.raises(BoardTextError, match="byte 0xff at row 1, column 2"):
        decode(b"12\n1-\xff")
    with pytest.raises(BoardTextError, match="UTF-16"):
        decode("12".encode("utf-16"))
    with pytest.raises(BoardTextError, match=f"at most {MOST_BYTES} bytes"):
        decode(b"1" * (MOST_BYTES + 1))


def test_as_full_map_is_undone_by_reveal():
    layout = Layout.of_cells((3, 4), [(0, 0), (2, 3)])
    assert as_full_map(reveal(layout)).layout == layout
    assert view_of(as_full_map(reveal(layout))).mines == 2


def test_as_full_map_names_what_is_not_a_map():
    with pytest.raises(ValueError, match="row 1, column 0"):
        as_full_map(parse_board("1*\n#1\n"))
    with pytest.raises(InconsistentError, match="row 1, column 0") as caught:
        as_full_map(parse_board("1*\n21\n"))
    assert caught.value.clue == (1, 0)
    with pytest.raises(InconsistentError, match="expected 2 mines on the map, got 1"):
        as_full_map(parse_board("; mines: 2\n1*\n11\n"))


def test_full_map_refuses_a_view_that_is_not_the_layouts():
    layout = Layout.of_cells((1, 3), [(0, 0)])
    with pytest.raises(ValueError, match=r"got 0 at \(0,1\)"):
        FullMap(layout, Board(np.array([[-1, 0, 0]]), 1))
    with pytest.raises(ValueError, match="wrap and mines"):
        FullMap(layout, Board(np.array([[-1, 1, 0]]), 2))
    with pytest.raises(ValueError, match=r"no open mine, got one at \(0,0\)"):
        FullMap.seen(layout, np.array([[True, False, False]]))


DOTTED = "; mines: 2\n..1\n_21\n"


def test_dots_are_what_their_form_says():
    assert parse_as(DOTTED, "dots-closed") == parse_board("; mines: 2\n##1\n#21\n")
    assert parse_as(DOTTED, "dots-open") == parse_board("; mines: 2\n001\n021\n")
    assert parse_as(". . 1\n# 2 F\n", "dots-open") == parse_board("001\n#2F\n")
    assert FORMATS["dots-closed"].format(parse_board("; mines: 2\n##1\n")) == "; mines: 2\n..1\n"
    assert FORMATS["dots-open"].format(parse_board("001\n#2F\n")) == "..1\n#2F\n"


@pytest.mark.parametrize("text", [DOTTED, "._1\n", "..\r\n..\r\n", ". 1\n1 1\n", "..1F\n.2*1\n"])
def test_dots_are_asked_back(text):
    with pytest.raises(AmbiguousFormError) as caught:
        parse_detected(text)
    assert str(caught.value) == (
        "expected a text in one form, got one that may be dots-closed (. or _ is a closed cell) or dots-open "
        "(. or _ is open, without a mine beside it): name the form"
    )
