"""The board equals Python's own sort, for any strategy and any attempts."""

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.ranking.places import (
    CountingMode,
    Facts,
    PickKeys,
    Ranking,
    RankKey,
    place,
)
from leaderboard.rules.sortkey import reached_key
from leaderboard.strategies import known_strategies, ranking_of
from tests.rules.boards import attempt, board

few = st.none() | st.sampled_from([-3.5, -0.0, 0.0, 0.1 + 0.2, 0.3, 1.0, 5, 10**15])


@st.composite
def many_attempts(draw: st.DrawFn) -> list[Facts]:
    """Draw up to fifteen attempts with values and times that often coincide."""
    return [
        attempt(
            number,
            second=draw(st.integers(0, 3)),
            succeeded=draw(st.sampled_from([True, True, False, None])),
            failed=draw(st.sampled_from([False, False, True])),
            withdrawn=draw(st.sampled_from([False, False, False, True])),
            score=draw(few),
            rating=draw(few),
            elapsed_ms=draw(few),
            tokens_total=draw(few),
        )
        for number in range(draw(st.integers(0, 15)))
    ]


class Chosen(NamedTuple):
    """The choices of an organiser."""

    strategy: str
    rank_by: tuple[RankKey, ...]
    only_succeeded: bool


chosen_rankings = st.builds(
    Chosen,
    strategy=st.sampled_from(list(known_strategies())),
    rank_by=st.lists(
        st.builds(
            RankKey,
            key=st.sampled_from(["score", "rating", "elapsed_ms", "missing"]),
            direction=st.sampled_from(["asc", "desc"]),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda key: key.key,
    ).map(tuple),
    only_succeeded=st.booleans(),
)
rankings = chosen_rankings.map(
    lambda chosen: ranking_of(chosen.strategy, chosen.rank_by, only_succeeded=chosen.only_succeeded)
)


def plainly_ranked(chosen: Chosen, facts: Facts) -> bool:
    """Return whether an attempt is ranked, by the rules of the strategies spelled out again."""
    if facts.withdrawn or facts.failed:
        return False
    for_anyone = chosen.strategy in ("custom", "metric") and not chosen.only_succeeded
    if not for_anyone and facts.succeeded is not True:
        return False
    first = {
        "first": "submitted_at",
        "fastest": "elapsed_ms",
        "fewest_tokens": "tokens_total",
        "highest_rating": "rating",
        "custom": "score",
        "metric": chosen.rank_by[0].key,
    }[chosen.strategy]
    return first == "submitted_at" or facts.values.get(first) is not None


def plain_value(chosen: Chosen, facts: Facts) -> tuple[Any, ...]:
    """Return the sort key for Python's own sort; smaller is better."""

    def low(key: str) -> tuple[bool, float]:
        value = facts.values.get(key)
        return value is None, 0.0 if value is None else round(value, 9)

    def high(key: str) -> tuple[bool, float]:
        missing, value = low(key)
        return missing, -value

    match chosen.strategy:
        case "first":
            return (facts.submitted_at,)
        case "fastest":
            return low("elapsed_ms")
        case "fewest_tokens":
            return low("tokens_total")
        case "highest_rating":
            return high("rating")
        case "custom":
            return high("score")
    return tuple(high(k.key) if k.direction == "desc" else low(k.key) for k in chosen.rank_by)


@given(chosen_rankings, many_attempts())
def test_the_board_equals_a_plain_sort(chosen: Chosen, attempts: list[Facts]) -> None:
    def by_time(facts: Facts) -> tuple[datetime, int]:
        return facts.submitted_at, facts.attempt_id.int

    ranked = [facts for facts in attempts if plainly_ranked(chosen, facts)]
    rest = [facts for facts in attempts if not plainly_ranked(chosen, facts)]
    ranked.sort(key=lambda facts: (plain_value(chosen, facts), by_time(facts)))
    rest.sort(key=lambda facts: (facts.withdrawn, by_time(facts)))

    values = [plain_value(chosen, facts) for facts in ranked]
    expected: list[tuple[int, int | None]] = [
        (facts.attempt_id.int, 1 + sum(other < value for other in values))
        for facts, value in zip(ranked, values, strict=True)
    ]
    expected += [(facts.attempt_id.int, None) for facts in rest]
    ranking = ranking_of(chosen.strategy, chosen.rank_by, only_succeeded=chosen.only_succeeded)
    assert board(ranking, attempts) == expected


@given(rankings, many_attempts())
def test_only_better_rows_have_a_sort_key_below_a_rank_key(
    ranking: Ranking, attempts: list[Facts]
) -> None:
    rows = {facts.attempt_id.int: place(ranking, facts) for facts in attempts}
    for number, rank in board(ranking, attempts):
        ahead = sum(other.sort_key < rows[number].rank_key for other in rows.values())
        assert rank is None or rank == 1 + ahead


@given(rankings, many_attempts())
def test_every_sort_key_is_unique_and_short(ranking: Ranking, attempts: list[Facts]) -> None:
    places = [place(ranking, facts) for facts in attempts]
    assert len({where.sort_key for where in places}) == len(attempts)
    for where in places:
        assert where.sort_key.startswith(where.rank_key)
        assert len(where.sort_key) <= 1 + 8 * 4 + 24


@given(
    rankings,
    st.sampled_from(["best", "latest"]),
    st.sampled_from([None, 0.0, 0.5]),
    many_attempts(),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=15, max_size=15),
)
def test_pick_keys_equal_those_of_places(
    ranking: Ranking,
    counting: CountingMode,
    least: float | None,
    attempts: list[Facts],
    covered: list[float],
) -> None:
    ranking = replace(ranking, counting=counting, min_coverage=least)
    pick_key = PickKeys(ranking)
    for one, share in zip(attempts, covered, strict=False):
        facts = replace(one, coverage=share)
        values = [
            facts.submitted_at.timestamp()
            if key.key == "submitted_at"
            else facts.values.get(key.key)
            for key in ranking.keys
        ]
        reached = reached_key(facts.submitted_at, facts.attempt_id)
        flags = (facts.succeeded, facts.failed, facts.withdrawn, facts.coverage)
        assert pick_key(reached, values, *flags) == place(ranking, facts).pick_key
