"""Where the bar stands: off the game, on a monitor, or nowhere."""

from hypothesis import given
from hypothesis import strategies as st

from bot.launcher.bar import place_beside
from bot.models import Pixel, Region

SCREEN = Region(0, 0, 1280, 1024)
SIZE = (380, 54)


@given(
    st.builds(Region, st.integers(-300, 1280), st.integers(-300, 1024), st.integers(1, 1600), st.integers(1, 1200)),
    st.lists(st.sampled_from([SCREEN, Region(-1920, 0, 1920, 1080), Region(1280, 200, 800, 600)]), min_size=1),
)
def test_bar_is_whole_on_a_monitor_and_never_over_the_game(game, monitors):
    place = place_beside(game, monitors, SIZE)
    if place is not None:
        bar = Region(*place, *SIZE)
        assert bar.shared(game).n_pixels == 0
        assert any(bar.shared(monitor) == bar for monitor in monitors)


def test_bar_stands_as_far_away_as_an_edge_allows():
    assert place_beside(Region(10, 10, 400, 300), [SCREEN], SIZE) == Pixel(900, 970)
    assert place_beside(Region(800, 700, 400, 300), [SCREEN], SIZE) == Pixel(0, 0)


def test_bar_goes_to_another_monitor_where_the_game_fills_one():
    assert place_beside(SCREEN, [SCREEN, Region(1280, 0, 800, 600)], SIZE) == Pixel(1700, 0)


def test_bar_stands_nowhere_where_the_game_fills_all():
    assert place_beside(SCREEN, [SCREEN], SIZE) is None
