"""Who is ranked, by what, and where: tables of expected ranks."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.ranking.places import (
    CountingMode,
    Facts,
    Ranking,
    RankKey,
    place,
    ranks,
    uncovered,
    why_unranked,
)
from leaderboard.strategies import known_strategies, ranking_of
from tests.helpers.vectors import vectors
from tests.rules.boards import attempt, board

VECTORS = vectors("challenge_leaderboard")


def counting(ranking: Ranking, attempts: Iterable[Facts]) -> int:
    """Return the number of the attempt that counts for a participant."""
    return min(attempts, key=lambda facts: place(ranking, facts).pick_key).attempt_id.int


@given(
    how=st.sampled_from(get_args(CountingMode)),
    value=st.none() | st.integers(0, 3),
    state=st.sampled_from(["failed", "withdrawn", "disqualified", ""]),
    only_succeeded=st.booleans(),
    succeeded=st.booleans(),
)
def test_an_attempt_that_covers_too_little_has_the_place_that_the_rule_gives(
    how: CountingMode, value: int | None, state: str, only_succeeded: bool, succeeded: bool
) -> None:
    keys = (RankKey("score", "desc"),)
    ranking = Ranking(keys, only_succeeded=only_succeeded, counting=how)
    facts = replace(
        attempt(1, score=value, succeeded=succeeded),
        coverage=0.5,
        failed=state == "failed",
        withdrawn=state == "withdrawn",
        disqualified=state == "disqualified",
    )
    strict = replace(ranking, min_coverage=0.6)
    assert uncovered(ranking.counting, place(ranking, facts)) == place(strict, facts)


# The order of each strategy.


def from_vector(number: int, row: Mapping[str, Any]) -> Facts:
    return attempt(
        number,
        second=row["t"],
        succeeded=row.get("succeeded", True),
        score=row["score"],
        rating=row["judge_rating"],
        tokens_total=row["tokens_total"],
        elapsed_ms=row["elapsed_ms"],
    )


def test_the_order_equals_that_of_the_source_system() -> None:
    for vector in VECTORS:
        rows = vector["input"]["attempts"]
        # The source lists only succeeded attempts; with `custom` that is a choice of the challenge.
        ranking = ranking_of(vector["input"]["strategy"], only_succeeded=True)
        ordered = board(ranking, [from_vector(number, row) for number, row in enumerate(rows)])
        ranked = [rows[number]["id"] for number, rank in ordered if rank is not None]
        assert ranked == vector["expected"]["value"], vector["name"]
        assert len(ordered) == len(rows), vector["name"]


def test_every_preset_has_a_vector() -> None:
    assert {vector["input"]["strategy"] for vector in VECTORS} == {
        strategy.key for strategy in known_strategies().values() if strategy.keys
    }


def test_the_strategy_metric_ranks_by_its_keys_in_order() -> None:
    icpc = ranking_of("metric", (RankKey("solved", "desc"), RankKey("penalty_minutes", "asc")))
    attempts = [
        attempt(1, solved=9, penalty_minutes=995),
        attempt(2, solved=10, penalty_minutes=1400),
        attempt(3, solved=9, penalty_minutes=900),
        attempt(4, solved=9),
        attempt(5, penalty_minutes=1),
        attempt(6, solved=9, penalty_minutes=995, succeeded=None),
    ]
    assert board(icpc, attempts) == [(2, 1), (3, 2), (1, 3), (6, 3), (4, 5), (5, None)]


def test_ranking_by_the_submission_time_uses_the_real_time() -> None:
    ranking = ranking_of("metric", (RankKey("submitted_at", "desc"),))
    attempts = [attempt(1, second=0, submitted_at=1e12), attempt(2, second=1)]
    assert board(ranking, attempts) == [(2, 1), (1, 2)]


def test_the_strategy_metric_without_keys_ranks_no_attempt() -> None:
    assert why_unranked(ranking_of("metric"), attempt(1, score=3.0)) == "no_value"


# Unranked attempts and their reasons.


def test_the_first_applicable_reason_is_given() -> None:
    cases: list[tuple[str, dict[str, Any], str | None]] = [
        ("first", {}, None),
        ("first", {"succeeded": False}, "not_succeeded"),
        ("first", {"succeeded": None}, "not_succeeded"),
        ("fastest", {"elapsed_ms": 0}, None),
        ("fastest", {"elapsed_ms": None}, "no_value"),
        ("fastest", {}, "no_value"),
        ("fewest_tokens", {"tokens_total": 5, "succeeded": False}, "not_succeeded"),
        ("highest_rating", {"rating": None}, "no_value"),
        ("custom", {"score": 0.0}, None),
        ("custom", {"score": None}, "no_value"),
        ("custom", {"score": None, "failed": True}, "failed"),
        ("custom", {"failed": True, "succeeded": False}, "failed"),
        ("custom", {"score": 5.0, "withdrawn": True}, "withdrawn"),
        ("first", {"withdrawn": True, "failed": True, "succeeded": False}, "withdrawn"),
    ]
    for strategy, changes, reason in cases:
        facts = attempt(1, **changes)
        assert why_unranked(ranking_of(strategy), facts) == reason, (strategy, changes)
        assert place(ranking_of(strategy), facts).unranked == reason, (strategy, changes)


# Equal values.


def test_equal_values_share_a_rank_and_the_next_ranks_are_skipped() -> None:
    cases: list[tuple[list[float], list[int]]] = [
        ([], []),
        ([5.0], [1]),
        ([9.0, 7.0, 7.0, 3.0], [1, 2, 2, 4]),
        ([7.0, 7.0, 7.0], [1, 1, 1]),
        ([9.0, 9.0, 5.0, 5.0, 1.0], [1, 1, 3, 3, 5]),
        ([0.3, 0.1 + 0.2, 0.2], [1, 1, 3]),
        ([1.0 + 4e-10, 1.0, 0.0], [1, 1, 3]),
        ([1.0 + 2e-9, 1.0], [1, 2]),
        ([0.0, -0.0], [1, 1]),
    ]
    for scores, expected in cases:
        attempts = [attempt(number, score=score) for number, score in enumerate(scores)]
        assert [rank for _, rank in board(ranking_of("custom"), attempts)] == expected, scores


def test_the_strategy_first_distinguishes_microseconds() -> None:
    attempts = [attempt(1, second=2e-6), attempt(2, second=1e-6), attempt(3, second=1e-6)]
    assert board(ranking_of("first"), attempts) == [(2, 1), (3, 1), (1, 3)]


# The attempt that counts for a participant.


def test_which_attempt_of_a_participant_counts() -> None:
    cases: list[tuple[CountingMode, list[Facts], int]] = [
        ("best", [attempt(1, score=5.0), attempt(2, second=1, score=8.0)], 2),
        ("best", [attempt(1, score=8.0), attempt(2, second=1, score=8.0)], 1),
        ("best", [attempt(1, failed=True), attempt(2, second=1, score=0.0)], 2),
        ("best", [attempt(1, score=9.0, withdrawn=True), attempt(2, second=1, score=None)], 2),
        ("latest", [attempt(1, score=8.0), attempt(2, second=1, score=5.0)], 2),
        ("latest", [attempt(1, score=8.0), attempt(2, second=1, failed=True)], 2),
        ("latest", [attempt(1, score=8.0), attempt(2, second=1, score=9.0, withdrawn=True)], 1),
        ("latest", [attempt(1, score=8.0), attempt(2, score=8.0)], 2),
    ]
    for how, attempts, expected in cases:
        ranking = ranking_of("custom", counting=how)
        assert counting(ranking, attempts) == expected, (how, expected)
        assert counting(ranking, reversed(attempts)) == expected, (how, expected)


# A page from the middle of the board.


def test_a_later_page_continues_the_ranks() -> None:
    cases: list[tuple[int, int | None, list[int]]] = [
        (0, None, [1, 1, 3]),
        (10, None, [11, 11, 13]),
        (10, 8, [9, 9, 13]),
        (10, 10, [11, 11, 13]),
    ]
    for before, less, expected in cases:
        assert list(ranks([b"a", b"a", b"b"], before=before, less=less)) == expected, before


@given(st.lists(st.integers(0, 6).map(lambda n: n.to_bytes(1)), max_size=40), st.integers(0, 40))
def test_any_page_has_the_ranks_of_the_whole_board(keys: list[bytes], cut: int) -> None:
    keys.sort()
    whole = list(ranks(keys))
    assert whole == [1 + sum(other < key for other in keys) for key in keys]
    page = keys[cut:]
    smaller = sum(key < page[0] for key in keys) if page else 0
    assert list(ranks(page, before=min(cut, len(keys)), less=smaller)) == whole[cut:]


# Coverage.


def test_too_little_coverage_is_not_ranked() -> None:
    cases: list[tuple[float | None, float, str | None]] = [
        (None, 0.0, None),
        (0.9, 0.9, None),
        (0.9, 0.89, "low_coverage"),
        (1.0, 1.0, None),
    ]
    for least, covered, expected in cases:
        ranking = ranking_of("custom", min_coverage=least)
        facts = replace(attempt(1, score=1.0), coverage=covered)
        assert why_unranked(ranking, facts) == expected, covered
        assert place(ranking, facts).unranked == expected, covered


def test_other_reasons_take_precedence_over_low_coverage() -> None:
    ranking = ranking_of("custom", min_coverage=0.5)
    assert why_unranked(ranking, attempt(1)) == "no_value"
