from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.urls import reverse
from rest_framework import serializers

from leaderboard.api.fields import JsonText, StrictSerializer
from leaderboard.http.links import absolute
from leaderboard.models import EvidenceFile
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.standing.evidence import LARGEST


class NewEvidenceFileSerializer(StrictSerializer):
    """A file of evidence, with what it is; a link is sent as JSON, with `url`."""

    file = serializers.FileField(help_text=f"Up to {LARGEST >> 20} MiB.")
    kind = JsonText(help_text="`trajectory`, `log`, `diff` or `other`.")
    task = JsonText(required=False, help_text="Of the sample; without it: of the whole attempt.")
    sample = serializers.IntegerField(
        required=False, min_value=0, help_text="The number of the sample."
    )


class EvidenceFileSerializer(serializers.Serializer[Any]):
    """A file of evidence, or a link."""

    id = serializers.IntegerField()
    task = serializers.CharField(
        allow_blank=True, help_text="Of the sample; empty: of the whole attempt."
    )
    sample = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=EvidenceFile.Kind.values)
    name = serializers.CharField(help_text="Of the file; the host of a link.")
    size = serializers.IntegerField(allow_null=True, help_text="Bytes. Null for a link.")
    sha256 = serializers.CharField(allow_blank=True, help_text="In hexadecimal; empty for a link.")
    url = serializers.URLField(help_text="Where the file is downloaded, or the link leads.")
    added_at = serializers.DateTimeField(help_text="When it arrived.")


class EvidencePageSerializer(serializers.Serializer[Any]):
    """A page of the evidence of an attempt, by task and sample."""

    evidence = EvidenceFileSerializer(many=True, help_text="That of the whole attempt first.")
    total = serializers.IntegerField()
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page.")


def evidence_json(request: Any, file: EvidenceFile) -> JsonObject:
    """What `EvidenceFileSerializer` describes."""
    own = reverse("api:evidence-file", args=[file.attempt_id, file.pk])
    return {
        "id": file.pk,
        "task": file.task,
        "sample": file.sample,
        "kind": file.kind,
        "name": file.name or (urlsplit(file.url).hostname or ""),
        "size": None if file.url else file.size,
        "sha256": file.sha256,
        "url": file.url or absolute(request, own),
        "added_at": file.added_at.isoformat().replace("+00:00", "Z"),
    }
