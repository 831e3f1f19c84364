"""Serializers of uploads and their results."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import (
    OpenApiExample,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.api.serializers.admission import FindingSerializer
from leaderboard.api.serializers.attempt import SpellingSerializer
from leaderboard.api.serializers.metric_value import MetricValues
from leaderboard.importers import known_importers
from leaderboard.models import Challenge, ImportJob
from leaderboard.rules.admission.verdicts import VERDICTS
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.some_ids import MAX_NAMED
from leaderboard.services.standing.reports import finding_json

EXAMPLE = {
    "format": "harbor-job",
    "attempts": ["019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e"],
    "warnings": [],
    "differences": ["terminus (large-1): mean is 0.7 in the file, 0.65 here"],
    "rows": [
        {
            "participant": "terminus (large-1)",
            "attempt": "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e",
            "known": False,
            "tasks": 10,
            "samples": 20,
            "failed": 1,
            "rewards": ["reward"],
            "instances": None,
            "recognised": "",
            "missing": {"ids": [], "more": 0},
            "metrics": {"tokens_total": 90000, "cost_usd": 0.9},
            "values": {},
            "meta": {"agent": "terminus", "model": "large-1"},
            "metric_values": {},
            "stated": [{"name": "mean", "stated": 0.7, "ours": 0.65, "differs": True}],
            "verdict": "ok",
            "findings": [],
        }
    ],
    "renamed": [
        {"row": 0, "participant": {"sent": "Terminus (large-1)", "kept": "terminus (large-1)"}}
    ],
    "suggested": {"metrics": [{"type": "mean_reward", "reward": "reward"}], "num_samples": 2},
    "map": [],
}


@extend_schema_field({"type": "string", "enum": [*known_importers(), ""]})
class Format(JsonText):
    """The key of an importer, which a service checks."""


class UploadSerializer(StrictSerializer):
    """A result file of any known format, or a zip, tar or tar.gz of it."""

    file = serializers.FileField()
    participant = JsonText(
        required=False,
        allow_blank=True,
        max_length=120,
        help_text="Whose attempts they are; else names are made of the agents and models in it.",
    )
    format = Format(
        required=False,
        allow_blank=True,
        max_length=40,
        help_text=f"Recognised where it is absent: {', '.join(known_importers())}.",
    )
    phase = JsonText(
        required=False,
        allow_blank=True,
        max_length=80,
        help_text="The slug of their phase; needed where several are open.",
    )


class StatedSerializer(serializers.Serializer[Any]):
    """A metric value in the file."""

    name = serializers.CharField()
    stated = serializers.FloatField()
    ours = serializers.FloatField(allow_null=True, help_text="What our metric makes of it.")
    differs = serializers.BooleanField(
        allow_null=True, help_text="Null where none of our metrics should equal it."
    )


class SomeIdsSerializer(serializers.Serializer[Any]):
    """The first of some ids, and how many more there are."""

    ids = serializers.ListField(child=serializers.CharField(), max_length=MAX_NAMED)
    more = serializers.IntegerField(min_value=0)


class RenamedRowSerializer(serializers.Serializer[Any]):
    row = serializers.IntegerField(min_value=0, help_text="In `rows`, counted from 0.")
    participant = SpellingSerializer()


class ImportRowSerializer(serializers.Serializer[Any]):
    """An attempt of the file, saved or in a dry run."""

    participant = serializers.CharField()
    attempt = serializers.UUIDField(allow_null=True)
    known = serializers.BooleanField(help_text="It was imported before, and stays as it is.")
    tasks = serializers.IntegerField(min_value=0)
    samples = serializers.IntegerField(min_value=0)
    failed = serializers.IntegerField(min_value=0, help_text="Samples.")
    rewards = serializers.ListField(child=serializers.CharField())
    instances = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="How many it is evaluated on."
    )
    recognised = serializers.CharField(
        source="recognised.words", help_text="A description of the model outputs in this attempt."
    )
    missing = SomeIdsSerializer(
        source="recognised.missing", help_text="Instances without an output in this attempt."
    )
    metrics = serializers.SerializerMethodField()
    values = serializers.DictField(child=serializers.FloatField())
    meta = serializers.DictField(child=serializers.CharField())
    metric_values = MetricValues()
    stated = StatedSerializer(many=True)
    verdict = serializers.ChoiceField(
        choices=[*VERDICTS, ""], help_text="What the rules of admission say; empty: no rules."
    )
    findings = serializers.SerializerMethodField()

    @extend_schema_field(FindingSerializer(many=True))
    def get_findings(self, row: Any) -> list[JsonObject]:
        return [finding_json(finding) for finding in row.findings]

    def get_metrics(self, row: Any) -> FrameworkDict:
        """The facts that the file knows."""
        return dict(row.metrics)


class ColumnUseSerializer(serializers.Serializer[Any]):
    """What a column of a table is used for."""

    column = serializers.CharField(help_text="Its label.")
    use = serializers.CharField(help_text="As `map` has it: `participant`, `value:mmlu`, …")
    guessed = serializers.BooleanField(help_text="False where `map` says so.")
    examples = serializers.ListField(
        child=serializers.CharField(), help_text="Its first different cells."
    )
    note = serializers.CharField(help_text="How its cells are read, where that is not plain.")


@extend_schema_serializer(examples=[OpenApiExample("job", EXAMPLE, response_only=True)])
class ImportSerializer(serializers.Serializer[Any]):
    """The result of an import, or of its dry run."""

    format = serializers.CharField()
    attempts = serializers.ListField(
        child=serializers.UUIDField(), help_text="Those that are there now; none in a dry run."
    )
    warnings = serializers.ListField(child=serializers.CharField())
    differences = serializers.ListField(
        child=serializers.CharField(),
        help_text="Where the file states another value than our metric finds.",
    )
    rows = ImportRowSerializer(many=True)
    renamed = RenamedRowSerializer(
        many=True, help_text="Participants whose names are kept in another spelling."
    )
    suggested = serializers.DictField(help_text="Fields of a challenge that would fit the file.")
    map = ColumnUseSerializer(
        many=True, help_text="Of a table, what each column is used for; else empty."
    )


class RegistryFileSerializer(StrictSerializer):
    """A `registry.json`, or an archive of it with the scripts of its metrics."""

    file = serializers.FileField()


class RegistryChallengeSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    scoring_version = serializers.IntegerField(source="newest.number")
    url = serializers.SerializerMethodField()

    def get_url(self, challenge: Challenge) -> str:
        return reverse("api:challenge", args=[challenge.slug])


class RegistrySerializer(serializers.Serializer[Any]):
    """The result of importing a registry."""

    created = RegistryChallengeSerializer(many=True)
    updated = RegistryChallengeSerializer(many=True)
    warnings = serializers.ListField(child=serializers.CharField())


class ImportJobSerializer(serializers.ModelSerializer[ImportJob]):
    """A result file with many rows, which a worker reads."""

    url = serializers.SerializerMethodField()
    attempts = serializers.IntegerField(
        allow_null=True, help_text="How many the file has; null until it is read."
    )
    result = serializers.DictField(
        allow_null=True,
        help_text="`attempts` and `known` as numbers, the `ids` of all attempts that are there "
        "now, `verdicts` with a number for each verdict of the rules of admission, `warnings`, "
        "`map`, the first 100 `rows`.",
    )
    error = serializers.DictField(
        allow_null=True, help_text="Why it was refused: `code`, `message`, `fields`."
    )

    class Meta:
        model = ImportJob
        fields = ["id", "url", "state", "dry_run", "attempts", "result", "error", "created_at"]

    def get_url(self, job: ImportJob) -> str:
        return reverse("api:import-job", args=(job.challenge.slug, job.pk))
