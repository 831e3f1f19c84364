"""Samples of tasks as they are submitted, 100 000 of them at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired, cast

from pydantic import AfterValidator, BeforeValidator, FailFast, Field, SkipValidation, TypeAdapter
from typing_extensions import TypedDict

from leaderboard.rules.rewards.evidence import ONLY_REWARD
from leaderboard.rules.rewards.runs import SampleRun
from leaderboard.rules.rewards.samples import MAX_NAME, MAX_REWARDS, MAX_SAMPLES, Sample
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import STRICT, Accepts, Items
from leaderboard.schemas.errors import SchemaError, WrongPlace, wrong
from leaderboard.schemas.facts import UsageFields
from leaderboard.schemas.runs import SampleRunFields
from leaderboard.schemas.slices import at_most, checked_fields, checked_items, part

MAX_ERROR: Final = 1000

SampleName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
SampleReward = Annotated[float | None, Field(description="Null: it was not scored.")]


class SampleFields(TypedDict):
    """One try at a task; each number of a task once."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    task: SampleName
    sample: Annotated[int, Field(ge=0, le=MAX_SAMPLES - 1)]
    rewards: Annotated[
        Annotated[
            dict[SampleName, SampleReward],
            Field(max_length=MAX_REWARDS),
            BeforeValidator(at_most(MAX_REWARDS)),
            Accepts(message("must be an object of at most {most} numbers", most=MAX_REWARDS)),
        ]
        | None,
        Field(description="By name. Null altogether: the sample failed."),
    ]
    usage: NotRequired[UsageFields | None]
    error: NotRequired[Annotated[str, Field(max_length=MAX_ERROR)] | None]
    run: NotRequired[SampleRunFields | None]


SAMPLES: Final = TypeAdapter(list[SampleFields])
TASK_REWARDS: Final = TypeAdapter(
    dict[SampleName, Annotated[list[SampleReward], FailFast()]], config=STRICT
)


def read_samples(entries: Sequence[Mapping[str, Any]]) -> list[Sample]:
    """The samples of a JSON list, whose names and numbers are still to be compared.

    Raises SchemaError for the first 20 wrong places, with the task and the sample.
    """
    try:
        return [_sample(fields) for some in checked_items(SAMPLES, entries) for fields in some]
    except SchemaError as error:
        raise SchemaError(
            [_of_sample(wrong_place, entries) for wrong_place in error.errors]
        ) from None


def read_task_rewards(
    entries: Mapping[str, Any],
) -> dict[str, Sequence[float | None]]:
    """Rewards by task, one for each sample. Raises SchemaError for the first 20 wrong places."""
    rewards: dict[str, Sequence[float | None]] = {}
    for some in checked_fields(TASK_REWARDS, entries):
        rewards |= some
    count = max(len(rewards), sum(map(len, rewards.values())))
    if count > MAX_SAMPLES:
        raise wrong(
            "",
            message(
                "must hold at most {most} tasks and samples; got {count}",
                most=MAX_SAMPLES,
                count=count,
            ),
        )
    return rewards


SubmittedSamples = Annotated[
    list[Annotated[SampleFields, SkipValidation]],
    Items(MAX_SAMPLES),
    AfterValidator(part(read_samples)),
]
SubmittedTaskRewards = Annotated[
    dict[str, Annotated[list[SampleReward], SkipValidation]],
    AfterValidator(part(read_task_rewards)),
    Field(description=f"Samples of one reward, named `{ONLY_REWARD}`, by task; null: it failed."),
]


def _sample(fields: SampleFields) -> Sample:
    usage = fields.get("usage") or None
    if usage and None in usage.values():
        usage = {name: value for name, value in usage.items() if value is not None}
    return Sample(
        fields["task"],
        fields["sample"],
        fields["rewards"],
        usage,
        fields.get("error") or "",
        cast("SampleRun | None", fields.get("run") or None),
    )


def _of_sample(error: WrongPlace, entries: Sequence[Any]) -> WrongPlace:
    """The error with the task and the sample that it is about."""
    entry = entries[int(error.path.partition(".")[0])]
    if not isinstance(entry, Mapping) or not {"task", "sample"} <= entry.keys():
        return error
    text = message(
        "{error} (task {task}, sample {number})",
        error=error.message,
        task=sent(entry.get("task")),
        number=sent(entry.get("sample")),
    )
    return WrongPlace(error.path, text)
