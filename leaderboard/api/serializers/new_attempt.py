"""An attempt as it is submitted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from leaderboard.api.documents import EvaluationField, OutputsField
from leaderboard.api.fields import (
    Choice,
    FlatTexts,
    Moment,
    Numbers,
    StrictSerializer,
    Text,
)
from leaderboard.api.samples import SamplesField, TaskRewardsField
from leaderboard.api.serializers.facts import METRICS_EXAMPLE, MetricsSerializer
from leaderboard.models import Participant
from leaderboard.services.attempts.submit import NewAttempt

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
CLOCK_SKEW = timedelta(minutes=5)
LONGEST_NOTE = 4000

EVIDENCE = ("metrics", "values", "task_rewards", "samples", "evaluation", "outputs")
EVIDENCE_NEEDED = {
    "anyOf": [
        *({"required": [name]} for name in ("metrics", "values", "evaluation", "outputs")),
        {"required": ["task_rewards"], "properties": {"task_rewards": {"minProperties": 1}}},
        {"required": ["samples"], "properties": {"samples": {"minItems": 1}}},
    ]
}
"""`says_something`, as the schema says it."""
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
class NewAttemptSerializer(StrictSerializer):
    """An attempt as it is submitted, with one or more kinds of evidence.

    `to_new_attempt` makes the service's of it.
    """

    also_in_schema = EVIDENCE_NEEDED

    participant = Text(
        help_text="Who attempts it: 1 to 120 characters; created on first use, and then yours."
    )
    metrics = MetricsSerializer(required=False)
    values = Numbers(required=False, help_text="Numbers that are shown as reported.")
    task_rewards = TaskRewardsField(required=False)
    samples = SamplesField(required=False)
    evaluation = EvaluationField(required=False)
    outputs = OutputsField(required=False)
    name = Text(
        max_length=120, required=False, allow_blank=True, help_text="Shown for the participant."
    )
    kind = Choice(choices=Participant.Kind.choices, required=False)
    submitted_at = Moment(required=False, help_text="For organisers, who may bring history.")
    meta = FlatTexts(required=False)
    note = Text(max_length=LONGEST_NOTE, required=False, allow_blank=True)

    def validate_submitted_at(self, moment: datetime) -> datetime:
        if not was_possible(moment):
            raise ValidationError(f"must lie between 1970 and now; got {moment.isoformat()}")
        return moment

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not says_something(attrs):
            raise ValidationError({"metrics": [f"one of {', '.join(EVIDENCE)} is needed"]})
        return attrs


class ManySerializer(StrictSerializer):
    """Many attempts in one body. For the schema: the server reads each attempt by itself."""

    attempts = serializers.ListField(child=NewAttemptSerializer(), max_length=10_000)


def was_possible(moment: datetime | None) -> bool:
    """Whether an attempt may have been submitted then; None is now."""
    return moment is None or EARLIEST <= moment <= timezone.now() + CLOCK_SKEW


def says_something(checked: Mapping[str, Any]) -> bool:
    """Whether an attempt brings evidence of any kind."""
    said = any(name in checked for name in ("metrics", "values", "evaluation", "outputs"))
    return said or bool(checked.get("task_rewards") or checked.get("samples"))


def to_new_attempt(checked: Mapping[str, Any]) -> NewAttempt:
    """What a checked body asks for."""
    return NewAttempt(**checked)
