"""Pictures are compared channel by channel as plain numpy does it, whatever their type."""

from __future__ import annotations

import numpy as np
import pytest

from skins.pixels import distinct_colours, distinct_rows, largest_channel, pixels_apart


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.bool_])
def test_largest_channel_is_numpys_maximum_over_the_last_axis(dtype):
    pixels = np.random.default_rng(1).integers(0, 2 if dtype == np.bool_ else 100, (7, 5, 4, 3)).astype(dtype)
    largest = largest_channel(pixels)
    assert largest.dtype == dtype
    assert np.array_equal(largest, pixels.max(axis=-1))


def test_pictures_are_as_far_apart_as_in_the_channel_in_which_they_differ_most():
    one, other = np.random.default_rng(2).integers(0, 256, (2, 30, 40, 3), dtype=np.uint8)
    apart = pixels_apart(one, other)
    assert apart.dtype == np.uint8
    assert np.array_equal(apart, np.abs(one.astype(int) - other).max(axis=2))
    assert np.array_equal(pixels_apart(other, one), apart)


def test_empty_pictures_are_compared_without_a_word():
    nothing = np.zeros((4, 0, 3), dtype=np.uint8)
    assert pixels_apart(nothing, nothing).shape == (4, 0)


@pytest.mark.parametrize("shape", [(30, 40, 3), (500, 3), (1, 3), (0, 3)])
def test_distinct_colours_are_those_that_numpy_finds_along_the_last_axis(shape):
    pixels = np.random.default_rng(3).choice(np.array([0, 1, 127, 255], dtype=np.uint8), shape)
    colours, counts = distinct_colours(pixels)
    expected, expected_counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    assert colours.dtype == np.uint8
    assert np.array_equal(colours, expected)
    assert np.array_equal(counts, expected_counts)


@pytest.mark.parametrize("shape", [(200, 2, 1, 3), (50, 700), (1, 3)])
def test_distinct_rows_are_those_that_numpy_finds_along_the_first_axis(shape):
    table = np.random.default_rng(4).choice(np.array([0, 127, 128, 255], dtype=np.uint8), shape)
    table[len(table) // 2 :] = table[: len(table) - len(table) // 2]
    found = distinct_rows(table[::-1])
    expected = np.unique(table[::-1], axis=0, return_index=True, return_inverse=True, return_counts=True)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other.reshape(one.shape))
