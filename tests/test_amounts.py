"""How much the tests try is what one variable says."""

from __future__ import annotations

import amounts
import pytest
from hypothesis import HealthCheck, settings


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv(amounts.VARIABLE, raising=False)
    monkeypatch.delenv("MINEBOT_N", raising=False)


@pytest.mark.parametrize(
    ("variables", "expected", "n_boards", "n_examples"),
    [
        ({}, "dev", 12, 15),
        ({"CI": "true"}, "gate", 12, 60),
        ({"CI": "true", "MINEBOT_TESTS": "full"}, "full", 500, 600),
        ({"MINEBOT_TESTS": "gate"}, "gate", 12, 60),
        ({"MINEBOT_TESTS": "gate", "MINEBOT_N": "3"}, "gate", 3, 60),
        ({"MINEBOT_TESTS": "", "MINEBOT_N": ""}, "dev", 12, 15),
    ],
)
def test_counts_follow_the_profile(variables, expected, n_boards, n_examples, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert amounts.profile() == expected
    assert amounts.count("MINEBOT_N", gate=12, full=500) == n_boards
    assert amounts.examples(60) == n_examples


@pytest.mark.parametrize(("name", "value"), [("MINEBOT_TESTS", "ci"), ("MINEBOT_N", "-1"), ("MINEBOT_N", "0")])
def test_what_no_profile_and_no_count_is_named(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"{name} to be .*got '{value}'"):
        amounts.count("MINEBOT_N", gate=12, full=500)


def test_only_the_gate_tries_the_same_examples_again():
    gate, dev, full = (settings.get_profile(name) for name in ("gate", "dev", "full"))
    assert gate.derandomize
    assert not dev.derandomize
    assert not full.derandomize
    assert dev.max_examples < gate.max_examples == 100 < full.max_examples


@pytest.mark.parametrize("name", amounts.PROFILES)
def test_no_profile_measures_how_long_an_example_takes(name):
    profile = settings.get_profile(name)
    assert profile.deadline is None
    assert HealthCheck.too_slow in profile.suppress_health_check
