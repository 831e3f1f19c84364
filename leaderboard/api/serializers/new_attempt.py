"""The body of a submitted attempt, for the OpenAPI schema."""

from __future__ import annotations

from typing import Annotated, ClassVar

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from leaderboard.api.bulk_parsers import MAX_LINES
from leaderboard.api.openapi import JsonBody
from leaderboard.api.serializers.facts import METRICS_EXAMPLE
from leaderboard.schemas.attempts import ATTEMPT, AttemptFields
from leaderboard.schemas.base import STRICT

EVIDENCE_NEEDED = {
    "anyOf": [
        *({"required": [name]} for name in ("metrics", "values", "evaluation", "outputs")),
        {"required": ["task_rewards"], "properties": {"task_rewards": {"minProperties": 1}}},
        {"required": ["samples"], "properties": {"samples": {"minItems": 1}}},
    ]
}
"""Evidence of some kind, as `schemas.attempts` requires it."""
VALUES_EXAMPLE = {"participant": "atlas", "values": {"solved": 9, "penalty_minutes": 995}}
TASK_REWARDS_EXAMPLE = {
    "participant": "atlas",
    "task_rewards": {"task-1": [1.0, 0.0, None], "task-2": [1.0]},
}
SAMPLES_EXAMPLE = {
    "participant": "atlas",
    "samples": [
        {
            "task": "task-1",
            "sample": 0,
            "rewards": {"physics_reward": 65},
            "usage": {"tokens_total": 900, "elapsed_ms": 4000, "cost_usd": 0.01},
        },
        {"task": "task-2", "sample": 0, "rewards": None, "error": "container died"},
    ],
}
EVALUATION_EXAMPLE = {
    "participant": "atlas",
    "evaluation": {
        "instances": [
            {
                "id": "1",
                "input": "Bom dia",
                "actual-output": "good morning",
                "expected-output": ["good morning", "hello"],
            }
        ],
        "metrics": [{"id": "bleu_nltk", "enable": True, "parameters": {"auto_reweigh": True}}],
    },
}
OUTPUTS_EXAMPLE = {"participant": "atlas", "outputs": {"1": "good morning", "2": None}}


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "metrics", {"participant": "atlas", "metrics": METRICS_EXAMPLE}, request_only=True
        ),
        OpenApiExample("samples", SAMPLES_EXAMPLE, request_only=True),
        OpenApiExample("evaluation", EVALUATION_EXAMPLE, request_only=True),
        OpenApiExample("outputs", OUTPUTS_EXAMPLE, request_only=True),
        OpenApiExample("task_rewards", TASK_REWARDS_EXAMPLE, request_only=True),
        OpenApiExample("values", VALUES_EXAMPLE, request_only=True),
    ]
)
class NewAttemptBody(JsonBody):
    """An attempt as it is submitted, with one or more kinds of evidence."""

    schema = ATTEMPT
    also_in_schema = EVIDENCE_NEEDED


class _Many(TypedDict):
    """Many attempts in one body."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    attempts: Annotated[list[AttemptFields], Field(max_length=MAX_LINES)]


class ManyBody(JsonBody):
    """Many attempts in one body. For the schema: the server reads each attempt by itself."""

    schema: ClassVar[TypeAdapter[_Many]] = TypeAdapter(_Many)
