"""Loops over cases lose none of them, and name the one that fails."""

from __future__ import annotations

from inspect import signature

import chunks
import pytest
from chunks import in_chunks


def items_of(test):
    """The shares of a test in chunks, by their ids."""
    (mark,) = (mark for mark in test.pytestmark if mark.name == "parametrize")
    return dict(zip(mark.kwargs["ids"], mark.args[1], strict=True))


@pytest.mark.parametrize("n_cases", [1, 7, 8, 9, 100])
def test_every_case_is_in_one_chunk(n_cases, monkeypatch):
    monkeypatch.setattr(chunks, "at_most", None)
    seen = []

    @in_chunks("seed", range(n_cases), 8)
    def test(seed):
        seen.append(seed)

    shares = items_of(test).values()
    assert len(shares) == min(n_cases, 8)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    for share in shares:
        test(share)
    assert sorted(seen) == list(range(n_cases))


def test_case_of_several_values_goes_with_fixtures_and_parameters():
    @pytest.mark.parametrize("engine", ["kernel", "twin"])
    @in_chunks("shape, wrap", [((2, 3), True), ((4,), False)], 1)
    def test(shape, wrap, engine, tmp_path):
        seen.append((shape, wrap, engine, tmp_path))

    seen = []
    assert list(signature(test).parameters) == ["chunk", "engine", "tmp_path"]
    test(chunk=[((2, 3), True), ((4,), False)], engine="twin", tmp_path="folder")
    assert seen == [((2, 3), True, "twin", "folder"), ((4,), False, "twin", "folder")]


def test_failing_case_is_named():
    def check(seed, wrap):
        assert seed < 2

    with pytest.raises(AssertionError) as caught:
        in_chunks("seed, wrap", [], 8)(check)([(n, True) for n in range(5)])
    assert caught.value.__notes__ == ["case 3 of 5: seed=2, wrap=True"]
    with pytest.raises(AssertionError) as caught:
        in_chunks("seed, wrap", [], 8, name=lambda case: f"the {case[0]}th")(check)([(4, True)])
    assert caught.value.__notes__ == ["case 1 of 1: the 4th"]


def test_case_that_is_skipped_fails_as_those_behind_it_would_not_run():
    def skip(seed):
        pytest.skip("not here")

    with pytest.raises(pytest.fail.Exception, match="case 1 of 2: seed=0 is skipped"):
        in_chunks("seed", [], 8)(skip)([0, 1])


@pytest.mark.parametrize(
    ("at_most", "wanted", "expected"),
    [
        (1, None, {"1of1": [0]}),
        (3, None, {"1of2": [0, 6], "2of2": [3]}),
        (None, "seed=7", {"1of1": [7]}),
        (None, "seed=11", {}),
    ],
)
def test_options_choose_among_the_cases(at_most, wanted, expected, monkeypatch):
    monkeypatch.setattr(chunks, "at_most", at_most)
    monkeypatch.setattr(chunks, "wanted", wanted)

    @in_chunks("seed", range(10), 2)
    def test(seed):
        pass

    assert items_of(test) == expected
