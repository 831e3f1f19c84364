"""Records are the values that beat all earlier ones."""

from __future__ import annotations

from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.records import records


def test_a_record_is_better_than_all_before_it() -> None:
    assert records([0.5, 0.4, 0.5, 0.7, 0.6, 0.9], RankKey("score", "desc")) == [0, 3, 5]
    assert records([30.0, 31.0, 12.5, 12.5, 0.0], RankKey("elapsed_ms", "asc")) == [0, 2, 4]
    assert records([-3.0, -1.0], RankKey("score", "desc")) == [0, 1]
    assert records([], RankKey("score", "desc")) == []


def test_equal_values_set_no_record() -> None:
    assert records([0.50, 0.54, 0.56], RankKey("score", "desc", 1)) == [0, 2]
