from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import (
    OpenApiExample,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from leaderboard.api.fields import (
    Choice,
    Flag,
    PlainList,
    PlainObject,
    Share,
    StrictSerializer,
    Text,
    TextLine,
    WholeNumber,
)
from leaderboard.api.samples import MAX_SAMPLES
from leaderboard.api.scoring_lists import (
    MetricList,
    NameList,
    RewardList,
    TaskList,
    TextMetricList,
)
from leaderboard.models import Challenge, ScoringConfig
from leaderboard.rules.entrypoints import MAX_LENGTH, PATTERN
from leaderboard.rules.sortkey import PRECISION
from leaderboard.services.challenges.scoring_configs import MAX_TIMEOUT_MS
from leaderboard.services.challenges.slugs import LONGEST, SLUG_PATTERN
from leaderboard.services.evaluation.text_fields import MAX_TIMEOUT_MS as MAX_TEXT_TIMEOUT_MS
from leaderboard.strategies import strategy_choices

LONG = 50_000

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


@extend_schema_field({"type": "string", "maxLength": LONGEST, "pattern": SLUG_PATTERN})
class Slug(Text):
    """The name of a challenge in addresses; checked by the verb that it goes to."""


@extend_schema_field({"type": "string", "maxLength": MAX_LENGTH, "pattern": f"^({PATTERN})?$"})
class Entrypoint(Text):
    """`package.module:Class`; checked by the verb that it goes to."""


class RankKeySerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    direction = serializers.ChoiceField(choices=["asc", "desc"])
    decimals = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=PRECISION,
        help_text="To how many decimals values are compared; 9 if it is absent.",
    )


class ChallengeSerializer(serializers.Serializer[Any]):
    """A challenge, and how new attempts at it are scored."""

    slug = serializers.CharField()
    name = serializers.CharField()
    summary = serializers.CharField()
    description = serializers.CharField(help_text="Markdown.")
    goal = serializers.CharField(help_text="What counts as success. Markdown.")
    tenant = serializers.CharField(source="tenant.slug")
    app_id = serializers.CharField()
    workflow_id = serializers.CharField()
    visibility = serializers.ChoiceField(choices=Challenge.Visibility.choices)
    is_active = serializers.BooleanField(help_text="Whether attempts are accepted.")
    scoring_strategy = serializers.ChoiceField(choices=strategy_choices(), source="newest.strategy")
    scoring_plugin_id = serializers.CharField(source="newest.plugin_id")
    scoring_entrypoint = serializers.CharField(source="newest.entrypoint")
    scoring_config = PlainObject(
        source="newest.config",
        allow_null=True,
        help_text="Secrets are masked. Null for whoever `config_visibility` hides it from.",
    )
    timeout_ms = serializers.IntegerField(source="newest.timeout_ms")
    metrics = MetricList(source="newest.metrics")
    tasks = TaskList(source="newest.tasks")
    rewards = RewardList(
        source="newest.rewards", help_text="The lowest and the highest value of rewards."
    )
    num_samples = serializers.IntegerField(
        source="newest.num_samples", allow_null=True, help_text="Samples of a task that count."
    )
    min_coverage = serializers.FloatField(
        source="newest.min_coverage",
        allow_null=True,
        help_text="The share of the tasks that a ranked attempt covers.",
    )
    unknown_tasks = serializers.ChoiceField(
        choices=ScoringConfig.UnknownTasks.choices,
        source="newest.unknown_tasks",
        help_text="What becomes of samples of tasks that are not declared.",
    )
    text_metrics = TextMetricList(
        source="newest.text_metrics", help_text="What is made of outputs of models."
    )
    text_timeout_ms = serializers.IntegerField(
        source="newest.text_timeout_ms", help_text="What a text metric may take for all instances."
    )
    instances = serializers.IntegerField(
        source="newest.references.instance_count",
        default=None,
        allow_null=True,
        help_text="How many instances the challenge holds with what is expected; null: none.",
    )
    references_visibility = serializers.ChoiceField(
        choices=Challenge.ReferencesVisibility.choices,
        help_text="Who sees what is expected, where the challenge holds it.",
    )
    rank_by = RankKeySerializer(
        source="newest.rank_by",
        many=True,
        help_text="Under strategy `metric`; under others at most their own key, with decimals.",
    )
    only_succeeded = serializers.BooleanField(source="newest.only_succeeded")
    config_visibility = serializers.ChoiceField(
        choices=Challenge.ConfigVisibility.choices,
        help_text="Who sees the settings of the scorer and of metrics, and the text of scripts.",
    )
    on_code_change = serializers.ChoiceField(
        choices=Challenge.OnCodeChange.choices,
        help_text="What happens when the source of the scorer, or of a metric, has changed.",
    )
    code = serializers.CharField(
        source="newest.code",
        help_text="The hash of the source of its plugins when this version was made; empty: none.",
    )
    columns = PlainList()
    values = NameList(help_text="Names of values that participants report.")
    counting = serializers.ChoiceField(
        choices=ScoringConfig.Counting.choices, source="newest.counting"
    )
    details_visibility = serializers.ChoiceField(choices=Challenge.DetailsVisibility.choices)
    scoring_version = serializers.IntegerField(
        source="newest.number", help_text="The version that new attempts are scored under."
    )
    shown_version = serializers.IntegerField(
        source="shown.number", help_text="The version that the board shows, until a rescore."
    )
    created_at = serializers.DateTimeField()
    url = serializers.SerializerMethodField()
    html_url = serializers.CharField(source="get_absolute_url")

    def get_url(self, challenge: Challenge) -> str:
        return reverse("api:challenge", args=[challenge.slug])

    def to_representation(self, instance: Challenge) -> dict[str, Any]:
        """`sees_config` in the context: whether the reader may see all of it."""
        shown: dict[str, Any] = super().to_representation(instance)
        return shown if self.context.get("sees_config") else without_settings(instance, shown)


def without_settings(challenge: Challenge, shown: dict[str, Any]) -> dict[str, Any]:
    """What those see from whom the settings are hidden: which metrics, not how they are set."""
    if challenge.config_visibility == Challenge.ConfigVisibility.PUBLIC:
        return shown
    return {
        **shown,
        "scoring_config": None,
        "metrics": [_without(entry, "kwargs") for entry in shown["metrics"]],
        "text_metrics": [_without(entry, "parameters") for entry in shown["text_metrics"]],
    }


def _without(entry: Any, name: str) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: each for key, each in entry.items() if key != name}


class ChallengeChangeSerializer(StrictSerializer):
    """What may be changed of a challenge.

    A change of how attempts are scored makes a new scoring version.
    """

    slug = Slug(max_length=80, help_text="Made from the name if it is absent.", required=False)
    name = TextLine(max_length=120)
    summary = TextLine(max_length=300, required=False, allow_blank=True)
    description = Text(max_length=LONG, required=False, allow_blank=True)
    goal = Text(max_length=LONG, required=False, allow_blank=True)
    app_id = Text(max_length=120, required=False, allow_blank=True)
    workflow_id = Text(max_length=120, required=False, allow_blank=True)
    visibility = Choice(choices=Challenge.Visibility.choices, required=False)
    is_active = Flag(required=False)
    scoring_strategy = Choice(choices=strategy_choices())
    scoring_plugin_id = Text(max_length=120, required=False, allow_blank=True)
    scoring_entrypoint = Entrypoint(max_length=255, required=False, allow_blank=True)
    scoring_config = PlainObject(required=False)
    timeout_ms = WholeNumber(min_value=1, max_value=MAX_TIMEOUT_MS, required=False)
    metrics = MetricList(required=False)
    tasks = TaskList(required=False)
    rewards = RewardList(required=False)
    num_samples = WholeNumber(min_value=1, max_value=MAX_SAMPLES, required=False, allow_null=True)
    min_coverage = Share(required=False, allow_null=True)
    unknown_tasks = Choice(choices=ScoringConfig.UnknownTasks.choices, required=False)
    text_metrics = TextMetricList(required=False)
    text_timeout_ms = WholeNumber(min_value=1, max_value=MAX_TEXT_TIMEOUT_MS, required=False)
    references_visibility = Choice(choices=Challenge.ReferencesVisibility.choices, required=False)
    config_visibility = Choice(choices=Challenge.ConfigVisibility.choices, required=False)
    on_code_change = Choice(choices=Challenge.OnCodeChange.choices, required=False)
    rank_by = PlainList(required=False)
    only_succeeded = Flag(required=False)
    columns = PlainList(required=False)
    values = NameList(required=False, help_text="Names of values that participants report.")
    counting = Choice(choices=ScoringConfig.Counting.choices, required=False)
    details_visibility = Choice(choices=Challenge.DetailsVisibility.choices, required=False)


@extend_schema_serializer(
    examples=[
        OpenApiExample("weighted", EXAMPLE, request_only=True),
        OpenApiExample("benchmark", BENCHMARK_EXAMPLE, request_only=True),
        OpenApiExample("translation", TRANSLATION_EXAMPLE, request_only=True),
    ],
)
class NewChallengeSerializer(ChallengeChangeSerializer):
    """A new challenge."""

    tenant = Text(max_length=60, required=False, help_text="Needed only by organisers of several.")


class RescoreSerializer(serializers.Serializer[Any]):
    """A rescore that has begun."""

    scoring_version = serializers.IntegerField(help_text="The version that it scores under.")
    attempts = serializers.IntegerField(help_text="How many attempts it scores.")
