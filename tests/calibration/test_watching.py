"""Learning while a person plays, on a fake desktop in simulated time: true labels, and not one click or key."""

import pytest
from amounts import count
from fake_desktop import CoverKind
from player_table import BEGINNER, CLASSIC
from simulated_person import SimulatedPerson
from unknown_clone import UnknownClone, check_sprites, made_skin, simulate_all_time

from bot.errors import Aborted
from calibration.errors import CalibrationError
from calibration.live.memory import load_memory, save_memory
from calibration.live.session import LiveOptions
from calibration.live.watching import learn_by_watching

N_SEEDS = count("MINEBOT_LIVE_SEEDS", gate=1, full=5)
LEARNED_BY_PLAY = pytest.mark.full("the gate learns this look by playing (test_live)")


class Watched:
    """A clone nobody knows, a person who plays it, and somebody who looks on."""

    def __init__(self, monkeypatch, skin=CLASSIC, level=BEGINNER, seed=0):
        self.desktop = UnknownClone(skin, level, seed=seed)
        self.desktop.clock.limit = self.desktop.clock.now + 4000
        self.person = SimulatedPerson(self.desktop, seed)
        self.said, self.kept = [], []
        simulate_all_time(monkeypatch, self.desktop.clock)

    def learn(self, memory=None, **options):
        desktop = self.desktop
        options = LiveOptions("mine", **{"n_games": 30} | options)
        found = learn_by_watching(
            desktop, desktop.position, desktop.control, options, self.said.append, memory, self.kept.append
        )
        assert desktop.clicks == []
        assert desktop.keys == []
        return found


@pytest.fixture
def watched(monkeypatch):
    return lambda *args, **options: Watched(monkeypatch, *args, **options)


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_clone_is_learned_from_games_of_a_person(watched, seed):
    seen = watched(seed=seed)
    learned = seen.learn()
    assert learned.is_verified, seen.said
    states = {sprite.state for sprite in learned.skin.sprites}
    assert states >= {"0", "1", "2", "closed", "flag", "mine"}, seen.said
    check_sprites(learned.skin, CLASSIC)


@pytest.mark.slow
@pytest.mark.parametrize(
    "look",
    ["smooth", "stippled", *(pytest.param(look, marks=LEARNED_BY_PLAY) for look in ("one_ink", "dark", "decorated"))],
)
def test_made_looks_are_learned_from_games_of_a_person(watched, look):
    skin = made_skin(look)
    learned = watched(skin, seed=5).learn()
    assert learned.is_verified
    check_sprites(learned.skin, skin)


def test_start_key_ends_it_with_what_is_known(watched):
    seen = watched()
    seen.desktop.clock.after(15.0, seen.desktop.control.pause)
    learned = seen.learn()
    assert not learned.is_verified
    check_sprites(learned.skin, CLASSIC)


def test_abort_key_keeps_what_was_seen_and_the_next_run_goes_on(watched, monkeypatch, tmp_path):
    seen = watched(seed=1)
    seen.desktop.clock.after(25.0, seen.desktop.abort)
    with pytest.raises(Aborted):
        seen.learn()
    n_before = len(seen.kept[-1].sights)
    assert n_before > 0
    path = tmp_path / "mine.learning.npz"
    save_memory(seen.kept[-1], path)
    monkeypatch.undo()
    later = watched(seed=2)
    learned = later.learn(load_memory(path))
    assert learned.is_verified
    assert len(learned.cuts) > n_before
    check_sprites(learned.skin, CLASSIC)


def test_window_over_the_board_teaches_nothing(watched):
    seen = watched(seed=2)
    desktop = seen.desktop
    for at_s in (10.0, 30.0, 50.0):
        covers = []
        desktop.clock.after(
            at_s, lambda covers=covers: covers.append(desktop.cover_with(CoverKind.TEXT, (0.3, 0.3, 0.4, 0.3)))
        )
        desktop.clock.after(at_s + 5.0, lambda covers=covers: desktop.uncover(covers[0]))
    learned = seen.learn()
    check_sprites(learned.skin, CLASSIC)


def test_time_that_is_up_before_anything_was_seen_is_told(watched):
    with pytest.raises(CalibrationError, match="no game was seen"):
        watched().learn(minutes=0.02)
