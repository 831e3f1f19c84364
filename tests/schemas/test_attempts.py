"""What an attempt may report, alone or as one of many, and the place that an error names."""

from __future__ import annotations

from typing import Any, Final

import pytest

from leaderboard.schemas.attempts import parse_attempt
from leaderboard.schemas.errors import SchemaError

ME: Final = {"participant": "atlas", "metrics": {}}
FIRST: Final = {"task": "task-1", "sample": 0, "rewards": {"physics": 0.5}}

NO_COUNTS: Final[tuple[Any, ...]] = (True, "5", 12.0, 1.5, -1, 10**15 + 1, 2**62, "٣", {})
WRONG_FACTS: Final[dict[str, tuple[Any, ...]]] = {
    **dict.fromkeys(("tokens_total", "elapsed_ms", "input_tokens", "output_tokens"), NO_COUNTS),
    "created_at": NO_COUNTS,
    "succeeded": (1, 0, "true", "yes", 1.0, []),
    "rating": (True, "8", -0.1, 10.1, 10**18, [8]),
    "cost_usd": (False, "1", -1, 1e300),
    "score": (5,),
    "Succeeded": (True,),
    "": (1,),
}
WRONG_FIELDS: Final[list[tuple[dict[str, Any], str]]] = [
    ({"metrics": {}}, "participant"),
    ({"participant": "atlas"}, "metrics"),
    ({"participant": "atlas", "samples": [], "task_rewards": {}}, "metrics"),
    ({**ME, "metrics": None}, "metrics"),
    ({**ME, "metrics": []}, "metrics"),
    ({**ME, "participant": ""}, "participant"),
    ({**ME, "participant": 5}, "participant"),
    ({**ME, "colour": "red"}, "colour"),
    ({**ME, "id": "0"}, "id"),
    ({**ME, "score": 5}, "score"),
    ({**ME, "status": "scored"}, "status"),
    ({**ME, "values": []}, "values"),
    ({**ME, "values": None}, "values"),
    ({**ME, "values": {"solved": "9"}}, "values.solved"),
    ({**ME, "values": {"solved": True}}, "values.solved"),
    ({**ME, "values": {"solved": [9]}}, "values.solved"),
    ({**ME, "evaluation": {}}, "evaluation.instances"),
    ({**ME, "name": 5}, "name"),
    ({**ME, "kind": "robot"}, "kind"),
    ({**ME, "kind": 1}, "kind"),
    ({**ME, "kind": ["team"]}, "kind"),
    ({**ME, "note": "n" * 4001}, "note"),
    ({**ME, "note": None}, "note"),
    ({**ME, "meta": {"a": 1}}, "meta.a"),
    ({**ME, "meta": {"a": {"b": "c"}}}, "meta.a"),
    ({**ME, "meta": {"a": "x" * 1001}}, "meta.a"),
    ({**ME, "meta": {"a" * 81: "x"}}, f"meta.{'a' * 81}"),
    ({**ME, "meta": {str(at): "x" for at in range(51)}}, "meta"),
    ({**ME, "meta": []}, "meta"),
]
WRONG_SAMPLES: Final[list[tuple[Any, str]]] = [
    ({}, ""),
    (None, ""),
    ([5], ".0"),
    ([[]], ".0"),
    ([{**FIRST, "colour": 1}], ".0.colour"),
    ([{**FIRST, "task": None}], ".0.task"),
    ([{**FIRST, "task": ""}], ".0.task"),
    ([{**FIRST, "task": 5}], ".0.task"),
    ([{**FIRST, "task": "t" * 256}], ".0.task"),
    ([{"sample": 0, "rewards": {}}], ".0.task"),
    ([{"task": "task-1", "rewards": {}}], ".0.sample"),
    ([{**FIRST, "sample": -1}], ".0.sample"),
    ([{**FIRST, "sample": 1.0}], ".0.sample"),
    ([{**FIRST, "sample": True}], ".0.sample"),
    ([{**FIRST, "sample": "0"}], ".0.sample"),
    ([{**FIRST, "sample": 100_000}], ".0.sample"),
    ([{"task": "task-1", "sample": 0}], ".0.rewards"),
    ([{**FIRST, "rewards": 1.0}], ".0.rewards"),
    ([{**FIRST, "rewards": [1.0]}], ".0.rewards"),
    ([FIRST, {**FIRST, "sample": 1, "rewards": {"physics": "1"}}], ".1.rewards.physics"),
    ([{**FIRST, "rewards": {"physics": True}}], ".0.rewards.physics"),
    ([{**FIRST, "rewards": {"": 1}}], ".0.rewards."),
    ([{**FIRST, "usage": []}], ".0.usage"),
    ([{**FIRST, "usage": {"tokens": 1}}], ".0.usage.tokens"),
    ([{**FIRST, "usage": {"tokens_total": 1.5}}], ".0.usage.tokens_total"),
    ([{**FIRST, "usage": {"elapsed_ms": -1}}], ".0.usage.elapsed_ms"),
    ([{**FIRST, "usage": {"cost_usd": True}}], ".0.usage.cost_usd"),
    ([{**FIRST, "usage": {"cost_usd": 1e300}}], ".0.usage.cost_usd"),
    ([{**FIRST, "error": 5}], ".0.error"),
    ([{**FIRST, "error": "e" * 1001}], ".0.error"),
]
WRONG_REWARDS: Final[list[tuple[Any, str]]] = [
    ([], ""),
    (None, ""),
    ({"task-1": 1.0}, ".task-1"),
    ({"task-1": {"0": 1.0}}, ".task-1"),
    ({"task-1": [1.0, "1"]}, ".task-1.1"),
    ({"task-1": [True]}, ".task-1.0"),
    ({"task-1": [[1.0]]}, ".task-1.0"),
]


def wrong_fields(body: Any) -> dict[str, list[str]]:
    """The errors of an attempt, by field; empty if it is accepted."""
    try:
        parse_attempt(body)
    except SchemaError as error:
        return error.fields
    return {}


@pytest.mark.parametrize("name", WRONG_FACTS)
def test_a_wrong_fact_is_refused(name: str) -> None:
    for value in WRONG_FACTS[name]:
        fields = wrong_fields({**ME, "metrics": {name: value}})
        assert list(fields) == [f"metrics.{name}"], value


def test_a_wrong_field_is_refused() -> None:
    for body, field in WRONG_FIELDS:
        assert list(wrong_fields(body)) == [field], body


def test_wrong_samples_are_refused() -> None:
    for samples, place in WRONG_SAMPLES:
        fields = wrong_fields({"participant": "atlas", "samples": samples})
        assert list(fields) == [f"samples{place}"], samples
    for rewards, place in WRONG_REWARDS:
        fields = wrong_fields({"participant": "atlas", "task_rewards": rewards})
        assert list(fields) == [f"task_rewards{place}"], rewards


def test_one_kind_of_evidence_is_enough() -> None:
    evidence: list[dict[str, Any]] = [
        {"metrics": {}},
        {"values": {"solved": 9}},
        {"values": {"solved": None}},
        {"task_rewards": {"task-1": [1.0, 0, None], "task-2": []}},
        {"samples": [FIRST]},
        {"samples": [FIRST], "task_rewards": {}, "values": {}},
    ]
    for fields in evidence:
        assert not wrong_fields({"participant": "atlas", **fields}), fields


def test_errors_name_the_task_and_the_sample() -> None:
    wrong = {"task": "apples", "sample": 7, "rewards": {"physics": "much"}}
    fields = wrong_fields({"participant": "atlas", "samples": [FIRST, wrong]})
    (text,) = fields["samples.1.rewards.physics"]
    assert 'task "apples", sample 7' in text


def test_errors_name_up_to_twenty_wrong_samples() -> None:
    samples = [{**FIRST, "sample": "x"}] * 500
    assert len(wrong_fields({"participant": "atlas", "samples": samples})) == 20
