"""Samples as they are submitted, 100 000 of them at most.

Checked by hand: a serializer for each sample would take longer than scoring them. Errors say
where (`samples.17.rewards.physics`) and of which task and sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from leaderboard.facts import usage_facts
from leaderboard.rules.rewards import ONLY_REWARD, Sample

MAX_SAMPLES: Final = 100_000
MAX_NAME: Final = 255
MAX_ERROR: Final = 1000
MAX_ERRORS: Final = 20
"""Wrong samples that one answer names."""

FIELDS: Final = ("task", "sample", "rewards", "usage", "error")
USAGE: Final = {fact.key: fact for fact in usage_facts()}

NAME = {"type": "string", "minLength": 1, "maxLength": MAX_NAME}
REWARD = {"type": "number", "nullable": True}
USAGE_SHAPE = {
    "type": "object",
    "nullable": True,
    "properties": {
        key: {
            "type": "integer" if fact.is_whole else "number",
            "minimum": 0,
            "maximum": fact.most,
            "nullable": True,
        }
        for key, fact in USAGE.items()
    },
    "additionalProperties": False,
    "description": "What the sample took, as far as it is known.",
}
REWARDS_SHAPE = {
    "type": "object",
    "nullable": True,
    "additionalProperties": REWARD,
    "description": "By name; null for one that was not scored. Null altogether: the sample failed.",
}

Errors = dict[str, Any]


class Wrong(Exception):
    """What is wrong with one sample: messages by field, or one for the whole of it."""

    def __init__(self, detail: Errors | list[str]) -> None:
        super().__init__(detail)
        self.detail = detail


@extend_schema_field(
    {
        "type": "array",
        "maxItems": MAX_SAMPLES,
        "items": {
            "type": "object",
            "required": ["task", "sample", "rewards"],
            "properties": {
                "task": NAME,
                "sample": {"type": "integer", "minimum": 0, "maximum": MAX_SAMPLES - 1},
                "rewards": REWARDS_SHAPE,
                "usage": USAGE_SHAPE,
                "error": {"type": "string", "maxLength": MAX_ERROR, "nullable": True},
            },
            "additionalProperties": False,
        },
    }
)
class SamplesField(serializers.Field[Any, Any, Any, Any]):
    """A list of samples; each number of a task once."""

    default_error_messages = {
        "invalid": "must be a list of samples",
        "many": f"has more than {MAX_SAMPLES} samples",
    }

    def to_internal_value(self, data: Any) -> list[Sample]:
        if not isinstance(data, list):
            self.fail("invalid")
        if len(data) > MAX_SAMPLES:
            self.fail("many")
        return _collected(enumerate(data))

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "array", "items": REWARD},
        "description": f"Samples of one reward, named `{ONLY_REWARD}`, by task; null: it failed.",
    }
)
class TaskRewardsField(serializers.Field[Any, Any, Any, Any]):
    """Rewards by task, one for each sample: `{"task-1": [1.0, null], "task-2": []}`."""

    default_error_messages = {
        "invalid": "must be an object: a list of rewards for each task",
        "many": f"has more than {MAX_SAMPLES} samples",
    }

    def to_internal_value(self, data: Any) -> dict[str, list[float | None]]:
        if not isinstance(data, dict):
            self.fail("invalid")
        errors = {
            task[:MAX_NAME]: wrong for task in data if (wrong := _wrong_task(task, data[task]))
        }
        if errors:
            raise ValidationError(dict(islice(errors.items(), MAX_ERRORS)))
        if len(data) > MAX_SAMPLES or sum(map(len, data.values())) > MAX_SAMPLES:
            self.fail("many")
        return {task: [_as_float(value) for value in data[task]] for task in data}

    def to_representation(self, value: Any) -> Any:
        return value


def _collected(entries: Iterator[tuple[int, Any]]) -> list[Sample]:
    found: list[Sample] = []
    seen: set[tuple[str, int]] = set()
    errors: Errors = {}
    for at, entry in entries:
        try:
            sample = _sample(entry)
            if sample[:2] in seen:
                raise Wrong({"sample": [f"stands twice: {_which(entry)}"]})
        except Wrong as wrong:
            errors[str(at)] = wrong.detail
            if len(errors) == MAX_ERRORS:
                break
            continue
        seen.add(sample[:2])
        found.append(sample)
    if errors:
        raise ValidationError(errors)
    return found


def _sample(entry: Any) -> Sample:
    if not isinstance(entry, dict):
        raise Wrong(["must be an object"])
    errors = dict(_wrong_fields(entry))
    if errors:
        raise Wrong(errors)
    rewards, usage = entry["rewards"], entry.get("usage")
    return Sample(
        entry["task"],
        entry["sample"],
        None if rewards is None else {name: _as_float(rewards[name]) for name in rewards},
        {name: usage[name] for name in usage if usage[name] is not None} if usage else None,
        entry.get("error") or "",
    )


def _wrong_fields(entry: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in entry:
        if name not in FIELDS:
            yield name[:MAX_NAME], [f"unknown field; known: {', '.join(FIELDS)}"]
    if wrong := _wrong_name(entry.get("task")):
        yield "task", [wrong]
    number = entry.get("sample")
    if type(number) is not int or not 0 <= number < MAX_SAMPLES:
        yield "sample", [f"must be a whole number from 0 to {MAX_SAMPLES - 1}{_of(entry)}"]
    if wrongs := _wrong_rewards(entry):
        yield "rewards", wrongs
    if wrongs := _wrong_usage(entry):
        yield "usage", wrongs
    error = entry.get("error")
    if error is not None and not (isinstance(error, str) and len(error) <= MAX_ERROR):
        yield "error", [f"must be a text of at most {MAX_ERROR} characters{_of(entry)}"]


def _wrong_rewards(entry: Mapping[str, Any]) -> Errors | list[str]:
    if "rewards" not in entry:
        return [f"is required; null says that the sample failed{_of(entry)}"]
    rewards = entry["rewards"]
    if rewards is None:
        return []
    if not isinstance(rewards, dict):
        return [f"must be an object of numbers, or null for a sample that failed{_of(entry)}"]
    errors: Errors = {}
    for name, value in rewards.items():
        if wrong := _wrong_name(name):
            errors[name[:MAX_NAME]] = [f"the name {wrong}{_of(entry)}"]
        elif not _is_number(value) and value is not None:
            errors[name] = [f"must be a number, or null where it was not scored{_of(entry)}"]
    return errors


def _wrong_usage(entry: Mapping[str, Any]) -> Errors | list[str]:
    usage = entry.get("usage")
    if usage is None:
        return []
    if not isinstance(usage, dict):
        return [f"must be an object{_of(entry)}"]
    errors: Errors = {}
    for name, value in usage.items():
        if wrong := _wrong_amount(name, value):
            errors[name[:MAX_NAME]] = [f"{wrong}{_of(entry)}"]
    return errors


def _wrong_amount(name: str, value: Any) -> str:
    fact = USAGE.get(name)
    if fact is None:
        return f"unknown field; known: {', '.join(USAGE)}"
    if value is None:
        return ""
    right = type(value) is int or (type(value) is float and not fact.is_whole)
    return "" if right and 0 <= value <= fact.most else f"must be {fact.accepted}"


def _wrong_task(task: str, rewards: Any) -> Errors | list[str]:
    if wrong := _wrong_name(task):
        return [f"the name {wrong}"]
    if not isinstance(rewards, list):
        return ["must be a list of rewards, one for each sample"]
    said = f"must be a number, or null for a sample that failed (task {task!r})"
    for number, value in enumerate(rewards):
        if value is not None and not _is_number(value):
            return {str(number): [said]}
    return []


def _wrong_name(name: Any) -> str:
    """Why a text is no name of a task or reward, "" if it is one."""
    if isinstance(name, str) and 1 <= len(name) <= MAX_NAME and name.isprintable():
        return ""
    return f"must be a text of 1 to {MAX_NAME} printable characters"


def _is_number(value: Any) -> bool:
    return type(value) is float or type(value) is int


def _as_float(value: Any) -> float | None:
    return None if value is None else float(value)


def _of(entry: Mapping[str, Any]) -> str:
    return f" ({_which(entry)})"


def _which(entry: Mapping[str, Any]) -> str:
    return f"task {str(entry.get('task'))[:MAX_NAME]!r}, sample {str(entry.get('sample'))[:20]}"
