from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.rules.statistics.gates import REQUIREMENTS


class IntervalField(serializers.ListField):
    """A 95 % interval: its lower and its upper end."""

    child = serializers.FloatField()

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=2, max_length=2, allow_null=True, **options)


class CompareQuery(serializers.Serializer[Any]):
    """What is compared."""

    first = serializers.UUIDField(help_text="The id of an attempt.")
    second = serializers.UUIDField(help_text="The id of the attempt to compare it with.")


class DifferingTaskSerializer(serializers.Serializer[Any]):
    """A task on which the values differ."""

    task = serializers.CharField()
    first = serializers.FloatField(help_text="The value of the first attempt.")
    second = serializers.FloatField(help_text="The value of the second attempt.")


class ComparedMetricSerializer(serializers.Serializer[Any]):
    """A metric of two attempts, over the tasks that both have."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(allow_blank=True)
    direction = serializers.ChoiceField(choices=("asc", "desc"))
    first = serializers.FloatField(allow_null=True, help_text="The value of the first attempt.")
    second = serializers.FloatField(allow_null=True, help_text="The value of the second attempt.")
    shared = serializers.IntegerField(help_text="How many tasks both have.")
    difference = serializers.FloatField(
        allow_null=True, help_text="The first value minus the second; null without shared tasks."
    )
    standard_error = serializers.FloatField(
        allow_null=True, help_text="Of the difference; null below two shared tasks."
    )
    interval = IntervalField(
        help_text="The 95 % interval of the difference; null below 8 tasks or without spread."
    )
    p = serializers.FloatField(
        allow_null=True,
        help_text="Two-sided, corrected for all metrics (Holm); null below 8 shared tasks.",
    )
    test = serializers.ChoiceField(
        choices=("mcnemar", "t", "sign"), allow_null=True, help_text="The test of `p`."
    )
    better = serializers.ChoiceField(
        choices=("first", "second"),
        allow_null=True,
        help_text="The attempt that is certainly better, at 5 %; null if none is.",
    )
    only_first = serializers.IntegerField(
        allow_null=True,
        help_text="Tasks that only the first solved; null unless 0 or 1.",
    )
    only_second = serializers.IntegerField(
        allow_null=True, help_text="Tasks that only the second solved; null unless 0 or 1."
    )
    ratio = serializers.FloatField(
        allow_null=True, help_text="The first value by the second; null unless both are above 0."
    )
    ratio_interval = IntervalField(help_text="The 95 % interval of the ratio.")
    smallest_difference = serializers.FloatField(
        allow_null=True, help_text="The smallest difference that these tasks can show; null: any."
    )
    differing = serializers.IntegerField(help_text="On how many tasks the values differ.")
    tasks = DifferingTaskSerializer(
        many=True, help_text="The tasks with the largest differences, at most 50."
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """Two attempts, metric by metric."""

    first = serializers.UUIDField(help_text="The id of the first attempt.")
    second = serializers.UUIDField(help_text="The id of the second attempt.")
    metrics = ComparedMetricSerializer(
        many=True, help_text="Those that the board ranks by first; economics last."
    )


class GateQuery(serializers.Serializer[Any]):
    """What a candidate is compared with, and what it has to show."""

    baseline = serializers.CharField(
        max_length=140, help_text="The id of an attempt, or the slug of a participant."
    )
    require = serializers.ChoiceField(
        choices=REQUIREMENTS, default="not-worse", help_text="What lets the candidate pass."
    )
    margin = serializers.FloatField(
        min_value=0,
        required=False,
        help_text="How much worse it may be, in the unit of the metric; for `non-inferior`.",
    )
    metric = serializers.CharField(
        max_length=80, required=False, help_text="What decides; the first metric of the board."
    )


class GateBaselineSerializer(serializers.Serializer[Any]):
    """The attempt that a candidate is compared with."""

    attempt = serializers.UUIDField()
    participant = serializers.CharField()
    html_url = serializers.CharField()


class GateSerializer(serializers.Serializer[Any]):
    """Whether a candidate passes."""

    state = serializers.ChoiceField(
        choices=("pass", "fail", "unclear"), help_text="`unclear`: the tasks cannot tell."
    )
    reason = serializers.CharField()
    metric = serializers.CharField(help_text="The key of the metric that decides.")
    require = serializers.ChoiceField(choices=REQUIREMENTS, help_text="What was required.")
    margin = serializers.FloatField(allow_null=True, help_text="How much worse it may be.")
    baseline = GateBaselineSerializer(help_text="The attempt that it was compared with.")
    metrics = ComparedMetricSerializer(
        many=True, help_text="All metrics; the candidate is the first of the two."
    )
