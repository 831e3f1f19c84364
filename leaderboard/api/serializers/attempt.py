from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from leaderboard.api.serializers.admission import FindingSerializer, LineVerdictSerializer
from leaderboard.api.serializers.competition.marks import (
    AnnotationSerializer,
    VerificationSerializer,
)
from leaderboard.api.serializers.facts import METRICS_READ_EXAMPLE, ReportedMetricsSerializer
from leaderboard.api.serializers.metric_value import METRIC_EXAMPLE, MetricValues
from leaderboard.models import Attempt
from leaderboard.rules.admission.verdicts import VERDICTS
from leaderboard.rules.failures import FAILURE_CODES
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.read import Reading
from leaderboard.services.board.look_alikes import look_alikes
from leaderboard.services.challenges.code_changes import HELD
from leaderboard.services.competition.organisers.marks import annotations_of
from leaderboard.services.scoring.queue_position import place_of

STATUSES = [choice for choice in Attempt.Status.choices if choice[0] != Attempt.Status.HELD]
"""The public statuses: a held attempt is shown as queued, with the reason under `held`."""

READ_EXAMPLE = {
    "id": "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e",
    "challenge": "prompt-escape",
    "phase": "main",
    "participant": "atlas",
    "participant_slug": "atlas",
    "submitted_at": "2026-11-20T08:00:00Z",
    "finished_at": "2026-11-20T08:00:01Z",
    "status": "scored",
    "scoring_version": 3,
    "score": 152.5,
    "clamped": False,
    "raw_score": 152.5,
    "details": {
        "base": 100.0,
        "rating_contribution": 80.0,
        "time_penalty": 12.5,
        "token_penalty": 15.0,
    },
    "details_note": "",
    "error": None,
    "duration_ms": 12,
    "code": "7eefae0e646d3a8b",
    "held": None,
    "metrics": METRICS_READ_EXAMPLE,
    "values": {"solved": 9.0},
    "metric_values": {"physics": METRIC_EXAMPLE},
    "instances": None,
    "max_outputs": None,
    "progress": None,
    "meta": {"model": "atlas-2"},
    "note": "",
    "withdrawn": None,
    "copied_from": None,
    "late_by_agreement": False,
    "verified": None,
    "chosen": False,
    "score_hidden": False,
    "counts": True,
    "rank": 4,
    "rank_interval": [2, 6],
    "url": "/api/v1/attempts/019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e/",
    "html_url": "/attempts/019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e/",
    "queue": None,
    "annotations": [],
}


class AttemptErrorSerializer(serializers.Serializer[Any]):
    """Why there is no score, in words for the participant."""

    code = serializers.ChoiceField(choices=FAILURE_CODES, source="error_code")
    message = serializers.CharField(source="error_message")


class HeldSerializer(serializers.Serializer[Any]):
    """Why an attempt waits for an organiser."""

    code = serializers.ChoiceField(choices=["code_changed"])
    message = serializers.CharField()


class WithdrawnSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField(source="withdrawn_at")
    reason = serializers.CharField(source="withdrawn_reason")


class ProgressSerializer(serializers.Serializer[Any]):
    """How many results of instances are computed, over all text metrics, and of how many."""

    done = serializers.IntegerField(min_value=0)
    total = serializers.IntegerField(min_value=0)


@extend_schema_serializer(
    examples=[OpenApiExample("scored", READ_EXAMPLE, response_only=True)],
)
class AttemptSerializer(serializers.Serializer[Any]):
    """An attempt: what was submitted, and the score that its board uses."""

    id = serializers.UUIDField(source="attempt.id")
    challenge = serializers.CharField(source="attempt.challenge.slug")
    phase = serializers.CharField(
        source="attempt.phase.slug", default=None, allow_null=True, help_text="Its slug."
    )
    participant = serializers.CharField(source="attempt.participant.handle")
    participant_slug = serializers.CharField(source="attempt.participant.slug")
    submitted_at = serializers.DateTimeField(source="attempt.submitted_at")
    finished_at = serializers.DateTimeField(source="attempt.finished_at", allow_null=True)
    status = serializers.ChoiceField(choices=STATUSES)
    scoring_version = serializers.IntegerField(source="config.number")
    score = serializers.FloatField(source="score.value", default=None, allow_null=True, min_value=0)
    clamped = serializers.BooleanField(
        source="score.clamped", default=False, help_text="The scorer's number was below 0."
    )
    raw_score = serializers.FloatField(source="score.raw_value", default=None, allow_null=True)
    details = serializers.SerializerMethodField()
    details_note = serializers.CharField(
        source="score.details_note", default="", help_text="Why there are no details, if so."
    )
    error = serializers.SerializerMethodField()
    duration_ms = serializers.IntegerField(
        source="score.duration_ms", default=None, allow_null=True
    )
    code = serializers.CharField(
        source="score.code",
        default="",
        help_text="The hash of the source of the plugins that made the score; empty: not known.",
    )
    held = serializers.SerializerMethodField()
    metrics = ReportedMetricsSerializer(source="attempt.metrics")
    values = serializers.DictField(
        child=serializers.FloatField(), source="attempt.values", help_text="As reported."
    )
    metric_values = MetricValues(
        help_text="What metrics make of the samples or instances, by key.",
    )
    instances = serializers.IntegerField(
        source="attempt.instance_count",
        allow_null=True,
        min_value=0,
        help_text="The number of instances when it was submitted; null: no evaluation.",
    )
    max_outputs = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    meta = serializers.DictField(child=serializers.CharField(), source="attempt.meta")
    note = serializers.CharField(source="attempt.note")
    withdrawn = serializers.SerializerMethodField()
    copied_from = serializers.UUIDField(
        source="attempt.copied_from_id",
        allow_null=True,
        help_text="The attempt of an earlier phase that it is a copy of.",
    )
    late_by_agreement = serializers.SerializerMethodField(
        help_text="Whether it was submitted after the end of its phase, by agreement."
    )
    verified = VerificationSerializer(
        source="verification", allow_null=True, help_text="Who has checked it; null: not checked."
    )
    chosen = serializers.BooleanField(
        source="is_chosen",
        help_text="Whether the participant has chosen it to count, in a phase that lets them.",
    )
    score_hidden = serializers.BooleanField(
        help_text="Whether the organisers hide the score, and all that tells it, from you."
    )
    counts = serializers.BooleanField(
        help_text="Whether the participant stands on the board with this attempt."
    )
    rank = serializers.IntegerField(allow_null=True, min_value=1)
    url = serializers.SerializerMethodField()
    html_url = serializers.CharField(source="attempt.get_absolute_url")

    @extend_schema_field({"type": "object", "nullable": True, "additionalProperties": True})
    def get_details(self, reading: Reading) -> JsonObject | None:
        """How the scorer computed the score, if the reader may see it."""
        return reading.score.details if reading.score and reading.details_open else None

    def get_late_by_agreement(self, reading: Reading) -> bool:
        return reading.attempt.agreed_until is not None

    @extend_schema_field(AttemptErrorSerializer(allow_null=True))
    def get_error(self, reading: Reading) -> Any:
        if reading.score is None or not reading.score.error_code:
            return None
        return AttemptErrorSerializer(reading.score).data

    @extend_schema_field(HeldSerializer(allow_null=True))
    def get_held(self, reading: Reading) -> Any:
        return {"code": "code_changed", "message": HELD} if reading.is_held else None

    @extend_schema_field(WithdrawnSerializer(allow_null=True))
    def get_withdrawn(self, reading: Reading) -> Any:
        if reading.attempt.withdrawn_at is None:
            return None
        return WithdrawnSerializer(reading.attempt).data

    @extend_schema_field({"type": "integer", "nullable": True, "minimum": 1})
    def get_max_outputs(self, reading: Reading) -> int | None:
        """How many outputs of an instance counted, the best one each; null: the references are its
        own, or it has no outputs.
        """
        is_held = reading.config.references_id is not None
        has_outputs = reading.attempt.instance_count is not None
        return reading.config.outputs_per_instance if is_held and has_outputs else None

    @extend_schema_field(ProgressSerializer(allow_null=True))
    def get_progress(self, reading: Reading) -> Any:
        """The progress of the evaluation, while it is not finished."""
        return None if reading.progress is None else ProgressSerializer(reading.progress).data

    def get_url(self, reading: Reading) -> str:
        return reverse("api:attempt", args=[reading.attempt.pk])


class QueueSerializer(serializers.Serializer[Any]):
    """The place of a waiting attempt in the queue."""

    position = serializers.IntegerField(
        min_value=1, help_text="Among the attempts of its tenant that wait; 1: the next one."
    )
    ahead = serializers.IntegerField(
        min_value=0, help_text="Attempts of all tenants that are scored before it."
    )
    is_least = serializers.BooleanField(
        help_text="Whether there are more than that: no more are counted."
    )
    expected_start = serializers.DateTimeField(
        allow_null=True,
        help_text="By the speed of the last minutes; null: nothing was scored in them.",
    )


class OneAttemptSerializer(AttemptSerializer):
    """An attempt; organisers also see the traceback and what the scorer printed."""

    queue = serializers.SerializerMethodField()
    error_detail = serializers.CharField(
        source="score.error_detail", default="", help_text="Organisers only."
    )
    output = serializers.CharField(source="score.output", default="", help_text="Organisers only.")
    looks_like = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="Organisers only: other participants whose names are drawn alike.",
    )
    annotations = serializers.SerializerMethodField()
    rank_interval = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        allow_null=True,
        default=None,
        help_text="Its best and worst rank with 95 % confidence; null in answers to changes.",
    )

    @extend_schema_field(QueueSerializer(allow_null=True))
    def get_queue(self, reading: Reading) -> Any:
        """Its place while it waits for a worker; null in the answer to a submission."""
        asked = self.context.get("with_place") and not reading.status_hidden
        place = place_of(reading.attempt) if asked else None
        return None if place is None else QueueSerializer(place).data

    @extend_schema_field(AnnotationSerializer(many=True))
    def get_annotations(self, reading: Reading) -> Any:
        """The notes of organisers: readers get the public ones, organisers all."""
        annotations = annotations_of(reading.attempt, organiser=reading.organiser)
        return AnnotationSerializer(annotations, many=True).data

    def to_representation(self, instance: Reading) -> FrameworkDict:
        fields = super().to_representation(instance)
        if instance.organiser:
            participant = instance.attempt.participant
            fields["looks_like"] = look_alikes([participant]).get(participant.pk, [])
        else:
            del fields["error_detail"], fields["output"], fields["looks_like"]
        return fields


@extend_schema_serializer(
    component_name="NewlySubmitted",
    examples=[
        OpenApiExample(
            "queued", {**READ_EXAMPLE, "verdict": "ok", "findings": []}, response_only=True
        )
    ],
)
class NewlySubmittedSerializer(OneAttemptSerializer):
    """A submitted attempt, and what the rules of admission say of it."""

    verdict = serializers.ChoiceField(
        choices=[*VERDICTS, ""], help_text="Empty: no rules, or not for you yet."
    )
    findings = FindingSerializer(many=True)


class LineErrorSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(min_value=1, help_text="Counted from 1.")
    error = serializers.DictField(help_text="As in the body of an error: code, message, fields.")


class SpellingSerializer(serializers.Serializer[Any]):
    sent = serializers.CharField()
    kept = serializers.CharField(help_text="The name under which it stands here.")


class RenamedLineSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(min_value=1, help_text="Counted from 1.")
    participant = SpellingSerializer()


class BulkSerializer(serializers.Serializer[Any]):
    """The results of many attempts."""

    accepted = serializers.IntegerField(min_value=0)
    rejected = LineErrorSerializer(many=True)
    attempts = serializers.ListField(
        child=serializers.UUIDField(), help_text="Ids of the accepted ones, in order."
    )
    renamed = RenamedLineSerializer(
        many=True,
        required=False,
        help_text="Participants whose names are kept in another spelling; absent if none is.",
    )
    admission = LineVerdictSerializer(
        many=True,
        required=False,
        help_text="The first 100 attempts that the rules flag or refuse; absent if there are none.",
    )


class AttemptPageSerializer(serializers.Serializer[Any]):
    """Attempts, the newest first."""

    results = AttemptSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="For `?cursor=`; null at the end.")
