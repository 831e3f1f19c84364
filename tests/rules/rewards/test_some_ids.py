"""A short list of many ids."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.rules.rewards.some_ids import SomeIds


def test_the_first_ids_are_named() -> None:
    cases: list[tuple[Sequence[str | int], str, int]] = [
        ([], "", 0),
        (["nr-8"], "nr-8", 1),
        (range(10), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9", 10),
        (range(12), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more", 12),
        (["x" * 200], "x" * 79 + "…", 1),
    ]
    for ids, words, total in cases:
        some = SomeIds.of(iter(ids))
        assert (str(some), some.total) == (words, total), ids
        assert some.ids == [str(id_) for id_ in list(ids)[:10]], ids
