"""The fields of a submission, as files of our own formats spell them: facts, usage, samples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from leaderboard.facts import Fact, FactValue, known_facts, usage_facts
from leaderboard.importers.reading.errors import ImportFailed, problem_of
from leaderboard.importers.reading.instance_files import failed
from leaderboard.importers.reading.json_place import MAX_NAME, JsonValue
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import sample
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.moments import EPOCH_MS, LATEST_MS
from leaderboard.rules.texts.names import clean_name
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.errors import SchemaError, joined
from leaderboard.schemas.runs import parse_sample_run

Parsed = TypeVar("Parsed")

MAX_SHOWN: Final = 40
FieldReader = Callable[[JsonValue], FactValue | None]
"""Reads the value of a fact; None if it is absent."""

SAMPLE_FIELDS: Final = ("task", "sample", "rewards", "usage", "error", "run")


def switch(part: JsonValue) -> bool | None:
    """A boolean; None when absent."""
    if part.value is None or isinstance(part.value, bool):
        return part.value
    raise part.fail(message("must be true or false"))


def epoch_ms(part: JsonValue) -> int | None:
    """Milliseconds since 1970, before the year 10 000; None when absent."""
    if type(part.value) is int and not 0 <= part.value <= LATEST_MS:
        raise part.fail(message("{accepted}; got {value}", accepted=EPOCH_MS, value=part.value))
    return part.count()


def moment(part: JsonValue) -> datetime | None:
    """A time that says its zone; None when absent."""
    time = part.moment()
    if part.value is not None and time is None:
        got = str(part.value)[:MAX_SHOWN]
        raise part.fail(
            message("must have a time zone, like 2026-11-20T08:00:00Z; got {got!r}", got=got)
        )
    return time


def participant(part: JsonValue) -> str:
    """The name of a participant, cleaned. Raises ImportFailed, of `participant` if it is absent."""
    if not isinstance(part.value, str):
        refused = part.fail(message("must be a text"))
        refused.field = "participant" if part.value is None else ""
        raise refused
    try:
        return clean_name(part.value)
    except ValueError as error:
        raise part.fail(problem_of(error)) from None


def _reader(fact: Fact) -> FieldReader:
    match fact.kind:
        case "flag":
            return switch
        case "moment":
            return epoch_ms
        case "count" | "number":
            return partial(_number, fact)


def _number(fact: Fact, part: JsonValue) -> float | int | None:
    number = part.number()
    if number is None:
        return None
    if not 0 <= number <= fact.most or (fact.is_whole and number != int(number)):
        raise part.fail(message("must be {accepted}", accepted=fact.accepted))
    return int(number) if fact.is_whole else number


USAGE: Final[Mapping[str, FieldReader]] = {fact.key: _reader(fact) for fact in usage_facts()}
FACTS: Final[Mapping[str, FieldReader]] = {
    key: _reader(fact) for key, fact in known_facts().items()
}


def read_fields(part: JsonValue, readers: Mapping[str, FieldReader]) -> dict[str, FactValue]:
    """The fields of an object that have a value. Raises ImportFailed for one without a reader."""
    values: dict[str, FactValue] = {}
    for name, value in part.fields():
        if name not in readers:
            raise _unknown(name, value, readers)
        if (read := readers[name](value)) is not None:
            values[name] = read
    return values


def numbers(part: JsonValue) -> dict[str, float]:
    """The fields of an object of numbers, without those that are null."""
    read = {name: value.number() for name, value in part.fields()}
    return {name: value for name, value in read.items() if value is not None}


def samples(part: JsonValue) -> list[SampleRow]:
    """The samples of a submission, each (task, sample) once. Raises ImportFailed."""
    rows: dict[tuple[str, int], SampleRow] = {}
    for item in part.items():
        one = _sample(item)
        key = one["task"], one["sample"]
        if key in rows:
            raise item.fail(
                message(
                    "must be another sample of its task; got sample {number} twice", number=key[1]
                )
            )
        rows[key] = one
    return list(rows.values())


def check_fields(part: JsonValue, accepted: Collection[str]) -> None:
    """Raise ImportFailed for a field that is none of the accepted ones."""
    for name, value in part.fields():
        if name not in accepted:
            raise _unknown(name, value, accepted)


def _unknown(name: str, value: JsonValue, accepted: Collection[str]) -> ImportFailed:
    names = ", ".join(accepted)
    text = message("must be one of {accepted}; got {got}", accepted=names, got=sent(name))
    return value.fail(text)


def _sample(part: JsonValue) -> SampleRow:
    check_fields(part, SAMPLE_FIELDS)
    rewards = part["rewards"]
    scored = {name: value.number() for name, value in rewards.fields()}
    one = sample(
        part["task"].name(),
        None if rewards.value is None else scored,
        read_fields(part["usage"], USAGE),
        part["error"].words(),
        parsed(part["run"], parse_sample_run),
    )
    return {**one, "sample": part["sample"].count() or 0}


def parsed(part: JsonValue, parse: Callable[[object], Parsed]) -> Parsed | None:
    """What a schema makes of a value; None if it is absent. Raises ImportFailed."""
    if part.value is None:
        return None
    try:
        return parse(part.value)
    except SchemaError as error:
        raise failed(error, part, joined(*part.path)) from None


def rewards_of_tasks(part: JsonValue) -> list[SampleRow]:
    """`{"task-1": [1.0, null]}` as samples with one reward named `reward`; null failed."""
    return [
        {**sample(task, None if value is None else {"reward": value}), "sample": at}
        for task, rewards in part.fields(MAX_NAME)
        for at, value in enumerate(reward.number() for reward in rewards.items())
    ]
