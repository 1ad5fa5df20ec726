"""Where the bar stands: off the game, or where it covers least of it."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from bot.launcher.bar import place_beside
from bot.models import Region

SCREEN = Region(0, 0, 1280, 1024)
SIZE = (380, 54)


@given(
    st.builds(Region, st.integers(-300, 1280), st.integers(-300, 1024), st.integers(1, 1600), st.integers(1, 1200)),
    st.lists(st.sampled_from([SCREEN, Region(-1920, 0, 1920, 1080), Region(1280, 200, 800, 600)]), min_size=1),
)
def test_bar_is_whole_on_a_monitor_and_off_the_game_where_an_edge_has_room(game, monitors):
    place = place_beside(game, monitors, SIZE)
    assert any(place.shared(monitor) == place for monitor in monitors)
    for left, top in product(
        (monitors[0].left, monitors[0].right - SIZE[0]), (monitors[0].top, monitors[0].bottom - 54)
    ):
        if Region(left - 8, top - 8, SIZE[0] + 16, SIZE[1] + 16).shared(game).n_pixels == 0:
            assert place.shared(game).n_pixels == 0


def test_bar_stands_as_far_away_as_an_edge_allows():
    assert place_beside(Region(10, 10, 400, 300), [SCREEN], SIZE) == Region(900, 970, *SIZE)
    assert place_beside(Region(800, 700, 400, 300), [SCREEN], SIZE) == Region(0, 0, *SIZE)


def test_bar_goes_to_another_monitor_where_the_game_fills_one():
    assert place_beside(SCREEN, [SCREEN, Region(1280, 0, 800, 600)], SIZE) == Region(1700, 0, *SIZE)


def test_what_has_no_room_covers_least():
    assert place_beside(Region(280, 96, 700, 607), [Region(0, 0, 1280, 800)], (576, 466)) == Region(704, 334, 576, 466)


def test_what_is_larger_than_the_screen_stands_nowhere():
    assert place_beside(SCREEN, [SCREEN], (1281, 54)) is None
