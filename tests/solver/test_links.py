"""Addresses of JSMinesweeper are read as the page reads them, and what is written is what the page would read."""

from __future__ import annotations

from itertools import groupby, islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import parse_board
from solver.errors import BoardTextError, UnreadableFormError
from solver.formats import FORMATS, InexpressibleError, parse_as, parse_detected

PAGE = "https://davidnhill.github.io/JSMinesweeper/index.html"
PARSE, FORMAT = FORMATS["jsminesweeper"].parse, FORMATS["jsminesweeper"].format

# Written by the page's own code of April 2026 (client/Board.js, `getSimpleCompressedData`).
FROM_THE_PAGE = {
    "aeadaaae2bObl9lbnb": """
        ; mines: 4
        F2#1
        2F21
        1110
    """,
    "aeadaaadS2cl9cV": """
        ; mines: 3
        #F10
        2F10
        ####
    """,
    "aEaqaabLb2OclYOjlXb2dlWlbblXfO2sOslOc2dOcOltWj2dOfO20bbOb2hlPXc2bdOglXf2bObaOelX2hOiOgXd2OiOi2YbP2fOiOdSS2bObgSUO2OcO"
    "2cOcO2PSXnb2glTTbO2OoT02VS": """
        ; mines: 99
        2F#101########1000000001######
        2F3113#####2222101111111######
        11101#F4#43#22F101#33#222#####
        000012222F324#31012#F#########
        01110000112#3F21111223########
        01F1112110112111#2110123######
        12111F2#2100000123#10001######
        F1123222#10011101#210111######
        234F#10122101#10122101F#######
        1##F52101#10111001#101########
        ###F4#4222321111134421########
        ######F#11#F21#11#F###########
        #######3223F4432124###########
        ###########2#F#2122###########
        ##################F###########
        ##############################
    """,
}


def board_of(text):
    return parse_board("\n".join(line.strip() for line in text.splitlines()))


@pytest.mark.parametrize(("analysis", "text"), FROM_THE_PAGE.items())
def test_positions_that_the_page_wrote_are_read(analysis, text):
    name, board = parse_detected(f"{PAGE}?board=30x16x99&analysis={analysis}\n")
    assert (name, board) == ("jsminesweeper", board_of(text))
    assert PARSE(FORMAT(board)) == board


def test_position_is_written_by_the_rules_of_the_page():
    """By hand: 4 columns `ae`, 3 rows `ad`, 5 mines `aaaf`, an empty run `a`. Then a letter or two for each run.

    Two flags `99`, a 2 `s`, a 1 `l`; two 2 `t`, two 1 `m`; 4 closed cells `V`.
    """
    board = board_of("""
        ; mines: 5
        FF21
        2211
        ####
    """)
    assert FORMAT(board) == f"{PAGE}?analysis=aeadaaafa99sltmV\n"


@pytest.mark.parametrize(
    ("text", "analysis"),
    [
        ("; mines: 99\n" + ("#" * 30 + "\n") * 16, "aEaqaabLaVZR"),  # 480 to the base 10: 4 8 0
        ("; mines: 1\n" + "1" * 11 + "#", "amabaaabaloS"),  # 11 to the base 7: 1 4
        ("; mines: 3\n787\n###\n###", "adadaaadaLMLX"),  # 7 and 8 have a letter each
        ("; mines: 0\n#" + "0" * 10, "alabaaaaaSba"),  # 10 to the base 10: 1 0
        ("; mines: 62\n" + "#" * 100, "bMabaabaaSRR"),  # to the base 62: 100 is 1 38, 62 is 1 0
    ],
)
def test_lengths_are_numbers_in_the_letters_of_their_sign(text, analysis):
    board = PARSE(f"{PAGE}?analysis={analysis}")
    assert FORMAT(board) == f"{PAGE}?analysis={analysis}\n"
    assert board == parse_board(text)


ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
N_LETTERS = {"0": 10, "1": 7, "2": 5, "3": 5, "4": 4, "5": 3, "6": 3, "7": 1, "8": 1, "I": 4, "H": 10, "F": 8, "O": 1}


def as_the_page_compresses(signs):
    letters = iter(ALPHABET)
    of_sign = {sign: "".join(islice(letters, n)) for sign, n in N_LETTERS.items()}
    written = ""
    for sign, run in groupby(signs):
        own, length = of_sign[sign], len(list(run))
        digits = map(int, np.base_repr(length, len(own))) if len(own) > 1 else [0] * length
        written += "".join(own[digit] for digit in digits)
    return written


@given(st.data(), st.integers(1, 6), st.integers(1, 7))
def test_numbers_that_the_page_lowers_are_read_whole(data, n_rows, n_cols):
    cells = list(product(range(n_rows), range(n_cols)))
    kinds = {cell: data.draw(st.sampled_from([".", ".", "H", "closed mine", "I", "F", "O"])) for cell in cells}

    def n_near(cell, wanted):
        return sum(kinds.get((cell[0] + i, cell[1] + j)) in wanted for i, j in product((-1, 0, 1), repeat=2))

    shown = {"H": "#", "closed mine": "#", "I": "#", "F": "F", "O": "F"}
    numbers = {cell: n_near(cell, ["closed mine", "I", "F", "O"]) for cell in cells}
    signs = [
        str(numbers[cell] - n_near(cell, ["I", "F"])) if kinds[cell] == "." else kinds[cell].replace("closed mine", "H")
        for cell in cells
    ]
    text = "".join(
        ("\n" if not cell[1] else "") + (str(numbers[cell]) if kinds[cell] == "." else shown[kinds[cell]])
        for cell in cells
    )
    mines = data.draw(st.integers(0, len(cells)))
    size = f"a{ALPHABET[n_cols]}a{ALPHABET[n_rows]}aaa{ALPHABET[mines]}"
    board = parse_board(f"; mines: {mines}{text}")
    assert PARSE(f"{PAGE}?analysis={size}{as_the_page_compresses(signs)}") == board
    if set(kinds.values()) != {"."}:
        assert PARSE(FORMAT(board)) == board


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("b=32&m=gg", ["xoo", "oox"]),
        ("b=0302&m=GG", ["xoo", "oox"]),
        ("b=1002&m=v00g", ["xxxxxooooo", "oooooxoooo"]),
        ("b=10002&m=v00g", ["xxxxxooooo", "oooooxoooo"]),
        ("b=1&m=" + "0" * 16 + "g", ["o" * 9] * 8 + ["o" * 8 + "x"]),
        ("b=2&m=" + "v" * 51 + "g", ["x" * 16] * 16),
        ("b=3&m=" + "v" * 96, ["x" * 30] * 16),
    ],
)
def test_map_is_columns_and_rows_and_five_cells_a_digit(query, rows):
    """Of an odd number of digits the columns have the fewer."""
    assert parse_detected(f"{PAGE}?{query}") == ("jsminesweeper", parse_as("\n".join(rows), "ps"))


@pytest.mark.parametrize(
    ("rows", "query"), [(["xoo", "oox"], "b=32&m=gg"), (["x" * 12] * 2, "b=1202&m=vvvvu"), (["o"] * 10, "b=0110&m=00")]
)
def test_map_is_written_with_as_many_digits_for_columns_as_for_rows(rows, query):
    assert FORMAT(parse_as("\n".join(rows), "ps")) == f"{PAGE}?{query}\n"


def test_of_a_position_and_a_map_in_one_address_the_position_is_taken():
    assert PARSE(f"{PAGE}?b=31&m=0&analysis=adabaaabalSl#top") == parse_board("; mines: 1\n1#1")
    assert PARSE("  HTTP://localhost:8080/index.html?b=31&m=8\n") == parse_as("oxo", "ps")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "expected an address with analysis=, or b= and m=, such as https"),
        ("board=30x16x99&seed=1", "expected an address with analysis="),
        ("b=31", "expected an address with analysis="),
        ("analysis=adab", "expected analysis= with 9 letters and digits or more, got 'adab'"),
        ("analysis=adabaaab+Sl", "expected analysis= with 9 letters"),
        ("analysis=adabaaabalS", "expected 3 cells in analysis= of 3x1, got 2"),
        ("analysis=adabaaabal" + "Z" * 50_000, "expected 3 cells in analysis= of 3x1, got 14776337"),
        ("analysis=aaabaaabl", "expected an address of 1 to at most 1048576 cells, got 0x1"),
        ("analysis=9999aaabl", "expected an address of 1 to at most 1048576 cells, got 3843x3843"),
        ("analysis=adabaaaealSl", "expected 0 to 3 mines on 3 cells, got 4 in the address"),
        ("analysis=acabaaabM2", "got 9 at (0,0) in the address"),
        ("b=x1&m=0", "expected b= with 1, 2, 3 or columns and rows in digits, got 'x1'"),
        ("b=9&m=0", "expected b= with 1, 2, 3 or columns"),
        ("b=0901&m=", "expected an address with analysis="),
        ("b=0901&m=0", "expected m= with 2 digits 0-9 and a-v for 9x1 cells, got 1: '0'"),
        ("b=0901&m=w0", "expected m= with 2 digits 0-9 and a-v for 9x1 cells, got 2: 'w0'"),
        ("b=00009999&m=0", "expected an address of 1 to at most 1048576 cells, got 0x9999"),
    ],
)
def test_addresses_without_a_board_are_refused_by_name(query, told):
    with pytest.raises(UnreadableFormError) as caught:
        parse_detected(f"{PAGE}?{query}")
    assert told in str(caught.value)


@pytest.mark.parametrize("text", ["", "page", "httpx://x?analysis=adabaaabalSl", "1#1", "analysis=adabaaabalSl"])
def test_other_texts_are_no_addresses(text):
    with pytest.raises(BoardTextError, match="expected an address such as") as caught:
        PARSE(text)
    assert not isinstance(caught.value, UnreadableFormError)


def test_two_addresses_are_not_one():
    with pytest.raises(UnreadableFormError, match="expected one address, got 2 words"):
        PARSE(f"{PAGE} {PAGE}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1#", "needs the mine count, and none is known: expected '; mines: N'"),
        ("; mines: 1\n; wrap\n1#", "no place for joined edges"),
        ("; mines: 1\n; shape: 1x1x2\n1#", "2 dimensions, got 3"),
        ("; mines: 1\n?#", "no sign for an open cell whose number is not known .* at row 0, column 0"),
        ("; mines: 1\n1!#", "no sign for an unreadable cell .* at row 0, column 1"),
        ("; mines: 1\n1+#", "no sign for a known mine .* at row 0, column 1"),
        ("; cut: right\n1#", "needs the mine count"),
        ("; mines: 0\n" + "#" * 3844, "at most 3843 rows and columns, got 1x3844"),
    ],
)
def test_what_an_address_cannot_say_is_an_error(text, told):
    with pytest.raises(InexpressibleError, match=told):
        FORMAT(parse_board(text))


def test_weakened_position_keeps_its_mine_count():
    board, losses = FORMATS["jsminesweeper"].weaken(parse_board("; mines: 2\n?+1#"))
    assert (board, len(losses)) == (parse_board("; mines: 2\n##1#"), 2)
