"""The numbers that a metric may return, and the packed rewards that it reads."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leaderboard.rules.rewards.intervals import InvalidValue, finite, pack


def test_a_value_must_be_a_finite_number() -> None:
    for value in (math.nan, math.inf, "1", True, [1.0], 1j, np.bool_(True)):
        with pytest.raises(InvalidValue):
            finite(value)


def test_numbers_of_numpy_are_accepted() -> None:
    for value in (1, 1.0, np.float64(1), np.float32(1), np.int64(1)):
        assert type(finite(value)) is float, value
        assert finite(value) == 1.0, value


def test_packing_skips_tasks_without_samples() -> None:
    values, lengths = pack([[], [1.0, 2], [], [3.5]])
    assert (values.tolist(), lengths.tolist()) == ([1.0, 2.0, 3.5], [2, 1])
    assert [part.size for part in pack([[], []])] == [0, 0]
