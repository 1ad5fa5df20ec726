"""Pictures for a person, judged by their pixels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bot.images import load_frame
from bot.models import Frame, Grid, Pixel, Region
from bot.reporting.advice import advise
from bot.reporting.drawing import (
    Annotated,
    annotate_advice,
    annotate_reading,
    draw_sheet,
    ink,
    marks,
    paint_position,
    plots,
)
from bot.reporting.drawing.boards import MAX_SIDE_PX, MIN_CELL_PX, _draw_board, _View
from bot.vision.finding import find_boards
from bot.vision.mine_counter import STANDARD_MINES
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_shipped_skins
from solver import Analysis, parse_board

SKINS = load_shipped_skins()
MINEBOT = load_shipped_skin("minebot")
FOURD = load_shipped_skin("4d")
BACKGROUND = (200, 100, 60)
ALL_MARKS = [(kind, mark) for kind, (samples, _) in marks.LEGEND.items() for mark in samples]


def read_all(path):
    frame = load_frame(path)
    return frame, [
        read_board(frame, board.grid, board.skin, STANDARD_MINES.get((board.grid.rows, board.grid.cols)))
        for board in find_boards(frame, SKINS)
    ]


def advised(text):
    board = parse_board(text)
    return annotate_advice(*paint_position(board, MINEBOT), board, advise(board), ["caption"])


def has_colour(pixels, colour):
    return (pixels == colour).all(axis=-1)


def part(pixels, region):
    return pixels[region.top : region.top + region.height, region.left : region.left + region.width]


def place_of(annotated, cell):
    return _View(annotated.grid, annotated.frame).place(annotated.grid.cell_region(cell))


def contrast(one, two):
    """The contrast ratio of the Web Content Accessibility Guidelines, from their text."""

    def luminance(colour):
        blue, green, red = (c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


# --- marks


@pytest.mark.parametrize("side", [16, 24, 40, 48, 75])
def test_every_mark_but_the_ring_stays_in_its_cell(side):
    for kind, mark in ALL_MARKS:
        if kind is marks.Kind.BEST:
            continue
        pixels = np.full((3 * side, 3 * side, 3), BACKGROUND, dtype=np.uint8)
        mark.draw(pixels, Region(side, side, side, side))
        changed = (pixels != BACKGROUND).any(axis=-1)
        assert changed.any()
        changed[side : 2 * side, side : 2 * side] = False
        assert not changed.any(), kind


@pytest.mark.parametrize("p_mine", [0.001, 0.5, 0.99999])
def test_risk_figure_of_any_length_leaves_a_margin(p_mine):
    side = MIN_CELL_PX
    pixels = np.full((side, side, 3), BACKGROUND, dtype=np.uint8)
    marks.risk_mark(p_mine, is_estimate=True).draw(pixels, Region(0, 0, side, side))
    is_figure = ~has_colour(pixels, ink.risk_colour(p_mine)) & ~has_colour(pixels, BACKGROUND)
    columns = np.flatnonzero(is_figure.any(axis=0))
    assert columns[0] >= 3
    assert columns[-1] <= side - 4


def test_safe_and_mine_differ_in_shape_without_any_colour():
    shapes = []
    for mark in (marks.SAFE, marks.MINE):
        pixels = np.full((48, 48, 3), BACKGROUND, dtype=np.uint8)
        mark.draw(pixels, Region(0, 0, 48, 48))
        shapes.append((pixels != BACKGROUND).any(axis=-1))
    safe, mine = shapes
    assert (safe ^ mine).sum() > 0.15 * (safe | mine).sum()


def test_risk_colours_darken_steadily():
    greys = [
        0.11 * blue + 0.59 * green + 0.3 * red for blue, green, red in map(ink.risk_colour, np.linspace(0, 1, 101))
    ]
    assert all(one > two for one, two in pairwise(greys))


def test_figures_can_be_read_on_every_risk_colour():
    for p_mine in np.linspace(0, 1, 101):
        colour = ink.risk_colour(p_mine)
        assert contrast(colour, ink.on_colour(colour)) >= 4.5, p_mine


@pytest.mark.parametrize(
    ("p_mine", "text"),
    [
        (0.2061, "20.6"),
        (0.05, "5.0"),
        (1e-9, "<0.1"),
        (0.00099, "<0.1"),
        (0.001, "0.1"),
        (1 - 1e-9, ">99.9"),
        (0.5, "50.0"),
    ],
)
def test_format_risk(p_mine, text):
    assert marks.format_risk(p_mine) == text
    assert marks.format_risk(p_mine, is_estimate=True) == f"~{text}"


# --- one board


@pytest.mark.parametrize(
    "name", ["winemine-expert-won-popup", "msx-winxp-expert-mid", "minebot-expert-mid", "arbiter-counters-cover-board"]
)
def test_reading_is_drawn_over_the_board_and_the_rest_of_the_picture_left_alone(name, screens):
    frame, (reading,) = read_all(screens / f"{name}.png")
    annotated = annotate_reading(frame, reading)
    view = _View(reading.grid, frame)
    pixels, plain = _draw_board(annotated), view.enlarge(frame)
    changed = (pixels != plain).any(axis=-1)
    board = view.place(reading.grid.region)
    assert part(changed, board).any()
    part(changed, Region(board.left - 27, board.top - 27, board.width + 30, board.height + 30))[:] = False
    assert not changed.any()
    n_marked = 0
    for cell in np.ndindex(reading.board.shape):
        is_purple = has_colour(part(pixels, place_of(annotated, cell)), ink.PURPLE).any()
        assert is_purple == (cell in reading.unknown), cell
        n_marked += is_purple
    assert n_marked == len(reading.unknown)


def test_reading_by_likeness_is_marked_with_its_score():
    frame, grid = paint_position(parse_board("12345\n#####\n00000\nFFFFF"), MINEBOT)
    place = grid.cell_region((0, 3))
    frame.pixels_bgr[place.top + 4 : place.top + 8, place.left + 4 : place.left + 8] ^= 8
    reading = read_board(frame, grid, MINEBOT)
    assert 0.9 < reading.scores[0, 3] < 1
    annotated = annotate_reading(frame, reading)
    least = f"{reading.scores.min():.3f}"
    told = f"19 cells read by their exact pixels, 1 by likeness, 0 unreadable; the least score is {least}"
    assert annotated.caption[1] == told
    drawn = _draw_board(annotated)
    yellow = {cell for cell in np.ndindex(4, 5) if has_colour(part(drawn, place_of(annotated, cell)), ink.YELLOW).any()}
    assert yellow == {(0, 3)}
    assert annotated.marks[0, 3].kinds == {marks.Kind.ALIKE}


def test_equal_readings_look_equal_and_others_do_not(screens):
    frame, (reading,) = read_all(screens / "msx-winxp-expert-mid.png")
    annotated = annotate_reading(frame, reading)
    drawn = _draw_board(annotated)
    chips: dict[int, set[bytes]] = {}
    for cell, code in np.ndenumerate(reading.board.cells):
        chip = part(drawn, place_of(annotated, cell))[-20:, -20:]
        chips.setdefault(int(code), set()).add(chip.tobytes())
    assert all(len(group) == 1 for group in chips.values())
    assert len(set.union(*chips.values())) == len(chips) >= 7


def test_ring_lies_along_the_edge_of_the_best_move_and_nowhere_else(screens):
    frame, (reading,) = read_all(screens / "msx-winxp-expert-mid.png")
    advice = advise(reading.board)
    annotated = annotate_advice(frame, reading.grid, reading.board, advice, [])
    drawn = _draw_board(annotated)
    place = place_of(annotated, advice.move.cell)
    y, x = np.nonzero(has_colour(drawn, ink.YELLOW))
    assert (x.min(), y.min()) == (place.left, place.top)
    assert (x.max(), y.max()) == (place.right - 1, place.bottom - 1)
    assert not has_colour(part(drawn, ink.inset(place, place.height // 10)), ink.YELLOW).any()


def test_advice_marks_what_is_proven_as_what_it_is(screens):
    frame, (reading,) = read_all(screens / "minebot-expert-mid.png")
    advice = advise(reading.board)
    annotated = annotate_advice(frame, reading.grid, reading.board, advice, [])
    drawn = _draw_board(annotated)
    view = _View(reading.grid, frame)
    plain = view.enlarge(frame)
    for cell, code in np.ndenumerate(reading.board.cells):
        place = place_of(annotated, cell)
        pixels = part(drawn, place)
        assert has_colour(pixels, ink.GREEN).any() == (cell in advice.analysis.safe)
        assert has_colour(pixels, ink.VERMILION).any() == (cell in advice.analysis.mines)
        if code >= 0:
            assert (pixels == part(plain, place)).all()
        p_mine = float(advice.analysis.p_mine[cell])
        if 0 < p_mine < 1:
            assert has_colour(pixels, ink.risk_colour(round(p_mine, 2))).sum() > 0.5 * place.width * place.height


def test_advice_never_marks_an_unreadable_cell_with_a_risk():
    annotated = advised("; mines: 3\n1!#\n###\n#+F\n?##")
    assert annotated.marks[0, 1].kinds == {marks.Kind.UNREADABLE}
    assert annotated.marks[2, 1].kinds == {marks.Kind.MINE}
    assert annotated.marks[3, 0].kinds == {marks.Kind.NO_NUMBER}
    assert annotated.marks[2, 2].kinds == {marks.Kind.RISK, marks.Kind.FLAGGED}
    assert (0, 0) not in annotated.marks
    assert annotated.ringed not in {(0, 1), (2, 1)}


def test_advice_puts_no_risks_on_a_game_that_is_over_nor_where_there_is_no_advice():
    lost = advised("X1\n1#")
    assert lost.marks == {}
    assert lost.ringed is None
    board = parse_board("1##\n!##")
    without = annotate_advice(*paint_position(board, MINEBOT), board, None, ["no advice"])
    assert {cell: mark.kinds for cell, mark in without.marks.items()} == {(1, 0): {marks.Kind.UNREADABLE}}


def test_estimates_are_marked(monkeypatch):
    monkeypatch.setattr(Analysis, "is_estimate", property(lambda analysis: analysis.p_mine > 0.4))
    annotated = advised("; mines: 2\n1##\n###")
    kinds = {cell: mark.kinds for cell, mark in annotated.marks.items()}
    assert kinds[0, 2] == kinds[1, 2] == {marks.Kind.ESTIMATE}
    assert kinds[0, 1] == {marks.Kind.RISK}


# --- the sheet


@pytest.mark.parametrize(
    ("pitch", "scale"), [((16, 16), 3), ((24, 24), 2), ((39, 60), 2), ((40, 40), 1), ((10, 12), 4)]
)
def test_small_cells_are_enlarged_until_a_figure_fits(pitch, scale):
    grid = Grid(Pixel(5, 7), pitch, 8, 8)
    assert _View(grid, Frame(np.zeros((900, 900, 3), dtype=np.uint8))).scale == scale


def test_huge_board_is_enlarged_less():
    grid = Grid(Pixel(0, 0), (16, 16), 400, 400)
    view = _View(grid, Frame(np.zeros((6400, 6400, 3), dtype=np.uint8)))
    assert view.scale == 1
    assert view.shown.width * view.scale <= MAX_SIDE_PX


@pytest.mark.parametrize("left", [0, -1920])
def test_board_at_the_very_edges_of_a_picture_has_room_for_its_rulers(left, screens):
    grid = Grid(Pixel(21, 102), (16, 16), 16, 30)
    pixels = load_frame(screens / "msx-winxp-expert-mid.png").crop(grid.region).pixels_bgr
    frame = Frame(pixels, left, -left // 2)
    annotated = Annotated(frame, Grid(Pixel(left, -left // 2), (16, 16), 16, 30), (), {})
    drawn = _draw_board(annotated)
    place = _View(annotated.grid, frame).place(annotated.grid.region)
    assert place.left >= 27
    assert place.top >= 27
    assert (part(drawn, place) == pixels.repeat(3, axis=0).repeat(3, axis=1)).all()


def test_sheet_holds_every_board_with_its_own_words(screens):
    frame, readings = read_all(screens / "two-boards-msx-arbiter.png")
    one, two = (annotate_reading(frame, reading, f"board {n} of 2: ") for n, reading in enumerate(readings, 1))
    assert [board.caption[0][:13] for board in (one, two)] == ["board 1 of 2:", "board 2 of 2:"]
    both, alone = draw_sheet([one, two]), draw_sheet([one])
    assert both.shape[0] > 1.8 * alone.shape[0]
    for board in (one, two):
        assert holds(both, _draw_board(board))


def holds(sheet, picture):
    height, width = picture.shape[:2]
    return any((sheet[y : y + height, 12 : 12 + width] == picture).all() for y in range(sheet.shape[0] - height))


def test_legend_shows_what_is_on_the_sheet_and_nothing_is_clipped(screens):
    for name in ("arbiter-counters-cover-board", "winemine-beginner-won-name", "msx-winxp-expert-mid"):
        frame, (reading,) = read_all(screens / f"{name}.png")
        advice = advise(reading.board, in_words=True)
        words = [*advice.why.splitlines(), "w " * 400]
        sheet = draw_sheet([annotate_advice(frame, reading.grid, reading.board, advice, words)])
        margin = sheet[:, -4:]
        assert has_colour(margin, ink.PAPER).all(), name
        assert has_colour(sheet[-4:], ink.PAPER).all(), name


@pytest.mark.parametrize("kind", marks.Kind)
def test_every_kind_of_mark_has_its_meaning_in_the_legend(kind):
    samples, meaning = marks.LEGEND[kind]
    assert meaning
    assert all(kind in sample.kinds for sample in samples)
    assert ink.text_size(meaning, 15)[0] + len(samples) * 52 < 560


def test_wrapped_text_is_complete_and_fits():
    text = "best move: open (3,1), a guess\n" + "words of many lengths " * 30
    lines = ink.wrap_text(text, 15, 300)
    assert " ".join(lines).split() == text.split()
    assert max(ink.text_size(line, 15)[0] for line in lines) <= 300
    assert lines[0] == "best move: open (3,1), a guess"


def test_words_outside_ascii_do_no_harm():
    pixels = np.full((40, 300, 3), ink.PAPER, dtype=np.uint8)
    ink.put_text(pixels, "Größe \N{SNOWMAN}", 5, 30, 15)
    assert has_colour(pixels, ink.INK).any()


# --- boards given as text


def test_painted_board_is_read_as_what_it_was():
    board = parse_board("; mines: 9\n0123\n4567\n8#F*\nXx##")
    frame, grid = paint_position(board, MINEBOT)
    assert read_board(frame, grid, MINEBOT, 9).board == board


def test_painted_board_shows_a_closed_cell_for_what_has_no_sprite():
    frame, grid = paint_position(parse_board("!+?#"), MINEBOT)
    assert read_board(frame, grid, MINEBOT).board == parse_board("##0#")


def test_painted_board_of_four_dimensions_is_read_as_what_it_was():
    board = parse_board("; shape: 2x2x2x3\n" + "# 12 F\n* 3 0\n" * 4)
    frame, grid = paint_position(board, FOURD)
    assert read_board(frame, grid, FOURD).board == board


def test_advice_on_a_board_of_three_dimensions_marks_every_closed_cell_at_its_place():
    board = parse_board("; shape: 2x2x3\n; mines: 1\n0 1 #\n0 1 #\n0 1 #\n0 1 #")
    frame, grid = paint_position(board, FOURD)
    annotated = annotate_advice(frame, grid, board, advise(board), ["caption"])
    assert set(annotated.marks) == {cell for cell, code in np.ndenumerate(board.cells) if code == -1}
    bare = _draw_board(Annotated(frame, grid, (), {}))
    drawn = _draw_board(Annotated(frame, grid, (), annotated.marks))
    view = _View(grid, frame)
    for cell in np.ndindex(board.shape):
        place = view.place(grid.cell_region(cell))
        assert (part(drawn, place) != part(bare, place)).any() == (cell in annotated.marks)


# --- plots


@pytest.mark.parametrize(
    ("low", "high", "is_whole", "texts"),
    [
        (0, 2000, True, ["0", "500", "1000", "1500", "2000"]),
        (13, 25, True, ["14", "16", "18", "20", "22", "24"]),
        (0, 1, True, ["0", "1"]),
        (0.0, 0.8, False, ["0%", "20%", "40%", "60%", "80%"]),
        (0.872, 0.966, False, ["88%", "90%", "92%", "94%", "96%"]),
        (0.4005, 0.4155, False, ["40.5%", "41.0%", "41.5%"]),
    ],
)
def test_ticks_of_a_plot_are_round_numbers(low, high, is_whole, texts):
    ticks = plots._ticks(low, high, is_whole=is_whole)
    assert [text for _, text in ticks] == texts
    assert all(low <= value <= high for value, _ in ticks)
