"""What is let through quickly is what the serializer would make of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from leaderboard.api.plain_attempts import PlainAttempt, plain_attempt
from leaderboard.api.plain_facts import PlainMetrics
from leaderboard.api.serializers.facts import MetricsSerializer
from leaderboard.api.serializers.new_attempt import NewAttemptSerializer, to_new_attempt
from leaderboard.facts import COUNT_LIMIT
from leaderboard.rules.moments import LATEST_MS

NUMBERS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([0, 1, -1, 10, 10.0, 10.5, True, False, COUNT_LIMIT, COUNT_LIMIT + 1]),
    st.sampled_from([LATEST_MS, LATEST_MS + 1, 0.1, -0.0, 1e300, "5", None, [], {}]),
)
FACTS = st.dictionaries(st.sampled_from([*PlainMetrics.__annotations__, "speed"]), NUMBERS)
TEXTS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["", " ", "atlas", "a" * 120, "a" * 121, "a" * 4000, "a" * 4001, " a\n", "é"]),
    st.sampled_from([5, None, True, ["a"], "system", "robot"]),
)
SAMPLES = [{"task": "a", "sample": 0, "rewards": {"reward": 1}}]
BODIES = st.fixed_dictionaries(
    {},
    optional={
        "participant": TEXTS,
        "metrics": st.one_of(FACTS, NUMBERS),
        "values": st.sampled_from([{}, {"a": 1}, {"a": None}, {"a": "1"}, {"a": 2.5}, [], None]),
        "task_rewards": st.sampled_from([{}, {"a": [1, None]}, {"a": 1}, {"": [1]}, None]),
        "samples": st.sampled_from([[], SAMPLES, SAMPLES * 2, [{}], {}, None]),
        "name": TEXTS,
        "kind": TEXTS,
        "note": TEXTS,
        "meta": st.sampled_from([{}, {"a": "b"}, {"a": 1}, {"": "b"}, [], None]),
        "submitted_at": st.sampled_from(
            ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00", "1969-12-31T00:00:00Z", "2999", 5, None]
        ),
        "speed": st.just(1),
    },
)


@given(st.one_of(BODIES, NUMBERS))
def test_the_same_as_the_serializer(body: Any) -> None:
    plain = plain_attempt(body)
    if plain is None:
        return
    try:
        checked = NewAttemptSerializer().run_validation(body)
    except ValidationError as error:
        raise AssertionError(f"let through: {body}") from error
    assert plain == to_new_attempt(checked)
    assert list(map(type, plain.metrics.values())) == list(map(type, checked["metrics"].values()))


@pytest.mark.parametrize(
    "evidence",
    [
        {"metrics": {"succeeded": True, "tokens_total": 5, "rating": 8, "cost_usd": 0.5}},
        {"metrics": {"elapsed_ms": None, "created_at": 1_790_000_000_000}},
        {"values": {"solved": 9, "penalty": None}},
        {"task_rewards": {"a": [1, None]}},
        {"samples": SAMPLES},
        {"metrics": {}, "submitted_at": "2024-01-01T00:00:00Z", "kind": "team", "name": "A"},
        {"metrics": {}, "meta": {"model": "m"}, "note": ""},
    ],
)
def test_what_is_right_needs_no_serializer(evidence: dict[str, Any]) -> None:
    assert plain_attempt({"participant": "atlas", **evidence}) is not None


def test_no_field_is_forgotten() -> None:
    slow = {"evaluation", "outputs"}
    assert set(PlainAttempt.__annotations__) | slow == set(NewAttemptSerializer().fields)
    assert set(PlainMetrics.__annotations__) == set(MetricsSerializer().fields)
