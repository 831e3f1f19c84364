from __future__ import annotations

from typing import Annotated, Any, Final

import pydantic
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema_field
from rest_framework import serializers

from leaderboard.api.stored_fields import SerializerField, StoredField
from leaderboard.models import Challenge
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.challenges import CHALLENGE_CHANGE, PLAIN_FIELDS, NewChallenge
from leaderboard.schemas.openapi import JsonShape, openapi_shape
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.competition.schedule.change_phases import phase_as_json

BENCHMARK_EXAMPLE = {
    "name": "Exams",
    "scoring_strategy": "metric",
    "metrics": ["pass_rate", "pass@1", {"type": "mean", "name": "physics", "reward": "physics"}],
    "tasks": [{"name": "task-1", "rewards": ["physics", "reward"]}, {"name": "task-2"}],
    "rewards": [{"name": "physics", "min": 0, "max": 100}, {"name": "reward", "min": 0, "max": 1}],
    "num_samples": 3,
    "min_coverage": 0.9,
    "unknown_tasks": "refuse",
    "rank_by": [
        {"key": "physics", "direction": "desc"},
        {"key": "cost_per_task", "direction": "asc"},
    ],
    "columns": [{"key": "physics", "label": "Physics", "unit": "%", "decimals": 1}],
}
TRANSLATION_EXAMPLE = {
    "name": "Translation",
    "scoring_strategy": "metric",
    "text_metrics": [
        "CHRF",
        {"id": "BLEU_NLTK", "name": "bleu", "parameters": {"smoothing_function": "method1"}},
    ],
    "references_visibility": "organiser",
    "rank_by": [{"key": "CHRF"}, {"key": "bleu:corpus_bleu"}],
}
EXAMPLE = {
    "slug": "prompt-escape",
    "name": "Prompt escape",
    "summary": "Get out of the room in as few tokens as you can.",
    "description": "Markdown",
    "goal": "The door is open.",
    "app_id": "app-1",
    "workflow_id": "wf-1",
    "visibility": "public",
    "is_active": True,
    "scoring_strategy": "custom",
    "scoring_plugin_id": "builtin.weighted_scorer",
    "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    "scoring_config": {
        "success_bonus": 100.0,
        "rating_weight": 15.0,
        "time_penalty": 0.5,
        "token_penalty": 0.02,
    },
    "timeout_ms": 5000,
    "columns": [{"key": "score", "label": "Points", "decimals": 1}],
    "counting": "best",
    "details_visibility": "auto",
}


SHOWN: Final[dict[str, JsonShape]] = openapi_shape(CHALLENGE_CHANGE)["properties"]
SHOWN["scoring_config"] |= {
    "nullable": True,
    "description": "Secrets are masked. Null for whoever `config_visibility` hides it from.",
}


PUBLIC_PARTS: Final = ("kind", "values")
"""The parts of a program that everybody may see."""


class ChallengeSerializer(serializers.Serializer[Any]):
    """A challenge, and how new attempts at it are scored."""

    tenant = serializers.CharField(source="tenant.slug")
    phases = serializers.SerializerMethodField()
    instances = serializers.IntegerField(
        source="newest.references.instance_count",
        default=None,
        allow_null=True,
        help_text="How many instances the challenge holds with what is expected; null: none.",
    )
    code = serializers.CharField(
        source="newest.code",
        help_text="The hash of the source of its plugins when this version was made; empty: none.",
    )
    scoring_version = serializers.IntegerField(
        source="newest.number", help_text="The version that new attempts are scored under."
    )
    shown_version = serializers.IntegerField(
        source="shown.number", help_text="The version that the board shows, until a rescore."
    )
    warnings = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    url = serializers.SerializerMethodField()
    html_url = serializers.CharField(source="get_absolute_url")

    def get_fields(self) -> dict[str, SerializerField]:
        """The fields of the schema, and the read-only ones."""
        return {
            **{name: StoredField(shape=SHOWN[name]) for name in PLAIN_FIELDS},
            **{
                name: StoredField(shape=SHOWN[name], source=f"newest.{row}")
                for name, row in SCORING_ROWS.items()
            },
            **super().get_fields(),
        }

    @extend_schema_field(SHOWN["phases"])
    def get_phases(self, challenge: Challenge) -> list[JsonObject]:
        return [phase_as_json(phase) for phase in challenge.phases.all()]

    @extend_schema_field({"type": "array", "items": {"type": "string"}})
    def get_warnings(self, challenge: Challenge) -> list[str]:
        """What may be a mistake: a direction that is the opposite of the value's own."""
        return direction_warnings(challenge.newest, challenge.columns)

    def get_url(self, challenge: Challenge) -> str:
        return reverse("api:challenge", args=[challenge.slug])

    def to_representation(self, instance: Challenge) -> FrameworkDict:
        """`sees_config` in the context: whether the reader may see all of it."""
        fields: FrameworkDict = super().to_representation(instance)
        return fields if self.context.get("sees_config") else without_settings(instance, fields)


def without_settings(challenge: Challenge, fields: FrameworkDict) -> FrameworkDict:
    """A challenge for readers who may not see settings: with metrics, without their settings.

    Nor do they see the digests of a program's files: a short truth could be guessed from its own;
    nor the seed that selects public rows of a truth.
    """
    if fields["split"] is not None and challenge.newest.prediction_metrics:
        # Whoever knows the seed can compute which rows are public.
        split = {name: value for name, value in fields["split"].items() if name != "seed"}
        fields = {**fields, "split": split}
    if fields["program"] is not None:
        program = {name: fields["program"].get(name) for name in PUBLIC_PARTS}
        fields = {**fields, "program": program}
    if challenge.config_visibility == Challenge.ConfigVisibility.PUBLIC:
        return fields
    return {
        **fields,
        "scoring_config": None,
        "metrics": [_without(entry, "kwargs") for entry in fields["metrics"]],
        "text_metrics": [_without(entry, "parameters") for entry in fields["text_metrics"]],
        "prediction_metrics": [
            _without(entry, "parameters") for entry in fields["prediction_metrics"]
        ],
    }


def _without(entry: Any, name: str) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if key != name}


class NewChallengeBody(NewChallenge):
    """A new challenge."""

    tenant: Annotated[
        str, pydantic.Field(max_length=60, description="Needed only by organisers of several.")
    ] = ""


NEW_BODY: Final = pydantic.TypeAdapter(NewChallengeBody)
NEW_EXAMPLES: Final = [
    OpenApiExample("weighted", EXAMPLE, request_only=True),
    OpenApiExample("benchmark", BENCHMARK_EXAMPLE, request_only=True),
    OpenApiExample("translation", TRANSLATION_EXAMPLE, request_only=True),
]


class RescoreSerializer(serializers.Serializer[Any]):
    """A rescore that has begun."""

    scoring_version = serializers.IntegerField(help_text="The version that it scores under.")
    attempts = serializers.IntegerField(help_text="How many attempts it scores.")
