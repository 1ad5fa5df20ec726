"""The page of a review, in a real browser and by real input: every number on it against the game's own truth."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from browser import browser
from patience import wait_until

from bot.errors import UsageError
from bot.reviewing.page import _encode_risks, render_page, save_page
from bot.reviewing.replay_files import Replay, load_replays
from bot.reviewing.verdicts import Verdict, review
from solver import parse_board
from solver.game import Game

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"


@pytest.fixture(scope="module")
def reviews():
    """Two games of people."""
    return [review(load_replays(REPLAYS / f"{name}.rawvf")[0]) for name in ("expert-lost-rmv", "rmv2_24px-rmv")]


@pytest.fixture(scope="module")
def page(reviews, tmp_path_factory, require_program):
    """Their page, open in a browser."""
    path = tmp_path_factory.mktemp("page") / "review.html"
    save_page(path, reviews)
    with browser(require_program("chromium", "chromium")) as page:
        page.open(path)
        yield page


def shown_board(page, cols):
    """What the page shows of the board, a character a cell."""
    shown = "c.classList.contains('open') ? (c.textContent || '0') : '#'"
    texts = page.value(f"[...document.querySelectorAll('.cell')].map(c => {shown}).join('')")
    return [texts[i : i + cols] for i in range(0, len(texts), cols)]


def expected_board(replay, n):
    """What a player saw before click `n`."""
    game = Game.on(replay.layout)
    for click in replay.clicks[:n]:
        if click.action is not None:
            {"open": game.open, "flag": game.toggle_flag, "chord": game.chord}[click.action.value](click.cell)
    return ["".join(str(code) if code >= 0 else "#" for code in row) for row in game.board.cells.tolist()]


def wait_on(page, condition):
    """Wait for what the page does by itself."""
    wait_until(lambda: page.value(condition), condition)


def go_to(page, n):
    """Put the slider on a click."""
    page.value(f"$('slider').value = {n}; $('slider').dispatchEvent(new Event('input')); 1")


@pytest.mark.slow
def test_page_shows_every_position_as_it_was(page, reviews):
    page.value("$('games').value = '0'; $('games').dispatchEvent(new Event('change')); 1")
    replay = reviews[0].replay
    for n in (0, 1, 2, 40, 150, len(replay.clicks) - 1):
        go_to(page, n)
        board = shown_board(page, 30)
        assert board == expected_board(replay, n)
        judged = reviews[0].clicks[n]
        told = page.value("$('verdict').textContent")
        assert told == judged.verdict.value if judged.verdict else told in {"flag", "no effect"}
        assert page.value("document.querySelectorAll('.made').length") == 1


@pytest.mark.slow
def test_page_shows_the_solvers_risks(page, reviews):
    go_to(page, 0)
    for n, judged in enumerate(reviews[0].clicks):
        if n % 9 != 3 or judged.analysis is None:
            continue
        go_to(page, n)
        titles = page.value("[...document.querySelectorAll('.cell')].map(c => c.title)")
        for title, risk in zip(titles, judged.analysis.p_mine.ravel().tolist(), strict=True):
            if title == "proven safe":
                assert risk == 0.0
            elif title == "proven mine":
                assert risk == 1.0
            elif title:
                assert float(re.fullmatch(r"risk (\d+\.\d\d) %", title)[1]) == pytest.approx(100 * risk, abs=0.006)
        assert titles.count("proven safe") == len(judged.analysis.safe)


@pytest.mark.slow
def test_page_calls_nothing_proven_that_only_is_nearly_so(page):
    go_to(page, 2)
    for risk, title in ((1, "risk 0.01 %"), (9_999, "risk 99.99 %"), (0, "proven safe"), (10_000, "proven mine")):
        page.value(f"maps[game.clicks[2].map] = new Uint16Array(480).fill({risk}); go(2); 1")
        titles = page.value("[...document.querySelectorAll('.cell:not(.open)')].map(c => c.title)")
        assert set(titles) == {title}
    page.value("show(0); 1")


def test_risks_are_0_and_1_on_the_page_only_where_that_is_proven():
    board = parse_board("1###")
    p_mine = np.array([[np.nan, 1e-12, 1 - 1e-12, np.nan]])
    encoded = np.frombuffer(base64.b64decode(_encode_risks(SimpleNamespace(board=board, p_mine=p_mine))), dtype="<u2")
    assert encoded.tolist() == [65_535, 1, 9_999, 65_534]


@pytest.mark.slow
def test_page_is_driven_by_keys_and_mouse(page, reviews):
    page.press("Home")
    where = "$('where').textContent.split(' / ')[0]"
    assert page.value(where) == "0"
    page.press("ArrowRight")
    page.press("ArrowRight")
    page.press("ArrowLeft")
    assert page.value(where) == "1"
    page.press("n")
    assert page.value(where) == str(min(n for n in reviews[0].worst(99) if n > 1))
    page.click("#next")
    assert page.value(where) == "3"
    page.press("End")
    assert page.value("$('clickname').textContent") == "The end"
    page.click("#moments li:nth-child(2) button")
    assert page.value("$('verdict').textContent") == "blunder"
    assert "the 1 at (1,0) needs 1 mine among (0,1) (1,1) (2,0) (2,1)" in page.value("$('why').textContent")
    page.point(".cell[data-r='2'][data-c='0']")
    assert page.value("$('hover').textContent") == "(2,0): proven safe"
    page.click("#curve", at=(0.999, 0.5))
    assert int(page.value(where)) == len(reviews[0].clicks)
    page.click("#risks")
    page.press("Home")
    page.press("n")
    assert page.value("document.querySelectorAll('.cell .risk').length") == 0
    page.click("#risks")
    assert page.value("document.querySelectorAll('.cell .risk').length") > 400


@pytest.mark.slow
def test_page_of_two_games_has_both_and_asks_no_network(page, reviews):
    page.value("$('games').value = '1'; $('games').dispatchEvent(new Event('change')); 1")
    assert page.value("$('title').textContent") == "rmv2_24px-rmv.rawvf"
    assert page.value("document.querySelectorAll('.cell').length") == 64
    assert page.value("$('figures').textContent.includes('ZiNi5')")
    assert page.value("$('figures').textContent.includes('pLuck0.301')"), "one guess, of a half"
    assert page.value("$('figures').textContent.includes('clicks saved by flags-2')")
    page.value("$('games').value = '0'; $('games').dispatchEvent(new Event('change')); 1")
    assert page.value("document.querySelectorAll('.cell').length") == 480
    wide = page.value("document.documentElement.scrollWidth <= innerWidth")
    assert wide, "it is as wide as the window"
    assert page.complaints() == []


@pytest.mark.slow
def test_page_fits_a_small_window(page):
    wide = page.value("document.querySelector('.cell').offsetWidth")
    page.call("Emulation.setDeviceMetricsOverride", width=800, height=600, deviceScaleFactor=1, mobile=False)
    try:
        wait_on(page, "innerWidth === 800")
        wait_on(page, "$('board').offsetWidth <= $('board').parentElement.clientWidth")
        tops = page.value("[...document.querySelectorAll('.tile')].map(tile => tile.offsetTop)")
        assert [tops.count(top) for top in sorted(set(tops))] == [3, 3]
    finally:
        page.call("Emulation.clearDeviceMetricsOverride")
    wait_on(page, f"document.querySelector('.cell').offsetWidth === {wide}")


@pytest.mark.slow
def test_page_prints(page):
    printed = page.printed()
    assert printed.startswith(b"%PDF")
    assert len(printed) > 20_000


def test_page_is_self_contained_and_survives_any_name(reviews):
    evil = "</script><script>alert(1)</script> & <!--"
    replay = reviews[1].replay
    named = Replay(replay.source, evil, evil, replay.layout, replay.clicks, replay.seconds, replay.told)
    text = render_page([review(named)])
    assert evil not in text
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1]
    game = json.loads(data)["games"][0]
    assert game["player"] == evil
    assert text.count("<script") == text.count("</script>") == 2
    assert not re.findall(r"(?:src|href)=\"(?!data:)", text)
    assert "default-src 'none'" in text


def test_page_holds_the_truth_of_the_layout(reviews):
    text = render_page(reviews)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    for game, reviewed in zip(data["games"], reviews, strict=True):
        layout = reviewed.replay.layout
        truth = [
            "".join("*" if mine else str(number) for mine, number in zip(mines, numbers, strict=True))
            for mines, numbers in zip(layout.has_mine.tolist(), layout.numbers.tolist(), strict=True)
        ]
        assert game["cells"] == truth
        assert len(game["clicks"]) == len(reviewed.clicks)
        assert game["worst"] == reviewed.worst(999)
    assert data["together"]["games"] == 2
    assert any(click["verdict"] == Verdict.BLUNDER.value for click in data["games"][0]["clicks"])


def test_page_that_cannot_be_written_is_an_error(reviews, tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        save_page(tmp_path / "missing" / "page.html", reviews[1:])
