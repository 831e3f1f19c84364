"""The values of metrics."""

from __future__ import annotations

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.rewards.cells import margin
from leaderboard.rules.rewards.evidence import RewardState
from leaderboard.rules.rewards.intervals import IntervalReason
from leaderboard.rules.rewards.reductions import Level, NotRanked

STATES = get_args(RewardState)
INTERVAL_REASONS = get_args(IntervalReason)
LEVELS = get_args(Level)
NOT_RANKED = get_args(NotRanked)
LEVEL_HELP = "`computed` here from evidence, or `reported` by the participant."
REPORTED_HELP = "What the participant states, beside a computed value."
NOT_RANKED_HELP = "Why the value does not rank, if so."
FEW_SAMPLES_HELP = (
    "Only of a value that is undefined for this reason: the most samples of a task, and how many"
    " the metric needs."
)
METRIC_EXAMPLE = {
    "value": 66.2,
    "defined": 10,
    "total": 12,
    "failed": 0,
    "standard_error": 3.4,
    "interval": [58.5, 73.9],
    "margin": 7.7,
    "method": "t",
    "n": 10,
    "seed": None,
    "interval_reason": None,
    "reason": None,
    "error": None,
    "level": "computed",
    "reported": None,
    "not_ranked": None,
}


class MetricErrorSerializer(serializers.Serializer[Any]):
    """Why a metric has no value, if it is none of the three reasons."""

    code = serializers.CharField()
    message = serializers.CharField()


class JudgedMeanSerializer(serializers.Serializer[Any]):
    """What people's labels say of a value that is a judge's."""

    mean = serializers.FloatField(
        allow_null=True, help_text="The corrected value; null: the value is the judge's alone."
    )
    standard_error = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="95 %: from, to."
    )
    labels = serializers.IntegerField(min_value=0, help_text="Samples whose label counts.")
    drawn = serializers.IntegerField(min_value=0, help_text="Samples that are to get one.")
    labellers = serializers.IntegerField(min_value=0, help_text="How many people gave them.")
    alpha = serializers.FloatField(
        allow_null=True, help_text="Krippendorff's alpha of people who labelled the same samples."
    )
    agreement = serializers.FloatField(
        allow_null=True, help_text="Krippendorff's alpha of the judge with the mean of people."
    )


class MetricValueSerializer(serializers.Serializer[Any]):
    """A metric of an attempt: its value, its coverage and its certainty."""

    value = serializers.FloatField(allow_null=True)
    defined = serializers.IntegerField(
        min_value=0, help_text="Tasks, or instances, that the value is over."
    )
    total = serializers.IntegerField(min_value=0, help_text="All of them.")
    failed = serializers.IntegerField(
        min_value=0, help_text="Samples, or outputs, that should have come and did not."
    )
    standard_error = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="95 %: from, to."
    )
    margin = serializers.FloatField(
        allow_null=True, help_text="Half of the interval, which pages show behind ±."
    )
    interval_reason = serializers.ChoiceField(
        choices=INTERVAL_REASONS,
        allow_null=True,
        help_text="Why a value has no interval; also null for values that were computed earlier.",
    )
    method = serializers.CharField(
        help_text="Of the interval: t, wilson or bootstrap; empty for none."
    )
    n = serializers.IntegerField(help_text="How many tasks, or instances, are behind it.")
    seed = serializers.IntegerField(allow_null=True, help_text="Of a bootstrap.")
    reason = serializers.ChoiceField(
        choices=STATES, allow_null=True, help_text="Why there is no value."
    )
    error = MetricErrorSerializer(allow_null=True)
    level = serializers.ChoiceField(choices=LEVELS, help_text=LEVEL_HELP)
    reported = serializers.FloatField(allow_null=True, help_text=REPORTED_HELP)
    not_ranked = serializers.ChoiceField(
        choices=NOT_RANKED, allow_null=True, help_text=NOT_RANKED_HELP
    )
    clusters = serializers.IntegerField(
        min_value=1,
        required=False,
        help_text="Of how many clusters of tasks the error and the interval are; absent: of tasks.",
    )
    few_samples = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, help_text=FEW_SAMPLES_HELP
    )
    judged = JudgedMeanSerializer(
        required=False, help_text="Only of a mean of a reward that is marked as judged."
    )


@extend_schema_field(serializers.DictField(child=MetricValueSerializer()))
class MetricValues(serializers.Field[Any, Any, Any, Any]):
    """Stored metric values, completed by defaults and margins."""

    def to_representation(self, value: Any) -> Any:
        return {key: _complete(entry) for key, entry in value.items()}


USUAL = {"interval_reason": None, "level": "computed", "reported": None, "not_ranked": None}
"""The defaults of a metric value: most are computed and rank."""


def _complete(value: FrameworkDict) -> FrameworkDict:
    interval = value["interval"]
    return {**USUAL, **value, "margin": margin(interval) if interval else None}
