"""Samples that people label, and what they have said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from leaderboard.rules.json.values import JsonObject
from leaderboard.services.scoring.labels.queue import SampleToLabel, StoredLabel


class LabelSerializer(serializers.Serializer[Any]):
    """What one person says of one reward of a sample."""

    reward = serializers.CharField(help_text="The judged reward that it is about.")
    labeller = serializers.CharField(
        help_text="`account:` and an id, or `sent:` and the text that an organiser has sent."
    )
    value = serializers.FloatField()
    at = serializers.DateTimeField()


class SampleToLabelSerializer(serializers.Serializer[Any]):
    """A sample that is drawn, without the judge's numbers."""

    task = serializers.CharField()
    sample = serializers.IntegerField(min_value=0)
    rewards = serializers.ListField(
        child=serializers.CharField(), help_text="The judged rewards that it is drawn for."
    )
    input = serializers.CharField(help_text="Empty if it is not stored.")
    output = serializers.CharField(help_text="Empty if it is not stored.")
    references = serializers.ListField(
        child=serializers.CharField(), help_text="What is expected, if that is stored."
    )
    run_id = serializers.CharField(help_text="Its id in the tool that ran it, if that is known.")
    labels = LabelSerializer(many=True, help_text="Those that were given.")


class SamplesToLabelSerializer(serializers.Serializer[Any]):
    """The samples of an attempt that people label, in the order in which labels count."""

    results = SampleToLabelSerializer(many=True)


class LabelsStoredSerializer(serializers.Serializer[Any]):
    """How many labels were stored."""

    stored = serializers.IntegerField(help_text="New and changed ones.")


def sample_json(sample: SampleToLabel, labels: Iterable[StoredLabel]) -> JsonObject:
    task, number = sample.place
    fields = ("rewards", "input", "output", "references", "run_id")
    return {
        "task": task,
        "sample": number,
        **{name: getattr(sample, name) for name in fields},
        "labels": [label._asdict() for label in labels],
    }
