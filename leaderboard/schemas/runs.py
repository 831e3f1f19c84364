"""How samples and attempts were run, as a submission says it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal, cast

from pydantic import AfterValidator, Field, TypeAdapter
from typing_extensions import TypedDict

from leaderboard.rules.rewards.runs import MAX_CONDITIONS, MAX_TEXT, AttemptRun, SampleRun
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import STRICT
from leaderboard.schemas.errors import checked

EvidenceKind = Literal["trajectory", "log", "diff"]
MOST_TOKENS: Final = 10**15

RunText = Annotated[str, Field(max_length=MAX_TEXT)]
TokenCount = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
ConditionValueField = (
    RunText | bool | int | float | Annotated[list[RunText], Field(max_length=20)] | None
)
ConditionsField = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=MAX_TEXT)], ConditionValueField],
    Field(
        max_length=MAX_CONDITIONS,
        description="Limits, multipliers, overrides and resources by their dotted paths, such as"
        " `timeout_multiplier` or `environment.override_memory_mb`.",
    ),
]


def _with_zone(value: str) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError(
            message(
                "must be a date and time with its offset, like 2026-11-20T08:00:00Z; got {sent}",
                sent=sent(value),
            )
        )
    return moment.isoformat()


MomentText = Annotated[
    str,
    AfterValidator(_with_zone),
    Field(max_length=40, json_schema_extra={"format": "date-time"}),
]


class TokensFields(TypedDict, total=False):
    """Numbers of tokens, as far as they are known."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    input: TokenCount
    output: TokenCount
    cache: TokenCount


class SampleRunFields(TypedDict, total=False):
    """How a sample was run, as the submitter says."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    id: Annotated[RunText, Field(description="Of the trial or sample in the tool that ran it.")]
    task_digest: Annotated[RunText, Field(description="Which version of the task it was.")]
    task_checksum: RunText
    conditions: ConditionsField
    started_at: MomentText
    finished_at: MomentText
    tokens: TokensFields
    trajectory_tokens: TokensFields
    evidence: Annotated[
        list[EvidenceKind], Field(max_length=10, description="What else there is of it.")
    ]
    output_digest: Annotated[RunText, Field(description="A digest of what the model answered.")]


class RunFields(TypedDict, total=False):
    """How an attempt was run, as the submitter says."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    id: RunText
    agent: RunText
    agent_version: RunText
    model: RunText
    provider: RunText
    dataset: RunText
    tool: Annotated[RunText, Field(description="The tool that ran it, such as `harbor`.")]
    tool_version: RunText
    started_at: MomentText
    finished_at: MomentText
    conditions: ConditionsField


RUN: Final = TypeAdapter(RunFields)
SAMPLE_RUN: Final = TypeAdapter(SampleRunFields)


def parse_run(value: object) -> AttemptRun:
    """How an attempt was run. Raises SchemaError."""
    return cast(AttemptRun, checked(RUN, value))


def parse_sample_run(value: object) -> SampleRun:
    """How a sample was run. Raises SchemaError."""
    return cast(SampleRun, checked(SAMPLE_RUN, value))
